"""Writes random programs over arrays and what NumPy makes of them, for the test beside this file.

    python3 programs.py [COUNT [SEED]] > programs.txt     (NumPy 2; the file is kept in the repository)

A program is a line: registers that it starts with, steps, and all registers at its end, between bars. A register is a type, a
shape and, at the end, elements. A step is a name, registers and numbers; it adds a register, or changes one in place. What
shares memory here shares it there: a register that is a view of another changes with it, and a result that was computed does
not change with its operands.

Elements are small multiples of powers of two, and results that were rounded are not kept, so that answers are exact.
"""

import random
import sys

import numpy as np

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
ALL = ["bool"] + INTEGERS + FLOATS + COMPLEX
np.seterr(all="ignore")


def start(dtype, shape, seed):
    """The elements that a register starts with; the same formula is in programs.rs."""
    k = np.arange(int(np.prod(shape)), dtype=np.int64)
    v = (k * 7919 + seed * 104729) % 27
    if dtype == "bool":
        a = v % 3 == 0
    elif dtype.startswith("uint"):
        a = v
    elif dtype in INTEGERS:
        a = v - 13
    elif dtype in FLOATS:
        a = (v - 13) / 4
    else:
        a = (v - 13) / 4 + 1j * (v * 5 % 7 - 3) / 2
    return np.asarray(a).astype(dtype).reshape(shape)


def text(value):
    if isinstance(value, np.complexfloating):
        return f"{text(value.real)},{text(value.imag)}"
    if isinstance(value, np.bool_):
        return str(int(value))
    if isinstance(value, np.floating):
        return repr(float(value)).removesuffix(".0")
    return str(int(value))


def numbers(values):
    return ",".join(map(str, values)) if len(values) else "-"


def is_exact(a):
    """Whether sums and products of such elements are not rounded."""
    if a.dtype.kind not in "fc":
        return True
    most, part = (64, 8) if a.dtype == np.float16 else (2048, 64)
    parts = np.concatenate([np.real(a).ravel(), np.imag(a).ravel()]).astype(np.float64)
    return bool(np.all(np.isfinite(parts)) and np.all(np.abs(parts) <= most) and np.all(parts * part % 1 == 0))


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.registers, self.steps, self.starts = [], [], []
        dtype = rng.choice(ALL)
        for _ in range(rng.choice([1, 2, 2])):
            shape = tuple(rng.choice([0, 1, 2, 3, 3, 4, 5]) for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3, 4])))
            if len(shape) == 4:
                shape = tuple(min(n, 3) for n in shape)
            if self.registers and rng.random() < 0.6:
                shape = self.registers[0].shape
            seed = rng.randrange(100)
            self.registers.append(start(dtype, shape, seed))
            self.starts.append(f"{dtype} {numbers(shape)} {seed}")

    def axis(self, a):
        return self.rng.randrange(-a.ndim, a.ndim)

    def item(self, length):
        """An index of one axis as text, and as Python has it."""
        rng = self.rng
        if length and rng.random() < 0.25:
            k = rng.randrange(-length, length)
            return str(k), k
        pick = lambda: rng.choice([None, None, rng.randrange(-length - 1, length + 2)])
        first, last, step = pick(), pick(), rng.choice([None, None, None, 2, 3, -1, -2])
        shown = ":".join("" if n is None else str(n) for n in (first, last, step))
        return shown, slice(first, last, step)

    def index(self, a):
        items = [self.item(n) for n in a.shape[: self.rng.randrange(1, a.ndim + 1)]]
        return ",".join(shown for shown, _ in items), tuple(key for _, key in items)

    def step(self):
        """Tries one step, and keeps it if it is possible and exact."""
        rng, regs = self.rng, self.registers
        r = rng.randrange(len(regs))
        a = regs[r]
        kind, same = a.dtype.kind, [k for k, b in enumerate(regs) if b.dtype == a.dtype]
        s = rng.choice(same)
        b = regs[s]
        masks = [k for k, m in enumerate(regs) if m.dtype == bool and m.shape == a.shape]
        n = rng.randrange(-3, 4) if kind not in "bu" else rng.randrange(0, 4)
        op = rng.choice(OPERATIONS)
        in_place, change = None, None
        if op == "ravel" and not a.flags.c_contiguous:
            return
        if op in ("t", "ravel", "squeeze", "copy", "clone"):
            what, out = f"{op} {r}", {"t": a.T, "ravel": a.ravel(), "squeeze": a.squeeze(), "copy": a.copy(), "clone": a}[op]
        elif op == "swapaxes" and a.ndim:
            i, j = self.axis(a), self.axis(a)
            what, out = f"{op} {r} {i} {j}", a.swapaxes(i, j)
        elif op == "flip" and a.ndim:
            i = self.axis(a)
            what, out = f"{op} {r} {i}", np.flip(a, i)
        elif op == "expand" and a.ndim < 4:
            i = rng.randrange(0, a.ndim + 1)
            what, out = f"{op} {r} {i}", np.expand_dims(a, i)
        elif op == "reshape" and a.size and a.flags.c_contiguous:
            # Of other elements it may be a view or a copy.
            rest, shape = a.size, []
            while rest > 1 and len(shape) < 3:
                d = rng.choice([d for d in range(1, rest + 1) if rest % d == 0])
                shape.append(d)
                rest //= d
            shape.append(rest)
            what, out = f"{op} {r} {numbers(shape)}", a.reshape(shape)
        elif op == "slice" and a.ndim:
            shown, key = self.index(a)
            what, out = f"{op} {r} {shown}", a[key + (...,)]
        elif op == "broadcast" and a.ndim < 4:
            shape = (rng.randrange(1, 4),) + tuple(rng.choice([2, 3]) if d == 1 else d for d in a.shape)
            what, out = f"{op} {r} {numbers(shape)}", np.broadcast_to(a, shape)
        elif op == "diagonal" and a.ndim >= 2:
            k = rng.randrange(-2, 3)
            if not -a.shape[0] < k < a.shape[1]:
                return
            what, out = f"{op} {r} {k}", a.diagonal(k)
        elif op == "tril" and a.ndim >= 2:
            k = rng.randrange(-2, 3)
            what, out = f"{op} {r} {k}", np.tril(a, k)
        elif op in ("repeat", "roll") and a.ndim:
            i, k = self.axis(a), rng.randrange(0, 4) if op == "repeat" else rng.randrange(-4, 5)
            what, out = f"{op} {r} {k} {i}", getattr(np, op)(a, k, i)
        elif op == "take" and a.ndim and a.size:
            i = self.axis(a)
            places = [rng.randrange(-a.shape[i], a.shape[i]) for _ in range(rng.randrange(0, 5))]
            what, out = f"{op} {r} {numbers(places)} {i}", a.take(np.array(places, np.int64), i)
        elif op in ("sort", "argsort") and a.ndim:
            i = self.axis(a)
            out = np.sort(a, i, kind="stable") if op == "sort" else np.argsort(a, i, kind="stable")
            what = f"{op} {r} {i}"
        elif op == "unique":
            what, out = f"{op} {r}", np.unique(a)
        elif op == "concatenate" and a.ndim and b.ndim == a.ndim:
            i = self.axis(a)
            try:
                what, out = f"{op} {r} {s} {i}", np.concatenate((a, b), i)
            except ValueError:
                return
        elif op == "compress" and masks and a.ndim:
            m = rng.choice(masks)
            what, out = f"{op} {r} {m}", a[regs[m]]
        elif op == "where" and masks and b.shape == a.shape:
            m = rng.choice(masks)
            what, out = f"{op} {m} {r} {s}", np.where(regs[m], a, b)
        elif op in ("sum", "any", "all", "count_nonzero") and a.ndim:
            i = self.axis(a)
            out = np.count_nonzero(a, i) if op == "count_nonzero" else getattr(a, op)(i)
            what = f"{op} {r} {i}"
        elif op == "cumsum" and a.ndim:
            i = self.axis(a)
            what, out = f"{op} {r} {i}", np.cumsum(a, i)
        elif op in ("max", "min", "argmax", "argmin") and a.ndim and kind != "c":
            i = self.axis(a)
            if a.shape[i] == 0:
                return
            what, out = f"{op} {r} {i}", getattr(a, op)(i)
        elif op == "diff" and a.ndim and kind != "b":
            i = self.axis(a)
            what, out = f"{op} {r} {i}", np.diff(a, axis=i)
        elif op in ("add", "multiply") or (op in ("subtract", "maximum") and kind not in "bc"):
            try:
                what, out = f"{op} {r} {s}", getattr(np, op)(a, b)
            except ValueError:
                return
        elif op == "equal" or (op == "less" and kind != "c"):
            try:
                what, out = f"{op} {r} {s}", getattr(np, op)(a, b)
            except ValueError:
                return
        elif op == "negative" and kind not in "bu":
            what, out = f"{op} {r}", -a
        elif op == "square" and kind != "b":
            what, out = f"{op} {r}", np.square(a)
        elif op == "scale" and kind != "b":
            what, out = f"{op} {r} {n}", a * n
        elif op == "above" and kind not in "bc":
            what, out = f"{op} {r} {n}", a > n
        elif op == "astype":
            to = rng.choice(ALL)
            if (kind == "c" and to not in COMPLEX) or (kind == "f" and to in INTEGERS):
                return
            what, out = f"{op} {r} {to}", a.astype(to)
        elif op == "matmul" and a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0] and kind != "b":
            what, out = f"{op} {r} {s}", a @ b
        elif op == "iadd" and kind != "b" and np.broadcast_shapes_or_none(a, b) == a.shape:
            what, out, in_place, change = f"{op} {r} {s}", a + b, r, lambda: np.add(a, b, out=a)
        elif op == "setslice" and a.ndim:
            shown, key = self.index(a)
            out, in_place, change = a.copy(), r, lambda: a.__setitem__(key, n)
            out[key] = n
            what = f"{op} {r} {shown} {n}"
        elif op == "setmask" and masks and a.ndim:
            m = rng.choice(masks)
            out, in_place, change = a.copy(), r, lambda: a.__setitem__(regs[m], n)
            out[regs[m]] = n
            what = f"{op} {r} {m} {n}"
        else:
            return
        out = np.asarray(out)
        if in_place is not None and not a.flags.writeable:
            return
        if out.ndim > 5 or out.size > 200 or not is_exact(out):
            return
        exact = out.astype(np.complex128) if out.dtype.kind == "c" else out
        if exact.dtype.kind in "fc" and op in ("sum", "cumsum", "matmul"):
            wide = a.astype(np.complex128 if kind == "c" else np.float64)
            again = {"sum": lambda: wide.sum(i), "cumsum": lambda: wide.cumsum(i), "matmul": lambda: wide @ b.astype(wide.dtype)}[op]()
            if not np.array_equal(again, out.astype(wide.dtype)):
                return
        self.steps.append(what)
        if in_place is None:
            regs.append(out)
        else:
            change()

    def line(self):
        last = [f"{a.dtype.name} {numbers(a.shape)} {' '.join(text(v) for v in a.ravel())}".rstrip() for a in self.registers]
        return " | ".join(["; ".join(self.starts), "; ".join(self.steps), "; ".join(last)])


def broadcast_shapes_or_none(a, b):
    try:
        return np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return None


np.broadcast_shapes_or_none = broadcast_shapes_or_none

OPERATIONS = (
    "t ravel squeeze copy clone swapaxes flip expand reshape slice slice slice broadcast diagonal tril repeat roll take sort argsort unique "
    "concatenate compress where sum any all count_nonzero cumsum max min argmax argmin diff add multiply subtract maximum equal less "
    "negative square scale above astype matmul iadd iadd setslice setslice setmask setmask"
).split()


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 2026)
    made = 0
    while made < count:
        program = Program(rng)
        wanted = rng.randrange(2, 7)
        for _ in range(40):
            if len(program.steps) < wanted:
                program.step()
        if len(program.steps) == wanted:
            print(program.line())
            made += 1


main()

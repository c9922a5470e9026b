"""Writes what NumPy answers, for the tests beside this file to compare with.

    python3 answers.py        (NumPy 2; the files are kept in the repository)

A case is a line `operation`, then a line for each operand and one for the
answer: a dtype and elements. Complex elements are written `re,im`.
"""

import pathlib
import numpy as np

HERE = pathlib.Path(__file__).parent
np.seterr(all="ignore")

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]


def text(value):
    if isinstance(value, (np.complexfloating, complex)):
        return f"{text(value.real)},{text(value.imag)}"
    if isinstance(value, (np.bool_, bool)):
        return str(bool(value)).lower()
    if isinstance(value, np.integer):
        return str(int(value))
    return repr(value.item() if value.dtype != np.float32 else float(value))


def line(array):
    array = np.asarray(array)
    return " ".join([array.dtype.name] + [text(value) for value in array.ravel()])


def operands(dtype, second):
    """Two lists of the same length with the corners of a type in them."""
    if dtype == "bool":
        return np.array([False, True, True, False, True, False, True, True], dtype)[:: -1 if second else 1]
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        first = [info.max, info.min, 7, 100, info.max, 3, 0, 12]  # and a division by zero
        other = [1, 1, 3, 0, 2, 5, 9, 7]
        if info.min < 0:
            first[2], first[5], other[6] = -7, -3, -2
        return np.array(other if second else first, dtype)
    first = [1.5, -2.75, 0.0, -0.0, np.inf, -np.inf, np.nan, 0.1]
    other = [0.5, 3.0, 0.0, 2.0, np.inf, 2.0, 1.0, -0.3]
    if dtype in FLOATS:
        return np.array(other if second else first, dtype)
    first = [1.5 + 2j, -2.75 - 1j, 0.25j, 3.0, 4 - 4j, -1 - 1j, 2.5 + 0.5j, 0.1 + 0.2j]
    other = [0.5 - 1j, 3 + 3j, 2 + 0j, 0.5j, -1 + 2j, 1 + 1j, -0.25 + 2j, -0.3 + 0.7j]
    return np.array(other if second else first, dtype)


BINARY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.true_divide,
    "floor_divide": np.floor_divide,
    "remainder": np.remainder,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "less": np.less,
    "less_equal": np.less_equal,
    "equal": np.equal,
    "not_equal": np.not_equal,
}

PAIRS = [
    *[(dtype, dtype) for dtype in ["bool", *INTEGERS, *FLOATS, *COMPLEX]],
    ("bool", "int32"),
    ("int8", "uint8"),
    ("int16", "uint32"),
    ("int64", "uint64"),
    ("uint8", "float16"),
    ("int32", "float32"),
    ("int64", "float32"),
    ("float16", "float32"),
    ("float32", "float64"),
    ("float32", "complex64"),
    ("float64", "complex64"),
    ("complex64", "complex128"),
]

# Both orders of operands of two types, for what is done in the type of both.
MIXED = [(a, b) for pair in PAIRS if pair[0] != pair[1] for a, b in (pair, pair[::-1])] + [
    ("uint8", "uint64"),
    ("uint64", "int8"),
    ("int32", "uint64"),
    ("uint32", "int32"),
]

PROMOTED = {
    "maximum": np.maximum,
    "minimum": np.minimum,
    "floor_divide": np.floor_divide,
    "power": lambda a, b: np.power(a, np.abs(b) if b.dtype.kind == "i" else b),
    "where": lambda a, b: np.where(np.arange(len(a)) % 2 == 0, a, b),
    "clip": lambda a, b: np.clip(a, b, 100),
}


def mixed():
    for left, right in MIXED:
        for name, function in PROMOTED.items():
            if "complex" in left + right and name in ("floor_divide", "power", "clip"):
                continue
            a, b = operands(left, False), operands(right, True)
            if name == "power" and right in INTEGERS:
                b = np.abs(b)
            # Which of two zeros is larger depends on NumPy's vectors.
            if name in ("maximum", "minimum", "clip") and left in FLOATS:
                a = np.where(a == 0, np.zeros((), left), a)
            yield name, [a, b], function(a, b)
    # No type holds both, and none is needed to compare them.
    a = np.array([2**53 + 1, 2**53, -1, -1, 2**63 - 1, 2**63 - 1, -(2**63), 0, 5], "int64")
    b = np.array([2**53, 2**53 + 1, 2**64 - 1, 0, 2**63, 2**63 - 1, 2**63, 0, 4], "uint64")
    for name in ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]:
        for first, second in [(a, b), (b, a), (a[[2, 3, 7, 8]].astype("int8"), b[[2, 3, 7, 8]])]:
            yield name, [first, second], getattr(np, name)(first, second)


UNARY = (
    "sqrt exp log log10 sin cos tan arcsin arccos arctan sinh cosh tanh floor ceil absolute negative "
    "cbrt exp2 expm1 log2 log1p arcsinh arccosh arctanh rint deg2rad rad2deg trunc sign reciprocal square "
    "isnan isinf isfinite signbit isposinf isneginf"
).split()


def cases():
    for left, right in PAIRS:
        for name, function in BINARY.items():
            a, b = operands(left, False), operands(right, True)
            if name == "subtract" and left == right == "bool":
                continue
            # Among the mixed ones.
            if left != right and name in ("floor_divide", "maximum", "minimum"):
                continue
            # Complex numbers are not ordered or divided with remainder here,
            # and bool has no integer division.
            if "complex" in left + right and name in ("floor_divide", "remainder", "less", "less_equal"):
                continue
            if left == right == "bool" and name in ("floor_divide", "remainder", "divide"):
                continue
            yield name, [a, b], function(a, b)
    for dtype in FLOATS:
        a = np.array([0.0, -0.0, 0.5, -0.75, 1.0, 2.5, -3.25, 10.0, np.inf, -np.inf, np.nan], dtype)
        for name in UNARY:
            yield name, [a], getattr(np, name)(a)
    for dtype in INTEGERS:
        a = np.array([0, 1, 2, 9, 100], dtype)
        for name in ["sqrt", "exp", "arctan"]:
            # NumPy computes small integers in half or single precision; ours
            # are double from 32 bits on, as NumPy's are.
            if np.dtype(dtype).itemsize >= 4:
                yield name, [a], getattr(np, name)(a)
        yield "absolute", [a], np.absolute(a)
        yield "negative", [a], np.negative(a)
        a = a[1:]
        if np.iinfo(dtype).min < 0:
            a = -a
        for name in ["floor", "ceil", "trunc", "sign", "reciprocal", "square", "isnan", "isfinite", "signbit"]:
            yield name, [a], getattr(np, name)(a)
    for dtype in FLOATS:
        a = np.array([1.256, 2.5, 0.5, -0.125, 1234.5, -15, 25, np.inf, np.nan, -0.0], dtype)
        for decimals in [0, 1, 2, -1]:
            yield f"round {decimals}", [a], np.round(a, decimals)
    a = np.array([15, 25, 31, -15, 0, 14])
    for decimals in [0, 2, -1]:
        yield f"round {decimals}", [a], np.round(a, decimals)
    for dtype in COMPLEX:
        a = np.array([3 + 4j, 0, complex(np.inf, 1), complex(-1, -np.inf), complex(np.nan, 0), complex(np.inf, np.inf)], dtype)
        for name in ["sign", "isnan", "isinf", "isfinite"]:
            yield name, [a], getattr(np, name)(a)
        a = np.array([0.5 + 0.25j, -1 + 2j, 3 - 0.5j, -0.1 - 0.2j], dtype)
        for name in ["absolute", "negative", "conjugate", "real", "imag", "sign", "reciprocal", "square"]:
            yield name, [a], getattr(np, name)(a)
    for dtype in ["bool", *INTEGERS, *FLOATS, *COMPLEX]:
        a = operands(dtype, True)
        for name in ["sum", "prod"]:
            yield name, [a], getattr(np, name)(a)
        if dtype not in COMPLEX and dtype != "bool":
            for name in ["max", "min"]:
                yield name, [a], getattr(np, name)(a)
        if dtype != "bool":
            yield "mean", [a], np.mean(a)
        yield "any", [a], np.any(a)
        yield "all", [a], np.all(a)
    for parts in [[1 + 0j, 0.5 + np.nan * 1j], [complex(0.5, np.nan), 1 + 0j, 2j]]:
        for name in ["max", "min"]:
            yield name, [np.array(parts, "complex128")], getattr(np, name)(np.array(parts, "complex128"))
    a = np.array([1 + 2**-11 + 2**-30, 65519.99, 65520, 2**-25, 2**-24 * 1.5])
    yield "astype float16", [a], a.astype("float16")
    for source, target in [
        ("float64", "int32"), ("float32", "int8"), ("int64", "int8"), ("int32", "uint8"), ("uint64", "float32"),
        ("float32", "bool"), ("bool", "float64"), ("int64", "complex64"),
    ]:
        a = np.array([0, 1, 1.5, 2.5, 100, 127], source) if source in FLOATS else np.array([0, 1, 2, 300, 127, 65], source)
        yield f"astype {target}", [a], a.astype(target)


with open(HERE / "answers.txt", "w") as file:
    for name, inputs, answer in cases():
        print(name, *map(line, inputs), line(answer), sep="\n", file=file)

with open(HERE / "mixed.txt", "w") as file:
    for name, inputs, answer in mixed():
        print(name, *map(line, inputs), line(answer), sep="\n", file=file)

"""Writes what NumPy gives for sorts of every type, for `sorting.rs` to compare
with.

    python3 sorting.py        (NumPy 2; the file is kept in the repository)

Three lines for each array: its type and elements, the sorted elements, and
`argsort(stable=True)`. A complex number is written as `re,im`.

A line of `sets.txt` is `expression | dtype | shape | elements`; an expression
that gives several arrays has a line for each.
"""

import pathlib
import numpy as np

HERE = pathlib.Path(__file__).parent

INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
FLOATS = "float16 float32 float64".split()
COMPLEX = "complex64 complex128".split()

A = np.array([[3, 1, 3], [2, 1, 9]], "int32")
F = np.array([2.5, np.nan, 0.0, 0.0, np.nan, np.inf, 2.5, -1.0])
Z = np.array([complex(1, np.nan), 2j, complex(np.nan, 1), 2j, 1j])
B = np.array([9, 4, 1], "int64")
G = np.array([np.nan, 2.5])
E = np.array([], "float64")
U = np.array([200, 3], "uint8")
S = np.array([1.0, 2.0, 2.0, 3.0, np.nan])
T = np.array([False, True, True])

SETS = """
np.unique(A)
np.unique(F)
np.unique(Z)
np.unique(E)
np.unique(T)
np.unique(A, return_counts=True)
np.unique(F, return_counts=True)
np.unique(E, return_counts=True)
np.unique(A, return_index=True)
np.unique(F, return_index=True)
np.unique(A, return_inverse=True)
np.unique(F, return_inverse=True)
np.unique(Z, return_inverse=True)
np.isin(A, B)
np.isin(F, G)
np.isin(A, E)
np.isin(A, U)
np.intersect1d(A, B)
np.intersect1d(F, G)
np.intersect1d(U, A)
np.union1d(A, B)
np.union1d(F, A)
np.setdiff1d(A, B)
np.setdiff1d(F, G)
np.setdiff1d(E, G)
np.setxor1d(A, B)
np.setxor1d(U, A)
np.searchsorted(S, [[2.0, 0.0], [np.nan, 9.0]])
np.searchsorted(S, [[2.0, 0.0], [np.nan, 9.0]], side="right")
np.searchsorted(S, 2)
np.searchsorted(np.unique(A), 2.5)
np.searchsorted(np.unique(A), U)
np.searchsorted(E, S)
np.searchsorted(T, T)
np.lexsort((A[0], A[1]))
np.lexsort((B,))
"""


def text(x):
    if isinstance(x, np.complexfloating):
        return f"{text(x.real)},{text(x.imag)}"
    if isinstance(x, np.bool_):
        return "true" if x else "false"
    if isinstance(x, np.floating):
        # Signs of NaN are not NumPy's business; those of zeros are.
        return "NaN" if np.isnan(x) else repr(float(x))
    return str(x)


def arrays():
    random = np.random.default_rng(17)
    yield np.array([True, False, True, True, False])
    for dtype in INTEGERS:
        most = np.iinfo(dtype)
        few = random.integers(0, 5, 12).astype(dtype)
        yield np.concatenate([few, np.array([most.min, most.max, 0, 1, most.max, most.min], dtype)])
    for dtype in FLOATS:
        most = np.finfo(dtype)
        special = [np.nan, -np.inf, np.inf, 0.0, -0.0, np.nan, -0.0, 0.0, most.max, most.min, most.tiny,
                   -most.tiny, most.smallest_subnormal, 1.0, -1.0, 1.0, -np.inf]
        yield np.array(special, dtype)
    for dtype in COMPLEX:
        parts = [np.nan, -np.inf, 0.0, -0.0, 1.5, np.inf]
        pairs = np.array([complex(a, b) for a in parts for b in parts], dtype)
        yield random.permutation(pairs)
    yield np.array([], "float32")
    yield np.array([4], "int16")


def main():
    lines = []
    for a in arrays():
        order = np.argsort(a, stable=True)
        for b in (a, a[order], order):
            lines.append(" ".join([b.dtype.name, *map(text, b)]))
        same = np.sort(a, stable=True)
        assert [text(x) for x in same] == [text(x) for x in a[order]]
    (HERE / "sorts.txt").write_text("\n".join(lines) + "\n")

    lines = []
    for expression in SETS.strip().split("\n"):
        found = eval(expression)
        for a in found if isinstance(found, tuple) else [found]:
            a = np.asarray(a)
            shape = " ".join(map(str, a.shape))
            words = [text(x) for x in a.ravel()]
            lines.append(" | ".join([expression, a.dtype.name, shape, " ".join(words)]))
    (HERE / "sets.txt").write_text("\n".join(lines) + "\n")


main()

"""Writes what NumPy gives for sorts of every type, for `sorting.rs` to compare
with.

    python3 sorting.py        (NumPy 2; the file is kept in the repository)

Three lines for each array: its type and elements, the sorted elements, and
`argsort(stable=True)`. A complex number is written as `re,im`.
"""

import pathlib
import numpy as np

HERE = pathlib.Path(__file__).parent

INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
FLOATS = "float16 float32 float64".split()
COMPLEX = "complex64 complex128".split()


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


main()

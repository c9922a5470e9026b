"""Writes NumPy's running sums, differences, gradients and integrals, for the tests beside this file.

    python3 series.py     (NumPy 2; the file is kept in the repository)

Cases are written as in answers.py. The elements of the first operand are a
table of two rows.
"""

import pathlib
import warnings

import numpy as np

HERE = pathlib.Path(__file__).parent
np.seterr(all="ignore")
warnings.simplefilter("ignore")

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]


def text(value):
    if isinstance(value, np.complexfloating):
        return f"{text(value.real)},{text(value.imag)}"
    if isinstance(value, np.bool_):
        return str(bool(value)).lower()
    return repr(value.item() if value.dtype != np.float32 else float(value))


def line(array):
    array = np.asarray(array)
    return " ".join([array.dtype.name] + [text(value) for value in array.ravel()])


def first(dtype):
    if dtype == "bool":
        row = [0, 1, 1, 0, 1, 1, 0, 0]
    elif dtype in INTEGERS:
        row = [3, 7, 7, 1, 2, 7, 3, 1]
    elif dtype in FLOATS:
        row = [3, 7.5, 7.5, -1, -1, 7.5, 3, -2]
    else:
        row = [3 + 1j, 7.5, -2j, -1, 1 - 1j, 7.5, 3, 2 + 2j]
    return np.array(row, dtype).reshape(2, 4)


def tables(dtype):
    nan, inf = np.nan, np.inf
    yield first(dtype)
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        yield np.array([info.max, info.min, 5, info.max, 0, info.min, info.max, 1], dtype).reshape(2, 4)
    elif dtype != "bool":
        yield np.array([1, nan, 9, 2, 3, 2, nan, 5], dtype).reshape(2, 4)
        yield np.array([-inf, 2, inf, 1, 3, -inf, 4, 5], dtype).reshape(2, 4)


def running():
    for dtype in ["bool", *INTEGERS, *FLOATS, *COMPLEX]:
        for table in tables(dtype):
            # What products with NaN and infinities are, complex, is not said.
            is_finite = dtype not in COMPLEX or np.isfinite(table).all()
            for name in ["cumsum", "nancumsum"] + ["cumprod", "nancumprod"] * bool(is_finite):
                yield name, table, getattr(np, name)(table)
                for axis in [0, 1]:
                    yield f"{name} {axis}", table, getattr(np, name)(table, axis=axis)
            for name in ["maximum", "minimum"]:
                for axis in [0, 1]:
                    yield f"{name} {axis}", table, getattr(np, name).accumulate(table, axis=axis)


def differences():
    for dtype in ["bool", *INTEGERS, *FLOATS, *COMPLEX]:
        for table in tables(dtype):
            yield "diff", table, np.diff(table)
            yield "diff 0", table, np.diff(table, axis=0)
            yield "diff 1 twice", table, np.diff(table, n=2)
            yield "diff 0 thrice", table, np.diff(table, n=3, axis=0)
            if dtype != "bool":
                yield "ediff1d", table, np.ediff1d(table)
        if dtype != "bool":
            table, x = first(dtype), np.array([0, 1, 3, 4.5])
            yield "trapezoid", table, np.trapezoid(table, dx=0.5)
            yield "trapezoid 0", table, np.trapezoid(table, axis=0)
            yield "trapezoid x", table, np.trapezoid(table, x)
            yield "trapezoid table", table, np.trapezoid(table, np.array([x, 2 * x]))
            yield "gradient", table, np.gradient(table, 2.0, axis=1)
            yield "gradient 0", table, np.gradient(table, axis=0)
            yield "gradient x", table, np.gradient(table, x, axis=1)


with open(HERE / "series.txt", "w") as file:
    for name, *arrays in [*running(), *differences()]:
        print(name, *map(line, arrays), sep="\n", file=file)

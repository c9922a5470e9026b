"""Writes where NumPy finds extremes, and what it computes as variances, for the tests beside this file.

    python3 statistics.py     (NumPy 2; the file is kept in the repository)

Cases are written as in answers.py. The elements of the operand are a table of
two rows. Variances are computed in double precision and rounded once.
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


def tables(dtype):
    """Ties, corners of the type, zeros of both signs, infinities and NaN."""
    nan, inf = np.nan, np.inf
    if dtype == "bool":
        rows = [[0, 1, 1, 0, 1, 1, 0, 0], [0] * 8, [1] * 8]
    elif dtype in INTEGERS:
        info = np.iinfo(dtype)
        rows = [[3, 7, 7, 1, 1, 7, 3, 1], [info.max, info.min, 5, info.max, 0, info.min, info.max, 1], [4] * 8]
    else:
        rows = [
            [3, 7.5, 7.5, -1, -1, 7.5, 3, -1],
            [0.0, -0.0, 0.0, -0.0, -0.0, 0.0, -0.0, 0.0],
            [1, nan, 9, nan, 2, 3, nan, 0],
            [1, 2, 9, -4, 2, 3, nan, inf],
            [-inf, -inf, -inf, -inf, inf, 1, inf, 2],
            [-inf] * 8,
            [nan] * 8,
        ]
    for row in rows:
        yield np.array(row, dtype).reshape(2, 4)
    if dtype in COMPLEX:
        part = complex(1, nan)
        yield np.array([1 + 2j, 1 - 2j, 1 + 2j, 0, 3j, 3j, -3j, 0], dtype).reshape(2, 4)
        yield np.array([9, part, complex(nan, 0), 0, 1 + 1j, 1 + 2j, 2 - 1j, 2 - 1j], dtype).reshape(2, 4)


def spread(name, table, **options):
    wide = "complex128" if table.dtype.kind == "c" else "float64"
    result = getattr(np, name)(table.astype(wide), **options)
    dtype = getattr(np, name)(table).dtype
    return np.asarray(result).astype(dtype)


def cases():
    for dtype in ["bool", *INTEGERS, *FLOATS, *COMPLEX]:
        for table in tables(dtype):
            for name in ["argmax", "argmin"]:
                yield name, table, getattr(np, name)(table)
                for axis in [0, 1]:
                    yield f"{name} {axis}", table, getattr(np, name)(table, axis=axis)
            for name in ["var", "std"]:
                yield name, table, spread(name, table)
                yield f"{name} ddof", table, spread(name, table, ddof=3)
                for axis in [0, 1]:
                    yield f"{name} {axis}", table, spread(name, table, axis=axis)
                    yield f"{name} {axis} ddof", table, spread(name, table, axis=axis, ddof=1)


def spread_without_nan(name, table, **options):
    wide = "complex128" if table.dtype.kind == "c" else "float64"
    dtype = getattr(np, name)(table).dtype
    return np.asarray(getattr(np, name)(table.astype(wide), **options)).astype(dtype)


def without_nan():
    for dtype in ["bool", *INTEGERS, *FLOATS, *COMPLEX]:
        for table in tables(dtype):
            for axis in [None, 0, 1]:
                end = "" if axis is None else f" {axis}"
                names = ["count_nonzero", "nansum", "nanprod", "nanmax", "nanmin", "nanargmax", "nanargmin"]
                for name in names + ["ptp"] * (dtype != "bool"):
                    try:
                        answer = getattr(np, name)(table, axis=axis)
                    except ValueError:  # All are NaN.
                        continue
                    # Which parts of a complex number are NaN is not said.
                    if dtype in COMPLEX and np.isnan(answer).any():
                        continue
                    # Which of two zeros is greater depends on the type there.
                    if name in ("nanmax", "nanmin") and dtype not in INTEGERS and not table.any():
                        continue
                    yield name + end, table, answer
                for name in ["nanmean", "nanvar", "nanstd"]:
                    yield name + end, table, spread_without_nan(name, table, axis=axis)
                for name in ["nanvar", "nanstd"]:
                    yield name + end + " ddof", table, spread_without_nan(name, table, axis=axis, ddof=1)


def weighted():
    weights = np.array([3, 1, 2, 2])
    for dtype in ["bool", "int8", "uint64", "float16", "float32", "float64", "complex64"]:
        table = next(iter(tables(dtype)))
        for kind in ["int32", "float32", "float64"]:
            own = weights.astype(kind)
            yield "average 1 " + kind, table, np.average(table, axis=1, weights=own)
            every = np.concatenate([own, own[::-1]]).reshape(2, 4)
            yield "average " + kind, table, np.average(table, weights=every)


with open(HERE / "statistics.txt", "w") as file:
    for name, operand, answer in [*cases(), *without_nan(), *weighted()]:
        print(name, line(operand), line(answer), sep="\n", file=file)

"""Writes what NumPy and Python's math give for functions of two arrays and special
functions, for `functions.rs` to compare with.

    python3 functions.py        (NumPy 2; the file is kept in the repository)

Cases are as in `answers.py`, which this imports and thereby runs.
"""

import math
import pathlib
import numpy as np
from answers import FLOATS, INTEGERS, line

HERE = pathlib.Path(__file__).parent


def cases():
    def pairs(dtype):
        first = [3.0, -4.0, 0.0, -0.0, np.inf, np.nan, 1.0, -7.5, 0.0, -np.inf, 2.0]
        other = [4.0, 3.0, -1.0, 0.0, 2.0, 1.0, np.nan, 2.0, np.inf, np.inf, 2.0]
        return np.array(first, dtype), np.array(other, dtype)

    names = "hypot arctan2 copysign nextafter logaddexp logaddexp2 heaviside fmod fmax fmin float_power"
    for dtype in FLOATS:
        a, b = pairs(dtype)
        for name in names.split():
            # NumPy computes these in half precision, where steps are lost.
            if dtype != "float16" or not name.startswith("logadd"):
                c = np.abs(a) if name in ("fmax", "fmin") else a  # which of two zeros depends on NumPy's vectors
                yield name, [c, b], getattr(np, name)(c, b)
        yield "nan_to_num", [a], np.nan_to_num(a)
        for k, name in enumerate(["modf 0", "modf 1"]):
            yield name, [a], np.modf(a)[k]
        for k, name in enumerate(["frexp 0", "frexp 1"]):
            yield name, [a], np.frexp(a)[k]
        n = np.array([0, 1, -1, 5, 3, 2, -2, 7, 1, 1, 12], "int32")
        yield "ldexp", [a, n], np.ldexp(a, n)
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        a = np.array([12, 18, 0, 7, 0, info.max, info.min], dtype)
        b = np.array([18, 12, 5, 0, 0, 3, 2], dtype)
        if info.min < 0:
            a[:2] = -a[:2]
        for name in ["gcd", "lcm", "fmod", "fmax", "fmin"]:
            yield name, [a, b], getattr(np, name)(a, b)
        yield "nan_to_num", [a], np.nan_to_num(a)
    a = np.array([1.0, 1.0, np.inf, np.inf, np.nan, 0.0, 1e-9, 100.0, -np.inf])
    b = np.array([1.000001, np.inf, np.inf, -np.inf, np.nan, 1e-9, 0.0, 100.1, 1.0])
    for dtype in ["float32", "float64", "complex64"]:
        yield "isclose", [a.astype(dtype), b.astype(dtype)], np.isclose(a.astype(dtype), b.astype(dtype))
    for left, right in [("float32", "int16"), ("bool", "float64"), ("complex64", "uint8")]:
        c, d = np.array([0, 0, 1, 2], left), np.array([0, 3, 0, 5], right)
        for name in ["logical_and", "logical_or", "logical_xor"]:
            yield name, [c, d], getattr(np, name)(c, d)
        yield "logical_not", [c], np.logical_not(c)
    x = [0.0, 0.5, -0.5, 1.0, 2.0, -3.25, 6.0, 9.5, 100.0, 1e-3]
    for dtype in ["float32", "float64"]:
        a = np.array(x, dtype)
        yield "i0", [a[:9] if dtype == "float64" else a[:8]], np.i0(a[:9] if dtype == "float64" else a[:8])
        a = np.array([0.0, 0.25, -0.5, 1.5, 2.25, -3.75], dtype)
        yield "sinc", [a], np.sinc(a)
        # Of Python, which has them in double precision.
        a = np.array(x, dtype)
        for name, function in [("erf", math.erf), ("erfc", math.erfc), ("gamma", math.gamma), ("lgamma", math.lgamma)]:
            b = a[1:8] if "gamma" in name else a
            yield name, [b], np.array([function(float(y)) for y in b], dtype)


with open(HERE / "functions.txt", "w") as file:
    for name, inputs, answer in cases():
        print(name, *map(line, inputs), line(answer), sep="\n", file=file)

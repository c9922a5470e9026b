"""Writes what NumPy's functions of polynomials give, for `polynomials.rs` to compare with.

    python3 polynomials.py     (NumPy 2; the file is kept in the repository)

Cases are as in `series.py`, whose functions this imports; it thereby writes
that file again. The names of `numpy.polynomial.polynomial` begin with `P.`.
"""

import pathlib
import warnings

import numpy as np
from numpy.polynomial import polynomial as P
from numpy.polynomial import polyutils

from series import COMPLEX, FLOATS, INTEGERS, line

HERE = pathlib.Path(__file__).parent
np.seterr(all="ignore")
warnings.simplefilter("ignore")
WIDE = ["int32", "float32", "float64", *COMPLEX]


def numbers(dtype, row):
    if dtype in COMPLEX:
        return np.array([x + 1j * (k % 3 - 1) for k, x in enumerate(row)], dtype)
    return np.array(row).astype(dtype)


def values():
    for dtype in [*INTEGERS, *FLOATS, *COMPLEX]:
        c, x = numbers(dtype, [3, 0, 2, 1]), numbers(dtype, [0, 1, 2, 3])
        for other in [dtype, "float32"]:
            yield "polyval", c, x.astype(other) if other != dtype else x, np.polyval(c, x.real.astype(other) if other != dtype else x)
    for dtype in WIDE:
        c, x = numbers(dtype, [3, 0, 2, 1]), numbers(dtype, [0, 1, 2, 3])
        yield "polyval table", c, x, np.polyval(c.reshape(2, 2), x[:2])
        yield "P.polyval", c, x, P.polyval(x, c)
        yield "P.polyval table", c, x, P.polyval(x, c.reshape(2, 2))
        yield "P.polyvalfromroots", c, x, P.polyvalfromroots(x, c)
        yield "P.polyvalfromroots table", c, x, P.polyvalfromroots(x, c.reshape(2, 2))
        yield "P.polyvander", x, P.polyvander(x, 3)
        yield "P.polyvander table", x, P.polyvander(x.reshape(2, 2), 2)
        yield "P.polyvander zero", x, P.polyvander(x, 0)
    x = np.array([np.inf, -np.inf, np.nan, 2])
    yield "polyval", np.array([1.0, 2.0]), x, np.polyval(np.array([1.0, 2.0]), x)
    yield "P.polyval", np.array([1.0, 2.0]), x, P.polyval(x, np.array([1.0, 2.0]))
    c = np.arange(1.0, 60.0) / 7
    x = np.array([0.25, -0.5, 1.0, 1.25])
    yield "polyval", c, x, np.polyval(c, x)


ROWS = [[1, 2, 3], [3, 2, 1, 0, 0], [0, 0, 1, 4], [2], [0], [0, 0], [5, 0, 7, 1, 2, 3]]


def arithmetic():
    for dtype in WIDE:
        for first in ROWS:
            a = numbers(dtype, first)
            for second in ROWS:
                b = numbers("float32" if dtype == "int32" else dtype, second)
                for name in ["polyadd", "polysub", "polymul"]:
                    yield name, a, b, getattr(np, name)(a, b)
                    yield f"P.{name}", a, b, getattr(P, name)(a, b)
                # In single precision NumPy's remainders keep what is rounding alone.
                is_double = dtype in ["float64", "complex128"]
                if b[0] != 0 and is_double:
                    quotient, rest = np.polydiv(a, b)
                    yield "polydiv quotient", a, b, quotient
                    yield "polydiv rest", a, b, rest
                if b.any() and is_double:
                    quotient, rest = P.polydiv(a, b)
                    yield "P.polydiv quotient", a, b, quotient
                    # What is left of zero, complex, is rounding.
                    if dtype == "float64":
                        yield "P.polydiv rest", a, b, rest
            for m in [0, 1, 2, 4]:
                if m:
                    yield f"polyder {m}", a, np.polyder(a, m)
                    yield f"polyint {m}", a, np.polyint(a, m)
                    yield f"P.polyint {m}", a, P.polyint(a, m)
                    yield f"P.polyder {m}", a, P.polyder(a, m)
                    yield f"polyint k {m}", a, np.polyint(a, m, [2.0, 3.0, 0.5, 1.0][:m])
                    yield f"P.polyint k {m}", a, P.polyint(a, m, [2.0, 3.0, 0.5, 1.0][:m])
                    yield f"polyint one {m}", a, np.polyint(a, m, 2.5)
            yield "P.trimseq", a, polyutils.trimseq(a)
            for tolerance in [0, 2]:
                yield f"P.trimcoef {tolerance}", a, polyutils.trimcoef(a, tolerance)
            if len(P.polymul(a, [1])) > 1:
                yield "P.polycompanion", a, P.polycompanion(a)
            # Of single precision NumPy makes double here.
            yield "P.polyfromroots", a, P.polyfromroots(a).astype(np.true_divide(a, a).dtype)


def roots():
    """Also the polynomials of NumPy's own tests of `roots`."""
    rows = [*ROWS, [1, 0, 0], [1, -3, 2], [3.2, 2, 1], [2, 0, -1], [1, 0, 0, 0, -1], [0, 0, 1, -6, 11, -6, 0, 0]]
    rows.append(np.poly(np.arange(1, 8.0)))
    rows.append([1e-3, 1, 1e3, -1e5])
    rows.append(np.poly([0.5, 0.5, -2, 3 + 1j, 3 - 1j]).real)
    rows.append([1] * 41)
    rows.append([1, -2, 1])
    for dtype in ["int32", "float64", "complex128"]:
        for row in rows:
            if dtype == "int32" and any(x != int(x) for x in row):
                continue
            p = numbers(dtype, row)
            yield "roots", p, np.sort_complex(np.roots(p).astype("complex128"))
            if p.any():
                yield "P.polyroots", p, np.sort_complex(P.polyroots(p).astype("complex128"))
            if dtype == "float64":
                yield "poly", p, np.poly(p)
    for table in [[[0, 1 / 3], [-1 / 2, 0]], [[2, 1, 0], [1, 3, 4], [0, -1, 2.5]], [[4.0]]]:
        yield "poly table", np.array(table), np.poly(np.array(table))


def fits():
    generator = np.random.default_rng(3)
    x = np.linspace(-2, 5, 12)
    y = 0.5 * x**3 - 2 * x + generator.normal(size=12)
    w = generator.uniform(0.1, 2, 12)
    table = np.stack([y, x**2], 1)
    for dtype in ["float64", "float32", "complex128"]:
        for degree in [0, 1, 3, 5]:
            a, b = x.astype(dtype), y.astype(dtype)
            if dtype == "complex128":
                a = a + 0.25j
            yield f"polyfit {degree}", a, b, np.polyfit(a, b, degree)
            yield f"P.polyfit {degree}", a, b, P.polyfit(a, b, degree)
            yield f"polyfit table {degree}", a, table.astype(dtype), np.polyfit(a, table.astype(dtype), degree)
            yield f"polyfit w {degree}", a, b, w, np.polyfit(a, b, degree, w=w)
            yield f"P.polyfit w {degree}", a, b, w, P.polyfit(a, b, degree, w=w)
            if dtype == "float64":
                yield f"polyfit cov {degree}", a, b, np.polyfit(a, b, degree, cov=True)[1]
                yield f"polyfit cov table {degree}", a, table, np.polyfit(a, table, degree, cov=True)[1]
                for k, what in [(1, "residuals"), (3, "values")]:
                    yield f"polyfit {what} {degree}", a, b, np.polyfit(a, b, degree, full=True)[k]
    # More coefficients than points, and points that are not distinct.
    for x, y in [(x[:3], y[:3]), (np.array([1.0, 1, 1, 2, 2]), y[:5]), (np.zeros(4), y[:4] + 1)]:
        yield "polyfit 4", x, y, P.polyfit(x, y, 4)[::-1]
        yield "P.polyfit 4", x, y, P.polyfit(x, y, 4)
    x = np.arange(1900.0, 2020.0, 10)
    y = x**2 / 7 + 3 * x + 1e4
    yield "polyfit 2", x, y, np.polyfit(x, y, 2)


if __name__ == "__main__":
    with open(HERE / "polynomials.txt", "w") as file:
        for name, *arrays in [*values(), *arithmetic(), *roots(), *fits()]:
            print(name, *(line(np.asarray(array)) for array in arrays), sep="\n", file=file)

"""Writes NumPy's running sums, differences, convolutions, covariances and histograms, for the tests beside this file.

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
            yield "gradient edge", table, np.gradient(table, 0.5, axis=1, edge_order=2)
            yield "gradient edge x", table, np.gradient(table, x, axis=1, edge_order=2)
            for k, slopes in enumerate(np.gradient(table)):
                yield f"gradient all {k}", table, slopes
            for k, slopes in enumerate(np.gradient(table, 2.0, x)):
                yield f"gradient each {k}", table, slopes


def products():
    for dtype in ["bool", *INTEGERS, *FLOATS, *COMPLEX]:
        table = first(dtype)
        for kind in [dtype, "float32"]:
            for row in [[1, 0, 2], [1, 2, 0, 1], [2]]:
                v = np.array(row, kind)
                if kind in COMPLEX:
                    v[0] += 3j
                size = len(row)
                for mode in ["full", "same", "valid"]:
                    yield f"convolve {mode}", table, v, np.convolve(table.ravel(), v, mode)
                    yield f"correlate {mode}", table, v, np.correlate(table.ravel(), v, mode)
                    yield f"swapped {mode}", table, v, np.correlate(v, table.ravel(), mode)
        yield "cov", table, np.cov(table)
        yield "cov vector", table, np.cov(table.ravel())
        yield "cov ddof", table, np.cov(table, bias=True)
        yield "cov columns", table, np.cov(table, rowvar=False)
        yield "corrcoef", table, np.corrcoef(table)


def bins():
    x = np.array([0, 1, 1, 3, 2, 1, 7, 0])
    for dtype in ["bool", *INTEGERS]:
        small = x.astype(dtype)
        yield "bincount", small, np.bincount(small.astype(int))
        yield "bincount minlength", small, np.bincount(small.astype(int), minlength=10)
        for kind in ["int32", "float32", "float64"]:
            weights = np.array([1, 2, 3, 4, 0.5, 1, 1, 9]).astype(kind)
            yield "bincount weights", small, weights, np.bincount(small.astype(int), weights)
    for dtype in [*INTEGERS, *FLOATS]:
        table = first(dtype)
        edges = np.array([0, 1, 2.5, 7, 7.5])
        for name, found in [
            ("", np.histogram(table, 4)),
            (" range", np.histogram(table, 5, (-1, 9))),
            (" edges", np.histogram(table, edges)),
            (" density", np.histogram(table, 4, density=True)),
        ]:
            yield f"histogram{name}", table, found[0]
            if name != " edges":
                yield f"edges{name}", table, found[1]
        rows = table.ravel()
        yield "histogram2d", table, np.histogram2d(rows, rows[::-1], (2, 3), ((-1, 7), (0, 9)))[0]
        for kind in ["int32", "float32", "float64"]:
            w = np.array([1, 2, 3, 4, 2, 1, 1, 9]).astype(kind)
            for name, bins, among in [("", 4, None), (" range", 5, (-1, 9)), (" edges", edges, None)]:
                shaped = w.reshape(table.shape)
                yield f"histogram weights{name}", table, w, np.histogram(table, bins, among, weights=shaped)[0]
                answer = np.histogram(table, bins, among, weights=shaped, density=True)[0]
                yield f"histogram weights density{name}", table, w, answer
            answer = np.histogram2d(rows, rows[::-1], (2, 3), ((-1, 7), (0, 9)), weights=w)[0]
            yield "histogram2d weights", table, w, answer
            answer = np.histogram2d(rows, rows[::-1], (2, 3), ((-1, 7), (0, 9)), weights=w, density=True)[0]
            yield "histogram2d weights density", table, w, answer
            points = rows.reshape(4, 2)
            yield "histogramdd weights", table, w[:4], np.histogramdd(points, (2, edges), weights=w[:4])[0]
            answer = np.histogramdd(points, (2, edges), weights=w[:4], density=True)[0]
            yield "histogramdd weights density", table, w[:4], answer
        answer = np.histogram2d(rows, rows[::-1], (2, 3), ((-1, 7), (0, 9)), density=True)[0]
        yield "histogram2d density", table, answer
        yield "histogramdd", table, np.histogramdd(rows.reshape(2, 4), 2)[0]
        yield "histogramdd edges", table, np.histogramdd(rows.reshape(2, 4), 2)[1][1]
        yield "histogramdd list", table, np.histogramdd(rows.reshape(4, 2), (3, 2))[0]
        yield "histogramdd range", table, np.histogramdd(rows.reshape(4, 2), (3, 2), ((-1, 8), (0, 7.5)))[0]
        yield "histogramdd line", table, np.histogramdd(rows, 3)[0]
        answer = np.histogramdd(rows.reshape(4, 2), (3, 2), ((-1, 8), (0, 7.5)), density=True)[0]
        yield "histogramdd density", table, answer
        yield "digitize", table, np.digitize(table, edges)
        yield "digitize right", table, np.digitize(table, edges, right=True)
        yield "digitize descending", table, np.digitize(table, edges[::-1])
        yield "digitize descending right", table, np.digitize(table, edges[::-1], right=True)
        yield "interp", table, np.interp(table, edges, edges**2)
        yield "interp ends", table, np.interp(table, edges, edges**2, -1, np.nan)


with open(HERE / "series.txt", "w") as file:
    for name, *arrays in [*running(), *differences(), *products(), *bins()]:
        print(name, *map(line, arrays), sep="\n", file=file)

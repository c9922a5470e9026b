"""Writes what NumPy computes as medians, quantiles and percentiles, for the tests beside this file.

    python3 quantiles.py     (NumPy 2; the file is kept in the repository)

Cases are written as in answers.py. The elements of the operand are a table of three rows. Quantiles are computed
in double precision and rounded once, as here: NumPy computes those of `float32` in that type.
"""

import pathlib
import warnings

import numpy as np

HERE = pathlib.Path(__file__).parent
warnings.simplefilter("ignore")

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
METHODS = [
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
    "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest",
]
SHARES = [0.0, 0.1, 0.25, 0.3, 0.5, 0.625, 0.75, 0.9, 1.0]


def text(value):
    return repr(value.item() if value.dtype != np.float32 else float(value))


def line(array):
    array = np.asarray(array)
    return " ".join([array.dtype.name] + [text(value) for value in array.ravel()])


def tables(dtype):
    rows = [[3, 7, 7, 1, 1, 7, 3, 1, 0, 5, 9, 2], [4] * 12, [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]]
    if dtype in FLOATS:
        nan = np.nan
        rows += [
            [3, 7.5, nan, -1, -1, 7.5, 3, nan, 0, 0.5, 9, nan],
            [nan, nan, nan, nan, 2, nan, nan, nan, 1, 2, 3, 4],
        ]
    for row in rows:
        yield np.array(row, dtype).reshape(3, 4)


cases = []


def case(name, operand, answer, dtype):
    cases.extend([name, line(operand), line(np.asarray(answer).astype(dtype))])


for dtype in INTEGERS + FLOATS:
    answer = dtype if dtype in FLOATS else "float64"
    for table in tables(dtype):
        wide = table.astype("float64")
        case("median", table, np.median(wide), answer)
        case("median 0", table, np.median(wide, axis=0), answer)
        case("median 1", table, np.median(wide, axis=1), answer)
        case("nanmedian", table, np.nanmedian(wide), answer)
        case("nanmedian 1", table, np.nanmedian(wide, axis=1), answer)
        case("nanquantile 0", table, np.nanquantile(wide, SHARES, axis=0), answer)
        case("nanpercentile 1", table, np.nanpercentile(wide, 30, axis=1), answer)
        case("percentile", table, np.percentile(wide, 30), answer)
        case("percentile 1", table, np.percentile(wide, [10, 50], axis=1), answer)
        case("quantile 0", table, np.quantile(wide, SHARES, axis=0), answer)
        for method in METHODS:
            case(f"method {method}", table, np.quantile(wide, SHARES, method=method), answer)
            case(f"method {method} 1", table, np.quantile(wide, SHARES, method=method, axis=1), answer)

(HERE / "quantiles.txt").write_text("\n".join(cases) + "\n")

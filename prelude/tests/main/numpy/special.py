"""Writes what SciPy gives for special functions, for `special.rs` to compare with.

    python3 special.py        (SciPy 1.17; the file is kept in the repository)

Cases are as in `answers.py`, which this imports and thereby runs.
"""

import pathlib

import numpy as np
from scipy import special

from answers import line

HERE = pathlib.Path(__file__).parent
np.seterr(all="ignore")

inf, nan = np.inf, np.nan
REAL = [-inf, -40.0, -20.5, -8.0, -2.5, -1.0, -0.3, -1e-5, -0.0, 0.0, 1e-5, 0.25, 1.0, 2.5, 8.0, 20.5, 40.0, inf, nan]
UNIT = [0.0, 1e-300, 1e-20, 1e-5, 0.025, 0.3, 0.4, 0.5, 0.6, 0.65, 0.95, 0.999, 1.0, nan, -0.5, 1.5]
ARGUMENTS = {
    "expit": REAL,
    "logit": UNIT,
    "log_expit": REAL,
    "ndtr": [-30.0, -8.0, -2.5, -1.0, -0.3, 0.0, 1e-5, 0.25, 1.0, 2.5, 8.0, inf, -inf, nan],
    "log_ndtr": [-1e5, -100.0, *REAL],
    "ndtri": UNIT,
    "erfinv": [-1.0, -0.999, -0.5, -0.1, -1e-10, -0.0, 0.0, 1e-10, 0.1, 0.5, 0.86, 0.999, 1.0, nan, 1.5],
    "erfcinv": [0.0, 1e-300, 1e-5, 0.1, 0.5, 0.999, 1.0, 1.5, 1.9, 2.0, nan, -0.5],
    "entr": [0.0, 1e-5, 0.3, 1.0, 2.5, inf, -0.5, nan],
    "digamma": [-2.5, -0.3, 1e-5, 0.25, 1.0, 1.4, 1.46, 1.5, 2.0, 2.5, 8.0, 9.9, 10.0, 20.5, 1e10, inf, nan],
    "i0e": [x for x in REAL if not np.isinf(x)],
    "i1": [x for x in REAL if not np.isinf(x)],
    "i1e": [x for x in REAL if not np.isinf(x)],
    "j0": [-20.5, -2.5, 0.0, 0.25, 1.0, 2.0, 2.5, 8.0, 20.5, nan],
    "j1": [-20.5, -2.5, 0.0, 0.25, 1.0, 2.0, 2.5, 8.0, 20.5, nan],
    "y0": [0.25, 0.5, 1.0, 2.5, 8.0, 20.5, nan],
    "y1": [0.25, 0.5, 1.0, 2.5, 8.0, 20.5, nan],
}
X = [0.0, 0.0, 0.5, 2.0, 3.0, 0.0, 1e-10, nan, 2.0, 2.0, 1.001]
Y = [0.0, 2.0, 0.7, 3.0, 1e-3, nan, 1.0, 1.0, 0.0, inf, 1.0]
A = [0.5, 1.0, 1.0, 2.5, 0.1, 10.0, 10.0, 10.0, 50.0, 50.0, 200.0, 200.0, 0.0, 3.0, 3.0, inf, -1.0]
B = [0.1, 0.1, 5.0, 2.0, 3.0, 3.0, 10.0, 30.0, 40.0, 60.0, 190.0, 230.0, 1.0, 0.0, inf, 2.0, 1.0]
PAIRS = {
    "xlogy": (X, Y),
    "xlog1py": (X, Y),
    "rel_entr": (X, Y),
    "kl_div": (X, Y),
    "zeta": ([2.0, 3.0, 1.5, 2.0, 10.0, 40.0, 1.0, 0.5, 2.0, 1.1], [1.0, 1.0, 2.5, 1e9, 0.5, 3.0, 1.0, 1.0, 0.0, 12.0]),
    "polygamma": ([0.0, 1.0, 2.0, 3.0, 1.0, 5.0], [0.5, 0.5, 2.5, 1.0, 20.0, 7.0]),
    "gammainc": (A, B),
    "gammaincc": ([a for a in A if a != 0.1], [b for a, b in zip(A, B) if a != 0.1]),
}

with open(HERE / "special.txt", "w") as file:
    for dtype in ["float32", "float64"]:
        for name, values in ARGUMENTS.items():
            a = np.array(values, dtype)
            answer = getattr(special, name)(a.astype("float64")).astype(dtype)
            print(name, line(a), line(answer), sep="\n", file=file)
        for name, (first, second) in PAIRS.items():
            a, b = np.array(first, dtype), np.array(second, dtype)
            answer = getattr(special, name)(a.astype("float64"), b.astype("float64")).astype(dtype)
            print(name, line(a), line(b), line(answer), sep="\n", file=file)

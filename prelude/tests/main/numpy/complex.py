"""Writes what NumPy gives for functions of complex numbers, for `complex.rs` to
compare with: near branch cuts, on both of their sides, and of infinities and NaN.

    python3 complex.py        (NumPy 2 with the GNU C library; the file is kept in the repository)

Cases are as in `answers.py`, which this imports and thereby runs.
"""

import itertools
import pathlib

import numpy as np

from answers import line

HERE = pathlib.Path(__file__).parent

FUNCTIONS = (
    "sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan "
    "sinh cosh tanh arcsinh arccosh arctanh rint reciprocal square absolute conjugate angle"
).split()
PARTS = [-2.5, -1.0, -0.5, -1e-10, -0.0, 0.0, 0.75, 1.0, 20.0]
ENDS = [-np.inf, -1.0, -0.0, 0.0, 1.0, np.inf, np.nan]

with open(HERE / "complex.txt", "w") as file:
    for dtype in ["complex64", "complex128"]:
        finite = np.array([complex(re, im) for re, im in itertools.product(PARTS, PARTS)], dtype)
        special = np.array([complex(re, im) for re, im in itertools.product(ENDS, ENDS) if not np.isfinite(re + im)], dtype)
        for name in FUNCTIONS:
            function = getattr(np, name)
            for a in (finite, special):
                # Of them NumPy says what its own loops happen to give.
                if a is special and name in ("exp2", "log1p", "expm1", "reciprocal", "square", "log2", "log10"):
                    continue
                # Where it cancels NumPy loses digits that are here.
                a = a[abs(a.real) > 1e-9] if name == "log1p" else a
                print(name, line(a), line(function(a)), sep="\n", file=file)
        large = np.array([700 + 1j, -700 + 2j, 30 - 1e5j, 1e30 + 1e-30j, -1e-30 + 1e30j, 1e-30 - 1e-30j, 0.6 + 0.8j], dtype)
        for name in "sqrt log arcsin arccos arctan arcsinh arccosh arctanh tanh tan".split():
            print(name, line(large), line(getattr(np, name)(large)), sep="\n", file=file)
        some = np.array([1.5 + 2j, -2.75 - 1j, 0.25j, 3.0, -1 - 1j, 0, 0, 2, -3 + 0j, 0.5 + 1j, 1e3 + 1j], dtype)
        powers = np.array([0.5 - 1j, 3, 2, -1, 1 + 1j, 0, 2, -2, 0.5, 17, 0.5 + 0.25j], dtype)
        print("power", line(some), line(powers), line(np.power(some, powers)), sep="\n", file=file)
        decimals = np.array([1.256 + 2.5j, -0.125 - 15.55j, 1e-3 + 1j], dtype)
        print("round 1", line(decimals), line(np.round(decimals, 1)), sep="\n", file=file)
    for dtype in ["float16", "float32", "float64", "int8", "int32"]:
        a = np.array([3, -2, 0, -7], dtype)
        print("angle", line(a), line(np.angle(a)), sep="\n", file=file)

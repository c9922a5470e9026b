"""Writes what NumPy gives for integers beside a number with a fraction, for the tests beside this file.

    python3 weak_floats.py     (NumPy 2; the file is kept in the repository)

Cases are written as in answers.py: a name, the array, and the answer.
"""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
CASES = {
    "hypot": lambda a: np.hypot(1.5, a),
    "arctan2": lambda a: np.arctan2(a, 1.5),
    "maximum": lambda a: np.maximum(a, 1.5),
    "minimum": lambda a: np.minimum(1.5, a),
    "fmax": lambda a: np.fmax(a, 1.5),
    "fmin": lambda a: np.fmin(1.5, a),
    "fmod": lambda a: np.fmod(a, 1.5),
    "power": lambda a: a**1.5,
    "floor_divide": lambda a: a // 1.5,
    "remainder": lambda a: a % 1.5,
    "clip": lambda a: np.clip(a, 1.5, 3.5),
    "clip 0": lambda a: np.clip(a, 0, 3.5),
    "where": lambda a: np.where(a > 2, a, 2.5),
    "where not": lambda a: np.where(a > 2, 2.5, a),
}


def line(array):
    return " ".join([array.dtype.name] + [str(value) for value in array.tolist()])


cases = []
for name, function in CASES.items():
    for dtype in [np.uint8, np.int16, np.int32, np.int64]:
        array = np.array([0, 1, 2, 3, 7], dtype)
        cases.extend([name, line(array), line(function(array))])

(HERE / "weak_floats.txt").write_text("\n".join(cases) + "\n")

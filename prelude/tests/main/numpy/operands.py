"""Writes what NumPy's functions give with a number first, for the tests beside this file.

    python3 operands.py     (NumPy 2; the file is kept in the repository)

Cases are written as in answers.py: a name with the number, the array, and the answer.
"""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
FLOATING = ["hypot", "arctan2", "copysign", "nextafter", "logaddexp", "logaddexp2", "heaviside"]
COMMON = ["maximum", "minimum", "fmax", "fmin", "fmod"]

cases = []


def line(array):
    return " ".join([array.dtype.name] + [str(value) for value in array.tolist()])


def case(name, number, array):
    with np.errstate(all="ignore"):
        answer = getattr(np, name)(number, array)
    cases.extend([f"{name} {number!r}", line(array), line(answer)])


for number in [3, -2]:
    for dtype in [np.int32, np.int64, np.float32, np.float64]:
        array = np.array([-4, -1, 1, 2, 7], dtype)
        if dtype in (np.float32, np.float64):
            array = np.concatenate([array, np.array([0.5, np.nan, np.inf], dtype)])
        for name in FLOATING + COMMON:
            case(name, number, array)
        if dtype in (np.int32, np.int64):
            case("gcd", number, array)
            case("lcm", number, array)
for number in [2, 3, 2.0, 0.5]:
    for dtype in [np.uint8, np.int32, np.int64, np.float32, np.float64]:
        case("power", number, np.array([0, 1, 2, 5], dtype))

(HERE / "operands.txt").write_text("\n".join(cases) + "\n")

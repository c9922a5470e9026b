"""Writes NumPy's windows, for the tests beside this file.

    python3 windows.py     (NumPy 2; the file is kept in the repository)

Cases are written as in answers.py: a name with its arguments, and the answer.
"""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
COUNTS = [0, 1, 2, 3, 4, 5, 12, 51]

cases = []


def case(name, answer):
    cases.extend([name, " ".join([answer.dtype.name] + [repr(value) for value in answer.tolist()])])


for count in COUNTS:
    for window in [np.bartlett, np.blackman, np.hamming, np.hanning]:
        case(f"{window.__name__} {count}", window(count))
    for beta in [0, 0.5, 5, 8.6, 14, -3]:
        case(f"kaiser {count} {beta}", np.kaiser(count, beta))

(HERE / "windows.txt").write_text("\n".join(cases) + "\n")

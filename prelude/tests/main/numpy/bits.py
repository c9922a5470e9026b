"""Writes what NumPy's bit operators give for arrays of two types, for the tests beside this file.

    python3 bits.py     (NumPy 2; the file is kept in the repository)

Cases are written as in answers.py: a name, two arrays, and the answer.
"""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
SHIFTS = {
    "int8": ["int8", "int32", "uint8"],
    "int32": ["int8", "int64", "uint16"],
    "int64": ["int8", "int32", "uint32"],
    "uint8": ["int16", "uint8", "uint64"],
    "uint32": ["int8", "uint8", "uint64"],
    "uint64": ["uint8", "uint32", "uint64"],
}


def line(array):
    return " ".join([array.dtype.name] + [str(value).lower() for value in array.tolist()])


def numbers(dtype, low):
    if dtype == "bool":
        return np.array([True, False, True, True, False])
    info = np.iinfo(dtype)
    if np.dtype(dtype).kind == "u":
        return np.array([0, 3, 77, info.max, info.max - low], dtype)
    return np.array([-1, 3, 77, info.min, info.max - low], dtype)


cases = []
for name in ["bitwise_and", "bitwise_or", "bitwise_xor"]:
    for first in ["bool", "int8", "int32", "int64", "uint8", "uint64"]:
        for second in TYPES:
            if np.promote_types(first, second).kind == "f":
                continue
            a, b = numbers(first, 5), numbers(second, 9)[::-1]
            cases.extend([name, line(a), line(b), line(getattr(np, name)(a, b))])
for name in ["left_shift", "right_shift"]:
    for first, others in SHIFTS.items():
        for second in others:
            a, b = numbers(first, 5), np.array([0, 1, 2, 3, 5], second)
            cases.extend([name, line(a), line(b), line(getattr(np, name)(a, b))])

(HERE / "bits.txt").write_text("\n".join(cases) + "\n")

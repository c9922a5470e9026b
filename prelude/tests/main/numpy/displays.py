"""Writes how NumPy shows arrays, for the tests beside this file.

    python3 displays.py       (NumPy 2; the file is kept in the repository)

Every line of displays.txt that starts with `>>> ` is an expression; the lines
after it, up to an empty one, are replaced by what NumPy shows.
"""

import pathlib
import numpy as np

# NumPy leaves the names of its default types out. Rust's defaults are others,
# so every array is shown with its type.
np._core.arrayprint._typelessdata.clear()

file = pathlib.Path(__file__).parent / "displays.txt"
expressions = [line for line in file.read_text().splitlines() if line.startswith(">>> ")]
with open(file, "w") as out:
    for line in expressions:
        print(line, repr(eval(line[4:], {"np": np})), "", sep="\n", file=out)

"""Writes how NumPy shows arrays with printing options, for `printing.rs`.

    python3 printing.py       (NumPy 2.4; the file is kept in the repository)

A case of printing.txt is a line `>>> KIND | TYPE | SHAPE | OPTIONS | ELEMENTS` and the
text that NumPy writes. Elements are numbers, or `/K` for place divided by K.
"""

import math
import pathlib
import random

import numpy as np

# NumPy leaves the names of its default types out; here arrays show them.
np._core.arrayprint._typelessdata.clear()

random.seed(5)
TYPES = ["f2", "f4", "f8", "c8", "c16", "i1", "i8", "u1", "?"]
VALUES = {
    "small": lambda: random.choice([0.1, 0.25, 1 / 3, 2.0, -1.5, 12.125, 100.0, 0.0, -0.0]),
    "tiny": lambda: random.choice([1e-5, -3.3e-7, 0.001, 1.0, 0.0]),
    "wide": lambda: random.choice([1.0, 1e3, 65000.0, -12345.678, 0.02]),
    "odd": lambda: random.choice([math.nan, math.inf, -math.inf, 1.5, -2.0, 0.125]),
    "specials": lambda: random.choice([math.nan, math.inf]),
    "any": lambda: random.gauss(0, 1) * 10 ** random.randint(-3, 3),
}
CHOICES = {
    "precision": [0, 1, 2, 3, 4, 5, 8, 12],
    "suppress": [True],
    "floatmode": ["fixed", "unique", "maxprec", "maxprec_equal"],
    "sign": ["+", " ", "-"],
    "nanstr": ["NA", "missing"],
    "infstr": ["Inf", "oo"],
    "linewidth": [20, 40, 120],
    "threshold": [4],
    "edgeitems": [1, 2],
}


def value(kind, dtype):
    if dtype in ("i1", "i8"):
        return random.randint(-120, 120) if random.random() < 0.7 else random.randint(0, 9)
    if dtype == "u1":
        return random.randint(0, 255)
    if dtype == "?":
        return random.randint(0, 1)
    number = VALUES[kind]()
    return complex(number, VALUES[kind]()) if dtype[0] == "c" else number


def text(number):
    if isinstance(number, complex):
        return f"{number.real!r},{number.imag!r}"
    return repr(number)


def cases():
    for _ in range(320):
        dtype = random.choice(TYPES + ["f4", "f8"] * 3)
        shape = random.choice([(), (1,), (4,), (7,), (12,), (2, 3), (3, 5), (2, 2, 3), (0,), (2, 0)])
        kind = random.choice(list(VALUES))
        names = random.sample(list(CHOICES), random.randint(1, 4))
        options = {name: random.choice(CHOICES[name]) for name in names}
        numbers = [value(kind, dtype) for _ in range(math.prod(shape))]
        yield random.choice(["repr", "text"]), dtype, shape, options, numbers
    for dtype, shape, by, options in [
        ("f8", (1200,), 8, {}),
        ("f8", (1200,), 7, {"precision": 2, "edgeitems": 5}),
        ("f4", (40, 40), 3, {"edgeitems": 2, "precision": 3, "suppress": True}),
        ("i8", (30, 2, 30), 1, {"edgeitems": 1}),
        ("i8", (300,), 1, {"threshold": 100, "edgeitems": 10, "linewidth": 60}),
        ("f8", (8, 8), 9, {"threshold": 20, "edgeitems": 3}),
        ("i8", (40,), 1, {"threshold": 10, "edgeitems": 0}),
        ("i8", (7, 9), 1, {"threshold": 10, "edgeitems": 0}),
        ("i8", (1100,), 1, {"threshold": 5000}),
    ]:
        yield "repr", dtype, shape, options, f"/{by}"


with open(pathlib.Path(__file__).parent / "printing.txt", "w") as out:
    for kind, dtype, shape, options, numbers in cases():
        if isinstance(numbers, str):
            array = (np.arange(math.prod(shape)) / int(numbers[1:])).astype(dtype).reshape(shape)
            elements = numbers
        else:
            with np.errstate(all="ignore"):
                array = np.array(numbers, dtype=dtype).reshape(shape)
            elements = " ".join(map(text, numbers))
        with np.printoptions(**options):
            shown = np.array_repr(array) if kind == "repr" else np.array2string(array)
        described = ";".join(f"{name}={value}" for name, value in options.items())
        print(f">>> {kind} | {dtype} | {','.join(map(str, shape))} | {described} | {elements}", file=out)
        print(shown, "", sep="\n", file=out)

"""Writes NumPy's cross products, unwrapped phases, packed bits and distinct rows, for `mathematics.rs`.

    python3 mathematics.py     (NumPy 2.3 or later; the file is kept in the repository)

Cases are as in `series.py`, whose functions this imports; it thereby writes
that file again.
"""

import pathlib
import warnings

import numpy as np

from series import COMPLEX, FLOATS, INTEGERS, line

HERE = pathlib.Path(__file__).parent
warnings.simplefilter("ignore")
SIGNED = INTEGERS[:4]


def numbers(dtype):
    row = [3, 1, 0, 7, 2, 5, 1, 4, 6, 2, 2, 9]
    if dtype in COMPLEX:
        return np.array([x + 1j * (k % 3) for k, x in enumerate(row)], dtype)
    return np.array(row, dtype)


def crosses():
    for dtype in [*INTEGERS, *FLOATS, *COMPLEX]:
        for other in [dtype, "float32"]:
            a, b = numbers(dtype), numbers(other)[::-1]
            yield "cross 3 3", a, b, np.cross(a.reshape(4, 3), b.reshape(4, 3))
            yield "cross 2 2", a, b, np.cross(a.reshape(6, 2), b.reshape(6, 2))
            yield "cross 3 2", a, b[:8], np.cross(a.reshape(4, 3), b[:8].reshape(4, 2))
            yield "cross 2 3", a[:8], b, np.cross(a[:8].reshape(4, 2), b.reshape(4, 3))
            yield "cross one", a[:3], b, np.cross(a[:3], b.reshape(2, 2, 3))
            yield "cross 0", a, b, np.cross(a.reshape(3, 4), b.reshape(3, 4), axis=0)
            yield "cross 1", a, b, np.cross(a.reshape(2, 3, 2), b.reshape(2, 3, 2), axis=1)
            yield "cross plane 0", a, b, np.cross(a.reshape(2, 6), b.reshape(2, 6), axis=0)


def phases():
    for dtype in [*SIGNED, *FLOATS]:
        rows = [
            np.array([0, 2, 5, -5, -1, 3, 9, -3, 100, -100, 50, 3]).astype(dtype),
            np.array([0, 1, 2, 3, 0, 1, 2, 3, 0, 2, 0, 2]).astype(dtype),
        ]
        # In half precision what cancels leaves few digits.
        if dtype in FLOATS[1:]:
            rows.append(np.array([0, 3.1, -3.1, 0, np.pi, 0, -np.pi, 0, 1.5, 4.7, 7.9, -9]).astype(dtype))
            rows.append(np.array([0, 3, -3, np.nan, 0, 4, -4, 0, np.inf, 1, 8, 3]).astype(dtype))
        for row in rows:
            table = row.reshape(3, 4)
            if dtype != "float16":
                yield "unwrap", row, np.unwrap(table)
                yield "unwrap 0", row, np.unwrap(table, axis=0)
            for period in [4, 3, 24]:
                yield f"unwrap period {period}", row, np.unwrap(table, period=period)
            yield "unwrap discont", row, np.unwrap(table, 3, axis=0, period=4)
        if dtype in FLOATS:
            yield "unwrap half", rows[0], np.unwrap(rows[0].reshape(3, 4), period=2.5)


def packed():
    for dtype in ["bool", *INTEGERS]:
        row = (np.arange(66) * 7 % 5 % 3).astype(dtype)
        for order in ["big", "little"]:
            for axis in [0, 1, 2]:
                yield f"packbits {axis} {order}", row, np.packbits(row.reshape(2, 11, 3), axis=axis, bitorder=order)
        yield "packbits", row, np.packbits(row)
        yield "packbits none", row[:0], np.packbits(row[:0])
    row = (np.arange(12) * 89 % 256).astype("uint8")
    yield "unpackbits", row, np.unpackbits(row)
    for order in ["big", "little"]:
        for axis in [0, 1, 2]:
            table = row.reshape(2, 3, 2)
            yield f"unpackbits {axis} {order}", row, np.unpackbits(table, axis=axis, bitorder=order)
            for count in [0, 5, 30, -3, -16]:
                answer = np.unpackbits(table, axis=axis, count=count, bitorder=order)
                yield f"unpackbits {axis} {order} {count}", row, answer
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        row = np.array([0, 1, 2, 3, 100, 127, info.max, info.max - 1, info.min, info.min + 1], dtype)
        if dtype in SIGNED:
            row = np.concatenate([row, np.array([-1, -2, -100], dtype)])
        yield "bitwise_count", row, np.bitwise_count(row)


def rows():
    for dtype in ["bool", *INTEGERS, *FLOATS, *COMPLEX]:
        a = np.array([1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1]).astype(dtype)
        b = np.array([3, 1, 2, 3, 1, 0, 3, 1, 2, 0, 0, 1, 2, 9, 9, 3, 1, 0]).astype(dtype)
        found = [a, b]
        if dtype in COMPLEX:
            found.append((b + 1j * a).astype(dtype))
        # In half precision NumPy puts rows with NaN anywhere.
        if dtype in FLOATS[1:]:
            c = b.copy()
            c[[1, 7, 9]] = [np.nan, np.nan, -0.0]
            found.append(c)
        for row in found:
            for axis, shape in [(0, (6, 3)), (1, (3, 6)), (1, (2, 3, 3)), (0, (18,)), (0, (3, 3, 2))]:
                values, index, inverse, counts = np.unique(
                    row.reshape(shape), axis=axis, return_index=True, return_inverse=True, return_counts=True
                )
                name = f"unique {axis} {'x'.join(map(str, shape))}"
                yield name, row, values
                yield f"{name} index", row, index
                yield f"{name} inverse", row, inverse
                yield f"{name} counts", row, counts


if __name__ == "__main__":
    with open(HERE / "mathematics.txt", "w") as file:
        for name, *arrays in [*crosses(), *phases(), *packed(), *rows()]:
            print(name, *map(line, arrays), sep="\n", file=file)

"""Transforms by NumPy, as tests compare ours with them: writes main/cases.txt and main/answers.npz.

A line of cases.txt is `function dtype shape axes lengths norm`; `-` stands for what is not given. The inputs are
made by `values`, as the tests make them. usage: python3 numpy_cases.py
"""

import itertools
import pathlib

import numpy as np

DTYPES = ["float32", "float64", "complex64", "complex128", "int32", "bool", "float16"]


def values(shape, dtype):
    """Numbers that are exact in every type and repeat late."""
    k = np.arange(int(np.prod(shape)))
    real = ((k * 37 + 11) % 101 - 50) / 16
    imaginary = ((k * 53 + 7) % 97 - 48) / 16
    if dtype.startswith("complex"):
        return (real + 1j * imaginary).astype(dtype).reshape(shape)
    if dtype == "int32":
        return (real * 16).astype(dtype).reshape(shape)
    if dtype == "bool":
        return (real > 0).reshape(shape)
    return real.astype(dtype).reshape(shape)


def cases():
    """Functions, types, shapes, axes, lengths, and which of a pair has the factor."""
    one = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
    for function, dtype in itertools.product(one, DTYPES):
        yield function, dtype, (12,), None, None, None
    for function, length in itertools.product(one, [1, 2, 3, 5, 16, 31, 60, 97, 128, 210]):
        for dtype in ["float32", "float64"]:
            yield function, dtype, (length,), None, None, None
    for function, norm in itertools.product(one, ["backward", "ortho", "forward"]):
        yield function, "float64", (2, 9), None, None, norm
    for function, length, axis in itertools.product(one, [1, 4, 7, 15], [0, 1, -2]):
        yield function, "float64", (6, 7), (axis,), (length,), "ortho"
    for function, axis in itertools.product(one, [0, 1, 2, -1]):
        for dtype in ["float32", "complex128"]:
            yield function, dtype, (3, 4, 5), (axis,), None, None
    several = ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"]
    for function, shape in itertools.product(several, [(4, 6), (5, 3, 8), (2, 3, 4, 5)]):
        for dtype in ["float32", "complex64", "float64"]:
            yield function, dtype, shape, None, None, None
    for function, axes in itertools.product(several, [(0, 1), (1, 0), (2, 0), (-1, 1)]):
        yield function, "float64", (4, 3, 6), axes, None, "forward"
        yield function, "complex64", (4, 3, 6), axes, (5, 8), None
    for function, axes in itertools.product(several[4:], [(0,), (0, 1, 2), (3, 1, 0), (0, 1, 2, 3), (3, 2, 1, 0)]):
        yield function, "complex128", (2, 3, 4, 6), axes, None, "ortho"
    for function in ["fftn", "rfftn", "irfftn"]:
        yield function, "float64", (4, 3, 6), None, (4, 4), None
        yield function, "float64", (3, 0, 4), (0,), None, None


def main():
    """Writes both files."""
    lines, answers = [], {}
    for number, (function, dtype, shape, axes, lengths, norm) in enumerate(cases()):
        x = values(shape, dtype)
        if "complex" in dtype and function in ("rfft", "ihfft", "rfft2", "rfftn"):
            continue
        if function in ("irfft", "hfft") and shape == (1,):
            # No element of the result.
            continue
        arguments = {}
        if axes is not None:
            arguments.update({"axes": axes} if function.endswith(("2", "n")) else {"axis": axes[0]})
        if lengths is not None:
            arguments.update({"s": lengths} if function.endswith(("2", "n")) else {"n": lengths[0]})
            if function.endswith("n") and axes is None:
                # What NumPy will mean by leaving them out is not settled; these are meant.
                arguments["axes"] = tuple(range(len(shape) - len(lengths), len(shape)))
        if norm is not None:
            arguments["norm"] = norm
        if dtype == "float16":
            # NumPy rounds its factor to float16.
            x = x.astype("float32")
        answers[f"case{number}"] = getattr(np.fft, function)(x, **arguments)
        words = [
            ",".join(map(str, numbers)) if numbers is not None else "-" for numbers in (shape, axes, lengths)
        ]
        lines.append(" ".join([str(number), function, dtype, *words, norm or "-"]))
    folder = pathlib.Path(__file__).parent / "main"
    (folder / "cases.txt").write_text("\n".join(lines) + "\n")
    np.savez_compressed(folder / "answers.npz", **answers)


if __name__ == "__main__":
    main()

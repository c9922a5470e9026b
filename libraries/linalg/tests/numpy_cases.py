"""Linear algebra by NumPy, as tests compare ours with it: writes main/cases.txt and main/answers.npz.

A line of cases.txt is `number function dtype shape shape-of-b`; `-` stands for what is not given. The inputs are made by
`matrix` from a table of numbers, as the tests make them. usage: python3 numpy_cases.py
"""

import itertools
import pathlib

import numpy as np

FIELDS = ["float32", "float64", "complex64", "complex128"]


def values(count, start):
    """Numbers between -1 and 1 that are exact in every type: of a linear congruential generator."""
    state, found = start, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        found.append((state >> 16) % 257 / 128 - 1)
    return np.array(found)


def matrix(shape, dtype, start=1):
    """A matrix, or a stack of them."""
    count = int(np.prod(shape))
    real = values(count, start)
    if dtype.startswith("complex"):
        return (real + 1j * values(count, start + 1000)).astype(dtype).reshape(shape)
    if dtype in ("int32", "int64"):
        return (real * 128).astype(dtype).reshape(shape)
    return real.astype(dtype).reshape(shape)


def cases():
    """Functions, types and shapes."""
    square = [(1, 1), (2, 2), (5, 5), (3, 4, 4), (2, 1, 3, 3)]
    oblong = [(4, 4), (7, 3), (3, 7), (2, 5, 3), (1, 6), (6, 1)]
    of_square = ["inv", "det", "slogdet", "cholesky", "eigh", "eigvalsh", "eigvals", "expm", "matrix_power"]
    of_any = ["svdvals", "pinv", "matrix_rank", "cond", "qr", "norm_1", "norm_2", "norm_-2", "norm_inf", "norm_fro", "norm_nuc"]
    for function, dtype, shape in itertools.product(of_square, FIELDS, square):
        yield function, dtype, shape, None
    for function, dtype, shape in itertools.product(of_any, FIELDS, oblong):
        yield function, dtype, shape, None
    for function in ["inv", "det", "svdvals", "eigvalsh"]:
        for dtype in ["int32", "int64", "float16"]:
            yield function, dtype, (4, 4), None
    for dtype in FIELDS + ["int32"]:
        for shapes in [((4, 4), (4,)), ((4, 4), (4, 3)), ((2, 4, 4), (2, 4, 1)), ((3, 3), (2, 3, 2)), ((5, 1, 2, 2), (3, 2, 2))]:
            yield "solve", dtype, *shapes
        for shapes in [((4, 4), (4,)), ((9, 3), (9,)), ((3, 7), (3, 2)), ((6, 2), (6, 4))]:
            yield "lstsq", dtype, *shapes
    for function in ["vector_0", "vector_1", "vector_2", "vector_3", "vector_inf", "vector_-inf"]:
        for dtype in FIELDS:
            yield function, dtype, (3, 8), None


def expm(a):
    """The exponential by its series, of matrices that are small."""
    a = a.astype(np.complex256 if np.iscomplexobj(a) else np.longdouble)
    total = term = np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape).copy()
    for k in range(1, 80):
        term = np.einsum("...ij,...jk->...ik", term, a) / k
        total = total + term
    return total


def answer(function, a, b):
    """What NumPy says."""
    match function.split("_"):
        case ["inv" | "det" | "eigvals" as name]:
            found = getattr(np.linalg, name)(a.astype(np.float32) if a.dtype == np.float16 else a)
            return np.sort_complex(found).astype(complex) if name == "eigvals" else found
        case ["slogdet"]:
            sign, log = np.linalg.slogdet(a)
            return sign * (1 + 0j) + 1j * log if not np.iscomplexobj(a) else np.stack([sign, log])
        case ["cholesky"]:
            n = a.shape[-1]
            return np.linalg.cholesky(np.swapaxes(a, -1, -2).conj() @ a + n * np.eye(n, dtype=a.dtype))
        case ["eigh" | "eigvalsh"]:
            hermitian = a + np.swapaxes(a, -1, -2).conj()
            return np.linalg.eigvalsh(hermitian.astype(np.float32) if a.dtype == np.float16 else hermitian)
        case ["expm"]:
            return expm(a).astype(a.dtype)
        case ["matrix", "power"]:
            return np.linalg.matrix_power(a, -3)
        case ["svdvals" | "pinv" | "cond" as name]:
            return getattr(np.linalg, name)(a.astype(np.float32) if a.dtype == np.float16 else a)
        case ["matrix", "rank"]:
            return np.linalg.matrix_rank(a)
        case ["qr"]:
            return np.linalg.qr(a).R
        case ["norm", order]:
            order = {"inf": np.inf, "fro": "fro", "nuc": "nuc"}.get(order) or int(order)
            return np.linalg.norm(a, order, axis=(-2, -1))
        case ["vector", order]:
            return np.linalg.norm(a, float(order), axis=1)
        case ["solve"]:
            return np.linalg.solve(a, b)
        case ["lstsq"]:
            return np.linalg.lstsq(a, b)[0]
    raise ValueError(function)


def main():
    """Writes both files."""
    lines, answers = [], {}
    for number, (function, dtype, shape, of_b) in enumerate(cases()):
        a = matrix(shape, dtype)
        b = None if of_b is None else matrix(of_b, dtype, 77)
        answers[f"case{number}"] = answer(function, a, b)
        words = ["-" if lengths is None else ",".join(map(str, lengths)) for lengths in (shape, of_b)]
        lines.append(" ".join([str(number), function, dtype, *words]))
    folder = pathlib.Path(__file__).parent / "main"
    (folder / "cases.txt").write_text("\n".join(lines) + "\n")
    np.savez_compressed(folder / "answers.npz", **answers)


if __name__ == "__main__":
    main()

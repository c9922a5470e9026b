"""Writes what NumPy gives for products of matrices, for `products.rs` to compare
with.

    python3 products.py        (NumPy 2; the file is kept in the repository)

A line is `expression | dtype | shape | elements`. The elements are whole
numbers that every type holds, so the answers are exact.
"""

import pathlib
import numpy as np

HERE = pathlib.Path(__file__).parent

A = np.arange(6, dtype="float64").reshape(2, 3)
B = np.arange(12, dtype="float32").reshape(3, 4)
S = np.arange(4, dtype="int32").reshape(2, 2) - 1
U = np.array([[200, 100], [50, 3]], "uint8")
T = np.array([[True, False], [True, True]])
V = np.array([1.0, -2.0, 3.0])
H = np.arange(6, dtype="float16").reshape(3, 2)
C = np.arange(24, dtype="float64").reshape(2, 3, 4)
D = np.arange(24, dtype="float64").reshape(2, 1, 4, 3)
E = np.zeros((2, 0))

EXPRESSIONS = """
A @ B
A @ V
V @ B
V @ V
S @ S
U @ U
S @ U
T @ T
T @ S
A @ H
H.T @ H
B.T @ B
B[:, ::-2].T @ B
C @ D
C @ D[0]
C @ B.T
C.transpose(0, 2, 1) @ C
V @ C.transpose(0, 1, 2)
E @ E.T
E.T @ E
np.dot(A, B)
np.dot(C, D)
np.dot(V, C)
np.dot(C, np.arange(4.0))
np.inner(A, A)
np.inner(A, V)
np.inner(C, np.arange(4.0))
np.outer(V, A)
np.outer(T[0], T[1])
np.tensordot(A, B, 1)
np.tensordot(C, C, 3)
np.tensordot(V, V, 0)
np.trace(S)
np.trace(C)
np.linalg.matrix_power(S, 0)
np.linalg.matrix_power(S, 1)
np.linalg.matrix_power(S, 5)
"""


def text(x):
    if isinstance(x, np.bool_):
        return "true" if x else "false"
    return repr(float(x)) if isinstance(x, np.floating) else str(x)


lines = []
for expression in EXPRESSIONS.strip().split("\n"):
    a = np.asarray(eval(expression))
    shape, words = " ".join(map(str, a.shape)), " ".join(text(x) for x in a.ravel())
    lines.append(f"{expression} | {a.dtype.name} | {shape} | {words}".rstrip())
(HERE / "products.txt").write_text("\n".join(lines) + "\n")

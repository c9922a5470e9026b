"""Writes what NumPy gives for `tensordot` of named axes and `vdot`, for
`einsum.rs` to compare with.

    python3 tensordot.py        (NumPy 2; the file is kept in the repository)

A line is `expression | dtype | shape | elements`; the sums are exact.
"""

import pathlib

import numpy as np

from einsum import text

HERE = pathlib.Path(__file__).parent

A = np.arange(60, dtype="float64").reshape(3, 4, 5)
B = np.arange(24, dtype="float64").reshape(4, 3, 2)
S = np.arange(4, dtype="int32").reshape(2, 2) - 1
C = np.array([1 + 2j, 3 + 4j])
D = np.array([5 + 6j, 7 + 8j])
T = np.array([True, False, True])
H = np.arange(6, dtype="float16")

EXPRESSIONS = """
np.tensordot(A, B, axes=([1, 0], [0, 1]))
np.tensordot(A, B, axes=(0, 1))
np.tensordot(A, A, axes=([-1, 0], [2, -3]))
np.tensordot(A, A, axes=([0, 1, 2], [0, 1, 2]))
np.tensordot(S, S, axes=([], []))
np.tensordot(S, T[:2], axes=([1], [0]))
np.vdot(C, D)
np.vdot(D, C)
np.vdot(C, np.array([2.0, -1.0]))
np.vdot(np.array([2.0, -1.0]), C)
np.vdot(S, S.T)
np.vdot(S, S.ravel())
np.vdot(T, ~T)
np.vdot(H, H)
np.vdot(H[:0], H[:0])
"""

lines = []
for expression in EXPRESSIONS.strip().split("\n"):
    a = np.asarray(eval(expression))
    shape, words = " ".join(map(str, a.shape)), " ".join(text(x) for x in a.ravel())
    lines.append(f"{expression} | {a.dtype.name} | {shape} | {words}".rstrip())
(HERE / "tensordot.txt").write_text("\n".join(lines) + "\n")

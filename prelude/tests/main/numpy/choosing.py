"""Writes what NumPy gives for arrays of indices and masks, for `choosing.rs` to
compare with.

    python3 choosing.py        (NumPy 2; the file is kept in the repository)

A line is `expression | dtype | shape | elements`; an expression that gives
several arrays has a line for each. A line of `WRITES` is a statement, and what
is written is `X` after it, which is a copy of the array that is named in front.
The test has the same expression in Rust.
"""

import pathlib
import numpy as np

HERE = pathlib.Path(__file__).parent

A = np.arange(24, dtype="int32").reshape(2, 3, 4)
M = np.arange(6, dtype="int32").reshape(2, 3)
S = np.arange(25, dtype="int32").reshape(5, 5)
V = np.arange(5, dtype="int32") * 10
E = np.zeros((0, 3), "int32")
O = np.array(7, "int32")
F = np.array([0.0, -0.0, np.nan, 1.5])
I = np.array([[0, -1], [2, 2]])
R = np.array([1, 0, 1])
C = np.array([2, 0, -1])
B = np.array([True, False, True])

READS = """
V.take([3, 0, -1])
V.take(I)
M.take([5, -6])
M.T.take([0, 1, 2])
V.take(np.zeros((0, 2), "int64"))
V.take(np.array(2))
O.take([0, 0])
M.take([2, 0, 0], axis=1)
M.take([1], axis=0)
M.take(1, axis=0)
A.take(I, axis=1)
A.take([3, -4], axis=-1)
A[:, ::-1, ::2].take([0, -1], axis=1)
E.take([2, 0], axis=1)
V[[3, 0]]
V[I]
S[I]
S[::2, ::-1][[2, 0]]
A[[1, 0, 1]]
A[np.zeros(0, "int64")]
E[np.zeros(0, "int64")]
S[:, [4, 0]]
S[[0, 4], [1, 3]]
S[[0, 4], 2]
S[2, [0, 4]]
S[1:3, [0, -1]]
S[np.array([[0], [3]]), [1, 2]]
S[np.ix_([0, 3], [1, 2, 4])]
S[::-2, ::-1][np.ix_([0, -1], [1, 2])]
A[:, [0, 2], [1, 3]]
A[[0, 1], :, [1, 3]]
A[0, :, [1, 3]]
A[[0, 1], 1:, [1, 3]]
A[[0, 1], None, [1, 2]]
A[None, [0, 1], [1, 2]]
A[..., [3, 0]]
A[..., I]
A[R, C]
A[:, C[:, None], R]
V[V > 15]
V[V > 99]
S[S % 3 == 0]
S.T[S % 3 == 0]
A[A % 5 == 1]
A[:, B]
A[B[:2]]
A[:, B, 1]
A[:, B, [0, 3]]
A[M % 2 == 1]
A[M % 2 == 1, 1:3]
A[:, :, ::2][M % 2 == 0]
A[:, (np.arange(12).reshape(3, 4) % 5) == 0]
A[:, ::-1, ::2][:, (np.arange(6).reshape(3, 2) % 2) == 0]
O[O > 3]
O[O > 9]
E[E > 0]
E[np.zeros(0, bool)]
F[F != 0]
V.compress([True, False, True])
M.compress([False, True, True, False, False, True])
M.compress([False, True], axis=0)
M.compress([True, False, True], axis=1)
M.compress([True], axis=-1)
np.extract(M % 2 == 0, M)
np.extract([True, False, True], M)
np.flatnonzero(M % 2)
np.flatnonzero(F)
np.flatnonzero(E)
np.argwhere(M % 2)
np.argwhere(A % 7 == 3)
np.argwhere(E)
M.nonzero()
A.nonzero()
F.nonzero()
E.nonzero()
(S.T % 4 == 1).nonzero()
np.take_along_axis(M, np.array([[2, 0], [-1, 1]]), axis=1)
np.take_along_axis(M.T, np.array([[1, 0]]), axis=0)
np.take_along_axis(A, np.array([[[3, -1]]]), axis=-1)
np.take_along_axis(A, np.array([[[1]], [[0]]]), axis=1)
np.where(M > 2, M, -M)
np.where(M > 2, np.int32(0), M)
np.where(M > 2, M, 1.5)
np.where(B, M, V[:1])
np.select([M < 2, M > 3], [M, M * 10], 42)
np.select([M < 4, M < 2, B], [1.5 * M, M, -M], 0)
np.choose([[0, 1, 0], [1, 2, 1]], (M, M * 10, np.int32(7)))
np.choose([1, 0, 1], (M, -M))
np.unravel_index([22, 41, 37], (7, 6))
np.unravel_index(np.array([[3], [0]]), (2, 1, 2))
np.ravel_multi_index(([3, 6, 6], [4, 5, 1]), (7, 6))
np.ravel_multi_index((np.array([[0], [1]]), [1, 2]), (2, 3))
np.diag_indices(3)
np.tril_indices(3)
np.tril_indices(2, 1, 4)
np.tril_indices(3, -1)
np.triu_indices(3)
np.triu_indices(4, -1, 2)
np.triu_indices(2, 5)
"""

WRITES = """
V: X[[0, 3]] = 7
V: X[[0, 3]] = [8, 9]
V: X[[0, 3, 0, 3, 0]] = [1, 2, 3, 4, 5]
S: X[[4, 0]] = [[1], [2]]
S: X[:, [4, 0]] = [-1, -2]
S: X[:, [1, 1, 1]] = [-1, -2, -3]
S: X[[0, 4], [1, 3]] = [-1, -2]
S: X[np.ix_([0, 3], [1, 2])] = [[-1, -2], [-3, -4]]
S: X[::2, ::-1][[0, 2, 0]] = np.arange(15).reshape(3, 5)
A: X[:, [0, 2], [1, 3]] = [-1, -2]
A: X[[0, 1], :, [1, 3]] = [-1, -2, -3]
A: X[I - 1] = np.arange(48).reshape(2, 2, 3, 4)
V: X[X > 15] = 0
V: X[X > 15] = [1, 2, 3]
S: X[X % 2 == 0] = -X[X % 2 == 0]
S.T: X[X % 2 == 0] = 5
A: X[:, B] = [[1], [2]]
A: X[M % 2 == 1] = [1, 2, 3, 4]
A: X[M % 2 == 1, 1:3] = -1
A: X[:, ::-1, ::2][:, (np.arange(6).reshape(3, 2) % 2) == 0] = [-1, -2, -3]
O: X[X > 3] = 1
E: X[X > 3] = 1
V: X.put([0, -1, 0], [1, 2, 3])
S: X.put([[7, -1], [3, 4]], [1, 2])
S: X.T.put([1, 2], -1)
V: X.put([0, 1], [])
V: X.put([1, 2], [5, 6, 7, 8])
S: np.place(X, S % 3 == 1, [1, 2, 3])
S: np.place(X.T, S % 3 == 1, [1, 2, 3])
V: np.place(X, V > 99, [])
V: np.putmask(X, V > 15, [1, 2, 3])
S: np.putmask(X, S % 3 == 1, -S)
S: np.putmask(X[::2, ::-1], S[:3] % 2 == 1, [-1, -2])
V: np.putmask(X, V > 15, 3)
S: np.fill_diagonal(X, 7)
S: np.fill_diagonal(X[:, 1:3], [1, 2, 3])
M: np.fill_diagonal(X, [1, 2, 3])
A: np.fill_diagonal(X[:, :2, ::2], [8, 9])
M: np.put_along_axis(X, np.array([[2], [-3]]), -1, axis=1)
M: np.put_along_axis(X, np.array([[1, 0, 1], [1, 1, 0]]), [[1, 2, 3], [4, 5, 6]], axis=0)
A: np.put_along_axis(X, np.array([[[1, 1, 0]]]), np.arange(18).reshape(2, 3, 3), axis=2)
V: X[np.zeros(0, "int64")] = 1
"""


def lines(expression, value):
    arrays = value if isinstance(value, (tuple, list)) else [value]
    for array in map(np.asarray, arrays):
        shape = " ".join(map(str, array.shape))
        elements = " ".join(str(x) if array.dtype.kind == "f" else str(int(x)) for x in array.ravel())
        elements = elements.replace("nan", "NaN")
        yield f"{expression} | {array.dtype} | {shape} | {elements}\n"


with open(HERE / "choosing.txt", "w") as file:
    for expression in READS.split("\n")[1:-1]:
        file.writelines(lines(expression, eval(expression)))
    for line in WRITES.split("\n")[1:-1]:
        name, statement = line.split(": ", 1)
        X = eval(name).copy()
        exec(statement)
        file.writelines(lines(line, X))

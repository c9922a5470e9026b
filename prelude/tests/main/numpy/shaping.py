"""Writes what NumPy gives for views, joins and parts of arrays, for
`shaping.rs` to compare with.

    python3 shaping.py        (NumPy 2; the file is kept in the repository)

A line is `expression | dtype | shape | elements`; an expression that gives
several arrays has a line for each. The test has the same expression in Rust.
"""

import pathlib
import numpy as np

HERE = pathlib.Path(__file__).parent

A = np.arange(24, dtype="int32").reshape(2, 3, 4)
M = np.arange(6, dtype="int32").reshape(2, 3)
S = np.arange(25, dtype="int32").reshape(5, 5)
V = np.arange(5, dtype="int32")
E = np.zeros((0, 3), "int32")
O = np.array(7, "int32")

VIEWS = """
A.transpose(2, 0, 1)
A.transpose(0, -1, 1)
A.swapaxes(0, 2)
np.moveaxis(A, 0, -1)
np.moveaxis(A, (0, 1), (-1, -2))
np.moveaxis(A, (2, 0), (0, 1))
np.expand_dims(A, 1)
np.expand_dims(V, (0, -1))
np.expand_dims(O, 0)
np.squeeze(np.expand_dims(M, (0, 2)), axis=(0, 2))
np.flip(A)
np.flip(A, 1)
np.flip(A, (0, 2))
np.flip(E)
np.fliplr(M)
np.flipud(M)
np.rot90(M, 0)
np.rot90(M)
np.rot90(M, 2)
np.rot90(M, 3)
np.rot90(M, -1)
np.rot90(M, 5)
np.rot90(A, 1, (1, 2))
np.rot90(A, 3, (2, 0))
np.rot90(E)
np.broadcast_to(V, (2, 5))
np.broadcast_to(O, (2, 2))
np.broadcast_to(M[:, :1], (3, 2, 2))
np.broadcast_to(E, (2, 0, 3))
np.diagonal(M)
np.diagonal(M, 1)
np.diagonal(M, 2)
np.diagonal(M, 3)
np.diagonal(M, -1)
np.diagonal(M, -2)
np.diagonal(M, -9)
np.diagonal(S[::2, ::-1], 1)
np.diagonal(A)
np.diagonal(A, 1, 1, 2)
np.diagonal(A, -1, 2, 0)
np.diagonal(E)
np.atleast_1d(O)
np.atleast_2d(O)
np.atleast_3d(O)
np.atleast_1d(V)
np.atleast_2d(V)
np.atleast_3d(V)
np.atleast_3d(M)
np.atleast_3d(A)
np.broadcast_arrays(M[:, :1], V)
"""

JOINS = """
np.concatenate((V, V))
np.concatenate((M, M[:1]), axis=-2)
np.concatenate((A, A[:, :, ::-1]), axis=2)
np.concatenate((M.T, M.T), axis=1)
np.concatenate((E, M))
np.concatenate((V, V.astype("int64")))
np.concatenate((V.astype("int8"), V.astype("uint8")))
np.concatenate((V, V.astype("float32")))
np.concatenate((V > 2, V.astype("uint8"), V.astype("float16")))
np.concatenate((V.astype("int8"), V.astype("uint8"), V.astype("float16")))
np.concatenate((V.astype("uint32"), V.astype("int32"), V.astype("int8"), V.astype("float32")))
np.concatenate((V.astype("uint64"), V.astype("int8"), V > 1))
np.concatenate((V.astype("uint16"), V.astype("int16"), V.astype("complex64"))).real
np.stack((M, M[::-1]))
np.stack((M, M[::-1]), axis=-1)
np.stack((M, M[::-1]), axis=1)
np.stack((O, O))
np.vstack((V, V))
np.vstack((M[0], M))
np.vstack((O, O))
np.hstack((V, V[:2]))
np.hstack((M, M[:, :1]))
np.hstack((O, V))
np.dstack((V, V))
np.dstack((M, M))
np.column_stack((V, V))
np.column_stack((M[:, 0], M))
"""


def lines(expression):
    answer = eval(expression)
    for array in answer if isinstance(answer, (list, tuple)) else [answer]:
        array = np.asarray(array)
        shape = " ".join(str(length) for length in array.shape)
        elements = " ".join(str(value) for value in array.ravel().tolist())
        yield f"{expression} | {array.dtype.name} | {shape} | {elements}\n"


def write(name, expressions):
    wanted = [line for line in expressions.strip().splitlines() if line]
    text = "".join(line for expression in wanted for line in lines(expression))
    (HERE / name).write_text(text)


write("views.txt", VIEWS)
write("joins.txt", JOINS)

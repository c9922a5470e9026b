"""Writes the matrices that `main/files.rs` reads, by SciPy: `python3 libraries/sparse/tests/scipy_files.py`."""

from pathlib import Path

import numpy
import scipy.sparse as sparse

folder = Path(__file__).parent / "main" / "scipy"
dense = numpy.array([[0, 0, 1.5], [2, 0, 0], [0, -3, 0], [4, 0, 5]])
for name in ("csr", "csc", "coo", "dia", "bsr"):
    sparse.save_npz(folder / f"{name}.npz", sparse.coo_matrix(dense).asformat(name))
sparse.save_npz(folder / "array.npz", sparse.coo_array(dense))
sparse.save_npz(folder / "stored.npz", sparse.csr_array(dense.astype("f4")), compressed=False)
sparse.save_npz(folder / "complex.npz", sparse.csr_array(dense * (1 + 2j)))
sparse.save_npz(folder / "whole.npz", sparse.csr_array((2 * dense).astype("i8")))
sparse.save_npz(folder / "truth.npz", sparse.csr_array(dense != 0))
sparse.save_npz(folder / "empty.npz", sparse.csr_array((3, 2)))

//! Matrices by columns: what users call.

use std::fmt;
use std::marker::PhantomData;

use gpurepl_extend::arrays::ToGpu;
use gpurepl_extend::{AnyArray, Elem, GpuArray, OrRaise as _, Result};

use crate::compressed::Compressed;
use crate::factor::Factor;
use crate::files::Parts;
use crate::number::Field;
use crate::triplets::Triplets;
use crate::{Coo, Csr, product};

/// A sparse matrix by columns: SciPy's `csc_array`.
///
/// Column `j` has the values `data[indptr[j]..indptr[j + 1]]` in the rows `indices[indptr[j]..indptr[j + 1]]`. Products
/// are computed by rows, which are found with the first of them and kept.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = sparse::Csr::from_dense(&gpu![[4.0, 0.0, 1.0], [0.0, 3.0, 0.0]])?.to_csc();
/// assert_eq!(a.indptr().to_vec(), [0, 1, 2, 3]);
/// assert_eq!(a.matmul(&gpu![1.0, 2.0, 3.0]).to_vec(), [7.0, 6.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Csc<T> {
    columns: Compressed,
    of: PhantomData<T>,
}

impl<T: Field> Csc<T> {
    /// A matrix of the rows of its transposed one.
    pub(crate) fn of(columns: Compressed) -> Csc<T> {
        Csc { columns, of: PhantomData }
    }

    /// A matrix of its parts, as SciPy's `csc_array((data, indices, indptr), shape)`.
    ///
    /// # Errors
    ///
    /// If the parts do not fit each other or the shape.
    pub fn new<I: Elem, J: Elem>(
        shape: [usize; 2],
        data: impl ToGpu<Elem = T>,
        indices: impl ToGpu<Elem = I>,
        indptr: impl ToGpu<Elem = J>,
    ) -> Result<Csc<T>> {
        let parts = (AnyArray::given(&data)?, AnyArray::given(&indices)?, AnyArray::given(&indptr)?);
        let shape = [shape[1], shape[0]];
        Compressed::checked("Csc::new", shape, &parts.0, &parts.1, &parts.2).map(Csc::of)
    }

    pub(crate) fn parts(&self) -> Result<Parts> {
        Ok(Parts { format: "csc", shape: self.shape(), arrays: self.columns.parts()? })
    }

    /// The numbers of rows and columns.
    pub fn shape(&self) -> [usize; 2] {
        let [columns, rows] = self.columns.shape();
        [rows, columns]
    }

    /// The number of elements that are stored.
    pub fn nnz(&self) -> usize {
        self.columns.count()
    }

    /// The elements, column by column.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_extend::Error), if the device has no room for the copy.
    #[track_caller]
    pub fn data(&self) -> GpuArray<T> {
        self.columns.values().copied().and_then(|copy| copy.typed()).or_raise()
    }

    /// The rows of the elements.
    ///
    /// # Panics
    ///
    /// As `data`.
    #[track_caller]
    pub fn indices(&self) -> GpuArray<u32> {
        self.columns.indices().copied().and_then(|copy| copy.typed()).or_raise()
    }

    /// Where the elements of each column begin, and where those of the last end.
    ///
    /// # Panics
    ///
    /// As `data`.
    #[track_caller]
    pub fn indptr(&self) -> GpuArray<u32> {
        self.columns.ends().copied().and_then(|copy| copy.typed()).or_raise()
    }

    pub(crate) fn by_rows(&self) -> Result<Compressed> {
        self.columns.transposed()
    }

    /// The matrix by rows.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_extend::Error), if the device has no room.
    #[track_caller]
    pub fn to_csr(&self) -> Csr<T> {
        Csr::of(self.by_rows().or_raise())
    }

    /// The matrix as triplets, column by column.
    ///
    /// # Panics
    ///
    /// As [`Csc::to_csr`].
    #[track_caller]
    pub fn to_coo(&self) -> Coo<T> {
        Coo::of(self.triplets().or_raise())
    }

    fn triplets(&self) -> Result<Triplets> {
        Ok(self.columns.triplets()?.transposed())
    }

    /// The dense matrix.
    ///
    /// # Panics
    ///
    /// As [`Csc::to_csr`].
    #[track_caller]
    pub fn to_dense(&self) -> GpuArray<T> {
        let transposed = product::dense("to_dense", &self.columns).and_then(|dense| dense.t()?.contiguous());
        transposed.and_then(|dense| dense.typed()).or_raise()
    }

    /// The transposed matrix, which has these columns as its rows: nothing is copied.
    #[must_use]
    pub fn t(&self) -> Csr<T> {
        Csr::of(self.columns.clone())
    }

    /// The product with a vector, a dense matrix or a sparse one.
    ///
    /// # Panics
    ///
    /// As [`Csr::matmul`].
    #[track_caller]
    pub fn matmul<F: Factor<T>>(&self, other: F) -> F::Product {
        other.times(&self.by_rows().or_raise()).or_raise()
    }
}

impl<T: Field> gpurepl_display::Render for Csc<T> {
    /// As text, and with a table of the first and the last elements.
    fn render(&self) -> gpurepl_display::MimeBundle {
        crate::text::rendered("Csc", &self.triplets().or_raise()).or_raise()
    }
}

impl<T: Field> fmt::Debug for Csc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::text::write("Csc", &self.triplets().map_err(|_| fmt::Error)?, f)
    }
}

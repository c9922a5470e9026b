//! Matrices as triplets: what users call.

use std::fmt;
use std::marker::PhantomData;
use std::sync::OnceLock;

use gpurepl_extend::arrays::ToGpu;
use gpurepl_extend::{AnyArray, Elem, GpuArray, OrRaise as _, Result};

use crate::compressed::{Compressed, kept};
use crate::factor::Factor;
use crate::files::{Parts, signed};
use crate::number::Field;
use crate::triplets::Triplets;
use crate::{Csc, Csr};

/// A sparse matrix as a list of rows, columns and values: SciPy's `coo_array`. Elements at one place are added where
/// it is computed with.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = sparse::Coo::new([2, 2], &[0, 1, 0], &[1, 0, 1], &[1.0f32, 2.0, 3.0])?;
/// assert_eq!((a.nnz(), a.to_csr().nnz()), (3, 2));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Coo<T> {
    triplets: Triplets,
    rows: OnceLock<Compressed>,
    of: PhantomData<T>,
}

impl<T: Field> Coo<T> {
    pub(crate) fn of(triplets: Triplets) -> Coo<T> {
        Coo { triplets, rows: OnceLock::new(), of: PhantomData }
    }

    /// A matrix with `values[k]` at `(rows[k], columns[k])`.
    ///
    /// # Errors
    ///
    /// If there are not as many of each, or a place lies outside of the shape.
    pub fn new<I: Elem, J: Elem>(
        shape: [usize; 2],
        rows: impl ToGpu<Elem = I>,
        columns: impl ToGpu<Elem = J>,
        values: impl ToGpu<Elem = T>,
    ) -> Result<Coo<T>> {
        let parts = (AnyArray::given(&rows)?, AnyArray::given(&columns)?, AnyArray::given(&values)?);
        Triplets::checked("Coo::new", shape, &parts.0, &parts.1, &parts.2).map(Coo::of)
    }

    pub(crate) fn parts(&self) -> Result<Parts> {
        let Triplets { shape, rows, columns, values } = &self.triplets;
        let arrays = vec![("row", signed(rows)?), ("col", signed(columns)?), ("data", values.clone())];
        Ok(Parts { format: "coo", shape: *shape, arrays })
    }

    /// The numbers of rows and columns.
    pub fn shape(&self) -> [usize; 2] {
        self.triplets.shape
    }

    /// The number of elements that are stored.
    pub fn nnz(&self) -> usize {
        self.triplets.values.size()
    }

    /// The elements.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_extend::Error), if the device has no room for the copy.
    #[track_caller]
    pub fn data(&self) -> GpuArray<T> {
        self.triplets.values.copied().and_then(|copy| copy.typed()).or_raise()
    }

    /// The rows of the elements.
    ///
    /// # Panics
    ///
    /// As `data`.
    #[track_caller]
    pub fn row(&self) -> GpuArray<u32> {
        self.triplets.rows.copied().and_then(|copy| copy.typed()).or_raise()
    }

    /// The columns of the elements.
    ///
    /// # Panics
    ///
    /// As `data`.
    #[track_caller]
    pub fn col(&self) -> GpuArray<u32> {
        self.triplets.columns.copied().and_then(|copy| copy.typed()).or_raise()
    }

    pub(crate) fn by_rows(&self) -> Result<Compressed> {
        if let Some(rows) = self.rows.get() {
            return Ok(rows.clone());
        }
        let rows = self.triplets.compressed(true)?;
        Ok(kept(&self.rows, rows))
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

    /// The matrix by columns.
    ///
    /// # Panics
    ///
    /// As [`Coo::to_csr`].
    #[track_caller]
    pub fn to_csc(&self) -> Csc<T> {
        Csc::of(self.triplets.transposed().compressed(true).or_raise())
    }

    /// The dense matrix.
    ///
    /// # Panics
    ///
    /// As [`Coo::to_csr`].
    #[track_caller]
    pub fn to_dense(&self) -> GpuArray<T> {
        self.to_csr().to_dense()
    }

    /// The transposed matrix.
    #[must_use]
    pub fn t(&self) -> Coo<T> {
        Coo::of(self.triplets.transposed())
    }

    /// The product with a vector, a dense matrix or a sparse one. The rows are sorted once, for all products.
    ///
    /// # Panics
    ///
    /// As [`Csr::matmul`].
    #[track_caller]
    pub fn matmul<F: Factor<T>>(&self, other: F) -> F::Product {
        other.times(&self.by_rows().or_raise()).or_raise()
    }
}

impl<T: Field> gpurepl_display::Render for Coo<T> {
    /// As text, and with a table of the first and the last elements.
    fn render(&self) -> gpurepl_display::MimeBundle {
        crate::text::rendered("Coo", &self.triplets).or_raise()
    }
}

impl<T: Field> fmt::Debug for Coo<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::text::write("Coo", &self.triplets, f)
    }
}

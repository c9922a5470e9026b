//! What a sparse matrix is multiplied with.

use gpurepl_extend::{AnyArray, GpuArray, Result, error};

use crate::compressed::Compressed;
use crate::files::Parts;
use crate::number::Field;
use crate::{Coo, Csc, Csr, Dia, edit, product};

/// A vector, a dense matrix or a sparse one, at the right of a product.
pub trait Factor<T> {
    /// Dense of a dense one, sparse of a sparse one.
    type Product;

    #[doc(hidden)]
    fn times(self, left: &Compressed) -> Result<Self::Product>;
}

impl<T: Field> Factor<T> for &GpuArray<T> {
    type Product = GpuArray<T>;

    fn times(self, left: &Compressed) -> Result<GpuArray<T>> {
        product::matmul("matmul", left, &AnyArray::of(self))?.typed()
    }
}

macro_rules! data {
    ($($data:ty;)*) => {$(
        /// Data of the host, which is copied.
        impl<T: Field> Factor<T> for $data {
            type Product = GpuArray<T>;

            fn times(self, left: &Compressed) -> Result<GpuArray<T>> {
                product::matmul("matmul", left, &AnyArray::given(&self)?)?.typed()
            }
        }
    )*};
}
data! {
    &Vec<T>;
    &[T];
}

/// Data of the host, which is copied.
impl<T: Field, const N: usize> Factor<T> for &[T; N] {
    type Product = GpuArray<T>;

    fn times(self, left: &Compressed) -> Result<GpuArray<T>> {
        product::matmul("matmul", left, &AnyArray::given(&self)?)?.typed()
    }
}

impl<T: Field> Factor<T> for GpuArray<T> {
    type Product = GpuArray<T>;

    fn times(self, left: &Compressed) -> Result<GpuArray<T>> {
        (&self).times(left)
    }
}

macro_rules! sparse {
    ($($format:ident)*) => {$(
        impl<T: Field> Factor<T> for &$format<T> {
            type Product = Csr<T>;

            fn times(self, left: &Compressed) -> Result<Csr<T>> {
                edit::product_of("matmul", left, &self.by_rows()?).map(Csr::of)
            }
        }
    )*};
}
sparse!(Csr Csc Coo Dia);

/// A sparse matrix of any format.
pub trait SparseMatrix<T: Field> {
    #[doc(hidden)]
    fn by_rows(&self) -> Result<Compressed>;

    #[doc(hidden)]
    fn parts(&self) -> Result<Parts>;
}

macro_rules! formats {
    ($($format:ident)*) => {$(
        impl<T: Field> SparseMatrix<T> for $format<T> {
            fn by_rows(&self) -> Result<Compressed> {
                $format::by_rows(self)
            }

            fn parts(&self) -> Result<Parts> {
                $format::parts(self)
            }
        }
    )*};
}
formats!(Csr Csc Coo Dia);

/// Refuses a matrix that is not square.
pub(crate) fn square(operation: &'static str, shape: [usize; 2]) -> Result<usize> {
    if shape[0] == shape[1] {
        return Ok(shape[0]);
    }
    let message = format!("the operator has shape {shape:?}; it must have as many rows as columns");
    Err(error::shape(operation, message))
}

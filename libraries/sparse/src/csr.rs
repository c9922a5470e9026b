//! Matrices by rows: what users call.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Add, Div, Mul, Neg, Range, Sub};

use gpurepl_extend::arrays::ToGpu;
use gpurepl_extend::{AnyArray, Elem, GpuArray, OrRaise as _, Result, error};

use crate::compressed::Compressed;
use crate::entry::beside;
use crate::factor::Factor;
use crate::files::Parts;
use crate::number::Field;
use crate::triplets::Triplets;
use crate::{Coo, Csc, edit, product};

/// A sparse matrix by rows: SciPy's `csr_array`.
///
/// Row `i` has the values `data[indptr[i]..indptr[i + 1]]` in the columns `indices[indptr[i]..indptr[i + 1]]`. A clone
/// is another handle to the same matrix.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = sparse::Csr::from_dense(&gpu![[4.0, 0.0, 1.0], [0.0, 3.0, 0.0]])?;
/// assert_eq!((a.shape(), a.nnz()), ([2, 3], 3));
/// assert_eq!(a.matmul(&gpu![1.0, 2.0, 3.0]).to_vec(), [7.0, 6.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Csr<T> {
    pub(crate) rows: Compressed,
    of: PhantomData<T>,
}

impl<T: Field> Csr<T> {
    pub(crate) fn of(rows: Compressed) -> Csr<T> {
        Csr { rows, of: PhantomData }
    }

    /// A matrix of its parts, as SciPy's `csr_array((data, indices, indptr), shape)`.
    ///
    /// # Errors
    ///
    /// If the parts do not fit each other or the shape.
    pub fn new<I: Elem, J: Elem>(
        shape: [usize; 2],
        data: impl ToGpu<Elem = T>,
        indices: impl ToGpu<Elem = I>,
        indptr: impl ToGpu<Elem = J>,
    ) -> Result<Csr<T>> {
        let parts = (AnyArray::given(&data)?, AnyArray::given(&indices)?, AnyArray::given(&indptr)?);
        Compressed::checked("Csr::new", shape, &parts.0, &parts.1, &parts.2).map(Csr::of)
    }

    /// A matrix of the elements `values[k]` at `(rows[k], columns[k])`; those at one place are added.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = sparse::Csr::from_triplets([2, 2], &[0, 1, 0], &[1, 0, 1], &[1.0, 2.0, 3.0])?;
    /// assert_eq!(a.to_dense().to_vec(), [0.0, 4.0, 2.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there are not as many of each, or a place lies outside of the shape.
    pub fn from_triplets<I: Elem, J: Elem>(
        shape: [usize; 2],
        rows: impl ToGpu<Elem = I>,
        columns: impl ToGpu<Elem = J>,
        values: impl ToGpu<Elem = T>,
    ) -> Result<Csr<T>> {
        let parts = (AnyArray::given(&rows)?, AnyArray::given(&columns)?, AnyArray::given(&values)?);
        Triplets::checked("from_triplets", shape, &parts.0, &parts.1, &parts.2)?.compressed(true).map(Csr::of)
    }

    /// The elements of a dense matrix that are not zero.
    ///
    /// # Errors
    ///
    /// If the array does not have two axes.
    pub fn from_dense(a: impl ToGpu<Elem = T>) -> Result<Csr<T>> {
        edit::of_dense("from_dense", &AnyArray::given(&a)?).map(Csr::of)
    }

    pub(crate) fn by_rows(&self) -> Result<Compressed> {
        Ok(self.rows.clone())
    }

    pub(crate) fn parts(&self) -> Result<Parts> {
        Ok(Parts { format: "csr", shape: self.shape(), arrays: self.rows.parts()? })
    }

    /// The numbers of rows and columns.
    pub fn shape(&self) -> [usize; 2] {
        self.rows.shape()
    }

    /// The number of elements that are stored, zeros among them.
    pub fn nnz(&self) -> usize {
        self.rows.count()
    }

    /// The element at a row and a column, zero if none is stored: SciPy's `a[i, j]`. It waits for the device.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = sparse::csr(&gpu![[0.0, 2.0], [3.0, 0.0]])?;
    /// assert_eq!((a.get(1, 0), a.get(1, 1)), (3.0, 0.0));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_extend::Error), if it lies outside of the matrix.
    #[track_caller]
    pub fn get(&self, row: usize, column: usize) -> T {
        edit::element(&self.rows, row, column).and_then(|one| one.typed::<T>()?.try_item()).or_raise()
    }

    /// The root of the sum of all squares, the Frobenius norm: `scipy.sparse.linalg.norm(a)`.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_extend::Error), if the device reports one.
    #[track_caller]
    pub fn norm(&self) -> <T::Real as Elem>::Quotient {
        self.rows.values().typed::<T>().map(|values| values.norm().item()).or_raise()
    }

    /// The elements that are stored, row by row: a copy.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_extend::Error), if the device has no room for the copy.
    #[track_caller]
    pub fn data(&self) -> GpuArray<T> {
        self.rows.values().copied().and_then(|copy| copy.typed()).or_raise()
    }

    /// The columns of the elements.
    ///
    /// # Panics
    ///
    /// As `data`.
    #[track_caller]
    pub fn indices(&self) -> GpuArray<u32> {
        self.rows.indices().copied().and_then(|copy| copy.typed()).or_raise()
    }

    /// Where the elements of each row begin, and where those of the last end.
    ///
    /// # Panics
    ///
    /// As `data`.
    #[track_caller]
    pub fn indptr(&self) -> GpuArray<u32> {
        self.rows.ends().copied().and_then(|copy| copy.typed()).or_raise()
    }

    /// The product with a vector, a dense matrix or a sparse one: SciPy's `a @ b`.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_extend::Error), if the shapes do not fit or the device has no room.
    #[track_caller]
    pub fn matmul<F: Factor<T>>(&self, other: F) -> F::Product {
        other.times(&self.rows).or_raise()
    }

    /// The transposed matrix. It is made once and kept with this one.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_extend::Error), if the device has no room.
    #[must_use]
    #[track_caller]
    pub fn t(&self) -> Csr<T> {
        Csr::of(self.rows.transposed().or_raise())
    }

    /// The complex conjugates.
    ///
    /// # Panics
    ///
    /// As [`Csr::t`].
    #[must_use]
    #[track_caller]
    pub fn conj(&self) -> Csr<T> {
        Csr::of(self.rows.with_values(self.rows.values().conjugated()).or_raise())
    }

    /// The dense matrix.
    ///
    /// # Panics
    ///
    /// As [`Csr::t`].
    #[track_caller]
    pub fn to_dense(&self) -> GpuArray<T> {
        product::dense("to_dense", &self.rows).and_then(|dense| dense.typed()).or_raise()
    }

    /// The matrix as triplets.
    ///
    /// # Panics
    ///
    /// As [`Csr::t`].
    #[track_caller]
    pub fn to_coo(&self) -> Coo<T> {
        Coo::of(self.rows.triplets().or_raise())
    }

    /// The matrix by columns.
    ///
    /// # Panics
    ///
    /// As [`Csr::t`].
    #[track_caller]
    pub fn to_csc(&self) -> Csc<T> {
        Csc::of(self.rows.transposed().or_raise())
    }

    /// The values in another type.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = sparse::eye::<f64>(3)?.astype::<f32>();
    /// assert_eq!(a.data().dtype(), DType::Float32);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Csr::t`].
    #[track_caller]
    pub fn astype<U: Field>(&self) -> Csr<U> {
        Csr::of(edit::cast(&self.rows, U::DTYPE).or_raise())
    }

    /// The elements of the main diagonal, zeros among them.
    ///
    /// # Panics
    ///
    /// As [`Csr::t`].
    #[track_caller]
    pub fn diagonal(&self) -> GpuArray<T> {
        edit::diagonal(&self.rows).and_then(|diagonal| diagonal.typed()).or_raise()
    }

    /// A matrix of some rows: SciPy's `a[2:5]`.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_extend::Error), if the matrix does not have these rows.
    #[must_use]
    #[track_caller]
    pub fn rows(&self, range: Range<usize>) -> Csr<T> {
        if range.start > range.end || range.end > self.shape()[0] {
            let message = format!("rows {range:?} are not among the {} of the matrix", self.shape()[0]);
            return Err(error::invalid("rows", message)).or_raise();
        }
        Csr::of(edit::rows(&self.rows, range).or_raise())
    }

    /// The elements on and below a diagonal: 0 is the main one, -1 the one below.
    ///
    /// # Panics
    ///
    /// As [`Csr::t`].
    #[must_use]
    #[track_caller]
    pub fn tril(&self, diagonal: i64) -> Csr<T> {
        let chosen = edit::chosen(&self.rows, |row, column| column.le(&(row + diagonal)));
        Csr::of(chosen.and_then(|chosen| chosen.compressed(false)).or_raise())
    }

    /// The elements on and above a diagonal.
    ///
    /// # Panics
    ///
    /// As [`Csr::t`].
    #[must_use]
    #[track_caller]
    pub fn triu(&self, diagonal: i64) -> Csr<T> {
        let chosen = edit::chosen(&self.rows, |row, column| column.ge(&(row + diagonal)));
        Csr::of(chosen.and_then(|chosen| chosen.compressed(false)).or_raise())
    }

    /// The matrix without the zeros among its elements.
    ///
    /// # Panics
    ///
    /// As [`Csr::t`].
    #[must_use]
    #[track_caller]
    pub fn eliminate_zeros(&self) -> Csr<T> {
        Csr::of(edit::without_zeros(&self.rows).or_raise())
    }

    /// The sums along an axis: 0 for the sums of columns, 1 for those of rows.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_extend::Error), if the axis is another one.
    #[track_caller]
    pub fn sum_axis(&self, axis: usize) -> GpuArray<T> {
        if axis > 1 {
            let message = format!("axis {axis} is out of bounds for array of dimension 2");
            return Err(error::invalid("sum", message)).or_raise();
        }
        edit::sums("sum", &self.rows, axis).and_then(|sums| sums.typed()).or_raise()
    }

    /// The sum of all elements.
    ///
    /// # Panics
    ///
    /// As [`Csr::t`].
    #[track_caller]
    pub fn sum(&self) -> GpuArray<T> {
        self.rows.values().sum().and_then(|sum| sum.typed()).or_raise()
    }

    /// The Kronecker product with another matrix.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_extend::Error), if it has too many elements.
    #[must_use]
    #[track_caller]
    pub fn kron(&self, other: &Csr<T>) -> Csr<T> {
        Csr::of(edit::kron("kron", &self.rows, &other.rows).or_raise())
    }
}

impl<T: Field> gpurepl_display::Render for Csr<T> {
    /// As text, and with a table of the first and the last elements.
    fn render(&self) -> gpurepl_display::MimeBundle {
        crate::text::rendered("Csr", &self.rows.triplets().or_raise()).or_raise()
    }
}

impl<T: Field> fmt::Debug for Csr<T> {
    /// As SciPy writes it: the type, the shape and the number of elements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::text::write("Csr", &self.rows.triplets().map_err(|_| fmt::Error)?, f)
    }
}

macro_rules! sums {
    ($($trait:ident $method:ident $minus:literal;)*) => {$(
        impl<T: Field> $trait for &Csr<T> {
            type Output = Csr<T>;

            #[track_caller]
            fn $method(self, other: &Csr<T>) -> Csr<T> {
                Csr::of(edit::sum(stringify!($method), &self.rows, &other.rows, $minus).or_raise())
            }
        }

        impl<T: Field> $trait for Csr<T> {
            type Output = Csr<T>;

            #[track_caller]
            fn $method(self, other: Csr<T>) -> Csr<T> {
                (&self).$method(&other)
            }
        }

        impl<T: Field> $trait<&Csr<T>> for Csr<T> {
            type Output = Csr<T>;

            #[track_caller]
            fn $method(self, other: &Csr<T>) -> Csr<T> {
                (&self).$method(other)
            }
        }

        impl<T: Field> $trait<Csr<T>> for &Csr<T> {
            type Output = Csr<T>;

            #[track_caller]
            fn $method(self, other: Csr<T>) -> Csr<T> {
                self.$method(&other)
            }
        }
    )*};
}
sums! {
    Add add false;
    Sub sub true;
}

/// Every element times a number.
impl<T: Field> Mul<T> for &Csr<T> {
    type Output = Csr<T>;

    #[track_caller]
    fn mul(self, by: T) -> Csr<T> {
        let of_one = || AnyArray::from_host(1, T::DTYPE, bytemuck::bytes_of(&by));
        let values = beside(self.rows.values(), || self.rows.values().times(&of_one()?));
        Csr::of(values.and_then(|values| self.rows.with_values(values)).or_raise())
    }
}

impl<T: Field> Mul<T> for Csr<T> {
    type Output = Csr<T>;

    #[track_caller]
    fn mul(self, by: T) -> Csr<T> {
        &self * by
    }
}

/// Every element divided by a number.
impl<T: Field> Div<T> for &Csr<T> {
    type Output = Csr<T>;

    #[track_caller]
    fn div(self, by: T) -> Csr<T> {
        let of_one = || AnyArray::from_host(1, T::DTYPE, bytemuck::bytes_of(&by));
        let values = beside(self.rows.values(), || self.rows.values().divided(&of_one()?));
        Csr::of(values.and_then(|values| self.rows.with_values(values)).or_raise())
    }
}

impl<T: Field> Div<T> for Csr<T> {
    type Output = Csr<T>;

    #[track_caller]
    fn div(self, by: T) -> Csr<T> {
        &self / by
    }
}

impl<T: Field> Neg for &Csr<T> {
    type Output = Csr<T>;

    #[track_caller]
    fn neg(self) -> Csr<T> {
        let values = self.rows.values().typed().map(|values| AnyArray::of(&T::negated(&values)));
        Csr::of(values.and_then(|values| self.rows.with_values(values)).or_raise())
    }
}

impl<T: Field> Neg for Csr<T> {
    type Output = Csr<T>;

    #[track_caller]
    fn neg(self) -> Csr<T> {
        -&self
    }
}

macro_rules! numbers_first {
    ($($t:ty)*) => {$(
        impl Mul<&Csr<$t>> for $t {
            type Output = Csr<$t>;

            #[track_caller]
            fn mul(self, matrix: &Csr<$t>) -> Csr<$t> {
                matrix * self
            }
        }

        impl Mul<Csr<$t>> for $t {
            type Output = Csr<$t>;

            #[track_caller]
            fn mul(self, matrix: Csr<$t>) -> Csr<$t> {
                &matrix * self
            }
        }
    )*};
}
numbers_first!(f32 f64 num_complex::Complex<f32> num_complex::Complex<f64>);

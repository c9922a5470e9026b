//! Matrices by diagonals.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use gpurepl_extend::arrays::{ToGpu, arange};
use gpurepl_extend::{
    AnyArray, Argument, DType, Elem, Elements, Extent, Gpu, GpuArray, Operation, OrRaise as _, Result, error,
    perform,
};

use crate::compressed::{Compressed, check_counts, kept, whole};
use crate::entry::{beside, returned};
use crate::factor::Factor;
use crate::files::Parts;
use crate::kernels::{BLOCK, MOST_BLOCKS, launch};
use crate::number::{Arithmetic as _, Field, by_type};
use crate::triplets::{Triplets, taken};
use crate::{Csr, cores};

/// A sparse matrix by diagonals: SciPy's `dia_array`. A product reads no indices, so for matrices of a few diagonals
/// it is the fastest format.
///
/// `data[k, j]` is the element in column `j` of diagonal `offsets[k]`, which is row `j - offsets[k]`: places outside of
/// the matrix have no meaning.
///
/// ```
/// use gpurepl_prelude::*;
/// let second = sparse::diags([4, 4], &[(-1, 1.0), (0, -2.0), (1, 1.0)])?;
/// assert_eq!(second.matmul(&gpu![0.0, 1.0, 4.0, 9.0]).to_vec(), [1.0, 2.0, 2.0, -14.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Dia<T> {
    shape: [usize; 2],
    data: AnyArray,
    offsets: AnyArray,
    rows: OnceLock<Compressed>,
    of: PhantomData<T>,
}

impl<T: Field> Dia<T> {
    /// A matrix of its diagonals, as SciPy's `dia_array((data, offsets), shape)`.
    ///
    /// # Errors
    ///
    /// If there are not as many offsets as rows of `data`, or one comes twice.
    pub fn new<I: Elem>(
        shape: [usize; 2],
        data: impl ToGpu<Elem = T>,
        offsets: impl ToGpu<Elem = I>,
    ) -> Result<Dia<T>> {
        Dia::checked(shape, &AnyArray::given(&data)?, &AnyArray::given(&offsets)?)
    }

    fn checked(shape: [usize; 2], data: &AnyArray, offsets: &AnyArray) -> Result<Dia<T>> {
        beside(data, || {
            let offsets = whole("Dia::new", "offsets", offsets)?;
            let fits = matches!((data.shape(), offsets.shape()), ([rows, _], [count]) if rows == count);
            if !fits {
                let message = format!(
                    "`data` has shape {:?} and `offsets` {:?}; they must be [n, columns] and [n]",
                    data.shape(),
                    offsets.shape()
                );
                return Err(error::shape("Dia::new", message));
            }
            check_counts("Dia::new", shape, data.size())?;
            if offsets.unique().size() != offsets.size() {
                // SciPy's words.
                return Err(error::invalid("Dia::new", "offset array contains duplicate values".to_owned()));
            }
            // Copies: what the user writes to their arrays later must not change the matrix.
            let (data, offsets) = (data.copied()?, AnyArray::of(&offsets).copied()?);
            Ok(Dia { shape, data, offsets, rows: OnceLock::new(), of: PhantomData })
        })
    }

    pub(crate) fn parts(&self) -> Result<Parts> {
        let arrays = vec![("offsets", self.offsets.clone()), ("data", self.data.clone())];
        Ok(Parts { format: "dia", shape: self.shape, arrays })
    }

    /// The numbers of rows and columns.
    pub fn shape(&self) -> [usize; 2] {
        self.shape
    }

    /// The diagonals, one behind the other.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_extend::Error), if the device has no room for the copy.
    #[track_caller]
    pub fn data(&self) -> GpuArray<T> {
        self.data.copied().and_then(|copy| copy.typed()).or_raise()
    }

    /// How far each diagonal lies to the right of the main one.
    ///
    /// # Panics
    ///
    /// As `data`.
    #[track_caller]
    pub fn offsets(&self) -> GpuArray<i64> {
        self.offsets.copied().and_then(|copy| copy.typed()).or_raise()
    }

    /// The number of places of the diagonals that lie in the matrix.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_extend::Error), if the device reports one.
    #[track_caller]
    pub fn nnz(&self) -> usize {
        let [rows, columns] = self.shape.map(|length| length as i64);
        let length = self.data.shape()[1] as i64;
        let on = |offset: i64| (rows + offset).min(columns).min(length) - offset.max(0);
        self.offsets().to_vec().into_iter().map(|offset| on(offset).max(0) as usize).sum()
    }

    pub(crate) fn triplets(&self) -> Result<Triplets> {
        beside(&self.data, || {
            let ([rows, _], [count, length]) = (self.shape, self.data.shape()) else {
                unreachable!("two axes")
            };
            let (count, length) = (*count, *length);
            let offsets = self.offsets.typed::<i64>()?.reshape((-1, 1));
            let column =
                AnyArray::of(&arange(0..length as i64)).broadcast_to(&[count, length])?.typed::<i64>()?;
            let row = &column - &offsets;
            let flat = |array: &GpuArray<i64>| {
                AnyArray::of(array).contiguous()?.reshaped(&[count * length])?.typed::<i64>()
            };
            let (row, column) = (flat(&row)?, flat(&column)?);
            let inside = row.ge(0) & row.lt(rows as i64) & column.lt(self.shape[1] as i64);
            let inside = inside.flatnonzero();
            let values = taken(&self.data.reshaped(&[count * length])?, &inside)?;
            Ok(Triplets {
                shape: self.shape,
                rows: AnyArray::of(&row.take(&inside)).cast(DType::UInt32).contiguous()?,
                columns: AnyArray::of(&column.take(&inside)).cast(DType::UInt32).contiguous()?,
                values,
            })
        })
    }

    pub(crate) fn by_rows(&self) -> Result<Compressed> {
        if let Some(rows) = self.rows.get() {
            return Ok(rows.clone());
        }
        let rows = crate::edit::without_zeros(&self.triplets()?.compressed(false)?)?;
        Ok(kept(&self.rows, rows))
    }

    /// The matrix by rows, without the zeros of the diagonals.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_extend::Error), if the device has no room.
    #[track_caller]
    pub fn to_csr(&self) -> Csr<T> {
        Csr::of(self.by_rows().or_raise())
    }

    /// The dense matrix.
    ///
    /// # Panics
    ///
    /// As [`Dia::to_csr`].
    #[track_caller]
    pub fn to_dense(&self) -> GpuArray<T> {
        self.to_csr().to_dense()
    }

    /// The product with a vector, a dense matrix or a sparse one; with a vector by the diagonals, else by rows.
    ///
    /// # Panics
    ///
    /// As [`Csr::matmul`].
    #[track_caller]
    pub fn matmul<F: Factor<T> + DiagonalFactor<T>>(&self, other: F) -> F::Product {
        other.times_diagonals(self).or_raise()
    }

    /// The product with a vector.
    pub(crate) fn vector(&self, x: &AnyArray) -> Result<AnyArray> {
        beside(&self.data, || {
            let mut y = AnyArray::empty(self.shape[0], T::DTYPE)?;
            self.vector_into(x, &mut y)?;
            Ok(y)
        })
    }

    /// The product with a vector, in memory that is given.
    pub(crate) fn vector_into(&self, x: &AnyArray, y: &mut AnyArray) -> Result<()> {
        let [rows, columns] = self.shape;
        if x.shape() != [columns] || y.shape() != [rows] || y.dtype() != T::DTYPE {
            let message = format!(
                "shapes {:?} and {:?} do not fit: the second must be [{columns}], and the result [{rows}] of {}",
                self.shape,
                x.shape(),
                T::DTYPE
            );
            return Err(error::shape("matmul", message));
        }
        let x = x.cast(T::DTYPE).contiguous()?;
        if y.size() == 0 {
            return Ok(());
        }
        let work = Diagonals { columns: self.shape[1] };
        let arguments = [
            Argument::read(&self.data),
            Argument::read(&self.offsets),
            Argument::read(&x),
            Argument::write(y),
        ];
        perform(Arc::new(work), &arguments)
    }
}

/// What a matrix of diagonals is multiplied with: see [`Factor`].
pub trait DiagonalFactor<T: Field>: Factor<T> {
    #[doc(hidden)]
    fn times_diagonals(self, left: &Dia<T>) -> Result<Self::Product>;
}

impl<T: Field> DiagonalFactor<T> for &GpuArray<T> {
    fn times_diagonals(self, left: &Dia<T>) -> Result<GpuArray<T>> {
        if self.shape().len() == 1 {
            left.vector(&AnyArray::of(self))?.typed()
        } else {
            self.times(&left.by_rows()?)
        }
    }
}

macro_rules! by_rows {
    ($($format:ident)*) => {$(
        impl<T: Field> DiagonalFactor<T> for &crate::$format<T> {
            fn times_diagonals(self, left: &Dia<T>) -> Result<Csr<T>> {
                self.times(&left.by_rows()?)
            }
        }
    )*};
}
by_rows!(Csr Csc Coo Dia);

macro_rules! data {
    ($($data:ty;)*) => {$(
        impl<T: Field> DiagonalFactor<T> for $data {
            fn times_diagonals(self, left: &Dia<T>) -> Result<GpuArray<T>> {
                (&AnyArray::given(&self)?.typed::<T>()?).times_diagonals(left)
            }
        }
    )*};
}
data! {
    &Vec<T>;
    &[T];
}

impl<T: Field> DiagonalFactor<T> for GpuArray<T> {
    fn times_diagonals(self, left: &Dia<T>) -> Result<GpuArray<T>> {
        (&self).times_diagonals(left)
    }
}

impl<T: Field> gpurepl_display::Render for Dia<T> {
    /// As text, and with a table of the first and the last elements.
    fn render(&self) -> gpurepl_display::MimeBundle {
        crate::text::rendered("Dia", &self.triplets().or_raise()).or_raise()
    }
}

impl<T: Field> fmt::Debug for Dia<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::text::write("Dia", &self.triplets().map_err(|_| fmt::Error)?, f)
    }
}

/// A product with a vector.
struct Diagonals {
    columns: usize,
}

impl Operation for Diagonals {
    fn name(&self) -> &'static str {
        "matmul"
    }

    fn on_host(&self, arguments: &mut [Elements<'_>]) -> Result<()> {
        let [data, offsets, x, y] = arguments else { unreachable!("four arguments") };
        let offsets = offsets.slice::<i64>()?;
        let length = data.extent().shape[1];
        by_type!(data.extent().dtype, T => {
            let (data, x, y) = (data.slice::<T>()?, x.slice::<T>()?, y.slice_mut::<T>()?);
            let pieces = y.chunks_mut(cores::PART).enumerate().collect();
            cores::sums(pieces, |(part, y): (usize, &mut [T])| {
                let first = (part * cores::PART) as i64;
                y.fill(T::ZERO);
                for (diagonal, offset) in data.chunks_exact(length.max(1)).zip(offsets) {
                    // The rows whose column is in the matrix and in the data.
                    let columns = self.columns.min(length) as i64;
                    let start = (-offset).max(first);
                    let end = (columns - offset).min(first + y.len() as i64);
                    if start >= end {
                        continue;
                    }
                    let rows = (start - first) as usize..(end - first) as usize;
                    let columns = (start + offset) as usize..(end + offset) as usize;
                    for ((y, a), x) in y[rows].iter_mut().zip(&diagonal[columns.clone()]).zip(&x[columns]) {
                        *y += *a * *x;
                    }
                }
                [0.0; 2]
            });
        });
        Ok(())
    }

    fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
        let [data, _, _, y] = arguments else { unreachable!("four arguments") };
        let rows = y.shape[0];
        let mut all: Vec<u64> = arguments.iter().map(|argument| argument.address).collect();
        all.extend([rows, self.columns, data.shape[1], data.shape[0]].map(|length| length as u64));
        let blocks = rows.div_ceil(BLOCK).clamp(1, 32 * MOST_BLOCKS);
        // SAFETY: `vector_into` has checked the factor's length, `Dia::checked` the offsets' number; the kernel reads
        // places of diagonals within the matrix and the data.
        unsafe { launch(gpu, data.dtype, "gpurepl_sparse_diagonals", (blocks, BLOCK), &all) }
    }
}

/// A number for a whole diagonal, or its elements from the first row or column on.
pub trait Diagonal<T> {
    #[doc(hidden)]
    fn elements(&self) -> Result<AnyArray>;
}

impl<T: Field> Diagonal<T> for T {
    fn elements(&self) -> Result<AnyArray> {
        AnyArray::from_host((), T::DTYPE, bytemuck::bytes_of(self))
    }
}

impl<T: Field> Diagonal<T> for &GpuArray<T> {
    fn elements(&self) -> Result<AnyArray> {
        Ok(AnyArray::of(self))
    }
}

impl<T: Field> Diagonal<T> for Vec<T> {
    fn elements(&self) -> Result<AnyArray> {
        AnyArray::given(self)
    }
}

impl<T: Field> Diagonal<T> for &[T] {
    fn elements(&self) -> Result<AnyArray> {
        AnyArray::given(self)
    }
}

impl<T: Field> Diagonal<T> for GpuArray<T> {
    fn elements(&self) -> Result<AnyArray> {
        Ok(AnyArray::of(self))
    }
}

/// A matrix of diagonals, each with its offset to the right of the main one: SciPy's `diags`.
///
/// ```
/// use gpurepl_prelude::*;
/// let laplace = sparse::diags([3, 3], &[(-1, -1.0), (0, 2.0), (1, -1.0)])?;
/// assert_eq!(laplace.to_dense().to_vec(), [2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0]);
/// let shifted = sparse::diags([3, 3], &[(1, &gpu![5.0, 6.0])])?;
/// assert_eq!(shifted.to_dense().to_vec(), [0.0, 5.0, 0.0, 0.0, 0.0, 6.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If an array is not as long as its diagonal, an offset comes twice or lies outside of the matrix.
pub fn diags<T: Field, D: Diagonal<T>>(shape: [usize; 2], diagonals: &[(i64, D)]) -> Result<Dia<T>> {
    returned(|| {
        let elements = diagonals.iter().map(|(offset, diagonal)| Ok((*offset, diagonal.elements()?)));
        let (offsets, data) = placed(shape, T::DTYPE, &elements.collect::<Result<Vec<_>>>()?)?;
        Dia::checked(shape, &data, &offsets)
    })
}

fn placed(shape: [usize; 2], dtype: DType, diagonals: &[(i64, AnyArray)]) -> Result<(AnyArray, AnyArray)> {
    check_counts("diags", shape, 0)?;
    let [rows, columns] = shape.map(|length| length as i64);
    let data = AnyArray::zeros((diagonals.len(), shape[1]), dtype)?;
    for (number, (offset, elements)) in diagonals.iter().enumerate() {
        let length = (rows + offset.min(&0)).min(columns - offset.max(&0));
        if length < 0 || (length == 0 && rows.min(columns) > 0) {
            let message = format!("offset {offset} is out of bounds for a matrix of shape {shape:?}");
            return Err(error::invalid("diags", message));
        }
        if !elements.shape().is_empty() && elements.shape() != [length as usize] {
            let message = format!(
                "diagonal {offset} has {length} elements in a matrix of shape {shape:?}, and the array has shape {:?}",
                elements.shape()
            );
            return Err(error::shape("diags", message));
        }
        let start = (*offset).max(0) as usize;
        let mut place = data.narrowed(0, number, 1)?.narrowed(1, start, length as usize)?;
        place.assign(elements)?;
    }
    let offsets: Vec<i64> = diagonals.iter().map(|(offset, _)| *offset).collect();
    Ok((AnyArray::from_host(offsets.len(), DType::Int64, bytemuck::cast_slice(&offsets))?, data))
}

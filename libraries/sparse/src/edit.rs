//! Matrices from others: chosen elements, sums, products, blocks.

use gpurepl_extend::arrays::{arange, concatenate};
use gpurepl_extend::{AnyArray, DType, GpuArray, Result, error};

use crate::compressed::{Compressed, check_counts};
use crate::entry::beside;
use crate::number::by_type;
use crate::product;
use crate::triplets::{Triplets, taken};

/// Which elements stay, by their rows and columns.
pub(crate) fn chosen(
    a: &Compressed,
    mask: impl Fn(&GpuArray<i64>, &GpuArray<i64>) -> GpuArray<bool>,
) -> Result<Triplets> {
    beside(a.values(), || {
        let all = a.triplets()?;
        let whole = |array: &AnyArray| array.cast(DType::Int64).typed::<i64>();
        kept(&all, &mask(&whole(&all.rows)?, &whole(&all.columns)?))
    })
}

fn kept(all: &Triplets, mask: &GpuArray<bool>) -> Result<Triplets> {
    let places = mask.flatnonzero();
    Ok(Triplets {
        shape: all.shape,
        rows: taken(&all.rows, &places)?,
        columns: taken(&all.columns, &places)?,
        values: taken(&all.values, &places)?,
    })
}

/// The matrix without the zeros among its elements.
pub(crate) fn without_zeros(a: &Compressed) -> Result<Compressed> {
    beside(a.values(), || {
        let places = by_type!(a.dtype(), T => a.values().typed::<T>()?.flatnonzero());
        if places.size() == a.count() {
            return Ok(a.clone());
        }
        let all = a.triplets()?;
        let left = Triplets {
            shape: all.shape,
            rows: taken(&all.rows, &places)?,
            columns: taken(&all.columns, &places)?,
            values: taken(&all.values, &places)?,
        };
        left.compressed(false)
    })
}

/// The main diagonal.
pub(crate) fn diagonal(a: &Compressed) -> Result<AnyArray> {
    beside(a.values(), || {
        let [rows, columns] = a.shape();
        let length = rows.min(columns);
        let on = chosen(a, |row, column| row.eq(column))?;
        let count = on.values.size();
        let column = Triplets { shape: [length, 1], columns: AnyArray::zeros(count, DType::UInt32)?, ..on };
        product::dense("diagonal", &column.compressed(false)?)?.reshaped(&[length])
    })
}

/// The sum of two matrices, the second times -1 if asked; its zeros are left out, as SciPy does.
pub(crate) fn sum(
    operation: &'static str,
    a: &Compressed,
    b: &Compressed,
    minus: bool,
) -> Result<Compressed> {
    beside(a.values(), || {
        if a.shape() != b.shape() {
            let message = format!("shapes {:?} and {:?} differ; they must be the same", a.shape(), b.shape());
            return Err(error::shape(operation, message));
        }
        let (a, b) = (a.triplets()?, b.triplets()?);
        let both = |a: &AnyArray, b: &AnyArray| -> Result<AnyArray> {
            Ok(AnyArray::of(&concatenate((&a.typed::<u32>()?, &b.typed::<u32>()?))))
        };
        let values = by_type!(a.values.dtype(), T => {
            let (first, second) = (a.values.typed::<T>()?, b.values.typed::<T>()?);
            let second = if minus { -second } else { second };
            AnyArray::of(&concatenate((&first, &second)))
        });
        let all = Triplets {
            shape: a.shape,
            rows: both(&a.rows, &b.rows)?,
            columns: both(&a.columns, &b.columns)?,
            values,
        };
        without_zeros(&all.compressed(true)?)
    })
}

/// The product of two matrices: all products of elements, which are sorted by their places and added (Dalton, Olson
/// and Bell, Optimizing Sparse Matrix-Matrix Multiplication for the GPU, 2015).
pub(crate) fn product_of(operation: &'static str, a: &Compressed, b: &Compressed) -> Result<Compressed> {
    beside(a.values(), || {
        let ([rows, inner], [inner_of_b, columns]) = (a.shape(), b.shape());
        if inner != inner_of_b {
            let message = format!(
                "shapes {:?} and {:?} do not fit: the first one's columns must be as many as the second one's rows",
                a.shape(),
                b.shape()
            );
            return Err(error::shape(operation, message));
        }
        let starts = b.ends().cast(DType::Int64).typed::<i64>()?;
        let lengths = starts.slice(1..) - starts.slice(..inner);
        let through = a.indices().cast(DType::Int64).typed::<i64>()?;
        let counts = lengths.take(&through);
        let count = usize::try_from(counts.sum().try_item()?).unwrap_or(usize::MAX);
        check_counts(operation, [rows, columns], 0)?;
        if check_counts(operation, [0, 0], count).is_err() {
            let message = format!(
                "the product has {count} products of elements, which are more than are added at once; multiply blocks of \
             rows: `a.rows(..)`"
            );
            return Err(error::invalid(operation, message));
        }
        let owners = arange(0..a.count() as i64).repeat(&counts);
        let before = counts.cumsum() - &counts;
        let places = arange(0..count as i64) - before.take(&owners) + starts.take(&through).take(&owners);
        let values = taken(a.values(), &owners)?.times(&taken(b.values(), &places)?)?.contiguous()?;
        let all = Triplets {
            shape: [rows, columns],
            rows: taken(&a.rows()?, &owners)?,
            columns: taken(b.indices(), &places)?,
            values,
        };
        all.compressed(true)
    })
}

/// The Kronecker product.
pub(crate) fn kron(operation: &'static str, a: &Compressed, b: &Compressed) -> Result<Compressed> {
    beside(a.values(), || {
        let ([m, n], [p, q]) = (a.shape(), b.shape());
        let shape = [m.saturating_mul(p), n.saturating_mul(q)];
        check_counts(operation, shape, a.count().saturating_mul(b.count()))?;
        let (of_a, of_b) = (a.triplets()?, b.triplets()?);
        let pairs = |a: &AnyArray, b: &AnyArray, length: usize| -> Result<AnyArray> {
            let (a, b) = (a.typed::<u32>()?, b.typed::<u32>()?);
            let all = a.reshape((a.size(), 1)) * length as u32 + b.reshape((1, b.size()));
            AnyArray::of(&all).contiguous()?.reshaped(&[a.size() * b.size()])
        };
        let (of_a_values, of_b_values) =
            (of_a.values.reshaped(&[a.count(), 1])?, of_b.values.reshaped(&[1, b.count()])?);
        let values = of_a_values.times(&of_b_values)?.contiguous()?.reshaped(&[a.count() * b.count()])?;
        let all = Triplets {
            shape,
            rows: pairs(&of_a.rows, &of_b.rows, p)?,
            columns: pairs(&of_a.columns, &of_b.columns, q)?,
            values,
        };
        all.compressed(false)
    })
}

/// The element at a place, as an array of no axes; those that lie there are added.
pub(crate) fn element(a: &Compressed, row: usize, column: usize) -> Result<AnyArray> {
    let [rows, columns] = a.shape();
    if row >= rows || column >= columns {
        let message =
            format!("index ({row}, {column}) is out of bounds for a matrix of shape [{rows}, {columns}]");
        return Err(error::invalid("get", message));
    }
    beside(a.values(), || {
        let bounds = a.ends().narrowed(0, row, 2)?.typed::<u32>()?.to_vec();
        let (start, length) = (bounds[0] as usize, (bounds[1] - bounds[0]) as usize);
        let is_here = a.indices().narrowed(0, start, length)?.typed::<u32>()?.eq(column as u32);
        let values = a.values().narrowed(0, start, length)?;
        Ok(by_type!(a.dtype(), T => AnyArray::of(&values.typed::<T>()?.take(is_here.flatnonzero()).sum())))
    })
}

/// Some rows, which the matrix has.
pub(crate) fn rows(a: &Compressed, range: std::ops::Range<usize>) -> Result<Compressed> {
    beside(a.values(), || {
        let ends = a.ends().narrowed(0, range.start, range.len() + 1)?.cast(DType::Int64).typed::<i64>()?;
        let (first, last) =
            (ends.slice(0).try_item()? as usize, ends.slice(range.len()).try_item()? as usize);
        Compressed::of_parts(
            [range.len(), a.shape()[1]],
            AnyArray::of(&(&ends - first as i64)).cast(DType::UInt32),
            a.indices().narrowed(0, first, last - first)?.copied()?,
            a.values().narrowed(0, first, last - first)?.copied()?,
        )
    })
}

/// A dense matrix's elements that are not zero.
pub(crate) fn of_dense(operation: &'static str, a: &AnyArray) -> Result<Compressed> {
    beside(a, || {
        let [rows, columns] = *a.shape() else {
            let message = format!("an array of shape {:?} is no matrix; give one of two axes", a.shape());
            return Err(error::shape(operation, message));
        };
        check_counts(operation, [rows, columns], 0)?;
        let flat = a.contiguous()?.reshaped(&[rows * columns])?;
        let places = by_type!(a.dtype(), T => flat.typed::<T>()?.flatnonzero());
        check_counts(operation, [rows, columns], places.size())?;
        let width = columns.max(1) as i64;
        let ends = places.searchsorted(&(arange(0..rows as i64 + 1) * width));
        let values = taken(&flat, &places)?;
        let indices = AnyArray::of(&(&places % width)).cast(DType::UInt32);
        Compressed::of_parts([rows, columns], AnyArray::of(&ends).cast(DType::UInt32), indices, values)
    })
}

/// The sums along an axis: 0 for those of columns.
pub(crate) fn sums(operation: &'static str, a: &Compressed, axis: usize) -> Result<AnyArray> {
    let a = if axis == 0 { a.transposed()? } else { a.clone() };
    product::row_sums(operation, &a)
}

/// The values in another type.
pub(crate) fn cast(a: &Compressed, dtype: DType) -> Result<Compressed> {
    if a.dtype().is_complex() && !dtype.is_complex() {
        let message = format!("{dtype} has no imaginary parts; take the real parts by `a.data().real()`");
        return Err(error::dtype("astype", message));
    }
    a.with_values(a.values().cast(dtype))
}

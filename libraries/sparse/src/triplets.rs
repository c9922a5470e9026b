//! A matrix as a list of places and values.

use gpurepl_extend::arrays::{arange, types};
use gpurepl_extend::{AnyArray, DType, GpuArray, Result, error};

use crate::compressed::{Compressed, check_counts, check_indices, whole};
use crate::entry::beside;
use crate::number::by_type;
use crate::product;

/// Element `k` lies at `(rows[k], columns[k])`; those at one place are added.
#[derive(Clone)]
pub(crate) struct Triplets {
    pub(crate) shape: [usize; 2],
    /// Of `u32`, as the columns are.
    pub(crate) rows: AnyArray,
    pub(crate) columns: AnyArray,
    pub(crate) values: AnyArray,
}

impl Triplets {
    /// A user's triplets, with indices of any whole type.
    pub(crate) fn checked(
        operation: &'static str,
        shape: [usize; 2],
        rows: &AnyArray,
        columns: &AnyArray,
        values: &AnyArray,
    ) -> Result<Triplets> {
        beside(values, || {
            check_counts(operation, shape, values.size())?;
            for (name, array) in [("rows", rows), ("columns", columns), ("values", values)] {
                if array.shape().len() != 1 {
                    let message = format!("`{name}` has shape {:?}; it must have one axis", array.shape());
                    return Err(error::shape(operation, message));
                }
            }
            if rows.size() != values.size() || columns.size() != values.size() {
                let message = format!(
                    "{} rows, {} columns and {} values; there must be as many of each",
                    rows.size(),
                    columns.size(),
                    values.size()
                );
                return Err(error::shape(operation, message));
            }
            check_indices(operation, "rows", &whole(operation, "rows", rows)?, shape[0])?;
            check_indices(operation, "columns", &whole(operation, "columns", columns)?, shape[1])?;
            Ok(Triplets {
                shape,
                // Copies: what the user writes to their arrays later must not lead out of the matrix.
                rows: rows.cast(DType::UInt32).copied()?,
                columns: columns.cast(DType::UInt32).copied()?,
                values: values.copied()?,
            })
        })
    }

    pub(crate) fn transposed(&self) -> Triplets {
        Triplets {
            shape: [self.shape[1], self.shape[0]],
            rows: self.columns.clone(),
            columns: self.rows.clone(),
            values: self.values.clone(),
        }
    }

    /// The matrix by rows, with the columns of a row in increasing order; elements at one place are added if asked.
    pub(crate) fn compressed(&self, adds: bool) -> Result<Compressed> {
        beside(&self.values, || {
            let columns = self.shape[1];
            let count = self.values.size();
            let keys = self.rows.typed::<u32>()?.astype(types::u64) * columns as u64
                + self.columns.typed::<u32>()?.astype(types::u64);
            // Stable, so that elements at one place are added in the order in which they were given.
            let order = keys.argsort();
            let keys = keys.take(&order);
            let values = taken(&self.values, &order)?;
            let first = if adds && count > 1 {
                let differs = keys.slice(1..).ne(keys.slice(..count - 1)).flatnonzero();
                (differs.size() + 1 < count).then_some(differs)
            } else {
                None
            };
            let Some(differs) = first else { return by_keys(self.shape, &keys, values) };
            // Groups of neighbours are the rows of a matrix of one column.
            let distinct = differs.size() + 1;
            let ends = AnyArray::empty(distinct + 1, DType::UInt32)?;
            ends.narrowed(0, 0, 1)?.assign(&AnyArray::zeros(1, DType::UInt32)?)?;
            ends.narrowed(0, 1, distinct - 1)?.assign(&AnyArray::of(&(differs + 1)).cast(DType::UInt32))?;
            ends.narrowed(0, distinct, 1)?
                .assign(&AnyArray::of(&arange(count as i64..count as i64 + 1)).cast(DType::UInt32))?;
            let starts = ends.narrowed(0, 0, distinct)?.cast(DType::Int64).typed::<i64>()?;
            let groups =
                Compressed::of_parts([distinct, 1], ends, AnyArray::zeros(count, DType::UInt32)?, values)?;
            let values = product::row_sums("to_csr", &groups)?;
            by_keys(self.shape, &keys.take(&starts), values)
        })
    }
}

/// The elements at places.
pub(crate) fn taken(values: &AnyArray, places: &GpuArray<i64>) -> Result<AnyArray> {
    Ok(match values.dtype() {
        DType::UInt32 => AnyArray::of(&values.typed::<u32>()?.take(places)),
        dtype => by_type!(dtype, T => AnyArray::of(&values.typed::<T>()?.take(places))),
    })
}

/// A matrix of sorted places: `row * columns + column`.
fn by_keys(shape: [usize; 2], keys: &GpuArray<u64>, values: AnyArray) -> Result<Compressed> {
    let [rows, columns] = shape;
    let width = columns.max(1) as u64;
    let ends = keys.searchsorted(&(arange(0..rows as u64 + 1) * width));
    let indices = keys % width;
    Compressed::of_parts(
        shape,
        AnyArray::of(&ends).cast(DType::UInt32),
        AnyArray::of(&indices).cast(DType::UInt32),
        values,
    )
}

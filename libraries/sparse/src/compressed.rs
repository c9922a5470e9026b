//! The rows of a sparse matrix, of any type: what all formats are computed as.

use std::sync::{Arc, OnceLock};

use gpurepl_extend::arrays::types::u64 as u64_;
use gpurepl_extend::arrays::{arange, minimum};
use gpurepl_extend::{AnyArray, DType, GpuArray, Result, capture_id, error};

use crate::entry::beside;
use crate::files::signed;
use crate::kernels::TILE;
use crate::triplets::Triplets;

/// A matrix whose elements lie by rows: row `i` has those from `ends[i]` to `ends[i + 1]`. A clone is another handle.
#[doc(hidden)]
#[derive(Clone)]
pub struct Compressed(Arc<Rows>);

struct Rows {
    shape: [usize; 2],
    ends: AnyArray,
    indices: AnyArray,
    values: AnyArray,
    plan: OnceLock<Plan>,
    transposed: OnceLock<Compressed>,
}

/// How a GPU multiplies the matrix with a vector.
#[derive(Clone)]
pub(crate) enum Plan {
    /// Blocks that hold all elements of their rows: the first row of each, and one more; and where its elements begin.
    Tiles { starts: AnyArray, begins: AnyArray, count: usize },
    /// So many threads for each row, and a block for each of those that are listed, which are longer than `longest`.
    Rows { lanes: usize, longest: usize, long: Option<AnyArray> },
}

/// Of the longest row that may lie in a tile.
const SHORT: usize = 512;

/// How many rows weigh as much as an element, where tiles are filled.
const WEIGHT: usize = 8;

/// Of the longest row that one warp adds.
const LONG: usize = 1 << 13;

/// The largest number of rows, columns and elements: those that 32 bits count.
const MOST: usize = u32::MAX as usize - TILE;

impl Compressed {
    /// A matrix of parts that are known to fit: `ends` and `indices` of `u32`.
    pub(crate) fn of_parts(
        shape: [usize; 2],
        ends: AnyArray,
        indices: AnyArray,
        values: AnyArray,
    ) -> Result<Compressed> {
        let [ends, indices, values] = [ends.contiguous()?, indices.contiguous()?, values.contiguous()?];
        let rows = Rows { shape, ends, indices, values, plan: OnceLock::new(), transposed: OnceLock::new() };
        Ok(Compressed(Arc::new(rows)))
    }

    /// A matrix of a user's parts, with indices of any whole type.
    pub(crate) fn checked(
        operation: &'static str,
        shape: [usize; 2],
        values: &AnyArray,
        indices: &AnyArray,
        ends: &AnyArray,
    ) -> Result<Compressed> {
        beside(values, || {
            let [rows, columns] = shape;
            check_counts(operation, shape, values.size())?;
            for (name, array) in [("data", values), ("indices", indices), ("indptr", ends)] {
                if array.shape().len() != 1 {
                    let message = format!("`{name}` has shape {:?}; it must have one axis", array.shape());
                    return Err(error::shape(operation, message));
                }
            }
            if indices.size() != values.size() {
                let message = format!(
                    "{} values and {} indices; there must be an index for each value",
                    values.size(),
                    indices.size()
                );
                return Err(error::shape(operation, message));
            }
            if ends.size() != rows + 1 {
                // SciPy's words.
                let message = format!("index pointer size {} should be {}", ends.size(), rows + 1);
                return Err(error::shape(operation, message));
            }
            let places = whole(operation, "indptr", ends)?;
            let rises = rows == 0 || (places.slice(1..).ge(places.slice(..rows))).all().try_item()?;
            let (first, last) = (places.slice(0).try_item()?, places.slice(rows).try_item()?);
            if !rises || first != 0 || last != values.size() as i64 {
                let message = format!(
                    "`indptr` must begin with 0, never fall, and end with the number of values, {}; it begins with {first} and \
                 ends with {last}{}",
                    values.size(),
                    if rises { "" } else { ", and falls" }
                );
                return Err(error::invalid(operation, message));
            }
            check_indices(operation, "indices", &whole(operation, "indices", indices)?, columns)?;
            // Copies: what the user writes to their arrays later must not lead out of the matrix.
            let own = |array: &AnyArray| array.cast(DType::UInt32).copied();
            Compressed::of_parts(shape, own(ends)?, own(indices)?, values.copied()?)
        })
    }

    /// The arrays under SciPy's names.
    pub(crate) fn parts(&self) -> Result<Vec<(&'static str, AnyArray)>> {
        let Rows { indices, ends, values, .. } = &*self.0;
        Ok(vec![("indices", signed(indices)?), ("indptr", signed(ends)?), ("data", values.clone())])
    }

    pub(crate) fn shape(&self) -> [usize; 2] {
        self.0.shape
    }

    pub(crate) fn dtype(&self) -> DType {
        self.0.values.dtype()
    }

    pub(crate) fn ends(&self) -> &AnyArray {
        &self.0.ends
    }

    pub(crate) fn indices(&self) -> &AnyArray {
        &self.0.indices
    }

    pub(crate) fn values(&self) -> &AnyArray {
        &self.0.values
    }

    /// The number of elements that are stored.
    pub(crate) fn count(&self) -> usize {
        self.0.values.size()
    }

    /// The same places with other values.
    pub(crate) fn with_values(&self, values: AnyArray) -> Result<Compressed> {
        let plan = self.0.plan.clone();
        let rows = Rows {
            shape: self.0.shape,
            ends: self.0.ends.clone(),
            indices: self.0.indices.clone(),
            values: values.contiguous()?,
            plan,
            transposed: OnceLock::new(),
        };
        Ok(Compressed(Arc::new(rows)))
    }

    /// The row of each element.
    pub(crate) fn rows(&self) -> Result<AnyArray> {
        beside(&self.0.ends, || {
            let ends = self.0.ends.typed::<u32>()?;
            let places = arange(0..self.count() as u32);
            Ok(AnyArray::of(&(ends.searchsorted_right(&places) - 1)).cast(DType::UInt32))
        })
    }

    /// The matrix by triplets.
    pub(crate) fn triplets(&self) -> Result<Triplets> {
        Ok(Triplets {
            shape: self.0.shape,
            rows: self.rows()?,
            columns: self.0.indices.clone(),
            values: self.0.values.clone(),
        })
    }

    /// The transposed matrix, made once.
    pub(crate) fn transposed(&self) -> Result<Compressed> {
        if let Some(known) = self.0.transposed.get() {
            return Ok(known.clone());
        }
        let made = self.triplets()?.transposed().compressed(false)?;
        Ok(kept(&self.0.transposed, made))
    }

    /// How a GPU multiplies it, found once.
    pub(crate) fn plan(&self) -> Result<Plan> {
        if let Some(plan) = self.0.plan.get() {
            return Ok(plan.clone());
        }
        let plan = self.find_plan()?;
        Ok(kept(&self.0.plan, plan))
    }

    fn find_plan(&self) -> Result<Plan> {
        beside(&self.0.ends, || {
            let [rows, _] = self.0.shape;
            let ends = self.0.ends.typed::<u32>()?;
            let lengths = ends.slice(1..) - ends.slice(..rows);
            let longest = if rows == 0 { 0 } else { lengths.max().try_item()? as usize };
            if longest <= SHORT {
                // A tile is as full as its elements make it; rows without any weigh little, and something.
                let step = WEIGHT * (TILE - longest - 1);
                let count = (WEIGHT * self.count() + rows).div_ceil(step).max(1);
                let weights = ends.astype(u64_) * WEIGHT as u64 + arange(0..rows as u64 + 1);
                let starts = weights.searchsorted(&(arange(0..count as u64 + 1) * step as u64));
                let starts = minimum(&starts, rows as i64);
                let begins = AnyArray::of(&ends.take(&starts)).contiguous()?;
                let starts = AnyArray::of(&starts).cast(DType::UInt32).contiguous()?;
                return Ok(Plan::Tiles { starts, begins, count });
            }
            let mean = self.count() / rows.max(1);
            let lanes = (mean / 2).next_power_of_two().clamp(1, 32);
            let long = if longest > LONG {
                let long = lengths.gt(LONG as u32).flatnonzero();
                Some(AnyArray::of(&long).cast(DType::UInt32).contiguous()?)
            } else {
                None
            };
            Ok(Plan::Rows { lanes, longest: LONG, long })
        })
    }
}

/// Keeps what has been made, but for what a graph that is being captured is to make with each launch: until then it
/// has no elements.
pub(crate) fn kept<T: Clone>(place: &OnceLock<T>, made: T) -> T {
    if capture_id() != 0 { made } else { place.get_or_init(|| made).clone() }
}

/// Refuses what 32 bits do not count.
pub(crate) fn check_counts(operation: &'static str, shape: [usize; 2], count: usize) -> Result<()> {
    if shape[0] <= MOST && shape[1] <= MOST && count <= MOST {
        return Ok(());
    }
    let message = format!(
        "a matrix of {} rows, {} columns and {count} elements; each may be at most {MOST}: take the matrix apart in \
         blocks of rows",
        shape[0], shape[1]
    );
    Err(error::invalid(operation, message))
}

/// An array of indices as `i64`.
pub(crate) fn whole(operation: &'static str, name: &str, array: &AnyArray) -> Result<GpuArray<i64>> {
    let dtype = array.dtype();
    if dtype.is_complex() || dtype.is_float() || dtype == DType::Bool {
        let message =
            format!("`{name}` has elements of type {dtype}; indices are whole numbers: use astype(i64)");
        return Err(error::dtype(operation, message));
    }
    array.cast(DType::Int64).typed()
}

/// Refuses indices outside of an axis.
pub(crate) fn check_indices(
    operation: &'static str,
    name: &str,
    indices: &GpuArray<i64>,
    length: usize,
) -> Result<()> {
    if indices.size() == 0 {
        return Ok(());
    }
    let (least, greatest) = (indices.min().try_item()?, indices.max().try_item()?);
    for index in [least, greatest] {
        if index < 0 || index >= length as i64 {
            // NumPy's words.
            let message = format!("index {index} of `{name}` is out of bounds for axis with size {length}");
            return Err(error::invalid(operation, message));
        }
    }
    Ok(())
}

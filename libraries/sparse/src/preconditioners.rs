//! Operators close to the inverse of a matrix.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use gpurepl_extend::{
    AnyArray, Argument, DType, Elements, Extent, Gpu, GpuArray, Operation, Result, error, interrupt, perform,
};

use crate::compressed::Compressed;
use crate::edit;
use crate::entry::{beside, returned};
use crate::factor::{SparseMatrix, square};
use crate::kernels::{WIDE, launch};
use crate::number::{Arithmetic, Field, by_type};
use crate::operator::LinearOperator;
use crate::solvers::gmres::complex;

/// The inverse of a matrix's diagonal: see [`jacobi`].
#[derive(Clone)]
pub struct Jacobi<T> {
    inverse: AnyArray,
    of: PhantomData<T>,
}

/// The inverse of the matrix's diagonal, as a preconditioner.
///
/// # Errors
///
/// If the matrix is not square or an element of the diagonal is zero.
pub fn jacobi<T: Field>(a: &impl SparseMatrix<T>) -> Result<Jacobi<T>> {
    returned(|| {
        let a = a.by_rows()?;
        square("jacobi", a.shape())?;
        let inverse = inverse_diagonal("jacobi", a)?;
        Ok(Jacobi { inverse, of: PhantomData })
    })
}

fn inverse_diagonal(operation: &'static str, a: Compressed) -> Result<AnyArray> {
    beside(a.values(), || {
        let diagonal = edit::diagonal(&a)?;
        let values = complex(&diagonal)?;
        if let Some(row) = values.iter().position(|value| value.norm() == 0.0) {
            let message =
                format!("element ({row}, {row}) of the diagonal is zero; use another preconditioner");
            return Err(error::invalid(operation, message));
        }
        let ones = by_type!(a.dtype(), T => AnyArray::from_host(1, a.dtype(), bytemuck::bytes_of(&<T as Arithmetic>::ONE)))?;
        ones.divided(&diagonal)?.contiguous()
    })
}

impl<T: Field> LinearOperator<T> for Jacobi<T> {
    fn shape(&self) -> [usize; 2] {
        [self.inverse.size(), self.inverse.size()]
    }

    fn apply(&self, x: &GpuArray<T>) -> Result<GpuArray<T>> {
        check_length("jacobi", x.shape(), self.inverse.size())?;
        self.inverse.times(&AnyArray::of(x))?.typed()
    }

    fn diagonal_alone(&self) -> Option<AnyArray> {
        Some(self.inverse.clone())
    }
}

fn check_length(operation: &'static str, shape: &[usize], n: usize) -> Result<()> {
    if shape == [n] {
        return Ok(());
    }
    let message =
        format!("the preconditioner has shape [{n}, {n}] and the vector {shape:?}; it must be [{n}]");
    Err(error::shape(operation, message))
}

/// An incomplete LU factorization: see [`ilu`].
#[derive(Clone)]
pub struct Ilu<T> {
    lower: Triangle,
    upper: Triangle,
    n: usize,
    of: PhantomData<T>,
}

/// The incomplete LU factorization without fill-in, ILU(0), as a preconditioner: the factors have elements where the
/// matrix has them. Of a Hermitian matrix whose pivots are positive, as those of Poisson's equation are, it is the
/// incomplete Cholesky factorization, good for conjugate gradients.
///
/// Factors are computed on the host; triangles are solved on the matrix's device, where rows that do not depend on
/// each other are computed at once.
///
/// ```
/// use gpurepl_prelude::*;
/// let line = sparse::diags([20, 20], &[(-1, -1.0), (0, 2.0), (1, -1.0)])?.to_csr();
/// let one = sparse::eye(20)?;
/// let a = sparse::kron(&one, &line)? + sparse::kron(&line, &one)?;
/// let b = ones::<f64>(400);
/// let m = sparse::ilu(&a)?;
/// let with = sparse::solver().preconditioner(&m).cg(&a, &b)?;
/// assert!(with.iterations < sparse::cg(&a, &b)?.iterations);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the matrix is not square, or a pivot is zero or missing.
pub fn ilu<T: Field>(a: &impl SparseMatrix<T>) -> Result<Ilu<T>> {
    let a = a.by_rows()?;
    let n = square("ilu", a.shape())?;
    // Columns in order, each once.
    let sorted = a.triplets()?.compressed(true)?;
    let (lower, upper) = by_type!(T::DTYPE, U => factorized::<U>(&sorted))?;
    Ok(Ilu { lower, upper, n, of: PhantomData })
}

impl<T: Field> LinearOperator<T> for Ilu<T> {
    fn shape(&self) -> [usize; 2] {
        [self.n, self.n]
    }

    fn apply(&self, x: &GpuArray<T>) -> Result<GpuArray<T>> {
        check_length("ilu", x.shape(), self.n)?;
        let between = self.lower.solved(&AnyArray::of(x))?;
        self.upper.solved(&between)?.typed()
    }
}

impl<T> fmt::Debug for Jacobi<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Jacobi({0}, shape [{1}, {1}])", self.inverse.dtype(), self.inverse.size())
    }
}

impl<T> fmt::Debug for Ilu<T> {
    /// As sparse matrices are written: how many elements both factors have.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lower, upper) = (&self.lower.elements, &self.upper.elements);
        let count = lower.count() + upper.count() + self.n;
        write!(f, "Ilu({}, shape [{1}, {1}], {count} stored elements)", lower.dtype(), self.n)
    }
}

/// A triangle without its diagonal, its rows in an order in which each depends on rows of earlier levels alone.
#[derive(Clone)]
struct Triangle {
    elements: Compressed,
    /// None of a triangle with ones.
    diagonal: Option<AnyArray>,
    order: AnyArray,
    levels: AnyArray,
}

impl Triangle {
    fn solved(&self, b: &AnyArray) -> Result<AnyArray> {
        beside(b, || {
            let b = b.contiguous()?;
            let mut x = AnyArray::empty(b.shape(), b.dtype())?;
            if b.size() == 0 {
                return Ok(x);
            }
            let a = &self.elements;
            let mut arguments = Vec::from([a.ends(), a.indices(), a.values()].map(Argument::read));
            arguments.extend(self.diagonal.as_ref().map(Argument::read));
            arguments.extend([&self.order, &self.levels, &b].map(Argument::read));
            arguments.push(Argument::write(&mut x));
            let work = Solve { has_diagonal: self.diagonal.is_some(), levels: self.levels.size() - 1 };
            perform(Arc::new(work), &arguments)?;
            Ok(x)
        })
    }
}

struct Solve {
    has_diagonal: bool,
    levels: usize,
}

impl Operation for Solve {
    fn name(&self) -> &'static str {
        "ilu"
    }

    fn on_host(&self, arguments: &mut [Elements<'_>]) -> Result<()> {
        let [ends, indices, values, between @ .., b, x] = arguments else { unreachable!("the arguments") };
        let (ends, indices) = (ends.slice::<u32>()?, indices.slice::<u32>()?);
        let order = between[usize::from(self.has_diagonal)].slice::<u32>()?;
        by_type!(values.extent().dtype, T => {
            let (values, b, x) = (values.slice::<T>()?, b.slice::<T>()?, x.slice_mut::<T>()?);
            let diagonal = if self.has_diagonal { Some(between[0].slice::<T>()?) } else { None };
            for row in order {
                let row = *row as usize;
                let places = ends[row] as usize..ends[row + 1] as usize;
                let mut left = b[row];
                for (index, value) in indices[places.clone()].iter().zip(&values[places]) {
                    left -= *value * x[*index as usize];
                }
                x[row] = diagonal.map_or(left, |diagonal| left / diagonal[row]);
            }
        });
        Ok(())
    }

    fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
        let mut all: Vec<u64> = arguments.iter().map(|argument| argument.address).collect();
        if !self.has_diagonal {
            all.insert(3, 0);
        }
        all.push(self.levels as u64);
        // SAFETY: the triangle's rows, order and levels are those that `Levels` has found, and the vectors have an element
        // for each row, as `LinearOperator::apply` has checked.
        unsafe { launch(gpu, arguments[2].dtype, "gpurepl_sparse_triangle", (1, WIDE), &all) }
    }
}

/// ILU(0): Saad, Iterative Methods for Sparse Linear Systems (2003), algorithm 10.4.
fn factorized<T: Field>(a: &Compressed) -> Result<(Triangle, Triangle)> {
    beside(a.values(), || {
        let ends = on_host::<u32>(a.ends())?;
        let indices = on_host::<u32>(a.indices())?;
        let mut values = on_host::<T>(a.values())?;
        let n = a.shape()[0];
        let mut pivots = vec![0; n];
        // Where the current row has its element of a column; beyond all places if it has none.
        let mut place_of = vec![u32::MAX; n];
        for row in 0..n {
            if row.is_multiple_of(1 << 12) {
                interrupt::check()?;
            }
            let places = ends[row] as usize..ends[row + 1] as usize;
            for place in places.clone() {
                place_of[indices[place] as usize] = place as u32;
            }
            for place in places.clone() {
                let column = indices[place] as usize;
                if column >= row {
                    break;
                }
                let factor = values[place] / values[pivots[column]];
                values[place] = factor;
                for other in pivots[column] + 1..ends[column + 1] as usize {
                    let to = place_of[indices[other] as usize];
                    if to != u32::MAX {
                        let known = values[other];
                        values[to as usize] -= factor * known;
                    }
                }
            }
            let pivot = place_of[row];
            for place in places {
                place_of[indices[place] as usize] = u32::MAX;
            }
            if pivot == u32::MAX || values[pivot as usize] == T::ZERO {
                let what =
                    if pivot == u32::MAX { "has no element on the diagonal" } else { "has a pivot of zero" };
                let message = format!("row {row} {what}; order the rows anew, or use another preconditioner");
                return Err(error::invalid("ilu", message));
            }
            pivots[row] = pivot as usize;
        }
        let rows = |row: usize| ends[row] as usize..ends[row + 1] as usize;
        let lower = triangle(n, &indices, &values, |row| rows(row).start..pivots[row], false)?;
        let mut upper = triangle(n, &indices, &values, |row| pivots[row] + 1..rows(row).end, true)?;
        let diagonal: Vec<T> = pivots.iter().map(|place| values[*place]).collect();
        upper.diagonal = Some(AnyArray::from_host(n, T::DTYPE, bytemuck::cast_slice(&diagonal))?);
        Ok((lower, upper))
    })
}

fn on_host<T: bytemuck::Pod>(array: &AnyArray) -> Result<Vec<T>> {
    Ok(bytemuck::pod_collect_to_vec(&array.to_host()?))
}

/// A triangle of some of the elements of each row, and its levels: a row's is one above the highest of those that it
/// depends on.
fn triangle<T: Field>(
    n: usize,
    indices: &[u32],
    values: &[T],
    places: impl Fn(usize) -> std::ops::Range<usize>,
    is_upper: bool,
) -> Result<Triangle> {
    let (mut ends, mut columns, mut elements) = (vec![0_u32], Vec::new(), Vec::new());
    for row in 0..n {
        columns.extend_from_slice(&indices[places(row)]);
        elements.extend_from_slice(&values[places(row)]);
        ends.push(columns.len() as u32);
    }
    let mut level_of = vec![0_u32; n];
    let mut find = |row: usize| {
        let above = columns[ends[row] as usize..ends[row + 1] as usize].iter();
        level_of[row] = above.map(|column| level_of[*column as usize] + 1).max().unwrap_or(0);
    };
    if is_upper {
        (0..n).rev().for_each(&mut find)
    } else {
        (0..n).for_each(&mut find)
    }
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_by_key(|row| level_of[*row as usize]);
    let count = level_of.iter().max().map_or(0, |level| level + 1);
    let mut levels = vec![0_u32; count as usize + 1];
    for level in level_of {
        levels[level as usize + 1] += 1;
    }
    for level in 1..levels.len() {
        levels[level] += levels[level - 1];
    }
    let whole =
        |values: &[u32]| AnyArray::from_host(values.len(), DType::UInt32, bytemuck::cast_slice(values));
    let elements = AnyArray::from_host(elements.len(), T::DTYPE, bytemuck::cast_slice(&elements))?;
    Ok(Triangle {
        elements: Compressed::of_parts([n, n], whole(&ends)?, whole(&columns)?, elements)?,
        diagonal: None,
        order: whole(&order)?,
        levels: whole(&levels)?,
    })
}

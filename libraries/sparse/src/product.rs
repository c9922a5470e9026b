//! Sparse matrices by dense vectors and matrices.

use std::sync::Arc;

use gpurepl_extend::{AnyArray, Argument, Elements, Extent, Gpu, Operation, Result, error, perform};

use crate::compressed::{Compressed, Plan};
use crate::cores;
use crate::entry::beside;
use crate::kernels::{BLOCK, MOST_BLOCKS, launch};
use crate::number::{Arithmetic, by_type};

/// A matrix times a vector or a dense matrix of its type.
pub(crate) fn matmul(operation: &'static str, a: &Compressed, x: &AnyArray) -> Result<AnyArray> {
    beside(a.values(), || {
        let [rows, columns] = a.shape();
        let fits = matches!(x.shape().len(), 1 | 2) && x.shape()[0] == columns;
        if !fits {
            let message = format!(
                "shapes {:?} and {:?} do not fit: the second must be [{columns}] or [{columns}, k]",
                a.shape(),
                x.shape()
            );
            return Err(error::shape(operation, message));
        }
        if let [_, width] = *x.shape() {
            let x = x.cast(a.dtype()).contiguous()?;
            let mut y = AnyArray::empty((rows, width), a.dtype())?;
            let numbers = vec![rows as u64, width as u64];
            let work = Product { name: operation, numbers, kind: Kind::Matrix, has_factor: true };
            perform_with(work, a, Some(&x), &mut y, &[])?;
            return Ok(y);
        }
        vector(operation, a, x)
    })
}

/// [`vector_into`] of a vector that may not fit.
pub(crate) fn checked_vector_into(
    operation: &'static str,
    a: &Compressed,
    x: &AnyArray,
    y: &mut AnyArray,
) -> Result<()> {
    let [rows, columns] = a.shape();
    if x.shape() == [columns] && y.shape() == [rows] && y.dtype() == a.dtype() {
        return vector_into(operation, a, x, y);
    }
    let message = format!(
        "shapes {:?}, {:?} and {:?} do not fit: they must be [{rows}, {columns}], [{columns}] and [{rows}], of {}, \
         where the last is of {}",
        a.shape(),
        x.shape(),
        y.shape(),
        a.dtype(),
        y.dtype()
    );
    Err(error::shape(operation, message))
}

/// The sums of rows.
pub(crate) fn row_sums(operation: &'static str, a: &Compressed) -> Result<AnyArray> {
    beside(a.values(), || {
        let mut y = AnyArray::empty(a.shape()[0], a.dtype())?;
        into(operation, a, None, &mut y)?;
        Ok(y)
    })
}

/// A matrix times a vector that fits.
pub(crate) fn vector(operation: &'static str, a: &Compressed, x: &AnyArray) -> Result<AnyArray> {
    beside(a.values(), || {
        let mut y = AnyArray::empty(a.shape()[0], a.dtype())?;
        vector_into(operation, a, x, &mut y)?;
        Ok(y)
    })
}

/// [`vector`] with memory for the result.
pub(crate) fn vector_into(
    operation: &'static str,
    a: &Compressed,
    x: &AnyArray,
    y: &mut AnyArray,
) -> Result<()> {
    into(operation, a, Some(&x.cast(a.dtype()).contiguous()?), y)
}

/// Without a factor the elements themselves are added.
fn into(operation: &'static str, a: &Compressed, x: Option<&AnyArray>, y: &mut AnyArray) -> Result<()> {
    let work = |numbers, kind| Product { name: operation, numbers, kind, has_factor: x.is_some() };
    if is_on_host(a)? {
        return perform_with(work(Vec::new(), Kind::Matrix), a, x, y, &[]);
    }
    match a.plan()? {
        Plan::Tiles { starts, begins, count } => {
            perform_with(work(vec![count as u64], Kind::Tiles), a, x, y, &[&starts, &begins])
        }
        Plan::Rows { lanes, longest, long } => {
            let numbers = vec![a.shape()[0] as u64, lanes as u64, longest as u64];
            perform_with(work(numbers, Kind::Rows), a, x, y, &[])?;
            let Some(long) = long else { return Ok(()) };
            perform_with(work(vec![long.size() as u64], Kind::Long), a, x, y, &[&long])
        }
    }
}

pub(crate) fn is_on_host(a: &Compressed) -> Result<bool> {
    Ok(a.values().context()?.device().kind() == gpurepl_extend::DeviceKind::Host)
}

fn perform_with(
    work: Product,
    a: &Compressed,
    x: Option<&AnyArray>,
    y: &mut AnyArray,
    more: &[&AnyArray],
) -> Result<()> {
    if y.size() == 0 {
        return Ok(());
    }
    let [ends, indices, values] = [a.ends(), a.indices(), a.values()].map(Argument::read);
    let mut arguments = vec![ends, indices, values];
    arguments.extend(x.map(Argument::read));
    arguments.extend(more.iter().copied().map(Argument::read));
    arguments.push(Argument::write(y));
    perform(Arc::new(work), &arguments)
}

/// A product. Its arguments are ends, indices, values, the factor if it has one, what the kernel needs besides, and the
/// result.
struct Product {
    name: &'static str,
    numbers: Vec<u64>,
    kind: Kind,
    has_factor: bool,
}

/// Which kernel multiplies; the host has one way.
enum Kind {
    Tiles,
    Rows,
    Long,
    Matrix,
}

impl Operation for Product {
    fn name(&self) -> &'static str {
        self.name
    }

    fn on_host(&self, arguments: &mut [Elements<'_>]) -> Result<()> {
        let [ends, indices, values, factor @ .., y] = arguments else { unreachable!("ends to result") };
        let (ends, indices) = (ends.slice::<u32>()?, indices.slice::<u32>()?);
        let width = y.extent().shape.get(1).copied().unwrap_or(1);
        by_type!(values.extent().dtype, T => match factor.first() {
            Some(x) => multiply::<T>(ends, indices, values.slice()?, x.slice()?, width, y.slice_mut()?),
            None => add::<T>(ends, values.slice()?, y.slice_mut()?),
        });
        Ok(())
    }

    fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
        let mut addresses: Vec<u64> = arguments.iter().map(|argument| argument.address).collect();
        if !self.has_factor {
            // No factor is an address of zero.
            addresses.insert(3, 0);
        }
        let (to, more) = (addresses[addresses.len() - 1], &addresses[4..addresses.len() - 1]);
        let dtype = arguments[2].dtype;
        let (entry, blocks) = match self.kind {
            Kind::Tiles => ("gpurepl_sparse_tiles", self.numbers[0] as usize),
            Kind::Long => ("gpurepl_sparse_long_rows", self.numbers[0] as usize),
            Kind::Rows => {
                let together = BLOCK / self.numbers[1] as usize;
                let blocks = (self.numbers[0] as usize).div_ceil(together).clamp(1, 32 * MOST_BLOCKS);
                ("gpurepl_sparse_rows", blocks)
            }
            Kind::Matrix => {
                let size = (self.numbers[0] * self.numbers[1]) as usize;
                ("gpurepl_sparse_matrix", size.div_ceil(BLOCK).clamp(1, 64 * MOST_BLOCKS))
            }
        };
        let mut all = addresses[..4].to_vec();
        all.push(to);
        all.extend(more);
        if matches!(self.kind, Kind::Rows | Kind::Matrix) {
            all.extend(&self.numbers);
        }
        // SAFETY: a `Compressed` has ends that never fall, from 0 to the number of elements, and indices below its
        // columns; `matmul` has checked the factor's length, and the result has a row for each of the matrix. The
        // starts of tiles and the list of long rows are those of its plan.
        unsafe { launch(gpu, dtype, entry, (blocks, BLOCK), &all) }
    }
}

fn add<T: Arithmetic>(ends: &[u32], values: &[T], y: &mut [T]) {
    cores::rows(ends, 1, y, |first, rows| {
        for (row, to) in rows.iter_mut().enumerate() {
            *to = T::ZERO;
            for value in &values[ends[first + row] as usize..ends[first + row + 1] as usize] {
                *to += *value;
            }
        }
    });
}

fn multiply<T: Arithmetic>(ends: &[u32], indices: &[u32], values: &[T], x: &[T], width: usize, y: &mut [T]) {
    cores::rows(ends, width, y, |first, rows| {
        for (row, to) in rows.chunks_exact_mut(width).enumerate() {
            let places = ends[first + row] as usize..ends[first + row + 1] as usize;
            let (indices, values) = (&indices[places.clone()], &values[places]);
            if let [to] = to {
                *to = row_product(indices, values, x);
                continue;
            }
            to.fill(T::ZERO);
            for (index, value) in indices.iter().zip(values) {
                let start = *index as usize * width;
                for (to, x) in to.iter_mut().zip(&x[start..start + width]) {
                    *to += *value * *x;
                }
            }
        }
    });
}

/// Four sums at a time, since each waits for the one before.
fn row_product<T: Arithmetic>(indices: &[u32], values: &[T], x: &[T]) -> T {
    let mut sums = [T::ZERO; 4];
    let (of_indices, of_values) = (indices.chunks_exact(4), values.chunks_exact(4));
    let rest = of_indices.remainder().iter().zip(of_values.remainder());
    for (indices, values) in of_indices.zip(of_values) {
        for k in 0..4 {
            sums[k] += values[k] * x[indices[k] as usize];
        }
    }
    let mut sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (index, value) in rest {
        sum += *value * x[*index as usize];
    }
    sum
}

/// The dense matrix, in which elements at one place are added.
pub(crate) fn dense(operation: &'static str, a: &Compressed) -> Result<AnyArray> {
    beside(a.values(), || {
        let mut dense = AnyArray::zeros(a.shape(), a.dtype())?;
        if dense.size() > 0 {
            let [ends, indices, values] = [a.ends(), a.indices(), a.values()].map(Argument::read);
            perform(Arc::new(Dense(operation)), &[ends, indices, values, Argument::write(&mut dense)])?;
        }
        Ok(dense)
    })
}

struct Dense(&'static str);

impl Operation for Dense {
    fn name(&self) -> &'static str {
        self.0
    }

    fn on_host(&self, arguments: &mut [Elements<'_>]) -> Result<()> {
        let [ends, indices, values, to] = arguments else { unreachable!("four arguments") };
        let (ends, indices) = (ends.slice::<u32>()?, indices.slice::<u32>()?);
        let columns = to.extent().shape[1];
        by_type!(values.extent().dtype, T => {
            let values = values.slice::<T>()?;
            for (row, to) in to.slice_mut::<T>()?.chunks_exact_mut(columns).enumerate() {
                let places = ends[row] as usize..ends[row + 1] as usize;
                for (index, value) in indices[places.clone()].iter().zip(&values[places]) {
                    to[*index as usize] += *value;
                }
            }
        });
        Ok(())
    }

    fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
        let mut all: Vec<u64> = arguments.iter().map(|argument| argument.address).collect();
        let [rows, columns] = arguments[3].shape[..] else { unreachable!("a matrix") };
        all.extend([rows as u64, columns as u64]);
        let blocks = rows.div_ceil(BLOCK).clamp(1, 32 * MOST_BLOCKS);
        // SAFETY: as for products; the result has the matrix's shape.
        unsafe { launch(gpu, arguments[2].dtype, "gpurepl_sparse_dense", (blocks, BLOCK), &all) }
    }
}

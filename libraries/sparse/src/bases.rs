//! A vector and the rows of a matrix, which solvers keep as a basis.

use std::sync::Arc;

use gpurepl_extend::{AnyArray, Argument, DType, Elements, Extent, Gpu, Operation, Result, perform};

use crate::cores::{self, PART};
use crate::kernels::{BLOCK, MOST_BLOCKS, blocks, launch};
use crate::number::{Arithmetic, by_type};

/// The inner products of the rows with a vector, the rows conjugated.
pub(crate) fn inners(basis: &AnyArray, w: &AnyArray) -> Result<AnyArray> {
    let rows = basis.shape()[0];
    let mut to = AnyArray::empty(rows, w.dtype())?;
    let mut partial = AnyArray::empty(rows * MOST_BLOCKS, w.dtype())?;
    let mut ticket = AnyArray::zeros(1, DType::UInt32)?;
    let arguments = [
        Argument::read(basis),
        Argument::read(w),
        Argument::write(&mut to),
        Argument::write(&mut partial),
        Argument::write(&mut ticket),
    ];
    perform(Arc::new(Inners), &arguments)?;
    Ok(to)
}

/// A vector plus the rows, each times its own number; or minus those.
pub(crate) fn combined(
    basis: &AnyArray,
    factors: &AnyArray,
    from: &AnyArray,
    is_less: bool,
) -> Result<AnyArray> {
    let mut to = AnyArray::empty(from.shape(), from.dtype())?;
    let arguments =
        [Argument::read(basis), Argument::read(factors), Argument::read(from), Argument::write(&mut to)];
    perform(Arc::new(Combine { is_less }), &arguments)?;
    Ok(to)
}

struct Inners;

impl Operation for Inners {
    fn name(&self) -> &'static str {
        "inner products"
    }

    fn on_host(&self, arguments: &mut [Elements<'_>]) -> Result<()> {
        let [basis, w, to, ..] = arguments else { unreachable!("five arguments") };
        by_type!(w.extent().dtype, T => {
            let (basis, w, to) = (basis.slice::<T>()?, w.slice::<T>()?, to.slice_mut::<T>()?);
            for (to, row) in to.iter_mut().zip(basis.chunks_exact(w.len().max(1))) {
                let pieces = row.chunks(PART).zip(w.chunks(PART)).collect();
                let [real, imaginary] = cores::sums(pieces, |(row, w): (&[T], &[T])| inner(row, w));
                *to = <T as Arithmetic>::of_parts(real, imaginary);
            }
        });
        Ok(())
    }

    fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
        let [rows, n] = arguments[0].shape[..] else { unreachable!("a basis has two axes") };
        let mut all: Vec<u64> = arguments.iter().map(|argument| argument.address).collect();
        all.extend([n as u64, rows as u64]);
        // SAFETY: the rows and the vector have `n` elements, the results one for each row, and `partial` one for each row
        // and block, of which there are at most `MOST_BLOCKS`.
        unsafe { launch(gpu, arguments[1].dtype, "gpurepl_sparse_inners", (blocks(n), BLOCK), &all) }
    }
}

/// Four sums at a time, since each waits for the one before.
fn inner<T: Arithmetic>(a: &[T], b: &[T]) -> [f64; 2] {
    let mut sums = [T::ZERO; 4];
    let (of_a, of_b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = of_a.remainder().iter().zip(of_b.remainder());
    for (a, b) in of_a.zip(of_b) {
        for k in 0..4 {
            sums[k] += a[k].conjugate() * b[k];
        }
    }
    let mut sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (a, b) in rest {
        sum += a.conjugate() * *b;
    }
    [sum.real(), sum.imaginary()]
}

struct Combine {
    is_less: bool,
}

impl Operation for Combine {
    fn name(&self) -> &'static str {
        "a sum of vectors"
    }

    fn on_host(&self, arguments: &mut [Elements<'_>]) -> Result<()> {
        let [basis, factors, from, to] = arguments else { unreachable!("four arguments") };
        let by = if self.is_less { -1.0 } else { 1.0 };
        by_type!(from.extent().dtype, T => {
            let (basis, factors) = (basis.slice::<T>()?, factors.slice::<T>()?);
            let (from, to) = (from.slice::<T>()?, to.slice_mut::<T>()?);
            let n = from.len();
            let pieces = to.chunks_mut(PART).zip(from.chunks(PART)).enumerate().collect();
            cores::sums(pieces, |(part, (to, from)): (usize, (&mut [T], &[T]))| {
                to.copy_from_slice(from);
                for (row, factor) in factors.iter().enumerate() {
                    let start = row * n + part * PART;
                    let factor = <T as Arithmetic>::scaled(*factor, by);
                    for (to, x) in to.iter_mut().zip(&basis[start..]) {
                        *to += factor * *x;
                    }
                }
                [0.0; 2]
            });
        });
        Ok(())
    }

    fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
        let [rows, n] = arguments[0].shape[..] else { unreachable!("a basis has two axes") };
        let mut all: Vec<u64> = arguments.iter().map(|argument| argument.address).collect();
        all.extend([n as u64, rows as u64, u64::from(self.is_less)]);
        let blocks = n.div_ceil(BLOCK).clamp(1, 32 * MOST_BLOCKS);
        // SAFETY: the rows and both vectors have `n` elements, and there is a factor for each row.
        unsafe { launch(gpu, arguments[2].dtype, "gpurepl_sparse_combine", (blocks, BLOCK), &all) }
    }
}

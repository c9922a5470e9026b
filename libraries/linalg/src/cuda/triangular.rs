//! Systems with triangular matrices: cuBLAS's `trsm`, `trsmBatched`.

use std::ffi::{c_int, c_void};

use gpurepl_extend::{AnyArray, Argument, DType, Extent, Gpu, Result};

use super::handle::with_blas;
use super::kernels;
use super::matrices::{Matrices, Number, exchanged, is_batched, number, pieces, triangle};
use super::work::{at, run};

/// `CUBLAS_SIDE_RIGHT`.
const RIGHT: c_int = 1;

/// What `a`, its transpose (1) or its conjugate transpose (2) is multiplied with to give `b`. One triangle of `a` is
/// read, and not its diagonal if that is said to be of ones.
pub(crate) fn triangular_solve(
    a: &AnyArray,
    b: &AnyArray,
    lower: bool,
    unit: bool,
    transpose: u8,
) -> Result<AnyArray> {
    let name = "solve_triangular";
    let (matrices, sides) = (Matrices::of(a), Matrices::of(b).columns);
    let mut x = b.copied()?;
    if a.size() == 0 || x.size() == 0 {
        return Ok(x);
    }
    // In C order, column by column, are the transposes of all: with the unknowns on the left, the equations are
    // solved where they lie, and so is the result.
    let view = exchanged(a)?;
    let is_exchanged = transpose != 2 && view.is_contiguous()? && !a.is_contiguous()?;
    let a = if is_exchanged { view } else { a.contiguous()? };
    let how = How::new(lower, unit, transpose, is_exchanged);
    if is_batched(matrices.count, matrices.rows) {
        batched(name, &a, &mut x, &matrices, sides, how)?;
    } else {
        looped(name, &a, &mut x, &matrices, sides, how)?;
    }
    Ok(x)
}

/// What `trsm` is told about the matrix that it gets.
#[derive(Clone, Copy, Debug, PartialEq)]
struct How {
    /// `cublasFillMode_t`.
    triangle: c_int,
    /// `cublasOperation_t`.
    operation: c_int,
    /// `cublasDiagType_t`.
    diagonal: c_int,
}

impl How {
    /// For the matrix row by row, or column by column, which is not possible with a conjugate transpose: its
    /// transpose would be a conjugate alone, which the library does not know.
    fn new(lower: bool, unit: bool, transpose: u8, is_exchanged: bool) -> How {
        let operation = match (transpose, is_exchanged) {
            (0, false) | (1, true) => 0,
            (0, true) | (1, false) => 1,
            _ => 2,
        };
        let is_upper = if is_exchanged { !lower } else { lower };
        How { triangle: triangle(is_upper), operation, diagonal: c_int::from(unit) }
    }
}

/// One in the type that is computed with. The library reads a `cuDoubleComplex` as a vector, so it must lie at a
/// multiple of 16 bytes.
#[repr(C, align(16))]
struct One<T>([T; 2]);

static SINGLE: One<f32> = One([1.0, 0.0]);
static DOUBLE: One<f64> = One([1.0, 0.0]);

fn one(number: Number) -> *const c_void {
    if number.real == DType::Float64 { DOUBLE.0.as_ptr().cast() } else { SINGLE.0.as_ptr().cast() }
}

fn looped(
    name: &'static str,
    a: &AnyArray,
    x: &mut AnyArray,
    matrices: &Matrices,
    sides: usize,
    how: How,
) -> Result<()> {
    let dtype = Number::of(name, a.dtype())?;
    let (count, order) = (matrices.count, matrices.rows);
    let (columns, rows) = (number(name, order)?, number(name, sides)?);
    let work = move |gpu: &dyn Gpu, arrays: &[Extent]| {
        let [a, x] = arrays else { unreachable!("two arrays") };
        with_blas(name, gpu, a.context, |blas| {
            for k in 0..count {
                // SAFETY: the handle is of this context and locked. Matrix `k` is square, and its right sides lie in
                // an array that is written; the factor is of the type and lives as long as the program.
                let status = unsafe {
                    (blas.library.trsm[dtype.index])(
                        blas.handle(),
                        RIGHT,
                        how.triangle,
                        how.operation,
                        how.diagonal,
                        rows,
                        columns,
                        one(dtype),
                        at(a, k * order * order),
                        columns,
                        at(x, k * order * sides),
                        rows,
                    )
                };
                blas.check("solve with a triangle", status)?;
            }
            Ok(())
        })
    };
    run(name, &[Argument::read(a), Argument::write(x)], work)
}

fn batched(
    name: &'static str,
    a: &AnyArray,
    x: &mut AnyArray,
    matrices: &Matrices,
    sides: usize,
    how: How,
) -> Result<()> {
    let dtype = Number::of(name, a.dtype())?;
    let (count, order) = (matrices.count, matrices.rows);
    let (columns, rows) = (number(name, order)?, number(name, sides)?);
    let mut pointers = [AnyArray::empty([count], DType::UInt64)?, AnyArray::empty([count], DType::UInt64)?];
    let work = move |gpu: &dyn Gpu, arrays: &[Extent]| {
        let [a, x, a_pointers, x_pointers] = arrays else { unreachable!("four arrays") };
        kernels::pointers(gpu, a_pointers, a, order * order)?;
        kernels::pointers(gpu, x_pointers, x, order * sides)?;
        with_blas(name, gpu, a.context, |blas| {
            for (first, length) in pieces(count, order * order.max(sides)) {
                // SAFETY: the handle is of this context and locked. There are the addresses of `length` square
                // matrices and of their right sides from `first` on, the latter in an array that is written; the
                // factor is of the type and lives as long as the program.
                let status = unsafe {
                    (blas.library.trsm_batched[dtype.index])(
                        blas.handle(),
                        RIGHT,
                        how.triangle,
                        how.operation,
                        how.diagonal,
                        rows,
                        columns,
                        one(dtype),
                        at(a_pointers, first).cast_const().cast(),
                        columns,
                        at(x_pointers, first).cast_const().cast(),
                        rows,
                        length as c_int,
                    )
                };
                blas.check("solve with triangles", status)?;
            }
            Ok(())
        })
    };
    let [a_pointers, x_pointers] = &mut pointers;
    let arguments =
        [Argument::read(a), Argument::write(x), Argument::write(a_pointers), Argument::write(x_pointers)];
    run(name, &arguments, work)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix as the library reads it, and the answer of its formula `x * op(m) = b`: the memory of `a` is read
    /// column by column.
    fn reads(memory: &[f64; 4], how: How) -> [[f64; 2]; 2] {
        // `m[i][j]` of the library, and zeros outside of the triangle.
        let m = |i: usize, j: usize| {
            let is_there = if how.triangle == 1 { i <= j } else { i >= j };
            if is_there { memory[i + 2 * j] } else { 0.0 }
        };
        let op = |i: usize, j: usize| if how.operation == 0 { m(i, j) } else { m(j, i) };
        [[op(0, 0), op(0, 1)], [op(1, 0), op(1, 1)]]
    }

    #[test]
    fn the_matrix_is_read_as_it_lies() {
        // a = [[1, 2], [3, 4]].
        let (rows, columns) = ([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]);
        for (is_exchanged, memory) in [(false, rows), (true, columns)] {
            for lower in [false, true] {
                let wanted = if lower { [[1.0, 0.0], [3.0, 4.0]] } else { [[1.0, 2.0], [0.0, 4.0]] };
                let turned = |a: [[f64; 2]; 2]| [[a[0][0], a[1][0]], [a[0][1], a[1][1]]];
                // The transposed equations: `transposed(x) * transposed(op(a)) = transposed(b)`.
                let none = reads(&memory, How::new(lower, false, 0, is_exchanged));
                assert_eq!(none, turned(wanted), "{lower} {is_exchanged}");
                let transposed = reads(&memory, How::new(lower, false, 1, is_exchanged));
                assert_eq!(transposed, wanted, "{lower} {is_exchanged}");
            }
        }
    }

    #[test]
    fn a_conjugate_transpose_is_read_row_by_row() {
        assert_eq!(How::new(true, true, 2, false), How { triangle: 1, operation: 2, diagonal: 1 });
    }
}

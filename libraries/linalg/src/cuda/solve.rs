//! Systems of linear equations and inverses by triangular factors: `getrs`, `matinvBatched`.

use std::ffi::c_int;

use gpurepl_extend::{AnyArray, Argument, DType, Extent, Gpu, Result};

use super::handle::{with_blas, with_solver};
use super::kernels;
use super::lu::{Factors, factored};
use super::matrices::{Matrices, Number, column_major, exchanged, is_batched, number, pieces};
use super::work::{Reports, at, checked, run};

/// The most right sides of each matrix of a batch: the routine for batches is made for few.
const MOST_BATCHED_SIDES: usize = 256;

/// The most rows that `matinvBatched` takes.
const MOST_INVERTED: usize = 32;

/// What `a` is multiplied with to give `b`, and the reports: an element of the diagonal of a factor is zero.
pub(crate) fn solve(a: &AnyArray, b: &AnyArray) -> Result<(AnyArray, Vec<i64>)> {
    let matrices = Matrices::of(a);
    let x = column_major(b)?;
    if a.size() == 0 || x.size() == 0 {
        // Of an empty right side nothing is asked, not even whether the matrix is singular.
        return Ok((exchanged(&x)?, vec![0; matrices.count]));
    }
    solved("solve", column_major(a)?, x, &matrices)
}

/// The inverses, and the reports as above.
pub(crate) fn inverse(a: &AnyArray) -> Result<(AnyArray, Vec<i64>)> {
    let name = "inv";
    let matrices = Matrices::of(a);
    let from = column_major(a)?;
    let mut x = AnyArray::empty(from.shape(), from.dtype())?;
    if x.size() == 0 {
        return Ok((exchanged(&x)?, vec![0; matrices.count]));
    }
    if matrices.count > 1 && matrices.rows <= MOST_INVERTED {
        return inverted(name, &from, x, &matrices);
    }
    let order = matrices.rows;
    run(name, &[Argument::write(&mut x)], move |gpu, arrays| kernels::identity(gpu, &arrays[0], order))?;
    solved(name, from, x, &matrices)
}

/// Overwrites both: the matrices with their factors, the right sides with the solutions.
fn solved(
    name: &'static str,
    mut a: AnyArray,
    mut x: AnyArray,
    matrices: &Matrices,
) -> Result<(AnyArray, Vec<i64>)> {
    let sides = Matrices::of(&x).rows;
    let is_batched = is_batched(matrices.count, matrices.rows) && sides <= MOST_BATCHED_SIDES;
    let factors = factored(name, &mut a, matrices, is_batched)?;
    if is_batched {
        batched(name, &mut a, &factors, &mut x, matrices)?;
    } else {
        looped(name, &a, &factors, &mut x, matrices)?;
    }
    Ok((exchanged(&x)?, factors.reports.read()?))
}

fn looped(
    name: &'static str,
    lu: &AnyArray,
    factors: &Factors,
    x: &mut AnyArray,
    matrices: &Matrices,
) -> Result<()> {
    let Number { code, .. } = Number::of(name, lu.dtype())?;
    let (count, order, sides) = (matrices.count, matrices.rows, Matrices::of(x).rows);
    // What `getrf` reported is to stay; of `getrs` there is nothing to report but a wrong argument.
    let mut unread = Reports::new(name, 1)?;
    let work = move |gpu: &dyn Gpu, arrays: &[Extent]| {
        let [lu, pivots, x, report] = arrays else { unreachable!("four arrays") };
        with_solver(name, gpu, lu.context, |solver| {
            for k in 0..count {
                // SAFETY: the handle is of this context and locked. The factors and the pivots, each of which names a
                // row, are those of matrix `k`; its right sides lie column by column in an array that is written.
                let status = unsafe {
                    (solver.library.getrs)(
                        solver.handle(),
                        solver.params(),
                        0,
                        order as i64,
                        sides as i64,
                        code,
                        at(lu, k * order * order),
                        order as i64,
                        at(pivots, k * order).cast_const().cast(),
                        code,
                        at(x, k * order * sides),
                        order as i64,
                        at(report, 0).cast(),
                    )
                };
                solver.check("solve with the factors of a matrix", status)?;
            }
            Ok(())
        })
    };
    let arguments = [
        Argument::read(lu),
        Argument::read(&factors.pivots),
        Argument::write(x),
        Argument::write(&mut unread.array),
    ];
    run(name, &arguments, work)
}

fn batched(
    name: &'static str,
    lu: &mut AnyArray,
    factors: &Factors,
    x: &mut AnyArray,
    matrices: &Matrices,
) -> Result<()> {
    let Number { index, .. } = Number::of(name, lu.dtype())?;
    let (count, rows, columns) = (matrices.count, matrices.rows, Matrices::of(x).rows);
    let (order, sides) = (number(name, rows)?, number(name, columns)?);
    let mut pointers = [AnyArray::empty([count], DType::UInt64)?, AnyArray::empty([count], DType::UInt64)?];
    let work = move |gpu: &dyn Gpu, arrays: &[Extent]| {
        let [lu, pivots, x, lu_pointers, x_pointers] = arrays else { unreachable!("five arrays") };
        kernels::pointers(gpu, lu_pointers, lu, rows * rows)?;
        kernels::pointers(gpu, x_pointers, x, rows * columns)?;
        with_blas(name, gpu, lu.context, |blas| {
            for (first, length) in pieces(count, rows * rows.max(columns)) {
                let mut info = 0;
                // SAFETY: the handle is of this context and locked. There are the addresses of `length` matrices and
                // their right sides from `first` on, the latter in an array that is written, and as many rows of
                // pivots, each of which names a row; the report is a place of the host, which is set by the call.
                let status = unsafe {
                    (blas.library.getrs_batched[index])(
                        blas.handle(),
                        0,
                        order,
                        sides,
                        at(lu_pointers, first).cast_const().cast(),
                        order,
                        at(pivots, first * rows).cast_const().cast(),
                        at(x_pointers, first).cast_const().cast(),
                        order,
                        &raw mut info,
                        length as c_int,
                    )
                };
                blas.check("solve with the factors of matrices", status)?;
                checked(name, info)?;
            }
            Ok(())
        })
    };
    let [lu_pointers, x_pointers] = &mut pointers;
    let arguments = [
        Argument::read(lu),
        Argument::read(&factors.pivots),
        Argument::write(x),
        Argument::write(lu_pointers),
        Argument::write(x_pointers),
    ];
    run(name, &arguments, work)
}

/// Of many small matrices.
fn inverted(
    name: &'static str,
    a: &AnyArray,
    mut x: AnyArray,
    matrices: &Matrices,
) -> Result<(AnyArray, Vec<i64>)> {
    let Number { index, .. } = Number::of(name, a.dtype())?;
    let (count, rows) = (matrices.count, matrices.rows);
    let order = number(name, rows)?;
    let mut reports = Reports::new(name, count)?;
    let mut pointers = [AnyArray::empty([count], DType::UInt64)?, AnyArray::empty([count], DType::UInt64)?];
    let work = move |gpu: &dyn Gpu, arrays: &[Extent]| {
        let [a, x, reports, a_pointers, x_pointers] = arrays else { unreachable!("five arrays") };
        kernels::pointers(gpu, a_pointers, a, rows * rows)?;
        kernels::pointers(gpu, x_pointers, x, rows * rows)?;
        with_blas(name, gpu, a.context, |blas| {
            for (first, length) in pieces(count, rows * rows) {
                // SAFETY: the handle is of this context and locked. There are the addresses of `length` matrices,
                // which the routine only reads, and of as many results from `first` on, and reports.
                let status = unsafe {
                    (blas.library.matinv_batched[index])(
                        blas.handle(),
                        order,
                        at(a_pointers, first).cast_const().cast(),
                        order,
                        at(x_pointers, first).cast_const().cast(),
                        order,
                        at(reports, first).cast(),
                        length as c_int,
                    )
                };
                blas.check("invert matrices", status)?;
            }
            Ok(())
        })
    };
    let [a_pointers, x_pointers] = &mut pointers;
    let arguments = [
        Argument::read(a),
        Argument::write(&mut x),
        Argument::write(&mut reports.array),
        Argument::write(a_pointers),
        Argument::write(x_pointers),
    ];
    run(name, &arguments, work)?;
    Ok((exchanged(&x)?, reports.read()?))
}

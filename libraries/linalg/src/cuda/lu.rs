//! Triangular factors of matrices, with pivots: cuSOLVER's `getrf`, cuBLAS's `getrfBatched`.

use std::ffi::c_int;

use gpurepl_extend::{AnyArray, Argument, DType, Extent, Gpu, Result};

use super::handle::{with_blas, with_solver};
use super::kernels;
use super::matrices::{Matrices, Number, column_major, exchanged, is_batched, number, pieces};
use super::work::{Reports, Sizes, at, run, workspace};

/// The factors in one array, the rows that were exchanged, counted from 0, and the reports: an element of the
/// diagonal is zero.
pub(crate) fn lu(a: &AnyArray) -> Result<(AnyArray, AnyArray, Vec<i64>)> {
    let name = "lu";
    let matrices = Matrices::of(a);
    let mut lu = column_major(a)?;
    let mut pivots = AnyArray::empty(matrices.shape(&[matrices.shorter()]), DType::Int64)?;
    if lu.size() == 0 {
        return Ok((exchanged(&lu)?, pivots, vec![0; matrices.count]));
    }
    let is_batched = matrices.rows == matrices.columns && is_batched(matrices.count, matrices.rows);
    let factors = factored(name, &mut lu, &matrices, is_batched)?;
    let rows = matrices.rows;
    run(name, &[Argument::read(&factors.pivots), Argument::write(&mut pivots)], move |gpu, arrays| {
        kernels::pivots(gpu, &arrays[0], &arrays[1], rows, 0)
    })?;
    Ok((exchanged(&lu)?, pivots, factors.reports.read()?))
}

/// What belongs to the factors of matrices.
pub(super) struct Factors {
    /// Counted from 1, each within the rows; of 32 bits where cuBLAS made them.
    pub pivots: AnyArray,
    pub reports: Reports,
}

/// Overwrites matrices, which lie column by column and are not empty, with their factors.
pub(super) fn factored(
    name: &'static str,
    lu: &mut AnyArray,
    matrices: &Matrices,
    is_batched: bool,
) -> Result<Factors> {
    let mut reports = Reports::new(name, matrices.count)?;
    let dtype = if is_batched { DType::Int32 } else { DType::Int64 };
    let mut pivots = AnyArray::empty([matrices.count, matrices.shorter()], dtype)?;
    if is_batched {
        batched(name, lu, matrices, &mut pivots, &mut reports)?;
    } else {
        looped(name, lu, matrices, &mut pivots, &mut reports)?;
    }
    let rows = matrices.rows;
    run(name, &[Argument::write(&mut pivots)], move |gpu, arrays| {
        kernels::pivots(gpu, &arrays[0], &arrays[0], rows, 1)
    })?;
    Ok(Factors { pivots, reports })
}

fn looped(
    name: &'static str,
    lu: &mut AnyArray,
    matrices: &Matrices,
    pivots: &mut AnyArray,
    reports: &mut Reports,
) -> Result<()> {
    let Number { code, .. } = Number::of(name, lu.dtype())?;
    let (count, rows, columns) = (matrices.count, matrices.rows, matrices.columns);
    let mut space = workspace(name, &[lu], move |solver, arrays| {
        let mut sizes = Sizes::default();
        // SAFETY: the matrix has so many rows and columns; the last pointers are to places for the sizes.
        let status = unsafe {
            (solver.library.getrf_size)(
                solver.handle(),
                solver.params(),
                rows as i64,
                columns as i64,
                code,
                at(&arrays[0], 0),
                rows as i64,
                code,
                &raw mut sizes.device,
                &raw mut sizes.host,
            )
        };
        solver.check("size the work of factoring a matrix", status)?;
        Ok(sizes)
    })?;
    let host = space.host.clone();
    let shorter = matrices.shorter();
    let work = move |gpu: &dyn Gpu, arrays: &[Extent]| {
        let [lu, pivots, reports, device] = arrays else { unreachable!("four arrays") };
        with_solver(name, gpu, lu.context, |solver| {
            let (mut place, sizes) = (host.lock(), host.sizes());
            for k in 0..count {
                // SAFETY: the handle is of this context and locked. Matrix `k` of `count` lies column by column in an
                // array that is written, as do its pivots and its report; the workspaces have the sizes that were
                // asked for.
                let status = unsafe {
                    (solver.library.getrf)(
                        solver.handle(),
                        solver.params(),
                        rows as i64,
                        columns as i64,
                        code,
                        at(lu, k * rows * columns),
                        rows as i64,
                        at(pivots, k * shorter).cast(),
                        code,
                        at(device, 0),
                        sizes.device,
                        place.address(),
                        sizes.host,
                        at(reports, k).cast(),
                    )
                };
                solver.check("factor a matrix", status)?;
            }
            Ok(())
        })
    };
    let arguments = [
        Argument::write(lu),
        Argument::write(pivots),
        Argument::write(&mut reports.array),
        Argument::write(&mut space.device),
    ];
    reports.keep(&space);
    run(name, &arguments, work)?;
    Ok(())
}

fn batched(
    name: &'static str,
    lu: &mut AnyArray,
    matrices: &Matrices,
    pivots: &mut AnyArray,
    reports: &mut Reports,
) -> Result<()> {
    let Number { index, .. } = Number::of(name, lu.dtype())?;
    let (count, rows) = (matrices.count, matrices.rows);
    let order = number(name, rows)?;
    let mut pointers = AnyArray::empty([count], DType::UInt64)?;
    let work = move |gpu: &dyn Gpu, arrays: &[Extent]| {
        let [lu, pivots, reports, pointers] = arrays else { unreachable!("four arrays") };
        kernels::pointers(gpu, pointers, lu, rows * rows)?;
        with_blas(name, gpu, lu.context, |blas| {
            for (first, length) in pieces(count, rows * rows) {
                // SAFETY: the handle is of this context and locked. There are the addresses of `length` square
                // matrices from `first` on, which lie column by column in an array that is written; there are as many
                // rows of pivots of 32 bits, and reports.
                let status = unsafe {
                    (blas.library.getrf_batched[index])(
                        blas.handle(),
                        order,
                        at(pointers, first).cast(),
                        order,
                        at(pivots, first * rows).cast(),
                        at(reports, first).cast(),
                        length as c_int,
                    )
                };
                blas.check("factor matrices", status)?;
            }
            Ok(())
        })
    };
    let arguments = [
        Argument::write(lu),
        Argument::write(pivots),
        Argument::write(&mut reports.array),
        Argument::write(&mut pointers),
    ];
    run(name, &arguments, work)
}

//! Triangular factors of positive definite matrices: `potrf`, `potrfBatched`.

use std::ffi::c_int;

use gpurepl_extend::{AnyArray, Argument, DType, Extent, Gpu, Result};

use super::handle::with_solver;
use super::kernels::{self, Keep};
use super::matrices::{Matrices, Number, column_major, exchanged, is_batched, number, pieces, triangle};
use super::work::{Reports, Sizes, at, run, workspace};

/// The factors, and the reports: a leading minor is not positive. One triangle of a matrix is read.
pub(crate) fn cholesky(a: &AnyArray, upper: bool) -> Result<(AnyArray, Vec<i64>)> {
    let name = "cholesky";
    let matrices = Matrices::of(a);
    let mut factor = column_major(a)?;
    if factor.size() == 0 {
        return Ok((exchanged(&factor)?, vec![0; matrices.count]));
    }
    let mut reports = Reports::new(name, matrices.count)?;
    if is_batched(matrices.count, matrices.rows) {
        batched(name, &mut factor, &matrices, upper, &mut reports)?;
    } else {
        looped(name, &mut factor, &matrices, upper, &mut reports)?;
    }
    let order = matrices.rows;
    let keep = if upper { Keep::Upper } else { Keep::Lower };
    run(name, &[Argument::write(&mut factor)], move |gpu, arrays| {
        let from = [arrays[0].address, order as u64, order as u64];
        kernels::part(gpu, from, &arrays[0], [order, order], keep)
    })?;
    Ok((exchanged(&factor)?, reports.read()?))
}

fn looped(
    name: &'static str,
    a: &mut AnyArray,
    matrices: &Matrices,
    upper: bool,
    reports: &mut Reports,
) -> Result<()> {
    let Number { code, .. } = Number::of(name, a.dtype())?;
    let (count, order) = (matrices.count, matrices.rows);
    let mut space = workspace(name, &[a], move |solver, arrays| {
        let mut sizes = Sizes::default();
        // SAFETY: the matrix has so many rows; the last pointers are to places for the sizes.
        let status = unsafe {
            (solver.library.potrf_size)(
                solver.handle(),
                solver.params(),
                triangle(upper),
                order as i64,
                code,
                at(&arrays[0], 0),
                order as i64,
                code,
                &raw mut sizes.device,
                &raw mut sizes.host,
            )
        };
        solver.check("size the work of factoring a matrix", status)?;
        Ok(sizes)
    })?;
    let host = space.host.clone();
    let work = move |gpu: &dyn Gpu, arrays: &[Extent]| {
        let [a, reports, device] = arrays else { unreachable!("three arrays") };
        with_solver(name, gpu, a.context, |solver| {
            let (mut place, sizes) = (host.lock(), host.sizes());
            for k in 0..count {
                // SAFETY: the handle is of this context and locked. Matrix `k` of `count` lies column by column in an
                // array that is written, as does its report; the workspaces have the sizes that were asked for.
                let status = unsafe {
                    (solver.library.potrf)(
                        solver.handle(),
                        solver.params(),
                        triangle(upper),
                        order as i64,
                        code,
                        at(a, k * order * order),
                        order as i64,
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
    let arguments =
        [Argument::write(a), Argument::write(&mut reports.array), Argument::write(&mut space.device)];
    reports.keep(&space);
    run(name, &arguments, work)?;
    Ok(())
}

fn batched(
    name: &'static str,
    a: &mut AnyArray,
    matrices: &Matrices,
    upper: bool,
    reports: &mut Reports,
) -> Result<()> {
    let Number { index, .. } = Number::of(name, a.dtype())?;
    let (count, rows) = (matrices.count, matrices.rows);
    let order = number(name, rows)?;
    let mut pointers = AnyArray::empty([count], DType::UInt64)?;
    let work = move |gpu: &dyn Gpu, arrays: &[Extent]| {
        let [a, reports, pointers] = arrays else { unreachable!("three arrays") };
        kernels::pointers(gpu, pointers, a, rows * rows)?;
        with_solver(name, gpu, a.context, |solver| {
            for (first, length) in pieces(count, rows * rows) {
                // SAFETY: the handle is of this context and locked. There are the addresses of `length` square
                // matrices from `first` on, which lie column by column in an array that is written, and as many
                // reports.
                let status = unsafe {
                    (solver.library.potrf_batched[index])(
                        solver.handle(),
                        triangle(upper),
                        order,
                        at(pointers, first).cast(),
                        order,
                        at(reports, first).cast(),
                        length as c_int,
                    )
                };
                solver.check("factor matrices", status)?;
            }
            Ok(())
        })
    };
    let arguments = [Argument::write(a), Argument::write(&mut reports.array), Argument::write(&mut pointers)];
    run(name, &arguments, work)
}

//! Singular values and vectors of many small matrices by Jacobi's method: `gesvdjBatched`.

use std::ffi::c_int;
use std::sync::Arc;

use gpurepl_extend::{AnyArray, Argument, Extent, Gpu, Result};

use super::handle::with_solver;
use super::matrices::{Matrices, Number, number, pieces};
use super::svd::Decomposed;
use super::work::{Reports, Sizes, at, run, workspace};

/// Decomposes all matrices, which are overwritten; their vectors are those of square matrices.
pub(super) fn batched(
    name: &'static str,
    mut a: AnyArray,
    to: &mut Decomposed,
    matrices: &Matrices,
) -> Result<Reports> {
    let Number { index, .. } = Number::of(name, a.dtype())?;
    let size = a.dtype().size();
    let (count, shorter) = (matrices.count, matrices.shorter());
    let (m, n) = (matrices.rows, matrices.columns);
    let (rows, columns) = (number(name, m)?, number(name, n)?);
    let vectors = c_int::from(to.has_vectors);
    let calls = pieces(count, m.max(n) * m.max(n));
    let asked = calls.clone();
    let mut space = workspace(name, &[&a, &to.s, &to.u, &to.v], move |solver, arrays| {
        let sweeps = solver.gesvdj()?;
        let mut sizes = Sizes::default();
        for (_, length) in &asked {
            let mut wanted = 0;
            // SAFETY: the arrays are those of the work below; the pointer is to a place for the size.
            let status = unsafe {
                (solver.library.gesvdj_batched_size[index])(
                    solver.handle(),
                    vectors,
                    rows,
                    columns,
                    at(&arrays[0], 0),
                    rows,
                    at(&arrays[1], 0),
                    at(&arrays[2], 0),
                    rows,
                    at(&arrays[3], 0),
                    columns,
                    &raw mut wanted,
                    sweeps.raw,
                    *length as c_int,
                )
            };
            solver.check("size the work of decomposing matrices", status)?;
            sizes = sizes.most(Sizes::of_elements(name, wanted, size)?);
        }
        Ok(sizes)
    })?;
    let wanted = space.host.elements(name, size)?;
    let mut reports = Reports::new(name, count)?;
    reports.keep(&space);
    let host = Arc::clone(&space.host);
    let work = move |gpu: &dyn Gpu, arrays: &[Extent]| {
        let [a, s, u, v, reports, device] = arrays else { unreachable!("six arrays") };
        with_solver(name, gpu, a.context, |solver| {
            let sweeps = host.hold(solver.gesvdj()?);
            for (first, length) in &calls {
                // SAFETY: the handle is of this context and locked. There are `length` matrices from `first` on,
                // column by column and one behind the other in an array that is written, as are their values, the
                // vectors of square matrices, and their reports; the workspace has as many elements as were asked
                // for.
                let status = unsafe {
                    (solver.library.gesvdj_batched[index])(
                        solver.handle(),
                        vectors,
                        rows,
                        columns,
                        at(a, first * m * n),
                        rows,
                        at(s, first * shorter),
                        at(u, first * m * m),
                        rows,
                        at(v, first * n * n),
                        columns,
                        at(device, 0),
                        wanted,
                        at(reports, *first).cast(),
                        sweeps,
                        *length as c_int,
                    )
                };
                solver.check("decompose matrices", status)?;
            }
            Ok(())
        })
    };
    let arguments = [
        Argument::write(&mut a),
        Argument::write(&mut to.s),
        Argument::write(&mut to.u),
        Argument::write(&mut to.v),
        Argument::write(&mut reports.array),
        Argument::write(&mut space.device),
    ];
    run(name, &arguments, work)?;
    Ok(reports)
}

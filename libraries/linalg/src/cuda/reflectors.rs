//! Unitary factors from their reflectors: `orgqr`, `ungqr`. Those of many small matrices are made by a kernel of
//! ours.

use gpurepl_extend::{AnyArray, Argument, Extent, Gpu, Result};

use super::handle::with_solver;
use super::kernels::{self, Keep};
use super::matrices::{Matrices, Number, number};
use super::work::{Reports, Sizes, at, run, workspace};

/// Multiplies the reflectors to the unitary factors, one matrix after the other.
pub(super) fn formed(
    name: &'static str,
    reflectors: &AnyArray,
    tau: &AnyArray,
    q: &mut AnyArray,
    matrices: &Matrices,
    columns: usize,
) -> Result<Reports> {
    let dtype = Number::of(name, q.dtype())?;
    let (count, shorter) = (matrices.count, matrices.shorter());
    let (from_rows, from_columns) = (matrices.rows, matrices.columns);
    // The columns behind the reflectors are set by the routine; zeros are copied there.
    run(name, &[Argument::read(reflectors), Argument::write(q)], move |gpu, arrays| {
        let from = [arrays[0].address, from_rows as u64, from_columns as u64];
        kernels::part(gpu, from, &arrays[1], [from_rows, columns], Keep::All)
    })?;
    let lengths = [number(name, from_rows)?, number(name, columns)?, number(name, shorter)?];
    let [rows, q_columns, reflector_count] = lengths;
    let mut space = workspace(name, &[q, tau], move |solver, arrays| {
        let mut elements = 0;
        // SAFETY: the matrix has so many rows and columns; the last pointer is to a place for the size.
        let status = unsafe {
            (solver.library.orgqr_size[dtype.index])(
                solver.handle(),
                rows,
                q_columns,
                reflector_count,
                at(&arrays[0], 0),
                rows,
                at(&arrays[1], 0),
                &raw mut elements,
            )
        };
        solver.check("size the work of multiplying reflectors", status)?;
        Sizes::of_elements(name, elements, dtype.size())
    })?;
    let elements = space.host.elements(name, dtype.size())?;
    let mut reports = Reports::new(name, count)?;
    let work = move |gpu: &dyn Gpu, arrays: &[Extent]| {
        let [tau, q, reports, device] = arrays else { unreachable!("four arrays") };
        with_solver(name, gpu, q.context, |solver| {
            for k in 0..count {
                // SAFETY: the handle is of this context and locked. The reflectors of matrix `k` lie below the
                // diagonal of its columns, in an array that is written, as is its report; the workspace has as
                // many elements as were asked for.
                let status = unsafe {
                    (solver.library.orgqr[dtype.index])(
                        solver.handle(),
                        rows,
                        q_columns,
                        reflector_count,
                        at(q, k * from_rows * columns),
                        rows,
                        at(tau, k * shorter),
                        at(device, 0),
                        elements,
                        at(reports, k).cast(),
                    )
                };
                solver.check("multiply reflectors", status)?;
            }
            Ok(())
        })
    };
    let arguments = [
        Argument::read(tau),
        Argument::write(q),
        Argument::write(&mut reports.array),
        Argument::write(&mut space.device),
    ];
    run(name, &arguments, work)?;
    Ok(reports)
}

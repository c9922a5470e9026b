//! Unitary and triangular factors: `geqrf`, `geqrfBatched`.

use std::ffi::c_int;

use gpurepl_extend::{AnyArray, Argument, DType, Extent, Gpu, Result};

use super::handle::{with_blas, with_solver};
use super::kernels::{self, Keep};
use super::matrices::{Matrices, Number, column_major, exchanged, number, pieces};
use super::reflectors::formed;
use super::work::{Reports, Sizes, at, checked, run, workspace};

/// The most rows of the matrices of a batch that are factored together, and so many rows for each matrix of it.
const MOST_ROWS: usize = 256;
const ROWS_OF_EACH: usize = 16;

/// A unitary factor with so many columns, as many as the shorter side or the rows, and the triangular one.
pub(crate) fn qr(a: &AnyArray, columns: usize) -> Result<(AnyArray, AnyArray)> {
    let name = "qr";
    let matrices = Matrices::of(a);
    let mut q = AnyArray::empty(matrices.shape(&[columns, matrices.rows]), a.dtype())?;
    if a.size() == 0 {
        let r = AnyArray::empty(matrices.shape(&[columns, matrices.columns]), a.dtype())?;
        if q.size() > 0 {
            let rows = matrices.rows;
            run(name, &[Argument::write(&mut q)], move |gpu, arrays| {
                kernels::identity(gpu, &arrays[0], rows)
            })?;
        }
        return Ok((exchanged(&q)?, r));
    }
    let mut reflectors = column_major(a)?;
    let (tau, reports) = factored(name, &mut reflectors, &matrices)?;
    let r = upper(name, &reflectors, &matrices, columns)?;
    if is_batched(&matrices) {
        let lengths = [matrices.count, matrices.rows, matrices.columns, columns];
        let arguments = [Argument::read(&reflectors), Argument::read(&tau), Argument::write(&mut q)];
        run(name, &arguments, move |gpu, arrays| {
            kernels::form_q(gpu, &arrays[0], &arrays[1], &arrays[2], lengths)
        })?;
    } else {
        formed(name, &reflectors, &tau, &mut q, &matrices, columns)?.read()?;
    }
    if let Some(reports) = reports {
        reports.read()?;
    }
    Ok((exchanged(&q)?, r))
}

/// The triangular factor alone, with as many rows as the shorter side.
pub(crate) fn qr_r(a: &AnyArray) -> Result<AnyArray> {
    let name = "qr";
    let matrices = Matrices::of(a);
    if a.size() == 0 {
        return AnyArray::empty(matrices.shape(&[matrices.shorter(), matrices.columns]), a.dtype());
    }
    let mut reflectors = column_major(a)?;
    let (_, reports) = factored(name, &mut reflectors, &matrices)?;
    let r = upper(name, &reflectors, &matrices, matrices.shorter())?;
    if let Some(reports) = reports {
        reports.read()?;
    }
    Ok(r)
}

/// `geqrfBatched` takes matrices that are not square.
fn is_batched(matrices: &Matrices) -> bool {
    matrices.rows <= MOST_ROWS && matrices.count >= matrices.rows.div_ceil(ROWS_OF_EACH).max(2)
}

/// The first rows of the upper triangles.
fn upper(name: &'static str, a: &AnyArray, matrices: &Matrices, rows: usize) -> Result<AnyArray> {
    let mut r = AnyArray::empty(matrices.shape(&[matrices.columns, rows]), a.dtype())?;
    let (from_rows, columns) = (matrices.rows, matrices.columns);
    run(name, &[Argument::read(a), Argument::write(&mut r)], move |gpu, arrays| {
        let from = [arrays[0].address, from_rows as u64, columns as u64];
        kernels::part(gpu, from, &arrays[1], [rows, columns], Keep::Upper)
    })?;
    exchanged(&r)
}

/// Overwrites matrices with their reflectors below the triangular factor, and gives the reflectors' factors.
fn factored(
    name: &'static str,
    a: &mut AnyArray,
    matrices: &Matrices,
) -> Result<(AnyArray, Option<Reports>)> {
    let mut tau = AnyArray::empty([matrices.count, matrices.shorter()], a.dtype())?;
    if is_batched(matrices) {
        batched(name, a, &mut tau, matrices)?;
        return Ok((tau, None));
    }
    let mut reports = Reports::new(name, matrices.count)?;
    looped(name, a, &mut tau, matrices, &mut reports)?;
    Ok((tau, Some(reports)))
}

fn looped(
    name: &'static str,
    a: &mut AnyArray,
    tau: &mut AnyArray,
    matrices: &Matrices,
    reports: &mut Reports,
) -> Result<()> {
    let Number { code, .. } = Number::of(name, a.dtype())?;
    let (count, rows, columns, shorter) =
        (matrices.count, matrices.rows, matrices.columns, matrices.shorter());
    let mut space = workspace(name, &[a, tau], move |solver, arrays| {
        let mut sizes = Sizes::default();
        // SAFETY: the matrix has so many rows and columns; the last pointers are to places for the sizes.
        let status = unsafe {
            (solver.library.geqrf_size)(
                solver.handle(),
                solver.params(),
                rows as i64,
                columns as i64,
                code,
                at(&arrays[0], 0),
                rows as i64,
                code,
                at(&arrays[1], 0),
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
        let [a, tau, reports, device] = arrays else { unreachable!("four arrays") };
        with_solver(name, gpu, a.context, |solver| {
            let (mut place, sizes) = (host.lock(), host.sizes());
            for k in 0..count {
                // SAFETY: the handle is of this context and locked. Matrix `k` of `count` lies column by column in an
                // array that is written, as do the factors of its reflectors and its report; the workspaces have the
                // sizes that were asked for.
                let status = unsafe {
                    (solver.library.geqrf)(
                        solver.handle(),
                        solver.params(),
                        rows as i64,
                        columns as i64,
                        code,
                        at(a, k * rows * columns),
                        rows as i64,
                        code,
                        at(tau, k * shorter),
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
        Argument::write(a),
        Argument::write(tau),
        Argument::write(&mut reports.array),
        Argument::write(&mut space.device),
    ];
    reports.keep(&space);
    run(name, &arguments, work)?;
    Ok(())
}

fn batched(name: &'static str, a: &mut AnyArray, tau: &mut AnyArray, matrices: &Matrices) -> Result<()> {
    let Number { index, .. } = Number::of(name, a.dtype())?;
    let (count, elements, shorter) = (matrices.count, matrices.rows * matrices.columns, matrices.shorter());
    let (rows, columns) = (number(name, matrices.rows)?, number(name, matrices.columns)?);
    let mut pointers = [AnyArray::empty([count], DType::UInt64)?, AnyArray::empty([count], DType::UInt64)?];
    let work = move |gpu: &dyn Gpu, arrays: &[Extent]| {
        let [a, tau, a_pointers, tau_pointers] = arrays else { unreachable!("four arrays") };
        kernels::pointers(gpu, a_pointers, a, elements)?;
        kernels::pointers(gpu, tau_pointers, tau, shorter)?;
        with_blas(name, gpu, a.context, |blas| {
            for (first, length) in pieces(count, elements) {
                let mut info = 0;
                // SAFETY: the handle is of this context and locked. There are the addresses of `length` matrices from
                // `first` on, which lie column by column, and of the factors of their reflectors, in arrays that are
                // written; the report is a place of the host, which is set by the call.
                let status = unsafe {
                    (blas.library.geqrf_batched[index])(
                        blas.handle(),
                        rows,
                        columns,
                        at(a_pointers, first).cast_const().cast(),
                        rows,
                        at(tau_pointers, first).cast_const().cast(),
                        &raw mut info,
                        length as c_int,
                    )
                };
                blas.check("factor matrices", status)?;
                checked(name, info)?;
            }
            Ok(())
        })
    };
    let [a_pointers, tau_pointers] = &mut pointers;
    let arguments = [
        Argument::write(a),
        Argument::write(tau),
        Argument::write(a_pointers),
        Argument::write(tau_pointers),
    ];
    run(name, &arguments, work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_small_matrices_are_factored_together() {
        let matrices = |count, rows| Matrices { batch: vec![count], count, rows, columns: 3 };
        assert!(is_batched(&matrices(2, 8)) && is_batched(&matrices(16, 256)));
        assert!(
            !is_batched(&matrices(1, 8))
                && !is_batched(&matrices(15, 256))
                && !is_batched(&matrices(99, 257))
        );
    }
}

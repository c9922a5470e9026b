//! Singular values and vectors by Jacobi's method: `gesvdj`.

use std::ffi::c_int;
use std::sync::Arc;

use gpurepl_extend::{AnyArray, Argument, Extent, Gpu, Result};

use super::handle::with_solver;
use super::kernels;
use super::matrices::{Matrices, Number, column_major, exchanged, number};
use super::svd_batched::batched;
use super::svd_fallback::decomposed_by_qr;
use super::work::{Reports, Sizes, at, run, workspace};

/// Which singular vectors are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vectors {
    /// None.
    None,
    /// As many as there are singular values.
    Reduced,
    /// All of a unitary matrix.
    Full,
}

/// The vectors on the left and the values, those on the right, and the reports.
pub(crate) type Svd = (Option<AnyArray>, AnyArray, Option<AnyArray>, Vec<i64>);

/// The most rows and columns that `gesvdjBatched` takes.
const MOST_BATCHED: usize = 32;

/// The vectors on the left as columns, the values in descending order, the conjugate vectors on the right as
/// rows, and the reports: so many values did not converge.
pub(crate) fn svd(a: &AnyArray, vectors: Vectors) -> Result<Svd> {
    let name = "svd";
    let matrices = Matrices::of(a);
    let dtype = Number::of(name, a.dtype())?;
    let (rows, columns, shorter) = (matrices.rows, matrices.columns, matrices.shorter());
    let s = AnyArray::empty(matrices.shape(&[shorter]), dtype.real)?;
    let is_batched = matrices.count > 1 && rows.max(columns) <= MOST_BATCHED;
    // That routine knows all vectors or none; what is too much is not looked at.
    let is_full = vectors == Vectors::Full || is_batched;
    let lengths = if is_full { [rows, columns] } else { [shorter, shorter] };
    // Where no vectors are wanted the routines want memory for them all the same.
    let u = AnyArray::empty(matrices.shape(&[lengths[0], rows]), a.dtype())?;
    let v = AnyArray::empty(matrices.shape(&[lengths[1], columns]), a.dtype())?;
    let mut to = Decomposed { u, s, v, is_full, has_vectors: vectors != Vectors::None };
    let infos = if a.size() == 0 {
        to.set_units(name, &matrices)?;
        vec![0; matrices.count]
    } else {
        let work = column_major(a)?;
        let reports = if is_batched {
            batched(name, work, &mut to, &matrices)?
        } else {
            looped(name, work, &mut to, &matrices)?
        };
        let mut infos = reports.read()?;
        // The number of values and one more: the method has not converged.
        let failed: Vec<usize> = (0..infos.len()).filter(|k| infos[*k] == shorter as i64 + 1).collect();
        if !failed.is_empty() {
            let reports = decomposed_by_qr(name, a, &mut to, &matrices, &failed)?;
            failed.iter().zip(reports).for_each(|(k, report)| infos[*k] = report);
        }
        infos
    };
    if vectors == Vectors::None {
        return Ok((None, to.s, None, infos));
    }
    let wanted = if vectors == Vectors::Full { [rows, columns] } else { [shorter, shorter] };
    let axis = matrices.batch.len();
    let u = to.u.narrowed(axis, 0, wanted[0])?;
    let v = to.v.narrowed(axis, 0, wanted[1])?;
    // The vectors lie one behind the other: as the rows of an array in C order.
    let vh = if dtype.is_complex() { v.conjugated().contiguous()? } else { v };
    Ok((Some(exchanged(&u)?), to.s, Some(vh), infos))
}

/// Where the results go: vectors one behind the other.
pub(super) struct Decomposed {
    pub u: AnyArray,
    pub s: AnyArray,
    pub v: AnyArray,
    /// Whether the vectors are those of square matrices.
    pub is_full: bool,
    /// Whether they are wanted.
    pub has_vectors: bool,
}

impl Decomposed {
    /// The vectors of matrices without elements: unit vectors.
    fn set_units(&mut self, name: &'static str, matrices: &Matrices) -> Result<()> {
        for (array, order) in [(&mut self.u, matrices.rows), (&mut self.v, matrices.columns)] {
            if array.size() > 0 {
                run(name, &[Argument::write(array)], move |gpu, arrays| {
                    kernels::identity(gpu, &arrays[0], order)
                })?;
            }
        }
        Ok(())
    }
}

fn looped(name: &'static str, mut a: AnyArray, to: &mut Decomposed, matrices: &Matrices) -> Result<Reports> {
    let Number { index, .. } = Number::of(name, a.dtype())?;
    let size = a.dtype().size();
    let (count, shorter) = (matrices.count, matrices.shorter());
    let elements = matrices.rows * matrices.columns;
    let (rows, columns) = (number(name, matrices.rows)?, number(name, matrices.columns)?);
    let (vectors, is_reduced) = (c_int::from(to.has_vectors), c_int::from(!to.is_full));
    let [u_elements, v_elements] = [&to.u, &to.v].map(|array| array.size() / count);
    let mut space = workspace(name, &[&a, &to.s, &to.u, &to.v], move |solver, arrays| {
        let sweeps = solver.gesvdj()?;
        let mut wanted = 0;
        // SAFETY: the arrays are those of the work below; the last pointer is to a place for the size.
        let status = unsafe {
            (solver.library.gesvdj_size[index])(
                solver.handle(),
                vectors,
                is_reduced,
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
            )
        };
        solver.check("size the work of decomposing a matrix", status)?;
        Sizes::of_elements(name, wanted, size)
    })?;
    let wanted = space.host.elements(name, size)?;
    let mut reports = Reports::new(name, count)?;
    reports.keep(&space);
    let host = Arc::clone(&space.host);
    let work = move |gpu: &dyn Gpu, arrays: &[Extent]| {
        let [a, s, u, v, reports, device] = arrays else { unreachable!("six arrays") };
        with_solver(name, gpu, a.context, |solver| {
            let sweeps = host.hold(solver.gesvdj()?);
            for k in 0..count {
                // SAFETY: the handle is of this context and locked. Matrix `k` of `count` lies column by column in an
                // array that is written, as are its values and vectors, of which there is room for as many as
                // `is_reduced` says, and its report; the workspace has as many elements as were asked for.
                let status = unsafe {
                    (solver.library.gesvdj[index])(
                        solver.handle(),
                        vectors,
                        is_reduced,
                        rows,
                        columns,
                        at(a, k * elements),
                        rows,
                        at(s, k * shorter),
                        at(u, k * u_elements),
                        rows,
                        at(v, k * v_elements),
                        columns,
                        at(device, 0),
                        wanted,
                        at(reports, k).cast(),
                        sweeps,
                    )
                };
                solver.check("decompose a matrix", status)?;
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

//! Eigenvalues and vectors of matrices of any kind: `geev`.

use std::ffi::c_int;

use gpurepl_extend::{AnyArray, Argument, Extent, Gpu, Result};

use super::handle::with_solver;
use super::kernels;
use super::library::{cusolver, too_old};
use super::matrices::{Matrices, Number, column_major, exchanged};
use super::work::{Reports, Sizes, Workspace, at, run, workspace};

/// The values, the vectors of norm 1 as columns, both complex, and the reports: the values up to that one did not
/// converge.
pub(crate) fn eig(a: &AnyArray, vectors: bool) -> Result<(AnyArray, Option<AnyArray>, Vec<i64>)> {
    let name = "eig";
    let matrices = Matrices::of(a);
    let dtype = Number::of(name, a.dtype())?;
    let order = matrices.rows;
    let mut w = AnyArray::empty(matrices.shape(&[order]), dtype.complex)?;
    let work = column_major(a)?;
    if work.size() == 0 {
        let v = vectors.then(|| AnyArray::empty(work.shape(), dtype.complex)).transpose()?;
        return Ok((w, v, vec![0; matrices.count]));
    }
    // Real matrices have real vectors, in which those of conjugate pairs are packed.
    let shape = if vectors { matrices.shape(&[order, order]) } else { vec![1] };
    let mut v = AnyArray::empty(shape, a.dtype())?;
    let reports = decomposed(name, work, &mut w, &mut v, &matrices, vectors)?;
    let v = match vectors {
        false => None,
        true if dtype.is_complex() => Some(v),
        true => {
            let mut unpacked = AnyArray::empty(v.shape(), dtype.complex)?;
            let arguments = [Argument::read(&w), Argument::read(&v), Argument::write(&mut unpacked)];
            run(name, &arguments, move |gpu, arrays| {
                kernels::unpack(gpu, &arrays[0], &arrays[1], &arrays[2], order)
            })?;
            Some(unpacked)
        }
    };
    let v = v.map(|v| exchanged(&v)).transpose()?;
    Ok((w, v, reports.read()?))
}

fn decomposed(
    name: &'static str,
    mut a: AnyArray,
    w: &mut AnyArray,
    v: &mut AnyArray,
    matrices: &Matrices,
    vectors: bool,
) -> Result<Reports> {
    let Some((_, decompose)) = cusolver()?.geev else { return Err(too_old(name, "cusolverDnXgeev")) };
    let dtype = Number::of(name, a.dtype())?;
    let (count, order, n) = (matrices.count, matrices.rows, matrices.rows as i64);
    let right_vectors = c_int::from(vectors);
    let mut space = sized(name, [&a, w, v], dtype, n, right_vectors)?;
    let host = space.host.clone();
    let mut reports = Reports::new(name, count)?;
    let work = move |gpu: &dyn Gpu, arrays: &[Extent]| {
        let [a, w, v, reports, device] = arrays else { unreachable!("five arrays") };
        with_solver(name, gpu, a.context, |solver| {
            let (mut place, sizes) = (host.lock(), host.sizes());
            for k in 0..count {
                let to = if vectors { k * order * order } else { 0 };
                // SAFETY: the handle is of this context and locked. Matrix `k` of `count` lies column by column in an
                // array that is written, as are its values, its report, and its vectors if they are wanted; those on
                // the left are not. The workspaces have the sizes that were asked for.
                let status = unsafe {
                    decompose(
                        solver.handle(),
                        solver.params(),
                        0,
                        right_vectors,
                        n,
                        dtype.code,
                        at(a, k * order * order),
                        n,
                        dtype.complex_code,
                        at(w, k * order),
                        dtype.code,
                        std::ptr::null_mut(),
                        n,
                        dtype.code,
                        at(v, to),
                        n,
                        dtype.code,
                        at(device, 0),
                        sizes.device,
                        place.address(),
                        sizes.host,
                        at(reports, k).cast(),
                    )
                };
                solver.check("decompose a matrix", status)?;
            }
            Ok(())
        })
    };
    let arguments = [
        Argument::write(&mut a),
        Argument::write(w),
        Argument::write(v),
        Argument::write(&mut reports.array),
        Argument::write(&mut space.device),
    ];
    reports.keep(&space);
    run(name, &arguments, work)?;
    Ok(reports)
}

fn sized(
    name: &'static str,
    arrays: [&AnyArray; 3],
    dtype: Number,
    n: i64,
    right_vectors: c_int,
) -> Result<Workspace> {
    let Some((size, _)) = cusolver()?.geev else { return Err(too_old(name, "cusolverDnXgeev")) };
    workspace(name, &arrays, move |solver, arrays| {
        let mut sizes = Sizes::default();
        // SAFETY: the arrays are those of the work; the last pointers are to places for the sizes.
        let status = unsafe {
            size(
                solver.handle(),
                solver.params(),
                0,
                right_vectors,
                n,
                dtype.code,
                at(&arrays[0], 0),
                n,
                dtype.complex_code,
                at(&arrays[1], 0),
                dtype.code,
                std::ptr::null_mut(),
                n,
                dtype.code,
                at(&arrays[2], 0),
                n,
                dtype.code,
                &raw mut sizes.device,
                &raw mut sizes.host,
            )
        };
        solver.check("size the work of decomposing a matrix", status)?;
        Ok(sizes)
    })
}

//! Eigenvalues and vectors of Hermitian matrices: `syevd`, `syevBatched`, `syevjBatched`.

use std::ffi::c_int;
use std::ptr::null_mut;

use gpurepl_extend::{AnyArray, Argument, Extent, Gpu, Result};

use super::handle::{Solver, Sweeps, with_solver};
use super::library::cusolver;
use super::matrices::{Matrices, Number, column_major, exchanged, number, pieces, triangle};
use super::work::{HostMemory, Reports, Sizes, at, run, workspace};

/// The most rows of the matrices of a batch that are decomposed together.
const MOST_BATCHED: usize = 512;
/// The same by Jacobi's method, where the library has no other routine for batches.
const MOST_BY_JACOBI: usize = 32;

/// The values in ascending order, the vectors as columns, and the reports: so many elements did not converge. One
/// triangle of a matrix is read.
pub(crate) fn eigh(
    a: &AnyArray,
    vectors: bool,
    upper: bool,
) -> Result<(AnyArray, Option<AnyArray>, Vec<i64>)> {
    let name = "eigh";
    let matrices = Matrices::of(a);
    let dtype = Number::of(name, a.dtype())?;
    let mut v = column_major(a)?;
    let mut w = AnyArray::empty(matrices.shape(&[matrices.rows]), dtype.real)?;
    let infos = if v.size() == 0 {
        vec![0; matrices.count]
    } else {
        let how = How::new(&matrices, cusolver()?.syev_batched.is_some());
        let call = Call { name, dtype, how, order: matrices.rows, vectors, upper };
        decomposed(call, &mut v, &mut w, matrices.count)?.read()?
    };
    let v = if vectors { Some(exchanged(&v)?) } else { None };
    Ok((w, v, infos))
}

/// Which routine does it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    /// One matrix after the other, by divide and conquer.
    Looped,
    /// All together.
    Batched,
    /// All together, by Jacobi's method.
    ByJacobi,
}

impl How {
    fn new(matrices: &Matrices, has_batched: bool) -> How {
        if matrices.count > 1 && has_batched && matrices.rows <= MOST_BATCHED {
            How::Batched
        } else if matrices.count > 1 && matrices.rows <= MOST_BY_JACOBI {
            How::ByJacobi
        } else {
            How::Looped
        }
    }

    /// The first matrix and the number of each call.
    fn calls(self, count: usize, order: usize) -> Vec<(usize, usize)> {
        if self == How::Looped { (0..count).map(|k| (k, 1)).collect() } else { pieces(count, order * order) }
    }
}

/// What all calls have in common.
#[derive(Clone, Copy)]
struct Call {
    name: &'static str,
    dtype: Number,
    how: How,
    order: usize,
    vectors: bool,
    upper: bool,
}

/// Overwrites the matrices with their vectors.
fn decomposed(call: Call, v: &mut AnyArray, w: &mut AnyArray, count: usize) -> Result<Reports> {
    let (name, order) = (call.name, call.order);
    let mut reports = Reports::new(name, count)?;
    let calls = call.how.calls(count, order);
    // The largest and the last: between them, no sizes differ.
    let mut lengths: Vec<usize> = calls.iter().map(|(_, length)| *length).collect();
    lengths.dedup();
    let mut space = workspace(name, &[v, w], move |solver, arrays| {
        let mut each = lengths.iter().map(|length| call.sizes(solver, &arrays[0], &arrays[1], *length));
        each.try_fold(Sizes::default(), |sizes, one| Ok(sizes.most(one?)))
    })?;
    let host = space.host.clone();
    let work = move |gpu: &dyn Gpu, arrays: &[Extent]| {
        let [v, ..] = arrays else { unreachable!("four arrays") };
        with_solver(name, gpu, v.context, |solver| {
            calls.iter().try_for_each(|piece| call.decompose(solver, arrays, *piece, &host))
        })
    };
    let arguments = [
        Argument::write(v),
        Argument::write(w),
        Argument::write(&mut reports.array),
        Argument::write(&mut space.device),
    ];
    reports.keep(&space);
    run(name, &arguments, work)?;
    Ok(reports)
}

impl Call {
    /// The settings of Jacobi's method, where it is used.
    fn sweeps(self, solver: &Solver<'_>) -> Result<Option<Sweeps>> {
        (self.how == How::ByJacobi).then(|| solver.syevj()).transpose()
    }

    /// The sizes of the workspace for `length` matrices at once.
    fn sizes(self, solver: &Solver<'_>, v: &Extent, w: &Extent, length: usize) -> Result<Sizes> {
        let (mut sizes, mut elements) = (Sizes::default(), 0);
        let (library, n) = (solver.library, self.order as i64);
        let (vectors, triangle, code) = (c_int::from(self.vectors), triangle(self.upper), self.dtype.code);
        let order = number(self.name, self.order)?;
        let sweeps = self.sweeps(solver)?;
        let (device, host) = (&raw mut sizes.device, &raw mut sizes.host);
        // SAFETY: the arrays are those of the work below; the pointers among the last arguments are to places for the
        // sizes.
        let status = unsafe {
            match (self.how, library.syev_batched) {
                (How::Batched, Some((size, _))) => size(
                    solver.handle(),
                    solver.params(),
                    vectors,
                    triangle,
                    n,
                    code,
                    at(v, 0),
                    n,
                    self.dtype.real_code,
                    at(w, 0),
                    code,
                    device,
                    host,
                    length as i64,
                ),
                (How::ByJacobi, _) => (library.syevj_batched_size[self.dtype.index])(
                    solver.handle(),
                    vectors,
                    triangle,
                    order,
                    at(v, 0),
                    order,
                    at(w, 0),
                    &raw mut elements,
                    sweeps.as_ref().map_or(null_mut(), |sweeps| sweeps.raw),
                    length as c_int,
                ),
                _ => (library.syevd_size)(
                    solver.handle(),
                    solver.params(),
                    vectors,
                    triangle,
                    n,
                    code,
                    at(v, 0),
                    n,
                    self.dtype.real_code,
                    at(w, 0),
                    code,
                    device,
                    host,
                ),
            }
        };
        solver.check("size the work of decomposing a matrix", status)?;
        if self.how == How::ByJacobi {
            Sizes::of_elements(self.name, elements, self.dtype.size())
        } else {
            Ok(sizes)
        }
    }

    /// Decomposes `length` matrices from `first` on.
    fn decompose(
        self,
        solver: &Solver<'_>,
        arrays: &[Extent],
        (first, length): (usize, usize),
        host: &HostMemory,
    ) -> Result<()> {
        let [v, w, reports, device] = arrays else { unreachable!("four arrays") };
        let (library, n) = (solver.library, self.order as i64);
        let (vectors, triangle, code) = (c_int::from(self.vectors), triangle(self.upper), self.dtype.code);
        let order = number(self.name, self.order)?;
        let sweeps = self.sweeps(solver)?.map_or(null_mut(), |sweeps| host.hold(sweeps));
        let (mut place, sizes) = (host.lock(), host.sizes());
        let elements = number(self.name, sizes.device / self.dtype.size());
        let (a, w) = (at(v, first * self.order * self.order), at(w, first * self.order));
        // SAFETY: the handle is of this context and locked. There are `length` square matrices, column by column and
        // one behind the other in an array that is written, as are their values and reports; the workspaces have the
        // sizes that were asked for.
        let status = unsafe {
            match (self.how, library.syev_batched) {
                (How::Batched, Some((_, decompose))) => decompose(
                    solver.handle(),
                    solver.params(),
                    vectors,
                    triangle,
                    n,
                    code,
                    a,
                    n,
                    self.dtype.real_code,
                    w,
                    code,
                    at(device, 0),
                    sizes.device,
                    place.address(),
                    sizes.host,
                    at(reports, first).cast(),
                    length as i64,
                ),
                (How::ByJacobi, _) => (library.syevj_batched[self.dtype.index])(
                    solver.handle(),
                    vectors,
                    triangle,
                    order,
                    a,
                    order,
                    w,
                    at(device, 0),
                    elements?,
                    at(reports, first).cast(),
                    sweeps,
                    length as c_int,
                ),
                _ => (library.syevd)(
                    solver.handle(),
                    solver.params(),
                    vectors,
                    triangle,
                    n,
                    code,
                    a,
                    n,
                    self.dtype.real_code,
                    w,
                    code,
                    at(device, 0),
                    sizes.device,
                    place.address(),
                    sizes.host,
                    at(reports, first).cast(),
                ),
            }
        };
        solver.check("decompose a matrix", status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_routine_for_batches_is_used_where_there_is_one() {
        let matrices = |count, rows| Matrices { batch: vec![count], count, rows, columns: rows };
        assert_eq!(How::new(&matrices(1, 8), true), How::Looped);
        assert_eq!(How::new(&matrices(2, 512), true), How::Batched);
        assert_eq!(How::new(&matrices(2, 513), true), How::Looped);
        assert_eq!(How::new(&matrices(2, 32), false), How::ByJacobi);
        assert_eq!(How::new(&matrices(2, 33), false), How::Looped);
        assert_eq!(How::Looped.calls(2, 9), [(0, 1), (1, 1)]);
        assert_eq!(How::Batched.calls(2, 9), [(0, 2)]);
    }
}

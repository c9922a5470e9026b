//! Singular values and vectors by the QR algorithm, of matrices whose Jacobi sweeps did not converge: `gesvd`.

use gpurepl_extend::{AnyArray, Argument, Extent, Gpu, Result};

use super::declarations::Job;
use super::handle::{Solver, with_solver};
use super::kernels;
use super::matrices::{Matrices, Number, column_major};
use super::svd::Decomposed;
use super::work::{Reports, Sizes, at, run, workspace};

/// What the routine is told, which takes matrices with at least as many rows as columns.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Problem {
    /// Whether it is given the conjugate transpose, so that its vectors change sides.
    is_turned: bool,
    rows: usize,
    columns: usize,
    job: Job,
}

impl Problem {
    fn new(matrices: &Matrices, has_vectors: bool, is_full: bool) -> Problem {
        let is_turned = matrices.rows < matrices.columns;
        let (rows, columns) = (matrices.rows.max(matrices.columns), matrices.shorter());
        let job = match (has_vectors, is_full) {
            (false, _) => b'N',
            (true, false) => b'S',
            (true, true) => b'A',
        };
        Problem { is_turned, rows, columns, job: job as Job }
    }

    /// The matrices of the problem in a new array, column by column. In C order, the conjugates of matrices are their
    /// conjugate transposes column by column.
    fn matrices(self, a: &AnyArray) -> Result<AnyArray> {
        if self.is_turned { a.conjugated().copied() } else { column_major(a) }
    }
}

/// Computes some of the matrices' results again, and gives their reports.
pub(super) fn decomposed_by_qr(
    name: &'static str,
    a: &AnyArray,
    to: &mut Decomposed,
    matrices: &Matrices,
    failed: &[usize],
) -> Result<Vec<i64>> {
    let dtype = Number::of(name, a.dtype())?;
    let problem = Problem::new(matrices, to.has_vectors, to.is_full);
    let (m, n, count) = (problem.rows, problem.columns, matrices.count);
    let mut work = problem.matrices(a)?;
    // The routine gives the vectors on its right as rows, those are turned into their place.
    let mut right = AnyArray::empty([n, n], a.dtype())?;
    let [u_elements, v_elements] = [&to.u, &to.v].map(|array| array.size() / count);
    let mut space =
        workspace(name, &[&work, &to.s, if problem.is_turned { &to.v } else { &to.u }, &right], {
            move |solver, arrays| ask(solver, arrays, problem, dtype)
        })?;
    let host = space.host.clone();
    let mut reports = Reports::new(name, failed.len())?;
    let failed = failed.to_vec();
    let on_gpu = move |gpu: &dyn Gpu, arrays: &[Extent]| {
        let [a, s, u, v, right, reports, device] = arrays else { unreachable!("seven arrays") };
        for (j, k) in failed.iter().enumerate() {
            let (u, v) = (at(u, k * u_elements), at(v, k * v_elements));
            let (left, other) = if problem.is_turned { (v, u) } else { (u, v) };
            with_solver(name, gpu, a.context, |solver| {
                let (mut place, sizes) = (host.lock(), host.sizes());
                // SAFETY: the handle is of this context and locked. The matrix lies column by column in an array that
                // is written, as are its values, the vectors on its left, of which there are as many as the job says,
                // those on its right, which are a square matrix, and its report; the workspaces have the sizes that
                // were asked for.
                let status = unsafe {
                    (solver.library.gesvd)(
                        solver.handle(),
                        solver.params(),
                        problem.job,
                        problem.job,
                        m as i64,
                        n as i64,
                        dtype.code,
                        at(a, k * m * n),
                        m as i64,
                        dtype.real_code,
                        at(s, k * n),
                        dtype.code,
                        left,
                        m as i64,
                        dtype.code,
                        at(right, 0),
                        n as i64,
                        dtype.code,
                        at(device, 0),
                        sizes.device,
                        place.address(),
                        sizes.host,
                        at(reports, j).cast(),
                    )
                };
                solver.check("decompose a matrix", status)
            })?;
            if problem.job != b'N' as Job {
                // SAFETY: both are square matrices of the shorter side: of that side, all vectors are always
                // computed.
                unsafe { kernels::adjoint(gpu, dtype.dtype, right.address, other as u64, [n, n])? };
            }
        }
        Ok(())
    };
    let arguments = [
        Argument::write(&mut work),
        Argument::write(&mut to.s),
        Argument::write(&mut to.u),
        Argument::write(&mut to.v),
        Argument::write(&mut right),
        Argument::write(&mut reports.array),
        Argument::write(&mut space.device),
    ];
    reports.keep(&space);
    run(name, &arguments, on_gpu)?;
    reports.read()
}

fn ask(solver: &Solver<'_>, arrays: &[Extent], problem: Problem, dtype: Number) -> Result<Sizes> {
    let mut sizes = Sizes::default();
    // SAFETY: the arrays are those of the work above; the last pointers are to places for the sizes.
    let status = unsafe {
        (solver.library.gesvd_size)(
            solver.handle(),
            solver.params(),
            problem.job,
            problem.job,
            problem.rows as i64,
            problem.columns as i64,
            dtype.code,
            at(&arrays[0], 0),
            problem.rows as i64,
            dtype.real_code,
            at(&arrays[1], 0),
            dtype.code,
            at(&arrays[2], 0),
            problem.rows as i64,
            dtype.code,
            at(&arrays[3], 0),
            problem.columns as i64,
            dtype.code,
            &raw mut sizes.device,
            &raw mut sizes.host,
        )
    };
    solver.check("size the work of decomposing a matrix", status)?;
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_matrices_are_turned() {
        let matrices = |rows, columns| Matrices { batch: vec![], count: 1, rows, columns };
        let tall = Problem::new(&matrices(5, 3), true, false);
        assert_eq!(tall, Problem { is_turned: false, rows: 5, columns: 3, job: b'S' as Job });
        let wide = Problem::new(&matrices(3, 5), true, true);
        assert_eq!(wide, Problem { is_turned: true, rows: 5, columns: 3, job: b'A' as Job });
        assert_eq!(Problem::new(&matrices(3, 3), false, true).job, b'N' as Job);
    }
}

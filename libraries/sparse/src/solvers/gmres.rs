//! The generalized minimal residual method: Saad and Schultz, GMRES: A Generalized Minimal Residual Algorithm for Solving
//! Nonsymmetric Linear Systems (1986), preconditioned from the right, so that the residual is the system's own.
//!
//! A cycle of steps runs without a look of the host, which then solves the small least-squares problem: of the steps
//! those count up to the first one whose residual is small.

use gpurepl_extend::{AnyArray, DType, Result, interrupt};
use num_complex::Complex;

use super::{Outcome, System, norm, numbers};
use crate::bases;
use crate::number::{by_type, epsilon};
use crate::operator::{Apply, applied, conditioned};

pub(crate) fn solve(system: &mut System<'_>) -> Result<Outcome> {
    let n = system.x.size();
    loop {
        let steps = system.restart.min(system.left()).min(n.max(1));
        let start = system.last_scaled();
        let cycle = cycle(system, start, steps)?;
        let small = system.small();
        let end = cycle.norms.iter().position(|norm| *norm <= small || !norm.is_finite());
        let taken = match end {
            Some(end) if !cycle.norms[end].is_finite() => end,
            Some(end) => end + 1,
            None => cycle.norms.len(),
        };
        if taken == 0 {
            return Ok(if cycle.norms.is_empty() { Outcome::Stagnated } else { Outcome::NotFinite });
        }
        let y = cycle.least_squares.solution(taken);
        let y = uploaded(&y, system.x.dtype())?;
        let zeros = AnyArray::zeros(n, system.x.dtype())?;
        let step = bases::combined(&cycle.basis.narrowed(0, 0, taken)?, &y, &zeros, false)?;
        let x = system.x.added(&conditioned(system.preconditioner, &step)?)?.contiguous()?;
        let residual = system.right.subtracted(&applied(system.a, &x)?)?.contiguous()?;
        // The rotations may have lost what rounding errors have added.
        let norm = norm(&residual)?;
        let mut norms = cycle.norms[..taken].to_vec();
        if !norm.is_finite() {
            return Ok(Outcome::NotFinite);
        }
        if norm >= start {
            // The solution of before is the better one.
            norms[taken - 1] = start;
            system.note(&norms);
            system.tell();
            return Ok(Outcome::Stagnated);
        }
        norms[taken - 1] = norm;
        (system.x, system.residual) = (x, residual);
        system.note(&norms);
        system.tell();
        if norm <= small {
            return Ok(Outcome::Converged);
        }
        if system.left() == 0 {
            return Ok(Outcome::MaxIterations);
        }
        interrupt::check()?;
    }
}

struct Cycle {
    basis: AnyArray,
    norms: Vec<f64>,
    least_squares: LeastSquares,
}

fn cycle(system: &System<'_>, start: f64, steps: usize) -> Result<Cycle> {
    let n = system.x.size();
    let dtype = system.x.dtype();
    let basis = AnyArray::empty((steps + 1, n), dtype)?;
    basis.narrowed(0, 0, 1)?.assign(&system.residual.multiplied(1.0 / start)?)?;
    let columns = AnyArray::zeros((steps, steps + 1), dtype)?;
    for step in 0..steps {
        extend(system.a, system.preconditioner, &basis, &columns, step)?;
    }
    let columns = complex(&columns)?;
    let mut least_squares = LeastSquares::new(start);
    let mut norms = Vec::with_capacity(steps);
    for (step, column) in columns.chunks_exact(steps + 1).enumerate() {
        // A column that the ones before it make up adds nothing, and nothing follows it.
        let Some(norm) = least_squares.add(&column[..step + 2], 10.0 * epsilon(dtype)) else { break };
        norms.push(norm);
        if !norm.is_finite() || norm == 0.0 {
            break;
        }
    }
    Ok(Cycle { basis, norms, least_squares })
}

/// The next vector of a basis, orthogonal to those before, and how the product is made of them: row `step` of `columns`.
///
/// It is made orthogonal twice, which is as good as ever more often: Giraud, Langou, Rozložník and van den Eshof,
/// Rounding error analysis of the classical Gram-Schmidt orthogonalization process (2005).
pub(crate) fn extend(
    a: &dyn Apply,
    preconditioner: Option<&dyn Apply>,
    basis: &AnyArray,
    columns: &AnyArray,
    step: usize,
) -> Result<()> {
    let n = basis.shape()[1];
    let last = basis.narrowed(0, step, 1)?.reshaped(&[n])?;
    let mut w = applied(a, &conditioned(preconditioner, &last)?)?;
    let before = basis.narrowed(0, 0, step + 1)?;
    let mut parts: Option<AnyArray> = None;
    for _ in 0..2 {
        let part = bases::inners(&before, &w)?;
        w = bases::combined(&before, &part, &w, true)?;
        parts = Some(match parts {
            Some(first) => first.added(&part)?.contiguous()?,
            None => part,
        });
    }
    let row = columns.narrowed(0, step, 1)?.reshaped(&[columns.shape()[1]])?;
    if let Some(parts) = parts {
        row.narrowed(0, 0, step + 1)?.assign(&parts)?;
    }
    let length = super::dot(&w, &w)?.square_root().contiguous()?;
    row.narrowed(0, step + 1, 1)?.assign(&length)?;
    basis.narrowed(0, step + 1, 1)?.assign(&w.divided(&length.without_zeros()?)?)
}

/// Elements on the host.
pub(crate) fn complex(a: &AnyArray) -> Result<Vec<Complex<f64>>> {
    if a.dtype().is_complex() {
        let bytes = a.cast(DType::Complex128).contiguous()?.to_host()?;
        return Ok(bytemuck::pod_collect_to_vec(&bytes));
    }
    Ok(numbers(&a.contiguous()?)?.into_iter().map(Complex::from).collect())
}

/// Numbers of the host as an array.
pub(crate) fn uploaded(values: &[Complex<f64>], dtype: DType) -> Result<AnyArray> {
    by_type!(dtype, T => {
        let values: Vec<T> = values.iter().map(|z| <T as crate::number::Arithmetic>::of_parts(z.re, z.im)).collect();
        AnyArray::from_host(values.len(), dtype, bytemuck::cast_slice(&values))
    })
}

/// The least-squares problem of a cycle, by rotations.
struct LeastSquares {
    /// The columns of the triangle.
    columns: Vec<Vec<Complex<f64>>>,
    rotations: Vec<(f64, Complex<f64>)>,
    right: Vec<Complex<f64>>,
}

impl LeastSquares {
    fn new(start: f64) -> LeastSquares {
        LeastSquares { columns: Vec::new(), rotations: Vec::new(), right: vec![start.into()] }
    }

    /// Adds a column, which has an element more than the one before; the norm of the residual then. None, if what the
    /// rotations leave of it is a part of it that rounding errors are as large as.
    fn add(&mut self, column: &[Complex<f64>], tolerance: f64) -> Option<f64> {
        let size = column.iter().map(|element| element.norm_sqr()).sum::<f64>().sqrt();
        let mut column = column.to_vec();
        for (k, (cosine, sine)) in self.rotations.iter().enumerate() {
            let (a, b) = (column[k], column[k + 1]);
            column[k] = a * *cosine + b * *sine;
            column[k + 1] = b * *cosine - a * sine.conj();
        }
        let k = column.len() - 2;
        let (a, b) = (column[k], column[k + 1]);
        let length = a.norm().hypot(b.norm());
        if length <= tolerance * size {
            return None;
        }
        let rotation = if a.norm() == 0.0 {
            (0.0, b.conj() / b.norm())
        } else {
            (a.norm() / length, a / a.norm() * b.conj() / length)
        };
        let (cosine, sine) = rotation;
        column[k] = a * cosine + b * sine;
        let g = self.right[k];
        self.right[k] = g * cosine;
        self.right.push(-g * sine.conj());
        self.rotations.push(rotation);
        column.truncate(k + 1);
        self.columns.push(column);
        Some(self.right[k + 1].norm())
    }

    /// The solution of the first columns.
    fn solution(&self, count: usize) -> Vec<Complex<f64>> {
        let mut y = self.right[..count].to_vec();
        for k in (0..count).rev() {
            y[k] /= self.columns[k][k];
            let known = y[k];
            for (y, element) in y[..k].iter_mut().zip(&self.columns[k]) {
                *y -= *element * known;
            }
        }
        y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_squares_are_those_of_the_normal_equations() {
        let columns = [
            vec![Complex::new(1.0, 0.5), Complex::new(2.0, 0.0)],
            vec![Complex::new(0.0, 1.0), Complex::new(-1.0, 0.25), Complex::new(0.5, 0.0)],
        ];
        let mut problem = LeastSquares::new(3.0);
        let norms: Vec<f64> = columns.iter().map(|column| problem.add(column, 1e-15).unwrap()).collect();
        let y = problem.solution(2);
        let mut residual = [Complex::new(3.0, 0.0), Complex::ZERO, Complex::ZERO];
        for (column, y) in columns.iter().zip(&y) {
            for (residual, element) in residual.iter_mut().zip(column) {
                *residual -= *element * *y;
            }
        }
        let norm = residual.iter().map(|r| r.norm_sqr()).sum::<f64>().sqrt();
        assert!((norm - norms[1]).abs() < 1e-14, "{norm} {norms:?}");
        for column in &columns {
            let inner: Complex<f64> = column.iter().zip(&residual).map(|(a, r)| a.conj() * r).sum();
            assert!(inner.norm() < 1e-14, "{inner}");
        }
        // Twice the second column, and nothing beyond.
        let mut again: Vec<_> = columns[1].iter().map(|element| element * 2.0).collect();
        again.push(Complex::ZERO);
        assert_eq!(problem.add(&again, 1e-15), None);
        assert_eq!(problem.columns.len(), 2);
    }
}

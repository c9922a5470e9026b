//! Least squares on the host: Householder's reflections make a triangle of the
//! columns, whose singular values Jacobi's rotations find (G. H. Golub, C. F. Van
//! Loan, "Matrix Computations", 4th edition, 2013, sections 5.2, 5.5, 8.6.3).

use num_complex::Complex64;

use crate::error::Result;
use crate::interrupt;

/// Columns of equal length.
pub(super) type Columns = Vec<Vec<Complex64>>;

/// The solution of least size, and what it was found with.
pub(super) struct Solution {
    /// A column for each right side.
    pub(super) unknowns: Columns,
    /// The sum of squares that is left of each right side.
    pub(super) residuals: Vec<f64>,
    /// Descending.
    pub(super) singular_values: Vec<f64>,
    /// How many of them are larger than the limit.
    pub(super) rank: usize,
    /// The inverse of the square of the matrix, by its conjugate.
    pub(super) covariance: Columns,
}

fn product(a: &[Complex64], b: &[Complex64]) -> Complex64 {
    a.iter().zip(b).map(|(a, b)| a.conj() * b).sum()
}

fn length(a: &[Complex64]) -> f64 {
    a.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt()
}

/// Solves `matrix * x = right` for each right side; singular values below
/// `limit`, as a share of the largest, count as zeros.
pub(super) fn solve(mut matrix: Columns, mut right: Columns, limit: f64) -> Result<Solution> {
    let (rows, unknowns) = (matrix[0].len(), matrix.len());
    let steps = rows.min(unknowns);
    for k in 0..steps {
        interrupt::check()?;
        let mut v = matrix[k][k..].to_vec();
        let size = length(&v);
        if size == 0.0 {
            continue;
        }
        let direction = if v[0].norm() == 0.0 { Complex64::new(1.0, 0.0) } else { v[0] / v[0].norm() };
        v[0] += direction * size;
        let square: f64 = v.iter().map(|x| x.norm_sqr()).sum();
        for column in matrix[k..].iter_mut().chain(&mut right) {
            let factor = product(&v, &column[k..]) * 2.0 / square;
            for (x, v) in column[k..].iter_mut().zip(&v) {
                *x -= factor * v;
            }
        }
    }
    let residuals = right.iter().map(|column| column[steps..].iter().map(|x| x.norm_sqr()).sum()).collect();
    for (k, column) in matrix.iter_mut().enumerate() {
        column.truncate(steps);
        column.iter_mut().skip(k + 1).for_each(|x| *x = Complex64::default());
    }
    let factors = singular(matrix)?;
    let greatest = factors.values.iter().fold(0.0_f64, |most, value| most.max(*value));
    let is_kept = |value: f64| value > limit * greatest;
    let rank = factors.values.iter().filter(|value| is_kept(**value)).count();
    let solved = right.iter().map(|column| {
        let mut answer = vec![Complex64::default(); unknowns];
        for (k, value) in factors.values.iter().enumerate().filter(|(_, value)| is_kept(**value)) {
            let share = product(&factors.left[k], &column[..steps]) / (value * value);
            for (x, v) in answer.iter_mut().zip(&factors.right[k]) {
                *x += share * v;
            }
        }
        answer
    });
    let unknowns_of_all = solved.collect();
    let covariance = (0..unknowns)
        .map(|j| {
            let element = |i: usize| {
                let terms = factors.values.iter().zip(&factors.right);
                terms.map(|(value, v)| v[i] * v[j].conj() / (value * value)).sum()
            };
            (0..unknowns).map(element).collect()
        })
        .collect();
    let mut singular_values = factors.values;
    singular_values.sort_by(|a, b| b.total_cmp(a));
    singular_values.truncate(steps);
    Ok(Solution { unknowns: unknowns_of_all, residuals, singular_values, rank, covariance })
}

/// `matrix = left * right.conj().T`, where columns of `left` are as long as the
/// singular values and at right angles, and those of `right` have length 1.
struct Singular {
    left: Columns,
    right: Columns,
    values: Vec<f64>,
}

/// Hestenes's rotations of pairs of columns, until all are at right angles.
fn singular(mut left: Columns) -> Result<Singular> {
    let n = left.len();
    let one = |i: usize, j: usize| if i == j { Complex64::new(1.0, 0.0) } else { Complex64::default() };
    let mut right: Columns = (0..n).map(|j| (0..n).map(|i| one(i, j)).collect()).collect();
    for _ in 0..60 {
        interrupt::check()?;
        let mut is_done = true;
        for p in 0..n {
            for q in p + 1..n {
                let inner = product(&left[p], &left[q]);
                let (alpha, beta) = (length(&left[p]), length(&left[q]));
                let size = inner.norm();
                if size <= f64::EPSILON * alpha * beta {
                    continue;
                }
                is_done = false;
                let zeta = (beta - alpha) * (beta + alpha) / (2.0 * size);
                let tangent = 1.0_f64.copysign(zeta) / (zeta.abs() + zeta.hypot(1.0));
                let cosine = 1.0 / tangent.hypot(1.0);
                let (sine, phase) = (cosine * tangent, inner.conj() / size);
                for columns in [&mut left, &mut right] {
                    let (before, after) = columns.split_at_mut(q);
                    for (x, y) in before[p].iter_mut().zip(&mut after[0]) {
                        let turned = *y * phase;
                        (*x, *y) = (*x * cosine - turned * sine, *x * sine + turned * cosine);
                    }
                }
            }
        }
        if is_done {
            break;
        }
    }
    let values = left.iter().map(|column| length(column)).collect();
    Ok(Singular { left, right, values })
}

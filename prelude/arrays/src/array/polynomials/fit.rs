//! Polynomials through points, by least squares.

use gpurepl_kernels::DType;
use num_complex::Complex64;

use super::super::raw::Raw;
use super::coefficients::{array, numbers, wrong};
use super::least_squares::{Columns, Solution, solve};
use crate::error::{Problem, Result};

/// A fit, with the coefficients from the lowest power up.
pub(super) struct Fit {
    solution: Solution,
    scales: Vec<f64>,
    points: usize,
    /// Whether there is a polynomial for each column of the values.
    has_columns: bool,
    /// The limit of singular values, beside the largest.
    pub(super) limit: f64,
}

fn check(operation: &'static str, x: &Raw, y: &Raw, weights: Option<&Raw>) -> Result<()> {
    let shapes = || format!("shapes {:?} and {:?}", x.shape(), y.shape());
    // NumPy's words.
    if x.shape().rank() != 1 {
        return wrong(operation, format!("expected 1D vector for x, and not shape {:?}", x.shape()));
    }
    if x.size() == 0 {
        return wrong(operation, "expected non-empty vector for x".to_owned());
    }
    if !(1..=2).contains(&y.shape().rank()) {
        return wrong(operation, format!("expected 1D or 2D array for y, and not shape {:?}", y.shape()));
    }
    if y.lengths()[0] != x.size() {
        return wrong(operation, format!("expected x and y to have same length: {}", shapes()));
    }
    match weights {
        Some(w) if w.shape().rank() != 1 => {
            wrong(operation, format!("expected a 1-d array for weights, and not shape {:?}", w.shape()))
        }
        Some(w) if w.size() != x.size() => {
            let (w, y) = (w.shape(), y.shape());
            wrong(operation, format!("expected w and y to have the same length: shapes {w:?} and {y:?}"))
        }
        _ => Ok(()),
    }
}

impl Fit {
    /// `precision` is the type of the points, whose last digit limits what singular
    /// values say.
    pub(super) fn of(
        operation: &'static str,
        (x, y): (&Raw, &Raw),
        degree: usize,
        weights: Option<&Raw>,
        precision: DType,
    ) -> Result<Fit> {
        check(operation, x, y, weights)?;
        let places = numbers(x)?;
        let points = places.len();
        let values = numbers(y)?;
        let weights = weights.map(numbers).transpose()?;
        let weight = |row: usize| weights.as_ref().map_or(1.0, |weights| weights[row].re);
        let columns = if y.shape().rank() == 2 { y.lengths()[1] } else { 1 };
        let right: Columns = (0..columns)
            .map(|k| (0..points).map(|row| values[row * columns + k] * weight(row)).collect())
            .collect();
        let mut power: Vec<Complex64> = (0..points).map(|row| weight(row).into()).collect();
        let (mut matrix, mut scales) = (Columns::new(), Vec::new());
        for k in 0..=degree {
            if k > 0 {
                power.iter_mut().zip(&places).for_each(|(power, x)| *power *= x);
            }
            let size = power.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
            let scale = if size == 0.0 { 1.0 } else { size };
            if !scale.is_finite() || right.iter().flatten().any(|y| !y.is_finite()) {
                // NumPy's words.
                let message =
                    "SVD did not converge in Linear Least Squares: there are NaN or infinities, or a power \
                               of them is too large"
                        .to_owned();
                return Err(Problem::Invalid { operation, message }.into());
            }
            matrix.push(power.iter().map(|x| x / scale).collect());
            scales.push(scale);
        }
        let epsilon = match precision.real() {
            DType::Float16 => 2.0_f64.powi(-10),
            DType::Float32 => f64::from(f32::EPSILON),
            _ => f64::EPSILON,
        };
        let limit = points as f64 * epsilon;
        let solution = solve(matrix, right, limit)?;
        Ok(Fit { solution, scales, points, has_columns: y.shape().rank() == 2, limit })
    }

    pub(super) fn coefficients(&self, is_falling: bool, dtype: DType) -> Result<Raw> {
        let (unknowns, columns) = (self.scales.len(), self.solution.unknowns.len());
        let mut all = Vec::with_capacity(unknowns * columns);
        for row in 0..unknowns {
            let power = if is_falling { unknowns - 1 - row } else { row };
            all.extend(self.solution.unknowns.iter().map(|column| column[power] / self.scales[power]));
        }
        if self.has_columns {
            array(&[unknowns, columns], &all, dtype)
        } else {
            array(&[unknowns], &all, dtype)
        }
    }

    /// The sums of squares that are left; none where NumPy says none.
    pub(super) fn residuals(&self, dtype: DType) -> Result<Raw> {
        if !self.is_determined() {
            return array(&[0], &[], dtype);
        }
        let sums: Vec<Complex64> = self.solution.residuals.iter().map(|sum| Complex64::from(*sum)).collect();
        array(&[sums.len()], &sums, dtype)
    }

    fn is_determined(&self) -> bool {
        self.solution.rank == self.scales.len() && self.points > self.scales.len()
    }

    pub(super) fn rank(&self) -> usize {
        self.solution.rank
    }

    pub(super) fn singular_values(&self, dtype: DType) -> Result<Raw> {
        let values: Vec<Complex64> =
            self.solution.singular_values.iter().map(|value| Complex64::from(*value)).collect();
        array(&[values.len()], &values, dtype)
    }

    /// The covariance of the coefficients from the highest power down, for each
    /// column of the values, scaled by what is left.
    pub(super) fn covariance(&self, operation: &'static str, dtype: DType) -> Result<Raw> {
        let unknowns = self.scales.len();
        if self.points <= unknowns {
            // NumPy's words.
            let message = format!(
                "the number of data points must exceed order to scale the covariance matrix: {} points, and \
                 {unknowns} coefficients",
                self.points
            );
            return Err(Problem::Invalid { operation, message }.into());
        }
        if self.solution.rank < unknowns {
            let message = format!("Singular matrix: of rank {} with {unknowns} columns", self.solution.rank);
            return Err(Problem::Invalid { operation, message }.into());
        }
        let columns = self.solution.residuals.len();
        let mut all = Vec::with_capacity(unknowns * unknowns * columns);
        for i in (0..unknowns).rev() {
            for j in (0..unknowns).rev() {
                let base = self.solution.covariance[j][i] / (self.scales[i] * self.scales[j]);
                let left = (self.points - unknowns) as f64;
                all.extend(self.solution.residuals.iter().map(|sum| base * (sum / left)));
            }
        }
        if self.has_columns {
            array(&[unknowns, unknowns, columns], &all, dtype)
        } else {
            array(&[unknowns, unknowns], &all, dtype)
        }
    }
}

//! Random vectors: distributions of which a number is a row.

use gpurepl_kernels::DType;
use gpurepl_kernels::random::Draws;
use gpurepl_kernels::random::distributions::Distribution;

use super::generator::Generator;
use super::weights::{Numbers, listed};
use crate::array::{GpuArray, RealScalar, ones, stack_axis, to_gpu};
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::{Dims, IntoShape};

/// Distributions of vectors. The last axis of a result has the elements of a vector,
/// the others are the shape.
impl Generator {
    /// How often each outcome occurs in `n` tries: binomial numbers, one after the
    /// other. The host computes them.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let dice = default_rng(0).multinomial(600, [1.0 / 6.0; 6], 100);
    /// assert_eq!(dice.shape(), [100, 6]);
    /// assert!(dice.sum_axis(1).eq(600).all().item());
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if `n` is not a whole number, a probability is
    /// not from 0 to 1, they add up to more than 1, or the device does not have enough
    /// memory.
    #[track_caller]
    pub fn multinomial(
        &self,
        n: impl RealScalar,
        pvals: impl Numbers,
        shape: impl IntoShape,
    ) -> GpuArray<i64> {
        let tries = n.real_scalar().real().unwrap_or(f64::NAN);
        self.outcomes(tries, pvals, shape.into_dims()).or_raise()
    }

    /// Vectors of numbers from 0 to 1 whose sum is 1, Dirichlet's distribution: numbers of
    /// gamma distributions, divided by their sum. Where all of `alpha` are below 0.1 these
    /// could all be 0, and each number is a share of what the ones before it leave: one of
    /// the beta distribution, as in NumPy.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let shares = default_rng(0).dirichlet([10, 5, 3], 20);
    /// assert!(allclose(shares.sum_axis(1), 1.0));
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if a number is not above 0, or the device does
    /// not have enough memory.
    #[track_caller]
    pub fn dirichlet(&self, alpha: impl Numbers, shape: impl IntoShape) -> GpuArray<f64> {
        let alpha = listed("dirichlet", alpha).and_then(|alpha| positive("dirichlet", alpha)).or_raise();
        let shape = shape.into_dims().shape("dirichlet", 8).or_raise();
        if alpha.iter().all(|alpha| *alpha < 0.1) {
            return self.broken_sticks(&alpha, shape.lengths());
        }
        let parts: Vec<GpuArray<f64>> =
            alpha.iter().map(|alpha| self.standard_gamma::<f64>(*alpha, shape.lengths())).collect();
        // One after the other, which gives the same sum on every device.
        let mut sum = parts[0].copy();
        parts[1..].iter().for_each(|part| sum += part);
        stack_axis(&parts[..], -1) / sum.expand_dims(-1)
    }

    fn broken_sticks(&self, alpha: &[f64], lengths: &[usize]) -> GpuArray<f64> {
        let mut left = ones::<f64>(lengths);
        let mut parts = Vec::with_capacity(alpha.len());
        for (k, first) in alpha.iter().enumerate() {
            let others: f64 = alpha[k + 1..].iter().sum();
            if others > 0.0 {
                let share = self.beta(*first, others, lengths);
                parts.push(&left * &share);
                left *= 1.0 - share;
            }
        }
        parts.push(left);
        stack_axis(&parts[..], -1)
    }

    /// Vectors of normal numbers with these means and this matrix of covariances, which
    /// is symmetric and has no negative eigenvalue.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let points = default_rng(0).multivariate_normal([1.0, 2.0], &gpu![[2.0, 0.5], [0.5, 1.0]], 10_000);
    /// assert_eq!(points.shape(), [10_000, 2]);
    /// assert!((points.mean_axis(0) - gpu![1.0, 2.0]).abs().max().item() < 0.1);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the matrix is not square, of another size
    /// than the means, not symmetric or has a negative eigenvalue, or the device does
    /// not have enough memory.
    #[track_caller]
    pub fn multivariate_normal(
        &self,
        mean: impl Numbers,
        cov: &GpuArray<f64>,
        shape: impl IntoShape,
    ) -> GpuArray<f64> {
        let mean = listed("multivariate_normal", mean).or_raise();
        let root = root_of(cov, mean.len()).or_raise();
        let shape = shape.into_dims().shape("multivariate_normal", 8).or_raise();
        let count = mean.len();
        let first: Vec<usize> = [count].into_iter().chain(shape.lengths().iter().copied()).collect();
        let normals = self.standard_normals(DType::Float64, first.as_slice().into_dims()).or_raise();
        let normals = GpuArray::<f64>::wrap(normals);
        let last: Vec<usize> = shape.lengths().iter().copied().chain([count]).collect();
        let mut made = to_gpu(mean).broadcast_to(last.as_slice()).copy();
        // Column by column, which gives the same sums on every device.
        for k in 0..count {
            let column: Vec<f64> = (0..count).map(|row| root[row * count + k]).collect();
            made += normals.slice(k as i64).expand_dims(-1) * to_gpu(column);
        }
        made
    }

    fn outcomes(&self, tries: f64, pvals: impl Numbers, dims: Dims) -> Result<GpuArray<i64>> {
        let operation = "multinomial";
        let wrong = |message: String| Err(Problem::Invalid { operation, message }.into());
        let pvals = listed(operation, pvals)?;
        if !((0.0..=9_007_199_254_740_992.0).contains(&tries) && tries.fract() == 0.0) {
            return wrong(format!("n is {tries}, and must be a whole number from 0 to 2**53"));
        }
        if pvals.is_empty() {
            return wrong("there are no probabilities".to_owned());
        }
        if let Some(k) = pvals.iter().position(|p| !(0.0..=1.0).contains(p)) {
            return wrong(format!("pvals[{k}] is {}, and must be from 0 to 1", pvals[k]));
        }
        // The last one is what is left, as in NumPy.
        let sum: f64 = pvals[..pvals.len() - 1].iter().sum();
        if sum > 1.0 + 1e-12 {
            return wrong(format!("sum(pvals[:-1]) is {sum}, and must not be above 1"));
        }
        let shape = dims.shape(operation, 8 * pvals.len())?;
        let (key, stream) = self.next();
        let mut counts = Vec::with_capacity(shape.size() * pvals.len());
        for vector in 0..shape.size() {
            if vector % 4096 == 0 {
                crate::interrupt::check()?;
            }
            let mut draws = Draws::new(vector as u64, stream, key);
            let (mut left, mut rest) = (tries, 1.0);
            for p in &pvals[..pvals.len() - 1] {
                let own = if rest > 0.0 { (p / rest).clamp(0.0, 1.0) } else { 0.0 };
                let found = Distribution::Binomial.sample(&mut draws, [left, own, 0.0]);
                counts.push(found as i64);
                left -= found;
                rest -= p;
            }
            counts.push(left as i64);
        }
        let lengths: Vec<usize> = shape.lengths().iter().copied().chain([pvals.len()]).collect();
        Ok(to_gpu(counts).reshape(lengths.as_slice()))
    }
}

fn positive(operation: &'static str, numbers: Vec<f64>) -> Result<Vec<f64>> {
    let message = match numbers.iter().position(|number| *number <= 0.0) {
        Some(k) => format!("number {k} is {}, and must be above 0", numbers[k]),
        None if numbers.is_empty() => "there are no numbers".to_owned(),
        None => return Ok(numbers),
    };
    Err(Problem::Invalid { operation, message }.into())
}

/// A lower triangle whose product with its transpose is a symmetric matrix, by
/// Cholesky's method; a column whose pivot is zero but for rounding is zero.
fn root_of(cov: &GpuArray<f64>, count: usize) -> Result<Vec<f64>> {
    let operation = "multivariate_normal";
    let shape = cov.raw.shape();
    if shape.lengths() != [count, count] {
        let message = format!("mean has {count} numbers and cov has shape {shape:?}, not [{count}, {count}]");
        return Err(Problem::Shape { operation, message }.into());
    }
    let wrong = |message: &str| Err(Problem::Invalid { operation, message: message.to_owned() }.into());
    let matrix = cov.to_vec();
    let largest = matrix.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if !largest.is_finite() || matrix.iter().any(|x| x.is_nan()) {
        return wrong("cov must be finite");
    }
    let tolerance: f64 = 1e-8 * largest;
    let mut root = vec![0.0; count * count];
    for column in 0..count {
        for row in column..count {
            if (matrix[row * count + column] - matrix[column * count + row]).abs() > tolerance {
                return wrong("cov is not symmetric");
            }
        }
        let of = |row: usize, root: &[f64]| {
            let done: f64 = (0..column).map(|k| root[row * count + k] * root[column * count + k]).sum();
            matrix[row * count + column] - done
        };
        let pivot = of(column, &root);
        if pivot < -tolerance {
            return wrong("cov has a negative eigenvalue");
        }
        if pivot <= tolerance * 1e-4 {
            // With no variance left there is no covariance.
            if (column + 1..count).any(|row| of(row, &root).abs() > 1e-6 * largest) {
                return wrong("cov has a negative eigenvalue");
            }
            continue;
        }
        let diagonal = pivot.sqrt();
        for row in column..count {
            root[row * count + column] = of(row, &root) / diagonal;
        }
    }
    Ok(root)
}

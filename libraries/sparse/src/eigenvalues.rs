//! Some eigenvalues of large operators.

use gpurepl_extend::{AnyArray, DType, GpuArray, Result, error, interrupt};
use num_complex::Complex;

use crate::bases;
use crate::entry::returned;
use crate::number::{Field, epsilon};
use crate::operator::{Apply, Erased, LinearOperator, applied};
use crate::small::symmetric_eigen;
use crate::solvers::gmres::{complex, extend, uploaded};
use crate::solvers::{dot, norm};

/// Which eigenvalues are looked for: SciPy's `which`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// Those of largest magnitude: SciPy's `LM`.
    #[default]
    LargestMagnitude,
    /// The largest: SciPy's `LA`.
    LargestAlgebraic,
    /// The smallest: SciPy's `SA`.
    SmallestAlgebraic,
}

/// The `k` eigenvalues of largest magnitude of a Hermitian operator, in increasing order, and their vectors as columns:
/// SciPy's `eigsh`.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = sparse::diags([100, 100], &[(0, &arange(0..100).astype(f64))])?;
/// let (values, vectors) = sparse::eigsh(&a, 3)?;
/// assert!(allclose(&values, &gpu![97.0, 98.0, 99.0]));
/// assert_eq!(vectors.shape(), [100, 3]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As [`eigsh_which`].
pub fn eigsh<T: Field>(a: &impl LinearOperator<T>, k: usize) -> Result<(GpuArray<T::Real>, GpuArray<T>)> {
    eigsh_which(a, k, Which::default())
}

/// [`eigsh`] of other eigenvalues.
///
/// A value that comes several times may be found fewer times: all vectors come from products with one, which has one
/// part of each value's own.
///
/// It is the Lanczos method, restarted with the best vectors: Wu and Simon, Thick-Restart Lanczos Method for Large
/// Symmetric Eigenvalue Problems (2000), with vectors that are kept orthogonal to all others.
///
/// # Errors
///
/// If `k` is not from 1 to the number of rows less one, the operator fails, or the eigenvalues are not found with ten times
/// as many restarts as there are rows. They are found up to rounding errors of the largest one.
pub fn eigsh_which<T: Field>(
    a: &impl LinearOperator<T>,
    k: usize,
    which: Which,
) -> Result<(GpuArray<T::Real>, GpuArray<T>)> {
    returned(|| {
        let (a, n) = Erased::new("eigsh", a)?;
        if k == 0 || k >= n {
            // SciPy's words.
            let message = format!("k={k} must be between 1 and N-1={}", n.saturating_sub(1));
            return Err(error::invalid(
                "eigsh",
                format!("{message}; use linalg::eigh of the dense matrix for all"),
            ));
        }
        let (values, vectors) = lanczos(&a, n, k, which, T::DTYPE)?;
        let values = AnyArray::from_host(k, DType::Float64, bytemuck::cast_slice(&values))?;
        let vectors = vectors.t()?.contiguous()?.typed()?;
        Ok((values.cast(real(T::DTYPE)).contiguous()?.typed()?, vectors))
    })
}

fn real(dtype: DType) -> DType {
    match dtype {
        DType::Float32 | DType::Complex64 => DType::Float32,
        _ => DType::Float64,
    }
}

/// A vector to start with: the same each time, unlike any that a problem prefers, and another one for each number.
fn start(n: usize, dtype: DType, number: usize) -> Result<AnyArray> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(2 * number as u64 + 1);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let values: Vec<Complex<f64>> = (0..n).map(|_| Complex::new(next(), next())).collect();
    let vector = uploaded(&values, dtype)?;
    let length = norm(&vector)?;
    vector.multiplied(1.0 / length)?.contiguous()
}

fn lanczos(a: &dyn Apply, n: usize, k: usize, which: Which, dtype: DType) -> Result<(Vec<f64>, AnyArray)> {
    // SciPy's number of vectors.
    let most = n.min((2 * k + 1).max(20));
    let mut basis = AnyArray::zeros((most + 1, n), dtype)?;
    basis.narrowed(0, 0, 1)?.assign(&start(n, dtype, 0)?)?;
    let mut matrix = vec![0.0; most * most];
    let (mut kept, mut products, mut restarts) = (0, 0, 0_usize);
    loop {
        let columns = AnyArray::zeros((most, most + 1), dtype)?;
        for step in kept..most {
            extend(a, None, &basis, &columns, step)?;
        }
        products += most - kept;
        let columns = complex(&columns)?;
        let mut rank = most;
        let mut last = 0.0;
        for step in kept..most {
            let column = &columns[step * (most + 1)..(step + 1) * (most + 1)];
            if column.iter().any(|z| !z.re.is_finite() || !z.im.is_finite()) {
                let message = "the operator gave a number that is not finite".to_owned();
                return Err(error::invalid("eigsh", message));
            }
            for (row, element) in column[..=step].iter().enumerate() {
                matrix[row * most + step] = element.re;
                matrix[step * most + row] = element.re;
            }
            last = column[step + 1].re;
            let size = matrix.iter().fold(0.0_f64, |size, element| size.max(element.abs()));
            if last <= 10.0 * epsilon(dtype) * size {
                // The vectors so far are mapped among themselves: all of their eigenvalues are exact.
                (rank, last) = (step + 1, 0.0);
                break;
            }
        }
        let small: Vec<f64> = (0..rank * rank).map(|e| matrix[e / rank * most + e % rank]).collect();
        let (values, vectors) = symmetric_eigen(small, rank);
        let mut order: Vec<usize> = (0..rank).collect();
        let key = |value: f64| match which {
            Which::LargestMagnitude => -value.abs(),
            Which::LargestAlgebraic => -value,
            Which::SmallestAlgebraic => value,
        };
        order.sort_by(|i, j| key(values[*i]).total_cmp(&key(values[*j])));
        let size = values.iter().fold(f64::MIN_POSITIVE, |size, value| size.max(value.abs()));
        let is_exact = |column: usize| {
            let error = (last * vectors[(rank - 1) * rank + column]).abs();
            // The vectors of the small matrix are as good as its largest value allows.
            error <= 4.0 * epsilon(dtype) * size
        };
        let found = order.iter().take(k).filter(|column| is_exact(**column)).count();
        let is_over = found == k && rank == most;
        if rank < most {
            // The vectors so far are all that the first one reaches. Another one reaches others, also of eigenvalues
            // that come several times.
            let mut other = start(n, dtype, rank)?;
            let before = basis.narrowed(0, 0, rank)?;
            for _ in 0..2 {
                let parts = bases::inners(&before, &other)?;
                other = bases::combined(&before, &parts, &other, true)?;
            }
            let length = norm(&other)?;
            basis.narrowed(0, rank, 1)?.assign(&other.multiplied(1.0 / length)?)?;
            kept = rank;
            continue;
        }
        let wanted = if is_over { k } else { (k + found / 2 + (most - k) / 3).min(rank - 1).max(1) };
        let mut chosen: Vec<usize> = order[..wanted].to_vec();
        if is_over {
            chosen.sort_by(|i, j| values[*i].total_cmp(&values[*j]));
        }
        let weights: Vec<Complex<f64>> = chosen
            .iter()
            .flat_map(|column| vectors.iter().skip(*column).step_by(rank).map(|x| (*x).into()))
            .collect();
        let weights = uploaded(&weights, dtype)?.reshaped(&[wanted, rank])?;
        let ritz = weights.matmul(&basis.narrowed(0, 0, rank)?)?;
        if is_over {
            return Ok((chosen.iter().map(|column| values[*column]).collect(), ritz));
        }
        interrupt::check()?;
        restarts += 1;
        // SciPy's limit.
        if restarts > 10 * n {
            let message = format!(
                "No convergence: {found} of {k} eigenvalues were found in {products} products; ask for more of them, or \
                 for another end of the spectrum"
            );
            return Err(error::invalid("eigsh", message));
        }
        let next = basis.narrowed(0, rank, 1)?.copied()?;
        basis = AnyArray::zeros((most + 1, n), dtype)?;
        basis.narrowed(0, 0, wanted)?.assign(&ritz)?;
        basis.narrowed(0, wanted, 1)?.assign(&next)?;
        matrix.fill(0.0);
        for (row, column) in chosen.iter().enumerate() {
            matrix[row * most + row] = values[*column];
        }
        kept = wanted;
    }
}

/// The eigenvalue of largest magnitude and its vector, by the power method: products alone, until the residual is `rtol`
/// times the eigenvalue.
///
/// ```
/// use gpurepl_prelude::*;
/// let (value, vector) = sparse::power_iteration(&gpu![[2.0, 1.0], [1.0, 3.0]], 1e-10)?;
/// assert!((value - (5.0 + 5.0f64.sqrt()) / 2.0).abs() < 1e-8);
/// assert!((vector.norm().item() - 1.0).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the operator is not square or fails, or there is no convergence in 10000 steps: another eigenvalue of about the same
/// magnitude is the usual reason.
pub fn power_iteration<T: Field>(a: &impl LinearOperator<T>, rtol: f64) -> Result<(T, GpuArray<T>)> {
    returned(|| {
        /// Between looks of the host.
        const STEPS: usize = 20;
        const MOST: usize = 10_000;
        let (a, n) = Erased::new("power_iteration", a)?;
        if n == 0 {
            let message = "the operator has no rows, and no eigenvalue".to_owned();
            return Err(error::invalid("power_iteration", message));
        }
        let mut x = start(n, T::DTYPE, 0)?;
        for _ in 0..MOST / STEPS {
            let (mut seen, before) = (None, x.clone());
            for step in 0..STEPS {
                let y = applied(&a, &x)?;
                if step + 1 == STEPS {
                    let value = dot(&x, &y)?.contiguous()?;
                    let residual = y.subtracted(&value.times(&x)?)?.contiguous()?;
                    seen = Some((x.clone(), value, residual));
                }
                let length = dot(&y, &y)?.square_root().contiguous()?;
                x = y.divided(&length.without_zeros()?)?.contiguous()?;
            }
            interrupt::check()?;
            let Some((vector, value, residual)) = seen else { continue };
            let value = complex(&value)?[0];
            if !value.is_finite() {
                let message = "the operator gave a number that is not finite".to_owned();
                return Err(error::invalid("power_iteration", message));
            }
            if norm(&x)? == 0.0 {
                return last_before_zero(&a, before, STEPS).and_then(|vector| Ok((T::ZERO, vector.typed()?)));
            }
            // Rounding errors of a product are about as many as there are elements.
            let rounding = epsilon(T::DTYPE) * (n as f64).sqrt();
            if norm(&residual)? <= rtol.max(rounding) * value.norm() {
                return Ok((<T as crate::number::Arithmetic>::of_parts(value.re, value.im), vector.typed()?));
            }
        }
        let message = format!(
            "No convergence in {MOST} steps; another eigenvalue has about the same magnitude: use sparse::eigsh for Hermitian \
         operators"
        );
        Err(error::invalid("power_iteration", message))
    })
}

/// The first vector that an operator maps to zero, which it does within so many steps: one of the eigenvalue zero.
fn last_before_zero(a: &dyn Apply, mut x: AnyArray, most: usize) -> Result<AnyArray> {
    for _ in 0..most {
        let y = applied(a, &x)?;
        let length = norm(&y)?;
        if length == 0.0 {
            break;
        }
        x = y.multiplied(1.0 / length)?.contiguous()?;
    }
    Ok(x)
}

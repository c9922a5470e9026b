//! Polynomials: NumPy's functions `np.polyval`, `np.polyfit`, `np.roots` and
//! their kin here, whose coefficients begin with the highest power, and those of
//! `numpy.polynomial.polynomial` in the module [`polynomial`], whose coefficients
//! begin with the lowest.
//!
//! Values of polynomials are expressions on the device. Roots, fits and divisions
//! are computed on the host, in double precision.

mod coefficients;
mod division;
mod eigenvalues;
mod fit;
mod least_squares;
mod rising;

use gpurepl_kernels::{BinaryOp, DType};
use num_complex::Complex64;

use super::math::AsArray;
use super::operators::Operand;
use super::raw::{Raw, Value};
use super::{Elem, GpuArray, Promote, RealElem, convolve};
use crate::error::{OrRaise as _, Problem, Result};
use coefficients::{argument, array, combined, counted, cut, extent, horner, numbers, vector, wrong};
use eigenvalues::{Square, eigenvalues};
use fit::Fit;
pub use rising::polynomial;

/// The type of a fit through points of two types.
type Fitted<X, Y> = <<X as Elem>::Quotient as Promote<<Y as Elem>::Quotient>>::Out;

/// The type of a fit whose powers are NumPy's `vander`, of double precision.
type Doubled<X, Y> = <Fitted<X, Y> as Promote<i64>>::Out;

type Two<D> = (GpuArray<D>, GpuArray<D>);

type Full<D> = (GpuArray<D>, GpuArray<f64>, usize, GpuArray<f64>, f64);

/// The values of a polynomial, whose highest power comes first, at numbers or
/// elements: NumPy's `np.polyval(p, x)`. Horner's rule, as an expression.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::polyval(gpu![3, 0, 1], &gpu![5, 1]).to_vec(), [76, 4]);
/// assert_eq!(array::polyval(gpu![3.0, 0.0, 1.0], 5.0).item(), 76.0);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if shapes do not broadcast, or a number is not
/// one of the coefficients' type.
#[track_caller]
pub fn polyval<T: Elem, X: Operand<T>>(p: impl AsArray<T>, x: X) -> GpuArray<X::Out> {
    let (p, dtype) = (&p.as_array().raw, X::Out::DTYPE);
    GpuArray::wrap(evaluated(p, x.operand(), dtype).or_raise())
}

/// The sum of two polynomials, whose highest powers come first: `np.polyadd`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::polyadd(gpu![1, 2], gpu![9, 5, 4]).to_vec(), [9, 6, 6]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if coefficients have more axes than one.
#[track_caller]
pub fn polyadd<T: Promote<U>, U: Elem>(a: impl AsArray<T>, b: impl AsArray<U>) -> GpuArray<T::Out> {
    let (a, b) = (&a.as_array().raw, &b.as_array().raw);
    GpuArray::wrap(sum("polyadd", BinaryOp::Add, a, b, T::Out::DTYPE).or_raise())
}

/// The difference of two polynomials, whose highest powers come first:
/// `np.polysub`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::polysub(gpu![2, 10, -2], gpu![3, 10, -4]).to_vec(), [-1, 0, 2]);
/// ```
///
/// # Panics
///
/// As [`polyadd`].
#[track_caller]
pub fn polysub<T: Promote<U>, U: Elem>(a: impl AsArray<T>, b: impl AsArray<U>) -> GpuArray<T::Out> {
    let (a, b) = (&a.as_array().raw, &b.as_array().raw);
    GpuArray::wrap(sum("polysub", BinaryOp::Subtract, a, b, T::Out::DTYPE).or_raise())
}

/// The product of two polynomials, whose highest powers come first: `np.polymul`.
/// Zeros in front of the factors are left out.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::polymul(gpu![1, 2, 3], gpu![9, 5, 1]).to_vec(), [9, 23, 38, 17, 3]);
/// ```
///
/// # Panics
///
/// As [`polyadd`].
#[track_caller]
pub fn polymul<T: Promote<U>, U: Elem>(a: impl AsArray<T>, b: impl AsArray<U>) -> GpuArray<T::Out> {
    GpuArray::wrap(product(&a.as_array().raw, &b.as_array().raw, T::Out::DTYPE).or_raise())
}

/// The quotient and the remainder of two polynomials, whose highest powers come
/// first: `np.polydiv`.
///
/// ```
/// use gpurepl_prelude::*;
/// let (quotient, remainder) = array::polydiv(gpu![3.0, 5.0, 2.0], gpu![2.0, 1.0]);
/// assert_eq!((quotient.to_vec(), remainder.to_vec()), (vec![1.5, 1.75], vec![0.25]));
/// ```
///
/// # Panics
///
/// As [`polyadd`], or if the first coefficient of the divisor is zero.
#[track_caller]
pub fn polydiv<T: Elem, U: Elem>(u: impl AsArray<T>, v: impl AsArray<U>) -> Two<Fitted<T, U>>
where
    T::Quotient: Promote<U::Quotient>,
{
    let (u, v) = (&u.as_array().raw, &v.as_array().raw);
    let (quotient, remainder) = division::falling(u, v, Fitted::<T, U>::DTYPE).or_raise();
    (GpuArray::wrap(quotient), GpuArray::wrap(remainder))
}

/// The derivative of a polynomial, whose highest power comes first: `np.polyder`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::polyder(gpu![1, 1, 1, 1]).to_vec(), [3_i64, 2, 1]);
/// ```
///
/// # Panics
///
/// As [`polyadd`].
#[track_caller]
pub fn polyder<T: Promote<i64>>(p: impl AsArray<T>) -> GpuArray<T::Out> {
    polyder_n(p, 1)
}

/// The derivative of a derivative and so on, `m` times: `np.polyder(p, 2)`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::polyder_n(gpu![1, 1, 1, 1], 2).to_vec(), [6_i64, 2]);
/// ```
///
/// # Panics
///
/// As [`polyadd`].
#[track_caller]
pub fn polyder_n<T: Promote<i64>>(p: impl AsArray<T>, m: usize) -> GpuArray<T::Out> {
    GpuArray::wrap(derivative(&p.as_array().raw, m, T::Out::DTYPE).or_raise())
}

/// The integral of a polynomial, whose highest power comes first, that is zero at
/// zero: `np.polyint`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::polyint(gpu![3, 2, 1]).to_vec(), [1.0, 1.0, 1.0, 0.0]);
/// ```
///
/// # Panics
///
/// As [`polyadd`].
#[track_caller]
pub fn polyint<T: Promote<i64>>(p: impl AsArray<T>) -> GpuArray<<T::Out as Elem>::Quotient> {
    polyint_n(p, 1, &[])
}

/// The integral of an integral and so on, `m` times, with the constants of each:
/// `np.polyint(p, 3, [6, 5, 3])`. One constant is for all, and none is zero.
///
/// ```
/// use gpurepl_prelude::*;
/// let p = array::polyint_n(gpu![1, 1, 1], 3, &[6.0, 5.0, 3.0]);
/// assert!(allclose(&p, &gpu![1.0 / 60.0, 1.0 / 24.0, 1.0 / 6.0, 3.0, 5.0, 3.0]));
/// ```
///
/// # Panics
///
/// As [`polyadd`], or if there are fewer constants than integrals.
#[track_caller]
pub fn polyint_n<T: Promote<i64>>(
    p: impl AsArray<T>,
    m: usize,
    constants: &[f64],
) -> GpuArray<<T::Out as Elem>::Quotient> {
    let dtype = <T::Out as Elem>::Quotient::DTYPE;
    GpuArray::wrap(integral(&p.as_array().raw, m, constants, dtype).or_raise())
}

/// The roots of a polynomial, whose highest power comes first: NumPy's
/// `np.roots`. They are always complex, as eigenvalues of the companion matrix,
/// computed on the host; of real coefficients they are real or exact conjugates.
///
/// ```
/// use gpurepl_prelude::*;
/// let roots = array::roots(gpu![1, -3, 2]);
/// assert!(allclose(&roots.real(), &gpu![2.0, 1.0]));
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if coefficients have more axes than one, or
/// are NaN or infinite.
#[track_caller]
pub fn roots<T: Elem>(p: impl AsArray<T>) -> GpuArray<Complex64> {
    GpuArray::wrap(all_roots(&p.as_array().raw).or_raise())
}

/// The polynomial with these roots, whose highest power comes first, or the
/// characteristic polynomial of a square matrix: NumPy's `np.poly`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::poly(gpu![0, 0, 0]).to_vec(), [1.0, 0.0, 0.0, 0.0]);
/// assert!(allclose(&array::poly(gpu![[0.0, 1.0], [-2.0, 3.0]]), &gpu![1.0, -3.0, 2.0]));
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the array is neither a vector nor a square
/// matrix.
#[track_caller]
pub fn poly<T: Elem>(roots: impl AsArray<T>) -> GpuArray<T::Quotient> {
    GpuArray::wrap(with_roots(&roots.as_array().raw, T::Quotient::DTYPE).or_raise())
}

/// The polynomial of this degree, whose highest power comes first, with the least
/// squares of differences to points: NumPy's `np.polyfit(x, y, degree)`. The values
/// may be columns of a table, and the answer then is. Of several it is the one with
/// the smallest coefficients. It is computed on the host, and has double precision
/// as NumPy's.
///
/// ```
/// use gpurepl_prelude::*;
/// let (x, y) = (gpu![0.0, 1.0, 2.0, 3.0], gpu![1.0, 3.0, 5.0, 7.0]);
/// assert!(allclose(&array::polyfit(&x, &y, 1), &gpu![2.0, 1.0]));
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if there is not a value for each place, there
/// are none, or one is NaN or infinite.
#[track_caller]
pub fn polyfit<X: Elem, Y: Elem>(
    x: impl AsArray<X>,
    y: impl AsArray<Y>,
    degree: usize,
) -> GpuArray<Doubled<X, Y>>
where
    X::Quotient: Promote<Y::Quotient>,
    Fitted<X, Y>: Promote<i64>,
{
    let points = (&x.as_array().raw, &y.as_array().raw);
    GpuArray::wrap(fitted(points, degree, None, X::Quotient::DTYPE, Doubled::<X, Y>::DTYPE).or_raise())
}

/// [`polyfit`] with a weight for the difference to each point:
/// `np.polyfit(x, y, degree, w=w)`.
///
/// # Panics
///
/// As [`polyfit`], or if there is not a weight for each point.
#[track_caller]
pub fn polyfit_weights<X: Elem, Y: Elem, W: RealElem>(
    x: impl AsArray<X>,
    y: impl AsArray<Y>,
    degree: usize,
    w: impl AsArray<W>,
) -> GpuArray<Doubled<X, Y>>
where
    X::Quotient: Promote<Y::Quotient>,
    Fitted<X, Y>: Promote<i64>,
{
    let (points, w) = ((&x.as_array().raw, &y.as_array().raw), &w.as_array().raw);
    GpuArray::wrap(fitted(points, degree, Some(w), X::Quotient::DTYPE, Doubled::<X, Y>::DTYPE).or_raise())
}

/// [`polyfit`] with the covariance of the coefficients, scaled by the squares that
/// are left: `np.polyfit(x, y, degree, cov=True)`.
///
/// # Panics
///
/// As [`polyfit`], or if there are not more points than coefficients.
#[track_caller]
pub fn polyfit_cov<X: Elem, Y: Elem>(
    x: impl AsArray<X>,
    y: impl AsArray<Y>,
    degree: usize,
) -> Two<Doubled<X, Y>>
where
    X::Quotient: Promote<Y::Quotient>,
    Fitted<X, Y>: Promote<i64>,
{
    let points = (&x.as_array().raw, &y.as_array().raw);
    let dtype = Doubled::<X, Y>::DTYPE;
    let fit = Fit::of("polyfit", points, degree, None, X::Quotient::DTYPE).or_raise();
    let covariance = fit.covariance("polyfit", dtype).or_raise();
    (GpuArray::wrap(fit.coefficients(true, dtype).or_raise()), GpuArray::wrap(covariance))
}

/// [`polyfit`] with what it was found with: the coefficients, the sums of squares
/// that are left, the rank of the scaled matrix of powers, its singular values, and
/// the share of the largest that counts as zero. NumPy's
/// `np.polyfit(x, y, degree, full=True)`.
///
/// # Panics
///
/// As [`polyfit`].
#[track_caller]
pub fn polyfit_full<X: Elem, Y: Elem>(
    x: impl AsArray<X>,
    y: impl AsArray<Y>,
    degree: usize,
) -> Full<Doubled<X, Y>>
where
    X::Quotient: Promote<Y::Quotient>,
    Fitted<X, Y>: Promote<i64>,
{
    let points = (&x.as_array().raw, &y.as_array().raw);
    let fit = Fit::of("polyfit", points, degree, None, X::Quotient::DTYPE).or_raise();
    let coefficients = fit.coefficients(true, Doubled::<X, Y>::DTYPE).or_raise();
    let (residuals, values) =
        (fit.residuals(DType::Float64).or_raise(), fit.singular_values(DType::Float64).or_raise());
    (GpuArray::wrap(coefficients), GpuArray::wrap(residuals), fit.rank(), GpuArray::wrap(values), fit.limit)
}

fn evaluated(p: &Raw, x: Value, dtype: DType) -> Result<Raw> {
    horner("polyval", p, &argument(x, p, dtype)?, true, dtype)
}

fn sum(operation: &'static str, op: BinaryOp, a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    super::rules::check_defined(op, dtype)?;
    combined(op, &vector(operation, a)?, &vector(operation, b)?, false, dtype)
}

fn product(a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    let factor = |raw: &Raw| {
        let raw = vector("polymul", raw)?;
        match extent(&raw)? {
            Some((first, _)) => cut(&raw, first, raw.size()),
            None => array(&[1], &[Complex64::default()], DType::Float64).map(|zero| zero.cast(raw.dtype())),
        }
    };
    convolve::full(&factor(a)?, &factor(b)?, dtype)
}

fn derivative(raw: &Raw, m: usize, dtype: DType) -> Result<Raw> {
    let mut p = vector("polyder", raw)?;
    for _ in 0..m.min(p.size()) {
        let left = cut(&p, 0, p.size() - 1)?;
        let powers = counted(&left, left.size() as i64, -1)?;
        p = Raw::try_binary(BinaryOp::Multiply, &left, &powers, dtype, dtype)?;
    }
    Ok(p.cast(dtype))
}

fn integral(raw: &Raw, m: usize, constants: &[f64], dtype: DType) -> Result<Raw> {
    let operation = "polyint";
    if constants.len() > 1 && constants.len() < m {
        // NumPy's words.
        let message = format!(
            "k must be a scalar or a rank-1 array of length 1 or >m: {} constants for {m} integrals",
            constants.len()
        );
        return Err(Problem::Invalid { operation, message }.into());
    }
    let mut p = vector(operation, raw)?.cast(dtype);
    for k in 0..m {
        let powers = counted(&p, p.size() as i64, -1)?;
        let quotients = Raw::try_binary(BinaryOp::Divide, &p, &powers, dtype, dtype)?;
        let constant = match constants {
            [one] => *one,
            _ => constants.get(k).copied().unwrap_or(0.0),
        };
        let last = array(&[1], &[constant.into()], dtype)?;
        p = super::join::joined(operation, &[quotients, last], dtype, 0)?;
    }
    Ok(p)
}

fn all_roots(raw: &Raw) -> Result<Raw> {
    let found = coefficients::roots("roots", &numbers(&vector("roots", raw)?)?)?;
    array(&[found.len()], &found, DType::Complex128)
}

fn with_roots(raw: &Raw, dtype: DType) -> Result<Raw> {
    let operation = "poly";
    let roots = match *raw.lengths() {
        [] | [_] => numbers(raw)?,
        [rows, columns] if rows == columns && rows > 0 => {
            eigenvalues(operation, Square::from_rows(rows, numbers(raw)?))?
        }
        _ => {
            // NumPy's words.
            let shape = raw.shape();
            return wrong(
                operation,
                format!("input must be 1d or non-empty square 2d array: shape {shape:?}"),
            );
        }
    };
    let p = coefficients::of_roots(&roots);
    array(&[p.len()], &p, dtype)
}

fn fitted(
    points: (&Raw, &Raw),
    degree: usize,
    weights: Option<&Raw>,
    precision: DType,
    dtype: DType,
) -> Result<Raw> {
    Fit::of("polyfit", points, degree, weights, precision)?.coefficients(true, dtype)
}

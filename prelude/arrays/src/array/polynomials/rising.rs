//! Polynomials whose lowest power comes first: `numpy.polynomial.polynomial`.

use gpurepl_kernels::{BinaryOp, DType};
use num_complex::Complex64;

use super::super::raw::{Raw, Value};
use super::super::{convolve, join};
use super::coefficients;
use super::coefficients::{
    argument, array, combined, counted, cut, extent, horner, numbers, of_roots, roots, vector, wrong,
};
use crate::error::{Problem, Result};
use crate::scalar::Scalar;

/// Polynomials as NumPy's `numpy.polynomial.polynomial` has them: coefficients
/// begin with the lowest power, and integers become floats. Functions that
/// combine polynomials leave out zeros at the end, and look at the coefficients
/// for that.
///
/// ```
/// use gpurepl_prelude::*;
/// use gpurepl_prelude::array::polynomial;
/// let p = gpu![1, 2, 3];
/// assert_eq!(polynomial::polyval(&gpu![0.0, 2.0], &p).to_vec(), [1.0, 17.0]);
/// assert_eq!(polynomial::polymul(&p, &p).to_vec(), [1.0, 4.0, 10.0, 12.0, 9.0]);
/// ```
pub mod polynomial {
    use gpurepl_kernels::BinaryOp;
    use num_complex::Complex64;

    use super::super::super::math::AsArray;
    use super::super::super::operators::Operand;
    use super::super::super::{Elem, GpuArray, Promote, RealElem};
    use super::super::division;
    use super::super::fit::Fit;
    use super::super::{Fitted, Two};
    use crate::error::OrRaise as _;

    /// The values of a polynomial at numbers or elements: `polyval(x, c)`. Where
    /// the coefficients have more axes than one, each column is a polynomial, and
    /// each is evaluated at all of `x`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use gpurepl_prelude::array::polynomial::polyval;
    /// assert_eq!(polyval(1.0, gpu![1, 2, 3]).item(), 6.0);
    /// assert_eq!(polyval(&gpu![0.0, 1.0, 2.0], gpu![[0, 1], [2, 3]]).shape(), [2, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are no coefficients, or the answer
    /// would have too many axes.
    #[track_caller]
    pub fn polyval<T: Elem, X: Operand<T::Quotient>>(x: X, c: impl AsArray<T>) -> GpuArray<X::Out> {
        let (c, dtype) = (&c.as_array().raw, X::Out::DTYPE);
        GpuArray::wrap(super::evaluated(c, x.operand(), dtype).or_raise())
    }

    /// The values of the polynomial with these roots: `polyvalfromroots(x, r)`, the
    /// products of `x - r` over the first axis of `r`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use gpurepl_prelude::array::polynomial::polyvalfromroots;
    /// assert_eq!(polyvalfromroots(1.0, gpu![1, 2, 3]).item(), 0.0);
    /// assert_eq!(polyvalfromroots(&gpu![0.0, 4.0], gpu![1, 2, 3]).to_vec(), [-6.0, 6.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the answer would have too many axes.
    #[track_caller]
    pub fn polyvalfromroots<T: Elem, X: Operand<T::Quotient>>(x: X, r: impl AsArray<T>) -> GpuArray<X::Out> {
        let (r, dtype) = (&r.as_array().raw, X::Out::DTYPE);
        GpuArray::wrap(super::from_roots(r, x.operand(), dtype).or_raise())
    }

    /// The powers of each element from 0 to `degree`, along an axis behind the
    /// others: `polyvander(x, degree)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use gpurepl_prelude::array::polynomial::polyvander;
    /// assert_eq!(polyvander(gpu![2, 3], 2).to_string(), "[[1. 2. 4.]\n [1. 3. 9.]]");
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the answer would have too many axes or
    /// elements.
    #[track_caller]
    pub fn polyvander<T: Elem>(x: impl AsArray<T>, degree: usize) -> GpuArray<T::Quotient> {
        let dtype = T::Quotient::DTYPE;
        GpuArray::wrap(super::coefficients::powers(&x.as_array().raw, degree, dtype).or_raise())
    }

    /// The companion matrix, whose eigenvalues are the roots: `polycompanion(c)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use gpurepl_prelude::array::polynomial::polycompanion;
    /// assert_eq!(polycompanion(gpu![1, 2, 4]).to_vec(), [0.0, -0.25, 1.0, -0.5]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the polynomial is a number.
    #[track_caller]
    pub fn polycompanion<T: Elem>(c: impl AsArray<T>) -> GpuArray<T::Quotient> {
        GpuArray::wrap(super::companion(&c.as_array().raw, T::Quotient::DTYPE).or_raise())
    }

    /// The sum of two polynomials.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use gpurepl_prelude::array::polynomial::polyadd;
    /// assert_eq!(polyadd(gpu![1, 2, 3], gpu![3, 2, -3]).to_vec(), [4.0, 4.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if coefficients have more axes than one, or
    /// there are none. So do the other functions of two.
    #[track_caller]
    pub fn polyadd<T: Elem, U: Elem>(a: impl AsArray<T>, b: impl AsArray<U>) -> GpuArray<Fitted<T, U>>
    where
        T::Quotient: Promote<U::Quotient>,
    {
        let (a, b) = (&a.as_array().raw, &b.as_array().raw);
        GpuArray::wrap(super::sum("polyadd", BinaryOp::Add, a, b, Fitted::<T, U>::DTYPE).or_raise())
    }

    /// The difference of two polynomials.
    ///
    /// # Panics
    ///
    /// As [`polyadd`].
    #[track_caller]
    pub fn polysub<T: Elem, U: Elem>(a: impl AsArray<T>, b: impl AsArray<U>) -> GpuArray<Fitted<T, U>>
    where
        T::Quotient: Promote<U::Quotient>,
    {
        let (a, b) = (&a.as_array().raw, &b.as_array().raw);
        GpuArray::wrap(super::sum("polysub", BinaryOp::Subtract, a, b, Fitted::<T, U>::DTYPE).or_raise())
    }

    /// The product of two polynomials.
    ///
    /// # Panics
    ///
    /// As [`polyadd`].
    #[track_caller]
    pub fn polymul<T: Elem, U: Elem>(a: impl AsArray<T>, b: impl AsArray<U>) -> GpuArray<Fitted<T, U>>
    where
        T::Quotient: Promote<U::Quotient>,
    {
        let (a, b) = (&a.as_array().raw, &b.as_array().raw);
        GpuArray::wrap(super::product(a, b, Fitted::<T, U>::DTYPE).or_raise())
    }

    /// The quotient and the remainder of two polynomials.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use gpurepl_prelude::array::polynomial::polydiv;
    /// let (quotient, remainder) = polydiv(gpu![1, 2, 3], gpu![3, 2, 1]);
    /// assert_eq!((quotient.to_vec(), remainder.to_vec()), (vec![3.0], vec![-8.0, -4.0]));
    /// ```
    ///
    /// # Panics
    ///
    /// As [`polyadd`], or if the divisor is zero.
    #[track_caller]
    pub fn polydiv<T: Elem, U: Elem>(a: impl AsArray<T>, b: impl AsArray<U>) -> Two<Fitted<T, U>>
    where
        T::Quotient: Promote<U::Quotient>,
    {
        let (a, b, dtype) = (&a.as_array().raw, &b.as_array().raw, Fitted::<T, U>::DTYPE);
        let series = |raw| super::series("polydiv", raw, dtype);
        let quotient = series(a).and_then(|a| division::rising(&a, &series(b)?, dtype));
        let (quotient, remainder) = quotient.or_raise();
        (GpuArray::wrap(quotient), GpuArray::wrap(remainder))
    }

    /// The derivative of a polynomial.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use gpurepl_prelude::array::polynomial::polyder;
    /// assert_eq!(polyder(gpu![1, 2, 3, 4]).to_vec(), [2.0, 6.0, 12.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if coefficients have more axes than one.
    #[track_caller]
    pub fn polyder<T: Elem>(c: impl AsArray<T>) -> GpuArray<T::Quotient> {
        polyder_n(c, 1)
    }

    /// The derivative of a derivative and so on, `m` times.
    ///
    /// # Panics
    ///
    /// As [`polyder`].
    #[track_caller]
    pub fn polyder_n<T: Elem>(c: impl AsArray<T>, m: usize) -> GpuArray<T::Quotient> {
        GpuArray::wrap(super::derivative(&c.as_array().raw, m, T::Quotient::DTYPE).or_raise())
    }

    /// The integral of a polynomial that is zero at zero.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use gpurepl_prelude::array::polynomial::polyint;
    /// assert_eq!(polyint(gpu![1, 2, 3]).to_vec(), [0.0, 1.0, 1.0, 1.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if coefficients have more axes than one.
    #[track_caller]
    pub fn polyint<T: Elem>(c: impl AsArray<T>) -> GpuArray<T::Quotient> {
        polyint_n(c, 1, &[])
    }

    /// The integral of an integral and so on, `m` times, with the constants of the
    /// first ones; that of the others is zero.
    ///
    /// # Panics
    ///
    /// As [`polyint`], or if there are more constants than integrals.
    #[track_caller]
    pub fn polyint_n<T: Elem>(c: impl AsArray<T>, m: usize, constants: &[f64]) -> GpuArray<T::Quotient> {
        GpuArray::wrap(super::integral(&c.as_array().raw, m, constants, T::Quotient::DTYPE).or_raise())
    }

    /// The roots of a polynomial, sorted: eigenvalues of its companion matrix,
    /// computed on the host.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use gpurepl_prelude::array::polynomial::polyroots;
    /// assert!(allclose(&polyroots(gpu![-6, 1, 1]).real(), &gpu![-3.0, 2.0]));
    /// ```
    ///
    /// # Panics
    ///
    /// As [`polyadd`], or if coefficients are NaN or infinite.
    #[track_caller]
    pub fn polyroots<T: Elem>(c: impl AsArray<T>) -> GpuArray<Complex64> {
        GpuArray::wrap(super::sorted_roots(&c.as_array().raw).or_raise())
    }

    /// The polynomial with these roots.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use gpurepl_prelude::array::polynomial::polyfromroots;
    /// assert_eq!(polyfromroots(gpu![-1, 0, 1]).to_vec(), [0.0, -1.0, 0.0, 1.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if roots have more axes than one.
    #[track_caller]
    pub fn polyfromroots<T: Elem>(roots: impl AsArray<T>) -> GpuArray<T::Quotient> {
        GpuArray::wrap(super::with_roots(&roots.as_array().raw, T::Quotient::DTYPE).or_raise())
    }

    /// The polynomial of this degree with the least squares of differences to
    /// points; see [`polyfit`](super::super::polyfit), whose coefficients have the
    /// other order.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use gpurepl_prelude::array::polynomial::polyfit;
    /// let (x, y) = (gpu![0.0, 1.0, 2.0, 3.0], gpu![1.0, 3.0, 5.0, 7.0]);
    /// assert!(allclose(&polyfit(&x, &y, 1), &gpu![1.0, 2.0]));
    /// ```
    ///
    /// # Panics
    ///
    /// As that function.
    #[track_caller]
    pub fn polyfit<X: Elem, Y: Elem>(
        x: impl AsArray<X>,
        y: impl AsArray<Y>,
        degree: usize,
    ) -> GpuArray<Fitted<X, Y>>
    where
        X::Quotient: Promote<Y::Quotient>,
    {
        let points = (&x.as_array().raw, &y.as_array().raw);
        let fit = Fit::of("polyfit", points, degree, None, X::Quotient::DTYPE);
        GpuArray::wrap(fit.and_then(|fit| fit.coefficients(false, Fitted::<X, Y>::DTYPE)).or_raise())
    }

    /// [`polyfit`] with a weight for the difference to each point.
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
    ) -> GpuArray<<Fitted<X, Y> as Promote<W::Quotient>>::Out>
    where
        X::Quotient: Promote<Y::Quotient>,
        Fitted<X, Y>: Promote<W::Quotient>,
    {
        let points = (&x.as_array().raw, &y.as_array().raw);
        let fit = Fit::of("polyfit", points, degree, Some(&w.as_array().raw), X::Quotient::DTYPE);
        let dtype = <Fitted<X, Y> as Promote<W::Quotient>>::Out::DTYPE;
        GpuArray::wrap(fit.and_then(|fit| fit.coefficients(false, dtype)).or_raise())
    }

    /// The coefficients without zeros at the end; of zeros only one is left. NumPy's
    /// `numpy.polynomial.polyutils.trimseq`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(array::polynomial::trimseq(gpu![1, 0, 2, 0, 0]).to_vec(), [1, 0, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if coefficients have more axes than one.
    #[track_caller]
    pub fn trimseq<T: Elem>(c: impl AsArray<T>) -> GpuArray<T> {
        GpuArray::wrap(super::trimmed("trimseq", &c.as_array().raw).or_raise())
    }

    /// The coefficients without those at the end that are at most `tolerance` in
    /// size: `numpy.polynomial.polyutils.trimcoef`. If all are, one zero is left.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let c = gpu![0.0, 0.0, 3.0, 0.0, 5e-4, 1e-5];
    /// assert_eq!(array::polynomial::trimcoef(&c, 1e-3).to_vec(), [0.0, 0.0, 3.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`polyadd`], or if the tolerance is negative.
    #[track_caller]
    pub fn trimcoef<T: Elem>(c: impl AsArray<T>, tolerance: f64) -> GpuArray<T::Quotient> {
        GpuArray::wrap(super::trimmed_to(&c.as_array().raw, tolerance, T::Quotient::DTYPE).or_raise())
    }
}

/// Coefficients without zeros at the end, of which one is kept.
fn trimmed(operation: &'static str, raw: &Raw) -> Result<Raw> {
    let raw = vector(operation, raw)?;
    let end = extent(&raw)?.map_or(1, |(_, end)| end);
    cut(&raw, 0, end.min(raw.size()))
}

/// Coefficients as the functions of several take them: NumPy's `as_series`.
fn series(operation: &'static str, raw: &Raw, dtype: DType) -> Result<Raw> {
    if raw.size() == 0 {
        // NumPy's words.
        return wrong(operation, "Coefficient array is empty".to_owned());
    }
    trimmed(operation, &raw.cast(dtype))
}

fn trimmed_to(raw: &Raw, tolerance: f64, dtype: DType) -> Result<Raw> {
    let operation = "trimcoef";
    if tolerance.is_nan() || tolerance < 0.0 {
        // NumPy's words.
        let message = format!("tol must be non-negative: {tolerance}");
        return Err(Problem::Invalid { operation, message }.into());
    }
    let raw = series(operation, raw, dtype)?;
    let sizes = Raw::unary(gpurepl_kernels::UnaryOp::Absolute, &raw, dtype, dtype.real());
    let large = Raw::try_compare(BinaryOp::Greater, &sizes, Value::Scalar(Scalar::Float(tolerance)))?;
    match extent(&large)? {
        Some((_, end)) => Ok(cut(&raw, 0, end)?.converted(dtype)),
        None => array(&[1], &[Complex64::default()], dtype),
    }
}

fn evaluated(c: &Raw, x: Value, dtype: DType) -> Result<Raw> {
    let operation = "polyval";
    if c.size() == 0 {
        return wrong(operation, format!("there are no coefficients: shape {:?}", c.shape()));
    }
    horner(operation, c, &argument(x, c, dtype)?, false, dtype)
}

fn from_roots(roots: &Raw, x: Value, dtype: DType) -> Result<Raw> {
    coefficients::from_roots("polyvalfromroots", &argument(x, roots, dtype)?, roots, dtype)
}

fn sum(operation: &'static str, op: BinaryOp, a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    let (a, b) = (series(operation, a, dtype)?, series(operation, b, dtype)?);
    trimmed(operation, &combined(op, &a, &b, true, dtype)?)
}

fn product(a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    let operation = "polymul";
    let (a, b) = (series(operation, a, dtype)?, series(operation, b, dtype)?);
    trimmed(operation, &convolve::full(&a, &b, dtype)?)
}

fn derivative(raw: &Raw, m: usize, dtype: DType) -> Result<Raw> {
    let mut c = vector("polyder", raw)?.cast(dtype);
    if m > 0 && m >= c.size() {
        // NumPy's answer: the first, times zero.
        let first = cut(&c, 0, c.size().min(1))?;
        return Raw::try_scalar(BinaryOp::Multiply, &first, Scalar::Int(0), false, dtype, dtype);
    }
    for _ in 0..m {
        let left = cut(&c, 1, c.size())?;
        c = Raw::try_binary(BinaryOp::Multiply, &left, &counted(&left, 1, 1)?, dtype, dtype)?;
    }
    Ok(c)
}

fn integral(raw: &Raw, m: usize, constants: &[f64], dtype: DType) -> Result<Raw> {
    let operation = "polyint";
    if constants.len() > m {
        // NumPy's words.
        let message = format!("Too many integration constants: {} for {m} integrals", constants.len());
        return Err(Problem::Invalid { operation, message }.into());
    }
    let mut c = vector(operation, raw)?.cast(dtype);
    for k in 0..m {
        let constant = [constants.get(k).copied().unwrap_or(0.0).into()];
        let first = array(&[1], &constant, dtype)?;
        if c.size() == 1 && extent(&c)?.is_none() {
            // The integral of zero.
            c = first;
            continue;
        }
        let quotients = Raw::try_binary(BinaryOp::Divide, &c, &counted(&c, 1, 1)?, dtype, dtype)?;
        c = join::joined(operation, &[first, quotients], dtype, 0)?;
    }
    Ok(c)
}

fn companion(raw: &Raw, dtype: DType) -> Result<Raw> {
    let operation = "polycompanion";
    let c = numbers(&series(operation, raw, dtype)?)?;
    let n = c.len() - 1;
    if n == 0 {
        // NumPy's words.
        let message = "Series must have maximum degree of at least 1.".to_owned();
        return Err(Problem::Invalid { operation, message }.into());
    }
    let mut matrix = vec![Complex64::default(); n * n];
    for k in 0..n {
        if k > 0 {
            matrix[k * n + k - 1] = Complex64::new(1.0, 0.0);
        }
        matrix[k * n + n - 1] -= c[k] / c[n];
    }
    array(&[n, n], &matrix, dtype)
}

fn sorted_roots(raw: &Raw) -> Result<Raw> {
    let operation = "polyroots";
    let wide = if raw.dtype().is_complex() { DType::Complex128 } else { DType::Float64 };
    let mut c = numbers(&series(operation, raw, wide)?)?;
    c.reverse();
    let mut found = roots(operation, &c)?;
    found.sort_by(|a, b| a.re.total_cmp(&b.re).then(a.im.total_cmp(&b.im)));
    array(&[found.len()], &found, DType::Complex128)
}

fn with_roots(raw: &Raw, dtype: DType) -> Result<Raw> {
    let mut roots = numbers(&vector("polyfromroots", raw)?)?;
    roots.sort_by(|a, b| a.re.total_cmp(&b.re).then(a.im.total_cmp(&b.im)));
    let mut p = of_roots(&roots);
    p.reverse();
    array(&[p.len()], &p, dtype)
}

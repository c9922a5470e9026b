//! What is computed with the elements of factors, in each of the four types: compiled here, so that no cell
//! compiles it again.

use gpurepl_extend::arrays::{arange, cumath, eye, power, types, where_};
use gpurepl_extend::{AnyArray, DType, Elem, GpuArray, Result};
use num_complex::Complex;

use crate::norms::Order;

/// What the functions of this crate do with arrays of one type.
#[doc(hidden)]
pub trait Typed: Sized + 'static
where
    Self: Elem,
{
    /// The determinant, of LU factors and their exchanges.
    fn det(lu: &GpuArray<Self>, exchanges: &GpuArray<i64>) -> GpuArray<Self>;
    /// Its sign, and the logarithm of its absolute value.
    fn slogdet(lu: &GpuArray<Self>, exchanges: &GpuArray<i64>) -> (GpuArray<Self>, GpuArray<Self::Real>);
    /// One over each singular value; zero for those up to `rcond` times the largest.
    fn reciprocals(s: &GpuArray<Self::Real>, rcond: f64) -> GpuArray<Self::Real>;
    /// The pseudo-inverse, of reduced singular vectors.
    fn pinv(u: &GpuArray<Self>, reciprocals: &GpuArray<Self::Real>, vh: &GpuArray<Self>) -> GpuArray<Self>;
    /// Its product with right sides, which is more precise than with the pseudo-inverse itself.
    fn pinv_of(
        u: &GpuArray<Self>,
        reciprocals: &GpuArray<Self::Real>,
        vh: &GpuArray<Self>,
        b: &GpuArray<Self>,
    ) -> GpuArray<Self>;
    /// How many singular values are greater than a limit: `tolerance`, or `rcond` times the largest.
    fn rank(s: &GpuArray<Self::Real>, tolerance: Option<f64>, rcond: f64) -> GpuArray<i64>;
    /// The sums of squares of the columns of `b - a x`.
    fn residuals(a: &GpuArray<Self>, x: &GpuArray<Self>, b: &GpuArray<Self>) -> GpuArray<Self::Real>;
    /// The ratio of the greatest and the least singular value.
    fn ratio(s: &GpuArray<Self::Real>) -> GpuArray<Self::Real>;
    /// One over each.
    fn inverted(a: &GpuArray<Self::Real>) -> GpuArray<Self::Real>;
    /// Norms of all elements along axes.
    fn vector_norm(a: &GpuArray<Self>, order: f64, axes: &[isize]) -> GpuArray<Self::Real>;
    /// Norms of matrices, which are no singular values.
    fn matrix_norm(a: &GpuArray<Self>, order: Order) -> GpuArray<Self::Real>;
    /// Norms of matrices, of singular values.
    fn norm_of_values(s: &GpuArray<Self::Real>, order: Order) -> GpuArray<Self::Real>;
    /// Conjugate transposes.
    fn adjoint(a: &GpuArray<Self>) -> GpuArray<Self>;
    /// The product of matrices.
    fn product(a: &GpuArray<Self>, b: &GpuArray<Self>) -> GpuArray<Self>;
    /// The two matrices whose quotient is close to the exponential, of a matrix that has been scaled.
    fn pade(a: &GpuArray<Self>) -> [GpuArray<Self>; 2];
    /// Sums, element by element.
    fn sum(a: &GpuArray<Self>, b: &GpuArray<Self>) -> GpuArray<Self>;
    /// Whether all elements are finite; of the lower or upper triangle, if one is named.
    fn is_finite(a: &GpuArray<Self>, is_upper: Option<bool>) -> Result<bool>;
    /// A result of matrices, NaN for those with a NaN among their elements.
    fn undefined_by(a: &GpuArray<Self>, x: &GpuArray<Self>) -> GpuArray<Self>;
    /// Which matrices have a NaN among their elements.
    fn has_nan(a: &GpuArray<Self>) -> GpuArray<bool>;
    /// Real numbers, element by element.
    fn times(a: &GpuArray<Self::Real>, b: &GpuArray<Self::Real>) -> GpuArray<Self::Real>;
    /// A stack of matrices, each times its own number.
    fn scaled(a: &GpuArray<Self>, by: &GpuArray<f64>) -> GpuArray<Self>;
    /// The squares of those matrices whose number is greater than `step`, and the others as they are.
    fn squared(a: &GpuArray<Self>, numbers: &GpuArray<i64>, step: i64) -> GpuArray<Self>;
    /// A result of matrices, infinite for those that are marked.
    fn infinite_at(marks: &GpuArray<bool>, x: &GpuArray<Self::Real>) -> GpuArray<Self::Real>;
}

/// The coefficients of the diagonal Padé approximant of order 13 of the exponential: Higham, The Scaling and Squaring
/// Method for the Matrix Exponential Revisited (2005), table 2.
const PADE: [f64; 14] = [
    64_764_752_532_480_000.0,
    32_382_376_266_240_000.0,
    7_771_770_303_897_600.0,
    1_187_353_796_428_800.0,
    129_060_195_264_000.0,
    10_559_470_521_600.0,
    670_442_572_800.0,
    33_522_128_640.0,
    1_323_241_920.0,
    40_840_800.0,
    960_960.0,
    16_380.0,
    182.0,
    1.0,
];

/// The norm up to which that approximant is as precise as `f64`; above, a matrix is scaled.
pub(crate) const PADE_LIMIT: f64 = 5.371_920_351_148_152;

macro_rules! typed {
    ($($t:ty, $real:ident, $from_real:expr;)*) => {$(
        impl Typed for $t {
            fn det(lu: &GpuArray<$t>, exchanges: &GpuArray<i64>) -> GpuArray<$t> {
                let diagonal = lu.diagonal_axes(0, (-2, -1));
                let product = diagonal.prod_axis(-1) * sign_of(exchanges).astype(types::$real);
                // A product that neither overflows nor loses digits in any order. NumPy computes all by logarithms.
                let limit: $real = if size_of::<$real>() == 4 { 80.0 } else { 700.0 };
                let is_safe = cumath::log(&diagonal.abs()).abs().sum_axis(-1).lt(limit);
                let (sign, log) = <$t>::slogdet(lu, exchanges);
                where_(&is_safe, &product, &(sign * cumath::exp(&log)))
            }

            fn slogdet(lu: &GpuArray<$t>, exchanges: &GpuArray<i64>) -> (GpuArray<$t>, GpuArray<$real>) {
                let diagonal = lu.diagonal_axes(0, (-2, -1));
                let sign = diagonal.sign().prod_axis(-1) * sign_of(exchanges).astype(types::$real);
                (sign, cumath::log(&diagonal.abs()).sum_axis(-1))
            }

            fn reciprocals(s: &GpuArray<$real>, rcond: f64) -> GpuArray<$real> {
                let limit = s.max_axis(-1).expand_dims(-1) * rcond as $real;
                where_(&s.gt(&limit), &(1.0 / s), 0.0 as $real)
            }

            fn pinv(u: &GpuArray<$t>, reciprocals: &GpuArray<$real>, vh: &GpuArray<$t>) -> GpuArray<$t> {
                <$t>::adjoint(vh).matmul(&(<$t>::adjoint(u) * reciprocals.expand_dims(-1)))
            }

            fn pinv_of(
                u: &GpuArray<$t>,
                reciprocals: &GpuArray<$real>,
                vh: &GpuArray<$t>,
                b: &GpuArray<$t>,
            ) -> GpuArray<$t> {
                <$t>::adjoint(vh).matmul(&(<$t>::adjoint(u).matmul(b) * reciprocals.expand_dims(-1)))
            }

            fn rank(s: &GpuArray<$real>, tolerance: Option<f64>, rcond: f64) -> GpuArray<i64> {
                match tolerance {
                    Some(tolerance) => s.gt(tolerance as $real).count_nonzero_axis(-1),
                    None => s.gt(&(s.max_axis(-1).expand_dims(-1) * rcond as $real)).count_nonzero_axis(-1),
                }
            }

            fn residuals(a: &GpuArray<$t>, x: &GpuArray<$t>, b: &GpuArray<$t>) -> GpuArray<$real> {
                (b - a.matmul(x)).abs().square().sum_axis(-2)
            }

            fn ratio(s: &GpuArray<$real>) -> GpuArray<$real> {
                let ratio = s.max_axis(-1) / s.min_axis(-1);
                // Of zeros, as NumPy has it.
                <$t>::infinite_at(&ratio.isnan(), &ratio)
            }

            fn inverted(a: &GpuArray<$real>) -> GpuArray<$real> {
                1.0 / a
            }

            fn vector_norm(a: &GpuArray<$t>, order: f64, axes: &[isize]) -> GpuArray<$real> {
                if order == 2.0 {
                    return a.norm_axis(axes);
                }
                let size = a.abs();
                if order == f64::INFINITY {
                    size.max_axis(axes)
                } else if order == f64::NEG_INFINITY {
                    size.min_axis(axes)
                } else if order == 0.0 {
                    a.count_nonzero_axis(axes).astype(types::$real)
                } else if order == 1.0 {
                    size.sum_axis(axes)
                } else {
                    power(&power(&size, order as $real).sum_axis(axes), (1.0 / order) as $real)
                }
            }

            fn matrix_norm(a: &GpuArray<$t>, order: Order) -> GpuArray<$real> {
                let size = || a.abs();
                match order {
                    Order::P(p) if p == f64::INFINITY => size().sum_axis(-1).max_axis(-1),
                    Order::P(p) if p == f64::NEG_INFINITY => size().sum_axis(-1).min_axis(-1),
                    Order::P(1.0) => size().sum_axis(-2).max_axis(-1),
                    Order::P(-1.0) => size().sum_axis(-2).min_axis(-1),
                    _ => a.norm_axis((-2, -1)),
                }
            }

            fn norm_of_values(s: &GpuArray<$real>, order: Order) -> GpuArray<$real> {
                match order {
                    Order::Nuc => s.sum_axis(-1),
                    Order::P(-2.0) => s.min_axis(-1),
                    _ => s.max_axis(-1),
                }
            }

            fn adjoint(a: &GpuArray<$t>) -> GpuArray<$t> {
                a.swapaxes(-1, -2).conj()
            }

            fn product(a: &GpuArray<$t>, b: &GpuArray<$t>) -> GpuArray<$t> {
                a.matmul(b)
            }

            fn sum(a: &GpuArray<$t>, b: &GpuArray<$t>) -> GpuArray<$t> {
                a + b
            }

            fn is_finite(a: &GpuArray<$t>, is_upper: Option<bool>) -> Result<bool> {
                let read = match is_upper {
                    None => a.clone(),
                    Some(false) => a.tril(0),
                    Some(true) => a.triu(0),
                };
                read.isfinite().all().try_item()
            }

            fn undefined_by(a: &GpuArray<$t>, x: &GpuArray<$t>) -> GpuArray<$t> {
                let has_nan = <$t>::has_nan(a).expand_dims((-2, -1));
                where_(&has_nan, $from_real($real::NAN), x)
            }

            fn has_nan(a: &GpuArray<$t>) -> GpuArray<bool> {
                a.isnan().any_axis((-2, -1))
            }

            fn times(a: &GpuArray<$real>, b: &GpuArray<$real>) -> GpuArray<$real> {
                a * b
            }

            fn scaled(a: &GpuArray<$t>, by: &GpuArray<f64>) -> GpuArray<$t> {
                a * by.astype(types::$real)
            }

            fn squared(a: &GpuArray<$t>, numbers: &GpuArray<i64>, step: i64) -> GpuArray<$t> {
                where_(&numbers.gt(step), &a.matmul(a), a)
            }

            fn infinite_at(marks: &GpuArray<bool>, x: &GpuArray<$real>) -> GpuArray<$real> {
                where_(marks, $real::INFINITY, x)
            }

            fn pade(a: &GpuArray<$t>) -> [GpuArray<$t>; 2] {
                let n = a.shape()[a.ndim() - 1];
                let one = eye::<$t>(n);
                let b = PADE.map(|b| b as $real);
                let a2 = a.matmul(a);
                let a4 = a2.matmul(&a2);
                let a6 = a4.matmul(&a2);
                let odd = a6.matmul(&(&a6 * b[13] + &a4 * b[11] + &a2 * b[9]))
                    + &a6 * b[7] + &a4 * b[5] + &a2 * b[3] + &one * b[1];
                let odd = a.matmul(&odd);
                let even = a6.matmul(&(&a6 * b[12] + &a4 * b[10] + &a2 * b[8]))
                    + &a6 * b[6] + &a4 * b[4] + &a2 * b[2] + &one * b[0];
                [&even - &odd, even + odd]
            }
        }
    )*};
}
typed! {
    f32, f32, |x: f32| x;
    f64, f64, |x: f64| x;
    Complex<f32>, f32, |x: f32| Complex::new(x, 0.0);
    Complex<f64>, f64, |x: f64| Complex::new(x, 0.0);
}

/// Calls a function of the type that the elements have.
macro_rules! of_type {
    ($dtype:expr, $t:ident => $value:expr) => {
        match $dtype {
            DType::Float32 => {
                type $t = f32;
                $value
            }
            DType::Float64 => {
                type $t = f64;
                $value
            }
            DType::Complex64 => {
                type $t = Complex<f32>;
                $value
            }
            _ => {
                type $t = Complex<f64>;
                $value
            }
        }
    };
}

/// [`Typed::is_finite`] of an array of one of the four types.
pub(crate) fn is_finite(a: &AnyArray, is_upper: Option<bool>) -> Result<bool> {
    of_type!(a.dtype(), T => <T as Typed>::is_finite(&a.typed()?, is_upper))
}

/// What becomes of results and reports of matrices with a NaN: the results are NaN, and nothing is reported, on every
/// device. cuSOLVER's LU takes a NaN for a zero where it looks for a pivot, and the results may look as if nothing
/// were wrong.
pub(crate) fn undefined_by(a: &AnyArray, x: &AnyArray, info: Vec<i64>) -> Result<(AnyArray, Vec<i64>)> {
    of_type!(a.dtype(), T => {
        let a = a.typed()?;
        let x = AnyArray::of(&<T as Typed>::undefined_by(&a, &x.typed()?));
        if info.iter().all(|info| *info == 0) {
            return Ok((x, info));
        }
        let has_nan = <T as Typed>::has_nan(&a).try_get()?;
        Ok((x, info.into_iter().zip(has_nan).map(|(info, has_nan)| if has_nan { 0 } else { info }).collect()))
    })
}

/// 1 or -1: whether an even number of rows was exchanged.
fn sign_of(exchanges: &GpuArray<i64>) -> GpuArray<i64> {
    let count = exchanges.shape()[exchanges.ndim() - 1];
    let moved = exchanges.ne(arange(0..count as i64)).count_nonzero_axis(-1);
    1 - 2 * (moved % 2)
}

//! Functions of the elements of three arrays, and special functions that several others
//! make up.

use gpurepl_kernels::{BinaryOp, DType, TernaryOp, UnaryOp};
use num_complex::Complex64;

use super::GpuArray;
use super::compare::{Choices, single};
use super::elem::{AnyScalar, Elem, NumberFor};
use super::math::{AsArray, RealElem};
use super::operators::Operand;
use super::pairs::special as pairs;
use super::raw::{Raw, Value};
use crate::error::{OrRaise as _, Result};
use crate::scalar::Scalar;

/// Three values that go together: this one, a `B` and a `C`. They are arrays, references
/// to them, or numbers, which take the type of the arrays beside them.
#[diagnostic::on_unimplemented(
    message = "`{Self}`, `{B}` and `{C}` do not go together",
    note = "use arrays or references to them, or numbers"
)]
pub trait Triple<B, C> {
    /// The type of the three.
    type Out: Elem;

    #[doc(hidden)]
    #[track_caller]
    fn values(self, second: B, third: C) -> [Value; 3];
}

impl<T: Elem, B: Operand<T>, C: Operand<B::Out>> Triple<B, C> for &GpuArray<T> {
    type Out = C::Out;

    fn values(self, second: B, third: C) -> [Value; 3] {
        [Value::Array(self.raw.clone()), second.operand(), third.operand()]
    }
}

impl<T: Elem, B: Operand<T>, C: Operand<B::Out>> Triple<B, C> for GpuArray<T> {
    type Out = C::Out;

    fn values(self, second: B, third: C) -> [Value; 3] {
        [Value::Array(self.raw), second.operand(), third.operand()]
    }
}

impl<B: Choices<C>, C, S: AnyScalar + NumberFor<B::Out>> Triple<B, C> for S {
    type Out = S::Out;

    fn values(self, second: B, third: C) -> [Value; 3] {
        let (second, third) = second.choices(third);
        [Value::Scalar(self.any_scalar()), second, third]
    }
}

/// The function of three values, of which all may be numbers.
fn of_three(op: TernaryOp, mut values: [Value; 3], dtype: DType) -> Result<Raw> {
    if let [Value::Scalar(first), Value::Scalar(_), Value::Scalar(_)] = &values {
        values[0] = Value::Array(single(*first, dtype)?);
    }
    Raw::try_ternary(op, values, dtype)
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident $op:ident $module:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        ///
        /// With an [`Error`](crate::Error), if shapes do not broadcast.
        #[track_caller]
        pub fn $name<A: Triple<B, C, Out: RealElem>, B, C>(
            first: A,
            second: B,
            third: C,
        ) -> GpuArray<<A::Out as Elem>::Floating> {
            let dtype = <A::Out as Elem>::Floating::DTYPE;
            GpuArray::wrap(of_three(TernaryOp::$op, first.values(second, third), dtype).or_raise())
        }
    )*};
}
gpurepl_kernels::functions_of_three_arrays!(functions);

/// [`betainc`] by another name of SciPy's.
pub use betainc as btdtr;
/// [`betaincinv`] by another name of SciPy's.
pub use betaincinv as btdtri;

/// Jacobi's elliptic functions of `u` with the parameter `m`, from 0 to 1: the sine, the
/// cosine, the delta amplitude and the amplitude, in SciPy's order.
///
/// ```
/// use gpurepl_prelude::*;
/// let (sn, cn, dn, ph) = special::ellipj(&gpu![0.0, 0.5], 0.5);
/// assert!(allclose(&(&sn * &sn + &cn * &cn), &gpu![1.0, 1.0]));
/// assert!(allclose(&(&dn * &dn + 0.5 * &sn * &sn), &gpu![1.0, 1.0]));
/// assert!(allclose(&ph.sin(), &sn));
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if shapes do not broadcast.
#[track_caller]
#[allow(clippy::type_complexity, reason = "four arrays of one type")]
pub fn ellipj<A, B>(
    u: A,
    m: B,
) -> (
    GpuArray<<A::Out as Elem>::Floating>,
    GpuArray<<A::Out as Elem>::Floating>,
    GpuArray<<A::Out as Elem>::Floating>,
    GpuArray<<A::Out as Elem>::Floating>,
)
where
    A: Choices<B, Out: RealElem> + Clone,
    B: Clone,
{
    (
        pairs::jacobi_sn(u.clone(), m.clone()),
        pairs::jacobi_cn(u.clone(), m.clone()),
        pairs::jacobi_dn(u.clone(), m.clone()),
        pairs::jacobi_amplitude(u, m),
    )
}

/// The spherical harmonic of order `m` and degree `n`, which are whole, at the azimuth
/// `theta`, from 0 to 2π, and the polar angle `phi`, from 0 to π, in CuPy's order.
///
/// ```
/// use gpurepl_prelude::*;
/// let y = special::sph_harm(1, 1, &gpu![0.0, 1.0], 0.5);
/// assert!((y.to_vec()[0].re + 0.16563871).abs() < 1e-7);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if shapes do not broadcast.
#[track_caller]
pub fn sph_harm<M, N, T, P>(m: M, n: N, theta: T, phi: P) -> GpuArray<Complex64>
where
    M: Clone + Choices<T, Out: RealElem> + Triple<N, P, Out: RealElem>,
{
    let size = of_three(TernaryOp::HarmonicSize, m.clone().values(n, phi), DType::Float64).or_raise();
    let (order, azimuth) = m.choices(theta);
    let f64_of = |value| match value {
        Value::Array(array) => Ok(array.cast(DType::Float64)),
        Value::Scalar(number) => single(number, DType::Float64),
    };
    let (order, azimuth) = (f64_of(order).or_raise(), f64_of(azimuth).or_raise());
    // The size times exp(i * order * azimuth).
    let to = DType::Complex128;
    let angle = Raw::binary(BinaryOp::Multiply, &order, &azimuth, DType::Float64, DType::Float64);
    let turned = Raw::scalar(BinaryOp::Multiply, &angle.cast(to), Scalar::Complex(0.0, 1.0), false, to);
    GpuArray::wrap(Raw::binary(BinaryOp::Multiply, &size, &Raw::unary(UnaryOp::Exp, &turned, to, to), to, to))
}

/// The logarithm of the gamma function, also of complex numbers, whose imaginary part it
/// continues from the positive numbers on; NaN of negative real ones.
///
/// ```
/// use gpurepl_prelude::*;
/// let z = special::loggamma(&gpu![Complex64::new(-1.5, 0.0)]).item();
/// assert!((z.re - 0.86004702).abs() < 1e-8 && (z.im + 6.28318531).abs() < 1e-8);
/// ```
#[track_caller]
pub fn loggamma<T: Elem>(array: impl AsArray<T>) -> GpuArray<T::Floating> {
    let dtype = <T::Floating as Elem>::DTYPE;
    GpuArray::wrap(Raw::unary(UnaryOp::Loggamma, &array.as_array().raw, dtype, dtype))
}

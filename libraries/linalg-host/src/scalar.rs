//! The types of elements.

use bytemuck::Pod;
use faer::Par;
use faer::traits::{ComplexField, RealField};
use gpurepl_plugin::Element;
use num_complex::{Complex, ComplexFloat};

use crate::eig;
use crate::lanes::Lanes;
use faer::traits::num_traits::{Float, FloatConst};

/// A type of elements: real or complex, of single or double precision.
pub trait Scalar:
    ComplexFloat<Real: Real> + ComplexField<Real = <Self as ComplexFloat>::Real> + Lanes + Pod + Send + Sync
{
    /// The same bits at the border of the plugin, where a complex number is a pair.
    type Raw: Element + Pod;

    /// The element with these parts; a real one has no imaginary part.
    fn of(re: Re<Self>, im: Re<Self>) -> Self;

    /// The quotient, whose steps overflow only if it does itself.
    fn quotient(self, divisor: Self) -> Self;

    /// The eigenvalues of a row-major matrix, and its eigenvectors as columns
    /// of a row-major one. False if the iteration has not converged.
    fn eigen(a: &[Self], order: usize, w: &mut [Cx<Self>], v: Option<&mut [Cx<Self>]>, par: Par) -> bool;
}

/// The type of an element's real part.
pub type Re<T> = <T as ComplexFloat>::Real;

/// The complex type with the parts of an element.
pub type Cx<T> = Complex<Re<T>>;

/// A real type of elements.
pub trait Real: RealField + Float + FloatConst + Element + Pod + Send + Sync {
    /// A complex number at the border of the plugin.
    type RawComplex: Element + Pod;

    /// Nought.
    const ZERO: Self;

    /// One.
    const ONE: Self;

    /// The step from one to the next larger number.
    const EPSILON: Self;

    /// The least positive number with all its digits.
    const TINY: Self;
}

macro_rules! scalars {
    ($($t:ty)*) => {$(
        impl Scalar for $t {
            type Raw = $t;

            fn of(re: $t, _: $t) -> $t {
                re
            }

            fn quotient(self, divisor: $t) -> $t {
                self / divisor
            }

            fn eigen(
                a: &[$t],
                order: usize,
                w: &mut [Complex<$t>],
                v: Option<&mut [Complex<$t>]>,
                par: Par,
            ) -> bool {
                eig::real(a, order, w, v, par)
            }
        }

        impl Scalar for Complex<$t> {
            type Raw = [$t; 2];

            fn of(re: $t, im: $t) -> Complex<$t> {
                Complex { re, im }
            }

            fn quotient(self, divisor: Complex<$t>) -> Complex<$t> {
                self.fdiv(divisor)
            }

            fn eigen(
                a: &[Complex<$t>],
                order: usize,
                w: &mut [Complex<$t>],
                v: Option<&mut [Complex<$t>]>,
                par: Par,
            ) -> bool {
                eig::complex(a, order, w, v, par)
            }
        }

        impl Real for $t {
            type RawComplex = [$t; 2];

            const ZERO: $t = 0.0;

            const ONE: $t = 1.0;

            const EPSILON: $t = <$t>::EPSILON;

            const TINY: $t = <$t>::MIN_POSITIVE;
        }
    )*};
}
scalars!(f32 f64);

/// Whether no element is infinite or not a number.
pub fn all_finite<T: Scalar>(elements: &[T]) -> bool {
    elements.iter().all(|&element| ComplexFloat::is_finite(element))
}

//! How elements are combined in turn, for running sums, products and extremes.

use bytemuck::Pod;
use num_complex::Complex;

/// A function of two that is repeated, and the state that it keeps of elements.
pub(super) trait Scanned<T: Pod> {
    /// What has been combined, which may have more digits than an element.
    type State: Copy + Send + Sync;
    /// Changes nothing.
    const START: Self::State;
    fn add(state: Self::State, element: T) -> Self::State;
    /// Two states, of which `b` comes later.
    fn join(a: Self::State, b: Self::State) -> Self::State;
    fn rounded(state: Self::State) -> T;
}

/// Sums. Floats are added with more digits than they have, so that the last of
/// a million is as exact as the first.
pub(super) struct Sums;

/// Products, rounded each time as NumPy has it.
pub(super) struct Products;

/// The greatest so far, or the least; a NaN stays.
pub(super) struct Extremes<const GREATEST: bool>;

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Scanned<$t> for Sums {
            type State = $t;
            const START: $t = 0;
            fn add(state: $t, element: $t) -> $t {
                state.wrapping_add(element)
            }
            fn join(a: $t, b: $t) -> $t {
                a.wrapping_add(b)
            }
            fn rounded(state: $t) -> $t {
                state
            }
        }

        impl Scanned<$t> for Products {
            type State = $t;
            const START: $t = 1;
            fn add(state: $t, element: $t) -> $t {
                state.wrapping_mul(element)
            }
            fn join(a: $t, b: $t) -> $t {
                a.wrapping_mul(b)
            }
            fn rounded(state: $t) -> $t {
                state
            }
        }
    )*};
}
integers!(i64 u64);

impl Scanned<f32> for Sums {
    type State = f64;
    const START: f64 = 0.0;
    fn add(state: f64, element: f32) -> f64 {
        state + f64::from(element)
    }
    fn join(a: f64, b: f64) -> f64 {
        a + b
    }
    fn rounded(state: f64) -> f32 {
        state as f32
    }
}

/// A sum and what rounding has lost of it (Knuth's TwoSum).
impl Scanned<f64> for Sums {
    type State = (f64, f64);
    const START: (f64, f64) = (0.0, 0.0);
    fn add((sum, rest): (f64, f64), element: f64) -> (f64, f64) {
        let total = sum + element;
        let added = total - sum;
        (total, rest + ((sum - (total - added)) + (element - added)))
    }
    fn join(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
        let (sum, rest) = <Sums as Scanned<f64>>::add(a, b.0);
        (sum, rest + b.1)
    }
    fn rounded((sum, rest): (f64, f64)) -> f64 {
        // Infinities have no rest.
        if rest.is_finite() { sum + rest } else { sum }
    }
}

macro_rules! floats {
    ($($t:ident)*) => {$(
        impl Scanned<$t> for Products {
            type State = $t;
            const START: $t = 1.0;
            fn add(state: $t, element: $t) -> $t {
                state * element
            }
            fn join(a: $t, b: $t) -> $t {
                a * b
            }
            fn rounded(state: $t) -> $t {
                state
            }
        }

        impl Scanned<Complex<$t>> for Sums {
            type State = (<Sums as Scanned<$t>>::State, <Sums as Scanned<$t>>::State);
            const START: Self::State = (<Sums as Scanned<$t>>::START, <Sums as Scanned<$t>>::START);
            fn add(state: Self::State, element: Complex<$t>) -> Self::State {
                (
                    <Sums as Scanned<$t>>::add(state.0, element.re),
                    <Sums as Scanned<$t>>::add(state.1, element.im),
                )
            }
            fn join(a: Self::State, b: Self::State) -> Self::State {
                (<Sums as Scanned<$t>>::join(a.0, b.0), <Sums as Scanned<$t>>::join(a.1, b.1))
            }
            fn rounded(state: Self::State) -> Complex<$t> {
                Complex::new(<Sums as Scanned<$t>>::rounded(state.0), <Sums as Scanned<$t>>::rounded(state.1))
            }
        }

        impl Scanned<Complex<$t>> for Products {
            type State = Complex<$t>;
            const START: Complex<$t> = Complex::new(1.0, 0.0);
            fn add(state: Complex<$t>, element: Complex<$t>) -> Complex<$t> {
                state * element
            }
            fn join(a: Complex<$t>, b: Complex<$t>) -> Complex<$t> {
                a * b
            }
            fn rounded(state: Complex<$t>) -> Complex<$t> {
                state
            }
        }
    )*};
}
floats!(f32 f64);

/// An element that is compared as NumPy does: complex numbers by their real
/// parts, then by their imaginary parts.
pub(super) trait Ordered: Pod + Send + Sync {
    const LOWEST: Self;
    const HIGHEST: Self;
    fn at_most(self, other: Self) -> bool;
    fn is_nan(self) -> bool;
}

macro_rules! ordered {
    ($($t:ident: $lowest:expr, $highest:expr, $is_nan:expr;)*) => {$(
        impl Ordered for $t {
            const LOWEST: $t = $lowest;
            const HIGHEST: $t = $highest;
            fn at_most(self, other: $t) -> bool {
                self <= other
            }
            fn is_nan(self) -> bool {
                let is_nan: fn($t) -> bool = $is_nan;
                is_nan(self)
            }
        }
    )*};
}
ordered! {
    i8: i8::MIN, i8::MAX, |_| false;
    i16: i16::MIN, i16::MAX, |_| false;
    i32: i32::MIN, i32::MAX, |_| false;
    i64: i64::MIN, i64::MAX, |_| false;
    u8: u8::MIN, u8::MAX, |_| false;
    u16: u16::MIN, u16::MAX, |_| false;
    u32: u32::MIN, u32::MAX, |_| false;
    u64: u64::MIN, u64::MAX, |_| false;
    f32: f32::NEG_INFINITY, f32::INFINITY, f32::is_nan;
    f64: f64::NEG_INFINITY, f64::INFINITY, f64::is_nan;
}

macro_rules! complexes {
    ($($t:ident)*) => {$(
        impl Ordered for Complex<$t> {
            const LOWEST: Self = Complex::new($t::NEG_INFINITY, $t::NEG_INFINITY);
            const HIGHEST: Self = Complex::new($t::INFINITY, $t::INFINITY);
            fn at_most(self, other: Self) -> bool {
                if self.re == other.re { self.im <= other.im } else { self.re <= other.re }
            }
            fn is_nan(self) -> bool {
                self.re.is_nan() || self.im.is_nan()
            }
        }
    )*};
}
complexes!(f32 f64);

impl<T: Ordered, const GREATEST: bool> Scanned<T> for Extremes<GREATEST> {
    type State = T;
    const START: T = if GREATEST { T::LOWEST } else { T::HIGHEST };
    fn add(state: T, element: T) -> T {
        let stays = if GREATEST { element.at_most(state) } else { state.at_most(element) };
        if state.is_nan() || (stays && !element.is_nan()) { state } else { element }
    }
    fn join(a: T, b: T) -> T {
        Self::add(a, b)
    }
    fn rounded(state: T) -> T {
        state
    }
}

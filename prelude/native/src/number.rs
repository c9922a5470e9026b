//! Arithmetic of one element, as NumPy defines it and as generated CUDA C
//! does it.

use bytemuck::{Pod, Zeroable};
use gpurepl_kernels::complex_functions::{self, c64};
use half::f16;
use num_complex::Complex;

/// A boolean as it lies in memory.
#[derive(Clone, Copy, PartialEq, PartialOrd, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Bool(pub(crate) u8);

impl Bool {
    pub(crate) fn new(value: bool) -> Bool {
        Bool(value.into())
    }
}

/// What every element can do.
pub(crate) trait Number: Pod {
    fn add(self, other: Self) -> Self;
    fn subtract(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    fn less(self, other: Self) -> bool;
    fn less_equal(self, other: Self) -> bool;
    fn equal(self, other: Self) -> bool;
    fn is_nan(self) -> bool;
    fn negative(self) -> Self;

    fn maximum(self, other: Self) -> Self {
        if other.less_equal(self) || self.is_nan() { self } else { other }
    }

    fn minimum(self, other: Self) -> Self {
        if self.less_equal(other) || self.is_nan() { self } else { other }
    }
}

/// What integers and booleans can do.
pub(crate) trait Whole: Number {
    fn floor_divide(self, other: Self) -> Self;
    fn remainder(self, other: Self) -> Self;
    fn power(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn left_shift(self, other: Self) -> Self;
    fn right_shift(self, other: Self) -> Self;
    fn invert(self) -> Self;
    fn absolute(self) -> Self;
    /// 1, 0 or -1.
    fn sign(self) -> Self;
    /// The whole part of 1 divided by the number; of zero zero.
    fn reciprocal(self) -> Self;
    /// The rest of a division towards zero.
    fn rest(self, other: Self) -> Self;
    fn gcd(self, other: Self) -> Self;
    fn lcm(self, other: Self) -> Self;
}

/// What floats can do.
pub(crate) trait Real: Number {
    fn divide(self, other: Self) -> Self;
    fn floor_divide(self, other: Self) -> Self;
    fn remainder(self, other: Self) -> Self;
    fn power(self, other: Self) -> Self;
    fn absolute(self) -> Self;
    fn apply(self, f32_function: fn(f32) -> f32, f64_function: fn(f64) -> f64) -> Self;
    fn apply_to(
        self,
        other: Self,
        f32_function: fn(f32, f32) -> f32,
        f64_function: fn(f64, f64) -> f64,
    ) -> Self;
    fn widened(self) -> f64;
    fn narrowed(value: f64) -> Self;
    fn next_after(self, other: Self) -> Self;
    fn nan_to_num(self) -> Self;
    fn exponent(self) -> i32;
    fn test(self, f32_function: fn(f32) -> bool, f64_function: fn(f64) -> bool) -> bool;
}

macro_rules! integers {
    ($signed:tt: $($t:ident)*) => {$(
        impl Number for $t {
            fn add(self, other: $t) -> $t {
                self.wrapping_add(other)
            }
            fn subtract(self, other: $t) -> $t {
                self.wrapping_sub(other)
            }
            fn multiply(self, other: $t) -> $t {
                self.wrapping_mul(other)
            }
            fn less(self, other: $t) -> bool {
                self < other
            }
            fn less_equal(self, other: $t) -> bool {
                self <= other
            }
            fn equal(self, other: $t) -> bool {
                self == other
            }
            fn is_nan(self) -> bool {
                false
            }
            fn negative(self) -> $t {
                self.wrapping_neg()
            }
        }

        impl Whole for $t {
            // Division by zero answers zero, as in NumPy.
            #[allow(unused_comparisons)]
            fn floor_divide(self, other: $t) -> $t {
                if other == 0 {
                    return 0;
                }
                let quotient = self.wrapping_div(other);
                let inexact = self.wrapping_rem(other) != 0;
                if inexact && (self < 0) != (other < 0) { quotient - 1 } else { quotient }
            }
            #[allow(unused_comparisons)]
            fn remainder(self, other: $t) -> $t {
                if other == 0 {
                    return 0;
                }
                let rest = self.wrapping_rem(other);
                if rest != 0 && (rest < 0) != (other < 0) { rest + other } else { rest }
            }
            fn power(self, exponent: $t) -> $t {
                let (mut result, mut square, mut left) = (1 as $t, self, exponent as u64);
                while left != 0 {
                    if left & 1 == 1 {
                        result = result.wrapping_mul(square);
                    }
                    square = square.wrapping_mul(square);
                    left >>= 1;
                }
                result
            }
            fn and(self, other: $t) -> $t {
                self & other
            }
            fn or(self, other: $t) -> $t {
                self | other
            }
            fn xor(self, other: $t) -> $t {
                self ^ other
            }
            // A distance of the width or more, or a negative one, loses all bits.
            fn left_shift(self, distance: $t) -> $t {
                if distance as u64 >= u64::from($t::BITS) { 0 } else { self << distance }
            }
            fn right_shift(self, distance: $t) -> $t {
                if distance as u64 >= u64::from($t::BITS) {
                    integers!(@all_bits $signed self)
                } else {
                    self >> distance
                }
            }
            fn invert(self) -> $t {
                !self
            }
            fn absolute(self) -> $t {
                integers!(@absolute $signed self)
            }
            #[allow(unused_comparisons)]
            fn sign(self) -> $t {
                (self > 0) as $t - (self < 0) as $t
            }
            fn reciprocal(self) -> $t {
                if self == 1 || self.wrapping_add(1) == 0 && integers!(@is_signed $signed) { self } else { 0 }
            }
            fn rest(self, other: $t) -> $t {
                if other == 0 { 0 } else { self.wrapping_rem(other) }
            }
            fn gcd(self, other: $t) -> $t {
                let (mut x, mut y) = (integers!(@size $signed self), integers!(@size $signed other));
                while y != 0 {
                    (x, y) = (y, x % y);
                }
                x as $t
            }
            fn lcm(self, other: $t) -> $t {
                let divisor = integers!(@size $signed self.gcd(other));
                if divisor == 0 {
                    return 0;
                }
                (integers!(@size $signed self) / divisor).wrapping_mul(integers!(@size $signed other)) as $t
            }
        }
    )*};
    (@all_bits signed $x:ident) => { if $x < 0 { -1 } else { 0 } };
    (@all_bits unsigned $x:ident) => { 0 };
    (@size signed $x:expr) => { $x.unsigned_abs() };
    (@size unsigned $x:expr) => { $x };
    (@is_signed signed) => { true };
    (@is_signed unsigned) => { false };
    (@absolute signed $x:ident) => { $x.wrapping_abs() };
    (@absolute unsigned $x:ident) => { $x };
}
integers!(signed: i8 i16 i32 i64);
integers!(unsigned: u8 u16 u32 u64);

impl Number for Bool {
    fn add(self, other: Bool) -> Bool {
        Bool(self.0 | other.0)
    }
    fn subtract(self, other: Bool) -> Bool {
        Bool(self.0 ^ other.0)
    }
    fn multiply(self, other: Bool) -> Bool {
        Bool(self.0 & other.0)
    }
    fn less(self, other: Bool) -> bool {
        self.0 < other.0
    }
    fn less_equal(self, other: Bool) -> bool {
        self.0 <= other.0
    }
    fn equal(self, other: Bool) -> bool {
        self.0 == other.0
    }
    fn is_nan(self) -> bool {
        false
    }
    fn negative(self) -> Bool {
        self
    }
}

impl Whole for Bool {
    fn floor_divide(self, other: Bool) -> Bool {
        Bool(self.0 & other.0)
    }
    fn remainder(self, _: Bool) -> Bool {
        Bool(0)
    }
    fn power(self, exponent: Bool) -> Bool {
        Bool(self.0 | (exponent.0 ^ 1))
    }
    fn and(self, other: Bool) -> Bool {
        Bool(self.0 & other.0)
    }
    fn or(self, other: Bool) -> Bool {
        Bool(self.0 | other.0)
    }
    fn xor(self, other: Bool) -> Bool {
        Bool(self.0 ^ other.0)
    }
    fn left_shift(self, distance: Bool) -> Bool {
        Bool(self.0 & (distance.0 ^ 1))
    }
    fn right_shift(self, distance: Bool) -> Bool {
        Bool(self.0 & (distance.0 ^ 1))
    }
    fn invert(self) -> Bool {
        Bool(self.0 ^ 1)
    }
    fn absolute(self) -> Bool {
        self
    }
    fn sign(self) -> Bool {
        self
    }
    fn reciprocal(self) -> Bool {
        self
    }
    fn rest(self, _: Bool) -> Bool {
        Bool(0)
    }
    fn gcd(self, other: Bool) -> Bool {
        self.or(other)
    }
    fn lcm(self, other: Bool) -> Bool {
        self.and(other)
    }
}

macro_rules! floats {
    ($($t:ident)*) => {$(
        impl Number for $t {
            fn add(self, other: $t) -> $t {
                self + other
            }
            fn subtract(self, other: $t) -> $t {
                self - other
            }
            fn multiply(self, other: $t) -> $t {
                self * other
            }
            fn less(self, other: $t) -> bool {
                self < other
            }
            fn less_equal(self, other: $t) -> bool {
                self <= other
            }
            fn equal(self, other: $t) -> bool {
                self == other
            }
            fn is_nan(self) -> bool {
                self.is_nan()
            }
            fn negative(self) -> $t {
                -self
            }
        }
    )*};
}
floats!(f16 f32 f64);

macro_rules! reals {
    ($($t:ident as $wide:ident: $to:expr, $from:expr;)*) => {$(
        impl Real for $t {
            fn divide(self, other: $t) -> $t {
                self / other
            }
            // The two below follow NumPy's `npy_divmod`: a quotient that is
            // whole but for rounding is made whole.
            fn floor_divide(self, other: $t) -> $t {
                let (a, b) = ($to(self), $to(other));
                if b == 0.0 {
                    return $from(a / b);
                }
                let rest = a % b;
                let mut quotient = (a - rest) / b;
                if rest != 0.0 && (b < 0.0) != (rest < 0.0) {
                    quotient -= 1.0;
                }
                if quotient == 0.0 {
                    return $from((0.0 as $wide).copysign(a / b));
                }
                let whole = quotient.floor();
                $from(if quotient - whole > 0.5 { whole + 1.0 } else { whole })
            }
            fn remainder(self, other: $t) -> $t {
                let (a, b) = ($to(self), $to(other));
                let rest = a % b;
                $from(if rest == 0.0 {
                    (0.0 as $wide).copysign(b)
                } else if (b < 0.0) != (rest < 0.0) {
                    rest + b
                } else {
                    rest
                })
            }
            fn power(self, exponent: $t) -> $t {
                $from($to(self).powf($to(exponent)))
            }
            fn absolute(self) -> $t {
                $from($to(self).abs())
            }
            #[allow(unused_variables)]
            fn apply(self, f32_function: fn(f32) -> f32, f64_function: fn(f64) -> f64) -> $t {
                reals!(@apply $wide f32_function f64_function, $to, $from, self)
            }
            #[allow(unused_variables)]
            fn apply_to(
                self,
                other: $t,
                f32_function: fn(f32, f32) -> f32,
                f64_function: fn(f64, f64) -> f64,
            ) -> $t {
                let (a, b) = ($to(self), $to(other));
                $from(reals!(@apply_to $wide f32_function f64_function, a, b))
            }
            fn widened(self) -> f64 {
                self.into()
            }
            fn narrowed(value: f64) -> $t {
                $from(value as $wide)
            }
            fn next_after(self, other: $t) -> $t {
                let (a, b) = ($to(self), $to(other));
                if a.is_nan() || b.is_nan() {
                    return $from(a + b);
                }
                if a == b {
                    // C answers with the other, which shows of zeros; NumPy's half with the first.
                    return if size_of::<$t>() == 2 { self } else { other };
                }
                if a == 0.0 {
                    return $from($to($t::from_bits(1)).copysign(b));
                }
                let bits = self.to_bits();
                $t::from_bits(if (a < b) == (a > 0.0) { bits + 1 } else { bits - 1 })
            }
            fn nan_to_num(self) -> $t {
                let a = $to(self);
                if a.is_nan() { $from(0.0) } else { $from(a.clamp($to($t::MIN), $to($t::MAX))) }
            }
            fn exponent(self) -> i32 {
                let a = $to(self);
                if a.is_finite() { libm::frexp(f64::from(a)).1 } else { 0 }
            }
            #[allow(unused_variables)]
            fn test(self, f32_function: fn(f32) -> bool, f64_function: fn(f64) -> bool) -> bool {
                reals!(@apply $wide f32_function f64_function, $to, (|x: bool| x), self)
            }
        }
    )*};
    (@apply f32 $f32:ident $f64:ident, $to:expr, $from:expr, $x:ident) => { $from($f32($to($x))) };
    (@apply_to f32 $f32:ident $f64:ident, $a:ident, $b:ident) => { $f32($a, $b) };
    (@apply_to f64 $f32:ident $f64:ident, $a:ident, $b:ident) => { $f64($a, $b) };
    (@apply f64 $f32:ident $f64:ident, $to:expr, $from:expr, $x:ident) => { $from($f64($to($x))) };
}
reals! {
    f16 as f32: f16::to_f32, f16::from_f32;
    f32 as f32: (|x: f32| x), (|x: f32| x);
    f64 as f64: (|x: f64| x), (|x: f64| x);
}

macro_rules! complexes {
    ($($t:ident)*) => {$(
        impl Number for Complex<$t> {
            fn add(self, other: Self) -> Self {
                self + other
            }
            fn subtract(self, other: Self) -> Self {
                self - other
            }
            fn multiply(self, other: Self) -> Self {
                Complex::new(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
            }
            // NumPy's order: by real, then by imaginary part.
            fn less(self, other: Self) -> bool {
                if self.re == other.re { self.im < other.im } else { self.re < other.re }
            }
            fn less_equal(self, other: Self) -> bool {
                if self.re == other.re { self.im <= other.im } else { self.re <= other.re }
            }
            fn equal(self, other: Self) -> bool {
                self == other
            }
            fn is_nan(self) -> bool {
                self.re.is_nan() || self.im.is_nan()
            }
            // One part may compare where the other is NaN.
            fn maximum(self, other: Self) -> Self {
                if self.is_nan() || (!other.is_nan() && other.less_equal(self)) { self } else { other }
            }
            fn minimum(self, other: Self) -> Self {
                if self.is_nan() || (!other.is_nan() && self.less_equal(other)) { self } else { other }
            }
            fn negative(self) -> Self {
                -self
            }
        }

        impl ComplexNumber for Complex<$t> {
            // Smith's algorithm, as in `support.rs` of gpurepl-kernels.
            fn quotient(self, other: Self) -> Self {
                let (x, y) = (other.re.abs(), other.im.abs());
                if x >= y {
                    if x == 0.0 && y == 0.0 {
                        return Complex::new(self.re / x, self.im / x);
                    }
                    let ratio = other.im / other.re;
                    let scale = 1.0 / (other.re + other.im * ratio);
                    Complex::new((self.re + self.im * ratio) * scale, (self.im - self.re * ratio) * scale)
                } else {
                    let ratio = other.re / other.im;
                    let scale = 1.0 / (other.im + other.re * ratio);
                    Complex::new((self.re * ratio + self.im) * scale, (self.im * ratio - self.re) * scale)
                }
            }
            fn wide(self) -> c64 {
                c64(self.re.into(), self.im.into())
            }
            fn narrow(wide: c64) -> Self {
                Complex::new(wide.re as $t, wide.im as $t)
            }
            fn rint(self) -> Self {
                Complex::new(self.re.round_ties_even(), self.im.round_ties_even())
            }
            fn is_infinite(self) -> bool {
                self.re.is_infinite() || self.im.is_infinite()
            }
            fn sign(self) -> Self {
                let size = self.re.hypot(self.im);
                if size.is_nan() || (self.re.is_infinite() && self.im.is_infinite()) {
                    Complex::new($t::NAN, $t::NAN)
                } else if self.re.is_infinite() {
                    Complex::new(self.re.signum(), 0.0)
                } else if self.im.is_infinite() {
                    Complex::new(0.0, self.im.signum())
                } else if size == 0.0 {
                    Complex::new(0.0, 0.0)
                } else {
                    Complex::new(self.re / size, self.im / size)
                }
            }
        }
    )*};
}
complexes!(f32 f64);

/// What complex numbers can do.
pub(crate) trait ComplexNumber: Number {
    fn quotient(self, other: Self) -> Self;
    fn wide(self) -> c64;
    fn narrow(wide: c64) -> Self;
    fn rint(self) -> Self;
    fn power(self, other: Self) -> Self {
        Self::narrow(complex_functions::power(self.wide(), other.wide()))
    }
    fn is_infinite(self) -> bool;
    /// The number over its size.
    fn sign(self) -> Self;
}

// Numbers that are not `core`'s: the part of `half` and of `num-complex` that needs nothing else.

mod primitive16 {
    // The language's own, which the type below hides.
    pub type Bits = f16;
}

/// A number of 16 bits. Arithmetic is rounded once, as `half` rounds it.
#[repr(transparent)]
#[derive(Clone, Copy, Default)]
pub struct f16(primitive16::Bits);

impl f16 {
    pub const ZERO: f16 = f16(0.0);
    pub const NEG_ZERO: f16 = f16(-0.0);
    pub const ONE: f16 = f16(1.0);
    pub const NEG_ONE: f16 = f16(-1.0);
    pub const MAX: f16 = f16::from_bits(0x7bff);
    pub const MIN: f16 = f16::from_bits(0xfbff);
    pub const MIN_POSITIVE: f16 = f16::from_bits(0x0400);
    pub const EPSILON: f16 = f16::from_bits(0x1400);
    pub const INFINITY: f16 = f16::from_bits(0x7c00);
    pub const NEG_INFINITY: f16 = f16::from_bits(0xfc00);
    pub const NAN: f16 = f16::from_bits(0x7e00);
    pub const PI: f16 = f16::from_bits(0x4248);

    #[inline(always)]
    pub const fn from_bits(bits: u16) -> f16 {
        f16(primitive16::Bits::from_bits(bits))
    }
    #[inline(always)]
    pub const fn to_bits(self) -> u16 {
        self.0.to_bits()
    }
    #[inline(always)]
    pub const fn from_f32(value: f32) -> f16 {
        f16(value as primitive16::Bits)
    }
    #[inline(always)]
    pub const fn from_f64(value: f64) -> f16 {
        f16(value as primitive16::Bits)
    }
    #[inline(always)]
    pub const fn to_f32(self) -> f32 {
        self.0 as f32
    }
    #[inline(always)]
    pub const fn to_f64(self) -> f64 {
        self.0 as f64
    }
    #[inline(always)]
    pub const fn is_nan(self) -> bool {
        self.to_bits() & 0x7fff > 0x7c00
    }
    #[inline(always)]
    pub const fn is_infinite(self) -> bool {
        self.to_bits() & 0x7fff == 0x7c00
    }
    #[inline(always)]
    pub const fn is_finite(self) -> bool {
        self.to_bits() & 0x7c00 != 0x7c00
    }
    #[inline(always)]
    pub const fn is_sign_negative(self) -> bool {
        self.to_bits() & 0x8000 != 0
    }
    #[inline(always)]
    pub const fn is_sign_positive(self) -> bool {
        self.to_bits() & 0x8000 == 0
    }
    #[inline(always)]
    pub fn max(self, other: f16) -> f16 {
        if self.is_nan() || other > self { other } else { self }
    }
    #[inline(always)]
    pub fn min(self, other: f16) -> f16 {
        if self.is_nan() || other < self { other } else { self }
    }
    #[inline(always)]
    pub fn clamp(self, low: f16, high: f16) -> f16 {
        if self < low { low } else if self > high { high } else { self }
    }
    #[inline(always)]
    pub const fn copysign(self, sign: f16) -> f16 {
        f16::from_bits(self.to_bits() & 0x7fff | sign.to_bits() & 0x8000)
    }
    #[inline(always)]
    pub const fn signum(self) -> f16 {
        if self.is_nan() { self } else { f16::ONE.copysign(self) }
    }
}

// By way of singles, which have digits enough that the result is rounded once.
macro_rules! f16_operators {
    ($($name:ident $method:ident $assign:ident $assign_method:ident $symbol:tt;)*) => {$(
        impl core::ops::$name for f16 {
            type Output = f16;
            #[inline(always)]
            fn $method(self, other: f16) -> f16 {
                f16::from_f32(self.to_f32() $symbol other.to_f32())
            }
        }
        impl core::ops::$name<&f16> for f16 {
            type Output = f16;
            #[inline(always)]
            fn $method(self, other: &f16) -> f16 {
                self $symbol *other
            }
        }
        impl core::ops::$assign for f16 {
            #[inline(always)]
            fn $assign_method(&mut self, other: f16) {
                *self = *self $symbol other;
            }
        }
    )*};
}
f16_operators! {
    Add add AddAssign add_assign +;
    Sub sub SubAssign sub_assign -;
    Mul mul MulAssign mul_assign *;
    Div div DivAssign div_assign /;
}

impl core::ops::Neg for f16 {
    type Output = f16;
    #[inline(always)]
    fn neg(self) -> f16 {
        f16::from_bits(self.to_bits() ^ 0x8000)
    }
}

impl PartialEq for f16 {
    #[inline(always)]
    fn eq(&self, other: &f16) -> bool {
        self.to_f32() == other.to_f32()
    }
}

impl PartialOrd for f16 {
    #[inline(always)]
    fn partial_cmp(&self, other: &f16) -> Option<core::cmp::Ordering> {
        self.to_f32().partial_cmp(&other.to_f32())
    }
}

impl core::iter::Sum for f16 {
    fn sum<I: Iterator<Item = f16>>(numbers: I) -> f16 {
        f16::from_f32(numbers.map(f16::to_f32).sum())
    }
}

impl From<f16> for f32 {
    #[inline(always)]
    fn from(value: f16) -> f32 {
        value.to_f32()
    }
}

impl From<f16> for f64 {
    #[inline(always)]
    fn from(value: f16) -> f64 {
        value.to_f64()
    }
}

impl From<u8> for f16 {
    #[inline(always)]
    fn from(value: u8) -> f16 {
        f16::from_f32(value as f32)
    }
}

impl From<i8> for f16 {
    #[inline(always)]
    fn from(value: i8) -> f16 {
        f16::from_f32(value as f32)
    }
}

impl core::fmt::Display for f16 {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Display::fmt(&self.to_f32(), f)
    }
}

impl core::fmt::Debug for f16 {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Debug::fmt(&self.to_f32(), f)
    }
}

/// A complex number.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Hash)]
pub struct Complex<T> {
    pub re: T,
    pub im: T,
}

pub type Complex32 = Complex<f32>;
pub type Complex64 = Complex<f64>;

impl<T> Complex<T> {
    #[inline(always)]
    pub const fn new(re: T, im: T) -> Complex<T> {
        Complex { re, im }
    }
}

macro_rules! complex {
    ($($t:ident)*) => {$(
        impl Complex<$t> {
            pub const ZERO: Complex<$t> = Complex { re: 0.0, im: 0.0 };
            pub const ONE: Complex<$t> = Complex { re: 1.0, im: 0.0 };
            pub const I: Complex<$t> = Complex { re: 0.0, im: 1.0 };

            #[inline(always)]
            pub const fn i() -> Self {
                Self::I
            }
            #[inline(always)]
            pub fn norm_sqr(&self) -> $t {
                self.re * self.re + self.im * self.im
            }
            #[inline(always)]
            pub fn scale(&self, by: $t) -> Self {
                Complex { re: self.re * by, im: self.im * by }
            }
            #[inline(always)]
            pub fn unscale(&self, by: $t) -> Self {
                Complex { re: self.re / by, im: self.im / by }
            }
            #[inline(always)]
            pub fn conj(&self) -> Self {
                Complex { re: self.re, im: -self.im }
            }
            #[inline(always)]
            pub fn inv(&self) -> Self {
                let size = self.norm_sqr();
                Complex { re: self.re / size, im: -self.im / size }
            }
            #[inline(always)]
            pub fn l1_norm(&self) -> $t {
                self.re.abs() + self.im.abs()
            }
            #[inline(always)]
            pub fn norm(self) -> $t {
                Float::hypot(self.re, self.im)
            }
            #[inline(always)]
            pub fn abs(self) -> $t {
                self.norm()
            }
            #[inline(always)]
            pub fn arg(self) -> $t {
                Float::atan2(self.im, self.re)
            }
            #[inline(always)]
            pub fn cis(phase: $t) -> Self {
                Complex { re: Float::cos(phase), im: Float::sin(phase) }
            }
            #[inline(always)]
            pub fn from_polar(r: $t, theta: $t) -> Self {
                Complex { re: r * Float::cos(theta), im: r * Float::sin(theta) }
            }
            #[inline(always)]
            pub fn to_polar(self) -> ($t, $t) {
                (self.norm(), self.arg())
            }
            #[inline(always)]
            pub fn exp(self) -> Self {
                Self::from_polar(Float::exp(self.re), self.im)
            }
            #[inline(always)]
            pub fn ln(self) -> Self {
                Complex { re: Float::ln(self.norm()), im: self.arg() }
            }
            pub fn sqrt(self) -> Self {
                // The imaginary part of the root has the sign of that of the number.
                let root = if self.im == 0.0 && self.re.is_sign_positive() {
                    return Complex { re: Float::sqrt(self.re), im: self.im };
                } else if self.im == 0.0 {
                    Complex { re: 0.0, im: Float::sqrt(-self.re) }
                } else if self.re == 0.0 {
                    let part = Float::sqrt(self.im.abs() / 2.0);
                    Complex { re: part, im: part }
                } else {
                    let (r, theta) = self.to_polar();
                    return Self::from_polar(Float::sqrt(r), theta / 2.0);
                };
                if self.im.is_sign_negative() { root.conj() } else { root }
            }
            pub fn powi(&self, exponent: i32) -> Self {
                let (mut base, mut left, mut result) = (*self, exponent.unsigned_abs(), Self::ONE);
                while left > 0 {
                    if left & 1 != 0 {
                        result = result * base;
                    }
                    base = base * base;
                    left >>= 1;
                }
                if exponent < 0 { result.inv() } else { result }
            }
            pub fn powu(&self, exponent: u32) -> Self {
                let (mut base, mut left, mut result) = (*self, exponent, Self::ONE);
                while left > 0 {
                    if left & 1 != 0 {
                        result = result * base;
                    }
                    base = base * base;
                    left >>= 1;
                }
                result
            }
            pub fn powf(self, exponent: $t) -> Self {
                if exponent == 0.0 {
                    return Self::ONE;
                }
                let (r, theta) = self.to_polar();
                Self::from_polar(Float::powf(r, exponent), theta * exponent)
            }
            pub fn powc(self, exponent: Self) -> Self {
                if exponent == Self::ZERO {
                    return Self::ONE;
                }
                (exponent * self.ln()).exp()
            }
            pub fn sin(self) -> Self {
                Complex {
                    re: Float::sin(self.re) * Float::cosh(self.im),
                    im: Float::cos(self.re) * Float::sinh(self.im),
                }
            }
            pub fn cos(self) -> Self {
                Complex {
                    re: Float::cos(self.re) * Float::cosh(self.im),
                    im: -Float::sin(self.re) * Float::sinh(self.im),
                }
            }
            pub fn tan(self) -> Self {
                self.sin() / self.cos()
            }
            pub fn sinh(self) -> Self {
                Complex {
                    re: Float::sinh(self.re) * Float::cos(self.im),
                    im: Float::cosh(self.re) * Float::sin(self.im),
                }
            }
            pub fn cosh(self) -> Self {
                Complex {
                    re: Float::cosh(self.re) * Float::cos(self.im),
                    im: Float::sinh(self.re) * Float::sin(self.im),
                }
            }
            pub fn tanh(self) -> Self {
                self.sinh() / self.cosh()
            }
            #[inline(always)]
            pub fn is_nan(self) -> bool {
                self.re.is_nan() || self.im.is_nan()
            }
            #[inline(always)]
            pub fn is_finite(self) -> bool {
                self.re.is_finite() && self.im.is_finite()
            }
            #[inline(always)]
            pub fn is_infinite(self) -> bool {
                !self.is_nan() && (self.re.is_infinite() || self.im.is_infinite())
            }
        }

        impl core::ops::Add for Complex<$t> {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Complex { re: self.re + other.re, im: self.im + other.im }
            }
        }
        impl core::ops::Sub for Complex<$t> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Complex { re: self.re - other.re, im: self.im - other.im }
            }
        }
        impl core::ops::Mul for Complex<$t> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                Complex {
                    re: self.re * other.re - self.im * other.im,
                    im: self.re * other.im + self.im * other.re,
                }
            }
        }
        impl core::ops::Div for Complex<$t> {
            type Output = Self;
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                let size = other.norm_sqr();
                Complex {
                    re: (self.re * other.re + self.im * other.im) / size,
                    im: (self.im * other.re - self.re * other.im) / size,
                }
            }
        }
        impl core::ops::Neg for Complex<$t> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Complex { re: -self.re, im: -self.im }
            }
        }
        impl core::ops::Add<$t> for Complex<$t> {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: $t) -> Self {
                Complex { re: self.re + other, im: self.im }
            }
        }
        impl core::ops::Sub<$t> for Complex<$t> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: $t) -> Self {
                Complex { re: self.re - other, im: self.im }
            }
        }
        impl core::ops::Mul<$t> for Complex<$t> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: $t) -> Self {
                self.scale(other)
            }
        }
        impl core::ops::Div<$t> for Complex<$t> {
            type Output = Self;
            #[inline(always)]
            fn div(self, other: $t) -> Self {
                self.unscale(other)
            }
        }
        impl core::ops::Add<Complex<$t>> for $t {
            type Output = Complex<$t>;
            #[inline(always)]
            fn add(self, other: Complex<$t>) -> Complex<$t> {
                Complex { re: self + other.re, im: other.im }
            }
        }
        impl core::ops::Sub<Complex<$t>> for $t {
            type Output = Complex<$t>;
            #[inline(always)]
            fn sub(self, other: Complex<$t>) -> Complex<$t> {
                Complex { re: self - other.re, im: 0.0 - other.im }
            }
        }
        impl core::ops::Mul<Complex<$t>> for $t {
            type Output = Complex<$t>;
            #[inline(always)]
            fn mul(self, other: Complex<$t>) -> Complex<$t> {
                other.scale(self)
            }
        }
        impl core::ops::Div<Complex<$t>> for $t {
            type Output = Complex<$t>;
            #[inline(always)]
            fn div(self, other: Complex<$t>) -> Complex<$t> {
                let size = other.norm_sqr();
                Complex { re: self * other.re / size, im: -self * other.im / size }
            }
        }
        impl core::fmt::Display for Complex<$t> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(&self.re, f)?;
                f.write_str(if self.im.is_sign_negative() { "-" } else { "+" })?;
                core::fmt::Display::fmt(&self.im.abs(), f)?;
                f.write_str("i")
            }
        }
        impl core::iter::Sum for Complex<$t> {
            fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
                numbers.fold(Self::ZERO, |sum, number| sum + number)
            }
        }
        impl From<$t> for Complex<$t> {
            #[inline(always)]
            fn from(re: $t) -> Self {
                Complex { re, im: 0.0 }
            }
        }
        complex_assign! { $t Complex<$t>, AddAssign add_assign +, SubAssign sub_assign -, MulAssign mul_assign *, DivAssign div_assign / }
        complex_assign! { $t $t, AddAssign add_assign +, SubAssign sub_assign -, MulAssign mul_assign *, DivAssign div_assign / }
        complex_by_ref! { $t, Add add +, Sub sub -, Mul mul *, Div div / }
    )*};
}

macro_rules! complex_assign {
    ($t:ident $other:ty, $($name:ident $method:ident $symbol:tt),*) => {$(
        impl core::ops::$name<$other> for Complex<$t> {
            #[inline(always)]
            fn $method(&mut self, other: $other) {
                *self = *self $symbol other;
            }
        }
    )*};
}

macro_rules! complex_by_ref {
    ($t:ident, $($name:ident $method:ident $symbol:tt),*) => {$(
        impl core::ops::$name<&Complex<$t>> for Complex<$t> {
            type Output = Complex<$t>;
            #[inline(always)]
            fn $method(self, other: &Complex<$t>) -> Complex<$t> {
                self $symbol *other
            }
        }
        impl core::ops::$name<Complex<$t>> for &Complex<$t> {
            type Output = Complex<$t>;
            #[inline(always)]
            fn $method(self, other: Complex<$t>) -> Complex<$t> {
                *self $symbol other
            }
        }
    )*};
}
complex! { f32 f64 }

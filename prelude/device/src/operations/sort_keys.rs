//! The order of elements of every type, as that of unsigned numbers.

use std::ops::{BitOr, BitXor};

use bytemuck::{Pod, Zeroable};
use half::f16;
use num_complex::{Complex32, Complex64};

/// A `bool` in memory, where a kernel may have left any bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Truth(u8);

// SAFETY: a byte in a transparent structure.
unsafe impl Zeroable for Truth {}
// SAFETY: as above.
unsafe impl Pod for Truth {}

/// An element, and the unsigned number that has its place in NumPy's order.
pub(super) trait Element: Pod + Send + Sync {
    type Key: Key;
    fn key(self) -> Self::Key;
}

/// An unsigned number that sorts look at bit by bit.
pub(super) trait Key: Copy + Ord + Send + Sync + BitXor<Output = Self> + BitOr<Output = Self> {
    const ZERO: Self;
    /// The eight bits from a bit on.
    fn digit(self, shift: u32) -> usize;
    /// How many bits are left without the zeros at its high end.
    fn width(self) -> u32;
    /// How many zeros it has at its low end.
    fn low_zeros(self) -> u32;
}

macro_rules! keys {
    ($($t:ident)*) => {$(
        impl Key for $t {
            const ZERO: $t = 0;
            #[inline(always)]
            fn digit(self, shift: u32) -> usize {
                (self >> shift) as usize & 255
            }
            fn width(self) -> u32 {
                $t::BITS - self.leading_zeros()
            }
            fn low_zeros(self) -> u32 {
                self.trailing_zeros()
            }
        }
    )*};
}
keys!(u8 u16 u32 u64 u128);

impl Element for Truth {
    type Key = u8;
    fn key(self) -> u8 {
        u8::from(self.0 != 0)
    }
}

macro_rules! unsigned {
    ($($t:ident)*) => {$(
        impl Element for $t {
            type Key = $t;
            fn key(self) -> $t {
                self
            }
        }
    )*};
}
unsigned!(u8 u16 u32 u64);

macro_rules! signed {
    ($($t:ident as $key:ident)*) => {$(
        impl Element for $t {
            type Key = $key;
            fn key(self) -> $key {
                self as $key ^ (1 << ($key::BITS - 1))
            }
        }
    )*};
}
signed!(i8 as u8 i16 as u16 i32 as u32 i64 as u64);

macro_rules! floats {
    ($($t:ident as $key:ident, $complex:ident as $pair:ident;)*) => {$(
        floats!(@real $t as $key);

        impl Element for $complex {
            type Key = $pair;
            /// NumPy's order: numbers, real with an imaginary NaN, NaN with a
            /// real number, two NaNs.
            fn key(self) -> $pair {
                let (re, im) = (self.re.key(), self.im.key());
                let (high, low) = match (re == $key::MAX, im == $key::MAX) {
                    (false, false) => (re, im),
                    (false, true) => ($key::MAX - 2, re),
                    (true, false) => ($key::MAX - 1, im),
                    (true, true) => ($key::MAX, im),
                };
                $pair::from(high) << $key::BITS | $pair::from(low)
            }
        }
    )*};
    (@real $t:ident as $key:ident) => {
        impl Element for $t {
            type Key = $key;
            /// Zeros are equal, and every NaN is the largest.
            fn key(self) -> $key {
                const SIGN: $key = 1 << ($key::BITS - 1);
                let bits = self.to_bits();
                let size = bits & !SIGN;
                if size > $t::INFINITY.to_bits() {
                    $key::MAX
                } else if size == 0 {
                    SIGN
                } else if bits & SIGN == 0 {
                    bits | SIGN
                } else {
                    !bits
                }
            }
        }
    };
}
floats!(@real f16 as u16);
floats! {
    f32 as u32, Complex32 as u64;
    f64 as u64, Complex64 as u128;
}

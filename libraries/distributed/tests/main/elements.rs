//! Elements of every type that each rank knows of all ranks, and plain arithmetic with them.

use gpurepl_prelude::distributed::Reduce;
use gpurepl_prelude::*;

pub(crate) trait Number: Elem {
    /// The element of a rank at a place.
    fn of(rank: usize, place: usize) -> Self;

    fn combine(op: Reduce, a: Self, b: Self) -> Self;

    /// The same bits, and for NaN any.
    fn is_same(self, other: Self) -> bool {
        self == other
    }
}

/// Something that differs between neighbours and ranks, from 0 to 96.
fn mixed(rank: usize, place: usize) -> usize {
    (place * 31 + rank * 17 + place / 97) % 97
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Number for $t {
            fn of(rank: usize, place: usize) -> $t {
                (mixed(rank, place) as i64 * 2 - 90) as $t
            }

            fn combine(op: Reduce, a: $t, b: $t) -> $t {
                match op {
                    Reduce::Sum => a.wrapping_add(b),
                    Reduce::Prod => a.wrapping_mul(b),
                    Reduce::Min => if b < a { b } else { a },
                    Reduce::Max => if b > a { b } else { a },
                    Reduce::And => a & b,
                    Reduce::Or => a | b,
                    Reduce::Xor => a ^ b,
                    Reduce::Mean => unreachable!("not of integers"),
                }
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

impl Number for bool {
    fn of(rank: usize, place: usize) -> bool {
        mixed(rank, place).is_multiple_of(3)
    }

    fn combine(op: Reduce, a: bool, b: bool) -> bool {
        match op {
            Reduce::Sum | Reduce::Max | Reduce::Or => a || b,
            Reduce::Prod | Reduce::Min | Reduce::And => a && b,
            Reduce::Xor => a != b,
            Reduce::Mean => unreachable!("not of bool"),
        }
    }
}

macro_rules! floats {
    ($($t:ty, $of:expr;)*) => {$(
        impl Number for $t {
            fn of(rank: usize, place: usize) -> $t {
                match mixed(rank, place) {
                    13 => <$t>::NAN,
                    17 => <$t>::INFINITY,
                    number => $of(number as f64 / 7.0 - 5.0),
                }
            }

            fn combine(op: Reduce, a: $t, b: $t) -> $t {
                match op {
                    Reduce::Sum | Reduce::Mean => a + b,
                    Reduce::Prod => a * b,
                    _ if a.is_nan() || b.is_nan() => <$t>::NAN,
                    Reduce::Min => if b < a { b } else { a },
                    Reduce::Max => if b > a { b } else { a },
                    _ => unreachable!("not of floats"),
                }
            }

            fn is_same(self, other: $t) -> bool {
                self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
            }
        }
    )*};
}
floats! {
    f16, f16::from_f64;
    f32, |x: f64| x as f32;
    f64, |x: f64| x;
}

macro_rules! complex {
    ($($t:ty)*) => {$(
        impl Number for Complex<$t> {
            fn of(rank: usize, place: usize) -> Complex<$t> {
                let part = |shift| (mixed(rank, place + shift) as $t) / 7.0 - 5.0;
                Complex::new(part(0).floor(), part(5))
            }

            fn combine(op: Reduce, a: Complex<$t>, b: Complex<$t>) -> Complex<$t> {
                let is_before = |a: Complex<$t>, b: Complex<$t>| (a.re, a.im) < (b.re, b.im);
                match op {
                    Reduce::Sum | Reduce::Mean => a + b,
                    Reduce::Prod => a * b,
                    Reduce::Min => if is_before(b, a) { b } else { a },
                    Reduce::Max => if is_before(a, b) { b } else { a },
                    _ => unreachable!("not of complex numbers"),
                }
            }
        }
    )*};
}
complex!(f32 f64);

/// The elements of a rank.
pub(crate) fn elements<T: Number>(rank: usize, count: usize) -> Vec<T> {
    (0..count).map(|place| T::of(rank, place)).collect()
}

/// The elements of all ranks, combined one after the other.
pub(crate) fn combined<T: Number>(op: Reduce, count: usize) -> Vec<T> {
    let mut all = elements::<T>(0, count);
    for rank in 1..ranks() {
        let next = elements::<T>(rank, count);
        all.iter_mut().zip(next).for_each(|(a, b)| *a = T::combine(op, *a, b));
    }
    all
}

#[track_caller]
pub(crate) fn assert_same<T: Number>(a: &[T], b: &[T]) {
    assert_eq!(a.len(), b.len());
    for (place, (a, b)) in a.iter().zip(b).enumerate() {
        assert!(a.is_same(*b), "element {place}: {a:?} and {b:?}");
    }
}

/// Calls a function for each type of elements.
macro_rules! of_each_type {
    ($function:ident) => {
        of_each_type!($function bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64)
    };
    ($function:ident $($t:ty)*) => {{ $($function::<$t>();)* }};
}
pub(crate) use of_each_type;

//! Elements of every type that each rank knows of all ranks, and plain arithmetic with them.

use gpurepl_prelude::distributed::Reduce;
use gpurepl_prelude::*;

pub(crate) trait Number: Elem {
    /// The element of a rank at a place.
    fn of(rank: usize, place: usize) -> Self;

    fn combine(op: Reduce, a: Self, b: Self) -> Self;

    /// The distance from one to the next number; zero of those that are exact.
    const EPSILON: f64 = 0.0;

    /// Its real and its imaginary part, of what is not exact.
    fn parts(self) -> [f64; 2] {
        [0.0; 2]
    }

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
    ($($t:ty, $of:expr, $epsilon:expr;)*) => {$(
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

            const EPSILON: f64 = $epsilon;

            fn parts(self) -> [f64; 2] {
                [self.into(), 0.0]
            }

            fn is_same(self, other: $t) -> bool {
                self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
            }
        }
    )*};
}
floats! {
    f16, f16::from_f64, 1.0 / 1024.0;
    f32, |x: f64| x as f32, f32::EPSILON as f64;
    f64, |x: f64| x, f64::EPSILON;
}

macro_rules! complex {
    ($($t:ty)*) => {$(
        impl Number for Complex<$t> {
            const EPSILON: f64 = <$t>::EPSILON as f64;

            fn parts(self) -> [f64; 2] {
                [self.re.into(), self.im.into()]
            }

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

/// Whether sums and products of all ranks are right: on the host in the order of ranks, bit for bit. NCCL has an order
/// of its own, by which those of floats differ by a rounding for each rank.
#[track_caller]
pub(crate) fn assert_combined<T: Number>(op: Reduce, got: &[T]) {
    let expected = combined::<T>(op, got.len());
    let is_exact = device().kind() == DeviceKind::Host || ranks() < 3 || T::EPSILON == 0.0;
    if is_exact || matches!(op, Reduce::Min | Reduce::Max) {
        return assert_same(got, &expected);
    }
    for (place, (a, b)) in got.iter().zip(&expected).enumerate() {
        let sizes = (0..ranks()).map(|rank| T::of(rank, place).parts().map(f64::abs));
        let sum = sizes.fold([0.0; 2], |sum, size| [sum[0] + size[0], sum[1] + size[1]]);
        let pairs = a.parts().into_iter().zip(b.parts()).zip(sum);
        let is_close = |((a, b), sum): ((f64, f64), f64)| {
            let tolerance = ranks() as f64 * T::EPSILON * f64::max(sum, b.abs());
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance
        };
        assert!(pairs.into_iter().all(is_close), "element {place}: {a:?} and {b:?}");
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

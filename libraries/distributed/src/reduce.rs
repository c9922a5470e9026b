//! What elements of several ranks are combined by.

use std::fmt;

use bytemuck::Pod;
use gpurepl_extend::{DType, Result, error};
use half::f16;
use num_complex::Complex;

/// How elements of all ranks become one, in the order of ranks. The type stays, as of NumPy's ufuncs that are named
/// here: a sum of `i8` wraps around, one of `bool` is whether any is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduce {
    /// `np.add`, MPI's `SUM`.
    Sum,
    /// `np.multiply`, MPI's `PROD`.
    Prod,
    /// `np.minimum`, MPI's `MIN`: NaN if any is NaN.
    Min,
    /// `np.maximum`, MPI's `MAX`: NaN if any is NaN.
    Max,
    /// The sum divided by the number of ranks, of floats and complex numbers.
    Mean,
    /// `np.bitwise_and`, MPI's `BAND`, of integers and `bool`.
    And,
    /// `np.bitwise_or`, MPI's `BOR`, of integers and `bool`.
    Or,
    /// `np.bitwise_xor`, MPI's `BXOR`, of integers and `bool`.
    Xor,
}

use Reduce::*;

const ALL: [Reduce; 8] = [Sum, Prod, Min, Max, Mean, And, Or, Xor];

impl fmt::Display for Reduce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reduce::{self:?}")
    }
}

impl Reduce {
    /// Its number in posts; zero is none.
    pub(crate) fn number(self) -> u64 {
        ALL.iter().position(|op| *op == self).map_or(0, |place| place as u64 + 1)
    }

    pub(crate) fn of_number(number: u64) -> Option<Reduce> {
        ALL.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }

    /// Makes sure that elements of a type are combined so.
    pub(crate) fn check(self, operation: &'static str, dtype: DType) -> Result<()> {
        let is_fractional = dtype.is_float() || dtype.is_complex();
        let message = match self {
            Mean if !is_fractional => {
                format!(
                    "{self} is of floats and complex numbers, not of {dtype}; convert them: `a.astype(f64)`"
                )
            }
            And | Or | Xor if is_fractional => {
                format!("{self} is of integers and bool, not of {dtype}; compare first: `a.ne(0)`")
            }
            _ => return Ok(()),
        };
        Err(error::dtype(operation, message))
    }
}

/// A type of elements.
trait Element: Pod {
    fn combine(op: Reduce, a: Self, b: Self) -> Self;

    /// The mean of so many, of which this is the sum.
    fn divided(self, count: usize) -> Self {
        let _ = count;
        self
    }
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Element for $t {
            fn combine(op: Reduce, a: $t, b: $t) -> $t {
                match op {
                    Sum | Mean => a.wrapping_add(b),
                    Prod => a.wrapping_mul(b),
                    Min => a.min(b),
                    Max => a.max(b),
                    And => a & b,
                    Or => a | b,
                    Xor => a ^ b,
                }
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! floats {
    ($($t:ty, $from:expr;)*) => {$(
        impl Element for $t {
            fn combine(op: Reduce, a: $t, b: $t) -> $t {
                match op {
                    Prod => a * b,
                    // The first NaN, as NumPy has it; `a` if they are equal.
                    Min => if a <= b || a.is_nan() { a } else { b },
                    Max => if a >= b || a.is_nan() { a } else { b },
                    _ => a + b,
                }
            }

            fn divided(self, count: usize) -> $t {
                self / $from(count)
            }
        }

        impl Element for Complex<$t> {
            fn combine(op: Reduce, a: Complex<$t>, b: Complex<$t>) -> Complex<$t> {
                let is_nan = a.re.is_nan() || a.im.is_nan();
                match op {
                    Prod => a * b,
                    // NumPy's order: by the real parts, then by the imaginary ones.
                    Min => if is_nan || is_ordered(a, b) { a } else { b },
                    Max => if is_nan || is_ordered(b, a) { a } else { b },
                    _ => a + b,
                }
            }

            fn divided(self, count: usize) -> Complex<$t> {
                self / $from(count)
            }
        }
    )*};
}
floats! {
    f32, |count: usize| count as f32;
    f64, |count: usize| count as f64;
}

/// Whether a complex number is less than another one, or equal, by NumPy's order; not if any part that matters is NaN.
fn is_ordered<T: PartialOrd + Copy>(a: Complex<T>, b: Complex<T>) -> bool {
    #[expect(clippy::eq_op, reason = "only NaN is not equal to itself")]
    let is_number = |x: T| x == x;
    (a.re < b.re && is_number(a.im) && is_number(b.im)) || (a.re == b.re && a.im <= b.im)
}

impl Element for f16 {
    fn combine(op: Reduce, a: f16, b: f16) -> f16 {
        match op {
            Prod => a * b,
            Min => {
                if a <= b || a.is_nan() {
                    a
                } else {
                    b
                }
            }
            Max => {
                if a >= b || a.is_nan() {
                    a
                } else {
                    b
                }
            }
            _ => a + b,
        }
    }

    fn divided(self, count: usize) -> f16 {
        f16::from_f32(self.to_f32() / count as f32)
    }
}

/// Elements of a rank, aligned for all types.
pub(crate) struct Scratch {
    words: Vec<u64>,
    bytes: usize,
}

impl Scratch {
    pub(crate) fn of(bytes: usize) -> Scratch {
        Scratch { words: vec![0; bytes.div_ceil(8)], bytes }
    }

    pub(crate) fn resize(&mut self, bytes: usize) {
        self.words.resize(bytes.div_ceil(8), 0);
        self.bytes = bytes;
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.bytes]
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.bytes]
    }
}

/// Combines elements with those of the next rank.
pub(crate) fn combine(op: Reduce, dtype: DType, to: &mut Scratch, with: &Scratch) {
    fn each<T: Element>(op: Reduce, to: &mut Scratch, with: &Scratch) {
        let to: &mut [T] = bytemuck::cast_slice_mut(to.bytes_mut());
        let with: &[T] = bytemuck::cast_slice(with.bytes());
        // The operation is known before the loop, which then has one.
        macro_rules! loops {
            ($($op:ident)*) => {
                match op {
                    $($op => to.iter_mut().zip(with).for_each(|(to, with)| *to = T::combine($op, *to, *with)),)*
                }
            };
        }
        loops!(Sum Prod Min Max Mean And Or Xor);
    }
    match dtype {
        // Bytes that are 0 or 1.
        DType::Bool => {
            let op = match op {
                Sum | Max | Mean | Or => Or,
                Prod | Min | And => And,
                Xor => Xor,
            };
            each::<u8>(op, to, with);
        }
        DType::Int8 => each::<i8>(op, to, with),
        DType::Int16 => each::<i16>(op, to, with),
        DType::Int32 => each::<i32>(op, to, with),
        DType::Int64 => each::<i64>(op, to, with),
        DType::UInt8 => each::<u8>(op, to, with),
        DType::UInt16 => each::<u16>(op, to, with),
        DType::UInt32 => each::<u32>(op, to, with),
        DType::UInt64 => each::<u64>(op, to, with),
        DType::Float16 => each::<f16>(op, to, with),
        DType::Float32 => each::<f32>(op, to, with),
        DType::Float64 => each::<f64>(op, to, with),
        DType::Complex64 => each::<Complex<f32>>(op, to, with),
        DType::Complex128 => each::<Complex<f64>>(op, to, with),
    }
}

/// Divides sums by the number of ranks, if it is the mean.
pub(crate) fn conclude(op: Reduce, dtype: DType, to: &mut Scratch, ranks: usize) {
    fn each<T: Element>(to: &mut Scratch, ranks: usize) {
        bytemuck::cast_slice_mut::<u8, T>(to.bytes_mut())
            .iter_mut()
            .for_each(|sum| *sum = sum.divided(ranks));
    }
    match dtype {
        _ if op != Mean => {}
        DType::Float16 => each::<f16>(to, ranks),
        DType::Float32 => each::<f32>(to, ranks),
        DType::Float64 => each::<f64>(to, ranks),
        DType::Complex64 => each::<Complex<f32>>(to, ranks),
        DType::Complex128 => each::<Complex<f64>>(to, ranks),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<T: Element>(values: &[T]) -> Scratch {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let mut scratch = Scratch::of(bytes.len());
        scratch.bytes_mut().copy_from_slice(bytes);
        scratch
    }

    fn combined<T: Element>(op: Reduce, dtype: DType, a: &[T], b: &[T]) -> Vec<T> {
        let mut to = of(a);
        combine(op, dtype, &mut to, &of(b));
        conclude(op, dtype, &mut to, 2);
        bytemuck::cast_slice(to.bytes()).to_vec()
    }

    #[test]
    fn numbers_name_operations() {
        for op in ALL {
            assert_eq!(Reduce::of_number(op.number()), Some(op));
        }
        assert_eq!((Reduce::of_number(0), Reduce::of_number(9)), (None, None));
    }

    #[test]
    fn integers_wrap_around() {
        assert_eq!(combined(Sum, DType::Int8, &[100_i8, -100, 1], &[100, -100, 2]), [-56, 56, 3]);
        assert_eq!(combined(Prod, DType::UInt16, &[300_u16], &[300]), [24464]);
        assert_eq!(combined(Xor, DType::Int32, &[6], &[3]), [5]);
        assert_eq!(combined(And, DType::UInt64, &[6_u64], &[3]), [2]);
        assert_eq!(combined(Min, DType::Int64, &[-6_i64, 4], &[3, 5]), [-6, 4]);
    }

    #[test]
    fn bytes_of_bool_stay_0_and_1() {
        let all = |op| combined(op, DType::Bool, &[0_u8, 0, 1, 1], &[0, 1, 0, 1]);
        for (op, expected) in [
            (Sum, [0, 1, 1, 1]),
            (Max, [0, 1, 1, 1]),
            (Prod, [0, 0, 0, 1]),
            (Min, [0, 0, 0, 1]),
            (Xor, [0, 1, 1, 0]),
        ] {
            assert_eq!(all(op), expected, "{op}");
        }
    }

    #[test]
    fn a_nan_of_either_side_is_the_answer() {
        for op in [Min, Max] {
            let answer = combined(op, DType::Float64, &[f64::NAN, 1.0], &[1.0, f64::NAN]);
            assert!(answer.iter().all(|x| x.is_nan()), "{op}");
            let answer = combined(op, DType::Float16, &[f16::NAN, f16::ONE], &[f16::ONE, f16::NAN]);
            assert!(answer.iter().all(|x| x.is_nan()), "{op}");
            let complex = |re, im| Complex::new(re, im);
            let (a, b) =
                ([complex(0.0, f32::NAN), complex(9.0, 9.0)], [complex(1.0, 1.0), complex(f32::NAN, 0.0)]);
            let answer = combined(op, DType::Complex64, &a, &b);
            assert!(answer[0].im.is_nan() && answer[1].re.is_nan(), "{op}");
        }
        assert_eq!(combined(Max, DType::Float32, &[1.0_f32, -2.0], &[0.5, -1.0]), [1.0, -1.0]);
    }

    #[test]
    fn complex_numbers_are_ordered_by_their_real_parts_first() {
        let (a, b) = (
            [Complex::new(1.0, 5.0), Complex::new(2.0, 1.0)],
            [Complex::new(1.0, 4.0), Complex::new(1.0, 9.0)],
        );
        assert_eq!(combined(Min, DType::Complex128, &a, &b), b);
        assert_eq!(combined(Max, DType::Complex128, &a, &b), a);
        assert_eq!(combined(Prod, DType::Complex128, &a, &b)[0], Complex::new(-19.0, 9.0));
    }

    #[test]
    fn means_are_sums_divided() {
        assert_eq!(combined(Mean, DType::Float32, &[1.0_f32], &[2.0]), [1.5]);
        assert_eq!(combined(Mean, DType::Float16, &[f16::ONE], &[f16::ZERO]), [f16::from_f32(0.5)]);
        assert_eq!(
            combined(Mean, DType::Complex64, &[Complex::new(1.0_f32, 3.0)], &[Complex::new(2.0, 0.0)])[0].im,
            1.5
        );
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        for dtype in DType::ALL {
            for op in ALL {
                let is_fractional = dtype.is_float() || dtype.is_complex();
                let has_meaning = match op {
                    Mean => is_fractional,
                    And | Or | Xor => !is_fractional,
                    _ => true,
                };
                assert_eq!(op.check("all_reduce", dtype).is_ok(), has_meaning, "{op} {dtype}");
            }
        }
        let error = Mean.check("reduce", DType::Int32).unwrap_err().to_string();
        assert_eq!(
            error,
            "reduce: Reduce::Mean is of floats and complex numbers, not of int32; convert them: `a.astype(f64)`"
        );
    }
}

//! The loops of arithmetic: one for each function and type, found before a
//! program runs.

use bytemuck::Pod;
use gpurepl_kernels::special_functions::{
    beta::host as beta, harmonics::host as harmonics, host, more::host as more,
};
use gpurepl_kernels::{BinaryOp, DType, ReduceOp, TernaryOp, UnaryOp, complex_functions};
use half::f16;
use num_complex::{Complex32, Complex64};

use super::cast;
use super::elementary;
use super::number::{Bool, ComplexNumber, Number, Real, Whole};
use super::special;
use super::vector_math::{double, single};

/// `out[k] = f(a[k])`. The slices hold as many elements each.
pub type Unary = fn(&mut [u8], &[u8]);

/// `out[k] = f(a[k], b[k])`. The slices hold as many elements each.
pub type Binary = fn(&mut [u8], &[u8], &[u8]);

/// `out[k] = f(a[k], b[k], c[k])`. The slices hold as many elements each.
pub type Ternary = fn(&mut [u8], &[u8], &[u8], &[u8]);

/// All elements of the slice combined into the first one of `out`. There is
/// at least one.
pub type Fold = fn(&mut [u8], &[u8]);

/// Elements that are combined side by side.
pub const LANES: usize = 32;

/// Adds lane by lane, so that the loop becomes vectors, and then the lanes
/// pairwise: a block of 1024 elements rounds as a chain of some 36 would.
fn fold_lanes<T: Pod>(out: &mut [u8], a: &[u8], f: impl Fn(T, T) -> T) {
    let a = bytemuck::cast_slice::<u8, T>(a);
    with_vectors(
        #[inline(always)]
        || out[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&folded(a, f))),
    );
}

#[inline(always)]
fn folded<T: Pod>(a: &[T], f: impl Fn(T, T) -> T) -> T {
    match a.first_chunk::<LANES>() {
        None => a[1..].iter().fold(a[0], |value, next| f(value, *next)),
        Some(first) => {
            let mut lanes = *first;
            let rows = a[LANES..].chunks_exact(LANES);
            for (lane, next) in lanes.iter_mut().zip(rows.remainder()) {
                *lane = f(*lane, *next);
            }
            for row in rows {
                for (lane, next) in lanes.iter_mut().zip(row) {
                    *lane = f(*lane, *next);
                }
            }
            let mut width = LANES / 2;
            while width > 0 {
                for k in 0..width {
                    lanes[k] = f(lanes[k], lanes[k + width]);
                }
                width /= 2;
            }
            lanes[0]
        }
    }
}

/// The loop that combines many elements to one.
///
/// # Panics
///
/// As [`binary`], or if the function combines nothing.
pub fn fold(op: BinaryOp, dtype: DType) -> Fold {
    fn number<T: Number>(op: BinaryOp) -> Fold {
        match op {
            BinaryOp::Add => |out, a| fold_lanes::<T>(out, a, T::add),
            BinaryOp::Multiply => |out, a| fold_lanes::<T>(out, a, T::multiply),
            BinaryOp::Maximum => |out, a| fold_lanes::<T>(out, a, T::maximum),
            BinaryOp::Minimum => |out, a| fold_lanes::<T>(out, a, T::minimum),
            _ => undefined(op.name()),
        }
    }
    match (op, dtype) {
        (BinaryOp::Or, DType::Bool) => |out, a| fold_lanes::<Bool>(out, a, Bool::or),
        (BinaryOp::And, DType::Bool) => |out, a| fold_lanes::<Bool>(out, a, Bool::and),
        (_, DType::Bool) => number::<Bool>(op),
        (_, DType::Int8) => number::<i8>(op),
        (_, DType::Int16) => number::<i16>(op),
        (_, DType::Int32) => number::<i32>(op),
        (_, DType::Int64) => number::<i64>(op),
        (_, DType::UInt8) => number::<u8>(op),
        (_, DType::UInt16) => number::<u16>(op),
        (_, DType::UInt32) => number::<u32>(op),
        (_, DType::UInt64) => number::<u64>(op),
        (_, DType::Float16) => number::<f16>(op),
        (_, DType::Float32) => number::<f32>(op),
        (_, DType::Float64) => number::<f64>(op),
        (_, DType::Complex64) => number::<Complex32>(op),
        (_, DType::Complex128) => number::<Complex64>(op),
    }
}

/// Runs a loop with the widest vectors that this CPU has: the compiler alone
/// counts on those that every CPU of the architecture has. The loops are the
/// same, so the results are.
#[inline(always)]
pub(super) fn with_vectors(run: impl FnOnce()) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn wide(run: impl FnOnce()) {
            run();
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the CPU has these vectors.
            return unsafe { wide(run) };
        }
    }
    run();
}

pub(super) fn map<T: Pod, R: Pod>(out: &mut [u8], a: &[u8], f: impl Fn(T) -> R) {
    let (out, a) = (bytemuck::cast_slice_mut::<u8, R>(out), bytemuck::cast_slice::<u8, T>(a));
    with_vectors(
        #[inline(always)]
        || {
            for (out, a) in out.iter_mut().zip(a) {
                *out = f(*a);
            }
        },
    );
}

pub(super) fn zip<T: Pod, R: Pod>(out: &mut [u8], a: &[u8], b: &[u8], f: impl Fn(T, T) -> R) {
    let out = bytemuck::cast_slice_mut::<u8, R>(out);
    let (a, b) = (bytemuck::cast_slice::<u8, T>(a), bytemuck::cast_slice::<u8, T>(b));
    with_vectors(
        #[inline(always)]
        || {
            for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
                *out = f(*a, *b);
            }
        },
    );
}

/// The loop of a function of two elements.
///
/// # Panics
///
/// If the function is not defined for the type; the array layer asks for no
/// such one.
pub fn binary(op: BinaryOp, dtype: DType) -> Binary {
    match dtype {
        DType::Bool => whole::<Bool>(op),
        DType::Int8 => whole::<i8>(op),
        DType::Int16 => whole::<i16>(op),
        DType::Int32 => whole::<i32>(op),
        DType::Int64 => whole::<i64>(op),
        DType::UInt8 => whole::<u8>(op),
        DType::UInt16 => whole::<u16>(op),
        DType::UInt32 => whole::<u32>(op),
        DType::UInt64 => whole::<u64>(op),
        DType::Float16 => real::<f16>(op),
        DType::Float32 if op == BinaryOp::Power => elementary::POWER_OF_SINGLES,
        DType::Float32 => real::<f32>(op),
        DType::Float64 => real::<f64>(op),
        DType::Complex64 => complex::<Complex32>(op),
        DType::Complex128 => complex::<Complex64>(op),
    }
}

fn number<T: Number>(op: BinaryOp) -> Binary {
    match op {
        BinaryOp::Add => |out, a, b| zip::<T, T>(out, a, b, T::add),
        BinaryOp::Subtract => |out, a, b| zip::<T, T>(out, a, b, T::subtract),
        BinaryOp::Multiply => |out, a, b| zip::<T, T>(out, a, b, T::multiply),
        BinaryOp::Maximum => |out, a, b| zip::<T, T>(out, a, b, T::maximum),
        BinaryOp::Minimum => |out, a, b| zip::<T, T>(out, a, b, T::minimum),
        BinaryOp::Less => |out, a, b| zip::<T, Bool>(out, a, b, |a, b| Bool::new(a.less(b))),
        BinaryOp::LessEqual => |out, a, b| zip::<T, Bool>(out, a, b, |a, b| Bool::new(a.less_equal(b))),
        BinaryOp::Greater => |out, a, b| zip::<T, Bool>(out, a, b, |a, b| Bool::new(b.less(a))),
        BinaryOp::GreaterEqual => |out, a, b| zip::<T, Bool>(out, a, b, |a, b| Bool::new(b.less_equal(a))),
        BinaryOp::Equal => |out, a, b| zip::<T, Bool>(out, a, b, |a, b| Bool::new(a.equal(b))),
        BinaryOp::NotEqual => |out, a, b| zip::<T, Bool>(out, a, b, |a, b| Bool::new(!a.equal(b))),
        _ => undefined(op.name()),
    }
}

fn whole<T: Whole>(op: BinaryOp) -> Binary {
    match op {
        BinaryOp::FloorDivide => |out, a, b| zip::<T, T>(out, a, b, T::floor_divide),
        BinaryOp::Remainder => |out, a, b| zip::<T, T>(out, a, b, T::remainder),
        BinaryOp::Power => |out, a, b| zip::<T, T>(out, a, b, T::power),
        BinaryOp::And => |out, a, b| zip::<T, T>(out, a, b, T::and),
        BinaryOp::Or => |out, a, b| zip::<T, T>(out, a, b, T::or),
        BinaryOp::Xor => |out, a, b| zip::<T, T>(out, a, b, T::xor),
        BinaryOp::LeftShift => |out, a, b| zip::<T, T>(out, a, b, T::left_shift),
        BinaryOp::RightShift => |out, a, b| zip::<T, T>(out, a, b, T::right_shift),
        BinaryOp::Fmod => |out, a, b| zip::<T, T>(out, a, b, T::rest),
        BinaryOp::Fmax => |out, a, b| zip::<T, T>(out, a, b, T::maximum),
        BinaryOp::Fmin => |out, a, b| zip::<T, T>(out, a, b, T::minimum),
        BinaryOp::Gcd => |out, a, b| zip::<T, T>(out, a, b, T::gcd),
        BinaryOp::Lcm => |out, a, b| zip::<T, T>(out, a, b, T::lcm),
        _ => number::<T>(op),
    }
}

/// The match has an arm for each function there is.
fn real<T: Real>(op: BinaryOp) -> Binary {
    use BinaryOp::*;
    macro_rules! both {
        ($single:expr, $double:expr) => {
            |out, a, b| zip::<T, T>(out, a, b, |a, b| a.apply_to(b, $single, $double))
        };
    }
    match op {
        Divide => |out, a, b| zip::<T, T>(out, a, b, T::divide),
        FloorDivide => |out, a, b| zip::<T, T>(out, a, b, T::floor_divide),
        Remainder => |out, a, b| zip::<T, T>(out, a, b, T::remainder),
        Power => |out, a, b| zip::<T, T>(out, a, b, T::power),
        Nextafter => |out, a, b| zip::<T, T>(out, a, b, T::next_after),
        Hypot => both!(single::hypot, f64::hypot),
        Arctan2 => both!(f32::atan2, f64::atan2),
        Copysign => both!(f32::copysign, f64::copysign),
        Logaddexp => both!(single::logaddexp, double::logaddexp),
        Logaddexp2 => both!(single::logaddexp2, double::logaddexp2),
        Heaviside => both!(single::heaviside, double::heaviside),
        Ldexp => both!(|a, b| libm::ldexpf(a, b as i32), |a, b| libm::ldexp(a, b as i32)),
        Xlogy => both!(|a, b| host::xlogy(a.into(), b.into()) as f32, host::xlogy),
        Xlog1py => both!(|a, b| host::xlog1py(a.into(), b.into()) as f32, host::xlog1py),
        RelEntr => both!(|a, b| host::rel_entr(a.into(), b.into()) as f32, host::rel_entr),
        KlDiv => both!(|a, b| host::kl_div(a.into(), b.into()) as f32, host::kl_div),
        Zeta => both!(|a, b| host::zeta(a.into(), b.into()) as f32, host::zeta),
        Polygamma => both!(|a, b| host::polygamma(a.into(), b.into()) as f32, host::polygamma),
        Gammainc => both!(|a, b| host::gammainc(a.into(), b.into()) as f32, host::gammainc),
        Gammaincc => both!(|a, b| host::gammaincc(a.into(), b.into()) as f32, host::gammaincc),
        Beta => both!(|a, b| more::beta(a.into(), b.into()) as f32, more::beta),
        Betaln => both!(|a, b| more::betaln(a.into(), b.into()) as f32, more::betaln),
        Poch => both!(|a, b| more::poch(a.into(), b.into()) as f32, more::poch),
        Gammaincinv => both!(|a, b| more::gammaincinv(a.into(), b.into()) as f32, more::gammaincinv),
        Gammainccinv => both!(|a, b| more::gammainccinv(a.into(), b.into()) as f32, more::gammainccinv),
        Expn => both!(|a, b| more::expn(a.into(), b.into()) as f32, more::expn),
        Yn => both!(|a, b| more::yn(a.into(), b.into()) as f32, more::yn),
        Pdtr => both!(|a, b| more::pdtr(a.into(), b.into()) as f32, more::pdtr),
        Pdtrc => both!(|a, b| more::pdtrc(a.into(), b.into()) as f32, more::pdtrc),
        Pdtri => both!(|a, b| more::pdtri(a.into(), b.into()) as f32, more::pdtri),
        Chdtr => both!(|a, b| more::chdtr(a.into(), b.into()) as f32, more::chdtr),
        Chdtrc => both!(|a, b| more::chdtrc(a.into(), b.into()) as f32, more::chdtrc),
        Chdtri => both!(|a, b| more::chdtri(a.into(), b.into()) as f32, more::chdtri),
        Boxcox => both!(|a, b| more::boxcox(a.into(), b.into()) as f32, more::boxcox),
        Boxcox1p => both!(|a, b| more::boxcox1p(a.into(), b.into()) as f32, more::boxcox1p),
        InvBoxcox => both!(|a, b| more::inv_boxcox(a.into(), b.into()) as f32, more::inv_boxcox),
        InvBoxcox1p => both!(|a, b| more::inv_boxcox1p(a.into(), b.into()) as f32, more::inv_boxcox1p),
        Huber => both!(|a, b| more::huber(a.into(), b.into()) as f32, more::huber),
        PseudoHuber => both!(|a, b| more::pseudo_huber(a.into(), b.into()) as f32, more::pseudo_huber),
        SphericalYn => {
            both!(|a, b| harmonics::spherical_yn(a.into(), b.into()) as f32, harmonics::spherical_yn)
        }
        JacobiSn => both!(|a, b| harmonics::jacobi_sn(a.into(), b.into()) as f32, harmonics::jacobi_sn),
        JacobiCn => both!(|a, b| harmonics::jacobi_cn(a.into(), b.into()) as f32, harmonics::jacobi_cn),
        JacobiDn => both!(|a, b| harmonics::jacobi_dn(a.into(), b.into()) as f32, harmonics::jacobi_dn),
        JacobiAmplitude => {
            both!(|a, b| harmonics::jacobi_amplitude(a.into(), b.into()) as f32, harmonics::jacobi_amplitude)
        }
        Fmod => both!(|a, b| a % b, |a, b| a % b),
        Fmax => |out, a, b| zip::<T, T>(out, a, b, |a, b| if b.less_equal(a) || b.is_nan() { a } else { b }),
        Fmin => |out, a, b| zip::<T, T>(out, a, b, |a, b| if a.less_equal(b) || b.is_nan() { a } else { b }),
        Add | Subtract | Multiply | Maximum | Minimum | Less | LessEqual | Greater | GreaterEqual | Equal
        | NotEqual | And | Or | Xor | LeftShift | RightShift | Gcd | Lcm => number::<T>(op),
    }
}

fn complex<T: ComplexNumber>(op: BinaryOp) -> Binary {
    match op {
        BinaryOp::Divide => |out, a, b| zip::<T, T>(out, a, b, T::quotient),
        BinaryOp::Power => |out, a, b| zip::<T, T>(out, a, b, T::power),
        _ => number::<T>(op),
    }
}

/// The loop of a function of three elements.
///
/// # Panics
///
/// As [`binary`], if the type is not a float.
pub fn ternary(op: TernaryOp, dtype: DType) -> Ternary {
    fn apply<T: Real>(out: &mut [u8], [a, b, c]: [&[u8]; 3], f: impl Fn(f64, f64, f64) -> f64) {
        let out = bytemuck::cast_slice_mut::<u8, T>(out);
        let [a, b, c] = [a, b, c].map(bytemuck::cast_slice::<u8, T>);
        for ((out, a), (b, c)) in out.iter_mut().zip(a).zip(b.iter().zip(c)) {
            *out = T::narrowed(f(a.widened(), b.widened(), c.widened()));
        }
    }
    macro_rules! loops {
        ($($(#[$doc:meta])* $name:ident $op:ident $module:ident;)*) => {
            match (op, dtype) {
                $(
                    (TernaryOp::$op, DType::Float16) => |out, a, b, c| apply::<f16>(out, [a, b, c], $module::$name),
                    (TernaryOp::$op, DType::Float32) => |out, a, b, c| apply::<f32>(out, [a, b, c], $module::$name),
                    (TernaryOp::$op, DType::Float64) => |out, a, b, c| apply::<f64>(out, [a, b, c], $module::$name),
                )*
                _ => undefined(op.name()),
            }
        };
    }
    gpurepl_kernels::functions_of_three_arrays!(loops)
}

/// The loop of a function of one element.
///
/// # Panics
///
/// As [`binary`].
pub fn unary(op: UnaryOp, dtype: DType) -> Unary {
    match dtype {
        DType::Bool => whole_unary::<Bool>(op),
        DType::Int8 => whole_unary::<i8>(op),
        DType::Int16 => whole_unary::<i16>(op),
        DType::Int32 => whole_unary::<i32>(op),
        DType::Int64 => whole_unary::<i64>(op),
        DType::UInt8 => whole_unary::<u8>(op),
        DType::UInt16 => whole_unary::<u16>(op),
        DType::UInt32 => whole_unary::<u32>(op),
        DType::UInt64 => whole_unary::<u64>(op),
        DType::Float16 => real_unary::<f16>(op),
        DType::Float32 => match op {
            UnaryOp::Order => |out, a| map::<f32, i64>(out, a, |x| single::order(x, i32::MAX, u32::MAX)),
            UnaryOp::OrderNanFirst => |out, a| map::<f32, i64>(out, a, |x| single::order(x, i32::MIN, 0)),
            _ => elementary::of_singles(op).unwrap_or_else(|| real_unary::<f32>(op)),
        },
        DType::Float64 if op == UnaryOp::WithSquare => {
            |out, a| map::<f64, Complex64>(out, a, |x| Complex64::new(x, x * x))
        }
        DType::Float64 => elementary::of_doubles(op).unwrap_or_else(|| real_unary::<f64>(op)),
        DType::Complex64 => match op {
            UnaryOp::Absolute => |out, a| map::<Complex32, f32>(out, a, |z| single::hypot(z.re, z.im)),
            UnaryOp::Angle => |out, a| map::<Complex32, f32>(out, a, |z| z.im.atan2(z.re)),
            UnaryOp::Real => |out, a| map::<Complex32, f32>(out, a, |z| z.re),
            UnaryOp::Imag => |out, a| map::<Complex32, f32>(out, a, |z| z.im),
            UnaryOp::Conjugate => |out, a| map::<Complex32, Complex32>(out, a, |z| z.conj()),
            _ => complex_unary::<Complex32>(op),
        },
        DType::Complex128 => match op {
            UnaryOp::Absolute => |out, a| map::<Complex64, f64>(out, a, |z| z.re.hypot(z.im)),
            UnaryOp::Angle => |out, a| map::<Complex64, f64>(out, a, |z| z.im.atan2(z.re)),
            UnaryOp::Real => |out, a| map::<Complex64, f64>(out, a, |z| z.re),
            UnaryOp::Imag => |out, a| map::<Complex64, f64>(out, a, |z| z.im),
            UnaryOp::Conjugate => |out, a| map::<Complex64, Complex64>(out, a, |z| z.conj()),
            _ => complex_unary::<Complex64>(op),
        },
    }
}

fn number_unary<T: Number>(op: UnaryOp) -> Unary {
    match op {
        UnaryOp::Negative => |out, a| map::<T, T>(out, a, T::negative),
        UnaryOp::Real | UnaryOp::Conjugate => |out, a| out.copy_from_slice(a),
        UnaryOp::Imag => |out, _| out.fill(0),
        _ => undefined(&format!("{op:?}")),
    }
}

fn whole_unary<T: Whole>(op: UnaryOp) -> Unary {
    match op {
        UnaryOp::Absolute => |out, a| map::<T, T>(out, a, T::absolute),
        UnaryOp::Invert => |out, a| map::<T, T>(out, a, T::invert),
        UnaryOp::Sign => |out, a| map::<T, T>(out, a, T::sign),
        UnaryOp::Reciprocal => |out, a| map::<T, T>(out, a, T::reciprocal),
        UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc | UnaryOp::NanToNum => {
            |out, a| out.copy_from_slice(a)
        }
        _ => number_unary::<T>(op),
    }
}

/// The loops of functions of floats: of `f32`, which half precision uses too, and
/// of `f64`. The match has an arm for each function there is.
macro_rules! functions {
    (
        $t:ident, $op:ident,
        floats { $($name:ident => $single:expr, $double:expr;)* }
        tests { $($test:ident => $single_test:expr, $double_test:expr;)* }
    ) => {
        match $op {
            $(UnaryOp::$name => |out, a| map::<$t, $t>(out, a, |x| x.apply($single, $double)),)*
            $(UnaryOp::$test => |out, a| map::<$t, Bool>(out, a, |x| Bool::new(x.test($single_test, $double_test))),)*
            UnaryOp::Absolute => |out, a| map::<$t, $t>(out, a, $t::absolute),
            UnaryOp::NanToNum => |out, a| map::<$t, $t>(out, a, $t::nan_to_num),
            UnaryOp::Exponent => |out, a| map::<$t, i32>(out, a, $t::exponent),
            UnaryOp::Order | UnaryOp::OrderNanFirst | UnaryOp::WithSquare => undefined(&format!("{:?}", $op)),
            UnaryOp::Negative | UnaryOp::Real | UnaryOp::Imag | UnaryOp::Conjugate | UnaryOp::Invert => {
                number_unary::<$t>($op)
            }
        }
    };
}

fn real_unary<T: Real>(op: UnaryOp) -> Unary {
    functions! {
        T, op,
        floats {
            Sqrt => f32::sqrt, f64::sqrt;
            Cbrt => single::cbrt, f64::cbrt;
            Exp => f32::exp, f64::exp;
            Exp2 => single::exp2, f64::exp2;
            Expm1 => single::expm1, f64::exp_m1;
            Log => f32::ln, f64::ln;
            Log2 => single::log2, f64::log2;
            Log10 => f32::log10, f64::log10;
            Log1p => single::log1p, f64::ln_1p;
            Sin => f32::sin, f64::sin;
            Cos => f32::cos, f64::cos;
            Tan => f32::tan, f64::tan;
            Arcsin => f32::asin, f64::asin;
            Arccos => f32::acos, f64::acos;
            Arctan => f32::atan, f64::atan;
            Sinh => f32::sinh, f64::sinh;
            Cosh => f32::cosh, f64::cosh;
            Tanh => f32::tanh, f64::tanh;
            Arcsinh => single::asinh, libm::asinh;
            Arccosh => single::acosh, double::acosh;
            Arctanh => single::atanh, libm::atanh;
            Rint => f32::round_ties_even, f64::round_ties_even;
            Deg2rad => |x| x * (std::f32::consts::PI / 180.0), |x| x * (std::f64::consts::PI / 180.0);
            Rad2deg => |x| x * (180.0 / std::f32::consts::PI), |x| x * (180.0 / std::f64::consts::PI);
            Floor => f32::floor, f64::floor;
            Ceil => f32::ceil, f64::ceil;
            Trunc => f32::trunc, f64::trunc;
            Reciprocal => |x| 1.0 / x, |x| 1.0 / x;
            Sign => single::sign, double::sign;
            Sinc => single::sinc, double::sinc;
            I0 => |x| special::i0(f64::from(x)) as f32, special::i0;
            Erf => |x| libm::erf(f64::from(x)) as f32, libm::erf;
            Erfc => |x| libm::erfc(f64::from(x)) as f32, libm::erfc;
            Gamma => |x| libm::tgamma(f64::from(x)) as f32, libm::tgamma;
            Gammaln => |x| libm::lgamma(f64::from(x)) as f32, libm::lgamma;
            Loggamma => |x| special::loggamma(f64::from(x)) as f32, special::loggamma;
            Expit => |x| host::expit(f64::from(x)) as f32, host::expit;
            Logit => |x| host::logit(f64::from(x)) as f32, host::logit;
            LogExpit => |x| host::log_expit(f64::from(x)) as f32, host::log_expit;
            Ndtr => |x| host::ndtr(f64::from(x)) as f32, host::ndtr;
            LogNdtr => |x| host::log_ndtr(f64::from(x)) as f32, host::log_ndtr;
            Ndtri => |x| host::ndtri(f64::from(x)) as f32, host::ndtri;
            Erfinv => |x| host::erfinv(f64::from(x)) as f32, host::erfinv;
            Erfcinv => |x| host::erfcinv(f64::from(x)) as f32, host::erfcinv;
            Entr => |x| host::entr(f64::from(x)) as f32, host::entr;
            Digamma => |x| host::digamma(f64::from(x)) as f32, host::digamma;
            I0e => |x| host::i0e(f64::from(x)) as f32, host::i0e;
            I1 => |x| host::i1(f64::from(x)) as f32, host::i1;
            I1e => |x| host::i1e(f64::from(x)) as f32, host::i1e;
            J0 => |x| libm::j0(f64::from(x)) as f32, libm::j0;
            J1 => |x| libm::j1(f64::from(x)) as f32, libm::j1;
            Y0 => |x| libm::y0(f64::from(x)) as f32, libm::y0;
            Y1 => |x| libm::y1(f64::from(x)) as f32, libm::y1;
            Erfcx => |x| more::erfcx(f64::from(x)) as f32, more::erfcx;
            Rgamma => |x| more::rgamma(f64::from(x)) as f32, more::rgamma;
            Exp1 => |x| more::exp1(f64::from(x)) as f32, more::exp1;
            Expi => |x| more::expi(f64::from(x)) as f32, more::expi;
            Exprel => |x| more::exprel(f64::from(x)) as f32, more::exprel;
            Exp10 => |x| more::exp10(f64::from(x)) as f32, more::exp10;
            Cosm1 => |x| more::cosm1(f64::from(x)) as f32, more::cosm1;
            Sindg => |x| more::sindg(f64::from(x)) as f32, more::sindg;
            Cosdg => |x| more::cosdg(f64::from(x)) as f32, more::cosdg;
            Tandg => |x| more::tandg(f64::from(x)) as f32, more::tandg;
            Cotdg => |x| more::cotdg(f64::from(x)) as f32, more::cotdg;
            Ellipk => |x| more::ellipk(f64::from(x)) as f32, more::ellipk;
            Ellipkm1 => |x| more::ellipkm1(f64::from(x)) as f32, more::ellipkm1;
            Ellipe => |x| more::ellipe(f64::from(x)) as f32, more::ellipe;
            K0 => |x| more::k0(f64::from(x)) as f32, more::k0;
            K0e => |x| more::k0e(f64::from(x)) as f32, more::k0e;
            K1 => |x| more::k1(f64::from(x)) as f32, more::k1;
            K1e => |x| more::k1e(f64::from(x)) as f32, more::k1e;
            Fraction => single::fraction, double::fraction;
            Angle => |x| 0_f32.atan2(x), |x| 0_f64.atan2(x);
            Mantissa => |x| libm::frexpf(x).0, |x| libm::frexp(x).0;
        }
        tests {
            Isnan => f32::is_nan, f64::is_nan;
            Isinf => f32::is_infinite, f64::is_infinite;
            Isfinite => f32::is_finite, f64::is_finite;
            Signbit => f32::is_sign_negative, f64::is_sign_negative;
            Isposinf => |x| x == f32::INFINITY, |x| x == f64::INFINITY;
            Isneginf => |x| x == f32::NEG_INFINITY, |x| x == f64::NEG_INFINITY;
        }
    }
}

/// The functions of complex numbers that real ones have too.
fn complex_unary<T: ComplexNumber>(op: UnaryOp) -> Unary {
    match op {
        UnaryOp::Isnan => |out, a| map::<T, Bool>(out, a, |z| Bool::new(z.is_nan())),
        UnaryOp::Isinf => |out, a| map::<T, Bool>(out, a, |z| Bool::new(z.is_infinite())),
        UnaryOp::Isfinite => |out, a| map::<T, Bool>(out, a, |z| Bool::new(!z.is_nan() && !z.is_infinite())),
        UnaryOp::Sign => |out, a| map::<T, T>(out, a, T::sign),
        UnaryOp::Rint => |out, a| map::<T, T>(out, a, T::rint),
        _ => analytic::<T>(op).unwrap_or_else(|| number_unary::<T>(op)),
    }
}

/// The functions that are written once for both devices.
fn analytic<T: ComplexNumber>(op: UnaryOp) -> Option<Unary> {
    macro_rules! loops {
        ($($name:ident)*) => {
            match op {
                $(UnaryOp::$name => |out, a| {
                    let f = complex_functions::function(UnaryOp::$name).expect("a function of complex numbers");
                    map::<T, T>(out, a, |z| T::narrow(f(z.wide())));
                },)*
                _ => return None,
            }
        };
    }
    let found: Unary = loops! {
        Sqrt Exp Exp2 Expm1 Log Log2 Log10 Log1p Sin Cos Tan Arcsin Arccos Arctan
        Sinh Cosh Tanh Arcsinh Arccosh Arctanh Reciprocal Loggamma
    };
    Some(found)
}

#[cold]
fn undefined(name: &str) -> ! {
    panic!("internal error: {name} is not defined for this type")
}

/// `out[k] = if condition[k] { a[k] } else { b[k] }`.
pub fn select(out: &mut [u8], condition: &[u8], a: &[u8], b: &[u8], size: usize) {
    fn sized<T: Pod>(out: &mut [u8], condition: &[u8], a: &[u8], b: &[u8]) {
        let out = bytemuck::cast_slice_mut::<u8, T>(out);
        let (a, b) = (bytemuck::cast_slice::<u8, T>(a), bytemuck::cast_slice::<u8, T>(b));
        with_vectors(
            #[inline(always)]
            || {
                for ((out, condition), (a, b)) in out.iter_mut().zip(condition).zip(a.iter().zip(b)) {
                    *out = if *condition != 0 { *a } else { *b };
                }
            },
        );
    }
    match size {
        1 => sized::<u8>(out, condition, a, b),
        2 => sized::<u16>(out, condition, a, b),
        4 => sized::<u32>(out, condition, a, b),
        // Pairs are aligned as their halves are.
        8 => sized::<[u32; 2]>(out, condition, a, b),
        _ => sized::<[u64; 2]>(out, condition, a, b),
    }
}

/// The value of a reduction over nothing. A maximum or minimum has none; the
/// array layer does not ask for it.
pub fn identity(op: ReduceOp, dtype: DType) -> [u8; 16] {
    let mut value = [0; 16];
    if matches!(op, ReduceOp::Product | ReduceOp::All) {
        cast::cast(DType::Bool, dtype)(&mut value[..dtype.size()], &[1]);
    }
    value
}

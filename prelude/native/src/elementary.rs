//! The loops of elementary functions that have vectors. What vectors do not
//! cover, the largest angles for one, is computed again one by one.

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use gpurepl_kernels::UnaryOp;

use super::arithmetic::{Binary, Unary, map, with_vectors, zip};
use super::vector_math::{arc, double, single};

/// The functions of `f32`; none for those that have no loop here.
pub(crate) fn of_singles(op: UnaryOp) -> Option<Unary> {
    Some(match op {
        UnaryOp::Exp => |out, a| map::<f32, f32>(out, a, single::exp),
        UnaryOp::Log => |out, a| map::<f32, f32>(out, a, single::log),
        UnaryOp::Log10 => |out, a| map::<f32, f32>(out, a, single::log10),
        UnaryOp::Sin => |out, a| turned(out, a, single::sin, f32::sin, |x| x.abs() <= single::MOST_TURNED),
        UnaryOp::Cos => |out, a| turned(out, a, single::cos, f32::cos, |x| x.abs() <= single::MOST_TURNED),
        UnaryOp::Tan => |out, a| turned(out, a, single::tan, f32::tan, |x| x.abs() <= single::MOST_TURNED),
        UnaryOp::Arcsin => |out, a| map::<f32, f32>(out, a, single::asin),
        UnaryOp::Arccos => |out, a| map::<f32, f32>(out, a, single::acos),
        UnaryOp::Arctan => |out, a| map::<f32, f32>(out, a, single::atan),
        UnaryOp::Sinh => |out, a| map::<f32, f32>(out, a, single::sinh),
        UnaryOp::Cosh => |out, a| map::<f32, f32>(out, a, single::cosh),
        UnaryOp::Tanh => |out, a| map::<f32, f32>(out, a, single::tanh),
        _ => return None,
    })
}

/// The functions of `f64`; none for those that have no loop here.
pub(crate) fn of_doubles(op: UnaryOp) -> Option<Unary> {
    Some(match op {
        UnaryOp::Exp => |out, a| map::<f64, f64>(out, a, double::exp),
        UnaryOp::Log => |out, a| map::<f64, f64>(out, a, double::log),
        UnaryOp::Log10 => |out, a| map::<f64, f64>(out, a, double::log10),
        UnaryOp::Log1p => |out, a| map::<f64, f64>(out, a, double::log1p),
        UnaryOp::Expm1 => |out, a| map::<f64, f64>(out, a, double::expm1),
        UnaryOp::Arcsinh => |out, a| map::<f64, f64>(out, a, double::asinh),
        UnaryOp::Arctanh => |out, a| map::<f64, f64>(out, a, double::atanh),
        UnaryOp::Sin => |out, a| turned(out, a, double::sin, f64::sin, |x| x.abs() <= double::MOST_TURNED),
        UnaryOp::Cos => |out, a| turned(out, a, double::cos, f64::cos, |x| x.abs() <= double::MOST_TURNED),
        UnaryOp::Tan => |out, a| turned(out, a, double::tan, f64::tan, |x| x.abs() <= double::MOST_TURNED),
        UnaryOp::Arcsin => |out, a| map::<f64, f64>(out, a, arc::asin),
        UnaryOp::Arccos => |out, a| map::<f64, f64>(out, a, arc::acos),
        UnaryOp::Arctan => |out, a| map::<f64, f64>(out, a, arc::atan),
        UnaryOp::Sinh => |out, a| map::<f64, f64>(out, a, double::sinh),
        UnaryOp::Cosh => |out, a| map::<f64, f64>(out, a, double::cosh),
        UnaryOp::Tanh => |out, a| map::<f64, f64>(out, a, double::tanh),
        _ => return None,
    })
}

/// Powers of `f32`. Those of `f64` stay the C library's: without fused
/// multiplication a logarithm that is exact enough takes vectors as long.
pub(crate) const POWER_OF_SINGLES: Binary = |out, a, b| {
    zip::<f32, f32>(out, a, b, single::pow);
    let (out, a, b) = (cast_slice_mut::<u8, f32>(out), cast_slice::<u8, f32>(a), cast_slice::<u8, f32>(b));
    let mut are_usual = true;
    with_vectors(
        #[inline(always)]
        || are_usual = a.iter().zip(b).fold(true, |all, (x, y)| all & single::has_pow(*x, *y)),
    );
    if !are_usual {
        for ((out, x), y) in out.iter_mut().zip(a).zip(b).filter(|((_, x), y)| !single::has_pow(**x, **y)) {
            *out = x.powf(*y);
        }
    }
};

/// A function of angles, `f`, and another one for those that `f` does not take.
fn turned<T: Pod>(
    out: &mut [u8],
    a: &[u8],
    f: impl Fn(T) -> T,
    of_large: fn(T) -> T,
    is_taken: impl Fn(&T) -> bool,
) {
    map::<T, T>(out, a, f);
    let (out, a) = (cast_slice_mut::<u8, T>(out), cast_slice::<u8, T>(a));
    let mut are_taken = true;
    with_vectors(
        #[inline(always)]
        || are_taken = a.iter().fold(true, |all, x| all & is_taken(x)),
    );
    if !are_taken {
        for (out, x) in out.iter_mut().zip(a).filter(|(_, x)| !is_taken(x)) {
            *out = of_large(*x);
        }
    }
}

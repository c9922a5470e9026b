//! Values as a kernel's parameters: which types a parameter takes.

use gpurepl_kernels::DType;
use gpurepl_kernels::declaration::{CType, Parameter, vector_type};

use super::argument::Argument;
use crate::device::Structure;
use crate::scalar::{Scalar, ScalarBytes};

/// A number as the kernel's parameter. Nothing is lost on the way, except
/// that floats are rounded to the parameter's precision: `0.1` is meant as a
/// `float` where the kernel takes one.
pub(super) fn convert(scalar: Scalar, given: DType, dtype: DType) -> Result<ScalarBytes, String> {
    if given == dtype {
        return scalar.to_bytes(dtype).ok_or_else(|| format!("{dtype}"));
    }
    let lossless = match scalar {
        Scalar::Int(value) if dtype.is_float() || dtype.is_complex() => {
            // 2^24 is the first integer after which a float has gaps.
            let exact = match dtype.real() {
                DType::Float16 => 1 << 11,
                DType::Float32 => 1 << 24,
                _ => 1_i64 << 53,
            };
            value.unsigned_abs() <= exact as u64
        }
        Scalar::UInt(_) if dtype.is_float() || dtype.is_complex() => false,
        Scalar::Float(value) if dtype.is_float() || dtype.is_complex() => {
            let limit = match dtype.real() {
                DType::Float16 => 65504.0,
                DType::Float32 => f64::from(f32::MAX),
                _ => f64::MAX,
            };
            !value.is_finite() || value.abs() <= limit
        }
        _ => true,
    };
    let value = scalar.to_bytes(dtype).filter(|_| lossless);
    value.ok_or_else(|| {
        if is_too_large(scalar, dtype) {
            return format!(
                "of type {dtype}, which cannot hold {scalar}; a kernel that takes it declares `long long`"
            );
        }
        format!(
            "of type {dtype}, which cannot hold {scalar}; write it as {} {}",
            if dtype.rust().starts_with('i') { "an" } else { "a" },
            dtype.rust()
        )
    })
}

/// Whether an integer is beyond those of a narrow type, into which `as` would wrap it.
fn is_too_large(scalar: Scalar, dtype: DType) -> bool {
    let bits = match dtype {
        DType::Int8 => 7,
        DType::UInt8 => 8,
        DType::Int16 => 15,
        DType::UInt16 => 16,
        DType::Int32 => 31,
        DType::UInt32 => 32,
        _ => return false,
    };
    match scalar {
        Scalar::Int(value) => value >= 1 << bits || value < -(1 << bits),
        Scalar::UInt(_) => true,
        _ => false,
    }
}

/// What a parameter is where it is not given, if that is a number: `int n = 3`.
pub(super) fn default_of<'a>(parameter: &Parameter) -> Option<Argument<'a>> {
    let CType::Scalar(dtype) = parameter.ctype else { return None };
    let text = parameter.default.as_ref()?.replace(['\'', ' '], "").to_ascii_lowercase();
    let is_whole = text.starts_with("0x") || !text.contains(['.', 'e']);
    let scalar = match text.as_str() {
        "true" => Scalar::Int(1),
        "false" => Scalar::Int(0),
        _ if is_whole => {
            let digits = text.trim_end_matches(['u', 'l']);
            let (sign, digits) = digits.strip_prefix('-').map_or((1, digits), |digits| (-1, digits));
            let radix = [("0x", 16), ("0b", 2), ("0", 8)]
                .into_iter()
                .find(|(start, _)| digits.len() > start.len() && digits.starts_with(start));
            let (start, radix) = radix.unwrap_or(("", 10));
            Scalar::Int(sign * i64::from_str_radix(&digits[start.len()..], radix).ok()?)
        }
        _ => Scalar::Float(text.trim_end_matches('f').parse().ok()?),
    };
    let given = if matches!(scalar, Scalar::Int(_)) { DType::Int64 } else { DType::Float64 };
    // It is the compiler's own where it does not fit.
    convert(scalar, given, dtype).ok().map(|_| Argument::Scalar(scalar, given))
}

/// Whether a pointer to elements of a type takes an array of another: text is
/// bytes of either sign.
pub(super) fn may_hold(is_char: bool, element: DType, given: DType) -> bool {
    element == given || is_char && matches!(given, DType::Int8 | DType::UInt8)
}

/// A structure is the kernel's if it has its size; a vector, `float3`, must
/// have its elements as well.
pub(super) fn check_structure(
    spelling: &str,
    size: Option<usize>,
    given: &Structure,
    type_name: &str,
) -> Result<(), String> {
    if let Some((element, count)) = vector_type(spelling) {
        let (rust, bytes) = (element.rust(), element.size() * count);
        if given.size != bytes || (type_name.starts_with('[') && type_name != format!("[{rust}; {count}]")) {
            return Err(format!("`{spelling}`, which takes `[{rust}; {count}]`, not `{type_name}`"));
        }
    } else if let Some(size) = size
        && given.size != size
    {
        return Err(format!(
            "`{spelling}` of {size} bytes, but `{type_name}` has {}; is it `#[repr(C)]` with the same fields?",
            given.size
        ));
    } else if size.is_none() {
        return Err(format!(
            "`{spelling}` by value, whose size this driver does not tell; pass a pointer to it"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_convert_without_loss_or_not_at_all() {
        let to = |scalar, dtype| convert(scalar, DType::Int32, dtype).map(|value| value.bytes().to_vec());
        assert_eq!(to(Scalar::Int(5), DType::Float32).unwrap(), 5f32.to_ne_bytes());
        assert_eq!(to(Scalar::Int(5), DType::UInt32).unwrap(), 5u32.to_ne_bytes());
        assert_eq!(
            convert(Scalar::Float(0.1), DType::Float64, DType::Float32).unwrap().bytes(),
            0.1f32.to_ne_bytes()
        );
        assert!(
            to(Scalar::Int(-1), DType::UInt32).unwrap_err().contains("cannot hold -1; write it as a u32")
        );
        assert!(to(Scalar::Int(16_777_217), DType::Float32).is_err());
        assert!(convert(Scalar::Float(2.0), DType::Float64, DType::Int32).is_err());
        assert!(convert(Scalar::Float(1e300), DType::Float64, DType::Float32).is_err());
    }
}

//! Arguments and results of functions of C, by their prototypes.

use gpurepl_extend::{DType, Result, error};
use half::f16;

use crate::argument::{Item, Value, aligned};
use crate::prototype::CType;
use crate::result::{ResultType, Returned};
use crate::types::{ArgumentType, Kind};

/// A number of any real type.
#[derive(Clone, Copy, Debug)]
enum Number {
    Integer(i128),
    Float(f64),
}

/// Brings an argument to the type of its parameter.
///
/// # Errors
///
/// If it is not of that type, or a number that the type cannot hold.
pub(crate) fn argument(function: &str, number: usize, item: &mut Item<'_>, of: &CType) -> Result<()> {
    let fits = match (of, item.of.kind) {
        (CType::Number { of: wanted, .. }, Kind::Number(given)) => {
            if let (Value::Bytes(words), true) = (&mut item.value, *wanted != given) {
                let bytes = words[0].to_ne_bytes();
                let converted = read(given, &bytes).and_then(|value| write(*wanted, value));
                match converted {
                    Some(bytes) => *words = aligned(&bytes),
                    None if is_lossy(*wanted, given) => return Err(misfit(function, number, &item.of, of)),
                    None => {
                        let message = format!(
                            "argument {number} is a number of {} that the function's `{}` cannot hold",
                            item.of.rust,
                            of.words()
                        );
                        return Err(error::argument(function, message));
                    }
                }
            }
            true
        }
        (CType::Pointer { to: Some(wanted), is_const, .. }, Kind::Pointer { to, is_mutable, .. }) => {
            *wanted == to && (*is_const || is_mutable)
        }
        (
            CType::Pointer { to: None, is_const, .. },
            Kind::Pointer { is_mutable, .. } | Kind::Opaque { is_mutable },
        ) => *is_const || is_mutable,
        (CType::Pointer { is_const, .. }, Kind::Opaque { is_mutable }) => *is_const || is_mutable,
        (CType::Pointer { to: None, is_const: true, .. } | CType::Text { is_const: true }, Kind::Text) => {
            true
        }
        (CType::Text { is_const }, Kind::Pointer { to: DType::Int8 | DType::UInt8, is_mutable, .. })
        | (CType::Text { is_const }, Kind::Opaque { is_mutable }) => *is_const || is_mutable,
        _ => false,
    };
    if fits { Ok(()) } else { Err(misfit(function, number, &item.of, of)) }
}

/// Whether a type may lose something of another one whatever the number is.
fn is_lossy(wanted: DType, given: DType) -> bool {
    let is_number = |of: DType| of.is_integer() || of.is_float();
    (given.is_float() && wanted.is_integer()) || !is_number(given) || !is_number(wanted)
}

fn misfit(function: &str, number: usize, given: &ArgumentType, of: &CType) -> gpurepl_extend::Error {
    let help = match (of, given.kind) {
        (CType::Number { .. }, Kind::Pointer { .. }) => {
            "pass a number; one element of an array is `x[0]`, or `x.to_vec()[0]`"
        }
        (CType::Number { .. }, _) => "convert the number by `as`: `n as i32`",
        (CType::Pointer { is_const: false, .. }, Kind::Pointer { is_mutable: false, .. }) => {
            "the function may write there: pass `&mut x`"
        }
        (CType::Pointer { .. }, Kind::Pointer { .. }) => "convert the array: `x.astype(f64)`",
        (CType::Pointer { .. }, _) => "pass an array or a slice: `&x`",
        _ => "pass a text: \"abc\"",
    };
    let message = format!(
        "argument {number} is `{}`, given {}\n  = help: {help}",
        of.words().trim_end(),
        given.given()
    );
    error::argument(function, message)
}

/// A number from its bytes; none of `bool` and of complex numbers.
fn read(of: DType, bytes: &[u8; 16]) -> Option<Number> {
    macro_rules! integer {
        ($t:ty) => {
            Number::Integer(<$t>::from_ne_bytes(bytes[..size_of::<$t>()].try_into().ok()?) as i128)
        };
    }
    Some(match of {
        DType::Int8 => integer!(i8),
        DType::Int16 => integer!(i16),
        DType::Int32 => integer!(i32),
        DType::Int64 => integer!(i64),
        DType::UInt8 => integer!(u8),
        DType::UInt16 => integer!(u16),
        DType::UInt32 => integer!(u32),
        DType::UInt64 => integer!(u64),
        DType::Float16 => Number::Float(f16::from_ne_bytes([bytes[0], bytes[1]]).to_f64()),
        DType::Float32 => Number::Float(f32::from_ne_bytes(bytes[..4].try_into().ok()?).into()),
        DType::Float64 => Number::Float(f64::from_ne_bytes(bytes[..8].try_into().ok()?)),
        DType::Bool | DType::Complex64 | DType::Complex128 => return None,
    })
}

/// The bytes of a number in another type; none if that cannot hold it. Floats are rounded to floats.
fn write(to: DType, value: Number) -> Option<Vec<u8>> {
    macro_rules! integer {
        ($t:ty, $value:expr) => {
            <$t>::try_from($value).ok()?.to_ne_bytes().to_vec()
        };
    }
    Some(match (to, value) {
        (DType::Int8, Number::Integer(value)) => integer!(i8, value),
        (DType::Int16, Number::Integer(value)) => integer!(i16, value),
        (DType::Int32, Number::Integer(value)) => integer!(i32, value),
        (DType::Int64, Number::Integer(value)) => integer!(i64, value),
        (DType::UInt8, Number::Integer(value)) => integer!(u8, value),
        (DType::UInt16, Number::Integer(value)) => integer!(u16, value),
        (DType::UInt32, Number::Integer(value)) => integer!(u32, value),
        (DType::UInt64, Number::Integer(value)) => integer!(u64, value),
        (DType::Float32, Number::Integer(value)) => {
            let converted = value as f32;
            (converted as i128 == value).then(|| converted.to_ne_bytes().to_vec())?
        }
        (DType::Float64, Number::Integer(value)) => {
            let converted = value as f64;
            (converted as i128 == value).then(|| converted.to_ne_bytes().to_vec())?
        }
        (DType::Float32, Number::Float(value)) => (value as f32).to_ne_bytes().to_vec(),
        (DType::Float64, Number::Float(value)) => value.to_ne_bytes().to_vec(),
        _ => return None,
    })
}

/// The element type of a result that is asked for.
fn asked_type(asked: ResultType) -> Option<DType> {
    match asked.rust {
        "usize" => Some(DType::UInt64),
        "isize" => Some(DType::Int64),
        rust => DType::ALL.into_iter().find(|of| of.rust() == rust),
    }
}

/// Whether every number of one type is one of the other.
fn holds(to: DType, from: DType) -> bool {
    let is_signed = |of: DType| matches!(of, DType::Int8 | DType::Int16 | DType::Int32 | DType::Int64);
    let digits = |of: DType| match of {
        DType::Float16 => 11,
        DType::Float32 => 24,
        DType::Float64 => 53,
        _ => 8 * of.size() - usize::from(is_signed(of)),
    };
    let is_number = |of: DType| of.is_integer() || of.is_float();
    to == from
        || (is_number(to)
            && is_number(from)
            && digits(to) >= digits(from)
            && (to.is_float() || (from.is_integer() && (is_signed(to) || !is_signed(from)))))
}

/// Refuses a result that cannot be asked for so.
pub(crate) fn check_result(function: &str, of: &CType, asked: ResultType) -> Result<()> {
    let fits = asked.rust == "()"
        || match of {
            CType::Void => false,
            CType::Number { of, .. } => asked_type(asked).is_some_and(|to| holds(to, *of)),
            CType::Text { is_const } => {
                ["String", "usize", "*const c_void"].contains(&asked.rust)
                    || (!is_const && asked.rust == "*mut c_void")
            }
            CType::Pointer { is_const, .. } => {
                ["usize", "*const c_void"].contains(&asked.rust) || (!is_const && asked.rust == "*mut c_void")
            }
        };
    if fits {
        return Ok(());
    }
    let next = match of {
        CType::Void => "()",
        CType::Number { of, .. } => of.rust(),
        CType::Text { .. } => "String",
        CType::Pointer { is_const: true, .. } => "*const std::ffi::c_void",
        CType::Pointer { .. } => "*mut std::ffi::c_void",
    };
    let message = format!(
        "the function returns `{}`, which cannot be asked for as {}\n  = help: ask for {next}: `call::<{next}>(..)`",
        of.words().trim_end(),
        asked.rust
    );
    Err(error::argument(function, message))
}

/// Brings a result to the type that was asked for.
pub(crate) fn result(function: &str, of: &CType, asked: ResultType, returned: Returned) -> Result<Returned> {
    match of {
        CType::Number { of, .. } => {
            let Some(to) = asked_type(asked).filter(|to| to != of) else { return Ok(returned) };
            let converted = read(*of, &returned.words[0].to_ne_bytes()).and_then(|value| write(to, value));
            let words = converted.map(|bytes| aligned(&bytes)[0]).unwrap_or(returned.words[0]);
            Ok(Returned { words: [words, 0] })
        }
        CType::Text { .. } if asked.rust == "String" => {
            let address = returned.words[0] as usize as *const libc::c_char;
            if address.is_null() {
                let message = "the function returned a null pointer, where a text was asked for\n  = help: ask for \
                               `*const std::ffi::c_void` and look whether it is null";
                return Err(error::call(function, message.to_owned()));
            }
            // SAFETY: the prototype, whose truth whoever gave it has promised, says that this is a text of C. The
            // copy is `CppResult`'s to free.
            let (copy, length) = unsafe { (libc::strdup(address), libc::strlen(address)) };
            Ok(Returned { words: [copy as usize as u128, length as u128] })
        }
        _ => Ok(returned),
    }
}

//! The digits of one float.

use gpurepl_kernels::DType;
use half::f16;

/// How many digits of a float are written.
#[derive(Clone, Copy)]
pub struct Digits {
    /// After the point, at most.
    pub most: Option<usize>,
    /// Whether it is as many as that, and not only those that tell the number
    /// from its neighbours in its type.
    pub is_exact: bool,
}

/// Significant digits, without trailing zeros, and the exponent of a finite number
/// that is not negative.
pub fn scientific(dtype: DType, value: f64, digits: Digits) -> (String, i32) {
    if let (true, Some(most)) = (digits.is_exact, digits.most) {
        return taken_apart(&format!("{value:.most$e}"));
    }
    let (mut all, mut exponent) = taken_apart(&shortest(dtype, value));
    if let Some(most) = digits.most
        && all.len() > most + 1
    {
        (all, exponent) = taken_apart(&format!("{value:.most$e}"));
    }
    let needed = all.trim_end_matches('0').len().max(1);
    all.truncate(needed);
    (all, exponent)
}

/// The digits before and after the point of a finite number that is not negative.
pub fn positional(dtype: DType, value: f64, digits: Digits) -> (String, String) {
    if let (true, Some(most)) = (digits.is_exact, digits.most) {
        return split(&format!("{value:.most$}"));
    }
    let (all, exponent) = taken_apart(&shortest(dtype, value));
    let after = all.len() as i64 - 1 - i64::from(exponent);
    let (whole, mut fraction) = match digits.most {
        Some(most) if after > most as i64 => split(&format!("{value:.most$}")),
        _ if exponent < 0 => ("0".to_owned(), "0".repeat((-exponent - 1) as usize) + &all),
        _ => {
            let whole = exponent as usize + 1;
            let padded = format!("{all:0<whole$}");
            (padded[..whole].to_owned(), padded[whole..].to_owned())
        }
    };
    fraction.truncate(fraction.trim_end_matches('0').len());
    (whole, fraction)
}

fn split(text: &str) -> (String, String) {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    (whole.to_owned(), fraction.to_owned())
}

/// The digits and the exponent of what `{:e}` writes.
fn taken_apart(text: &str) -> (String, i32) {
    let (digits, exponent) = text.split_once('e').expect("`{:e}` writes an exponent");
    (digits.replace('.', ""), exponent.parse().unwrap_or(0))
}

/// The shortest digits that read back as the same number of its type.
fn shortest(dtype: DType, value: f64) -> String {
    match dtype {
        DType::Float16 => (0..8)
            .map(|digits| format!("{value:.digits$e}"))
            .find(|text| text.parse::<f64>().is_ok_and(|read| f16::from_f64(read) == f16::from_f64(value)))
            .unwrap_or_else(|| format!("{value:e}")),
        DType::Float32 => format!("{:e}", value as f32),
        _ => format!("{value:e}"),
    }
}

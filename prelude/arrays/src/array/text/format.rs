//! One element as text, in the width that its array needs: NumPy's rules.
//!
//! Floats are shown with the digits that tell them apart, at most eight after
//! the point, and all in one form: scientific if the largest is at least
//! 10^8, the smallest below 10^-4, or they are more than a factor of 1000
//! apart. (NumPy, `numpy/_core/arrayprint.py`; the golden file of this module
//! is printed by NumPy.)

use gpurepl_kernels::DType;
use half::f16;

use crate::scalar::Scalar;

/// Digits after the point, at most.
const PRECISION: usize = 8;

/// How the elements of one array are written.
#[doc(hidden)]
pub enum Format {
    Bool { width: usize },
    Int { width: usize },
    Float(FloatFormat),
    Complex(FloatFormat, FloatFormat),
}

/// How floats of one array are written.
pub struct FloatFormat {
    dtype: DType,
    is_scientific: bool,
    /// Characters before the point, sign included.
    left: usize,
    /// Characters after the point; in scientific form digits.
    right: usize,
    /// Digits of the exponent, its sign not included.
    exponent: usize,
    always_sign: bool,
    pads: bool,
    /// Digits after the point, where the user has said how many.
    fixed: Option<usize>,
}

impl Format {
    /// The format for these elements, which are those that will be shown.
    /// `fixed` is what `{:.2}` asks for: so many digits after the point, and no
    /// scientific form.
    pub fn new(dtype: DType, elements: &[Scalar], has_axes: bool, fixed: Option<usize>) -> Format {
        match dtype {
            DType::Bool => Format::Bool { width: if has_axes { 5 } else { 0 } },
            _ if dtype.is_float() => Format::Float(FloatFormat::new(dtype, &reals(elements), false, fixed)),
            _ if dtype.is_complex() => {
                let imaginary: Vec<f64> = elements.iter().map(|element| parts(*element).1).collect();
                Format::Complex(
                    FloatFormat::new(dtype.real(), &reals(elements), false, fixed),
                    FloatFormat::new(dtype.real(), &imaginary, true, fixed),
                )
            }
            _ => {
                let width = elements.iter().map(|element| element.to_string().len()).max().unwrap_or(0);
                Format::Int { width }
            }
        }
    }

    pub fn element(&self, element: Scalar) -> String {
        match self {
            Format::Bool { width } => {
                let text = if element == Scalar::Bool(true) { "True" } else { "False" };
                format!("{text:>width$}")
            }
            Format::Int { width } => format!("{:>width$}", element.to_string()),
            Format::Float(format) => format.number(parts(element).0),
            Format::Complex(real, imaginary) => {
                let (re, im) = parts(element);
                // The `j` stands at the digits; padding goes behind it.
                let text = imaginary.number(im);
                let digits = text.trim_end_matches(' ');
                let padding = " ".repeat(text.len() - digits.len());
                format!("{}{digits}j{padding}", real.number(re))
            }
        }
    }
}

fn reals(elements: &[Scalar]) -> Vec<f64> {
    elements.iter().map(|element| parts(*element).0).collect()
}

fn parts(element: Scalar) -> (f64, f64) {
    match element {
        Scalar::Complex(re, im) => (re, im),
        other => (other.real().unwrap_or(f64::NAN), 0.0),
    }
}

impl FloatFormat {
    fn new(dtype: DType, values: &[f64], always_sign: bool, fixed: Option<usize>) -> FloatFormat {
        let finite: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        let sizes = finite.iter().map(|value| value.abs()).filter(|size| *size != 0.0);
        let (low, high) =
            sizes.fold((f64::INFINITY, 0.0f64), |(low, high), size| (low.min(size), high.max(size)));
        let is_scientific =
            fixed.is_none() && high > 0.0 && (high >= 1e8 || low < 1e-4 || high / low > 1000.0);
        let mut format = FloatFormat {
            dtype,
            is_scientific,
            left: 0,
            right: 0,
            exponent: 0,
            always_sign,
            pads: true,
            fixed,
        };
        if is_scientific {
            let texts = finite.iter().map(|value| scientific(dtype, *value));
            for (negative, digits, exponent) in texts {
                let digits = digits.trim_end_matches('0').len().max(1);
                format.left = format.left.max(1 + usize::from(negative || always_sign));
                format.right = format.right.max(digits - 1);
                format.exponent = format.exponent.max(exponent.abs().to_string().len().max(2));
            }
        } else {
            for value in &finite {
                let text = format.positional(*value);
                let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
                let sign = usize::from(always_sign && !value.is_sign_negative());
                format.left = format.left.max(whole.len() + sign);
                format.right = format.right.max(fraction.len());
            }
        }
        let after = format.width_after_point();
        if finite.len() < values.len() {
            let negative = always_sign || values.contains(&f64::NEG_INFINITY);
            let needed = |length: usize| length.saturating_sub(after + 1);
            format.left =
                format.left.max(needed(3 + usize::from(always_sign))).max(needed(3 + usize::from(negative)));
            // Arrays of nothing but NaN and infinities have no point at all.
            if finite.is_empty() {
                format.pads = false;
                format.left = if values.iter().any(|value| value.is_infinite()) && negative { 4 } else { 3 };
                format.left = format.left.max(3 + usize::from(always_sign));
            }
        }
        format
    }

    fn positional(&self, value: f64) -> String {
        match self.fixed {
            Some(digits) => format!("{value:.digits$}"),
            None => positional(self.dtype, value),
        }
    }

    /// The characters after the point.
    fn width_after_point(&self) -> usize {
        if self.is_scientific { self.right + 2 + self.exponent } else { self.right }
    }

    fn number(&self, value: f64) -> String {
        let width = if self.pads { self.left + 1 + self.width_after_point() } else { self.left };
        let sign = if self.always_sign && !value.is_sign_negative() { "+" } else { "" };
        if value.is_nan() {
            let text = if self.always_sign { "+nan" } else { "nan" };
            return format!("{text:>width$}");
        }
        if value.is_infinite() {
            let text = format!("{}inf", if value < 0.0 { "-" } else { sign });
            return format!("{text:>width$}");
        }
        if self.is_scientific {
            let sign = if value.is_sign_negative() { "-" } else { sign };
            // As NumPy: where more digits are shown than a number needs, they
            // are its own, not zeros.
            let text = format!("{:.*e}", self.right, value.abs());
            let (digits, exponent) = text.split_once('e').expect("`{:e}` writes an exponent");
            let exponent: i32 = exponent.parse().unwrap_or(0);
            let point = if self.right == 0 { "." } else { "" };
            let text = format!(
                "{sign}{digits}{point}e{}{:0>exponent$}",
                if exponent < 0 { '-' } else { '+' },
                exponent.abs(),
                exponent = self.exponent
            );
            return format!("{text:>width$}");
        }
        let text = self.positional(value);
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        format!(
            "{:>left$}.{fraction:<right$}",
            format!("{sign}{whole}"),
            left = self.left,
            right = self.right
        )
    }
}

/// Sign, significant digits and exponent of a finite number: the fewest that
/// tell it from its neighbours in its type, at most `PRECISION + 1`.
fn scientific(dtype: DType, value: f64) -> (bool, String, i32) {
    let mut text = shortest(dtype, value.abs());
    let mantissa = |text: &str| text.split('e').next().map_or(0, |digits| digits.len());
    if mantissa(&text) > PRECISION + 2 {
        text = format!("{:.*e}", PRECISION, value.abs());
    }
    let (digits, exponent) = text.split_once('e').expect("`{:e}` writes an exponent");
    (value.is_sign_negative(), digits.replace('.', ""), exponent.parse().unwrap_or(0))
}

/// A finite number with a point, without trailing zeros: `-1.`, `0.25`.
fn positional(dtype: DType, value: f64) -> String {
    let text = shortest(dtype, value.abs());
    let (digits, exponent) = text.split_once('e').expect("`{:e}` writes an exponent");
    let digits = digits.replace('.', "");
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let fraction_digits = digits.len() as i32 - 1 - exponent;
    let text = if fraction_digits > PRECISION as i32 {
        format!("{:.*}", PRECISION, value.abs())
    } else if exponent < 0 {
        format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize))
    } else {
        let whole = exponent as usize + 1;
        let digits = format!("{digits:0<whole$}");
        format!("{}.{}", &digits[..whole], &digits[whole..])
    };
    let text = match text.split_once('.') {
        Some((whole, fraction)) => format!("{whole}.{}", fraction.trim_end_matches('0')),
        None => format!("{text}."),
    };
    if value.is_sign_negative() { format!("-{text}") } else { text }
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

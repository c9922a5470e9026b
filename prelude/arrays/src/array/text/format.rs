//! One element as text, in the width that its array needs: NumPy's rules.
//!
//! Floats are shown with the digits that tell them apart, at most eight after
//! the point unless the options say otherwise, and all in one form: scientific
//! if the largest has more digits than its type is precise to, 10^8 at most,
//! the smallest is below 10^-4, or they are more than a factor of 1000 apart.
//! (NumPy 2.4, `numpy/_core/arrayprint.py`; the golden files of this module are
//! printed by NumPy.)

use gpurepl_kernels::DType;

use super::digits::{Digits, positional, scientific};
use super::options::{FloatMode, PrintOptions, Sign};
use crate::scalar::Scalar;

/// How the elements of one array are written.
#[doc(hidden)]
pub enum Format {
    Bool { width: usize },
    Int { width: usize, sign: Sign },
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
    sign: Sign,
    digits: Digits,
    /// Whether zeros fill the digits that a number does not need.
    has_zeros: bool,
    nanstr: String,
    infstr: String,
}

impl Format {
    /// The format for these elements, which are those that will be shown.
    pub fn new(dtype: DType, elements: &[Scalar], has_axes: bool, options: &PrintOptions) -> Format {
        match dtype {
            DType::Bool => Format::Bool { width: if has_axes { 5 } else { 0 } },
            _ if dtype.is_float() => Format::Float(FloatFormat::new(dtype, &reals(elements), options)),
            _ if dtype.is_complex() => {
                let imaginary: Vec<f64> = elements.iter().map(|element| parts(*element).1).collect();
                Format::Complex(
                    FloatFormat::new(dtype.real(), &reals(elements), options),
                    FloatFormat::new(dtype.real(), &imaginary, &options.clone().sign(Sign::Plus)),
                )
            }
            _ => integers(elements, options.sign),
        }
    }

    pub fn element(&self, element: Scalar) -> String {
        match self {
            Format::Bool { width } => {
                let text = if element == Scalar::Bool(true) { "True" } else { "False" };
                format!("{text:>width$}")
            }
            Format::Int { width, sign } => {
                format!("{:>width$}", sign.before(is_negative(element)).to_owned() + &element.to_string())
            }
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

/// The largest and the smallest decide the width. A space for the sign is not
/// added where a minus needs it anyway.
fn integers(elements: &[Scalar], sign: Sign) -> Format {
    let has_negative = elements.iter().any(|element| is_negative(*element));
    let has_others = elements.iter().any(|element| !is_negative(*element));
    let sign = if sign == Sign::Space && has_negative { Sign::Minus } else { sign };
    let length = |element: &Scalar| element.to_string().len();
    let width = |negative: bool| {
        elements.iter().filter(|element| is_negative(**element) == negative).map(length).max().unwrap_or(0)
    };
    let marked = usize::from(has_others && sign != Sign::Minus);
    Format::Int { width: (width(false) + marked).max(width(true)), sign }
}

fn is_negative(element: Scalar) -> bool {
    matches!(element, Scalar::Int(value) if value < 0)
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

impl Sign {
    fn before(self, is_negative: bool) -> &'static str {
        match (self, is_negative) {
            (Sign::Plus, false) => "+",
            (Sign::Space, false) => " ",
            _ => "",
        }
    }
}

impl FloatFormat {
    fn new(dtype: DType, values: &[f64], options: &PrintOptions) -> FloatFormat {
        let finite: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        let mut format = FloatFormat {
            dtype,
            is_scientific: options.exponents && is_scientific(dtype, &finite, options.suppress),
            left: 0,
            right: 0,
            exponent: 0,
            sign: options.sign,
            digits: Digits {
                most: (options.floatmode != FloatMode::Unique).then_some(options.precision),
                is_exact: options.floatmode == FloatMode::Fixed,
            },
            has_zeros: false,
            nanstr: options.nanstr.to_string(),
            infstr: options.infstr.to_string(),
        };
        if finite.is_empty() {
            format.is_scientific = false;
        } else if format.is_scientific {
            format.fit_scientific(&finite);
        } else {
            format.fit_positional(&finite, options.floatmode);
        }
        if options.sign == Sign::Space && !finite.iter().any(|value| value.is_sign_negative()) {
            format.left += 1;
        }
        if finite.len() < values.len() {
            let signed = options.sign != Sign::Minus || values.contains(&f64::NEG_INFINITY);
            let offset = format.width_after_point() + 1;
            let nan = options.nanstr.chars().count();
            let infinity = options.infstr.chars().count() + usize::from(signed);
            format.left = format.left.max(nan.saturating_sub(offset)).max(infinity.saturating_sub(offset));
        }
        format
    }

    fn fit_scientific(&mut self, finite: &[f64]) {
        for value in finite {
            let (digits, exponent) = scientific(self.dtype, value.abs(), self.digits);
            let signed = value.is_sign_negative() || self.sign == Sign::Plus;
            self.left = self.left.max(1 + usize::from(signed));
            self.right = self.right.max(digits.len() - 1);
            self.exponent = self.exponent.max(exponent.unsigned_abs().to_string().len().max(2));
        }
        self.digits.most = Some(self.right);
        self.has_zeros = true;
    }

    fn fit_positional(&mut self, finite: &[f64], mode: FloatMode) {
        for value in finite {
            let (whole, fraction) = positional(self.dtype, value.abs(), self.digits);
            let signed = value.is_sign_negative() || self.sign == Sign::Plus;
            self.left = self.left.max(whole.len() + usize::from(signed));
            self.right = self.right.max(fraction.len());
        }
        self.has_zeros = matches!(mode, FloatMode::Fixed | FloatMode::MaxPrecEqual);
        if self.has_zeros {
            self.digits.most = Some(self.right);
        }
    }

    /// The characters after the point.
    fn width_after_point(&self) -> usize {
        if self.is_scientific { self.right + 2 + self.exponent } else { self.right }
    }

    fn number(&self, value: f64) -> String {
        let width = self.left + 1 + self.width_after_point();
        // A space is part of the padding.
        let plus = if self.sign == Sign::Plus { "+" } else { "" };
        if value.is_nan() {
            return format!("{:>width$}", format!("{plus}{}", self.nanstr));
        }
        let sign = if value.is_sign_negative() { "-" } else { plus };
        if value.is_infinite() {
            return format!("{:>width$}", format!("{sign}{}", self.infstr));
        }
        if self.is_scientific {
            return format!("{:>width$}", self.scientific(sign, value.abs()));
        }
        let (whole, mut fraction) = positional(self.dtype, value.abs(), self.digits);
        if self.has_zeros {
            fraction.push_str(&"0".repeat(self.right.saturating_sub(fraction.len())));
        }
        let whole = format!("{sign}{whole}");
        format!("{whole:>left$}.{fraction:<right$}", left = self.left, right = self.right)
    }

    fn scientific(&self, sign: &str, value: f64) -> String {
        // As NumPy: where more digits are shown than a number needs, they are its
        // own, not zeros.
        let digits = Digits { is_exact: true, ..self.digits };
        let (digits, exponent) = scientific(self.dtype, value, digits);
        let (first, rest) = digits.split_at(1);
        let mark = if exponent < 0 { '-' } else { '+' };
        format!("{sign}{first}.{rest}e{mark}{:0>width$}", exponent.unsigned_abs(), width = self.exponent)
    }
}

/// Whether numbers of these sizes are written with an exponent.
fn is_scientific(dtype: DType, finite: &[f64], suppress: bool) -> bool {
    let sizes = finite.iter().map(|value| value.abs()).filter(|size| *size != 0.0);
    let (low, high) =
        sizes.fold((f64::INFINITY, 0.0f64), |(low, high), size| (low.min(size), high.max(size)));
    // Powers of ten of the digits that the type is precise to, or eight.
    let most = match dtype {
        DType::Float16 => 1e3,
        DType::Float32 => 1e6,
        _ => 1e8,
    };
    high > 0.0 && (high >= most || (!suppress && (low < 1e-4 || high / low > 1000.0)))
}

//! The figures of an array as texts.

use gpurepl_kernels::{DType, Wide};

use crate::array::Summary;

/// Digits that a figure is shown with, at most.
const DIGITS: usize = 6;

/// Names and values of the figures of an array.
pub(super) fn statistics(dtype: DType, summary: &Summary) -> Vec<(String, String)> {
    let all = &summary.all;
    if dtype == DType::Bool {
        let share = summary.mean().unwrap_or(0.0) * 100.0;
        // Sums of booleans are exact up to 2^53.
        let text = format!("{} of {} ({} %)", all.sum(), summary.count, float(share, DType::Float32));
        return vec![("true".to_owned(), text)];
    }
    let mut figures = Vec::new();
    let mut figure = |name: &str, value: String| {
        let name = if dtype.is_complex() { format!("{name} |z|") } else { name.to_owned() };
        figures.push((name, value));
    };
    if summary.has_ends() {
        let (least, most) = if summary.wide == Wide::Float {
            let (least, most) = all.ends(summary.wide);
            (float(least, dtype), float(most, dtype))
        } else {
            let (least, most) = all.integers(summary.wide);
            (least.to_string(), most.to_string())
        };
        figure("min", least);
        figure("max", most);
    }
    if let Some(mean) = summary.mean() {
        figure("mean", float(mean, DType::Float64));
    }
    if summary.wide == Wide::Float {
        figures.push(("NaN".to_owned(), all.nan.to_string()));
    }
    if all.infinite > 0 {
        figures.push(("inf".to_owned(), all.infinite.to_string()));
    }
    figures
}

/// A number in few digits: `0.25`, `1234.5`, `1.5e-7`.
pub(super) fn float(value: f64, dtype: DType) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    // What a type cannot tell apart is not shown.
    let digits = if dtype == DType::Float16 { 4 } else { DIGITS };
    let text = format!("{:.*e}", digits - 1, value);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if value == 0.0 {
        "0".to_owned()
    } else if (-4..9).contains(&exponent) {
        let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
        trimmed(&format!("{value:.decimals$}"))
    } else {
        format!("{}e{exponent}", trimmed(mantissa))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_few_digits() {
        let values = [0.0, -0.0, 0.25, 1234.5, 1.0 / 3.0, 1.5e-7, -2e30, 123_456_789.0, 999_999.96, f64::NAN];
        let texts: Vec<String> = values.into_iter().map(|value| float(value, DType::Float64)).collect();
        assert_eq!(
            texts,
            ["0", "0", "0.25", "1234.5", "0.333333", "1.5e-7", "-2e30", "123456789", "1000000", "nan"]
        );
        assert_eq!(float(f64::NEG_INFINITY, DType::Float32), "-inf");
        assert_eq!(float(0.333_251_953_125, DType::Float16), "0.3333");
    }
}

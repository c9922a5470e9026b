//! Numbers and headings as PETSc prints them.

use crate::library::Petsc;

/// The first lines of an object: "Vec Object: 2 MPI processes", "  type: mpi".
pub(crate) fn header(object: &str, petsc: &Petsc, type_name: &str) -> String {
    let processes = if petsc.size == 1 { "process" } else { "processes" };
    format!("{object} Object: {} MPI {processes}\n  type: {type_name}", petsc.size)
}

/// A number by C's `%g`, with a point behind a whole one.
pub(crate) fn number(value: f64) -> String {
    const DIGITS: i32 = 6;
    if !value.is_finite() {
        return if value.is_nan() { "nan".to_owned() } else { value.to_string() };
    }
    let scientific = format!("{value:.*e}", (DIGITS - 1) as usize);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    if !(-4..DIGITS).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        let mantissa = trimmed(mantissa);
        let point = if mantissa.contains('.') { "" } else { "." };
        return format!("{mantissa}{point}e{sign}{:02}", exponent.abs());
    }
    let decimals = usize::try_from(DIGITS - 1 - exponent).unwrap_or(0);
    let mut text = trimmed(&format!("{value:.decimals$}"));
    if !text.contains('.') {
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_written_as_petsc_writes_them() {
        for (value, text) in [
            (6.0, "6."),
            (0.0, "0."),
            (-2.5, "-2.5"),
            (1.0 / 3.0, "0.333333"),
            (123_456.0, "123456."),
            (1_234_567.0, "1.23457e+06"),
            (1e6, "1.e+06"),
            (0.0001, "0.0001"),
            (0.00001, "1.e-05"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}

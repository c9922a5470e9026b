//! What Python has within an expression and Rust has not, in advice that
//! repeats the user's own words: `x**2`, `2*np.pi`, `a.T`.

use super::moves;
use super::numpy::CONSTANTS;
use super::place::{Kind, Scope, closing, is_part, operand, receiver_start};

/// Modules whose constants are written with their path.
const MODULES: &[&str] = &["np", "numpy", "cp", "cupy", "math"];

/// Advice, the code of which is Rust.
pub(super) fn in_advice(scope: &Scope<'_>, help: String) -> String {
    let parts = help.split('`').enumerate();
    let parts: Vec<String> =
        parts.map(|(k, part)| if k % 2 == 1 { in_code(scope, part) } else { part.to_owned() }).collect();
    parts.join("`")
}

/// An expression as Rust has it. Where something is changed, arrays are lent.
pub(super) fn in_code(scope: &Scope<'_>, code: &str) -> String {
    let meant = powers(scope, &constants(&transposed(code)));
    if meant == code { meant } else { moves::lent(&meant, &|word| scope.kind(word) == Kind::Array) }
}

/// Whether a place is within a text in quotes.
fn is_quoted(code: &str, at: usize) -> bool {
    code[..at].matches('"').count() % 2 == 1
}

/// `a.T` as `a.t()`
fn transposed(code: &str) -> String {
    let mut meant = String::new();
    let mut rest = code;
    while let Some(at) = rest.find(".T") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        let is_whole = before.ends_with(|c: char| is_part(c) || matches!(c, ')' | ']'))
            && !after.starts_with(|c: char| is_part(c) || c == '(');
        meant.push_str(before);
        meant.push_str(if is_whole { ".t()" } else { ".T" });
        rest = after;
    }
    meant + rest
}

/// `2*np.pi` as `2.0*std::f64::consts::PI`: beside a constant, numbers are fractions.
fn constants(code: &str) -> String {
    let is_here = |part: &str| MODULES.iter().any(|module| part.contains(&format!("{module}.")));
    let parts = code.split(',').map(|part| {
        let meant = if is_here(part) { named(part) } else { part.to_owned() };
        if meant == part { meant } else { with_fractions(&meant) }
    });
    parts.collect::<Vec<_>>().join(",")
}

fn named(part: &str) -> String {
    let mut meant = part.to_owned();
    for module in MODULES {
        for (name, form) in CONSTANTS.iter().filter(|(name, _)| *name != "newaxis") {
            let path = format!("{module}.{name}");
            let mut from = 0;
            while let Some(at) = meant[from..].find(&path).map(|at| from + at) {
                let end = at + path.len();
                let is_whole = !meant[..at].ends_with(|c: char| is_part(c) || c == '.')
                    && !meant[end..].starts_with(|c: char| is_part(c) || c == '(');
                let value = form.trim_matches('`');
                if is_whole {
                    meant.replace_range(at..end, value);
                }
                from = if is_whole { at + value.len() } else { end };
            }
        }
    }
    meant
}

/// Whole numbers that are operands as fractions: not indices, exponents and the only argument of a call.
pub(super) fn with_fractions(part: &str) -> String {
    let mut meant = String::new();
    let mut at = 0;
    while let Some(c) = part[at..].chars().next() {
        let length = part[at..].find(|c: char| !is_part(c) && c != '.').unwrap_or(part.len() - at);
        let (word, before, after) = (&part[at..at + length], &part[..at], &part[at + length..]);
        let is_empty_call = before.ends_with('(') && after.starts_with(')');
        let is_operand = !(before.ends_with("**") || before.ends_with(['[', ':']) || is_empty_call);
        meant.push_str(word);
        if word.parse::<u64>().is_ok() && is_operand {
            meant.push_str(".0");
        }
        if word.is_empty() {
            meant.push(c);
        }
        at += length.max(if word.is_empty() { c.len_utf8() } else { 0 });
    }
    meant
}

/// `x**2` as `x.pow(2)`, the last power first: they are read from the right.
fn powers(scope: &Scope<'_>, code: &str) -> String {
    let mut meant = code.to_owned();
    let mut end = meant.len();
    while let Some(at) = meant[..end].rfind("**") {
        end = at;
        let before = meant[..at].trim_end();
        let base = &before[receiver_start(before)..];
        let after = meant[at + 2..].trim_start();
        let exponent = &after[..operand_end(after)];
        // `float **p` is a pointer of C's, `***` anything.
        let is_type = super::numpy::element_type(base).is_some() || base == "char" || base == "void";
        if base.is_empty() || exponent.is_empty() || is_type || is_quoted(&meant, at) {
            continue;
        }
        let (start, stop) = (before.len() - base.len(), meant.len() - after.len() + exponent.len());
        let power = power(scope, base, exponent);
        meant.replace_range(start..stop, &power);
    }
    meant
}

/// Where the operand ends that a text starts with: `-1`, `n`, `(n + 1)`, `f(x)[0]`.
pub(super) fn operand_end(text: &str) -> usize {
    let mut at = usize::from(text.starts_with('-'));
    while let Some(c) = text[at..].chars().next() {
        let close = match c {
            '(' => closing(&text[at + 1..], '(', ')'),
            '[' => closing(&text[at + 1..], '[', ']'),
            c if is_part(c) || c == '.' => {
                at += c.len_utf8();
                continue;
            }
            _ => return at,
        };
        let Some(close) = close else { return at };
        at += close + 2;
    }
    at
}

/// A power as it is written here, by the type of its base.
pub(super) fn power(scope: &Scope<'_>, base: &str, exponent: &str) -> String {
    let base = operand(base);
    let own = exponent.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(exponent);
    if scope.kind(exponent) == Kind::Array && scope.number(&base).is_some() {
        return format!("power({base}, &{})", operand(exponent));
    }
    let is_count = own.parse::<u32>().is_ok();
    let fraction = || fraction(scope, own);
    match scope.number(&base).as_deref() {
        // The type of a literal is open, and methods want to know it.
        Some("{integer}") if is_count => format!("i32::pow({base}, {own})"),
        Some("{integer}") => format!("f64::powf({base}.0, {})", fraction()),
        Some("{float}") if is_count => format!("f64::powi({base}, {own})"),
        Some("{float}") => format!("f64::powf({base}, {})", fraction()),
        Some(of) if of.starts_with('f') && is_count => format!("{base}.powi({own})"),
        Some(of @ ("f32" | "f64")) => {
            let cast = if of == "f32" && own.parse::<f64>().is_err() { " as f32" } else { "" };
            format!("{base}.powf({}{cast})", fraction())
        }
        Some(_) if is_count => format!("{base}.pow({own})"),
        Some(_) => format!("f64::powf({base} as f64, {})", fraction()),
        None => format!("{base}.pow({own})"),
    }
}

/// A number as an operand of fractions.
pub(super) fn fraction(scope: &Scope<'_>, text: &str) -> String {
    match scope.number(text).as_deref() {
        _ if text.parse::<i64>().is_ok() => format!("{text}.0"),
        None | Some("{float}" | "f64") => text.to_owned(),
        Some(_) => format!("{} as f64", operand(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_python_become_rust() {
        let type_of = |name: &str| match name {
            "x" | "a" => Some("GpuArray<f64>".to_owned()),
            "f" => Some("f64".to_owned()),
            "n" => Some("i32".to_owned()),
            "k" => Some("{integer}".to_owned()),
            _ => None,
        };
        let scope = Scope { type_of: &type_of };
        for (text, expected) in [
            ("(-x**2).exp()", "(-x.pow(2)).exp()"),
            ("2 * x ** 2", "2 * x.pow(2)"),
            ("(x + 1)**-0.5", "(&x + 1).pow(-0.5)"),
            ("f**2 + f**0.5", "f.powi(2) + f.powf(0.5)"),
            ("f**n", "f.powf(n as f64)"),
            ("n**2", "n.pow(2)"),
            ("k**2", "i32::pow(k, 2)"),
            ("2**n", "f64::powf(2.0, n as f64)"),
            ("2**3", "i32::pow(2, 3)"),
            ("2.5**2", "f64::powi(2.5, 2)"),
            ("2**x", "power(2, &x)"),
            ("linspace(0.0, 2*np.pi, 100)", "linspace(0.0, 2.0*std::f64::consts::PI, 100)"),
            ("(2*np.pi*x).sin()", "(2.0*std::f64::consts::PI*&x).sin()"),
            ("f(-np.inf, np.pi_2)", "f(-f64::INFINITY, np.pi_2)"),
            ("a.matmul(&a.T)", "a.matmul(&a.t())"),
        ] {
            assert_eq!(in_code(&scope, text), expected);
        }
        for text in ["float **p", "\"x**2\"", "a * *b", "a.Te", "x[1] + x", "np.pi(1)"] {
            assert_eq!(in_code(&scope, text), text);
        }
        assert_eq!(in_advice(&scope, "x**2: `x**2`".to_owned()), "x**2: `x.pow(2)`");
    }
}

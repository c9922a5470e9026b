//! Methods of NumPy's universal functions: `np.add.reduce(a)`, `np.maximum.accumulate(a)`, `np.multiply.outer(a, b)`.

use super::calls::along;
use super::numpy;
use super::place::{Call, Scope, operand};

/// What a function does with all elements along an axis, where a method does it.
const REDUCTIONS: &[(&str, &str)] = &[
    ("add", "sum"),
    ("multiply", "prod"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("fmax", "nanmax"),
    ("fmin", "nanmin"),
    ("logical_and", "all"),
    ("logical_or", "any"),
];

/// The operators of Rust, with what changes no number.
const OPERATORS: &[(&str, &str, &str)] =
    &[("bitwise_and", "&", "!0"), ("bitwise_or", "|", "0"), ("bitwise_xor", "^", "0")];

/// Advice about such a call. Both `reduce` and `accumulate` go along the first axis unless one is named.
pub(super) fn advice(scope: &Scope<'_>, call: &Call<'_>) -> Option<String> {
    let function = call.on?.rsplit('.').next()?;
    let positional = call.positional();
    let array = operand(positional.first()?);
    let axis = call.keyword("axis").or_else(|| positional.get(1).copied()).unwrap_or("0");
    match call.name {
        "reduce" => reduction(call, function, &array, axis),
        "accumulate" => {
            let method = match function {
                "add" => return Some(along(call, &array, "cumsum", axis)),
                "multiply" => return Some(along(call, &array, "cumprod", axis)),
                "maximum" | "minimum" => format!("{function}_accumulate"),
                _ => return None,
            };
            Some(format!("along an axis: `{array}.{method}({axis})`"))
        }
        "outer" => {
            let other = positional.get(1)?;
            if function == "multiply" {
                return Some(format!("it is `{array}.outer(&{})`", operand(other)));
            }
            let column = format!("{array}.expand_dims(-1)");
            numpy::form(scope, function, &[&column, other])
                .map(|form| format!("a column and a row broadcast: {form}"))
        }
        "at" if matches!(function, "add" | "subtract" | "multiply" | "maximum" | "minimum") => {
            let places = positional.get(1)?.trim();
            let places = match places.strip_prefix('(').and_then(|inside| inside.strip_suffix(')')) {
                Some(axes) => {
                    let axes = axes.split(',').filter(|axis| !axis.trim().is_empty());
                    format!(
                        "({})",
                        axes.map(|axis| format!("&{}", operand(axis.trim()))).collect::<Vec<_>>().join(", ")
                    )
                }
                None => format!("&{}", operand(places)),
            };
            let values = positional.get(2).copied().unwrap_or("v").trim();
            let is_number = values.starts_with(|first: char| first.is_ascii_digit() || first == '-');
            let values = if is_number { values.to_owned() } else { format!("&{}", operand(values)) };
            Some(format!("of indices that may repeat: `{array}.{function}_at({places}, {values})`"))
        }
        "reduceat" if matches!(function, "add" | "multiply" | "maximum" | "minimum") => {
            let places = operand(positional.get(1)?.trim());
            let axis = call.keyword("axis").or_else(|| positional.get(2).copied()).unwrap_or("0");
            Some(match axis {
                "0" => format!("`{array}.{function}_reduceat(&{places})`"),
                _ => format!("`{array}.{function}_reduceat_axis(&{places}, {axis})`"),
            })
        }
        _ => None,
    }
}

fn reduction(call: &Call<'_>, function: &str, array: &str, axis: &str) -> Option<String> {
    if let Some((_, method)) = REDUCTIONS.iter().find(|(name, _)| *name == function) {
        return Some(match axis {
            "None" => format!("of all elements: `{array}.{method}()`"),
            _ => along(call, array, method, axis),
        });
    }
    let (_, sign, neutral) = OPERATORS.iter().find(|(name, ..)| *name == function)?;
    Some(format!("of all elements: `{array}.reduce({neutral}, |x, y| x {sign} y)`"))
}

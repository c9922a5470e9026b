//! Advice for messages that rustc cannot word: it does not know that these
//! are arrays, and what someone who comes from NumPy meant.

use super::compile::{Message, Span};

/// Advice for a message, if it is one of those.
pub(super) fn hint(message: &Message) -> Option<String> {
    let text = &message.message;
    let all = || {
        let labels = message.spans.iter().filter_map(|span| span.label.as_deref());
        let children = message.children.iter().map(|child| child.message.as_str());
        std::iter::once(text.as_str()).chain(labels).chain(children).collect::<Vec<_>>().join("\n")
    };
    if let Some(advice) = super::pycuda::hint(message) {
        return Some(advice);
    }
    if let Some(advice) = of_functions(message, &all()) {
        return Some(advice.to_owned());
    }
    if let Some(name) = missing_crate(&all()) {
        return Some(format!("`:dep {name}` adds the crate, if that is what `{name}` is"));
    }
    if let Some(advice) = of_assignment(message) {
        return Some(advice);
    }
    if !all().contains("GpuArray") {
        return None;
    }
    let advice = match message.code() {
        "E0594" if all().contains("IndexMut") => {
            "elements are written by `a.set(0, 1.0)`, or `set!(a[0] = 1.0)`; several axes by `set!(a[0, 1] = 1.0)`"
        }
        "E0308" if wants_array(&all(), "number") => {
            "elements are written by `a.set(0, 1.0)`, or `set!(a[0] = 1.0)`"
        }
        "E0308" if wants_array(&all(), "ArrayBase") => {
            "`to_gpu(&array)` copies an array of the host to the device"
        }
        "E0277" if text.contains("ArrayBase") => {
            "an array of the host and one of the device do not mix: `to_gpu(&host)`, or `device.get()`"
        }
        "E0277" if text.contains("cannot be indexed by `(") => "several axes are indexed by `a[s![1, 2]]`",
        "E0599" if text.contains("named `T`") || text.contains("`T`") => "the transposed array is `a.t()`",
        "E0609" | "E0610" if text.contains("field `T`") => "the transposed array is `a.t()`",
        "E0277" if is_number_by_array(text) => {
            "put the array first (`&a * s`), or write the number as `f64` or `i32` (`s as f64`)"
        }
        "E0369"
            if text.contains("binary operation `")
                && [" `>`", " `<`", " `>=`", " `<=`"].iter().any(|op| text.contains(op)) =>
        {
            "comparisons of arrays are methods: `a.gt(&b)`, `a.lt(2.0)`, `a.ge(0)`, `a.le(&b)`"
        }
        "E0369" if text.contains("binary operation `==`") || text.contains("binary operation `!=`") => {
            "compare elements by `a.eq(&b)`, whole arrays by `array_equal(&a, &b)` or `allclose(&a, &b)`"
        }
        "E0382" if all().contains("calling this operator moves") => {
            "operators on `a` itself consume it; write `&a + &b` to keep both"
        }
        "E0308" if all().contains("expected `bool`, found") => {
            "a comparison has an answer for each element; `.any().item()` or `.all().item()` makes one of them"
        }
        "E0308" if expects_number(&all()) => "`.item()` reads the only element of an array",
        "E0308" if two_arrays(message) => {
            "arrays of another type are converted by `.astype(f32)`; literals by `gpu![f32; 1, 2]`"
        }
        "E0507" if text.contains("cannot move out of index") => {
            "`a[1]` is lent by the array: write `&a[1]`, `a.slice(1)` for a view to keep, or `a[1].item()`"
        }
        "E0502" if all().contains("+=") || all().contains("immutable borrow") => {
            "an array that is written cannot be read in the same call; use `z.clone()`, which shares its memory"
        }
        _ => return None,
    };
    Some(advice.to_owned())
}

/// Advice about `z += &z`. The message does not tell of what type `z` is; what
/// is advised is right for all.
fn of_assignment(message: &Message) -> Option<String> {
    if message.code() != "E0502" {
        return None;
    }
    let primary = message.spans.iter().filter(|span| span.is_primary);
    primary.filter_map(Span::words).find_map(|words| {
        let (name, value) = ["+=", "-=", "*=", "/=", "%="].iter().find_map(|sign| words.split_once(sign))?;
        let (name, value) = (name.trim(), value.trim());
        (value.strip_prefix('&')?.trim() == name).then(|| {
            let meant = words.replacen(value, &format!("{value}.clone()"), 1);
            format!(
                "it cannot be read while it is written: `{meant}`; the clone of an array shares its memory"
            )
        })
    })
}

/// The crate that the compiler takes for missing.
fn missing_crate(text: &str) -> Option<&str> {
    let starts = ["you might be missing a crate named `", "if you wanted to use a crate named `"];
    let rest = starts.iter().find_map(|start| text.split_once(start))?.1;
    rest.split_once('`').map(|(name, _)| name)
}

fn is_number_by_array(text: &str) -> bool {
    let verbs = [
        "cannot multiply `",
        "cannot add `",
        "cannot subtract `",
        "cannot divide `",
        "cannot calculate the remainder of `",
    ];
    verbs.iter().any(|verb| text.starts_with(verb)) && text.contains("GpuArray")
}

/// `expected f32, found GpuArray<f32>`
fn expects_number(all: &str) -> bool {
    ["f32", "f64", "i32", "i64", "u32", "u64", "usize", "bool"]
        .iter()
        .any(|number| all.contains(&format!("expected `{number}`, found `GpuArray<")))
}

/// `expected &GpuArray<f32>, found &GpuArray<f64>`: both arrays, alike but for
/// their elements.
fn two_arrays(message: &Message) -> bool {
    let labels = message.spans.iter().filter_map(|span| span.label.as_deref());
    labels.filter_map(expected_and_found).any(|(expected, found)| {
        expected.contains("GpuArray<")
            && found.contains("GpuArray<")
            && expected.starts_with('&') == found.starts_with('&')
    })
}

/// The types in "expected `A`, found `B`".
fn expected_and_found(label: &str) -> Option<(&str, &str)> {
    let (expected, found) = label.strip_prefix("expected `")?.split_once("`, found `")?;
    Some((expected, found.split('`').next()?))
}

/// Whether an array is expected where something else stands: a number, or an
/// array of another library.
fn wants_array(all: &str, what: &str) -> bool {
    all.lines().any(|line| {
        let Some((expected, found)) =
            line.strip_prefix("expected `").and_then(|rest| rest.split_once("`, found "))
        else {
            return false;
        };
        let found = found.trim_matches('`');
        expected.starts_with("GpuArray<")
            && match what {
                "number" => found == "integer" || found == "floating-point number" || is_number(found),
                _ => found.contains(what),
            }
    })
}

fn is_number(text: &str) -> bool {
    ["f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "usize", "bool"].contains(&text)
}

/// Advice about calls of the prelude's functions as NumPy has them.
fn of_functions(message: &Message, all: &str) -> Option<&'static str> {
    let called =
        |name: &str| all.contains(&format!("gpurepl_prelude::{name}")) || all.contains(&format!("`{name}`"));
    let shaped = ["zeros", "ones", "empty", "rand", "randn", "full"];
    match message.code() {
        "E0061" => {
            let callee = message.spans.iter().filter(|span| span.is_primary).find_map(Span::words);
            let callee = callee.unwrap_or_default();
            let callee = callee.split("::<").next().unwrap_or_default();
            if shaped.contains(&callee) {
                Some("a shape of several axes is a tuple: `zeros::<f32>((3, 4))`")
            } else if callee == "arange" {
                Some("a range is one argument: `arange(0..10)`, with a step `arange((0..10).by(2))`")
            } else {
                None
            }
        }
        "E0614" => Some("a power is written `a.pow(2)`; `*` alone multiplies"),
        "E0615" => Some("a method is called with parentheses: `a.shape()`"),
        "E0271" if all.contains("Elem>::Quotient") => {
            Some("`linspace` makes floating-point numbers: write `linspace(0.0, 1.0, 5)`")
        }
        "E0283" | "E0282" if shaped.iter().any(|name| called(name)) => {
            Some("name the type of the elements: `ones::<f32>(3)`")
        }
        _ => None,
    }
}

//! Advice for messages that rustc cannot word: it does not know that these
//! are arrays, and what someone who comes from NumPy meant.

use super::compile::Message;

/// Advice for a message, if it is one of those.
pub(super) fn hint(message: &Message) -> Option<String> {
    let text = &message.message;
    let all = || {
        let labels = message.spans.iter().filter_map(|span| span.label.as_deref());
        let children = message.children.iter().map(|child| child.message.as_str());
        std::iter::once(text.as_str()).chain(labels).chain(children).collect::<Vec<_>>().join("\n")
    };
    if !all().contains("GpuArray") {
        return None;
    }
    let advice = match message.code() {
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
        "E0308" if names_two_arrays(&all()) => {
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

fn is_number_by_array(text: &str) -> bool {
    let verbs = ["cannot multiply `", "cannot add `", "cannot subtract `", "cannot divide `"];
    verbs.iter().any(|verb| text.starts_with(verb)) && text.contains("GpuArray")
}

/// `expected f32, found GpuArray<f32>`
fn expects_number(all: &str) -> bool {
    ["f32", "f64", "i32", "i64", "u32", "u64", "usize", "bool"]
        .iter()
        .any(|number| all.contains(&format!("expected `{number}`, found `GpuArray<")))
}

/// `expected &GpuArray<f32>, found &GpuArray<f64>`
fn names_two_arrays(all: &str) -> bool {
    all.contains("GpuArray<f") && all.contains("expected") && all.matches("GpuArray<").count() >= 2
}

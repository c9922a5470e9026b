//! Kernels in Rust: marks that other languages have, and modules that another
//! one hides.

use super::Mistake;

/// Marks of CUDA C, Numba and others.
const MARKS: &[&str] =
    &["gpu", "global", "__global__", "__device__", "cuda", "cube", "jit", "host", "__host__"];

/// Advice about a function that is to run on a device.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    let message = &mistake.message.message;
    if message.starts_with("cannot find attribute") && MARKS.contains(&mistake.quoted()) {
        let rest = mistake.text.get(mistake.range.end..).unwrap_or_default();
        let head = rest.split('{').next().unwrap_or_default();
        let form = if head.contains("->") { "write `#[device]`" } else { "write `#[kernel]`" };
        return Some(form.to_owned());
    }
    let is_index = ["index", "range", "lane", "x", "y", "z"].contains(&mistake.quoted());
    if message.starts_with("cannot find function") && message.ends_with("in module `thread`") && is_index {
        return Some("`thread` is the standard library's here; import that by another name: `use std::thread as threads;`".to_owned());
    }
    None
}

//! Names of types and functions, as they are within a kernel's crate.

/// Crates whose types are not the user's.
const LIBRARIES: [&str; 5] = ["", "core", "std", "alloc", "crate"];

/// Crates whose types the library has: `half::binary16::f16` is `crate::gpu::f16`.
const OURS: [&str; 3] = ["half", "num_complex", "gpurepl_kernels"];

/// A type's name, as `type_name` has it, as it is written within the crate:
/// `ctx::Body` is an item there, `ctx::fill<f32>` an instance.
///
/// None for what has no name, such as a closure.
pub fn path_in_crate(type_name: &str) -> Option<String> {
    if type_name.contains('{') || type_name.contains("dyn ") {
        return None;
    }
    let mut text = String::new();
    let mut rest = type_name;
    while let Some(at) = rest.find(|c: char| c.is_alphanumeric() || c == '_') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
        let (path, after) = rest.split_at(end);
        match path.split_once("::") {
            Some((first, inner)) if OURS.contains(&first) => {
                text.push_str("crate::gpu::");
                text.push_str(inner.rsplit("::").next().unwrap_or(inner));
            }
            // A cell's crate is `ctx`, a saved program's has the program's name.
            Some((first, inner)) if !LIBRARIES.contains(&first) && !inner.is_empty() => {
                text.push_str("crate::");
                text.push_str(inner);
            }
            _ => text.push_str(path),
        }
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

/// The same for a function's name, as an expression: `crate::fill::<f32>`.
pub fn function_in_crate(type_name: &str) -> Option<String> {
    let path = path_in_crate(type_name)?;
    let is_path = path.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    is_path.then(|| path.replacen('<', "::<", 1))
}

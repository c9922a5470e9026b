//! Types as they are shown: `Option<String>`, where a program has to write
//! `std::option::Option<std::string::String>`.

/// Crates whose types are known by their last names.
const ROOTS: &[&str] = &["std", "core", "alloc", "ndarray", "num_complex", "half"];

/// The prelude's own crates. Cells import the first; what they name lies in the
/// others, and rustc names it by these where it finds no shorter way.
pub(crate) const PRELUDE: &[&str] = &[
    "gpurepl_prelude",
    "gpurepl_arrays",
    "gpurepl_device",
    "gpurepl_display",
    "gpurepl_extend",
    "gpurepl_ground",
    "gpurepl_kernels",
    "gpurepl_cpp",
    "gpurepl_distributed",
    "gpurepl_fft",
    "gpurepl_linalg",
    "gpurepl_npy",
    "gpurepl_petsc",
    "gpurepl_sparse",
    "gpurepl_templates",
    "gpurepl_tune",
    "gpurepl_plot",
    "gpurepl_wire",
];

/// Last names that several modules have: the module says which.
const SHARED: &[&str] = &[
    "Chain",
    "Cursor",
    "Drain",
    "Empty",
    "Entry",
    "Error",
    "ErrorKind",
    "Filter",
    "IntoIter",
    "IntoKeys",
    "IntoValues",
    "Iter",
    "IterMut",
    "Keys",
    "Lines",
    "Map",
    "Range",
    "Ref",
    "Repeat",
    "Result",
    "Take",
    "Values",
    "ValuesMut",
    "Weak",
];

/// A type as it is shown to a user.
pub(crate) fn shown_type(of: &str) -> String {
    // A cell's own `struct u8` is written so.
    short(&crate::dependencies::shown(of).replace("crate::", ""))
}

/// A text with the paths of well-known types cut short.
pub(crate) fn short(text: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_part) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let path = path_at(rest);
        rest = &rest[path.len()..];
        out.push_str(shortened(path));
    }
    out + rest
}

/// The path that a text starts with.
fn path_at(text: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut end = 0;
    loop {
        end += text[end..].find(|c| !is_part(c)).unwrap_or(text.len() - end);
        match text[end..].strip_prefix("::") {
            Some(after) if after.starts_with(is_part) => end += 2,
            _ => return &text[..end],
        }
    }
}

fn shortened(path: &str) -> &str {
    let mut names = path.split("::");
    let is_known = names.next().is_some_and(|root| ROOTS.contains(&root) || PRELUDE.contains(&root));
    let Some((modules, last)) = path.rsplit_once("::").filter(|_| is_known) else { return path };
    // A module, `std::f32::consts`, is not a type.
    if !last.starts_with(|c: char| c.is_ascii_uppercase()) && last != "f16" {
        return path;
    }
    match modules.rsplit_once("::") {
        Some((_, module)) if SHARED.contains(&last) => &path[path.len() - last.len() - 2 - module.len()..],
        _ => last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_types_have_short_names() {
        for (long, expected) in [
            ("std::option::Option<std::string::String>", "Option<String>"),
            ("gpurepl_prelude::GpuArray<f32>", "GpuArray<f32>"),
            ("gpurepl_arrays::array::GpuArray<f32>", "GpuArray<f32>"),
            ("std::vec::Vec<(std::boxed::Box<dyn std::any::Any>, m::P)>", "Vec<(Box<dyn Any>, m::P)>"),
            ("std::vec::IntoIter<i32>", "vec::IntoIter<i32>"),
            ("std::result::Result<(), std::io::Error>", "result::Result<(), io::Error>"),
            ("num_complex::Complex<f64>", "Complex<f64>"),
            ("half::f16", "f16"),
            ("&'static [u8; 3]", "&'static [u8; 3]"),
            ("std::f32::consts::PI", "PI"),
            (
                "ndarray::ArrayBase<ndarray::OwnedRepr<f32>, ndarray::Dim<[usize; 2]>>",
                "ArrayBase<OwnedRepr<f32>, Dim<[usize; 2]>>",
            ),
        ] {
            assert_eq!(short(long), expected);
        }
    }
}

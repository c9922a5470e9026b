//! What completion knows of the prelude before anything has been analysed.

// Written by `build/names.rs` from the prelude's sources.
include!(concat!(env!("OUT_DIR"), "/names.rs"));

/// Words of Rust that are worth completing.
pub const KEYWORDS: &[&str] = &[
    "const",
    "continue",
    "else",
    "enum",
    "false",
    "impl",
    "match",
    "return",
    "static",
    "struct",
    "trait",
    "true",
    "unsafe",
    "where",
    "while",
    "println!",
    "vec!",
    "format!",
    "assert!",
    "assert_eq!",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_have_what_people_type_and_nothing_else() {
        for name in ["GpuArray", "SourceModule", "arange", "maximum", "plot", "zeros"] {
            assert!(PRELUDE.contains(&name), "{name}");
        }
        for name in ["s!", "gpu!", "elementwise!", "set!"] {
            assert!(MACROS.contains(&name), "{name}");
        }
        for name in ["astype", "get", "reshape", "sum", "t"] {
            assert!(ARRAY_METHODS.contains(&name), "{name}");
        }
        let all = PRELUDE.iter().chain(MACROS).chain(ARRAY_METHODS);
        let inner: Vec<&&str> =
            all.filter(|name| name.starts_with("__") || name.starts_with("Show")).collect();
        assert!(inner.is_empty(), "{inner:?}");
    }
}

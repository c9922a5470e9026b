//! What rustc says beside the point: guesses at names, lists of what
//! implements a trait, files and switches that a session does not have.

/// Names that generated code and macros use, which nobody is to write.
const INTERNAL: &[&str] = &[
    "__gr",
    "__slice",
    "__typed_kernel",
    "__eprintln",
    "gpurepl_show",
    "ShowDebug",
    "ShowKept",
    "ShowName",
    "ShowRender",
    "Shown",
    "KernelArgs",
    "KernelArg",
    "IntoValue",
];

/// Notes that say what everybody knows, or that are about the whole crate.
pub(in super::super) fn is_noise(text: &str) -> bool {
    text.starts_with("`#[warn(")
        || text.starts_with("`#[deny(")
        || text.starts_with("for more information, see")
        || text.starts_with("this error originates in the macro")
        || text.starts_with("in this macro invocation")
        || text.starts_with("the full type name has been written to")
        || text.starts_with("the full name for the type has been written to")
        || text.contains("long-type-")
        || text.contains("--verbose")
        || text.contains("RUST_BACKTRACE")
}

/// Advice that names what only generated code uses.
pub(in super::super) fn is_internal(help: &str) -> bool {
    INTERNAL.iter().chain(crate::type_names::PRELUDE).any(|name| help.contains(name))
        || is_far(help)
        || names_module(help, "cell")
        || names_module(help, "crates")
}

/// Names that are near to every name of one letter, which nobody meant: `i8` for `i`, `Ok` for `k`.
fn is_far(help: &str) -> bool {
    const SHORT: &[&str] = &["f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
    let has_word =
        |word: &&str| help.split(|c: char| !c.is_alphanumeric() && c != '_').any(|own| own == *word);
    help.starts_with("a function with a similar name exists") && SHORT.iter().any(&has_word)
        || help.starts_with("a tuple variant with a similar name exists")
            && ["Ok", "Err", "Some"].iter().any(has_word)
}

fn names_module(help: &str, module: &str) -> bool {
    help.contains("with a similar name exists") && help.contains(&format!("`{module}`"))
}

/// What is not advice beside gpurepl's advice: fewer arguments, which would
/// compile and mean something else; what only sounds alike, or implements the
/// trait as well.
pub(in super::super) fn is_guess(help: &str) -> bool {
    const STARTS: &[&str] = &[
        "remove the extra argument",
        "provide the argument",
        "you might have meant to",
        "you may have meant to use the `",
        "you may have meant the maximum value",
        "create an owned `String`",
        "you might be missing a crate",
        "if you wanted to use a crate named",
        "if you import",
        "the following other types implement trait",
        "the following types implement trait",
        "the following type parameters",
        "there is a method `",
        "there is an associated",
        "perhaps you intended to use this type",
        "use `!` to invoke the macro",
        "use the `.` operator to call the method",
        "use parentheses to call the method",
        "consider cloning the value",
        "consider borrowing here",
        "consider using a semicolon here",
        "consider using a floating-point literal",
        "consider specifying the generic argument",
        "consider giving `",
        "trait `IndexMut` is required",
        "try using `",
        "try adding a local storing this",
        "...and then using that local",
        "consider wrapping",
        "a macro with this name exists",
        "consider importing",
        "consider inserting whitespace here",
        "to force the closure to take ownership",
        "write `move` before",
        "make this a path",
        "use the path separator",
        "note that `",
        "the nightly-only, unstable trait",
    ];
    STARTS.iter().any(|start| help.starts_with(start))
        || help.contains("with a similar name exists")
        || (help.starts_with("the trait `") && help.contains("` is not implemented for `"))
}

/// Advice to make a variable `mut`, without the line that does.
pub(in super::super) fn is_unspelt(help: &str) -> bool {
    help == "consider changing this to be mutable" || help == "consider making this binding mutable"
}

/// A long list of what implements a trait helps nobody who meant a number.
pub(in super::super) fn is_list(help: &str) -> bool {
    (help.starts_with("the following other types implement trait")
        || help.starts_with("the following types implement trait"))
        && (help.contains("others") || help.contains("implements `"))
}

/// Why a trait is requested, and the types of a label again: nothing new
/// beside gpurepl's advice.
pub(in super::super) fn is_reason(note: &str) -> bool {
    [
        "for `&[T]` pass `",
        "required for `",
        "the following trait bounds were not satisfied",
        "cannot satisfy `",
        "expected ",
    ]
    .iter()
    .any(|start| note.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_letter_have_no_neighbours() {
        for help in [
            "a function with a similar name exists: `println!(\"{i8}\")`",
            "a tuple variant with a similar name exists: `Ok`",
        ] {
            assert!(is_internal(help), "{help}");
        }
        assert!(!is_internal("a function with a similar name exists: `minimum(&x, &y)`"));
    }
}

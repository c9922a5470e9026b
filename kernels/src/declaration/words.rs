//! The words of a type: qualifiers, and the names of built-in types.

pub(super) fn is_qualifier(word: &str) -> bool {
    matches!(
        word,
        "const"
            | "volatile"
            | "restrict"
            | "__restrict__"
            | "__restrict"
            | "register"
            | "struct"
            | "class"
            | "enum"
            | "typename"
            | "__grid_constant__"
    )
}

pub(super) fn is_builtin_word(word: &str) -> bool {
    matches!(
        word,
        "unsigned"
            | "signed"
            | "char"
            | "short"
            | "int"
            | "long"
            | "float"
            | "double"
            | "bool"
            | "void"
            | "_Bool"
    )
}

/// One order for the words of built-in types, of which C allows any.
pub(super) fn canonical(words: &[String]) -> String {
    if words.len() < 2 || !words.iter().all(|word| is_builtin_word(word)) {
        return words.join(" ");
    }
    let count = |wanted: &str| words.iter().filter(|word| *word == wanted).count();
    let mut ordered = Vec::new();
    for word in ["signed", "unsigned", "char", "short", "long", "int", "float", "double"] {
        ordered.extend(std::iter::repeat_n(word, count(word)));
    }
    ordered.join(" ")
}

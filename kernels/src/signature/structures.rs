//! Structures that a source defines.

use std::collections::{HashMap, HashSet};

use crate::declaration::vector_type;
use crate::token::{Token, TokenKind, closing};

/// The names of the structures and unions that a source defines, and other names
/// that it gives to them.
pub(super) fn defined(source: &str, all: &[Token], names: &HashMap<String, String>) -> HashSet<String> {
    let mut found = HashSet::new();
    for (k, token) in all.iter().enumerate() {
        let is_one = ["struct", "class", "union"].iter().any(|word| token.is_name(source, word));
        // `enum class` is a number.
        if !is_one || k.checked_sub(1).is_some_and(|before| all[before].is_name(source, "enum")) {
            continue;
        }
        let mut at = k + 1;
        while let Some(open) = attribute(source, all, at) {
            at = closing(source, all, open).map_or(all.len(), |close| close + 1);
        }
        let name = all.get(at).filter(|token| token.kind == TokenKind::Identifier);
        at += usize::from(name.is_some());
        if all.get(at).is_some_and(|token| token.is_name(source, "final")) {
            at += 1;
        }
        let Some(next) = all.get(at).filter(|next| next.is_mark(source, '{') || next.is_mark(source, ':'))
        else {
            continue;
        };
        found.extend(name.map(|name| name.text(source).to_owned()));
        let is_renamed = k.checked_sub(1).is_some_and(|before| all[before].is_name(source, "typedef"));
        if let (true, true, Some(close)) = (is_renamed, next.is_mark(source, '{'), closing(source, all, at)) {
            let more = all[close + 1..].iter().take_while(|token| !token.is_mark(source, ';'));
            found.extend(
                more.filter(|token| token.kind == TokenKind::Identifier)
                    .map(|token| token.text(source).to_owned()),
            );
        }
    }
    // A name of a name of a structure is one; names are not many.
    for _ in 0..names.len().min(8) {
        for (name, meaning) in names {
            if includes(&found, meaning) {
                found.insert(name.clone());
            }
        }
    }
    found
}

/// Where the parentheses of an attribute open, `__align__(8)`.
fn attribute(source: &str, all: &[Token], at: usize) -> Option<usize> {
    let is_attribute = ["__align__", "alignas", "__attribute__"]
        .iter()
        .any(|word| all.get(at).is_some_and(|token| token.is_name(source, word)));
    (is_attribute && all.get(at + 1)?.is_mark(source, '(')).then_some(at + 1)
}

/// Whether a type is one of these structures, or a vector of the CUDA headers.
pub(super) fn includes(structures: &HashSet<String>, spelling: &str) -> bool {
    let plain =
        spelling.trim_start_matches("const ").trim_start_matches("struct ").trim_start_matches("union ");
    let base = plain.split('<').next().unwrap_or(plain).trim();
    let base = base.rsplit("::").next().unwrap_or(base).trim();
    !plain.ends_with('*') && (structures.contains(base) || vector_type(base).is_some())
}

#[cfg(test)]
mod tests {
    use crate::preprocessor::Environment;
    use crate::signature::find;

    #[test]
    fn structures_are_known_from_the_text() {
        let source = "struct A { int x; }; struct __align__(8) B final : A {}; typedef struct { float x; } C, D;\n\
                      union U { int i; float f; }; enum class E { One }; enum F { Two }; using G = A; typedef G H;\n\
                      struct Later; template <class T> struct Box { T x; };\n\
                      __global__ void k(A a, B b, struct C c, D d, U u, H h, Box<int> box, float2 v, \
                      E e, F f, Later later, A *p, int n, cudaTextureObject_t t) {}";
        let found = find(source, &Environment::default()).unwrap();
        let are: Vec<bool> = found[0].parameters.iter().map(|parameter| parameter.is_structure).collect();
        assert_eq!(are, [[true; 8].as_slice(), &[false; 6]].concat());
        let source = "template <class T> __global__ void k(T x, T *y) {}";
        let found = find(source, &Environment::default()).unwrap();
        assert!(found[0].parameters.iter().all(|parameter| !parameter.is_structure));
    }
}

//! Variables that a cell binds before it mentions them: older ones of the
//! same names are nothing to it.
//!
//! ```text
//! let v = 3; v + 1             needs no older `v`
//! let v = v + 1;               does
//! println!("{v}"); let v = 3;  does
//! ```

use std::collections::HashSet;

use quote::ToTokens as _;
use syn::{Pat, Stmt};

use super::split::{collect_names, plain};

/// The names that are bound before they are mentioned. Only patterns in which
/// every name is bound count, and so do only statements of the cell itself: a
/// name too few costs nothing.
pub(super) fn fresh(statements: &[Stmt]) -> HashSet<String> {
    let (mut seen, mut fresh) = (HashSet::new(), HashSet::new());
    for statement in statements {
        if let Stmt::Local(local) = statement
            && local.attrs.is_empty()
            && let Some(bound) = bound(&local.pat)
        {
            let mut used = HashSet::new();
            if let Pat::Type(typed) = &local.pat {
                collect_names(typed.ty.to_token_stream(), &mut used);
            }
            if let Some(init) = &local.init {
                collect_names(init.expr.to_token_stream(), &mut used);
                if let Some((_, diverge)) = &init.diverge {
                    collect_names(diverge.to_token_stream(), &mut used);
                }
            }
            seen.extend(used);
            fresh.extend(bound.into_iter().filter(|name| !seen.contains(name)));
        }
        collect_names(statement.to_token_stream(), &mut seen);
    }
    fresh
}

/// The names of a pattern, if all that is in it is bound: `a`, `(a, mut b)`.
fn bound(pattern: &Pat) -> Option<Vec<String>> {
    match pattern {
        Pat::Ident(binding) if binding.subpat.is_none() && binding.attrs.is_empty() => {
            Some(vec![plain(&binding.ident)])
        }
        Pat::Type(typed) => bound(&typed.pat),
        Pat::Paren(inner) => bound(&inner.pat),
        Pat::Tuple(tuple) => {
            let names: Option<Vec<Vec<String>>> = tuple.elems.iter().map(bound).collect();
            Some(names?.concat())
        }
        Pat::Wild(_) | Pat::Rest(_) => Some(Vec::new()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::Block;
    use syn::parse::Parser as _;

    fn of(source: &str) -> Vec<String> {
        let mut names: Vec<String> =
            fresh(&Block::parse_within.parse_str(source).unwrap()).into_iter().collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_bound_before_it_is_mentioned_is_fresh() {
        assert_eq!(of("let v = 3; v + 1"), ["v"]);
        assert_eq!(of("let mut line = String::new(); stdin().read_line(&mut line)?;"), ["line"]);
        assert_eq!(of("let (a, mut b): (i32, _) = f(c); let d = a;"), ["a", "b", "d"]);
        assert_eq!(of("let v = 3; let v = v + 1;"), ["v"]);
    }

    #[test]
    fn what_is_mentioned_before_is_not() {
        for source in [
            "let v = v + 1;",
            "println!(\"{v}\"); let v = 3;",
            "fn f() -> i32 { v } let v = 3;",
            "let v = 3 + { let w = v; w };",
            "let Some(v) = f() else { v.clear(); return Ok(()) };",
            "let S { v } = f();",
            "let v: [u8; size_of_val(v)] = f();",
            "if true { let v = 3; v } else { v };",
            "#[cfg(test)] let v = 3;",
            "v = 3;",
        ] {
            assert!(!of(source).contains(&"v".to_owned()), "{source}");
        }
    }
}

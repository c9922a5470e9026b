//! New variables that borrow from others, and so live no longer than their cell.
//!
//! Every variable has to outlive its cell. Where that is too much to ask, the
//! compiler's message is about the user's lines and seldom about ours:
//!
//! ```text
//! let kv = s.split_once('=').map(|(k, v)| (k, v));
//!          ^                              ------ returning this value requires
//!                                                that `s` is borrowed for `'static`
//! ```
//!
//! Then the cell is compiled as if nothing had to outlive it, for the types of
//! its variables alone. Those whose types may hold a reference, and which the
//! statement of the message is about, are not kept.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use proc_macro2::TokenStream;
use syn::spanned::Spanned as _;
use syn::visit::Visit;
use syn::{Expr, ExprClosure, Stmt};

use super::compile::Message;
use super::split::{Split, collect_names, plain};

/// The variables that may be those that the places, in bytes of the cell's
/// text, are about. `types` are the types of all that are to be kept; what
/// the `lender` says is lent does not borrow.
pub(super) fn borrowers(
    split: &Split,
    types: &BTreeMap<String, String>,
    places: &[usize],
    lender: Option<&str>,
) -> Vec<String> {
    let candidates: Vec<&String> = types
        .iter()
        .filter(|(name, of)| may_borrow(of) && Some(name.as_str()) != lender)
        .map(|(name, _)| name)
        .collect();
    let mentioned = |at: &Range<usize>| {
        let mut names = HashSet::new();
        if let Ok(tokens) = split.source[at.clone()].parse::<TokenStream>() {
            collect_names(tokens, &mut names);
        }
        names
    };
    let of = |names: &HashSet<String>| -> Vec<String> {
        candidates.iter().filter(|name| names.contains(**name)).map(|name| (*name).clone()).collect()
    };
    let statements = split.statements.iter().filter(|range| places.iter().any(|place| range.contains(place)));
    let statements: Vec<&Range<usize>> = statements.collect();
    // What the statements bind; else what they change; else what later ones
    // make of it.
    let bound = statements.iter().flat_map(|range| bound(&split.source[(*range).clone()])).collect();
    let found = of(&bound);
    if !found.is_empty() {
        return found;
    }
    let mut reached: HashSet<String> = statements.iter().flat_map(|range| mentioned(range)).collect();
    let found = of(&reached);
    if !found.is_empty() {
        return found;
    }
    let is_bound = |name: &&String| split.bindings.iter().any(|binding| binding.name == **name);
    reached.retain(|name| is_bound(&name));
    for range in &split.statements {
        let names = mentioned(range);
        if names.iter().any(|name| reached.contains(name)) {
            reached.extend(names.iter().filter(is_bound).cloned());
        }
    }
    let found = of(&reached);
    if found.is_empty() { candidates.into_iter().cloned().collect() } else { found }
}

/// The variables that a statement binds.
fn bound(statement: &str) -> HashSet<String> {
    let Ok(Stmt::Local(local)) = syn::parse_str::<Stmt>(statement) else { return HashSet::new() };
    let mut names = Names(HashSet::new());
    names.visit_pat(&local.pat);
    names.0
}

/// The names in patterns.
struct Names(HashSet<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.0.insert(plain(&pattern.ident));
        syn::visit::visit_pat_ident(self, pattern);
    }
}

/// Whether a value of a type may hold a reference, by the compiler's text of
/// the type.
fn may_borrow(of: &str) -> bool {
    of.contains(['&', '\'', '{']) || of.contains("dyn ") || of.contains("impl ")
}

/// Why a variable is not kept. `place` is where the message points to in the
/// cell's text.
pub(super) fn reason(message: &Message, source: &str, place: Option<usize>) -> String {
    let lender = lender(&message.message);
    let is_capture = |label: &String| label.contains("due to use in closure") || label.contains("captured");
    let in_closure = place.is_some_and(|place| is_captured(message, source, place))
        || has_closure(source) && message.spans.iter().filter_map(|span| span.label.as_ref()).any(is_capture);
    match lender {
        Some(lender) if in_closure => {
            format!("it borrows `{lender}`; `move` before `|` gives the closure its own value")
        }
        Some(lender) => format!("it borrows from `{lender}`, which may change between cells"),
        None if message.code() == "E0716" => {
            "it borrows from a value that is dropped at the end of its statement; give that a name by `let`"
                .to_owned()
        }
        None => "it borrows from a value that may change between cells".to_owned(),
    }
}

/// What to write for a reference to an array: one that its variable owns.
pub(super) fn owned(of: &str) -> &'static str {
    let Some(of) = of.strip_prefix('&') else { return "" };
    let of = match of.starts_with('\'') {
        true => of.split_once(' ').map_or(of, |(_, of)| of),
        false => of,
    };
    let is_array = of.split('<').next().is_some_and(|path| path.rsplit("::").next() == Some("GpuArray"));
    if is_array { "; `.copy()` makes an array of its own, `.slice(..)` a view" } else { "" }
}

/// The variable that a message says is borrowed.
pub(super) fn lender(message: &str) -> Option<&str> {
    let name = message.split('`').nth(1)?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        && !name.starts_with(|c: char| c.is_ascii_digit());
    let is_lender = [
        "` does not live long enough",
        "cannot move out of `",
        "cannot borrow `",
        "cannot assign to `",
        "cannot use `",
        "but it borrows `",
    ];
    (is_name && is_lender.iter().any(|words| message.contains(words))).then_some(name)
}

/// Whether a message is about what a closure without `move` borrows from
/// around it. `place` is where it points to in the cell's text.
pub(super) fn is_captured(message: &Message, source: &str, place: usize) -> bool {
    // What these are about ends in any case.
    !matches!(message.code(), "E0515" | "E0716") && is_in_closure(source, place, lender(&message.message))
}

/// Whether a cell has closures: its own code is one, of which the compiler speaks as well.
fn has_closure(source: &str) -> bool {
    struct Any(bool);
    impl<'ast> Visit<'ast> for Any {
        fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {
            self.0 = true;
        }

        fn visit_macro(&mut self, call: &'ast syn::Macro) {
            self.0 |= call.tokens.to_string().contains('|');
        }
    }
    let Ok(parsed) = syn::parse_str::<syn::File>(&format!("fn f() {{\n{source}\n;}}")) else { return true };
    let mut any = Any(false);
    any.visit_file(&parsed);
    any.0
}

/// Whether a place in a cell is in a closure without `move` that does not bind
/// the name itself.
fn is_in_closure(source: &str, place: usize, name: Option<&str>) -> bool {
    struct Closures<'a> {
        place: usize,
        name: Option<&'a str>,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Closures<'_> {
        fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
            let is_within = closure.span().byte_range().contains(&self.place);
            let mut own = Names(HashSet::new());
            own.visit_expr_closure(closure);
            let is_own = self.name.is_some_and(|name| own.0.contains(name));
            self.found |= is_within && closure.capture.is_none() && !is_own;
            syn::visit::visit_expr_closure(self, closure);
        }

        fn visit_macro(&mut self, call: &'ast syn::Macro) {
            let parser = syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated;
            if let Ok(arguments) = syn::parse::Parser::parse2(parser, call.tokens.clone()) {
                arguments.iter().for_each(|argument| self.visit_expr(argument));
            }
        }
    }
    proc_macro2::extra::invalidate_current_thread_spans();
    // The last statement may lack its semicolon.
    let parsed = syn::parse_str::<syn::File>(&format!("fn f() {{\n{source}\n;}}"));
    let Ok(parsed) = parsed else { return false };
    let mut closures = Closures { place: place + "fn f() {\n".len(), name, found: false };
    closures.visit_file(&parsed);
    closures.found
}

#[cfg(test)]
mod tests {
    use super::super::split::split;
    use super::*;

    fn found(source: &str, types: &[(&str, &str)], at: &str) -> Vec<String> {
        let types = types.iter().map(|(name, of)| ((*name).to_owned(), (*of).to_owned())).collect();
        let split = split(source).unwrap();
        borrowers(&split, &types, &[split.source.find(at).unwrap()], Some("s"))
    }

    #[test]
    fn what_may_borrow_and_is_in_the_statement_does() {
        let source = "let s = f(); let n = 1; let (a, b) = (s.len(), s.g(|x| x)); let t = \"t\";";
        let types = [
            ("s", "std::string::String"),
            ("a", "usize"),
            ("b", "std::option::Option<&'static str>"),
            ("t", "&'static str"),
        ];
        assert_eq!(found(source, &types, "s.g("), ["b"]);
        // Through a variable that borrows already.
        let source = "let s = f(); let r = s.g(); let q = r.h(|x| x); let t = \"t\";";
        let types = [("q", "Parser<'_>"), ("s", "std::string::String"), ("t", "&'static str")];
        assert_eq!(found(source, &types, "s.g("), ["q"]);
        assert!(found(source, &[("s", "i32")], "s.g(").is_empty());
    }

    #[test]
    fn closures_without_move_are_found() {
        for (source, expected) in [
            ("let f = |x| x + n", true),
            ("let f = move |x| x + n;", false),
            ("let f: Vec<F> = vec![Box::new(|x| x + n)]; f", true),
            ("n.iter().map(|x| x)", false),
            ("let f = |x| { let n = x; g(&n) };", false),
            ("v.iter().map(|n| n)", false),
            ("use a::b; struct S; spawn(|| println!(\"{n}\"), n);", true),
        ] {
            let mut places = source.match_indices('n').map(|(at, _)| at);
            assert_eq!(places.any(|at| is_in_closure(source, at, Some("n"))), expected, "{source}");
        }
    }

    #[test]
    fn cells_without_closures_are_told_apart() {
        for (source, expected) in [
            ("let y = &x[0..2]", false),
            ("let y = &x[x.gt(1) | x.lt(0)];", false),
            ("let y = v.iter().map(|x| x);", true),
            ("let y = vec![Box::new(|x| x + n)]", true),
        ] {
            assert_eq!(has_closure(source), expected, "{source}");
        }
    }

    #[test]
    fn references_to_arrays_have_advice() {
        assert!(owned("&array::GpuArray<f64>").contains(".copy()"));
        assert!(owned("&'static GpuArray<f64>").contains(".slice(..)"));
        assert!(owned("&std::string::String").is_empty());
    }

    #[test]
    fn lenders_are_named() {
        for (message, expected) in [
            ("`s` does not live long enough", Some("s")),
            ("cannot move out of `p.0` because it is borrowed", Some("p.0")),
            ("closure may outlive the current function, but it borrows `n`, which is owned by it", Some("n")),
            ("temporary value dropped while borrowed", None),
            ("borrowed data escapes outside of closure", None),
            ("cannot borrow `*v` as mutable because it is also borrowed as immutable", None),
        ] {
            assert_eq!(lender(message), expected, "{message}");
        }
    }
}

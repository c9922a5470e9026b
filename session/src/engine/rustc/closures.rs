//! Closures that a cell passes to methods of arrays: `x.map(|v| v * 2.0 + k)`.
//!
//! A device compiles their texts, so a cell says text and captured values before it
//! passes one. That costs it nothing unless it does: the first attempt is compiled as it is,
//! and its object file says whether a closure was passed to such a method, by the name of a
//! function that it then holds.

use std::collections::HashSet;
use std::ops::Range;

use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Expr, ExprClosure, Stmt};

use super::split::{collect_names, plain};

/// Methods of arrays that take a function of the user's.
const METHODS: [&str; 7] = ["filter", "map", "map_indexed", "reduce", "scan", "sort_by_key", "zip_with"];

/// What the object file of a cell has the name of that passes a function to one
/// of them: `prelude/arrays/src/kernel/rust/map.rs`.
pub(super) const MARK: &str = "function_for_devices";

/// A closure in the statements of a cell.
#[derive(Clone, Debug)]
pub(super) struct PassedClosure {
    /// Where it stands, in bytes.
    pub(super) range: Range<usize>,
    /// Variables that it may use from around it.
    pub(super) captures: Vec<String>,
    /// All names that it mentions.
    pub(super) names: HashSet<String>,
}

/// The closures of a statement.
pub(super) fn closures(statement: &Stmt) -> Vec<PassedClosure> {
    let mut found = Closures(Vec::new());
    found.visit_stmt(statement);
    // In the order of the text: of `a.map(f).map(g)` the call that is met first is the last one.
    found.0.sort_by_key(|closure| closure.range.start);
    found.0
}

struct Closures(Vec<PassedClosure>);

impl<'ast> Visit<'ast> for Closures {
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if METHODS.iter().any(|method| call.method == method)
            && let Some(Expr::Closure(closure)) = call.args.last()
            && closure.asyncness.is_none()
        {
            self.0.push(passed(closure));
            // What is within it runs on the device.
            self.visit_expr(&call.receiver);
            call.args.iter().take(call.args.len() - 1).for_each(|argument| self.visit_expr(argument));
            return;
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let Some(arguments) = arguments(call) else { return };
        let mut within = Closures(Vec::new());
        arguments.iter().for_each(|argument| within.visit_expr(argument));
        self.0.append(&mut within.0);
    }
}

/// The arguments of a macro of the standard library's that takes expressions, and does not show their texts.
fn arguments(call: &syn::Macro) -> Option<syn::punctuated::Punctuated<Expr, syn::Token![,]>> {
    const MACROS: [&str; 12] = [
        "assert_eq",
        "assert_ne",
        "eprint",
        "eprintln",
        "format",
        "gpu",
        "panic",
        "print",
        "println",
        "vec",
        "write",
        "writeln",
    ];
    let name = &call.path.segments.last()?.ident;
    let arguments = call.parse_body_with(syn::punctuated::Punctuated::parse_terminated).ok()?;
    // `assert!` shows its condition if it has no message.
    let is_assert = *name == "assert" && arguments.len() > 1;
    (is_assert || MACROS.iter().any(|of| name == of)).then_some(arguments)
}

fn passed(closure: &ExprClosure) -> PassedClosure {
    let (mut bound, mut used) = (Bound(HashSet::new()), Used(Vec::new()));
    closure.inputs.iter().for_each(|input| bound.visit_pat(input));
    bound.visit_expr(&closure.body);
    used.visit_expr(&closure.body);
    let mut names = HashSet::new();
    collect_names(closure.to_token_stream(), &mut names);
    let mut captures: Vec<String> = used.0.into_iter().filter(|name| !bound.0.contains(name)).collect();
    captures.sort();
    captures.dedup();
    PassedClosure { range: closure.span().byte_range(), captures, names }
}

/// The names that patterns bind.
struct Bound(HashSet<String>);

impl<'ast> Visit<'ast> for Bound {
    fn visit_pat_ident(&mut self, binding: &'ast syn::PatIdent) {
        self.0.insert(plain(&binding.ident));
        visit::visit_pat_ident(self, binding);
    }
}

/// The names that stand for values, but for those of functions that are called.
struct Used(Vec<String>);

impl<'ast> Visit<'ast> for Used {
    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        self.0.extend(path.path.get_ident().map(plain));
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if !matches!(&*call.func, Expr::Path(_)) {
            self.visit_expr(&call.func);
        }
        call.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        // `assert!(v < limit)`: expressions, separated by commas.
        let arguments =
            call.parse_body_with(syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated);
        arguments.iter().flatten().for_each(|argument| self.visit_expr(argument));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, Vec<String>)> {
        let statement: Stmt = syn::parse_str(text).unwrap();
        let all = closures(&statement).into_iter();
        all.map(|closure| (text[closure.range.clone()].to_owned(), closure.captures)).collect()
    }

    #[test]
    fn a_closure_captures_what_it_does_not_bind() {
        assert_eq!(
            found("let y = x.map(|v| { let t = v * k; helper(t, limit.abs()) + p.x });"),
            [(
                "|v| { let t = v * k; helper(t, limit.abs()) + p.x }".to_owned(),
                vec!["k".to_owned(), "limit".to_owned(), "p".to_owned()]
            )]
        );
        assert_eq!(found("x.zip_with(&y, |a, b| a + b);")[0].1, [""; 0]);
        assert_eq!(found("x.map(|v| { assert!(v < top); v });")[0].1, ["top"]);
        assert_eq!(found("assert_eq!(x.map(|v| v + k).sum(), 3.0, \"{}\", 1);")[0].0, "|v| v + k");
        assert_eq!(found("assert!(x.map(|v| v) == y, \"{x:?}\");").len(), 1);
    }

    /// The program ended, since they came in the order of the calls around each other.
    #[test]
    fn closures_of_chained_calls_come_in_the_order_of_the_text() {
        let statement =
            syn::parse_str::<Stmt>("a.map(|v| v * v).map(|w| w + k).filter(|x| *x > 1.0);").unwrap();
        let starts: Vec<usize> = closures(&statement).iter().map(|closure| closure.range.start).collect();
        assert_eq!(starts.len(), 3);
        assert!(starts.is_sorted(), "{starts:?}");
    }

    #[test]
    fn other_closures_are_left_alone() {
        assert_eq!(found("x.find(|v| **v > k);"), []);
        assert_eq!(found("let f = |v| v;"), []);
        assert_eq!(found("a.map(relu);"), []);
    }
}

//! Variables whose types only a later cell decides.
//!
//! ```text
//! let mut list = Vec::new();      of what?
//! list.push(1.5);                 of numbers
//! ```
//!
//! The statement is set aside, and stands before those of the first cell that
//! mentions the variable. Nothing but making an empty value may be put off so:
//! it does the same then as now.

use std::collections::HashSet;
use std::ops::Range;

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::punctuated::Punctuated;
use syn::{Expr, Pat, Stmt, Token};

use super::items::place;
use super::split::{Binding, Split, collect_names};

/// A statement that waits for a cell that decides its types.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) text: String,
    /// Where it was written: the cell, and the line and the column in it.
    pub(super) cell: u64,
    pub(super) line: usize,
    pub(super) column: usize,
    /// The variables that it binds.
    pub(super) bindings: Vec<Binding>,
    /// The names that it mentions.
    pub(super) names: HashSet<String>,
}

/// Types of the standard library that can be made empty, or around something.
const EMPTY: &[&str] = &[
    "Arc",
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "Box",
    "Cell",
    "Default",
    "HashMap",
    "HashSet",
    "LinkedList",
    "Mutex",
    "OnceCell",
    "OnceLock",
    "Rc",
    "RefCell",
    "RwLock",
    "Vec",
    "VecDeque",
    "mpsc",
];

/// The statements of a cell that leave open what they make, by the places of
/// the compiler's messages; none if one of the places is something else.
/// `is_own` tells types of the session's own.
pub(super) fn statements(
    split: &Split,
    places: &[Option<usize>],
    is_own: &dyn Fn(&str) -> bool,
) -> Option<Vec<Range<usize>>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for place in places {
        let place = (*place)?;
        let range = split.statements.iter().find(|range| range.contains(&place))?;
        if found.contains(range) {
            continue;
        }
        let names = bound(&split.source[range.clone()], is_own)?;
        // What the cell itself makes of it has told nothing.
        let others = split.statements.iter().chain(&split.tail).filter(|other| *other != range);
        let mut mentioned = HashSet::new();
        for other in others {
            collect_names(split.source[other.clone()].parse::<TokenStream>().ok()?, &mut mentioned);
        }
        if names.is_empty() || names.iter().any(|name| mentioned.contains(&name.name)) {
            return None;
        }
        found.push(range.clone());
    }
    (!found.is_empty()).then_some(found)
}

/// The variables that a statement makes empty; none if it does anything else.
fn bound(statement: &str, is_own: &dyn Fn(&str) -> bool) -> Option<Vec<Binding>> {
    let Ok(Stmt::Local(local)) = syn::parse_str::<Stmt>(statement) else { return None };
    let init = local.init.filter(|init| init.diverge.is_none())?;
    let is_empty = local.attrs.is_empty() && is_empty(&init.expr, is_own);
    if is_empty { names(&local.pat) } else { None }
}

fn names(pattern: &Pat) -> Option<Vec<Binding>> {
    match pattern {
        Pat::Ident(name) if name.subpat.is_none() => {
            let is_mutable = name.mutability.is_some();
            Some(vec![Binding { name: super::split::plain(&name.ident), is_mutable }])
        }
        Pat::Type(typed) => names(&typed.pat),
        Pat::Tuple(tuple) => Some(tuple.elems.iter().map(names).collect::<Option<Vec<_>>>()?.concat()),
        _ => None,
    }
}

fn is_empty(expression: &Expr, is_own: &dyn Fn(&str) -> bool) -> bool {
    let all = |parts: &Punctuated<Expr, Token![,]>| parts.iter().all(|part| is_empty(part, is_own));
    match expression {
        Expr::Lit(_) => true,
        Expr::Path(path) => path.path.is_ident("None"),
        Expr::Array(array) => all(&array.elems),
        Expr::Tuple(tuple) => all(&tuple.elems),
        Expr::Paren(inner) => is_empty(&inner.expr, is_own),
        Expr::Macro(call) => call.mac.path.is_ident("vec") && call.mac.tokens.is_empty(),
        Expr::Call(call) => {
            let Expr::Path(function) = &*call.func else { return false };
            let segments: Vec<String> =
                function.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let is_made = match &segments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                ["Some"] => true,
                [.., of, "new" | "default" | "with_capacity" | "channel"] => {
                    EMPTY.contains(of) && !is_own(of)
                }
                _ => false,
            };
            is_made && all(&call.args)
        }
        _ => false,
    }
}

impl Split {
    /// The same cell without some of its statements, which are set aside.
    pub(super) fn set_aside(mut self, cell: u64, ranges: &[Range<usize>]) -> Split {
        for range in ranges {
            let text = self.source[range.clone()].to_owned();
            let Some(bindings) = bound(&text, &|_| false) else { continue };
            self.statements.retain(|other| other != range);
            self.bindings.retain(|known| bindings.iter().all(|binding| binding.name != known.name));
            let mut names = HashSet::new();
            if let Ok(statement) = syn::parse_str::<Stmt>(&text) {
                collect_names(statement.to_token_stream(), &mut names);
            }
            let (line, column) = place(&self.source, range.start);
            self.open.push(Open { text, cell, line, column, bindings, names });
        }
        self
    }

    /// Takes up what waits for a cell that mentions it.
    pub(super) fn take_up(&mut self, waiting: &[Open]) {
        for open in waiting {
            if !open.bindings.iter().any(|binding| self.takes(&binding.name)) {
                continue;
            }
            for binding in &open.bindings {
                if self.bindings.iter().all(|known| known.name != binding.name) {
                    self.bindings.insert(0, binding.clone());
                }
            }
            self.names.extend(open.names.iter().cloned());
            self.before.push(open.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::split::split;
    use super::*;

    fn open(source: &str) -> bool {
        let split = split(source).unwrap();
        statements(&split, &[Some(4)], &|name| name == "BTreeMap").is_some()
    }

    #[test]
    fn only_what_is_made_empty_waits() {
        for source in [
            "let v = Vec::new();",
            "let mut v = vec![]; let n = 1;",
            "let m = std::collections::HashMap::with_capacity(3)",
            "let n = None;",
            "let (a, b) = std::sync::mpsc::channel();",
            "let s = Rc::new(RefCell::new(Vec::new()));",
            "let v: Vec<_> = Vec::new();",
            "let p = (Vec::new(), [None, None], Some(HashSet::new()), 1);",
            "let d = Default::default();",
        ] {
            assert!(open(source), "{source}");
        }
        for source in [
            "let v = f();",
            "let v = Vec::new(); v.len()",
            "let v = Own::new();",
            "let m = BTreeMap::new();",
            "let m = HashMap::with_capacity(n);",
            "let p = \"5\".parse().unwrap();",
            "let [a, b] = [None, None];",
            "let Some(a) = None else { return Ok(()) };",
        ] {
            assert!(!open(source), "{source}");
        }
    }

    #[test]
    fn a_statement_is_set_aside_and_taken_up() {
        let cell = split("let n = 1;\n  let mut v = Vec::new();").unwrap();
        let ranges = statements(&cell, &[Some(cell.source.find("v =").unwrap())], &|_| false).unwrap();
        let cell = cell.set_aside(7, &ranges);
        let open = &cell.open[0];
        assert_eq!((open.text.as_str(), open.line, open.column), ("let mut v = Vec::new();", 1, 2));
        assert_eq!((cell.statements.len(), cell.bindings.len()), (1, 1));
        let mut next = split("let w = 2; v.push(w);").unwrap();
        next.take_up(&cell.open);
        let names: Vec<&str> = next.bindings.iter().map(|binding| binding.name.as_str()).collect();
        assert_eq!((names, next.before.len()), (vec!["v", "w"], 1));
        let mut other = split("let v = 3; v").unwrap();
        other.take_up(&cell.open);
        assert!(other.before.is_empty());
    }
}

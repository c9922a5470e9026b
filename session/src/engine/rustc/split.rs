//! Taking a cell apart: items, statements, the last value.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::visit::Visit;
use syn::{Attribute, Block, Expr, Item, Pat, Stmt};

use super::closures::{PassedClosure, closures};
use super::fresh::fresh;
use super::open::Open;

/// A `let` with a value.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    pub(super) statement: Range<usize>,
    pub(super) bindings: Vec<Binding>,
    /// Whether what it binds may be kept if the cell fails.
    pub(super) is_plain: bool,
}

/// A cell in parts. Ranges are in bytes of [`Split::source`].
#[derive(Debug, Default)]
pub(super) struct Split {
    /// The cell's text, with a semicolon added if its last statement had none.
    pub(super) source: String,
    /// `#![...]`
    pub(super) inner_attributes: Vec<Range<usize>>,
    /// Lints that these attributes make errors: `unsafe_code`.
    pub(super) denied: Vec<String>,
    pub(super) items: Vec<SplitItem>,
    pub(super) statements: Vec<Range<usize>>,
    /// The last expression, if it has no semicolon: the cell's value.
    pub(super) tail: Option<Range<usize>>,
    /// New variables in the order of their bindings; the last of a name counts.
    pub(super) bindings: Vec<Binding>,
    /// The statements that bind variables to values.
    pub(super) bound: Vec<Bound>,
    /// Whether anything is awaited outside of functions and closures.
    pub(super) is_async: bool,
    /// Where a `return` without a value ends that ends the cell.
    pub(super) returns: Vec<usize>,
    /// Every name that the cell mentions, in macros and format texts as well.
    pub(super) names: HashSet<String>,
    /// Variables that it binds before it mentions them.
    pub(super) fresh: HashSet<String>,
    /// Names that are assigned to as a whole, anywhere: `name = value`.
    pub(super) assigned: HashSet<String>,
    /// Statements, and perhaps the tail, that are a macro with braces, which
    /// may define items.
    pub(super) brace_macros: Vec<SplitItem>,
    /// All statements that are macro calls and could be items.
    pub(super) macros: Vec<SplitItem>,
    /// Values of earlier cells that it asks for: the names that they have in
    /// `source`, the cells, and the types.
    pub(super) recalled: BTreeMap<String, (u64, String)>,
    /// Places of `_`, in the text as it was typed, that the compiler has found
    /// to be expressions.
    pub(super) expressions: Vec<Range<usize>>,
    /// Statements of earlier cells that stand before its own.
    pub(super) before: Vec<Open>,
    /// Statements that wait for a cell that decides their types.
    pub(super) open: Vec<Open>,
    /// Macros that stand among the statements, where they see variables; they
    /// end with the cell.
    pub(super) local_macros: Vec<String>,
    /// Closures that it passes to methods that an array may have.
    pub(super) closures: Vec<PassedClosure>,
    /// Whether the last expression has attributes.
    pub(super) has_tail_attributes: bool,
    /// Whether nothing follows the last item.
    pub(super) ends_with_item: bool,
}

#[derive(Debug)]
pub(super) struct SplitItem {
    pub(super) range: Range<usize>,
    pub(super) item: Item,
}

/// A variable that a cell binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Binding {
    pub(super) name: String,
    pub(super) is_mutable: bool,
}

/// A text that is not Rust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) message: String,
    pub(super) range: Range<usize>,
    /// Whether its characters make no tokens.
    pub(super) is_lexical: bool,
}

/// Takes a cell apart.
pub(super) fn split(source: &str) -> Result<Split, SyntaxError> {
    // The parser keeps every text it has seen, to find places in it.
    proc_macro2::extra::invalidate_current_thread_spans();
    match parse(source) {
        Ok(split) => Ok(split),
        // A statement without its semicolon at the end is complete enough;
        // a function without its body is not.
        Err(error) => match parse(&format!("{source}\n;")) {
            Ok(split) if !split.ends_with_item => Ok(split),
            _ => Err(error),
        },
    }
}

impl Split {
    /// Whether anything of the cell runs, and not only defines. What a cell leaves open may be all that it has.
    pub(super) fn has_code(&self) -> bool {
        !self.open.is_empty() || !self.statements.is_empty() || self.tail.is_some()
    }

    /// Whether the cell needs an older variable of this name.
    pub(super) fn takes(&self, name: &str) -> bool {
        self.names.contains(name) && !self.fresh.contains(name)
    }

    /// The same cell with its macros with braces taken for items.
    pub(super) fn with_macros_as_items(self) -> Split {
        let ranges: Vec<Range<usize>> = self.brace_macros.iter().map(|item| item.range.clone()).collect();
        self.with_items(&|range| ranges.contains(range))
    }

    /// The definitions of macros among the items, by their places.
    pub(super) fn macro_definitions(&self) -> impl Iterator<Item = (&Range<usize>, String)> {
        self.items.iter().filter_map(|item| match &item.item {
            Item::Macro(definition) => Some((&item.range, plain(definition.ident.as_ref()?))),
            _ => None,
        })
    }

    /// The same cell with these definitions of macros among its statements.
    pub(super) fn with_local_macros(mut self, ranges: &[Range<usize>]) -> Split {
        let names =
            self.macro_definitions().filter(|(range, _)| ranges.contains(range)).map(|(_, name)| name);
        let names: Vec<String> = names.collect();
        self.local_macros.extend(names);
        self.items.retain(|item| !ranges.contains(&item.range));
        self.statements.extend(ranges.iter().cloned());
        self.statements.sort_by_key(|range| range.start);
        self
    }

    /// The same cell with some of its macro calls taken for items.
    pub(super) fn with_items(mut self, is_item: &dyn Fn(&Range<usize>) -> bool) -> Split {
        let (items, left) =
            std::mem::take(&mut self.macros).into_iter().partition(|item| is_item(&item.range));
        self.macros = left;
        self.items.extend::<Vec<SplitItem>>(items);
        self.brace_macros.retain(|item| !is_item(&item.range));
        self.statements.retain(|range| !is_item(range));
        self.tail = self.tail.filter(|range| !is_item(range));
        self
    }
}

/// The macro call of a statement as an item.
fn macro_item(range: Range<usize>, invocation: syn::StmtMacro) -> SplitItem {
    let syn::StmtMacro { attrs, mac, semi_token } = invocation;
    SplitItem { range, item: Item::Macro(syn::ItemMacro { attrs, ident: None, mac, semi_token }) }
}

fn parse(source: &str) -> Result<Split, SyntaxError> {
    let parser =
        |input: ParseStream<'_>| Ok((input.call(Attribute::parse_inner)?, input.call(Block::parse_within)?));
    let (attributes, statements) = parser.parse_str(source).map_err(|error| SyntaxError {
        message: error.to_string(),
        range: clamp(error.span(), source),
        is_lexical: source.parse::<TokenStream>().is_err(),
    })?;
    let mut split = Split { source: source.to_owned(), ..Split::default() };
    split.inner_attributes = attributes.iter().map(|attribute| attribute.span().byte_range()).collect();
    split.denied = attributes.iter().flat_map(denied).collect();
    if let Ok(tokens) = source.parse::<TokenStream>() {
        collect_names(tokens, &mut split.names);
    }
    split.fresh = fresh(&statements);
    let last = statements.len().checked_sub(1);
    for (k, statement) in statements.into_iter().enumerate() {
        let range = statement.span().byte_range();
        let mut awaits = FindAwait(false);
        awaits.visit_stmt(&statement);
        Assigned(&mut split.assigned).visit_stmt(&statement);
        Returns(&mut split.returns).visit_stmt(&statement);
        split.closures.extend(closures(&statement));
        split.ends_with_item = matches!(statement, Stmt::Item(_));
        match statement {
            Stmt::Item(item) => {
                split.items.push(SplitItem { range, item });
                continue;
            }
            Stmt::Expr(Expr::Verbatim(_), _) => continue, // A lone semicolon.
            Stmt::Macro(invocation) if is_item_macro(&invocation.mac.path) => {
                split.items.push(macro_item(range, invocation));
                continue;
            }
            Stmt::Expr(_, None) if Some(k) == last => {
                split.has_tail_attributes = source[range.clone()].starts_with('#');
                split.tail = Some(range);
            }
            Stmt::Macro(invocation) => {
                let is_tail = Some(k) == last && invocation.semi_token.is_none();
                let has_braces = matches!(invocation.mac.delimiter, syn::MacroDelimiter::Brace(_));
                if has_braces || invocation.semi_token.is_some() {
                    split.macros.push(macro_item(range.clone(), invocation.clone()));
                }
                if has_braces {
                    split.brace_macros.push(macro_item(range.clone(), invocation));
                }
                if is_tail {
                    split.tail = Some(range);
                } else {
                    split.statements.push(range);
                }
            }
            Stmt::Local(local) => {
                Bindings(&mut split.bindings).visit_pat(&local.pat);
                if let Some(init) = &local.init {
                    // A reference is not kept, and may not be asked about: that would cost a run of
                    // the compiler, as it does for closures that are not `Copy`.
                    let is_plain = !matches!(*init.expr, Expr::Reference(_) | Expr::Closure(_));
                    let mut bindings = Vec::new();
                    Bindings(&mut bindings).visit_pat(&local.pat);
                    split.bound.push(Bound { statement: range.clone(), bindings, is_plain });
                }
                split.statements.push(range);
            }
            Stmt::Expr(..) => split.statements.push(range),
        }
        split.is_async |= awaits.0;
    }
    Ok(split)
}

/// The lints of `#![deny(..)]` and `#![forbid(..)]`.
fn denied(attribute: &Attribute) -> Vec<String> {
    if !["deny", "forbid"].iter().any(|level| attribute.path().is_ident(level)) {
        return Vec::new();
    }
    let mut lints = Vec::new();
    // `reason = ".."` may stand among them.
    let _ = attribute.parse_nested_meta(|lint| {
        if let Ok(value) = lint.value() {
            value.parse::<syn::Lit>()?;
        } else {
            let segments = lint.path.segments.iter().map(|segment| segment.ident.to_string());
            lints.push(segments.collect::<Vec<_>>().join("::"));
        }
        Ok(())
    });
    lints
}

/// A place in the source; past its end for what is missing there.
fn clamp(span: Span, source: &str) -> Range<usize> {
    let range = span.byte_range();
    if range.is_empty() && range.start == 0 {
        // "unexpected end of input" has no place of its own.
        let end = source.trim_end().len();
        return end..end;
    }
    range.start.min(source.len())..range.end.min(source.len())
}

/// Macros of the standard library that define statics.
fn is_item_macro(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|segment| segment.ident == "thread_local")
}

/// A name without the `r#` that lets a keyword be one.
pub(super) fn plain(name: &proc_macro2::Ident) -> String {
    let text = name.to_string();
    text.strip_prefix("r#").map_or_else(|| text.clone(), str::to_owned)
}

/// The names in tokens: identifiers, and those within format texts.
pub(super) fn collect_names(tokens: TokenStream, names: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect_names(group.stream(), names),
            TokenTree::Ident(name) => {
                names.insert(plain(&name));
            }
            TokenTree::Literal(literal) => names_in_text(&literal.to_string(), names),
            TokenTree::Punct(_) => {}
        }
    }
}

/// The names in a format text: `{name}`, `{name:?}`, `{:width$}`.
fn names_in_text(text: &str, names: &mut HashSet<String>) {
    if !text.contains('{') {
        return;
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    for part in text.split('{').skip(1) {
        let inside = part.split('}').next().unwrap_or("");
        for word in inside.split(|c: char| !is_part(c)) {
            if word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                names.insert(word.to_owned());
            }
        }
    }
}

/// Finds `return;` outside of functions and closures.
struct Returns<'a>(&'a mut Vec<usize>);

impl<'ast> Visit<'ast> for Returns<'_> {
    fn visit_expr_return(&mut self, expression: &'ast syn::ExprReturn) {
        if expression.expr.is_none() {
            self.0.push(expression.return_token.span().byte_range().end);
        }
        syn::visit::visit_expr_return(self, expression);
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}

    fn visit_item(&mut self, _: &'ast Item) {}
}

/// Collects the variables of a pattern.
struct Bindings<'a>(&'a mut Vec<Binding>);

impl<'ast> Visit<'ast> for Bindings<'_> {
    fn visit_pat(&mut self, pattern: &'ast Pat) {
        if let Pat::Ident(binding) = pattern
            && binding.ident != "None"
        {
            let name = plain(&binding.ident);
            self.0.retain(|known| known.name != name);
            self.0.push(Binding { name, is_mutable: binding.mutability.is_some() });
        }
        syn::visit::visit_pat(self, pattern);
    }

    // Patterns within expressions bind for those expressions only.
    fn visit_expr(&mut self, _: &'ast Expr) {}
}

/// Collects the variables that are given a new value as a whole, anywhere:
/// `a = a * 2.0` in a loop, `(a, b) = (b, a)`.
struct Assigned<'a>(&'a mut HashSet<String>);

impl<'ast> Visit<'ast> for Assigned<'_> {
    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        let mut left = vec![&*assign.left];
        while let Some(expression) = left.pop() {
            match expression {
                Expr::Path(path) => self.0.extend(path.path.get_ident().map(plain)),
                Expr::Tuple(tuple) => left.extend(&tuple.elems),
                Expr::Array(array) => left.extend(&array.elems),
                Expr::Paren(inner) => left.push(&inner.expr),
                _ => {}
            }
        }
        syn::visit::visit_expr_assign(self, assign);
    }
}

/// Looks for `.await` that belongs to the cell itself.
struct FindAwait(bool);

impl<'ast> Visit<'ast> for FindAwait {
    fn visit_expr_await(&mut self, _: &'ast syn::ExprAwait) {
        self.0 = true;
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        let mut names = HashSet::new();
        collect_names(invocation.tokens.clone(), &mut names);
        self.0 |= names.contains("await");
    }

    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_item(&mut self, _: &'ast Item) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<'a>(split: &'a Split, ranges: &[Range<usize>]) -> Vec<&'a str> {
        ranges.iter().map(|range| &split.source[range.clone()]).collect()
    }

    #[test]
    fn parts_are_told_apart() {
        let split = split("#![allow(x)]\nuse a::b;\nlet v = 1; struct S;\nfoo(v); v + 1").unwrap();
        assert_eq!(texts(&split, &split.inner_attributes), ["#![allow(x)]"]);
        assert_eq!(split.items.len(), 2);
        assert_eq!(texts(&split, &split.statements), ["let v = 1;", "foo(v);"]);
        assert_eq!(&split.source[split.tail.clone().unwrap()], "v + 1");
    }

    #[test]
    fn bindings_of_all_patterns() {
        let split = split("let (mut a, [b, .., c], S { d, e: ref f }, g @ 1..=9, None, Some(_)) = x; let Ok(h) = y else { let z = 1; return Ok(()) };").unwrap();
        let names: Vec<_> = split.bindings.iter().map(|b| b.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "d", "f", "g", "h"]);
        assert!(split.bindings[0].is_mutable && !split.bindings[1].is_mutable);
    }

    #[test]
    fn a_missing_semicolon_at_the_end_is_added() {
        let split = split("let x = 5").unwrap();
        assert_eq!(texts(&split, &split.statements), ["let x = 5\n;"]);
        let split = self::split("let x = 5 // five").unwrap();
        assert_eq!(texts(&split, &split.statements), ["let x = 5 // five\n;"]);
    }

    #[test]
    fn names_in_macros_and_format_texts() {
        let split = split("println!(\"{a} {b:?} {:>c$} {{d}}\", e.f, width = g)").unwrap();
        for name in ["a", "b", "c", "e", "f", "g", "println"] {
            assert!(split.names.contains(name), "{name}");
        }
    }

    #[test]
    fn awaits_of_the_cell_itself() {
        assert!(split("let x = f().await;").unwrap().is_async);
        assert!(split("println!(\"{}\", f().await)").unwrap().is_async);
        assert!(!split("let f = async { g().await }; async fn h() { g().await }").unwrap().is_async);
    }

    #[test]
    fn lints_that_are_denied_are_known() {
        let split =
            split("#![allow(a)]\n#![forbid(unsafe_code, reason = \"b\")]\n#![deny(clippy::all, c)]\n1")
                .unwrap();
        assert_eq!(split.denied, ["unsafe_code", "clippy::all", "c"]);
    }

    #[test]
    fn errors_have_places() {
        let error = split("let x = = 5;").unwrap_err();
        assert_eq!(error.range, 8..9);
        let error = split("let x: = 5").unwrap_err();
        assert_eq!(error.range, 7..8);
    }
}

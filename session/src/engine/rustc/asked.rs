//! Where a cell asks for the values of earlier ones: `_`, `Out[3]`, `_3`.
//!
//! Rust itself has `_` in patterns, in types and on the left of an assignment.
//! What a macro is given has no grammar but the macro's own: there `_` is a
//! value only where it can be nothing else.
//!
//! ```text
//! println!("{}", _)      an expression: the macro takes nothing else
//! matches!(o, Some(_))   a pattern
//! mine!(_.len())         an expression: no pattern and no type reads so
//! mine!(Some(_))         either one; the compiler knows which
//! ```

use std::ops::Range;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, Item, Lit, Pat, Stmt, Token};

/// What a cell asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// `_`
    Latest,
    /// `Out[3]`
    Numbered(u64),
    /// `_3`
    Named(u64),
    /// `_3` in a format text
    NamedInText(u64),
}

/// Macros that take expressions, with commas or semicolons between them.
const TAKE_EXPRESSIONS: &[&str] = &[
    "array",
    "assert",
    "assert_eq",
    "assert_ne",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "gpu",
    "launch",
    "panic",
    "print",
    "println",
    "s",
    "set",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Macros that take an expression, a pattern with a guard perhaps, and more
/// expressions.
const TAKE_A_PATTERN: &[&str] = &["assert_matches", "debug_assert_matches", "matches"];

/// Macros that evaluate nothing of what they are given.
const TAKE_TOKENS: &[&str] = &[
    "cfg",
    "compile_error",
    "concat",
    "elementwise",
    "env",
    "include",
    "include_bytes",
    "include_str",
    "offset_of",
    "option_env",
    "reduction",
    "stringify",
    "thread_local",
];

/// The places in a cell's text, in bytes, that ask for a value, the first
/// first. `is_macro` tells macros of the session's own, which may have the
/// name of another; `expressions` are places of `_` that are known to be
/// values.
pub(super) fn asked(
    source: &str,
    is_macro: &dyn Fn(&str) -> bool,
    expressions: &[Range<usize>],
) -> Vec<(Range<usize>, What)> {
    let parser =
        |input: ParseStream<'_>| Ok((input.call(Attribute::parse_inner)?, input.call(Block::parse_within)?));
    proc_macro2::extra::invalidate_current_thread_spans();
    // What is not Rust is told about elsewhere.
    let parsed = parser.parse_str(source).or_else(|_| parser.parse_str(&format!("{source}\n;")));
    let Ok((_, statements)) = parsed else { return Vec::new() };
    let defines = |statement: &Stmt, name: &str| match statement {
        Stmt::Item(Item::Macro(item)) => item.ident.as_ref().is_some_and(|own| own == name),
        _ => false,
    };
    let is_macro = |name: &str| is_macro(name) || statements.iter().any(|own| defines(own, name));
    let mut search = Search { source, is_macro: &is_macro, places: Vec::new(), is_sure: true };
    statements.iter().for_each(|statement| search.visit_stmt(statement));
    let mut places = search.places;
    let known = expressions.iter().filter(|range| source.get((*range).clone()) == Some("_"));
    places.extend(known.map(|range| (range.clone(), What::Latest)));
    places.sort_by_key(|(range, _)| range.start);
    places.dedup();
    places
}

/// Whether a text asks for the value of an earlier cell: `_`, `Out[3]`.
pub fn asks_for_values(source: &str) -> bool {
    // Most texts need not be parsed for it.
    (source.contains('_') || source.contains("Out[")) && !asked(source, &|_| false, &[]).is_empty()
}

struct Search<'a> {
    source: &'a str,
    is_macro: &'a dyn Fn(&str) -> bool,
    places: Vec<(Range<usize>, What)>,
    /// Whether what is looked at is an expression, and not a pattern or a type
    /// that reads like one.
    is_sure: bool,
}

impl Search<'_> {
    fn note(&mut self, span: Span, what: What) {
        self.places.push((span.byte_range(), what));
    }

    fn within(&mut self, is_sure: bool, visit: impl FnOnce(&mut Self)) {
        let outside = std::mem::replace(&mut self.is_sure, is_sure);
        visit(self);
        self.is_sure = outside;
    }

    /// The left side of an assignment: `(a, _) = pair` gives `_` no value to
    /// have, `v[_] = 1` asks for one.
    fn assigned(&mut self, left: &Expr) {
        match left {
            Expr::Infer(_) => {}
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|part| self.assigned(part)),
            Expr::Array(array) => array.elems.iter().for_each(|part| self.assigned(part)),
            Expr::Call(call) => call.args.iter().for_each(|part| self.assigned(part)),
            Expr::Struct(fields) => fields.fields.iter().for_each(|field| self.assigned(&field.expr)),
            Expr::Paren(inner) => self.assigned(&inner.expr),
            other => self.visit_expr(other),
        }
    }

    /// What stands between commas and semicolons, as far as it is an expression.
    fn expressions(&mut self, tokens: TokenStream, separators: &[char]) {
        // Commas within `HashMap<_, _>` separate nothing: the parser knows which do.
        let list = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(all) = list.parse2(tokens.clone()) {
            all.iter().for_each(|expression| self.visit_expr(expression));
            return;
        }
        for part in parts(tokens, separators) {
            match syn::parse2::<Expr>(part.clone()) {
                Ok(expression) => self.visit_expr(&expression),
                // `a[1, _] = 2`, `f<<<1, 2>>>(_)`
                Err(_) => {
                    for token in part {
                        if let TokenTree::Group(group) = token {
                            self.expressions(group.stream(), separators);
                        }
                    }
                }
            }
        }
    }

    /// `expression, pattern if guard, expressions`
    fn with_pattern(&mut self, tokens: TokenStream) {
        let parser = |input: ParseStream<'_>| {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            Pat::parse_multi_with_leading_vert(input)?;
            let guard: Option<Expr> =
                if input.parse::<Option<Token![if]>>()?.is_some() { Some(input.parse()?) } else { None };
            input.parse::<Option<Token![,]>>()?;
            let rest = Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
            Ok((value, guard, rest))
        };
        if let Ok((value, guard, rest)) = parser.parse2(tokens) {
            self.visit_expr(&value);
            guard.iter().chain(&rest).for_each(|expression| self.visit_expr(expression));
        }
    }

    /// `{_3}` and `{_3:?}` in the texts that a macro is given.
    fn named_in_texts(&mut self, tokens: TokenStream) {
        for token in tokens {
            let TokenTree::Literal(literal) = token else { continue };
            let range = literal.span().byte_range();
            let Some(text) = self.source.get(range.clone()).filter(|text| text.contains(['"'])) else {
                continue;
            };
            let mut at = 0;
            while let Some(open) = text[at..].find('{') {
                at += open + 1;
                if text[at..].starts_with('{') {
                    at += 1;
                    continue;
                }
                let digits = text[at..].strip_prefix('_').unwrap_or("");
                let count = digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                if let Some(number) = number(&digits[..count])
                    && digits[count..].starts_with([':', '}'])
                {
                    let start = range.start + at;
                    self.places.push((start..start + 1 + count, What::NamedInText(number)));
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            Expr::Infer(infer) if self.is_sure => self.note(infer.span(), What::Latest),
            Expr::Assign(assign) => {
                self.assigned(&assign.left);
                self.within(true, |search| search.visit_expr(&assign.right));
            }
            Expr::Index(index) => match numbered(index) {
                Some(number) => self.note(index.span(), What::Numbered(number)),
                None => self.within(true, |search| visit::visit_expr_index(search, index)),
            },
            Expr::Path(path) => {
                let name = path.path.get_ident().map(ToString::to_string).unwrap_or_default();
                if let Some(number) = name.strip_prefix('_').and_then(number) {
                    self.note(path.span(), What::Named(number));
                }
            }
            // A length is a constant.
            Expr::Repeat(repeat) => self.visit_expr(&repeat.expr),
            Expr::Const(_) => {}
            // These read like patterns, or like types.
            Expr::Array(_)
            | Expr::Call(_)
            | Expr::Group(_)
            | Expr::Infer(_)
            | Expr::Lit(_)
            | Expr::Macro(_)
            | Expr::Paren(_)
            | Expr::Range(_)
            | Expr::Reference(_)
            | Expr::Struct(_)
            | Expr::Tuple(_) => visit::visit_expr(self, expression),
            Expr::Binary(binary) if matches!(binary.op, syn::BinOp::BitOr(_)) => {
                visit::visit_expr_binary(self, binary);
            }
            other => self.within(true, |search| visit::visit_expr(search, other)),
        }
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        let name = invocation.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let tokens = invocation.tokens.clone();
        let is_known = |names: &[&str]| names.contains(&name.as_str()) && !(self.is_macro)(&name);
        if is_known(TAKE_TOKENS) {
        } else if is_known(TAKE_A_PATTERN) {
            self.within(true, |search| search.with_pattern(tokens));
        } else if is_known(TAKE_EXPRESSIONS) {
            self.named_in_texts(tokens.clone());
            let separators: &[char] = if name == "set" { &[',', ';', '='] } else { &[',', ';'] };
            self.within(true, |search| search.expressions(tokens, separators));
        } else {
            self.within(false, |search| search.expressions(tokens, &[',', ';']));
        }
    }

    // Functions and constants see no values of cells.
    fn visit_item(&mut self, _: &'ast Item) {}

    // Lengths and arguments of types are constants.
    fn visit_type(&mut self, _: &'ast syn::Type) {}

    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_pat(&mut self, pattern: &'ast Pat) {
        if let Pat::Guard(guarded) = pattern {
            self.within(true, |search| search.visit_expr(&guarded.guard));
        }
    }
}

/// The tokens between separators, those in brackets left whole.
fn parts(tokens: TokenStream, separators: &[char]) -> Vec<TokenStream> {
    let (mut parts, mut part) = (Vec::new(), Vec::new());
    let mut tokens = tokens.into_iter().peekable();
    let mut before = ' ';
    while let Some(token) = tokens.next() {
        let mark = match &token {
            TokenTree::Punct(mark) => mark.as_char(),
            _ => ' ',
        };
        // `=` alone, and not that of `==` or `+=`.
        let is_alone = mark != '='
            || before == ' '
                && !matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '=');
        before = mark;
        if separators.contains(&mark) && is_alone {
            parts.push(std::mem::take(&mut part).into_iter().collect());
        } else {
            part.push(token);
        }
    }
    parts.push(part.into_iter().collect());
    parts
}

/// The number of `Out[3]`.
fn numbered(index: &syn::ExprIndex) -> Option<u64> {
    let (Expr::Path(path), Expr::Lit(literal)) = (&*index.expr, &*index.index) else { return None };
    let Lit::Int(number) = &literal.lit else { return None };
    path.path.is_ident("Out").then(|| number.base10_parse().ok()).flatten()
}

/// The number of `_3`; `_03` is a name of someone's.
fn number(digits: &str) -> Option<u64> {
    if digits.starts_with('0') { None } else { digits.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cell with marks around what asks.
    fn marked(source: &str) -> String {
        let mut text = source.to_owned();
        for (range, _) in asked(source, &|name| name == "mine", &[]).into_iter().rev() {
            text.insert(range.end, '»');
            text.insert(range.start, '«');
        }
        text
    }

    #[test]
    fn what_can_be_nothing_else_is_a_value() {
        for source in [
            "«_».len()",
            "f(&«_», Some(«_»))",
            "v[«_»] = «_»;",
            "(a, _) = («_», 1);",
            "«_» += 1;",
            "[«_»; 3]",
            "println!(\"{} {x}\", «_», x = «_»)",
            "println!(\"{«_3»:?} {{_3}} {_03}\")",
            "vec![«_»; 3]",
            "vec![(«_», Some(«_»))]",
            "gpu![f32; 1, «_»]",
            "set!(a[1, «_»] = «_»)",
            "a[s![.., «_»; -1]]",
            "assert!(matches!(«_», Some(_) | None))",
            "assert!(«_» == 2, \"{}\", «_»)",
            "matches!(o, Some(x) if x > «_»)",
            "mine!(«_» + 1, «_».len(), x.f(«_»), -«_», «_» as f64, «Out[3]»)",
            "mine!(println!(\"{}\", «_»))",
            "mine!({ let (a, _) = «_»; a })",
            "mine!(match «_» { Some(_) => «_», _ => 1 })",
            "match x { _ if «_» => «_», Some(_) => 1 }",
            "v.iter().map(|_| «_»)",
        ] {
            assert_eq!(marked(&source.replace(['«', '»'], "")), source);
        }
    }

    #[test]
    fn patterns_types_and_constants_ask_for_nothing() {
        for source in [
            "matches!(o, Some(_))",
            "assert!(matches!((a, b), (_, _)))",
            "matches!(x, _)",
            "assert_matches!(x, Ok(_) | Err(_))",
            "println!(\"{}\", matches!(o, Some(_)))",
            "println!(\"{:?}\", match o { Some(_) => 1, _ => 2 })",
            "dbg!(v.iter().map(|_| 1).collect::<Vec<_>>())",
            "assert!(if let Some(_) = o { true } else { false })",
            "format!(\"{}\", { let _ = 1; let (_, b) = p; b })",
            "vec![Vec::<_>::new(); 2]",
            "vec![0; const { 3 }]",
            "let a: [i32; _] = [1, 2]; let b: Vec<[_; 2]> = c; f::<_, _>(x); g::<{ 3 }>();",
            "[0; _]",
            "stringify!(_ + 1)",
            "mine!(Some(_))",
            "mine!(_)",
            "mine!(x, Ok(_) | Err(_))",
            "mine!(P { x: _, .. }, [_, 1], &_, _..)",
            "mine!(Vec<_>)",
            "println!(\"{:?}\", v.iter().cloned().collect::<HashMap<_, _>>())",
            "assert_eq!(v.collect::<Result<Vec<i32>, _>>(), Err::<(), _>(1))",
            "mine!(v.collect::<HashMap<_, _>>(), 2)",
            "mine! { _ => 1, Some(_) => { 2 } }",
            "macro_rules! format { ($p:pat) => { 1 } } format!(Some(_))",
            "println!(\"{_}\")",
        ] {
            assert_eq!(marked(source), source);
        }
    }

    #[test]
    fn what_the_compiler_has_found_to_be_an_expression_is_one() {
        let found = asked("mine!(Some(_), _)", &|_| true, &[11..12, 15..16, 0..4]);
        assert_eq!(found, [(11..12, What::Latest), (15..16, What::Latest)]);
    }
}

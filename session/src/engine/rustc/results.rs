//! `_`, `Out[3]` and `_3`: the values that earlier cells had.
//!
//! They become names of variables before the cell is taken apart. Columns are
//! counted in characters, so names are as long as what they stand for: `_`
//! becomes one letter that nobody writes, `Out[3]` the same letter with a
//! number and spaces.

use std::collections::BTreeMap;
use std::ops::Range;

use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::visit::Visit;
use syn::{Attribute, Block, Expr, Lit, Token};

/// A letter, "modifier letter low macron", that looks like `_`.
const MARK: char = '\u{2cd}';

/// A cell's text with names for the values that it asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Recalled {
    pub(super) source: String,
    /// The names, and the cells whose values they have.
    pub(super) names: BTreeMap<String, u64>,
    /// Where the cell asks for which, as it was written.
    pub(super) places: Vec<Place>,
}

/// A place where a cell asks for the value of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// In the cell's text, in bytes.
    pub(super) range: Range<usize>,
    pub(super) cell: u64,
    pub(super) type_name: String,
}

/// A value that is asked for and not there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Missing {
    pub(super) message: String,
    pub(super) range: Range<usize>,
    /// The cell whose value it is; none for the latest.
    pub(super) cell: Option<u64>,
}

/// Gives names to the values that a cell asks for; none if it asks for none.
/// `latest` is the cell that has shown a value last, kept or not: what `_` is.
///
/// # Errors
///
/// If one of them is not kept.
pub(super) fn recall(
    source: &str,
    kept: &BTreeMap<u64, String>,
    latest: Option<u64>,
    is_variable: &dyn Fn(&str) -> bool,
) -> Result<Option<Recalled>, Missing> {
    // Most cells ask for none, and need not be parsed for it.
    if !source.contains('_') && !source.contains("Out[") {
        return Ok(None);
    }
    let parser = |input: syn::parse::ParseStream<'_>| {
        Ok((input.call(Attribute::parse_inner)?, input.call(Block::parse_within)?))
    };
    proc_macro2::extra::invalidate_current_thread_spans();
    // What is no Rust is told about elsewhere.
    let parsed = parser.parse_str(source).or_else(|_| parser.parse_str(&format!("{source}\n;")));
    let Ok((_, statements)) = parsed else { return Ok(None) };
    let mut asked = Asked { places: Vec::new() };
    statements.iter().for_each(|statement| asked.visit_stmt(statement));
    let mut recalled = Recalled { source: source.to_owned(), ..Recalled::default() };
    asked.places.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    for (range, what) in asked.places {
        let text = &source[range.clone()];
        let what = match (what, latest) {
            // Never an older value in its place.
            (What::Latest, Some(cell)) if !kept.contains_key(&cell) => What::Numbered(cell),
            _ => what,
        };
        let number = match what {
            What::Latest => latest.or(kept.keys().next_back().copied()),
            What::Numbered(number) => kept.contains_key(&number).then_some(number),
            // A variable of the user's own has the name.
            What::Named(_) if is_variable(text) => continue,
            What::Named(number) if kept.contains_key(&number) => Some(number),
            What::Named(_) => continue,
        };
        let Some(number) = number else {
            let message = match what {
                What::Latest => "no cell has left a value that `_` could be".to_owned(),
                What::Numbered(cell) | What::Named(cell) => {
                    format!("cell {cell} has left no value that is kept")
                }
            };
            let cell = match what {
                What::Latest => None,
                What::Numbered(number) | What::Named(number) => Some(number),
            };
            return Err(Missing { message, range, cell });
        };
        let name = match what {
            What::Latest => MARK.to_string(),
            What::Numbered(_) => format!("{MARK}{number}"),
            What::Named(_) => text.to_owned(),
        };
        let padding = text.chars().count().saturating_sub(name.chars().count());
        let type_name = kept.get(&number).cloned().unwrap_or_default();
        recalled.places.push(Place { range: range.clone(), cell: number, type_name });
        recalled.source.replace_range(range, &format!("{name}{}", " ".repeat(padding)));
        recalled.names.insert(name, number);
    }
    Ok((!recalled.names.is_empty()).then_some(recalled))
}

/// A compiler's text with what the user has written for these names.
pub(super) fn as_written(text: &str) -> String {
    if !text.contains(MARK) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(MARK) {
        out.push_str(&rest[..at]);
        rest = &rest[at + MARK.len_utf8()..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match &rest[..digits] {
            "" => out.push('_'),
            number => out.push_str(&format!("Out[{number}]")),
        }
        rest = &rest[digits..];
    }
    out.push_str(rest);
    out
}

#[derive(Clone, Copy)]
enum What {
    Latest,
    Numbered(u64),
    Named(u64),
}

struct Asked {
    places: Vec<(Range<usize>, What)>,
}

impl<'ast> Visit<'ast> for Asked {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            Expr::Infer(infer) => self.places.push((infer.span().byte_range(), What::Latest)),
            // `(a, _) = pair;` gives `_` no value to have.
            Expr::Assign(assign) => self.visit_expr(&assign.right),
            Expr::Index(index) => match numbered(index) {
                Some(number) => self.places.push((index.span().byte_range(), What::Numbered(number))),
                None => syn::visit::visit_expr_index(self, index),
            },
            Expr::Path(path) => {
                let name = path.path.get_ident().map(ToString::to_string).unwrap_or_default();
                let digits = name.strip_prefix('_').filter(|digits| !digits.starts_with('0'));
                if let Some(number) = digits.and_then(|digits| digits.parse().ok()) {
                    self.places.push((path.span().byte_range(), What::Named(number)));
                }
            }
            other => syn::visit::visit_expr(self, other),
        }
    }

    /// Macros that take expressions, as `println!` does.
    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(arguments) = parser.parse2(invocation.tokens.clone()) {
            for argument in &arguments {
                self.visit_expr(argument);
            }
        }
    }

    // Functions and constants see no values of cells.
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// The number of `Out[3]`.
fn numbered(index: &syn::ExprIndex) -> Option<u64> {
    let (Expr::Path(path), Expr::Lit(literal)) = (&*index.expr, &*index.index) else { return None };
    let Lit::Int(number) = &literal.lit else { return None };
    path.path.is_ident("Out").then(|| number.base10_parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> BTreeMap<u64, String> {
        BTreeMap::from([(3, "f64".to_owned()), (12, "i32".to_owned())])
    }

    fn recalled(source: &str) -> Option<String> {
        recall(source, &kept(), None, &|name| name == "_3").unwrap().map(|recalled| recalled.source)
    }

    #[test]
    fn values_have_names_of_the_same_length() {
        assert_eq!(recalled("_ + 1").as_deref(), Some("ˍ + 1"));
        assert_eq!(recalled("f(Out[12], Out[3]);").as_deref(), Some("f(ˍ12    , ˍ3    );"));
        assert_eq!(recalled("let a = _12 * 2;").as_deref(), Some("let a = _12 * 2;"));
        assert_eq!(recalled("println!(\"{}\", _)").as_deref(), Some("println!(\"{}\", ˍ)"));
    }

    #[test]
    fn what_is_no_value_stays() {
        for source in [
            "let _ = 1;",
            "(a, _) = pair;",
            "match x { _ => 1 }",
            "let v: Vec<_> = f::<_>();",
            "|_| 1",
            "fn f() -> i32 { _ }",
            "_3",
            "_7",
            "let a_b = 1;",
            "Out(&mut a)",
            "Out[k]",
        ] {
            assert_eq!(recalled(source), None, "{source}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let missing = recall("1 + Out[4]", &kept(), None, &|_| false).unwrap_err();
        assert_eq!(
            (missing.message.as_str(), missing.range),
            ("cell 4 has left no value that is kept", 4..10)
        );
        // The value of cell 12 is none that `_` could be.
        let missing = recall("1 + _", &kept(), Some(13), &|_| false).unwrap_err();
        assert_eq!((missing.cell, missing.range), (Some(13), 4..5));
        let found = recall("_", &kept(), Some(3), &|_| false).unwrap().unwrap();
        assert_eq!(found.places[0].cell, 3);
        let missing = recall("_", &BTreeMap::new(), None, &|_| false).unwrap_err();
        assert!(missing.message.contains("no cell"), "{}", missing.message);
    }

    #[test]
    fn messages_speak_of_what_was_written() {
        assert_eq!(as_written("cannot add `ˍ` to `ˍ12`"), "cannot add `_` to `Out[12]`");
        assert_eq!(as_written("nothing"), "nothing");
    }
}

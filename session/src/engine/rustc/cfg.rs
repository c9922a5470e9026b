//! Conditional compilation: items and statements under a `#[cfg(..)]` that does
//! not hold are no part of a cell.
//!
//! The compiler leaves them out by itself. But of two functions of one name the
//! one that is left out must not replace the other in the session, and only a
//! cell's last statement that is left in can be its value.

use std::collections::HashSet;

use syn::parse::{ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{Attribute, Block, Expr, Lit, Token};

use super::items::blank;

/// What holds: names, and pairs `name="value"`, as `rustc --print cfg` lists
/// them.
#[derive(Clone, Debug, Default)]
pub(super) struct Cfg {
    set: HashSet<String>,
}

impl Cfg {
    /// Reads the compiler's list.
    pub(super) fn read(text: &str) -> Cfg {
        Cfg { set: text.lines().map(|line| line.trim().to_owned()).collect() }
    }

    /// Whether an attribute's condition holds; none if it is not known.
    fn holds(&self, condition: ParseStream<'_>) -> syn::Result<Option<bool>> {
        if condition.peek(Lit) {
            return Ok(match condition.parse()? {
                Lit::Bool(value) => Some(value.value),
                _ => None,
            });
        }
        let name: syn::Ident = syn::ext::IdentExt::parse_any(condition)?;
        if condition.peek(syn::token::Paren) {
            let inner;
            syn::parenthesized!(inner in condition);
            let mut parts = Vec::new();
            while !inner.is_empty() {
                parts.push(self.holds(&inner)?);
                inner.parse::<Option<Token![,]>>()?;
            }
            let all = |wanted: bool| parts.iter().all(|part| *part == Some(wanted));
            let any = |wanted: bool| parts.contains(&Some(wanted));
            return Ok(match (name.to_string().as_str(), &parts[..]) {
                ("not", [part]) => part.map(|holds| !holds),
                ("all", _) if any(false) => Some(false),
                ("all", _) => all(true).then_some(true),
                ("any", _) if any(true) => Some(true),
                ("any", _) => all(false).then_some(false),
                _ => None,
            });
        }
        if condition.parse::<Option<Token![=]>>()?.is_some() {
            let Lit::Str(value) = condition.parse()? else { return Ok(None) };
            return Ok(Some(self.set.contains(&format!("{name}={:?}", value.value()))));
        }
        Ok(Some(self.set.contains(&name.to_string())))
    }

    /// Whether all conditions in front of a statement may hold.
    fn may_hold(&self, statement: &str) -> bool {
        if !statement.starts_with(['#', '/']) {
            return true;
        }
        let parser = |input: ParseStream<'_>| {
            let attributes = input.call(Attribute::parse_outer)?;
            input.parse::<proc_macro2::TokenStream>()?;
            Ok(attributes)
        };
        let Ok(attributes) = parser.parse_str(statement) else { return true };
        attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).all(|attribute| {
            let condition = |input: ParseStream<'_>| {
                let holds = self.holds(input)?;
                input.parse::<Option<Token![,]>>()?;
                Ok(holds)
            };
            !matches!(attribute.parse_args_with(condition), Ok(Some(false)))
        })
    }

    /// The cell with blanks for what does not hold; none if all of it does, or
    /// nothing is known. Optimised cells have no debug assertions.
    pub(super) fn configured(&self, source: &str, has_debug_assertions: bool) -> Option<String> {
        if self.set.is_empty() {
            return None;
        }
        if !has_debug_assertions && self.set.contains("debug_assertions") {
            let mut optimised = self.clone();
            optimised.set.remove("debug_assertions");
            return optimised.configured(source, true);
        }
        let parser = |input: ParseStream<'_>| {
            Ok((input.call(Attribute::parse_inner)?, input.call(Block::parse_within)?))
        };
        proc_macro2::extra::invalidate_current_thread_spans();
        let parsed = parser.parse_str(source).or_else(|_| parser.parse_str(&format!("{source}\n;")));
        let (_, statements) = parsed.ok()?;
        let is_lone = |statement: &syn::Stmt| matches!(statement, syn::Stmt::Expr(Expr::Verbatim(_), _));
        let ranges = statements.iter().filter(|statement| !is_lone(statement));
        let ranges = ranges.map(|statement| statement.span().byte_range());
        let dead: Vec<_> = ranges
            .map(|range| range.start..range.end.min(source.trim_end().len()))
            .filter(|range| source.get(range.clone()).is_some_and(|text| !self.may_hold(text)))
            .collect();
        let mut text = source.to_owned();
        dead.iter().for_each(|range| blank(&mut text, range.clone()));
        (!dead.is_empty()).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(source: &str) -> String {
        let cfg = Cfg::read("debug_assertions\nunix\ntarget_os=\"linux\"\ntarget_feature=\"sse2\"\n");
        let text = cfg.configured(source, true).unwrap_or_else(|| source.to_owned());
        assert_eq!(text.len(), source.len());
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_does_not_hold_is_left_out() {
        for (source, expected) in [
            ("#[cfg(unix)] fn f() {} #[cfg(not(unix))] fn f() {}", "#[cfg(unix)] fn f() {}"),
            ("#[cfg(windows)]\n{ 1 }\n#[cfg(unix)]\n{ 2 }", "#[cfg(unix)] { 2 }"),
            ("#[cfg(unix)] { 1 }\n#[cfg(windows)] { 2 }", "#[cfg(unix)] { 1 }"),
            ("#[cfg(target_os = \"macos\")] let a = 1; let b = 2", "let b = 2"),
            ("/// Words.\n#[cfg(any(windows, all(unix, target_os = \"redox\")))] struct S;", ""),
            ("#[cfg(test)] mod tests { use super::*; }\n5", "5"),
            ("#[cfg(false)] f();", ""),
        ] {
            assert_eq!(left(source), expected, "{source}");
        }
    }

    #[test]
    fn optimised_cells_have_no_debug_assertions() {
        let cfg = Cfg::read("debug_assertions\nunix\n");
        let source = "#[cfg(debug_assertions)] fn f() {}";
        assert_eq!(cfg.configured(source, true), None);
        assert_eq!(cfg.configured(source, false).unwrap().trim(), "");
        assert_eq!(Cfg::default().configured("#[cfg(windows)] f();", true), None);
    }

    #[test]
    fn what_holds_or_is_not_known_stays() {
        for source in [
            "#[cfg(all(unix, not(test), target_feature = \"sse2\"))] fn f() {}",
            "#[cfg(any(unix, version(\"1.50\")))] fn f() {}",
            "#[cfg(version(\"1.50\"))] fn f() {}",
            "#[cfg(true)] f()",
            "#[allow(unused)] let x = cfg!(windows);",
            "#[cfg_attr(windows, derive(Debug))] struct S;",
        ] {
            assert_eq!(left(source), source);
        }
    }
}

//! A cell's text, taken apart with what the session knows of its names.

use std::collections::BTreeSet;
use std::ops::Range;

use super::items::{self, Parsed};
use super::split::{self, Split};
use super::{RustcEngine, dtypes, results};
use crate::diagnostic::{Diagnostic, Source};
use crate::engine::Cell;

/// Why a text is no cell.
pub(super) enum Unread {
    /// It is not Rust.
    Syntax(split::SyntaxError),
    /// It asks for what is not there, or defines what cannot be defined.
    Refused(Box<Diagnostic>),
}

/// The text of a cell as messages show it.
pub(super) fn source(cell: &Cell) -> Source {
    Source {
        cell: cell.id,
        name: cell.name.clone(),
        text: cell.shown.as_ref().unwrap_or(&cell.source).clone(),
        first_line: cell.first_line,
    }
}

impl RustcEngine {
    /// Takes a cell apart of which some places of `_` are known to be values. Also returns
    /// where it asks for values of earlier cells.
    pub(super) fn read(
        &mut self,
        cell: &Cell,
        expressions: &[Range<usize>],
    ) -> Result<(Split, Vec<results::Place>), Unread> {
        let is_variable = |name: &str| self.state.variables.contains_key(name);
        let is_macro = |name: &str| self.state.has_macro(name);
        let known = results::Known {
            kept: &self.results,
            latest: self.latest,
            is_variable: &is_variable,
            is_macro: &is_macro,
            expressions,
        };
        let recalled = match results::recall(&cell.source, &known) {
            Ok(recalled) => recalled.unwrap_or_default(),
            Err(missing) => {
                let diagnostic = self.missing_result(&missing).at(source(cell), missing.range);
                return Err(Unread::Refused(Box::new(diagnostic)));
            }
        };
        let text = if recalled.names.is_empty() { &cell.source } else { &recalled.source };
        let configured = self.compiler.configured(text);
        let text = configured.as_ref().unwrap_or(text);
        let rewritten = if self.may_define_astype() { None } else { dtypes::as_arguments(text) };
        let mut split = split::split(rewritten.as_ref().unwrap_or(text)).map_err(Unread::Syntax)?;
        let with_type = |(name, cell)| Some((name, (cell, self.results.get(&cell)?.clone())));
        split.recalled = recalled.names.into_iter().filter_map(with_type).collect();
        split.expressions = expressions.to_vec();
        split.take_up(&self.state.waiting);
        if cell.manner.timeit.is_some() {
            // What a loop binds is gone with the loop.
            split.bindings.clear();
        }
        match self.reserved(&split, cell.id) {
            Some(diagnostic) => Err(Unread::Refused(Box::new(diagnostic))),
            None => Ok((split, recalled.places)),
        }
    }

    /// A value that a cell asks for and that is not kept.
    fn missing_result(&self, missing: &results::Missing) -> Diagnostic {
        let lost = || match missing.cell {
            Some(cell) => format!("the value of cell {cell} was lost with its worker process"),
            None => "the values that `_` could be were lost with their worker process".to_owned(),
        };
        match self.recovery.lost_result(missing.cell) {
            Some(true) => Diagnostic::error(lost()).help("`:replay now` tries to bring it back"),
            Some(false) => Diagnostic::error(lost()).help("run the cell again"),
            None => Diagnostic::error(missing.message.clone())
                .help("only recent values of common types are kept; `let` keeps any value"),
        }
    }

    /// What is said of a name that a cell must not define.
    fn reserved(&self, split: &Split, cell: u64) -> Option<Diagnostic> {
        if let Some(name) = reserved_name(split, cell, &self.compiler.dependencies.names()) {
            let why = match RESERVED.contains(&name.as_str()) {
                true => "the code around cells needs the name",
                false => "a dependency has the name",
            };
            let message = format!("`{name}` cannot be defined in a cell: {why}");
            return Some(Diagnostic::error(message).help("choose another name"));
        }
        if !split.items.iter().any(|item| matches!(item.item, syn::Item::Use(_) | syn::Item::Mod(_))) {
            return None;
        }
        let (name, module) = self.plan(split, cell).state.reserved_by_glob(RESERVED)?;
        let message =
            format!("`{name}` of module `{module}` cannot be imported with all names of the module");
        let help = format!(
            "name those that are wanted: `use {module}::{{A, B}};`; the code around cells needs `{name}`"
        );
        Some(Diagnostic::error(message).help(help))
    }

    /// Whether `.astype::<f64>()` may be a method of the user's, or of a crate's.
    pub(super) fn may_define_astype(&self) -> bool {
        !self.compiler.dependencies.names().is_empty()
            || self.state.items().iter().any(|item| item.text.contains("fn astype"))
    }
}

/// Names that generated code needs to be what they are: those that the paths
/// of variables' types begin with.
pub(super) const RESERVED: &[&str] = &["std", "core", "alloc", "ctx", "gpurepl_prelude", "__gr"];

/// A reserved name that a cell would give another meaning.
fn reserved_name(split: &Split, cell: u64, dependencies: &BTreeSet<&str>) -> Option<String> {
    let is_reserved =
        |name: &String| RESERVED.contains(&name.as_str()) || dependencies.contains(name.as_str());
    split.items.iter().find_map(|item| match items::read(&split.source, item, cell) {
        // What a macro mentions, it does not have to define; a function or a
        // constant is not a type and no path.
        Parsed::Items(items) => {
            let types = items.iter().filter(|item| item.key.starts_with("T:") || item.key.starts_with("IT:"));
            let mut named = types.filter(|item| item.implements.is_none()).flat_map(|item| &item.defines);
            named.find(|name| is_reserved(name)).cloned()
        }
        // `use std::f32;` names the module beside the type.
        Parsed::Use(leaves) => leaves.into_iter().find_map(|leaf| {
            let own = leaf.path.last().cloned();
            leaf.name.filter(|name| is_reserved(name) && own.as_ref() != Some(name))
        }),
    })
}

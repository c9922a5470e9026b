//! `_`, `Out[3]` and `_3`: the values that earlier cells had.
//!
//! They become names of variables before the cell is taken apart. Columns are
//! counted in characters, so names are as long as what they stand for: `_`
//! becomes one letter that nobody writes, `Out[3]` the same letter with a
//! number and spaces. Where a cell asks is found by [`super::asked`].

use std::collections::BTreeMap;
use std::ops::Range;

use super::asked::{What, asked};
use crate::diagnostic::Diagnostic;
use crate::engine::Cell;

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
    /// Whether it stands in a format text: `{_3}`.
    pub(super) is_in_text: bool,
}

/// A value that is requested and not there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Missing {
    pub(super) message: String,
    pub(super) range: Range<usize>,
    /// The cell whose value it is; none for the latest.
    pub(super) cell: Option<u64>,
}

/// What a session knows of the names in a cell.
pub(super) struct Known<'a> {
    /// The types of the values that are kept, by their cells.
    pub(super) kept: &'a BTreeMap<u64, String>,
    /// The cell that has shown a value last, kept or not: what `_` is.
    pub(super) latest: Option<u64>,
    pub(super) is_variable: &'a dyn Fn(&str) -> bool,
    /// Whether a macro of the session has a name.
    pub(super) is_macro: &'a dyn Fn(&str) -> bool,
    /// Places of `_` where the compiler has found an expression.
    pub(super) expressions: &'a [Range<usize>],
}

/// Gives names to the values that a cell asks for; none if it asks for none.
///
/// # Errors
///
/// If one of them is not kept.
pub(super) fn recall(source: &str, known: &Known<'_>) -> Result<Option<Recalled>, Missing> {
    // Most cells ask for none, and need not be parsed for it.
    if !source.contains('_') && !source.contains("Out[") {
        return Ok(None);
    }
    let (kept, latest) = (known.kept, known.latest);
    let mut recalled = Recalled { source: source.to_owned(), ..Recalled::default() };
    // From the last to the first, so that places stay right.
    for (range, what) in asked(source, known.is_macro, known.expressions).into_iter().rev() {
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
            What::Named(_) | What::NamedInText(_) if (known.is_variable)(text) => continue,
            What::Named(number) | What::NamedInText(number) if kept.contains_key(&number) => Some(number),
            What::Named(_) | What::NamedInText(_) => continue,
        };
        let Some(number) = number else {
            let (message, cell) = match what {
                What::Numbered(cell) | What::Named(cell) | What::NamedInText(cell) => {
                    (format!("no stored value for cell {cell}"), Some(cell))
                }
                What::Latest => ("no stored value for `_`".to_owned(), None),
            };
            return Err(Missing { message, range, cell });
        };
        let name = match what {
            What::Latest => MARK.to_string(),
            What::Numbered(_) => format!("{MARK}{number}"),
            What::Named(_) | What::NamedInText(_) => text.to_owned(),
        };
        let padding = text.chars().count().saturating_sub(name.chars().count());
        let type_name = kept.get(&number).cloned().unwrap_or_default();
        let is_in_text = matches!(what, What::NamedInText(_));
        recalled.places.push(Place { range: range.clone(), cell: number, type_name, is_in_text });
        recalled.source.replace_range(range, &format!("{name}{}", " ".repeat(padding)));
        recalled.names.insert(name, number);
    }
    Ok((!recalled.names.is_empty()).then_some(recalled))
}

/// Where a cell has `_` that the compiler has read as an expression.
pub(super) fn expressions(cell: &Cell, errors: &[Diagnostic]) -> Vec<Range<usize>> {
    let is_about = |error: &&Diagnostic| error.message.contains("`_` can only be used on the left-hand side");
    let labels = errors.iter().filter(is_about).flat_map(|error| &error.labels);
    let places = labels.filter(|label| label.is_primary && label.cell == cell.id);
    let is_value = |range: &Range<usize>| cell.source.get(range.clone()) == Some("_");
    places.map(|label| label.range.clone()).filter(is_value).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> BTreeMap<u64, String> {
        BTreeMap::from([(3, "f64".to_owned()), (12, "i32".to_owned())])
    }

    fn recall(
        source: &str,
        kept: &BTreeMap<u64, String>,
        latest: Option<u64>,
    ) -> Result<Option<Recalled>, Missing> {
        let (is_variable, is_macro) = (&|name: &str| name == "_3", &|_: &str| false);
        super::recall(source, &Known { kept, latest, is_variable, is_macro, expressions: &[] })
    }

    fn recalled(source: &str) -> Option<String> {
        recall(source, &kept(), None).unwrap().map(|recalled| recalled.source)
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
        let missing = recall("1 + Out[4]", &kept(), None).unwrap_err();
        assert_eq!((missing.message.as_str(), missing.range), ("no stored value for cell 4", 4..10));
        // The value of cell 12 is none that `_` could be.
        let missing = recall("1 + _", &kept(), Some(13)).unwrap_err();
        assert_eq!((missing.cell, missing.range), (Some(13), 4..5));
        let found = recall("_", &kept(), Some(3)).unwrap().unwrap();
        assert_eq!(found.places[0].cell, 3);
        let missing = recall("_", &BTreeMap::new(), None).unwrap_err();
        assert!(missing.message.contains("no stored value"), "{}", missing.message);
    }

    #[test]
    fn messages_speak_of_what_was_written() {
        assert_eq!(as_written("cannot add `ˍ` to `ˍ12`"), "cannot add `_` to `Out[12]`");
        assert_eq!(as_written("nothing"), "nothing");
    }
}

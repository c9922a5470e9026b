//! Cells that are saved: the values that later ones ask for by `_` and
//! `Out[3]` are bound to names where they are made.
//!
//! ```text
//! 20               let out_3: i32 = 20;
//!                  out_3
//! Out[3] + 1       out_3 + 1
//! ```
//!
//! A session gives out clones, and so does the saved text.

use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use proc_macro2::TokenStream;
use syn::Expr;

use super::results::Place;
use super::split::{collect_names, split};
use crate::engine::{Cell, Edit};

/// What is to be edited in which cells. `asked` tells for each cell which
/// values it has requested.
///
/// # Errors
///
/// If a value is that of a cell which is not among these.
pub(super) fn edits(
    cells: &[Cell],
    asked: &BTreeMap<u64, Vec<Place>>,
) -> Result<BTreeMap<u64, Vec<Edit>>, String> {
    let mut edits: BTreeMap<u64, Vec<Edit>> = BTreeMap::new();
    let mut made: BTreeMap<u64, String> = BTreeMap::new();
    let (mut seen, mut names) = (BTreeSet::new(), None);
    for (k, cell) in cells.iter().enumerate() {
        for place in asked.get(&cell.id).into_iter().flatten() {
            let number = place.cell;
            if !seen.contains(&number) {
                return Err(format!(
                    "cell {} asks for the value of cell {number}, which is not saved with it: save both, or \
                     give the value a name by `let`",
                    cell.id
                ));
            }
            if let Entry::Vacant(place_of_name) = made.entry(number) {
                let names = names.get_or_insert_with(|| names_in(cells));
                let name = unused(format!("out_{number}"), names);
                let maker = cells[..k].iter().find(|maker| maker.id == number);
                let binding = maker.and_then(|maker| binding(maker, &name, &place.type_name));
                let binding =
                    binding.ok_or_else(|| format!("the value of cell {number} cannot be given a name"))?;
                edits.entry(number).or_default().extend(binding);
                place_of_name.insert(name);
            }
            let before = &cell.source[..place.range.start];
            let is_lent = before.ends_with('&') || place.is_in_text;
            let copied = if is_lent || is_copy(&place.type_name) { "" } else { ".clone()" };
            let text = format!("{}{copied}", made[&number]);
            edits.entry(cell.id).or_default().push(Edit { range: place.range.clone(), text });
        }
        seen.insert(cell.id);
    }
    Ok(edits)
}

/// Binds the value of a cell.
fn binding(maker: &Cell, name: &str, type_name: &str) -> Option<[Edit; 2]> {
    let tail = split(&maker.source).ok()?.tail?;
    let expression: Expr = syn::parse_str(&maker.source[tail.clone()]).ok()?;
    // Numbers without a suffix are of that type here too.
    let of = if is_copy(type_name) { format!(": {type_name}") } else { String::new() };
    let (open, close) = match &expression {
        _ if is_copy(type_name) => ("", ""),
        // It is shown where it is, and stays there.
        Expr::Path(_) | Expr::Field(_) | Expr::Index(_) | Expr::Paren(_) => ("", ".clone()"),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => ("(", ").clone()"),
        _ => ("", ""),
    };
    Some([
        Edit { range: at(tail.start), text: format!("let {name}{of} = {open}") },
        Edit { range: at(tail.end), text: format!("{close};\n{name}") },
    ])
}

fn at(place: usize) -> Range<usize> {
    place..place
}

/// Types of values that are copied, of those that are kept.
fn is_copy(type_name: &str) -> bool {
    let is_number = |digits: &str| digits.parse::<u8>().is_ok() || digits == "size";
    matches!(type_name, "bool" | "char") || type_name.strip_prefix(['i', 'u', 'f']).is_some_and(is_number)
}

/// Every name that the cells mention.
fn names_in(cells: &[Cell]) -> HashSet<String> {
    let mut names = HashSet::new();
    for cell in cells {
        if let Ok(tokens) = cell.source.parse::<TokenStream>() {
            collect_names(tokens, &mut names);
        }
    }
    names
}

fn unused(mut name: String, names: &HashSet<String>) -> String {
    while names.contains(&name) {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::super::results::{self, recall};
    use super::*;

    /// The cells as they are saved, where all of them were evaluated in order
    /// and had values of these types.
    fn saved(sources: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let (mut cells, mut kept, mut asked) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        for (k, (source, of)) in sources.iter().enumerate() {
            let id = k as u64 + 1;
            let known = results::Known {
                kept: &kept,
                latest: None,
                is_variable: &|_| false,
                is_macro: &|_| false,
                expressions: &[],
            };
            if let Some(recalled) = recall(source, &known).unwrap() {
                asked.insert(id, recalled.places);
            }
            if !of.is_empty() {
                kept.insert(id, (*of).to_owned());
            }
            cells.push(Cell { id, source: (*source).to_owned(), ..Cell::default() });
        }
        let edits = edits(&cells, &asked)?;
        let text =
            |cell: &Cell| crate::export::edited(&cell.source, edits.get(&cell.id).map_or(&[], Vec::as_slice));
        Ok(cells.iter().map(text).collect())
    }

    #[test]
    fn values_that_are_asked_for_have_names_where_they_are_made() {
        let cells = saved(&[
            ("10", "i32"),
            ("let v = vec![1.5]; v // words", "std::vec::Vec<f64>"),
            ("Out[1] + 1", "i32"),
            ("_ * 2 + _1", "i32"),
            ("f(&Out[2], Out[2]).pow(_)", ""),
            ("matches!(o, Some(_)) && println!(\"{_2:?}\", _) == ()", ""),
        ]);
        assert_eq!(
            cells.unwrap(),
            [
                "let out_1: i32 = 10;\nout_1",
                "let v = vec![1.5]; let out_2 = v.clone();\nout_2 // words",
                "let out_3: i32 = out_1 + 1;\nout_3",
                "let out_4: i32 = out_3 * 2 + out_1;\nout_4",
                "f(&out_2, out_2.clone()).pow(out_4)",
                "matches!(o, Some(_)) && println!(\"{out_2:?}\", out_4) == ()",
            ]
        );
    }

    #[test]
    fn names_of_the_cells_own_stay_theirs() {
        let cells =
            saved(&[("let out_2 = 5;", ""), ("*x", "std::string::String"), ("_.len() + out_2", "usize")]);
        assert_eq!(
            cells.unwrap(),
            ["let out_2 = 5;", "let out_2_ = (*x).clone();\nout_2_", "out_2_.clone().len() + out_2"]
        );
    }

    #[test]
    fn a_value_of_a_cell_that_is_not_saved_is_refused() {
        let cell = |id, source: &str| Cell { id, source: source.to_owned(), ..Cell::default() };
        let place = Place { range: 0..1, cell: 3, type_name: "i32".to_owned(), is_in_text: false };
        let asked = BTreeMap::from([(4, vec![place])]);
        let problem = edits(&[cell(4, "_ + 1")], &asked).unwrap_err();
        assert!(problem.contains("cell 4 asks for the value of cell 3, which is not saved"), "{problem}");
        assert_eq!(edits(&[cell(5, "1")], &asked), Ok(BTreeMap::new()));
    }
}

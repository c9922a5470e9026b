//! The cells of a session as one program: what `:save FOLDER/` writes.
//!
//! Statements become the body of one function, in order, so that moving and
//! shadowing variables mean what they did. Items stand at the top. Where a cell
//! redefines an item a block begins, which lasts to the end: it holds that
//! cell's items and all later ones, and statements before it keep the older
//! item.

use std::ops::Range;

use super::device_items;
use super::items::{self, KeptItem, Parsed, UseLeaf, blank};
use super::split::{Split, split};
use crate::engine::Cell;

/// What a scope holds: the file itself, and blocks within its function.
#[derive(Default)]
struct Scope {
    items: Vec<Placed>,
    uses: Vec<UseLeaf>,
    body: String,
}

/// An item with the comments before it.
struct Placed {
    item: KeptItem,
    comments: String,
}

/// Writes the program. Cells that are timed in loops leave nothing, and are
/// left out. `runtime` names tokio, where statements are to be within a runtime
/// of its. For a library `main` is public.
///
/// # Errors
///
/// If a cell is not Rust, or one returns before its end.
pub(super) fn program(cells: &[Cell], runtime: Option<&str>, is_library: bool) -> Result<String, String> {
    let (mut scopes, mut attributes, mut is_async) = (vec![Scope::default()], Vec::new(), false);
    for cell in cells.iter().filter(|cell| cell.manner.timeit.is_none()) {
        let split = split(&cell.source).map_err(|error| format!("cell {}: {}", cell.id, error.message))?;
        if !split.returns.is_empty() {
            return Err(format!(
                "cell {}: its `return` ends the cell, and would end the whole program; write an `if` instead",
                cell.id
            ));
        }
        is_async |= split.is_async;
        attributes.extend(split.inner_attributes.iter().map(|range| split.source[range.clone()].to_owned()));
        add(&mut scopes, cell, &split);
    }
    Ok(write(&scopes, &attributes, is_async, runtime, is_library))
}

fn add(scopes: &mut Vec<Scope>, cell: &Cell, split: &Split) {
    let gaps = Gaps::new(split);
    let (mut items, mut uses) = (Vec::new(), Vec::new());
    for item in &split.items {
        match items::read(&split.source, item, cell.id) {
            Parsed::Use(leaves) => uses.extend(leaves),
            Parsed::Items(read) => {
                let mut comments = gaps.before(&item.range);
                for item in read {
                    items.push(Placed { item, comments: std::mem::take(&mut comments) });
                }
            }
        }
    }
    // What is there already, to the letter, is not written again.
    items.retain(|new| {
        !current(scopes).any(|old| old.item.key == new.item.key && old.item.tokens == new.item.tokens)
    });
    uses.retain(|new| !scopes.iter().flat_map(|scope| &scope.uses).any(|old| old.text == new.text));
    if items.iter().any(|new| is_taken(scopes, new)) || uses.iter().any(|new| is_imported(scopes, new)) {
        scopes.push(Scope::default());
    }
    for new in &items {
        replace_implementations(scopes, &new.item);
    }
    let Some(scope) = scopes.last_mut() else { return };
    scope.items.extend(items);
    scope.uses.extend(uses);
    let body = &mut scope.body;
    body.push_str(&format!("\n// cell {}\n", cell.id));
    for range in &split.statements {
        body.push_str(&gaps.before(range));
        body.push_str(&split.source[range.clone()]);
        body.push('\n');
    }
    if let Some(tail) = &split.tail {
        body.push_str(&gaps.before(tail));
        body.push_str(&format!("gpurepl_show!({});\n", &split.source[tail.clone()]));
    } else if split.source.ends_with("\n;") {
        // The last statement of the cell had no semicolon.
        body.push_str(";\n");
    }
}

fn current(scopes: &[Scope]) -> impl Iterator<Item = &Placed> {
    scopes.iter().flat_map(|scope| &scope.items)
}

/// Whether an item of this name is there already. Implementations have no
/// names: one takes the place of another.
fn is_taken(scopes: &[Scope], new: &Placed) -> bool {
    let key = &new.item.key;
    let is_named = ["T:", "V:", "M:"].iter().any(|kind| key.starts_with(kind));
    let name = key.split_once(':').map(|(_, name)| name);
    let imported = |leaf: &UseLeaf| leaf.name.as_deref() == name;
    is_named
        && (current(scopes).any(|old| old.item.key == *key)
            || scopes.iter().flat_map(|scope| &scope.uses).any(imported))
}

fn is_imported(scopes: &[Scope], new: &UseLeaf) -> bool {
    let Some(name) = &new.name else { return false };
    scopes.iter().flat_map(|scope| &scope.uses).any(|old| old.name.as_ref() == Some(name))
        || current(scopes).any(|old| old.item.defines.contains(name) && old.item.implements.is_none())
}

/// Two implementations of a trait, or of a method, cannot be in one program
/// whatever scopes they are in.
fn replace_implementations(scopes: &mut [Scope], new: &KeptItem) {
    for scope in scopes {
        if new.key.starts_with("IT:") {
            scope.items.retain(|old| old.item.key != new.key);
        }
        for old in scope.items.iter_mut().filter(|old| new.key.starts_with("II:") && old.item.key == new.key)
        {
            for (name, _) in &new.methods {
                while let Some(k) = old.item.methods.iter().position(|(known, _)| known == name) {
                    let (_, range) = old.item.methods.remove(k);
                    blank(&mut old.item.text, range);
                }
            }
        }
    }
}

fn write(
    scopes: &[Scope],
    attributes: &[String],
    is_async: bool,
    runtime: Option<&str>,
    is_library: bool,
) -> String {
    let mut text = String::from(
        "//! The cells of a gpurepl session, as a program.\n\
         #![allow(unused, dead_code, non_snake_case, non_camel_case_types, non_upper_case_globals, static_mut_refs)]\n",
    );
    for attribute in attributes {
        text.push_str(attribute);
        text.push('\n');
    }
    text.push_str("\nuse gpurepl_prelude::*;\n");
    let defines_dbg =
        scopes.iter().flat_map(|scope| &scope.uses).any(|leaf| leaf.name.as_deref() == Some("dbg"));
    if !defines_dbg {
        text.push_str("use gpurepl_prelude::dbg;\n");
    }
    text.push_str(
        "\n/// Shows a value as a session does.\n\
         macro_rules! gpurepl_show {\n\
         \x20   ($value:expr) => {\n\
         \x20       match &($value) {\n\
         \x20           value => {\n\
         \x20               use gpurepl_prelude::{ShowDebug as _, ShowName as _, ShowRender as _};\n\
         \x20               (&&&gpurepl_prelude::Shown(value)).gpurepl_show()\n\
         \x20           }\n\
         \x20       }\n\
         \x20   };\n\
         }\n\n",
    );
    for (number, scope) in scopes.iter().enumerate() {
        if number > 0 {
            text.push_str("\n// Items from here on replace older ones of their names.\n{\n");
        }
        write_items(&mut text, scope);
        if number == 0 {
            text.push_str(if is_library { "\n/// Runs the cells.\npub " } else { "\n" });
            text.push_str("fn main() -> std::process::ExitCode {\n");
            text.push_str("gpurepl_prelude::cell::program(|| -> gpurepl_prelude::cell::CellResult {\n");
            if let Some(texts) = device_texts(scope) {
                text.push_str("// The texts of kernels in Rust, which are compiled for the device.\n");
                text.push_str(&texts);
                text.push('\n');
            }
            if let Some(tokio) = runtime {
                text.push_str(&format!(
                    "// Tasks can be spawned anywhere, as in a session.\n\
                     let gpurepl_runtime = ::{tokio}::runtime::Builder::new_multi_thread().enable_all().build()?;\n\
                     let gpurepl_entered = gpurepl_runtime.enter();\n"
                ));
            }
            if is_async {
                text.push_str("gpurepl_prelude::cell::block_on(async {\n");
            }
        }
        text.push_str(&scope.body);
    }
    text.push_str(&"}\n".repeat(scopes.len() - 1));
    if is_async {
        text.push_str("Result::<(), gpurepl_prelude::cell::CellError>::Ok(())\n})\n");
    } else {
        text.push_str("Ok(())\n");
    }
    text.push_str("})\n}\n");
    text
}

/// What makes the texts of functions for devices known.
fn device_texts(scope: &Scope) -> Option<String> {
    let all: Vec<KeptItem> = scope.items.iter().map(|placed| placed.item.clone()).collect();
    let included: Vec<(usize, &KeptItem)> = all.iter().enumerate().collect();
    let name_of = |cell: u64| Some((format!("cell {cell}"), 1));
    let of = device_items::Scope {
        cell: 0,
        source: "",
        all: &all,
        included: &included,
        leaves: &scope.uses,
        name_of: &name_of,
    };
    Some(device_items::said(&of, &[]).first?.replace("__gr::", "gpurepl_prelude::cell::"))
}

fn write_items(text: &mut String, scope: &Scope) {
    for leaf in &scope.uses {
        text.push_str(&leaf.text);
        text.push('\n');
    }
    // A macro has to stand before its uses.
    let is_macro = |placed: &&Placed| placed.item.key.starts_with("M:");
    for placed in scope.items.iter().filter(is_macro).chain(scope.items.iter().filter(|p| !is_macro(p))) {
        text.push('\n');
        text.push_str(&placed.comments);
        text.push_str(&placed.item.text);
        text.push('\n');
    }
}

/// The comments between the parts of a cell.
struct Gaps<'s> {
    source: &'s str,
    ends: Vec<usize>,
}

impl<'s> Gaps<'s> {
    fn new(split: &'s Split) -> Gaps<'s> {
        let items = split.items.iter().map(|item| item.range.end);
        let parts = split.statements.iter().chain(&split.tail).chain(&split.inner_attributes);
        Gaps { source: &split.source, ends: items.chain(parts.map(|range| range.end)).collect() }
    }

    /// The comments before a part, on lines of their own.
    fn before(&self, range: &Range<usize>) -> String {
        let start = self.ends.iter().copied().filter(|end| *end <= range.start).max().unwrap_or(0);
        let gap = self.source[start..range.start].trim();
        if gap.starts_with("//") || gap.starts_with("/*") { format!("{gap}\n") } else { String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sources: &[&str]) -> String {
        let cell = |(k, source): (usize, &&str)| Cell {
            id: k as u64 + 1,
            source: (*source).to_owned(),
            ..Cell::default()
        };
        let text =
            program(&sources.iter().enumerate().map(cell).collect::<Vec<_>>(), Some("tokio"), false).unwrap();
        syn::parse_file(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        text
    }

    #[test]
    fn kernels_in_rust_bring_their_texts() {
        let text = of(&["#[kernel] fn one(y: &mut [f32]) { y[0] = 1.0; }", "one.launch(1, 1, (&mut y,))?;"]);
        assert!(text.contains("gpurepl_prelude::cell::known_items(&[\"cell 1\"]"), "{text}");
        assert!(text.contains("\n          fn one(y: &mut [f32])"), "{text}");
    }

    #[test]
    fn a_cell_that_returns_before_its_end_is_refused() {
        let cell = Cell { id: 4, source: "if x { return; }".to_owned(), ..Cell::default() };
        let error = program(&[cell], None, false).unwrap_err();
        assert!(error.starts_with("cell 4: its `return` ends the cell"), "{error}");
    }

    #[test]
    fn items_stand_at_the_top_and_statements_in_order() {
        let text = of(&["fn f() -> i32 { 1 }\nlet a = f();", "// twice\na * 2", "use std::fmt; let b = 1"]);
        let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is not in\n{text}"));
        assert!(place("fn f()") < place("fn main()") && place("fn main()") < place("let a = f();"));
        assert!(place("use std :: fmt;".replace(" :: ", "::").as_str()) < place("fn main()"));
        assert!(place("// twice\ngpurepl_show!(a * 2);") < place("let b = 1"));
        assert!(!text.contains("Items from here on"));
    }

    #[test]
    fn an_item_that_is_defined_anew_begins_a_block() {
        let text = of(&["fn f() -> i32 { 1 }", "f()", "fn f() -> i32 { 2 }", "fn g() -> i32 { f() }\ng()"]);
        let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is not in\n{text}"));
        assert!(place("{ 1 }") < place("fn main()") && place("gpurepl_show!(f())") < place("{ 2 }"));
        assert!(place("{ 2 }") < place("fn g()"), "later items see the newer one");
        // The same again is nothing new.
        assert!(!of(&["fn f() -> i32 { 1 }", "fn f() -> i32 {\n 1 }"]).contains("Items from here on"));
    }

    #[test]
    fn a_method_that_is_defined_anew_replaces_the_older_one() {
        let text =
            of(&["struct P;\nimpl P { fn a(&self) {} fn b(&self) {} }", "impl P { fn a(&self) { 1; } }"]);
        assert_eq!(text.matches("fn a(").count(), 1, "{text}");
        assert_eq!(text.matches("fn b(").count(), 1, "{text}");
    }

    #[test]
    fn a_librarys_main_is_public() {
        let cell = Cell { id: 1, source: "let a = 1;".to_owned(), ..Cell::default() };
        let text = program(&[cell], None, true).unwrap();
        assert!(text.contains("\npub fn main() -> std::process::ExitCode {\n"), "{text}");
    }

    #[test]
    fn cells_that_await_make_the_body_a_future() {
        assert!(of(&["let a = async { 1 }.await;"]).contains("block_on(async {"));
    }
}

//! The crate that a cell is compiled as.
//!
//! ```text
//! <HEAD: use gpurepl_prelude::*;>
//! <items of this and of earlier cells>
//! extern "C" fn __gr_cell_7() {
//!     if !__gr::wanted(&[("v", ...)]) { return; }        the variables that the cell mentions
//!     let mut v: std::vec::Vec<i32> = unsafe { __gr::take(0) };
//!     __gr::guard(Box::new(|| {
//!         <statements>                                  after each `let`: what keeps it should the cell fail
//!         <the last expression, shown>
//!         let __gr_p_x = __gr::put("x", x);              new variables
//!         Ok(())
//!     }));
//!     unsafe { __gr::settle::<std::vec::Vec<i32>>(0, "v", v) };   whatever happened, they are kept
//! }
//! ```
//!
//! Statements stand on lines of their own, moved to the column that they have
//! in the user's text, so that a place in this text is found in the user's by
//! its line alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use super::crate_text::spelled;
pub(super) use super::crate_text::{Generated, Origin};
use super::fingerprint::Basis;
use super::items::{KeptItem, UseLeaf, place};
use super::mir;
use super::primitives::explicit;
use super::rescue;
use super::split::{Binding, Split};
use crate::commands::magic::Timeit;

/// A variable that a cell may take.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) type_name: String,
    pub(super) is_mutable: bool,
    /// What its type rested on when it was put.
    pub(super) basis: Basis,
    pub(super) cell: u64,
}

/// What compiling has taught about a cell so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Adjustments {
    /// Variables that the cell moves: taken within the guard, and put back
    /// there if the cell gives them a new value.
    pub(super) moved: BTreeMap<String, bool>,
    /// New variables that cannot be kept.
    pub(super) local: BTreeSet<String>,
    /// New variables that are kept as something else: the type to write and
    /// how the value becomes it.
    pub(super) casts: BTreeMap<String, Cast>,
    /// All items are repeated, reached or not.
    pub(super) all_items: bool,
    /// Literals whose types cannot be inferred get the ones that they fall
    /// back to.
    pub(super) literal_types: bool,
    /// The last expression never ends, so there is no value to show.
    pub(super) has_no_value: bool,
    /// Imports of single names, which the user imports by `*` and the prelude
    /// has too.
    pub(super) preferred: BTreeSet<Preferred>,
    /// Closures come with their texts and what they capture: a device compiles them.
    pub(super) closures: bool,
    /// Nothing has to outlive the cell: this run asks for the types of the new
    /// variables alone, to find those that borrow.
    pub(super) probing: bool,
    /// That has been asked, and since then nothing has changed.
    pub(super) has_probed: bool,
    /// Variables that are not kept and whose destructors would run while what
    /// they borrow is put.
    pub(super) ended: BTreeSet<String>,
    /// Variables of this kind that cannot be dropped early.
    pub(super) cannot_end: BTreeSet<String>,
    /// Variables that are not kept if the cell fails: their types do not allow it, or are not known.
    pub(super) not_rescued: BTreeSet<String>,
    /// Variables that the cell moves a part of, and the part.
    pub(super) partial: BTreeMap<String, String>,
    /// Variables that a statement drops which is only their name, as nobody may have meant: `x;`
    pub(super) bare: BTreeSet<String>,
}

/// How a name comes to be the user's that the prelude has too.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Preferred {
    /// The one import of all names that brings it, written for it alone.
    Import(String),
    /// Several imports of all names may bring it: rustc is to say which.
    Name(String),
}

/// How a value of a type without a name is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cast {
    /// `let x: TYPE = Box::new(x);`
    Boxed(String),
    /// `let x: TYPE = x;`
    Coerced(String),
    /// In a box that can do what the iterator can, clones among it.
    Iterator,
    /// In a box that cannot be cloned.
    SingleIterator,
    /// In a box.
    Future,
}

/// All that goes into a crate.
pub(super) struct Input<'a> {
    pub(super) cell: u64,
    pub(super) split: &'a Split,
    /// The items to repeat, as they are to be written, and their places among
    /// those of the session.
    pub(super) items: Vec<(usize, &'a KeptItem)>,
    pub(super) leaves: Vec<&'a UseLeaf>,
    pub(super) variables: BTreeMap<&'a str, &'a Known>,
    pub(super) adjustments: &'a Adjustments,
    /// The cell is run in loops.
    pub(super) timeit: Option<Timeit>,
    /// The texts of functions for devices, as statements.
    pub(super) device_items: Option<String>,
    /// What stands before closures that a device compiles, by where they start.
    pub(super) closures: BTreeMap<usize, String>,
}

/// The name of a cell's entry.
pub(super) fn entry(cell: u64) -> String {
    format!("__gr_cell_{cell}")
}

/// What stands before every cell's own text. A waiting compiler has read it,
/// and the prelude's metadata for it, before the cell is typed.
///
/// The lints that it silences are about code in files, not in cells.
pub(super) const HEAD: &str = "#![allow(unused, dead_code, non_snake_case, non_camel_case_types, non_upper_case_globals, \
    improper_ctypes, improper_ctypes_definitions, static_mut_refs, private_interfaces, private_bounds, \
    uncommon_codepoints, mixed_script_confusables, confusable_idents)] #![warn(unused_must_use)]\n\
    use gpurepl_prelude::*;\n\
    use gpurepl_prelude::cell as __gr;\n";

impl Generated {
    /// Lints that the cell denies are about its own text.
    pub(super) fn allow(&mut self, input: &Input<'_>) {
        if !input.split.denied.is_empty() {
            self.ours(&format!("#[allow({})]", input.split.denied.join(", ")));
        }
    }

    /// The statements of earlier cells that have waited for this one.
    fn before(&mut self, input: &Input<'_>) {
        for open in &input.split.before {
            self.user(&open.text, open.cell, open.line, open.column);
        }
    }

    /// A part of the cell's own text. What has to stand before and after a closure
    /// stands on lines between, so that the user's text keeps its columns.
    fn part(&mut self, input: &Input<'_>, range: &Range<usize>) {
        let mut at = range.start;
        for closure in &input.split.closures {
            let is_here = range.start <= closure.range.start && closure.range.end <= range.end;
            let Some(known) = input.closures.get(&closure.range.start).filter(|_| is_here) else { continue };
            self.text_of(input, &(at..closure.range.start));
            self.ours(known);
            self.text_of(input, &closure.range);
            self.ours("}");
            at = closure.range.end;
        }
        self.text_of(input, &(at..range.end));
    }

    fn text_of(&mut self, input: &Input<'_>, range: &Range<usize>) {
        let source = &input.split.source;
        let (line, column) = place(source, range.start);
        let mut text = source[range.clone()].to_owned();
        // What the cell returns is a result.
        let mut returns: Vec<usize> = input
            .split
            .returns
            .iter()
            .filter(|at| range.contains(*at) || range.end == **at)
            .copied()
            .collect();
        returns.sort_unstable();
        for at in returns.into_iter().rev() {
            text.insert_str(at - range.start, " ::core::result::Result::Ok(())");
        }
        let suffixes = match input.adjustments.literal_types {
            true => super::literals::suffixes(&text),
            false => Vec::new(),
        };
        self.user_with(&text, &suffixes, input.cell, line, column);
    }
}

/// The new variables of a cell that are to be kept.
pub(super) fn kept<'a>(split: &'a Split, adjustments: &Adjustments) -> Vec<&'a Binding> {
    split.bindings.iter().filter(|binding| !adjustments.local.contains(&binding.name)).collect()
}

/// Writes the crate of a cell.
pub(super) fn generate(input: &Input<'_>) -> Generated {
    let mut out = Generated::default();
    header(&mut out, input);
    let split = input.split;
    let guarded = |name: &str| input.adjustments.moved.contains_key(name);
    let entry = format!("#[unsafe(no_mangle)] pub extern \"C\" fn {}() {{", entry(input.cell));
    if split.denied.is_empty() {
        out.ours(&entry);
    } else {
        // What is allowed here is not allowed in the user's statements.
        out.allow(input);
        out.ours(&format!("{entry} __gr_cell() }} fn __gr_cell() {{"));
    }
    if let Some(texts) = &input.device_items {
        out.ours(texts);
    }
    take_variables(&mut out, input);
    for (number, (name, known)) in input.variables.iter().enumerate() {
        if !guarded(name) {
            out.allow(input);
            out.line(Origin::Take((*name).to_owned()), &take(number, name, known));
        }
    }
    if is_function(input) {
        out.ours("fn __gr_body() -> __gr::CellResult {");
    } else {
        out.ours("__gr::guard(::std::boxed::Box::new(|| -> __gr::CellResult {");
    }
    if split.is_async && input.timeit.is_none() {
        out.ours("__gr::block_on(async {");
    }
    for (name, (cell, of)) in &split.recalled {
        let of = explicit(of);
        out.ours(&format!("let mut {name}: {of} = __gr::result::<{of}>({cell});"));
    }
    for (number, (name, known)) in input.variables.iter().enumerate() {
        if guarded(name) {
            out.allow(input);
            out.line(Origin::Take((*name).to_owned()), &take(number, name, known));
            rescue::moves(&mut out, input, number, name, known);
        }
    }
    if let Some(timeit) = &input.timeit {
        loops(&mut out, input, timeit);
        return finished(out, input);
    }
    out.before(input);
    for range in &split.statements {
        out.part(input, range);
        rescue::after(&mut out, input, range);
    }
    out.ours(";");
    show(&mut out, input);
    rescue::end(&mut out, input);
    for (number, (name, known)) in input.variables.iter().enumerate() {
        if input.adjustments.moved.get(*name) == Some(&true) {
            out.allow(input);
            out.line(Origin::PutBack((*name).to_owned()), &settle(number, name, known));
        }
    }
    for name in &input.adjustments.ended {
        out.line(Origin::End(name.clone()), &format!("::core::mem::drop({});", spelled(name)));
    }
    for (number, binding) in kept(split, input.adjustments).into_iter().enumerate() {
        put(&mut out, input, number, &binding.name);
    }
    finished(out, input)
}

/// The last expression of a cell, and what shows its value.
fn show(out: &mut Generated, input: &Input<'_>) {
    if let Some(tail) = &input.split.tail
        && input.adjustments.has_no_value
    {
        out.part(input, tail);
        out.ours(";");
    } else if let Some(tail) = &input.split.tail {
        // A block may have attributes where it ends another one.
        let (open, close) = if input.split.has_tail_attributes { ("({", "})") } else { ("(", ")") };
        out.line(Origin::Show, &format!("match &{open}"));
        out.part(input, tail);
        out.line(
            Origin::Show,
            &format!(
                "{close} {{ __gr_v => {{ \
                 use ::gpurepl_prelude::{{ShowDebug as _, ShowKept as _, ShowName as _, ShowRender as _}}; \
                 (&&&&::gpurepl_prelude::Shown(__gr_v)).gpurepl_show() }} }}"
            ),
        );
    }
}

/// Keeps a new variable.
fn put(out: &mut Generated, input: &Input<'_>, number: usize, name: &str) {
    let raw = spelled(name);
    let value = match input.adjustments.casts.get(name) {
        None => raw,
        Some(Cast::Boxed(of)) => {
            format!("{{ let __gr_b: {} = ::std::boxed::Box::new({raw}); __gr_b }}", explicit(of))
        }
        Some(Cast::Coerced(of)) => format!("{{ let __gr_b: {} = {raw}; __gr_b }}", explicit(of)),
        Some(Cast::Iterator) => {
            format!("{{ use __gr::iterators::*; (&&&&&&&&boxing({raw})).keep() }}")
        }
        Some(Cast::SingleIterator) => {
            format!("{{ use __gr::iterators::*; (&&&&boxing({raw})).keep() }}")
        }
        Some(Cast::Future) => format!("__gr::box_future({raw})"),
    };
    out.line(
        Origin::Put(name.to_owned()),
        &if input.adjustments.probing {
            format!("let {}{name} = __gr::type_of(&{value});", mir::PREFIX)
        } else {
            format!(
                "let {0}{name} = __gr::put({name:?}, {value}); __gr::of::<{number}, _>(&{0}{name});",
                mir::PREFIX
            )
        },
    );
}

/// A function is less to compile than a closure, and enough where there is
/// nothing outside to capture.
fn is_function(input: &Input<'_>) -> bool {
    input.variables.keys().all(|name| input.adjustments.moved.contains_key(*name))
}

/// Ends the guard and puts variables back.
fn finished(mut out: Generated, input: &Input<'_>) -> Generated {
    let guarded = |name: &str| input.adjustments.moved.contains_key(name);
    let end = if is_function(input) { "} __gr::guard_function(__gr_body);" } else { "}));" };
    if input.split.is_async && input.timeit.is_none() {
        out.ours(&format!("::core::result::Result::<(), __gr::CellError>::Ok(()) }}) {end}"));
    } else {
        out.ours(&format!("::core::result::Result::Ok(()) {end}"));
    }
    for (number, (name, known)) in input.variables.iter().enumerate() {
        if !guarded(name) {
            out.allow(input);
            out.line(Origin::PutBack((*name).to_owned()), &settle(number, name, known));
        }
    }
    out.ours("}");
    out
}

/// The statements as a closure that the prelude runs in loops; those of the
/// setup stand before it.
fn loops(out: &mut Generated, input: &Input<'_>, timeit: &Timeit) {
    let split = input.split;
    let (setup, statements): (Vec<_>, Vec<_>) =
        split.statements.iter().partition(|range| range.start < timeit.setup_end);
    out.before(input);
    for range in setup {
        out.part(input, range);
    }
    out.ours(";");
    let (open, close) = if split.is_async {
        ("__gr::block_on(async {", "::core::result::Result::<(), __gr::CellError>::Ok(()) }) })?;")
    } else {
        ("", "::core::result::Result::Ok(()) })?;")
    };
    let (loops, runs) = (timeit.loops, timeit.runs);
    out.ours(&format!("__gr::timeit({loops}, {runs}, &mut || -> __gr::CellResult {{ {open}"));
    for range in statements {
        out.part(input, range);
    }
    out.ours(";");
    match &split.tail {
        Some(tail) => {
            out.line(Origin::Show, "match &(");
            out.part(input, tail);
            out.line(Origin::Show, ") { __gr_v => __gr::measured(__gr_v)? };");
        }
        None => out.ours("__gr::measured(&())?;"),
    }
    out.ours(close);
}

/// Writes the crate of a cell that has nothing but items: it is checked, not
/// run.
pub(super) fn generate_items(input: &Input<'_>) -> Generated {
    let mut out = Generated::default();
    header(&mut out, input);
    out
}

fn header(out: &mut Generated, input: &Input<'_>) {
    // Attributes of the user's come before anything else.
    if !input.split.inner_attributes.is_empty() {
        out.is_whole = true;
        let mut head = HEAD.lines();
        head.by_ref().take(1).for_each(|line| out.ours(line));
        for range in &input.split.inner_attributes {
            let start = out.text.len();
            out.part(input, range);
            // What is forbidden could not be allowed in the lines around the cell.
            let attribute = out.text.split_off(start);
            out.text.push_str(&attribute.replacen("forbid", "deny  ", 1));
        }
        head.for_each(|line| out.ours(line));
    }
    // The standard library has these too, and a name of two globs is neither.
    let is_users = |name: &str| {
        let key = format!("M:{name}");
        input.leaves.iter().any(|leaf| leaf.name.as_deref() == Some(name))
            || input.items.iter().any(|(_, item)| item.key == key)
    };
    if !is_users("dbg") {
        out.ours("use gpurepl_prelude::dbg;");
    }
    let printing = ["print", "println", "eprint", "eprintln"];
    let ours: Vec<&str> = printing.into_iter().filter(|name| !is_users(name)).collect();
    out.ours(&format!("use gpurepl_prelude::cell::printing::{{{}}};", ours.join(", ")));
    let mut hiding = ours;
    if !is_users("dbg") {
        hiding.push("dbg");
    }
    let imported = input.leaves.iter().filter_map(|leaf| leaf.name.as_deref());
    hiding.extend(imported.filter(|name| is_of_compiler(name)));
    hiding.sort_unstable();
    hiding.dedup();
    for leaf in &input.leaves {
        out.leaf_lines.insert(out.origins.len());
        out.line(Origin::User { cell: leaf.cell, line: leaf.line }, &leaf.text);
    }
    for (number, preferred) in input.adjustments.preferred.iter().enumerate() {
        match preferred {
            Preferred::Import(import) => out.ours(import),
            Preferred::Name(name) => preferred_name(out, input, number, name),
        }
    }
    for (number, item) in &input.items {
        // What makes statics last is unsafe.
        let has_statics =
            !item.statics.is_empty() || item.names.contains("static") || item.names.contains("thread_local");
        if item.cell != input.cell || has_statics {
            out.allow(input);
        }
        let start = out.origins.len();
        out.item(item, &hiding);
        out.items.push(*number);
        out.item_lines.push(start..out.origins.len());
    }
}

/// Imports a name from all that the user has imported all names of, and from
/// nothing else. If two of them have it, rustc says so.
fn preferred_name(out: &mut Generated, input: &Input<'_>, number: usize, name: &str) {
    let module = format!("__gr_globs_{number}");
    out.ours(&format!("mod {module} {{"));
    for leaf in input.leaves.iter().filter(|leaf| leaf.text.ends_with("*;")) {
        let first = leaf.path.first().map_or("", String::as_str);
        let is_own = |key: &str| input.items.iter().any(|(_, item)| item.key == format!("T:{key}"));
        let is_imported = |name: &str| input.leaves.iter().any(|leaf| leaf.name.as_deref() == Some(name));
        let text = match leaf.text.split_once("use ") {
            Some((_, path)) if first == "self" => path.replacen("self::", "super::", 1),
            Some((_, path)) if first == "super" || is_own(first) || is_imported(first) => {
                format!("super::{path}")
            }
            Some((_, path)) => path.to_owned(),
            None => continue,
        };
        out.leaf_lines.insert(out.origins.len());
        out.line(Origin::User { cell: leaf.cell, line: leaf.line }, &format!("pub use {text}"));
    }
    out.ours("}");
    out.ours(&format!("use {module}::{};", spelled(name)));
}

/// Whether a macro, or a derive, has a name without being imported.
fn is_of_compiler(name: &str) -> bool {
    const MACROS: &[&str] = &[
        "assert",
        "assert_eq",
        "assert_ne",
        "cfg",
        "column",
        "compile_error",
        "concat",
        "dbg",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
        "env",
        "eprint",
        "eprintln",
        "file",
        "format",
        "format_args",
        "include",
        "include_bytes",
        "include_str",
        "is_x86_feature_detected",
        "line",
        "matches",
        "module_path",
        "option_env",
        "panic",
        "print",
        "println",
        "stringify",
        "thread_local",
        "todo",
        "unimplemented",
        "unreachable",
        "vec",
        "write",
        "writeln",
    ];
    MACROS.contains(&name) || super::references::is_derived(name)
}

/// Checks all variables at once before any is taken.
fn take_variables(out: &mut Generated, input: &Input<'_>) {
    if input.variables.is_empty() {
        return;
    }
    out.ours("if !__gr::wanted(&[");
    for (name, known) in &input.variables {
        let mut text = String::new();
        let of = explicit(&known.type_name);
        let _ = write!(
            text,
            "({name:?}, {:#x}, ::core::mem::size_of::<{of}>(), ::core::mem::align_of::<{of}>()),",
            known.basis.hash
        );
        out.line(Origin::Take((*name).to_owned()), &text);
    }
    out.ours("]) { return; }");
}

/// The line that takes a variable.
fn take(number: usize, name: &str, known: &Known) -> String {
    let mutability = if known.is_mutable { "mut " } else { "" };
    // SAFETY of the generated line: `take_variables` puts the question to
    // `wanted`, with this type's size, alignment and fingerprint, before it;
    // the numbers are those of the same list, and each is taken once.
    let of = explicit(&known.type_name);
    format!("let {mutability}{}: {of} = unsafe {{ __gr::take({number}) }};", spelled(name))
}

/// The line that puts a taken variable back.
fn settle(number: usize, name: &str, known: &Known) -> String {
    // SAFETY of the generated line: it stands after the `take` of the same
    // number and states the same type, so that whatever the name means by
    // then, by a macro's `let` say, is not a value that the slot cannot hold.
    let of = explicit(&known.type_name);
    format!("unsafe {{ __gr::settle::<{of}>({number}, {name:?}, {}); }}", spelled(name))
}

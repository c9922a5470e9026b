//! What is kept of a cell that fails, as its crate says it, and what is said of the rest. The
//! worker's side is `prelude/src/cell/rescue.rs`.

use std::collections::BTreeSet;
use std::ops::Range;

use gpurepl_wire::{Done, FailureKind};
use syn::parse::Parser as _;
use syn::visit::Visit;
use syn::{BinOp, Block, Expr, ExprAssign, ExprBinary};

use super::crate_text::{Generated, Origin, spelled};
use super::generate::{Input, Known};
use super::split::{Bound, Split};
use super::state::State;

/// A cell with more `let`s than this is generated, and would take longer to compile.
const MOST: usize = 200;

/// Whether new variables are kept if the cell ends early. One that awaits may be somewhere else
/// by then; one that is timed keeps none.
pub(super) fn keeps(input: &Input<'_>) -> bool {
    let (adjustments, split) = (input.adjustments, input.split);
    !(adjustments.probing || split.is_async || split.bound.len() > MOST || input.timeit.is_some())
}

/// The line that keeps an array that the cell takes and moves.
pub(super) fn moves(out: &mut Generated, input: &Input<'_>, number: usize, name: &str, known: &Known) {
    let path = known.type_name.split_once('<').map_or("", |(path, _)| path);
    let is_array = path.rsplit("::").next() == Some("GpuArray");
    if is_array && !input.adjustments.probing && !input.adjustments.not_rescued.contains(name) {
        out.allow(input);
        // SAFETY of the generated line: it follows the `take` of the same number and type.
        let line = format!("unsafe {{ __gr::moves({number}, {name:?}, &{}); }}", spelled(name));
        out.line(Origin::Rescue(name.to_owned()), &line);
    }
}

/// The lines that keep the variables that a statement has bound.
pub(super) fn after(out: &mut Generated, input: &Input<'_>, statement: &Range<usize>) {
    let split = input.split;
    if !keeps(input) || is_last(split, statement) {
        return;
    }
    let Some(bound) = split.bound.iter().find(|bound| bound.statement == *statement) else { return };
    for binding in bound.bindings.iter().filter(|binding| is_kept(input, &binding.name, statement)) {
        let name = &binding.name;
        // An array that is `mut` may have another handle by then.
        let array = if binding.is_mutable { "SkipArray" } else { "KeepArray" };
        out.allow(input);
        // SAFETY of the generated line: the variable has a value, and its scope ends after that
        // of what the line makes.
        let line = format!(
            "let __gr_r_{name} = unsafe {{ use __gr::{{{array} as _, KeepCopy as _, KeepNothing as _}}; \
             (&&&__gr::Binding(&raw const {})).rescue({name:?}) }};",
            spelled(name)
        );
        out.line(Origin::Rescue(name.clone()), &line);
    }
}

/// The lines behind the statements: what is kept is of the type that the session will know, and
/// nothing has to be kept any more.
pub(super) fn end(out: &mut Generated, input: &Input<'_>) {
    if !keeps(input) {
        return;
    }
    for Bound { statement, bindings, .. } in &input.split.bound {
        let names = bindings.iter().map(|binding| &binding.name);
        for name in names.filter(|name| !is_last(input.split, statement) && is_kept(input, name, statement)) {
            out.allow(input);
            let line = format!("__gr::same(&__gr_r_{name}, &{});", spelled(name));
            out.line(Origin::Rescue(name.clone()), &line);
        }
    }
    out.ours("__gr::completed();");
}

/// After the last statement nothing fails.
fn is_last(split: &Split, statement: &Range<usize>) -> bool {
    split.tail.is_none() && split.statements.last() == Some(statement)
}

/// Whether a variable that a statement binds is kept: it is the last of its name, which is the one
/// that the session will know.
fn is_kept(input: &Input<'_>, name: &str, statement: &Range<usize>) -> bool {
    let (adjustments, split) = (input.adjustments, input.split);
    let may_be = !adjustments.local.contains(name)
        && !adjustments.casts.contains_key(name)
        && !adjustments.not_rescued.contains(name);
    let binds = |bound: &&Bound| bound.bindings.iter().any(|binding| binding.name == name);
    let last = split.bound.iter().rev().find(binds);
    may_be && last.is_some_and(|last| last.is_plain && last.statement == *statement)
}

/// The variables that are what they were before a cell that has failed, although it gives them new
/// values: new ones of the name that could not be kept, and arrays that it had moved and assigned.
pub(super) fn uncovered(done: &Done, split: &Split, state: &State) -> BTreeSet<String> {
    if done.failure.as_ref().is_none_or(|failure| failure.kind == FailureKind::NotRun) {
        return BTreeSet::new();
    }
    let shadowed = split.bindings.iter().map(|binding| binding.name.clone());
    let assigned = if done.restored.is_empty() { BTreeSet::new() } else { assigned(&split.source) };
    let assigned = assigned.into_iter().filter(|name| done.restored.contains(name));
    let is_older = |name: &String| !done.put.contains(name) && state.variables.contains_key(name);
    shadowed.chain(assigned).filter(is_older).collect()
}

/// The names that a text assigns to, `x = ..` or `x += ..`.
fn assigned(source: &str) -> BTreeSet<String> {
    let mut names = Assigned::default();
    if let Ok(statements) = Block::parse_within.parse_str(source) {
        statements.iter().for_each(|statement| names.visit_stmt(statement));
    }
    names.0
}

#[derive(Default)]
struct Assigned(BTreeSet<String>);

impl Assigned {
    fn add(&mut self, to: &Expr) {
        if let Expr::Path(path) = to
            && let Some(name) = path.path.get_ident()
        {
            self.0.insert(name.to_string());
        }
    }
}

impl<'ast> Visit<'ast> for Assigned {
    fn visit_expr_assign(&mut self, assign: &'ast ExprAssign) {
        self.add(&assign.left);
        syn::visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        use BinOp::*;
        if matches!(
            binary.op,
            AddAssign(_)
                | SubAssign(_)
                | MulAssign(_)
                | DivAssign(_)
                | RemAssign(_)
                | BitXorAssign(_)
                | BitAndAssign(_)
                | BitOrAssign(_)
                | ShlAssign(_)
                | ShrAssign(_)
        ) {
            self.add(&binary.left);
        }
        syn::visit::visit_expr_binary(self, binary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_no_assignments() {
        let names =
            assigned("x = x + 1.0; if a <= b || c >= d { y += 2 }; for k in 0..3 { z[k] = 1 } n == m");
        assert_eq!(names, BTreeSet::from(["x".to_owned(), "y".to_owned()]));
        assert!(assigned("x = ").is_empty());
    }
}

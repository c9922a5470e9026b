//! Kernels that are done turn by turn: which, and what becomes of their text.

use std::collections::{BTreeMap, HashSet};

use super::kernel::Kernel;
use super::sums::{Locals, Sum, sum};
use super::{Walk, walk};
use crate::host::functions::Informed;
use crate::host::reach::{Reach, Unit, UnitKind};
use crate::host::rewrite::Edit;
use crate::token::{TokenKind, tokens};

/// A kernel's turns: how they are done, and the changes for it.
pub(super) struct Turns {
    pub(super) walk: Walk,
    pub(super) edits: Vec<Edit>,
}

/// The changes for kernels that are done turn by turn.
pub(in crate::host) fn edits(source: &str, reach: &Reach, informed: &Informed<'_>) -> Vec<Edit> {
    let kernels = reach.units().iter().filter(|unit| unit.kind == UnitKind::Kernel);
    let is_walked =
        |unit: &&Unit| matches!(walk(source, reach, informed, &unit.name), Walk::Strides | Walk::Bounded);
    let walked = kernels.filter(is_walked);
    walked.filter_map(|unit| turns(source, reach, informed, unit)).flat_map(|turns| turns.edits).collect()
}

/// What functions return that have no arguments and consist of that:
/// `__device__ int index() { return blockIdx.x*blockDim.x + threadIdx.x; }`.
pub(super) fn returned(source: &str, reach: &Reach, informed: &Informed<'_>) -> BTreeMap<String, Sum> {
    let none = BTreeMap::new();
    let locals =
        Locals { sums: BTreeMap::new(), declared: Vec::new(), bare: HashSet::new(), returned: &none };
    let mut found: BTreeMap<String, Option<Sum>> = BTreeMap::new();
    for unit in reach.units().iter().filter(|unit| informed.contains(&unit.name)) {
        let Some(body) = &unit.body else { continue };
        let text = &source[body.clone()];
        let all = tokens(text);
        let sum = match all.as_slice() {
            [_, first, value @ .., end, _] if first.is_name(text, "return") && end.is_mark(text, ';') => {
                sum(text, value, &locals)
            }
            _ => None,
        };
        // Two of one name differ in their arguments.
        found.entry(unit.name.clone()).and_modify(|known| *known = None).or_insert(sum);
    }
    found.into_iter().filter_map(|(name, sum)| Some((name, sum?))).collect()
}

pub(super) fn turns(source: &str, reach: &Reach, informed: &Informed<'_>, unit: &Unit) -> Option<Turns> {
    let body = unit.body.clone()?;
    let text = &source[body.clone()];
    let all = tokens(text);
    if all.iter().any(|token| token.kind == TokenKind::Directive) {
        return None;
    }
    let head = &source[unit.head.clone()];
    let parameters: HashSet<String> = tokens(head)
        .iter()
        .filter(|token| token.kind == TokenKind::Identifier)
        .map(|token| token.text(head).to_owned())
        .collect();
    let returned = returned(source, reach, informed);
    let kernel = || Kernel {
        text,
        all: &all,
        offset: body.start,
        reach,
        informed,
        locals: Locals {
            sums: BTreeMap::new(),
            declared: Vec::new(),
            bare: HashSet::new(),
            returned: &returned,
        },
        parameters: parameters.clone(),
        edits: Vec::new(),
    };
    once(kernel()).or_else(|| totals(kernel()))
}

/// A kernel that is its turns and nothing else.
fn once(mut kernel: Kernel<'_>) -> Option<Turns> {
    let start = kernel.read_declarations()?;
    let walk = if kernel.all[start].is_name(kernel.text, "if") {
        kernel.bounded(start)?;
        Walk::Bounded
    } else {
        kernel.strides(start)?;
        Walk::Strides
    };
    Some(Turns { walk, edits: kernel.edits })
}

/// A kernel whose turns add up.
fn totals(mut kernel: Kernel<'_>) -> Option<Turns> {
    kernel.totals()?;
    Some(Turns { walk: Walk::Strides, edits: kernel.edits })
}

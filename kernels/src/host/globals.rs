//! What a source's variables need on the host, so that they can be found in
//! the compiled module and written from outside.

use std::ops::Range;

use crate::globals::Global;

/// Keeps a variable that nothing in the module writes from being taken for a
/// constant, or left out.
const USED: &str = "__attribute__((used)) ";

/// The changes of the text that variables need.
pub(super) fn edits(globals: &[Global]) -> Vec<(Range<usize>, String)> {
    // One declaration may have several variables.
    let mut places: Vec<usize> = globals.iter().map(|global| global.qualifier.start).collect();
    places.dedup();
    places.into_iter().map(|place| (place..place, USED.to_owned())).collect()
}

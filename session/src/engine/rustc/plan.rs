//! What a cell would leave behind: its items replace others, and variables of
//! types that change with them go.

use std::collections::HashSet;

use super::items::{self, KeptItem, Parsed};
use super::split::Split;
use super::state::State;
use super::{RustcEngine, item_macros};

/// The items of a cell and of the session, as the cell would leave them.
pub(super) struct Plan {
    pub(super) state: State,
    /// Keys of items that this cell defines.
    pub(super) own: HashSet<String>,
    /// Variables that are dropped because their types are redefined.
    pub(super) outdated: Vec<String>,
    /// What to tell about statics.
    pub(super) notes: Vec<String>,
}

/// The items that a cell repeats: its own, those that it reaches, or all.
pub(super) fn included<'p>(plan: &'p Plan, reached: &[bool], all_items: bool) -> Vec<(usize, &'p KeptItem)> {
    let items = plan.state.written.iter().enumerate().zip(reached);
    let mut items: Vec<(usize, &KeptItem)> = items
        .filter(|((_, item), reached)| **reached || all_items || plan.own.contains(&item.key))
        .map(|(item, _)| item)
        .collect();
    // A macro has to stand before its uses, whichever cell defined it.
    let makers = item_macros::makers(&plan.state.written);
    items.sort_by_key(|(_, item)| match &item.key {
        key if key.starts_with("M:") => 0,
        key if makers.iter().any(|maker| key.starts_with(maker)) => 1,
        _ => 2,
    });
    items
}

impl RustcEngine {
    /// The state that the cell would leave if it compiles: its items replace
    /// others, and variables of types that change with them go.
    pub(super) fn plan(&self, split: &Split, cell: u64) -> Plan {
        let mut state = self.state.clone();
        let mut own = HashSet::new();
        let mut hidden = Vec::new();
        state.redefine(|state| {
            for item in &split.items {
                match items::read(&split.source, item, cell) {
                    Parsed::Use(leaves) => state.add_leaves(leaves),
                    Parsed::Items(items) => {
                        for item in items {
                            // A variable would hide a function of its name.
                            hidden.extend(item.key.strip_prefix("V:").map(str::to_owned));
                            own.insert(item.key.clone());
                            state.add_item(item);
                        }
                    }
                }
            }
        });
        for open in &split.open {
            open.bindings.iter().for_each(|binding| state.stop_waiting(&binding.name));
            state.waiting.push(open.clone());
        }
        let mut outdated = state.outdated_variables();
        for name in &outdated {
            state.gone.insert(name.clone(), "was dropped because its type was redefined".to_owned());
        }
        for name in hidden.into_iter().filter(|name| state.variables.contains_key(name)) {
            state
                .gone
                .insert(name.clone(), format!("was dropped because cell {cell} defines an item of its name"));
            if !outdated.contains(&name) {
                outdated.push(name);
            }
        }
        // An older variable of a name that waits is gone as if it were rebound.
        for binding in split.open.iter().flat_map(|open| &open.bindings) {
            if state.variables.contains_key(&binding.name) {
                let of = format!("was dropped because cell {cell} binds its name");
                state.gone.insert(binding.name.clone(), of);
                outdated.push(binding.name.clone());
            }
        }
        for name in &outdated {
            state.variables.remove(name);
        }
        let restarted = state.restarted_statics(&self.state);
        let note = |name: &String| format!("`{name}` starts again: its type was redefined");
        Plan { notes: restarted.iter().map(note).collect(), state, own, outdated }
    }
}

//! Forgetting some variables or items: `:reset vars a b`, `:reset items f`.

use super::RustcEngine;
use super::generate::Adjustments;
use super::open::Open;
use super::split::Split;
use crate::engine::Forget;
use crate::output::Sink;
use crate::worker::Ended;

impl RustcEngine {
    /// Forgets what is requested; see [`Engine::forget`](crate::engine::Engine::forget).
    pub(super) fn forget_some(&mut self, what: &Forget, sink: &mut dyn Sink) -> Result<Vec<String>, String> {
        self.interrupter.begin();
        match what {
            Forget::Variables(names) => self.forget_variables(names, sink),
            Forget::Items(names) => self.forget_items(names, sink),
        }
    }

    fn forget_variables(&mut self, names: &[String], sink: &mut dyn Sink) -> Result<Vec<String>, String> {
        let known = &self.state.variables;
        let waits = |name: &String| {
            self.state.waiting.iter().flat_map(|open| &open.bindings).any(|binding| binding.name == *name)
        };
        if let Some(name) = names.iter().find(|name| !known.contains_key(*name) && !waits(name)) {
            return Err(format!("there is no variable `{name}`; `:vars` lists them"));
        }
        let mut gone: Vec<(u64, String)> = known
            .iter()
            .filter(|(name, _)| names.is_empty() || names.contains(name))
            .map(|(name, known)| (known.cell, name.clone()))
            .collect();
        // The newest first, as at the end of a session.
        gone.sort();
        let mut gone: Vec<String> = gone.into_iter().rev().map(|(_, name)| name).collect();
        let unmade = self.forget_waiting(names);
        for name in &gone {
            self.state.variables.remove(name);
            self.state.gone.insert(name.clone(), "was forgotten by `:reset`".to_owned());
        }
        let dropped = self.drop_in_worker(gone.clone(), sink);
        self.recovery.record_forgotten(gone.clone(), dropped.is_err());
        if let Err(ended) = dropped {
            self.lose(&ended, None, sink);
        }
        gone.extend(unmade);
        Ok(gone)
    }

    /// Forgets variables whose names a cell that has succeeded has given to others, which are not kept: the older ones
    /// would come back in their place, without a word.
    ///
    /// # Errors
    ///
    /// If the worker ends meanwhile.
    pub(super) fn forget_shadowed(
        &mut self,
        split: &Split,
        adjustments: &Adjustments,
        cell: &str,
        sink: &mut dyn Sink,
    ) -> Result<(), Ended> {
        let is_shadowed =
            |name: &&String| adjustments.local.contains(*name) && self.state.variables.contains_key(*name);
        let names = split.bindings.iter().map(|binding| &binding.name).filter(is_shadowed);
        let mut names: Vec<String> = names.cloned().collect();
        names.sort();
        names.dedup();
        if names.is_empty() {
            return Ok(());
        }
        for name in &names {
            self.state.variables.remove(name);
            let how = format!(
                "was defined anew in {cell}, which moves it or lets it borrow, so that it is not kept"
            );
            self.state.gone.entry(name.clone()).or_insert(how);
        }
        let dropped = self.drop_in_worker(names.clone(), sink);
        self.recovery.record_forgotten(names, dropped.is_err());
        dropped
    }

    /// Forgets the statements that wait for their type and bind one of these
    /// names, or all of them if there are no names. A statement is forgotten
    /// whole: returns every name that it would have bound.
    fn forget_waiting(&mut self, names: &[String]) -> Vec<String> {
        let is_meant = |open: &Open| {
            names.is_empty() || open.bindings.iter().any(|binding| names.contains(&binding.name))
        };
        let (forgotten, kept): (Vec<Open>, Vec<Open>) =
            std::mem::take(&mut self.state.waiting).into_iter().partition(is_meant);
        self.state.waiting = kept;
        let bound = forgotten.into_iter().rev().flat_map(|open| open.bindings);
        let bound: Vec<String> = bound.map(|binding| binding.name).collect();
        for name in &bound {
            self.state.gone.insert(name.clone(), "was forgotten by `:reset`".to_owned());
        }
        bound
    }

    fn forget_items(&mut self, names: &[String], sink: &mut dyn Sink) -> Result<Vec<String>, String> {
        let known = self.state.item_names();
        if let Some(name) = names.iter().find(|name| !known.contains(name)) {
            return Err(format!("there is no item `{name}`; `:items` lists them"));
        }
        let gone = if names.is_empty() { known } else { names.to_vec() };
        let mut state = self.state.clone();
        state.redefine(|state| state.forget_items(&gone));
        // A value whose type is gone cannot be named, and nothing can use it.
        let outdated = state.outdated_variables();
        for name in &outdated {
            state.gone.insert(name.clone(), "was dropped because its type is gone".to_owned());
            state.variables.remove(name);
        }
        let dropped = super::RustcEngine::forget(self, &outdated, &state, sink);
        self.state = state;
        if let Err(ended) = dropped {
            self.lose(&ended, None, sink);
        }
        Ok(gone)
    }
}

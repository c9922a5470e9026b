//! Cells of nothing but items: they are checked and kept, and nothing runs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::RustcEngine;
use super::adjust::find;
use super::attempt::{MAX_RUNS, prefer_users_names};
use super::compile::{Compiler, Emit, Run};
use super::finding::Finding;
use super::generate::{self, Adjustments, Input};
use super::line_map::Map;
use super::plan::included;
use super::split::Split;
use crate::diagnostic::Diagnostic;
use crate::engine::{Cell, Outcome, Report};
use crate::output::Sink;

impl RustcEngine {
    /// A cell of nothing but items: it is checked and kept.
    pub(super) fn evaluate_items(&mut self, cell: &Cell, split: &Split, sink: &mut dyn Sink) -> Outcome {
        let start = Instant::now();
        let mut plan = self.plan(split, cell.id);
        let (mut removed, mut notes): (Vec<String>, Vec<String>) = (Vec::new(), plan.notes.clone());
        let mut all_items = false;
        let mut preferred = BTreeSet::new();
        for run in 1..=MAX_RUNS {
            let adjustments =
                Adjustments { all_items, preferred: preferred.clone(), ..Adjustments::default() };
            let reached = plan.state.reached(&self.names(split, &plan));
            let items = included(&plan, &reached, all_items);
            let generated = generate::generate_items(&Input {
                cell: cell.id,
                split,
                items,
                leaves: plan.state.leaves.iter().collect(),
                variables: BTreeMap::new(),
                adjustments: &adjustments,
                device_items: None,
                closures: BTreeMap::new(),
                timeit: None,
            });
            let result = self.compiler.compile(cell.id, &generated, Emit::Object, plan.state.epoch);
            self.compiler.clean(cell.id);
            if prefer_users_names(&result, &generated, cell.id, &mut preferred) && run < MAX_RUNS {
                continue;
            }
            let messages = match result {
                Run::Interrupted => return Outcome::Interrupted,
                Run::Failed(problem) => return self.fail(vec![Diagnostic::error(problem)], sink),
                Run::Ended { succeeded: true, messages } => {
                    for warning in self.diagnostics(cell, &generated, &plan, &messages, false) {
                        sink.diagnostic(&warning);
                    }
                    for note in removed.into_iter().chain(notes) {
                        sink.note(&note);
                    }
                    let forgotten = self.forget(&plan.outdated, &plan.state, sink);
                    self.state = plan.state;
                    if let Err(ended) = forgotten {
                        return self.lose(&ended, Some(&super::run::dropping(cell)), sink);
                    }
                    return Outcome::Done(Report {
                        total: start.elapsed(),
                        compile: start.elapsed(),
                        run: Duration::ZERO,
                        compiler_runs: run,
                        ..Report::default()
                    });
                }
                Run::Ended { messages, .. } => messages,
            };
            let map = Map { generated: &generated, file: &Compiler::file_name(cell.id), cell: cell.id };
            let findings = find(&map, split, &messages, true);
            let mut is_adjusted = false;
            let mut adjustments = Adjustments::default();
            for found in &findings {
                is_adjusted |=
                    self.adjust(found, split, &mut plan, &mut adjustments, &mut removed, &mut notes);
            }
            if is_adjusted && run < MAX_RUNS {
                continue;
            }
            let may_need_items = findings.iter().any(|found| found.finding == Finding::MayNeedAllItems);
            if !all_items && may_need_items && self.has_unreached(split, &plan) {
                all_items = true;
                continue;
            }
            return self.fail(self.diagnostics(cell, &generated, &plan, &messages, true), sink);
        }
        self.fail(vec![Diagnostic::error("the items could not be compiled")], sink)
    }
}

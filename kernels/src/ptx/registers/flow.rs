//! Which registers are set at each step, on every path or on any.

use std::collections::BTreeSet;

use super::program::{Program, Register, Step};

/// Which paths must set a register for it to count as set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paths {
    /// One of those that lead to a place; predicates may hold.
    Any,
    /// All that lead to a place.
    Every,
}

/// What is known where control is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct State {
    /// The registers that are set, a bit each.
    set: Vec<u64>,
    /// Registers that are set if a predicate is so: (predicate, value, register).
    conditional: BTreeSet<(Register, bool, Register)>,
}

impl State {
    fn is_set(&self, register: Register) -> bool {
        self.set[register / 64] >> (register % 64) & 1 == 1
    }

    fn set(&mut self, register: Register) {
        self.set[register / 64] |= 1 << (register % 64);
    }

    /// Whether it is set for an instruction under the guard.
    fn is_set_under(&self, guard: Option<(Register, bool)>, register: Register) -> bool {
        self.is_set(register)
            || guard
                .is_some_and(|(predicate, holds)| self.conditional.contains(&(predicate, holds, register)))
    }

    /// What a step leaves behind.
    fn after(&mut self, step: &Step, paths: Paths) {
        if paths == Paths::Any {
            step.writes.iter().for_each(|register| self.set(*register));
            return;
        }
        for &register in &step.writes {
            self.conditional.retain(|&(predicate, ..)| predicate != register);
        }
        for &register in &step.writes {
            match step.guard {
                Some((predicate, holds)) if !self.is_set(register) => {
                    if self.conditional.contains(&(predicate, !holds, register)) {
                        self.set(register);
                    } else if !step.writes.contains(&predicate) {
                        self.conditional.insert((predicate, holds, register));
                    }
                }
                _ => self.set(register),
            }
        }
    }

    /// What is known where the predicate is so.
    fn where_holds(&self, guard: Option<(Register, bool)>, holds: bool) -> State {
        let mut state = self.clone();
        if let Some((predicate, value)) = guard {
            let value = value == holds;
            let known = self.conditional.range((predicate, value, 0)..=(predicate, value, Register::MAX));
            known.for_each(|&(.., register)| state.set(register));
        }
        state
    }

    /// Adds what another path knows; whether that is more than before.
    fn join(&mut self, other: &State) -> bool {
        let before = self.set.clone();
        self.set.iter_mut().zip(&other.set).for_each(|(mine, other)| *mine |= other);
        self.set != before
    }

    /// Keeps what another path knows too; whether that is less than before.
    fn meet(&mut self, other: &State) -> bool {
        let before = self.clone();
        let holds = |state: &State, fact: &(Register, bool, Register)| {
            state.is_set(fact.2) || state.conditional.contains(fact)
        };
        let both = self.conditional.union(&other.conditional);
        let conditional = both.filter(|fact| holds(self, fact) && holds(other, fact)).copied().collect();
        self.conditional = conditional;
        self.set.iter_mut().zip(&other.set).for_each(|(mine, other)| *mine &= other);
        *self != before
    }
}

/// The blocks of a function, and what is known where each one starts.
pub(super) struct Flow<'p, 'a> {
    program: &'p Program<'a>,
    paths: Paths,
    /// The first step of each block, in their order.
    starts: Vec<usize>,
    /// `None` where control never comes.
    states: Vec<Option<State>>,
}

impl<'p, 'a> Flow<'p, 'a> {
    pub fn new(program: &'p Program<'a>, paths: Paths) -> Flow<'p, 'a> {
        let count = program.steps.len();
        let mut starts = BTreeSet::from([0]);
        for (at, step) in program.steps.iter().enumerate() {
            starts.extend(&step.targets);
            if step.leaves {
                starts.insert(at + 1);
            }
        }
        let starts: Vec<usize> = starts.into_iter().filter(|start| *start < count).collect();
        let states = vec![None; starts.len()];
        let mut flow = Flow { program, paths, starts, states };
        flow.run();
        flow
    }

    /// Follows every path until what is known stays the same.
    fn run(&mut self) {
        let mut first = State { set: vec![0; self.program.names.len() / 64 + 1], ..State::default() };
        self.program.parameters.iter().for_each(|parameter| first.set(*parameter));
        let mut waiting = BTreeSet::new();
        self.arrive(0, first, &mut waiting);
        while let Some(block) = waiting.pop_first() {
            let mut state = self.states[block].clone().expect("a state arrived");
            for at in self.steps(block) {
                let step = &self.program.steps[at];
                for target in &step.targets {
                    self.arrive(*target, state.where_holds(step.guard, true), &mut waiting);
                }
                if step.leaves && step.guard.is_some() {
                    self.arrive(at + 1, state.where_holds(step.guard, false), &mut waiting);
                } else if !step.leaves {
                    state.after(step, self.paths);
                    if at + 1 == self.end(block) {
                        self.arrive(at + 1, state.clone(), &mut waiting);
                    }
                }
            }
        }
    }

    /// Brings a path to the block that starts at a step.
    fn arrive(&mut self, start: usize, state: State, waiting: &mut BTreeSet<usize>) {
        let Ok(block) = self.starts.binary_search(&start) else { return };
        let is_news = match &mut self.states[block] {
            Some(known) if self.paths == Paths::Any => known.join(&state),
            Some(known) => known.meet(&state),
            unreached => {
                *unreached = Some(state);
                true
            }
        };
        if is_news {
            waiting.insert(block);
        }
    }

    fn end(&self, block: usize) -> usize {
        self.starts.get(block + 1).copied().unwrap_or(self.program.steps.len())
    }

    fn steps(&self, block: usize) -> std::ops::Range<usize> {
        self.starts[block]..self.end(block)
    }

    /// The reads of registers that are not set, with their lines.
    pub fn unset_reads(&self) -> Vec<(Register, usize)> {
        let mut found = Vec::new();
        for (block, state) in self.states.iter().enumerate() {
            let Some(mut state) = state.clone() else { continue };
            for at in self.steps(block) {
                let step = &self.program.steps[at];
                let unset = |&&(register, _): &&(Register, usize)| !state.is_set_under(step.guard, register);
                found.extend(step.reads.iter().filter(unset));
                state.after(step, self.paths);
            }
        }
        found
    }
}

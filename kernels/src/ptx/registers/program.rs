//! A function's body as steps, with its registers as numbers.

use std::collections::{HashMap, HashSet};

use super::super::instruction::Instruction;
use super::super::token::{Token, closing};

/// A register of a function, by its place in [`Program::names`].
pub(super) type Register = usize;

/// What one instruction does to registers, and where it leads.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    /// The predicate it is under, and whether that must be true.
    pub guard: Option<(Register, bool)>,
    /// What it reads, each with its line; the predicate is one of them.
    pub reads: Vec<(Register, usize)>,
    pub writes: Vec<Register>,
    /// Whether control never comes to the next step, but for the guard.
    pub leaves: bool,
    /// The steps it branches to.
    pub targets: Vec<usize>,
}

/// A function's body.
#[derive(Clone, Debug, Default)]
pub(super) struct Program<'a> {
    pub steps: Vec<Step>,
    /// The names of registers. Those of different scopes may be the same.
    pub names: Vec<&'a str>,
    /// The registers that the caller sets.
    pub parameters: Vec<Register>,
}

impl<'a> Program<'a> {
    /// Reads the parameters and the body of a function.
    pub fn read(parameters: &[Token<'a>], body: &[Token<'a>], noreturn: &[&str]) -> Program<'a> {
        let mut reader = Reader { noreturn, ..Reader::default() };
        reader.open();
        for parameter in parameters.split(|token| token.text == ",") {
            if let [kind, rest @ ..] = parameter
                && kind.text == ".reg"
            {
                reader.declare(rest);
                let register = rest.last().and_then(|name| reader.register(name.text));
                reader.program.parameters.extend(register);
            }
        }
        reader.body(body);
        reader.link();
        reader.program
    }
}

/// What is declared between two braces.
#[derive(Default)]
struct Scope<'a> {
    parent: usize,
    names: HashSet<&'a str>,
    /// `%r<12>`: what stands before the numbers, and how many there are.
    ranges: HashMap<&'a str, usize>,
    /// The steps that labels stand before.
    labels: HashMap<&'a str, usize>,
    /// The lists of labels for `brx.idx`.
    tables: HashMap<&'a str, Vec<&'a str>>,
}

#[derive(Default)]
struct Reader<'a, 'n> {
    noreturn: &'n [&'n str],
    program: Program<'a>,
    /// Every scope, closed ones too: branches are linked at the end.
    scopes: Vec<Scope<'a>>,
    scope: usize,
    numbers: HashMap<(usize, &'a str), Register>,
    /// The branches: the step, its scope, its instruction's name, its label.
    branches: Vec<(usize, usize, &'a str, &'a str)>,
}

impl<'a> Reader<'a, '_> {
    fn open(&mut self) {
        self.scopes.push(Scope { parent: self.scope, ..Scope::default() });
        self.scope = self.scopes.len() - 1;
    }

    fn body(&mut self, body: &[Token<'a>]) {
        let mut at = 0;
        let mut label = "";
        while let Some(token) = body.get(at) {
            at += 1;
            match token.text {
                "{" => self.open(),
                "}" => self.scope = self.scopes[self.scope].parent,
                ";" => {}
                name if body.get(at).is_some_and(|next| next.text == ":") => {
                    label = name;
                    self.scopes[self.scope].labels.insert(name, self.program.steps.len());
                    at += 1;
                }
                _ => {
                    let end = statement_end(body, at - 1);
                    self.statement(label, &body[at - 1..end]);
                    label = "";
                    at = end + 1;
                }
            }
        }
    }

    fn statement(&mut self, label: &'a str, statement: &[Token<'a>]) {
        match statement[0].text {
            ".reg" => self.declare(&statement[1..]),
            ".branchtargets" => {
                let labels = statement[1..].iter().map(|token| token.text).filter(|text| *text != ",");
                self.scopes[self.scope].tables.insert(label, labels.collect());
            }
            _ => {
                if let Some(instruction) = Instruction::read(statement) {
                    self.instruction(&instruction);
                }
            }
        }
    }

    /// Declares what stands behind `.reg`: `.b32 %r<12>, %other`.
    fn declare(&mut self, tokens: &[Token<'a>]) {
        let scope = &mut self.scopes[self.scope];
        let mut tokens = tokens.iter().filter(|token| !token.text.starts_with('.') && token.text != ",");
        let mut previous = "";
        while let Some(token) = tokens.next() {
            match token.text {
                "<" => {
                    let count = tokens.next().and_then(|count| count.text.parse().ok());
                    scope.names.remove(previous);
                    scope.ranges.insert(previous, count.unwrap_or(0));
                }
                ">" => {}
                name => {
                    scope.names.insert(name);
                    previous = name;
                }
            }
        }
    }

    /// The number of a register. `None` for other words, special registers
    /// among them, which nobody declares.
    fn register(&mut self, word: &'a str) -> Option<Register> {
        // `.x` is an element of a vector, `.b0` a byte of a number.
        let word = if word.starts_with('.') { word } else { word.split('.').next()? };
        let prefix = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &word[prefix.len()..];
        let in_range = |count: &usize| digits.parse::<usize>().is_ok_and(|number| number < *count);
        let mut at = self.scope;
        loop {
            let scope = &self.scopes[at];
            if scope.names.contains(word) || scope.ranges.get(prefix).is_some_and(in_range) {
                let next = self.program.names.len();
                let register = *self.numbers.entry((at, word)).or_insert(next);
                if register == next {
                    self.program.names.push(word);
                }
                return Some(register);
            }
            if at == 0 {
                return None;
            }
            at = scope.parent;
        }
    }

    fn instruction(&mut self, instruction: &Instruction<'_, 'a>) {
        let mut step = Step { leaves: instruction.leaves(), ..Step::default() };
        if let Some((predicate, holds)) = instruction.guard
            && let Some(register) = self.register(predicate.text)
        {
            step.guard = Some((register, holds));
            step.reads.push((register, predicate.line));
        }
        if let Some(called) = instruction.called() {
            step.leaves |= self.noreturn.contains(&called.text);
        }
        if matches!(instruction.base(), "bra" | "brx")
            && let Some([label, ..]) = instruction.operands.last()
        {
            self.branches.push((self.program.steps.len(), self.scope, instruction.base(), label.text));
        }
        for token in instruction.reads() {
            let read = self.register(token.text);
            step.reads.extend(read.map(|register| (register, token.line)));
        }
        for token in instruction.writes() {
            let written = self.register(token.text);
            step.writes.extend(written);
        }
        self.program.steps.push(step);
    }

    /// Finds the steps that branches lead to.
    fn link(&mut self) {
        for (step, scope, name, label) in std::mem::take(&mut self.branches) {
            let labels = if name == "brx" {
                self.find(scope, |scope| scope.tables.get(label).cloned()).unwrap_or_default()
            } else {
                vec![label]
            };
            let targets = labels.iter().filter_map(|l| self.find(scope, |s| s.labels.get(l).copied()));
            self.program.steps[step].targets = targets.collect();
        }
    }

    /// What the innermost scope has that has it.
    fn find<T>(&self, scope: usize, get: impl Fn(&Scope<'a>) -> Option<T>) -> Option<T> {
        let mut at = scope;
        loop {
            let scope = &self.scopes[at];
            match get(scope) {
                None if at != 0 => at = scope.parent,
                found => return found,
            }
        }
    }
}

/// Where the `;` of a statement is, or the end of the text.
fn statement_end(tokens: &[Token], start: usize) -> usize {
    let mut at = start;
    while at < tokens.len() {
        match tokens[at].text {
            ";" => return at,
            "(" | "[" | "{" => at = closing(tokens, at) + 1,
            _ => at += 1,
        }
    }
    tokens.len()
}

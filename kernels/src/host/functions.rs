//! Functions that ask for their thread, given it by those who call them.
//!
//! ```text
//! __device__ int index() { return threadIdx.x; }
//! __device__ int index(const uint3 threadIdx, ...) { return threadIdx.x; }
//! ```
//!
//! A compiler sees through an argument, and makes vectors of the loop around
//! it; through memory that a loop writes and a function reads it does not. The
//! arguments can be given where each mention of the function is a call from a
//! kernel or from another such function. Where one is something else, none of
//! the source's functions gets them, and all ask ([`super::Indices`]).

use std::collections::HashSet;

use super::reach::{INDICES, Reach, Unit, UnitKind};
use super::rewrite::Edit;
use crate::token::{Token, TokenKind, closing, tokens};

/// What a function gets before its own arguments.
const ARGUMENTS: &str =
    "const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim";

/// What a call gives it.
const GIVEN: &str = "threadIdx, blockIdx, blockDim, gridDim";

/// Names that lead to a thread's place.
const ASKING: [&str; 2] = ["assert", "__trap"];

/// The functions of a source that get their thread as arguments.
#[derive(Default)]
pub(super) struct Informed<'a> {
    names: HashSet<&'a str>,
    /// Whether all functions that ask are among them.
    pub(super) is_complete: bool,
}

impl<'a> Informed<'a> {
    pub(super) fn new(source: &str, all: &[Token], reach: &'a Reach) -> Informed<'a> {
        let functions = || reach.units().iter().filter(|unit| unit.kind == UnitKind::Function);
        let mut names: HashSet<&str> = HashSet::new();
        loop {
            let asks = |unit: &&Unit| {
                let mentioned = reach.expanded(unit);
                INDICES.iter().chain(&ASKING).any(|name| mentioned.contains(name))
                    || names.iter().any(|name| mentioned.contains(name))
            };
            let found: HashSet<&str> = functions().filter(asks).map(|unit| unit.name.as_str()).collect();
            if found == names {
                break;
            }
            names = found;
        }
        // A macro with a body makes functions, whose calls cannot be seen.
        let makes = |unit: &Unit| {
            let mentioned = reach.expanded(unit);
            let asks = INDICES.iter().chain(&ASKING).chain(&names).any(|name| mentioned.contains(name));
            unit.kind == UnitKind::Macro && unit.has_body && asks
        };
        if reach.units().iter().any(makes) {
            return Informed::default();
        }
        let informed = Informed { names, is_complete: true };
        if informed.names.is_empty() || informed.can_be(source, all, reach) {
            informed
        } else {
            Informed::default()
        }
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Whether any function gets its thread.
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether every mention of them is a declaration or a call from where the
    /// indices have names.
    fn can_be(&self, source: &str, all: &[Token], reach: &Reach) -> bool {
        let named = |text: &str| tokens(text).iter().any(|token| self.names.contains(token.text(text)));
        let units = || reach.units().iter().filter(|unit| self.names.contains(unit.name.as_str()));
        // A macro may be used anywhere, and names put together cannot be seen.
        let in_macros = all.iter().any(|token| {
            token.kind == TokenKind::Directive
                && (named(&token.text(source)[1..]) || token.text(source).contains("##"))
        });
        let heads_ask = units().any(|unit| {
            let head = &source[unit.head.clone()];
            tokens(head).iter().any(|token| INDICES.contains(&token.text(head)))
        });
        let are_functions = units().all(|unit| unit.kind == UnitKind::Function && unit.body.is_some());
        if self.names.contains("") || in_macros || heads_ask || !are_functions {
            return false;
        }
        (0..all.len()).all(|k| {
            let token = &all[k];
            if token.kind != TokenKind::Identifier || !self.names.contains(token.text(source)) {
                return true;
            }
            let before = |mark: char| k > 0 && all[k - 1].is_mark(source, mark);
            let is_type = ["struct", "class", "union", "enum", "namespace", "using"]
                .iter()
                .any(|name| k > 0 && all[k - 1].is_name(source, name));
            // A member, a qualified name, a destructor.
            let is_arrow = before('>') && k > 1 && all[k - 2].is_mark(source, '-');
            if before('.') || is_arrow || before(':') || before('~') || is_type {
                return false;
            }
            call(source, all, k).is_some() && self.is_known_place(reach, token.span.start)
        })
    }

    /// Whether a mention stands in a kernel, in another such function, or
    /// outside of all functions, where it declares or defines one.
    fn is_known_place(&self, reach: &Reach, place: usize) -> bool {
        let around =
            reach.units().iter().find(|unit| unit.body.as_ref().is_some_and(|body| body.contains(&place)));
        match around {
            Some(unit) => unit.kind == UnitKind::Kernel || self.names.contains(unit.name.as_str()),
            None => true,
        }
    }

    /// The arguments of declarations and calls.
    pub(super) fn edits(&self, source: &str, all: &[Token], reach: &Reach) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (k, token) in all.iter().enumerate() {
            if token.kind != TokenKind::Identifier || !self.names.contains(token.text(source)) {
                continue;
            }
            let Some(open) = call(source, all, k) else { continue };
            let Some(close) = closing(source, all, open) else { continue };
            let is_within = reach
                .units()
                .iter()
                .any(|unit| unit.body.as_ref().is_some_and(|body| body.contains(&token.span.start)));
            let given = if is_within { GIVEN } else { ARGUMENTS };
            let place = all[open].span.end;
            edits.push(match &all[open + 1..close] {
                [] => (place..place, given.to_owned()),
                [only] if !is_within && only.is_name(source, "void") => (only.span.clone(), given.to_owned()),
                _ => (place..place, format!("{given}, ")),
            });
        }
        edits
    }
}

/// The parenthesis after a function's name, or after the arguments of its
/// template.
fn call(source: &str, all: &[Token], name: usize) -> Option<usize> {
    let mut depth = 0i32;
    for (k, token) in all.iter().enumerate().skip(name + 1).take(40) {
        if depth == 0 && token.is_mark(source, '(') {
            return Some(k);
        }
        depth += i32::from(token.is_mark(source, '<')) - i32::from(token.is_mark(source, '>'));
        if depth < 0 || (depth == 0 && !token.is_mark(source, '>')) || token.is_mark(source, ';') {
            return None;
        }
    }
    None
}

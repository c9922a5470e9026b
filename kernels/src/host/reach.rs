//! What a kernel uses, directly or through the functions and macros it calls.

use std::collections::HashSet;
use std::ops::Range;

use crate::token::{Token, TokenKind, closing, tokens};

/// Names that need the threads of a block to meet, or memory that they share.
const NEEDS_THREADS: &[&str] = &[
    "__shared__",
    "__syncthreads",
    "__syncthreads_count",
    "__syncthreads_and",
    "__syncthreads_or",
    "__syncwarp",
    "__activemask",
    "__shfl",
    "__shfl_up",
    "__shfl_down",
    "__shfl_xor",
    "__shfl_sync",
    "__shfl_up_sync",
    "__shfl_down_sync",
    "__shfl_xor_sync",
    "__any",
    "__all",
    "__ballot",
    "__any_sync",
    "__all_sync",
    "__ballot_sync",
    "__match_any_sync",
    "__match_all_sync",
    "__reduce_add_sync",
    "__reduce_min_sync",
    "__reduce_max_sync",
    "__reduce_and_sync",
    "__reduce_or_sync",
    "__reduce_xor_sync",
    "cooperative_groups",
];

/// Names that an entry must keep up to date where a function mentions them.
/// `assert` and `__trap` report the indices.
const KEPT: [&str; 6] = ["threadIdx", "blockIdx", "blockDim", "gridDim", "assert", "__trap"];

/// A function, a macro or shared memory at file scope, and the names in it.
struct Unit {
    name: String,
    /// The body's braces and all between them; none for what has no body.
    body: Option<Range<usize>>,
    is_kernel: bool,
    names: HashSet<String>,
}

/// The functions and macros of a source, and what they mention.
pub(crate) struct Reach {
    units: Vec<Unit>,
    needs_threads: HashSet<String>,
}

impl Reach {
    pub(crate) fn new(source: &str) -> Reach {
        let units = units(source);
        // A function needs threads if it mentions a name that does.
        let mut needs_threads: HashSet<String> =
            NEEDS_THREADS.iter().map(|name| (*name).to_owned()).collect();
        loop {
            let before = needs_threads.len();
            for unit in &units {
                if !unit.names.is_disjoint(&needs_threads) {
                    needs_threads.insert(unit.name.clone());
                }
            }
            if needs_threads.len() == before {
                return Reach { units, needs_threads };
            }
        }
    }

    /// What a kernel uses, itself or through others, that needs threads.
    pub(crate) fn unsupported(&self, kernel: &str) -> Option<&str> {
        let mut seen = HashSet::new();
        let mut next = vec![kernel];
        while let Some(name) = next.pop() {
            if let Some(found) = NEEDS_THREADS.iter().find(|needed| **needed == name) {
                return Some(found);
            }
            if !seen.insert(name) {
                continue;
            }
            for unit in self.units.iter().filter(|unit| unit.name == name) {
                let mut names: Vec<&str> = unit.names.iter().map(String::as_str).collect();
                names.retain(|name| self.needs_threads.contains(*name));
                // The order of a set is not one; messages should not vary.
                names.sort_unstable_by(|a, b| b.cmp(a));
                next.extend(names);
            }
        }
        None
    }

    /// The bodies that cannot be compiled for the host.
    pub(crate) fn unsupported_bodies(&self) -> impl Iterator<Item = &Range<usize>> {
        let needs = |unit: &&Unit| self.needs_threads.contains(&unit.name);
        self.units.iter().filter(needs).filter_map(|unit| unit.body.as_ref())
    }

    /// Whether a function or macro that is no kernel mentions an index, or
    /// anything at all may end a launch early.
    pub(crate) fn indices_outside_kernels(&self) -> bool {
        self.units.iter().any(|unit| {
            let kept = if unit.is_kernel { &KEPT[4..] } else { &KEPT[..] };
            kept.iter().any(|name| unit.names.contains(*name))
        })
    }
}

/// Finds functions, by their bodies, and macros.
fn units(source: &str) -> Vec<Unit> {
    let all = tokens(source);
    let mut units = Vec::new();
    let mut k = 0;
    while k < all.len() {
        let token = &all[k];
        if token.kind == TokenKind::Directive {
            units.extend(macro_unit(token.text(source)));
        } else if token.is_name(source, "__shared__") {
            units.extend(shared_units(source, &all[k + 1..]));
        } else if token.is_mark(source, '{')
            && let Some(name) = function_before(source, &all[..k])
        {
            let close = closing(source, &all, k).unwrap_or(all.len() - 1);
            let head = head_start(source, &all[..name]);
            let body = &all[k..=close];
            units.push(Unit {
                name: all[name].text(source).to_owned(),
                body: Some(token.span.start..all[close].span.end),
                is_kernel: all[head..name].iter().any(|t| t.is_name(source, "__global__")),
                names: identifiers(source, body),
            });
            // Directives within the body still define macros.
            let inner = body.iter().filter(|t| t.kind == TokenKind::Directive);
            units.extend(inner.filter_map(|t| macro_unit(t.text(source))));
            k = close;
        }
        k += 1;
    }
    units
}

fn identifiers(source: &str, part: &[Token]) -> HashSet<String> {
    let named = part.iter().filter(|token| token.kind == TokenKind::Identifier);
    named.map(|token| token.text(source).to_owned()).collect()
}

fn macro_unit(directive: &str) -> Option<Unit> {
    let text = directive.trim_start_matches(['#', ' ', '\t']).strip_prefix("define")?;
    let inner = tokens(text);
    let name = inner.first()?.text(text).to_owned();
    Some(Unit { name, body: None, is_kernel: false, names: identifiers(text, &inner[1..]) })
}

/// The variables of a declaration after its `__shared__`, outside of functions:
/// who mentions one shares memory.
fn shared_units(source: &str, rest: &[Token]) -> Vec<Unit> {
    let end = rest.iter().position(|token| token.is_mark(source, ';')).unwrap_or(rest.len());
    let is_name = |pair: &&[Token]| {
        let ends = ['[', ',', '=', ';'].iter().any(|mark| pair[1].is_mark(source, *mark));
        pair[0].kind == TokenKind::Identifier && ends
    };
    let declared = rest[..rest.len().min(end + 1)].windows(2).filter(is_name);
    let unit = |pair: &[Token]| Unit {
        name: pair[0].text(source).to_owned(),
        body: None,
        is_kernel: false,
        names: HashSet::from(["__shared__".to_owned()]),
    };
    declared.map(unit).collect()
}

/// The name in `name(...) {`, or `name(...) const {`, or a constructor with
/// initialisers; none for a structure, a namespace or a block.
fn function_before(source: &str, before: &[Token]) -> Option<usize> {
    let mut end = before.len();
    while end > 0 && (before[end - 1].kind == TokenKind::Identifier) {
        let word = before[end - 1].text(source);
        if !matches!(word, "const" | "noexcept" | "override" | "final" | "mutable") {
            return None;
        }
        end -= 1;
    }
    let close = end.checked_sub(1)?;
    if !before[close].is_mark(source, ')') {
        return None;
    }
    let mut depth = 0i32;
    let open = (0..=close).rev().find(|&k| {
        depth += i32::from(before[k].is_mark(source, ')')) - i32::from(before[k].is_mark(source, '('));
        depth == 0
    })?;
    let name = open.checked_sub(1)?;
    let word = before[name].text(source);
    let is_statement = matches!(word, "if" | "for" | "while" | "switch" | "catch");
    (before[name].kind == TokenKind::Identifier && !is_statement).then_some(name)
}

/// Where the declaration that ends with these tokens starts.
fn head_start(source: &str, before: &[Token]) -> usize {
    let ends = |token: &Token| {
        token.kind == TokenKind::Directive || [';', '{', '}'].iter().any(|mark| token.is_mark(source, *mark))
    };
    before.iter().rposition(ends).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_behind_two_calls_and_a_macro_is_found() {
        let source = "#define WAIT() \\\n  __syncwarp()\n\
                      struct Tree { __device__ int a() const { WAIT(); return 1; } };\n\
                      __device__ int b(Tree t) { return t.a(); }\n\
                      __global__ void far(Tree t) { b(t); }\n__global__ void near(int *x) { *x = 1; }";
        let reach = Reach::new(source);
        assert_eq!(reach.unsupported("far"), Some("__syncwarp"));
        assert_eq!(reach.unsupported("near"), None);
        assert_eq!(reach.unsupported_bodies().count(), 3);
    }
}

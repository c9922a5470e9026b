//! The changes to the user's text, made at tokens so that strings, comments
//! and line numbers stay as they are.

use std::ops::Range;

use super::Request;
use super::functions::Informed;
use super::reach::{INDICES, Reach, UnitKind};
use super::shared::{self, Declaration};
use crate::preprocessor::Change;
use crate::signature::function_head;
use crate::token::{Source, Token, TokenKind, closing, tokens};
use crate::{SpecError, headers};

/// The hidden arguments of a kernel.
const ARGUMENTS: &str = "const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim, const unsigned int gpurepl_width";

/// The same without names, where every mention asks for the thread.
const UNNAMED: &str = "const uint3, const uint3, const dim3, const dim3, const unsigned int";

/// Headers whose contents the shim has, or that have nothing for a kernel.
const PROVIDED: [&str; 32] = [
    "algorithm",
    "assert.h",
    "cassert",
    "cfloat",
    "climits",
    "cmath",
    "complex.h",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "cuda.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "cuda_surface_types.h",
    "cuda_texture_types.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "float.h",
    "limits.h",
    "math.h",
    "math_constants.h",
    "pycuda-helpers.hpp",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "surface_functions.h",
    "vector_functions.h",
    "vector_types.h",
];

/// Whether a source includes a header.
pub(super) fn includes(source: &Source<'_>, name: &str) -> bool {
    source.tokens.iter().any(|token| included(source.text, token) == Some(name))
}

/// Whether a token includes a header that gpurepl provides, in the shim or as a
/// text.
pub(super) fn is_provided(source: &str, token: &Token) -> bool {
    included(source, token)
        .is_some_and(|header| PROVIDED.contains(&header) || headers::text(header).is_some())
}

/// Whether a source includes files of the user's, whose text is not known.
pub(super) fn includes_files(source: &Source<'_>) -> bool {
    let mut names = source.tokens.iter().filter_map(|token| included(source.text, token));
    names.any(|name| !PROVIDED.contains(&name) && headers::text(name).is_none())
}

/// How a kernel learns its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indices {
    /// By hidden arguments, through which a compiler sees.
    Arguments,
    /// By asking its thread, as functions do. Slower, and works also where an
    /// argument cannot be named: in a lambda that captures nothing, in a
    /// structure within the kernel.
    Asked,
}

pub(super) type Edit = (Range<usize>, String);

/// Translates a source, and says where lines have become longer.
pub(super) fn rewrite(
    whole: &Source<'_>,
    reach: &Reach,
    declarations: &[Declaration],
    informed: &Informed<'_>,
    request: &Request<'_>,
) -> Result<(String, Vec<Change>), SpecError> {
    let Source { text: source, tokens: all } = whole;
    let indices = request.indices;
    let mut edits: Vec<Edit> = Vec::new();
    let kernels: Vec<&Range<usize>> = reach
        .units()
        .iter()
        .filter(|unit| {
            let is_informed = unit.kind == UnitKind::Function && informed.contains(&unit.name);
            unit.kind == UnitKind::Kernel || is_informed
        })
        .filter_map(|unit| unit.body.as_ref())
        .collect();
    let is_argument =
        |at: usize| indices == Indices::Arguments && kernels.iter().any(|body| body.contains(&at));
    for declaration in declarations {
        edits.push((declaration.range.clone(), declaration.replacement.clone()));
    }
    edits.extend(references(source, reach, declarations));
    edits.extend(captures(source, all, reach, declarations));
    edits.extend(super::refused::edits(source, all, reach));
    edits.extend(super::globals::edits(&crate::globals::find(whole)));
    for (k, token) in all.iter().enumerate() {
        if included(source, token).is_some() {
            if is_provided(source, token) {
                edits.push((token.span.clone(), "\n".repeat(token.text(source).matches('\n').count())));
            }
        } else if token.kind == TokenKind::Directive {
            edits.extend(asked_in_macro(source, token));
        } else if token.is_name(source, "__global__") {
            edits.extend(hidden_arguments(source, all, k, indices));
        } else if is_index(source, token) && !is_argument(token.span.start) && !is_own_name(source, all, k) {
            edits.push(asked(source, token.span.clone()));
        }
    }
    if request.refined {
        edits.extend(super::arithmetic::edits(source, all));
        edits.extend(informed.edits(source, all, reach));
        edits.extend(super::grid::edits(source, reach, informed));
    }
    edits.sort_by_key(|(range, _)| range.start);
    let changes =
        edits.iter().filter_map(|(range, replacement)| change(source, range, replacement)).collect();
    Ok((apply(source, &edits), changes))
}

fn is_index(source: &str, token: &Token) -> bool {
    token.kind == TokenKind::Identifier && INDICES.contains(&token.text(source))
}

/// Whether a name that an index has too is a member, or is being declared:
/// `p->blockDim`, `dim3 blockDim`.
fn is_own_name(source: &str, all: &[Token], k: usize) -> bool {
    let Some(before) = k.checked_sub(1).map(|k| &all[k]) else { return false };
    let is_type = before.kind == TokenKind::Identifier && !before.is_name(source, "return");
    let is_arrow = before.is_mark(source, '>') && k > 1 && all[k - 2].is_mark(source, '-');
    let is_listed =
        before.is_mark(source, ',') && all.get(k + 1).is_some_and(|next| next.is_mark(source, ';'));
    before.is_mark(source, '.') || is_arrow || is_type || is_listed
}

fn asked(source: &str, span: Range<usize>) -> Edit {
    let text = format!("gpurepl_at({})", &source[span.clone()]);
    (span, text)
}

/// Within a macro an index may mean a kernel's argument or a function's own
/// thread, which its type shows.
fn asked_in_macro(source: &str, directive: &Token) -> Vec<Edit> {
    let text = directive.text(source);
    if directive_name(text) != "define" {
        return Vec::new();
    }
    // The `#` is left out: it makes what follows one token.
    let start = directive.span.start + 1;
    let inner = tokens(&text[1..]);
    let spans = inner.iter().map(|token| start + token.span.start..start + token.span.end);
    let indices = spans.filter(|span| INDICES.contains(&&source[span.clone()]));
    indices.map(|span| asked(source, span)).collect()
}

/// `define` in `#define`.
pub(super) fn directive_name(directive: &str) -> &str {
    let rest = directive.trim_start_matches(['#', ' ', '\t']);
    rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default()
}

/// References to the file's shared memory at the start of each function that
/// mentions it. The body's own braces stay inside, so that a variable of the
/// function's may have the name.
fn references(source: &str, reach: &Reach, declarations: &[Declaration]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for unit in reach.units().iter().filter(|unit| matches!(unit.kind, UnitKind::Kernel | UnitKind::Function))
    {
        let Some(body) = &unit.body else { continue };
        let names = reach.expanded(unit);
        let head = &source[unit.head.clone()];
        let parameters = tokens(head);
        let is_parameter = |name: &str| parameters.iter().any(|token| token.is_name(head, name));
        let text = shared::references(declarations, |name| names.contains(name) && !is_parameter(name));
        if !text.is_empty() {
            edits.push((body.start..body.start, format!("{{{text} ")));
            edits.push((body.end..body.end, " }".to_owned()));
        }
    }
    edits
}

/// Shared memory is one for all threads, so a lambda must not copy it, and may
/// name it where it captures nothing: here it is a local reference, which the
/// lambda's introducer has to name.
fn captures(source: &str, all: &[Token], reach: &Reach, declarations: &[Declaration]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for k in 0..all.len() {
        let Some((close, body)) = lambda(source, all, k) else { continue };
        let defaults = &all[k + 1..close];
        if defaults.first().is_some_and(|token| token.is_mark(source, '&')) {
            continue;
        }
        let place = all[k].span.start;
        let around =
            reach.units().iter().find(|unit| unit.body.as_ref().is_some_and(|body| body.contains(&place)));
        let Some(around) = around else { continue };
        let is_here = |declaration: &&Declaration| {
            let variable = declaration.variables.first();
            variable.is_some_and(|variable| match &variable.function {
                Some(function) => *function == around.name && declaration.range.end <= place,
                None => true,
            })
        };
        let is_named = |name: &str| all[body.clone()].iter().any(|token| token.is_name(source, name));
        let is_captured = |name: &str| defaults.iter().any(|token| token.is_name(source, name));
        let variables = declarations.iter().filter(is_here).flat_map(|declaration| &declaration.variables);
        let names: Vec<String> = variables
            .filter(|variable| is_named(&variable.name) && !is_captured(&variable.name))
            .map(|variable| format!("&{}", variable.name))
            .collect();
        if !names.is_empty() {
            let comma = if defaults.is_empty() { "" } else { ", " };
            let end = all[close].span.start;
            edits.push((end..end, format!("{comma}{}", names.join(", "))));
        }
    }
    edits
}

/// If a lambda starts at a token: where its introducer ends, and its body.
fn lambda(source: &str, all: &[Token], open: usize) -> Option<(usize, Range<usize>)> {
    if !all[open].is_mark(source, '[') || open == 0 {
        return None;
    }
    // After a name or a bracket it is an index.
    let before = &all[open - 1];
    let is_value = match before.kind {
        TokenKind::Identifier => !before.is_name(source, "return"),
        TokenKind::Punctuation => {
            before.is_mark(source, ')') || before.is_mark(source, ']') || before.is_mark(source, '[')
        }
        _ => true,
    };
    if is_value {
        return None;
    }
    let close = closing(source, all, open)?;
    let mut k = close + 1;
    while k < all.len() && !all[k].is_mark(source, '{') {
        if all[k].is_mark(source, '(') {
            k = closing(source, all, k)?;
        } else if all[k].is_mark(source, ';') || all[k].is_mark(source, '=') {
            return None;
        }
        k += 1;
    }
    let end = closing(source, all, k.min(all.len() - 1))?;
    Some((close, k..end))
}

/// What a change within one line does to the rest of it.
fn change(source: &str, range: &Range<usize>, replacement: &str) -> Option<Change> {
    if source[range.clone()].contains('\n') {
        return None;
    }
    let before = &source[..range.end];
    Some(Change {
        line: before.matches('\n').count() + 1,
        column: before.len() - before.rfind('\n').map_or(0, |newline| newline + 1),
        moved: replacement.len() as isize - range.len() as isize,
    })
}

/// The header in `#include <header>` or `#include "header"`.
pub(super) fn included<'a>(source: &'a str, token: &Token) -> Option<&'a str> {
    if token.kind != TokenKind::Directive {
        return None;
    }
    let rest = token.text(source).trim_start_matches(['#', ' ', '\t']).strip_prefix("include")?.trim();
    let inner = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    inner
        .or_else(|| rest.strip_prefix('"').and_then(|rest| rest.split_once('"')))
        .map(|(header, _)| header.trim())
}

/// The changes that give the kernel after `__global__` its indices.
fn hidden_arguments(source: &str, all: &[Token], global: usize, indices: Indices) -> Vec<Edit> {
    let mut edits = Vec::new();
    let open = match function_head(source, all, global) {
        Some((_, open)) => open,
        None => match instance_head(source, all, global) {
            Some((open, is_instantiation)) => {
                // An explicit instantiation cannot be inline.
                if is_instantiation {
                    edits.push((all[global].span.clone(), String::new()));
                }
                open
            }
            None => return edits,
        },
    };
    let Some(close) = closing(source, all, open) else { return edits };
    let place = all[open].span.end;
    let arguments = if indices == Indices::Arguments { ARGUMENTS } else { UNNAMED };
    edits.push(match &all[open + 1..close] {
        [] => (place..place, arguments.to_owned()),
        [only] if only.is_name(source, "void") => (only.span.clone(), arguments.to_owned()),
        _ => (place..place, format!("{arguments}, ")),
    });
    edits
}

/// The parenthesis in `__global__ void name<arguments>(`, and whether this
/// instantiates a template rather than specialising it.
fn instance_head(source: &str, all: &[Token], global: usize) -> Option<(usize, bool)> {
    let mut depth = 0i32;
    for k in global + 1..all.len() {
        let token = &all[k];
        depth += i32::from(token.is_mark(source, '<')) - i32::from(token.is_mark(source, '>'));
        if token.is_mark(source, ';') || token.is_mark(source, '{') {
            return None;
        }
        if depth == 0 && token.is_mark(source, '(') && all[k - 1].is_mark(source, '>') {
            let close = closing(source, all, k)?;
            return Some((k, all.get(close + 1).is_some_and(|next| next.is_mark(source, ';'))));
        }
    }
    None
}

pub(super) fn apply(source: &str, edits: &[Edit]) -> String {
    let mut text = String::with_capacity(source.len() + 128 * edits.len());
    let mut done = 0;
    for (range, replacement) in edits {
        if range.start < done {
            continue; // Within an earlier change: the size of a shared array.
        }
        text.push_str(&source[done..range.start]);
        text.push_str(replacement);
        done = range.end;
    }
    text.push_str(&source[done..]);
    text
}

//! Shared memory: its declarations become references into the block's memory.
//!
//! ```text
//! __shared__ float a[16][17], b;
//! typedef float gpurepl_shared_120; typedef gpurepl_shared_120 gpurepl_shared_120_a[16][17], gpurepl_shared_120_b; ... &a = ...; ... &b = ...;
//! ```
//!
//! A declaration at file scope leaves its types there, and every function that
//! mentions a variable of it starts with the reference.

use std::ops::Range;

use super::reach::{Reach, UnitKind};
use crate::SpecError;
use crate::token::{Token, TokenKind};

/// Shared memory that a source declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVariable {
    /// Its name.
    pub name: String,
    /// Its number: the place of the name in the source, in bytes.
    pub site: u32,
    /// Whether its size comes with the launch: `extern __shared__`.
    pub is_dynamic: bool,
    /// The kernel or function that declares it; none at file scope.
    pub function: Option<String>,
    /// Whether that is a kernel.
    pub is_kernels: bool,
}

/// A declaration and what it becomes.
pub(super) struct Declaration {
    /// From its first specifier to its semicolon.
    pub(super) range: Range<usize>,
    pub(super) replacement: String,
    pub(super) variables: Vec<SharedVariable>,
    /// For each variable, the definition of a reference to it.
    references: Vec<String>,
}

/// The shared memory of a source, in order.
pub(super) fn declarations(
    source: &str,
    all: &[Token],
    reach: &Reach,
) -> Result<Vec<Declaration>, SpecError> {
    let mut found = Vec::new();
    let mut k = 0;
    while k < all.len() {
        if all[k].is_name(source, "__shared__") {
            let start = statement_start(source, all, k);
            let end = statement_end(source, all, k);
            let place = all[start].span.start;
            let function = reach.units().iter().find(|unit| {
                unit.body.as_ref().is_some_and(|body| body.contains(&place)) && unit.kind != UnitKind::Macro
            });
            found.push(declaration(
                source,
                &all[start..end],
                function.map(|unit| (unit.name.as_str(), unit.kind == UnitKind::Kernel)),
            )?);
            k = end;
        }
        k += 1;
    }
    Ok(found)
}

/// File-scope shared memory with the name of something else that stands outside
/// of functions, which the references would hide: a member, say.
pub(super) fn check_names(
    source: &str,
    all: &[Token],
    reach: &Reach,
    declarations: &[Declaration],
) -> Result<(), SpecError> {
    let is_within = |at: usize| {
        let in_function = reach.units().iter().any(|unit| {
            unit.kind != UnitKind::Macro
                && (unit.body.as_ref().is_some_and(|body| body.contains(&at)) || unit.head.contains(&at))
        });
        in_function || declarations.iter().any(|declaration| declaration.range.contains(&at))
    };
    for variable in declarations.iter().flat_map(|declaration| &declaration.variables) {
        let other =
            all.iter().find(|token| token.is_name(source, &variable.name) && !is_within(token.span.start));
        if let (None, Some(other)) = (&variable.function, other) {
            let message =
                format!("`{}` is shared memory of the file as well, which would hide this", variable.name);
            return Err(
                SpecError::new(message, source, other.span.clone()).help("give one of them another name")
            );
        }
    }
    Ok(())
}

/// The references that a function must begin with, because it mentions shared
/// memory of the file's.
pub(super) fn references(declarations: &[Declaration], mentions: impl Fn(&str) -> bool) -> String {
    let file = declarations.iter().filter(|declaration| {
        declaration.variables.first().is_some_and(|variable| variable.function.is_none())
    });
    let pairs = file.flat_map(|declaration| declaration.variables.iter().zip(&declaration.references));
    pairs.filter(|(variable, _)| mentions(&variable.name)).map(|(_, text)| text.as_str()).collect()
}

fn statement_start(source: &str, all: &[Token], at: usize) -> usize {
    let ends = |token: &Token| {
        token.kind == TokenKind::Directive
            || [';', '{', '}', ')'].iter().any(|mark| token.is_mark(source, *mark))
    };
    let mut start = at;
    while start > 0 {
        let before = &all[start - 1];
        // `__align__(8) __shared__ int x`: this parenthesis is part of it.
        if before.is_mark(source, ')')
            && let Some(open) = opening(source, all, start - 1)
            && open > 0
            && is_alignment(source, &all[open - 1])
        {
            start = open - 1;
        } else if ends(before) {
            break;
        } else {
            start -= 1;
        }
    }
    start
}

fn is_alignment(source: &str, token: &Token) -> bool {
    ["__align__", "alignas", "__attribute__"].iter().any(|name| token.is_name(source, name))
}

fn opening(source: &str, all: &[Token], close: usize) -> Option<usize> {
    let mut depth = 0i32;
    (0..=close).rev().find(|&k| {
        depth += i32::from(all[k].is_mark(source, ')')) - i32::from(all[k].is_mark(source, '('));
        depth == 0
    })
}

/// The semicolon that ends the statement, over those of a structure's members.
fn statement_end(source: &str, all: &[Token], at: usize) -> usize {
    let mut depth = 0i32;
    for (k, token) in all.iter().enumerate().skip(at) {
        if token.is_mark(source, '{') {
            depth += 1;
        } else if token.is_mark(source, '}') {
            depth -= 1;
            if depth < 0 {
                return k;
            }
        } else if token.is_mark(source, ';') && depth == 0 {
            return k;
        }
    }
    all.len()
}

fn declaration(
    source: &str,
    statement: &[Token],
    function: Option<(&str, bool)>,
) -> Result<Declaration, SpecError> {
    let whole = statement[0].span.start..statement[statement.len() - 1].span.end;
    let unreadable = || {
        SpecError::new("this declaration of shared memory cannot be read", source, whole.clone())
            .help("write a type, a name and sizes: `__shared__ float tile[16][16];`")
    };
    // What is left without the words that say where and how it lies.
    let mut words: Vec<&Token> = Vec::new();
    let mut alignment = String::from("1");
    // `alignas` takes a number or a type, and there may be several.
    let mut specifiers = String::new();
    let mut is_extern = false;
    let mut k = 0;
    while k < statement.len() {
        let token = &statement[k];
        if is_alignment(source, token) && statement.get(k + 1).is_some_and(|next| next.is_mark(source, '(')) {
            let close = crate::token::closing(source, statement, k + 1).ok_or_else(unreadable)?;
            let inner = &source[statement[k + 1].span.end..statement[close].span.start];
            if token.is_name(source, "alignas") {
                specifiers.push_str(&format!("alignas({inner}) "));
                k = close + 1;
                continue;
            }
            // `__attribute__((aligned(16)))`
            let inner = inner.trim().trim_start_matches('(').trim_start();
            let inner = inner.strip_prefix("aligned").map_or(inner, |rest| rest.trim_end_matches(')'));
            alignment = inner.trim_start_matches([' ', '(']).to_owned();
            k = close;
        } else if token.is_name(source, "extern") {
            is_extern = true;
        } else if !token.is_name(source, "__shared__") && !token.is_name(source, "static") {
            words.push(token);
        }
        k += 1;
    }
    let first = first_declarator(source, &words).ok_or_else(unreadable)?;
    let base = text_of(source, &words[..first]);
    let site_of = |token: &Token| token.span.start as u32;
    let declarators: Vec<&[&Token]> = split_at_commas(source, &words[first..]);
    let name_of = |declarator: &[&Token]| {
        declarator.iter().position(|token| token.kind == TokenKind::Identifier).ok_or_else(unreadable)
    };
    let number = site_of(words[first + name_of(declarators[0])?]);
    let mut types = format!("typedef {base} gpurepl_shared_{number};");
    if !specifiers.is_empty() {
        types.push_str(&format!(" struct {specifiers}gpurepl_alignment_{number} {{}};"));
        alignment = format!("alignof(gpurepl_alignment_{number})");
    }
    let (mut variables, mut references) = (Vec::new(), Vec::new());
    for declarator in declarators {
        if let Some(mark) =
            declarator.iter().find(|token| token.is_mark(source, '=') || token.is_mark(source, '{'))
        {
            return Err(SpecError::new(
                "shared memory cannot have an initial value",
                source,
                mark.span.clone(),
            )
            .help("let a thread of each block write it, and call `__syncthreads()`"));
        }
        let at = name_of(declarator)?;
        let name = declarator[at].text(source);
        let site = site_of(declarator[at]);
        let own = format!("gpurepl_shared_{site}_{name}");
        let before = text_of(source, &declarator[..at]);
        let after = text_of(source, &declarator[at + 1..]);
        types.push_str(&format!(" typedef gpurepl_shared_{number} {before}{own}{after};"));
        let is_dynamic = is_extern;
        references.push(if is_dynamic {
            format!(" {own} &{name} = gpurepl_dynamic<{own}>();")
        } else {
            format!(" {own} &{name} = gpurepl_shared<{site}, {alignment}, {own}>();")
        });
        let is_kernels = function.is_some_and(|(_, is_kernel)| is_kernel);
        let function = function.map(|(name, _)| name.to_owned());
        variables.push(SharedVariable { name: name.to_owned(), site, is_dynamic, function, is_kernels });
    }
    let mut replacement = types;
    if function.is_some() {
        replacement.extend(references.iter().map(String::as_str));
    }
    // The statement's own semicolon stays.
    replacement.pop();
    let lines = |text: &str| text.matches('\n').count();
    let missing = lines(&source[whole.clone()]).saturating_sub(lines(&replacement));
    replacement.push_str(&"\n".repeat(missing));
    Ok(Declaration { range: whole, replacement, variables, references })
}

/// Where the type ends and the first declarator starts: at the name that
/// brackets, a comma or the end follow, or at the stars before it.
fn first_declarator(source: &str, words: &[&Token]) -> Option<usize> {
    let (mut angles, mut braces) = (0i32, 0i32);
    for k in 0..words.len() {
        let word = words[k];
        if word.is_mark(source, '<') {
            angles += 1;
        } else if word.is_mark(source, '>') {
            angles -= 1;
        } else if word.is_mark(source, '{') {
            braces += 1;
        } else if word.is_mark(source, '}') {
            braces -= 1;
        }
        let ends = words
            .get(k + 1)
            .is_none_or(|next| ['[', ',', '=', '{'].iter().any(|mark| next.is_mark(source, *mark)));
        let after_struct =
            k > 0 && ["struct", "union", "class"].iter().any(|name| words[k - 1].is_name(source, name));
        if angles == 0 && braces == 0 && k > 0 && ends && !after_struct && word.kind == TokenKind::Identifier
        {
            let mut first = k;
            while first > 1
                && (words[first - 1].is_mark(source, '*') || words[first - 1].is_name(source, "__restrict__"))
            {
                first -= 1;
            }
            return Some(first);
        }
    }
    None
}

fn split_at_commas<'a, 't>(source: &str, words: &'a [&'t Token]) -> Vec<&'a [&'t Token]> {
    let mut depth = 0i32;
    words
        .split(|word| {
            let opens = ['[', '(', '{'].iter().any(|mark| word.is_mark(source, *mark));
            let closes = [']', ')', '}'].iter().any(|mark| word.is_mark(source, *mark));
            depth += i32::from(opens) - i32::from(closes);
            depth == 0 && word.is_mark(source, ',')
        })
        .collect()
}

/// The text of tokens, with what stands between neighbours: comments have no
/// end of line to end them here, so they become spaces, and lines stay.
fn text_of(source: &str, words: &[&Token]) -> String {
    let mut text = String::new();
    let mut end = None;
    for word in words {
        if let Some(end) = end.filter(|end| *end < word.span.start) {
            text.push(' ');
            text.push_str(&"\n".repeat(source[end..word.span.start].matches('\n').count()));
        }
        text.push_str(word.text(source));
        end = Some(word.span.end);
    }
    text
}

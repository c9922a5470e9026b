//! The subscripts of `einsum`, read as NumPy reads them.

use crate::error::{Problem, Result};
use crate::shape::Shape;

/// What an axis is called: a letter, or an axis that `...` stands for.
pub(super) type Label = u16;

/// The first label of axes of `...`, counted from the last.
const ELLIPSIS: Label = 256;

/// A label as users know it.
pub(super) fn shown(label: Label) -> String {
    match u8::try_from(label) {
        Ok(letter) => format!("'{}'", char::from(letter)),
        Err(_) => format!("of '...' (axis -{})", label - ELLIPSIS + 1),
    }
}

/// The axes of each operand and of the result, by their labels.
pub(super) struct Subscripts {
    pub(super) operands: Vec<Vec<Label>>,
    pub(super) output: Vec<Label>,
}

pub(super) fn wrong<R>(message: String) -> Result<R> {
    Err(Problem::Shape { operation: "einsum", message }.into())
}

impl Subscripts {
    /// Reads `ij,jk->ik`. The messages have NumPy's words.
    pub(super) fn read(text: &str, shapes: &[Shape]) -> Result<Subscripts> {
        let (inputs, output) = match text.split_once("->") {
            Some((inputs, output)) => (inputs, Some(output)),
            None => (text, None),
        };
        if inputs.contains(['-', '>']) {
            return wrong(format!(
                "einstein sum subscript string does not contain proper '->' output specified: \"{text}\""
            ));
        }
        let parts: Vec<&str> = inputs.split(',').collect();
        if parts.len() != shapes.len() {
            let (amount, count) = (if parts.len() > shapes.len() { "fewer" } else { "more" }, shapes.len());
            return wrong(format!(
                "{amount} operands provided to einstein sum function than specified in the subscripts string: {count} \
                 for \"{inputs}\", which has {}",
                parts.len()
            ));
        }
        let operands = parts
            .iter()
            .zip(shapes)
            .enumerate()
            .map(|(number, (part, shape))| operand(part, *shape, number))
            .collect::<Result<Vec<_>>>()?;
        let output = match output {
            Some(output) => explicit(output, &operands)?,
            None => implicit(&operands),
        };
        Ok(Subscripts { operands, output })
    }
}

/// The letters, and where `...` is among them.
fn letters(part: &str, whose: &str) -> Result<(Vec<Label>, Option<usize>)> {
    let (mut labels, mut ellipsis) = (Vec::new(), None);
    let mut rest = part;
    while let Some(letter) = rest.chars().next() {
        if rest.starts_with("...") && ellipsis.is_none() {
            ellipsis = Some(labels.len());
            rest = &rest[3..];
            continue;
        }
        match letter {
            'a'..='z' | 'A'..='Z' => labels.push(letter as Label),
            ' ' => {}
            '.' => {
                return wrong(format!(
                    "einstein sum subscripts string contains a '.' that is not part of an ellipsis ('...') in {whose}"
                ));
            }
            _ => {
                return wrong(format!(
                    "invalid subscript '{letter}' in einstein sum subscripts string, subscripts must be letters"
                ));
            }
        }
        rest = &rest[letter.len_utf8()..];
    }
    Ok((labels, ellipsis))
}

fn operand(part: &str, shape: Shape, number: usize) -> Result<Vec<Label>> {
    let (mut labels, ellipsis) = letters(part, &format!("operand {number}"))?;
    let Some(more) = shape.rank().checked_sub(labels.len()) else {
        return wrong(format!(
            "einstein sum subscripts string contains too many subscripts for operand {number}: \"{}\" for shape \
             {shape:?}",
            part.trim()
        ));
    };
    match ellipsis {
        Some(at) => drop(labels.splice(at..at, (0..more as Label).rev().map(|axis| ELLIPSIS + axis))),
        None if more > 0 => {
            return wrong(format!(
                "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to \
                 broadcast the extra dimensions: operand {number} has shape {shape:?}, and its subscripts are \"{}\"",
                part.trim()
            ));
        }
        None => {}
    }
    Ok(labels)
}

/// The axes that `...` stands for in any operand.
fn broadcast(operands: &[Vec<Label>]) -> Vec<Label> {
    let mut found: Vec<Label> = operands.iter().flatten().copied().filter(|l| *l >= ELLIPSIS).collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.dedup();
    found
}

fn explicit(output: &str, operands: &[Vec<Label>]) -> Result<Vec<Label>> {
    let (mut labels, ellipsis) = letters(output, "the output")?;
    for (at, label) in labels.iter().enumerate() {
        if labels[at + 1..].contains(label) {
            return wrong(format!(
                "einstein sum subscripts string includes output subscript {} multiple times",
                shown(*label)
            ));
        }
        if !operands.iter().any(|operand| operand.contains(label)) {
            return wrong(format!(
                "einstein sum subscripts string included output subscript {} which never appeared in an input",
                shown(*label)
            ));
        }
    }
    let broadcast = broadcast(operands);
    match ellipsis {
        Some(at) => drop(labels.splice(at..at, broadcast)),
        None if !broadcast.is_empty() => {
            return wrong(format!(
                "output has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to \
                 broadcast the extra dimensions: \"{}\" has no place for {} of '...'",
                output.trim(),
                broadcast.len()
            ));
        }
        None => {}
    }
    Ok(labels)
}

/// `...`, and the letters that occur once, in the order of the alphabet.
fn implicit(operands: &[Vec<Label>]) -> Vec<Label> {
    let letters = || operands.iter().flatten().copied().filter(|label| *label < ELLIPSIS);
    let mut once: Vec<Label> =
        letters().filter(|label| letters().filter(|l| l == label).count() == 1).collect();
    once.sort_unstable();
    let mut output = broadcast(operands);
    output.extend(once);
    output
}

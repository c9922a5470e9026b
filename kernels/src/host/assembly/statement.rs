//! An `asm` statement's parts.

use std::ops::Range;

use crate::token::{Token, TokenKind, closing};

/// What stands within the parentheses of `asm`.
pub(super) struct Statement<'a> {
    /// From `asm` to its closing parenthesis.
    pub(super) range: Range<usize>,
    /// The instructions, with `$0` for the first operand and one `%` for two.
    pub(super) template: String,
    pub(super) operands: Vec<Operand<'a>>,
    /// Whether it says that it changes memory.
    pub(super) touches_memory: bool,
}

/// An operand: its constraint, `"=r"`, and its expression in CUDA C.
pub(super) struct Operand<'a> {
    pub(super) constraint: String,
    pub(super) expression: &'a str,
    pub(super) is_output: bool,
}

impl<'a> Statement<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.template.trim().is_empty()
    }

    /// Reads the statement that starts at a token; none if there is none.
    pub(super) fn read(source: &'a str, all: &[Token], start: usize) -> Option<Statement<'a>> {
        let open = (start + 1..all.len()).find(|k| all[*k].kind != TokenKind::Identifier)?;
        if !all[open].is_mark(source, '(') {
            return None;
        }
        let close = closing(source, all, open)?;
        let mut sections = split(source, &all[open + 1..close], ':').into_iter();
        let texts = sections.next()?;
        let is_text = !texts.is_empty() && texts.iter().all(|token| token.kind == TokenKind::String);
        let text: String = texts.iter().map(|token| literal(token.text(source))).collect::<Option<_>>()?;
        let mut operands = Vec::new();
        for (k, section) in sections.by_ref().take(2).enumerate() {
            let mut left = section;
            while !left.is_empty() {
                let (operand, rest) = operand(source, left, k == 0)?;
                operands.push(operand);
                // NVIDIA's compilers read operands without commas between them too.
                left = if rest.first().is_some_and(|token| token.is_mark(source, ',')) {
                    &rest[1..]
                } else {
                    rest
                };
            }
        }
        let mut last = sections.flatten();
        let touches_memory = last.any(|token| token.text(source) == "\"memory\"");
        is_text.then(|| Statement {
            touches_memory,
            range: all[start].span.start..all[close].span.end,
            template: template(&text),
            operands,
        })
    }
}

/// The operand that tokens begin with, and what follows it.
fn operand<'a, 't>(
    source: &'a str,
    tokens: &'t [Token],
    is_output: bool,
) -> Option<(Operand<'a>, &'t [Token])> {
    let [constraint, open, ..] = tokens else { return None };
    if constraint.kind != TokenKind::String || !open.is_mark(source, '(') {
        return None;
    }
    let close = closing(source, tokens, 1)?;
    let expression = &source[open.span.end..tokens[close].span.start];
    let constraint = literal(constraint.text(source))?;
    Some((Operand { constraint, expression, is_output }, &tokens[close + 1..]))
}

/// The parts between marks that are in no bracket.
fn split<'t>(source: &str, tokens: &'t [Token], mark: char) -> Vec<&'t [Token]> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_i32);
    for (k, token) in tokens.iter().enumerate() {
        let is = |mark| token.is_mark(source, mark);
        depth += i32::from(is('(') || is('[') || is('{')) - i32::from(is(')') || is(']') || is('}'));
        if depth == 0 && is(mark) {
            parts.push(&tokens[start..k]);
            start = k + 1;
        }
    }
    parts.push(&tokens[start..]);
    parts
}

/// What a literal says; none for an escape that PTX has no use for.
fn literal(text: &str) -> Option<String> {
    if let Some(raw) = text.strip_prefix("R\"") {
        let (delimiter, rest) = raw.split_once('(')?;
        return rest.strip_suffix(&format!("){delimiter}\"")).map(str::to_owned);
    }
    let mut chars = text.strip_prefix('"')?.strip_suffix('"')?.chars();
    let mut said = String::new();
    while let Some(c) = chars.next() {
        if c != '\\' {
            said.push(c);
            continue;
        }
        match chars.next()? {
            'n' => said.push('\n'),
            't' | 'r' | '\n' => said.push(' '),
            c @ ('\\' | '"' | '\'') => said.push(c),
            _ => return None,
        }
    }
    Some(said)
}

fn template(text: &str) -> String {
    let mut template = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        template.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let is_operand = rest.starts_with(|c: char| c.is_ascii_digit());
        template.push(if is_operand { '$' } else { '%' });
        rest = rest.strip_prefix('%').unwrap_or(rest);
    }
    template + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::tokens;

    /// A constraint, an expression, and whether it is written.
    type Read = (String, String, bool);

    fn read(source: &str) -> Option<(String, Vec<Read>)> {
        let statement = Statement::read(source, &tokens(source), 0)?;
        let operands = statement.operands.into_iter();
        let operands = operands.map(|o| (o.constraint, o.expression.to_owned(), o.is_output));
        Some((statement.template, operands.collect()))
    }

    #[test]
    fn a_statement_has_a_text_and_operands() {
        let source = "asm volatile (\"mov.u32 %0, %%laneid;\\n\\t\" R\"(add.u32 %0, %0, %1;)\" : \"+r\" (a::b[0]), \"=l\"(c) : \"r\"((d, e)) : \"memory\");";
        let (template, operands) = read(source).unwrap();
        assert_eq!(template, "mov.u32 $0, %laneid;\n add.u32 $0, $0, $1;");
        let expected = [("+r", "a::b[0]", true), ("=l", "c", true), ("r", "(d, e)", false)];
        assert_eq!(operands.len(), 3);
        for (operand, (constraint, expression, is_output)) in operands.iter().zip(expected) {
            assert_eq!(*operand, (constraint.to_owned(), expression.to_owned(), is_output));
        }
    }

    #[test]
    fn outputs_may_be_missing() {
        assert_eq!(read("asm(\"trap;\")").unwrap(), ("trap;".to_owned(), vec![]));
        assert_eq!(read("asm(\"trap;\" ::: \"memory\")").unwrap().1, []);
        assert_eq!(read("asm(\"x\" :: \"r\"(a))").unwrap().1, [("r".to_owned(), "a".to_owned(), false)]);
    }

    #[test]
    fn what_is_no_statement_is_left_alone() {
        for source in
            ["asm", "asm(", "asm()", "asm(x)", "asm(\"x\" : \"r\")", "asm(\"x\" : y(z))", "asm(\"\\x41\")"]
        {
            assert_eq!(read(source), None, "{source}");
        }
    }
}

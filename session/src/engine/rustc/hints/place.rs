//! What the user has written at a place: the call, what it is made on, its
//! arguments, and as far as that can be seen what these are.

use std::ops::Range;

/// A call, or a name that could be one: `m.sum(axis=0)`, `np.linalg.norm(a)`,
/// `zeros::<f32>(3)`, `a.T`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Call<'t> {
    /// What stands before the dot: `m`, `np.linalg`; none for `zeros`.
    pub(super) on: Option<&'t str>,
    pub(super) name: &'t str,
    /// None if it is not called.
    pub(super) arguments: Option<Vec<&'t str>>,
    /// All of it.
    pub(super) range: Range<usize>,
}

/// Whether names have it.
pub(super) fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a text is a name and nothing else.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(is_part)
}

impl<'t> Call<'t> {
    /// The call whose name stands at a place.
    pub(super) fn at(text: &'t str, at: usize) -> Option<Call<'t>> {
        let before = text.get(..at)?;
        let start = at - before.chars().rev().take_while(|c| is_part(*c)).map(char::len_utf8).sum::<usize>();
        let length: usize = text[start..].chars().take_while(|c| is_part(*c)).map(char::len_utf8).sum();
        let (name, mut end) = (&text[start..start + length], start + length);
        if !is_name(name) {
            return None;
        }
        let on =
            text[..start].strip_suffix('.').map(|on| &on[receiver_start(on)..]).filter(|on| !on.is_empty());
        let mut rest = &text[end..];
        if let Some(generic) = rest.strip_prefix("::<")
            && let Some(close) = closing(generic, '<', '>')
        {
            rest = &generic[close + 1..];
        }
        let arguments = rest.strip_prefix('(').and_then(|rest| Some(&rest[..closing(rest, '(', ')')?]));
        if let Some(arguments) = arguments {
            end = text.len() - rest.len() + arguments.len() + 2;
        }
        let begin = on.map_or(start, |on| start - 1 - on.len());
        Some(Call { on, name, arguments: arguments.map(parts), range: begin..end })
    }

    /// The call that begins last before a place.
    pub(super) fn around(text: &'t str, at: usize) -> Option<Call<'t>> {
        Call::at(text, text.get(..at)?.rfind('(')?)
    }

    /// The value of a keyword argument: `0` of `axis=0`.
    pub(super) fn keyword(&self, name: &str) -> Option<&'t str> {
        self.arguments.iter().flatten().find_map(|argument| {
            let (key, value) = keyword(argument)?;
            (key == name).then_some(value)
        })
    }

    /// The arguments that have no keyword.
    pub(super) fn positional(&self) -> Vec<&'t str> {
        let arguments = self.arguments.iter().flatten().copied();
        arguments.filter(|argument| keyword(argument).is_none()).collect()
    }
}

/// The parts of `axis=0`.
fn keyword(argument: &str) -> Option<(&str, &str)> {
    let (key, value) = argument.split_once('=')?;
    (is_name(key.trim()) && !value.starts_with(['=', '>'])).then_some((key.trim(), value.trim()))
}

/// Where the expression begins that ends with a text: `x.f(1)[2]` of `3 + x.f(1)[2]`.
pub(in super::super) fn receiver_start(text: &str) -> usize {
    let mut depth = 0;
    let mut start = text.len();
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' => depth += 1,
            '(' | '[' if depth == 0 => break,
            '(' | '[' => depth -= 1,
            _ if depth > 0 => {}
            '.' | ':' | '?' | '!' => {}
            c if is_part(c) => {}
            _ => break,
        }
        start = at;
    }
    start
}

/// The place of the bracket that closes one that stands before a text.
pub(in super::super) fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (Some(_), _) => {}
            (None, '"') => quote = Some('"'),
            (None, c) if c == close && depth == 0 => return Some(at),
            (None, c) if c == close => depth -= 1,
            (None, c) if c == open => depth += 1,
            _ => {}
        }
    }
    None
}

/// Where the expression ends that a text starts with: at a bracket that closes
/// none of its own, or outside of brackets at `;`, at `,` or where `ends` says so.
pub(in super::super) fn end_of_expression(text: &str, ends: impl Fn(usize, char) -> bool) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return at,
            ')' | ']' | '}' => depth -= 1,
            ';' | ',' if depth == 0 => return at,
            _ if depth == 0 && ends(at, c) => return at,
            _ => {}
        }
    }
    text.len()
}

/// The parts of a list between commas that stand in no brackets.
pub(super) fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut quote) = (0, 0, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (Some(_), _) => {}
            (None, '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    if parts.last() == Some(&"") {
        parts.pop();
    }
    parts
}

/// What an expression is, as far as its text and the session's variables say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Array,
    /// A `Vec`, a slice, an array of the host.
    Sequence,
    Number,
    Text,
    Other,
    Unknown,
}

/// What is known of names.
pub(in super::super) struct Scope<'a> {
    /// The type of a variable, printed short.
    pub(in super::super) type_of: &'a dyn Fn(&str) -> Option<String>,
}

impl Scope<'_> {
    fn variable(&self, expression: &str) -> Option<String> {
        let name = expression.trim_start_matches('&').trim();
        is_name(name).then(|| (self.type_of)(name)).flatten()
    }

    /// What an expression is.
    pub(super) fn kind(&self, expression: &str) -> Kind {
        let text = expression.trim_start_matches(['&', '-', '!']).trim();
        if let Some(of) = self.variable(text) {
            return kind_of_type(&of);
        }
        let base = text.split(['.', '[']).next().unwrap_or_default();
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            let is_literal = text.chars().all(|c| is_part(c) || c == '.');
            if is_literal { Kind::Number } else { Kind::Unknown }
        } else if text.starts_with('"') {
            Kind::Text
        } else if text.starts_with('[') || text.starts_with("vec!") {
            Kind::Sequence
        } else if base != text && self.variable(base).is_some_and(|of| kind_of_type(&of) == Kind::Array) {
            let host = [".item()", ".to_vec()", ".get()", ".len()", ".size()", ".shape()", ".ndim()"];
            if host.iter().any(|end| text.ends_with(end)) { Kind::Other } else { Kind::Array }
        } else if text.starts_with("gpu!") {
            Kind::Array
        } else {
            Kind::Unknown
        }
    }

    /// The type of a number: a variable's, or `{integer}` and `{float}` for literals.
    pub(super) fn number(&self, expression: &str) -> Option<String> {
        let text = expression.trim_start_matches(['&', '-']).trim();
        if let Some(of) = self.variable(text) {
            let of = of.trim_start_matches('&');
            return (super::types::is_number(of) || of.starts_with('{')).then(|| of.to_owned());
        }
        if self.kind(text) != Kind::Number {
            return None;
        }
        let suffix = text.find(['f', 'i', 'u']).map(|at| text[at..].to_owned());
        let is_whole = text.parse::<u64>().is_ok();
        Some(suffix.unwrap_or_else(|| if is_whole { "{integer}" } else { "{float}" }.to_owned()))
    }

    /// Whether an array is of fractions, which have no bits for `&` and `|`.
    pub(super) fn is_of_fractions(&self, expression: &str) -> bool {
        self.kind(expression.trim()) == Kind::Array
            && self.element(expression.trim()).is_some_and(|of| of.starts_with(['f', 'C']))
    }

    /// The element type of an array, if it is known.
    pub(super) fn element(&self, expression: &str) -> Option<String> {
        let of = self.variable(expression)?;
        // `[f64; 3]`, `&[f64]`
        if let Some(list) = of.trim_start_matches('&').strip_prefix('[') {
            return Some(list.split([';', ']']).next()?.to_owned());
        }
        let inner = of.split_once('<')?.1.strip_suffix('>')?;
        Some(inner.to_owned())
    }
}

fn kind_of_type(of: &str) -> Kind {
    let of = of.trim_start_matches('&');
    if of.starts_with("GpuArray<") {
        Kind::Array
    } else if of.starts_with("Vec<") || of.starts_with('[') {
        Kind::Sequence
    } else if super::types::is_number(of) {
        Kind::Number
    } else if ["String", "str"].contains(&of) {
        Kind::Text
    } else {
        Kind::Other
    }
}

/// An expression as an operand: in parentheses if it is more than a name, a
/// literal, a call or an index.
pub(super) fn operand(expression: &str) -> String {
    let text = expression.trim_start_matches('&').trim();
    let whole =
        receiver_start(&without_generics(text)) == 0 || text.starts_with('"') || text.starts_with('[');
    if whole && !text.contains("..") { text.to_owned() } else { format!("({text})") }
}

/// `eye(3)` of `eye::<f64>(3)`.
fn without_generics(text: &str) -> String {
    let (mut bare, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("::<") {
        bare.push_str(before);
        let Some(end) = closing(after, '<', '>') else { break };
        rest = &after[end + 1..];
    }
    bare + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read() {
        let text = "let y = 2 * m.slice(s![1, 2]).sum(axis=0, f(1, 2)) + 1;";
        let call = Call::at(text, text.find("sum").unwrap() + 1).unwrap();
        assert_eq!(call.on, Some("m.slice(s![1, 2])"));
        assert_eq!((call.name, call.keyword("axis")), ("sum", Some("0")));
        assert_eq!(call.positional(), ["f(1, 2)"]);
        assert_eq!(&text[call.range.clone()], "m.slice(s![1, 2]).sum(axis=0, f(1, 2))");
        let call = Call::at("a.astype::<f64>()", 2).unwrap();
        assert_eq!((call.name, call.arguments), ("astype", Some(vec![])));
        let call = Call::at("zeros::<f32>(3, 4)", 0).unwrap();
        assert_eq!((call.on, call.positional()), (None, vec!["3", "4"]));
        assert_eq!(Call::at("a.T", 2).unwrap().arguments, None);
        assert_eq!(Call::at("f(\"a, b)\", 1)", 0).unwrap().positional(), ["\"a, b)\"", "1"]);
        assert_eq!(Call::at("1 + 2", 0), None);
    }

    #[test]
    fn operands_have_parentheses_where_they_need_them() {
        for (text, expected) in [
            ("a", "a"),
            ("&a", "a"),
            ("a.f(1, 2)[0]", "a.f(1, 2)[0]"),
            ("a + b", "(a + b)"),
            ("2.5", "2.5"),
            ("eye::<f64>(3)", "eye::<f64>(3)"),
            ("a < b", "(a < b)"),
        ] {
            assert_eq!(operand(text), expected);
        }
    }
}

//! What Python prints and formats: `print("x =", n)`, `f"{n:.2f}"`, `"%d" % n`, `"{}".format(n)`.
//! A text with places for values is read in each of these ways, and written as a macro takes it.

use super::super::place::{Kind, Scope, closing, is_name, operand};
use super::expressions::{bare, code};
use super::formats::{Format, Literal, Place, arguments, debug, escaped, keyword, sign};

/// A sum of more parts is not translated.
const MOST_PARTS: usize = 16;

/// What is advised where the inside cannot be written with certainty.
const GENERAL: &str = "`let y = 1.5; println!(\"y = {y:.2}\")`";

/// A text for a macro, and the values that stand behind it.
#[derive(Debug, Default)]
pub(in super::super) struct Formatted {
    text: String,
    values: Vec<String>,
    /// What of Python's formats has no counterpart.
    lost: Vec<String>,
    /// The macro.
    name: &'static str,
}

impl Formatted {
    fn of_text(text: String) -> Formatted {
        Formatted { text, ..Formatted::default() }
    }

    fn append(&mut self, other: Formatted) {
        self.text.push_str(&other.text);
        self.values.extend(other.values);
        self.lost.extend(other.lost);
    }

    /// The call of its macro.
    pub(super) fn code(&self) -> Option<String> {
        self.code_of(self.name)
    }

    fn code_of(&self, name: &str) -> Option<String> {
        if !self.lost.is_empty() {
            return None;
        }
        Some(self.call(name))
    }

    fn call(&self, name: &str) -> String {
        let values: String = self.values.iter().map(|value| format!(", {value}")).collect();
        let text = if self.text.is_empty() { String::new() } else { format!("\"{}\"", self.text) };
        format!("{name}({text}{values})")
    }

    /// The call in backquotes, and what it lacks.
    fn advice(&self, name: &str) -> String {
        let lost: Vec<String> = self.lost.iter().map(|sign| format!("`{sign}`")).collect();
        match &lost[..] {
            [] => format!("`{}`", self.call(name)),
            [only] => format!("`{}`; {only} in a format has no counterpart", self.call(name)),
            _ => format!("`{}`; {} in formats have no counterpart", self.call(name), lost.join(", ")),
        }
    }
}

/// A literal as an expression of Rust's.
pub(super) fn literal(scope: &Scope<'_>, literal: &Literal<'_>) -> Option<String> {
    match literal.is_format {
        true => of_places(scope, &literal.text()?, &mut Values::InPlace)?.code_of("format!"),
        false => Some(format!("\"{}\"", literal.text()?)),
    }
}

/// Texts that are joined or formatted, as one `format!`: `"a" + s`, `"%d" % n`; `", ".join(v)`.
pub(super) fn joined(scope: &Scope<'_>, text: &str) -> Option<String> {
    if let Some(first) = Literal::read(text)
        && let Some(list) =
            text[first.length..].strip_prefix(".join(").and_then(|rest| rest.strip_suffix(')'))
        && closing(list, '(', ')').is_none()
    {
        return super::expressions::joined_texts(scope, &text[..first.length], list);
    }
    let is_more = Literal::whole(text).is_none() && !text.starts_with("str(") && !text.contains(" * ");
    of_text(scope, text).filter(|_| is_more)?.code_of("format!")
}

/// What is written for `print(..)`, by what stands in its parentheses.
pub(in super::super) fn print_advice(scope: &Scope<'_>, inner: &str) -> String {
    match printed(scope, inner) {
        Some(formatted) => format!("print with a macro: {}", formatted.advice(formatted.name)),
        None => format!("print with a macro, in which values have names: {GENERAL}"),
    }
}

/// What is written for a text that is formatted: `f"{n:.2f}"`, `"%d" % n`, `"{}".format(n)`, `"a" + str(n)`.
pub(in super::super) fn sure_format_advice(scope: &Scope<'_>, text: &str) -> Option<String> {
    let formatted = of_text(scope, text.trim())?;
    Some(format!("values are formatted into a string by {}", formatted.advice("format!")))
}

/// The same, or the general form.
pub(in super::super) fn format_advice(scope: &Scope<'_>, text: &str) -> String {
    match sure_format_advice(scope, text) {
        Some(help) => help,
        None => {
            format!("values are formatted into a string by name: {}", GENERAL.replace("println!", "format!"))
        }
    }
}

/// The macro for what Python prints; none if that is not sure.
pub(super) fn printed(scope: &Scope<'_>, inner: &str) -> Option<Formatted> {
    let (mut end, mut separator, mut is_error) = ("\\n".to_owned(), None, false);
    let mut values = Vec::new();
    for argument in arguments(inner) {
        match keyword(argument) {
            Some(("end", text)) => end = of_literal(text)?,
            Some(("sep", text)) => separator = Some(of_literal(text)?),
            Some(("file", "sys.stderr")) => is_error = true,
            Some(("flush", _)) => {}
            Some(_) => return None,
            None => values.push(argument),
        }
    }
    let mut whole = Formatted::default();
    if let [only] = values[..]
        && let Some(list) = only.strip_prefix('*')
    {
        whole.append(of_list(scope, list.trim(), separator.as_deref())?);
    } else if let [format, rest @ ..] = &values[..]
        && !rest.is_empty()
        && let Some(of) = of_c(scope, format, rest)
    {
        // `print("%d", n)`, out of C's habit.
        whole.append(of);
    } else {
        let separator = separator.unwrap_or_else(|| " ".to_owned());
        for (k, value) in values.iter().enumerate() {
            let of = match values.len() {
                1 => of_only(scope, value)?,
                _ if value.starts_with('*') => of_list(scope, value[1..].trim(), None)?,
                _ => of_argument(scope, value)?,
            };
            whole.text.push_str(if k > 0 { &separator } else { "" });
            whole.append(of);
        }
    }
    let is_line = end == "\\n";
    whole.text.push_str(if is_line { "" } else { &end });
    whole.name = match (is_line, is_error) {
        (true, false) => "println!",
        (false, false) => "print!",
        (true, true) => "eprintln!",
        (false, true) => "eprint!",
    };
    Some(whole)
}

/// A literal as a part of a macro's text.
fn of_literal(text: &str) -> Option<String> {
    let literal = Literal::whole(text).filter(|literal| !literal.is_format)?;
    Some(escaped(&literal.text()?))
}

/// The one value that is printed, which is shown as a cell's value is.
fn of_only(scope: &Scope<'_>, text: &str) -> Option<Formatted> {
    match of_text(scope, text) {
        Some(of) => Some(of),
        None if text == "None" => Some(Formatted::of_text(text.to_owned())),
        None => {
            let value = code(scope, text)?;
            let sign = if scope.kind(&value) == Kind::Text { "{}" } else { "{:?}" };
            Some(Formatted { text: sign.to_owned(), values: vec![value], ..Formatted::default() })
        }
    }
}

/// A value among others.
fn of_argument(scope: &Scope<'_>, text: &str) -> Option<Formatted> {
    of_text(scope, text).or_else(|| of_value(scope, text))
}

/// A value that is no text of its own.
fn of_value(scope: &Scope<'_>, text: &str) -> Option<Formatted> {
    let value = code(scope, text)?;
    let text = format!("{{{}}}", sign(scope, &value, ""));
    Some(Formatted { text, values: vec![value], ..Formatted::default() })
}

/// What is a text, or makes one.
fn of_text(scope: &Scope<'_>, text: &str) -> Option<Formatted> {
    let text = text.trim();
    if let Some(literal) = Literal::whole(text) {
        return match literal.is_format {
            true => of_places(scope, &literal.text()?, &mut Values::InPlace),
            false => Some(Formatted::of_text(escaped(&literal.text()?))),
        };
    }
    if let Some(inner) = text.strip_prefix("str(").and_then(|rest| rest.strip_suffix(')'))
        && closing(inner, '(', ')').is_none()
    {
        return of_argument(scope, inner);
    }
    let outside = bare(text);
    // Of a sum each part is read twice, and its own parts again.
    if outside.matches('+').count() > MOST_PARTS {
        return None;
    }
    // `"a" + str(n)`
    if let Some(at) = sign_between(&outside, '+') {
        let (left, right) = (text[..at].trim(), text[at + 1..].trim());
        let texts = (of_text(scope, left), of_text(scope, right));
        let is_text = |text: &str| scope.kind(text) == Kind::Text;
        if texts.0.is_none() && texts.1.is_none() && !is_text(left) && !is_text(right) {
            return None;
        }
        let mut joined = texts.0.or_else(|| of_value(scope, left))?;
        joined.append(texts.1.or_else(|| of_value(scope, right))?);
        return Some(joined);
    }
    let literal = Literal::read(text)?;
    let rest = text[literal.length..].trim();
    if let Some(values) = rest.strip_prefix('%') {
        let values = values.trim();
        let list = values.strip_prefix('(').and_then(|list| list.strip_suffix(')'));
        let list = list.map_or_else(|| vec![values], arguments);
        return of_signs(scope, &literal, &list);
    }
    if let Some(inner) = rest.strip_prefix(".format(").and_then(|rest| rest.strip_suffix(')')) {
        return of_format(scope, &literal, &arguments(inner));
    }
    let count = rest.strip_prefix('*').map(str::trim).filter(|count| count.parse::<usize>().is_ok())?;
    let value = format!("\"{}\".repeat({count})", literal.text()?);
    Some(Formatted { text: "{}".to_owned(), values: vec![value], ..Formatted::default() })
}

/// The last sign of a kind that stands in no brackets.
fn sign_between(bare: &str, sign: char) -> Option<usize> {
    let mut depth = 0;
    let places = bare.char_indices().filter(|(_, c)| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        depth == 0 && *c == sign
    });
    places.last().map(|(at, _)| at)
}

/// `*v`
fn of_list(scope: &Scope<'_>, list: &str, separator: Option<&str>) -> Option<Formatted> {
    let value = code(scope, list)?;
    Some(match separator {
        None if is_name(&value) => Formatted::of_text(format!("{{{value}:?}}")),
        None => Formatted { text: "{:?}".to_owned(), values: vec![value], ..Formatted::default() },
        Some(separator) => {
            let on = match scope.kind(&value) {
                Kind::Array => format!("{}.to_vec()", operand(&value)),
                _ => operand(&value),
            };
            let joined = format!(
                "{on}.iter().map(|e| e.to_string()).collect::<Vec<_>>().join(\"{}\")",
                separator.replace("{{", "{").replace("}}", "}")
            );
            Formatted { text: "{}".to_owned(), values: vec![joined], ..Formatted::default() }
        }
    })
}

/// The values of a text with places.
enum Values<'v> {
    /// They stand in the text.
    InPlace,
    /// Those of `format`, and the keywords that were asked for.
    Given(&'v [&'v str], Vec<String>),
}

/// A text with places in braces: `{n:.2f}`, `{}`, `{0}`.
fn of_places(scope: &Scope<'_>, text: &str, values: &mut Values<'_>) -> Option<Formatted> {
    let mut whole = Formatted::default();
    let (mut rest, mut count) = (text, 0);
    while let Some(at) = rest.find(['{', '}']) {
        whole.text.push_str(&rest[..at]);
        let (brace, after) = rest[at..].split_at(1);
        if after.starts_with(brace) {
            whole.text.push_str(&brace.repeat(2));
            rest = &after[1..];
            continue;
        }
        let end = closing(after, '{', '}').filter(|_| brace == "{")?;
        // A quote in a place has a sign before it by now.
        let inner = after[..end].replace("\\\"", "\"");
        let place = Place::read(&inner)?;
        whole.text.push_str(&place.before);
        match values {
            Values::InPlace => {
                let value = code(scope, place.value)?;
                let sign = sign_of_place(scope, &value, &place, &mut whole.lost)?;
                if is_name(&value) {
                    whole.text.push_str(&format!("{{{value}{sign}}}"));
                } else {
                    whole.text.push_str(&format!("{{{sign}}}"));
                    whole.values.push(value);
                }
            }
            Values::Given(given, asked) => {
                let positional = || given.iter().filter(|value| keyword(value).is_none());
                let value = match place.value.parse::<usize>() {
                    Ok(number) => positional().nth(number)?,
                    Err(_) if place.value.is_empty() => positional().nth(count)?,
                    Err(_) => {
                        keyword(
                            given
                                .iter()
                                .find(|value| keyword(value).is_some_and(|(name, _)| name == place.value))?,
                        )?
                        .1
                    }
                };
                count += usize::from(place.value.is_empty());
                asked.push(place.value.to_owned());
                let value = code(scope, value)?;
                let sign = sign_of_place(scope, &value, &place, &mut whole.lost)?;
                whole.text.push_str(&format!("{{{}{sign}}}", place.value));
            }
        }
        rest = &after[end + 1..];
    }
    whole.text.push_str(rest);
    Some(whole)
}

fn sign_of_place(
    scope: &Scope<'_>,
    value: &str,
    place: &Place<'_>,
    lost: &mut Vec<String>,
) -> Option<String> {
    let format = Format::read(place.format)?;
    lost.extend(format.lost);
    let text = match place.is_debug {
        true => debug(&format.text)?,
        false => sign(scope, value, &format.text),
    };
    Some(text)
}

/// `"{} {x}".format(n, x=1)`
fn of_format(scope: &Scope<'_>, literal: &Literal<'_>, given: &[&str]) -> Option<Formatted> {
    if literal.is_format {
        return None;
    }
    let mut values = Values::Given(given, Vec::new());
    let mut whole = of_places(scope, &literal.text()?, &mut values)?;
    let Values::Given(_, asked) = values else { return None };
    let (mut open, mut positional) = (asked.iter().filter(|name| name.is_empty()).count(), 0);
    for value in given {
        match keyword(value) {
            Some((name, value)) if asked.iter().any(|own| own == name) => {
                whole.values.push(format!("{name} = {}", code(scope, value)?));
            }
            None => {
                // A macro takes no value that no place asks for.
                let is_asked = open > 0 || asked.contains(&positional.to_string());
                (open, positional) = (open.saturating_sub(1), positional + 1);
                whole.values.push(code(scope, value).filter(|_| is_asked)?);
            }
            Some(_) => return None,
        }
    }
    Some(whole)
}

/// `"%d %s" % (n, s)`
fn of_signs(scope: &Scope<'_>, literal: &Literal<'_>, given: &[&str]) -> Option<Formatted> {
    if literal.is_format {
        return None;
    }
    let text = escaped(&literal.text()?);
    let (mut whole, mut rest, mut given) = (Formatted::default(), text.as_str(), given.iter());
    while let Some(at) = rest.find('%') {
        whole.text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            whole.text.push('%');
            rest = after;
            continue;
        }
        let end = rest.find(|c: char| c.is_ascii_alphabetic())?;
        // What C says of an integer's length.
        let word = rest[end..].find(|c: char| !"lhzq".contains(c)).map(|length| end + length)?;
        let (flags, kind) = (&rest[..end], rest[word..].chars().next()?);
        let value = code(scope, given.next()?)?;
        let flags = match flags.strip_prefix('-') {
            Some(width) => format!("<{width}"),
            None if matches!(kind, 's' | 'r') && !flags.is_empty() && !flags.starts_with('.') => {
                format!(">{flags}")
            }
            None => flags.to_owned(),
        };
        let letter = if matches!(kind, 'r' | 'c') { String::new() } else { kind.to_string() };
        let format = Format::read(&format!("{flags}{letter}"))?;
        let sign = if kind == 'r' { debug(&format.text)? } else { sign(scope, &value, &format.text) };
        whole.lost.extend(format.lost);
        whole.text.push_str(&format!("{{{sign}}}"));
        whole.values.push(value);
        rest = &rest[word + 1..];
    }
    whole.text.push_str(rest);
    given.next().is_none().then_some(whole)
}

/// `printf("%d\n", n)`, `print("%d", n)`
fn of_c(scope: &Scope<'_>, format: &str, rest: &[&str]) -> Option<Formatted> {
    let literal = Literal::whole(format).filter(|literal| literal.body.contains('%'))?;
    let mut whole = of_signs(scope, &literal, rest)?;
    whole.text = whole.text.strip_suffix("\\n").unwrap_or(&whole.text).to_owned();
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(test: impl FnOnce(&Scope<'_>)) {
        let type_of = |name: &str| match name {
            "x" => Some("GpuArray<f64>".to_owned()),
            "v" => Some("Vec<i32>".to_owned()),
            "n" => Some("i32".to_owned()),
            "f" => Some("f64".to_owned()),
            "s" => Some("String".to_owned()),
            _ => None,
        };
        test(&Scope { type_of: &type_of });
    }

    #[test]
    fn what_python_prints_is_printed() {
        scope(|scope| {
            for (text, expected) in [
                ("", "println!()"),
                ("n", "println!(\"{:?}\", n)"),
                ("s", "println!(\"{}\", s)"),
                ("\"x\"", "println!(\"x\")"),
                ("'x {y}'", "println!(\"x {{y}}\")"),
                ("\"x =\", n", "println!(\"x = {}\", n)"),
                ("\"v\", v", "println!(\"v {:?}\", v)"),
                ("'a, b', n", "println!(\"a, b {}\", n)"),
                ("n, end=\"\"", "print!(\"{:?}\", n)"),
                ("\"v\", *v", "println!(\"v {v:?}\")"),
                ("n, f, sep=', '", "println!(\"{}, {}\", n, f)"),
                ("\"x\", file=sys.stderr", "eprintln!(\"x\")"),
                ("*v", "println!(\"{v:?}\")"),
                (
                    "*v, sep=', '",
                    "println!(\"{}\", v.iter().map(|e| e.to_string()).collect::<Vec<_>>().join(\", \"))",
                ),
                ("\"a\"+str(n)", "println!(\"a{}\", n)"),
                ("\"a\" + str(n) + \"b\"", "println!(\"a{}b\", n)"),
                ("s + '!'", "println!(\"{}!\", s)"),
                ("\"%d\" % n", "println!(\"{}\", n)"),
                ("\"%.2f of %5d%%\" % (f, n)", "println!(\"{:.2} of {:5}%\", f, n)"),
                ("\"%-5s|\" % s", "println!(\"{:<5}|\", s)"),
                ("\"%d\\n\", n", "println!(\"{}\", n)"),
                ("\"{}\".format(n)", "println!(\"{}\", n)"),
                ("'{0} {0:.1f} {y}'.format(f, y=n)", "println!(\"{0} {0:.1} {y}\", f, y = n)"),
                ("f\"{n}\"", "println!(\"{n}\")"),
                ("f'{n:5d} {f:.2f} {f:e}'", "println!(\"{n:5} {f:.2} {f:e}\")"),
                ("f\"{v} {v!r} {n=}\"", "println!(\"{v:?} {v:?} n={n:?}\")"),
                ("f\"{n + 1} {{}}\"", "println!(\"{} {{}}\", n + 1)"),
                ("f\"{x.sum():.3f}\"", "println!(\"{:.3}\", x.sum().item())"),
                ("f\"{len(v):>4}\"", "println!(\"{:>4}\", v.len())"),
                ("\"-\" * 20", "println!(\"{}\", \"-\".repeat(20))"),
                ("len(v)", "println!(\"{:?}\", v.len())"),
            ] {
                let found = printed(scope, text).and_then(|formatted| formatted.code());
                assert_eq!(found.as_deref(), Some(expected), "{text}");
            }
            for text in [
                "f\"{n:{w}}\"",
                "f\"{n:.1%}\"",
                "\"%d %d\" % n",
                "\"{} {}\".format(n)",
                "\"{}\".format(n, f)",
                "sorted(v)",
                "n, file=log",
                "f\"{n * f}\"",
                "'\\x1b[0m'",
            ] {
                assert!(printed(scope, text).is_none(), "{text}");
            }
            assert_eq!(
                print_advice(scope, "f\"{n:,}\""),
                "print with a macro: `println!(\"{n}\")`; `,` in a format has no counterpart"
            );
            assert!(print_advice(scope, "sorted(v)").ends_with(GENERAL));
            assert!(format_advice(scope, "f\"{n:.2f}\"").ends_with("`format!(\"{n:.2}\")`"));
        });
    }
}

//! Functions as Python defines them: `def f(x): return x + 1`, `lambda x: x + 1`, `class A:`, `@jit`.

use super::super::arithmetic::with_fractions;
use super::super::place::{Kind, Scope, closing, end_of_expression, is_name, parts};
use super::super::types::is_number;
use super::classes::number_of;
use super::expressions::{code, statement};
use super::formats::Literal;
use super::{Found, after_word, expression, word_of};

pub(super) fn line(scope: &Scope<'_>, line: &str, code: &str, rest: &str) -> Option<Found> {
    if let Some(name) = code.strip_prefix('@') {
        let name = name.split('(').next().unwrap_or(name).trim();
        let help = match ["jit", "cuda", "vectorize", "kernel"].iter().any(|word| name.contains(word)) {
            true => "functions are compiled as they are; one with `#[kernel]` in front of `fn` is a kernel"
                .to_owned(),
            false => "functions have no decorators; call the decorator with the function".to_owned(),
        };
        return Some(Found::named(line, code, "a decorator".to_owned(), help));
    }
    // Nothing waits here: a cell runs to its end.
    let function = after_word(code, "async").unwrap_or(code);
    if let Some(after) = after_word(function, "def") {
        return Some(Found::new(line, word_of(line, "def"), definition(scope, after, rest)?));
    }
    if let Some(after) = after_word(code, "class") {
        let name = after.split(['(', ':', ' ']).next()?;
        let help = format!(
            "a class is a structure and its methods: `struct {name} {{ x: f64 }}`, `impl {name} {{ .. }}`"
        );
        return Some(Found::new(line, word_of(line, "class"), help));
    }
    None
}

/// What is written for `def`, by what follows the word and the lines from there on.
fn definition(scope: &Scope<'_>, after: &str, rest: &str) -> Option<String> {
    let open = after.find('(')?;
    let name = after[..open].trim();
    let inner = &after[open + 1..open + 1 + closing(&after[open + 1..], '(', ')')?];
    let (arrow, body) = after[open + inner.len() + 2..].split_once(':').unwrap_or_default();
    let body = Body::read(body, rest);
    let parameters: Option<Vec<Parameter<'_>>> = parts(inner).into_iter().map(Parameter::read).collect();
    let mut notes = String::new();
    let with_defaults: Vec<String> = parameters
        .iter()
        .flatten()
        .filter(|parameter| parameter.has_default)
        .map(|parameter| format!("`{}`", parameter.name))
        .collect();
    if !with_defaults.is_empty() {
        notes.push_str(&format!(
            "; parameters have no defaults, so each call gives {}",
            with_defaults.join(" and ")
        ));
    }
    if body.is_documented {
        notes.push_str("; a docstring is a comment, `/// ..`, before the function");
    }
    let written = parameters.and_then(|parameters| {
        written(scope, name, &parameters, arrow.trim().trim_start_matches("->").trim(), &body, inner)
    });
    let written = written.unwrap_or_else(|| format!("fn {name}(x: f64) -> f64 {{ .. }}"));
    Some(format!("a function is `{written}`{notes}"))
}

fn written(
    scope: &Scope<'_>,
    name: &str,
    parameters: &[Parameter<'_>],
    arrow: &str,
    body: &Body<'_>,
    inner: &str,
) -> Option<String> {
    // What nothing is said of is a fraction where there are some.
    let text = body.lines.join(" ");
    let has_fractions = [&text, inner].iter().any(|text| text.contains(['.', '/']));
    let of_text = text.contains(['"', '\'']);
    let guess = match (of_text, has_fractions) {
        (true, _) => "&str",
        (false, true) => "f64",
        (false, false) => "i32",
    };
    let types: Option<Vec<(&str, String)>> = parameters
        .iter()
        .map(|parameter| {
            let of = parameter.annotation.map_or(Some(guess.to_owned()), of_parameter)?;
            Some((parameter.name, of))
        })
        .collect();
    let types = types?;
    let list: Vec<String> = types.iter().map(|(name, of)| format!("{name}: {of}")).collect();
    let list = list.join(", ");
    let type_of = |word: &str| match types.iter().find(|(name, _)| *name == word) {
        Some((_, of)) => Some(of.clone()),
        None => (scope.type_of)(word),
    };
    let own = Scope { type_of: &type_of };
    let said = match arrow {
        "" => None,
        "None" => Some(String::new()),
        arrow => Some(of_result(arrow)?),
    };
    let (code, found) = body.written(&own);
    // A function sees no variables of cells, and what it makes of texts is not known.
    let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_outer =
        words.any(|word| !types.iter().any(|(name, _)| *name == word) && (scope.type_of)(word).is_some());
    let is_open = of_text && said.is_none() && found.is_none() && body.returns();
    let result = said.clone().or(found).unwrap_or_else(|| match body.returns() {
        true if of_text => "String".to_owned(),
        true => guess.to_owned(),
        false => String::new(),
    });
    // A body of another type than is said is not sure.
    let is_other = said.is_some_and(|said| {
        number_of(&own, &code).is_some_and(|of| is_number(&said) && of != said)
            || said.is_empty() && body.returns()
    });
    let code = match result.as_str() {
        _ if is_other || is_outer || is_open => "..".to_owned(),
        "String" if code.starts_with('"') || own.kind(&code) == Kind::Text => {
            format!("{code}.to_string()")
        }
        _ => code,
    };
    let arrow = if result.is_empty() { String::new() } else { format!(" -> {result}") };
    let body = if code.is_empty() { "{ }".to_owned() } else { format!("{{ {code} }}") };
    Some(format!("fn {name}({list}){arrow} {body}"))
}

/// `x: float = 2`
struct Parameter<'t> {
    name: &'t str,
    annotation: Option<&'t str>,
    has_default: bool,
}

impl<'t> Parameter<'t> {
    /// None of `*args`, and of `self`.
    fn read(text: &'t str) -> Option<Parameter<'t>> {
        let (typed, has_default) = text.split_once('=').map_or((text, false), |(typed, _)| (typed, true));
        let (name, annotation) = match typed.split_once(':') {
            Some((name, of)) => (name.trim(), Some(of.trim())),
            None => (typed.trim(), None),
        };
        (is_name(name) && name != "self").then_some(Parameter { name, annotation, has_default })
    }
}

/// A type of Python's where a value is given.
fn of_parameter(of: &str) -> Option<String> {
    let of = of.trim_matches(['"', '\'']);
    Some(match (of, of_elements(of)) {
        ("str", _) => "&str".to_owned(),
        ("np.ndarray" | "ndarray" | "cp.ndarray", _) => "&GpuArray<f64>".to_owned(),
        (_, Some(element)) => format!("&[{element}]"),
        _ => number(of)?,
    })
}

/// A type of Python's where a value is returned.
fn of_result(of: &str) -> Option<String> {
    let of = of.trim_matches(['"', '\'']);
    Some(match (of, of_elements(of)) {
        ("str", _) => "String".to_owned(),
        ("np.ndarray" | "ndarray" | "cp.ndarray", _) => "GpuArray<f64>".to_owned(),
        (_, Some(element)) => format!("Vec<{element}>"),
        _ => number(of)?,
    })
}

fn number(of: &str) -> Option<String> {
    Some(match of {
        "float" => "f64".to_owned(),
        "int" => "i32".to_owned(),
        "complex" => "Complex64".to_owned(),
        of if is_number(of) => of.to_owned(),
        _ => return None,
    })
}

/// The elements of `list[int]`.
fn of_elements(of: &str) -> Option<String> {
    if ["list", "List"].contains(&of) {
        return Some("f64".to_owned());
    }
    let inner = of.strip_prefix("list[").or_else(|| of.strip_prefix("List["))?.strip_suffix(']')?;
    if inner == "str" { Some("String".to_owned()) } else { number(inner) }
}

/// The statements of a function, behind its head or on the lines below.
struct Body<'t> {
    lines: Vec<&'t str>,
    is_documented: bool,
}

impl<'t> Body<'t> {
    fn read(behind: &'t str, rest: &'t str) -> Body<'t> {
        let below = rest.lines().skip(1).take_while(|line| line.starts_with([' ', '\t']) || line.is_empty());
        let all: Vec<&str> = match behind.trim() {
            "" => below.map(str::trim).filter(|line| !line.is_empty()).collect(),
            behind => vec![behind],
        };
        let mut body = Body { lines: Vec::new(), is_documented: false };
        let mut ends_with = None;
        for line in all.into_iter().filter(|line| !line.starts_with('#')) {
            let opens = ["\"\"\"", "'''"].into_iter().find(|marks| line.starts_with(*marks));
            match (ends_with, opens) {
                (Some(marks), _) => ends_with = Some(marks).filter(|marks| !line.ends_with(*marks)),
                (None, Some(marks)) => {
                    body.is_documented = true;
                    ends_with = Some(marks).filter(|marks| line.len() < 6 || !line.ends_with(*marks));
                }
                (None, None) if body.lines.is_empty() && line.starts_with('"') && line.ends_with('"') => {
                    body.is_documented = true;
                }
                (None, None) => body.lines.push(line),
            }
        }
        body
    }

    fn returns(&self) -> bool {
        self.lines.iter().any(|line| after_word(line, "return").is_some())
    }

    /// The one statement as Rust has it, and the type of what it returns, if that is known;
    /// otherwise `..`.
    fn written(&self, scope: &Scope<'_>) -> (String, Option<String>) {
        let general = ("..".to_owned(), None);
        let [only] = self.lines[..] else {
            return if self.lines.is_empty() { (String::new(), Some(String::new())) } else { general };
        };
        if ["pass", "..."].contains(&only) {
            return (String::new(), Some(String::new()));
        }
        let Some(value) = after_word(only, "return") else {
            return statement(scope, only).map_or(general, |code| (code, Some(String::new())));
        };
        let Some(value) = code(scope, value).or_else(|| code(scope, &with_fractions(value))) else {
            return general;
        };
        let is_asked = [" == ", " != ", " < ", " > ", " <= ", " >= ", " && ", " || "];
        let of = match number_of(scope, &value) {
            Some(of) => Some(of),
            None if Literal::whole(&value).is_some() => Some("String".to_owned()),
            None if value.starts_with("format!(") || value.ends_with(".to_string()") => {
                Some("String".to_owned())
            }
            None if value.starts_with('!') || is_asked.iter().any(|sign| value.contains(sign)) => {
                Some("bool".to_owned())
            }
            None => None,
        };
        (value, of)
    }
}

/// `lambda x: x + 1`
pub(super) fn lambda(scope: &Scope<'_>, line: &str) -> Option<Found> {
    let at = ["lambda ", "lambda:"].iter().find_map(|word| line.find(word))?;
    let (names, body) = line[at + 6..].split_once(':')?;
    let body = body[..end_of_expression(body, |_, _| false)].trim();
    let names: Vec<&str> = parts(names);
    // Of one that is called later nothing tells the types yet.
    let is_kept = expression(line).starts_with("lambda");
    let of = if body.contains(['.', '/']) { "f64" } else { "i32" };
    let type_of = |word: &str| match is_kept && names.contains(&word) {
        true => Some(of.to_owned()),
        false => (scope.type_of)(word).filter(|_| !names.contains(&word)),
    };
    let own = Scope { type_of: &type_of };
    let body = code(&own, body).or_else(|| code(&own, &with_fractions(body)));
    let help = match body.filter(|_| names.iter().all(|name| is_name(name))) {
        Some(body) => {
            let annotation = if is_kept { format!(": {of}") } else { String::new() };
            let names: Vec<String> = names.iter().map(|name| format!("{name}{annotation}")).collect();
            format!("a closure is `|{}| {body}`", names.join(", "))
        }
        None => "a closure is written so: `|x: f64| x + 1.0`".to_owned(),
    };
    Some(Found::new(line, &line[at..at + 6], help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_have_types() {
        let scope = Scope { type_of: &|_| None };
        for (text, expected) in [
            ("def f(x: float) -> float: return x", "`fn f(x: f64) -> f64 { x }`"),
            ("def f(x: float): return x * 2", "`fn f(x: f64) -> f64 { x * 2.0 }`"),
            ("def f(x, y): return x + y", "`fn f(x: i32, y: i32) -> i32 { x + y }`"),
            ("def f(x): return x / 2", "`fn f(x: f64) -> f64 { x / 2.0 }`"),
            ("def f(x: int) -> bool: return x > 1", "`fn f(x: i32) -> bool { x > 1 }`"),
            ("def f(x): return x > 1", "`fn f(x: i32) -> bool { x > 1 }`"),
            ("def f(x: float):\n    return x ** 2", "`fn f(x: f64) -> f64 { x.powi(2) }`"),
            ("def f(s: str) -> str: return s", "`fn f(s: &str) -> String { s.to_string() }`"),
            ("def f(s: str): return f'{s}!'", "`fn f(s: &str) -> String { format!(\"{s}!\") }`"),
            ("def f(v: list[int]) -> int: return v[0]", "`fn f(v: &[i32]) -> i32 { v[0] }`"),
            ("def f(v: list) -> list: return sorted(v)", "`fn f(v: &[f64]) -> Vec<f64> { .. }`"),
            ("def f(x: float) -> None: print(x)", "`fn f(x: f64) { println!(\"{:?}\", x); }`"),
            ("def f(x): return np.sin(x)", "`fn f(x: f64) -> f64 { .. }`"),
            ("def f(x: int) -> float: return x", "`fn f(x: i32) -> f64 { .. }`"),
            ("def f(x: Shape): return x", "`fn f(x: f64) -> f64 { .. }`"),
            ("def f(*args): return 1", "`fn f(x: f64) -> f64 { .. }`"),
            ("def f(x, y=2): return x + y", "; parameters have no defaults, so each call gives `y`"),
            (
                "def f(x):\n    \"\"\"Doubles.\"\"\"\n    return x * 2",
                "`fn f(x: i32) -> i32 { x * 2 }`; a docstring",
            ),
            ("def f(x):\n    y = x + 1\n    return y", "`fn f(x: i32) -> i32 { .. }`"),
            ("def f(): pass", "`fn f() { }`"),
            ("def f(): return 'a'", "`fn f() -> String { \"a\".to_string() }`"),
            ("def f(s: str) -> str: return 'x' + s", "`fn f(s: &str) -> String { format!(\"x{}\", s) }`"),
            (
                "def f(v: list[float]) -> float: return sum(v)",
                "`fn f(v: &[f64]) -> f64 { v.iter().sum::<f64>() }`",
            ),
            ("def f(x, y): return (x**2 + y**2)**0.5", "`fn f(x: f64, y: f64) -> f64 { .. }`"),
            ("f = lambda x: x / 2", "`|x: f64| x / 2.0`"),
            ("f = lambda: 3", "`|| 3`"),
            ("f = lambda e: e[1]", "`|x: f64| x + 1.0`"),
            ("sorted(v, key=lambda p: -p)", "`|p| -p`"),
            ("lambda x: sorted(x)", "`|x: f64| x + 1.0`"),
        ] {
            let first = text.lines().next().unwrap();
            let found = line(&scope, first, first.trim(), text)
                .or_else(|| lambda(&scope, first))
                .unwrap_or_else(|| panic!("{text}"));
            assert!(found.help.contains(expected), "{text}: {}", found.help);
        }
    }
}

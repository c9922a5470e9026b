//! Lines of Python.

use super::super::place::{Kind, Scope, closing, end_of_expression, is_name, operand, parts};
use super::super::{arithmetic, pyplot};
use super::words::compared;
use super::{Found, after_word, around_word, expression, imports, word_of};

/// Statements, by their first word.
pub(super) fn line(scope: &Scope<'_>, line: &str, rest: &str) -> Option<Found> {
    let code = line.trim();
    imports::line(line, code)
        .or_else(|| functions(line, code, rest))
        .or_else(|| blocks(scope, line, code))
        .or_else(|| statements(line, code))
        .or_else(|| assignments(line, code))
        .or_else(|| texts(line, code))
        .or_else(|| collections(scope, line, code))
        .or_else(|| choice(scope, line, code))
}

/// `def f(x): return x + 1`, `lambda x: x + 1`, `class A:`, `@jit`
fn functions(line: &str, code: &str, rest: &str) -> Option<Found> {
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
        let open = after.find('(')?;
        let name = after[..open].trim();
        let inner = &after[open + 1..open + 1 + closing(&after[open + 1..], '(', ')')?];
        // Its body stands behind, or on the next line.
        let body = code.rsplit_once("): ").map(|(_, body)| body);
        let next = rest.lines().nth(1).filter(|line| line.starts_with([' ', '\t']));
        let body = body.or(next).map_or("..", str::trim);
        let body = body.strip_prefix("return ").unwrap_or(body);
        let body = if body == "pass" { ".." } else { body };
        let of = if body.contains('.') || inner.contains('.') { "f64" } else { "i32" };
        let arguments: Vec<String> = parts(inner).iter().map(|name| format!("{name}: {of}")).collect();
        let help = format!("a function is `fn {name}({}) -> {of} {{ {body} }}`", arguments.join(", "));
        return Some(Found::new(line, word_of(line, "def"), help));
    }
    if let Some(after) = after_word(code, "class") {
        let name = after.split(['(', ':', ' ']).next()?;
        let help = format!(
            "a class is a structure and its methods: `struct {name} {{ x: f64 }}`, `impl {name} {{ .. }}`"
        );
        return Some(Found::new(line, word_of(line, "class"), help));
    }
    let at = line.find("lambda ")?;
    let (names, body) = line[at + 7..].split_once(':')?;
    let body = body[..end_of_expression(body, |_, _| false)].trim();
    // Of one that is called later nothing tells the types yet.
    let of = match (expression(line).starts_with("lambda "), body.contains('.')) {
        (false, _) => "",
        (true, true) => ": f64",
        (true, false) => ": i32",
    };
    let names: Vec<String> = parts(names).iter().map(|name| format!("{name}{of}")).collect();
    let help = format!("a closure is `|{}| {body}`", names.join(", "));
    Some(Found::new(line, &line[at..at + 6], help))
}

/// `for i in range(10):` and other heads of blocks.
fn blocks(scope: &Scope<'_>, line: &str, code: &str) -> Option<Found> {
    let word = ["for", "while", "if", "elif", "else", "try", "except", "finally", "with"]
        .into_iter()
        .find(|word| after_word(code, word).is_some())?;
    let rest = code[word.len()..].trim_start();
    let colon = head_end(rest)?;
    let (head, body) = (rest[..colon].trim(), rest[colon + 1..].trim());
    let body = match body {
        "" | "pass" => "..".to_owned(),
        body => body_of(body),
    };
    let help = match word {
        "try" | "except" | "finally" => {
            "an error is passed on by `result?`, and looked at by `match result { Ok(value) => .., Err(error) => .. }`".to_owned()
        }
        "with" => "a value is closed where its block ends: `{ let value = ..; .. }`; `stream.scope(|| ..)?` makes a stream current".to_owned(),
        "else" => format!("a block has braces: `else {{ {body} }}`"),
        "elif" => format!("a block has braces: `else if {} {{ {body} }}`", conditions(head)),
        "for" => format!("a block has braces: `for {} {{ {body} }}`", ranges(scope, head)),
        word => format!("a block has braces: `{word} {} {{ {body} }}`", conditions(head)),
    };
    let part = word_of(line, word);
    Some(Found::named(line, part, format!("`{word} ..:`"), help))
}

/// The colon that ends a head.
fn head_end(rest: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0, false);
    let mut at = 0;
    while at < rest.len() {
        let c = rest[at..].chars().next()?;
        match c {
            '"' => quote = !quote,
            _ if quote => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ':' if rest[at + 1..].starts_with(':') => at += 1,
            ':' if depth == 0 => return Some(at),
            _ => {}
        }
        at += c.len_utf8();
    }
    None
}

/// A body of one line.
fn body_of(body: &str) -> String {
    let body = body.trim_end_matches(';');
    match body.strip_prefix("print(").and_then(|rest| rest.strip_suffix(')')) {
        Some(printed) => format!("{};", printed_as(printed)),
        None => format!("{body};"),
    }
}

/// What `print` prints.
fn printed_as(printed: &str) -> String {
    let printed = printed.trim();
    match printed.strip_prefix(['f', 'F']).filter(|text| text.starts_with(['"', '\''])) {
        Some(text) => format!("println!({})", quoted(text)),
        None if printed.starts_with(['"', '\'']) => format!("println!({})", quoted(printed)),
        None => format!("println!(\"{{:?}}\", {printed})"),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.trim_matches(['"', '\'']))
}

/// `range(10)` as `0..10`.
fn ranges(scope: &Scope<'_>, head: &str) -> String {
    let Some((names, of)) = around_word(head, "in") else { return head.to_owned() };
    let names =
        if names.contains(',') && !names.starts_with('(') { format!("({names})") } else { names.to_owned() };
    format!("{names} in {}", items(scope, of))
}

/// What is iterated over: `range(10)`, `enumerate(v)`, `tqdm(range(10))`.
pub(in super::super) fn items(scope: &Scope<'_>, of: &str) -> String {
    let Some((name, inner)) = of.strip_suffix(')').and_then(|of| of.split_once('(')) else {
        let lend = if is_name(of) { "&" } else { "" };
        return format!("{lend}{of}");
    };
    let is_array = |text: &str| scope.kind(text) == Kind::Array;
    match (name, &parts(inner)[..]) {
        ("range", arguments) => range(arguments),
        ("trange", arguments) => format!("progress({})", range(arguments)),
        ("tqdm", [first, ..]) => format!("progress({})", items(scope, first)),
        ("enumerate", [first]) if is_array(first) => format!("{first}.to_vec().into_iter().enumerate()"),
        ("enumerate", [first]) => format!("{first}.iter().enumerate()"),
        ("zip", [first, second]) => {
            let own = |text: &str, of_vector: String| match is_array(text) {
                true => format!("{text}.to_vec()"),
                false => of_vector,
            };
            let first = match is_array(first) {
                true => format!("{first}.to_vec().into_iter()"),
                false => format!("{first}.iter()"),
            };
            format!("{first}.zip({})", own(second, format!("&{second}")))
        }
        _ => of.to_owned(),
    }
}

/// The arguments of `range` as a range.
pub(in super::super) fn range(arguments: &[&str]) -> String {
    match arguments {
        [end] => format!("0..{end}"),
        [start, end] => format!("{start}..{end}"),
        [start, end, step, ..] => match step.strip_prefix('-') {
            Some(step) => format!("({end} + 1..={start}).rev().step_by({step})"),
            None => format!("({start}..{end}).step_by({step})"),
        },
        [] => "0..10".to_owned(),
    }
}

/// Conditions between numbers, where Python has words.
pub(super) fn conditions(text: &str) -> String {
    let text = match around_word(text, "and") {
        Some((left, right)) => format!("{} && {}", conditions(left), conditions(right)),
        None => match around_word(text, "or") {
            Some((left, right)) => format!("{} || {}", conditions(left), conditions(right)),
            None => match after_word(text, "not") {
                Some(rest) => format!("!{}", operand(rest)),
                None => text.to_owned(),
            },
        },
    };
    text.trim().to_owned()
}

/// `assert x == 3`, `del x`, `print "x"`, `raise E`, `x = yield`
fn statements(line: &str, code: &str) -> Option<Found> {
    let code = code.trim_end_matches(';').trim_end();
    let word = ["assert", "del", "print", "raise", "global", "nonlocal", "return"]
        .into_iter()
        .find(|word| after_word(code, word).is_some())?;
    let rest = after_word(code, word)?;
    let help = match word {
        "assert" if !rest.starts_with('!') => match &parts(rest)[..] {
            [condition, text] => format!("assert with a macro: `assert!({condition}, {text})`"),
            _ => format!("assert with a macro: `assert!({rest})`"),
        },
        "del" => format!("a variable is dropped by `drop({rest})`"),
        "print" if rest.starts_with("f\"") || rest.starts_with("f'") || rest.starts_with(['"', '\'']) => {
            format!("print with a macro: `{}`", printed_as(rest))
        }
        "print" if rest.starts_with('(') => {
            let inner = &rest[1..1 + closing(&rest[1..], '(', ')')?];
            format!("print with a macro: `{}`", printed_as(inner))
        }
        "print" if is_name(rest) => format!("print with a macro: `println!(\"{{{rest}:?}}\")`"),
        "raise" => {
            "a cell is ended by an error: `return Err(\"..\".into())`, or by `panic!(\"..\")`".to_owned()
        }
        "global" | "nonlocal" => {
            "a function sees no variables of cells; pass them as arguments, `&mut x` to change one".to_owned()
        }
        _ => return None,
    };
    Some(Found::new(line, word_of(line, word), help))
}

/// `x, y = 1, 2`, `let x, y = 1, 2`, `let x = 1, y = 2`, `mod = f()`
fn assignments(line: &str, code: &str) -> Option<Found> {
    let plain = code.trim_end_matches(';').trim_end();
    let plain = after_word(plain, "let").unwrap_or(plain);
    let plain = after_word(plain, "mut").unwrap_or(plain);
    let (left, right) = plain.split_once('=')?;
    if right.starts_with('=') || left.ends_with(['!', '<', '>', '+', '-', '*', '/', '=']) {
        return None;
    }
    let (names, left) = (parts(left), left.trim());
    if names.len() > 1
        && let Some(help) = pyplot::of_assignment(right)
    {
        return Some(Found::new(line, code.trim_end_matches(';'), help).at_start(left));
    }
    if names.len() > 1 && names.iter().all(|name| is_name(name)) {
        let values = right.trim();
        let values = if parts(values).len() > 1 { format!("({values})") } else { values.to_owned() };
        let help =
            format!("several variables are bound by a pattern: `let ({}) = {values};`", names.join(", "));
        return Some(Found::new(line, code.trim_end_matches(';'), help).at_start(left));
    }
    // `x = 1, y = 2`
    let clauses: Vec<(&str, &str)> = parts(plain).iter().filter_map(|part| part.split_once('=')).collect();
    if clauses.len() > 1
        && clauses.len() == parts(plain).len()
        && clauses.iter().all(|(name, _)| is_name(name.trim()))
        && code.starts_with("let ")
    {
        let names: Vec<&str> = clauses.iter().map(|(name, _)| name.trim()).collect();
        let values: Vec<&str> = clauses.iter().map(|(_, value)| value.trim()).collect();
        let help = format!(
            "several variables are bound by a pattern: `let ({}) = ({});`",
            names.join(", "),
            values.join(", ")
        );
        return Some(Found::new(line, code.trim_end_matches(';'), help));
    }
    const KEYWORDS: &[&str] = &[
        "mod", "type", "in", "fn", "use", "ref", "move", "impl", "trait", "struct", "enum", "match", "loop",
        "where", "pub", "crate", "static", "extern", "box", "final", "macro", "virtual", "yield", "gen",
        "abstract", "override",
    ];
    if KEYWORDS.contains(&left) {
        let other = match left {
            "mod" => "module",
            "type" => "kind",
            "in" => "input",
            "fn" => "function",
            "ref" => "reference",
            "match" => "matched",
            other => return Some(keyword(line, left, &format!("{other}_"), right)),
        };
        return Some(keyword(line, left, other, right));
    }
    None
}

fn keyword(line: &str, word: &str, other: &str, value: &str) -> Found {
    let value = value.trim();
    let is_made = |class: &&str| value.strip_prefix(*class).is_some_and(|rest| rest.starts_with('('));
    let value = match super::super::pycuda::CLASSES.iter().find(|class| is_made(class)) {
        Some(class) => format!("{class}::new{}?", &value[class.len()..]),
        None => value.to_owned(),
    };
    let help = format!("`{word}` is a keyword; choose another name: `let {other} = {value};`");
    Found::named(line, word_of(line, word), format!("a variable named `{word}`"), help)
}

impl Found {
    /// Said of the names on the left.
    fn at_start(mut self, names: &str) -> Found {
        self.what = format!("`{names} = ..`");
        self
    }
}

/// `# comment`, `'text'`, `f"{x}"`
fn texts(line: &str, code: &str) -> Option<Found> {
    if let Some(text) = code.strip_prefix('#')
        && !text.starts_with(['!', '['])
    {
        let help = format!("a comment starts with two slashes: `//{text}`");
        return Some(Found::named(line, code, "a comment that starts with `#`".to_owned(), help));
    }
    // `print(f"{x}")` and `f"{x}"`.
    for mark in ["f\"", "f'", "F\"", "u\"", "rf\"", "fr\""] {
        for (at, _) in line.match_indices(mark) {
            let quote = mark.chars().last()?;
            let start = at + mark.len();
            let Some(length) = line[start..].find(quote) else { continue };
            let is_inside = line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '\\')
                || line[..at].matches('"').count() % 2 == 1;
            if is_inside {
                continue;
            }
            let text = &line[start..start + length];
            let before = line[..at].trim();
            let whole = &line[at..start + length + 1];
            let help = if before.ends_with("print(") || before.ends_with("println!(") {
                format!("values are formatted into what is printed: `println!(\"{text}\")`")
            } else {
                format!("values are formatted into a string by `format!(\"{text}\")`")
            };
            return Some(Found::new(line, whole, help));
        }
    }
    // A text in single quotes; a lifetime has no second one.
    for (at, _) in line.match_indices('\'') {
        let rest = &line[at + 1..];
        let Some(length) = rest.find('\'') else { continue };
        let text = &rest[..length];
        let is_inside = line[..at].matches('"').count() % 2 == 1;
        if text.chars().count() > 1 && !text.contains(['\\', '<', '>', ',', '\'']) && !is_inside {
            let whole = &line[at..at + length + 2];
            return Some(Found::new(line, whole, format!("a string has double quotes: `\"{text}\"`")));
        }
    }
    None
}

/// `[x * x for x in v]`, `{'a': 1}`
fn collections(scope: &Scope<'_>, line: &str, code: &str) -> Option<Found> {
    for (open, _) in line.match_indices('[') {
        let Some(close) = closing(&line[open + 1..], '[', ']') else { continue };
        let inner = &line[open + 1..open + 1 + close];
        let Some((value, of)) = around_word(inner, "for") else { continue };
        let (name, of) = around_word(of, "in")?;
        let (of, condition) = match around_word(of, "if") {
            Some((of, condition)) => (of, format!(".filter(|{name}| {condition})")),
            None => (of, String::new()),
        };
        // Of the numbers of a range the type is open.
        let type_of = |word: &str| match word == name {
            true if of.starts_with("range(") => Some("{integer}".to_owned()),
            true => scope.element(of),
            false => (scope.type_of)(word),
        };
        let value = arithmetic::in_code(&Scope { type_of: &type_of }, value);
        let items = match of.strip_prefix("range(").and_then(|rest| rest.strip_suffix(')')) {
            Some(inner) => format!("({})", range(&parts(inner))),
            None if scope.kind(of) == Kind::Array => format!("{of}.to_vec().into_iter()"),
            None => format!("{of}.iter()"),
        };
        let help =
            format!("lists are collected: `{items}{condition}.map(|{name}| {value}).collect::<Vec<_>>()`");
        return Some(Found::new(line, &line[open..open + close + 2], help));
    }
    let of = expression(code);
    let inner = of.strip_prefix('{')?.strip_suffix('}')?;
    let pairs: Option<Vec<(&str, &str)>> =
        parts(inner).into_iter().map(|part| part.split_once(':')).collect();
    let pairs = pairs.filter(|pairs| !pairs.is_empty())?;
    let text = |text: &str| {
        let text = text.trim();
        if text.starts_with('\'') { quoted(text) } else { text.to_owned() }
    };
    let pairs: Vec<String> =
        pairs.iter().map(|(key, value)| format!("({}, {})", text(key), text(value))).collect();
    let help = format!("a dictionary is `std::collections::HashMap::from([{}])`", pairs.join(", "));
    Some(Found::new(line, of, help))
}

/// `a if c else b`, `where(p, a, b)`
fn choice(scope: &Scope<'_>, line: &str, code: &str) -> Option<Found> {
    let of = expression(code);
    if let Some(rest) = of.strip_prefix("type(") {
        let inner = &rest[..closing(rest, '(', ')')?];
        return Some(Found::new(line, &of[..4], format!("`:type {inner}` names a type")));
    }
    if let Some((value, rest)) = around_word(of, "if")
        && let Some((condition, other)) = around_word(rest, "else")
        && !rest.contains('{')
    {
        let help = format!("write `if {} {{ {value} }} else {{ {other} }}`", conditions(condition));
        return Some(Found::named(line, of, "`.. if .. else ..`".to_owned(), help));
    }
    let at =
        of.find("where(").filter(|at| !of[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))?;
    let inner = &of[at + 6..];
    let arguments = parts(&inner[..closing(inner, '(', ')')?]);
    let help = match arguments[..] {
        [condition, yes, no] => {
            let lent = |text: &str| match scope.kind(text) {
                Kind::Number => text.to_owned(),
                _ => format!("&{}", operand(text)),
            };
            let condition = compared(condition).unwrap_or_else(|| operand(condition));
            format!(
                "`where` is a keyword; the function is `where_(&{condition}, {}, {})`",
                lent(yes),
                lent(no)
            )
        }
        [condition] => {
            let condition = compared(condition).unwrap_or_else(|| operand(condition));
            format!("`where` is a keyword; the places where a condition is true are `{condition}.nonzero()`")
        }
        _ => "`where` is a keyword; the function is `where_(&mask, &a, &b)`".to_owned(),
    };
    Some(Found::named(line, &of[at..at + 5], "`where(..)`".to_owned(), help))
}

#[cfg(test)]
mod tests {
    use super::super::words::operators;
    use super::*;

    #[test]
    fn lines_of_python_become_rust() {
        let type_of = |name: &str| match name {
            "p" | "q" => Some("GpuArray<bool>".to_owned()),
            "a" => Some("GpuArray<f32>".to_owned()),
            "v" => Some("Vec<i32>".to_owned()),
            _ => None,
        };
        let scope = Scope { type_of: &type_of };
        for (text, help) in [
            ("import pycuda.autoinit", "`device()`"),
            ("from pycuda.compiler import SourceModule", "`SourceModule::new(source)?`"),
            ("def f(x, y): return x + y", "`fn f(x: i32, y: i32) -> i32 { x + y }`"),
            ("def f(x):\n    return x * 2.0", "`fn f(x: f64) -> f64 { x * 2.0 }`"),
            ("let f = lambda x: x + 1", "`|x: i32| x + 1`"),
            ("lambda x: x", "`|x: i32| x`"),
            ("map(lambda x: x.f(), v)", "`|x| x.f()`"),
            ("@jit", "`#[kernel]`"),
            ("@cuda.jit(cache=True)", "`#[kernel]`"),
            ("async def f(): pass", "`fn f() -> f64 { .. }`"),
            ("import pandas as pd", "`columns(((\"x\", &x), (\"y\", &y)))`"),
            ("from tqdm import tqdm", "`for k in progress(0..10) { .. }`"),
            ("fig, ax = plt.subplots()", "`let figure = plot(&x);`"),
            ("fig, axes = plt.subplots(2, 2)", "`let axes = subplots(2, 2);`"),
            ("fig, (a1, a2) = plt.subplots(1, 2)", "`let axes = subplots(1, 2);`"),
            ("[i**2 for i in range(5)]", "`(0..5).map(|i| i32::pow(i, 2)).collect::<Vec<_>>()`"),
            ("[x**2 for x in a]", "`a.to_vec().into_iter().map(|x| x.powi(2)).collect::<Vec<_>>()`"),
            ("[x**2 for x in v]", "`v.iter().map(|x| x.pow(2)).collect::<Vec<_>>()`"),
            ("for k, x in enumerate(a):", "`for (k, x) in a.to_vec().into_iter().enumerate() { .. }`"),
            ("for x, y in zip(a, v):", "`for (x, y) in a.to_vec().into_iter().zip(&v) { .. }`"),
            ("for i in tqdm(range(5)):", "`for i in progress(0..5) { .. }`"),
            ("for i in range(10): print(i)", "`for i in 0..10 { println!(\"{:?}\", i); }`"),
            ("for k, x in enumerate(v):", "`for (k, x) in v.iter().enumerate() { .. }`"),
            ("while x < 3 and y: x += 1", "`while x < 3 && y { x += 1; }`"),
            ("elif x > 2:", "`else if x > 2 { .. }`"),
            ("assert x == 3", "`assert!(x == 3)`"),
            ("print \"x\"", "`println!(\"x\")`"),
            ("print(f\"{x}\")", "`println!(\"{x}\")`"),
            ("x, y = 1, 2", "`let (x, y) = (1, 2);`"),
            ("let x = 1, y = 2;", "`let (x, y) = (1, 2);`"),
            ("mod = SourceModule(code)", "`let module = SourceModule::new(code)?;`"),
            ("# words", "`// words`"),
            ("let s = 'hello';", "`\"hello\"`"),
            ("[x * x for x in v]", "`v.iter().map(|x| x * x).collect::<Vec<_>>()`"),
            ("{'a': 1}", "`std::collections::HashMap::from([(\"a\", 1)])`"),
            ("a if x > 2 else b", "`if x > 2 { a } else { b }`"),
            ("where(a > 0, a, 0)", "`where_(&a.gt(0), &a, 0)`"),
            ("where(a > 0)", "`a.gt(0).nonzero()`"),
            ("p and q", "`&p & &q`"),
            ("a > 1 and a < 3", "`a.gt(1) & a.lt(3)`"),
            ("x and y", "`x && y`"),
            ("a and a", "`a.logical_and(&a)`"),
            ("a > 1 or a", "`a.gt(1).logical_or(&a)`"),
            ("not a", "`a.logical_not()`"),
            ("not p", "`!&p`"),
            ("1 in v", "`v.contains(&1)`"),
            ("~p", "`!&p`"),
        ] {
            let first = text.lines().next().unwrap();
            let found = line(&scope, first, text).or_else(|| operators(&scope, first));
            let found = found.unwrap_or_else(|| panic!("{text}"));
            assert!(found.help.contains(help), "{text}: {}", found.help);
        }
        for text in [
            "let x = 1;",
            "for i in 0..10 { }",
            "if x { 1 } else { 2 }",
            "x?",
            "let c = 'c';",
            "fn f<'a>(x: &'a str) {}",
        ] {
            let found = line(&scope, text, text).or_else(|| operators(&scope, text));
            assert!(found.is_none(), "{text}: {}", found.unwrap().help);
        }
    }
}

//! Lines of Python.

use super::super::place::{Kind, Scope, closing, is_name, operand, parts};
use super::{Found, after_word, around_word, expression};
use crate::names;

/// Statements, by their first word.
pub(super) fn line(scope: &Scope<'_>, line: &str, rest: &str) -> Option<Found> {
    let code = line.trim();
    imports(line, code)
        .or_else(|| functions(line, code, rest))
        .or_else(|| blocks(line, code))
        .or_else(|| statements(line, code))
        .or_else(|| assignments(line, code))
        .or_else(|| texts(line, code))
        .or_else(|| collections(scope, line, code))
        .or_else(|| choice(scope, line, code))
}

/// `import numpy as np`, `from pycuda.compiler import SourceModule`
fn imports(line: &str, code: &str) -> Option<Found> {
    let (word, module, imported) = if let Some(rest) = after_word(code, "import") {
        ("import", rest.split([' ', ',', ';']).next()?, "")
    } else {
        let rest = after_word(code, "from")?;
        let (module, imported) = around_word(rest, "import").or_else(|| rest.split_once(" import "))?;
        ("from", module.trim(), imported.trim())
    };
    let module = module.trim_end_matches(';');
    let root = module.split('.').next().unwrap_or(module);
    let first = imported.split([',', ' ']).next().unwrap_or_default();
    let help = match (root, first) {
        (_, name) if names::PRELUDE.contains(&name) && name.starts_with(char::is_uppercase) => {
            let example = match name {
                "SourceModule" => "SourceModule::new(source)?",
                "ElementwiseKernel" => "ElementwiseKernel::new(arguments, operation, name)?",
                "ReductionKernel" => "ReductionKernel::new(..)?",
                "InclusiveScanKernel" => "InclusiveScanKernel::<i32>::new(scan_expr, neutral)?",
                "ExclusiveScanKernel" => "ExclusiveScanKernel::<i32>::new(scan_expr, neutral)?",
                "Device" => "Device::new(0)?",
                name => name,
            };
            format!("`{name}` is there already: `{example}`")
        }
        ("numpy" | "cupy" | "np" | "cp", _) => {
            "arrays need no import: `gpu![1.0, 2.0]`, `zeros::<f32>((3, 4))`, `a.sin()`".to_owned()
        }
        ("pycuda", _) => {
            "nothing has to be imported or initialized: the first array or kernel opens the device, \
                          and `device()` shows it"
                .to_owned()
        }
        ("math" | "cmath", _) => {
            "numbers have these as methods: `f64::sqrt(2.0)`, `2.0_f64.sin()`; `std::f64::consts::PI`"
                .to_owned()
        }
        ("random", _) => {
            "random arrays need no import: `rand::<f32>(3)`, `randn::<f64>((2, 2))`, `seed(0)`".to_owned()
        }
        ("matplotlib" | "pylab", _) => {
            "plots need no import: `plot((&x, &y))`, `hist(&x)`, `imshow(&m)`".to_owned()
        }
        ("time", _) => {
            "Rust's clock is `std::time::Instant::now()`; `%time` and `%timeit` measure a line".to_owned()
        }
        _ => format!(
            "names are imported by `use path::name;`; `:dep {root}` adds a crate of that name, if there is one"
        ),
    };
    Some(Found::new(line, word_of(line, word), help))
}

fn word_of<'l>(line: &'l str, word: &str) -> &'l str {
    let at = line.find(word).unwrap_or(0);
    &line[at..at + word.len()]
}

/// `def f(x): return x + 1`, `lambda x: x + 1`, `class A:`
fn functions(line: &str, code: &str, rest: &str) -> Option<Found> {
    if let Some(after) = after_word(code, "def") {
        let open = after.find('(')?;
        let name = after[..open].trim();
        let inner = &after[open + 1..open + 1 + closing(&after[open + 1..], '(', ')')?];
        // Its body stands behind, or on the next line.
        let body = code.rsplit_once("): ").map(|(_, body)| body);
        let next = rest.lines().nth(1).filter(|line| line.starts_with([' ', '\t']));
        let body = body.or(next).map_or("..", str::trim);
        let body = body.strip_prefix("return ").unwrap_or(body);
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
    let body = body.trim().trim_end_matches([';', ')', ',']);
    let help = format!("a closure is `|{}| {body}`", names.trim());
    Some(Found::new(line, &line[at..at + 6], help))
}

/// `for i in range(10):` and other heads of blocks.
fn blocks(line: &str, code: &str) -> Option<Found> {
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
        "for" => format!("a block has braces: `for {} {{ {body} }}`", ranges(head)),
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
fn ranges(head: &str) -> String {
    let Some((names, of)) = around_word(head, "in") else { return head.to_owned() };
    let names =
        if names.contains(',') && !names.starts_with('(') { format!("({names})") } else { names.to_owned() };
    if let Some(inner) = of.strip_prefix("range(").and_then(|rest| rest.strip_suffix(')')) {
        return format!("{names} in {}", range(&parts(inner)));
    }
    if let Some(inner) = of.strip_prefix("enumerate(").and_then(|rest| rest.strip_suffix(')')) {
        return format!("{names} in {inner}.iter().enumerate()");
    }
    let lend = if is_name(of) { "&" } else { "" };
    format!("{names} in {lend}{of}")
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
fn conditions(text: &str) -> String {
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

/// Operators that are words: `p and q`, `not p`, `x is None`, `1 in v`, and
/// `a @ b`, `~p`.
pub(super) fn operators(scope: &Scope<'_>, line: &str) -> Option<Found> {
    let of = expression(line);
    let of = of.strip_prefix("if ").map_or(of, |rest| rest.split('{').next().unwrap_or(rest).trim());
    let is_array = |text: &str| {
        let text = text.trim().trim_start_matches('(');
        let text = text.split([' ', '>', '<', '=']).next().unwrap_or_default();
        scope.kind(text) == Kind::Array
    };
    let term = |text: &str| match compared(text).filter(|_| is_array(text)) {
        Some(compared) => compared,
        None if is_array(text) => format!("&{}", operand(text)),
        None => text.trim().to_owned(),
    };
    for (word, sign, many) in [("and", "&&", "&"), ("or", "||", "|")] {
        if let Some((left, right)) = around_word(of, word) {
            let is_of_arrays = is_array(left) || is_array(right);
            let sign = if is_of_arrays { many } else { sign };
            let help = if is_of_arrays {
                format!("write `{} {sign} {}`", term(left), term(right))
            } else {
                format!("write `{}`", conditions(of))
            };
            return Some(Found::named(line, of, format!("`{word}`"), help));
        }
    }
    if let Some(rest) = after_word(of, "not") {
        let help = format!("write `!{}`", if is_array(rest) { term(rest) } else { operand(rest) });
        return Some(Found::named(line, of, "`not`".to_owned(), help));
    }
    for (word, sign) in [("is not", "is_some"), ("is", "is_none")] {
        if let Some((left, right)) = around_word(of, word) {
            let help = match right {
                "None" => format!("what may be missing is an `Option`: `{left}.{sign}()`"),
                right => format!("write `{left} {} {right}`", if word == "is" { "==" } else { "!=" }),
            };
            return Some(Found::named(line, of, format!("`{word}`"), help));
        }
    }
    if !of.starts_with("for ") {
        for (word, sign) in [("not in", "!"), ("in", "")] {
            if let Some((left, right)) = around_word(of, word) {
                let right = match scope.kind(right) {
                    Kind::Array => format!("{}.to_vec()", operand(right)),
                    _ => operand(right),
                };
                let left =
                    if left.starts_with('"') { left.to_owned() } else { format!("&{}", operand(left)) };
                let help = format!("write `{sign}{right}.contains({left})`");
                return Some(Found::named(line, of, format!("`{word}`"), help));
            }
        }
    }
    if let Some((left, right)) = of.split_once(" @ ") {
        let (left, right) = (operand(left), operand(right));
        let call = super::super::numpy::form(scope, "matmul", &[&left, &right])?;
        return Some(Found::named(line, of, "`@`".to_owned(), call));
    }
    let at = line.find('~')?;
    let after = line[at + 1..].trim_start();
    let operand = after.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let sign = if is_array(operand) { "!&" } else { "!" };
    Some(Found::new(line, &line[at..=at], format!("write `{sign}{operand}`")))
}

/// A comparison as the method of an array: `a.gt(2.0)`.
fn compared(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
    for (sign, method) in [(">=", "ge"), ("<=", "le"), ("==", "eq"), ("!=", "ne"), (">", "gt"), ("<", "lt")] {
        if let Some((left, right)) = text.split_once(sign) {
            let right = right.trim();
            let lend = if right.starts_with(|c: char| c.is_ascii_digit() || c == '-') { "" } else { "&" };
            return Some(format!("{}.{method}({lend}{right})", operand(left)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
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
            ("let f = lambda x: x + 1", "`|x| x + 1`"),
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

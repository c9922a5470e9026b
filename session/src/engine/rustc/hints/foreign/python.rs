//! Lines of Python.

use super::super::place::{Kind, Scope, closing, is_name, operand, parts};
use super::super::pyplot;
use super::classes::number_of;
use super::conditions::conditions;
use super::expressions::{self, bare, statement};
use super::words::compared;
use super::{
    Found, after_word, around_word, comprehensions, expression, functions, imports, iterators, printing,
    word_of,
};

/// Statements, by their first word.
pub(super) fn line(scope: &Scope<'_>, line: &str, rest: &str) -> Option<Found> {
    let code = line.trim();
    imports::line(line, code)
        .or_else(|| functions::line(scope, line, code, rest))
        .or_else(|| blocks(scope, line, code))
        .or_else(|| statements(scope, line, code))
        .or_else(|| assignments(scope, line, code))
        .or_else(|| comments(line, code))
        .or_else(|| comprehensions::line(scope, line))
        .or_else(|| dictionary(scope, line, code))
        .or_else(|| functions::lambda(scope, line))
        .or_else(|| texts(scope, line))
        .or_else(|| choice(scope, line, code))
}

/// `for i in range(10):` and other heads of blocks.
fn blocks(scope: &Scope<'_>, line: &str, code: &str) -> Option<Found> {
    let word = ["for", "while", "if", "elif", "else", "try", "except", "finally", "with"]
        .into_iter()
        .find(|word| after_word(code, word).is_some())?;
    let rest = code[word.len()..].trim_start();
    let colon = head_end(rest)?;
    let (head, body) = (rest[..colon].trim(), rest[colon + 1..].trim());
    let body = statement(scope, body).unwrap_or_else(|| "..".to_owned());
    let condition = conditions(scope, head);
    let asked = condition.as_deref().unwrap_or("true");
    let help = match word {
        "try" | "except" | "finally" => {
            "an error is passed on by `result?`, and looked at by `match result { Ok(value) => .., Err(error) => .. }`".to_owned()
        }
        "with" => "a value is closed where its block ends: `{ let value = ..; .. }`; `stream.scope(|| ..)?` makes a stream current".to_owned(),
        "else" => format!("a block has braces: `else {{ {body} }}`"),
        "elif" => format!("a block has braces: `else if {asked} {{ {body} }}`"),
        "for" => match loop_head(scope, head) {
            Some(head) => format!("a block has braces: `for {head} {{ {body} }}`"),
            None => "a block has braces: `for i in 0..10 { .. }`".to_owned(),
        },
        "while" if condition.as_deref() == Some("true") => {
            format!("a loop without end is `loop {{ {body} }}`")
        }
        word => format!("a block has braces: `{word} {asked} {{ {body} }}`"),
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

/// What a `for` is written as; none if it is not sure.
fn loop_head(scope: &Scope<'_>, head: &str) -> Option<String> {
    let (names, of) = around_word(head, "in")?;
    let names =
        if names.contains(',') && !names.starts_with('(') { format!("({names})") } else { names.to_owned() };
    Some(format!("{names} in {}", iterators::items(scope, of)?))
}

/// `assert x == 3`, `del x`, `print "x"`, `raise E`, `x = yield`
fn statements(scope: &Scope<'_>, line: &str, code: &str) -> Option<Found> {
    let code = code.trim_end_matches(';').trim_end();
    let word = ["assert", "del", "print", "raise", "global", "nonlocal", "return"]
        .into_iter()
        .find(|word| after_word(code, word).is_some())?;
    let rest = after_word(code, word)?;
    let help = match word {
        "assert" if !rest.starts_with('!') => {
            let (condition, text) = match &parts(rest)[..] {
                [condition, text] => (*condition, expressions::code(scope, text)),
                _ => (rest, None),
            };
            let text = text.map_or(String::new(), |text| match text.starts_with('"') {
                true => format!(", {text}"),
                false => format!(", \"{{}}\", {text}"),
            });
            match conditions(scope, condition) {
                Some(condition) => format!("assert with a macro: `assert!({condition}{text})`"),
                None => "assert with a macro, of a condition in Rust: `assert!(true)`".to_owned(),
            }
        }
        "del" => match (&parts(rest)[..], rest.strip_suffix(']').and_then(|rest| rest.split_once('['))) {
            (_, Some((on, at))) if is_name(on) && scope.kind(on) != Kind::Array => {
                format!("an element is removed by `{on}.remove({at})`")
            }
            ([_], _) if is_name(rest) => format!("a variable is dropped by `drop({rest})`"),
            (names, _) if names.iter().all(|name| is_name(name)) => {
                format!("variables are dropped by `drop(({}))`", names.join(", "))
            }
            _ => return None,
        },
        "print" if rest.starts_with("f\"") || rest.starts_with("f'") || rest.starts_with(['"', '\'']) => {
            printing::print_advice(scope, rest)
        }
        "print" if rest.starts_with('(') => {
            let inner = &rest[1..1 + closing(&bare(&rest[1..]), '(', ')')?];
            printing::print_advice(scope, inner)
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

/// `x, y = 1, 2`, `let x, y = 1, 2`, `*x, y = v`, `let x = 1, y = 2`, `mod = f()`
fn assignments(scope: &Scope<'_>, line: &str, code: &str) -> Option<Found> {
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
    let bare_names: Vec<&str> = names.iter().map(|name| name.strip_prefix('*').unwrap_or(name)).collect();
    if names.len() > 1 && bare_names.iter().all(|name| is_name(name)) {
        let values = match names.iter().position(|name| name.starts_with('*')) {
            Some(rest) => rest_of(scope, right.trim(), names.len(), rest),
            None => each(scope, right.trim(), names.len()),
        };
        let help = format!(
            "several variables are bound by a pattern: `let ({}) = {values};`",
            bare_names.join(", ")
        );
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

/// The values of several variables: `(1, 2)`, or numbers in the place of what is not sure.
fn each(scope: &Scope<'_>, values: &str, count: usize) -> String {
    let written: Option<Vec<String>> =
        parts(values).iter().map(|value| expressions::code(scope, value)).collect();
    match written.as_deref() {
        Some([only]) if [Kind::Array, Kind::Sequence].contains(&scope.kind(only)) && is_name(only) => {
            let list: Vec<String> = (0..count).map(|k| format!("{only}[{k}]")).collect();
            format!("({})", list.join(", "))
        }
        Some([only]) => only.clone(),
        Some(list) if list.len() == count => format!("({})", list.join(", ")),
        _ => {
            let list: Vec<String> = (1..=count).map(|k| k.to_string()).collect();
            format!("({})", list.join(", "))
        }
    }
}

/// The values of `a, *b, c = v`, where `b` is the rest.
fn rest_of(scope: &Scope<'_>, list: &str, count: usize, rest: usize) -> String {
    let list = expressions::code(scope, list).filter(|list| is_name(list)).unwrap_or_else(|| "v".to_owned());
    let list = if scope.kind(&list) == Kind::Array { format!("{list}.to_vec()") } else { list };
    // What is a number is copied out of the list, anything else cloned.
    let is_number = scope.element(&list).is_none_or(|of| super::super::types::is_number(&of));
    let own = if is_number { "" } else { ".clone()" };
    let after = count - rest - 1;
    let values: Vec<String> = (0..count)
        .map(|k| match k.cmp(&rest) {
            std::cmp::Ordering::Less => format!("{list}[{k}]{own}"),
            std::cmp::Ordering::Greater => format!("{list}[{list}.len() - {}]{own}", count - k),
            std::cmp::Ordering::Equal => match (rest, after) {
                (_, 0) => format!("{list}[{rest}..].to_vec()"),
                (0, _) => format!("{list}[..{list}.len() - {after}].to_vec()"),
                _ => format!("{list}[{rest}..{list}.len() - {after}].to_vec()"),
            },
        })
        .collect();
    format!("({})", values.join(", "))
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

/// `# comment`, `"""text"""`
fn comments(line: &str, code: &str) -> Option<Found> {
    if let Some(text) = code.strip_prefix('#')
        && !text.starts_with(['!', '['])
    {
        let help = format!("a comment starts with two slashes: `//{text}`");
        return Some(Found::named(line, code, "a comment that starts with `#`".to_owned(), help));
    }
    for marks in ["\"\"\"", "'''"] {
        let Some(at) = line.find(marks) else { continue };
        let inner = line[at + 3..].split(marks).next().unwrap_or_default().trim();
        // Alone it is a comment; elsewhere a text, whose quotes may be on other lines.
        let help = match line[..at].trim().is_empty() {
            true => format!(
                "a comment starts with two slashes: `// {}`",
                if inner.is_empty() { ".." } else { inner }
            ),
            false => {
                "a text of several lines has quotes of one sign: `\"..\"`, or `r#\"..\"#` as it is".to_owned()
            }
        };
        let end = line[at + 3..].find(marks).map_or(line.len(), |length| at + length + 6);
        return Some(Found::named(line, &line[at..end], format!("a text in `{marks}`"), help));
    }
    None
}

/// `'text'`, `f"{x}"`
fn texts(scope: &Scope<'_>, line: &str) -> Option<Found> {
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
            let before = line[..at].trim();
            let whole = &line[at..start + length + 1];
            let help = if before.ends_with("print(") || before.ends_with("println!(") {
                printing::print_advice(scope, whole)
            } else {
                printing::format_advice(scope, whole)
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
            // `'%d' % n`, `'{}'.format(n)`
            let rest = line[at..].trim().trim_end_matches(';').trim_end();
            if let Some(help) = printing::sure_format_advice(scope, rest).filter(|_| rest.len() > whole.len())
            {
                return Some(Found::new(line, rest, help));
            }
            return Some(Found::new(line, whole, format!("a string has double quotes: `\"{text}\"`")));
        }
    }
    None
}

/// `{'a': 1}`
fn dictionary(scope: &Scope<'_>, line: &str, code: &str) -> Option<Found> {
    let of = expression(code);
    let inner = of.strip_prefix('{')?.strip_suffix('}')?;
    let pairs: Option<Vec<(&str, &str)>> =
        parts(inner).into_iter().map(|part| part.split_once(':')).collect();
    let pairs = pairs.filter(|pairs| !pairs.is_empty())?;
    let value = |text: &str| expressions::code(scope, text);
    let pairs: Option<Vec<String>> =
        pairs.iter().map(|(key, of)| Some(format!("({}, {})", value(key)?, value(of)?))).collect();
    let pairs = pairs.unwrap_or_else(|| vec!["(\"a\", 1)".to_owned(), "(\"b\", 2)".to_owned()]);
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
    if let Some((first, rest)) = around_word(of, "if")
        && let Some((condition, other)) = around_word(rest, "else")
        && !rest.contains('{')
    {
        let value = |text: &str| expressions::code(scope, text);
        let help = match (conditions(scope, condition), value(first), value(other)) {
            (Some(condition), Some(first), Some(other))
                if number_of(scope, &first) == number_of(scope, &other) =>
            {
                format!("write `if {condition} {{ {first} }} else {{ {other} }}`")
            }
            _ => "write `if true { 1 } else { 2 }`, with your condition and values".to_owned(),
        };
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
            ("map(lambda x: x.f(), v)", "`v.iter().copied().map(|x| x.f()).collect::<Vec<_>>()`"),
            ("apply(lambda x: x.f())", "`|x| x.f()`"),
            ("@jit", "`#[kernel]`"),
            ("@cuda.jit(cache=True)", "`#[kernel]`"),
            ("async def f(): pass", "`fn f() { }`"),
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
            ("not p", "`(!&p)`"),
            ("not flag", "`(!flag)`"),
            ("let y = not flag;", "`!flag`"),
            ("not a.all()", "`(!a.all().item())`"),
            ("1 in v", "`v.contains(&1)`"),
            ("1 not in v", "`(!v.contains(&1))`"),
            ("~p", "`(!&p)`"),
            ("~n", "`(!n)`"),
            ("let y = ~n;", "`!n`"),
            ("while True:", "`loop { .. }`"),
            ("while True: n += 1", "`loop { n += 1; }`"),
            ("for i in range(len(v)): print(i)", "`for i in 0..v.len() { println!(\"{:?}\", i); }`"),
            ("for x in sorted(v):", "`for i in 0..10 { .. }`"),
            ("if n in v: print(n)", "`if v.contains(&n) { println!(\"{:?}\", n); }`"),
            ("if any(x > 1 for x in v): pass", "`if true { .. }`"),
            ("*s, t = v", "`let (s, t) = (v[..v.len() - 1].to_vec(), v[v.len() - 1]);`"),
            ("s, *t = v", "`let (s, t) = (v[0], v[1..].to_vec());`"),
            ("s, t = v", "`let (s, t) = (v[0], v[1]);`"),
            ("s, t = 1, 'a'", "`let (s, t) = (1, \"a\");`"),
            ("s, t = divmod(7, 2)", "`let (s, t) = (1, 2);`"),
            ("\"\"\"doc\"\"\"", "`// doc`"),
            ("print(f\"{n:.2f}\")", "`println!(\"{n:.2}\")`"),
            ("print(sorted(v))", "`let y = 1.5; println!(\"y = {y:.2}\")`"),
            ("let t = '%d items' % 3;", "`format!(\"{} items\", 3)`"),
            ("del v[0]", "`v.remove(0)`"),
            ("{'key': [1]}", "`std::collections::HashMap::from([(\"key\", [1])])`"),
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

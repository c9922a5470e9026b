//! Python's expressions as Rust has them, as far as that is sure: what is not sure is left out of
//! advice, which then shows the general form.

use std::cell::Cell;

use syn::Expr;

use super::super::place::{Kind, Scope, closing, is_name, operand, receiver_start};
use super::super::{arithmetic, moves};
use super::classes::{Class, class};
use super::conditions::{comparisons, joined};
use super::formats::Literal;
use super::{after_word, around_word, comprehensions, printing};

/// Functions of Python's that have no such name in Rust.
const FUNCTIONS: &[&str] = &[
    "abs",
    "all",
    "any",
    "bool",
    "chr",
    "dict",
    "divmod",
    "enumerate",
    "filter",
    "float",
    "format",
    "getattr",
    "hasattr",
    "id",
    "input",
    "int",
    "isinstance",
    "iter",
    "len",
    "list",
    "map",
    "max",
    "min",
    "next",
    "open",
    "ord",
    "pow",
    "print",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "sorted",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "zip",
];

/// Methods of Python's and NumPy's that Rust's values do not have.
const METHODS: &[&str] = &[
    "append",
    "capitalize",
    "endswith",
    "extend",
    "format",
    "index",
    "isdigit",
    "items",
    "join",
    "lower",
    "lstrip",
    "rstrip",
    "setdefault",
    "split",
    "startswith",
    "strip",
    "title",
    "tolist",
    "update",
    "upper",
];

/// Modules of Python's, as scripts call them.
const MODULES: &[&str] =
    &["cp", "cupy", "itertools", "math", "np", "numpy", "os", "plt", "random", "re", "sys", "time"];

/// Methods of arrays that leave one number.
const REDUCTIONS: &[&str] = &[
    "all", "any", "argmax", "argmin", "max", "mean", "median", "min", "norm", "prod", "ptp", "std", "sum",
    "trace", "var",
];

/// How deep expressions are looked into: each is read in several ways, and what it holds in each of them.
const MOST_LEVELS: usize = 4;

thread_local! {
    /// How deep the expression is that is looked at.
    static LEVEL: Cell<usize> = const { Cell::new(0) };
}

/// An expression as Rust has it; none if that is not sure.
pub(in super::super) fn code(scope: &Scope<'_>, text: &str) -> Option<String> {
    let level = LEVEL.get();
    if level == MOST_LEVELS {
        return None;
    }
    LEVEL.set(level + 1);
    let written = written(scope, text);
    LEVEL.set(level);
    written
}

fn written(scope: &Scope<'_>, text: &str) -> Option<String> {
    let text = quotes(scope, text.trim())?;
    // `time.time() - start`
    let clocks = ["time.time()", "time.perf_counter()"];
    if let Some(start) = clocks.iter().find_map(|clock| text.strip_prefix(clock)?.trim().strip_prefix('-')) {
        return is_name(start.trim()).then(|| format!("{}.elapsed().as_secs_f64()", start.trim()));
    }
    if let Some(found) = printing::joined(scope, &text).or_else(|| comprehensions::whole(scope, &text)) {
        return Some(found);
    }
    let has_word = ["and", "or", "in", "not in", "is", "is not"]
        .iter()
        .any(|word| around_word(&text, word).is_some() && around_word(&text, "for").is_none());
    let meant = match has_word || after_word(&text, "not").is_some() {
        true => joined(scope, &text, false)?,
        false => plain(scope, &text)?,
    };
    // `x.sum()` is an array of one element, and a number was meant.
    let on = REDUCTIONS.iter().find_map(|name| meant.strip_suffix(&format!(".{name}()")));
    let is_one = on.is_some_and(|on| is_name(on) && scope.kind(on) == Kind::Array);
    Some(if is_one { format!("{meant}.item()") } else { meant })
}

/// An expression without `and`, `in` and other words between its parts.
pub(super) fn plain(scope: &Scope<'_>, text: &str) -> Option<String> {
    let outside = bare(text);
    if text.is_empty() || text.contains(['`', '\n']) || outside.contains("//") {
        return None;
    }
    let meant = fields(scope, &calls(scope, &constants(text))?);
    let meant = arithmetic::in_code(scope, &meant);
    let meant = moves::lent(&meant, &|word| scope.kind(word) == Kind::Array);
    let is_foreign = called(&bare(&meant)).iter().any(|call| match call {
        Called::Function(name) => FUNCTIONS.contains(name),
        Called::Method(name) => METHODS.contains(name),
        Called::Module(name) => MODULES.contains(name),
    });
    if is_foreign {
        return None;
    }
    // Whole numbers beside fractions are fractions.
    let is_list = bare(&meant).contains(',');
    let fractions = if is_list { meant.clone() } else { arithmetic::with_fractions(&meant) };
    let is_sure =
        |text: &String| syn::parse_str::<Expr>(text).is_ok_and(|of| class(scope, &of) != Class::Wrong);
    [meant, fractions].into_iter().find(is_sure)
}

/// A text with nothing in its quotes: as long as it is, to look for what stands outside of them.
pub(super) fn bare(text: &str) -> String {
    let (mut bare, mut quote, mut is_escaped) = (String::new(), None, false);
    for c in text.chars() {
        let is_end = quote == Some(c) && !is_escaped;
        match quote {
            Some(_) if !is_end => (0..c.len_utf8()).for_each(|_| bare.push('_')),
            _ => bare.push(c),
        }
        is_escaped = quote.is_some() && c == '\\' && !is_escaped;
        match quote {
            Some(_) if is_end => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            _ => {}
        }
    }
    bare
}

/// Texts in double quotes, and formatted ones as `format!`.
pub(super) fn quotes(scope: &Scope<'_>, text: &str) -> Option<String> {
    let (mut meant, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(['"', '\'']) {
        let before = &rest[..at];
        // A text that a macro is given is Rust's.
        if before.ends_with("!(") {
            return Some(format!("{meant}{rest}"));
        }
        let letters = before.len() - before.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
        let start = at - letters.min(2);
        let literal = Literal::read(&rest[start..])?;
        meant.push_str(&rest[..start]);
        meant.push_str(&printing::literal(scope, &literal)?);
        rest = &rest[start + literal.length..];
    }
    Some(meant + rest)
}

/// `True` as `true`
fn constants(text: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let outside = bare(text);
    let (mut meant, mut at) = (String::new(), 0);
    while at < text.len() {
        let length = outside[at..].find(|c| !is_part(c)).unwrap_or(text.len() - at);
        let length = if length == 0 { text[at..].chars().next().map_or(1, char::len_utf8) } else { length };
        meant.push_str(match &outside[at..at + length] {
            "True" => "true",
            "False" => "false",
            _ => &text[at..at + length],
        });
        at += length;
    }
    meant
}

/// `x.shape` as `x.shape()`
fn fields(scope: &Scope<'_>, text: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    ["shape", "size", "ndim", "dtype"].iter().fold(text.to_owned(), |text, name| {
        let field = format!(".{name}");
        let (mut meant, mut rest) = (String::new(), text.as_str());
        while let Some(at) = rest.find(&field) {
            let (before, after) = (&rest[..at], &rest[at + field.len()..]);
            let is_field = scope.kind(&before[receiver_start(before)..]) == Kind::Array
                && !after.starts_with(|c| is_part(c) || c == '(');
            meant.push_str(before);
            meant.push_str(&field);
            meant.push_str(if is_field { "()" } else { "" });
            rest = after;
        }
        meant + rest
    })
}

/// `", ".join(v)`, by what stands before the dot and in the parentheses; none if the list is not sure.
pub(in super::super) fn joined_texts(scope: &Scope<'_>, separator: &str, list: &str) -> Option<String> {
    let list = code(scope, list)?;
    let of = scope.element(&list).or_else(|| super::iterators::literal_element(&list));
    let is_array = scope.kind(&list) == Kind::Array;
    let is_number = of.is_some_and(|of| super::super::types::is_number(&of));
    let on = operand(&list);
    Some(match (is_array, is_number) {
        (true, _) => {
            format!("{on}.to_vec().iter().map(|x| x.to_string()).collect::<Vec<_>>().join({separator})")
        }
        (false, true) => format!("{on}.iter().map(|x| x.to_string()).collect::<Vec<_>>().join({separator})"),
        (false, false) => format!("{on}.join({separator})"),
    })
}

/// What a text calls, or takes from a module.
enum Called<'t> {
    Function(&'t str),
    Method(&'t str),
    Module(&'t str),
}

fn called(bare: &str) -> Vec<Called<'_>> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bare.len() {
        let length = bare[at..].find(|c| !is_part(c)).unwrap_or(bare.len() - at);
        let (before, name, after) = (&bare[..at], &bare[at..at + length], &bare[at + length..]);
        if is_name(name) && after.starts_with('(') && before.ends_with('.') {
            found.push(Called::Method(name));
        } else if is_name(name) && after.starts_with('(') && !before.ends_with(':') {
            found.push(Called::Function(name));
        } else if is_name(name) && after.starts_with('.') && !before.ends_with(['.', ':']) {
            found.push(Called::Module(name));
        }
        at += length.max(bare[at..].chars().next().map_or(1, char::len_utf8));
    }
    found
}

/// `len(v)` as `v.len()`, and other functions that are methods in Rust.
fn calls(scope: &Scope<'_>, text: &str) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (mut meant, mut rest) = (String::new(), text);
    loop {
        let outside = bare(rest);
        let place = ["abs", "float", "int", "len", "str", "sum"].iter().filter_map(|name| {
            let is_function =
                |at: &usize| !outside[..*at].ends_with(|c: char| is_part(c) || c == '.' || c == ':');
            let pattern = format!("{name}(");
            let mut places = outside.match_indices(&pattern).map(|(at, _)| at);
            Some((places.find(is_function)?, *name))
        });
        let Some((at, name)) = place.min() else { return Some(meant + rest) };
        let inner = &rest[at + name.len() + 1..];
        let inner = &inner[..closing(inner, '(', ')')?];
        let value = plain(scope, inner)?;
        let on = operand(&value);
        let number = scope.number(&value);
        meant.push_str(&rest[..at]);
        meant.push_str(&match name {
            "abs" if scope.kind(&value) == Kind::Array || is_name(&value) && number.is_some() => {
                format!("{on}.abs()")
            }
            "float" if number.is_some() => format!("({on} as f64)"),
            "int" if number.is_some() => format!("({on} as i32)"),
            "len" => format!("{on}.len()"),
            "str" => format!("{on}.to_string()"),
            "sum" if scope.kind(&value) == Kind::Sequence => {
                format!("{on}.iter().sum::<{}>()", scope.element(&value)?)
            }
            _ => return None,
        });
        rest = &rest[at + name.len() + inner.len() + 2..];
    }
}

/// A statement of a block's body, with its semicolon; none if it is not sure.
pub(super) fn statement(scope: &Scope<'_>, text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(';').trim_end();
    if ["break", "continue"].contains(&text) {
        return Some(format!("{text};"));
    }
    let outside = bare(text);
    if outside.contains(';') || ["pass", "..."].contains(&text) || after_word(text, "return").is_some() {
        return None;
    }
    if let Some(printed) = text.strip_prefix("print(").and_then(|rest| rest.strip_suffix(')')) {
        return Some(format!("{};", printing::printed(scope, printed)?.code()?));
    }
    if let Some((on, value)) = text.strip_suffix(')').and_then(|text| text.split_once(".append("))
        && is_name(on)
        && scope.kind(on) != Kind::Array
    {
        return Some(format!("{on}.push({});", code(scope, value)?));
    }
    let signs = ["+=", "-=", "*=", "%=", "/="];
    let (at, sign) = match signs.iter().find_map(|sign| Some((outside.find(sign)?, *sign))) {
        Some(found) => found,
        None => match outside.find('=').filter(|at| comparisons(&text[..at + 1]).is_empty()) {
            Some(at) if !outside[at..].starts_with("==") => (at, "="),
            _ => return Some(format!("{};", code(scope, text)?)),
        },
    };
    let (left, right) = (text[..at].trim(), text[at + sign.len()..].trim());
    let is_place = receiver_start(left) == 0 && !left.contains('(') && !left.contains(':');
    let value = match scope.number(left).as_deref() {
        Some(of) if of.starts_with('f') && right.parse::<i64>().is_ok() => format!("{right}.0"),
        _ => code(scope, right)?,
    };
    // The new value may be of another type.
    let whole = format!("{left} {} {value}", sign.trim_end_matches('='));
    let is_sure = sign == "=" || code(scope, &whole).is_some();
    (is_place && is_sure && scope.kind(left) != Kind::Array).then(|| format!("{left} {sign} {value};"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(test: impl FnOnce(&Scope<'_>)) {
        let type_of = |name: &str| match name {
            "a" => Some("GpuArray<f64>".to_owned()),
            "v" => Some("Vec<i32>".to_owned()),
            "n" => Some("i32".to_owned()),
            "f" => Some("f64".to_owned()),
            "s" => Some("String".to_owned()),
            "names" => Some("Vec<&str>".to_owned()),
            "words" => Some("Vec<String>".to_owned()),
            "d" => Some("HashMap<&str, i32>".to_owned()),
            "flag" => Some("bool".to_owned()),
            _ => None,
        };
        test(&Scope { type_of: &type_of });
    }

    #[test]
    fn expressions_are_written_where_that_is_sure() {
        scope(|scope| {
            for (text, expected) in [
                ("n", "n"),
                ("len(v)", "v.len()"),
                ("len(v) - 1", "v.len() - 1"),
                ("n + 1", "n + 1"),
                ("n % 2 == 0", "n % 2 == 0"),
                ("f / 2.0", "f / 2.0"),
                ("f / 2 + 1", "f / 2.0 + 1.0"),
                ("f > 1", "f > 1.0"),
                ("n**2", "n.pow(2)"),
                ("f**2", "f.powi(2)"),
                ("a.sum()", "a.sum().item()"),
                ("a * 2", "&a * 2"),
                ("str(n)", "n.to_string()"),
                ("g(n, 'x')", "g(n, \"x\")"),
                ("sum(v)", "v.iter().sum::<i32>()"),
                ("float(n) * f", "(n as f64) * f"),
                ("True", "true"),
                ("n in v", "v.contains(&n)"),
                ("f'{n}'", "format!(\"{n}\")"),
                ("v[0] + n", "v[0] + n"),
                ("a.shape[0]", "a.shape()[0]"),
                ("s + \"x\"", "format!(\"{}x\", s)"),
                ("'n: %d' % n", "format!(\"n: {}\", n)"),
                ("', '.join(names)", "names.join(\", \")"),
                ("[x + 1 for x in v]", "v.iter().map(|x| x + 1).collect::<Vec<_>>()"),
                ("list(range(3))", "(0..3).collect::<Vec<i32>>()"),
                ("time.time() - start", "start.elapsed().as_secs_f64()"),
            ] {
                assert_eq!(code(scope, text).as_deref(), Some(expected), "{text}");
            }
            for text in [
                "n * f",
                "n / 2",
                "n // 2",
                "sum(v) / len(v)",
                "f**2 + (f**2)**0.5",
                "[sorted(x) for x in v]",
                "sorted(v)",
                "np.sin(f)",
                "v[-1]",
                "v[n]",
                "v[1:]",
                "g(a=1)",
                "s.upper()",
                "a > 1",
                "len(v) * f",
                "x for x in v",
                "",
            ] {
                assert_eq!(code(scope, text), None, "{text}");
            }
        });
    }

    #[test]
    fn statements_have_their_semicolons() {
        scope(|scope| {
            for (text, expected) in [
                ("print(n)", "println!(\"{:?}\", n);"),
                ("n += 1", "n += 1;"),
                ("f += 1", "f += 1.0;"),
                ("x = n + 1", "x = n + 1;"),
                ("v.append(n)", "v.push(n);"),
                ("break", "break;"),
                ("g(n)", "g(n);"),
            ] {
                assert_eq!(statement(scope, text).as_deref(), Some(expected), "{text}");
            }
            for text in ["n += f", "x = sorted(v)", "a += 1", "x: int = 3"] {
                assert_eq!(statement(scope, text), None, "{text}");
            }
        });
    }
}

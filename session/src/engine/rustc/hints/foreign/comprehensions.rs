//! What Python collects: `[x * x for x in v if x > 1]`, `sum(x for x in v)`, `map(f, v)`.

use super::super::arithmetic::with_fractions;
use super::super::place::{Scope, closing, is_name, parts};
use super::classes::number_of;
use super::conditions::conditions;
use super::expressions::{bare, code};
use super::iterators::iterated;
use super::{Found, around_word, builtins};

const LIST: &str =
    "lists are collected: `(0..10).filter(|i| i % 2 == 0).map(|i| i * i).collect::<Vec<i32>>()`";
const DICTIONARY: &str = "a dictionary is collected of pairs: \
                          `(0..10).map(|i| (i, i * i)).collect::<std::collections::HashMap<i32, i32>>()`";
const SET: &str = "a set is collected: `(0..10).map(|i| i % 3).collect::<std::collections::HashSet<i32>>()`";
const ITERATOR: &str =
    "an iterator has methods: `(0..10).filter(|i| i % 2 == 0).map(|i| i * i).sum::<i32>()`";

/// Functions of Python's that take what is iterated over.
const TAKING: &[&str] = &["all", "any", "dict", "len", "list", "max", "min", "set", "sorted", "sum", "tuple"];

/// `value for names in of if condition`
struct Comprehension<'t> {
    value: &'t str,
    names: &'t str,
    of: &'t str,
    condition: Option<&'t str>,
}

impl<'t> Comprehension<'t> {
    /// What stands within brackets, if it is one; of several `for` the last ones stay in what is
    /// iterated over, which then is not understood.
    fn read(inner: &'t str) -> Option<Comprehension<'t>> {
        let (value, rest) = around_word(inner, "for")?;
        let (names, rest) = around_word(rest, "in")?;
        let (of, condition) = match around_word(rest, "if") {
            Some((of, condition)) => (of, Some(condition)),
            None => (rest, None),
        };
        Some(Comprehension { value, names, of, condition })
    }
}

/// A comprehension in a line, and what is written for it.
pub(super) fn line(scope: &Scope<'_>, line: &str) -> Option<Found> {
    let outside = bare(line);
    for (open, bracket) in outside.match_indices(['[', '(', '{']) {
        let close = match bracket {
            "[" => ']',
            "(" => ')',
            _ => '}',
        };
        let Some(length) = closing(&line[open + 1..], bracket.chars().next()?, close) else { continue };
        let (end, inner) = (open + 1 + length + 1, &line[open + 1..open + 1 + length]);
        // What a function takes may stand in brackets of its own: `sum([x for x in v])`.
        let name = function_before(&line[..open]);
        if bracket == "("
            && let Some(mapped) = mapped(scope, name, inner)
        {
            let part = &line[open - name.len()..end];
            return Some(Found::new(line, part, format!("a list is made of an iterator: `{mapped}`")));
        }
        let Some(comprehension) = Comprehension::read(inner) else { continue };
        let (before, after) = (&line[..open], &line[end..]);
        let wrapped = match (bracket, after.starts_with(')'), before.strip_suffix('(')) {
            ("[", true, Some(before)) => Some(function_before(before)),
            ("(", _, _) => Some(name),
            _ => None,
        };
        if let Some(name) = wrapped.filter(|name| TAKING.contains(name)) {
            let start = if bracket == "[" { open - 1 - name.len() } else { open - name.len() };
            let end = if bracket == "[" { end + 1 } else { end };
            let help = of_function(scope, name, &comprehension).unwrap_or_else(|| ITERATOR.to_owned());
            return Some(Found::new(line, &line[start..end], help));
        }
        // `", ".join(str(x) for x in v)`
        if let Some(separator) = before.strip_suffix(".join(").or_else(|| before.strip_suffix(".join"))
            && let Some(quote) = separator.trim_end().strip_suffix(['"', '\''])
        {
            let Some(start) = quote.rfind(['"', '\'']) else { continue };
            let help = match chain(scope, &comprehension) {
                Some(values) => format!(
                    "texts are joined by `{}.collect::<Vec<_>>().join(\"{}\")`",
                    values.code,
                    &quote[start + 1..]
                ),
                None => format!("texts are joined by `[\"a\", \"b\"].join(\"{}\")`", &quote[start + 1..]),
            };
            return Some(Found::new(line, &line[start..end], help));
        }
        let help = match bracket {
            "[" => list(scope, &comprehension).unwrap_or_else(|| LIST.to_owned()),
            "{" => match pair(comprehension.value) {
                Some((key, value)) => {
                    dictionary(scope, &comprehension, key, value).unwrap_or_else(|| DICTIONARY.to_owned())
                }
                None => set(scope, &comprehension).unwrap_or_else(|| SET.to_owned()),
            },
            _ => match chain(scope, &comprehension) {
                Some(values) => format!("an iterator is `{}`", values.code),
                None => ITERATOR.to_owned(),
            },
        };
        return Some(Found::new(line, &line[open..end], help));
    }
    None
}

/// The comprehension that a text is, or a call of Python's of what is iterated over.
pub(super) fn whole(scope: &Scope<'_>, text: &str) -> Option<String> {
    if let Some((name, inner)) = text.strip_suffix(')').and_then(|text| text.split_once('('))
        && ["dict", "filter", "list", "map", "set"].contains(&name)
        && closing(inner, '(', ')').is_none()
        && let Some(found) = builtins::call(scope, name, &parts(inner))
    {
        return Some(found);
    }
    let found = line(scope, text)?;
    let is_general = [LIST, DICTIONARY, SET, ITERATOR].contains(&found.help.as_str());
    let is_whole = found.range == (0..text.len());
    found.help.split('`').nth(1).filter(|_| is_whole && !is_general).map(str::to_owned)
}

/// The name that stands before a bracket: `sum` of `y = sum(`.
fn function_before(text: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let start =
        text.len() - text.chars().rev().take_while(|c| is_part(*c)).map(char::len_utf8).sum::<usize>();
    if text[..start].ends_with('.') { "" } else { &text[start..] }
}

/// The halves of `k: v`.
fn pair(value: &str) -> Option<(&str, &str)> {
    let outside = bare(value);
    let mut depth = 0;
    let colon = outside.char_indices().find_map(|(at, c)| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        (c == ':' && depth == 0).then_some(at)
    })?;
    Some((value[..colon].trim(), value[colon + 1..].trim()))
}

fn list(scope: &Scope<'_>, comprehension: &Comprehension<'_>) -> Option<String> {
    let values = chain(scope, comprehension)?;
    Some(format!("lists are collected: `{}.collect::<Vec<_>>()`", values.code))
}

fn set(scope: &Scope<'_>, comprehension: &Comprehension<'_>) -> Option<String> {
    let values = chain(scope, comprehension)?;
    // Fractions have no hashes.
    let is_hashed = !values.of.as_deref().is_some_and(|of| of.starts_with('f'));
    is_hashed
        .then(|| format!("a set is collected: `{}.collect::<std::collections::HashSet<_>>()`", values.code))
}

fn dictionary(
    scope: &Scope<'_>,
    comprehension: &Comprehension<'_>,
    key: &str,
    value: &str,
) -> Option<String> {
    let pairs = Source::read(scope, comprehension)?;
    let is_hashed = pairs.number(scope, key).is_none_or(|of| !of.starts_with('f'));
    let (key, value) = (pairs.value(scope, key)?, pairs.value(scope, value)?);
    is_hashed.then(|| {
        format!(
            "a dictionary is collected of pairs: `{}.map(|{}| ({key}, {value})).collect::<std::collections::HashMap<_, _>>()`",
            pairs.code, pairs.pattern
        )
    })
}

/// `sum(x * x for x in v)` and others that take what is iterated over.
fn of_function(scope: &Scope<'_>, name: &str, comprehension: &Comprehension<'_>) -> Option<String> {
    if let "any" | "all" = name {
        let items = Source::read(scope, comprehension)?;
        let condition = items.condition(scope, comprehension.value)?;
        return Some(format!(
            "it is a method of iterators: `{}.{name}(|{}| {condition})`",
            items.code, items.pattern
        ));
    }
    let values = chain(scope, comprehension)?;
    let of = values.of.as_deref();
    let is_fraction = of.is_some_and(|of| of.starts_with('f'));
    // A sum adds what is lent as well.
    let lent = values.code.strip_suffix(".copied()").filter(|_| name == "sum");
    let (code, end) = (
        lent.unwrap_or(&values.code),
        match name {
            "sum" => format!("sum::<{}>()", of?),
            "max" | "min" if is_fraction => format!("reduce({}::{name})", of?),
            "max" | "min" => format!("{name}()"),
            "len" => "count()".to_owned(),
            "list" => "collect::<Vec<_>>()".to_owned(),
            "set" if !is_fraction => "collect::<std::collections::HashSet<_>>()".to_owned(),
            _ => return None,
        },
    );
    Some(format!("it is a method of iterators: `{code}.{end}`"))
}

/// An iterator over values, and what is known of their type.
struct Values {
    code: String,
    of: Option<String>,
}

fn chain(scope: &Scope<'_>, comprehension: &Comprehension<'_>) -> Option<Values> {
    let mut items = Source::read(scope, comprehension)?;
    let text = comprehension.value;
    if text == items.pattern {
        let of = items.names.first().and_then(|(_, of)| of.clone());
        let of = of.map(|of| if of == "{integer}" { "i32".to_owned() } else { of });
        return Some(Values { code: items.code, of });
    }
    let (value, of) = (items.value(scope, text)?, items.number(scope, text));
    // What is computed of lent numbers is the same.
    let is_computed = !text.contains(['<', '>', '=', '(', ',', '"', '\'']) && !value.contains(" as ");
    if is_computed
        && comprehension.condition.is_none()
        && let Some(code) = items.code.strip_suffix(".copied()")
        && items.names.len() == 1
    {
        items.code = code.to_owned();
    }
    let of = of.or_else(|| {
        let is_counted = items.names.iter().all(|(_, of)| of.as_deref() == Some("{integer}"));
        (is_counted && value.starts_with("i32::")).then(|| "i32".to_owned())
    });
    Some(Values { code: format!("{}.map(|{}| {value})", items.code, items.pattern), of })
}

/// An iterator over what a comprehension has names for, with its condition.
struct Source {
    code: String,
    /// The names, and what is known of their types.
    names: Vec<(String, Option<String>)>,
    pattern: String,
}

impl Source {
    fn read(scope: &Scope<'_>, comprehension: &Comprehension<'_>) -> Option<Source> {
        let names = comprehension.names.trim_matches(['(', ')']);
        let names: Vec<&str> = parts(names);
        let (code, types) = iterated(scope, comprehension.of)?;
        if names.len() != types.len() || !names.iter().all(|name| is_name(name)) {
            return None;
        }
        let pattern = match names[..] {
            [only] => only.to_owned(),
            _ => format!("({})", names.join(", ")),
        };
        let names = names.into_iter().map(str::to_owned).zip(types).collect();
        let mut source = Source { code, names, pattern };
        if let Some(condition) = comprehension.condition {
            let condition = source.condition(scope, condition)?;
            // What is not copied is looked at where it is.
            let lent = if source.code.ends_with(".cloned()") { "" } else { "&" };
            source.code.push_str(&format!(".filter(|{lent}{}| {condition})", source.pattern));
        }
        Some(source)
    }

    /// Asks something in a scope that has the names.
    fn within<T>(&self, scope: &Scope<'_>, ask: impl FnOnce(&Scope<'_>) -> T) -> T {
        let type_of = |word: &str| match self.names.iter().find(|(name, _)| name == word) {
            Some((_, of)) => of.clone(),
            None => (scope.type_of)(word),
        };
        ask(&Scope { type_of: &type_of })
    }

    /// An expression, in which whole numbers are fractions where it has some.
    fn value(&self, scope: &Scope<'_>, text: &str) -> Option<String> {
        self.within(scope, |scope| {
            code(scope, text).or_else(|| code(scope, &with_fractions(text))).or_else(|| {
                let is_fraction = |word: &str| scope.number(word).is_some_and(|of| of.starts_with('f'));
                let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
                if !text.contains(['.', '/']) && !words.any(is_fraction) {
                    return None;
                }
                let is_whole = |of: &str| of == "{integer}" || of.starts_with(['i', 'u']);
                let whole = self.names.iter().filter(|(_, of)| of.as_deref().is_some_and(is_whole));
                let cast = whole.fold(with_fractions(text), |text: String, (name, _)| {
                    replaced(&text, name, &format!("({name} as f64)"))
                });
                code(scope, &cast)
            })
        })
    }

    fn condition(&self, scope: &Scope<'_>, text: &str) -> Option<String> {
        self.within(scope, |scope| {
            conditions(scope, text).or_else(|| conditions(scope, &with_fractions(text)))
        })
    }

    /// The type of an expression, if it is a number.
    fn number(&self, scope: &Scope<'_>, text: &str) -> Option<String> {
        let value = self.value(scope, text)?;
        self.within(scope, |scope| number_of(scope, &value))
    }
}

/// A text with another word for a name.
fn replaced(text: &str, name: &str, by: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (mut meant, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let is_whole = !before.ends_with(|c| is_part(c) || c == '.') && !after.starts_with(is_part);
        meant.push_str(before);
        meant.push_str(if is_whole { by } else { name });
        rest = after;
    }
    meant + rest
}

/// `map(f, v)`, `filter(lambda x: x > 1, v)`, as a list.
pub(super) fn mapped(scope: &Scope<'_>, name: &str, inner: &str) -> Option<String> {
    if name != "map" && name != "filter" {
        return None;
    }
    // The parameters of a `lambda` have commas of their own.
    let (names, function, of) = match inner.trim().strip_prefix("lambda ") {
        Some(rest) => {
            let (names, rest) = rest.split_once(':')?;
            let [body, of] = parts(rest)[..] else { return None };
            (names.trim().to_owned(), body.to_owned(), of)
        }
        None => {
            let [function, of] = parts(inner)[..] else { return None };
            if !is_name(function) || function == "None" {
                return None;
            }
            ("e".to_owned(), format!("{function}(e)"), of)
        }
    };
    if name == "filter" {
        let all = Comprehension { value: &names, names: &names, of, condition: Some(&function) };
        return Some(format!("{}.collect::<Vec<_>>()", chain(scope, &all)?.code));
    }
    let all = Comprehension { value: &function, names: &names, of, condition: None };
    let values = chain(scope, &all)?;
    // A function of the user's own is passed as it is.
    let own = function.strip_suffix("(e)").map(|name| format!(".map(|e| {name}(e))"));
    let code = match own.filter(|own| values.code.ends_with(own.as_str())) {
        Some(own) => {
            let function = function.strip_suffix("(e)").unwrap_or_default();
            format!("{}.map({function})", &values.code[..values.code.len() - own.len()])
        }
        None => values.code,
    };
    Some(format!("{code}.collect::<Vec<_>>()"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(test: impl FnOnce(&Scope<'_>)) {
        let type_of = |name: &str| match name {
            "a" => Some("GpuArray<f64>".to_owned()),
            "v" => Some("Vec<i32>".to_owned()),
            "w" => Some("Vec<f64>".to_owned()),
            "names" => Some("Vec<&str>".to_owned()),
            "words" => Some("Vec<String>".to_owned()),
            _ => None,
        };
        test(&Scope { type_of: &type_of });
    }

    #[test]
    fn comprehensions_are_collected() {
        scope(|scope| {
            for (text, help) in [
                ("[i for i in v if i > 1]", "`v.iter().copied().filter(|&i| i > 1).collect::<Vec<_>>()`"),
                (
                    "y = [i * 2 for i in v if i > 1]",
                    "`v.iter().copied().filter(|&i| i > 1).map(|i| i * 2).collect::<Vec<_>>()`",
                ),
                ("[i * i for i in v]", "`v.iter().map(|i| i * i).collect::<Vec<_>>()`"),
                (
                    "[e for e in a if e > 1]",
                    "`a.to_vec().into_iter().filter(|&e| e > 1.0).collect::<Vec<_>>()`",
                ),
                ("[i * 0.5 for i in range(5)]", "`(0..5).map(|i| (i as f64) * 0.5).collect::<Vec<_>>()`"),
                ("[i**2 for i in range(5)]", "`(0..5).map(|i| i32::pow(i, 2)).collect::<Vec<_>>()`"),
                ("[g(i) for i in v]", "`v.iter().copied().map(|i| g(i)).collect::<Vec<_>>()`"),
                ("[len(s) for s in words]", "`words.iter().cloned().map(|s| s.len()).collect::<Vec<_>>()`"),
                (
                    "[i * x for i, x in enumerate(v)]",
                    "`(0..10).filter(|i| i % 2 == 0).map(|i| i * i).collect::<Vec<i32>>()`",
                ),
                (
                    "[x * y for x, y in zip(v, v)]",
                    "`v.iter().copied().zip(v.iter().copied()).map(|(x, y)| x * y).collect::<Vec<_>>()`",
                ),
                (
                    "{i: i * 2 for i in v}",
                    "`v.iter().copied().map(|i| (i, i * 2)).collect::<std::collections::HashMap<_, _>>()`",
                ),
                ("{i for i in v}", "`v.iter().copied().collect::<std::collections::HashSet<_>>()`"),
                ("(i for i in v)", "an iterator is `v.iter().copied()`"),
                ("sum(i for i in v)", "`v.iter().sum::<i32>()`"),
                ("sum([i * i for i in v])", "`v.iter().map(|i| i * i).sum::<i32>()`"),
                ("any(i > 1 for i in v)", "`v.iter().copied().any(|i| i > 1)`"),
                ("max(x * 2.0 for x in w)", "`w.iter().map(|x| x * 2.0).reduce(f64::max)`"),
                (
                    "', '.join(str(i) for i in v)",
                    "`v.iter().copied().map(|i| i.to_string()).collect::<Vec<_>>().join(\", \")`",
                ),
                ("map(lambda e: e + 1, v)", "`v.iter().map(|e| e + 1).collect::<Vec<_>>()`"),
                ("filter(lambda e: e > 1, v)", "`v.iter().copied().filter(|&e| e > 1).collect::<Vec<_>>()`"),
                ("[x for r in rows for x in r]", "`(0..10).filter(|i|"),
                ("{x: sorted(x) for x in rows}", "`(0..10).map(|i| (i, i * i))"),
            ] {
                let found = line(scope, text).unwrap_or_else(|| panic!("{text}"));
                assert!(found.help.contains(help), "{text}: {}", found.help);
            }
            for text in ["[1, 2]", "f(x)", "for i in v {}", "sorted(v)"] {
                assert!(line(scope, text).is_none(), "{text}");
            }
        });
    }
}

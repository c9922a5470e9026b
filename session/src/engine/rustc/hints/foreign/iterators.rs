//! What Python iterates over: `range(10)`, `enumerate(v)`, `zip(v, w)`.

use super::super::place::{Kind, Scope, closing, is_name, operand, parts};
use super::super::types::is_number;
use super::expressions::code;

/// An iterator over values of their own, and what is known of the types of their parts.
pub(super) fn iterated(scope: &Scope<'_>, of: &str) -> Option<(String, Vec<Option<String>>)> {
    let of = of.trim();
    let call = of.strip_suffix(')').and_then(|of| of.split_once('('));
    let Some((name, inner)) = call.filter(|(_, inner)| closing(inner, '(', ')').is_none()) else {
        let (code, element) = elements(scope, of)?;
        return Some((code, vec![element]));
    };
    match (name, &parts(inner)[..]) {
        ("range", arguments) => {
            let range = range(scope, arguments)?;
            let of = if range.contains(".len()") { "usize" } else { "{integer}" };
            let code = if range.starts_with('(') { range } else { format!("({range})") };
            Some((code, vec![Some(of.to_owned())]))
        }
        ("enumerate", [only]) => {
            let (code, element) = elements(scope, only)?;
            Some((format!("{code}.enumerate()"), vec![Some("usize".to_owned()), element]))
        }
        ("zip", [first, second]) => {
            let ((first, left), (second, right)) = (elements(scope, first)?, elements(scope, second)?);
            Some((format!("{first}.zip({second})"), vec![left, right]))
        }
        ("reversed", [only]) => {
            let (code, element) = elements(scope, only)?;
            Some((format!("{code}.rev()"), vec![element]))
        }
        (_, []) if name.strip_suffix(".items").is_some_and(is_name) => {
            let on = name.strip_suffix(".items")?;
            Some((format!("{on}.iter().map(|(k, x)| (k.clone(), x.clone()))"), vec![None, None]))
        }
        _ => {
            let (code, element) = elements(scope, of)?;
            Some((code, vec![element]))
        }
    }
}

/// An iterator over the elements of a list.
fn elements(scope: &Scope<'_>, of: &str) -> Option<(String, Option<String>)> {
    let list = code(scope, of)?;
    let on = operand(&list);
    let element = if is_name(&list) { scope.element(&list) } else { literal_element(&list) };
    Some(match scope.kind(&list) {
        Kind::Array => (format!("{on}.to_vec().into_iter()"), element),
        Kind::Text => (format!("{on}.chars()"), Some("char".to_owned())),
        Kind::Sequence if list.starts_with('[') => (format!("{list}.into_iter()"), element),
        Kind::Sequence => {
            let is_copied =
                element.as_deref().is_none_or(|of| is_number(of) || of.starts_with('&') || of == "char");
            (format!("{on}.iter().{}()", if is_copied { "copied" } else { "cloned" }), element)
        }
        Kind::Unknown if is_name(&list) => (format!("{on}.iter().copied()"), None),
        Kind::Other if (scope.type_of)(&list).is_some_and(|of| of.contains("Set<")) => {
            (format!("{on}.iter().copied()"), element)
        }
        Kind::Other if (scope.type_of)(&list).is_some_and(|of| of.contains("Map<")) => {
            (format!("{on}.keys().cloned()"), None)
        }
        _ => return None,
    })
}

/// The type of the elements of `[1, 2]`.
pub(in super::super) fn literal_element(list: &str) -> Option<String> {
    let first = *parts(list.strip_prefix('[')?.strip_suffix(']')?).first()?;
    let digits = first.trim_start_matches('-');
    match (digits.parse::<i64>(), digits.parse::<f64>()) {
        (Ok(_), _) => Some("i32".to_owned()),
        (_, Ok(_)) => Some("f64".to_owned()),
        _ => None,
    }
}

/// What a `for` runs over: `range(10)`, `enumerate(v)`, `tqdm(range(10))`; none if that is not sure.
pub(in super::super) fn items(scope: &Scope<'_>, of: &str) -> Option<String> {
    let Some((name, inner)) = of.strip_suffix(')').and_then(|of| of.split_once('(')) else {
        let list = code(scope, of)?;
        let lend = if is_name(&list) && scope.kind(&list) != Kind::Text { "&" } else { "" };
        return Some(match scope.kind(&list) {
            Kind::Text => format!("{list}.chars()"),
            _ => format!("{lend}{list}"),
        });
    };
    let is_array = |text: &str| scope.kind(text) == Kind::Array;
    Some(match (name, &parts(inner)[..]) {
        ("range", arguments) => range(scope, arguments)?,
        ("trange", arguments) => format!("progress({})", range(scope, arguments)?),
        ("tqdm", [first, ..]) => format!("progress({})", items(scope, first)?),
        ("enumerate", [first]) if is_array(first) => format!("{first}.to_vec().into_iter().enumerate()"),
        ("enumerate", [first]) => format!("{}.iter().enumerate()", operand(&code(scope, first)?)),
        ("reversed", [first]) if !is_array(first) => match first.starts_with("range(") {
            true => format!("({}).rev()", items(scope, first)?),
            false => format!("{}.iter().rev()", operand(&code(scope, first)?)),
        },
        ("zip", [first, second]) => {
            let own = |text: &str| match is_array(text) {
                true => Some(format!("{text}.to_vec()")),
                false => Some(operand(&code(scope, text)?)),
            };
            let (left, right) = (own(first)?, own(second)?);
            let left = match is_array(first) {
                true => format!("{left}.into_iter()"),
                false => format!("{left}.iter()"),
            };
            format!("{left}.zip({}{right})", if is_array(second) { "" } else { "&" })
        }
        (name, []) if name.ends_with(".items") => format!("&{}", name.strip_suffix(".items")?),
        _ => code(scope, of)?,
    })
}

/// The arguments of `range` as a range; none if they are not sure.
pub(in super::super) fn range(scope: &Scope<'_>, arguments: &[&str]) -> Option<String> {
    let numbers: Option<Vec<String>> = arguments.iter().map(|number| code(scope, number)).collect();
    let numbers = numbers?;
    Some(match &numbers[..] {
        [end] => format!("0..{end}"),
        [start, end] => format!("{start}..{end}"),
        [start, end, step, ..] => match step.strip_prefix('-') {
            Some(step) => {
                let end =
                    end.parse::<i64>().map_or_else(|_| format!("{end} + 1"), |end| (end + 1).to_string());
                format!("({end}..={start}).rev().step_by({step})")
            }
            None => format!("({start}..{end}).step_by({step})"),
        },
        [] => "0..10".to_owned(),
    })
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
    fn loops_run_over_ranges_and_lists() {
        scope(|scope| {
            for (text, expected) in [
                ("range(len(v))", Some("0..v.len()")),
                ("range(9, 0, -2)", Some("(1..=9).rev().step_by(2)")),
                ("enumerate(v)", Some("v.iter().enumerate()")),
                ("v", Some("&v")),
                ("'abc'", Some("\"abc\".chars()")),
                ("d.items()", Some("&d")),
                ("reversed(range(3))", Some("(0..3).rev()")),
                ("sorted(v)", None),
            ] {
                assert_eq!(items(scope, text).as_deref(), expected, "{text}");
            }
        });
    }
}

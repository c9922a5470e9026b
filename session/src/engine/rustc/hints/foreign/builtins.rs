//! Functions of Python's that take what is iterated over, where the call parses: `list(range(10))`.

use super::super::place::{Kind, Scope, operand};
use super::comprehensions::mapped;
use super::expressions::code;
use super::iterators::iterated;

/// A call of Python's of what is iterated over, where the call parses: `list(range(10))`, `set(v)`.
pub(in super::super) fn call(scope: &Scope<'_>, name: &str, arguments: &[&str]) -> Option<String> {
    if let "map" | "filter" = name {
        return mapped(scope, name, &arguments.join(", "));
    }
    let [of] = arguments else { return None };
    let inner = of.strip_suffix(')').and_then(|of| of.split_once('('));
    if let ("list" | "set", Some((word @ ("map" | "filter"), inner))) = (name, inner) {
        let list = mapped(scope, word, inner)?;
        return Some(match name {
            "list" => list,
            _ => list.replace("::<Vec<_>>", "::<std::collections::HashSet<_>>"),
        });
    }
    let is_call = inner.is_some_and(|(word, _)| ["enumerate", "range", "reversed", "zip"].contains(&word));
    let kind = scope.kind(of);
    if name == "set" {
        if kind == Kind::Array {
            return Some(format!("{}.unique()", operand(of)));
        }
        let list = code(scope, of).filter(|_| kind == Kind::Sequence && !of.starts_with('['));
        let element = list.as_deref().and_then(|list| scope.element(list));
        if let (Some(list), false) = (&list, element.as_deref().is_some_and(|of| of.starts_with('f'))) {
            return Some(format!("{}.iter().collect::<std::collections::HashSet<_>>()", operand(list)));
        }
    }
    let (code, types) = iterated(scope, of)?;
    let element = match types.as_slice() {
        [Some(of)] if of == "{integer}" => Some("i32"),
        [Some(of)] => Some(of.as_str()),
        _ => None,
    };
    let is_fraction = element.is_some_and(|of| of.starts_with('f'));
    Some(match name {
        "list" if is_call && of.starts_with("range(") => format!("{code}.collect::<Vec<{}>>()", element?),
        "list" if is_call || matches!(kind, Kind::Text | Kind::Other) => {
            format!("{code}.collect::<Vec<_>>()")
        }
        "set" if !is_fraction => format!("{code}.collect::<std::collections::HashSet<_>>()"),
        "dict" if types.len() == 2 => format!("{code}.collect::<std::collections::HashMap<_, _>>()"),
        "sum" if is_call || of.starts_with('[') => format!("{code}.sum::<{}>()", element?),
        "max" | "min" if is_call && !is_fraction => format!("{code}.{name}()"),
        _ => return None,
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
    fn calls_of_lists_are_chains() {
        scope(|scope| {
            for (name, argument, expected) in [
                ("list", "range(10)", "(0..10).collect::<Vec<i32>>()"),
                ("list", "zip(v, w)", "v.iter().copied().zip(w.iter().copied()).collect::<Vec<_>>()"),
                ("set", "v", "v.iter().collect::<std::collections::HashSet<_>>()"),
                ("set", "a", "a.unique()"),
                ("set", "[1, 2]", "[1, 2].into_iter().collect::<std::collections::HashSet<_>>()"),
                ("sum", "range(10)", "(0..10).sum::<i32>()"),
                ("list", "map(str, v)", "v.iter().copied().map(|e| e.to_string()).collect::<Vec<_>>()"),
                (
                    "dict",
                    "zip(names, v)",
                    "names.iter().copied().zip(v.iter().copied()).collect::<std::collections::HashMap<_, _>>()",
                ),
            ] {
                assert_eq!(call(scope, name, &[argument]).as_deref(), Some(expected), "{name}({argument})");
            }
            assert_eq!(
                call(scope, "map", &["f", "v"]).as_deref(),
                Some("v.iter().copied().map(f).collect::<Vec<_>>()")
            );
            assert_eq!(call(scope, "set", &["w"]), None);
        });
    }
}

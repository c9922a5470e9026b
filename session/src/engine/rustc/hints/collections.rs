//! What Python makes lists, sets, dictionaries and tuples with: `list(range(10))`, `set(v)`, `dict(a=1)`.

use super::Mistake;
use super::place::{Call, Kind, is_name, operand};

/// Advice about a call of one of these.
pub(super) fn advice(mistake: &Mistake<'_>, call: &Call<'_>, positional: &[&str]) -> Option<String> {
    let scope = mistake.scope;
    if let Some(form) = super::foreign::call(scope, call.name, positional) {
        return Some(format!("write `{form}`"));
    }
    Some(match (call.name, positional) {
        ("list", []) => "an empty list is `Vec::<i32>::new()`".to_owned(),
        ("set", []) => "an empty set is `std::collections::HashSet::<i32>::new()`".to_owned(),
        ("set", [list]) if scope.kind(list) == Kind::Sequence => format!(
            "floating-point numbers have no hashes; each of them once: `to_gpu(&{}).unique()`",
            operand(list)
        ),
        ("set", _) => {
            "a set is collected: `[1, 2, 2].into_iter().collect::<std::collections::HashSet<_>>()`".to_owned()
        }
        ("dict", _) => {
            let value = |argument: &&str| {
                let (key, value) = argument.split_once('=')?;
                Some(format!("(\"{}\", {})", key.trim(), super::foreign::code(scope, value)?))
            };
            let pairs: Option<Vec<String>> = call.arguments.iter().flatten().map(value).collect();
            match pairs.filter(|pairs| !pairs.is_empty()) {
                Some(pairs) => {
                    format!("a dictionary is `std::collections::HashMap::from([{}])`", pairs.join(", "))
                }
                None => "a dictionary is `let mut d = std::collections::HashMap::new(); d.insert(\"a\", 1);`"
                    .to_owned(),
            }
        }
        ("tuple", [list]) => format!(
            "how many values a tuple has is a part of its type, so a list becomes none: `{0}` stays a list, and two of \
             its values are `({0}[0], {0}[1])`",
            super::foreign::code(scope, list).filter(|list| is_name(list)).unwrap_or_else(|| "v".to_owned())
        ),
        ("tuple", _) => "a tuple is `(1, 2)`".to_owned(),
        ("sorted", [list]) if call.arguments.as_ref().is_some_and(|all| all.len() > 1) => {
            let list = super::foreign::code(scope, list).filter(|list| is_name(list));
            let list = list.unwrap_or_else(|| "[3, 1, 2]".to_owned());
            let is_reversed = call.keyword("reverse").is_some_and(|value| value.eq_ignore_ascii_case("true"));
            match (scope.kind(&list), is_reversed) {
                (Kind::Array, true) => format!("from the greatest: `{list}.sort().flip()`"),
                (_, true) => format!(
                    "from the greatest: `let mut sorted = {list}.clone(); sorted.sort_by(|x, y| y.partial_cmp(x).unwrap()); \
                     sorted`"
                ),
                _ => format!(
                    "by a key: `let mut sorted = {list}.clone(); sorted.sort_by_key(|x| -x); sorted`, with another `-x`"
                ),
            }
        }
        _ => return None,
    })
}

//! Elements that are written, moved or indexed by what is not an index.

use super::Mistake;
use super::place::{Kind, closing, end_of_expression, operand, parts, receiver_start};

/// Advice about an index.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    let said = &mistake.message.message;
    match mistake.message.code() {
        "E0594" | "E0596" if mistake.all().contains("IndexMut") && mistake.all().contains("GpuArray") => {
            of_assignment(mistake)
        }
        "E0277" if said.contains("an array cannot be indexed by `") => of_index(mistake),
        "E0277" if said.contains("the type `[") && said.contains("cannot be indexed by") => of_slice(mistake),
        "E0277" if said.contains("SliceItem<'_>: From<") => of_item(mistake),
        "E0507" if said.contains("cannot move out of index of `GpuArray") => of_moved(mistake),
        "E0608" if mistake.all().contains("GpuArray") => None,
        _ => None,
    }
}

/// `a[1] = 2.0`, `a[0..2] += 1.0`
pub(super) fn of_assignment(mistake: &Mistake<'_>) -> Option<String> {
    let line = mistake.line();
    let (open, inner) = line.match_indices('[').find_map(|(open, _)| {
        let length = closing(&line[open + 1..], '[', ']')?;
        let after = line[open + length + 2..].trim_start();
        let is_written = ["=", "+=", "-=", "*=", "/=", "%="].iter().any(|sign| after.starts_with(sign))
            && !after.starts_with("==");
        is_written.then(|| (open, &line[open + 1..open + 1 + length]))
    })?;
    let name = &line[receiver_start(&line[..open])..open];
    let rest = &line[open + inner.len() + 2..];
    let rest = rest[..end_of_expression(rest, |_, _| false)].trim();
    let list = inner.strip_prefix("s![").and_then(|rest| rest.strip_suffix(']')).unwrap_or(inner);
    let (sign, value) = rest.split_once('=')?;
    let (sign, value) = (sign.trim(), &written(mistake, value.trim()));
    if name.is_empty() || name.contains(['[', '(']) {
        return Some("elements are written by `a.set(0, 1.0)`, or `set!(a[0] = 1.0)`; several axes by `set!(a[0, 1] = 1.0)`".to_owned());
    }
    Some(if sign.is_empty() {
        format!(
            "elements are written by `set!({name}[{list}] = {value});`, or `{name}.set({inner}, {value});`"
        )
    } else {
        format!("elements are written by `set!({name}[{list}] = &{name}[{inner}] {sign} {value});`")
    })
}

/// A value for elements: what an array's own element is needs a copy, since the array is written.
fn written(mistake: &Mistake<'_>, value: &str) -> String {
    let is_array = |word: &str| mistake.scope.kind(word) == Kind::Array;
    let bare = value.trim_start_matches('&');
    let is_indexed = bare.split_once('[').is_some_and(|(on, rest)| {
        is_array(on) && closing(rest, '[', ']').is_some_and(|end| end + 1 == rest.len())
    });
    if is_indexed { format!("{bare}.copy()") } else { super::moves::lent(value, &is_array) }
}

/// `a[(1, 2)]`, `a[1.0]`
fn of_index(mistake: &Mistake<'_>) -> Option<String> {
    let of = mistake.quoted();
    let words = mistake.words().trim();
    let before = mistake.line().get(..mistake.column())?;
    let on = before.strip_suffix('[').map(|on| &on[receiver_start(on)..]).unwrap_or("a");
    if let Some(list) = words.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'))
        && of.starts_with('(')
    {
        let list = items(list);
        return Some(format!("several axes are indexed by `{on}[s![{list}]]`"));
    }
    if of.contains("Option<") && words == "None" {
        return Some(format!("a new first axis: `{on}.expand_dims(0)`"));
    }
    if of == "{float}" || of == "f64" || of == "f32" {
        let whole = words.trim_end_matches('0').trim_end_matches('.');
        return Some(if whole.parse::<i64>().is_ok() {
            format!("an index is an integer: `{on}[{whole}]`")
        } else {
            format!("an index is an integer: `{on}[{} as usize]`", operand(words))
        });
    }
    None
}

/// The items of one `s!`, with the axes that NumPy calls `None`, and without an `s!` of their own.
fn items(list: &str) -> String {
    let is_new = |item: &str| ["None", "newaxis", "np.newaxis"].contains(&item);
    let items = parts(list).into_iter().map(|item| match item.strip_prefix("s![") {
        _ if is_new(item) => "NewAxis",
        Some(inner) => inner.strip_suffix(']').unwrap_or(item),
        None => item,
    });
    items.collect::<Vec<_>>().join(", ")
}

/// `s![.., a.gt(1)]`, `s![gpu![0, 1]]`: what `s!` is made of is lent. `s![.., None]`
fn of_item(mistake: &Mistake<'_>) -> Option<String> {
    let said = &mistake.message.message;
    let is_new_axis = said.contains("Option<");
    (is_new_axis || said.contains("From<GpuArray<")).then_some(())?;
    let line = mistake.line();
    let inner = line.split_once("s![").map(|(_, inner)| inner).or_else(|| {
        let (_, call) = line.split_once("set!(")?;
        Some(call.split_once('[')?.1)
    })?;
    let inner = &inner[..closing(inner, '[', ']')?];
    if is_new_axis {
        let list = items(inner);
        return (list != inner).then(|| format!("a new axis is `NewAxis`: `s![{list}]`"));
    }
    let lent = |item: &&str| {
        let is_array = item.starts_with("gpu!") || item.ends_with(')') && !item.starts_with(['&', '(']);
        if is_array { format!("&{item}") } else { (*item).to_owned() }
    };
    let items: Vec<String> = parts(inner).iter().map(lent).collect();
    Some(format!("arrays between the brackets are lent: `[{}]`", items.join(", ")))
}

/// Elements that a mask chooses: `a[&mask]`, `a[&mask] = 0.0`.
pub(super) fn masked(mistake: &Mistake<'_>, on: &str, mask: &str) -> String {
    let after = mistake.text.get(mistake.range.end..).unwrap_or_default().lines().next().unwrap_or_default();
    let after = after.split_once(']').map_or("", |(_, rest)| rest).trim().trim_end_matches(';').trim_end();
    if let Some(value) = after.strip_prefix('=').filter(|value| !value.starts_with('=')) {
        let value = &value[..end_of_expression(value, |_, _| false)];
        return format!("elements selected by a mask are written by `{on}.set(&{mask}, {});`", value.trim());
    }
    format!(
        "elements selected by a mask are `{on}[&{mask}]`; `where_(&mask, &{on}, 0.0)` replaces the others"
    )
}

/// `v[k]` of a vector by what is not a `usize`.
fn of_slice(mistake: &Mistake<'_>) -> Option<String> {
    let words = mistake.words().trim();
    let before = mistake.line().get(..mistake.column())?;
    let on = before.strip_suffix('[').map(|on| &on[receiver_start(on)..])?;
    if let Some(from_end) = words.strip_prefix('-') {
        return Some(format!("from the end: `{on}[{on}.len() - {from_end}]`"));
    }
    mistake
        .message
        .message
        .contains("by `i")
        .then(|| format!("an index is a `usize`: `{on}[{} as usize]`", operand(words)))
}

/// `let y = a[1];`, `a[0] + 1.0`
fn of_moved(mistake: &Mistake<'_>) -> Option<String> {
    let words = mistake.words().trim();
    let end = mistake.range.end;
    let after = mistake.text.get(end..)?.lines().next().unwrap_or_default().trim_start();
    let before = mistake.line().get(..mistake.column())?.trim_end();
    // `b[0] = b[1]`: the assignment itself has to be written otherwise.
    if before.ends_with('=')
        && !before.contains("let ")
        && !before.contains("set!(")
        && let Some(form) = of_assignment(mistake)
    {
        return Some(form);
    }
    let (on, index) = words.split_once('[').and_then(|(on, rest)| Some((on, rest.strip_suffix(']')?)))?;
    if index.contains("][") {
        return None;
    }
    let number = match is_single(mistake, index) {
        true => format!(", or `{words}.item()` for the number"),
        false => String::new(),
    };
    let sign = ["+", "-", "*", "/", "%"].into_iter().find(|sign| after.starts_with(sign));
    if let Some(sign) = sign {
        let rest = super::operators::right_side(after[sign.len()..].trim_start());
        let is_array = |word: &str| mistake.scope.kind(word) == Kind::Array;
        let whole = super::moves::lent(&format!("{words} {sign} {rest}"), &is_array);
        let whole = if whole.starts_with(words) { format!("&{whole}") } else { whole };
        return Some(format!(
            "`{words}` is {} that the array keeps: write `{whole}`{number}",
            kept(mistake, index)
        ));
    }
    let is_operand = before.ends_with(['+', '-', '*', '/', '%']);
    let own = match (is_operand, is_mask(mistake, index)) {
        (true, _) => format!("`&{words}` as an operand"),
        (false, true) => format!("`{words}.copy()` for an array of your own"),
        (false, false) if before.ends_with('=') => {
            format!("`{on}.slice({index})` for a view of your own, `{words}.copy()` for a copy")
        }
        (false, false) => format!("`&{words}` here, `{on}.slice({index})` for a view of your own"),
    };
    Some(format!("`{words}` is {} that the array keeps: write {own}{number}", kept(mistake, index)))
}

/// What an index gives.
fn kept(mistake: &Mistake<'_>, index: &str) -> &'static str {
    if is_mask(mistake, index) { "a copy of elements" } else { "a view" }
}

/// Whether an index may choose one element.
fn is_single(mistake: &Mistake<'_>, index: &str) -> bool {
    let list = index.strip_prefix("s![").and_then(|rest| rest.strip_suffix(']')).unwrap_or(index);
    !is_mask(mistake, index) && !["..", ";", "NewAxis", "&"].iter().any(|part| list.contains(part))
}

/// Whether an index is an array: of what it chooses there is a copy.
fn is_mask(mistake: &Mistake<'_>, index: &str) -> bool {
    let comparisons = [".gt(", ".ge(", ".lt(", ".le(", ".eq(", ".ne("];
    index.starts_with('&')
        || mistake.scope.kind(index) == Kind::Array
        || !index.starts_with("s![") && comparisons.iter().any(|name| index.contains(name))
}

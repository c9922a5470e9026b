//! Elements that are written, moved or indexed by what is not an index.

use super::Mistake;
use super::place::{closing, operand, parts, receiver_start};

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
    let rest = line[open + inner.len() + 2..].split(';').next()?.trim();
    let list = inner.strip_prefix("s![").and_then(|rest| rest.strip_suffix(']')).unwrap_or(inner);
    let (sign, value) = rest.split_once('=')?;
    let (sign, value) = (sign.trim(), value.trim());
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

/// `a[(1, 2)]`, `a[1.0]`
fn of_index(mistake: &Mistake<'_>) -> Option<String> {
    let of = mistake.quoted();
    let words = mistake.words().trim();
    let before = mistake.line().get(..mistake.column())?;
    let on = before.strip_suffix('[').map(|on| &on[receiver_start(on)..]).unwrap_or("a");
    if let Some(list) = words.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'))
        && of.starts_with('(')
    {
        return Some(format!("several axes are indexed by `{on}[s![{list}]]`"));
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

/// `s![.., a.gt(1)]`, `s![gpu![0, 1]]`: what `s!` is made of is lent.
fn of_item(mistake: &Mistake<'_>) -> Option<String> {
    mistake.message.message.contains("From<GpuArray<").then_some(())?;
    let line = mistake.line();
    let inner = line.split_once("s![").map(|(_, inner)| inner).or_else(|| {
        let (_, call) = line.split_once("set!(")?;
        Some(call.split_once('[')?.1)
    })?;
    let inner = &inner[..closing(inner, '[', ']')?];
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
    let sign = ["+", "-", "*", "/", "%"].into_iter().find(|sign| after.starts_with(sign));
    if let Some(sign) = sign {
        let rest = super::operators::right_side(after[sign.len()..].trim_start());
        return Some(format!(
            "`{words}` is a view that the array keeps: write `&{words} {sign} {rest}`, or `{words}.item()` for the number"
        ));
    }
    let index = words.split_once('[').and_then(|(on, rest)| Some((on, rest.strip_suffix(']')?)));
    let view = index.map_or("a.slice(1)".to_owned(), |(on, index)| format!("{on}.slice({index})"));
    let lent = if before.ends_with(['+', '-', '*', '/', '%']) { "as an operand" } else { "here" };
    Some(format!(
        "`{words}` is a view that the array keeps: write `&{words}` {lent}, `{view}` for a view of your own, or `{words}.item()` for the number"
    ))
}

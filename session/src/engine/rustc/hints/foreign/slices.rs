//! Python's slices: `m[0, 1]`, `a[:, 0]`, `a[::2]`, and assignments to them.

use super::super::place::{closing, parts, receiver_start};
use super::Found;

/// A line with an index that Rust cannot read.
pub(super) fn line(line: &str) -> Option<Found> {
    for (open, _) in line.match_indices('[') {
        let name_start = receiver_start(&line[..open]);
        let name = &line[name_start..open];
        if name.is_empty() || name.ends_with(['!', '.', ':']) {
            continue;
        }
        let inner = &line[open + 1..open + 1 + closing(&line[open + 1..], '[', ']')?];
        let Some(index) = rust_index(inner) else { continue };
        let end = open + inner.len() + 2;
        let part = &line[name_start..end];
        // `gpu[1, 2]` lacks its sign.
        if ["gpu", "vec", "array", "s"].contains(&name) {
            let macro_name = if name == "array" { "gpu" } else { name };
            return Some(Found::new(
                line,
                part,
                format!("a macro is called with `!`: `{macro_name}![{inner}]`"),
            ));
        }
        return Some(Found::new(line, part, advice(line, name, &index, name_start, end)));
    }
    None
}

/// What is written for an index, wherever it stands in a line.
fn advice(line: &str, name: &str, index: &Index, start: usize, end: usize) -> String {
    let rest = line[end..].trim().trim_end_matches(';').trim_end();
    let (whole, list) = (index.as_range(), &index.list);
    for sign in ["+=", "-=", "*=", "/=", "%="] {
        if let Some(value) = rest.strip_prefix(sign) {
            let sign = &sign[..1];
            return format!(
                "elements are written by `set!({name}[{list}] = &{name}[{whole}] {sign} {});`",
                value.trim()
            );
        }
    }
    if let Some(value) = rest.strip_prefix('=').filter(|value| !value.starts_with('=')) {
        return format!("elements are written by `set!({name}[{list}] = {});`", value.trim());
    }
    let is_whole_line = line[..start].trim().is_empty() && rest.is_empty();
    let is_lent = line[..start].trim_end().ends_with('&') || rest.starts_with('.');
    let lend = if is_whole_line || is_lent { "" } else { "&" };
    // What a reader of Matplotlib's calls several axes.
    if ["ax", "axs", "axes"].contains(&name) {
        return format!("write `{name}[({list})]`");
    }
    format!("write `{lend}{name}[{whole}]`")
}

/// An index as it is written here.
pub(in super::super) struct Index {
    /// What stands within `s![..]`.
    pub(in super::super) list: String,
    needs_list: bool,
}

impl Index {
    fn as_range(&self) -> String {
        if self.needs_list { format!("s![{}]", self.list) } else { self.list.clone() }
    }
}

/// An index of Python's; none if it is one of Rust's.
fn rust_index(inner: &str) -> Option<Index> {
    let parts = parts(inner);
    let is_foreign = parts.len() > 1 || parts.iter().any(|part| colons(part).len() > 1 || *part == ":");
    if !is_foreign || parts.is_empty() {
        return None;
    }
    let mut items = Vec::new();
    let mut needs_list = parts.len() > 1;
    for part in parts {
        let ends = colons(part);
        items.push(match ends[..] {
            ["None" | "np.newaxis" | "newaxis" | "numpy.newaxis"] => "NewAxis".to_owned(),
            [only] => only.to_owned(),
            [start, end] => format!("{start}..{end}"),
            [start, end, ""] => format!("{start}..{end}"),
            [start, end, step] => {
                needs_list = true;
                format!("{start}..{end}; {step}")
            }
            _ => return None,
        });
    }
    Some(Index { list: items.join(", "), needs_list })
}

/// The parts between colons that are no part of a path.
fn colons(part: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let (mut ends, mut start) = (Vec::new(), 0);
    for (at, _) in part.match_indices(':') {
        let (before, after) = (&part[..at], &part[at + 1..]);
        // `f64::MAX`: a name, two colons, a name that is not a number.
        let is_path = (after.starts_with(':') && before.ends_with(is_name) && starts_path(&after[1..]))
            || (before.ends_with(':') && before[..at - 1].ends_with(is_name) && starts_path(after));
        if !is_path {
            ends.push(part[start..at].trim());
            start = at + 1;
        }
    }
    ends.push(part[start..].trim());
    ends
}

fn starts_path(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_of_python_become_slices() {
        for (text, help) in [
            ("m[0, 1]", "write `m[s![0, 1]]`"),
            ("a[::2]", "write `a[s![..; 2]]`"),
            ("a[1:3]", "write `a[1..3]`"),
            ("a[:]", "write `a[..]`"),
            ("a[-2:]", "write `a[-2..]`"),
            ("a[n-k:n+k]", "write `a[n-k..n+k]`"),
            ("m[..., 0]", "write `m[s![..., 0]]`"),
            ("a[None, :]", "write `a[s![NewAxis, ..]]`"),
            ("let y = 2.0 * m[:, 0];", "write `&m[s![.., 0]]`"),
            ("m[:, 0].sum()", "write `m[s![.., 0]]`"),
            ("a[:] = 0", "elements are written by `set!(a[..] = 0);`"),
            ("m[:, 0] += 1.0;", "elements are written by `set!(m[.., 0] = &m[s![.., 0]] + 1.0);`"),
            ("gpu[1, 2]", "a macro is called with `!`: `gpu![1, 2]`"),
        ] {
            assert_eq!(line(text).map(|found| found.help).as_deref(), Some(help), "{text}");
        }
        for text in
            ["a[1]", "v[i + 1]", "[1, 2]", "gpu![1, 2]", "a[1..3]", "x[f64::MAX as usize]", "a[s![.., 1]]"]
        {
            assert!(line(text).is_none(), "{text}");
        }
    }
}

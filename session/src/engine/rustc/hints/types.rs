//! Values of another type than a place wants.

use super::Mistake;
use super::numpy;
use super::place::{Call, Kind, closing, operand, parts};

/// Advice about a type.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    let all = mistake.all();
    match mistake.message.code() {
        "E0308" => of_mismatch(mistake, &all),
        "E0277"
            if mistake
                .message
                .message
                .starts_with("the `?` operator can only be applied to values that implement")
                && !mistake.message.message.contains("async") =>
        {
            let value = mistake.words().trim().trim_end_matches('?');
            Some(format!("this is no `Result`, and has no `?`: `{value}`"))
        }
        "E0277" if mistake.message.message.contains("is not an iterator") && all.contains("GpuArray") => {
            let array = operand(mistake.words().trim());
            let name = array.trim_start_matches('&');
            Some(format!(
                "elements are on the device: `{array}.to_vec()` copies them to the host; `&{name}` has the rows, as views"
            ))
        }
        "E0277" if mistake.message.message.contains("ArrayBase") && all.contains("GpuArray") => Some(
            "an array of the host and one of the device do not mix: `to_gpu(&host)`, or `device.get()`"
                .to_owned(),
        ),
        "E0277"
            if mistake.message.message.starts_with("`usize` cannot be an array's element")
                || mistake.message.message.starts_with("`isize` cannot be an array's element") =>
        {
            of_size(mistake)
        }
        "E0277"
            if mistake.message.message.contains("cannot be an array's element") && all.contains("&str") =>
        {
            let inner = mistake
                .words()
                .split_once('[')
                .and_then(|(_, rest)| rest.strip_suffix(']'))
                .unwrap_or("\"a\"");
            Some(format!("an array holds numbers; strings go into a `Vec`: `vec![{inner}]`"))
        }
        "E0605" | "E0606" if all.contains("GpuArray") => {
            Some("elements are converted by `a.astype(f64)`".to_owned())
        }
        "E0605" | "E0606" if mistake.words().contains(" as ") => of_cast(mistake),
        _ => None,
    }
}

pub(super) fn is_number(text: &str) -> bool {
    [
        "f16", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64", "u128", "usize",
        "isize", "bool",
    ]
    .contains(&text)
}

fn of_mismatch(mistake: &Mistake<'_>, all: &str) -> Option<String> {
    if let Some(found) = elements(mistake).or_else(|| rows(mistake)).or_else(|| not_lent(mistake, all)) {
        return Some(found);
    }
    if all.contains("TypeOf<") {
        return of_dtype(mistake);
    }
    if let Some(form) = of_vector(mistake, all) {
        return Some(form);
    }
    if !all.contains("GpuArray") && !all.contains("`&[usize]`") {
        return None;
    }
    if all.contains("`&[usize]`") && all.contains("found `(") {
        let line = mistake.line();
        let (names, on) = line.split_once('(').and_then(|(_, rest)| rest.split_once(')'))?;
        let on = on.split_once('=')?.1.trim().trim_end_matches(';');
        return Some(shape_pattern(names, on));
    }
    let (expected, found) = mistake.labels().find_map(expected_and_found)?;
    let is_lent = |text: &str| text.starts_with("&GpuArray<");
    let words = mistake.words().trim();
    if expected.starts_with("GpuArray<") && is_plain(found) {
        return super::indexing::of_assignment(mistake);
    }
    if (expected.starts_with("GpuArray<") || is_lent(expected)) && found.contains("ArrayBase") {
        return Some("`to_gpu(&array)` copies an array of the host to the device".to_owned());
    }
    // `describe(&v)`
    let is_host = ["Vec<", "&Vec<", "[", "&["].iter().any(|start| found.starts_with(start));
    if is_lent(expected) && is_host {
        return of_host(mistake, words);
    }
    // `maximum(0, &a)`
    if is_lent(expected) && is_plain(found) {
        return of_first_number(mistake);
    }
    if expected == "bool" {
        return Some(of_truth(mistake, words));
    }
    if is_number(expected) && found.contains("GpuArray<") {
        return Some(format!("`.item()` reads the only element of an array: `{}.item()`", operand(words)));
    }
    if expected.contains("GpuArray<")
        && found.contains("GpuArray<")
        && expected.starts_with('&') == found.starts_with('&')
    {
        let of = expected.split_once("GpuArray<")?.1.trim_end_matches('>');
        if of == "_" || expected.contains("mut") != found.contains("mut") {
            return None;
        }
        if words.starts_with("gpu!") {
            let inner = words.split_once('[')?.1.strip_suffix(']')?;
            return Some(format!("the type of literals is named first: `gpu![{of}; {inner}]`"));
        }
        let lend = if is_lent(found) { "&" } else { "" };
        return Some(format!(
            "arrays of another type are converted by `.astype({of})`: `{lend}{}.astype({of})`",
            operand(words)
        ));
    }
    None
}

/// A vector where an array is wanted.
fn of_host(mistake: &Mistake<'_>, words: &str) -> Option<String> {
    let bare = words.trim_start_matches('&').trim();
    let list = bare.strip_prefix("vec!").unwrap_or(bare);
    let array = match list.starts_with('[') {
        true => format!("&gpu!{list}"),
        false => format!("&to_gpu(&{})", operand(bare)),
    };
    // The one argument of a call.
    let before = mistake.line().get(..mistake.column())?.trim_end();
    let is_only =
        mistake.text.get(mistake.range.end..).is_some_and(|rest| rest.trim_start().starts_with(')'));
    let on = before.strip_suffix('(').map(|on| &on[super::place::receiver_start(on)..]);
    let code = match on.filter(|on| is_only && !on.is_empty()) {
        Some(on) => format!("{on}({array})"),
        None => array,
    };
    Some(format!("an array is wanted, and host data is copied to the device: `{code}`"))
}

/// `let (r, c) = m.shape();`
pub(super) fn shape_pattern(names: &str, shape: &str) -> String {
    let values: Vec<String> = (0..parts(names).len()).map(|axis| format!("{shape}[{axis}]")).collect();
    format!("a shape is a slice: `let ({names}) = ({});`", values.join(", "))
}

/// `gpu![1, 2.5]`
fn elements(mistake: &Mistake<'_>) -> Option<String> {
    let label = mistake.labels().find(|label| {
        label.starts_with("expected integer, found floating")
            || label.starts_with("expected floating-point number, found integer")
    })?;
    let _ = label;
    let line = mistake.line();
    let start = line.get(..mistake.column())?.rfind("gpu![")? + 4;
    let inner = &line[start + 1..start + 1 + closing(&line[start + 1..], '[', ']')?];
    let float = |text: &str| if text.parse::<i64>().is_ok() { format!("{text}.0") } else { text.to_owned() };
    let list: Vec<String> = parts(inner)
        .into_iter()
        .map(|part| match part.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(row) => format!("[{}]", parts(row).into_iter().map(float).collect::<Vec<_>>().join(", ")),
            None => float(part),
        })
        .collect();
    Some(format!(
        "all elements have one type: `gpu![{}]`; if the type is named, they may mix: `gpu![f64; {inner}]`",
        list.join(", ")
    ))
}

/// `gpu![[1, 2], [3]]`
fn rows(mistake: &Mistake<'_>) -> Option<String> {
    mistake.labels().find(|label| label.starts_with("expected an array with a size of"))?;
    let line = mistake.line();
    let start = line.get(..mistake.column())?.rfind("gpu![")? + 4;
    let inner = &line[start + 1..start + 1 + closing(&line[start + 1..], '[', ']')?];
    let rows: Vec<Vec<&str>> = parts(inner)
        .into_iter()
        .filter_map(|part| Some(parts(part.strip_prefix('[')?.strip_suffix(']')?)))
        .collect();
    let longest = rows.iter().map(Vec::len).max()?;
    let filled: Vec<String> = rows
        .iter()
        .map(|row| {
            let missing = longest - row.len();
            let zero = if inner.contains('.') { "0.0" } else { "0" };
            let all: Vec<&str> = row.iter().copied().chain(std::iter::repeat_n(zero, missing)).collect();
            format!("[{}]", all.join(", "))
        })
        .collect();
    Some(format!("rows must have the same length; padded with zeros: `gpu![{}]`", filled.join(", ")))
}

/// `where_(p, a, b)`: arrays that are not lent.
fn not_lent(mistake: &Mistake<'_>, all: &str) -> Option<String> {
    let is_missing = |line: &str| {
        line.strip_prefix("expected `&GpuArray<").is_some_and(|rest| rest.contains("found `GpuArray<"))
    };
    if !all.lines().any(is_missing) {
        return None;
    }
    // The compiler points at the argument, or at the function.
    let before = mistake.line().get(..mistake.column())?;
    let is_function = mistake.text.get(mistake.range.end..)?.starts_with('(');
    let open = match before.rfind('(') {
        _ if is_function => mistake.range.end - mistake.line_start(),
        Some(open) => open,
        None => mistake.line().find('(')?,
    };
    let call = Call::at(mistake.text, mistake.line_start() + open.checked_sub(1)?)?;
    if call.on.is_some() || call.arguments.as_ref()?.len() < 2 {
        return None;
    }
    let is_marked = |text: &str| is_marked_array(mistake, text);
    let lent = |text: &&str| match mistake.scope.kind(text) {
        kind if (kind == Kind::Array || is_marked(text)) && !text.starts_with('&') => {
            format!("&{}", operand(text))
        }
        _ => (*text).to_owned(),
    };
    // An operand of which nothing is known is rustc's to lend.
    let is_clear =
        |text: &&str| text.starts_with('&') || mistake.scope.kind(text) != Kind::Unknown || is_marked(text);
    if !call.positional().iter().all(is_clear) {
        return None;
    }
    let path =
        mistake.text[..call.range.start].rsplit(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    let path = path.into_iter().next().filter(|path| path.ends_with("::")).unwrap_or_default();
    let arguments: Vec<String> = call.positional().iter().map(lent).collect();
    Some(format!("arrays are passed by reference: `{path}{}({})`", call.name, arguments.join(", ")))
}

/// Whether the compiler points at a text as an array that is not lent.
fn is_marked_array(mistake: &Mistake<'_>, text: &str) -> bool {
    mistake.marks.iter().any(|mark| {
        mistake.text.get(mark.range.clone()) == Some(text)
            && mark.text.contains("expected `&GpuArray<")
            && mark.text.contains("found `GpuArray<")
    })
}

/// `a.astype("float32")`
fn of_dtype(mistake: &Mistake<'_>) -> Option<String> {
    let words = mistake.words().trim();
    let name = match words.trim_matches(['"', '\'']) {
        "f" | "f4" => "f32",
        "d" | "f8" => "f64",
        "i" | "i4" => "i32",
        "l" | "i8" => "i64",
        "?" => "bool",
        text => numpy::element_type(text).unwrap_or("f32"),
    };
    let before = mistake.line().get(..mistake.column())?;
    let on = before
        .strip_suffix(".astype(")
        .map(|text| &text[super::place::receiver_start(text)..])
        .unwrap_or("a");
    Some(format!("the type is a name, not a string: `{on}.astype({name})`"))
}

/// `v.append(4)`
fn of_vector(mistake: &Mistake<'_>, all: &str) -> Option<String> {
    if !all.contains("&mut Vec<") {
        return None;
    }
    let before = mistake.line().get(..mistake.column())?;
    let on = before.strip_suffix(".append(")?;
    let on = &on[super::place::receiver_start(on)..];
    Some(format!("one element is added by `{on}.push({})`", mistake.words()))
}

/// `maximum(0, &a)`, `where_(..)` and others whose first is an array.
fn of_first_number(mistake: &Mistake<'_>) -> Option<String> {
    let before = mistake.line().get(..mistake.column())?;
    let name_end = before.trim_end().strip_suffix('(')?.len();
    let call = Call::at(mistake.text, mistake.line_start() + name_end - 1)?;
    let positional = call.positional();
    match (call.name, &positional[..]) {
        ("maximum" | "minimum" | "allclose" | "array_equal", [number, array]) => {
            let array = if array.starts_with('&') { (*array).to_owned() } else { format!("&{array}") };
            Some(format!("put the array first: `{}({array}, {number})`", call.name))
        }
        ("clip", [number, array, high]) => {
            Some(format!("put the array first: `clip({array}, {number}, {high})`"))
        }
        _ => None,
    }
}

/// An array where one `bool` is wanted.
fn of_truth(mistake: &Mistake<'_>, words: &str) -> String {
    let line = mistake.line();
    for (sign, one) in [("&&", "&"), ("||", "|")] {
        if let Some((left, right)) = line.trim().trim_end_matches(';').split_once(sign)
            && mistake.scope.kind(left.trim()) == Kind::Array
            && !left.contains("if ")
        {
            // What one number is left of, beside a `bool`.
            let is_reduced = |text: &str| [".any()", ".all()"].iter().any(|end| text.trim().ends_with(end));
            if is_reduced(left) || is_reduced(right) {
                let one = |text: &str| match is_reduced(text) {
                    true => format!("{}.item()", text.trim()),
                    false => text.trim().to_owned(),
                };
                return format!("`.item()` reads the only element: `{} {sign} {}`", one(left), one(right));
            }
            if mistake.scope.is_of_fractions(left) || mistake.scope.is_of_fractions(right) {
                let word = if one == "&" { "and" } else { "or" };
                let (left, right) = (operand(left.trim()), operand(right.trim()));
                return format!("elementwise: `{left}.logical_{word}(&{right})`");
            }
            let lent = |text: &str| {
                let text = text.trim();
                if text.starts_with('&') { text.to_owned() } else { format!("&{}", operand(text)) }
            };
            return format!("elementwise: `{} {one} {}`", lent(left), lent(right));
        }
    }
    let array = operand(asserted(words));
    // `all` and `any` give arrays of one element.
    if [".any()", ".all()"].iter().any(|end| array.ends_with(end)) {
        return format!("`.item()` reads the only element: `{array}.item()`");
    }
    format!(
        "an array has an answer for each element; `{array}.any().item()` or `{array}.all().item()` makes one of them"
    )
}

/// The condition of `assert!(x.eq(&x))`, or the text itself.
fn asserted(words: &str) -> &str {
    let inner = ["assert!(", "debug_assert!("].iter().find_map(|start| words.strip_prefix(start));
    inner
        .and_then(|inner| inner.get(..closing(inner, '(', ')')?))
        .and_then(|inner| parts(inner).first().copied())
        .unwrap_or(words)
}

/// `arange(0..n)` with a `usize`.
fn of_size(mistake: &Mistake<'_>) -> Option<String> {
    let words = mistake.words().trim();
    if let Some((start, end)) = words.split_once("..") {
        let as_number = |text: &str| {
            if text.trim().parse::<i64>().is_ok() {
                text.to_owned()
            } else {
                format!("{} as i64", operand(text))
            }
        };
        return Some(format!(
            "`usize` is not an element type: `arange({}..{})`",
            as_number(start),
            as_number(end)
        ));
    }
    Some("`usize` is not an element type: write `n as i64`".to_owned())
}

/// `"5" as i32`
fn of_cast(mistake: &Mistake<'_>) -> Option<String> {
    let (value, of) = mistake.words().split_once(" as ")?;
    (mistake.scope.kind(value) == Kind::Text)
        .then(|| format!("a string is parsed by `{}.parse::<{}>()?`", operand(value), of.trim()))
}

/// What a number or a literal is called in messages.
fn is_plain(found: &str) -> bool {
    found == "integer" || found == "floating-point number" || is_number(found)
}

/// The types in "expected `A`, found `B`", "expected `A`, found integer".
fn expected_and_found(label: &str) -> Option<(&str, &str)> {
    let (expected, found) = label.strip_prefix("expected `")?.split_once("`, found ")?;
    Some((expected, found.trim_start_matches('`').split('`').next()?))
}

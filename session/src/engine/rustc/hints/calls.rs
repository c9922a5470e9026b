//! Calls with other arguments than a function takes, and calls of what is no
//! function.

use super::Mistake;
use super::numpy;
use super::place::{Call, Kind, operand};

/// Functions whose argument is a shape.
const SHAPED: &[&str] = &["zeros", "ones", "empty", "rand", "randn", "eye"];

/// Advice about a call.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    match mistake.message.code() {
        "E0061" => of_count(mistake),
        "E0618" => of_called(mistake),
        "E0283" | "E0282" | "E0790" => of_open_type(mistake),
        "E0271" if mistake.all().contains("Elem>::Quotient") => {
            let call = Call::at(mistake.text, mistake.range.start)?;
            let form = numpy::ranged("linspace", &call.positional());
            Some(format!("`linspace` makes floating-point numbers: write {form}"))
        }
        "E0277"
            if mistake.message.message.contains("cannot be passed to a kernel")
                && mistake.quoted().starts_with("GpuArray<") =>
        {
            let array = operand(mistake.words().trim());
            Some(format!(
                "arrays are passed to a kernel by reference: `&mut {array}` to write, `&{array}` to read"
            ))
        }
        "E0277" if mistake.message.message.contains("is not a range of numbers") => {
            let word = mistake.line()[..mistake.column()].rfind("arange")?;
            let call = Call::at(mistake.text, mistake.line_start() + word)?;
            range(&call.positional())
        }
        _ => None,
    }
}

/// What has a form with `_axis`.
const ALONG_AXES: &[&str] = &[
    "sum",
    "prod",
    "mean",
    "max",
    "min",
    "any",
    "all",
    "cumsum",
    "argmax",
    "argmin",
    "std",
    "var",
    "sort",
    "argsort",
    "count_nonzero",
    "ptp",
    "norm",
    "nansum",
    "nanprod",
    "nanmax",
    "nanmin",
    "nanmean",
    "nanvar",
    "nanstd",
    "nanargmax",
    "nanargmin",
    "cumprod",
    "nancumsum",
    "nancumprod",
    "diff",
];

/// A reduction or a running sum with NumPy's keywords, or with the axis as an
/// argument.
pub(super) fn with_keywords(call: &Call<'_>, on: &str, axis: Option<&str>) -> Option<String> {
    let (on, name) = (operand(on), call.name);
    if let (Some(ddof), "std" | "var" | "nanstd" | "nanvar") = (call.keyword("ddof"), name) {
        return Some(match axis {
            Some(axis) => format!("along an axis: `{on}.{name}_axis_ddof({axis}, {ddof})`"),
            None => format!("with another divisor: `{on}.{name}_ddof({ddof})`"),
        });
    }
    if let (Some(n), "diff") = (call.keyword("n"), name) {
        let axis = axis.unwrap_or("-1");
        return Some(format!("several times: `{on}.diff_axis_n({axis}, {n})`"));
    }
    let axis = axis?;
    let method = match name {
        "average" => "mean",
        "amax" => "max",
        "amin" => "min",
        _ if ALONG_AXES.contains(&name) => name,
        _ => return None,
    };
    Some(along(call, &on, method, axis))
}

/// A method along an axis, in as many axes as the call asks for.
pub(super) fn along(call: &Call<'_>, on: &str, method: &str, axis: &str) -> String {
    let kept = match call.keyword("keepdims") {
        Some("True" | "true") => format!(".expand_dims({axis})"),
        _ => String::new(),
    };
    format!("along an axis: `{on}.{method}_axis({axis}){kept}`")
}

/// Too many arguments, or too few.
fn of_count(mistake: &Mistake<'_>) -> Option<String> {
    // The compiler points at the name, or at all of `Context::synchronize`.
    let words = mistake.words();
    let name_end = words.split(['(', '<']).next().unwrap_or(words).trim_end_matches(':');
    let at = mistake.range.start + name_end.rfind([':', '.']).map_or(0, |at| at + 1);
    let call = Call::at(mistake.text, at)?;
    let (positional, name) = (call.positional(), call.name);
    let arguments = call.arguments.as_ref()?;
    if let Some(on) = call.on {
        return of_method(mistake, &call, on, &positional);
    }
    if SHAPED.contains(&name) {
        let is_type = |text: &&&str| numpy::element_type(text).is_some() || super::types::is_number(text);
        let named = call.keyword("dtype").or_else(|| positional.iter().find(is_type).copied());
        let written =
            mistake.text[call.range.clone()].split_once("::<").and_then(|(_, rest)| rest.split_once('>'));
        let of = written.map(|(of, _)| of).or_else(|| named.map(|of| numpy::element_type(of).unwrap_or(of)));
        let lengths: Vec<&str> = positional.iter().filter(|text| !is_type(text)).copied().collect();
        let shape = match lengths[..] {
            [] => "(3, 4)".to_owned(),
            [only] => only.to_owned(),
            _ => format!("({})", lengths.join(", ")),
        };
        return Some(format!(
            "a shape of several axes is a tuple: `{name}::<{}>({shape})`",
            of.unwrap_or("f32")
        ));
    }
    // `bool(1)`
    if let ("bool", [value]) = (name, &positional[..]) {
        let asked = match mistake.scope.number(value).as_deref() {
            Some(of) if of.starts_with('{') => {
                Some(format!("{value} != {}", if of == "{float}" { "0.0" } else { "0" }))
            }
            _ => super::foreign::conditions(mistake.scope, value),
        };
        let asked = asked.unwrap_or_else(|| "1 != 0".to_owned());
        let is_first = mistake.line()[..mistake.column()].trim().is_empty() && asked.starts_with('!');
        let asked = if is_first { format!("({asked})") } else { asked };
        return Some(format!("a truth value is asked for: `{asked}`"));
    }
    // `f32(5)`
    if let [value] = positional[..]
        && (super::types::is_number(name) || name.starts_with("Complex"))
    {
        return Some(format!("a number is converted by `{} as {name}`", operand(value)));
    }
    if let Some(form) = joined(mistake, name, &positional) {
        return Some(form);
    }
    if ["concatenate", "stack"].contains(&name)
        && let Some(axis) = call.keyword("axis").or_else(|| positional.get(1).copied())
    {
        let form = numpy::form(mistake.scope, name, &positional[..1])?;
        return Some(format!(
            "along an axis: {}, {axis})`",
            form.replacen(name, &format!("{name}_axis"), 1).trim_end_matches(")`")
        ));
    }
    match name {
        "arange" => range(&positional),
        "linspace" => {
            Some(format!("it also takes the number of elements: {}", numpy::ranged(name, &positional)))
        }
        "full" => Some(match positional[..] {
            [shape] => format!("it also takes the value: `full({shape}, 0.0)`"),
            [shape, value, ..] => format!("the value says the type: `full({shape}, {value})`"),
            [] => "it takes a shape and a value: `full((2, 2), 1.5)`".to_owned(),
        }),
        "to_gpu" => Some(
            "an array of several elements is one argument: `to_gpu(&[1.0, 2.0])`, or `gpu![1.0, 2.0]`"
                .to_owned(),
        ),
        "where_" | "clip" | "maximum" | "minimum" if arguments.len() < 3 => Some(match name {
            "where_" => "it takes a mask and two values: `where_(&mask, &a, 0.0)`".to_owned(),
            "clip" => "it takes both limits: `clip(&a, 0.0, 1.0)`".to_owned(),
            name => {
                format!("it takes two arrays: `{name}(&a, &b)`; of one array's elements `a.{}()`", &name[..3])
            }
        }),
        _ => None,
    }
}

/// `hstack(&x, &y)`, `concatenate(&x, &y, 1)`
fn joined(mistake: &Mistake<'_>, name: &str, positional: &[&str]) -> Option<String> {
    let is_array = |text: &&&str| text.starts_with('&') || mistake.scope.kind(text) == Kind::Array;
    let (last, others) = positional.split_last()?;
    let axis = (!is_array(&last)).then_some(*last);
    let arrays = if axis.is_some() { others } else { positional };
    if !super::moves::JOINING.contains(&name)
        || arrays.len() < 2
        || !arrays.iter().all(|text| is_array(&text))
    {
        return None;
    }
    let list: Vec<String> = arrays.iter().map(|array| format!("&{}", operand(array))).collect();
    let list = format!("({})", list.join(", "));
    match axis {
        None => Some(format!("the arrays are one argument: `{name}({list})`")),
        Some(axis) if matches!(name, "concatenate" | "stack") => {
            Some(format!("along an axis: `{name}_axis({list}, {axis})`"))
        }
        Some(_) => None,
    }
}

fn of_method(mistake: &Mistake<'_>, call: &Call<'_>, on: &str, positional: &[&str]) -> Option<String> {
    let is_array = || mistake.scope.kind(on) != Kind::Sequence;
    match (call.name, positional) {
        ("launch", _) => of_launch(call, on, positional),
        ("call", [_, _, ..]) => {
            Some(format!("arguments are one tuple: `{on}.call(({}))?`", positional.join(", ")))
        }
        ("unique", [_, ..]) => Some(format!(
            "with counts: `{on}.unique_counts()`; with places: `{on}.unique_index()`, `{on}.unique_inverse()`"
        )),
        (name, [axis, "true"])
            if name.strip_suffix("_axis").is_some_and(|name| ALONG_AXES.contains(&name)) =>
        {
            Some(format!("the axis is put back: `{on}.{name}({axis}).expand_dims({axis})`"))
        }
        ("norm", [only]) if call.keyword("axis").is_none() && *only == "2" => {
            Some(format!("the 2-norm is `{on}.norm()`"))
        }
        (name, _) if ALONG_AXES.contains(&name) => {
            let first = positional.first().copied();
            let is_axes = |text: &&str| text.parse::<i8>().is_ok() || text.starts_with(['(', '[']);
            let axis = call.keyword("axis").or_else(|| first.filter(is_axes));
            if let Some(form) = with_keywords(call, on, axis) {
                return Some(form);
            }
            let other = first?;
            let function = match call.name {
                "max" => "maximum",
                "min" => "minimum",
                _ => return None,
            };
            Some(numpy::filled(
                mistake.scope,
                "of two arrays, element by element: `{name}({&a}, {&b})`",
                function,
                &[on, other],
            ))
        }
        ("reshape" | "resize" | "tile", [_, _, ..]) => {
            let (name, list) = (call.name, positional.join(", "));
            Some(format!("a shape is one argument: `{on}.{name}(({list}))`"))
        }
        ("reshape", _) => Some(format!("it takes the shape: `{on}.reshape((2, 3))`, `{on}.reshape(-1)`")),
        ("get" | "item", [index, ..]) if is_array() => {
            let index = if positional.len() > 1 {
                format!("s![{}]", positional.join(", "))
            } else {
                (*index).to_owned()
            };
            Some(format!("one element is `{on}[{index}].item()`"))
        }
        ("norm", [_]) => Some(format!("the 2-norm is `{on}.norm()`")),
        ("copy" | "clone" | "ravel" | "squeeze", [_, ..]) => Some(format!("write `{on}.{}()`", call.name)),
        ("t", [_, ..]) => Some(format!("all axes are reversed: `{on}.t()`")),
        ("set", [value]) => {
            Some(format!("all elements are written by `{on}.fill({value})`, some by `{on}.set(0, {value})`"))
        }
        ("view", []) => Some(format!(
            "the same memory under another name is `{on}.clone()`, a part of it `{on}.slice(1..)`; `{on}.view(u32)` \
             reads its bytes as another type"
        )),
        ("astype", _) => {
            let text = &mistake.text[call.range.clone()];
            let of =
                text.split_once("::<").and_then(|(_, rest)| rest.split_once('>')).map_or("f32", |(of, _)| of);
            let of = numpy::element_type(of).unwrap_or(of);
            Some(format!("the type is an argument: `{on}.astype({of})`"))
        }
        _ => None,
    }
}

/// `f.launch(1, 4, &a, 4)`, `f.launch(grid=1, block=4, &a)`
fn of_launch(call: &Call<'_>, on: &str, positional: &[&str]) -> Option<String> {
    let (grid, block) = (call.keyword("grid"), call.keyword("block"));
    // `f.launch(8, (&mut a, 8))`
    if let ([shape @ .., arguments], None, None) = (positional, grid, block)
        && arguments.starts_with('(')
        && arguments.contains('&')
        && shape.len() < 2
    {
        let grid = shape.first().unwrap_or(&"1");
        return Some(format!(
            "a launch takes grid, block and one tuple of arguments: `{on}.launch({grid}, 32, {arguments})?` has blocks of 32 threads"
        ));
    }
    let given = usize::from(grid.is_none()) + usize::from(block.is_none());
    let (shape, rest) = positional.split_at(given.min(positional.len()));
    let mut shape = shape.iter().copied();
    let grid = grid.or_else(|| shape.next()).unwrap_or("1");
    let block = block.or_else(|| shape.next()).unwrap_or("32");
    let rest: Vec<&str> = rest.to_vec();
    let arguments = match &rest[..] {
        [] => "(&mut a, n)".to_owned(),
        [only] if only.starts_with('(') => (*only).to_owned(),
        [only] => format!("({only},)"),
        _ => format!("({})", rest.join(", ")),
    };
    Some(format!(
        "a launch takes grid, block and one tuple of arguments: `{on}.launch({grid}, {block}, {arguments})?`"
    ))
}

/// `f(a, b, block=(4, 4, 1))`, `f32(5)`, `a(0)`
fn of_called(mistake: &Mistake<'_>) -> Option<String> {
    let call = Call::at(mistake.text, mistake.range.start)?;
    let said = mistake.quoted();
    let arguments = call.positional();
    let lent = |text: &&str| match mistake.scope.kind(text) {
        Kind::Array if !text.starts_with('&') => format!("&mut {text}"),
        _ => (*text).to_owned(),
    };
    let tuple = |list: Vec<String>| match &list[..] {
        [only] => format!("({only},)"),
        _ => format!("({})", list.join(", ")),
    };
    let is = |of: &str| said.rsplit("::").next() == Some(of) || said == format!("&{of}");
    if is("Function") {
        let (grid, block) = (call.keyword("grid").unwrap_or("1"), call.keyword("block").unwrap_or("32"));
        let arguments = tuple(arguments.iter().map(lent).collect());
        return Some(format!(
            "a kernel is launched by `{}.launch({grid}, {block}, {arguments})?`",
            call.name
        ));
    }
    let of = said.split('<').next().unwrap_or(said);
    if of.ends_with("clusiveScanKernel") {
        let array = arguments.first().copied().unwrap_or("&x");
        let lent = if array.starts_with('&') { "" } else { "&" };
        return Some(format!("the running results of an array: `{}.call({lent}{array})?`", call.name));
    }
    if ["ElementwiseKernel", "ReductionKernel", "ScanKernel"].iter().any(|kernel| of.ends_with(kernel)) {
        let arguments = tuple(arguments.iter().map(lent).collect());
        return Some(format!(
            "its arguments are known when it runs: `{}.call({arguments})?`; `elementwise!`, `reduction!` and `scan!` make \
             kernels that are called as functions",
            call.name
        ));
    }
    if said.contains("TypeOf<") {
        let value = arguments.first().copied().unwrap_or("x");
        return Some(format!("a number is converted by `{} as {}`", operand(value), call.name));
    }
    if said.starts_with("GpuArray<") || said.contains("::GpuArray<") || said.starts_with("Vec<") {
        let index =
            if arguments.len() > 1 { format!("s![{}]", arguments.join(", ")) } else { arguments.join("") };
        return Some(format!("elements are indexed in brackets: `{}[{index}]`", call.name));
    }
    None
}

/// `zeros(3)`, of what?
fn of_open_type(mistake: &Mistake<'_>) -> Option<String> {
    let all = mistake.all();
    let name = ["zeros", "ones", "empty", "randn", "rand", "eye"].into_iter().find(|name| {
        crate::type_names::PRELUDE.iter().any(|of| all.contains(&format!("{of}::{name}`")))
            || all.contains(&format!("`{name}`"))
            || all.contains(&format!("array::{name}`"))
    });
    let call = Call::at(mistake.text, mistake.range.start).filter(|call| SHAPED.contains(&call.name));
    match (call, name) {
        (Some(call), _) => {
            let shape = call.arguments.unwrap_or_default().join(", ");
            Some(format!("name the type of the elements: `{}::<f32>({shape})`", call.name))
        }
        (None, Some(name)) => Some(format!("name the type of the elements: `{name}::<f32>(3)`")),
        (None, None) => None,
    }
}

/// How `arange` is given what it was given in another way.
fn range(positional: &[&str]) -> Option<String> {
    if let [range] = positional
        && let Some((start, end)) = range.split_once("..=")
    {
        let start = if start.trim().is_empty() { "0" } else { start.trim() };
        return Some(format!("a range without its end: `arange({start}..{} + 1)`", end.trim()));
    }
    if let Some(form) = stepped(positional) {
        return Some(format!("a step belongs to the range: {form}"));
    }
    let is_plain = !positional.iter().any(|argument| argument.contains(".."));
    is_plain.then(|| format!("a range is one argument: {}", numpy::ranged("arange", positional)))
}

/// `arange(0..10, 2)`, `arange((0..10).step_by(2))`
fn stepped(positional: &[&str]) -> Option<String> {
    let (range, step) = match positional {
        [range, step] => (*range, *step),
        [range] => range.strip_suffix(')')?.split_once(".step_by(")?,
        _ => return None,
    };
    let unwrapped = range.strip_prefix('(').and_then(|range| range.strip_suffix(')')).unwrap_or(range);
    let (start, end) = unwrapped.split_once("..")?;
    let start = if start.is_empty() { "0" } else { start };
    let is_type = super::types::is_number(step) || numpy::element_type(step).is_some();
    let is_plain = !is_type
        && !end.is_empty()
        && ![start, end, step].iter().any(|part| part.contains("..") || part.contains('='));
    is_plain.then(|| numpy::ranged("arange", &[start.trim(), end.trim(), step.trim()]))
}

//! Methods and fields that are not there, or are not called.

use super::Mistake;
use super::numpy;
use super::place::{Call, Kind, operand};

/// Advice about a method.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    match mistake.message.code() {
        "E0599" => of_method(mistake),
        "E0609" | "E0610" => of_field(mistake),
        "E0615" => {
            let call = Call::at(mistake.text, mistake.range.start)?;
            let on = call.on?;
            let line = mistake.line().trim();
            if call.name == "shape"
                && let Some(names) =
                    line.strip_prefix("let (").and_then(|rest| rest.split_once(')')).map(|(names, _)| names)
            {
                return Some(super::types::shape_pattern(names, &format!("{on}.shape()")));
            }
            let rest = mistake.text.get(call.range.end..)?;
            if let Some(form) = of_member(on, call.name, rest) {
                return Some(form);
            }
            let index =
                rest.strip_prefix('[').and_then(|rest| Some(&rest[..super::place::closing(rest, '[', ']')?]));
            let index = index.map_or(String::new(), |index| format!("[{index}]"));
            Some(format!("a method is called with parentheses: `{on}.{}(){index}`", call.name))
        }
        _ => None,
    }
}

/// `x.dtype.name`, `x.dtype == np.int32`, `a.shape = (2, 3)`
fn of_member(on: &str, name: &str, rest: &str) -> Option<String> {
    let rest = rest.lines().next().unwrap_or_default().trim().trim_end_matches(';').trim_end();
    if name == "dtype" {
        if let Some(member) = ["name", "itemsize", "kind"].iter().find(|member| {
            rest.strip_prefix('.').is_some_and(|rest| rest.split('(').next() == Some(**member))
        }) {
            return Some(format!("methods are called with parentheses: `{on}.dtype().{member}()`"));
        }
        let of = rest.strip_prefix("==").and_then(|of| numpy::element_type(of.trim()))?;
        return Some(format!("element types are values of `DType`: `{on}.dtype() == {of}().dtype()`"));
    }
    let shape = rest.strip_prefix('=').filter(|rest| name == "shape" && !rest.starts_with('='))?;
    Some(format!("an array of another shape is another array: `let {on} = {on}.reshape({});`", shape.trim()))
}

/// A method that arrays of other elements have.
fn of_elements(mistake: &Mistake<'_>, on: &str, name: &str) -> Option<String> {
    let of = mistake.message.message.split_once("GpuArray<")?.1.split_once(">`")?.0;
    if of.contains("Complex<") {
        return Some(format!(
            "`{name}` is not defined for complex numbers; `{on}.real()`, `{on}.imag()` and `{on}.abs()` are real"
        ));
    }
    match of {
        "bool" => Some(format!("`{name}` is for numbers: `{on}.astype(i32)` has 0 and 1")),
        "f16" | "f32" | "f64" => Some(format!("`{name}` is for integers: `{on}.astype(i64)`")),
        _ => None,
    }
}

/// What a message is about: `struct `GpuArray<T>``.
fn is_about(mistake: &Mistake<'_>, of: &str) -> bool {
    let said = &mistake.message.message;
    said.contains(&format!("`{of}<"))
        || said.contains(&format!("`&{of}<"))
        || said.contains(&format!("`&mut {of}<"))
}

fn of_method(mistake: &Mistake<'_>) -> Option<String> {
    let call = Call::at(mistake.text, mistake.range.start)?;
    let (on, name) = (call.on?, call.name);
    if is_about(mistake, "GpuArray") {
        return of_array(mistake, &call, on, name);
    }
    let said = &mistake.message.message;
    if ["item", "get", "to_vec"].contains(&name)
        && let Some((_, of)) = said.split_once("for type `")
        && super::types::is_number(of.split('`').next().unwrap_or_default().trim_start_matches('&'))
    {
        return Some(format!("it is a number already: `{on}`"));
    }
    let is_host = is_about(mistake, "Vec")
        || said.contains("`[")
        || said.contains("`&[")
        || said.contains("ArrayBase<");
    if is_host && ["to_gpu", "cuda", "gpu", "to_device"].contains(&name) {
        return Some(format!("host data is copied to the device by `to_gpu(&{})`", operand(on)));
    }
    if is_host && mistake.scope.kind(on) == Kind::Sequence {
        let mut arguments = vec![on];
        arguments.extend(call.positional());
        return numpy::form(mistake.scope, name, &arguments).map(super::written);
    }
    None
}

fn of_array(mistake: &Mistake<'_>, call: &Call<'_>, on: &str, name: &str) -> Option<String> {
    let on = on.trim_start_matches('&');
    if let Some(form) = of_another_name(call, on, name) {
        return Some(form);
    }
    if mistake.message.message.contains("trait bounds were not satisfied") {
        return of_elements(mistake, on, name);
    }
    if let Some(axis) =
        call.keyword("axis").or_else(|| call.positional().first().copied().filter(|_| is_scan(name)))
    {
        if let Some(form) = super::calls::with_keywords(call, on, Some(axis)) {
            return Some(form);
        }
        return Some(format!(
            "there is no `{name}` along an axis ({axis}) here; `{on}.get()` copies the array to the host, where \
             `ndarray` has more, and `to_gpu(&b)` copies back"
        ));
    }
    let mut arguments = vec![on];
    arguments.extend(call.positional());
    match name {
        "flat" => {
            return Some(format!(
                "all elements along one axis are `{on}.ravel()`, and on the host `{on}.to_vec()`"
            ));
        }
        "device" => return Some("arrays are on the device that `device()` returns".to_owned()),
        "base" => return Some(format!("whether arrays share memory says `{on}.may_share_memory(&b)`")),
        "flags" => {
            return Some(format!(
                "the order of the elements is in `{on}.strides()`; `{on}.is_f_contiguous()` is one flag"
            ));
        }
        "T" => return Some(format!("the transposed array is `{on}.t()`")),
        "data" | "gpudata" | "ptr" | "data_ptr" => {
            return Some(format!("a kernel takes the array itself: `&{on}`, or `&mut {on}` to write it"));
        }
        "to" | "type" | "cast" | "to_type" | "as_type" | "float" | "double" | "int" | "long" | "half" => {
            let of = call.arguments.iter().flatten().find_map(|text| numpy::element_type(text));
            let of = of.or_else(|| numpy::element_type(name)).unwrap_or("f32");
            return Some(format!("elements are converted by `{on}.astype({of})`"));
        }
        "push" | "extend" => {
            let other = arguments.get(1).copied().unwrap_or("b");
            let form = numpy::form(mistake.scope, "append", &[on, other])?;
            return Some(format!("an array does not grow; {form}"));
        }
        _ => {}
    }
    let form = numpy::form(mistake.scope, name, &arguments)?;
    Some(super::written(form))
}

/// Methods that slices, iterators or figures have by these names.
fn of_another_name(call: &Call<'_>, on: &str, name: &str) -> Option<String> {
    let array = if on.ends_with(')') { on.to_owned() } else { format!("&{on}") };
    Some(match (name, &call.positional()[..]) {
        ("clamp", [low, high]) => format!("it is a function: `clip({array}, {low}, {high})`"),
        ("first", []) => format!("one element is `{on}[0].item()`"),
        ("last", []) => format!("one element is `{on}[-1].item()`"),
        ("reverse" | "rev" | "reversed", []) => format!("from the last element to the first: `{on}.flip()`"),
        ("hist", _) => format!("counts are `{on}.histogram(10)`, and a picture of them is `hist({array})`"),
        ("enumerate" | "zip" | "fold" | "for_each" | "chain" | "skip" | "step_by", _) => {
            format!("elements are read on the host, where `{on}.to_vec().iter()` has it")
        }
        _ => return None,
    })
}

fn is_scan(name: &str) -> bool {
    ["median", "sort", "argsort"].contains(&name)
}

fn of_field(mistake: &Mistake<'_>) -> Option<String> {
    let call = Call::at(mistake.text, mistake.range.start)?;
    let on = call.on?;
    if !mistake.all().contains("GpuArray") {
        return None;
    }
    of_array(mistake, &call, on, call.name)
}

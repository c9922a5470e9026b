//! Methods and fields that are not there, not called, or called without what NumPy has by default; macros
//! and operators that stand for methods.

use super::Mistake;
use super::numpy;
use super::place::{Call, Kind, closing, operand, parts, receiver_start};

/// Advice about a method.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    match mistake.message.code() {
        "" => of_macro(mistake).or_else(|| of_chain(mistake)),
        "E0061" => of_default(mistake),
        "E0277" => of_shape(mistake).or_else(|| of_arrays(mistake)),
        "E0282" | "E0283" | "E0284" => of_open_type(mistake),
        "E0308" => of_range(mistake),
        "E0369" => of_equality(mistake),
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
        ("hist", _) => {
            format!("counts are `{on}.histogram(10)`, and a picture of them is `hist({array}, 10)`")
        }
        ("plot" | "scatter" | "step" | "stem" | "imshow" | "contour" | "contourf", _) => {
            format!("it is a function: `{name}({array})`")
        }
        ("describe" | "info", []) => format!("it is a function: `describe({array})`"),
        ("head", []) => format!("the first elements are `{on}.slice(..5)`"),
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

/// Methods that have an argument by default in NumPy, which the table of its functions names.
const WITH_DEFAULT: &[&str] =
    &["round", "rot90", "diagonal", "diag", "diagflat", "tril", "triu", "trapezoid", "histogram"];

/// `a.round()`
fn of_default(mistake: &Mistake<'_>) -> Option<String> {
    let call = Call::at(mistake.text, mistake.range.start)?;
    let on = call.on?;
    if !WITH_DEFAULT.contains(&call.name) || !call.arguments.as_ref()?.is_empty() {
        return None;
    }
    numpy::form_of(mistake.scope, call.name, &[on], Kind::Array).map(super::written)
}

/// What is written in the brackets of a macro that ends before a place.
fn inside_macro<'m>(mistake: &Mistake<'m>, open: &str, brackets: (char, char)) -> Option<&'m str> {
    let before = mistake.text.get(..mistake.range.start)?;
    let inner = &mistake.text[before.rfind(open)? + open.len()..];
    let end = closing(inner, brackets.0, brackets.1)?;
    let is_inside = inner.len() - end <= mistake.text.len() - mistake.range.start;
    is_inside.then(|| &inner[..end])
}

/// `set!(q = 0)`, `gpu![f32: 1, 2]`
fn of_macro(mistake: &Mistake<'_>) -> Option<String> {
    if !mistake.message.message.starts_with("no rules expected") {
        return None;
    }
    if let Some((of, list)) =
        inside_macro(mistake, "gpu![", ('[', ']')).and_then(|inner| inner.split_once(':'))
        && super::types::is_number(of.trim())
    {
        return Some(format!("a semicolon stands behind the type: `gpu![{}; {}]`", of.trim(), list.trim()));
    }
    let (place, value) = inside_macro(mistake, "set!(", ('(', ')'))?.split_once('=')?;
    let (place, value) = (place.trim(), value.trim());
    if super::place::is_name(place) {
        return Some(format!("all elements are written by `{place}.fill({value})`"));
    }
    let (on, index) = place.strip_suffix(']')?.rsplit_once('[')?;
    if let Some((name, first)) = on.strip_suffix(']').and_then(|on| on.split_once('['))
        && super::place::is_name(name)
    {
        return Some(format!(
            "all indices stand in one pair of brackets: `set!({name}[{}, {index}] = {value})`",
            first.replace("][", ", ")
        ));
    }
    let index = if index.contains(',') { format!("s![{index}]") } else { index.to_owned() };
    (receiver_start(on) == 0).then(|| format!("a method writes elements: `{on}.set({index}, {value})`"))
}

/// `x > 0 & x < 6`
fn of_chain(mistake: &Mistake<'_>) -> Option<String> {
    if mistake.message.message != "comparison operators cannot be chained" {
        return None;
    }
    let line = mistake.line().trim().trim_end_matches(';');
    let line = line.split_once(" = ").map_or(line, |(_, value)| value);
    let (sign, left, right) = [" & ", " | "]
        .iter()
        .find_map(|sign| line.split_once(sign).map(|(left, right)| (*sign, left, right)))?;
    Some(format!(
        "comparisons are methods: `{}{sign}{}`",
        compared(mistake, left)?,
        compared(mistake, right)?
    ))
}

/// `x > 0` as `x.gt(0)`
fn compared(mistake: &Mistake<'_>, text: &str) -> Option<String> {
    const SIGNS: [(&str, &str); 6] =
        [(" >= ", "ge"), (" <= ", "le"), (" == ", "eq"), (" != ", "ne"), (" > ", "gt"), (" < ", "lt")];
    let (left, method, right) = SIGNS
        .iter()
        .find_map(|(sign, method)| text.split_once(sign).map(|(left, right)| (left, *method, right)))?;
    let is_simple = ![left, right].iter().any(|side| side.contains(['&', '|', '<', '>', '{', '=']));
    let is_array = mistake.scope.kind(left) == Kind::Array && receiver_start(left.trim()) == 0;
    let lend = if mistake.scope.kind(right) == Kind::Array { "&" } else { "" };
    (is_simple && is_array).then(|| format!("{}.{method}({lend}{})", left.trim(), right.trim()))
}

/// `a.shape() == (3, 4)`
fn of_shape(mistake: &Mistake<'_>) -> Option<String> {
    if !mistake.message.message.starts_with("can't compare `&[usize]` with `(") {
        return None;
    }
    let words = mistake.words();
    let of_tuple = |text: &str| {
        let inner = text.trim().strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        inner.map_or(text.trim().to_owned(), |inner| format!("[{}]", inner.trim().trim_end_matches(',')))
    };
    if let Some((name, inner)) = words.split_once('(') {
        let list: Vec<String> = parts(inner.strip_suffix(')')?).into_iter().map(of_tuple).collect();
        return Some(format!("a shape is a slice: `{name}({})`", list.join(", ")));
    }
    let before = mistake.text.get(..mistake.range.start)?.trim_end();
    let on = &before[receiver_start(before)..];
    let rest = mistake.text.get(mistake.range.end..)?.trim_start().strip_prefix('(')?;
    let tuple = &rest[..closing(rest, '(', ')')?];
    Some(format!("a shape is a slice: `{on} {words} [{}]`", tuple.trim().trim_end_matches(',')))
}

/// `gpu![x, y]`
fn of_arrays(mistake: &Mistake<'_>) -> Option<String> {
    let is_element = mistake.message.message.ends_with("cannot be an array's element");
    if !is_element || !mistake.quoted().starts_with("GpuArray<") {
        return None;
    }
    let list = parts(mistake.words().strip_prefix("gpu![")?.strip_suffix(']')?);
    let is_one = |text: &&str| {
        text.strip_suffix(']')
            .and_then(|text| text.rsplit_once('['))
            .is_some_and(|(_, index)| index.parse::<i64>().is_ok())
    };
    if list.iter().all(is_one) {
        let list: Vec<String> = list.iter().map(|text| format!("{text}.item()")).collect();
        return Some(format!("an element is an array, `.item()` its number: `gpu![{}]`", list.join(", ")));
    }
    let list: Vec<String> = list.iter().map(|text| format!("&{}", operand(text))).collect();
    let end = if list.len() == 1 { "," } else { "" };
    Some(format!("arrays along a new axis: `stack(({}{end}))`", list.join(", ")))
}

/// `default_rng(0).integers(0..2, 5)`, `io::load("a.npy")?`
fn of_open_type(mistake: &Mistake<'_>) -> Option<String> {
    let line = mistake.line();
    let arguments = |method: &str| {
        let rest = &line[line.find(method)? + method.len()..];
        Some(&rest[..closing(rest, '(', ')')?])
    };
    if let Some(inner) = arguments("io::load(") {
        return Some(format!(
            "name the type of the elements: `io::load::<f64>({inner})?`; `io::load_any({inner})?` finds it in the file"
        ));
    }
    let range = parts(arguments(".integers(")?).first().copied()?;
    let is_open = range.contains("..") && range.ends_with(|c: char| c.is_ascii_digit());
    is_open.then(|| format!("name the type of the integers: `{range}i32`"))
}

/// `arange(0..10f32)`
fn of_range(mistake: &Mistake<'_>) -> Option<String> {
    let is_float = |label: &str| {
        let found = label.strip_prefix("expected integer, found ");
        found.is_some_and(|found| ["`f32`", "`f64`", "floating-point number"].contains(&found))
    };
    if !mistake.labels().any(is_float) {
        return None;
    }
    let before = mistake.text.get(..mistake.range.start)?;
    let start = before.strip_suffix("..").or_else(|| before.strip_suffix("..="))?;
    let dots = &before[start.len()..];
    let number = start.rsplit_once("arange(")?.1;
    let words = mistake.words();
    number
        .parse::<i64>()
        .is_ok()
        .then(|| format!("both ends have one type: `arange({number}.0{dots}{words})`"))
}

/// `assert_eq!(x, gpu![1.0, 2.0])`
fn of_equality(mistake: &Mistake<'_>) -> Option<String> {
    if !mistake.message.message.contains("cannot be applied to type `GpuArray<") {
        return None;
    }
    let (name, inner) = mistake.words().split_once('(')?;
    let not = match name {
        "assert_eq!" => "",
        "assert_ne!" => "!",
        _ => return None,
    };
    let lent = |text: &&str| match text.starts_with("gpu!") || text.starts_with('&') {
        true => (*text).to_owned(),
        false => format!("&{}", operand(text)),
    };
    let list = parts(inner.strip_suffix(')')?);
    let [left, right, ..] = &list[..] else { return None };
    Some(format!("one answer for all elements: `assert!({not}array_equal({}, {}))`", lent(left), lent(right)))
}

//! Kernels in Rust: marks and names that other languages have, modules that another
//! one hides, and launches.

use super::Mistake;
use super::place::{closing, operand, parts, receiver_start};

/// Marks of CUDA C, Numba and others.
const MARKS: &[&str] =
    &["gpu", "global", "__global__", "__device__", "cuda", "cube", "jit", "host", "__host__"];

/// CUDA C's names, and what is written in a kernel in Rust.
const NAMES: &[(&str, &str)] = &[
    ("__syncthreads", "`block::sync()`"),
    ("__syncthreads_count", "`block::count(..)`"),
    ("__syncthreads_and", "`block::all(..)`"),
    ("__syncthreads_or", "`block::any(..)`"),
    ("__syncwarp", "`warp::sync()`"),
    ("__shfl_sync", "`warp::shuffle(..)`"),
    ("__shfl_up_sync", "`warp::shuffle_up(..)`"),
    ("__shfl_down_sync", "`warp::shuffle_down(..)`"),
    ("__shfl_xor_sync", "`warp::shuffle_xor(..)`"),
    ("__ballot_sync", "`warp::ballot(..)`"),
    ("__any_sync", "`warp::any(..)`"),
    ("__all_sync", "`warp::all(..)`"),
    ("__match_any_sync", "`warp::match_any(..)`"),
    ("__match_all_sync", "`warp::match_all(..)`"),
    ("atomicAdd", "`atomic::add(..)`"),
    ("atomicAdd_block", "`atomic::block::add(..)`"),
    ("atomicAdd_system", "`atomic::system::add(..)`"),
    ("atomicSub", "`atomic::add(&mut y[i], v.wrapping_neg())`"),
    ("atomicAnd", "`atomic::and(..)`"),
    ("atomicOr", "`atomic::or(..)`"),
    ("atomicXor", "`atomic::xor(..)`"),
    ("atomicMin", "`atomic::min(..)`"),
    ("atomicMax", "`atomic::max(..)`"),
    ("atomicExch", "`atomic::exchange(..)`"),
    ("atomicCAS", "`atomic::compare_exchange(..)`"),
    ("__popc", "`v.count_ones()`"),
    ("__clz", "`v.leading_zeros()`"),
    ("__brev", "`v.reverse_bits()`"),
    ("__sinf", "`fast::sin(v)`"),
    ("__cosf", "`fast::cos(v)`"),
    ("__tanf", "`fast::tan(v)`"),
    ("__expf", "`fast::exp(v)`"),
    ("__logf", "`fast::ln(v)`"),
    ("__log2f", "`fast::log2(v)`"),
    ("__log10f", "`fast::log10(v)`"),
    ("__powf", "`fast::powf(v, w)`"),
    ("__fdividef", "`fast::divide(v, w)`"),
    ("rsqrtf", "`fast::rsqrt(v)`"),
    ("sqrtf", "`v.sqrt()`"),
    ("expf", "`v.exp()`"),
    ("fminf", "`v.min(w)`"),
    ("fmaxf", "`v.max(w)`"),
    ("fabsf", "`v.abs()`"),
    ("powf", "`v.powf(w)`"),
];

/// Where a thread is, by CUDA C's names.
const PLACES: &[(&str, [&str; 3])] = &[
    ("threadIdx", ["`thread::x()`", "`thread::y()`", "`thread::z()`"]),
    ("blockIdx", ["`block::x()`", "`block::y()`", "`block::z()`"]),
    ("blockDim", ["`block::width()`", "`block::height()`", "`block::depth()`"]),
    ("gridDim", ["`grid::width()`", "`grid::height()`", "`grid::depth()`"]),
];

/// Advice about a name of CUDA C's in a kernel.
fn of_cuda(mistake: &Mistake<'_>) -> Option<String> {
    let is_in_kernel = MARKS_HERE.iter().any(|mark| mistake.text.contains(mark));
    if !is_in_kernel || !mistake.message.message.starts_with("cannot find") {
        return None;
    }
    let name = mistake.quoted();
    let rest = mistake.text.get(mistake.range.end..).unwrap_or_default();
    if let Some((_, forms)) = PLACES.iter().find(|(known, _)| *known == name) {
        let axis = [".x", ".y", ".z"].iter().position(|axis| rest.starts_with(axis)).unwrap_or(0);
        return Some(format!("a kernel in Rust writes {}", forms[axis]));
    }
    let (_, form) = NAMES.iter().find(|(known, _)| *known == name)?;
    // The arguments are the user's, but for the mask that a warp's functions take first.
    let arguments =
        rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(arguments, _)| arguments);
    match arguments {
        Some(arguments) if form.ends_with("(..)`") && !name.starts_with("__") => {
            let form = form.trim_matches('`').trim_end_matches("(..)");
            Some(format!("a kernel in Rust writes `{form}({arguments})`"))
        }
        _ => Some(format!("a kernel in Rust writes {}", form.replace("(..)", ""))),
    }
}

const MARKS_HERE: [&str; 2] = ["#[kernel]", "#[device]"];

/// What a kernel takes instead of a type that is none of a parameter's.
fn parameter(of: &str, is_mutable: bool) -> Option<String> {
    let of = of.trim();
    let element = ["GpuArray<", "Vec<"]
        .iter()
        .find_map(|known| {
            of.trim_start_matches('&').trim_start_matches("mut ").strip_prefix(known)?.strip_suffix('>')
        })
        .or_else(|| of.strip_prefix("*const ").or_else(|| of.strip_prefix("*mut ")))
        .or_else(|| of.strip_prefix('[')?.strip_suffix(']').filter(|element| !element.contains(';')))?;
    let is_written = is_mutable || of.starts_with("*mut ") || of.starts_with("&mut ");
    Some(if is_written { format!("&mut [{element}]") } else { format!("&[{element}]") })
}

/// The parameters of the kernel around a place: names, whether they are `mut`, and types.
fn parameters<'m>(mistake: &Mistake<'m>) -> Vec<(&'m str, bool, &'m str)> {
    let before = mistake.text.get(..mistake.range.end).unwrap_or_default();
    let Some(start) = MARKS_HERE.iter().filter_map(|mark| before.rfind(mark)).max() else {
        return Vec::new();
    };
    let head = mistake.text[start..].split('{').next().unwrap_or_default();
    let Some((_, list)) = head.split_once('(') else { return Vec::new() };
    let list = list.rsplit_once(')').map_or(list, |(list, _)| list);
    let one = |parameter: &'m str| {
        let (name, of) = parameter.split_once(':')?;
        let bare = name.trim().trim_start_matches("mut ");
        Some((bare, bare.len() < name.trim().len(), of.trim()))
    };
    list.split(", ").filter_map(one).collect()
}

/// Advice about the types that a kernel takes.
fn of_parameters(mistake: &Mistake<'_>) -> Option<String> {
    let message = &mistake.message.message;
    let is_about_types = message.starts_with("the size for values of type `[")
        || message.starts_with("cannot index into a value of type `*")
        || (message == "mismatched types" && mistake.all().contains("expected `GpuArray<"))
        || (message.starts_with("cannot assign to data in an index of `") && message.contains("GpuArray<"))
        || message.starts_with("cannot assign to `");
    if !is_about_types {
        return None;
    }
    let words = mistake.words();
    // `y[i] = x[i]` points at what is written.
    let written = mistake.text.get(..mistake.range.start)?.trim_end().strip_suffix('=').map(str::trim_end);
    if message == "mismatched types" {
        let name = written?.rsplit_once('[')?.0.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        let (name, _, of) = parameters(mistake).into_iter().find(|(known, ..)| *known == name)?;
        return Some(format!("a kernel takes slices: `{name}: {}`", parameter(of, true)?));
    }
    let name = words.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let parameters = parameters(mistake);
    // The place is the use, the parameter itself, or an index behind its name.
    let before = mistake.text.get(..mistake.range.start)?;
    let behind = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let (name, is_mutable, of) =
        parameters.into_iter().find(|(known, _, of)| *known == name || *known == behind || *of == words)?;
    if message.starts_with("cannot assign to `") {
        let element = of.strip_prefix("&[")?;
        return Some(format!("what is written is `{name}: &mut [{element}`"));
    }
    Some(format!("a kernel takes slices: `{name}: {}`", parameter(of, is_mutable)?))
}

/// Advice about calls within a kernel.
fn of_calls(mistake: &Mistake<'_>) -> Option<String> {
    let message = &mistake.message.message;
    let rest = mistake.text.get(mistake.range.end..).unwrap_or_default();
    if message.starts_with("expected value, found module `") {
        let module = mistake.quoted();
        let method: String =
            rest.strip_prefix('.')?.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        return ["thread", "block", "grid", "warp", "atomic", "fast"]
            .contains(&module)
            .then(|| format!("write `{module}::{method}`"));
    }
    if message.starts_with("cannot find value") {
        let name = mistake.quoted();
        let before = mistake.text.get(..mistake.range.start)?;
        let is_bound = [" ", " mut "].iter().any(|between| before.contains(&format!("let{between}{name} ")));
        return (is_bound && !parameters(mistake).is_empty()).then(|| {
            format!(
                "a kernel cannot see the variables of cells: give it a parameter `{name}`, and pass `{name}`"
            )
        });
    }
    if message.ends_with("in module `thread`")
        && ["id", "idx", "x_index", "global_id", "grid"].contains(&mistake.quoted())
    {
        return Some("the thread in the grid is `thread::index()`, in its block `thread::x()`".to_owned());
    }
    let is_missing = message.ends_with("takes 1 argument but 0 arguments were supplied");
    if is_missing && mistake.words().ends_with("thread::range") {
        let of = parameters(mistake).into_iter().find(|(.., of)| of.starts_with("&mut ["));
        let name = of.map_or("y", |(name, ..)| name);
        return Some(format!("the indices below a length: `thread::range({name}.len())`"));
    }
    if message == "mismatched types" && mistake.all().contains("types differ in mutability") {
        let before = mistake.text.get(..mistake.range.start)?;
        let words = mistake.words().trim_start_matches('&');
        let is_atomic = before.trim_end().ends_with('(') && before.contains("atomic::");
        return is_atomic.then(|| format!("write `&mut {words}`"));
    }
    if message.ends_with("arguments but 1 argument was supplied") && mistake.words().ends_with("reduce") {
        let closure = rest.strip_prefix('(')?.split(')').next()?;
        return Some(format!("the value that changes nothing comes first: `reduce(0.0, {closure})`"));
    }
    None
}

/// Advice about what is passed to a kernel, or about the call itself.
fn of_launch(mistake: &Mistake<'_>) -> Option<String> {
    let message = &mistake.message.message;
    if message.starts_with("no method named `launch")
        && message.contains("fn item")
        && message.contains(") -> ")
    {
        return Some("a kernel returns nothing: it writes to a parameter such as `y: &mut [f32]`".to_owned());
    }
    let takes_array = |label: &str| {
        let expected = label.strip_prefix("expected `&").and_then(|rest| rest.split('`').next());
        expected.is_some_and(|expected| expected.contains("GpuArray<"))
    };
    // What is expected stands in notes of the message.
    let takes_arrays = || mistake.message.children.iter().any(|child| takes_array(&child.message));
    if message == "arguments to this function are incorrect"
        && mistake.all().contains("GpuArray<")
        && !takes_arrays()
    {
        let rest = mistake.text.get(mistake.range.end..).unwrap_or_default();
        let rest = rest.strip_prefix('(')?;
        let arguments = &rest[..super::closing(rest, '(', ')')?];
        let name = mistake.words();
        return Some(format!("a kernel is launched: `{name}.launch_for(n, ({arguments}))?`"));
    }
    if let Some((given, parameter)) = message.split_once(" cannot be passed for the parameter ") {
        let taken = parameter.trim_end_matches(" of a kernel").trim_matches('`');
        if let Some(form) = self::parameter(taken, false) {
            return Some(format!(
                "a kernel takes slices: `{form}`, or `{}` to write",
                form.replace('&', "&mut ")
            ));
        }
        let parameter = parameter.trim_end_matches(" of a kernel").trim_matches('`');
        let (given, words) = (given.trim_matches('`'), mistake.words());
        if let Some(form) = of_reference(parameter) {
            return Some(form);
        }
        let is_written = parameter.starts_with("&mut [");
        let number = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "usize", "isize", "f32", "f64"];
        let bare = words.trim_start_matches('&').trim_start_matches("mut ");
        return match given {
            "{integer}" if ["f32", "f64"].contains(&parameter) && words.parse::<i64>().is_ok() => {
                Some(format!("the parameter is a `{parameter}`: `{words}.0`"))
            }
            "{float}" if number.contains(&parameter) && words.ends_with(".0") => {
                Some(format!("the parameter is a `{parameter}`: `{}`", words.trim_end_matches(".0")))
            }
            _ if number.contains(&given) && number.contains(&parameter) => {
                Some(format!("the parameter is a `{parameter}`: `{} as {parameter}`", operand(words)))
            }
            _ if given.starts_with("GpuArray<") && is_written => Some(format!("write `&mut {bare}`")),
            _ if given.starts_with("GpuArray<") => Some(format!("write `&{bare}`")),
            _ if given.starts_with("&GpuArray<") && is_written => Some(format!("write `&mut {bare}`")),
            _ if given.contains("Vec<") && is_written => Some(format!("write `InOut(&mut {bare})`")),
            _ if given.contains("Vec<") => Some(format!("write `In(&{bare})`")),
            _ if given == parameter && given.starts_with(char::is_uppercase) => Some(format!(
                "define it by `kernel_struct! {{ struct {given} {{ .. }} }}` and pass `Struct({words})`"
            )),
            _ => None,
        };
    }
    if message.starts_with("no rules expected") {
        let before = mistake.text.get(..mistake.range.start)?;
        let of = before.rsplit_once("shared!(")?.1;
        let rest = mistake.text.get(mistake.range.start..)?.strip_prefix(',')?;
        let count = rest.split_once(')')?.0.trim();
        return Some(format!("write `shared!([{of}; {count}])`"));
    }
    let takes_values = [".map(|", ".filter(|", ".zip_with(&", ".map_indexed(|", ".sort_by_key(|"];
    if message.ends_with("cannot be dereferenced")
        && takes_values.iter().any(|method| mistake.line().contains(method))
    {
        let name = mistake.words().trim_start_matches('*');
        return Some(format!("the function is given elements, not references: `{name}`"));
    }
    None
}

/// A parameter of a kernel's that is a reference to one number.
fn of_reference(parameter: &str) -> Option<String> {
    let of = parameter.strip_prefix('&')?;
    let written = of.strip_prefix("mut ");
    let of = written.unwrap_or(of);
    if !super::types::is_number(of) {
        return None;
    }
    Some(match written {
        Some(_) => format!("a number that a kernel writes is an array of one element: `&mut [{of}]`"),
        None => format!("a kernel takes a number by value: `{of}`"),
    })
}

/// `&mut a[2..6]` as an argument.
fn of_part(mistake: &Mistake<'_>) -> Option<String> {
    if !mistake.message.message.starts_with("cannot borrow data in an index of `GpuArray<") {
        return None;
    }
    let (on, index) = mistake.words().strip_prefix("&mut ")?.strip_suffix(']')?.rsplit_once('[')?;
    index.contains("..").then(|| format!("a part of an array: `&mut {on}.slice({index})`"))
}

/// `elementwise!(|x: &[f32], z: &mut [f32]| z[i] = 2*x[i])`
fn of_operation(mistake: &Mistake<'_>) -> Option<String> {
    let end = mistake.range.end.min(mistake.text.len());
    let before = mistake.text.get(..end)?;
    let (open, is_elementwise) = [("elementwise!(|", true), ("reduction!(|", false), ("scan!(|", false)]
        .iter()
        .filter_map(|(name, is_elementwise)| Some((before.rfind(name)? + name.len(), *is_elementwise)))
        .max()?;
    let inner = &mistake.text[open..];
    let inner = &inner[..closing(inner, '(', ')')?];
    let (_, operation) = inner.split_once('|')?;
    let start = open + inner.len() - operation.len();
    if operation.contains('"') || mistake.range.start < start || mistake.range.start > open + inner.len() {
        return None;
    }
    if is_elementwise {
        return Some(format!("the operation is a text of C: `\"{}\"`", operation.trim()));
    }
    let list = operation.split_once('{')?.1.trim_end().strip_suffix('}')?;
    let quoted: Option<Vec<String>> = parts(list)
        .iter()
        .map(|part| part.split_once(':').map(|(key, value)| format!("{}: \"{}\"", key.trim(), value.trim())))
        .collect();
    Some(format!("they are texts of C: `{}`", quoted?.join(", ")))
}

/// A structure that is no element, a kernel without a type.
fn of_result(mistake: &Mistake<'_>) -> Option<String> {
    let message = &mistake.message.message;
    if let Some((_, rest)) = message.split_once("exists for struct `")
        && let Some((_, of)) = rest.split_once(">`")?.0.split_once("ReductionKernel<")
    {
        let of = of.rsplit("::").next()?;
        let is_name = super::place::is_name(of) && !super::types::is_number(of);
        return is_name.then(|| {
            format!("define it so that kernels know it: `kernel_struct! {{ struct {of} {{ .. }} }}`")
        });
    }
    if !["E0282", "E0283"].contains(&mistake.message.code()) {
        return None;
    }
    let line = mistake.line();
    ["ReductionKernel", "InclusiveScanKernel", "ExclusiveScanKernel"]
        .iter()
        .find(|class| line.contains(&format!("{class}::new(")))
        .map(|class| format!("name the type of the result: `{class}::<f32>::new`"))
}

/// `x.map(|e| e + table[0])`
fn of_closure(mistake: &Mistake<'_>) -> Option<String> {
    let is_element = mistake.message.message.ends_with("cannot be an array's element");
    let rest = mistake.text.get(mistake.range.end..)?;
    if !is_element || !mistake.quoted().starts_with("GpuArray<") || !rest.starts_with("(|") {
        return None;
    }
    let (parameter, body) = rest[2..].split_once('|')?;
    let body = &body[..closing(body, '(', ')')?];
    let open = body.find('[')?;
    let name = &body[receiver_start(&body[..open])..open];
    let index = &body[open + 1..][..closing(&body[open + 1..], '[', ']')?];
    let parameter = parameter.split(':').next()?.trim();
    let is_word =
        |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|own| own == parameter);
    if is_word(index) || is_word(name) {
        return None;
    }
    Some(format!(
        "a closure takes numbers from outside, not arrays; before it: `let value = {name}[{index}].item();`"
    ))
}

/// Advice about a function that is to run on a device.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    let subjects =
        [of_cuda, of_operation, of_launch, of_part, of_parameters, of_calls, of_result, of_closure];
    if let Some(advice) = subjects.iter().find_map(|subject| subject(mistake)) {
        return Some(advice);
    }
    let message = &mistake.message.message;
    if message.starts_with("cannot find attribute") && MARKS.contains(&mistake.quoted()) {
        let rest = mistake.text.get(mistake.range.end..).unwrap_or_default();
        let head = rest.split('{').next().unwrap_or_default();
        let form = if head.contains("->") { "write `#[device]`" } else { "write `#[kernel]`" };
        return Some(form.to_owned());
    }
    if message.starts_with("cannot find attribute") && ["kernel", "device"].contains(&mistake.quoted()) {
        let name = mistake.quoted();
        let has_arguments = mistake.text.get(mistake.range.end..).unwrap_or_default().starts_with('(');
        return Some(match has_arguments {
            true => format!("`#[{name}]` takes no arguments: grid and block are those of a launch"),
            false => format!("`#[{name}]` stands before a function"),
        });
    }
    let is_index = ["index", "range", "lane", "x", "y", "z"].contains(&mistake.quoted());
    if message.starts_with("cannot find function") && message.ends_with("in module `thread`") && is_index {
        return Some("`thread` is the standard library's here; import that by another name: `use std::thread as threads;`".to_owned());
    }
    None
}

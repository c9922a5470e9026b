//! Kernels in Rust: marks and names that other languages have, modules that another
//! one hides, and launches.

use super::Mistake;

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
    ("atomicAdd", "`atomic::add(..)`"),
    ("atomicMin", "`atomic::min(..)`"),
    ("atomicMax", "`atomic::max(..)`"),
    ("atomicExch", "`atomic::exchange(..)`"),
    ("atomicCAS", "`atomic::compare_exchange(..)`"),
    ("__popc", "`v.count_ones()`"),
    ("__clz", "`v.leading_zeros()`"),
    ("__brev", "`v.reverse_bits()`"),
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

/// Advice about what is passed to a kernel, or about the call itself.
fn of_launch(mistake: &Mistake<'_>) -> Option<String> {
    let message = &mistake.message.message;
    if message.starts_with("no method named `launch")
        && message.contains("fn item")
        && message.contains(") -> ")
    {
        return Some("a kernel returns nothing: it writes to a parameter such as `y: &mut [f32]`".to_owned());
    }
    if message == "arguments to this function are incorrect" && mistake.all().contains("GpuArray<") {
        let rest = mistake.text.get(mistake.range.end..).unwrap_or_default();
        let arguments = rest.strip_prefix('(')?.split_once(')')?.0;
        let name = mistake.words();
        return Some(format!("a kernel is launched: `{name}.launch_for(n, ({arguments}))?`"));
    }
    if let Some((given, parameter)) = message.split_once(" cannot be passed for the parameter ") {
        let parameter = parameter.trim_end_matches(" of a kernel").trim_matches('`');
        let (given, words) = (given.trim_matches('`'), mistake.words());
        let is_written = parameter.starts_with("&mut [");
        let number = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "usize", "isize", "f32", "f64"];
        let bare = words.trim_start_matches('&').trim_start_matches("mut ");
        return match given {
            _ if number.contains(&given) && number.contains(&parameter) => {
                Some(format!("the parameter is a `{parameter}`: `{words} as {parameter}`"))
            }
            _ if given.starts_with("GpuArray<") && is_written => Some(format!("write `&mut {bare}`")),
            _ if given.starts_with("GpuArray<") => Some(format!("write `&{bare}`")),
            _ if given.starts_with("&GpuArray<") && is_written => Some(format!("write `&mut {bare}`")),
            _ if given.contains("Vec<") && is_written => Some(format!("write `InOut(&mut {bare})`")),
            _ if given.contains("Vec<") => Some(format!("write `In(&{bare})`")),
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

/// Advice about a function that is to run on a device.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    if let Some(advice) = of_cuda(mistake).or_else(|| of_launch(mistake)) {
        return Some(advice);
    }
    let message = &mistake.message.message;
    if message.starts_with("cannot find attribute") && MARKS.contains(&mistake.quoted()) {
        let rest = mistake.text.get(mistake.range.end..).unwrap_or_default();
        let head = rest.split('{').next().unwrap_or_default();
        let form = if head.contains("->") { "write `#[device]`" } else { "write `#[kernel]`" };
        return Some(form.to_owned());
    }
    let is_index = ["index", "range", "lane", "x", "y", "z"].contains(&mistake.quoted());
    if message.starts_with("cannot find function") && message.ends_with("in module `thread`") && is_index {
        return Some("`thread` is the standard library's here; import that by another name: `use std::thread as threads;`".to_owned());
    }
    None
}

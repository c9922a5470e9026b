//! Names that are not there: modules of Python's, functions of Python's and
//! C's, constants.

use super::Mistake;
use super::numpy::{self, CONSTANTS};
use super::place::{Call, Kind, is_name, operand};
use crate::names;

/// Modules of arrays, by the names that scripts give them.
const ARRAYS: &[&str] = &[
    "np", "numpy", "cp", "cupy", "gpuarray", "math", "cmath", "random", "curandom", "scipy", "torch", "jnp",
    "linalg", "fft", "plt",
];

/// Functions of Python's and C's, and what is written for them: `{a}` is the
/// first argument.
#[rustfmt::skip]
const FUNCTIONS: &[(&str, &str)] = &[
    ("type", "`:type {a}` names a type"),
    ("isinstance", "types are known before a cell runs: `:type {a}` names one"),
    ("help", "`?{a}` and `:doc {a}` show documentation"),
    ("dir", "completion lists methods: type `{a}.` and press Tab; `?name` shows documentation"),
    ("exit", "`:quit` ends the session"),
    ("quit", "`:quit` ends the session"),
    ("sizeof", "`size_of_val(&{a})`, of a type `size_of::<f32>()`"),
    ("malloc", "memory of the device is `mem_alloc({a})?`, an array `empty::<f32>(n)`, memory of the host `vec![0u8; {a}]`"),
    ("cudaMalloc", "memory of the device is `mem_alloc(bytes)?`, an array `empty::<f32>(n)`"),
    ("cudaFree", "`drop({a})` frees what it holds"),
    ("cudaMemcpy", "`to_gpu(&data)` and `a.get()` copy arrays, `memcpy_htod(&mut to, &from)?` and `memcpy_dtoh(&mut to, &from)?` memory"),
    ("cudaDeviceSynchronize", "`synchronize()?`"),
    ("cudaSetDevice", "`Device::new({a})?`"),
    ("enumerate", "`{a}.iter().enumerate()`"),
    ("reversed", "`{a}.iter().rev()`"),
    ("zip", "`{a}.iter().zip(&{b})`"),
    ("sum", "`{a}.iter().sum::<f64>()`"),
    ("map", "iterators have it: `(0..10).map(|i| i * i).collect::<Vec<i32>>()`"),
    ("filter", "iterators have it: `(0..10).filter(|i| i % 2 == 0).collect::<Vec<i32>>()`"),
    ("get_ipython", "magics are written as they are: `%timeit 1 + 1`; `:help` lists the commands"),
    ("loadtxt", "a file of text is read by `std::fs::read_to_string({a})?`; `to_gpu(&numbers)` copies numbers to the device"),
    ("genfromtxt", "a file of text is read by `std::fs::read_to_string({a})?`; `to_gpu(&numbers)` copies numbers to the device"),
    ("open", "`std::fs::read_to_string({a})?`"),
    ("chr", "`char::from_u32({a})`"),
    ("ord", "`{a} as u32`"),
    ("hex", "`format!(\"{:#x}\", {a})`"),
];

/// Names of values.
#[rustfmt::skip]
const VALUES: &[(&str, &str)] = &[
    ("null", "what may be missing is an `Option`: `None`, or `Some(value)`"),
    ("NULL", "what may be missing is an `Option`: `None`, or `Some(value)`"),
    ("nullptr", "what may be missing is an `Option`: `None`, or `Some(value)`"),
    ("nil", "what may be missing is an `Option`: `None`, or `Some(value)`"),
    ("pass", "nothing needs no word: an empty block is `{}`"),
    ("elif", "write `else if`"),
    ("exit", "`:quit` ends the session"),
    ("quit", "`:quit` ends the session"),
    ("help", "`:help` lists the commands; `?name` and `:doc name` show documentation"),
    ("threadIdx", "`threadIdx` is there within a kernel only: `SourceModule::new(\"__global__ void ..\")?`"),
    ("blockIdx", "`blockIdx` is there within a kernel only: `SourceModule::new(\"__global__ void ..\")?`"),
];

/// Names that scripts give to pandas and its tables.
const TABLES: &[&str] = &["df", "pd", "pandas"];

/// Functions of Python's whose arguments may be calls of others: `list(range(10))`.
const NESTED: &[&str] = &[
    "dict",
    "enumerate",
    "filter",
    "len",
    "list",
    "map",
    "max",
    "min",
    "print",
    "range",
    "reversed",
    "set",
    "sorted",
    "str",
    "sum",
    "tuple",
    "zip",
];

/// Advice about a name that is not there.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    let quoted = mistake.quoted();
    let said = &mistake.message.message;
    match mistake.message.code() {
        "E0423" if said.contains("found macro `print") || said.contains("found macro `println") => {
            return printing(mistake, &Call::at(mistake.text, mistake.range.start)?);
        }
        "E0423" | "E0425" | "E0433" | "E0432" | "E0412" | "E0574" => {}
        _ => return None,
    }
    if said.starts_with("cannot find type") || said.starts_with("expected type") {
        let of = numpy::element_type(quoted)?;
        return Some(match quoted {
            "int" | "long" => format!("`{quoted}` is `i64` where it is Python's, `i32` where it is C's"),
            "float" => "`float` is `f64` where it is Python's, `f32` where it is C's".to_owned(),
            _ => format!("`{quoted}` is `{of}`"),
        });
    }
    if let Some(form) = super::modules::advice(mistake, quoted) {
        return Some(form);
    }
    if let Some(call) = path_call(mistake) {
        return of_module(mistake, quoted, &call).map(|help| declared(mistake, &call, help));
    }
    if said.starts_with("cannot find crate")
        || said.contains("unresolved import")
        || said.contains("use of u")
    {
        return None;
    }
    of_function(mistake, quoted).or_else(|| of_value(mistake, quoted))
}

/// The call that a module's name begins: `np.linalg.norm(a)`, `np::zeros(3)`.
fn path_call<'m>(mistake: &Mistake<'m>) -> Option<Call<'m>> {
    let start = mistake.range.start;
    let text = mistake.text.get(start..)?;
    let is_module = ARRAYS.contains(&mistake.quoted()) || super::pycuda::MODULES.contains(&mistake.quoted());
    let path: &str = text.split(|c: char| !c.is_alphanumeric() && !"_.:".contains(c)).next()?;
    // The name that is called, or the last.
    let at = path.trim_end_matches(['.', ':']).rfind(['.', ':'])?;
    if is_module { Call::at(mistake.text, start + at + 1) } else { None }
}

/// `y = np.zeros(3)`, where there is no `y` yet.
fn declared(mistake: &Mistake<'_>, call: &Call<'_>, help: String) -> String {
    let name = mistake.line()[..mistake.column()].trim().strip_suffix('=').map(str::trim_end);
    let name = name.filter(|name| is_name(name) && (mistake.scope.type_of)(name).is_none());
    let is_whole = mistake
        .text
        .get(call.range.end..)
        .is_some_and(|rest| rest.lines().next().unwrap_or_default().trim_matches([' ', ';']).is_empty());
    match (name, help.strip_prefix("without `").and_then(|rest| rest.split_once("`: `"))) {
        (Some(name), Some((module, code)))
            if is_whole && code.matches('`').count() == 1 && code.ends_with('`') =>
        {
            format!("without `{module}`: `let {name} = {};`", code.trim_end_matches('`'))
        }
        _ => help,
    }
}

fn of_module(mistake: &Mistake<'_>, module: &str, call: &Call<'_>) -> Option<String> {
    let scope = mistake.scope;
    let name = call.name;
    if let Some(form) = super::ufuncs::advice(scope, call) {
        return Some(form);
    }
    if let [array, ..] = call.positional()[..]
        && let Some(form) = super::calls::with_keywords(call, array, call.keyword("axis"))
    {
        return Some(form);
    }
    if let Some((_, form)) = CONSTANTS.iter().find(|(known, _)| *known == name) {
        return Some(format!("it is {form}"));
    }
    if let (Some(of), Some(arguments)) = (numpy::element_type(name), &call.arguments) {
        let value = arguments.first().copied().unwrap_or("x");
        return Some(format!("a number is converted by `{} as {of}`", operand(value)));
    }
    if let Some(of) = numpy::element_type(name) {
        return Some(format!("the type is `{of}`"));
    }
    if module == "plt" {
        return super::pyplot::advice(call);
    }
    let form = numpy::creation(scope, call).or_else(|| {
        call.arguments.as_ref()?;
        numpy::form(scope, name, &call.positional())
    });
    if let Some(form) = form {
        let is_ours = form.contains(&format!("`{module}::"));
        return Some(if is_ours { super::written(form) } else { format!("without `{module}`: {form}") });
    }
    if names::PRELUDE.contains(&name) || super::pycuda::MODULES.contains(&module) {
        return super::pycuda::of_module(module, call);
    }
    // `math::f(2)` may mean a crate.
    if !["np", "numpy", "cp", "cupy"].contains(&module) && is_path(mistake) {
        return None;
    }
    Some(format!(
        "there is no `{name}` here; `a.get()` copies an array to the host, where `ndarray` has more, and \
         `to_gpu(&b)` copies back"
    ))
}

/// Whether what is behind a name is `::`.
fn is_path(mistake: &Mistake<'_>) -> bool {
    mistake.text.get(mistake.range.end..).is_some_and(|rest| rest.starts_with("::"))
}

/// A function that is not there.
fn of_function(mistake: &Mistake<'_>, name: &str) -> Option<String> {
    let call = Call::at(mistake.text, mistake.range.start)?;
    if call.on.is_some() || call.name != name {
        return None;
    }
    // Within another function of Python's the whole is said, once for both.
    let outer = NESTED.contains(&name).then(|| enclosing(mistake.text, call.range.start)).flatten();
    outer.and_then(|outer| of_call(mistake, &outer)).or_else(|| of_call(mistake, &call))
}

/// The outermost call of a function of Python's that a place stands in.
fn enclosing(text: &str, at: usize) -> Option<Call<'_>> {
    let (mut depth, mut found) = (0, None);
    for (place, c) in text.get(..at)?.char_indices().rev() {
        match c {
            ';' | '{' => break,
            ')' | ']' => depth += 1,
            '(' | '[' if depth > 0 => depth -= 1,
            '(' => {
                let call = Call::at(text, place);
                found = call.filter(|call| call.on.is_none() && NESTED.contains(&call.name)).or(found);
            }
            _ => {}
        }
    }
    found
}

/// Advice about an operator in what Python prints, which is that of the call.
pub(super) fn in_print(mistake: &Mistake<'_>) -> Option<String> {
    let is_part = ["E0277", "E0369", "E0614", "E0615"].contains(&mistake.message.code());
    let call = enclosing(mistake.text, mistake.range.start).filter(|call| is_part && call.name == "print")?;
    printing(mistake, &call)
}

/// Whether a text calls a function of Python's.
fn calls_python(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == ':';
    NESTED
        .iter()
        .any(|name| text.match_indices(&format!("{name}(")).any(|(at, _)| !text[..at].ends_with(is_part)))
}

fn of_call(mistake: &Mistake<'_>, call: &Call<'_>) -> Option<String> {
    let name = call.name;
    let arguments = call.arguments.as_ref()?;
    let positional = call.positional();
    if let [array, ..] = positional[..]
        && let Some(form) = super::calls::with_keywords(call, array, call.keyword("axis"))
    {
        return Some(form);
    }
    let first = arguments.first().copied();
    match name {
        "range" | "xrange" => {
            let range = super::foreign::range(mistake.scope, &positional);
            return Some(format!("a range is `{}`", range.unwrap_or_else(|| "0..10".to_owned())));
        }
        "tqdm" | "trange" => {
            let items = super::foreign::items(mistake.scope, &mistake.text[call.range.clone()]);
            return Some(format!("write `{}`", items.unwrap_or_else(|| "progress(0..10)".to_owned())));
        }
        "print" | "printf" | "puts" | "disp" => return printing(mistake, call),
        "str" | "repr" => {
            // `"a" + str(n)`
            let whole = super::foreign::expression(mistake.line());
            let is_joined = !whole.starts_with("str(") || !whole.ends_with(first.unwrap_or_default());
            if let Some(help) = super::foreign::sure_format_advice(mistake.scope, whole).filter(|_| is_joined)
            {
                return Some(help);
            }
            let value = first.unwrap_or("x");
            let value = super::foreign::code(mistake.scope, value).unwrap_or_else(|| "1".to_owned());
            return Some(format!("a string is made by `format!(\"{{}}\", {value})`"));
        }
        "set" if arguments.iter().any(|text| text.contains('=')) || arguments.len() > 1 => {}
        "dict" | "filter" | "list" | "map" | "set" | "sorted" | "tuple" => {
            if let Some(form) = super::collections::advice(mistake, call, &positional) {
                return Some(form);
            }
        }
        "zip"
            if positional
                .iter()
                .any(|text| mistake.scope.kind(text) != mistake.scope.kind(positional[0])) =>
        {
            let items = super::foreign::items(mistake.scope, &mistake.text[call.range.clone()]);
            return items.map(|items| format!("write `{items}`"));
        }
        "max" | "min" | "sum" => {
            if let Some(form) = super::foreign::call(mistake.scope, name, &positional) {
                return Some(format!("write `{form}`"));
            }
        }
        "round" if positional.len() == 1 && mistake.scope.kind(positional[0]) != Kind::Array => {}
        _ => {}
    }
    // What is advised has no functions of Python's left.
    if positional.iter().any(|text| calls_python(text)) {
        let written: Option<Vec<String>> =
            positional.iter().map(|text| super::foreign::code(mistake.scope, text)).collect();
        let written = written?;
        let written: Vec<&str> = written.iter().map(String::as_str).collect();
        return of_forms(mistake, call, &written);
    }
    if let Some(of) = numpy::element_type(name) {
        let value = first.unwrap_or("x");
        if value.starts_with('"') || mistake.scope.kind(value) == Kind::Text {
            return Some(format!("a string is parsed by `{}.parse::<{of}>()?`", operand(value)));
        }
        if mistake.scope.kind(value) == Kind::Array {
            return Some(format!("an array is converted by `{}.astype({of})`", operand(value)));
        }
        return Some(format!("a number is converted by `{} as {of}`", operand(value)));
    }
    if names::MACROS.iter().any(|own| own.trim_end_matches('!') == name)
        || ["vec", "format", "assert"].contains(&name)
    {
        let inner = match &arguments[..] {
            [list] if name == "gpu" && list.starts_with('[') && !list.starts_with("[[") => {
                list.trim_matches(['[', ']']).to_owned()
            }
            all => all.join(", "),
        };
        let (open, close) = if ["gpu", "vec", "s"].contains(&name) { ('[', ']') } else { ('(', ')') };
        return Some(format!("a macro is called with `!`: `{name}!{open}{inner}{close}`"));
    }
    if ["list", "array", "asarray"].contains(&name) && first.is_some_and(|text| text.starts_with('[')) {
        let of = if name == "list" { "vec" } else { "gpu" };
        return Some(format!("write `{of}!{}`", first.unwrap_or_default()));
    }
    of_forms(mistake, call, &positional)
}

/// What the tables have for a function.
fn of_forms(mistake: &Mistake<'_>, call: &Call<'_>, positional: &[&str]) -> Option<String> {
    let name = call.name;
    let kind = positional.first().map_or(Kind::Unknown, |first| mistake.scope.kind(first));
    // Of what nothing is known, both forms are said.
    let of_vector = || numpy::form_of(mistake.scope, name, positional, Kind::Sequence);
    let form = || {
        let form = numpy::form(mistake.scope, name, positional)?;
        match of_vector().filter(|other| kind == Kind::Unknown && *other != form) {
            Some(other) => Some(format!("of an array {form}, of a vector {other}")),
            None => Some(form),
        }
    };
    let builtin = || {
        let form = FUNCTIONS.iter().find(|(known, _)| *known == name)?.1;
        Some(numpy::filled(mistake.scope, form, name, positional))
    };
    // Of what is not an array, Rust's own; of an array, NumPy's.
    if kind == Kind::Array { form().or_else(builtin) } else { builtin_first(kind, form(), builtin()) }
        .or_else(|| numpy::creation(mistake.scope, call))
        .map(super::written)
}

fn builtin_first(kind: Kind, form: Option<String>, builtin: Option<String>) -> Option<String> {
    match kind {
        Kind::Other => builtin.or(form),
        _ => form.or(builtin),
    }
}

/// What `print(..)` and `printf(..)` are.
fn printing(mistake: &Mistake<'_>, call: &Call<'_>) -> Option<String> {
    let text = &mistake.text[call.range.clone()];
    let inner = text[text.find('(')? + 1..].strip_suffix(')')?;
    // A macro of Rust's without its sign, or a text with its places.
    let positional = call.positional();
    let format = positional.first().filter(|text| text.starts_with('"') && text.ends_with('"'));
    let is_macro = call.name.ends_with("println");
    let has_places = |text: &&str| text.contains("{}") || text.contains("{:");
    if format.is_some_and(|format| is_macro || positional.len() > 1 && has_places(format)) {
        let name = if is_macro { call.name } else { "println" };
        return Some(format!("print with a macro: `{name}!({})`", call.arguments.as_ref()?.join(", ")));
    }
    let help = super::foreign::print_advice(mistake.scope, inner);
    let is_shown = help.contains("println!(\"{:?}\",") && call.arguments.as_ref()?.len() == 1;
    Some(if is_shown { format!("{help}; the last value of a cell is shown anyway") } else { help })
}

/// A value that is not there.
fn of_value(mistake: &Mistake<'_>, name: &str) -> Option<String> {
    // `map(float, v)`
    if ["abs", "float", "int", "len", "str"].contains(&name)
        && let Some(outer) = enclosing(mistake.text, mistake.range.start)
        && ["filter", "list", "map", "set"].contains(&outer.name)
    {
        return of_call(mistake, &outer);
    }
    if let Some((_, form)) = CONSTANTS.iter().find(|(known, _)| *known == name && name.len() > 1) {
        return Some(format!("it is {form}"));
    }
    if let Some((_, form)) = VALUES.iter().find(|(known, _)| *known == name) {
        return Some((*form).to_owned());
    }
    let after = mistake.text.get(mistake.range.end..)?.trim_start();
    if after.starts_with('.') && TABLES.contains(&name) {
        return Some(
            "tables are made of arrays: `columns(((\"x\", &x), (\"y\", &y)))` shows some, `table(&rows)` a list, \
             and `describe(&x)` what numbers are like"
                .to_owned(),
        );
    }
    if after.starts_with('.') && super::pyplot::AXES.contains(&name) {
        return super::pyplot::advice(&Call::at(mistake.text, mistake.range.end + 1)?);
    }
    if let Some(help) = of_shell(mistake, name) {
        return Some(help);
    }
    // `float *p;` is a product, as far as the parser knows.
    if let Some(rest) = after.strip_prefix('*')
        && let Some(of) = numpy::element_type(name)
        && mistake.line()[..mistake.column()].trim().is_empty()
    {
        let pointer =
            rest.trim_start_matches([' ', '*']).split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        let of = if name == "float" { "f32" } else { of };
        return Some(format!(
            "what a kernel gets as a pointer is an array: `let {pointer} = zeros::<{of}>(n);`"
        ));
    }
    // `a.astype(float32)`
    if let Some(of) = numpy::element_type(name) {
        return Some(match name {
            "int" => "Python's `int` is `i64`, C's is `i32`".to_owned(),
            "float" => "Python's `float` is `f64`, C's is `f32`".to_owned(),
            _ => format!("the type is `{of}`"),
        });
    }
    if after.starts_with('=') && !after.starts_with("==") && is_argument(mistake) {
        return Some(super::KEYWORD.to_owned());
    }
    None
}

/// `ls -l`, `files = !ls`
fn of_shell(mistake: &Mistake<'_>, name: &str) -> Option<String> {
    let before = mistake.line()[..mistake.column()].trim();
    let is_first = before.is_empty() || before.ends_with("!") && before.contains('=');
    let help = super::foreign::shell(mistake.line()).filter(|_| is_first)?;
    mistake.line()[mistake.column()..].starts_with(name).then_some(help)
}

/// Whether a place is within the parentheses of a call.
fn is_argument(mistake: &Mistake<'_>) -> bool {
    let before = &mistake.line()[..mistake.column()];
    let depth = before.matches('(').count() as i64 - before.matches(')').count() as i64;
    depth > 0 && is_name(mistake.quoted())
}

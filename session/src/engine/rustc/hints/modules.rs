//! Modules of Python's standard library: `time.time()`, `os.listdir(".")`, `sys.argv`.

use super::Mistake;
use super::place::{Call, is_name};

/// Modules, as scripts import them.
const MODULES: &[&str] =
    &["datetime", "glob", "json", "os", "pathlib", "pickle", "re", "shutil", "subprocess", "sys", "time"];

/// What has a form: `{a}` and `{b}` are the arguments, or what stands behind them here.
#[rustfmt::skip]
const NAMES: &[(&str, [&str; 2], &str)] = &[
    ("os.listdir", ["\".\"", ""], "the entries of a folder: `std::fs::read_dir({a})?`; `!ls` shows them"),
    ("os.scandir", ["\".\"", ""], "the entries of a folder: `std::fs::read_dir({a})?`"),
    ("os.getcwd", ["", ""], "the current folder: `std::env::current_dir()?`; `:pwd` shows it"),
    ("os.chdir", ["\"..\"", ""], "`:cd ..` changes the current folder, and within a cell `std::env::set_current_dir({a})?`"),
    ("os.environ", ["\"HOME\"", ""], "a variable of the environment: `std::env::var({a})?`"),
    ("os.getenv", ["\"HOME\"", ""], "a variable of the environment: `std::env::var({a})?`"),
    ("os.path.exists", ["\"a.txt\"", ""], "write `std::path::Path::new({a}).exists()`"),
    ("os.path.isfile", ["\"a.txt\"", ""], "write `std::path::Path::new({a}).is_file()`"),
    ("os.path.isdir", ["\"a\"", ""], "write `std::path::Path::new({a}).is_dir()`"),
    ("os.path.join", ["\"a\"", "\"b\""], "write `std::path::Path::new({a}).join({b})`"),
    ("os.path.basename", ["\"a/b\"", ""], "write `std::path::Path::new({a}).file_name()`"),
    ("os.path.dirname", ["\"a/b\"", ""], "write `std::path::Path::new({a}).parent()`"),
    ("os.path.getsize", ["\"a.txt\"", ""], "write `std::fs::metadata({a})?.len()`"),
    ("os.makedirs", ["\"a/b\"", ""], "write `std::fs::create_dir_all({a})?`"),
    ("os.mkdir", ["\"a\"", ""], "write `std::fs::create_dir({a})?`"),
    ("os.remove", ["\"a.txt\"", ""], "write `std::fs::remove_file({a})?`"),
    ("os.rename", ["\"a\"", "\"b\""], "write `std::fs::rename({a}, {b})?`"),
    ("os.cpu_count", ["", ""], "write `std::thread::available_parallelism()?`"),
    ("os.system", ["", ""], "a command of the system starts with `!`: `!ls`"),
    ("shutil.copy", ["\"a\"", "\"b\""], "write `std::fs::copy({a}, {b})?`"),
    ("subprocess.run", ["", ""], "a command of the system starts with `!`: `!ls`; within a cell `std::process::Command::new(\"ls\").status()?`"),
    ("sys.argv", ["", ""], "write `std::env::args().collect::<Vec<_>>()`"),
    ("sys.exit", ["", ""], "`:quit` ends the session, and `return Ok(())` a cell"),
    ("sys.getsizeof", ["1", ""], "write `size_of_val(&{a})`"),
    ("datetime.datetime.now", ["", ""], "write `std::time::SystemTime::now()`"),
    ("glob.glob", ["", ""], "`!ls *.npy` shows such files; within a cell `std::fs::read_dir(\".\")?` has the entries of a folder"),
    ("json", ["", ""], "`:dep serde_json` adds a crate for JSON"),
    ("re", ["", ""], "`:dep regex` adds a crate for regular expressions"),
    ("pickle", ["", ""], "arrays are written by `io::save(\"a.npy\", &a)?`"),
];

/// Advice about a module that is not there, by what is taken from it.
pub(super) fn advice(mistake: &Mistake<'_>, module: &str) -> Option<String> {
    let text = mistake.text.get(mistake.range.start..)?;
    let rest = text.strip_prefix(module)?;
    if !MODULES.contains(&module) || !rest.starts_with('.') {
        return None;
    }
    let path: &str = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').next()?;
    let path = path.trim_end_matches('.');
    let call = Call::at(mistake.text, mistake.range.start + path.rfind('.')? + 1)?;
    if module == "time" {
        return of_time(mistake, &call);
    }
    let is_row =
        |known: &str| path.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let Some((_, others, form)) = NAMES.iter().find(|(known, _, _)| is_row(known)) else {
        return super::foreign::of_module(module).map(str::to_owned);
    };
    // `os.environ["HOME"]`
    let index = mistake.text.get(call.range.end..).and_then(|rest| rest.strip_prefix('[')?.split(']').next());
    let given: Vec<&str> = call.arguments.iter().flatten().copied().chain(index).collect();
    let value = |k: usize| {
        let own = given.get(k).and_then(|text| super::foreign::code(mistake.scope, text));
        own.unwrap_or_else(|| others[k].to_owned())
    };
    Some(form.replace("{a}", &value(0)).replace("{b}", &value(1)))
}

/// `time.time()`, `time.sleep(1)`
fn of_time(mistake: &Mistake<'_>, call: &Call<'_>) -> Option<String> {
    const SINCE: &str = "the time since is `.elapsed()` of it";
    let value = call.arguments.as_ref().and_then(|arguments| arguments.first().copied());
    match call.name {
        "sleep" => {
            let value = value.and_then(|value| super::foreign::code(mistake.scope, value));
            let value = value.unwrap_or_else(|| "1".to_owned());
            let duration = match (value.parse::<u64>(), mistake.scope.number(&value).as_deref()) {
                (Ok(_), _) => format!("from_secs({value})"),
                (Err(_), Some("f64" | "{float}") | None) => format!("from_secs_f64({value})"),
                (Err(_), Some(_)) => format!("from_secs_f64({value} as f64)"),
            };
            Some(format!("write `std::thread::sleep(std::time::Duration::{duration})`"))
        }
        "time" | "perf_counter" | "monotonic" | "process_time" => {
            // `time.time() - start`
            let after = mistake.text.get(call.range.end..)?.trim_start();
            let start = after.strip_prefix('-').map(str::trim_start);
            let start = start.and_then(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next());
            if let Some(start) = start.filter(|start| is_name(start)) {
                return Some(format!(
                    "of `let {start} = std::time::Instant::now();` the time since is `{start}.elapsed()`"
                ));
            }
            let before = mistake.line()[..mistake.column()].trim();
            let name = before.strip_suffix('=').map(|name| name.trim_start_matches("let ").trim());
            Some(match name.filter(|name| is_name(name)) {
                Some(name) => format!("write `let {name} = std::time::Instant::now();`; {SINCE}"),
                None => format!(
                    "Rust's clock is `std::time::Instant::now()`, and {SINCE}: `let start = std::time::Instant::now(); \
                     start.elapsed()`"
                ),
            })
        }
        _ => super::foreign::of_module("time").map(str::to_owned),
    }
}

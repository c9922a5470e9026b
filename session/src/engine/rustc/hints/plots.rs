//! Figures: calls as Matplotlib has them.

use super::keywords::{SWITCHES, as_methods, lent, pixels};
use super::place::Call;
use super::settings::{self, SHOWN};
use super::{Mistake, data, grids, kinds, said};

/// Functions of one series, whose places and values are a pair.
const SERIES: &[&str] = &[
    "plot", "scatter", "bar", "barh", "step", "stem", "semilogx", "semilogy", "loglog", "errorbar", "polar",
];

/// What needs no call.
pub(super) const NOTHING: &[&str] = &[
    "cla",
    "clf",
    "close",
    "colorbar",
    "constrained_layout",
    "draw",
    "ioff",
    "ion",
    "pause",
    "tight_layout",
];

/// Advice about a figure.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    match mistake.message.code() {
        "E0061" => of_count(mistake),
        "E0277" => of_argument(mistake),
        "E0308" => of_lost(mistake),
        "E0425" => of_function(mistake),
        "E0631" => of_slider(mistake),
        _ => None,
    }
}

/// A slider over integers for an argument that is a fraction: `interact(|k: f64| .., 0..10)`.
fn of_slider(mistake: &Mistake<'_>) -> Option<String> {
    let all = mistake.all();
    if !all.contains("Interactive<(")
        || !all.contains("{integer}")
        || !(all.contains("f64") || all.contains("f32"))
    {
        return None;
    }
    let words = mistake.words();
    let at = words
        .match_indices("..")
        .map(|(at, _)| at)
        .find(|at| words[..*at].ends_with(|c: char| c.is_ascii_digit()) && !words[..*at].ends_with(".."))?;
    let start = words[..at].trim_end_matches(|c: char| c.is_ascii_digit() || c == '-').len();
    let rest = &words[at..];
    let dots = if rest.starts_with("..=") { "..=" } else { ".." };
    let end: String = rest[dots.len()..].chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
    Some(format!("fractions have a range of fractions: `{}.0{dots}{end}.0`", &words[start..at]))
}

/// The call of a figure's that a message points at.
fn call_at<'m>(mistake: &Mistake<'m>) -> Option<Call<'m>> {
    let words = mistake.words();
    let name_end = words.split(['(', '<']).next().unwrap_or(words).trim_end_matches(':');
    let at = mistake.range.start + name_end.rfind([':', '.']).map_or(0, |at| at + 1);
    Call::at(mistake.text, at)
}

/// `plot(&x, &y)`, `fig.legend("upper left")`
fn of_count(mistake: &Mistake<'_>) -> Option<String> {
    of_call(&call_at(mistake)?)
}

/// A call as it is written here.
pub(super) fn of_call(call: &Call<'_>) -> Option<String> {
    let positional = call.positional();
    let on = call.on.map(|on| format!("{on}.")).unwrap_or_default();
    let methods = as_methods(call);
    let name = call.name;
    if SERIES.contains(&name) {
        return Some(of_series(call, &on, &positional, &methods));
    }
    if let Some(form) = data::of_call(call, &on) {
        return Some(form);
    }
    Some(match (name, &positional[..]) {
        ("hist", [data, ..]) => {
            let bins = call.keyword("bins").or(positional.get(1).copied()).unwrap_or("10");
            format!("it takes the number of bins: `{on}hist({}, {bins}){methods}`", lent(data))
        }
        ("fill_between", [x, y]) => {
            format!(
                "it takes both lines, or a number: `{on}fill_between({}, {}, 0.0){methods}`",
                lent(x),
                lent(y)
            )
        }
        ("fill_between", [x, y, other]) => {
            format!("write `{on}fill_between({}, {}, {}){methods}`", lent(x), lent(y), lent(other))
        }
        ("legend", [place]) if place.starts_with('"') => {
            format!("its place is another method's: `{on}legend_at({place})`")
        }
        ("legend", []) if call.keyword("loc").is_some() => {
            let place = call.keyword("loc").unwrap_or_default();
            format!("its place is another method's: `{on}legend_at({place})`")
        }
        ("legend", [_]) => {
            format!("each series has a name of its own, `.label(\"a\")`, and `{on}legend()` shows them")
        }
        ("xticks" | "yticks", [places, names]) => {
            format!("places and names are a pair: `{on}{name}(({places}, {names}))`")
        }
        ("xlim" | "ylim", [both]) if both.starts_with(['(', '[']) => {
            let inside = both[1..].strip_suffix([')', ']'])?;
            format!("both ends are arguments: `{on}{name}({})`", inside.trim())
        }
        ("grid", []) => said("", &format!("{on}grid_axis({})", call.keyword("axis")?)),
        ("density", [times]) if times.parse::<f64>().is_ok() => {
            said("how close lines along vectors are", &format!("{on}line_density({times})"))
        }
        ("grid" | "dashed" | "dotted" | "log_x" | "log_y", [_, ..]) => {
            format!("write `{on}{name}()`")
        }
        (name, [_, ..]) if SWITCHES.contains(&name) => format!("write `{on}{name}()`"),
        ("colorbar", []) => match call.keyword("label") {
            Some(label) => said("", &format!("{on}colorbar_label({label})")),
            None => "nothing is needed: a matrix has its bar of colours; `.colorbar(false)` leaves it out"
                .to_owned(),
        },
        ("text", [x, y]) => format!("it takes a text: `{on}text({x}, {y}, \"..\")`"),
        ("axhline" | "axvline" | "axhspan" | "axvspan" | "text" | "annotate", [..])
            if !methods.is_empty() =>
        {
            format!("write `{on}{name}({}){methods}`", positional.join(", "))
        }
        ("subplots", _) => format!("it takes rows and columns: `{}`", grids::several(call)),
        _ => return None,
    })
}

fn of_series(call: &Call<'_>, on: &str, positional: &[&str], methods: &str) -> String {
    let name = call.name;
    let errors =
        (name == "errorbar").then(|| call.keyword("yerr").or(positional.get(2).copied()).unwrap_or("0.1"));
    let methods = match errors {
        Some(errors) => methods.replace(&format!(".yerr({})", lent(errors)), ""),
        None => methods.to_owned(),
    };
    let after = errors.map(|errors| format!(", {}", lent(errors))).unwrap_or_default();
    match positional {
        [closure, range, ..] if closure.starts_with('|') => of_closure(on, name, closure, range),
        [] => format!("it takes values, or a pair of places and values: `{on}{name}((&x, &y){after})`"),
        [only] => format!("write `{on}{name}({}{after}){methods}`", lent(only)),
        [x, y, format, ..] if format.starts_with('"') && errors.is_none() => {
            format!("they are one argument: `{on}{name}(({}, {}, {format})){methods}`", lent(x), lent(y))
        }
        [y, format] if format.starts_with('"') => {
            format!("they are one argument: `{on}{name}(({}, {format})){methods}`", lent(y))
        }
        [x, y, ..] => {
            let pair = if name == "polar" { "angles and distances" } else { "x and y" };
            format!("{pair} are a pair: `{on}{name}(({}, {}){after}){methods}`", lent(x), lent(y))
        }
    }
}

/// `plot(|t| t.sin(), 0..10)`
fn of_closure(on: &str, name: &str, closure: &str, range: &str) -> String {
    let number = |text: &str| if text.parse::<i64>().is_ok() { format!("{text}.0") } else { text.to_owned() };
    let (start, end) = range.split_once("..").unwrap_or(("0", "10"));
    let (start, end) = (number(start.trim()), number(end.trim_start_matches('=').trim()));
    let closure = match closure[1..].split_once('|') {
        Some((parameter, body)) if !parameter.contains(':') => format!("|{parameter}: f64|{body}"),
        _ => closure.to_owned(),
    };
    format!(
        "a figure shows values: `let x = linspace({start}, {end}, 100);` and `{on}{name}((&x, x.map({closure})))`"
    )
}

/// `bar(["a", "b"], [1, 2])`, `hist2d(&x, &y)`, `fig.axhline(y=0.5)`
fn of_argument(mistake: &Mistake<'_>) -> Option<String> {
    let call = Call::around(mistake.text, mistake.range.start)?;
    let on = call.on.map(|on| format!("{on}.")).unwrap_or_default();
    let positional = call.positional();
    if SERIES.contains(&call.name) && positional.len() > 1 {
        return Some(of_series(&call, &on, &positional, &as_methods(&call)));
    }
    if positional.len() > 1
        && let Some(form) = data::of_call(&call, &on)
    {
        return Some(form);
    }
    if mistake.message.message.contains("is not a place on an axis") {
        let value = call.keyword("y").or_else(|| call.keyword("x"))?;
        return Some(format!("write `{on}{}({value}){}`", call.name, as_methods(&call)));
    }
    None
}

/// `for k in 0..3 { plot(&k) }`
fn of_lost(mistake: &Mistake<'_>) -> Option<String> {
    let is_lost = ["expected `()`, found `Figure`", "expected `()`, found `Subplots`"];
    let is_lost = mistake.labels().any(|label| is_lost.contains(&label));
    is_lost.then(|| format!("each is shown by `display(&{});`", mistake.words().trim()))
}

/// `figure(figsize=(8, 6))`, `title("x")`
fn of_function(mistake: &Mistake<'_>) -> Option<String> {
    let call = Call::at(mistake.text, mistake.range.start).filter(|call| call.on.is_none())?;
    let arguments = call.arguments.as_ref()?;
    if !mistake.message.message.starts_with("cannot find function") {
        return None;
    }
    Some(match call.name {
        "figure" => match call.keyword("figsize").and_then(pixels) {
            Some(size) => {
                format!("functions such as `plot(&y)` make figures; its size in pixels is `.size({size})`")
            }
            None => "functions such as `plot(&y)` make figures; an empty one is `Figure::new()`".to_owned(),
        },
        "show" if arguments.is_empty() => SHOWN.to_owned(),
        "savefig" => format!("a figure is written by `figure.save({})?`", arguments.join(", ")),
        "suptitle" => format!(
            "it is a method of several axes, `subplots(1, 2).suptitle({0})`; a figure has `plot(&y).title({0})`",
            arguments.join(", ")
        ),
        "xscale" | "yscale" => {
            let (why, calls) = settings::form(&call)?;
            said(why, &format!("plot(&y){calls}"))
        }
        // These are names of other libraries, too.
        "close" | "draw" | "pause" => return None,
        name if NOTHING.contains(&name) => format!("nothing is needed in the place of `{name}()`"),
        name if settings::METHODS.contains(&name) => {
            let calls = settings::form(&call).map(|(_, calls)| calls);
            let calls = calls.unwrap_or_else(|| format!(".{name}({})", arguments.join(", ")));
            format!("it is a method of a figure: `plot(&y){calls}`")
        }
        _ => {
            let (why, form) = kinds::form(&call)?;
            said(why, &kinds::as_function(&form))
        }
    })
}

//! Figures: calls as Matplotlib has them.

use super::Mistake;
use super::place::{Call, is_name, operand, parts};

/// Functions of one series, whose places and values are a pair.
const SERIES: &[&str] =
    &["plot", "scatter", "bar", "barh", "step", "stem", "semilogx", "semilogy", "loglog", "errorbar"];

/// Matplotlib's keywords, and the methods that say the same.
const KEYWORDS: &[(&str, &str)] = &[
    ("alpha", "alpha"),
    ("capsize", "capsize"),
    ("cmap", "colormap"),
    ("color", "color"),
    ("facecolor", "color"),
    ("fmt", "format"),
    ("fontsize", "fontsize"),
    ("ha", "align"),
    ("label", "label"),
    ("linestyle", "linestyle"),
    ("linewidth", "linewidth"),
    ("ls", "linestyle"),
    ("lw", "linewidth"),
    ("marker", "marker"),
    ("markersize", "markersize"),
    ("ms", "markersize"),
    ("bottom", "bottom"),
    ("xerr", "xerr"),
    ("yerr", "yerr"),
];

/// What Matplotlib's functions and methods are methods of here.
pub(super) const METHODS: &[&str] = &[
    "annotate", "axhline", "axhspan", "axvline", "axvspan", "grid", "legend", "text", "title", "xlabel",
    "xlim", "xticks", "ylabel", "ylim", "yticks",
];

/// Advice about a figure.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    match mistake.message.code() {
        "E0061" => of_count(mistake),
        "E0277" => of_argument(mistake),
        "E0308" => of_tuple(mistake),
        "E0425" => of_function(mistake),
        "E0599" => of_method(mistake),
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
    let start = words[..at].rfind(|c: char| !c.is_ascii_digit() && c != '-').map_or(0, |before| before + 1);
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

/// The call that begins last before a place.
fn call_around<'m>(mistake: &Mistake<'m>) -> Option<Call<'m>> {
    let before = mistake.text.get(..mistake.range.start)?;
    let open = before.rfind('(')?;
    Call::at(mistake.text, open)
}

/// `plot(&x, &y)`, `fig.legend("upper left")`
fn of_count(mistake: &Mistake<'_>) -> Option<String> {
    of_call(&call_at(mistake)?)
}

/// A call as it is written here.
pub(super) fn of_call(call: &Call<'_>) -> Option<String> {
    let positional = call.positional();
    let on = call.on.map(|on| format!("{on}.")).unwrap_or_default();
    let keywords = keywords(call);
    let name = call.name;
    if SERIES.contains(&name) {
        return Some(of_series(call, &on, &positional, &keywords));
    }
    Some(match (name, &positional[..]) {
        ("hist", [data, ..]) => {
            let bins = call.keyword("bins").or(positional.get(1).copied()).unwrap_or("10");
            format!("it takes the number of bins: `{on}hist({}, {bins}){keywords}`", lent(data))
        }
        ("fill_between", [x, y]) => {
            format!(
                "it takes both lines, or a number: `{on}fill_between({}, {}, 0.0){keywords}`",
                lent(x),
                lent(y)
            )
        }
        ("fill_between", [x, y, other]) => {
            format!("write `{on}fill_between({}, {}, {}){keywords}`", lent(x), lent(y), lent(other))
        }
        ("imshow" | "contour" | "contourf" | "pcolormesh" | "surface", [data]) => {
            format!("write `{on}{name}({}){keywords}`", lent(data))
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
            format!("both ends are arguments: `{on}{name}({})`", both[1..both.len() - 1].trim())
        }
        ("grid" | "stacked" | "dashed" | "dotted" | "log_x" | "log_y", [_, ..]) => {
            format!("write `{on}{name}()`")
        }
        ("text", [x, y]) => format!("it takes a text: `{on}text({x}, {y}, \"..\")`"),
        ("axhline" | "axvline" | "axhspan" | "axvspan" | "text" | "annotate", [..])
            if !keywords.is_empty() =>
        {
            format!("write `{on}{name}({}){keywords}`", positional.join(", "))
        }
        ("subplots", _) => format!("it takes rows and columns: `{}`", several(call)),
        _ => return None,
    })
}

fn of_series(call: &Call<'_>, on: &str, positional: &[&str], keywords: &str) -> String {
    let name = call.name;
    let errors =
        (name == "errorbar").then(|| call.keyword("yerr").or(positional.get(2).copied()).unwrap_or("0.1"));
    let keywords = match errors {
        Some(errors) => keywords.replace(&format!(".yerr({})", lent(errors)), ""),
        None => keywords.to_owned(),
    };
    let after = errors.map(|errors| format!(", {}", lent(errors))).unwrap_or_default();
    match positional {
        [closure, range, ..] if closure.starts_with('|') => of_closure(on, name, closure, range),
        [] => format!("it takes values, or a pair of places and values: `{on}{name}((&x, &y){after})`"),
        [only] => format!("write `{on}{name}({}{after}){keywords}`", lent(only)),
        [x, y, format, ..] if format.starts_with('"') && errors.is_none() => {
            format!("they are one argument: `{on}{name}(({}, {}, {format})){keywords}`", lent(x), lent(y))
        }
        [y, format] if format.starts_with('"') => {
            format!("they are one argument: `{on}{name}(({}, {format})){keywords}`", lent(y))
        }
        [x, y, ..] => {
            format!("x and y are a pair: `{on}{name}(({}, {}){after}){keywords}`", lent(x), lent(y))
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

/// `subplots(nrows=2, ncols=1, sharex=True)` as it is written here.
pub(super) fn several(call: &Call<'_>) -> String {
    let positional = call.positional();
    let rows = call.keyword("nrows").or(positional.first().copied()).unwrap_or("1");
    let columns = call.keyword("ncols").or(positional.get(1).copied()).unwrap_or("1");
    let mut text = format!("subplots({rows}, {columns})");
    for keyword in ["sharex", "sharey"] {
        if call.keyword(keyword).is_some_and(|value| !["False", "false"].contains(&value)) {
            text.push_str(&format!(".{keyword}()"));
        }
    }
    if let Some(size) = call.keyword("figsize").and_then(pixels) {
        text.push_str(&format!(".size({size})"));
    }
    text
}

/// The keywords of a call as calls of methods.
fn keywords(call: &Call<'_>) -> String {
    // A colour for all points, or a value for each.
    let color = |value: &str| if value.starts_with(['"', '\'']) { "color" } else { "colors" };
    let own = [("c", call.keyword("c").map(color)), ("s", Some("sizes"))];
    let own = own.iter().filter_map(|(keyword, method)| {
        let value = call.keyword(keyword)?.replace('\'', "\"");
        Some(format!(".{}({})", (*method)?, lent(&value)))
    });
    let said = KEYWORDS.iter().filter_map(|(keyword, method)| {
        let value = call.keyword(keyword)?;
        let value = match *method {
            "xerr" | "yerr" | "bottom" => lent(value),
            _ => value.replace('\'', "\""),
        };
        Some(format!(".{method}({value})"))
    });
    said.chain(own).collect()
}

/// Data as an argument: lent, if it is not written there.
fn lent(data: &str) -> String {
    let is_written = data.starts_with(['[', '"', '(']) || data.starts_with(|c: char| c.is_ascii_digit());
    if is_written || data.starts_with("vec!") { data.to_owned() } else { format!("&{}", operand(data)) }
}

/// `bar(["a", "b"], [1, 2])`, `fig.axhline(y=0.5)`
fn of_argument(mistake: &Mistake<'_>) -> Option<String> {
    let call = call_around(mistake)?;
    let on = call.on.map(|on| format!("{on}.")).unwrap_or_default();
    let positional = call.positional();
    if SERIES.contains(&call.name) && positional.len() > 1 {
        return Some(of_series(&call, &on, &positional, &keywords(&call)));
    }
    if mistake.message.message.contains("is not a place on an axis") {
        let value = call.keyword("y").or_else(|| call.keyword("x"))?;
        return Some(format!("write `{on}{}({value}){}`", call.name, keywords(&call)));
    }
    None
}

/// `let (fig, axes) = subplots(1, 2);`, `for k in 0..3 { plot(&k) }`
fn of_tuple(mistake: &Mistake<'_>) -> Option<String> {
    let is_lost = ["expected `()`, found `Figure`", "expected `()`, found `Subplots`"];
    if mistake.labels().any(|label| is_lost.contains(&label)) {
        return Some(format!("each is shown by `display(&{});`", mistake.words().trim()));
    }
    let is_axes = mistake.labels().any(|label| label.starts_with("expected `Subplots`, found `(_, _"));
    if !is_axes {
        return None;
    }
    let line = mistake.line();
    let names = parts(mistake.words().trim().strip_prefix('(')?.strip_suffix(')')?);
    let name = names.last().copied().filter(|name| is_name(name)).unwrap_or("axes");
    let call = Call::at(mistake.text, mistake.line_start() + line.find("subplots")?)?;
    Some(format!(
        "it is one value: `let {name} = {};`; axes are `{name}[(0, 0)]` and so on, and `{name}.suptitle(\"..\")` is the title \
         of all",
        several(&call)
    ))
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
        name if METHODS.contains(&name) => {
            format!("it is a method of a figure: `plot(&y).{name}({})`", arguments.join(", "))
        }
        _ => return None,
    })
}

pub(super) const SHOWN: &str =
    "a figure that is a cell's value is shown; within a cell `display(&figure)` shows one";

/// `(8, 6)` inches as pixels.
pub(super) fn pixels(inches: &str) -> Option<String> {
    let sides = parts(inches.trim().strip_prefix(['(', '['])?.strip_suffix([')', ']'])?);
    let sides: Option<Vec<String>> =
        sides.iter().map(|side| Some(format!("{:.0}", side.parse::<f64>().ok()? * 100.0))).collect();
    sides.filter(|sides| sides.len() == 2).map(|sides| sides.join(", "))
}

/// `axes[0].set_title("x")`, `fig.show()`
fn of_method(mistake: &Mistake<'_>) -> Option<String> {
    let message = &mistake.message.message;
    if !["struct `Figure`", "struct `Subplots`"].iter().any(|of| message.contains(of)) {
        return None;
    }
    let call =
        Call::at(mistake.text, mistake.range.end.min(mistake.text.len())).or_else(|| call_at(mistake))?;
    let on = call.on?;
    let list = call.positional().join(", ");
    let name = call.name.strip_prefix("set_").unwrap_or(call.name);
    Some(match name {
        "show" => SHOWN.to_owned(),
        "savefig" => format!("it is written by `{on}.save({list})?`"),
        "xscale" | "yscale" => format!("write `{on}.log_{}()`", &name[..1]),
        "tight_layout" | "constrained_layout" => {
            "nothing is needed: labels have room by themselves".to_owned()
        }
        "colorbar" => "nothing is needed: a matrix has its bar of colours".to_owned(),
        "xticklabels" | "yticklabels" => {
            format!("they stand with their places: `{on}.{}((&[0, 1], {list}))`", &name[..6])
        }
        "size_inches" => format!("in pixels: `{on}.size(800, 600)`"),
        _ if METHODS.contains(&name) && name != call.name => format!("write `{on}.{name}({list})`"),
        _ => return None,
    })
}

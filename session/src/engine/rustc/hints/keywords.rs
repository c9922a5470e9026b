//! Matplotlib's keyword arguments, which are methods of figures here: `color="red"`, `lw=2`, `vmin=0`.

use super::place::{Call, operand, parts};

/// Matplotlib's keywords and settings, and the methods that say the same.
pub(super) const METHODS: &[(&str, &str)] = &[
    ("alpha", "alpha"),
    ("autopct", "autopct"),
    ("bottom", "bottom"),
    ("capsize", "capsize"),
    ("cmap", "colormap"),
    ("ec", "edgecolor"),
    ("edgecolor", "edgecolor"),
    ("edgecolors", "edgecolor"),
    ("explode", "explode"),
    ("facecolor", "color"),
    ("fc", "color"),
    ("fmt", "format"),
    ("fontsize", "fontsize"),
    ("ha", "align"),
    ("histtype", "histtype"),
    ("horizontalalignment", "align"),
    ("interpolation", "interpolation"),
    ("label", "label"),
    ("linestyle", "linestyle"),
    ("linewidth", "linewidth"),
    ("linewidths", "linewidth"),
    ("ls", "linestyle"),
    ("lw", "linewidth"),
    ("marker", "marker"),
    ("markeredgecolor", "edgecolor"),
    ("markerfacecolor", "color"),
    ("markersize", "markersize"),
    ("mec", "edgecolor"),
    ("mfc", "color"),
    ("ms", "markersize"),
    ("orientation", "orientation"),
    ("origin", "origin"),
    ("rotation", "rotation"),
    ("startangle", "startangle"),
    ("va", "valign"),
    ("verticalalignment", "valign"),
    ("whis", "whis"),
    ("xerr", "xerr"),
    ("yerr", "yerr"),
    ("zorder", "zorder"),
];

/// Methods whose argument is data, which is lent.
const OF_DATA: &[&str] = &["bottom", "explode", "xerr", "yerr"];

/// Keywords that are `True`, and methods without an argument.
pub(super) const SWITCHES: &[&str] = &["cumulative", "density", "stacked"];

/// Keywords that are `True` or `False`, and methods that take either.
const CHOICES: &[&str] = &["notch", "showfliers", "showmeans", "showmedians"];

/// The keywords of a call as calls of methods.
pub(super) fn as_methods(call: &Call<'_>) -> String {
    let mut methods = String::new();
    if let Some(value) = call.keyword("color").or(call.keyword("colors")) {
        let method = if is_texts(value) { "each_color" } else { "color" };
        methods.push_str(&format!(".{method}({})", with_quotes(value)));
    }
    for (keyword, method) in METHODS {
        let Some(value) = call.keyword(keyword) else { continue };
        let value = if OF_DATA.contains(method) { lent(value) } else { with_quotes(value) };
        methods.push_str(&format!(".{method}({value})"));
    }
    // The thickness of bars, whichever way they lie.
    let thickness = match call.name {
        "bar" => "width",
        "barh" => "height",
        _ => "",
    };
    if let Some(value) = call.keyword(thickness) {
        methods.push_str(&format!(".width({value})"));
    }
    let is_true = |value: &str| ["True", "true"].contains(&value);
    for keyword in SWITCHES {
        if call.keyword(keyword).is_some_and(is_true) {
            methods.push_str(&format!(".{keyword}()"));
        }
    }
    for keyword in CHOICES {
        if let Some(value) = call.keyword(keyword) {
            methods.push_str(&format!(".{keyword}({})", is_true(value)));
        }
    }
    let (low, high) = (call.keyword("vmin"), call.keyword("vmax"));
    if low.is_some() || high.is_some() {
        methods.push_str(&limits(low, high));
    }
    // A colour for all points, or a value for each.
    if let Some(value) = call.keyword("c") {
        let value = with_quotes(value);
        let method = match value.starts_with('"') {
            true => "color",
            false if is_texts(&value) => "each_color",
            false => "colors",
        };
        methods.push_str(&format!(".{method}({})", lent(&value)));
    }
    if let Some(value) = call.keyword("s") {
        methods.push_str(&format!(".sizes({})", lent(value)));
    }
    methods
}

/// The values at the ends of the colours, which one method sets.
pub(super) fn limits(low: Option<&str>, high: Option<&str>) -> String {
    format!(".clim({}, {})", low.unwrap_or("0"), high.unwrap_or("1"))
}

/// Whether an argument is a list of texts: `["a", "b"]`, `&["a"]`, `vec!["a"]`.
pub(super) fn is_texts(argument: &str) -> bool {
    list(argument).is_some_and(|list| list.trim_start().starts_with(['"', '\'']))
}

/// What is written between the brackets of a list.
pub(super) fn list(argument: &str) -> Option<&str> {
    let bare = argument.trim_start_matches('&');
    bare.strip_prefix("vec!").unwrap_or(bare).strip_prefix('[')?.strip_suffix(']')
}

/// Python's texts as Rust's.
pub(super) fn with_quotes(value: &str) -> String {
    value.replace('\'', "\"")
}

/// Data as an argument: lent, if it is not written there.
pub(super) fn lent(data: &str) -> String {
    let is_written = data.starts_with(['[', '"', '(']) || data.starts_with(|c: char| c.is_ascii_digit());
    if is_written || data.starts_with("vec!") { data.to_owned() } else { format!("&{}", operand(data)) }
}

/// `(8, 6)` inches, the value of `figsize`, as pixels.
pub(super) fn pixels(inches: &str) -> Option<String> {
    let sides = parts(inches.trim().strip_prefix(['(', '['])?.strip_suffix([')', ']'])?);
    let sides: Option<Vec<String>> =
        sides.iter().map(|side| Some(format!("{:.0}", side.parse::<f64>().ok()? * 100.0))).collect();
    sides.filter(|sides| sides.len() == 2).map(|sides| sides.join(", "))
}

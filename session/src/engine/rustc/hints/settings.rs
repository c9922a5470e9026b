//! Settings of figures, as Matplotlib calls them: methods of axes, of lines and of bars.

use super::keywords::{self, lent, limits, list, pixels};
use super::place::{Call, parts};
use super::{Mistake, kinds, said};

/// What Matplotlib's functions are methods of figures here.
pub(super) const METHODS: &[&str] = &[
    "annotate", "axhline", "axhspan", "axvline", "axvspan", "grid", "legend", "text", "title", "xlabel",
    "xlim", "xticks", "ylabel", "ylim", "yticks",
];

/// Other settings that have the name here that Matplotlib has behind `set_`.
const SAME: &[&str] = &[
    "alpha",
    "axis",
    "color",
    "edgecolor",
    "fontsize",
    "label",
    "linestyle",
    "linewidth",
    "marker",
    "markersize",
    "rotation",
    "theta_direction",
    "theta_zero_location",
    "zlabel",
    "zlim",
    "zorder",
    "zticks",
];

/// What shows a figure.
pub(super) const SHOWN: &str =
    "a figure that is a cell's value is shown; within a cell `display(&figure)` shows one";

/// Where all settings are listed.
const LISTS: &str =
    "`:help settings` lists the settings of figures, `:help matplotlib` those that have another name here";

/// Advice about a setting.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    match mistake.message.code() {
        "E0277" | "E0308" => of_colors(mistake).or_else(|| of_ends(mistake)),
        "E0282" | "E0283" => of_no_ticks(mistake),
        "E0599" => of_method(mistake),
        "E0624" => of_private(mistake),
        _ => None,
    }
}

/// A setting of Matplotlib's as calls of methods, and why it is these.
pub(super) fn form(call: &Call<'_>) -> Option<(&'static str, String)> {
    let name = call.name.strip_prefix("set_").unwrap_or(call.name);
    let given = call.positional();
    let all = given.join(", ");
    let first = given.first().copied();
    Some(match name {
        "xscale" | "yscale" => return scale(call, &name[..1]),
        "xticklabels" | "yticklabels" => {
            ("names stand with their places", format!(".{}ticks({})", &name[..1], with_places(first?)))
        }
        "xticks" | "yticks" | "zticks" => {
            let names = call.keyword("labels").or(given.get(1).copied());
            match (first, names, call.keyword("rotation")) {
                (Some(places), Some(names), _) => {
                    ("", format!(".{name}(({places}, {}))", keywords::with_quotes(names)))
                }
                (Some(places), None, _) => ("", format!(".{name}({})", ticks(places))),
                (None, _, angle) => ("", format!(".xtick_rotation({})", angle?)),
            }
        }
        "xlim" | "ylim" | "zlim" => ("", format!(".{name}({})", ends(call))),
        "rlim" => ("distances are `y`", format!(".ylim({})", ends(call))),
        "rmax" => ("distances are `y`", format!(".ylim(0, {all})")),
        "rticks" => ("distances are `y`", format!(".yticks({})", ticks(first?))),
        "invert_xaxis" | "invert_yaxis" => {
            ("the larger end first reverses an axis", format!(".{}lim(1, 0)", &name[7..8]))
        }
        "axis_off" => ("", ".axis(\"off\")".to_owned()),
        "aspect" => match first? {
            text if text.starts_with('"') => ("", format!(".aspect({text})")),
            _ => ("it is `\"equal\"` or `\"auto\"`", ".aspect(\"equal\")".to_owned()),
        },
        "size_inches" => {
            let size = pixels(&format!("({all})")).or_else(|| pixels(&all));
            ("in pixels", format!(".size({})", size.as_deref().unwrap_or("800, 600")))
        }
        "dpi" => ("pixels of a file", ".pixel_ratio(2.0)".to_owned()),
        "tick_params" => {
            let angle = call.keyword("rotation").or(call.keyword("labelrotation"))?;
            ("", format!(".xtick_rotation({angle})"))
        }
        "suptitle" => ("a figure of one pair of axes has one title", format!(".title({all})")),
        "set" => {
            let named = call.arguments.iter().flatten().map(|argument| argument.split_once('='));
            let named: Option<Vec<(&str, &str)>> = named.collect();
            let calls = named.filter(|named| !named.is_empty())?.into_iter().map(|(name, value)| {
                let (name, value) = (name.trim(), keywords::with_quotes(value.trim()));
                match value.strip_prefix('(').and_then(|ends| ends.strip_suffix(')')) {
                    Some(ends) if name.ends_with("lim") => format!(".{name}({ends})"),
                    _ => format!(".{name}({value})"),
                }
            });
            ("each setting is a method", calls.collect::<String>())
        }
        "height" => ("how thick bars are", format!(".width({all})")),
        "c" => {
            let method = if first?.starts_with('"') { "color" } else { "colors" };
            ("", format!(".{method}({all})"))
        }
        "s" => ("", format!(".sizes({all})")),
        _ if name != call.name && (METHODS.contains(&name) || SAME.contains(&name)) => {
            ("", format!(".{name}({all})"))
        }
        _ => {
            let (_, method) = keywords::METHODS.iter().find(|(known, _)| *known == name)?;
            (*method != call.name).then_some(())?;
            ("", format!(".{method}({all})"))
        }
    })
}

/// `yscale("symlog", linthresh=2)`
fn scale(call: &Call<'_>, axis: &str) -> Option<(&'static str, String)> {
    let given = call.positional();
    Some(match given.first().copied().unwrap_or("\"log\"").trim_matches(['"', '\'']) {
        "log" => ("", format!(".log_{axis}()")),
        "symlog" => {
            let near = call.keyword("linthresh").or(given.get(1).copied()).unwrap_or("1.0");
            ("linear within that distance of zero", format!(".symlog_{axis}({near})"))
        }
        _ => return None,
    })
}

/// The names of ticks with places for each: `(&[0, 1], ["a", "b"])`.
fn with_places(names: &str) -> String {
    let bare = names.trim_start_matches('&');
    match list(names) {
        Some(list) if !list.contains(';') => {
            let count = parts(list).len();
            let places: Vec<String> = (0..count).map(|place| place.to_string()).collect();
            let places = if count > 6 { format!("0..{count}") } else { format!("&[{}]", places.join(", ")) };
            format!("({places}, {})", keywords::with_quotes(bare))
        }
        _ => format!("(0..{bare}.len(), {})", lent(bare)),
    }
}

/// The places of ticks. An empty list has no type of its own.
fn ticks(places: &str) -> &str {
    if is_empty_list(places) { "&[0; 0]" } else { places }
}

fn is_empty_list(argument: &str) -> bool {
    list(argument).is_some_and(|list| list.trim().is_empty())
}

/// The ends of an axis, which Matplotlib also takes as a pair and by keywords.
fn ends(call: &Call<'_>) -> String {
    let given = call.positional();
    if let [both] = given[..]
        && let Some(pair) = both.strip_prefix(['(', '[']).and_then(|both| both.strip_suffix([')', ']']))
    {
        return pair.trim().to_owned();
    }
    let by_name = |names: &[&str]| names.iter().find_map(|name| call.keyword(name));
    let low = given.first().copied().or_else(|| by_name(&["left", "bottom", "xmin", "ymin"]));
    let high = given.get(1).copied().or_else(|| by_name(&["right", "top", "xmax", "ymax"]));
    format!("{}, {}", low.unwrap_or("0"), high.unwrap_or("1"))
}

/// `axes[0].set_title("x")`, `imshow(&z).vmin(0)`, `fig.hatch("/")`
fn of_method(mistake: &Mistake<'_>) -> Option<String> {
    let message = &mistake.message.message;
    if !["`Figure`", "`&Figure`"].iter().any(|of| message.contains(of)) {
        return None;
    }
    let call = Call::at(mistake.text, mistake.range.end.min(mistake.text.len()))
        .or_else(|| Call::at(mistake.text, mistake.range.start))?;
    let on = receiver(&call);
    let all = call.positional().join(", ");
    let name = call.name.strip_prefix("set_").unwrap_or(call.name);
    match name {
        "show" => return Some(SHOWN.to_owned()),
        "savefig" => return Some(format!("it is written by `{on}.save({all})?`")),
        "tight_layout" | "constrained_layout" => {
            return Some("nothing is needed: labels have room by themselves".to_owned());
        }
        "xscale" | "yscale" if form(&call).is_none() => {
            let axis = &name[..1];
            return Some(format!(
                "axes are linear; logarithmic ones are `{on}.log_{axis}()`, both ways from zero `{on}.symlog_{axis}(1.0)`"
            ));
        }
        "vmin" | "vmax" => {
            let first = call.positional().first().copied();
            let other = |other: &str| following(mistake, &call, other);
            let ends = match name {
                "vmin" => limits(first, other("vmax")),
                _ => limits(other("vmin"), first),
            };
            return Some(said("both ends of the colours are set together", &format!("{on}{ends}")));
        }
        _ => {}
    }
    if let Some((why, calls)) = form(&call) {
        return Some(said(why, &format!("{on}{calls}")));
    }
    if let Some((why, form)) = kinds::form(&call).filter(|(_, form)| !form.starts_with(call.name)) {
        return Some(said(why, &format!("{on}.{form}")));
    }
    // The compiler knows a name that is much like it.
    if mistake.all().contains("there is a method `") {
        return None;
    }
    Some(LISTS.to_owned())
}

/// What a setting is made on, if it is short enough to be repeated. Of a call on the line before nothing is known.
fn receiver<'m>(call: &Call<'m>) -> &'m str {
    call.on.filter(|on| on.len() <= 40 && !on.contains('\n')).unwrap_or_default()
}

/// The argument of a method that is called behind another one: `1` of `.vmin(0).vmax(1)`.
fn following<'m>(mistake: &Mistake<'m>, call: &Call<'m>, name: &str) -> Option<&'m str> {
    let rest = mistake.text.get(call.range.end..)?.trim_start().strip_prefix('.')?;
    let next = Call::at(rest, 0).filter(|next| next.name == name)?;
    next.positional().first().copied()
}

/// `fig.set(xlabel="x")`, `fig.fill(&x, &y)`: figures have methods of these names, which are not for users.
fn of_private(mistake: &Mistake<'_>) -> Option<String> {
    let call = Call::at(mistake.text, mistake.range.start)?;
    let on = receiver(&call);
    let of = (mistake.scope.type_of)(on);
    let is_figure = of.is_some_and(|of| of.trim_start_matches('&') == "Figure") || on.contains('(');
    match call.name {
        _ if !is_figure => None,
        "set" => form(&call).map(|(why, calls)| said(why, &format!("{on}{calls}"))),
        "fill" => kinds::form(&call).map(|(why, form)| said(why, &format!("{on}.{form}"))),
        _ => None,
    }
}

/// Kinds of series that have one colour each, or one by one.
const COLORED: &[&str] = &[
    "bar",
    "barh",
    "boxplot",
    "errorbar",
    "fill_between",
    "hist",
    "loglog",
    "pie",
    "plot",
    "scatter",
    "scatter3d",
    "semilogx",
    "semilogy",
    "stem",
    "step",
    "violinplot",
];

/// The series that was added last before a place in a text.
fn last_kind(before: &str) -> &'static str {
    let calls = before.rmatch_indices('(').filter_map(|(at, _)| Call::at(before, at));
    let mut kinds = calls.filter_map(|call| COLORED.iter().find(|kind| **kind == call.name));
    kinds.next().copied().unwrap_or_default()
}

/// `bar(&y).color(["r", "b"])`, `scatter((&x, &y)).colors(vec!["r", "g"])`, `scatter((&x, &y)).color(&z)`
fn of_colors(mistake: &Mistake<'_>) -> Option<String> {
    let call = Call::around(mistake.text, mistake.range.start)?;
    let argument = call.positional().first().copied()?;
    if !["color", "colors"].contains(&call.name) || call.on.is_none() && !is_chained(mistake, &call) {
        return None;
    }
    let on = receiver(&call);
    let kind = last_kind(mistake.text.get(..mistake.range.start)?);
    if keywords::is_texts(argument) {
        let colors = list(argument).map(parts).unwrap_or_default();
        return Some(match kind {
            "scatter" | "scatter3d" => {
                let numbers: Vec<String> = (0..colors.len()).map(|number| number.to_string()).collect();
                said(
                    "points have numbers, which a map of colours shows",
                    &format!("{on}.colors(&[{}]).colormap(\"tab10\")", numbers.join(", ")),
                )
            }
            "" | "bar" | "barh" | "pie" => {
                said("bars and parts of a pie have colours by turns", &format!("{on}.each_color({argument})"))
            }
            "plot" | "step" | "semilogx" | "semilogy" | "loglog" => format!(
                "a line has one colour; `style().cycle([{}]);` before it gives lines colours by turns",
                colors.join(", ")
            ),
            _ => said("all of it has one colour", &format!("{on}.color({})", colors.first()?)),
        });
    }
    let is_array = mistake.labels().any(|label| label.starts_with("expected `&str`, found `&GpuArray<"));
    (call.name == "color" && is_array && kind.starts_with("scatter"))
        .then(|| said("a colour for each point", &format!("{on}.colors({argument})")))
}

/// Whether a call stands behind a dot, with what it is called on in the line before.
fn is_chained(mistake: &Mistake<'_>, call: &Call<'_>) -> bool {
    mistake.text.get(..call.range.start).is_some_and(|before| before.ends_with('.'))
}

/// `fig.axis([0, 1, 0, 2])`
fn of_ends(mistake: &Mistake<'_>) -> Option<String> {
    let call = Call::around(mistake.text, mistake.range.start).filter(|call| call.name == "axis")?;
    let ends = list(call.positional().first().copied()?)?;
    let [left, right, below, above] = parts(ends)[..] else { return None };
    let on = receiver(&call);
    Some(said("each axis has its ends", &format!("{on}.xlim({left}, {right}).ylim({below}, {above})")))
}

/// `fig.yticks(&[])`
fn of_no_ticks(mistake: &Mistake<'_>) -> Option<String> {
    let at_name = Call::at(mistake.text, mistake.range.start);
    let around = || Call::around(mistake.text, mistake.range.start);
    let is_ticks = |call: &Call<'_>| ["xticks", "yticks", "zticks"].contains(&call.name);
    let call = at_name.filter(is_ticks).or_else(around).filter(is_ticks)?;
    is_empty_list(call.positional().first().copied()?).then(|| {
        said(
            "an empty list does not say what it holds",
            &format!("{}.{}(&[0; 0])", receiver(&call), call.name),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_matplotlib_become_methods() {
        for (text, calls) in [
            ("set_xticklabels(&[\"a\"])", ".xticks((&[0], [\"a\"]))"),
            ("set_yticklabels(names)", ".yticks((0..names.len(), &names))"),
            ("set_xticks([0, 1], labels=['a', 'b'])", ".xticks(([0, 1], [\"a\", \"b\"]))"),
            ("set_yticks(vec![])", ".yticks(&[0; 0])"),
            ("set_xlim(left=2, right=3)", ".xlim(2, 3)"),
            ("set_yscale(\"log\")", ".log_y()"),
            ("xscale(\"symlog\")", ".symlog_x(1.0)"),
            ("set_size_inches(8, 6)", ".size(800, 600)"),
            ("set_linewidth(2)", ".linewidth(2)"),
            ("set_lw(2)", ".linewidth(2)"),
            ("set_theta_zero_location(\"N\")", ".theta_zero_location(\"N\")"),
            ("mfc(\"r\")", ".color(\"r\")"),
            ("c(&v)", ".colors(&v)"),
        ] {
            assert_eq!(form(&Call::at(text, 0).unwrap()).unwrap().1, calls, "{text}");
        }
        for text in ["set_yscale(\"linear\")", "hatch(\"/\")", "alpha(0.5)"] {
            assert_eq!(form(&Call::at(text, 0).unwrap()), None, "{text}");
        }
    }
}

//! Kinds of plots that have another name here than in Matplotlib, or that others draw.

use super::data;
use super::keywords::{as_methods, lent, list};
use super::place::{Call, operand, parts};

/// A kind as it is written here, without what it is called on, and why it is that.
pub(super) fn form(call: &Call<'_>) -> Option<(&'static str, String)> {
    let given = call.positional();
    let methods = as_methods(call);
    let (why, form) = match (call.name, &given[..]) {
        ("matshow" | "spy", [matrix, ..]) => ("", format!("imshow({})", lent(matrix))),
        ("stackplot", [x, areas @ ..]) => ("areas on each other", stacked(x, areas)?),
        ("fill", [x, y, ..]) => (
            "what is between a line and another one, or a number",
            format!("fill_between({}, {}, 0.0)", lent(x), lent(y)),
        ),
        ("eventplot", [x, ..]) => (
            "marks at places",
            format!("scatter(({}, vec![0; {}.len()])).marker(\"|\").sizes(400)", lent(x), operand(x)),
        ),
        ("broken_barh", [spans, ..]) => ("bars that begin where `bottom` says", broken(spans)),
        ("specgram", [signal, ..]) => {
            let length = call.keyword("NFFT").unwrap_or("256");
            let half = length.parse::<usize>().map_or("128".to_owned(), |length| (length / 2).to_string());
            let parts = format!("{}.sliding_window_view({length}).slice(s![..; {half}])", operand(signal));
            ("the spectrum of each part", format!("pcolormesh(&fft::rfft(&{parts})?.abs().t())"))
        }
        ("tricontour" | "tricontourf" | "tripcolor", [x, y, z, ..]) => (
            "values at places that are not a grid",
            format!("scatter(({}, {})).colors({})", lent(x), lent(y), lent(z)),
        ),
        ("plot_trisurf", [x, y, z, ..]) => (
            "values at places that are not a grid",
            format!("scatter3d(({0}, {1}, {2})).colors({2})", lent(x), lent(y), lent(z)),
        ),
        ("plot_surface", _) => return renamed(call, "surface"),
        ("plot_wireframe", _) => return renamed(call, "wireframe"),
        ("barbs", _) => return renamed(call, "quiver"),
        ("violin", _) => return renamed(call, "violinplot"),
        ("ecdf", [values, ..]) => {
            let values = operand(values);
            let shares = format!("linspace(1.0 / {values}.len() as f64, 1.0, {values}.len())");
            (
                "the share of values up to each",
                format!("step((&{values}.sort(), &{shares})).step_where(\"post\")"),
            )
        }
        ("stairs", [values]) => ("", format!("step({}).step_where(\"post\")", lent(values))),
        ("stairs", [values, edges, ..]) => (
            "a step begins at each edge but the last",
            format!("step((&{}.slice(..-1), {})).step_where(\"post\")", operand(edges), lent(values)),
        ),
        ("hlines" | "vlines", [places, from, to, ..]) => {
            ("lines are added to a figure", format!("{}({}, {from}, {to})", call.name, lent(places)))
        }
        _ => return None,
    };
    Some((why, form + &methods))
}

/// What is written for a function: lines between two places are a method alone.
pub(super) fn as_function(form: &str) -> String {
    let is_method = ["hlines(", "vlines("].iter().any(|name| form.starts_with(name));
    if is_method { format!("Figure::new().{form}") } else { form.to_owned() }
}

/// A function that has another name here and takes the same.
fn renamed(call: &Call<'_>, name: &'static str) -> Option<(&'static str, String)> {
    let named = Call { on: None, name, arguments: call.arguments.clone(), range: call.range.clone() };
    let form = data::of_call(&named, "")?;
    Some(("", form.split('`').nth(1)?.to_owned()))
}

/// `stackplot(&x, &a, &b)`
fn stacked(x: &str, areas: &[&str]) -> Option<String> {
    let areas = match areas {
        [only] => list(only).map_or_else(|| vec![*only], parts),
        all => all.to_vec(),
    };
    let mut below = "0.0".to_owned();
    let mut bands = Vec::new();
    for count in 1..=areas.len() {
        let sum: Vec<String> = areas[..count].iter().map(|area| lent(area)).collect();
        let above = if count == 1 { sum.concat() } else { format!("&({})", sum.join(" + ")) };
        bands.push(format!("fill_between({}, {below}, {above})", lent(x)));
        below = above;
    }
    (!bands.is_empty()).then(|| bands.join("."))
}

/// `broken_barh([(0, 1), (3, 2)], (10, 5))`
fn broken(spans: &str) -> String {
    let pairs = list(spans).map(parts).unwrap_or_default().into_iter().filter_map(|span| {
        let pair = parts(span.strip_prefix('(')?.strip_suffix(')')?);
        (pair.len() == 2).then_some(pair)
    });
    let mut spans: Vec<Vec<&str>> = pairs.collect();
    if spans.is_empty() {
        spans = vec![vec!["0", "1"], vec!["3", "2"]];
    }
    let column = |k: usize| spans.iter().map(|pair| pair[k]).collect::<Vec<_>>().join(", ");
    let names = vec!["\"a\""; spans.len()].join(", ");
    format!("barh(([{names}], [{}])).bottom([{}])", column(1), column(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_drawn_by_others() {
        for (text, help) in [
            ("matshow(m)", "imshow(&m)"),
            ("spy(&m)", "imshow(&m)"),
            ("stackplot(&x, &a, &b)", "fill_between(&x, 0.0, &a).fill_between(&x, &a, &(&a + &b))"),
            ("stackplot(x, [a, b])", "fill_between(&x, 0.0, &a).fill_between(&x, &a, &(&a + &b))"),
            ("broken_barh([(0, 1), (3, 2)], (0, 1))", "barh(([\"a\", \"a\"], [1, 2])).bottom([0, 3])"),
            ("tricontour(&x, &y, &z)", "scatter((&x, &y)).colors(&z)"),
            ("barbs(&x, &y, &u, &v)", "quiver((&x, &y, &u, &v))"),
            ("plot_surface(X, Y, Z, cmap='hot')", "surface((&X, &Y, &Z)).colormap(\"hot\")"),
            ("stairs(&v)", "step(&v).step_where(\"post\")"),
            ("hlines(1.0, 0.0, 5.0)", "hlines(1.0, 0.0, 5.0)"),
        ] {
            assert_eq!(form(&Call::at(text, 0).unwrap()).unwrap().1, help);
        }
        assert_eq!(form(&Call::at("fill(3)", 0).unwrap()), None);
        assert_eq!(as_function("hlines(&y, 0, 1)"), "Figure::new().hlines(&y, 0, 1)");
    }
}

//! Matplotlib's `plt`, `fig` and `ax`: a figure here is what a function such as
//! `plot` returns, and the rest are its methods.

use super::place::Call;
use super::{grids, keywords, kinds, plots, said, settings};

/// Names that scripts give to figures and axes.
pub(super) const AXES: &[&str] = &["ax", "ax1", "ax2", "axes", "axs", "fig"];

/// Functions that make figures.
const FIGURES: &[&str] = &[
    "bar",
    "barh",
    "boxplot",
    "contour",
    "contourf",
    "errorbar",
    "fill_between",
    "hexbin",
    "hist",
    "hist2d",
    "imshow",
    "loglog",
    "pcolormesh",
    "pie",
    "plot",
    "polar",
    "quiver",
    "scatter",
    "semilogx",
    "semilogy",
    "stem",
    "step",
    "streamplot",
    "violinplot",
];

/// A call of Matplotlib's as it is written here; on a name that there is not.
pub(super) fn advice(call: &Call<'_>) -> Option<String> {
    let arguments = call.arguments.as_ref()?;
    let on = call.on.unwrap_or("plt");
    let name = call.name.strip_prefix("set_").unwrap_or(call.name);
    let list = call.positional().join(", ");
    let bare = Call { on: None, name, arguments: Some(arguments.clone()), range: call.range.clone() };
    Some(match name {
        "subplots" => of_subplots(&bare),
        "subplot" | "add_subplot" => {
            let numbers = call.positional();
            let (rows, columns, number) = match numbers[..] {
                [rows, columns, number] => (rows, columns, number),
                _ => ("1", "2", "1"),
            };
            let place = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).unwrap_or(0);
            format!(
                "axes are made together: `let axes = subplots({rows}, {columns});`, and `axes[{place}].plot(&x)` draws in one"
            )
        }
        "figure" => match call.keyword("figsize").and_then(keywords::pixels) {
            Some(size) => {
                format!("functions such as `plot(&x)` make figures; its size in pixels is `.size({size})`")
            }
            None => "functions such as `plot(&x)` make figures; an empty one is `Figure::new()`".to_owned(),
        },
        "show" => format!("a figure that is a cell's value is shown, without `{on}.show()`"),
        "savefig" => format!("a figure writes itself: `plot(&x).save({list})?`"),
        name if plots::NOTHING.contains(&name) => {
            format!("nothing is needed in the place of `{on}.{name}()`")
        }
        name if settings::METHODS.contains(&name) => match settings::form(call) {
            Some((_, calls)) => format!("it is a method of a figure: `plot(&x){calls}`"),
            None => format!("it is a method of a figure: `plot(&x).{name}({list})`"),
        },
        name if FIGURES.contains(&name) => {
            let form = plots::of_call(&bare)?;
            format!("without `{on}`: `{}`", form.split('`').nth(1)?)
        }
        _ => {
            if let Some((_, form)) = kinds::form(&bare) {
                return Some(said(&format!("without `{on}`"), &kinds::as_function(&form)));
            }
            match settings::form(call) {
                Some((_, calls)) => format!("it is a method of a figure: `plot(&x){calls}`"),
                None => "figures have methods: `plot(&x).title(\"..\").xlabel(\"..\")`".to_owned(),
            }
        }
    })
}

/// `plt.subplots()`, `plt.subplots(2, 2)`
fn of_subplots(call: &Call<'_>) -> String {
    let form = grids::several(call);
    match form.strip_prefix("subplots(1, 1)") {
        Some(methods) => format!(
            "a figure is what it draws: `let figure = plot(&x){methods};`, and `figure.title(\"..\").xlabel(\"..\")` \
             names its parts; `subplots(2, 2)` has several axes"
        ),
        None => format!(
            "several axes are one value: `let axes = {form};`, and `axes[(0, 0)].plot(&x)` draws in the first"
        ),
    }
}

/// `fig, ax = plt.subplots(2, 2)`, by the right side.
pub(super) fn of_assignment(value: &str) -> Option<String> {
    let at = value.find("subplots(").filter(|at| ["", "plt."].contains(&value[..*at].trim()))?;
    Some(of_subplots(&Call::at(value, at)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_matplotlib_become_figures() {
        for (text, help) in [
            ("plt.subplots()", "`let figure = plot(&x);`"),
            ("plt.subplots(figsize=(8, 6))", "`let figure = plot(&x).size(800, 600);`"),
            ("plt.subplots(2,2)", "`let axes = subplots(2, 2);`"),
            ("plt.subplots(1, 2, sharex=True)", "`let axes = subplots(1, 2).sharex();`"),
            ("plt.subplot(2, 1, 2)", "`axes[1].plot(&x)`"),
            ("plt.savefig(\"a.png\")", "`plot(&x).save(\"a.png\")?`"),
            ("plt.hist(x)", "`hist(&x, 10)`"),
            ("plt.hist(x, bins=30)", "`hist(&x, 30)`"),
            ("plt.hist(x, 30)", "`hist(&x, 30)`"),
            ("plt.plot(x, y, \"r--\")", "`plot((&x, &y, \"r--\"))`"),
            ("plt.plot(x, y, label=\"a\")", "`plot((&x, &y)).label(\"a\")`"),
            ("ax.plot(x, y)", "without `ax`: `plot((&x, &y))`"),
            ("ax.set_title(\"a\")", "`plot(&x).title(\"a\")`"),
            ("ax.set_xscale(\"log\")", "`plot(&x).log_x()`"),
            ("ax.set_yscale(\"symlog\", linthresh=2)", "`plot(&x).symlog_y(2)`"),
            ("ax.set_xticklabels([\"a\", \"b\"])", "`plot(&x).xticks((&[0, 1], [\"a\", \"b\"]))`"),
            ("ax.set(xlabel=\"a\", xlim=(0, 1))", "`plot(&x).xlabel(\"a\").xlim(0, 1)`"),
            ("plt.xticks([0, 1], [\"a\", \"b\"])", "`plot(&x).xticks(([0, 1], [\"a\", \"b\"]))`"),
            ("plt.contourf(x, y, z)", "`contourf((&x, &y, &z))`"),
            ("plt.matshow(m)", "without `plt`: `imshow(&m)`"),
            ("plt.show()", "without `plt.show()`"),
            ("plt.tight_layout()", "nothing is needed"),
        ] {
            let found = advice(&Call::at(text, text.find('.').unwrap() + 1).unwrap()).unwrap();
            assert!(found.contains(help), "{text}: {found}");
        }
        assert!(of_assignment(" plt.subplots(2, 3)").unwrap().contains("`let axes = subplots(2, 3);`"));
        assert_eq!(of_assignment("f(subplots(2, 3))"), None);
    }
}

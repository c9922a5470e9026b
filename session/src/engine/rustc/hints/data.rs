//! Data of several parts, which are several arguments in Matplotlib and one here: `contour(&x, &y, &z)`.

use super::keywords::{self, is_texts, lent, list};
use super::place::Call;
use super::said;

/// Functions whose data may have several parts, and how many it has with its places.
const PARTS: &[(&str, usize)] = &[
    ("contour", 3),
    ("contourf", 3),
    ("hexbin", 2),
    ("hist2d", 2),
    ("imshow", 1),
    ("pcolormesh", 3),
    ("plot3d", 3),
    ("quiver", 4),
    ("scatter3d", 3),
    ("streamplot", 4),
    ("surface", 3),
    ("wireframe", 3),
];

/// A call of such a function as it is written here.
pub(super) fn of_call(call: &Call<'_>, on: &str) -> Option<String> {
    match call.name {
        "pie" => of_pie(call, on),
        "boxplot" | "violinplot" => of_groups(call, on),
        name => {
            let (_, most) = PARTS.iter().find(|(known, _)| *known == name)?;
            of_parts(call, on, *most)
        }
    }
}

fn of_parts(call: &Call<'_>, on: &str, most: usize) -> Option<String> {
    let (name, given) = (call.name, call.positional());
    let count = match given.len() {
        0 => return None,
        _ if given[0].starts_with('(') => 1,
        length if length >= most => most,
        // Vectors without places, and their colours.
        2 | 3 if most == 4 => 2,
        _ => 1,
    };
    let (data, rest) = given.split_at(count);
    let mut rest = rest.iter().copied();
    let methods = keywords::as_methods(call);
    let written = together(data);
    if let "hist2d" | "hexbin" = name {
        let keyword = if name == "hexbin" { "gridsize" } else { "bins" };
        let usual = if name == "hexbin" { "40" } else { "50" };
        let bins = call.keyword(keyword).or(rest.next());
        let is_right = bins.is_some() && methods.is_empty();
        if count == 1 && (is_right || !given[0].starts_with('(')) {
            return None;
        }
        let bins = bins.unwrap_or(usual);
        return Some(said(why(count), &format!("{on}{name}({written}, {bins}){methods}")));
    }
    let next = rest.next();
    if let "plot3d" | "scatter3d" = name
        && let Some(format) = next.filter(|next| next.starts_with('"'))
    {
        let places = written.strip_prefix('(')?.strip_suffix(')')?;
        return Some(said(why(2), &format!("{on}{name}(({places}, {format})){methods}")));
    }
    let heights = call.keyword("levels").or(next).filter(|text| !text.starts_with('"'));
    let own = match (name, heights, next) {
        ("contour" | "contourf", Some(heights), _) => levels(heights),
        ("quiver", _, Some(colors)) => format!(".colors({})", lent(colors)),
        (_, _, Some(colormap)) if colormap.starts_with('"') => format!(".colormap({colormap})"),
        _ => String::new(),
    };
    let density = match call.keyword("density") {
        Some(density) if name == "streamplot" => format!(".line_density({density})"),
        _ => String::new(),
    };
    let why = match own.is_empty() {
        false if count == 1 && own.starts_with(".levels") => "a method takes the heights",
        false if count == 1 => "settings are methods",
        _ => why(count),
    };
    Some(said(why, &format!("{on}{name}({written}){own}{density}{methods}")))
}

fn why(count: usize) -> &'static str {
    if count == 1 { "" } else { "they are one argument" }
}

/// Parts as one argument.
fn together(data: &[&str]) -> String {
    match data {
        [only] => lent(only),
        all => format!("({})", all.iter().map(|part| lent(part)).collect::<Vec<_>>().join(", ")),
    }
}

/// The heights of contours, or how many.
fn levels(heights: &str) -> String {
    match heights.parse::<usize>() {
        Ok(count) => format!(".levels({count})"),
        Err(_) => format!(".levels({})", lent(heights)),
    }
}

/// `pie(&sizes, labels=["a", "b"])`
fn of_pie(call: &Call<'_>, on: &str) -> Option<String> {
    let methods = keywords::as_methods(call);
    let is_names = |text: &str| is_texts(text) || text.contains("label") || text.contains("name");
    let (names, sizes, apart) = match (&call.positional()[..], call.keyword("labels")) {
        ([sizes, rest @ ..], Some(names)) => (Some(names), *sizes, rest.first().copied()),
        ([sizes], None) => (None, *sizes, None),
        ([sizes, names], None) if is_names(names) => (Some(*names), *sizes, None),
        ([sizes, apart], None) if list(apart).is_some() && !is_names(sizes) => (None, *sizes, Some(*apart)),
        ([names, sizes], None) => (Some(*names), *sizes, None),
        _ => return None,
    };
    let apart = apart.map(|apart| format!(".explode({})", lent(apart))).unwrap_or_default();
    Some(match names {
        Some(names) => {
            let names = lent(&keywords::with_quotes(names));
            said(
                "names and sizes are a pair",
                &format!("{on}pie(({names}, {})){apart}{methods}", lent(sizes)),
            )
        }
        None => said("settings are methods", &format!("{on}pie({}){apart}{methods}", lent(sizes))),
    })
}

/// `boxplot(&a, &b)`, `boxplot([&a, &b], labels=["a", "b"])`
fn of_groups(call: &Call<'_>, on: &str) -> Option<String> {
    let (name, methods) = (call.name, keywords::as_methods(call));
    let groups = match &call.positional()[..] {
        [] => return None,
        [only] => lent(only),
        all => format!("[{}]", all.iter().map(|group| lent(group)).collect::<Vec<_>>().join(", ")),
    };
    let names = call.keyword("labels").or(call.keyword("tick_labels"));
    Some(match names {
        Some(names) => {
            let names = lent(&keywords::with_quotes(names));
            said("names and groups are a pair", &format!("{on}{name}(({names}, {groups})){methods}"))
        }
        None if groups.starts_with('[') => {
            said("groups are one argument", &format!("{on}{name}({groups}){methods}"))
        }
        None => said("", &format!("{on}{name}({groups}){methods}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_become_one_argument() {
        for (text, help) in [
            ("contour(&x, &y, &z)", "`contour((&x, &y, &z))`"),
            ("contour(x, y, z, cmap='RdBu')", "`contour((&x, &y, &z)).colormap(\"RdBu\")`"),
            ("contour(&z, &[0.1, 0.5])", "`contour(&z).levels(&[0.1, 0.5])`"),
            ("contourf((&x, &y, &z), 5)", "`contourf((&x, &y, &z)).levels(5)`"),
            ("imshow(&z, \"magma\")", "`imshow(&z).colormap(\"magma\")`"),
            ("imshow(z, vmin=0, vmax=2)", "`imshow(&z).clim(0, 2)`"),
            ("quiver(&u, &v)", "`quiver((&u, &v))`"),
            ("quiver(&u, &v, &c)", "`quiver((&u, &v)).colors(&c)`"),
            ("quiver(&x, &y, &u, &v)", "`quiver((&x, &y, &u, &v))`"),
            ("streamplot(x, y, u, v, density=2)", "`streamplot((&x, &y, &u, &v)).line_density(2)`"),
            ("hist2d(&x, &y, 20)", "`hist2d((&x, &y), 20)`"),
            ("hist2d(x, y, bins=20, cmap='hot')", "`hist2d((&x, &y), 20).colormap(\"hot\")`"),
            ("hexbin(&x, &y)", "`hexbin((&x, &y), 40)`"),
            ("plot3d(&x, &y, &z, \"r--\")", "`plot3d((&x, &y, &z, \"r--\"))`"),
            ("plot3d((&x, &y, &z), \"r--\")", "`plot3d((&x, &y, &z, \"r--\"))`"),
            ("pie([\"a\", \"b\"], [1, 2])", "`pie(([\"a\", \"b\"], [1, 2]))`"),
            ("pie([1, 2], [\"a\", \"b\"])", "`pie(([\"a\", \"b\"], [1, 2]))`"),
            ("pie(s, labels=['a', 'b'])", "`pie(([\"a\", \"b\"], &s))`"),
            ("pie(&s, [0.1, 0.0])", "`pie(&s).explode([0.1, 0.0])`"),
            ("boxplot(&x, &y)", "`boxplot([&x, &y])`"),
            ("boxplot([&x, &y], labels=[\"a\", \"b\"])", "`boxplot(([\"a\", \"b\"], [&x, &y]))`"),
        ] {
            let found = of_call(&Call::at(text, 0).unwrap(), "").unwrap();
            assert!(found.contains(help), "{text}: {found}");
        }
        assert_eq!(of_call(&Call::at("hist2d((&x, &y), 2.5)", 0).unwrap(), ""), None);
    }
}

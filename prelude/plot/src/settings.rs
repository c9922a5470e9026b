//! What settings may be, and which series have them.

use gpurepl_kernels::DType;

use super::chart::{Aspect, Interpolation, Level, Levels, Series, Step, Tick};
use super::draw::Align;
use super::draw::font::printable;
use super::draw::formula::checked;
use super::reduce;
use crate::array::Raw;
use crate::error::{Problem, Result};
use crate::scale::Scale;

pub(super) fn positive(operation: &'static str, points: f64) -> Result<f64> {
    if points > 0.0 && points <= 1000.0 {
        return Ok(points);
    }
    let message = format!("{points} points is not a valid size; give a number above 0 and up to 1000");
    Err(Problem::Invalid { operation, message }.into())
}

/// Degrees above a plane and around it, of which a turn is none.
pub(super) fn view(elevation: f64, azimuth: f64) -> Result<(f64, f64)> {
    if elevation.is_finite() && azimuth.is_finite() {
        let around = |degrees: f64| {
            if (-180.0..=180.0).contains(&degrees) {
                degrees
            } else {
                (degrees + 180.0).rem_euclid(360.0) - 180.0
            }
        };
        return Ok((around(elevation), around(azimuth)));
    }
    let message = format!("{elevation} and {azimuth} are not angles; give two finite numbers of degrees");
    Err(Problem::Invalid { operation: "view_init", message }.into())
}

pub(super) fn positive_number(operation: &'static str, number: f64) -> Result<f64> {
    if number > 0.0 && number.is_finite() {
        return Ok(number);
    }
    let message = format!("{number} is not valid here; give a finite number above 0");
    Err(Problem::Invalid { operation, message }.into())
}

pub(super) fn ascending(operation: &'static str, low: f64, high: f64) -> Result<(f64, f64)> {
    if low < high && (high - low).is_finite() {
        return Ok((low, high));
    }
    let message =
        format!("{low} to {high} is not a valid range; give two finite numbers, the smaller one first");
    Err(Problem::Invalid { operation, message }.into())
}

pub(super) fn apart(operation: &'static str, from: f64, to: f64) -> Result<(f64, f64)> {
    if from != to && (to - from).is_finite() {
        return Ok((from, to));
    }
    let message = format!("an axis cannot run from {from} to {to}; give two finite numbers that differ");
    Err(Problem::Invalid { operation, message }.into())
}

pub(super) fn size(width: i64, height: i64) -> Result<(u32, u32)> {
    let length = |length: i64| u32::try_from(length).ok().filter(|length| (50..=20_000).contains(length));
    let message =
        || format!("a figure of {width}x{height} pixels cannot be drawn; give each side from 50 to 20000");
    match (length(width), length(height)) {
        (Some(width), Some(height)) => Ok((width, height)),
        _ => Err(Problem::Invalid { operation: "size", message: message() }.into()),
    }
}

/// The most levels that contours may be asked for.
const MOST_LEVELS: f64 = 1000.0;

/// The levels of contours: how many, or their heights in order.
pub(super) fn levels(raw: &Raw) -> Result<Levels> {
    let mut heights = reduce::values(raw)?;
    if let (0, [count]) = (raw.shape().rank(), &heights[..]) {
        if count.fract() == 0.0 && (1.0..=MOST_LEVELS).contains(count) {
            return Ok(Levels::About(*count as usize));
        }
        let message = format!(
            "{count} is not a number of levels; give one from 1 to {MOST_LEVELS}, or heights, `&[{count:?}]`"
        );
        return Err(Problem::Invalid { operation: "levels", message }.into());
    }
    if let Some(height) = heights.iter().find(|height| !height.is_finite()) {
        let message = format!("{height} is not a valid level of a contour; give finite numbers");
        return Err(Problem::Invalid { operation: "levels", message }.into());
    }
    heights.sort_by(f64::total_cmp);
    heights.dedup();
    Ok(Levels::At(heights))
}

/// Refuses a setting of series for one that cannot show it: left alone, it
/// would look as if it had been heard.
pub(super) fn applies(operation: &'static str, series: &Series) -> Result<()> {
    if operation == "label" && series.kind.function() == "pie" {
        let message =
            "the parts of a pie have a name each, which stand first: `pie(([\"a\", \"b\"], &sizes))`";
        return Err(Problem::Invalid { operation, message: message.to_owned() }.into());
    }
    let is_in_colors =
        ["imshow", "contourf", "pcolormesh", "hist2d", "hexbin"].contains(&series.kind.function());
    if operation == "label" && is_in_colors {
        let message = format!(
            "`{}` shows its values by colours, for which a legend has no mark; name them by `.colorbar_label(..)`, or the \
             figure by `.title(..)`",
            series.kind.function()
        );
        return Err(Problem::Invalid { operation, message }.into());
    }
    let wanted: &[&str] = match operation {
        "color" => &[
            "plot",
            "scatter",
            "bar",
            "barh",
            "hist",
            "contour",
            "stem",
            "fill_between",
            "boxplot",
            "violinplot",
            "quiver",
            "streamplot",
            "axhline",
            "axvline",
            "axhspan",
            "axvspan",
            "text",
            "annotate",
            "plot3d",
            "scatter3d",
            "surface",
            "wireframe",
        ],
        "marker" | "markersize" => &["plot", "scatter", "stem", "plot3d", "scatter3d"],
        "dashed" | "dotted" => {
            &["plot", "contour", "stem", "axhline", "axvline", "plot3d", "wireframe", "hist"]
        }
        "linewidth" => &[
            "plot",
            "contour",
            "stem",
            "axhline",
            "axvline",
            "boxplot",
            "violinplot",
            "streamplot",
            "plot3d",
            "wireframe",
            "bar",
            "barh",
            "hist",
            "scatter",
            "pie",
        ],
        "edgecolor" => &["bar", "barh", "hist", "scatter", "pie"],
        "each_color" => &["bar", "barh", "pie"],
        "width" => &["bar", "barh", "boxplot", "violinplot", "pie"],
        "bar_label" => &["bar", "barh"],
        "histtype" | "cumulative" => &["hist"],
        "step_where" => &["step"],
        "whis" | "showfliers" | "notch" => &["boxplot"],
        "where_" => &["fill_between"],
        "showmeans" | "showmedians" => &["boxplot", "violinplot"],
        "colorbar" => {
            &["imshow", "contour", "contourf", "pcolormesh", "hist2d", "hexbin", "surface", "colors"]
        }
        "valign" | "rotation" => &["text", "annotate"],
        "startangle" | "explode" | "autopct" => &["pie"],
        "orientation" => &["boxplot", "violinplot", "hist"],
        "linestyle" => &["plot", "axhline", "axvline", "plot3d", "wireframe", "hist"],
        "format" => &["plot", "plot3d"],
        "xerr" | "yerr" | "capsize" => &["plot", "scatter", "bar", "barh"],
        "bottom" => &["bar", "barh"],
        "fontsize" => &["text", "annotate", "contour", "pie", "bar", "barh"],
        "align" => &["text", "annotate"],
        "colormap" | "clim" => {
            &["imshow", "contour", "contourf", "pcolormesh", "hist2d", "hexbin", "surface", "colors"]
        }
        "log_norm" => &["imshow", "contour", "contourf", "pcolormesh", "hist2d", "hexbin", "colors"],
        "colorbar_label" => {
            &["imshow", "contour", "contourf", "pcolormesh", "hist2d", "hexbin", "colors", "surface"]
        }
        "extent" => &["imshow", "contour", "contourf"],
        "origin" | "interpolation" => &["imshow"],
        "clabel" => &["contour"],
        "colors" => &["scatter", "quiver", "streamplot", "scatter3d"],
        "sizes" => &["scatter", "scatter3d"],
        "scale" => &["quiver"],
        "line_density" => &["streamplot"],
        "bin_range" | "density" => &["hist"],
        "levels" => &["contour", "contourf"],
        _ => return Ok(()),
    };
    let found =
        if series.step.is_some() && operation == "step_where" { "step" } else { series.kind.function() };
    let has_colors = series.values.is_some() && wanted.contains(&"colors");
    if wanted.contains(&found) || has_colors {
        return Ok(());
    }
    let wanted: Vec<String> = wanted.iter().map(|function| format!("`.{function}(..)`")).collect();
    let message = format!(
        "the last series is one of `{found}`, which does not have this setting; set it after {}, or leave it out",
        choice(&wanted)
    );
    Err(Problem::Invalid { operation, message }.into())
}

/// The most ticks that may be asked for.
const MOST_TICKS: usize = 1000;

/// The ticks of an axis: places, and what stands at them.
pub(super) fn ticks(
    operation: &'static str,
    (places, names): (Result<Raw>, Option<Vec<String>>),
) -> Result<Vec<Tick>> {
    let raw = places?;
    let count = raw.shape().size();
    if raw.dtype() == DType::Complex64 || raw.dtype() == DType::Complex128 {
        let message = "places on an axis are real numbers; take `.real()` or `.abs()`".to_owned();
        return Err(Problem::DType { operation, message }.into());
    }
    if count > MOST_TICKS {
        let message = format!("{count} ticks are too many to tell apart (at most {MOST_TICKS}); give fewer");
        return Err(Problem::Shape { operation, message }.into());
    }
    if let Some(names) = &names
        && names.len() != count
    {
        let message = format!("there are {count} places and {} names; give a name for each", names.len());
        return Err(Problem::Shape { operation, message }.into());
    }
    let places = reduce::values(&raw)?;
    let name = |k: usize| names.as_ref().map(|names| checked(operation, &names[k])).transpose();
    places.into_iter().enumerate().map(|(k, at)| Ok(Tick { at, name: name(k)? })).collect()
}

pub(super) fn angle(operation: &'static str, degrees: f64) -> Result<f64> {
    if (-90.0..=90.0).contains(&degrees) {
        return Ok(degrees);
    }
    let message = format!("{degrees} degrees is not a valid angle; give a number from -90 to 90");
    Err(Problem::Invalid { operation, message }.into())
}

/// Degrees of any number.
pub(super) fn turn(operation: &'static str, degrees: f64) -> Result<f64> {
    if degrees.is_finite() {
        return Ok(degrees);
    }
    let message = format!("{degrees} degrees is not an angle; give a finite number");
    Err(Problem::Invalid { operation, message }.into())
}

pub(super) fn align(text: &str) -> Result<Align> {
    let known = [("left", Align::Left), ("center", Align::Center), ("right", Align::Right)];
    word("align", "an end of a text", text, &known)
}

/// Words as one can choose among: `a, b or c`.
pub(super) fn choice(words: &[String]) -> String {
    match words.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => words.concat(),
    }
}

/// One of some words, or an error that names them.
fn word<T: Copy>(operation: &'static str, what: &str, text: &str, known: &[(&str, T)]) -> Result<T> {
    if let Some((_, found)) = known.iter().find(|(word, _)| *word == text) {
        return Ok(*found);
    }
    let words: Vec<String> = known.iter().map(|(word, _)| format!("`{word}`")).collect();
    let message = format!("`{text}` is not {what}; write {}", choice(&words));
    Err(Problem::Invalid { operation, message }.into())
}

pub(super) fn level(text: &str) -> Result<Level> {
    let known = [
        ("baseline", Level::Baseline),
        ("top", Level::Top),
        ("center", Level::Middle),
        ("bottom", Level::Bottom),
    ];
    word("valign", "a part of a text", text, &known)
}

pub(super) fn step(text: &str) -> Result<Step> {
    let known = [("pre", Step::Before), ("post", Step::After), ("mid", Step::Between)];
    word("step_where", "a place of steps", text, &known)
}

/// Whether a histogram is a line.
pub(super) fn outline(text: &str) -> Result<bool> {
    word("histtype", "a kind of histogram", text, &[("bar", false), ("stepfilled", false), ("step", true)])
}

/// At the ticks of which axes lines are.
pub(super) fn grid_of(text: &str) -> Result<(bool, bool)> {
    let known = [("x", (true, false)), ("y", (false, true)), ("both", (true, true))];
    word("grid_axis", "an axis", text, &known)
}

/// Whether axes are shown.
pub(super) fn axis(text: &str) -> Result<bool> {
    // In Matplotlib it is both.
    if let "equal" | "auto" = text {
        let message = format!("`{text}` is about the steps of both axes; write `.aspect(\"{text}\")`");
        return Err(Problem::Invalid { operation: "axis", message }.into());
    }
    word("axis", "whether axes are shown", text, &[("on", true), ("off", false)])
}

/// The columns of a legend.
pub(super) fn columns(count: i64) -> Result<usize> {
    usize::try_from(count).ok().filter(|count| (1..=100).contains(count)).ok_or_else(|| {
        let message = format!("a legend cannot have {count} columns; give a number from 1 to 100");
        Problem::Invalid { operation: "legend_columns", message }.into()
    })
}

pub(super) fn pixel_ratio(ratio: f64) -> Result<f64> {
    if (0.1..=20.0).contains(&ratio) {
        return Ok(ratio);
    }
    let message = format!("{ratio} is not a valid pixel ratio; give a number from 0.1 to 20");
    Err(Problem::Invalid { operation: "pixel_ratio", message }.into())
}

/// The digits after the point of shares, in C's letters for a number: `%1.1f%%`.
pub(super) fn digits(text: &str) -> Result<usize> {
    let number = text.strip_prefix('%').and_then(|rest| rest.strip_suffix("%%"));
    let digits = number.and_then(|number| match number.strip_suffix(['d', 'i']) {
        Some(width) => width.chars().all(|digit| digit.is_ascii_digit()).then_some(0),
        None => match number.strip_suffix('f')?.split_once('.') {
            Some((_, digits)) => digits.parse().ok(),
            None => Some(6),
        },
    });
    digits.filter(|digits| *digits <= 15).ok_or_else(|| {
        let message = format!(
            "`{}` is not a format of shares; write `%d%%` for whole numbers, or `%1.1f%%` for a digit after the point",
            printable(text)
        );
        Problem::Invalid { operation: "autopct", message }.into()
    })
}

/// Whether boxes, violins and bins lie.
pub(super) fn orientation(text: &str) -> Result<bool> {
    word("orientation", "an orientation", text, &[("vertical", false), ("horizontal", true)])
}

/// Whether the first row of an image is the lowest.
pub(super) fn origin(text: &str) -> Result<bool> {
    match text {
        "upper" => Ok(false),
        "lower" => Ok(true),
        _ => {
            let message = format!("`{text}` is not an origin; write `upper` or `lower`");
            Err(Problem::Invalid { operation: "origin", message }.into())
        }
    }
}

pub(super) fn interpolation(text: &str) -> Result<Interpolation> {
    match text {
        "nearest" | "none" => Ok(Interpolation::Nearest),
        "bilinear" => Ok(Interpolation::Bilinear),
        _ => {
            let message = format!("`{text}` is not an interpolation; write `nearest` or `bilinear`");
            Err(Problem::Invalid { operation: "interpolation", message }.into())
        }
    }
}

/// Whether axes stand around a middle.
pub(super) fn projection(text: &str) -> Result<bool> {
    match text {
        "polar" => Ok(true),
        "rectilinear" => Ok(false),
        _ => {
            let message = format!("`{text}` is not a projection; write `polar` or `rectilinear`");
            Err(Problem::Invalid { operation: "projection", message }.into())
        }
    }
}

/// The scale of an axis that is linear up to a distance from zero.
pub(super) fn symlog(operation: &'static str, near: f64) -> Result<Scale> {
    if near > 0.0 && near.is_finite() {
        return Ok(Scale::Symlog(near));
    }
    let message = format!("{near} is not a distance from zero; give a finite number above 0");
    Err(Problem::Invalid { operation, message }.into())
}

/// The angle of a direction, in radians from the right to the left.
pub(super) fn zero_location(text: &str) -> Result<f64> {
    const DIRECTIONS: [&str; 8] = ["E", "NE", "N", "NW", "W", "SW", "S", "SE"];
    match DIRECTIONS.iter().position(|name| *name == text) {
        Some(eighths) => Ok(eighths as f64 * std::f64::consts::FRAC_PI_4),
        None => {
            let message = format!("`{text}` is not a direction; write one of {}", DIRECTIONS.join(", "));
            Err(Problem::Invalid { operation: "theta_zero_location", message }.into())
        }
    }
}

/// Whether angles run with the clock.
pub(super) fn is_clockwise(direction: f64) -> Result<bool> {
    if direction.abs() == 1.0 {
        return Ok(direction < 0.0);
    }
    let message = format!("{direction} is not a direction; write 1, against the clock, or -1, with it");
    Err(Problem::Invalid { operation: "theta_direction", message }.into())
}

pub(super) fn aspect(text: &str) -> Result<Aspect> {
    match text {
        "equal" => Ok(Aspect::Equal),
        "auto" => Ok(Aspect::Auto),
        _ => {
            let message = format!("`{text}` is not an aspect; write `equal` or `auto`");
            Err(Problem::Invalid { operation: "aspect", message }.into())
        }
    }
}

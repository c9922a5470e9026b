//! Kinds and marks beside lines: bars of errors, bands, stems, steps, texts, ticks.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use gpurepl_prelude::*;

use super::gallery::{check, normal, pixels};
use crate::raises;

fn svg(figure: &Figure) -> String {
    figure.to_svg().unwrap()
}

/// What is written in a picture.
fn words(svg: &str) -> Vec<String> {
    let texts = svg.split("<text ").skip(1).filter_map(|text| text.split_once('>')?.1.split_once("</text>"));
    texts.map(|(text, _)| text.to_owned()).collect()
}

/// The polygons of a colour, each as its points.
fn areas(svg: &str, color: &str) -> Vec<Vec<(f64, f64)>> {
    let polygons = svg.split("<polygon ").skip(1).map(|rest| rest.split("/>").next().unwrap());
    let points = |polygon: &str| {
        let points = polygon.split("points=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        let numbers: Vec<f64> =
            points.split([' ', ',']).filter_map(|number| number.parse::<f64>().ok()).collect();
        numbers.chunks(2).map(|pair| (pair[0] / 10.0, pair[1] / 10.0)).collect()
    };
    polygons.filter(|polygon| polygon.contains(color)).map(points).collect()
}

fn ends(points: &[(f64, f64)]) -> [f64; 4] {
    let fold = |of: fn(&(f64, f64)) -> f64, pick: fn(f64, f64) -> f64, start: f64| {
        points.iter().map(of).fold(start, pick)
    };
    [
        fold(|p| p.0, f64::min, f64::INFINITY),
        fold(|p| p.1, f64::min, f64::INFINITY),
        fold(|p| p.0, f64::max, -f64::INFINITY),
        fold(|p| p.1, f64::max, -f64::INFINITY),
    ]
}

const BLUE: &str = "#1F77B4";

#[test]
fn error_bars() {
    let x = [1.0, 2.0, 3.0, 4.0, 5.0];
    let y = [2.1, 3.9, 6.2, 7.8, 10.1];
    let figure = errorbar((&x, &y), &[0.3, 0.5, 0.4, 0.6, 0.5]).format("o").capsize(3).label("measured");
    check(
        "errorbar",
        figure.plot((&[0.5, 5.5], &[1.0, 11.0])).dashed().label("expected").title("Error bars"),
    );
}

#[test]
fn a_band_around_a_line() {
    let x = linspace(0.0, 10.0, 200);
    let y = x.sin();
    let figure =
        fill_between(&x, &(&y - 0.3), &(&y + 0.3)).alpha(0.3).label("±0.3").plot((&x, &y)).label("sin");
    check("fill-between", figure.axhline(0).color("gray").dashed().axvspan(4, 6).color("orange").alpha(0.2));
}

#[test]
fn stacked_bars() {
    let names = ["2023", "2024", "2025"];
    let figure = bar((names, [20, 35, 30])).label("a").yerr(&[2, 3, 4]).bar((names, [25, 32, 34])).label("b");
    check("bar-stacked", figure.stacked().legend_at("outside"));
}

#[test]
fn bars_that_lie() {
    let names = ["copy", "scale", "add", "triad"];
    check("barh", barh((names, [3.1, 3.0, 3.4, 3.3])).xerr(0.2).capsize(3).xlabel("TB/s"));
}

#[test]
fn steps_and_stems() {
    let x: GpuArray<f64> = arange(0.0..12.0);
    let y = (&x * 0.5_f64).sin() + 2.0_f64;
    let figure = step((&x, &y)).label("step").plot((&x, &y, "C0o--")).alpha(0.4);
    check("step", figure.stem((&x, &(&y - 2.0_f64))).color("C2").label("stem").grid());
}

#[test]
fn texts_arrows_and_ticks() {
    let x = linspace(0.0, TAU, 200);
    let figure = plot((&x, &x.sin()))
        .annotate("maximum", (FRAC_PI_2, 1.0), (3.0, 0.9))
        .text(4.0, 0.2, "zero at π")
        .axvline(PI)
        .dotted()
        .xticks((&(arange(0.0..5.0) * FRAC_PI_2), ["zero", "π/2", "π", "3π/2", "2π"]))
        .xtick_rotation(45.0)
        .yticks(&[-1.0, 0.0, 1.0])
        .legend_at("below")
        .title("Texts and ticks");
    check("annotate", figure);
}

#[test]
fn columns_of_a_matrix_are_lines() {
    let walks = to_gpu(&normal(600, 9)).reshape((200, 3)).cumsum_axis(0);
    let figure = plot(&walks);
    let picture = svg(&figure);
    for color in ["#1F77B4", "#FF7F0E", "#2CA02C"] {
        assert_eq!(picture.matches(&format!("stroke=\"{color}\"")).count(), 1, "{color}");
    }
    assert!(figure.render().0["text/plain"].starts_with("Figure: 3 series"));
    check("columns", figure.legend().title("A line for each column"));
    raises(
        ErrorKind::Shape,
        "plot: y has shape [2, 101], and 101 columns are too many lines (at most 100); show the matrix with `imshow`, or \
         plot its transpose, `a.t()`, for a line of each row",
        || drop(plot(&zeros::<f32>((2, 101)))),
    );
}

#[test]
fn a_figure_was_taken_by_its_methods() {
    let figure = plot(&[1, 2, 3]);
    figure.title("In place");
    figure.xlabel("x").ylabel("y");
    let same = figure.grid();
    same.label("named");
    assert!(words(&svg(&figure)).iter().any(|word| word == "named"));
    assert_eq!(svg(&figure), svg(&same));
    // A clone is another figure.
    let other = figure.clone();
    other.title("Other");
    assert!(words(&svg(&figure)).iter().any(|word| word == "In place"));
    assert!(words(&svg(&other)).iter().any(|word| word == "Other"));
    // What is refused changes nothing, and the figure goes on.
    let before = svg(&figure);
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(figure.color("nothing"))));
    assert!(refused.is_err());
    assert_eq!(svg(&figure), before);
}

#[test]
fn formats_are_matplotlibs() {
    let dashed = svg(&plot((&[1, 2, 3], "r--")));
    assert!(dashed.contains("stroke=\"#FF0000\"") && dashed.contains("stroke-dasharray"));
    let marks = svg(&plot((&[0, 1, 2], &[1, 2, 3], "ko")));
    assert_eq!(marks.matches("<circle").count(), 3);
    assert!(!marks.contains("<polyline opacity=\"1\" fill=\"none\" stroke=\"#000000\" stroke-width=\"21\""));
    assert_eq!(svg(&plot(&[1, 2, 3]).format("g-.")), svg(&plot(&[1, 2, 3]).color("g").linestyle("-.")));
    raises(
        ErrorKind::Value,
        "format: `rx9` is not a format: `9` is none of them; write a colour (`r`, `k`, `C1`), a mark (`o`, `.`, `,`, `s`, `^`, \
         `v`, `<`, `>`, `D`, `d`, `p`, `h`, `*`, `+`, `P`, `x`, `X`, `|`, `_`) and a line (`-`, `--`, `:`, `-.`), such as `r--` or `ko`",
        || drop(plot((&[1, 2], "rx9"))),
    );
}

#[test]
fn bars_stand_on_each_other() {
    let places = |figure: &Figure, color: &str| ends(&areas(&svg(figure), color)[0]);
    let both = bar([2.0]).bar([3.0]);
    let stacked = both.clone().stacked();
    let (first, second) = (places(&stacked, BLUE), places(&stacked, "#FF7F0E"));
    assert_eq!((first[0], first[2]), (second[0], second[2]));
    assert_eq!(first[1], second[3]);
    // Three parts of five are the second's.
    let part = (second[3] - second[1]) / (first[3] - second[1]);
    assert!((part - 0.6).abs() < 0.01, "{part}");
    // The same by hand, and side by side without it.
    let by_hand = bar([2.0]).bar([3.0]).bottom([2.0]);
    assert_eq!(places(&by_hand, "#FF7F0E"), second);
    assert!(places(&both, BLUE)[2] <= places(&both, "#FF7F0E")[0]);
    // What is below zero is stacked downwards.
    let down = bar([2.0]).bar([-1.0]).bar([-2.0]).stacked();
    assert_eq!(places(&down, "#FF7F0E")[3], places(&down, "#2CA02C")[1].max(places(&down, "#FF7F0E")[3]));
    raises(
        ErrorKind::Shape,
        "bottom: the series has 2 points and the data has shape [3]; give a number for each, or one for all",
        || drop(bar([1, 2]).bottom([1, 2, 3])),
    );
}

#[test]
fn a_band_of_many_points_is_that_of_few() {
    let few = linspace(0.0, 10.0, 2000);
    let many = linspace(0.0, 10.0, 300_000);
    let band =
        |x: &GpuArray<f64>| fill_between(x, &x.sin(), &(x.sin() + 1.0)).xlim(0.0, 10.0).ylim(-2.0, 3.0);
    let area = |points: &[(f64, f64)]| -> f64 {
        let next = points.iter().cycle().skip(1);
        let sum: f64 = points.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum();
        sum.abs() / 2.0
    };
    let sizes = [&few, &many].map(|x| {
        let all = areas(&svg(&band(x)), BLUE);
        assert_eq!(all.len(), 1);
        area(&all[0])
    });
    assert!((sizes[0] / sizes[1] - 1.0).abs() < 0.02, "{sizes:?}");
    // A gap is one in both.
    let holes = |x: &GpuArray<f64>| {
        let mut y = x.sin();
        let (from, to) = (x.size() / 2, x.size() * 6 / 10);
        set!(y[from..to] = f64::NAN);
        areas(&svg(&fill_between(x, &y, 0.0)), BLUE).len()
    };
    assert_eq!((holes(&few), holes(&many)), (2, 2));
    assert_eq!(areas(&svg(&fill_between(&many, 0.0, 1.0)), BLUE)[0].len(), 4);
    let mixed = to_gpu(&normal(10_000, 1));
    let error = fill_between(&mixed, &mixed, 0.0).to_svg().unwrap_err().to_string();
    assert!(error.starts_with("fill_between: x neither ascends nor descends"), "{error}");
}

#[test]
fn what_is_filled_where_a_mask_is_true() {
    let x = linspace(0.0, 10.0, 101);
    let y = x.sin();
    // Above zero: 0 to 3.1, and 6.3 to 9.4.
    let above = fill_between(&x, &y, 0.0).where_(y.gt(0.0)).xlim(0, 10).ylim(-1, 1);
    let pieces = areas(&svg(&above), BLUE);
    assert_eq!(pieces.len(), 2, "{pieces:?}");
    assert_eq!(pieces.iter().map(Vec::len).collect::<Vec<_>>(), [2 * 31, 2 * 32], "two edges");
    // A truth value for each, from the host as well; of many points on the device.
    let mask: Vec<bool> = (0..101).map(|k| k < 50).collect();
    assert_eq!(areas(&svg(&fill_between(&x, &y, 0.0).where_(&mask)), BLUE).len(), 1);
    let many = linspace(0.0, 10.0, 1_000_001);
    let above = fill_between(&many, &many.sin(), 0.0).where_(many.sin().gt(0.0));
    assert_eq!(areas(&svg(&above), BLUE).len(), 2);
    let text = "where_: the band has 101 points and the mask has shape [2]; give a truth value for each, or one for all";
    raises(ErrorKind::Shape, text, || drop(fill_between(&x, &y, 0.0).where_(&[true, false])));
}

#[test]
fn ticks_are_those_that_were_asked_for() {
    let figure = plot(&[0.0, 1.0, 2.0]).xticks(&[0.0, 0.5, 2.0, 7.0]).yticks(&[] as &[f64]);
    // As by Matplotlib: the axes reach so far, and all have as many digits.
    assert_eq!(words(&svg(&figure)), ["0.0", "0.5", "2.0", "7.0"]);
    let figure = plot(&[0.0, 1.0]).xticks((&[0, 1], vec!["no", "yes"])).yticks(&[0.25]);
    assert_eq!(words(&svg(&figure)), ["no", "yes", "0.25"]);
    let turned = svg(&figure.xtick_rotation(30.0));
    assert_eq!(turned.matches("transform=\"rotate(-30 ").count(), 2);
    raises(ErrorKind::Shape, "xticks: there are 2 places and 1 names; give a name for each", || {
        drop(plot(&[1]).xticks((&[0, 1], ["one"])));
    });
}

#[test]
fn a_long_label_was_cut_at_the_edge_of_the_figure() {
    let label = "a label of so many words that no figure of the usual size has room for all of it in one line of its legend";
    for figure in [plot(&[1, 2]).label(label), plot(&[1, 2]).label(label).legend_at("outside")] {
        let picture = svg(&figure);
        let all = words(&picture).join(" ");
        assert!(label.split(' ').all(|word| all.contains(word)));
        let right = picture.split("<polygon ").skip(2).map(|rest| {
            let points = rest.split("points=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
            points
                .split(' ')
                .filter_map(|point| point.split(',').next()?.parse::<f64>().ok())
                .fold(0.0, f64::max)
        });
        let right = right.fold(0.0, f64::max);
        assert!(right <= 6400.0, "{right}");
    }
    raises(
        ErrorKind::Value,
        "legend_at: `upper up` is not a place of the legend; use `best`, `upper right`, `upper left`, `lower left`, `lower \
         right`, `center left`, `center right`, `lower center`, `upper center`, `center`, `outside` or `below`",
        || drop(plot(&[1]).legend_at("upper up")),
    );
}

#[test]
fn guides_widen_the_axes_and_take_no_colour() {
    let figure = plot(&[1.0, 2.0]).axhline(5.0).label("limit").plot(&[1.5, 1.0]);
    let picture = svg(&figure);
    assert!(words(&picture).contains(&"5".to_owned()) || words(&picture).contains(&"5.0".to_owned()));
    assert!(picture.contains("stroke=\"#FF7F0E\"") && !picture.contains("#2CA02C"));
    // A logarithmic axis has no place for some of them.
    for figure in [
        plot(&[1.0, 10.0]).log_y().axhline(-1).axhspan(-2, 3).text(0, -5, "x").annotate("y", (0, 1), (1, -1)),
        Figure::new().axvline(3).axvspan(1, 2),
        plot(&[f64::NAN]).axhline(0.5),
        plot(&[1.0, 2.0]).xlim(0.0, 1e-12).axvspan(-1e300, 1e300).text(1e300, 1e300, "far"),
    ] {
        let picture = svg(&figure);
        assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
        let _ = figure.render();
    }
    raises(ErrorKind::Value, "axhline: NaN is not a place on an axis; give a finite number", || {
        drop(plot(&[1]).axhline(f64::NAN));
    });
}

#[test]
fn the_name_of_the_vertical_axis_was_off_its_middle_in_png() {
    let figure = plot(&[1, 2]).ylabel("a name for the axis").yticks(&[] as &[f64]).size(300, 400);
    let bytes = figure.pixel_ratio(1.0).to_png().unwrap();
    let pixels = pixels(&bytes);
    let is_dark = |x: usize, y: usize| pixels[(y * 300 + x) * 3] < 100;
    let rows: Vec<usize> = (0..400).filter(|y| (0..30).any(|x| is_dark(x, *y))).collect();
    let axes: Vec<usize> = (0..400).filter(|y| (60..260).all(|x| is_dark(x, *y))).collect();
    let middle = |rows: &[usize]| (rows[0] + rows[rows.len() - 1]) as f64 / 2.0;
    assert!((middle(&rows) - middle(&axes)).abs() < 4.0, "{rows:?} {axes:?}");
}

#[test]
fn names_at_ticks_that_are_turned_stand_below_the_axis() {
    let figure = plot(&[1, 2]).xticks((&[0.5], ["a long name"])).yticks(&[] as &[f64]).size(300, 300);
    for degrees in [-90.0, -45.0, 30.0, 90.0] {
        let bytes = figure.clone().xtick_rotation(degrees).pixel_ratio(1.0).to_png().unwrap();
        let pixels = pixels(&bytes);
        let is_dark = |x: usize, y: usize| pixels[(y * 300 + x) * 3] < 100;
        let axis = (0..300).rfind(|y| (60..260).all(|x| is_dark(x, *y))).unwrap();
        let below: Vec<usize> = (axis + 8..300).filter(|y| (0..300).any(|x| is_dark(x, *y))).collect();
        // All of it is seen, and it begins where labels do.
        assert!(below[0] < axis + 16 && below[below.len() - 1] < 299, "{degrees}: {axis} {below:?}");
        assert!(below.len() > 30, "{degrees}: {below:?}");
    }
}

#[test]
fn points_of_their_own_colours_and_sizes() {
    let (x, y) = (to_gpu(&normal(150, 11)), to_gpu(&normal(150, 12)));
    let distance = (&x * &x + &y * &y).sqrt();
    let figure = scatter((&x, &y)).colors(&distance).sizes(&(&distance * 80.0_f64)).alpha(0.7);
    check("scatter-colors", figure.colormap("plasma").colorbar_label("distance").aspect("equal"));
    let three = svg(&scatter((&[0, 1, 2], &[0, 1, 2])).colors(&[0.0, 0.5, 1.0]).sizes(&[36.0, 144.0, -1.0]));
    let radii: Vec<&str> = three
        .split("<circle ")
        .skip(1)
        .map(|rest| rest.split("r=\"").nth(1).unwrap().split('"').next().unwrap())
        .collect();
    assert_eq!(radii, ["49", "90"]);
    assert!(three.contains("#440154") && !three.contains("#FDE725\" "));
    let lost = scatter((&[0, 1], &[0, 1])).colors(&[1.0, f64::NAN]).render().0["text/plain"].clone();
    assert!(lost.contains("note: 1 point without a colour or a size is not shown"), "{lost}");
    raises(
        ErrorKind::Shape,
        "colors: the series has 2 points and the data has shape [3]; give a number for each, or one for all",
        || drop(scatter((&[0, 1], &[0, 1])).colors(&[1, 2, 3])),
    );
    raises(
        ErrorKind::Shape,
        "sizes: 6000 sizes are too many to tell apart (at most 5000); leave them out, and crowded points are shown by their \
         density, or by `.colors(..)`",
        || drop(scatter(&zeros::<f32>(6000)).sizes(&zeros::<f32>(6000))),
    );
}

#[test]
fn a_matrix_over_places_of_its_own() {
    let matrix = super::gallery::landscape(30, 60);
    let figure = imshow(&matrix).extent(0, 4, -1, 1).origin("lower").colorbar_label("height (m)");
    check("extent", figure.contour(&matrix).extent(0, 4, -1, 1).color("white").xlabel("x (km)"));
    // The first row is the lowest, or the highest.
    let rows = |figure: &Figure| {
        let text = figure.render().0["text/plain"].clone();
        let first = text.lines().nth(1).unwrap().chars().last().unwrap();
        (first, svg(figure))
    };
    let small = gpu![[0.0, 0.0], [1.0, 1.0]];
    let (upper, lower) = (rows(&imshow(&small)), rows(&imshow(&small).origin("lower")));
    assert_eq!((upper.0, lower.0), ('\u{b7}', '\u{2588}'));
    assert_ne!(upper.1, lower.1);
    raises(ErrorKind::Value, "origin: `up` is not an origin; write `upper` or `lower`", || {
        drop(imshow(&small).origin("up"));
    });
    raises(
        ErrorKind::Value,
        "extent: an axis cannot run from 1 to 1; give two finite numbers that differ",
        || {
            drop(imshow(&small).extent(1, 1, 0, 1));
        },
    );
}

#[test]
fn the_area_of_a_density_is_one() {
    let values = to_gpu(&normal(10_000, 5));
    let area = |figure: &Figure| {
        let points = areas(&svg(figure), BLUE)[0].clone();
        let next = points.iter().cycle().skip(1);
        let sum: f64 = points.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum();
        sum.abs() / 2.0
    };
    let figure = hist(&values, 40).density().xlim(-5.0, 5.0).ylim(0.0, 0.5);
    // Of a box of 10 by 0.5 a fifth is one.
    let frame = area(&fill_between(&[-5.0, 5.0], 0.0, 0.5).xlim(-5.0, 5.0).ylim(0.0, 0.5));
    assert!((area(&figure) / frame - 0.2).abs() < 0.002, "{} {frame}", area(&figure));
    let x = linspace(-4.0, 4.0, 200);
    let squares: GpuArray<f64> = &x * &x;
    let normal = (squares * -0.5_f64).exp() * 0.3989_f64;
    check(
        "hist-density",
        hist(&values, 40).density().alpha(0.6).label("values").plot((&x, &normal, "r--")).label("normal"),
    );
}

//! What pictures once showed wrong, each by the name of what it did.

use gpurepl_prelude::*;

use crate::raises;

fn text(figure: &Figure) -> String {
    figure.render().0["text/plain"].clone()
}

fn svg(figure: &Figure) -> String {
    figure.to_svg().unwrap()
}

/// The texts of a picture, in the order in which they are written.
fn words(svg: &str) -> Vec<&str> {
    svg.split("</text>").filter_map(|part| Some(part.rsplit_once("<text")?.1.split_once('>')?.1)).collect()
}

/// How wide and how high the frame is, by the path that draws it.
fn frame(svg: &str) -> (f64, f64) {
    let clip = svg.split_once("<clipPath").unwrap().1;
    let length = |name: &str| -> f64 {
        let value = clip.split_once(name).unwrap().1;
        value.split_once('"').unwrap().0.parse().unwrap()
    };
    (length(" width=\""), length(" height=\""))
}

/// Where the bars of a colour begin and how wide they are, in pixels.
fn bars(svg: &str, color: &str) -> Vec<(f64, f64)> {
    let areas = svg.lines().filter(|line| line.starts_with("<polygon") && line.contains(color));
    let places = areas.map(|line| {
        let points = line.split_once("points=\"").unwrap().1.split_once('"').unwrap().0;
        let across: Vec<f64> = points
            .split_whitespace()
            .map(|point| point.split_once(',').unwrap().0.parse().unwrap())
            .collect();
        let least = across.iter().copied().fold(f64::INFINITY, f64::min);
        (least / 10.0, (across.iter().copied().fold(0.0, f64::max) - least) / 10.0)
    });
    places.collect()
}

const BLUE: &str = "#1F77B4";
const ORANGE: &str = "#FF7F0E";

#[test]
fn other_names_were_drawn_under_the_first_ones() {
    let picture = svg(&bar((["a", "b"], [1, 2])).bar((["c", "d"], [3, 4])));
    let words = words(&picture);
    assert!(["a", "b", "c", "d"].iter().all(|name| words.contains(name)), "{words:?}");
    let (first, second) = (bars(&picture, BLUE), bars(&picture, ORANGE));
    assert!(second[0].0 > first[1].0 + first[1].1, "{first:?} {second:?}");
    // Bars of names are as wide as others, also where names are left out.
    let picture = svg(&bar((["a", "b", "c"], [1, 2, 3])).bar((["a", "c"], [3, 4])));
    assert!((bars(&picture, BLUE)[0].1 - bars(&picture, ORANGE)[0].1).abs() < 0.5);
    // The same names in another order are the same places.
    let line = |svg: &str, color: &str| {
        let line = svg.lines().find(|line| line.starts_with("<polyline") && line.contains(color)).unwrap();
        let mut points: Vec<String> = line
            .split_once("points=\"")
            .unwrap()
            .1
            .split_once('"')
            .unwrap()
            .0
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        points.sort();
        points
    };
    let picture = svg(&plot((["a", "b", "c"], [1, 2, 3])).plot((["c", "b", "a"], [3, 2, 1])));
    assert_eq!(line(&picture, BLUE), line(&picture, ORANGE));
    // A name twice is one place, and a longer series has its names as well.
    let picture = svg(&scatter((["a", "a"], [1, 2])).scatter((["b", "a", "c"], [1, 1, 1])));
    assert_eq!(self::words(&picture).iter().filter(|word| "abc".contains(**word)).count(), 3);
}

#[test]
fn names_of_a_long_series_were_those_of_another() {
    let names: Vec<String> = (0..6000).map(|k| format!("n{}", (k + 1) % 6000)).collect();
    let heights: Vec<f64> = (0..6000).map(f64::from).collect();
    let figure = plot((["n0", "n1"], [1.0, 2.0])).plot((&names, &heights));
    // The last name is the first series' first: the line comes back to the left.
    let text = text(&figure);
    let top = text.lines().nth(1).unwrap().split('\u{2502}').nth(1).unwrap();
    assert!(top.chars().take(8).any(|dots| dots != '\u{2800}'), "{text}");
}

#[test]
fn limits_of_colours_were_those_of_heights() {
    let matrix = arange::<f64>(0.0..35.0).reshape((5, 7));
    let words = |figure: Figure| words(&svg(&figure)).join(" ");
    assert_eq!(words(surface(&matrix).clim(0.0, 10.0)), words(surface(&matrix)));
}

#[test]
fn the_colour_bar_explained_lines_that_an_image_covers() {
    let a = arange::<f64>(0.0..16.0).reshape((4, 4));
    let figure = |figure: Figure| words(&svg(&figure.colormap("magma"))).join(" ");
    assert!(figure(contour(&a).imshow(&(&a * 100.0))).contains("1400"));
    assert!(figure(imshow(&(&a * 100.0)).contour(&a)).contains("1400"));
    // Lines of one colour have no colours to explain.
    assert!(!words(&svg(&contour(&a).color("red"))).contains(&"14"));
}

#[test]
fn an_image_hid_the_points_that_were_drawn_before_it() {
    let matrix = zeros::<f32>((4, 4));
    let place = |svg: &str, what: &str| svg.find(what).unwrap();
    for figure in [scatter(&[1.0, 2.0]).imshow(&matrix), imshow(&matrix).scatter(&[1.0, 2.0])] {
        let picture = svg(&figure.grid());
        assert!(place(&picture, "<image") < place(&picture, "<circle"));
        assert!(place(&picture, "<image") < place(&picture, "#B0B0B0"), "lines at ticks");
    }
    // Lines lie over bars, and the legend names what was added first, first.
    let picture = svg(&plot(&[1.0, 2.0]).label("line").bar(&[1.0, 2.0]).label("bars"));
    assert!(place(&picture, ORANGE) < place(&picture, BLUE));
    assert!(place(&picture, ">line<") < place(&picture, ">bars<"));
}

#[test]
fn times_in_nanoseconds_were_a_vertical_line() {
    let times = to_gpu(&[1_700_000_000_000_000_000i64, 1_700_000_000_000_050_000, 1_700_000_000_000_100_000]);
    let picture = svg(&plot((&times, &to_gpu(&[1.0, 2.0, 3.0]))));
    assert!(
        words(&picture).ends_with(&["+1.7e18"]) && words(&picture).contains(&"80000"),
        "{:?}",
        words(&picture)
    );
    let values: Vec<f64> = (0..100).map(|k| 1e9 + f64::from(k) * 1e-7).collect();
    let width = bars(&svg(&hist(&values, 10)), BLUE)[0].1;
    assert!(width > 300.0, "{width}");
}

#[test]
fn bars_at_the_left_of_a_logarithmic_axis_vanished() {
    let count = |figure: Figure| {
        let picture = svg(&figure.log_x());
        let bars = bars(&picture, BLUE);
        bars.iter().filter(|(left, width)| *left + *width > 81.0 && *width >= 1.0).count()
    };
    assert_eq!(count(bar(([0.1, 1.0, 10.0], [3, 4, 5]))), 3);
    assert_eq!(count(bar((["x", "y", "z"], [3, 4, 5]))), 3);
    let picture = svg(&hist(&(0..1000).map(f64::from).collect::<Vec<_>>(), 20).log_x());
    // The least of the axis is in the first bin, from 0 to 50.
    assert!(words(&picture).contains(&"10") && bars(&picture, BLUE)[0].1 > 400.0, "{picture}");
    assert!(text(&bar(([-5.0, 1.0], [3, 4])).log_x()).contains("1 of 2 bars is at 0 or left of it"));
}

#[test]
fn logarithmic_axes_of_less_than_two_decades_had_linear_ticks() {
    let picture = svg(&plot(&[30.0, 800.0]).log_y());
    let words = words(&picture);
    for label in ["10", "3\u{2009}×\u{2009}10", "6\u{2009}×\u{2009}10"] {
        assert!(words.contains(&label), "{label} {words:?}");
    }
    assert!(!words.contains(&"200"));
    // Labels that would touch are left out.
    let narrow = svg(&plot((&[30.0, 800.0], &[1, 2])).log_x().size(200, 200));
    assert!(self::words(&narrow).iter().filter(|word| word.contains('×')).count() <= 2);
}

#[test]
fn control_characters_made_invalid_svg_and_reached_the_terminal() {
    let bad = "\u{1b}[31mred\u{7} nul\0 \u{9b}c1";
    let figure =
        plot((["\u{1b}n", "m"], [1.0, 2.0])).title(bad).label("\u{1b}]0;pwn\u{7}").xlabel(bad).ylabel(bad);
    for form in [svg(&figure), text(&figure), format!("{figure:?}")] {
        assert!(!form.chars().any(|c| c.is_control() && c != '\n'), "{form:?}");
        assert!(form.contains('\u{fffd}'));
    }
}

#[test]
fn a_line_end_in_a_text_was_a_box() {
    let figure = plot(&[1.0, 2.0]).title("first\nsecond").xlabel("a\r\nb").ylabel("c\nd").label("e\tf\ng");
    let picture = svg(&figure);
    let words = words(&picture);
    for word in ["first", "second", "a", "b", "c", "d", "e    f", "g"] {
        assert!(words.contains(&word), "{word} {words:?}");
    }
    assert!(frame(&picture).1 < frame(&svg(&plot(&[1.0, 2.0]).title("first"))).1);
    assert!(text(&figure).lines().next().unwrap().ends_with("\"first second\""));
}

#[test]
fn the_legend_covered_the_highest_bar() {
    let picture = svg(&bar(&[1.0, 2.0, 3.0]).plot(&[1.0, 2.0, 3.0]).marker("o").label("l"));
    let label = picture.lines().find(|line| line.contains(">l<")).unwrap();
    let x: f64 = label.split_once("x=\"").unwrap().1.split_once('"').unwrap().0.parse().unwrap();
    assert!(x < 2000.0, "{label}");
}

#[test]
fn the_opacity_of_a_contour_counted_twice() {
    let matrix = arange::<f64>(0.0..35.0).reshape((5, 7));
    for figure in [contour(&matrix).color("red"), contour(&matrix)] {
        let picture = svg(&figure.alpha(0.5));
        assert!(picture.contains("opacity=\"0.5\"") && !picture.contains("opacity=\"0.25\""));
    }
}

#[test]
fn limits_stretched_the_pixels_of_an_image() {
    let matrix = arange::<f64>(0.0..35.0).reshape((5, 7));
    for (figure, aspect) in [
        (imshow(&matrix), 7.0 / 5.0),
        (imshow(&matrix).xlim(0.5, 3.5), 3.0 / 5.0),
        (imshow(&matrix).ylim(3.5, 1.5).xlim(-0.5, 2.5), 3.0 / 2.0),
    ] {
        let (width, height) = frame(&svg(&figure));
        assert!((width / height / aspect - 1.0).abs() < 0.02, "{width} {height} {aspect}");
    }
}

#[test]
fn settings_that_a_series_has_no_use_for_were_ignored() {
    let refused = |name: &str, found: &str, change: fn(Figure) -> Figure, figure: Figure| {
        let error = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(change(figure))));
        let error = error.unwrap_err().downcast::<Error>().unwrap().to_string();
        let start = format!(
            "{name}: the last series is one of `{found}`, which does not have this setting; set it after `."
        );
        assert!(error.starts_with(&start), "{error}");
    };
    let (line, image) = (|| plot(&[1, 2, 3]), || imshow(&[[1, 2], [3, 4]]));
    refused("levels", "plot", |figure| figure.levels([1.0]), line());
    refused("clim", "plot", |figure| figure.clim(0.0, 1.0), line());
    refused("bin_range", "plot", |figure| figure.bin_range(0.0, 1.0), line());
    refused("colormap", "plot", |figure| figure.colormap("magma"), line());
    refused("color", "imshow", |figure| figure.color("red"), image());
    refused("marker", "hist", |figure| figure.marker("o"), hist([1.0], 2));
    refused("dashed", "scatter", |figure| figure.dashed(), scatter(&[1.0]));
    refused("yerr", "hist", |figure| figure.yerr(0.5), hist([1.0], 2));
    refused("bottom", "plot", |figure| figure.bottom(0.5), line());
    refused("fontsize", "axhline", |figure| figure.fontsize(8.0), line().axhline(1));
    raises(
        ErrorKind::Value,
        "colormap: the last series is one of `bar`, which does not have this setting; set it after `.imshow(..)`, \
         `.contour(..)`, `.contourf(..)`, `.pcolormesh(..)`, `.hist2d(..)`, `.hexbin(..)`, `.surface(..)` or \
         `.colors(..)`, or leave it out",
        || drop(bar([1.0]).colormap("magma")),
    );
    raises(ErrorKind::Value, "levels: NaN is not a valid level of a contour; give finite numbers", || {
        drop(contour(&[[1, 2], [3, 4]]).levels([f64::NAN]));
    });
}

#[test]
fn errors_named_no_operation() {
    let error = plot(&[1.0]).save("/no/such/folder/x.png").unwrap_err();
    assert_eq!(
        error.to_string(),
        "save: cannot write /no/such/folder/x.png: No such file or directory (os error 2); make the folder first, \
         `std::fs::create_dir_all(\"/no/such/folder\")?`, or name one that is there"
    );
    let error = imshow(&[[1, 2], [3, 4]]).log_y().to_svg().unwrap_err();
    assert!(
        error.to_string().starts_with("imshow: rows and columns of a matrix stand on linear axes"),
        "{error}"
    );
}

#[test]
fn what_is_left_out_was_said_to_nobody_who_sees_the_picture() {
    let figure = plot(&[1.0, 0.0, -1.0, 5.0]).log_y().xlabel("x");
    let picture = svg(&figure);
    let note = "2 values of y are not above 0: a logarithmic axis cannot show them";
    assert!(words(&picture).contains(&note), "{:?}", words(&picture));
    assert!(text(&figure).contains(note));
    // It has room of its own below the label.
    assert!(frame(&picture).1 < frame(&svg(&plot(&[1.0, 5.0]).log_y().xlabel("x"))).1);
    let empty = surface(&zeros::<f32>((0, 4)));
    assert!(words(&svg(&empty)).contains(&"the matrix is empty"));
}

#[test]
fn negative_bars_and_contours_without_lines_were_left_out_in_silence() {
    let said = |figure: Figure, what: &str| assert!(text(&figure).contains(what), "{}", text(&figure));
    said(bar((["a", "b"], [1.0, -2.0])).log_y(), "note: 1 of 2 bars is not above 0");
    let matrix = arange::<f64>(0.0..4.0).reshape((2, 2));
    said(contour(&matrix).levels([5.0]), "note: no level of the contour lies between 0 and 3");
    said(contour(&full((3, 3), 2.5)), "note: no contour: every value is 2.5");
    said(
        contour(&full((1, 3), 2.5)),
        "note: a contour needs 2 rows and 2 columns, and the matrix has 1 and 3",
    );
    assert!(!text(&contour(&matrix).levels([1.0])).contains("note"));
}

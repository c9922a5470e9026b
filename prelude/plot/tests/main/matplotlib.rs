//! What Matplotlib's users write by habit means here what it means there.

use gpurepl_prelude::*;

use super::{areas, lines, raises, svg, words};

const BLUE: &str = "#1F77B4";
const ORANGE: &str = "#FF7F0E";

/// The sides and the ends of bars of a colour: left, right, top, bottom.
fn boxes(svg: &str, color: &str) -> Vec<[f64; 4]> {
    let bounds = |points: Vec<(f64, f64)>| {
        let x = points.iter().map(|at| at.0);
        let y = points.iter().map(|at| at.1);
        [
            x.clone().fold(f64::INFINITY, f64::min),
            x.fold(f64::NEG_INFINITY, f64::max),
            y.clone().fold(f64::INFINITY, f64::min),
            y.fold(f64::NEG_INFINITY, f64::max),
        ]
    };
    areas(svg, color).into_iter().map(bounds).collect()
}

/// The width of axes in the usual figure, and of a number on them.
fn unit(from: f64, to: f64) -> f64 {
    496.0 / (to - from)
}

#[test]
fn bars_at_places_stand_where_these_are() {
    let x = [0.0, 1.0, 2.0];
    let at = |shift: f64| x.map(|x| x + shift);
    let pair = bar((&at(-0.2), &[1, 2, 3])).width(0.4).bar((&at(0.2), &[3, 2, 1])).width(0.4).xlim(-1, 3);
    let svg = svg(&pair);
    let (first, second) = (boxes(&svg, BLUE), boxes(&svg, ORANGE));
    for (a, b) in first.iter().zip(&second) {
        assert!((a[1] - b[0]).abs() < 0.2, "they touch: {a:?} {b:?}");
        assert!((a[1] - a[0] - 0.4 * unit(-1.0, 3.0)).abs() < 0.3, "{a:?}");
    }
    // The same places: one lies over the other. Names are shared.
    let over = super::svg(&bar((&[1, 2], &[10, 20])).bar((&[1, 2], &[5, 10])));
    assert_eq!(boxes(&over, BLUE)[0][..2], boxes(&over, ORANGE)[0][..2]);
    let beside = super::svg(&bar((["a", "b"], [10, 20])).bar((["a", "b"], [5, 10])));
    assert!((boxes(&beside, BLUE)[0][1] - boxes(&beside, ORANGE)[0][0]).abs() < 0.2);
}

#[test]
fn a_number_of_levels_is_not_a_level() {
    let z = linspace(0.0, 19.0, 20).reshape((20, 1)) + &linspace(0.0, 19.0, 20);
    let count = |figure: &Figure| words(&svg(figure)).len();
    assert!(count(&contourf(&z).levels(20)) > count(&contourf(&z).levels(3)));
    // `matplotlib.pyplot.contour(z, levels=3)`: 0, 10, 20, 30, 40; the ends have no lines.
    let drawn = lines(&svg(&contour(&z).color("red").levels(3)), "#FF0000");
    assert_eq!(drawn.iter().filter(|line| line.len() > 2).count(), 3, "{drawn:?}");
    assert_eq!(lines(&svg(&contour(&z).color("red").levels(&[7.0])), "#FF0000").len(), 1);
    let text = "levels: 0.5 is not a number of levels; give one from 1 to 1000, or heights, `&[0.5]`";
    raises(text, || drop(contour(&z).levels(0.5)));
}

#[test]
fn histograms_stand_on_each_other() {
    let (a, b) = ([0.0, 0.5, 1.0, 1.5], [1.5, 2.0, 3.0]);
    let svg = svg(&hist(&a, 3).hist(&b, 3).stacked().ylim(0, 4));
    // numpy.histogram of each in the range (0, 3): 2, 2, 0 and 0, 1, 2.
    let bars = [BLUE, ORANGE].map(|color| areas(&svg, color));
    let all = |color: usize| bars[color].iter().flatten().copied().collect::<Vec<_>>();
    let top = |points: &[(f64, f64)]| points.iter().map(|at| at.1).fold(f64::INFINITY, f64::min);
    let height = |count: f64| 427.5 - 369.0 * count / 4.0;
    assert!((top(&all(0)) - height(2.0)).abs() < 0.5 && (top(&all(1)) - height(3.0)).abs() < 0.5, "{bars:?}");
    let other = hist(&a, 3).bin_range(0, 3).hist(&b, 4).bin_range(0, 3).stacked();
    let error = other.to_svg().unwrap_err().to_string();
    assert!(error.starts_with("stacked: histograms of 3 and of 4 bins with other edges"), "{error}");
}

#[test]
fn bins_lie_between_edges_or_follow_a_rule() {
    let values: Vec<f64> = (0..100).map(|k| f64::from(k) / 10.0).collect();
    let uneven = hist(&values, &[0.0, 1.0, 5.0, 10.0]).edgecolor("red").xlim(0, 10).ylim(0, 60);
    // numpy.histogram(values, [0, 1, 5, 10]): 10, 40, 50.
    let edges = lines(&svg(&uneven), "#FF0000");
    let tops: Vec<f64> =
        edges.iter().map(|line| line.iter().map(|at| at.1).fold(f64::INFINITY, f64::min)).collect();
    for (top, count) in tops.iter().zip([10.0, 40.0, 50.0]) {
        assert!((top - (427.5 - 369.0 * count / 60.0)).abs() < 0.5, "{tops:?}");
    }
    // len(numpy.histogram_bin_edges(values, "auto")) is 9.
    assert_eq!(lines(&svg(&hist(&values, "auto").edgecolor("red")), "#FF0000").len(), 8);
    raises(
        "hist: `many` is not a rule for bins; write `auto`, `fd`, `sturges`, `rice` or `sqrt`, or a number",
        || {
            drop(hist(&values, "many"));
        },
    );
    raises("hist: edges of bins must ascend, and be finite; sort them: `edges.sort()`", || {
        drop(hist(&values, &[0.0, 2.0, 1.0]));
    });
    raises("hist: 1 edges make no bins; give from 2 to 1048577", || drop(hist(&values, &[0.0])));
}

#[test]
fn columns_of_a_matrix_have_bars_side_by_side() {
    let matrix = gpu![[0.0, 1.0], [0.2, 1.0], [1.0, 0.0]];
    let svg = svg(&hist(&matrix, 2).xlim(0, 1).ylim(0, 3));
    let (first, second) = (boxes(&svg, BLUE), boxes(&svg, ORANGE));
    let left = |boxes: &[[f64; 4]]| boxes.iter().map(|of| of[0]).fold(f64::INFINITY, f64::min);
    assert_eq!((first.len(), second.len()), (2, 2), "{svg}");
    // Of a bin half as wide as the axes, each has two fifths.
    assert!((left(&second) - left(&first) - 0.4 * 0.5 * 496.0).abs() < 1.0, "{first:?} {second:?}");
}

#[test]
fn ticks_that_are_asked_for_are_seen() {
    let texts = words(&svg(&plot(&[0.1, 0.7, 0.4]).xticks(&[0, 2]).yticks(&[0.0, 0.25, 1.0])));
    assert_eq!(texts, ["0", "2", "0.00", "0.25", "1.00"]);
    // Unless limits are.
    let texts = words(&svg(&plot(&[0.1, 0.7, 0.4]).xticks(&[0, 2]).yticks(&[0.0, 0.5, 1.0]).ylim(0.2, 0.8)));
    assert_eq!(texts, ["0", "2", "0.5"]);
}

#[test]
fn a_twin_has_its_names_in_the_legend_of_the_figure() {
    let figure = plot(&[1.0, 2.0]).label("left");
    figure.twinx().plot(&[20.0, 10.0]).label("right").color("red");
    let svg = svg(&figure);
    let texts = words(&svg);
    assert!(texts.iter().filter(|text| ["left", "right"].contains(&text.as_str())).count() == 2, "{texts:?}");
    // One box, and a sample in the colour of each.
    assert_eq!(
        svg.matches("#CCCCCC").count(),
        super::svg(&plot(&[1.0]).label("left")).matches("#CCCCCC").count()
    );
    assert_eq!(lines(&svg, "#FF0000").len(), 2);
}

#[test]
fn a_pie_has_a_legend_where_it_is_asked_for() {
    let pie = || pie((["a", "b"], [1, 2]));
    assert_eq!(words(&svg(&pie())).len(), 2);
    let texts = words(&svg(&pie().legend().legend_title("parts")));
    assert_eq!(texts.iter().filter(|text| *text == "a" || *text == "b").count(), 4, "{texts:?}");
    assert!(texts.contains(&"parts".to_owned()), "{texts:?}");
}

#[test]
fn each_series_whose_bar_has_a_label_has_a_bar() {
    let (x, y) = ([0.0, 1.0, 2.0], [0.0, 1.0, 4.0]);
    let both =
        scatter((&x, &y)).colors(&x).colorbar_label("A").scatter((&y, &x)).colors(&y).colorbar_label("B");
    let texts = words(&svg(&both));
    assert!(["A", "B"].iter().all(|label| texts.contains(&(*label).to_owned())), "{texts:?}");
}

#[test]
fn lines_between_numbers() {
    let figure = Figure::new().hlines(&[1, 2, 3], &[0.0, 1.0, 2.0], 4).xlim(0, 4).ylim(0, 4);
    let lies = lines(&svg(&figure), BLUE);
    assert_eq!(lies.len(), 3, "{lies:?}");
    assert!(lies.iter().all(|line| line[0].1 == line[1].1), "{lies:?}");
    let stands = lines(&svg(&Figure::new().vlines(&[1, 2], 0, &[3, 4])), BLUE);
    assert!(stands.len() == 2 && stands.iter().all(|line| line[0].0 == line[1].0), "{stands:?}");
    let text = "hlines: xmin has shape [2] and there are 3 lines; give a number for each, or one for all";
    raises(text, || drop(Figure::new().hlines(&[1, 2, 3], &[0, 1], 4)));
}

#[test]
fn axes_that_are_logarithmic_both_ways() {
    let x: Vec<f64> = (-50..=50).map(f64::from).collect();
    let cubes: Vec<f64> = x.iter().map(|x| x.powi(3)).collect();
    let figure = plot((&x, &cubes)).symlog_y(1.0).ylim(-1e5, 1e5);
    super::check("symlog", &figure.clone().grid().title("Cubes over an axis that is logarithmic both ways"));
    let line = lines(&svg(&figure), BLUE).remove(0);
    // Zero is in the middle of it, and each power of ten takes as much room.
    let places = [-125.0, 0.0, 1.0, 1000.0].map(|y| {
        let k = cubes.iter().position(|cube| *cube == y).unwrap();
        let scale = |value: f64| {
            if value.abs() <= 1.0 { value / 0.9 } else { value.signum() * (1.0 / 0.9 + value.abs().log10()) }
        };
        (line[k].1, 243.0 - 184.5 * scale(y) / scale(1e5))
    });
    assert!(places.iter().all(|(found, expected)| (found - expected).abs() < 0.6), "{places:?}");
    // Many points are counted where they are, and have the same place.
    let many = linspace(-50.0, 50.0, 100_001);
    let (few, all) = (
        lines(
            &svg(&plot((&linspace(-50.0, 50.0, 2001), &linspace(-50.0, 50.0, 2001).pow(3))).symlog_x(2.0)),
            BLUE,
        ),
        lines(&svg(&plot((&many, &many.pow(3))).symlog_x(2.0)), BLUE),
    );
    let middle = |lines: &[Vec<(f64, f64)>]| {
        let near = |at: &&(f64, f64)| (at.1 - 243.0).abs() < 1.0;
        lines.iter().flatten().filter(near).map(|at| at.0).fold(f64::INFINITY, f64::min)
    };
    assert!((middle(&few) - middle(&all)).abs() < 3.0, "{} {}", middle(&few), middle(&all));
    raises("symlog_y: 0 is not a distance from zero; give a finite number above 0", || {
        drop(plot(&[1.0]).symlog_y(0))
    });
}

/// `matplotlib.pyplot.text(1, 0, "abc", rotation=90)` begins right of 1; the rectangle around it stands there.
#[test]
fn turned_texts_stand_where_matplotlibs_do() {
    let at = |figure: &Figure| {
        let svg = svg(figure);
        let text = svg.split("<text ").find(|text| text.contains(">abc<")).unwrap().to_owned();
        let number = |name: &str| -> f64 {
            let rest = text.split(&format!("{name}=\"")).nth(1).unwrap();
            rest.split('"').next().unwrap().parse::<f64>().unwrap() / 10.0
        };
        (number("x"), number("y"))
    };
    let base = || plot(&[0.0, 0.0, 0.0]).xlim(0, 2).ylim(-1, 1);
    let place = (80.5 + 248.0, 242.5);
    let upright = at(&base().text(1, 0, "abc").rotation(90));
    // Its letters stand left of where it begins, so that is a capital's height right of the place.
    assert!((8.0..14.0).contains(&(upright.0 - place.0)) && (upright.1 - place.1).abs() < 4.0, "{upright:?}");
    let left = at(&base().text(1, 0, "abc").rotation(90).align("right").valign("top"));
    assert!((-5.0..0.0).contains(&(left.0 - place.0)) && left.1 - place.1 > 20.0, "{left:?}");
}

#[test]
fn an_error_below_zero_is_refused() {
    let error = errorbar((&[0, 1], &[1, 2]), &[0.1, -0.2]).to_svg().unwrap_err().to_string();
    assert!(error.starts_with("errorbar: -0.2 is not the length of an error bar"), "{error}");
}

#[test]
fn many_points_with_colours_have_the_means_of_these() {
    let (x, y) = (linspace(0.0, 1.0, 100_000), linspace(0.0, 1.0, 100_000));
    let figure = scatter((&x, &y)).colors(&(&x * 10.0)).colorbar_label("ten times x");
    let texts = words(&svg(&figure));
    assert!(texts.contains(&"ten times x".to_owned()) && texts.contains(&"10".to_owned()), "{texts:?}");
    // Near both ends of the diagonal the ends of viridis, in cells of two pixels.
    let frame = lines(&svg(&figure), "#000000").into_iter().find(|line| line.len() > 4).unwrap();
    let ((left, right), (top, bottom)) = ((frame[0].0, frame[1].0), (frame[0].1, frame[2].1));
    let colors = [0.02, 0.98].map(|at| {
        let part = (at + 0.05) / 1.1;
        let place = (left + part * (right - left), bottom - part * (bottom - top));
        let near = (-2..=2).map(|k| super::pixel(&figure, (place.0 as usize, (place.1 as i64 + k) as usize)));
        near.min_by_key(|color| color.iter().map(|part| u32::from(*part)).sum::<u32>()).unwrap()
    });
    assert!(colors[0][2] > colors[0][1] && colors[1][1] > colors[1][2], "{colors:?}");
    let text = "sizes: 100000 sizes are too many to tell apart (at most 5000); leave them out, and crowded points are shown by \
                their density, or by `.colors(..)`";
    raises(text, || drop(scatter((&x, &y)).sizes(&x)));
    // One size for all says nothing of crowds.
    assert!(scatter((&x, &y)).sizes(4).to_svg().is_ok());
}

#[test]
fn marks_without_a_colour_are_open() {
    let open = svg(&scatter((&[1.0, 2.0], &[1.0, 2.0])).color("none").edgecolor("red").linewidth(1.5));
    assert_eq!(open.matches("stroke=\"#FF0000\"").count(), 2, "{open}");
    let filled = open
        .split('<')
        .filter(|element| element.contains("fill=\"#000000\"") && !element.starts_with("text"));
    assert!(
        filled.clone().all(|element| element.contains("opacity=\"0\"")),
        "{:?}",
        filled.collect::<Vec<_>>()
    );
}

//! Groups of values, and parts of a whole: boxes, violins and pies.

use gpurepl_prelude::*;

use super::{areas, check, lines, normal, pixel, raises, svg, words};

fn text(figure: &Figure) -> String {
    figure.render().0["text/plain"].clone()
}

fn spread(seed: u64, middle: f64, width: f64) -> Vec<f64> {
    normal(200, seed).iter().map(|value| middle + width * value).collect()
}

#[test]
fn boxes_of_groups() {
    let groups = [spread(1, 0.0, 1.0), spread(2, 1.0, 0.5), spread(3, -0.5, 1.5), spread(4, 0.5, 1.0)];
    let [a, b, c, d] = &groups;
    let figure = boxplot((["first", "second", "third", "fourth"], [a, b, c, d]));
    check("boxplot", &figure.title("Groups of 200 values").ylabel("value"));
    let words = words(&svg(&figure));
    assert!(["first", "fourth"].iter().all(|name| words.contains(&(*name).to_owned())), "{words:?}");
}

/// Of `matplotlib.cbook.boxplot_stats(range(1, 101))`: `cilo` 42.7285, `cihi` 58.2715.
#[test]
fn notches_are_matplotlibs() {
    let values: Vec<f64> = (1..=100).map(f64::from).collect();
    let svg = svg(&boxplot(&values).notch(true).ylim(0, 120));
    let height = |value: f64| 427.5 - value * 370.0 / 120.0;
    let outline = lines(&svg, "#000000").into_iter().find(|line| line.len() > 8).unwrap();
    for (corner, value) in [(2, 42.7285), (3, 50.5), (4, 58.2715)] {
        assert!((outline[corner].1 - height(value)).abs() < 1.0, "{corner}: {outline:?} {}", height(value));
    }
    let half = |corner: usize, other: usize| (outline[corner].0 - outline[other].0).abs();
    assert!((half(3, 8) - half(2, 9) / 2.0).abs() < 0.5, "{outline:?}");
    raises(
        "notch: the last series is one of `violinplot`, which does not have this setting; set it after `.boxplot(..)`, or leave it out",
        || drop(violinplot(&values).notch(true)),
    );
}

/// `matplotlib.cbook.boxplot_stats([1, 2, 3, 4, 5, 6, 7, 8, 30])`: quartiles 3, 5
/// and 7, whiskers from 1 to 8, one flier at 30.
#[test]
fn a_box_is_matplotlibs() {
    let figure = boxplot(&[30, 8, 7, 6, 5, 4, 3, 2, 1]).ylim(0, 40);
    let svg = svg(&figure);
    // 40 units are 369.6 pixels, from 427.
    let height = |value: f64| 427.5 - value * 370.0 / 40.0;
    let ends = |points: &[(f64, f64)]| {
        let low = points.iter().map(|at| at.1).fold(f64::INFINITY, f64::min);
        (low, points.iter().map(|at| at.1).fold(0.0, f64::max))
    };
    let black = lines(&svg, "#000000");
    let has = |from: f64, to: f64| {
        let is =
            |found: (f64, f64)| (found.0 - height(to)).abs() < 1.0 && (found.1 - height(from)).abs() < 1.0;
        black.iter().any(|line| is(ends(line)))
    };
    assert!(has(3.0, 7.0) && has(1.0, 3.0) && has(7.0, 8.0) && has(8.0, 8.0) && has(1.0, 1.0));
    let median = lines(&svg, "#FF7F0E");
    assert!(median.len() == 1 && (median[0][0].1 - height(5.0)).abs() < 1.0, "{median:?}");
    // The ring is as wide as a mark of 6 points.
    let ring = black.iter().find(|line| line.len() == 25).unwrap();
    let (top, bottom) = ends(ring);
    assert!(((top + bottom) / 2.0 - height(30.0)).abs() < 1.0 && (bottom - top - 8.33).abs() < 0.3);
    assert_eq!(black.iter().filter(|line| line.len() == 25).count(), 1);
    // Its name is its number, and it stands in the middle.
    assert_eq!(words(&svg)[0], "1");
}

#[test]
fn groups_are_columns_and_arrays_and_those_without_names_go_on() {
    let count = |figure: &Figure| lines(&svg(figure), "#FF7F0E").len();
    let matrix = to_gpu(&normal(300, 5)).reshape((100, 3));
    let figure = boxplot(&matrix);
    assert_eq!((count(&figure), &words(&svg(&figure))[..3]), (3, &["1", "2", "3"].map(str::to_owned)[..]));
    figure.boxplot(&normal(10, 6));
    assert_eq!((count(&figure), words(&svg(&figure))[3].as_str()), (4, "4"));
    // Lying, medians are upright.
    let lying = boxplot((["a"], [&vec![1, 2, 3]])).orientation("horizontal");
    let median = lines(&svg(&lying), "#FF7F0E").remove(0);
    assert!(median[0].0 == median[1].0 && median[0].1 != median[1].1, "{median:?}");
    assert!(count(&boxplot(&zeros::<f32>(0))) == 0 && count(&boxplot(&zeros::<f32>((0, 2)))) == 0);
    assert!(text(&boxplot(&[1.0, f64::NAN, 2.0])).contains("1 value is not finite"));
}

#[test]
fn many_values_make_the_box_of_all_of_them() {
    // The quartiles of the first and of the repeated values are the same.
    let few = normal(999, 7);
    let many: Vec<f64> = (0..100).flat_map(|_| few.iter().copied()).collect();
    let median = |values: &Vec<f64>| lines(&svg(&boxplot(values).ylim(-4, 4)), "#FF7F0E").remove(0);
    let (few, many) = (median(&few), median(&many));
    assert!((few[0].1 - many[0].1).abs() < 0.2, "{few:?} {many:?}");
    let far: Vec<f64> = (0..200_000).map(|k| if k % 100 == 0 { f64::from(k) } else { 0.0 }).collect();
    assert!(text(&boxplot(&far)).contains("500 of 1999 values beyond the whiskers are shown"));
}

#[test]
fn violins_of_groups() {
    let two: Vec<f64> = spread(8, -1.5, 0.5).into_iter().chain(spread(9, 1.5, 0.7)).collect();
    let (one, wide) = (spread(10, 0.0, 1.0), spread(11, 0.5, 1.6));
    let figure = violinplot((["one", "two", "wide"], [&one, &two, &wide]));
    check("violin", &figure.title("Densities of groups").ylabel("value"));
    // The widest place of each is as wide as the others': a quarter on each side.
    let widths: Vec<f64> = areas(&svg(&figure), "#1F77B4")
        .iter()
        .map(|outline| {
            let across =
                |start: f64, pick: fn(f64, f64) -> f64| outline.iter().map(|at| at.0).fold(start, pick);
            across(0.0, f64::max) - across(f64::INFINITY, f64::min)
        })
        .collect();
    assert!(widths.len() == 3 && widths.iter().all(|width| (width - widths[0]).abs() < 0.3), "{widths:?}");
    // In bins it is as wide as it is.
    let many: Vec<f64> = (0..300).flat_map(|_| one.iter().copied()).collect();
    let outline = |values: &Vec<f64>| areas(&svg(&violinplot(values)), "#1F77B4").remove(0);
    let ends = |outline: &[(f64, f64)]| (outline[0].1, outline[99].1);
    assert_eq!(ends(&outline(&one)), ends(&outline(&many)));
    assert!(text(&violinplot(&[f64::INFINITY, 1.0, 2.0])).contains("1 value is not finite"));
}

#[test]
fn groups_that_cannot_be_drawn_are_refused() {
    raises("boxplot: there are 1 names and 2 groups; give a name for each group", || {
        drop(boxplot((["a"], [&vec![1], &vec![2]])));
    });
    raises(
        "violinplot: 101 groups are too many to tell apart (at most 100); take some of them, or the transpose of a \
         matrix, `a.t()`, for a group in each row",
        || drop(violinplot(&zeros::<f32>((3, 101)))),
    );
    raises("orientation: `down` is not an orientation; write `vertical` or `horizontal`", || {
        drop(boxplot(&[1, 2]).orientation("down"));
    });
}

#[test]
fn parts_of_a_whole() {
    let figure = pie((["Frogs", "Hogs", "Dogs", "Logs"], [15, 30, 45, 10])).autopct("%1.1f%%");
    let figure = figure.explode(&[0.0, 0.1, 0.0, 0.0]).startangle(90).title("Parts of a whole");
    check("pie", &figure);
    let words = words(&svg(&figure));
    for word in ["Frogs", "15.0%", "Hogs", "30.0%", "45.0%", "10.0%"] {
        assert!(words.contains(&word.to_owned()), "{words:?}");
    }
    // No frame, no ticks.
    assert!(words.len() == 9 && !svg(&figure).contains("<polyline"), "{words:?}");
    assert!(text(&figure).ends_with("Frogs 15.0%, Hogs 30.0%, Dogs 45.0%, Logs 10.0%"), "{}", text(&figure));
}

#[test]
fn a_part_begins_on_the_right_and_goes_to_the_left() {
    let figure = pie(&[1, 3]);
    let center = (329, 242);
    let at = |dx: i32, dy: i32| pixel(&figure, ((center.0 + dx) as usize, (center.1 - dy) as usize));
    let (blue, orange) = ([31, 119, 180], [255, 127, 14]);
    assert_eq!(at(60, 60), blue);
    assert_eq!([at(-60, 60), at(-60, -60), at(60, -60)], [orange; 3]);
    assert_eq!(at(147, 147), [255; 3]);
    // A radius is a part of 2.5 of the axes: 148 pixels of 370.
    assert!(at(-145, -3) == orange && at(-151, -3) == [255; 3]);
    // A part of nothing is not there.
    assert_eq!(areas(&svg(&pie(&[0.0, 1.0])), "#1F77B4").len(), 0);
    assert!(areas(&svg(&pie(&zeros::<f32>(0))), "#1F77B4").is_empty());
}

#[test]
fn pies_that_cannot_be_drawn_are_refused() {
    let error = |figure: Figure| figure.to_svg().unwrap_err().to_string();
    assert!(error(pie(&[1.0, -2.0])).contains("-2 is not the size of a part"));
    assert!(error(pie(&[0, 0])).contains("sizes that add up to 0 have no shares"));
    raises(
        "pie: sizes have names and no places; write `pie(&sizes)`, or `pie(([\"a\", \"b\"], &sizes))`",
        || drop(pie((&[1, 2], &[3, 4]))),
    );
    raises(
        "autopct: `%s` is not a format of shares; write `%d%%` for whole numbers, or `%1.1f%%` for a digit after the point",
        || drop(pie(&[1, 2]).autopct("%s")),
    );
    raises(
        "explode: the series has 2 points and the data has shape [3]; give a number for each, or one for all",
        || drop(pie(&[1, 2]).explode(&[0.1, 0.2, 0.3])),
    );
    raises(
        "label: the parts of a pie have a name each, which stand first: `pie(([\"a\", \"b\"], &sizes))`",
        || drop(pie(&[1, 2]).label("parts")),
    );
}

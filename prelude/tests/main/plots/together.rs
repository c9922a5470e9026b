//! Several axes in one picture.

use gpurepl_prelude::*;

use super::gallery::{landscape, normal};
use crate::raises;

fn check(name: &str, axes: &Subplots) {
    if let Some(folder) = std::env::var_os("GPUREPL_TEST_PICTURES") {
        let folder = std::path::PathBuf::from(folder);
        std::fs::create_dir_all(&folder).unwrap();
        axes.clone().pixel_ratio(1.0).save(folder.join(format!("{name}.png"))).unwrap();
        std::fs::write(folder.join(format!("{name}.txt")), &axes.render().0["text/plain"]).unwrap();
    }
    let path = format!("{}/../docs/images/plot-{name}.svg", env!("CARGO_MANIFEST_DIR"));
    expect_test::expect_file![path].assert_eq(&axes.to_svg().unwrap());
}

/// The frames of axes in a picture: left, top, right and bottom, in pixels.
fn frames(svg: &str) -> Vec<[f64; 4]> {
    let lines = svg.split("<polyline ").skip(1).filter_map(|rest| {
        let points = rest.split("points=\"").nth(1)?.split('"').next()?;
        let numbers: Vec<f64> = points.split([' ', ',']).filter_map(|number| number.parse().ok()).collect();
        // A frame goes round and covers its first side again.
        (numbers.len() == 12 && numbers[..4] == numbers[8..])
            .then(|| [numbers[0], numbers[1], numbers[4], numbers[5]].map(|number| number / 10.0))
    });
    lines.collect()
}

#[test]
fn axes_in_rows_and_columns() {
    let x = linspace(0.0, 6.3, 200);
    let axes = subplots(2, 2);
    axes[(0, 0)].plot((&x, &x.sin())).title("sin").ylabel("amplitude");
    axes[(0, 1)].scatter((&normal(300, 1), &normal(300, 2))).alpha(0.5).title("300 points");
    axes[(1, 0)].hist(&normal(10_000, 5), 40).title("10 000 values").xlabel("value");
    axes[3].imshow(&landscape(40, 60)).title("A landscape");
    axes.suptitle("Four axes");
    check("subplots", &axes);
    // Those in a row and in a column are in line.
    let found = frames(&axes.to_svg().unwrap());
    let found: Vec<_> = found.into_iter().filter(|frame| frame[2] - frame[0] > 100.0).collect();
    assert_eq!(found.len(), 4);
    assert_eq!((found[0][0], found[0][2]), (found[2][0], found[2][2]));
    assert_eq!((found[0][1], found[0][3]), (found[1][1], found[1][3]));
    assert!(
        axes.render().0["text/plain"]
            .starts_with("Subplots: 2 x 2, 960x720, \"Four axes\"\n[0, 0] Figure: 1 series")
    );
}

#[test]
fn shared_axes_have_the_same_ends() {
    let axes = subplots(2, 2).sharex().sharey();
    axes[0].plot((&[0, 10], &[0, 1])).title("shared");
    axes[1].plot((&[5, 20], &[-3, 1]));
    axes[2].plot((&[0, 1], &[0, 8])).xlabel("x");
    axes[3].plot((&[0, 1], &[1, 2])).xlabel("x");
    check("shared-axes", &axes);
    let words = |axes: &Subplots| {
        let svg = axes.to_svg().unwrap();
        let texts =
            svg.split("<text ").skip(1).filter_map(|text| text.split_once('>')?.1.split_once("</text>"));
        texts.map(|(text, _)| text.to_owned()).collect::<Vec<_>>()
    };
    // Numbers stand below the lowest and beside the first only.
    let count = |words: &[String], word: &str| words.iter().filter(|found| *found == word).count();
    assert_eq!(count(&words(&axes), "20.0"), 2, "{:?}", words(&axes));
    assert_eq!(count(&words(&axes), "8"), 2);
    // One axis that is given or logarithmic is so for all.
    axes[1].xlim(0.0, 40.0);
    assert_eq!(count(&words(&axes), "40"), 2, "{:?}", words(&axes));
    axes[0].log_x().xlim(1.0, 100.0);
    axes[1].xlim(1.0, 100.0);
    // Three powers of ten below each of the lowest.
    assert_eq!(count(&words(&axes), "10"), 6, "{:?}", words(&axes));
    // Each column for itself.
    let columns = subplots(2, 2).sharex_col();
    columns[0].plot((&[0, 100], &[0, 1]));
    columns[1].plot((&[0, 7], &[0, 1]));
    columns[2].plot(&[0, 1]);
    columns[3].plot(&[0, 1]);
    assert_eq!((count(&words(&columns), "100"), count(&words(&columns), "7")), (1, 1));
}

#[test]
fn unequal_sizes_and_axes_within_axes() {
    let x = linspace(0.0, 10.0, 500);
    let axes = subplot_mosaic(["AAB", "CCB"]).size(900, 500);
    let wide = axes['A'].plot((&x, &x.sin())).title("A");
    wide.inset(0.65, 0.6, 0.3, 0.35).plot((&x, &x.sin())).xlim(1.4, 1.8).ylim(0.97, 1.01);
    axes['B'].bar((["a", "b", "c"], [3, 5, 2])).title("B");
    axes["C"].fill_between(&x, &x.cos(), 0.0).alpha(0.4).title("C");
    check("mosaic", &axes);
    let found = frames(&axes.to_svg().unwrap());
    let widths: Vec<f64> = found.iter().map(|frame| (frame[2] - frame[0]).round()).collect();
    assert!(widths[0] > 1.5 * widths[2], "{widths:?}");
    let [outer, inner] = [found[0], found[1]];
    let part = (inner[2] - inner[0]) / (outer[2] - outer[0]);
    assert!((part - 0.3).abs() < 0.01 && inner[2] < outer[2] && inner[1] > outer[1], "{part}");
    let unequal = subplots(1, 2).width_ratios([3, 1]).size(800, 300);
    unequal.iter().for_each(|figure| drop(figure.plot(&[1, 2])));
    let found = frames(&unequal.to_svg().unwrap());
    assert!(found[0][2] - found[0][0] > 2.5 * (found[1][2] - found[1][0]), "{found:?}");
}

#[test]
fn a_second_vertical_axis_stands_on_the_right() {
    let t = linspace(0.0, 10.0, 200);
    let figure = plot((&t, &t.exp())).ylabel("exp").xlabel("t").title("Two scales").label("exp");
    let right = figure.twinx();
    right.plot((&t, &t.sin())).ylabel("sin").label("sin").legend_at("lower right");
    super::gallery::check("twinx", figure.clone());
    let svg = figure.to_svg().unwrap();
    assert_eq!(frames(&svg).len(), 1);
    // Its colours go on, and the same twin is found again.
    assert!(svg.contains("stroke=\"#FF7F0E\""));
    figure.twinx().plot((&[0.0, 20.0], &[0.0, 1.0]));
    let wider = figure.to_svg().unwrap();
    assert!(wider.contains("stroke=\"#2CA02C\"") && wider.contains(">20"), "{wider}");
    let axes = subplots(1, 2);
    axes[0].plot(&[1, 2]);
    axes[0].twinx().plot(&[100_000, 200_000]).ylabel("right");
    axes[1].plot(&[1, 2]);
    assert!(axes.to_svg().unwrap().contains(">right<"));
}

#[test]
fn what_cannot_be_axes_is_an_error() {
    let axes = subplots(2, 3);
    assert_eq!((axes.len(), axes.iter().count(), axes.is_empty()), (6, 6, false));
    raises(
        ErrorKind::Value,
        "subplots: no axes at (2, 0); there are 2 rows and 3 columns, counted from 0",
        || {
            drop(axes[(2, 0)].plot(&[1]));
        },
    );
    raises(
        ErrorKind::Value,
        "subplots: no axes at 6; there are 2 rows and 3 columns, counted from 0",
        || {
            drop(axes[6].plot(&[1]));
        },
    );
    raises(ErrorKind::Value, "subplots: no axes at 'Z'; there are 'A', 'B'", || {
        drop(subplot_mosaic(["AB"])['Z'].plot(&[1]));
    });
    raises(
        ErrorKind::Value,
        "subplots: 0 is not a valid number of rows; give a number from 1 to 100",
        || {
            drop(subplots(0, 1));
        },
    );
    raises(
        ErrorKind::Value,
        "subplot_mosaic: `A` does not fill a rectangle; use another letter for a part of it",
        || drop(subplot_mosaic(["AAB", "ACA"])),
    );
    raises(
        ErrorKind::Value,
        "width_ratios: there are 2 numbers and 3 to be told apart; give one for each",
        || drop(axes.width_ratios([1, 2])),
    );
    raises(
        ErrorKind::Value,
        "inset: axes from (0.8, 0) of width 0.5 and height 1 are not within the outer ones; all are parts of these, from \
         0 to 1",
        || drop(plot(&[1]).inset(0.8, 0, 0.5, 1)),
    );
}

#[test]
fn axes_without_data_and_small_ones_are_drawn() {
    for axes in [
        subplots(1, 1),
        subplots(3, 1).sharex(),
        subplots(4, 5).sharex().sharey(),
        subplots(1, 1).size(50, 50),
        subplots(10, 10).size(300, 300),
        subplot_mosaic(["A.", ".B"]),
        subplot_mosaic(["AB;CC"]),
        subplot_mosaic(["."]),
    ] {
        let svg = axes.to_svg().unwrap();
        assert!(svg.starts_with("<svg") && !svg.contains("NaN"), "{svg}");
        assert!(!axes.to_png().unwrap().is_empty());
    }
    let axes = subplots(1, 3);
    axes[0].surface(&landscape(10, 10)).title("a");
    axes[1].contour(&landscape(10, 10));
    axes[2].plot(&[1, 2, 3]).label("a long name for this line").legend_at("outside");
    assert!(axes.theme(Theme::Dark).to_svg().unwrap().contains("16181D"));
}

#[test]
fn figures_in_a_tuple_an_array_or_a_vector_were_texts() {
    let figures = || [plot(&[1, 2, 3]), bar([1, 2]).size(320, 240)];
    let [first, second] = figures();
    let bundle = (first, second).render();
    assert_eq!(
        bundle.0.keys().collect::<Vec<_>>(),
        ["image/png", "image/svg+xml", "text/plain", "text/x-ansi"]
    );
    assert!(bundle.0["image/svg+xml"].starts_with("<svg width=\"960\" height=\"480\""));
    assert_eq!(bundle.0["text/plain"].matches("Figure: 1 series").count(), 2);
    assert_eq!(figures().render().0, bundle.0);
    assert_eq!(Vec::from(figures()).render().0, bundle.0);
    assert_eq!(figures()[..].render().0, bundle.0);
    // The fourth begins another row.
    let four: Vec<Figure> = (0..4).map(|k| plot(&[k, 2]).size(200, 100)).collect();
    assert!(four.render().0["image/svg+xml"].starts_with("<svg width=\"600\" height=\"200\""));
    // A figure may be there twice; and figures of axes are figures.
    let one = plot(&[1, 2]);
    assert!((&one, &one).render().0.contains_key("image/svg+xml"));
    assert_eq!(Vec::<Figure>::new().render().0["text/plain"], "[]");
    // Other things beside a figure stay what they were.
    let mixed = (plot(&[1, 2]), 3).render();
    assert!(mixed.0["text/plain"].starts_with("(Figure: 1 series"), "{mixed:?}");
}

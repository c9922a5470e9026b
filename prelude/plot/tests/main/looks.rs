//! How bars, bins, groups, steps, texts and legends look.

use gpurepl_prelude::*;

use super::{areas, check, lines, svg, words};

#[test]
fn bars_with_edges_numbers_and_colours_of_their_own() {
    let figure =
        bar((["a", "b", "c", "d"], [3.0, 5.5, -2.0, 4.25])).width(1.0).edgecolor("black").bar_label();
    figure.each_color(["tab:blue", "tab:orange", "tab:green"]).grid_axis("y").ylim(-3, 6.5);
    check("bar-label", &figure.title("Numbers at bars"));
}

#[test]
fn histograms_that_lie_and_histograms_as_lines() {
    let (a, b) = (rng(1).normal(0.0, 1.0, 2000), rng(2).normal(1.0, 0.5, 2000));
    let axes = subplots(1, 2).size(900, 420);
    axes[0].hist(&a, 30).histtype("step").density().cumulative().label("a");
    axes[0].hist(&b, 30).histtype("step").density().cumulative().linewidth(2).dashed().label("b");
    axes[0].title("Sums of bins");
    axes[1]
        .hist(&a, 30)
        .orientation("horizontal")
        .color("lightgray")
        .edgecolor("black")
        .title("Bins that lie");
    let path = format!("{}/../../docs/images/plot-hist-kinds.svg", env!("CARGO_MANIFEST_DIR"));
    expect_test::expect_file![path].assert_eq(&axes.to_svg().unwrap());
}

#[test]
fn boxes_and_violins_show_what_is_asked_for() {
    let groups = [1, 2, 3].map(|k| rng(k).normal(k as f64, 1.0, 100));
    let [a, b, c] = groups.each_ref();
    let names = ["a", "b", "c"];
    let axes = subplots(1, 2).size(900, 420);
    axes[0].boxplot((names, [a, b, c])).whis(1.0).showmeans(true).showfliers(false).width(0.7).title("Means");
    axes[1]
        .violinplot((names, [a, b, c]))
        .showmedians(true)
        .showmeans(true)
        .width(0.9)
        .title("Medians and means");
    let path = format!("{}/../../docs/images/plot-boxplot-looks.svg", env!("CARGO_MANIFEST_DIR"));
    expect_test::expect_file![path].assert_eq(&axes.to_svg().unwrap());
    // Rings are there unless they are asked away.
    // The same axes, so that the ring is all that differs.
    let figure = boxplot(&[0.0, 1.0, 1.0, 1.0, 2.0, 50.0]).ylim(-1, 60);
    let count = |figure: &Figure| svg(figure).matches("<polyline").count();
    assert_eq!(count(&figure), count(&figure.clone().showfliers(false)) + 1);
}

#[test]
fn a_doughnut() {
    let figure = pie((["a", "b", "c"], [3, 4, 5])).width(0.4).edgecolor("white").autopct("%d%%");
    check("doughnut", &figure.each_color(["#264653", "#2a9d8f", "#e9c46a"]).title("A doughnut"));
}

#[test]
fn steps_stand_before_after_and_between() {
    let at = |place: &str| lines(&svg(&step(&[0.0, 1.0, 3.0]).step_where(place)), "#1F77B4").remove(0);
    let (before, after, between) = (at("pre"), at("post"), at("mid"));
    assert_eq!((before.len(), after.len(), between.len()), (5, 5, 7));
    // Upwards at the place of the first value, at that of the second, and in the middle.
    assert_eq!(before[1].0, before[0].0);
    assert_eq!(after[1].1, after[0].1);
    assert!(
        (between[1].0 - (between[0].0 + between[6].0) / 4.0 - between[0].0 / 2.0).abs() < 0.2,
        "{between:?}"
    );
}

#[test]
fn a_legend_has_columns_and_a_title() {
    let figure = Figure::new();
    for k in 0..6 {
        figure.plot(&[k, k + 1]).label(format!("line {k}"));
    }
    figure.legend_columns(3).legend_title("Lines").legend_at("upper left").ylim(0, 9);
    let svg = svg(&figure);
    let place = |name: &str| {
        let text = svg.split("<text ").find(|text| text.contains(&format!(">{name}<"))).unwrap();
        let number = |key: &str| -> f64 {
            text.split(&format!("{key}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        (number("x"), number("y"))
    };
    // Down the first column, then the next one.
    assert_eq!(place("line 0").0, place("line 1").0);
    assert_eq!(place("line 0").1, place("line 2").1);
    assert!(place("line 0").0 < place("line 2").0 && place("Lines").1 < place("line 0").1);
    check("legend-columns", &figure.title("A legend in columns"));
}

#[test]
fn a_bar_of_colours_and_axes_can_be_left_out() {
    let image = imshow(&[[1.0, 2.0], [3.0, 400.0]]).title("Title");
    assert!(words(&svg(&image)).contains(&"400".to_owned()));
    assert!(!words(&svg(&image.clone().colorbar(false))).contains(&"400".to_owned()));
    assert_eq!(words(&svg(&image.colorbar(false).axis("off"))), ["Title"]);
    assert_eq!(words(&svg(&surface(&[[1, 2], [3, 4]]).axis("off"))), [""; 0]);
    assert_eq!(words(&svg(&polar((&[0.0, 1.0], &[1.0, 2.0])).axis("off"))), [""; 0]);
}

#[test]
fn what_lies_over_what_can_be_said() {
    let order = |figure: &Figure| {
        let svg = svg(figure);
        svg.find("#FF0000").unwrap() < svg.find("#0000FF").unwrap()
    };
    let figure = plot(&[1, 2]).color("red").scatter(&[1, 2]).color("blue");
    assert!(!order(&figure));
    assert!(order(&figure.zorder(5)));
}

#[test]
fn texts_stand_above_below_and_turned() {
    let y = |level: &str| {
        let svg = svg(&plot(&[0, 1]).text(0.5, 0.5, "word").valign(level));
        let text = svg.split("<text ").find(|text| text.contains(">word<")).unwrap().to_owned();
        text.split("y=\"").nth(1).unwrap().split('"').next().unwrap().parse::<f64>().unwrap()
    };
    assert!(y("bottom") < y("baseline") && y("baseline") < y("center") && y("center") < y("top"));
    assert!(svg(&plot(&[0, 1]).text(0.5, 0.5, "word").rotation(30)).contains("rotate(-30 "));
}

#[test]
fn heights_below_zero_were_not_told_apart_in_one_colour() {
    let z = [[-1.0, 0.0, 1.0], [-2.0, 0.5, 2.0], [-3.0, 1.0, 3.0]];
    assert!(svg(&contour(&z).color("k")).contains("stroke-dasharray"));
    assert!(!svg(&contour(&z)).contains("stroke-dasharray"));
}

#[test]
fn a_twin_was_a_pixel_away_from_the_axes_that_it_shares() {
    let figure = plot((&[0, 10], &[0, 100])).xlim(0, 12).ylim(0, 120).yticks(&[0, 60, 120]);
    figure.twinx().plot((&[0, 12], &[0, 24])).color("red").ylim(0, 24).yticks(&[0, 12, 24]);
    let svg = svg(&figure);
    let clips: std::collections::BTreeSet<&str> =
        svg.split("<clipPath id=\"").skip(1).map(|clip| clip.split('"').next().unwrap()).collect();
    assert_eq!(clips.len(), 1, "{clips:?}");
}

#[test]
fn axes_with_numbers_were_smaller_than_those_without() {
    let axes = subplots(2, 3).sharex().sharey();
    axes.iter().for_each(|axes| drop(axes.bar(&[1, 2, 3]).color("#123456")));
    let svg = axes.to_svg().unwrap();
    let sizes: Vec<(f64, f64)> = svg
        .split("<clipPath id=\"within-")
        .skip(1)
        .map(|name| {
            let mut numbers = name.split('"').next().unwrap().split('-').skip(2).map(|n| n.parse().unwrap());
            (numbers.next().unwrap(), numbers.next().unwrap())
        })
        .collect();
    assert_eq!(sizes.len(), 6);
    for (width, height) in &sizes {
        assert!((width - sizes[0].0).abs() <= 10.0 && (height - sizes[0].1).abs() <= 10.0, "{sizes:?}");
    }
    assert_eq!(areas(&svg, "#123456").len(), 18);
}

#[test]
fn settings_that_cannot_be_say_so() {
    let message = |act: &dyn Fn() -> Figure| {
        let raised = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(act()))).unwrap_err();
        raised.downcast_ref::<Error>().expect("an error is raised").to_string()
    };
    let said = message(&|| plot(&[1]).axis("none"));
    assert_eq!(said, "axis: `none` is not whether axes are shown; write `on` or `off`");
    let said = message(&|| plot(&[1]).axis("equal"));
    assert_eq!(said, "axis: `equal` is about the steps of both axes; write `.aspect(\"equal\")`");
    let said = message(&|| plot(&[1]).step_where("pre"));
    assert!(said.contains("set it after `.step(..)`"), "{said}");
    assert!(message(&|| hist(&[1], 2).histtype("bars")).contains("`bar`, `stepfilled` or `step`"));
    assert!(message(&|| bar(&[1]).each_color([""; 0])).contains("there are no colours"));
    assert!(message(&|| bar(&[1]).width(0)).contains("above 0"));
    assert!(message(&|| boxplot(&[1]).whis(-1)).contains("length of whiskers"));
    assert!(message(&|| plot(&[1]).legend_columns(0)).contains("from 1 to 100"));
    assert!(message(&|| plot(&[1]).zorder(f64::NAN)).contains("finite"));
    assert!(
        message(&|| plot(&[1]).text(0, 0, "a").valign("middle"))
            .contains("`baseline`, `top`, `center` or `bottom`")
    );
}

#[test]
fn the_bar_of_colours_stood_on_the_axis_of_a_twin() {
    let image = imshow(&[[1.0, 2.0], [3.0, 4.0]]).aspect("auto").colorbar_label("value");
    image.twinx().plot(&[10, 20]).ylabel("other");
    let svg = svg(&image);
    let place = |word: &str| -> f64 {
        let text = svg.split("<text ").find(|text| text.contains(&format!(">{word}<"))).unwrap();
        text.split("x=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    // The bar is beyond the twin's label, and its own label beyond its numbers.
    assert!(place("20") < place("other") && place("other") < place("4.0") && place("4.0") < place("value"));
}

#[test]
fn an_image_within_axes_had_a_bar_over_the_outer_ones() {
    let figure = imshow(&[[1.0, 2.0], [3.0, 4.0]]).colorbar(false);
    figure.inset(0.5, 0.5, 0.4, 0.4).imshow(&[[1.0, 777.0], [3.0, 4.0]]);
    assert!(!words(&svg(&figure)).contains(&"700".to_owned()), "{:?}", words(&svg(&figure)));
}

#[test]
fn an_extent_that_runs_downwards_did_not_turn_the_axis() {
    let y = |figure: &Figure, word: &str| -> f64 {
        let svg = svg(figure);
        let text = svg.split("<text ").find(|text| text.contains(&format!(">{word}<"))).unwrap().to_owned();
        text.split("y=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    let matrix = [[1, 2], [3, 4], [5, 6]];
    let down = imshow(&matrix).extent(0, 2, 30, 0).colorbar(false);
    assert!(y(&down, "10") < y(&down, "20"));
    let up = imshow(&matrix).extent(0, 2, 0, 30).colorbar(false);
    assert!(y(&up, "10") > y(&up, "20"));
}

#[test]
fn zero_was_left_out_beside_areas_of_many_levels() {
    let z = linspace(-2.5, 2.5, 20).reshape((1, -1)) + zeros::<f64>((5, 1));
    let figure = contourf(&z).levels(&linspace(-2.5, 2.5, 21)).size(640, 360);
    assert!(words(&svg(&figure)).contains(&"0.00".to_owned()), "{:?}", words(&svg(&figure)));
}

#[test]
fn bars_around_a_middle_have_edges_colours_and_numbers() {
    let bars = bar((&[0.5, 2.0], &[1.0, 2.5])).projection("polar").axis("off");
    bars.each_color(["#112233", "#445566"]).edgecolor("#778899").bar_label();
    let svg = svg(&bars);
    assert_eq!((areas(&svg, "#112233").len(), areas(&svg, "#445566").len()), (1, 1));
    assert_eq!(lines(&svg, "#778899").len(), 2);
    assert_eq!(words(&svg), ["1", "2.5"]);
}

#[test]
fn numbers_of_bars_were_those_of_what_an_axis_shows() {
    let figure = bar(&[1.0, 10.0, 100.0]).log_y().bar_label();
    let text = words(&svg(&figure));
    for number in ["1", "10", "100"] {
        assert!(text.contains(&number.to_owned()), "{text:?}");
    }
    // What is beyond the axes has no number over the title.
    assert!(!words(&svg(&bar(&[3, 777]).ylim(0, 5).bar_label())).contains(&"777".to_owned()));
    // Downwards, numbers are below the ends.
    let y = |figure: &Figure| -> f64 {
        let svg = svg(figure);
        let text = svg.split("<text ").find(|text| text.contains(">3.25<")).unwrap().to_owned();
        text.split("y=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    let bars = bar(&[3.25, 5.0]).bar_label();
    let end =
        |figure: &Figure| areas(&svg(figure), "#1F77B4")[0].iter().map(|at| at.1 * 10.0).collect::<Vec<_>>();
    let highest = end(&bars).into_iter().fold(f64::INFINITY, f64::min);
    assert!(y(&bars) < highest);
    let down = bars.ylim(6, 0);
    let lowest = end(&down).into_iter().fold(0.0, f64::max);
    assert!(y(&down) > lowest);
}

#[test]
fn a_mosaic_with_an_empty_column_was_squeezed() {
    let axes = subplot_mosaic([".A"]).size(960, 360);
    axes['A'].bar(&[1, 2]).color("#123456");
    let bars = areas(&axes.to_svg().unwrap(), "#123456");
    let left = bars.iter().flatten().map(|at| at.0).fold(f64::INFINITY, f64::min);
    assert!((480.0..600.0).contains(&left), "{left}");
}

#[test]
fn a_step_that_is_enlarged_was_a_slope() {
    let figure = step(&arange(0.0..10_000.0)).xlim(0, 5).step_where("mid").color("#123456");
    let line = lines(&svg(&figure), "#123456").remove(0);
    assert!(line.windows(2).all(|pair| pair[0].0 == pair[1].0 || pair[0].1 == pair[1].1), "{line:?}");
}

#[test]
fn what_cannot_be_shown_together_says_so() {
    let said = |figure: &Figure| figure.to_svg().unwrap_err().to_string();
    let matrix = [[1, 2], [3, 4]];
    let twin = surface(&matrix);
    twin.twinx().plot(&[1, 2]);
    assert!(said(&twin).contains("no twins"));
    let outer = plot(&[1, 2]);
    outer.inset(0.6, 0.6, 0.3, 0.3).surface(&matrix);
    assert!(said(&outer).contains("`subplot_mosaic`"));
    assert!(said(&plot(&[1]).zlim(0, 1)).contains("two axes"));
    assert!(said(&surface(&matrix).zorder(3)).contains("`.zorder(..)`"));
    assert!(said(&surface(&matrix).xtick_rotation(45)).starts_with("xtick_rotation"));
    assert!(said(&imshow(&matrix).log_norm().clim(0, 10)).contains("above 0"));
    assert!(said(&hist(&[1, 2, 2], 3).dashed()).contains("`.histtype(\"step\")`"));
    let axes = subplots(2, 1).sharex();
    axes[0].surface(&matrix);
    assert!(axes.to_svg().unwrap_err().to_string().contains("`.sharex()`"));
}

#[test]
fn a_surface_has_a_bar_where_one_is_asked_for_and_a_name_where_it_has_a_colour() {
    let matrix = [[0.0, 250.0], [500.0, 1000.0]];
    let count = |figure: &Figure, word: &str| words(&svg(figure)).iter().filter(|text| *text == word).count();
    let surface = surface(&matrix);
    assert_eq!(count(&surface, "400") + 1, count(&surface.clone().colorbar(true), "400"));
    assert_eq!(count(&surface.color("tab:gray").label("saddle"), "saddle"), 1);
}

#[test]
fn contours_of_one_colour_have_their_line_in_the_legend() {
    let z = [[0.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 0.0]];
    let figure = contour(&z).levels([2.0]).color("#123456");
    let count = |figure: &Figure| lines(&svg(figure), "#123456").len();
    let alone = count(&figure);
    assert_eq!(count(&figure.label("height 2")), alone + 1);
}

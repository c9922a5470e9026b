//! What is drawn of many points.

use super::*;
use crate::array::{arange, linspace};
use crate::{Figure, plot, scatter};

/// What is drawn of a figure's only series, and what is said of it.
fn drawn<R>(figure: &Figure, see: impl FnOnce(&Content) -> R) -> R {
    see(&figure.drawing().chart().unwrap().layers[0].content)
}

fn lines(figure: &Figure) -> Vec<Vec<Point>> {
    drawn(figure, |content| match content {
        Content::Lines(lines) => lines.clone(),
        _ => panic!("no lines"),
    })
}

/// Where a line is drawn at a place: its lowest and its highest point there.
fn at(lines: &[Vec<Point>], place: f64) -> Option<(f64, f64)> {
    let crossing = |pair: &[Point]| {
        let ((x, y), (to_x, to_y)) = (pair[0], pair[1]);
        let part = if to_x == x { 0.0 } else { (place - x) / (to_x - x) };
        (x.min(to_x)..=x.max(to_x)).contains(&place).then_some(y + (to_y - y) * part)
    };
    let found: Vec<f64> = lines.iter().flat_map(|line| line.windows(2)).filter_map(crossing).collect();
    let ends =
        found.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(*y), high.max(*y)));
    (!found.is_empty()).then_some(ends)
}

#[test]
fn a_column_is_left_from_its_last_value_and_not_from_a_nearer_one() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    // Twenty bursts, each from 0 to 1 and back within a pixel.
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for burst in 0..20 {
        for i in 0..150 {
            let part = f64::from(i) / 149.0;
            x.push(f64::from(burst) + part * 1e-3);
            y.push((std::f64::consts::PI * part).sin());
        }
    }
    let drawn = lines(&plot((&x, &y)));
    assert_eq!(drawn.len(), 1);
    for burst in 0..19 {
        let (low, high) = at(&drawn, f64::from(burst) + 0.5).unwrap();
        assert!(low >= 0.0 && high < 1e-9, "{burst}: {low} {high}");
        let of_burst = drawn[0].iter().filter(|(x, _)| (x - f64::from(burst)).abs() < 0.1);
        assert!(of_burst.map(|(_, y)| *y).fold(0.0, f64::max) > 0.999);
    }
}

#[test]
fn a_line_to_a_distant_point_begins_at_the_value_before_it() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    let mut x: Vec<f64> = (0..3000).map(|i| f64::from(i) * 1e-6).collect();
    let mut y: Vec<f64> = (0..3000).map(|i| (f64::from(i) * 0.01).sin()).collect();
    x.push(10.0);
    y.push(5.0);
    let drawn = lines(&plot((&x, &y)));
    assert_eq!(drawn[0][drawn[0].len() - 2..], [(x[2999], y[2999]), (10.0, 5.0)]);
}

#[test]
fn a_gap_is_seen_before_columns_that_are_empty() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    let mut x: Vec<f64> = (0..2999).map(|i| f64::from(i) * 1e-5).collect();
    x.push(1.0);
    let mut y = vec![0.0; 3000];
    (y[2998], y[2999]) = (f64::NAN, 1.0);
    let drawn = lines(&plot((&x, &y)));
    assert_eq!(at(&drawn, 0.5), None, "{drawn:?}");
    assert_eq!(drawn.last().unwrap()[..], [(1.0, 1.0)]);
}

#[test]
fn a_gap_within_a_column_is_seen() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    // A step with a gap for its edge, in a thousandth of a pixel.
    let mut y = vec![0.0; 1_000_000];
    y[500_001..].fill(1.0);
    y[500_000] = f64::NAN;
    let drawn = lines(&plot(&y));
    assert_eq!(drawn.len(), 2);
    assert!(drawn[0].iter().all(|(_, y)| *y == 0.0) && drawn[1].iter().all(|(_, y)| *y == 1.0));
}

#[test]
fn a_line_runs_to_the_edges_of_axes_that_show_a_part_of_it() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    let s = linspace(0.0, 1.0, 3000);
    let drawn = lines(&plot((&s, &s)).xlim(0.5, 0.5005));
    assert_eq!(drawn.len(), 1);
    assert!(drawn[0].first().unwrap().0 <= 0.5 && drawn[0].last().unwrap().0 >= 0.5005, "{drawn:?}");

    let wave = arange(0.0..100_000.0).sin();
    let drawn = lines(&plot(&wave).xlim(100.5, 110.5));
    // Few are left, and drawn as they are.
    let wave = wave.to_vec();
    assert_eq!(drawn, [(100..112).map(|i| (i as f64, wave[i])).collect::<Vec<_>>()]);

    // Also where many are left, and none.
    let drawn = lines(&plot(arange(0.0..100_000.0).sin()).xlim(100.5, 20_110.5));
    assert_eq!((drawn[0].first().unwrap().0, drawn[0].last().unwrap().0), (100.0, 20_111.0));
    let falling = lines(&plot((&linspace(10.0, 0.0, 3000), &s)).xlim(3.0001, 3.0002));
    assert!(at(&falling, 3.0001).is_some() && at(&falling, 3.0002).is_some(), "{falling:?}");
}

#[test]
fn a_line_from_right_to_left_is_reduced_as_one_from_left_to_right() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    let count = 1_000_000;
    let mut y = vec![0.0; count];
    y[300_000] = 10.0;
    let x: Vec<f64> = (0..count).map(|i| -(i as f64)).collect();
    let drawn = lines(&plot((&x, &y)));
    let spike: Vec<f64> = drawn[0].iter().filter(|(_, y)| *y == 10.0).map(|(x, _)| *x).collect();
    assert!(drawn.len() == 1 && spike.len() == 1 && (spike[0] + 300_000.0).abs() < 2000.0, "{spike:?}");
    assert!(drawn[0].is_sorted_by(|one, other| one.0 >= other.0));
    assert!(drawn[0].len() < 2500);
}

#[test]
fn a_gap_in_x_leaves_the_edges_of_a_square_wave() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    for count in [5000, 1_000_000] {
        let mut x: Vec<f64> = (0..count).map(f64::from).collect();
        let y: Vec<f64> = (0..count).map(|i| f64::from(i / (count / 10) % 2)).collect();
        let missing = count as usize / 20 * 11;
        x[missing] = f64::NAN;
        let drawn = lines(&plot((&x, &y)));
        assert_eq!(drawn.len(), 2);
        let edges = drawn.iter().flat_map(|line| line.windows(2)).filter(|pair| pair[0].1 != pair[1].1);
        assert_eq!(edges.count(), 9);
        assert!(drawn[0].last().unwrap().0 == missing as f64 - 1.0 && drawn[1][0].0 == missing as f64 + 1.0);
    }
}

#[test]
fn a_path_to_and_fro_is_lines_and_bounded() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    let t = linspace(0.0, std::f64::consts::TAU, 4000);
    let (x, y) = ((&t * 3.0).sin(), (&t * 2.0).sin());
    for figure in [plot((&x, &y)), plot((&x, &y)).size(160, 120)] {
        let drawn = lines(&figure);
        assert!(drawn.len() == 1 && (100..4000).contains(&drawn[0].len()), "{}", drawn[0].len());
        let last = drawn[0].last().unwrap();
        assert_eq!(*last, (x.to_vec()[3999], y.to_vec()[3999]));
    }
    // A hundred thousand lines across the whole axes are how often each place
    // is passed, also between the points.
    let x: Vec<f64> = (0..100_000).map(|i| f64::from(i % 2)).collect();
    let y: Vec<f64> = (0..100_000).map(|i| f64::from(i * 7919 % 1000)).collect();
    drawn(&plot((&x, &y)), |content| {
        let Content::Density { counts, width, height, .. } = content else { panic!("no density") };
        assert!(counts[height / 2 * width + width / 2] > 0);
    });
    assert!(plot((&x, &y)).to_svg().unwrap().len() < 500_000);
}

#[test]
fn the_legend_shows_a_line_for_a_line_that_is_a_density() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    let x: Vec<f64> = (0..300_000).map(|i| f64::from(i * 7 % 1000)).collect();
    let svg = plot((&x, &x)).label("many").to_svg().unwrap();
    assert_eq!(svg.matches("stroke=\"#1F77B4\"").count(), 1);
    assert_eq!(svg.matches("<circle").count(), 0);
}

#[test]
fn points_on_few_places_are_marks_however_many_they_are() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    for count in [6000, 1_000_000] {
        let x: Vec<f64> = (0..count).map(|i| f64::from(i % 3)).collect();
        let y: Vec<f64> = (0..count).map(|i| f64::from(i % 7)).collect();
        drawn(&scatter((&x, &y)), |content| {
            let Content::Points(points) = content else { panic!("no marks") };
            assert_eq!(points.len(), 21);
            assert!(points.iter().all(|(x, y)| x.fract() == 0.0 && y.fract() == 0.0), "{points:?}");
        });
        // Pale marks upon each other are not pale.
        drawn(&scatter((&x, &y)).alpha(0.5), |content| {
            let Content::Points(points) = content else { panic!("no marks") };
            assert_eq!(points.len(), 21 * 8);
        });
    }
}

#[test]
fn points_far_from_a_crowd_are_marks_beside_its_density() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    let turn = |i: u32| f64::from(i) * 2.399_963;
    let far = |i: u32| (f64::from(i) / 200_000.0).sqrt();
    let mut x: Vec<f64> = (0..200_000).map(|i| far(i) * turn(i).cos()).collect();
    let mut y: Vec<f64> = (0..200_000).map(|i| far(i) * turn(i).sin()).collect();
    x.extend([20.0, -20.0]);
    y.extend([20.0, 15.0]);
    let figure = scatter((&x, &y)).marker("x");
    drawn(&figure, |content| {
        let Content::Density { counts, alone, .. } = content else { panic!("no density") };
        assert_eq!(*alone, [(20.0, 20.0), (-20.0, 15.0)]);
        assert_eq!(counts.iter().sum::<u32>(), 200_000);
    });
    // Two strokes for each mark.
    assert_eq!(figure.to_svg().unwrap().matches("stroke=\"#1F77B4\"").count(), 4);
}

#[test]
fn what_has_no_logarithm_is_noted_of_long_series_too() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    let notes = |figure: Figure| figure.drawing().chart().unwrap().notes;
    let y = arange(-5000.0..5000.0);
    let note = |count: u32, name: &str| {
        vec![format!("{count} values of {name} are not above 0: a logarithmic axis cannot show them")]
    };
    assert_eq!(notes(plot(&y).log_y()), note(5001, "y"));
    assert_eq!(notes(plot((&y, &y.abs())).log_x()), note(5001, "x"));
    assert_eq!(
        notes(plot(&(y + 1e6)).log_x()),
        ["1 value of x is not above 0: a logarithmic axis cannot show it"]
    );
}

#[test]
fn bins_of_single_precision_are_numpys() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    let values: Vec<f32> = (0..2000).map(|i| (i * 7919 % 11) as f32 * 0.1).collect();
    let counts = |figure: Figure| {
        drawn(&figure, |content| match content {
            Content::Boxes(blocks) => blocks.iter().map(|block| block.to as u32).collect::<Vec<_>>(),
            _ => panic!("no bars"),
        })
    };
    // numpy.histogram(values, 10)
    let wanted = [182, 181, 181, 182, 182, 182, 182, 182, 182, 364];
    assert_eq!(counts(crate::hist(&values, 10)), wanted);
    let doubles: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
    assert_ne!(counts(crate::hist(&doubles, 10)), wanted);
    let halves: Vec<half::f16> = values.iter().map(|value| half::f16::from_f32(*value)).collect();
    assert_eq!(counts(crate::hist(&halves, 10)), wanted);
}

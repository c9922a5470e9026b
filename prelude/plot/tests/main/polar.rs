//! Axes around a middle.

use std::f64::consts::{PI, TAU};

use gpurepl_prelude::*;

use super::{areas, check, evenly, lines, normal, raises, svg, words};

fn text(figure: &Figure) -> String {
    figure.render().0["text/plain"].clone()
}

const BLUE: &str = "#1F77B4";

/// The middle and the radius of the circle that is the frame.
struct Frame {
    middle: (f64, f64),
    radius: f64,
}

impl Frame {
    fn of(svg: &str) -> Frame {
        let circle = lines(svg, "#000000").into_iter().find(|line| line.len() > 300).unwrap();
        let ends = |pick: fn(&(f64, f64)) -> f64| {
            let low = circle.iter().map(pick).fold(f64::INFINITY, f64::min);
            (low, circle.iter().map(pick).fold(0.0, f64::max))
        };
        let (x, y) = (ends(|at| at.0), ends(|at| at.1));
        Frame { middle: ((x.0 + x.1) / 2.0, (y.0 + y.1) / 2.0), radius: (x.1 - x.0) / 2.0 }
    }

    /// How far a place is from the middle, in radiuses.
    fn distance(&self, at: (f64, f64)) -> f64 {
        (at.0 - self.middle.0).hypot(at.1 - self.middle.1) / self.radius
    }
}

#[test]
fn a_line_around_a_middle() {
    let theta = evenly(0.0, 4.0 * PI, 400);
    let r: Vec<f64> = theta.iter().map(|theta| theta / TAU).collect();
    let figure = polar((&theta, &r)).title("A spiral");
    check("polar", &figure);
    let words = words(&svg(&figure));
    for word in ["0°", "45°", "315°", "0.25", "2.00"] {
        assert!(words.contains(&word.to_owned()), "{words:?}");
    }
    assert_eq!(words.iter().filter(|word| word.ends_with('°')).count(), 8);
    // From the middle on, once around to the right at 1 of 2.1.
    let frame = Frame::of(&svg(&figure));
    let line = lines(&svg(&figure), BLUE).remove(0);
    assert!(frame.distance(line[0]) < 0.01, "{:?}", line[0]);
    let end = line[line.len() - 1];
    assert!(
        (frame.distance(end) - 2.0 / 2.1).abs() < 0.01 && (end.1 - frame.middle.1).abs() < 1.0,
        "{end:?}"
    );
    let up = line.iter().map(|at| at.1).fold(f64::INFINITY, f64::min);
    assert!((up - (frame.middle.1 - frame.radius * 1.25 / 2.1)).abs() < 1.5, "{up}");
}

#[test]
fn bars_around_a_middle() {
    let theta: Vec<f64> = (0..12).map(|k| f64::from(k) * TAU / 12.0).collect();
    let heights = [3.0, 5.0, 2.0, 7.0, 6.0, 4.0, 3.0, 8.0, 5.0, 2.0, 6.0, 4.0];
    let figure = bar((&theta, &heights)).alpha(0.6).label("wind").projection("polar");
    check("polar-bar", &figure.title("Bars around a middle").legend_at("outside"));
    let figure = bar((&theta, &heights)).projection("polar");
    let (frame, sectors) = (Frame::of(&svg(&figure)), areas(&svg(&figure), BLUE));
    assert_eq!(sectors.len(), 12);
    // Each as far out as it is high, of 8.4.
    for (sector, height) in sectors.iter().zip(heights) {
        let far = sector.iter().map(|at| frame.distance(*at)).fold(0.0, f64::max);
        assert!((far - height / 8.4).abs() < 0.01, "{far} {height}");
    }
    // On each other they are as high as both.
    let stacked = figure.clone().bar((&theta, &heights)).stacked();
    let far = areas(&svg(&stacked), "#FF7F0E")
        .concat()
        .into_iter()
        .map(|at| frame.distance(at))
        .fold(0.0, f64::max);
    assert!((far - 1.0 / 1.05).abs() < 0.01, "{far}");
}

#[test]
fn what_is_beyond_the_limits_is_cut() {
    let theta = evenly(0.0, TAU, 200);
    let r: Vec<f64> = theta.iter().map(|theta| 1.0 + theta.cos()).collect();
    let svg = svg(&polar((&theta, &r)).ylim(0.0, 1.5));
    let frame = Frame::of(&svg);
    let inside = lines(&svg, BLUE);
    assert_eq!(inside.len(), 1);
    let far = inside.concat().into_iter().map(|at| frame.distance(at)).fold(0.0, f64::max);
    assert!((far - 1.0).abs() < 0.002, "{far}");
    let filled = fill_between(&theta, 0.0, &r).projection("polar").ylim(0.0, 1.5);
    let filled = areas(&super::svg(&filled), BLUE);
    let far = filled.concat().into_iter().map(|at| frame.distance(at)).fold(0.0, f64::max);
    assert!(filled.len() == 1 && (far - 1.0).abs() < 0.002, "{far}");
    // NaN is a gap in both.
    let r: Vec<f64> = r.iter().enumerate().map(|(k, r)| if k == 100 { f64::NAN } else { *r }).collect();
    assert_eq!(lines(&super::svg(&polar((&theta, &r))), BLUE).len(), 2);
    let filled = fill_between(&theta, 0.0, &r).projection("polar");
    assert_eq!(areas(&super::svg(&filled), BLUE).len(), 2);
}

#[test]
fn points_around_a_middle_and_ticks_of_their_own() {
    let figure = scatter((&[0.0, PI / 2.0, PI], &[1.0, 2.0, 3.0])).projection("polar").ylim(0, 4);
    let figure = figure.xticks((&[0.0, PI], ["east", "west"])).yticks(&[2, 4]);
    let words = words(&svg(&figure));
    assert_eq!(words, ["east", "west", "2", "4"]);
    // Many are turned on the device: a ring stays one.
    let angles: Vec<f64> = normal(20_000, 21).iter().map(|angle| angle * 10.0).collect();
    let ring = scatter((&to_gpu(&angles), &to_gpu(&vec![1.0; 20_000]))).projection("polar").ylim(0, 2);
    let Frame { middle, radius } = Frame::of(&svg(&ring));
    let [left, middle] = [
        super::pixel(&ring, ((middle.0 - radius / 2.0) as usize, middle.1 as usize)),
        super::pixel(&ring, (middle.0 as usize + 12, middle.1 as usize + 5)),
    ];
    assert!(left != [255; 3] && middle == [255; 3], "{left:?} {middle:?}");
    assert!(text(&ring).starts_with("Figure: 1 series"));
}

#[test]
fn what_such_axes_do_not_show_is_refused() {
    let error = |figure: Figure| figure.to_svg().unwrap_err().to_string();
    let theta = [0.0, 1.0];
    for (figure, words) in [
        (polar(&theta), "plot: polar axes need an angle in radians for each value; write `(&theta, &r)`"),
        (polar((["a", "b"], &theta)), "polar axes need an angle"),
        (
            hist(&theta, 3).projection("polar"),
            "hist: polar axes show `plot`, `scatter`, `bar` and `fill_between`",
        ),
        (polar((&theta, &theta)).log_y(), "polar axes are linear"),
        (polar((&theta, &theta)).xlim(0, 1), "polar axes go all around"),
        (polar((&theta, &theta)).yerr(0.5), "neither error bars nor steps"),
    ] {
        let found = error(figure);
        assert!(found.contains(words), "{found}");
    }
    super::raises("projection: `3d` is not a projection; write `polar` or `rectilinear`", || {
        drop(plot(&theta).projection("3d"));
    });
    let twins = polar((&theta, &theta));
    let _ = twins.twinx();
    assert!(error(twins).contains("polar axes have no second axis"));
    // Without data there are axes.
    assert!(svg(&Figure::new().projection("polar")).contains("90°"));
}

/// The same picture in other places: a quarter of a turn is added, or taken away.
#[test]
fn angles_begin_above_and_run_with_the_clock() {
    let quarter = |k: u8| {
        let figure = polar((&[0.0, 0.0], &[0.0, 1.0])).ylim(0, 1);
        match k {
            0 => figure,
            1 => figure.theta_zero_location("N"),
            2 => figure.theta_zero_location("W").theta_direction(-1),
            _ => figure.theta_zero_location("S"),
        }
    };
    for k in 0..4 {
        let svg = svg(&quarter(k));
        let (frame, line) = (Frame::of(&svg), lines(&svg, BLUE).remove(0));
        let end = line[line.len() - 1];
        let (sin, cos) = (f64::from(k) * TAU / 4.0).sin_cos();
        let expected = (frame.middle.0 + frame.radius * cos, frame.middle.1 - frame.radius * sin);
        assert!((end.0 - expected.0).hypot(end.1 - expected.1) < 1.0, "{k}: {end:?} {expected:?}");
    }
    // Three o'clock.
    let clock =
        polar((&[0.0, TAU / 4.0], &[0.0, 1.0])).ylim(0, 1).theta_zero_location("N").theta_direction(-1);
    let svg = svg(&clock);
    let (frame, line) = (Frame::of(&svg), lines(&svg, BLUE).remove(0));
    let end = line[line.len() - 1];
    assert!(
        (end.0 - frame.middle.0 - frame.radius).abs() < 1.0 && (end.1 - frame.middle.1).abs() < 1.0,
        "{end:?}"
    );
    raises("theta_zero_location: `up` is not a direction; write one of E, NE, N, NW, W, SW, S, SE", || {
        drop(polar((&[0.0], &[1.0])).theta_zero_location("up"))
    });
    raises("theta_direction: 2 is not a direction; write 1, against the clock, or -1, with it", || {
        drop(polar((&[0.0], &[1.0])).theta_direction(2))
    });
}

//! Axes of dates.

use std::time::{Duration, UNIX_EPOCH};

use gpurepl_prelude::*;

use super::{check, evenly, svg, words};

/// Noon of the fifteenth of January 2027.
const NOON: f64 = 1_800_014_400.0;

fn days(count: usize) -> Vec<f64> {
    (0..count).map(|day| NOON + day as f64 * 86_400.0).collect()
}

#[test]
fn seconds_are_dates_if_that_is_said() {
    let heights: Vec<f64> = (0..90).map(|day| (f64::from(day) / 9.0).sin() + f64::from(day) / 30.0).collect();
    let spring = UNIX_EPOCH + Duration::from_secs(1_805_328_000);
    let figure = plot((&days(90), &heights)).xaxis_date().axvline(spring).dotted().title("A winter");
    check("dates", &figure);
    let dates = words(&svg(&figure));
    for word in ["2027-02", "2027-03", "2027-04"] {
        assert!(dates.contains(&word.to_owned()), "{dates:?}");
    }
    let text = figure.render().0["text/plain"].clone();
    assert!(text.contains("2027-01") && text.contains("2027-04"), "{text}");

    let seconds = evenly(NOON, NOON + 3600.0, 50);
    let figure = plot((&seconds, &evenly(0.0, 1.0, 50)));
    assert!(words(&svg(&figure)).iter().all(|word| !word.contains(':')));
    let dated = words(&svg(&figure.xaxis_date().xlabel("UTC")));
    assert!(dated.contains(&"15 12:30".to_owned()), "{dated:?}");
    let upright = words(&svg(&plot((&evenly(0.0, 1.0, 50), &seconds)).yaxis_date()));
    assert!(upright.contains(&"15 12:30".to_owned()), "{upright:?}");
    // What is asked for is written as a date as well.
    let asked = words(&svg(&plot((&days(9), &evenly(0.0, 1.0, 9))).xaxis_date().xticks(&days(9)[2..4])));
    assert!(
        asked.contains(&"2027-01-17".to_owned()) && asked.contains(&"2027-01-18".to_owned()),
        "{asked:?}"
    );
}

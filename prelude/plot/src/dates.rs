//! Ticks of times: seconds since 1970-01-01 00:00 UTC, as a Unix clock counts them.
//!
//! The steps are those of Matplotlib's `AutoDateLocator` and the texts those of its
//! `AutoDateFormatter` (`lib/matplotlib/dates.py`). Days are turned into dates and back by
//! H. Hinnant's `days_from_civil` and `civil_from_days` ("chrono-Compatible Low-Level Date
//! Algorithms", 2021). Times are those of UTC, and leap seconds are not counted.

use crate::scale::{Label, Limits, Ticks, minus};

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3600.0;
const DAY: f64 = 86_400.0;
const MONTH: f64 = 30.44 * DAY;
const YEAR: f64 = 365.25 * DAY;

/// Beyond the years that a date has four digits for, times are numbers.
const MOST: f64 = 8000.0 * YEAR;

/// From one tick to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// Of a second.
    Part(f64),
    Seconds(f64),
    Minutes(f64),
    Hours(f64),
    /// The days of a month that differ from the first by a multiple.
    Days(u32),
    Months(i64),
    Years(i64),
}

impl Step {
    /// How long it is, about.
    fn seconds(self) -> f64 {
        match self {
            Step::Part(part) => part,
            Step::Seconds(count) => count,
            Step::Minutes(count) => count * MINUTE,
            Step::Hours(count) => count * HOUR,
            Step::Days(count) => f64::from(count) * DAY,
            Step::Months(count) => count as f64 * MONTH,
            Step::Years(count) => count as f64 * YEAR,
        }
    }
}

fn steps() -> impl Iterator<Item = Step> {
    let parts = (1..=9).rev().flat_map(|digits| {
        let unit = 10f64.powi(-digits);
        [unit, 2.0 * unit, 5.0 * unit].map(Step::Part)
    });
    let years = (0..=3).flat_map(|digits| [1, 2, 4, 5].map(|count| Step::Years(count * 10_i64.pow(digits))));
    parts
        .chain([1.0, 5.0, 10.0, 15.0, 30.0].map(Step::Seconds))
        .chain([1.0, 5.0, 10.0, 15.0, 30.0].map(Step::Minutes))
        .chain([1.0, 2.0, 3.0, 4.0, 6.0, 12.0].map(Step::Hours))
        .chain([1, 2, 4, 7, 14].map(Step::Days))
        .chain([1, 2, 3, 4, 6].map(Step::Months))
        .chain(years)
}

/// Ticks for an axis of times with room for so many labels.
pub(crate) fn ticks(limits: &Limits, room: usize) -> Ticks {
    let (low, high) = (limits.low(), limits.high());
    let span = high - low;
    let Some(step) = step(low, high, room) else { return limits.ticks(room.clamp(1, 9)) };
    let every = |length: f64| {
        let first = (low / length - 1e-6).ceil() as i64;
        let count = (span / length + 2.0) as i64;
        (first..first + count).map(move |k| k as f64 * length).collect::<Vec<f64>>()
    };
    let places = match step {
        Step::Part(length) => every(length),
        Step::Seconds(_) | Step::Minutes(_) | Step::Hours(_) => every(step.seconds()),
        Step::Days(count) => {
            let is_one = |day: &i64| {
                let (_, _, of_month) = date(*day);
                // The last days of a month would be beside the first of the next.
                (of_month - 1) % count == 0 && (count == 1 || of_month + count / 2 <= 31)
            };
            let days = (low / DAY).floor() as i64..=(high / DAY).ceil() as i64;
            days.filter(is_one).map(|day| day as f64 * DAY).collect()
        }
        Step::Months(count) => {
            let month = |seconds: f64| {
                let (year, month, _) = date((seconds / DAY).floor() as i64);
                year * 12 + i64::from(month) - 1
            };
            let months = month(low)..=month(high) + 1;
            let first =
                |month: i64| day(month.div_euclid(12), month.rem_euclid(12) as u32 + 1, 1) as f64 * DAY;
            months.filter(|month| month % count == 0).map(first).collect()
        }
        Step::Years(count) => {
            let year = |seconds: f64| date((seconds / DAY).floor() as i64).0;
            let years = year(low)..=year(high) + 1;
            years.filter(|year| year % count == 0).map(|year| day(year, 1, 1) as f64 * DAY).collect()
        }
    };
    let slack = span * 1e-10;
    let inside = places.into_iter().filter(|at| (low - slack..=high + slack).contains(at));
    let major = inside.map(|at| (at, Label::Text(text(at, step)))).collect();
    Ticks { major, ..Ticks::default() }
}

/// The shortest step of which no more than so many go into a range; none for what is no
/// range of dates.
fn step(low: f64, high: f64, room: usize) -> Option<Step> {
    let is_time = |at: f64| at.is_finite() && at.abs() < MOST;
    if !(is_time(low) && is_time(high) && high > low) {
        return None;
    }
    let room = room.clamp(2, 11) as f64;
    // A number of now has no more than these digits after the point.
    let least = low.abs().max(high.abs()) * 1e-14;
    steps().find(|step| step.seconds() >= least && (high - low) / step.seconds() <= room)
}

/// A time as the end of an axis, in as much detail as its ticks have.
pub(crate) fn written(at: f64, limits: &Limits) -> Option<String> {
    let step = step(limits.low(), limits.high(), 9)?;
    Some(text(at, step))
}

fn text(at: f64, step: Step) -> String {
    // A tick that is rounded to just before a second belongs to it.
    let at = if let Step::Part(_) = step { at } else { at.round() };
    let days = (at / DAY).floor();
    let (year, month, day) = date(days as i64);
    let of_day = at - days * DAY;
    let whole = of_day.floor() as i64;
    let (hour, minute, second) = (whole / 3600, whole / 60 % 60, whole % 60);
    let year = minus(&format!("{year:04}"));
    match step {
        Step::Years(_) => year,
        Step::Months(_) => format!("{year}-{month:02}"),
        Step::Days(_) => format!("{year}-{month:02}-{day:02}"),
        Step::Hours(_) => format!("{month:02}-{day:02} {hour:02}h"),
        Step::Minutes(_) => format!("{day:02} {hour:02}:{minute:02}"),
        Step::Seconds(_) => format!("{hour:02}:{minute:02}:{second:02}"),
        Step::Part(length) => {
            let digits = (-length.log10().floor()).clamp(1.0, 9.0) as usize;
            let of_minute = of_day - (whole / 60 * 60) as f64;
            format!("{minute:02}:{of_minute:0width$.digits$}", width = digits + 3)
        }
    }
}

/// The year, month and day of a day since 1970.
fn date(day: i64) -> (i64, u32, u32) {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month as u32, of_month as u32)
}

/// The day since 1970 of a date.
fn day(year: i64, month: u32, of_month: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted_month = i64::from(if month > 2 { month - 3 } else { month + 9 });
    let of_year = (153 * shifted_month + 2) / 5 + i64::from(of_month) - 1;
    let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
    era * 146_097 + of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::Scale;

    #[test]
    fn days_are_dates_and_dates_are_days() {
        // The dates are those of Python's `datetime`.
        for (number, of) in [
            (0, (1970, 1, 1)),
            (-1, (1969, 12, 31)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (20_783, (2026, 11, 26)),
            (-719_162, (1, 1, 1)),
            (2_932_896, (9999, 12, 31)),
        ] {
            assert_eq!(date(number), of);
            assert_eq!(day(of.0, of.1, of.2), number);
        }
        for number in (-800_000..3_000_000).step_by(37) {
            let (year, month, of_month) = date(number);
            assert_eq!(day(year, month, of_month), number);
        }
    }

    fn shown(from: f64, to: f64) -> String {
        let ticks = ticks(&Limits { from, to, scale: Scale::Linear }, 7);
        let texts = ticks.major.into_iter().map(|(_, label)| match label {
            Label::Text(text) => text,
            Label::Power { .. } => "power".to_owned(),
        });
        texts.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn ticks_stand_at_dates_and_times() {
        let start = day(2026, 11, 26) as f64 * DAY;
        for (length, texts) in [
            (20.0 * YEAR, "2028, 2032, 2036, 2040, 2044"),
            (YEAR, "2027-01, 2027-03, 2027-05, 2027-07, 2027-09, 2027-11"),
            (20.0 * DAY, "2026-11-29, 2026-12-01, 2026-12-05, 2026-12-09, 2026-12-13"),
            (DAY, "11-26 00h, 11-26 04h, 11-26 08h, 11-26 12h, 11-26 16h, 11-26 20h, 11-27 00h"),
            (HOUR, "26 00:00, 26 00:10, 26 00:20, 26 00:30, 26 00:40, 26 00:50, 26 01:00"),
            (MINUTE, "00:00:00, 00:00:10, 00:00:20, 00:00:30, 00:00:40, 00:00:50, 00:01:00"),
            (0.5, "00:00.0, 00:00.1, 00:00.2, 00:00.3, 00:00.4, 00:00.5"),
        ] {
            assert_eq!(shown(start, start + length), texts, "{length}");
        }
    }

    #[test]
    fn no_range_of_times_hangs_or_has_many_ticks() {
        let ends = [0.0, 1.0, 1e-9, 1e9, 1.76e9, 1.76e9 + 1e-6, 2e11, 1e13, 1e300, f64::MAX];
        for low in ends.iter().flat_map(|end| [*end, -*end]) {
            for high in ends.iter().flat_map(|end| [*end, -*end]).filter(|high| *high > low) {
                for room in [0, 1, 7, 100] {
                    let ticks = ticks(&Limits { from: low, to: high, scale: Scale::Linear }, room);
                    assert!(ticks.major.len() < 40, "{low} {high} {room}: {}", ticks.major.len());
                }
            }
        }
    }
}

//! Where time goes: `:time`, `:timeit`, `:profile`, and what is reported after a
//! cell.

use std::fmt::Write as _;
use std::time::Duration;

use gpurepl_wire::{RankTime, Work};

use super::table::Table;
use super::{bytes, show};
use crate::commands::magic::Telling;
use crate::engine::Report;
use crate::output::Sink;
use crate::session::Session;

pub(super) fn time(session: &mut Session, what: &str, sink: &mut dyn Sink) -> Result<(), String> {
    session.telling = match what {
        "on" => Telling::Line,
        "off" => Telling::Nothing,
        _ => {
            let now = if session.telling == Telling::Nothing { "off" } else { "on" };
            return show(
                format!("cells are not timed unless `:time on`; it is {now} now, and `:time CODE` times one"),
                sink,
            );
        }
    };
    Ok(())
}

/// A command that is nothing without code: with code it is a magic, and does
/// not come here.
pub(super) fn needs_code(session: &mut Session, what: &str, sink: &mut dyn Sink) -> Result<(), String> {
    let _ = (session, sink);
    let wrong = if what.is_empty() { String::new() } else { format!(", not `{what}`") };
    Err(format!("code to run is expected{wrong}: `:timeit CODE`, `:profile CODE`"))
}

/// Reports about a cell what the user has requested.
pub(crate) fn tell(report: &Report, telling: Telling, sink: &mut dyn Sink) {
    match telling {
        Telling::Nothing => {}
        Telling::Line => sink.times(&line(report)),
        Telling::Table => {
            let _ = show(profile(report), sink);
        }
    }
}

/// The times of a cell in a line.
fn line(report: &Report) -> String {
    let activity = &report.activity;
    let mut text = format!(
        "total {}: compile {}{}, run {}",
        duration(report.total),
        duration(report.compile),
        // The rest was the time of the cell before.
        if report.is_ahead { " (begun before)" } else { "" },
        duration(report.run)
    );
    if let [first, .., last] = by_time(report)[..] {
        let _ = write!(
            text,
            " (rank {} {}, rank {} {})",
            first.rank,
            duration(Duration::from_nanos(first.nanoseconds)),
            last.rank,
            duration(Duration::from_nanos(last.nanoseconds))
        );
    }
    let launches = match activity.launches {
        0 => None,
        count => {
            let plural = if count == 1 { "" } else { "es" };
            let time = measured(activity.kernel_nanoseconds());
            Some(format!("kernels {time} ({count} launch{plural})"))
        }
    };
    let copies = [
        (activity.bytes_to_device, "to the device"),
        (activity.bytes_from_device, "from it"),
        (activity.bytes_within_device, "within it"),
    ];
    let copies: Vec<String> = copies
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, direction)| format!("{} {direction}", bytes(*count)))
        .collect();
    let copies = (!copies.is_empty())
        .then(|| format!("copies {} ({})", measured(activity.transfer_nanoseconds()), copies.join(", ")));
    for part in launches.into_iter().chain(copies) {
        let _ = write!(text, "; {part}");
    }
    if let Some((before, after)) = activity.memory
        && before != after
    {
        let sign = if after > before { "+" } else { "-" };
        let _ = write!(text, "; device memory {sign}{}", bytes(after.abs_diff(before)));
    }
    text
}

/// The times of several workers, the longest first.
fn by_time(report: &Report) -> Vec<RankTime> {
    let mut times = report.ranks.clone();
    times.sort_by_key(|time| std::cmp::Reverse(time.nanoseconds));
    times
}

fn measured(nanoseconds: Option<u64>) -> String {
    nanoseconds.map_or_else(|| "not measured".to_owned(), |time| duration(Duration::from_nanos(time)))
}

/// The kernels and copies of a cell as a table.
fn profile(report: &Report) -> String {
    let activity = &report.activity;
    let Some(works) = &activity.times else { return "kernels and copies were not measured".to_owned() };
    let total: u64 = works.iter().map(|work| work.total).sum();
    let run = duration(report.run);
    if works.is_empty() {
        return format!("the cell ran for {run}; it launched no kernel and copied nothing");
    }
    let mut works: Vec<&Work> = works.iter().collect();
    works.sort_by(|a, b| b.total.cmp(&a.total).then_with(|| a.name.cmp(&b.name)));
    let mut table = Table::new(&["share", "total", "calls", "mean", "min", "max", "bytes", "name"], 7);
    for work in works {
        let share = if total > 0 { work.total as f64 / total as f64 * 100.0 } else { 0.0 };
        let time = |nanoseconds: u64| duration(Duration::from_nanos(nanoseconds));
        table.row(vec![
            format!("{share:.1} %"),
            time(work.total),
            work.calls.to_string(),
            time(work.total / work.calls.max(1)),
            time(work.min),
            time(work.max),
            if work.is_transfer { bytes(work.bytes) } else { String::new() },
            work.name.clone(),
        ]);
    }
    let kernels = duration(Duration::from_nanos(activity.kernel_nanoseconds().unwrap_or(0)));
    let copies = duration(Duration::from_nanos(activity.transfer_nanoseconds().unwrap_or(0)));
    format!("{}\nthe cell ran for {run}: kernels {kernels}, copies {copies}", table.text())
}

/// A time with three digits that count.
pub(super) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds >= 100.0 {
        return format!("{seconds:.0} s");
    }
    let (number, unit) = match seconds {
        _ if seconds >= 1.0 => (seconds, "s"),
        _ if seconds >= 1e-3 => (seconds * 1e3, "ms"),
        _ if seconds >= 1e-6 => (seconds * 1e6, "µs"),
        _ => (seconds * 1e9, "ns"),
    };
    let digits = match number {
        _ if unit == "ns" || number >= 100.0 => 0,
        _ if number >= 10.0 => 1,
        _ => 2,
    };
    format!("{number:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpurepl_wire::Activity;

    fn work(name: &str, is_transfer: bool, calls: u64, total: u64, bytes: u64) -> Work {
        Work {
            name: name.to_owned(),
            is_transfer,
            calls,
            bytes,
            total,
            min: total / calls,
            max: total / calls,
        }
    }

    #[test]
    fn durations_have_three_digits() {
        let texts: Vec<String> = [0, 12, 999, 1_234, 45_678, 1_200_000, 123_400_000, 2_500_000_000]
            .into_iter()
            .map(|time| duration(Duration::from_nanos(time)))
            .collect();
        assert_eq!(texts, ["0 ns", "12 ns", "999 ns", "1.23 µs", "45.7 µs", "1.20 ms", "123 ms", "2.50 s"]);
    }

    #[test]
    fn of_several_workers_the_slowest_and_the_fastest_are_named() {
        let time = |rank, milliseconds: u64| RankTime { rank, nanoseconds: milliseconds * 1_000_000 };
        let report = Report {
            total: Duration::from_millis(60),
            compile: Duration::from_millis(50),
            run: Duration::from_millis(9),
            ranks: vec![time(0, 5), time(1, 9), time(2, 3)],
            ..Report::default()
        };
        assert_eq!(
            line(&report),
            "total 60.0 ms: compile 50.0 ms, run 9.00 ms (rank 1 9.00 ms, rank 2 3.00 ms)"
        );
    }

    #[test]
    fn what_was_not_measured_is_said_to_be_so() {
        let activity = Activity {
            launches: 2,
            bytes_to_device: 4096,
            memory: Some((1 << 20, 3 << 20)),
            ..Activity::default()
        };
        let report = Report {
            total: Duration::from_millis(60),
            compile: Duration::from_millis(50),
            run: Duration::from_millis(9),
            activity,
            ..Report::default()
        };
        assert_eq!(
            line(&report),
            "total 60.0 ms: compile 50.0 ms, run 9.00 ms; kernels not measured (2 launches); \
             copies not measured (4.0 KiB to the device); device memory +2.0 MiB"
        );
        assert_eq!(profile(&report), "kernels and copies were not measured");
    }

    #[test]
    fn a_profile_is_a_table_with_the_longest_first() {
        let times = vec![work("copy to the device", true, 1, 1_000, 4096), work("twice", false, 3, 9_000, 0)];
        let activity = Activity { times: Some(times), ..Activity::default() };
        let report = Report { run: Duration::from_millis(1), activity, ..Report::default() };
        assert_eq!(
            profile(&report),
            " share    total  calls     mean      min      max    bytes  name\n\
             90.0 %  9.00 µs      3  3.00 µs  3.00 µs  3.00 µs           twice\n\
             10.0 %  1.00 µs      1  1.00 µs  1.00 µs  1.00 µs  4.0 KiB  copy to the device\n\
             the cell ran for 1.00 ms: kernels 9.00 µs, copies 1.00 µs"
        );
    }
}

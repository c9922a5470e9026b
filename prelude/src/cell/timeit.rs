//! `%timeit`: how long a piece of a cell takes.
//!
//! As IPython does it: loops are repeated until a run takes at least 0.2 s,
//! ten times as many each time, and that many loops are run seven times. The
//! device is idle when a clock is read, and expressions that a loop has
//! written are computed within it.

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use gpurepl_wire::{Activity, MimeBundle};

use super::CellResult;
use gpurepl_arrays::array;
use gpurepl_device::{self as device, activity};
use gpurepl_display as display;
use gpurepl_ground::interrupt;

/// What a run takes at least, in seconds, if the number of loops is free.
const LONG_ENOUGH: f64 = 0.2;

/// The most loops of a run that is free: 10^9.
const MOST_LOOPS: u64 = 1_000_000_000;

/// Loops of the run in which kernels and copies are measured.
const MEASURED_LOOPS: u64 = 100;

/// The end of a loop: what it has written is computed, and its value is taken
/// for used.
///
/// # Errors
///
/// If an expression of the loop fails.
pub fn measured<T: ?Sized>(value: &T) -> CellResult {
    /// The expressions that were written when this looked last: most loops
    /// write none, and looking for them takes longer than adding two numbers.
    static SEEN: AtomicU64 = AtomicU64::new(0);
    black_box(value);
    let written = array::next_expression();
    if SEEN.swap(written, Ordering::Relaxed) != written {
        // The value's temporaries are still there, but nobody reads them.
        array::settle_unread()?;
    }
    Ok(())
}

/// Runs a piece of code in loops and reports how long one takes. `loops` is the
/// number of loops of a run, zero for as many as are needed; `runs` the number
/// of runs.
///
/// # Errors
///
/// The first error of the code, an interrupt among them.
pub fn timeit(loops: u64, runs: u64, body: &mut dyn FnMut() -> CellResult) -> CellResult {
    let loops = if loops > 0 { loops } else { enough_loops(body)? };
    let mut times = Vec::new();
    for _ in 0..runs.max(1) {
        times.push(run(loops, body)? / loops as f64);
    }
    // Events and clocks take time themselves, so this is a run of its own.
    let measured_loops = loops.min(MEASURED_LOOPS);
    let (last, activity) = activity::measured(|| run(measured_loops, body));
    let text = told(&times, loops, &activity, measured_loops, last?);
    display::show(MimeBundle::text(text), false);
    Ok(())
}

/// One run, in seconds.
fn run(loops: u64, body: &mut dyn FnMut() -> CellResult) -> Result<f64, super::CellError> {
    synchronize()?;
    let start = Instant::now();
    for _ in 0..loops {
        body()?;
        interrupt::check()?;
    }
    synchronize()?;
    Ok(start.elapsed().as_secs_f64())
}

fn enough_loops(body: &mut dyn FnMut() -> CellResult) -> Result<u64, super::CellError> {
    // The first loop may compile kernels, and is not what others will be.
    run(1, body)?;
    let mut loops = 1;
    while run(loops, body)? < LONG_ENOUGH && loops < MOST_LOOPS {
        loops *= 10;
    }
    Ok(loops)
}

fn synchronize() -> crate::Result<()> {
    array::settle()?;
    match device::in_use() {
        Some(context) => context.synchronize(),
        None => Ok(()),
    }
}

/// What there is to say of runs; `times` are seconds a loop.
fn told(times: &[f64], loops: u64, activity: &Activity, measured_loops: u64, measured_run: f64) -> String {
    let count = times.len() as f64;
    let mean = times.iter().sum::<f64>() / count;
    let deviation = (times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / count).sqrt();
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let median = if sorted.len().is_multiple_of(2) {
        (sorted[middle - 1] + sorted[middle]) / 2.0
    } else {
        sorted[middle]
    };
    let plural = |number: u64| if number == 1 { "" } else { "s" };
    let mut text = format!(
        "{} ± {} per loop (mean ± std. dev. of {} run{}, {loops} loop{} each)\nmin {}, median {}",
        seconds(mean),
        seconds(deviation),
        times.len(),
        plural(times.len() as u64),
        plural(loops),
        seconds(sorted[0]),
        seconds(median),
    );
    let transfers = activity.bytes_to_device + activity.bytes_from_device + activity.bytes_within_device;
    if activity.launches + transfers > 0 {
        let part = |nanoseconds: Option<u64>| {
            let part = nanoseconds.unwrap_or(0) as f64 / 1e9;
            let share = if measured_run > 0.0 { part / measured_run * 100.0 } else { 0.0 };
            format!("{} ({share:.0} %)", seconds(part / measured_loops as f64))
        };
        let launches = activity.launches as f64 / measured_loops as f64;
        let _ = write!(
            text,
            "\na loop: kernels {} in {launches:.0} launch{}, copies {}",
            part(activity.kernel_nanoseconds()),
            if launches == 1.0 { "" } else { "es" },
            part(activity.transfer_nanoseconds()),
        );
    }
    text
}

/// A time with three digits that count, and a unit to suit it.
fn seconds(time: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
    let (unit, name) = units.into_iter().find(|(unit, _)| time >= *unit).unwrap_or((1e-9, "ns"));
    let number = time / unit;
    let digits = match number {
        _ if number >= 100.0 => 0,
        _ if number >= 10.0 => 1,
        _ => 2,
    };
    // Whole digits are kept, also those of more than a thousand seconds.
    let text = format!("{number:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        let told: Vec<String> = [0.0, 3.2e-10, 1.234e-8, 1.0e-6, 12.34e-6, 0.1234, 1.5, 1234.0]
            .into_iter()
            .map(seconds)
            .collect();
        assert_eq!(told, ["0 ns", "0.32 ns", "12.3 ns", "1 µs", "12.3 µs", "123 ms", "1.5 s", "1234 s"]);
    }

    #[test]
    fn runs_are_told_with_mean_deviation_and_median() {
        let text = told(&[1e-3, 3e-3], 10, &Activity::default(), 10, 0.02);
        assert_eq!(
            text,
            "2 ms ± 1 ms per loop (mean ± std. dev. of 2 runs, 10 loops each)\nmin 1 ms, median 2 ms"
        );
        let activity = Activity { launches: 10, times: Some(Vec::new()), ..Activity::default() };
        let text = told(&[1e-3], 1, &activity, 10, 0.02);
        assert!(text.ends_with("\na loop: kernels 0 ns (0 %) in 1 launch, copies 0 ns (0 %)"), "{text}");
    }

    #[test]
    fn a_piece_of_code_is_run_as_often_as_it_was_asked_for() {
        let _alone = gpurepl_ground::interrupt::exclusive::alone();
        let mut count = 0;
        let ended = timeit(3, 2, &mut || {
            count += 1;
            Ok(())
        });
        assert!(ended.is_ok());
        assert_eq!(count, 3 * 2 + 3);
    }
}

//! How far long work has come: a display that updates itself.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use std::time::Duration;
use std::time::Instant;

use gpurepl_wire::MimeBundle;

use super::frames;
use crate::streams::flush;

/// Goes through something and shows how far it has come.
///
/// ```
/// use gpurepl_prelude::*;
/// let mut sum = 0;
/// for k in progress(0..1000).message("summing") {
///     sum += k;
/// }
/// assert_eq!(sum, 499_500);
/// ```
pub fn progress<I: IntoIterator>(items: I) -> ProgressIter<I::IntoIter> {
    let items = items.into_iter();
    let total = match items.size_hint() {
        (least, Some(most)) if least == most => Some(least as u64),
        _ => None,
    };
    ProgressIter { items, progress: Progress::with_total(total), is_begun: false }
}

/// An iterator that shows how far it has come; made by [`progress`].
#[derive(Debug)]
pub struct ProgressIter<I> {
    items: I,
    progress: Progress,
    /// Whether an item has been given out that is not counted yet.
    is_begun: bool,
}

impl<I> ProgressIter<I> {
    /// Says what the work is.
    pub fn message(mut self, text: &str) -> ProgressIter<I> {
        self.progress = self.progress.message(text);
        self
    }
}

impl<I: Iterator> Iterator for ProgressIter<I> {
    type Item = I::Item;

    #[track_caller]
    fn next(&mut self) -> Option<I::Item> {
        self.progress.inc(u64::from(self.is_begun));
        self.is_begun = false;
        let item = self.items.next();
        match item {
            Some(_) => self.is_begun = true,
            None => self.progress.finish(),
        }
        item
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for ProgressIter<I> {}

/// Work whose progress is shown: how much of it is done, how fast, and how
/// long it will take. Clones are the same work, for other threads.
///
/// ```
/// use gpurepl_prelude::*;
/// let work = Progress::new(300).message("simulating");
/// for _ in 0..3 {
///     work.inc(100);
/// }
/// work.finish();
/// ```
///
/// When the last clone is dropped the work has ended, wherever it has come to.
#[derive(Clone)]
pub struct Progress {
    work: Arc<Work>,
}

struct Work {
    id: u64,
    /// Steps in all; unknown if none.
    total: Option<u64>,
    done: AtomicU64,
    start: Instant,
    /// When it was shown last, in milliseconds since the start.
    shown: AtomicU64,
    /// Whether there is something that has not been shown.
    is_stale: AtomicBool,
    is_ended: AtomicBool,
    message: Mutex<String>,
}

/// What has been shown last and changes no more is shown after this time at
/// the latest, and what changes all the time this often.
const INTERVAL: u64 = 100;

/// All work that is under way.
static UNDER_WAY: LazyLock<Mutex<Vec<Weak<Work>>>> = LazyLock::new(|| {
    flush::in_each_interval(tick);
    Mutex::default()
});

/// Shows what has changed since it was shown: a worker calls this now and
/// then while a cell runs.
fn tick() {
    let under_way: Vec<Arc<Work>> = {
        let mut all = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|work| work.strong_count() > 0);
        all.iter().filter_map(Weak::upgrade).collect()
    };
    under_way.iter().filter(|work| work.is_stale.load(Ordering::Relaxed)).for_each(|work| work.show_soon());
}

impl Progress {
    /// Work of so many steps, of which none is done.
    pub fn new(total: usize) -> Progress {
        Progress::with_total(Some(total as u64))
    }

    /// Work of unknown length.
    pub fn unbounded() -> Progress {
        Progress::with_total(None)
    }

    fn with_total(total: Option<u64>) -> Progress {
        let work = Arc::new(Work {
            id: frames::display_id(),
            total,
            done: AtomicU64::new(0),
            start: Instant::now(),
            shown: AtomicU64::new(u64::MAX),
            is_stale: AtomicBool::new(true),
            is_ended: AtomicBool::new(false),
            message: Mutex::new(String::new()),
        });
        UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&work));
        Progress { work }
    }

    /// Says what the work is.
    pub fn message(self, text: &str) -> Progress {
        self.set_message(text);
        self
    }

    /// Says what is done now.
    pub fn set_message(&self, text: &str) {
        // One line: the bar stands behind it.
        *self.work.message.lock().unwrap_or_else(PoisonError::into_inner) =
            text.replace(|c: char| c.is_control(), " ");
        self.work.is_stale.store(true, Ordering::Relaxed);
    }

    /// So many more steps are done.
    ///
    /// # Panics
    ///
    /// If the user has interrupted, as
    /// [`check_interrupt`](crate::check_interrupt) does.
    #[track_caller]
    pub fn inc(&self, steps: u64) {
        crate::check_interrupt();
        self.work.done.fetch_add(steps, Ordering::Relaxed);
        self.work.is_stale.store(true, Ordering::Relaxed);
        self.work.show_soon();
    }

    /// [`Progress::inc`] of one that looks after interrupts itself.
    #[doc(hidden)]
    pub fn advance(&self, steps: u64) {
        self.work.done.fetch_add(steps, Ordering::Relaxed);
        self.work.is_stale.store(true, Ordering::Relaxed);
        self.work.show_soon();
    }

    /// So many steps are done in all.
    ///
    /// # Panics
    ///
    /// As [`inc`](Progress::inc).
    #[track_caller]
    pub fn set(&self, steps: u64) {
        self.work.done.store(steps, Ordering::Relaxed);
        self.inc(0);
    }

    /// The steps that are done.
    pub fn done(&self) -> u64 {
        self.work.done.load(Ordering::Relaxed)
    }

    /// The work is done; what comes after is not shown.
    pub fn finish(&self) {
        self.work.end();
    }
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.work.text(self.work.start.elapsed(), State::Running))
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Running,
    Finished,
    /// It has ended before it was done.
    Stopped,
}

impl Work {
    /// Shows it, unless that was done a moment ago.
    fn show_soon(&self) {
        if self.is_ended.load(Ordering::Relaxed) {
            return;
        }
        let now = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(0);
        let shown = self.shown.load(Ordering::Relaxed);
        let is_first = shown == u64::MAX;
        if !is_first && now.saturating_sub(shown) < INTERVAL {
            return;
        }
        // Of several threads one shows it.
        if self.shown.compare_exchange(shown, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            self.is_stale.store(false, Ordering::Relaxed);
            frames::show_progress(self.bundle(State::Running), self.id, !is_first);
        }
    }

    fn end(&self) {
        if self.is_ended.swap(true, Ordering::Relaxed) {
            return;
        }
        let is_done = self.total.is_none_or(|total| self.done.load(Ordering::Relaxed) >= total);
        let state = if is_done && !std::thread::panicking() { State::Finished } else { State::Stopped };
        let is_first = self.shown.load(Ordering::Relaxed) == u64::MAX;
        if is_first && self.done.load(Ordering::Relaxed) == 0 {
            return;
        }
        frames::show_progress(self.bundle(state), self.id, !is_first);
    }

    fn bundle(&self, state: State) -> MimeBundle {
        let time = self.start.elapsed();
        let done = self.done.load(Ordering::Relaxed);
        let total = self.total.map_or("null".to_owned(), |total| total.to_string());
        let word = match state {
            State::Running => "running",
            State::Finished => "finished",
            State::Stopped => "stopped",
        };
        MimeBundle::text(self.text(time, state)).with("text/html", self.html(time, state)).with(
            "application/vnd.gpurepl.progress+json",
            format!("{{\"done\":{done},\"total\":{total},\"state\":\"{word}\"}}"),
        )
    }

    /// `summing 37% [===>      ] 37/100 12.3/s, 5 s left`.
    fn text(&self, time: Duration, state: State) -> String {
        const WIDTH: u64 = 24;
        let mut text = self.message.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if !text.is_empty() {
            text.push(' ');
        }
        let done = self.done.load(Ordering::Relaxed);
        if let Some(total) = self.total {
            let part = |of: u64| {
                let part = u128::from(done.min(total)) * u128::from(of) / u128::from(total.max(1));
                if total == 0 { of } else { part as u64 }
            };
            let filled = part(WIDTH);
            let head = if filled < WIDTH { ">" } else { "" };
            let bar = format!("{}{head}", "=".repeat(filled as usize));
            let _ = write!(text, "{:>3}% [{bar:<width$}] {done}/{total}", part(100), width = WIDTH as usize);
        } else {
            let _ = write!(text, "{done}");
        }
        text.push_str(&self.times(time, state));
        text
    }

    fn times(&self, time: Duration, state: State) -> String {
        let done = self.done.load(Ordering::Relaxed);
        let rate = done as f64 / time.as_secs_f64();
        let mut text = String::new();
        if done > 0 && rate.is_finite() {
            let _ = write!(text, ", {}/s", number(rate));
        }
        match (state, self.total) {
            (State::Running, Some(total)) if done > 0 && rate > 0.0 => {
                let _ = write!(text, ", {} left", duration(total.saturating_sub(done) as f64 / rate));
            }
            (State::Stopped, _) => {
                let _ = write!(text, ", stopped after {}", duration(time.as_secs_f64()));
            }
            _ => {
                let _ = write!(text, ", {}", duration(time.as_secs_f64()));
            }
        }
        text
    }

    fn html(&self, time: Duration, state: State) -> String {
        let message = self.message.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let message = message.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let done = self.done.load(Ordering::Relaxed);
        let (value, count) = match self.total {
            Some(total) => (format!(" value=\"{done}\" max=\"{}\"", total.max(1)), format!("{done}/{total}")),
            None if state == State::Running => (String::new(), done.to_string()),
            None => (" value=\"1\" max=\"1\"".to_owned(), done.to_string()),
        };
        format!("<div>{message} <progress{value}></progress> {count}{}</div>", self.times(time, state))
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.end();
    }
}

/// Three digits or so.
fn number(value: f64) -> String {
    match value {
        value if value >= 1e9 => format!("{:.1}G", value / 1e9),
        value if value >= 1e6 => format!("{:.1}M", value / 1e6),
        value if value >= 1e4 => format!("{:.1}k", value / 1e3),
        value if value >= 10.0 => format!("{value:.0}"),
        value => format!("{value:.2}"),
    }
}

/// `350 ms`, `12 s`, `3 min 20 s`, `5 h 7 min`.
fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match seconds {
        seconds if seconds < 1.0 => format!("{:.0} ms", seconds * 1e3),
        seconds if seconds < 10.0 => format!("{seconds:.1} s"),
        seconds if seconds < 60.0 => format!("{whole} s"),
        seconds if seconds < 3600.0 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_told_in_a_line() {
        let work = Progress::new(200).message("sum\nming <a>");
        work.work.done.store(50, Ordering::Relaxed);
        let time = Duration::from_secs(5);
        assert_eq!(
            work.work.text(time, State::Running),
            "sum ming <a>  25% [======>                 ] 50/200, 10/s, 15 s left"
        );
        work.work.done.store(200, Ordering::Relaxed);
        let all = work.work.text(time, State::Finished);
        assert_eq!(all, "sum ming <a> 100% [========================] 200/200, 40/s, 5.0 s");
        assert!(work.work.html(time, State::Finished).contains("sum ming &lt;a&gt; <progress value=\"200\""));
        let unknown = Progress::unbounded();
        unknown.work.done.store(7, Ordering::Relaxed);
        assert_eq!(
            unknown.work.text(Duration::from_secs(70), State::Stopped),
            "7, 0.10/s, stopped after 1 min 10 s"
        );
        assert!(Progress::new(0).work.text(time, State::Finished).starts_with("100% ["));
    }

    #[test]
    fn items_are_counted_when_they_are_done() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let mut items = progress([1, 2, 3]);
        let count = |items: &ProgressIter<_>| items.progress.done();
        assert_eq!((items.next(), count(&items)), (Some(1), 0));
        assert_eq!((items.next(), count(&items)), (Some(2), 1));
        assert_eq!(items.by_ref().count(), 1);
        assert_eq!((count(&items), items.next()), (3, None));
        assert_eq!(count(&items), 3);
    }

    #[test]
    fn durations_are_short() {
        let texts: Vec<String> = [0.25, 9.5, 59.0, 200.0, 18_420.0].into_iter().map(duration).collect();
        assert_eq!(texts, ["250 ms", "9.5 s", "59 s", "3 min 20 s", "5 h 7 min"]);
        assert_eq!(number(2.5e7), "25.0M");
    }
}

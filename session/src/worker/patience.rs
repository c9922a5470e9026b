//! Interrupts that go unheard.

use std::time::{Duration, Instant};

/// How long an interrupt may go unheard before the user is told.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// Watches an interrupt that goes unheard.
#[derive(Debug, Default)]
pub(super) struct Patience {
    since: Option<Instant>,
    is_told: bool,
    /// After how long the process is ended, if nobody does it.
    limit: Option<Duration>,
    is_over: bool,
}

/// The variable for that, in seconds: whoever runs notebooks without a user interrupts a cell once.
pub(super) const TIMEOUT: &str = "GPUREPL_INTERRUPT_TIMEOUT";

/// What [`TIMEOUT`] says.
///
/// # Errors
///
/// If that is no number of seconds.
pub(super) fn limit(text: Option<&str>) -> Result<Option<Duration>, String> {
    let seconds =
        text.filter(|text| !text.is_empty()).map(|text| text.trim().parse().map(Duration::from_secs));
    seconds
        .transpose()
        .map_err(|_| format!("{TIMEOUT} is `{}`, which is no number of seconds", text.unwrap_or_default()))
}

impl Patience {
    pub(super) fn new(limit: Option<Duration>) -> Patience {
        Patience { limit, ..Patience::default() }
    }

    /// How long to wait for the worker before looking at the time.
    pub(super) fn step(&self) -> Duration {
        let is_waiting = self.is_told && (self.limit.is_none() || self.is_over);
        Duration::from_millis(if is_waiting { 10_000 } else { 200 })
    }

    /// To be asked while an interrupt goes unheard: whether its process is to be ended; true once.
    pub(super) fn is_exhausted(&mut self) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        let is_over = !self.is_over && self.limit.is_some_and(|limit| since.elapsed() >= limit);
        self.is_over |= is_over;
        is_over
    }

    /// To be asked while an interrupt goes unheard; true once.
    pub(super) fn is_at_its_end(&mut self) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        let is_over = !self.is_told && since.elapsed() >= PATIENCE;
        self.is_told |= is_over;
        is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_number_of_seconds() {
        assert_eq!(limit(None), Ok(None));
        assert_eq!(limit(Some("")), Ok(None));
        assert_eq!(limit(Some(" 5 ")), Ok(Some(Duration::from_secs(5))));
        assert!(limit(Some("soon")).unwrap_err().contains("is `soon`, which is no number of seconds"));
    }

    #[test]
    fn a_process_is_given_up_once_and_only_if_that_is_wanted() {
        let mut patience = Patience::default();
        assert!(!patience.is_exhausted() && !patience.is_at_its_end());
        assert_eq!(patience.step(), Duration::from_millis(200));
        let mut patience = Patience::new(Some(Duration::ZERO));
        assert!(patience.is_exhausted() && !patience.is_exhausted());
        let long_ago = Instant::now().checked_sub(Duration::from_secs(60));
        let mut patience =
            Patience { since: long_ago, limit: Some(Duration::from_secs(90)), ..Patience::default() };
        assert!(patience.is_at_its_end() && !patience.is_at_its_end() && !patience.is_exhausted());
        assert_eq!(patience.step(), Duration::from_millis(200), "until the limit");
        patience.limit = Some(Duration::from_secs(50));
        assert!(patience.is_exhausted());
        assert_eq!(patience.step(), Duration::from_secs(10), "nothing is left to be done");
    }
}

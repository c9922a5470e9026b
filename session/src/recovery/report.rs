//! What a replay has brought back, in a line or a few.

use std::time::Duration;

/// The result of a replay.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// How many cells ran.
    pub(crate) cells: usize,
    pub(crate) took: Duration,
    pub(crate) back: Vec<String>,
    /// Variables that are not back, and why.
    pub(crate) lost: Vec<(String, String)>,
    /// Variables that are back, but without what a cell did that was not
    /// replayed, and which.
    pub(crate) stale: Vec<(String, String)>,
    /// What else there is to say.
    pub(crate) besides: Vec<String>,
}

impl Summary {
    /// `replayed 12 cells in 0.3 s; back: a, b, c; lost: d (cell 4 failed in
    /// the replay: no such file)`
    pub(crate) fn text(&self) -> String {
        let cells = if self.cells == 1 { "cell" } else { "cells" };
        let mut text = format!("replayed {} {cells} in {}", self.cells, seconds(self.took));
        if !self.back.is_empty() {
            text.push_str(&format!("; back: {}", list(&self.back)));
        }
        if !self.lost.is_empty() {
            text.push_str(&format!("; lost: {}", with_reasons(&self.lost)));
        }
        if !self.stale.is_empty() {
            text.push_str(&format!("\nthese may differ from before: {}", with_reasons(&self.stale)));
        }
        for line in &self.besides {
            text.push('\n');
            text.push_str(line);
        }
        text
    }
}

/// Names one after the other.
pub(crate) fn list(names: &[String]) -> String {
    names.join(", ")
}

/// A time as it is read: `0.3 s`, `4 ms`.
pub(crate) fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 0.095 { format!("{:.0} ms", seconds * 1e3) } else { format!("{seconds:.1} s") }
}

/// `a, b (reason); c (another)`: names of one reason stand together.
fn with_reasons(names: &[(String, String)]) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, reason) in names {
        match groups.iter_mut().find(|(known, _)| known == reason) {
            Some((_, group)) => group.push(name),
            None => groups.push((reason, vec![name])),
        }
    }
    let groups: Vec<String> =
        groups.into_iter().map(|(reason, group)| format!("{} ({reason})", group.join(", "))).collect();
    groups.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_is_told_in_words() {
        let pair = |name: &str, reason: &str| (name.to_owned(), reason.to_owned());
        let mut summary = Summary {
            cells: 12,
            took: Duration::from_millis(310),
            back: ["a", "b"].map(str::to_owned).to_vec(),
            ..Summary::default()
        };
        assert_eq!(summary.text(), "replayed 12 cells in 0.3 s; back: a, b");
        summary.lost =
            vec![pair("d", "cell 4 failed"), pair("e", "cell 5 is marked"), pair("f", "cell 4 failed")];
        summary.stale = vec![pair("n", "cell 7 was interrupted")];
        (summary.cells, summary.took) = (1, Duration::from_millis(4));
        assert_eq!(
            summary.text(),
            "replayed 1 cell in 4 ms; back: a, b; lost: d, f (cell 4 failed); e (cell 5 is marked)\n\
             these may differ from before: n (cell 7 was interrupted)"
        );
    }
}

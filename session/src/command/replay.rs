//! Bringing variables back after a worker is lost: `:replay`.

use std::fmt::Write as _;

use super::show;
use crate::output::Sink;
use crate::recovery::{self, Policy, ReplayPlan};
use crate::session::Session;

pub(super) fn replay(session: &mut Session, what: &str, sink: &mut dyn Sink) -> Result<(), String> {
    match what {
        "" => show(text(&session.replay_plan()), sink),
        "now" => session.replay(sink),
        _ => {
            let policy: Policy =
                what.parse().map_err(|problem| format!("{problem}, and `:replay now` does it now"))?;
            session.set_replay(policy);
            show(text(&session.replay_plan()), sink)
        }
    }
}

/// What a replay would do, in words.
fn text(plan: &ReplayPlan) -> String {
    let mut text = format!(
        "replay is {}: {}\n",
        plan.policy,
        match plan.policy {
            Policy::On => "after a lost worker its cells are run again at once",
            Policy::Ask => "after a lost worker you are asked whether its cells are run again",
            Policy::Off => "after a lost worker its variables are lost until `:replay now`",
        }
    );
    match plan.cells {
        0 => text.push_str("there is nothing to replay"),
        1 => {
            let _ = write!(text, "it would run 1 cell, which took {}", recovery::seconds(plan.time));
        }
        cells => {
            let _ = write!(text, "it would run {cells} cells, which took {}", recovery::seconds(plan.time));
        }
    }
    if !plan.marked.is_empty() {
        let marked: Vec<String> = plan.marked.iter().map(u64::to_string).collect();
        let _ = write!(text, "\nmarked not to be replayed: cell {}", marked.join(", "));
    }
    if !plan.lost.is_empty() {
        let _ = write!(text, "\n`:replay now` tries to bring back: {}", recovery::list(&plan.lost));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_plan_is_told_in_words() {
        let mut plan = ReplayPlan::default();
        assert_eq!(
            text(&plan),
            "replay is on: after a lost worker its cells are run again at once\nthere is nothing to replay"
        );
        plan.policy = Policy::Off;
        (plan.cells, plan.time) = (3, Duration::from_millis(1200));
        (plan.marked, plan.lost) = (vec![2, 5], vec!["a".to_owned()]);
        let text = text(&plan);
        assert!(
            text.contains("it would run 3 cells, which took 1.2 s\nmarked not to be replayed: cell 2, 5")
        );
        assert!(text.ends_with("`:replay now` tries to bring back: a"));
    }
}

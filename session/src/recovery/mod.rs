//! Recovery: what a lost worker cost, and bringing it back.
//!
//! A worker's variables die with it. The cells that made them are still there
//! as shared objects, so a new worker runs them again, in order and without
//! compiling anything: a *replay*. The [`Journal`] holds what that takes. A
//! cell that had failed and left no variables is loaded only, because later
//! cells refer to the statics that it defines. What `:cd` and `:env` have changed is changed
//! again at its place.
//!
//! ```text
//! worker lost ──▶ new worker ──▶ entry by entry: run it, or load it ──▶ which variables are back?
//!                     ▲                   │ it ends the worker as well
//!                     └── without it ◀────┘ (a few times)
//! ```
//!
//! What a replay does not run leaves its mark: the variables that the cell
//! made are missing, and so are those that cells made of them; the variables
//! that it may have changed come back as they were before it, which is said.
//! Nothing comes back silently as something else.

mod journal;
mod mark;
mod player;
mod quiet;
mod report;

pub(crate) use journal::{Entry, Forgotten, How, Journal, MARKED, Recorded, result_name};
pub(crate) use mark::is_marked;
pub(crate) use player::{Crash, Player, Replayed};
pub(crate) use quiet::Quiet;
pub(crate) use report::{Summary, list, seconds};

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Whether the cells of a lost worker are replayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// At once.
    #[default]
    On,
    /// If the front end's user says yes.
    Ask,
    /// Only when it is requested: `:replay now`.
    Off,
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Policy::On => "on",
            Policy::Ask => "ask",
            Policy::Off => "off",
        })
    }
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Policy, String> {
        match text {
            "on" => Ok(Policy::On),
            "ask" => Ok(Policy::Ask),
            "off" => Ok(Policy::Off),
            _ => Err(format!("`{text}` is not a replay policy; the policies are `on`, `ask` and `off`")),
        }
    }
}

/// What a replay would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayPlan {
    /// When it would be done.
    pub policy: Policy,
    /// How many cells it would run.
    pub cells: usize,
    /// How long these have run.
    pub time: Duration,
    /// Cells that are marked not to be replayed.
    pub marked: Vec<u64>,
    /// Variables that are lost, and that a replay now may bring back.
    pub lost: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_reads_as_it_is_written() {
        for policy in [Policy::On, Policy::Ask, Policy::Off] {
            assert_eq!(policy.to_string().parse(), Ok(policy));
        }
        assert!("maybe".parse::<Policy>().unwrap_err().contains("`on`, `ask` and `off`"));
    }
}

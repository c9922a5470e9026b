//! Waiting for other ranks.

use std::time::{Duration, Instant};

use gpurepl_board::{Board, GivenUp, Seen};

use super::function::Function;
use super::own::{Own, refused};
use super::stuck::Standstill;
use super::{membership, stuck, timeout};
use crate::error::{Problem, Result};
use crate::interrupt;

/// What a rank waits for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Until {
    /// All ranks have taken a step.
    All(u64),
    /// A rank that sends to this one has taken a step.
    Sent(usize, u64),
    /// A rank that receives from this one has taken a step.
    Received(usize, u64),
}

/// Whether a wait may be left before all have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    /// By an interrupt, and when it has lasted too long.
    Yes,
    /// Only if another rank has given up: the others may already act upon this one's coming.
    No,
}

/// Looks at the board so often before another process gets the core, and so often with that before it sleeps.
const SPINS: u32 = 200;
const YIELDS: u32 = 100;
const NAPS: [Duration; 3] = [Duration::from_micros(20), Duration::from_micros(100), Duration::from_millis(1)];

/// How long the naps stay short: a step that goes by way of other machines takes some of them.
const SHORT: Duration = Duration::from_millis(10);

/// How long a rank that waits in vain looks at those that still go on.
const GRACE: Duration = Duration::from_millis(200);

impl Until {
    fn is_reached(self, board: &Board, order: u64) -> bool {
        let this = membership().rank;
        match self {
            Until::All(step) => board.have_all(order, step),
            Until::Sent(peer, count) => board.sent(peer, this, order) >= count,
            Until::Received(peer, count) => board.received(peer, this, order) >= count,
        }
    }

    /// The ranks that have not come.
    fn missing(self, board: &Board, order: u64) -> Vec<usize> {
        match self {
            Until::All(step) => (0..board.ranks()).filter(|rank| board.step(*rank, order) < step).collect(),
            Until::Sent(peer, _) | Until::Received(peer, _) => vec![peer],
        }
    }
}

/// Waits; on an error this rank has given up.
pub(super) fn wait(
    own: &mut Own,
    board: &Board,
    function: Function,
    until: Until,
    leave: Leave,
) -> Result<()> {
    let operation = function.name();
    let spins = if cores() < board.ranks() { 0 } else { SPINS };
    let (mut turn, mut nap, mut start, mut stood) = (0, NAPS[0], None, None);
    while !until.is_reached(board, own.order) {
        turn += 1;
        if turn <= spins {
            std::hint::spin_loop();
            continue;
        }
        if turn <= spins + YIELDS {
            std::thread::yield_now();
            continue;
        }
        let start = *start.get_or_insert_with(Instant::now);
        if leave == Leave::Yes
            && let Err(error) = interrupt::check()
        {
            own.give_up(GivenUp::Interrupted, operation);
            return Err(error);
        }
        if let Some(seen) = board.look(own.order)
            && let Some(standstill) = stuck::standstill(&seen, own.order, membership().rank, until)
        {
            // It may have come about after the last look at what is waited for.
            if until.is_reached(board, own.order) {
                return Ok(());
            }
            // The others may be about to end as well, and are to be named with it.
            let stood = *stood.get_or_insert_with(Instant::now);
            if standstill.is_whole || stood.elapsed() >= GRACE {
                return Err(stand(own, board, function, &seen, standstill));
            }
        }
        if leave == Leave::Yes && start.elapsed() >= timeout() {
            let missing = until.missing(board, own.order);
            if missing.is_empty() {
                continue;
            }
            own.give_up(GivenUp::TimedOut, operation);
            let message = format!(
                "{} not come within {:?}; call it on all ranks, or allow more time by `distributed::set_timeout`",
                stuck::have(&missing),
                timeout()
            );
            return Err(refused(operation, message));
        }
        std::thread::sleep(nap);
        nap = (nap * 2).min(if start.elapsed() < SHORT { NAPS[1] } else { NAPS[2] });
    }
    Ok(())
}

/// The error of a rank whose wait has no end.
fn stand(
    own: &mut Own,
    board: &Board,
    function: Function,
    seen: &[Seen],
    standstill: Standstill,
) -> crate::Error {
    let operation = function.name();
    if standstill.is_interrupted {
        // The interrupt was for all ranks, and has come to another one first.
        own.give_up(GivenUp::Interrupted, operation);
        return Problem::Interrupted.into();
    }
    own.give_up(GivenUp::Stuck, operation);
    let name = |rank: usize| Function::of_number(board.function(rank)).map_or("a function", Function::name);
    refused(operation, stuck::message(&standstill, seen, membership().rank, operation, &name))
}

fn cores() -> usize {
    static CORES: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

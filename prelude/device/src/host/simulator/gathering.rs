//! Where the blocks of a grid wait for each other.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How often a block that waits looks whether the launch is to stop.
const PERIOD: Duration = Duration::from_millis(5);

/// The barrier of a grid, all of whose blocks run at once.
pub(super) struct Gathering {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    blocks: usize,
    arrived: usize,
    has_ended: bool,
    /// How often all have met.
    round: u64,
    /// The latest time between blocks of those who have arrived.
    clock: u32,
    /// That of the last meeting.
    met: u32,
}

/// Why a block does not come out of the barrier.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Missed {
    /// The launch is to stop.
    Stopped,
    /// Another block has ended, so that they never all meet.
    Ended,
}

impl Gathering {
    pub(super) fn new(blocks: usize) -> Gathering {
        let state = State { blocks, arrived: 0, has_ended: false, round: 0, clock: 0, met: 0 };
        Gathering { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits until a thread of each block has called this; what is then later
    /// than all that any of them has done before.
    pub(super) fn meet(&self, clock: u32, is_stopped: impl Fn() -> bool) -> Result<u32, Missed> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.arrived += 1;
        state.clock = state.clock.max(clock);
        if state.arrived == state.blocks {
            state.arrived = 0;
            state.round += 1;
            state.met = state.clock.saturating_add(1);
            self.changed.notify_all();
            return Ok(state.met);
        }
        let round = state.round;
        while state.round == round {
            if state.has_ended {
                return Err(Missed::Ended);
            }
            if is_stopped() {
                return Err(Missed::Stopped);
            }
            let waited = self.changed.wait_timeout(state, PERIOD);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(state.met)
    }

    /// A block has ended.
    pub(super) fn leave(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).has_ended = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_come_out_at_one_time() {
        let gathering = Gathering::new(8);
        let met = std::thread::scope(|scope| {
            let meets = |k: u32| {
                let gathering = &gathering;
                move || {
                    let first = gathering.meet(k, || false).unwrap();
                    [first, gathering.meet(first + k, || false).unwrap()]
                }
            };
            let all: Vec<_> = (0..8).map(|k| scope.spawn(meets(k))).collect();
            all.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(met, [[8, 16]; 8]);
    }

    #[test]
    fn nobody_waits_for_ever() {
        let gathering = Gathering::new(2);
        assert_eq!(gathering.meet(0, || true), Err(Missed::Stopped));
        let gathering = Gathering::new(2);
        gathering.leave();
        assert_eq!(gathering.meet(0, || false), Err(Missed::Ended));
    }
}

//! What the threads of a warp do together: shuffles, votes, matches,
//! reductions.

use super::block::{Fiber, latest};
use super::contract::Clock;

/// An operation, numbered as in `shim/threads.hpp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Sync,
    Shuffle,
    ShuffleUp,
    ShuffleDown,
    ShuffleXor,
    Any,
    All,
    Ballot,
    MatchAny,
    MatchAll,
    Add,
    MinUnsigned,
    MinSigned,
    MaxUnsigned,
    MaxSigned,
    And,
    Or,
    Xor,
    ActiveMask,
}

const OPERATIONS: [(Operation, &str); 19] = [
    (Operation::Sync, "__syncwarp"),
    (Operation::Shuffle, "__shfl_sync"),
    (Operation::ShuffleUp, "__shfl_up_sync"),
    (Operation::ShuffleDown, "__shfl_down_sync"),
    (Operation::ShuffleXor, "__shfl_xor_sync"),
    (Operation::Any, "__any_sync"),
    (Operation::All, "__all_sync"),
    (Operation::Ballot, "__ballot_sync"),
    (Operation::MatchAny, "__match_any_sync"),
    (Operation::MatchAll, "__match_all_sync"),
    (Operation::Add, "__reduce_add_sync"),
    (Operation::MinUnsigned, "__reduce_min_sync"),
    (Operation::MinSigned, "__reduce_min_sync"),
    (Operation::MaxUnsigned, "__reduce_max_sync"),
    (Operation::MaxSigned, "__reduce_max_sync"),
    (Operation::And, "__reduce_and_sync"),
    (Operation::Or, "__reduce_or_sync"),
    (Operation::Xor, "__reduce_xor_sync"),
    (Operation::ActiveMask, "__activemask"),
];

impl Operation {
    pub(super) fn from_number(number: i32) -> Option<Operation> {
        OPERATIONS.get(usize::try_from(number).ok()?).map(|(operation, _)| *operation)
    }

    pub(super) fn name(self) -> &'static str {
        OPERATIONS[self as usize].1
    }
}

/// A thread at an operation.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    pub(super) fiber: Fiber,
    pub(super) operation: Operation,
    pub(super) mask: u32,
    pub(super) value: u64,
    /// The lane, the distance or the mask of a shuffle.
    pub(super) argument: i32,
    pub(super) width: i32,
    pub(super) line: i32,
    pub(super) clock: Clock,
}

/// Lanes that are at one operation with one mask.
pub(super) struct Meeting {
    operation: Operation,
    mask: u32,
    arrived: u32,
    line: i32,
    /// Of threads that ask who is active: the place in the machine code.
    place: u64,
    fibers: [Fiber; 32],
    values: [u64; 32],
    arguments: [(i32, i32); 32],
    /// The latest of those who have arrived.
    clock: Clock,
}

/// The lanes of a warp.
#[derive(Default)]
pub(super) struct Warp {
    /// Lanes that have ended, or never were.
    ended: u32,
    meetings: Vec<Meeting>,
}

impl Warp {
    pub(super) fn start(&mut self, lanes: u32) {
        self.ended = if lanes < 32 { u32::MAX << lanes } else { 0 };
        self.meetings.clear();
    }

    pub(super) fn lane_ended(&mut self, lane: u32) {
        self.ended |= 1 << lane;
    }

    pub(super) fn arrive(&mut self, lane: u32, arrival: Arrival) {
        let bit = 1u32 << lane;
        let is_active = arrival.operation == Operation::ActiveMask;
        let same = |meeting: &Meeting| {
            meeting.operation == arrival.operation
                && meeting.mask == arrival.mask
                && meeting.arrived & bit == 0
                // Who asks at one place is active together.
                && (!is_active || meeting.place == arrival.value)
        };
        let place = self.meetings.iter().position(same).unwrap_or_else(|| {
            self.meetings.push(Meeting {
                operation: arrival.operation,
                mask: arrival.mask,
                arrived: 0,
                line: arrival.line,
                place: arrival.value,
                fibers: [0; 32],
                values: [0; 32],
                arguments: [(0, 32); 32],
                clock: [0; 2],
            });
            self.meetings.len() - 1
        });
        let meeting = &mut self.meetings[place];
        meeting.arrived |= bit;
        let lane = lane as usize;
        meeting.fibers[lane] = arrival.fiber;
        meeting.values[lane] = arrival.value;
        meeting.arguments[lane] = (arrival.argument, arrival.width);
        meeting.clock = latest(meeting.clock, arrival.clock);
    }

    /// A meeting for which nobody is missing.
    pub(super) fn complete(&mut self) -> Option<Meeting> {
        let place = self.meetings.iter().position(|meeting| {
            meeting.operation != Operation::ActiveMask && meeting.mask & !self.ended & !meeting.arrived == 0
        })?;
        Some(self.meetings.swap_remove(place))
    }

    /// Tells those who ask which lanes are active: the ones that ask at the
    /// same place, once nobody else can run.
    pub(super) fn settle_active(&mut self) -> Option<(Meeting, u32)> {
        let place = self.meetings.iter().position(|meeting| meeting.operation == Operation::ActiveMask)?;
        let meeting = self.meetings.swap_remove(place);
        let arrived = meeting.arrived;
        Some((meeting, arrived))
    }

    /// Whether a thread asks which ones are active.
    pub(super) fn is_asked(&self) -> bool {
        self.meetings.iter().any(|meeting| meeting.operation == Operation::ActiveMask)
    }

    pub(super) fn waiting(&self, mut add: impl FnMut(i32, &'static str, u32)) {
        for meeting in &self.meetings {
            for (lane, _) in meeting.lanes() {
                add(meeting.line, meeting.operation.name(), lane);
            }
        }
    }
}

impl Meeting {
    /// When its lanes continue: after all that any of them has done before.
    pub(super) fn after(&self) -> Clock {
        [self.clock[0].saturating_add(1), self.clock[1]]
    }

    pub(super) fn lanes(&self) -> Vec<(u32, Fiber)> {
        let there = (0..32).filter(|lane| self.arrived & 1 << lane != 0);
        there.map(|lane| (lane, self.fibers[lane as usize])).collect()
    }

    /// What each lane gets.
    ///
    /// A shuffle from a lane that is not there gives 0. CUDA leaves the answer
    /// undefined, and a GPU gives 0 (measured on an H100, for lanes in another
    /// branch, lanes that have ended and lanes that the block does not have).
    /// Programs rely on it, NVIDIA's reductions among them.
    pub(super) fn results(&self) -> [u64; 32] {
        let is_there = |lane: usize| self.arrived & 1 << lane != 0;
        let values = || (0..32).filter(|lane| is_there(*lane)).map(|lane| self.values[lane]);
        let mut results = [0; 32];
        let holds = || {
            (0..32)
                .filter(|lane| is_there(*lane) && self.values[*lane] != 0)
                .fold(0u32, |mask, lane| mask | 1 << lane)
        };
        let for_all = match self.operation {
            Operation::Shuffle | Operation::ShuffleUp | Operation::ShuffleDown | Operation::ShuffleXor => {
                for lane in (0..32).filter(|lane| is_there(*lane)) {
                    let from = self.source(lane);
                    results[lane] = if is_there(from) { self.values[from] } else { 0 };
                }
                return results;
            }
            Operation::MatchAny => {
                for lane in (0..32).filter(|lane| is_there(*lane)) {
                    let equal =
                        (0..32).filter(|other| is_there(*other) && self.values[*other] == self.values[lane]);
                    results[lane] = u64::from(equal.fold(0u32, |mask, lane| mask | 1 << lane));
                }
                return results;
            }
            Operation::Sync | Operation::ActiveMask => 0,
            Operation::Any => u64::from(holds() != 0),
            Operation::All => u64::from(holds() == self.arrived),
            Operation::Ballot => u64::from(holds()),
            Operation::MatchAll => {
                let mut all = values();
                let first = all.next();
                if all.all(|value| Some(value) == first) { u64::from(self.arrived) } else { 0 }
            }
            Operation::Add => u64::from(values().fold(0u32, |sum, value| sum.wrapping_add(value as u32))),
            Operation::MinUnsigned => u64::from(values().map(|value| value as u32).min().unwrap_or(0)),
            Operation::MaxUnsigned => u64::from(values().map(|value| value as u32).max().unwrap_or(0)),
            Operation::MinSigned => values().map(|value| value as i32).min().unwrap_or(0) as u64,
            Operation::MaxSigned => values().map(|value| value as i32).max().unwrap_or(0) as u64,
            Operation::And => values().fold(u64::MAX, |all, value| all & value),
            Operation::Or => values().fold(0, |all, value| all | value),
            Operation::Xor => values().fold(0, |all, value| all ^ value),
        };
        [for_all; 32]
    }

    /// The lane that a shuffle takes its value from: the PTX ISA's `shfl.sync`.
    fn source(&self, lane: usize) -> usize {
        let (argument, width) = self.arguments[lane];
        let width =
            if (1..=32).contains(&width) && (width as u32).is_power_of_two() { width as usize } else { 32 };
        let start = lane & !(width - 1);
        let argument_lane = argument as usize & 31;
        let from = match self.operation {
            Operation::Shuffle => start + (argument_lane & (width - 1)),
            Operation::ShuffleUp => match lane.checked_sub(argument.max(0) as usize) {
                Some(from) if from >= start => from,
                _ => lane,
            },
            Operation::ShuffleDown => lane.saturating_add(argument.max(0) as usize),
            _ => lane ^ argument_lane,
        };
        // From beyond the group a lane gets its own; a xor may go to an
        // earlier group.
        if from >= start + width { lane } else { from }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(
        operation: Operation,
        mask: u32,
        argument: i32,
        width: i32,
        value: impl Fn(u32) -> u64,
    ) -> [u64; 32] {
        let mut warp = Warp::default();
        warp.start(32);
        for lane in (0..32).filter(|lane| mask & 1 << lane != 0) {
            assert!(warp.complete().is_none());
            let value = value(lane);
            warp.arrive(
                lane,
                Arrival {
                    fiber: lane as u16,
                    operation,
                    mask,
                    value,
                    argument,
                    width,
                    line: 1,
                    clock: [0; 2],
                },
            );
        }
        warp.complete().unwrap().results()
    }

    #[test]
    fn shuffles_stay_within_their_width() {
        let all = u32::MAX;
        let lane = u64::from;
        assert_eq!(results(Operation::Shuffle, all, 3, 8, lane)[13], 11);
        assert_eq!(results(Operation::ShuffleUp, all, 2, 8, lane)[8..12], [8, 9, 8, 9]);
        assert_eq!(results(Operation::ShuffleDown, all, 2, 8, lane)[12..16], [14, 15, 14, 15]);
        assert_eq!(results(Operation::ShuffleXor, all, 1, 32, lane)[4..6], [5, 4]);
        assert_eq!(results(Operation::ShuffleDown, all, 16, 32, lane)[20], 20);
    }

    #[test]
    fn a_shuffle_from_an_absent_lane_gave_the_lanes_own_value() {
        let value = |lane| 100 + u64::from(lane);
        assert_eq!(results(Operation::ShuffleDown, 0xf, 16, 32, value)[..4], [0; 4]);
        assert_eq!(results(Operation::ShuffleDown, 0xf, 2, 32, value)[..4], [102, 103, 0, 0]);
        assert_eq!(results(Operation::ShuffleXor, 0xf, 16, 32, value)[..4], [0; 4]);
        assert_eq!(results(Operation::Shuffle, 0xf, 9, 32, value)[..4], [0; 4]);
        // From beyond the warp: its own.
        assert_eq!(results(Operation::ShuffleDown, 0xf, 30, 32, value)[..4], [0, 0, 102, 103]);
        assert_eq!(results(Operation::ShuffleUp, 0xf, 1, 32, value)[..4], [100, 100, 101, 102]);
    }

    #[test]
    fn votes_and_reductions_count_who_is_there() {
        let odd = 0xaaaa_aaaa;
        assert_eq!(results(Operation::Ballot, odd, 0, 32, |lane| u64::from(lane < 4))[1], 0b1010);
        assert_eq!(results(Operation::All, odd, 0, 32, |lane| u64::from(lane % 2 == 1))[1], 1);
        assert_eq!(results(Operation::Add, odd, 0, 32, u64::from)[3], 256);
        let signed = |lane: u32| (lane as i64 - 10) as u64;
        assert_eq!(results(Operation::MinSigned, odd, 0, 32, signed)[3] as i32, -9);
        assert_eq!(results(Operation::MatchAny, odd, 0, 32, |lane| u64::from(lane / 8))[9], 0xaa00);
        assert_eq!(results(Operation::MatchAll, odd, 0, 32, |_| 7)[9], u64::from(odd));
    }
}

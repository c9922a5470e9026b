//! What a rank says of itself, in one word.

/// Numbers of orders are kept as far as these bits go.
pub const ORDERS: u64 = (1 << ORDER_BITS) - 1;
const ORDER_BITS: u32 = 24;
const VERSION_BITS: u32 = 24;
const PEER_BITS: u32 = 10;

/// What a rank does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It computes, or moves elements that others have agreed to.
    Idle,
    /// It has ended its order.
    Ended,
    /// It waits until all ranks call the function that it has posted.
    Meeting,
    /// It waits until the peer receives what it has posted.
    Sending,
    /// It waits until the peer sends.
    Receiving,
}

/// Why a rank takes part in nothing more in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenUp {
    /// What it waited for cannot happen.
    Stuck,
    /// The user has interrupted it.
    Interrupted,
    /// It has waited for as long as it may.
    TimedOut,
    /// It could not do its part.
    Failed,
}

impl GivenUp {
    /// What it has done, after "rank 2 has".
    pub fn words(self) -> &'static str {
        match self {
            GivenUp::Stuck => "waited in vain",
            GivenUp::Interrupted => "been interrupted",
            GivenUp::TimedOut => "given up waiting",
            GivenUp::Failed => "failed",
        }
    }
}

const ACTIVITIES: [Activity; 5] =
    [Activity::Idle, Activity::Ended, Activity::Meeting, Activity::Sending, Activity::Receiving];
const REASONS: [Option<GivenUp>; 5] =
    [None, Some(GivenUp::Stuck), Some(GivenUp::Interrupted), Some(GivenUp::TimedOut), Some(GivenUp::Failed)];

/// The state of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The order that it works on, modulo [`ORDERS`] + 1.
    pub order: u64,
    /// What it does.
    pub activity: Activity,
    /// Why it takes part in nothing more, if it does not.
    pub given_up: Option<GivenUp>,
    /// The rank that it waits for, where that is one.
    pub peer: usize,
    /// Another one at each change within an order: two looks that are equal have seen one state.
    pub version: u64,
}

impl State {
    pub(crate) fn pack(self) -> u64 {
        let activity = ACTIVITIES.iter().position(|activity| *activity == self.activity).unwrap_or(0) as u64;
        let reason = REASONS.iter().position(|reason| *reason == self.given_up).unwrap_or(0) as u64;
        let version = self.version & ((1 << VERSION_BITS) - 1);
        let peer = self.peer as u64 & ((1 << PEER_BITS) - 1);
        ((((self.order & ORDERS) << 3 | activity) << 3 | reason) << PEER_BITS | peer) << VERSION_BITS
            | version
    }

    pub(crate) fn unpack(word: u64) -> State {
        let (version, rest) = (word & ((1 << VERSION_BITS) - 1), word >> VERSION_BITS);
        let (peer, rest) = (rest & ((1 << PEER_BITS) - 1), rest >> PEER_BITS);
        let (reason, rest) = (rest & 7, rest >> 3);
        State {
            order: rest >> 3,
            activity: ACTIVITIES.get((rest & 7) as usize).copied().unwrap_or(Activity::Idle),
            given_up: REASONS.get(reason as usize).copied().flatten(),
            peer: peer as usize,
            version,
        }
    }

    /// Where the rank is as seen from an order.
    pub fn within(self, order: u64) -> When {
        match self.order.wrapping_sub(order) & ORDERS {
            0 => When::Now,
            distance if distance <= ORDERS / 2 => When::After,
            _ => When::Before,
        }
    }
}

/// Whether a rank has begun an order, or works on a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// It has not begun it.
    Before,
    /// It works on it, or has ended it and begun no other.
    Now,
    /// It works on a later one.
    After,
}

/// A count within an order, in one word.
pub(crate) fn counted(order: u64, count: u64) -> u64 {
    debug_assert!(count >> (64 - ORDER_BITS) == 0);
    order << (64 - ORDER_BITS) | count
}

/// The count that a word has within an order; none if it is of another one.
pub(crate) fn count_in(word: u64, order: u64) -> u64 {
    if word >> (64 - ORDER_BITS) == order { word & ((1 << (64 - ORDER_BITS)) - 1) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_a_word() {
        for activity in ACTIVITIES {
            for given_up in REASONS {
                for (order, peer, version) in
                    [(0, 0, 0), (1, 3, 1), (ORDERS, 1023, 0xff_ffff), (77, 512, 1234)]
                {
                    let state = State { order, activity, given_up, peer, version };
                    assert_eq!(State::unpack(state.pack()), state);
                }
            }
        }
        assert_eq!(State::unpack(0).activity, Activity::Idle, "what nobody has written yet");
    }

    #[test]
    fn orders_go_on_past_their_bits() {
        let at = |order| State { order, ..State::unpack(0) };
        assert_eq!(at(5).within(5), When::Now);
        assert_eq!(at(4).within(5), When::Before);
        assert_eq!(at(6).within(5), When::After);
        assert_eq!(at(ORDERS).within(0), When::Before);
        assert_eq!(at(0).within(ORDERS), When::After);
    }

    #[test]
    fn counts_of_another_order_are_none() {
        let word = counted(ORDERS, 1 << 39);
        assert_eq!(count_in(word, ORDERS), 1 << 39);
        assert_eq!(count_in(word, 3), 0);
        assert_eq!(count_in(0, 3), 0);
        assert_eq!(count_in(counted(3, 9), 3), 9);
    }
}

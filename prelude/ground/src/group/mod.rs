//! The processes that run one session's cells together, as their ranks: who there is, and how they wait for each other.
//!
//! A session with several workers gives each of them its rank, and those of a machine a folder in which they share
//! memory ([`gpurepl_board`]). On the board each rank says what order it works on, what it waits for, and how far it
//! is. Whoever waits reads what the others say, and so knows that a rank will not come: it has ended its order, it has
//! given up, or it waits itself for something that cannot happen. What a rank writes carries the number of its order,
//! so that what an order has left behind means nothing in the next. Where there are several machines, the session
//! brings what is written on one of them to the others.
//!
//! [`Collective`] is a function that all ranks call, [`Pair`] one that two ranks call. Both begin with a description
//! that each side posts and the others read; what differences mean is the caller's business. Elements then go by way of
//! the staging.

mod collective;
mod function;
mod membership;
mod own;
mod pair;
mod staging;
mod stuck;
mod wait;

pub use collective::{Collective, Unit};
pub use function::Function;
pub use gpurepl_board::{MOST, POST, Post};
pub use pair::Pair;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use membership::Membership;

/// The rank of this process among those that run the session's cells: 0 to [`ranks`] - 1; 0 where there is one.
///
/// ```
/// use gpurepl_prelude::*;
/// if rank() == 0 {
///     println!("there are {} ranks", ranks());
/// }
/// assert!(rank() < ranks());
/// ```
///
/// In a session with several workers each of them has a rank of its own. Ranks that `mpiexec` has started are known
/// too.
pub fn rank() -> usize {
    membership().rank
}

/// How many processes run the session's cells together: 1 in an ordinary session.
///
/// ```
/// use gpurepl_prelude::*;
/// // The rows that are this rank's.
/// let rows = (0..100).skip(rank()).step_by(ranks());
/// assert!(rows.count() >= 100 / ranks());
/// ```
pub fn ranks() -> usize {
    membership().ranks
}

fn membership() -> &'static Membership {
    static MEMBERSHIP: OnceLock<Membership> = OnceLock::new();
    MEMBERSHIP.get_or_init(|| Membership::read(&|name| std::env::var_os(name)))
}

/// Why this process is taken for one rank though its environment speaks of more.
pub fn problem() -> Option<&'static str> {
    membership().problem.as_deref()
}

/// How long a rank waits for others, in milliseconds.
static LIMIT: AtomicU64 = AtomicU64::new(600_000);

/// Sets how long a rank waits for the others before it is an error; 600 s at the beginning.
pub fn set_timeout(limit: Duration) {
    LIMIT.store(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

/// How long a rank waits for the others before it is an error.
pub fn timeout() -> Duration {
    Duration::from_millis(LIMIT.load(Ordering::Relaxed))
}

/// Begins an order: whatever the one before has left means nothing from now on. The thread that calls this is the one
/// that calls collectives.
pub fn begin(order: u64) {
    if ranks() > 1 {
        own::begin(order);
    }
}

/// Ends an order: ranks that wait for this one learn that it does not come.
pub fn end(order: u64) {
    if ranks() > 1 {
        own::end(order);
    }
}

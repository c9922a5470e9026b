//! Work shared between the cores of this machine.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::error::{Problem, Result};

/// Runs `work` over all of `0..count` in ranges of at most `step`, on all
/// cores if there are several ranges. Ranges start in increasing order.
///
/// # Errors
///
/// [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted), if the user
/// interrupts; ranges that have not started are left out then.
pub(crate) fn ranges(count: usize, step: usize, work: impl Fn(Range<usize>) + Sync) -> Result<()> {
    shared(count, step, &work)
}

/// Compiled once: there are hundreds of loops, and each with threads of its own would be a fifth of this crate.
fn shared(count: usize, step: usize, work: &(dyn Fn(Range<usize>) + Sync)) -> Result<()> {
    let next = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    let steps = count.div_ceil(step);
    // What unwinds because of an interrupt is not stopped by it again.
    let heeds = !std::thread::panicking();
    let worker = || {
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            if k >= steps {
                return;
            }
            if heeds && crate::interrupt::was_asked() {
                stopped.store(true, Ordering::Relaxed);
                return;
            }
            work(k * step..((k + 1) * step).min(count));
        }
    };
    let helpers = rayon_core::current_num_threads().min(steps).saturating_sub(1);
    if helpers == 0 {
        worker();
    } else {
        rayon_core::in_place_scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|_| worker());
            }
            worker();
        });
    }
    if stopped.into_inner() { Err(Problem::Interrupted.into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn every_range_comes_once() {
        let _undisturbed = crate::interrupt::exclusive::undisturbed();
        for (count, step) in [(0, 5), (1, 5), (10, 3), (1000, 7)] {
            let seen = Mutex::new(vec![0; count]);
            ranges(count, step, |range| {
                for k in range {
                    seen.lock().unwrap()[k] += 1;
                }
            })
            .unwrap();
            assert!(seen.into_inner().unwrap().iter().all(|times| *times == 1));
        }
    }
}

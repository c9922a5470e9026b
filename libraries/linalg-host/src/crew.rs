//! Threads that stay awake for a row of short steps.
//!
//! A reduction of a matrix column by column has thousands of steps of some ten
//! microseconds, with work for one thread between them. Waking a thread of a
//! pool takes as long as such a step, so helpers wait by looking again and
//! again until all steps are done.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Looks before a waiting thread lets others have its core.
const LOOKS: usize = 2000;

/// Bits of a count of parts in [`Crew::state`].
const BITS: u32 = 24;

/// The steps of one reduction.
#[derive(Default)]
struct Crew {
    /// The number of the step, of its parts, and of the part to be taken next: one word, so that whoever takes a part
    /// knows that it is one of this step.
    state: AtomicU64,
    /// The parts of this step that are done.
    done: AtomicUsize,
    has_ended: AtomicBool,
}

/// Counts a part as done, also where its work panics: others wait for it.
struct Part<'a>(&'a AtomicUsize);

impl Drop for Part<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

/// Lets the helpers go, also where the main thread panics.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Runs `main`, which is given a function that does one step of so many parts: each part is done once by `help`, called
/// with its number, on this thread or on one of `helpers` threads of rayon's. All that this thread has written is seen by
/// the others, and what they write is seen after the step. If no thread of the pool is free, this one does all parts.
pub fn with_helpers<R>(
    helpers: usize,
    help: impl Fn(usize) + Sync,
    main: impl FnOnce(&dyn Fn(usize)) -> R,
) -> R {
    let crew = Crew::default();
    let step = |parts| crew.step(parts, &help);
    if helpers == 0 {
        return main(&step);
    }
    rayon::in_place_scope(|scope| {
        for _ in 0..helpers {
            scope.spawn(|_| crew.attend(&help));
        }
        let _end = End(&crew.has_ended);
        main(&step)
    })
}

impl Crew {
    fn step(&self, parts: usize, work: &impl Fn(usize)) {
        let number = (self.state.load(Ordering::Relaxed) >> (2 * BITS)) + 1;
        self.done.store(0, Ordering::Relaxed);
        self.state.store(number << (2 * BITS) | (parts as u64) << BITS, Ordering::Release);
        self.take(work);
        wait(|| self.done.load(Ordering::Acquire) >= parts);
    }

    /// Takes parts until all of this step are taken; the state then.
    fn take(&self, work: &impl Fn(usize)) -> u64 {
        const MASK: u64 = (1 << BITS) - 1;
        let mut state = self.state.load(Ordering::Acquire);
        while state & MASK < (state >> BITS) & MASK {
            match self.state.compare_exchange_weak(state, state + 1, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => {
                    let _part = Part(&self.done);
                    work((state & MASK) as usize);
                }
                Err(_) => spin_loop(),
            }
            state = self.state.load(Ordering::Acquire);
        }
        state
    }

    /// What a helper does until the end.
    fn attend(&self, work: &impl Fn(usize)) {
        let mut seen = 0;
        while !self.has_ended.load(Ordering::Acquire) {
            wait(|| self.state.load(Ordering::Relaxed) != seen || self.has_ended.load(Ordering::Relaxed));
            seen = self.take(work);
        }
    }
}

/// Waits for something that another thread is about to do.
fn wait(mut has_come: impl FnMut() -> bool) {
    let mut looks = 0;
    while !has_come() {
        looks += 1;
        if looks < LOOKS { spin_loop() } else { std::thread::yield_now() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_every_step_is_done_once_and_in_order() {
        for helpers in [0, 1, 3] {
            let (sums, number) = ([const { AtomicUsize::new(0) }; 7], AtomicUsize::new(0));
            let work = |part: usize| {
                // As many times as there were steps before this one.
                assert_eq!(sums[part].fetch_add(1, Ordering::Relaxed), number.load(Ordering::Relaxed) - 1);
            };
            with_helpers(helpers, work, |step| {
                for _ in 0..1000 {
                    number.fetch_add(1, Ordering::Relaxed);
                    step(7);
                }
                // There is none to be done.
                step(0);
            });
            assert!(sums.iter().all(|sum| sum.load(Ordering::Relaxed) == 1000));
        }
    }

    #[test]
    fn a_panic_in_a_part_ends_the_steps() {
        let ended = std::panic::catch_unwind(|| {
            with_helpers(1, |_| panic!("a part"), |step| step(2));
        });
        assert!(ended.is_err());
    }
}

//! Work that is shared out over the cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// With fewer elements, waking other threads takes as long as the work.
const SMALL: usize = 1 << 13;

/// The threads that may work.
pub(crate) fn threads() -> usize {
    rayon::current_num_threads()
}

/// How many of `count` things of `size` elements one task gets: about `elements` elements, but some tasks for
/// each thread, for these do not begin at once.
pub(crate) fn share(count: usize, size: usize, elements: usize) -> usize {
    (elements / size.max(1)).min(count.div_ceil(4 * threads())).max(1)
}

/// Does something for each number below `count`, which are `elements` elements together. Each thread makes
/// what it works in by `new`, once.
pub(crate) fn each<S>(
    count: usize,
    elements: usize,
    new: impl Fn() -> S + Sync,
    act: impl Fn(&mut S, usize) + Sync,
) {
    let next = AtomicUsize::new(0);
    // The numbers alone are shared by it; the end of rayon's loop is what orders the work before what
    // follows.
    let next = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < count);
    work(count, elements, next, new, act);
}

/// Does something for each run of `size` elements, the last of which may be shorter.
pub(crate) fn each_run<T: Send, S>(
    elements: &mut [T],
    size: usize,
    new: impl Fn() -> S + Sync,
    act: impl Fn(&mut S, usize, &mut [T]) + Sync,
) {
    let (length, count) = (elements.len(), elements.len().div_ceil(size));
    let runs = Mutex::new(elements.chunks_mut(size).enumerate());
    let next = || runs.lock().unwrap_or_else(PoisonError::into_inner).next();
    work(count, length, next, new, |own, (index, run)| act(own, index, run));
}

/// Threads take one task after another, until there is none. (By rayon's own division of the tasks, what they
/// work in would be made for each part of it.)
fn work<S, I>(
    count: usize,
    elements: usize,
    next: impl Fn() -> Option<I> + Sync,
    new: impl Fn() -> S + Sync,
    act: impl Fn(&mut S, I) + Sync,
) {
    let run = |_| {
        let Some(first) = next() else { return };
        let mut own = new();
        act(&mut own, first);
        while let Some(index) = next() {
            act(&mut own, index);
        }
    };
    let workers = if elements < SMALL { 1 } else { count.min(threads()) };
    match workers {
        0 | 1 => run(0),
        _ => (0..workers).into_par_iter().with_max_len(1).for_each(run),
    }
}

/// Does something for each pair of a run from the front of one slice and a run from the back of another one
/// of the same length.
pub(crate) fn each_mirrored<T: Send>(
    front: &mut [T],
    back: &mut [T],
    size: usize,
    act: impl Fn(usize, &mut [T], &mut [T]) + Sync,
) {
    let runs = front.par_chunks_mut(size).zip(back.par_rchunks_mut(size)).enumerate();
    runs.for_each(|(index, (front, back))| act(index, front, back));
}

//! Work of the host's halves on all cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows, or elements, with less work than this are not worth a thread.
const LITTLE: usize = 1 << 14;

/// Runs tasks on all cores; the first is started first.
fn all<T: Send>(tasks: Vec<T>, run: impl Fn(T) + Sync) {
    let helpers = rayon_core::current_num_threads().min(tasks.len()).saturating_sub(1);
    if helpers == 0 {
        tasks.into_iter().for_each(run);
        return;
    }
    let tasks: Vec<Mutex<Option<T>>> = tasks.into_iter().map(|task| Mutex::new(Some(task))).collect();
    let next = AtomicUsize::new(0);
    let worker = || {
        while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            // Each is taken once, so no lock is ever waited for, nor poisoned.
            if let Some(task) = task.lock().ok().and_then(|mut task| task.take()) {
                run(task);
            }
        }
    };
    together(helpers, &worker);
}

/// Runs the same on this thread and on helpers. Compiled once, since each kind of task would have threads of its own.
fn together(helpers: usize, worker: &(dyn Fn() + Sync)) {
    rayon_core::in_place_scope(|scope| {
        for _ in 0..helpers {
            scope.spawn(|_| worker());
        }
        worker();
    });
}

/// Cuts rows in parts of about the same number of elements, of which row `i` has those from `ends[i]` to `ends[i + 1]`,
/// and gives each part its first row and its piece of `to`, in which a row has `width` elements.
pub(crate) fn rows<T: Send>(ends: &[u32], width: usize, to: &mut [T], run: impl Fn(usize, &mut [T]) + Sync) {
    let count = ends.len().saturating_sub(1);
    let weight = |row: usize| (ends[row] as usize + row) * width.max(1);
    let parts = (weight(count) / LITTLE).clamp(1, 8 * rayon_core::current_num_threads());
    let mut tasks = Vec::with_capacity(parts);
    let (mut rest, mut first) = (to, 0);
    for part in 1..=parts {
        let end = if part == parts { count } else { boundary(count, weight(count) / parts * part, weight) };
        if end <= first {
            continue;
        }
        let (piece, others) = rest.split_at_mut((end - first) * width);
        tasks.push((first, piece));
        (rest, first) = (others, end);
    }
    all(tasks, |(first, piece)| run(first, piece));
}

/// The first row whose weight is not below a limit.
fn boundary(count: usize, limit: usize, weight: impl Fn(usize) -> usize) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = usize::midpoint(low, high);
        if weight(middle) < limit { low = middle + 1 } else { high = middle }
    }
    low
}

/// How many elements a partial sum of the host has: the same on any number of cores, so that sums are too.
pub(crate) const PART: usize = 1 << 13;

/// Runs over parts of [`PART`] elements of arrays of one length, which are given as tuples of pieces, and adds what
/// the parts return, in their order.
pub(crate) fn sums<T: Send>(pieces: Vec<T>, run: impl Fn(T) -> [f64; 2] + Sync) -> [f64; 2] {
    let mut partial = vec![[0.0; 2]; pieces.len()];
    let tasks: Vec<_> = pieces.into_iter().zip(&mut partial).collect();
    all(tasks, |(piece, sum)| *sum = run(piece));
    partial.iter().fold([0.0; 2], |sum, part| [sum[0] + part[0], sum[1] + part[1]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_comes_once() {
        for lengths in [vec![], vec![0, 0, 0], vec![1; 70_000], vec![100_000, 0, 0, 1, 50_000, 2]] {
            let mut ends = vec![0_u32];
            for length in &lengths {
                ends.push(ends[ends.len() - 1] + length);
            }
            let mut seen = vec![0; 2 * lengths.len()];
            rows(&ends, 2, &mut seen, |first, piece| {
                assert_eq!(piece.len() % 2, 0);
                for (k, seen) in piece.iter_mut().enumerate() {
                    *seen += 2 * first + k + 1;
                }
            });
            assert!(seen.iter().enumerate().all(|(k, seen)| *seen == k + 1));
        }
    }

    #[test]
    fn sums_are_the_same_on_any_number_of_cores() {
        let x: Vec<f64> = (0..100_000).map(|k| 1.0 / f64::from(k + 1)).collect();
        let sum = || sums(x.chunks(PART).collect(), |part| [part.iter().sum(), 0.0]);
        let expected: f64 = x.chunks(PART).map(|part| part.iter().sum::<f64>()).sum();
        assert_eq!(sum()[0].to_bits(), expected.to_bits());
    }
}

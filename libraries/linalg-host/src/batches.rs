//! The walk over the matrices of a batch.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use faer::Par;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// From this order on a matrix is worth all threads by itself.
const LARGE: usize = 256;

/// Below this many operations, about 20 microseconds, threads are not worth waking.
const LITTLE: f64 = 1e5;

/// Does work of about `order`³ operations for each matrix. Large matrices
/// have all threads, one after the other. Small ones have one thread each.
///
/// # Errors
///
/// One that a matrix has led to.
pub fn each<I: Send>(
    matrices: impl Iterator<Item = I>,
    order: usize,
    work: impl Fn(I, Par) -> Result<(), String> + Sync,
) -> Result<(), String> {
    each_of(matrices, order, LARGE, work)
}

/// [`each`], where matrices from the order `large` on are large.
///
/// # Errors
///
/// One that a matrix has led to.
pub fn each_of<I: Send>(
    matrices: impl Iterator<Item = I>,
    order: usize,
    large: usize,
    work: impl Fn(I, Par) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let mut rest: Vec<I> = matrices.collect();
    if order >= large {
        return awake(|| rest.into_iter().try_for_each(|matrix| work(matrix, Par::rayon(0))));
    }
    // Of the smallest, what surrounds the work counts.
    let operations = (order as f64).powi(3).max(50.0);
    if rest.len() < 2 || operations * rest.len() as f64 <= LITTLE {
        return rest.into_iter().try_for_each(|matrix| work(matrix, Par::Seq));
    }
    // In parts that are worth a thread: rayon would hand out matrices of order 2 one by one.
    let size = ((LITTLE / operations) as usize).max(rest.len() / (8 * rayon::current_num_threads())).max(1);
    let mut parts = Vec::new();
    while rest.len() > size {
        parts.push(rest.split_off(rest.len() - size));
    }
    parts.push(rest);
    parts.into_par_iter().try_for_each(|part| part.into_iter().try_for_each(|matrix| work(matrix, Par::Seq)))
}

/// Does work on a thread of the pool, while its other threads stay awake: a factorisation has hundreds of parallel
/// parts of less than a millisecond, and to wake a thread takes some 50 microseconds.
pub fn awake<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    /// Lets the others go, also where the work panics.
    struct End<'a>(&'a AtomicBool);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    let (has_ended, awake) = (AtomicBool::new(false), AtomicUsize::new(0));
    let others = rayon::current_num_threads() - 1;
    rayon::scope(|scope| {
        for _ in 0..others {
            scope.spawn(|_| {
                // Who looks for work at once would take the next of these tasks, and leave its thread asleep.
                awake.fetch_add(1, Ordering::Relaxed);
                let mut looks = 0;
                while looks < LOOKS && awake.load(Ordering::Relaxed) < others {
                    looks += 1;
                    spin_loop();
                }
                looks = 0;
                while !has_ended.load(Ordering::Acquire) {
                    match rayon::yield_now() {
                        Some(rayon::Yield::Executed) => looks = 0,
                        _ if looks < LOOKS => looks += 1,
                        // Whatever else the processor has to do.
                        _ => std::thread::yield_now(),
                    }
                }
            });
        }
        let _end = End(&has_ended);
        work()
    })
}

/// Looks for something to do before a thread lets others have its core.
const LOOKS: usize = 2000;

/// The elements of each of `count` matrices or vectors, which may be none.
pub fn pieces<T>(elements: &[T], count: usize) -> impl Iterator<Item = &[T]> {
    let size = elements.len().checked_div(count).unwrap_or(0);
    (0..count).map(move |index| &elements[index * size..][..size])
}

/// The elements of each of `count` matrices or vectors, to fill.
pub fn pieces_mut<T>(elements: &mut [T], count: usize) -> impl Iterator<Item = &mut [T]> {
    let size = elements.len().checked_div(count).unwrap_or(0);
    let mut rest = elements;
    (0..count).map(move |_| {
        let (piece, tail) = std::mem::take(&mut rest).split_at_mut(size);
        rest = tail;
        piece
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_matrix_has_its_turn() {
        for (count, order) in [(0, 3), (1, 3), (7, 0), (1000, 1), (10_000, 4), (37, 60), (3, 300)] {
            let mut seen = vec![0_u8; count];
            each(seen.iter_mut(), order, |seen, _| {
                *seen += 1;
                Ok(())
            })
            .unwrap();
            assert!(seen.iter().all(|&times| times == 1), "{count} of order {order}");
        }
    }

    #[test]
    fn an_error_ends_the_walk() {
        let done = AtomicUsize::new(0);
        let result = each(0..1000, 300, |index, _| {
            done.fetch_add(1, Ordering::Relaxed);
            if index == 3 { Err("no".to_owned()) } else { Ok(()) }
        });
        assert_eq!((result, done.into_inner()), (Err("no".to_owned()), 4));
    }

    #[test]
    fn pieces_may_be_empty() {
        assert_eq!(pieces(&[1, 2, 3, 4], 2).collect::<Vec<_>>(), [[1, 2], [3, 4]]);
        assert_eq!(pieces::<u8>(&[], 3).map(<[u8]>::len).collect::<Vec<_>>(), [0, 0, 0]);
        assert_eq!(pieces_mut::<u8>(&mut [], 0).count(), 0);
    }
}

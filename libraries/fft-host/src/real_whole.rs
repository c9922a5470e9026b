//! Real transforms of odd length, by complex ones of the same length: there is no half of it.

use rustfft::num_complex::Complex;

use crate::cores;
use crate::plans::Real;

/// Elements of a task.
const TASK: usize = 1 << 13;

/// Sets each element by its index.
fn fill<T: Copy + Send, F: Fn(usize) -> T + Sync>(to: &mut [T], element: F) {
    cores::each_run(
        to,
        TASK,
        || (),
        |(), run, to| {
            to.iter_mut().zip(run * TASK..).for_each(|(to, index)| *to = element(index));
        },
    );
}

/// Real numbers, as complex ones.
pub(crate) fn widened<T: Real>(from: &[T]) -> Vec<Complex<T>> {
    let mut to = vec![Complex::default(); from.len()];
    fill(&mut to, |index| from[index].into());
    to
}

/// The first ones of the elements.
pub(crate) fn kept<T: Real>(from: &[Complex<T>], to: &mut [Complex<T>]) {
    fill(to, |index| from[index]);
}

/// The whole transform of an odd length of real numbers, from its first half: the others are conjugates. The
/// imaginary part of the first one is ignored, as NumPy does.
pub(crate) fn mirrored<T: Real>(from: &[Complex<T>]) -> Vec<Complex<T>> {
    let length = 2 * from.len() - 1;
    let mut to = vec![Complex::default(); length];
    fill(&mut to, |index| match index {
        0 => from[0].re.into(),
        _ if index < from.len() => from[index],
        _ => from[length - index].conj(),
    });
    to
}

/// The real parts.
pub(crate) fn real_parts<T: Real>(from: &[Complex<T>], to: &mut [T]) {
    fill(to, |index| from[index].re);
}

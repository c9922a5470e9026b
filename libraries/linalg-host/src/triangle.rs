//! Hermitian matrices of which one triangle is given, and transposition.

use crate::scalar::{Re, Real, Scalar};

/// The side of the blocks of a transposition: two of them fit the fastest cache.
const BLOCK: usize = 16;

/// Fills the upper triangle of `to`, row-major, with that of the Hermitian
/// matrix whose upper or lower triangle is in `a`. The diagonal is made real
/// and the rest zero.
pub fn upper_from<T: Scalar>(a: &[T], order: usize, is_upper: bool, to: &mut [T]) {
    if is_upper {
        for (row, (to, from)) in
            to.chunks_exact_mut(order.max(1)).zip(a.chunks_exact(order.max(1))).enumerate()
        {
            to[..row].fill(T::zero());
            to[row..].copy_from_slice(&from[row..]);
        }
    } else {
        to.fill(T::zero());
        for top in (0..order).step_by(BLOCK) {
            for left in (0..=top).step_by(BLOCK) {
                for row in top..(top + BLOCK).min(order) {
                    for column in left..(left + BLOCK).min(row + 1) {
                        to[column * order + row] = a[row * order + column].conj();
                    }
                }
            }
        }
    }
    for element in to.iter_mut().step_by(order + 1) {
        *element = T::of(element.re(), Re::<T>::ZERO);
    }
}

/// Makes a square matrix into its conjugate transpose.
pub fn adjoint_in_place<T: Scalar>(a: &mut [T], order: usize) {
    for top in (0..order).step_by(BLOCK) {
        for left in (0..=top).step_by(BLOCK) {
            for row in top..(top + BLOCK).min(order) {
                for column in left..(left + BLOCK).min(row) {
                    let (one, other) = (a[row * order + column], a[column * order + row]);
                    a[row * order + column] = other.conj();
                    a[column * order + row] = one.conj();
                }
            }
        }
    }
    a.iter_mut().step_by(order + 1).for_each(|element| *element = element.conj());
}

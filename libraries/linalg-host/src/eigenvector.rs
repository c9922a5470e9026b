//! Single eigenvectors: their norm, and what to do where they overflow.

use faer::Par;
use faer::traits::num_traits::Float;
use num_complex::ComplexFloat;

use crate::lu::factor;
use crate::scalar::{Re, Real, Scalar};

/// Gives a vector norm 1 and a real largest element, as LAPACK's `geev` does.
/// False if it has no direction: it is zero, or has overflowed.
pub fn normalise<T: Scalar>(vector: &mut [T]) -> bool {
    let zero = Re::<T>::ZERO;
    let Some(largest) = vector
        .iter()
        .map(|element| Float::max(Float::abs(element.re()), Float::abs(element.im())))
        .reduce(Float::max)
    else {
        return true;
    };
    let is_finite = vector.iter().all(|element| ComplexFloat::is_finite(*element));
    if !is_finite || largest == zero {
        return false;
    }
    let divide = |element: T, by| T::of(element.re() / by, element.im() / by);
    vector.iter_mut().for_each(|element| *element = divide(*element, largest));
    let square = |element: &T| element.re() * element.re() + element.im() * element.im();
    let norm = Float::sqrt(vector.iter().map(square).fold(zero, |sum, square| sum + square));
    let (mut place, mut size) = (0, zero);
    for (index, element) in vector.iter().enumerate() {
        if square(element) > size {
            (place, size) = (index, square(element));
        }
    }
    let is_real = vector.iter().all(|element| element.im() == zero);
    let turn = if is_real { T::one() } else { divide(vector[place].conj(), Float::sqrt(size)) };
    vector.iter_mut().for_each(|element| *element = divide(*element * turn, norm));
    if !is_real {
        vector[place] = T::of(vector[place].re(), zero);
    }
    true
}

/// The eigenvector of an eigenvalue by inverse iteration.
///
/// faer solves for eigenvectors without scaling, so that those of nearly
/// defective matrices overflow: each step of a Jordan block multiplies by
/// 1/eps. LAPACK's `latrs` scales; this does so with the factors of A - w I.
pub fn eigenvector<T: Scalar>(mut a: Vec<T>, order: usize, value: T) -> Vec<T> {
    let zero = Re::<T>::ZERO;
    let largest =
        a.iter().map(|element| element.l1_norm()).fold(Float::max(value.l1_norm(), zero), Float::max);
    let least = Float::max(largest * Re::<T>::EPSILON, Re::<T>::TINY);
    a.iter_mut().step_by(order + 1).for_each(|element| *element -= value);
    let mut pivots = vec![0; order];
    factor(&mut a, order, order, &mut pivots, Par::Seq);
    for element in a.iter_mut().step_by(order + 1).filter(|element| element.l1_norm() < least) {
        *element = T::of(least, zero);
    }
    let mut x = vec![T::one(); order];
    for _ in 0..3 {
        for (row, &other) in pivots.iter().enumerate() {
            x.swap(row, other as usize);
        }
        for row in 1..order {
            let known = a[row * order..][..row].iter().zip(&x);
            let sum = known.fold(T::zero(), |sum, (&factor, &known)| sum + factor * known);
            x[row] -= sum;
        }
        for row in (0..order).rev() {
            let factors = &a[row * order..][..order];
            let known = factors[row + 1..].iter().zip(&x[row + 1..]);
            let sum = known.fold(T::zero(), |sum, (&factor, &known)| sum + factor * known);
            x[row] = (x[row] - sum).quotient(factors[row]);
            let size = x[row].l1_norm();
            if size > Re::<T>::ONE / Re::<T>::EPSILON {
                x.iter_mut().for_each(|element| *element = T::of(element.re() / size, element.im() / size));
            }
        }
        if !normalise(&mut x) {
            break;
        }
    }
    x
}

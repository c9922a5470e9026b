//! Real transforms of even length n by complex ones of length h = n/2: of z, whose real parts are the even
//! elements and whose imaginary parts are the odd ones. (R. W. Hockney, "A Fast Direct Solution of Poisson's
//! Equation Using Fourier Analysis", J. ACM 12 (1965); Numerical Recipes has it as `realft`.)
//!
//! With w = e^(-2 pi i / n), S = Z(k) + conj Z(h-k) and D = Z(k) - conj Z(h-k), it is X(k) = (S - i w^k D) /
//! 2, and X(h-k) is the conjugate of (S + i w^k D) / 2.

use rustfft::num_complex::Complex;

use crate::cores;
use crate::plans::Real;
use crate::roots::Roots;

/// Pairs of elements that a task works on.
const TASK: usize = 1 << 11;

/// From the transform of z, the first h of these h + 1 elements, to that of the real numbers.
pub(crate) fn separate<T: Real>(elements: &mut [Complex<T>], scale: T) {
    let half = elements.len() - 1;
    let Complex { re, im } = elements[0];
    elements[0] = Complex::new((re + im) * scale, T::zero());
    elements[half] = Complex::new((re - im) * scale, T::zero());
    if half.is_multiple_of(2) {
        elements[half / 2] = elements[half / 2].conj().scale(scale);
    }
    let roots = Roots::of(2 * half);
    let factor = scale * T::of(0.5);
    let (front, back) = pairs(&mut elements[..half]);
    cores::each_mirrored(front, back, TASK, |index, front, back| {
        let mut powers = [Complex::<T>::default(); TASK];
        let powers = &mut powers[..front.len()];
        roots.powers(1, index * TASK + 1, powers);
        for ((front, back), root) in front.iter_mut().zip(back.iter_mut().rev()).zip(powers) {
            let (sum, difference) = (*front + back.conj(), *front - back.conj());
            let turned = times_i(*root * difference);
            *front = (sum - turned).scale(factor);
            *back = (sum + turned).conj().scale(factor);
        }
    });
}

/// From the transform of real numbers to twice that of z. Imaginary parts of the first and the last element
/// are ignored, as NumPy does.
pub(crate) fn join<T: Real>(from: &[Complex<T>]) -> Vec<Complex<T>> {
    let half = from.len() - 1;
    let mut to = vec![Complex::default(); half];
    to[0] = Complex::new(from[0].re + from[half].re, from[0].re - from[half].re);
    if half.is_multiple_of(2) {
        to[half / 2] = from[half / 2].conj().scale(T::of(2.0));
    }
    let roots = Roots::of(2 * half);
    let (front, back) = pairs(&mut to);
    cores::each_mirrored(front, back, TASK, |index, front, back| {
        let mut powers = [Complex::<T>::default(); TASK];
        let (powers, first) = (&mut powers[..front.len()], index * TASK + 1);
        roots.powers(1, first, powers);
        let low = &from[first..][..front.len()];
        let high = &from[half + 1 - first - front.len()..][..front.len()];
        let sources = low.iter().zip(high.iter().rev()).zip(powers);
        for ((front, back), ((low, high), root)) in front.iter_mut().zip(back.iter_mut().rev()).zip(sources) {
            let (sum, difference) = (low + high.conj(), low - high.conj());
            let turned = times_i(root.conj() * difference);
            *front = sum + turned;
            *back = (sum - turned).conj();
        }
    });
    to
}

/// The elements 1 to below h/2, and those from above h/2 to h - 1.
fn pairs<T>(elements: &mut [T]) -> (&mut [T], &mut [T]) {
    let count = (elements.len() - 1) / 2;
    let (front, back) = elements.split_at_mut(1 + count);
    let from = back.len() - count;
    (&mut front[1..], &mut back[from..])
}

fn times_i<T: Real>(value: Complex<T>) -> Complex<T> {
    Complex::new(-value.im, value.re)
}

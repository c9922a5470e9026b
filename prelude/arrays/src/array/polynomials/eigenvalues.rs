//! Eigenvalues of small matrices, on the host.
//!
//! A matrix is balanced, reduced to Hessenberg's form by Householder's
//! reflections, and then the QR algorithm takes one or two eigenvalues off its
//! end at a time: with Francis's double steps where it is real, so that complex
//! eigenvalues are exact conjugates, and with Wilkinson's single shifts where it
//! is not (G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th edition, 2013,
//! sections 7.4, 7.5; balancing: B. N. Parlett, C. Reinsch, Numerische Mathematik
//! 13, 1969).

use std::ops::{Index, IndexMut};

use num_complex::Complex64;

use crate::error::{Problem, Result};
use crate::interrupt;

/// Steps for one eigenvalue; few matrices need more than five.
const MOST_STEPS: usize = 60;

/// A square matrix, row by row.
#[derive(Clone)]
pub(super) struct Square<T> {
    pub(super) size: usize,
    elements: Vec<T>,
}

impl<T: Copy + Default> Square<T> {
    pub(super) fn zeros(size: usize) -> Square<T> {
        Square { size, elements: vec![T::default(); size * size] }
    }

    pub(super) fn from_rows(size: usize, elements: Vec<T>) -> Square<T> {
        debug_assert_eq!(elements.len(), size * size);
        Square { size, elements }
    }
}

impl<T> Index<(usize, usize)> for Square<T> {
    type Output = T;

    fn index(&self, (row, column): (usize, usize)) -> &T {
        &self.elements[row * self.size + column]
    }
}

impl<T> IndexMut<(usize, usize)> for Square<T> {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut T {
        &mut self.elements[row * self.size + column]
    }
}

/// The eigenvalues, in no order; those of a real matrix that are not real stand
/// beside their conjugates.
pub(super) fn eigenvalues(operation: &'static str, mut a: Square<Complex64>) -> Result<Vec<Complex64>> {
    if a.elements.iter().any(|x| !x.re.is_finite() || !x.im.is_finite()) {
        // NumPy's words.
        let message = "Array must not contain infs or NaNs".to_owned();
        return Err(Problem::Invalid { operation, message }.into());
    }
    balance(&mut a);
    to_hessenberg(&mut a);
    let found = if a.elements.iter().all(|x| x.im == 0.0) {
        let real = a.elements.iter().map(|x| x.re).collect();
        of_real(Square { size: a.size, elements: real })?
    } else {
        of_complex(a)?
    };
    found.ok_or_else(|| {
        // NumPy's words.
        Problem::Invalid { operation, message: "Eigenvalues did not converge".to_owned() }.into()
    })
}

/// Scales rows and columns by powers of 2, until both are about as large.
fn balance(a: &mut Square<Complex64>) {
    let n = a.size;
    let size = |x: Complex64| x.re.abs() + x.im.abs();
    for _ in 0..100 {
        let mut is_done = true;
        for i in 0..n {
            let others = || (0..n).filter(|j| *j != i);
            let mut column: f64 = others().map(|j| size(a[(j, i)])).sum();
            let row: f64 = others().map(|j| size(a[(i, j)])).sum();
            if column == 0.0 || row == 0.0 {
                continue;
            }
            let (sum, mut factor) = (column + row, 1.0_f64);
            while column < row / 2.0 && factor < 1e150 {
                factor *= 2.0;
                column *= 4.0;
            }
            while column >= row * 2.0 && factor > 1e-150 {
                factor /= 2.0;
                column /= 4.0;
            }
            if (column + row) / factor < 0.95 * sum {
                is_done = false;
                for j in 0..n {
                    a[(i, j)] /= factor;
                }
                for j in 0..n {
                    a[(j, i)] *= factor;
                }
            }
        }
        if is_done {
            return;
        }
    }
}

/// Zeros below the first subdiagonal, by a reflection for each column.
fn to_hessenberg(a: &mut Square<Complex64>) {
    let n = a.size;
    for k in 0..n.saturating_sub(2) {
        let mut v: Vec<Complex64> = (k + 1..n).map(|i| a[(i, k)]).collect();
        if v[1..].iter().all(|x| x.norm_sqr() == 0.0) {
            continue;
        }
        let length = v.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
        let direction = if v[0].norm() == 0.0 { Complex64::new(1.0, 0.0) } else { v[0] / v[0].norm() };
        v[0] += direction * length;
        let square: f64 = v.iter().map(|x| x.norm_sqr()).sum();
        for j in 0..n {
            let product: Complex64 = v.iter().enumerate().map(|(i, v)| v.conj() * a[(k + 1 + i, j)]).sum();
            for (i, v) in v.iter().enumerate() {
                a[(k + 1 + i, j)] -= v * (product * 2.0 / square);
            }
        }
        for i in 0..n {
            let product: Complex64 = v.iter().enumerate().map(|(j, v)| a[(i, k + 1 + j)] * v).sum();
            for (j, v) in v.iter().enumerate() {
                a[(i, k + 1 + j)] -= product * 2.0 / square * v.conj();
            }
        }
        for i in k + 2..n {
            a[(i, k)] = Complex64::default();
        }
    }
}

/// Where the last block that does not fall apart begins.
fn start_of_block<T: Copy + Default>(
    h: &mut Square<T>,
    end: usize,
    size: impl Fn(T) -> f64,
    norm: f64,
) -> usize {
    for l in (1..=end).rev() {
        let near = size(h[(l - 1, l - 1)]) + size(h[(l, l)]);
        let near = if near == 0.0 { norm } else { near };
        if size(h[(l, l - 1)]) <= f64::EPSILON * near {
            h[(l, l - 1)] = T::default();
            return l;
        }
    }
    0
}

/// The eigenvalues of a real matrix in Hessenberg's form, if all are found.
fn of_real(mut h: Square<f64>) -> Result<Option<Vec<Complex64>>> {
    let mut found = vec![Complex64::default(); h.size];
    let norm: f64 = h.elements.iter().map(|x| x.abs()).sum();
    let (mut left, mut steps) = (h.size, 0);
    while left > 0 {
        interrupt::check()?;
        let end = left - 1;
        let start = start_of_block(&mut h, end, f64::abs, norm);
        if start == end {
            found[end] = h[(end, end)].into();
            (left, steps) = (end, 0);
        } else if start + 1 == end {
            let pair = of_two([h[(start, start)], h[(start, end)], h[(end, start)], h[(end, end)]]);
            (found[start], found[end]) = pair;
            (left, steps) = (start, 0);
        } else {
            if steps == MOST_STEPS {
                return Ok(None);
            }
            steps += 1;
            double_step(&mut h, start, end, steps % 10 == 0);
        }
    }
    Ok(Some(found))
}

/// The eigenvalues of `[[a, b], [c, d]]`.
fn of_two([a, b, c, d]: [f64; 4]) -> (Complex64, Complex64) {
    let half = 0.5 * (a - d);
    let square = half * half + b * c;
    if square < 0.0 {
        let found = Complex64::new(d + half, (-square).sqrt());
        return (found, found.conj());
    }
    // The larger first, from which the smaller one follows without cancellation.
    let far = half + square.sqrt().copysign(half);
    let other = if far == 0.0 { d } else { d - b * c / far };
    ((d + far).into(), other.into())
}

/// A reflection that leaves only the first of two or three numbers, as its
/// vector and a factor; none if they are zeros.
fn reflection(x: [f64; 3]) -> Option<([f64; 3], f64)> {
    let scale = x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if scale == 0.0 {
        return None;
    }
    let mut v = x.map(|x| x / scale);
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v[0] += length.copysign(v[0]);
    let factor = 2.0 / v.iter().map(|x| x * x).sum::<f64>();
    Some((v, factor))
}

/// Francis's implicit step with both eigenvalues of the last two rows as shifts,
/// or with others where these do not help.
fn double_step(h: &mut Square<f64>, start: usize, end: usize, is_exceptional: bool) {
    let before = end - 1;
    let (mut sum, mut product) = (
        h[(before, before)] + h[(end, end)],
        h[(before, before)] * h[(end, end)] - h[(before, end)] * h[(end, before)],
    );
    if is_exceptional {
        let size = h[(end, before)].abs() + h[(before, before - 1)].abs();
        (sum, product) = (1.5 * size, size * size);
    }
    let (first, below) = (h[(start, start)], h[(start + 1, start)]);
    let mut x = [
        first * first + h[(start, start + 1)] * below - sum * first + product,
        below * (first + h[(start + 1, start + 1)] - sum),
        below * h[(start + 2, start + 1)],
    ];
    for k in start..end {
        let rows = (end - k + 1).min(3);
        if let Some((v, factor)) = reflection(x) {
            for j in k.saturating_sub(1).max(start)..=end {
                let product: f64 = (0..rows).map(|i| v[i] * h[(k + i, j)]).sum();
                for i in 0..rows {
                    h[(k + i, j)] -= factor * product * v[i];
                }
            }
            for i in start..=(k + 3).min(end) {
                let product: f64 = (0..rows).map(|j| v[j] * h[(i, k + j)]).sum();
                for j in 0..rows {
                    h[(i, k + j)] -= factor * product * v[j];
                }
            }
        }
        if k > start {
            for i in 1..rows {
                h[(k + i, k - 1)] = 0.0;
            }
        }
        let below = |i: usize| if k + i <= end && k < end { h[(k + i, k)] } else { 0.0 };
        x = [below(1), below(2), below(3)];
    }
}

/// The eigenvalues of a matrix in Hessenberg's form, if all are found.
fn of_complex(mut h: Square<Complex64>) -> Result<Option<Vec<Complex64>>> {
    let mut found = vec![Complex64::default(); h.size];
    let size = |x: Complex64| x.re.abs() + x.im.abs();
    let norm: f64 = h.elements.iter().map(|x| size(*x)).sum();
    let (mut left, mut steps) = (h.size, 0);
    while left > 0 {
        interrupt::check()?;
        let end = left - 1;
        let start = start_of_block(&mut h, end, size, norm);
        if start == end {
            found[end] = h[(end, end)];
            (left, steps) = (end, 0);
            continue;
        }
        if steps == MOST_STEPS {
            return Ok(None);
        }
        steps += 1;
        let shift =
            if steps % 10 == 0 { h[(end, end)] + size(h[(end, end - 1)]) } else { wilkinson(&h, end) };
        single_step(&mut h, start, end, shift);
    }
    Ok(Some(found))
}

/// The eigenvalue of the last two rows that is nearer to the last element.
fn wilkinson(h: &Square<Complex64>, end: usize) -> Complex64 {
    let (a, d) = (h[(end - 1, end - 1)], h[(end, end)]);
    let product = h[(end - 1, end)] * h[(end, end - 1)];
    let half = (a - d) * 0.5;
    let root = (half * half + product).sqrt();
    let (plus, minus) = (half + root, half - root);
    let far = if plus.norm_sqr() > minus.norm_sqr() { plus } else { minus };
    if far.norm_sqr() == 0.0 { d } else { d - product / far }
}

/// A step of the QR algorithm with a shift, by Givens's rotations.
fn single_step(h: &mut Square<Complex64>, start: usize, end: usize, shift: Complex64) {
    for k in start..=end {
        h[(k, k)] -= shift;
    }
    let mut rotations = Vec::with_capacity(end - start);
    for k in start..end {
        let (x, y) = (h[(k, k)], h[(k + 1, k)]);
        let length = x.norm().hypot(y.norm());
        let (c, s) = if length == 0.0 {
            (Complex64::new(1.0, 0.0), Complex64::default())
        } else {
            (x / length, y / length)
        };
        for j in k..=end {
            let (upper, lower) = (h[(k, j)], h[(k + 1, j)]);
            h[(k, j)] = c.conj() * upper + s.conj() * lower;
            h[(k + 1, j)] = c * lower - s * upper;
        }
        rotations.push((c, s));
    }
    for (k, (c, s)) in (start..end).zip(rotations) {
        for i in start..=(k + 1).min(end) {
            let (left, right) = (h[(i, k)], h[(i, k + 1)]);
            h[(i, k)] = left * c + right * s;
            h[(i, k + 1)] = right * c.conj() - left * s.conj();
        }
    }
    for k in start..=end {
        h[(k, k)] += shift;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(mut found: Vec<Complex64>) -> Vec<Complex64> {
        found.sort_by(|a, b| a.re.total_cmp(&b.re).then(a.im.total_cmp(&b.im)));
        found
    }

    /// Rotations and scalings of a diagonal matrix have its elements as eigenvalues.
    #[test]
    fn of_dense_matrices() {
        for is_real in [true, false] {
            for n in [1, 2, 3, 4, 7, 20] {
                let value = |k: usize| {
                    let im = if is_real { 0.0 } else { (k * k % 5) as f64 };
                    Complex64::new(k as f64 - 2.5, im)
                };
                let mut a = Square::zeros(n);
                for k in 0..n {
                    a[(k, k)] = value(k);
                    for j in k + 1..n {
                        a[(k, j)] = Complex64::new(((3 * k + j) % 7) as f64 - 3.0, 0.0);
                    }
                }
                // A similar matrix: each row is added to the next one, and columns back.
                for k in 0..n.saturating_sub(1) {
                    for j in 0..n {
                        let row = a[(k, j)];
                        a[(k + 1, j)] += row * 0.5;
                    }
                    for i in 0..n {
                        let column = a[(i, k + 1)];
                        a[(i, k)] -= column * 0.5;
                    }
                }
                let found = sorted(eigenvalues("roots", a).unwrap());
                for (k, found) in found.into_iter().enumerate() {
                    assert!((found - value(k)).norm() < 1e-8, "{n}: {found} is not {}", value(k));
                    assert!(!is_real || found.im == 0.0, "{found}");
                }
            }
        }
    }

    #[test]
    fn of_matrices_on_which_shifts_do_nothing() {
        for n in [3, 4, 8] {
            let mut a = Square::zeros(n);
            for k in 0..n {
                a[((k + 1) % n, k)] = Complex64::new(1.0, 0.0);
            }
            for found in eigenvalues("roots", a).unwrap() {
                assert!((found.powu(n as u32) - 1.0).norm() < 1e-13, "{found}");
            }
        }
        let zeros = eigenvalues("roots", Square::zeros(4)).unwrap();
        assert_eq!(zeros, [Complex64::default(); 4]);
    }
}

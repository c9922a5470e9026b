//! Hermitian matrices made tridiagonal by reflections.
//!
//! In panels of columns, as LAPACK's `sytrd` (Dongarra, Sorensen and
//! Hammarling, "Block reduction of matrices to condensed forms for eigenvalue
//! computations", 1989): within a panel the rest of the matrix is multiplied
//! by each reflection's vector, which reads it once, and what the reflections
//! come to is subtracted after the panel, as two products of matrices. faer
//! 0.24 rewrites the rest for each reflection.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use faer::linalg::householder::{make_householder_in_place, upgrade_householder_factor};
use faer::linalg::matmul::matmul;
use faer::reborrow::ReborrowMut;
use faer::{Accum, ColMut, Mat, MatMut, MatRef, Par};

use crate::crew::with_helpers;
use crate::scalar::{Re, Real, Scalar};

/// The columns of a panel, and of the blocks that threads take.
const PANEL: usize = 32;

/// The columns of a block of reflections that is applied at once.
const REFLECTIONS: usize = 32;

/// The parts of a product, of every so many blocks, which are added in their order: a matrix has the same result
/// whatever the number of threads, and whichever of them does a part.
const PARTS: usize = 8;

/// The elements, about, that are worth another thread.
const WORTH: usize = 128 * 128;

/// A = Q T Qᴴ. Of T the diagonal and what is below it, and the reflections that Q is a product of, as faer keeps them.
pub struct Tridiagonal<T> {
    /// T's diagonal, which is real.
    pub diagonal: Vec<T>,
    /// Below it, with an element more, which is zero.
    pub below: Vec<T>,
    /// The reflections' vectors below the second diagonal, by columns, if they are kept.
    pub vectors: Mat<T>,
    /// The factors of the reflections' blocks.
    pub factors: Mat<T>,
}

/// The vectors of a panel's reflections and what they are subtracted with, A - V Wᴴ - W Vᴴ: columns as long as A's.
struct Panel<T> {
    v: Vec<T>,
    w: Vec<T>,
}

/// What the threads share.
struct Work<T> {
    order: usize,
    /// The matrix in blocks of [`PANEL`] columns. What is above the diagonal has no meaning.
    blocks: Vec<RwLock<Vec<T>>>,
    panel: RwLock<Panel<T>>,
    /// The parts of the product.
    products: [Mutex<Vec<T>>; PARTS],
    /// What a step is for: the column whose vector the rest is multiplied by, or with [`UPDATE`] the panel's end.
    what: AtomicUsize,
}

/// In [`Work::what`]: what the panel comes to is subtracted.
const UPDATE: usize = 1 << (usize::BITS - 1);

/// Of the matrix whose lower triangle is in `a`, by columns, of an order of at least 1. Without vectors the reflections
/// are not kept.
pub fn tridiagonalize<T: Scalar>(a: &[T], order: usize, has_vectors: bool, par: Par) -> Tridiagonal<T> {
    let threads = par.degree().min(order * order / 2 / WORTH).max(1);
    let work = Work {
        order,
        blocks: a.chunks(order * PANEL).map(|block| RwLock::new(block.to_vec())).collect(),
        panel: RwLock::new(Panel { v: vec![T::zero(); order * PANEL], w: vec![T::zero(); order * PANEL] }),
        products: [(); PARTS].map(|()| Mutex::new(vec![T::zero(); order])),
        what: AtomicUsize::new(0),
    };
    let mut factors = Mat::zeros(REFLECTIONS.min(order), order - 1);
    with_helpers(
        threads - 1,
        |part| work.help(part),
        |step| {
            for block in 0..work.blocks.len() {
                work.reduce(block, &mut factors, step);
                work.what.store(UPDATE | block, Ordering::Relaxed);
                step(work.blocks.len() - block - 1);
            }
        },
    );
    work.finish(factors, has_vectors, par)
}

impl<T: Scalar> Work<T> {
    /// Does a part of a step.
    fn help(&self, part: usize) {
        let what = self.what.load(Ordering::Relaxed);
        if what & UPDATE != 0 {
            self.update((what & !UPDATE) + 1 + part);
            return;
        }
        let (column, order) = (what, self.order);
        let panel = read(&self.panel);
        let x = &panel.v[column % PANEL * order..][..order];
        let mut product = lock(&self.products[part]);
        product[column + 1..].fill(T::zero());
        for block in ((column + 1) / PANEL + part..self.blocks.len()).step_by(PARTS) {
            let columns = (block * PANEL).max(column + 1)..((block + 1) * PANEL).min(order);
            multiply(&read(&self.blocks[block]), order, columns, x, &mut product);
        }
    }

    /// The parts of the product of a column's vector.
    fn parts(&self, column: usize) -> usize {
        PARTS.min(self.blocks.len() - (column + 1) / PANEL)
    }

    /// Makes the columns of a block tridiagonal, and the panel what they come to for the others.
    fn reduce(&self, block: usize, factors: &mut Mat<T>, step: &dyn Fn(usize)) {
        let n = self.order;
        let start = block * PANEL;
        let mut panel = write(&self.panel);
        for column in start..(start + PANEL).min(n) {
            let index = column - start;
            let mut columns = write(&self.blocks[block]);
            let Panel { v, w } = &mut *panel;
            let (before, reflection) = v.split_at_mut(index * n);
            let elements = &mut columns[index * n..][column..n];
            for (v, w) in before.chunks(n).zip(w.chunks(n)) {
                T::subtract(elements, &v[column..], w[column].conj(), &w[column..], v[column].conj());
            }
            let Some((head, tail)) = elements[1..].split_first_mut() else { break };
            let tau = make_householder_in_place(head, ColMut::from_slice_mut(tail)).tau;
            factors[(0, column)] = T::of(tau, Re::<T>::ZERO);
            // Of a reflection that is none, this is zero.
            let inverse = T::of(Re::<T>::ONE / tau, Re::<T>::ZERO);
            reflection[..=column].fill(T::zero());
            reflection[column + 1] = T::one();
            reflection[column + 2..n].copy_from_slice(tail);
            drop((columns, panel));
            self.product(column, step);
            panel = write(&self.panel);
            let Panel { v, w } = &mut *panel;
            let (before, reflection) = v.split_at(index * n);
            let (others, product) = w.split_at_mut(index * n);
            let (reflection, product) = (&reflection[column + 1..n], &mut product[..n]);
            product[..=column].fill(T::zero());
            let product = &mut product[column + 1..];
            self.collect(column, product);
            for (v, w) in before.chunks(n).zip(others.chunks(n)) {
                let (v, w) = (&v[column + 1..], &w[column + 1..]);
                let [of_w, of_v] = T::products(w, v, reflection);
                T::subtract(product, v, of_w, w, of_v);
            }
            let [along, _] = T::products(reflection, reflection, product);
            let half = along * inverse * inverse * T::from_f64_impl(0.5);
            for (product, &reflection) in product.iter_mut().zip(reflection) {
                *product = *product * inverse - half * reflection;
            }
        }
    }

    /// Multiplies what is right of and below a column by the vector of its reflection, in parts.
    fn product(&self, column: usize, step: &dyn Fn(usize)) {
        self.what.store(column, Ordering::Relaxed);
        let left = self.order - column;
        if left * left / 2 < 2 * WORTH {
            (0..self.parts(column)).for_each(|part| self.help(part));
        } else {
            step(self.parts(column));
        }
    }

    /// The sum of the parts.
    fn collect(&self, column: usize, to: &mut [T]) {
        to.fill(T::zero());
        for product in &self.products[..self.parts(column)] {
            for (to, &part) in to.iter_mut().zip(&lock(product)[column + 1..]) {
                *to += part;
            }
        }
    }

    /// Subtracts what the panel comes to from a block.
    fn update(&self, block: usize) {
        let n = self.order;
        let top = block * PANEL;
        let panel = read(&self.panel);
        let mut columns = write(&self.blocks[block]);
        let width = columns.len() / n;
        let of = |columns| MatRef::from_column_major_slice(columns, n, PANEL).subrows(top, n - top);
        let (v, w) = (of(&panel.v), of(&panel.w));
        let mut rest = MatMut::from_column_major_slice_mut(&mut columns, n, width).subrows_mut(top, n - top);
        for (left, right) in [(v, w), (w, v)] {
            let right = right.subrows(0, width).adjoint();
            matmul(rest.rb_mut(), Accum::Add, left, right, -T::one(), Par::Seq);
        }
    }

    /// Takes the result out of the blocks.
    fn finish(self, mut factors: Mat<T>, has_vectors: bool, par: Par) -> Tridiagonal<T> {
        let n = self.order;
        let mut vectors = if has_vectors { Mat::zeros(n, n) } else { Mat::new() };
        let (mut diagonal, mut below) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for (index, block) in self.blocks.into_iter().enumerate() {
            let block = block.into_inner().unwrap_or_else(PoisonError::into_inner);
            for (offset, elements) in block.chunks(n).enumerate() {
                let column = index * PANEL + offset;
                diagonal.push(T::of(elements[column].re(), Re::<T>::ZERO));
                below.push(elements.get(column + 1).copied().unwrap_or(T::zero()));
                if has_vectors {
                    for (row, &element) in elements.iter().enumerate().skip(column + 1) {
                        vectors[(row, column)] = element;
                    }
                }
            }
        }
        if !has_vectors {
            return Tridiagonal { diagonal, below, vectors, factors };
        }
        for first in (0..n - 1).step_by(REFLECTIONS) {
            let width = REFLECTIONS.min(n - 1 - first);
            let mut factor = factors.as_mut().submatrix_mut(0, first, width, width);
            for index in 0..width {
                factor[(index, index)] = factor[(0, index)];
            }
            let vectors = vectors.as_ref().submatrix(first + 1, first, n - 1 - first, width);
            upgrade_householder_factor(factor, vectors, width, 1, par);
        }
        Tridiagonal { diagonal, below, vectors, factors }
    }
}

/// Adds to `y` the product with `x` of the columns of a Hermitian matrix, whose lower triangle is given, and of the rows
/// that they are.
fn multiply<T: Scalar>(block: &[T], order: usize, columns: Range<usize>, x: &[T], y: &mut [T]) {
    let of = |column: usize| &block[column % PANEL * order..][..order];
    let mut column = columns.start;
    while column < columns.end {
        let width = if columns.end - column < 4 { 1 } else { 4 };
        let end = column + width;
        for left in column..end {
            let elements = of(left);
            y[left] += T::of(elements[left].re(), Re::<T>::ZERO) * x[left];
            for row in left + 1..end {
                y[row] += elements[row] * x[left];
                y[left] += elements[row].conj() * x[row];
            }
        }
        if width == 4 {
            let group = [0, 1, 2, 3].map(|index| &of(column + index)[end..]);
            let scale = [0, 1, 2, 3].map(|index| x[column + index]);
            let sums = T::columns(group, scale, &x[end..order], &mut y[end..order]);
            for (y, sum) in y[column..end].iter_mut().zip(sums) {
                *y += sum;
            }
        } else {
            let (scale, rest) = (x[column], &of(column)[end..]);
            let [sum, _] = T::products(rest, rest, &x[end..order]);
            y[column] += sum;
            for (y, &element) in y[end..order].iter_mut().zip(rest) {
                *y += element * scale;
            }
        }
        column = end;
    }
}

/// A lock that a panic has left: the panic goes on by itself.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(of: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    of.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(of: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    of.write().unwrap_or_else(PoisonError::into_inner)
}

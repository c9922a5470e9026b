//! Householder's reflections, in blocks.
//!
//! Our own instead of faer's: its QR decomposition leaves columns out that
//! depend on earlier ones, and a complex R has a complex diagonal there. These
//! are LAPACK's `larfg`, `larft` and `larfb`, so that R has NumPy's signs: a
//! block of reflections is Q = I - V T Vᴴ (R. Schreiber and C. Van Loan, "A
//! storage-efficient WY representation for products of Householder
//! transformations", 1989).

use faer::linalg::matmul::matmul;
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::traits::num_traits::Float;
use faer::{Accum, ColMut, ColRef, Mat, MatMut, MatRef, Par};
use num_complex::ComplexFloat;

use crate::scalar::{Re, Real, Scalar};

/// Columns of a block that is applied to the rest of the matrix.
const BLOCK: usize = 48;

/// Columns within a block that are reflected one by one.
const PANEL: usize = 8;

/// The product of some reflections.
pub struct Reflections<T> {
    /// The first row that they change.
    row: usize,
    /// Their vectors, from that row on: ones on the diagonal, zeros above.
    v: Mat<T>,
    /// The upper triangular factor.
    t: Mat<T>,
}

/// Makes a matrix into R, with zeros below its diagonal, and returns the
/// reflections whose product is Q.
pub fn reduce<T: Scalar>(mut a: MatMut<'_, T>, par: Par) -> Vec<Reflections<T>> {
    let (rows, columns) = (a.nrows(), a.ncols());
    let size = rows.min(columns);
    let mut blocks = Vec::new();
    for row in (0..size).step_by(BLOCK) {
        let width = BLOCK.min(size - row);
        let (_, _, _, corner) = a.rb_mut().split_at_mut(row, row);
        let (mut own, rest) = corner.split_at_col_mut(width);
        let mut copy = own.rb().to_owned();
        let (v, t) = reduce_block(copy.as_mut(), par);
        for column in 0..width {
            for index in 0..own.nrows() {
                own[(index, column)] = if index > column { T::zero() } else { copy[(index, column)] };
            }
        }
        apply(v.as_ref(), t.as_ref(), true, rest, par);
        blocks.push(Reflections { row, v, t });
    }
    blocks
}

/// Makes the identity, of which `q` is the first columns, into those of Q.
pub fn form<T: Scalar>(blocks: &[Reflections<T>], mut q: MatMut<'_, T>, par: Par) {
    for index in 0..q.nrows() {
        for column in 0..q.ncols() {
            q[(index, column)] = if index == column { T::one() } else { T::zero() };
        }
    }
    for Reflections { row, v, t } in blocks.iter().rev() {
        // The columns on the left are still those of the identity: zero here.
        let (_, _, _, corner) = q.rb_mut().split_at_mut(*row, *row);
        apply(v.as_ref(), t.as_ref(), false, corner, par);
    }
}

/// C - V T Vᴴ C, or with Tᴴ.
fn apply<T: Scalar>(v: MatRef<'_, T>, t: MatRef<'_, T>, is_adjoint: bool, c: MatMut<'_, T>, par: Par) {
    if c.ncols() == 0 {
        return;
    }
    let (one, minus_one) = (T::one(), T::zero() - T::one());
    let mut product = Mat::zeros(v.ncols(), c.ncols());
    matmul(product.as_mut(), Accum::Replace, v.adjoint(), c.rb(), one, par);
    let mut factor = Mat::zeros(v.ncols(), c.ncols());
    if is_adjoint {
        matmul(factor.as_mut(), Accum::Replace, t.adjoint(), product.as_ref(), one, par);
    } else {
        matmul(factor.as_mut(), Accum::Replace, t, product.as_ref(), one, par);
    }
    matmul(c, Accum::Add, v, factor.as_ref(), minus_one, par);
}

/// Makes a block into R and returns V and T.
fn reduce_block<T: Scalar>(mut block: MatMut<'_, T>, par: Par) -> (Mat<T>, Mat<T>) {
    let (rows, width) = (block.nrows(), block.ncols());
    let (mut v, mut t) = (Mat::zeros(rows, width), Mat::zeros(width, width));
    for begin in (0..width).step_by(PANEL) {
        let end = (begin + PANEL).min(width);
        let (_, _, _, corner) = block.rb_mut().split_at_mut(begin, begin);
        let (panel, rest) = corner.split_at_col_mut(end - begin);
        let (before, from_here) = v.as_mut().split_at_col_mut(begin);
        let mut own = from_here.subcols_mut(0, end - begin).subrows_mut(begin, rows - begin);
        let small = reduce_panel(panel, own.rb_mut());
        apply(own.rb(), small.as_ref(), true, rest, par);
        join(before.rb(), own.rb(), t.as_mut(), small.as_ref(), begin, par);
    }
    (v, t)
}

/// Puts the factor of later reflections into that of all, beside the earlier ones.
fn join<T: Scalar>(
    before: MatRef<'_, T>,
    own: MatRef<'_, T>,
    t: MatMut<'_, T>,
    small: MatRef<'_, T>,
    begin: usize,
    par: Par,
) {
    let end = begin + small.ncols();
    let t = t.submatrix_mut(0, 0, end, end);
    let (first, mut beside, _, mut last) = t.split_at_mut(begin, begin);
    last.copy_from(small);
    if begin > 0 {
        let common = before.subrows(begin, own.nrows());
        let mut product = Mat::zeros(begin, small.ncols());
        matmul(product.as_mut(), Accum::Replace, common.adjoint(), own, T::one(), par);
        let mut factor = Mat::zeros(begin, small.ncols());
        matmul(factor.as_mut(), Accum::Replace, first.rb(), product.as_ref(), T::zero() - T::one(), par);
        matmul(beside.rb_mut(), Accum::Replace, factor.as_ref(), small, T::one(), par);
    }
}

/// Makes a panel into R column by column, fills V and returns T.
fn reduce_panel<T: Scalar>(mut panel: MatMut<'_, T>, mut v: MatMut<'_, T>) -> Mat<T> {
    let width = panel.ncols();
    let mut t = Mat::zeros(width, width);
    let mut products = [T::zero(); PANEL];
    for step in 0..width {
        let (_, _, _, corner) = panel.rb_mut().split_at_mut(step, step);
        let (own, mut rest) = corner.split_at_col_mut(1);
        let (before, from_here) = v.rb_mut().split_at_col_mut(step);
        let (_, mut vector) = from_here.col_mut(0).split_at_row_mut(step);
        let tau = reflection(own.col_mut(0), vector.rb_mut());
        let vector = vector.rb();
        let after = &mut products[..rest.ncols()];
        inner_products(rest.rb(), vector, after);
        subtract(rest.rb_mut(), vector, after, tau.conj());
        // T's new column is -tau T (V^H v): the part of `larft` for one reflection.
        let common = &mut products[..step];
        inner_products(before.rb().subrows(step, vector.nrows()), vector, common);
        for row in 0..step {
            let sum = (row..step).fold(T::zero(), |sum, index| sum + t[(row, index)] * common[index].conj());
            t[(row, step)] = T::zero() - tau * sum;
        }
        t[(step, step)] = tau;
    }
    t
}

/// Below this many elements, plain loops are faster than to set up faer's product.
const SMALL: usize = 256;

/// The products vᴴ c with columns of a matrix.
fn inner_products<T: Scalar>(c: MatRef<'_, T>, v: ColRef<'_, T>, products: &mut [T]) {
    if c.nrows() * c.ncols() < SMALL {
        for (column, product) in products.iter_mut().enumerate() {
            *product = (0..c.nrows()).fold(T::zero(), |sum, row| sum + v[row].conj() * c[(row, column)]);
        }
        return;
    }
    let columns = products.len();
    let products = MatMut::from_row_major_slice_mut(products, 1, columns);
    matmul(products, Accum::Replace, v.as_mat().adjoint(), c, T::one(), Par::Seq);
}

/// C - tau v p, where p is a row.
fn subtract<T: Scalar>(mut c: MatMut<'_, T>, v: ColRef<'_, T>, p: &[T], tau: T) {
    if c.nrows() * c.ncols() < SMALL {
        for (column, &product) in p.iter().enumerate() {
            for row in 0..c.nrows() {
                c[(row, column)] -= v[row] * (tau * product);
            }
        }
        return;
    }
    let row = MatRef::from_row_major_slice(p, 1, p.len());
    matmul(c, Accum::Add, v.as_mat(), row, T::zero() - tau, Par::Seq);
}

/// LAPACK's `larfg`: fills `v` so that (I - tau v vᴴ)ᴴ makes `x` into a multiple of the first unit
/// vector, a real one, which replaces its first element. Returns tau.
fn reflection<T: Scalar>(x: ColMut<'_, T>, mut v: ColMut<'_, T>) -> T {
    let (mut head, tail) = x.split_at_row_mut(1);
    let alpha = head[0];
    v[0] = T::one();
    let norm: Re<T> = tail.rb().norm_l2();
    let zero = Re::<T>::ZERO;
    if norm == zero && alpha.im() == zero {
        return T::zero();
    }
    let length = Float::hypot(Float::hypot(alpha.re(), alpha.im()), norm);
    let beta = if Float::is_sign_negative(alpha.re()) { length } else { -length };
    head[0] = T::of(beta, zero);
    // Divided by the length first, because squares of what is large overflow.
    let unit = T::of((alpha.re() - beta) / length, alpha.im() / length);
    let (inverse, shorten) = (ComplexFloat::recip(unit), Float::recip(length));
    for index in 0..tail.nrows() {
        let element = tail[index];
        let short = if Float::is_finite(shorten) {
            T::of(element.re() * shorten, element.im() * shorten)
        } else {
            T::of(element.re() / length, element.im() / length)
        };
        v[index + 1] = short * inverse;
    }
    T::of((beta - alpha.re()) / beta, -alpha.im() / beta)
}

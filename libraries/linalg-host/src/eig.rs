//! Eigenvalues and eigenvectors of square matrices.

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, evd_cplx, evd_real, evd_scratch};
use faer::traits::num_traits::Float;
use faer::{Mat, MatRef, Par};
use gpurepl_plugin::Array;
use num_complex::{Complex, ComplexFloat};

use crate::arguments::{Routine, fill_complex, fill_whole, matrices, read};
use crate::batches::{each_of, pieces, pieces_mut};
use crate::eigenvector::{eigenvector, normalise};
use crate::magnitude::balance;
use crate::scalar::{Cx, Real, Scalar};

/// From this order on several threads are faster than one: of 300, two take half as long again.
const LARGE: usize = 400;

/// `eig`: A V = V diag(w), w and V complex. With its number 0, w alone.
///
/// Columns of V have norm 1 and their largest element is real. Of a real
/// matrix, conjugate eigenvalues are neighbours, that with the positive
/// imaginary part first, and the vectors of real ones are real.
pub struct Eig;

impl Routine for Eig {
    const NAME: &'static str = "eig";

    const NUMBERS: usize = 1;

    fn arrays(numbers: &[i64]) -> &'static [&'static str] {
        if numbers[0] != 0 { &["a", "w", "v", "info"] } else { &["a", "w", "info"] }
    }

    fn run<T: Scalar>(arrays: &mut [Array<'_>], _: &[i64]) -> Result<(), String> {
        let (a, w, v, info) = match arrays {
            [a, w, info] => (a, w, None, info),
            [a, w, v, info] => (a, w, Some(v), info),
            _ => return Err("eig takes three or four arrays".to_owned()),
        };
        let shape = matrices("a", a)?;
        let (order, count) = (shape.order()?, shape.count);
        shape.fit("w", w, &[order])?;
        shape.fit("info", info, &[])?;
        let has_vectors = v.is_some();
        let v = match v {
            Some(v) => {
                shape.fit("v", v, &[order, order])?;
                fill_complex::<T>("v", v)?
            }
            None => &mut [],
        };
        let (a, w, info) = (read::<T>("a", a)?, fill_complex::<T>("w", w)?, fill_whole("info", info)?);
        let outputs = pieces_mut(w, count).zip(pieces_mut(v, count)).zip(info);
        each_of(pieces(a, count).zip(outputs), order, LARGE, |(a, ((w, v), info)), par| {
            let mut work = a.to_vec();
            let scale = balance(&mut work)?;
            let is_done = T::eigen(&work, order, w, has_vectors.then_some(v), par);
            w.iter_mut().for_each(|value| *value *= scale);
            *info = i64::from(!is_done || !w.iter().all(|value| ComplexFloat::is_finite(*value)));
            Ok(())
        })
    }
}

/// [`Scalar::eigen`] of a real matrix.
pub fn real<R: Real>(a: &[R], order: usize, w: &mut [Cx<R>], v: Option<&mut [Cx<R>]>, par: Par) -> bool
where
    Complex<R>: Scalar + ComplexFloat<Real = R>,
{
    let matrix = MatRef::from_row_major_slice(a, order, order);
    let compute = if v.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let (none, params) = (ComputeEigenvectors::No, Default::default());
    let mut memory = MemBuffer::new(evd_scratch::<R>(order, none, compute, par, params));
    let stack = MemStack::new(&mut memory);
    let (mut re, mut im) = (vec![R::ZERO; order], vec![R::ZERO; order]);
    let (re_out, im_out) = (DiagMut::from_slice_mut(&mut re), DiagMut::from_slice_mut(&mut im));
    let mut parts = Mat::zeros(order, if v.is_some() { order } else { 0 });
    let right = v.is_some().then(|| parts.as_mut());
    if evd_real(matrix, re_out, im_out, None, right, par, stack, params).is_err() {
        return false;
    }
    let mut column = 0;
    while column < order {
        let value = Complex::new(re[column], Float::abs(im[column]));
        let is_pair = value.im != R::ZERO && column + 1 < order;
        w[column] = value;
        if is_pair {
            w[column + 1] = value.conj();
        }
        column += 1 + usize::from(is_pair);
    }
    let Some(v) = v else { return true };
    let mut column = 0;
    while column < order {
        let is_pair = w[column].im != R::ZERO && column + 1 < order;
        let sign = if im[column] < R::ZERO { -R::ONE } else { R::ONE };
        let part = |row| if is_pair { parts[(row, column + 1)] * sign } else { R::ZERO };
        let mut vector: Vec<_> =
            (0..order).map(|row| Complex::new(parts[(row, column)], part(row))).collect();
        if !normalise(&mut vector) {
            let complex: Vec<_> = a.iter().map(|&element| Complex::new(element, R::ZERO)).collect();
            vector = eigenvector(complex, order, w[column]);
        }
        for (row, &element) in vector.iter().enumerate() {
            v[row * order + column] = element;
            if is_pair {
                v[row * order + column + 1] = element.conj();
            }
        }
        column += 1 + usize::from(is_pair);
    }
    true
}

/// [`Scalar::eigen`] of a complex matrix.
pub fn complex<R: Real>(
    a: &[Complex<R>],
    order: usize,
    w: &mut [Complex<R>],
    v: Option<&mut [Complex<R>]>,
    par: Par,
) -> bool
where
    Complex<R>: Scalar + ComplexFloat<Real = R>,
{
    let matrix = MatRef::from_row_major_slice(a, order, order);
    let compute = if v.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let (none, params) = (ComputeEigenvectors::No, Default::default());
    let mut memory = MemBuffer::new(evd_scratch::<Complex<R>>(order, none, compute, par, params));
    let stack = MemStack::new(&mut memory);
    let mut vectors = Mat::zeros(order, if v.is_some() { order } else { 0 });
    let right = v.is_some().then(|| vectors.as_mut());
    if evd_cplx(matrix, DiagMut::from_slice_mut(w), None, right, par, stack, params).is_err() {
        return false;
    }
    let Some(v) = v else { return true };
    for column in 0..order {
        let mut vector: Vec<_> = (0..order).map(|row| vectors[(row, column)]).collect();
        if !normalise(&mut vector) {
            vector = eigenvector(a.to_vec(), order, w[column]);
        }
        for (row, &element) in vector.iter().enumerate() {
            v[row * order + column] = element;
        }
    }
    true
}

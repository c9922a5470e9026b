//! Singular value decompositions.

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, SvdParams, svd, svd_scratch};
use faer::{MatMut, MatRef, Par, Spec};
use gpurepl_plugin::Array;

use crate::arguments::{Routine, fill, fill_real, fill_whole, matrices, read};
use crate::batches::{each, pieces, pieces_mut};
use crate::magnitude::balance;
use crate::scalar::Scalar;

/// Below this order, QR steps are taken instead of dividing: a little faster than faer's 128.
const RECURSION: usize = 64;

/// `svd`: A = U diag(s) Vᴴ, s descending. The shapes of U and Vᴴ say whether
/// they are square or have as many columns, or rows, as there are singular
/// values. With its number 0, the singular values alone.
pub struct Svd;

impl Routine for Svd {
    const NAME: &'static str = "svd";

    const NUMBERS: usize = 1;

    fn arrays(numbers: &[i64]) -> &'static [&'static str] {
        if numbers[0] != 0 { &["a", "u", "s", "vh", "info"] } else { &["a", "s", "info"] }
    }

    fn run<T: Scalar>(arrays: &mut [Array<'_>], _: &[i64]) -> Result<(), String> {
        let (a, vectors, s, info) = match arrays {
            [a, s, info] => (a, None, s, info),
            [a, u, s, vh, info] => (a, Some((u, vh)), s, info),
            _ => return Err("svd takes three or five arrays".to_owned()),
        };
        let shape = matrices("a", a)?;
        let (rows, columns, count) = (shape.rows, shape.columns, shape.count);
        let size = rows.min(columns);
        shape.fit("s", s, &[size])?;
        shape.fit("info", info, &[])?;
        let has_vectors = vectors.is_some();
        let (u, vh, is_full) = match vectors {
            Some((u, vh)) => {
                let is_full = matrices("u", u)?.columns != size || matrices("vh", vh)?.rows != size;
                let (width, height) = if is_full { (rows, columns) } else { (size, size) };
                shape.fit("u", u, &[rows, width])?;
                shape.fit("vh", vh, &[height, columns])?;
                (fill::<T>("u", u)?, fill::<T>("vh", vh)?, is_full)
            }
            None => (&mut [][..], &mut [][..], false),
        };
        let (a, s, info) = (read::<T>("a", a)?, fill_real::<T>("s", s)?, fill_whole("info", info)?);
        let vectors = pieces_mut(u, count).zip(pieces_mut(vh, count));
        let outputs = vectors.zip(pieces_mut(s, count).zip(info));
        each(pieces(a, count).zip(outputs), rows.max(columns), |(a, ((u, vh), (s, info))), par| {
            let vectors = has_vectors.then_some((u, vh, is_full));
            *info = decompose(a, (rows, columns), vectors, s, par)?;
            Ok(())
        })
    }
}

/// Of one matrix. Returns 1 if the iteration has not converged, else 0.
fn decompose<T: Scalar>(
    a: &[T],
    (rows, columns): (usize, usize),
    vectors: Option<(&mut [T], &mut [T], bool)>,
    s: &mut [crate::scalar::Re<T>],
    par: Par,
) -> Result<i64, String> {
    let size = rows.min(columns);
    let mut work = a.to_vec();
    let scale = balance(&mut work)?;
    let a = MatRef::from_row_major_slice(&work, rows, columns);
    let mut values = vec![T::zero(); size];
    let compute = match &vectors {
        None => ComputeSvdVectors::No,
        Some((.., false)) => ComputeSvdVectors::Thin,
        Some((.., true)) => ComputeSvdVectors::Full,
    };
    let mut params = Spec::<SvdParams, T>::default();
    params.config.recursion_threshold = RECURSION;
    let mut memory = MemBuffer::new(svd_scratch::<T>(rows, columns, compute, compute, par, params));
    let stack = MemStack::new(&mut memory);
    let diagonal = DiagMut::from_slice_mut(&mut values);
    let outcome = match vectors {
        None => svd(a, diagonal, None, None, par, stack, params),
        Some((u, vh, is_full)) => {
            let (width, height) = if is_full { (rows, columns) } else { (size, size) };
            // faer fills only a part of square ones of tall or wide matrices.
            u.fill(T::zero());
            vh.fill(T::zero());
            let left = MatMut::from_row_major_slice_mut(u, rows, width);
            // By columns this is V, but for the signs of imaginary parts.
            let right = MatMut::from_column_major_slice_mut(&mut *vh, columns, height);
            let outcome = svd(a, diagonal, Some(left), Some(right), par, stack, params);
            vh.iter_mut().for_each(|element| *element = element.conj());
            outcome
        }
    };
    for (value, element) in s.iter_mut().zip(values) {
        *value = element.re() * scale;
    }
    Ok(i64::from(outcome.is_err()))
}

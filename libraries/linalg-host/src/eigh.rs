//! Eigenvalues and eigenvectors of Hermitian matrices.

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{
    ComputeEigenvectors, SelfAdjointEvdParams, self_adjoint_evd, self_adjoint_evd_scratch,
};
use faer::{MatMut, MatRef, Par, Spec};
use gpurepl_plugin::Array;

use crate::arguments::{Routine, fill, fill_real, fill_whole, matrices, read};
use crate::batches::{each, pieces, pieces_mut};
use crate::magnitude::balance;
use crate::scalar::{Re, Scalar};
use crate::triangle::{adjoint_in_place, upper_from};

/// Below this order, QR steps are taken instead of dividing: a fifth faster than faer's 128.
const RECURSION: usize = 64;

/// `eigh`: A = V diag(w) Vᴴ, w ascending. Its numbers: 1 for V as well, and 1
/// to read the upper triangle of A instead of the lower one.
pub struct Eigh;

impl Routine for Eigh {
    const NAME: &'static str = "eigh";

    const NUMBERS: usize = 2;

    fn arrays(numbers: &[i64]) -> &'static [&'static str] {
        if numbers[0] != 0 { &["a", "w", "v", "info"] } else { &["a", "w", "info"] }
    }

    fn run<T: Scalar>(arrays: &mut [Array<'_>], numbers: &[i64]) -> Result<(), String> {
        let (a, w, v, info) = match arrays {
            [a, w, info] => (a, w, None, info),
            [a, w, v, info] => (a, w, Some(v), info),
            _ => return Err("eigh takes three or four arrays".to_owned()),
        };
        let is_upper = numbers[1] != 0;
        let shape = matrices("a", a)?;
        let (order, count) = (shape.order()?, shape.count);
        shape.fit("w", w, &[order])?;
        shape.fit("info", info, &[])?;
        let has_vectors = v.is_some();
        let v = match v {
            Some(v) => {
                shape.fit("v", v, &[order, order])?;
                fill::<T>("v", v)?
            }
            None => &mut [],
        };
        let (a, w, info) = (read::<T>("a", a)?, fill_real::<T>("w", w)?, fill_whole("info", info)?);
        let outputs = pieces_mut(w, count).zip(pieces_mut(v, count)).zip(info);
        each(pieces(a, count).zip(outputs), order, |(a, ((w, v), info)), par| {
            *info = decompose(a, order, is_upper, w, has_vectors.then_some(v), par)?;
            Ok(())
        })
    }
}

/// Of one matrix. Returns 1 if the iteration has not converged, else 0.
fn decompose<T: Scalar>(
    a: &[T],
    order: usize,
    is_upper: bool,
    w: &mut [Re<T>],
    v: Option<&mut [T]>,
    par: Par,
) -> Result<i64, String> {
    if order == 0 {
        // faer asks for memory for an order less.
        return Ok(0);
    }
    let mut work = vec![T::zero(); order * order];
    upper_from(a, order, is_upper, &mut work);
    let scale = balance(&mut work)?;
    // By columns this is the lower triangle of the conjugate, and its vectors are conjugate.
    let a = MatRef::from_column_major_slice(&work, order, order);
    let compute = if v.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let mut values = vec![T::zero(); order];
    let mut params = Spec::<SelfAdjointEvdParams, T>::default();
    params.config.recursion_threshold = RECURSION;
    let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<T>(order, compute, par, params));
    let stack = MemStack::new(&mut memory);
    let diagonal = DiagMut::from_slice_mut(&mut values);
    let outcome = match v {
        None => self_adjoint_evd(a, diagonal, None, par, stack, params),
        Some(v) => {
            let vectors = MatMut::from_column_major_slice_mut(&mut *v, order, order);
            let outcome = self_adjoint_evd(a, diagonal, Some(vectors), par, stack, params);
            adjoint_in_place(v, order);
            outcome
        }
    };
    for (value, element) in w.iter_mut().zip(values) {
        *value = element.re() * scale;
    }
    Ok(i64::from(outcome.is_err()))
}

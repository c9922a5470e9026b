//! Eigenvalues and eigenvectors of Hermitian matrices.

use faer::diag::{DiagMut, DiagRef};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{
    ComputeEigenvectors, EvdError, SelfAdjointEvdParams, self_adjoint_evd, self_adjoint_evd_scratch,
    tridiagonal_self_adjoint_evd,
};
use faer::linalg::householder::apply_block_householder_sequence_on_the_left_in_place_with_conj as reflect;
use faer::reborrow::ReborrowMut;
use faer::{Conj, MatMut, MatRef, Par, Spec};
use gpurepl_plugin::Array;

use crate::arguments::{Routine, fill, fill_real, fill_whole, matrices, read};
use crate::batches::{each, pieces, pieces_mut};
use crate::magnitude::balance;
use crate::scalar::{Re, Scalar};
use crate::triangle::{adjoint_in_place, upper_from};
use crate::tridiagonal::tridiagonalize;

/// Below this order, QR steps are taken instead of dividing: a fifth faster than faer's 128.
const RECURSION: usize = 64;

/// From this order on panels of reflections pay.
const PANELS: usize = 256;

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
    let mut values = vec![T::zero(); order];
    // By columns `work` is the lower triangle of the conjugate, and its vectors are conjugate.
    let decompose = if order < PANELS { by_columns } else { by_panels };
    let outcome = match v {
        None => decompose(&work, order, &mut values, None, par),
        Some(v) => {
            let vectors = MatMut::from_column_major_slice_mut(&mut *v, order, order);
            let outcome = decompose(&work, order, &mut values, Some(vectors), par);
            adjoint_in_place(v, order);
            outcome
        }
    };
    for (value, element) in w.iter_mut().zip(values) {
        *value = element.re() * scale;
    }
    Ok(i64::from(outcome.is_err()))
}

/// Of the lower triangle in `a`, with each reflection subtracted at once: all of it is faer's.
fn by_columns<T: Scalar>(
    a: &[T],
    order: usize,
    values: &mut [T],
    vectors: Option<MatMut<'_, T>>,
    par: Par,
) -> Result<(), EvdError> {
    let (mut memory, params) = memory::<T>(order, vectors.is_some(), par);
    let stack = MemStack::new(&mut memory);
    let a = MatRef::from_column_major_slice(a, order, order);
    self_adjoint_evd(a, DiagMut::from_slice_mut(values), vectors, par, stack, params)
}

/// Of the lower triangle in `a`, with reflections subtracted by panels.
fn by_panels<T: Scalar>(
    a: &[T],
    order: usize,
    values: &mut [T],
    mut vectors: Option<MatMut<'_, T>>,
    par: Par,
) -> Result<(), EvdError> {
    let reduced = tridiagonalize(a, order, par);
    let (mut memory, params) = memory::<T>(order, vectors.is_some(), par);
    let (diagonal, below) = (DiagRef::from_slice(&reduced.diagonal), DiagRef::from_slice(&reduced.below));
    let values = DiagMut::from_slice_mut(values);
    let of_tridiagonal = vectors.as_mut().map(|vectors| vectors.rb_mut());
    tridiagonal_self_adjoint_evd(
        diagonal,
        below,
        values,
        of_tridiagonal,
        par,
        MemStack::new(&mut memory),
        params,
    )?;
    if let Some(vectors) = vectors {
        let reflections = reduced.vectors.as_ref().submatrix(1, 0, order - 1, order - 1);
        let (factors, rows) = (reduced.factors.as_ref(), vectors.subrows_mut(1, order - 1));
        reflect(reflections, factors, Conj::No, rows, par, MemStack::new(&mut memory));
    }
    Ok(())
}

/// What faer needs for one matrix.
fn memory<T: Scalar>(
    order: usize,
    has_vectors: bool,
    par: Par,
) -> (MemBuffer, Spec<SelfAdjointEvdParams, T>) {
    let compute = if has_vectors { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let mut params = Spec::<SelfAdjointEvdParams, T>::default();
    params.config.recursion_threshold = RECURSION;
    (MemBuffer::new(self_adjoint_evd_scratch::<T>(order, compute, par, params)), params)
}

//! Cholesky's factors of positive definite matrices.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltError, LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::traits::num_traits::Float;
use faer::{MatMut, Par};
use gpurepl_plugin::Array;

use crate::arguments::{Routine, fill, fill_whole, matrices, read};
use crate::batches::{each, pieces, pieces_mut};
use crate::scalar::{Re, Real, Scalar};
use crate::triangle::{adjoint_in_place, upper_from};

/// `cholesky`: L with A = L Lᴴ, or U with A = Uᴴ U if its number is 1. Only that triangle of A is read.
pub struct Cholesky;

impl Routine for Cholesky {
    const NAME: &'static str = "cholesky";

    const NUMBERS: usize = 1;

    fn arrays(_: &[i64]) -> &'static [&'static str] {
        &["a", "l", "info"]
    }

    fn run<T: Scalar>(arrays: &mut [Array<'_>], numbers: &[i64]) -> Result<(), String> {
        let [a, l, info] = arrays else { return Err("cholesky takes three arrays".to_owned()) };
        let is_upper = numbers[0] != 0;
        let shape = matrices("a", a)?;
        let (order, count) = (shape.order()?, shape.count);
        shape.fit("l", l, &[order, order])?;
        shape.fit("info", info, &[])?;
        let (a, l) = (read::<T>("a", a)?, fill::<T>("l", l)?);
        let outputs = pieces_mut(l, count).zip(fill_whole("info", info)?);
        each(pieces(a, count).zip(outputs), order, |(a, (l, info)), par| {
            upper_from(a, order, is_upper, l);
            *info = factor(l, order, par);
            // faer leaves something in the other triangle.
            for (row, elements) in l.chunks_exact_mut(order.max(1)).enumerate() {
                elements[..row].fill(T::zero());
            }
            if !is_upper {
                adjoint_in_place(l, order);
            }
            Ok(())
        })
    }
}

/// Makes the upper triangle of a row-major matrix into U. Returns the order
/// of the first leading minor that is not positive, else 0.
fn factor<T: Scalar>(a: &mut [T], order: usize, par: Par) -> i64 {
    if order == 1 {
        let element = a[0].re();
        a[0] = T::of(Float::sqrt(element), Re::<T>::ZERO);
        let is_good = element > Re::<T>::ZERO && Float::is_finite(element);
        return i64::from(!is_good);
    }
    // By columns this is the lower triangle of the conjugate, whose factor is that of A transposed.
    let matrix = MatMut::from_column_major_slice_mut(a, order, order);
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<T>(order, par, Default::default()));
    let stack = MemStack::new(&mut memory);
    match cholesky_in_place(matrix, LltRegularization::default(), par, stack, Default::default()) {
        Ok(_) => 0,
        Err(LltError::NonPositivePivot { index }) => index as i64 + 1,
    }
}

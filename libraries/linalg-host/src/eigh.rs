//! Eigenvalues and eigenvectors of Hermitian matrices.

use faer::diag::{DiagMut, DiagRef};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{
    ComputeEigenvectors, EvdError, SelfAdjointEvdParams, self_adjoint_evd, self_adjoint_evd_scratch,
    tridiagonal_self_adjoint_evd,
};
use faer::linalg::householder::apply_block_householder_sequence_on_the_left_in_place_with_conj as reflect;
use faer::linalg::temp_mat_scratch;
use faer::reborrow::ReborrowMut;
use faer::traits::num_traits::ToPrimitive;
use faer::{Conj, MatMut, MatRef, Par, Spec};
use gpurepl_plugin::Array;
use num_complex::ComplexFloat;

use crate::arguments::{Routine, fill, fill_real, fill_whole, matrices, read};
use crate::batches::{each, pieces, pieces_mut};
use crate::magnitude::balance;
use crate::scalar::{Re, Scalar};
use crate::triangle::{adjoint_in_place, upper_from};
use crate::tridiagonal::{Tridiagonal, tridiagonalize};

/// Below this order, QR steps are taken instead of dividing: a fifth faster than faer's 128.
const RECURSION: usize = 64;

/// From this order on panels of reflections pay.
const PANELS: usize = 256;

/// From this order on the eigenvalues alone of matrices of single precision are found in double precision. faer's QR
/// steps have an error that grows with the order: it is about n/2 units of the largest one's last place.
const EXACT: usize = 32;

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
    let is_exact = v.is_some() || size_of::<Re<T>>() == 8 || order < EXACT;
    let decompose = if order < PANELS && is_exact { by_columns } else { by_panels };
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
    vectors: Option<MatMut<'_, T>>,
    par: Par,
) -> Result<(), EvdError> {
    let reduced = tridiagonalize(a, order, vectors.is_some(), par);
    let Some(mut vectors) = vectors else { return values_alone(&reduced, values) };
    let (mut memory, params) = memory::<T>(order, true, par);
    let (diagonal, below) = (DiagRef::from_slice(&reduced.diagonal), DiagRef::from_slice(&reduced.below));
    let (values, of_tridiagonal) = (DiagMut::from_slice_mut(values), Some(vectors.rb_mut()));
    let stack = MemStack::new(&mut memory);
    tridiagonal_self_adjoint_evd(diagonal, below, values, of_tridiagonal, par, stack, params)?;
    let reflections = reduced.vectors.as_ref().submatrix(1, 0, order - 1, order - 1);
    let (factors, rows) = (reduced.factors.as_ref(), vectors.subrows_mut(1, order - 1));
    reflect(reflections, factors, Conj::No, rows, par, MemStack::new(&mut memory));
    Ok(())
}

/// The eigenvalues of a tridiagonal matrix, in double precision.
fn values_alone<T: Scalar>(of: &Tridiagonal<T>, values: &mut [T]) -> Result<(), EvdError> {
    let order = values.len();
    let double = |value: Re<T>| ToPrimitive::to_f64(&value).unwrap_or(f64::NAN);
    let diagonal: Vec<f64> = of.diagonal.iter().map(|element| double(element.re())).collect();
    // Their phases are the vectors'.
    let below: Vec<f64> = of.below.iter().map(|element| double(ComplexFloat::abs(*element))).collect();
    let mut found = vec![0.0; order];
    let mut memory = MemBuffer::new(temp_mat_scratch::<f64>(order, 1).array(2));
    tridiagonal_self_adjoint_evd(
        DiagRef::from_slice(&diagonal),
        DiagRef::from_slice(&below),
        DiagMut::from_slice_mut(&mut found),
        None,
        Par::Seq,
        MemStack::new(&mut memory),
        Spec::default(),
    )?;
    for (value, found) in values.iter_mut().zip(found) {
        *value = T::from_f64_impl(found);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Real;
    use faer::traits::num_traits::Float;
    use num_complex::Complex;

    /// The lower triangle of a Hermitian matrix, by columns.
    type Filling<T> = fn(usize, usize, T) -> T;

    /// Both ways find the same values, the panels' vectors belong to them, and without vectors they are the same.
    fn agrees<T: Scalar>(order: usize, par: Par, filling: Filling<T>) {
        let mut state = order as u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            T::from_f64_impl((state >> 33) as f64 / f64::from(1 << 30) - 1.0).re()
        };
        let mut a = vec![T::zero(); order * order];
        for column in 0..order {
            for row in column..order {
                let value = filling(row, column, T::of(random(), random()));
                let im = if row == column { Re::<T>::ZERO } else { value.im() };
                a[column * order + row] = T::of(value.re(), im);
                a[row * order + column] = T::of(value.re(), -im);
            }
        }
        let largest = a.iter().fold(Re::<T>::ONE, |largest, a| Float::max(largest, ComplexFloat::abs(*a)));
        let of = |count: usize| (0..count).fold(Re::<T>::ZERO, |sum, _| sum + Re::<T>::ONE);
        let limit = Re::<T>::EPSILON * of(order) * of(10) * largest;
        let (mut values, mut expected) = (vec![T::zero(); order], vec![T::zero(); order]);
        let mut vectors = vec![T::zero(); order * order];
        let to = MatMut::from_column_major_slice_mut(&mut vectors, order, order);
        by_panels(&a, order, &mut values, Some(to), par).unwrap();
        let mut others = vec![T::zero(); order * order];
        let to = MatMut::from_column_major_slice_mut(&mut others, order, order);
        by_columns(&a, order, &mut expected, Some(to), Par::Seq).unwrap();
        let case = format!("{} of order {order}, {par:?}", std::any::type_name::<T>());
        for (&value, &expected) in values.iter().zip(&expected) {
            assert!(ComplexFloat::abs(value - expected) <= limit, "{case}");
        }
        let elements = a;
        let (a, v) = (
            MatRef::from_column_major_slice(&elements, order, order),
            MatRef::from_column_major_slice(&vectors, order, order),
        );
        let difference = |left: &faer::Mat<T>, right: &dyn Fn(usize, usize) -> T| {
            let places = (0..order).flat_map(|column| (0..order).map(move |row| (row, column)));
            places.fold(Re::<T>::ZERO, |worst, (row, column)| {
                Float::max(worst, ComplexFloat::abs(left[(row, column)] - right(row, column)))
            })
        };
        assert!(
            difference(&(a * v), &|row, column| v[(row, column)] * values[column]) <= limit,
            "A V, {case}"
        );
        let one = |row, column| if row == column { T::one() } else { T::zero() };
        assert!(difference(&(v.adjoint() * v), &one) <= limit, "Vᴴ V, {case}");
        let mut alone = vec![T::zero(); order];
        by_panels(&elements, order, &mut alone, None, par).unwrap();
        for (&value, &expected) in alone.iter().zip(&expected) {
            assert!(ComplexFloat::abs(value - expected) <= limit, "alone, {case}");
        }
    }

    fn of_all_types(orders: &[usize], par: Par) {
        for &order in orders {
            agrees::<f64>(order, par, |_, _, random| random);
            agrees::<f32>(order, par, |_, _, random| random);
            agrees::<Complex<f64>>(order, par, |_, _, random| random);
            agrees::<Complex<f32>>(order, par, |_, _, random| random);
        }
    }

    #[test]
    fn panels_agree_with_columns() {
        of_all_types(&[1, 2, 3, 5, 31, 32, 33, 34, 64, 65, 97], Par::Seq);
    }

    #[test]
    fn threads_agree_with_one() {
        of_all_types(&[200, 257, 300], Par::rayon(3));
    }

    #[test]
    fn a_matrix_has_the_same_result_with_any_number_of_threads() {
        let order = 400;
        let a: Vec<f64> = (0..order * order).map(|at| ((at * at) % 1009) as f64 - 504.0).collect();
        let reduced = |par| tridiagonalize(&a, order, false, par);
        let expected = reduced(Par::Seq);
        for par in [Par::rayon(2), Par::rayon(3), Par::rayon(2)] {
            let again = reduced(par);
            assert!(again.diagonal == expected.diagonal && again.below == expected.below, "{par:?}");
        }
    }

    #[test]
    fn values_alone_in_single_precision_have_the_errors_of_the_reduction() {
        for order in [40, 100, 300, 600] {
            let element = |row: usize, column: usize| {
                ((row.max(column) * 31 + row.min(column) * 17) % 101) as f32 - 50.0
            };
            let a: Vec<f32> = (0..order * order).map(|at| element(at / order, at % order)).collect();
            let double: Vec<f64> = a.iter().map(|&a| a.into()).collect();
            let (mut values, mut expected) = (vec![0.0_f32; order], vec![0.0_f64; order]);
            assert_eq!(decompose(&a, order, false, &mut values, None, Par::Seq), Ok(0));
            let mut vectors = vec![0.0; order * order];
            assert_eq!(decompose(&double, order, false, &mut expected, Some(&mut vectors), Par::Seq), Ok(0));
            let norm = expected[order - 1].max(-expected[0]);
            for (&value, &expected) in values.iter().zip(&expected) {
                let error = (f64::from(value) - expected).abs() / norm / f64::from(f32::EPSILON);
                assert!(error < 20.0, "{error} units of order {order}");
            }
        }
    }

    /// Where there is nothing to reflect, a reflection is none.
    #[test]
    fn panels_of_matrices_that_are_tridiagonal_or_less() {
        let fillings: [Filling<f64>; 4] = [
            |_, _, _| 0.0,
            |row, column, random| if row == column { random } else { 0.0 },
            |row, column, random| if row - column < 2 { random } else { 0.0 },
            |row, column, _| if row == column { 3.0 } else { 1.0 },
        ];
        for filling in fillings {
            for (order, par) in [(40, Par::Seq), (260, Par::rayon(2))] {
                agrees(order, par, filling);
            }
        }
        agrees::<Complex<f64>>(
            70,
            Par::Seq,
            |row, column, random| if row < column + 2 { random } else { 0.0.into() },
        );
    }
}

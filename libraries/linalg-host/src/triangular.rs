//! Systems whose matrix is a triangle.

use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place_with_conj, solve_unit_lower_triangular_in_place_with_conj,
    solve_unit_upper_triangular_in_place_with_conj, solve_upper_triangular_in_place_with_conj,
};
use faer::{Conj, MatMut, MatRef};
use gpurepl_plugin::Array;

use crate::arguments::{Routine, fill, fill_whole, matrices, read};
use crate::batches::{each, pieces, pieces_mut};
use crate::scalar::Scalar;

/// `triangular_solve`: the solutions of op(A) X = B, where only a triangle of A is read.
///
/// Its numbers: 1 for the lower triangle; 1 for a diagonal of ones; 0 for A
/// itself, 1 for its transpose, 2 for its conjugate transpose.
pub struct TriangularSolve;

impl Routine for TriangularSolve {
    const NAME: &'static str = "triangular_solve";

    const NUMBERS: usize = 3;

    fn arrays(_: &[i64]) -> &'static [&'static str] {
        &["a", "b", "x", "info"]
    }

    fn run<T: Scalar>(arrays: &mut [Array<'_>], numbers: &[i64]) -> Result<(), String> {
        let [a, b, x, info] = arrays else { return Err("triangular_solve takes four arrays".to_owned()) };
        let &[lower, unit, transpose] = numbers else {
            return Err("triangular_solve takes three numbers".to_owned());
        };
        let (is_lower, is_unit) = (lower != 0, unit != 0);
        if !(0..=2).contains(&transpose) {
            return Err(format!("the transposition is 0, 1 or 2, not {transpose}"));
        }
        let shape = matrices("a", a)?;
        let (order, count) = (shape.order()?, shape.count);
        let columns = matrices("b", b)?.columns;
        shape.fit("b", b, &[order, columns])?;
        shape.fit("x", x, &[order, columns])?;
        shape.fit("info", info, &[])?;
        let (a, b, x) = (read::<T>("a", a)?, read::<T>("b", b)?, fill::<T>("x", x)?);
        let inputs = pieces(a, count).zip(pieces(b, count));
        let outputs = pieces_mut(x, count).zip(fill_whole("info", info)?);
        let conj = if transpose == 2 { Conj::Yes } else { Conj::No };
        each(inputs.zip(outputs), order, |((a, b), (x, info)), par| {
            x.copy_from_slice(b);
            let zero = a.iter().step_by(order + 1).position(|&element| element == T::zero());
            *info = zero.filter(|_| !is_unit).map_or(0, |index| index as i64 + 1);
            if *info > 0 || x.is_empty() {
                return Ok(());
            }
            let a = MatRef::from_row_major_slice(a, order, order);
            let a = if transpose == 0 { a } else { a.transpose() };
            let x = MatMut::from_row_major_slice_mut(x, order, columns);
            match (is_lower == (transpose == 0), is_unit) {
                (true, false) => solve_lower_triangular_in_place_with_conj(a, conj, x, par),
                (true, true) => solve_unit_lower_triangular_in_place_with_conj(a, conj, x, par),
                (false, false) => solve_upper_triangular_in_place_with_conj(a, conj, x, par),
                (false, true) => solve_unit_upper_triangular_in_place_with_conj(a, conj, x, par),
            }
            Ok(())
        })
    }
}

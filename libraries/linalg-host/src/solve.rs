//! Linear systems and inverses, by [LU factors](crate::lu).

use faer::linalg::triangular_solve::{solve_unit_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::reborrow::ReborrowMut;
use faer::{MatMut, MatRef, Par};
use gpurepl_plugin::Array;

use crate::arguments::{Routine, fill, fill_whole, matrices, read};
use crate::batches::{each, pieces, pieces_mut};
use crate::lu::factor;
use crate::scalar::Scalar;

/// Up to this order the triangles are solved by plain loops: to set up faer's costs more.
const SMALL: usize = 8;

/// `solve`: the solutions of A X = B.
pub struct Solve;

impl Routine for Solve {
    const NAME: &'static str = "solve";

    fn arrays(_: &[i64]) -> &'static [&'static str] {
        &["a", "b", "x", "info"]
    }

    fn run<T: Scalar>(arrays: &mut [Array<'_>], _: &[i64]) -> Result<(), String> {
        let [a, b, x, info] = arrays else { return Err("solve takes four arrays".to_owned()) };
        let shape = matrices("a", a)?;
        let (order, count) = (shape.order()?, shape.count);
        let columns = matrices("b", b)?.columns;
        shape.fit("b", b, &[order, columns])?;
        shape.fit("x", x, &[order, columns])?;
        shape.fit("info", info, &[])?;
        let (a, b, x) = (read::<T>("a", a)?, read::<T>("b", b)?, fill::<T>("x", x)?);
        let inputs = pieces(a, count).zip(pieces(b, count));
        let outputs = pieces_mut(x, count).zip(fill_whole("info", info)?);
        each(inputs.zip(outputs), order, |((a, b), (x, info)), par| {
            x.copy_from_slice(b);
            *info = solve(a, order, x, columns, par);
            Ok(())
        })
    }
}

/// `inverse`: the inverses of square matrices.
pub struct Inverse;

impl Routine for Inverse {
    const NAME: &'static str = "inverse";

    fn arrays(_: &[i64]) -> &'static [&'static str] {
        &["a", "x", "info"]
    }

    fn run<T: Scalar>(arrays: &mut [Array<'_>], _: &[i64]) -> Result<(), String> {
        let [a, x, info] = arrays else { return Err("inverse takes three arrays".to_owned()) };
        let shape = matrices("a", a)?;
        let (order, count) = (shape.order()?, shape.count);
        shape.fit("x", x, &[order, order])?;
        shape.fit("info", info, &[])?;
        let (a, x) = (read::<T>("a", a)?, fill::<T>("x", x)?);
        let outputs = pieces_mut(x, count).zip(fill_whole("info", info)?);
        each(pieces(a, count).zip(outputs), order, |(a, (x, info)), par| {
            x.fill(T::zero());
            x.iter_mut().step_by(order + 1).for_each(|element| *element = T::one());
            *info = solve(a, order, x, order, par);
            Ok(())
        })
    }
}

/// Solves for the right sides within `x`. Returns the first zero pivot, from 1, else 0.
fn solve<T: Scalar>(a: &[T], order: usize, x: &mut [T], columns: usize, par: Par) -> i64 {
    let (mut small, mut small_pivots) = ([T::zero(); SMALL * SMALL], [0; SMALL]);
    let (mut large, mut large_pivots) = (Vec::new(), Vec::new());
    let (lu, pivots) = if order <= SMALL {
        (&mut small[..order * order], &mut small_pivots[..order])
    } else {
        large.resize(order * order, T::zero());
        large_pivots.resize(order, 0);
        (&mut large[..], &mut large_pivots[..])
    };
    lu.copy_from_slice(a);
    let info = factor(lu, order, order, pivots, par);
    if info > 0 || columns == 0 {
        return info;
    }
    for (row, &other) in pivots.iter().enumerate().filter(|&(row, &other)| row as i64 != other) {
        let (above, below) = x.split_at_mut(other as usize * columns);
        above[row * columns..][..columns].swap_with_slice(&mut below[..columns]);
    }
    if order <= SMALL {
        substitute(lu, order, x, columns);
        return 0;
    }
    let lu = MatRef::from_row_major_slice(&*lu, order, order);
    let mut x = MatMut::from_row_major_slice_mut(x, order, columns);
    solve_unit_lower_triangular_in_place(lu, x.rb_mut(), par);
    solve_upper_triangular_in_place(lu, x, par);
    0
}

fn substitute<T: Scalar>(lu: &[T], order: usize, x: &mut [T], columns: usize) {
    for row in 0..order {
        let (done, rest) = x.split_at_mut(row * columns);
        let factors = &lu[row * order..][..row];
        for (&factor, known) in factors.iter().zip(done.chunks_exact(columns)) {
            subtract(&mut rest[..columns], factor, known);
        }
    }
    for row in (0..order).rev() {
        let (above, known) = x.split_at_mut((row + 1) * columns);
        let own = &mut above[row * columns..];
        let factors = &lu[row * order..][..order];
        for (&factor, known) in factors[row + 1..].iter().zip(known.chunks_exact(columns)) {
            subtract(own, factor, known);
        }
        own.iter_mut().for_each(|element| *element = element.quotient(factors[row]));
    }
}

fn subtract<T: Scalar>(from: &mut [T], factor: T, row: &[T]) {
    for (element, &other) in from.iter_mut().zip(row) {
        *element -= factor * other;
    }
}

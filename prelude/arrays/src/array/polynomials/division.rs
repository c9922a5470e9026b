//! Division with remainder, on the host.

use gpurepl_kernels::DType;
use num_complex::Complex64;

use super::super::raw::Raw;
use super::coefficients::{array, extent, numbers, vector};
use crate::error::{Problem, Result};

fn by_zero<R>(operation: &'static str) -> Result<R> {
    let message = "division by a polynomial without coefficients that are not zero".to_owned();
    Err(Problem::Invalid { operation, message }.into())
}

/// Quotient and remainder, all from the highest power down.
fn divided(mut rest: Vec<Complex64>, by: &[Complex64]) -> (Vec<Complex64>, Vec<Complex64>) {
    let quotients = (rest.len() + 1).saturating_sub(by.len());
    let mut quotient = vec![Complex64::default(); quotients.max(1)];
    for k in 0..quotients {
        let share = rest[k] / by[0];
        quotient[k] = share;
        for (x, y) in rest[k..].iter_mut().zip(by) {
            *x -= share * y;
        }
    }
    (quotient, rest)
}

/// From the highest power down. Of the remainder what is nearly zero goes.
pub(super) fn falling(u: &Raw, v: &Raw, dtype: DType) -> Result<(Raw, Raw)> {
    let operation = "polydiv";
    let (u, v) = (numbers(&vector(operation, u)?)?, numbers(&vector(operation, v)?)?);
    if u.is_empty() || v.first().is_none_or(|first| first.norm() == 0.0) {
        return by_zero(operation);
    }
    let (quotient, rest) = divided(u, &v);
    // NumPy's `allclose(r[0], 0, rtol=1e-14)`.
    let small = rest.iter().take(rest.len() - 1).take_while(|x| x.norm() <= 1e-8).count();
    Ok((array(&[quotient.len()], &quotient, dtype)?, array(&[rest.len() - small], &rest[small..], dtype)?))
}

/// From the lowest power up, of series without zeros at their ends.
pub(super) fn rising(a: &Raw, b: &Raw, dtype: DType) -> Result<(Raw, Raw)> {
    if extent(b)?.is_none() {
        return by_zero("polydiv");
    }
    let falling = |raw: &Raw| -> Result<Vec<Complex64>> {
        let mut numbers = numbers(raw)?;
        numbers.reverse();
        Ok(numbers)
    };
    let (a, b) = (falling(a)?, falling(b)?);
    let (length, divisor) = (a.len(), b.len());
    let (mut quotient, rest) = divided(a, &b);
    quotient.reverse();
    let mut rest = match length >= divisor {
        // The first ones are zeros but for rounding.
        true => rest[length + 1 - divisor..].to_vec(),
        false => rest,
    };
    rest.reverse();
    while rest.len() > 1 && rest.last().is_some_and(|x| x.norm() == 0.0) {
        rest.pop();
    }
    if rest.is_empty() {
        rest.push(Complex64::default());
    }
    Ok((array(&[quotient.len()], &quotient, dtype)?, array(&[rest.len()], &rest, dtype)?))
}

//! Functions of matrices, and products of several.

use gpurepl_extend::arrays::Promote;
use gpurepl_extend::{AnyArray, DType, Elem, GpuArray, Result, error, refuse_in_capture};

use crate::factors;
use crate::norms::{Order, field};
use crate::number::Number;
use crate::shapes::{common_stack, square, with};
use crate::typed::PADE_LIMIT;
use crate::typed::Typed;

/// The exponential of a square matrix, or of each of a stack: `scipy.linalg.expm`. By a Padé approximant of order
/// 13 of the scaled matrix, which is squared again: Higham, The Scaling and Squaring Method for the Matrix
/// Exponential Revisited (2005).
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
/// let turn = linalg::expm(&(std::f64::consts::FRAC_PI_2 * gpu![[0.0, -1.0], [1.0, 0.0]]))?;
/// assert!(allclose(&turn, &gpu![[0.0, -1.0], [1.0, 0.0]]));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If a matrix is not square, or has an element that is not finite.
pub fn expm<T: Number>(a: &GpuArray<T>) -> Result<GpuArray<T::Field>> {
    let a = field(a)?;
    let any = AnyArray::of(&a);
    square("expm", &any)?;
    if a.size() == 0 {
        return Ok(a);
    }
    refuse_in_capture("expm")?;
    let norms = AnyArray::of(&<T::Field>::matrix_norm(&a, Order::P(1.0))).cast(DType::Float64);
    let norms: Vec<f64> = norms.typed()?.try_get()?.into_iter().collect();
    if !norms.iter().all(|norm: &f64| norm.is_finite()) {
        return Err(error::invalid("expm", factors::NOT_FINITE.to_owned()));
    }
    // Each matrix by itself: more squarings than one needs cost it digits.
    let squarings: Vec<i64> =
        norms.iter().map(|norm| (norm / PADE_LIMIT).log2().ceil().max(0.0) as i64).collect();
    let most = squarings.iter().copied().max().unwrap_or(0);
    let (stack, _) = square("expm", &any)?;
    let column = |dtype: DType, bytes: Vec<u8>| AnyArray::from_host(&with(stack, &[1, 1])[..], dtype, &bytes);
    let factors_of_two =
        squarings.iter().flat_map(|count| 0.5_f64.powi(*count as i32).to_ne_bytes()).collect();
    let counts =
        column(DType::Int64, squarings.iter().flat_map(|count| count.to_ne_bytes()).collect())?.typed()?;
    let scaled = <T::Field>::scaled(&a, &column(DType::Float64, factors_of_two)?.typed()?);
    let [below, above] = <T::Field>::pade(&scaled);
    let mut x: GpuArray<T::Field> =
        factors::solve("expm", &AnyArray::of(&below), &AnyArray::of(&above))?.typed()?;
    for step in 0..most {
        x = <T::Field>::squared(&x, &counts, step);
    }
    Ok(x)
}

/// A whole power of a square matrix, or of each of a stack: `numpy.linalg.matrix_power`. Of a negative one the
/// inverse is multiplied. Whole numbers become `f64`; `a.matrix_power(3)` keeps them.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
/// let fibonacci = linalg::matrix_power(&gpu![[1, 1], [1, 0]], 10)?;
/// assert_eq!(fibonacci.to_vec(), [89.0, 55.0, 55.0, 34.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If a matrix is not square, or the power is negative and it is singular.
pub fn matrix_power<T: Number>(a: &GpuArray<T>, exponent: i64) -> Result<GpuArray<T::Field>> {
    let a = field(a)?;
    square("matrix_power", &AnyArray::of(&a))?;
    let (base, exponent) = match u32::try_from(exponent.unsigned_abs()) {
        Ok(exponent_) if exponent < 0 => {
            (factors::inverse("matrix_power", &AnyArray::of(&a))?.typed()?, exponent_)
        }
        Ok(exponent_) => (a, exponent_),
        Err(_) => {
            return Err(error::invalid(
                "matrix_power",
                format!("the power {exponent} is too large; up to {} are taken", u32::MAX),
            ));
        }
    };
    Ok(base.matrix_power(exponent))
}

/// The product of several matrices, in the order that takes the fewest multiplications: `numpy.linalg.multi_dot`. The
/// first may be a row and the last a column, given as vectors.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
/// let (a, b, c) = (rand::<f64>((10, 100)), rand::<f64>((100, 5)), rand::<f64>((5, 50)));
/// assert_eq!(linalg::multi_dot(&[&a, &b, &c])?.shape(), [10, 50]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If there are less than two arrays, one has not two axes, or two neighbours do not fit.
pub fn multi_dot<T: Number>(arrays: &[&GpuArray<T>]) -> Result<GpuArray<T::Field>> {
    let count = arrays.len();
    if count < 2 {
        // NumPy's words.
        return Err(error::invalid("multi_dot", "Expecting at least two arrays.".to_owned()));
    }
    let mut matrices = Vec::with_capacity(count);
    for (place, array) in arrays.iter().enumerate() {
        let any = AnyArray::of(&field(array)?);
        matrices.push(match *any.shape() {
            [n] if place == 0 => any.reshaped(&[1, n])?,
            [n] if place + 1 == count => any.reshaped(&[n, 1])?,
            [_, _] => any,
            ref shape => {
                let message =
                    format!("array {place} has shape {shape:?}; a matrix is wanted, or a vector at an end");
                return Err(error::shape("multi_dot", message));
            }
        });
    }
    for (place, two) in matrices.windows(2).enumerate() {
        if two[0].shape()[1] != two[1].shape()[0] {
            let message = format!(
                "arrays {place} and {}: shapes {:?} and {:?} do not fit",
                place + 1,
                two[0].shape(),
                two[1].shape()
            );
            return Err(error::shape("multi_dot", message));
        }
    }
    let mut lengths: Vec<usize> = matrices.iter().map(|matrix| matrix.shape()[0]).collect();
    lengths.push(matrices[count - 1].shape()[1]);
    let split = cheapest(&lengths);
    let typed = matrices.iter().map(AnyArray::typed).collect::<Result<Vec<GpuArray<T::Field>>>>()?;
    let product = multiplied(&typed, &split, 0, count - 1);
    let ends = [arrays[0], arrays[count - 1]].map(|array| array.ndim() == 1);
    let shape: Vec<usize> = product
        .shape()
        .iter()
        .zip(ends)
        .filter(|(_, is_vector)| !is_vector)
        .map(|(length, _)| *length)
        .collect();
    AnyArray::of(&product).reshaped(&shape)?.typed()
}

/// For the products from `i` to `j` the place of the last multiplication: Cormen, Leiserson, Rivest and Stein,
/// Introduction to Algorithms, 15.2.
fn cheapest(lengths: &[usize]) -> Vec<Vec<usize>> {
    let count = lengths.len() - 1;
    let mut cost = vec![vec![0.0_f64; count]; count];
    let mut split = vec![vec![0; count]; count];
    for length in 1..count {
        for i in 0..count - length {
            let j = i + length;
            cost[i][j] = f64::INFINITY;
            for k in i..j {
                let here = lengths[i] as f64 * lengths[k + 1] as f64 * lengths[j + 1] as f64;
                let all = cost[i][k] + cost[k + 1][j] + here;
                if all < cost[i][j] {
                    (cost[i][j], split[i][j]) = (all, k);
                }
            }
        }
    }
    split
}

fn multiplied<F: crate::Field>(
    matrices: &[GpuArray<F>],
    split: &[Vec<usize>],
    i: usize,
    j: usize,
) -> GpuArray<F> {
    if i == j {
        return matrices[i].clone();
    }
    let k = split[i][j];
    F::product(&multiplied(matrices, split, i, k), &multiplied(matrices, split, k + 1, j))
}

/// The product of matrices; stacks are multiplied one by one: `numpy.linalg.matmul`, and `a.matmul(&b)` here.
///
/// # Errors
///
/// If the lengths do not fit.
pub fn matmul<T, U>(a: &GpuArray<T>, b: &GpuArray<U>) -> Result<GpuArray<<T as Promote<U>>::Out>>
where
    T: Promote<U>,
    U: Elem,
{
    match (a.shape(), b.shape()) {
        (of_a @ [.., inner], of_b @ ([rows] | [.., rows, _])) if inner == rows => {
            common_stack("matmul", of_a, of_b)?;
            Ok(a.matmul(b))
        }
        (of_a, of_b) => {
            let message =
                format!("shapes {of_a:?} and {of_b:?}: the first has as many columns as the second rows");
            Err(error::shape("matmul", message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::cheapest;

    #[test]
    fn the_order_of_a_product_is_the_cheapest() {
        // The book's example.
        let split = cheapest(&[30, 35, 15, 5, 10, 20, 25]);
        assert_eq!((split[0][5], split[0][2], split[3][5]), (2, 0, 4));
    }
}

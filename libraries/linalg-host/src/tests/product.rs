//! Products of matrices, as BLAS's `gemm` has them.

use super::*;

/// A product of row-major matrices, which in column-major order are their transposes. Of either factor the
/// elements may be those of its transpose, or lie within wider rows.
fn product(
    left: (&Tensor, bool, usize),
    right: (&Tensor, bool, usize),
    sizes: [usize; 4],
) -> Result<Tensor, String> {
    let [batches, rows, inner, columns] = sizes;
    let numbers = |(factor, is_transposed, batch): (&Tensor, bool, usize)| {
        [i64::from(is_transposed), factor.columns() as i64, batch as i64]
    };
    let lengths = [batches, columns, rows, inner].map(|length| length as i64);
    let all = [&lengths[..], &numbers(right), &numbers(left)].concat();
    let flat = |tensor: &Tensor| Tensor { shape: vec![tensor.values.len()], ..tensor.clone() };
    let outputs = [(left.0.kind, vec![batches * rows * columns])];
    let mut answer = call("product", &[&flat(right.0), &flat(left.0)], &outputs, &all)?.remove(0);
    answer.shape = vec![batches, rows, columns];
    Ok(answer)
}

fn transpose(a: &Tensor) -> Tensor {
    a.matrices(a.columns(), a.rows(), |at, row, column| at(column, row))
}

#[test]
fn products_are_sums_of_products() {
    for kind in Kind::ALL {
        for (rows, inner, columns) in
            [(1, 1, 1), (5, 3, 7), (130, 40, 1), (1, 90, 50), (300, 170, 200), (40, 200, 900)]
        {
            let (a, b) =
                (Tensor::random(kind, &[2, rows, inner], 3), Tensor::random(kind, &[2, inner, columns], 4));
            let (whole, sizes) = (a.times(&b), [2, rows, inner, columns]);
            let (a_size, b_size) = (rows * inner, inner * columns);
            let is_right = |what: &str, c: Result<Tensor, String>, expected: &Tensor| {
                close(what, kind, c.unwrap().distance(expected), inner, 1.0);
            };
            is_right("A B", product((&a, false, a_size), (&b, false, b_size), sizes), &whole);
            let (at, bt) = (transpose(&a), transpose(&b));
            is_right("transposed", product((&at, true, a_size), (&bt, true, b_size), sizes), &whole);
            // Within wider rows.
            let wide = a.matrices(
                rows,
                inner + 3,
                |at, row, column| if column < inner { at(row, column) } else { 9.0.into() },
            );
            is_right(
                "wider",
                product((&wide, false, rows * (inner + 3)), (&b, false, b_size), sizes),
                &whole,
            );
            // One factor for both products.
            let first =
                Tensor { shape: vec![1, inner, columns], values: b.values[..b_size].to_vec(), ..b.clone() };
            let twice =
                Tensor { shape: b.shape.clone(), values: [&first.values[..]; 2].concat(), ..b.clone() };
            is_right("one B", product((&a, false, a_size), (&first, false, 0), sizes), &a.times(&twice));
        }
    }
}

#[test]
fn matrices_outside_of_their_arrays_are_refused() {
    let (a, b) = (Tensor::random(F64, &[1, 4, 5], 1), Tensor::random(F64, &[1, 5, 6], 2));
    let refused = |sizes| product((&a, false, 20), (&b, false, 30), sizes).unwrap_err();
    assert!(refused([1, 4, 6, 6]).contains("do not lie within"));
    assert!(refused([2, 4, 5, 6]).contains("do not lie within"));
    assert!(product((&a, false, 20), (&b, false, 30), [1, 4, 5, 6]).is_ok());
}

#[test]
fn a_product_has_the_same_bits_with_any_number_of_threads() {
    let (a, b) = (Tensor::random(F64, &[1, 511, 333], 1), Tensor::random(F64, &[1, 333, 420], 2));
    let by = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| product((&a, false, 0), (&b, false, 0), [1, 511, 333, 420]).unwrap().values)
    };
    let one = by(1);
    assert!([2, 3, 5, 16].into_iter().all(|threads| by(threads) == one));
}

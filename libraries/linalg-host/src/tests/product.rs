//! Products of matrices, as BLAS's `gemm` has them.

use super::*;

/// A product of row-major matrices, which in column-major order are their transposes. Of either factor the
/// elements may be those of its transpose, or lie within wider rows.
fn product(left: (&Tensor, bool), right: (&Tensor, bool), sizes: [usize; 3]) -> Result<Tensor, String> {
    let [rows, inner, columns] = sizes;
    let layout =
        |(factor, is_transposed): (&Tensor, bool)| [i64::from(is_transposed), factor.columns() as i64];
    let lengths = [columns, rows, inner].map(|length| length as i64);
    let all = [&lengths[..], &layout(right), &layout(left)].concat();
    let flat = |tensor: &Tensor| Tensor { shape: vec![tensor.values.len()], ..tensor.clone() };
    let outputs = [(left.0.kind, vec![rows * columns])];
    let mut answer = call("product", &[&flat(right.0), &flat(left.0)], &outputs, &all)?.remove(0);
    answer.shape = vec![rows, columns];
    Ok(answer)
}

fn transpose(a: &Tensor) -> Tensor {
    a.matrices(a.columns(), a.rows(), |at, row, column| at(column, row))
}

#[test]
fn products_are_sums_of_products() {
    for kind in Kind::ALL {
        for sizes in [[1, 1, 1], [5, 3, 7], [130, 40, 1], [1, 90, 50], [300, 170, 200], [40, 200, 900]] {
            let [rows, inner, columns] = sizes;
            let (a, b) =
                (Tensor::random(kind, &[rows, inner], 3), Tensor::random(kind, &[inner, columns], 4));
            let expected = a.times(&b);
            let is_right = |what: &str, c: Result<Tensor, String>| {
                close(what, kind, c.unwrap().distance(&expected), inner, 1.0);
            };
            is_right("A B", product((&a, false), (&b, false), sizes));
            let (at, bt) = (transpose(&a), transpose(&b));
            is_right("transposed", product((&at, true), (&bt, true), sizes));
            // Within wider rows.
            let wide = a.matrices(
                rows,
                inner + 3,
                |at, row, column| if column < inner { at(row, column) } else { 9.0.into() },
            );
            is_right("wider", product((&wide, false), (&b, false), sizes));
        }
    }
}

#[test]
fn matrices_outside_of_their_arrays_are_refused() {
    let (a, b) = (Tensor::random(F64, &[4, 5], 1), Tensor::random(F64, &[5, 6], 2));
    let refused = |sizes| product((&a, false), (&b, false), sizes).unwrap_err();
    assert!(refused([4, 6, 6]).contains("does not lie within"));
    assert!(refused([5, 5, 6]).contains("does not lie within"));
    assert!(product((&a, false), (&b, false), [4, 5, 6]).is_ok());
}

#[test]
fn a_product_has_the_same_bits_with_any_number_of_threads() {
    for sizes in [[511, 333, 420], [33, 3000, 47], [2, 1 << 20, 34]] {
        let [rows, inner, columns] = sizes;
        let (a, b) = (Tensor::random(F64, &[rows, inner], 1), Tensor::random(F64, &[inner, columns], 2));
        let by = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| product((&a, false), (&b, false), sizes).unwrap().values)
        };
        let one = by(1);
        assert!([2, 3, 5, 16].into_iter().all(|threads| by(threads) == one), "{sizes:?}");
    }
}

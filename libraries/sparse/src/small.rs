//! The eigenvalues of a small symmetric matrix, on the host.

/// All eigenvalues, and the vectors as columns of a row-major matrix, by Jacobi's rotations: Golub and Van Loan, Matrix
/// Computations (2013), section 8.5.
pub(crate) fn symmetric_eigen(mut a: Vec<f64>, n: usize) -> (Vec<f64>, Vec<f64>) {
    /// Convergence is quadratic, so that this many are never needed.
    const MOST_SWEEPS: usize = 60;
    let mut vectors = vec![0.0; n * n];
    for k in 0..n {
        vectors[k * n + k] = 1.0;
    }
    let size: f64 = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    for _ in 0..MOST_SWEEPS {
        let off: f64 =
            (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i * n + j].abs()).sum();
        if off <= f64::EPSILON * 0.01 * size {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut vectors, n, p, q);
            }
        }
    }
    ((0..n).map(|k| a[k * n + k]).collect(), vectors)
}

/// Makes the elements `(p, q)` and `(q, p)` zero.
fn rotate(a: &mut [f64], vectors: &mut [f64], n: usize, p: usize, q: usize) {
    let off = a[p * n + q];
    if off == 0.0 {
        return;
    }
    let tau = (a[q * n + q] - a[p * n + p]) / (2.0 * off);
    let tangent = tau.signum() / (tau.abs() + tau.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    for k in 0..n {
        let (x, y) = (a[k * n + p], a[k * n + q]);
        (a[k * n + p], a[k * n + q]) = (cosine * x - sine * y, sine * x + cosine * y);
    }
    for k in 0..n {
        let (x, y) = (a[p * n + k], a[q * n + k]);
        (a[p * n + k], a[q * n + k]) = (cosine * x - sine * y, sine * x + cosine * y);
        let (x, y) = (vectors[k * n + p], vectors[k * n + q]);
        (vectors[k * n + p], vectors[k * n + q]) = (cosine * x - sine * y, sine * x + cosine * y);
    }
    (a[p * n + q], a[q * n + p]) = (0.0, 0.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_those_of_the_values() {
        let n = 12;
        let a: Vec<f64> = (0..n * n)
            .map(|e| (e / n, e % n))
            .map(|(i, j)| f64::from(((i * j + i + j) % 7) as u8) - 3.0)
            .collect();
        let (values, vectors) = symmetric_eigen(a.clone(), n);
        for column in 0..n {
            for row in 0..n {
                let product: f64 = (0..n).map(|k| a[row * n + k] * vectors[k * n + column]).sum();
                assert!((product - values[column] * vectors[row * n + column]).abs() < 1e-12);
            }
        }
        assert_eq!(symmetric_eigen(vec![], 0), (vec![], vec![]));
    }
}

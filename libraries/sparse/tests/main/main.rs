//! Sparse matrices beside dense ones, and solvers beside the systems that they solve.

use gpurepl_prelude::*;

mod eigenvalues;
mod files;
mod formats;
mod join;
mod market;
mod products;
mod solvers;

/// Numbers that are the same each time.
struct Numbers(u64);

impl Numbers {
    fn new() -> Numbers {
        Numbers(0x2545_f491_4f6c_dd1d)
    }

    fn whole(&mut self, below: usize) -> usize {
        (self.unit() * below as f64) as usize
    }

    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Triplets of a matrix in which places come twice.
fn triplets(shape: [usize; 2], count: usize) -> (Vec<i64>, Vec<i64>, Vec<f64>) {
    let mut numbers = Numbers::new();
    let count = if shape.contains(&0) { 0 } else { count };
    let rows = (0..count).map(|_| numbers.whole(shape[0]) as i64).collect();
    let columns = (0..count).map(|_| numbers.whole(shape[1]) as i64).collect();
    (rows, columns, (0..count).map(|_| numbers.unit() - 0.5).collect())
}

/// Their dense matrix, added on the host.
fn dense(shape: [usize; 2], (rows, columns, values): &(Vec<i64>, Vec<i64>, Vec<f64>)) -> Vec<f64> {
    let mut dense = vec![0.0; shape[0] * shape[1]];
    for ((row, column), value) in rows.iter().zip(columns).zip(values) {
        dense[*row as usize * shape[1] + *column as usize] += value;
    }
    dense
}

fn matrix(shape: [usize; 2], count: usize) -> sparse::Csr<f64> {
    let (rows, columns, values) = triplets(shape, count);
    sparse::Csr::from_triplets(shape, &rows, &columns, &values).unwrap()
}

fn complex_matrix(shape: [usize; 2], count: usize) -> sparse::Csr<Complex<f64>> {
    let (rows, columns, values) = triplets(shape, count);
    let values: Vec<Complex<f64>> =
        values.iter().enumerate().map(|(k, x)| Complex::new(*x, (k % 7) as f64 / 7.0 - 0.4)).collect();
    sparse::Csr::from_triplets(shape, &rows, &columns, &values).unwrap()
}

fn close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (k, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "element {k}: {a} {b}");
    }
}

/// The Laplace operator on a grid of `n` by `n` points.
fn poisson(n: usize) -> sparse::Csr<f64> {
    let line = sparse::diags([n, n], &[(-1, -1.0), (0, 2.0), (1, -1.0)]).unwrap().to_csr();
    let one = sparse::eye(n).unwrap();
    sparse::kron(&one, &line).unwrap() + sparse::kron(&line, &one).unwrap()
}

//! Dense, sparse and banded matrices.

use super::*;

/// The product of two matrices in row order, and that of their absolutes.
fn product(a: &[f64], b: &[f64], (rows, inner, columns): (usize, usize, usize)) -> (Vec<f64>, Vec<f64>) {
    let (mut c, mut absolute) = (vec![0.0; rows * columns], vec![0.0; rows * columns]);
    for row in 0..rows {
        for column in 0..columns {
            for k in 0..inner {
                let term = a[row * inner + k] * b[k * columns + column];
                c[row * columns + column] += term;
                absolute[row * columns + column] += term.abs();
            }
        }
    }
    (c, absolute)
}

fn wide(x: &[f32]) -> Vec<f64> {
    x.iter().copied().map(f64::from).collect()
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

const SIZES: [(usize, usize, usize); 3] = [(37, 45, 29), (16, 32, 48), (1, 70, 3)];

#[test]
fn products_one_element_a_thread() {
    let multiply = module(include_str!("matrix_multiply.cu")).get_function("multiply_naive").unwrap();
    let mut random = SplitMix64::new(31);
    for size in SIZES {
        let (rows, inner, columns) = size;
        let (a, b) = (random.vec_f64(rows * inner), random.vec_f64(inner * columns));
        let mut c = vec![0.0_f64; rows * columns];
        let grid = (columns.div_ceil(8), rows.div_ceil(4));
        multiply.launch(grid, (8, 4), (In(&a), In(&b), Out(&mut c), rows, inner, columns)).unwrap();
        let (expected, absolute) = product(&a, &b, size);
        for k in 0..c.len() {
            close(c[k], expected[k], 2.0 * inner as f64 * UNIT_F64 * absolute[k]);
        }
    }
}

#[test]
fn products_by_tiles() {
    let multiply = module(include_str!("matrix_multiply.cu")).get_function("multiply_tiled").unwrap();
    let mut random = SplitMix64::new(32);
    let (alpha, beta) = (1.25, -0.5_f32);
    for size in SIZES {
        let (rows, inner, columns) = size;
        let (a, b) = (random.vec_f32(rows * inner), random.vec_f32(inner * columns));
        let start = random.vec_f32(rows * columns);
        let mut c = to_gpu(&start);
        let grid = (columns.div_ceil(16), rows.div_ceil(16));
        let arguments = (alpha, In(&a), In(&b), beta, &mut c, rows, inner, columns);
        multiply.launch(grid, (16, 16), arguments).unwrap();
        let (expected, absolute) = product(&wide(&a), &wide(&b), size);
        for (k, found) in c.to_vec().into_iter().enumerate() {
            let start = f64::from(beta) * f64::from(start[k]);
            // The sum, then two products and a sum.
            let error = (inner as f64 + 2.0) * UNIT_F32 * (alpha * absolute[k] + start.abs());
            close(found, alpha * expected[k] + start, error);
        }
    }
}

#[test]
fn products_four_elements_a_thread() {
    let multiply = module(include_str!("matrix_multiply.cu")).get_function("multiply_coarse").unwrap();
    let mut random = SplitMix64::new(33);
    for size in SIZES {
        let (rows, inner, columns) = size;
        let a = random.vec_i32(rows * inner, -1000, 1000);
        let b = random.vec_i32(inner * columns, -1000, 1000);
        let mut c = zeros::<i32>((rows, columns));
        let grid = (columns.div_ceil(16), rows.div_ceil(16), 1);
        multiply.launch(grid, (16, 4, 1), (In(&a), In(&b), &mut c, rows, inner, columns)).unwrap();
        let doubles = |x: &[i32]| x.iter().copied().map(f64::from).collect::<Vec<f64>>();
        // Whole numbers below 2^53 are exact.
        assert_eq!(doubles(&c.to_vec()), product(&doubles(&a), &doubles(&b), size).0);
    }
}

#[test]
fn transposes_through_padded_tiles() {
    let transpose = module(include_str!("transpose.cu")).get_function("transpose").unwrap();
    let mut random = SplitMix64::new(34);
    for (height, width) in [(70, 45), (32, 64), (3, 100), (1, 1)] {
        let a = to_gpu(&random.vec_f32(height * width)).reshape((height, width));
        let mut turned = zeros::<f32>((width, height));
        let grid = (width.div_ceil(32), height.div_ceil(32));
        transpose.launch(grid, (32, 8), (&a, &mut turned, width, height)).unwrap();
        assert!(array_equal(&turned, &a.t()), "{height} x {width}");
    }
}

#[test]
fn tiles_that_change_places() {
    let transpose = module(include_str!("transpose.cu")).get_function("transpose_in_place").unwrap();
    for n in [50_usize, 32, 7] {
        let a = arange(0..(n * n) as i64).reshape((n, n));
        let mut turned = a.copy();
        let tiles = n.div_ceil(16);
        transpose.launch((tiles, tiles), (16, 16), (&mut turned, n)).unwrap();
        assert!(array_equal(&turned, &a.t()), "{n}");
    }
}

#[test]
fn a_matrix_times_a_vector() {
    let module = module(include_str!("matrix_vector.cu"));
    let kernel = |name| module.get_function(name).unwrap();
    let mut random = SplitMix64::new(35);
    for (rows, columns) in [(37, 150), (100, 64), (65, 1), (1, 33)] {
        let (a, x) = (random.vec_f32(rows * columns), random.vec_f32(columns));
        let mut y = vec![0.0_f32; rows];
        kernel("by_rows").launch_shared(rows, 64, 64 * 4, (In(&a), In(&x), Out(&mut y), columns)).unwrap();
        let (expected, absolute) = product(&wide(&a), &wide(&x), (rows, columns, 1));
        for k in 0..rows {
            close(y[k], expected[k], columns as f64 * UNIT_F32 * absolute[k]);
        }

        let mut y = zeros::<f32>(columns);
        let x = random.vec_f32(rows);
        kernel("transposed")
            .launch((columns.div_ceil(48), 4), 48, (&to_gpu(&a), &to_gpu(&x), &mut y, rows, columns))
            .unwrap();
        let (expected, absolute) = product(&wide(&x), &wide(&a), (1, rows, columns));
        for (k, y) in y.to_vec().into_iter().enumerate() {
            close(y, expected[k], (rows + 4) as f64 * UNIT_F32 * absolute[k]);
        }

        let (a, x) = (random.vec_f64(rows * columns), random.vec_f64(columns));
        let mut y = vec![0.0_f64; rows];
        kernel("by_threads")
            .launch(rows.div_ceil(64), 64, (In(&a), In(&x), Out(&mut y), rows, columns))
            .unwrap();
        let (expected, absolute) = product(&a, &x, (rows, columns, 1));
        for k in 0..rows {
            close(y[k], expected[k], 2.0 * columns as f64 * UNIT_F64 * absolute[k]);
        }
    }
}

#[test]
fn factors_of_many_small_matrices() {
    const N: usize = 20;
    let option = format!("-DN={N}");
    let module = SourceModule::with_options(include_str!("cholesky.cu"), &[&option]).unwrap();
    let cholesky = module.get_function("cholesky").unwrap();
    let mut random = SplitMix64::new(36);
    let batch = 9;
    // B B^T + I, of whole numbers: exact, symmetric and positive definite.
    let mut matrices = Vec::new();
    for _ in 0..batch {
        let b = random.vec_i32(N * N, -3, 4);
        for i in 0..N {
            for j in 0..N {
                let sum: i32 = (0..N).map(|k| b[i * N + k] * b[j * N + k]).sum();
                matrices.push((sum + i32::from(i == j)) as f32);
            }
        }
    }
    let mut factors = vec![f32::NAN; matrices.len()];
    cholesky.launch(batch, (8, 8), (In(&matrices), Out(&mut factors))).unwrap();
    for (matrix, factor) in matrices.chunks(N * N).zip(factors.chunks(N * N)) {
        let element = |i: usize, k: usize| f64::from(factor[i * N + k]);
        for i in 0..N {
            for j in 0..N {
                let terms = || (0..N).map(|k| element(i, k) * element(j, k));
                // Higham, theorem 10.3.
                let error = (N + 1) as f64 * UNIT_F32 * 1.01 * terms().map(f64::abs).sum::<f64>();
                close(terms().sum::<f64>(), matrix[i * N + j], error);
                assert!(j <= i || factor[i * N + j] == 0.0);
            }
        }
    }
}

#[test]
fn elimination_with_pivots() {
    let module = module(include_str!("lu.cu"));
    let [find_pivot, swap_rows, divide_column, eliminate] =
        ["find_pivot", "swap_rows", "divide_column", "eliminate"]
            .map(|name| module.get_function(name).unwrap());
    let mut random = SplitMix64::new(37);
    let n = 41_usize;
    let a = random.vec_f64(n * n);
    let mut factors = to_gpu(&a).reshape((n, n));
    let mut pivots = zeros::<i32>(n);
    for k in 0..n {
        find_pivot.launch(1, 64, (&factors, n, k, &mut pivots)).unwrap();
        swap_rows.launch(n.div_ceil(32), 32, (&mut factors, n, k, &pivots)).unwrap();
        let rest = n - k - 1;
        if rest > 0 {
            divide_column.launch(rest.div_ceil(32), 32, (&mut factors, n, k)).unwrap();
            let grid = (rest.div_ceil(16), rest.div_ceil(8));
            eliminate.launch(grid, (16, 8), (&mut factors, n, k)).unwrap();
        }
    }

    let factors = factors.to_vec();
    let mut rows: Vec<usize> = (0..n).collect();
    for (k, pivot) in pivots.to_vec().into_iter().enumerate() {
        rows.swap(k, pivot as usize);
    }
    let lower = |i: usize, k: usize| if i == k { 1.0 } else { factors[i * n + k] };
    for i in 0..n {
        for j in 0..n {
            let terms = || (0..=i.min(j)).map(|k| lower(i, k) * factors[k * n + j]);
            // Higham, theorem 9.3; as much again for the sum here.
            let error = 2.0 * n as f64 * UNIT_F64 * terms().map(f64::abs).sum::<f64>();
            close(terms().sum::<f64>(), a[rows[i] * n + j], error);
            assert!(j >= i || factors[i * n + j].abs() <= 1.0, "the pivots are the largest");
        }
    }
}

#[test]
fn vectors_made_orthonormal() {
    let module = module(include_str!("gram_schmidt.cu"));
    let [normalise, project] = ["normalise", "project"].map(|name| module.get_function(name).unwrap());
    let (count, length) = (12_usize, 100);
    let start = SplitMix64::new(38).vec_f64(count * length);
    let mut vectors = start.clone();
    let mut on_device = to_gpu(&vectors);
    for k in 0..count {
        normalise.launch(1, 64, (&mut on_device, length, k)).unwrap();
        if k + 1 < count {
            project.launch(count - k - 1, 64, (&mut on_device, length, k)).unwrap();
        }
    }
    vectors.copy_from_slice(&on_device.to_vec());
    let vector = |k: usize| &vectors[k * length..(k + 1) * length];
    // A small multiple of the unit roundoff, of the number of elements, and of
    // the condition, which is below 3 for so few random vectors.
    let error = 10.0 * length as f64 * UNIT_F64;
    for i in 0..count {
        for j in 0..=i {
            close(dot(vector(i), vector(j)), f64::from(u8::from(i == j)), error);
        }
        // What was there at the start is a sum of the first ones.
        let original = &start[i * length..(i + 1) * length];
        let coefficients: Vec<f64> = (0..=i).map(|k| dot(original, vector(k))).collect();
        assert!(coefficients[i] > 0.0);
        for (at, original) in original.iter().enumerate() {
            let sum: f64 = (0..=i).map(|k| coefficients[k] * vector(k)[at]).sum();
            close(sum, *original, 10.0 * error);
        }
    }
}

#[test]
fn sparse_rows_by_threads_and_by_warps() {
    let module = module(include_str!("sparse.cu"));
    let mut random = SplitMix64::new(39);
    let (rows, columns) = (203_usize, 300);
    // Rows of very different lengths; some have nothing.
    let (mut starts, mut places, mut values) = (vec![0_i32], Vec::new(), Vec::new());
    for _ in 0..rows {
        let length = [0, 1, 5, 40, 100][random.below(5) as usize];
        places.extend(random.vec_i32(length, 0, columns));
        values.extend(random.vec_f32(length));
        starts.push(places.len() as i32);
    }
    let x = random.vec_f32(columns as usize);
    for (kernel, blocks, threads) in
        [("rows_by_threads", rows.div_ceil(64), 64), ("rows_by_warps", rows.div_ceil(4), 128)]
    {
        let mut y = vec![f32::NAN; rows];
        let arguments = (In(&starts), In(&places), In(&values), In(&x), Out(&mut y), rows);
        module.get_function(kernel).unwrap().launch(blocks, threads, arguments).unwrap();
        for row in 0..rows {
            let own = starts[row] as usize..starts[row + 1] as usize;
            let terms = || own.clone().map(|k| f64::from(values[k]) * f64::from(x[places[k] as usize]));
            let error = own.len() as f64 * UNIT_F32 * terms().map(f64::abs).sum::<f64>();
            close(y[row], terms().sum::<f64>(), error);
        }
    }
}

#[test]
fn sparse_elements_in_any_order() {
    let coordinates = module(include_str!("sparse.cu")).get_function("coordinates").unwrap();
    let mut random = SplitMix64::new(40);
    let (n, elements) = (57, 3001);
    let (rows, columns) = (random.vec_i32(elements, 0, n), random.vec_i32(elements, 0, n));
    let (values, x) = (random.vec_f64(elements), random.vec_f64(n as usize));
    let mut y = zeros::<f64>(n as usize);
    coordinates.launch(5, 96, (In(&rows), In(&columns), In(&values), In(&x), &mut y, elements)).unwrap();
    let (mut expected, mut absolute) = (vec![0.0; n as usize], vec![0.0; n as usize]);
    for k in 0..elements {
        let term = values[k] * x[columns[k] as usize];
        expected[rows[k] as usize] += term;
        absolute[rows[k] as usize] += term.abs();
    }
    for (k, y) in y.to_vec().into_iter().enumerate() {
        close(y, expected[k], 2.0 * elements as f64 * UNIT_F64 * absolute[k]);
    }
}

#[test]
fn a_matrix_of_diagonals() {
    let multiply = module(include_str!("banded.cu")).get_function("multiply").unwrap();
    let mut random = SplitMix64::new(41);
    let n = 1001_usize;
    let offsets = [-30, -1, 0, 2, 500];
    let (diagonals, x) = (random.vec_f64(offsets.len() * n), random.vec_f64(n));
    let mut y = vec![0.0_f64; n];
    let arguments = (In(&diagonals), In(&offsets), offsets.len(), In(&x), Out(&mut y), n);
    multiply.launch(n.div_ceil(128), 128, arguments).unwrap();
    let expected: Vec<f64> = (0..n)
        .map(|i| {
            let at = |offset: i32| i.checked_add_signed(offset as isize).filter(|j| *j < n);
            let terms = offsets.iter().enumerate().filter_map(|(k, o)| Some((k, at(*o)?)));
            terms.map(|(k, j)| diagonals[k * n + i] * x[j]).sum()
        })
        .collect();
    all_close(&y, &expected, 2.0 * 5.0 * UNIT_F64 * 5.0);
}

#[test]
fn tridiagonal_systems_by_cyclic_reduction() {
    let solve = module(include_str!("banded.cu")).get_function("solve").unwrap();
    let mut random = SplitMix64::new(42);
    for (systems, n) in [(5, 100_usize), (3, 128), (2, 1), (1, 300)] {
        let x = random.vec_f64(systems * n);
        let (below, above) = (random.vec_f64(systems * n), random.vec_f64(systems * n));
        // The diagonal outweighs what is beside it by 1 at least.
        let diagonal: Vec<f64> = random.vec_f64(systems * n).iter().map(|x| 4.0 + x).collect();
        let right: Vec<f64> = (0..x.len())
            .map(|i| {
                let left = if i % n > 0 { below[i] * x[i - 1] } else { 0.0 };
                let right = if i % n < n - 1 { above[i] * x[i + 1] } else { 0.0 };
                left + diagonal[i] * x[i] + right
            })
            .collect();
        let mut solution = vec![0.0_f64; x.len()];
        let arguments = (In(&below), In(&diagonal), In(&above), In(&right), Out(&mut solution));
        solve.launch_shared(systems, n, 4 * 8 * n, arguments).unwrap();
        // A few operations in each of at most 9 steps, and a condition of 7.
        all_close(&solution, &x, 9.0 * 10.0 * 7.0 * UNIT_F64);
    }
}

#[test]
fn kronecker_products() {
    let kronecker = module(include_str!("kronecker.cu")).get_function("kronecker").unwrap();
    let mut random = SplitMix64::new(43);
    let ((a_rows, a_columns), (b_rows, b_columns), pairs) = ((3, 5), (4, 7), 6);
    let mut integers = |n: usize| -> Vec<i64> {
        random.vec_i32(n, -1_000_000, 1_000_000).into_iter().map(i64::from).collect()
    };
    let (a, b) = (integers(pairs * a_rows * a_columns), integers(pairs * b_rows * b_columns));
    let (rows, columns) = (a_rows * b_rows, a_columns * b_columns);
    let mut products = zeros::<i64>((pairs, rows, columns));
    let grid = (columns.div_ceil(8), rows.div_ceil(4), pairs.div_ceil(4));
    let arguments = (In(&a), a_rows, a_columns, In(&b), b_rows, b_columns, &mut products, pairs);
    kronecker.launch(grid, (8, 4, 4), arguments).unwrap();
    let mut expected = Vec::new();
    for pair in 0..pairs {
        for row in 0..rows {
            for column in 0..columns {
                let left = (pair * a_rows + row / b_rows) * a_columns + column / b_columns;
                let right = (pair * b_rows + row % b_rows) * b_columns + column % b_columns;
                expected.push(a[left] * b[right]);
            }
        }
    }
    assert_eq!(products.to_vec(), expected);
}

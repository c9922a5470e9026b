use super::*;
use gpurepl_prelude::sparse::Which;

#[test]
fn eigenvalues_of_poissons_operator() {
    let n = 20;
    let a = poisson(n);
    let line: Vec<f64> =
        (1..=n).map(|k| 2.0 - 2.0 * (std::f64::consts::PI * k as f64 / (n + 1) as f64).cos()).collect();
    let mut all: Vec<f64> = line.iter().flat_map(|x| line.iter().map(move |y| x + y)).collect();
    all.sort_by(f64::total_cmp);
    // The largest is alone, the next two are one value twice, of which one vector finds one.
    let (values, vectors) = sparse::eigsh_which(&a, 1, Which::LargestAlgebraic).unwrap();
    close(&values.to_vec(), &all[n * n - 1..], 1e-12);
    let left = a.matmul(&vectors) - &vectors * &values;
    assert!(left.norm().item() < 1e-11, "{}", left.norm().item());
    let (values, _) = sparse::eigsh_which(&a, 1, Which::SmallestAlgebraic).unwrap();
    close(&values.to_vec(), &all[..1], 1e-12);
    // Different values on the diagonal, of both signs.
    let diagonal: Vec<f64> = (0..500).map(|k| (k as f64 - 240.0) / 10.0).collect();
    let a = sparse::diags([500, 500], &[(0, &to_gpu(&diagonal))]).unwrap();
    let (values, vectors) = sparse::eigsh(&a, 6).unwrap();
    close(&values.to_vec(), &[25.4, 25.5, 25.6, 25.7, 25.8, 25.9], 1e-12);
    assert!((a.matmul(&vectors) - &vectors * &values).norm().item() < 1e-11);
    let gram = vectors.t().matmul(&vectors);
    assert!((gram - eye::<f64>(6)).norm().item() < 1e-12);
    let (values, _) = sparse::eigsh_which(&a, 3, Which::SmallestAlgebraic).unwrap();
    close(&values.to_vec(), &[-24.0, -23.9, -23.8], 1e-12);
    let (values, _) = sparse::eigsh(&a.to_csr().astype::<f32>(), 2).unwrap();
    let values: Vec<f64> = values.to_vec().into_iter().map(f64::from).collect();
    close(&values, &[25.8, 25.9], 1e-5);
}

#[test]
fn eigenvalues_of_a_hermitian_matrix() {
    let z = complex_matrix([80, 80], 400);
    let a = z.matmul(&z.t().conj());
    let (values, vectors) = sparse::eigsh(&a, 3).unwrap();
    let left = a.matmul(&vectors) - &vectors * &values;
    let size = values.to_vec()[2];
    assert!(left.to_vec().iter().map(|z| z.norm_sqr()).sum::<f64>().sqrt() < 1e-10 * size);
}

#[test]
fn eigenvalues_that_cannot_be_found_are_refused() {
    let a = poisson(3);
    for k in [0, 9, 10] {
        let error = sparse::eigsh(&a, k).err().unwrap().to_string();
        assert!(error.contains("must be between 1 and N-1=8"), "{error}");
    }
    let broken = sparse::operator(30, |x: &GpuArray<f64>| Ok(x * f64::INFINITY));
    assert!(sparse::eigsh(&broken, 2).err().unwrap().to_string().contains("not finite"));
    // Small ones: all vectors at once.
    let (values, _) = sparse::eigsh(&gpu![[2.0, 1.0], [1.0, 3.0]], 1).unwrap();
    close(&values.to_vec(), &[(5.0 + 5.0_f64.sqrt()) / 2.0], 1e-14);
    // An eigenvalue that comes many times, of which vectors are found beyond the first.
    let (values, vectors) = sparse::eigsh(&sparse::eye::<f64>(40).unwrap(), 3).unwrap();
    close(&values.to_vec(), &[1.0; 3], 1e-13);
    assert!((vectors.t().matmul(&vectors) - eye::<f64>(3)).norm().item() < 1e-12);
}

/// Each comes as often as it is there, where products with the first vector reach few others.
#[test]
fn eigenvalues_that_come_several_times() {
    let n = 10;
    let a = n as f64 * eye::<f64>(n) - ones::<f64>((n, n));
    let (values, vectors) = sparse::eigsh(&a, 2).unwrap();
    close(&values.to_vec(), &[10.0, 10.0], 1e-12);
    assert!((a.matmul(&vectors) - &vectors * &values).norm().item() < 1e-11);
    let (values, _) = sparse::eigsh_which(&a, 3, Which::SmallestAlgebraic).unwrap();
    close(&values.to_vec(), &[0.0, 10.0, 10.0], 1e-12);
}

#[test]
fn the_power_method() {
    let (value, vector) =
        sparse::power_iteration(&matrix([50, 50], 300).matmul(&matrix([50, 50], 300).t()), 1e-9).unwrap();
    let a = matrix([50, 50], 300).matmul(&matrix([50, 50], 300).t());
    assert!((a.matmul(&vector) - value * &vector).norm().item() <= 1.1e-9 * value);
    // Of the eigenvalue zero, too, the vector is none of zeros.
    for a in [zeros::<f64>((3, 3)), gpu![[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]] {
        let (value, vector) = sparse::power_iteration(&a, 1e-9).unwrap();
        assert_eq!(value, 0.0);
        assert!((vector.norm().item() - 1.0).abs() < 1e-12, "{vector:?}");
        assert_eq!(a.matmul(&vector).to_vec(), [0.0; 3]);
    }
    let broken = sparse::operator(3, |x: &GpuArray<f64>| Ok(x * f64::NAN));
    assert!(sparse::power_iteration(&broken, 1e-9).err().unwrap().to_string().contains("not finite"));
    let large = sparse::diags([20_000, 20_000], &[(0, 1.0)]).unwrap().to_csr().astype::<f32>();
    let (value, _) = sparse::power_iteration(&large, 0.0).unwrap();
    assert!((value - 1.0).abs() < 1e-5);
    let turn = gpu![[0.0, -1.0], [1.0, 0.0]];
    let error = sparse::power_iteration(&turn, 1e-9).err().unwrap().to_string();
    assert!(error.contains("No convergence"), "{error}");
}

/// Small ones beside large ones: found as well as rounding errors of the large ones allow.
#[test]
fn small_eigenvalues_of_ordinary_matrices() {
    let a = sparse::diags([50, 50], &[(-1, -1.0), (0, 2.0), (1, -1.0)]).unwrap();
    let (values, vectors) = sparse::eigsh_which(&a, 3, Which::SmallestAlgebraic).unwrap();
    let exact = |k: f64| 2.0 - 2.0 * (std::f64::consts::PI * k / 51.0).cos();
    close(&values.to_vec(), &[exact(1.0), exact(2.0), exact(3.0)], 1e-13);
    assert!((a.to_csr().matmul(&vectors) - &vectors * &values).norm().item() < 1e-12);
    let (values, _) = sparse::eigsh_which(&poisson(32), 1, Which::SmallestAlgebraic).unwrap();
    close(&values.to_vec(), &[4.0 - 4.0 * (std::f64::consts::PI / 33.0).cos()], 1e-13);
}

//! Products of matrices, linear algebra, transforms, sparse matrices:
//! `cargo bench -p gpurepl-tests --bench libraries [CASE]`.
//!
//! One line a figure, `gpurepl CASE SIZE VALUE UNIT`, every one a median, so
//! that `libraries_peers.py` can be laid beside it: CuPy and PyTorch on a GPU,
//! NumPy and SciPy on the host device. There matrices are smaller, and the
//! plugins have to be built: `gpurepl store build --libraries`.

use std::hint::black_box;
use std::time::Instant;

use gpurepl_prelude::*;

fn out(case: &str, size: usize, value: f64, unit: &str) {
    println!("{:8} {case:28} {size:>12} {value:12.4} {unit}", "gpurepl");
}

/// The cases that are wanted.
struct Cases {
    wanted: Option<String>,
    is_gpu: bool,
}

impl Cases {
    /// One of two sizes: a GPU's, or the host's.
    fn size(&self, gpu: usize, host: usize) -> usize {
        if self.is_gpu { gpu } else { host }
    }

    /// Milliseconds that something takes: on a GPU between two events around it,
    /// as the peers are timed, else by the clock.
    fn milliseconds<R>(&self, act: &mut impl FnMut() -> R) -> f64 {
        if self.is_gpu {
            return f64::from(timed(|| black_box(act())).expect("the device is there").1);
        }
        let start = Instant::now();
        black_box(act());
        start.elapsed().as_secs_f64() * 1e3
    }

    /// Tells a median of `runs`, after two to warm up. With `work`, a count of
    /// operations, as TFLOP/s.
    fn case<R>(&self, name: &str, size: usize, work: Option<f64>, runs: usize, mut act: impl FnMut() -> R) {
        if self.wanted.as_ref().is_some_and(|wanted| !name.contains(wanted.as_str())) {
            return;
        }
        for _ in 0..2 {
            black_box(act());
        }
        let mut times: Vec<f64> = (0..runs).map(|_| self.milliseconds(&mut act)).collect();
        times.sort_by(f64::total_cmp);
        let time = times[runs / 2];
        match work {
            Some(work) => out(name, size, work / time / 1e9, "TFLOP/s"),
            None => out(name, size, time, "ms"),
        }
    }
}

fn products(cases: &Cases) {
    let n = cases.size(8192, 1024);
    let work = Some(2.0 * (n as f64).powi(3));
    let x = rand::<f32>((n, n));
    cases.case("matmul float32", n, work, 7, || x.matmul(&x).gpudata());
    linalg::allow_tf32(true);
    cases.case("matmul tf32", n, work, 7, || x.matmul(&x).gpudata());
    linalg::allow_tf32(false);
    let half = x.astype(f16);
    cases.case("matmul float16", n, work, 7, || half.matmul(&half).gpudata());
    let x = rand::<f64>((n, n));
    cases.case("matmul float64", n, work, 7, || x.matmul(&x).gpudata());
    let x = rand::<f32>((4096, 64, 64));
    let work = Some(2.0 * 4096.0 * 64.0 * 64.0 * 64.0);
    cases.case("matmul batched 4096x64", 64, work, 11, || x.matmul(&x).gpudata());
}

fn factorizations(cases: &Cases) {
    let n = cases.size(4096, 1000);
    let (a, b) = (rand::<f64>((n, n)), rand::<f64>(n));
    cases.case("solve f64", n, None, 5, || linalg::solve(&a, &b).expect("it is not singular"));
    let n = 1024;
    let a = rand::<f64>((n, n));
    let definite = (a.matmul(a.t()) + (n as f64) * eye::<f64>(n)).copy();
    cases.case("svd f64", n, None, 5, || linalg::svd(&a).expect("it converges"));
    cases.case("eigh f64", n, None, 5, || linalg::eigh(&definite).expect("it converges"));
    cases.case("cholesky f64", n, None, 7, || linalg::cholesky(&definite).expect("it is positive definite"));
    cases.case("qr f64", n, None, 7, || linalg::qr(&a).expect("any matrix has one"));
}

fn transforms(cases: &Cases) {
    let n = cases.size(1 << 24, 1 << 20);
    let real = rand::<f32>(n);
    let complex = (&real + 0.0 * Complex32::I).copy();
    cases.case("fft c64", n, None, 11, || fft::fft(&complex).expect("there is memory").gpudata());
    cases.case("rfft f32", n, None, 11, || fft::rfft(&real).expect("there is memory").gpudata());
    let n = cases.size(8192, 1024);
    let square = (rand::<f32>((n, n)) + 0.0 * Complex32::I).copy();
    cases.case("fft2 c64", n, None, 5, || fft::fft2(&square).expect("there is memory").gpudata());
}

fn sparse_systems(cases: &Cases) {
    let side = 1000;
    let unknowns = side * side;
    let offsets = [(0, 4.0), (1, -1.0), (-1, -1.0), (side as i64, -1.0), (-(side as i64), -1.0)];
    let diagonals = sparse::diags([unknowns, unknowns], &offsets).expect("they lie within");
    let rows = diagonals.to_csr();
    let b = rand::<f64>(unknowns);
    cases.case("SpMV 2-D Poisson f64", rows.nnz(), None, 21, || rows.matmul(&b).gpudata());
    // Products behind each other, without what it costs to ask for one.
    let right = b.copy();
    cases.case("100 SpMV f64", rows.nnz(), None, 21, || {
        let mut last = rows.matmul(&right);
        (1..100).for_each(|_| last = rows.matmul(&right));
        last.gpudata()
    });
    cases.case("SpMV as diagonals f64", rows.nnz(), None, 21, || diagonals.matmul(&b).gpudata());
    let steps = cases.size(1000, 100);
    let name = format!("CG {steps} steps f64");
    cases.case(&name, unknowns, None, 3, || {
        sparse::solver().rtol(0.0).maxiter(steps).cg(&rows, &b).expect("there is memory")
    });
}

fn main() {
    // Cargo passes `--bench` to every benchmark.
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let is_gpu = device().kind() == DeviceKind::Cuda;
    let cases = Cases { wanted, is_gpu };
    println!("# {}", device().name());
    products(&cases);
    factorizations(&cases);
    transforms(&cases);
    sparse_systems(&cases);
}

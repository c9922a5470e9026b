//! What the host device costs beside a plain parallel loop in Rust, beside
//! C++ with OpenMP, and beside NumPy, all in one run: `GPUREPL_DEVICE=host cargo bench -p gpurepl-tests --bench host_device`.
//!
//! Prints Markdown. Each time is the best of its turns, in which the rivals
//! take part one after the other, so that what else the machine does hits all
//! of them. NumPy is left out where `python3` has none.

#[path = "host_device/openmp.rs"]
mod openmp;

use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use gpurepl_prelude::*;
use rayon::prelude::*;

const N: usize = 10_000_000;

fn main() {
    // OpenMP's threads do not spin while others have their turn.
    // SAFETY: there is no other thread yet.
    unsafe { std::env::set_var("OMP_WAIT_POLICY", "passive") };
    assert_eq!(device().kind(), DeviceKind::Host, "set GPUREPL_DEVICE=host");
    println!("{:?}\n", device());
    println!("| what | here, ms | beside it, ms | ratio |\n|---|---|---|---|");
    let parts: [(&str, fn()); 8] = [
        ("elementwise", elementwise),
        ("kernel", user_kernel),
        ("openmp", openmp::beside_openmp),
        ("sum", sum),
        ("launches", launches),
        ("compiling", compiling),
        ("barriers", barriers),
        ("stopping", stopping),
    ];
    // `cargo bench -p gpurepl-tests --bench host_device -- sum` runs one part.
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for (name, part) in parts {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            part();
        }
    }
}

/// The best time of each rival over turns that they take one after the other.
fn best<const K: usize>(turns: usize, mut rivals: [&mut dyn FnMut(); K]) -> [f64; K] {
    let mut times = [f64::INFINITY; K];
    for _ in 0..turns {
        for (rival, best) in rivals.iter_mut().zip(&mut times) {
            let start = Instant::now();
            rival();
            *best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    times
}

fn row(what: &str, here: f64, beside: Option<(&str, f64)>) {
    match beside {
        Some((name, time)) => println!("| {what} | {here:.3} | {name}: {time:.3} | {:.2} |", here / time),
        None => println!("| {what} | {here:.3} | | |"),
    }
}

/// Runs a statement in NumPy; its best time in ms.
fn numpy(setup: &str, statement: &str) -> Option<f64> {
    let script = format!(
        "import time, numpy as np\nn = {N}\n{setup}\nbest = 1e9\nfor _ in range(15):\n  start = time.perf_counter()\n  \
         {statement}\n  best = min(best, time.perf_counter() - start)\nprint(best * 1e3)"
    );
    let output = Command::new("python3").args(["-c", &script]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// What a Rust programmer would write for `z = a*x + b*y` on all cores.
fn plain_axpy(z: &mut [f32], x: &[f32], y: &[f32], a: f32, b: f32) {
    const CHUNK: usize = 1 << 15;
    z.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK)).zip(y.par_chunks(CHUNK)).for_each(|((z, x), y)| {
        for ((z, x), y) in z.iter_mut().zip(x).zip(y) {
            *z = a * x + b * y;
        }
    });
}

fn elementwise() {
    let (x, y) = (vec![1.5f32; N], vec![2.5f32; N]);
    let mut z = vec![0.0f32; N];
    let (x_gpu, y_gpu) = (to_gpu(&x), to_gpu(&y));
    let mut z_gpu = zeros::<f32>(N);
    let kernel = ElementwiseKernel::new(
        "float *z, float a, const float *x, float b, const float *y",
        "z[i] = a*x[i] + b*y[i]",
        "linear_combination",
    )
    .unwrap();
    let mut here = || kernel.call((&mut z_gpu, 5.0f32, &x_gpu, 6.0f32, &y_gpu)).unwrap();
    let mut rust = || plain_axpy(black_box(&mut z), &x, &y, 5.0, 6.0);
    let [kernel_time, rust_time] = best(25, [&mut here, &mut rust]);
    row("`z = 5*x + 6*y`, elementwise kernel", kernel_time, Some(("Rust, all cores", rust_time)));
    let mut expression = || drop(black_box((5 * &x_gpu + 6 * &y_gpu).gpudata()));
    let [expression_time] = best(25, [&mut expression]);
    row("`5*x + 6*y`, an expression, with its array", expression_time, Some(("Rust, all cores", rust_time)));
    let setup = "x = np.full(n, 1.5, np.float32); y = np.full(n, 2.5, np.float32)";
    if let Some(time) = numpy(setup, "z = 5*x + 6*y") {
        row("`5*x + 6*y`, an expression", expression_time, Some(("NumPy", time)));
    }
}

fn user_kernel() {
    let (x, y) = (ones::<f32>(N), ones::<f32>(N));
    let mut z = zeros::<f32>(N);
    let module = SourceModule::new(
        "__global__ void combine(float *z, float a, const float *x, float b, const float *y, int n)\n\
         { int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) z[i] = a*x[i] + b*y[i]; }",
    )
    .unwrap();
    let combine = module.get_function("combine").unwrap();
    let generated = ElementwiseKernel::new(
        "float *z, float a, const float *x, float b, const float *y",
        "z[i] = a*x[i] + b*y[i]",
        "combined",
    )
    .unwrap();
    let mut z_too = zeros::<f32>(N);
    let mut here =
        || combine.launch(N.div_ceil(256), 256, (&mut z, 5.0f32, &x, 6.0f32, &y, N as i32)).unwrap();
    let mut generated = || generated.call((&mut z_too, 5.0f32, &x, 6.0f32, &y)).unwrap();
    let [kernel_time, generated_time] = best(25, [&mut here, &mut generated]);
    row("the same as a kernel with a grid", kernel_time, Some(("generated loop", generated_time)));
}

fn sum() {
    let x = vec![1.25f32; N];
    let x_gpu = to_gpu(&x);
    let mut here = || {
        black_box(x_gpu.sum().item());
    };
    let mut rust = || {
        let sum: f32 = x
            .par_chunks(1 << 15)
            .map(|chunk| {
                // Sixteen sums side by side, so that the loop becomes vectors.
                let mut sums = [0.0f32; 16];
                for part in chunk.chunks_exact(16) {
                    sums.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
                }
                sums.iter().sum::<f32>()
            })
            .sum();
        black_box(sum);
    };
    let [here, rust] = best(25, [&mut here, &mut rust]);
    row("`x.sum()`", here, Some(("Rust, all cores", rust)));
    if let Some(time) = numpy("x = np.full(n, 1.25, np.float32)", "x.sum()") {
        row("`x.sum()`", here, Some(("NumPy", time)));
    }
}

fn launches() {
    let module = SourceModule::new(
        "__global__ void add(float *a) { a[threadIdx.x] += 1; }\n\
         __global__ void meet(float *a) { a[threadIdx.x] += 1; __syncthreads(); }",
    )
    .unwrap();
    let mut a = zeros::<f32>(32);
    for name in ["add", "meet"] {
        let kernel = module.get_function(name).unwrap();
        let mut many = || (0..10_000).for_each(|_| kernel.launch(1, 32, &mut a).unwrap());
        let [time] = best(7, [&mut many]);
        row(&format!("10 000 launches of one block of 32 threads, `{name}`"), time, None);
    }
}

fn compiling() {
    // A kernel that no cache knows, and then the same from the cache.
    let (mut fresh, mut cached) = (Vec::new(), Vec::new());
    for k in 0..9 {
        let unique = format!("{}_{k}", std::process::id());
        let source = format!(
            "__global__ void axpy_{unique}(float *y, const float *x, float a, int n)\n\
             {{ int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) y[i] += a*x[i]; }}"
        );
        for times in [&mut fresh, &mut cached] {
            let start = Instant::now();
            SourceModule::new(&source).unwrap().get_function(&format!("axpy_{unique}")).unwrap();
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    row("a small kernel compiled, median", median(&mut fresh), None);
    row("the same from the cache, median", median(&mut cached), None);
}

fn barriers() {
    const SIZE: usize = 512;
    let source = "#define T 16\n\
        __global__ void multiply(float *c, const float *a, const float *b, int n)\n{\n\
          __shared__ float x[T][T], y[T][T];\n\
          int row = blockIdx.y*T + threadIdx.y, column = blockIdx.x*T + threadIdx.x;\n  float sum = 0;\n\
          for (int k = 0; k < n; k += T) {\n\
            x[threadIdx.y][threadIdx.x] = a[row*n + k + threadIdx.x];\n\
            y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y)*n + column];\n    __syncthreads();\n\
            for (int j = 0; j < T; j++) sum += x[threadIdx.y][j] * y[j][threadIdx.x];\n    __syncthreads();\n  }\n\
          c[row*n + column] = sum;\n}";
    let multiply = SourceModule::new(source).unwrap().get_function("multiply").unwrap();
    let (a, b) = (ones::<f32>((SIZE, SIZE)), ones::<f32>((SIZE, SIZE)));
    let mut c = zeros::<f32>((SIZE, SIZE));
    let mut here =
        || multiply.launch((SIZE / 16, SIZE / 16), (16, 16), (&mut c, &a, &b, SIZE as i32)).unwrap();
    let [time] = best(5, [&mut here]);
    assert_eq!(c.max().item(), SIZE as f32);
    row("matrix multiplication of 512, tiles in shared memory", time, None);
    let barriers = (SIZE * SIZE * 2 * SIZE / 16) as f64;
    let cores = rayon::current_num_threads() as f64;
    row("... a thread at a barrier, nanoseconds on one core", time * 1e6 * cores / barriers, None);
    let source = "__global__ void sum(float *y, const float *x, int n)\n{\n  float s = 0;\n\
          for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += gridDim.x*blockDim.x) s += x[i];\n\
          for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffff, s, d);\n\
          if (threadIdx.x % 32 == 0) atomicAdd(y, s);\n}";
    let sum = SourceModule::new(source).unwrap().get_function("sum").unwrap();
    let x = ones::<f32>(N);
    let mut y = zeros::<f32>(1);
    let mut here = || sum.launch(64, 256, (&mut y, &x, N as i32)).unwrap();
    let [time] = best(5, [&mut here]);
    row("a sum of 10^7 with a grid, a stride and shuffles", time, None);
}

fn stopping() {
    let forever = SourceModule::new("__global__ void forever(int *a) { for (;;) a[0]++; }").unwrap();
    let forever = forever.get_function("forever").unwrap();
    let limit = Duration::from_millis(50);
    device().set_kernel_timeout(Some(limit));
    let mut worst = Duration::ZERO;
    for _ in 0..10 {
        let start = Instant::now();
        forever.launch(8, 32, &mut zeros::<i32>(1)).unwrap_err();
        worst = worst.max(start.elapsed().saturating_sub(limit));
    }
    device().set_kernel_timeout(None);
    row("a loop without end stopped, after its time limit, worst of 10", worst.as_secs_f64() * 1e3, None);
}

// Kernels in Rust beside the same kernels in CUDA C, in one run: `gpurepl tests/benches/rust_kernels.rs`.
//
// Seconds are of the kernel alone (`launch_timed`), the least of several rounds in turns. CUDA C is compiled without
// contraction, as Rust is: `-fmad=false`.

// %%
#[kernel]
fn axpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

#[kernel]
fn reduce(x: &[f32], out: &mut [f32]) {
    let part = shared!([f32; 32]);
    let mut sum = 0.0;
    for i in thread::range(x.len()) {
        sum += x[i];
    }
    let sum = warp::reduce(sum, |a, b| a + b);
    if thread::lane() == 0 {
        part[thread::x() / 32] = sum;
    }
    block::sync();
    if thread::x() < 32 {
        let mine = if thread::x() < block::width() / 32 { part[thread::x()] } else { 0.0 };
        let all = warp::reduce(mine, |a, b| a + b);
        if thread::x() == 0 {
            atomic::add(&mut out[0], all);
        }
    }
}

#[kernel]
fn histogram(x: &[u8], out: &mut [u32]) {
    let bins = shared!([u32; 256]);
    bins[thread::x()] = 0;
    block::sync();
    for i in thread::range(x.len()) {
        atomic::add(&mut bins[x[i] as usize], 1);
    }
    block::sync();
    atomic::add(&mut out[thread::x()], bins[thread::x()]);
}

#[kernel]
fn stencil(width: usize, height: usize, x: &[f32], y: &mut [f32]) {
    let (i, j) = (thread::index(), thread::index_y());
    if i > 0 && i < width - 1 && j > 0 && j < height - 1 {
        let at = j * width + i;
        y[at] = 0.25 * (x[at - 1] + x[at + 1] + x[at - width] + x[at + width]);
    }
}

#[kernel]
fn matmul(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (ta, tb) = (shared!([[f32; 16]; 16]), shared!([[f32; 16]; 16]));
    let (tx, ty) = (thread::x(), thread::y());
    let (column, row) = (thread::index(), thread::index_y());
    let mut sum = 0.0;
    for t in 0..n / 16 {
        ta[ty][tx] = a[row * n + t * 16 + tx];
        tb[ty][tx] = b[(t * 16 + ty) * n + column];
        block::sync();
        for k in 0..16 {
            sum += ta[ty][k] * tb[k][tx];
        }
        block::sync();
    }
    c[row * n + column] = sum;
}

#[kernel]
fn mandelbrot(width: usize, limit: u32, out: &mut [u32]) {
    let (i, j) = (thread::index(), thread::index_y());
    if i < width && j < out.len() / width {
        let (x, y) = (i as f32 / width as f32 * 3.0 - 2.2, j as f32 / width as f32 * 3.0 - 1.5);
        let (mut a, mut b) = (0.0f32, 0.0f32);
        let mut count = 0;
        while count < limit && a * a + b * b < 4.0 {
            (a, b) = (a * a - b * b + x, 2.0 * a * b + y);
            count += 1;
        }
        out[j * width + i] = count;
    }
}

// %%
let source = r#"
extern "C" __global__ void axpy(float a, const float *x, float *y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
extern "C" __global__ void reduce(const float *x, size_t n, float *out) {
    __shared__ float part[32];
    float sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) sum += x[i];
    for (int m = 16; m > 0; m /= 2) sum += __shfl_xor_sync(0xffffffff, sum, m);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        float mine = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int m = 16; m > 0; m /= 2) mine += __shfl_xor_sync(0xffffffff, mine, m);
        if (threadIdx.x == 0) atomicAdd(out, mine);
    }
}
extern "C" __global__ void histogram(const unsigned char *x, size_t n, unsigned *out) {
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) atomicAdd(&bins[x[i]], 1);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
extern "C" __global__ void stencil(size_t width, size_t height, const float *x, float *y) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, j = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i < width - 1 && j > 0 && j < height - 1) {
        size_t at = j * width + i;
        y[at] = 0.25f * (x[at - 1] + x[at + 1] + x[at - width] + x[at + width]);
    }
}
extern "C" __global__ void matmul(size_t n, const float *a, const float *b, float *c) {
    __shared__ float ta[16][16], tb[16][16];
    size_t tx = threadIdx.x, ty = threadIdx.y, column = (size_t)blockIdx.x * 16 + tx, row = (size_t)blockIdx.y * 16 + ty;
    float sum = 0;
    for (size_t t = 0; t < n / 16; t++) {
        ta[ty][tx] = a[row * n + t * 16 + tx];
        tb[ty][tx] = b[(t * 16 + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += ta[ty][k] * tb[k][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
extern "C" __global__ void mandelbrot(size_t width, unsigned limit, unsigned *out, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, j = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (i < width && j < n / width) {
        float x = (float)i / (float)width * 3.0f - 2.2f, y = (float)j / (float)width * 3.0f - 1.5f, a = 0, b = 0;
        unsigned count = 0;
        while (count < limit && a * a + b * b < 4.0f) {
            float next = a * a - b * b + x;
            b = 2.0f * a * b + y;
            a = next;
            count++;
        }
        out[j * width + i] = count;
    }
}
"#;
let module = SourceModule::builder(source).option("-fmad=false").compile()?;
let c = |name: &str| module.get_function(name);
let (c_axpy, c_reduce, c_histogram) = (c("axpy")?, c("reduce")?, c("histogram")?);
let (c_stencil, c_matmul, c_mandelbrot) = (c("stencil")?, c("matmul")?, c("mandelbrot")?);
let is_gpu = device().kind() == gpurepl_prelude::device::DeviceKind::Cuda;
let rounds = if is_gpu { 20usize } else { 5 };
fn report(name: &str, rounds: usize, mut rust: impl FnMut() -> Result<f64>, mut other: impl FnMut() -> Result<f64>) -> Result<()> {
    let (mut ours, mut theirs) = (f64::MAX, f64::MAX);
    for _ in 0..rounds {
        ours = ours.min(rust()?);
        theirs = theirs.min(other()?);
    }
    println!("{name:12} rust {:9.1} us, CUDA C {:9.1} us, ratio {:.3}", ours * 1e6, theirs * 1e6, ours / theirs);
    Ok(())
}

// %%
let n = if is_gpu { 1usize << 26 } else { 1 << 22 };
let x = ones::<f32>(n);
let mut y = ones::<f32>(n);
let mut z = ones::<f32>(n);
let blocks = n.div_ceil(256);
report("axpy", rounds, || axpy.launch_timed(blocks, 256, (2.0, &x, &mut y)), || c_axpy.launch_timed(blocks, 256, (2.0f32, &x, &mut z, n)))?;
let mut out = zeros::<f32>(1);
let mut out2 = zeros::<f32>(1);
report("reduce", rounds, || reduce.launch_timed(1056, 256, (&x, &mut out)), || c_reduce.launch_timed(1056, 256, (&x, n, &mut out2)))?;
let bytes = arange(0..n as i64).map(|i| (i * 7919 % 256) as u8);
let mut bins = zeros::<u32>(256);
let mut bins2 = zeros::<u32>(256);
report("histogram", rounds, || histogram.launch_timed(1056, 256, (&bytes, &mut bins)), || c_histogram.launch_timed(1056, 256, (&bytes, n, &mut bins2)))?;
let side = if is_gpu { 8192usize } else { 2048 };
let grid = (side / 32, side / 8);
report("stencil", rounds, || stencil.launch_timed(grid, (32, 8), (side, side, &x, &mut y)), || c_stencil.launch_timed(grid, (32, 8), (side, side, &x, &mut z)))?;
let mut steps = zeros::<u32>(side * side);
let mut steps2 = zeros::<u32>(side * side);
report("mandelbrot", rounds.min(5), || mandelbrot.launch_timed(grid, (32, 8), (side, 200, &mut steps)), || c_mandelbrot.launch_timed(grid, (32, 8), (side, 200u32, &mut steps2, side * side)))?;
println!("equal: {} {}", (&steps).eq(&steps2).all().item(), (&y - &z).abs().max().item());
let m = if is_gpu { 2048usize } else { 256 };
let (a, b) = (rand::<f32>((m, m)), rand::<f32>((m, m)));
let mut p = zeros::<f32>((m, m));
let mut q = zeros::<f32>((m, m));
report("matmul", rounds.min(5), || matmul.launch_timed((m / 16, m / 16), (16, 16), (m, &a, &b, &mut p)), || c_matmul.launch_timed((m / 16, m / 16), (16, 16), (m, &a, &b, &mut q)))?;
println!("equal: {}", (&p - &q).abs().max().item());

// %%
let k = 1.5f32;
let warm = x.map(|v| v * 2.0 + k);
for name in ["map", "2*x + k"] {
    let mut best = f64::MAX;
    for _ in 0..rounds {
        let (_, milliseconds) = gpurepl_prelude::device::timed(|| {
            if name == "map" {
                let _made = x.map(|v| v * 2.0 + k);
            } else {
                let _made = (2.0 * &x + k).copy();
            }
        })?;
        best = best.min(milliseconds as f64 * 1e-3);
    }
    println!("{name:12} {:9.1} us, {:.0} GB/s", best * 1e6, n as f64 * 8.0 / best / 1e9);
}

// %%
let start = std::time::Instant::now();
#[kernel]
fn fresh(y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = y[i] * 3.0 + 0.125;
    }
}
fresh.launch_for(n, (&mut y,))?;
device().synchronize()?;
println!("a new kernel, from its launch to its result: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);

//! Transposes a matrix naively and by tiles in shared memory, and compares the bandwidth with a copy's.

// %% Three kernels with blocks of 32 by 8 threads, of which each thread has four elements
let module = SourceModule::new("
#define TILE 32
#define ROWS 8

__global__ void copy(float *out, const float *in, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < n && y + k < n) out[(y + k) * n + x] = in[(y + k) * n + x];
}

// Neighbouring threads read neighbours, and write n elements apart.
__global__ void naive(float *out, const float *in, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < n && y + k < n) out[x * n + y + k] = in[(y + k) * n + x];
}

// The tile is turned in shared memory, so that neighbours are written as well. One column more than there are
// elements keeps the threads of a warp, which read a column, in different banks.
__global__ void tiled(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < n && y + k < n) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < n && y + k < n) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}")?;

// %% A size that is no multiple of the tile's
let n: usize = if device().kind() == DeviceKind::Cuda { 4104 } else { 1000 };
seed(1);
let a = rand::<f32>((n, n));
let host = a.to_vec();
let turned: Vec<f32> = (0..n * n).map(|k| host[k % n * n + k / n]).collect();
let grid = (n.div_ceil(32), n.div_ceil(32));

// %% The best of five launches; each element is read once and written once
println!("{n} by {n} elements on {}", device().name());
for (name, expected) in [("copy", &host), ("naive", &turned), ("tiled", &turned)] {
    let kernel = module.get_function(name)?;
    let mut out = zeros_like(&a);
    let mut seconds = f64::INFINITY;
    for _ in 0..5 {
        seconds = seconds.min(kernel.launch_timed(grid, (32, 8), (&mut out, &a, n))?);
    }
    assert!(out.to_vec() == *expected, "{name} is wrong");
    println!("{name:>6}: {:8.1} GB/s", 8e-9 * (n * n) as f64 / seconds);
}

// %% An array needs no kernel: a transposed view is copied when its elements are needed in order
assert!(a.t().copy().to_vec() == turned);

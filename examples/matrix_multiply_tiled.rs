//! Multiplies matrices by tiles in shared memory, where each element that is read serves 16 products.

// %% A block computes a tile of the product. Beyond the edges a tile holds zeros, which add nothing
let multiply = SourceModule::new("
#define TILE 16

// c (m by n) = a (m by k) times b (k by n)
__global__ void multiply(float *c, const float *a, const float *b, int m, int n, int k)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int first = 0; first < k; first += TILE) {
        int x = first + threadIdx.x, y = first + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0;
        right[threadIdx.y][threadIdx.x] = y < k && column < n ? b[y * n + column] : 0;
        __syncthreads();                                        // the tiles are complete
        for (int i = 0; i < TILE; i++) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();                                        // and no longer needed
    }
    if (row < m && column < n) c[row * n + column] = sum;
}")?
.get_function("multiply")?;

// %%
let (m, n, k) = (150_usize, 210_usize, 130_usize);
let numbers = rng(3);
let (a, b) = (numbers.standard_normal::<f32>((m, k)), numbers.standard_normal::<f32>((k, n)));
let mut c = zeros::<f32>((m, n));
let grid = (n.div_ceil(16), m.div_ceil(16));
let seconds = multiply.launch_timed(grid, (16, 16), (&mut c, &a, &b, m, n, k))?;
let speed = 2e-9 * (m * n * k) as f64 / seconds;
println!("{m} by {k} times {k} by {n}: {:.2} ms, {speed:.2} GFLOP/s", 1e3 * seconds);

// %% Three loops on the host, in double precision
fn product(a: &[f32], b: &[f32], m: usize, n: usize, k: usize) -> Vec<f64> {
    let mut c = vec![0.0; m * n];
    for row in 0..m {
        for i in 0..k {
            for column in 0..n {
                c[row * n + column] += f64::from(a[row * k + i]) * f64::from(b[i * n + column]);
            }
        }
    }
    c
}
let expected = to_gpu(&product(&a.to_vec(), &b.to_vec(), m, n, k)).reshape((m, n));
let off = (c.astype(f64) - &expected).abs().max().item();
println!("largest error {off:.1e}, of elements up to {:.0}", expected.abs().max().item());
assert!(off < 1e-4);

// %% The method of arrays, which uses the library of the device
assert!((a.matmul(&b) - &c).abs().max().item() < 1e-3);

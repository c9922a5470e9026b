//! Counts bytes by atomic additions: in global memory, and first in the shared memory of each block.

// %% Both kernels stride over the input. The second one adds to global memory once for each block and value
let module = SourceModule::new("
__global__ void in_global(unsigned *counts, const unsigned char *values, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[values[i]], 1);
}

__global__ void in_shared(unsigned *counts, const unsigned char *values, int n)
{
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;                                  // a block has 256 threads
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[values[i]], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}")?;

// %% Bytes around 100, as of a dark picture
let n = 1_000_003_usize;
let values = clip(&rng(8).normal(100, 30, n), 0, 255).astype(u8);

// %% A loop on the host
let mut expected = [0_u32; 256];
for value in values.to_vec() {
    expected[value as usize] += 1;
}

// %%
let blocks = 64;
let mut counts = zeros::<u32>(256);
for name in ["in_global", "in_shared"] {
    counts.fill(0);
    let seconds = module.get_function(name)?.launch_timed(blocks, 256, (&mut counts, &values, n))?;
    println!("{name}: {:.2} ms", 1e3 * seconds);
    assert!(counts.to_vec() == expected, "{name} counts otherwise");
}

// %% The method of arrays, and what a histogram tells: its sum, its mean
assert!(array_equal(values.bincount_minlength(256), counts.astype(i64)));
let mean = (arange(0..256).astype(f64) * &counts).sum().item() / n as f64;
println!("{n} values, mean {mean:.3}, most frequent {}", counts.argmax().item());
assert_eq!(counts.sum().item(), n as u64);
assert!((mean - values.astype(f64).mean().item()).abs() < 1e-9);

// %%
if let Some(path) = std::env::args().nth(1) {
    bar(&counts).xlabel("value").ylabel("count").title("A million bytes").save(path)?;
}

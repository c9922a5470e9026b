//! Estimates pi from random points in a square, by arrays and by a kernel with a generator for each thread.

// %% With arrays: a quarter of a disc has the area pi/4
let n = 1_000_000_usize;
seed(314);
let (x, y) = (rand::<f32>(n), rand::<f32>(n));
let inside = (x.square() + y.square()).le(1);
let hits = inside.sum().item();
let estimate = 4.0 * hits as f64 / n as f64;
println!("arrays: {estimate:.5} from {n} points");

// %% The same points in a loop on the host
let expected = x.to_vec().iter().zip(&y.to_vec()).filter(|(x, y)| **x * **x + **y * **y <= 1.0).count();
assert_eq!(hits as usize, expected);

// %% In a kernel no point is ever in memory: each thread has a generator of its own and counts what it hits
let module = SourceModule::new("
#include <curand_kernel.h>

__global__ void throw_points(unsigned long long *hits, int each)
{
    curandStatePhilox4_32_10_t state;
    curand_init(314, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    unsigned long long mine = 0;
    for (int k = 0; k < each; k++) {
        float x = curand_uniform(&state), y = curand_uniform(&state);
        if (x * x + y * y <= 1) mine++;
    }
    atomicAdd(hits, mine);
}")?;
let (blocks, threads, each) = (32_usize, 128_usize, 1000_usize);
let mut counted = zeros::<u64>(1);
module.get_function("throw_points")?.launch(blocks, threads, (&mut counted, each))?;
let many = blocks * threads * each;
let better = 4.0 * counted.item() as f64 / many as f64;
println!("kernel: {better:.5} from {many} points");

// %% The standard deviation of an estimate from n points is 1.64 / sqrt(n): both lie within four of them
for (found, points) in [(estimate, n), (better, many)] {
    let deviation = 1.642 / (points as f64).sqrt();
    let off = found - std::f64::consts::PI;
    println!("off by {off:+.5}, which is {:.1} standard deviations", off.abs() / deviation);
    assert!(off.abs() < 4.0 * deviation);
}

// %%
if let Some(path) = std::env::args().nth(1) {
    let colors = inside.slice(..3000).astype(f32);
    scatter((&x.slice(..3000), &y.slice(..3000))).colors(&colors).colormap("coolwarm").markersize(3.0)
        .aspect("equal").title("3000 of the points").save(path)?;
}

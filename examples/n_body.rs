//! Moves stars by their gravity: each thread sums up the pull on one star, and a block shares what it reads.

// %% A tile of stars at a time lies in shared memory. `w` is a star's mass
let accelerate = SourceModule::new("
#define TILE 128

__global__ void accelerate(float3 *pull, const float4 *stars, int n, float softening)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 mine = i < n ? stars[i] : make_float4(0, 0, 0, 0);
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += TILE) {
        int j = first + threadIdx.x;
        tile[threadIdx.x] = j < n ? stars[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            float dx = tile[k].x - mine.x, dy = tile[k].y - mine.y, dz = tile[k].z - mine.z;
            float square = dx * dx + dy * dy + dz * dz + softening * softening;
            float strength = tile[k].w / (square * sqrtf(square));
            sum.x += strength * dx;
            sum.y += strength * dy;
            sum.z += strength * dz;
        }
        __syncthreads();
    }
    if (i < n) pull[i] = sum;
}")?
.get_function("accelerate")?;

// %% A ball of 500 stars that turns about an axis
let (n, softening, step) = (500_usize, 0.1_f32, 0.01_f32);
let random = rng(11);
let masses = (0.5 + random.random::<f32>((n, 1))) / n as f32;
let stars = concatenate_axis((&random.standard_normal::<f32>((n, 3)), &masses), 1);
let mut places = stars.slice(s![.., ..3]);                        // a view: writing it writes `stars`
let (x, y) = (stars.slice(s![.., 0]), stars.slice(s![.., 1]));
let mut speeds = 0.4 * stack_axis((&-&y, &x, &zeros_like(&x)), 1);

// %% The pull at the start, and a double loop on the host
let mut pull = zeros::<f32>((n, 3));
accelerate.launch(n.div_ceil(128), 128, (&mut pull, &stars, n, softening))?;
let host = stars.to_vec();
let mut expected = vec![[0.0_f64; 3]; n];
for (sum, mine) in expected.iter_mut().zip(host.chunks(4)) {
    for other in host.chunks(4) {
        let apart = [0, 1, 2].map(|k| f64::from(other[k]) - f64::from(mine[k]));
        let square = apart.iter().map(|d| d * d).sum::<f64>() + f64::from(softening * softening);
        for k in 0..3 {
            sum[k] += f64::from(other[3]) * apart[k] / square.powf(1.5);
        }
    }
}
let off = (pull.astype(f64) - to_gpu(&expected)).abs().max().item();
println!("largest error of the pull {off:.1e}, of values up to {:.2}", pull.abs().max().item());
assert!(off < 1e-4);

// %% Two hundred steps. Every star pulls as strongly as it is pulled, so that the momentum of all stays
let before = (&speeds * &masses).sum_axis(0);
let start = places.copy();
for _ in 0..200 {
    accelerate.launch(n.div_ceil(128), 128, (&mut pull, &stars, n, softening))?;
    speeds += &pull * step;
    places += &speeds * step;
}
let change = ((&speeds * &masses).sum_axis(0) - before).abs().max().item();
let moved = (&places - &start).abs().mean().item();
println!("momentum changed by {change:.1e}; the stars moved {moved:.2} in the mean");
assert!(change < 1e-5 && moved > 0.1);

// %%
if let Some(path) = std::env::args().nth(1) {
    scatter((&start.slice(s![.., 0]), &start.slice(s![.., 1]))).label("start").alpha(0.4).markersize(3.0)
        .scatter((&x, &y)).label("later").markersize(3.0).aspect("equal").title("Stars").save(path)?;
}

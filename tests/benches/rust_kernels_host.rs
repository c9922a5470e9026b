// Kernels in Rust on the host device beside loops that one would write by hand, in one run:
// `gpurepl --device host tests/benches/rust_kernels_host.rs`.
//
// The loops run on all cores, by threads that take a part each. Milliseconds, the least of 25 turns. Cells that hold the
// loops are compiled as a release build is.

// %%
:opt 3

// %%
const N: usize = 10_000_000;
const SIDE: usize = 3000;

#[kernel]
fn axpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

#[kernel]
fn polynomial(x: &[f32], y: &mut [f32]) {
    for i in thread::range(y.len()) {
        let v = x[i];
        y[i] = ((((v + 1.0) * v + 2.0) * v + 3.0) * v + 4.0) * v + 5.0;
    }
}

#[kernel]
fn stencil(width: usize, height: usize, x: &[f32], y: &mut [f32]) {
    let (i, j) = (thread::index(), thread::index_y());
    if i > 0 && i < width - 1 && j > 0 && j < height - 1 {
        let at = j * width + i;
        y[at] = 0.25 * (x[at - 1] + x[at + 1] + x[at - width] + x[at + width]);
    }
}

#[device]
fn steps(x: f32, y: f32) -> u32 {
    let (mut a, mut b) = (0.0f32, 0.0f32);
    let mut count = 0;
    while count < 50 && a * a + b * b < 4.0 {
        (a, b) = (a * a - b * b + x, 2.0 * a * b + y);
        count += 1;
    }
    count
}

#[device]
fn scaled(v: f32) -> f32 {
    v * 2.0 + 1.5
}

#[kernel]
fn mandelbrot(width: usize, out: &mut [u32]) {
    let (i, j) = (thread::index(), thread::index_y());
    if i < width && j < out.len() / width {
        out[j * width + i] = steps(i as f32 / width as f32 * 3.0 - 2.2, j as f32 / width as f32 * 3.0 - 1.5);
    }
}

#[kernel]
fn total(x: &[f32], out: &mut [f32]) {
    let part = shared!([f32; 256]);
    let t = thread::x();
    let mut sum = 0.0;
    for i in thread::range(x.len()) {
        sum += x[i];
    }
    part[t] = sum;
    block::sync();
    let mut width = 128;
    while width > 0 {
        if t < width {
            part[t] += part[t + width];
        }
        block::sync();
        width /= 2;
    }
    if t == 0 {
        out[block::x()] = part[0];
    }
}

/// Parts of what is written, each with the index of its first element, on all cores.
fn on_all_cores<T: Send>(all: &mut [T], part: impl Fn(usize, &mut [T]) + Sync) {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let length = all.len().div_ceil(cores);
    let part = &part;
    std::thread::scope(|scope| {
        for (k, own) in all.chunks_mut(length).enumerate() {
            scope.spawn(move || part(k * length, own));
        }
    });
}

fn report(name: &str, mut ours: impl FnMut() -> Result<()>, beside: &str, mut other: impl FnMut() -> Result<()>) -> Result<()> {
    let mut least = [f64::MAX; 2];
    for _ in 0..25 {
        let start = std::time::Instant::now();
        ours()?;
        least[0] = least[0].min(start.elapsed().as_secs_f64());
        let start = std::time::Instant::now();
        other()?;
        least[1] = least[1].min(start.elapsed().as_secs_f64());
    }
    println!("| {name} | {:.2} | {beside}: {:.2} | {:.2} |", least[0] * 1e3, least[1] * 1e3, least[0] / least[1]);
    Ok(())
}

// %%
println!("| kernel | here, ms | beside it, ms | ratio |\n|---|---|---|---|");
let (x, mut y) = (ones::<f32>(N), ones::<f32>(N));
let (own, mut sums) = (vec![1.0f32; N], vec![1.0f32; N]);
report("an element a thread, `y[i] += a * x[i]`", || axpy.launch(N.div_ceil(256), 256, (2.0, &x, &mut y)), "Rust, all cores", || {
    on_all_cores(&mut sums, |first, part| part.iter_mut().zip(&own[first..]).for_each(|(y, x)| *y += 2.0 * x));
    Ok(())
})?;
report("a polynomial by strides of the grid", || polynomial.launch(1024, 256, (&x, &mut y)), "Rust, all cores", || {
    on_all_cores(&mut sums, |first, part| part.iter_mut().zip(&own[first..]).for_each(|(y, &v)| *y = ((((v + 1.0) * v + 2.0) * v + 3.0) * v + 4.0) * v + 5.0));
    Ok(())
})?;
report("`x.map(scaled)`, with its array", || {
    let _made = x.map(scaled);
    Ok(())
}, "Rust, all cores, with its array", || {
    let mut made = vec![0.0f32; N];
    on_all_cores(&mut made, |first, part| part.iter_mut().zip(&own[first..]).for_each(|(y, x)| *y = scaled(*x)));
    Ok(())
})?;
report("`x.map(scaled)`, with its array", || {
    let _made = x.map(scaled);
    Ok(())
}, "Rust, all cores, into an array that is there", || {
    on_all_cores(&mut sums, |first, part| part.iter_mut().zip(&own[first..]).for_each(|(y, x)| *y = scaled(*x)));
    Ok(())
})?;
let (image, mut smooth) = (rand::<f32>(SIDE * SIDE), zeros::<f32>(SIDE * SIDE));
let (own_image, mut own_smooth) = (image.to_vec(), vec![0.0f32; SIDE * SIDE]);
let grid = (SIDE.div_ceil(32), SIDE.div_ceil(8));
report("a stencil of four neighbours", || stencil.launch(grid, (32, 8), (SIDE, SIDE, &image, &mut smooth)), "Rust, all cores", || {
    on_all_cores(&mut own_smooth, |first, part| {
        let from = |at: usize| at.max(SIDE + 1).min(SIDE * SIDE - SIDE - 1);
        for row in (first / SIDE).max(1)..((first + part.len()).div_ceil(SIDE)).min(SIDE - 1) {
            let (begin, end) = (from(row * SIDE + 1).max(first), (row * SIDE + SIDE - 1).min(first + part.len()));
            if begin < end {
                let x = &own_image;
                let count = end - begin;
                let (left, right) = (&x[begin - 1..][..count], &x[begin + 1..][..count]);
                let (above, below) = (&x[begin - SIDE..][..count], &x[begin + SIDE..][..count]);
                let out = &mut part[begin - first..][..count];
                for i in 0..count {
                    out[i] = 0.25 * (left[i] + right[i] + above[i] + below[i]);
                }
            }
        }
    });
    Ok(())
})?;
println!("equal: {}", smooth.to_vec() == own_smooth);
let (mut counts, mut own_counts) = (zeros::<u32>(SIDE * SIDE), vec![0u32; SIDE * SIDE]);
report("Mandelbrot, 50 steps", || mandelbrot.launch(grid, (32, 8), (SIDE, &mut counts)), "Rust, all cores", || {
    on_all_cores(&mut own_counts, |first, part| {
        for (at, count) in part.iter_mut().enumerate() {
            let (i, j) = ((first + at) % SIDE, (first + at) / SIDE);
            *count = steps(i as f32 / SIDE as f32 * 3.0 - 2.2, j as f32 / SIDE as f32 * 3.0 - 1.5);
        }
    });
    Ok(())
})?;
println!("equal: {}", counts.to_vec() == own_counts);
let source = r#"
extern "C" __global__ void total(const float *x, size_t n, float *out) {
    __shared__ float part[256];
    int t = threadIdx.x;
    float sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + t; i < n; i += (size_t)gridDim.x * blockDim.x) sum += x[i];
    part[t] = sum;
    __syncthreads();
    for (int width = 128; width > 0; width /= 2) {
        if (t < width) part[t] += part[t + width];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
"#;
let in_c = SourceModule::new(source)?.get_function("total")?;
let (mut parts, mut parts_of_c) = (zeros::<f32>(64), zeros::<f32>(64));
report("a sum in shared memory, barriers", || total.launch(64, 256, (&x, &mut parts)), "CUDA C, here", || in_c.launch(64, 256, (&x, N, &mut parts_of_c)))?;
println!("equal: {}", parts.to_vec() == parts_of_c.to_vec());

// Reductions: by a tree in shared memory, by atomics, by warps, of a matrix, of places, with a last block.
#[kernel]
fn reduce_tree(x: &[f32], out: &mut [f32]) {
    let part = shared!([f32; 256]);
    let t = thread::x();
    let i = thread::index();
    part[t] = if i < x.len() { x[i] } else { 0.0 };
    block::sync();
    let mut half = block::width() / 2;
    while half > 0 {
        if t < half {
            part[t] += part[t + half];
        }
        block::sync();
        half /= 2;
    }
    if t == 0 {
        out[block::x()] = part[0];
    }
}
#[kernel]
fn reduce_atomic(x: &[i32], sum: &mut [i32]) {
    for i in thread::range(x.len()) {
        atomic::add(&mut sum[0], x[i]);
    }
}
#[kernel]
fn reduce_warps(x: &[i64], sum: &mut [i64]) {
    let mut own = 0;
    for i in thread::range(x.len()) {
        own += x[i];
    }
    let all = warp::reduce(own, |a, b| a + b);
    if thread::lane() == 0 {
        atomic::add(&mut sum[0], all);
    }
}
#[kernel]
fn argmax(x: &[f32], best: &mut [u64]) {
    // The value's bits above, the place's complement below: the first of equal ones wins.
    for i in thread::range(x.len()) {
        let key = (x[i].to_bits() as u64) << 32 | (u32::MAX - i as u32) as u64;
        atomic::max(&mut best[0], key);
    }
}
#[kernel]
fn rows(m: &[f64], columns: usize, out: &mut [f64]) {
    let part = shared!([f64; 64]);
    let t = thread::x();
    let row = block::x();
    let mut sum = 0.0;
    let mut j = t;
    while j < columns {
        sum += m[row * columns + j];
        j += block::width();
    }
    part[t] = sum;
    block::sync();
    if t == 0 {
        out[row] = part.iter().sum();
    }
}
#[kernel]
fn last_block(x: &[f32], parts: &mut [f32], done: &mut [u32], out: &mut [f32]) {
    let t = thread::x();
    let part = shared!([f32; 128]);
    let is_last = shared!([bool; 1]);
    let mut sum = 0.0;
    for i in thread::range(x.len()) {
        sum += x[i];
    }
    part[t] = sum;
    block::sync();
    if t == 0 {
        parts[block::x()] = part.iter().sum::<f32>();
        is_last[0] = atomic::add(&mut done[0], 1) as usize == grid::width() - 1;
    }
    block::sync();
    if is_last[0] && t == 0 {
        let mut all = 0.0;
        for k in 0..grid::width() {
            all += atomic::update(&mut parts[k], |v| v);
        }
        out[0] = all;
    }
}
#[kernel]
fn moments(x: &[f32], out: &mut [f32]) {
    let (mut s, mut q, mut low, mut high) = (0.0f32, 0.0f32, f32::INFINITY, f32::NEG_INFINITY);
    for i in thread::range(x.len()) {
        let v = x[i];
        s += v;
        q += v * v;
        low = low.min(v);
        high = high.max(v);
    }
    atomic::add(&mut out[0], s);
    atomic::add(&mut out[1], q);
    atomic::min(&mut out[2], low);
    atomic::max(&mut out[3], high);
}
// %%
let n = 10_000usize;
let x = (arange(0..10000) % 97).astype(f32);
let mut parts = zeros::<f32>(40);
reduce_tree.launch(40, 256, (&x, &mut parts))?;
assert_eq!(parts.sum().item(), x.sum().item());
// %%
let xi = x.astype(i32);
let mut sum = zeros::<i32>(1);
reduce_atomic.launch(7, 100, (&xi, &mut sum))?;
assert_eq!(sum[0].item(), xi.sum().item() as i32);
// %%
let xl = x.astype(i64);
let mut total = zeros::<i64>(1);
reduce_warps.launch(5, 128, (&xl, &mut total))?;
assert_eq!(total[0].item(), xl.sum().item());
// %%
let mut best = zeros::<u64>(1);
argmax.launch(4, 64, (&x, &mut best))?;
assert_eq!(u32::MAX - best[0].item() as u32, 96);
// %%
let m = arange(0..1000).astype(f64).reshape((10, 100));
let mut of_rows = zeros::<f64>(10);
rows.launch(10, 64, (&m, 100usize, &mut of_rows))?;
assert!(array_equal(&of_rows, &m.sum_axis(1)));
// %%
let (mut p, mut done, mut out) = (zeros::<f32>(8), zeros::<u32>(1), zeros::<f32>(1));
last_block.launch(8, 128, (&x, &mut p, &mut done, &mut out))?;
assert_eq!(out[0].item(), x.sum().item());
// %%
let mut four = gpu![f32; 0, 0, f32::INFINITY, f32::NEG_INFINITY];
moments.launch(4, 64, (&x, &mut four))?;
assert!(allclose(&four, &gpu![f32; x.sum().item(), (&x * &x).sum().item(), 0, 96]));

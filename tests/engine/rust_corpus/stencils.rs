// Stencils and images: a line with halo, Life, heat, a convolution, grey values, a summed area, Mandelbrot, distances.
const RADIUS: usize = 2;
#[kernel]
fn line(x: &[f32], y: &mut [f32]) {
    let tile = shared!([f32; 128 + 2 * RADIUS]);
    let (i, t) = (thread::index(), thread::x());
    let at = |k: isize| if k >= 0 && (k as usize) < x.len() { x[k as usize] } else { 0.0 };
    tile[t + RADIUS] = at(i as isize);
    if t < RADIUS {
        tile[t] = at(i as isize - RADIUS as isize);
        tile[t + block::width() + RADIUS] = at((i + block::width()) as isize);
    }
    block::sync();
    if i < y.len() {
        y[i] = tile[t..=t + 2 * RADIUS].iter().sum();
    }
}
#[kernel]
fn life(from: Matrix<u8>, mut to: MatrixMut<u8>) {
    let (i, j) = (thread::index_y(), thread::index());
    let [h, w] = from.shape();
    if i >= h || j >= w {
        return;
    }
    let mut around = 0;
    for di in [h - 1, 0, 1] {
        for dj in [w - 1, 0, 1] {
            if (di, dj) != (0, 0) {
                around += from[((i + di) % h, (j + dj) % w)];
            }
        }
    }
    to[(i, j)] = matches!((from[(i, j)], around), (1, 2) | (_, 3)) as u8;
}
#[kernel]
fn heat(u: &[f64], next: &mut [f64], r: f64) {
    for i in thread::range(u.len()) {
        let left = if i == 0 { 0.0 } else { u[i - 1] };
        let right = u.get(i + 1).copied().unwrap_or(0.0);
        next[i] = u[i] + r * (left - 2.0 * u[i] + right);
    }
}
#[kernel]
fn convolve(from: Matrix<f32>, weights: &[f32], mut to: MatrixMut<f32>) {
    let (i, j) = (thread::index_y() as isize, thread::index() as isize);
    let clamp = |v: isize, n: usize| v.clamp(0, n as isize - 1) as usize;
    let mut sum = 0.0;
    for (k, weight) in weights.iter().enumerate() {
        let (di, dj) = (k as isize / 3 - 1, k as isize % 3 - 1);
        sum += weight * from[(clamp(i + di, from.rows()), clamp(j + dj, from.columns()))];
    }
    if to.contains((i as usize, j as usize)) {
        to[(i as usize, j as usize)] = sum;
    }
}
#[device]
fn grey(r: u8, g: u8) -> u8 {
    ((r as u32 * 77 + g as u32 * 151 + 128) >> 8).min(255) as u8
}
#[device]
fn escape(c: Complex64) -> i32 {
    let mut z = Complex64::new(0.0, 0.0);
    (0..64).find(|_| { z = z * z + c; z.norm_sqr() > 4.0 }).unwrap_or(64)
}
#[kernel]
fn distances(p: &[[f32; 3]], q: &[[f32; 3]], mut out: MatrixMut<f32>) {
    let (i, j) = (thread::index_y(), thread::index());
    if i < p.len() && j < q.len() {
        out[(i, j)] = p[i].iter().zip(q[j]).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
    }
}
// %%
let x = arange(0..1000).astype(f32);
let mut y = zeros::<f32>(1000);
line.launch(8, 128, (&x, &mut y))?;
let v = x.to_vec();
let right: Vec<f32> = (0..1000).map(|i: usize| v[i.saturating_sub(2)..(i + 3).min(1000)].iter().sum()).collect();
assert_eq!(y.to_vec(), right);
// %%
let mut board = zeros::<u8>((6, 6));
for (i, j) in [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)] { board.set(s![i, j], 1); }
let start = board.copy();
let mut next = zeros_like(&board);
for _ in 0..24 {
    life.launch((1, 1), (8, 8), (&board, &mut next))?;
    std::mem::swap(&mut board, &mut next);
}
// A glider has gone around once.
assert!(array_equal(&board, &start));
// %%
let mut u = zeros::<f64>(101);
u.set(50, 1.0);
let mut w = zeros::<f64>(101);
for _ in 0..20 {
    heat.launch(1, 64, (&u, &mut w, 0.25))?;
    std::mem::swap(&mut u, &mut w);
}
assert!((u.sum().item() - 1.0).abs() < 1e-12 && u[49].item() == u[51].item());
// %%
let image = arange(0..35).astype(f32).reshape((5, 7));
let mut out = zeros::<f32>((5, 7));
convolve.launch((1, 1), (8, 8), (&image, &full(9, 1.0f32 / 9.0), &mut out))?;
assert!((out[s![2, 3]].item() - 17.0).abs() < 1e-5);
// %%
let (r, g) = (gpu![u8; 0, 100, 255], gpu![u8; 0, 200, 255]);
assert_eq!(r.zip_with(&g, grey).to_vec(), [grey(0, 0), grey(100, 200), grey(255, 255)]);
// %%
let c = gpu![Complex64; Complex64::new(0.0, 0.0), Complex64::new(1.0, 1.0), Complex64::new(-0.75, 0.2)];
assert_eq!(c.map(escape).to_vec(), c.to_vec().into_iter().map(escape).collect::<Vec<_>>());
// %%
let (p, q) = (vec![[0.0f32, 0.0, 0.0], [1.0, 2.0, 2.0]], vec![[3.0f32, 4.0, 0.0]]);
let mut d = zeros::<f32>((2, 1));
distances.launch((1, 1), (4, 4), (In(&p), In(&q), &mut d))?;
assert_eq!(d[s![0, 0]].item(), 5.0);

// Scans and what is made of them: Hillis and Steele, Blelloch, of warps, segmented, compaction, run lengths.
#[kernel]
fn hillis_steele(x: &[i32], y: &mut [i32]) {
    let a = shared!([i32; 512]);
    let b = shared!([i32; 512]);
    let t = thread::x();
    a[t] = x[t];
    block::sync();
    let mut from_a = true;
    let mut by = 1;
    while by < block::width() {
        let (from, to) = if from_a { (&*a, &mut *b) } else { (&*b, &mut *a) };
        to[t] = if t >= by { from[t] + from[t - by] } else { from[t] };
        block::sync();
        from_a = !from_a;
        by *= 2;
    }
    y[t] = if from_a { a[t] } else { b[t] };
}
#[kernel]
fn blelloch(x: &[i32], y: &mut [i32]) {
    let s = shared!([i32; 256]);
    let (t, n) = (thread::x(), 2 * block::width());
    s[2 * t] = x[2 * t];
    s[2 * t + 1] = x[2 * t + 1];
    let mut offset = 1;
    let mut d = n / 2;
    while d > 0 {
        block::sync();
        if t < d {
            let (i, j) = (offset * (2 * t + 1) - 1, offset * (2 * t + 2) - 1);
            s[j] += s[i];
        }
        offset *= 2;
        d /= 2;
    }
    if t == 0 {
        s[n - 1] = 0;
    }
    d = 1;
    while d < n {
        offset /= 2;
        block::sync();
        if t < d {
            let (i, j) = (offset * (2 * t + 1) - 1, offset * (2 * t + 2) - 1);
            let v = s[i];
            s[i] = s[j];
            s[j] += v;
        }
        d *= 2;
    }
    block::sync();
    y[2 * t] = s[2 * t];
    y[2 * t + 1] = s[2 * t + 1];
}
#[device]
fn scan_of_warp(own: u32) -> u32 {
    let mut sum = own;
    let mut by = 1;
    while by < 32 {
        let other = warp::shuffle_up(sum, by);
        if thread::lane() >= by {
            sum += other;
        }
        by *= 2;
    }
    sum
}
#[kernel]
fn warps(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    y[i] = scan_of_warp(x[i]);
}
#[kernel]
fn compact(x: &[f32], threshold: f32, out: &mut [f32], count: &mut [u32]) {
    let i = thread::index();
    let keep = i < x.len() && x[i] > threshold;
    let lanes = warp::ballot(keep);
    let mut first = 0;
    if thread::lane() == 0 {
        first = atomic::add(&mut count[0], lanes.count_ones());
    }
    let first = warp::shuffle(first, 0);
    if keep {
        let before = lanes & ((1u32 << thread::lane()) - 1);
        out[(first + before.count_ones()) as usize] = x[i];
    }
}
#[derive(Clone, Copy)]
struct Segment {
    is_head: bool,
    sum: i32,
}
impl std::ops::Add for Segment {
    type Output = Segment;
    fn add(self, right: Segment) -> Segment {
        if right.is_head { right } else { Segment { is_head: self.is_head, sum: self.sum + right.sum } }
    }
}
#[kernel]
fn segmented(x: &[i32], heads: &[bool], y: &mut [i32]) {
    let s = shared!([Segment; 64]);
    let t = thread::x();
    s[t] = Segment { is_head: heads[t], sum: x[t] };
    block::sync();
    let mut by = 1;
    while by < block::width() {
        let v = if t >= by { s[t - by] + s[t] } else { s[t] };
        block::sync();
        s[t] = v;
        block::sync();
        by *= 2;
    }
    y[t] = s[t].sum;
}
// %%
let x = (arange(0..512) * 7 % 13).astype(i32);
let mut y = zeros::<i32>(512);
hillis_steele.launch(1, 512, (&x, &mut y))?;
assert_eq!(y.to_vec(), x.scan(|a, b| a + b).to_vec());
// %%
let x = (arange(0..256) * 5 % 17).astype(i32);
let mut y = zeros::<i32>(256);
blelloch.launch(1, 128, (&x, &mut y))?;
assert!(array_equal(&(&y + &x), &x.cumsum()));
// %%
let x = (arange(0..96) % 5).astype(u32);
let mut y = zeros::<u32>(96);
warps.launch(1, 96, (&x, &mut y))?;
let right: Vec<u32> = x.to_vec().chunks(32).flat_map(|c| c.iter().scan(0, |s, v| { *s += v; Some(*s) }).collect::<Vec<_>>()).collect();
assert_eq!(y.to_vec(), right);
// %%
let x = (arange(0..1000) * 37 % 101).astype(f32);
let (mut out, mut count) = (zeros::<f32>(1000), zeros::<u32>(1));
compact.launch(4, 256, (&x, 50.0f32, &mut out, &mut count))?;
let kept = x.filter(|v| v > 50.0);
assert_eq!(count[0].item() as usize, kept.size());
assert!(array_equal(&out.slice(s![..kept.size()]).sort(), &kept.sort()));
// %%
let heads = (arange(0..64) % 10).eq(0);
let mut y = zeros::<i32>(64);
segmented.launch(1, 64, (&ones::<i32>(64), &heads, &mut y))?;
assert!(array_equal(&y, &(arange(0..64) % 10 + 1).astype(i32)));
// %%
let running = x.scan(|a, b| if a > b { a } else { b });
assert_eq!(running[999].item(), x.max().item());
let pairs = gpu![Complex32; Complex32::new(1.0, 1.0), Complex32::new(0.0, 2.0), Complex32::new(3.0, 0.0)].scan(|a, b| a * b);
assert_eq!(pairs[2].item(), Complex32::new(-6.0, 6.0));
let many = ones::<u32>(100_000).scan(|a, b| a + b);
assert!(array_equal(&many, &(arange(0..100_000) + 1).astype(u32)));

// Numbers: bits, integers, floats of all sizes, checksums, primes, big numbers, dates.
#[kernel]
fn bits(x: &[u32], out: &mut [u32]) {
    let i = thread::index();
    if i < x.len() {
        let v = x[i];
        out[i] = v.count_ones() ^ v.leading_zeros().rotate_left(8) ^ v.trailing_zeros() << 16 ^ v.reverse_bits() ^ v.swap_bytes();
    }
}
#[device]
fn integers(a: i32, b: i32) -> i64 {
    let wrapped = a.wrapping_mul(b).wrapping_add(7) as i64;
    let saturated = a.saturating_add(b) as i64;
    let checked = a.checked_mul(b).map_or(-1, i64::from);
    let (sum, carried) = a.overflowing_add(b);
    wrapped ^ saturated << 3 ^ checked ^ sum as i64 ^ carried as i64 ^ a.rem_euclid(b.abs().max(1)) as i64 ^ (a as i8) as i64 ^ (b as u16) as i64
}
#[device]
fn casts(x: f64) -> i64 {
    x as i32 as i64 ^ x as u8 as i64 ^ (x as i64) << 1 ^ x as u64 as i64 ^ (x as f32) as i64
}
#[device]
fn crc_of(byte: u8) -> u32 {
    let mut c = byte as u32;
    for _ in 0..8 {
        c = if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 };
    }
    c
}
static TABLE: [u16; 8] = [1, 1, 2, 6, 24, 120, 720, 5040];
const fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
const TWELVE: u32 = gcd(24, 36);
#[kernel]
fn recursive(out: &mut [u32]) {
    let i = thread::index();
    fn fibonacci(n: usize) -> u32 {
        if n < 2 { n as u32 } else { fibonacci(n - 1) + fibonacci(n - 2) }
    }
    out[i] = fibonacci(i) + TABLE[i % 8] as u32 * TWELVE + gcd(i as u32 * 6, 4);
}
#[kernel]
fn sieve(is_prime: &mut [bool]) {
    let n = is_prime.len();
    for p in thread::range(n) {
        if p >= 2 && p * p < n {
            for multiple in (p * p..n).step_by(p) {
                is_prime[multiple] = false;
            }
        }
    }
}
#[kernel]
fn halves(x: &[f16], out: &mut [f16]) {
    let i = thread::index();
    if i < x.len() {
        let v = x[i];
        out[i] = (v * v - f16::ONE) / (v + f16::from_f32(3.0)).max(f16::ONE);
    }
}
#[kernel]
fn wide(a: &[u64], b: &[u64], out: &mut [u64]) {
    let i = thread::index();
    if i < a.len() {
        let product = a[i] as u128 * b[i] as u128;
        out[2 * i] = product as u64;
        out[2 * i + 1] = (product >> 64) as u64;
    }
}
#[device]
fn functions(x: f32) -> f32 {
    x.sin().powi(2) + x.cos().powi(2) + x.exp().ln() - x + x.abs().sqrt().powf(2.0) - x.abs() + x.floor() - x.trunc()
        + x.mul_add(2.0, 1.0) - (2.0 * x + 1.0) + x.signum().copysign(1.0) + x.to_degrees().to_radians() - x + x.hypot(0.0) - x.abs()
        + f32::from_bits(x.to_bits()) - x + x.clamp(-1.0, 1.0) + x.round() + x.fract() + x.rem_euclid(2.0) + x.total_cmp(&0.5) as i32 as f32
}
// %%
let x = gpu![u32; 0, 1, 2, 0x8000_0000, 0xdead_beef, u32::MAX];
let mut out = zeros::<u32>(6);
bits.launch_for(6, (&x, &mut out))?;
let right: Vec<u32> = x.to_vec().into_iter().map(|v| v.count_ones() ^ v.leading_zeros().rotate_left(8) ^ v.trailing_zeros() << 16 ^ v.reverse_bits() ^ v.swap_bytes()).collect();
assert_eq!(out.to_vec(), right);
// %%
let edges = [0, 1, -1, 7, -7, 100_000, i32::MAX, i32::MIN + 1, i32::MIN];
let a: Vec<i32> = edges.iter().flat_map(|a| edges.map(|_| *a)).collect();
let b: Vec<i32> = edges.iter().flat_map(|_| edges).collect();
let b: Vec<i32> = b.into_iter().map(|v| if v == i32::MIN { 5 } else { v }).collect();
let (ga, gb) = (to_gpu(&a), to_gpu(&b));
let right: Vec<i64> = a.iter().zip(&b).map(|(a, b)| integers(*a, *b)).collect();
assert_eq!(ga.zip_with(&gb, integers).to_vec(), right);
// %%
let x = gpu![0.0, -0.5, 255.5, 256.0, -1e10, 3e9, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
assert_eq!(x.map(casts).to_vec(), x.to_vec().into_iter().map(casts).collect::<Vec<_>>());
// %%
let bytes = arange(0..256).astype(u8);
assert_eq!(bytes.map(crc_of).to_vec(), (0..=255).map(crc_of).collect::<Vec<_>>());
// %%
let mut out = zeros::<u32>(16);
recursive.launch(1, 16, (&mut out,))?;
assert_eq!((out[0].item(), out[10].item()), (0 + 12 + 4, 55 + 24 + 4));
// %%
let mut is_prime = full(1000, true);
sieve.launch(4, 64, (&mut is_prime,))?;
assert_eq!(is_prime.count_nonzero().item(), 170);
// %%
let x = (arange(0..100).astype(f32) / 8.0f32).astype(f16);
let mut out = zeros_like(&x);
halves.launch_for(100, (&x, &mut out))?;
let right: Vec<f16> = x.to_vec().into_iter().map(|v| (v * v - f16::ONE) / (v + f16::from_f32(3.0)).max(f16::ONE)).collect();
assert_eq!(out.to_vec(), right);
// %%
let (a, b) = (gpu![u64; 3, u64::MAX, 0x1234_5678_9abc_def0], gpu![u64; 5, u64::MAX, 0xfedc_ba98_7654_3210]);
let mut out = zeros::<u64>(6);
wide.launch_for(3, (&a, &b, &mut out))?;
assert_eq!(out.to_vec()[2..4], [1, u64::MAX - 1]);
// %%
let x = (arange(-20..21).astype(f32)) / 4.0f32;
let right: Vec<f32> = x.to_vec().into_iter().map(functions).collect();
assert!(allclose(&x.map(functions), &to_gpu(&right)));

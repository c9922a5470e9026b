//! `mma.h`: products of matrices by a warp, of numbers whose sums are exact, so that
//! all devices give the same.

use gpurepl_prelude::*;

use crate::is_on_host;

const TEXT: &str = include_str!("mma.cu");

fn module() -> SourceModule {
    SourceModule::new(TEXT).unwrap_or_else(|error| panic!("{error}"))
}

/// Tensor cores of these types came with compute capability 8.0.
fn is_able() -> bool {
    is_on_host() || device().compute_capability() >= Some((8, 0))
}

/// Small whole numbers, none of which repeats with the rows or columns of a tile.
fn numbers(count: usize, seed: usize, range: std::ops::Range<i32>) -> Vec<f32> {
    let width = (range.end - range.start) as usize;
    (0..count)
        .map(|i| ((i * i * 7 + i * 13 + seed * 31) % 1009 % width) as f32 + range.start as f32)
        .collect()
}

/// Of matrices by rows.
fn product(a: &[f32], b: &[f32], c: &[f32], m: usize, n: usize, k: usize) -> Vec<f32> {
    let at = |i: usize, j: usize| c[i * n + j] + (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum::<f32>();
    (0..m * n).map(|i| at(i / n, i % n)).collect()
}

#[test]
fn products_of_all_types_and_shapes() {
    if !is_able() {
        return crate::ignored::ignored("needs compute capability 8.0");
    }
    let module = module();
    let mut names: Vec<(String, usize)> = Vec::new();
    for name in ["half_float", "half_half", "half_mixed", "half_widened", "bf16", "s8", "u8"] {
        names.extend(["16_16", "32_8", "8_32"].map(|shape| (format!("{name}_{shape}"), 16)));
    }
    let others = [
        ("half_columns_16_16", 16),
        ("tf32_16_16", 8),
        ("tf32_columns_16_16", 8),
        ("double_8_8", 4),
        ("double_columns_8_8", 4),
    ];
    names.extend(others.map(|(name, k)| (name.to_owned(), k)));
    for (name, k) in names {
        let mut ends = name.rsplit('_').map(|size| size.parse::<usize>());
        let (n, m) = (ends.next().unwrap().unwrap(), ends.next().unwrap().unwrap());
        let range = if name.starts_with("u8") { 0..9 } else { -4..5 };
        let (a, b, c) =
            (numbers(m * k, 1, range.clone()), numbers(k * n, 2, range), numbers(m * n, 3, -20..21));
        let (mut d, mut memory) = (zeros::<f32>(m * n), zeros::<u8>(16384));
        let kernel = module.get_function(&name).unwrap();
        kernel.launch(1, 32, (&to_gpu(&a), &to_gpu(&b), &to_gpu(&c), &mut d, &mut memory)).unwrap();
        // The second product is of twice `a`; then one is taken away.
        let once = product(&a, &b, &c, m, n, k);
        let doubled: Vec<f32> = a.iter().map(|x| x + x).collect();
        let want: Vec<f32> = product(&doubled, &b, &once, m, n, k).iter().map(|x| x - 1.0).collect();
        assert_eq!(d.to_vec(), want, "{name}");
    }
}

#[test]
fn sums_that_are_held_at_the_ends() {
    if !is_able() {
        return crate::ignored::ignored("needs compute capability 8.0");
    }
    let kernel = module().get_function("held").unwrap();
    for (start, value, want) in [
        (i32::MAX - 1000, 100, i32::MAX),
        (i32::MIN + 1000, -100, i32::MIN),
        (i32::MAX - 160_000, 100, i32::MAX),
        (i32::MAX - 160_001, 100, i32::MAX - 1),
        (7, 3, 4807),
    ] {
        let mut out = zeros::<i32>(256);
        kernel.launch(1, 32, (&mut out, start, value)).unwrap();
        assert_eq!(out.to_vec(), vec![want; 256], "{start} {value}");
    }
}

fn words(count: usize, seed: u32) -> Vec<u32> {
    let mut x = seed;
    let mut next = || {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        x
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn products_of_four_bits_and_of_one() {
    if !is_able() {
        return crate::ignored::ignored("needs compute capability 8.0");
    }
    let module = module();
    let (a, b) = (words(32, 12345), words(32, 54321));
    let run = |name: &str| {
        let mut out = zeros::<i32>(128);
        let kernel = module.get_function(name).unwrap();
        kernel.launch(1, 32, (&to_gpu(&a), &to_gpu(&b), &mut out)).unwrap();
        out.to_vec()
    };
    let sum = |i: usize, j: usize, of: &dyn Fn(u32, u32) -> i32| -> i32 {
        (0..4).map(|w| of(a[4 * i + w], b[4 * j + w])).sum()
    };
    let unsigned = |w: u32, k: u32| (w >> (4 * k) & 15) as i32;
    let signed = |w: u32, k: u32| (w << (28 - 4 * k)) as i32 >> 28;
    let (u, s, bits) = (run("u4"), run("s4"), run("b1"));
    for (i, j) in (0..64).map(|at| (at / 8, at % 8)) {
        let at = 8 * i + j;
        let first = 5 + sum(i, j, &|x, y| (0..8).map(|k| unsigned(x, k) * unsigned(y, k)).sum());
        assert_eq!(u[at], first);
        assert_eq!(u[64 + at], first + sum(i, j, &|_, y| (0..8).map(|k| 3 * unsigned(y, k)).sum()));
        let first = 5 + sum(i, j, &|x, y| (0..8).map(|k| signed(x, k) * signed(y, k)).sum());
        assert_eq!(s[at], first);
        assert_eq!(s[64 + at], first + sum(i, j, &|_, y| (0..8).map(|k| 3 * signed(y, k)).sum()));
        let first = 7 + sum(i, j, &|x, y| (x ^ y).count_ones() as i32);
        assert_eq!(bits[at], first);
        // The second one by columns.
        assert_eq!(bits[64 + 8 * j + i], first + sum(i, j, &|x, y| (x & y).count_ones() as i32));
    }
}

#[test]
fn numbers_of_ten_binary_digits() {
    if !is_able() {
        return crate::ignored::ignored("needs compute capability 8.0");
    }
    let pairs: [(u32, u32); 10] = [
        (0x3f80_0000, 0x3f80_0000),
        (0x3f80_0fff, 0x3f80_0000),
        (0x3f80_1000, 0x3f80_2000),
        (0xbf80_1000, 0xbf80_2000),
        (0x3fff_ffff, 0x4000_0000),
        (0x7f7f_ffff, 0x7f80_0000),
        (0xff80_0000, 0xff80_0000),
        (0x8000_0000, 0x8000_0000),
        (0x0000_1000, 0x0000_2000),
        (0x4049_0fdb, 0x4049_0000),
    ];
    let x: Vec<f32> = pairs.iter().map(|(x, _)| f32::from_bits(*x)).collect();
    let mut out = zeros::<u32>(pairs.len());
    let kernel = module().get_function("tf32_of").unwrap();
    kernel.launch(1, 32, (&to_gpu(&x), &mut out, pairs.len() as i32)).unwrap();
    assert_eq!(out.to_vec(), pairs.map(|(_, y)| y));
}

#[test]
fn fragments_have_all_elements() {
    if !is_able() {
        return crate::ignored::ignored("needs compute capability 8.0");
    }
    let module = module();
    let mut counts = zeros::<i32>(11);
    module.get_function("counts").unwrap().launch(1, 32, &mut counts).unwrap();
    assert_eq!(counts.to_vec(), [16, 16, 8, 8, 16, 4, 4, 1, 2, 8, 32]);
    let all: Vec<f32> = (0..256).map(|i| i as f32).collect();
    let mut out = zeros::<f32>(256);
    module.get_function("places").unwrap().launch(1, 32, (&to_gpu(&all), &mut out)).unwrap();
    let got = out.to_vec();
    let mut sorted = got.clone();
    sorted.sort_by(f32::total_cmp);
    assert_eq!(sorted, all);
    // CUDA does not tell where they lie; the host device has them as `mma` in PTX: two beside each other, eight
    // rows below, eight columns to the right.
    if !is_on_host() {
        return;
    }
    let place = |lane: usize, i: usize| 16 * (lane / 4 + i / 2 % 2 * 8) + lane % 4 * 2 + i % 2 + i / 4 * 8;
    assert_eq!(got, (0..256).map(|at| place(at / 8, at % 8) as f32).collect::<Vec<f32>>());
}

#[test]
fn larger_products() {
    if !is_able() {
        return crate::ignored::ignored("needs compute capability 8.0");
    }
    let module = module();
    let n = 64;
    let (a, b, c) = (numbers(n * n, 4, -3..4), numbers(n * n, 5, -3..4), numbers(n * n, 6, -8..9));
    let plain =
        |at: &dyn Fn(usize, usize) -> usize, bt: &dyn Fn(usize, usize) -> usize, i: usize, j: usize| -> f32 {
            (0..n).map(|k| a[at(i, k)] * b[bt(k, j)]).sum()
        };
    let (mut d, mut ha, mut hb) = (to_gpu(&c), zeros::<f16>(n * n), zeros::<f16>(n * n));
    let size = n as i32;
    module
        .get_function("by_columns")
        .unwrap()
        .launch(
            1,
            (64, 2),
            (&to_gpu(&a), &to_gpu(&b), &mut d, &mut ha, &mut hb, size, size, size, 2.0_f32, -3.0_f32),
        )
        .unwrap();
    let column = |i: usize, j: usize| j * n + i;
    let want: Vec<f32> =
        (0..n * n).map(|at| 2.0 * plain(&column, &column, at % n, at / n) - 3.0 * c[at]).collect();
    assert_eq!(d.to_vec(), want);
    let mut d = zeros::<f32>(n * n);
    module
        .get_function("by_tiles")
        .unwrap()
        .launch((1, 1), 128, (&to_gpu(&a), &to_gpu(&b), &to_gpu(&c), &mut d, size, 2.0_f32, -4.0_f32))
        .unwrap();
    let row = |i: usize, j: usize| i * n + j;
    let want: Vec<f32> =
        (0..n * n).map(|at| 2.0 * plain(&row, &column, at / n, at % n) - 4.0 * c[at]).collect();
    assert_eq!(d.to_vec(), want);
}

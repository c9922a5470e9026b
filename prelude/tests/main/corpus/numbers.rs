//! Transforms, integers, checksums, generators and bits.

use super::*;

/// The transform by its formula.
fn fourier(x: &[Complex64], sign: f64) -> Vec<Complex64> {
    let n = x.len();
    let turns: Vec<Complex64> =
        (0..n).map(|k| Complex64::cis(sign * 2.0 * std::f64::consts::PI * k as f64 / n as f64)).collect();
    (0..n).map(|k| x.iter().enumerate().map(|(j, x)| x * turns[j * k % n]).sum()).collect()
}

#[test]
fn a_fast_fourier_transform() {
    let fft = module(include_str!("fourier.cu")).get_function("fft").unwrap();
    let start = SplitMix64::new(91).vec_f32(2 * 3 * 256);
    let (x, mut there, mut back) = (to_gpu(&start), zeros::<f32>(2 * 3 * 256), vec![0.0_f32; 2 * 3 * 256]);
    fft.launch(3, 128, (&x, &mut there, -1.0_f32)).unwrap();
    fft.launch(3, 128, (&there, Out(&mut back), 1.0_f32)).unwrap();
    for (found, x) in there.to_vec().chunks(512).zip(start.chunks(512)) {
        let x: Vec<Complex64> = x.chunks(2).map(|z| Complex64::new(z[0].into(), z[1].into())).collect();
        let size = x.iter().map(|z| z.norm_sqr()).sum::<f64>().sqrt();
        let expected: Vec<f64> = fourier(&x, -1.0).iter().flat_map(|z| [z.re, z.im]).collect();
        // Eight levels, each of which is off by some ten roundings of numbers
        // that together are as large as the answer, 16 times the input.
        all_close(found, &expected, 8.0 * 10.0 * UNIT_F32 * 16.0 * size);
    }
    let expected: Vec<f64> = start.iter().map(|x| 256.0 * f64::from(*x)).collect();
    all_close(&back, &expected, 2.0 * 8.0 * 10.0 * UNIT_F32 * 256.0 * 16.0);
}

#[test]
fn a_fourier_transform_by_its_formula() {
    let dft = module(include_str!("fourier.cu")).get_function("dft").unwrap();
    let n = 101_usize;
    let x = SplitMix64::new(92).vec_f64(2 * n);
    let mut found = zeros::<f64>((n, 2));
    dft.launch(n.div_ceil(32), 32, (In(&x), &mut found, n)).unwrap();
    let x: Vec<Complex64> = x.chunks(2).map(|z| Complex64::new(z[0], z[1])).collect();
    let expected: Vec<f64> = fourier(&x, -1.0).iter().flat_map(|z| [z.re, z.im]).collect();
    // 202 products are added; sines are off by a few roundings of their angle.
    all_close(&found.to_vec(), &expected, (202.0 + 10.0) * UNIT_F64 * 202.0);
}

#[test]
fn a_walsh_hadamard_transform() {
    let kernel = module(include_str!("fourier.cu")).get_function("walsh_hadamard").unwrap();
    let start = SplitMix64::new(93).vec_i32(160, -1000, 1000);
    let mut found = start.clone();
    kernel.launch(1, 160, InOut(&mut found)).unwrap();
    for (found, x) in found.chunks(32).zip(start.chunks(32)) {
        let sign = |row: usize, column: usize| 1 - 2 * ((row & column).count_ones() as i32 % 2);
        let expected: Vec<i32> = (0..32).map(|row| (0..32).map(|k| sign(row, k) * x[k]).sum()).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn polynomials_by_horners_rule() {
    let module = module(include_str!("analysis.cu"));
    let mut random = SplitMix64::new(94);
    let (c, x) = (random.vec_f32(9), random.vec_f32(333));
    let mut found = vec![0.0_f32; 333];
    let arguments = (In(&c), c.len(), &to_gpu(&x), Out(&mut found), x.len());
    module.get_function("horner_float").unwrap().launch(3, 128, arguments).unwrap();
    // `fma` rounds once, everywhere.
    let expected: Vec<f32> =
        x.iter().map(|x| c.iter().rev().fold(0.0, |sum: f32, c| sum.mul_add(*x, *c))).collect();
    assert_eq!(found, expected);

    let (c, x) = (random.vec_f64(12), random.vec_f64(100));
    let mut found = zeros::<f64>(100);
    let arguments = (In(&c), c.len(), In(&x), &mut found, x.len());
    module.get_function("horner_double").unwrap().launch(4, 32, arguments).unwrap();
    let expected: Vec<f64> =
        x.iter().map(|x| c.iter().rev().fold(0.0, |sum: f64, c| sum.mul_add(*x, *c))).collect();
    assert_eq!(found.to_vec(), expected);
}

#[test]
fn keplers_equation_by_newtons_method() {
    let kernel = module(include_str!("analysis.cu")).get_function("kepler").unwrap();
    let mean: Vec<f64> = SplitMix64::new(95).vec_f64(200).iter().map(|x| 3.0 * x).collect();
    let (mut angle, mut steps) = (zeros::<f64>(200), vec![0_u8; 200]);
    kernel.launch(4, 64, (In(&mean), 0.4, &mut angle, Out(&mut steps), 200)).unwrap();
    for (angle, mean) in angle.to_vec().into_iter().zip(mean) {
        // The last step is below 1e-12, and what it leaves below its square.
        close(angle - 0.4 * angle.sin(), mean, 16.0 * UNIT_F64 * 3.0);
    }
    assert!(steps.iter().all(|steps| (2..10).contains(steps)), "{steps:?}");
}

#[test]
fn areas_by_simpsons_rule() {
    let kernel = module(include_str!("analysis.cu")).get_function("simpson").unwrap();
    let (ends, pairs) = ([0.5, 1.0, 2.0, 7.0], 300);
    let mut found = [0.0_f64; 4];
    kernel.launch(4, 128, (In(&ends), Out(&mut found), pairs)).unwrap();
    let bell = |x: f64| (-x * x).exp();
    let area = |end: &f64| {
        let width = end / f64::from(2 * pairs);
        let strips = (0..pairs).map(|k| f64::from(2 * k) * width);
        strips.map(|x| bell(x) + 4.0 * bell(x + width) + bell(x + 2.0 * width)).sum::<f64>() * width / 3.0
    };
    // Six times 300 values below one.
    all_close(&found, &ends.iter().map(area).collect::<Vec<f64>>(), 1800.0 * UNIT_F64);
    close(found[3], std::f64::consts::PI.sqrt() / 2.0, 1e-9);
}

/// The determinant by minors of the first row.
fn determinant(matrix: &[Vec<f64>]) -> f64 {
    let Some((first, rest)) = matrix.split_first() else { return 1.0 };
    let minor = |column: usize| -> Vec<Vec<f64>> {
        let without = |row: &Vec<f64>| [&row[..column], &row[column + 1..]].concat();
        rest.iter().map(without).collect()
    };
    let sign = |column: usize| [1.0, -1.0][column % 2];
    first.iter().enumerate().map(|(column, x)| sign(column) * x * determinant(&minor(column))).sum()
}

#[test]
fn determinants() {
    let kernel = module(include_str!("analysis.cu")).get_function("determinants").unwrap();
    let mut matrices = SplitMix64::new(96).vec_f64(100 * 25);
    matrices[25..50].iter_mut().enumerate().for_each(|(k, x)| *x = f64::from(k / 5 == 4 - k % 5));
    matrices[55..60].fill(0.0);
    let mut found = zeros::<f64>(100);
    kernel.launch(4, 32, (In(&matrices), &mut found, 100)).unwrap();
    let found = found.to_vec();
    for (found, matrix) in found.iter().zip(matrices.chunks(25)) {
        let rows: Vec<Vec<f64>> = matrix.chunks(5).map(<[f64]>::to_vec).collect();
        // 120 products of five numbers below one, in either order, and pivots
        // that may grow by 16.
        close(*found, determinant(&rows), 120.0 * 16.0 * 5.0 * UNIT_F64);
    }
    assert_eq!(found[1..3], [1.0, 0.0]);
}

#[test]
fn sums_of_large_integers() {
    let kernel = module(include_str!("integers.cu")).get_function("add_numbers").unwrap();
    let mut random = SplitMix64::new(97);
    let (mut a, mut b) = (random.vec_u32(20 * 32), random.vec_u32(20 * 32));
    // A carry that runs through all words, one that starts in the middle, and
    // many that stop.
    a[..32].fill(u32::MAX);
    b[..32].fill(0);
    b[0] = 1;
    a[32..64].fill(u32::MAX);
    b[32..64].fill(0);
    b[45] = 7;
    (64..640).step_by(3).for_each(|k| a[k] = !b[k]);
    let (mut sums, mut overflow) = (zeros::<u32>(20 * 32), vec![0_u32; 20]);
    kernel.launch(20, 32, (In(&a), In(&b), &mut sums, Out(&mut overflow))).unwrap();
    let (mut expected, mut carries) = (Vec::new(), Vec::new());
    for (a, b) in a.chunks(32).zip(b.chunks(32)) {
        let mut carry = 0;
        for (a, b) in a.iter().zip(b) {
            let sum = u64::from(*a) + u64::from(*b) + carry;
            expected.push(sum as u32);
            carry = sum >> 32;
        }
        carries.push(carry as u32);
    }
    assert_eq!((sums.to_vec(), overflow), (expected, carries));
}

fn words(x: &[u128]) -> Vec<u32> {
    x.iter().flat_map(|x| [0, 32, 64, 96].map(|by| (x >> by) as u32)).collect()
}

#[test]
fn products_of_large_integers() {
    let kernel = module(include_str!("integers.cu")).get_function("multiply_numbers").unwrap();
    let mut random = SplitMix64::new(98);
    let mut number = || u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
    let mut a: Vec<u128> = (0..70).map(|_| number()).collect();
    let mut b: Vec<u128> = (0..70).map(|_| number()).collect();
    (a[0], b[0], a[1], b[2]) = (u128::MAX, u128::MAX, 0, 1);
    let (mut low, mut high) = (zeros::<u32>(280), zeros::<u32>(280));
    kernel.launch(2, 64, (In(&words(&a)), In(&words(&b)), &mut low, &mut high, 70)).unwrap();
    let product = |a: u128, b: u128| {
        let half = |x: u128| (x & u128::from(u64::MAX), x >> 64);
        let ((a0, a1), (b0, b1)) = (half(a), half(b));
        let (lower, upper) = (((a0 * b0) >> 64) + half(a0 * b1).0 + half(a1 * b0).0, a1 * b1);
        (a.wrapping_mul(b), upper + ((a0 * b1) >> 64) + ((a1 * b0) >> 64) + (lower >> 64))
    };
    let (expected_low, expected_high): (Vec<u128>, Vec<u128>) =
        a.iter().zip(&b).map(|(a, b)| product(*a, *b)).unzip();
    assert_eq!((low.to_vec(), high.to_vec()), (words(&expected_low), words(&expected_high)));
}

#[test]
fn powers_modulo_large_integers() {
    let kernel = module(include_str!("integers.cu")).get_function("powers").unwrap();
    let mut random = SplitMix64::new(99);
    let mut numbers = |n: usize| -> Vec<u64> { (0..n).map(|_| random.next_u64()).collect() };
    let (bases, mut exponents, moduli) = (numbers(100), numbers(100), numbers(100));
    let mut moduli: Vec<u64> = moduli.iter().map(|x| x >> 1 | 1).collect();
    (exponents[0], exponents[1], exponents[2]) = (0, 1, u64::MAX);
    (moduli[3], moduli[4], moduli[5]) = (3, 1_000_000_007, (1 << 63) - 25);
    let mut found = vec![0_u64; 100];
    let arguments = (In(&bases), In(&exponents), In(&moduli), Out(&mut found), 100);
    kernel.launch(4, 32, arguments).unwrap();
    for k in 0..100 {
        let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(moduli[k])) as u64;
        let (mut power, mut base, mut rest) = (1, bases[k] % moduli[k], exponents[k]);
        while rest > 0 {
            power = if rest & 1 == 1 { times(power, base) } else { power };
            base = times(base, base);
            rest >>= 1;
        }
        assert_eq!(found[k], power, "{}^{} modulo {}", bases[k], exponents[k], moduli[k]);
    }
}

/// Messages one behind the other, and where each ends.
fn joined(messages: &[Vec<u8>]) -> (Vec<u8>, Vec<u32>) {
    let mut ends = Vec::new();
    messages.iter().for_each(|message| ends.push(ends.last().unwrap_or(&0) + message.len() as u32));
    (messages.concat(), ends)
}

#[test]
fn cyclic_redundancy_checks() {
    let module = module(include_str!("checksums.cu"));
    let table: Vec<u32> = (0..256)
        .map(|byte| (0..8).fold(byte, |crc, _| if crc & 1 == 1 { 0xedb8_8320 ^ crc >> 1 } else { crc >> 1 }))
        .collect();
    memcpy_htod(&mut module.get_global("crc_table").unwrap(), &table).unwrap();
    let mut random = SplitMix64::new(100);
    let mut messages = vec![b"123456789".to_vec(), b"".to_vec()];
    messages.extend((1..70).map(|n| (0..3 * n).map(|_| random.below(256) as u8).collect()));
    let (bytes, ends) = joined(&messages);
    let mut found = vec![0_u32; messages.len()];
    let arguments = (In(&bytes), In(&ends), Out(&mut found), messages.len());
    module.get_function("crc32").unwrap().launch(3, 32, arguments).unwrap();
    let checksum = |message: &Vec<u8>| {
        let step = |crc: u32, byte: &u8| table[((crc ^ u32::from(*byte)) & 0xff) as usize] ^ crc >> 8;
        !message.iter().fold(!0, step)
    };
    assert_eq!(found, messages.iter().map(checksum).collect::<Vec<u32>>());
    assert_eq!(found[..2], [0xcbf4_3926, 0]);
}

#[test]
fn secure_hashes() {
    let kernel = module(include_str!("checksums.cu")).get_function("sha256").unwrap();
    let known: [(&[u8], &str); 6] = [
        (b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ),
        (
            b"The quick brown fox jumps over the lazy dog",
            "d7a8fbb307d7809469ca9abcb0082e4f8d5651e46d3cdb762d02d0bf37c9e592",
        ),
        (&[b'a'; 64], "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
        (
            &std::array::from_fn::<u8, 119, _>(|k| k as u8),
            "da18797ed7c3a777f0847f429724a2d8cd5138e6ed2895c3fa1a6d39d18f7ec6",
        ),
    ];
    let messages: Vec<Vec<u8>> = known.iter().map(|(message, _)| message.to_vec()).collect();
    let (bytes, ends) = joined(&messages);
    let mut digests = zeros::<u32>((6, 8));
    kernel.launch(1, 32, (In(&bytes), In(&ends), &mut digests, messages.len())).unwrap();
    for (found, (_, expected)) in digests.to_vec().chunks(8).zip(known) {
        assert_eq!(found.iter().map(|word| format!("{word:08x}")).collect::<String>(), expected);
    }
}

#[test]
fn numbers_of_philox() {
    let kernel = module(include_str!("generators.cu")).get_function("philox_block").unwrap();
    // The known answers that come with Random123.
    let counters = [[0; 4], [u32::MAX; 4], [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344]];
    let keys = [[0; 2], [u32::MAX; 2], [0xa409_3822, 0x299f_31d0]];
    let mut found = [[0_u32; 4]; 3];
    kernel.launch(1, 32, (In(&counters), In(&keys), Out(&mut found), 3)).unwrap();
    let expected = [
        [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8],
        [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd],
        [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
    ];
    assert_eq!(found, expected);
}

#[test]
fn numbers_of_xorshift_and_pcg() {
    let module = module(include_str!("generators.cu"));
    let (n, count) = (50_usize, 20_usize);
    let mut random = SplitMix64::new(101);
    let seeds: Vec<u64> = (0..n).map(|_| random.next_u64()).collect();
    let (mut states, mut found) = (seeds.clone(), zeros::<u64>(n * count));
    let arguments = (InOut(&mut states), &mut found, n, count);
    module.get_function("xorshift_numbers").unwrap().launch(2, 32, arguments).unwrap();
    let mut expected = Vec::new();
    for (seed, left) in seeds.iter().zip(states) {
        let mut state = *seed;
        for _ in 0..count {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            expected.push(state.wrapping_mul(0x2545_f491_4f6c_dd1d));
        }
        assert_eq!(left, state);
    }
    assert_eq!(found.to_vec(), expected);

    let mut found = vec![0_u32; 6];
    let arguments = (In(&[42_u64]), 54_u64, Out(&mut found), 1, 6);
    module.get_function("pcg_numbers").unwrap().launch(1, 1, arguments).unwrap();
    // What the demonstration of O'Neill's library prints.
    let expected = [0xa15c_02b7, 0x7b47_f409, 0xba1d_3330, 0x83d2_f293, 0xbfa4_784b, 0xcbed_606e];
    assert_eq!(found, expected);
}

#[test]
fn functions_for_words() {
    let kernel = module(include_str!("bits.cu")).get_function("words").unwrap();
    let mut random = SplitMix64::new(102);
    let (mut x, y) = (random.vec_u32(80), random.vec_u32(80));
    (x[0], x[1], x[2]) = (0, 1, u32::MAX);
    let mut found = zeros::<u32>((80, 16));
    kernel.launch(3, 32, (In(&x), In(&y), &mut found, 80)).unwrap();
    for (k, found) in found.to_vec().chunks(16).enumerate() {
        let (a, b) = (x[k], y[k]);
        let both = u64::from(b) << 32 | u64::from(a);
        let selector = 0x5140 + (k & 7);
        let bytes = both.to_le_bytes();
        let chosen = [0, 4, 8, 12].map(|by| bytes[selector >> by & 7]);
        let expected = [
            a.reverse_bits(),
            a.leading_zeros(),
            if a == 0 { 0 } else { a.trailing_zeros() + 1 },
            a.count_ones(),
            (both << (k & 31) >> 32) as u32,
            (both >> (k & 31)) as u32,
            (both << k.min(32) >> 32) as u32,
            (both >> k.min(32)) as u32,
            u32::from_le_bytes(chosen),
            ((u64::from(a) * u64::from(b)) >> 32) as u32,
            ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32,
            (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff),
            a.abs_diff(b).wrapping_add(7),
            (a >> 1).abs_diff(b >> 1) + 7,
            ((u64::from(a) + u64::from(b)) >> 1) as u32,
            ((u64::from(a) + u64::from(b) + 1) >> 1) as u32,
        ];
        assert_eq!(found, expected, "{k}: {a:#x} {b:#x}");
    }
}

#[test]
fn functions_for_wide_words() {
    let kernel = module(include_str!("bits.cu")).get_function("wide_words").unwrap();
    let mut random = SplitMix64::new(103);
    let mut x: Vec<u64> = (0..60).map(|k| random.next_u64() >> k).collect();
    let y: Vec<u64> = (0..60).map(|_| random.next_u64()).collect();
    (x[0], x[1]) = (0, u64::MAX);
    let mut found = vec![0_u64; 360];
    kernel.launch(2, 32, (In(&x), In(&y), Out(&mut found), 60)).unwrap();
    for (k, found) in found.chunks(6).enumerate() {
        let (a, b) = (x[k], y[k]);
        let expected = [
            a.reverse_bits(),
            u64::from(a.leading_zeros()),
            if a == 0 { 0 } else { u64::from(a.trailing_zeros()) + 1 },
            u64::from(a.count_ones()),
            ((u128::from(a) * u128::from(b)) >> 64) as u64,
            ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64,
        ];
        assert_eq!(found, expected, "{a:#x} {b:#x}");
    }
}

#[test]
fn codes_of_bits() {
    let module = module(include_str!("bits.cu"));
    let x: Vec<u32> = (0..200).chain(u32::MAX - 100..=u32::MAX).collect();
    let (mut codes, mut back) = (zeros::<u32>(x.len()), vec![0_u32; x.len()]);
    let arguments = (In(&x), &mut codes, Out(&mut back), x.len());
    module.get_function("gray").unwrap().launch(x.len().div_ceil(64), 64, arguments).unwrap();
    assert_eq!(back, x);
    let codes = codes.to_vec();
    assert!(codes[..200].windows(2).all(|pair| (pair[0] ^ pair[1]).count_ones() == 1));
    assert_eq!(codes, x.iter().map(|x| x ^ x >> 1).collect::<Vec<u32>>());

    let (width, height) = (45_usize, 21_usize);
    let mut found = zeros::<u32>((height, width));
    module.get_function("morton").unwrap().launch((3, 3), (16, 8), (&mut found, width, height)).unwrap();
    let spread = |x: usize| (0..16).fold(0, |all, bit| all | (x as u32 >> bit & 1) << (2 * bit));
    let expected: Vec<u32> =
        (0..width * height).map(|k| spread(k % width) | spread(k / width) << 1).collect();
    assert_eq!(found.to_vec(), expected);
}

#[test]
fn products_of_four_bytes() {
    let kernel = module(include_str!("bits.cu")).get_function("dot4").unwrap();
    let mut random = SplitMix64::new(104);
    let mut words = || -> Vec<i32> { random.vec_u32(90).iter().map(|x| *x as i32).collect() };
    let (a, b) = (words(), words());
    let c = random.vec_i32(90, 0, 1000);
    let (mut with_sign, mut without) = (zeros::<i32>(90), zeros::<u32>(90));
    let arguments = (In(&a), In(&b), In(&c), &mut with_sign, &mut without, 90);
    kernel.launch(2, 64, arguments).unwrap();
    let (with_sign, without) = (with_sign.to_vec(), without.to_vec());
    for k in 0..90 {
        let bytes = || a[k].to_le_bytes().into_iter().zip(b[k].to_le_bytes());
        let signed: i32 = bytes().map(|(a, b)| i32::from(a as i8) * i32::from(b as i8)).sum();
        let unsigned: u32 = bytes().map(|(a, b)| u32::from(a) * u32::from(b)).sum();
        assert_eq!((with_sign[k], without[k]), (signed + c[k], unsigned + c[k] as u32));
    }
}

#[test]
fn bits_of_floats() {
    let kernel = module(include_str!("bits.cu")).get_function("floats").unwrap();
    let mut x = SplitMix64::new(105).vec_f32(100);
    x[..3].copy_from_slice(&[0.0, f32::MAX, -1e-40]);
    let (mut bits, mut next, mut same) = (vec![0_i32; 100], vec![0.0_f32; 100], zeros::<f64>(100));
    let arguments = (In(&x), Out(&mut bits), Out(&mut next), &mut same, 100);
    kernel.launch(4, 32, arguments).unwrap();
    assert_eq!(bits, x.iter().map(|x| x.to_bits() as i32).collect::<Vec<i32>>());
    assert_eq!(next, x.iter().map(|x| f32::from_bits(x.to_bits() + 1)).collect::<Vec<f32>>());
    assert_eq!(same.to_vec(), x.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>());
}

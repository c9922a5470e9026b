//! What CUDA C++ has: templates, classes, statements, variables, barriers and
//! warps.

use super::*;

#[test]
fn templates_by_the_name_of_an_instance() {
    let module = module(include_str!("templates.cu"));
    let n = 500_usize;
    let mut random = SplitMix64::new(61);
    let (x, y) = (random.vec_f32(n), random.vec_f32(n));
    let mut found = y.clone();
    let axpy = module.get_function("axpy<float>").unwrap();
    axpy.launch(n.div_ceil(128), 128, (1.5_f32, In(&x), InOut(&mut found), n)).unwrap();
    let expected: Vec<f64> = x.iter().zip(&y).map(|(x, y)| 1.5 * f64::from(*x) + f64::from(*y)).collect();
    all_close(&found, &expected, 4.0 * UNIT_F32 * 2.5);

    let (x, y) = (random.vec_f64(n), random.vec_f64(n));
    let mut found = to_gpu(&y);
    let axpy = module.get_function("axpy<double>").unwrap();
    axpy.launch(n.div_ceil(96), 96, (-0.1, In(&x), &mut found, n)).unwrap();
    let expected: Vec<f64> = x.iter().zip(&y).map(|(x, y)| -0.1 * x + y).collect();
    all_close(&found.to_vec(), &expected, 4.0 * UNIT_F64 * 1.1);

    for (name, exponent) in [("power<13>", 13), ("power<0>", 0), ("power<1>", 1)] {
        let start = random.vec_u32(100);
        let mut x = start.clone();
        module.get_function(name).unwrap().launch(2, 64, (InOut(&mut x), 100)).unwrap();
        assert_eq!(x, start.iter().map(|x| x.wrapping_pow(exponent)).collect::<Vec<u32>>(), "{name}");
    }
}

#[test]
fn templates_of_a_type_and_a_number() {
    let module = module(include_str!("templates.cu"));
    let mut random = SplitMix64::new(62);
    let x = random.vec_i32(3 * 8 * 8, -100, 100);
    let mut found = zeros::<i32>(3 * 8);
    module.get_function("turned_sums<int, 8>").unwrap().launch(3, 8, (In(&x), &mut found)).unwrap();
    let turned = |block: &[i32]| block.chunks(8).rev().map(|row| row.iter().sum()).collect::<Vec<i32>>();
    assert_eq!(found.to_vec(), x.chunks(64).flat_map(turned).collect::<Vec<i32>>());

    let x = random.vec_f64(2 * 5 * 5);
    let mut found = [0.0_f64; 10];
    module.get_function("turned_sums<double, 5>").unwrap().launch(2, 5, (In(&x), Out(&mut found))).unwrap();
    let turned = |block: &[f64]| block.chunks(5).rev().map(|row| row.iter().sum()).collect::<Vec<f64>>();
    all_close(&found, &x.chunks(25).flat_map(turned).collect::<Vec<f64>>(), 5.0 * UNIT_F64 * 5.0);

    let (mut x, mut y) = (zeros::<i32>(75), zeros::<i64>(75));
    module.get_function("triangle<int, true>").unwrap().launch(1, 32, (&mut x, 75_u32)).unwrap();
    module.get_function("triangle<long long, false>").unwrap().launch(1, 64, (&mut y, 75_u32)).unwrap();
    assert_eq!(x.to_vec(), (0..75).map(|k| k * (k + 1) / 2).collect::<Vec<i32>>());
    assert_eq!(y.to_vec(), (0..75).map(|k| k * (k - 1) / 2).collect::<Vec<i64>>());
}

#[test]
fn classes_with_operators() {
    let module = module(include_str!("classes.cu"));
    let x = SplitMix64::new(63).vec_f64(200);
    let c = [1.5, -2.0, 0.25, 3.0, -1.0];
    let (mut values, mut slopes) = (vec![0.0_f64; 200], zeros::<f64>(200));
    let arguments = (In(&c), c.len(), In(&x), Out(&mut values), &mut slopes, x.len());
    module.get_function("slopes").unwrap().launch(4, 64, arguments).unwrap();
    let expected: Vec<f64> = x.iter().map(|x| c.iter().rev().fold(0.0, |sum, c| sum * x + c)).collect();
    // Sums of a few numbers below 30.
    all_close(&values, &expected, 1e-13);
    let expected: Vec<f64> =
        x.iter().map(|x| (1..5).rev().fold(0.0, |sum, k| sum * x + k as f64 * c[k])).collect();
    all_close(&slopes.to_vec(), &expected, 1e-13);

    let mut found = zeros::<u32>(100);
    module.get_function("fibonacci").unwrap().launch(2, 64, (&mut found, 100)).unwrap();
    let mut expected = vec![0_u32, 1];
    (2..100).for_each(|k| expected.push(expected[k - 1].wrapping_add(expected[k - 2])));
    assert_eq!(found.to_vec(), expected);

    let (mut odd, mut alternating) = (vec![0_i32; 50], vec![0_i32; 50]);
    let arguments = (Out(&mut odd), Out(&mut alternating), 50);
    module.get_function("sequences").unwrap().launch(2, 32, arguments).unwrap();
    assert_eq!(odd, (0..50).map(|k| k * k).collect::<Vec<i32>>());
    assert_eq!(
        alternating,
        (0..50).map(|k| if k % 2 == 1 { (k + 1) / 2 } else { -k / 2 }).collect::<Vec<i32>>()
    );
}

#[test]
fn virtual_functions() {
    let kernel = module(include_str!("virtual.cu")).get_function("areas").unwrap();
    let (mut areas, mut corners) = (zeros::<i32>(40), zeros::<i32>(40));
    kernel.launch(2, 32, (&mut areas, &mut corners, 40)).unwrap();
    assert_eq!(
        areas.to_vec(),
        (0..40).map(|k| [k * (k + 1), k * k, 0][k as usize % 3]).collect::<Vec<i32>>()
    );
    assert_eq!(corners.to_vec(), (0..40).map(|k| [4, 4, 1][k % 3]).collect::<Vec<i32>>());
}

fn ackermann(m: u32, n: u32) -> u32 {
    match (m, n) {
        (0, n) => n + 1,
        (m, 0) => ackermann(m - 1, 1),
        (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
    }
}

#[test]
fn recursion_and_pointers_to_functions() {
    let module = module(include_str!("control.cu"));
    let mut found = zeros::<u32>((3, 4));
    module.get_function("recursion").unwrap().launch(1, (4, 3), (&mut found, 4)).unwrap();
    assert_eq!(found.to_vec(), (0..12).map(|k| ackermann(k / 4, k % 4)).collect::<Vec<u32>>());

    let x = SplitMix64::new(64).vec_i32(100, -100, 100);
    let mut found = zeros::<i32>(98);
    let kernel = module.get_function("pointers_to_functions").unwrap();
    kernel.launch(4, 32, (In(&x), &mut found, x.len())).unwrap();
    let folded = |(k, x): (usize, &[i32])| match k % 3 {
        0 => x[0] + x[1] + x[2],
        1 => x[0] - x[1] - x[2],
        _ => x[0] * x[1] * x[2],
    };
    assert_eq!(found.to_vec(), x.windows(3).enumerate().map(folded).collect::<Vec<i32>>());
}

#[test]
fn switch_and_goto() {
    let module = module(include_str!("control.cu"));
    let programs = [[-3, 5, -1, -3, -2, -5, 0], [7, -3, -2, -4, 3, -1, 9]];
    let inputs = SplitMix64::new(65).vec_i32(90, -1000, 1000);
    let mut found = vec![0_i32; 90];
    let arguments = (In(&programs), 7, In(&inputs), Out(&mut found), 90);
    module.get_function("stack_machine").unwrap().launch(3, 32, arguments).unwrap();
    let expected = inputs.iter().enumerate();
    let expected: Vec<i32> =
        expected.map(|(k, x)| if k % 2 == 0 { -2 * (x + 5) * x } else { 14 * x + 3 }).collect();
    assert_eq!(found, expected);

    let (n, width) = (130_usize, 6_usize);
    let rows = SplitMix64::new(66).vec_i32(n * width, 0, 20);
    let mut found = zeros::<i32>((n, 2));
    let arguments = (In(&rows), width, 19, &mut found, n);
    module.get_function("first_pair").unwrap().launch(n.div_ceil(32), 32, arguments).unwrap();
    let pair = |row: &[i32]| {
        let mut all = (0..width).flat_map(|a| (a + 1..width).map(move |b| (a, b)));
        all.find(|(a, b)| row[*a] + row[*b] == 19).map_or([-1, -1], |(a, b)| [a as i32, b as i32])
    };
    assert_eq!(found.to_vec(), rows.chunks(width).flat_map(pair).collect::<Vec<i32>>());
}

#[test]
fn a_stack_of_ones_own() {
    let kernel = module(include_str!("control.cu")).get_function("quicksort").unwrap();
    let (n, width) = (70_usize, 33_usize);
    let mut rows: Vec<f32> =
        SplitMix64::new(67).vec_i32(n * width, 0, 50).iter().map(|x| *x as f32).collect();
    let mut found = to_gpu(&rows);
    kernel.launch(n.div_ceil(32), 32, (&mut found, width, n)).unwrap();
    rows.chunks_mut(width).for_each(|row| row.sort_unstable_by(f32::total_cmp));
    assert_eq!(found.to_vec(), rows);
}

#[test]
fn structures_and_their_pointers() {
    let module = module(include_str!("data.cu"));
    let (n, length) = (60_usize, 9_usize);
    let digits = SplitMix64::new(68).vec_i32(n * length, 0, 10);
    let mut found = zeros::<i64>(n);
    let arguments = (In(&digits), length, &mut found, n);
    module.get_function("linked_lists").unwrap().launch(2, 32, arguments).unwrap();
    let number = |row: &[i32]| row.iter().rev().fold(0, |number, digit| 10 * number + i64::from(*digit));
    assert_eq!(found.to_vec(), digits.chunks(length).map(number).collect::<Vec<i64>>());

    let (x, y) = (SplitMix64::new(69).vec_f32(n), SplitMix64::new(70).vec_f32(n));
    let mut found = vec![0.0_f32; n];
    module.get_function("structures").unwrap().launch(1, 64, (In(&x), In(&y), Out(&mut found), n)).unwrap();
    assert_eq!(found, x.iter().zip(&y).map(|(x, y)| x + y).collect::<Vec<f32>>());
}

#[test]
fn bit_fields_and_unions() {
    let module = module(include_str!("data.cu"));
    let dates: Vec<u16> = SplitMix64::new(71).vec_u32(100).iter().map(|x| *x as u16).collect();
    let mut found = zeros::<i32>((100, 3));
    module.get_function("bit_fields").unwrap().launch(2, 64, (In(&dates), &mut found, 100)).unwrap();
    let parts = |date: &u16| [1980 + (date >> 9), date >> 5 & 15, date & 31].map(i32::from);
    assert_eq!(found.to_vec(), dates.iter().flat_map(parts).collect::<Vec<i32>>());

    let x = SplitMix64::new(72).vec_f64(100);
    let (mut exponents, mut low) = (vec![0_u32; 100], zeros::<u32>(100));
    let arguments = (In(&x), Out(&mut exponents), &mut low, 100);
    module.get_function("parts").unwrap().launch(4, 32, arguments).unwrap();
    assert_eq!(exponents, x.iter().map(|x| (x.to_bits() >> 52 & 0x7ff) as u32).collect::<Vec<u32>>());
    assert_eq!(low.to_vec(), x.iter().map(|x| x.to_bits() as u32).collect::<Vec<u32>>());
}

#[test]
fn enumerations_namespaces_and_lambdas() {
    let module = module(include_str!("data.cu"));
    let turns: Vec<i8> = SplitMix64::new(73).vec_i32(80, -1, 2).iter().map(|x| *x as i8).collect();
    let (mut upper, mut lower, mut walked) = (vec![0_u8; 80], vec![0_u8; 80], [0_i32]);
    let arguments = (In(&turns), 80, Out(&mut upper), Out(&mut lower), Out(&mut walked));
    module.get_function("turns").unwrap().launch(2, 32, arguments).unwrap();
    let mut direction = 0;
    for k in 0..80 {
        direction = (direction + turns[k] as i32).rem_euclid(4);
        assert_eq!((upper[k], lower[k]), (b"NESW"[direction as usize], b"nesw"[direction as usize]));
    }
    assert_eq!(walked, [480]);

    let x = SplitMix64::new(74).vec_i32(300, 0, 50);
    let mut found = zeros::<i32>((10, 4));
    module.get_function("lambdas").unwrap().launch(1, 10, (In(&x), x.len(), 20, &mut found)).unwrap();
    let count = |test: &dyn Fn(i32) -> bool| x.iter().filter(|v| test(**v)).count() as i32;
    let expected: Vec<i32> = (0..10)
        .flat_map(|c| [count(&|v| v > 20 + c), count(&|v| v % (c + 1) == 0), 300, c * c + 2])
        .collect();
    assert_eq!(found.to_vec(), expected);
}

#[test]
fn indices_in_three_dimensions() {
    let kernel = module(include_str!("places.cu")).get_function("indices").unwrap();
    let mut found = zeros::<u32>(12 * 12 * 24);
    kernel.launch((3, 2, 2), (4, 2, 3), &mut found).unwrap();
    let mut expected = Vec::new();
    for block in 0..12 {
        for thread in 0..24 {
            expected.extend([thread % 4, thread / 4 % 2, thread / 8]);
            expected.extend([block % 3, block / 3 % 2, block / 6]);
            expected.extend([4, 2, 3, 3, 2, 2]);
        }
    }
    assert_eq!(found.to_vec(), expected);
}

#[test]
fn indices_in_functions_and_macros() {
    let module = module(include_str!("places.cu"));
    let mut found = zeros::<u32>(230);
    module.get_function("after_a_barrier").unwrap().launch(4, 64, (&mut found, 230)).unwrap();
    assert_eq!(found.to_vec(), (0..230).map(|k| k / 64 * 64 + 63 - k % 64 + 1000).collect::<Vec<u32>>());

    let mut found = zeros::<i32>(6 * 20);
    module.get_function("copies").unwrap().launch((3, 2), (5, 4), &mut found).unwrap();
    let place = |k: i32| 32 + k % 5 - 2 * (k / 5 % 4) + 100 * (k / 20 % 3);
    assert_eq!(found.to_vec(), (0..120).map(place).collect::<Vec<i32>>());
}

#[test]
fn variables_of_a_module() {
    let module = module(include_str!("globals.cu"));
    let x: Vec<f32> = (0..100).map(|k| k as f32 / 64.0).collect();
    let evaluate = module.get_function("evaluate").unwrap();
    let coefficients = [0.5_f32, -1.0, 2.0, 0.25, -0.125];
    memcpy_htod(&mut module.get_global("coefficients").unwrap(), &coefficients).unwrap();
    let value = |x: &f32| coefficients.iter().rev().fold(0.0, |sum, c| sum * f64::from(*x) + f64::from(*c));
    let mut found = vec![-9.0_f32; 100];
    evaluate.launch(2, 64, (In(&x), InOut(&mut found), 100)).unwrap();
    // Values below ten, of eight operations.
    all_close(&found, &x.iter().map(value).collect::<Vec<f64>>(), 8.0 * UNIT_F32 * 10.0);

    let mut found = vec![-9.0_f32; 100];
    memcpy_htod(&mut module.get_global("window").unwrap(), &[10, 13]).unwrap();
    evaluate.launch(2, 64, (In(&x), InOut(&mut found), 100)).unwrap();
    assert_eq!(found.iter().filter(|y| **y != -9.0).count(), 3);
    all_close(&found[10..13], &x[10..13].iter().map(value).collect::<Vec<f64>>(), 8.0 * UNIT_F32 * 10.0);

    let mut calls = [0_u32];
    memcpy_dtoh(&mut calls, &module.get_global("calls").unwrap()).unwrap();
    assert_eq!(calls, [200]);
}

#[test]
fn variables_that_have_a_value_and_keep_it() {
    let module = module(include_str!("globals.cu"));
    let x = SplitMix64::new(75).vec_i32(90, -20, 20);
    let add = module.get_function("add").unwrap();
    let totals = module.get_global("totals").unwrap();
    assert_eq!(totals.len(), 12);
    let mut expected = [100, 200, 300];
    for _ in 0..2 {
        add.launch(3, 32, (In(&x), 90)).unwrap();
        x.iter().enumerate().for_each(|(k, x)| expected[k % 3] += x.max(&-7));
        let mut found = [0_i32; 3];
        memcpy_dtoh(&mut found, &totals).unwrap();
        assert_eq!(found, expected);
    }
    let mut last = [0.0_f64];
    memcpy_dtoh(&mut last, &module.get_global("last").unwrap()).unwrap();
    assert_eq!(last[0], f64::from(x[89]) / 2.0);
    let uncover = module.get_function("uncover").unwrap();
    let mut count = [0_u64];
    for expected in [41, 42] {
        uncover.launch(1, 1, Out(&mut count)).unwrap();
        assert_eq!(count, [expected]);
    }
}

#[test]
fn segments_of_warps() {
    let module = module(include_str!("warps.cu"));
    let x = SplitMix64::new(76).vec_i32(192, -100, 100);
    let (mut sums8, mut sums16, mut firsts) = (zeros::<i32>(192), zeros::<i32>(192), vec![0_i32; 192]);
    let arguments = (In(&x), &mut sums8, &mut sums16, Out(&mut firsts));
    module.get_function("segments").unwrap().launch(3, 64, arguments).unwrap();
    let sums = |n: usize| (0..192).map(|k| x[k / n * n..][..n].iter().sum()).collect::<Vec<i32>>();
    assert_eq!((sums8.to_vec(), sums16.to_vec()), (sums(8), sums(16)));
    assert_eq!(firsts, (0..192).map(|k| x[k / 16 * 16]).collect::<Vec<i32>>());
}

#[test]
fn numbers_that_move_between_lanes() {
    let module = module(include_str!("warps.cu"));
    let x: Vec<f64> = SplitMix64::new(77).vec_i32(160, -100, 100).iter().map(|x| f64::from(*x)).collect();
    let (mut broadcast, mut rotated) = (zeros::<f64>(160), zeros::<f64>(160));
    let (mut up, mut sums) = (vec![0_i64; 160], vec![0.0_f32; 160]);
    let arguments = (In(&x), &mut broadcast, &mut rotated, Out(&mut up), Out(&mut sums));
    module.get_function("moves").unwrap().launch(1, 160, arguments).unwrap();
    let warp = |k: usize| &x[k / 32 * 32..][..32];
    assert_eq!(broadcast.to_vec(), (0..160).map(|k| warp(k)[5]).collect::<Vec<f64>>());
    assert_eq!(rotated.to_vec(), (0..160).map(|k| warp(k)[(k + 1) % 32]).collect::<Vec<f64>>());
    let from = |k: i64| if k % 32 < 3 { k } else { k - 3 };
    assert_eq!(up, (0..160).map(|k| from(k) << 33).collect::<Vec<i64>>());
    // Sums of small whole numbers are exact.
    let sum = |k: usize| x[k / 8 * 8..=k].iter().sum::<f64>() as f32;
    assert_eq!(sums, (0..160).map(sum).collect::<Vec<f32>>());
}

#[test]
fn votes_and_matches() {
    let module = module(include_str!("warps.cu"));
    let mut x = SplitMix64::new(78).vec_i32(128, 0, 100);
    x[32..64].fill(80);
    x[64..96].fill(3);
    let (mut ballots, mut flags) = (zeros::<u32>(128), zeros::<i32>(128));
    let arguments = (In(&x), 50, &mut ballots, &mut flags);
    module.get_function("votes").unwrap().launch(2, 64, arguments).unwrap();
    let mask = |test: &dyn Fn(usize) -> bool, k: usize| {
        (0..32).filter(|lane| test(k / 32 * 32 + lane)).fold(0_u32, |mask, lane| mask | 1 << lane)
    };
    let expected: Vec<u32> = (0..128).map(|k| mask(&|k| x[k] > 50, k)).collect();
    assert_eq!(ballots.to_vec(), expected);
    let flag = |ballot: &u32| 2 * i32::from(*ballot != 0) + i32::from(*ballot == u32::MAX);
    assert_eq!(flags.to_vec(), expected.iter().map(flag).collect::<Vec<i32>>());

    let x: Vec<u32> = SplitMix64::new(79).vec_i32(128, 0, 5).iter().map(|x| *x as u32).collect();
    let wide: Vec<u64> = (0..128).map(|k| (k as u64 / 32 + 1) << 40 | u64::from(k == 70)).collect();
    let (mut any, mut all, mut equal) = (vec![0_u32; 128], zeros::<u32>(128), zeros::<i32>(128));
    let arguments = (In(&x), In(&wide), Out(&mut any), &mut all, &mut equal);
    module.get_function("matches").unwrap().launch(4, 32, arguments).unwrap();
    let expected: Vec<u32> = (0..128).map(|k| mask(&|other| x[other] == x[k], k)).collect();
    assert_eq!(any, expected);
    let alike = |k: usize| k / 32 != 2;
    assert_eq!(all.to_vec(), (0..128).map(|k| if alike(k) { u32::MAX } else { 0 }).collect::<Vec<u32>>());
    assert_eq!(equal.to_vec(), (0..128).map(|k| i32::from(alike(k))).collect::<Vec<i32>>());
}

#[test]
fn reductions_of_warps() {
    let kernel = module(include_str!("warps.cu")).get_function("reductions").unwrap();
    let x = SplitMix64::new(80).vec_u32(96);
    let (mut found, mut least) = (zeros::<u32>(96), zeros::<i32>(96));
    kernel.launch(1, 96, (In(&x), &mut found, &mut least)).unwrap();
    for (warp, found) in x.chunks(32).zip(found.to_vec().chunks(32)) {
        let fold =
            |start: u32, step: &dyn Fn(u32, u32) -> u32| warp.iter().fold(start, |all, x| step(all, *x));
        let sum = fold(0, &|a, b| a.wrapping_add(b));
        let expected = sum
            ^ fold(0, &|a, b| a.max(b))
            ^ fold(u32::MAX, &|a, b| a & b)
            ^ fold(0, &|a, b| a | b)
            ^ fold(0, &|a, b| a ^ b);
        assert_eq!(found, [expected; 32]);
    }
    let smallest = |k: usize| x[k / 32 * 32..][..32].iter().map(|x| *x as i32).min().unwrap();
    assert_eq!(least.to_vec(), (0..96).map(smallest).collect::<Vec<i32>>());
}

#[test]
fn parts_of_a_warp_that_go_different_ways() {
    let kernel = module(include_str!("warps.cu")).get_function("partial_masks").unwrap();
    let x = SplitMix64::new(81).vec_i32(128, 0, 1000);
    let mut found = vec![0_i32; 128];
    kernel.launch(2, 64, (In(&x), Out(&mut found))).unwrap();
    for (warp, found) in x.chunks(32).zip(found.chunks(32)) {
        for lane in 0..32 {
            let expected = match lane {
                0 => warp[1] + warp[0] + warp[31],
                1..12 => warp[(lane + 1) % 12] + warp[0],
                _ if lane % 2 == 1 => {
                    let odd = (13..32).step_by(2).filter(|lane| warp[*lane] % 2 == 1);
                    odd.count() as i32 + 3100
                }
                _ => (12..32).step_by(2).map(|lane| warp[lane]).max().unwrap(),
            };
            assert_eq!(found[lane], expected, "lane {lane}");
        }
    }
}

#[test]
fn warps_that_leave_before_a_barrier() {
    let kernel = module(include_str!("barriers.cu")).get_function("early_return").unwrap();
    let x = SplitMix64::new(82).vec_i32(300, -500, 500);
    let mut found = vec![0_i32; 300];
    kernel.launch(3, 128, (In(&x), Out(&mut found), 300)).unwrap();
    let expected: Vec<i32> = x.chunks(128).flat_map(|piece| piece.iter().rev().copied()).collect();
    assert_eq!(found, expected);
}

#[test]
fn barriers_in_loops() {
    let kernel = module(include_str!("barriers.cu")).get_function("until_sorted").unwrap();
    let n = 45_usize;
    let mut rows = SplitMix64::new(83).vec_i32(4 * n, 0, 100);
    rows[n..2 * n].sort_unstable();
    let (mut found, mut rounds) = (to_gpu(&rows), vec![0_i32; 4]);
    kernel.launch_shared(4, 32, n * 4, (&mut found, n, Out(&mut rounds))).unwrap();
    for (row, rounds) in rows.chunks_mut(n).zip(rounds) {
        let (mut expected, mut changed) = (0, true);
        while changed {
            changed = false;
            for odd in 0..2 {
                for pair in row[odd..].chunks_exact_mut(2).filter(|pair| pair[0] > pair[1]) {
                    pair.swap(0, 1);
                    changed = true;
                }
            }
            expected += 1;
        }
        assert_eq!(rounds, expected);
    }
    assert_eq!(found.to_vec(), rows);
}

#[test]
fn barriers_that_count() {
    let kernel = module(include_str!("barriers.cu")).get_function("counts").unwrap();
    let mut x = SplitMix64::new(84).vec_i32(250, 0, 100);
    x[96..192].fill(99);
    let mut found = zeros::<i32>((4, 3));
    kernel.launch(4, 96, (In(&x), x.len(), 40, &mut found)).unwrap();
    let answers = |piece: &[i32]| {
        let count = piece.iter().filter(|x| **x > 40).count();
        [count as i32, i32::from(count == piece.len()), i32::from(count > 0)]
    };
    let mut expected: Vec<i32> = x.chunks(96).flat_map(answers).collect();
    expected.extend([0, 1, 0]); // A block without elements.
    assert_eq!(found.to_vec(), expected);
}

#[test]
fn barriers_in_branches_of_whole_blocks() {
    let kernel = module(include_str!("barriers.cu")).get_function("uniform_branch").unwrap();
    let mut x = SplitMix64::new(85).vec_i32(5 * 64, 0, 1000);
    let mut found = x.clone();
    kernel.launch(5, 64, InOut(&mut found)).unwrap();
    for (block, row) in x.chunks_mut(64).enumerate() {
        if block % 2 == 1 {
            row.rotate_left(32);
        }
        row.reverse();
    }
    assert_eq!(found, x);
}

#[test]
fn shared_memory_in_pieces() {
    let kernel = module(include_str!("barriers.cu")).get_function("pieces").unwrap();
    let n = 50_usize;
    let x: Vec<f64> = SplitMix64::new(86).vec_i32(n, 0, 30).iter().map(|x| f64::from(*x) / 4.0).collect();
    let (mut places, mut sorted, mut flags) = (zeros::<i32>(n), vec![0.0_f64; n], zeros::<u8>(n));
    let arguments = (In(&x), &mut places, Out(&mut sorted), &mut flags, n);
    kernel.launch_shared(1, 64, n * (8 + 4 + 1), arguments).unwrap();
    let mut expected: Vec<usize> = (0..n).collect();
    expected.sort_by(|a, b| x[*a].total_cmp(&x[*b]));
    assert_eq!(places.to_vec(), expected.iter().map(|k| *k as i32).collect::<Vec<i32>>());
    assert_eq!(sorted, expected.iter().map(|k| x[*k]).collect::<Vec<f64>>());
    assert_eq!(flags.to_vec(), expected.iter().map(|k| (k % 2) as u8).collect::<Vec<u8>>());
}

#[test]
fn containers_made_on_the_device() {
    let module = module(include_str!("containers.cu"));
    let launch = |name, grid: usize, block: usize, container: &GpuArray<u64>| {
        module.get_function(name).unwrap().launch(grid, block, &container.gpudata()).unwrap();
    };
    let container = zeros::<u64>(1);
    let (pushed, popped) = (200, 256);
    module.get_function("make").unwrap().launch(1, 1, (container.gpudata(), 1000)).unwrap();
    launch("fill", 8, pushed / 8, &container);
    let mut found = vec![0_i32; popped];
    module.get_function("drain").unwrap().launch(4, 64, (container.gpudata(), Out(&mut found))).unwrap();
    launch("drop", 1, 1, &container);
    found.sort_unstable();
    let missing = (popped - pushed) as i32;
    assert_eq!(found, (0..popped as i32).map(|k| (k - missing).max(-1)).collect::<Vec<i32>>());
    assert_eq!(container.item(), 0);

    let mut found = vec![0.0_f64; 256];
    module.get_function("in_shared_memory").unwrap().launch(1, 256, Out(&mut found)).unwrap();
    found.sort_unstable_by(f64::total_cmp);
    let expected = (0..256).map(|k| if k < 128 { -1.0 } else { 3.0 * f64::from(k - 128) });
    assert_eq!(found, expected.collect::<Vec<f64>>());
}

//! Prefix sums, and what is built upon them.

use super::*;

/// The running totals of wrapping sums, each with its own element.
fn running_sums(x: &[u32]) -> Vec<u32> {
    let sums = x.iter().scan(0_u32, |sum, x| {
        *sum = sum.wrapping_add(*x);
        Some(*sum)
    });
    sums.collect()
}

#[test]
fn two_buffers_that_take_turns() {
    let prefix_sums = module(include_str!("scan_hillis_steele.cu")).get_function("prefix_sums").unwrap();
    let mut random = SplitMix64::new(21);
    for (rows, columns) in [(5, 256), (7, 100), (3, 1), (2, 33), (1, 1000)] {
        let x = random.vec_i32(rows * columns, -1000, 1000);
        let mut sums = vec![0; rows * columns];
        prefix_sums.launch_shared(rows, columns, 2 * 4 * columns, (In(&x), Out(&mut sums))).unwrap();
        for (x, sums) in x.chunks(columns).zip(sums.chunks(columns)) {
            let expected: Vec<i32> = (1..=columns).map(|k| x[..k].iter().sum()).collect();
            assert_eq!(sums, expected, "{columns} columns");
        }
    }
}

#[test]
fn running_maxima_in_place() {
    let maxima = module(include_str!("scan_hillis_steele.cu")).get_function("running_maxima").unwrap();
    let (rows, columns) = (6, 150);
    let x = SplitMix64::new(22).vec_f32(rows * columns);
    let mut found = x.clone();
    maxima.launch_shared(rows, columns, 4 * columns, InOut(&mut found)).unwrap();
    for (x, found) in x.chunks(columns).zip(found.chunks(columns)) {
        let mut largest = f32::NEG_INFINITY;
        for (x, found) in x.iter().zip(found) {
            largest = largest.max(*x);
            assert_eq!(*found, largest);
        }
    }
}

#[test]
fn up_a_tree_and_down_again() {
    let module = module(include_str!("scan_blelloch.cu"));
    let [scan_blocks, add_sums] = ["scan_blocks", "add_sums"].map(|name| module.get_function(name).unwrap());
    let mut random = SplitMix64::new(23);
    for n in [20_011_usize, 256, 1, 700] {
        let x = random.vec_u32(n);
        let blocks = n.div_ceil(256);
        let mut scanned = empty::<u32>(n);
        let (mut sums, mut starts, mut total) = (empty::<u32>(blocks), empty::<u32>(blocks), empty::<u32>(1));
        scan_blocks.launch(blocks, 128, (In(&x), &mut scanned, &mut sums, n)).unwrap();
        // The sums of the blocks are few enough for one block.
        scan_blocks.launch(1, 128, (&sums, &mut starts, &mut total, blocks)).unwrap();
        add_sums.launch(blocks, 96, (&mut scanned, &starts, n)).unwrap();
        let inclusive = running_sums(&x);
        let exclusive: Vec<u32> = std::iter::once(0).chain(inclusive.iter().copied()).take(n).collect();
        assert_eq!(scanned.to_vec(), exclusive, "{n}");
        assert_eq!(total.item(), inclusive[n - 1], "{n}");
    }
}

#[test]
fn shuffles_up_along_an_array() {
    let scan = module(include_str!("scan_warp.cu")).get_function("scan").unwrap();
    let mut random = SplitMix64::new(24);
    for (n, threads) in [(3001, 256), (3001, 32), (100, 1024), (64, 64)] {
        let x: Vec<i64> = random.vec_i32(n, -1000, 1000).iter().map(|x| i64::from(*x) << 40).collect();
        let mut sums = vec![0_i64; n];
        scan.launch(1, threads, (In(&x), Out(&mut sums), n)).unwrap();
        let mut sum = 0;
        for (x, found) in x.iter().zip(&sums) {
            sum += x;
            assert_eq!(*found, sum, "{n} by {threads}");
        }
    }
}

#[test]
fn tiles_that_look_back() {
    let scan = module(include_str!("scan_look_back.cu")).get_function("scan").unwrap();
    let mut random = SplitMix64::new(25);
    for n in [9001_usize, 128, 5, 129, 4096] {
        let x = random.vec_u32(n);
        let tiles = n.div_ceil(128);
        let (mut ticket, mut states) = (zeros::<u32>(1), zeros::<i32>(tiles));
        let (mut own, mut whole) = (empty::<u32>(tiles), empty::<u32>(tiles));
        let mut sums = vec![0_u32; n];
        let arguments = (In(&x), Out(&mut sums), n, &mut ticket, &mut states, &mut own, &mut whole);
        scan.launch(tiles, 128, arguments).unwrap();
        assert_eq!(sums, running_sums(&x), "{n}");
        assert_eq!((ticket.item(), states.to_vec()), (tiles as u32, vec![2; tiles]));
    }
}

#[test]
fn elements_that_are_kept() {
    let module = module(include_str!("compact.cu"));
    let kernel = |name| module.get_function(name).unwrap();
    let mut random = SplitMix64::new(26);
    for (n, limit) in [(5003, 0), (5003, 90), (5003, 100), (40, -101), (9000, -50)] {
        let x = to_gpu(&random.vec_i32(n, -100, 100));
        let mut expected: Vec<i32> = x.to_vec().into_iter().filter(|x| *x > limit).collect();
        let threads = 160;
        let blocks = n.div_ceil(threads);

        let (mut counts, mut starts) = (empty::<i32>(blocks), empty::<i32>(blocks + 1));
        let mut kept = full(n, i32::MAX);
        kernel("count_blocks").launch(blocks, threads, (&x, n, limit, &mut counts)).unwrap();
        kernel("find_starts").launch(1, 32, (&counts, &mut starts, blocks)).unwrap();
        kernel("compact_in_order").launch(blocks, threads, (&x, n, limit, &starts, &mut kept)).unwrap();
        assert_eq!(starts.to_vec().last(), Some(&(expected.len() as i32)));
        let kept = kept.to_vec();
        assert_eq!(kept[..expected.len()], expected);
        assert!(kept[expected.len()..].iter().all(|x| *x == i32::MAX));

        let (mut kept, mut count) = (vec![0; n], [0_u32]);
        let arguments = (&x, n, limit, InOut(&mut kept), InOut(&mut count));
        kernel("compact_any_order").launch(blocks, threads, arguments).unwrap();
        assert_eq!(count, [expected.len() as u32]);
        kept.truncate(expected.len());
        kept.sort_unstable();
        expected.sort_unstable();
        assert_eq!(kept, expected);
    }
}

#[test]
fn sums_that_start_anew() {
    let module = module(include_str!("scan_segmented.cu"));
    let [scan_blocks, carry, add_carries] =
        ["scan_blocks", "carry", "add_carries"].map(|name| module.get_function(name).unwrap());
    let mut random = SplitMix64::new(27);
    // Many short segments, few long ones, one alone.
    for (n, between) in [(3001, 5), (3001, 400), (1000, u32::MAX), (128, 1)] {
        let x = random.vec_i32(n, -1000, 1000);
        let heads: Vec<u8> = (0..n).map(|_| u8::from(random.below(between) == 0)).collect();
        let blocks = n.div_ceil(128);
        let (mut sums, mut is_open) = (empty::<i32>(n), empty::<u8>(n));
        let mut carries = empty::<i32>(blocks);
        scan_blocks.launch(blocks, 128, (In(&x), In(&heads), &mut sums, &mut is_open, n)).unwrap();
        carry.launch(1, 1, (&sums, &is_open, &mut carries, n)).unwrap();
        add_carries.launch(blocks, 128, (&mut sums, &is_open, &carries, n)).unwrap();
        let mut sum = 0;
        let expected: Vec<i32> = (0..n)
            .map(|k| {
                sum = if heads[k] == 1 { x[k] } else { sum + x[k] };
                sum
            })
            .collect();
        assert_eq!(sums.to_vec(), expected, "every {between}");
    }
}

#[test]
fn a_recurrence_as_a_scan_of_functions() {
    let recurrence = module(include_str!("scan_recurrence.cu")).get_function("recurrence").unwrap();
    let mut random = SplitMix64::new(28);
    for (n, threads) in [(777, 1024), (31, 32), (256, 256), (1, 64)] {
        let (a, b, start) = (random.vec_u32(n), random.vec_u32(n), random.below(u32::MAX));
        let mut found = vec![0_u32; n];
        recurrence.launch(1, threads, (In(&a), In(&b), start, Out(&mut found), n)).unwrap();
        let mut x = start;
        for k in 0..n {
            x = a[k].wrapping_mul(x).wrapping_add(b[k]);
            assert_eq!(found[k], x, "at {k} of {n}");
        }
    }
}

#[test]
fn runs_of_equal_elements() {
    let encode = module(include_str!("run_lengths.cu")).get_function("encode").unwrap();
    let mut random = SplitMix64::new(29);
    for (n, kinds) in [(1000, 2), (1024, 1), (777, 200), (1, 1), (5, 3)] {
        let x: Vec<u8> = (0..n).map(|_| random.below(kinds) as u8).collect();
        let (mut values, mut begins, mut runs) = (zeros::<u8>(n), zeros::<i32>(n + 1), zeros::<i32>(1));
        encode.launch(1, 256, (In(&x), n, &mut values, &mut begins, &mut runs)).unwrap();
        let runs = runs.item() as usize;
        assert_eq!(runs, x.chunk_by(|a, b| a == b).count());
        let (values, begins) = (values.to_vec(), begins.to_vec());
        let decoded: Vec<u8> =
            (0..runs).flat_map(|run| vec![values[run]; (begins[run + 1] - begins[run]) as usize]).collect();
        assert_eq!(decoded, x);
    }
}

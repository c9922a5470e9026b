//! Networks, digits, merges, counts and ranks.

use super::*;

/// The places of elements in sorted order, equal ones as they stood.
fn stable_order<K: Ord>(keys: &[K]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_by_key(|i| &keys[*i as usize]);
    order
}

#[test]
fn a_bitonic_network_in_shared_memory() {
    let sort_pieces = module(include_str!("bitonic.cu")).get_function("sort_pieces").unwrap();
    let mut random = SplitMix64::new(61);
    let n = 1301_usize;
    for bound in [u32::MAX, 20] {
        let keys: Vec<u32> = (0..n).map(|_| random.below(bound)).collect();
        let mut sorted = keys.clone();
        let mut values = arange(0..n as u32);
        sort_pieces.launch(n.div_ceil(512), 256, (InOut(&mut sorted), &mut values, n)).unwrap();
        let values = values.to_vec();
        for start in (0..n).step_by(512) {
            let piece = start..n.min(start + 512);
            let mut expected = keys[piece.clone()].to_vec();
            expected.sort_unstable();
            assert_eq!(sorted[piece.clone()], expected);
            // The network keeps no order of equal keys, but values stay with theirs.
            assert!(piece.clone().all(|i| keys[values[i] as usize] == sorted[i]));
            let mut places = values[piece.clone()].to_vec();
            places.sort_unstable();
            assert!(places.iter().map(|place| *place as usize).eq(piece));
        }
    }
}

#[test]
fn a_bitonic_network_by_many_launches() {
    let step = module(include_str!("bitonic.cu")).get_function("bitonic_step").unwrap();
    let n = 1024;
    let x = SplitMix64::new(62).vec_f32(n);
    let mut sorted = to_gpu(&x);
    let mut size = 2;
    while size <= n {
        let mut stride = size / 2;
        while stride > 0 {
            step.launch(n / 128, 128, (&mut sorted, size, stride)).unwrap();
            stride /= 2;
        }
        size *= 2;
    }
    let mut expected = x;
    expected.sort_by(f32::total_cmp);
    assert_eq!(sorted.to_vec(), expected);
}

#[test]
fn neighbours_that_change_places() {
    let module = module(include_str!("odd_even.cu"));
    let [sort_rows, that_need_it] =
        ["sort_rows", "sort_rows_that_need_it"].map(|name| module.get_function(name).unwrap());
    let mut random = SplitMix64::new(63);
    for (rows, n) in [(4, 101_usize), (2, 128), (3, 2)] {
        let mut x: Vec<i16> = random.vec_i32(rows * n, -32_768, 32_768).iter().map(|x| *x as i16).collect();
        // One row is in order already, and one in reverse order.
        x[..n].sort_unstable();
        x[n..2 * n].sort_unstable_by(|a, b| b.cmp(a));
        let mut expected = x.clone();
        expected.chunks_mut(n).for_each(<[i16]>::sort_unstable);

        let mut sorted = x.clone();
        sort_rows.launch_shared(rows, n.div_ceil(2), 2 * n, (InOut(&mut sorted), n)).unwrap();
        assert_eq!(sorted, expected);

        let (mut sorted, mut rounds) = (to_gpu(&x), vec![0_i32; rows]);
        let arguments = (&mut sorted, n, Out(&mut rounds));
        that_need_it.launch_shared(rows, n.div_ceil(2), 2 * n, arguments).unwrap();
        assert_eq!(sorted.to_vec(), expected);
        // Each round is two of the network's; the last one finds nothing to do.
        assert_eq!(rounds[0], 1);
        assert!(rounds.iter().all(|rounds| *rounds as usize <= n.div_ceil(2) + 1), "{rounds:?}");
    }
}

#[test]
fn a_block_sorts_bit_by_bit() {
    let sort_block = module(include_str!("radix.cu")).get_function("sort_block").unwrap();
    let mut random = SplitMix64::new(64);
    for (n, bound) in [(128_usize, u32::MAX), (100, 10), (1, 5)] {
        let mut keys: Vec<u32> = (0..n).map(|_| random.below(bound)).collect();
        keys[n / 2] = u32::MAX;
        let order = stable_order(&keys);
        let mut values: Vec<u32> = (0..n as u32).collect();
        let mut sorted = keys.clone();
        sort_block.launch(1, 128, (InOut(&mut sorted), InOut(&mut values), n)).unwrap();
        assert_eq!(values, order);
        assert!(sorted.iter().zip(&order).all(|(key, i)| *key == keys[*i as usize]));
    }
}

#[test]
fn many_blocks_sort_digit_by_digit() {
    let module = module(include_str!("radix.cu"));
    let [count_digits, find_starts, scatter] =
        ["count_digits", "find_starts", "scatter"].map(|name| module.get_function(name).unwrap());
    let mut random = SplitMix64::new(65);
    for (n, bound) in [(2999_usize, u32::MAX), (640, 300)] {
        let host_keys: Vec<u32> = (0..n).map(|_| random.below(bound)).collect();
        let blocks = n.div_ceil(128);
        let (mut keys, mut values) = (to_gpu(&host_keys), arange(0..n as u32));
        let (mut next_keys, mut next_values) = (empty_like(&keys), empty_like(&values));
        let mut counts = empty::<i32>(16 * blocks);
        for shift in (0..32).step_by(4) {
            count_digits.launch(blocks, 128, (&keys, n, shift, &mut counts)).unwrap();
            find_starts.launch(1, 32, (&mut counts, 16 * blocks)).unwrap();
            let arguments = (&keys, &values, &mut next_keys, &mut next_values, n, shift, &counts);
            scatter.launch(blocks, 128, arguments).unwrap();
            std::mem::swap(&mut keys, &mut next_keys);
            std::mem::swap(&mut values, &mut next_values);
        }
        let order = stable_order(&host_keys);
        assert_eq!(values.to_vec(), order);
        let expected: Vec<u32> = order.iter().map(|i| host_keys[*i as usize]).collect();
        assert_eq!(keys.to_vec(), expected);
    }
}

#[test]
fn two_sorted_arrays_become_one() {
    let merge = module(include_str!("merge.cu")).get_function("merge").unwrap();
    let mut random = SplitMix64::new(66);
    for (a_length, b_length, high) in [(700, 1201, 1_000_000), (300, 300, 10), (1, 500, 100), (256, 256, 1)] {
        let mut runs = [random.vec_i32(a_length, 0, high), random.vec_i32(b_length, 0, high)];
        runs.iter_mut().for_each(|run| run.sort_unstable());
        let [a, b] = &runs;
        let n = a_length + b_length;
        let mut merged = vec![-1; n];
        merge.launch(n.div_ceil(256), 64, (In(a), a_length, In(b), b_length, Out(&mut merged))).unwrap();
        let mut expected = runs.concat();
        expected.sort_unstable();
        assert_eq!(merged, expected, "{a_length} and {b_length}");
    }
}

#[test]
fn merge_sort_in_passes() {
    let module = module(include_str!("merge.cu"));
    let [sort_runs, merge_pass] = ["sort_runs", "merge_pass"].map(|name| module.get_function(name).unwrap());
    let mut random = SplitMix64::new(67);
    for n in [5001_usize, 1024, 3, 1] {
        let x = random.vec_i32(n, -1000, 1000);
        let mut now = to_gpu(&x);
        let mut next = empty_like(&now);
        let blocks = n.div_ceil(4 * 96);
        sort_runs.launch(blocks, 96, (&mut now, n)).unwrap();
        let mut width = 4;
        while width < n {
            merge_pass.launch(blocks, 96, (&now, &mut next, n, width)).unwrap();
            std::mem::swap(&mut now, &mut next);
            width *= 2;
        }
        let mut expected = x;
        expected.sort_unstable();
        assert_eq!(now.to_vec(), expected, "{n}");
    }
}

#[test]
fn keys_that_are_counted() {
    let module = module(include_str!("counting_sort.cu"));
    let [count_keys, write_keys] =
        ["count_keys", "write_keys"].map(|name| module.get_function(name).unwrap());
    let mut random = SplitMix64::new(68);
    for (n, bound) in [(6001_usize, 256), (3000, 3), (1, 256)] {
        let mut keys: Vec<u8> = (0..n).map(|_| random.below(bound) as u8).collect();
        let mut counts = zeros::<u32>(256);
        let mut sorted = vec![0_u8; n];
        count_keys.launch(9, 128, (In(&keys), n, &mut counts)).unwrap();
        write_keys.launch(n.div_ceil(256), 256, (&counts, Out(&mut sorted), n)).unwrap();
        assert_eq!(counts.sum().item(), n as u64);
        keys.sort_unstable();
        assert_eq!(sorted, keys, "{n} below {bound}");
    }
}

#[test]
fn places_by_rank() {
    let rank_sort = module(include_str!("rank_sort.cu")).get_function("rank_sort").unwrap();
    let mut random = SplitMix64::new(69);
    for (n, high) in [(601_usize, 1000), (500, 7), (96, 2), (1, 2)] {
        let whole = random.vec_i32(n, 0, high);
        let x: Vec<f32> = whole.iter().map(|x| *x as f32 / 8.0).collect();
        let (mut sorted, mut order) = (vec![0.0_f32; n], empty::<i32>(n));
        rank_sort.launch(n.div_ceil(96), 96, (In(&x), Out(&mut sorted), &mut order, n)).unwrap();
        let expected = stable_order(&whole);
        assert!(order.to_vec().into_iter().eq(expected.iter().map(|i| *i as i32)), "{n} below {high}");
        assert!(sorted.iter().zip(&expected).all(|(x_sorted, i)| *x_sorted == x[*i as usize]));
    }
}

#[test]
fn the_largest_few() {
    let top_k = module(include_str!("top_k.cu")).get_function("top_k").unwrap();
    let mut random = SplitMix64::new(70);
    for (n, high) in [(5003_usize, 1_000_000), (3000, 40), (5, 100)] {
        let x = random.vec_i32(n, -high, high);
        let blocks = 6_usize;
        // The best of each block, and then the best of these.
        let (mut of_blocks, mut top) = (empty::<i32>(8 * blocks), [0; 8]);
        top_k.launch(blocks, 64, (In(&x), n, &mut of_blocks)).unwrap();
        top_k.launch(1, 64, (&of_blocks, 8 * blocks, Out(&mut top))).unwrap();
        let mut expected = x;
        expected.sort_unstable_by(|a, b| b.cmp(a));
        expected.resize(8.max(n), i32::MIN);
        assert_eq!(top, expected[..8], "{n}");
    }
}

#[test]
fn lanes_that_gather_together() {
    let module = module(include_str!("gather.cu"));
    let (n, buckets) = (20_000_usize, 7_usize);
    let mut random = SplitMix64::new(76);
    let x = random.vec_i32(n, -100, 100);
    let (mut out, mut count) = (zeros::<i32>(n), zeros::<i32>(1));
    let array = to_gpu(&x);
    module.get_function("positive").unwrap().launch(10, 96, (&array, &mut out, &mut count, n)).unwrap();
    let mut found = out.to_vec();
    found.truncate(count.item() as usize);
    found.sort_unstable();
    let mut expected: Vec<i32> = x.iter().copied().filter(|x| *x > 0).collect();
    expected.sort_unstable();
    assert_eq!(found, expected);

    let keys = random.vec_i32(n, 0, buckets as i32);
    let before = |bucket: &i32| keys.iter().filter(|key| *key < bucket).count() as i32;
    let starts: Vec<i32> = (0..buckets as i32).map(|bucket| before(&bucket)).collect();
    let (mut order, mut largest) = (vec![-1_i32; n], vec![i32::MIN; buckets]);
    let arguments = (&to_gpu(&keys), &array, Out(&mut order), &to_gpu(&starts), InOut(&mut largest), n);
    module.get_function("buckets").unwrap().launch(8, 128, arguments).unwrap();
    assert!(order.iter().map(|k| keys[*k as usize]).is_sorted());
    order.sort_unstable();
    assert_eq!(order, (0..n as i32).collect::<Vec<i32>>());
    let of = |bucket| keys.iter().zip(&x).filter(move |(key, _)| **key == bucket).map(|(_, x)| *x).max();
    assert_eq!(largest, (0..buckets as i32).filter_map(of).collect::<Vec<i32>>());
}

//! Sums, extremes and votes.

use super::*;

fn sum(x: &[f32]) -> f64 {
    x.iter().map(|x| f64::from(*x)).sum()
}

fn absolute_sum(x: &[f32]) -> f64 {
    x.iter().map(|x| f64::from(x.abs())).sum()
}

#[test]
fn trees_in_shared_memory() {
    let module = module(include_str!("reduce_tree.cu"));
    let x = SplitMix64::new(1).vec_f32(5003);
    let array = to_gpu(&x);
    // The last number: how many elements a block sums.
    for (kernel, threads, elements) in [
        ("interleaved", 256, 256),
        ("interleaved", 72, 72),
        ("strided", 256, 256),
        ("strided", 100, 100),
        ("sequential", 128, 256),
        ("sequential", 1, 2),
    ] {
        let blocks = x.len().div_ceil(elements);
        let mut sums = vec![0.0_f32; blocks];
        let kernel = module.get_function(kernel).unwrap();
        kernel.launch(blocks, threads, (&array, Out(&mut sums), x.len())).unwrap();
        for (sum_of_block, piece) in sums.iter().zip(x.chunks(elements)) {
            // A tree of 256 leaves is 8 deep; one more for the two at the start.
            close(*sum_of_block, sum(piece), 9.0 * UNIT_F32 * absolute_sum(piece));
        }
    }
}

/// Sums in two launches of the same kernel: of all, and of what that left.
fn in_two_passes<T: Elem>(sum: &Function, x: &[T]) -> T {
    let (mut partial, mut total) = (empty::<T>(11), empty::<T>(1));
    sum.launch(11, 96, (In(x), &mut partial, x.len())).unwrap();
    sum.launch(1, 32, (&partial, &mut total, 11)).unwrap();
    total.item()
}

#[test]
fn shuffles_down_in_two_passes() {
    let module = module(include_str!("reduce_shuffle.cu"));
    let kernel = |name| module.get_function(name).unwrap();
    let mut random = SplitMix64::new(2);
    let n = 20_011;

    let x = random.vec_f32(n);
    let total = in_two_passes(&kernel("sum_float"), &x);
    // 19 rounds of each thread's loop, then three trees of 32.
    close(total, sum(&x), (19.0 + 3.0 * 5.0) * UNIT_F32 * absolute_sum(&x));

    let x = random.vec_f64(n);
    let total = in_two_passes(&kernel("sum_double"), &x);
    // The plain sum here has an error too, and a larger one.
    close(total, x.iter().sum::<f64>(), 2.0 * n as f64 * UNIT_F64 * n as f64);

    let x = random.vec_i32(n, -1000, 1000);
    assert_eq!(in_two_passes(&kernel("sum_int"), &x), x.iter().sum::<i32>());
    let x: Vec<i64> = x.iter().map(|x| i64::from(*x) << 35).collect();
    assert_eq!(in_two_passes(&kernel("sum_long_long"), &x), x.iter().sum::<i64>());
}

#[test]
fn a_butterfly_for_each_row() {
    let softmax = module(include_str!("softmax.cu")).get_function("softmax").unwrap();
    let mut random = SplitMix64::new(3);
    for (rows, columns) in [(7, 77), (13, 32), (4, 1), (5, 20)] {
        let x: Vec<f32> = random.vec_f32(rows * columns).iter().map(|x| 10.0 * x).collect();
        let mut y = zeros::<f32>((rows, columns));
        softmax.launch(rows.div_ceil(4), (32, 4), (&to_gpu(&x), &mut y, rows, columns)).unwrap();
        for (x, y) in x.chunks(columns).zip(y.to_vec().chunks(columns)) {
            let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let powers: Vec<f64> = x.iter().map(|x| f64::from(x - largest).exp()).collect();
            let total: f64 = powers.iter().sum();
            for (y, power) in y.iter().zip(powers) {
                // Two units in the last place for `expf`, in the term and in
                // the sum, a depth of 8 for the sum, one for the quotient.
                close(*y, power / total, 20.0 * UNIT_F32 * power / total);
            }
        }
    }
}

#[test]
fn instructions_that_reduce_a_warp() {
    let module = module(include_str!("warp_reduce.cu"));
    let mut random = SplitMix64::new(4);
    let n = 333_usize;
    let warps = n.div_ceil(32);

    // A few bits that all have, so that `and` leaves some.
    let x: Vec<u32> = random.vec_u32(n).iter().map(|x| x | 0x0100_1000).collect();
    let mut totals = vec![0_u32; 6 * warps];
    let kernel = module.get_function("unsigned_totals").unwrap();
    kernel.launch(n.div_ceil(64), 64, (In(&x), Out(&mut totals), n)).unwrap();
    for (x, totals) in x.chunks(32).zip(totals.chunks(6)) {
        let expected = [
            x.iter().copied().fold(0, u32::wrapping_add),
            *x.iter().min().unwrap(),
            *x.iter().max().unwrap(),
            x.iter().copied().fold(u32::MAX, |a, b| a & b),
            x.iter().copied().fold(0, |a, b| a | b),
            x.iter().copied().fold(0, |a, b| a ^ b),
        ];
        assert_eq!(totals, expected);
    }

    let x = random.vec_i32(n, -500_000, 500_000);
    let mut totals = vec![0_i32; 3 * warps];
    let kernel = module.get_function("signed_totals").unwrap();
    kernel.launch(n.div_ceil(128), 128, (In(&x), Out(&mut totals), n)).unwrap();
    for (x, totals) in x.chunks(32).zip(totals.chunks(3)) {
        assert_eq!(totals, [x.iter().sum(), *x.iter().min().unwrap(), *x.iter().max().unwrap()]);
    }
}

#[test]
fn atomic_sums_of_blocks() {
    let module = module(include_str!("reduce_atomic.cu"));
    let mut random = SplitMix64::new(5);
    let n = 6007;
    let (blocks, threads) = (7, 160);
    let kernel = |name| module.get_function(name).unwrap();

    let x = random.vec_i32(n, -100_000, 100_000);
    let mut total = [17];
    kernel("add_int").launch(blocks, threads, (In(&x), InOut(&mut total), n)).unwrap();
    assert_eq!(total, [17 + x.iter().sum::<i32>()]);

    let x = random.vec_u32(n);
    let mut total = [0_u32];
    kernel("add_unsigned").launch(blocks, threads, (In(&x), InOut(&mut total), n)).unwrap();
    assert_eq!(total, [x.iter().copied().fold(0, u32::wrapping_add)]);

    let x: Vec<u64> = (0..n).map(|_| random.next_u64()).collect();
    let mut total = [0_u64];
    kernel("add_long").launch(blocks, threads, (In(&x), InOut(&mut total), n)).unwrap();
    assert_eq!(total, [x.iter().copied().fold(0, u64::wrapping_add)]);

    // Any order of n additions.
    let x = random.vec_f32(n);
    let mut total = zeros::<f32>(1);
    kernel("add_float").launch(blocks, threads, (In(&x), &mut total, n)).unwrap();
    close(total.item(), sum(&x), n as f64 * UNIT_F32 * absolute_sum(&x));

    let x = random.vec_f64(n);
    let mut total = zeros::<f64>(1);
    kernel("add_double").launch(blocks, threads, (In(&x), &mut total, n)).unwrap();
    let absolute: f64 = x.iter().map(|x| x.abs()).sum();
    close(total.item(), x.iter().sum::<f64>(), 2.0 * n as f64 * UNIT_F64 * absolute);
}

#[test]
fn the_last_block_adds_what_the_others_left() {
    let sum = module(include_str!("reduce_last_block.cu")).get_function("sum").unwrap();
    let mut random = SplitMix64::new(6);
    // More blocks than a block has threads, too. Each launch finds the counter
    // as the one before left it.
    for (n, blocks) in [(10_007, 9), (10_007, 9), (100, 1), (1000, 140), (50, 3)] {
        let x = random.vec_f64(n);
        let mut partial = empty::<f64>(blocks);
        let mut total = [0.0_f64];
        sum.launch(blocks, 128, (In(&x), &mut partial, Out(&mut total), n)).unwrap();
        close(total[0], x.iter().sum::<f64>(), 2.0 * n as f64 * UNIT_F64 * n as f64);
        close(partial.sum().item(), total[0], 2.0 * n as f64 * UNIT_F64 * n as f64);
    }
}

#[test]
fn the_size_of_the_block_as_a_template_parameter() {
    let module = module(include_str!("reduce_template.cu"));
    let mut random = SplitMix64::new(7);
    let n = 4999_u32;

    let x = random.vec_f32(n as usize);
    let mut sums = [0.0_f32; 5];
    let reduce = module.get_function("reduce<float, 256>").unwrap();
    reduce.launch(5, 256, (In(&x), Out(&mut sums), n)).unwrap();
    // At most 4 additions in the loop, then a tree of 256.
    close(sum(&sums), sum(&x), (4.0 + 8.0) * UNIT_F32 * absolute_sum(&x));

    let x = random.vec_f64(n as usize);
    let mut sums = [0.0_f64; 8];
    let reduce = module.get_function("reduce<double, 64>").unwrap();
    reduce.launch(8, 64, (In(&x), Out(&mut sums), n)).unwrap();
    close(sums.iter().sum::<f64>(), x.iter().sum::<f64>(), 2.0 * f64::from(n) * UNIT_F64 * f64::from(n));

    let x = random.vec_i32(n as usize, -1000, 1000);
    let mut sums = [0; 3];
    let reduce = module.get_function("reduce<int, 512>").unwrap();
    reduce.launch(3, 512, (In(&x), Out(&mut sums), n)).unwrap();
    assert_eq!(sums.iter().sum::<i32>(), x.iter().sum::<i32>());

    let x: Vec<u64> = (0..n).map(|_| random.next_u64()).collect();
    let mut sums = [0; 6];
    let reduce = module.get_function("reduce<unsigned long long, 32>").unwrap();
    reduce.launch(6, 32, (In(&x), Out(&mut sums), n)).unwrap();
    let total = |x: &[u64]| x.iter().copied().fold(0, u64::wrapping_add);
    assert_eq!(total(&sums), total(&x));
}

#[test]
fn warps_that_move_in_step() {
    let sum = module(include_str!("reduce_warp_synchronous.cu")).get_function("sum").unwrap();
    let x = SplitMix64::new(8).vec_i32(3001, -1000, 1000);
    for threads in [64, 128, 512] {
        let blocks = x.len().div_ceil(threads);
        let mut sums = vec![0; blocks];
        sum.launch_shared(blocks, threads, 4 * threads, (In(&x), Out(&mut sums), x.len())).unwrap();
        let expected: Vec<i32> = x.chunks(threads).map(|piece| piece.iter().sum()).collect();
        assert_eq!(sums, expected, "{threads} threads");
    }
}

#[test]
fn the_place_of_the_largest() {
    let module = module(include_str!("argmax.cu"));
    let (of_blocks, argmax) =
        (module.get_function("argmax_of_blocks").unwrap(), module.get_function("argmax").unwrap());
    let mut random = SplitMix64::new(9);
    for (n, low, high) in [(5000, -50, 50), (5000, -1_000_000, 1_000_000), (1, -3, -2), (100, 5, 6)] {
        // Whole numbers of a small range: many are equal.
        let x: Vec<f32> = random.vec_i32(n, low, high).iter().map(|x| *x as f32).collect();
        let (mut values, mut indices) = (empty::<f32>(9), empty::<i32>(9));
        let mut index = [-1];
        of_blocks.launch(9, 128, (In(&x), n, &mut values, &mut indices)).unwrap();
        argmax.launch(1, 128, (&values, &indices, 9, Out(&mut index))).unwrap();
        let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        assert_eq!(x.iter().position(|x| *x == largest), Some(index[0] as usize), "{n} from {low} to {high}");
    }
}

#[test]
fn one_piece_of_shared_memory_for_three_arrays() {
    let statistics = module(include_str!("statistics.cu")).get_function("statistics").unwrap();
    let x = SplitMix64::new(10).vec_f32(3001);
    let (blocks, threads) = (5, 128);
    let (mut low, mut high) = (vec![0.0_f32; blocks], vec![0.0_f32; blocks]);
    let mut squares = vec![0.0_f64; blocks];
    let outputs = (In(&x), x.len(), Out(&mut low), Out(&mut high), Out(&mut squares));
    statistics.launch_shared(blocks, threads, threads * (8 + 4 + 4), outputs).unwrap();
    for block in 0..blocks {
        let own: Vec<f32> = (0..x.len()).filter(|i| i / threads % blocks == block).map(|i| x[i]).collect();
        assert_eq!(low[block], own.iter().copied().fold(f32::INFINITY, f32::min));
        assert_eq!(high[block], own.iter().copied().fold(f32::NEG_INFINITY, f32::max));
        let expected: f64 = own.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
        close(squares[block], expected, 2.0 * own.len() as f64 * UNIT_F64 * expected);
    }
}

#[test]
fn barriers_that_count_votes() {
    let describe = module(include_str!("votes.cu")).get_function("describe").unwrap();
    let mut x = SplitMix64::new(11).vec_i32(64 * 5 + 9, -9, 10);
    // A block of even numbers, one without zeros, one of zeros.
    x[64..128].iter_mut().for_each(|x| *x *= 2);
    x[128..192].iter_mut().for_each(|x| *x = *x * 2 + 1);
    x[192..256].fill(0);
    let blocks = x.len().div_ceil(64);
    let mut positive = vec![0; blocks];
    let (mut all_even, mut any_zero) = (zeros::<bool>(blocks), zeros::<bool>(blocks));
    let outputs = (In(&x), x.len(), Out(&mut positive), &mut all_even, &mut any_zero);
    describe.launch(blocks, (16, 4), outputs).unwrap();
    let pieces = || x.chunks(64);
    let expected: Vec<i32> = pieces().map(|x| x.iter().filter(|x| **x > 0).count() as i32).collect();
    assert_eq!(positive, expected);
    assert_eq!(all_even.to_vec(), pieces().map(|x| x.iter().all(|x| x % 2 == 0)).collect::<Vec<bool>>());
    assert_eq!(any_zero.to_vec(), pieces().map(|x| x.contains(&0)).collect::<Vec<bool>>());
}

#[test]
fn votes_until_nothing_changes() {
    let components = module(include_str!("votes.cu")).get_function("components").unwrap();
    let (width, height, images) = (13, 11, 4);
    let pixels = width * height;
    let mut random = SplitMix64::new(12);
    let mut image: Vec<u8> = (0..images * pixels).map(|_| u8::from(random.below(100) < 60)).collect();
    image[..pixels].fill(1);
    image[pixels..2 * pixels].fill(0);
    let mut labels = vec![0_i32; images * pixels];
    components.launch_shared(images, (width, height), 4 * pixels, (In(&image), Out(&mut labels))).unwrap();
    for (image, labels) in image.chunks(pixels).zip(labels.chunks(pixels)) {
        let mut expected = vec![-1; pixels];
        for start in 0..pixels {
            // The first pixel of a component, in order, has its least place.
            let mut open = vec![start];
            while let Some(place) = open.pop() {
                if image[place] == 0 || expected[place] >= 0 {
                    continue;
                }
                expected[place] = start as i32;
                let (x, y) = (place % width, place / width);
                open.extend((x > 0).then(|| place - 1));
                open.extend((x < width - 1).then_some(place + 1));
                open.extend((y > 0).then(|| place - width));
                open.extend((y < height - 1).then_some(place + width));
            }
        }
        assert_eq!(labels, expected);
    }
}

#[test]
fn a_block_for_each_segment() {
    let segment_sums = module(include_str!("segments.cu")).get_function("segment_sums").unwrap();
    let lengths = [5_usize, 0, 64, 65, 1, 0, 0, 300, 63, 128];
    let mut starts = vec![0_u32];
    for length in lengths {
        starts.push(starts[starts.len() - 1] + length as u32);
    }
    let x = SplitMix64::new(13).vec_f32(lengths.iter().sum());
    let mut sums = vec![f32::NAN; lengths.len()];
    segment_sums.launch(lengths.len(), 64, (&to_gpu(&x), In(&starts), Out(&mut sums))).unwrap();
    for (found, ends) in sums.iter().zip(starts.windows(2)) {
        let segment = &x[ends[0] as usize..ends[1] as usize];
        // At most 5 rounds of the loop, a tree of 32, and two warps.
        close(*found, sum(segment), (5.0 + 5.0 + 2.0) * UNIT_F32 * absolute_sum(segment));
    }
}

#[test]
fn products_and_lengths_of_vectors() {
    let module = module(include_str!("norm.cu"));
    let [dot, largest, scaled_squares] =
        ["dot", "largest", "scaled_squares"].map(|name| module.get_function(name).unwrap());
    let mut random = SplitMix64::new(14);
    let (n, blocks) = (4001, 6);
    for threads in [96, 128, 1, 75] {
        let (x, y) = (random.vec_f32(n), random.vec_f32(n));
        let mut partial = vec![0.0_f32; blocks];
        dot.launch_shared(blocks, threads, 4 * threads, (In(&x), In(&y), Out(&mut partial), n)).unwrap();
        let products = || x.iter().zip(&y).map(|(x, y)| f64::from(*x) * f64::from(*y));
        let depth = n.div_ceil(blocks * threads) + 7 + 1;
        let absolute: f64 = products().map(f64::abs).sum();
        close(sum(&partial), products().sum::<f64>(), depth as f64 * UNIT_F32 * absolute);
    }

    // Squares of these are beyond what a `float` holds.
    let x: Vec<f32> = random.vec_f32(n).iter().map(|x| x * 1e30).collect();
    let (mut scale, mut total) = (zeros::<f32>(1), zeros::<f32>(1));
    let threads = 96;
    largest.launch(n.div_ceil(threads), threads, (In(&x), &mut scale, n)).unwrap();
    scaled_squares.launch_shared(blocks, threads, 4 * threads, (In(&x), &scale, &mut total, n)).unwrap();
    assert_eq!(scale.item(), x.iter().fold(0.0, |largest: f32, x| largest.max(x.abs())));
    let expected = x.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    let found = f64::from(scale.item()) * f64::from(total.item()).sqrt();
    // The quotient and the square, 7 rounds, a tree of 96, and 6 blocks.
    close(found, expected, (3.0 + 7.0 + 7.0 + 6.0) * UNIT_F32 * expected);
}

#[test]
fn moments_that_are_merged() {
    let moments = module(include_str!("variance.cu")).get_function("moments").unwrap();
    let n = 4003;
    let x: Vec<f64> = SplitMix64::new(15).vec_f64(n).iter().map(|x| 1e6 + x).collect();
    let mut found = [0.0_f64; 2];
    moments.launch(1, 160, (In(&x), Out(&mut found), n)).unwrap();
    // Without the offset nothing is lost in the reference.
    let offsets = || x.iter().map(|x| x - 1e6);
    let mean = offsets().sum::<f64>() / n as f64;
    let variance = offsets().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n as f64;
    // 26 rounds and two trees of 32 round a mean near 1e6 twice each; as much
    // is missing from differences, of which the variance has the squares.
    let error = 2.0 * (26.0 + 10.0) * UNIT_F64 * 1e6;
    close(found[0], 1e6 + mean, error);
    close(found[1], variance, 2.0 * error * variance.sqrt() + error * error);
}

#[test]
fn the_first_lanes_of_a_warp_finish() {
    let module = module(include_str!("reduce_partial_warp.cu"));
    let mut random = SplitMix64::new(77);
    let (n, blocks) = (10_007, 12);
    let x = random.vec_i32(n, -1000, 1000);
    for (name, threads) in [("sum<int, 64>", 64), ("sum<int, 128>", 128), ("sum<int, 1024>", 1024)] {
        let mut found = zeros::<i32>(blocks);
        let sum = module.get_function(name).unwrap();
        sum.launch_shared(blocks, threads, 8 * 32, (&to_gpu(&x), &mut found, n)).unwrap();
        assert_eq!(found.to_vec().iter().sum::<i32>(), x.iter().sum::<i32>(), "{name}");
    }
    let x = random.vec_f64(n);
    let mut found = zeros::<f64>(blocks);
    let sum = module.get_function("sum<double, 256>").unwrap();
    sum.launch_shared(blocks, 256, 8 * 32, (&to_gpu(&x), &mut found, n)).unwrap();
    let total: f64 = x.iter().map(|x| x.abs()).sum();
    close(found.to_vec().iter().sum::<f64>(), x.iter().sum::<f64>(), n as f64 * UNIT_F64 * total);
}

//! Atomic operations, tables, texts and graphs.

use super::*;

#[test]
fn histograms_of_bytes() {
    let module = module(include_str!("histogram.cu"));
    let n = 10_007_usize;
    let mut random = SplitMix64::new(21);
    // Half of the bytes are the same, so that warps have something to share.
    let data: Vec<u8> =
        (0..n).map(|_| if random.below(2) == 0 { 7 } else { random.below(256) as u8 }).collect();
    let mut expected = vec![0_u32; 256];
    data.iter().for_each(|byte| expected[usize::from(*byte)] += 1);
    for (name, grid, block) in [("shared_bins", 5, 192), ("aggregated", n.div_ceil(96), 96)] {
        let mut bins = zeros::<u32>(256);
        module.get_function(name).unwrap().launch(grid, block, (In(&data), n, &mut bins)).unwrap();
        assert_eq!(bins.to_vec(), expected, "{name}");
    }
}

#[test]
fn buckets_of_any_width() {
    let kernel = module(include_str!("histogram.cu")).get_function("buckets").unwrap();
    let data = SplitMix64::new(22).vec_f32(3001);
    let bounds = [-0.9_f32, -0.5, -0.49, 0.0, 0.1, 0.8];
    let mut sizes = [0_i32; 7];
    let arguments = (&to_gpu(&data), data.len(), In(&bounds), bounds.len(), InOut(&mut sizes));
    kernel.launch_shared(data.len().div_ceil(128), 128, 7 * 4, arguments).unwrap();
    let mut expected = [0; 7];
    data.iter().for_each(|x| expected[bounds.partition_point(|bound| bound <= x)] += 1);
    assert_eq!(sizes, expected);
}

#[test]
fn atomics_on_integers_of_32_bits() {
    let module = module(include_str!("atomics.cu"));
    let n = 1000_usize;
    let blocks = n.div_ceil(64);
    let data = SplitMix64::new(23).vec_i32(n, -1_000_000, 1_000_000);
    let sum: i32 = data.iter().sum();
    let mut out = [5, 5, i32::MAX, i32::MIN, -1, 0, 0, -1, 0];
    module.get_function("on_int").unwrap().launch(blocks, 64, (In(&data), n, InOut(&mut out))).unwrap();
    let first = out[7];
    assert!((0..n as i32).contains(&first), "{first}");
    let expected = [
        5 + sum,
        5 - sum,
        *data.iter().min().unwrap(),
        *data.iter().max().unwrap(),
        data.iter().fold(-1, |all, x| all & (x | 0x10)),
        data.iter().fold(0, |all, x| all | (x & 0x0ff0)),
        data.iter().fold(0, |all, x| all ^ x),
        first,
        1,
    ];
    assert_eq!(out, expected);

    let data = SplitMix64::new(24).vec_u32(n);
    let sum = data.iter().fold(0_u32, |sum, x| sum.wrapping_add(*x));
    let mut out = to_gpu(&[0, 0, u32::MAX, 0, u32::MAX, 0, 0, 0, 0]);
    module.get_function("on_unsigned").unwrap().launch(blocks, 64, (In(&data), n, &mut out)).unwrap();
    let expected = [
        sum,
        sum.wrapping_neg(),
        *data.iter().min().unwrap(),
        *data.iter().max().unwrap(),
        data.iter().fold(u32::MAX, |all, x| all & (x | 0x8000_0001)),
        data.iter().fold(0, |all, x| all | (x & 0xf000_0ff0)),
        data.iter().fold(0, |all, x| all ^ x),
        n as u32 % 7,
        (10 - n as u32 % 10) % 10,
    ];
    assert_eq!(out.to_vec(), expected);
}

#[test]
fn atomics_on_integers_of_64_bits() {
    let kernel = module(include_str!("atomics.cu")).get_function("on_64_bits").unwrap();
    let mut random = SplitMix64::new(25);
    let data: Vec<u64> = (0..777).map(|_| random.next_u64()).collect();
    let mut out = [0, u64::MAX, 0, u64::MAX, 0, 0];
    let mut signed = to_gpu(&[i64::MAX, i64::MIN]);
    let arguments = (In(&data), data.len(), InOut(&mut out), &mut signed);
    kernel.launch(data.len().div_ceil(96), 96, arguments).unwrap();
    let expected = [
        data.iter().fold(0_u64, |sum, x| sum.wrapping_add(*x)),
        *data.iter().min().unwrap(),
        *data.iter().max().unwrap(),
        data.iter().fold(u64::MAX, |all, x| all & (x | 1 << 63 | 1)),
        data.iter().fold(0, |all, x| all | (x & 0xf000_0000_0000_00f0)),
        data.iter().fold(0, |all, x| all ^ x),
    ];
    assert_eq!(out, expected);
    let as_signed = data.iter().map(|x| *x as i64);
    assert_eq!(signed.to_vec(), [as_signed.clone().min().unwrap(), as_signed.max().unwrap()]);
}

#[test]
fn atomics_on_floats() {
    let kernel = module(include_str!("atomics.cu")).get_function("on_floats").unwrap();
    let data = SplitMix64::new(26).vec_f32(1501);
    let (mut sum, mut precise, mut largest) = ([0.0_f32], [0.0_f64], [f32::NEG_INFINITY]);
    let arguments = (In(&data), data.len(), InOut(&mut sum), InOut(&mut precise), InOut(&mut largest));
    kernel.launch(data.len().div_ceil(128), 128, arguments).unwrap();
    let wide = data.iter().map(|x| f64::from(*x));
    let absolute: f64 = wide.clone().map(f64::abs).sum();
    close(sum[0], wide.clone().sum::<f64>(), 1501.0 * UNIT_F32 * absolute);
    close(precise[0], wide.sum::<f64>(), 2.0 * 1501.0 * UNIT_F64 * absolute);
    assert_eq!(largest[0], data.iter().copied().fold(f32::NEG_INFINITY, f32::max));
}

#[test]
fn old_values_that_atomics_return() {
    let kernel = module(include_str!("atomics.cu")).get_function("old_values").unwrap();
    let n = 900_usize;
    let (mut counter, mut chain, mut real_chain) = ([10_u32], [-1_i32], [-1.0_f32]);
    let (mut tickets, mut received, mut real_received) = (vec![0_u32; n], vec![0_i32; n], vec![0.0_f32; n]);
    let arguments = (
        n,
        InOut(&mut counter),
        Out(&mut tickets),
        InOut(&mut chain),
        Out(&mut received),
        InOut(&mut real_chain),
        Out(&mut real_received),
    );
    kernel.launch(n.div_ceil(64), 64, arguments).unwrap();
    tickets.sort_unstable();
    assert_eq!((counter[0], tickets), (10 + n as u32, (10..10 + n as u32).collect::<Vec<u32>>()));
    received.push(chain[0]);
    received.sort_unstable();
    let all: Vec<i32> = (-1..n as i32).collect();
    assert_eq!(received, all);
    real_received.push(real_chain[0]);
    real_received.sort_unstable_by(f32::total_cmp);
    assert_eq!(real_received, all.iter().map(|x| *x as f32).collect::<Vec<f32>>());
}

#[test]
fn atomics_in_shared_memory() {
    let kernel = module(include_str!("atomics.cu")).get_function("in_shared_memory").unwrap();
    let data = SplitMix64::new(27).vec_i32(1000, -1_000_000_000, 1_000_000_000);
    let blocks = data.len().div_ceil(96);
    let (mut largest, mut sums) = (empty::<i32>(blocks), empty::<u64>(blocks));
    kernel.launch(blocks, 96, (In(&data), data.len(), &mut largest, &mut sums)).unwrap();
    let pieces = data.chunks(96);
    let expected: Vec<i32> = pieces.clone().map(|piece| *piece.iter().max().unwrap()).collect();
    assert_eq!(largest.to_vec(), expected);
    let expected: Vec<u64> =
        pieces.map(|piece| piece.iter().map(|x| i64::from(*x)).sum::<i64>() as u64).collect();
    assert_eq!(sums.to_vec(), expected);
}

#[test]
fn a_lock_between_blocks() {
    let kernel = module(include_str!("lock.cu")).get_function("account").unwrap();
    let data = SplitMix64::new(28).vec_i32(6000, -3000, 3000);
    let blocks = data.len().div_ceil(64);
    let (mut state, mut sum, mut visits) = (zeros::<i32>(1), zeros::<i64>(1), zeros::<i32>(1));
    let mut least = [i32::MAX, i32::MAX];
    let arguments = (In(&data), data.len(), &mut state, &mut sum, InOut(&mut least), &mut visits);
    kernel.launch(blocks, 64, arguments).unwrap();
    assert_eq!(sum.item(), data.iter().map(|x| i64::from(*x)).sum::<i64>());
    let smallest = *data.iter().min().unwrap();
    let place = data.iter().position(|x| *x == smallest).unwrap();
    assert_eq!((least, visits.item(), state.item()), ([smallest, place as i32], blocks as i32, 0));
}

#[test]
fn a_hash_table() {
    let module = module(include_str!("table.cu"));
    let (n, slots) = (3000_usize, 1024_usize);
    let mut random = SplitMix64::new(29);
    let known: Vec<u32> = random.vec_u32(700).into_iter().map(|key| key | 1).collect();
    let keys: Vec<u32> = (0..n).map(|_| known[random.below(700) as usize]).collect();
    let values = random.vec_i32(n, -50, 50);
    let (mut table, mut sums) = (zeros::<u32>(slots), zeros::<i32>(slots));
    let arguments = (In(&keys), In(&values), n, &mut table, &mut sums, slots);
    module.get_function("insert").unwrap().launch(n.div_ceil(128), 128, arguments).unwrap();
    let mut expected = std::collections::HashMap::new();
    keys.iter().zip(&values).for_each(|(key, value)| *expected.entry(*key).or_insert(0) += value);

    // Known keys, and even ones, which are not there.
    let asked: Vec<u32> = known.iter().copied().chain((1..200).map(|k| 2 * k)).collect();
    let mut found = vec![0_i32; asked.len()];
    let arguments = (In(&asked), asked.len(), &table, &sums, slots, -12_345, Out(&mut found));
    module.get_function("look_up").unwrap().launch(asked.len().div_ceil(64), 64, arguments).unwrap();
    let expected: Vec<i32> = asked.iter().map(|key| expected.get(key).copied().unwrap_or(-12_345)).collect();
    assert_eq!(found, expected);
    assert_eq!(table.to_vec().iter().filter(|key| **key != 0).count(), {
        let mut present = keys.clone();
        present.sort_unstable();
        present.dedup();
        present.len()
    });
}

#[test]
fn a_queue_of_work() {
    let kernel = module(include_str!("queue.cu")).get_function("lengths").unwrap();
    let n = 3000;
    let (mut lengths, mut next) = (vec![0_u16; n], [0_u32]);
    kernel.launch(7, 64, (Out(&mut lengths), n, InOut(&mut next))).unwrap();
    let expected: Vec<u16> = (1..=n as u64)
        .map(|start| {
            let (mut x, mut steps) = (start, 0);
            while x != 1 {
                x = if x % 2 == 1 { 3 * x + 1 } else { x / 2 };
                steps += 1;
            }
            steps
        })
        .collect();
    assert_eq!(lengths, expected);
    // All pieces, and one more for each block to see that there is none.
    assert_eq!(next[0], n.div_ceil(64) as u32 + 7);
}

#[test]
fn primes_by_a_sieve() {
    let kernel = module(include_str!("sieve.cu")).get_function("sieve").unwrap();
    let n = 20_011_usize;
    let mut is_prime = vec![true; n];
    is_prime[..2].fill(false);
    for p in 2..142 {
        (p * p..n).step_by(p).for_each(|multiple| is_prime[multiple] = false);
    }
    let small: Vec<i32> = (2..142).filter(|p| is_prime[*p as usize]).collect();
    let blocks = n.div_ceil(2048);
    let (mut bits, mut found) = (zeros::<u32>(64 * blocks), zeros::<i32>(1));
    kernel.launch(blocks, 48, (In(&small), small.len(), &mut bits, &mut found, n)).unwrap();
    let bits = bits.to_vec();
    for (x, expected) in is_prime.iter().enumerate() {
        assert_eq!(bits[x / 32] >> (x % 32) & 1 == 1, *expected, "{x}");
    }
    assert_eq!(found.item() as usize, is_prime.iter().filter(|prime| **prime).count());
}

#[test]
fn a_pattern_in_a_text() {
    let module = module(include_str!("text.cu"));
    let mut random = SplitMix64::new(30);
    let text: Vec<u8> = (0..5000).map(|_| b'a' + random.below(2) as u8).collect();
    let mut place = module.get_global("pattern").unwrap();
    for pattern in [&b"aba"[..], b"bbbbb", b"a", b"abbaabbaabba"] {
        memcpy_htod(&mut place, pattern).unwrap();
        let (mut found, mut count) = (vec![false; text.len()], zeros::<u32>(1));
        let arguments = (In(&text), text.len(), pattern.len(), Out(&mut found), &mut count);
        module.get_function("find").unwrap().launch(text.len().div_ceil(64), 64, arguments).unwrap();
        let mut expected: Vec<bool> = text.windows(pattern.len()).map(|window| window == pattern).collect();
        expected.resize(text.len(), false);
        assert!(found == expected, "{pattern:?}");
        assert_eq!(count.item() as usize, expected.iter().filter(|matched| **matched).count());
    }
}

#[test]
fn distances_between_words() {
    let kernel = module(include_str!("text.cu")).get_function("distance").unwrap();
    let mut random = SplitMix64::new(31);
    let mut words: Vec<Vec<u8>> =
        ["kitten", "sitting", "", "empty", "same", "same"].map(|word| word.as_bytes().to_vec()).to_vec();
    for length in [60, 47, 1, 31] {
        words.push((0..length).map(|_| b'a' + random.below(4) as u8).collect());
    }
    let letters: Vec<i8> = words.iter().flatten().map(|letter| *letter as i8).collect();
    let mut ends = Vec::new();
    words.iter().for_each(|word| ends.push(ends.last().unwrap_or(&0) + word.len() as i32));
    let (pairs, longest) = (words.len() / 2, 60_usize);
    let mut found = vec![0_i32; pairs];
    let arguments = (In(&letters), In(&ends), Out(&mut found), longest);
    kernel.launch_shared(pairs, longest + 1, 3 * (longest + 1) * 4, arguments).unwrap();
    let expected: Vec<i32> = words.chunks(2).map(|pair| distance(&pair[0], &pair[1])).collect();
    assert_eq!(found, expected);
    assert_eq!(found[..3], [3, 5, 0]);
}

fn distance(a: &[u8], b: &[u8]) -> i32 {
    let mut row: Vec<i32> = (0..=b.len() as i32).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i as i32 + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (row[j].min(row[j + 1]) + 1).min(diagonal + i32::from(x != y));
            diagonal = std::mem::replace(&mut row[j + 1], next);
        }
    }
    row[b.len()]
}

/// A graph whose edges go both ways: where the neighbours of each vertex
/// start, and the neighbours.
fn graph(vertices: usize, pairs: &[[i32; 2]]) -> (Vec<i32>, Vec<i32>) {
    let mut neighbours = vec![Vec::new(); vertices];
    for [a, b] in pairs {
        neighbours[*a as usize].push(*b);
        neighbours[*b as usize].push(*a);
    }
    let mut first = vec![0];
    neighbours.iter().for_each(|of| first.push(first.last().unwrap() + of.len() as i32));
    (first, neighbours.concat())
}

fn pairs(seed: u64, vertices: usize, count: usize) -> Vec<[i32; 2]> {
    let mut random = SplitMix64::new(seed);
    (0..count).map(|_| [(); 2].map(|()| random.below(vertices as u32) as i32)).collect()
}

/// The smallest vertex of each vertex's part of a graph.
fn parts(first: &[i32], edges: &[i32]) -> Vec<i32> {
    let mut parts = vec![-1; first.len() - 1];
    for start in 0..parts.len() {
        let mut waiting = vec![start];
        while let Some(v) = waiting.pop() {
            if parts[v] < 0 {
                parts[v] = start as i32;
                waiting.extend(edges[first[v] as usize..first[v + 1] as usize].iter().map(|v| *v as usize));
            }
        }
    }
    parts
}

#[test]
fn levels_of_a_graph() {
    let kernel = module(include_str!("graph.cu")).get_function("search").unwrap();
    let vertices = 1000;
    let (first, edges) = graph(vertices, &pairs(32, vertices, 1100));
    let (first_gpu, edges_gpu) = (to_gpu(&first), to_gpu(&edges));
    let mut start = vec![-1; vertices];
    start[0] = 0;
    let mut levels = to_gpu(&start);
    let mut total = 1;
    for level in 0.. {
        let mut reached = [0_i32];
        let arguments = (&first_gpu, &edges_gpu, vertices, &mut levels, level, InOut(&mut reached));
        kernel.launch(vertices.div_ceil(128), 128, arguments).unwrap();
        total += reached[0];
        if reached[0] == 0 {
            break;
        }
    }
    let mut expected = vec![-1; vertices];
    let mut waiting = std::collections::VecDeque::from([(0, 0)]);
    while let Some((v, level)) = waiting.pop_front() {
        if expected[v] < 0 {
            expected[v] = level;
            let neighbours = &edges[first[v] as usize..first[v + 1] as usize];
            waiting.extend(neighbours.iter().map(|next| (*next as usize, level + 1)));
        }
    }
    assert_eq!(levels.to_vec(), expected);
    assert_eq!(total as usize, expected.iter().filter(|level| **level >= 0).count());
}

#[test]
fn connected_parts_of_a_graph() {
    let module = module(include_str!("graph.cu"));
    let vertices = 800;
    let pairs = pairs(33, vertices, 600);
    let (first, edges) = graph(vertices, &pairs);
    let expected = parts(&first, &edges);

    let spread = module.get_function("spread").unwrap();
    let mut labels = arange(0..vertices as i32);
    loop {
        let mut changed = [0_i32];
        let arguments = (In(&first), In(&edges), vertices, &mut labels, InOut(&mut changed));
        spread.launch(vertices.div_ceil(64), 64, arguments).unwrap();
        if changed[0] == 0 {
            break;
        }
    }
    assert_eq!(labels.to_vec(), expected);

    let (mut parents, mut roots) = (arange(0..vertices as i32), empty::<i32>(vertices));
    let blocks = pairs.len().div_ceil(64);
    let arguments = (In(pairs.as_flattened()), pairs.len(), &mut parents);
    module.get_function("unite").unwrap().launch(blocks, 64, arguments).unwrap();
    let arguments = (&parents, &mut roots, vertices);
    module.get_function("flatten").unwrap().launch(vertices.div_ceil(128), 128, arguments).unwrap();
    assert_eq!(roots.to_vec(), expected);
}

#[test]
fn ranks_of_pages() {
    let rank = module(include_str!("graph.cu")).get_function("rank").unwrap();
    let pages = 300;
    let (first, sources) = graph(pages, &pairs(34, pages, 900));
    let links: Vec<i32> = first.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mut expected = vec![1.0 / pages as f64; pages];
    let (mut from, mut to) = (to_gpu(&expected), zeros::<f64>(pages));
    for _ in 0..20 {
        let arguments = (In(&first), In(&sources), In(&links), &from, &mut to, pages, 0.85);
        rank.launch(2, 64, arguments).unwrap();
        std::mem::swap(&mut from, &mut to);
        let before = expected.clone();
        for (v, rank) in expected.iter_mut().enumerate() {
            let of = &sources[first[v] as usize..first[v + 1] as usize];
            let sum: f64 = of.iter().map(|s| before[*s as usize] / f64::from(links[*s as usize])).sum();
            *rank = (1.0 - 0.85) / pages as f64 + 0.85 * sum;
        }
    }
    // Ranks are parts of one, and a step makes errors smaller.
    all_close(&from.to_vec(), &expected, 1e-15);
}

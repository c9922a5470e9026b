//! Sequences: digests of messages, alignments, points in the order of a code.

use super::*;

/// MD5 as RFC 1321 writes it, its table made of sines.
fn md5(message: &[u8]) -> [u32; 4] {
    let mut bytes = message.to_vec();
    bytes.push(0x80);
    bytes.resize(bytes.len().next_multiple_of(64) - if bytes.len() % 64 > 56 { 0 } else { 8 }, 0);
    bytes.extend((8 * message.len() as u64).to_le_bytes());
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in bytes.chunks(64) {
        let words: Vec<u32> =
            block.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        let [mut a, mut b, mut c, mut d] = state;
        for k in 0..64 {
            let (mixed, place, turns) = match k / 16 {
                0 => (b & c | !b & d, k, [7, 12, 17, 22]),
                1 => (d & b | !d & c, 5 * k + 1, [5, 9, 14, 20]),
                2 => (b ^ c ^ d, 3 * k + 5, [4, 11, 16, 23]),
                _ => (c ^ (b | !d), 7 * k, [6, 10, 15, 21]),
            };
            let sum = a.wrapping_add(mixed).wrapping_add(sine(k)).wrapping_add(words[place % 16]);
            (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(turns[k % 4])));
        }
        for (total, part) in state.iter_mut().zip([a, b, c, d]) {
            *total = total.wrapping_add(part);
        }
    }
    state
}

/// A number of MD5's table.
fn sine(k: usize) -> u32 {
    (((k + 1) as f64).sin().abs() * 4_294_967_296.0) as u32
}

#[test]
fn digests_of_short_messages() {
    // The digest of "abc" in RFC 1321, appendix A.5.
    assert_eq!(md5(b"abc").map(u32::swap_bytes), [0x9001_5098, 0x3cd2_4fb0, 0xd696_3f7d, 0x28e1_7f72]);
    let module = module(include_str!("digest.cu"));
    let table: Vec<u32> = (0..64).map(sine).collect();
    memcpy_htod(&mut module.get_global("sines").unwrap(), &table).unwrap();
    let mut random = SplitMix64::new(74);
    let mut messages = vec![b"abc".to_vec(), Vec::new()];
    messages.extend((0..300).map(|k| (0..k % 56).map(|_| random.below(256) as u8).collect()));
    let text: Vec<i8> = messages.concat().iter().map(|byte| byte.cast_signed()).collect();
    let mut starts = vec![0_i32];
    starts.extend(messages.iter().scan(0, |end, message| {
        *end += message.len() as i32;
        Some(*end)
    }));
    let count = messages.len();
    let mut found = vec![0_u32; 4 * count];
    let digest = module.get_function("md5").unwrap();
    digest.launch(count.div_ceil(128), 128, (In(&text), In(&starts), Out(&mut found), count)).unwrap();
    assert_eq!(found, messages.iter().flat_map(|message| md5(message)).collect::<Vec<u32>>());
}

#[test]
fn the_best_alignment_of_two_sequences() {
    let tiles = module(include_str!("alignment.cu")).get_function("tiles").unwrap();
    let (rows, columns, same, other, gap) = (80_usize, 112_usize, 3, -2, 4);
    let mut random = SplitMix64::new(75);
    let mut letters =
        |n| -> Vec<i8> { (0..n).map(|_| b"ACGT"[random.below(4) as usize].cast_signed()).collect() };
    let (first, mut second) = (letters(rows), letters(columns));
    // A part that both have.
    second[30..70].copy_from_slice(&first[20..60]);
    let width = columns + 1;
    let (mut table, mut best) = (zeros::<i32>((rows + 1) * width), zeros::<i32>(1));
    let (a, b) = (to_gpu(&first), to_gpu(&second));
    for diagonal in 0..rows / 16 + columns / 16 - 1 {
        let start = (diagonal + 1).saturating_sub(columns / 16);
        let count = (diagonal + 1).min(rows / 16) - start;
        let arguments = (&mut table, &a, &b, width, diagonal, start, same, other, gap, &mut best);
        tiles.launch(count, 16, arguments).unwrap();
    }
    let mut expected = vec![0_i32; (rows + 1) * width];
    for i in 1..=rows {
        for j in 1..=columns {
            let at = i * width + j;
            let score = if first[i - 1] == second[j - 1] { same } else { other };
            let across = expected[at - width - 1] + score;
            let along = expected[at - 1].max(expected[at - width]) - gap;
            expected[at] = across.max(along).max(0);
        }
    }
    assert_eq!(table.to_vec(), expected);
    assert_eq!(Some(&best.item()), expected.iter().max());
    assert!(best.item() >= 40 * same);
}

#[test]
fn points_in_the_order_of_grays_code() {
    let points = module(include_str!("sobol.cu")).get_function("points").unwrap();
    let (count, dimensions) = (3000_usize, 2);
    // The first dimension halves, the second belongs to the polynomial x + 1.
    let mut directions: Vec<u32> = (0..32).map(|k| 1 << (31 - k)).collect();
    let mut odd = 1_u32;
    for k in 0..32 {
        directions.push(odd << (31 - k));
        odd ^= odd << 1;
    }
    let mut found = zeros::<f32>((dimensions, count));
    points.launch((4, dimensions), 64, (&to_gpu(&directions), &mut found, count)).unwrap();
    let point = |at: usize| {
        let (dimension, i) = (at / count, (at % count) as u32);
        let chosen = (0..32).filter(|k| (i ^ i >> 1) >> k & 1 == 1);
        let place = chosen.fold(0_u32, |place, k| place ^ directions[32 * dimension + k]);
        (f64::from(place >> 8) / 16_777_216.0) as f32
    };
    assert_eq!(found.to_vec(), (0..dimensions * count).map(point).collect::<Vec<f32>>());
}

//! Intrinsics of integers.

use super::{Random, check, rows, same};

const WORDS: [u32; 12] =
    [0, 1, 2, 31, 32, 33, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_ffff, 0x00ff_ffff, 0x5a5a_5a5a];

#[test]
fn of_32_bits() {
    let mut random = Random(1);
    let signed = WORDS.map(u32::cast_signed);
    let rows = rows(&signed, || (random.next() >> 32) as i32 >> (random.next() % 32));
    check::<i32, i32>(
        ("int", "int"),
        &rows,
        &[
            ("__mul24(x, y)", |x, y, _| (x << 8 >> 8).wrapping_mul(y << 8 >> 8)),
            ("__mulhi(x, y)", |x, y, _| ((i64::from(x) * i64::from(y)) >> 32) as i32),
            ("__hadd(x, y)", |x, y, _| ((i64::from(x) + i64::from(y)) >> 1) as i32),
            ("__rhadd(x, y)", |x, y, _| ((i64::from(x) + i64::from(y) + 1) >> 1) as i32),
            ("(int)__sad(x, y, z)", |x, y, z| x.abs_diff(y).cast_signed().wrapping_add(z)),
            ("__clz(x)", |x, _, _| x.leading_zeros() as i32),
            ("__ffs(x)", |x, _, _| if x == 0 { 0 } else { x.trailing_zeros() as i32 + 1 }),
            ("abs(x)", |x, _, _| x.wrapping_abs()),
            ("min(x, y)", |x, y, _| x.min(y)),
            ("max(x, y)", |x, y, _| x.max(y)),
            ("(int)min(x, (unsigned int)y)", |x, y, _| {
                x.cast_unsigned().min(y.cast_unsigned()).cast_signed()
            }),
        ],
        same,
    );
}

#[test]
fn of_32_bits_without_sign() {
    let mut random = Random(2);
    let rows = rows(&WORDS, || (random.next() >> 32) as u32 >> (random.next() % 32));
    check::<u32, u32>(
        ("unsigned int", "unsigned int"),
        &rows,
        &[
            ("__umul24(x, y)", |x, y, _| (x & 0xff_ffff).wrapping_mul(y & 0xff_ffff)),
            ("__umulhi(x, y)", |x, y, _| ((u64::from(x) * u64::from(y)) >> 32) as u32),
            ("__uhadd(x, y)", |x, y, _| ((u64::from(x) + u64::from(y)) >> 1) as u32),
            ("__urhadd(x, y)", |x, y, _| ((u64::from(x) + u64::from(y) + 1) >> 1) as u32),
            ("__usad(x, y, z)", |x, y, z| x.abs_diff(y).wrapping_add(z)),
            ("__popc(x)", |x, _, _| x.count_ones()),
            ("__brev(x)", |x, _, _| x.reverse_bits()),
            ("__byte_perm(x, y, z)", |x, y, z| {
                let bytes = [x.to_le_bytes(), y.to_le_bytes()].concat();
                u32::from_le_bytes([0, 4, 8, 12].map(|at| bytes[(z >> at & 7) as usize]))
            }),
            ("__funnelshift_l(x, y, z)", |x, y, z| (both(x, y) << (z & 31) >> 32) as u32),
            ("__funnelshift_lc(x, y, z)", |x, y, z| (both(x, y) << z.min(32) >> 32) as u32),
            ("__funnelshift_r(x, y, z)", |x, y, z| (both(x, y) >> (z & 31)) as u32),
            ("__funnelshift_rc(x, y, z)", |x, y, z| (both(x, y) >> z.min(32)) as u32),
            ("__fns(x, y & 31, (int)(z & 63) - 32)", |x, y, z| nth_set(x, y & 31, (z & 63) as i32 - 32)),
            ("umin(x, y)", |x, y, _| x.min(y)),
            ("umax(x, y)", |x, y, _| x.max(y)),
        ],
        same,
    );
}

fn both(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The place of a set bit, as `__fns` counts it.
fn nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    let is_set = |k: &u32| mask >> k & 1 == 1;
    let found = match offset {
        0 => Some(base).filter(is_set),
        1.. => (base..32).filter(is_set).nth(offset as usize - 1),
        _ => (0..=base).rev().filter(is_set).nth(offset.unsigned_abs() as usize - 1),
    };
    found.unwrap_or(u32::MAX)
}

#[test]
fn of_64_bits() {
    let values = [0, 1, -1, i64::MIN, i64::MAX, 1 << 32, -(1 << 31), 0x0123_4567_89ab_cdef];
    let mut random = Random(3);
    let rows = rows(&values, || random.next().cast_signed() >> (random.next() % 64));
    check::<i64, i64>(
        ("long long", "long long"),
        &rows,
        &[
            ("__mul64hi(x, y)", |x, y, _| ((i128::from(x) * i128::from(y)) >> 64) as i64),
            ("__umul64hi(x, y)", |x, y, _| {
                ((u128::from(x.cast_unsigned()) * u128::from(y.cast_unsigned())) >> 64) as i64
            }),
            ("__clzll(x)", |x, _, _| x.leading_zeros().into()),
            ("__ffsll(x)", |x, _, _| if x == 0 { 0 } else { i64::from(x.trailing_zeros()) + 1 }),
            ("__popcll(x)", |x, _, _| x.count_ones().into()),
            ("__brevll(x)", |x, _, _| x.reverse_bits()),
            ("llmin(x, y)", |x, y, _| x.min(y)),
            ("llmax(x, y)", |x, y, _| x.max(y)),
            ("ullmin(x, y)", |x, y, _| x.cast_unsigned().min(y.cast_unsigned()).cast_signed()),
            ("ullmax(x, y)", |x, y, _| x.cast_unsigned().max(y.cast_unsigned()).cast_signed()),
            ("llabs(x)", |x, _, _| x.wrapping_abs()),
            ("abs(x)", |x, _, _| x.wrapping_abs()),
        ],
        same,
    );
}

#[test]
fn loads_and_stores_with_hints() {
    let values: Vec<i64> = (0..64).map(|k| k * k - 7).collect();
    let rows: Vec<[i64; 3]> = values.iter().map(|x| [*x, -x, x + 1]).collect();
    check::<i64, i64>(
        ("long long", "long long"),
        &rows,
        &[
            ("__ldg(xs + i) + __ldca(ys + i)", |x, y, _| x + y),
            ("__ldcg(xs + i) + __ldcs(ys + i)", |x, y, _| x + y),
            ("__ldlu(xs + i) + __ldcv(zs + i)", |x, _, z| x + z),
            ("0; __stwb(out + 3 * n + i, x)", |x, _, _| x),
            ("0; __stcg(out + 4 * n + i, y)", |_, y, _| y),
            ("0; __stcs(out + 5 * n + i, z)", |_, _, z| z),
            ("0; __stwt(out + 6 * n + i, x)", |x, _, _| x),
            ("0; __builtin_assume(n > 0); __prof_trigger(1); __nanosleep(1)", |_, _, _| 0),
        ],
        same,
    );
}

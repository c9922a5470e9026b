//! Intrinsics of several integers in a word.

use super::{Random, check, evaluate, rows, same};

/// The answer of a function of two parts, for parts of so many bits.
fn lanes(bits: u32, is_signed: bool, x: u32, y: u32, f: fn(i32, i32) -> i32) -> u32 {
    let mask = u32::MAX >> (32 - bits);
    let part = |word: u32, at: u32| {
        let part = word >> at & mask;
        if is_signed { (part << (32 - bits)).cast_signed() >> (32 - bits) } else { part.cast_signed() }
    };
    (0..32 / bits)
        .map(|k| (f(part(x, k * bits), part(y, k * bits)).cast_unsigned() & mask) << (k * bits))
        .sum()
}

fn words(seed: u64) -> Vec<[u32; 3]> {
    let values = [0, 1, 0x7f7f_7f7f, 0x8080_8080, 0xffff_ffff, 0x8000_7fff, 0x0001_ffff, 0x0080_ff7f];
    let mut random = Random(seed);
    rows(&values, || (random.next() >> 32) as u32)
}

macro_rules! by_lanes {
    ($test:ident, $n:literal, $bits:literal, $s:ident, $u:ident) => {
        #[test]
        fn $test() {
            const LEAST: i32 = $s::MIN as i32;
            const GREATEST: i32 = $s::MAX as i32;
            const ALL: i32 = $u::MAX as i32;
            fn total(x: u32, y: u32, is_signed: bool) -> u32 {
                let parts = lanes($bits, is_signed, x, y, |a, b| (a - b).abs());
                (0..32 / $bits).map(|k| parts >> (k * $bits) & u32::MAX >> (32 - $bits)).sum()
            }
            by_lanes!(@cases $n, $bits;
                "abs", true, "x": |a, _| a.abs();
                "absss", true, "x": |a, _| a.abs().min(GREATEST);
                "neg", true, "x": |a, _| -a;
                "negss", true, "x": |a, _| (-a).min(GREATEST);
                "add", false, "x, y": |a, b| a + b;
                "addss", true, "x, y": |a, b| (a + b).clamp(LEAST, GREATEST);
                "addus", false, "x, y": |a, b| (a + b).min(ALL);
                "sub", false, "x, y": |a, b| a - b;
                "subss", true, "x, y": |a, b| (a - b).clamp(LEAST, GREATEST);
                "subus", false, "x, y": |a, b| (a - b).max(0);
                // Halves are rounded away from zero.
                "avgs", true, "x, y": |a, b| (a + b + (a + b).signum()) / 2;
                "avgu", false, "x, y": |a, b| (a + b + 1) / 2;
                "haddu", false, "x, y": |a, b| (a + b) / 2;
                "absdiffs", true, "x, y": |a, b| (a - b).abs();
                "absdiffu", false, "x, y": |a, b| (a - b).abs();
                "maxs", true, "x, y": |a, b| a.max(b);
                "maxu", false, "x, y": |a, b| a.max(b);
                "mins", true, "x, y": |a, b| a.min(b);
                "minu", false, "x, y": |a, b| a.min(b);
                "cmpeq", true, "x, y": |a, b| -i32::from(a == b);
                "cmpne", true, "x, y": |a, b| -i32::from(a != b);
                "cmpges", true, "x, y": |a, b| -i32::from(a >= b);
                "cmpgeu", false, "x, y": |a, b| -i32::from(a >= b);
                "cmpgts", true, "x, y": |a, b| -i32::from(a > b);
                "cmpgtu", false, "x, y": |a, b| -i32::from(a > b);
                "cmples", true, "x, y": |a, b| -i32::from(a <= b);
                "cmpleu", false, "x, y": |a, b| -i32::from(a <= b);
                "cmplts", true, "x, y": |a, b| -i32::from(a < b);
                "cmpltu", false, "x, y": |a, b| -i32::from(a < b);
                "seteq", true, "x, y": |a, b| i32::from(a == b);
                "setne", true, "x, y": |a, b| i32::from(a != b);
                "setges", true, "x, y": |a, b| i32::from(a >= b);
                "setgeu", false, "x, y": |a, b| i32::from(a >= b);
                "setgts", true, "x, y": |a, b| i32::from(a > b);
                "setgtu", false, "x, y": |a, b| i32::from(a > b);
                "setles", true, "x, y": |a, b| i32::from(a <= b);
                "setleu", false, "x, y": |a, b| i32::from(a <= b);
                "setlts", true, "x, y": |a, b| i32::from(a < b);
                "setltu", false, "x, y": |a, b| i32::from(a < b);
            );
            check::<u32, u32>(
                ("unsigned int", "unsigned int"),
                &words(9),
                &[
                    (concat!("__vsads", $n, "(x, y)"), |x, y, _| total(x, y, true)),
                    (concat!("__vsadu", $n, "(x, y)"), |x, y, _| total(x, y, false)),
                ],
                same,
            );
        }
    };
    (@cases $n:literal, $bits:literal; $($name:literal, $is_signed:literal, $arguments:literal: $f:expr;)*) => {
        check::<u32, u32>(
            ("unsigned int", "unsigned int"),
            &words($bits),
            &[$((
                concat!("__v", $name, $n, "(", $arguments, ")"),
                |x, y, _| lanes($bits, $is_signed, x, y, $f),
            )),*],
            same,
        );
    };
}

by_lanes!(two_of_16_bits, "2", 16, i16, u16);
by_lanes!(four_of_8_bits, "4", 8, i8, u8);

#[test]
fn dot_products() {
    fn dot<const N: usize>(a: [i64; N], b: [i64; N], c: u32) -> u32 {
        a.iter().zip(b).map(|(a, b)| a * b).sum::<i64>().wrapping_add(c.into()) as u32
    }
    let bytes = |x: u32| x.to_le_bytes().map(i64::from);
    let signed_bytes = |x: u32| x.to_le_bytes().map(|byte| i64::from(byte.cast_signed()));
    let shorts = |x: u32| [x as u16, (x >> 16) as u16].map(i64::from);
    let signed_shorts = |x: u32| [x as i16, (x >> 16) as i16].map(i64::from);
    let rows = words(10);
    let answers = evaluate::<u32, u32>(
        ("unsigned int", "unsigned int"),
        &rows,
        &[
            "__dp4a(x, y, z)",
            "__dp4a((int)x, (int)y, (int)z)",
            "__dp2a_lo(x, y, z)",
            "__dp2a_lo((int)x, (int)y, (int)z)",
            "__dp2a_hi(x, y, z)",
            "__dp2a_hi((int)x, (int)y, (int)z)",
            "__dp4a(*(const uchar4 *)&x, *(const uchar4 *)&y, z)",
            "__dp2a_hi(*(const short2 *)&x, *(const char4 *)&y, (int)z)",
        ],
    );
    for (k, [x, y, z]) in rows.iter().copied().enumerate() {
        let (u, s) = (bytes(y), signed_bytes(y));
        let expected = [
            dot(bytes(x), u, z),
            dot(signed_bytes(x), s, z),
            dot(shorts(x), [u[0], u[1]], z),
            dot(signed_shorts(x), [s[0], s[1]], z),
            dot(shorts(x), [u[2], u[3]], z),
            dot(signed_shorts(x), [s[2], s[3]], z),
            dot(bytes(x), u, z),
            dot(signed_shorts(x), [s[2], s[3]], z),
        ];
        for (answers, expected) in answers.iter().zip(expected) {
            assert_eq!(answers[k], expected, "{x:#x} {y:#x} {z:#x}");
        }
    }
}

fn halves(x: u32, y: u32, z: u32, is_signed: bool, f: fn(i32, i32, i32) -> i32) -> u32 {
    let part = |word: u32, k: u32| {
        let part = (word >> (16 * k)) as u16;
        if is_signed { part.cast_signed().into() } else { part.into() }
    };
    (0..2).map(|k| (f(part(x, k), part(y, k), part(z, k)).cast_unsigned() & 0xffff) << (16 * k)).sum()
}

#[test]
fn dynamic_programming() {
    fn signed(x: u32, y: u32, z: u32, f: fn(i32, i32, i32) -> i32) -> u32 {
        f(x.cast_signed(), y.cast_signed(), z.cast_signed()).cast_unsigned()
    }
    check::<u32, u32>(
        ("unsigned int", "unsigned int"),
        &words(11),
        &[
            ("__vimax_s32_relu(x, y)", |x, y, z| signed(x, y, z, |a, b, _| a.max(b).max(0))),
            ("__vimin_s32_relu(x, y)", |x, y, z| signed(x, y, z, |a, b, _| a.min(b).max(0))),
            ("__vimax3_s32(x, y, z)", |x, y, z| signed(x, y, z, |a, b, c| a.max(b).max(c))),
            ("__vimin3_s32(x, y, z)", |x, y, z| signed(x, y, z, |a, b, c| a.min(b).min(c))),
            ("__vimax3_s32_relu(x, y, z)", |x, y, z| signed(x, y, z, |a, b, c| a.max(b).max(c).max(0))),
            ("__vimin3_s32_relu(x, y, z)", |x, y, z| signed(x, y, z, |a, b, c| a.min(b).min(c).max(0))),
            ("__vimax3_u32(x, y, z)", |x, y, z| x.max(y).max(z)),
            ("__vimin3_u32(x, y, z)", |x, y, z| x.min(y).min(z)),
            ("__viaddmax_s32(x, y, z)", |x, y, z| signed(x, y, z, |a, b, c| a.wrapping_add(b).max(c))),
            ("__viaddmin_s32(x, y, z)", |x, y, z| signed(x, y, z, |a, b, c| a.wrapping_add(b).min(c))),
            ("__viaddmax_s32_relu(x, y, z)", |x, y, z| {
                signed(x, y, z, |a, b, c| a.wrapping_add(b).max(c).max(0))
            }),
            ("__viaddmin_s32_relu(x, y, z)", |x, y, z| {
                signed(x, y, z, |a, b, c| a.wrapping_add(b).min(c).max(0))
            }),
            ("__viaddmax_u32(x, y, z)", |x, y, z| x.wrapping_add(y).max(z)),
            ("__viaddmin_u32(x, y, z)", |x, y, z| x.wrapping_add(y).min(z)),
            ("__vimax_s16x2_relu(x, y)", |x, y, z| halves(x, y, z, true, |a, b, _| a.max(b).max(0))),
            ("__vimin_s16x2_relu(x, y)", |x, y, z| halves(x, y, z, true, |a, b, _| a.min(b).max(0))),
            ("__vimax3_s16x2(x, y, z)", |x, y, z| halves(x, y, z, true, |a, b, c| a.max(b).max(c))),
            ("__vimin3_s16x2(x, y, z)", |x, y, z| halves(x, y, z, true, |a, b, c| a.min(b).min(c))),
            ("__vimax3_u16x2(x, y, z)", |x, y, z| halves(x, y, z, false, |a, b, c| a.max(b).max(c))),
            ("__vimin3_u16x2(x, y, z)", |x, y, z| halves(x, y, z, false, |a, b, c| a.min(b).min(c))),
            ("__vimax3_s16x2_relu(x, y, z)", |x, y, z| {
                halves(x, y, z, true, |a, b, c| a.max(b).max(c).max(0))
            }),
            ("__vimin3_s16x2_relu(x, y, z)", |x, y, z| {
                halves(x, y, z, true, |a, b, c| a.min(b).min(c).max(0))
            }),
            ("__viaddmax_s16x2(x, y, z)", |x, y, z| halves(x, y, z, true, |a, b, c| sum16(a, b).max(c))),
            ("__viaddmin_s16x2(x, y, z)", |x, y, z| halves(x, y, z, true, |a, b, c| sum16(a, b).min(c))),
            ("__viaddmax_s16x2_relu(x, y, z)", |x, y, z| {
                halves(x, y, z, true, |a, b, c| sum16(a, b).max(c).max(0))
            }),
            ("__viaddmin_s16x2_relu(x, y, z)", |x, y, z| {
                halves(x, y, z, true, |a, b, c| sum16(a, b).min(c).max(0))
            }),
            ("__viaddmax_u16x2(x, y, z)", |x, y, z| {
                halves(x, y, z, false, |a, b, c| ((a + b) & 0xffff).max(c))
            }),
            ("__viaddmin_u16x2(x, y, z)", |x, y, z| {
                halves(x, y, z, false, |a, b, c| ((a + b) & 0xffff).min(c))
            }),
            ("0; bool p, q; out[28 * n + i] = __vibmax_s32(x, y, &p)", |x, y, _| {
                x.cast_signed().max(y.cast_signed()).cast_unsigned()
            }),
            ("p", |x, y, _| u32::from(x.cast_signed() >= y.cast_signed())),
            ("__vibmin_u32(x, y, &p)", |x, y, _| x.min(y)),
            ("p", |x, y, _| u32::from(x <= y)),
            ("__vibmax_u16x2(x, y, &p, &q)", |x, y, z| halves(x, y, z, false, |a, b, _| a.max(b))),
            ("p + 2 * q", |x, y, _| u32::from(x >> 16 >= y >> 16) + 2 * u32::from(x as u16 >= y as u16)),
            ("__vibmin_s16x2(x, y, &p, &q)", |x, y, z| halves(x, y, z, true, |a, b, _| a.min(b))),
        ],
        same,
    );
}

fn sum16(a: i32, b: i32) -> i32 {
    ((a + b) as i16).into()
}

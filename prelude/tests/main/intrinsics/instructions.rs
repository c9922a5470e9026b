//! Inline PTX: each instruction against Rust's arithmetic, on both devices.

use gpurepl_prelude::*;

use super::{Case, Random, compare, evaluate_with, rows, same, same_f32, same_f64};
use crate::is_on_host;

/// The type in CUDA C of a constraint's letter.
fn type_of(letter: &str) -> &'static str {
    match letter {
        "h" => "unsigned short",
        "r" => "unsigned int",
        "l" => "unsigned long long",
        "f" => "float",
        _ => "double",
    }
}

/// Instructions with `d` for the result, and `a`, `b`, `c` for the inputs.
#[track_caller]
fn check<A: Elem, R: Elem>(
    (input, output): (&str, &str),
    rows: &[[A; 3]],
    cases: &[Case<A, R>],
    is_right: fn(R, R) -> bool,
) {
    let (given, made) = (type_of(input), type_of(output));
    let mut functions = String::new();
    for (k, (text, _)) in cases.iter().enumerate() {
        let text: String = text
            .split_inclusive(|c: char| !c.is_ascii_alphanumeric() && !"._%".contains(c))
            .map(|part| {
                let at = part
                    .find(|c: char| !c.is_ascii_alphanumeric() && !"._%".contains(c))
                    .unwrap_or(part.len());
                let operand = ["d", "a", "b", "c"].iter().position(|name| *name == &part[..at]);
                operand.map_or(part.to_owned(), |operand| format!("%{operand}{}", &part[at..]))
            })
            .collect();
        functions.push_str(&format!(
            "__device__ {made} f{k}({given} a, {given} b, {given} c) {{ {made} d; \
             asm(\"{{ {text}; }}\" : \"={output}\"(d) : \"{input}\"(a), \"{input}\"(b), \"{input}\"(c)); return d; }}\n"
        ));
    }
    let calls: Vec<String> = (0..cases.len()).map(|k| format!("f{k}(x, y, z)")).collect();
    let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
    compare(rows, cases, evaluate_with(&functions, (given, made), rows, &calls), is_right);
}

const WORDS: [u32; 12] =
    [0, 1, 2, 31, 32, 33, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_ffff, 0x00ff_ffff, 0x5a5a_5a5a];

fn s(x: u32) -> i32 {
    x.cast_signed()
}

fn field(x: u64, bits: u32, at: u32, length: u32, is_signed: bool) -> u64 {
    let (at, length) = (at & 0xff, length & 0xff);
    let last = (at + length).wrapping_sub(1).min(bits - 1);
    let sign = is_signed && length > 0 && x >> last & 1 == 1;
    let mut all = 0;
    for k in 0..bits {
        let bit = if k < length && at + k < bits { x >> (at + k) & 1 == 1 } else { sign };
        all |= u64::from(bit && length > 0) << k;
    }
    all
}

fn table(x: u32, y: u32, z: u32, table: u32) -> u32 {
    (0..32).map(|k| (table >> ((x >> k & 1) << 2 | (y >> k & 1) << 1 | (z >> k & 1)) & 1) << k).sum()
}

#[test]
fn of_32_bits() {
    let mut random = Random(11);
    let rows = rows(&WORDS, || (random.next() >> 32) as u32 >> (random.next() % 32));
    check::<u32, u32>(
        ("r", "r"),
        &rows,
        &[
            ("add.u32 d, a, b", |x, y, _| x.wrapping_add(y)),
            ("sub.s32 d, a, b", |x, y, _| x.wrapping_sub(y)),
            ("add.sat.s32 d, a, b", |x, y, _| s(x).saturating_add(s(y)).cast_unsigned()),
            ("sub.sat.s32 d, a, b", |x, y, _| s(x).saturating_sub(s(y)).cast_unsigned()),
            ("mul.lo.u32 d, a, b", |x, y, _| x.wrapping_mul(y)),
            ("mul.hi.u32 d, a, b", |x, y, _| ((u64::from(x) * u64::from(y)) >> 32) as u32),
            ("mul.hi.s32 d, a, b", |x, y, _| ((i64::from(s(x)) * i64::from(s(y))) >> 32) as u32),
            ("mad.lo.s32 d, a, b, c", |x, y, z| x.wrapping_mul(y).wrapping_add(z)),
            ("mad.hi.u32 d, a, b, c", |x, y, z| {
                (((u64::from(x) * u64::from(y)) >> 32) as u32).wrapping_add(z)
            }),
            ("mul24.lo.s32 d, a, b", |x, y, _| (s(x) << 8 >> 8).wrapping_mul(s(y) << 8 >> 8).cast_unsigned()),
            ("mad24.lo.u32 d, a, b, c", |x, y, z| {
                (x & 0xff_ffff).wrapping_mul(y & 0xff_ffff).wrapping_add(z)
            }),
            // By zero the ISA leaves open what the result is.
            (".reg .u32 t; max.u32 t, b, 1; div.u32 d, a, t", |x, y, _| x / y.max(1)),
            (".reg .u32 t; max.u32 t, b, 1; rem.u32 d, a, t", |x, y, _| x % y.max(1)),
            ("div.s32 d, a, 7", |x, _, _| (s(x) / 7).cast_unsigned()),
            ("rem.s32 d, a, -7", |x, _, _| (s(x) % 7).cast_unsigned()),
            ("min.s32 d, a, b", |x, y, _| s(x).min(s(y)).cast_unsigned()),
            ("max.u32 d, a, b", |x, y, _| x.max(y)),
            ("abs.s32 d, a", |x, _, _| s(x).wrapping_abs().cast_unsigned()),
            ("neg.s32 d, a", |x, _, _| x.wrapping_neg()),
            ("sad.s32 d, a, b, c", |x, y, z| s(x).abs_diff(s(y)).wrapping_add(z)),
            ("and.b32 d, a, b", |x, y, _| x & y),
            ("or.b32 d, a, b", |x, y, _| x | y),
            ("xor.b32 d, a, b", |x, y, _| x ^ y),
            ("not.b32 d, a", |x, _, _| !x),
            ("cnot.b32 d, a", |x, _, _| u32::from(x == 0)),
            ("shl.b32 d, a, b", |x, y, _| x.checked_shl(y).unwrap_or(0)),
            ("shr.u32 d, a, b", |x, y, _| x.checked_shr(y).unwrap_or(0)),
            ("shr.s32 d, a, b", |x, y, _| (s(x) >> y.min(31)).cast_unsigned()),
            ("popc.b32 d, a", |x, _, _| x.count_ones()),
            ("clz.b32 d, a", |x, _, _| x.leading_zeros()),
            ("brev.b32 d, a", |x, _, _| x.reverse_bits()),
            ("bfind.u32 d, a", |x, _, _| 31_u32.wrapping_sub(x.leading_zeros())),
            ("bfind.s32 d, a", |x, _, _| {
                31_u32.wrapping_sub((if s(x) < 0 { !x } else { x }).leading_zeros())
            }),
            ("bfind.shiftamt.u32 d, a", |x, _, _| if x == 0 { u32::MAX } else { x.leading_zeros() }),
            ("bfe.u32 d, a, b, c", |x, y, z| field(u64::from(x), 32, y, z, false) as u32),
            ("bfe.s32 d, a, b, c", |x, y, z| field(u64::from(x), 32, y, z, true) as u32),
            ("bfi.b32 d, a, b, 5, 9", |x, y, _| (y & !(0x1ff << 5)) | (x & 0x1ff) << 5),
            ("bfi.b32 d, a, b, c, 40", |x, y, z| {
                let at = z & 0xff;
                if at > 31 { y } else { (y & !(u32::MAX << at)) | x << at }
            }),
            ("lop3.b32 d, a, b, c, 0x96", |x, y, z| x ^ y ^ z),
            ("lop3.b32 d, a, b, c, 0xe8", |x, y, z| table(x, y, z, 0xe8)),
            ("lop3.b32 d, a, b, c, 0x35", |x, y, z| table(x, y, z, 0x35)),
            ("prmt.b32 d, a, b, c", |x, y, z| {
                let bytes = [x.to_le_bytes(), y.to_le_bytes()].concat();
                u32::from_le_bytes([0, 4, 8, 12].map(|at| {
                    let byte = bytes[(z >> at & 7) as usize];
                    if z >> at & 8 == 0 { byte } else { if byte > 127 { 255 } else { 0 } }
                }))
            }),
            ("shf.l.wrap.b32 d, a, b, c", |x, y, z| {
                ((u64::from(y) << 32 | u64::from(x)) << (z & 31) >> 32) as u32
            }),
            ("shf.r.clamp.b32 d, a, b, c", |x, y, z| {
                ((u64::from(y) << 32 | u64::from(x)) >> z.min(32)) as u32
            }),
            ("dp4a.u32.u32 d, a, b, c", |x, y, z| {
                let products = x.to_le_bytes().into_iter().zip(y.to_le_bytes());
                products.fold(z, |sum, (a, b)| sum.wrapping_add(u32::from(a) * u32::from(b)))
            }),
            ("dp4a.s32.u32 d, a, b, c", |x, y, z| {
                let products = x.to_le_bytes().into_iter().zip(y.to_le_bytes());
                products.fold(z, |sum, (a, b)| {
                    sum.wrapping_add((i32::from(a.cast_signed()) * i32::from(b)).cast_unsigned())
                })
            }),
            ("vabsdiff4.u32.u32.u32.add d, a, b, c", |x, y, z| {
                let parts = x.to_le_bytes().into_iter().zip(y.to_le_bytes());
                parts.fold(z, |sum, (a, b)| sum.wrapping_add(u32::from(a.abs_diff(b))))
            }),
            (
                ".reg .pred p; setp.lt.s32 p, a, b; selp.b32 d, a, c, p",
                |x, y, z| if s(x) < s(y) { x } else { z },
            ),
            (".reg .pred p, q; setp.hi.and.u32 p, a, b, 1; not.pred q, p; selp.u32 d, 1, 2, q", |x, y, _| {
                u32::from(x > y) + 1
            }),
            (
                ".reg .pred p, q; setp.ge.u32 q, a, c; setp.eq.or.b32 p|q, a, b, q; selp.u32 d, 1, 0, p; @q add.u32 d, d, 2",
                |x, y, z| u32::from(x == y || x >= z) + 2 * u32::from(x != y || x >= z),
            ),
            ("set.gt.u32.s32 d, a, b", |x, y, _| if s(x) > s(y) { u32::MAX } else { 0 }),
            ("slct.u32.s32 d, a, b, c", |x, y, z| if s(z) >= 0 { x } else { y }),
            (
                "mov.b32 d, a; .reg .pred p; setp.eq.u32 p, b, 0; @p bra END; add.u32 d, d, 1; END: mov.b32 d, d",
                |x, y, _| x.wrapping_add(u32::from(y != 0)),
            ),
            (".reg .u8 t; cvt.u8.u32 t, a; cvt.u32.u8 d, t", |x, _, _| x & 0xff),
            (".reg .s8 t; cvt.s8.s32 t, a; cvt.s32.s8 d, t", |x, _, _| i32::from(x as i8).cast_unsigned()),
            (".reg .u16 t; cvt.sat.u16.s32 t, a; cvt.u32.u16 d, t", |x, _, _| {
                s(x).clamp(0, 65535).cast_unsigned()
            }),
            (
                ".reg .b64 t; mov.b64 t, {a, b}; shr.u64 t, t, 16; .reg .b32 h; mov.b64 {d, h}, t; xor.b32 d, d, h",
                |x, y, _| {
                    let both = (u64::from(y) << 32 | u64::from(x)) >> 16;
                    both as u32 ^ (both >> 32) as u32
                },
            ),
            (".reg .b16 l<2>; mov.b32 {l0, l1}, a; mov.b32 d, {l1, l0}", |x, _, _| x.rotate_left(16)),
            (".reg .u32 h; add.cc.u32 d, a, b; addc.u32 h, c, 0; xor.b32 d, d, h", |x, y, z| {
                let (sum, carry) = x.overflowing_add(y);
                sum ^ z.wrapping_add(u32::from(carry))
            }),
            (".reg .u32 h; sub.cc.u32 d, a, b; subc.u32 h, c, 1; xor.b32 d, d, h", |x, y, z| {
                let (difference, borrow) = x.overflowing_sub(y);
                difference ^ z.wrapping_sub(1).wrapping_sub(u32::from(borrow))
            }),
            (".reg .u32 h; mad.lo.cc.u32 d, a, b, c; madc.hi.u32 h, a, b, 0; xor.b32 d, d, h", |x, y, z| {
                let all = u64::from(x) * u64::from(y) + u64::from(z);
                all as u32 ^ (all >> 32) as u32
            }),
        ],
        same,
    );
}

#[test]
fn of_64_bits() {
    let mut random = Random(12);
    let values = [0, 1, 63, 64, u64::MAX, i64::MAX as u64, 1 << 63, 0x1234_5678_9abc_def0];
    let rows = rows(&values, || random.next() >> (random.next() % 64));
    check::<u64, u64>(
        ("l", "l"),
        &rows,
        &[
            ("add.s64 d, a, b", |x, y, _| x.wrapping_add(y)),
            ("mul.hi.u64 d, a, b", |x, y, _| ((u128::from(x) * u128::from(y)) >> 64) as u64),
            ("mul.hi.s64 d, a, b", |x, y, _| {
                ((i128::from(x.cast_signed()) * i128::from(y.cast_signed())) >> 64) as u64
            }),
            ("mad.lo.u64 d, a, b, c", |x, y, z| x.wrapping_mul(y).wrapping_add(z)),
            (".reg .u32 s, t; cvt.u32.u64 s, a; cvt.u32.u64 t, b; mul.wide.u32 d, s, t", |x, y, _| {
                (x & 0xffff_ffff) * (y & 0xffff_ffff)
            }),
            (".reg .u32 s, t; cvt.u32.u64 s, a; cvt.u32.u64 t, b; mad.wide.s32 d, s, t, c", |x, y, z| {
                (i64::from(x as i32) * i64::from(y as i32)).cast_unsigned().wrapping_add(z)
            }),
            (".reg .u32 t; popc.b64 t, a; cvt.u64.u32 d, t", |x, _, _| u64::from(x.count_ones())),
            (".reg .u32 t; clz.b64 t, a; cvt.u64.u32 d, t", |x, _, _| u64::from(x.leading_zeros())),
            ("brev.b64 d, a", |x, _, _| x.reverse_bits()),
            (".reg .u32 t; cvt.u32.u64 t, b; shr.s64 d, a, t", |x, y, _| {
                (x.cast_signed() >> (y as u32).min(63)).cast_unsigned()
            }),
            (
                ".reg .u32 s, t; cvt.u32.u64 s, b; cvt.u32.u64 t, c; and.b32 s, s, 255; and.b32 t, t, 255; bfe.s64 d, a, s, t",
                |x, y, z| field(x, 64, y as u32, z as u32, true),
            ),
            (".reg .u64 h; add.cc.u64 d, a, b; addc.u64 h, c, 0; xor.b64 d, d, h", |x, y, z| {
                let (sum, carry) = x.overflowing_add(y);
                sum ^ z.wrapping_add(u64::from(carry))
            }),
        ],
        same,
    );
}

#[test]
fn of_floats() {
    let mut random = Random(13);
    let values = [0.0, -0.0, 1.0, 0.5, -2.5, 3.5, 1e30, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40];
    let rows = rows(&values, || random.between(-100.0, 100.0) as f32);
    check::<f32, f32>(
        ("f", "f"),
        &rows,
        &[
            ("add.rn.f32 d, a, b", |x, y, _| x + y),
            ("mul.rn.f32 d, a, b", |x, y, _| x * y),
            ("fma.rn.f32 d, a, b, c", |x, y, z| x.mul_add(y, z)),
            ("div.rn.f32 d, a, b", |x, y, _| x / y),
            ("sqrt.rn.f32 d, a", |x, _, _| x.sqrt()),
            ("rcp.rn.f32 d, a", |x, _, _| 1.0 / x),
            ("cvt.sat.f32.f32 d, a", |x, _, _| if x > 0.0 { x.min(1.0) } else { 0.0 }),
            (".reg .s32 t; cvt.rni.s32.f32 t, a; cvt.rn.sat.f32.s32 d, t", |x, _, _| {
                (x.round_ties_even() as i32).clamp(0, 1) as f32
            }),
            ("add.sat.f32 d, a, b", |x, y, _| if (x + y) > 0.0 { (x + y).min(1.0) } else { 0.0 }),
            ("min.f32 d, a, 1.0", |x, _, _| x.min(1.0)),
            ("max.NaN.f32 d, a, c", |x, _, z| if x.is_nan() || z.is_nan() { f32::NAN } else { x.max(z) }),
            ("abs.f32 d, a", |x, _, _| x.abs()),
            ("neg.f32 d, a", |x, _, _| -x),
            ("copysign.f32 d, a, b", |x, y, _| y.copysign(x)),
            ("cvt.rni.f32.f32 d, a", |x, _, _| x.round_ties_even()),
            ("cvt.rzi.f32.f32 d, a", |x, _, _| x.trunc()),
            (".reg .pred p; setp.ltu.f32 p, a, b; selp.f32 d, 0f3F800000, 0fC0000000, p", |x, y, _| {
                if x < y || x.is_nan() || y.is_nan() { 1.0 } else { -2.0 }
            }),
            ("mov.f32 d, 0f40490FDB; mul.f32 d, d, 2.0", |_, _, _| std::f32::consts::PI * 2.0),
            (".reg .b32 t; mov.b32 t, a; xor.b32 t, t, 0x80000000; mov.b32 d, t", |x, _, _| -x),
            (".reg .pred p; testp.subnormal.f32 p, a; selp.f32 d, 1.0, 0.0, p", |x, _, _| {
                f32::from(u8::from(x.is_subnormal()))
            }),
        ],
        same_f32,
    );
    let wide: Vec<[f64; 3]> = rows.iter().map(|row| row.map(f64::from)).collect();
    check::<f64, f64>(
        ("d", "d"),
        &wide,
        &[
            ("add.f64 d, a, b", |x, y, _| x + y),
            ("fma.rn.f64 d, a, b, c", |x, y, z| x.mul_add(y, z)),
            ("sqrt.rn.f64 d, a", |x, _, _| x.sqrt()),
            ("cvt.rmi.f64.f64 d, a", |x, _, _| x.floor()),
            (
                ".reg .b32 l, h; mov.b64 {l, h}, a; mov.b64 d, {h, l}; mov.b64 {h, l}, d; mov.b64 d, {l, h}",
                |x, _, _| x,
            ),
            (".reg .f32 t; cvt.rn.f32.f64 t, a; cvt.f64.f32 d, t", |x, _, _| f64::from(x as f32)),
        ],
        same_f64,
    );
    let finite: Vec<[f32; 3]> = rows.iter().copied().filter(|row| !row[0].is_nan()).collect();
    check::<f32, u32>(
        ("f", "r"),
        &finite,
        &[
            ("cvt.rzi.s32.f32 d, a", |x, _, _| (x as i32).cast_unsigned()),
            ("cvt.rni.u32.f32 d, a", |x, _, _| x.round_ties_even() as u32),
            ("cvt.rpi.s32.f32 d, a", |x, _, _| (x.ceil() as i32).cast_unsigned()),
        ],
        same,
    );
}

/// What threads have and do together, by instructions.
const TOGETHER: &str = r#"
    #define LANE(x) asm("mov.u32 %0, %%laneid;" : "=r"(x))
    __device__ unsigned below() { unsigned mask; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask)); return mask; }
    __device__ __forceinline__ int up(int value, int by) {
        int from;
        asm volatile("{ .reg .pred p;\n"
                     "  shfl.sync.up.b32 %0|p, %1, %2, 0x0, 0xffffffff;\n"   // who has no neighbour
                     "  @p add.s32 %0, %0, %1; }"
                     : "=r"(from) : "r"(value), "r"(by));
        return from;
    }
    __global__ void together(int *out, const int *in, unsigned long long *sums) {
        __shared__ int row[64];
        unsigned lane, warp, thread;
        LANE(lane);
        asm("mov.u32 %0, %%tid.x;\n\t"
            "shr.u32 %1, %0, 5;" : "=&r"(thread), "=r"(warp));
        asm volatile("st.shared.s32 [%0], %1;" :: "r"((unsigned)__cvta_generic_to_shared(&row[63 - thread])), "r"(in[thread]) : "memory");
        asm volatile("bar.sync 0;" ::: "memory");
        int value = row[thread];
        for (int by = 1; by < 32; by *= 2) value = up(value, by);
        unsigned even;
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                     : "=r"(even) : "r"((int)(in[thread] % 2 == 0)));
        int ahead = __popc(even & below());
        asm volatile("red.global.add.u64 [%0], %1;" :: "l"(sums), "l"((unsigned long long)value) : "memory");
        int last;
        asm volatile("atom.global.max.s32 %0, [%1+4], %2;" : "=r"(last) : "l"((int *)(sums + 1)), "r"((int)thread) : "memory");
        int two, three;
        asm volatile("ld.global.nc.v2.s32 {%0, %1}, [%2+8];" : "=r"(two), "=r"(three) : "l"(in));
        int largest;
        asm volatile("redux.sync.max.s32 %0, %1, 0xffffffff;" : "=r"(largest) : "r"(in[thread]));
        out[thread] = value;
        out[64 + thread] = ahead;
        out[128 + thread] = (int)(warp * 32 + lane) + 1000 * (two + three);
        out[192 + thread] = largest + (last > 63);
    }"#;

#[test]
fn threads_that_meet() {
    let input: Vec<i32> = (0..64).map(|k| (k * 37 + 11) % 50).collect();
    let (mut out, mut sums) = (vec![0_i32; 256], to_gpu(vec![0_u64; 2]));
    let kernel = SourceModule::new(TOGETHER).unwrap().get_function("together").unwrap();
    kernel.launch(1, 64, (Out(&mut out), In(&input), &mut sums)).unwrap();
    let turned: Vec<i32> = input.iter().rev().copied().collect();
    let mut total = 0_u64;
    for warp in 0..2 {
        let mut sum = 0;
        for lane in 0..32 {
            let thread = warp * 32 + lane;
            sum += turned[thread];
            total += sum as u64;
            let ahead = input[warp * 32..thread].iter().filter(|x| *x % 2 == 0).count() as i32;
            let largest = *input[warp * 32..][..32].iter().max().unwrap();
            let seen = [out[thread], out[64 + thread], out[128 + thread], out[192 + thread]];
            assert_eq!(seen, [sum, ahead, thread as i32 + 1000 * (input[2] + input[3]), largest], "{thread}");
        }
    }
    assert_eq!(sums.to_vec(), [total, 63 << 32]);
}

/// The carry flag goes from one statement to the next, as in libraries for
/// numbers of many words.
#[test]
fn a_sum_of_many_words() {
    let source = r#"
        __global__ void k(unsigned int *out, const unsigned int *a, const unsigned int *b) {
            asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(out[0]) : "r"(a[0]), "r"(b[0]));
            asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(out[1]) : "r"(a[1]), "r"(b[1]));
            asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(out[2]) : "r"(a[2]), "r"(b[2]));
            asm volatile("addc.u32 %0, 0, 0;" : "=r"(out[3]));
        }"#;
    let mut out = [0_u32; 4];
    let kernel = SourceModule::new(source).unwrap().get_function("k").unwrap();
    kernel.launch(1, 1, (Out(&mut out), In(&[u32::MAX; 3]), In(&[1_u32, 0, 5]))).unwrap();
    assert_eq!(out, [0, 0, 5, 1]);
}

#[test]
fn blocks_of_registers_and_words_of_text() {
    let source = r#"
        #define max(a, b) ((a) > (b) ? (a) : (b))
        #define LANE(x) do { asm("mov.u32 %0, %%laneid;" : "=r"(x)); } while (0)
        __global__ void k(unsigned int *out, unsigned long long *word, float zero) {
            __shared__ unsigned int s[4];
            unsigned int a, b, c, lane;
            volatile float f;
            s[threadIdx.x & 3] = 7 * (threadIdx.x & 3);
            __syncthreads();
            LANE(lane);
            asm("{.reg .u32 t; mov.u32 t, 5; {.reg .u32 t; mov.u32 t, 7;} mov.u32 %0, t;}" : "=r"(a));
            asm volatile("ld.shared::cta.u32 %0, [%1+4];" : "=r"(b) : "r"((unsigned int)__cvta_generic_to_shared(s)) : "memory");
            asm("{ .reg.pred p; setp.gt.u32 p, %1, %2; selp.u32 %0, WARP_SZ, 0, p; }" : "=r"(c) : "r"(max(lane, 3u)) "r"(2));
            asm("{ .reg .f32 m; neg.f32 m, %1; max.f32 %0, m, %1; }" : "=f"(f) : "f"(zero));
            if (threadIdx.x == 1) {
                out[0] = a; out[1] = b; out[2] = c; out[3] = lane; out[4] = __float_as_uint(f);
                asm volatile("red.release.gpu.global.add.u64 [%0], %1;" :: "l"(word), "l"(3ull) : "memory");
            }
            asm volatile("bar.sync 0, %0;" :: "r"(64) : "memory");
            asm volatile("barrier.sync 0;" ::: "memory");
        }"#;
    let (mut out, mut word) = ([0_u32; 5], [1_u64 << 40]);
    let kernel = SourceModule::new(source).unwrap().get_function("k").unwrap();
    kernel.launch(1, 64, (Out(&mut out), InOut(&mut word), 0.0_f32)).unwrap();
    assert_eq!((out, word), ([5, 7, 32, 1, 0], [(1 << 40) + 3]));
}

/// A difference sets the flag where there is no borrow, which a sum then sees.
#[test]
fn sums_and_differences_share_a_flag() {
    let source = r#"
        __global__ void k(unsigned int *out, unsigned int zero) {
            asm volatile("add.cc.u32 %0, %1, 0;" : "=r"(out[0]) : "r"(zero));
            asm volatile("subc.u32 %0, 0, 0;" : "=r"(out[1]));
            asm volatile("sub.cc.u32 %0, %1, 1;" : "=r"(out[2]) : "r"(zero));
            asm volatile("addc.u32 %0, 0, 0;" : "=r"(out[3]));
        }"#;
    let mut out = [9_u32; 4];
    let kernel = SourceModule::new(source).unwrap().get_function("k").unwrap();
    kernel.launch(1, 1, (Out(&mut out), 0_u32)).unwrap();
    assert_eq!(out, [0, u32::MAX, u32::MAX, 0]);
}

#[test]
fn a_loop_and_a_fault() {
    let source = r#"
        __global__ void k(int *out, int n) {
            int sum;
            asm volatile("{\n .reg .pred more; .reg .s32 k;\n mov.s32 %0, 0;\n mov.s32 k, %1;\n"
                         "AGAIN:\n add.s32 %0, %0, k;\n sub.s32 k, k, 1;\n"
                         " setp.gt.s32 more, k, 0;\n @more bra AGAIN;\n}" : "=&r"(sum) : "r"(n));
            out[threadIdx.x] = sum;
            if (n == 7) asm volatile("trap;");
        }"#;
    let kernel = SourceModule::new(source).unwrap().get_function("k").unwrap();
    let mut out = [0; 2];
    kernel.launch(1, 2, (Out(&mut out), 100)).unwrap();
    assert_eq!(out, [5050; 2]);
    if is_on_host() {
        let error = kernel.launch(1, 2, (Out(&mut out), 7)).unwrap_err();
        assert_eq!(error.kernel_fault().map(|fault| fault.kind), Some(FaultKind::Trap));
    }
}

#[test]
fn an_instruction_that_the_host_does_not_have() {
    if is_on_host() {
        let source = "__global__ void k(int *x) {\n  asm volatile(\"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];\" : \"=r\"(x[0]) : \"r\"(0));\n}";
        let error = SourceModule::new(source).unwrap_err().to_string();
        assert!(
            error.contains("the host device does not run `ldmatrix.sync.aligned.m8n8.x1.shared.b16`"),
            "{error}"
        );
        assert!(error.contains("write it in CUDA C, or run this kernel on a CUDA device"), "{error}");
    }
}

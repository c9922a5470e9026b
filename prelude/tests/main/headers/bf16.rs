//! `cuda_bf16.h`: all numbers by values, against arithmetic in double precision.

use gpurepl_prelude::*;

use super::kernel_of;

fn f(b: u16) -> f32 {
    f32::from_bits((b as u32) << 16)
}
fn nan(b: u16) -> bool {
    b & 0x7fff > 0x7f80
}
// The nearest of the two neighbours by distance, the even one in the middle.
fn near(x: f64) -> u16 {
    if x.is_nan() {
        return 0x7fff;
    }
    let sign = if x.is_sign_negative() { 0x8000u16 } else { 0 };
    let a = x.abs();
    let top = f(0x7f7f) as f64 + 2f64.powi(119);
    if a >= top {
        return sign | 0x7f80;
    }
    let (mut lo, mut hi) = (0u16, 0x7f80u16);
    while hi - lo > 1 {
        let mid = (lo + hi) / 2;
        if f(mid) as f64 <= a { lo = mid } else { hi = mid }
    }
    let up = if hi == 0x7f80 { 2f64.powi(128) } else { f(hi) as f64 };
    let (l, h) = (a - f(lo) as f64, up - a);
    let is_up = h < l || h == l && lo & 1 == 1;
    sign | if is_up { hi } else { lo }
}

const TEXT: &str = r#"
#include <cuda_fp16.h>
#include <cuda_bf16.h>
typedef __nv_bfloat16 B;
__device__ B of(unsigned short x) { return __ushort_as_bfloat16(x); }
__device__ unsigned short bits(B x) { return __bfloat16_as_ushort(x); }
__global__ void pairs(const unsigned short *x, const unsigned short *y, const unsigned short *z, unsigned short *o, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const B a = of(x[i]), b = of(y[i]), c = of(z[i]);
  unsigned short *p = o + i * 16;
  p[0] = bits(a + b); p[1] = bits(a - b); p[2] = bits(a * b); p[3] = bits(a / b);
  p[4] = bits(__hfma(a, b, c)); p[5] = a < b; p[6] = a == b; p[7] = a != b; p[8] = __hgeu(a, b);
  p[9] = bits(__hmin(a, b)); p[10] = bits(__hmax_nan(a, b)); p[11] = bits(hsqrt(a));
  __nv_bfloat162 v = __hfma2(__nv_bfloat162(a, b), __nv_bfloat162(b, a), __nv_bfloat162(c, c));
  p[12] = bits(v.x) == bits(v.y); p[13] = bits(-a); B t = a; t += 1.0f; p[14] = bits(t); p[15] = bits(__float2bfloat16_ru((float)a + (float)b));
}
__global__ void convert(const double *d, const long long *n, unsigned short *o, long long *w, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  o[4 * i] = bits(B(d[i])); o[4 * i + 1] = bits(B((float)d[i])); o[4 * i + 2] = bits(__ll2bfloat16_rn(n[i])); o[4 * i + 3] = bits((int)n[i]);
  w[4 * i] = __bfloat162int_rn(B(d[i])); w[4 * i + 1] = __bfloat162ll_rz(B(d[i])); w[4 * i + 2] = __bfloat162ushort_rd(B(d[i])); w[4 * i + 3] = __bfloat162char_rz(B(d[i]));
}
__global__ void lanes(unsigned short *total, unsigned short *o) {
  __shared__ B tile[96];
  __shared__ __nv_bfloat162 sums;
  const int i = threadIdx.x;
  if (i == 0) sums = __nv_bfloat162(0.0f, 0.0f);
  tile[i] = B(i);
  __syncthreads();
  B mine = tile[95 - i];
  for (int by = 16; by; by /= 2) mine = mine + __shfl_xor_sync(0xffffffffu, mine, by);
  if (i < 64) atomicAdd(&sums, __nv_bfloat162(1.0f, i & 1 ? 0.5f : -0.25f));
  __nv_bfloat162 both(B(i), B(-i));
  both = __shfl_down_sync(0xffffffffu, both, 1, 8);
  atomicAdd((B *)total + i % 2, B(0.5f));
  __syncthreads();
  o[i] = bits(mine); o[96 + i] = bits(both.x); o[192 + i] = bits(both.y); o[288 + i] = bits(i & 1 ? sums.x : sums.y);
}
"#;

#[test]
fn pairs_of_numbers() {
    // Pairs: a fixed half of all, at odd sizes.
    let count = 65537usize;
    let mut s = 12345u64;
    let mut next = move || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        s
    };
    let x: Vec<u16> = (0..count).map(|i| i as u16).collect();
    let y: Vec<u16> = x
        .iter()
        .map(|&a| {
            let r = next() as u16;
            if r & 3 == 0 {
                r
            } else {
                (r & 0x807f)
                    | (((a & 0x7f80) as i32 + ((r as i32 >> 7 & 31) - 15) * 128).clamp(0, 0x7f80) as u16
                        & 0x7f80)
            }
        })
        .collect();
    let mut z: Vec<u16> = (0..count).map(|_| next() as u16).collect();
    let (mut x, mut y) = (x, y);
    for (k, t) in [
        (0x0003u16, 0x7f7eu16, 0x0001u16),
        (0x3f85, 0x3f9b, 0x0001),
        (0x7f80, 0, 0),
        (0x7f80, 0xff80, 0x7f80),
    ]
    .iter()
    .enumerate()
    {
        x[k] = t.0;
        y[k] = t.1;
        z[k] = t.2;
    }
    let mut o = zeros::<u16>(count * 16);
    kernel_of(TEXT, "pairs")
        .launch(count.div_ceil(128), 128, (&to_gpu(&x), &to_gpu(&y), &to_gpu(&z), &mut o, count as i32))
        .unwrap();
    let o: Vec<u16> = o.to_vec();
    for i in 0..count {
        let (a, b, p) = (x[i], y[i], &o[16 * i..16 * i + 16]);
        let (fa, fb) = (f(a), f(b));
        // A sum of two is exact as a double unless one is beyond notice.
        let (ea, eb) = ((a >> 7 & 255) as i32, (b >> 7 & 255) as i32);
        if (ea - eb).abs() < 40 {
            assert_eq!(p[0], near(fa as f64 + fb as f64), "{a:x} + {b:x}");
            assert_eq!(p[1], near(fa as f64 - fb as f64), "{a:x} - {b:x}");
        }
        assert_eq!(p[2], near(fa as f64 * fb as f64), "{a:x} * {b:x}");
        assert_eq!(p[3], near(fa as f64 / fb as f64), "{a:x} / {b:x}");
        assert_eq!(
            (p[5] != 0, p[6] != 0, p[7] != 0, p[8] != 0),
            (fa < fb, fa == fb, fa != fb, fa >= fb || fa.is_nan() || fb.is_nan())
        );
        if !nan(a) && !nan(b) && fa != fb {
            assert_eq!(f(p[9]), fa.min(fb));
            assert_eq!(f(p[10]), fa.max(fb));
        }
        if nan(a) != nan(b) {
            assert_eq!(p[9], if nan(a) { b } else { a });
        }
        if nan(a) || nan(b) {
            assert_eq!(p[10], 0x7fff);
            assert_eq!(p[0], 0x7fff);
            assert_eq!(p[4], 0x7fff);
        }
        assert_eq!(p[11], near((fa as f64).sqrt()));
        assert_eq!(p[12], 1);
        // The sign of a NaN is nobody's.
        assert!(nan(a) || p[13] == a ^ 0x8000);
    }
    assert_eq!((o[4], o[16 + 4], o[32 + 4], o[48 + 4]), (0x3dbf, 0x3fa1, 0x7fff, 0x7fff));
}

#[test]
fn conversions_of_doubles_and_integers() {
    let count = 4099usize;
    let mut s = 777u64;
    let mut next = move || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        s
    };
    let d: Vec<f64> = (0..count)
        .map(|k| {
            let r = next();
            if k % 2 == 0 {
                f64::from_bits((r & 0x800f_ffff_ffff_ffff) | ((1023 - 12 + next() % 90) << 52))
            } else {
                let h = next() as u16 & 0xff7f;
                (f(h) as f64 + f(h + 1) as f64) / 2.0
            }
        })
        .collect();
    let n: Vec<i64> =
        (0..count).map(|_| (next() >> (next() % 63)) as i64 * if next() & 1 == 0 { 1 } else { -1 }).collect();
    let (mut o, mut w) = (zeros::<u16>(4 * count), zeros::<i64>(4 * count));
    kernel_of(TEXT, "convert")
        .launch(33, 128, (&to_gpu(&d), &to_gpu(&n), &mut o, &mut w, count as i32))
        .unwrap();
    let (o, w): (Vec<u16>, Vec<i64>) = (o.to_vec(), w.to_vec());
    for i in 0..count {
        assert_eq!(o[4 * i], near(d[i]), "{:e}", d[i]);
        assert_eq!(o[4 * i + 1], near(d[i] as f32 as f64));
        if n[i].unsigned_abs() < 1 << 53 {
            assert_eq!(o[4 * i + 2], near(n[i] as f64), "{}", n[i]);
        }
        assert_eq!(o[4 * i + 3], near(n[i] as i32 as f64));
        let v = f(o[4 * i]) as f64;
        let even = {
            let r = v.round();
            if (r - v).abs() == 0.5 { 2.0 * (v / 2.0).round() } else { r }
        };
        assert_eq!(
            (w[4 * i], w[4 * i + 1], w[4 * i + 2], w[4 * i + 3]),
            (
                even as i32 as i64,
                if v.is_nan() { i64::MIN } else { v as i64 },
                v.floor() as u16 as i64,
                v as i8 as i64
            ),
            "{v}"
        );
    }
}

#[test]
fn sums_by_lanes_and_atomics() {
    let (mut total, mut o) = (zeros::<u16>(2), zeros::<u16>(384));
    kernel_of(TEXT, "lanes").launch(5, 96, (&mut total, &mut o)).unwrap();
    let (total, o): (Vec<u16>, Vec<u16>) = (total.to_vec(), o.to_vec());
    assert_eq!((f(total[0]), f(total[1])), (120.0, 120.0));
    for i in 0..96usize {
        let warp = 2 - i / 32;
        let mut sum: Vec<f32> = (0..32).map(|k| (warp * 32 + k) as f32).collect();
        for by in [16usize, 8, 4, 2, 1] {
            let old = sum.clone();
            for k in 0..32 {
                sum[k] = f(near(old[k] as f64 + old[k ^ by] as f64));
            }
        }
        assert_eq!(f(o[i]), sum[31 - i % 32], "{i}");
        let from = if i % 8 == 7 { i } else { i + 1 };
        assert_eq!((f(o[96 + i]), f(o[192 + i])), (from as f32, -(from as f32)));
        assert_eq!(f(o[288 + i]), if i & 1 == 1 { 64.0 } else { 8.0 });
    }
}

//! `cuda_fp8.h`: all codes, all halves and all numbers of `cuda_bf16.h`, and numbers about the middles.

use gpurepl_prelude::*;

use super::kernel_of;

fn value(c: u8, e5: bool) -> f64 {
    let (s, d, bias) = ((c & 0x7f) as i32, if e5 { 2 } else { 3 }, if e5 { 15 } else { 7 });
    let (m, e) = (s & ((1 << d) - 1), s >> d);
    let v = if if e5 { s > 0x7c } else { s == 0x7f } {
        f64::NAN
    } else if e5 && s == 0x7c {
        f64::INFINITY
    } else {
        (m as f64 / (1 << d) as f64 + if e > 0 { 1.0 } else { 0.0 }) * 2f64.powi(e.max(1) - bias)
    };
    if c & 0x80 != 0 { -v } else { v }
}
fn code(x: f64, e5: bool, sat: bool) -> u8 {
    if x.is_nan() {
        return 0x7f;
    }
    let sign = if x.is_sign_negative() { 0x80 } else { 0 };
    let (a, top) = (x.abs(), if e5 { 0x7bu8 } else { 0x7e });
    if if e5 { a >= 61440.0 } else { a > 464.0 } {
        return sign
            | if sat {
                top
            } else if e5 {
                0x7c
            } else {
                0x7f
            };
    }
    let best = (0..=top).min_by(|&p, &q| {
        let k = |c: u8| (value(c, e5) - a).abs();
        k(p).total_cmp(&k(q)).then((p & 1).cmp(&(q & 1)))
    });
    sign | best.unwrap()
}
fn half(b: u16) -> f64 {
    let (e, m) = ((b >> 10 & 31) as i32, (b & 1023) as f64);
    let v = if e == 31 {
        if m > 0.0 { f64::NAN } else { f64::INFINITY }
    } else if e == 0 {
        m * 2f64.powi(-24)
    } else {
        (1024.0 + m) * 2f64.powi(e - 25)
    };
    if b >> 15 != 0 { -v } else { v }
}

const TEXT: &str = r#"
#include <cuda_fp16.h>
#include <cuda_fp8.h>
__global__ void codes(const unsigned char *c, float *f, unsigned char *back, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __nv_fp8_e4m3 a; a.__x = c[i];
  __nv_fp8_e5m2 b; b.__x = c[i];
  f[2 * i] = (float)a; f[2 * i + 1] = (float)b;
  back[4 * i] = __nv_fp8_e4m3((half)a).__x; back[4 * i + 1] = __nv_fp8_e4m3((__nv_bfloat16)a).__x;
  back[4 * i + 2] = __nv_cvt_halfraw_to_fp8(__nv_cvt_fp8_to_halfraw(c[i], __NV_E5M2), __NV_NOSAT, __NV_E5M2);
  back[4 * i + 3] = __nv_cvt_double_to_fp8((double)b, __NV_NOSAT, __NV_E5M2);
  __syncthreads();
}
__global__ void narrow(const unsigned short *x, const double *d, unsigned char *o, unsigned int *q, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half_raw h = {x[i]};
  const __nv_bfloat16_raw b = {x[i]};
  unsigned char *p = o + 12 * i;
  p[0] = __nv_cvt_halfraw_to_fp8(h, __NV_SATFINITE, __NV_E4M3); p[1] = __nv_cvt_halfraw_to_fp8(h, __NV_NOSAT, __NV_E4M3);
  p[2] = __nv_cvt_halfraw_to_fp8(h, __NV_SATFINITE, __NV_E5M2); p[3] = __nv_cvt_halfraw_to_fp8(h, __NV_NOSAT, __NV_E5M2);
  p[4] = __nv_cvt_bfloat16raw_to_fp8(b, __NV_SATFINITE, __NV_E4M3); p[5] = __nv_cvt_bfloat16raw_to_fp8(b, __NV_NOSAT, __NV_E4M3);
  p[6] = __nv_cvt_bfloat16raw_to_fp8(b, __NV_SATFINITE, __NV_E5M2); p[7] = __nv_cvt_bfloat16raw_to_fp8(b, __NV_NOSAT, __NV_E5M2);
  p[8] = __nv_fp8_e4m3(d[i]).__x; p[9] = __nv_fp8_e5m2(d[i]).__x;
  p[10] = __nv_fp8_e4m3((float)d[i]).__x; p[11] = __nv_fp8_e5m2((float)d[i]).__x;
  const double4_16a four = make_double4_16a(d[i], -d[i], d[i] / 2, 1.0);
  q[i] = __nv_fp8x4_e4m3(four).__x;
}
"#;

#[test]
fn all_codes_there_and_back() {
    let c: Vec<u8> = (0..256).map(|k| k as u8).collect();
    let (mut f, mut back) = (zeros::<f32>(512), zeros::<u8>(1024));
    kernel_of(TEXT, "codes").launch(3, 96, (&to_gpu(&c), &mut f, &mut back, 256i32)).unwrap();
    let (f, back): (Vec<f32>, Vec<u8>) = (f.to_vec(), back.to_vec());
    for k in 0..256usize {
        let (a, b) = (value(k as u8, false), value(k as u8, true));
        for (got, want) in [(f[2 * k], a), (f[2 * k + 1], b)] {
            if want.is_nan() {
                assert_eq!(got.to_bits(), 0x7fffffff);
            } else {
                assert_eq!(got as f64, want);
                assert_eq!(got.is_sign_negative(), k >= 128);
            }
        }
        let (ka, kb) = (if a.is_nan() { 0x7f } else { k as u8 }, if b.is_nan() { 0x7f } else { k as u8 });
        assert_eq!(&back[4 * k..4 * k + 4], &[ka, ka, kb, kb], "{k:x}");
    }
}

#[test]
fn halves_floats_and_doubles_are_rounded_once() {
    let x: Vec<u16> = (0..65536).map(|k| k as u16).collect();
    let mut s = 99u64;
    let mut next = move || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        s
    };
    let d: Vec<f64> = (0..65536)
        .map(|k| {
            let (c, e5) = (next() as u8 & 0xfe, k % 2 == 0);
            let middle = (value(c, e5) + value(c + 1, e5)) / 2.0;
            match k % 5 {
                0 => middle,
                1 => f64::from_bits(middle.to_bits() + 1),
                2 => f64::from_bits(middle.to_bits().wrapping_sub(1)),
                3 => f64::from_bits(next()),
                _ => f64::from_bits((next() & 0x800f_ffff_ffff_ffff) | (1023 - 20 + next() % 40) << 52),
            }
        })
        .map(|x| if x.is_nan() { 0.0 } else { x })
        .collect();
    let (mut o, mut q) = (zeros::<u8>(12 * 65536), zeros::<u32>(65536));
    kernel_of(TEXT, "narrow").launch(511, 129, (&to_gpu(&x), &to_gpu(&d), &mut o, &mut q, 65536i32)).unwrap();
    let (o, q): (Vec<u8>, Vec<u32>) = (o.to_vec(), q.to_vec());
    for k in (0..65536usize).step_by(if cfg!(debug_assertions) { 7 } else { 1 }).chain(65500..65536) {
        let (h, b) = (half(x[k]), f32::from_bits((x[k] as u32) << 16) as f64);
        let mut want = [0u8; 12];
        for (j, v) in [h, b].iter().enumerate() {
            for w in 0..4 {
                want[4 * j + w] = code(*v, w >= 2, w % 2 == 0);
            }
        }
        want[8] = code(d[k], false, true);
        want[9] = code(d[k], true, true);
        want[10] = code(d[k] as f32 as f64, false, true);
        want[11] = code(d[k] as f32 as f64, true, true);
        assert_eq!(&o[12 * k..12 * k + 12], &want, "{:x} {:e}", x[k], d[k]);
        let e = |v: f64| code(v, false, true) as u32;
        assert_eq!(q[k], e(d[k]) | e(-d[k]) << 8 | e(d[k] / 2.0) << 16 | 0x38 << 24, "{:e}", d[k]);
    }
}

#[test]
fn scales_of_blocks() {
    let source = r#"
        #include <cuda_fp8.h>
        __global__ void k(float *one, float *two, double *by_type) {
            int i = threadIdx.x;
            one[i] = (float)(__nv_bfloat16)__nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)i);
            __nv_bfloat162 pair = __nv_cvt_e8m0x2_to_bf162raw((__nv_fp8x2_storage_t)(i << 8 | (255 - i)));
            two[2 * i] = __low2float(pair); two[2 * i + 1] = __high2float(pair);
            __nv_fp8_e8m0 x; x.__x = (__nv_fp8_storage_t)i;
            by_type[i] = (float)x;
        }"#;
    let (mut one, mut two, mut by_type) = ([0.0_f32; 256], [0.0_f32; 512], [0.0_f64; 256]);
    let kernel = SourceModule::new(source).unwrap().get_function("k").unwrap();
    kernel.launch(1, 256, (Out(&mut one), Out(&mut two), Out(&mut by_type))).unwrap();
    for x in 0..256_i32 {
        let at = x as usize;
        let is_it =
            |found: f64, x: i32| if x == 255 { found.is_nan() } else { found == 2.0_f64.powi(x - 127) };
        assert!(is_it(one[at].into(), x) && is_it(by_type[at], x), "{x}: {} {}", one[at], by_type[at]);
        assert!(is_it(two[2 * at].into(), 255 - x) && is_it(two[2 * at + 1].into(), x), "{x}");
    }
}

//! `cuda_fp16.h`: every half, and many pairs, against the crate `half`.

use gpurepl_prelude::*;

use super::kernel;

/// How many representable numbers two halves are apart; both NaN is none.
fn distance(a: u16, b: u16) -> i32 {
    let (x, y) = (f16::from_bits(a), f16::from_bits(b));
    if x.is_nan() || y.is_nan() {
        return if x.is_nan() && y.is_nan() { 0 } else { i32::MAX };
    }
    let place = |bits: u16| if bits >> 15 == 1 { -i32::from(bits & 0x7fff) } else { i32::from(bits) };
    (place(a) - place(b)).abs()
}

/// The nearest half. `f16::from_f64` may round twice, by way of `f32`; a digit
/// there that is odd wherever something was lost keeps the second one right.
fn bits(x: f64) -> u16 {
    let near = x as f32;
    let odd = match f64::from(near) {
        same if same == x || x.is_nan() || near.to_bits() & 1 == 1 => near,
        below if below < x => near.next_up(),
        _ => near.next_down(),
    };
    f16::from_f32(odd).to_bits()
}

fn value(bits: u16) -> f64 {
    f16::from_bits(bits).to_f64()
}

/// Pairs of all signs and sizes, near ones among them.
fn pairs() -> (Vec<u16>, Vec<u16>) {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as u16
    };
    let a: Vec<u16> = (0..1 << 18).map(|_| next()).collect();
    let b = a.iter().map(|a| if next() % 2 == 0 { next() } else { a ^ (next() & 0x83ff) }).collect();
    (a, b)
}

#[test]
fn every_half_to_float_and_back() {
    let source = r#"
        #include <cuda_fp16.h>
        __global__ void k(const unsigned short *a, float *f, unsigned short *same, unsigned short *from_double, int *whole)
        {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            __half h = __ushort_as_half(a[i]);
            f[i] = __half2float(h);
            same[i] = __half_as_ushort(__float2half(f[i]));
            from_double[i] = __half_as_ushort(__double2half((double)f[i]));
            whole[4 * i] = __half2int_rn(h); whole[4 * i + 1] = __half2int_rz(h);
            whole[4 * i + 2] = __half2int_rd(h); whole[4 * i + 3] = __half2int_ru(h);
        }
    "#;
    let all: Vec<u16> = (0..=u16::MAX).collect();
    let (mut f, mut whole) = (vec![0.0_f32; 65_536], vec![0_i32; 4 * 65_536]);
    let (mut same, mut from_double) = (vec![0_u16; 65_536], vec![0_u16; 65_536]);
    kernel(source)
        .launch(256, 256, (In(&all), Out(&mut f), Out(&mut same), Out(&mut from_double), Out(&mut whole)))
        .unwrap();
    for a in all {
        let (i, x) = (usize::from(a), f16::from_bits(a).to_f32());
        assert!(f[i] == x || (f[i].is_nan() && x.is_nan()), "{a:#x}: {}", f[i]);
        assert_eq!((distance(same[i], a), distance(from_double[i], a)), (0, 0), "{a:#x}");
        if x.is_finite() {
            let expected = [x.round_ties_even(), x.trunc(), x.floor(), x.ceil()].map(|x| x as i32);
            assert_eq!(whole[4 * i..4 * i + 4], expected, "{a:#x}");
        }
    }
}

#[test]
fn floats_are_rounded_in_four_directions() {
    let source = r#"
        #include <cuda_fp16.h>
        __global__ void k(const float *x, unsigned short *out, int n)
        {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            out[4 * i] = __half_as_ushort(__float2half_rn(x[i])); out[4 * i + 1] = __half_as_ushort(__float2half_rz(x[i]));
            out[4 * i + 2] = __half_as_ushort(__float2half_rd(x[i])); out[4 * i + 3] = __half_as_ushort(__float2half_ru(x[i]));
        }
    "#;
    // Each half, the middle to the next, and a little to both sides of it.
    let mut x = Vec::new();
    for a in (0..0x7bff_u16).step_by(3) {
        let (low, high) = (f16::from_bits(a).to_f32(), f16::from_bits(a + 1).to_f32());
        let middle = (low + high) / 2.0;
        for x_k in [low, middle, middle.next_up(), middle.next_down(), low + (high - low) / 1000.0] {
            x.extend([x_k, -x_k]);
        }
    }
    x.extend([65_519.0, 65_520.0, -65_519.0, -65_520.0, 1e30, -1e30, 1e-30, -1e-30, f32::INFINITY]);
    let mut out = vec![0_u16; 4 * x.len()];
    kernel(source).launch(x.len().div_ceil(128), 128, (In(&x), Out(&mut out), x.len() as i32)).unwrap();
    for (x, out) in x.iter().zip(out.chunks(4)) {
        let nearest = f16::from_f32(*x);
        let (down, up) = match nearest.to_f32() {
            n if n > *x => (next_below(nearest), nearest),
            n if n < *x => (nearest, -next_below(-nearest)),
            _ => (nearest, nearest),
        };
        let zero = if *x < 0.0 { up } else { down };
        assert_eq!(out, [nearest, zero, down, up].map(f16::to_bits), "{x:e}");
    }
}

/// The next half towards minus infinity.
fn next_below(x: f16) -> f16 {
    f16::from_bits(match x.to_bits() {
        0 => 0x8001,
        negative @ 0x8000.. => negative + 1,
        positive => positive - 1,
    })
}

#[test]
fn functions_of_every_half() {
    /// A name, by how many numbers it may be off, and what it should be.
    type Row = (&'static str, i32, fn(f64) -> f64);
    let source = r#"
        #include <cuda_fp16.h>
        __global__ void k(const unsigned short *a, unsigned short *out)
        {
            int i = blockIdx.x * blockDim.x + threadIdx.x, n = 65536;
            __half x = __ushort_as_half(a[i]);
            __half y[] = {__hneg(x), __habs(x), hceil(x), hfloor(x), htrunc(x), hrint(x), hsqrt(x), hrsqrt(x), hrcp(x),
                          hexp(x), hexp2(x), hexp10(x), hlog(x), hlog2(x), hlog10(x), hsin(x), hcos(x)};
            for (int k = 0; k < 17; k++) out[k * n + i] = __half_as_ushort(y[k]);
        }
    "#;
    let functions: [Row; 17] = [
        ("__hneg", 0, |x| -x),
        ("__habs", 0, f64::abs),
        ("hceil", 0, f64::ceil),
        ("hfloor", 0, f64::floor),
        ("htrunc", 0, f64::trunc),
        ("hrint", 0, f64::round_ties_even),
        ("hsqrt", 0, f64::sqrt),
        // Rounded after single precision, or NVIDIA's own approximation.
        ("hrsqrt", 1, |x| 1.0 / x.sqrt()),
        ("hrcp", 1, f64::recip),
        ("hexp", 2, f64::exp),
        ("hexp2", 2, f64::exp2),
        ("hexp10", 2, |x| 10_f64.powf(x)),
        ("hlog", 2, f64::ln),
        ("hlog2", 2, f64::log2),
        ("hlog10", 2, f64::log10),
        ("hsin", 2, f64::sin),
        ("hcos", 2, f64::cos),
    ];
    let all: Vec<u16> = (0..=u16::MAX).collect();
    let mut out = vec![0_u16; 17 * 65_536];
    kernel(source).launch(256, 256, (In(&all), Out(&mut out))).unwrap();
    for ((name, allowed, function), out) in functions.iter().zip(out.chunks(65_536)) {
        for (a, out) in all.iter().zip(out) {
            let x = value(*a);
            // Far out, what a sine is depends on how the circle is reduced.
            if !matches!(*name, "hsin" | "hcos") || x.abs() <= 16.0 {
                let away = distance(*out, bits(function(x)));
                assert!(away <= *allowed, "{name}({x:e}) is {:e}, {away} away", value(*out));
            }
        }
    }
}

#[test]
fn arithmetic_rounds_once() {
    let source = r#"
        #include <cuda_fp16.h>
        __global__ void k(const unsigned short *a, const unsigned short *b, unsigned short *out)
        {
            int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
            __half x = __ushort_as_half(a[i]), y = __ushort_as_half(b[i]), z = __ushort_as_half(a[n - 1 - i]);
            __half r[] = {__hadd(x, y), x - y, __hmul(x, y), x / y, __hfma(x, y, z), __hmax(x, y), __hmin(x, y),
                          __hadd_sat(x, y), __hmax_nan(x, y)};
            for (int k = 0; k < 9; k++) out[k * n + i] = __half_as_ushort(r[k]);
            __half2 v = __halves2half2(x, y), w = __halves2half2(y, z);
            __half2 s[] = {v + w, __hsub2(v, w), v * w, __hfma2(v, w, v), __hneg2(v)};
            for (int k = 0; k < 5; k++) {
                out[(9 + 2 * k) * n + i] = __half_as_ushort(__low2half(s[k]));
                out[(10 + 2 * k) * n + i] = __half_as_ushort(__high2half(s[k]));
            }
        }
    "#;
    let (a, b) = pairs();
    let n = a.len();
    let mut out = vec![0_u16; 19 * n];
    kernel(source).launch(n / 256, 256, (In(&a), In(&b), Out(&mut out))).unwrap();
    for i in 0..n {
        let [x, y, z] = [a[i], b[i], a[n - 1 - i]].map(value);
        let expected = [
            x + y,
            x - y,
            x * y,
            x / y,
            x * y + z,
            x.max(y),
            x.min(y),
            if (x + y).is_nan() { 0.0 } else { (x + y).clamp(0.0, 1.0) },
            if x.is_nan() || y.is_nan() { f64::NAN } else { x.max(y) },
            x + y,
            y + z,
            x - y,
            y - z,
            x * y,
            y * z,
            x * y + x,
            y * z + y,
            -x,
            -y,
        ];
        for (k, expected) in expected.into_iter().enumerate() {
            let found = out[k * n + i];
            // NVIDIA's quotient may be one off; zeros of both signs are one.
            let allowed = i32::from(k == 3);
            assert!(distance(found, bits(expected)) <= allowed, "{k}: {x:e} {y:e} {z:e}: {:e}", value(found));
        }
    }
}

#[test]
fn comparisons_and_nan() {
    let source = r#"
        #include <cuda_fp16.h>
        __global__ void k(const unsigned short *a, const unsigned short *b, int *out)
        {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            __half x = __ushort_as_half(a[i]), y = __ushort_as_half(b[i]);
            __half2 v = __halves2half2(x, y), w = __halves2half2(y, x);
            out[i] = __heq(x, y) | __hne(x, y) << 1 | __hlt(x, y) << 2 | __hle(x, y) << 3 | __hgt(x, y) << 4
                | __hge(x, y) << 5 | __hltu(x, y) << 6 | __hneu(x, y) << 7 | (x == y) << 8 | (x < y) << 9
                | __hisnan(x) << 10 | (__hisinf(x) & 3) << 11 | __hbeq2(v, v) << 13 | __hble2(v, w) << 14
                | (__half2float(__low2half(__hgt2(v, w))) == 1.0f) << 15;
        }
    "#;
    let (mut a, b) = pairs();
    for (a, b) in a.iter_mut().zip(&b).step_by(5) {
        *a = *b;
    }
    let mut out = vec![0_i32; a.len()];
    kernel(source).launch(a.len() / 256, 256, (In(&a), In(&b), Out(&mut out))).unwrap();
    for (out, (a, b)) in out.iter().zip(a.iter().zip(&b)) {
        let (x, y) = (value(*a), value(*b));
        let infinite = if x == f64::INFINITY {
            1
        } else if x == f64::NEG_INFINITY {
            3
        } else {
            0
        };
        let flags = [
            x == y,
            x != y && !x.is_nan() && !y.is_nan(),
            x < y,
            x <= y,
            x > y,
            x >= y,
            x.is_nan() || y.is_nan() || x < y,
            x != y,
            x == y,
            x < y,
            x.is_nan(),
            infinite & 1 == 1,
            infinite & 2 == 2,
            !x.is_nan() && !y.is_nan(),
            x == y,
            x > y,
        ];
        let expected = flags.iter().enumerate().fold(0, |all, (k, flag)| all | i32::from(*flag) << k);
        assert_eq!(*out, expected, "{x:e} {y:e}");
    }
}

#[test]
fn halves_are_written_like_numbers() {
    let source = r#"
        #include <cuda_fp16.h>
        template <class T> __device__ T sum(const T *x, int n) { T s = 0.0f; for (int k = 0; k < n; k++) s += x[k]; return s; }
        __global__ void k(half *a, float *f, half2 *pairs)
        {
            __half h = 1.5f;
            h *= __float2half(3.0f);
            f[0] = h;
            f[1] = sum(a, 4);
            f[2] = (h > a[0]) ? 1.0f : -1.0f;
            f[3] = -h + a[1];
            f[4] = (float)__half2int_rz(h) + (int)__int2half_rn(7);
            a[0] = __hdiv(h, a[1]);
            a[1] = hsqrt(a[3]);
            half2 p = __floats2half2_rn(1.0f, 2.0f), q = __float22half2_rn(make_float2(0.5f, 0.25f));
            float2 r = __half22float2(__hadd2(p, q));
            f[5] = r.x; f[6] = r.y;
            pairs[0] = __hmul2(p, __half2half2(h));
            pairs[1] = __lowhigh2highlow(pairs[0]);
            pairs[1].x = __hadd(pairs[1].x, h);
        }
    "#;
    let mut a = [1.0, 2.0, 3.0, 4.0].map(f16::from_f32);
    let (mut f, mut pairs) = ([0.0_f32; 7], [0.0; 4].map(f16::from_f32));
    kernel(source).launch(1, 1, (InOut(&mut a), Out(&mut f), Out(&mut pairs))).unwrap();
    assert_eq!(f, [4.5, 10.0, 1.0, -2.5, 11.0, 1.5, 2.25]);
    assert_eq!(a.map(f16::to_f32), [2.25, 2.0, 3.0, 4.0]);
    assert_eq!(pairs.map(f16::to_f32), [4.5, 9.0, 13.5, 4.5]);
}

#[test]
fn atomic_sums_of_halves() {
    let source = r#"
        #include <cuda_fp16.h>
        __global__ void k(__half *a, __half2 *b)
        {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            atomicAdd(&a[i % 4], __float2half(1.0f));
            atomicAdd(&b[i % 2], __floats2half2_rn(1.0f, -0.5f));
        }
    "#;
    let (mut a, mut b) = ([0.0; 4].map(f16::from_f32), [0.0; 4].map(f16::from_f32));
    kernel(source).launch(32, 128, (InOut(&mut a), InOut(&mut b))).unwrap();
    assert_eq!(a.map(f16::to_f32), [1024.0; 4]);
    assert_eq!(b.map(f16::to_f32), [2048.0, -1024.0, 2048.0, -1024.0]);
}

#[test]
fn halves_go_from_lane_to_lane() {
    let source = r#"
        #include <cuda_fp16.h>
        __global__ void k(float *f)
        {
            __half h = __int2half_rn(threadIdx.x);
            __half2 v = __halves2half2(h, __hneg(h));
            for (int step = 16; step; step /= 2) h = __hadd(h, __shfl_xor_sync(0xffffffffu, h, step));
            v = __shfl_sync(0xffffffffu, v, 5);
            v = __hadd2(v, __shfl_down_sync(0xffffffffu, v, 1));
            f[threadIdx.x] = __half2float(__hadd(h, __high2half(__shfl_up_sync(0xffffffffu, v, 1))));
        }
    "#;
    let mut f = [0.0_f32; 32];
    kernel(source).launch(1, 32, Out(&mut f)).unwrap();
    assert_eq!(f, [496.0 - 10.0; 32]);
}

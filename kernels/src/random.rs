//! Random numbers: Philox4x32-10, a generator without state.
//!
//! Four random words are a function of a counter and a key, so any element of
//! an array can be computed on its own, in any order, on any device (J. K.
//! Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers:
//! as easy as 1, 2, 3", SC '11).

pub(crate) mod both;
pub mod distributions;
mod functions;

pub use both::Draws;

use crate::DType;

/// The threads of a block of the generated kernel.
pub const BLOCK: usize = 256;

/// How often a thread of the generated kernel makes 16 bytes: an H200 writes a
/// tenth faster than by threads that end after the first.
pub const PER_THREAD: usize = 4;

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// Four random words: number `block` of the stream `stream` under `key`.
///
/// ```
/// use gpurepl_kernels::random::philox;
/// // The first test vector of the authors' library, Random123.
/// assert_eq!(philox(0, 0, 0), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
/// ```
#[inline]
pub fn philox(block: u64, stream: u64, key: u64) -> [u32; 4] {
    let mut c = [block as u32, (block >> 32) as u32, stream as u32, (stream >> 32) as u32];
    let mut k = [key as u32, (key >> 32) as u32];
    for _ in 0..10 {
        let (a, b) =
            (u64::from(MULTIPLIERS[0]) * u64::from(c[0]), u64::from(MULTIPLIERS[1]) * u64::from(c[2]));
        c = [(b >> 32) as u32 ^ c[1] ^ k[0], b as u32, (a >> 32) as u32 ^ c[3] ^ k[1], a as u32];
        k = [k[0].wrapping_add(WEYL[0]), k[1].wrapping_add(WEYL[1])];
    }
    c
}

/// The functions of the generated kernel. `normal` uses additions,
/// multiplications, both at once where it says `fmaf`, and a square root, which
/// are the same on every device: a seed gives the same numbers everywhere. It is
/// `normal_f32` in `gpurepl-device`, step by step.
const FUNCTIONS: &str = r#"typedef unsigned int word;
typedef unsigned long long word64;
__device__ __forceinline__ float unit(word x) { return (x >> 8) * (1.0f / 16777216.0f); }
__device__ __forceinline__ double unit64(word64 x) { return (x >> 11) * (1.0 / 9007199254740992.0); }
__device__ __forceinline__ word64 pair(word low, word high) { return (word64)high << 32 | low; }
__device__ __forceinline__ double radius64(word64 x) { return sqrt(-2 * log(unit64(x) + 1.0 / 9007199254740992.0)); }
__device__ __forceinline__ void normal(word a, word b, float &x, float &y) {
  const int bits = __float_as_int(((a >> 8) + 1) * (1.0f / 16777216.0f)) - 0x3f3504f3;
  const float f = __int_as_float((bits & 0x7fffff) + 0x3f3504f3) - 1.0f, exponent = (float)(bits >> 23), square = f * f;
  float p = 7.0376836292e-2f;
  p = fmaf(p, f, -1.1514610310e-1f);
  p = fmaf(p, f, 1.1676998740e-1f);
  p = fmaf(p, f, -1.2420140846e-1f);
  p = fmaf(p, f, 1.4249322787e-1f);
  p = fmaf(p, f, -1.6668057665e-1f);
  p = fmaf(p, f, 2.0000714765e-1f);
  p = fmaf(p, f, -2.4999993993e-1f);
  p = fmaf(p, f, 3.3333331174e-1f);
  p = fmaf(p * f, square, fmaf(-2.12194440e-4f, exponent, -0.5f * square));
  const float radius = sqrtf(-2.0f * fmaf(0.693359375f, exponent, f + p));
  const word turns = b >> 8, quarters = (turns + 0x200000u) >> 22;
  const float g = (float)((int)turns - (int)(quarters << 22)) * (1.5707964f / 4194304.0f), h = g * g;
  const float s = fmaf(fmaf(fmaf(-1.9515295891e-4f, h, 8.3321608736e-3f), h, -1.6666654611e-1f) * h, g, g);
  const float c = fmaf(fmaf(fmaf(fmaf(2.443315711809948e-5f, h, -1.388731625493765e-3f), h, 4.166664568298827e-2f), h, -0.5f), h, 1.0f);
  const float cosine = quarters & 1 ? s : c, sine = quarters & 1 ? c : s;
  x = radius * __int_as_float(__float_as_int(cosine) ^ (int)(((quarters + 1) & 2) << 30));
  y = radius * __int_as_float(__float_as_int(sine) ^ (int)((quarters & 2) << 30));
}
"#;

/// CUDA C for a kernel `gpurepl_random(out, n, key, stream, first)` that fills `n`
/// elements of a type, uniformly or, for floats, normally distributed. It wants
/// [`BLOCK`] threads in a block, and a thread for [`PER_THREAD`] times 16 bytes;
/// `out` lies at a multiple of 16. `first` is how many 16 bytes of the stream come before.
///
/// # Panics
///
/// If there are no random numbers of this type.
pub fn to_cuda(dtype: DType, is_normal: bool) -> String {
    let numbers = match (dtype, is_normal) {
        (DType::Int32 | DType::UInt32, _) => "c0; c1; c2; c3",
        (DType::Int64 | DType::UInt64, _) => "pair(c0, c1); pair(c2, c3)",
        (DType::Float32, false) => "unit(c0); unit(c1); unit(c2); unit(c3)",
        (DType::Float64, false) => "unit64(pair(c0, c1)); unit64(pair(c2, c3))",
        (DType::Float32, true) => "",
        (DType::Float64, true) => {
            "radius64(pair(c0, c1)) * cospi(2 * unit64(pair(c2, c3))); \
             radius64(pair(c0, c1)) * sinpi(2 * unit64(pair(c2, c3)))"
        }
        _ => panic!("there are no random numbers of {dtype}"),
    };
    let per_thread = 16 / dtype.size();
    let mut values = String::new();
    if numbers.is_empty() {
        values.push_str(
            "    normal(c0, c1, made.values[0], made.values[1]);\n    \
               normal(c2, c3, made.values[2], made.values[3]);\n",
        );
    }
    for (k, number) in numbers.split("; ").filter(|number| !number.is_empty()).enumerate() {
        values.push_str(&format!("    made.values[{k}] = ({c})({number});\n", c = dtype.c()));
    }
    format!(
        r#"{FUNCTIONS}struct alignas(16) numbers {{ {c} values[{per_thread}]; }};
extern "C" __global__ void __launch_bounds__({BLOCK}) gpurepl_random({c} *out, word64 n, word64 key, word64 stream, word64 first)
{{
  #pragma unroll
  for (int turn = 0; turn < {PER_THREAD}; turn++) {{
    const word64 i = ((word64)blockIdx.x * {PER_THREAD} + turn) * {BLOCK} + threadIdx.x;
    if ({per_thread} * i >= n) return;
    const word64 number = i + first;
    word c0 = (word)number, c1 = (word)(number >> 32), c2 = (word)stream, c3 = (word)(stream >> 32);
    word k0 = (word)key, k1 = (word)(key >> 32);
    #pragma unroll
    for (int round = 0; round < 10; round++) {{
      const word64 a = (word64){m0}u * c0, b = (word64){m1}u * c2;
      c0 = (word)(b >> 32) ^ c1 ^ k0; c1 = (word)b; c2 = (word)(a >> 32) ^ c3 ^ k1; c3 = (word)a;
      k0 += {w0}u; k1 += {w1}u;
    }}
    numbers made;
{values}    if ({per_thread} * i + {per_thread} <= n) {{
      *(numbers *)(out + {per_thread} * i) = made;
    }} else {{
      #pragma unroll
      for (int k = 0; k < {per_thread}; k++)
        if ({per_thread} * i + k < n) out[{per_thread} * i + k] = made.values[k];
    }}
  }}
}}
"#,
        c = dtype.c(),
        m0 = MULTIPLIERS[0],
        m1 = MULTIPLIERS[1],
        w0 = WEYL[0],
        w1 = WEYL[1],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The other two test vectors of Random123's `kat_vectors`.
    #[test]
    fn known_answers() {
        assert_eq!(philox(u64::MAX, u64::MAX, u64::MAX), [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]);
        let answer = philox(0x85a308d3_243f6a88, 0x03707344_13198a2e, 0x299f31d0_a4093822);
        assert_eq!(answer, [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]);
    }
}

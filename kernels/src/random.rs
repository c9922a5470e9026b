//! Random numbers: Philox4x32-10, a generator without state.
//!
//! Four random words are a function of a counter and a key, so any element of
//! an array can be computed on its own, in any order, on any device (J. K.
//! Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers:
//! as easy as 1, 2, 3", SC '11).

use crate::DType;

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

/// CUDA C for a kernel `gpurepl_random(out, n, key, stream)` that fills `n`
/// elements of a type, uniformly or, for floats, normally distributed.
///
/// Normal numbers of single precision are computed in double precision: the
/// functions of two devices differ in their last digit, and rounded to single
/// precision they do not, so a seed gives the same numbers everywhere.
///
/// # Panics
///
/// If there are no random numbers of this type.
pub fn to_cuda(dtype: DType, is_normal: bool) -> String {
    let (per_block, numbers) = match (dtype, is_normal) {
        (DType::Int32 | DType::UInt32, _) => (4, "c0; c1; c2; c3"),
        (DType::Int64 | DType::UInt64, _) => (2, "pair(c0, c1); pair(c2, c3)"),
        (DType::Float32, false) => (4, "unit(c0); unit(c1); unit(c2); unit(c3)"),
        (DType::Float64, false) => (2, "unit64(pair(c0, c1)); unit64(pair(c2, c3))"),
        (DType::Float32, true) => (
            4,
            "radius(c0) * cospi(2 * (double)unit(c1)); radius(c0) * sinpi(2 * (double)unit(c1)); \
             radius(c2) * cospi(2 * (double)unit(c3)); radius(c2) * sinpi(2 * (double)unit(c3))",
        ),
        (DType::Float64, true) => (
            2,
            "radius64(pair(c0, c1)) * cospi(2 * unit64(pair(c2, c3))); \
             radius64(pair(c0, c1)) * sinpi(2 * unit64(pair(c2, c3)))",
        ),
        _ => panic!("there are no random numbers of {dtype}"),
    };
    let c = dtype.c();
    let mut stores = String::new();
    for (k, number) in numbers.split("; ").enumerate() {
        stores.push_str(&format!(
            "    if ({per_block} * i + {k} < n) out[{per_block} * i + {k}] = ({c})({number});\n"
        ));
    }
    format!(
        r#"typedef unsigned int word;
typedef unsigned long long word64;
__device__ __forceinline__ float unit(word x) {{ return (x >> 8) * (1.0f / 16777216.0f); }}
__device__ __forceinline__ double unit64(word64 x) {{ return (x >> 11) * (1.0 / 9007199254740992.0); }}
__device__ __forceinline__ word64 pair(word low, word high) {{ return (word64)high << 32 | low; }}
__device__ __forceinline__ double radius(word x) {{ return sqrt(-2 * log(unit(x) + 1.0 / 16777216.0)); }}
__device__ __forceinline__ double radius64(word64 x) {{ return sqrt(-2 * log(unit64(x) + 1.0 / 9007199254740992.0)); }}
extern "C" __global__ void __launch_bounds__(256) gpurepl_random({c} *out, word64 n, word64 key, word64 stream)
{{
  const word64 step = (word64)gridDim.x * blockDim.x, blocks = (n + {last}) / {per_block};
  for (word64 i = (word64)blockIdx.x * blockDim.x + threadIdx.x; i < blocks; i += step) {{
    word c0 = (word)i, c1 = (word)(i >> 32), c2 = (word)stream, c3 = (word)(stream >> 32);
    word k0 = (word)key, k1 = (word)(key >> 32);
    for (int round = 0; round < 10; round++) {{
      const word high0 = __umulhi({m0}u, c0), low0 = {m0}u * c0, high1 = __umulhi({m1}u, c2), low1 = {m1}u * c2;
      c0 = high1 ^ c1 ^ k0; c1 = low1; c2 = high0 ^ c3 ^ k1; c3 = low0;
      k0 += {w0}u; k1 += {w1}u;
    }}
{stores}  }}
}}
"#,
        last = per_block - 1,
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

//! Functions that are written once, for the host and for a GPU.
//!
//! `in_both!` takes Rust functions of a small subset that C++ reads alike, and
//! makes of each the function and its text as CUDA C. They use additions,
//! multiplications, divisions and square roots alone, which round alike on every
//! device, so both give the same bits.
//!
//! The subset: `let` and `let mut` with a value, assignments, `return`, `loop`,
//! and `if` and `while` with parentheses around the condition. Integers are
//! `u64` and overflow by the functions here only. C++ evaluates operands in any
//! order, so what draws random numbers has a statement of its own.

use super::philox;

/// What the texts of [`in_both`] need around them.
pub(super) const BEFORE: &str = r#"namespace gpurepl {
typedef unsigned long long u64;
typedef double f64;
#define let auto
#define mut
#define loop for (;;)
__device__ __forceinline__ u64 bits_of(f64 x) { return (u64)__double_as_longlong(x); }
__device__ __forceinline__ f64 of_bits(u64 x) { return __longlong_as_double((long long)x); }
__device__ __forceinline__ f64 real(u64 x) { return (f64)x; }
__device__ __forceinline__ u64 whole(f64 x) { return (u64)x; }
__device__ __forceinline__ f64 infinity() { return of_bits(0x7ff0000000000000); }
__device__ __forceinline__ u64 plus(u64 a, u64 b) { return a + b; }
__device__ __forceinline__ u64 minus(u64 a, u64 b) { return a - b; }
__device__ __forceinline__ u64 times(u64 a, u64 b) { return a * b; }
__device__ __forceinline__ u64 high_times(u64 a, u64 b) { return __umul64hi(a, b); }
struct pair { u64 first, second; };
__device__ __forceinline__ pair philox(u64 block, u64 stream, u64 key)
{
  unsigned c0 = (unsigned)block, c1 = (unsigned)(block >> 32), c2 = (unsigned)stream, c3 = (unsigned)(stream >> 32);
  unsigned k0 = (unsigned)key, k1 = (unsigned)(key >> 32);
  #pragma unroll
  for (int round = 0; round < 10; round++) {
    const u64 a = (u64)0xD2511F53u * c0, b = (u64)0xCD9E8D57u * c2;
    c0 = (unsigned)(b >> 32) ^ c1 ^ k0; c1 = (unsigned)b; c2 = (unsigned)(a >> 32) ^ c3 ^ k1; c3 = (unsigned)a;
    k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
  }
  return pair{(u64)c1 << 32 | c0, (u64)c3 << 32 | c2};
}
struct Draws {
  u64 element, stream, key, made = 0, second = 0;
  bool is_left = false;
  __device__ Draws(u64 element, u64 stream, u64 key) : element(element), stream(stream), key(key) {}
  __device__ u64 word() {
    is_left = !is_left;
    if (!is_left) return second;
    const pair words = philox(element | made++ << 48, stream, key);
    second = words.second;
    return words.first;
  }
  __device__ f64 unit() { return (f64)(word() >> 11) * (1.0 / 9007199254740992.0); }
  __device__ f64 open() { return ((f64)(word() >> 12) + 0.5) * (1.0 / 4503599627370496.0); }
  __device__ u64 hash(u64 value, u64 round) { return philox(value | round << 48, stream, key).first; }
};
"#;

/// What follows the functions.
pub(super) const AFTER: &str = "#undef let\n#undef mut\n#undef loop\n}\n";

/// See the module.
macro_rules! in_both {
    ($text:ident: $(
        $(#[$meta:meta])*
        fn $name:ident $([$draws:ident])? ($($argument:ident: $type:ident),*) -> $answer:ident { $($body:tt)* }
    )*) => {
        $(
            $(#[$meta])*
            pub(crate) fn $name($($draws: &mut Draws,)? $($argument: $type),*) -> $answer { $($body)* }
        )*

        /// The functions of this module as CUDA C. The last parameter of each is
        /// there for the comma before it.
        pub(crate) const $text: &str = concat!($(
            "inline __device__ ", stringify!($answer), " ", stringify!($name), "(",
            $("Draws &", stringify!($draws), ", ",)?
            $(stringify!($type), " ", stringify!($argument), ", ",)*
            "int = 0)\n{\n", stringify!($($body)*), "\n}\n"
        ),*);
    };
}
pub(crate) use in_both;

/// The random numbers of one element of an array: words of [`philox`] whose
/// counter is the element, and above it how many there were.
pub struct Draws {
    pub(super) element: u64,
    stream: u64,
    key: u64,
    made: u64,
    second: u64,
    is_left: bool,
}

impl Draws {
    /// Those of an element, below 2^48, of the array `stream` under a key.
    pub fn new(element: u64, stream: u64, key: u64) -> Draws {
        Draws { element, stream, key, made: 0, second: 0, is_left: false }
    }

    /// 64 random bits.
    #[inline]
    pub(super) fn word(&mut self) -> u64 {
        self.is_left = !self.is_left;
        if !self.is_left {
            return self.second;
        }
        let [a, b, c, d] = philox(self.element | self.made << 48, self.stream, self.key);
        self.made += 1;
        self.second = u64::from(d) << 32 | u64::from(c);
        u64::from(b) << 32 | u64::from(a)
    }

    /// A number in [0, 1).
    #[inline]
    pub(super) fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// A number in (0, 1): neither end, so that it and its complement have
    /// logarithms.
    #[inline]
    pub(super) fn open(&mut self) -> f64 {
        ((self.word() >> 12) as f64 + 0.5) * (1.0 / 4_503_599_627_370_496.0)
    }

    /// A random function of two numbers, which is the same for all elements.
    pub(super) fn hash(&self, value: u64, round: u64) -> u64 {
        let [a, b, ..] = philox(value | round << 48, self.stream, self.key);
        u64::from(b) << 32 | u64::from(a)
    }
}

pub(super) fn bits_of(x: f64) -> u64 {
    x.to_bits()
}
pub(super) fn of_bits(x: u64) -> f64 {
    f64::from_bits(x)
}
pub(super) fn real(x: u64) -> f64 {
    x as f64
}
pub(super) fn whole(x: f64) -> u64 {
    x as u64
}
pub(super) fn infinity() -> f64 {
    f64::INFINITY
}
pub(super) fn plus(a: u64, b: u64) -> u64 {
    a.wrapping_add(b)
}
pub(super) fn minus(a: u64, b: u64) -> u64 {
    a.wrapping_sub(b)
}
pub(super) fn times(a: u64, b: u64) -> u64 {
    a.wrapping_mul(b)
}
pub(super) fn high_times(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}
pub(super) fn floor(x: f64) -> f64 {
    x.floor()
}
pub(super) fn ceil(x: f64) -> f64 {
    x.ceil()
}
pub(super) fn sqrt(x: f64) -> f64 {
    x.sqrt()
}
pub(super) fn fabs(x: f64) -> f64 {
    x.abs()
}

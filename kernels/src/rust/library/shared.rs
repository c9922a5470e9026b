// What a kernel may name, on every device. `super::half` is the device's own
// part: where a thread is, how threads meet, how atomics are done.

/// Where a thread is in its block, and in the grid.
pub mod thread {
    use super::half;

    /// The thread's index in its block, along x.
    #[inline(always)]
    pub fn x() -> usize {
        half::thread(0) as usize
    }

    /// The thread's index in its block, along y.
    #[inline(always)]
    pub fn y() -> usize {
        half::thread(1) as usize
    }

    /// The thread's index in its block, along z.
    #[inline(always)]
    pub fn z() -> usize {
        half::thread(2) as usize
    }

    /// The thread's index in the grid, along x.
    #[inline(always)]
    pub fn index() -> usize {
        half::index(0)
    }

    /// The thread's index in the grid, along y.
    #[inline(always)]
    pub fn index_y() -> usize {
        half::index(1)
    }

    /// The thread's index in the grid, along z.
    #[inline(always)]
    pub fn index_z() -> usize {
        half::index(2)
    }

    /// The thread's number in its block, along all axes.
    #[inline(always)]
    pub fn number() -> usize {
        x() + half::block_size(0) as usize * (y() + half::block_size(1) as usize * z())
    }

    /// The thread's number in its warp, 0 to 31.
    #[inline(always)]
    pub fn lane() -> usize {
        number() % 32
    }

    /// The indices below `count` that this thread takes when the whole grid
    /// shares them, along x: a loop by strides of the grid.
    #[inline(always)]
    pub fn range(count: usize) -> Range {
        let (at, step) = (index(), super::grid::threads());
        if let Some(turn) = super::half::turn(count) {
            let at = at.wrapping_add(turn.wrapping_mul(step));
            let left = (turn != super::half::ASK && at < count) as usize;
            return Range { at, left, step, end: count };
        }
        let left = if at < count { (count - at - 1) / step + 1 } else { 0 };
        Range { at, left, step, end: count }
    }

    /// What [`range`] gives.
    #[derive(Clone, Debug)]
    pub struct Range {
        at: usize,
        left: usize,
        step: usize,
        end: usize,
    }

    impl Iterator for Range {
        type Item = usize;

        #[inline(always)]
        fn next(&mut self) -> Option<usize> {
            if self.left == 0 {
                return None;
            }
            let at = self.at;
            self.left -= 1;
            // Behind the last index it may be anything.
            self.at = at.wrapping_add(self.step);
            // SAFETY: `left` counts the indices below the end. With it an access to what has that many elements
            // needs no check, and a loop without one is unrolled.
            unsafe { core::hint::assert_unchecked(at < self.end) };
            Some(at)
        }

        #[inline(always)]
        fn size_hint(&self) -> (usize, Option<usize>) {
            (self.left, Some(self.left))
        }
    }

    impl DoubleEndedIterator for Range {
        #[inline(always)]
        fn next_back(&mut self) -> Option<usize> {
            if self.left == 0 {
                return None;
            }
            self.left -= 1;
            Some(self.at + self.left * self.step)
        }
    }

    impl ExactSizeIterator for Range {}
    impl core::iter::FusedIterator for Range {}
}

/// The thread's block: where it is, its size, and how its threads meet.
pub mod block {
    use super::half;

    /// The block's index in the grid, along x.
    #[inline(always)]
    pub fn x() -> usize {
        half::block(0) as usize
    }

    /// The block's index in the grid, along y.
    #[inline(always)]
    pub fn y() -> usize {
        half::block(1) as usize
    }

    /// The block's index in the grid, along z.
    #[inline(always)]
    pub fn z() -> usize {
        half::block(2) as usize
    }

    /// The threads of a block, along x.
    #[inline(always)]
    pub fn width() -> usize {
        half::block_size(0) as usize
    }

    /// The threads of a block, along y.
    #[inline(always)]
    pub fn height() -> usize {
        half::block_size(1) as usize
    }

    /// The threads of a block, along z.
    #[inline(always)]
    pub fn depth() -> usize {
        half::block_size(2) as usize
    }

    /// All threads of a block.
    #[inline(always)]
    pub fn threads() -> usize {
        width() * height() * depth()
    }

    /// Waits for all threads of the block; what they have written is seen then.
    #[inline(always)]
    #[track_caller]
    pub fn sync() {
        half::barrier(0, false);
    }

    /// Waits as `sync` does, and counts the threads for which this holds.
    #[inline(always)]
    #[track_caller]
    pub fn count(predicate: bool) -> usize {
        half::barrier(1, predicate) as usize
    }

    /// Waits as `sync` does; whether this holds for all threads.
    #[inline(always)]
    #[track_caller]
    pub fn all(predicate: bool) -> bool {
        half::barrier(2, predicate) != 0
    }

    /// Waits as `sync` does; whether this holds for any thread.
    #[inline(always)]
    #[track_caller]
    pub fn any(predicate: bool) -> bool {
        half::barrier(3, predicate) != 0
    }
}

/// All blocks of a launch.
pub mod grid {
    use super::half;

    /// The blocks of the grid, along x.
    #[inline(always)]
    pub fn width() -> usize {
        half::grid_size(0) as usize
    }

    /// The blocks of the grid, along y.
    #[inline(always)]
    pub fn height() -> usize {
        half::grid_size(1) as usize
    }

    /// The blocks of the grid, along z.
    #[inline(always)]
    pub fn depth() -> usize {
        half::grid_size(2) as usize
    }

    /// The threads of the grid, along x.
    #[inline(always)]
    pub fn threads() -> usize {
        half::grid_size(0) as usize * half::block_size(0) as usize
    }
}

/// The 32 threads that a GPU runs together. All of a warp's threads must call
/// these together.
pub mod warp {
    use super::half;

    const SHUFFLE: u32 = 1;
    const UP: u32 = 2;
    const DOWN: u32 = 3;
    const XOR: u32 = 4;

    /// A value as the bits that a warp exchanges.
    #[inline(always)]
    fn bits<T: Copy>(value: T) -> u64 {
        const { assert!(size_of::<T>() <= 8, "a warp exchanges values of at most 8 bytes") };
        let mut bits = 0u64;
        // SAFETY: the value has at most the bytes of `bits`, and may be copied.
        unsafe { core::ptr::copy_nonoverlapping(&raw const value, (&raw mut bits).cast::<T>(), 1) };
        bits
    }

    #[inline(always)]
    fn value<T: Copy>(bits: u64) -> T {
        // SAFETY: the bits were made of a value of this type by another thread.
        unsafe { (&raw const bits).cast::<T>().read() }
    }

    /// The value of another lane.
    #[inline(always)]
    #[track_caller]
    pub fn shuffle<T: Copy>(of: T, lane: usize) -> T {
        value(half::shuffle(SHUFFLE, bits(of), lane as u32, size_of::<T>()))
    }

    /// The value of the lane `by` below this one; the own value where there is none.
    #[inline(always)]
    #[track_caller]
    pub fn shuffle_up<T: Copy>(of: T, by: usize) -> T {
        value(half::shuffle(UP, bits(of), by as u32, size_of::<T>()))
    }

    /// The value of the lane `by` above this one; the own value where there is none.
    #[inline(always)]
    #[track_caller]
    pub fn shuffle_down<T: Copy>(of: T, by: usize) -> T {
        value(half::shuffle(DOWN, bits(of), by as u32, size_of::<T>()))
    }

    /// The value of the lane whose number is this one's xor `mask`.
    #[inline(always)]
    #[track_caller]
    pub fn shuffle_xor<T: Copy>(of: T, mask: usize) -> T {
        value(half::shuffle(XOR, bits(of), mask as u32, size_of::<T>()))
    }

    /// Whether this holds in any lane.
    #[inline(always)]
    #[track_caller]
    pub fn any(predicate: bool) -> bool {
        half::vote(5, predicate) != 0
    }

    /// Whether this holds in all lanes.
    #[inline(always)]
    #[track_caller]
    pub fn all(predicate: bool) -> bool {
        half::vote(6, predicate) != 0
    }

    /// The lanes in which this holds, a bit for each.
    #[inline(always)]
    #[track_caller]
    pub fn ballot(predicate: bool) -> u32 {
        half::vote(7, predicate)
    }

    /// Waits for the other lanes; what they have written is seen then.
    #[inline(always)]
    #[track_caller]
    pub fn sync() {
        half::sync_warp()
    }

    /// The lanes that have the same value, a bit for each.
    #[inline(always)]
    #[track_caller]
    pub fn match_any<T: Copy>(value: T) -> u32 {
        half::match_any(bits(value), size_of::<T>())
    }

    /// Whether all lanes have the same value.
    #[inline(always)]
    #[track_caller]
    pub fn match_all<T: Copy>(value: T) -> bool {
        half::match_all(bits(value), size_of::<T>())
    }

    /// All lanes' values made into one by a function that may take them in any
    /// order; every lane has the result.
    #[inline(always)]
    #[track_caller]
    pub fn reduce<T: Copy>(of: T, combine: impl Fn(T, T) -> T) -> T {
        let mut value = of;
        let mut mask = 16;
        while mask > 0 {
            value = combine(value, shuffle_xor(value, mask));
            mask /= 2;
        }
        value
    }
}

/// The functions of floats that Rust has in `std` and not in `core`.
pub trait Float: Sized {
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn tan(self) -> Self;
    fn asin(self) -> Self;
    fn acos(self) -> Self;
    fn atan(self) -> Self;
    fn atan2(self, other: Self) -> Self;
    fn sinh(self) -> Self;
    fn cosh(self) -> Self;
    fn tanh(self) -> Self;
    fn asinh(self) -> Self;
    fn acosh(self) -> Self;
    fn atanh(self) -> Self;
    fn exp(self) -> Self;
    fn exp2(self) -> Self;
    fn exp_m1(self) -> Self;
    fn ln(self) -> Self;
    fn log2(self) -> Self;
    fn log10(self) -> Self;
    fn ln_1p(self) -> Self;
    fn log(self, base: Self) -> Self;
    fn powf(self, exponent: Self) -> Self;
    fn powi(self, exponent: i32) -> Self;
    fn cbrt(self) -> Self;
    fn hypot(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    fn mul_add(self, by: Self, plus: Self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn round(self) -> Self;
    fn round_ties_even(self) -> Self;
    fn trunc(self) -> Self;
    fn fract(self) -> Self;
    fn sin_cos(self) -> (Self, Self);
    fn div_euclid(self, other: Self) -> Self;
    fn rem_euclid(self, other: Self) -> Self;
}

macro_rules! floats {
    ($($t:ident { $($name:ident $symbol:ident)* } { $($name2:ident $symbol2:ident)* } $fma:ident $sqrt:ident $floor:ident $ceil:ident $trunc:ident $round:ident $even:ident $rem:ident)*) => {$(
        impl Float for $t {
            $(#[inline(always)] fn $name(self) -> $t { half::math::$symbol(self) })*
            $(#[inline(always)] fn $name2(self, other: $t) -> $t { half::math::$symbol2(self, other) })*
            #[inline(always)] fn log(self, base: $t) -> $t { Float::ln(self) / Float::ln(base) }
            #[inline]
            fn powi(self, exponent: i32) -> $t {
                // As compiler-rt does it, on which `std` rests.
                let (mut base, mut left, mut result) = (self, exponent.unsigned_abs(), 1.0);
                loop {
                    if left & 1 != 0 { result *= base; }
                    left >>= 1;
                    if left == 0 { break; }
                    base *= base;
                }
                if exponent < 0 { 1.0 / result } else { result }
            }
            #[inline(always)] fn sqrt(self) -> $t { core::intrinsics::$sqrt(self) }
            #[inline(always)] fn mul_add(self, by: $t, plus: $t) -> $t { core::intrinsics::$fma(self, by, plus) }
            #[inline(always)] fn floor(self) -> $t { core::intrinsics::$floor(self) }
            #[inline(always)] fn ceil(self) -> $t { core::intrinsics::$ceil(self) }
            #[inline(always)] fn trunc(self) -> $t { core::intrinsics::$trunc(self) }
            #[inline(always)] fn round_ties_even(self) -> $t { core::intrinsics::$even(self) }
            #[inline(always)] fn round(self) -> $t {
                // Half-way cases away from zero; below one half nothing is added to round up to it.
                let whole = Float::trunc(self);
                if (self - whole).abs() >= 0.5 { whole + $t::copysign(1.0, self) } else { $t::copysign(whole, self) }
            }
            #[inline(always)] fn fract(self) -> $t { self - Float::trunc(self) }
            #[inline(always)] fn sin_cos(self) -> ($t, $t) { (Float::sin(self), Float::cos(self)) }
            // `%` of floats is not exact on a GPU: LLVM divides and multiplies.
            #[inline(always)] fn div_euclid(self, other: $t) -> $t {
                let q = Float::trunc(self / other);
                if half::math::$rem(self, other) < 0.0 { if other > 0.0 { q - 1.0 } else { q + 1.0 } } else { q }
            }
            #[inline(always)] fn rem_euclid(self, other: $t) -> $t {
                let r = half::math::$rem(self, other);
                if r < 0.0 { r + other.abs() } else { r }
            }
        }
    )*};
}
floats! {
    f32 { sin sinf cos cosf tan tanf asin asinf acos acosf atan atanf sinh sinhf cosh coshf tanh tanhf asinh asinhf
          acosh acoshf atanh atanhf exp expf exp2 exp2f exp_m1 expm1f ln logf log2 log2f log10 log10f ln_1p log1pf cbrt cbrtf }
        { atan2 atan2f powf powf hypot hypotf } fmaf32 sqrtf32 floorf32 ceilf32 truncf32 roundf32 round_ties_even_f32 fmodf
    f64 { sin sin cos cos tan tan asin asin acos acos atan atan sinh sinh cosh cosh tanh tanh asinh asinh
          acosh acosh atanh atanh exp exp exp2 exp2 exp_m1 expm1 ln log log2 log2 log10 log10 ln_1p log1p cbrt cbrt }
        { atan2 atan2 powf pow hypot hypot } fmaf64 sqrtf64 floorf64 ceilf64 truncf64 roundf64 round_ties_even_f64 fmod
}

/// Shared memory that comes with the launch, as elements: what `shared!([T])` is.
///
/// # Safety
///
/// It is used within a launch.
#[inline(always)]
pub unsafe fn dynamic_shared<T: Copy>() -> &'static mut [T] {
    const { assert!(align_of::<T>() <= 16 && size_of::<T>() > 0, "shared memory lies at multiples of 16 bytes") };
    let (place, count) = half::dynamic_shared::<T>();
    // SAFETY: the launch has given so many bytes, which may hold anything; their alignment is 16.
    unsafe { core::slice::from_raw_parts_mut(place, count) }
}

/// A text of limited length on the stack.
#[repr(C, align(8))]
pub struct Text {
    bytes: [u8; 1024],
    length: usize,
}

impl Text {
    pub fn new() -> Text {
        Text { bytes: [0; 1024], length: 0 }
    }

    pub fn zero_terminated(&self) -> &[u8] {
        &self.bytes[..self.length + 1]
    }

    pub fn as_str(&self) -> &str {
        // SAFETY: only whole characters are put there.
        unsafe { core::str::from_utf8_unchecked(&self.bytes[..self.length]) }
    }
}

impl core::fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        // One byte is left for the zero.
        let room = self.bytes.len() - 1 - self.length;
        let mut taken = text.len().min(room);
        while !text.is_char_boundary(taken) {
            taken -= 1;
        }
        self.bytes[self.length..self.length + taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.length += taken;
        Ok(())
    }
}

/// What a kernel's text names without a path. The user's own items hide these.
pub mod names {
    pub use super::{Complex, Complex32, Complex64, Float as _, atomic, block, f16, fast, grid, thread, warp};
    pub use super::views::{Matrix, MatrixMut, View, ViewMut};
}

use half::out_of_bounds;
pub use half::fast;
pub use views::{View, ViewMut};

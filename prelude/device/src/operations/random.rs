//! Random numbers: the generator that `gpurepl_kernels::random` writes for a
//! GPU, and the same one on the host.

use bytemuck::Pod;
use gpurepl_kernels::random::{BLOCK, PER_THREAD, philox};
use gpurepl_kernels::{DType, Generated};

use super::number;
use crate::error::Result;
use crate::host::{Locked, ranges};
use crate::scalar::ScalarBytes;
use crate::{Buffer, GeneratedLaunch, Gpu, Operation};

/// How random numbers are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RandomKind {
    /// Floats in [0, 1); integers over their whole range.
    Uniform,
    /// Mean 0, standard deviation 1.
    Normal,
}

/// A whole buffer to fill with random numbers: element `k` depends on the
/// key, the stream and `k` alone, so it is the same on every device.
pub struct Random<'a> {
    /// The buffer.
    pub output: &'a Buffer,
    /// The type of the numbers.
    pub dtype: DType,
    /// Their distribution.
    pub kind: RandomKind,
    /// The generator's key: the seed.
    pub key: u64,
    /// The generator's stream: the number of the array.
    pub stream: u64,
    /// The number of the first element in the stream, a multiple of four.
    pub first: u64,
}

impl Random<'_> {
    /// How many 16 bytes of the stream come before: each is made of one block of random words.
    fn first_block(&self) -> u64 {
        self.first * self.dtype.size() as u64 / 16
    }
}

/// Numbers that one core of the host makes at a time; a multiple of four.
const STEP: usize = 1 << 14;

impl Operation for Random<'_> {
    fn name(&self) -> &'static str {
        "random numbers"
    }

    fn for_each_buffer(&self, visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>) -> Result<()> {
        visit(self.output, true)
    }

    /// The number of elements is that of the buffer.
    fn check(&self) {}

    fn on_host(&self) -> Result<()> {
        match (self.dtype, self.kind) {
            (DType::Int32 | DType::UInt32, _) => fill::<u32, 4>(self, |words| words),
            (DType::Int64 | DType::UInt64, _) => fill::<u64, 2>(self, pairs),
            (DType::Float32, RandomKind::Uniform) => fill::<f32, 4>(self, |words| words.map(unit_f32)),
            (DType::Float64, RandomKind::Uniform) => fill::<f64, 2>(self, |words| pairs(words).map(unit_f64)),
            (DType::Float32, RandomKind::Normal) => self.fill_with_normals(),
            (DType::Float64, RandomKind::Normal) => fill::<f64, 2>(self, |words| {
                let [a, b] = pairs(words);
                normal_f64(a, b)
            }),
            (dtype, _) => panic!("internal error: no random numbers of {dtype}"),
        }
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let is_normal = self.kind == RandomKind::Normal;
        let text = Generated::Random { dtype: self.dtype, is_normal };
        let count = self.output.bytes() / self.dtype.size();
        let launch = GeneratedLaunch {
            text: &text,
            entry: "gpurepl_random",
            grid: ((count * self.dtype.size()).div_ceil(16 * PER_THREAD * BLOCK).max(1), 1),
            block: BLOCK,
            arguments: &[
                ScalarBytes::address(self.output.address()),
                number(count),
                ScalarBytes::address(self.key),
                ScalarBytes::address(self.stream),
                ScalarBytes::address(self.first_block()),
            ],
        };
        // SAFETY: these are the arguments of `random::to_cuda`; the buffer has
        // `count` elements.
        unsafe { gpu.launch(&launch) }
    }

    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync> {
        let Random { dtype, kind, key, stream, first, .. } = *self;
        let output = self.output.handle();
        Box::new(move || Random { output: &output, dtype, kind, key, stream, first }.on_host())
    }
}

impl Random<'_> {
    /// Normal numbers of single precision, by a processor's instruction for
    /// `a * b + c` where it has one: without it that is a function, which gives
    /// the same numbers.
    fn fill_with_normals(&self) -> Result<()> {
        fill_ranges::<f32, 4>(self, |first, numbers| {
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                #[target_feature(enable = "avx2,fma")]
                fn with_fma(task: &Random<'_>, first: u64, numbers: &mut [f32]) {
                    make_range(task, first, numbers, normals);
                }
                // SAFETY: the processor has both, as was just asked.
                return unsafe { with_fma(self, first, numbers) };
            }
            make_range(self, first, numbers, normals);
        })
    }
}

#[inline(always)]
fn normals([a, b, c, d]: [u32; 4]) -> [f32; 4] {
    let (x, y) = normal_f32(a, b);
    let (z, w) = normal_f32(c, d);
    [x, y, z, w]
}

fn fill<T: Pod, const N: usize>(task: &Random<'_>, make: impl Fn([u32; 4]) -> [T; N] + Sync) -> Result<()> {
    fill_ranges::<T, N>(task, |first, numbers| make_range(task, first, numbers, &make))
}

/// Has `make` fill ranges of the buffer, each with the number of its first block of
/// random words.
fn fill_ranges<T: Pod, const N: usize>(task: &Random<'_>, make: impl Fn(u64, &mut [T]) + Sync) -> Result<()> {
    let size = size_of::<T>();
    let locked = Locked::new(&[], &[task.output]);
    let output = locked.output(task.output);
    ranges(task.output.bytes() / size, STEP, |range| {
        // SAFETY: ranges are disjoint.
        let bytes = unsafe { output.slice(range.start * size, range.len() * size) };
        make(task.first_block() + (range.start / N) as u64, bytemuck::cast_slice_mut(bytes));
    })
}

#[inline(always)]
fn make_range<T: Pod, const N: usize>(
    task: &Random<'_>,
    first: u64,
    numbers: &mut [T],
    make: impl Fn([u32; 4]) -> [T; N],
) {
    for (block, numbers) in (first..).zip(numbers.chunks_mut(N)) {
        numbers.copy_from_slice(&make(philox(block, task.stream, task.key))[..numbers.len()]);
    }
}

fn pairs([a, b, c, d]: [u32; 4]) -> [u64; 2] {
    let join = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
    [join(a, b), join(c, d)]
}

/// The highest 24 bits as a number in [0, 1): every one is a float.
fn unit_f32(word: u32) -> f32 {
    (word >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// The highest 53 bits as a number in [0, 1).
fn unit_f64(word: u64) -> f64 {
    (word >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

/// Two normal numbers from two uniform ones (G. E. P. Box and M. E. Muller,
/// "A note on the generation of random normal deviates", Annals of
/// Mathematical Statistics 29, 1958). The first is moved to (0, 1], so that
/// it has a logarithm. The steps are those of a GPU, and exact alike: logarithm,
/// sine and cosine are the polynomials of S. L. Moshier's Cephes library
/// (`logf`, `sinf`, `cosf`; the angle is reduced before it is multiplied).
#[allow(clippy::excessive_precision, reason = "the constants of Cephes")]
#[inline(always)]
fn normal_f32(a: u32, b: u32) -> (f32, f32) {
    const ROOT_OF_HALF: i32 = 0x3f35_04f3;
    let uniform = ((a >> 8) + 1) as f32 * (1.0 / 16_777_216.0);
    let bits = uniform.to_bits() as i32 - ROOT_OF_HALF;
    let f = f32::from_bits(((bits & 0x7f_ffff) + ROOT_OF_HALF) as u32) - 1.0;
    let (exponent, square) = ((bits >> 23) as f32, f * f);
    let mut p = 7.037_683_629_2e-2_f32;
    p = p.mul_add(f, -1.151_461_031_0e-1);
    p = p.mul_add(f, 1.167_699_874_0e-1);
    p = p.mul_add(f, -1.242_014_084_6e-1);
    p = p.mul_add(f, 1.424_932_278_7e-1);
    p = p.mul_add(f, -1.666_805_766_5e-1);
    p = p.mul_add(f, 2.000_071_476_5e-1);
    p = p.mul_add(f, -2.499_999_399_3e-1);
    p = p.mul_add(f, 3.333_333_117_4e-1);
    p = (p * f).mul_add(square, exponent.mul_add(-2.121_944_40e-4, -0.5 * square));
    let radius = (-2.0 * exponent.mul_add(0.693_359_375, f + p)).sqrt();
    let turns = b >> 8;
    let quarters = (turns + 0x20_0000) >> 22;
    let g = (turns as i32 - (quarters << 22) as i32) as f32 * (1.570_796_4 / 4_194_304.0);
    let h = g * g;
    let s = (h.mul_add(-1.951_529_589_1e-4, 8.332_160_873_6e-3).mul_add(h, -1.666_665_461_1e-1) * h)
        .mul_add(g, g);
    let c = h
        .mul_add(2.443_315_711_809_948e-5, -1.388_731_625_493_765e-3)
        .mul_add(h, 4.166_664_568_298_827e-2)
        .mul_add(h, -0.5)
        .mul_add(h, 1.0);
    let (cosine, sine) = if quarters & 1 == 0 { (c, s) } else { (s, c) };
    // The second bit of the number of quarters becomes the sign.
    let signed = |value: f32, quarters: u32| f32::from_bits(value.to_bits() ^ (quarters & 2) << 30);
    (radius * signed(cosine, quarters + 1), radius * signed(sine, quarters))
}

fn normal_f64(a: u64, b: u64) -> [f64; 2] {
    let radius = (-2.0 * (unit_f64(a) + 1.0 / 9_007_199_254_740_992.0).ln()).sqrt();
    let (sin, cos) = sin_cos_of_turns(unit_f64(b));
    [radius * cos, radius * sin]
}

/// Sine and cosine of a part of a whole turn, in [0, 1). The angle is reduced
/// before it is multiplied, which is exact, so that both are right to their
/// last digits also near zero.
fn sin_cos_of_turns(turns: f64) -> (f64, f64) {
    let quarters = (4.0 * turns).round();
    let (sin, cos) = (std::f64::consts::TAU * (turns - quarters / 4.0)).sin_cos();
    match quarters as u8 {
        1 => (cos, -sin),
        2 => (-sin, -cos),
        3 => (-cos, sin),
        _ => (sin, cos),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_numbers_of_single_precision_are_right_to_their_last_digits() {
        let exact = |a: u32, b: u32| {
            let radius = (-2.0 * (f64::from(unit_f32(a)) + 1.0 / 16_777_216.0).ln()).sqrt();
            let (sin, cos) = sin_cos_of_turns(unit_f32(b).into());
            (radius * cos, radius * sin)
        };
        let ends = [0, 0xff, 0x100, u32::MAX, 1 << 31, 0xb504_f300, 0x2000_0000, 0xe000_0000, 0x6000_0000];
        let pairs = ends.iter().flat_map(|a| ends.iter().map(move |b| (*a, *b)));
        let many = (0..100_000).map(|k| philox(k, 1, 2)).map(|words| (words[0], words[1]));
        for (a, b) in pairs.chain(many) {
            let ((x, y), (p, q)) = (normal_f32(a, b), exact(a, b));
            for (value, exact) in [(f64::from(x), p), (f64::from(y), q)] {
                assert!(
                    (value - exact).abs() <= 4e-7 * exact.abs() + 1e-9,
                    "{a:#x}, {b:#x}: {value}, {exact}"
                );
            }
        }
        assert_eq!(normal_f32(u32::MAX, 0), (0.0, 0.0));
    }

    #[test]
    fn turns_are_exact_at_quarters() {
        for (turns, expected) in
            [(0.0, (0.0, 1.0)), (0.25, (1.0, 0.0)), (0.5, (0.0, -1.0)), (0.75, (-1.0, 0.0))]
        {
            let (sin, cos) = sin_cos_of_turns(turns);
            assert_eq!((sin + 0.0, cos + 0.0), expected);
        }
        for k in 0..1000 {
            let turns = f64::from(k) / 1000.0;
            let ((sin, cos), (s, c)) = (sin_cos_of_turns(turns), (std::f64::consts::TAU * turns).sin_cos());
            assert!((sin - s).abs() < 1e-15 && (cos - c).abs() < 1e-15, "{turns}");
        }
    }
}

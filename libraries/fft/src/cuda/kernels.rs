//! Transforms by kernels of our own, where cuFFT is not installed.
//!
//! Stockham's algorithm of mixed radix as Govindaraju, Lloyd, Dotsenko, Smith and Manferdelli have it (High
//! Performance Discrete Fourier Transforms on Graphics Processors, 2008): a pass for each prime factor of the length,
//! from one array to another. A thread computes one element, so a factor `r` costs `r` steps.

use std::sync::Arc;

use gpurepl_extend::{
    AnyArray, Argument, DType, Elements, Error, Extent, Generated, GeneratedLaunch, Gpu, Operation, Result,
    ScalarBytes, error, perform,
};

use crate::transform::Kind;

/// The largest prime factor: more take too long, element by element.
const LARGEST_FACTOR: usize = 4096;

/// The transform of the last axes of an array in C order.
pub(crate) fn transformed(
    name: &'static str,
    missing: &Error,
    x: &AnyArray,
    kind: Kind,
    is_inverse: bool,
    lengths: &[usize],
) -> Result<AnyArray> {
    let lengths_in_order = || lengths.iter().copied().enumerate().rev();
    for (_, length) in lengths_in_order() {
        if let Some(factor) = factors(length).into_iter().find(|factor| *factor > LARGEST_FACTOR) {
            let what = format!(
                "{missing}; without it {name} takes no length with a prime factor above {LARGEST_FACTOR}"
            );
            let help =
                format!("{length} has the factor {factor}: use another length, see `fft::next_fast_len`");
            return Err(error::missing(what, help));
        }
    }
    let rank = x.shape().len();
    let first = rank - lengths.len();
    let complex = match x.dtype() {
        DType::Float32 => DType::Complex64,
        DType::Float64 => DType::Complex128,
        dtype => dtype,
    };
    let mut x = x.cast(complex);
    let half = lengths.last().map_or(0, |length| length / 2 + 1);
    // All other axes first where the last one becomes real: it is no whole one before.
    for (k, length) in lengths_in_order().skip(usize::from(kind == Kind::ToReal)) {
        x = along(name, &x, first + k, length, is_inverse)?;
        if kind == Kind::FromReal && k + 1 == lengths.len() {
            x = x.narrowed(rank - 1, 0, half)?.contiguous()?;
        }
    }
    if kind == Kind::ToReal {
        let length = lengths.last().copied().unwrap_or(1);
        x = mirrored(name, &x, length)?;
        x = along(name, &x, rank - 1, length, true)?;
        return x.real_part().contiguous();
    }
    Ok(x)
}

/// The prime factors of a length, the largest first.
fn factors(mut length: usize) -> Vec<usize> {
    let mut factors = Vec::new();
    let mut factor = 2;
    while factor * factor <= length {
        while length.is_multiple_of(factor) {
            factors.push(factor);
            length /= factor;
        }
        factor += 1;
    }
    if length > 1 {
        factors.push(length);
    }
    factors.reverse();
    factors
}

/// Passes of up to so many elements are done at once: 2*2*2 as one of 8.
const JOINED: usize = 8;

/// The radices of the passes.
fn radices(length: usize) -> Vec<usize> {
    let mut radices: Vec<usize> = Vec::new();
    for factor in factors(length) {
        match radices.last_mut() {
            Some(last) if *last * factor <= JOINED => *last *= factor,
            _ => radices.push(factor),
        }
    }
    radices
}

fn along(name: &'static str, x: &AnyArray, axis: usize, length: usize, is_inverse: bool) -> Result<AnyArray> {
    let inner: usize = x.shape()[axis + 1..].iter().product();
    // Also of one element along the axis the result is an array of its own.
    let mut x = if length == 1 { x.copied()? } else { x.contiguous()? };
    let mut done = 1;
    for radix in radices(length) {
        let mut to = AnyArray::empty(x.shape(), x.dtype())?;
        let numbers = vec![length as u64, inner as u64, radix as u64, done as u64, u64::from(is_inverse)];
        let work = Pass { name, entry: "gpurepl_fft_pass", numbers };
        perform(Arc::new(work), &[Argument::read(&x), Argument::write(&mut to)])?;
        x = to;
        done *= radix;
    }
    Ok(x)
}

/// All elements of the last axis, given its first half: the others are their conjugates.
fn mirrored(name: &'static str, x: &AnyArray, length: usize) -> Result<AnyArray> {
    let x = x.contiguous()?;
    let mut shape = x.shape().to_vec();
    if let Some(last) = shape.last_mut() {
        *last = length;
    }
    let mut to = AnyArray::empty(shape, x.dtype())?;
    let work = Pass { name, entry: "gpurepl_fft_mirror", numbers: vec![length as u64] };
    perform(Arc::new(work), &[Argument::read(&x), Argument::write(&mut to)])?;
    Ok(to)
}

/// One launch over the elements of the result.
struct Pass {
    name: &'static str,
    entry: &'static str,
    numbers: Vec<u64>,
}

impl Operation for Pass {
    fn name(&self) -> &'static str {
        self.name
    }

    fn on_host(&self, _: &mut [Elements<'_>]) -> Result<()> {
        Err(error::unsupported(format!("{}: an array of the host met the GPU's half", self.name)))
    }

    fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
        let (from, to) = (&arguments[0], &arguments[1]);
        let size: usize = to.shape.iter().product();
        let text = Generated::Library { name: self.name, text: text(to.dtype).into() };
        let numbers = [from.address, to.address, size as u64].into_iter().chain(self.numbers.iter().copied());
        let arguments: Vec<ScalarBytes> = numbers.map(ScalarBytes::address).collect();
        let blocks = size.div_ceil(BLOCK).min(MOST_BLOCKS);
        let launch = GeneratedLaunch {
            text: &text,
            entry: self.entry,
            grid: (blocks, 1),
            block: BLOCK,
            arguments: &arguments,
        };
        // SAFETY: the arguments are those of the kernel; it writes `size` elements, and reads elements of the other
        // array, which has as many, or half of each row.
        unsafe { gpu.launch(&launch) }
    }
}

const BLOCK: usize = 256;
const MOST_BLOCKS: usize = 1 << 20;

fn text(dtype: DType) -> String {
    let (number, pi) = match dtype {
        DType::Complex64 => ("float2", "sincospif((float)angle, &sine, &cosine)"),
        _ => ("double2", "sincospi(angle, &sine, &cosine)"),
    };
    let real = number.trim_end_matches('2');
    PASSES.replace("NUMBER", number).replace("REAL", real).replace("SINE_AND_COSINE", pi)
}

/// Element `o` along the axis, after `done` elements belong together: `j`, `k` and `t` as in the paper. The angle
/// is reduced in whole numbers, so that it is exact.
const PASSES: &str = r#"
typedef unsigned long long gpurepl_u64;
extern "C" __global__ void gpurepl_fft_pass(const NUMBER *from, NUMBER *to, gpurepl_u64 size, gpurepl_u64 n, gpurepl_u64 inner, gpurepl_u64 radix, gpurepl_u64 done, gpurepl_u64 is_inverse)
{
  const double direction = is_inverse ? 2.0 : -2.0;
  for (gpurepl_u64 e = blockIdx.x * (gpurepl_u64)blockDim.x + threadIdx.x; e < size; e += gridDim.x * (gpurepl_u64)blockDim.x) {
    const gpurepl_u64 column = e % inner, o = e / inner % n, first = e - o * inner;
    const gpurepl_u64 whole = done * radix, turn = o % whole;
    const gpurepl_u64 j = o / whole * done + o % done;
    REAL real = 0, imaginary = 0;
    for (gpurepl_u64 s = 0; s < radix; s++) {
      const NUMBER x = from[first + (j + s * (n / radix)) * inner];
      const double angle = direction * (double)(s * turn % whole) / (double)whole;
      REAL sine, cosine;
      SINE_AND_COSINE;
      real += x.x * cosine - x.y * sine;
      imaginary += x.x * sine + x.y * cosine;
    }
    (void)column;
    to[e].x = real;
    to[e].y = imaginary;
  }
}
extern "C" __global__ void gpurepl_fft_mirror(const NUMBER *from, NUMBER *to, gpurepl_u64 size, gpurepl_u64 n)
{
  for (gpurepl_u64 e = blockIdx.x * (gpurepl_u64)blockDim.x + threadIdx.x; e < size; e += gridDim.x * (gpurepl_u64)blockDim.x) {
    const gpurepl_u64 row = e / n, k = e % n, half = n / 2 + 1;
    NUMBER x = from[row * half + (k < half ? k : n - k)];
    if (k >= half) x.y = -x.y;
    // These are real, whatever the array says.
    if (k == 0 || 2 * k == n) x.y = 0;
    to[e] = x;
  }
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_taken_apart() {
        assert_eq!(factors(360), [5, 3, 3, 2, 2, 2]);
        assert_eq!(radices(360), [5, 3, 6, 4]);
        assert_eq!(radices(1 << 7), [8, 8, 2]);
        assert_eq!(radices(1), [0; 0]);
        assert_eq!(radices(4099), [4099]);
    }
}

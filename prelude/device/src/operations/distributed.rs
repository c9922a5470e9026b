//! Random numbers of many distributions: the samplers of
//! `gpurepl_kernels::random::distributions`, on a GPU and on the host.

use bytemuck::Pod;
use gpurepl_kernels::random::Draws;
use gpurepl_kernels::random::distributions::{BLOCK, Distribution, sample_integer};
use gpurepl_kernels::{DType, Generated};

use super::number;
use crate::error::Result;
use crate::host::{Locked, ranges};
use crate::scalar::ScalarBytes;
use crate::{Buffer, GeneratedLaunch, Gpu, Operation};

/// A whole buffer to fill with random numbers of a distribution: element `k`
/// depends on the key, the stream, the parameters and `k` alone.
pub struct Distributed<'a> {
    /// The buffer.
    pub output: &'a Buffer,
    /// The type of the numbers.
    pub dtype: DType,
    /// Their distribution.
    pub distribution: Distribution,
    /// The generator's key: the seed.
    pub key: u64,
    /// The generator's stream: the number of the array.
    pub stream: u64,
    /// The parameters, which are bits of floats if the distribution is of floats.
    pub parameters: [u64; 3],
}

/// Numbers that one core of the host makes at a time.
const STEP: usize = 1 << 12;

impl Operation for Distributed<'_> {
    fn name(&self) -> &'static str {
        "random numbers"
    }

    fn for_each_buffer(&self, visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>) -> Result<()> {
        visit(self.output, true)
    }

    /// The number of elements is that of the buffer.
    fn check(&self) {}

    fn on_host(&self) -> Result<()> {
        if self.distribution.is_integer() {
            let draw = |draws: &mut Draws| sample_integer(self.distribution, draws, self.parameters);
            return match self.dtype {
                DType::Bool => fill(self, |draws| u8::from(draw(draws) != 0)),
                DType::Int8 | DType::UInt8 => fill(self, |draws| draw(draws) as u8),
                DType::Int16 | DType::UInt16 => fill(self, |draws| draw(draws) as u16),
                DType::Int32 | DType::UInt32 => fill(self, |draws| draw(draws) as u32),
                DType::Int64 | DType::UInt64 => fill(self, draw),
                dtype => panic!("internal error: no random integers of {dtype}"),
            };
        }
        let parameters = self.parameters.map(f64::from_bits);
        let draw = |draws: &mut Draws| self.distribution.sample(draws, parameters);
        match self.dtype {
            DType::Float32 => fill(self, |draws| draw(draws) as f32),
            DType::Float64 => fill(self, draw),
            DType::Int64 => fill(self, |draws| draw(draws) as i64),
            dtype => panic!("internal error: no random numbers of {dtype}"),
        }
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let count = self.output.bytes() / self.dtype.size();
        let [a, b, c] = self.parameters.map(ScalarBytes::address);
        let launch = GeneratedLaunch {
            text: &Generated::Distribution(self.dtype, self.distribution),
            entry: "gpurepl_distribution",
            grid: (count.div_ceil(BLOCK).max(1), 1),
            block: BLOCK,
            arguments: &[
                ScalarBytes::address(self.output.address()),
                number(count),
                ScalarBytes::address(self.key),
                ScalarBytes::address(self.stream),
                a,
                b,
                c,
            ],
        };
        // SAFETY: these are the arguments of `distributions::to_cuda`, each of 64
        // bits; the buffer has `count` elements.
        unsafe { gpu.launch(&launch) }
    }

    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync> {
        let Distributed { dtype, distribution, key, stream, parameters, .. } = *self;
        let output = self.output.handle();
        Box::new(move || {
            Distributed { output: &output, dtype, distribution, key, stream, parameters }.on_host()
        })
    }
}

fn fill<T: Pod>(task: &Distributed<'_>, make: impl Fn(&mut Draws) -> T + Sync) -> Result<()> {
    let size = size_of::<T>();
    let locked = Locked::new(&[], &[task.output]);
    let output = locked.output(task.output);
    ranges(task.output.bytes() / size, STEP, |range| {
        // SAFETY: ranges are disjoint.
        let bytes = unsafe { output.slice(range.start * size, range.len() * size) };
        let numbers: &mut [T] = bytemuck::cast_slice_mut(bytes);
        for (k, number) in numbers.iter_mut().enumerate() {
            *number = make(&mut Draws::new((range.start + k) as u64, task.stream, task.key));
        }
    })
}

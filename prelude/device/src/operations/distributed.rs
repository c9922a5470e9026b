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
    /// Floats in place of a parameter, one for each element: a buffer, and the first
    /// of them in it.
    pub arrays: [Option<(&'a Buffer, usize)>; 3],
}

/// Numbers that one core of the host makes at a time.
const STEP: usize = 1 << 12;

impl Operation for Distributed<'_> {
    fn name(&self) -> &'static str {
        "random numbers"
    }

    fn for_each_buffer(&self, visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>) -> Result<()> {
        self.arrays.iter().flatten().try_for_each(|(buffer, _)| visit(buffer, false))?;
        visit(self.output, true)
    }

    /// The number of elements is that of the buffer.
    fn check(&self) {
        for (buffer, offset) in self.arrays.iter().flatten() {
            assert!(!self.distribution.is_integer());
            assert!((offset + self.count()) * size_of::<f64>() <= buffer.bytes());
        }
    }

    fn on_host(&self) -> Result<()> {
        if self.distribution.is_integer() {
            let draw = |draws: &mut Draws| sample_integer(self.distribution, draws, self.parameters);
            return match self.dtype {
                DType::Bool => fill(self, |draws, _| u8::from(draw(draws) != 0)),
                DType::Int8 | DType::UInt8 => fill(self, |draws, _| draw(draws) as u8),
                DType::Int16 | DType::UInt16 => fill(self, |draws, _| draw(draws) as u16),
                DType::Int32 | DType::UInt32 => fill(self, |draws, _| draw(draws) as u32),
                DType::Int64 | DType::UInt64 => fill(self, |draws, _| draw(draws)),
                dtype => panic!("internal error: no random integers of {dtype}"),
            };
        }
        let draw = |draws: &mut Draws, parameters| self.distribution.sample(draws, parameters);
        match self.dtype {
            DType::Float32 => fill(self, |draws, parameters| draw(draws, parameters) as f32),
            DType::Float64 => fill(self, draw),
            DType::Int64 => fill(self, |draws, parameters| draw(draws, parameters) as i64),
            dtype => panic!("internal error: no random numbers of {dtype}"),
        }
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let count = self.count();
        let [a, b, c] = self.parameters.map(ScalarBytes::address);
        let address =
            |(buffer, offset): (&Buffer, usize)| buffer.address() + (offset * size_of::<f64>()) as u64;
        let [many_a, many_b, many_c] =
            self.arrays.map(|array| ScalarBytes::address(array.map_or(0, address)));
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
                many_a,
                many_b,
                many_c,
            ],
        };
        // SAFETY: these are the arguments of `distributions::to_cuda`, each of 64
        // bits; the buffer has `count` elements, and so has each array, as `check`
        // saw. A distribution of integers takes no arrays.
        unsafe { gpu.launch(&launch) }
    }

    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync> {
        let Distributed { dtype, distribution, key, stream, parameters, .. } = *self;
        let output = self.output.handle();
        let kept = self.arrays.map(|array| array.map(|(buffer, offset)| (buffer.handle(), offset)));
        Box::new(move || {
            let arrays =
                kept.each_ref().map(|array| array.as_ref().map(|(buffer, offset)| (&**buffer, *offset)));
            Distributed { output: &output, dtype, distribution, key, stream, parameters, arrays }.on_host()
        })
    }
}

impl Distributed<'_> {
    fn count(&self) -> usize {
        self.output.bytes() / self.dtype.size()
    }
}

fn fill<T: Pod>(task: &Distributed<'_>, make: impl Fn(&mut Draws, [f64; 3]) -> T + Sync) -> Result<()> {
    let size = size_of::<T>();
    let inputs: Vec<&Buffer> = task.arrays.iter().flatten().map(|(buffer, _)| *buffer).collect();
    let locked = Locked::new(&inputs, &[task.output]);
    let output = locked.output(task.output);
    let bytes = task.count() * size_of::<f64>();
    let arrays = task.arrays.map(|array| {
        array.map(|(buffer, offset)| {
            bytemuck::cast_slice::<u8, f64>(locked.slice(buffer, offset * size_of::<f64>(), bytes))
        })
    });
    let numbers = task.parameters.map(f64::from_bits);
    let parameter = |which: usize, k: usize| arrays[which].map_or(numbers[which], |array| array[k]);
    ranges(task.count(), STEP, |range| {
        // SAFETY: ranges are disjoint.
        let bytes = unsafe { output.slice(range.start * size, range.len() * size) };
        let elements: &mut [T] = bytemuck::cast_slice_mut(bytes);
        for (k, element) in range.clone().zip(elements) {
            let parameters = [parameter(0, k), parameter(1, k), parameter(2, k)];
            *element = make(&mut Draws::new(k as u64, task.stream, task.key), parameters);
        }
    })
}

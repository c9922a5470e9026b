//! Calls through the C interface, against sums by the definition.

mod faults;
mod kinds;
mod long;
mod strided;

use std::f64::consts::PI;
use std::sync::Once;

use gpurepl_plugin::{RawArray, RawCall, RawText, run};
use rustfft::num_complex::Complex;

use crate::view::strides;

type C64 = Complex<f64>;

/// An array of a call, of any of the four types.
#[derive(Clone)]
struct Host {
    dtype: u32,
    bytes: Vec<u64>,
    count: usize,
    first: usize,
    shape: Vec<usize>,
    strides: Vec<isize>,
    writes: u32,
}

const F32: u32 = 10;
const F64: u32 = 11;
const C32: u32 = 12;
const C128: u32 = 13;

fn size(dtype: u32) -> usize {
    match dtype {
        F64 | C32 => 8,
        C128 => 16,
        _ => 4,
    }
}

impl Host {
    fn zeros(dtype: u32, shape: &[usize]) -> Host {
        let count: usize = shape.iter().product();
        let bytes = vec![0; (count * size(dtype)).div_ceil(8)];
        Host { dtype, bytes, count, first: 0, shape: shape.to_vec(), strides: strides(shape), writes: 1 }
    }

    fn of(dtype: u32, shape: &[usize], values: &[C64]) -> Host {
        let mut host = Host { writes: 0, ..Host::zeros(dtype, shape) };
        values.iter().enumerate().for_each(|(index, value)| host.set(index, *value));
        host
    }

    fn set(&mut self, index: usize, value: C64) {
        let pair = |low: f32, high: f32| u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32;
        let bytes = &mut self.bytes;
        match self.dtype {
            F32 => {
                let shift = 32 * (index % 2);
                let cleared = bytes[index / 2] & !(u64::from(u32::MAX) << shift);
                bytes[index / 2] = cleared | u64::from((value.re as f32).to_bits()) << shift;
            }
            F64 => bytes[index] = value.re.to_bits(),
            C32 => bytes[index] = pair(value.re as f32, value.im as f32),
            _ => (bytes[2 * index], bytes[2 * index + 1]) = (value.re.to_bits(), value.im.to_bits()),
        }
    }

    fn get(&self, index: usize) -> C64 {
        let half = |bits: u64, part: usize| f64::from(f32::from_bits((bits >> (32 * part)) as u32));
        let bytes = &self.bytes;
        match self.dtype {
            F32 => C64::new(half(bytes[index / 2], index % 2), 0.0),
            F64 => C64::new(f64::from_bits(bytes[index]), 0.0),
            C32 => C64::new(half(bytes[index], 0), half(bytes[index], 1)),
            _ => C64::new(f64::from_bits(bytes[2 * index]), f64::from_bits(bytes[2 * index + 1])),
        }
    }

    /// All elements, in the order of their indices.
    fn values(&self) -> Vec<C64> {
        let count: usize = self.shape.iter().product();
        let place = |mut index: usize| {
            let mut place = self.first as isize;
            for (&length, &stride) in self.shape.iter().zip(&self.strides).rev() {
                place += (index % length) as isize * stride;
                index /= length;
            }
            place as usize
        };
        (0..count).map(|index| self.get(place(index))).collect()
    }

    fn raw(&mut self) -> RawArray {
        RawArray {
            data: self.bytes.as_mut_ptr().cast(),
            bytes: self.count * size(self.dtype),
            first: self.first,
            dtype: self.dtype,
            writes: self.writes,
            rank: self.shape.len(),
            shape: self.shape.as_ptr(),
            strides: self.strides.as_ptr(),
        }
    }
}

fn call(arrays: &mut [Host], numbers: &[i64]) -> Result<(), String> {
    let arrays: Vec<RawArray> = arrays.iter_mut().map(Host::raw).collect();
    let mut call = RawCall {
        arrays: arrays.as_ptr(),
        array_count: arrays.len(),
        numbers: numbers.as_ptr(),
        number_count: numbers.len(),
        input: std::ptr::null(),
        input_length: 0,
        outcome: 9,
        text: RawText::NONE,
    };
    // SAFETY: arrays and numbers live until it returns, and each array has a vector of its own.
    unsafe { run(&mut call, crate::transform) };
    // Its first call makes panics silent, and so failing tests; the hook that is found by default is not.
    static LOUD: Once = Once::new();
    LOUD.call_once(|| drop(std::panic::take_hook()));
    if call.outcome == 0 {
        return Ok(());
    }
    // SAFETY: a text of `RawText::new`, which is a vector; it is given back once.
    let text = unsafe { Vec::from_raw_parts(call.text.data, call.text.length, call.text.capacity) };
    let text = String::from_utf8(text).unwrap();
    assert_eq!(call.outcome, 1, "a panic: {text}");
    Err(text)
}

fn numbers(is_inverse: bool, scale: f64, axes: &[usize]) -> Vec<i64> {
    let own = [i64::from(is_inverse), scale.to_bits() as i64];
    own.into_iter().chain(axes.iter().map(|axis| *axis as i64)).collect()
}

/// Numbers in -1 to 1 that any precision has.
fn noise(count: usize, seed: u64) -> Vec<C64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 41) as f64 / f64::from(1 << 22) - 1.0
    };
    (0..count).map(|_| C64::new(next(), next())).collect()
}

/// A sum whose rounding is carried along (Neumaier).
fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (total, rest) = terms.fold((0.0f64, 0.0f64), |(total, rest), term| {
        let next = total + term;
        let lost = if total.abs() >= term.abs() { (total - next) + term } else { (term - next) + total };
        (next, rest + lost)
    });
    total + rest
}

/// A transform along an axis, by the definition.
fn along(values: &[C64], shape: &[usize], axis: usize, sign: f64) -> Vec<C64> {
    let (length, width) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let roots: Vec<C64> = (0..length).map(|k| C64::cis(sign * 2.0 * PI * k as f64 / length as f64)).collect();
    let element = |index: usize| {
        let (k, start) = (index / width % length, index / (width * length) * width * length + index % width);
        let term = |j: usize| values[start + j * width] * roots[j * k % length];
        C64::new(sum((0..length).map(|j| term(j).re)), sum((0..length).map(|j| term(j).im)))
    };
    (0..values.len()).map(element).collect()
}

fn by_definition(values: &[C64], shape: &[usize], axes: &[usize], sign: f64) -> Vec<C64> {
    axes.iter().fold(values.to_vec(), |values, axis| along(&values, shape, *axis, sign))
}

fn distance(found: &[C64], expected: &[C64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let norm = expected.iter().map(C64::norm_sqr).sum::<f64>().sqrt();
    found.iter().zip(expected).map(|(found, expected)| (found - expected).norm_sqr()).sum::<f64>().sqrt()
        / norm
}

fn tolerance(dtype: u32, count: usize) -> f64 {
    if matches!(dtype, F32 | C32) { 1e-6 } else { 1e-15 * (count as f64).log2().max(1.0) }
}

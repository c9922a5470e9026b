//! The places of the elements of a mask that are true: the work on both devices.

use std::ops::Range;

use gpurepl_kernels::places::{MOST_PARTS, PLACES_BLOCK, PLACES_TILE};
use gpurepl_kernels::{DType, Generated};

use super::number;
use crate::error::Result;
use crate::host::{Locked, ranges};
use crate::scalar::ScalarBytes;
use crate::{Buffer, GeneratedLaunch, Gpu, Operation};

/// The elements of a part of a mask, and how many parts there are.
fn parts(count: usize) -> (usize, usize) {
    let part = count.div_ceil(MOST_PARTS).next_multiple_of(PLACES_TILE);
    (part, count.div_ceil(part))
}

/// The room that the starts of a mask's parts need, in bytes: a number for each,
/// and one for the total, which is the last.
pub fn starts_bytes(count: usize) -> usize {
    (parts(count).1 + 1) * size_of::<u64>()
}

/// A mask in memory: bytes, of which those that are not zero are true.
#[derive(Clone, Copy)]
pub struct Mask<'a> {
    /// It starts with the mask, which is not empty.
    pub buffer: &'a Buffer,
    /// The number of elements.
    pub count: usize,
}

/// Counts what is true: see [`starts_bytes`].
pub struct PlaceStarts<'a> {
    /// The mask.
    pub mask: Mask<'a>,
    /// Where the counts go.
    pub starts: &'a Buffer,
}

/// Writes the places of what is true, in order, as 64-bit integers, or the
/// elements of an array there.
pub struct Places<'a> {
    /// The mask.
    pub mask: Mask<'a>,
    /// What [`PlaceStarts`] has written.
    pub starts: &'a Buffer,
    /// How many there are: the total.
    pub found: usize,
    /// The array, with an element for each of the mask's: its memory, the first
    /// element and their type.
    pub values: Option<(&'a Buffer, usize, DType)>,
    /// Where the results go: not the memory of anything else.
    pub output: &'a Buffer,
}

impl Mask<'_> {
    fn check(&self, starts: &Buffer) {
        assert!(self.count > 0 && self.buffer.bytes() >= self.count);
        assert!(starts.bytes() >= starts_bytes(self.count));
    }

    fn arguments(&self) -> Vec<ScalarBytes> {
        let (part, _) = parts(self.count);
        vec![ScalarBytes::address(self.buffer.address()), number(self.count), number(part)]
    }

    fn range(&self, part: usize) -> Range<usize> {
        let (length, _) = parts(self.count);
        part * length..self.count.min((part + 1) * length)
    }
}

impl Operation for PlaceStarts<'_> {
    fn name(&self) -> &'static str {
        "a count of a mask"
    }

    fn for_each_buffer(&self, visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>) -> Result<()> {
        visit(self.mask.buffer, false)?;
        visit(self.starts, true)
    }

    fn check(&self) {
        self.mask.check(self.starts);
    }

    fn on_host(&self) -> Result<()> {
        let (_, parts) = parts(self.mask.count);
        let locked = Locked::new(&[self.mask.buffer], &[self.starts]);
        let mask = locked.slice(self.mask.buffer, 0, self.mask.count);
        let output = locked.output(self.starts);
        // SAFETY: the lock is held for writing, and this is the one slice of it.
        let starts = unsafe { output.slice(0, starts_bytes(self.mask.count)) };
        let starts: &mut [u64] = bytemuck::cast_slice_mut(starts);
        let counts: Vec<std::sync::OnceLock<u64>> = (0..parts).map(|_| Default::default()).collect();
        ranges(parts, 1, |range| {
            for part in range {
                let count = mask[self.mask.range(part)].iter().map(|byte| u64::from(*byte != 0)).sum();
                let _ = counts[part].set(count);
            }
        })?;
        let mut sum = 0;
        for (start, count) in starts.iter_mut().zip(&counts) {
            *start = sum;
            sum += count.get().expect("every part has a count");
        }
        starts[parts] = sum;
        Ok(())
    }

    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync> {
        let (mask, count, starts) = (self.mask.buffer.handle(), self.mask.count, self.starts.handle());
        Box::new(move || PlaceStarts { mask: Mask { buffer: &mask, count }, starts: &starts }.on_host())
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let (_, parts) = parts(self.mask.count);
        let mut arguments = self.mask.arguments();
        arguments.push(ScalarBytes::address(self.starts.address()));
        let launch = |entry, grid, block, arguments: &[ScalarBytes]| {
            let text = &Generated::Places(None);
            // SAFETY: these are the arguments of `places::to_cuda`, in its order;
            // `check` has made sure that the mask is so long and that there is a
            // number for each part and one more. A buffer starts at a multiple
            // of 16.
            unsafe { gpu.launch(&GeneratedLaunch { text, entry, grid: (grid, 1), block, arguments }) }
        };
        launch("gpurepl_place_counts", parts, PLACES_BLOCK, &arguments)?;
        let starts = [ScalarBytes::address(self.starts.address()), number(parts)];
        launch("gpurepl_place_starts", 1, MOST_PARTS, &starts)
    }
}

impl Places<'_> {
    /// The size of a result.
    fn size(&self) -> usize {
        self.values.map_or(size_of::<i64>(), |(.., dtype)| dtype.size())
    }
}

impl Operation for Places<'_> {
    fn name(&self) -> &'static str {
        if self.values.is_some() { "a choice by a mask" } else { "the places of a mask" }
    }

    fn for_each_buffer(&self, visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>) -> Result<()> {
        visit(self.mask.buffer, false)?;
        visit(self.starts, false)?;
        if let Some((values, ..)) = self.values {
            visit(values, false)?;
        }
        visit(self.output, true)
    }

    fn check(&self) {
        self.mask.check(self.starts);
        assert!(self.output.bytes() >= self.found * self.size());
        if let Some((values, first, dtype)) = self.values {
            assert!((first + self.mask.count) * dtype.size() <= values.bytes());
        }
    }

    fn on_host(&self) -> Result<()> {
        let (_, parts) = parts(self.mask.count);
        let mut read = vec![self.mask.buffer, self.starts];
        read.extend(self.values.map(|(values, ..)| values));
        let locked = Locked::new(&read, &[self.output]);
        let mask = locked.slice(self.mask.buffer, 0, self.mask.count);
        let starts = locked.slice(self.starts, 0, starts_bytes(self.mask.count));
        let starts: &[u64] = bytemuck::cast_slice(starts);
        let size = self.size();
        let values =
            self.values.map(|(values, first, _)| locked.slice(values, first * size, self.mask.count * size));
        let output = locked.output(self.output);
        ranges(parts, 1, |range| {
            for part in range {
                let (start, end) = (starts[part] as usize, starts[part + 1] as usize);
                if start == end {
                    continue;
                }
                // SAFETY: each part has its own results, between its start and
                // that of the next one.
                let out = unsafe { output.slice(start * size, (end - start) * size) };
                let places = self.mask.range(part);
                let mask = &mask[places.clone()];
                let values = values.map(|values| &values[places.start * size..places.end * size]);
                match (values, size) {
                    (None, _) => write_places(mask, places.start, out),
                    (Some(values), 1) => choose::<u8>(mask, values, out),
                    (Some(values), 2) => choose::<u16>(mask, values, out),
                    (Some(values), 4) => choose::<u32>(mask, values, out),
                    (Some(values), 8) => choose::<u64>(mask, values, out),
                    (Some(values), _) => choose::<[u64; 2]>(mask, values, out),
                }
            }
        })
    }

    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync> {
        let (mask, count, starts) = (self.mask.buffer.handle(), self.mask.count, self.starts.handle());
        let (found, output) = (self.found, self.output.handle());
        let values = self.values.map(|(values, first, dtype)| (values.handle(), first, dtype));
        Box::new(move || {
            let mask = Mask { buffer: &mask, count };
            let values = values.as_ref().map(|(values, first, dtype)| (&**values, *first, *dtype));
            Places { mask, starts: &starts, found, values, output: &output }.on_host()
        })
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let (_, parts) = parts(self.mask.count);
        let mut arguments = self.mask.arguments();
        arguments.extend([self.starts, self.output].map(|buffer| ScalarBytes::address(buffer.address())));
        let values =
            self.values.map_or(0, |(values, first, dtype)| values.address() + (first * dtype.size()) as u64);
        arguments.push(ScalarBytes::address(values));
        let launch = GeneratedLaunch {
            text: &Generated::Places(self.values.map(|(.., dtype)| dtype.size())),
            entry: "gpurepl_places",
            grid: (parts, 1),
            block: PLACES_BLOCK,
            arguments: &arguments,
        };
        // SAFETY: these are the arguments of `places::to_cuda`, in its order. A
        // block writes from the start of its part to that of the next one, also
        // if another thread has changed the mask since it was counted, and the
        // last of them is `found`, for which there is room; `check` has made sure
        // that there is a value for each element of the mask.
        unsafe { gpu.launch(&launch) }
    }
}

/// Writes the places of what is true, of which the first is given.
fn write_places(mask: &[u8], first: usize, out: &mut [u8]) {
    let out: &mut [i64] = bytemuck::cast_slice_mut(out);
    let trues = mask.iter().enumerate().filter(|(_, byte)| **byte != 0);
    for (out, (place, _)) in out.iter_mut().zip(trues) {
        *out = (first + place) as i64;
    }
}

/// Writes the elements where a mask is true.
fn choose<E: bytemuck::Pod>(mask: &[u8], values: &[u8], out: &mut [u8]) {
    let (values, out) = (bytemuck::cast_slice::<u8, E>(values), bytemuck::cast_slice_mut::<u8, E>(out));
    let mut to = 0;
    for (byte, value) in mask.iter().zip(values) {
        // Written in any case, and written over where the mask is false: no
        // branch, which would be guessed wrongly half of the time.
        if let Some(out) = out.get_mut(to) {
            *out = *value;
        }
        to += usize::from(*byte != 0);
    }
}

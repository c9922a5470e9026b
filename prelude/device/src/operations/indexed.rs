//! Elements that are read or written through an array of indices: the work, and
//! how a GPU does it.

use std::sync::Arc;

use gpurepl_kernels::{DType, Generated, INDEXED_BLOCK, Indexed as Text};

use super::kept::Kept;
use super::{grid, indexed_host, number};
use crate::error::Result;
use crate::outside::{self, Indexing};
use crate::scalar::{Scalar, ScalarBytes};
use crate::shape::{Shape, Strides};
use crate::{Buffer, GeneratedLaunch, Gpu, Operation, Strided};

/// An array whose elements are found through indices along one of its axes.
///
/// `shape` is walked in C order. For each of its elements the strides of
/// `places` give a place in the indices, and those of `array` a place in the
/// array, to which the index, times `step`, is added. So axes that the indices
/// do not have are those where `places` is zero, and the other way round.
#[derive(Clone, Copy)]
pub struct Indexed<'a> {
    /// What is walked; it has at least one element.
    pub shape: Shape,
    /// The array, without the axis that is indexed.
    pub array: Strided<'a>,
    /// The type of its elements, which are moved as they are.
    pub dtype: DType,
    /// The stride of the axis that is indexed.
    pub step: isize,
    /// The length of that axis.
    pub length: usize,
    /// The indices, in C order: the first and how many there are.
    pub indices: (&'a Buffer, usize, usize),
    /// Their type, of integers.
    pub index: DType,
    /// Strides in the indices.
    pub places: Strides,
    /// What an index outside of the axis is reported as.
    pub indexing: Indexing,
}

/// Reads elements; they go to the start of `output`, in C order.
pub struct Gather<'a> {
    /// Which elements.
    pub indexed: Indexed<'a>,
    /// Where they go; not the memory of the array or of the indices.
    pub output: &'a Buffer,
}

/// Writes elements. Of several values for one element the last in the order of
/// the indices stays.
pub struct Scatter<'a> {
    /// Which elements.
    pub indexed: Indexed<'a>,
    /// What is written, in the same type; not in the memory that is written, which
    /// holds for the indices too.
    pub values: Strided<'a>,
    /// How to tell elements apart; none where each is written once, or all
    /// values are equal.
    pub claims: Option<Claims>,
}

/// A number for each element that indices can name.
#[derive(Clone, Copy)]
pub struct Claims {
    /// Strides of the numbers over the shape that is walked.
    pub strides: Strides,
    /// Their stride along the axis that is indexed.
    pub step: isize,
    /// How many there are.
    pub count: usize,
}

/// The least and the greatest place that strides reach from an offset.
fn reach(shape: Shape, offset: usize, strides: &Strides, step: isize, length: usize) -> (i128, i128) {
    let axes = shape.lengths().iter().copied().zip(strides.iter().copied());
    let (mut low, mut high) = (offset as i128, offset as i128);
    for (length, stride) in axes.chain(std::iter::once((length, step))) {
        let far = (length as i128 - 1) * stride as i128;
        if far < 0 {
            low += far;
        } else {
            high += far;
        }
    }
    (low, high)
}

impl Indexed<'_> {
    /// Makes sure that no index within the axis leads outside of a buffer.
    fn check(&self) {
        assert!(self.shape.size() > 0 && self.index.is_integer());
        let (buffer, first, count) = self.indices;
        assert!((first + count) * self.index.size() <= buffer.bytes());
        let (low, high) = reach(self.shape, 0, &self.places, 0, 1);
        assert!(low >= 0 && high < count as i128, "internal error: indices {low}..={high} of {count}");
        if self.length > 0 {
            let (low, high) =
                reach(self.shape, self.array.offset, &self.array.strides, self.step, self.length);
            let count = (self.array.buffer.bytes() / self.dtype.size()) as i128;
            assert!(
                low >= 0 && high < count,
                "internal error: elements {low}..={high} of a buffer of {count}"
            );
        }
    }

    fn text(&self) -> Text {
        Text { element: self.dtype.size(), index: self.index, rank: self.shape.rank() }
    }

    fn indices_address(&self) -> ScalarBytes {
        let (buffer, first, _) = self.indices;
        ScalarBytes::address(buffer.address() + (first * self.index.size()) as u64)
    }

    /// What kernels take from the count on to the words for wrong indices.
    fn push_middle(&self, arguments: &mut Vec<ScalarBytes>) -> Result<()> {
        let words = outside::words(self.array.buffer.context())?;
        arguments.extend([number(self.shape.size()), signed(self.step), number(self.length)]);
        arguments.extend([number(self.indexing.number(self.index)), ScalarBytes::address(words)]);
        Ok(())
    }

    /// Lengths and lists of strides.
    fn push_walk(&self, arguments: &mut Vec<ScalarBytes>, strides: &[&Strides]) {
        arguments.extend(self.shape.lengths().iter().map(|length| number(*length)));
        for strides in strides {
            arguments.extend(strides[..self.shape.rank()].iter().map(|stride| signed(*stride)));
        }
    }

    fn kept(&self) -> KeptIndexed {
        let (buffer, first, count) = self.indices;
        KeptIndexed {
            shape: self.shape,
            array: Kept::new(&self.array),
            dtype: self.dtype,
            step: self.step,
            length: self.length,
            indices: (buffer.handle(), first, count),
            index: self.index,
            places: self.places,
            indexing: self.indexing,
        }
    }
}

/// [`Indexed`] for a graph on the host.
struct KeptIndexed {
    shape: Shape,
    array: Kept,
    dtype: DType,
    step: isize,
    length: usize,
    indices: (Arc<Buffer>, usize, usize),
    index: DType,
    places: Strides,
    indexing: Indexing,
}

impl KeptIndexed {
    fn indexed(&self) -> Indexed<'_> {
        let (buffer, first, count) = &self.indices;
        Indexed {
            shape: self.shape,
            array: self.array.strided(),
            dtype: self.dtype,
            step: self.step,
            length: self.length,
            indices: (buffer, *first, *count),
            index: self.index,
            places: self.places,
            indexing: self.indexing,
        }
    }
}

/// A stride as an argument of a kernel.
fn signed(value: isize) -> ScalarBytes {
    Scalar::Int(value as i64).to_bytes(DType::Int64).expect("an i64 is an i64")
}

/// Launches a kernel that takes an element at a time, in a loop.
///
/// # Safety
///
/// The arguments are those of the kernel, and what they describe has been checked.
unsafe fn launch(
    gpu: &dyn Gpu,
    text: &Generated<'_>,
    entry: &'static str,
    count: usize,
    arguments: &[ScalarBytes],
) -> Result<()> {
    let grid = (grid(count, INDEXED_BLOCK, gpu), 1);
    // SAFETY: the caller's promise.
    unsafe { gpu.launch(&GeneratedLaunch { text, entry, grid, block: INDEXED_BLOCK, arguments }) }
}

impl Operation for Gather<'_> {
    fn name(&self) -> &'static str {
        "a choice by indices"
    }

    fn for_each_buffer(&self, visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>) -> Result<()> {
        visit(self.indexed.array.buffer, false)?;
        visit(self.indexed.indices.0, false)?;
        visit(self.output, true)
    }

    fn check(&self) {
        self.indexed.check();
        assert!(self.output.bytes() >= self.indexed.shape.size() * self.indexed.dtype.size());
    }

    fn on_host(&self) -> Result<()> {
        indexed_host::gather(&self.indexed, self.output)
    }

    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync> {
        let (kept, output) = (self.indexed.kept(), self.output.handle());
        Box::new(move || indexed_host::gather(&kept.indexed(), &output))
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let indexed = &self.indexed;
        let text = Generated::Gather(indexed.text());
        let mut arguments = vec![ScalarBytes::address(indexed.array.address(indexed.dtype))];
        arguments.extend([indexed.indices_address(), ScalarBytes::address(self.output.address())]);
        indexed.push_middle(&mut arguments)?;
        indexed.push_walk(&mut arguments, &[&indexed.places, &indexed.array.strides]);
        // SAFETY: these are the arguments of `Indexed::to_cuda_gather`, in its
        // order; `check` has made sure that indices and what they lead to lie
        // within their buffers, and the kernel leaves out indices that do not.
        unsafe { launch(gpu, &text, "gpurepl_gather", indexed.shape.size(), &arguments) }
    }
}

impl Operation for Scatter<'_> {
    fn name(&self) -> &'static str {
        "a write by indices"
    }

    fn for_each_buffer(&self, visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>) -> Result<()> {
        visit(self.indexed.indices.0, false)?;
        visit(self.values.buffer, false)?;
        visit(self.indexed.array.buffer, true)
    }

    fn check(&self) {
        self.indexed.check();
        self.values.check(self.indexed.shape, self.indexed.dtype);
        if let Some(claims) = &self.claims
            && self.indexed.length > 0
        {
            let (low, high) = reach(self.indexed.shape, 0, &claims.strides, claims.step, self.indexed.length);
            assert!(low >= 0 && high < claims.count as i128);
        }
    }

    fn on_host(&self) -> Result<()> {
        indexed_host::scatter(&self.indexed, &self.values)
    }

    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync> {
        let (kept, values) = (self.indexed.kept(), Kept::new(&self.values));
        Box::new(move || indexed_host::scatter(&kept.indexed(), &values.strided()))
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let indexed = &self.indexed;
        let count = indexed.shape.size();
        let text = Generated::Scatter(indexed.text());
        let claimed = self.claims.filter(|claims| claims.count > 0);
        let held = claimed.map(|claims| self.claim(gpu, &text, &claims)).transpose()?;
        let mut arguments = vec![ScalarBytes::address(indexed.array.address(indexed.dtype))];
        arguments
            .extend([indexed.indices_address(), ScalarBytes::address(self.values.address(indexed.dtype))]);
        indexed.push_middle(&mut arguments)?;
        arguments.push(signed(claimed.map_or(0, |claims| claims.step)));
        arguments.push(ScalarBytes::address(held.as_ref().map_or(0, |held| held.address())));
        let none = Strides::default();
        let strides = claimed.as_ref().map_or(&none, |claims| &claims.strides);
        let walk = [&indexed.places, &indexed.array.strides, &self.values.strides, strides];
        indexed.push_walk(&mut arguments, &walk);
        // SAFETY: these are the arguments of `Indexed::to_cuda_scatter`, in its
        // order; `check` has made sure that indices, values and what indices
        // lead to lie within their buffers, and the kernel leaves out indices
        // that do not. The claims are given back after the launch, on the same
        // stream.
        unsafe { launch(gpu, &text, "gpurepl_scatter", count, &arguments) }
    }
}

impl Scatter<'_> {
    /// The last place among the indices for each element, plus one.
    fn claim(&self, gpu: &dyn Gpu, text: &Generated<'_>, claims: &Claims) -> Result<Arc<Buffer>> {
        let indexed = &self.indexed;
        let held = Buffer::new(indexed.array.buffer.context(), claims.count * size_of::<u64>())?;
        held.enter(true)?;
        for phase in [0, 1] {
            let mut arguments = vec![indexed.indices_address(), ScalarBytes::address(held.address())];
            arguments.extend([number(indexed.shape.size()), signed(claims.step)]);
            arguments.extend([number(indexed.length), number(phase)]);
            indexed.push_walk(&mut arguments, &[&indexed.places, &claims.strides]);
            // SAFETY: as in `on_gpu`; `check` has made sure that the claims have
            // a number for each element that an index within the axis leads to.
            unsafe { launch(gpu, text, "gpurepl_claim", indexed.shape.size(), &arguments) }?;
        }
        Ok(held)
    }
}

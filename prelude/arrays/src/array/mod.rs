//! Arrays on the device.
//!
//! [`GpuArray<T>`] is a typed shell over [`Raw`], an untyped handle. A handle
//! stands for a `node::Node`: a place in the device's memory, or an
//! elementwise expression over other nodes that is evaluated when its value
//! is asked for. Until then expressions grow, so that `5.0*&a + 6.0*&b` is
//! one kernel that reads `a` and `b` once.
//!
//! An expression is evaluated when its array is read, written over, indexed,
//! passed to a kernel or shown, when it has grown to about fifty operations, and
//! at the end of the cell. A reduction takes it into its own kernel; one that
//! is reduced a second time is evaluated first. It reads the values that its
//! arrays had when it was written: before an array is overwritten, expressions
//! that still have to read it are evaluated.

mod any_view;
mod arithmetic;
mod at;
mod average;
mod axis;
mod bins;
mod bits;
mod choose;
mod chosen;
mod compare;
mod convolve;
mod covariance;
mod create;
mod cross;
mod differences;
mod edit;
mod einsum;
mod elem;
mod expression;
mod extremes;
mod fusion;
mod gradients;
mod grids;
mod histograms;
mod host_dot;
mod index;
mod indices;
mod iterate;
mod join;
mod kernel_data;
mod layout;
mod lent;
mod masks;
mod math;
mod matrices;
mod merged_axes;
mod nan;
mod node;
mod operators;
mod order;
mod over;
#[cfg(test)]
mod overflow_tests;
mod packed;
mod pad;
mod pairs;
mod phases;
mod places;
mod polynomials;
mod positions;
mod products;
mod put;
mod quantiles;
mod raw;
mod reduce;
mod repeat;
mod rules;
mod running;
mod serialize;
mod sets;
mod slices;
mod softmax;
mod sort;
mod split;
mod subscripts;
mod summary;
mod take;
pub mod text;
mod transfer;
mod triples;
mod unique_parts;
#[doc(hidden)]
pub mod untyped;
mod variance;
mod view;
mod windows;
mod write;

pub use any_view::AnyView;
pub use at::UpdateIndices;
pub(crate) use axis::distinct_axes;
pub use bins::IntoBins;
pub use bits::broadcast_shapes;
pub(crate) use bits::may_share;
pub use choose::{choose, select};
pub use compare::{Base, Choices, allclose, array_equal, clip, maximum, minimum, power, where_};
pub use create::{
    Arange, By, Stepped, arange, empty, empty_like, full, full_like, linspace, ones, ones_like,
    uninitialized, zeros, zeros_like,
};
pub use einsum::einsum;
pub use elem::{AnyScalar, Elem, IntScalar, NumberFor, Promote, RealScalar, element};
pub use fusion::{ExpressionSource, FusionGuard, without_fusion};
pub use gradients::Spacings;
pub use grids::{
    Ranges, geomspace, geomspace_open, indices, linspace_open, linspace_step, logspace, logspace_base,
    logspace_open, meshgrid, meshgrid_ij, meshgrid_ij_sparse, meshgrid_sparse, mgrid, ogrid,
};
pub use histograms::IntoGrid;
pub use host_dot::HostDot;
pub use indices::{Choice, IndexArray, IndexElem, MaskArray};
pub use iterate::Views;
pub use join::{
    ArrayList, block, column_stack, concatenate, concatenate_axis, dstack, hstack, stack, stack_axis, vstack,
};
pub use kernel_data::{KernelData, Struct, define_in_c, layout_of_c};
pub use layout::{Broadcast, broadcast_arrays};
pub use math::{AsArray, NumberElem, RealElem, TypeOf, cumath, special, types};
pub use matrices::{eye, eye_k, identity, tri};
pub use operators::{BitElem, IntoValue, Operand, ShiftElem};
pub use order::Order;
pub use packed::BitOrder;
pub use pad::{PadValue, PadWidth};
pub use pairs::IntegerElem;
pub use phases::{unwrap, unwrap_axis, unwrap_period};
pub use places::{
    IndexLists, Mesh, diag_indices, ix_, ravel_multi_index, tril_indices, triu_indices, unravel_index,
};
pub use polynomials::{
    poly, polyadd, polyder, polyder_n, polydiv, polyfit, polyfit_cov, polyfit_full, polyfit_weights, polyint,
    polyint_n, polymul, polynomial, polysub, polyval, roots,
};
pub use positions::IntoPositions;
pub use quantiles::{IntoShares, QuantileMethod};
pub use raw::{Raw, Value, WeakRaw};
pub use sets::lexsort;
pub use slices::{ArrayIndex, SliceItem, Slices};
pub(crate) use sort::sorted;
pub use transfer::{ToGpu, to_gpu, try_to_gpu};

pub use crate::random::{DistributionParameter, NormalElem, RandomElem};
pub use crate::scalar::Scalar;
pub use crate::shape::{Dims, IntoShape, Length, MAX_RANK};

pub use expression::{next_expression, settle, settle_since, settle_unread};
pub(crate) use kernel_data::structure;
pub(crate) use layout::{reordered, stretched_to};
pub(crate) use merged_axes::merge_axes;
pub use node::{Node, Place};
pub use summary::{Summary, summarize};
pub use text::options::{
    FloatMode, PrintOptions, PrintOptionsGuard, Sign, get_printoptions, printoptions, set_printoptions,
};
pub use transfer::{download, upload};
pub use view::transposed;
pub use windows::{bartlett, blackman, hamming, hanning, kaiser};
pub(crate) use write::{copy_bytes, repeats};

use std::marker::PhantomData;

use bytemuck::TransparentWrapper;
use gpurepl_kernels::DType;

/// An array on the device: NumPy's `ndarray`, PyCUDA's `GPUArray`.
///
/// Arithmetic works with arrays and numbers on both sides, broadcasts, and
/// gives NumPy's types. A clone is another handle to the same memory;
/// [`GpuArray::copy`] copies.
///
/// ```
/// use gpurepl_prelude::*;
/// let a: GpuArray<i32> = arange(0..6).reshape((2, 3));
/// let b = &a * 2 + gpu![i32; 1, 0, -1];
/// assert_eq!(b.to_string(), "[[1 2 3]\n [7 8 9]]");
/// ```
#[derive(TransparentWrapper)]
#[repr(transparent)]
#[transparent(Raw)]
pub struct GpuArray<T> {
    #[doc(hidden)]
    pub raw: Raw,
    element: PhantomData<T>,
}

impl<T> GpuArray<T> {
    /// Gives a handle its type. It must be the handle's own.
    pub(crate) fn wrap(raw: Raw) -> GpuArray<T> {
        GpuArray { raw, element: PhantomData }
    }
}

impl<T: Elem> GpuArray<T> {
    /// Gives an untyped handle its type. Used by macros.
    ///
    /// # Panics
    ///
    /// If the array is of another type.
    #[doc(hidden)]
    #[track_caller]
    pub fn from_untyped(raw: Raw) -> GpuArray<T> {
        assert_eq!(raw.dtype(), T::DTYPE, "an array of another type");
        GpuArray::wrap(raw)
    }
}

impl<T> Clone for GpuArray<T> {
    /// Another handle to the same memory.
    fn clone(&self) -> GpuArray<T> {
        GpuArray::wrap(self.raw.clone())
    }
}

impl<T: Elem> GpuArray<T> {
    /// The lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        self.raw.lengths()
    }

    /// The number of axes.
    pub fn ndim(&self) -> usize {
        self.raw.lengths().len()
    }

    /// The number of elements.
    pub fn size(&self) -> usize {
        self.raw.size()
    }

    /// The length of the first axis, as Python's `len`; 1 if there is none.
    pub fn len(&self) -> usize {
        self.raw.lengths().first().copied().unwrap_or(1)
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.raw.size() == 0
    }

    /// The element type as a value.
    pub fn dtype(&self) -> DType {
        T::DTYPE
    }

    /// The size of an element in bytes.
    pub fn itemsize(&self) -> usize {
        T::DTYPE.size()
    }

    /// The size of all elements in bytes.
    pub fn nbytes(&self) -> usize {
        self.raw.size() * T::DTYPE.size()
    }

    /// The steps between neighbours along each axis, in bytes, as in NumPy.
    ///
    /// # Panics
    ///
    /// If the array is an expression and evaluating it fails.
    #[track_caller]
    pub fn strides(&self) -> Vec<isize> {
        raw_strides(&self.raw)
    }
}

#[track_caller]
fn raw_strides(raw: &Raw) -> Vec<isize> {
    use crate::error::OrRaise as _;
    let place = raw.place().or_raise();
    place.strides[..raw.shape().rank()].iter().map(|stride| stride * raw.dtype().size() as isize).collect()
}

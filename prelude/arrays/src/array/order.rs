//! The order in which elements lie in memory: NumPy's C and F.

use super::layout::Layout;
use super::node::{Node, Place};
use super::raw::Raw;
use super::view::transposed;
use super::{Elem, GpuArray};
use crate::error::{OrRaise as _, Result};
use crate::shape::{Dims, IntoShape, Shape};

/// The order of elements in memory, in NumPy's words.
///
/// Of memory for textures it says which axis becomes the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The last axis varies fastest: element `(i, j)` of a matrix is at x = j, y = i.
    C,
    /// The first axis varies fastest: element `(i, j)` is at x = i, y = j.
    F,
}

impl<T: Elem> GpuArray<T> {
    /// Whether the elements lie side by side in C order: along the last axis
    /// first. NumPy's `a.flags.c_contiguous`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = zeros::<f32>((2, 3));
    /// assert!(a.is_c_contiguous() && !a.is_f_contiguous() && a.t().is_f_contiguous());
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the array is an expression and
    /// evaluating it fails.
    #[track_caller]
    pub fn is_c_contiguous(&self) -> bool {
        lies_in(&self.raw, Order::C).or_raise()
    }

    /// Whether the elements lie side by side in F order: along the first axis
    /// first. NumPy's `a.flags.f_contiguous`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::is_c_contiguous`].
    #[track_caller]
    pub fn is_f_contiguous(&self) -> bool {
        lies_in(&self.raw, Order::F).or_raise()
    }

    /// The array itself if its elements lie in C order, else a copy in which they
    /// do.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device does not have enough memory.
    #[track_caller]
    pub fn ascontiguousarray(&self) -> GpuArray<T> {
        GpuArray::wrap(in_order(&self.raw, Order::C).or_raise())
    }

    /// The array itself if its elements lie in F order, else a copy in which they
    /// do: what libraries of Fortran and cuBLAS call column-major.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[1, 2, 3], [4, 5, 6]];
    /// let f = a.asfortranarray();
    /// assert_eq!((f.strides(), f.to_vec()), (vec![4, 8], a.to_vec()));
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::ascontiguousarray`].
    #[track_caller]
    pub fn asfortranarray(&self) -> GpuArray<T> {
        GpuArray::wrap(in_order(&self.raw, Order::F).or_raise())
    }

    /// A copy whose elements lie in an order: NumPy's `a.copy(order="F")`.
    ///
    /// ```
    /// use gpurepl_prelude::{memory::Order, *};
    /// assert_eq!(zeros::<f64>((2, 3)).copy_order(Order::F).strides(), [8, 16]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::ascontiguousarray`].
    #[track_caller]
    pub fn copy_order(&self, order: Order) -> GpuArray<T> {
        GpuArray::wrap(copied(&self.raw, order).or_raise())
    }

    /// The elements along one axis, in an order: NumPy's `a.ravel(order="F")`. A
    /// view if they lie in it, else a copy.
    ///
    /// ```
    /// use gpurepl_prelude::{memory::Order, *};
    /// assert_eq!(gpu![[1, 2], [3, 4]].ravel_order(Order::F).to_vec(), [1, 3, 2, 4]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::ascontiguousarray`].
    #[track_caller]
    pub fn ravel_order(&self, order: Order) -> GpuArray<T> {
        GpuArray::wrap(flat(&self.raw, order).or_raise())
    }

    /// A copy of the elements along one axis, in C order.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::ascontiguousarray`].
    #[track_caller]
    pub fn flatten(&self) -> GpuArray<T> {
        self.flatten_order(Order::C)
    }

    /// A copy of the elements along one axis, in an order.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::ascontiguousarray`].
    #[track_caller]
    pub fn flatten_order(&self, order: Order) -> GpuArray<T> {
        GpuArray::wrap(flattened(&self.raw, order).or_raise())
    }

    /// The same elements in another shape, which are counted in an order for both
    /// shapes: NumPy's `a.reshape(shape, order="F")`.
    ///
    /// ```
    /// use gpurepl_prelude::{memory::Order, *};
    /// let a = arange(0..6).reshape_order((2, 3), Order::F);
    /// assert_eq!(a.to_string(), "[[0 2 4]\n [1 3 5]]");
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the shape has another number of
    /// elements.
    #[track_caller]
    pub fn reshape_order(&self, shape: impl IntoShape, order: Order) -> GpuArray<T> {
        GpuArray::wrap(reshaped(&self.raw, shape.into_dims(), order).or_raise())
    }
}

/// The array as its elements lie in C order: itself, or turned around.
fn turned(raw: &Raw, order: Order) -> Result<Raw> {
    match order {
        Order::C => Ok(raw.clone()),
        Order::F => transposed(raw),
    }
}

fn lies_in(raw: &Raw, order: Order) -> Result<bool> {
    // Evaluated first: what is computed for a question is kept.
    raw.node().place()?;
    let layout = Layout::of(&turned(raw, order)?)?;
    let mut expected = 1;
    // Axes of one element may have any stride, and so may nothing.
    let is_side_by_side = |(length, stride): &(usize, isize)| {
        let fits = *length == 1 || *stride == expected;
        expected *= *length as isize;
        fits
    };
    Ok(raw.size() == 0 || layout.axes.iter().rev().all(is_side_by_side))
}

fn in_order(raw: &Raw, order: Order) -> Result<Raw> {
    if lies_in(raw, order)? { Ok(raw.clone()) } else { copied(raw, order) }
}

fn copied(raw: &Raw, order: Order) -> Result<Raw> {
    let raw = turned(raw, order)?;
    turned(&Raw::new(Node::ready(raw.shape(), raw.dtype(), raw.copied()?)), order)
}

fn flat(raw: &Raw, order: Order) -> Result<Raw> {
    turned(raw, order)?.reshaped(Shape::new(&[raw.size()]))
}

fn flattened(raw: &Raw, order: Order) -> Result<Raw> {
    let shape = Shape::new(&[raw.size()]);
    let place = Place { strides: shape.strides(), ..turned(raw, order)?.copied()? };
    Ok(Raw::new(Node::ready(shape, raw.dtype(), place)))
}

fn reshaped(raw: &Raw, dims: Dims, order: Order) -> Result<Raw> {
    let shape = dims.reshaped(raw.shape())?;
    match order {
        Order::C => raw.reshaped(shape),
        Order::F => {
            let lengths: Vec<usize> = shape.lengths().iter().rev().copied().collect();
            transposed(&transposed(raw)?.reshaped(Shape::new(&lengths))?)
        }
    }
}

//! Views with other axes: in another order, turned around, added, stretched.
//!
//! Nothing here copies elements. A view differs from its array in where it
//! begins and in the length and stride of each axis.

use super::axis::{axis_of, distinct_axes};
use super::node::{Node, Place};
use super::raw::Raw;
use super::{Elem, GpuArray, ToGpu};
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::{Dims, IntoShape, MAX_RANK, Shape};

/// Views that share the array's memory: writing to one writes to the array.
/// Negative axes count from the last.
///
/// They panic with an [`Error`](crate::Error) if there is no such axis, an
/// axis is named twice or the device reports an error.
impl<T: Elem> GpuArray<T> {
    /// The axes in the order that is given: NumPy's `a.transpose(axes)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = zeros::<f32>((2, 3, 4));
    /// assert_eq!(a.transpose_axes((2, 0, 1)).shape(), [4, 2, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if not every axis is named once.
    #[track_caller]
    pub fn transpose_axes(&self, axes: impl IntoShape) -> GpuArray<T> {
        GpuArray::wrap(transposed_axes(&self.raw, axes.into_dims()).or_raise())
    }

    /// Two axes exchanged.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(zeros::<f32>((2, 3, 4)).swapaxes(0, -1).shape(), [4, 3, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no such axis.
    #[track_caller]
    pub fn swapaxes(&self, first: isize, second: isize) -> GpuArray<T> {
        GpuArray::wrap(swapped(&self.raw, first, second).or_raise())
    }

    /// An axis, or several, at other positions; the others keep their order.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = zeros::<f32>((2, 3, 4));
    /// assert_eq!(a.moveaxis(0, -1).shape(), [3, 4, 2]);
    /// assert_eq!(a.moveaxis((0, 1), (-1, -2)).shape(), [4, 3, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no such axis, one is named
    /// twice, or there are not as many positions as axes.
    #[track_caller]
    pub fn moveaxis(&self, source: impl IntoShape, destination: impl IntoShape) -> GpuArray<T> {
        GpuArray::wrap(moved(&self.raw, source.into_dims(), destination.into_dims()).or_raise())
    }

    /// New axes of length 1, which are at these positions in the view.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![1, 2, 3];
    /// assert_eq!(a.expand_dims(0).shape(), [1, 3]);
    /// assert_eq!(a.expand_dims((0, -1)).shape(), [1, 3, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the view has no such axis, or more
    /// than 8.
    #[track_caller]
    pub fn expand_dims(&self, axes: impl IntoShape) -> GpuArray<T> {
        GpuArray::wrap(expanded(&self.raw, axes.into_dims()).or_raise())
    }

    /// A view without these axes, whose length is 1.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(zeros::<f32>((1, 3, 1)).squeeze_axis(0).shape(), [3, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if an axis has another length.
    #[track_caller]
    pub fn squeeze_axis(&self, axes: impl IntoShape) -> GpuArray<T> {
        GpuArray::wrap(squeezed_axes(&self.raw, axes.into_dims()).or_raise())
    }

    /// The elements in reverse order along every axis.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [3, 4]].flip().to_vec(), [4, 3, 2, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device reports one.
    #[track_caller]
    pub fn flip(&self) -> GpuArray<T> {
        GpuArray::wrap(flipped(&self.raw, None).or_raise())
    }

    /// The elements in reverse order along an axis, or several.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [3, 4]].flip_axis(0).to_vec(), [3, 4, 1, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no such axis.
    #[track_caller]
    pub fn flip_axis(&self, axes: impl IntoShape) -> GpuArray<T> {
        GpuArray::wrap(flipped(&self.raw, Some(axes.into_dims())).or_raise())
    }

    /// The columns in reverse order: the second axis.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are less than 2 axes.
    #[track_caller]
    pub fn fliplr(&self) -> GpuArray<T> {
        self.flip_axis(1)
    }

    /// The rows in reverse order: the first axis.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no axis.
    #[track_caller]
    pub fn flipud(&self) -> GpuArray<T> {
        self.flip_axis(0)
    }

    /// The first two axes turned by `count` times 90 degrees, from the first
    /// towards the second.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[1, 2], [3, 4]];
    /// assert_eq!(a.rot90(1).to_vec(), [2, 4, 1, 3]);
    /// assert_eq!(a.rot90(-1).to_vec(), [3, 1, 4, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are less than 2 axes.
    #[track_caller]
    pub fn rot90(&self, count: i64) -> GpuArray<T> {
        self.rot90_axes(count, (0, 1))
    }

    /// [`GpuArray::rot90`] in the plane of two axes.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are no such axes, or they are
    /// the same.
    #[track_caller]
    pub fn rot90_axes(&self, count: i64, (first, second): (isize, isize)) -> GpuArray<T> {
        GpuArray::wrap(turned(&self.raw, count, first, second).or_raise())
    }

    /// The elements repeated to a larger shape, as by arithmetic. The view
    /// cannot be written, because several of its elements are the same one;
    /// `copy()` can.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2].broadcast_to((2, 2)).to_vec(), [1, 2, 1, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the shape does not broadcast to it.
    #[track_caller]
    pub fn broadcast_to(&self, shape: impl IntoShape) -> GpuArray<T> {
        GpuArray::wrap(stretched(&self.raw, shape.into_dims()).or_raise())
    }

    /// The elements whose place on the second axis is `offset` more than on the
    /// first. Of more than two axes it is a diagonal for each place on the
    /// others, along the last axis of the view. Unlike NumPy's it can be written.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let mut a = zeros::<i32>((2, 3));
    /// a.diagonal(1).fill(7);
    /// assert_eq!(a.to_vec(), [0, 7, 0, 0, 0, 7]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are less than 2 axes.
    #[track_caller]
    pub fn diagonal(&self, offset: isize) -> GpuArray<T> {
        self.diagonal_axes(offset, (0, 1))
    }

    /// [`GpuArray::diagonal`] of two axes.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are no such axes, or they are
    /// the same.
    #[track_caller]
    pub fn diagonal_axes(&self, offset: isize, (first, second): (isize, isize)) -> GpuArray<T> {
        GpuArray::wrap(diagonal(&self.raw, offset, first, second).or_raise())
    }

    /// A view with at least one axis.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device reports one.
    #[track_caller]
    pub fn atleast_1d(&self) -> GpuArray<T> {
        GpuArray::wrap(at_least(&self.raw, 1).or_raise())
    }

    /// A view with at least two axes; a vector is a row.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device reports one.
    #[track_caller]
    pub fn atleast_2d(&self) -> GpuArray<T> {
        GpuArray::wrap(at_least(&self.raw, 2).or_raise())
    }

    /// A view with at least three axes: `(n)` becomes `(1, n, 1)`, and `(m, n)`
    /// becomes `(m, n, 1)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2].atleast_3d().shape(), [1, 2, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device reports one.
    #[track_caller]
    pub fn atleast_3d(&self) -> GpuArray<T> {
        GpuArray::wrap(at_least(&self.raw, 3).or_raise())
    }
}

/// Arrays of one type, or a tuple of arrays of several.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of arrays",
    note = "write `&[&a, &b]`, or `(&a, &b)` where the types of the elements differ"
)]
pub trait Broadcast {
    /// Views of the arrays.
    type Out;

    #[doc(hidden)]
    #[track_caller]
    fn raws(&self) -> Vec<Raw>;

    #[doc(hidden)]
    fn wrapped(raws: Vec<Raw>) -> Self::Out;
}

macro_rules! lists {
    ($($list:ty;)*) => {$(
        impl<A: ToGpu> Broadcast for $list {
            type Out = Vec<GpuArray<A::Elem>>;

            #[track_caller]
            fn raws(&self) -> Vec<Raw> {
                self.iter().map(ToGpu::upload).collect::<Result<_>>().or_raise()
            }

            fn wrapped(raws: Vec<Raw>) -> Self::Out {
                raws.into_iter().map(GpuArray::wrap).collect()
            }
        }
    )*};
}
lists! {
    [A];
    Vec<A>;
}

impl<A: ToGpu, const N: usize> Broadcast for [A; N] {
    type Out = [GpuArray<A::Elem>; N];

    #[track_caller]
    fn raws(&self) -> Vec<Raw> {
        self.as_slice().raws()
    }

    fn wrapped(raws: Vec<Raw>) -> Self::Out {
        let mut raws = raws.into_iter();
        std::array::from_fn(|_| GpuArray::wrap(raws.next().expect("as many views as arrays")))
    }
}

impl<L: Broadcast + ?Sized> Broadcast for &L {
    type Out = L::Out;

    #[track_caller]
    fn raws(&self) -> Vec<Raw> {
        (**self).raws()
    }

    fn wrapped(raws: Vec<Raw>) -> Self::Out {
        L::wrapped(raws)
    }
}

macro_rules! tuples {
    ($(($($name:ident $place:tt),+))*) => {$(
        impl<$($name: ToGpu),+> Broadcast for ($($name,)+) {
            type Out = ($(GpuArray<$name::Elem>,)+);

            #[track_caller]
            fn raws(&self) -> Vec<Raw> {
                vec![$(self.$place.upload().or_raise()),+]
            }

            fn wrapped(raws: Vec<Raw>) -> Self::Out {
                let mut raws = raws.into_iter();
                ($(GpuArray::<$name::Elem>::wrap(raws.next().expect("as many views as arrays")),)+)
            }
        }
    )*};
}
gpurepl_ground::for_tuples!(up to 8, tuples);

/// Views of arrays that have the same shape, to which each is repeated: see
/// [`GpuArray::broadcast_to`].
///
/// ```
/// use gpurepl_prelude::*;
/// let (column, row) = (gpu![[1], [2]], gpu![0.5, 1.5, 2.5]);
/// let (x, y) = broadcast_arrays((&column, &row));
/// assert_eq!((x.shape(), y.shape()), ([2, 3].as_slice(), [2, 3].as_slice()));
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if shapes do not broadcast.
#[track_caller]
pub fn broadcast_arrays<A: Broadcast>(arrays: A) -> A::Out {
    A::wrapped(stretched_together(&arrays.raws()).or_raise())
}

/// A view of some places of an axis, from `start` on.
pub(super) fn narrowed(raw: &Raw, axis: usize, start: usize, length: usize) -> Result<Raw> {
    let mut layout = Layout::of(raw)?;
    layout.narrow(axis, start, length);
    layout.view("slice", raw)
}

/// Where a view begins, and the length and stride of each axis.
pub(super) struct Layout {
    place: Place,
    offset: isize,
    pub(super) axes: Vec<(usize, isize)>,
}

impl Layout {
    pub(super) fn of(raw: &Raw) -> Result<Layout> {
        let place = raw.place()?;
        let axes = raw.lengths().iter().copied().zip(place.strides).collect();
        Ok(Layout { offset: place.offset as isize, place, axes })
    }

    pub(super) fn view(self, operation: &'static str, raw: &Raw) -> Result<Raw> {
        if self.axes.len() > MAX_RANK {
            let message =
                format!("arrays have at most {MAX_RANK} axes, and this one would have {}", self.axes.len());
            return Err(Problem::Shape { operation, message }.into());
        }
        let (lengths, steps): (Vec<usize>, Vec<isize>) = self.axes.into_iter().unzip();
        let shape = Shape::new(&lengths);
        let mut strides = [0; MAX_RANK];
        strides[..steps.len()].copy_from_slice(&steps);
        // An empty view names no element; where it starts must not matter.
        let offset = if shape.size() == 0 { 0 } else { self.offset as usize };
        Ok(Raw::new(Node::ready(shape, raw.dtype(), Place { offset, strides, ..self.place })))
    }

    /// The elements whose places on all axes are equal.
    pub(super) fn diagonal(mut self, count: usize) -> Layout {
        let stride = self.axes.iter().map(|(_, stride)| stride).sum();
        self.axes = vec![(count, stride)];
        self
    }

    /// Only some places of an axis, from `start` on.
    pub(super) fn narrow(&mut self, axis: usize, start: usize, length: usize) {
        let (whole, stride) = &mut self.axes[axis];
        debug_assert!(start + length <= *whole);
        self.offset += start as isize * *stride;
        *whole = length;
    }

    pub(super) fn flip(&mut self, axis: usize) {
        let (length, stride) = &mut self.axes[axis];
        self.offset += length.saturating_sub(1) as isize * *stride;
        *stride = -*stride;
    }
}

pub(super) fn transposed_axes(raw: &Raw, order: Dims) -> Result<Raw> {
    let operation = "transpose_axes";
    let order = distinct_axes(operation, raw.shape(), raw.shape().rank(), order)?;
    if order.len() != raw.shape().rank() {
        // NumPy's words.
        let message = format!(
            "axes don't match array: shape {:?} has {}, and {} are named\n  = help: name each once; `a.t()` reverses them",
            raw.shape(),
            raw.shape().rank(),
            order.len()
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    reordered(operation, raw, &order)
}

/// The axes in another order; each is named once.
pub(crate) fn reordered(operation: &'static str, raw: &Raw, order: &[usize]) -> Result<Raw> {
    let mut layout = Layout::of(raw)?;
    layout.axes = order.iter().map(|axis| layout.axes[*axis]).collect();
    layout.view(operation, raw)
}

fn swapped(raw: &Raw, first: isize, second: isize) -> Result<Raw> {
    let axis = |axis| axis_of("swapaxes", raw.shape(), axis);
    let (first, second) = (axis(first)?, axis(second)?);
    let mut layout = Layout::of(raw)?;
    layout.axes.swap(first, second);
    layout.view("swapaxes", raw)
}

pub(super) fn moved(raw: &Raw, source: Dims, destination: Dims) -> Result<Raw> {
    let (operation, shape) = ("moveaxis", raw.shape());
    let source = distinct_axes(operation, shape, shape.rank(), source)?;
    let destination = distinct_axes(operation, shape, shape.rank(), destination)?;
    if source.len() != destination.len() {
        let message = format!(
            "`source` and `destination` must have the same number of elements, and have {} and {}",
            source.len(),
            destination.len()
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    let mut order: Vec<usize> = (0..shape.rank()).filter(|axis| !source.contains(axis)).collect();
    let mut moves: Vec<(usize, usize)> = destination.into_iter().zip(source).collect();
    moves.sort_unstable();
    moves.into_iter().for_each(|(to, from)| order.insert(to, from));
    reordered(operation, raw, &order)
}

pub(super) fn expanded(raw: &Raw, axes: Dims) -> Result<Raw> {
    let operation = "expand_dims";
    let rank = raw.shape().rank() + axes.numbers(operation)?.len();
    let mut added = distinct_axes(operation, raw.shape(), rank, axes)?;
    added.sort_unstable();
    let mut layout = Layout::of(raw)?;
    added.into_iter().for_each(|axis| layout.axes.insert(axis, (1, 0)));
    layout.view(operation, raw)
}

fn squeezed_axes(raw: &Raw, axes: Dims) -> Result<Raw> {
    let (operation, shape) = ("squeeze_axis", raw.shape());
    let mut removed = distinct_axes(operation, shape, shape.rank(), axes)?;
    removed.sort_unstable();
    let mut layout = Layout::of(raw)?;
    for axis in removed.into_iter().rev() {
        let (length, _) = layout.axes.remove(axis);
        if length != 1 {
            // NumPy's words.
            let message = format!(
                "cannot select an axis to squeeze out which has size not equal to one: axis {axis} of shape {shape:?}\n  \
                 = help: `a.squeeze()` leaves out all axes of length 1"
            );
            return Err(Problem::Shape { operation, message }.into());
        }
    }
    layout.view(operation, raw)
}

pub(super) fn flipped(raw: &Raw, axes: Option<Dims>) -> Result<Raw> {
    let rank = raw.shape().rank();
    let axes = match axes {
        Some(axes) => distinct_axes("flip_axis", raw.shape(), rank, axes)?,
        None => (0..rank).collect(),
    };
    let mut layout = Layout::of(raw)?;
    axes.into_iter().for_each(|axis| layout.flip(axis));
    layout.view("flip", raw)
}

fn two_axes(operation: &'static str, raw: &Raw, first: isize, second: isize) -> Result<(usize, usize)> {
    let (shape, rank) = (raw.shape(), raw.shape().rank());
    if rank < 2 {
        let message = format!("an array of at least two axes is required, and shape {shape:?} has {rank}");
        return Err(Problem::Shape { operation, message }.into());
    }
    let (a, b) = (axis_of(operation, shape, first)?, axis_of(operation, shape, second)?);
    if a == b {
        let message = format!("axes {first} and {second} are the same; name two");
        return Err(Problem::Shape { operation, message }.into());
    }
    Ok((a, b))
}

fn turned(raw: &Raw, count: i64, first: isize, second: isize) -> Result<Raw> {
    let (first, second) = two_axes("rot90", raw, first, second)?;
    let mut layout = Layout::of(raw)?;
    let turns = count.rem_euclid(4);
    if turns == 1 || turns == 2 {
        layout.flip(second);
    }
    if turns == 2 || turns == 3 {
        layout.flip(first);
    }
    if turns % 2 == 1 {
        layout.axes.swap(first, second);
    }
    layout.view("rot90", raw)
}

fn stretched(raw: &Raw, dims: Dims) -> Result<Raw> {
    let to = dims.shape("broadcast_to", raw.dtype().size())?;
    stretched_to("broadcast_to", raw, to)
}

pub(crate) fn stretched_to(operation: &'static str, raw: &Raw, to: Shape) -> Result<Raw> {
    let from = raw.shape();
    match from.broadcast(to, operation) {
        Ok(shape) if shape == to => {}
        _ => {
            let (left, right) = (from.lengths().to_vec(), to.lengths().to_vec());
            return Err(Problem::Broadcast { operation, left, right }.into());
        }
    }
    let place = raw.place()?;
    let strides = place.broadcast(from, to);
    let offset = if to.size() == 0 { 0 } else { place.offset };
    Ok(Raw::new(Node::ready(to, raw.dtype(), Place { offset, strides, ..place })))
}

fn stretched_together(raws: &[Raw]) -> Result<Vec<Raw>> {
    let operation = "broadcast_arrays";
    let together = |shape: Shape, raw: &Raw| shape.broadcast(raw.shape(), operation);
    let shape = raws.iter().try_fold(Shape::SCALAR, together)?;
    raws.iter().map(|raw| stretched_to(operation, raw, shape)).collect()
}

pub(super) fn diagonal(raw: &Raw, offset: isize, first: isize, second: isize) -> Result<Raw> {
    let (first, second) = two_axes("diagonal", raw, first, second)?;
    let mut layout = Layout::of(raw)?;
    let ((rows, down), (columns, right)) = (layout.axes[first], layout.axes[second]);
    let (above, below) = if offset < 0 { (0, offset.unsigned_abs()) } else { (offset.unsigned_abs(), 0) };
    let length = rows.saturating_sub(below).min(columns.saturating_sub(above));
    if length > 0 {
        layout.offset += below as isize * down + above as isize * right;
    }
    layout.axes.remove(first.max(second));
    layout.axes.remove(first.min(second));
    layout.axes.push((length, down + right));
    layout.view("diagonal", raw)
}

pub(super) fn at_least(raw: &Raw, rank: usize) -> Result<Raw> {
    let axes = match (raw.shape().rank(), rank) {
        (0, 1) | (1, 2) => 0.into_dims(),
        (0, 2) | (1, 3) => (0, rank - 1).into_dims(),
        (0, 3) => (0, 1, 2).into_dims(),
        (2, 3) => 2.into_dims(),
        _ => ().into_dims(),
    };
    expanded(raw, axes)
}

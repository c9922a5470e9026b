//! Masks: where they are true, and the elements there.

use gpurepl_kernels::{BinaryOp, DType};

use super::chosen::{self, Selection};
use super::indices::MaskArray;
use super::node::{Node, Place};
use super::raw::Raw;
use super::{Elem, GpuArray, axis};
use crate::device::operations::{Indexing, Mask, PlaceStarts, Places, starts_bytes};
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::{MAX_RANK, Shape};

/// Where elements are true, or not zero; NaN is not. The length of a result
/// depends on the elements, so these wait for the device.
///
/// They panic with an [`Error`](crate::Error) if the device reports one.
impl<T: Elem> GpuArray<T> {
    /// The places of the elements that are not zero in C order: an array for each
    /// axis. Together they are indices, `a[s![&rows, &columns]]`. NumPy's
    /// `np.where(condition)` is this.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[3, 0, 0], [0, 4, 0], [5, 6, 0]];
    /// let [rows, columns] = &a.nonzero()[..] else { unreachable!() };
    /// assert_eq!(rows.to_vec(), [0, 1, 2, 2]);
    /// assert_eq!(columns.to_vec(), [0, 1, 0, 1]);
    /// assert_eq!(a[s![rows, columns]].to_vec(), [3, 4, 5, 6]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the array has no axes, or the device
    /// reports an error.
    #[track_caller]
    pub fn nonzero(&self) -> Vec<GpuArray<i64>> {
        typed(nonzero(&self.raw).or_raise())
    }

    /// The places of the elements that are not zero, as numbers in C order.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[0, 7], [8, 0]].flatnonzero().to_vec(), [1, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device reports one.
    #[track_caller]
    pub fn flatnonzero(&self) -> GpuArray<i64> {
        GpuArray::wrap(places(&self.raw).or_raise())
    }

    /// The places of the elements that are not zero, a row for each.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[0, 7], [8, 0]];
    /// assert_eq!(a.argwhere().get(), ndarray::arr2(&[[0, 1], [1, 0]]).into_dyn());
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device reports one.
    #[track_caller]
    pub fn argwhere(&self) -> GpuArray<i64> {
        GpuArray::wrap(argwhere(&self.raw).or_raise())
    }

    /// The elements, in C order, where a mask of one axis is true. It may be
    /// shorter than the array.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [3, 4]].compress(&[false, true, true]).to_vec(), [2, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the mask has more than one axis, or is
    /// true where there is no element.
    #[track_caller]
    pub fn compress<M: MaskArray>(&self, mask: M) -> GpuArray<T> {
        GpuArray::wrap(compress(&self.raw, mask.choice(), None).or_raise())
    }

    /// What lies along an axis at the places where a mask of one axis is true. It
    /// may be shorter than the axis.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(a.compress_axis(&[true, false, true], 1).to_vec(), [1, 3, 4, 6]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::compress`], or if there is no such axis.
    #[track_caller]
    pub fn compress_axis<M: MaskArray>(&self, mask: M, axis: isize) -> GpuArray<T> {
        GpuArray::wrap(compress(&self.raw, mask.choice(), Some(axis)).or_raise())
    }

    /// The elements, in C order, where a mask with as many elements is true:
    /// NumPy's `np.extract(mask, a)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = arange(0..6).reshape((2, 3));
    /// assert_eq!(a.extract(&a.gt(3)).to_vec(), [4, 5]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the mask is true where there is no
    /// element.
    #[track_caller]
    pub fn extract<M: MaskArray>(&self, mask: M) -> GpuArray<T> {
        GpuArray::wrap(extract(&self.raw, mask.choice()).or_raise())
    }
}

/// Handles as arrays of indices.
pub(super) fn typed(raws: Vec<Raw>) -> Vec<GpuArray<i64>> {
    raws.into_iter().map(GpuArray::wrap).collect()
}

/// A mask in memory, from the start of a buffer.
fn mask_place(mask: &Raw) -> Result<Place> {
    let mask = mask.cast(DType::Bool);
    let place = mask.contiguous()?;
    if place.offset == 0 && place.buffer.address().is_multiple_of(16) { Ok(place) } else { mask.copied() }
}

/// A mask whose true elements were counted.
struct Counted {
    mask: Place,
    count: usize,
    starts: Place,
    found: usize,
}

fn counted(mask: &Raw) -> Result<Counted> {
    let (count, mask) = (mask.size(), mask_place(mask)?);
    let context = mask.buffer.context();
    let bytes = starts_bytes(count);
    let starts = Place::within(context, Shape::new(&[bytes]), DType::UInt8)?;
    let in_memory = Mask { buffer: &mask.buffer, count };
    context.perform(&PlaceStarts { mask: in_memory, starts: &starts.buffer })?;
    let mut total = [0; size_of::<u64>()];
    context.download(&starts.buffer, bytes - total.len(), &mut total)?;
    let found = u64::from_ne_bytes(total) as usize;
    Ok(Counted { mask, count, starts, found })
}

impl Counted {
    /// Writes what is found: places, or the elements of an array of the same
    /// size.
    fn write(&self, values: Option<(&Place, DType)>) -> Result<Raw> {
        let context = self.mask.buffer.context();
        let (shape, dtype) = (Shape::new(&[self.found]), values.map_or(DType::Int64, |(_, dtype)| dtype));
        let output = Place::within(context, shape, dtype)?;
        if self.found > 0 {
            context.perform(&Places {
                mask: Mask { buffer: &self.mask.buffer, count: self.count },
                starts: &self.starts.buffer,
                found: self.found,
                values: values.map(|(place, dtype)| (&*place.buffer, place.offset, dtype)),
                output: &output.buffer,
            })?;
        }
        Ok(Raw::new(Node::ready(shape, dtype, output)))
    }
}

/// No elements of a type.
fn none(raw: &Raw, dtype: DType) -> Result<Raw> {
    let shape = Shape::new(&[0]);
    Ok(Raw::new(Node::ready(shape, dtype, Place::within(chosen::context(raw)?, shape, dtype)?)))
}

/// The places of what is not zero, in C order.
pub(super) fn places(mask: &Raw) -> Result<Raw> {
    if mask.size() == 0 {
        return none(mask, DType::Int64);
    }
    counted(mask)?.write(None)
}

/// The elements where a mask of the same shape is true.
pub(super) fn compressed(raw: &Raw, mask: &Raw) -> Result<Raw> {
    if raw.size() == 0 {
        return none(raw, raw.dtype());
    }
    let place = raw.contiguous()?;
    let context = place.buffer.context();
    context.check_same("indexing", mask.context().unwrap_or(context))?;
    counted(mask)?.write(Some((&place, raw.dtype())))
}

fn nonzero(raw: &Raw) -> Result<Vec<Raw>> {
    if raw.shape().rank() == 0 {
        // NumPy's words.
        let message =
            "calling nonzero on 0d arrays is not allowed; use `a.atleast_1d().nonzero()`".to_owned();
        return Err(Problem::Shape { operation: "nonzero", message }.into());
    }
    unravelled(&places(raw)?, raw.shape())
}

/// Where elements of these numbers in C order lie along each axis.
pub(super) fn unravelled(places: &Raw, shape: Shape) -> Result<Vec<Raw>> {
    let mut after: usize = shape.size();
    let mut all = Vec::with_capacity(shape.rank());
    for (axis, length) in shape.lengths().iter().enumerate() {
        after /= (*length).max(1);
        let mut along = places.clone();
        if after > 1 {
            along = chosen::with(BinaryOp::FloorDivide, &along, after as i64)?;
        }
        if axis > 0 {
            along = chosen::with(BinaryOp::Remainder, &along, (*length).max(1) as i64)?;
        }
        all.push(along);
    }
    Ok(all)
}

fn argwhere(raw: &Raw) -> Result<Raw> {
    let (places, rank) = (places(raw)?, raw.shape().rank());
    let shape = Shape::new(&[places.size(), rank]);
    let to = Place::within(chosen::context(&places)?, shape, DType::Int64)?;
    for (column, along) in unravelled(&places, raw.shape())?.iter().enumerate() {
        let mut strides = [0; MAX_RANK];
        strides[0] = rank as isize;
        let column = Place { buffer: to.buffer.clone(), offset: to.offset + column, strides };
        let column = Node::ready(along.shape(), DType::Int64, column);
        super::write::store(&column, super::Value::Array(along.clone()))?;
    }
    Ok(Raw::new(Node::ready(shape, DType::Int64, to)))
}

fn compress(raw: &Raw, mask: super::Choice<'_>, at: Option<isize>) -> Result<Raw> {
    let operation = "compress";
    if mask.shape().rank() != 1 {
        // NumPy's words.
        let message = format!("condition must be a 1-d array, and has shape {:?}", mask.shape());
        return Err(Problem::Shape { operation, message }.into());
    }
    let mask = mask.raw(chosen::context(raw)?)?;
    let Some(at) = at else {
        let flat = raw.try_reshape(crate::shape::IntoShape::into_dims(raw.size()))?;
        return picked(&flat, &mask, 0, None);
    };
    let at = axis::axis_of("compress_axis", raw.shape(), at)?;
    picked(raw, &mask, at, Some(at))
}

fn extract(raw: &Raw, mask: super::Choice<'_>) -> Result<Raw> {
    let mask = mask.raw(chosen::context(raw)?)?;
    let flat = |raw: &Raw| raw.try_reshape(crate::shape::IntoShape::into_dims(raw.size()));
    picked(&flat(raw)?, &flat(&mask)?, 0, None)
}

/// What lies along an axis where a mask is true.
fn picked(raw: &Raw, mask: &Raw, axis: usize, named: Option<usize>) -> Result<Raw> {
    if mask.shape() == raw.shape() {
        return compressed(raw, mask);
    }
    Selection::along(raw, axis, &places(mask)?, Indexing::new("compress", named))?.read()
}

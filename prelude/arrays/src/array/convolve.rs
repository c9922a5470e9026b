//! Convolutions and correlations of vectors.
//!
//! A convolution is a reduction along an axis of a view that repeats elements,
//! with a window for each result, so nothing but the padding is copied.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp, UnaryOp};

use super::differences::part;
use super::node::{Node, Place};
use super::over::{Over, accumulated};
use super::raw::{Raw, Value};
use super::{Elem, GpuArray, Promote, ToGpu, expression, rules, write};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{IntoShape as _, Shape, Strides};

/// The type of two arrays' products.
type Product<T, U> = <T as Promote<U>>::Out;

/// Convolutions and correlations of two vectors: NumPy's `np.convolve(a, v, mode)`.
/// They are computed as they are defined, so the work is the product of the
/// lengths; a long one of two long vectors is work for an FFT.
///
/// They panic with an [`Error`](crate::Error) if an array does not have one
/// axis or is empty, or the device reports an error.
impl<T: Elem> GpuArray<T> {
    /// The convolution at every place where the vectors overlap: as many as both
    /// have elements, less one.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (a, v) = (gpu![1.0, 2.0, 3.0], gpu![0.0, 1.0, 0.5]);
    /// assert_eq!(a.convolve(&v).to_vec(), [0.0, 1.0, 2.5, 4.0, 1.5]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if an array is not a vector or is empty.
    #[track_caller]
    pub fn convolve<U: Elem>(&self, v: impl ToGpu<Elem = U>) -> GpuArray<Product<T, U>>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(
            convolved(&self.raw, &v.upload().or_raise(), Mode::Full, Product::<T, U>::DTYPE).or_raise(),
        )
    }

    /// The middle of the convolution, as long as the longer vector: NumPy's mode
    /// `"same"`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (a, v) = (gpu![1.0, 2.0, 3.0], gpu![0.0, 1.0, 0.5]);
    /// assert_eq!(a.convolve_same(&v).to_vec(), [1.0, 2.5, 4.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::convolve`].
    #[track_caller]
    pub fn convolve_same<U: Elem>(&self, v: impl ToGpu<Elem = U>) -> GpuArray<Product<T, U>>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(
            convolved(&self.raw, &v.upload().or_raise(), Mode::Same, Product::<T, U>::DTYPE).or_raise(),
        )
    }

    /// The convolution where the vectors overlap completely: NumPy's mode
    /// `"valid"`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::convolve`].
    #[track_caller]
    pub fn convolve_valid<U: Elem>(&self, v: impl ToGpu<Elem = U>) -> GpuArray<Product<T, U>>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(
            convolved(&self.raw, &v.upload().or_raise(), Mode::Valid, Product::<T, U>::DTYPE).or_raise(),
        )
    }

    /// The correlation where the vectors overlap completely: NumPy's
    /// `np.correlate(a, v)`, the sums of the products of `a` and the conjugates
    /// of `v`, which is moved along it.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (a, v) = (gpu![1.0, 2.0, 3.0], gpu![0.0, 1.0, 0.5]);
    /// assert_eq!(a.correlate(&v).to_vec(), [3.5]);
    /// assert_eq!(a.correlate_same(&v).to_vec(), [2.0, 3.5, 3.0]);
    /// assert_eq!(a.correlate_full(&v).to_vec(), [0.5, 2.0, 3.5, 3.0, 0.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::convolve`].
    #[track_caller]
    pub fn correlate<U: Elem>(&self, v: impl ToGpu<Elem = U>) -> GpuArray<Product<T, U>>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(
            correlated(&self.raw, &v.upload().or_raise(), Mode::Valid, Product::<T, U>::DTYPE).or_raise(),
        )
    }

    /// The middle of the correlation, as long as the longer vector: NumPy's mode
    /// `"same"`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::convolve`].
    #[track_caller]
    pub fn correlate_same<U: Elem>(&self, v: impl ToGpu<Elem = U>) -> GpuArray<Product<T, U>>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(
            correlated(&self.raw, &v.upload().or_raise(), Mode::Same, Product::<T, U>::DTYPE).or_raise(),
        )
    }

    /// The correlation at every place where the vectors overlap: NumPy's mode
    /// `"full"`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::convolve`].
    #[track_caller]
    pub fn correlate_full<U: Elem>(&self, v: impl ToGpu<Elem = U>) -> GpuArray<Product<T, U>>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(
            correlated(&self.raw, &v.upload().or_raise(), Mode::Full, Product::<T, U>::DTYPE).or_raise(),
        )
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Full,
    Same,
    Valid,
}

fn check(operation: &'static str, a: &Raw, v: &Raw) -> Result<()> {
    for (name, raw) in [("a", a), ("v", v)] {
        let wrong = match (raw.shape().rank(), raw.size()) {
            (1, 1..) => continue,
            // NumPy's words.
            (1, _) => format!("{name} cannot be empty"),
            _ => format!("shapes {:?} and {:?} are not two vectors", a.shape(), v.shape()),
        };
        return Err(Problem::Shape { operation, message: wrong }.into());
    }
    Ok(())
}

/// Every sum of products of two vectors.
pub(super) fn full(a: &Raw, v: &Raw, dtype: DType) -> Result<Raw> {
    convolved(a, v, Mode::Full, dtype)
}

fn convolved(a: &Raw, v: &Raw, mode: Mode, dtype: DType) -> Result<Raw> {
    check("convolve", a, v)?;
    let (a, v) = if v.size() > a.size() { (v, a) } else { (a, v) };
    windows(a, &reversed(v)?, mode, (v.size() - 1) / 2, dtype)
}

fn correlated(a: &Raw, v: &Raw, mode: Mode, dtype: DType) -> Result<Raw> {
    check("correlate", a, v)?;
    let v = if v.dtype().is_complex() {
        Raw::unary(UnaryOp::Conjugate, v, v.dtype(), v.dtype()).computed()?
    } else {
        v.clone()
    };
    if v.size() <= a.size() {
        return windows(a, &v, mode, (v.size() - 1) / 2, dtype);
    }
    // The shorter one is moved, from the other end.
    windows(&reversed(&v)?, &reversed(a)?, mode, a.size() / 2, dtype)
}

/// A vector from its last element to its first, as a view.
pub(super) fn reversed(raw: &Raw) -> Result<Raw> {
    let mut place = raw.place()?;
    if raw.size() == 0 {
        return Ok(raw.clone());
    }
    place.offset = place.offset.wrapping_add_signed((raw.size() as isize - 1) * place.strides[0]);
    place.strides[0] = -place.strides[0];
    Ok(Raw::new(Node::ready(raw.shape(), raw.dtype(), place)))
}

/// The sums of products of `v` and each window of `a` that is as long; `skipped`
/// are the windows at the start that the mode `same` leaves out.
fn windows(a: &Raw, v: &Raw, mode: Mode, skipped: usize, dtype: DType) -> Result<Raw> {
    let (n, m) = (a.size(), v.size());
    let (before, after) = match mode {
        Mode::Valid => (0, 0),
        Mode::Full => (m - 1, m - 1),
        Mode::Same => (m - 1 - skipped, skipped),
    };
    // Products of integers are added in 64 bits; what is left wraps around.
    let wide = accumulated(dtype.accumulator());
    let padded = padded(a, before, after)?;
    let place = padded.place()?;
    let shape = Shape::new(&[before + n + after - (m - 1), m]);
    let mut strides: Strides = [0; crate::shape::MAX_RANK];
    (strides[0], strides[1]) = (place.strides[0], place.strides[0]);
    let windows = Raw::new(Node::ready(shape, a.dtype(), Place { strides, ..place }));
    let products = Raw::try_binary(BinaryOp::Multiply, &windows, v, wide, wide)?;
    let sums = Over::axes("convolve", &products, 1.into_dims())?.reduce(&products, ReduceOp::Sum, wide)?;
    Ok(sums.cast(dtype))
}

/// A vector with zeros before and after it; itself if there are none.
pub(super) fn padded(a: &Raw, before: usize, after: usize) -> Result<Raw> {
    let (a, dtype) = (a.computed()?, a.dtype());
    if before + after == 0 {
        return Ok(a);
    }
    let length = (before + a.size())
        .checked_add(after)
        .ok_or_else(|| Problem::Shape { operation: "convolve", message: "too many elements".to_owned() })?;
    let shape = length.into_dims().shape("convolve", dtype.size())?;
    let place = Place::within(a.place()?.buffer.context(), shape, dtype)?;
    let zero = if dtype == DType::Bool { Scalar::Bool(false) } else { Scalar::Int(0) };
    expression::fill(shape, rules::number(zero, dtype)?, &place)?;
    let padded = Raw::new(Node::ready(shape, dtype, place));
    write::store(&part(&padded, 0, before, a.size())?.node(), Value::Array(a))?;
    Ok(padded)
}

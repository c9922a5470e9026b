//! Vectors that are spread over processes.

mod argument;
mod borrow;
mod handle;
mod text;

use std::ffi::c_int;
use std::ops::Range;
use std::sync::Arc;

use gpurepl_extend::arrays::{ToGpu, untyped};
use gpurepl_extend::{AnyArray, DType, GpuArray, Result, error};

pub use borrow::{Local, LocalMut};
pub(crate) use handle::{Handle, kind};

use crate::library::{
    ADD_VALUES, Functions, INSERT_VALUES, IntOut, NORM_1, NORM_2, NORM_INFINITY, Object, Petsc,
};

/// A vector of `f64`, of which each process has a part: PETSc's `Vec`.
///
/// All processes call the same methods in the same order, except those that say that they are for one process alone.
///
/// ```
/// use gpurepl_prelude::*;
/// # if std::env::var_os("GPUREPL_TEST_PETSC").is_none() { return Ok(()) }
/// let mut x = petsc::Vector::zeros(8)?;
/// x.set(3.0)?;
/// let mut y = x.copy()?;
/// y.axpy(2.0, &x)?;
/// assert_eq!(y.dot(&x)?, 8.0 * 27.0);
/// assert!((y.norm()? - 648.0f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
pub struct Vector {
    handle: Arc<Handle>,
}

impl Vector {
    /// A vector of zeros of so many elements, which are spread evenly: `VecCreate`, `VecSetSizes`, `VecSetType`. On a
    /// GPU it lies there if PETSc was built with CUDA (type `cuda`), else in the memory of the host (`standard`).
    ///
    /// # Errors
    ///
    /// If PETSc is not there, or has no room.
    pub fn zeros(size: usize) -> Result<Vector> {
        Handle::create("zeros", None, Some(size)).map(Vector::of)
    }

    /// A vector of zeros of which this process has so many elements.
    ///
    /// # Errors
    ///
    /// As [`Vector::zeros`].
    pub fn with_local_size(size: usize) -> Result<Vector> {
        Handle::create("with_local_size", Some(size), None).map(Vector::of)
    }

    /// A vector whose elements on this process are those of an array or of data of the host, which are copied.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// # if std::env::var_os("GPUREPL_TEST_PETSC").is_none() { return Ok(()) }
    /// let x = petsc::Vector::from_array(&[3.0, -4.0])?;
    /// assert_eq!((x.norm_1()?, x.norm()?, x.norm_inf()?), (7.0, 5.0, 4.0));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Vector::zeros`], or if it does not have one axis, or has complex numbers.
    pub fn from_array<A: ToGpu + ?Sized>(elements: &A) -> Result<Vector> {
        from_array(&given("from_array", elements.upload().map(AnyArray::of_raw)?)?)
    }

    /// A new vector with the same sizes and the same elements: `VecDuplicate`, `VecCopy`.
    ///
    /// # Errors
    ///
    /// If it is lent to an array that may write it, or PETSc has no room.
    pub fn copy(&self) -> Result<Vector> {
        self.handle.check_read("copy")?;
        let copy = self.handle.duplicate("copy")?;
        // SAFETY: both objects live, and have the same sizes.
        self.call("copy", |f, x| unsafe { (f.vec_copy)(x, copy.object) })?;
        Ok(Vector::of(copy))
    }

    /// A new vector of zeros with the same sizes: `VecDuplicate`.
    ///
    /// # Errors
    ///
    /// As [`Vector::copy`].
    pub fn zeros_like(&self) -> Result<Vector> {
        let mut zeros = Vector::of(self.handle.duplicate("zeros_like")?);
        zeros.set(0.0)?;
        Ok(zeros)
    }

    /// Gives all elements a value: `VecSet`.
    ///
    /// # Errors
    ///
    /// If it is lent to an array.
    pub fn set(&mut self, value: f64) -> Result<()> {
        // SAFETY: the object lives.
        self.change("set", |f, x| unsafe { (f.vec_set)(x, value) })
    }

    /// Gives elements values, by their places in the whole vector, wherever they lie: `VecSetValues` and the assembly.
    /// Every process calls it, with as many as it likes. Of values for one place any may stay.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// # if std::env::var_os("GPUREPL_TEST_PETSC").is_none() { return Ok(()) }
    /// let mut x = petsc::Vector::zeros(4)?;
    /// x.set_values(&[1, 3], &[5.0, 7.0])?;
    /// x.add_values(&[3], &[1.0])?;
    /// assert_eq!((x.sum()?, x.max()?), (13.0, (3, 8.0)));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If an index is out of bounds, there are not as many values as indices, or the vector is lent to an array.
    pub fn set_values(&mut self, indices: &[usize], values: &[f64]) -> Result<()> {
        self.insert("set_values", indices, values, INSERT_VALUES)
    }

    /// Adds values to elements, as [`Vector::set_values`] sets them; those for one place are added up.
    ///
    /// # Errors
    ///
    /// As [`Vector::set_values`].
    pub fn add_values(&mut self, indices: &[usize], values: &[f64]) -> Result<()> {
        self.insert("add_values", indices, values, ADD_VALUES)
    }

    /// The number of elements of all processes.
    ///
    /// # Errors
    ///
    /// If PETSc is over.
    pub fn size(&self) -> Result<usize> {
        self.handle.size("size")
    }

    /// The number of elements of this process.
    ///
    /// # Errors
    ///
    /// If PETSc is over.
    pub fn local_size(&self) -> Result<usize> {
        self.handle.local_size("local_size")
    }

    /// The places of this process's elements in the whole vector.
    ///
    /// # Errors
    ///
    /// If PETSc is over.
    pub fn ownership_range(&self) -> Result<Range<usize>> {
        self.handle.range("ownership_range")
    }

    /// What PETSc calls its type: `seq`, `mpi`, `seqcuda`, `mpicuda`.
    ///
    /// # Errors
    ///
    /// If PETSc is over.
    pub fn type_name(&self) -> Result<String> {
        self.handle.type_name("type_name")
    }

    /// The Euclidean norm: `VecNorm` with `NORM_2`.
    ///
    /// # Errors
    ///
    /// If the vector is lent to an array that may write it.
    pub fn norm(&self) -> Result<f64> {
        self.norm_of("norm", NORM_2)
    }

    /// The sum of the absolute values.
    ///
    /// # Errors
    ///
    /// As [`Vector::norm`].
    pub fn norm_1(&self) -> Result<f64> {
        self.norm_of("norm_1", NORM_1)
    }

    /// The greatest absolute value.
    ///
    /// # Errors
    ///
    /// As [`Vector::norm`].
    pub fn norm_inf(&self) -> Result<f64> {
        self.norm_of("norm_inf", NORM_INFINITY)
    }

    /// The inner product: `VecDot`.
    ///
    /// # Errors
    ///
    /// If the sizes differ, or a vector is lent to an array that may write it.
    pub fn dot(&self, other: &Vector) -> Result<f64> {
        self.check_beside("dot", other)?;
        let mut result = 0.0;
        // SAFETY: both objects live; PETSc writes a number there.
        self.read("dot", |f, x| unsafe { (f.vec_dot)(x, other.handle.object, &raw mut result) })?;
        Ok(result)
    }

    /// The sum of the elements.
    ///
    /// # Errors
    ///
    /// As [`Vector::norm`].
    pub fn sum(&self) -> Result<f64> {
        let mut result = 0.0;
        // SAFETY: the object lives; PETSc writes a number there.
        self.read("sum", |f, x| unsafe { (f.vec_sum)(x, &raw mut result) })?;
        Ok(result)
    }

    /// The greatest element and its place: `VecMax`.
    ///
    /// # Errors
    ///
    /// As [`Vector::norm`], or if there are no elements.
    pub fn max(&self) -> Result<(usize, f64)> {
        self.extreme("max", |f| f.vec_max)
    }

    /// The least element and its place: `VecMin`.
    ///
    /// # Errors
    ///
    /// As [`Vector::max`].
    pub fn min(&self) -> Result<(usize, f64)> {
        self.extreme("min", |f| f.vec_min)
    }

    /// Adds a multiple of another vector: `y += alpha x`, `VecAXPY`.
    ///
    /// # Errors
    ///
    /// If the sizes differ, this vector is lent to an array, or the other one to an array that may write it.
    pub fn axpy(&mut self, alpha: f64, x: &Vector) -> Result<()> {
        self.check_beside("axpy", x)?;
        // SAFETY: both objects live, and are not the same one, since this one is borrowed mutably.
        self.change("axpy", |f, y| unsafe { (f.vec_axpy)(y, alpha, x.handle.object) })
    }

    /// Multiplies this vector and adds another one: `y = beta y + x`, `VecAYPX`.
    ///
    /// # Errors
    ///
    /// As [`Vector::axpy`].
    pub fn aypx(&mut self, beta: f64, x: &Vector) -> Result<()> {
        self.check_beside("aypx", x)?;
        // SAFETY: as above.
        self.change("aypx", |f, y| unsafe { (f.vec_aypx)(y, beta, x.handle.object) })
    }

    /// Multiplies all elements by a number: `VecScale`.
    ///
    /// # Errors
    ///
    /// As [`Vector::set`].
    pub fn scale(&mut self, factor: f64) -> Result<()> {
        // SAFETY: the object lives.
        self.change("scale", |f, x| unsafe { (f.vec_scale)(x, factor) })
    }

    /// Adds a number to all elements: `VecShift`.
    ///
    /// # Errors
    ///
    /// As [`Vector::set`].
    pub fn shift(&mut self, value: f64) -> Result<()> {
        // SAFETY: the object lives.
        self.change("shift", |f, x| unsafe { (f.vec_shift)(x, value) })
    }

    /// Multiplies each element by the other vector's at its place: `VecPointwiseMult`.
    ///
    /// # Errors
    ///
    /// As [`Vector::axpy`].
    pub fn pointwise_mult(&mut self, other: &Vector) -> Result<()> {
        self.check_beside("pointwise_mult", other)?;
        // SAFETY: both objects live; the result may be one of the factors.
        self.change("pointwise_mult", |f, x| unsafe { (f.vec_multiply)(x, x, other.handle.object) })
    }

    /// An element by its place in the whole vector, which must be this process's. For one process alone.
    ///
    /// # Errors
    ///
    /// If it lies on another process or is out of bounds, or the vector is lent to an array that may write it.
    pub fn get(&self, index: usize) -> Result<f64> {
        let range = self.handle.range("get")?;
        if !range.contains(&index) {
            let size = self.size()?;
            let message = if index < size {
                format!("element {index} lies on another process, this one has {range:?}; ask where it lies")
            } else {
                format!("index {index} is out of bounds for a vector of size {size}")
            };
            return Err(error::invalid("get", message));
        }
        Ok(self.to_vec()?[index - range.start])
    }

    /// The elements of this process, copied to the host. For one process alone.
    ///
    /// # Errors
    ///
    /// As [`Vector::norm`].
    pub fn to_vec(&self) -> Result<Vec<f64>> {
        self.handle.check_read("to_vec")?;
        self.handle.to_host("to_vec")
    }

    /// The elements of this process, copied to a new array on the current device, wherever the vector lies. For one
    /// process alone.
    ///
    /// # Errors
    ///
    /// As [`Vector::norm`], or if the device has no room.
    pub fn to_array(&self) -> Result<GpuArray<f64>> {
        self.handle.check_read("to_array")?;
        if borrow::is_reachable(&self.handle)? {
            return AnyArray::of(&*self.borrow()?).copied()?.typed();
        }
        let elements = self.handle.to_host("to_array")?;
        let bytes: Vec<u8> = elements.iter().flat_map(|x| x.to_ne_bytes()).collect();
        AnyArray::from_host(elements.len(), DType::Float64, &bytes)?.typed()
    }

    /// Copies an array, or data of the host, to the elements of this process, wherever the vector lies.
    ///
    /// # Errors
    ///
    /// If it does not have as many elements, in one axis, or has complex numbers; if the vector is lent to an array.
    pub fn copy_from<A: ToGpu + ?Sized>(&mut self, elements: &A) -> Result<()> {
        self.handle.check_write("copy_from")?;
        copy_from("copy_from", &self.handle, &given("copy_from", elements.upload().map(AnyArray::of_raw)?)?)
    }

    /// The memory of this process's elements as an array to read, without a copy: `VecGetArray`, or
    /// `VecCUDAGetArray` on a GPU.
    ///
    /// The array keeps the vector alive. Until it and its views are dropped PETSc may read the vector, and not write
    /// it: a method that would is an error.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// # if std::env::var_os("GPUREPL_TEST_PETSC").is_none() { return Ok(()) }
    /// # if device().kind() != DeviceKind::Host { return Ok(()) }
    /// let mut x = petsc::Vector::from_array(&[1.0, 2.0, 3.0])?;
    /// let array = x.borrow()?;
    /// assert_eq!((2.0 * &*array).to_vec(), [2.0, 4.0, 6.0]);
    /// assert!(x.set(0.0).is_err());
    /// array.restore()?;
    /// x.set(0.0)?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the vector lies in other memory than the arrays of the current device, or is lent to an array that may write
    /// it.
    pub fn borrow(&self) -> Result<Local> {
        borrow::read(&self.handle)
    }

    /// The memory of this process's elements as an array to write, without a copy: `VecGetArray`, or
    /// `VecCUDAGetArray` on a GPU.
    ///
    /// The array keeps the vector alive. Until it and its views are dropped PETSc may not use the vector: a method that
    /// would is an error.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// # if std::env::var_os("GPUREPL_TEST_PETSC").is_none() { return Ok(()) }
    /// # if device().kind() != DeviceKind::Host { return Ok(()) }
    /// let mut x = petsc::Vector::from_array(&[1.0, 2.0, 3.0])?;
    /// let mut array = x.borrow_mut()?;
    /// *array *= 2.0;
    /// assert!(x.norm().is_err());
    /// array.restore()?;
    /// assert_eq!(x.to_vec()?, [2.0, 4.0, 6.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the vector lies in other memory than the arrays of the current device, or is lent to an array already.
    pub fn borrow_mut(&mut self) -> Result<LocalMut> {
        borrow::write(&self.handle)
    }

    /// Calls a closure with the memory of this process's elements as an array to read, as [`Vector::borrow`] lends it.
    ///
    /// # Errors
    ///
    /// As [`Vector::borrow`] and [`Local::restore`].
    pub fn with<R>(&self, act: impl FnOnce(&GpuArray<f64>) -> R) -> Result<R> {
        let array = self.borrow()?;
        let result = act(&array);
        array.restore()?;
        Ok(result)
    }

    /// Calls a closure with the memory of this process's elements as an array to write, as [`Vector::borrow_mut`] lends
    /// it.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// # if std::env::var_os("GPUREPL_TEST_PETSC").is_none() { return Ok(()) }
    /// # if device().kind() != DeviceKind::Host { return Ok(()) }
    /// let mut x = petsc::Vector::zeros(3)?;
    /// x.with_mut(|array| array.fill(1.5))?;
    /// assert_eq!(x.sum()?, 4.5);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Vector::borrow_mut`] and [`LocalMut::restore`].
    pub fn with_mut<R>(&mut self, act: impl FnOnce(&mut GpuArray<f64>) -> R) -> Result<R> {
        let mut array = self.borrow_mut()?;
        let result = act(&mut array);
        array.restore()?;
        Ok(result)
    }

    /// Prints the whole vector, the parts of all processes one after another, from the first of them: `VecView`.
    ///
    /// # Errors
    ///
    /// As [`Vector::norm`].
    pub fn view(&self) -> Result<()> {
        let viewer = self.petsc().stdout();
        // SAFETY: the object and the viewer live.
        self.read("view", |f, x| unsafe { (f.vec_view)(x, viewer) })
    }

    pub(crate) fn of(handle: Arc<Handle>) -> Vector {
        Vector { handle }
    }

    pub(crate) fn handle(&self) -> &Arc<Handle> {
        &self.handle
    }

    fn petsc(&self) -> &'static Petsc {
        self.handle.petsc
    }

    fn call(&self, operation: &'static str, act: impl FnOnce(&Functions, Object) -> c_int) -> Result<()> {
        self.petsc().call(operation, |functions| act(functions, self.handle.object))
    }

    fn read(&self, operation: &'static str, act: impl FnOnce(&Functions, Object) -> c_int) -> Result<()> {
        self.handle.check_read(operation)?;
        self.call(operation, act)
    }

    fn change(
        &mut self,
        operation: &'static str,
        act: impl FnOnce(&Functions, Object) -> c_int,
    ) -> Result<()> {
        self.handle.check_write(operation)?;
        self.call(operation, act)
    }

    fn norm_of(&self, operation: &'static str, kind: c_int) -> Result<f64> {
        let mut norm = 0.0;
        // SAFETY: the object lives; PETSc writes a number there.
        self.read(operation, |f, x| unsafe { (f.vec_norm)(x, kind, &raw mut norm) })?;
        Ok(norm)
    }

    fn extreme(
        &self,
        operation: &'static str,
        function: fn(&Functions) -> unsafe extern "C" fn(Object, *mut IntOut, *mut f64) -> c_int,
    ) -> Result<(usize, f64)> {
        if self.size()? == 0 {
            return Err(error::invalid(operation, "the vector has no elements; give it some".to_owned()));
        }
        let (mut place, mut value) = (IntOut::default(), 0.0);
        // SAFETY: the object lives; PETSc writes an integer and a number there.
        self.read(operation, |f, x| unsafe { function(f)(x, &raw mut place, &raw mut value) })?;
        Ok((self.petsc().size_of(place), value))
    }

    fn check_beside(&self, operation: &'static str, other: &Vector) -> Result<()> {
        other.handle.check_read(operation)?;
        let (own, its) = (self.handle.size(operation)?, other.handle.size(operation)?);
        if own != its {
            let message = format!("vectors of sizes {own} and {its}; give two of one size");
            return Err(error::shape(operation, message));
        }
        Ok(())
    }

    fn insert(
        &mut self,
        operation: &'static str,
        indices: &[usize],
        values: &[f64],
        mode: c_int,
    ) -> Result<()> {
        self.handle.check_write(operation)?;
        if indices.len() != values.len() {
            let message =
                format!("{} indices and {} values; give as many of each", indices.len(), values.len());
            return Err(error::shape(operation, message));
        }
        let size = self.handle.size(operation)?;
        if let Some(index) = indices.iter().find(|index| **index >= size) {
            return Err(error::invalid(
                operation,
                format!("index {index} is out of bounds for a vector of size {size}"),
            ));
        }
        let petsc = self.petsc();
        let (places, count) =
            (petsc.ints(operation, indices.iter().copied())?, petsc.int(operation, values.len())?);
        // SAFETY: the object lives; there are `count` indices, within the vector, and as many values.
        self.call(operation, |f, x| unsafe {
            (f.vec_set_values)(x, count, places.as_ptr(), values.as_ptr(), mode)
        })?;
        // SAFETY: the object lives.
        self.call(operation, |f, x| unsafe { (f.vec_assembly_begin)(x) })?;
        // SAFETY: as above.
        self.call(operation, |f, x| unsafe { (f.vec_assembly_end)(x) })
    }
}

/// What a user has given, as `f64` in one axis.
fn given(operation: &'static str, array: AnyArray) -> Result<AnyArray> {
    if array.shape().len() != 1 {
        let message =
            format!("the array has shape {:?}; give one with one axis, `ravel` makes it", array.shape());
        return Err(error::shape(operation, message));
    }
    if array.dtype() != array.dtype().real() {
        let message =
            format!("the elements are {}, a vector's are f64; take `real` or `imag`", array.dtype());
        return Err(error::dtype(operation, message));
    }
    Ok(array.cast(DType::Float64))
}

fn from_array(elements: &AnyArray) -> Result<Vector> {
    let handle = Handle::create("from_array", Some(elements.size()), None)?;
    copy_from("from_array", &handle, elements)?;
    Ok(Vector::of(handle))
}

fn copy_from(operation: &'static str, handle: &Arc<Handle>, elements: &AnyArray) -> Result<()> {
    let size = handle.local_size(operation)?;
    if elements.size() != size {
        let message = format!(
            "the array has {} elements, the vector {size} on this process; give as many",
            elements.size()
        );
        return Err(error::shape(operation, message));
    }
    if borrow::is_reachable(handle)? {
        let array = borrow::write(handle)?;
        untyped::assign(AnyArray::of(&*array).raw(), elements.raw())?;
        return array.restore();
    }
    let bytes = elements.to_host()?;
    let (numbers, _) = bytes.as_chunks::<8>();
    let numbers: Vec<f64> = numbers.iter().map(|bytes| f64::from_ne_bytes(*bytes)).collect();
    handle.set_from_host(operation, &numbers)
}

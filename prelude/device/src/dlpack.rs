//! DLPack: arrays that libraries hand to each other within a process.
//!
//! The structures are those of `dlpack.h`, by the versions 0.8 (`DLManagedTensor`) and
//! 1.0 (`DLManagedTensorVersioned`).

use std::any::Any;
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use gpurepl_kernels::{DType, Kind};

use crate::error::{Problem, Result};

/// Where a tensor lies: `DLDevice`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDevice {
    /// 1 is the host (`kDLCPU`), 2 a GPU (`kDLCUDA`), 3 page-locked memory of the host
    /// (`kDLCUDAHost`), 13 managed memory (`kDLCUDAManaged`).
    pub device_type: i32,
    /// The number of the GPU; 0 for the host.
    pub device_id: i32,
}

/// An element type: `DLDataType`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDataType {
    /// Signed 0, unsigned 1, float 2, complex 5, bool 6.
    pub code: u8,
    /// Bits of an element.
    pub bits: u8,
    /// Numbers of an element: 1.
    pub lanes: u16,
}

/// A tensor without an owner: `DLTensor`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DLTensor {
    /// The memory.
    pub data: *mut c_void,
    /// Where the memory lies.
    pub device: DLDevice,
    /// The number of axes.
    pub ndim: i32,
    /// The type of the elements.
    pub dtype: DLDataType,
    /// The length of each axis.
    pub shape: *mut i64,
    /// The step along each axis in elements; null for C order.
    pub strides: *mut i64,
    /// Where the first element lies within the memory.
    pub byte_offset: u64,
}

/// A tensor with its owner, before version 1: `DLManagedTensor`.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// What the deleter knows it by.
    pub manager_ctx: *mut c_void,
    /// Ends the tensor's use.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// A version of DLPack: `DLPackVersion`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLPackVersion {
    /// Another number is another layout.
    pub major: u32,
    /// Another number has more meanings of flags and types.
    pub minor: u32,
}

/// A tensor with its owner, from version 1 on: `DLManagedTensorVersioned`.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    /// The version that the structure is of.
    pub version: DLPackVersion,
    /// What the deleter knows it by.
    pub manager_ctx: *mut c_void,
    /// Ends the tensor's use.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// Bit 0: nobody may write the elements.
    pub flags: u64,
    /// The tensor.
    pub dl_tensor: DLTensor,
}

/// The major version whose structure this is.
const MAJOR: u32 = 1;

const READ_ONLY: u64 = 1;

/// Tensors that this process has exported and nobody has deleted.
static EXPORTED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// A tensor of DLPack that this value owns. Dropping it calls the tensor's deleter.
///
/// It comes from `GpuArray::to_dlpack` or, made by another library, from
/// [`DLPack::from_raw`]; it goes to `GpuArray::from_dlpack` or, by
/// [`DLPack::into_raw`], to another library.
#[derive(Debug)]
pub struct DLPack(Owned);

#[derive(Debug)]
enum Owned {
    Plain(NonNull<DLManagedTensor>),
    Versioned(NonNull<DLManagedTensorVersioned>),
}

// SAFETY: nothing in the tensor is changed through a shared reference, and that
// threads may share it and drop it is part of the promise of `from_raw`; what
// `export` makes owns values that are `Send` and `Sync`.
unsafe impl Send for DLPack {}

// SAFETY: as above.
unsafe impl Sync for DLPack {}

/// What a tensor says, once it has been checked.
#[doc(hidden)]
pub struct Described {
    /// Of the first element.
    pub address: u64,
    pub device: DLDevice,
    pub dtype: DType,
    pub lengths: Vec<usize>,
    /// In elements.
    pub strides: Vec<isize>,
    pub is_read_only: bool,
}

/// A tensor and what it keeps, behind one pointer.
#[repr(C)]
struct Held<M> {
    managed: M,
    _lengths: Vec<i64>,
    _strides: Vec<i64>,
    owner: Box<dyn Any + Send + Sync>,
}

fn invalid(message: String) -> crate::Error {
    Problem::Invalid { operation: "from_dlpack", message }.into()
}

impl DLPack {
    /// Takes a tensor that another library has made: what a Python capsule named
    /// `dltensor` holds.
    ///
    /// # Errors
    ///
    /// If the pointer is null.
    ///
    /// # Safety
    ///
    /// The pointer is a `DLManagedTensor` as `dlpack.h` has it, which nobody else
    /// deletes. Until its deleter is called, the device that it names can read and
    /// write its elements, and nobody else uses them while work of this crate does.
    /// The deleter may be called by any thread.
    pub unsafe fn from_raw(tensor: *mut DLManagedTensor) -> Result<DLPack> {
        let null = || invalid("the pointer to the tensor is null; give one of a DLManagedTensor".to_owned());
        NonNull::new(tensor).map(|tensor| DLPack(Owned::Plain(tensor))).ok_or_else(null)
    }

    /// [`DLPack::from_raw`] for a tensor of version 1: what a Python capsule named
    /// `dltensor_versioned` holds.
    ///
    /// # Errors
    ///
    /// If the pointer is null.
    ///
    /// # Safety
    ///
    /// As [`DLPack::from_raw`], with a `DLManagedTensorVersioned`. One of another major
    /// version needs only its first three fields to be as they are here.
    pub unsafe fn from_raw_versioned(tensor: *mut DLManagedTensorVersioned) -> Result<DLPack> {
        let null = || {
            invalid("the pointer to the tensor is null; give one of a DLManagedTensorVersioned".to_owned())
        };
        NonNull::new(tensor).map(|tensor| DLPack(Owned::Versioned(tensor))).ok_or_else(null)
    }

    /// The tensor for another library, which calls its deleter.
    pub fn into_raw(self) -> *mut DLManagedTensor {
        if let Owned::Plain(tensor) = self.0 {
            std::mem::forget(self);
            return tensor.as_ptr();
        }
        let tensor = self.tensor();
        let make = |manager_ctx| DLManagedTensor { dl_tensor: tensor, manager_ctx, deleter: Some(delete) };
        hold(make, Vec::new(), Vec::new(), Box::new(self)).as_ptr()
    }

    /// The tensor, in the structure of version 1, for another library, which calls its
    /// deleter.
    pub fn into_raw_versioned(self) -> *mut DLManagedTensorVersioned {
        if let Owned::Versioned(tensor) = self.0 {
            std::mem::forget(self);
            return tensor.as_ptr();
        }
        let tensor = self.tensor();
        hold(versioned(tensor), Vec::new(), Vec::new(), Box::new(self)).as_ptr()
    }

    /// A tensor over memory that `owner` keeps.
    #[doc(hidden)]
    pub fn export(described: &Described, owner: Box<dyn Any + Send + Sync>) -> DLPack {
        let mut lengths: Vec<i64> = described.lengths.iter().map(|length| *length as i64).collect();
        let mut strides: Vec<i64> = described.strides.iter().map(|stride| *stride as i64).collect();
        let tensor = DLTensor {
            data: described.address as *mut c_void,
            device: described.device,
            ndim: described.lengths.len() as i32,
            dtype: data_type(described.dtype),
            shape: lengths.as_mut_ptr(),
            strides: strides.as_mut_ptr(),
            byte_offset: 0,
        };
        DLPack(Owned::Versioned(hold(versioned(tensor), lengths, strides, owner)))
    }

    /// What [`DLPack::export`] was given to keep, if this tensor is from there.
    #[doc(hidden)]
    pub fn owner<T: Any>(&self) -> Option<&T> {
        let address = match &self.0 {
            Owned::Plain(tensor) => tensor.as_ptr() as usize,
            Owned::Versioned(tensor) => tensor.as_ptr() as usize,
        };
        if !EXPORTED.lock().unwrap_or_else(PoisonError::into_inner).contains(&address) {
            return None;
        }
        // SAFETY: the addresses of that list are of the field `managed`, the first, of
        // a `Held` with this kind of tensor, which lives until it is taken from the list
        // by the deleter; this value owns the tensor, so nobody calls it meanwhile.
        let owner: &(dyn Any + Send + Sync) = unsafe {
            match &self.0 {
                Owned::Plain(tensor) => &*tensor.cast::<Held<DLManagedTensor>>().as_ref().owner,
                Owned::Versioned(tensor) => &*tensor.cast::<Held<DLManagedTensorVersioned>>().as_ref().owner,
            }
        };
        match owner.downcast_ref::<DLPack>() {
            Some(inner) => inner.owner(),
            None => owner.downcast_ref(),
        }
    }

    fn tensor(&self) -> DLTensor {
        // SAFETY: the promise of `from_raw`, or `hold` has made it.
        unsafe {
            match &self.0 {
                Owned::Plain(tensor) => tensor.as_ref().dl_tensor,
                Owned::Versioned(tensor) => tensor.as_ref().dl_tensor,
            }
        }
    }

    /// What the tensor says.
    ///
    /// # Errors
    ///
    /// If it is of another version, its elements have a type that arrays do not have,
    /// or it says something impossible.
    #[doc(hidden)]
    pub fn describe(&self) -> Result<Described> {
        let mut is_read_only = false;
        if let Owned::Versioned(tensor) = &self.0 {
            // SAFETY: the promise of `from_raw_versioned`; these fields alone are read
            // before the version is known.
            let version = unsafe { (&raw const (*tensor.as_ptr()).version).read() };
            if version.major != MAJOR {
                return Err(invalid(format!(
                    "the tensor is of DLPack {}.{}, not {MAJOR}; ask for `max_version=({MAJOR}, 0)` where it is made",
                    version.major, version.minor
                )));
            }
            // SAFETY: the promise of `from_raw_versioned`, for this major version.
            is_read_only = unsafe { (&raw const (*tensor.as_ptr()).flags).read() } & READ_ONLY != 0;
        }
        let tensor = self.tensor();
        let dtype = array_type(tensor.dtype)?;
        let rank = usize::try_from(tensor.ndim)
            .map_err(|_| invalid(format!("the tensor has {} axes, which is impossible", tensor.ndim)))?;
        if rank > 0 && tensor.shape.is_null() {
            return Err(invalid(format!("the tensor has {rank} axes and no shape")));
        }
        // SAFETY: the promise of `from_raw`: as many lengths, and steps if there are any, as axes.
        let (lengths, strides) = unsafe { (list(tensor.shape, rank), list(tensor.strides, rank)) };
        let lengths: Option<Vec<usize>> =
            lengths.iter().map(|length| usize::try_from(*length).ok()).collect();
        let Some(lengths) = lengths else {
            return Err(invalid("the tensor has an axis of negative length".to_owned()));
        };
        let strides = match strides {
            [] => steps_in_order(&lengths),
            steps => steps.iter().map(|step| *step as isize).collect(),
        };
        let address = (tensor.data as u64).checked_add(tensor.byte_offset);
        let address = address.ok_or_else(|| invalid("the tensor begins beyond any address".to_owned()))?;
        Ok(Described { address, device: tensor.device, dtype, lengths, strides, is_read_only })
    }
}

impl Drop for DLPack {
    fn drop(&mut self) {
        // SAFETY: this value owns the tensor, whose deleter is called once, here.
        unsafe {
            match self.0 {
                Owned::Plain(tensor) => {
                    if let Some(deleter) = tensor.as_ref().deleter {
                        deleter(tensor.as_ptr());
                    }
                }
                Owned::Versioned(tensor) => {
                    if let Some(deleter) = tensor.as_ref().deleter {
                        deleter(tensor.as_ptr());
                    }
                }
            }
        }
    }
}

fn versioned(dl_tensor: DLTensor) -> impl FnOnce(*mut c_void) -> DLManagedTensorVersioned {
    let version = DLPackVersion { major: MAJOR, minor: 0 };
    move |manager_ctx| DLManagedTensorVersioned {
        version,
        manager_ctx,
        deleter: Some(delete_versioned),
        flags: 0,
        dl_tensor,
    }
}

/// Puts a tensor and what it keeps behind one pointer, which the deleter frees.
fn hold<M>(
    make: impl FnOnce(*mut c_void) -> M,
    lengths: Vec<i64>,
    strides: Vec<i64>,
    owner: Box<dyn Any + Send + Sync>,
) -> NonNull<M> {
    let place = Box::into_raw(Box::<Held<M>>::new_uninit());
    let held = Held { managed: make(place.cast()), _lengths: lengths, _strides: strides, owner };
    // SAFETY: the box is new and nobody else has its pointer.
    unsafe { (*place).write(held) };
    EXPORTED.lock().unwrap_or_else(PoisonError::into_inner).insert(place as usize);
    NonNull::new(place.cast()).expect("a box has an address")
}

/// # Safety
///
/// The pointer is from `hold` with this `M`, or null, and is not used again.
unsafe fn free<M>(tensor: *mut M) {
    if tensor.is_null() {
        return;
    }
    EXPORTED.lock().unwrap_or_else(PoisonError::into_inner).remove(&(tensor as usize));
    // SAFETY: the tensor is the first field of a `Held` that `hold` has put into a box.
    drop(unsafe { Box::from_raw(tensor.cast::<Held<M>>()) });
}

unsafe extern "C" fn delete(tensor: *mut DLManagedTensor) {
    // SAFETY: `hold` has made it, and DLPack calls a deleter once.
    unsafe { free(tensor) }
}

unsafe extern "C" fn delete_versioned(tensor: *mut DLManagedTensorVersioned) {
    // SAFETY: as above.
    unsafe { free(tensor) }
}

/// # Safety
///
/// If there is a pointer, so many numbers lie there for as long as the result is used.
unsafe fn list<'a>(pointer: *const i64, count: usize) -> &'a [i64] {
    if pointer.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(pointer, count) }
}

/// Steps of C order in elements; wrong ones where there are too many elements to be
/// anywhere.
#[doc(hidden)]
pub fn steps_in_order(lengths: &[usize]) -> Vec<isize> {
    let mut strides = vec![0; lengths.len()];
    let mut step = 1_isize;
    for axis in (0..lengths.len()).rev() {
        strides[axis] = step;
        step = step.saturating_mul(isize::try_from(lengths[axis].max(1)).unwrap_or(isize::MAX));
    }
    strides
}

/// The number of a kind in `DLDataTypeCode`.
fn code(kind: Kind) -> u8 {
    match kind {
        Kind::Signed => 0,
        Kind::Unsigned => 1,
        Kind::Float => 2,
        Kind::Complex => 5,
        Kind::Bool => 6,
    }
}

fn data_type(dtype: DType) -> DLDataType {
    DLDataType { code: code(dtype.kind()), bits: (dtype.size() * 8) as u8, lanes: 1 }
}

fn array_type(found: DLDataType) -> Result<DType> {
    if let Some(dtype) = DType::ALL.into_iter().find(|dtype| data_type(*dtype) == found) {
        return Ok(dtype);
    }
    let DLDataType { code, bits, lanes } = found;
    let name = match code {
        0 => "int",
        1 => "uint",
        2 => "float",
        3 => "handle",
        4 => "bfloat",
        5 => "complex",
        6 => "bool",
        _ => "type",
    };
    let many = if lanes == 1 { String::new() } else { format!(" with {lanes} lanes") };
    let number = if code > 6 { format!(" {code} of") } else { String::new() };
    let message = format!(
        "arrays have no elements of type {name}{number}{bits}{many}; convert the tensor where it is made, to float32, say"
    );
    Err(Problem::DType { operation: "from_dlpack", message }.into())
}

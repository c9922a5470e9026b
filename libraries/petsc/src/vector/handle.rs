//! A vector of PETSc's, and who uses its memory.

use std::ffi::CStr;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use gpurepl_extend::{Context, DeviceKind, Error, Result, error};

use super::borrow::Shared;
use crate::library::{DECIDE, IntOut, Object, Petsc, petsc};

/// A vector of PETSc's, which is destroyed with the last handle: that of a `Vector`, or of an array over its memory.
pub(crate) struct Handle {
    pub(crate) petsc: &'static Petsc,
    pub(crate) object: Object,
    usage: Mutex<Usage>,
}

/// Who uses the memory.
#[derive(Default)]
struct Usage {
    lent: Lent,
    /// What has gone wrong where nobody could be told.
    failed: Option<Error>,
}

/// To whom the memory is lent.
#[derive(Default)]
pub(super) enum Lent {
    #[default]
    Nobody,
    /// An array that is read, and what shares it.
    Reader(Weak<Shared>),
    /// An array that may be written.
    Writer,
}

// SAFETY: PETSc's object is used through `Petsc::call` alone, by one thread at a time; nothing in it belongs to a thread.
unsafe impl Send for Handle {}

// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut object = self.object;
        // SAFETY: the object is this handle's, and nobody uses it after this.
        self.petsc.call_at_drop(|f| unsafe { (f.vec_destroy)(&raw mut object) });
    }
}

/// Where a vector's elements are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Memory {
    Host,
    Gpu,
}

impl Handle {
    /// The handle of a new vector of PETSc's, which nobody else destroys.
    pub(crate) fn of(petsc: &'static Petsc, object: Object) -> Arc<Handle> {
        Arc::new(Handle { petsc, object, usage: Mutex::default() })
    }

    /// A new vector of zeros, by its local and its global size; [`DECIDE`] for one of them.
    pub(super) fn create(
        operation: &'static str,
        local: Option<usize>,
        global: Option<usize>,
    ) -> Result<Arc<Handle>> {
        let petsc = petsc(operation)?;
        let size = |value: Option<usize>| value.map_or(Ok(DECIDE), |value| petsc.int(operation, value));
        let (local, global) = (size(local)?, size(global)?);
        let kind = kind(petsc, c"cuda", c"standard")?;
        let mut object = null_mut();
        // SAFETY: PETSc writes a new object there.
        petsc.call(operation, |f| unsafe { (f.vec_create)(petsc.comm, &raw mut object) })?;
        let handle = Handle::of(petsc, object);
        // SAFETY: the object has been made and not destroyed; the name is a C string.
        petsc.call(operation, |f| unsafe { (f.vec_set_sizes)(object, local, global) })?;
        // SAFETY: as above.
        petsc.call(operation, |f| unsafe { (f.vec_set_type)(object, kind.as_ptr()) })?;
        // SAFETY: as above.
        petsc.call(operation, |f| unsafe { (f.vec_set)(object, 0.0) })?;
        Ok(handle)
    }

    /// A new vector with the same sizes and type, whose elements have not been set.
    pub(super) fn duplicate(&self, operation: &'static str) -> Result<Arc<Handle>> {
        let mut object = null_mut();
        // SAFETY: the object lives; PETSc writes a new one there.
        self.petsc.call(operation, |f| unsafe { (f.vec_duplicate)(self.object, &raw mut object) })?;
        Ok(Handle::of(self.petsc, object))
    }

    fn usage(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whose the memory is.
    pub(super) fn lent<R>(&self, act: impl FnOnce(&mut Lent) -> R) -> R {
        act(&mut self.usage().lent)
    }

    /// Keeps an error for the next call.
    pub(super) fn note_failure(&self, error: Error) {
        self.usage().failed.get_or_insert(error);
    }

    /// Lets PETSc read the vector.
    ///
    /// # Errors
    ///
    /// If an array may write it, or giving the memory back has failed before.
    pub(crate) fn check_read(&self, operation: &'static str) -> Result<()> {
        let mut usage = self.usage();
        if let Some(error) = usage.failed.take() {
            return Err(error);
        }
        match usage.lent {
            Lent::Writer => Err(borrowed(operation, "to an array that may write it")),
            Lent::Nobody | Lent::Reader(_) => Ok(()),
        }
    }

    /// Lets PETSc write the vector.
    ///
    /// # Errors
    ///
    /// As [`Handle::check_read`], or if an array reads it.
    pub(crate) fn check_write(&self, operation: &'static str) -> Result<()> {
        self.check_read(operation)?;
        match self.usage().lent {
            Lent::Reader(_) => Err(borrowed(operation, "to an array that reads it")),
            Lent::Nobody | Lent::Writer => Ok(()),
        }
    }

    pub(crate) fn size(&self, operation: &'static str) -> Result<usize> {
        let mut size = IntOut::default();
        // SAFETY: the object lives; PETSc writes an integer there.
        self.petsc.call(operation, |f| unsafe { (f.vec_size)(self.object, &raw mut size) })?;
        Ok(self.petsc.size_of(size))
    }

    pub(crate) fn local_size(&self, operation: &'static str) -> Result<usize> {
        let mut size = IntOut::default();
        // SAFETY: as above.
        self.petsc.call(operation, |f| unsafe { (f.vec_local_size)(self.object, &raw mut size) })?;
        Ok(self.petsc.size_of(size))
    }

    pub(crate) fn range(&self, operation: &'static str) -> Result<Range<usize>> {
        let (mut first, mut end) = (IntOut::default(), IntOut::default());
        self.petsc.call(operation, |f| {
            // SAFETY: the object lives; PETSc writes integers there.
            unsafe { (f.vec_range)(self.object, &raw mut first, &raw mut end) }
        })?;
        Ok(self.petsc.size_of(first)..self.petsc.size_of(end))
    }

    /// What PETSc calls its type: "seq", "mpi", "seqcuda".
    pub(crate) fn type_name(&self, operation: &'static str) -> Result<String> {
        // SAFETY: the object lives; PETSc writes a pointer there.
        self.petsc.name_of(operation, |f, name| unsafe { (f.vec_type)(self.object, name) })
    }

    pub(super) fn memory(&self, operation: &'static str) -> Result<Memory> {
        Ok(if self.type_name(operation)?.contains("cuda") { Memory::Gpu } else { Memory::Host })
    }

    /// Copies the local part to the host.
    pub(super) fn to_host(&self, operation: &'static str) -> Result<Vec<f64>> {
        let count = self.local_size(operation)?;
        let mut first = std::ptr::null();
        // SAFETY: the object lives; PETSc writes the address of its elements there.
        self.petsc.call(operation, |f| unsafe { (f.vec_array_read)(self.object, &raw mut first) })?;
        let mut copy = vec![0.0; count];
        if count > 0 {
            // SAFETY: until they are restored the elements are there, `count` of them; nobody writes them, since
            // writers have been refused.
            copy.copy_from_slice(unsafe { std::slice::from_raw_parts(first, count) });
        }
        // SAFETY: the address is the one that PETSc gave.
        self.petsc.call(operation, |f| unsafe { (f.vec_restore_read)(self.object, &raw mut first) })?;
        Ok(copy)
    }

    /// Copies from the host to the local part; there are as many elements.
    pub(super) fn set_from_host(&self, operation: &'static str, elements: &[f64]) -> Result<()> {
        debug_assert_eq!(elements.len(), self.local_size(operation)?);
        let mut first = null_mut();
        // SAFETY: the object lives; PETSc writes the address of its elements there.
        self.petsc.call(operation, |f| unsafe { (f.vec_array)(self.object, &raw mut first) })?;
        if !elements.is_empty() {
            // SAFETY: until they are restored the elements are there, as many as the caller has counted, and nobody
            // else uses them, since readers and writers have been refused.
            unsafe { std::slice::from_raw_parts_mut(first, elements.len()) }.copy_from_slice(elements);
        }
        // SAFETY: the address is the one that PETSc gave.
        self.petsc.call(operation, |f| unsafe { (f.vec_restore)(self.object, &raw mut first) })
    }
}

fn borrowed(operation: &'static str, to: &str) -> Error {
    let message = format!(
        "the vector's memory is lent {to}; drop it, and the views of it, or call its `restore` first"
    );
    error::invalid(operation, message)
}

/// The type of new objects: one on the GPU if that is the current device and PETSc was built with CUDA.
pub(crate) fn kind(petsc: &Petsc, on_gpu: &'static CStr, on_host: &'static CStr) -> Result<&'static CStr> {
    let is_gpu = petsc.cuda.is_some() && Context::current()?.device().kind() == DeviceKind::Cuda;
    Ok(if is_gpu { on_gpu } else { on_host })
}

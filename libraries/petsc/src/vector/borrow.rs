//! A vector's memory as an array, without a copy.
//!
//! What is returned holds no reference to the vector, but keeps it alive: a variable of a cell that borrows from
//! another one lives no longer than its cell. So the rules of borrowing are kept as `RefCell` keeps them, while the
//! program runs: the vector knows to whom its memory is lent, and refuses what would not fit.
//!
//! An array is a handle to memory, which views and expressions share. So the memory is given back when the last of
//! them has gone: PETSc's array is restored by the owner that the array's buffer keeps, and the vector remains lent
//! until then.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::null_mut;
use std::sync::Arc;

use gpurepl_extend::arrays::untyped;
use gpurepl_extend::{
    AnyArray, Argument, Context, DeviceKind, Elements, Error, Extent, Gpu, GpuArray, Operation, Result,
    error, perform,
};

use super::handle::{Handle, Lent, Memory};

/// The memory of a vector's local part as an array to read: what [`Vector::borrow`](crate::Vector::borrow) returns.
///
/// It is used as the array that it holds: `&*a`. When it is dropped the memory goes back to PETSc.
#[derive(Clone)]
pub struct Local(Option<Arc<Shared>>);

/// The memory of a vector's local part as an array to write: what [`Vector::borrow_mut`](crate::Vector::borrow_mut)
/// returns.
///
/// It is used as the array that it holds: `&mut *a`. When it is dropped the memory goes back to PETSc. If another array
/// was put in its place by `*a = ...`, its elements are copied to the memory before.
pub struct LocalMut {
    array: Option<GpuArray<f64>>,
    /// The array as it was lent.
    memory: Option<GpuArray<f64>>,
    vector: Arc<Handle>,
}

/// An array that several read.
pub(super) struct Shared {
    array: Option<GpuArray<f64>>,
    vector: Arc<Handle>,
}

/// What the array's buffer keeps: the memory is PETSc's again when it is dropped.
struct Lease {
    vector: Arc<Handle>,
    first: *mut f64,
    memory: Memory,
}

// SAFETY: the pointer is only handed back to PETSc, through `Petsc::call_at_drop`, by one thread at a time.
unsafe impl Send for Lease {}

// SAFETY: as above; nothing is done through a shared reference.
unsafe impl Sync for Lease {}

impl Drop for Lease {
    fn drop(&mut self) {
        let (object, first, petsc) = (self.vector.object, &raw mut self.first, self.vector.petsc);
        petsc.call_at_drop(|f| {
            // SAFETY: the vector lives, and the address is the one that PETSc gave by the function's counterpart.
            unsafe {
                match (self.memory, &petsc.cuda) {
                    (Memory::Gpu, Some(cuda)) => (cuda.restore)(object, first),
                    _ => (f.vec_restore)(object, first),
                }
            }
        });
        self.vector.lent(|lent| *lent = Lent::Nobody);
    }
}

/// Asks PETSc for the memory, and makes an array of it. Nobody has it yet.
///
/// It is asked for as memory to write, also where it is only read: kernels can write to arrays that they are lent by a
/// shared reference, and PETSc has to know that what it has computed of the vector may have changed.
fn lend(operation: &'static str, vector: &Arc<Handle>) -> Result<GpuArray<f64>> {
    let memory = vector.memory(operation)?;
    check_device(operation, vector, memory)?;
    let count = vector.local_size(operation)?;
    let mut first = null_mut();
    // SAFETY: the object lives; PETSc writes the address of its elements there.
    vector.petsc.call(operation, |f| unsafe {
        match (memory, &vector.petsc.cuda) {
            (Memory::Gpu, Some(cuda)) => (cuda.array)(vector.object, &raw mut first),
            _ => (f.vec_array)(vector.object, &raw mut first),
        }
    })?;
    let lease = Lease { vector: Arc::clone(vector), first, memory };
    if memory == Memory::Gpu {
        // PETSc's work is on streams of its own.
        Context::current()?.synchronize()?;
    }
    // SAFETY: the elements are there until the lease is dropped, in memory of the current device, as `check_device` has
    // found. Meanwhile PETSc writes nothing there and reads only what nobody writes: `Handle::check_read` and
    // `check_write` refuse it; and no second array lies over them, since the memory is lent once.
    unsafe { GpuArray::from_raw(first as u64, count, lease) }
}

/// Sees to it that the current device reaches the vector's memory.
fn check_device(operation: &'static str, vector: &Handle, memory: Memory) -> Result<()> {
    let device = Context::current()?.device();
    match (memory, device.kind()) {
        (Memory::Host, DeviceKind::Host) | (Memory::Gpu, DeviceKind::Cuda) => Ok(()),
        (Memory::Host, DeviceKind::Cuda) => {
            let name = vector.type_name(operation)?;
            Err(error::unsupported(format!(
                "{operation}: the vector, of type {name}, lies in the memory of the host, the current device is {}; \
                 copy it, `to_array` and `copy_from`, use the host device, `GPUREPL_DEVICE=host`, or install a PETSc \
                 that was configured --with-cuda",
                device.id()
            )))
        }
        (Memory::Gpu, DeviceKind::Host) => {
            let name = vector.type_name(operation)?;
            Err(error::unsupported(format!(
                "{operation}: the vector, of type {name}, lies on a GPU, the current device is the host; copy it, \
                 `to_array` and `copy_from`, or make the GPU the current device"
            )))
        }
    }
}

/// The memory to read. Those who read at the same time share an array.
pub(super) fn read(vector: &Arc<Handle>) -> Result<Local> {
    vector.check_read("borrow")?;
    match vector.lent(|lent| if let Lent::Reader(shared) = lent { Some(shared.upgrade()) } else { None }) {
        Some(Some(shared)) => return Ok(Local(Some(shared))),
        Some(None) => return Err(still_used("borrow")),
        None => {}
    }
    let array = lend("borrow", vector)?;
    let shared = Arc::new(Shared { array: Some(array), vector: Arc::clone(vector) });
    vector.lent(|lent| *lent = Lent::Reader(Arc::downgrade(&shared)));
    Ok(Local(Some(shared)))
}

/// The memory to write.
pub(super) fn write(vector: &Arc<Handle>) -> Result<LocalMut> {
    vector.check_write("borrow_mut")?;
    let array = lend("borrow_mut", vector)?;
    vector.lent(|lent| *lent = Lent::Writer);
    Ok(LocalMut { memory: Some(array.clone()), array: Some(array), vector: Arc::clone(vector) })
}

/// Whether an array over the vector's memory can be had on the current device.
pub(super) fn is_reachable(vector: &Handle) -> Result<bool> {
    let memory = vector.memory("borrow")?;
    let kind = Context::current()?.device().kind();
    Ok((memory == Memory::Gpu) == (kind == DeviceKind::Cuda))
}

fn still_used(operation: &'static str) -> Error {
    let message =
        "views or expressions still use the array over the vector's memory, which stays lent; drop them";
    error::invalid(operation, message.to_owned())
}

/// Gives the memory back if nobody else uses it.
fn give_back(vector: &Handle, array: GpuArray<f64>) -> Result<()> {
    let settled = settle(&array);
    drop(array);
    settled?;
    if vector.lent(|lent| matches!(lent, Lent::Nobody)) { Ok(()) } else { Err(still_used("restore")) }
}

/// Has everything computed that reads or writes the array's memory, and waits for it.
fn settle(array: &GpuArray<f64>) -> Result<()> {
    struct Restore;
    impl Operation for Restore {
        fn name(&self) -> &'static str {
            "restore"
        }

        fn on_host(&self, _: &mut [Elements<'_>]) -> Result<()> {
            Ok(())
        }

        fn on_gpu(&self, _: &dyn Gpu, _: &[Extent]) -> Result<()> {
            Ok(())
        }
    }
    // Who writes has to wait for expressions that still have to read.
    let mut array = AnyArray::of(array);
    perform(Arc::new(Restore), &[Argument::write(&mut array)])?;
    array.context()?.synchronize()
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(array) = self.array.take()
            && let Err(error) = settle(&array)
        {
            drop(array);
            self.vector.note_failure(error);
        }
    }
}

impl Local {
    /// Gives the memory back to PETSc, as dropping this does, and says what goes wrong. Where several read, the last one
    /// gives it back.
    ///
    /// # Errors
    ///
    /// If views of the array, or expressions with it, are still there: the vector stays lent until they are dropped.
    /// If what was to be computed with it fails.
    pub fn restore(mut self) -> Result<()> {
        let Some(mut shared) = self.0.take().and_then(Arc::into_inner) else { return Ok(()) };
        match shared.array.take() {
            Some(array) => give_back(&shared.vector, array),
            None => Ok(()),
        }
    }
}

impl LocalMut {
    /// Gives the memory back to PETSc, as dropping this does, and says what goes wrong.
    ///
    /// # Errors
    ///
    /// If views of the array, or expressions with it, are still there: the vector stays lent until they are dropped.
    /// If another array was put in its place and has another shape, or what was to be computed fails.
    pub fn restore(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        let (Some(array), Some(memory)) = (self.array.take(), self.memory.take()) else { return Ok(()) };
        let written = write_back(&array, &memory);
        drop(array);
        written.and(give_back(&self.vector, memory))
    }
}

/// Copies an array that was put in the place of the one that was lent.
fn write_back(array: &GpuArray<f64>, memory: &GpuArray<f64>) -> Result<()> {
    let (from, to) = (AnyArray::of(array), AnyArray::of(memory));
    if from.shape() != to.shape() {
        let message = format!(
            "the array has shape {:?}, the vector's local part {:?}; put one of its shape there, or write `assign`",
            from.shape(),
            to.shape()
        );
        return Err(error::shape("restore", message));
    }
    if from.extent()? == to.extent()? { Ok(()) } else { untyped::assign(to.raw(), from.raw()) }
}

impl Drop for LocalMut {
    fn drop(&mut self) {
        // That something else uses the memory still is told when the vector is used.
        if let Err(error) = self.end()
            && self.vector.lent(|lent| matches!(lent, Lent::Nobody))
        {
            self.vector.note_failure(error);
        }
    }
}

impl Deref for Local {
    type Target = GpuArray<f64>;

    fn deref(&self) -> &GpuArray<f64> {
        self.0.as_ref().and_then(|shared| shared.array.as_ref()).expect("there until it is given back")
    }
}

impl Deref for LocalMut {
    type Target = GpuArray<f64>;

    fn deref(&self) -> &GpuArray<f64> {
        self.array.as_ref().expect("there until it is given back")
    }
}

impl DerefMut for LocalMut {
    fn deref_mut(&mut self) -> &mut GpuArray<f64> {
        self.array.as_mut().expect("there until it is given back")
    }
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Debug for LocalMut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl fmt::Display for LocalMut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

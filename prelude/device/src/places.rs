//! Places, as in Copperhead: where functions run and where arrays are made.
//!
//! ```
//! use gpurepl_prelude::*;
//! let kind = places::here()?.run(|| Device::current().map(|device| device.kind()))??;
//! assert_eq!(kind, DeviceKind::Host);
//! # Ok::<(), Error>(())
//! ```

use super::autoinit;
use super::context::Context;
use super::{Device, cuda, host};
use crate::error::Result;

/// A device as the place where arrays are made and kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(Context);

/// The host device: the CPU.
///
/// # Errors
///
/// If `GPUREPL_KERNEL_TIMEOUT` cannot be read.
pub fn here() -> Result<Place> {
    autoinit::retained(Device::of(host::describe()?)).map(Place)
}

/// The GPU with this number.
///
/// # Errors
///
/// If there is none, or no CUDA driver.
pub fn gpu(number: usize) -> Result<Place> {
    autoinit::retained(Device::of(cuda::describe(number)?)).map(Place)
}

/// [`gpu`] until the scope is dropped: `let _scope = places::gpu_scope()?;` for the first GPU.
///
/// # Errors
///
/// As [`gpu`].
pub fn gpu_scope() -> Result<Scope> {
    gpu(0)?.scope()
}

/// [`here`] until the scope is dropped: `let _scope = places::host_scope()?;`
///
/// # Errors
///
/// As [`here`].
pub fn host_scope() -> Result<Scope> {
    here()?.scope()
}

impl Place {
    /// Does something at this place.
    ///
    /// # Errors
    ///
    /// If the place's context has been detached.
    pub fn run<R>(self, act: impl FnOnce() -> R) -> Result<R> {
        self.0.scope(act)
    }

    /// Makes this the place until the scope is dropped. It belongs to the thread that made it.
    ///
    /// # Errors
    ///
    /// As [`Place::run`].
    pub fn scope(self) -> Result<Scope> {
        self.0.push()?;
        Ok(Scope { place: self, of_thread: std::marker::PhantomData })
    }

    /// The device.
    pub fn device(self) -> Device {
        self.0.device()
    }

    /// The device's context.
    pub fn context(self) -> Context {
        self.0
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.device().id())
    }
}

/// A place that is in use until this is dropped.
#[must_use = "the place is in use until the scope is dropped: `let _scope = ..`"]
#[derive(Debug)]
pub struct Scope {
    place: Place,
    /// A thread has contexts of its own.
    of_thread: std::marker::PhantomData<*const ()>,
}

impl Drop for Scope {
    fn drop(&mut self) {
        self.place.0.pop_this();
    }
}

//! Devices: what they are, and choosing one.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::{Context, ContextFlags, Description, DeviceAttribute, DeviceKind, Limits, cuda, host};
use crate::error::{Bytes, OrRaise as _, Problem, Result};

/// A GPU, or the host.
///
/// [`device()`] is the one that arrays live on and kernels run on, unless a
/// [`Context`] of another one has been pushed. It is chosen at its first use: by
/// `GPUREPL_DEVICE` (`host`, `cuda`, `cuda:1`, a PCI bus id such as
/// `0000:3b:00.0`), else by `CUDA_DEVICE` (a number), else it is the first CUDA
/// device that works, else the host.
///
/// ```
/// use gpurepl_prelude::*;
/// println!("{}", device().name());
/// assert!(device().total_memory() > 0);
/// for device in Device::all()? {
///     println!("{}: {} threads a block", device.name(), device.attribute(DeviceAttribute::MaxThreadsPerBlock)?);
/// }
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Device(&'static Description);

/// The device in use.
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the device that the environment names
/// cannot be used. [`Device::current`] returns it instead.
#[track_caller]
pub fn device() -> Device {
    Device::current().or_raise()
}

impl Device {
    /// What is known of a device is kept for ever, once for each.
    pub(super) fn of(description: Description) -> Device {
        static KNOWN: Mutex<BTreeMap<String, &'static Description>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.entry(description.id.clone());
        Device(found.or_insert_with(|| Box::leak(Box::new(description))))
    }

    /// The device in use; at the first call it is chosen and made ready.
    ///
    /// # Errors
    ///
    /// If the device that the environment names does not exist or does not
    /// work. The answer is the same at each call.
    pub fn current() -> Result<Device> {
        Ok(super::current()?.device())
    }

    /// How many devices there are of the kind in use: GPUs, or one host.
    ///
    /// # Errors
    ///
    /// As [`Device::current`].
    pub fn count() -> Result<usize> {
        match Device::current()?.kind() {
            DeviceKind::Cuda => cuda::count(),
            DeviceKind::Host => Ok(1),
        }
    }

    /// The device of this number, of the kind in use. It is not made ready,
    /// and arrays do not go there: see [`Device::make_context`].
    ///
    /// # Errors
    ///
    /// If there is no such device.
    pub fn new(number: usize) -> Result<Device> {
        match Device::current()?.kind() {
            DeviceKind::Cuda => cuda::describe(number).map(Device::of),
            DeviceKind::Host if number == 0 => Device::host(),
            DeviceKind::Host => Err(Problem::Missing {
                what: format!("there is no device {number}: the host is device 0, and the only one"),
                help: "with an NVIDIA GPU, unset GPUREPL_DEVICE; `gpurepl devices` lists what there is"
                    .to_owned(),
            }
            .into()),
        }
    }

    /// The host, whatever the device in use is.
    ///
    /// # Errors
    ///
    /// If `GPUREPL_KERNEL_TIMEOUT` cannot be read.
    pub fn host() -> Result<Device> {
        Ok(Device::of(host::describe()?))
    }

    /// The GPU with this PCI bus id: `0000:3b:00.0`, as `nvidia-smi` shows it.
    ///
    /// # Errors
    ///
    /// If there is none, or no CUDA driver.
    pub fn by_pci_bus_id(id: &str) -> Result<Device> {
        cuda::describe(cuda::by_pci_bus_id(id)?).map(Device::of)
    }

    /// All devices of the kind in use.
    ///
    /// # Errors
    ///
    /// As [`Device::count`].
    pub fn all() -> Result<Vec<Device>> {
        (0..Device::count()?).map(Device::new).collect()
    }

    /// Whether it is a GPU or the host.
    pub fn kind(&self) -> DeviceKind {
        self.0.kind
    }

    /// Its number: that of `cuda:1` is 1. The host's is 0.
    pub fn number(&self) -> usize {
        self.0.number
    }

    /// How to choose it: `cuda:0`, `host`.
    pub fn id(&self) -> &'static str {
        &self.0.id
    }

    /// Its name: `NVIDIA H200`.
    pub fn name(&self) -> &'static str {
        &self.0.name
    }

    /// What else there is to say of it, in words.
    #[doc(hidden)]
    pub fn detail(&self) -> &'static str {
        &self.0.detail
    }

    /// Its memory in bytes.
    pub fn total_memory(&self) -> u64 {
        self.0.total_memory
    }

    /// The architecture of a CUDA device, such as `(9, 0)`; none for the host.
    pub fn compute_capability(&self) -> Option<(i32, i32)> {
        self.0.compute_capability
    }

    /// Its PCI bus id, `0000:3b:00.0`; none for the host.
    ///
    /// # Errors
    ///
    /// If the driver does not say.
    pub fn pci_bus_id(&self) -> Result<Option<String>> {
        match self.kind() {
            DeviceKind::Cuda => cuda::pci_bus_id(self.number()).map(Some),
            DeviceKind::Host => Ok(None),
        }
    }

    /// An attribute, in the driver's unit: bytes, threads, kHz, or 1 for yes.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(device().attribute(DeviceAttribute::WarpSize)?, 32);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the device has none of this name, as an older driver or the host.
    pub fn attribute(&self, attribute: DeviceAttribute) -> Result<i64> {
        match self.kind() {
            DeviceKind::Cuda => cuda::attribute(self.number(), attribute),
            DeviceKind::Host => host::attribute(attribute).ok_or_else(|| {
                Problem::Unsupported { message: format!("the host device has no attribute `{attribute}`") }
                    .into()
            }),
        }
    }

    /// All attributes that the device has.
    ///
    /// # Errors
    ///
    /// If the driver cannot be asked at all.
    pub fn attributes(&self) -> Result<BTreeMap<DeviceAttribute, i64>> {
        // The first is one that every device has.
        self.attribute(DeviceAttribute::MaxThreadsPerBlock)?;
        let asked = DeviceAttribute::ALL.iter().filter_map(|name| Some((*name, self.attribute(*name).ok()?)));
        Ok(asked.collect())
    }

    /// Whether kernels of this device can use memory of another one, after
    /// [`Context::enable_peer_access`].
    ///
    /// # Errors
    ///
    /// If the driver cannot be asked.
    pub fn can_access_peer(&self, other: Device) -> Result<bool> {
        match (self.kind(), other.kind()) {
            (DeviceKind::Cuda, DeviceKind::Cuda) => cuda::can_access_peer(self.number(), other.number()),
            _ => Ok(false),
        }
    }

    /// Makes a context of its own on this device and pushes it, so that what
    /// follows on this thread goes there: see [`Context`].
    ///
    /// # Errors
    ///
    /// If the device cannot be used.
    pub fn make_context(&self) -> Result<Context> {
        self.make_context_with(ContextFlags::default())
    }

    /// [`Device::make_context`] with flags.
    ///
    /// # Errors
    ///
    /// If the device cannot be used.
    pub fn make_context_with(&self, flags: ContextFlags) -> Result<Context> {
        Context::make(*self, flags)
    }

    /// The device's primary context: the one that NVIDIA's own libraries use,
    /// and that is current from the start on the device in use. It is not
    /// pushed.
    ///
    /// # Errors
    ///
    /// If the device cannot be used.
    pub fn retain_primary_context(&self) -> Result<Context> {
        super::retained(*self)
    }

    /// Waits until the device has done all work of the current context.
    ///
    /// # Errors
    ///
    /// If any of that work failed.
    pub fn synchronize(&self) -> Result<()> {
        super::synchronize()
    }

    /// The longest that a kernel may run on the host device before it is
    /// stopped; nothing for as long as it likes. At the start it is what
    /// `GPUREPL_KERNEL_TIMEOUT` says, in seconds. On a GPU it holds for kernels in Rust
    /// that poll, which `GPUREPL_POLL=1` has them do; others have the
    /// limit that the driver sets, if any.
    pub fn set_kernel_timeout(&self, limit: Option<std::time::Duration>) {
        super::time_limit::set_time_limit(limit);
    }

    pub(crate) fn limits(&self) -> &'static Limits {
        &self.0.limits
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Device {}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (id, name, detail) = (self.id(), self.name(), &self.0.detail);
        write!(f, "Device({id}: {name}, {detail}, {})", Bytes(self.total_memory()))
    }
}

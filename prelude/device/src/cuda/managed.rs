//! Managed memory, which a GPU and the host share.

use cudarc::driver::sys::{self, CUdevice, CUdevice_attribute, CUmem_advise, CUmemAttach_flags, CUresult};

use super::context::Context;
use super::{older, pinned, properties};
use crate::error::{Problem, Result};
use crate::{Advice, AttachFlags, Buffer, DeviceKind, MemoryLocation, refuse_in_capture};

fn bits(flags: AttachFlags) -> u32 {
    (match flags {
        AttachFlags::Global => CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL,
        AttachFlags::Host => CUmemAttach_flags::CU_MEM_ATTACH_HOST,
        AttachFlags::Single => CUmemAttach_flags::CU_MEM_ATTACH_SINGLE,
    }) as u32
}

/// The device's number, or -1 for the host.
fn device(location: MemoryLocation) -> Result<CUdevice> {
    match location {
        MemoryLocation::Host => Ok(-1),
        MemoryLocation::Device(context) if context.device().kind() == DeviceKind::Host => Ok(-1),
        MemoryLocation::Device(context) => properties::handle(context.device().number()),
    }
}

impl Context {
    pub(super) fn allocate_shared(&self, bytes: usize, flags: AttachFlags) -> Result<u64> {
        self.bind()?;
        let ours = properties::handle(self.number())?;
        let concurrent = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS;
        if properties::raw_attribute(ours, concurrent)? == 0 {
            // There the host must not look at any of it while any kernel
            // runs, which nobody here could see to.
            let message = format!(
                "{} cannot share memory with the host while kernels run; use page-locked memory",
                self.description().id
            );
            return Err(Problem::Unsupported { message }.into());
        }
        // Made for all, since nothing else can be asked for one stream yet.
        let first = if flags == AttachFlags::Host { flags } else { AttachFlags::Global };
        let mut address = 0;
        // SAFETY: the context is current; the pointer is to a valid integer.
        let result = unsafe { sys::cuMemAllocManaged(&raw mut address, bytes, bits(first)) };
        self.check(result, "allocating managed memory")?;
        pinned::note(address, bytes);
        self.add_ward();
        Ok(address)
    }

    /// # Safety
    ///
    /// As for `Copies::release_managed`.
    pub(super) unsafe fn release_shared(&self, address: u64) {
        pinned::forget(address);
        if self.bind().is_ok() {
            // SAFETY: made by `allocate_shared`, freed once, not used any more.
            let _ = unsafe { sys::cuMemFree_v2(address) };
        }
        self.remove_ward();
    }

    pub(super) fn attach_shared(&self, buffer: &Buffer, flags: AttachFlags) -> Result<()> {
        refuse_in_capture("Managed::attach")?;
        self.bind()?;
        buffer.enter(true)?;
        let stream = self.stream();
        if flags == AttachFlags::Single && stream.is_null() {
            let message = "memory cannot be attached to the default stream; attach it within \
                           `stream.scope(..)`"
                .to_owned();
            return Err(Problem::Invalid { operation: "Managed::attach", message }.into());
        }
        // SAFETY: the memory is managed, all of it, and the stream alive.
        let result = unsafe { sys::cuStreamAttachMemAsync(stream, buffer.address(), 0, bits(flags)) };
        self.check(result, "attaching managed memory")
    }

    pub(super) fn prefetch_shared(&self, buffer: &Buffer, to: MemoryLocation) -> Result<()> {
        refuse_in_capture("Managed::prefetch")?;
        self.bind()?;
        buffer.enter(false)?;
        // SAFETY: the memory is managed and as large; the stream is alive.
        let result = unsafe { older::prefetch(buffer.address(), buffer.bytes(), device(to)?, self.stream()) };
        self.check(result, "moving managed memory")
    }

    pub(super) fn advise_shared(&self, buffer: &Buffer, advice: Advice) -> Result<()> {
        use CUmem_advise::*;
        self.bind()?;
        let ours = properties::handle(self.number())?;
        let (advice, device) = match advice {
            Advice::ReadMostly => (CU_MEM_ADVISE_SET_READ_MOSTLY, ours),
            Advice::NotReadMostly => (CU_MEM_ADVISE_UNSET_READ_MOSTLY, ours),
            Advice::PreferredLocation(at) => (CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device(at)?),
            Advice::NoPreferredLocation => (CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, ours),
            Advice::AccessedBy(at) => (CU_MEM_ADVISE_SET_ACCESSED_BY, device(at)?),
            Advice::NotAccessedBy(at) => (CU_MEM_ADVISE_UNSET_ACCESSED_BY, device(at)?),
        };
        // SAFETY: the memory is managed and as large.
        let result: CUresult = unsafe { older::advise(buffer.address(), buffer.bytes(), advice, device) };
        self.check(result, "advising on managed memory")
    }
}

//! Images on a GPU: the driver's arrays, textures and surfaces.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::sys::{
    self, CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY3D, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC, CUaddress_mode,
    CUarray, CUarray_format, CUfilter_mode, CUmemorytype, CUresourcetype,
};

use super::context::Context;
use crate::error::Result;
use crate::image::{
    AddressMode, ArrayFormat, Axes, FilterMode, Image, Layout, Linear, Object, ReadMode, Sampling,
};
use crate::{self as device, Buffer, Order, refuse_in_capture, stream};

struct CudaImage {
    raw: CUarray,
    layout: Layout,
    /// The streams whose kernels read and write it.
    order: Order,
    context: Arc<Context>,
}

// SAFETY: the driver's functions may be called from any thread with the
// context bound; what copies do is ordered by the stream.
unsafe impl Send for CudaImage {}
// SAFETY: as above.
unsafe impl Sync for CudaImage {}

pub(super) fn new(context: &Arc<Context>, layout: &Layout) -> Result<Arc<dyn Image>> {
    context.bind()?;
    let [width, second, third] = layout.lengths;
    // An axis that is not there has no length; layers are the depth.
    let (height, depth, layered) = match layout.axes {
        Axes::One => (0, 0, 0),
        Axes::Two => (second, 0, 0),
        Axes::Three => (second, third, 0),
        Axes::OneLayered => (0, third, sys::CUDA_ARRAY3D_LAYERED),
        Axes::TwoLayered => (second, third, sys::CUDA_ARRAY3D_LAYERED),
    };
    let surfaces = if layout.surfaces { sys::CUDA_ARRAY3D_SURFACE_LDST } else { 0 };
    let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Depth: depth,
        Format: format(layout.format),
        NumChannels: layout.channels,
        Flags: layered | surfaces,
    };
    let mut raw: CUarray = std::ptr::null_mut();
    // SAFETY: the context is current; the pointers are to a valid handle and
    // a descriptor that the driver reads before it returns.
    let result = unsafe { sys::cuArray3DCreate_v2(&raw mut raw, &raw const descriptor) };
    context.check(result, "allocating an array for textures")?;
    context.add_ward();
    Ok(Arc::new(CudaImage { raw, layout: *layout, order: Order::default(), context: Arc::clone(context) }))
}

/// A texture over a buffer's elements.
pub(super) fn linear(
    context: &Arc<Context>,
    from: &Linear<'_>,
    sampling: &Sampling,
) -> Result<Box<dyn Object>> {
    from.check();
    let mut resource = empty_resource(CUresourcetype::CU_RESOURCE_TYPE_LINEAR);
    resource.res.linear.devPtr = from.buffer.address() + from.offset as u64;
    resource.res.linear.format = format(from.format);
    resource.res.linear.numChannels = from.channels;
    resource.res.linear.sizeInBytes = from.bytes();
    texture(context, &resource, from.format, 1, sampling)
}

fn format(format: ArrayFormat) -> CUarray_format {
    use CUarray_format::*;
    match format {
        ArrayFormat::SignedInt8 => CU_AD_FORMAT_SIGNED_INT8,
        ArrayFormat::UnsignedInt8 => CU_AD_FORMAT_UNSIGNED_INT8,
        ArrayFormat::SignedInt16 => CU_AD_FORMAT_SIGNED_INT16,
        ArrayFormat::UnsignedInt16 => CU_AD_FORMAT_UNSIGNED_INT16,
        ArrayFormat::SignedInt32 => CU_AD_FORMAT_SIGNED_INT32,
        ArrayFormat::UnsignedInt32 => CU_AD_FORMAT_UNSIGNED_INT32,
        ArrayFormat::Half => CU_AD_FORMAT_HALF,
        ArrayFormat::Float => CU_AD_FORMAT_FLOAT,
    }
}

fn empty_resource(kind: CUresourcetype) -> CUDA_RESOURCE_DESC {
    // SAFETY: a plain structure of integers and pointers, for all of which
    // zeros are values.
    let mut resource: CUDA_RESOURCE_DESC = unsafe { std::mem::zeroed() };
    resource.resType = kind;
    resource
}

fn texture(
    context: &Arc<Context>,
    resource: &CUDA_RESOURCE_DESC,
    format: ArrayFormat,
    coordinates: usize,
    sampling: &Sampling,
) -> Result<Box<dyn Object>> {
    context.bind()?;
    let mut flags = 0;
    // Elements that are not floats, and do not become floats, are read as they are.
    if sampling.read == ReadMode::ElementType && !format.is_float() {
        flags |= sys::CU_TRSF_READ_AS_INTEGER;
    }
    if sampling.normalized_coordinates {
        flags |= sys::CU_TRSF_NORMALIZED_COORDINATES;
    }
    let address = |mode| match mode {
        AddressMode::Wrap => CUaddress_mode::CU_TR_ADDRESS_MODE_WRAP,
        AddressMode::Clamp => CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP,
        AddressMode::Mirror => CUaddress_mode::CU_TR_ADDRESS_MODE_MIRROR,
        AddressMode::Border => CUaddress_mode::CU_TR_ADDRESS_MODE_BORDER,
    };
    // SAFETY: a plain structure of numbers and enumerations that have a zero.
    let mut how: CUDA_TEXTURE_DESC = unsafe { std::mem::zeroed() };
    how.addressMode = sampling.resolved_address(coordinates).map(address);
    how.filterMode = match sampling.filter {
        FilterMode::Point => CUfilter_mode::CU_TR_FILTER_MODE_POINT,
        FilterMode::Linear => CUfilter_mode::CU_TR_FILTER_MODE_LINEAR,
    };
    how.flags = flags;
    how.borderColor = sampling.border;
    let mut raw = 0;
    // SAFETY: the context is current; the descriptors are read before the call
    // returns, and what the resource names is alive: its owner is held as long
    // as the texture (see `Image::texture`).
    let result = unsafe { sys::cuTexObjectCreate(&raw mut raw, resource, &raw const how, std::ptr::null()) };
    context.check(result, "making a texture")?;
    context.add_ward();
    Ok(Box::new(CudaObject { raw, is_surface: false, context: Arc::clone(context) }))
}

/// A texture or a surface.
struct CudaObject {
    raw: u64,
    is_surface: bool,
    context: Arc<Context>,
}

impl Object for CudaObject {
    fn handle(&self) -> u64 {
        self.raw
    }
}

impl Drop for CudaObject {
    fn drop(&mut self) {
        // Kernels that have been launched may still use it. After an error
        // that cannot be recovered from the driver refuses, and says so below.
        let _ = self.context.synchronize();
        if self.context.bind().is_ok() {
            // SAFETY: made by the function that belongs to this one, destroyed
            // once, and no kernel is under way.
            let _ = unsafe {
                if self.is_surface {
                    sys::cuSurfObjectDestroy(self.raw)
                } else {
                    sys::cuTexObjectDestroy(self.raw)
                }
            };
        }
        self.context.remove_ward();
    }
}

/// One side of a copy.
struct Side {
    kind: CUmemorytype,
    host: *mut c_void,
    device: u64,
    array: CUarray,
}

impl Side {
    fn new(kind: CUmemorytype) -> Side {
        Side { kind, host: std::ptr::null_mut(), device: 0, array: std::ptr::null_mut() }
    }
}

impl CudaImage {
    /// A copy of all of it, from one side to the other.
    fn copy(&self, from: Side, to: Side) -> CUDA_MEMCPY3D {
        let [width, height, depth] = self.layout.lengths;
        let row = width * self.layout.element();
        CUDA_MEMCPY3D {
            srcXInBytes: 0,
            srcY: 0,
            srcZ: 0,
            srcLOD: 0,
            srcMemoryType: from.kind,
            srcHost: from.host,
            srcDevice: from.device,
            srcArray: from.array,
            reserved0: std::ptr::null_mut(),
            srcPitch: row,
            srcHeight: height,
            dstXInBytes: 0,
            dstY: 0,
            dstZ: 0,
            dstLOD: 0,
            dstMemoryType: to.kind,
            dstHost: to.host,
            dstDevice: to.device,
            dstArray: to.array,
            reserved1: std::ptr::null_mut(),
            dstPitch: row,
            dstHeight: height,
            WidthInBytes: row,
            Height: height,
            Depth: depth,
        }
    }

    /// An image does not know its streams: where there are several, all work
    /// is waited for.
    fn settle(&self) -> Result<()> {
        refuse_in_capture("copying to or from an array for textures")?;
        if stream::in_use() { self.context.synchronize() } else { self.context.bind() }
    }

    fn side(&self) -> Side {
        Side { array: self.raw, ..Side::new(CUmemorytype::CU_MEMORYTYPE_ARRAY) }
    }

    fn resource(&self) -> CUDA_RESOURCE_DESC {
        let mut resource = empty_resource(CUresourcetype::CU_RESOURCE_TYPE_ARRAY);
        resource.res.array.hArray = self.raw;
        resource
    }
}

impl Image for CudaImage {
    fn upload(&self, from: &[u8]) -> Result<()> {
        assert_eq!(from.len(), self.layout.bytes());
        self.settle()?;
        let source =
            Side { host: from.as_ptr() as *mut c_void, ..Side::new(CUmemorytype::CU_MEMORYTYPE_HOST) };
        let copy = self.copy(source, self.side());
        // SAFETY: both sides have as many bytes as are copied (checked above),
        // and the call returns when `from` has been read.
        let result = unsafe { sys::cuMemcpy3D_v2(&raw const copy) };
        self.context.check(result, "copying to an array for textures")?;
        // Other streams may read it next.
        self.settle()
    }

    fn download(&self, to: &mut [u8]) -> Result<()> {
        assert_eq!(to.len(), self.layout.bytes());
        self.settle()?;
        let target = Side { host: to.as_mut_ptr().cast(), ..Side::new(CUmemorytype::CU_MEMORYTYPE_HOST) };
        let copy = self.copy(self.side(), target);
        // SAFETY: both sides have as many bytes as are copied (checked above),
        // and the call returns when `to` has been written.
        let result = unsafe { sys::cuMemcpy3D_v2(&raw const copy) };
        self.context.check(result, "copying from an array for textures")
    }

    fn copy_from(&self, from: &Buffer, offset: usize) -> Result<()> {
        let end = offset.checked_add(self.layout.bytes());
        assert!(end.is_some_and(|end| end <= from.bytes()), "internal error: outside of a buffer");
        self.settle()?;
        from.enter(false)?;
        let device = from.address() + offset as u64;
        let source = Side { device, ..Side::new(CUmemorytype::CU_MEMORYTYPE_DEVICE) };
        let copy = self.copy(source, self.side());
        // SAFETY: both sides have as many bytes as are copied (checked above);
        // the buffer is freed on the same stream, so after this copy, and
        // the image waits for the stream before it is freed.
        let result = unsafe { sys::cuMemcpy3DAsync_v2(&raw const copy, self.context.stream()) };
        self.context.check(result, "copying to an array for textures")?;
        self.settle()
    }

    fn texture(&self, sampling: &Sampling) -> Result<Box<dyn Object>> {
        texture(&self.context, &self.resource(), self.layout.format, self.layout.axes.coordinates(), sampling)
    }

    fn surface(&self) -> Result<Box<dyn Object>> {
        self.context.bind()?;
        let (resource, mut raw) = (self.resource(), 0);
        // SAFETY: as for textures above.
        let result = unsafe { sys::cuSurfObjectCreate(&raw mut raw, &raw const resource) };
        self.context.check(result, "making a surface")?;
        self.context.add_ward();
        Ok(Box::new(CudaObject { raw, is_surface: true, context: Arc::clone(&self.context) }))
    }

    fn enter(&self, writes: bool) -> Result<()> {
        if stream::in_use() && !stream::is_capturing() {
            let owner = self.context.owner();
            self.order.enter(owner, owner, writes)?;
        }
        Ok(())
    }

    fn buffer(&self) -> Option<&Arc<Buffer>> {
        None // The stream keeps kernels and copies apart.
    }

    fn context(&self) -> device::Context {
        self.context.owner()
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn handle(&self) -> u64 {
        self.raw as u64
    }
}

impl Drop for CudaImage {
    fn drop(&mut self) {
        // Work that has been asked for may still use it.
        let _ = self.context.synchronize();
        if self.context.bind().is_ok() {
            // SAFETY: the array was made by `new` and is destroyed once; each
            // texture and surface over it is gone, since they hold it.
            let _ = unsafe { sys::cuArrayDestroy(self.raw) };
        }
        self.context.remove_ward();
    }
}

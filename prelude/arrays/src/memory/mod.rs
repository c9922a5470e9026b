//! Memory: the device's, the host's that the device reaches, and copies.
//!
//! | | |
//! |---|---|
//! | [`mem_alloc`], [`DeviceAllocation`] | memory of the device without a type |
//! | [`memcpy_htod`], [`memcpy_dtoh`], [`memcpy_dtod`] | copies, with `_async` forms for page-locked memory |
//! | [`Memcpy2D`], [`Memcpy3D`] | copies of rectangles and boxes |
//! | [`memset_d8`] and others | fills |
//! | [`CudaArray`] | arrays for textures and surfaces |
//! | [`PageLocked`] | memory of the host that the device reaches |
//! | [`Managed`] | memory that host and device share |
//! | [`memory_pool`] | what is kept for the next array |
//! | [`DLPack`], [`CudaArrayInterface`] | arrays of other libraries |
//! | [`PointerHolder`], [`DeviceAllocation::from_raw`] | memory that something else has made |

mod allocation;
mod copy;
mod cuda_array;
mod dlpack;
mod foreign;
mod host_array;
mod host_data;
mod interface;
mod managed;
mod memcpy2d;
mod memcpy3d;
mod memset;
mod pagelocked;
mod pitched;
mod pool;
mod rectangle;

pub use crate::array::Order;
pub use crate::device::{Advice, AttachFlags, MemoryLocation, PageLockedFlags};
pub use crate::device::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPack, DLPackVersion, DLTensor,
    PointerHolder,
};
pub use allocation::{
    DeviceAllocation, from_device, from_device_like, mem_alloc, mem_alloc_like, mem_get_info, memcpy_dtod,
    memcpy_dtoh, memcpy_htod, to_device,
};
pub use copy::{memcpy_dtod_async, memcpy_dtoh_async, memcpy_htod_async, memcpy_peer, memcpy_peer_async};
pub use cuda_array::{
    ArrayData, ArrayDescriptor, ArrayFlags, CudaArray, gpuarray_to_array, make_multichannel_2d_array,
    matrix_to_array, np_to_array,
};
pub use host_array::{HostArray, HostElem};
pub(crate) use host_data::Lent;
pub use host_data::{HostBytes, HostData, HostDataMut};
pub use interface::CudaArrayInterface;
pub use managed::{Managed, managed_empty, managed_from, managed_zeros};
pub use memcpy2d::Memcpy2D;
pub use memcpy3d::Memcpy3D;
pub use memset::{
    memset_d2d8, memset_d2d8_async, memset_d2d16, memset_d2d16_async, memset_d2d32, memset_d2d32_async,
    memset_d8, memset_d8_async, memset_d16, memset_d16_async, memset_d32, memset_d32_async,
};
pub use pagelocked::{
    AlignedArray, MappedPointer, PageLocked, aligned_empty, pagelocked_empty, pagelocked_from,
    pagelocked_zeros, register_host_memory,
};
pub use pitched::mem_alloc_pitch;
pub use pool::{MemoryPool, memory_pool, pagelocked_pool};

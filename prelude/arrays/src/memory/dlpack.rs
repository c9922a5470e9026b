//! Arrays to and from other libraries in this process: DLPack.

use crate::array::{Elem, GpuArray, Node, Place, Raw};
use crate::device::{self, DLDevice, DLPack, Described, Device, DeviceKind, Foreign};
use crate::error::{Problem, Result};
use crate::shape::{IntoShape as _, MAX_RANK};

/// Numbers of `DLDeviceType`.
const CPU: i32 = 1;
const CUDA: i32 = 2;
const CUDA_HOST: i32 = 3;
const CUDA_MANAGED: i32 = 13;

impl<T: Elem> GpuArray<T> {
    /// The array as a tensor of DLPack, for another library in this process. The tensor
    /// keeps the memory, and what is written there by one side is seen by the other.
    ///
    /// The array is evaluated, and the device's work is waited for. From then on the
    /// library and this session have to take turns: neither knows of the other's work.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = arange(0..6).reshape((2, 3)).t();
    /// let tensor = a.to_dlpack()?;            // .into_raw() gives a library the DLManagedTensor
    /// let b = GpuArray::<i32>::from_dlpack(tensor)?;
    /// assert_eq!((b.shape(), b.strides()), (&[3, 2][..], vec![4, 12]));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If evaluating the array fails, or the device reports an error.
    pub fn to_dlpack(&self) -> Result<DLPack> {
        export(&self.raw)
    }

    /// An array over the memory of a tensor of DLPack, whose deleter is called when
    /// the last array over it has been dropped. A tensor that may not be written is
    /// copied.
    ///
    /// The current device must be the tensor's. The host device takes tensors in the
    /// memory of the host, page-locked and managed memory.
    ///
    /// # Errors
    ///
    /// If the elements are not `T`, the tensor lies on another device or cannot be read;
    /// the tensor is deleted then.
    pub fn from_dlpack(tensor: DLPack) -> Result<GpuArray<T>> {
        import(tensor, T::DTYPE).map(GpuArray::wrap)
    }
}

/// The kind and the number of a device in DLPack.
fn number(device: &Device) -> DLDevice {
    match device.kind() {
        DeviceKind::Cuda => DLDevice { device_type: CUDA, device_id: device.number() as i32 },
        DeviceKind::Host => DLDevice { device_type: CPU, device_id: 0 },
    }
}

/// Where an array lies once nothing is left to do for it: its elements are computed, and
/// what had to read them before they change has read them.
pub(super) fn at_rest(raw: &Raw) -> Result<Place> {
    let place = raw.place()?;
    place.buffer.before_write()?;
    place.buffer.context().synchronize()?;
    Ok(place)
}

fn export(raw: &Raw) -> Result<DLPack> {
    let place = at_rest(raw)?;
    let (shape, dtype) = (raw.shape(), raw.dtype());
    let described = Described {
        address: place.buffer.address() + (place.offset * dtype.size()) as u64,
        device: number(&place.buffer.context().device()),
        dtype,
        lengths: shape.lengths().to_vec(),
        strides: place.strides[..shape.rank()].to_vec(),
        is_read_only: false,
    };
    Ok(DLPack::export(&described, Box::new(raw.clone())))
}

fn import(tensor: DLPack, wanted: gpurepl_kernels::DType) -> Result<Raw> {
    let described = tensor.describe()?;
    if described.dtype != wanted {
        let message = format!(
            "the tensor holds {}, not {wanted}; write `from_dlpack` for an array of {}",
            described.dtype,
            described.dtype.rust()
        );
        return Err(Problem::DType { operation: "from_dlpack", message }.into());
    }
    check_device(described.device)?;
    if let Some(own) = tensor.owner::<Raw>() {
        // One buffer knows all work on its memory, so this is the array itself.
        return Ok(own.clone());
    }
    let is_read_only = described.is_read_only;
    // SAFETY: the promise of `DLPack::from_raw`, for as long as the tensor is not deleted.
    let raw = unsafe { over("from_dlpack", &described, Box::new(tensor))? };
    if !is_read_only {
        return Ok(raw);
    }
    let copy = Node::ready(raw.shape(), raw.dtype(), raw.copied()?);
    Ok(Raw::new(copy))
}

fn check_device(found: DLDevice) -> Result<()> {
    let device = device::current()?.device();
    let own = number(&device);
    let fits = match found.device_type {
        CPU | CUDA => found == own || (found.device_type == CPU && own.device_type == CPU),
        CUDA_HOST | CUDA_MANAGED => true,
        _ => false,
    };
    if fits {
        return Ok(());
    }
    let DLDevice { device_type, device_id } = found;
    let (place, help) = match device_type {
        CPU => (
            "in the memory of the host".to_owned(),
            "use the host device, or copy the elements: `to_gpu` of a slice".to_owned(),
        ),
        CUDA => (
            format!("on cuda:{device_id}"),
            format!(
                "make cuda:{device_id} current, `gpurepl --device cuda:{device_id}`, or export a copy from there"
            ),
        ),
        _ => (
            format!("on a device of DLPack's type {device_type}"),
            "export a copy from the memory of the host or of a CUDA device".to_owned(),
        ),
    };
    let message = format!("the tensor lies {place}, the current device is {}; {help}", device.id());
    Err(Problem::Invalid { operation: "from_dlpack", message }.into())
}

/// An array over foreign memory.
///
/// # Safety
///
/// As long as `owner` lives, kernels of the current context can read and write the
/// elements that are described, and nothing else uses them while work of this crate does.
pub(super) unsafe fn over(
    operation: &'static str,
    described: &Described,
    owner: Box<dyn std::any::Any + Send + Sync>,
) -> Result<Raw> {
    let wrong = |message: String| -> crate::error::Error { Problem::Invalid { operation, message }.into() };
    let Described { dtype, lengths, strides, address, .. } = described;
    if lengths.len() > MAX_RANK {
        return Err(wrong(format!("an array of {} axes; {MAX_RANK} are the most", lengths.len())));
    }
    let shape = lengths.as_slice().into_dims().shape(operation, dtype.size())?;
    let context = device::current()?;
    let mut place = Place { buffer: device::Buffer::new(context, 0)?, offset: 0, strides: shape.strides() };
    if shape.size() > 0 {
        let beyond =
            || wrong(format!("steps {strides:?} of an array of shape {shape:?} lead beyond any address"));
        let (before, after) = reach(lengths, strides).ok_or_else(beyond)?;
        let bytes = before.checked_add(after + 1).and_then(|elements| elements.checked_mul(dtype.size()));
        let start = address.checked_sub((before as u64).saturating_mul(dtype.size() as u64));
        let (Some(bytes), Some(start)) = (bytes, start) else { return Err(beyond()) };
        if !start.is_multiple_of(dtype.real().size() as u64) {
            let multiple = dtype.real().size();
            return Err(wrong(format!(
                "address {address:#x} is not aligned for {dtype}; give a multiple of {multiple} bytes"
            )));
        }
        // SAFETY: the caller's promise; these are the bytes from the lowest to the highest
        // element.
        let buffer = unsafe { Foreign::buffer(context, start, bytes, owner)? };
        let mut own = [0; MAX_RANK];
        own[..strides.len()].copy_from_slice(strides);
        place = Place { buffer, offset: before, strides: own };
    }
    Ok(Raw::new(Node::ready(shape, *dtype, place)))
}

/// How many elements lie before the first one, and how far the last one is from it.
fn reach(lengths: &[usize], strides: &[isize]) -> Option<(usize, usize)> {
    let (mut before, mut after) = (0_usize, 0_usize);
    for (length, stride) in lengths.iter().zip(strides) {
        let far = stride.unsigned_abs().checked_mul(length - 1)?;
        let side = if *stride < 0 { &mut before } else { &mut after };
        *side = side.checked_add(far)?;
    }
    isize::try_from(before.checked_add(after)?).ok()?;
    Some((before, after))
}

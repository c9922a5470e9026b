//! Arrays to and from other libraries by the CUDA array interface.
//!
//! Numba, CuPy and PyTorch describe arrays of a GPU to each other by a dictionary,
//! `__cuda_array_interface__`; this is version 3.

use std::any::Any;

use gpurepl_kernels::{DType, Kind};

use super::dlpack::{at_rest, over};
use crate::array::{Elem, GpuArray, Raw};
use crate::device::{self, DLDevice, Described, DeviceKind};
use crate::error::{Problem, Result};

/// What `__cuda_array_interface__` is in Python, with its keys as fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaArrayInterface {
    /// The lengths of the axes.
    pub shape: Vec<usize>,
    /// The type of the elements as in NumPy's `.str`: `<f4`.
    pub typestr: String,
    /// The address of the first element, and whether nobody may write.
    pub data: (u64, bool),
    /// The steps along the axes in bytes; none for C order.
    pub strides: Option<Vec<isize>>,
    /// The version of the interface: 3.
    pub version: u32,
    /// The stream that has to be waited for before the elements are read; none if there
    /// is nothing to wait for.
    pub stream: Option<u64>,
}

impl CudaArrayInterface {
    /// The dictionary as JSON, with Python's `None` as `null`.
    pub fn to_json(&self) -> String {
        let list = |numbers: Vec<String>| format!("[{}]", numbers.join(", "));
        let shape = list(self.shape.iter().map(usize::to_string).collect());
        let steps = self.strides.as_ref().map(|steps| list(steps.iter().map(isize::to_string).collect()));
        let stream = self.stream.map(|stream| stream.to_string());
        let null = || "null".to_owned();
        format!(
            "{{\"shape\": {shape}, \"typestr\": {:?}, \"data\": [{}, {}], \"strides\": {}, \"version\": {}, \
             \"stream\": {}}}",
            self.typestr,
            self.data.0,
            self.data.1,
            steps.unwrap_or_else(null),
            self.version,
            stream.unwrap_or_else(null)
        )
    }
}

impl<T: Elem> GpuArray<T> {
    /// Where the array lies on its GPU, as `__cuda_array_interface__` has it. The
    /// description does not keep the memory: keep the array as long as it is used.
    ///
    /// The array is evaluated, and the device's work is waited for.
    ///
    /// # Errors
    ///
    /// If the array is in the memory of the host, or evaluating it fails.
    pub fn cuda_array_interface(&self) -> Result<CudaArrayInterface> {
        describe(&self.raw)
    }

    /// An array over memory of a GPU that something else describes. `owner` is kept as
    /// long as the memory is used.
    ///
    /// # Errors
    ///
    /// If the elements are not `T`, nobody may write them, the current device is
    /// not a GPU, or the description is not possible.
    ///
    /// # Safety
    ///
    /// As long as `owner` lives, kernels of the current context can read and write the
    /// elements that are described, and nothing else uses them while work of this crate
    /// does.
    pub unsafe fn from_cuda_array_interface(
        interface: &CudaArrayInterface,
        owner: impl Any + Send + Sync,
    ) -> Result<GpuArray<T>> {
        let described = read(interface, T::DTYPE)?;
        // SAFETY: the caller's promise.
        unsafe { over("from_cuda_array_interface", &described, Box::new(owner)) }.map(GpuArray::wrap)
    }
}

/// The type of elements as in NumPy's `.str`.
fn typestr(dtype: DType) -> String {
    let kind = match dtype.kind() {
        Kind::Bool => 'b',
        Kind::Signed => 'i',
        Kind::Unsigned => 'u',
        Kind::Float => 'f',
        Kind::Complex => 'c',
    };
    format!("{}{kind}{}", if dtype.size() == 1 { '|' } else { '<' }, dtype.size())
}

fn describe(raw: &Raw) -> Result<CudaArrayInterface> {
    let place = at_rest(raw)?;
    let device = place.buffer.context().device();
    if device.kind() != DeviceKind::Cuda {
        return Err(not_a_gpu("cuda_array_interface", "the array lies in the memory of the host"));
    }
    let (shape, dtype) = (raw.shape(), raw.dtype());
    let size = dtype.size();
    let steps = &place.strides[..shape.rank()];
    let is_in_order = *steps == shape.strides()[..shape.rank()];
    let address = place.buffer.address() + (place.offset * size) as u64;
    Ok(CudaArrayInterface {
        shape: shape.lengths().to_vec(),
        typestr: typestr(dtype),
        data: (if shape.size() == 0 { 0 } else { address }, false),
        strides: (!is_in_order).then(|| steps.iter().map(|step| step * size as isize).collect()),
        version: 3,
        stream: None,
    })
}

fn not_a_gpu(operation: &'static str, what: &str) -> crate::error::Error {
    let message = format!(
        "{what}, and `__cuda_array_interface__` describes memory of a GPU; use `to_dlpack` and `from_dlpack`, or a \
         CUDA device: `gpurepl --device cuda:0`"
    );
    Problem::Invalid { operation, message }.into()
}

/// Checks a description, and waits for what it says has to be waited for.
fn read(interface: &CudaArrayInterface, wanted: DType) -> Result<Described> {
    const OPERATION: &str = "from_cuda_array_interface";
    let wrong = |message: String| -> crate::error::Error {
        Problem::Invalid { operation: OPERATION, message }.into()
    };
    let context = device::current()?;
    let device = context.device();
    if device.kind() != DeviceKind::Cuda {
        return Err(not_a_gpu(OPERATION, "the current device is the host"));
    }
    let CudaArrayInterface { shape, typestr: found, data: (address, is_read_only), strides, version, stream } =
        interface;
    if !(2..=3).contains(version) {
        return Err(wrong(format!("version {version} of the interface; 2 and 3 are known")));
    }
    if *found != typestr(wanted) {
        let known = DType::ALL.into_iter().find(|dtype| typestr(*dtype) == *found);
        let help = match known {
            Some(dtype) => format!("write `GpuArray::<{}>`", dtype.rust()),
            None => "convert the array where it is made".to_owned(),
        };
        let message = format!("the elements are `{found}`, not {wanted} (`{}`); {help}", typestr(wanted));
        return Err(Problem::DType { operation: OPERATION, message }.into());
    }
    if *is_read_only {
        return Err(wrong("nobody may write the array; copy it where it is made".to_owned()));
    }
    let size = wanted.size() as isize;
    let strides = match strides {
        None => device::steps_in_order(shape),
        Some(steps) if steps.len() != shape.len() => {
            return Err(wrong(format!("{} strides for {} axes", steps.len(), shape.len())));
        }
        Some(steps) if steps.iter().any(|step| step % size != 0) => {
            return Err(wrong(format!(
                "strides {steps:?} are not multiples of the {size} bytes of an element"
            )));
        }
        Some(steps) => steps.iter().map(|step| step / size).collect(),
    };
    if stream.is_some() {
        context.synchronize()?;
    }
    let device = DLDevice { device_type: 2, device_id: device.number() as i32 };
    Ok(Described {
        address: *address,
        device,
        dtype: wanted,
        lengths: shape.clone(),
        strides,
        is_read_only: false,
    })
}

//! What GPUs there are, and what the driver says of them. Nothing here makes a
//! context, which would take memory on the GPU.

use std::ffi::{CStr, CString, c_int};
use std::sync::OnceLock;

use cudarc::driver::sys::{self, CUdevice, CUdevice_attribute, CUresult};

use super::failure::check;
use super::library;
use crate::error::{Problem, Result};
use crate::{Description, DeviceAttribute, DeviceKind, Limits};

/// Makes sure of the driver and initialises it.
fn initialise() -> Result<()> {
    library::driver()?;
    // SAFETY: the library is there; the function may be called at any time.
    check(unsafe { sys::cuInit(0) }, || "starting the CUDA driver".to_owned()).map_err(|error| {
        // No GPU, none that may be seen, or a driver that does not fit its
        // kernel module: nothing is lost, there is just none.
        let help = "see whether `nvidia-smi` lists a GPU, and CUDA_VISIBLE_DEVICES, or use the host device: \
                    `GPUREPL_DEVICE=host`";
        Problem::Missing { what: error.to_string(), help: help.to_owned() }.into()
    })
}

pub(crate) fn count() -> Result<usize> {
    initialise()?;
    let mut count: c_int = 0;
    // SAFETY: the driver is initialised; the pointer is to a valid integer.
    check(unsafe { sys::cuDeviceGetCount(&raw mut count) }, || "counting CUDA devices".to_owned())?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// What is fixed about a GPU.
///
/// # Errors
///
/// If there is no such device, or the driver cannot be used.
pub(crate) fn describe(number: usize) -> Result<Description> {
    let device = handle(number)?;
    let attribute = |which| raw_attribute(device, which);
    use CUdevice_attribute::*;
    let capability = (
        attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)? as i32,
        attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)? as i32,
    );
    let multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    let (driver, mut memory) = (driver_version()?, 0usize);
    // SAFETY: the device is valid; the pointer is to a valid integer.
    check(unsafe { sys::cuDeviceTotalMem_v2(&raw mut memory, device) }, || opening(number))?;
    let limits = Limits {
        grid: [
            attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ],
        block: [
            attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ],
        threads_per_block: attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        shared_memory: attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        shared_memory_optin: attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
    };
    Ok(Description {
        kind: DeviceKind::Cuda,
        number,
        id: format!("cuda:{number}"),
        name: device_name(device)?,
        detail: format!(
            "compute capability {}.{}, {multiprocessors} multiprocessors, CUDA {}.{}",
            capability.0,
            capability.1,
            driver / 1000,
            driver % 1000 / 10
        ),
        total_memory: memory as u64,
        limits,
        compute_capability: Some(capability),
    })
}

pub(super) fn opening(number: usize) -> String {
    format!("opening cuda:{number}")
}

/// The driver's handle of a device.
pub(super) fn handle(number: usize) -> Result<CUdevice> {
    let count = count()?;
    if number >= count {
        let plural = if count == 1 { "" } else { "s" };
        return Err(Problem::Missing {
            what: format!("there is no cuda:{number}: this machine has {count} CUDA device{plural}"),
            help: "`gpurepl devices` lists what there is".to_owned(),
        }
        .into());
    }
    let mut device: CUdevice = 0;
    // SAFETY: the driver is initialised, the number below the count.
    check(unsafe { sys::cuDeviceGet(&raw mut device, number as c_int) }, || opening(number))?;
    Ok(device)
}

pub(super) fn raw_attribute(device: CUdevice, which: CUdevice_attribute) -> Result<u64> {
    let mut value: c_int = 0;
    // SAFETY: the device is valid; the pointer is to a valid integer.
    check(unsafe { sys::cuDeviceGetAttribute(&raw mut value, which, device) }, || {
        format!("asking for {which:?}")
    })?;
    Ok(u64::try_from(value).unwrap_or(0))
}

fn device_name(device: CUdevice) -> Result<String> {
    let mut name = [0; 256];
    // SAFETY: the device is valid; the buffer is as long as is said. The
    // driver ends the name with a zero.
    unsafe {
        check(sys::cuDeviceGetName(name.as_mut_ptr(), 256, device), || "asking for a name".to_owned())?;
        Ok(CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned())
    }
}

/// The CUDA version of the driver: 13000 for 13.0. It is asked once.
pub(crate) fn driver_version() -> Result<i32> {
    static VERSION: OnceLock<i32> = OnceLock::new();
    if let Some(version) = VERSION.get() {
        return Ok(*version);
    }
    let mut version: c_int = 0;
    // SAFETY: the driver is there; the pointer is to a valid integer.
    check(unsafe { sys::cuDriverGetVersion(&raw mut version) }, || {
        "asking for the driver's version".to_owned()
    })?;
    Ok(*VERSION.get_or_init(|| version))
}

/// An attribute of a GPU.
///
/// # Errors
///
/// If there is no such GPU, or its driver does not know the attribute.
pub(crate) fn attribute(number: usize, attribute: DeviceAttribute) -> Result<i64> {
    let device = handle(number)?;
    let mut value: c_int = 0;
    // SAFETY: the device is valid; the pointer is to a valid integer. A driver
    // that is older than the attribute answers an error.
    let result = unsafe { sys::cuDeviceGetAttribute(&raw mut value, driver_name(attribute), device) };
    if result == CUresult::CUDA_ERROR_INVALID_VALUE {
        let message = format!("this driver does not know the device attribute `{attribute}`");
        return Err(Problem::Unsupported { message }.into());
    }
    check(result, || format!("asking for {attribute}"))?;
    Ok(value.into())
}

macro_rules! driver_names {
    ($($name:ident $driver:ident $python:literal;)*) => {
        fn driver_name(attribute: DeviceAttribute) -> CUdevice_attribute {
            match attribute {
                $(DeviceAttribute::$name => CUdevice_attribute::$driver,)*
            }
        }
    };
}
crate::attributes::for_each_attribute!(driver_names);

/// The bus, device and function that a GPU is plugged in at.
pub(crate) fn pci_bus_id(number: usize) -> Result<String> {
    let device = handle(number)?;
    let mut id = [0; 64];
    // SAFETY: the device is valid; the buffer is as long as is said, and the
    // driver ends the text with a zero.
    unsafe {
        check(sys::cuDeviceGetPCIBusId(id.as_mut_ptr(), id.len() as c_int, device), || {
            "asking for a PCI bus id".to_owned()
        })?;
        Ok(CStr::from_ptr(id.as_ptr()).to_string_lossy().to_ascii_lowercase())
    }
}

/// The number of the GPU with a PCI bus id.
///
/// # Errors
///
/// If there is none.
pub(crate) fn by_pci_bus_id(id: &str) -> Result<usize> {
    count()?;
    let missing = || Problem::Missing {
        what: format!("there is no CUDA device with the PCI bus id `{id}`"),
        help: "`nvidia-smi` shows those that there are: `0000:3b:00.0`".to_owned(),
    };
    let text = CString::new(id).map_err(|_| missing())?;
    let mut device: CUdevice = 0;
    // SAFETY: the driver is initialised; the text ends with a zero, and the
    // pointer is to a valid handle.
    let result = unsafe { sys::cuDeviceGetByPCIBusId(&raw mut device, text.as_ptr()) };
    if result != CUresult::CUDA_SUCCESS {
        return Err(missing().into());
    }
    let number = (0..count()?).find(|number| handle(*number).is_ok_and(|known| known == device));
    number.ok_or_else(|| missing().into())
}

/// Whether one GPU can use the memory of another one.
pub(crate) fn can_access_peer(number: usize, other: usize) -> Result<bool> {
    let (device, other) = (handle(number)?, handle(other)?);
    let mut answer: c_int = 0;
    // SAFETY: both devices are valid; the pointer is to a valid integer.
    check(unsafe { sys::cuDeviceCanAccessPeer(&raw mut answer, device, other) }, || {
        "asking for peer access".to_owned()
    })?;
    Ok(answer != 0)
}

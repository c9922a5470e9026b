//! DLPack: between arrays of this process, with tensors made by hand, and with NumPy in
//! the same process.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gpurepl_prelude::memory::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPack, DLPackVersion, DLTensor,
};
use gpurepl_prelude::*;

/// A tensor over a vector, made as another library would: it counts its deletion.
struct Made {
    data: Vec<f32>,
    lengths: Vec<i64>,
    strides: Option<Vec<i64>>,
    deleted: Arc<AtomicUsize>,
}

const FLOAT: DLDataType = DLDataType { code: 2, bits: 32, lanes: 1 };
const CPU: DLDevice = DLDevice { device_type: 1, device_id: 0 };

impl Made {
    fn new(data: &[f32], lengths: &[i64]) -> Made {
        Made { data: data.to_vec(), lengths: lengths.to_vec(), strides: None, deleted: Arc::default() }
    }

    fn tensor(&mut self) -> DLTensor {
        DLTensor {
            data: self.data.as_mut_ptr().cast(),
            device: CPU,
            ndim: self.lengths.len() as i32,
            dtype: FLOAT,
            shape: self.lengths.as_mut_ptr(),
            strides: self.strides.as_mut().map_or(std::ptr::null_mut(), |strides| strides.as_mut_ptr()),
            byte_offset: 0,
        }
    }

    /// The tensor, changed before it is given away, and how often it has been deleted.
    fn give(self, change: impl FnOnce(&mut DLTensor)) -> (DLPack, Arc<AtomicUsize>) {
        unsafe extern "C" fn delete(tensor: *mut DLManagedTensor) {
            // SAFETY: both come from boxes below, and are deleted once.
            let (tensor, made) =
                unsafe { (Box::from_raw(tensor), Box::from_raw((*tensor).manager_ctx.cast::<Made>())) };
            drop(tensor);
            made.deleted.fetch_add(1, Ordering::SeqCst);
        }
        let deleted = Arc::clone(&self.deleted);
        let mut made = Box::new(self);
        let mut dl_tensor = made.tensor();
        change(&mut dl_tensor);
        let manager_ctx = Box::into_raw(made).cast();
        let tensor = DLManagedTensor { dl_tensor, manager_ctx, deleter: Some(delete) };
        // SAFETY: a tensor as DLPack has it, over memory that its deleter frees.
        let tensor = unsafe { DLPack::from_raw(Box::into_raw(Box::new(tensor))) };
        (tensor.unwrap(), deleted)
    }

    /// The same in the structure of version 1.
    fn give_versioned(self, version: DLPackVersion, flags: u64) -> (DLPack, Arc<AtomicUsize>) {
        unsafe extern "C" fn delete(tensor: *mut DLManagedTensorVersioned) {
            // SAFETY: both come from boxes below, and are deleted once.
            let (tensor, made) =
                unsafe { (Box::from_raw(tensor), Box::from_raw((*tensor).manager_ctx.cast::<Made>())) };
            drop(tensor);
            made.deleted.fetch_add(1, Ordering::SeqCst);
        }
        let deleted = Arc::clone(&self.deleted);
        let mut made = Box::new(self);
        let dl_tensor = made.tensor();
        let manager_ctx = Box::into_raw(made).cast();
        let tensor =
            DLManagedTensorVersioned { version, manager_ctx, deleter: Some(delete), flags, dl_tensor };
        // SAFETY: as above.
        let tensor = unsafe { DLPack::from_raw_versioned(Box::into_raw(Box::new(tensor))) };
        (tensor.unwrap(), deleted)
    }
}

fn is_host() -> bool {
    device().kind() == DeviceKind::Host
}

/// The error of taking a tensor over the host's memory, of which none is left.
#[track_caller]
fn refused<T: Elem>((tensor, deleted): (DLPack, Arc<AtomicUsize>)) -> String {
    let error = GpuArray::<T>::from_dlpack(tensor).unwrap_err().to_string();
    assert_eq!(deleted.load(Ordering::SeqCst), 1, "{error}");
    error
}

#[test]
fn a_tensor_shares_the_memory_of_its_array() {
    let mut a = arange(0..12).reshape((3, 4));
    let view = a.t();
    let tensor = view.to_dlpack().unwrap();
    let b = GpuArray::<i32>::from_dlpack(tensor).unwrap();
    assert_eq!((b.shape(), b.strides()), (&[4, 3][..], vec![4, 16]));
    a.set(s![0, 1], 100);
    assert_eq!(b.to_vec(), [0, 4, 8, 100, 5, 9, 2, 6, 10, 3, 7, 11]);
}

#[test]
fn both_structures_hold_the_array_until_they_are_deleted() {
    let a = gpu![1.5_f64, -2.0];
    let plain = a.to_dlpack().unwrap().into_raw();
    let versioned = a.to_dlpack().unwrap().into_raw_versioned();
    drop(a);
    // SAFETY: the tensors are not deleted yet.
    unsafe {
        let expected = DLDataType { code: 2, bits: 64, lanes: 1 };
        assert_eq!(((*plain).dl_tensor.ndim, (*plain).dl_tensor.dtype), (1, expected));
        assert_eq!((*versioned).version, DLPackVersion { major: 1, minor: 0 });
        assert_eq!(((*versioned).flags, *(*versioned).dl_tensor.strides), (0, 1));
        assert_eq!((*plain).dl_tensor.data, (*versioned).dl_tensor.data);
        if is_host() {
            assert_eq!(*(*plain).dl_tensor.data.cast::<f64>().add(1), -2.0);
        }
        let again = DLPack::from_raw(plain).unwrap().into_raw_versioned();
        let b = GpuArray::<f64>::from_dlpack(DLPack::from_raw_versioned(again).unwrap()).unwrap();
        assert_eq!(b.to_vec(), [1.5, -2.0]);
        let delete = (*versioned).deleter.unwrap();
        std::thread::spawn({
            let versioned = versioned as usize;
            move || delete(versioned as *mut _)
        })
        .join()
        .unwrap();
    }
}

#[test]
fn an_expression_is_computed_before_it_is_given_away() {
    let x = gpu![1, 2, 3];
    let a: GpuArray<i32> = &x * 2 + 1;
    let b = GpuArray::<i32>::from_dlpack(a.to_dlpack().unwrap()).unwrap();
    assert_eq!(b.to_vec(), [3, 5, 7]);
    for shape in [vec![], vec![0], vec![2, 0, 3]] {
        let b = GpuArray::<u8>::from_dlpack(zeros::<u8>(shape.as_slice()).to_dlpack().unwrap()).unwrap();
        assert_eq!(b.shape(), shape);
    }
}

#[test]
fn a_tensor_of_another_library_is_deleted_with_the_last_array() {
    if !is_host() {
        return on_a_gpu_the_hosts_memory_is_refused();
    }
    let mut made = Made::new(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &[2, 3]);
    made.strides = Some(vec![1, 2]);
    let (tensor, deleted) = made.give(|_| ());
    let mut a = GpuArray::<f32>::from_dlpack(tensor).unwrap();
    assert_eq!(a.to_vec(), [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
    let row = a.slice(1).copy();
    let view = a.t();
    a += 10.0;
    drop(a);
    assert_eq!(deleted.load(Ordering::SeqCst), 0);
    assert_eq!((view.to_vec()[0], row.to_vec()), (10.0, vec![1.0, 3.0, 5.0]));
    drop(view);
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
}

fn on_a_gpu_the_hosts_memory_is_refused() {
    let error = refused::<f32>(Made::new(&[1.0], &[1]).give(|_| ()));
    assert!(error.contains("in the memory of the host") && error.contains("to_gpu"), "{error}");
}

#[test]
fn steps_may_be_negative_and_elements_may_begin_later() {
    if !is_host() {
        return on_a_gpu_the_hosts_memory_is_refused();
    }
    let mut made = Made::new(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &[2, 2]);
    made.strides = Some(vec![-3, 1]);
    let (tensor, deleted) = made.give(|tensor| tensor.byte_offset = 16);
    let a = GpuArray::<f32>::from_dlpack(tensor).unwrap();
    assert_eq!(a.to_vec(), [4.0, 5.0, 1.0, 2.0]);
    drop(a);
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
    for (data, lengths) in [(vec![7.0], vec![]), (vec![], vec![0]), (vec![], vec![3, 0])] {
        let (tensor, deleted) = Made::new(&data, &lengths).give(|_| ());
        let a = GpuArray::<f32>::from_dlpack(tensor).unwrap();
        assert_eq!((a.to_vec(), a.ndim()), (data, lengths.len()));
        drop(a);
        assert_eq!(deleted.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn what_nobody_may_write_is_copied() {
    if !is_host() {
        return on_a_gpu_the_hosts_memory_is_refused();
    }
    let (tensor, deleted) =
        Made::new(&[1.0, 2.0], &[2]).give_versioned(DLPackVersion { major: 1, minor: 1 }, 1);
    let mut a = GpuArray::<f32>::from_dlpack(tensor).unwrap();
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
    a += 1.0;
    assert_eq!(a.to_vec(), [2.0, 3.0]);
}

#[test]
fn a_tensor_that_does_not_fit_says_why() {
    let made = || Made::new(&[1.0, 2.0], &[2]);
    let contains = |error: String, part: &str| assert!(error.contains(part), "{error}");
    contains(refused::<f64>(made().give(|_| ())), "the tensor holds float32, not float64; write");
    contains(
        refused::<f32>(made().give(|tensor| tensor.dtype = DLDataType { code: 4, bits: 16, lanes: 1 })),
        "no elements of type bfloat16; convert",
    );
    contains(
        refused::<f32>(made().give(|tensor| tensor.dtype.lanes = 4)),
        "no elements of type float32 with 4 lanes",
    );
    contains(
        refused::<f32>(made().give(|tensor| tensor.device = DLDevice { device_type: 2, device_id: 77 })),
        "the tensor lies on cuda:77, the current device is",
    );
    contains(
        refused::<f32>(made().give(|tensor| tensor.device = DLDevice { device_type: 8, device_id: 0 })),
        "on a device of DLPack's type 8",
    );
    contains(
        refused::<f32>(made().give_versioned(DLPackVersion { major: 2, minor: 3 }, 0)),
        "the tensor is of DLPack 2.3, not 1; ask for `max_version=(1, 0)`",
    );
    contains(refused::<f32>(Made::new(&[], &[-1]).give(|_| ())), "an axis of negative length");
    if is_host() {
        contains(refused::<f32>(Made::new(&[1.0], &[1; 9]).give(|_| ())), "9 axes; 8 are the most");
        contains(refused::<f32>(Made::new(&[1.0], &[i64::MAX, 4]).give(|_| ())), "from_dlpack: ");
        contains(
            refused::<f32>(made().give(|tensor| tensor.byte_offset = 2)),
            "is not aligned for float32; give a multiple of 4",
        );
        let mut far = made();
        far.strides = Some(vec![i64::MAX]);
        contains(refused::<f32>(far.give(|_| ())), "lead beyond any address");
    }
    // SAFETY: a null pointer is refused.
    let error = unsafe { DLPack::from_raw(std::ptr::null_mut()) }.unwrap_err();
    contains(error.to_string(), "null");
}

/// NumPy in this process: the interpreter of `GPUREPL_TEST_PYTHON`, as a library.
#[cfg(target_os = "linux")]
mod numpy {
    use std::ffi::{CString, c_char, c_int};
    use std::process::Command;

    use super::*;
    use crate::ignored;

    type Run = unsafe extern "C" fn(*const c_char) -> c_int;

    /// Loads the interpreter; none where there is none.
    fn interpreter() -> Option<(libloading::os::unix::Library, String)> {
        let Some(python) = std::env::var_os("GPUREPL_TEST_PYTHON").filter(|path| !path.is_empty()) else {
            ignored::missing("Python with NumPy", "GPUREPL_TEST_PYTHON");
            return None;
        };
        let question = "import sysconfig, numpy, os; c = sysconfig.get_config_var; \
                        print(c('LIBDIR'), c('INSTSONAME'), os.path.dirname(os.path.dirname(numpy.__file__)))";
        let answer = Command::new(python).args(["-c", question]).output().unwrap();
        let answer = String::from_utf8(answer.stdout).unwrap();
        let [folder, name, packages] = answer.split_whitespace().collect::<Vec<_>>()[..] else {
            ignored::ignored("needs NumPy, which the Python of GPUREPL_TEST_PYTHON does not have");
            return None;
        };
        let flags = libloading::os::unix::RTLD_NOW | libloading::os::unix::RTLD_GLOBAL;
        // SAFETY: Python's library initialises itself when it is asked to.
        let library = unsafe {
            libloading::os::unix::Library::open(Some(format!("{folder}/{name}")), flags)
                .or_else(|_| libloading::os::unix::Library::open(Some(name), flags))
        };
        match library {
            Ok(library) => Some((library, packages.to_owned())),
            Err(_) => {
                ignored::ignored("needs Python as a shared library, which is not installed");
                None
            }
        }
    }

    /// Reads a tensor by NumPy, writes to it, and gives another back.
    const PROGRAM: &str = r#"
import ctypes, sys
sys.path.insert(0, PACKAGES)
import numpy as np

api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]

class Tensor:
    def __init__(self, pointer, name): self.pointer, self.name = pointer, name
    def __dlpack_device__(self): return (1, 0)
    def __dlpack__(self, **options): return api.PyCapsule_New(self.pointer, self.name, None)

def given_away(array, name, **options):
    capsule = array.__dlpack__(**options)
    pointer = api.PyCapsule_GetPointer(capsule, name)
    api.PyCapsule_SetName(capsule, USED[name])
    return pointer

USED = {b"dltensor": b"used_dltensor", b"dltensor_versioned": b"used_dltensor_versioned"}
for pointer, name in ((PLAIN, b"dltensor"), (VERSIONED, b"dltensor_versioned")):
    a = np.from_dlpack(Tensor(pointer, name))
    assert a.shape == (3, 2) and a.dtype == np.float32 and a.strides == (4, 12), (a.shape, a.strides)
    assert a[2, 1] == 5, a
    # Of the older structure NumPy does not know whether it may write.
    if name == b"dltensor_versioned": a[2, 1] += 1
    del a
out = (ctypes.c_void_p * 2).from_address(OUT)
whole = np.arange(24, dtype=np.int16).reshape(4, 6)
out[0] = given_away(whole[::-1, 1::2], b"dltensor")
out[1] = given_away(np.array([1+2j, 3-4j]), b"dltensor_versioned", max_version=(1, 0))
del whole
"#;

    #[test]
    fn numpy_reads_writes_and_gives_tensors() {
        if !is_host() {
            return on_a_gpu_the_hosts_memory_is_refused();
        }
        let Some((library, packages)) = interpreter() else { return };
        let a = arange(0..6).astype(f32).reshape((2, 3));
        let plain = a.t().to_dlpack().unwrap().into_raw();
        let versioned = a.t().to_dlpack().unwrap().into_raw_versioned();
        let mut out = [std::ptr::null_mut::<c_void>(); 2];
        let program = PROGRAM
            .replace("PACKAGES)", &format!("{packages:?})"))
            .replace("PLAIN", &format!("{}", plain as usize))
            .replace("VERSIONED", &format!("{}", versioned as usize))
            .replace("(OUT)", &format!("({})", out.as_mut_ptr() as usize));
        let program = CString::new(program).unwrap();
        // SAFETY: these are functions of Python's C interface with these types; the
        // interpreter is used by this thread alone, which holds its lock from the start on.
        let status = unsafe {
            library.get::<unsafe extern "C" fn(c_int)>(b"Py_InitializeEx").unwrap()(0);
            library.get::<Run>(b"PyRun_SimpleString").unwrap()(program.as_ptr())
        };
        assert_eq!(status, 0, "what Python says stands above");
        assert_eq!(a.to_vec(), [0.0, 1.0, 2.0, 3.0, 4.0, 6.0]);
        // SAFETY: NumPy has made these tensors, which nobody else deletes; this thread
        // holds the interpreter's lock, which their deleters take.
        let (b, c) = unsafe {
            (DLPack::from_raw(out[0].cast()).unwrap(), DLPack::from_raw_versioned(out[1].cast()).unwrap())
        };
        let mut b = GpuArray::<i16>::from_dlpack(b).unwrap();
        assert_eq!(b.to_vec(), [19, 21, 23, 13, 15, 17, 7, 9, 11, 1, 3, 5]);
        b *= 2;
        assert_eq!(b.slice(3).to_vec(), [2, 6, 10]);
        let c = GpuArray::<Complex64>::from_dlpack(c).unwrap();
        assert_eq!(c.to_vec(), [Complex64::new(1.0, 2.0), Complex64::new(3.0, -4.0)]);
        drop((b, c));
        std::mem::forget(library); // its threads and modules stay
    }
}

#[test]
fn the_cuda_array_interface_describes_memory_of_a_gpu() {
    let a = arange(0..6).astype(f32).reshape((2, 3));
    if is_host() {
        let error = a.cuda_array_interface().unwrap_err().to_string();
        assert!(error.contains("memory of the host") && error.contains("to_dlpack"), "{error}");
        return;
    }
    let whole = a.cuda_array_interface().unwrap();
    assert_eq!((whole.strides.clone(), whole.version, &*whole.typestr), (None, 3, "<f4"));
    let across = a.t().cuda_array_interface().unwrap();
    assert_eq!((&across.shape[..], across.strides.clone()), (&[3, 2][..], Some(vec![4, 12])));
    let json = across.to_json();
    let data = a.ptr();
    assert_eq!(
        json,
        format!(
            "{{\"shape\": [3, 2], \"typestr\": \"<f4\", \"data\": [{data}, false], \"strides\": [4, 12], \
             \"version\": 3, \"stream\": null}}"
        )
    );
    // SAFETY: the array is kept, and used by nothing else meanwhile.
    let b = unsafe { GpuArray::<f32>::from_cuda_array_interface(&across, a.clone()) }.unwrap();
    assert_eq!(b.to_vec(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    // SAFETY: as above.
    let error = unsafe { GpuArray::<i32>::from_cuda_array_interface(&across, a.clone()) }.unwrap_err();
    assert!(error.to_string().contains("the elements are `<f4`, not int32 (`<i4`); write"), "{error}");
}

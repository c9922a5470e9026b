//! Products of matrices by cuBLAS, where the machine has it.
//!
//! The library is found at run time, as the driver is. Of its 500 functions
//! three are used, so they are bound here: cudarc's bindings of cuBLAS would be
//! read by every first start.

use std::ffi::{c_int, c_longlong, c_void};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gpurepl_kernels::DType;
use libloading::os::unix::Library;

use super::context::Context;
use super::library::load_blas;
use crate::{Gemm, PerContext};

type Create = unsafe extern "C" fn(*mut *mut c_void) -> c_int;
type SetStream = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;
type GemmStridedBatchedEx = unsafe extern "C" fn(
    handle: *mut c_void,
    left_operation: c_int,
    right_operation: c_int,
    rows: c_int,
    columns: c_int,
    inner: c_int,
    alpha: *const c_void,
    left: *const c_void,
    left_type: c_int,
    left_leading: c_int,
    left_stride: c_longlong,
    right: *const c_void,
    right_type: c_int,
    right_leading: c_int,
    right_stride: c_longlong,
    beta: *const c_void,
    output: *mut c_void,
    output_type: c_int,
    output_leading: c_int,
    output_stride: c_longlong,
    batches: c_int,
    compute_type: c_int,
    algorithm: c_int,
) -> c_int;

/// The functions of the library that are used.
struct Blas {
    create: Create,
    set_stream: SetStream,
    gemm: GemmStridedBatchedEx,
}

/// `CUBLAS_STATUS_SUCCESS`.
const SUCCESS: c_int = 0;

/// `CUBLAS_GEMM_DEFAULT`: the library's own choice.
const DEFAULT_ALGORITHM: c_int = -1;

/// The library; none if the machine has none, or `GPUREPL_CUBLAS` is `off`.
fn blas() -> Option<&'static Blas> {
    static BLAS: OnceLock<Option<Blas>> = OnceLock::new();
    let find = || {
        if std::env::var_os("GPUREPL_CUBLAS").is_some_and(|wanted| wanted == "off") {
            return None;
        }
        bind(load_blas()?)
    };
    BLAS.get_or_init(find).as_ref()
}

fn bind(library: Library) -> Option<Blas> {
    // SAFETY: the types are those of `cublas_api.h`, versions 11 to 13. The
    // library stays loaded, since it is forgotten below.
    let blas = unsafe {
        Blas {
            create: *library.get(b"cublasCreate_v2").ok()?,
            set_stream: *library.get(b"cublasSetStream_v2").ok()?,
            gemm: *library.get(b"cublasGemmStridedBatchedEx").ok()?,
        }
    };
    std::mem::forget(library);
    Some(blas)
}

/// One and zero in the type that is computed with; a complex one has an
/// imaginary part of zero behind it. The library reads a `cuDoubleComplex` as a
/// vector, so each must lie at a multiple of its 16 bytes: with an alignment of 8
/// a product of complex matrices ended the process.
#[repr(C, align(32))]
struct Factors<T> {
    one: [T; 2],
    zero: [T; 2],
}

/// A context's handle of the library. It is not destroyed: what it holds of the
/// device's memory goes with the context, and a call after that is undefined.
struct Handle(*mut c_void);

// SAFETY: the library's handles may be used by any thread, by one at a time;
// `HANDLES` keeps each behind a lock.
unsafe impl Send for Handle {}

/// None where the library could not make one: there may be no memory for it.
type Shared = Arc<Option<Mutex<Handle>>>;
static HANDLES: PerContext<(), Shared> = PerContext::new();

fn handle(context: &Arc<Context>, blas: &Blas) -> Option<Shared> {
    let make = || {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the pointer is to a place for a handle; the context is
        // current on this thread, by `multiply`.
        let status = unsafe { (blas.create)(&mut raw) };
        Ok(Arc::new((status == SUCCESS).then(|| Mutex::new(Handle(raw)))))
    };
    HANDLES.get_or_make(context.owner(), (), make).ok()
}

/// Whether there is a library that products can be given to.
pub(super) fn is_there() -> bool {
    blas().is_some()
}

/// `cudaDataType`.
fn data_type(dtype: DType) -> Option<c_int> {
    Some(match dtype {
        DType::Float32 => 0,
        DType::Float64 => 1,
        DType::Float16 => 2,
        DType::Complex64 => 4,
        DType::Complex128 => 5,
        _ => return None,
    })
}

/// `cublasComputeType_t`: 32 or 64 bits for each part, and reduced precision
/// only where TF32 is allowed.
fn compute_type(gemm: &Gemm) -> c_int {
    match gemm.dtype {
        DType::Float64 | DType::Complex128 => 70,
        _ if gemm.is_tf32 => 77,
        _ => 68,
    }
}

/// Has the library multiply matrices on a stream; false if it is not there or
/// cannot.
///
/// # Safety
///
/// The context is current in the driver on this thread. The matrices lie within
/// memory of it, which the stream may use, and the result's is no factor's.
pub(super) unsafe fn multiply(context: &Arc<Context>, stream: u64, gemm: &Gemm) -> bool {
    let Some(blas) = blas() else { return false };
    let Some(dtype) = data_type(gemm.dtype) else { return false };
    let number = |value: usize| c_int::try_from(value).ok();
    let numbers = [gemm.rows, gemm.columns, gemm.inner, gemm.batches, gemm.left.leading, gemm.right.leading];
    let Some([rows, columns, inner, batches, left_leading, right_leading]) = all(numbers.map(number)) else {
        return false;
    };
    let Some(shared) = handle(context, blas) else { return false };
    let Some(handle) = shared.as_ref() else { return false };
    let handle = handle.lock().unwrap_or_else(PoisonError::into_inner);
    let (single, double) =
        (Factors { one: [1.0f32, 0.0], zero: [0.0; 2] }, Factors { one: [1.0f64, 0.0], zero: [0.0; 2] });
    let (one, zero): (*const c_void, *const c_void) = match compute_type(gemm) {
        70 => (double.one.as_ptr().cast(), double.zero.as_ptr().cast()),
        _ => (single.one.as_ptr().cast(), single.zero.as_ptr().cast()),
    };
    // SAFETY: the handle is this context's, and nobody else uses it while it is
    // locked; the stream is the driver's handle of one; one and zero live until
    // the call has returned, which reads them. The rest is the caller's promise.
    unsafe {
        (blas.set_stream)(handle.0, stream as *mut c_void) == SUCCESS
            && (blas.gemm)(
                handle.0,
                c_int::from(gemm.left.is_transposed),
                c_int::from(gemm.right.is_transposed),
                rows,
                columns,
                inner,
                one,
                gemm.left.address as *const c_void,
                dtype,
                left_leading,
                gemm.left.batch as c_longlong,
                gemm.right.address as *const c_void,
                dtype,
                right_leading,
                gemm.right.batch as c_longlong,
                zero,
                gemm.output as *mut c_void,
                dtype,
                rows,
                (gemm.rows * gemm.columns) as c_longlong,
                batches,
                compute_type(gemm),
                DEFAULT_ALGORITHM,
            ) == SUCCESS
    }
}

fn all<const N: usize>(numbers: [Option<c_int>; N]) -> Option<[c_int; N]> {
    let mut known = [0; N];
    for (to, from) in known.iter_mut().zip(numbers) {
        *to = from?;
    }
    Some(known)
}

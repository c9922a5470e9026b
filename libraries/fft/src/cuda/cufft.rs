//! cuFFT, by declarations of our own of the functions that are used: they are the same in the versions of CUDA 12
//! and 13 (`cufft.h`).

use std::ffi::{c_int, c_longlong, c_uint, c_void};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gpurepl_extend::{
    AnyArray, Argument, Context, DType, Elements, Error, Extent, Gpu, Operation, PerContext, Result, Vendor,
    VendorLibrary, error, perform,
};

use crate::transform::Kind;

const CUFFT: Vendor = Vendor {
    name: "cuFFT",
    files: &["libcufft.so.12", "libcufft.so.11"],
    package: "`pip install nvidia-cufft`",
    switch: "GPUREPL_CUFFT",
};

type Create = unsafe extern "C" fn(*mut c_int) -> c_uint;
type Destroy = unsafe extern "C" fn(c_int) -> c_uint;
type SetStream = unsafe extern "C" fn(c_int, *mut c_void) -> c_uint;
type MakePlanMany64 = unsafe extern "C" fn(
    plan: c_int,
    rank: c_int,
    lengths: *mut c_longlong,
    input_embedding: *mut c_longlong,
    input_stride: c_longlong,
    input_distance: c_longlong,
    output_embedding: *mut c_longlong,
    output_stride: c_longlong,
    output_distance: c_longlong,
    kind: c_uint,
    batch: c_longlong,
    work_size: *mut usize,
) -> c_uint;
type ExecuteComplex = unsafe extern "C" fn(c_int, *mut c_void, *mut c_void, c_int) -> c_uint;
type ExecuteReal = unsafe extern "C" fn(c_int, *mut c_void, *mut c_void) -> c_uint;

/// The functions that are used.
pub(crate) struct Cufft {
    create: Create,
    destroy: Destroy,
    set_stream: SetStream,
    make_plan: MakePlanMany64,
    /// Of single and double precision.
    complex: [ExecuteComplex; 2],
    from_real: [ExecuteReal; 2],
    to_real: [ExecuteReal; 2],
    /// Not dropped: the functions above are its code.
    _library: VendorLibrary,
}

/// The library; why there is none.
pub(crate) fn library() -> std::result::Result<&'static Cufft, &'static Error> {
    static FOUND: OnceLock<Result<Cufft>> = OnceLock::new();
    FOUND.get_or_init(Cufft::load).as_ref()
}

impl Cufft {
    fn load() -> Result<Cufft> {
        let library = CUFFT.load()?;
        // SAFETY: the types are those of `cufft.h` of both versions; the library is kept in a static.
        unsafe {
            Ok(Cufft {
                create: library.function("cufftCreate")?,
                destroy: library.function("cufftDestroy")?,
                set_stream: library.function("cufftSetStream")?,
                make_plan: library.function("cufftMakePlanMany64")?,
                complex: [library.function("cufftExecC2C")?, library.function("cufftExecZ2Z")?],
                from_real: [library.function("cufftExecR2C")?, library.function("cufftExecD2Z")?],
                to_real: [library.function("cufftExecC2R")?, library.function("cufftExecZ2D")?],
                _library: library,
            })
        }
    }

    /// The transform of the last axes of an array in C order.
    pub fn transformed(
        &'static self,
        name: &'static str,
        x: &AnyArray,
        kind: Kind,
        is_inverse: bool,
        lengths: &[usize],
    ) -> Result<AnyArray> {
        let is_double = matches!(x.dtype(), DType::Float64 | DType::Complex128);
        let batch = x.shape()[..x.shape().len() - lengths.len()].iter().product();
        let plan = Plan { kind, is_double, lengths: lengths.to_vec(), batch };
        let mut to = AnyArray::empty(plan.shape_of_result(x.shape()), plan.dtype_of_result())?;
        // What is overwritten is a copy, see above; it is an argument to write, so that everything waits for this.
        let mut from = x.clone();
        let from = if kind == Kind::ToReal { Argument::write(&mut from) } else { Argument::read(x) };
        let work = Execute { cufft: self, name, plan, is_inverse };
        perform(Arc::new(work), &[from, Argument::write(&mut to)])?;
        Ok(to)
    }
}

/// What cuFFT makes a plan of.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Plan {
    kind: Kind,
    is_double: bool,
    lengths: Vec<usize>,
    batch: usize,
}

impl Plan {
    fn shape_of_result(&self, of: &[usize]) -> Vec<usize> {
        let mut shape = of.to_vec();
        if let (Some(to), Some(length)) = (shape.last_mut(), self.lengths.last()) {
            *to = if self.kind == Kind::FromReal { length / 2 + 1 } else { *length };
        }
        shape
    }

    fn dtype_of_result(&self) -> DType {
        match (self.kind, self.is_double) {
            (Kind::ToReal, false) => DType::Float32,
            (Kind::ToReal, true) => DType::Float64,
            (_, false) => DType::Complex64,
            (_, true) => DType::Complex128,
        }
    }

    /// `cufftType`.
    fn code(&self) -> c_uint {
        match (self.kind, self.is_double) {
            (Kind::Complex, false) => 0x29,
            (Kind::Complex, true) => 0x69,
            (Kind::FromReal, false) => 0x2a,
            (Kind::FromReal, true) => 0x6a,
            (Kind::ToReal, false) => 0x2c,
            (Kind::ToReal, true) => 0x6c,
        }
    }
}

/// A plan in one context. A plan works in memory of its own, so it is used by one stream at a time: each
/// stream has its own.
struct Made {
    number: c_int,
    cufft: &'static Cufft,
}

impl Drop for Made {
    fn drop(&mut self) {
        // SAFETY: the plan was made by this library and is destroyed once. In a context that is gone the
        // library answers with an error.
        let _ = unsafe { (self.cufft.destroy)(self.number) };
    }
}

/// Plans of a context and a stream that are kept; each may have as much memory as its array.
static PLANS: PerContext<(Plan, u64), Arc<Mutex<Made>>> = PerContext::keeping(16);

struct Execute {
    cufft: &'static Cufft,
    name: &'static str,
    plan: Plan,
    is_inverse: bool,
}

impl Execute {
    fn make(&self) -> Result<Arc<Mutex<Made>>> {
        let mut number = 0;
        // SAFETY: the pointer is to a place for a number; the context is current in the driver.
        self.check("make a plan", unsafe { (self.cufft.create)(&raw mut number) })?;
        let made = Made { number, cufft: self.cufft };
        let mut lengths: Vec<c_longlong> =
            self.plan.lengths.iter().map(|length| *length as c_longlong).collect();
        let (none, mut work_size) = (std::ptr::null_mut(), 0);
        // SAFETY: there are as many lengths as `rank` says; no embedding means C order without gaps.
        let status = unsafe {
            (self.cufft.make_plan)(
                number,
                lengths.len() as c_int,
                lengths.as_mut_ptr(),
                none,
                1,
                0,
                none,
                1,
                0,
                self.plan.code(),
                self.plan.batch as c_longlong,
                &raw mut work_size,
            )
        };
        self.check("make a plan", status)?;
        Ok(Arc::new(Mutex::new(made)))
    }

    fn check(&self, what: &str, status: c_uint) -> Result<()> {
        let words = match status {
            0 => return Ok(()),
            2 => "it has no memory for this length; free some, or transform fewer elements at once",
            4 | 8 => "it does not take this length",
            5 => "an error within cuFFT",
            6 => "it could not start its kernels",
            7 => "it could not be set up",
            _ => "see the status in cufft.h",
        };
        Err(error::device(self.name, format!("cuFFT could not {what}: {words} (status {status})")))
    }
}

impl Operation for Execute {
    fn name(&self) -> &'static str {
        self.name
    }

    fn on_host(&self, _: &mut [Elements<'_>]) -> Result<()> {
        Err(error::unsupported(format!("{}: an array of the host met the GPU's half", self.name)))
    }

    fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
        let stream = gpu.stream()?;
        let context: Context = arguments[0].context;
        let made = PLANS.get_or_make(context, (self.plan.clone(), stream), || self.make())?;
        let made = made.lock().unwrap_or_else(PoisonError::into_inner);
        let (from, to) = (arguments[0].address as *mut c_void, arguments[1].address as *mut c_void);
        let precision = usize::from(self.plan.is_double);
        // SAFETY: the plan is of this context, which is current, and locked; both arrays lie in C order and have
        // the elements that the plan says; the input of a transform to real numbers may be written.
        let status = unsafe {
            self.check("use the stream", (self.cufft.set_stream)(made.number, stream as *mut c_void))?;
            match self.plan.kind {
                Kind::Complex => {
                    let direction = if self.is_inverse { 1 } else { -1 };
                    (self.cufft.complex[precision])(made.number, from, to, direction)
                }
                Kind::FromReal => (self.cufft.from_real[precision])(made.number, from, to),
                Kind::ToReal => (self.cufft.to_real[precision])(made.number, from, to),
            }
        };
        self.check("transform", status)
    }
}

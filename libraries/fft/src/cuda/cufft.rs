//! cuFFT, by declarations of our own of the functions that are used: they are the same in the versions of CUDA 12
//! and 13 (`cufft.h`).

use std::ffi::{c_int, c_longlong, c_uint, c_void};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gpurepl_extend::{
    AnyArray, Argument, Context, DType, Elements, Error, Extent, Gpu, Operation, PerContext, Result, Vendor,
    VendorLibrary, error, keep_for_capture, perform,
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
type SetAutoAllocation = unsafe extern "C" fn(c_int, c_int) -> c_uint;
type SetWorkArea = unsafe extern "C" fn(c_int, *mut c_void) -> c_uint;
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
    set_auto_allocation: SetAutoAllocation,
    set_work_area: SetWorkArea,
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
                set_auto_allocation: library.function("cufftSetAutoAllocation")?,
                set_work_area: library.function("cufftSetWorkArea")?,
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
        let made = PLANS.get_or_make(x.context()?, plan.clone(), || self.make(name, x, &plan))?;
        // From the pool, so that no plan keeps memory, and each call has its own: on other streams and in graphs.
        let mut area = AnyArray::empty([made.work_size.max(1)], DType::UInt8)?;
        // What is overwritten is a copy, see above; it is an argument to write, so that everything waits for this.
        let mut from = x.clone();
        let from = if kind == Kind::ToReal { Argument::write(&mut from) } else { Argument::read(x) };
        let work = Execute { name, kind, is_double, is_inverse, made };
        perform(Arc::new(work), &[from, Argument::write(&mut to), Argument::write(&mut area)])?;
        Ok(to)
    }

    /// Makes a plan, which takes an operation: the context must be current in the driver.
    fn make(&'static self, name: &'static str, x: &AnyArray, plan: &Plan) -> Result<Arc<Made>> {
        let answer = Arc::new(Mutex::new(None));
        let work = Make { cufft: self, name, plan: plan.clone(), answer: Arc::clone(&answer) };
        perform(Arc::new(work), &[Argument::read(x)])?;
        let made = answer.lock().unwrap_or_else(PoisonError::into_inner).take();
        made.ok_or_else(|| error::device(name, "cuFFT has made no plan; please report it".to_owned()))
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

/// A plan in one context, without memory to work in.
struct Made {
    number: c_int,
    work_size: usize,
    context: Context,
    cufft: &'static Cufft,
    /// A call sets the plan's stream and memory before it: one at a time.
    calls: Mutex<()>,
}

impl Drop for Made {
    fn drop(&mut self) {
        // In another context it must not be destroyed; what it holds of the device's memory goes with its context.
        if Context::current().is_ok_and(|current| current == self.context) {
            // SAFETY: the plan was made by this library, in the context that is current, and is destroyed once;
            // nobody else has it any more.
            let _ = unsafe { (self.cufft.destroy)(self.number) };
        }
    }
}

/// The plans of a context that were used last. A graph keeps those of its work.
static PLANS: PerContext<Plan, Arc<Made>> = PerContext::keeping(64);

fn check(name: &'static str, what: &str, status: c_uint) -> Result<()> {
    let words = match status {
        0 => return Ok(()),
        2 => "it has no memory for this length; free some, or transform fewer elements at once",
        4 | 8 => "it does not take this length; use another one, see `fft::next_fast_len`",
        // Seen when a plan was made while another thread captured a graph, on either side.
        5 => {
            "an error within cuFFT; while one thread captures a graph, others must not transform a length for the first time"
        }
        6 => {
            "it could not start its kernels; see that no other thread made a plan while a graph was captured"
        }
        7 => "it could not be set up",
        _ => "see the status in cufft.h",
    };
    Err(error::device(name, format!("cuFFT could not {what}: {words} (status {status})")))
}

fn on_host(name: &'static str) -> Result<()> {
    Err(error::unsupported(format!("{name}: an array of the host met the GPU's half")))
}

/// Makes a plan.
struct Make {
    cufft: &'static Cufft,
    name: &'static str,
    plan: Plan,
    answer: Arc<Mutex<Option<Arc<Made>>>>,
}

impl Operation for Make {
    fn name(&self) -> &'static str {
        self.name
    }

    fn on_host(&self, _: &mut [Elements<'_>]) -> Result<()> {
        on_host(self.name)
    }

    fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
        // It makes the context current in the driver.
        gpu.stream()?;
        let (cufft, mut number) = (self.cufft, 0);
        // SAFETY: the pointer is to a place for a number; the context is current.
        check(self.name, "make a plan", unsafe { (cufft.create)(&raw mut number) })?;
        let context = arguments[0].context;
        let mut made = Made { number, work_size: 0, context, cufft, calls: Mutex::default() };
        let mut lengths: Vec<c_longlong> =
            self.plan.lengths.iter().map(|length| *length as c_longlong).collect();
        let none = std::ptr::null_mut();
        // SAFETY: the plan is new; there are as many lengths as `rank` says; no embedding means C order without gaps.
        let status = unsafe {
            check(self.name, "make a plan", (cufft.set_auto_allocation)(number, 0))?;
            (cufft.make_plan)(
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
                &raw mut made.work_size,
            )
        };
        check(self.name, "make a plan", status)?;
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(made));
        Ok(())
    }
}

/// Transforms an array by a plan.
struct Execute {
    name: &'static str,
    kind: Kind,
    is_double: bool,
    is_inverse: bool,
    made: Arc<Made>,
}

impl Operation for Execute {
    fn name(&self) -> &'static str {
        self.name
    }

    fn on_host(&self, _: &mut [Elements<'_>]) -> Result<()> {
        on_host(self.name)
    }

    fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
        let stream = gpu.stream()?;
        keep_for_capture(&self.made);
        let (made, cufft) = (&self.made, self.made.cufft);
        let _one = made.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let [from, to, area] = [0, 1, 2].map(|argument| arguments[argument].address as *mut c_void);
        let precision = usize::from(self.is_double);
        // SAFETY: the plan is of this context, which is current, and locked; both arrays lie in C order and have the
        // elements that the plan says, and the third one the bytes that it asked for; the input of a transform to
        // real numbers may be written.
        let status = unsafe {
            check(self.name, "use the stream", (cufft.set_stream)(made.number, stream as *mut c_void))?;
            check(self.name, "use its memory", (cufft.set_work_area)(made.number, area))?;
            match self.kind {
                Kind::Complex => {
                    let direction = if self.is_inverse { 1 } else { -1 };
                    (cufft.complex[precision])(made.number, from, to, direction)
                }
                Kind::FromReal => (cufft.from_real[precision])(made.number, from, to),
                Kind::ToReal => (cufft.to_real[precision])(made.number, from, to),
            }
        };
        check(self.name, "transform", status)
    }
}

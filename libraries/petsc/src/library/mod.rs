//! PETSc's library: found at run time, started at its first use, called by one thread at a time.

mod failure;
mod functions;
mod mpi;
mod search;
mod signals;
mod version;

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gpurepl_extend::{Context, Result, at_end, error};
use libloading::os::unix::Library;

pub(crate) use functions::{
    ADD_VALUES, BoolOut, Comm, DECIDE, Functions, GLOBAL_SUM, INSERT_VALUES, Int, IntOut, NORM_1, NORM_2,
    NORM_FROBENIUS, NORM_INFINITY, Object,
};

/// PETSc, once it has been started.
pub(crate) struct Petsc {
    functions: Functions,
    /// `PETSC_COMM_WORLD`: all processes.
    pub(crate) comm: Comm,
    /// Bytes of a `PetscInt`.
    int_bytes: usize,
    pub(crate) version: [u32; 3],
    /// What lends the memory of vectors that lie on a GPU, if PETSc was built with CUDA.
    pub(crate) cuda: Option<CudaFunctions>,
    pub(crate) path: PathBuf,
    /// The number of this process.
    pub(crate) rank: usize,
    /// How many there are.
    pub(crate) size: usize,
    /// `PETSC_VIEWER_STDOUT_`.
    stdout: unsafe extern "C" fn(Comm) -> Object,
    /// Not dropped: the functions above are its code.
    _library: Library,
}

/// `VecCUDAGetArray` and `VecCUDARestoreArray`.
pub(crate) struct CudaFunctions {
    pub(crate) array: unsafe extern "C" fn(Object, *mut *mut f64) -> c_int,
    pub(crate) restore: unsafe extern "C" fn(Object, *mut *mut f64) -> c_int,
}

/// PETSc is not made for threads: whoever calls it holds this, and so calls follow each other. MPI is told so when
/// it starts (`MPI_THREAD_SERIALIZED`).
static STATE: Mutex<State> = Mutex::new(State::Unused);

#[derive(Clone, Copy)]
enum State {
    Unused,
    Running(&'static Petsc),
    Over,
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// PETSc, which is loaded and started if that has not been done.
///
/// # Errors
///
/// If there is none, it is one that does not fit, or it does not start.
pub(crate) fn petsc(operation: &'static str) -> Result<&'static Petsc> {
    let mut state = state();
    match *state {
        State::Running(petsc) => Ok(petsc),
        State::Over => Err(over(operation)),
        State::Unused => {
            let petsc: &'static Petsc = Box::leak(Box::new(Petsc::start()?));
            *state = State::Running(petsc);
            at_end(finalize);
            Ok(petsc)
        }
    }
}

fn over(operation: &'static str) -> gpurepl_extend::Error {
    error::invalid(
        operation,
        "PETSc has been finalized, and MPI starts once in a process; start another process".to_owned(),
    )
}

/// Ends PETSc and MPI, all processes together.
fn finalize() {
    let mut state = state();
    if let State::Running(petsc) = *state {
        *state = State::Over;
        // SAFETY: it was started, and nobody calls it after this: that is what the state says. What it reports has
        // nobody left to hear it.
        unsafe { (petsc.functions.finalize)() };
    }
}

impl Petsc {
    /// Loads the library and starts it.
    fn start() -> Result<Petsc> {
        if !cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
            let message = "petsc: only x86-64 and AArch64 are supported, by how they pass integers; use the module `sparse`";
            return Err(error::unsupported(message.to_owned()));
        }
        let search::Found { library, path } = search::find()?;
        let refused = |what: &str| {
            let what = format!("PETSc's library {} {what}", path.display());
            error::missing(what, version::help())
        };
        // SAFETY: of the version alone it is known how it is called: every PETSc 3 has it so.
        let version = unsafe {
            let get: unsafe extern "C" fn(*mut c_char, usize) -> c_int =
                functions::symbol(&library, "PetscGetVersion")?;
            let mut text = [0_u8; 256];
            get(text.as_mut_ptr().cast(), text.len() - 1);
            version::check(&failure::text(text.as_ptr().cast()))?
        };
        // SAFETY: the version is one of those whose headers were read, and the library is kept in the result.
        let functions = unsafe { Functions::load(&library)? };
        let int_bytes = check_types(&functions, &refused)?;
        // SAFETY: these are variables of the types that are read; `PETSC_MPI_THREAD_REQUIRED` is to be set before PETSc
        // is started. 2 is `MPI_THREAD_SERIALIZED` of Open MPI and MPICH.
        unsafe {
            if let Ok(required) = functions::symbol::<*mut c_int>(&library, "PETSC_MPI_THREAD_REQUIRED") {
                required.write(2);
            }
        }
        mpi::check(&library)?;
        let gpu = number_of_gpu();
        // gpurepl tells of PETSc's errors itself.
        // SAFETY: these may be called before PETSc is started; the texts are C strings, and the handler is a function.
        let code = unsafe {
            (functions.options_set)(null_mut(), c"-no_signal_handler".as_ptr(), c"true".as_ptr());
            if let Some(number) = &gpu {
                // PETSc takes one by itself otherwise, by the number of the process.
                (functions.options_set)(null_mut(), c"-device_select_cuda".as_ptr(), number.as_ptr());
            }
            failure::forget();
            match signals::kept(|| (functions.initialize)()) {
                0 => (functions.push_error_handler)(failure::note, null_mut()),
                code => code,
            }
        };
        if code != 0 {
            return Err(failure::made("petsc", code, &functions));
        }
        let mut has_cuda = BoolOut::default();
        // SAFETY: PETSc has been started; these are variables of the types that are read, set now.
        unsafe {
            (functions.has_package)(c"cuda".as_ptr(), &raw mut has_cuda);
            let global = |name: &str| -> Result<usize> {
                let value = functions::symbol::<*const c_int>(&library, name)?.read();
                Ok(usize::try_from(value).unwrap_or(0))
            };
            let cuda = if has_cuda.value() {
                let array = functions::symbol(&library, "VecCUDAGetArray")?;
                Some(CudaFunctions { array, restore: functions::symbol(&library, "VecCUDARestoreArray")? })
            } else {
                None
            };
            let (rank, size) = (global("PetscGlobalRank")?, global("PetscGlobalSize")?);
            let (comm, stdout) =
                (mpi::world(&library)?, functions::symbol(&library, "PETSC_VIEWER_STDOUT_")?);
            Ok(Petsc {
                functions,
                comm,
                int_bytes,
                version,
                cuda,
                path,
                rank,
                size,
                stdout,
                _library: library,
            })
        }
    }

    /// Calls PETSc, which no other thread does meanwhile.
    ///
    /// `act` makes one call, with objects that live and places for what PETSc writes, and returns its code.
    ///
    /// # Errors
    ///
    /// What PETSc reports, or that it is over.
    pub(crate) fn call(&self, operation: &'static str, act: impl FnOnce(&Functions) -> c_int) -> Result<()> {
        let state = state();
        if !matches!(*state, State::Running(_)) {
            return Err(over(operation));
        }
        failure::forget();
        match act(&self.functions) {
            0 => Ok(()),
            code => Err(failure::made(operation, code, &self.functions)),
        }
    }

    /// Calls PETSc where nobody can be told of an error: in a destructor. After the end it does nothing.
    pub(crate) fn call_at_drop(&self, act: impl FnOnce(&Functions) -> c_int) {
        if matches!(*state(), State::Running(_)) {
            act(&self.functions);
        }
    }

    /// What PETSc has written.
    pub(crate) fn value(&self, written: IntOut) -> i64 {
        written.value(self.int_bytes)
    }

    /// A size that PETSc has written.
    pub(crate) fn size_of(&self, written: IntOut) -> usize {
        usize::try_from(self.value(written)).unwrap_or(0)
    }

    /// Bits of a `PetscInt`.
    pub(crate) fn integer_bits(&self) -> usize {
        self.int_bytes * 8
    }

    /// A size as a `PetscInt`.
    ///
    /// # Errors
    ///
    /// If it is too large for one.
    pub(crate) fn int(&self, operation: &'static str, value: usize) -> Result<Int> {
        let most = if self.int_bytes == 4 { i64::from(i32::MAX) } else { i64::MAX };
        i64::try_from(value).ok().filter(|value| *value <= most).ok_or_else(|| {
            let message = format!(
                "{value} is more than the {most} of this PETSc's integers; use one that was configured \
                 --with-64-bit-indices (Debian, Ubuntu: `libpetsc64-real-dev`)"
            );
            error::invalid(operation, message)
        })
    }

    /// A list of indices as PETSc has them.
    ///
    /// # Errors
    ///
    /// If one is too large.
    pub(crate) fn ints(&self, operation: &'static str, values: impl Iterator<Item = usize>) -> Result<Ints> {
        let mut list = if self.int_bytes == 4 { Ints::Narrow(Vec::new()) } else { Ints::Wide(Vec::new()) };
        for value in values {
            let value = self.int(operation, value)?;
            match &mut list {
                // It fits: `int` has seen to it.
                Ints::Narrow(list) => list.push(value as i32),
                Ints::Wide(list) => list.push(value),
            }
        }
        Ok(list)
    }

    /// Indices from PETSc's memory.
    ///
    /// # Safety
    ///
    /// There are so many of PETSc's integers.
    pub(crate) unsafe fn list(&self, first: *const c_void, count: usize) -> Vec<usize> {
        let index = |value: i64| usize::try_from(value).unwrap_or(0);
        if count == 0 {
            return Vec::new();
        }
        // SAFETY: the caller's promise; PETSc aligns its memory.
        unsafe {
            if self.int_bytes == 4 {
                std::slice::from_raw_parts(first.cast::<i32>(), count)
                    .iter()
                    .map(|k| index((*k).into()))
                    .collect()
            } else {
                std::slice::from_raw_parts(first.cast::<i64>(), count).iter().map(|k| index(*k)).collect()
            }
        }
    }

    /// Standard output of all processes, for what PETSc prints. Not to be called within [`Petsc::call`].
    pub(crate) fn stdout(&self) -> Object {
        // What Rust has printed comes before it.
        let _ = std::io::Write::flush(&mut std::io::stdout());
        let _one = state();
        // SAFETY: PETSc has been started, and `comm` is its communicator.
        unsafe { (self.stdout)(self.comm) }
    }

    /// The name of an object's type, by a function that writes a pointer to it.
    pub(crate) fn name_of(
        &self,
        operation: &'static str,
        get: impl FnOnce(&Functions, *mut *const c_char) -> c_int,
    ) -> Result<String> {
        let mut name = null();
        self.call(operation, |functions| get(functions, &raw mut name))?;
        // SAFETY: null, or a C string of the object, which lives while this is called.
        Ok(unsafe { failure::text(name) })
    }
}

/// `PetscInt`s of PETSc's width.
pub(crate) enum Ints {
    Narrow(Vec<i32>),
    Wide(Vec<i64>),
}

impl Ints {
    pub(crate) fn as_ptr(&self) -> *const c_void {
        match self {
            Ints::Narrow(list) => list.as_ptr().cast(),
            Ints::Wide(list) => list.as_ptr().cast(),
        }
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut c_void {
        match self {
            Ints::Narrow(list) => list.as_mut_ptr().cast(),
            Ints::Wide(list) => list.as_mut_ptr().cast(),
        }
    }
}

/// The number of the GPU that is the current device, for a PETSc that was built with CUDA.
fn number_of_gpu() -> Option<CString> {
    let device = Context::current().ok()?.device();
    CString::new(device.id().strip_prefix("cuda:")?).ok()
}

/// Sees to it that numbers are `double`; returns the bytes of a `PetscInt`.
fn check_types(functions: &Functions, refused: &dyn Fn(&str) -> gpurepl_extend::Error) -> Result<usize> {
    let found = |name: &CStr| {
        let (mut number, mut size, mut is_known) = (0, 0, BoolOut::default());
        // SAFETY: both may be called before PETSc is started; the name is a C string, the others are places to write.
        let status = unsafe {
            (functions.type_by_name)(name.as_ptr(), &raw mut number, &raw mut is_known)
                | (functions.type_size)(number, &raw mut size)
        };
        if status == 0 && is_known.value() {
            Ok((number, size))
        } else {
            Err(refused("does not tell its types"))
        }
    };
    let ((_, int), (scalar, scalar_bytes), (real, real_bytes)) =
        (found(c"int")?, found(c"scalar")?, found(c"real")?);
    match (int, scalar_bytes, real_bytes) {
        _ if scalar != real => Err(refused("has complex numbers (PetscScalar), which are not supported")),
        (4 | 8, 8, 8) => Ok(int),
        (_, 4, 4) => Err(refused("has numbers of single precision (PetscReal), which are not supported")),
        _ => Err(refused(&format!(
            "has numbers of {scalar_bytes} and integers of {int} bytes, which are not supported"
        ))),
    }
}

/// A text for PETSc.
///
/// # Errors
///
/// If it has a zero, where C's strings end.
pub(crate) fn c_text(operation: &'static str, text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| {
        error::invalid(
            operation,
            format!("{text:?} has a zero character, where texts of C end; leave it out"),
        )
    })
}

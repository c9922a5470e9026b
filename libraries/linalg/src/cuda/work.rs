//! Operations by closures, workspaces, and what the libraries report.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gpurepl_extend::{AnyArray, Argument, DType, Elements, Extent, Gpu, Operation, Result, error, perform};

use super::declarations::{Memory, Settings};
use super::handle::{Solver, Sweeps, with_solver};

/// An operation whose half for a GPU is a closure.
struct Work<F> {
    name: &'static str,
    on_gpu: F,
}

impl<F: Fn(&dyn Gpu, &[Extent]) -> Result<()> + Send + Sync + 'static> Operation for Work<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn on_host(&self, _: &mut [Elements<'_>]) -> Result<()> {
        Err(error::unsupported(format!("{}: an array of the host met the GPU's half", self.name)))
    }

    fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
        (self.on_gpu)(gpu, arguments)
    }
}

/// Has the GPU do something with arrays, in the order of the streams.
pub(super) fn run(
    name: &'static str,
    arguments: &[Argument],
    on_gpu: impl Fn(&dyn Gpu, &[Extent]) -> Result<()> + Send + Sync + 'static,
) -> Result<()> {
    perform(Arc::new(Work { name, on_gpu }), arguments)
}

/// Bytes that a routine works in besides its arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sizes {
    pub device: usize,
    pub host: usize,
}

impl Sizes {
    /// Room for either of two calls.
    pub(super) fn most(self, other: Sizes) -> Sizes {
        Sizes { device: self.device.max(other.device), host: self.host.max(other.host) }
    }

    /// Those of a routine that counts elements of its type, and works on the device alone.
    pub(super) fn of_elements(name: &'static str, elements: c_int, size: usize) -> Result<Sizes> {
        let elements = usize::try_from(elements);
        let elements =
            elements.map_err(|_| error::device(name, "cuSOLVER wants a workspace below zero".to_owned()))?;
        Ok(Sizes { device: elements * size, host: 0 })
    }
}

/// Asks cuSOLVER for the sizes of a workspace: it needs its handle for that, and so an operation. The arrays are
/// those of the work itself, whose addresses the questions have among their arguments.
pub(super) fn workspace(
    name: &'static str,
    arrays: &[&AnyArray],
    ask: impl Fn(&Solver<'_>, &[Extent]) -> Result<Sizes> + Send + Sync + 'static,
) -> Result<Workspace> {
    let answer = Arc::new(Mutex::new(None));
    let to = Arc::clone(&answer);
    let arguments: Vec<Argument> = arrays.iter().map(|array| Argument::read(array)).collect();
    run(name, &arguments, move |gpu, extents| {
        let sizes = with_solver(name, gpu, extents[0].context, |solver| ask(solver, extents))?;
        *to.lock().unwrap_or_else(PoisonError::into_inner) = Some(sizes);
        Ok(())
    })?;
    let sizes = *answer.lock().unwrap_or_else(PoisonError::into_inner);
    Workspace::new(sizes.unwrap_or_default())
}

/// Memory that a routine works in. Its part of the device is an array, so that it comes from the pool, and is an
/// argument to write of the operation that uses it.
pub(super) struct Workspace {
    pub device: AnyArray,
    pub host: Arc<HostMemory>,
}

/// The part of the host.
pub(super) struct HostMemory {
    sizes: Sizes,
    /// Aligned for every number.
    words: Mutex<Vec<u128>>,
    /// What routines by Jacobi's method were called with.
    sweeps: Mutex<Vec<Sweeps>>,
}

impl Workspace {
    fn new(sizes: Sizes) -> Result<Workspace> {
        let device = AnyArray::empty([sizes.device.max(1)], DType::UInt8)?;
        let words = Mutex::new(vec![0; sizes.host.div_ceil(size_of::<u128>())]);
        Ok(Workspace { device, host: Arc::new(HostMemory { sizes, words, sweeps: Mutex::default() }) })
    }
}

impl HostMemory {
    /// How many bytes there are.
    pub(super) fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// The elements that the device's part has, for the routines that count those.
    pub(super) fn elements(&self, name: &'static str, size: usize) -> Result<c_int> {
        super::matrices::number(name, self.sizes.device / size)
    }

    /// Keeps settings as long as this memory, and returns them for calls.
    pub(super) fn hold(&self, sweeps: Sweeps) -> Settings {
        let raw = sweeps.raw;
        self.sweeps.lock().unwrap_or_else(PoisonError::into_inner).push(sweeps);
        raw
    }

    /// The memory, which nobody else uses meanwhile.
    pub(super) fn lock(&self) -> HostPlace<'_> {
        HostPlace(self.words.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Memory of the host, for calls.
pub(super) struct HostPlace<'a>(MutexGuard<'a, Vec<u128>>);

impl HostPlace<'_> {
    /// Where it lies; nowhere if there is none.
    pub(super) fn address(&mut self) -> *mut c_void {
        if self.0.is_empty() { null_mut() } else { self.0.as_mut_ptr().cast() }
    }
}

/// Where element `index` of an array in C order lies.
pub(super) fn at(array: &Extent, index: usize) -> Memory {
    (array.address + (index * array.dtype.size()) as u64) as Memory
}

/// A routine's report of each matrix: `info`.
pub(super) struct Reports {
    name: &'static str,
    pub array: AnyArray,
    /// A routine may use the host's memory after its call has returned, but not after the work has been waited for.
    kept: Vec<Arc<HostMemory>>,
}

impl Reports {
    pub(super) fn new(name: &'static str, count: usize) -> Result<Reports> {
        Ok(Reports { name, array: AnyArray::empty([count], DType::Int32)?, kept: Vec::new() })
    }

    /// Keeps a workspace of the host until the reports have been read: before the work that uses it begins.
    pub(super) fn keep(&mut self, workspace: &Workspace) {
        self.kept.push(Arc::clone(&workspace.host));
    }

    /// Zero for each matrix that went well, otherwise LAPACK's number. It waits for the work.
    pub(super) fn read(mut self) -> Result<Vec<i64>> {
        let bytes = self.array.to_host()?;
        self.kept.clear();
        decoded(self.name, &bytes)
    }
}

impl Drop for Reports {
    /// Of work that an error has cut short, some may go on.
    fn drop(&mut self) {
        if !self.kept.is_empty() {
            let _ = self.array.to_host();
        }
    }
}

fn decoded(name: &'static str, bytes: &[u8]) -> Result<Vec<i64>> {
    let (numbers, _) = bytes.as_chunks::<4>();
    let numbers = numbers.iter().map(|bytes| i32::from_ne_bytes(*bytes));
    numbers.map(|info| checked(name, info)).collect()
}

/// A report, unless it says that an argument of the call was wrong.
pub(super) fn checked(name: &'static str, info: c_int) -> Result<i64> {
    if info >= 0 {
        return Ok(i64::from(info));
    }
    let message =
        format!("internal error: argument {} of a routine was wrong; please report it", -i64::from(info));
    Err(error::device(name, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_lapacks_numbers() {
        let bytes: Vec<u8> = [0i32, 3, 5].iter().flat_map(|info| info.to_ne_bytes()).collect();
        assert_eq!(decoded("solve", &bytes).unwrap(), [0, 3, 5]);
        assert_eq!(decoded("solve", &[]).unwrap(), [0; 0]);
        let error = decoded("solve", &(-4i32).to_ne_bytes()).unwrap_err().to_string();
        assert!(error.contains("solve") && error.contains("argument 4"), "{error}");
    }

    #[test]
    fn a_workspace_has_room_for_either_call() {
        let one = Sizes { device: 10, host: 1 };
        assert_eq!(one.most(Sizes { device: 3, host: 7 }), Sizes { device: 10, host: 7 });
        assert_eq!(Sizes::of_elements("svd", 5, 16).unwrap(), Sizes { device: 80, host: 0 });
        assert!(Sizes::of_elements("svd", -1, 16).is_err());
    }
}

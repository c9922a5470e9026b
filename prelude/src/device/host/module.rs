//! A user's source on the host: its kernels run over ranges of blocks.

use std::ffi::{CStr, c_char, c_void};
use std::sync::{Arc, Mutex, PoisonError};

use gpurepl_kernels::host::{self, HostKernel};
use libloading::os::unix::Library;

use super::globals::Globals;
use super::memory::Locked;
use super::{compiler, parallel};
use crate::device::{Entry, Launch, Module, left_out};
use crate::error::{Error, Problem, Result, loader_cause};

/// Fewer threads than this are run by the caller: waking another core takes
/// longer than they do.
const ALONE: u64 = 4096;

pub(super) fn compile(source: &str, options: &[String], left_out: &[String]) -> Result<Box<dyn Module>> {
    let translated =
        host::translate(source, left_out).map_err(|error| Problem::Spec { what: "kernel", error })?;
    let texts = [(host::SOURCE_NAME, source)];
    let (library, object) = compiler::load_with_object("kernel", &texts, &translated.text, options)
        .map_err(|error| error.with_columns(&translated.changes))?;
    let globals = Globals::new(source, &library, &object)?;
    Ok(Box::new(HostModule {
        globals,
        library: Arc::new(library),
        kernels: translated.kernels,
        left_out: left_out.to_vec(),
    }))
}

struct HostModule {
    globals: Globals,
    library: Arc<Library>,
    kernels: Vec<HostKernel>,
    left_out: Vec<String>,
}

impl Module for HostModule {
    fn function(&self, name: &str) -> Result<Box<dyn Entry>> {
        let found = self.kernels.iter().enumerate().find(|(_, kernel)| kernel.signature.name == name);
        let number = match found {
            Some((number, HostKernel { needs: None, .. })) => number,
            Some((_, HostKernel { signature, .. }))
                if self.left_out.contains(&signature.qualified_name()) =>
            {
                return Err(left_out(name));
            }
            Some((_, HostKernel { needs: Some(needs), .. })) => {
                return Err(Problem::Unsupported { message: unsupported(name, needs) }.into());
            }
            None => return Err(left_out(name)),
        };
        HostEntry::new(&self.library, number)
            .map(|entry| Box::new(entry) as Box<dyn Entry>)
            .map_err(|error| missing_symbol(name, &error))
    }

    fn global(&self, name: &str) -> Result<(u64, usize)> {
        self.globals.find(name)
    }
}

fn unsupported(name: &str, needs: &str) -> String {
    format!(
        "{name}: the host device cannot run this kernel yet, because it uses {needs}\n  \
         = help: kernels whose threads do not wait for each other run here; run this one on a CUDA device"
    )
}

pub(super) fn missing_symbol(name: &str, error: &libloading::Error) -> Error {
    Problem::Device { operation: format!("loading {name}"), message: loader_cause(error) }.into()
}

// The types of `shim.hpp`, whose layout these share.

#[repr(C)]
struct GridAndBlock {
    grid: [u32; 3],
    block: [u32; 3],
}

#[repr(C)]
struct Report {
    condition: *const c_char,
    file: *const c_char,
    line: i32,
    thread: [u32; 3],
    block: [u32; 3],
}

type Run = unsafe extern "C" fn(*mut *mut c_void, *const GridAndBlock, usize, usize, *mut Report) -> bool;

struct HostEntry {
    run: Run,
    sizes: Vec<usize>,
    /// Keeps `run` in memory.
    _library: Arc<Library>,
}

impl HostEntry {
    fn new(library: &Arc<Library>, number: usize) -> Result<HostEntry, libloading::Error> {
        // SAFETY: these three are defined for every kernel by the macro
        // GPUREPL_KERNEL of `shim.hpp`, with these types; the pointers are
        // used while the library is held.
        let (run, count, size) = unsafe {
            let run: Run = *library.get(format!("gpurepl_kernel_{number}"))?;
            let count: unsafe extern "C" fn() -> usize = *library.get(format!("gpurepl_count_{number}"))?;
            let size: unsafe extern "C" fn(usize) -> usize =
                *library.get(format!("gpurepl_size_{number}"))?;
            (run, count, size)
        };
        // SAFETY: `count` takes nothing and `size` a number below the count.
        let sizes = unsafe { (0..count()).map(|k| size(k)).collect() };
        Ok(HostEntry { run, sizes, _library: Arc::clone(library) })
    }
}

/// A failed assertion of a kernel, the first of a launch.
struct Failed {
    condition: Option<String>,
    line: i32,
    thread: [u32; 3],
    block: [u32; 3],
}

impl Entry for HostEntry {
    fn argument_sizes(&self) -> Option<Vec<usize>> {
        Some(self.sizes.clone())
    }

    fn max_threads_per_block(&self) -> u64 {
        super::LIMITS.threads_per_block
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        assert_eq!(launch.arguments.len(), self.sizes.len());
        for (argument, size) in launch.arguments.iter().zip(&self.sizes) {
            assert_eq!(argument.bytes().len(), *size);
        }
        let blocks = launch.grid.iter().map(|length| u64::from(*length)).product::<u64>();
        let threads = launch.block.iter().map(|length| u64::from(*length)).product::<u64>();
        let blocks_at_once = if blocks.saturating_mul(threads) <= ALONE {
            blocks
        } else {
            // Small enough that all cores end together and an interrupt is
            // seen, large enough that starting a range costs nothing.
            (blocks / (16 * rayon::current_num_threads() as u64)).clamp(1, ALONE)
        };
        let shape = GridAndBlock { grid: launch.grid, block: launch.block };
        let failed: Mutex<Option<Failed>> = Mutex::new(None);
        let _locked = Locked::new(&[], launch.buffers);
        let run = |range: std::ops::Range<usize>| {
            // The kernel reads its arguments and never writes their copies.
            let mut arguments: Vec<*mut c_void> =
                launch.arguments.iter().map(|argument| argument.bytes().as_ptr() as *mut c_void).collect();
            let mut report = Report {
                condition: std::ptr::null(),
                file: std::ptr::null(),
                line: 0,
                thread: [0; 3],
                block: [0; 3],
            };
            // SAFETY: the arguments are as many and as large as the kernel's
            // own (checked above) and aligned for any type (`ScalarBytes`);
            // the range lies within the grid. What the kernel does with
            // addresses is the user's text: see `Backend::compile_module`.
            let whole =
                unsafe { (self.run)(arguments.as_mut_ptr(), &shape, range.start, range.end, &mut report) };
            if !whole {
                // SAFETY: a report that is made holds a literal of the module,
                // which is loaded, or null.
                let condition = (!report.condition.is_null())
                    .then(|| unsafe { CStr::from_ptr(report.condition) }.to_string_lossy().into_owned());
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                failed.get_or_insert(Failed {
                    condition,
                    line: report.line,
                    thread: report.thread,
                    block: report.block,
                });
            }
        };
        if blocks > 0 && threads > 0 {
            parallel::ranges(blocks as usize, blocks_at_once as usize, run)?;
        }
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(failed) => Err(Problem::Launch {
                kernel: launch.kernel.to_owned(),
                message: format!(
                    "{} at line {} of the kernel's source, in thread {:?} of block {:?}",
                    match &failed.condition {
                        Some(condition) => format!("assertion `{condition}` failed"),
                        None => "__trap() was called".to_owned(),
                    },
                    failed.line,
                    failed.thread,
                    failed.block
                ),
            }
            .into()),
        }
    }
}

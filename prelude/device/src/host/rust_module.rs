//! A kernel in Rust on the host: compiled by rustc, loaded, run by the simulator.

use std::sync::Arc;

use gpurepl_kernels::rust::{ENTRY_NAME, Form, RustKernel, RustParameter};

use super::compiler::{self, Loaded};
use super::fault;
use super::memory::Locked;
use super::races::Races;
use super::simulator::{self, Kernel, Run, Shape, Stopped};
use super::{properties, record};
use crate::error::{Error, Problem, Result, loader_cause};
use crate::rust::{HostObject, RustLines, compile_for_host};
use crate::{
    Attribute, Buffer, CacheConfig, Entry, Launch, Module, left_out, left_out_global, too_much_shared_memory,
};

/// A place of `shared!` in a module: `library/macros_host.rs` writes them.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Site {
    bytes: u64,
    alignment: u64,
    line: u64,
    column: u64,
    /// From the start of a block's shared memory; written when the module is loaded.
    offset: u64,
}

struct RustModule {
    name: String,
    items: String,
    lines: RustLines,
    loaded: Loaded,
    kernel: Kernel,
    sizes: Vec<usize>,
    /// Whether its launches look for races.
    looks_for_races: bool,
}

pub(super) fn compile(kernel: &RustKernel<'_>, lines: &RustLines) -> Result<Box<dyn Module>> {
    let is_checked = crate::checks::are_asked_for()?;
    let HostObject(bytes) = compile_for_host(kernel, lines, is_checked)?;
    let failed = |message: String| -> Error {
        Problem::Device { operation: format!("loading {}", kernel.name), message }.into()
    };
    let loaded = compiler::open_bytes(bytes).map_err(failed)?;
    // SAFETY: the crate's text defines the entry with this type
    // (`RustKernel::host_entry`); it is used while the library is held.
    let run: Run = unsafe { *loaded.library.get(ENTRY_NAME).map_err(|error| failed(loader_cause(&error)))? };
    let (shared_bytes, shared_alignment, variables) = lay_out(kernel.name, &loaded)?;
    let meets = kernel.meets();
    let kernel_of = Kernel {
        run,
        meets,
        meets_grid: false,
        strides: false,
        notes_threads: kernel.form == Form::Kernel,
        text: loaded.code.text().clone(),
        is_checked: false,
        offsets: Vec::new(),
        variables,
        shared_bytes,
        shared_alignment,
    };
    let sizes = kernel.parameters.iter().flat_map(|parameter| match parameter {
        RustParameter::Value(_, size, _) => vec![*size],
        // The address, the lengths and the strides.
        RustParameter::View(.., axes) | RustParameter::ViewMut(.., axes) => vec![8; 1 + 2 * axes],
        _ => vec![8, 8],
    });
    let module = RustModule {
        name: kernel.name.to_owned(),
        items: kernel.items.to_owned(),
        lines: lines.clone(),
        sizes: sizes.collect(),
        looks_for_races: is_checked && kernel.form == Form::Kernel,
        kernel: kernel_of,
        loaded,
    };
    Ok(Box::new(Handle(Arc::new(module))))
}

/// Gives each place of shared memory its offset. One that the compiler has
/// copied, since the function around it was, stays one.
fn lay_out(name: &str, loaded: &Loaded) -> Result<(usize, usize, Vec<std::ops::Range<usize>>)> {
    let sites = loaded.code.section("gpurepl_sites");
    let count = sites.len() / size_of::<Site>();
    if count == 0 {
        return Ok((0, 16, Vec::new()));
    }
    // SAFETY: the section holds such records, in memory that the module may
    // write, and no kernel of it runs yet.
    let sites = unsafe { std::slice::from_raw_parts_mut(sites.start as *mut Site, count) };
    let (mut end, mut alignment, mut variables) = (0usize, 16usize, Vec::new());
    for k in 0..count {
        let site = sites[k];
        let is_same = |other: &&Site| Site { offset: 0, ..**other } == Site { offset: 0, ..site };
        if let Some(first) = sites[..k].iter().find(is_same).copied() {
            sites[k].offset = first.offset;
            continue;
        }
        let own = (site.alignment as usize).max(16);
        let start = end.next_multiple_of(own);
        end = start.saturating_add(site.bytes as usize);
        alignment = alignment.max(own.min(4096));
        sites[k].offset = start as u64;
        if site.bytes > 0 {
            variables.push(start..end);
        }
    }
    if end > super::module::STATIC_SHARED_LIMIT {
        let message = format!(
            "{end} bytes of `shared!` memory; a block can have {}",
            super::module::STATIC_SHARED_LIMIT
        );
        return Err(Problem::Launch { kernel: name.to_owned(), message }.into());
    }
    Ok((end, alignment, variables))
}

struct Handle(Arc<RustModule>);

impl Module for Handle {
    fn function(&self, name: &str) -> Result<Box<dyn Entry>> {
        if name != self.0.name {
            return Err(left_out(name));
        }
        Ok(Box::new(RustEntry(Arc::clone(&self.0))))
    }

    fn global(&self, name: &str) -> Result<(u64, usize)> {
        Err(left_out_global(name))
    }
}

#[derive(Clone)]
struct RustEntry(Arc<RustModule>);

impl RustEntry {
    fn run(&self, launch: &Launch<'_>) -> Result<()> {
        assert_eq!(launch.arguments.len(), self.0.sizes.len());
        for (number, size) in self.0.sizes.iter().enumerate() {
            assert_eq!(launch.size_of(number), *size);
        }
        let dynamic_shared = launch.shared_memory as usize;
        self.allow_shared_memory(launch.kernel, dynamic_shared)?;
        let shape = Shape { grid: launch.grid, block: launch.block, dynamic_shared };
        let arguments = launch.pointers();
        let of = |writes: bool| {
            let wanted = launch.buffers.iter().filter(move |(_, written)| *written == writes);
            wanted.map(|(buffer, _)| *buffer).collect::<Vec<&Buffer>>()
        };
        let _locked = Locked::new(&of(false), &of(true));
        let races = self.0.looks_for_races.then(Races::new);
        // SAFETY: the arguments are as many and as large as the kernel's own
        // (checked above) and aligned for any type (`ScalarBytes`). Slices lie in
        // buffers that are locked. What the kernel does beyond that, by `unsafe`, is
        // the user's text: see `Backend::compile_module`.
        let outcome = unsafe { simulator::run(&self.0.kernel, shape, &arguments, races.as_deref()) }?;
        match outcome {
            Ok(()) => Ok(()),
            Err(stopped) => Err(self.report(launch.kernel, &stopped, shape)),
        }
    }

    #[cold]
    fn report(&self, kernel: &str, stopped: &Stopped, shape: Shape) -> Error {
        fault::of_rust(kernel, stopped, &self.0.loaded.code, &self.0.items, &self.0.lines, shape).into()
    }
}

impl Entry for RustEntry {
    fn argument_sizes(&self) -> Option<Vec<usize>> {
        Some(self.0.sizes.clone())
    }

    fn max_threads_per_block(&self) -> u64 {
        properties::LIMITS.threads_per_block
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        if record::is_on() {
            let (this, kept) = (self.clone(), record::KeptLaunch::new(launch));
            return record::push(launch.buffers, move || kept.with(|launch| this.run(launch)));
        }
        self.run(launch)
    }

    fn attribute(&self, attribute: Attribute) -> Result<i32> {
        let declared = self.0.kernel.shared_bytes;
        let value = match attribute {
            Attribute::SharedSizeBytes => declared,
            Attribute::MaxDynamicSharedSizeBytes => {
                simulator::SHARED_LIMIT.saturating_sub(declared.next_multiple_of(16))
            }
            Attribute::PreferredSharedMemoryCarveout => return Ok(-1),
            // As for a kernel in CUDA C: a core's registers are nobody's to count.
            _ => 0,
        };
        Ok(i32::try_from(value).unwrap_or(i32::MAX))
    }

    fn set_attribute(&self, attribute: Attribute, value: i32) -> Result<()> {
        match attribute {
            Attribute::MaxDynamicSharedSizeBytes => {
                self.allow_shared_memory(&self.0.name, usize::try_from(value).unwrap_or(0))
            }
            _ => Ok(()),
        }
    }

    fn set_cache_config(&self, _config: CacheConfig) -> Result<()> {
        Ok(())
    }

    fn max_active_blocks_per_multiprocessor(&self, threads: u32, dynamic_shared: usize) -> Result<usize> {
        let fits = u64::from(threads) <= self.max_threads_per_block()
            && self.allow_shared_memory(&self.0.name, dynamic_shared).is_ok();
        Ok(usize::from(fits))
    }

    fn suggested_block_size(&self, dynamic_shared: usize) -> Result<(usize, usize)> {
        self.allow_shared_memory(&self.0.name, dynamic_shared)?;
        Ok((rayon_core::current_num_threads(), 256))
    }

    fn allow_shared_memory(&self, kernel: &str, bytes: usize) -> Result<()> {
        let declared = self.0.kernel.shared_bytes;
        let total = bytes
            .checked_next_multiple_of(16)
            .map(|bytes| declared.next_multiple_of(16).saturating_add(bytes));
        if total.is_some_and(|total| total <= simulator::SHARED_LIMIT) {
            return Ok(());
        }
        Err(too_much_shared_memory(kernel, bytes, declared as u64, simulator::SHARED_LIMIT as u64))
    }

    fn launch_cooperative(&self, launch: &Launch<'_>) -> Result<()> {
        self.launch(launch)
    }
}

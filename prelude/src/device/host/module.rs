//! A user's source on the host: translated, compiled, loaded.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use gpurepl_kernels::host::{self, Execution, HostKernel, Indices, Request, SharedVariable};

use super::compiler::{self, Flavour, Loaded};
use super::globals::Globals;
use super::memory::Locked;
use super::simulator::{self, Kernel, Run, Shape};
use super::{checked, fault, record, replay};
use crate::device::{Buffer, Entry, Launch, Module, ModuleSource, left_out};
use crate::error::{Error, Problem, Result, loader_cause};

/// As on a GPU.
const STATIC_SHARED_LIMIT: usize = simulator::SHARED_LIMIT;

pub(super) fn compile(request: &ModuleSource<'_>) -> Result<Box<dyn Module>> {
    let is_checked = request.is_checked || checked::is_asked_for()?;
    let flavour = if is_checked { Flavour::CHECKED } else { Flavour::FAST };
    let module = HostModule::compile(&Text::new(request), flavour)?;
    Ok(Box::new(Handle(Arc::new(module))))
}

/// What a module is made from, kept to make its checked build.
#[derive(Clone)]
pub(super) struct Text {
    pub(super) source: String,
    pub(super) options: Vec<String>,
    /// Macros: `N=16`.
    definitions: Vec<String>,
    left_out: Vec<String>,
    instances: Vec<String>,
}

impl Text {
    fn new(request: &ModuleSource<'_>) -> Text {
        let (mut definitions, mut options) = (Vec::new(), Vec::new());
        let mut given = request.options.iter();
        while let Some(option) = given.next() {
            match option.strip_prefix("-D").or_else(|| option.strip_prefix("--define-macro=")) {
                // The shim asks for this one.
                Some(definition) if definition.split('=').next() == Some("NDEBUG") => {
                    options.push(option.clone())
                }
                Some("") => definitions.extend(given.next().cloned()),
                Some(definition) => definitions.push(definition.to_owned()),
                None => options.push(option.clone()),
            }
        }
        Text {
            source: request.source.to_owned(),
            options,
            definitions,
            left_out: request.left_out.to_vec(),
            instances: request.instances.to_vec(),
        }
    }
}

/// How a kernel's shared variables lie.
struct Shared {
    /// By the module's number for a variable.
    offsets: Vec<u32>,
    variables: Vec<Range<usize>>,
    bytes: usize,
    alignment: usize,
}

impl Default for Shared {
    fn default() -> Shared {
        Shared { offsets: Vec::new(), variables: Vec::new(), bytes: 0, alignment: 16 }
    }
}

pub(super) struct HostModule {
    text: Text,
    flavour: Flavour,
    loaded: Loaded,
    globals: Globals,
    kernels: Vec<HostKernel>,
    shared: Vec<SharedVariable>,
}

impl HostModule {
    pub(super) fn compile(text: &Text, flavour: Flavour) -> Result<HostModule> {
        let request = |indices| Request {
            source: &text.source,
            left_out: &text.left_out,
            instances: &text.instances,
            definitions: &text.definitions,
            indices,
        };
        let build = |indices| -> Result<HostModule> {
            let translated = host::translate(&request(indices))
                .map_err(|error| Problem::Spec { what: "kernel", error })?;
            let flavour = if translated.lockstep() { flavour.in_step() } else { flavour };
            let loaded = compiler::load(
                "kernel",
                &[(host::SOURCE_NAME, &text.source)],
                &translated.text,
                &text.options,
                flavour,
            )
            .map_err(|error| error.with_columns(&translated.changes))?;
            Ok(HostModule {
                text: text.clone(),
                flavour,
                globals: Globals::new(&text.source, &loaded.code),
                loaded,
                kernels: translated.kernels,
                shared: translated.shared,
            })
        };
        build(Indices::Arguments).or_else(|error| {
            // A lambda that captures nothing, or a structure in a kernel,
            // cannot name the kernel's hidden arguments.
            let names_argument = |text: &str| {
                ["threadIdx", "blockIdx", "blockDim", "gridDim"].iter().any(|index| text.contains(index))
            };
            let messages = error.compile_error().map(|error| error.messages.as_slice()).unwrap_or_default();
            if messages.iter().any(|message| names_argument(&message.text)) {
                // What is still wrong then is the user's own mistake.
                build(Indices::Asked)
            } else {
                Err(error)
            }
        })
    }

    /// A kernel by the name that a user knows it by, ready to run.
    pub(super) fn kernel(&self, name: &str) -> Result<(Kernel, Vec<usize>)> {
        let is_named = |kernel: &&HostKernel| {
            kernel.signature.name == name
                || kernel.signature.qualified_name() == name
                || kernel.signature.template_arguments.is_some()
                    && same_instance(&kernel.signature.qualified_name(), name)
        };
        let found = self.kernels.iter().filter(is_named).find(|kernel| kernel.entry.is_some());
        let (kernel, number) = found
            .and_then(|kernel| kernel.entry.map(|number| (kernel, number)))
            .ok_or_else(|| left_out(name))?;
        let _shadow = self.flavour.shadow()?;
        let symbols = self.symbols(number).map_err(|error| missing_symbol(name, &error))?;
        let shared = self.lay_out(name, kernel)?;
        let meets = matches!(kernel.execution, Execution::Threads { .. });
        let notes_threads = self.flavour.is_checked() || kernel.execution == Execution::Loop { kept: true };
        let kernel = Kernel {
            run: symbols.0,
            meets,
            notes_threads,
            is_checked: self.flavour.has_shadow(),
            text: self.loaded.code.text().clone(),
            offsets: shared.offsets,
            variables: shared.variables,
            shared_bytes: shared.bytes,
            shared_alignment: shared.alignment,
        };
        Ok((kernel, symbols.1))
    }

    fn symbols(&self, number: usize) -> Result<(Run, Vec<usize>), libloading::Error> {
        let library = &self.loaded.library;
        // SAFETY: these three are defined for every entry by macros of
        // `shim/entry.hpp`, with these types; the pointers are used while the
        // library is held. `count` takes nothing, `size` a number below it.
        unsafe {
            let run: Run = *library.get(format!("gpurepl_kernel_{number}"))?;
            let count: unsafe extern "C" fn() -> usize = *library.get(format!("gpurepl_count_{number}"))?;
            let size: unsafe extern "C" fn(usize) -> usize =
                *library.get(format!("gpurepl_size_{number}"))?;
            Ok((run, (0..count()).map(|k| size(k)).collect()))
        }
    }

    /// Where the shared variables that a kernel reaches lie in its blocks'
    /// memory: by the module's number for them, and how much it is.
    fn lay_out(&self, name: &str, kernel: &HostKernel) -> Result<Shared> {
        #[repr(C)]
        #[derive(Clone, Copy)]
        struct Site {
            site: u32,
            bytes: u32,
            alignment: u32,
        }
        let Some(sites) = self.sites::<Site>(name)? else { return Ok(Shared::default()) };
        let reached: HashMap<u32, &SharedVariable> =
            kernel.shared.iter().map(|k| (self.shared[*k].site, &self.shared[*k])).collect();
        let alignment_of = |site: &Site| (site.alignment as usize).max(if site.bytes >= 16 { 16 } else { 1 });
        // Between variables the checked build has bytes that nobody may touch,
        // as far as there is room for them.
        let total: usize =
            sites.iter().map(|site| site.bytes as usize + alignment_of(site) + checked::GAP).sum();
        let gap = if self.flavour.is_checked() && total <= STATIC_SHARED_LIMIT { checked::GAP } else { 0 };
        // What no place is given to lies in the guard after the memory.
        let mut offsets = vec![simulator::SHARED_AREA as u32; sites.len()];
        let mut own: HashMap<u32, usize> = HashMap::new();
        let (mut variables, mut largest) = (Vec::new(), 16);
        let mut end = 0usize;
        // Variables that the kernel seems not to reach come last, and only
        // where there is room: a table of functions may lead to them.
        let is_reached = |site: &Site| reached.contains_key(&site.site);
        let numbers = (0..sites.len()).filter(|k| is_reached(&sites[*k]));
        for number in numbers.chain((0..sites.len()).filter(|k| !is_reached(&sites[*k]))) {
            let site = &sites[number];
            let alignment = alignment_of(site);
            // Instances of a kernel template each have the variable, and only
            // one of them runs; a function's instances may all run.
            let is_own = kernel.signature.template_arguments.is_some()
                && reached.get(&site.site).is_some_and(|variable| {
                    variable.is_kernels && variable.function.as_ref() == Some(&kernel.signature.name)
                });
            if let (true, Some(place)) = (is_own, own.get(&site.site)) {
                let overlaid = sites[*place];
                if overlaid.bytes >= site.bytes && overlaid.alignment >= site.alignment {
                    offsets[number] = offsets[*place];
                    continue;
                }
            }
            let start = end.next_multiple_of(alignment);
            if !is_reached(site) && start + site.bytes as usize > STATIC_SHARED_LIMIT {
                continue;
            }
            largest = largest.max(alignment.min(4096));
            offsets[number] = start as u32;
            own.insert(site.site, number);
            variables.push(start..start + site.bytes as usize);
            end = start + site.bytes as usize + gap;
        }
        if end > STATIC_SHARED_LIMIT {
            return Err(Problem::Launch {
                kernel: name.to_owned(),
                message: format!(
                    "{end} bytes of `__shared__` variables; a block can have {STATIC_SHARED_LIMIT}"
                ),
            }
            .into());
        }
        Ok(Shared { offsets, variables, bytes: end, alignment: largest })
    }

    /// The module's shared variables, by its numbers for them; none for a text
    /// without shared memory.
    fn sites<Site: Copy>(&self, name: &str) -> Result<Option<Vec<Site>>> {
        const MOST: usize = 256;
        let library = &self.loaded.library;
        // SAFETY: both are defined by `shim/threads.hpp`, if they are, and the
        // module's initialisers have filled them; `Site` is its structure.
        let (count, sites) = unsafe {
            let count = library.get::<*const u32>("gpurepl_site_count");
            let sites = library.get::<*const Site>("gpurepl_sites");
            let (Ok(count), Ok(sites)) = (count, sites) else { return Ok(None) };
            (**count as usize, std::slice::from_raw_parts(*sites, (**count as usize).min(MOST)).to_vec())
        };
        if count > MOST {
            return Err(Problem::Launch {
                kernel: name.to_owned(),
                message: format!(
                    "the source has {count} shared variables and instances; the host device takes {MOST}"
                ),
            }
            .into());
        }
        Ok(Some(sites))
    }

    pub(super) fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    pub(super) fn globals(&self) -> &Globals {
        &self.globals
    }

    pub(super) fn text(&self) -> &Text {
        &self.text
    }

    pub(super) fn flavour(&self) -> Flavour {
        self.flavour
    }
}

/// Whether two spellings name the same instance: spaces do not matter.
fn same_instance(a: &str, b: &str) -> bool {
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    bare(a) == bare(b.trim_start_matches("::"))
}

/// A module and its kernels hold each other's code in memory.
struct Handle(Arc<HostModule>);

impl Module for Handle {
    fn function(&self, name: &str) -> Result<Box<dyn Entry>> {
        let (kernel, sizes) = self.0.kernel(name)?;
        Ok(Box::new(HostEntry { name: name.to_owned(), kernel, sizes, module: Arc::clone(&self.0) }))
    }

    fn global(&self, name: &str) -> Result<(u64, usize)> {
        self.0.globals.find(name)
    }
}

#[cold]
fn missing_symbol(name: &str, error: &libloading::Error) -> Error {
    Problem::Device { operation: format!("loading {name}"), message: loader_cause(error) }.into()
}

#[derive(Clone)]
struct HostEntry {
    name: String,
    kernel: Kernel,
    sizes: Vec<usize>,
    /// Keeps the code in memory.
    module: Arc<HostModule>,
}

impl Entry for HostEntry {
    fn argument_sizes(&self) -> Option<Vec<usize>> {
        Some(self.sizes.clone())
    }

    fn max_threads_per_block(&self) -> u64 {
        super::properties::LIMITS.threads_per_block
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        if record::is_on() {
            let (this, kept) = (self.clone(), record::KeptLaunch::new(launch));
            return record::push(launch.buffers, move || kept.with(|launch| this.run(launch)));
        }
        self.run(launch)
    }
}

impl HostEntry {
    fn run(&self, launch: &Launch<'_>) -> Result<()> {
        assert_eq!(launch.arguments.len(), self.sizes.len());
        for (argument, size) in launch.arguments.iter().zip(&self.sizes) {
            assert_eq!(argument.bytes().len(), *size);
        }
        let dynamic_shared = launch.shared_memory as usize;
        let total = self.kernel.shared_bytes.next_multiple_of(16) + dynamic_shared.next_multiple_of(16);
        if total > simulator::SHARED_LIMIT {
            return Err(Problem::Launch {
                kernel: launch.kernel.to_owned(),
                message: format!(
                    "{dynamic_shared} bytes of dynamic shared memory and {} of `__shared__` variables; a block can \
                     have {} together",
                    self.kernel.shared_bytes,
                    simulator::SHARED_LIMIT
                ),
            }
            .into());
        }
        let shape = Shape { grid: launch.grid, block: launch.block, dynamic_shared };
        // The kernel reads its arguments and never writes their copies.
        let arguments: Vec<*mut c_void> =
            launch.arguments.iter().map(|argument| argument.bytes().as_ptr() as *mut c_void).collect();
        let of = |writes: bool| {
            let wanted = launch.buffers.iter().filter(move |(_, written)| *written == writes);
            wanted.map(|(buffer, _)| *buffer).collect::<Vec<&Buffer>>()
        };
        let _locked = Locked::new(&of(false), &of(true));
        let readable = || replay::readable(&self.kernel, &arguments, &self.sizes);
        let is_checked = self.module.flavour.is_checked();
        let checks = is_checked
            .then(|| checked::Plan::new(&self.module.loaded.code, &readable()))
            .transpose()?
            .map(checked::Plan::begin);
        // SAFETY: the arguments are as many and as large as the kernel's own
        // (checked above) and aligned for any type (`ScalarBytes`). What the
        // kernel does with addresses is the user's text: see
        // `Backend::compile_module`.
        let outcome = unsafe { simulator::run(&self.kernel, shape, &arguments) }?;
        drop(checks);
        let Err(stopped) = outcome else { return Ok(()) };
        let report = fault::report(launch.kernel, &stopped, &self.module);
        if self.module.flavour.is_checked() || !fault::is_worth_a_replay(&stopped) {
            return Err(report.into());
        }
        // SAFETY: as above: the same arguments.
        let found = unsafe { replay::replay(&self.name, &self.module, shape, &arguments, &stopped) };
        Err(match found {
            Some(found) => found.into(),
            None => report.into(),
        })
    }
}

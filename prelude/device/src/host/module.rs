//! A user's source on the host: translated, compiled, loaded.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use gpurepl_kernels::host::{self, Execution, HostKernel, Indices, Request, SharedVariable};
use gpurepl_kernels::mangled::ParameterType;
use gpurepl_kernels::preprocessor::WRONG_BRANCH;

use super::compiler::{self, Flavour, Loaded};
use super::fault::Arrays;
use super::globals::Globals;
use super::memory::Locked;
use super::races::Races;
use super::simulator::{self, Kernel, Run, Shape};
use super::{checked, fault, record, replay};
use crate::error::{Error, ErrorKind, Problem, Result, loader_cause};
use crate::includes::UserHeaders;
use crate::{
    Attribute, Buffer, CacheConfig, Entry, Launch, Module, ModuleSource, debug, left_out, symbols,
    too_much_shared_memory,
};

/// As on a GPU, for what a kernel declares: more must be asked for by a launch.
pub(super) const STATIC_SHARED_LIMIT: usize = 48 << 10;

pub(super) fn compile(request: &ModuleSource<'_>) -> Result<Box<dyn Module>> {
    let is_checked = request.is_checked || crate::checks::are_asked_for()?;
    let flavour = if is_checked { Flavour::CHECKED } else { Flavour::FAST };
    let module = HostModule::compile(&Text::new(request), flavour)?;
    Ok(Box::new(Handle(Arc::new(module))))
}

/// What a module is made from, kept to make its checked build.
#[derive(Clone)]
pub(super) struct Text {
    pub(super) source: String,
    pub(super) options: Vec<String>,
    /// Options that define macros.
    definitions: Vec<String>,
    has_globals: bool,
    left_out: Vec<String>,
    instances: Vec<String>,
}

impl Text {
    fn new(request: &ModuleSource<'_>) -> Text {
        let (mut definitions, mut options) = (Vec::new(), Vec::new());
        let translated = gpurepl_kernels::options::for_host(request.options);
        let mut given = translated.iter();
        while let Some(option) = given.next() {
            match option.strip_prefix("-D").or_else(|| option.strip_prefix("--define-macro=")) {
                // The shim asks for this one.
                Some(definition) if definition.split('=').next() == Some("NDEBUG") => {
                    options.push(option.clone())
                }
                Some("") => definitions.extend(given.next().map(|definition| format!("-D{definition}"))),
                Some(definition) => definitions.push(format!("-D{definition}")),
                None => match option.as_str() {
                    // Lines are there anyway.
                    "-lineinfo" | "--generate-line-info" => {}
                    "-G" | "--device-debug" => options.extend(debug_options()),
                    _ => options.push(option.clone()),
                },
            }
        }
        if debug::is_on() {
            options.extend(debug_options());
            if let Some(path) = debug::keep(host::SOURCE_NAME, request.source) {
                options.push(format!("-fdebug-prefix-map={}={}", host::SOURCE_NAME, path.display()));
            }
        }
        Text {
            source: request.source.to_owned(),
            options,
            definitions,
            has_globals: !request.globals.is_empty(),
            left_out: request.left_out.to_vec(),
            instances: request.instances.to_vec(),
        }
    }
}

/// What a debugger likes: variables in memory, and all that is known of them.
/// Whether it was the assembler that could not read something.
fn is_assemblers(error: &Error) -> bool {
    let words = ["Assembler messages", "instruction mnemonic", "error in inline asm"];
    error.compile_error().is_some_and(|error| words.iter().any(|word| error.log.contains(word)))
}

/// A debugger shows one thread at a time, so each is a call.
fn debug_options() -> [String; 3] {
    ["-O0", "-g", "-DGPUREPL_DEBUGGED"].map(str::to_owned)
}

/// How a kernel's shared variables lie.
struct Shared {
    /// By the module's number for a variable.
    offsets: Vec<u32>,
    variables: Vec<Range<usize>>,
    bytes: usize,
    /// Without variables that the kernel seems not to reach.
    declared: usize,
    alignment: usize,
}

impl Default for Shared {
    fn default() -> Shared {
        Shared { offsets: Vec::new(), variables: Vec::new(), bytes: 0, declared: 0, alignment: 16 }
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
        let files = UserHeaders::new(&text.options);
        let headers = |name: &str, is_quoted: bool| files.text(name, is_quoted);
        let request = |indices, chooses_branches, refined| Request {
            source: &text.source,
            left_out: &text.left_out,
            instances: &text.instances,
            definitions: &text.definitions,
            headers: &headers,
            chooses_branches,
            indices,
            refined,
        };
        let is_refined = Cell::new(false);
        let build = |indices, chooses_branches, refined| -> Result<HostModule> {
            let translated = host::translate(&request(indices, chooses_branches, refined))
                .map_err(|error| Problem::Spec { what: "kernel", error })?;
            is_refined.set(translated.is_refined);
            let flavour = if translated.lockstep() { flavour.in_step() } else { flavour };
            let loaded = compiler::load(
                "kernel",
                &[(host::SOURCE_NAME, &text.source)],
                &translated.text,
                &text.options,
                flavour,
            )
            .map_err(|error| {
                let error = error.with_columns(&translated.changes[1]).with_columns(&translated.changes[0]);
                match &translated.foreign_assembly {
                    Some(cause) if is_assemblers(&error) => {
                        Problem::Spec { what: "kernel", error: cause.clone() }.into()
                    }
                    _ => error,
                }
            })?;
            Ok(HostModule {
                text: text.clone(),
                flavour,
                globals: Globals::new(text.has_globals, &loaded.code),
                loaded,
                kernels: translated.kernels,
                shared: translated.shared,
            })
        };
        let says = |error: &Error, words: &[&str]| {
            let messages = error.compile_error().map(|error| error.messages.as_slice()).unwrap_or_default();
            messages.iter().any(|message| words.iter().any(|word| message.text.contains(word)))
        };
        let (mut indices, mut chooses_branches, mut refined) = (Indices::Arguments, true, true);
        loop {
            let error = match build(indices, chooses_branches, refined) {
                Err(error) if error.kind() == ErrorKind::Compile => error,
                result => return result,
            };
            if chooses_branches && says(&error, &[WRONG_BRANCH]) {
                // The compiler knows a macro that the translation does not.
                chooses_branches = false;
            } else if is_refined.take() {
                // Where only that was wrong, casts and shifts are the CPU's;
                // else the messages are about the user's own text.
                refined = false;
            } else if indices == Indices::Arguments
                && says(&error, &["threadIdx", "blockIdx", "blockDim", "gridDim"])
            {
                // A lambda that captures nothing, or a structure in a kernel,
                // cannot name the kernel's hidden arguments. What is still
                // wrong then is the user's own mistake.
                (indices, refined) = (Indices::Asked, true);
            } else {
                return Err(error);
            }
        }
    }

    /// A kernel by the name that a user knows it by, ready to run.
    pub(super) fn kernel(&self, name: &str) -> Result<(Kernel, Vec<usize>)> {
        self.kernel_and_shared(name).map(|(kernel, sizes, _)| (kernel, sizes))
    }

    /// [`HostModule::kernel`], and the bytes of shared memory that it declares.
    fn kernel_and_shared(&self, name: &str) -> Result<(Kernel, Vec<usize>, usize)> {
        let (kernel, number) = self.entry(name).ok_or_else(|| left_out(name))?;
        let _shadow = self.flavour.shadow()?;
        let symbols = self.symbols(number).map_err(|error| missing_symbol(name, &error))?;
        let shared = self.lay_out(name, kernel)?;
        let meets = matches!(kernel.execution, Execution::Threads { .. });
        let notes_threads = self.flavour.is_checked() || kernel.execution == Execution::Loop { kept: true };
        let kernel = Kernel {
            run: symbols.0,
            meets,
            meets_grid: kernel.meets_grid,
            strides: kernel.strides,
            notes_threads,
            is_checked: self.flavour.has_shadow(),
            text: self.loaded.code.text().clone(),
            offsets: shared.offsets,
            variables: shared.variables,
            shared_bytes: shared.bytes,
            shared_alignment: shared.alignment,
        };
        Ok((kernel, symbols.1, shared.declared))
    }

    /// The kernel of this name that has an entry, and its number.
    fn entry(&self, name: &str) -> Option<(&HostKernel, usize)> {
        let named = self.kernels.iter().filter(|kernel| kernel.signature.is_called(name));
        named.filter_map(|kernel| Some((kernel, kernel.entry?))).next()
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
        let (mut end, mut declared) = (0usize, 0usize);
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
            if is_reached(site) {
                declared = start + site.bytes as usize;
            }
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
        Ok(Shared { offsets, variables, bytes: end, declared, alignment: largest })
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

/// A module and its kernels hold each other's code in memory.
struct Handle(Arc<HostModule>);

impl Module for Handle {
    fn function(&self, name: &str) -> Result<Box<dyn Entry>> {
        let (kernel, sizes, declared) = self.0.kernel_and_shared(name)?;
        Ok(Box::new(HostEntry {
            name: name.to_owned(),
            kernel,
            sizes,
            declared,
            module: Arc::clone(&self.0),
        }))
    }

    fn global(&self, name: &str) -> Result<(u64, usize)> {
        self.0.globals.find(name)
    }

    fn parameter_types(&self, name: &str) -> Option<Vec<ParameterType>> {
        let (_, number) = self.0.entry(name)?;
        let variables = symbols::variables(self.0.loaded.code.file());
        host::parameter_types(variables.iter().map(|variable| variable.symbol.as_str()), number)
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
    /// Bytes of its `__shared__` variables.
    declared: usize,
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
            return record::push(launch.buffers, move || kept.with(|launch| this.run(launch, false)));
        }
        self.run(launch, false)
    }

    fn attribute(&self, attribute: Attribute) -> Result<i32> {
        let room = simulator::SHARED_LIMIT.saturating_sub(self.declared.next_multiple_of(16));
        let value = match attribute {
            Attribute::SharedSizeBytes => self.declared as u64,
            Attribute::MaxDynamicSharedSizeBytes => room as u64,
            // A core's registers are nobody's to count, what spills lies on a
            // stack of fixed size, and there is no code but the C++ compiler's.
            Attribute::NumRegs
            | Attribute::LocalSizeBytes
            | Attribute::ConstSizeBytes
            | Attribute::PtxVersion
            | Attribute::BinaryVersion => 0,
            Attribute::PreferredSharedMemoryCarveout => return Ok(-1),
        };
        Ok(i32::try_from(value).unwrap_or(i32::MAX))
    }

    /// What a launch can have it can have here without asking.
    fn set_attribute(&self, attribute: Attribute, value: i32) -> Result<()> {
        match attribute {
            Attribute::MaxDynamicSharedSizeBytes => {
                self.allow_shared_memory(&self.name, usize::try_from(value).unwrap_or(0))
            }
            _ => Ok(()),
        }
    }

    fn set_cache_config(&self, _config: CacheConfig) -> Result<()> {
        Ok(())
    }

    /// A core runs one block to its end before it takes the next one.
    fn max_active_blocks_per_multiprocessor(&self, threads: u32, dynamic_shared: usize) -> Result<usize> {
        let fits = u64::from(threads) <= self.max_threads_per_block()
            && self.allow_shared_memory(&self.name, dynamic_shared).is_ok();
        Ok(usize::from(fits))
    }

    /// A block for each core keeps all of them busy. Its size does not matter
    /// here; this one is good on most GPUs.
    fn suggested_block_size(&self, dynamic_shared: usize) -> Result<(usize, usize)> {
        self.allow_shared_memory(&self.name, dynamic_shared)?;
        Ok((rayon_core::current_num_threads(), 256))
    }

    fn allow_shared_memory(&self, kernel: &str, bytes: usize) -> Result<()> {
        let declared = self.declared;
        let total = bytes
            .checked_next_multiple_of(16)
            .map(|bytes| declared.next_multiple_of(16).saturating_add(bytes));
        if total.is_some_and(|total| total <= simulator::SHARED_LIMIT) {
            return Ok(());
        }
        Err(too_much_shared_memory(kernel, bytes, declared as u64, simulator::SHARED_LIMIT as u64))
    }

    /// Each block has a thread of the system. More blocks than there can be of those run as
    /// in any launch, unless the kernel waits for its grid.
    fn launch_cooperative(&self, launch: &Launch<'_>) -> Result<()> {
        let blocks: u128 = launch.grid.iter().map(|length| u128::from(*length)).product();
        if blocks > simulator::MOST_TOGETHER as u128 && !self.kernel.meets_grid {
            return self.launch(launch);
        }
        if blocks > simulator::MOST_TOGETHER as u128 {
            let most = simulator::MOST_TOGETHER;
            let message = format!(
                "a cooperative grid of {blocks} blocks; all of them must run at once, and here {most} can"
            );
            return Err(Problem::Launch { kernel: launch.kernel.to_owned(), message }.into());
        }
        if record::is_on() {
            let (this, kept) = (self.clone(), record::KeptLaunch::new(launch));
            return record::push(launch.buffers, move || kept.with(|launch| this.run(launch, true)));
        }
        self.run(launch, true)
    }
}

impl HostEntry {
    /// Runs a launch, with all blocks together or as they come.
    fn run(&self, launch: &Launch<'_>, is_together: bool) -> Result<()> {
        assert_eq!(launch.arguments.len(), self.sizes.len());
        for (number, size) in self.sizes.iter().enumerate() {
            assert_eq!(launch.size_of(number), *size);
        }
        let dynamic_shared = launch.shared_memory as usize;
        self.allow_shared_memory(launch.kernel, dynamic_shared)?;
        let shape = Shape { grid: launch.grid, block: launch.block, dynamic_shared };
        // The kernel reads its arguments and never writes their copies.
        let arguments = launch.pointers();
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
        let races = is_checked.then(Races::new);
        // SAFETY: the arguments are as many and as large as the kernel's own
        // (checked above) and aligned for any type (`ScalarBytes`). What the
        // kernel does with addresses is the user's text: see
        // `Backend::compile_module`.
        let outcome = unsafe {
            match is_together {
                true => simulator::run_together(&self.kernel, shape, &arguments, races.as_deref()),
                false => simulator::run(&self.kernel, shape, &arguments, races.as_deref()),
            }
        }?;
        drop(checks);
        let Err(stopped) = outcome else { return Ok(()) };
        let known = self.module.entry(&self.name);
        let arrays = known.map(|(kernel, _)| Arrays::new(&kernel.signature.parameters, launch.arguments));
        let arrays = arrays.unwrap_or_default();
        let report = fault::report(launch.kernel, &stopped, &self.module, shape, &arrays);
        // A block that waits for others cannot run alone.
        if self.module.flavour.is_checked() || is_together || !fault::is_worth_a_replay(&stopped) {
            return Err(report.into());
        }
        // SAFETY: as above: the same arguments.
        let found = unsafe { replay::replay(&self.name, &self.module, shape, &arguments, &stopped, &arrays) };
        Err(match found {
            Some(found) => found.into(),
            None => report.into(),
        })
    }
}

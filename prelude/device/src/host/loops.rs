//! A user's elementwise kernels and reductions on the host: C++ loops over
//! ranges of elements.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use gpurepl_kernels::declaration::Parameter;
use gpurepl_kernels::host::{with_gpu_arithmetic, with_shim};
use gpurepl_kernels::options::for_host;
use gpurepl_kernels::{ElementwiseSpec, REDUCTION_VALUE_BYTES, ReductionSpec};
use libloading::os::unix::Library;
use smallvec::SmallVec;

use super::compiler::{self, Flavour, Loaded};
use super::fault::Arrays;
use super::memory::Locked;
use super::record;
use super::{checked, fault, simulator};
use crate::contract::pointers;
use crate::error::{ErrorKind, Problem, Result, loader_cause};
use crate::scalar::ScalarBytes;
use crate::{Buffer, FoldKernel, LoopArguments, LoopKernel, RowFoldKernel, Rows, Structure};

/// Elements of a range: enough that its cost does not show, few enough that
/// all cores have work.
pub(super) const STEP: usize = 1 << 15;

pub(super) fn argument_sizes(parameters: &[Parameter]) -> Vec<usize> {
    let size = |parameter: &Parameter| match parameter.is_pointer() {
        true => 8,
        false => parameter.element_bytes().unwrap_or(8),
    };
    parameters.iter().map(size).collect()
}

pub(super) fn symbol<T: Copy>(library: &Library, name: &str) -> Result<T> {
    // SAFETY: the callers ask for functions that the text they compiled
    // defines, with the types that it gives them.
    unsafe { library.get::<T>(name) }.map(|symbol| *symbol).map_err(|error| {
        Problem::Device { operation: "loading a kernel".to_owned(), message: loader_cause(&error) }.into()
    })
}

type Range = unsafe extern "C" fn(*mut *mut c_void, usize, usize, usize);

/// What a loop was made from, for reports.
pub(super) struct Origin {
    name: String,
    texts: Vec<(String, String)>,
    parameters: Vec<Parameter>,
    flavour: Flavour,
    pub(super) loaded: Loaded,
}

impl Origin {
    pub(super) fn load(
        name: &str,
        parameters: &[Parameter],
        texts: &[(&str, &str)],
        text: &str,
        options: &[String],
    ) -> Result<Origin> {
        let flavour = if crate::checks::are_asked_for()? { Flavour::CHECKED } else { Flavour::FAST };
        let mut options = for_host(options);
        // Lines are there anyway, and a debugger starts with the session.
        options.retain(|option| {
            !["-lineinfo", "--generate-line-info", "-G", "--device-debug"].contains(&option.as_str())
        });
        let load = |text: &str| compiler::load(name, texts, &with_headers(name, text)?, &options, flavour);
        let arithmetic = with_gpu_arithmetic(text);
        let loaded = match load(&arithmetic) {
            // As for a module: see `HostModule::build`.
            Err(error) if error.kind() == ErrorKind::Compile && arithmetic != text => load(text)?,
            loaded => loaded?,
        };
        let texts = texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Ok(Origin { name: name.to_owned(), texts, parameters: parameters.to_vec(), flavour, loaded })
    }

    /// Runs the loop over all of `0..count`; a fault in it becomes an error.
    /// A kernel's stack is given up in a fault, so `work` owns nothing there.
    fn run(
        &self,
        count: usize,
        arguments: &Addresses<'_>,
        work: impl Fn(*mut *mut c_void, std::ops::Range<usize>) + Sync,
    ) -> Result<()> {
        self.run_over(count, arguments, &[], work)
    }

    /// [`Origin::run`], with memory of our own that the loop works on.
    fn run_over(
        &self,
        count: usize,
        arguments: &Addresses<'_>,
        memory: &[std::ops::Range<usize>],
        work: impl Fn(*mut *mut c_void, std::ops::Range<usize>) + Sync,
    ) -> Result<()> {
        self.run_by(STEP, count, arguments, memory, work)
    }

    /// [`Origin::run_over`], by ranges of another length.
    pub(super) fn run_by(
        &self,
        step: usize,
        count: usize,
        arguments: &Addresses<'_>,
        memory: &[std::ops::Range<usize>],
        work: impl Fn(*mut *mut c_void, std::ops::Range<usize>) + Sync,
    ) -> Result<()> {
        let code = &self.loaded.code;
        let launched =
            simulator::Code { text: code.text(), is_checked: self.flavour.is_checked(), races: None };
        let checks = match self.flavour.is_checked() {
            true => Some(checked::Plan::new(code, &[&arguments.readable(), memory].concat())?.begin()),
            false => None,
        };
        let outcome = simulator::run_loop(count, step, launched, |range| work(arguments.pointer(), range))?;
        drop(checks);
        outcome.map_err(|stopped| {
            let texts: Vec<(&str, &str)> =
                self.texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            let arrays = Arrays::new(&self.parameters, arguments.values);
            fault::of_loop(&self.name, &stopped, code, &texts, &arrays).into()
        })
    }
}

/// The arguments' values as a loop takes them.
pub(super) struct Addresses<'a> {
    values: &'a [ScalarBytes],
    structures: &'a [Structure],
    pointers: SmallVec<[*mut c_void; 24]>,
}

// SAFETY: a loop copies what the pointers point at, and writes nothing there.
unsafe impl Sync for Addresses<'_> {}

impl<'a> Addresses<'a> {
    /// The values, checked against their sizes.
    pub(super) fn new(
        values: &'a [ScalarBytes],
        structures: &'a [Structure],
        sizes: &[usize],
    ) -> Addresses<'a> {
        assert_eq!(values.len(), sizes.len());
        for (number, (value, size)) in values.iter().zip(sizes).enumerate() {
            let structure = structures.iter().find(|structure| structure.number == number);
            assert_eq!(structure.map_or_else(|| value.bytes().len(), |structure| structure.size), *size);
        }
        Addresses { values, structures, pointers: pointers(values, structures) }
    }

    fn pointer(&self) -> *mut *mut c_void {
        self.pointers.as_ptr().cast_mut()
    }

    /// The memory that a loop reads them from.
    fn readable(&self) -> Vec<std::ops::Range<usize>> {
        let of = |start: usize, bytes: usize| start..start + bytes;
        let mut ranges: Vec<_> = self
            .values
            .iter()
            .map(|value| of(value.bytes().as_ptr() as usize, value.bytes().len()))
            .collect();
        ranges.extend(self.structures.iter().map(|part| of(part.bytes.as_ptr() as usize, part.size)));
        ranges.push(of(self.pointers.as_ptr() as usize, size_of_val(self.pointers.as_slice())));
        ranges
    }
}

fn with_headers(name: &str, text: &str) -> Result<String> {
    with_shim(text).map_err(|error| {
        let message = format!("{name}: {error}");
        Problem::Unsupported { message }.into()
    })
}

struct HostLoop {
    range: Range,
    sizes: Vec<usize>,
    origin: Origin,
}

pub(super) fn compile_loop(spec: &ElementwiseSpec) -> Result<Box<dyn LoopKernel>> {
    let origin = Origin::load(&spec.name, &spec.parameters, &spec.texts(), &spec.to_host(), &spec.options)?;
    Ok(Box::new(Arc::new(HostLoop {
        range: symbol(&origin.loaded.library, "gpurepl_range")?,
        sizes: argument_sizes(&spec.parameters),
        origin,
    })))
}

impl LoopKernel for Arc<HostLoop> {
    fn run(&self, arguments: LoopArguments<'_>, count: usize) -> Result<()> {
        if record::is_on() {
            let (this, kept) = (Arc::clone(self), Kept::of(arguments));
            let used: Vec<_> = arguments.buffers.iter().map(|buffer| (*buffer, true)).collect();
            return record::push(&used, move || kept.with(|arguments| this.run_now(arguments, count)));
        }
        self.run_now(arguments, count)
    }
}

/// Arguments of a call that is recorded in a graph.
struct Kept {
    values: Vec<ScalarBytes>,
    structures: Vec<Structure>,
    buffers: Vec<Arc<Buffer>>,
}

impl Kept {
    fn of(arguments: LoopArguments<'_>) -> Kept {
        Kept {
            values: arguments.values.to_vec(),
            structures: arguments.structures.to_vec(),
            buffers: record::keep(arguments.buffers),
        }
    }

    fn with<R>(&self, run: impl FnOnce(LoopArguments<'_>) -> R) -> R {
        let buffers: Vec<&Buffer> = self.buffers.iter().map(Arc::as_ref).collect();
        run(LoopArguments { values: &self.values, structures: &self.structures, buffers: &buffers })
    }
}

impl HostLoop {
    fn run_now(&self, arguments: LoopArguments<'_>, count: usize) -> Result<()> {
        let _locked = Locked::new(&[], arguments.buffers);
        let arguments = Addresses::new(arguments.values, arguments.structures, &self.sizes);
        self.origin.run(count, &arguments, |pointers, range| {
            // SAFETY: the arguments are the spec's in number and size and
            // aligned for any type; the caller has checked that every array
            // has `count` elements. The statement itself is the user's text:
            // see `Backend::compile_module`.
            unsafe { (self.range)(pointers, range.start, range.end, count) }
        })
    }
}

type Reduce = unsafe extern "C" fn(*mut *mut c_void, usize, usize, usize, *mut c_void);
type Combine = unsafe extern "C" fn(*mut c_void, *const c_void);
type Neutral = unsafe extern "C" fn(*mut c_void);

/// Room for one value of any type: larger structures are refused before they get here, and the
/// text itself compares the size and the alignment of a structure with what Rust has
/// (`size_check` in `kernels/src/value_type.rs`).
type Value = [u128; REDUCTION_VALUE_BYTES / 16];

/// What such room holds at first.
const UNSET: Value = [0; REDUCTION_VALUE_BYTES / 16];

/// A value that one thread at a time combines into another.
struct Cell(UnsafeCell<Value>);

// SAFETY: one call of one thread uses them: see `HostFold::run`.
unsafe impl Sync for Cell {}

impl Cell {
    fn get(&self) -> *mut Value {
        self.0.get()
    }
}

struct HostFold {
    reduce: Reduce,
    combine: Combine,
    neutral: Neutral,
    sizes: Vec<usize>,
    result_size: usize,
    origin: Origin,
}

impl HostFold {
    fn new(spec: &ReductionSpec) -> Result<Arc<HostFold>> {
        let origin =
            Origin::load(&spec.name, &spec.parameters, &spec.texts(), &spec.to_host(), &spec.options)?;
        let library = &origin.loaded.library;
        Ok(Arc::new(HostFold {
            reduce: symbol(library, "gpurepl_reduce")?,
            combine: symbol(library, "gpurepl_combine_into")?,
            neutral: symbol(library, "gpurepl_neutral")?,
            sizes: argument_sizes(&spec.parameters),
            result_size: spec.value.size(),
            origin,
        }))
    }

    /// Runs now, or when the graph that is being recorded does.
    fn run_or_record(
        self: &Arc<HostFold>,
        arguments: LoopArguments<'_>,
        output: &Buffer,
        run: impl Fn(&HostFold, LoopArguments<'_>, &Buffer) -> Result<()> + Send + Sync + 'static,
    ) -> Result<()> {
        if !record::is_on() {
            return run(self, arguments, output);
        }
        let (this, kept) = (Arc::clone(self), Kept::of(arguments));
        let mut used: Vec<_> = arguments.buffers.iter().map(|buffer| (*buffer, false)).collect();
        used.push((output, true));
        let output = output.handle();
        record::push(&used, move || kept.with(|arguments| run(&this, arguments, &output)))
    }
}

pub(super) fn compile_fold(spec: &ReductionSpec) -> Result<Box<dyn FoldKernel>> {
    Ok(Box::new(HostFold::new(spec)?))
}

impl FoldKernel for Arc<HostFold> {
    fn run(&self, arguments: LoopArguments<'_>, count: usize, output: &Buffer) -> Result<()> {
        self.run_or_record(arguments, output, move |this, arguments, output| {
            this.run_now(arguments, count, output)
        })
    }
}

/// A reduction for each row.
struct HostRowFold(Arc<HostFold>);

pub(super) fn compile_row_fold(spec: &ReductionSpec) -> Result<Box<dyn RowFoldKernel>> {
    Ok(Box::new(HostRowFold(HostFold::new(spec)?)))
}

impl RowFoldKernel for HostRowFold {
    fn run(&self, arguments: LoopArguments<'_>, rows: Rows, output: &Buffer) -> Result<()> {
        self.0.run_or_record(arguments, output, move |this, arguments, output| {
            this.run_rows(arguments, rows, output)
        })
    }
}

impl HostFold {
    /// A row is reduced by one thread; several rows by several.
    fn run_rows(&self, arguments: LoopArguments<'_>, rows: Rows, output: &Buffer) -> Result<()> {
        let mut all = arguments.buffers.to_vec();
        all.push(output);
        let locked = Locked::new(&[], &all);
        let arguments = Addresses::new(arguments.values, arguments.structures, &self.sizes);
        let (size, all_elements) = (self.result_size, rows.count * rows.length);
        let answers = Mutex::new(vec![0_u8; rows.count * size]);
        let step = (STEP / rows.length.max(1)).max(1);
        self.origin.run_by(step, rows.count, &arguments, &[], |pointers, range| {
            for row in range {
                let mut value = UNSET;
                // SAFETY: as in `HostLoop::run_now`; `value` has room for the result, of which no
                // type is larger.
                unsafe {
                    let (first, last) = (row * rows.length, (row + 1) * rows.length);
                    (self.reduce)(pointers, first, last, all_elements, value.as_mut_ptr().cast());
                }
                let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
                answers[row * size..(row + 1) * size].copy_from_slice(&bytemuck::bytes_of(&value)[..size]);
            }
        })?;
        locked.write(output, 0, &answers.into_inner().unwrap_or_else(PoisonError::into_inner));
        Ok(())
    }

    fn run_now(&self, arguments: LoopArguments<'_>, count: usize, output: &Buffer) -> Result<()> {
        let mut all = arguments.buffers.to_vec();
        all.push(output);
        let locked = Locked::new(&[], &all);
        let arguments = Addresses::new(arguments.values, arguments.structures, &self.sizes);
        // One value a range, combined in the order of ranges, so that the
        // answer does not depend on how many cores there are.
        let values: Mutex<Vec<(usize, Value)>> = Mutex::new(Vec::new());
        self.origin.run(count, &arguments, |pointers, range| {
            let mut value = UNSET;
            // SAFETY: as in `HostLoop::run`; `value` has room for the result,
            // of which no type is larger.
            unsafe {
                (self.reduce)(pointers, range.start, range.end, count, value.as_mut_ptr().cast());
            }
            values.lock().unwrap_or_else(PoisonError::into_inner).push((range.start, value));
        })?;
        let mut values = values.into_inner().unwrap_or_else(PoisonError::into_inner);
        values.sort_unstable_by_key(|(start, _)| *start);
        let mut values: Vec<Cell> =
            values.into_iter().map(|(_, value)| Cell(UnsafeCell::new(value))).collect();
        // The last one is for the answer.
        values.push(Cell(UnsafeCell::new(UNSET)));
        let memory = values.as_ptr() as usize..values.as_ptr_range().end as usize;
        // The user's own expression: on a kernel's stack like the rest.
        self.origin.run_over(1, &arguments, &[memory], |_, _| {
            let (total, values) = values.split_last().expect("the answer's");
            // SAFETY: each has room for a result, of which no type is larger,
            // and all but the last hold one; one call of one thread uses them.
            unsafe {
                // As a tree: a sum of many rounds less than adding one by one.
                let mut step = 1;
                while step < values.len() {
                    for k in (0..values.len() - step).step_by(2 * step) {
                        (self.combine)(values[k].get().cast(), values[k + step].get().cast());
                    }
                    step *= 2;
                }
                (self.neutral)(total.get().cast());
                if let Some(value) = values.first() {
                    (self.combine)(total.get().cast(), value.get().cast());
                }
            }
        })?;
        let total = values.pop().map_or(UNSET, |total| total.0.into_inner());
        locked.write(output, 0, &bytemuck::bytes_of(&total)[..self.result_size]);
        Ok(())
    }
}

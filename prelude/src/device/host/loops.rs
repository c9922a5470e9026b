//! A user's elementwise kernels and reductions on the host: C++ loops over
//! ranges of elements.

use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use gpurepl_kernels::declaration::Parameter;
use gpurepl_kernels::host::with_shim;
use gpurepl_kernels::{ElementwiseSpec, ReductionSpec};
use libloading::os::unix::Library;

use super::compiler::{self, Flavour, Loaded};
use super::memory::Locked;
use super::{fault, simulator};
use crate::device::{Buffer, FoldKernel, LoopKernel};
use crate::elem::ScalarBytes;
use crate::error::{Problem, Result, loader_cause};

/// Elements of a range: enough that its cost does not show, few enough that
/// all cores have work.
const STEP: usize = 1 << 15;

fn argument_sizes(parameters: &[Parameter]) -> Vec<usize> {
    let size = |parameter: &Parameter| match parameter.dtype() {
        Some(dtype) if !parameter.is_pointer() => dtype.size(),
        _ => 8,
    };
    parameters.iter().map(size).collect()
}

/// The addresses of the arguments' values, checked against their sizes.
fn addresses(arguments: &[ScalarBytes], sizes: &[usize]) -> Vec<*mut c_void> {
    assert_eq!(arguments.len(), sizes.len());
    for (argument, size) in arguments.iter().zip(sizes) {
        assert_eq!(argument.bytes().len(), *size);
    }
    arguments.iter().map(|argument| argument.bytes().as_ptr() as *mut c_void).collect()
}

fn symbol<T: Copy>(library: &Library, name: &str) -> Result<T> {
    // SAFETY: the callers ask for functions that the text they compiled
    // defines, with the types that it gives them.
    unsafe { library.get::<T>(name) }.map(|symbol| *symbol).map_err(|error| {
        Problem::Device { operation: "loading a kernel".to_owned(), message: loader_cause(&error) }.into()
    })
}

type Range = unsafe extern "C" fn(*mut *mut c_void, usize, usize, usize);

/// What a loop was made from, for reports.
struct Origin {
    name: String,
    texts: Vec<(String, String)>,
    loaded: Loaded,
}

impl Origin {
    fn load(name: &str, texts: &[(&str, &str)], text: &str) -> Result<Origin> {
        let loaded = compiler::load(name, texts, text, &[], Flavour::FAST)?;
        let texts = texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Ok(Origin { name: name.to_owned(), texts, loaded })
    }

    /// Runs the loop over all of `0..count`; a fault in it becomes an error.
    fn run(&self, count: usize, work: impl Fn(std::ops::Range<usize>) + Sync) -> Result<()> {
        let outcome = simulator::run_loop(count, STEP, self.loaded.code.text(), work)?;
        outcome.map_err(|stopped| {
            let texts: Vec<(&str, &str)> =
                self.texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            fault::of_loop(&self.name, &stopped, &self.loaded.code, &texts).into()
        })
    }
}

struct HostLoop {
    range: Range,
    sizes: Vec<usize>,
    origin: Origin,
}

pub(super) fn compile_loop(spec: &ElementwiseSpec) -> Result<Box<dyn LoopKernel>> {
    let text = with_shim(&spec.to_host());
    let origin = Origin::load(&spec.name, &spec.texts(), &text)?;
    Ok(Box::new(HostLoop {
        range: symbol(&origin.loaded.library, "gpurepl_range")?,
        sizes: argument_sizes(&spec.parameters),
        origin,
    }))
}

impl LoopKernel for HostLoop {
    fn run(&self, arguments: &[ScalarBytes], buffers: &[&Buffer], count: usize) -> Result<()> {
        let _locked = Locked::new(&[], buffers);
        addresses(arguments, &self.sizes);
        self.origin.run(count, |range| {
            let mut arguments = addresses(arguments, &self.sizes);
            // SAFETY: the arguments are the spec's in number and size and
            // aligned for any type; the caller has checked that every array
            // has `count` elements. The statement itself is the user's text:
            // see `Backend::compile_module`.
            unsafe { (self.range)(arguments.as_mut_ptr(), range.start, range.end, count) }
        })
    }
}

type Reduce = unsafe extern "C" fn(*mut *mut c_void, usize, usize, usize, *mut c_void);
type Combine = unsafe extern "C" fn(*mut c_void, *const c_void);
type Neutral = unsafe extern "C" fn(*mut c_void);

/// Room for one value of any type.
type Value = [u128; 1];

struct HostFold {
    reduce: Reduce,
    combine: Combine,
    neutral: Neutral,
    sizes: Vec<usize>,
    result_size: usize,
    origin: Origin,
}

pub(super) fn compile_fold(spec: &ReductionSpec) -> Result<Box<dyn FoldKernel>> {
    let text = with_shim(&spec.to_host());
    let origin = Origin::load(&spec.name, &spec.texts(), &text)?;
    let library = &origin.loaded.library;
    Ok(Box::new(HostFold {
        reduce: symbol(library, "gpurepl_reduce")?,
        combine: symbol(library, "gpurepl_combine_into")?,
        neutral: symbol(library, "gpurepl_neutral")?,
        sizes: argument_sizes(&spec.parameters),
        result_size: spec.dtype.size(),
        origin,
    }))
}

impl FoldKernel for HostFold {
    fn run(
        &self,
        arguments: &[ScalarBytes],
        buffers: &[&Buffer],
        count: usize,
        output: &Buffer,
    ) -> Result<()> {
        let mut all = buffers.to_vec();
        all.push(output);
        let locked = Locked::new(&[], &all);
        addresses(arguments, &self.sizes);
        // One value a range, combined in the order of ranges, so that the
        // answer does not depend on how many cores there are.
        let values: Mutex<Vec<(usize, Value)>> = Mutex::new(Vec::new());
        self.origin.run(count, |range| {
            let mut arguments = addresses(arguments, &self.sizes);
            let mut value: Value = [0];
            // SAFETY: as in `HostLoop::run`; `value` has room for the result,
            // of which no type is larger than 16 bytes.
            unsafe {
                (self.reduce)(
                    arguments.as_mut_ptr(),
                    range.start,
                    range.end,
                    count,
                    value.as_mut_ptr().cast(),
                );
            }
            values.lock().unwrap_or_else(PoisonError::into_inner).push((range.start, value));
        })?;
        let mut values = values.into_inner().unwrap_or_else(PoisonError::into_inner);
        values.sort_unstable_by_key(|(start, _)| *start);
        let mut values: Vec<Value> = values.into_iter().map(|(_, value)| value).collect();
        let mut total: Value = [0];
        // SAFETY: `total` has room for the result.
        unsafe { (self.neutral)(total.as_mut_ptr().cast()) };
        // As a tree: a sum of many rounds less than adding one by one.
        while values.len() > 1 {
            values = values
                .chunks_mut(2)
                .map(|pair| {
                    if let [a, b] = pair {
                        // SAFETY: both have room for, and hold, a result.
                        unsafe { (self.combine)(a.as_mut_ptr().cast(), b.as_ptr().cast()) };
                    }
                    pair[0]
                })
                .collect();
        }
        if let Some(value) = values.first() {
            // SAFETY: as above.
            unsafe { (self.combine)(total.as_mut_ptr().cast(), value.as_ptr().cast()) };
        }
        locked.write(output, 0, &bytemuck::bytes_of(&total)[..self.result_size]);
        Ok(())
    }
}

//! A user's scan on the host: what each range of elements gives, what lies before each
//! range, and the statement for its elements.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use gpurepl_kernels::ScanSpec;

use super::loops::{Addresses, Origin, STEP, argument_sizes, symbol};
use super::memory::Locked;
use super::record;
use crate::error::Result;
use crate::scalar::ScalarBytes;
use crate::{Buffer, RunningKernel};

type Reduce = unsafe extern "C" fn(*mut *mut c_void, usize, usize, usize, *mut c_void);
type Combine = unsafe extern "C" fn(*mut c_void, *const c_void);
type Neutral = unsafe extern "C" fn(*mut c_void);
type Running = unsafe extern "C" fn(*mut *mut c_void, usize, usize, usize, *const c_void, *const c_void);

/// Room for what a range gives: a value of any type, and whether a segment starts.
struct Cell(UnsafeCell<[u128; 2]>);

// SAFETY: each is written by the one call that has its range, and read after all of these
// have ended: see `HostScan::run_now`.
unsafe impl Sync for Cell {}

impl Cell {
    fn get(&self) -> *mut c_void {
        self.0.get().cast()
    }
}

struct HostScan {
    reduce: Reduce,
    combine: Combine,
    neutral: Neutral,
    running: Running,
    sizes: Vec<usize>,
    uses_last_item: bool,
    origin: Origin,
}

pub(super) fn compile(spec: &ScanSpec) -> Result<Box<dyn RunningKernel>> {
    let origin = Origin::load(&spec.name, &spec.parameters, &spec.texts(), &spec.to_host(), &[])?;
    let library = &origin.loaded.library;
    Ok(Box::new(Arc::new(HostScan {
        reduce: symbol(library, "gpurepl_reduce")?,
        combine: symbol(library, "gpurepl_combine_into")?,
        neutral: symbol(library, "gpurepl_neutral")?,
        running: symbol(library, "gpurepl_scan")?,
        sizes: argument_sizes(&spec.parameters),
        uses_last_item: spec.uses_last_item(),
        origin,
    })))
}

impl RunningKernel for Arc<HostScan> {
    fn run(&self, arguments: &[ScalarBytes], buffers: &[(&Buffer, bool)], count: usize) -> Result<()> {
        let plain: Vec<&Buffer> = buffers.iter().map(|(buffer, _)| *buffer).collect();
        if record::is_on() {
            let (this, arguments, kept) = (Arc::clone(self), arguments.to_vec(), record::keep(&plain));
            return record::push(buffers, move || {
                this.run_now(&arguments, &kept.iter().map(Arc::as_ref).collect::<Vec<_>>(), count)
            });
        }
        self.run_now(arguments, &plain, count)
    }
}

impl HostScan {
    fn run_now(&self, arguments: &[ScalarBytes], buffers: &[&Buffer], count: usize) -> Result<()> {
        let _locked = Locked::new(&[], buffers);
        let arguments = Addresses::new(arguments, &[], &self.sizes);
        let parts = count.div_ceil(STEP);
        let elements = |part: usize| part * STEP..((part + 1) * STEP).min(count);
        // What each part gives, then what lies before it; the last one is what all give.
        let cells: Vec<Cell> = (0..=parts).map(|_| Cell(UnsafeCell::new([0; 2]))).collect();
        let memory = cells.as_ptr() as usize..cells.as_ptr_range().end as usize;
        let memory = std::slice::from_ref(&memory);
        let each = |work: &(dyn Fn(*mut *mut c_void, usize, Range<usize>) + Sync)| {
            self.origin.run_by(1, parts, &arguments, memory, |pointers, range| {
                range.for_each(|part| work(pointers, part, elements(part)));
            })
        };
        if parts > 1 || self.uses_last_item {
            each(&|pointers, part, range| {
                // SAFETY: the arguments are the spec's in number and size and aligned for any
                // type; the caller has checked that arrays have elements `i`. A cell has room
                // for what a range gives, of which no type is larger. The expressions are the
                // user's text: see `Backend::compile_module`.
                unsafe { (self.reduce)(pointers, range.start, range.end, count, cells[part].get()) }
            })?;
        }
        // The user's own expression: on a kernel's stack like the rest.
        self.origin.run_by(1, 1, &arguments, memory, |_, _| {
            let mut sum = [0_u128; 2];
            // SAFETY: all have room; one call of one thread uses them, after those above.
            unsafe {
                (self.neutral)(sum.as_mut_ptr().cast());
                for cell in &cells[..parts] {
                    let own = *cell.0.get();
                    *cell.0.get() = sum;
                    if parts > 1 || self.uses_last_item {
                        (self.combine)(sum.as_mut_ptr().cast(), own.as_ptr().cast());
                    }
                }
                *cells[parts].0.get() = sum;
            }
        })?;
        each(&|pointers, part, range| {
            // SAFETY: as above; nobody writes the cells now.
            unsafe {
                (self.running)(
                    pointers,
                    range.start,
                    range.end,
                    count,
                    cells[part].get(),
                    cells[parts].get(),
                );
            }
        })
    }
}

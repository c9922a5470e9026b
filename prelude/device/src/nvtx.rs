//! Names in the timelines of NVIDIA's profilers, by NVTX.
//!
//! Nsight Systems, Nsight Compute and compute-sanitizer show what a program
//! says of itself by way of NVTX, the NVIDIA tools extension. Every cell is a
//! range there, named by its number and its first line; these functions add
//! ranges and marks of your own. Without such a tool they do next to nothing.
//!
//! ```
//! use gpurepl_prelude::*;
//! let load = nvtx::range("load");
//! let a = arange(0..1000_i32);
//! drop(load);
//! nvtx::range_push("compute");
//! let b = &a * &a;
//! nvtx::mark("half way");
//! println!("{}", b.sum().item());
//! nvtx::range_pop();
//! ```
//!
//! NVTX is not a library to link: its version 3 is a header. A tool names a
//! library of its own in `NVTX_INJECTION64_PATH`. Whoever has something to say
//! loads it and hands it a function, by which the tool finds tables of slots,
//! one for each function of NVTX, and fills in those that it wants to hear.
//! This module is that header's part, as <https://github.com/NVIDIA/NVTX>
//! describes it (`nvtxTypes.h` has the tables).

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL};

/// Begins a range that lies within the last one of this thread, until
/// [`range_pop`]. Returns how many ranges it lies within, or a negative number
/// if no tool counts them.
///
/// ```
/// use gpurepl_prelude::*;
/// nvtx::range_push("outer");
/// nvtx::range_push("inner");
/// nvtx::range_pop();
/// nvtx::range_pop();
/// ```
pub fn range_push(name: &str) -> i32 {
    if !is_listening() {
        return NO_TRACKING;
    }
    push(&to_c(name))
}

/// Ends the range that this thread has pushed last. Returns how many ranges it
/// lay within, or a negative number if no tool counts them, or there is none.
pub fn range_pop() -> i32 {
    if !is_listening() {
        return NO_TRACKING;
    }
    pop()
}

/// Marks this moment.
///
/// ```
/// use gpurepl_prelude::*;
/// for step in 0..3 {
///     nvtx::mark(&format!("step {step}"));
/// }
/// ```
pub fn mark(name: &str) {
    if is_listening() {
        mark_now(&to_c(name));
    }
}

/// Begins a range that ends when the value that is returned is dropped, in
/// whatever cell or thread that is: such ranges may overlap (`nvtxRangeStart`
/// and `nvtxRangeEnd`).
///
/// ```
/// use gpurepl_prelude::*;
/// let range = nvtx::range("sum");
/// let total = arange(0..10).sum().item();
/// drop(range);
/// assert_eq!(total, 45_i64);
/// ```
pub fn range(name: &str) -> Range {
    Range { id: if is_listening() { start(&to_c(name)) } else { 0 } }
}

/// A range of time, until it is dropped.
#[must_use = "the range ends when this is dropped: keep it in a variable"]
#[derive(Debug)]
pub struct Range {
    /// What the tool calls it; none is zero.
    id: u64,
}

impl Drop for Range {
    fn drop(&mut self) {
        if self.id != 0 {
            end(self.id);
        }
    }
}

/// What `nvtxRangePush` returns where nobody counts.
const NO_TRACKING: i32 = -2;

/// A name as C has it. Nothing in it may end it early.
fn to_c(name: &str) -> CString {
    CString::new(name.replace('\0', " ")).unwrap_or_default()
}

/// A slot for a function of NVTX's: null, until a tool fills it in.
type Slot = AtomicPtr<c_void>;

/// One entry of a table, a pointer to a slot or null: `NvtxFunctionPointer*`.
type Entry = Option<&'static Slot>;

/// Slots for a module's functions and the table that leads to them. The first
/// entry is not a function, and a null ends the table.
macro_rules! module {
    ($slots:ident, $table:ident, $size:literal) => {
        static $slots: [Slot; $size] = [const { Slot::new(std::ptr::null_mut()) }; $size];
        static $table: [Entry; $size + 1] = {
            let mut table = [None; $size + 1];
            let mut k = 1;
            while k < $size {
                table[k] = Some(&$slots[k]);
                k += 1;
            }
            table
        };
    };
}

// The modules' sizes: how many functions each has, and one.
module!(CORE, CORE_TABLE, 16);
module!(CUDA, CUDA_TABLE, 9);
module!(OPENCL, OPENCL_TABLE, 15);
module!(CUDART, CUDART_TABLE, 7);
module!(CORE2, CORE2_TABLE, 16);
module!(SYNC, SYNC_TABLE, 7);

/// The places in `CORE` of the functions that are called here.
const MARK_A: usize = 2;
const RANGE_START_A: usize = 5;
const RANGE_END: usize = 7;
const RANGE_PUSH_A: usize = 9;
const RANGE_POP: usize = 11;

/// `NvtxExportTableCallbacks`.
#[repr(C)]
struct Callbacks {
    size: usize,
    function_table: extern "C" fn(c_int, *mut *const Entry, *mut c_uint) -> c_int,
}

/// `NvtxExportTableVersionInfo`.
#[repr(C)]
struct VersionInfo {
    size: usize,
    version: u32,
    reserved: u32,
    set_injection_version: extern "C" fn(u32),
}

static CALLBACKS: Callbacks = Callbacks { size: size_of::<Callbacks>(), function_table };
static VERSION_INFO: VersionInfo =
    VersionInfo { size: size_of::<VersionInfo>(), version: 3, reserved: 0, set_injection_version };

/// Tells a tool a module's table and its size.
extern "C" fn function_table(module: c_int, table: *mut *const Entry, size: *mut c_uint) -> c_int {
    let entries: &'static [Entry] = match module {
        1 => &CORE_TABLE,
        2 => &CUDA_TABLE,
        3 => &OPENCL_TABLE,
        4 => &CUDART_TABLE,
        5 => &CORE2_TABLE,
        6 => &SYNC_TABLE,
        _ => return 0,
    };
    // SAFETY: a tool passes null, or the address of a variable of its own to
    // write to; that is the contract of `GetModuleFunctionTable`.
    unsafe {
        if !table.is_null() {
            table.write(entries.as_ptr());
        }
        if !size.is_null() {
            size.write((entries.len() - 1) as c_uint);
        }
    }
    1
}

/// A tool passes its version here; nothing depends on it.
extern "C" fn set_injection_version(_version: u32) {}

/// Tells a tool where the tables are: `NvtxGetExportTableFunc_t`.
extern "C" fn export_table(id: u32) -> *const c_void {
    match id {
        1 => (&raw const CALLBACKS).cast(),
        3 => (&raw const VERSION_INFO).cast(),
        _ => std::ptr::null(),
    }
}

/// Whether a tool listens. The first call looks for one; the others are a load.
fn is_listening() -> bool {
    static IS_LISTENING: OnceLock<bool> = OnceLock::new();
    *IS_LISTENING.get_or_init(attach)
}

/// Loads the library that a tool has named, if one has.
fn attach() -> bool {
    let Some(path) = std::env::var_os("NVTX_INJECTION64_PATH").filter(|path| !path.is_empty()) else {
        return false;
    };
    let failed = |problem: &str| {
        let path = path.display();
        crate::streams::notice(format!("NVTX_INJECTION64_PATH: {path} {problem}; ranges go nowhere"));
        false
    };
    // SAFETY: the user, or the tool that the user has started, asks for this
    // library to be loaded into the process; its initialisers are the tool's.
    let Ok(library) = (unsafe { Library::open(Some(&path), RTLD_LAZY | RTLD_LOCAL) }) else {
        return failed("cannot be loaded");
    };
    type Initialize = unsafe extern "C" fn(extern "C" fn(u32) -> *const c_void) -> c_int;
    // SAFETY: NVTX gives the function of this name this signature.
    let Ok(initialize) = (unsafe { library.get::<Initialize>("InitializeInjectionNvtx2") }) else {
        return failed("is no tool for NVTX: it has no InitializeInjectionNvtx2");
    };
    // SAFETY: `export_table` and what it leads to live as long as the process.
    // The tool writes to the slots before the call returns, while no other
    // thread reads them: they wait for `IS_LISTENING`.
    if unsafe { initialize(export_table) } == 0 {
        return failed("does not want to listen");
    }
    // The slots lead into it.
    std::mem::forget(library);
    true
}

/// A tool's function, if it wants to hear that one.
fn function(place: usize) -> Option<*mut c_void> {
    let function = CORE[place].load(Ordering::Relaxed);
    (!function.is_null()).then_some(function)
}

fn push(name: &CString) -> i32 {
    let Some(function) = function(RANGE_PUSH_A) else { return NO_TRACKING };
    // SAFETY: a tool has put `nvtxRangePushA` into this slot, which has this
    // signature; the text ends with a zero and outlives the call.
    unsafe { transmute::<*mut c_void, unsafe extern "C" fn(*const c_char) -> c_int>(function)(name.as_ptr()) }
}

fn pop() -> i32 {
    let Some(function) = function(RANGE_POP) else { return NO_TRACKING };
    // SAFETY: a tool has put `nvtxRangePop` into this slot, which has this
    // signature.
    unsafe { transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(function)() }
}

fn mark_now(name: &CString) {
    let Some(function) = function(MARK_A) else { return };
    // SAFETY: as `push`, of `nvtxMarkA`.
    unsafe { transmute::<*mut c_void, unsafe extern "C" fn(*const c_char)>(function)(name.as_ptr()) }
}

fn start(name: &CString) -> u64 {
    let Some(function) = function(RANGE_START_A) else { return 0 };
    // SAFETY: as `push`, of `nvtxRangeStartA`, whose result is 64 bits wide.
    unsafe { transmute::<*mut c_void, unsafe extern "C" fn(*const c_char) -> u64>(function)(name.as_ptr()) }
}

fn end(id: u64) {
    let Some(function) = function(RANGE_END) else { return };
    // SAFETY: as `push`, of `nvtxRangeEnd`; the number came from
    // `nvtxRangeStartA`, and ends once, when its owner is dropped.
    unsafe { transmute::<*mut c_void, unsafe extern "C" fn(u64)>(function)(id) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_as_a_tool_expects_them() {
        for (module, expected) in [(1, 16), (2, 9), (3, 15), (4, 7), (5, 16), (6, 7)] {
            let (mut table, mut size) = (std::ptr::null(), 0);
            assert_eq!(function_table(module, &raw mut table, &raw mut size), 1);
            assert_eq!(size, expected);
            // SAFETY: the table is static and has an entry more than its size.
            let entries = unsafe { std::slice::from_raw_parts(table, size as usize + 1) };
            assert!(entries[0].is_none() && entries[size as usize].is_none());
            assert!(entries[1..size as usize].iter().all(Option::is_some));
        }
        assert_eq!(function_table(7, std::ptr::null_mut(), std::ptr::null_mut()), 0);
        assert_eq!(function_table(1, std::ptr::null_mut(), std::ptr::null_mut()), 1);
        assert!(export_table(2).is_null() && !export_table(1).is_null() && !export_table(3).is_null());
    }

    #[test]
    fn names_end_where_they_end() {
        assert_eq!(to_c("a\0b").as_bytes(), b"a b");
    }
}

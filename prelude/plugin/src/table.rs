//! What crosses the border, with C's layout.

use std::ffi::c_void;

/// The version of everything in this file: the other side refuses a table of
/// another one. Its number is the table's first field in every version.
pub const ABI_VERSION: u32 = 3;

/// What the name of the function that a plugin exports begins with; the
/// plugin's name follows. It returns a `*const` [`Table`].
pub const ENTRY: &str = "gpurepl_plugin_";

/// The functions of a plugin.
#[repr(C)]
pub struct Table {
    /// [`ABI_VERSION`] of the plugin.
    pub version: u32,
    /// The functions.
    pub functions: *const Function,
    /// How many there are.
    pub count: usize,
    /// Frees a text that a function has left.
    pub free: unsafe extern "C" fn(RawText),
}

/// A function of a plugin.
#[repr(C)]
pub struct Function {
    /// Its name, UTF-8 without a zero at the end.
    pub name: *const u8,
    /// The name's length in bytes.
    pub name_length: usize,
    /// The function. It does not unwind.
    pub call: unsafe extern "C" fn(*mut RawCall),
}

// SAFETY: both are constants of a plugin, and so is what they point to.
unsafe impl Sync for Table {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Table {
    /// The table of these functions.
    pub const fn new(functions: &'static [Function]) -> Table {
        Table { version: ABI_VERSION, functions: functions.as_ptr(), count: functions.len(), free: free_text }
    }
}

impl Function {
    /// A function with its name.
    pub const fn new(name: &'static str, call: unsafe extern "C" fn(*mut RawCall)) -> Function {
        Function { name: name.as_ptr(), name_length: name.len(), call }
    }
}

/// What a function is called with, and what it has come to.
#[repr(C)]
pub struct RawCall {
    /// The arrays.
    pub arrays: *const RawArray,
    /// How many there are.
    pub array_count: usize,
    /// Whole numbers besides.
    pub numbers: *const i64,
    /// How many there are.
    pub number_count: usize,
    /// Bytes besides, whose meaning is the function's affair.
    pub input: *const u8,
    /// How many there are.
    pub input_length: usize,
    /// Left by the function: 0 success, 1 an error, 2 a panic.
    pub outcome: u32,
    /// Left by the function: bytes that it answers with, or, in UTF-8, what went wrong.
    pub text: RawText,
}

/// An array of the host.
#[repr(C)]
pub struct RawArray {
    /// The lowest element.
    pub data: *mut c_void,
    /// Bytes from there to the end of the highest element.
    pub bytes: usize,
    /// The index of the first element, from the lowest.
    pub first: usize,
    /// The type's place in NumPy's order: bool 0, int8 to int64 1 to 4, uint8
    /// to uint64 5 to 8, float16 9, float32 10, float64 11, complex64 12,
    /// complex128 13.
    pub dtype: u32,
    /// 1 if the function may write it.
    pub writes: u32,
    /// The number of axes.
    pub rank: usize,
    /// Their lengths.
    pub shape: *const usize,
    /// Their steps, in elements.
    pub strides: *const isize,
}

/// A text or other bytes that a plugin owns.
#[repr(C)]
pub struct RawText {
    /// The first one; null for none.
    pub data: *mut u8,
    /// Bytes.
    pub length: usize,
    /// Bytes that were allocated.
    pub capacity: usize,
}

impl RawText {
    /// No text.
    pub const NONE: RawText = RawText { data: std::ptr::null_mut(), length: 0, capacity: 0 };

    pub(crate) fn new(bytes: Vec<u8>) -> RawText {
        let mut text = std::mem::ManuallyDrop::new(bytes);
        RawText { data: text.as_mut_ptr(), length: text.len(), capacity: text.capacity() }
    }
}

unsafe extern "C" fn free_text(text: RawText) {
    if !text.data.is_null() {
        // SAFETY: the caller gives back a text of `RawText::new`, once.
        drop(unsafe { Vec::from_raw_parts(text.data, text.length, text.capacity) });
    }
}

//! A kernel that failed while it ran, on the user's own line.

use std::fmt;

/// What a kernel did wrong on the host device, and where.
///
/// [`Error::kernel_fault`](crate::Error::kernel_fault) returns it. On a GPU
/// such an error ends the use of the device and says neither thread nor line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelFault {
    /// The kernel's name.
    pub kernel: String,
    /// What kind of fault it is.
    pub kind: FaultKind,
    /// What happened, in one line.
    pub message: String,
    /// The block that it happened in.
    pub block: Option<[u32; 3]>,
    /// The thread of the block, if it is known.
    pub thread: Option<[u32; 3]>,
    /// The line of the kernel's source, counted from one, if it is known.
    pub line: Option<usize>,
    /// The name of the text that the line is of.
    pub source_name: String,
    /// The line itself.
    pub source_line: Option<String>,
    /// Whether a second run of the block, in a checked build, found it: the
    /// arrays then held what the first run had left in them.
    pub is_replayed: bool,
    /// What to do about it.
    pub help: String,
}

/// Kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// An access outside of every array, or outside of an array in the kernel.
    OutOfBounds,
    /// An access outside of the block's shared memory.
    SharedMemory,
    /// An access through a null pointer.
    NullPointer,
    /// Memory that two threads use, of which one writes, and neither waits for
    /// the other. Checked builds look for it.
    Race,
    /// An access at an address that is not a multiple of what its type needs.
    /// Checked builds look for it.
    Misaligned,
    /// An integer division that has no result.
    Arithmetic,
    /// A result that is NaN. Kernels with `check_nan` look for it.
    NotANumber,
    /// An assertion that does not hold.
    Assertion,
    /// `__trap()`.
    Trap,
    /// A thread's stack is used up.
    StackOverflow,
    /// Threads that wait for each other for ever.
    Deadlock,
    /// A barrier or a warp function that is used wrongly.
    Synchronization,
    /// More time than kernels may take.
    TimeLimit,
}

impl KernelFault {
    /// A fault of which nothing is known but what it is.
    #[doc(hidden)]
    pub fn new(kernel: &str, kind: FaultKind, message: String, help: String) -> KernelFault {
        KernelFault {
            kernel: kernel.to_owned(),
            kind,
            message,
            block: None,
            thread: None,
            line: None,
            source_name: String::new(),
            source_line: None,
            is_replayed: false,
            help,
        }
    }
}

impl FaultKind {
    /// What to do about it.
    #[doc(hidden)]
    pub fn help(self) -> &'static str {
        match self {
            FaultKind::OutOfBounds => {
                "compare indices with the array's length before they are used: `if (i < n)`"
            }
            FaultKind::SharedMemory => "compare indices with the size of the `__shared__` array",
            FaultKind::NullPointer => "pass an array, and pass arguments in the order of the kernel's own",
            FaultKind::Arithmetic => "a GPU gives some number here; test the divisor before the division",
            FaultKind::NotANumber => {
                "what is it computed from? `0/0`, `inf - inf` and the root of a negative number give NaN"
            }
            FaultKind::Assertion | FaultKind::Trap => "the kernel itself asked to be ended here",
            FaultKind::StackOverflow => "let the recursion end sooner, or move large arrays to an argument",
            FaultKind::Deadlock => {
                "every thread of a block must reach the same barrier: no `__syncthreads()` in an `if`"
            }
            FaultKind::Race => {
                "call `__syncthreads()` between the two, or `__syncwarp()` within a warp; or use an atomic function"
            }
            FaultKind::Misaligned => {
                "a vector such as `float4` is read and written at multiples of its own size from an array's start"
            }
            FaultKind::Synchronization => {
                "a mask names the threads that make the call, the caller among them"
            }
            FaultKind::TimeLimit => {
                "does every loop end? The limit is GPUREPL_KERNEL_TIMEOUT, or set_kernel_timeout()"
            }
        }
    }
}

impl FaultKind {
    /// What a panic of a kernel in Rust is, by its message.
    #[doc(hidden)]
    pub fn of_panic(message: &str) -> FaultKind {
        let is_range = message.contains("range ") && message.contains("slice");
        if message.starts_with("index out of bounds") || is_range {
            FaultKind::OutOfBounds
        } else if message.starts_with("attempt to ") {
            FaultKind::Arithmetic
        } else {
            FaultKind::Assertion
        }
    }

    /// What to do about it in a kernel in Rust.
    #[doc(hidden)]
    pub fn help_in_rust(self) -> &'static str {
        match self {
            FaultKind::OutOfBounds => {
                "compare indices with the slice's length before they are used: `if i < y.len()`, or `y.get(i)`"
            }
            FaultKind::Arithmetic => {
                "test the operands before, or use `checked_div`, `wrapping_add` and the like"
            }
            FaultKind::Deadlock => {
                "every thread of a block must reach the same barrier: no `block::sync()` in an `if`"
            }
            FaultKind::SharedMemory => "compare indices with the size of the `shared!` array",
            FaultKind::Race => {
                "call `block::sync()` between the two, or `warp::sync()` within a warp; or use `atomic::add` and its like"
            }
            other => other.help(),
        }
    }
}

impl fmt::Display for KernelFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kernel, self.message)?;
        let mut place = String::new();
        if let Some(line) = self.line {
            place.push_str(&format!("{} line {line}", self.source_name));
        }
        let separator = |place: &str| if place.is_empty() { "" } else { ", " };
        match (self.thread, self.block) {
            (Some(thread), Some(block)) => {
                place = format!("{place}{}thread {thread:?} of block {block:?}", separator(&place));
            }
            (None, Some(block)) => place = format!("{place}{}block {block:?}", separator(&place)),
            _ => {}
        }
        let number = self.line.map_or(String::new(), |line| line.to_string());
        let margin = " ".repeat(number.len());
        if !place.is_empty() {
            write!(f, "\n{margin}--> {place}")?;
        }
        if let Some(line) = &self.source_line {
            write!(f, "\n{margin} |\n{number} | {line}\n{margin} |")?;
        }
        if self.is_replayed {
            write!(f, "\n{margin} = note: found by running the block again in a checked build")?;
        }
        write!(f, "\n{margin} = help: {}", self.help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_fault_is_shown_on_its_line() {
        let fault = KernelFault {
            kernel: "scale".to_owned(),
            kind: FaultKind::OutOfBounds,
            message: "write of 4 bytes out of bounds, 0 bytes after the end of an array of 4000 bytes"
                .to_owned(),
            block: Some([7, 0, 0]),
            thread: Some([104, 0, 0]),
            line: Some(3),
            source_name: "kernel.cu".to_owned(),
            source_line: Some("  a[i] *= by;".to_owned()),
            is_replayed: true,
            help: "compare".to_owned(),
        };
        expect![[r#"
            scale: write of 4 bytes out of bounds, 0 bytes after the end of an array of 4000 bytes
             --> kernel.cu line 3, thread [104, 0, 0] of block [7, 0, 0]
              |
            3 |   a[i] *= by;
              |
              = note: found by running the block again in a checked build
              = help: compare"#]]
        .assert_eq(&fault.to_string());
    }
}

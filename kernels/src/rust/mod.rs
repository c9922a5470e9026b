//! Kernels that are written in Rust: the crate that is compiled for a device,
//! and what is made of the compiler's PTX.
//!
//! A crate consists of a *library*, which is the same for all kernels
//! (`library/`, a half for each device), the user's items, in a file of their own so that their lines
//! stay what they are, and an *entry*, which takes the arguments of a launch and calls
//! the user's function. For GPUs the library is a crate of its own, which is compiled once
//! ([`gpu_library`]): to check its types again for each kernel took longer than the kernel.

mod core_library;
mod gpu_entry;
mod host_entry;
mod joined;
mod names;
mod poll;
pub mod printed;
mod ptx;
mod scan;
mod strides;
/// What kernels take arrays of several axes as.
#[path = "library/views.rs"]
pub mod views;

use std::fmt::Write as _;

pub use core_library::{CORE_FILES, CoreError, patched};
pub use joined::joined;
pub use names::{function_in_crate, path_in_crate};
pub use poll::{POLLED, polled};
pub use ptx::{Finished, finish, maths_source};
pub use scan::SCAN_TILE;

/// The file that holds the user's items.
pub const ITEMS_FILE: &str = "kernel.rs";

/// The name of the entry in the compiled code.
pub const ENTRY_NAME: &str = "gpurepl_kernel_0";

/// Elements that a block of an elementwise kernel takes on the host.
pub const HOST_TILE: usize = 4096;

/// Threads of a block of a reduction on a GPU.
pub const REDUCE_BLOCK: usize = 256;

/// A parameter of a kernel, by the types' names within the crate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RustParameter {
    /// A value: its type, and its size and alignment in bytes where they are known.
    Value(String, usize, usize),
    /// `&[T]`: the elements' type, size and alignment.
    Slice(String, usize, usize),
    /// `&mut [T]`
    SliceMut(String, usize, usize),
    /// `&[AtomicU32]`: elements that change while they are shared.
    Atomics(String, usize, usize),
    /// `View<T, N>`: the elements' type, size and alignment, and the number of axes.
    View(String, usize, usize, usize),
    /// `ViewMut<T, N>`
    ViewMut(String, usize, usize, usize),
}

impl RustParameter {
    /// The type of the value or of the elements, its size and its alignment.
    pub fn type_and_layout(&self) -> (&str, usize, usize) {
        match self {
            RustParameter::Value(of, size, alignment)
            | RustParameter::Slice(of, size, alignment)
            | RustParameter::Atomics(of, size, alignment)
            | RustParameter::View(of, size, alignment, _)
            | RustParameter::ViewMut(of, size, alignment, _)
            | RustParameter::SliceMut(of, size, alignment) => (of, *size, *alignment),
        }
    }
}

/// What an entry does with its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Calls the user's kernel in each thread.
    Kernel,
    /// Writes what a function makes of the elements of some slices at each place of the
    /// last parameter; values, which come first, are captured by it. Whether
    /// the function wants the index first.
    Map(bool),
    /// Writes for each block of the grid what a function makes of its share of the slice, which
    /// comes before the last parameter, and of the value before that, which changes nothing.
    Reduce,
    /// Writes for each block what a function makes of its share of a slice, in order. The last
    /// parameters are the slice and the results.
    Fold,
    /// Writes at each place what a function makes of the elements up to it. The last parameters are the slice,
    /// what the blocks before each one come to, and the results.
    Scan,
}

/// A kernel of the user's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RustKernel<'a> {
    /// How messages call it.
    pub name: &'a str,
    /// The user's items.
    pub items: &'a str,
    /// The function: a path, with its generic arguments, or a closure.
    pub function: &'a str,
    /// What it takes.
    pub parameters: &'a [RustParameter],
    /// How it is called.
    pub form: Form,
}

/// What a crate is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RustTarget {
    /// The CPU.
    Host,
    /// An NVIDIA GPU.
    Gpu,
}

/// What accesses of checked builds call: a crate of its own, beside that of the kernel.
pub const INSTRUMENTED: &str = include_str!("library/instrumented.rs");

const SHARED: &str = concat!(include_str!("library/shared.rs"), "\n", include_str!("library/numbers.rs"));
const ATOMIC: &str = include_str!("library/atomic.rs");
const VIEWS: &str = include_str!("library/views.rs");
const HOST_HALF: &str = include_str!("library/host.rs");
const HOST_MACROS: &str = include_str!("library/macros_host.rs");
const GPU_HALF: &str = include_str!("library/gpu.rs");
const GPU_MACROS: &str = include_str!("library/macros_gpu.rs");
const GPU_OWN: &str = include_str!("library/own_gpu.rs");

/// The name of the library's crate for GPUs.
pub const GPU_LIBRARY: &str = "gpurepl_library";

/// Lints are about code in files.
const HEAD: &str = "#![no_std]\n#![allow(warnings, internal_features)]\n#![feature(core_intrinsics, \
                    link_llvm_intrinsics, asm_experimental_arch, abi_ptx, f16, const_eval_select)]\nextern crate core as std;\n";

/// What the library is on either device.
fn library(text: &mut String, half: &str) {
    let _ = write!(
        text,
        "pub mod half {{\n{half}\n}}\n{SHARED}\npub mod atomic {{\n{ATOMIC}\n}}\nmod views {{\n{VIEWS}\n}}\n"
    );
}

/// The library for GPUs: the root of the crate [`GPU_LIBRARY`].
pub fn gpu_library() -> String {
    let mut text = String::from(HEAD);
    library(&mut text, GPU_HALF);
    text
}

/// What an index that is out of bounds says, on the host.
#[cold]
#[track_caller]
fn out_of_bounds(index: usize, length: usize) -> ! {
    panic!("index out of bounds: the len is {length} but the index is {index}")
}

impl RustKernel<'_> {
    /// Whether its threads meet: a text that names what they meet by.
    pub fn meets(&self) -> bool {
        const MEETING: [&str; 7] =
            ["block::sync", "block::count", "block::all", "block::any", "warp::", "useblock", "usewarp"];
        // `use gpurepl_prelude::block as b;`, `use gpurepl_prelude::{block as b};`
        const RENAMED: [&str; 4] = ["blockas", "warpas", "::block::", "::warp::"];
        self.form == Form::Kernel && (self.writes_any(&RENAMED) || self.writes_any(&MEETING))
    }

    /// Whether the items contain one of these texts, which have no blanks.
    fn writes_any(&self, parts: &[&str]) -> bool {
        let text: String = self.items.chars().filter(|c| !c.is_whitespace()).collect();
        parts.iter().any(|part| text.contains(part))
    }

    /// Whether blocks that lie beside each other are run as one loop over their threads. Where a thread is in its own
    /// block costs a division then, what blocks print would come in another order, and their threads would find what
    /// those of others have left in shared memory. A text that hides one of these, as by `use .. as`, runs right as well.
    fn runs_in_rows(&self) -> bool {
        const OF_BLOCKS: [&str; 8] = [
            "thread::x",
            "thread::number",
            "thread::lane",
            "block::x",
            "usethread",
            "useblock",
            "print",
            "shared!",
        ];
        self.form == Form::Kernel && !self.meets() && !self.writes_any(&OF_BLOCKS)
    }

    /// The crate's root, which includes [`ITEMS_FILE`].
    pub fn root(&self, target: RustTarget) -> String {
        let mut text = format!("{HEAD}extern crate self as gpurepl_prelude;\n");
        match target {
            RustTarget::Host => {
                let (by_turns, rows) = (self.is_loop_by_strides(), self.runs_in_rows());
                let _ = writeln!(
                    text,
                    "{HOST_MACROS}\npub const BY_TURNS: bool = {by_turns} && !cfg!(gpurepl_checked);\n\
                     pub const ROWS: bool = {rows} && !cfg!(gpurepl_checked);\nmod gpu {{"
                );
                library(&mut text, HOST_HALF);
                text.push('}');
            }
            RustTarget::Gpu => {
                let _ = write!(text, "{GPU_MACROS}\nextern crate {GPU_LIBRARY} as gpu;\n{GPU_OWN}");
            }
        }
        let _ = write!(text, "\nuse gpu::names::*;\ninclude!(\"{ITEMS_FILE}\");\n");
        for parameter in self.parameters {
            let (of, size, alignment) = parameter.type_and_layout();
            if alignment > 0 {
                let _ = writeln!(
                    text,
                    "const _: () = assert!(size_of::<{of}>() == {size} && align_of::<{of}>() == {alignment});"
                );
            }
        }
        match target {
            RustTarget::Host => self.host_entry(&mut text),
            RustTarget::Gpu => self.gpu_entry(&mut text),
        }
        text
    }

    /// The arguments of a call, from what an entry has bound.
    fn arguments(&self) -> String {
        let one = |(k, parameter): (usize, &RustParameter)| match parameter {
            // Each thread has its own: a structure need not be `Copy`.
            RustParameter::Value(..) => format!("::core::ptr::read(&raw const p{k})"),
            RustParameter::Slice(..) | RustParameter::Atomics(..) => {
                format!("::core::slice::from_raw_parts(p{k}, n{k})")
            }
            RustParameter::SliceMut(..) => format!("::core::slice::from_raw_parts_mut(p{k}, n{k})"),
            RustParameter::View(..) => format!("gpu::View::from_raw_parts(p{k}, n{k}, s{k})"),
            RustParameter::ViewMut(..) => format!("gpu::ViewMut::from_raw_parts(p{k}, n{k}, s{k})"),
        };
        self.parameters.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
    }

    /// What an elementwise kernel does at `i`.
    fn element(&self, with_index: bool) -> String {
        let mut given: Vec<String> = if with_index { vec!["i".to_owned()] } else { Vec::new() };
        let last = self.parameters.len() - 1;
        for (k, parameter) in self.parameters[..last].iter().enumerate() {
            if matches!(parameter, RustParameter::Slice(..)) {
                given.push(format!("*p{k}.add(i)"));
            }
        }
        format!("p{last}.add(i).write(f({}));", given.join(", "))
    }
}

/// The lengths and the strides of a view as arrays.
fn views_of(k: usize, axes: usize) -> String {
    let all = |name: char| (0..axes).map(|axis| format!("{name}{axis}_{k}")).collect::<Vec<_>>().join(", ");
    format!("let (n{k}, s{k}) = ([{}], [{}]);\n", all('n'), all('s'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_meet_where_the_text_says_so() {
        let meets = |items: &str| {
            RustKernel { name: "k", items, function: "k", parameters: &[], form: Form::Kernel }.meets()
        };
        assert!(meets("fn k() { block :: sync() }") && meets("fn k() { warp::reduce(1, f); }"));
        assert!(meets("use gpurepl_prelude::block as b; fn k() { b::sync() }"));
        assert!(meets("fn k() { use gpurepl_prelude::{block as b, thread}; b::sync() }"));
        assert!(!meets("fn k(x: &[f32]) { let n = x.iter().count(); block::x(); }"));
    }

    #[test]
    fn names_are_those_of_the_crate() {
        assert_eq!(path_in_crate("f32").as_deref(), Some("f32"));
        assert_eq!(path_in_crate("ctx::Body").as_deref(), Some("crate::Body"));
        assert_eq!(path_in_crate("[ctx::Body; 4]").as_deref(), Some("[crate::Body; 4]"));
        assert_eq!(
            path_in_crate("ctx::fill<f32, ctx::m::Body>").as_deref(),
            Some("crate::fill<f32, crate::m::Body>")
        );
        assert_eq!(path_in_crate("ctx::__gr_cell_4::{{closure}}"), None);
        assert_eq!(function_in_crate("ctx::fill<f32>").as_deref(), Some("crate::fill::<f32>"));
        assert_eq!(function_in_crate("[u8; 2]"), None);
    }
}

//! Kernels that are written in Rust: the crate that is compiled for a device,
//! and what is made of the compiler's PTX.
//!
//! A crate consists of a *library*, which is the same for all kernels
//! (`library/`, a half for each device), the user's items, in a file of their own so that their lines
//! stay what they are, and an *entry*, which takes the arguments of a launch and calls
//! the user's function.

mod core_library;
mod ptx;

use std::fmt::Write as _;

pub use core_library::{CoreError, PANICKING, patched};
pub use ptx::{Finished, finish, maths_source};

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
}

impl RustParameter {
    fn type_and_layout(&self) -> (&str, usize, usize) {
        match self {
            RustParameter::Value(of, size, alignment)
            | RustParameter::Slice(of, size, alignment)
            | RustParameter::Atomics(of, size, alignment)
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

const SHARED: &str = include_str!("library/shared.rs");
const HALVES: [(&str, &str); 2] = [
    (include_str!("library/host.rs"), include_str!("library/macros_host.rs")),
    (include_str!("library/gpu.rs"), include_str!("library/macros_gpu.rs")),
];

/// Lints are about code in files.
const HEAD: &str = "#![no_std]\n#![allow(warnings, internal_features)]\n#![feature(core_intrinsics, \
                    link_llvm_intrinsics, asm_experimental_arch, abi_ptx)]\nextern crate core as std;\nextern crate self as gpurepl_prelude;\n";

impl RustKernel<'_> {
    /// Whether its threads meet: a text that names what they meet by.
    pub fn meets(&self) -> bool {
        const MEETING: [&str; 7] =
            ["block::sync", "block::count", "block::all", "block::any", "warp::", "useblock", "usewarp"];
        let text: String = self.items.chars().filter(|c| !c.is_whitespace()).collect();
        // `use gpurepl_prelude::block as b;`
        let is_renamed =
            ["::blockas", "::warpas", "::block::", "::warp::"].iter().any(|part| text.contains(part));
        self.form == Form::Kernel && (is_renamed || MEETING.iter().any(|part| text.contains(part)))
    }

    /// The crate's root, which includes [`ITEMS_FILE`].
    pub fn root(&self, target: RustTarget) -> String {
        let (half, macros) = HALVES[usize::from(target == RustTarget::Gpu)];
        let mut text = String::from(HEAD);
        let _ = write!(
            text,
            "{macros}\nmod gpu {{\npub mod half {{\n{half}\n}}\n{SHARED}\n}}\n\
             use gpu::{{atomic, block, grid, thread, warp, Float as _}};\n\
             include!(\"{ITEMS_FILE}\");\n"
        );
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
            RustParameter::Value(..) => format!("p{k}"),
            RustParameter::Slice(..) | RustParameter::Atomics(..) => {
                format!("::core::slice::from_raw_parts(p{k}, n{k})")
            }
            RustParameter::SliceMut(..) => format!("::core::slice::from_raw_parts_mut(p{k}, n{k})"),
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

    fn host_entry(&self, text: &mut String) {
        let _ = writeln!(
            text,
            "#[unsafe(no_mangle)] pub unsafe extern \"C\" fn {ENTRY_NAME}(arguments: *mut *mut ::core::ffi::c_void, \
             here: *mut gpu::half::Context, begin: usize, end: usize) {{ unsafe {{"
        );
        let mut number = 0;
        for (k, parameter) in self.parameters.iter().enumerate() {
            let mut take = |name: &str, of: &str| {
                let _ = writeln!(text, "let {name}{k} = (*arguments.add({number})).cast::<{of}>().read();");
                number += 1;
            };
            match parameter {
                RustParameter::Value(of, ..) => take("p", of),
                RustParameter::Slice(of, ..) => {
                    take("p", &format!("*const {of}"));
                    take("n", "usize");
                }
                RustParameter::SliceMut(of, ..) | RustParameter::Atomics(of, ..) => {
                    take("p", &format!("*mut {of}"));
                    take("n", "usize");
                }
            }
        }
        let function = self.function;
        match self.form {
            Form::Kernel => {
                let _ = writeln!(
                    text,
                    "gpu::half::run::<{}>(here, begin, end, || {{ {function}({}); }})",
                    self.meets(),
                    self.arguments()
                );
            }
            Form::Map(with_index) => {
                let last = self.parameters.len() - 1;
                let _ = writeln!(
                    text,
                    "let f = {function};\nlet (first, last) = (begin * {HOST_TILE}, ::core::cmp::min(end * {HOST_TILE}, n{last}));\n\
                     for i in first..last {{ {} }}",
                    self.element(with_index)
                );
            }
            Form::Reduce => {
                let last = self.parameters.len() - 1;
                let (x, neutral) = (last - 1, last - 2);
                let _ = writeln!(
                    text,
                    "let f = {};\nlet per = n{x}.div_ceil((*here).grid_size[0] as usize);\n\
                     for block in begin..end {{ let mut v = p{neutral}; \
                     for i in block * per..::core::cmp::min((block + 1) * per, n{x}) {{ v = f(v, *p{x}.add(i)); }} \
                     p{last}.add(block).write(v); }}",
                    self.function
                );
            }
        }
        text.push_str("} }\n");
    }

    fn gpu_entry(&self, text: &mut String) {
        let mut declared = Vec::new();
        for (k, parameter) in self.parameters.iter().enumerate() {
            match parameter {
                RustParameter::Value(of, ..) => declared.push(format!("p{k}: {of}")),
                // A reference to nothing: what it points at is only read, which lets the GPU
                // read it through another cache.
                RustParameter::Slice(of, ..) => declared.push(format!("p{k}: &[{of}; 0], n{k}: usize")),
                RustParameter::SliceMut(of, ..) | RustParameter::Atomics(of, ..) => {
                    declared.push(format!("p{k}: *mut {of}, n{k}: usize"))
                }
            }
        }
        let _ = writeln!(
            text,
            "#[unsafe(no_mangle)] pub unsafe extern \"ptx-kernel\" fn {ENTRY_NAME}({}) {{ unsafe {{",
            declared.join(", ")
        );
        for (k, parameter) in self.parameters.iter().enumerate() {
            if let RustParameter::Slice(of, ..) = parameter {
                let _ = writeln!(text, "let p{k}: *const {of} = p{k}.as_ptr();");
            }
        }
        let function = self.function;
        match self.form {
            Form::Kernel => {
                let _ = writeln!(text, "{function}({});", self.arguments());
            }
            Form::Map(with_index) => self.gpu_map(text, with_index),
            Form::Reduce => self.gpu_reduce(text),
        }
        text.push_str("} }\n");
    }

    /// A reduction for a GPU, whose blocks have [`REDUCE_BLOCK`] threads.
    fn gpu_reduce(&self, text: &mut String) {
        let last = self.parameters.len() - 1;
        let (x, neutral) = (last - 1, last - 2);
        let of = self.parameters[x].type_and_layout().0;
        let _ = writeln!(
            text,
            "let f = {};\nlet part = shared!([{of}; {REDUCE_BLOCK}]);\n\
             let (t, per) = (thread::x(), n{x}.div_ceil(grid::width()));\n\
             let (mut i, end) = (block::x() * per + t, ::core::cmp::min((block::x() + 1) * per, n{x}));\n\
             let mut v = p{neutral};\nwhile i < end {{ v = f(v, *p{x}.add(i)); i += {REDUCE_BLOCK}; }}\n\
             part[t] = v;\nblock::sync();\nlet mut half = {REDUCE_BLOCK} / 2;\n\
             while half > 0 {{ if t < half {{ part[t] = f(part[t], part[t + half]); }} block::sync(); half /= 2; }}\n\
             if t == 0 {{ p{last}.add(block::x()).write(part[0]); }}",
            self.function
        );
    }

    /// An elementwise kernel for a GPU: each thread takes four neighbours at once, by one
    /// access of each array where they lie at a multiple of their size.
    fn gpu_map(&self, text: &mut String, with_index: bool) {
        let (function, last) = (self.function, self.parameters.len() - 1);
        let arrays: Vec<usize> =
            (0..=last).filter(|k| !matches!(self.parameters[*k], RustParameter::Value(..))).collect();
        // Four elements have no padding behind them.
        let four = |k: usize| {
            let (of, size, _) = self.parameters[k].type_and_layout();
            format!("gpu::half::Four{}<{of}>", size.clamp(1, 4))
        };
        let aligned: Vec<String> = arrays
            .iter()
            .map(|k| format!("(p{k} as usize) % ::core::mem::align_of::<{}>() == 0", four(*k)))
            .collect();
        let mut read = String::new();
        for k in &arrays[..arrays.len() - 1] {
            let _ = write!(read, "let v{k} = p{k}.cast::<{}>().add(i).read(); ", four(*k));
        }
        let call = |element: usize| {
            let mut given: Vec<String> =
                if with_index { vec![format!("4 * i + {element}")] } else { Vec::new() };
            given.extend(arrays[..arrays.len() - 1].iter().map(|k| format!("v{k}.0[{element}]")));
            format!("f({})", given.join(", "))
        };
        let calls: Vec<String> = (0..4).map(call).collect();
        let _ = writeln!(
            text,
            "let f = {function};\nlet (mut i, step) = (thread::index(), grid::threads());\n\
             if {} {{\nwhile i < n{last} / 4 {{ {read}\
             p{last}.cast::<{}>().add(i).write({}([{}])); i += step; }}\n\
             i = n{last} / 4 * 4 + thread::index();\n}}\nwhile i < n{last} {{ {} i += step; }}",
            aligned.join(" && "),
            four(last),
            four(last).replacen('<', "::<", 1),
            calls.join(", "),
            self.element(with_index)
        );
    }
}

/// Crates whose types are not the user's.
const LIBRARIES: [&str; 7] = ["", "core", "std", "alloc", "half", "num_complex", "crate"];

/// A type's name, as `type_name` has it, as it is written within the crate:
/// `ctx::Body` is an item there, `ctx::fill<f32>` an instance.
///
/// None for what has no name, such as a closure.
pub fn path_in_crate(type_name: &str) -> Option<String> {
    if type_name.contains('{') || type_name.contains("dyn ") {
        return None;
    }
    let mut text = String::new();
    let mut rest = type_name;
    while let Some(at) = rest.find(|c: char| c.is_alphanumeric() || c == '_') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
        let (path, after) = rest.split_at(end);
        match path.split_once("::") {
            // A cell's crate is `ctx`, a saved program's has the program's name.
            Some((first, inner)) if !LIBRARIES.contains(&first) && !inner.is_empty() => {
                text.push_str("crate::");
                text.push_str(inner);
            }
            _ => text.push_str(path),
        }
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

/// The same for a function's name, as an expression: `crate::fill::<f32>`.
pub fn function_in_crate(type_name: &str) -> Option<String> {
    let path = path_in_crate(type_name)?;
    let is_path = path.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    is_path.then(|| path.replacen('<', "::<", 1))
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

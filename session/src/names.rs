//! What completion knows of the prelude before anything has been analysed.
//!
//! The lists are checked against the prelude both ways: a test compiles each
//! name in a cell, and another one finds each name of the prelude's text here.

/// Functions, types and modules of the prelude.
pub const PRELUDE: &[&str] = &[
    "AddressMode",
    "Advice",
    "AlignedArray",
    "ArrayDescriptor",
    "ArrayFlags",
    "ArrayFormat",
    "AttachFlags",
    "CacheConfig",
    "CompileError",
    "Complex",
    "Complex32",
    "Complex64",
    "Context",
    "ContextFlags",
    "CudaArray",
    "CudaError",
    "DType",
    "Device",
    "DeviceAllocation",
    "DeviceAttribute",
    "DeviceKind",
    "DisplayHandle",
    "DynamicModule",
    "DynamicSourceModule",
    "Elem",
    "ElementwiseKernel",
    "Error",
    "ErrorKind",
    "Event",
    "EventFlags",
    "FaultKind",
    "Figure",
    "FilterMode",
    "Function",
    "GpuArray",
    "Graph",
    "In",
    "InOut",
    "IntoSeries",
    "KernelData",
    "KernelFault",
    "Limit",
    "LoadedModule",
    "Managed",
    "MappedPointer",
    "Memcpy2D",
    "Memcpy3D",
    "MemoryLocation",
    "MemoryPool",
    "MimeBundle",
    "Order",
    "Out",
    "PageLocked",
    "PageLockedFlags",
    "PlotData",
    "PointerHolder",
    "PreparedFunction",
    "Progress",
    "ProgressIter",
    "ReadMode",
    "ReductionKernel",
    "Render",
    "Result",
    "Scheduling",
    "SourceModule",
    "SourceModuleBuilder",
    "Stream",
    "StreamFlags",
    "Struct",
    "SurfaceObject",
    "SurfaceReference",
    "TextureDescriptor",
    "TextureObject",
    "TextureReference",
    "Theme",
    "TypedKernel",
    "aligned_empty",
    "allclose",
    "arange",
    "array_equal",
    "bar",
    "bind_array_to_texref",
    "check_interrupt",
    "clear_output",
    "clip",
    "compile",
    "contour",
    "cumath",
    "device",
    "display",
    "display_handle",
    "empty",
    "empty_like",
    "f16",
    "from_device",
    "from_device_like",
    "full",
    "full_like",
    "gpuarray_to_array",
    "hist",
    "imshow",
    "input",
    "input_password",
    "is_rich",
    "linspace",
    "make_multichannel_2d_array",
    "managed_empty",
    "managed_from",
    "managed_zeros",
    "matrix_to_array",
    "matrix_to_texref",
    "maximum",
    "mem_alloc",
    "mem_alloc_like",
    "mem_alloc_pitch",
    "mem_get_info",
    "memcpy_dtod",
    "memcpy_dtod_async",
    "memcpy_dtoh",
    "memcpy_dtoh_async",
    "memcpy_htod",
    "memcpy_htod_async",
    "memcpy_peer",
    "memcpy_peer_async",
    "memory_pool",
    "memset_d16",
    "memset_d16_async",
    "memset_d2d16",
    "memset_d2d16_async",
    "memset_d2d32",
    "memset_d2d32_async",
    "memset_d2d8",
    "memset_d2d8_async",
    "memset_d32",
    "memset_d32_async",
    "memset_d8",
    "memset_d8_async",
    "minimum",
    "module_from_buffer",
    "module_from_file",
    "ndarray",
    "np_to_array",
    "nvtx",
    "ones",
    "ones_like",
    "pagelocked_empty",
    "pagelocked_from",
    "pagelocked_pool",
    "pagelocked_zeros",
    "plot",
    "power",
    "progress",
    "rand",
    "randn",
    "register_host_memory",
    "scatter",
    "seed",
    "surface",
    "synchronize",
    "timed",
    "to_device",
    "to_gpu",
    "try_input",
    "try_to_gpu",
    "where_",
    "zeros",
    "zeros_like",
];

/// Macros of the prelude.
pub const MACROS: &[&str] =
    &["dbg!", "elementwise!", "gpu!", "kernel_struct!", "launch!", "reduction!", "s!", "set!"];

/// Methods of arrays.
pub const ARRAY_METHODS: &[&str] = &[
    "abs",
    "acos",
    "all",
    "any",
    "asin",
    "astype",
    "atan",
    "bind_to_texref_ext",
    "ceil",
    "copy",
    "cos",
    "cosh",
    "dot",
    "dtype",
    "eq",
    "exp",
    "fill",
    "floor",
    "floor_div",
    "ge",
    "get",
    "gpudata",
    "gt",
    "imag",
    "is_empty",
    "item",
    "itemsize",
    "le",
    "len",
    "log",
    "log10",
    "lt",
    "max",
    "mean",
    "min",
    "nbytes",
    "ndim",
    "ne",
    "norm",
    "pow",
    "prod",
    "ptr",
    "ravel",
    "real",
    "reshape",
    "set",
    "shape",
    "sin",
    "sinh",
    "size",
    "slice",
    "sqrt",
    "squeeze",
    "strides",
    "sum",
    "t",
    "tan",
    "tanh",
    "to_vec",
];

/// Words of Rust that are worth completing.
pub const KEYWORDS: &[&str] = &[
    "const",
    "continue",
    "else",
    "enum",
    "false",
    "impl",
    "match",
    "return",
    "static",
    "struct",
    "trait",
    "true",
    "unsafe",
    "where",
    "while",
    "println!",
    "vec!",
    "format!",
    "assert!",
    "assert_eq!",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use syn::{Attribute, Item, UseTree, Visibility};

    use super::*;

    /// What nobody types: what indices, ranges and displays are made of.
    const LEFT_OUT: &[&str] =
        &["By", "HostDot", "ShowDebug", "ShowKept", "ShowName", "ShowRender", "Shown", "SliceItem", "Slices"];

    /// The element types as values, which are words that people know.
    const GLOBS: &[&str] = &["types"];

    fn prelude(file: &str) -> syn::File {
        let path = format!("{}/../prelude/src/{file}", env!("CARGO_MANIFEST_DIR"));
        syn::parse_file(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    /// Adds the names that a `use` brings; of a glob, the module's with a star.
    fn add(tree: &UseTree, module: &str, names: &mut BTreeSet<String>) {
        match tree {
            UseTree::Path(path) => add(&path.tree, &path.ident.to_string(), names),
            UseTree::Name(name) => drop(names.insert(name.ident.to_string())),
            UseTree::Rename(rename) => drop(names.insert(rename.rename.to_string())),
            UseTree::Group(group) => group.items.iter().for_each(|tree| add(tree, module, names)),
            UseTree::Glob(_) => drop(names.insert(format!("{module}*"))),
        }
    }

    fn is_hidden(attributes: &[Attribute]) -> bool {
        attributes.iter().any(|attribute| {
            attribute.path().is_ident("doc")
                && attribute.parse_args::<syn::Ident>().is_ok_and(|word| word == "hidden")
        })
    }

    #[test]
    fn every_name_of_the_prelude_is_listed() {
        let mut names = BTreeSet::new();
        for item in prelude("lib.rs").items {
            if let Item::Use(item) = item
                && matches!(item.vis, Visibility::Public(_))
                && !is_hidden(&item.attrs)
            {
                add(&item.tree, "", &mut names);
            }
        }
        let listed = |list: &[&str], sign: &str| list.iter().map(|name| format!("{name}{sign}")).collect();
        let known: BTreeSet<String> = listed(PRELUDE, "");
        let left_out: BTreeSet<String> = &listed(LEFT_OUT, "") | &listed(GLOBS, "*");
        assert_eq!(known, &names - &left_out);
        // What is left out is there, and is not listed after all.
        assert!(left_out.is_subset(&names) && left_out.is_disjoint(&known));
    }

    #[test]
    fn every_macro_of_the_prelude_is_listed() {
        let files = ["macros.rs", "cell/printing.rs"].map(prelude);
        let macros = files.into_iter().flat_map(|file| file.items).filter_map(|item| match item {
            Item::Macro(item) if !is_hidden(&item.attrs) => Some(format!("{}!", item.ident?)),
            _ => None,
        });
        assert_eq!(macros.collect::<BTreeSet<_>>(), MACROS.iter().map(|&name| name.to_owned()).collect());
    }
}

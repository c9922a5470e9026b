//! What completion knows of the prelude before anything has been analysed.
//!
//! The lists are checked against the prelude by a test that compiles each
//! name in a cell.

/// Functions, types and modules of the prelude.
pub const PRELUDE: &[&str] = &[
    "Complex32",
    "Complex64",
    "DType",
    "DeviceAllocation",
    "Elem",
    "ElementwiseKernel",
    "Error",
    "ErrorKind",
    "Function",
    "GpuArray",
    "In",
    "InOut",
    "MimeBundle",
    "Out",
    "ReductionKernel",
    "Render",
    "SourceModule",
    "allclose",
    "arange",
    "array_equal",
    "check_interrupt",
    "clip",
    "cumath",
    "device",
    "display",
    "empty",
    "empty_like",
    "f16",
    "full",
    "full_like",
    "linspace",
    "maximum",
    "mem_alloc",
    "mem_get_info",
    "memcpy_dtod",
    "memcpy_dtoh",
    "memcpy_htod",
    "minimum",
    "ndarray",
    "ones",
    "ones_like",
    "power",
    "rand",
    "randn",
    "seed",
    "to_device",
    "to_gpu",
    "where_",
    "zeros",
    "zeros_like",
];

/// Macros of the prelude.
pub const MACROS: &[&str] = &["elementwise!", "gpu!", "launch!", "reduction!", "s!", "set!"];

/// Methods of arrays.
pub const ARRAY_METHODS: &[&str] = &[
    "abs", "acos", "all", "any", "asin", "astype", "atan", "ceil", "copy", "cos", "cosh", "dot", "dtype", "eq", "exp",
    "fill", "floor", "floor_div", "ge", "get", "gpudata", "gt", "imag", "is_empty", "item", "itemsize", "le", "len",
    "log", "log10", "lt", "max", "mean", "min", "nbytes", "ndim", "ne", "norm", "pow", "prod", "ravel", "real",
    "reshape", "set", "shape", "sin", "sinh", "size", "slice", "sqrt", "squeeze", "strides", "sum", "t", "tan",
    "tanh", "to_vec",
];

/// Words of Rust that are worth completing.
pub const KEYWORDS: &[&str] = &[
    "const", "continue", "else", "enum", "false", "impl", "match", "return", "static", "struct", "trait", "true",
    "unsafe", "where", "while", "println!", "vec!", "format!", "assert!", "assert_eq!",
];

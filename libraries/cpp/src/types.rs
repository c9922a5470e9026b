//! Types of C++ as trampolines write them, and what users call them.

use gpurepl_extend::DType;

/// How C++ spells the type of an element.
pub(crate) const fn of_dtype(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::Int8 => "std::int8_t",
        DType::Int16 => "std::int16_t",
        DType::Int32 => "std::int32_t",
        DType::Int64 => "std::int64_t",
        DType::UInt8 => "std::uint8_t",
        DType::UInt16 => "std::uint16_t",
        DType::UInt32 => "std::uint32_t",
        DType::UInt64 => "std::uint64_t",
        DType::Float16 => HALF,
        DType::Float32 => "float",
        DType::Float64 => "double",
        DType::Complex64 => "std::complex<float>",
        DType::Complex128 => "std::complex<double>",
    }
}

/// What a trampoline calls a number of half precision: C++17 has no name for it that all compilers know.
pub(crate) const HALF: &str = "gpurepl_half";

/// The type of an argument: in C++, and as messages name it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ArgumentType {
    pub(crate) cpp: String,
    pub(crate) rust: String,
    /// The size in bytes, where a trampoline has to check it.
    pub(crate) bytes: Option<usize>,
    /// Whether it is a whole number that is passed by value.
    pub(crate) is_integer: bool,
    /// Whether it is a float that is passed by value.
    pub(crate) is_float: bool,
}

impl ArgumentType {
    /// A number by value; `rust` is `usize` for one.
    pub(crate) fn number(dtype: DType, rust: &str) -> ArgumentType {
        let cpp = match rust {
            "usize" => "std::size_t",
            "isize" => "std::ptrdiff_t",
            _ => of_dtype(dtype),
        };
        ArgumentType {
            cpp: cpp.to_owned(),
            rust: rust.to_owned(),
            bytes: None,
            is_integer: dtype.is_integer(),
            is_float: dtype.is_float(),
        }
    }

    /// A pointer to elements.
    pub(crate) fn pointer(dtype: DType, is_mutable: bool) -> ArgumentType {
        let constant = if is_mutable { "" } else { "const " };
        ArgumentType::other(
            format!("{constant}{} *", of_dtype(dtype)),
            format!("{constant}{}*", dtype.rust()),
        )
    }

    /// Any other type.
    pub(crate) fn other(cpp: String, rust: String) -> ArgumentType {
        ArgumentType { cpp, rust, bytes: None, is_integer: false, is_float: false }
    }
}

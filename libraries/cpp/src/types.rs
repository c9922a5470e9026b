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
    pub(crate) kind: Kind,
}

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Number(DType),
    /// A pointer to elements, those of an array perhaps.
    Pointer {
        to: DType,
        is_mutable: bool,
        is_array: bool,
    },
    Text,
    /// A pointer to what a library knows.
    Opaque {
        is_mutable: bool,
    },
    /// A structure by value, of so many bytes.
    Structure {
        bytes: usize,
    },
}

impl ArgumentType {
    /// A number by value; `rust` is `usize` for one.
    pub(crate) fn number(dtype: DType, rust: &str) -> ArgumentType {
        let cpp = match rust {
            "usize" => "std::size_t",
            "isize" => "std::ptrdiff_t",
            _ => of_dtype(dtype),
        };
        ArgumentType { cpp: cpp.to_owned(), rust: rust.to_owned(), kind: Kind::Number(dtype) }
    }

    /// A pointer to elements.
    pub(crate) fn pointer(to: DType, is_mutable: bool, is_array: bool) -> ArgumentType {
        let constant = if is_mutable { "" } else { "const " };
        ArgumentType {
            cpp: format!("{constant}{} *", of_dtype(to)),
            rust: format!("{constant}{}*", to.rust()),
            kind: Kind::Pointer { to, is_mutable, is_array },
        }
    }

    /// Whether it is a whole number that is passed by value.
    pub(crate) fn is_integer(&self) -> bool {
        matches!(self.kind, Kind::Number(of) if of.is_integer())
    }

    /// Whether it is a float that is passed by value.
    pub(crate) fn is_float(&self) -> bool {
        matches!(self.kind, Kind::Number(of) if of.is_float())
    }

    /// What was given, in a sentence: "an array of f32".
    pub(crate) fn given(&self) -> String {
        match self.kind {
            Kind::Number(_) => self.rust.clone(),
            Kind::Pointer { to, is_mutable, is_array } => {
                let what = if is_array { "an array of" } else { "a slice of" };
                let how = if is_mutable { ", to be written" } else { ", to be read" };
                format!("{what} {}{how}", to.rust())
            }
            Kind::Text => "a text".to_owned(),
            Kind::Opaque { .. } => format!("a `{}`", self.rust),
            Kind::Structure { .. } => format!("`{}`", self.rust),
        }
    }
}

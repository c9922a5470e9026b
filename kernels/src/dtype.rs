//! The one table of element types: Rust, NumPy and C names, size, alignment.

use std::fmt;

/// The type of an array's elements or of a kernel's scalar argument.
///
/// Variants carry NumPy's names, because that is how arrays are shown:
/// [`Complex64`](DType::Complex64) is a pair of `f32`, as in NumPy.
///
/// ```
/// use gpurepl_kernels::DType;
/// assert_eq!(DType::Float32.rust(), "f32");
/// assert_eq!(DType::Float32.c(), "float");
/// assert_eq!(DType::from_c("unsigned int"), Some(DType::UInt32));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // The names say all there is to say.
#[repr(u8)]
pub enum DType {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float16,
    Float32,
    Float64,
    Complex64,
    Complex128,
}

/// One row of the table.
struct Row {
    dtype: DType,
    rust: &'static str,
    numpy: &'static str,
    /// How generated code spells the type.
    c: &'static str,
    /// Other spellings a user may write. `long` is 64 bits wide on every
    /// platform that CUDA supports except Windows.
    aliases: &'static [&'static str],
    size: usize,
    /// In bytes, of the C type. Complex numbers are more strictly aligned in
    /// CUDA C (as a pair that is loaded at once) than in Rust.
    alignment: usize,
}

const TABLE: [Row; 14] = {
    use DType::*;
    const fn row(
        dtype: DType,
        rust: &'static str,
        numpy: &'static str,
        c: &'static str,
        aliases: &'static [&'static str],
        size: usize,
        alignment: usize,
    ) -> Row {
        Row { dtype, rust, numpy, c, aliases, size, alignment }
    }
    #[rustfmt::skip]
    let table = [
        row(Bool, "bool", "bool", "bool", &["_Bool"], 1, 1),
        row(Int8, "i8", "int8", "signed char", &["char", "int8_t"], 1, 1),
        row(Int16, "i16", "int16", "short", &["short int", "signed short", "int16_t"], 2, 2),
        row(Int32, "i32", "int32", "int", &["signed", "signed int", "int32_t"], 4, 4),
        row(Int64, "i64", "int64", "long long", &["long", "long int", "long long int", "signed long", "int64_t", "ptrdiff_t", "ssize_t", "intptr_t"], 8, 8),
        row(UInt8, "u8", "uint8", "unsigned char", &["uint8_t", "uchar"], 1, 1),
        row(UInt16, "u16", "uint16", "unsigned short", &["unsigned short int", "uint16_t", "ushort"], 2, 2),
        row(UInt32, "u32", "uint32", "unsigned int", &["unsigned", "uint32_t", "uint"], 4, 4),
        row(UInt64, "u64", "uint64", "unsigned long long", &["unsigned long", "unsigned long int", "unsigned long long int", "size_t", "uint64_t", "ulong", "uintptr_t"], 8, 8),
        row(Float16, "f16", "float16", "__half", &["half"], 2, 2),
        row(Float32, "f32", "float32", "float", &[], 4, 4),
        row(Float64, "f64", "float64", "double", &[], 8, 8),
        row(Complex64, "Complex32", "complex64", "gpurepl::complex<float>", &["pycuda::complex<float>", "complex64", "cuFloatComplex", "cuComplex"], 8, 8),
        row(Complex128, "Complex64", "complex128", "gpurepl::complex<double>", &["pycuda::complex<double>", "complex128", "cuDoubleComplex"], 16, 16),
    ];
    table
};

/// What an element type is, regardless of its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Kind {
    Bool,
    Unsigned,
    Signed,
    Float,
    Complex,
}

impl DType {
    /// Every element type, in the order of the table.
    pub const ALL: [DType; 14] = {
        let mut all = [DType::Bool; 14];
        let mut i = 0;
        while i < 14 {
            assert!(TABLE[i].dtype as usize == i);
            all[i] = TABLE[i].dtype;
            i += 1;
        }
        all
    };

    const fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// The Rust type: `f32`.
    pub const fn rust(self) -> &'static str {
        self.row().rust
    }

    /// NumPy's name: `float32`.
    pub const fn numpy(self) -> &'static str {
        self.row().numpy
    }

    /// [`numpy`](DType::numpy), as NumPy has it: `dtype.name`.
    pub const fn name(self) -> &'static str {
        self.numpy()
    }

    /// The spelling in generated CUDA C: `float`.
    pub const fn c(self) -> &'static str {
        self.row().c
    }

    /// The size of an element in bytes.
    pub const fn size(self) -> usize {
        self.row().size
    }

    /// [`size`](DType::size), as NumPy has it: `dtype.itemsize`.
    pub const fn itemsize(self) -> usize {
        self.size()
    }

    /// The alignment of the C type in bytes.
    pub const fn alignment(self) -> usize {
        self.row().alignment
    }

    /// Finds a C type by any of its usual spellings (`unsigned`, `uint32_t`).
    ///
    /// Words must be separated by single spaces and qualifiers removed;
    /// [`crate::declaration`] does that for whole declarations.
    pub fn from_c(spelling: &str) -> Option<DType> {
        TABLE.iter().find(|row| row.c == spelling || row.aliases.contains(&spelling)).map(|row| row.dtype)
    }

    /// Finds a type by NumPy's name (`float32`).
    pub fn from_numpy(name: &str) -> Option<DType> {
        TABLE.iter().find(|row| row.numpy == name).map(|row| row.dtype)
    }

    /// Every C spelling that [`DType::from_c`] knows.
    pub(crate) fn c_spellings() -> impl Iterator<Item = &'static str> {
        TABLE.iter().flat_map(|row| std::iter::once(row.c).chain(row.aliases.iter().copied()))
    }

    /// Boolean, integer, floating or complex.
    pub const fn kind(self) -> Kind {
        use DType::*;
        match self {
            Bool => Kind::Bool,
            Int8 | Int16 | Int32 | Int64 => Kind::Signed,
            UInt8 | UInt16 | UInt32 | UInt64 => Kind::Unsigned,
            Float16 | Float32 | Float64 => Kind::Float,
            Complex64 | Complex128 => Kind::Complex,
        }
    }

    /// Whether this is a signed or unsigned integer type.
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Signed | Kind::Unsigned)
    }

    /// Whether this is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), Kind::Float)
    }

    /// Whether this is a complex type.
    pub const fn is_complex(self) -> bool {
        matches!(self.kind(), Kind::Complex)
    }

    /// The type of one part of a complex number; any other type itself.
    pub const fn real(self) -> DType {
        match self {
            DType::Complex64 => DType::Float32,
            DType::Complex128 => DType::Float64,
            other => other,
        }
    }

    /// The type that holds the values of both, by NumPy's table.
    ///
    /// ```
    /// use gpurepl_kernels::DType::*;
    /// assert_eq!(Int32.promote(Float32), Float64);
    /// assert_eq!(UInt64.promote(Int64), Float64);
    /// assert_eq!(Int16.promote(Float32), Float32);
    /// ```
    ///
    /// Source: NumPy, `numpy.promote_types`; the test of this function holds
    /// its whole table.
    pub const fn promote(self, other: DType) -> DType {
        use Kind::*;
        let (a, b) = if (self.kind() as u8) <= (other.kind() as u8) { (self, other) } else { (other, self) };
        match (a.kind(), b.kind()) {
            (Bool, _) => b,
            (Unsigned, Unsigned) | (Signed, Signed) | (Float, Float) | (Complex, Complex) => {
                if a.size() >= b.size() { a } else { b }
            }
            (Unsigned, Signed) => {
                if b.size() > a.size() {
                    b
                } else {
                    signed_wider_than(a.size())
                }
            }
            (Unsigned | Signed, Float) => wider_float(float_for_integer(a), b),
            (Unsigned | Signed, Complex) => complex_of(wider_float(float_for_integer(a), b.real())),
            (Float, Complex) => complex_of(wider_float(a, b.real())),
            // The order of the pair leaves nothing else.
            _ => b,
        }
    }

    /// The type of a true division or a mean: floats and complex numbers keep
    /// theirs, everything else becomes `float64`.
    pub const fn quotient(self) -> DType {
        match self.kind() {
            Kind::Float | Kind::Complex => self,
            _ => DType::Float64,
        }
    }

    /// The type of `sqrt` and its like: NumPy's smallest float that holds the
    /// integers of this type.
    pub const fn floating(self) -> DType {
        match self.kind() {
            Kind::Float | Kind::Complex => self,
            Kind::Bool => DType::Float16,
            _ => float_for_integer(self),
        }
    }

    /// The type in which `sum`, `prod` and `dot` accumulate and answer:
    /// integers widen to 64 bits, as in NumPy.
    pub const fn accumulator(self) -> DType {
        match self.kind() {
            Kind::Bool | Kind::Signed => DType::Int64,
            Kind::Unsigned => DType::UInt64,
            Kind::Float | Kind::Complex => self,
        }
    }
}

/// The smallest float that holds every integer of a type, capped at `float64`.
const fn float_for_integer(integer: DType) -> DType {
    match integer.size() {
        1 => DType::Float16,
        2 => DType::Float32,
        _ => DType::Float64,
    }
}

const fn wider_float(a: DType, b: DType) -> DType {
    if a.size() >= b.size() { a } else { b }
}

const fn complex_of(float: DType) -> DType {
    match float {
        DType::Float64 => DType::Complex128,
        _ => DType::Complex64,
    }
}

/// The signed type with more bytes than an unsigned one; past 64 bits NumPy
/// gives up on integers.
const fn signed_wider_than(size: usize) -> DType {
    match size {
        1 => DType::Int16,
        2 => DType::Int32,
        4 => DType::Int64,
        _ => DType::Float64,
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.numpy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `numpy.promote_types` for every pair, printed by NumPy 2.
    const NUMPY_PROMOTION: &str = include_str!("../tests/main/golden/promote_types.txt");

    #[test]
    fn promotion_is_numpys() {
        let mut pairs = 0;
        for line in NUMPY_PROMOTION.lines() {
            let names: Vec<DType> = line
                .split(' ')
                .map(|name| DType::from_numpy(name).unwrap_or_else(|| panic!("{name}")))
                .collect();
            assert_eq!(names[0].promote(names[1]), names[2], "{line}");
            pairs += 1;
        }
        assert_eq!(pairs, 14 * 14);
    }

    #[test]
    fn every_spelling_names_one_type() {
        let all: Vec<_> = DType::c_spellings().collect();
        for (k, spelling) in all.iter().enumerate() {
            assert!(!all[..k].contains(spelling), "{spelling} stands twice in the table");
            assert!(DType::from_c(spelling).is_some());
        }
    }

    #[test]
    fn sums_and_roots_follow_numpy() {
        assert_eq!(DType::Int32.accumulator(), DType::Int64);
        assert_eq!(DType::UInt8.accumulator(), DType::UInt64);
        assert_eq!(DType::Float16.accumulator(), DType::Float16);
        assert_eq!(DType::Int8.floating(), DType::Float16);
        assert_eq!(DType::Int16.floating(), DType::Float32);
        assert_eq!(DType::Int32.floating(), DType::Float64);
    }
}

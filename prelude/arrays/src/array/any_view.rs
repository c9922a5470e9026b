//! An array of `ndarray` of any element type.

use half::f16;
use ndarray::ArrayViewD;
use num_complex::{Complex32, Complex64};

/// A view of an array of the host, by its element type: what takes one is
/// compiled here for each type, and not in a cell.
#[doc(hidden)]
#[allow(missing_docs)]
pub enum AnyView<'a> {
    Bool(ArrayViewD<'a, bool>),
    Int8(ArrayViewD<'a, i8>),
    Int16(ArrayViewD<'a, i16>),
    Int32(ArrayViewD<'a, i32>),
    Int64(ArrayViewD<'a, i64>),
    UInt8(ArrayViewD<'a, u8>),
    UInt16(ArrayViewD<'a, u16>),
    UInt32(ArrayViewD<'a, u32>),
    UInt64(ArrayViewD<'a, u64>),
    Float16(ArrayViewD<'a, f16>),
    Float32(ArrayViewD<'a, f32>),
    Float64(ArrayViewD<'a, f64>),
    Complex64(ArrayViewD<'a, Complex32>),
    Complex128(ArrayViewD<'a, Complex64>),
}

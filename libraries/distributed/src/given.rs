//! What ranks pass to functions whose result has the form of what was passed.

use gpurepl_extend::arrays::ToGpu;
use gpurepl_extend::{AnyArray, Elem, GpuArray, Result};
use half::f16;
use num_complex::{Complex32, Complex64};

/// An array, or a number: [`all_reduce`](crate::all_reduce) of a number is a number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an array nor a number",
    note = "pass a reference to an array or a number: `&to_gpu(&values)`, `&x`"
)]
pub trait Given: ToGpu {
    /// What comes back.
    type Answer;

    /// An array as what comes back.
    #[doc(hidden)]
    fn answer(array: &AnyArray) -> Result<Self::Answer>;
}

impl<T: Elem> Given for GpuArray<T> {
    type Answer = GpuArray<T>;

    fn answer(array: &AnyArray) -> Result<GpuArray<T>> {
        array.typed()
    }
}

macro_rules! numbers {
    ($($t:ident)*) => {$(
        impl Given for $t {
            type Answer = $t;

            fn answer(array: &AnyArray) -> Result<$t> {
                array.typed::<$t>()?.try_item()
            }
        }
    )*};
}
numbers!(bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64);

//! Results that a kernel makes itself: CuPy's output arguments that are left out.

use gpurepl_kernels::declaration::CType;
use gpurepl_kernels::{DType, ElementwiseSpec};

use super::described::Described;
use crate::array::{Elem, GpuArray, Raw};
use crate::error::{Problem, Result};

/// The types of the arrays that [`ElementwiseKernel::map`](super::ElementwiseKernel::map) makes: one,
/// `f32`, or a tuple of up to eight.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the type of a kernel's results",
    note = "write the types of their elements: `kernel.map::<f32>(..)`, `kernel.map::<(f32, i32)>(..)`"
)]
pub trait Outputs {
    /// The arrays.
    type Arrays;

    #[doc(hidden)]
    const DTYPES: &'static [DType];

    #[doc(hidden)]
    fn wrap(raws: Vec<Raw>) -> Self::Arrays;
}

impl<T: Elem> Outputs for T {
    type Arrays = GpuArray<T>;

    const DTYPES: &'static [DType] = &[T::DTYPE];

    fn wrap(raws: Vec<Raw>) -> GpuArray<T> {
        GpuArray::wrap(raws.into_iter().next().expect("as many results as types"))
    }
}

macro_rules! tuples {
    ($(($($name:ident $place:tt),+))*) => {$(
        impl<$($name: Elem),+> Outputs for ($($name,)+) {
            type Arrays = ($(GpuArray<$name>,)+);

            const DTYPES: &'static [DType] = &[$($name::DTYPE),+];

            fn wrap(raws: Vec<Raw>) -> Self::Arrays {
                let mut raws = raws.into_iter();
                ($(GpuArray::<$name>::wrap(raws.next().expect("as many results as types")),)+)
            }
        }
    )*};
}
gpurepl_ground::for_tuples!(up to 8, tuples);

/// Which parameters are the results, of these types: the last ones that the texts assign.
pub(super) fn places(
    spec: &Described<ElementwiseSpec>,
    dtypes: &[DType],
    given: usize,
) -> Result<Vec<usize>> {
    let wrong = |message: String| Problem::Argument { kernel: spec.name.clone(), message };
    let usages = spec.body().usages;
    let is_written = |number: &usize| {
        let is_const = !matches!(spec.parameters[*number].ctype, CType::Pointer { is_const: false, .. });
        !is_const && usages[*number].may_be_written
    };
    let mut results: Vec<usize> = (0..spec.parameters.len()).filter(is_written).collect();
    // What is only passed on as a pointer may be read.
    let assigned: Vec<usize> = results.iter().copied().filter(|number| usages[*number].is_assigned).collect();
    if assigned.len() >= dtypes.len() {
        results = assigned;
    }
    let Some(first) = results.len().checked_sub(dtypes.len()) else {
        let message = format!(
            "the number of results asked for is {}, and the kernel writes {} array{}",
            dtypes.len(),
            results.len(),
            if results.len() == 1 { "" } else { "s" }
        );
        return Err(wrong(message).into());
    };
    let places = results[first..].to_vec();
    let expected = spec.parameters.len() - places.len();
    if given != expected {
        let left_out: Vec<String> =
            places.iter().map(|place| format!("`{}`", spec.parameters[*place].name)).collect();
        return Err(wrong(format!(
            "{given} argument{} given, but it takes {expected} beside {}: {}",
            if given == 1 { "" } else { "s" },
            left_out.join(" and "),
            spec.signature()
        ))
        .into());
    }
    for (place, dtype) in places.iter().zip(dtypes) {
        let parameter = &spec.parameters[*place];
        let element = parameter.dtype().or_else(|| parameter.vector_as_dtype());
        if element != Some(*dtype) {
            let known = element.map_or_else(String::new, |element| {
                format!("\n  = help: its type is `{}`: `map::<{0}>`", element.rust())
            });
            return Err(wrong(format!(
                "the result `{}` is `{}`, not an array of {dtype}{known}",
                parameter.name, parameter.spelling
            ))
            .into());
        }
    }
    Ok(places)
}

//! The plugin `fft`: discrete Fourier transforms of arrays of the host, by rustfft and realfft, on all cores.
//!
//! Its one function is `transform`.
//!
//! - Its arrays are the input, which may have any strides, and the output, whose elements lie one after
//!   another. Both are of one precision. Complex to complex numbers of the same shape is NumPy's `fftn`, or
//!   without its factor `ifftn`. Real to complex is `rfftn`, complex to real `irfftn`: of n real elements
//!   along the last one of the axes there are n/2 + 1 complex ones.
//! - Its numbers are 0 for forward, exp(-2 pi i jk/n), or 1 for inverse, exp(2 pi i jk/n); the bits of an
//!   `f64`, which every element of the output is multiplied by; and the axes.
#![warn(missing_docs)]

mod axes;
mod cast;
mod columns;
mod cores;
mod line;
mod long;
mod plans;
mod real_halves;
mod real_whole;
mod request;
mod roots;
mod rows;
mod six_step;
#[cfg(test)]
mod tests;
mod transpose;
mod view;

use gpurepl_plugin::{Array, Call, Element, plugin};

use plans::Real;
use request::{Kind, Request, check_output};
use view::View;

plugin! { name = "fft"; "transform" => transform }

/// The second array is the transform of the first one.
fn transform(call: &mut Call<'_>) -> Result<(), String> {
    let [from, to] = &mut call.arrays[..] else {
        return Err(format!("transform takes an input and an output, not {} arrays", call.arrays.len()));
    };
    let request = Request::read(call.numbers, from.shape().len())?;
    match (Numbers::of(from)?, Numbers::of(to)?) {
        (Numbers::F32, Numbers::C32) => from_real::<f32>(from, to, &request),
        (Numbers::F64, Numbers::C64) => from_real::<f64>(from, to, &request),
        (Numbers::C32, Numbers::F32) => to_real::<f32>(from, to, &request),
        (Numbers::C64, Numbers::F64) => to_real::<f64>(from, to, &request),
        (Numbers::C32, Numbers::C32) => complex::<f32>(from, to, &request),
        (Numbers::C64, Numbers::C64) => complex::<f64>(from, to, &request),
        (from, to) => {
            let (from, to) = (from.name(), to.name());
            Err(format!(
                "transform: the input is of {from}, the output of {to}; one is complex, both of one precision"
            ))
        }
    }
}

/// Types of elements.
#[derive(Clone, Copy)]
enum Numbers {
    F32,
    F64,
    C32,
    C64,
}

impl Numbers {
    fn of(array: &Array<'_>) -> Result<Numbers, String> {
        let is = [
            (array.slice::<f32>().is_ok(), Numbers::F32),
            (array.slice::<f64>().is_ok(), Numbers::F64),
            (array.slice::<[f32; 2]>().is_ok(), Numbers::C32),
            (array.slice::<[f64; 2]>().is_ok(), Numbers::C64),
        ];
        let found = is.into_iter().find_map(|(is, numbers)| is.then_some(numbers));
        found.ok_or_else(|| "transform takes arrays of f32 and f64, real or complex".to_owned())
    }

    fn name(self) -> &'static str {
        match self {
            Numbers::F32 => "f32",
            Numbers::F64 => "f64",
            Numbers::C32 => "complex f32",
            Numbers::C64 => "complex f64",
        }
    }
}

fn complex<T: Real>(from: &Array<'_>, to: &mut Array<'_>, request: &Request) -> Result<(), String>
where
    [T; 2]: Element,
{
    let elements = cast::complex(from.slice::<[T; 2]>()?);
    with_output::<[T; 2]>(from, to, request, Kind::Complex, |_, to| {
        let (from, to) = (view(from, elements)?, cast::complex_mut(to));
        axes::complex(from, to, &request.axes, request.direction, T::of(request.scale));
        Ok(())
    })
}

fn from_real<T: Real + Element>(from: &Array<'_>, to: &mut Array<'_>, request: &Request) -> Result<(), String>
where
    [T; 2]: Element,
{
    let elements = from.slice::<T>()?;
    with_output::<[T; 2]>(from, to, request, Kind::FromReal, |shape, to| {
        let (from, to) = (view(from, elements)?, cast::complex_mut(to));
        axes::from_real(from, to, shape, &request.axes, T::of(request.scale));
        Ok(())
    })
}

fn to_real<T: Real + Element>(from: &Array<'_>, to: &mut Array<'_>, request: &Request) -> Result<(), String>
where
    [T; 2]: Element,
{
    let elements = cast::complex(from.slice::<[T; 2]>()?);
    with_output::<T>(from, to, request, Kind::ToReal, |shape, to| {
        axes::to_real(view(from, elements)?, to, shape, &request.axes, T::of(request.scale));
        Ok(())
    })
}

/// Checks shapes, and acts on the output's shape and elements if it has any.
fn with_output<E: Element>(
    from: &Array<'_>,
    to: &mut Array<'_>,
    request: &Request,
    kind: Kind,
    act: impl FnOnce(&[usize], &mut [E]) -> Result<(), String>,
) -> Result<(), String> {
    let shape = to.shape().to_vec();
    request.check(kind, from.shape(), &shape)?;
    check_output(&shape, to.strides(), to.first(), to.slice::<E>()?.len())?;
    let elements = to.slice_mut::<E>().map_err(|error| format!("transform: the output: {error}"))?;
    if shape.contains(&0) { Ok(()) } else { act(&shape, elements) }
}

fn view<'a, T: Copy + Default + Send + Sync>(
    array: &'a Array<'_>,
    elements: &'a [T],
) -> Result<View<'a, T>, String> {
    View::new(elements, array.first(), array.shape(), array.strides()).ok_or_else(|| {
        let (shape, strides, count) = (array.shape(), array.strides(), elements.len());
        format!("transform: the input has {count} elements, too few for the shape {shape:?} and the strides {strides:?}")
    })
}

//! Transforms of arrays, axis by axis.

use rustfft::FftDirection;
use rustfft::num_complex::Complex;

use crate::line::{ComplexLine, FromReal, Line, ToReal};
use crate::long::{self, LongComplex, LongFromReal, LongToReal};
use crate::plans::Real;
use crate::view::{self, View};
use crate::{columns, rows};

/// Complex numbers to complex numbers.
pub(crate) fn complex<T: Real>(
    from: View<'_, Complex<T>>,
    to: &mut [Complex<T>],
    axes: &[usize],
    direction: FftDirection,
    scale: T,
) {
    // Rows are read wherever they lie, but for another axis an array with strides is first copied.
    let rank = from.shape().len();
    let start = axes.iter().position(|axis| axis + 1 == rank).unwrap_or(0);
    let line = Axis::of(from.shape(), axes[start]);
    match LongComplex::new(line.length, line.count, direction, scale) {
        Some(long) => long::transform(&long, from, to, line.width),
        None => transform(&ComplexLine::new(line.length, direction, scale), from, to, line.width),
    }
    let others = axes[..start].iter().chain(&axes[start + 1..]);
    others.for_each(|axis| in_place(to, Axis::of(from.shape(), *axis), direction));
}

/// Real numbers to complex numbers: the last one of the axes first, of which half is kept.
pub(crate) fn from_real<T: Real>(
    from: View<'_, T>,
    to: &mut [Complex<T>],
    shape: &[usize],
    axes: &[usize],
    scale: T,
) {
    let Some((&last, others)) = axes.split_last() else { return };
    let line = Axis::of(from.shape(), last);
    match LongFromReal::new(line.length, line.count, scale) {
        Some(long) => long::transform(&long, from, to, line.width),
        None => transform(&FromReal::new(line.length, scale), from, to, line.width),
    }
    others.iter().for_each(|axis| in_place(to, Axis::of(shape, *axis), FftDirection::Forward));
}

/// Complex numbers to real numbers: the last one of the axes last, of which half is given.
pub(crate) fn to_real<T: Real>(
    from: View<'_, Complex<T>>,
    to: &mut [T],
    shape: &[usize],
    axes: &[usize],
    scale: T,
) {
    let Some((&last, others)) = axes.split_last() else { return };
    let line = Axis::of(shape, last);
    let finish =
        |from: View<'_, Complex<T>>, to: &mut [T]| match LongToReal::new(line.length, line.count, scale) {
            Some(long) => long::transform(&long, from, to, line.width),
            None => transform(&ToReal::new(line.length, scale), from, to, line.width),
        };
    if others.is_empty() {
        return finish(from, to);
    }
    let mut between = vec![Complex::default(); from.shape().iter().product()];
    complex(from, &mut between, others, FftDirection::Inverse, T::one());
    let strides = view::strides(from.shape());
    if let Some(between) = View::new(&between, 0, from.shape(), &strides) {
        finish(between, to);
    }
}

/// The lines along an axis.
#[derive(Clone, Copy)]
struct Axis {
    length: usize,
    /// Elements from one to the next of a line.
    width: usize,
    /// How many lines there are.
    count: usize,
}

impl Axis {
    fn of(shape: &[usize], axis: usize) -> Axis {
        let width: usize = shape[axis + 1..].iter().product();
        let slabs: usize = shape[..axis].iter().product();
        Axis { length: shape[axis], width, count: slabs * width }
    }
}

fn transform<L: Line>(line: &L, from: View<'_, L::In>, to: &mut [L::Out], width: usize) {
    match (width, from.contiguous()) {
        (1, _) => rows::transform(line, from, to),
        (_, Some(from)) => columns::transform(line, from, to, width),
        (_, None) => columns::transform(line, &from.to_vec(), to, width),
    }
}

fn in_place<T: Real>(
    elements: &mut [Complex<T>],
    Axis { length, width, count }: Axis,
    direction: FftDirection,
) {
    if let Some(long) = LongComplex::new(length, count, direction, T::one()) {
        return long::transform_in_place(&long, elements, width);
    }
    let line = ComplexLine::new(length, direction, T::one());
    match width {
        1 => rows::transform_in_place(&line, elements),
        _ => columns::transform_in_place(&line, elements, width),
    }
}

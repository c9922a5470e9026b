//! `np.pad`: an array with a border.
//!
//! The border is made axis by axis: along one axis it covers what the axes
//! before it have got already, so corners are the border of a border.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp, UnaryOp};
use half::f16;
use num_complex::{Complex32, Complex64};

use super::layout::{Layout, flipped, narrowed};
use super::node::Operation;
use super::operators::IntoValue;
use super::over::Over;
use super::raw::{Raw, Value};
use super::repeat::{beside, copy_to, shape_of};
use super::write::store;
use super::{Elem, GpuArray, RealElem, reduce};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{IntoShape as _, Length};

/// How wide a border is: `2` everywhere, `(1, 2)` before and after along every
/// axis, `[(1, 2), (0, 3)]` for each axis.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the width of a border",
    note = "write `2`, `(1, 2)` for before and after, or `[(1, 2), (0, 3)]` for each axis"
)]
pub trait PadWidth {
    #[doc(hidden)]
    fn widths(self) -> Vec<(i64, i64)>;
}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl PadWidth for $t {
            fn widths(self) -> Vec<(i64, i64)> {
                vec![(self.length(), self.length())]
            }
        }
    )*};
}
numbers!(i32 i64 isize u32 u64 usize);

impl<A: Length, B: Length> PadWidth for (A, B) {
    fn widths(self) -> Vec<(i64, i64)> {
        vec![(self.0.length(), self.1.length())]
    }
}

impl<A: Length, B: Length, const N: usize> PadWidth for [(A, B); N] {
    fn widths(self) -> Vec<(i64, i64)> {
        self.into_iter().map(|(before, after)| (before.length(), after.length())).collect()
    }
}

impl<A: Length + Copy, B: Length + Copy> PadWidth for &[(A, B)] {
    fn widths(self) -> Vec<(i64, i64)> {
        self.iter().map(|(before, after)| (before.length(), after.length())).collect()
    }
}

impl<A: Length + Copy, B: Length + Copy> PadWidth for &Vec<(A, B)> {
    fn widths(self) -> Vec<(i64, i64)> {
        self.as_slice().widths()
    }
}

/// The values of a border: `0` or an array everywhere, `(4, 6)` before and after along
/// every axis, `[(4, 6), (0, 1)]` for each axis.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the value of a border of `{T}`",
    note = "write `0`, `(4, 6)` for before and after, or `[(4, 6), (0, 1)]` for each axis"
)]
pub trait PadValue<T> {
    #[doc(hidden)]
    #[track_caller]
    fn values(self) -> Vec<[Value; 2]>;
}

macro_rules! values {
    ($([$($generics:tt)*] $value:ty;)*) => {$(
        impl<T: Elem, $($generics)*> PadValue<T> for $value {
            fn values(self) -> Vec<[Value; 2]> {
                let value = <$value as IntoValue<T>>::into_value(self);
                vec![[value.clone(), value]]
            }
        }
    )*};
}
values! {
    [U: Elem] &GpuArray<U>;
    [U: Elem] GpuArray<U>;
    [] bool; [] i8; [] i16; [] i32; [] i64; [] u8; [] u16; [] u32; [] u64; [] usize; [] f16; [] f32; [] f64;
    [] Complex32; [] Complex64;
}

impl<T: Elem, A: IntoValue<T>, B: IntoValue<T>> PadValue<T> for (A, B) {
    fn values(self) -> Vec<[Value; 2]> {
        vec![[self.0.into_value(), self.1.into_value()]]
    }
}

impl<T: Elem, A: IntoValue<T>, B: IntoValue<T>, const N: usize> PadValue<T> for [(A, B); N] {
    fn values(self) -> Vec<[Value; 2]> {
        self.into_iter().map(|(before, after)| [before.into_value(), after.into_value()]).collect()
    }
}

/// What a border is made of.
enum Border {
    Unset,
    /// Before and after, for all axes or for each.
    Constant(Vec<[Value; 2]>),
    Edge,
    /// The axis goes on as a mirror of itself; the last element once, or twice.
    Mirror {
        twice: bool,
    },
    Wrap,
    /// As `Constant`.
    Ramp(Vec<[Value; 2]>),
    Statistic(ReduceOp),
    Mean,
}

macro_rules! pads {
    ($($(#[$doc:meta])* $method:ident $border:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        ///
        /// With an [`Error`](crate::Error), if an axis without elements would get
        /// a border, or as [`GpuArray::pad`].
        #[track_caller]
        pub fn $method(&self, width: impl PadWidth) -> GpuArray<T> {
            GpuArray::wrap(padded(&self.raw, &width.widths(), &$border).or_raise())
        }
    )*};
}

/// Copies with a border: `np.pad`, a method for each of its modes.
impl<T: Elem> GpuArray<T> {
    /// A border of a value. `width` is a number, a pair for before and after, or
    /// a list of pairs, one for each axis; so is the value.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2].pad(1, 0).to_vec(), [0, 1, 2, 0]);
    /// assert_eq!(gpu![[1, 2]].pad([(0, 1), (2, 0)], 9).to_vec(), [9, 9, 1, 2, 9, 9, 9, 9]);
    /// assert_eq!(gpu![1, 2].pad((2, 1), (4, 6)).to_vec(), [4, 4, 1, 2, 6]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if a width is negative, there are not as
    /// many pairs as axes, or the value does not fit the type.
    #[track_caller]
    pub fn pad(&self, width: impl PadWidth, value: impl PadValue<T>) -> GpuArray<T> {
        let border = Border::Constant(value.values());
        GpuArray::wrap(padded(&self.raw, &width.widths(), &border).or_raise())
    }

    pads! {
        /// A border of the elements at the edge: `mode="edge"`.
        ///
        /// ```
        /// use gpurepl_prelude::*;
        /// assert_eq!(gpu![1, 2].pad_edge((1, 2)).to_vec(), [1, 1, 2, 2, 2]);
        /// ```
        pad_edge Border::Edge;
        /// A border that mirrors the array at its edge, which is there once:
        /// `mode="reflect"`.
        ///
        /// ```
        /// use gpurepl_prelude::*;
        /// assert_eq!(gpu![1, 2, 3].pad_reflect(2).to_vec(), [3, 2, 1, 2, 3, 2, 1]);
        /// ```
        pad_reflect Border::Mirror { twice: false };
        /// A border that mirrors the array, its edge too: `mode="symmetric"`.
        ///
        /// ```
        /// use gpurepl_prelude::*;
        /// assert_eq!(gpu![1, 2, 3].pad_symmetric(2).to_vec(), [2, 1, 1, 2, 3, 3, 2]);
        /// ```
        pad_symmetric Border::Mirror { twice: true };
        /// A border of the array from its other end: `mode="wrap"`.
        ///
        /// ```
        /// use gpurepl_prelude::*;
        /// assert_eq!(gpu![1, 2, 3].pad_wrap(2).to_vec(), [2, 3, 1, 2, 3, 1, 2]);
        /// ```
        pad_wrap Border::Wrap;
        /// A border whose elements are not set: `mode="empty"`.
        pad_empty Border::Unset;
    }
}

impl<T: RealElem> GpuArray<T> {
    pads! {
        /// A border of the greatest element along each axis: `mode="maximum"`.
        pad_maximum Border::Statistic(ReduceOp::Maximum);
        /// A border of the least element along each axis: `mode="minimum"`.
        pad_minimum Border::Statistic(ReduceOp::Minimum);
        /// A border of the mean along each axis, which is rounded for integers:
        /// `mode="mean"`.
        pad_mean Border::Mean;
    }

    /// A border that goes from the edge to `end` in even steps:
    /// `mode="linear_ramp"`. Integers are rounded down. `end` is a number, or has pairs as
    /// [`GpuArray::pad`] has them.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![4.0].pad_linear_ramp(2, 0).to_vec(), [0.0, 2.0, 4.0, 2.0, 0.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::pad_edge`].
    #[track_caller]
    pub fn pad_linear_ramp(&self, width: impl PadWidth, end: impl PadValue<f64>) -> GpuArray<T> {
        let border = Border::Ramp(end.values());
        GpuArray::wrap(padded(&self.raw, &width.widths(), &border).or_raise())
    }
}

/// The widths for each axis.
fn each_axis(raw: &Raw, widths: &[(i64, i64)]) -> Result<Vec<(usize, usize)>> {
    let wrong = |message: String| Problem::Shape { operation: "pad", message };
    let rank = raw.shape().rank();
    let widths = match widths {
        [same] => vec![*same; rank],
        each if each.len() == rank => each.to_vec(),
        each => {
            let shape = raw.shape();
            let message = format!("{} pairs of widths for the {rank} axes of shape {shape:?}", each.len());
            return Err(wrong(message).into());
        }
    };
    let width = |width: i64| {
        // NumPy's words.
        let message = format!("index can't contain negative values, and {width} is a width");
        usize::try_from(width).map_err(|_| wrong(message))
    };
    widths.into_iter().map(|(before, after)| Ok((width(before)?, width(after)?))).collect()
}

fn padded(raw: &Raw, widths: &[(i64, i64)], border: &Border) -> Result<Raw> {
    let operation = "pad";
    let widths = each_axis(raw, widths)?;
    let raw = raw.computed()?;
    let lengths = raw.shape().lengths().to_vec();
    let all: Vec<usize> = lengths
        .iter()
        .zip(&widths)
        .map(|(length, (before, after))| length.saturating_add(*before).saturating_add(*after))
        .collect();
    let to = beside(&raw, shape_of(operation, &raw, &all)?)?;
    let is_any = matches!(border, Border::Unset | Border::Constant(_));
    for (axis, (length, (before, after))) in lengths.iter().zip(&widths).enumerate() {
        if *length == 0 && before + after > 0 && !is_any {
            // NumPy's words.
            let message = format!(
                "can't extend empty axis {axis} of shape {:?} using modes other than 'constant' or 'empty'",
                raw.shape()
            );
            return Err(Problem::Shape { operation, message }.into());
        }
    }
    let mut inside = Layout::of(&to)?;
    for (axis, (before, _)) in widths.iter().enumerate() {
        inside.narrow(axis, *before, lengths[axis]);
    }
    copy_to(&inside.view(operation, &to)?, &raw)?;
    for (axis, (before, after)) in widths.iter().enumerate() {
        // The axes behind this one have no border yet.
        let mut region = Layout::of(&to)?;
        for later in axis + 1..widths.len() {
            region.narrow(later, widths[later].0, lengths[later]);
        }
        let region = region.view(operation, &to)?;
        if region.size() > 0 && before + after > 0 {
            Side { region, axis, before: *before, length: lengths[axis], after: *after }.draw(border)?;
        }
    }
    Ok(to)
}

/// The border along one axis, of the part of the answer that gets it.
struct Side {
    region: Raw,
    axis: usize,
    before: usize,
    length: usize,
    after: usize,
}

impl Side {
    fn part(&self, start: usize, length: usize) -> Result<Raw> {
        narrowed(&self.region, self.axis, start, length)
    }

    /// What lies before the array, and behind it.
    fn both(&self) -> Result<[Raw; 2]> {
        Ok([self.part(0, self.before)?, self.part(self.before + self.length, self.after)?])
    }

    fn draw(&self, border: &Border) -> Result<()> {
        match border {
            Border::Unset => Ok(()),
            Border::Constant(value) => {
                for (part, value) in self.both()?.iter().zip(self.values(value)?) {
                    if part.size() > 0 {
                        store(&part.node(), value.clone())?;
                    }
                }
                Ok(())
            }
            Border::Edge => {
                let [first, last] = self.both()?;
                copy_to(&first, &self.part(self.before, 1)?)?;
                copy_to(&last, &self.part(self.before + self.length - 1, 1)?)
            }
            Border::Mirror { twice } => self.continued(*twice, true),
            Border::Wrap => self.continued(true, false),
            Border::Ramp(ends) => self.ramps(self.values(ends)?),
            Border::Statistic(op) => {
                let inside = self.part(self.before, self.length)?;
                let over = Over::axes("pad", &inside, self.axis.into_dims())?;
                self.all(&over.reduce(&inside, *op, inside.dtype())?)
            }
            Border::Mean => self.all(&self.mean()?),
        }
    }

    /// The values before and after along this axis.
    fn values<'v>(&self, all: &'v [[Value; 2]]) -> Result<&'v [Value; 2]> {
        let rank = self.region.shape().rank();
        match all {
            [same] => Ok(same),
            each if each.len() == rank => Ok(&each[self.axis]),
            each => {
                let message = format!("{} pairs of values for {rank} axes", each.len());
                Err(Problem::Shape { operation: "pad", message }.into())
            }
        }
    }

    /// Values without the axis, everywhere in the border.
    fn all(&self, values: &Raw) -> Result<()> {
        let mut lengths = self.region.shape().lengths().to_vec();
        lengths[self.axis] = 1;
        let values = values.try_reshape(lengths.into_dims())?;
        for part in self.both()? {
            copy_to(&part, &values)?;
        }
        Ok(())
    }

    fn mean(&self) -> Result<Raw> {
        let inside = self.part(self.before, self.length)?;
        let dtype = inside.dtype();
        let mean = reduce::mean(&inside, dtype.quotient(), Some(self.axis.into_dims()))?;
        Ok(if dtype.is_integer() { rounded(&mean)?.cast(dtype) } else { mean.cast(dtype) })
    }

    /// The array again and again, in both directions in turns if `mirrored`; each
    /// time with its first element, or without the one that is there already.
    fn continued(&self, twice: bool, mirrored: bool) -> Result<()> {
        let length = self.length;
        if length == 1 {
            return self.draw(&Border::Edge);
        }
        let step = (if twice { length } else { length - 1 }) as i64;
        let (first, end) = (-(self.before as i64), (length + self.after) as i64);
        let mut at = first;
        while at < end {
            if (0..length as i64).contains(&at) {
                // The array itself.
                at = length as i64;
                continue;
            }
            let turn = at.div_euclid(step);
            let inner = at.rem_euclid(step);
            let count = (step - inner).min(end - at);
            let part = self.part((at - first) as usize, count as usize)?;
            let is_back = mirrored && turn.rem_euclid(2) == 1;
            let start = if is_back { length as i64 - inner - count } else { inner };
            let from = self.part(self.before + start as usize, count as usize)?;
            let from = if is_back { flipped(&from, Some(self.axis.into_dims()))? } else { from };
            copy_to(&part, &from)?;
            at += count;
        }
        Ok(())
    }

    /// From the edge to a number, as NumPy's `linspace` without its end, in
    /// double precision. NumPy divides later if any edge is that number, and may
    /// differ in the last digit then.
    fn ramps(&self, ends: &[Value; 2]) -> Result<()> {
        let double = DType::Float64;
        let dtype = self.region.dtype();
        let scalar = |op, raw: &Raw, number: f64, reversed| {
            Raw::try_scalar(op, raw, Scalar::Float(number), reversed, double, double)
        };
        let [first, last] = self.both()?;
        let edges = [self.before, self.before + self.length - 1];
        let sides = [first, last].into_iter().zip(edges.into_iter().zip([false, true]));
        for ((part, (edge, is_last)), end) in sides.zip(ends) {
            let number = if let Value::Scalar(end) = end { end.real() } else { None };
            let Some(end) = number else {
                let message = "a ramp ends at a real number".to_owned();
                return Err(Problem::DType { operation: "pad", message }.into());
            };
            let width = part.shape().lengths()[self.axis];
            if part.size() == 0 {
                continue;
            }
            let edge = self.part(edge, 1)?.cast(double);
            let step = {
                let delta = scalar(BinaryOp::Subtract, &edge, end, false)?;
                scalar(BinaryOp::Divide, &delta, width as f64, false)?
            };
            let mut lengths = vec![1; self.region.shape().rank()];
            lengths[self.axis] = width;
            let shape = crate::shape::Shape::new(&lengths);
            let number = Raw::pending(shape, double, Operation::Index)?;
            let added = Raw::try_binary(BinaryOp::Multiply, &number, &step, double, double)?;
            let mut values = scalar(BinaryOp::Add, &added, end, false)?;
            if dtype.is_integer() {
                values = Raw::unary(UnaryOp::Floor, &values, double, double);
            }
            let values = values.cast(dtype);
            // From the outside in.
            let part = if is_last { flipped(&part, Some(self.axis.into_dims()))? } else { part };
            copy_to(&part, &values.computed()?)?;
        }
        Ok(())
    }
}

/// Whole numbers, halves to the even one. From 2^52 on there are no fractions;
/// below it, adding and taking away 2^52 leaves none.
fn rounded(raw: &Raw) -> Result<Raw> {
    let double = DType::Float64;
    let limit = 4_503_599_627_370_496.0;
    let scalar = |op, raw: &Raw, number: f64, dtype| {
        Raw::try_scalar(op, raw, Scalar::Float(number), false, double, dtype)
    };
    let raw = raw.cast(double).computed()?;
    let size = Raw::unary(UnaryOp::Absolute, &raw, double, double);
    let whole = scalar(BinaryOp::Subtract, &scalar(BinaryOp::Add, &size, limit, double)?, limit, double)?;
    let negative = Raw::unary(UnaryOp::Negative, &whole, double, double);
    let is_negative = scalar(BinaryOp::Less, &raw, 0.0, DType::Bool)?;
    let signed = Raw::try_select(&is_negative, Value::Array(negative), Value::Array(whole), double)?;
    let is_small = scalar(BinaryOp::Less, &size, limit, DType::Bool)?;
    Raw::try_select(&is_small, Value::Array(signed), Value::Array(raw), double)
}

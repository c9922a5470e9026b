//! Data as a series of points. A cell only hands it over: everything after that
//! is compiled once, where it is drawn.
//!
//! These traits are beside arrays, because what is plotted is what can become an
//! array, and Rust lets only this crate say so.

use std::ops::{Range, RangeInclusive};
use std::time::{SystemTime, UNIX_EPOCH};

use gpurepl_kernels::DType;

use crate::array::{Raw, SliceItem, Slices, ToGpu, upload};
use crate::error::{OrRaise as _, Result};
use crate::shape::IntoShape as _;

/// Numbers that can be plotted: arrays on the device, which are read there;
/// vectors, slices and arrays of numbers; arrays of `ndarray`; ranges of
/// whole numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be plotted",
    note = "plot a reference to an array, a slice, a `Vec` or an `ndarray` array of numbers, or a range such as `0..10`"
)]
pub trait PlotData {
    #[doc(hidden)]
    fn plot_data(&self) -> Result<Raw>;
}

impl<A: ToGpu + ?Sized> PlotData for A {
    fn plot_data(&self) -> Result<Raw> {
        self.upload()
    }
}

macro_rules! sizes {
    ($($for:ty [$($generics:tt)*];)*) => {$(
        impl<$($generics)*> PlotData for $for {
            fn plot_data(&self) -> Result<Raw> {
                sizes(&self[..])
            }
        }
    )*};
}
sizes! {
    [usize] [];
    &[usize] [];
    Vec<usize> [];
    &Vec<usize> [];
    [usize; N] [const N: usize];
    &[usize; N] [const N: usize];
}

fn sizes(values: &[usize]) -> Result<Raw> {
    let values: Vec<u64> = values.iter().map(|value| *value as u64).collect();
    values.upload()
}

macro_rules! ranges {
    ($($t:ty)*) => {$(
        impl PlotData for Range<$t> {
            fn plot_data(&self) -> Result<Raw> {
                counted(self.start as i128, self.end as i128)
            }
        }

        impl PlotData for RangeInclusive<$t> {
            fn plot_data(&self) -> Result<Raw> {
                counted(*self.start() as i128, *self.end() as i128 + 1)
            }
        }
    )*};
}
ranges!(i32 i64 u32 u64 usize);

fn counted(start: i128, end: i128) -> Result<Raw> {
    let values: Vec<f64> = (start..end.max(start)).map(|value| value as f64).collect();
    upload(values.len().into_dims(), DType::Float64, bytemuck::cast_slice(&values))
}

/// What a series is made of: values, which stand at 0, 1, 2 and so on, or a
/// pair of places and values, `(&x, &y)`. Places can be names as well:
/// `(["a", "b"], [3, 5])`. Last may stand how they are drawn, in Matplotlib's
/// letters: `(&y, "ro")`, `(&x, &y, "r--")`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a series that can be plotted",
    note = "plot values, `&y`, or a pair of places and values, `(&x, &y)`: arrays, slices, vectors or ranges"
)]
pub trait IntoSeries {
    #[doc(hidden)]
    fn into_series(self) -> Points;
}

/// The data of a series.
#[doc(hidden)]
pub struct Points {
    /// The places, where they are given.
    pub x: Option<Raw>,
    /// Their names instead.
    pub names: Vec<String>,
    /// The values.
    pub y: Raw,
    /// How they are drawn, in Matplotlib's letters: `r--`. Empty if that was
    /// not said.
    pub format: String,
}

impl<D: PlotData> IntoSeries for D {
    #[track_caller]
    fn into_series(self) -> Points {
        points(None, self.plot_data())
    }
}

impl<X: PlotData, Y: PlotData> IntoSeries for (X, Y) {
    #[track_caller]
    fn into_series(self) -> Points {
        points(Some(self.0.plot_data()), self.1.plot_data())
    }
}

#[track_caller]
fn points(x: Option<Result<Raw>>, y: Result<Raw>) -> Points {
    Points { x: x.map(|x| x.or_raise()), names: Vec::new(), y: y.or_raise(), format: String::new() }
}

macro_rules! named {
    ($($for:ty [$($generics:tt)*];)*) => {$(
        impl<$($generics)* Y: PlotData> IntoSeries for ($for, Y) {
            #[track_caller]
            fn into_series(self) -> Points {
                let names = self.0.iter().map(|name| name[..].to_owned()).collect();
                named(names, self.1.plot_data())
            }
        }
    )*};
}
named! {
    [&str; N] [const N: usize,];
    &[&str; N] [const N: usize,];
    &[&str] [];
    Vec<&str> [];
    &Vec<&str> [];
    Vec<String> [];
    &Vec<String> [];
}

#[track_caller]
fn named(names: Vec<String>, y: Result<Raw>) -> Points {
    Points { x: None, names, y: y.or_raise(), format: String::new() }
}

macro_rules! with_formats {
    ($($format:ty)*) => {$(
        /// Values and how they are drawn: `plot((&y, "ro"))`.
        impl<Y: PlotData> IntoSeries for (Y, $format) {
            #[track_caller]
            fn into_series(self) -> Points {
                Points { format: self.1.to_owned(), ..points(None, self.0.plot_data()) }
            }
        }

        /// Places, values and how they are drawn: `plot((&x, &y, "r--"))`.
        impl<X: PlotData, Y: PlotData> IntoSeries for (X, Y, $format) {
            #[track_caller]
            fn into_series(self) -> Points {
                Points { format: self.2.to_owned(), ..points(Some(self.0.plot_data()), self.1.plot_data()) }
            }
        }
    )*};
}
with_formats!(&str);

/// A number of any type, as a place on an axis.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a place on an axis",
    note = "give a number, such as `0` or `0.5`; an array's element is `a.item()`"
)]
pub trait PlotNumber {
    #[doc(hidden)]
    fn plot_number(self) -> f64;
}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl PlotNumber for $t {
            fn plot_number(self) -> f64 {
                self as f64
            }
        }
    )*};
}
numbers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);

/// A time of the system's clock: seconds since 1970, below zero before.
impl PlotNumber for SystemTime {
    fn plot_number(self) -> f64 {
        match self.duration_since(UNIX_EPOCH) {
            Ok(after) => after.as_secs_f64(),
            Err(before) => -before.duration().as_secs_f64(),
        }
    }
}

impl PlotNumber for half::f16 {
    fn plot_number(self) -> f64 {
        self.to_f64()
    }
}

/// Where the ticks of an axis stand: places, or places and their names,
/// `(&[0.0, 1.0], ["no", "yes"])`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say where ticks stand",
    note = "give places, `&[0.0, 0.5, 1.0]`, or places and their names, `(&[0.0, 1.0], [\"no\", \"yes\"])`"
)]
pub trait IntoTicks {
    #[doc(hidden)]
    fn into_ticks(self) -> (Result<Raw>, Option<Vec<String>>);
}

impl<D: PlotData> IntoTicks for D {
    fn into_ticks(self) -> (Result<Raw>, Option<Vec<String>>) {
        (self.plot_data(), None)
    }
}

impl<D: PlotData, N: PlotNames> IntoTicks for (D, N) {
    fn into_ticks(self) -> (Result<Raw>, Option<Vec<String>>) {
        (self.0.plot_data(), Some(self.1.plot_names()))
    }
}

/// Texts, one for each of several things.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of texts",
    note = "give an array, a slice or a `Vec` of texts: `[\"a\", \"b\"]`"
)]
pub trait PlotNames {
    #[doc(hidden)]
    fn plot_names(&self) -> Vec<String>;
}

macro_rules! names {
    ($($for:ty [$($generics:tt)*];)*) => {$(
        impl<$($generics)*> PlotNames for $for {
            fn plot_names(&self) -> Vec<String> {
                self.iter().map(|name| name[..].to_owned()).collect()
            }
        }
    )*};
}
names! {
    [&str; N] [const N: usize];
    &[&str; N] [const N: usize];
    [String; N] [const N: usize];
    &[String; N] [const N: usize];
    &[&str] [];
    &[String] [];
    Vec<&str> [];
    &Vec<&str> [];
    Vec<String> [];
    &Vec<String> [];
}

/// The columns of a matrix, each with its own handle.
///
/// # Errors
///
/// If the matrix cannot be computed.
#[doc(hidden)]
pub fn columns(matrix: &Raw) -> Result<Vec<Raw>> {
    let count = matrix.shape().lengths().get(1).copied().unwrap_or(0);
    let whole = SliceItem::Range { start: None, end: None, step: 1 };
    let column = |k: usize| matrix.sliced(Slices::new(&[whole, SliceItem::At(k as i64)]));
    (0..count).map(column).collect()
}

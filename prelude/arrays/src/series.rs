//! Data as a series of points. A cell only hands it over: everything after that
//! is compiled once, where it is drawn.
//!
//! These traits are beside arrays, because what is plotted is what can become an
//! array, and Rust lets only this crate say so.

use std::ops::{Range, RangeInclusive};

use gpurepl_kernels::DType;

use crate::array::{Raw, ToGpu, upload};
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
/// `(["a", "b"], [3, 5])`.
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
    Points { x: x.map(|x| x.or_raise()), names: Vec::new(), y: y.or_raise() }
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
    Points { x: None, names, y: y.or_raise() }
}

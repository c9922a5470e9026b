//! Data of more than one part, as figures take it: values over a plane, groups
//! of values, places in time. As [`series`](crate::series) it is beside arrays,
//! because Rust lets only this crate say what it is.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::array::{Elem, GpuArray, Raw, SliceItem, Slices, ToGpu};
use crate::error::Result;
use crate::series::{PlotData, PlotNames, columns};
use crate::shape::IntoShape as _;

/// Values over a plane: a matrix, `&z`, whose columns and rows stand at 0, 1, 2
/// and so on, or a matrix with the places of its columns and of its rows,
/// `(&x, &y, &z)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a field that can be plotted",
    note = "plot a matrix, `&z`, or the places of its columns and rows with it, `(&x, &y, &z)`"
)]
pub trait IntoField {
    #[doc(hidden)]
    fn into_field(self) -> Result<Field>;
}

/// The data of a field.
#[doc(hidden)]
pub struct Field {
    /// The places of columns and of rows, where they are given.
    pub places: Option<(Raw, Raw)>,
    /// The values.
    pub values: Raw,
}

impl<D: PlotData> IntoField for D {
    fn into_field(self) -> Result<Field> {
        Ok(Field { places: None, values: self.plot_data()? })
    }
}

impl<X: PlotData, Y: PlotData, Z: PlotData> IntoField for (X, Y, Z) {
    fn into_field(self) -> Result<Field> {
        let places = Some((self.0.plot_data()?, self.1.plot_data()?));
        Ok(Field { places, values: self.2.plot_data()? })
    }
}

/// Groups of values: one, `&a`, the columns of a matrix, or a list of arrays,
/// `[&a, &b]`. Their names may stand before them: `(["a", "b"], [&a, &b])`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made of groups of values",
    note = "give values, `&a`, a matrix with a group in each column, a list of arrays, `[&a, &b]`, or names and such: \
            `([\"a\", \"b\"], [&a, &b])`"
)]
pub trait IntoGroups {
    #[doc(hidden)]
    fn into_groups(self) -> Result<Groups>;
}

/// Values in groups, and the names of these, where they have some.
#[doc(hidden)]
pub struct Groups {
    pub names: Vec<String>,
    pub parts: Vec<Raw>,
}

impl<D: PlotData> IntoGroups for D {
    fn into_groups(self) -> Result<Groups> {
        let raw = self.plot_data()?;
        let parts = if raw.shape().rank() == 2 { columns(&raw)? } else { vec![raw] };
        Ok(Groups { names: Vec::new(), parts })
    }
}

impl<N: PlotNames, D: IntoGroups> IntoGroups for (N, D) {
    fn into_groups(self) -> Result<Groups> {
        Ok(Groups { names: self.0.plot_names(), ..self.1.into_groups()? })
    }
}

macro_rules! lists {
    ($($for:ty [$($generics:tt)*];)*) => {$(
        impl<T: Elem, $($generics)*> IntoGroups for $for {
            fn into_groups(self) -> Result<Groups> {
                let parts = self.iter().map(|part| part.upload()).collect::<Result<Vec<Raw>>>()?;
                Ok(Groups { names: Vec::new(), parts })
            }
        }
    )*};
}
lists! {
    [&GpuArray<T>; N] [const N: usize];
    &[&GpuArray<T>; N] [const N: usize];
    [GpuArray<T>; N] [const N: usize];
    &[GpuArray<T>; N] [const N: usize];
    &[GpuArray<T>] [];
    Vec<GpuArray<T>> [];
    &Vec<GpuArray<T>> [];
    Vec<&GpuArray<T>> [];
    [&Vec<T>; N] [const N: usize];
}

macro_rules! times {
    ($($for:ty [$($generics:tt)*];)*) => {$(
        /// Seconds since 1970-01-01 in UTC; the axis shows their number.
        impl<$($generics)*> PlotData for $for {
            fn plot_data(&self) -> Result<Raw> {
                self.iter().map(seconds).collect::<Vec<f64>>().upload()
            }
        }
    )*};
}
times! {
    [SystemTime] [];
    &[SystemTime] [];
    Vec<SystemTime> [];
    &Vec<SystemTime> [];
    [SystemTime; N] [const N: usize];
    &[SystemTime; N] [const N: usize];
}

fn seconds(time: &SystemTime) -> f64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_secs_f64(),
        Err(before) => -before.duration().as_secs_f64(),
    }
}

/// The parts of an image along its last axis: red, green, blue and what else
/// there is, each as a matrix.
///
/// # Errors
///
/// If the image cannot be computed.
#[doc(hidden)]
pub fn channels(image: &Raw) -> Result<Vec<Raw>> {
    let count = image.shape().lengths().last().copied().unwrap_or(0);
    let whole = SliceItem::Range { start: None, end: None, step: 1 };
    (0..count).map(|k| image.sliced(Slices::new(&[whole, whole, SliceItem::At(k as i64)]))).collect()
}

/// The elements in ascending order, with one axis; NaN last.
///
/// # Errors
///
/// If they cannot be computed or sorted.
#[doc(hidden)]
pub fn sorted(raw: &Raw) -> Result<Raw> {
    crate::array::sorted(&raw.try_reshape([raw.shape().size()].into_dims())?, 0)
}

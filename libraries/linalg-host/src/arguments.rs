//! The arrays of a call: their types, shapes and elements.

use bytemuck::{cast_slice, cast_slice_mut};
use gpurepl_plugin::{Array, Call};
use num_complex::Complex;

use crate::magnitude::NOT_FINITE;
use crate::scalar::{Cx, Re, Real, Scalar};

/// A function of the plugin, for every type of elements.
pub trait Routine {
    /// What cells call it.
    const NAME: &'static str;

    /// The names of its arrays, for messages; `numbers` may decide which there are.
    fn arrays(numbers: &[i64]) -> &'static [&'static str];

    /// How many numbers it takes.
    const NUMBERS: usize = 0;

    /// Does its work. There are as many arrays and numbers as it takes.
    ///
    /// # Errors
    ///
    /// If shapes or types do not fit, or the elements are not for this routine.
    fn run<T: Scalar>(arrays: &mut [Array<'_>], numbers: &[i64]) -> Result<(), String>;
}

/// Calls a routine with the type of elements that the first array has.
///
/// # Errors
///
/// The routine's, or that its arguments are of another kind.
pub fn dispatch<R: Routine>(call: &mut Call<'_>) -> Result<(), String> {
    let (name, numbers) = (R::NAME, call.numbers);
    if numbers.len() != R::NUMBERS {
        let plural = if R::NUMBERS == 1 { "" } else { "s" };
        return Err(format!("{name} takes {} number{plural}, not {}", R::NUMBERS, numbers.len()));
    }
    let names = R::arrays(numbers);
    let arrays = &mut call.arrays[..];
    if arrays.len() != names.len() {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        return Err(format!("{name} takes the arrays {}, not {} arrays", names.join(", "), arrays.len()));
    }
    if let Some((name_of_array, array)) = names.iter().zip(&*arrays).find(|(_, array)| !is_contiguous(array))
    {
        return Err(format!(
            "{name}: `{name_of_array}` is not contiguous: shape {:?}, strides {:?}",
            array.shape(),
            array.strides()
        ));
    }
    let first = &arrays[0];
    let outcome = if first.slice::<f32>().is_ok() {
        R::run::<f32>(arrays, numbers)
    } else if first.slice::<f64>().is_ok() {
        R::run::<f64>(arrays, numbers)
    } else if first.slice::<[f32; 2]>().is_ok() {
        R::run::<Complex<f32>>(arrays, numbers)
    } else if first.slice::<[f64; 2]>().is_ok() {
        R::run::<Complex<f64>>(arrays, numbers)
    } else {
        Err(format!("`{}` is not of float32, float64, complex64 or complex128", names[0]))
    };
    outcome.map_err(|error| if error == NOT_FINITE { error } else { format!("{name}: {error}") })
}

fn is_contiguous(array: &Array<'_>) -> bool {
    if array.shape().contains(&0) {
        return true;
    }
    let mut step = 1;
    let axes = array.shape().iter().zip(array.strides()).rev();
    axes.into_iter().all(|(&length, &stride)| {
        let fits = length == 1 || stride == step;
        step *= length as isize;
        fits
    }) && array.first() == 0
}

/// The shape of an array, with what a message calls it.
#[derive(Clone, Copy)]
pub struct Named<'a> {
    name: &'static str,
    shape: &'a [usize],
}

/// The matrices of an array: its last two axes.
#[derive(Clone, Copy)]
pub struct Matrices<'a> {
    array: Named<'a>,
    /// Rows of each.
    pub rows: usize,
    /// Columns of each.
    pub columns: usize,
    /// How many there are: the product of the other axes.
    pub count: usize,
}

/// The matrices of an array.
///
/// # Errors
///
/// If it has less than two axes.
pub fn matrices<'a>(name: &'static str, array: &'a Array<'_>) -> Result<Matrices<'a>, String> {
    let array = Named { name, shape: array.shape() };
    let &[ref batch @ .., rows, columns] = array.shape else {
        return Err(format!(
            "`{name}` of shape {:?} has no matrices: it is to have two axes or more",
            array.shape
        ));
    };
    let count = if batch.contains(&0) {
        0
    } else {
        let count = batch.iter().try_fold(1_usize, |count, &length| count.checked_mul(length));
        count.ok_or_else(|| format!("`{name}` has more matrices than can be counted"))?
    };
    Ok(Matrices { array, rows, columns, count })
}

impl Matrices<'_> {
    /// That they are square: their order.
    ///
    /// # Errors
    ///
    /// If they are not.
    pub fn order(&self) -> Result<usize, String> {
        if self.rows == self.columns {
            return Ok(self.rows);
        }
        let Named { name, shape } = self.array;
        Err(format!("`{name}` of shape {shape:?} has no square matrices"))
    }

    /// Checks that another array has the same leading axes, and then these.
    ///
    /// # Errors
    ///
    /// If it has not.
    pub fn fit(&self, name: &'static str, array: &Array<'_>, axes: &[usize]) -> Result<(), String> {
        let Named { name: own, shape } = self.array;
        let wanted: Vec<usize> = shape[..shape.len() - 2].iter().chain(axes).copied().collect();
        if array.shape() == wanted {
            return Ok(());
        }
        Err(format!(
            "`{name}` of shape {:?} does not fit `{own}` of shape {shape:?}: it is to be {wanted:?}",
            array.shape()
        ))
    }
}

fn named<T>(name: &str, result: Result<T, String>) -> Result<T, String> {
    result.map_err(|error| format!("`{name}`: {error}"))
}

/// The elements of an array to read.
///
/// # Errors
///
/// If they have another type.
pub fn read<'a, T: Scalar>(name: &str, array: &'a Array<'_>) -> Result<&'a [T], String> {
    named(name, array.slice::<T::Raw>()).map(cast_slice)
}

/// The elements of an array to fill.
///
/// # Errors
///
/// If they have another type, or are to be read only.
pub fn fill<'a, T: Scalar>(name: &str, array: &'a mut Array<'_>) -> Result<&'a mut [T], String> {
    named(name, array.slice_mut::<T::Raw>()).map(cast_slice_mut)
}

/// The elements of an array of real numbers to fill.
///
/// # Errors
///
/// As [`fill`].
pub fn fill_real<'a, T: Scalar>(name: &str, array: &'a mut Array<'_>) -> Result<&'a mut [Re<T>], String> {
    named(name, array.slice_mut::<Re<T>>())
}

/// The elements of an array of complex numbers to fill.
///
/// # Errors
///
/// As [`fill`].
pub fn fill_complex<'a, T: Scalar>(name: &str, array: &'a mut Array<'_>) -> Result<&'a mut [Cx<T>], String> {
    named(name, array.slice_mut::<<Re<T> as Real>::RawComplex>()).map(cast_slice_mut)
}

/// The whole numbers of an array to fill: outcomes or pivots.
///
/// # Errors
///
/// As [`fill`].
pub fn fill_whole<'a>(name: &str, array: &'a mut Array<'_>) -> Result<&'a mut [i64], String> {
    named(name, array.slice_mut::<i64>())
}

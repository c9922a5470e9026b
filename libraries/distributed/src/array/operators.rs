//! `+ - * / %` between arrays whose rows lie on the same ranks, and with numbers.

use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

use gpurepl_extend::arrays::{AnyScalar, NumberFor, Promote};
use gpurepl_extend::{Elem, GpuArray, OrRaise as _, Result, error};
use num_complex::{Complex32, Complex64};

use super::{DistArray, Split, check_like};

/// The rows of a result of two arrays, which are those of both. Other axes of length 1 are repeated, as NumPy does.
fn joint(operation: &'static str, one: &Split, other: &Split, local: &[usize]) -> Result<Split> {
    check_like(operation, one, other)?;
    // With fewer axes the rows would be another axis of the other.
    if one.shape().len() != other.shape().len() {
        let message = format!(
            "shapes {:?} and {:?} have different numbers of axes, so that rows would meet columns; give both as many: \
             `b.map(|b| b.expand_dims(1))?`",
            one.shape(),
            other.shape()
        );
        return Err(error::shape(operation, message));
    }
    Ok(one.with_rest(&local[1..]))
}

macro_rules! operators {
    ($($trait:ident $method:ident $name:literal => $out:ty;)*) => {$(
        operators!(@arrays $trait $method $name => $out, (&DistArray<T>) (&DistArray<U>));
        operators!(@arrays $trait $method $name => $out, (&DistArray<T>) (DistArray<U>));
        operators!(@arrays $trait $method $name => $out, (DistArray<T>) (&DistArray<U>));
        operators!(@arrays $trait $method $name => $out, (DistArray<T>) (DistArray<U>));
        operators!(@number $trait $method, (&DistArray<T>));
        operators!(@number $trait $method, (DistArray<T>));
    )*};
    (@arrays $trait:ident $method:ident $name:literal => $out:ty, ($left:ty) ($right:ty)) => {
        impl<T: Promote<U>, U: Elem> $trait<$right> for $left {
            type Output = DistArray<$out>;

            /// # Panics
            ///
            /// With an [`Error`](gpurepl_extend::Error), if the rows lie on other ranks, or the shapes do not go
            /// together.
            #[track_caller]
            fn $method(self, other: $right) -> DistArray<$out> {
                // Checked first: a part of one row would be repeated for the rows of the other.
                joint($name, &self.split, &other.split, self.split.shape()).or_raise();
                let local = (&self.local).$method(&other.local);
                let split = joint($name, &self.split, &other.split, local.shape()).or_raise();
                DistArray { local, split }
            }
        }
    };
    (@number $trait:ident $method:ident, ($left:ty)) => {
        impl<T: Elem, S: AnyScalar + NumberFor<T>, V: Elem> $trait<S> for $left
        where
            for<'a> &'a GpuArray<T>: $trait<S, Output = GpuArray<V>>,
        {
            type Output = DistArray<V>;

            #[track_caller]
            fn $method(self, number: S) -> DistArray<V> {
                DistArray { local: (&self.local).$method(number), split: self.split.clone() }
            }
        }
    };
}
operators! {
    Add add "add" => <T as Promote<U>>::Out;
    Sub sub "subtract" => <T as Promote<U>>::Out;
    Mul mul "multiply" => <T as Promote<U>>::Out;
    Div div "divide" => <<T as Promote<U>>::Out as Elem>::Quotient;
    Rem rem "remainder" => <<T as Promote<U>>::Out as Elem>::Whole;
}

/// With a number on the left.
macro_rules! left_numbers {
    ($($number:ident: $($trait:ident $method:ident),*;)*) => {$($(
        left_numbers!(@one $number $trait $method (&DistArray<T>));
        left_numbers!(@one $number $trait $method (DistArray<T>));
    )*)*};
    (@one $number:ident $trait:ident $method:ident ($right:ty)) => {
        impl<T: Elem, V: Elem> $trait<$right> for $number
        where
            for<'a> $number: $trait<&'a GpuArray<T>, Output = GpuArray<V>>,
        {
            type Output = DistArray<V>;

            #[track_caller]
            fn $method(self, array: $right) -> DistArray<V> {
                DistArray { local: self.$method(&array.local), split: array.split.clone() }
            }
        }
    };
}
left_numbers! {
    f64: Add add, Sub sub, Mul mul, Div div, Rem rem;
    i32: Add add, Sub sub, Mul mul, Div div, Rem rem;
    Complex32: Add add, Sub sub, Mul mul, Div div;
    Complex64: Add add, Sub sub, Mul mul, Div div;
}

impl<T: Elem> Neg for &DistArray<T>
where
    for<'a> &'a GpuArray<T>: Neg<Output = GpuArray<T>>,
{
    type Output = DistArray<T>;

    fn neg(self) -> DistArray<T> {
        DistArray { local: -&self.local, split: self.split.clone() }
    }
}

impl<T: Elem> Neg for DistArray<T>
where
    for<'a> &'a GpuArray<T>: Neg<Output = GpuArray<T>>,
{
    type Output = DistArray<T>;

    fn neg(self) -> DistArray<T> {
        -&self
    }
}

//! Shapes: the lengths of an array's axes.

use crate::error::{Problem, Result};

/// The most axes that an array can have.
pub const MAX_RANK: usize = 8;

/// The most elements, of the largest type, that can be addressed.
const MAX_SIZE: usize = isize::MAX as usize / 16;

/// The lengths of an array's axes, the slowest first.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[doc(hidden)]
pub struct Shape {
    rank: u8,
    lengths: [usize; MAX_RANK],
}

impl Shape {
    pub const SCALAR: Shape = Shape { rank: 0, lengths: [0; MAX_RANK] };

    /// The shape with these lengths.
    ///
    /// # Panics
    ///
    /// If there are more than [`MAX_RANK`]; users' shapes come through [`Dims`].
    pub fn new(lengths: &[usize]) -> Shape {
        let mut shape = Shape { rank: lengths.len() as u8, ..Shape::SCALAR };
        shape.lengths[..lengths.len()].copy_from_slice(lengths);
        shape
    }

    pub fn lengths(&self) -> &[usize] {
        &self.lengths[..usize::from(self.rank)]
    }

    pub fn rank(&self) -> usize {
        usize::from(self.rank)
    }

    /// The number of elements. It was checked not to overflow when the shape
    /// was made from a user's.
    pub fn size(&self) -> usize {
        self.lengths().iter().product()
    }

    /// The shape without one of its axes.
    pub fn without(self, axis: usize) -> Shape {
        let mut lengths = self.lengths().to_vec();
        lengths.remove(axis);
        Shape::new(&lengths)
    }

    /// The strides in elements of a contiguous array in C order.
    pub fn strides(&self) -> Strides {
        let mut strides = [0; MAX_RANK];
        let mut step = 1isize;
        for axis in (0..self.rank()).rev() {
            strides[axis] = step;
            step *= self.lengths[axis].max(1) as isize;
        }
        strides
    }

    /// The shape that both stretch to, by NumPy's rule: from the last axis,
    /// lengths are equal or one of them is 1.
    pub fn broadcast(self, other: Shape, operation: &'static str) -> Result<Shape> {
        let mut shape = if self.rank >= other.rank { self } else { other };
        for back in 1..=shape.rank() {
            let length = |s: &Shape| s.rank().checked_sub(back).map_or(1, |axis| s.lengths[axis]);
            let axis = shape.rank() - back;
            shape.lengths[axis] = match (length(&self), length(&other)) {
                (a, b) if a == b => a,
                (1, b) => b,
                (a, 1) => a,
                _ => {
                    return Err(Problem::Broadcast {
                        operation,
                        left: self.lengths().to_vec(),
                        right: other.lengths().to_vec(),
                    }
                    .into());
                }
            };
        }
        let sizes = shape.lengths().iter().try_fold(1_usize, |size, length| size.checked_mul(*length));
        match sizes.filter(|size| *size <= MAX_SIZE) {
            Some(_) => Ok(shape),
            None if shape.lengths().contains(&0) => Ok(shape),
            None => {
                let (left, right) = (self.lengths(), other.lengths());
                let message = format!("shapes {left:?} and {right:?} have too many elements together");
                Err(Problem::Shape { operation, message }.into())
            }
        }
    }
}

impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.lengths())
    }
}

/// Steps between neighbours along each axis, in elements.
#[doc(hidden)]
pub type Strides = [isize; MAX_RANK];

/// Lengths as a user wrote them: not yet checked, with room for the `-1` of
/// `reshape`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dims {
    rank: u8,
    lengths: [i64; MAX_RANK],
    too_many: bool,
}

impl Dims {
    fn new() -> Dims {
        Dims { rank: 0, lengths: [0; MAX_RANK], too_many: false }
    }

    fn push(&mut self, length: i64) {
        match self.lengths.get_mut(usize::from(self.rank)) {
            Some(place) => {
                *place = length;
                self.rank += 1;
            }
            None => self.too_many = true,
        }
    }

    fn lengths(&self) -> &[i64] {
        &self.lengths[..usize::from(self.rank)]
    }

    /// The numbers, for what takes axes or counts in the place of lengths.
    #[doc(hidden)]
    pub fn numbers(&self, operation: &'static str) -> Result<&[i64]> {
        if self.too_many {
            let message = format!("arrays have at most {MAX_RANK} axes, and more numbers are given");
            return Err(Problem::Shape { operation, message }.into());
        }
        Ok(self.lengths())
    }

    /// The shape, if every length is possible and an array of elements of
    /// `itemsize` bytes can be addressed.
    #[doc(hidden)]
    pub fn shape(&self, operation: &'static str, itemsize: usize) -> Result<Shape> {
        let wrong = |message: String| Err(Problem::Shape { operation, message }.into());
        if self.too_many {
            return wrong(format!("arrays have at most {MAX_RANK} axes"));
        }
        let mut shape = Shape { rank: self.rank, ..Shape::SCALAR };
        let mut bytes = itemsize;
        for (to, from) in shape.lengths.iter_mut().zip(self.lengths()) {
            match usize::try_from(*from) {
                Ok(length) => *to = length,
                Err(_) => return wrong(format!("an axis cannot have length {from}")),
            }
            bytes = match bytes.checked_mul((*to).max(1)) {
                Some(bytes) if bytes <= isize::MAX as usize => bytes,
                _ => return wrong(format!("{:?} is larger than any memory", self.lengths())),
            };
        }
        Ok(shape)
    }

    /// The shape for `size` elements, where one length may be -1.
    #[doc(hidden)]
    pub fn reshaped(&self, from: Shape) -> Result<Shape> {
        let operation = "reshape";
        let wrong = |message: String| Err(Problem::Shape { operation, message }.into());
        let unknown: Vec<usize> =
            (0..usize::from(self.rank)).filter(|&axis| self.lengths[axis] == -1).collect();
        let mut known = *self;
        match unknown[..] {
            [] => {}
            [axis] => {
                known.lengths[axis] = 1;
                let rest = known.shape(operation, 1)?.size();
                if rest == 0 || !from.size().is_multiple_of(rest) {
                    return wrong(format!(
                        "cannot reshape array of size {} into shape {:?}",
                        from.size(),
                        self.lengths()
                    ));
                }
                known.lengths[axis] = (from.size() / rest) as i64;
            }
            _ => return wrong(format!("{:?} leaves more than one length open", self.lengths())),
        }
        let shape = known.shape(operation, 1)?;
        if shape.size() != from.size() {
            return wrong(format!(
                "cannot reshape array of size {} into shape {shape:?}, which has {} elements\n  = help: a length of -1 is \
                 worked out from the others: `a.reshape(-1)`",
                from.size(),
                shape.size()
            ));
        }
        Ok(shape)
    }
}

/// Something that says how long each axis is: `5`, `(3, 4)`, `[3, 4]`,
/// `a.shape()`.
///
/// ```
/// use gpurepl_prelude::*;
/// let n = 3_usize;
/// assert_eq!(zeros::<f32>((n, 4)).shape(), [3, 4]);
/// assert_eq!(zeros::<f32>([2, 2, 2]).shape(), [2, 2, 2]);
/// assert_eq!(zeros::<f32>(()).ndim(), 0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a shape",
    note = "a shape is `5`, `(3, 4)`, `[3, 4]`, `a.shape()` or `()` for a single element"
)]
pub trait IntoShape {
    #[doc(hidden)]
    fn into_dims(self) -> Dims;
}

/// A whole number that can be the length of an axis.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the length of an axis",
    note = "use a whole number"
)]
pub trait Length {
    #[doc(hidden)]
    fn length(self) -> i64;
}

macro_rules! lengths {
    ($($t:ty)*) => {$(
        impl Length for $t {
            fn length(self) -> i64 {
                // Beyond i64 there is no memory either; -1 would mean "work it out".
                i64::try_from(self).unwrap_or(i64::MAX)
            }
        }

        impl Length for &$t {
            fn length(self) -> i64 {
                (*self).length()
            }
        }

        impl IntoShape for $t {
            fn into_dims(self) -> Dims {
                let mut dims = Dims::new();
                dims.push(self.length());
                dims
            }
        }

        impl IntoShape for &[$t] {
            fn into_dims(self) -> Dims {
                let mut dims = Dims::new();
                for length in self {
                    dims.push(length.length());
                }
                dims
            }
        }

        impl<const N: usize> IntoShape for [$t; N] {
            fn into_dims(self) -> Dims {
                self.as_slice().into_dims()
            }
        }

        impl<const N: usize> IntoShape for &[$t; N] {
            fn into_dims(self) -> Dims {
                self.as_slice().into_dims()
            }
        }

        impl IntoShape for Vec<$t> {
            fn into_dims(self) -> Dims {
                self.as_slice().into_dims()
            }
        }

        impl IntoShape for &Vec<$t> {
            fn into_dims(self) -> Dims {
                self.as_slice().into_dims()
            }
        }
    )*};
}
lengths!(i32 i64 isize u32 u64 usize);

impl IntoShape for () {
    fn into_dims(self) -> Dims {
        Dims::new()
    }
}

macro_rules! tuples {
    ($(($($name:ident $place:tt),+))*) => {$(
        impl<$($name: Length),+> IntoShape for ($($name,)+) {
            fn into_dims(self) -> Dims {
                let mut dims = Dims::new();
                $(dims.push(self.$place.length());)+
                dims
            }
        }
    )*};
}
crate::for_tuples!(up to 8, tuples);

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(dims: impl IntoShape) -> Result<Shape> {
        dims.into_dims().shape("test", 4)
    }

    #[test]
    fn shapes_that_cannot_be_are_refused() {
        for (dims, message) in [
            ((-1, 3).into_dims(), "test: an axis cannot have length -1"),
            (
                (1_i64 << 40, 1_i64 << 40).into_dims(),
                "test: [1099511627776, 1099511627776] is larger than any memory",
            ),
            (u64::MAX.into_dims(), "test: [9223372036854775807] is larger than any memory"),
            (vec![1; 9].into_dims(), "test: arrays have at most 8 axes"),
        ] {
            assert_eq!(dims.shape("test", 4).unwrap_err().to_string(), message);
        }
        assert_eq!(shape((0, 5)).unwrap().size(), 0);
        assert_eq!(shape(()).unwrap().size(), 1);
    }

    #[test]
    fn broadcasting_is_numpys() {
        let broadcast = |a: &[usize], b: &[usize]| {
            Shape::new(a).broadcast(Shape::new(b), "add").map(|shape| shape.lengths().to_vec())
        };
        assert_eq!(broadcast(&[3, 4], &[4]).unwrap(), [3, 4]);
        assert_eq!(broadcast(&[3, 1], &[1, 4]).unwrap(), [3, 4]);
        assert_eq!(broadcast(&[], &[2, 2]).unwrap(), [2, 2]);
        assert_eq!(broadcast(&[0], &[1]).unwrap(), [0]);
        let message = broadcast(&[3, 4], &[5]).unwrap_err().to_string();
        assert!(message.starts_with("add: shapes [3, 4] and [5] do not broadcast\n  = help: "), "{message}");
    }

    #[test]
    fn reshape_works_out_one_length() {
        let from = Shape::new(&[3, 4]);
        let reshaped = |dims: Dims| dims.reshaped(from).map(|shape| shape.lengths().to_vec());
        assert_eq!(reshaped((2, -1).into_dims()).unwrap(), [2, 6]);
        assert_eq!(reshaped((-1).into_dims()).unwrap(), [12]);
        for (dims, message) in [
            ((5, -1).into_dims(), "reshape: cannot reshape array of size 12 into shape [5, -1]"),
            ((-1, -1).into_dims(), "reshape: [-1, -1] leaves more than one length open"),
            (7.into_dims(), "reshape: cannot reshape array of size 12 into shape [7], which has 7 elements"),
            ((-2, -6).into_dims(), "reshape: an axis cannot have length -2"),
        ] {
            let error = reshaped(dims).unwrap_err().to_string();
            assert_eq!(error.split("\n  = help: ").next(), Some(message));
        }
    }

    #[test]
    fn strides_of_an_empty_axis_are_still_steps() {
        assert_eq!(&Shape::new(&[2, 0, 3]).strides()[..3], [3, 3, 1]);
    }
}

//! What a call asks for, and whether it can be done.

use rustfft::FftDirection;

use crate::view::is_contiguous;

/// What a call asks for.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) direction: FftDirection,
    pub(crate) scale: f64,
    pub(crate) axes: Vec<usize>,
}

/// From which numbers to which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Complex,
    FromReal,
    ToReal,
}

impl Request {
    /// The numbers of a call: whether it is inverse, the bits of the scale, the axes.
    pub(crate) fn read(numbers: &[i64], rank: usize) -> Result<Request, String> {
        let &[is_inverse, scale, ref axes @ ..] = numbers else {
            return Err(format!(
                "transform takes a direction, a scale and axes, not {} numbers",
                numbers.len()
            ));
        };
        let direction = match is_inverse {
            0 => FftDirection::Forward,
            1 => FftDirection::Inverse,
            other => {
                return Err(format!("transform: the direction is 0, forward, or 1, inverse, not {other}"));
            }
        };
        if axes.is_empty() {
            return Err("transform: there is no axis to transform along".to_owned());
        }
        let mut known: Vec<usize> = Vec::new();
        for &axis in axes {
            let own = usize::try_from(axis).ok().filter(|axis| *axis < rank);
            let own = own.ok_or_else(|| format!("transform: axis {axis} of an array with {rank} axes"))?;
            if known.contains(&own) {
                return Err(format!("transform: axis {axis} is given twice"));
            }
            known.push(own);
        }
        Ok(Request { direction, scale: f64::from_bits(scale as u64), axes: known })
    }

    /// Checks that a transform of this kind leads from one shape to the other.
    pub(crate) fn check(&self, kind: Kind, from: &[usize], to: &[usize]) -> Result<(), String> {
        match (kind, self.direction) {
            (Kind::FromReal, FftDirection::Inverse) => {
                return Err("transform: from real to complex numbers it is forward, not inverse".to_owned());
            }
            (Kind::ToReal, FftDirection::Forward) => {
                return Err("transform: from complex to real numbers it is inverse, not forward".to_owned());
            }
            _ => {}
        }
        if from.len() != to.len() {
            return Err(format!("transform: the input has {} axes, the output {}", from.len(), to.len()));
        }
        let last = self.axes.last().copied();
        for (axis, (&from, &to)) in from.iter().zip(to).enumerate() {
            let is_halved = last == Some(axis);
            let (before, after) = match kind {
                Kind::FromReal if is_halved => (from / 2 + 1, to),
                Kind::ToReal if is_halved => (from, to / 2 + 1),
                _ => (from, to),
            };
            if before != after {
                let rule = match kind {
                    Kind::FromReal if is_halved => format!(": n real numbers become n/2 + 1, here {before}"),
                    Kind::ToReal if is_halved => format!(": n real numbers come from n/2 + 1, here {after}"),
                    _ => String::new(),
                };
                return Err(format!(
                    "transform: the input has {from} elements along axis {axis}, the output {to}{rule}"
                ));
            }
            if self.axes.contains(&axis) && from.min(to) == 0 {
                return Err(format!(
                    "transform: there are no elements along axis {axis}, which is to be transformed"
                ));
            }
        }
        Ok(())
    }
}

/// Checks that an output's elements, of which there are `count`, lie one after another.
pub(crate) fn check_output(
    shape: &[usize],
    strides: &[isize],
    first: usize,
    count: usize,
) -> Result<(), String> {
    let expected = shape.iter().try_fold(1usize, |count, length| count.checked_mul(*length));
    // No element: then there are no addresses either.
    if shape.contains(&0) || (expected == Some(count) && first == 0 && is_contiguous(shape, strides)) {
        return Ok(());
    }
    Err(format!(
        "transform: the output is to be contiguous; it has the shape {shape:?}, the strides {strides:?} and {count} elements"
    ))
}

//! A transform, worked out: which axes, how long, by which factor.

use gpurepl_extend::{AnyArray, DType, DeviceKind, MAX_RANK, Result, error};

use crate::options::{DefaultAxes, Known};
use crate::{cuda, host};

/// What becomes of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Complex numbers of complex ones.
    Complex,
    /// The first half of complex numbers of real ones.
    FromReal,
    /// Real numbers of the first half of complex ones.
    ToReal,
}

/// A transform of one array.
#[derive(Clone, Debug)]
pub(crate) struct Transform {
    pub name: &'static str,
    pub kind: Kind,
    pub is_inverse: bool,
    /// In the order in which they were named; the last one is halved.
    pub axes: Vec<usize>,
    /// For each axis how many elements it has where it is whole.
    pub lengths: Vec<usize>,
    /// What each element of the result is multiplied by.
    pub factor: f64,
}

impl Transform {
    pub fn new(
        x: &AnyArray,
        known: Known<'_>,
        kind: Kind,
        is_inverse: bool,
        default: DefaultAxes,
    ) -> Result<Transform> {
        let axes = axes(x.shape(), &known, default)?;
        let whole = |axis: usize, is_last: bool| match x.shape()[axis] {
            length if is_last && kind == Kind::ToReal => 2 * length.saturating_sub(1),
            length => length,
        };
        let lengths: Vec<usize> = match known.lengths {
            Some(lengths) => lengths.to_vec(),
            None => axes.iter().enumerate().map(|(k, axis)| whole(*axis, k + 1 == axes.len())).collect(),
        };
        if let Some(k) = lengths.iter().position(|length| *length == 0) {
            // NumPy's words.
            let message = format!("invalid number of data points (0) specified, along axis {}", axes[k]);
            return Err(error::invalid(known.name, message));
        }
        let n: f64 = lengths.iter().map(|length| *length as f64).product();
        let factor = known.norm.factor(n, is_inverse);
        Ok(Transform { name: known.name, kind, is_inverse, axes, lengths, factor })
    }

    /// Computes it.
    pub fn of(self, x: AnyArray) -> Result<AnyArray> {
        // Whatever is made lies beside it.
        x.context()?.scope(|| self.computed(x))?
    }

    fn computed(self, x: AnyArray) -> Result<AnyArray> {
        let mut x = x;
        for (k, (axis, length)) in self.axes.iter().zip(&self.lengths).enumerate() {
            let is_half = self.kind == Kind::ToReal && k + 1 == self.axes.len();
            x = x.resized(*axis, if is_half { length / 2 + 1 } else { *length })?;
        }
        if self.axes.is_empty() {
            return match self.kind {
                Kind::Complex => x.copied(),
                _ => Err(error::shape(self.name, "an array without axes has none to transform".to_owned())),
            };
        }
        match x.context()?.device().kind() {
            DeviceKind::Host => host::transformed(&self, &x),
            DeviceKind::Cuda => cuda::transformed(&self, x),
        }
    }

    /// How many elements an axis that is transformed has where it is whole.
    pub fn length_of(&self, axis: usize) -> usize {
        let place = self.axes.iter().position(|named| *named == axis);
        place.map_or(1, |place| self.lengths[place])
    }

    /// The shape of the result of an array, which has been resized.
    pub fn shape_of_result(&self, x: &AnyArray) -> Vec<usize> {
        let mut shape = x.shape().to_vec();
        if let (Some(axis), Some(length)) = (self.axes.last(), self.lengths.last()) {
            shape[*axis] = if self.kind == Kind::FromReal { length / 2 + 1 } else { *length };
        }
        shape
    }

    /// The type of the result.
    pub fn dtype_of_result(&self, from: DType) -> DType {
        match (self.kind, from) {
            (Kind::Complex, _) => from,
            (Kind::FromReal, DType::Float32) => DType::Complex64,
            (Kind::FromReal, _) => DType::Complex128,
            (Kind::ToReal, DType::Complex64) => DType::Float32,
            (Kind::ToReal, _) => DType::Float64,
        }
    }
}

/// The axes that are named, or those that are meant.
fn axes(shape: &[usize], known: &Known<'_>, default: DefaultAxes) -> Result<Vec<usize>> {
    let rank = shape.len();
    let of_lengths = known.lengths.map(<[usize]>::len);
    let Some(axes) = known.axes else {
        let count = match default {
            DefaultAxes::Last(count) => count,
            DefaultAxes::All => of_lengths.unwrap_or(rank),
        };
        if count > rank {
            let message =
                format!("an array of shape {shape:?} has {rank} axes, {count} are to be transformed");
            return Err(error::shape(known.name, message));
        }
        check_count(known, count)?;
        return Ok((rank - count..rank).collect());
    };
    check_count(known, axes.len())?;
    let mut found = Vec::with_capacity(MAX_RANK);
    for axis in axes {
        let place = if *axis < 0 { axis.checked_add_unsigned(rank) } else { Some(*axis) };
        let place = place.and_then(|place| usize::try_from(place).ok()).filter(|place| *place < rank);
        let Some(place) = place else {
            // NumPy's words.
            let message = format!("axis {axis} is out of bounds for array of dimension {rank}");
            return Err(error::shape(known.name, message));
        };
        if found.contains(&place) {
            let message = format!("axis {axis} is named twice in {axes:?}");
            return Err(error::invalid(known.name, message));
        }
        found.push(place);
    }
    if found.is_empty() && !matches!(default, DefaultAxes::All) {
        return Err(error::invalid(known.name, "no axis is named; name one, or leave `axes` out".to_owned()));
    }
    Ok(found)
}

fn check_count(known: &Known<'_>, axes: usize) -> Result<()> {
    match known.lengths {
        Some(lengths) if lengths.len() != axes => {
            // NumPy's words.
            let message =
                format!("Shape and axes have different lengths: {} lengths and {axes} axes", lengths.len());
            Err(error::invalid(known.name, message))
        }
        _ => Ok(()),
    }
}

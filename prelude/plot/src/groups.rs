//! Figures of groups of values, and of parts of a whole.

use gpurepl_arrays::fields::IntoGroups;
use gpurepl_arrays::series::IntoSeries;

use super::figure::Figure;

/// A box for each group of values (Tukey, 1977): from the first quartile to
/// the third, with a line at the median, whiskers to the last values within
/// one and a half times the length of the box, and rings beyond. Groups are
/// values, `&a`, the columns of a matrix, or arrays, `[&a, &b]`; their names may
/// stand first, `(["a", "b"], [&a, &b])`. Large groups are sorted on the device.
///
/// ```
/// use gpurepl_prelude::*;
/// let (a, b) = (randn::<f32>(1000), randn::<f32>(1000) * 2.0_f32);
/// boxplot((["narrow", "wide"], [&a, &b])).ylabel("volts");
/// boxplot(&randn::<f32>((100, 4))).orientation("horizontal");
/// ```
///
/// # Panics
///
/// As [`plot`](crate::plot()), if there are more than 100 groups, or not as many
/// names as groups.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn boxplot(data: impl IntoGroups) -> Figure {
    Figure::new().boxplot(data)
}

/// The density of each group of values, on both sides of a line from the least
/// to the greatest, with normal distributions as wide as Scott's rule has it.
/// Groups are given as to [`boxplot`]. Of many values those in each of 4096
/// bins are counted on the device.
///
/// ```
/// use gpurepl_prelude::*;
/// violinplot((["a", "b"], [&randn::<f32>(500), &rand::<f32>(500)])).color("tab:purple");
/// ```
///
/// # Panics
///
/// As [`boxplot`].
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn violinplot(data: impl IntoGroups) -> Figure {
    Figure::new().violinplot(data)
}

/// Parts of a whole as sectors of a disc, from the right to the left: sizes,
/// `pie(&sizes)`, or names and sizes, `pie((["a", "b"], &sizes))`.
/// [`Figure::autopct`] writes the shares into them, [`Figure::explode`] moves some
/// of them outwards, and [`Figure::startangle`] says where the first begins.
///
/// ```
/// use gpurepl_prelude::*;
/// pie((["frogs", "hogs", "dogs"], [15, 30, 55])).autopct("%1.1f%%").explode(&[0.0, 0.1, 0.0]);
/// ```
///
/// # Panics
///
/// As [`plot`](crate::plot()), or if there are more than 100 parts. A size below
/// zero, one that is not finite, or sizes of zero alone are an error when the
/// figure is drawn.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn pie(data: impl IntoSeries) -> Figure {
    Figure::new().pie(data)
}

//! Functions that give indices: meshes, diagonals, triangles, and numbers of
//! elements in C order.

use super::index::{ArrayIndex, SliceItem, Slices};
use super::indices::{Choice, IndexArray};
use super::raw::Raw;
use crate::error::{OrRaise as _, Problem, Result};

/// Lists of indices of which every one goes with every other: what [`ix_`]
/// returns.
pub struct Mesh(Vec<Raw>);

impl ArrayIndex for Mesh {
    fn slices(&self) -> Slices<'_> {
        let items: Vec<SliceItem<'_>> =
            self.0.iter().map(|raw| SliceItem::Chosen(Choice::array(raw))).collect();
        Slices::new(&items)
    }
}

/// Lists of indices for several axes: a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of indices",
    note = "write a list for each axis: `array::ix_((&rows, &columns))`"
)]
pub trait IndexLists {
    #[doc(hidden)]
    fn choices(&self) -> Vec<Choice<'_>>;
}

macro_rules! tuples {
    ($(($($name:ident $place:tt),+))*) => {$(
        impl<$($name: IndexArray),+> IndexLists for ($($name,)+) {
            fn choices(&self) -> Vec<Choice<'_>> {
                vec![$(self.$place.choice()),+]
            }
        }
    )*};
}
gpurepl_ground::for_tuples!(up to 8, tuples);

/// Every row with every column: an index for as many axes as there are lists.
/// NumPy's `np.ix_`.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = arange(0..12).reshape((3, 4));
/// let corners = &a[array::ix_((&[0, 2], &[0, -1]))];
/// assert_eq!(corners.get(), ndarray::arr2(&[[0, 3], [8, 11]]).into_dyn());
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if a list has more than one axis.
#[track_caller]
pub fn ix_<L: IndexLists>(lists: L) -> Mesh {
    Mesh(mesh(&lists.choices()).or_raise())
}

fn mesh(lists: &[Choice<'_>]) -> Result<Vec<Raw>> {
    let context = crate::device::current()?;
    let rank = lists.len();
    lists
        .iter()
        .enumerate()
        .map(|(axis, list)| {
            if list.shape().rank() != 1 {
                // NumPy's words.
                let message = format!("cross index must be 1 dimensional, and has shape {:?}", list.shape());
                return Err(Problem::Shape { operation: "ix_", message }.into());
            }
            let mut lengths = vec![1; rank];
            lengths[axis] = list.shape().size();
            list.raw(context)?.try_reshape(crate::shape::IntoShape::into_dims(lengths))
        })
        .collect()
}

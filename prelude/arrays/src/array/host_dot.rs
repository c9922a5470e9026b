//! Products of the arrays that [`GpuArray::get`](super::GpuArray::get) returns.

use ndarray::linalg::Dot as _;
use ndarray::{ArrayBase, ArrayD, Data, Dimension, IxDyn, LinalgScalar};

/// `dot` of host arrays whose number of axes is known at run time only.
/// `ndarray` has it as a method where the type says how many there are.
pub trait HostDot<A> {
    /// The sum of products of two vectors, or the product of a matrix with a
    /// matrix or a vector.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (x, m) = (gpu![1.0, 2.0], gpu![[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(x.get().dot(&x.get()).sum(), 5.0);
    /// assert_eq!(m.get().dot(&m.get()), ndarray::arr2(&[[7.0, 10.0], [15.0, 22.0]]).into_dyn());
    /// ```
    ///
    /// # Panics
    ///
    /// If an array has no axis or more than two, or their lengths do not fit.
    fn dot<S: Data<Elem = A>, D: Dimension>(&self, other: &ArrayBase<S, D>) -> ArrayD<A>;
}

impl<A: LinalgScalar, S: Data<Elem = A>> HostDot<A> for ArrayBase<S, IxDyn> {
    #[track_caller]
    fn dot<R: Data<Elem = A>, D: Dimension>(&self, other: &ArrayBase<R, D>) -> ArrayD<A> {
        (**self).dot(&*other.view().into_dyn())
    }
}

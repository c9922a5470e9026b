//! Arithmetic of arrays of any type, for libraries that compute in one of several.

use gpurepl_arrays::array::untyped;
use gpurepl_ground::Result;
use gpurepl_kernels::BinaryOp;

use crate::array::AnyArray;

/// Expressions, evaluated where they are read: a chain of them is one kernel. The shapes broadcast.
///
/// ```
/// use gpurepl_prelude::extend::AnyArray;
/// use gpurepl_prelude::*;
/// let (x, y) = (AnyArray::of(&gpu![1.0, 2.0]), AnyArray::of(&gpu![3.0, 4.0]));
/// let sum = x.times(&y)?.sum()?;
/// assert_eq!(x.added(&sum.divided(&x)?)?.typed::<f64>()?.to_vec(), [12.0, 7.5]);
/// # Ok::<(), Error>(())
/// ```
impl AnyArray {
    /// The sums of elements.
    ///
    /// # Errors
    ///
    /// If the shapes do not broadcast.
    pub fn added(&self, other: &AnyArray) -> Result<AnyArray> {
        untyped::binary(BinaryOp::Add, self.raw(), other.raw()).map(AnyArray::of_raw)
    }

    /// The differences of elements.
    ///
    /// # Errors
    ///
    /// If the shapes do not broadcast.
    pub fn subtracted(&self, other: &AnyArray) -> Result<AnyArray> {
        untyped::binary(BinaryOp::Subtract, self.raw(), other.raw()).map(AnyArray::of_raw)
    }

    /// The products of elements.
    ///
    /// # Errors
    ///
    /// If the shapes do not broadcast.
    pub fn times(&self, other: &AnyArray) -> Result<AnyArray> {
        untyped::binary(BinaryOp::Multiply, self.raw(), other.raw()).map(AnyArray::of_raw)
    }

    /// The quotients of elements, of floats or complex numbers.
    ///
    /// # Errors
    ///
    /// If the shapes do not broadcast, or the elements are integers.
    pub fn divided(&self, other: &AnyArray) -> Result<AnyArray> {
        untyped::binary(BinaryOp::Divide, self.raw(), other.raw()).map(AnyArray::of_raw)
    }

    /// The square roots, of floats or complex numbers.
    #[must_use]
    pub fn square_root(&self) -> AnyArray {
        AnyArray::of_raw(untyped::square_root(self.raw()))
    }

    /// The elements, with ones in the place of zeros: divisors that do no harm.
    ///
    /// # Errors
    ///
    /// As [`AnyArray::extent`].
    pub fn without_zeros(&self) -> Result<AnyArray> {
        untyped::without_zeros(self.raw()).map(AnyArray::of_raw)
    }

    /// The sum of all elements, an array of no axes.
    ///
    /// # Errors
    ///
    /// As [`AnyArray::extent`].
    pub fn sum(&self) -> Result<AnyArray> {
        untyped::sum(self.raw()).map(AnyArray::of_raw)
    }

    /// The product of matrices, or of a matrix and a vector: `np.matmul`.
    ///
    /// # Errors
    ///
    /// If the lengths do not fit, or the device has no room.
    pub fn matmul(&self, other: &AnyArray) -> Result<AnyArray> {
        untyped::product(self.raw(), other.raw()).map(AnyArray::of_raw)
    }

    /// Writes another array's elements, stretched and converted, over these.
    ///
    /// # Errors
    ///
    /// If the shapes do not fit.
    pub fn assign(&mut self, from: &AnyArray) -> Result<()> {
        untyped::assign(self.raw(), from.raw())
    }
}

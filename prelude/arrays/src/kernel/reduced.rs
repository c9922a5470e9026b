//! What a reduction answers: an array of numbers, or structures.

use std::sync::Arc;

use gpurepl_kernels::{DType, ValueType};

use crate::array::{Elem, GpuArray, KernelData, Node, Place, Raw};
use crate::device::Buffer;
use crate::error::Result;
use crate::shape::Shape;

/// The type of a reduction's values: a number, or a structure that `kernel_struct!` declares.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the value of a reduction",
    note = "a value is a number, or a structure that is declared within `kernel_struct! {{ struct Name {{ x: f32, n: i32 }} }}`"
)]
pub trait ReductionValue: Sized {
    /// What all elements are reduced to: an array without axes, or the structure itself.
    type Answer;

    /// What they are reduced to along axes: an array, or a `Vec` of structures in C order.
    type Answers;

    #[doc(hidden)]
    fn value_type() -> ValueType;

    #[doc(hidden)]
    fn answer(values: ReducedValues) -> Result<Self::Answer>;

    #[doc(hidden)]
    fn answers(values: ReducedValues) -> Result<Self::Answers>;
}

impl<T: Elem> ReductionValue for T {
    type Answer = GpuArray<T>;
    type Answers = GpuArray<T>;

    fn value_type() -> ValueType {
        ValueType::Number(T::DTYPE)
    }

    fn answer(values: ReducedValues) -> Result<GpuArray<T>> {
        Ok(GpuArray::wrap(values.array()))
    }

    fn answers(values: ReducedValues) -> Result<GpuArray<T>> {
        Ok(GpuArray::wrap(values.array()))
    }
}

/// The type of a structure's values.
#[doc(hidden)]
pub fn structure_type<T: KernelData>(name: &str) -> ValueType {
    let mut definitions = Vec::new();
    T::c_definitions(&mut definitions);
    ValueType::Structure { name: name.to_owned(), definitions, bytes: T::BYTES }
}

/// The answers of a reduction, on the device.
#[doc(hidden)]
pub struct ReducedValues {
    buffer: Arc<Buffer>,
    shape: Shape,
    dtype: Option<DType>,
}

impl ReducedValues {
    pub(super) fn new(buffer: Arc<Buffer>, shape: Shape, dtype: Option<DType>) -> ReducedValues {
        ReducedValues { buffer, shape, dtype }
    }

    /// The numbers as an array.
    ///
    /// # Panics
    ///
    /// If they are structures.
    #[doc(hidden)]
    pub fn array(self) -> Raw {
        let dtype = self.dtype.expect("the values are numbers");
        let place = Place { buffer: self.buffer, offset: 0, strides: self.shape.strides() };
        Raw::new(Node::ready(self.shape, dtype, place))
    }

    /// The only structure, once the device has it.
    ///
    /// # Errors
    ///
    /// If the device reports one.
    #[doc(hidden)]
    pub fn structure<T: KernelData>(self) -> Result<T> {
        let mut bytes = vec![0; T::BYTES];
        self.receive(&mut bytes)?;
        Ok(T::from_kernel_bytes(&bytes))
    }

    /// The structures, once the device has them.
    ///
    /// # Errors
    ///
    /// If the device reports one.
    #[doc(hidden)]
    pub fn structures<T: KernelData>(self) -> Result<Vec<T>> {
        let mut bytes = vec![0; self.shape.size() * T::BYTES];
        self.receive(&mut bytes)?;
        Ok(bytes.chunks_exact(T::BYTES.max(1)).map(T::from_kernel_bytes).collect())
    }

    fn receive(&self, bytes: &mut [u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.buffer.context().download(&self.buffer, 0, bytes)
    }
}

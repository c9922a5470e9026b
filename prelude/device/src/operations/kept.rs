//! Operands that are kept, for graphs on the host: what a launch of the graph
//! computes again.

use std::sync::Arc;

use gpurepl_kernels::Program;

use super::Operands;
use crate::scalar::ScalarBytes;
use crate::shape::{Shape, Strides};
use crate::{Buffer, Strided};

/// An array's place that is kept.
pub(super) struct Kept {
    buffer: Arc<Buffer>,
    offset: usize,
    strides: Strides,
}

impl Kept {
    pub(super) fn new(strided: &Strided<'_>) -> Kept {
        Kept { buffer: strided.buffer.handle(), offset: strided.offset, strides: strided.strides }
    }

    pub(super) fn strided(&self) -> Strided<'_> {
        Strided { buffer: &self.buffer, offset: self.offset, strides: self.strides }
    }
}

/// The operands of an operation that is kept.
pub(super) struct KeptOperands {
    program: Program,
    inputs: Vec<Kept>,
    scalars: Vec<ScalarBytes>,
    shape: Shape,
}

impl KeptOperands {
    pub(super) fn new(operands: &Operands<'_>) -> KeptOperands {
        KeptOperands {
            program: operands.program.clone(),
            inputs: operands.inputs.iter().map(Kept::new).collect(),
            scalars: operands.scalars.to_vec(),
            shape: operands.shape,
        }
    }

    /// Calls a function with the operands.
    pub(super) fn with<R>(&self, act: impl FnOnce(&Operands<'_>) -> R) -> R {
        let inputs: Vec<Strided<'_>> = self.inputs.iter().map(Kept::strided).collect();
        act(&Operands { program: &self.program, inputs: &inputs, scalars: &self.scalars, shape: self.shape })
    }
}

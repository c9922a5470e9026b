//! Launches that are repeated with the same arguments: what a tuner does.

use super::argument::{Argument, ArgumentList, KernelArgs};
use super::launch::Dim3;
use super::source_module::Function;
use super::submit::{launch, launch_timed};
use crate::array::Raw;
use crate::error::{Problem, Result};
use crate::scalar::Scalar;
use gpurepl_kernels::DType;
use gpurepl_kernels::declaration::CType;

/// An argument that can be given again: a number or an array.
#[derive(Clone)]
pub enum Given {
    /// A number, and the type of the Rust number.
    Scalar(Scalar, DType),
    /// An array.
    Array(Raw),
}

impl<'a> KernelArgs<'a> for ArgumentList<'a> {
    fn list(self, list: &mut ArgumentList<'a>) {
        *list = self;
    }
}

impl<'a> ArgumentList<'a> {
    /// The arguments of anything that a launch takes.
    pub fn of(arguments: impl KernelArgs<'a>) -> ArgumentList<'a> {
        let mut list = ArgumentList::default();
        arguments.list(&mut list);
        list
    }

    /// The arguments, to be given again.
    ///
    /// # Errors
    ///
    /// If one is neither a number nor an array on the device.
    pub fn into_given(self, kernel: &str) -> Result<Vec<Given>> {
        let one = |(number, argument): (usize, Argument<'_>)| match argument {
            Argument::Scalar(value, dtype) => Ok(Given::Scalar(value, dtype)),
            Argument::Array(raw) | Argument::Strided(raw) => Ok(Given::Array(raw.clone())),
            _ => {
                let message = format!(
                    "argument {} is neither a number nor an array\n  = help: what is tuned takes arrays on the \
                     device: `to_gpu(data)`",
                    number + 1
                );
                Err(Problem::Argument { kernel: kernel.to_owned(), message }.into())
            }
        };
        self.into_arguments().into_iter().enumerate().map(one).collect()
    }
}

fn list(given: &[Given]) -> ArgumentList<'_> {
    let mut list = ArgumentList::default();
    for argument in given {
        match argument {
            Given::Scalar(value, dtype) => list.scalar(*value, *dtype),
            Given::Array(raw) => list.array(raw),
        }
    }
    list
}

impl Function {
    /// Which of the parameters the kernel may write: pointers that are not `const`.
    #[doc(hidden)]
    pub fn writes(&self) -> Vec<bool> {
        let parameters = self.inner.signature.parameters.iter();
        parameters
            .map(|parameter| matches!(parameter.ctype, CType::Pointer { is_const: false, .. }))
            .collect()
    }

    /// The names of the parameters.
    #[doc(hidden)]
    pub fn parameter_names(&self) -> Vec<String> {
        self.inner.signature.parameters.iter().map(|parameter| parameter.name.clone()).collect()
    }

    /// Launches with arguments that can be given again.
    #[doc(hidden)]
    pub fn launch_given(&self, grid: Dim3, block: Dim3, shared_memory: usize, given: &[Given]) -> Result<()> {
        launch(&self.inner, grid, block, shared_memory, list(given), false)
    }

    /// The same, which waits for the kernel: its time in seconds.
    #[doc(hidden)]
    pub fn launch_given_timed(
        &self,
        grid: Dim3,
        block: Dim3,
        shared_memory: usize,
        given: &[Given],
    ) -> Result<f64> {
        launch_timed(&self.inner, grid, block, shared_memory, list(given))
    }
}

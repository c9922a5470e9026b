//! What variants are tried with: copies of the arguments, and what is expected of them.

use gpurepl_arrays::kernel::Given;
use gpurepl_extend::AnyArray;
use gpurepl_ground::Result;
use gpurepl_ground::scalar::Scalar;
use gpurepl_kernels::DType;
use serde::{Deserialize, Serialize};

/// An argument, or what an array is to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Input {
    Bool(bool),
    Int(i64, u8),
    UInt(u64, u8),
    Float(f64, u8),
    Complex(f64, f64, u8),
    Array(Elements),
}

/// The elements of an array. They travel beside the message, which has no form for so many bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Elements {
    dtype: u8,
    pub shape: Vec<usize>,
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// What variants are tried with, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Task {
    pub arguments: Vec<Input>,
    /// What arrays are to be after a run, by the names of parameters.
    pub expected: Vec<(String, Elements)>,
    /// Arrays, by the names of parameters, whose elements nobody compares.
    pub ignored: Vec<String>,
    /// How far results may lie from those that are expected, relative to them; none for the
    /// type's own.
    pub tolerance: Option<f64>,
}

impl Task {
    /// All elements, in one order for both sides.
    pub fn elements(&self) -> impl Iterator<Item = &Elements> {
        let arguments = self.arguments.iter().filter_map(|input| match input {
            Input::Array(elements) => Some(elements),
            _ => None,
        });
        arguments.chain(self.expected.iter().map(|(_, elements)| elements))
    }

    /// The same, to be filled.
    pub fn elements_mut(&mut self) -> impl Iterator<Item = &mut Elements> {
        let arguments = self.arguments.iter_mut().filter_map(|input| match input {
            Input::Array(elements) => Some(elements),
            _ => None,
        });
        arguments.chain(self.expected.iter_mut().map(|(_, elements)| elements))
    }
}

impl Elements {
    pub fn of(array: &AnyArray) -> Result<Elements> {
        let (dtype, shape) = (array.dtype() as u8, array.shape().to_vec());
        Ok(Elements { dtype, shape, bytes: array.to_host()? })
    }

    pub fn dtype(&self) -> DType {
        dtype(self.dtype)
    }

    /// How many bytes there are.
    pub fn size(&self) -> usize {
        self.shape.iter().product::<usize>() * self.dtype().size()
    }
}

fn dtype(code: u8) -> DType {
    DType::ALL[usize::from(code) % DType::ALL.len()]
}

impl Input {
    /// A copy of an argument.
    pub fn of(given: &Given) -> Result<Input> {
        Ok(match given {
            Given::Scalar(value, dtype) => {
                let code = *dtype as u8;
                match *value {
                    Scalar::Bool(value) => Input::Bool(value),
                    Scalar::Int(value) => Input::Int(value, code),
                    Scalar::UInt(value) => Input::UInt(value, code),
                    Scalar::Float(value) => Input::Float(value, code),
                    Scalar::Complex(re, im) => Input::Complex(re, im, code),
                }
            }
            Given::Array(raw) => Input::Array(Elements::of(&AnyArray::of_raw(raw.clone()))?),
        })
    }

    /// The argument of a launch.
    pub fn given(&self) -> Result<Given> {
        Ok(match *self {
            Input::Bool(value) => Given::Scalar(Scalar::Bool(value), DType::Bool),
            Input::Int(value, code) => Given::Scalar(Scalar::Int(value), dtype(code)),
            Input::UInt(value, code) => Given::Scalar(Scalar::UInt(value), dtype(code)),
            Input::Float(value, code) => Given::Scalar(Scalar::Float(value), dtype(code)),
            Input::Complex(re, im, code) => Given::Scalar(Scalar::Complex(re, im), dtype(code)),
            Input::Array(ref elements) => {
                let array = AnyArray::from_host(&elements.shape[..], elements.dtype(), &elements.bytes)?;
                Given::Array(array.raw().clone())
            }
        })
    }
}

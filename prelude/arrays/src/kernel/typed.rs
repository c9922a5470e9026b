//! Kernels that are called like functions: what the macros
//! [`elementwise!`](crate::elementwise), [`reduction!`](crate::reduction) and
//! [`scan!`](crate::scan) make.
//!
//! A kernel derefs to a plain `fn` pointer, so rustc checks its arguments and
//! borrows with its own messages, and its type can be written, so that a
//! session can keep it in a variable.

use std::fmt::Write as _;
use std::ops::Deref;
use std::sync::OnceLock;

use gpurepl_kernels::{DType, ElementwiseSpec, ReductionSpec, ScanSpec, ValueType};

use super::argument::ArgumentList;
use super::described::Described;
use super::reduced::{ReducedValues, ReductionValue};
use crate::error::{OrRaise as _, Problem, Result};

/// A kernel that is called like the function `F`.
#[derive(Clone, Copy)]
pub struct TypedKernel<F: 'static> {
    function: F,
    source: fn() -> String,
}

impl<F> TypedKernel<F> {
    /// Made by the macros.
    #[doc(hidden)]
    pub const fn new(function: F, source: fn() -> String) -> TypedKernel<F> {
        TypedKernel { function, source }
    }

    /// The kernel's text as CUDA C.
    pub fn source(&self) -> String {
        (self.source)()
    }
}

impl<F> Deref for TypedKernel<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.function
    }
}

impl<F> std::fmt::Debug for TypedKernel<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&(self.source)())
    }
}

/// A parameter as the macros write it down.
#[doc(hidden)]
pub type TypedParameter = (&'static str, DType, &'static str);

/// What an [`elementwise!`](crate::elementwise) kernel is apart from its type.
#[doc(hidden)]
pub struct ElementwiseCore {
    parameters: &'static [TypedParameter],
    operation: &'static str,
    spec: OnceLock<Result<Described<ElementwiseSpec>>>,
}

/// The declarations in C of typed parameters.
fn declarations(parameters: &[TypedParameter]) -> String {
    let mut text = String::new();
    for (k, (name, dtype, form)) in parameters.iter().enumerate() {
        let comma = if k == 0 { "" } else { ", " };
        let _ = match *form {
            "scalar" => write!(text, "{comma}{} {name}", dtype.c()),
            "read" => write!(text, "{comma}const {} *{name}", dtype.c()),
            _ => write!(text, "{comma}{} *{name}", dtype.c()),
        };
    }
    text
}

impl ElementwiseCore {
    #[doc(hidden)]
    pub const fn new(parameters: &'static [TypedParameter], operation: &'static str) -> ElementwiseCore {
        ElementwiseCore { parameters, operation, spec: OnceLock::new() }
    }

    fn spec(&self) -> Result<&Described<ElementwiseSpec>> {
        let spec = self.spec.get_or_init(|| {
            ElementwiseSpec::new(&declarations(self.parameters), self.operation, "elementwise")
                .map(Described::new)
                .map_err(|error| Problem::Spec { what: "elementwise!", error }.into())
        });
        spec.as_ref().map_err(Clone::clone)
    }

    #[doc(hidden)]
    pub fn source(&self) -> String {
        self.spec().map_or_else(|error| error.to_string(), |spec| spec.to_cuda())
    }

    #[doc(hidden)]
    #[track_caller]
    pub fn call(&self, list: ArgumentList<'_>) {
        self.spec().and_then(|spec| super::elementwise::call(spec, list)).or_raise();
    }
}

/// What a [`reduction!`](crate::reduction) kernel is apart from its type.
#[doc(hidden)]
pub struct ReductionCore {
    parameters: &'static [TypedParameter],
    value: fn() -> ValueType,
    neutral: &'static str,
    reduce: &'static str,
    map: &'static str,
    spec: OnceLock<Result<Described<ReductionSpec>>>,
}

impl ReductionCore {
    #[doc(hidden)]
    pub const fn new(
        parameters: &'static [TypedParameter],
        value: fn() -> ValueType,
        neutral: &'static str,
        reduce: &'static str,
        map: &'static str,
    ) -> ReductionCore {
        ReductionCore { parameters, value, neutral, reduce, map, spec: OnceLock::new() }
    }

    fn spec(&self) -> Result<&Described<ReductionSpec>> {
        let spec = self.spec.get_or_init(|| {
            let arguments = declarations(self.parameters);
            ReductionSpec::new((self.value)(), self.neutral, self.reduce, self.map, &arguments, "reduction")
                .map(Described::new)
                .map_err(|error| Problem::Spec { what: "reduction!", error }.into())
        });
        spec.as_ref().map_err(Clone::clone)
    }

    #[doc(hidden)]
    pub fn source(&self) -> String {
        self.spec().map_or_else(|error| error.to_string(), |spec| spec.to_cuda())
    }

    #[doc(hidden)]
    #[track_caller]
    pub fn call<T: ReductionValue>(&self, list: ArgumentList<'_>) -> T::Answer {
        self.reduced(list).and_then(T::answer).or_raise()
    }

    fn reduced(&self, list: ArgumentList<'_>) -> Result<ReducedValues> {
        super::reduction::call(self.spec()?, list)
    }
}

/// What a [`scan!`](crate::scan) kernel is apart from its type.
#[doc(hidden)]
pub struct ScanCore {
    parameters: &'static [TypedParameter],
    dtype: DType,
    /// `input`, `scan`, `neutral`, `output` and `is_segment_start`.
    texts: [&'static str; 5],
    spec: OnceLock<Result<ScanSpec>>,
}

impl ScanCore {
    #[doc(hidden)]
    pub const fn new(
        parameters: &'static [TypedParameter],
        dtype: DType,
        texts: [&'static str; 5],
    ) -> ScanCore {
        ScanCore { parameters, dtype, texts, spec: OnceLock::new() }
    }

    fn spec(&self) -> Result<&ScanSpec> {
        let spec = self.spec.get_or_init(|| {
            let arguments = declarations(self.parameters);
            let [input, scan, neutral, output, starts] = self.texts;
            let mut spec = ScanSpec::new(self.dtype, &arguments, input, scan, neutral, output, "scan")
                .map_err(|error| Problem::Spec { what: "scan!", error })?;
            starts.clone_into(&mut spec.is_segment_start);
            Ok(spec)
        });
        spec.as_ref().map_err(Clone::clone)
    }

    #[doc(hidden)]
    pub fn source(&self) -> String {
        self.spec().map_or_else(|error| error.to_string(), ScanSpec::to_cuda)
    }

    #[doc(hidden)]
    #[track_caller]
    pub fn call(&self, list: ArgumentList<'_>) {
        self.spec().and_then(|spec| super::scan::call(spec, list.into_arguments(), None)).or_raise();
    }
}

//! The texts that are made from programs, by what they are made from.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use crate::{DType, Indexed, Program, ReduceOp, SortText, Walk, matmul, places, random, segments};

/// A text of CUDA C that the library generates. Its hash takes a tenth of the
/// time that the text takes to write, so compiled kernels are kept by this.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Generated<'a> {
    /// [`Program::to_cuda`].
    Fused(Cow<'a, Program>, Walk),
    /// [`Program::to_cuda_reduction`].
    Reduction(Cow<'a, Program>, ReduceOp),
    /// [`Program::to_cuda_axis_reduction`].
    AxisReduction(Cow<'a, Program>, ReduceOp),
    /// [`Program::to_cuda_scan`].
    Scan(Cow<'a, Program>, ReduceOp),
    /// [`Program::to_cuda_resident_scan`].
    ResidentScan(Cow<'a, Program>, ReduceOp),
    /// [`matmul::to_cuda`].
    MatMul(DType),
    /// [`SortText::to_cuda`].
    Sort(SortText),
    /// [`Program::to_cuda_summary`].
    Summary(Cow<'a, Program>),
    /// [`Program::to_cuda_histogram`].
    Histogram(Cow<'a, Program>),
    /// [`random::to_cuda`].
    Random {
        /// The type of the numbers.
        dtype: DType,
        /// Whether they are normal, and not uniform.
        is_normal: bool,
    },
    /// [`random::distributions::to_cuda`].
    Distribution(DType, random::distributions::Distribution),
    /// [`Indexed::to_cuda_gather`].
    Gather(Indexed),
    /// [`Indexed::to_cuda_scatter`].
    Scatter(Indexed),
    /// [`places::to_cuda`].
    Places(Option<usize>),
    /// [`segments::to_cuda`].
    Segments(DType, ReduceOp),
    /// A text of a library that stands on arrays.
    Library {
        /// What messages call it.
        name: &'static str,
        /// The text.
        text: LibraryText<'a>,
    },
}

/// A text of a library's. A launch looks for what it was compiled to, and hashing some ten thousand bytes would take
/// longer than the launch: its hash is that of its length, and texts of one length are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryText<'a>(pub Cow<'a, str>);

impl Hash for LibraryText<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.len().hash(state);
    }
}

impl From<String> for LibraryText<'_> {
    fn from(text: String) -> Self {
        LibraryText(Cow::Owned(text))
    }
}

impl<'a> From<&'a str> for LibraryText<'a> {
    fn from(text: &'a str) -> Self {
        LibraryText(Cow::Borrowed(text))
    }
}

impl Generated<'_> {
    /// What messages call it.
    pub fn name(&self) -> &'static str {
        if let Generated::Library { name, .. } = self { name } else { "an array expression" }
    }

    /// The text.
    pub fn to_cuda(&self) -> String {
        match self {
            Generated::Fused(program, walk) => program.to_cuda(*walk),
            Generated::Reduction(program, op) => program.to_cuda_reduction(*op),
            Generated::AxisReduction(program, op) => program.to_cuda_axis_reduction(*op),
            Generated::Scan(program, op) => program.to_cuda_scan(*op),
            Generated::ResidentScan(program, op) => program.to_cuda_resident_scan(*op),
            Generated::MatMul(dtype) => matmul::to_cuda(*dtype),
            Generated::Sort(text) => text.to_cuda(),
            Generated::Summary(program) => program.to_cuda_summary(),
            Generated::Histogram(program) => program.to_cuda_histogram(),
            Generated::Random { dtype, is_normal } => random::to_cuda(*dtype, *is_normal),
            Generated::Distribution(dtype, distribution) => {
                random::distributions::to_cuda(*dtype, *distribution)
            }
            Generated::Gather(indexed) => indexed.to_cuda_gather(),
            Generated::Scatter(indexed) => indexed.to_cuda_scatter(),
            Generated::Places(element) => places::to_cuda(*element),
            Generated::Segments(dtype, op) => segments::to_cuda(*dtype, *op),
            Generated::Library { text, .. } => text.0.clone().into_owned(),
        }
    }

    /// The same, with a program of its own.
    pub fn to_owned(&self) -> Generated<'static> {
        let own = |program: &Cow<'_, Program>| Cow::Owned(program.clone().into_owned());
        match self {
            Generated::Fused(program, walk) => Generated::Fused(own(program), *walk),
            Generated::Reduction(program, op) => Generated::Reduction(own(program), *op),
            Generated::AxisReduction(program, op) => Generated::AxisReduction(own(program), *op),
            Generated::Scan(program, op) => Generated::Scan(own(program), *op),
            Generated::ResidentScan(program, op) => Generated::ResidentScan(own(program), *op),
            Generated::MatMul(dtype) => Generated::MatMul(*dtype),
            Generated::Sort(text) => Generated::Sort(*text),
            Generated::Summary(program) => Generated::Summary(own(program)),
            Generated::Histogram(program) => Generated::Histogram(own(program)),
            Generated::Random { dtype, is_normal } => {
                Generated::Random { dtype: *dtype, is_normal: *is_normal }
            }
            Generated::Distribution(dtype, distribution) => Generated::Distribution(*dtype, *distribution),
            Generated::Gather(indexed) => Generated::Gather(*indexed),
            Generated::Scatter(indexed) => Generated::Scatter(*indexed),
            Generated::Places(element) => Generated::Places(*element),
            Generated::Segments(dtype, op) => Generated::Segments(*dtype, *op),
            Generated::Library { name, text } => {
                Generated::Library { name, text: text.0.clone().into_owned().into() }
            }
        }
    }
}

//! Many elements become one: PyCUDA's `ReductionKernel`.

use std::marker::PhantomData;
use std::sync::Arc;

use gpurepl_kernels::{DType, ReductionSpec};

use super::argument::{ArgumentList, KernelArgs};
use super::checked::prepare;
use super::elementwise::{element_count, signature};
use crate::activity::{self, Record};
use crate::array::Elem;
use crate::array::{GpuArray, Node, Place, Raw};
use crate::device::{Context, FoldKernel, PerContext};
use crate::error::{Problem, Result};
use crate::shape::Shape;

/// A kernel that maps each element `i` of its arrays to a value and reduces
/// the values to one of type `T`.
///
/// ```
/// use gpurepl_prelude::*;
/// let dot = ReductionKernel::<f32>::new("0", "a+b", "x[i]*y[i]", "const float *x, const float *y", "dot")?;
/// let (x, y) = (rand::<f32>(1000), rand::<f32>(1000));
/// let found = dot.call((&x, &y))?.item();
/// assert!((found - x.dot(&y).item()).abs() < 1e-2);
/// # Ok::<(), Error>(())
/// ```
///
/// `reduction!` makes one that is called like a function.
#[derive(Clone)]
pub struct ReductionKernel<T> {
    spec: Arc<ReductionSpec>,
    result: PhantomData<T>,
}

impl<T: Elem> ReductionKernel<T> {
    /// Describes a reduction: the value that changes nothing, an expression
    /// of two values `a` and `b`, an expression of an element `i`, the
    /// arguments in C and a name. It is compiled at the first call.
    ///
    /// The answer for no elements is `neutral`. Values are combined in any
    /// order.
    ///
    /// # Errors
    ///
    /// If an argument cannot be read, none is an array, an expression is
    /// empty, or the name is not a C identifier.
    pub fn new(
        neutral: &str,
        reduce_expr: &str,
        map_expr: &str,
        arguments: &str,
        name: &str,
    ) -> Result<ReductionKernel<T>> {
        let spec = describe(T::DTYPE, neutral, reduce_expr, map_expr, arguments, name)?;
        Ok(ReductionKernel { spec: Arc::new(spec), result: PhantomData })
    }

    /// Puts C++ before the kernel: functions and types that it uses.
    #[must_use]
    pub fn preamble(mut self, text: &str) -> ReductionKernel<T> {
        Arc::make_mut(&mut self.spec).preamble = text.to_owned();
        self
    }

    /// Reduces all elements of the arrays to an array without axes.
    ///
    /// # Errors
    ///
    /// If an argument does not fit, arrays have different shapes, or the
    /// kernel does not compile.
    pub fn call<'a>(&self, arguments: impl KernelArgs<'a>) -> Result<GpuArray<T>> {
        let mut list = ArgumentList::default();
        arguments.list(&mut list);
        call(&self.spec, list).map(GpuArray::wrap)
    }
}

impl<T> std::fmt::Debug for ReductionKernel<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "ReductionKernel({}: {} over {} -> {})",
            signature(&self.spec.name, &self.spec.parameters),
            self.spec.reduce_expr,
            self.spec.map_expr,
            self.spec.dtype
        )
    }
}

fn describe(
    dtype: DType,
    neutral: &str,
    reduce_expr: &str,
    map_expr: &str,
    arguments: &str,
    name: &str,
) -> Result<ReductionSpec> {
    ReductionSpec::new(dtype, neutral, reduce_expr, map_expr, arguments, name)
        .map_err(|error| Problem::Spec { what: "ReductionKernel", error }.into())
}

/// Runs a spec with arguments of any kind.
pub(super) fn call(spec: &ReductionSpec, list: ArgumentList<'_>) -> Result<Raw> {
    crate::interrupt::check()?;
    let arguments = list.into_arguments();
    let count = element_count(&spec.name, &[&spec.map_expr], &spec.parameters, &arguments)?;
    let prepared = prepare(None, &signature(&spec.name, &spec.parameters), None, arguments)?;
    let place = Place::within(prepared.context, Shape::SCALAR, spec.dtype)?;
    let (kernel, record) = compiled(prepared.context, spec)?;
    activity::work(prepared.context, activity::Kind::Kernel, &spec.name, 0, || {
        kernel.run(&prepared.values, &prepared.plain_buffers(), count, &place.buffer)
    })?;
    record.launched([0; 3], 0);
    prepared.finish()?;
    Ok(Raw::new(Node::ready(Shape::SCALAR, spec.dtype, place)))
}

/// A kernel, and what `:kernels` shows of it.
type Listed = (Arc<dyn FoldKernel>, Arc<Record>);

/// Compiled kernels, by what tells them apart.
static COMPILED: PerContext<String, Listed> = PerContext::new();

/// The compiled kernel of a spec, compiled once in a context.
fn compiled(context: Context, spec: &ReductionSpec) -> Result<Listed> {
    COMPILED.get_or_make(context, spec.key(), || {
        let (kernel, compilation) = activity::compiling(|| context.backend().compile_fold(spec));
        let kernel: Arc<dyn FoldKernel> = kernel?.into();
        let record = Record::new(&spec.name, context, compilation, None);
        record.list();
        Ok((kernel, record))
    })
}

//! Running results: PyOpenCL's `GenericScanKernel`, PyCUDA's `InclusiveScanKernel` and
//! `ExclusiveScanKernel`.

use std::marker::PhantomData;
use std::sync::Arc;

use gpurepl_kernels::declaration::CType;
use gpurepl_kernels::signature::Signature;
use gpurepl_kernels::{Guards, ScanSpec, Usage};

use super::argument::{Argument, ArgumentList, KernelArgs};
use super::checked::{complete, prepare};
use super::elements::{Body, LaidOut, Reach, check_overlaps, lengths};
use super::elementwise::{add_preamble, check_lengths};
use crate::activity::{self, Record};
use crate::array::{Elem, GpuArray, Node, Place, Raw};
use crate::device::{self, Context, PerContext, RunningKernel};
use crate::error::{Problem, Result};
use crate::shape::Shape;

/// A kernel that combines the values of all elements up to each one, and runs a C
/// statement for each element with what it has: PyOpenCL's `GenericScanKernel`.
///
/// ```
/// use gpurepl_prelude::*;
/// // Numbers above 3, one behind the other.
/// let compact = ScanKernel::<i32>::new(
///     "const int *x, int *found",
///     "x[i] > 3 ? 1 : 0",
///     "a+b",
///     "0",
///     "if (prev_item != item) found[item - 1] = x[i];",
///     "compact",
/// )?;
/// let mut found = zeros::<i32>(6);
/// compact.call((&gpu![3, 5, 1, 8, 9, 2], &mut found))?;
/// assert_eq!(found.to_vec(), [5, 8, 9, 0, 0, 0]);
/// # Ok::<(), Error>(())
/// ```
///
/// `scan!` makes one that is called like a function.
#[derive(Clone)]
pub struct ScanKernel<T> {
    spec: Arc<ScanSpec>,
    value: PhantomData<T>,
}

impl<T: Elem> ScanKernel<T> {
    /// Describes a scan, which is compiled at the first call.
    ///
    /// `input_expr` is the value of the element `i`; `scan_expr` combines two values `a`
    /// and `b`, of which `a` comes first, and must be associative; `neutral` changes
    /// nothing. `output_statement` gets `i`, `item`, the values up to and with this
    /// element combined, `prev_item`, those before it, and `last_item`, all of them,
    /// for which the elements are read once more. `n`, or `N`, is the number of
    /// elements: those of the first array. Values are combined in the same way each time,
    /// so that sums of floats have the same bits.
    ///
    /// Elements are read before the statement writes in their place, so an array may be
    /// its own result, if the texts read and write no element but `i` of it. Values are
    /// grouped otherwise for `prev_item` and `last_item` than for the `item` of the element
    /// before and of the last one: of floats they may differ in the last bits.
    ///
    /// # Errors
    ///
    /// If an argument cannot be read, none is an array, a text is empty, or the
    /// name is not a C identifier.
    pub fn new(
        arguments: &str,
        input_expr: &str,
        scan_expr: &str,
        neutral: &str,
        output_statement: &str,
        name: &str,
    ) -> Result<ScanKernel<T>> {
        let spec = ScanSpec::new(T::DTYPE, arguments, input_expr, scan_expr, neutral, output_statement, name)
            .map_err(|error| Problem::Spec { what: "ScanKernel", error })?;
        Ok(ScanKernel { spec: Arc::new(spec), value: PhantomData })
    }

    /// Starts a segment with each element `i` for which an expression is true:
    /// PyOpenCL's `is_segment_start_expr`. `scan_expr` has `across_seg_boundary` then, whether
    /// `b` is in a later segment than `a`; `prev_item` of a first element is the neutral value.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let sums = ScanKernel::<i32>::new(
    ///     "const int *x, const bool *starts, int *y",
    ///     "x[i]",
    ///     "across_seg_boundary ? b : a+b",
    ///     "0",
    ///     "y[i] = item",
    ///     "sums",
    /// )?
    /// .is_segment_start("starts[i]");
    /// let mut y = zeros::<i32>(5);
    /// sums.call((&gpu![1, 2, 3, 4, 5], &gpu![true, false, true, false, false], &mut y))?;
    /// assert_eq!(y.to_vec(), [1, 3, 3, 7, 12]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn is_segment_start(mut self, expression: &str) -> ScanKernel<T> {
        Arc::make_mut(&mut self.spec).is_segment_start = expression.to_owned();
        self
    }

    /// Puts C++ before the kernel: functions and types that it uses. A second call adds its text after the first.
    #[must_use]
    pub fn preamble(mut self, text: &str) -> ScanKernel<T> {
        add_preamble(&mut Arc::make_mut(&mut self.spec).preamble, text);
        self
    }

    /// Compares subscripts with the lengths of arrays, as [`ElementwiseKernel::check`](super::ElementwiseKernel::check) does.
    /// The thread that reports an error goes on, since others wait for it; so arrays whose addresses are taken are
    /// not compared.
    #[must_use]
    pub fn check(mut self, is_checked: bool) -> ScanKernel<T> {
        Arc::make_mut(&mut self.spec).guards.is_guarded = is_checked;
        self
    }

    /// Reports an element whose `input_expr` is NaN. `GPUREPL_CHECK=nan` does it for all kernels.
    #[must_use]
    pub fn check_nan(mut self, is_checked: bool) -> ScanKernel<T> {
        Arc::make_mut(&mut self.spec).guards.has_nan = is_checked;
        self
    }

    /// Scans the elements of the first array.
    ///
    /// # Errors
    ///
    /// If an argument does not fit, an array whose element `i` is used is shorter than the
    /// first one, or the kernel does not compile.
    pub fn call<'a>(&self, arguments: impl KernelArgs<'a>) -> Result<()> {
        let mut list = ArgumentList::default();
        arguments.list(&mut list);
        call(&self.spec, list.into_arguments(), None)
    }

    /// Scans so many elements, whatever the arrays have: PyOpenCL's `size`.
    ///
    /// # Errors
    ///
    /// As for [`ScanKernel::call`].
    pub fn call_size<'a>(&self, size: usize, arguments: impl KernelArgs<'a>) -> Result<()> {
        let mut list = ArgumentList::default();
        arguments.list(&mut list);
        call(&self.spec, list.into_arguments(), Some(size))
    }

    /// The kernel's text for the device in use.
    ///
    /// # Errors
    ///
    /// If there is no device.
    pub fn source(&self) -> Result<String> {
        source(&self.spec)
    }
}

fn source(spec: &ScanSpec) -> Result<String> {
    Ok(match device::current()?.device().kind() {
        device::DeviceKind::Cuda => spec.to_cuda(),
        device::DeviceKind::Host => spec.to_host(),
    })
}

impl<T> std::fmt::Debug for ScanKernel<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let spec = &*self.spec;
        write!(
            f,
            "ScanKernel({}: {} over {} of {}; {})",
            Signature::of(&spec.name, spec.parameters.clone()),
            spec.scan_expr,
            spec.input_expr,
            spec.dtype,
            spec.output_statement
        )
    }
}

macro_rules! simple {
    ($($(#[$doc:meta])* $name:ident $statement:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name<T> {
            kernel: ScanKernel<T>,
        }

        impl<T: Elem> $name<T> {
            /// Describes a scan by an expression that combines two values `a` and `b`, and the
            /// value that changes nothing. It is compiled at the first call.
            ///
            /// # Errors
            ///
            /// If a text is empty.
            pub fn new(scan_expr: &str, neutral: &str) -> Result<$name<T>> {
                let c = T::DTYPE.c();
                let arguments = format!("const {c} *input_ary, {c} *output_ary");
                let kernel =
                    ScanKernel::new(&arguments, "input_ary[i]", scan_expr, neutral, $statement, "scan")?;
                Ok($name { kernel })
            }

            /// Puts C++ before the kernel: functions and types that it uses. A second call adds its text after the first.
            #[must_use]
            pub fn preamble(self, text: &str) -> $name<T> {
                $name { kernel: self.kernel.preamble(text) }
            }

            /// The running results of an array's elements, in C order, in a new array of its
            /// shape.
            ///
            /// # Errors
            ///
            /// If the kernel does not compile, or the device reports an error.
            pub fn call(&self, input: &GpuArray<T>) -> Result<GpuArray<T>> {
                let mut output = unset(input.raw.context(), input.raw.shape())?;
                self.kernel.call((input, &mut output))?;
                Ok(output)
            }

            /// The same in an array that is there, which has as many elements.
            ///
            /// # Errors
            ///
            /// As for `call`, or if `output` has fewer elements.
            pub fn call_into(&self, input: &GpuArray<T>, output: &mut GpuArray<T>) -> Result<()> {
                self.kernel.call((input, output))
            }

            /// The kernel's text for the device in use.
            ///
            /// # Errors
            ///
            /// If there is no device.
            pub fn source(&self) -> Result<String> {
                self.kernel.source()
            }
        }

        impl<T> std::fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let spec = &*self.kernel.spec;
                write!(f, concat!(stringify!($name), "({} of {})"), spec.scan_expr, spec.dtype)
            }
        }
    )*};
}
simple! {
    /// A kernel whose result for an element is all elements up to and with it, combined:
    /// PyCUDA's `InclusiveScanKernel`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let largest = InclusiveScanKernel::<i32>::new("a > b ? a : b", "-2147483648")?;
    /// assert_eq!(largest.call(&gpu![2, 1, 5, 3])?.to_vec(), [2, 2, 5, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    InclusiveScanKernel "output_ary[i] = item";
    /// A kernel whose result for an element is all elements before it, combined; the
    /// neutral value for the first one: PyCUDA's `ExclusiveScanKernel`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let sums = ExclusiveScanKernel::<i32>::new("a+b", "0")?;
    /// assert_eq!(sums.call(&gpu![2, 1, 5, 3])?.to_vec(), [0, 2, 3, 8]);
    /// # Ok::<(), Error>(())
    /// ```
    ExclusiveScanKernel "output_ary[i] = prev_item";
}

/// Runs a spec with arguments of any kind.
pub(super) fn call(spec: &ScanSpec, arguments: Vec<Argument<'_>>, size: Option<usize>) -> Result<()> {
    crate::interrupt::check()?;
    spec.check_types().map_err(|error| Problem::Spec { what: "ScanKernel", error })?;
    let lengths = lengths(&spec.parameters, &arguments);
    let count = size.or_else(|| lengths.iter().flatten().next().copied()).unwrap_or(0);
    if count > MOST {
        let message = format!("{count} elements; a scan has at most {MOST}");
        return Err(Problem::Argument { kernel: spec.name.clone(), message }.into());
    }
    let texts = [spec.input_expr.as_str(), &spec.is_segment_start, &spec.output_statement];
    check_lengths(&spec.name, &spec.parameters, &lengths, &texts, count)?;
    let guards = spec.guards.with(device::checks_asked_for()?);
    let (guarded, laid);
    let mut arguments: Vec<Argument<'_>> = arguments;
    let spec = if guards.is_any() {
        complete(&Signature::of(&spec.name, spec.parameters.clone()), &mut arguments)?;
        (guarded, laid) = guard(spec, guards, &arguments, &texts);
        laid.apply(&mut arguments);
        &guarded
    } else {
        spec
    };
    let prepared = prepare(None, &Signature::of(&spec.name, spec.parameters.clone()), None, arguments)?;
    check_overlaps(&spec.name, &spec.parameters, &prepared, |number, parameter| {
        let is_read = matches!(parameter.ctype, CType::Pointer { is_const: true, .. });
        let bytes = (lengths.get(number).copied()?? * parameter.element_bytes()?) as i64;
        Some(Reach { is_read, low: 0, high: bytes, numbers: &[] })
    })?;
    if count > 0 {
        let (kernel, record) = compiled(prepared.context, spec)?;
        activity::work(prepared.context, activity::Kind::Kernel, &spec.name, 0, || {
            kernel.run(&prepared.values, &prepared.buffers(), count)
        })?;
        record.launched([0; 3], 0);
    }
    prepared.finish()
}

/// A scan whose arrays are guarded, if they are to be.
fn guard(spec: &ScanSpec, guards: Guards, arguments: &[Argument<'_>], texts: &[&str]) -> (ScanSpec, LaidOut) {
    let usages: Vec<Usage> =
        spec.parameters.iter().map(|parameter| Usage::of(texts, &spec.preamble, &parameter.name)).collect();
    let body = Body { kernel: &spec.name, parameters: &spec.parameters, usages: &usages };
    let lengths = lengths(&spec.parameters, arguments);
    let laid = if guards.is_guarded { body.guard(None, &lengths, 0, false) } else { LaidOut::default() };
    let mut spec = spec.laid_out(laid.layouts());
    spec.guards = guards;
    (spec, laid)
}

/// More elements than any memory holds.
const MOST: usize = 1 << 40;

/// An array that is not set, where the others of a call lie.
pub(super) fn unset<T: Elem>(context: Option<Context>, shape: Shape) -> Result<GpuArray<T>> {
    let context = context.map_or_else(device::current, Ok)?;
    let place = Place::within(context, shape, T::DTYPE)?;
    Ok(GpuArray::wrap(Raw::new(Node::ready(shape, T::DTYPE, place))))
}

/// A kernel, and what `:kernels` shows of it.
type Listed = (Arc<dyn RunningKernel>, Arc<Record>);

/// Compiled kernels, by what tells them apart.
static COMPILED: PerContext<String, Listed> = PerContext::new();

/// The compiled kernel of a spec, compiled once in a context.
fn compiled(context: Context, spec: &ScanSpec) -> Result<Listed> {
    COMPILED.get_or_make(context, spec.key(), || {
        let (kernel, compilation) = activity::compiling(|| context.backend().compile_scan(spec));
        let kernel: Arc<dyn RunningKernel> = kernel?.into();
        let record = Record::new(&spec.name, context, compilation, None);
        record.list();
        Ok((kernel, record))
    })
}

//! Algorithms that stand on scans, with expressions of C: those of PyOpenCL's module
//! `pyopencl.algorithm`, by its names.
//!
//! ```
//! use gpurepl_prelude::*;
//! let a = gpu![3, 500, 42, 301, 7];
//! assert_eq!(algorithm::copy_if(&a, "ary[i] > 40")?.to_vec(), [500, 42, 301]);
//! let (large, rest) = algorithm::partition(&a, "ary[i] > 300")?;
//! assert_eq!((large.to_vec(), rest.to_vec()), (vec![500, 301], vec![3, 42, 7]));
//! # Ok::<(), Error>(())
//! ```

use std::marker::PhantomData;
use std::sync::Arc;

use gpurepl_kernels::signature::Signature;
use gpurepl_kernels::token::tokens;
use gpurepl_kernels::{DType, ElementwiseSpec, ScanSpec};

use super::argument::{Argument, ArgumentList, KernelArgs};
use super::described::Described;
use super::elementwise::{add_preamble, call_steps, map_at};
use super::scan::unset;
use crate::array::{Elem, GpuArray, Raw, RealElem};
use crate::error::{Problem, Result};
use crate::shape::IntoShape as _;

/// The elements for which an expression of `ary[i]` is true, in their order: a new array.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = gpu![0.5, -1.0, 2.0, -3.0];
/// assert_eq!(algorithm::copy_if(&a, "ary[i] < 0")?.to_vec(), [-1.0, -3.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the expression does not compile, or the device reports an error.
pub fn copy_if<T: Elem>(ary: &GpuArray<T>, predicate: &str) -> Result<GpuArray<T>> {
    copy_if_with(ary, predicate, "", ())
}

/// [`copy_if`] with an expression that has arguments of its own: their declarations in C, and
/// what they are.
///
/// ```
/// use gpurepl_prelude::*;
/// let (a, limits) = (gpu![1, 5, 3, 8], gpu![2, 4, 4, 4]);
/// let found = algorithm::copy_if_with(&a, "ary[i] > limits[i] + more", "const int *limits, int more", (&limits, 0))?;
/// assert_eq!(found.to_vec(), [5, 8]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As for [`copy_if`], or if an argument does not fit.
pub fn copy_if_with<'a, T: Elem>(
    ary: &'a GpuArray<T>,
    predicate: &str,
    extra_args: &str,
    arguments: impl KernelArgs<'a>,
) -> Result<GpuArray<T>> {
    let statement = "if (prev_item != item) out[item - 1] = ary[i];";
    let (out, _) = compacted(ary, ("copy_if", predicate, statement, extra_args, ""), arguments, false)?;
    Ok(out)
}

/// The elements for which an expression of `ary[i]` is false, in their order.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(algorithm::remove_if(&gpu![1, 2, 3, 4], "ary[i] % 2")?.to_vec(), [1, 3].map(|k| k + 1));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As for [`copy_if`].
pub fn remove_if<T: Elem>(ary: &GpuArray<T>, predicate: &str) -> Result<GpuArray<T>> {
    copy_if(ary, &format!("!({predicate}\n)"))
}

/// [`remove_if`] with arguments of the expression's own, as [`copy_if_with`] has them.
///
/// # Errors
///
/// As for [`copy_if_with`].
pub fn remove_if_with<'a, T: Elem>(
    ary: &'a GpuArray<T>,
    predicate: &str,
    extra_args: &str,
    arguments: impl KernelArgs<'a>,
) -> Result<GpuArray<T>> {
    copy_if_with(ary, &format!("!({predicate}\n)"), extra_args, arguments)
}

/// The elements for which an expression of `ary[i]` is true, and the others; both in their
/// order.
///
/// # Errors
///
/// As for [`copy_if`].
pub fn partition<T: Elem>(ary: &GpuArray<T>, predicate: &str) -> Result<(GpuArray<T>, GpuArray<T>)> {
    partition_with(ary, predicate, "", ())
}

/// [`partition`] with arguments of the expression's own, as [`copy_if_with`] has them.
///
/// # Errors
///
/// As for [`copy_if_with`].
pub fn partition_with<'a, T: Elem>(
    ary: &'a GpuArray<T>,
    predicate: &str,
    extra_args: &str,
    arguments: impl KernelArgs<'a>,
) -> Result<(GpuArray<T>, GpuArray<T>)> {
    let statement = "if (prev_item != item) out[item - 1] = ary[i]; else rest[i - item] = ary[i];";
    compacted(ary, ("partition", predicate, statement, extra_args, ""), arguments, true)
}

/// The first of each run of equal elements: equal ones that are apart stay. `is_equal_expr` is
/// an expression of two elements `a` and `b`, such as `a == b`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(algorithm::unique(&gpu![1, 1, 2, 2, 2, 1], "a == b")?.to_vec(), [1, 2, 1]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As for [`copy_if`].
pub fn unique<T: Elem>(ary: &GpuArray<T>, is_equal_expr: &str) -> Result<GpuArray<T>> {
    let preamble = format!(
        "static __device__ bool gpurepl_is_equal({c} a, {c} b) {{ return {is_equal_expr}\n; }}\n",
        c = T::DTYPE.c()
    );
    let statement = "if (prev_item != item) out[item - 1] = ary[i];";
    let predicate = "i == 0 || !gpurepl_is_equal(ary[i - 1], ary[i])";
    let (out, _) = compacted(ary, ("unique", predicate, statement, "", &preamble), (), false)?;
    Ok(out)
}

fn given<'a>(arguments: impl KernelArgs<'a>) -> Vec<Argument<'a>> {
    let mut list = ArgumentList::default();
    arguments.list(&mut list);
    list.into_arguments()
}

/// Elements that are counted by a predicate and written where their numbers say, and the
/// rest if it is wanted. The texts are the name, the predicate, the statement, declarations
/// of further arguments and a preamble.
fn compacted<'a, T: Elem>(
    ary: &'a GpuArray<T>,
    (name, predicate, statement, extra_args, preamble): (&'static str, &str, &str, &str, &str),
    arguments: impl KernelArgs<'a>,
    has_rest: bool,
) -> Result<(GpuArray<T>, GpuArray<T>)> {
    let size = ary.size();
    let ary = &ary.ravel();
    let context = ary.raw.context();
    let of = |length: usize| length.into_dims().shape(name, T::DTYPE.size());
    let out = unset::<T>(context, of(size)?)?;
    let rest = unset::<T>(context, of(if has_rest { size } else { 0 })?)?;
    if size == 0 {
        return Ok((out, rest));
    }
    let count = unset::<i64>(context, of(1)?)?;
    let spec = described(T::DTYPE, size, (name, predicate, statement, extra_args, preamble), has_rest)?;
    let mut all = vec![Argument::Array(&ary.raw), Argument::Array(&out.raw)];
    if has_rest {
        all.push(Argument::Array(&rest.raw));
    }
    all.push(Argument::Array(&count.raw));
    all.extend(given(arguments));
    super::scan::call(&spec, all, Some(size))?;
    let count = usize::try_from(count.try_item()?).unwrap_or(0);
    let rest_count = if has_rest { size - count } else { 0 };
    Ok((out.try_slice(0..count)?.copy(), rest.try_slice(0..rest_count)?.copy()))
}

fn described(
    dtype: DType,
    size: usize,
    (name, predicate, statement, extra_args, preamble): (&'static str, &str, &str, &str, &str),
    has_rest: bool,
) -> Result<ScanSpec> {
    let c = dtype.c();
    // Numbers of 32 bits take half of the time.
    let number = if i32::try_from(size).is_ok() { DType::Int32 } else { DType::Int64 };
    let rest = if has_rest { format!(", {c} *rest") } else { String::new() };
    let comma = if extra_args.trim().is_empty() { "" } else { ", " };
    let arguments = format!("const {c} *ary, {c} *out{rest}, long long *count{comma}{extra_args}");
    let input = format!("({predicate}\n) ? 1 : 0");
    let statement = format!("{statement} if (i + 1 == n) *count = item;");
    let spec = ScanSpec::new(number, &arguments, &input, "a + b", "0", &statement, name);
    let mut spec = spec.map_err(|error| Problem::Spec { what: name, error })?;
    spec.preamble = preamble.to_owned();
    Ok(spec)
}

/// Sorts by a key that an expression computes of several arrays: PyOpenCL's `RadixSort`. The
/// key is of type `K`, in whose order it sorts; equal keys stay in their order.
///
/// ```
/// use gpurepl_prelude::*;
/// let by_distance = algorithm::RadixSort::<f32>::new("const float *x, const float *y", "x[i]*x[i] + y[i]*y[i]")?;
/// let (x, y) = (gpu![3.0f32, 0.0, 1.0], gpu![4.0f32, 1.0, 1.0]);
/// let order = by_distance.order((&x, &y))?;
/// assert_eq!((order.to_vec(), x.take(&order).to_vec()), (vec![1, 2, 0], vec![0.0, 1.0, 3.0]));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct RadixSort<K> {
    spec: Arc<Described<ElementwiseSpec>>,
    key_expr: Arc<str>,
    key: PhantomData<K>,
}

impl<K: RealElem> RadixSort<K> {
    /// Describes a sort by the declarations of arrays and numbers in C, and the key of the
    /// element `i`.
    ///
    /// # Errors
    ///
    /// If an argument cannot be read, none is an array, or the expression is empty.
    pub fn new(arguments: &str, key_expr: &str) -> Result<RadixSort<K>> {
        let wrong = |error| Problem::Spec { what: "RadixSort", error };
        ElementwiseSpec::new(arguments, key_expr, "sort_keys").map_err(wrong)?;
        let c = K::DTYPE.c();
        let operation = format!(
            "auto gpurepl_key = [&](long long i) -> {c} {{ return {key_expr}\n; }};\n\
             gpurepl_keys[i] = gpurepl_key((long long)i)"
        );
        let arguments = format!("{c} *gpurepl_keys, {arguments}");
        let spec = ElementwiseSpec::new(&arguments, &operation, "sort_keys").map_err(wrong)?;
        Ok(RadixSort { spec: Arc::new(Described::new(spec)), key_expr: key_expr.into(), key: PhantomData })
    }

    /// Puts C++ before the kernel: functions and types that the key uses. A second call adds its text after the first.
    #[must_use]
    pub fn preamble(mut self, text: &str) -> RadixSort<K> {
        add_preamble(&mut Arc::make_mut(&mut self.spec).edit().preamble, text);
        self
    }

    /// Where the elements of the sorted arrays are: `x.take(&order)` is one of them.
    ///
    /// # Errors
    ///
    /// If an argument does not fit, the shapes of arrays do not broadcast, or the key does
    /// not compile.
    pub fn order<'a>(&self, arguments: impl KernelArgs<'a>) -> Result<GpuArray<i64>> {
        // The keys are the first parameter.
        let keys = map_at(&self.spec, given(arguments), &[0], &[K::DTYPE])?;
        let keys = GpuArray::<K>::wrap(keys.into_iter().next().expect("one result"));
        let keys = GpuArray::<K>::wrap(keys.raw.try_reshape((-1).into_dims())?);
        Ok(keys.argsort())
    }
}

impl<K: Elem> std::fmt::Debug for RadixSort<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let signature = Signature::of(&self.spec.name, self.spec.parameters[1..].to_vec());
        write!(f, "RadixSort({signature}: {} of {})", self.key_expr, K::DTYPE)
    }
}

/// Lists of values, one behind the other: those of a number `k` are the elements from
/// `starts[k]` to before `starts[k + 1]`.
#[derive(Clone, Debug)]
pub struct Lists<T: Elem> {
    /// Where each list starts, and at the end how many elements there are in all.
    pub starts: GpuArray<i64>,
    /// All elements.
    pub lists: GpuArray<T>,
}

impl<T: Elem> Lists<T> {
    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.starts.size().saturating_sub(1)
    }

    /// Whether there is no list.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many elements all lists have.
    pub fn count(&self) -> usize {
        self.lists.size()
    }

    /// One of them, as a view.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are not so many.
    #[track_caller]
    pub fn list(&self, number: usize) -> GpuArray<T> {
        let ends = self.starts.slice(number as i64..number as i64 + 2).to_vec();
        match ends[..] {
            [start, end] => self.lists.slice(start..end),
            _ => {
                let message = format!("list {number} is out of bounds: there are {}", self.len());
                crate::error::Error::from(Problem::IndexCount { message }).raise()
            }
        }
    }
}

/// Values by their keys, which are from 0 to below `nkeys`: a list for each, in which they are
/// in their order. PyOpenCL's `KeyValueSorter`.
///
/// ```
/// use gpurepl_prelude::*;
/// let lists = algorithm::key_value_sort(&gpu![2, 0, 2, 1], &gpu![1.5, 2.5, 3.5, 4.5], 4)?;
/// assert_eq!((lists.starts.to_vec(), lists.lists.to_vec()), (vec![0, 1, 2, 4, 4], vec![2.5, 4.5, 1.5, 3.5]));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If keys and values are not vectors of one length, or a key is not an integer from 0 to
/// below `nkeys`.
pub fn key_value_sort<K: RealElem, T: Elem>(
    keys: &GpuArray<K>,
    values: &GpuArray<T>,
    nkeys: usize,
) -> Result<Lists<T>> {
    let wrong = |message: String| Err(Problem::Shape { operation: "key_value_sort", message }.into());
    if keys.ndim() != 1 || keys.shape() != values.shape() {
        return wrong(format!("keys have shape {:?} and values {:?}", keys.shape(), values.shape()));
    }
    if !K::DTYPE.is_integer() {
        return wrong(format!("keys are integers, and not {}", K::DTYPE));
    }
    let keys = keys.astype(crate::array::types::i64);
    if keys.size() > 0 {
        let (least, greatest) = (keys.min().try_item()?, keys.max().try_item()?);
        if least < 0 || greatest >= nkeys as i64 {
            let key = if least < 0 { least } else { greatest };
            return wrong(format!("the key {key} is not from 0 to below {nkeys}"));
        }
    }
    let order = keys.argsort();
    let numbers = crate::array::arange(0..nkeys as i64 + 1);
    let starts = keys.take(&order).searchsorted(&numbers);
    Ok(Lists { starts, lists: values.take(&order) })
}

/// Makes a list for each element, of as many values as its text appends: PyOpenCL's
/// `ListOfListsBuilder`.
///
/// ```
/// use gpurepl_prelude::*;
/// // The divisors of each number.
/// let divisors = algorithm::ListOfListsBuilder::<i32>::new(
///     "const int *x",
///     "for (int k = 1; k <= x[i]; k++) if (x[i] % k == 0) APPEND(k);",
/// )?;
/// let lists = divisors.call(3, &gpu![4, 5, 6])?;
/// assert_eq!(lists.starts.to_vec(), [0, 3, 5, 9]);
/// assert_eq!(lists.list(2).to_vec(), [1, 2, 3, 6]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct ListOfListsBuilder<T> {
    arguments: Arc<str>,
    generate: Arc<str>,
    preamble: Arc<str>,
    value: PhantomData<T>,
}

impl<T: Elem> ListOfListsBuilder<T> {
    /// Describes lists by the declarations of arguments in C, and statements of the element
    /// `i` that append values: `APPEND(value)`; `return` ends an element's list. They run
    /// twice, the first time to count, so they must append the same number again and
    /// change nothing.
    ///
    /// # Errors
    ///
    /// If an argument cannot be read, or there are no statements.
    pub fn new(arguments: &str, generate: &str) -> Result<ListOfListsBuilder<T>> {
        if tokens(generate).is_empty() {
            let message =
                "there are no statements; append values, as in `if (x[i] > 0) APPEND(x[i]);`".to_owned();
            return Err(Problem::Argument { kernel: "ListOfListsBuilder".to_owned(), message }.into());
        }
        let builder = ListOfListsBuilder {
            arguments: arguments.into(),
            generate: generate.into(),
            preamble: "".into(),
            value: PhantomData,
        };
        builder.counting()?;
        Ok(builder)
    }

    /// Puts C++ before the kernels: functions and types that they use.
    #[must_use]
    pub fn preamble(mut self, text: &str) -> ListOfListsBuilder<T> {
        let mut preamble = self.preamble.to_string();
        add_preamble(&mut preamble, text);
        self.preamble = preamble.into();
        self
    }

    fn arguments(&self, own: &str) -> String {
        let comma = if self.arguments.trim().is_empty() { "" } else { ", " };
        format!("{own}{comma}{}", self.arguments)
    }

    /// The text as a function of the element, which it may leave early.
    fn generate(&self) -> String {
        format!(
            "auto gpurepl_generate = [&](long long i) {{ (void)i;\n{}\n; }};\n\
             gpurepl_generate((long long)i);\n#undef APPEND\n",
            self.generate
        )
    }

    fn counting(&self) -> Result<ElementwiseSpec> {
        let operation = format!(
            "long long gpurepl_found = 0;\n#define APPEND(value) ((void)(value), (void)gpurepl_found++)\n\
             {}gpurepl_counts[i] = gpurepl_found;",
            self.generate()
        );
        self.described("long long *gpurepl_counts", &operation)
    }

    fn filling(&self) -> Result<ElementwiseSpec> {
        let operation = format!(
            "long long gpurepl_at = gpurepl_starts[i];\n#define APPEND(value) ((void)(gpurepl_lists[gpurepl_at++] = (value)))\n{}",
            self.generate()
        );
        let own = format!("const long long *gpurepl_starts, {} *gpurepl_lists", T::DTYPE.c());
        self.described(&own, &operation)
    }

    fn described(&self, own: &str, operation: &str) -> Result<ElementwiseSpec> {
        let spec = ElementwiseSpec::new(&self.arguments(own), operation, "generate");
        let mut spec = spec.map_err(|error| Problem::Spec { what: "ListOfListsBuilder", error })?;
        self.preamble.as_ref().clone_into(&mut spec.preamble);
        Ok(spec)
    }

    /// Makes the lists of the elements from 0 to below `count`.
    ///
    /// # Errors
    ///
    /// If an argument does not fit, or the text does not compile.
    pub fn call<'a>(&self, count: usize, arguments: impl KernelArgs<'a> + Clone) -> Result<Lists<T>> {
        let run = |spec: ElementwiseSpec, own: &[&Raw]| {
            let mut all: Vec<Argument<'_>> = own.iter().map(|raw| Argument::Array(raw)).collect();
            all.extend(given(arguments.clone()));
            call_steps(spec, all, (0, 1, count), count)
        };
        // Where the arguments lie.
        let context = given(arguments.clone()).iter().find_map(Argument::context);
        let shape = |length: usize, size| length.into_dims().shape("ListOfListsBuilder", size);
        let counts = unset::<i64>(context, shape(count, 8)?)?;
        let mut starts = unset::<i64>(context, shape(count + 1, 8)?)?;
        run(self.counting()?, &[&counts.raw])?;
        if count == 0 {
            starts.fill(0);
        } else {
            let arguments = "const long long *counts, long long *starts";
            let statement = "if (i == 0) starts[0] = 0; starts[i + 1] = item";
            let spec = ScanSpec::new(DType::Int64, arguments, "counts[i]", "a + b", "0", statement, "starts")
                .map_err(|error| Problem::Spec { what: "ListOfListsBuilder", error })?;
            super::scan::call(&spec, vec![Argument::Array(&counts.raw), Argument::Array(&starts.raw)], None)?;
        }
        let all = usize::try_from(starts.try_slice(-1)?.try_item()?).unwrap_or(0);
        let lists = unset::<T>(context, shape(all, T::DTYPE.size())?)?;
        run(self.filling()?, &[&starts.raw, &lists.raw])?;
        Ok(Lists { starts, lists })
    }
}

impl<T: Elem> std::fmt::Debug for ListOfListsBuilder<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ListOfListsBuilder({}: {} of {})", self.arguments, self.generate, T::DTYPE)
    }
}

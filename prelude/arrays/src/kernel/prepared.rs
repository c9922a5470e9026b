//! Launches of one kind many times: PyCUDA's `prepare`.

use std::sync::Arc;

use gpurepl_kernels::DType;
use gpurepl_kernels::declaration::CType;
use smallvec::SmallVec;

use super::checked::writable_place;
use super::convert::{check_structure, convert, may_hold};
use super::launch::{Dim3, IntoDim3};
use super::prepared_argument::PreparedArgs;
use super::source_module::{Function, FunctionInner};
use super::submit::on_stream;
use super::texture::Bound;
use crate::array::Elem;
use crate::array::Raw;
use crate::device::{Buffer, Stream, Structure};
use crate::error::{Error, Problem, Result};
use crate::memory::DeviceAllocation;
use crate::scalar::{Scalar, ScalarBytes};

/// A kernel whose argument types have been settled, so that a launch costs
/// little more than the driver's own.
///
/// ```
/// use gpurepl_prelude::*;
/// let source = "__global__ void add(float *a, const float *b, int n)
///               { int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) a[i] += b[i]; }";
/// let add = SourceModule::new(source)?.get_function("add")?.prepare("PPi")?;
/// let (mut a, b) = (zeros::<f32>(100), ones::<f32>(100));
/// for _ in 0..3 {
///     add.prepared_call(1, 128, (&mut a, &b, 100))?;
/// }
/// assert_eq!(a.sum().item(), 300.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct PreparedFunction {
    inner: Arc<FunctionInner>,
    types: Arc<[Type]>,
}

/// What an argument is prepared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Pointer {
        element: Option<DType>,
        is_const: bool,
        is_char: bool,
    },
    Number(DType),
    /// By value: its size, where the compiler has said so.
    Structure(Option<usize>),
}

impl Function {
    /// Settles the types of the arguments, with a letter for each as in
    /// Python's `struct`: `P` for an array or an address, `i` and `I` for
    /// 32-bit integers, `q` and `Q` for 64-bit ones, `h H b B ?` for smaller
    /// ones, `f` and `d` for floats, `e` for half precision, `F` and `D` for
    /// complex numbers, `n` and `N` for `ssize_t` and `size_t`, `S` for a
    /// structure or a vector by value. Without letters the types are those of
    /// the kernel's text.
    ///
    /// # Errors
    ///
    /// If the letters are not the kernel's arguments.
    pub fn prepare(&self, types: &str) -> Result<PreparedFunction> {
        let inner = Arc::clone(&self.inner);
        Ok(PreparedFunction { types: read_types(&inner, types)?, inner })
    }
}

fn read_types(function: &FunctionInner, letters: &str) -> Result<Arc<[Type]>> {
    let signature = &function.signature;
    let wrong = |message: String| -> Error {
        Problem::Argument { kernel: signature.name.clone(), message: format!("prepare: {message}") }.into()
    };
    let letters: Vec<char> = letters.chars().filter(|letter| !letter.is_whitespace()).collect();
    let expected = signature.parameters.len();
    if !letters.is_empty() && letters.len() != expected {
        return Err(wrong(format!("{} types for {expected} arguments: {signature}", letters.len())));
    }
    let mut types = Vec::with_capacity(expected);
    for (number, parameter) in signature.parameters.iter().enumerate() {
        let own = match &parameter.ctype {
            CType::Scalar(dtype) => Type::Number(*dtype),
            CType::Pointer { element, is_const } => {
                Type::Pointer { element: *element, is_const: *is_const, is_char: parameter.is_char }
            }
            // A texture or surface object is a number.
            CType::Other if parameter.spelling.ends_with("Object_t") => Type::Number(DType::UInt64),
            CType::Other => {
                let size = function.sizes.as_ref().and_then(|sizes| sizes.get(number).copied());
                Type::Structure(size)
            }
        };
        if let Some(letter) = letters.get(number) {
            let fits = match (letter, own) {
                ('P', Type::Pointer { .. }) | ('S', Type::Structure(_)) => true,
                // Python's own names for what has the same bits.
                (letter, Type::Number(dtype)) => {
                    let named =
                        number_type(*letter).ok_or_else(|| wrong(format!("`{letter}` is no type")))?;
                    named == dtype
                        || (named.is_integer() && dtype.is_integer() && named.size() == dtype.size())
                }
                (letter, _) if number_type(*letter).is_none() => {
                    return Err(wrong(format!("`{letter}` is no type")));
                }
                _ => false,
            };
            if !fits {
                return Err(wrong(format!(
                    "`{letter}` for argument {}, which is `{}`",
                    number + 1,
                    parameter.spelling
                )));
            }
        }
        types.push(own);
    }
    if let Some(sizes) = &function.sizes {
        let fits = |(kind, size): (&Type, &usize)| match kind {
            Type::Number(dtype) => dtype.size() == *size,
            Type::Pointer { .. } => *size == 8,
            Type::Structure(_) => true,
        };
        if sizes.len() != types.len() || !types.iter().zip(sizes).all(fits) {
            return Err(wrong(
                "the compiled kernel has other arguments than its text seems to have".to_owned(),
            ));
        }
    }
    Ok(types.into())
}

fn number_type(letter: char) -> Option<DType> {
    Some(match letter {
        '?' => DType::Bool,
        'b' => DType::Int8,
        'B' => DType::UInt8,
        'h' => DType::Int16,
        'H' => DType::UInt16,
        'i' => DType::Int32,
        'I' => DType::UInt32,
        'l' | 'q' | 'n' => DType::Int64,
        'L' | 'Q' | 'N' | 'P' => DType::UInt64,
        'e' => DType::Float16,
        'f' => DType::Float32,
        'd' => DType::Float64,
        'F' => DType::Complex64,
        'D' => DType::Complex128,
        _ => return None,
    })
}

impl PreparedFunction {
    /// Launches the kernel on the current stream. Arguments have the prepared
    /// types exactly, but for numbers that fit without loss.
    ///
    /// # Errors
    ///
    /// If an argument does not fit, the grid or block is larger than the
    /// device allows, or the launch fails.
    pub fn prepared_call(
        &self,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        arguments: impl PreparedArgs,
    ) -> Result<()> {
        self.prepared_call_shared(grid, block, 0, arguments)
    }

    /// [`PreparedFunction::prepared_call`] with dynamic shared memory, in bytes
    /// for each block: PyCUDA's `shared_size`.
    ///
    /// # Errors
    ///
    /// As [`PreparedFunction::prepared_call`].
    pub fn prepared_call_shared(
        &self,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        shared_size: usize,
        arguments: impl PreparedArgs,
    ) -> Result<()> {
        let mut packer = Packer::new(self);
        arguments.pack(&mut packer);
        packer.launch(grid.into_dim3(), block.into_dim3(), shared_size)
    }

    /// [`PreparedFunction::prepared_call`] on a stream.
    ///
    /// # Errors
    ///
    /// As [`PreparedFunction::prepared_call`].
    pub fn prepared_async_call(
        &self,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        stream: &Stream,
        arguments: impl PreparedArgs,
    ) -> Result<()> {
        on_stream(stream, &self.inner, || self.prepared_call(grid, block, arguments))
    }

    /// [`PreparedFunction::prepared_call`] that waits for the kernel and
    /// returns the time that it took on the device, in seconds.
    ///
    /// # Errors
    ///
    /// As [`PreparedFunction::prepared_call`], or if the kernel fails.
    pub fn prepared_timed_call(
        &self,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        arguments: impl PreparedArgs,
    ) -> Result<f64> {
        let mut packer = Packer::new(self);
        arguments.pack(&mut packer);
        let (grid, block) = (grid.into_dim3(), block.into_dim3());
        let context = self.inner.module.context;
        let timed = || crate::device::timed(|| packer.launch(grid, block, 0));
        let (result, milliseconds) = context.scope(timed)??;
        result.map(|()| f64::from(milliseconds) / 1e3)
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.inner.signature.name
    }
}

impl std::fmt::Debug for PreparedFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "PreparedFunction({}, on {})",
            self.inner.signature,
            self.inner.module.context.device().id()
        )
    }
}

/// Takes arguments one by one, without memory of its own.
pub struct Packer<'a> {
    function: &'a PreparedFunction,
    values: SmallVec<[ScalarBytes; 16]>,
    structures: Vec<Structure>,
    buffers: SmallVec<[(Arc<Buffer>, bool); 8]>,
    given: usize,
    error: Option<Error>,
}

impl<'a> Packer<'a> {
    fn new(function: &'a PreparedFunction) -> Packer<'a> {
        Packer {
            function,
            values: SmallVec::new(),
            structures: Vec::new(),
            buffers: SmallVec::new(),
            given: 0,
            error: None,
        }
    }

    // Not generic, and not inlined: see `ArgumentList`.

    #[inline(never)]
    pub(super) fn number(&mut self, scalar: Scalar, given: DType) {
        let value = match self.next() {
            Some(Type::Number(dtype)) => convert(scalar, given, dtype),
            Some(Type::Pointer { .. }) => Err("an array or an address, not a number".to_owned()),
            Some(Type::Structure(_)) => Err("a structure by value, not a number".to_owned()),
            None => return,
        };
        self.push(value);
    }

    #[inline(never)]
    pub(super) fn address(&mut self, value: u64) {
        if let Some(Type::Pointer { .. }) = self.function.types.get(self.given) {
            self.given += 1;
            // Expressions over the memory may not have been evaluated.
            match crate::array::settle_since(0) {
                Ok(()) => self.push(Ok(ScalarBytes::address(value))),
                Err(error) => self.fail(error),
            }
        } else {
            self.number(Elem::to_scalar(value), DType::UInt64);
        }
    }

    #[inline(never)]
    pub(super) fn array(&mut self, raw: &Raw) {
        match self.next() {
            Some(Type::Pointer { element, is_const, is_char }) => {
                let element = element.filter(|element| !may_hold(is_char, *element, raw.dtype()));
                match self.place(raw, element, is_const) {
                    Ok((buffer, address)) => {
                        self.buffers.push((buffer, !is_const));
                        self.push(Ok(ScalarBytes::address(address)));
                    }
                    Err(error) => self.fail(error),
                }
            }
            Some(Type::Number(dtype)) => self.push(Err(format!("a {dtype}, not an array"))),
            Some(Type::Structure(_)) => self.push(Err("a structure by value, not an array".to_owned())),
            None => {}
        }
    }

    /// `wanted` is the type of elements that the kernel takes instead.
    fn place(&self, raw: &Raw, wanted: Option<DType>, is_const: bool) -> Result<(Arc<Buffer>, u64)> {
        let name = self.function.name();
        if let Some(element) = wanted {
            let message = format!(
                "argument {} is an array of {}, but the kernel takes {element}",
                self.given,
                raw.dtype()
            );
            return Err(Problem::Argument { kernel: name.to_owned(), message }.into());
        }
        let (buffer, offset) = if is_const {
            let place = raw.contiguous()?;
            (place.buffer, place.offset)
        } else {
            let place = writable_place(raw)?;
            place.buffer.before_write()?;
            (place.buffer, place.offset)
        };
        self.function.inner.module.context.check_reach(name, buffer.context())?;
        let address = buffer.address() + (offset * raw.dtype().size()) as u64;
        Ok((buffer, address))
    }

    #[inline(never)]
    pub(super) fn memory(&mut self, memory: &DeviceAllocation) {
        match self.next() {
            Some(Type::Pointer { is_const, .. }) => {
                let buffer = memory.buffer();
                let context = self.function.inner.module.context;
                let checked = context.check_reach(self.function.name(), buffer.context());
                match checked.and_then(|()| if is_const { Ok(()) } else { buffer.before_write() }) {
                    Ok(()) => {
                        self.buffers.push((Arc::clone(buffer), !is_const));
                        self.push(Ok(ScalarBytes::address(memory.address())));
                    }
                    Err(error) => self.fail(error),
                }
            }
            Some(Type::Number(dtype)) => self.push(Err(format!("a {dtype}, not memory"))),
            Some(Type::Structure(_)) => self.push(Err("a structure by value, not memory".to_owned())),
            None => {}
        }
    }

    #[inline(never)]
    pub(super) fn object(&mut self, object: &Arc<Bound>) {
        match self.next() {
            Some(Type::Number(DType::UInt64)) => match object.enter() {
                Ok(()) => {
                    self.buffers.extend(object.buffer().map(|buffer| (Arc::clone(buffer), true)));
                    self.push(Ok(ScalarBytes::address(object.handle())));
                }
                Err(error) => self.fail(error),
            },
            Some(_) => self.push(Err("no texture or surface".to_owned())),
            None => {}
        }
    }

    #[inline(never)]
    pub(super) fn structure(&mut self, mut structure: Structure, type_name: &'static str) {
        match self.next() {
            Some(Type::Structure(size)) => {
                let spelling = &self.function.inner.signature.parameters[self.given - 1].spelling;
                structure.number = self.given - 1;
                let checked = check_structure(spelling, size, &structure, type_name);
                self.structures.push(structure);
                self.push(checked.map(|()| ScalarBytes::address(0)));
            }
            Some(_) => self.push(Err(format!("no `{type_name}` by value"))),
            None => {}
        }
    }

    /// The type of the next argument; none if there are too many, or something
    /// was wrong before.
    fn next(&mut self) -> Option<Type> {
        self.given += 1;
        if self.error.is_some() {
            return None;
        }
        self.function.types.get(self.given - 1).copied()
    }

    fn push(&mut self, value: Result<ScalarBytes, String>) {
        match value {
            Ok(value) => self.values.push(value),
            Err(message) => {
                let message = format!("argument {} is {message}", self.given);
                self.fail(Problem::Argument { kernel: self.function.name().to_owned(), message }.into());
            }
        }
    }

    #[cold]
    fn fail(&mut self, error: Error) {
        self.error.get_or_insert(error);
    }

    #[inline(never)]
    fn launch(self, grid: Dim3, block: Dim3, shared_size: usize) -> Result<()> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let function = &self.function.inner;
        if self.given != self.function.types.len() {
            let (given, expected) = (self.given, self.function.types.len());
            let plural = if given == 1 { "" } else { "s" };
            let message =
                format!("{given} argument{plural} given, but it takes {expected}: {}", function.signature);
            return Err(Problem::Argument { kernel: function.signature.name.clone(), message }.into());
        }
        let shape = function.shape(grid, block, shared_size)?;
        let buffers = self.buffers.iter().map(|(buffer, writes)| (&**buffer, *writes)).collect();
        function.submit(shape, &self.values, &self.structures, buffers, false)
    }
}

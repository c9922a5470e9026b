//! Arguments checked against a kernel's signature, and placed where the kernel
//! finds them.

use std::sync::Arc;

use gpurepl_kernels::DType;
use gpurepl_kernels::declaration::{CType, Parameter};
use gpurepl_kernels::signature::Signature;
use smallvec::SmallVec;

use super::argument::Argument;
use super::convert::{check_structure, convert, default_of, may_hold};
use super::texture::Bound;
use crate::array::{Place, Raw};
use crate::device::{self, Buffer, Context, LoopArguments, Structure};
use crate::error::{Error, Problem, Result};
use crate::memory::HostDataMut;
use crate::scalar::{Scalar, ScalarBytes};

/// Arguments as a device takes them, and what must happen around the launch.
pub(super) struct Prepared<'a> {
    /// Where the memory is.
    pub(super) context: Context,
    pub(super) values: SmallVec<[ScalarBytes; 8]>,
    pub(super) structures: Vec<Structure>,
    /// Kept until the launch is done: device memory of `In`, `Out`, `InOut`,
    /// copies of views, and the arrays themselves; and whether the kernel may
    /// write them.
    buffers: SmallVec<[(Arc<Buffer>, bool); 8]>,
    /// Kept as well: textures and surfaces.
    objects: Vec<Arc<Bound>>,
    outputs: Vec<(Box<dyn HostDataMut + 'a>, Arc<Buffer>)>,
}

impl Prepared<'_> {
    pub(super) fn buffers(&self) -> SmallVec<[(&Buffer, bool); 8]> {
        self.buffers.iter().map(|(buffer, writes)| (&**buffer, *writes)).collect()
    }

    /// What a loop is called with.
    pub(super) fn loop_arguments<'b>(&'b self, buffers: &'b [&'b Buffer]) -> LoopArguments<'b> {
        LoopArguments { values: &self.values, structures: &self.structures, buffers }
    }

    /// Whether no two arguments lie in the same buffer.
    pub(super) fn are_buffers_apart(&self) -> bool {
        self.buffers.iter().enumerate().all(|(number, (buffer, _))| {
            self.buffers[..number].iter().all(|(other, _)| !Arc::ptr_eq(buffer, other))
        })
    }

    pub(super) fn plain_buffers(&self) -> Vec<&Buffer> {
        self.buffers.iter().map(|(buffer, _)| &**buffer).collect()
    }

    /// Copies what the kernel wrote back to the host.
    pub(super) fn finish(self) -> Result<()> {
        for (mut output, buffer) in self.outputs {
            if buffer.bytes() > 0 {
                output.receive(&|bytes| buffer.context().download(&buffer, 0, bytes))?;
            }
        }
        Ok(())
    }
}

/// Checks arguments against a signature, and converts them. Memory must lie
/// in the context, or all in one where none is given.
pub(super) fn prepare<'a>(
    context: Option<Context>,
    signature: &Signature,
    sizes: Option<&[usize]>,
    mut arguments: Vec<Argument<'a>>,
) -> Result<Prepared<'a>> {
    complete(signature, &mut arguments)?;
    let context = match context.or_else(|| arguments.iter().find_map(Argument::context)) {
        Some(context) => context,
        None => device::current()?,
    };
    let mut prepared = Prepared {
        context,
        values: SmallVec::new(),
        structures: Vec::new(),
        buffers: SmallVec::new(),
        objects: Vec::new(),
        outputs: Vec::new(),
    };
    for (number, (argument, parameter)) in arguments.into_iter().zip(&signature.parameters).enumerate() {
        let size = sizes.and_then(|sizes| sizes.get(number).copied());
        Expected { signature, parameter, number, size }.take(&mut prepared, argument)?;
    }
    Ok(prepared)
}

/// Adds the defaults of parameters that are not given.
pub(super) fn complete(signature: &Signature, arguments: &mut Vec<Argument<'_>>) -> Result<()> {
    let (given, expected) = (arguments.len(), signature.parameters.len());
    let is_complete = signature.parameters.iter().skip(given).all(|parameter| {
        arguments.extend(default_of(parameter));
        parameter.default.is_some()
    });
    if arguments.len() == expected {
        return Ok(());
    }
    let plural = if given == 1 { "" } else { "s" };
    let help = if given < expected && is_complete {
        "\n  = help: a default is taken over where it is a number; pass the others".to_owned()
    } else {
        launch_help(signature)
    };
    let message = format!("{given} argument{plural} given, but it takes {expected}: {signature}{help}");
    Err(wrong_argument(&signature.name, message))
}

/// A parameter, for the argument that is given for it.
struct Expected<'s> {
    signature: &'s Signature,
    parameter: &'s Parameter,
    /// Which of the parameters it is, from zero.
    number: usize,
    /// Its size in bytes, if the device knows it.
    size: Option<usize>,
}

impl Expected<'_> {
    /// Checks an argument and adds it to those that are prepared.
    fn take<'a>(&self, prepared: &mut Prepared<'a>, argument: Argument<'a>) -> Result<()> {
        match (&self.parameter.ctype, argument) {
            (CType::Scalar(dtype), Argument::Scalar(scalar, given)) => {
                let value = convert(scalar, given, *dtype).map_err(|message| self.wrong(message))?;
                prepared.values.push(value);
                Ok(())
            }
            (CType::Other | CType::Scalar(DType::UInt64), Argument::Object(object)) => {
                self.take_object(prepared, object)
            }
            (CType::Other, Argument::Scalar(scalar, given)) => {
                prepared.values.push(self.unknown(scalar, given)?);
                Ok(())
            }
            (CType::Other, Argument::Structure(structure, type_name)) => {
                self.take_structure(prepared, structure, type_name)
            }
            (_, Argument::Structure(_, type_name)) => {
                Err(self.wrong_type(&format!(", not `{type_name}` by value")))
            }
            (CType::Pointer { element, is_const }, argument) => {
                self.check_pointer(*element, *is_const, &argument)?;
                let address = place(prepared, argument, *is_const, &self.signature.name)?;
                prepared.values.push(ScalarBytes::address(address));
                Ok(())
            }
            (_, _) => {
                let help = launch_help(self.signature);
                Err(self.wrong_type(&format!(", which takes a number, not an array{help}")))
            }
        }
    }

    /// The error that the argument is something.
    #[cold]
    fn wrong(&self, message: String) -> Error {
        let name = match self.parameter.name.as_str() {
            "" => String::new(),
            name => format!(" `{name}`"),
        };
        let message = format!("argument {}{name} is {message}", self.number + 1);
        wrong_argument(&self.signature.name, message)
    }

    /// The same for a type that the parameter does not take.
    #[cold]
    fn wrong_type(&self, message: &str) -> Error {
        self.wrong(format!("`{}`{message}", self.parameter.spelling))
    }

    fn take_object(&self, prepared: &mut Prepared<'_>, object: Arc<Bound>) -> Result<()> {
        let (spelling, kind) = (&self.parameter.spelling, object.kind());
        if ["cudaTextureObject_t", "cudaSurfaceObject_t"].contains(&spelling.as_str()) && spelling != kind {
            return Err(self.wrong_type(&format!(", not `{kind}`")));
        }
        object.enter()?;
        prepared.values.push(ScalarBytes::address(object.handle()));
        prepared.buffers.extend(object.buffer().map(|buffer| (Arc::clone(buffer), true)));
        prepared.objects.push(object);
        Ok(())
    }

    /// A number for a type that is not in the table: an enumeration, say. A structure
    /// of the number's size is not it.
    fn unknown(&self, scalar: Scalar, given: DType) -> Result<ScalarBytes> {
        let value = scalar
            .to_bytes(given)
            .filter(|value| !self.parameter.is_structure && self.size == Some(value.bytes().len()));
        value.ok_or_else(|| match self.parameter.vector() {
            Some((element, count)) => {
                self.wrong_type(&format!(", which takes `[{}; {count}]`, not a number", element.rust()))
            }
            None => self.wrong_type(", which takes a structure: `Struct(value)` passes one"),
        })
    }

    fn take_structure(
        &self,
        prepared: &mut Prepared<'_>,
        mut structure: Structure,
        type_name: &str,
    ) -> Result<()> {
        check_structure(&self.parameter.spelling, self.size, &structure, type_name)
            .map_err(|message| self.wrong(message))?;
        structure.number = self.number;
        prepared.values.push(ScalarBytes::address(0));
        prepared.structures.push(structure);
        Ok(())
    }

    /// Whether an argument may be passed as a pointer to elements of a type.
    fn check_pointer(&self, element: Option<DType>, is_const: bool, argument: &Argument<'_>) -> Result<()> {
        let given = self.elements_of(argument)?;
        let is_host_data = matches!(argument, Argument::In(_) | Argument::Out(_) | Argument::InOut(_));
        if let (Some(element), None, true) = (element, given, is_host_data) {
            let message = format!(", which takes an array of {element}, not of structures");
            return Err(self.wrong_type(&message));
        }
        let element = element.or_else(|| self.parameter.vector().map(|(number, _)| number));
        if let (Some(element), Some(given)) = (element, given)
            && !may_hold(self.parameter.is_char, element, given)
            && self.parameter.vector_as_dtype() != Some(given)
        {
            return Err(self.wrong_type(&format!(", which takes an array of {element}, not of {given}")));
        }
        if !is_const && matches!(argument, Argument::Shared { is_written: false, .. }) {
            return Err(self.wrong_type(
                ", which the kernel may write; pass `&mut` of the array, or declare the argument `const`",
            ));
        }
        if is_const && matches!(argument, Argument::Out(_) | Argument::InOut(_)) {
            let spelling = &self.parameter.spelling;
            let message = format!("`const {spelling}`, which the kernel cannot write; use In(&data)");
            return Err(self.wrong(message));
        }
        Ok(())
    }

    /// The type of the elements of an array or of memory, if it has one.
    fn elements_of(&self, argument: &Argument<'_>) -> Result<Option<DType>> {
        Ok(match argument {
            Argument::Scalar(..) => {
                let help = launch_help(self.signature);
                return Err(self.wrong_type(&format!(", which takes an array, not a number{help}")));
            }
            Argument::Object(object) => {
                let message = format!(", which takes an array, not `{}`", object.kind());
                return Err(self.wrong_type(&message));
            }
            Argument::Array(raw) | Argument::Strided(raw) => Some(raw.dtype()),
            Argument::Memory(_) | Argument::Held(_) => None,
            Argument::Shared { dtype, .. } => Some(*dtype),
            Argument::Structure(..) => unreachable!("a structure is passed by value"),
            Argument::In(data) => data.as_ref().map_err(Clone::clone)?.dtype,
            Argument::Out(data) | Argument::InOut(data) => data.data()?.dtype,
        })
    }
}

/// The next step for arguments that are not a kernel's: its call. What a
/// kernel of the library's own takes is not known by names.
fn launch_help(signature: &Signature) -> String {
    let argument = |parameter: &Parameter| {
        let name = if parameter.name.is_empty() { "x" } else { parameter.name.as_str() };
        match parameter.ctype {
            CType::Pointer { is_const: true, .. } => format!("&{name}"),
            CType::Pointer { .. } => format!("&mut {name}"),
            _ => name.to_owned(),
        }
    };
    let arguments: Vec<String> = signature.parameters.iter().map(argument).collect();
    let arguments = match &arguments[..] {
        [] => "()".to_owned(),
        [only] => format!("({only},)"),
        all => format!("({})", all.join(", ")),
    };
    format!("\n  = help: its arguments are one tuple: `{arguments}`")
}

fn wrong_argument(kernel: &str, message: String) -> Error {
    Problem::Argument { kernel: kernel.to_owned(), message }.into()
}

/// Puts an array or host data where the kernel finds it.
fn place<'a>(
    prepared: &mut Prepared<'a>,
    argument: Argument<'a>,
    is_const: bool,
    kernel: &str,
) -> Result<u64> {
    let context = prepared.context;
    let (buffer, offset) = match argument {
        Argument::Scalar(..) | Argument::Object(_) | Argument::Structure(..) => {
            unreachable!("what goes by value is not placed")
        }
        // What is only read may be a copy.
        Argument::Array(raw) if is_const => {
            let place = raw.contiguous()?;
            (place.buffer, place.offset * raw.dtype().size())
        }
        Argument::Array(raw) => {
            let place = writable_place(raw)?;
            place.buffer.before_write()?;
            (place.buffer, place.offset * raw.dtype().size())
        }
        Argument::Strided(raw) => {
            let place = raw.place()?;
            if !is_const {
                place.buffer.before_write()?;
            }
            (place.buffer, place.offset * raw.dtype().size())
        }
        Argument::Held(memory) => {
            // Expressions over the same memory may not know each other.
            crate::array::settle_since(0)?;
            let memory = memory?;
            (Arc::clone(memory.buffer()), 0)
        }
        Argument::Memory(memory) | Argument::Shared { memory, .. } => {
            if !is_const {
                memory.buffer().before_write()?;
            }
            (Arc::clone(memory.buffer()), (memory.address() - memory.buffer().address()) as usize)
        }
        Argument::In(data) => (uploaded(context, &data?.bytes)?, 0),
        Argument::Out(data) => {
            let bytes = data.data()?.bytes.len();
            let buffer = Buffer::new(context, bytes)?;
            prepared.outputs.push((data, Arc::clone(&buffer)));
            (buffer, 0)
        }
        Argument::InOut(data) => {
            let buffer = uploaded(context, &data.data()?.bytes)?;
            prepared.outputs.push((data, Arc::clone(&buffer)));
            (buffer, 0)
        }
    };
    context.check_reach(kernel, buffer.context())?;
    let address = buffer.address() + offset as u64;
    prepared.buffers.push((buffer, !is_const));
    Ok(address)
}

/// The place of an array that a kernel writes by itself.
pub(super) fn writable_place(raw: &Raw) -> Result<Place> {
    let place = raw.place()?;
    let is_in_order = place.strided().view(raw.shape()) == gpurepl_kernels::View::Contiguous;
    if raw.shape().size() > 0 && !is_in_order {
        let message =
            "the elements of this view do not lie in order, and the kernel may write them\n  = help: let it write a \
             copy, and put that back: `let mut copy = view.copy();`, after the launch `view.fill(&copy);`\n  = help: \
             if the kernel only reads it, declare the argument `const`"
                .to_owned();
        return Err(Problem::Invalid { operation: "launch", message }.into());
    }
    Ok(place)
}

fn uploaded(context: Context, bytes: &[u8]) -> Result<Arc<Buffer>> {
    let buffer = Buffer::new(context, bytes.len())?;
    if !bytes.is_empty() {
        buffer.context().upload(&buffer, 0, bytes)?;
    }
    Ok(buffer)
}

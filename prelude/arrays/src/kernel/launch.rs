//! The shape of a launch, and what every launch checks.

use gpurepl_kernels::DType;
use gpurepl_kernels::declaration::{CType, Parameter, vector_type};
use gpurepl_kernels::signature::Signature;

use super::argument::Argument;
use super::texture::Bound;
use crate::array::{Place, Raw};
use crate::device::{self, Buffer, Context, Limits, Structure};
use crate::error::{Error, Problem, Result};
use crate::memory::HostDataMut;
use crate::scalar::{Scalar, ScalarBytes};
use crate::shape::Length;
use smallvec::SmallVec;
use std::sync::Arc;

/// The size of a grid in blocks, or of a block in threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3 {
    lengths: [i64; 3],
}

/// One to three lengths: `4`, `(4, 4)`, `(n / 32, 1, 1)`, of any integer types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the size of a grid or block",
    note = "use a whole number or a tuple of one to three: `128`, `(4, 4)`, `(8, 8, 2)`"
)]
pub trait IntoDim3 {
    #[doc(hidden)]
    fn into_dim3(self) -> Dim3;
}

impl IntoDim3 for Dim3 {
    fn into_dim3(self) -> Dim3 {
        self
    }
}

macro_rules! lengths {
    ($($t:ty)*) => {$(
        impl IntoDim3 for $t {
            fn into_dim3(self) -> Dim3 {
                Dim3 { lengths: [self.length(), 1, 1] }
            }
        }
    )*};
}
lengths!(i32 i64 isize u32 u64 usize);

impl<X: Length> IntoDim3 for (X,) {
    fn into_dim3(self) -> Dim3 {
        Dim3 { lengths: [self.0.length(), 1, 1] }
    }
}

impl<X: Length, Y: Length> IntoDim3 for (X, Y) {
    fn into_dim3(self) -> Dim3 {
        Dim3 { lengths: [self.0.length(), self.1.length(), 1] }
    }
}

impl<X: Length, Y: Length, Z: Length> IntoDim3 for (X, Y, Z) {
    fn into_dim3(self) -> Dim3 {
        Dim3 { lengths: [self.0.length(), self.1.length(), self.2.length()] }
    }
}

impl<N: Length> IntoDim3 for [N; 3] {
    fn into_dim3(self) -> Dim3 {
        Dim3 { lengths: self.map(Length::length) }
    }
}

/// Checks a launch's shape against the device's limits and a kernel's own.
pub(super) fn check_shape(
    kernel: &str,
    grid: Dim3,
    block: Dim3,
    limits: &Limits,
    kernel_threads: u64,
) -> Result<([u32; 3], [u32; 3])> {
    let wrong = |message: String| -> Error { Problem::Launch { kernel: kernel.to_owned(), message }.into() };
    let check = |what: &str, unit: &str, asked: Dim3, allowed: [u64; 3]| {
        let mut lengths = [0; 3];
        for axis in 0..3 {
            let (asked, allowed) = (asked.lengths[axis], allowed[axis]);
            let name = ["x", "y", "z"][axis];
            if asked < 1 {
                return Err(wrong(format!("{what}.{name} is {asked}; it must be at least 1 {unit}")));
            }
            if asked.unsigned_abs() > allowed {
                return Err(wrong(format!("{what}.{name} is {asked} {unit}s; this device allows {allowed}")));
            }
            lengths[axis] = u32::try_from(asked).map_err(|_| wrong(format!("{what}.{name} is {asked}")))?;
        }
        Ok(lengths)
    };
    let grid_lengths = check("grid", "block", grid, limits.grid)?;
    let block_lengths = check("block", "thread", block, limits.block)?;
    let threads: u64 = block_lengths.iter().map(|length| u64::from(*length)).product();
    if threads > limits.threads_per_block {
        return Err(wrong(format!(
            "a block of {} has {threads} threads; this device allows {}",
            shown(block_lengths),
            limits.threads_per_block
        )));
    }
    if threads > kernel_threads {
        return Err(wrong(format!(
            "a block of {} has {threads} threads; this kernel, with the registers it uses, allows {kernel_threads}",
            shown(block_lengths)
        )));
    }
    Ok((grid_lengths, block_lengths))
}

fn shown([x, y, z]: [u32; 3]) -> String {
    format!("{x}x{y}x{z}")
}

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
    let kernel = &signature.name;
    let (given, expected) = (arguments.len(), signature.parameters.len());
    let is_complete = signature.parameters.iter().skip(given).all(|parameter| {
        arguments.extend(default_of(parameter));
        parameter.default.is_some()
    });
    if arguments.len() != expected {
        let plural = if given == 1 { "" } else { "s" };
        let help = if given < expected && is_complete {
            "\n  = help: a default is taken over where it is a number; pass the others".to_owned()
        } else {
            launch_help(signature)
        };
        let message = format!("{given} argument{plural} given, but it takes {expected}: {signature}{help}");
        return Err(wrong_argument(kernel, message));
    }
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
        let name = if parameter.name.is_empty() { String::new() } else { format!(" `{}`", parameter.name) };
        let wrong =
            |message: String| wrong_argument(kernel, format!("argument {}{name} is {message}", number + 1));
        match (&parameter.ctype, argument) {
            (CType::Scalar(dtype), Argument::Scalar(scalar, given)) => {
                let value = convert(scalar, given, *dtype).map_err(&wrong)?;
                prepared.values.push(value);
            }
            (CType::Other | CType::Scalar(DType::UInt64), Argument::Object(object)) => {
                let (spelling, kind) = (&parameter.spelling, object.kind());
                if ["cudaTextureObject_t", "cudaSurfaceObject_t"].contains(&spelling.as_str())
                    && spelling != kind
                {
                    return Err(wrong(format!("`{spelling}`, not `{kind}`")));
                }
                object.enter()?;
                prepared.values.push(ScalarBytes::address(object.handle()));
                prepared.buffers.extend(object.buffer().map(|buffer| (Arc::clone(buffer), true)));
                prepared.objects.push(object);
            }
            (CType::Other, Argument::Scalar(scalar, given)) => {
                let size = sizes.and_then(|sizes| sizes.get(number).copied());
                let value = scalar.to_bytes(given).filter(|value| size == Some(value.bytes().len()));
                prepared.values.push(value.ok_or_else(|| {
                    wrong(format!(
                        "`{}`, which takes a structure: `Struct(value)` passes one",
                        parameter.spelling
                    ))
                })?);
            }
            (CType::Other, Argument::Structure(mut structure, type_name)) => {
                let size = sizes.and_then(|sizes| sizes.get(number).copied());
                check_structure(&parameter.spelling, size, &structure, type_name).map_err(&wrong)?;
                structure.number = number;
                prepared.values.push(ScalarBytes::address(0));
                prepared.structures.push(structure);
            }
            (_, Argument::Structure(_, type_name)) => {
                return Err(wrong(format!("`{}`, not `{type_name}` by value", parameter.spelling)));
            }
            (CType::Pointer { element, is_const }, argument) => {
                let given = match &argument {
                    Argument::Scalar(..) => {
                        return Err(wrong(format!(
                            "`{}`, which takes an array, not a number{}",
                            parameter.spelling,
                            launch_help(signature)
                        )));
                    }
                    Argument::Array(raw) => Some(raw.dtype()),
                    Argument::Object(object) => {
                        let kind = object.kind();
                        return Err(wrong(format!(
                            "`{}`, which takes an array, not `{kind}`",
                            parameter.spelling
                        )));
                    }
                    Argument::Memory(_) | Argument::Held(_) => None,
                    Argument::Shared { dtype, .. } => Some(*dtype),
                    Argument::Structure(..) => unreachable!("taken above"),
                    Argument::In(data) => data.as_ref().map_err(Clone::clone)?.dtype,
                    Argument::Out(data) | Argument::InOut(data) => data.data()?.dtype,
                };
                let is_host_data =
                    matches!(argument, Argument::In(_) | Argument::Out(_) | Argument::InOut(_));
                if let (Some(element), None, true) = (element, given, is_host_data) {
                    let message = "which takes an array of";
                    return Err(wrong(format!(
                        "`{}`, {message} {element}, not of structures",
                        parameter.spelling
                    )));
                }
                let element = element.or_else(|| parameter.vector().map(|(number, _)| number));
                if let (Some(element), Some(given)) = (element, given)
                    && !may_hold(parameter.is_char, element, given)
                {
                    return Err(wrong(format!(
                        "`{}`, which takes an array of {element}, not of {given}",
                        parameter.spelling
                    )));
                }
                if !is_const && matches!(argument, Argument::Shared { is_written: false, .. }) {
                    return Err(wrong(format!(
                        "`{}`, which the kernel may write; pass `&mut` of the array, or declare the argument \
                         `const`",
                        parameter.spelling
                    )));
                }
                if *is_const && matches!(argument, Argument::Out(_) | Argument::InOut(_)) {
                    return Err(wrong(format!(
                        "`const {}`, which the kernel cannot write; use In(&data)",
                        parameter.spelling
                    )));
                }
                let address = place(&mut prepared, argument, *is_const, kernel)?;
                prepared.values.push(ScalarBytes::address(address));
            }
            (_, _) => {
                return Err(wrong(format!(
                    "`{}`, which takes a number, not an array{}",
                    parameter.spelling,
                    launch_help(signature)
                )));
            }
        }
    }
    Ok(prepared)
}

/// What a parameter is where it is not given, if that is a number: `int n = 3`.
fn default_of<'a>(parameter: &Parameter) -> Option<Argument<'a>> {
    let CType::Scalar(dtype) = parameter.ctype else { return None };
    let text = parameter.default.as_ref()?.replace(['\'', ' '], "").to_ascii_lowercase();
    let is_whole = text.starts_with("0x") || !text.contains(['.', 'e']);
    let scalar = match text.as_str() {
        "true" => Scalar::Int(1),
        "false" => Scalar::Int(0),
        _ if is_whole => {
            let digits = text.trim_end_matches(['u', 'l']);
            let (sign, digits) = digits.strip_prefix('-').map_or((1, digits), |digits| (-1, digits));
            let radix = [("0x", 16), ("0b", 2), ("0", 8)]
                .into_iter()
                .find(|(start, _)| digits.len() > start.len() && digits.starts_with(start));
            let (start, radix) = radix.unwrap_or(("", 10));
            Scalar::Int(sign * i64::from_str_radix(&digits[start.len()..], radix).ok()?)
        }
        _ => Scalar::Float(text.trim_end_matches('f').parse().ok()?),
    };
    let given = if matches!(scalar, Scalar::Int(_)) { DType::Int64 } else { DType::Float64 };
    // It is the compiler's own where it does not fit.
    convert(scalar, given, dtype).ok().map(|_| Argument::Scalar(scalar, given))
}

/// Whether a pointer to elements of a type takes an array of another: text is
/// bytes of either sign.
pub(super) fn may_hold(is_char: bool, element: DType, given: DType) -> bool {
    element == given || is_char && matches!(given, DType::Int8 | DType::UInt8)
}

/// A structure is the kernel's if it has its size; a vector, `float3`, must
/// have its elements as well.
pub(super) fn check_structure(
    spelling: &str,
    size: Option<usize>,
    given: &Structure,
    type_name: &str,
) -> Result<(), String> {
    if let Some((element, count)) = vector_type(spelling) {
        let (rust, bytes) = (element.rust(), element.size() * count);
        if given.size != bytes || (type_name.starts_with('[') && type_name != format!("[{rust}; {count}]")) {
            return Err(format!("`{spelling}`, which takes `[{rust}; {count}]`, not `{type_name}`"));
        }
    } else if let Some(size) = size
        && given.size != size
    {
        return Err(format!(
            "`{spelling}` of {size} bytes, but `{type_name}` has {}; is it `#[repr(C)]` with the same fields?",
            given.size
        ));
    } else if size.is_none() {
        return Err(format!(
            "`{spelling}` by value, whose size this driver does not tell; pass a pointer to it"
        ));
    }
    Ok(())
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
    if place.strided().view(raw.shape()) != gpurepl_kernels::View::Contiguous {
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

/// A number as the kernel's parameter. Nothing is lost on the way, except
/// that floats are rounded to the parameter's precision: `0.1` is meant as a
/// `float` where the kernel takes one.
pub(super) fn convert(scalar: Scalar, given: DType, dtype: DType) -> Result<ScalarBytes, String> {
    if given == dtype {
        return scalar.to_bytes(dtype).ok_or_else(|| format!("{dtype}"));
    }
    let lossless = match scalar {
        Scalar::Int(value) if dtype.is_float() || dtype.is_complex() => {
            // 2^24 is the first integer after which a float has gaps.
            let exact = match dtype.real() {
                DType::Float16 => 1 << 11,
                DType::Float32 => 1 << 24,
                _ => 1_i64 << 53,
            };
            value.unsigned_abs() <= exact as u64
        }
        Scalar::UInt(_) if dtype.is_float() || dtype.is_complex() => false,
        Scalar::Float(value) if dtype.is_float() || dtype.is_complex() => {
            let limit = match dtype.real() {
                DType::Float16 => 65504.0,
                DType::Float32 => f64::from(f32::MAX),
                _ => f64::MAX,
            };
            !value.is_finite() || value.abs() <= limit
        }
        _ => true,
    };
    let value = scalar.to_bytes(dtype).filter(|_| lossless);
    value
        .ok_or_else(|| format!("of type {dtype}, which cannot hold {scalar}; write it as a {}", dtype.rust()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        grid: [2_147_483_647, 65_535, 65_535],
        block: [1024, 1024, 64],
        threads_per_block: 1024,
        shared_memory: 48 << 10,
        shared_memory_optin: 227 << 10,
    };

    fn message(grid: impl IntoDim3, block: impl IntoDim3) -> String {
        check_shape("k", grid.into_dim3(), block.into_dim3(), &LIMITS, 512).unwrap_err().to_string()
    }

    #[test]
    fn limits_are_named_with_what_was_asked() {
        assert_eq!(message(0, 32), "k: grid.x is 0; it must be at least 1 block");
        assert_eq!(message(1, -4), "k: block.x is -4; it must be at least 1 thread");
        assert_eq!(message((1, 70_000), 32), "k: grid.y is 70000 blocks; this device allows 65535");
        assert_eq!(message(1, 2000), "k: block.x is 2000 threads; this device allows 1024");
        assert_eq!(message(1, (64, 64)), "k: a block of 64x64x1 has 4096 threads; this device allows 1024");
        assert_eq!(
            message(1, 1000),
            "k: a block of 1000x1x1 has 1000 threads; this kernel, with the registers it uses, allows 512"
        );
        let shape = check_shape("k", 7_usize.into_dim3(), (4_u32, 4_i64).into_dim3(), &LIMITS, 512).unwrap();
        assert_eq!(shape, ([7, 1, 1], [4, 4, 1]));
    }

    #[test]
    fn numbers_convert_without_loss_or_not_at_all() {
        let to = |scalar, dtype| convert(scalar, DType::Int32, dtype).map(|value| value.bytes().to_vec());
        assert_eq!(to(Scalar::Int(5), DType::Float32).unwrap(), 5f32.to_ne_bytes());
        assert_eq!(to(Scalar::Int(5), DType::UInt32).unwrap(), 5u32.to_ne_bytes());
        assert_eq!(
            convert(Scalar::Float(0.1), DType::Float64, DType::Float32).unwrap().bytes(),
            0.1f32.to_ne_bytes()
        );
        assert!(
            to(Scalar::Int(-1), DType::UInt32).unwrap_err().contains("cannot hold -1; write it as a u32")
        );
        assert!(to(Scalar::Int(16_777_217), DType::Float32).is_err());
        assert!(convert(Scalar::Float(2.0), DType::Float64, DType::Int32).is_err());
        assert!(convert(Scalar::Float(1e300), DType::Float64, DType::Float32).is_err());
    }
}

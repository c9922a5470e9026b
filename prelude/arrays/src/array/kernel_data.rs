//! Values as kernels have them: numbers, arrays of them, and structures with
//! the layout of C.

use std::borrow::Cow;

use gpurepl_kernels::DType;

use crate::device::Structure;
use crate::error::Result;

/// A value that a kernel can have: a number, an array of numbers such as
/// `[f32; 3]`, or a structure that `kernel_struct!`
/// declares.
///
/// Rust puts the fields of a structure in any order that it likes, so a
/// structure has to be declared as one that has C's.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not have the layout of C, which kernels need",
    label = "not a value that a kernel can have",
    note = "declare the structure within `kernel_struct! {{ struct Name {{ x: f32, n: i32 }} }}`; numbers and arrays of \
            numbers need nothing"
)]
pub trait KernelData: Sized {
    /// The type of the numbers, where all are of one type.
    #[doc(hidden)]
    const ELEMENT: Option<DType>;

    /// The size of the value in C, in bytes.
    #[doc(hidden)]
    const BYTES: usize;

    /// What its address is a multiple of in C.
    #[doc(hidden)]
    const ALIGNMENT: usize;

    /// Writes the value as C has it. Bytes between fields stay as they are.
    #[doc(hidden)]
    fn to_kernel_bytes(&self, to: &mut [u8]);

    #[doc(hidden)]
    fn from_kernel_bytes(from: &[u8]) -> Self;

    /// The declaration of a variable of the type in C: `float x[3]`.
    #[doc(hidden)]
    fn c_declaration(name: &str) -> String;

    /// Adds the structures that the type has in it, each before those that use it: a name and a
    /// definition.
    #[doc(hidden)]
    fn c_definitions(_: &mut Vec<(String, String)>) {}

    /// The definition of a structure in C, after those of the structures in it; nothing for
    /// numbers. A source that starts with it has the structure as Rust does: PyCUDA's
    /// `match_dtype_to_c_struct`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// kernel_struct! {
    ///     struct Line {
    ///         slope: f32,
    ///         ends: [f64; 2],
    ///     }
    /// }
    /// assert_eq!(Line::c_struct(), "struct Line {\n  float slope;\n  double ends[2];\n};\n");
    /// ```
    fn c_struct() -> String {
        let mut definitions = Vec::new();
        Self::c_definitions(&mut definitions);
        definitions.into_iter().map(|(_, text)| text).collect()
    }

    #[doc(hidden)]
    fn all_to_kernel_bytes(values: &[Self]) -> Cow<'_, [u8]> {
        let mut bytes = vec![0; values.len() * Self::BYTES];
        for (k, value) in values.iter().enumerate() {
            value.to_kernel_bytes(&mut bytes[k * Self::BYTES..(k + 1) * Self::BYTES]);
        }
        Cow::Owned(bytes)
    }

    /// Has bytes filled in and takes them over as values.
    #[doc(hidden)]
    fn receive_kernel_bytes(values: &mut [Self], fill: &dyn Fn(&mut [u8]) -> Result<()>) -> Result<()> {
        let mut bytes = vec![0; values.len() * Self::BYTES];
        fill(&mut bytes)?;
        for (k, value) in values.iter_mut().enumerate() {
            *value = Self::from_kernel_bytes(&bytes[k * Self::BYTES..(k + 1) * Self::BYTES]);
        }
        Ok(())
    }
}

impl<T: KernelData, const N: usize> KernelData for [T; N] {
    const ELEMENT: Option<DType> = T::ELEMENT;
    const BYTES: usize = N * T::BYTES;
    const ALIGNMENT: usize = T::ALIGNMENT;

    fn c_declaration(name: &str) -> String {
        T::c_declaration(&format!("{name}[{N}]"))
    }

    fn c_definitions(found: &mut Vec<(String, String)>) {
        T::c_definitions(found);
    }

    fn to_kernel_bytes(&self, to: &mut [u8]) {
        for (k, value) in self.iter().enumerate() {
            value.to_kernel_bytes(&mut to[k * T::BYTES..(k + 1) * T::BYTES]);
        }
    }

    fn from_kernel_bytes(from: &[u8]) -> Self {
        std::array::from_fn(|k| T::from_kernel_bytes(&from[k * T::BYTES..(k + 1) * T::BYTES]))
    }

    fn all_to_kernel_bytes(values: &[Self]) -> Cow<'_, [u8]> {
        T::all_to_kernel_bytes(values.as_flattened())
    }

    fn receive_kernel_bytes(values: &mut [Self], fill: &dyn Fn(&mut [u8]) -> Result<()>) -> Result<()> {
        T::receive_kernel_bytes(values.as_flattened_mut(), fill)
    }
}

/// Where the fields of a structure lie in C, and its size and alignment: each
/// field at the next multiple of its alignment, the whole a multiple of the
/// largest.
#[doc(hidden)]
pub const fn layout_of_c<const N: usize>(fields: [(usize, usize); N]) -> ([usize; N], usize, usize) {
    let (mut offsets, mut end, mut alignment, mut k) = ([0; N], 0_usize, 1, 0);
    while k < N {
        let (bytes, aligned) = fields[k];
        offsets[k] = end.next_multiple_of(aligned);
        end = offsets[k] + bytes;
        if aligned > alignment {
            alignment = aligned;
        }
        k += 1;
    }
    (offsets, end.next_multiple_of(alignment), alignment)
}

/// Adds the definition of a structure in C, if it is not there yet: its name, the declarations
/// of its fields.
#[doc(hidden)]
pub fn define_in_c(found: &mut Vec<(String, String)>, name: &str, fields: &[String]) {
    if found.iter().any(|(known, _)| known == name) {
        return;
    }
    let fields: String = fields.iter().map(|field| format!("  {field};\n")).collect();
    found.push((name.to_owned(), format!("struct {name} {{\n{fields}}};\n")));
}

/// A structure by value, which `kernel_struct!` declares
/// with the fields of the kernel's.
///
/// ```
/// use gpurepl_prelude::*;
/// kernel_struct! {
///     struct Line {
///         slope: f32,
///         offset: f64,
///     }
/// }
/// let source = "struct Line { float slope; double offset; };
///     __global__ void at(Line line, double *x) { x[threadIdx.x] = line.slope * x[threadIdx.x] + line.offset; }";
/// let mut x = arange(0.0..3.0);
/// SourceModule::new(source)?.get_function("at")?.launch(1, 3, (Struct(Line { slope: 2.0, offset: 1.0 }), &mut x))?;
/// assert_eq!(x.to_vec(), [1.0, 3.0, 5.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// Another structure is refused: Rust puts its fields in any order.
///
/// ```compile_fail,E0277
/// use gpurepl_prelude::*;
/// #[derive(Clone, Copy)]
/// struct Line {
///     slope: f32,
///     offset: f64,
/// }
/// let source = "struct Line { float slope; double offset; }; __global__ void at(Line line, double *x) {}";
/// let at = SourceModule::new(source).unwrap().get_function("at").unwrap();
/// at.launch(1, 3, (Struct(Line { slope: 2.0, offset: 1.0 }), &mut zeros::<f64>(3))).unwrap();
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Struct<T>(pub T);

impl<T: KernelData> KernelData for Struct<T> {
    const ELEMENT: Option<DType> = T::ELEMENT;
    const BYTES: usize = T::BYTES;
    const ALIGNMENT: usize = T::ALIGNMENT;

    fn c_declaration(name: &str) -> String {
        T::c_declaration(name)
    }

    fn c_definitions(found: &mut Vec<(String, String)>) {
        T::c_definitions(found);
    }

    fn to_kernel_bytes(&self, to: &mut [u8]) {
        self.0.to_kernel_bytes(to);
    }

    fn from_kernel_bytes(from: &[u8]) -> Struct<T> {
        Struct(T::from_kernel_bytes(from))
    }
}

/// A value as an argument of a launch.
pub(crate) fn structure<T: KernelData>(value: &T) -> Structure {
    Structure::new(T::BYTES, &|bytes| value.to_kernel_bytes(bytes))
}

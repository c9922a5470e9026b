//! PyCUDA's elementwise kernels: a statement repeated for every element.

use std::fmt::Write as _;

use crate::declaration::{CType, Parameter, check_types, parse_list};
use crate::guards::Guards;
use crate::layouts::{Layouts, Usage};
use crate::support::{complex_for, pieces_for};
use crate::token::{TokenKind, tokens};
use crate::value_type::size_check;
use crate::{DType, SpecError};

/// A loop over elements of the user's: PyCUDA's `ElementwiseKernel`.
///
/// ```
/// use gpurepl_kernels::ElementwiseSpec;
/// let spec = ElementwiseSpec::new(
///     "float a, float *x, float b, float *y, float *z",
///     "z[i] = a*x[i] + b*y[i]",
///     "linear_combination",
/// )?;
/// assert!(spec.to_cuda().contains("z[i] = a*x[i] + b*y[i];"));
/// assert!(spec.to_host().contains("z[i] = a*x[i] + b*y[i];"));
/// # Ok::<(), gpurepl_kernels::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementwiseSpec {
    /// The arguments; at least one is an array.
    pub parameters: Vec<Parameter>,
    /// Statements of the element's place `i`, and `n`.
    pub operation: String,
    /// The kernel's name.
    pub name: String,
    /// C++ before the kernel: functions, types, includes.
    pub preamble: String,
    /// Statements before the loop.
    pub loop_prep: String,
    /// Statements after the loop.
    pub after_loop: String,
    /// Options of the compiler, such as `-use_fast_math`.
    pub options: Vec<String>,
    /// What it looks at while it runs.
    pub guards: Guards,
    /// What the parameters were parsed from.
    arguments: String,
    /// How the arrays lie: see [`ElementwiseSpec::laid_out`].
    layouts: Layouts,
    /// What Rust says of structures: see [`ElementwiseSpec::with_sizes`].
    sizes: Vec<(String, usize)>,
    /// Whether the loop goes over some elements alone: see [`ElementwiseSpec::ranged`].
    is_ranged: bool,
}

impl ElementwiseSpec {
    /// Describes an elementwise kernel.
    ///
    /// # Errors
    ///
    /// If an argument cannot be read, none is an array, the operation is
    /// empty, or the name is not a C identifier. Whether the preamble defines the types that
    /// only it can define is known later: [`ElementwiseSpec::check_types`].
    pub fn new(arguments: &str, operation: &str, name: &str) -> Result<ElementwiseSpec, SpecError> {
        let parameters = parse_list(arguments)?;
        check_parts(&parameters, arguments, name)?;
        if tokens(operation).is_empty() {
            return Err(SpecError::new("the operation is empty", operation, 0..operation.len())
                .help("write a C statement such as `z[i] = 2*x[i]`"));
        }
        Ok(ElementwiseSpec {
            parameters,
            operation: operation.to_owned(),
            name: name.to_owned(),
            preamble: String::new(),
            loop_prep: String::new(),
            after_loop: String::new(),
            options: Vec::new(),
            guards: Guards::default(),
            arguments: arguments.to_owned(),
            layouts: Layouts::default(),
            sizes: Vec::new(),
            is_ranged: false,
        })
    }

    /// Whether the preamble defines the types of the arguments that C does not know.
    ///
    /// # Errors
    ///
    /// If it does not define one.
    pub fn check_types(&self) -> Result<(), SpecError> {
        match self.parameters.iter().any(|parameter| parameter.unknown_type().is_some()) {
            true => check_types(&self.parameters, &self.arguments, &self.preamble),
            false => Ok(()),
        }
    }

    /// The same with the sizes in bytes that structures have in Rust, which the compiler compares
    /// with its own.
    #[must_use]
    pub fn with_sizes(&self, sizes: Vec<(String, usize)>) -> ElementwiseSpec {
        ElementwiseSpec { sizes, ..self.clone() }
    }

    fn size_checks(&self) -> String {
        self.sizes.iter().map(|(name, bytes)| size_check(name, *bytes)).collect()
    }

    /// The texts that use the arrays.
    pub fn bodies(&self) -> [&str; 3] {
        [&self.operation, &self.loop_prep, &self.after_loop]
    }

    /// The same for arrays some of which do not lie in order: as many parameters more as there
    /// are lengths and strides.
    #[must_use]
    pub fn laid_out(&self, layouts: Layouts) -> ElementwiseSpec {
        let mut spec = self.clone();
        spec.parameters.extend(layouts.numbers(&self.parameters));
        spec.layouts = layouts;
        spec
    }

    /// The same over elements `start`, `start + step` and so on: three parameters more,
    /// `start`, `step` and what `n` is in the texts. The number of elements is the
    /// number of steps then.
    #[must_use]
    pub fn ranged(&self) -> ElementwiseSpec {
        let mut spec = self.clone();
        spec.is_ranged = true;
        let more = "long long gpurepl_start, long long gpurepl_step, unsigned long long gpurepl_size";
        spec.parameters.extend(parse_list(more).expect("three numbers"));
        spec
    }

    /// The names of the number of elements, and of the one that counts them; and what
    /// makes `i` and `n` of these.
    fn counted(&self) -> (&'static str, &'static str, &'static str, &'static str) {
        if self.is_ranged {
            // A guard before the loop would tell of the element 0.
            let size = if self.guards.is_guarded {
                "  const long long n = (long long)gpurepl_size;\n  (void)n;\n  long long i = -1;\n"
            } else {
                "  const long long n = (long long)gpurepl_size;\n  (void)n;\n  long long i = 0;\n"
            };
            ("gpurepl_count", "gpurepl_k", size, "    i = gpurepl_start + gpurepl_k * gpurepl_step;\n")
        } else {
            ("n", "i", "", "")
        }
    }

    /// The user's texts by the names that compilers know them by.
    pub fn texts(&self) -> Vec<(&str, &str)> {
        vec![
            ("operation", &self.operation),
            ("loop_prep", &self.loop_prep),
            ("after_loop", &self.after_loop),
            ("preamble", &self.preamble),
        ]
    }

    /// What tells it from others, which is shorter than its text.
    pub fn key(&self) -> String {
        let range = if self.is_ranged { "range" } else { "" };
        let texts = [&self.operation, &self.name, &self.preamble, &self.loop_prep, &self.after_loop];
        let (layouts, options) = (self.layouts.key(), self.options.join(" "));
        let sizes = self.size_checks();
        key_of(
            &self.parameters,
            &[&[range, &layouts, &options, &sizes, self.guards.key()], &texts.map(String::as_str)[..]]
                .concat(),
        )
    }

    /// CUDA C: a kernel of this spec's name, after [`ENTRY`], that takes the
    /// arguments and `n`. A block of [`ELEMENTWISE_BLOCK`] threads has
    /// [`ELEMENTWISE_TILE`] elements if [`ElementwiseSpec::is_tiled`], else its
    /// threads go on to elements after the grid's.
    ///
    /// If it is tiled, a second kernel, after [`APART`], is for arrays that do not
    /// overlap: elements are loaded before the first result is stored.
    pub fn to_cuda(&self) -> String {
        let passed = self.layouts.passed(&self.parameters);
        let mut parameters = String::new();
        for parameter in &passed {
            let _ = write!(parameters, "{}, ", parameter.to_c());
        }
        let name = &self.name;
        let operation = statement(&self.operation, "operation");
        let objects = self.layouts.objects(&self.parameters);
        let text = if self.is_tiled() {
            let restricted: String = passed.iter().map(|p| format!("{}, ", restricted(p))).collect();
            let given: String = passed.iter().map(|p| format!(", {}", p.name)).collect();
            let body = format!(
                "  const long long gpurepl_first = (long long){ELEMENTWISE_TILE} * blockIdx.x;\n  \
                   if (gpurepl_first + {ELEMENTWISE_TILE} <= n) {{\n    \
                     #pragma unroll\n    \
                     for (int gpurepl_k = 0; gpurepl_k < {each}; gpurepl_k++)\n      \
                       gpurepl_element(gpurepl_first + gpurepl_k * {ELEMENTWISE_BLOCK} + threadIdx.x, n{given});\n  \
                   }} else {{\n    \
                     for (long long gpurepl_k = gpurepl_first + threadIdx.x; gpurepl_k < n; gpurepl_k += {ELEMENTWISE_BLOCK})\n      \
                       gpurepl_element(gpurepl_k, n{given});\n  }}\n",
                each = ELEMENTWISE_TILE / ELEMENTWISE_BLOCK,
            );
            let listed = parameters.trim_end_matches(", ");
            let restricted = restricted.trim_end_matches(", ");
            format!(
                "static __device__ __forceinline__ void gpurepl_element(long long i, long long n, {listed}) {{\n{objects}{operation}}}\n\
                 extern \"C\" __global__ void __launch_bounds__({ELEMENTWISE_BLOCK}) {ENTRY}{name}({listed}, long long n)\n{{\n{body}}}\n\
                 extern \"C\" __global__ void __launch_bounds__({ELEMENTWISE_BLOCK}) {APART}{name}({restricted}, long long n)\n{{\n{body}}}\n",
            )
        } else {
            let (count, k, size, number) = self.counted();
            let (before, after_counter) = self.places_of_objects(&objects);
            let (results, start) = (self.looked_at(), self.no_element());
            format!(
                "extern \"C\" __global__ void {ENTRY}{name}({parameters}long long {count})\n{{\n  \
                   const long long tid = threadIdx.x, total_threads = (long long)gridDim.x * blockDim.x;\n  \
                   const long long cta_start = (long long)blockDim.x * blockIdx.x;\n\
                 {size}{before}  long long {k}{start};\n\
                 {after_counter}{prep}  for ({k} = cta_start + tid; {k} < {count}; {k} += total_threads) {{\n{number}{operation}{results}  }}\n{after}}}\n",
                prep = statement(&self.loop_prep, "loop_prep"),
                after = statement(&self.after_loop, "after_loop"),
            )
        };
        let includes = type_headers(&self.parameters, None, "");
        let all = format!("{text}{}", self.preamble);
        let (pieces, preamble) = (pieces_for(&all), own_lines(&self.preamble, "preamble"));
        let strided = self.layouts.definition("__device__ __forceinline__ ");
        let checks = self.size_checks();
        let guards = self.guards.to_cuda(true);
        format!("{includes}{pieces}{strided}{guards}{preamble}{checks}{text}")
    }

    /// The objects where they stand before the counter, and after it: one that is guarded tells
    /// which element is computed.
    fn places_of_objects<'o>(&self, objects: &'o str) -> (&'o str, &'o str) {
        if self.guards.is_guarded { ("", objects) } else { (objects, "") }
    }

    /// What the counter is before the loop, where a guard would tell it.
    fn no_element(&self) -> &'static str {
        if self.guards.is_guarded { " = -1" } else { "" }
    }

    /// What looks at the results of the operation.
    fn looked_at(&self) -> String {
        let is_set = |name: &str| Usage::of(&self.bodies(), &self.preamble, name).is_assigned;
        self.guards.of_results(&self.parameters, &self.operation, is_set)
    }

    /// Whether elements can be computed by any thread: the loop has nothing
    /// before or after it, and does not ask which thread it runs on.
    pub fn is_tiled(&self) -> bool {
        !self.is_ranged
            && !self.guards.is_any()
            && self.loop_prep.is_empty()
            && self.after_loop.is_empty()
            && !uses(&self.operation, &OF_A_LOOP)
            // A macro of the preamble may use them.
            && !uses(&self.preamble, &OF_A_LOOP[..3])
    }

    /// C++ for the host's shim: `gpurepl_range(args, begin, end, n)` runs the
    /// loop over a range of elements. `args` holds the address of each
    /// argument's value.
    pub fn to_host(&self) -> String {
        let (count, k, size, number) = self.counted();
        let objects = self.layouts.objects(&self.parameters);
        let (before, after_counter) = self.places_of_objects(&objects);
        let (results, start) = (self.looked_at(), self.no_element());
        let text = format!(
            "extern \"C\" GPUREPL_EXPORT void gpurepl_range(void **gpurepl_args, long long gpurepl_begin, long long gpurepl_end, long long {count}) {{\n\
             {arguments}{size}{before}  const long long tid = 0, total_threads = 1, cta_start = gpurepl_begin;\n  \
               (void)tid; (void)total_threads; (void)cta_start; (void){count};\n  \
               long long {k}{start};\n\
             {after_counter}{prep}#pragma GCC ivdep\n  for ({k} = gpurepl_begin; {k} < gpurepl_end; {k} += total_threads) {{\n{number}{operation}{results}  }}\n{after}}}\n",
            arguments = read_arguments(&self.layouts.passed(&self.parameters)),
            prep = statement(&self.loop_prep, "loop_prep"),
            operation = statement(&self.operation, "operation"),
            after = statement(&self.after_loop, "after_loop"),
        );
        let complex = complex_for(&format!("{text}{}", self.preamble));
        let includes = type_headers(&self.parameters, None, "");
        let (preamble, strided) = (own_lines(&self.preamble, "preamble"), self.layouts.definition("inline "));
        let checks = self.size_checks();
        let guards = self.guards.to_host();
        format!("{includes}{complex}{strided}{guards}{preamble}{checks}{text}")
    }
}

/// The declaration of an argument whose array nothing else reaches.
fn restricted(parameter: &Parameter) -> String {
    if parameter.is_pointer() {
        format!("{} *__restrict__ {}", parameter.element_type(), parameter.name)
    } else {
        parameter.to_c()
    }
}

/// Declarations and texts, which nobody can mistake for others.
pub(crate) fn key_of(parameters: &[Parameter], texts: &[&str]) -> String {
    let mut key = String::new();
    for parameter in parameters {
        let _ = write!(key, "{}, ", parameter.to_c());
    }
    for text in texts {
        // A text of C has no zero.
        let _ = write!(key, "\0{text}");
    }
    key
}

/// What stands before a kernel's name in the generated text: `exp` alone is
/// the name of a function that CUDA C has.
pub const ENTRY: &str = "gpurepl_loop_";

/// What stands before the name of the kernel for arrays that do not overlap.
pub const APART: &str = "gpurepl_apart_";

/// The threads of a block of an elementwise kernel.
pub const ELEMENTWISE_BLOCK: usize = 256;

/// The elements of a block of an elementwise kernel that is tiled: four for a
/// thread, whose loads are under way together.
pub const ELEMENTWISE_TILE: usize = 4 * ELEMENTWISE_BLOCK;

/// Words of texts that need a loop of PyCUDA's form: names that it declares,
/// statements that leave it, and what its threads do together.
const OF_A_LOOP: [&str; 11] = [
    "tid",
    "total_threads",
    "cta_start",
    "threadIdx",
    "blockIdx",
    "gridDim",
    "__shared__",
    "__syncthreads",
    "continue",
    "break",
    "return",
];

/// Names that generated loops use themselves.
const RESERVED: [&str; 5] = ["i", "n", "tid", "total_threads", "cta_start"];

/// Whether a text has one of these words.
fn uses(text: &str, words: &[&str]) -> bool {
    tokens(text).iter().any(|token| words.contains(&token.text(text)))
}

/// What elementwise kernels and reductions check alike.
pub(crate) fn check_parts(parameters: &[Parameter], arguments: &str, name: &str) -> Result<(), SpecError> {
    if !parameters.iter().any(Parameter::is_pointer) {
        return Err(SpecError::new("no argument is an array", arguments, 0..arguments.len())
            .help("the kernel runs once for each element of its arrays: declare one, such as `float *z`"));
    }
    if let Some(parameter) = parameters.iter().find(|p| RESERVED.contains(&p.name.as_str())) {
        let message = format!("`{}` is the kernel's own name", parameter.name);
        return Err(SpecError::new(message, arguments, parameter.span.clone()).help(
            "the operation has `i` (the element), `n` (how many), `tid`, `total_threads` and `cta_start` already",
        ));
    }
    let is_structure = |p: &&Parameter| p.ctype == CType::Other && p.vector().is_none();
    if let Some(parameter) = parameters.iter().find(is_structure) {
        let (spelling, name) = (&parameter.spelling, &parameter.name);
        let message = format!("`{spelling}` cannot be passed by value here");
        let help = match c_name(spelling) {
            Some(of) => format!("the type of C++ is `{of} {name}`"),
            None => format!(
                "numbers and vectors such as `float3` can; pass a pointer: `const {spelling} *{name}`"
            ),
        };
        return Err(SpecError::new(message, arguments, parameter.span.clone()).help(help));
    }
    let named = tokens(name);
    if named.len() != 1 || named[0].kind != TokenKind::Identifier || named[0].span.len() != name.len() {
        return Err(SpecError::new(format!("`{name}` cannot be a kernel's name"), name, 0..name.len())
            .help("use letters, digits and underscores, and start with a letter"));
    }
    Ok(())
}

/// What C++ calls a number that is written as in Rust or NumPy.
fn c_name(spelling: &str) -> Option<&'static str> {
    Some(match spelling {
        "f32" | "float32" => "float",
        "f64" | "float64" => "double",
        "i8" => "signed char",
        "u8" => "unsigned char",
        "i16" => "short",
        "u16" => "unsigned short",
        "i32" => "int",
        "u32" => "unsigned int",
        "i64" | "isize" => "long long",
        "u64" | "usize" => "unsigned long long",
        _ => return None,
    })
}

/// The user's statements, ended by a semicolon.
pub(crate) fn statement(text: &str, part: &str) -> String {
    if tokens(text).is_empty() {
        return String::new();
    }
    // A semicolon on the same line reads better, but a comment would hide it.
    let end = if text.contains("//") { "\n;" } else { ";" };
    own_lines(&format!("{text}{end}"), part)
}

/// The user's text on lines of its own, so that a compiler's message names it
/// and its own line numbers. What follows is named [`AFTER`] the text: there
/// a compiler finds out that the text stopped too early.
pub(crate) fn own_lines(text: &str, part: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("\n#line 1 \"{part}\"\n{text}\n#line 1 \"{AFTER}{part}\"\n")
}

/// What stands before a text's name in the messages of a compiler that are
/// about our own text after it.
pub const AFTER: &str = "after ";

/// Half precision and the types of `cuComplex.h` need a header; nothing else does.
pub(crate) fn type_headers(parameters: &[Parameter], result: Option<DType>, definitions: &str) -> String {
    let mut types = parameters.iter().filter_map(Parameter::dtype).chain(result);
    let has_half = types.any(|dtype| dtype == DType::Float16) || definitions.contains("__half");
    let half = if has_half { "#include <cuda_fp16.h>\n" } else { "" };
    let complex =
        if parameters.iter().any(Parameter::is_cu_complex) { "#include <cuComplex.h>\n" } else { "" };
    format!("{half}{complex}")
}

/// Copies every argument from its address in `gpurepl_args`.
pub(crate) fn read_arguments(parameters: &[Parameter]) -> String {
    let mut text = String::new();
    for (k, parameter) in parameters.iter().enumerate() {
        let star = if parameter.is_pointer() { " *" } else { "" };
        let ctype = format!("{}{star}", parameter.element_type());
        let _ = writeln!(text, "  {} = *({ctype} *)gpurepl_args[{k}];", parameter.to_c());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named() {
        let message = |arguments, operation, name| {
            ElementwiseSpec::new(arguments, operation, name).unwrap_err().message
        };
        assert_eq!(message("float a", "a", "k"), "no argument is an array");
        assert_eq!(message("float *x, int n", "x[i] = n", "k"), "`n` is the kernel's own name");
        assert_eq!(message("float *x", " /* nothing */ ", "k"), "the operation is empty");
        assert_eq!(message("float *x", "x[i] = 0", "two words"), "`two words` cannot be a kernel's name");
        assert_eq!(message("float *x", "x[i] = 0", ""), "`` cannot be a kernel's name");
    }

    #[test]
    fn a_comment_at_the_end_hides_nothing() {
        let spec = ElementwiseSpec::new("float *x", "x[i] = 0 // zero", "k").unwrap();
        assert!(spec.to_cuda().contains("x[i] = 0 // zero\n;\n"));
    }
}

//! CUDA C that runs on a CPU: a source becomes C++ for the system's compiler.
//!
//! The translation changes as little as it can. A kernel gets its indices as
//! hidden arguments in front of its own:
//!
//! ```text
//! __global__ void twice(float *a)
//! __global__ void twice(const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim, float *a)
//! ```
//!
//! which lets the compiler see the loop over a block's threads as a loop, and
//! an entry after the text runs that loop over a range of blocks. A kernel
//! whose threads meet, at a barrier or within a warp, gets an entry that runs
//! one thread; each thread then has a stack of its own ([`Execution`]). Shared
//! memory becomes references into the block's own ([`SharedVariable`]).
//! Everything else that CUDA has and C++ has not stands in the shim. Lines
//! keep their numbers, so a message of the compiler is about the user's line.

mod arithmetic;
mod assembly;
mod conversions;
mod functions;
mod globals;
mod grid;
mod include;
mod parts;
mod reach;
mod refused;
mod rewrite;
mod shared;
mod shim;
mod textures;

pub use crate::preprocessor::Change;
pub use arithmetic::with_gpu_arithmetic;
pub use conversions::{Conversion, saturated};
pub use include::EMPTY as EMPTY_HEADERS;
pub use reach::Execution;
pub use refused::undefined;
pub use rewrite::Indices;
pub use shared::SharedVariable;
pub use shim::with_shim;

use self::grid::Walk;
use crate::preprocessor::{self, Environment, Headers, Preprocessed};
use crate::signature::{self, Signature};
use crate::token::{Source, Token, TokenKind};
use crate::{SpecError, mangled};

/// The name that compilers know the user's text by.
pub const SOURCE_NAME: &str = "kernel.cu";

/// What to translate.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// CUDA C.
    pub source: &'a str,
    /// Qualified names of kernels that get no entry: the preprocessor has
    /// removed them, say, which shows only when a compiler runs.
    pub left_out: &'a [String],
    /// Instances of kernel templates that get an entry: `reduce<float, 256>`.
    pub instances: &'a [String],
    /// Options that define macros, of those that the source is compiled with:
    /// `-DN=16`. The macros come after the shim, of which they must not be part.
    pub definitions: &'a [String],
    /// Where headers of the user's come from.
    pub headers: Headers<'a>,
    /// Whether branches that the preprocessor seems to leave out are left out
    /// here. Where a compiler comes to one all the same, it is asked again
    /// without that.
    pub chooses_branches: bool,
    /// How kernels learn their place.
    pub indices: Indices,
    /// Whether casts and shifts do as a GPU's do, and what is faster is tried.
    /// Without, the text changes as little as it can.
    pub refined: bool,
}

impl<'a> Request<'a> {
    /// All of a source's kernels, without instances of templates.
    pub fn new(source: &'a str) -> Request<'a> {
        Request {
            source,
            left_out: &[],
            instances: &[],
            definitions: &[],
            headers: &|_, _| None,
            chooses_branches: true,
            indices: Indices::Arguments,
            refined: true,
        }
    }

    /// What the preprocessor knows.
    pub fn environment(&self) -> Environment<'a> {
        let mut environment = Environment::host().with_headers(self.headers);
        environment.options(self.definitions);
        environment
    }
}

/// A translated source.
#[derive(Clone, Debug)]
pub struct HostSource {
    /// C++, complete with the shim.
    pub text: String,
    /// Its kernels, in order, then the instances that were asked for.
    pub kernels: Vec<HostKernel>,
    /// The shared memory that it declares.
    pub shared: Vec<SharedVariable>,
    /// Where lines of the user's text have become longer, in order: by macros
    /// that were expanded, and then by the translation.
    pub changes: [Vec<Change>; 2],
    /// Whether the text is another one than without [`Request::refined`].
    pub is_refined: bool,
    /// The error to tell if an assembler comes to inline PTX: in a header of the
    /// user's it is not translated.
    pub foreign_assembly: Option<SpecError>,
}

impl HostSource {
    /// Whether a kernel relies on the threads of a warp going in step.
    pub fn lockstep(&self) -> bool {
        self.kernels.iter().any(|kernel| kernel.execution == Execution::Threads { lockstep: true })
    }
}

/// The parameters of the kernel of an entry, by the symbols of the compiled
/// object: its own, without those that the translation has put before them.
pub fn parameter_types<'s>(
    mut symbols: impl Iterator<Item = &'s str>,
    entry: usize,
) -> Option<Vec<mangled::ParameterType>> {
    let marked = format!("{}ILi{entry}E", mangled::TYPE_OF);
    let found = symbols.find(|symbol| symbol.contains(&marked))?;
    mangled::parameters(found).and_then(|all| all.get(INDICES..).map(<[_]>::to_vec))
}

/// The hidden arguments of a kernel.
const INDICES: usize = 5;

/// A kernel of a translated source.
#[derive(Clone, Debug)]
pub struct HostKernel {
    /// Its name and arguments.
    pub signature: Signature,
    /// Its entry's number: `gpurepl_kernel_0`. A template and what the
    /// preprocessor has removed have none.
    pub entry: Option<usize>,
    /// How it runs.
    pub execution: Execution,
    /// The shared memory that it can reach: places in [`HostSource::shared`].
    pub shared: Vec<usize>,
    /// Whether it walks its grid by strides, all blocks of a call together.
    pub strides: bool,
    /// Whether its blocks may wait for each other.
    pub meets_grid: bool,
}

/// Translates CUDA C.
///
/// # Errors
///
/// If a kernel's arguments cannot be read, or the text uses something that no
/// translation can provide: launches from a kernel, instructions of tensor cores.
///
/// ```
/// use gpurepl_kernels::host::{Request, translate};
/// let source = "__global__ void twice(float *a) { a[threadIdx.x] *= 2; }";
/// let translated = translate(&Request::new(source))?;
/// assert!(translated.text.contains("GPUREPL_LOOP(0, false, 0, &::twice)"));
/// # Ok::<(), gpurepl_kernels::SpecError>(())
/// ```
pub fn translate(request: &Request<'_>) -> Result<HostSource, SpecError> {
    let environment = request.environment();
    let signatures = signature::find(request.source, &environment)?;
    let prepared = if request.chooses_branches {
        preprocessor::prepare(request.source, &environment)
    } else {
        Preprocessed::unchanged(request.source)
    };
    let prepared = match prepared.text.contains("asm") {
        true => {
            let edits = assembly::edits(&Source::new(&prepared.text));
            prepared.replace(&edits)
        }
        false => prepared,
    };
    translate_prepared(request, &prepared, &signatures)
        .map_err(|error| prepared.relate(error, request.source))
}

fn translate_prepared(
    request: &Request<'_>,
    prepared: &Preprocessed,
    signatures: &[Signature],
) -> Result<HostSource, SpecError> {
    let whole = Source::new(&prepared.text);
    let Source { text: source, tokens: all } = &whole;
    include::check(&whole)?;
    textures::check(&whole)?;
    let reach = reach::Reach::new(source, all);
    refused::check(source, all, &reach, |at| prepared.is_certain(at))?;
    let informed = match request.indices {
        Indices::Arguments if request.refined => functions::Informed::new(source, all, &reach),
        _ => functions::Informed::default(),
    };
    let declarations = shared::declarations(source, all, &reach)?;
    shared::check_names(source, all, &reach, &declarations)?;
    let (rewritten, changes) = rewrite::rewrite(&whole, &reach, &declarations, &informed, request)?;
    let shared: Vec<SharedVariable> =
        declarations.iter().flat_map(|declaration| declaration.variables.clone()).collect();

    let users = include::of_user(&whole, request.headers);
    // A surface reports an access outside of it, and by whom.
    let asks = request.indices == Indices::Asked || textures::may_leave(&whole) || users.asks;
    let has_barriers = users.meets || include::has_barriers(&whole);
    let mut kernels: Vec<HostKernel> = Vec::new();
    let mut entries = String::new();
    let mut has_turns = false;
    let mut add = |signature: Signature, name: Option<String>| {
        let execution = match reach.execution(&signature.name, !informed.is_complete) {
            Execution::Loop { .. } if has_barriers => Execution::Threads { lockstep: false },
            Execution::Loop { .. } if asks => Execution::Loop { kept: true },
            execution => execution,
        };
        let walk = match execution {
            Execution::Loop { kept: false } if request.refined => {
                grid::walk(source, &reach, &informed, &signature.name)
            }
            _ => Walk::Blocks,
        };
        let entry = name.map(|name| {
            let number = kernels.iter().filter(|kernel| kernel.entry.is_some()).count();
            entries.push_str(&match execution {
                Execution::Loop { kept } => {
                    format!("GPUREPL_LOOP({number}, {kept}, {}, {name})\n", walk.number())
                }
                Execution::Threads { .. } => format!("GPUREPL_THREADS({number}, {name})\n"),
            });
            number
        });
        let shared = reachable(&reach, &shared, &signature.name);
        let strides = walk == Walk::Strides;
        has_turns |= matches!(walk, Walk::Strides | Walk::Bounded);
        let meets_grid = reach.meets_grid(&signature.name);
        kernels.push(HostKernel { signature, entry, execution, shared, strides, meets_grid });
    };
    for signature in signatures {
        let has_entry = !signature.is_template
            && signature.is_defined
            && !request.left_out.contains(&signature.qualified_name());
        add(signature.clone(), has_entry.then(|| signature.host_expression()));
    }
    for instance in request.instances {
        let signature = signature::instance(signatures, instance)?;
        let name = signature.host_expression();
        add(signature, Some(name));
    }

    let headers = include::provided(&whole);
    let has_threads = kernels.iter().any(|kernel| matches!(kernel.execution, Execution::Threads { .. }))
        || include::has_groups(&whole)
        || users.meets
        || all.iter().any(|token| reach::needs_threads(token.text(source)));
    let lockstep = kernels.iter().any(|kernel| kernel.execution == Execution::Threads { lockstep: true });
    let textures = textures::shim(&whole);
    let functions = if !headers.is_empty() || !textures.is_empty() || rewrite::includes_files(&whole) {
        shim::Functions::All
    } else {
        shim::Functions::Mentioned
    };
    let mut definitions = Environment::bare();
    definitions.options(request.definitions);
    let definitions = definitions.text();
    let mut text =
        shim::for_source(&format!("{headers}{source}\n{definitions}"), functions, has_threads, lockstep);
    text.push_str(&textures);
    text.push_str(&headers);
    if rewrite::includes(&whole, "pycuda-helpers.hpp") {
        if !rewrite::includes(&whole, "pycuda-complex.hpp") {
            text.push_str(crate::complex::COMPLEX);
        }
        text.push_str(crate::support::PYCUDA_HELPERS);
    }
    text.push_str(definitions);
    text.push_str(&own_types(source, all));
    text.push_str(&format!(
        "{}#line 1 \"{SOURCE_NAME}\"\n{rewritten}\n#line 1 \"entries\"\n{entries}",
        shim::BEFORE_SOURCE
    ));
    let is_refined =
        request.refined && (!informed.is_empty() || has_turns || !arithmetic::edits(source, all).is_empty());
    Ok(HostSource {
        text,
        kernels,
        shared,
        changes: [prepared.changes(request.source), changes],
        is_refined,
        foreign_assembly: users.with_assembly.map(|name| include::assembly_in(&name, request.source)),
    })
}

/// Names that the shim gives to integers. NVRTC has them from headers only, so
/// sources define them, and not always as the same type.
const INTEGERS: [&str; 14] = [
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "intptr_t",
    "uintptr_t",
    "uchar",
    "ushort",
    "uint",
    "ulong",
];

/// Makes room for the names of [`INTEGERS`] that a source defines itself.
fn own_types(source: &str, all: &[Token]) -> String {
    let own = |name: &&&str| {
        (1..all.len()).filter(|k| all[*k].is_name(source, name)).any(|k| {
            let is_defined = all.get(k + 1).is_some_and(|next| next.is_mark(source, ';')) && {
                let start = all[..k].iter().rposition(|token| {
                    token.is_mark(source, ';')
                        || token.is_mark(source, '}')
                        || token.kind == TokenKind::Directive
                });
                all.get(start.map_or(0, |start| start + 1))
                    .is_some_and(|first| first.is_name(source, "typedef"))
            };
            let is_named = all.get(k + 1).is_some_and(|next| next.is_mark(source, '='))
                && all[k - 1].is_name(source, "using");
            is_defined || is_named
        })
    };
    let names = INTEGERS.iter().filter(own);
    names.map(|name| format!("#define {name} gpurepl_own_{name}\n")).collect()
}

/// The shared memory that a kernel or what it calls mentions.
fn reachable(reach: &reach::Reach, shared: &[SharedVariable], kernel: &str) -> Vec<usize> {
    let reached = reach.from(kernel);
    let is_reached = |variable: &SharedVariable| match &variable.function {
        Some(function) => reached.units.iter().any(|unit| unit.name == *function),
        None => reached.names.contains(variable.name.as_str()),
    };
    (0..shared.len()).filter(|k| is_reached(&shared[*k])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rewritten(source: &str) -> String {
        let text = translate(&Request::new(source)).unwrap().text;
        let start = text.find("#line 1").unwrap();
        let text = text[start..].split_once('\n').unwrap().1;
        let end = text.find("#line 1 \"entries\"").unwrap();
        text[..end].strip_suffix('\n').unwrap().to_owned()
    }

    const ARGUMENTS: &str = "const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim, \
                             const unsigned int gpurepl_width";

    #[test]
    fn a_kernel_without_arguments_gets_no_comma() {
        let text = rewritten("__global__ void a() {}\n__global__ void b(void) {}");
        assert!(text.contains(&format!("void a({ARGUMENTS}) {{}}")));
        assert!(text.contains(&format!("void b({ARGUMENTS}) {{}}")));
    }

    #[test]
    fn strings_comments_and_other_functions_stay() {
        let source = "// __global__ void a() threadIdx\nconst char *s = \"__global__ void b( blockIdx\";\nint f(int x) { return x; }\n";
        assert_eq!(rewritten(source), source);
    }

    #[test]
    fn declarations_and_instances_match_their_definitions() {
        let source = "__global__ void k(int *);\nextern \"C\" __global__ __launch_bounds__(256) void k(int *a) {}\n\
                      template <class T> __global__ void t(T *x) {}\ntemplate __global__ void t<float>(float *);\n\
                      template <> __global__ void t<int>(int *) {}";
        let text = rewritten(source);
        assert_eq!(text.matches(ARGUMENTS).count(), 5);
        assert!(text.contains(&format!("template  void t<float>({ARGUMENTS}, float *);")));
        assert!(text.contains(&format!("template <> __global__ void t<int>({ARGUMENTS}, int *)")));
    }

    #[test]
    fn known_headers_go_and_others_stay() {
        let source = "#include <math.h> // maths\n#  include \"stdio.h\"\n#include <mine.h>\n";
        assert_eq!(rewritten(source), "// maths\n\n#include <mine.h>\n");
    }

    #[test]
    fn functions_and_macros_ask_for_their_thread() {
        let source = "#define X (threadIdx.x)\n__device__ int f() { return blockIdx.x; }\n\
                      __global__ void k(int *a) { a[threadIdx.x] = X + f(); }";
        let text = rewritten(source);
        assert!(text.contains("#define X (gpurepl_at(threadIdx).x)"));
        assert!(text.contains(
            "int f(const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim)"
        ));
        assert!(text.contains("return blockIdx.x;"));
        assert!(text.contains("a[threadIdx.x] = X + f(threadIdx, blockIdx, blockDim, gridDim);"));
        let asked = Request { indices: Indices::Asked, ..Request::new(source) };
        assert!(translate(&asked).unwrap().text.contains("a[gpurepl_at(threadIdx).x] = X"));
    }

    #[test]
    fn shared_memory_becomes_references() {
        let source =
            "__global__ void k(int *x) { __shared__ volatile float a[2][3], *b; extern __shared__ int c[]; }";
        let text = rewritten(source);
        let place = source.find("a[2]").unwrap();
        assert!(text.contains(&format!(
            "typedef volatile float gpurepl_shared_{place}; typedef gpurepl_shared_{place} gpurepl_shared_{place}_a[2][3];"
        )), "{text}");
        assert!(text.contains("_b &b = gpurepl_shared<"), "{text}");
        assert!(text.contains("_c &c = gpurepl_dynamic<"), "{text}");
        let error = translate(&Request::new("__global__ void k() { __shared__ int x = 3; }")).unwrap_err();
        assert_eq!(error.message, "shared memory cannot have an initial value");
    }

    #[test]
    fn lambdas_do_not_copy_shared_memory() {
        let source = "__global__ void k(int *x) { __shared__ int s[8], t; auto f = [=](int i) { return s[i]; }; \
                      auto g = [](int i) { t = i; }; auto h = [&] { return t; }; x[s[1]] = f(1); }";
        let text = rewritten(source);
        assert!(
            text.contains("[=, &s](int i)") && text.contains("[&t](int i)") && text.contains("[&] {"),
            "{text}"
        );
        assert!(text.contains("x[s[1]] = f(1)"), "{text}");
        let hidden = "__shared__ int n;\nstruct S { int n; };\n__global__ void k() { n = 1; }";
        assert!(translate(&Request::new(hidden)).unwrap_err().message.contains("would hide this"));
    }

    #[test]
    fn shared_memory_of_the_file_is_declared_where_it_is_used() {
        let source = "__shared__ float s[64];\n__device__ float f() { return s[0]; }\n\
                      __device__ float g(float *s) { return s[0]; }\n__global__ void k(float *x) { s[0] = x[0]; }";
        let text = rewritten(source);
        assert_eq!(text.matches("&s = gpurepl_shared<").count(), 2, "{text}");
        assert!(text.contains("float g(float *s) { return s[0]; }"));
        assert_eq!(translate(&Request::new(source)).unwrap().kernels[0].shared, [0]);
    }

    proptest! {
        /// The number of every line stays, and so does all text that is
        /// outside of kernels, shared memory and what asks for its thread.
        #[test]
        fn lines_keep_their_numbers(
            parts in prop::collection::vec(prop::sample::select(vec![
                "__global__ void k(int *a) { a[0] = '}'; }", "\n", "/* { \n */", "// ( \n", "#define A \\\n 1\n",
                "\"__global__ (\"", "R\"x(\n__global__ void q( )x\"", "__device__ int f() { return 1; }",
                "__global__ void s() {\n __shared__ int x\n [4] /* ; \n */, y;\n }", ";", "#include <math.h>\n",
                "struct S { int a; };", "__device__ int g() { return ((threadIdx.x)); }", "extern __shared__ int d[];",
                "#define T(x) (threadIdx \\\n.x + (x))\n", "template <class T = int> __device__ T h(T x) { return (x); }",
                "__global__ void w(int *a) { d[0] = T(1); }",
            ]), 0..14)
        ) {
            let source = parts.concat();
            // A text of random pieces may be refused; it never panics.
            if let Ok(translated) = translate(&Request::new(&source)) {
                let start = translated.text.find("#line 1").unwrap();
                let text = translated.text[start..].split_once('\n').unwrap().1;
                let lines: Vec<&str> = text.lines().collect();
                for (k, line) in source.lines().enumerate() {
                    let touched = ["__global__", "__shared__", "threadIdx", "#include"];
                    if !source.lines().any(|line| touched.iter().any(|word| line.contains(word))) {
                        prop_assert_eq!(lines[k], line);
                    }
                }
                let entries = text.matches("\nGPUREPL_LOOP(").count() + text.matches("\nGPUREPL_THREADS(").count();
                prop_assert_eq!(text.matches('\n').count(), source.matches('\n').count() + 2 + entries);
            }
        }
    }
}

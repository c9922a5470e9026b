//! Reductions: many elements become one.

use std::fmt::Write as _;

use crate::declaration::{Parameter, check_types, parse_list};
use crate::elementwise::{own_lines, read_arguments};
use crate::guards::Guards;
use crate::layouts::Layouts;
use crate::support::{complex_for, pieces_for};
use crate::token::tokens;
use crate::value_type::size_check;
use crate::{SpecError, ValueType};

/// The number of threads in a block of a generated reduction.
pub const REDUCTION_BLOCK: usize = 256;

/// Elements that a thread adds before it adds their sum to its own, with care.
pub(crate) const ADDED_AT_ONCE: usize = 8;

/// What both kernels of a reduction are made of.
pub(crate) struct Stages<'a> {
    pub(crate) name: &'a str,
    /// The type of the values, in C.
    pub(crate) ctype: &'a str,
    pub(crate) neutral: &'a str,
    /// An expression of two values `a` and `b`.
    pub(crate) combine: &'a str,
    pub(crate) parameters: &'a str,
    pub(crate) walk_parameters: &'a str,
    /// What stands before the loop of stage 1, and after it.
    pub(crate) start: &'a str,
    pub(crate) end: &'a str,
    /// What computes `value`, an expression, for the element `i`.
    pub(crate) steps: &'a str,
    pub(crate) value: &'a str,
    /// A function that `value` calls, defined within the kernel.
    pub(crate) function: &'a str,
    /// Whether the values are floats that are added.
    pub(crate) is_float_sum: bool,
    /// How many elements a thread has under way.
    pub(crate) at_once: usize,
}

/// A loop of a thread over elements, whose values become one.
pub(crate) struct Groups<'a> {
    /// The type of the values, in C.
    pub(crate) ctype: &'a str,
    pub(crate) neutral: &'a str,
    /// What computes `value`, an expression, for the element `i`.
    pub(crate) steps: &'a str,
    pub(crate) value: &'a str,
    /// The first number, the one after the last, and what lies between two.
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
    pub(crate) step: &'a str,
    /// The element `i` of the number `gpurepl_at`.
    pub(crate) number: &'a str,
    pub(crate) is_float_sum: bool,
    pub(crate) at_once: usize,
    pub(crate) indent: &'a str,
}

/// The loop, which leaves `gpurepl_value`. Groups of elements are loaded
/// together: a loop with one element under way reaches half of the speed of an
/// H200's memory.
pub(crate) fn walk_in_groups(groups: &Groups<'_>) -> String {
    let Groups { ctype, neutral, steps, value, from, to, step, number, at_once, indent, .. } = groups;
    let (sum, before, after, end) = if groups.is_float_sum {
        (
            "gpurepl_group",
            format!("{indent}  {ctype} gpurepl_group = {neutral};\n"),
            format!("{indent}  gpurepl_two_sum(gpurepl_sum, gpurepl_rest, gpurepl_group);\n"),
            format!("{indent}const {ctype} gpurepl_value = gpurepl_with_rest(gpurepl_sum, gpurepl_rest);\n"),
        )
    } else {
        ("gpurepl_value", String::new(), String::new(), String::new())
    };
    let start = if groups.is_float_sum {
        format!("{indent}{ctype} gpurepl_sum = {neutral}, gpurepl_rest = {neutral};\n")
    } else {
        format!("{indent}{ctype} gpurepl_value = {neutral};\n")
    };
    let element = |indent: &str| {
        format!(
            "{indent}const unsigned long long i = {number};\n\
             {steps}{indent}{sum} = gpurepl_combine({sum}, {value});\n"
        )
    };
    let deeper = format!("{indent}    ");
    format!(
        "{start}\
         {indent}unsigned long long gpurepl_next = {from};\n\
         {indent}for (; gpurepl_next + {rest} * ({step}) < {to}; gpurepl_next += {at_once} * ({step})) {{\n\
         {before}\
         {indent}  #pragma unroll\n\
         {indent}  for (int gpurepl_k = 0; gpurepl_k < {at_once}; gpurepl_k++) {{\n\
         {indent}    const unsigned long long gpurepl_at = gpurepl_next + gpurepl_k * ({step});\n\
         {all}\
         {indent}  }}\n\
         {after}\
         {indent}}}\n\
         {indent}if (gpurepl_next < {to}) {{\n\
         {before}\
         {indent}  for (; gpurepl_next < {to}; gpurepl_next += {step}) {{\n\
         {indent}    const unsigned long long gpurepl_at = gpurepl_next;\n\
         {all}\
         {indent}  }}\n\
         {after}\
         {indent}}}\n\
         {end}",
        rest = at_once - 1,
        all = element(&deeper),
    )
}

/// Both kernels of a reduction: `name_stage1` leaves one value a block,
/// `name_stage2`, one block, makes one of them.
///
/// Values are combined as a tree in shared memory with a barrier at each
/// level, which is right for any type and on any architecture; the time goes
/// into the loop before it, which reads memory.
///
/// In this loop a thread of a large GPU adds a thousand values of 2^28. Floats
/// are added in groups of [`ADDED_AT_ONCE`], and what is lost when a group is
/// added to the thread's sum is summed up beside it (D. E. Knuth's TwoSum, The
/// Art of Computer Programming 2, 4.2.2, and A. Neumaier, "Rundungsfehleranalyse
/// einiger Verfahren zur Summation endlicher Summen", 1974): one operation more
/// for each element, in a loop that waits for memory.
pub(crate) fn two_stages(stages: &Stages<'_>) -> String {
    let Stages { name, ctype, neutral, combine, parameters, walk_parameters, steps, value, .. } = stages;
    let (before, after, function) = (stages.start, stages.end, stages.function);
    let tree = format!(
        "  gpurepl_shared[threadIdx.x] = gpurepl_value;\n  \
           __syncthreads();\n  \
           for (unsigned int gpurepl_half = {half}; gpurepl_half > 0; gpurepl_half /= 2) {{\n    \
             if (threadIdx.x < gpurepl_half)\n      \
               gpurepl_shared[threadIdx.x] = gpurepl_combine(gpurepl_shared[threadIdx.x], gpurepl_shared[threadIdx.x + gpurepl_half]);\n    \
             __syncthreads();\n  \
           }}\n  \
           if (threadIdx.x == 0) gpurepl_out[blockIdx.x] = gpurepl_shared[0];\n",
        half = REDUCTION_BLOCK / 2,
    );
    let first = walk_in_groups(&Groups {
        ctype,
        neutral,
        steps,
        value,
        from: &format!("(unsigned long long)blockIdx.x * {REDUCTION_BLOCK} + threadIdx.x"),
        to: "n",
        step: &format!("(unsigned long long)gridDim.x * {REDUCTION_BLOCK}"),
        number: "gpurepl_at",
        is_float_sum: stages.is_float_sum,
        at_once: stages.at_once,
        indent: "  ",
    });
    let second = if stages.is_float_sum {
        format!(
            "  {ctype} gpurepl_sum = {neutral}, gpurepl_rest = {neutral};\n  \
               for (unsigned long long i = threadIdx.x; i < n; i += {REDUCTION_BLOCK})\n    \
                 gpurepl_two_sum(gpurepl_sum, gpurepl_rest, gpurepl_in[i]);\n  \
               const {ctype} gpurepl_value = gpurepl_with_rest(gpurepl_sum, gpurepl_rest);\n"
        )
    } else {
        format!(
            "  {ctype} gpurepl_value = {neutral};\n  \
               for (unsigned long long i = threadIdx.x; i < n; i += {REDUCTION_BLOCK})\n    \
                 gpurepl_value = gpurepl_combine(gpurepl_value, gpurepl_in[i]);\n"
        )
    };
    format!(
        "static __device__ __forceinline__ {ctype} gpurepl_combine({ctype} a, {ctype} b) {{\n  return {combine};\n}}\n\
         extern \"C\" __global__ void __launch_bounds__({REDUCTION_BLOCK}) {name}_stage1({parameters}{ctype} *gpurepl_out, unsigned long long n{walk_parameters})\n{{\n  \
           __shared__ {ctype} gpurepl_shared[{REDUCTION_BLOCK}];\n\
         {before}{function}{first}{after}{tree}}}\n\
         extern \"C\" __global__ void __launch_bounds__({REDUCTION_BLOCK}) {name}_stage2(const {ctype} *gpurepl_in, {ctype} *gpurepl_out, unsigned long long n)\n{{\n  \
           __shared__ {ctype} gpurepl_shared[{REDUCTION_BLOCK}];\n\
         {second}{tree}}}\n"
    )
}

/// A reduction of the user's: PyCUDA's `ReductionKernel`.
///
/// The answer is `reduce_expr` applied, in any order, to `map_expr` of every
/// element, starting from `neutral`.
///
/// ```
/// use gpurepl_kernels::{DType, ReductionSpec, ValueType};
/// let float = ValueType::Number(DType::Float32);
/// let dot = ReductionSpec::new(float, "0", "a+b", "x[i]*y[i]", "const float *x, const float *y", "dot")?;
/// assert!(dot.to_cuda().contains("dot_stage1(const float *x, const float *y, "));
/// # Ok::<(), gpurepl_kernels::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReductionSpec {
    /// The type of the answer.
    pub value: ValueType,
    /// The value, in C, that changes nothing.
    pub neutral: String,
    /// An expression of two values `a` and `b`.
    pub reduce_expr: String,
    /// An expression of the element's place `i`, and `n`.
    pub map_expr: String,
    /// The arguments of `map_expr`.
    pub parameters: Vec<Parameter>,
    /// The kernels' name.
    pub name: String,
    /// C++ before the kernels: functions, types, includes.
    pub preamble: String,
    /// Options of the compiler, such as `-use_fast_math`.
    pub options: Vec<String>,
    /// What it looks at while it runs.
    pub guards: Guards,
    /// What the parameters were parsed from.
    arguments: String,
    /// How the arrays lie: see [`ReductionSpec::laid_out`].
    layouts: Layouts,
    /// What Rust says of structures: see [`ReductionSpec::with_sizes`].
    sizes: Vec<(String, usize)>,
    /// Whether there is an answer for each row: see [`ReductionSpec::of_rows`].
    is_of_rows: bool,
}

impl ReductionSpec {
    /// Describes a reduction.
    ///
    /// # Errors
    ///
    /// If an argument cannot be read, none is an array, an expression is
    /// empty, or the name is not a C identifier. Whether the preamble defines the types that
    /// only it can define is known later: [`ReductionSpec::check_types`].
    pub fn new(
        value: ValueType,
        neutral: &str,
        reduce_expr: &str,
        map_expr: &str,
        arguments: &str,
        name: &str,
    ) -> Result<ReductionSpec, SpecError> {
        let parameters = with_complex_values(parse_list(arguments)?);
        crate::elementwise::check_parts(&parameters, arguments, name)?;
        for (what, text) in [("neutral", neutral), ("reduce_expr", reduce_expr), ("map_expr", map_expr)] {
            if tokens(text).is_empty() {
                return Err(SpecError::new(format!("`{what}` is empty"), text, 0..text.len())
                    .help("write a C expression; `map_expr` is often `x[i]`, `reduce_expr` `a+b`"));
            }
        }
        Ok(ReductionSpec {
            value,
            neutral: neutral.to_owned(),
            reduce_expr: reduce_expr.to_owned(),
            map_expr: map_expr.to_owned(),
            parameters,
            name: name.to_owned(),
            preamble: String::new(),
            options: Vec::new(),
            guards: Guards::default(),
            arguments: arguments.to_owned(),
            layouts: Layouts::default(),
            sizes: Vec::new(),
            is_of_rows: false,
        })
    }

    /// Whether the preamble, or the answer's own definition, defines the types of the arguments
    /// that C does not know.
    ///
    /// # Errors
    ///
    /// If none of them defines one.
    pub fn check_types(&self) -> Result<(), SpecError> {
        if self.parameters.iter().all(|parameter| parameter.unknown_type().is_none()) {
            return Ok(());
        }
        let defined = format!("{}{}", self.value.definitions(&self.preamble), self.preamble);
        check_types(&self.parameters, &self.arguments, &defined)
    }

    /// The same for arrays some of which do not lie in order: as many parameters more as there
    /// are lengths and strides.
    #[must_use]
    pub fn laid_out(&self, layouts: Layouts) -> ReductionSpec {
        let mut spec = self.clone();
        spec.parameters.extend(layouts.numbers(&self.parameters));
        spec.layouts = layouts;
        spec
    }

    /// The same with the sizes in bytes that structures have in Rust, which the compiler compares
    /// with its own.
    #[must_use]
    pub fn with_sizes(&self, sizes: Vec<(String, usize)>) -> ReductionSpec {
        ReductionSpec { sizes, ..self.clone() }
    }

    fn size_checks(&self) -> String {
        let given = self.sizes.iter().map(|(name, bytes)| size_check(name, *bytes));
        std::iter::once(self.value.checks()).chain(given).collect()
    }

    /// The same with an answer for each row of so many elements.
    #[must_use]
    pub fn of_rows(&self) -> ReductionSpec {
        ReductionSpec { is_of_rows: true, ..self.clone() }
    }

    /// The user's texts by the names that compilers know them by.
    pub fn texts(&self) -> Vec<(&str, &str)> {
        vec![
            ("map_expr", &self.map_expr),
            ("reduce_expr", &self.reduce_expr),
            ("neutral", &self.neutral),
            ("preamble", &self.preamble),
        ]
    }

    /// What tells it from others, which is shorter than its text.
    pub fn key(&self) -> String {
        let (layouts, options) = (self.layouts.key(), self.options.join(" "));
        let rows = if self.is_of_rows { "rows" } else { "" };
        let definitions = self.value.definitions(&self.preamble);
        let checks = self.size_checks();
        let texts = [
            self.value.c(),
            &definitions,
            &checks,
            &self.neutral,
            &self.reduce_expr,
            &self.map_expr,
            &self.name,
            &self.preamble,
            &layouts,
            &options,
            rows,
            self.guards.key(),
        ];
        crate::elementwise::key_of(&self.parameters, &texts)
    }

    /// CUDA C: the kernels `NAME_stage1` and `NAME_stage2`, or `NAME_rows`, `NAME_columns` and
    /// `NAME_short` for an answer of each row.
    ///
    /// Stage 1 takes the arguments, the address for one partial result a
    /// block, and `n`; stage 2 the partial results, the answer's address and
    /// their number. The others take the arguments, the address of the answers, `n`, the number of
    /// rows and the length of one: `NAME_rows` has a block for each, `NAME_columns` one for
    /// [`REDUCTION_COLUMNS`], `NAME_short` a thread.
    pub fn to_cuda(&self) -> String {
        let passed = self.layouts.passed(&self.parameters);
        let mut parameters = String::new();
        for parameter in &passed {
            let _ = write!(parameters, "{}, ", parameter.to_c());
        }
        // Its text stands there once, and is called in two loops.
        let objects = self.layouts.objects(&self.parameters);
        // A guarded object tells which element is computed.
        let (outside, inside) =
            if self.guards.is_guarded { ("", objects.as_str()) } else { (objects.as_str(), "") };
        let function = format!(
            "{outside}  auto gpurepl_map = [&](long long i, long long n) -> {} {{ {inside}(void)n; {} }};\n",
            self.value.c(),
            self.looked_at(&own_lines(&self.map_expr, "map_expr")),
        );
        let (neutral, combine) = (self.neutral_value(), own_lines(&self.reduce_expr, "reduce_expr"));
        let stages = Stages {
            name: &self.name,
            ctype: self.value.c(),
            neutral: &neutral,
            combine: &combine,
            parameters: &parameters,
            walk_parameters: "",
            start: "",
            end: "",
            steps: "",
            value: "gpurepl_map(i, n)",
            function: &function,
            is_float_sum: false,
            at_once: ADDED_AT_ONCE,
        };
        let text = if self.is_of_rows { rows(&stages) } else { two_stages(&stages) };
        let definitions = self.value.definitions(&self.preamble);
        let includes = crate::elementwise::type_headers(&self.parameters, self.value.dtype(), &definitions);
        let preamble = own_lines(&self.preamble, "preamble");
        let strided = self.layouts.definition("__device__ __forceinline__ ");
        let pieces = pieces_for(&format!("{text}{preamble}{definitions}"));
        let checks = self.size_checks();
        let guards = self.guards.to_cuda(true);
        format!("{includes}{pieces}{strided}{guards}{definitions}{preamble}{checks}{text}")
    }

    /// C++ for the host's shim: three functions over ranges.
    ///
    /// `gpurepl_reduce(args, begin, end, n, out)` leaves the value of a range
    /// at `out`, `gpurepl_combine_into(a, b)` combines two values into the
    /// first, `gpurepl_neutral(out)` writes the neutral value.
    pub fn to_host(&self) -> String {
        let c = self.value.c();
        let text = format!(
            "static inline {c} gpurepl_combine({c} a, {c} b) {{ return {}; }}\n\
             extern \"C\" GPUREPL_EXPORT void gpurepl_neutral(void *out) {{ *({c} *)out = {}; }}\n\
             extern \"C\" GPUREPL_EXPORT void gpurepl_combine_into(void *a, const void *b) {{ *({c} *)a = gpurepl_combine(*({c} *)a, *(const {c} *)b); }}\n\
             extern \"C\" GPUREPL_EXPORT void gpurepl_reduce(void **gpurepl_args, long long gpurepl_begin, long long gpurepl_end, long long n, void *gpurepl_out) {{\n\
             {}  long long i = gpurepl_begin;\n\
             {objects}  const long long gpurepl_lanes = 16;\n  \
               {c} gpurepl_values[gpurepl_lanes];\n  \
               for (long long gpurepl_k = 0; gpurepl_k < gpurepl_lanes; gpurepl_k++) gpurepl_values[gpurepl_k] = {};\n  \
               for (; i + gpurepl_lanes <= gpurepl_end; ) {{\n    \
                 for (long long gpurepl_k = 0; gpurepl_k < gpurepl_lanes; gpurepl_k++, i++)\n      \
                   gpurepl_values[gpurepl_k] = gpurepl_combine(gpurepl_values[gpurepl_k], ({map}));\n  }}\n  \
               for (; i < gpurepl_end; i++) gpurepl_values[0] = gpurepl_combine(gpurepl_values[0], ({map}));\n  \
               for (long long gpurepl_half = gpurepl_lanes / 2; gpurepl_half > 0; gpurepl_half /= 2)\n    \
                 for (long long gpurepl_k = 0; gpurepl_k < gpurepl_half; gpurepl_k++) gpurepl_values[gpurepl_k] = gpurepl_combine(gpurepl_values[gpurepl_k], gpurepl_values[gpurepl_k + gpurepl_half]);\n  \
               *({c} *)gpurepl_out = gpurepl_values[0];\n}}\n",
            own_lines(&self.reduce_expr, "reduce_expr"),
            self.neutral_value(),
            read_arguments(&self.layouts.passed(&self.parameters)),
            self.neutral_value(),
            objects = self.layouts.objects(&self.parameters),
            map = self.map_of_host(),
        );
        let definitions = self.value.definitions(&self.preamble);
        let complex = complex_for(&format!("{text}{}{definitions}", self.preamble));
        let includes = crate::elementwise::type_headers(&self.parameters, self.value.dtype(), &definitions);
        let (preamble, strided) = (own_lines(&self.preamble, "preamble"), self.layouts.definition("inline "));
        let checks = self.size_checks();
        let guards = self.guards.to_host();
        format!("{includes}{complex}{strided}{guards}{definitions}{preamble}{checks}{text}")
    }

    /// What returns an expression of an element, and looks at it before.
    fn looked_at(&self, expression: &str) -> String {
        self.guards.of_value(expression, self.value.c(), self.value.dtype(), "map_expr")
    }

    /// What an element is mapped to on the host device.
    fn map_of_host(&self) -> String {
        let value = self.map_value();
        if !self.guards.has_nan {
            return value;
        }
        format!("[&]() -> {} {{ {} }}()", self.value.c(), self.looked_at(&value))
    }

    /// What an element is mapped to, as an argument of a function.
    fn map_value(&self) -> String {
        let text = own_lines(&self.map_expr, "map_expr");
        match self.value {
            ValueType::Number(_) => text,
            ValueType::Structure { .. } => self.value.value(&self.map_expr, &text),
        }
    }

    fn neutral_value(&self) -> String {
        self.value.value(&self.neutral, &own_lines(&self.neutral, "neutral"))
    }
}

/// The parameters with our complex numbers in the place of those of `cuComplex.h`: values are
/// combined by operators, which these have not.
pub(crate) fn with_complex_values(mut parameters: Vec<Parameter>) -> Vec<Parameter> {
    for parameter in &mut parameters {
        if let Some(dtype) = parameter.dtype().filter(|_| parameter.is_cu_complex()) {
            parameter.spelling = match parameter.is_pointer() {
                true => format!("{} *", dtype.c()),
                false => dtype.c().to_owned(),
            };
        }
    }
    parameters
}

/// Rows that a block of the kernel `NAME_columns` reduces together: as many as a warp's accesses have
/// side by side.
pub const REDUCTION_COLUMNS: usize = 32;

/// The kernels that reduce rows: a block for each row, whose threads combine what they have as a
/// tree; a block for [`REDUCTION_COLUMNS`] rows that lie side by side, whose warps have parts of
/// each; and a thread for each row, for short ones.
fn rows(stages: &Stages<'_>) -> String {
    let Stages { name, ctype, neutral, combine, parameters, steps, value, function, .. } = stages;
    let walk = |from, step: &str| {
        walk_in_groups(&Groups {
            ctype,
            neutral,
            steps,
            value,
            from,
            to: "gpurepl_length",
            step,
            number: "gpurepl_row * gpurepl_length + gpurepl_at",
            is_float_sum: stages.is_float_sum,
            at_once: stages.at_once,
            indent: "    ",
        })
    };
    let (block, width) = (REDUCTION_BLOCK, REDUCTION_COLUMNS);
    let head = |kind: &str| {
        format!(
            "extern \"C\" __global__ void __launch_bounds__({block}) {name}_{kind}({parameters}{ctype} *gpurepl_out, unsigned long long n, unsigned long long gpurepl_rows, unsigned long long gpurepl_length)\n{{\n"
        )
    };
    // What a block has in shared memory, combined by halves; `stride` lies between neighbours.
    let tree = |from: usize, stride: usize| {
        format!(
            "    gpurepl_shared[threadIdx.x] = gpurepl_value;\n    \
               __syncthreads();\n    \
               for (unsigned int gpurepl_half = {from}; gpurepl_half >= {stride}; gpurepl_half /= 2) {{\n      \
                 if (threadIdx.x < gpurepl_half)\n        \
                   gpurepl_shared[threadIdx.x] = gpurepl_combine(gpurepl_shared[threadIdx.x], gpurepl_shared[threadIdx.x + gpurepl_half]);\n      \
                 __syncthreads();\n    \
               }}\n"
        )
    };
    format!(
        "static __device__ __forceinline__ {ctype} gpurepl_combine({ctype} a, {ctype} b) {{\n  return {combine};\n}}\n\
         {rows}  __shared__ {ctype} gpurepl_shared[{block}];\n\
         {function}  for (unsigned long long gpurepl_row = blockIdx.x; gpurepl_row < gpurepl_rows; gpurepl_row += gridDim.x) {{\n\
         {by_block}{whole}    if (threadIdx.x == 0) gpurepl_out[gpurepl_row] = gpurepl_shared[0];\n    \
             __syncthreads();\n  \
           }}\n}}\n\
         {columns}  __shared__ {ctype} gpurepl_shared[{block}];\n\
         {function}  const unsigned long long gpurepl_part = threadIdx.x / {width};\n  \
           for (unsigned long long gpurepl_first = (unsigned long long)blockIdx.x * {width}; gpurepl_first < gpurepl_rows; gpurepl_first += (unsigned long long)gridDim.x * {width}) {{\n    \
             const unsigned long long gpurepl_own = gpurepl_first + threadIdx.x % {width};\n    \
             // Rows that are not there are the last one again.\n    \
             const unsigned long long gpurepl_row = gpurepl_own < gpurepl_rows ? gpurepl_own : gpurepl_rows - 1;\n\
         {by_warp}{parts}    if (threadIdx.x < {width} && gpurepl_own < gpurepl_rows) gpurepl_out[gpurepl_own] = gpurepl_shared[threadIdx.x];\n    \
             __syncthreads();\n  \
           }}\n}}\n\
         {short}{function}  const unsigned long long gpurepl_threads = (unsigned long long)gridDim.x * {block};\n  \
           for (unsigned long long gpurepl_row = (unsigned long long)blockIdx.x * {block} + threadIdx.x; gpurepl_row < gpurepl_rows; gpurepl_row += gpurepl_threads) {{\n\
         {by_thread}    gpurepl_out[gpurepl_row] = gpurepl_value;\n  \
           }}\n}}\n",
        rows = head("rows"),
        columns = head("columns"),
        short = head("short"),
        by_block = walk("threadIdx.x", &block.to_string()),
        whole = tree(block / 2, 1),
        by_warp = walk("gpurepl_part", &(block / width).to_string()),
        parts = tree(block / 2, width),
        by_thread = walk("0", "1"),
    )
}

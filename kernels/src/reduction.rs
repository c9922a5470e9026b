//! Reductions: many elements become one.

use std::fmt::Write as _;

use crate::declaration::{Parameter, parse_list};
use crate::elementwise::{own_lines, read_arguments};
use crate::support::{complex_for, pieces_for};
use crate::token::tokens;
use crate::{DType, SpecError};

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
/// use gpurepl_kernels::{DType, ReductionSpec};
/// let dot = ReductionSpec::new(DType::Float32, "0", "a+b", "x[i]*y[i]", "const float *x, const float *y", "dot")?;
/// assert!(dot.to_cuda().contains("dot_stage1(const float *x, const float *y, "));
/// # Ok::<(), gpurepl_kernels::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReductionSpec {
    /// The type of the answer.
    pub dtype: DType,
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
}

impl ReductionSpec {
    /// Describes a reduction.
    ///
    /// # Errors
    ///
    /// If an argument cannot be read, none is an array, an expression is
    /// empty, or the name is not a C identifier.
    pub fn new(
        dtype: DType,
        neutral: &str,
        reduce_expr: &str,
        map_expr: &str,
        arguments: &str,
        name: &str,
    ) -> Result<ReductionSpec, SpecError> {
        let parameters = parse_list(arguments)?;
        crate::elementwise::check_parts(&parameters, arguments, name)?;
        for (what, text) in [("neutral", neutral), ("reduce_expr", reduce_expr), ("map_expr", map_expr)] {
            if tokens(text).is_empty() {
                return Err(SpecError::new(format!("`{what}` is empty"), text, 0..text.len())
                    .help("write a C expression; `map_expr` is often `x[i]`, `reduce_expr` `a+b`"));
            }
        }
        Ok(ReductionSpec {
            dtype,
            neutral: neutral.to_owned(),
            reduce_expr: reduce_expr.to_owned(),
            map_expr: map_expr.to_owned(),
            parameters,
            name: name.to_owned(),
            preamble: String::new(),
        })
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
        let texts =
            [self.dtype.c(), &self.neutral, &self.reduce_expr, &self.map_expr, &self.name, &self.preamble];
        crate::elementwise::key_of(&self.parameters, &texts)
    }

    /// CUDA C: the kernels `NAME_stage1` and `NAME_stage2`.
    ///
    /// Stage 1 takes the arguments, the address for one partial result a
    /// block, and `n`; stage 2 the partial results, the answer's address and
    /// their number.
    pub fn to_cuda(&self) -> String {
        let mut parameters = String::new();
        for parameter in &self.parameters {
            let _ = write!(parameters, "{}, ", parameter.to_c());
        }
        let text = two_stages(&Stages {
            name: &self.name,
            ctype: self.dtype.c(),
            neutral: &self.neutral_value(),
            combine: &own_lines(&self.reduce_expr, "reduce_expr"),
            parameters: &parameters,
            walk_parameters: "",
            start: "",
            end: "",
            steps: "",
            value: "gpurepl_map(i, n)",
            // Its text stands there once, and is called in two loops.
            function: &format!(
                "  auto gpurepl_map = [&](long long i, long long n) -> {} {{ (void)n; return {}; }};\n",
                self.dtype.c(),
                own_lines(&self.map_expr, "map_expr"),
            ),
            is_float_sum: false,
            at_once: ADDED_AT_ONCE,
        });
        let includes = crate::elementwise::half_header(&self.parameters, Some(self.dtype));
        let preamble = own_lines(&self.preamble, "preamble");
        format!("{includes}{}{preamble}{text}", pieces_for(&format!("{text}{preamble}")))
    }

    /// C++ for the host's shim: three functions over ranges.
    ///
    /// `gpurepl_reduce(args, begin, end, n, out)` leaves the value of a range
    /// at `out`, `gpurepl_combine_into(a, b)` combines two values into the
    /// first, `gpurepl_neutral(out)` writes the neutral value.
    pub fn to_host(&self) -> String {
        let c = self.dtype.c();
        let text = format!(
            "static inline {c} gpurepl_combine({c} a, {c} b) {{ return {}; }}\n\
             extern \"C\" GPUREPL_EXPORT void gpurepl_neutral(void *out) {{ *({c} *)out = {}; }}\n\
             extern \"C\" GPUREPL_EXPORT void gpurepl_combine_into(void *a, const void *b) {{ *({c} *)a = gpurepl_combine(*({c} *)a, *(const {c} *)b); }}\n\
             extern \"C\" GPUREPL_EXPORT void gpurepl_reduce(void **gpurepl_args, long long gpurepl_begin, long long gpurepl_end, long long n, void *gpurepl_out) {{\n\
             {}  const long long gpurepl_lanes = 16;\n  \
               {c} gpurepl_values[gpurepl_lanes];\n  \
               for (long long gpurepl_k = 0; gpurepl_k < gpurepl_lanes; gpurepl_k++) gpurepl_values[gpurepl_k] = {};\n  \
               long long i = gpurepl_begin;\n  \
               for (; i + gpurepl_lanes <= gpurepl_end; ) {{\n    \
                 for (long long gpurepl_k = 0; gpurepl_k < gpurepl_lanes; gpurepl_k++, i++)\n      \
                   gpurepl_values[gpurepl_k] = gpurepl_combine(gpurepl_values[gpurepl_k], ({map}));\n  }}\n  \
               for (; i < gpurepl_end; i++) gpurepl_values[0] = gpurepl_combine(gpurepl_values[0], ({map}));\n  \
               for (long long gpurepl_half = gpurepl_lanes / 2; gpurepl_half > 0; gpurepl_half /= 2)\n    \
                 for (long long gpurepl_k = 0; gpurepl_k < gpurepl_half; gpurepl_k++) gpurepl_values[gpurepl_k] = gpurepl_combine(gpurepl_values[gpurepl_k], gpurepl_values[gpurepl_k + gpurepl_half]);\n  \
               *({c} *)gpurepl_out = gpurepl_values[0];\n}}\n",
            own_lines(&self.reduce_expr, "reduce_expr"),
            self.neutral_value(),
            read_arguments(&self.parameters),
            self.neutral_value(),
            map = own_lines(&self.map_expr, "map_expr"),
        );
        let complex = complex_for(&format!("{text}{}", self.preamble));
        let includes = crate::elementwise::half_header(&self.parameters, Some(self.dtype));
        format!("{includes}{complex}{}{text}", own_lines(&self.preamble, "preamble"))
    }

    fn neutral_value(&self) -> String {
        format!("({})({})", self.dtype.c(), own_lines(&self.neutral, "neutral"))
    }
}

//! Scans of the user's: running results that a statement gets one by one.

use std::fmt::Write as _;

use crate::declaration::{CType, Parameter, check_types, parse_list};
use crate::elementwise::{check_parts, own_lines, read_arguments, statement, type_headers};
use crate::guards::Guards;
use crate::layouts::Layouts;
use crate::reduction::with_complex_values;
use crate::resident::{CLEAR, RESIDENT, RESIDENT_BLOCKS, ResidentTile};
use crate::support::{complex_for, pieces_for};
use crate::token::{TokenKind, tokens};
use crate::{DType, SpecError};

/// A scan of the user's: PyOpenCL's `GenericScanKernel`, of which PyCUDA's
/// `InclusiveScanKernel` and `ExclusiveScanKernel` are two.
///
/// Each element `i` has a value, `input_expr`. `scan_expr` combines two values `a` and
/// `b` of which `a` comes first; it must be associative. `output_statement` runs once for
/// each element with `item`, the values up to and with this one combined, `prev_item`,
/// those before it, and `last_item`, all of them.
///
/// ```
/// use gpurepl_kernels::{DType, ScanSpec};
/// let running = ScanSpec::new(DType::Int32, "const int *x, int *y", "x[i]", "a+b", "0", "y[i] = item", "running")?;
/// assert!(running.to_cuda().contains("gpurepl_scan_running(const int *x, int *y, "));
/// assert!(!running.uses_last_item());
/// # Ok::<(), gpurepl_kernels::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanSpec {
    /// The type of the values.
    pub dtype: DType,
    /// An expression of the element's number `i`, and `n`.
    pub input_expr: String,
    /// An expression of two values `a` and `b`, and of `across_seg_boundary`.
    pub scan_expr: String,
    /// The value, in C, that changes nothing.
    pub neutral: String,
    /// Statements of `i`, `item`, `prev_item` and `last_item`.
    pub output_statement: String,
    /// Whether a segment starts with the element `i`; no segments if it is empty.
    pub is_segment_start: String,
    /// The arguments of all of them.
    pub parameters: Vec<Parameter>,
    /// The kernel's name.
    pub name: String,
    /// C++ before the kernel: functions, types, includes.
    pub preamble: String,
    /// What it looks at while it runs.
    pub guards: Guards,
    /// What the parameters were parsed from.
    arguments: String,
    /// Which arrays are guarded: see [`ScanSpec::laid_out`].
    layouts: Layouts,
}

/// Names that the texts have already.
const RESERVED: [&str; 8] = ["i", "n", "N", "a", "b", "item", "prev_item", "last_item"];

/// What stands before a kernel's name in the generated text.
pub const SCAN_ENTRY: &str = "gpurepl_scan_";

impl ScanSpec {
    /// Describes a scan.
    ///
    /// # Errors
    ///
    /// If an argument cannot be read, none is an array, a text is empty, or the name is
    /// not a C identifier.
    pub fn new(
        dtype: DType,
        arguments: &str,
        input_expr: &str,
        scan_expr: &str,
        neutral: &str,
        output_statement: &str,
        name: &str,
    ) -> Result<ScanSpec, SpecError> {
        let parameters = with_complex_values(parse_list(arguments)?);
        if let Some(parameter) = parameters.iter().find(|p| RESERVED.contains(&p.name.as_str())) {
            let message = format!("`{}` is the kernel's own name", parameter.name);
            return Err(SpecError::new(message, arguments, parameter.span.clone()).help(
                "the texts have `i`, `n`, `N`, `a`, `b`, `item`, `prev_item` and `last_item` already",
            ));
        }
        check_parts(&parameters, arguments, name)?;
        if let Some(parameter) = parameters.iter().find(|parameter| parameter.ctype == CType::Other) {
            let (spelling, name) = (&parameter.spelling, &parameter.name);
            let message = format!("a scan takes no `{spelling}` by value");
            return Err(SpecError::new(message, arguments, parameter.span.clone())
                .help(format!("pass a pointer: `const {spelling} *{name}`")));
        }
        for (what, text) in [
            ("input_expr", input_expr),
            ("scan_expr", scan_expr),
            ("neutral", neutral),
            ("output_statement", output_statement),
        ] {
            if tokens(text).is_empty() {
                return Err(SpecError::new(format!("`{what}` is empty"), text, 0..text.len()).help(
                    "`input_expr` is often `x[i]`, `scan_expr` `a+b`, `neutral` `0`, and `output_statement` `y[i] = item`",
                ));
            }
        }
        Ok(ScanSpec {
            dtype,
            input_expr: input_expr.to_owned(),
            scan_expr: scan_expr.to_owned(),
            neutral: neutral.to_owned(),
            output_statement: output_statement.to_owned(),
            is_segment_start: String::new(),
            parameters,
            name: name.to_owned(),
            preamble: String::new(),
            guards: Guards::default(),
            arguments: arguments.to_owned(),
            layouts: Layouts::default(),
        })
    }

    /// The same with arrays that are guarded: a parameter more for the length of each.
    #[must_use]
    pub fn laid_out(&self, layouts: Layouts) -> ScanSpec {
        let mut spec = self.clone();
        spec.parameters.extend(layouts.numbers(&self.parameters));
        spec.layouts = layouts;
        spec
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

    /// The user's texts by the names that compilers know them by.
    pub fn texts(&self) -> Vec<(&str, &str)> {
        vec![
            ("input_expr", &self.input_expr),
            ("scan_expr", &self.scan_expr),
            ("neutral", &self.neutral),
            ("output_statement", &self.output_statement),
            ("is_segment_start", &self.is_segment_start),
            ("preamble", &self.preamble),
        ]
    }

    /// Whether the output statement needs what all elements give, which is known after
    /// they have been read once.
    pub fn uses_last_item(&self) -> bool {
        self.has("last_item")
    }

    fn has(&self, word: &str) -> bool {
        [&self.output_statement, &self.preamble].into_iter().any(|text| {
            tokens(text).iter().any(|token| match token.kind {
                TokenKind::Identifier => token.text(text) == word,
                // A macro may stand for it.
                TokenKind::Directive => token.text(text).contains(word),
                _ => false,
            })
        })
    }

    fn is_segmented(&self) -> bool {
        !self.is_segment_start.is_empty()
    }

    /// Bytes of what is combined: a value, and whether a segment starts within it.
    pub fn state_size(&self) -> usize {
        let size = self.dtype.size();
        if self.is_segmented() { 2 * size } else { size }
    }

    /// How the elements are divided among blocks of a GPU.
    pub fn tile(&self) -> ResidentTile {
        let tile = ResidentTile::of(self.state_size());
        // Texts read one element, so that a lane's do not lie beside each other.
        ResidentTile { rows: (tile.rows * tile.count).min(12), count: 1, ..tile }
    }

    /// The type that is combined, and that it can be.
    fn state(&self, qualifier: &str) -> String {
        let c = self.dtype.c();
        let state = if self.is_segmented() {
            let padding = if self.dtype.size() > 8 { " unsigned long long unused;" } else { "" };
            format!("struct gpurepl_state {{ {c} value; {} starts;{padding} }};\n", self.starts())
        } else {
            format!("typedef {c} gpurepl_state;\n")
        };
        format!("{state}{qualifier} gpurepl_state gpurepl_combine(gpurepl_state a, gpurepl_state b);\n")
    }

    /// The type of what says whether a segment starts within a state. It is as large as the value: bytes between the two
    /// would have no value, and be copied. And it is no `bool`: of one that lives through the rounds, ptxas of CUDA 13.0
    /// gives the next round's where the last one's is asked for.
    fn starts(&self) -> &'static str {
        match self.dtype.size() {
            1 => "unsigned char",
            2 => "unsigned short",
            4 => "unsigned int",
            _ => "unsigned long long",
        }
    }

    /// The functions over it.
    fn state_functions(&self, qualifier: &str) -> String {
        let c = self.dtype.c();
        let scan = own_lines(&self.scan_expr, "scan_expr");
        let combine = format!(
            "{qualifier} {c} gpurepl_combine_values({c} a, {c} b, bool across_seg_boundary) {{\n  \
               (void)across_seg_boundary;\n  return {scan};\n}}\n"
        );
        let rest = if self.is_segmented() {
            format!(
                "{qualifier} {c} gpurepl_value_of(const gpurepl_state &state) {{ return state.value; }}\n\
                 {qualifier} gpurepl_state gpurepl_state_of({c} value, {starts} starts) {{ gpurepl_state state = {{value, starts}}; return state; }}\n\
                 {qualifier} gpurepl_state gpurepl_combine(gpurepl_state a, gpurepl_state b) {{\n  \
                   return gpurepl_state_of(gpurepl_combine_values(a.value, b.value, b.starts != 0), ({starts})(a.starts | b.starts));\n}}\n",
                starts = self.starts(),
            )
        } else {
            format!(
                "{qualifier} {c} gpurepl_combine({c} a, {c} b) {{ return gpurepl_combine_values(a, b, false); }}\n\
                 {qualifier} {c} gpurepl_value_of({c} state) {{ return state; }}\n\
                 {qualifier} {c} gpurepl_state_of({c} value, bool) {{ return value; }}\n"
            )
        };
        format!("{combine}{rest}")
    }

    fn neutral_value(&self) -> String {
        format!("({})({})", self.dtype.c(), own_lines(&self.neutral, "neutral"))
    }

    /// The functions of an element within a kernel, whose arguments they use.
    fn element_functions(&self, has_output: bool) -> String {
        let c = self.dtype.c();
        let objects = self.layouts.objects(&self.parameters);
        let input = own_lines(&self.input_expr, "input_expr");
        let mut text = format!(
            "  auto gpurepl_input = [&](long long i) -> {c} {{ {objects}{} }};\n",
            self.guards.of_value(&input, c, Some(self.dtype), "input_expr")
        );
        let starts = if self.is_segmented() {
            own_lines(&self.is_segment_start, "is_segment_start")
        } else {
            "false".to_owned()
        };
        let _ = writeln!(
            text,
            "  auto gpurepl_starts = [&](long long i) -> bool {{ {objects}(void)i; return {starts}; }};"
        );
        if has_output {
            let _ = write!(
                text,
                "  auto gpurepl_output = [&](long long i, {c} item, {c} prev_item, {c} last_item) {{\n  \
                   {objects}  (void)item; (void)prev_item; (void)last_item;\n{}  }};\n",
                statement(&self.output_statement, "output_statement"),
            );
        }
        text
    }

    /// What tells it from others, which is shorter than its text.
    pub fn key(&self) -> String {
        crate::elementwise::key_of(
            &self.parameters,
            &[
                self.dtype.c(),
                &self.input_expr,
                &self.scan_expr,
                &self.neutral,
                &self.output_statement,
                &self.is_segment_start,
                &self.name,
                &self.preamble,
                &self.layouts.key(),
                self.guards.key(),
            ],
        )
    }

    fn around(&self, text: &str) -> String {
        format!("{text}{}", self.preamble)
    }

    /// CUDA C: the kernels `gpurepl_clear`, `gpurepl_scan_NAME` and, if the statement uses
    /// `last_item`, `gpurepl_total_NAME`.
    ///
    /// Both take the arguments, the address of what blocks publish
    /// ([`RESIDENT_SLOT`](crate::RESIDENT_SLOT) zero bytes for each block and four bytes of
    /// [`ScanSpec::state_size`]), the address of what all elements give, and `n`. The first
    /// of them reads it if it is not zero, the other one writes it. All blocks run at once;
    /// they are of the threads of [`ScanSpec::tile`].
    pub fn to_cuda(&self) -> String {
        let mut parameters = String::new();
        for parameter in &self.layouts.passed(&self.parameters) {
            let _ = write!(parameters, "{}, ", parameter.to_c());
        }
        let ResidentTile { threads, rows, count } = self.tile();
        let (c, name, neutral) = (self.dtype.c(), &self.name, self.neutral_value());
        let kernel = |prefix: &str, needs_before: bool, total: &str, last: &str, emit: &str| {
            format!(
                "extern \"C\" __global__ void __launch_bounds__({threads}, {RESIDENT_BLOCKS}) {prefix}{name}({parameters}unsigned long long *gpurepl_slots, gpurepl_state *gpurepl_total, unsigned long long gpurepl_count)\n{{\n  \
                   const long long n = (long long)gpurepl_count, N = n;\n  (void)n; (void)N;\n\
                 {functions}  \
                   const {c} gpurepl_neutral_value = {neutral};\n  \
                   const {c} gpurepl_last = {last};\n  \
                   const gpurepl_state gpurepl_neutral = gpurepl_state_of(gpurepl_neutral_value, false);\n  \
                   auto gpurepl_fetch = [&](unsigned long long, unsigned long long first, gpurepl_state *values, unsigned int &starts, bool whole) {{\n    \
                     const bool gpurepl_is_within = whole || first < gpurepl_count;\n    \
                     const bool gpurepl_is_start = gpurepl_is_within && gpurepl_starts((long long)first);\n    \
                     values[0] = gpurepl_is_within ? gpurepl_state_of(gpurepl_input((long long)first), gpurepl_is_start) : gpurepl_neutral;\n    \
                     starts = gpurepl_is_start;\n  }};\n  \
                   auto gpurepl_emit = [&](unsigned long long, unsigned long long first, const gpurepl_state *values, const gpurepl_state &before, unsigned int starts, bool whole) {{\n    \
                     (void)first; (void)whole; (void)values; (void)before; (void)starts; (void)gpurepl_last;\n{emit}  }};\n  \
                   gpurepl_in_rounds<gpurepl_state, {threads}, {rows}, {count}, {needs_before}>(1, gpurepl_count, gpurepl_slots, gpurepl_neutral, {total}, true, gpurepl_fetch, gpurepl_emit);\n}}\n",
                functions = self.element_functions(!emit.is_empty()),
            )
        };
        let emit = "    if (whole || first < gpurepl_count)\n      \
                      gpurepl_output((long long)first, gpurepl_value_of(values[0]), (starts & 1) ? gpurepl_neutral_value : gpurepl_value_of(before), gpurepl_last);\n";
        let qualifier = "static __device__ __forceinline__";
        // Before the preamble, whose macros may have any names.
        let before = format!("{}{RESIDENT}{CLEAR}", self.state(qualifier));
        let mut text = self.state_functions(qualifier);
        text += &kernel(
            SCAN_ENTRY,
            self.has("prev_item"),
            "(gpurepl_state *)0",
            "gpurepl_total ? gpurepl_value_of(*gpurepl_total) : gpurepl_neutral_value",
            emit,
        );
        if self.uses_last_item() {
            text += &kernel("gpurepl_total_", false, "gpurepl_total", "gpurepl_neutral_value", "");
        }
        let includes = type_headers(&self.parameters, Some(self.dtype), "");
        // Others wait for what a thread gives them.
        let guards = self.guards.to_cuda(false);
        format!(
            "{includes}{}{before}{guards}{}{text}",
            pieces_for(&self.around(&format!("{before}{text}"))),
            own_lines(&self.preamble, "preamble")
        )
    }

    /// C++ for the host's shim: functions over ranges of elements, which take the addresses
    /// of the arguments' values first.
    ///
    /// `gpurepl_reduce(args, begin, end, n, out)` leaves what a range gives at `out`,
    /// `gpurepl_combine_into(a, b)` combines two of these into the first,
    /// `gpurepl_neutral(out)` writes the neutral one, and
    /// `gpurepl_scan(args, begin, end, n, before, all)` runs the statement, given what lies
    /// before the range and what all give.
    pub fn to_host(&self) -> String {
        let (c, neutral) = (self.dtype.c(), self.neutral_value());
        let start = |has_output| {
            format!(
                "{}  const long long n = (long long)gpurepl_count, N = n;\n  (void)n; (void)N;\n{}",
                read_arguments(&self.layouts.passed(&self.parameters)),
                self.element_functions(has_output)
            )
        };
        let text = format!(
            "{state}\
             extern \"C\" GPUREPL_EXPORT void gpurepl_neutral(void *out) {{ *(gpurepl_state *)out = gpurepl_state_of({neutral}, false); }}\n\
             extern \"C\" GPUREPL_EXPORT void gpurepl_combine_into(void *a, const void *b) {{ *(gpurepl_state *)a = gpurepl_combine(*(gpurepl_state *)a, *(const gpurepl_state *)b); }}\n\
             extern \"C\" GPUREPL_EXPORT void gpurepl_reduce(void **gpurepl_args, size_t gpurepl_begin, size_t gpurepl_end, size_t gpurepl_count, void *gpurepl_out) {{\n\
             {reads}  \
               gpurepl_state gpurepl_all = gpurepl_state_of({neutral}, false);\n  \
               for (long long i = (long long)gpurepl_begin; i < (long long)gpurepl_end; i++)\n    \
                 gpurepl_all = gpurepl_combine(gpurepl_all, gpurepl_state_of(gpurepl_input(i), gpurepl_starts(i)));\n  \
               *(gpurepl_state *)gpurepl_out = gpurepl_all;\n}}\n\
             extern \"C\" GPUREPL_EXPORT void gpurepl_scan(void **gpurepl_args, size_t gpurepl_begin, size_t gpurepl_end, size_t gpurepl_count, const void *gpurepl_before, const void *gpurepl_last) {{\n\
             {runs}  \
               const {c} gpurepl_neutral_value = {neutral};\n  \
               gpurepl_state gpurepl_all = *(const gpurepl_state *)gpurepl_before;\n  \
               const {c} gpurepl_last_item = gpurepl_value_of(*(const gpurepl_state *)gpurepl_last);\n  \
               for (long long i = (long long)gpurepl_begin; i < (long long)gpurepl_end; i++) {{\n    \
                 const bool gpurepl_is_start = gpurepl_starts(i);\n    \
                 const {c} gpurepl_prev = gpurepl_is_start ? gpurepl_neutral_value : gpurepl_value_of(gpurepl_all);\n    \
                 gpurepl_all = gpurepl_combine(gpurepl_all, gpurepl_state_of(gpurepl_input(i), gpurepl_is_start));\n    \
                 gpurepl_output(i, gpurepl_value_of(gpurepl_all), gpurepl_prev, gpurepl_last_item);\n  }}\n}}\n",
            state = self.state("static inline") + &self.state_functions("static inline"),
            reads = start(false),
            runs = start(true),
        );
        let complex = complex_for(&self.around(&text));
        let includes = type_headers(&self.parameters, Some(self.dtype), "");
        let guards = self.guards.to_host();
        format!("{includes}{complex}{guards}{}{text}", own_lines(&self.preamble, "preamble"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named() {
        let message = |arguments, input, output| {
            ScanSpec::new(DType::Int32, arguments, input, "a+b", "0", output, "scan").unwrap_err().message
        };
        assert_eq!(message("int n", "n", "y[i] = item"), "`n` is the kernel's own name");
        assert_eq!(message("int *item", "1", "item[i] = 0"), "`item` is the kernel's own name");
        assert_eq!(message("int k", "k", "k = item"), "no argument is an array");
        assert_eq!(message("int *x", " ", "x[i] = item"), "`input_expr` is empty");
        assert_eq!(message("int *x", "x[i]", "// nothing"), "`output_statement` is empty");
    }

    #[test]
    fn the_last_item_is_computed_where_it_is_used() {
        let spec =
            |output| ScanSpec::new(DType::Int32, "int *x", "x[i]", "a+b", "0", output, "scan").unwrap();
        assert!(spec("x[i] = last_item - item").to_cuda().contains("gpurepl_total_scan("));
        assert!(!spec("x[i] = item /* not last_item */").to_cuda().contains("gpurepl_total_scan("));
    }
}

//! Guards of generated kernels: a subscript is compared with its array's length, a result with
//! NaN, and a failed assertion does not end the use of the GPU.
//!
//! In a guarded kernel the name of an array is that of an object with an `operator[]`. What it
//! finds is noted in a record of the host's, as panics of kernels in Rust are, and the thread
//! ends. In a scan others wait for what it gives them: there it goes on with an element of its own.
//! After a NaN it goes on in any case. On the host device the kernel ends.

use crate::DType;
use crate::declaration::Parameter;
use crate::layouts::has_element;
use crate::token::tokens;

/// What a generated kernel looks at while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guards {
    /// Whether it compares subscripts with lengths, and reports assertions that fail.
    pub is_guarded: bool,
    /// Whether it reports results that are NaN.
    pub has_nan: bool,
}

impl Guards {
    /// What either of two looks at.
    #[must_use]
    pub fn with(self, other: Guards) -> Guards {
        Guards { is_guarded: self.is_guarded || other.is_guarded, has_nan: self.has_nan || other.has_nan }
    }

    /// Whether there is anything to look at.
    pub fn is_any(self) -> bool {
        self.is_guarded || self.has_nan
    }

    pub(crate) fn key(self) -> &'static str {
        match (self.is_guarded, self.has_nan) {
            (false, false) => "",
            (true, false) => "guarded",
            (false, true) => "nan",
            (true, true) => "guarded nan",
        }
    }

    /// What CUDA C needs for them, after the includes and before the preamble. `ends` says whether
    /// a thread ends once it has reported an error: not where others wait for what it gives them.
    pub(crate) fn to_cuda(self, ends: bool) -> String {
        if !self.is_any() {
            return String::new();
        }
        let end = if ends { "asm volatile(\"exit;\");" } else { "" };
        let goes_on = if ends { format!("{end} {NOWHERE}") } else { SPARE.to_owned() };
        let assertion = format!(
            "static __device__ __forceinline__ __attribute__((unused)) void gpurepl_assertion(const char *what, const char *file, unsigned int line) {{\n  \
               gpurepl_report({ASSERTION}, 0, 0, 0, what, file, line);\n  {end}\n}}\n\
             #undef assert\n\
             #ifdef NDEBUG\n\
             #define assert(...) ((void)0)\n\
             #else\n\
             #define assert(...) ((__VA_ARGS__) ? (void)0 : gpurepl_assertion(#__VA_ARGS__, __FILE__, __LINE__))\n\
             #endif\n"
        );
        let assertion = if self.is_guarded { assertion } else { String::new() };
        format!("{CUDA_REPORT}{}{assertion}", guarded("__device__ __forceinline__", &goes_on))
    }

    /// The same for the host's shim, which has assertions.
    pub(crate) fn to_host(self) -> String {
        if self.is_any() { format!("{HOST_REPORT}{}", guarded("inline", NOWHERE)) } else { String::new() }
    }

    /// Statements after `operation` that look at the elements `i` of arrays which it sets, as it
    /// leaves them.
    pub(crate) fn of_results(
        self,
        parameters: &[Parameter],
        operation: &str,
        is_set: impl Fn(&str) -> bool,
    ) -> String {
        if !self.has_nan {
            return String::new();
        }
        let checks = parameters.iter().filter_map(|parameter| {
            let name = &parameter.name;
            // Arrays of our own have such names.
            let is_users = parameter.is_pointer() && !name.starts_with("gpurepl_");
            let is_looked_at = is_users && has_element(operation, name) && is_set(name);
            let dtype = parameter.dtype().filter(|_| is_looked_at)?;
            let parts = if parameter.is_cu_complex() { [".x", ".y"] } else { [".real()", ".imag()"] };
            let condition = is_nan(&format!("{name}[i]"), dtype, parts)?;
            Some(format!(
                "    if ({condition}) gpurepl_report({NOT_A_NUMBER}, i, 0, i, \"{name}\", \"\", 0);\n"
            ))
        });
        checks.collect()
    }

    /// An expression of the element `i` that is looked at: what a lambda returns.
    pub(crate) fn of_value(self, expression: &str, c: &str, dtype: Option<DType>, what: &str) -> String {
        let condition = dtype
            .filter(|_| self.has_nan)
            .and_then(|dtype| is_nan("gpurepl_value", dtype, [".real()", ".imag()"]));
        match condition {
            Some(condition) => format!(
                "const {c} gpurepl_value = {expression};\n    \
                 if ({condition}) gpurepl_report({NOT_A_NUMBER}, -1, 0, i, \"{what}\", \"\", 0);\n    return gpurepl_value;"
            ),
            None => format!("return {expression};"),
        }
    }
}

/// What a report is about: as the records of kernels in Rust have it.
pub const OUT_OF_BOUNDS: u32 = 4;
/// An assertion that does not hold.
pub const ASSERTION: u32 = 5;
/// A result that is NaN.
pub const NOT_A_NUMBER: u32 = 6;

/// The variable of a guarded kernel's image that holds the record's address.
pub const RECORD: &str = "gpurepl_record";

/// The one that holds the kernel's number.
pub const NUMBER: &str = "gpurepl_number";

/// What a report says in words, given where, how many elements there are, and which element was
/// computed.
pub fn words(kind: u32, name: &str, index: i64, size: i64, element: i64) -> String {
    if kind == NOT_A_NUMBER {
        return match index {
            -1 => format!("`{name}` is NaN, for i = {element}"),
            _ => format!("`{name}[{index}]` is NaN"),
        };
    }
    let length = match size {
        // Of memory whose elements have no known size.
        i64::MAX => String::new(),
        1 => format!(": `{name}` has 1 element"),
        _ => format!(": `{name}` has {size} elements"),
    };
    // Before the loop there is no element.
    let element = if element < 0 { String::new() } else { format!("; for i = {element}") };
    format!("`{name}[{index}]` is out of bounds{length}{element}")
}

/// The only line of these texts that subscripts an array: the number of the text, and the line
/// from one.
pub fn line(texts: &[(&str, &str)], name: &str) -> Option<(usize, usize)> {
    let mut found = texts.iter().enumerate().flat_map(|(number, (_, text))| {
        let all = tokens(text);
        let subscripts = all.windows(2).filter(|two| two[0].is_name(text, name) && two[1].is_mark(text, '['));
        let lines: Vec<usize> =
            subscripts.map(|two| text[..two[0].span.start].matches('\n').count() + 1).collect();
        lines.into_iter().map(move |line| (number, line))
    });
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

/// Whether a value is NaN, given how parts of a complex number are read; none for types that have none.
fn is_nan(value: &str, dtype: DType, [real, imaginary]: [&str; 2]) -> Option<String> {
    Some(match dtype {
        DType::Float16 => format!("gpurepl_is_nan((float)({value}))"),
        DType::Float32 | DType::Float64 => format!("gpurepl_is_nan({value})"),
        DType::Complex64 | DType::Complex128 => {
            format!("gpurepl_is_nan(({value}){real}) || gpurepl_is_nan(({value}){imaginary})")
        }
        _ => return None,
    })
}

/// The object that stands for an array, and what tells a NaN: by its bits, which options for
/// fast mathematics do not touch. `goes_on` is what a thread does once it has reported an error.
fn guarded(qualifier: &str, goes_on: &str) -> String {
    format!(
        "{qualifier} bool gpurepl_is_nan(float value) {{\n  \
           unsigned int bits;\n  memcpy(&bits, &value, sizeof(bits));\n  return (bits & 0x7fffffffu) > 0x7f800000u;\n}}\n\
         {qualifier} bool gpurepl_is_nan(double value) {{\n  \
           unsigned long long bits;\n  memcpy(&bits, &value, sizeof(bits));\n  return (bits & 0x7fffffffffffffffull) > 0x7ff0000000000000ull;\n}}\n\
         template <class gpurepl_T, class gpurepl_A> struct gpurepl_guarded {{\n  \
           gpurepl_A gpurepl_of;\n  \
           long long gpurepl_size;\n  \
           const char *gpurepl_name;\n  \
           const long long *gpurepl_element;\n  \
           template <class gpurepl_I> {qualifier} gpurepl_T &operator[](gpurepl_I gpurepl_at) const {{\n    \
             long long gpurepl_place = (long long)gpurepl_at;\n    \
             if (gpurepl_place < 0 || gpurepl_place >= gpurepl_size) {{\n      \
               gpurepl_report({OUT_OF_BOUNDS}, gpurepl_place, gpurepl_size, *gpurepl_element, gpurepl_name, \"\", 0);\n      {goes_on}\n    \
             }}\n    \
             return gpurepl_of[gpurepl_place];\n  \
           }}\n\
         }};\n"
    )
}

/// After a report that does not return, or a thread that has ended. A place that is in the array:
/// with another object's address here NVVM of CUDA 13.0 drops the stores to the array.
const NOWHERE: &str = "gpurepl_place = 0;";

/// Where a thread goes on: an element of nobody's, in the GPU's memory as the array is.
const SPARE: &str = "alignas(gpurepl_T) static unsigned char gpurepl_spare[sizeof(gpurepl_T)];\n      \
                     return *(gpurepl_T *)gpurepl_spare;";

/// Notes what one thread of all has found, in the record of kernels in Rust (`Record` of
/// `rust/library/gpu.rs`) with a field more. `prelude/device/src/cuda/faults.rs` reads it.
const CUDA_REPORT: &str = r#"extern "C" {
__device__ unsigned long long gpurepl_record;
__device__ unsigned long long gpurepl_number;
}
struct gpurepl_noted {
  unsigned int state, kind;
  unsigned long long numbers[2], module;
  unsigned int line, column, thread[3], block[3], is_users, bytes;
  char text[1024];
  long long element;
};
static_assert(sizeof(gpurepl_noted) == 1104, "the size that the reader knows");
static __device__ __noinline__ __attribute__((unused)) void gpurepl_report(unsigned int kind, long long index, long long size, long long element, const char *what, const char *file, unsigned int line) {
  gpurepl_noted *const record = (gpurepl_noted *)gpurepl_record;
  if (!record || atomicCAS_system(&record->state, 0u, 1u) != 0) return;
  volatile gpurepl_noted &noted = *record;
  noted.kind = kind;
  noted.numbers[0] = (unsigned long long)index;
  noted.numbers[1] = (unsigned long long)size;
  noted.element = element;
  noted.module = gpurepl_number;
  noted.line = line;
  noted.column = 0;
  noted.thread[0] = threadIdx.x; noted.thread[1] = threadIdx.y; noted.thread[2] = threadIdx.z;
  noted.block[0] = blockIdx.x; noted.block[1] = blockIdx.y; noted.block[2] = blockIdx.z;
  noted.is_users = 1;
  unsigned int bytes = 0;
  for (; *file && bytes < 256; file++) noted.text[bytes++] = *file;
  noted.text[bytes++] = '\n';
  for (; *what && bytes < 1024; what++) noted.text[bytes++] = *what;
  noted.bytes = bytes;
  __threadfence_system();
  noted.state = 2;
}
"#;

const HOST_REPORT: &str = r#"static __attribute__((noinline, cold, unused)) void gpurepl_report(unsigned int kind, long long index, long long size, long long element, const char *what, const char *, unsigned int) {
  char text[1200];
  __builtin_snprintf(text, sizeof(text), "%s\n%lld %lld %lld", what, index, size, element);
  gpurepl_failed((int)kind, text, "", 0);
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_line_of_an_array_is_found() {
        let texts = [("operation", "int k = i;\nz[i] = x[k + 1]"), ("loop_prep", "float y = w[0] + w[1]")];
        assert_eq!(line(&texts, "x"), Some((0, 2)));
        assert_eq!(line(&texts, "w"), Some((1, 1)));
        assert_eq!(line(&texts, "v"), None);
        assert_eq!(line(&[("operation", "x[i] = 0;\nx[i + 1] = 1")], "x"), None);
    }

    #[test]
    fn reports_are_in_words() {
        assert_eq!(
            words(OUT_OF_BOUNDS, "x", 10, 10, 9),
            "`x[10]` is out of bounds: `x` has 10 elements; for i = 9"
        );
        assert_eq!(words(OUT_OF_BOUNDS, "p", -1, i64::MAX, 0), "`p[-1]` is out of bounds; for i = 0");
        assert_eq!(words(OUT_OF_BOUNDS, "x", 2, 1, -1), "`x[2]` is out of bounds: `x` has 1 element");
        assert_eq!(words(NOT_A_NUMBER, "z", 3, 0, 3), "`z[3]` is NaN");
        assert_eq!(words(NOT_A_NUMBER, "map_expr", -1, 0, 3), "`map_expr` is NaN, for i = 3");
    }
}

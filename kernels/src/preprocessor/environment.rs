//! What is known before a text is read: macros of compilers and options.

use crate::CONSTANTS_TEXT;

/// The architecture that kernels on the host device are compiled for, as
/// `__CUDA_ARCH__` says it: that of compute capability 8.0.
pub const HOST_ARCHITECTURE: &str = include_str!("architecture.h");

/// Finds the text of a header by its name, and whether it was named in quotes.
pub type Headers<'a> = &'a dyn Fn(&str, bool) -> Option<String>;

/// What is known before a text is read.
#[derive(Clone)]
pub struct Environment<'a> {
    pub(super) prologue: String,
    pub(super) headers: Headers<'a>,
    /// Whether a compiler may define names that are not known here.
    pub(super) is_open: bool,
}

impl Default for Environment<'_> {
    fn default() -> Self {
        Environment { prologue: CONSTANTS_TEXT.to_owned(), headers: &|_, _| None, is_open: false }
    }
}

impl<'a> Environment<'a> {
    /// What the host device defines.
    pub fn host() -> Environment<'a> {
        let mut environment = Environment::default();
        environment.prologue.push_str(HOST_ARCHITECTURE);
        // What g++ and clang define on the systems that are supported, and
        // programs ask for.
        for known in
            ["GPUREPL_HOST", "__cplusplus=201703L", "__GNUC__=12", "__linux__", "__unix__", "__LP64__"]
        {
            environment.define(known);
        }
        #[cfg(target_arch = "x86_64")]
        environment.define("__x86_64__");
        #[cfg(target_arch = "aarch64")]
        environment.define("__aarch64__");
        environment
    }

    /// What NVRTC defines for an architecture: 90 for Hopper.
    pub fn cuda(architecture: u32) -> Environment<'a> {
        let mut environment = Environment::default();
        let architecture = format!("__CUDA_ARCH__={architecture}0");
        for known in
            [&architecture, "__CUDACC__", "__CUDACC_RTC__", "__cplusplus=201703L", "__EDG__", "__LP64__"]
        {
            environment.define(known);
        }
        for other in
            ["__NVCC__", "__GNUC__", "__clang__", "_MSC_VER", "_WIN32", "__linux__", "__APPLE__", "__HIPCC__"]
        {
            environment.undefine(other);
        }
        environment.is_open = true;
        environment
    }

    /// Nothing at all.
    pub(crate) fn bare() -> Environment<'a> {
        Environment { prologue: String::new(), headers: &|_, _| None, is_open: false }
    }

    /// All of it, as directives.
    pub(crate) fn text(&self) -> &str {
        &self.prologue
    }

    /// Defines a macro as a compiler's option does: `N`, `N=16`, `F(x)=x`.
    pub fn define(&mut self, definition: &str) {
        let (name, value) = definition.split_once('=').unwrap_or((definition, "1"));
        self.prologue.push_str(&format!("#define {name} {value}\n"));
    }

    /// Takes the definition of a macro back.
    pub fn undefine(&mut self, name: &str) {
        self.prologue.push_str(&format!("#undef {name}\n"));
    }

    /// Follows the definitions of macros in the options of a compiler.
    ///
    /// ```
    /// use gpurepl_kernels::preprocessor::{Environment, preprocess};
    /// let mut environment = Environment::default();
    /// environment.options(&["-DN=4".to_owned(), "-D".to_owned(), "M".to_owned()]);
    /// assert_eq!(preprocess("N M", &environment).text, "4 1");
    /// ```
    pub fn options(&mut self, options: &[String]) {
        let mut options = options.iter();
        while let Some(option) = options.next() {
            let mut value = |rest: &str| match rest.trim_start_matches('=') {
                "" => options.next().cloned().unwrap_or_default(),
                given => given.to_owned(),
            };
            if let Some(rest) = option.strip_prefix("--define-macro").or_else(|| option.strip_prefix("-D")) {
                self.define(&value(rest));
            } else if let Some(rest) =
                option.strip_prefix("--undefine-macro").or_else(|| option.strip_prefix("-U"))
            {
                self.undefine(&value(rest));
            }
        }
    }

    /// Reads the headers that a text includes: for their macros alone.
    pub fn with_headers(self, headers: Headers<'a>) -> Environment<'a> {
        Environment { headers, ..self }
    }
}

//! How arrays are written: NumPy's printing options.

use std::borrow::Cow;
use std::sync::{PoisonError, RwLock};

/// What every process begins with: NumPy's defaults.
static OPTIONS: RwLock<PrintOptions> = RwLock::new(PrintOptions::new());

/// How arrays are written: as text, and as the tables of notebooks.
///
/// The fields have NumPy's names and values. Every field has a method of its name
/// that changes it, for [`set_printoptions`] and [`GpuArray::array2string`].
///
/// [`GpuArray::array2string`]: crate::array::GpuArray::array2string
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PrintOptions {
    /// Digits after the point: at most so many, or exactly, as `floatmode` says.
    pub precision: usize,
    /// Arrays of more elements are shown by their corners.
    pub threshold: usize,
    /// Elements that are kept at each end of an axis then.
    pub edgeitems: usize,
    /// Characters of a line.
    pub linewidth: usize,
    /// Whether small floats are written without an exponent, `0.00000001` as `0.`.
    pub suppress: bool,
    /// How many of a float's digits are written.
    pub floatmode: FloatMode,
    /// What stands before numbers that are not negative.
    pub sign: Sign,
    /// What stands for NaN.
    pub nanstr: Cow<'static, str>,
    /// What stands for infinity.
    pub infstr: Cow<'static, str>,
    /// What stands between elements; none is `" "`, and `", "` within `array(..)`.
    /// NumPy has it for `array2string` alone.
    pub separator: Option<Cow<'static, str>>,
    /// Whether floats may be written with an exponent: `{:.2}` writes none.
    pub(super) exponents: bool,
}

/// How many digits of a float are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatMode {
    /// Always `precision` digits after the point: `"fixed"`.
    Fixed,
    /// As many as tell the number from its neighbours, whatever `precision` is:
    /// `"unique"`.
    Unique,
    /// As many as tell the number from its neighbours, at most `precision`:
    /// `"maxprec"`, the default.
    MaxPrec,
    /// As [`FloatMode::MaxPrec`], and as many for every element: `"maxprec_equal"`.
    MaxPrecEqual,
}

/// What stands before numbers that are not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Nothing: `"-"`, the default.
    Minus,
    /// A plus: `"+"`.
    Plus,
    /// A space: `" "`.
    Space,
}

impl Default for PrintOptions {
    fn default() -> PrintOptions {
        PrintOptions::new()
    }
}

impl PrintOptions {
    const fn new() -> PrintOptions {
        PrintOptions {
            precision: 8,
            threshold: 1000,
            edgeitems: 3,
            linewidth: 75,
            suppress: false,
            floatmode: FloatMode::MaxPrec,
            sign: Sign::Minus,
            nanstr: Cow::Borrowed("nan"),
            infstr: Cow::Borrowed("inf"),
            separator: None,
            exponents: true,
        }
    }

    /// Digits after the point.
    pub fn precision(self, digits: usize) -> PrintOptions {
        PrintOptions { precision: digits, ..self }
    }

    /// The most elements that are all shown; `usize::MAX` shows all of any array.
    pub fn threshold(self, elements: usize) -> PrintOptions {
        PrintOptions { threshold: elements, ..self }
    }

    /// Elements at each end of an axis of which some are left out.
    pub fn edgeitems(self, elements: usize) -> PrintOptions {
        PrintOptions { edgeitems: elements, ..self }
    }

    /// Characters of a line.
    pub fn linewidth(self, characters: usize) -> PrintOptions {
        PrintOptions { linewidth: characters, ..self }
    }

    /// Whether small floats are written without an exponent.
    pub fn suppress(self, suppress: bool) -> PrintOptions {
        PrintOptions { suppress, ..self }
    }

    /// How many of a float's digits are written.
    pub fn floatmode(self, floatmode: FloatMode) -> PrintOptions {
        PrintOptions { floatmode, ..self }
    }

    /// What stands before numbers that are not negative.
    pub fn sign(self, sign: Sign) -> PrintOptions {
        PrintOptions { sign, ..self }
    }

    /// What stands for NaN.
    pub fn nanstr(self, text: impl Into<String>) -> PrintOptions {
        PrintOptions { nanstr: text.into().into(), ..self }
    }

    /// What stands for infinity.
    pub fn infstr(self, text: impl Into<String>) -> PrintOptions {
        PrintOptions { infstr: text.into().into(), ..self }
    }

    /// What stands between elements.
    pub fn separator(self, text: impl Into<String>) -> PrintOptions {
        PrintOptions { separator: Some(text.into().into()), ..self }
    }

    pub(super) fn without_exponents(self) -> PrintOptions {
        PrintOptions { exponents: false, ..self }
    }
}

/// Changes how arrays are written from here on, in this session: those options
/// that the closure names.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = gpu![f64; 1.0, 2.0, 1e-5] / 3.0;
/// array::set_printoptions(|options| options.precision(3).suppress(true));
/// assert_eq!(a.to_string(), "[0.333 0.667 0.   ]");
/// array::set_printoptions(|_| Default::default());
/// assert_eq!(a.to_string(), "[3.33333333e-01 6.66666667e-01 3.33333333e-06]");
/// ```
pub fn set_printoptions(change: impl FnOnce(PrintOptions) -> PrintOptions) {
    put(change(get_printoptions()));
}

/// How arrays are written now.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::get_printoptions().precision, 8);
/// ```
pub fn get_printoptions() -> PrintOptions {
    OPTIONS.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Changes how arrays are written until the guard is dropped: NumPy's
/// `with printoptions(..)`.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = gpu![f64; 0.5, 2.0] / 3.0;
/// {
///     let _short = array::printoptions(|options| options.precision(2));
///     assert_eq!(a.to_string(), "[0.17 0.67]");
/// }
/// assert_eq!(a.to_string(), "[0.16666667 0.66666667]");
/// ```
pub fn printoptions(change: impl FnOnce(PrintOptions) -> PrintOptions) -> PrintOptionsGuard {
    let before = get_printoptions();
    put(change(before.clone()));
    PrintOptionsGuard { before }
}

/// What [`printoptions`] returns: dropping it restores the options before.
#[must_use = "the options hold until this value is dropped: `let _options = printoptions(..);`"]
#[derive(Debug)]
pub struct PrintOptionsGuard {
    before: PrintOptions,
}

impl Drop for PrintOptionsGuard {
    fn drop(&mut self) {
        put(std::mem::take(&mut self.before));
    }
}

fn put(options: PrintOptions) {
    *OPTIONS.write().unwrap_or_else(PoisonError::into_inner) = options;
}

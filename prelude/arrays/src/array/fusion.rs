//! What an expression becomes: its kernel to read, and a switch that has every
//! operation computed on its own.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::LazyLock;

use super::{Elem, GpuArray, Raw, expression};
use crate::error::{OrRaise as _, Result};

thread_local! {
    /// Guards of this thread that are alive.
    static GUARDS: Cell<usize> = const { Cell::new(0) };
}

/// Whether the environment turns fusion off for the process.
static OFF: LazyLock<bool> =
    LazyLock::new(|| std::env::var_os("GPUREPL_FUSION").is_some_and(|value| value == "off"));

/// Whether every operation is computed when it is written.
pub(super) fn is_off() -> bool {
    GUARDS.try_with(Cell::get).is_ok_and(|guards| guards > 0) || *OFF
}

/// Has every operation of this thread computed when it is written, on its own, until
/// the guard is dropped: to find out which of them fails, or what fusing them saves. Results are
/// the same. `GPUREPL_FUSION=off` in the environment does so for a whole session.
///
/// ```
/// use gpurepl_prelude::*;
/// let x = gpu![1.0, 2.0, 3.0];
/// let _apart = array::without_fusion();
/// let y: GpuArray<f64> = 2.0 * &x + 1.0;   // two kernels, and nothing is left to do
/// assert_eq!(y.source().to_string(), "float64 [3] is in memory: nothing is left to run");
/// ```
pub fn without_fusion() -> FusionGuard {
    GUARDS.with(|guards| guards.set(guards.get() + 1));
    FusionGuard { of_this_thread: PhantomData }
}

/// What [`without_fusion`] returns.
#[must_use = "expressions are fused again when this value is dropped: `let _apart = without_fusion();`"]
#[derive(Debug)]
pub struct FusionGuard {
    /// Another thread counts its own.
    of_this_thread: PhantomData<*const ()>,
}

impl Drop for FusionGuard {
    fn drop(&mut self) {
        let _ = GUARDS.try_with(|guards| guards.set(guards.get() - 1));
    }
}

/// What the device would run, from [`GpuArray::source`]; a text.
#[derive(Clone, PartialEq, Eq)]
pub struct ExpressionSource(String);

impl Deref for ExpressionSource {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ExpressionSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ExpressionSource {
    /// The text as it is, so that a cell shows lines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<T: Elem> GpuArray<T> {
    /// What the device runs when this expression is computed: on CUDA the kernel's
    /// text, which the compiler sees, on the host the steps of its loop. The expression
    /// stays one. Parts that are computed on their own, because others need them or they
    /// are repeated, are computed and appear as arrays.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (a, b) = (gpu![1.0, 2.0], gpu![3.0, 4.0]);
    /// let expression: GpuArray<f64> = 5.0 * &a + 6.0 * &b;
    /// let source = expression.source();
    /// # if device().kind() == DeviceKind::Host {
    /// assert!(source.ends_with("v6: float64 = add(v2, v5)\n"));
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::error::Error), if the device reports one.
    #[track_caller]
    pub fn source(&self) -> ExpressionSource {
        ExpressionSource(source(&self.raw).or_raise())
    }
}

fn source(raw: &Raw) -> Result<String> {
    let ready = || format!("{} {:?} is in memory: nothing is left to run", raw.dtype(), raw.shape());
    Ok(expression::source(&raw.node())?.unwrap_or_else(ready))
}

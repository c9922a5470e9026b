//! How near a kernel comes to the speed of the device's memory.
//!
//! The bound of most kernels over arrays is what memory can move: the sloping part of the roofline of S.
//! Williams, A. Waterman and D. Patterson, "Roofline: an insightful visual performance model", CACM 52
//! (2009). A plain copy of an array shows what can be had of it.

use std::fmt;
use std::time::{Duration, Instant};

use gpurepl_kernels::ElementwiseSpec;

use crate::device::{
    Buffer, Context, DeviceAttribute, DeviceKind, LoopArguments, PerContext, current, synchronize, timed,
};
use crate::error::{Problem, Result};
use crate::scalar::ScalarBytes;

/// How fast work moves memory, beside a copy on the same device: what [`roofline`] and
/// [`ElementwiseKernel::roofline`](super::ElementwiseKernel::roofline) measure. Shown, it is one sentence.
#[derive(Clone, PartialEq)]
pub struct Roofline {
    name: String,
    elements: Option<usize>,
    bytes: u64,
    seconds: f64,
    copy: f64,
    is_in_cache: bool,
}

impl Roofline {
    /// The bytes that are read and written.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The median of the times of several runs, in seconds.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Bytes read and written in a second.
    pub fn bytes_per_second(&self) -> f64 {
        self.bytes as f64 / self.seconds
    }

    /// The same of a copy of a large array on this device.
    pub fn copy_bytes_per_second(&self) -> f64 {
        self.copy
    }

    /// The speed as a share of a copy's: 1 is as fast.
    pub fn share(&self) -> f64 {
        self.bytes_per_second() / self.copy
    }
}

impl fmt::Display for Roofline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() {
            write!(f, "{}: ", self.name)?;
        }
        match self.elements.filter(|elements| *elements > 0) {
            Some(elements) => {
                let each = self.bytes as f64 / elements as f64;
                let each = if each.fract() == 0.0 { format!("{each}") } else { format!("{each:.1}") };
                write!(f, "moves {each} bytes an element, {elements} elements in ")?;
            }
            None => write!(f, "moves {} in ", decimal(self.bytes as f64, "B"))?,
        }
        let share = 100.0 * self.share();
        let (time, speed) = (Duration::from_secs_f64(self.seconds), decimal(self.bytes_per_second(), "B/s"));
        write!(f, "{time:.3?}: {speed}, {share:.0}% of this device's copy ({})", decimal(self.copy, "B/s"))?;
        if self.is_in_cache {
            f.write_str("; it fits into the cache, where memory is faster")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Roofline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A number with a decimal prefix.
fn decimal(value: f64, unit: &str) -> String {
    let (mut value, mut prefix) = (value, 0);
    while value >= 999.5 && prefix < 5 {
        (value, prefix) = (value / 1000.0, prefix + 1);
    }
    let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.digits$} {}{unit}", ["", "k", "M", "G", "T", "P"][prefix])
}

/// Measures work that reads and writes so many bytes, and says how near it comes to a copy of an array. The
/// work is done at least six times.
///
/// ```
/// use gpurepl_prelude::*;
/// let x = ones::<f32>(1 << 20);
/// let found = roofline(x.nbytes(), || Ok(x.sum().item()))?;
/// println!("{found}"); // moves 4.19 MB in 105.000µs: 39.9 GB/s, 122% of this device's copy (32.7 GB/s)
/// assert!(found.seconds() > 0.0 && found.share() > 0.0);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the work fails, there is nothing to move, or memory is short for the copy.
pub fn roofline<R>(bytes: usize, mut work: impl FnMut() -> Result<R>) -> Result<Roofline> {
    if bytes == 0 {
        let message = "no bytes are read or written, so there is no speed".to_owned();
        return Err(Problem::Invalid { operation: "roofline", message }.into());
    }
    let context = current()?;
    let seconds = measured(&mut || work().map(drop))?;
    report("", None, bytes as u64, seconds, context)
}

pub(super) fn report(
    name: &str,
    elements: Option<usize>,
    bytes: u64,
    seconds: f64,
    context: Context,
) -> Result<Roofline> {
    let copy = COPIES.get_or_make(context, (), || context.scope(|| copy_speed(context))?)?;
    let cache = match context.device().kind() {
        DeviceKind::Cuda => context.device().attribute(DeviceAttribute::L2CacheSize).unwrap_or(0),
        DeviceKind::Host => HOST_CACHE,
    };
    let is_in_cache = i64::try_from(bytes).is_ok_and(|bytes| bytes <= cache);
    Ok(Roofline { name: name.to_owned(), elements, bytes, seconds, copy, is_in_cache })
}

/// The median time of several runs in seconds, after one that does not count.
pub(super) fn measured(work: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    work()?;
    synchronize()?;
    let mut times = Vec::new();
    let begin = Instant::now();
    while times.len() < LEAST || (times.len() < MOST && begin.elapsed() < ENOUGH) {
        crate::interrupt::check()?;
        let (result, milliseconds) = timed(&mut *work)?;
        result?;
        times.push(f64::from(milliseconds).max(1e-6) / 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// Runs that are timed: at least so many, more until it is enough, and at most so many.
const LEAST: usize = 5;
const MOST: usize = 50;
const ENOUGH: Duration = Duration::from_millis(100);

/// Bytes that a CPU's caches may hold, which not every system tells.
const HOST_CACHE: i64 = 32 << 20;

/// The speed of a copy in each context.
static COPIES: PerContext<(), f64> = PerContext::new();

/// Bytes that a copy moves in a second, both ways counted: by the driver or by a kernel, whichever is faster.
fn copy_speed(context: Context) -> Result<f64> {
    let bytes: usize = if context.device().kind() == DeviceKind::Host { 64 << 20 } else { 256 << 20 };
    let (from, to) = (Buffer::new(context, bytes)?, Buffer::new(context, bytes)?);
    let moved = 2.0 * bytes as f64;
    let spec = ElementwiseSpec::new("const float4 *x, float4 *y", "y[i] = x[i]", "copy")
        .map_err(|error| Problem::Spec { what: "roofline", error })?;
    let kernel = context.backend().compile_loop(&spec)?;
    let run = |from: &Buffer, to: &Buffer| {
        let values = [ScalarBytes::address(from.address()), ScalarBytes::address(to.address())];
        kernel.run(LoopArguments { values: &values, structures: &[], buffers: &[from, to] }, bytes / 16)
    };
    // Memory that was never written may be one page, many times.
    run(&to, &from)?;
    let by_kernel = measured(&mut || run(&from, &to))?;
    let by_driver = measured(&mut || context.backend().copy((&to, 0), (&from, 0), bytes))?;
    Ok(moved / by_kernel.min(by_driver))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_one_sentence() {
        let mut found = Roofline {
            name: "add".to_owned(),
            elements: Some(1 << 28),
            bytes: 12 << 28,
            seconds: 1.07e-3,
            copy: 3.1e12,
            is_in_cache: false,
        };
        let words = "add: moves 12 bytes an element, 268435456 elements in 1.070ms: 3.01 TB/s, 97% of this device's copy (3.10 TB/s)";
        assert_eq!(found.to_string(), words);
        (found.name, found.elements, found.bytes) = (String::new(), None, 5_000_000);
        found.is_in_cache = true;
        let words = "moves 5.00 MB in 1.070ms: 4.67 GB/s, 0% of this device's copy (3.10 TB/s); it fits into the cache, where memory is faster";
        assert_eq!(found.to_string(), words);
        assert_eq!(decimal(999.6, "B"), "1.00 kB");
        assert_eq!(decimal(51.2e9, "B/s"), "51.2 GB/s");
    }
}

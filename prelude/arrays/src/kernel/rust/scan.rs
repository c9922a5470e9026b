//! Scans, selections and sorts by functions of the user's.

use gpurepl_kernels::rust::{Form, SCAN_TILE, path_in_crate};

use super::argument::{Call, layout};
use super::call::function_of;
use super::closure;
use super::map::{Input, beside, callee_of, elementwise, function_for_devices, is_on_host};
use crate::array::{Elem, GpuArray, Raw};
use crate::error::{OrRaise as _, Result};
use crate::kernel::launch::IntoDim3 as _;
use crate::kernel::submit::launch;

impl<T: Elem> GpuArray<T> {
    /// At each place, all elements up to it made into one by a function of two: an inclusive scan, along
    /// all axes in C order. The function is associative; it need not commute.
    ///
    /// ```text
    /// let running = x.scan(|a, b| a + b);
    /// let highest = x.scan(|a, b| a.max(b));
    /// ```
    ///
    /// The grouping is the same each time on a device.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::map`].
    #[track_caller]
    pub fn scan<F: Fn(T, T) -> T>(&self, function: F) -> GpuArray<T> {
        let name = function_for_devices(&function);
        let of: Of = (std::any::type_name::<T>(), layout::<T>());
        let count = self.size();
        let closure = closure::take().filter(|_| name.contains("{{closure}}"));
        let pass = |form: Form, before: Option<&Raw>, to: &mut Raw, grid: usize| {
            fill(name, closure.as_ref(), (&self.raw, of), before, to, (form, grid))
        };
        let scanned = beside(&self.raw, || {
            let mut output: GpuArray<T> = crate::array::empty(self.shape().to_vec());
            if count == 0 {
                return Ok(output);
            }
            let grid = shares(count, is_on_host(&output.raw)?);
            // What the blocks before each one come to. One block needs nothing, but an argument.
            let mut parts: GpuArray<T> = crate::array::empty(grid);
            if grid > 1 {
                pass(Form::Fold, None, &mut parts.raw, grid)?;
                let mut values = parts.to_vec();
                for k in 1..values.len() {
                    values[k] = function(values[k - 1], values[k]);
                }
                parts = crate::array::to_gpu(&values);
            }
            pass(Form::Scan, Some(&parts.raw), &mut output.raw, grid)?;
            Ok(output)
        });
        scanned.or_raise()
    }

    /// The elements for which a function holds, in order: one axis, as
    /// [`GpuArray::compress`] returns them for a mask.
    ///
    /// ```text
    /// let positive = x.filter(|v| v > 0.0);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::map`].
    #[must_use = "`filter` returns the elements"]
    #[track_caller]
    pub fn filter<F: Fn(T) -> bool>(&self, function: F) -> GpuArray<T> {
        let name = function_for_devices(&function);
        let input: [Input<'_>; 1] = [(&self.raw, std::any::type_name::<T>(), layout::<T>())];
        let mask = elementwise::<bool>(name, &input, false).or_raise();
        self.ravel().compress(mask.ravel())
    }

    /// A copy of one axis whose elements are sorted by what a function makes of them. Those with equal
    /// keys keep their order. Keys that are not a number come last.
    ///
    /// ```text
    /// let nearest = x.sort_by_key(|v| (v - k).abs());
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::map`].
    #[must_use = "`sort_by_key` returns a sorted copy"]
    #[track_caller]
    pub fn sort_by_key<K: Elem, F: Fn(T) -> K>(&self, key: F) -> GpuArray<T> {
        let name = function_for_devices(&key);
        let input: [Input<'_>; 1] = [(&self.raw, std::any::type_name::<T>(), layout::<T>())];
        let keys = elementwise::<K>(name, &input, false).or_raise();
        self.ravel().take(keys.ravel().argsort())
    }
}

/// A type's name and layout.
type Of = (&'static str, (usize, usize));

/// The blocks that share a scan, each of which has something to do.
fn shares(count: usize, is_on_host: bool) -> usize {
    // Enough to keep a GPU busy, and few enough to be scanned on the host.
    let (tile, wanted) = if is_on_host { (1, count.div_ceil(1 << 16).min(256)) } else { (SCAN_TILE, 1056) };
    let tiles = count.div_ceil(tile);
    tiles.div_ceil(tiles.div_ceil(wanted))
}

/// One pass of a scan.
fn fill(
    function: &'static str,
    closure: Option<&closure::Closure>,
    (input, (of, layout)): (&Raw, Of),
    before: Option<&Raw>,
    output: &mut Raw,
    (form, grid): (Form, usize),
) -> Result<()> {
    let mut call = Call::default();
    for capture in closure.iter().flat_map(|closure| &closure.captures) {
        call.capture(capture);
    }
    call.array(input, of, layout, true);
    if let Some(before) = before {
        call.array(before, of, layout, true);
    }
    call.array(output, of, layout, false);
    let element = path_in_crate(of).unwrap_or_default();
    let signature = format!("Fn({element}, {element}) -> {element}");
    let callee = callee_of(function, closure, &signature, &call)?;
    let compiled = function_of(&callee, &mut call, form)?;
    let block = if is_on_host(output)? { 1 } else { gpurepl_kernels::rust::REDUCE_BLOCK };
    launch(&compiled.inner, grid.into_dim3(), block.into_dim3(), 0, call.list, false)
}

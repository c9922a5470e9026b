//! `core` for GPUs: the toolchain's own, with two functions changed so that a
//! panic hands its place to the device and not to formatting.

/// Where the file that is changed lies, below the sources of `core`.
pub const PANICKING: &str = "src/panicking.rs";

/// Why a toolchain's `core` cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreError(&'static str);

impl std::fmt::Display for CoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`core` of this toolchain is not one that is known: {}", self.0)
    }
}

impl std::error::Error for CoreError {}

const ANY_PANIC: &str = "pub const fn panic_fmt(fmt: fmt::Arguments<'_>) -> ! {\n    if cfg!(panic = \"immediate-abort\") {\n        super::intrinsics::abort()\n    }\n";
const ANY_PANIC_HERE: &str = "pub const fn panic_fmt(fmt: fmt::Arguments<'_>) -> ! {
    unsafe extern \"C\" { #[cold] fn __gr_panic(text: *const u8, bytes: usize, at: &Location<'static>) -> !; }
    let (text, bytes) = match fmt.as_str() { Some(text) => (text.as_ptr(), text.len()), None => (core::ptr::null(), 0) };
    unsafe { __gr_panic(text, bytes, Location::caller()) }
}
#[allow(dead_code)]
#[track_caller]
fn panic_fmt_by_formatting(fmt: fmt::Arguments<'_>) -> ! {
";
const BOUNDS: &str = "fn panic_bounds_check(index: usize, len: usize) -> ! {\n    if cfg!(panic = \"immediate-abort\") {\n        super::intrinsics::abort()\n    }\n";
const BOUNDS_HERE: &str = "fn panic_bounds_check(index: usize, len: usize) -> ! {
    unsafe extern \"C\" { #[cold] fn __gr_bounds(index: usize, length: usize, at: &Location<'static>) -> !; }
    unsafe { __gr_bounds(index, len, Location::caller()) }
}
#[allow(dead_code)]
#[track_caller]
fn panic_bounds_check_by_formatting(index: usize, len: usize) -> ! {
";

/// The text of [`PANICKING`] for GPUs.
///
/// # Errors
///
/// If the text has not the places that are changed, each once: this toolchain
/// has another `core`.
pub fn patched(text: &str) -> Result<String, CoreError> {
    // All ways to panic are short now, so that they can be part of the kernel, which
    // is compiled against the metadata of `core` alone.
    let text = text
        .replace("#[cfg_attr(panic = \"immediate-abort\", inline)]", "#[inline(always)]")
        .replace("#[cfg_attr(not(panic = \"immediate-abort\"), inline(never), cold)]", "")
        .replace("#[cfg_attr(not(panic = \"immediate-abort\"), inline(never), cold, optimize(size))]", "");
    let one = |text: String, from: &str, to: &str, what| match text.matches(from).count() {
        1 => Ok(text.replacen(from, to, 1)),
        _ => Err(CoreError(what)),
    };
    let text = one(text, ANY_PANIC, ANY_PANIC_HERE, "`panic_fmt` has another form")?;
    one(text, BOUNDS, BOUNDS_HERE, "`panic_bounds_check` has another form")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_is_changed_once_or_the_toolchain_is_refused() {
        let text = format!("#[track_caller]\n{ANY_PANIC}rest()\n}}\n#[track_caller]\n{BOUNDS}rest()\n}}\n");
        let changed = patched(&text).unwrap();
        assert!(changed.contains("__gr_panic(text, bytes") && changed.contains("__gr_bounds(index, len"));
        assert!(
            patched("fn panic_fmt() {}").unwrap_err().to_string().contains("`panic_fmt` has another form")
        );
        assert!(patched(&format!("{text}{BOUNDS}")).is_err());
    }
}

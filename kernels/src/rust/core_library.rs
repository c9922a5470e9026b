//! `core` for GPUs: the toolchain's own, with a few functions changed so that a
//! panic hands its place to the device and not to formatting, and a float is written by the host.

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
// SAFETY, of the texts: each kernel has these functions (`library/own_gpu.rs`), and the text is there.
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

/// The names that generated code gives what floats are written by.
const FLOATS: [(&str, &str, &str); 3] = [
    (
        "fn float_to_decimal_display<T>(fmt: &mut Formatter<'_>, num: &T) -> Result\nwhere\n    T: flt2dec::DecodableFloat,\n{\n",
        "0",
        "`float_to_decimal_display` has another form",
    ),
    (
        "fn float_to_general_debug<T>(fmt: &mut Formatter<'_>, num: &T) -> Result\nwhere\n    T: flt2dec::DecodableFloat + GeneralFormat,\n{\n",
        "1",
        "`float_to_general_debug` has another form",
    ),
    (
        "fn float_to_exponential_common<T>(fmt: &mut Formatter<'_>, num: &T, upper: bool) -> Result\nwhere\n    T: flt2dec::DecodableFloat,\n{\n",
        "2 + upper as u64",
        "`float_to_exponential_common` has another form",
    ),
];

/// Hands a float on to the host: `printed.rs` reads it.
const HAND_ON: &str = "
fn gpurepl_hand_on<T: Copy>(fmt: &mut Formatter<'_>, number: &T, kind: u64) -> Result {
    let options = fmt.options;
    let bytes = crate::mem::size_of::<T>();
    let mut bits = 0u64;
    // SAFETY: a float has at most eight bytes, the first ones on a GPU.
    unsafe { crate::ptr::copy_nonoverlapping((number as *const T).cast::<u8>(), (&raw mut bits).cast::<u8>(), bytes) };
    let alignment = match options.get_align() {
        None => 0,
        Some(crate::fmt::Alignment::Left) => 1,
        Some(crate::fmt::Alignment::Center) => 2,
        Some(crate::fmt::Alignment::Right) => 3,
    };
    let signs = u64::from(fmt.sign_plus()) | u64::from(fmt.sign_aware_zero_pad()) << 1;
    let more = |value: Option<u16>| value.map_or(0, |value| u64::from(value) + 1);
    let fields = [
        (kind, 1),
        (bytes as u64, 1),
        (options.get_fill() as u64, 6),
        (alignment, 1),
        (signs, 1),
        (more(options.get_width()), 5),
        (more(options.get_precision()), 5),
        (bits, 16),
    ];
    let mut text = [0x10u8; 37];
    let mut at = 1;
    for (field, digits) in fields {
        let mut left = digits;
        while left > 0 {
            left -= 1;
            let digit = (field >> (4 * left) & 15) as u8;
            text[at] = if digit < 10 { b'0' + digit } else { b'a' - 10 + digit };
            at += 1;
        }
    }
    // SAFETY: all bytes are ASCII.
    fmt.write_str(unsafe { crate::str::from_utf8_unchecked(&text) })
}
";

/// A table that lies in `core`, which a kernel has no code of, becomes part of the kernel.
const TABLE: &str = "\nstatic DECIMAL_PAIRS: &[u8; 200]";
const TABLE_HERE: &str = "\nconst DECIMAL_PAIRS: &[u8; 200]";

/// The files that are changed, below the sources of `core`.
pub const CORE_FILES: [&str; 3] = ["src/panicking.rs", "src/fmt/float.rs", "src/fmt/num.rs"];

/// The text of one of [`CORE_FILES`] for GPUs.
///
/// # Errors
///
/// If the text has not the places that are changed, each once: this toolchain
/// has another `core`.
pub fn patched(file: &str, text: &str) -> Result<String, CoreError> {
    let one = |text: String, from: &str, to: &str, what| match text.matches(from).count() {
        1 => Ok(text.replacen(from, to, 1)),
        _ => Err(CoreError(what)),
    };
    match file {
        "src/fmt/float.rs" => {
            let mut text = text.to_owned();
            for (head, kind, what) in FLOATS {
                let here = format!(
                    "#[allow(unreachable_code, unused)]\n{head}    return gpurepl_hand_on(fmt, num, {kind});\n"
                );
                text = one(text, head, &here, what)?;
            }
            Ok(text + HAND_ON)
        }
        "src/fmt/num.rs" => one(text.to_owned(), TABLE, TABLE_HERE, "`DECIMAL_PAIRS` has another form"),
        _ => {
            // All ways to panic are short now, so that they can be part of the kernel, which
            // is compiled against the metadata of `core` alone.
            let text = text
                .replace("#[cfg_attr(panic = \"immediate-abort\", inline)]", "#[inline(always)]")
                .replace("#[cfg_attr(not(panic = \"immediate-abort\"), inline(never), cold)]", "")
                .replace(
                    "#[cfg_attr(not(panic = \"immediate-abort\"), inline(never), cold, optimize(size))]",
                    "",
                );
            let text = one(text, ANY_PANIC, ANY_PANIC_HERE, "`panic_fmt` has another form")?;
            one(text, BOUNDS, BOUNDS_HERE, "`panic_bounds_check` has another form")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_is_changed_once_or_the_toolchain_is_refused() {
        let text = format!("#[track_caller]\n{ANY_PANIC}rest()\n}}\n#[track_caller]\n{BOUNDS}rest()\n}}\n");
        let changed = patched("src/panicking.rs", &text).unwrap();
        assert!(changed.contains("__gr_panic(text, bytes") && changed.contains("__gr_bounds(index, len"));
        assert!(
            patched("src/panicking.rs", "fn panic_fmt() {}")
                .unwrap_err()
                .to_string()
                .contains("`panic_fmt` has another form")
        );
        assert!(patched("src/panicking.rs", &format!("{text}{BOUNDS}")).is_err());
        assert!(patched("src/fmt/num.rs", "").is_err() && patched("src/fmt/float.rs", "").is_err());
    }
}

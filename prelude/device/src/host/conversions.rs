//! What g++ and clang++ say about floating numbers that become integers, so
//! that they do so as on a GPU: see `conversions.rs` of `gpurepl-kernels`.

use gpurepl_kernels::host::{Conversion, saturated};

/// The flag that makes a compiler list them.
pub(super) const FLAG: &str = "-Wfloat-conversion";

/// A text with the conversions that a log lists made as a GPU makes them;
/// none, if there are none. `names` are those of the user's texts.
pub(super) fn with_gpu_conversions(text: &str, names: &[&str], log: &str) -> Option<String> {
    let found = read(names, log);
    if found.is_empty() { None } else { saturated(text, &found) }
}

/// What a log says without its warnings and the notes on them: those are about
/// numbers that the user converts on purpose.
pub(super) fn without_warnings(log: &str) -> String {
    let mut is_on_warning = false;
    let kept = log.lines().filter(|line| {
        is_on_warning = line.contains(": warning: ") || (is_on_warning && line.contains(": note: "));
        !is_on_warning
    });
    kept.flat_map(|line| [line, "\n"]).collect()
}

fn read(names: &[&str], log: &str) -> Vec<Conversion> {
    let mut found: Vec<Conversion> = Vec::new();
    for line in log.lines() {
        let Some((place, rest)) = place(names, line) else { continue };
        if let Some(text) = rest.strip_prefix("warning: ") {
            let Some(to) = target(text) else { continue };
            let (text, line, column) = place;
            found.push(Conversion { text, line, column, to, used: Vec::new() });
        } else if rest.starts_with("note: in expansion of macro")
            && let Some(last) = found.last_mut()
        {
            last.used.push(place);
        }
    }
    found
}

/// `name:line:column: rest`, of one of the user's texts.
fn place<'a>(names: &[&str], line: &'a str) -> Option<((String, usize, usize), &'a str)> {
    let name = names.iter().find(|name| line.starts_with(&format!("{name}:")))?;
    let mut parts = line[name.len() + 1..].splitn(3, ':');
    let (row, column, rest) = (parts.next()?, parts.next()?, parts.next()?);
    Some((((*name).to_owned(), row.parse().ok()?, column.parse().ok()?), rest.trim_start()))
}

/// The type of the integer in a warning of g++ or of clang++:
///
/// ```text
/// conversion from 'float' to 'uchar' {aka 'unsigned char'} may change value [-Wfloat-conversion]
/// implicit conversion turns floating-point number into integer: 'const float' to 'uchar' (aka 'unsigned char') [..]
/// ```
fn target(message: &str) -> Option<String> {
    let of_gcc = || message.strip_suffix("may change value [-Wfloat-conversion]");
    let of_clang = || message.strip_prefix("implicit conversion turns floating-point number into integer: ");
    let rest = of_gcc().or_else(of_clang)?;
    let mut quoted = rest.split('\'').skip(1).step_by(2);
    let from = quoted.next()?;
    // A name that stands for a type comes with what it stands for.
    let aka = |name: &str| ["{aka", "(aka"].iter().any(|aka| rest.contains(&format!("'{name}' {aka}")));
    if aka(from) {
        quoted.next()?;
    }
    let to = quoted.next()?;
    let to = if aka(to) { quoted.next()? } else { to };
    // clang says that a variable is constant; its value is converted all the same.
    let to = to.trim_start_matches("const ").trim_start_matches("volatile ");
    let is_type = !to.is_empty() && to.chars().all(|c| c.is_ascii_alphanumeric() || " _:<>".contains(c));
    is_type.then(|| to.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_of_gcc_is_read() {
        let log = "kernel.cu: In function 'void k()':\n\
            kernel.cu:2:23: warning: conversion from 'float' to 'uchar' {aka 'unsigned char'} may change value [-Wfloat-conversion]\n\
            kernel.cu:11:13: note: in expansion of macro 'SCALE'\n\
            kernel.cu:26:11: warning: conversion from 'float' to 'int' changes value from '3.7e+0f' to '3' [-Wfloat-conversion]\n\
            mine.h:9:11: warning: conversion from 'real' {aka 'double'} to 'int' may change value [-Wfloat-conversion]\n\
            kernel.cu:9:1: warning: conversion from 'real' {aka 'double'} to 'long int' may change value [-Wfloat-conversion]\n";
        let found = read(&["kernel.cu"], log);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!((found[0].line, found[0].column, found[0].to.as_str()), (2, 23, "unsigned char"));
        assert_eq!(found[0].used, [("kernel.cu".to_owned(), 11, 13)]);
        assert_eq!(found[1].to, "long int");
        assert_eq!(without_warnings(log), "kernel.cu: In function 'void k()':\n");
    }

    #[test]
    fn a_log_of_clang_is_read() {
        let warning = "warning: implicit conversion turns floating-point number into integer:";
        let log = format!(
            "kernel.cu:2:23: {warning} 'real' (aka 'double') to 'byte' (aka 'unsigned char') [-Wfloat-conversion]\n\
             kernel.cu:1:22: note: expanded from macro 'SCALE'\n\
             kernel.cu:7:15: {warning} 'const float' to 'const long long' [-Wfloat-conversion]\n\
             kernel.cu:8:1: error: no\nkernel.cu:9:1: note: here\n2 warnings and 1 error generated.\n"
        );
        let found = read(&["kernel.cu"], &log);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!((found[0].line, found[0].column, found[0].to.as_str()), (2, 23, "unsigned char"));
        assert_eq!((found[1].line, found[1].to.as_str()), (7, "long long"));
        assert_eq!(without_warnings(&log).lines().count(), 3);
    }
}

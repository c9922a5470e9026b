//! Reports of guarded kernels as faults: the same on every device.

use gpurepl_kernels::guards::{NOT_A_NUMBER, line, words};

use crate::error::{FaultKind, KernelFault};

/// The fault that a guard has reported: its kind, the name of the array or the expression, and the
/// index, the length and the element of the kernel.
pub(crate) fn of_guard(
    kernel: &str,
    kind: u32,
    name: &str,
    [index, size, element]: [i64; 3],
    texts: &[(&str, &str)],
) -> KernelFault {
    let message = words(kind, name, index, size, element);
    let is_nan = kind == NOT_A_NUMBER;
    let kind = if is_nan { FaultKind::NotANumber } else { FaultKind::OutOfBounds };
    // Where it is computed is where it is named.
    let place = line(texts, name)
        .or_else(|| texts.iter().position(|(text, _)| is_nan && *text == name).map(|number| (number, 1)));
    guarded_fault(kernel, kind, message, texts, place)
}

/// A fault at a line of one of the user's texts.
pub(crate) fn guarded_fault(
    kernel: &str,
    kind: FaultKind,
    message: String,
    texts: &[(&str, &str)],
    place: Option<(usize, usize)>,
) -> KernelFault {
    let mut fault = KernelFault::new(kernel, kind, message, kind.help().to_owned());
    if let Some((number, line)) = place
        && let Some((name, text)) = texts.get(number)
    {
        fault.line = Some(line);
        fault.source_name = (*name).to_owned();
        fault.source_line = text.lines().nth(line - 1).map(str::to_owned);
    }
    fault
}

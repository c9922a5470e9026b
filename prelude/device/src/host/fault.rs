//! What went wrong in a kernel, reported to its author.

use std::ops::Range;

use gpurepl_kernels::declaration::Parameter;
use gpurepl_kernels::host::SOURCE_NAME;
use gpurepl_kernels::rust::ITEMS_FILE;

use super::lines::Code;
use super::module::HostModule;
use super::pool;
use super::races::User;
use super::simulator::{Failure, FailureKind, SLOT, Shape, Stop, Stopped, Uses};
use crate::error::{Bytes, Error, Problem};
use crate::error::{FaultKind, KernelFault};
use crate::guarded::of_guard;
use crate::rust::RustLines;
use crate::scalar::ScalarBytes;

/// What a stop says, in words and on the user's line.
pub(super) enum Report {
    Fault(Box<KernelFault>),
    Interrupted,
}

impl From<Report> for Error {
    fn from(report: Report) -> Error {
        match report {
            Report::Fault(fault) => Problem::Fault(fault).into(),
            Report::Interrupted => Problem::Interrupted.into(),
        }
    }
}

/// The arrays of a launch by their parameters' names, and the addresses that are passed.
#[derive(Default)]
pub(super) struct Arrays(Vec<(String, u64)>);

impl Arrays {
    /// Of the parameters and the values that are passed for them.
    pub(super) fn new(parameters: &[Parameter], values: &[ScalarBytes]) -> Arrays {
        let of = |(parameter, value): (&Parameter, &ScalarBytes)| {
            let address = value.bytes().try_into().ok().map(u64::from_ne_bytes)?;
            let is_named = parameter.is_pointer() && !parameter.name.is_empty();
            is_named.then(|| (parameter.name.clone(), address))
        };
        Arrays(parameters.iter().zip(values).filter_map(of).collect())
    }

    /// What a report calls an array: by the only parameter that lies in it.
    fn words(&self, range: &Range<u64>) -> String {
        let mut named = self.0.iter().filter(|(_, address)| range.contains(address));
        let bytes = range.end - range.start;
        match (named.next(), named.next()) {
            (Some((name, _)), None) => format!("`{name}`, an array of {bytes} bytes"),
            _ => format!("an array of {bytes} bytes"),
        }
    }
}

/// Whether the checked build can say more about a stop.
pub(super) fn is_worth_a_replay(stopped: &Stopped) -> bool {
    matches!(stopped.stop, Stop::Signal { .. } | Stop::StackOverflow { .. } | Stop::SharedMemory { .. })
}

/// The report of a stop in a module's kernel.
pub(super) fn report(
    kernel: &str,
    stopped: &Stopped,
    module: &HostModule,
    shape: Shape,
    arrays: &Arrays,
) -> Report {
    let source = &module.text().source;
    let code = &module.loaded().code;
    let texts = [(SOURCE_NAME, source.as_str())];
    let mut report = of(kernel, stopped, code, &texts, module.flavour().is_checked(), arrays);
    let words = |line: usize| Some(format!("line {line}"));
    if let Some(fault) = add_race(&mut report, stopped, code, &texts, (shape, arrays), &words) {
        fault.help = "blocks do not wait for each other: let each write a place of its own, use an atomic \
                      function, or launch another kernel"
            .to_owned();
    }
    report
}

/// The report of a stop in a kernel in Rust.
pub(super) fn of_rust(
    kernel: &str,
    stopped: &Stopped,
    code: &Code,
    items: &str,
    lines: &RustLines,
    shape: Shape,
) -> Report {
    let texts = [(ITEMS_FILE, items)];
    let mut report = of(kernel, stopped, code, &texts, true, &Arrays::default());
    if let Report::Fault(fault) = &mut report {
        fault.help = fault.kind.help_in_rust().to_owned();
    }
    if let Some(fault) =
        add_race(&mut report, stopped, code, &texts, (shape, &Arrays::default()), &|line| lines.words(line))
    {
        fault.help =
            "blocks do not wait for each other: let each write a place of its own, use `atomic::add` and \
                      its like, or launch another kernel"
                .to_owned();
    }
    if let Report::Fault(fault) = &mut report {
        let line = fault.line;
        lines.place(fault, line);
    }
    report
}

/// Says who has used the same memory, if that is why a kernel was stopped. Gives the
/// fault back if those are threads of two blocks.
fn add_race<'r>(
    report: &'r mut Report,
    stopped: &Stopped,
    code: &Code,
    texts: &[(&str, &str)],
    (shape, arrays): (Shape, &Arrays),
    words: &dyn Fn(usize) -> Option<String>,
) -> Option<&'r mut KernelFault> {
    let (Report::Fault(fault), Stop::Failure(Failure { kind, .. })) = (report, &stopped.stop) else {
        return None;
    };
    let FailureKind::Race { uses, is_shared, address, other, block, places } = kind else { return None };
    let (name, text) = texts.first()?;
    let line = |place: i32| code.line(code.place(place), &[*name]);
    fault.line = line(places[0]);
    fault.source_line = fault.line.and_then(|line| text.lines().nth(line - 1)).map(str::to_owned);
    let memory = if *is_shared { "the block's shared memory".to_owned() } else { place_of(*address, arrays) };
    fault.message = race(*uses, *other, *block, shape, line(places[1]).and_then(words), &memory);
    (other.block != *block & 0xf_ffff).then_some(fault)
}

/// Who else uses the memory, and where.
fn race(uses: Uses, other: User, block: u32, shape: Shape, line: Option<String>, memory: &str) -> String {
    let unravel = |number: u32, [x, y, _]: [u32; 3]| [number % x, number / x % y, number / x / y];
    let (this, that) = match uses {
        Uses::ReadsWritten => ("reads", "has written"),
        Uses::WritesRead => ("writes", "has read"),
        Uses::WritesWritten => ("writes", "has written another value to"),
    };
    let thread = unravel(other.thread, shape.block);
    let whose = if other.block == block & 0xf_ffff {
        "of the same block".to_owned()
    } else if shape.grid.iter().map(|length| u64::from(*length)).product::<u64>() <= 1 << 20 {
        format!("of block {:?}", unravel(other.block, shape.grid))
    } else {
        "of another block".to_owned()
    };
    let line = line.map_or(String::new(), |line| format!(", {line}"));
    format!(
        "race: this thread {this} what thread {thread:?} {whose} {that}{line}, and neither waits for the other, in {memory}"
    )
}

/// The array that an address lies in.
fn place_of(address: u64, arrays: &Arrays) -> String {
    match pool::neighbours(address).0.filter(|range| range.contains(&address)) {
        Some(range) => {
            format!("{}, {} bytes from its start", arrays.words(&range), address - range.start)
        }
        None => "a variable of the module".to_owned(),
    }
}

/// The report of a stop in a generated loop, which has no threads.
pub(super) fn of_loop(
    name: &str,
    stopped: &Stopped,
    code: &Code,
    texts: &[(&str, &str)],
    arrays: &Arrays,
) -> Report {
    if let Stop::Failure(Failure { kind: FailureKind::Guard { kind, report }, .. }) = &stopped.stop {
        let (what, numbers) = report.split_once('\n').unwrap_or((report, ""));
        let mut numbers = numbers.split(' ').map(|number| number.parse().unwrap_or(0));
        let numbers = [(); 3].map(|()| numbers.next().unwrap_or(0));
        return Report::Fault(Box::new(of_guard(name, *kind, what, numbers, texts)));
    }
    let mut report = of(name, stopped, code, texts, true, arrays);
    if let Report::Fault(fault) = &mut report {
        (fault.block, fault.thread) = (None, None);
    }
    report
}

/// The report of a stop in code that was made from the user's texts.
fn of(
    kernel: &str,
    stopped: &Stopped,
    code: &Code,
    texts: &[(&str, &str)],
    is_checked: bool,
    arrays: &Arrays,
) -> Report {
    let names: Vec<&str> = texts.iter().map(|(name, _)| *name).collect();
    let line_of = |place: usize| code.line(place, &names);
    let (kind, message, line) = match &stopped.stop {
        Stop::Interrupted => return Report::Interrupted,
        Stop::Signal { signal: libc::SIGFPE, place, .. } => (
            FaultKind::Arithmetic,
            "integer division by zero, or of the least integer by -1".to_owned(),
            line_of(*place),
        ),
        Stop::Signal { signal: libc::SIGILL, place, .. } => (
            FaultKind::Trap,
            "an instruction that ends the kernel: a function without `return`?".to_owned(),
            line_of(*place),
        ),
        Stop::Signal { address, place, .. } => {
            let (kind, message) = access("access", *address, 0, arrays);
            (kind, message, line_of(*place))
        }
        Stop::SharedMemory { place } => (
            FaultKind::SharedMemory,
            "access beyond the end of the block's shared memory".to_owned(),
            line_of(*place),
        ),
        Stop::StackOverflow { place } => (
            FaultKind::StackOverflow,
            format!("a thread has used up its stack of {}", Bytes(SLOT as u64)),
            line_of(*place),
        ),
        Stop::TimeLimit { place } => {
            let limit = crate::time_limit::time_limit().unwrap_or_default();
            let message = format!("stopped after {limit:?}, the time limit for kernels");
            (FaultKind::TimeLimit, message, place.and_then(line_of))
        }
        Stop::Deadlock(waiting) => {
            let each = waiting.iter().map(|waiting| {
                let (verb, noun) =
                    if waiting.threads == 1 { ("waits", "thread") } else { ("wait", "threads") };
                let line = if waiting.line > 0 { format!(", line {}", waiting.line) } else { String::new() };
                format!("{} {noun} {verb} at {}{line}", waiting.threads, waiting.at)
            });
            let message =
                format!("the threads wait for each other for ever: {}", each.collect::<Vec<_>>().join("; "));
            let line = waiting.first().map(|waiting| waiting.line).filter(|line| *line > 0);
            (FaultKind::Deadlock, message, line.map(|line| line as usize))
        }
        Stop::Failure(Failure { kind, line }) => {
            let (kind, message, place) = failure(kind, arrays);
            (kind, message, place.and_then(line_of).or(line.filter(|line| *line > 0)))
        }
    };
    let source = line
        .and_then(|line| texts.first().and_then(|(_, text)| text.lines().nth(line - 1)).map(str::to_owned));
    let mut help = kind.help().to_owned();
    if !is_checked && matches!(stopped.stop, Stop::Signal { .. }) && stopped.thread.is_none() {
        help.push_str("; GPUREPL_CHECK=1 finds the thread");
    }
    match &stopped.stop {
        Stop::Failure(Failure { kind: FailureKind::NotTogether, .. }) => {
            help = "launch it by `launch_cooperative(grid, block, ..)`".to_owned();
        }
        Stop::Failure(Failure { kind: FailureKind::GridNotMet, .. }) => {
            help =
                "let all blocks come to every `grid.sync()`, also those that have nothing to do".to_owned();
        }
        _ => {}
    }
    let mut fault = KernelFault::new(kernel, kind, message, help);
    fault.block = (stopped.blocks == 1).then_some(stopped.block);
    fault.thread = stopped.thread;
    fault.line = line;
    fault.source_name = texts.first().map_or(SOURCE_NAME, |(name, _)| name).to_owned();
    fault.source_line = source;
    Report::Fault(Box::new(fault))
}

fn failure(kind: &FailureKind, arrays: &Arrays) -> (FaultKind, String, Option<usize>) {
    match kind {
        FailureKind::Assertion(condition) => {
            (FaultKind::Assertion, format!("assertion `{condition}` failed"), None)
        }
        FailureKind::Panic(message) => (FaultKind::of_panic(message), message.clone(), None),
        FailureKind::StackOverflow => (
            FaultKind::StackOverflow,
            format!("a thread has used up its stack of {}", Bytes(SLOT as u64)),
            None,
        ),
        FailureKind::Trap => (FaultKind::Trap, "__trap() was called".to_owned(), None),
        FailureKind::Checked(what) if what.contains("division") => {
            (FaultKind::Arithmetic, what.clone(), None)
        }
        FailureKind::Checked(what) if what.starts_with("misaligned") => {
            (FaultKind::Misaligned, what.clone(), None)
        }
        FailureKind::Race { .. } => (FaultKind::Race, "race".to_owned(), None),
        FailureKind::Checked(what) => (FaultKind::OutOfBounds, what.clone(), None),
        FailureKind::Guard { report, .. } => (FaultKind::OutOfBounds, report.clone(), None),
        FailureKind::Outside { bytes, writes, is_shared: true, place, .. } => {
            let verb = if *writes { "write" } else { "read" };
            let message = format!("{verb} of {bytes} bytes outside of the block's shared variables");
            (FaultKind::SharedMemory, message, Some(*place))
        }
        FailureKind::Outside { address, bytes, writes, is_shared: false, place } => {
            let verb = if *writes { "write" } else { "read" };
            let (kind, message) = access(verb, Some(*address as usize), *bytes, arrays);
            (kind, message, Some(*place))
        }
        FailureKind::NotInMask { operation, mask } => (
            FaultKind::Synchronization,
            format!("a thread calls {operation} with the mask {mask:#010x}, in which it is not itself"),
            None,
        ),
        FailureKind::NotTogether => (
            FaultKind::Synchronization,
            "a grid waits for all of its blocks, which do not all run at once: `launch_cooperative` starts them so"
                .to_owned(),
            None,
        ),
        FailureKind::GridNotMet => (
            FaultKind::Deadlock,
            "a block waits for its grid, of which another block has ended".to_owned(),
            None,
        ),
        FailureKind::Unexpected(what) => (FaultKind::Synchronization, (*what).to_owned(), None),
        FailureKind::Stopped => (FaultKind::Trap, "another thread's fault ended the launch".to_owned(), None),
    }
}

/// What an access to an address that is nobody's may have meant.
fn access(verb: &str, address: Option<usize>, bytes: usize, arrays: &Arrays) -> (FaultKind, String) {
    let size = if bytes > 0 { format!(" of {bytes} bytes") } else { String::new() };
    let Some(address) = address else {
        return (
            FaultKind::OutOfBounds,
            format!("{verb}{size} through a pointer that is no address, or of a vector that is not aligned"),
        );
    };
    if address < 64 << 10 {
        return (
            FaultKind::NullPointer,
            format!("{verb}{size} through a null pointer, at address {address:#x}"),
        );
    }
    let (before, after) = pool::neighbours(address as u64);
    let address = address as u64;
    let far = 1u64 << 30;
    let distance_after = before.as_ref().map(|range| address.saturating_sub(range.end)).filter(|d| *d < far);
    let distance_before =
        after.as_ref().map(|range| range.start.saturating_sub(address)).filter(|d| *d < far);
    let array = |range: &Range<u64>| arrays.words(range);
    let place = match (&before, &after, distance_after, distance_before) {
        (Some(range), _, Some(_), _) if range.contains(&address) => {
            format!("in {}, {} bytes from its start", array(range), address - range.start)
        }
        (Some(range), _, Some(after), before) if before.is_none_or(|before| after <= before) => {
            format!("{after} bytes after the end of {}", array(range))
        }
        (_, Some(range), _, Some(before)) => format!("{before} bytes before {}", array(range)),
        _ => format!("at {address:#x}, far from every array"),
    };
    (FaultKind::OutOfBounds, format!("{verb}{size} out of bounds, {place}"))
}

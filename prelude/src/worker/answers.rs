//! Answers to what a session asks between cells.

use gpurepl_wire::{Answer, MemoryReport, Question};

use gpurepl_device::{self as device, DeviceAttribute, DeviceKind, activity};

use crate::cell;

/// Answers a question. This is the thread of cells, and no cell runs.
pub(super) fn answer(question: Question) -> Answer {
    match question {
        Question::Describe(names) => Answer::Variables(cell::describe(&names)),
        Question::Memory => or_problem(memory().map(Answer::Memory)),
        Question::Kernels => Answer::Kernels(activity::kernel_reports()),
        Question::Device => or_problem(facts().map(Answer::Device)),
        Question::Environment { name, value } => set_environment(&name, value.as_deref()),
        Question::EnvironmentValue { name } => {
            Answer::Value(std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
        }
        Question::Folder { path } => match std::env::set_current_dir(&path) {
            Ok(()) => Answer::Done,
            Err(error) => Answer::Problem(format!("the worker cannot go to {path}: {error}")),
        },
    }
}

fn or_problem(answer: crate::Result<Answer>) -> Answer {
    answer.unwrap_or_else(|error| Answer::Problem(error.to_string()))
}

fn set_environment(name: &str, value: Option<&str>) -> Answer {
    if name.is_empty() || name.contains(['=', '\0']) || value.is_some_and(|value| value.contains('\0')) {
        return Answer::Problem(format!("`{name}` cannot be the name of an environment variable"));
    }
    // SAFETY: Rust's own readers of the environment take a lock that this
    // call takes too. C code of other threads reads it without one: the
    // driver's when it starts, and that of threads that the user has started;
    // no cell runs now, and as with Python's `os.environ` the user is the one
    // who asks for the change.
    unsafe {
        match value {
            Some(value) => std::env::set_var(name, value),
            None => std::env::remove_var(name),
        }
    }
    Answer::Done
}

fn memory() -> crate::Result<MemoryReport> {
    let context = device::current()?;
    let backend = context.backend();
    let (free, total) = backend.memory()?;
    let figures = backend.pool().figures();
    // All memory of the host device is of one kind.
    let is_cuda = context.device().kind() == DeviceKind::Cuda;
    let page_locked = if is_cuda { backend.copies().page_locked_figures().active_bytes } else { 0 };
    Ok(MemoryReport {
        device: context.device().id().to_owned(),
        total,
        free,
        used: figures.active_bytes,
        used_blocks: figures.active_blocks as u64,
        held: figures.held_bytes,
        limit: figures.limit,
        page_locked,
        process: resident(),
    })
}

/// This process's resident memory in bytes.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}

/// What there is to say of the device in use.
fn facts() -> crate::Result<Vec<(String, String)>> {
    use DeviceAttribute as A;
    let device = device::current()?.device();
    let mut facts = vec![
        ("device".to_owned(), format!("{} ({})", device.name(), device.id())),
        ("memory".to_owned(), gpurepl_ground::error::Bytes(device.total_memory()).to_string()),
    ];
    if let Some((major, minor)) = device.compute_capability() {
        facts.push(("compute capability".to_owned(), format!("{major}.{minor}")));
    }
    if let Ok(Some(id)) = device.pci_bus_id() {
        facts.push(("PCI bus id".to_owned(), id));
    }
    let is_cuda = device.kind() == DeviceKind::Cuda;
    // Of the host's cores and clocks the attributes say nothing worth a line.
    let known = [
        (if is_cuda { "multiprocessors" } else { "cores" }, A::MultiprocessorCount, ""),
        ("clock", A::ClockRate, " kHz"),
        ("memory clock", A::MemoryClockRate, " kHz"),
        ("memory bus", A::GlobalMemoryBusWidth, " bits"),
        ("second-level cache", A::L2CacheSize, " bytes"),
        ("threads of a block", A::MaxThreadsPerBlock, ""),
        ("threads of a multiprocessor", A::MaxThreadsPerMultiprocessor, ""),
        ("threads of a warp", A::WarpSize, ""),
        ("shared memory of a block", A::MaxSharedMemoryPerBlock, " bytes"),
        ("shared memory of a block, asked for", A::MaxSharedMemoryPerBlockOptin, " bytes"),
        ("registers of a block", A::MaxRegistersPerBlock, ""),
    ];
    for (what, attribute, unit) in known {
        if let Ok(value) = device.attribute(attribute)
            && value > 0
        {
            facts.push((what.to_owned(), format!("{value}{unit}")));
        }
    }
    Ok(facts)
}

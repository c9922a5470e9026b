//! Choosing the device: once, at the first use.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use gpurepl_wire::{DeviceReport, Frame};

use super::{Context, Description, Device, DeviceKind, cuda, host};
use crate::error::{Bytes, Error, Problem, Result};
use crate::streams::channel::frame;

/// What the environment asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wish {
    Host,
    /// Any CUDA device that works, or the one of this number.
    Cuda(Option<usize>),
    /// The one with this PCI bus id.
    Pci(String),
    Nothing,
}

static CHOSEN: OnceLock<Result<(Context, String)>> = OnceLock::new();

/// The context of the device in use, if one has been chosen.
pub(crate) fn chosen_before() -> Option<Context> {
    CHOSEN.get().and_then(|chosen| chosen.as_ref().ok()).map(|(context, _)| *context)
}

/// The context of the device in use, chosen now if it has not been.
#[inline]
pub(crate) fn chosen() -> Result<Context> {
    match CHOSEN.get() {
        Some(Ok((context, _))) => Ok(*context),
        _ => choose_now(),
    }
}

#[cold]
fn choose_now() -> Result<Context> {
    let mut is_new = false;
    let chosen = CHOSEN.get_or_init(|| {
        is_new = true;
        choose()
    });
    match chosen {
        Ok((context, rule)) => {
            if is_new {
                let device = context.device();
                let (id, name) = (device.id().to_owned(), device.name().to_owned());
                frame(&Frame::DeviceChosen { id, name, rule: rule.clone() });
            }
            Ok(*context)
        }
        Err(error) => Err(error.clone()),
    }
}

/// A device's primary context, made ready once.
pub fn retained(device: Device) -> Result<Context> {
    let chosen = chosen()?;
    match device.kind() {
        _ if chosen.device() == device => Ok(chosen),
        DeviceKind::Cuda => primary(device.number()),
        DeviceKind::Host => {
            static HOST: OnceLock<Result<Context>> = OnceLock::new();
            HOST.get_or_init(host::open).clone()
        }
    }
}

/// The primary context of a GPU. The driver has one for each, and so have we.
fn primary(number: usize) -> Result<Context> {
    static KNOWN: Mutex<BTreeMap<usize, Context>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(context) = known.get(&number) {
        return Ok(*context);
    }
    let context = cuda::open(number)?;
    known.insert(number, context);
    Ok(context)
}

/// The device and the rule that chose it.
fn choose() -> Result<(Context, String)> {
    let (wish, source) = wish()?;
    match wish {
        Wish::Host => Ok((host::open()?, format!("chosen by {source}"))),
        Wish::Cuda(Some(number)) => Ok((primary(number)?, format!("chosen by {source}"))),
        Wish::Pci(id) => Ok((primary(cuda::by_pci_bus_id(&id)?)?, format!("chosen by {source}"))),
        Wish::Cuda(None) => {
            let (context, choice) = own_cuda()?;
            Ok((context, format!("chosen by {source}{}", choice.remark())))
        }
        // Without its compiler a GPU can hold arrays and compute nothing.
        Wish::Nothing => match own_cuda().and_then(|found| cuda::compiler().map(|()| found)) {
            Ok((context, choice)) => Ok((context, choice.rule())),
            Err(error) => {
                let why = error.to_string();
                let why = why.lines().next().unwrap_or_default();
                Ok((host::open()?, format!("because no CUDA device can be used: {why}")))
            }
        },
    }
}

/// Where this process stands among those of one machine that share its GPUs: workers of one session, or processes
/// that MPI or Slurm has started. Each has the GPU of its number; if there are fewer they share them.
fn local_rank() -> Option<usize> {
    let variables = ["GPUREPL_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"];
    variables.iter().find_map(|name| std::env::var(name).ok()?.trim().parse().ok())
}

/// Why a GPU is this process's.
enum Choice {
    /// It is that of its rank among the processes of this machine.
    OfRank(usize),
    /// It is the first one that works; why the first of those before it does not, if there are any.
    First(Option<String>),
}

impl Choice {
    /// The rule, where nobody has asked for a GPU.
    fn rule(&self) -> String {
        match self {
            Choice::OfRank(rank) => format!("the CUDA device of local rank {rank}"),
            Choice::First(_) => format!("the first CUDA device that works{}", self.remark()),
        }
    }

    /// What is to be said besides that somebody has asked for a GPU.
    fn remark(&self) -> String {
        match self {
            Choice::OfRank(rank) => format!(", the one of local rank {rank}"),
            Choice::First(Some(why)) => format!("; not cuda:0: {why}"),
            Choice::First(None) => String::new(),
        }
    }
}

/// The GPU of this process: that of its rank, else the first one that works.
fn own_cuda() -> Result<(Context, Choice)> {
    match (local_rank(), cuda::count()?) {
        (Some(rank), count @ 2..) => Ok((primary(rank % count)?, Choice::OfRank(rank))),
        _ => first_cuda(),
    }
}

/// The first GPU that works.
fn first_cuda() -> Result<(Context, Choice)> {
    let mut first_error: Option<Error> = None;
    for number in 0..cuda::count()? {
        match primary(number) {
            Ok(context) => {
                let why =
                    first_error.map(|error| error.to_string().lines().next().unwrap_or_default().to_owned());
                return Ok((context, Choice::First(why)));
            }
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or_else(|| {
        Problem::Missing {
            what: "this machine has no CUDA device".to_owned(),
            help: "use the host device: unset GPUREPL_DEVICE, or set it to `host`".to_owned(),
        }
        .into()
    }))
}

/// What the environment asks for, and which variable does.
fn wish() -> Result<(Wish, &'static str)> {
    // An empty variable is as good as none: a shell cannot always unset one.
    let read = |name| std::env::var(name).ok().filter(|text: &String| !text.trim().is_empty());
    if let Some(text) = read("GPUREPL_DEVICE") {
        return Ok((parse(&text).ok_or_else(|| unreadable("GPUREPL_DEVICE", &text))?, "GPUREPL_DEVICE"));
    }
    if let Some(text) = read("CUDA_DEVICE") {
        let number = text.trim().parse().map_err(|_| unreadable("CUDA_DEVICE", &text))?;
        return Ok((Wish::Cuda(Some(number)), "CUDA_DEVICE"));
    }
    Ok((Wish::Nothing, ""))
}

fn parse(text: &str) -> Option<Wish> {
    match text.trim().to_ascii_lowercase().as_str() {
        "host" | "cpu" => Some(Wish::Host),
        "cuda" | "gpu" => Some(Wish::Cuda(None)),
        other if is_pci_bus_id(other) => Some(Wish::Pci(other.to_owned())),
        other => other.strip_prefix("cuda:")?.parse().ok().map(|number| Wish::Cuda(Some(number))),
    }
}

/// `0000:3b:00.0`, or without the domain.
fn is_pci_bus_id(text: &str) -> bool {
    let is_hexadecimal = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let Some((bus, function)) = text.rsplit_once('.') else { return false };
    let parts: Vec<&str> = bus.split(':').collect();
    (2..=3).contains(&parts.len()) && parts.into_iter().all(is_hexadecimal) && is_hexadecimal(function)
}

fn unreadable(variable: &str, text: &str) -> Error {
    let forms = if variable == "CUDA_DEVICE" {
        "a number such as `0`"
    } else {
        "`host`, `cuda`, `cuda:0` or a PCI bus id"
    };
    Problem::Missing {
        what: format!("{variable} does not name a device: `{text}`"),
        help: format!("set it to {forms}, or unset it"),
    }
    .into()
}

/// Every device of this machine, for `gpurepl devices`.
pub fn reports() -> Vec<DeviceReport> {
    let in_use = chosen().ok().map(|context| context.device().id());
    let mut reports = Vec::new();
    let report = |described: Result<Description>, id: String| match described {
        Ok(device) => DeviceReport {
            is_default: in_use == Some(device.id.as_str()),
            detail: format!("{}, {}", device.detail, Bytes(device.total_memory)),
            id: device.id,
            name: device.name,
            problem: None,
        },
        Err(error) => DeviceReport {
            id,
            name: String::new(),
            detail: String::new(),
            is_default: false,
            problem: Some(error.to_string()),
        },
    };
    match cuda::count() {
        Ok(count) => {
            reports.extend((0..count).map(|number| report(cuda::describe(number), format!("cuda:{number}"))));
        }
        Err(error) => reports.push(report(Err(error), "cuda".to_owned())),
    }
    reports.push(report(host::describe(), "host".to_owned()));
    if let Err(error) = chosen() {
        reports.push(report(Err(error), "default".to_owned()));
    }
    reports
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read_as_documented() {
        assert_eq!(parse("host"), Some(Wish::Host));
        assert_eq!(parse(" CUDA "), Some(Wish::Cuda(None)));
        assert_eq!(parse("cuda:1"), Some(Wish::Cuda(Some(1))));
        assert_eq!(parse("cuda:x"), None);
        assert_eq!(parse("opencl"), None);
        assert_eq!(parse("0000:3B:00.0"), Some(Wish::Pci("0000:3b:00.0".to_owned())));
        assert_eq!(parse("3b:00"), None);
        assert!(unreadable("CUDA_DEVICE", "x").to_string().contains("a number such as `0`"));
    }
}

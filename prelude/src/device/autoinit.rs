//! Choosing the device: once, at the first use.

use std::sync::OnceLock;

use gpurepl_wire::DeviceReport;

use super::{Description, Device, cuda, host};
use crate::error::{Bytes, Error, Problem, Result};

/// What the environment asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wish {
    Host,
    /// Any CUDA device that works, or the one of this number.
    Cuda(Option<usize>),
    Nothing,
}

static CHOSEN: OnceLock<Result<(Device, String)>> = OnceLock::new();

/// The device in use, if one has been chosen: to wait for it, say, where none
/// is nothing to wait for.
pub(crate) fn in_use() -> Option<&'static Device> {
    CHOSEN.get().and_then(|chosen| chosen.as_ref().ok()).map(|(device, _)| device)
}

/// The device in use, chosen now if it has not been.
pub(crate) fn current() -> Result<&'static Device> {
    let mut is_new = false;
    let chosen = CHOSEN.get_or_init(|| {
        is_new = true;
        choose()
    });
    match chosen {
        Ok((device, rule)) => {
            if is_new {
                crate::worker::device_chosen(device.id(), device.name(), rule);
            }
            Ok(device)
        }
        Err(error) => Err(error.clone()),
    }
}

/// The device and the rule that chose it.
fn choose() -> Result<(Device, String)> {
    let (wish, source) = wish()?;
    match wish {
        Wish::Host => Ok((host::open()?, format!("chosen by {source}"))),
        Wish::Cuda(Some(number)) => Ok((cuda::open(number)?, format!("chosen by {source}"))),
        Wish::Cuda(None) => Ok((first_cuda()?, format!("chosen by {source}"))),
        // Without its compiler a GPU can hold arrays and compute nothing.
        Wish::Nothing => match first_cuda().and_then(|device| cuda::compiler().map(|()| device)) {
            Ok(device) => Ok((device, "the first CUDA device that works".to_owned())),
            Err(error) => {
                let why = error.to_string();
                let why = why.lines().next().unwrap_or_default();
                Ok((host::open()?, format!("because no CUDA device can be used: {why}")))
            }
        },
    }
}

fn first_cuda() -> Result<Device> {
    let mut first_error = None;
    for number in 0..cuda::count()? {
        match cuda::open(number) {
            Ok(device) => return Ok(device),
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
        other => other.strip_prefix("cuda:")?.parse().ok().map(|number| Wish::Cuda(Some(number))),
    }
}

fn unreadable(variable: &str, text: &str) -> Error {
    let forms = if variable == "CUDA_DEVICE" { "a number such as `0`" } else { "`host`, `cuda` or `cuda:0`" };
    Problem::Missing {
        what: format!("{variable} names no device: `{text}`"),
        help: format!("set it to {forms}, or unset it"),
    }
    .into()
}

/// Every device of this machine, for `gpurepl devices`.
pub(crate) fn reports() -> Vec<DeviceReport> {
    let in_use = current().ok().map(|device| device.id().to_owned());
    let mut reports = Vec::new();
    let report = |described: Result<Description>, id: String| match described {
        Ok(device) => DeviceReport {
            is_default: Some(&device.id) == in_use.as_ref(),
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
    reports.push(report(host::open().map(|device| device.description().clone()), "host".to_owned()));
    if let Err(error) = current() {
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
        assert!(unreadable("CUDA_DEVICE", "x").to_string().contains("a number such as `0`"));
    }
}

//! Devices and what is kept for them: `:device`, `:kernels`, `:cache`, `:tuned`.

use std::time::Duration;

use gpurepl_wire::{Answer, KernelReport, Question, TunedKernel};

use super::table::Table;
use super::time::duration;
use super::{bytes, show};
use crate::output::Sink;
use crate::reports::{cache_text, device_table};
use crate::session::Session;

pub(super) fn device(session: &mut Session, what: &str, sink: &mut dyn Sink) -> Result<(), String> {
    match what {
        "" | "list" => {
            let devices = session.devices(sink)?;
            show(device_table(&devices), sink)
        }
        "info" => {
            let Answer::Device(facts) = session.question(Question::Device, sink)? else {
                return Err(super::NO_ANSWER.to_owned());
            };
            let width = facts.iter().map(|(what, _)| what.chars().count()).max().unwrap_or(0);
            let lines: Vec<String> =
                facts.iter().map(|(what, value)| format!("{what:<width$}  {value}")).collect();
            show(lines.join("\n"), sink)
        }
        other => Err(format!(
            "`:device` lists devices and `:device info` describes the one in use, not `{other}`; one is chosen when \
             the session starts: `gpurepl --device cuda:0`, or GPUREPL_DEVICE"
        )),
    }
}

pub(super) fn kernels(session: &mut Session, _: &str, sink: &mut dyn Sink) -> Result<(), String> {
    let Answer::Kernels(kernels) = session.question(Question::Kernels, sink)? else {
        return Err(super::NO_ANSWER.to_owned());
    };
    if kernels.is_empty() {
        return show("no kernels have been compiled yet".to_owned(), sink);
    }
    show(kernels_text(&kernels), sink)
}

fn kernels_text(kernels: &[KernelReport]) -> String {
    let head =
        ["launches", "block", "occupancy", "registers", "shared", "local", "compiled in", "device", "name"];
    let mut table = Table::new(&head, 7);
    // What nobody knows is not zero.
    let number = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    let size = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), bytes);
    for kernel in kernels {
        let occupancy = kernel.occupancy.map(|share| format!("{:.0} %", share as f64 / 10.0));
        let compile = duration(Duration::from_nanos(kernel.compile));
        table.row(vec![
            kernel.launches.to_string(),
            number(kernel.block),
            occupancy.unwrap_or_else(|| "-".to_owned()),
            number(kernel.registers),
            size(kernel.shared),
            size(kernel.local),
            if kernel.was_cached { "from cache".to_owned() } else { compile },
            kernel.device.clone(),
            kernel.name.clone(),
        ]);
    }
    table.text()
}

pub(super) fn cache(session: &mut Session, what: &str, sink: &mut dyn Sink) -> Result<(), String> {
    let clear = match what {
        "" | "info" => false,
        "clear" => true,
        other => return Err(format!("`:cache info` or `:cache clear`, not `{other}`")),
    };
    let report = session.cache(clear, sink)?;
    show(cache_text(&report, clear), sink)
}

pub(super) fn tuned(session: &mut Session, what: &str, sink: &mut dyn Sink) -> Result<(), String> {
    let clear = match what {
        "" | "list" => false,
        "clear" => true,
        other => return Err(format!("`:tuned list` or `:tuned clear`, not `{other}`")),
    };
    let kernels = session.tuned(clear, sink)?;
    show(tuned_text(&kernels, clear), sink)
}

fn tuned_text(kernels: &[TunedKernel], is_cleared: bool) -> String {
    let count = format!("{} tuned kernel{}", kernels.len(), if kernels.len() == 1 { "" } else { "s" });
    if is_cleared {
        return format!("{count} forgotten");
    }
    if kernels.is_empty() {
        return "no kernel has been tuned; `tune(..)` does: see `?tune`".to_owned();
    }
    let time = |seconds: f64| duration(Duration::from_secs_f64(seconds.clamp(0.0, 1e9)));
    let mut table = Table::new(&["time", "speedup", "tried", "kernel", "device", "values"], 3);
    for kernel in kernels {
        let values: Vec<String> =
            kernel.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        table.row(vec![
            time(kernel.seconds),
            kernel.first.map_or("-".to_owned(), |first| format!("{:.2}x", first / kernel.seconds)),
            kernel.tried.to_string(),
            kernel.kernel.clone(),
            kernel.device.clone(),
            values.join(", "),
        ]);
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_knows_of_a_kernel_is_no_zero() {
        let host = KernelReport {
            name: "twice".to_owned(),
            device: "host".to_owned(),
            shared: Some(0),
            launches: 3,
            block: Some(64),
            compile: 80_000_000,
            ..KernelReport::default()
        };
        let gpu = KernelReport {
            device: "cuda:0".to_owned(),
            registers: Some(32),
            local: Some(0),
            occupancy: Some(500),
            was_cached: true,
            ..host.clone()
        };
        assert_eq!(
            kernels_text(&[host, gpu]),
            "launches  block  occupancy  registers   shared    local  compiled in  device  name\n\
             \x20      3     64          -          -  0 bytes        -      80.0 ms  host    twice\n\
             \x20      3     64       50 %         32  0 bytes  0 bytes   from cache  cuda:0  twice"
        );
    }
}

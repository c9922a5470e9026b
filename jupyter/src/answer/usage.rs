//! Processor and memory in use, the device's too, for the panels that show it.

use std::sync::Mutex;
use std::time::Instant;

use gpurepl_session::MemoryReport;
use jupyter_protocol::JupyterMessageContent;
use procfs::{Current as _, CurrentSI as _};
use serde_json::{Map, Value, json};

use crate::kernel::Kernel;
use crate::message::other;

/// The answer to `usage_request`, which is ipykernel's with what is known of
/// the device added as `device_memory`.
pub async fn reply(kernel: &Kernel) -> JupyterMessageContent {
    let memory = kernel.memory().await;
    other("usage_reply", Value::Object(content(memory.as_ref())))
}

fn content(memory: Option<&MemoryReport>) -> Map<String, Value> {
    let mut content = Map::new();
    let mut set = |key: &str, value: Value| drop(content.insert(key.to_owned(), value));
    let host = nix::unistd::gethostname().unwrap_or_default();
    set("hostname", host.to_string_lossy().into());
    set("pid", std::process::id().into());
    set("cpu_count", std::thread::available_parallelism().map_or(1, |count| count.get()).into());
    if let Some(own) = own() {
        set("kernel_memory", (own.bytes + memory.and_then(|memory| memory.process).unwrap_or(0)).into());
        set("kernel_cpu", own.percent.into());
    }
    if let Some(percent) = host_percent() {
        set("host_cpu_percent", percent.into());
    }
    if let Ok(host) = procfs::Meminfo::current() {
        let available = host.mem_available.unwrap_or(host.mem_free);
        let used = host.mem_total.saturating_sub(available);
        set(
            "host_virtual_memory",
            json!({
                "total": host.mem_total, "available": available, "free": host.mem_free, "used": used,
                "percent": (1000 * used / host.mem_total.max(1)) as f64 / 10.0
            }),
        );
    }
    if let Some(memory) = memory {
        set(
            "device_memory",
            json!({
                "device": memory.device, "total": memory.total, "free": memory.free, "used": memory.used,
                "held": memory.held, "limit": memory.limit, "page_locked": memory.page_locked
            }),
        );
    }
    content
}

struct Own {
    bytes: u64,
    percent: f64,
}

/// The share of an interval that something took, in percent: of the time
/// since it was asked last.
fn share(last: &Mutex<Option<(Instant, u64)>>, ticks: u64) -> f64 {
    let now = Instant::now();
    let before = last.lock().unwrap_or_else(std::sync::PoisonError::into_inner).replace((now, ticks));
    let Some((then, earlier)) = before else { return 0.0 };
    let seconds = ticks.saturating_sub(earlier) as f64 / procfs::ticks_per_second() as f64;
    (1000.0 * seconds / now.duration_since(then).as_secs_f64().max(1e-3)).round() / 10.0
}

/// This process, and those that it has started and that still run.
fn own() -> Option<Own> {
    static LAST: Mutex<Option<(Instant, u64)>> = Mutex::new(None);
    let own = procfs::process::Process::myself().ok()?;
    let stat = own.stat().ok()?;
    let mut ticks = stat.utime + stat.stime;
    for worker in children(own.pid) {
        if let Ok(stat) = worker.stat() {
            ticks += stat.utime + stat.stime;
        }
    }
    Some(Own { bytes: stat.rss * procfs::page_size(), percent: share(&LAST, ticks) })
}

fn children(process: i32) -> Vec<procfs::process::Process> {
    let Ok(own) = procfs::process::Process::new(process) else { return Vec::new() };
    let tasks = own.tasks().into_iter().flatten().flatten();
    let children = tasks.flat_map(|task| task.children().unwrap_or_default());
    children.filter_map(|child| procfs::process::Process::new(i32::try_from(child).ok()?).ok()).collect()
}

fn host_percent() -> Option<f64> {
    static LAST: Mutex<Option<(Instant, u64)>> = Mutex::new(None);
    let total = procfs::KernelStats::current().ok()?.total;
    let busy = total.user + total.nice + total.system + total.irq.unwrap_or(0) + total.softirq.unwrap_or(0);
    let cores = std::thread::available_parallelism().map_or(1, |count| count.get());
    Some(share(&LAST, busy) / cores as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_what_panels_read() {
        let memory =
            MemoryReport { device: "host".to_owned(), used: 7, process: Some(5), ..MemoryReport::default() };
        let content = content(Some(&memory));
        for key in ["hostname", "pid", "kernel_cpu", "kernel_memory", "host_cpu_percent", "cpu_count"] {
            assert!(content.contains_key(key), "{key}");
        }
        assert_eq!(content["device_memory"]["used"], 7);
        assert!(content["host_virtual_memory"]["total"].as_u64() > Some(0));
    }
}

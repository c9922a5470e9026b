//! What a session knows of its machine, in words: devices, the cache of
//! compiled kernels.

use gpurepl_wire::{CacheReport, DeviceReport};

/// What there is to say about the cache of compiled kernels; `is_cleared` if it
/// has just been emptied.
pub fn cache_text(report: &CacheReport, is_cleared: bool) -> String {
    let Some(folder) = &report.folder else {
        return "compiled kernels are not kept: GPUREPL_CACHE_DIR is empty, or its folder cannot be used"
            .to_owned();
    };
    let kernels = format!("{} kernel{}", report.kernels, if report.kernels == 1 { "" } else { "s" });
    let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    if is_cleared {
        return format!("removed {kernels}, {:.1} MiB, from {folder}", mebibytes(report.bytes));
    }
    let (bytes, limit) = (mebibytes(report.bytes), mebibytes(report.limit));
    let mut text = format!("{folder}\n{kernels}, {bytes:.1} MiB of at most {limit:.0} MiB");
    if report.hits + report.misses > 0 {
        text.push_str(&format!("\nthis session: {} found there, {} compiled", report.hits, report.misses));
    }
    text
}

/// The devices of a machine as a table.
pub fn device_table(devices: &[DeviceReport]) -> String {
    let width = devices.iter().map(|device| device.id.len()).max().unwrap_or(0);
    let line = |device: &DeviceReport| {
        let mark = if device.is_default { "*" } else { " " };
        match &device.problem {
            None => format!("{mark} {:<width$}  {} ({})", device.id, device.name, device.detail),
            Some(problem) => format!("{mark} {:<width$}  {}", device.id, problem.replace('\n', "\n    ")),
        }
    };
    devices.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_is_told_in_words() {
        let report = CacheReport {
            folder: Some("/c".to_owned()),
            kernels: 1,
            bytes: 3 << 19,
            limit: 512 << 20,
            hits: 2,
            misses: 3,
        };
        assert_eq!(
            cache_text(&report, false),
            "/c\n1 kernel, 1.5 MiB of at most 512 MiB\nthis session: 2 found there, 3 compiled"
        );
        assert_eq!(cache_text(&report, true), "removed 1 kernel, 1.5 MiB, from /c");
        assert!(cache_text(&CacheReport::default(), true).contains("GPUREPL_CACHE_DIR"));
    }
}

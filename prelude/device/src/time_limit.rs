//! The longest that a kernel may run: `GPUREPL_KERNEL_TIMEOUT`.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::error::{Problem, Result};

/// In nanoseconds; zero for none.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// Whether it was read or set: what the user sets is not read over.
static IS_KNOWN: AtomicBool = AtomicBool::new(false);

/// The limit, if there is one.
pub(crate) fn time_limit() -> Option<Duration> {
    let limit = LIMIT.load(Ordering::Relaxed);
    (limit > 0).then(|| Duration::from_nanos(limit))
}

pub(crate) fn set_time_limit(limit: Option<Duration>) {
    let nanoseconds = limit.map_or(0, |limit| u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX).max(1));
    LIMIT.store(nanoseconds, Ordering::Relaxed);
    IS_KNOWN.store(true, Ordering::Relaxed);
}

/// Reads `GPUREPL_KERNEL_TIMEOUT`, in seconds, if no limit was set before.
///
/// # Errors
///
/// If it is not a positive number.
pub(crate) fn read_time_limit() -> Result<()> {
    let Ok(text) = std::env::var("GPUREPL_KERNEL_TIMEOUT") else { return Ok(()) };
    if IS_KNOWN.load(Ordering::Relaxed) {
        return Ok(());
    }
    match text.trim().parse::<f64>() {
        _ if text.trim().is_empty() => {}
        Ok(seconds) if seconds > 0.0 && seconds < 1e9 => {
            set_time_limit(Some(Duration::from_secs_f64(seconds)))
        }
        _ => {
            return Err(Problem::Missing {
                what: format!("GPUREPL_KERNEL_TIMEOUT is `{text}`, which is no number of seconds"),
                help: "set it to seconds, such as 10 or 0.5, or unset it".to_owned(),
            }
            .into());
        }
    }
    Ok(())
}

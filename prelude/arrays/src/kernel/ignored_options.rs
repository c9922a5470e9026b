//! Notes about compiler options that the device ignores.
//!
//! A cell's options do for both devices, so each device leaves out what is
//! meant for the other. Where a result may depend on such an option, the user
//! is reported once for each source and option.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, PoisonError};

use gpurepl_kernels::options::{self, IgnoredOption};

use crate::device::{Context, DeviceKind};

/// Prints a note for each option that the context's device ignores, unless it
/// has been printed for this source before.
pub(super) fn note(context: Context, source: &str, given: &[String]) {
    if given.is_empty() {
        return;
    }
    let ignored = match context.backend().description().kind {
        DeviceKind::Host => options::ignored_by_host(given, source),
        DeviceKind::Cuda => options::ignored_by_nvrtc(given, source),
    };
    for IgnoredOption { option, reason } in new(source, ignored) {
        crate::streams::print::eprintln(format_args!(
            "note: compiler option `{option}` is ignored: {reason}"
        ));
    }
}

/// Those that have not been noted for this source.
fn new(source: &str, ignored: Vec<IgnoredOption>) -> Vec<IgnoredOption> {
    static NOTED: Mutex<Option<HashSet<(u64, String)>>> = Mutex::new(None);
    if ignored.is_empty() {
        return ignored;
    }
    let mut hasher = DefaultHasher::new();
    source.hash(&mut hasher);
    let source = hasher.finish();
    let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
    let noted = noted.get_or_insert_default();
    ignored.into_iter().filter(|ignored| noted.insert((source, ignored.option.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_noted_once_for_each_source() {
        let given = ["--use_fast_math".to_owned(), "-ftz=true".to_owned()];
        let ignored = |source: &str| new(source, options::ignored_by_host(&given, source)).len();
        assert_eq!(ignored("__global__ void noted() {}"), 2);
        assert_eq!(ignored("__global__ void noted() {}"), 0);
        assert_eq!(ignored("__global__ void noted_too() {}"), 2);
    }
}

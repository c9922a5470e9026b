//! Devices and what is kept for them: `:device`, `:cache`.

use super::show;
use crate::output::Sink;
use crate::session::Session;

pub(super) fn device(session: &mut Session, _: &str, sink: &mut dyn Sink) -> Result<(), String> {
    let devices = session.devices(sink)?;
    show(crate::session::device_table(&devices), sink)
}

pub(super) fn cache(session: &mut Session, what: &str, sink: &mut dyn Sink) -> Result<(), String> {
    let clear = match what {
        "" | "info" => false,
        "clear" => true,
        other => return Err(format!("`:cache info` or `:cache clear`, not `{other}`")),
    };
    let report = session.cache(clear, sink)?;
    show(crate::session::cache_text(&report, clear), sink)
}

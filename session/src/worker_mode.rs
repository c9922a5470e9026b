//! What makes the program a worker, or a builder of `core` for GPUs, instead
//! of a front end: variables of its environment. Its arguments are the user's.

/// Its end of the channel, as a number, or the path of a socket to connect to;
/// the standard library; the prelude; whether the session answers when a cell
/// reads.
pub(crate) const WORKER: [&str; 4] =
    ["GPUREPL_WORKER", "GPUREPL_WORKER_STD", "GPUREPL_WORKER_PRELUDE", "GPUREPL_WORKER_ASKS"];

/// In place of a channel: the process builds `core` for GPUs beside the
/// prelude, and ends.
pub(crate) const BUILDS_CORE: &str = "core for GPUs";

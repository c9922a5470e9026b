//! What makes the program a worker, a builder of `core` for GPUs, or a place where variants of a kernel are
//! tried, instead of a front end: variables of its environment. Its arguments are the user's.

/// Its end of the channel, as a number, or the path of a socket to connect to;
/// the standard library; the prelude; whether the session answers when a cell
/// reads.
pub const WORKER: [&str; 4] =
    ["GPUREPL_WORKER", "GPUREPL_WORKER_STD", "GPUREPL_WORKER_PRELUDE", "GPUREPL_WORKER_ASKS"];

/// In place of a channel: the process builds `core` for GPUs beside the
/// prelude, and ends.
pub const BUILDS_CORE: &str = "core for GPUs";

/// In place of a channel: the process tries variants of a kernel, for a worker that is at the other end of its
/// standard input.
pub const TUNES: &str = "variants of a kernel";

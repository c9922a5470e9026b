//! Requests of clients, and who answers them.
//!
//! | channel | requests |
//! |---|---|
//! | [`shell`] | cells, completion, documentation, history, comms |
//! | [`control`] | interrupts, the end, how much memory is used: never behind a cell |

pub mod control;
pub mod shell;

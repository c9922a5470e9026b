//! What only a front end with a prompt does: `:edit`, `:history`. It knows
//! them by the table and never passes them on.

use crate::output::Sink;
use crate::session::Session;

pub(super) fn only(_: &mut Session, _: &str, _: &mut dyn Sink) -> Result<(), String> {
    Err("this command only works at a prompt".to_owned())
}

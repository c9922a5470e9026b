//! What a session holds: `:vars`, `:items`.

use std::fmt::Write as _;

use super::show;
use crate::output::Sink;
use crate::session::Session;

pub(super) fn vars(session: &mut Session, _: &str, sink: &mut dyn Sink) -> Result<(), String> {
    let variables = session.variables();
    if variables.is_empty() {
        return show("no variables".to_owned(), sink);
    }
    let width = variables.iter().map(|variable| variable.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for variable in variables {
        let mutability = if variable.is_mutable { "mut " } else { "" };
        let _ = writeln!(text, "{:<width$}  {mutability}{}", variable.name, variable.type_name);
    }
    show(text, sink)
}

pub(super) fn items(session: &mut Session, _: &str, sink: &mut dyn Sink) -> Result<(), String> {
    let items = session.items();
    show(if items.is_empty() { "no items".to_owned() } else { items.join("\n") }, sink)
}

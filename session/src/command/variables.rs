//! What a session holds: `:vars`, `:items`, `:mem`, `:reset`.

use std::collections::{HashMap, HashSet};

use gpurepl_wire::{Answer, ArrayReport, MemoryReport, Question, SlotReport};

use super::table::Table;
use super::{bytes, show};
use crate::engine::{Forget, Variable};
use crate::output::Sink;
use crate::session::Session;

pub(super) fn vars(session: &mut Session, names: &str, sink: &mut dyn Sink) -> Result<(), String> {
    let mut variables = session.variables();
    let wanted: Vec<&str> = names.split_whitespace().collect();
    if let Some(name) = wanted.iter().find(|name| !variables.iter().any(|known| known.name == **name)) {
        return Err(format!("there is no variable `{name}`; `:vars` lists them"));
    }
    variables.retain(|variable| wanted.is_empty() || wanted.contains(&variable.name.as_str()));
    if variables.is_empty() {
        return show("no variables".to_owned(), sink);
    }
    let described = described(session, sink)?;
    show(variables_text(&variables, &described), sink)
}

fn variables_text(variables: &[Variable], described: &HashMap<String, SlotReport>) -> String {
    let mut table = Table::new(&["name", "type", "value"], 0);
    for variable in variables {
        let mutability = if variable.is_mutable { "mut " } else { "" };
        let about = described.get(&variable.name).map(about).unwrap_or_default();
        table.row(vec![variable.name.clone(), format!("{mutability}{}", variable.shown_type()), about]);
    }
    table.text()
}

/// What is known of a value.
fn about(report: &SlotReport) -> String {
    if let Some(array) = &report.array {
        let lengths: Vec<String> = array.shape.iter().map(u64::to_string).collect();
        let shape = match lengths.as_slice() {
            [only] => format!("({only},)"),
            lengths => format!("({})", lengths.join(", ")),
        };
        let place =
            array.device.as_ref().map_or_else(|| "not computed yet".to_owned(), |id| format!("on {id}"));
        return format!("{} {shape} {place}, {}", array.dtype, bytes(array.bytes));
    }
    match report.length {
        Some(length) => format!("length {length}"),
        None => bytes(report.size),
    }
}

/// What the worker knows of all variables.
fn described(session: &mut Session, sink: &mut dyn Sink) -> Result<HashMap<String, SlotReport>, String> {
    let slots = session.slots();
    if slots.is_empty() {
        return Ok(HashMap::new());
    }
    match session.question(Question::Describe(slots), sink)? {
        Answer::Variables(reports) => {
            Ok(reports.into_iter().map(|report| (report.name.clone(), report)).collect())
        }
        _ => Err(super::NO_ANSWER.to_owned()),
    }
}

pub(super) fn items(session: &mut Session, _: &str, sink: &mut dyn Sink) -> Result<(), String> {
    let items = session.items();
    show(if items.is_empty() { "no items".to_owned() } else { items.join("\n") }, sink)
}

pub(super) fn mem(session: &mut Session, _: &str, sink: &mut dyn Sink) -> Result<(), String> {
    let Answer::Memory(report) = session.question(Question::Memory, sink)? else {
        return Err(super::NO_ANSWER.to_owned());
    };
    let described = described(session, sink)?;
    let mut arrays: Vec<(String, ArrayReport)> =
        described.into_iter().filter_map(|(name, report)| Some((name, report.array?))).collect();
    arrays.sort_by(|(a, x), (b, y)| y.bytes.cmp(&x.bytes).then_with(|| a.cmp(b)));
    show(memory_text(&report, &arrays), sink)
}

/// Variables that are named; the others are counted.
const NAMED: usize = 20;

fn memory_text(report: &MemoryReport, arrays: &[(String, ArrayReport)]) -> String {
    let mut table = Table::new(&[], 0);
    let mut row = |what: &str, value: String| table.row(vec![what.to_owned(), value]);
    row("device", report.device.clone());
    row("total", bytes(report.total));
    row("free", bytes(report.free));
    let blocks = if report.used_blocks == 1 { "block" } else { "blocks" };
    row("used here", format!("{} in {} {blocks}", bytes(report.used), report.used_blocks));
    row("held by the pool", bytes(report.held));
    if let Some(limit) = report.limit {
        row("limit", bytes(limit));
    }
    if report.page_locked > 0 {
        row("page-locked", bytes(report.page_locked));
    }
    if let Some(process) = report.process {
        row("worker process", bytes(process));
    }
    let mut seen = HashSet::new();
    for (name, array) in arrays.iter().take(NAMED) {
        let is_shared = array.memory != 0 && !seen.insert(array.memory);
        let note = if is_shared { " (shares memory with one above)" } else { "" };
        row(&format!("  {name}"), format!("{}{note}", bytes(array.bytes)));
    }
    if arrays.len() > NAMED {
        row("  others", format!("{} arrays", arrays.len() - NAMED));
    }
    // The head is empty.
    table.text().trim_start_matches('\n').to_owned()
}

pub(super) fn reset(session: &mut Session, what: &str, sink: &mut dyn Sink) -> Result<(), String> {
    let mut words = what.split_whitespace();
    let kind = words.next();
    let names: Vec<String> = words.map(str::to_owned).collect();
    let what = match kind {
        None => return session.reset(sink),
        Some("vars") => Forget::Variables(names),
        Some("items") => Forget::Items(names),
        Some(other) => {
            return Err(format!(
                "`vars` or `items` is expected, not `{other}`: `:reset vars {other}` forgets it"
            ));
        }
    };
    let gone = session.forget(&what, sink)?;
    sink.note(&match gone.as_slice() {
        [] => "there was nothing to forget".to_owned(),
        gone => format!("forgotten: {}", gone.join(", ")),
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_told_by_variable_and_counted_once() {
        let array = |bytes, memory| ArrayReport { bytes, memory, ..ArrayReport::default() };
        let report = MemoryReport {
            device: "host".to_owned(),
            total: 8 << 30,
            free: 4 << 30,
            used: 4096,
            used_blocks: 1,
            ..MemoryReport::default()
        };
        let arrays = [("a".to_owned(), array(4096, 7)), ("view".to_owned(), array(1024, 7))];
        assert_eq!(
            memory_text(&report, &arrays),
            "device            host\n\
             total             8.0 GiB\n\
             free              4.0 GiB\n\
             used here         4.0 KiB in 1 block\n\
             held by the pool  0 bytes\n\
             \x20 a               4.0 KiB\n\
             \x20 view            1.0 KiB (shares memory with one above)"
        );
    }
}

//! Several workers: `:workers`, `:rank`.

use gpurepl_wire::Question;

use super::table::Table;
use super::{bytes, show};
use crate::output::Sink;
use crate::ranks::{Selection, number_of_workers};
use crate::session::Session;
use crate::worker::WorkerReport;

pub(super) fn workers(session: &mut Session, what: &str, sink: &mut dyn Sink) -> Result<(), String> {
    if !what.is_empty() {
        session.set_workers(number_of_workers(what)?, sink)?;
    }
    session.know_workers(sink)?;
    // One whose driver does not answer would not answer this either.
    if session.worker_reports().iter().all(|report| report.device.is_some())
        && let Err(problem) = session.question(Question::Memory, sink)
    {
        sink.note(&problem);
    }
    show(text(&session.worker_reports()), sink)
}

fn text(reports: &[WorkerReport]) -> String {
    // A column for machines where there may be several.
    let has_machines = reports.iter().any(|report| report.machine.is_some());
    let head = ["rank", "process", "variables", "arrays", "memory", "device", "name", "machine"];
    let mut table = Table::new(&head[..head.len() - usize::from(!has_machines)], 5);
    let told = |size: Option<u64>| size.map_or_else(|| "-".to_owned(), bytes);
    for report in reports {
        let memory = report.memory.as_ref();
        let mut row = vec![
            report.rank.to_string(),
            report.process.to_string(),
            report.variables.to_string(),
            told(memory.map(|memory| memory.used)),
            told(memory.and_then(|memory| memory.process)),
            report.device.clone().unwrap_or_else(|| "-".to_owned()),
            report.name.clone(),
        ];
        row.extend(has_machines.then(|| report.machine.clone().unwrap_or_default()));
        table.row(row);
    }
    table.text()
}

pub(super) fn rank(session: &mut Session, what: &str, sink: &mut dyn Sink) -> Result<(), String> {
    if session.workers() == 1 {
        return Err(
            "this session has one worker, whose values are shown as they are; `:workers 4` starts more"
                .to_owned(),
        );
    }
    let ranks = Selection::parse(what)?.among(session.workers())?;
    let values = session.values_by_rank();
    if values.is_empty() {
        return Err("no cell has shown a value yet".to_owned());
    }
    let wanted: Vec<_> = values.iter().filter(|(rank, _)| ranks.contains(rank)).collect();
    if wanted.is_empty() {
        return Err(format!("the last cell has shown no value there; `{what}` was not among its ranks"));
    }
    for (rank, bundle) in wanted {
        sink.note(&format!("rank {rank}:"));
        sink.display(bundle, true);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpurepl_wire::MemoryReport;

    #[test]
    fn workers_are_listed_by_rank() {
        let report = |rank: usize, device: Option<&str>| WorkerReport {
            rank,
            machine: None,
            process: 4000 + rank as i32,
            device: device.map(str::to_owned),
            name: "NVIDIA H200".to_owned(),
            variables: 3,
            memory: device.map(|_| MemoryReport {
                used: 8 << 20,
                process: Some(150 << 20),
                ..MemoryReport::default()
            }),
        };
        assert_eq!(
            text(&[report(0, Some("cuda:0")), report(1, None)]),
            "rank  process  variables   arrays     memory  device  name\n\
             \x20  0     4000          3  8.0 MiB  150.0 MiB  cuda:0  NVIDIA H200\n\
             \x20  1     4001          3        -          -  -       NVIDIA H200"
        );
    }
}

//! Several workers: `:workers`, `:rank`.

use super::show;
use super::table::Table;
use crate::output::Sink;
use crate::ranks::{Selection, number_of_workers};
use crate::session::Session;
use crate::worker::WorkerReport;

pub(super) fn workers(session: &mut Session, what: &str, sink: &mut dyn Sink) -> Result<(), String> {
    if !what.is_empty() {
        session.set_workers(number_of_workers(what)?, sink)?;
    }
    session.know_workers(sink)?;
    let reports = session.worker_reports();
    show(text(&reports), sink)
}

fn text(reports: &[WorkerReport]) -> String {
    let mut table = Table::new(&["rank", "process", "variables", "device", "name"], 3);
    for report in reports {
        table.row(vec![
            report.rank.to_string(),
            report.process.to_string(),
            report.variables.to_string(),
            report.device.clone().unwrap_or_else(|| "-".to_owned()),
            report.name.clone(),
        ]);
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

    #[test]
    fn workers_are_listed_by_rank() {
        let report = |rank: usize, device: Option<&str>| WorkerReport {
            rank,
            process: 4000 + rank as i32,
            device: device.map(str::to_owned),
            name: "NVIDIA H200".to_owned(),
            variables: 3,
        };
        assert_eq!(
            text(&[report(0, Some("cuda:0")), report(1, None)]),
            "rank  process  variables  device  name\n\
             \x20  0     4000          3  cuda:0  NVIDIA H200\n\
             \x20  1     4001          3  -       NVIDIA H200"
        );
    }
}

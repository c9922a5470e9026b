//! How workers are started: as children, by joining ranks of `mpiexec`, or elsewhere.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::exchange::Exchange;
use super::group;
use super::here::{Here, Parts, command_environment};
use super::place::hash;
use super::process::Process;
use super::queue::Sender;
use super::remote::Starting;
use crate::elsewhere::{Hello, Job, Launch, Library, Start};
use crate::output::Sink;
use crate::session_folder::SessionFolder;

/// Workers that have been started.
pub(super) struct Beginning {
    /// By rank.
    pub(super) processes: Vec<Process>,
    /// Where several of this machine find each other.
    pub(super) meeting: Option<SessionFolder>,
    /// What has started them elsewhere.
    pub(super) job: Option<Job>,
    /// Whether MPI has started them.
    pub(super) is_mpi: bool,
}

/// Starts the workers. What comes from each goes to its sender.
pub(super) fn start(
    parts: Parts<'_>,
    senders: Vec<Sender>,
    sink: &mut dyn Sink,
) -> Result<Beginning, String> {
    match &parts.options.launch {
        Some(launch) => start_elsewhere(launch, parts, senders, sink),
        None => start_here(parts, senders, sink),
    }
}

fn start_here(parts: Parts<'_>, senders: Vec<Sender>, sink: &mut dyn Sink) -> Result<Beginning, String> {
    let count = senders.len();
    let launched = parts.options.launched.as_ref();
    let meeting = if count > 1 { Some(group::meeting()?) } else { None };
    // Ranks of `mpiexec` first: where one does not come nothing has been started in vain.
    let mut order: Vec<(usize, Sender)> = senders.into_iter().enumerate().collect();
    order.rotate_left(usize::from(launched.is_some()));
    let mut processes = BTreeMap::new();
    for (rank, sender) in order {
        let environment = match &meeting {
            Some(folder) => group::environment(rank, count, folder.path(), launched.is_some()),
            None => Vec::new(),
        };
        let process = match launched {
            Some(launched) if rank > 0 => Here::join((launched, rank), parts, &environment, sender, sink),
            _ => Here::start(parts, &environment, sender, sink),
        };
        match process {
            Ok(process) => processes.insert(rank, Process::new(process)),
            Err(problem) => {
                processes.values_mut().for_each(Process::kill);
                return Err(problem);
            }
        };
    }
    let processes = processes.into_values().collect();
    Ok(Beginning { processes, meeting, job: None, is_mpi: launched.is_some() })
}

fn start_elsewhere(
    launch: &Launch,
    parts: Parts<'_>,
    senders: Vec<Sender>,
    sink: &mut dyn Sink,
) -> Result<Beginning, String> {
    let count = senders.len();
    let libraries = [library(&parts.toolchain.std_library)?, library(&parts.prelude.library())?];
    let mut job = Job::start(launch, &parts.options.program, parts.interrupter, sink)?;
    let hellos = job.hellos();
    let is_mpi = hellos.iter().any(|hello| hello.is_mpi);
    let machines = machines(&hellos);
    let many = machines.iter().any(|machine| *machine > 0);
    let members = |machine: usize| machines.iter().filter(move |of| **of == machine).count();
    let name = group::name();
    let environment = command_environment(parts);
    let mut links = Vec::new();
    for rank in 0..count {
        links.push(job.take(rank).ok_or_else(|| format!("rank {rank} has not come"))?);
    }
    let failed = |error| format!("a thread for the workers could not be started: {error}");
    let exchange = match many {
        true => {
            // A machine is told by way of its first rank.
            let first = |machine| machines.iter().position(|of| *of == machine);
            let firsts = (0..count).map_while(first);
            let writers = firsts.map(|rank| links[rank].1.writer.clone()).collect();
            Some(Arc::new(Exchange::new(machines.clone(), writers).map_err(failed)?))
        }
        false => None,
    };
    let mut starting = Vec::new();
    for (rank, (sender, (hello, link))) in senders.into_iter().zip(links).enumerate() {
        let machine = machines[rank];
        let start = Start {
            rank,
            ranks: count,
            local: (machines[..rank].iter().filter(|of| **of == machine).count(), members(machine)),
            group: (count > 1).then(|| format!("{name}-{machine}")),
            machines: if many { machines.clone() } else { Vec::new() },
            arguments: parts.options.arguments.clone(),
            environment: environment.clone(),
            folder: parts.settings.folder.clone(),
            libraries: libraries.clone(),
        };
        let exchange = exchange.clone();
        starting
            .push(Starting::new(hello.host, hello.is_mpi, link, start, exchange, sender).map_err(failed)?);
    }
    let mut processes = Vec::new();
    for starting in starting {
        processes.push(Process::new(starting.finish(parts.interrupter)?));
    }
    Ok(Beginning { processes, meeting: None, job: Some(job), is_mpi })
}

/// A number for the machine of each rank, in the order in which they come.
fn machines(hellos: &[Hello]) -> Vec<usize> {
    let mut known: Vec<&str> = Vec::new();
    let mut number = |machine| {
        known.iter().position(|other| *other == machine).unwrap_or_else(|| {
            known.push(machine);
            known.len() - 1
        })
    };
    hellos.iter().map(|hello| number(hello.machine.as_str())).collect()
}

fn library(path: &Path) -> Result<Library, String> {
    let hash = hash(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Library { path: path.to_owned(), hash })
}

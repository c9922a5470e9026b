//! How workers are started: as children, by joining ranks of `mpiexec`, or elsewhere.

use std::collections::BTreeMap;
use std::path::Path;

use super::group;
use super::here::{Here, Parts, command_environment};
use super::place::hash;
use super::process::Process;
use super::queue::Sender;
use super::remote::Starting;
use crate::elsewhere::{Job, Launch, Library, Start};
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
    let mut machines: BTreeMap<&str, usize> = BTreeMap::new();
    let mut locals = Vec::new();
    for hello in &hellos {
        let count = machines.entry(&hello.machine).or_default();
        locals.push(*count);
        *count += 1;
    }
    // Where they meet on the one machine that all are on.
    let group = (machines.len() == 1 && count > 1).then(group::name);
    let environment = command_environment(parts);
    let mut starting = Vec::new();
    for (rank, sender) in senders.into_iter().enumerate() {
        let Some((hello, link)) = job.take(rank) else { return Err(format!("rank {rank} has not come")) };
        let start = Start {
            rank,
            ranks: count,
            local: (locals[rank], machines[hello.machine.as_str()]),
            group: group.clone(),
            arguments: parts.options.arguments.clone(),
            environment: environment.clone(),
            folder: parts.settings.folder.clone(),
            libraries: libraries.clone(),
        };
        let failed = |error| format!("a thread for the worker could not be started: {error}");
        starting.push(Starting::new(hello.host, hello.is_mpi, link, start, sender).map_err(failed)?);
    }
    let mut processes = Vec::new();
    for starting in starting {
        processes.push(Process::new(starting.finish(parts.interrupter)?));
    }
    Ok(Beginning { processes, meeting: None, job: Some(job), is_mpi })
}

fn library(path: &Path) -> Result<Library, String> {
    let hash = hash(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Library { path: path.to_owned(), hash })
}

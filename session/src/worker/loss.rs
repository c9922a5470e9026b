//! The end of workers that were not asked to end.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::Workers;
use super::patience::PATIENCE;
use super::process::{Ended, Process};
use super::pump::Event;
use crate::output::Sink;
use crate::ranks::in_words;

impl Workers {
    /// How the processes have ended, which they do as soon as their ends of the
    /// channels are closed. To be asked once [`Workers::has_ended`].
    pub(crate) fn ended(&mut self, sink: &mut dyn Sink) -> Ended {
        let rank = self.processes.iter_mut().position(Process::has_ended).unwrap_or(0);
        self.one_has_ended(rank, None, sink)
    }

    /// One process has ended, and with it the others: they would wait for it, and hold other variables than a
    /// replay brings back. They have a moment, since what ends one may end all: a cell's `exit`.
    pub(super) fn one_has_ended(&mut self, rank: usize, why: Option<String>, sink: &mut dyn Sink) -> Ended {
        // Not to be signalled once they have been waited for.
        self.interrupter.clear_workers();
        let patience = self.processes[rank].patience();
        let events = &self.events;
        let is_only = self.processes.len() == 1;
        // Of one worker all that counts has been told before its end; of several it is compared.
        let first =
            self.processes[rank].ended(why, patience, || while is_only && events.try_recv().is_ok() {});
        if self.processes.len() == 1 {
            return first;
        }
        let (moment, end) = (Instant::now() + PATIENCE, Instant::now() + self.processes[rank].patience());
        let mut closed = BTreeSet::new();
        let mut causes: Vec<(Ended, Vec<usize>)> = vec![(first, vec![rank])];
        let mut others: Vec<usize> = (0..self.processes.len()).filter(|other| *other != rank).collect();
        // Those whose channels have closed are about to end, which takes longer with a GPU.
        while !others.is_empty()
            && (Instant::now() < moment
                || Instant::now() < end && others.iter().any(|other| closed.contains(other)))
        {
            self.take_the_rest(&mut closed, sink);
            others.retain(|other| {
                if !self.processes[*other].has_ended() {
                    return true;
                }
                let ended = self.processes[*other].ended(None, Duration::ZERO, || {});
                match causes.iter_mut().find(|(known, _)| known.cause == ended.cause) {
                    Some((_, ranks)) => ranks.push(*other),
                    None => causes.push((ended, vec![*other])),
                }
                false
            });
            std::thread::sleep(Duration::from_millis(5));
        }
        self.take_the_rest(&mut closed, sink);
        others.iter().for_each(|other| self.processes[*other].kill());
        self.agreement.tell_all(self.running, sink);
        let status = causes.iter().find_map(|(ended, _)| ended.status);
        // Of ranks of `mpiexec` it is not known, and they may have ended themselves as well.
        let is_exit = causes.iter().all(|(ended, _)| ended.status.is_some() || ended.is_unknown());
        if status.is_some() && is_exit && causes.len() > 1 {
            causes.retain(|(ended, _)| !ended.is_unknown());
            if causes.len() == 1 {
                return causes.remove(0).0;
            }
        }
        if causes.len() == 1 && causes[0].1.len() == self.processes.len() {
            return causes.remove(0).0;
        }
        let words: Vec<String> = causes
            .iter_mut()
            .map(|(ended, ranks)| {
                ranks.sort_unstable();
                format!("{}: {}", in_words(ranks), ended.cause)
            })
            .collect();
        Ended { cause: words.join("; "), status: status.filter(|_| is_exit) }
    }

    /// Takes what the processes say before their ends, and answers what they ask: one that waits for a line, which
    /// another has been given, would be ended before it could end by itself.
    fn take_the_rest(&mut self, closed: &mut BTreeSet<usize>, sink: &mut dyn Sink) {
        while let Ok((rank, event)) = self.events.try_recv() {
            match event {
                Event::Output(stream, bytes) => self.agreement.print(rank, stream, &bytes, Instant::now()),
                Event::Frame(frame) => self.pass_on(rank, *frame, sink),
                Event::Closed(_) => drop(closed.insert(rank)),
            }
        }
    }
}

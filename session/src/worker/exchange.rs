//! What ranks of several machines say of themselves, passed on from one machine to the others.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::elsewhere::{Kind, Writer};

/// Where messages between ranks go.
///
/// Each machine has a thread that sends to it, so that one that takes nothing more keeps nobody else from being heard.
/// What waits for it is not much: a rank leaves few elements before it waits for all that they are for, and of its words
/// the last ones count.
#[derive(Debug)]
pub(super) struct Exchange {
    /// The machine of each rank.
    machines: Vec<usize>,
    /// By machine.
    senders: Vec<Sender<Arc<Vec<u8>>>>,
}

impl Exchange {
    /// Between machines, of which each is told by way of one of its ranks.
    ///
    /// # Errors
    ///
    /// If there are no more threads to be had.
    pub(super) fn new(machines: Vec<usize>, writers: Vec<Arc<Writer>>) -> io::Result<Exchange> {
        let mut senders = Vec::new();
        for writer in writers {
            let (sender, messages) = channel();
            let thread = std::thread::Builder::new().name("to another machine".to_owned());
            thread.spawn(move || send(&writer, &messages))?;
            senders.push(sender);
        }
        Ok(Exchange { machines, senders })
    }

    /// Passes a rank's message on.
    ///
    /// # Errors
    ///
    /// If it is no message of ranks.
    pub(super) fn pass(&self, from: usize, message: Vec<u8>) -> io::Result<()> {
        let to = gpurepl_board::addressee(&message)?;
        let is_meant = |machine: usize| match to {
            Some(rank) => self.machines.get(rank) == Some(&machine),
            None => machine != self.machines[from],
        };
        let message = Arc::new(message);
        for (_, sender) in self.senders.iter().enumerate().filter(|(machine, _)| is_meant(*machine)) {
            // One that has ended has lost its workers, which is told.
            let _ = sender.send(message.clone());
        }
        Ok(())
    }
}

fn send(writer: &Writer, messages: &Receiver<Arc<Vec<u8>>>) {
    while let Ok(first) = messages.recv() {
        let waiting = std::iter::once(first).chain(messages.try_iter()).collect();
        // They were read before they came here.
        let Ok(joined) = gpurepl_board::joined(waiting) else { return };
        if joined.iter().any(|message| writer.send(Kind::Ranks, message).is_err()) {
            return;
        }
    }
}

//! What brings the writings of ranks from one of their machines to another, as a session does it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;

use gpurepl_board::{Mirror, Update, addressee};

/// Threads that go on until [`Mirrors::end`].
pub(crate) struct Mirrors {
    threads: Vec<JoinHandle<()>>,
    is_over: Arc<AtomicBool>,
}

impl Mirrors {
    /// Between machines with these folders; none of it if all ranks are on one.
    pub(crate) fn begin(folders: &[&Path], machines: &[usize]) -> Mirrors {
        let (mut threads, is_over) = (Vec::new(), Arc::new(AtomicBool::new(false)));
        let mut senders = Vec::new();
        if machines.iter().all(|machine| *machine == 0) {
            return Mirrors { threads, is_over };
        }
        let mirror = |rank: usize| Mirror::new(folders[machines[rank]], rank, machines.to_vec()).unwrap();
        for machine in 0..folders.len() {
            let (sender, receiver) = channel::<Vec<u8>>();
            senders.push(sender);
            let mut mirror = mirror(machines.iter().position(|of| *of == machine).unwrap());
            threads.push(std::thread::spawn(move || {
                receiver.iter().for_each(|message| mirror.apply(&message).unwrap());
            }));
        }
        for rank in 0..machines.len() {
            let (mut mirror, machines) = (mirror(rank), machines.to_vec());
            let (senders, is_over) = (senders.clone(), is_over.clone());
            threads.push(std::thread::spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    for Update(message) in mirror.updates().unwrap() {
                        let to = addressee(&message).unwrap();
                        for (machine, sender) in senders.iter().enumerate() {
                            let is_meant = to.is_none_or(|to| machines[to] == machine);
                            if machine != machines[rank] && is_meant {
                                sender.send(message.clone()).unwrap();
                            }
                        }
                    }
                    std::thread::sleep(Duration::from_micros(100));
                }
            }));
        }
        Mirrors { threads, is_over }
    }

    /// Ends the threads, none of which may have failed.
    pub(crate) fn end(self) {
        self.is_over.store(true, Ordering::Relaxed);
        for thread in self.threads {
            thread.join().unwrap();
        }
    }
}

//! A place's half of what ranks of several machines say to each other: what its own rank has written is told to the
//! session, and what others have written is written here.

use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gpurepl_board::{Mirror, Update};

use crate::elsewhere::{Kind, Writer};

/// How long nothing is looked for while the rank works on an order: at first, for some time after it has said something,
/// and at last.
const NAPS: [Duration; 3] = [Duration::from_micros(20), Duration::from_micros(100), Duration::from_millis(1)];
const SHORT: Duration = Duration::from_millis(10);

/// The same while it has ended its order; and how long one that it was sent takes to begin.
const REST: Duration = Duration::from_millis(20);
const BEGINNING: Duration = Duration::from_millis(100);

/// A mirror, and a thread that looks at its own rank.
#[derive(Debug)]
pub(super) struct Mirroring {
    /// For what comes from others.
    mirror: Mirror,
    alarm: Arc<Alarm>,
}

/// Wakes the thread.
#[derive(Debug, Default)]
struct Alarm {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_called: bool,
    is_over: bool,
}

impl Alarm {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is called, or for so long: whether it was called; none once it is over.
    fn wait(&self, time: Duration) -> Option<bool> {
        let state = self.lock();
        let waited = self.changed.wait_timeout_while(state, time, |state| !state.is_called && !state.is_over);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let is_called = std::mem::take(&mut state.is_called);
        (!state.is_over).then_some(is_called)
    }
}

impl Mirroring {
    /// Begins to tell what a rank writes in its machine's folder; `machines` has a number for the machine of each rank.
    pub(super) fn begin(
        folder: &Path,
        rank: usize,
        machines: &[usize],
        writer: Arc<Writer>,
    ) -> io::Result<Mirroring> {
        let mut own = Mirror::new(folder, rank, machines.to_vec())?;
        let mirror = Mirror::new(folder, rank, machines.to_vec())?;
        let alarm = Arc::new(Alarm::default());
        let called = alarm.clone();
        let thread = std::thread::Builder::new().name("to other ranks".to_owned());
        thread.spawn(move || {
            if let Err(error) = tell(&mut own, &writer, &called) {
                // Without it the others would wait for this rank without end.
                let why = format!("on {}: what ranks share: {error}", crate::elsewhere::host());
                let _ = writer.send(Kind::Refused, why.as_bytes());
            }
        })?;
        Ok(Mirroring { mirror, alarm })
    }

    /// An order goes to the worker.
    pub(super) fn call(&self) {
        self.alarm.lock().is_called = true;
        self.alarm.changed.notify_all();
    }

    /// Writes what a rank on another machine has said.
    pub(super) fn apply(&mut self, message: &[u8]) -> io::Result<()> {
        self.mirror.apply(message)
    }
}

impl Drop for Mirroring {
    fn drop(&mut self) {
        self.alarm.lock().is_over = true;
        self.alarm.changed.notify_all();
    }
}

fn tell(mirror: &mut Mirror, writer: &Writer, alarm: &Alarm) -> io::Result<()> {
    let (mut nap, mut called, mut told) = (NAPS[0], Instant::now(), Instant::now());
    loop {
        let updates = mirror.updates()?;
        if !updates.is_empty() {
            (nap, told) = (NAPS[0], Instant::now());
            for Update(message) in updates {
                writer.send(Kind::Ranks, &message)?;
            }
        }
        let is_at_rest = mirror.is_at_rest() && called.elapsed() > BEGINNING;
        match alarm.wait(if is_at_rest { REST } else { nap }) {
            None => return Ok(()),
            Some(true) => (nap, called) = (NAPS[0], Instant::now()),
            Some(false) => nap = (nap * 2).min(if told.elapsed() < SHORT { NAPS[1] } else { NAPS[2] }),
        }
    }
}

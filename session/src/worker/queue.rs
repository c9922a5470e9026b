//! What has come from a worker and waits to be taken: by the session while it
//! carries out an order, by a [`Background`] while the user is at a prompt.

use std::collections::{BTreeSet, VecDeque};
use std::sync::mpsc::{RecvTimeoutError, TryRecvError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gpurepl_wire::Frame;

use super::agreement;
use super::pump::{Event, Gone, Listener};
use crate::output::Sink;

/// A queue that holds this many events at most: then the senders wait. There is one for each rank.
pub(super) fn queue(bound: usize, ranks: usize) -> (Vec<Sender>, Receiver) {
    let state = State {
        events: VecDeque::new(),
        senders: ranks,
        has_receiver: true,
        listener: 0,
        last: 0,
        muted: BTreeSet::new(),
    };
    let shared =
        Arc::new(Shared { state: Mutex::new(state), bound, filled: Condvar::new(), emptied: Condvar::new() });
    ((0..ranks).map(|rank| Sender { shared: shared.clone(), rank }).collect(), Receiver { shared, ranks })
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    bound: usize,
    /// An event has come, or nobody is to wait for one any more.
    filled: Condvar,
    /// An event was taken, or nobody takes any more.
    emptied: Condvar,
}

#[derive(Debug)]
struct State {
    /// What has come, and from which rank.
    events: VecDeque<(usize, Event)>,
    /// How many senders there are.
    senders: usize,
    has_receiver: bool,
    /// The number of the background that may take events; zero for none.
    listener: u64,
    /// The number that was given last.
    last: u64,
    /// Cells whose threads are not heard.
    muted: BTreeSet<u64>,
}

impl State {
    fn is_muted(&self, event: &Event) -> bool {
        let Event::Frame(frame) = event else { return false };
        matches!(&**frame, Frame::Output { cell, .. } if self.muted.contains(cell))
    }
}

impl Shared {
    /// The state is whole at every moment, whoever has panicked.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>, until: Option<Instant>) -> MutexGuard<'s, State> {
        match until.map(|until| until.saturating_duration_since(Instant::now())) {
            None => self.filled.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(time) => self.filled.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0,
        }
    }
}

/// The end of the thread that reads what a worker sends.
#[derive(Debug)]
pub(super) struct Sender {
    shared: Arc<Shared>,
    rank: usize,
}

impl Listener for Sender {
    fn send(&self, event: Event) -> Result<(), Gone> {
        let mut state = self.shared.lock();
        if state.is_muted(&event) {
            return Ok(());
        }
        while state.events.len() >= self.shared.bound && state.has_receiver {
            state = self.shared.emptied.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if !state.has_receiver {
            return Err(Gone);
        }
        state.events.push_back((self.rank, event));
        drop(state);
        self.shared.filled.notify_all();
        Ok(())
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.shared.lock().senders -= 1;
        self.shared.filled.notify_all();
    }
}

/// The session's end.
#[derive(Debug)]
pub(super) struct Receiver {
    shared: Arc<Shared>,
    ranks: usize,
}

impl Receiver {
    /// The next event, and the rank that it came from.
    pub(super) fn recv_timeout(&self, time: Duration) -> Result<(usize, Event), RecvTimeoutError> {
        // Time without end is requested as a very long one.
        let until = Instant::now().checked_add(time);
        let mut state = self.shared.lock();
        // An answer to an order is for nobody else.
        state.listener = 0;
        loop {
            if let Some(event) = state.events.pop_front() {
                drop(state);
                // There is room for one: to wake all that wait would cost as many times as there are workers.
                self.shared.emptied.notify_one();
                return Ok(event);
            }
            if state.senders == 0 {
                return Err(RecvTimeoutError::Disconnected);
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Err(RecvTimeoutError::Timeout);
            }
            state = self.shared.wait(state, until);
        }
    }

    /// Whether nothing waits to be taken.
    pub(super) fn is_empty(&self) -> bool {
        self.shared.lock().events.is_empty()
    }

    pub(super) fn try_recv(&self) -> Result<(usize, Event), TryRecvError> {
        match self.recv_timeout(Duration::ZERO) {
            Ok(event) => Ok(event),
            Err(RecvTimeoutError::Timeout) => Err(TryRecvError::Empty),
            Err(RecvTimeoutError::Disconnected) => Err(TryRecvError::Disconnected),
        }
    }

    /// What threads of these cells print is not passed on.
    pub(super) fn mute(&self, cells: impl Iterator<Item = u64>) {
        self.shared.lock().muted.extend(cells);
    }

    /// Lets someone else take events from now on, until it is stopped or
    /// another one is made.
    pub(super) fn background(&self) -> Background {
        let mut state = self.shared.lock();
        state.last += 1;
        state.listener = state.last;
        Background { number: state.last, shared: self.shared.clone(), has_ranks: self.ranks > 1 }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.has_receiver = false;
        state.listener = 0;
        drop(state);
        self.shared.emptied.notify_all();
        self.shared.filled.notify_all();
    }
}

/// Passes on what a worker says while no cell is evaluated: what threads of
/// the user's print while the user types. A thread listens, and the one that
/// evaluates cells stops it first.
#[derive(Clone, Debug)]
pub struct Background {
    shared: Arc<Shared>,
    number: u64,
    /// Whether there are several workers: what one of them says is told with its rank.
    has_ranks: bool,
}

impl Background {
    /// Passes on what comes in this time, or in the time until it is stopped;
    /// returns as soon as something was passed on. False once it was stopped.
    pub fn listen(&self, time: Option<Duration>, sink: &mut dyn Sink) -> bool {
        let until = time.and_then(|time| Instant::now().checked_add(time));
        let mut state = self.shared.lock();
        let event = loop {
            if state.listener != self.number {
                return false;
            }
            match state.events.front() {
                // That a worker has ended is for the session to find out.
                Some((_, Event::Closed(_))) => return false,
                Some(_) => break state.events.pop_front(),
                None if state.senders == 0 => return false,
                None if until.is_some_and(|until| Instant::now() >= until) => return true,
                None => state = self.shared.wait(state, until),
            }
        };
        drop(state);
        self.shared.emptied.notify_one();
        match event {
            Some((rank, event)) if self.has_ranks => agreement::tell_of(rank, event, sink),
            Some((_, Event::Output(stream, bytes))) => sink.output(stream, &bytes),
            Some((_, Event::Frame(frame))) => super::pass_on(*frame, None, sink),
            Some((_, Event::Closed(_))) | None => {}
        }
        true
    }

    /// Stops it. What comes from now on is the session's again; nothing is
    /// waited for.
    pub fn stop(&self) {
        let mut state = self.shared.lock();
        if state.listener == self.number {
            state.listener = 0;
        }
        drop(state);
        self.shared.filled.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Stream;

    struct Ear(Vec<u8>);

    impl Sink for Ear {
        fn output(&mut self, _: Stream, bytes: &[u8]) {
            self.0.extend(bytes);
        }
    }

    fn output(text: &str) -> Event {
        Event::Output(Stream::Stdout, text.as_bytes().to_vec())
    }

    #[test]
    fn events_come_in_order_and_the_end_is_told() {
        let (mut senders, receiver) = queue(8, 1);
        let sender = senders.remove(0);
        sender.send(output("a")).unwrap();
        sender.send(Event::Closed(None)).unwrap();
        assert!(matches!(receiver.try_recv(), Ok((0, Event::Output(..)))));
        assert!(matches!(receiver.try_recv(), Ok((0, Event::Closed(None)))));
        assert!(matches!(receiver.try_recv(), Err(TryRecvError::Empty)));
        drop(sender);
        assert!(matches!(receiver.recv_timeout(Duration::MAX), Err(RecvTimeoutError::Disconnected)));
    }

    #[test]
    fn threads_of_muted_cells_are_not_heard() {
        let (mut senders, receiver) = queue(8, 1);
        let sender = senders.remove(0);
        receiver.mute([2, 3].into_iter());
        for cell in 1..=4 {
            let frame = Frame::Output { cell, is_stderr: false, text: "x".to_owned() };
            sender.send(Event::Frame(Box::new(frame))).unwrap();
        }
        sender.send(output("cell")).unwrap();
        let mut cells = Vec::new();
        while let Ok((0, Event::Frame(frame))) = receiver.try_recv() {
            if let Frame::Output { cell, .. } = *frame {
                cells.push(cell);
            }
        }
        assert_eq!(cells, [1, 4]);
    }

    #[test]
    fn a_full_queue_lets_the_sender_wait_until_somebody_takes_or_goes() {
        let (mut senders, receiver) = queue(1, 1);
        let sender = senders.remove(0);
        let thread = std::thread::spawn(move || {
            let results: Vec<bool> =
                ["a", "b", "c", "d"].map(|text| sender.send(output(text)).is_ok()).into();
            results
        });
        for _ in 0..2 {
            assert!(receiver.recv_timeout(Duration::from_secs(60)).is_ok());
        }
        drop(receiver);
        let results = thread.join().unwrap();
        assert_eq!(results[..2], [true, true]);
        assert!(!results[3], "nobody takes it");
    }

    #[test]
    fn a_background_hears_until_it_is_stopped() {
        let (mut senders, receiver) = queue(8, 1);
        let sender = senders.remove(0);
        let background = receiver.background();
        let listener = background.clone();
        let thread = std::thread::spawn(move || {
            let mut ear = Ear(Vec::new());
            while ear.0.len() < 2 && listener.listen(None, &mut ear) {}
            let text = ear.0.clone();
            while listener.listen(None, &mut ear) {}
            (text, ear.0)
        });
        sender.send(output("a")).unwrap();
        sender.send(output("b")).unwrap();
        background.stop();
        background.stop();
        sender.send(output("c")).unwrap();
        let (_, heard) = thread.join().unwrap();
        assert!(b"ab".starts_with(&heard[..]), "{heard:?}");
        // What was not heard is the session's.
        let mut rest = Vec::new();
        while let Ok((_, Event::Output(_, bytes))) = receiver.try_recv() {
            rest.extend(bytes);
        }
        assert_eq!([heard, rest].concat(), b"abc");
    }

    #[test]
    fn an_older_background_hears_nothing_once_there_is_another() {
        let (mut senders, receiver) = queue(8, 1);
        let sender = senders.remove(0);
        let (old, new) = (receiver.background(), receiver.background());
        sender.send(output("x")).unwrap();
        sender.send(Event::Closed(None)).unwrap();
        let mut ear = Ear(Vec::new());
        assert!(!old.listen(None, &mut ear));
        old.stop();
        assert!(new.listen(None, &mut ear));
        assert!(!new.listen(None, &mut ear), "the end is for the session");
        assert!(matches!(receiver.try_recv(), Ok((0, Event::Closed(None)))));
        assert_eq!(ear.0, b"x");
    }
}

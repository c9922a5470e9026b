//! What the ranks of one machine have written, told to other machines, and the other way round.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use crate::board::{Board, LAST, MARKED};
use crate::mark::{For, Mark};
use crate::staging::{Staging, UNITS};
use crate::state::{Activity, State};

/// A rank's board and staging on its own machine, and those of the ranks elsewhere.
#[derive(Debug)]
pub struct Mirror {
    folder: PathBuf,
    board: Board,
    /// Mapped when elements are passed on for the first time.
    staging: Option<Staging>,
    rank: usize,
    /// The machine of each rank.
    machines: Vec<usize>,
    /// The words of the rank's block that have been told.
    told: Vec<u64>,
}

/// A message between mirrors.
///
/// Its form: the rank that it is for, in four little-endian bytes, or four of 255 if it is for all; the rank that it
/// is of, likewise; a byte that says what follows. That is words of the rank's block, each as its place in four bytes
/// and itself in eight, or elements: the unit in one byte, where they begin in four, and they.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update(pub Vec<u8>);

const ALL: u32 = u32::MAX;
/// Bytes before what follows, and of a word with its place.
const HEAD: usize = 9;
const WORD: usize = 12;
const WORDS: u8 = 0;
const ELEMENTS: u8 = 1;

/// How often a block is looked at until it stands still.
const LOOKS: usize = 100;

/// The rank that a message is for; all if it is none.
///
/// # Errors
///
/// If it is no message of a mirror's.
pub fn addressee(message: &[u8]) -> io::Result<Option<usize>> {
    let [one, two, three, four, ..] = message.first_chunk::<HEAD>().ok_or_else(foreign)?;
    match u32::from_le_bytes([*one, *two, *three, *four]) {
        ALL => Ok(None),
        rank => Ok(Some(rank as usize)),
    }
}

fn foreign() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a message about ranks cannot be read")
}

/// Messages in an order in which they can be told instead: all elements, then for each rank the words that it has told
/// last. Words stand for what is so now, so that those before them need not be told.
///
/// # Errors
///
/// If one is no message of a mirror's.
pub fn joined(messages: Vec<Arc<Vec<u8>>>) -> io::Result<Vec<Arc<Vec<u8>>>> {
    if messages.len() < 2 {
        return Ok(messages);
    }
    let mut told = Vec::new();
    let mut words: BTreeMap<[u8; HEAD], BTreeMap<u32, [u8; 8]>> = BTreeMap::new();
    for message in messages {
        let (head, rest) = message.split_first_chunk::<HEAD>().ok_or_else(foreign)?;
        if head[HEAD - 1] != WORDS {
            told.push(message);
            continue;
        }
        let known = words.entry(*head).or_default();
        for word in rest.as_chunks::<WORD>().0 {
            let (place, value) = word.split_first_chunk::<4>().ok_or_else(foreign)?;
            known.insert(u32::from_le_bytes(*place), value.try_into().map_err(|_| foreign())?);
        }
    }
    for (head, known) in words {
        let is_last = |place: &u32| LAST.contains(&(*place as usize));
        let order =
            known.keys().copied().filter(|place| !is_last(place)).chain(LAST.map(|place| place as u32));
        let mut message = head.to_vec();
        for place in order {
            if let Some(value) = known.get(&place) {
                message.extend(place.to_le_bytes());
                message.extend(value);
            }
        }
        told.push(Arc::new(message));
    }
    Ok(told)
}

impl Mirror {
    /// The mirror of a rank, whose machine has this folder; `machines` has a number for the machine of each rank.
    ///
    /// # Errors
    ///
    /// If there is no memory for it; if there is no such rank.
    pub fn new(folder: &Path, rank: usize, machines: Vec<usize>) -> io::Result<Mirror> {
        if rank >= machines.len() {
            return Err(foreign());
        }
        let board = Board::open(folder, machines.len()).map_err(io::Error::other)?;
        let told = vec![0; Board::block(machines.len())];
        Ok(Mirror { folder: folder.to_owned(), board, staging: None, rank, machines, told })
    }

    /// Whether the rank has nothing more to say until its next order: it has ended the last one, given it up, or had none.
    pub fn is_at_rest(&self) -> bool {
        let [_, state] = LAST;
        if self.told[state] == 0 {
            return true;
        }
        let state = State::unpack(self.told[state]);
        state.activity == Activity::Ended || state.given_up.is_some()
    }

    /// What the rank has written since this was called before, for those on other machines, who are to be told it in
    /// this order.
    ///
    /// What a rank writes over may be read no more, for all have gone on since: they were told what was there. So
    /// elements are still there when their mark is seen here, however late that is.
    ///
    /// # Errors
    ///
    /// If there is no memory for elements.
    pub fn updates(&mut self) -> io::Result<Vec<Update>> {
        let Some(words) = self.words() else { return Ok(Vec::new()) };
        let mut updates = Vec::new();
        for unit in 0..UNITS {
            let place = MARKED.start + unit;
            if words[place] == self.told[place] {
                continue;
            }
            if let Some(mark) = Mark::unpack(words[place]) {
                self.elements(unit, mark, &mut updates)?;
            }
        }
        let mut message = self.head(None, WORDS);
        let is_last = |place: &usize| LAST.contains(place);
        let order = (0..words.len()).filter(|place| !is_last(place)).chain(LAST);
        let changed: Vec<usize> = order.filter(|place| words[*place] != self.told[*place]).collect();
        if !changed.is_empty() {
            for place in changed {
                message.extend((place as u32).to_le_bytes());
                message.extend(words[place].to_le_bytes());
            }
            updates.push(Update(message));
        }
        self.told = words;
        Ok(updates)
    }

    /// The words of the block, of which those that are looked at by others first are not newer than what they speak of.
    /// None if they do not stand still.
    fn words(&self) -> Option<Vec<u64>> {
        let [step, state] = LAST;
        let read = |place: usize| self.board.word(self.rank, place).load(Ordering::SeqCst);
        for _ in 0..LOOKS {
            // A state goes with the step and the counts that are read while it lasts.
            let before = read(state);
            let taken = read(step);
            let counts: Vec<u64> = (MARKED.end..self.told.len()).map(read).collect();
            if read(state) != before {
                std::hint::spin_loop();
                continue;
            }
            let mut words: Vec<u64> = (0..MARKED.end).map(read).collect();
            words.extend(counts);
            (words[step], words[state]) = (taken, before);
            return Some(words);
        }
        None
    }

    /// Elements of a unit, for those that they are for.
    fn elements(&mut self, unit: usize, mark: Mark, updates: &mut Vec<Update>) -> io::Result<()> {
        let staging = self.staging()?;
        let most = if mark.to == For::Each { staging.slot() } else { staging.unit() };
        if mark.length > most {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "what a rank has left cannot be read"));
        }
        let here = self.machines[self.rank];
        let mut tell = |rank: Option<usize>, start: usize| {
            let mut message = self.head(rank, ELEMENTS);
            message.push(unit as u8);
            message.extend((start as u32).to_le_bytes());
            let first = message.len();
            message.resize(first + mark.length, 0);
            staging.read(self.rank, unit, start, &mut message[first..]);
            updates.push(Update(message));
        };
        let is_elsewhere = |rank: &usize| self.machines.get(*rank).is_some_and(|machine| *machine != here);
        match mark.to {
            _ if mark.length == 0 => {}
            For::All => tell(None, 0),
            For::One(rank) if is_elsewhere(&rank) => tell(Some(rank), 0),
            For::One(_) => {}
            For::Each => {
                let others = (0..self.machines.len()).filter(is_elsewhere);
                others.for_each(|rank| tell(Some(rank), rank * staging.slot()));
            }
        }
        Ok(())
    }

    fn head(&self, to: Option<usize>, kind: u8) -> Vec<u8> {
        let to = to.map_or(ALL, |rank| rank as u32);
        [&to.to_le_bytes()[..], &(self.rank as u32).to_le_bytes(), &[kind]].concat()
    }

    fn staging(&mut self) -> io::Result<Staging> {
        if let Some(staging) = self.staging {
            return Ok(staging);
        }
        let staging = Staging::open(&self.folder, self.machines.len())?;
        self.staging = Some(staging);
        Ok(staging)
    }

    /// Writes what a rank of another machine has told.
    ///
    /// # Errors
    ///
    /// If it is no message of such a rank's; if there is no memory for elements.
    pub fn apply(&mut self, message: &[u8]) -> io::Result<()> {
        let (_, rest) = message.split_at_checked(4).ok_or_else(foreign)?;
        let (rank, rest) = rest.split_first_chunk().ok_or_else(foreign)?;
        let (kind, rest) = rest.split_first().ok_or_else(foreign)?;
        let rank = u32::from_le_bytes(*rank) as usize;
        let here = self.machines[self.rank];
        if self.machines.get(rank).is_none_or(|machine| *machine == here) {
            return Err(foreign());
        }
        match *kind {
            WORDS => {
                let (words, rest) = rest.as_chunks::<WORD>();
                if !rest.is_empty() {
                    return Err(foreign());
                }
                // One by one: whoever looks meanwhile may find counts and a step that are newer than the state, as on the
                // rank's own machine, and none that are older. Elements were written before, by words that order nothing.
                fence(Ordering::SeqCst);
                for word in words {
                    let place = u32::from_le_bytes([word[0], word[1], word[2], word[3]]) as usize;
                    let (_, value) = word.split_last_chunk::<8>().ok_or_else(foreign)?;
                    if place >= self.told.len() {
                        return Err(foreign());
                    }
                    self.board.word(rank, place).store(u64::from_le_bytes(*value), Ordering::SeqCst);
                }
                Ok(())
            }
            ELEMENTS => {
                let (unit, rest) = rest.split_first().ok_or_else(foreign)?;
                let (start, bytes) = rest.split_first_chunk().ok_or_else(foreign)?;
                let (unit, start) = (usize::from(*unit), u32::from_le_bytes(*start) as usize);
                let staging = self.staging()?;
                let is_within = unit < UNITS
                    && start.is_multiple_of(8)
                    && start <= staging.unit()
                    && bytes.len() <= staging.unit() - start;
                if !is_within {
                    return Err(foreign());
                }
                staging.write(rank, unit, start, bytes);
                Ok(())
            }
            _ => Err(foreign()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::board::Posted;
    use crate::{POST, SENDING};

    const ORDER: u64 = 3;

    fn state(activity: Activity, version: u64) -> State {
        State { order: ORDER, activity, given_up: None, peer: 0, version }
    }

    #[test]
    fn what_one_has_written_is_read_elsewhere() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let mut mirrors = [0, 1].map(|rank| Mirror::new(folders[rank].path(), rank, vec![0, 1]).unwrap());
        let boards = [0, 1].map(|rank| Board::open(folders[rank].path(), 2).unwrap());
        let stagings = [0, 1].map(|rank| Staging::open(folders[rank].path(), 2).unwrap());
        assert!(mirrors[0].updates().unwrap().is_empty() && mirrors[0].is_at_rest());
        boards[0].set_state(0, state(Activity::Idle, 1));
        assert!(mirrors[0].updates().unwrap().len() == 1 && !mirrors[0].is_at_rest());
        let post = std::array::from_fn::<u64, POST, _>(|k| k as u64);
        boards[0].set_post(0, Posted::Meeting(1), &post);
        boards[0].set_function(0, 5);
        stagings[0].write(0, SENDING, 0, b"elements");
        boards[0].set_mark(0, SENDING, Mark { number: 1, to: For::One(1), length: 8 });
        boards[0].set_sent(0, 1, ORDER, 2);
        boards[0].set_step(0, ORDER, 1);
        boards[0].set_state(0, state(Activity::Ended, 2));
        let updates = mirrors[0].updates().unwrap();
        assert_eq!(updates.len(), 2, "elements and words");
        assert_eq!(
            updates.iter().map(|update| addressee(&update.0).unwrap()).collect::<Vec<_>>(),
            [Some(1), None]
        );
        assert!(mirrors[0].is_at_rest() && mirrors[0].updates().unwrap().is_empty());
        for Update(message) in &updates {
            mirrors[1].apply(message).unwrap();
            assert!(mirrors[0].apply(message).is_err(), "nobody else writes what is a rank's own");
        }
        assert_eq!(boards[1].post(0, Posted::Meeting(1)), post);
        assert_eq!((boards[1].function(0), boards[1].step(0, ORDER), boards[1].sent(0, 1, ORDER)), (5, 1, 2));
        let mut bytes = [0; 8];
        stagings[1].read(0, SENDING, 0, &mut bytes);
        assert_eq!(&bytes, b"elements");
        assert_eq!(boards[1].look(ORDER).unwrap()[0].state.activity, Activity::Ended);
    }

    #[test]
    fn of_words_the_last_ones_are_told() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let mut mirrors = [0, 1].map(|rank| Mirror::new(folders[rank].path(), rank, vec![0, 1]).unwrap());
        let boards = [0, 1].map(|rank| Board::open(folders[rank].path(), 2).unwrap());
        let staging = Staging::open(folders[0].path(), 2).unwrap();
        let mut messages = Vec::new();
        for step in 1..=5 {
            staging.write(0, (step % 2) as usize, 0, &[step as u8; 8]);
            boards[0].set_mark(0, (step % 2) as usize, Mark { number: step, to: For::All, length: 8 });
            boards[0].set_step(0, ORDER, step);
            boards[0].set_state(0, state(Activity::Meeting, step));
            messages.extend(mirrors[0].updates().unwrap().into_iter().map(|update| Arc::new(update.0)));
        }
        assert_eq!(messages.len(), 10);
        let told = joined(messages).unwrap();
        assert_eq!(told.len(), 6, "elements, and words once");
        told.iter().for_each(|message| mirrors[1].apply(message).unwrap());
        let seen = boards[1].look(ORDER).unwrap()[0];
        assert_eq!((seen.step, seen.state.version), (5, 5));
        let one = vec![Arc::new(vec![1, 2])];
        assert_eq!(joined(one.clone()).unwrap(), one, "what is alone goes on as it is");
        assert!(joined([one.clone(), one].concat()).is_err());
    }

    #[test]
    fn marks_of_nothing_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut mirror = Mirror::new(folder.path(), 0, vec![0, 1]).unwrap();
        let board = Board::open(folder.path(), 2).unwrap();
        let unit = Staging::open(folder.path(), 2).unwrap().unit();
        board.set_mark(0, 1, Mark { number: 1, to: For::One(1), length: unit + 1 });
        assert!(mirror.updates().is_err());
    }

    #[test]
    fn messages_of_strangers_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut mirror = Mirror::new(folder.path(), 0, vec![0, 1]).unwrap();
        let message = |rank: u32, kind: u8, rest: &[u8]| {
            [&ALL.to_le_bytes()[..], &rank.to_le_bytes(), &[kind], rest].concat()
        };
        let word = |place: u32| [&place.to_le_bytes()[..], &[7; 8]].concat();
        let elements = |unit: u8, start: u32| [&[unit][..], &start.to_le_bytes(), &[7; 8]].concat();
        mirror.apply(&message(1, WORDS, &word(9))).unwrap();
        mirror.apply(&message(1, ELEMENTS, &elements(3, 64))).unwrap();
        let full = mirror.staging().unwrap().unit() as u32;
        for bad in [
            Vec::new(),
            vec![1; 5],
            message(0, WORDS, &word(9)),
            message(2, WORDS, &word(9)),
            message(1, WORDS, &word(100_000)),
            message(1, WORDS, &word(9)[..11]),
            message(1, 9, &[]),
            message(1, ELEMENTS, &elements(4, 0)),
            message(1, ELEMENTS, &elements(0, 4)),
            message(1, ELEMENTS, &elements(0, full)),
            message(1, ELEMENTS, &[0]),
        ] {
            assert!(mirror.apply(&bad).is_err(), "{bad:?}");
        }
        assert!(addressee(&[0; 3]).is_err());
    }

    /// Ranks on three machines take steps, and each reads what the others have left before theirs.
    #[test]
    fn elements_are_there_when_their_step_is() {
        const RANKS: usize = 4;
        const STEPS: u64 = 300;
        const MACHINES: [usize; RANKS] = [0, 1, 2, 1];
        let folders: Vec<_> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
        let path = |rank: usize| folders[MACHINES[rank]].path();
        let channels = (0..3).map(|_| channel::<Vec<u8>>());
        let (senders, receivers): (Vec<_>, Vec<_>) = channels.unzip();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for (rank, here) in MACHINES.into_iter().enumerate() {
                let (senders, is_over) = (senders.clone(), &is_over);
                scope.spawn(move || {
                    let mut mirror = Mirror::new(path(rank), rank, MACHINES.to_vec()).unwrap();
                    while !is_over.load(Ordering::Relaxed) {
                        for Update(message) in mirror.updates().unwrap() {
                            let to = addressee(&message).unwrap();
                            for (machine, sender) in senders.iter().enumerate() {
                                let is_meant = to.is_none_or(|to| MACHINES[to] == machine);
                                if machine != here && is_meant {
                                    sender.send(message.clone()).unwrap();
                                }
                            }
                        }
                        // Some are late, and see several steps at once.
                        std::thread::sleep(Duration::from_micros(50 * rank as u64));
                    }
                });
            }
            drop(senders);
            for (machine, receiver) in receivers.into_iter().enumerate() {
                let rank = MACHINES.iter().position(|of| *of == machine).unwrap();
                scope.spawn(move || {
                    let mut mirror = Mirror::new(path(rank), rank, MACHINES.to_vec()).unwrap();
                    receiver.iter().for_each(|message| mirror.apply(&message).unwrap());
                });
            }
            let ranks: Vec<_> = (0..RANKS)
                .map(|rank| {
                    scope.spawn(move || {
                        let board = Board::open(path(rank), RANKS).unwrap();
                        let staging = Staging::open(path(rank), RANKS).unwrap();
                        for step in 1..=STEPS {
                            let unit = (step % 2) as usize;
                            let given = |from: usize, to: usize| [(step as u8) ^ (16 * from + to) as u8; 40];
                            let to = if step % 3 == 0 { For::Each } else { For::All };
                            for other in 0..RANKS {
                                let start = other * staging.slot();
                                staging.write(rank, unit, start, &given(rank, other));
                            }
                            let length = if to == For::Each { 40 } else { 3 * staging.slot() + 40 };
                            board.set_mark(rank, unit, Mark { number: step, to, length });
                            board.set_step(rank, ORDER, step);
                            let start = Instant::now();
                            while !board.have_all(ORDER, step) {
                                assert!(start.elapsed() < Duration::from_secs(60), "{rank} at {step}");
                                std::thread::yield_now();
                            }
                            for other in 0..RANKS {
                                let mut bytes = [0; 40];
                                staging.read(other, unit, rank * staging.slot(), &mut bytes);
                                assert_eq!(bytes, given(other, rank), "{rank} of {other} at {step}");
                            }
                        }
                        board.set_state(rank, state(Activity::Ended, 1));
                    })
                })
                .collect();
            let outcomes: Vec<_> = ranks.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
            is_over.store(true, Ordering::Relaxed);
            assert!(outcomes.iter().all(Result::is_ok));
        });
    }
}

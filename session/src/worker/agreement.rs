//! What several workers say, told as one where they agree.
//!
//! All run the same cell, so most of what they print and show is the same and is told once. What only some of them
//! say stands behind their ranks: `[0] ..`, `[1..=3] ..`. Lines are compared one by one. A line that some ranks have
//! reached and others have not waits for them, but not for long: then it is told as theirs alone.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{Hash as _, Hasher as _};
use std::time::{Duration, Instant};

use gpurepl_wire::{Display, Frame, MimeBundle};

use super::Event;
use crate::output::{Sink, Stream};
use crate::ranks::written;

/// How long what one rank has said waits for the others to say it too.
const PATIENCE: Duration = Duration::from_millis(500);

/// The longest piece of a line that is kept to be compared.
const MOST_BYTES: usize = 1 << 20;

fn hash(stream: Stream, line: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    (index(stream), line).hash(&mut hasher);
    hasher.finish()
}

/// Something that a rank has said.
#[derive(Clone, Debug, PartialEq)]
enum Said {
    /// A line with its end, or a piece of one.
    Line(Stream, Vec<u8>),
    /// A display, a note or another frame that is passed on.
    Frame(Box<Frame>),
}

/// What one rank has said and nobody has been told yet.
#[derive(Debug, Default)]
struct Speaker {
    whole: VecDeque<(Instant, Said)>,
    /// How often a line is among them, by its hash: ranks may differ in every line, and each is looked for in what the
    /// others have said.
    lines: HashMap<u64, usize>,
    /// The beginning of a line, and since when.
    pieces: [Vec<u8>; 2],
    since: Option<Instant>,
    /// Whether it says no more in this cell.
    has_ended: bool,
}

impl Speaker {
    fn push(&mut self, time: Instant, said: Said) {
        if let Said::Line(stream, bytes) = &said {
            *self.lines.entry(hash(*stream, bytes)).or_default() += 1;
        }
        self.whole.push_back((time, said));
    }

    fn pop(&mut self) -> Option<Said> {
        let (_, said) = self.whole.pop_front()?;
        if let Said::Line(stream, bytes) = &said {
            let line = hash(*stream, bytes);
            match self.lines.get_mut(&line) {
                Some(count) if *count > 1 => *count -= 1,
                _ => drop(self.lines.remove(&line)),
            }
        }
        Some(said)
    }

    /// Whether it has said this besides what it has said first.
    fn says_later(&self, said: &Said) -> bool {
        let Said::Line(stream, bytes) = said else {
            return self.whole.iter().skip(1).any(|(_, later)| later == said);
        };
        let count = self.lines.get(&hash(*stream, bytes)).copied().unwrap_or(0);
        count > usize::from(self.whole.front().is_some_and(|(_, first)| first == said))
    }

    fn add(&mut self, stream: Stream, bytes: &[u8], now: Instant) {
        // A line of the other stream that is not complete comes before.
        self.complete(other(stream), now);
        let mut rest = std::mem::take(&mut self.pieces[index(stream)]);
        rest.extend_from_slice(bytes);
        let mut start = 0;
        while let Some(end) = end_of_line(&rest[start..]) {
            self.push(now, Said::Line(stream, rest[start..start + end].to_vec()));
            start += end;
            self.since = None;
        }
        rest.drain(..start);
        if rest.is_empty() {
            return;
        }
        let is_long = rest.len() > MOST_BYTES;
        self.since.get_or_insert(now);
        self.pieces[index(stream)] = rest;
        if is_long {
            self.complete(stream, now);
        }
    }

    /// What there is of a line is taken for all of it.
    fn complete(&mut self, stream: Stream, now: Instant) {
        let piece = std::mem::take(&mut self.pieces[index(stream)]);
        if !piece.is_empty() {
            let since = self.since.take().unwrap_or(now);
            self.push(since, Said::Line(stream, piece));
        }
    }

    fn complete_all(&mut self, now: Instant) {
        self.complete(Stream::Stdout, now);
        self.complete(Stream::Stderr, now);
    }
}

/// What all ranks have said and nobody has been told yet.
#[derive(Debug)]
pub(super) struct Agreement {
    speakers: Vec<Speaker>,
    /// The ranks that carry out the order.
    taking: Vec<usize>,
    /// Displays that can be replaced, and have been shown.
    shown: HashSet<u64>,
    /// Whether what was told last has ended its line.
    is_at_start: bool,
}

impl Agreement {
    pub(super) fn new(ranks: usize) -> Agreement {
        let speakers = (0..ranks).map(|_| Speaker::default()).collect();
        Agreement { speakers, taking: (0..ranks).collect(), shown: HashSet::new(), is_at_start: true }
    }

    /// An order begins, which these ranks carry out.
    pub(super) fn begin(&mut self, ranks: &[usize]) {
        self.taking = ranks.to_vec();
        for (rank, speaker) in self.speakers.iter_mut().enumerate() {
            speaker.has_ended = !self.taking.contains(&rank);
        }
        self.is_at_start = true;
    }

    /// A rank has printed something.
    pub(super) fn print(&mut self, rank: usize, stream: Stream, bytes: &[u8], now: Instant) {
        self.speakers[rank].add(stream, bytes, now);
    }

    /// A rank has shown something.
    pub(super) fn show(&mut self, rank: usize, frame: Frame, now: Instant) {
        let speaker = &mut self.speakers[rank];
        speaker.complete_all(now);
        speaker.push(now, Said::Frame(Box::new(frame)));
    }

    /// A rank has carried out the order.
    pub(super) fn end(&mut self, rank: usize, now: Instant) {
        self.speakers[rank].complete_all(now);
        self.speakers[rank].has_ended = true;
    }

    /// Tells what can be told.
    pub(super) fn tell(&mut self, running: Option<u64>, now: Instant, sink: &mut dyn Sink) {
        for speaker in &mut self.speakers {
            if speaker.since.is_some_and(|since| now.duration_since(since) >= PATIENCE) {
                speaker.complete_all(now);
            }
        }
        while let Some(ranks) = self.next(now, false) {
            self.tell_next(&ranks, running, sink);
        }
    }

    /// Tells all that there is, and waits for nobody.
    pub(super) fn tell_all(&mut self, running: Option<u64>, sink: &mut dyn Sink) {
        let now = Instant::now();
        self.speakers.iter_mut().for_each(|speaker| speaker.complete_all(now));
        while let Some(ranks) = self.next(now, true) {
            self.tell_next(&ranks, running, sink);
        }
    }

    /// How long to wait before something has to be told that nobody has said since.
    pub(super) fn due(&self, now: Instant) -> Option<Duration> {
        let times = self.speakers.iter().flat_map(|speaker| {
            let first = speaker.whole.front().map(|(time, _)| *time);
            first.into_iter().chain(speaker.since)
        });
        times.min().map(|first| PATIENCE.saturating_sub(now.duration_since(first)))
    }

    /// The ranks whose next words are to be told now, which are the same; none if somebody is waited for.
    fn next(&self, now: Instant, is_last: bool) -> Option<Vec<usize>> {
        let mut groups: Vec<(&Said, Vec<usize>)> = Vec::new();
        let (mut oldest, mut is_complete) = (None, true);
        for (rank, speaker) in self.speakers.iter().enumerate() {
            let Some((time, said)) = speaker.whole.front() else {
                is_complete &= speaker.has_ended;
                continue;
            };
            oldest = Some(oldest.map_or(*time, |oldest: Instant| oldest.min(*time)));
            match groups.iter_mut().find(|(known, _)| *known == said) {
                Some((_, ranks)) => ranks.push(rank),
                None => groups.push((said, vec![rank])),
            }
        }
        let is_late = oldest.is_some_and(|oldest| now.duration_since(oldest) >= PATIENCE);
        if !(is_complete || is_late || is_last) {
            return None;
        }
        // What others are going to say as well waits until they do: what they say before it comes first.
        let is_said_later = |said: &Said, ranks: &[usize]| {
            let mut others = self.speakers.iter().enumerate().filter(|(rank, _)| !ranks.contains(rank));
            others.any(|(_, speaker)| speaker.says_later(said))
        };
        let place = groups.iter().position(|(said, ranks)| !is_said_later(said, ranks)).unwrap_or(0);
        (!groups.is_empty()).then(|| groups.swap_remove(place).1)
    }

    fn tell_next(&mut self, ranks: &[usize], running: Option<u64>, sink: &mut dyn Sink) {
        let said = ranks.iter().filter_map(|rank| self.speakers[*rank].pop()).last();
        let Some(said) = said else { return };
        let is_all = self.taking == ranks;
        match said {
            Said::Line(stream, bytes) => {
                let text = if is_all { bytes } else { self.behind(ranks, &bytes) };
                self.is_at_start = is_line(&text);
                sink.output(stream, &text);
            }
            Said::Frame(frame) => {
                let frame = if is_all { *frame } else { of_ranks(*frame, ranks) };
                super::pass_on(self.known(frame), running, sink);
            }
        }
    }

    /// A line behind its ranks, on a line of its own.
    fn behind(&self, ranks: &[usize], bytes: &[u8]) -> Vec<u8> {
        let start = if self.is_at_start { "" } else { "\n" };
        let mut text = format!("{start}[{}] ", written(ranks)).into_bytes();
        text.extend_from_slice(bytes);
        if !is_line(bytes) {
            text.push(b'\n');
        }
        text
    }

    /// A display that is to replace one that was never shown, since its rank was alone with it, is shown.
    fn known(&mut self, frame: Frame) -> Frame {
        let Frame::Display(mut display) = frame else { return frame };
        if let Some(id) = display.id {
            let is_new = self.shown.insert(id);
            display.is_update &= !is_new;
        }
        Frame::Display(display)
    }
}

fn index(stream: Stream) -> usize {
    usize::from(stream == Stream::Stderr)
}

fn other(stream: Stream) -> Stream {
    if stream == Stream::Stdout { Stream::Stderr } else { Stream::Stdout }
}

/// Where the first line ends, if it is complete. A `\r` at the very end may be half of `\r\n`.
fn end_of_line(bytes: &[u8]) -> Option<usize> {
    let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
    match (bytes[end], bytes.get(end + 1)) {
        (b'\r', None) => None,
        (b'\r', Some(b'\n')) => Some(end + 2),
        _ => Some(end + 1),
    }
}

fn is_line(bytes: &[u8]) -> bool {
    matches!(bytes.last(), None | Some(b'\n' | b'\r'))
}

/// What one rank says while no order is carried out, and nobody is compared with it.
pub(super) fn tell_of(rank: usize, event: Event, sink: &mut dyn Sink) {
    match event {
        Event::Output(stream, bytes) => {
            sink.output(stream, &[format!("[{rank}] ").as_bytes(), &bytes].concat());
        }
        Event::Frame(frame) => super::pass_on(of_ranks(*frame, &[rank]), None, sink),
        Event::Closed(_) => {}
    }
}

/// What some ranks have shown, behind their numbers.
fn of_ranks(frame: Frame, ranks: &[usize]) -> Frame {
    let label = written(ranks);
    match frame {
        Frame::Display(display) => {
            // Each rank counts its displays by itself. That of all ranks goes on as the first one's.
            let first = ranks.first().map_or(0, |rank| *rank as u64);
            let id = display.id.map(|id| id | (first << 40));
            Frame::Display(Display { id, bundle: labelled(&display.bundle, &label), ..display })
        }
        Frame::Notice { text } => Frame::Notice { text: format!("[{label}] {text}") },
        Frame::Output { cell, is_stderr, text } => {
            Frame::Output { cell, is_stderr, text: format!("[{label}] {text}") }
        }
        other => other,
    }
}

/// A value with the ranks that it is from. An empty one stays empty: it removes a display.
fn labelled(bundle: &MimeBundle, label: &str) -> MimeBundle {
    let mut bundle = bundle.clone();
    if let Some(text) = bundle.0.get_mut("text/plain") {
        *text = behind(label, text);
    }
    if let Some(html) = bundle.0.get_mut("text/html") {
        *html = format!("<div>[{label}]</div>{html}");
    }
    bundle
}

/// A text behind a label; one of several lines begins on the next.
pub(super) fn behind(label: &str, text: &str) -> String {
    let gap = if text.trim_end().contains('\n') { '\n' } else { ' ' };
    format!("[{label}]{gap}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Ear(String);

    impl Sink for Ear {
        fn output(&mut self, _: Stream, bytes: &[u8]) {
            self.0.push_str(&String::from_utf8_lossy(bytes));
        }

        fn note(&mut self, text: &str) {
            self.0.push_str(&format!("note: {text}\n"));
        }

        fn display_by_id(&mut self, id: u64, bundle: &MimeBundle) {
            self.0.push_str(&format!("<{:x} {}>\n", id >> 40, bundle.get("text/plain").unwrap_or_default()));
        }

        fn update_display(&mut self, id: u64, bundle: &MimeBundle) {
            self.0.push_str(&format!(
                "<{:x} again {}>\n",
                id >> 40,
                bundle.get("text/plain").unwrap_or_default()
            ));
        }
    }

    /// What ranks print at these times in milliseconds, and what is told by then.
    struct Stage {
        agreement: Agreement,
        start: Instant,
        ear: Ear,
    }

    impl Stage {
        fn new(ranks: usize) -> Stage {
            let mut agreement = Agreement::new(ranks);
            agreement.begin(&(0..ranks).collect::<Vec<_>>());
            Stage { agreement, start: Instant::now(), ear: Ear::default() }
        }

        fn at(&self, milliseconds: u64) -> Instant {
            self.start + Duration::from_millis(milliseconds)
        }

        fn print(&mut self, milliseconds: u64, rank: usize, text: &str) {
            let now = self.at(milliseconds);
            self.agreement.print(rank, Stream::Stdout, text.as_bytes(), now);
        }

        fn told(&mut self, milliseconds: u64) -> String {
            let now = self.at(milliseconds);
            self.agreement.tell(None, now, &mut self.ear);
            std::mem::take(&mut self.ear.0)
        }

        fn end(&mut self, milliseconds: u64) -> String {
            let now = self.at(milliseconds);
            for rank in 0..self.agreement.speakers.len() {
                self.agreement.end(rank, now);
            }
            self.agreement.tell(None, now, &mut self.ear);
            std::mem::take(&mut self.ear.0)
        }
    }

    #[test]
    fn what_all_ranks_print_is_told_once_however_it_is_cut() {
        let mut stage = Stage::new(3);
        stage.print(0, 0, "one\ntwo\r\nthr");
        stage.print(1, 1, "o");
        stage.print(2, 1, "ne\ntwo\r");
        stage.print(3, 2, "one\ntwo\r\n");
        assert_eq!(stage.told(4), "one\n");
        stage.print(5, 1, "\nthr");
        stage.print(6, 2, "thr");
        assert_eq!(stage.told(7), "two\r\n");
        assert_eq!(stage.end(8), "thr");
    }

    #[test]
    fn what_only_some_print_stands_behind_their_ranks() {
        let mut stage = Stage::new(4);
        for rank in 0..4 {
            stage.print(0, rank, &format!("same\nrank {}\nend\n", rank.min(1)));
        }
        assert_eq!(stage.told(1), "same\n[0] rank 0\n[1..=3] rank 1\nend\n");
        assert_eq!(stage.end(2), "");
    }

    #[test]
    fn a_line_of_one_rank_does_not_part_the_lines_of_all() {
        let mut stage = Stage::new(3);
        stage.print(0, 0, "only here\nall\n");
        stage.print(0, 1, "all\n");
        stage.print(0, 2, "all\n");
        assert_eq!(stage.end(1), "[0] only here\nall\n");
    }

    #[test]
    fn a_line_of_all_is_found_behind_thousands_of_one() {
        let mut stage = Stage::new(2);
        let own: String = (0..20_000).map(|line| format!("line {line}\n")).collect();
        stage.print(0, 0, "all\n");
        stage.print(0, 1, &format!("{own}all\n"));
        let told = stage.end(1);
        assert!(told.starts_with("[1] line 0\n") && told.ends_with("[1] line 19999\nall\n"));
        assert!(stage.agreement.speakers.iter().all(|speaker| speaker.lines.is_empty()));
    }

    #[test]
    fn lines_in_another_order_are_all_told() {
        let mut stage = Stage::new(2);
        stage.print(0, 0, "a\nb\n");
        stage.print(0, 1, "b\na\n");
        let told = stage.end(1);
        assert_eq!(told, "[0] a\nb\n[1] a\n");
    }

    #[test]
    fn nobody_is_waited_for_longer_than_a_moment() {
        let mut stage = Stage::new(2);
        stage.print(0, 0, "step 1\nstep 2\nhal");
        assert_eq!(stage.told(400), "");
        assert_eq!(stage.agreement.due(stage.at(400)), Some(Duration::from_millis(100)));
        assert_eq!(stage.told(500), "[0] step 1\n[0] step 2\n[0] hal\n");
        stage.print(600, 1, "step 1\n");
        assert_eq!(stage.told(601), "");
        assert_eq!(stage.end(602), "[1] step 1\n");
    }

    #[test]
    fn ranks_that_are_left_out_are_not_waited_for() {
        let mut stage = Stage::new(3);
        stage.agreement.begin(&[1, 2]);
        stage.print(0, 1, "x\n");
        stage.print(0, 2, "x\n");
        assert_eq!(stage.told(1), "x\n", "these are all that print");
    }

    #[test]
    fn displays_and_notes_keep_their_places_between_lines() {
        let mut stage = Stage::new(2);
        let shown = |text: &str, is_update| {
            let bundle = MimeBundle::text(text);
            Frame::Display(Display { is_result: false, bundle, id: Some(7), is_update, cell: None })
        };
        let now = stage.at(0);
        for rank in 0..2 {
            stage.print(0, rank, "before\n");
            stage.agreement.show(rank, shown("0 %", false), now);
            stage.agreement.show(rank, shown(if rank == 0 { "50 %" } else { "40 %" }, true), now);
            stage.agreement.show(rank, Frame::Notice { text: "well".to_owned() }, now);
            stage.print(0, rank, "after\n");
        }
        assert_eq!(stage.end(1), "before\n<0 0 %>\n<0 again [0] 50 %>\n<1 [1] 40 %>\nnote: well\nafter\n");
    }
}

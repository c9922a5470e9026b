//! Displays that change, progress, and questions, on the terminal or not.

use std::io::IsTerminal as _;

use gpurepl_session::{InputRequest, MimeBundle, Stream};

use super::Terminal;
use super::bars::MIME;
use super::picture;
use super::question::{Answer, Questions};
use super::screen::Size;

impl Terminal {
    /// Whether a stream is what the user sees.
    pub(super) fn is_on_screen(&self, stream: Stream) -> bool {
        match stream {
            Stream::Stdout => self.stdout.is_terminal,
            Stream::Stderr => self.stderr.is_terminal,
        }
    }

    fn size() -> Size {
        console::Term::stderr().size_checked().unwrap_or((24, 80))
    }

    /// How many characters a line has.
    pub(super) fn columns() -> usize {
        usize::from(Terminal::size().1).max(20)
    }

    /// The picture of a bundle, without the end of its last line, if it has one
    /// that this terminal can draw.
    pub(super) fn picture(&self, bundle: &MimeBundle) -> Option<String> {
        let has_all_colours = std::env::var("COLORTERM").is_ok_and(|value| {
            let value = value.to_lowercase();
            value.contains("truecolor") || value.contains("24bit")
        });
        let mut text = picture::drawn(bundle, self.pictures, Terminal::size(), has_all_colours)?;
        text.pop();
        Some(text)
    }

    /// Writes what moves the cursor: the user's text is where it was before,
    /// at the start of a line.
    fn control(&mut self, stream: Stream, sequence: &str) {
        if !sequence.is_empty() {
            self.put(stream, sequence.as_bytes());
            (self.stdout.is_fresh, self.stderr.is_fresh) = (true, true);
        }
    }

    pub(super) fn erase_bars(&mut self) {
        let sequence = self.bars.erase();
        self.control(Stream::Stderr, &sequence);
    }

    /// Draws the bars, unless the cell is in the middle of a line.
    pub(super) fn draw_bars(&mut self) {
        let is_fresh = self.stderr.is_fresh && (self.stdout.is_fresh || !self.stdout.is_terminal);
        if self.stderr.is_terminal && is_fresh {
            let text = self.bars.draw(Terminal::size());
            self.control(Stream::Stderr, &text);
        }
    }

    /// Takes from the screen what the cell has put there.
    pub(super) fn clear_now(&mut self) {
        self.clears = false;
        if self.stdout.is_terminal {
            self.erase_bars();
            if let Some(sequence) = self.screen.clear(Terminal::size()) {
                self.control(Stream::Stdout, &sequence);
            }
            self.draw_bars();
        }
    }

    /// Shows a display, or shows it again.
    pub(super) fn update(&mut self, id: u64, bundle: &MimeBundle, is_first: bool) {
        let picture = self.picture(bundle);
        let text = picture.as_deref().or(bundle.get("text/plain"));
        if let (Some(state), Some(text)) = (bundle.get(MIME), text) {
            self.update_bar(id, text, state.contains("\"running\""));
            return;
        }
        if !self.stdout.is_terminal {
            let place = self.held.iter().position(|(own, _)| *own == id);
            match (place, text) {
                (Some(place), Some(text)) => text.clone_into(&mut self.held[place].1),
                (Some(place), None) => drop(self.held.remove(place)),
                (None, Some(text)) => self.held.push((id, text.to_owned())),
                (None, None) => {}
            }
            return;
        }
        if std::mem::take(&mut self.clears) {
            self.clear_now();
        }
        self.marked = None;
        self.erase_bars();
        let taken = self.screen.take_display(id, Terminal::size());
        let is_in_place = taken.is_some();
        match taken {
            Some(sequence) => self.control(Stream::Stdout, &sequence),
            None => self.fresh_line(Stream::Stdout),
        }
        let text = text.map_or(String::new(), |text| format!("{text}\n"));
        if !is_in_place && !is_first && !text.is_empty() {
            self.mark("[updated]\n");
        }
        if is_in_place || !text.is_empty() {
            self.put(Stream::Stdout, text.as_bytes());
            self.screen.add_display(id, &text);
        }
        self.draw_bars();
    }

    fn update_bar(&mut self, id: u64, text: &str, is_running: bool) {
        if !self.stderr.is_terminal {
            // A line at the begin, and one at the end.
            if !is_running || !self.bars.has(id) {
                self.fresh_line(Stream::Stderr);
                self.put(Stream::Stderr, format!("{text}\n").as_bytes());
            }
        }
        if is_running {
            self.bars.set(id, text);
            self.erase_bars();
            self.draw_bars();
        } else {
            self.bars.remove(id);
            self.leave_bar(text);
        }
    }

    /// A bar at its end stays as a line.
    fn leave_bar(&mut self, text: &str) {
        if self.stderr.is_terminal {
            self.erase_bars();
            self.fresh_line(Stream::Stderr);
            self.write(Stream::Stderr, format!("{text}\n").as_bytes());
        }
    }

    /// Shows what was held back because it could change.
    pub(super) fn show_held(&mut self) {
        for (_, text) in std::mem::take(&mut self.held) {
            self.fresh_line(Stream::Stdout);
            self.write(Stream::Stdout, format!("{text}\n").as_bytes());
        }
    }

    /// A cell has ended: what it has shown stays.
    pub(super) fn settle(&mut self) {
        self.show_held();
        self.clears = false;
        self.erase_bars();
        for text in self.bars.take() {
            self.leave_bar(&text);
        }
        self.screen.begin();
    }

    fn mark(&mut self, text: &str) {
        let style = self.theme.aside;
        let text = if self.stdout.has_colours { format!("{style}{text}{style:#}") } else { text.to_owned() };
        self.put(Stream::Stdout, text.as_bytes());
        self.screen.add(text.as_bytes());
    }

    /// Writes what a thread of an earlier cell has printed. At a prompt each
    /// line says which cell that was.
    pub(super) fn write_marked(&mut self, cell: u64, stream: Stream, bytes: &[u8]) {
        if self.result_number.is_none() || !self.is_on_screen(stream) {
            self.write(stream, bytes);
            return;
        }
        let mut is_begun = self.marked == Some(cell);
        if !is_begun {
            self.fresh_line(stream);
        }
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let mut text = Vec::new();
            if !is_begun {
                let style = self.theme.aside;
                let mark = format!("[cell {cell}]");
                let has_colours = self.stdout.has_colours;
                let mark = if has_colours { format!("{style}{mark}{style:#} ") } else { format!("{mark} ") };
                text.extend(mark.bytes());
            }
            text.extend(line);
            self.write(stream, &text);
            is_begun = !line.ends_with(b"\n");
        }
        self.marked = is_begun.then_some(cell);
    }

    /// Reads a line of standard input for several workers, which cannot share it.
    fn read_line(&mut self, request: &InputRequest) -> Option<String> {
        if !request.is_shown {
            self.write(Stream::Stdout, request.prompt.as_bytes());
        }
        let mut line = String::new();
        match std::io::stdin().read_line(&mut line) {
            Ok(1..) => Some(line),
            Ok(0) | Err(_) => None,
        }
    }

    /// Asks the user for a line that a cell wants. Where there is no user the
    /// input is at its end.
    pub(super) fn ask(&mut self, request: &InputRequest) -> Option<String> {
        if self.reads_input {
            return self.read_line(request);
        }
        if !self.is_interactive() || !self.stderr.is_terminal || !std::io::stdin().is_terminal() {
            return None;
        }
        self.erase_bars();
        if !request.is_shown {
            self.fresh_line(Stream::Stdout);
        }
        if self.questions.is_none() {
            self.questions = Questions::new().ok();
        }
        let (before, prompt) = request.prompt.rsplit_once('\n').unwrap_or(("", &request.prompt));
        if !before.is_empty() {
            self.write(Stream::Stdout, format!("{before}\n").as_bytes());
        }
        let answer = self.questions.as_mut()?.ask(prompt, request.is_password);
        (self.stdout.is_fresh, self.stderr.is_fresh) = (true, true);
        let shown = if request.is_shown { "" } else { prompt };
        let answer = match answer {
            Answer::Line(line) => {
                let typed = if request.is_password { "" } else { &line };
                self.screen.add(format!("{shown}{typed}\n").as_bytes());
                Some(line)
            }
            Answer::End => {
                self.screen.add(format!("{shown}\n").as_bytes());
                None
            }
            Answer::Interrupt => {
                if let Some(interrupter) = &self.interrupter {
                    interrupter.interrupt();
                }
                None
            }
        };
        self.draw_bars();
        answer
    }
}

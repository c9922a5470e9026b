//! What the user sees: output as the bytes it is, values, errors, progress.

mod bars;
mod coloured;
mod display;
mod folding;
mod picture;
mod question;
mod repair;
mod screen;
mod sixel;
mod window;

use std::io::{self, IsTerminal as _, Write};

use annotate_snippets::Renderer;
use anstyle::Style;
use gpurepl_session::diagnostic::Source;
use gpurepl_session::sanitizer::on_lines_of;
use gpurepl_session::{
    Diagnostic, InputRequest, Interrupter, MimeBundle, Progress, Severity, Sink, Stream, Upcoming,
};
use indicatif::{ProgressBar, ProgressStyle};

use crate::confirm;
use crate::theme::{Theme, ThemeName};
use bars::Bars;
pub use picture::Pictures;
use question::Questions;
use repair::Repair;
use screen::Screen;

/// The two output streams of this process.
pub struct Terminal {
    stdout: Surface,
    stderr: Surface,
    theme: &'static Theme,
    /// The number that results are shown with: at a prompt only.
    result_number: Option<u64>,
    /// Whether only what the program prints is shown, and errors.
    is_quiet: bool,
    /// Whether lines that cells want are those of standard input, whatever that is.
    reads_input: bool,
    /// How pictures are drawn, as settled for this terminal.
    pictures: Pictures,
    progress: Option<ProgressBar>,
    /// Stops a cell whose output is not read any more.
    interrupter: Option<Interrupter>,
    /// The texts on whose lines the host device's findings are shown.
    kernels: Vec<Source>,
    repair: Repair,
    is_closed: bool,
    /// What the cell has put on the screen.
    screen: Screen,
    bars: Bars,
    /// Displays that may still change, where nothing can be written over.
    held: Vec<(u64, String)>,
    /// Whether the screen is to be cleared when something comes.
    clears: bool,
    /// The earlier cell whose output the cursor is in.
    marked: Option<u64>,
    questions: Option<Questions>,
    /// What the next cell should know, where there may be none.
    for_later: Option<Vec<String>>,
    /// The next cell of a script.
    upcoming: Option<Upcoming>,
}

/// A stream and what is known of it.
struct Surface {
    writer: Box<dyn Write>,
    is_terminal: bool,
    has_colours: bool,
    /// Whether the cursor is at the start of a line.
    is_fresh: bool,
}

impl Surface {
    fn of(writer: impl anstream::stream::RawStream + 'static) -> Surface {
        let choice = anstream::AutoStream::choice(&writer);
        Surface {
            is_terminal: writer.is_terminal(),
            has_colours: choice != anstream::ColorChoice::Never,
            is_fresh: true,
            writer: Box::new(writer),
        }
    }
}

impl Terminal {
    /// The terminal, or the files and pipes, that this process writes to.
    pub fn new() -> Terminal {
        Terminal::on(Surface::of(io::stdout()), Surface::of(io::stderr()))
    }

    fn on(stdout: Surface, stderr: Surface) -> Terminal {
        Terminal {
            repair: Repair::new(stdout.is_terminal),
            stdout,
            stderr,
            theme: ThemeName::default().theme(),
            result_number: None,
            is_quiet: false,
            reads_input: false,
            pictures: Pictures::Text,
            progress: None,
            interrupter: None,
            kernels: Vec::new(),
            is_closed: false,
            screen: Screen::default(),
            bars: Bars::default(),
            held: Vec::new(),
            clears: false,
            marked: None,
            questions: None,
            for_later: None,
            upcoming: None,
        }
    }

    /// A terminal without colours that is not a terminal: both streams write
    /// here.
    #[cfg(test)]
    pub fn to(writer: impl Write + Clone + 'static) -> Terminal {
        let surface = |writer| Surface { writer, is_terminal: false, has_colours: false, is_fresh: true };
        Terminal::on(surface(Box::new(writer.clone())), surface(Box::new(writer)))
    }

    /// Shows everything in these styles.
    pub fn set_theme(&mut self, theme: &'static Theme) {
        self.theme = theme;
    }

    /// The styles of everything.
    pub fn theme(&self) -> &'static Theme {
        self.theme
    }

    /// Has lines that cells want read from standard input, also where nobody types it.
    pub fn set_reads_input(&mut self, reads_input: bool) {
        self.reads_input = reads_input;
    }

    /// Shows no values and no notes, only what is printed, and errors.
    pub fn set_quiet(&mut self, is_quiet: bool) {
        self.is_quiet = is_quiet;
    }

    /// Holds back what only later cells can notice until one comes, or drops
    /// what is held.
    pub fn hold_for_later(&mut self, is_held: bool) {
        self.for_later = is_held.then(Vec::new);
    }

    /// Says what is evaluated after the next cell.
    pub fn expect(&mut self, upcoming: Option<Upcoming>) {
        self.upcoming = upcoming;
    }

    /// Another cell has come.
    pub fn tell_later(&mut self) {
        let notes = self.for_later.as_mut().map(std::mem::take).unwrap_or_default();
        notes.iter().for_each(|note| self.note(note));
    }

    /// Draws pictures so, if standard output is a terminal with colours.
    pub fn set_pictures(&mut self, pictures: Pictures) {
        let can_draw = self.stdout.is_terminal && self.stdout.has_colours;
        self.pictures = if can_draw { pictures.on(|name| std::env::var(name).ok()) } else { Pictures::Text };
    }

    /// Shows what kernels on the host device do wrong on lines of these texts.
    pub fn set_kernels(&mut self, texts: Vec<Source>) {
        self.kernels = texts;
    }

    /// Whether a user sits on both ends: then there is a prompt and a banner.
    pub fn is_interactive(&self) -> bool {
        io::stdin().is_terminal() && self.stdout.is_terminal
    }

    /// Whether standard output can show colours.
    pub fn has_colours(&self) -> bool {
        self.stdout.has_colours
    }

    /// Whether standard error is a terminal.
    pub fn shows_stderr(&self) -> bool {
        self.stderr.is_terminal
    }

    /// Shows results as `Out[number]: ` from now on.
    pub fn number_results(&mut self, number: u64) {
        self.result_number = Some(number);
    }

    /// What to stop when the reader of the output goes away.
    pub fn set_interrupter(&mut self, interrupter: Interrupter) {
        self.interrupter = Some(interrupter);
    }

    /// Whether the reader of the output has gone away.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// A line of the shell's own on standard output.
    pub fn line(&mut self, text: &str, style: Style) {
        let text =
            if self.stdout.has_colours { format!("{style}{text}{style:#}\n") } else { format!("{text}\n") };
        self.fresh_line(Stream::Stdout);
        self.write(Stream::Stdout, text.as_bytes());
    }

    /// Text of the shell's own on standard output, as it is.
    pub fn text(&mut self, text: &str) {
        self.write(Stream::Stdout, text.as_bytes());
    }

    /// Takes the last rows off the screen, above the one with the cursor.
    pub fn erase(&mut self, rows: usize) {
        self.write_sequence(format!("\x1b[{rows}A\r\x1b[J").as_bytes());
    }

    /// Writes what moves nothing that was begun to another place of its line.
    fn write_sequence(&mut self, sequence: &[u8]) {
        let is_fresh = (self.stdout.is_fresh, self.stderr.is_fresh);
        self.write(Stream::Stdout, sequence);
        (self.stdout.is_fresh, self.stderr.is_fresh) = is_fresh;
    }

    /// Makes the terminal ready for a prompt, whatever has been written to it
    /// or done with it: colours end, other screens are left, keys are seen.
    pub fn prepare_prompt(&mut self) {
        // Of something that has ended without saying so.
        if let Some(bar) = self.progress.take() {
            bar.finish_and_clear();
        }
        if let Some(sequence) = self.repair.sequence() {
            self.write_sequence(&sequence);
        }
        self.fresh_line(Stream::Stdout);
        self.repair.restore_modes();
    }

    /// A command of the system has had the terminal: one that succeeded, such
    /// as `stty`, may have meant what it did to it.
    pub fn restore_modes(&mut self, is_meant: bool) {
        if is_meant {
            self.repair.remember_modes();
        } else {
            self.repair.restore_modes();
        }
    }

    /// Ends a line that user code has begun, so that what comes next starts
    /// one of its own.
    pub fn fresh_line(&mut self, stream: Stream) {
        let is_shared = self.stdout.is_terminal && self.stderr.is_terminal;
        let is_fresh = match stream {
            Stream::Stdout => self.stdout.is_fresh && (!is_shared || self.stderr.is_fresh),
            Stream::Stderr => self.stderr.is_fresh && (!is_shared || self.stdout.is_fresh),
        };
        if !is_fresh {
            self.write(stream, b"\n");
            if is_shared {
                (self.stdout.is_fresh, self.stderr.is_fresh) = (true, true);
            }
        }
    }

    /// Writes, below what stands and above progress bars.
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if std::mem::take(&mut self.clears) {
            self.clear_now();
        }
        self.marked = None;
        self.erase_bars();
        self.put(stream, bytes);
        if self.is_on_screen(stream) {
            self.screen.add(bytes);
        }
        self.draw_bars();
    }

    fn put(&mut self, stream: Stream, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        if self.is_closed {
            return;
        }
        let is_shared = self.stdout.is_terminal && self.stderr.is_terminal;
        let surface = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        surface.is_fresh = *last == b'\n';
        // A prompt without a newline has to be seen.
        let written = surface.writer.write_all(bytes).and_then(|()| surface.writer.flush());
        // Both terminals are the same: the cursor is where this text ends.
        if is_shared {
            let is_fresh = *last == b'\n';
            (self.stdout.is_fresh, self.stderr.is_fresh) = (is_fresh, is_fresh);
        }
        if written.is_err() && stream == Stream::Stdout {
            self.is_closed = true;
            // A cell that prints for ever has to end, and it may not listen.
            if let Some(interrupter) = &self.interrupter {
                interrupter.interrupt();
                interrupter.interrupt();
            }
        }
    }

    /// Whether the user has interrupted what runs.
    pub fn is_interrupted(&self) -> bool {
        self.interrupter.as_ref().is_some_and(Interrupter::was_asked)
    }

    /// Text on standard error where a line starts, without ending it.
    pub fn question(&mut self, text: &str) {
        self.fresh_line(Stream::Stderr);
        self.write(Stream::Stderr, text.as_bytes());
    }

    /// A line on standard error.
    pub fn aside(&mut self, text: &str) {
        self.fresh_line(Stream::Stderr);
        let style = self.theme.aside;
        let text =
            if self.stderr.has_colours { format!("{style}{text}{style:#}\n") } else { format!("{text}\n") };
        self.write(Stream::Stderr, text.as_bytes());
    }

    /// Says that the user has interrupted, where the user is there to read it.
    pub fn interrupted(&mut self) {
        if !self.is_closed {
            // The terminal itself has written `^C`.
            self.stderr.is_fresh &= !self.stderr.is_terminal;
            self.aside("interrupted");
        }
    }

    /// An error that is about no cell.
    pub fn error(&mut self, message: &str) {
        self.diagnostic(&Diagnostic::error(message));
    }

    fn renderer(&self) -> Renderer {
        let renderer = if self.stderr.has_colours { self.theme.renderer() } else { Renderer::plain() };
        match terminal_size::terminal_size() {
            // Of long lines the part is shown that fits.
            Some((width, _)) if self.stderr.is_terminal => renderer.term_width(usize::from(width.0).max(40)),
            _ => renderer,
        }
    }
}

/// What is said of the device that was chosen.
pub fn device_line(id: &str, name: &str, rule: &str) -> String {
    let id = if id == name { String::new() } else { format!(" ({id})") };
    format!("device: {name}{id}, {rule}")
}

impl Sink for Terminal {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        self.repair.saw(bytes);
        self.write(stream, bytes);
    }

    fn output_of(&mut self, cell: u64, stream: Stream, bytes: &[u8]) {
        // Below the latest cell nobody asks which one a line belongs to.
        if self.result_number == Some(cell) {
            self.output(stream, bytes);
        } else {
            self.write_marked(cell, stream, bytes);
        }
    }

    fn display_by_id(&mut self, id: u64, bundle: &MimeBundle) {
        self.update(id, bundle, true);
    }

    fn update_display(&mut self, id: u64, bundle: &MimeBundle) {
        self.update(id, bundle, false);
    }

    fn clear_output(&mut self, wait: bool) {
        self.held.clear();
        self.clears = wait;
        if !wait {
            self.clear_now();
        }
    }

    fn input(&mut self, request: &InputRequest) -> Option<String> {
        self.ask(request)
    }

    fn begun(&mut self) {
        self.screen.begin();
    }

    fn settled(&mut self) {
        self.settle();
    }

    fn upcoming(&mut self) -> Option<Upcoming> {
        self.upcoming.take()
    }

    fn display(&mut self, bundle: &MimeBundle, is_result: bool) {
        if is_result && self.is_quiet {
            return;
        }
        let picture = self.picture(bundle);
        let Some(text) = picture.as_deref().or(bundle.get("text/plain")) else { return };
        self.show_held();
        self.fresh_line(Stream::Stdout);
        self.repair.saw(text.as_bytes());
        if let (true, Some(number)) = (is_result, self.result_number) {
            let style = self.theme.result;
            let mark = format!("Out[{number}]:");
            let mark = if self.stdout.has_colours { format!("{style}{mark}{style:#}") } else { mark };
            // The lines of an array stand below each other.
            let gap = if picture.is_some() || text.contains('\n') { "\n" } else { " " };
            self.write(Stream::Stdout, format!("{mark}{gap}").as_bytes());
            if self.stdout.is_terminal && picture.is_none() {
                self.write(Stream::Stdout, format!("{}\n", window::windowed(text)).as_bytes());
                return;
            }
        }
        // A page of the documentation.
        if self.stdout.is_terminal && picture.is_none() && bundle.get("text/markdown").is_some() {
            let text = folding::folded(text, Terminal::columns());
            self.write(Stream::Stdout, format!("{text}\n").as_bytes());
            return;
        }
        self.write(Stream::Stdout, format!("{text}\n").as_bytes());
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        if self.is_quiet && diagnostic.severity == Severity::Warning {
            return;
        }
        self.fresh_line(Stream::Stderr);
        let diagnostic = on_lines_of(&self.kernels, diagnostic);
        let mut text = format!("{}\n", diagnostic.render_with(&self.renderer()));
        if self.stderr.is_terminal {
            text = folding::folded(&text, Terminal::columns());
        }
        self.write(Stream::Stderr, text.as_bytes());
    }

    fn device(&mut self, id: &str, name: &str, rule: &str) {
        // In a log the line would be noise; `gpurepl devices` shows it.
        if self.stderr.is_terminal && !self.is_quiet {
            self.aside(&device_line(id, name, rule));
        }
    }

    fn no_device(&mut self, problem: &str) {
        // A script fails with the same words where it uses the device.
        if self.is_interactive() {
            self.aside(&format!("no device: {problem}"));
        }
    }

    fn note(&mut self, text: &str) {
        if !self.is_quiet {
            self.aside(&format!("note: {text}"));
        }
    }

    fn note_for_later(&mut self, text: &str) {
        match &mut self.for_later {
            Some(notes) => notes.push(text.to_owned()),
            None => self.note(text),
        }
    }

    fn confirm(&mut self, question: &str) -> bool {
        let is_asked = self.is_interactive() && self.result_number.is_some();
        is_asked && confirm::confirm(question, self)
    }

    fn times(&mut self, text: &str) {
        self.aside(text);
    }

    fn clear_screen(&mut self) {
        if self.stdout.is_terminal {
            // The screen, what has scrolled off it, and the cursor home.
            self.write(Stream::Stdout, b"\x1b[2J\x1b[3J\x1b[H");
            (self.stdout.is_fresh, self.stderr.is_fresh) = (true, true);
        }
    }

    fn exited(&mut self, status: i32, lost: &[String]) -> bool {
        // A script ends the way that it wants to; at a prompt it is news.
        if self.result_number.is_some() {
            let lost = if lost.is_empty() { String::new() } else { format!("; lost: {}", lost.join(", ")) };
            self.note(&format!("the cell has ended its process with status {status}{lost}"));
        }
        self.result_number.is_some()
    }

    fn progress(&mut self, progress: &Progress) {
        if !self.stderr.is_terminal {
            // A line at the start: a minute of silence looks like a hang.
            if self.progress.is_none() {
                self.progress = Some(ProgressBar::hidden());
                self.aside(&progress.title);
            }
            return;
        }
        let bar = self.progress.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {elapsed} {msg}");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ");
            let bar = ProgressBar::new(progress.total as u64).with_style(style);
            bar.enable_steady_tick(std::time::Duration::from_millis(200));
            bar
        });
        bar.set_prefix(progress.title.clone());
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
        bar.set_message(progress.item.clone());
        if progress.done >= progress.total {
            bar.finish_and_clear();
            self.progress = None;
        }
    }
}

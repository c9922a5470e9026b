//! What the user sees: output as the bytes it is, values, errors, progress.

use std::io::{self, IsTerminal as _, Write};

use anstyle::{AnsiColor, Style};
use gpurepl_session::diagnostic::Source;
use gpurepl_session::sanitizer::on_lines_of;
use gpurepl_session::{Diagnostic, Interrupter, MimeBundle, Progress, Sink, Stream};
use indicatif::{ProgressBar, ProgressStyle};

/// The styles of the shell.
pub mod style {
    use super::{AnsiColor, Style};

    /// The prompt.
    pub const PROMPT: Style = AnsiColor::Green.on_default().bold();
    /// The mark before a result.
    pub const RESULT: Style = AnsiColor::Red.on_default().bold();
    /// What is said besides.
    pub const ASIDE: Style = Style::new().dimmed();
}

/// The two output streams of this process.
pub struct Terminal {
    stdout: Surface,
    stderr: Surface,
    /// The number that results are shown with: at a prompt only.
    result_number: Option<u64>,
    progress: Option<ProgressBar>,
    /// Stops a cell whose output nobody reads any more.
    interrupter: Option<Interrupter>,
    /// The texts on whose lines the host device's findings are shown.
    kernels: Vec<Source>,
    is_closed: bool,
}

/// A stream and what is known of it.
struct Surface {
    is_terminal: bool,
    has_colours: bool,
    /// Whether the cursor is at the start of a line.
    is_fresh: bool,
}

impl Surface {
    fn of(stream: &impl anstream::stream::RawStream) -> Surface {
        let choice = anstream::AutoStream::choice(stream);
        Surface {
            is_terminal: stream.is_terminal(),
            has_colours: choice != anstream::ColorChoice::Never,
            is_fresh: true,
        }
    }
}

impl Terminal {
    /// The terminal, or the files and pipes, that this process writes to.
    pub fn new() -> Terminal {
        Terminal {
            stdout: Surface::of(&io::stdout()),
            stderr: Surface::of(&io::stderr()),
            result_number: None,
            progress: None,
            interrupter: None,
            kernels: Vec::new(),
            is_closed: false,
        }
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

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        if self.is_closed {
            return;
        }
        let surface = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        surface.is_fresh = *last == b'\n';
        // Both terminals are the same: the cursor is where this text ends.
        if self.stdout.is_terminal && self.stderr.is_terminal {
            let is_fresh = *last == b'\n';
            (self.stdout.is_fresh, self.stderr.is_fresh) = (is_fresh, is_fresh);
        }
        let written = match stream {
            Stream::Stdout => write_all(io::stdout().lock(), bytes),
            Stream::Stderr => write_all(io::stderr().lock(), bytes),
        };
        if written.is_err() && stream == Stream::Stdout {
            self.is_closed = true;
            // A cell that prints for ever has to end, and it may not listen.
            if let Some(interrupter) = &self.interrupter {
                interrupter.interrupt();
                interrupter.interrupt();
            }
        }
    }

    /// A line on standard error.
    fn aside(&mut self, text: &str) {
        self.fresh_line(Stream::Stderr);
        let style = style::ASIDE;
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
}

/// Writes bytes at once: a prompt without a newline has to be seen.
fn write_all(mut stream: impl Write, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes)?;
    stream.flush()
}

impl Sink for Terminal {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        self.write(stream, bytes);
    }

    fn display(&mut self, bundle: &MimeBundle, is_result: bool) {
        let Some(text) = bundle.get("text/plain") else { return };
        self.fresh_line(Stream::Stdout);
        if let (true, Some(number)) = (is_result, self.result_number) {
            let style = style::RESULT;
            let mark = format!("Out[{number}]:");
            let mark = if self.stdout.has_colours { format!("{style}{mark}{style:#}") } else { mark };
            // The lines of an array stand below each other.
            let gap = if text.contains('\n') { "\n" } else { " " };
            self.write(Stream::Stdout, format!("{mark}{gap}").as_bytes());
        }
        self.write(Stream::Stdout, format!("{text}\n").as_bytes());
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        self.fresh_line(Stream::Stderr);
        let diagnostic = on_lines_of(&self.kernels, diagnostic);
        let text = format!("{}\n", diagnostic.render(self.stderr.has_colours));
        self.write(Stream::Stderr, text.as_bytes());
    }

    fn device(&mut self, id: &str, name: &str, rule: &str) {
        // In a log the line would be noise; `gpurepl devices` tells it.
        if self.stderr.is_terminal {
            let id = if id == name { String::new() } else { format!(" ({id})") };
            self.aside(&format!("device: {name}{id}, {rule}"));
        }
    }

    fn no_device(&mut self, problem: &str) {
        // A script fails with the same words where it uses the device.
        if self.is_interactive() {
            self.aside(&format!("no device: {problem}"));
        }
    }

    fn note(&mut self, text: &str) {
        self.aside(&format!("note: {text}"));
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

    fn exited(&mut self, status: i32, lost: &[String]) {
        // A script ends the way that it wants to; at a prompt it is news.
        if self.result_number.is_some() {
            let lost = if lost.is_empty() { String::new() } else { format!("; lost: {}", lost.join(", ")) };
            self.note(&format!("the cell has ended its process with status {status}{lost}"));
        }
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

//! What threads of the user's print while the user types: it appears above
//! the prompt at once.

use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gpurepl_session::{Background, MimeBundle, Sink, Stream};
use rustyline::ExternalPrinter;

use crate::terminal::device_line;
use crate::theme::Theme;

/// How long half a line waits for its other half.
const PATIENCE: Duration = Duration::from_millis(250);

/// A thread that listens while the user types.
pub struct Listener {
    background: Option<Background>,
    begun: Begun,
}

/// A line that has no end yet.
type Begun = Arc<Mutex<Vec<u8>>>;

fn lock(begun: &Begun) -> MutexGuard<'_, Vec<u8>> {
    begun.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Listener {
    /// Begins to listen. `asides` is how notes look; none without colours.
    pub fn start<P: ExternalPrinter + Send + 'static>(
        background: Option<Background>,
        printer: P,
        asides: Option<&'static Theme>,
        is_stderr_shown: bool,
    ) -> Listener {
        let begun = Begun::default();
        if let Some(background) = background.clone() {
            let mut ear = Ear { printer, begun: begun.clone(), asides, is_stderr_shown };
            // The thread may wait for the next prompt while it prints, so
            // nothing waits for it.
            std::thread::spawn(move || ear.listen(&background));
        }
        Listener { background, begun }
    }

    /// Stops listening; returns what was begun and has no end yet.
    pub fn stop(self) -> Vec<u8> {
        if let Some(background) = &self.background {
            background.stop();
        }
        std::mem::take(&mut lock(&self.begun))
    }
}

struct Ear<P> {
    printer: P,
    begun: Begun,
    asides: Option<&'static Theme>,
    is_stderr_shown: bool,
}

impl<P: ExternalPrinter> Ear<P> {
    fn listen(&mut self, background: &Background) {
        loop {
            let before = lock(&self.begun).len();
            let time = (before > 0).then_some(PATIENCE);
            if !background.listen(time, self) {
                return;
            }
            // Nothing has come: the line stays as it is for now.
            let rest = {
                let mut begun = lock(&self.begun);
                if before > 0 && begun.len() == before { std::mem::take(&mut *begun) } else { Vec::new() }
            };
            self.print(&rest);
        }
    }

    fn print(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let mut text = String::from_utf8_lossy(bytes).into_owned();
        if text.contains('\x1b') {
            // The prompt below is not to take its colours.
            let end = text.trim_end_matches('\n').len();
            text.insert_str(end, "\x1b[0m");
        }
        // A terminal that is gone is found out by the prompt.
        let _ = self.printer.print(text);
    }

    fn aside(&mut self, text: &str) {
        let line = match self.asides {
            Some(theme) => format!("{0}{text}{0:#}\n", theme.aside),
            None => format!("{text}\n"),
        };
        let _ = self.printer.print(line);
    }
}

impl<P: ExternalPrinter> Sink for Ear<P> {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        if stream == Stream::Stderr && !self.is_stderr_shown {
            let _ = std::io::stderr().write_all(bytes);
            return;
        }
        let lines = {
            let mut begun = lock(&self.begun);
            begun.extend(bytes);
            let end = begun.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            begun.drain(..end).collect::<Vec<_>>()
        };
        self.print(&lines);
    }

    fn display(&mut self, bundle: &MimeBundle, _: bool) {
        if let Some(text) = bundle.get("text/plain") {
            self.print(format!("{text}\n").as_bytes());
        }
    }

    fn device(&mut self, id: &str, name: &str, rule: &str) {
        self.aside(&device_line(id, name, rule));
    }

    fn no_device(&mut self, problem: &str) {
        self.aside(&format!("no device: {problem}"));
    }

    fn note(&mut self, text: &str) {
        self.aside(&format!("note: {text}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Printer(Arc<Mutex<String>>);

    impl ExternalPrinter for Printer {
        fn print(&mut self, text: String) -> rustyline::Result<()> {
            self.0.lock().unwrap().push_str(&text);
            Ok(())
        }
    }

    fn ear(printer: &Printer) -> Ear<Printer> {
        Ear { printer: printer.clone(), begun: Begun::default(), asides: None, is_stderr_shown: true }
    }

    #[test]
    fn whole_lines_are_printed_at_once() {
        let printer = Printer::default();
        let mut ear = ear(&printer);
        ear.output(Stream::Stdout, b"a\nb \xc3");
        ear.output(Stream::Stdout, b"\xa9\nc");
        assert_eq!(*printer.0.lock().unwrap(), "a\nb é\n");
        assert_eq!(*lock(&ear.begun), b"c");
    }

    #[test]
    fn colours_end_with_the_text() {
        let printer = Printer::default();
        ear(&printer).output(Stream::Stdout, b"\x1b[31mred\n");
        assert_eq!(*printer.0.lock().unwrap(), "\x1b[31mred\x1b[0m\n");
    }
}

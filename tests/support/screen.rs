//! A terminal with the program in it, as a user sees it: keys go in, and what
//! comes out is drawn.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rexpect::process::PtyProcess;

/// The size of the screen.
const SIZE: (u16, u16) = (40, 100);

/// How long a test waits for what it wants to see.
const PATIENCE: Duration = Duration::from_secs(300);

/// A terminal that draws what a program writes.
pub struct Screen {
    process: PtyProcess,
    keys: std::fs::File,
    drawn: Arc<Mutex<vt100::Parser>>,
}

impl Screen {
    /// Starts the program in a home of its own, where its configuration and
    /// its history are.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn start(home: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Screen {
        Screen::of(crate::program(), |command| {
            command.args(arguments);
            for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "VISUAL", "EDITOR", "RUST_BACKTRACE"] {
                command.env_remove(name);
            }
            command
                .env("TERM", "xterm-256color")
                .env("GPUREPL_DEVICE", crate::device())
                .env("XDG_STATE_HOME", home.join("state"))
                .env("XDG_CONFIG_HOME", home.join("config"))
                .envs(environment.iter().copied());
        })
    }

    /// Starts a program with the arguments and the environment that `prepare`
    /// gives it.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn of(program: &Path, prepare: impl FnOnce(&mut Command)) -> Screen {
        // A new terminal has no size; its program gives it one.
        let mut command = Command::new("sh");
        let (rows, columns) = SIZE;
        command.arg("-c").arg(format!("stty rows {rows} cols {columns}; exec \"$0\" \"$@\""));
        command.arg(program);
        prepare(&mut command);
        let mut process = PtyProcess::new(command).expect("the program starts");
        // A test that fails does not wait for a program that does not end.
        process.set_kill_timeout(Some(PATIENCE.as_millis() as u64));
        let mut output = process.get_file_handle().expect("the terminal can be read");
        let keys = process.get_file_handle().expect("the terminal can be written to");
        let drawn = Arc::new(Mutex::new(parser()));
        let canvas = drawn.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                canvas.lock().expect("drawing does not panic").process(&bytes[..count]);
            }
        });
        Screen { process, keys, drawn }
    }

    /// Types keys.
    ///
    /// # Panics
    ///
    /// If the program has gone.
    pub fn types(&mut self, keys: &str) {
        self.sends(keys.as_bytes());
    }

    /// Sends bytes, which may be no text.
    ///
    /// # Panics
    ///
    /// If the program has gone.
    pub fn sends(&mut self, bytes: &[u8]) {
        self.keys.write_all(bytes).and_then(|()| self.keys.flush()).expect("the program reads keys");
    }

    /// What is on the screen, without blank lines at its end.
    pub fn text(&self) -> String {
        self.look(|screen| screen.contents().trim_end().to_owned())
    }

    /// Looks at the screen.
    ///
    /// # Panics
    ///
    /// If what was drawn could not be.
    pub fn look<R>(&self, look: impl FnOnce(&vt100::Screen) -> R) -> R {
        look(self.drawn.lock().expect("drawing does not panic").screen())
    }

    /// Waits until the screen is as it is wanted.
    ///
    /// # Panics
    ///
    /// If it does not get so.
    #[track_caller]
    pub fn waits(&self, what: &str, mut is_so: impl FnMut(&str) -> bool) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let text = self.text();
            if is_so(&text) {
                return text;
            }
            assert!(Instant::now() < end, "no {what} on\n{text}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for a text on the screen.
    ///
    /// # Panics
    ///
    /// If it does not appear.
    #[track_caller]
    pub fn sees(&self, text: &str) -> String {
        self.waits(&format!("`{text}`"), |screen| screen.contains(text))
    }

    /// Waits for the prompt of a cell, with nothing typed yet.
    ///
    /// # Panics
    ///
    /// If it does not appear.
    #[track_caller]
    pub fn prompt(&self, number: usize) -> String {
        let prompt = format!("In [{number}]:");
        self.waits(&prompt, |screen| screen.lines().last().is_some_and(|line| line.trim_end() == prompt))
    }

    /// The cell of the screen where a text was drawn last.
    ///
    /// # Panics
    ///
    /// If it is not there.
    #[track_caller]
    pub fn cell_of(&self, text: &str) -> vt100::Cell {
        self.look(|screen| {
            let rows: Vec<String> = screen.rows(0, SIZE.1).collect();
            let found = rows.iter().enumerate().rev().find_map(|(row, line)| Some((row, line.find(text)?)));
            let (row, at) = found.unwrap_or_else(|| panic!("no `{text}` on\n{}", rows.join("\n")));
            let column = rows[row][..at].chars().count();
            screen.cell(row as u16, column as u16).expect("it lies on the screen").clone()
        })
    }

    /// Leaves by Ctrl-D at the next prompt, and returns the exit status.
    ///
    /// # Panics
    ///
    /// If the program does not end.
    pub fn leave(mut self) -> i32 {
        // While a cell runs, Ctrl-D ends a line of the terminal's own, and the
        // prompt that comes never hears of it.
        self.waits("an empty prompt", |screen| {
            screen
                .lines()
                .last()
                .is_some_and(|line| line.starts_with("In [") && line.trim_end().ends_with("]:"))
        });
        self.types("\x04");
        self.ends()
    }

    /// Waits for the program's end, and returns its exit status.
    ///
    /// # Panics
    ///
    /// If it does not end, or ends by a signal.
    #[track_caller]
    pub fn ends(self) -> i32 {
        use nix::sys::wait::WaitStatus;
        let end = Instant::now() + PATIENCE;
        loop {
            match self.process.status() {
                Some(WaitStatus::Exited(_, status)) => return status,
                Some(WaitStatus::StillAlive) | None => {}
                Some(other) => panic!("{other:?}\n{}", self.text()),
            }
            assert!(Instant::now() < end, "the program goes on\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn parser() -> vt100::Parser {
    let side = |length| std::num::NonZeroU16::new(length).expect("a screen has a size");
    vt100::Parser::new(side(SIZE.0), side(SIZE.1), 0)
}

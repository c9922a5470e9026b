//! What there is to say to whoever runs the server: standard error, which
//! Jupyter shows in its own terminal.

use std::io::Write as _;

/// Writes a line, if there is somebody to read it.
pub fn line(text: &str) {
    let _ = writeln!(std::io::stderr(), "[gpurepl-jupyter] {text}");
}

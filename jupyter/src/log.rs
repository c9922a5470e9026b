//! What there is to say to whoever runs the server: standard error, which
//! Jupyter shows in its own terminal.

use std::io::Write as _;

/// Writes a line, if it can be read.
pub fn line(text: &str) {
    let _ = writeln!(std::io::stderr(), "[gpurepl-jupyter] {text}");
}

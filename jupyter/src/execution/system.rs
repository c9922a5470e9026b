//! Lines that a shell of the system runs: `!nvidia-smi`.

use std::io::Read;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;

use gpurepl_session::{Diagnostic, Outcome, Report, Sink, Stream};

use crate::kernel::Kernel;

/// A command for a shell of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    shell: &'static str,
    text: String,
}

/// The command that a cell begins with, and what follows it: a line that
/// starts with `!`, or a whole cell below `%%sh` or `%%bash`.
pub fn leading(source: &str) -> Option<(Script, &str)> {
    let typed = source.trim_start();
    if let Some(magic) = typed.strip_prefix("%%") {
        let (name, text) = magic.split_once('\n').unwrap_or((magic, ""));
        let shell = ["sh", "bash"].into_iter().find(|shell| *shell == name.trim())?;
        return Some((Script { shell, text: text.to_owned() }, ""));
    }
    let rest = typed.strip_prefix('!')?;
    // A line goes on after a backslash.
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end_matches('\n').ends_with('\\') {
            break;
        }
    }
    Some((Script { shell: "sh", text: rest[..end].trim().to_owned() }, &rest[end..]))
}

/// Runs a command; what it writes is shown as it comes. An interrupt ends it.
pub fn run(script: &Script, kernel: &Kernel, sink: &mut dyn Sink) -> Outcome {
    let fail = |problem: String, sink: &mut dyn Sink| {
        let diagnostic = Diagnostic::error(problem);
        sink.diagnostic(&diagnostic);
        Outcome::Failed(Box::new(diagnostic))
    };
    let mut command = Command::new(script.shell);
    command.arg("-c").arg(&script.text).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return fail(format!("starting `{}`: {error}", script.shell), sink),
    };
    sink.begun();
    kernel.set_child(i32::try_from(child.id()).ok());
    std::thread::scope(|scope| {
        let (sender, output) = channel();
        let stdout = child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
        let stderr = child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
        for (stream, pipe) in [(Stream::Stdout, stdout), (Stream::Stderr, stderr)] {
            let (Some(mut pipe), sender) = (pipe, sender.clone()) else { continue };
            scope.spawn(move || {
                let mut bytes = [0; 1 << 14];
                while let Ok(count @ 1..) = pipe.read(&mut bytes) {
                    if sender.send((stream, bytes[..count].to_vec())).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (stream, bytes) in output {
            sink.output(stream, &bytes);
        }
    });
    // Its number is its own until it has been waited for.
    let was_interrupted = kernel.set_child(None);
    match child.wait() {
        Ok(_) if was_interrupted => Outcome::Interrupted,
        Ok(status) if status.success() => Outcome::Done(Report::default()),
        Ok(status) => {
            let end = match (status.code(), status.signal()) {
                (Some(code), _) => format!("status {code}"),
                (None, Some(signal)) => format!("signal {signal}"),
                (None, None) => status.to_string(),
            };
            fail(format!("`{}` ended with {end}", script.text.lines().next().unwrap_or_default()), sink)
        }
        Err(error) => fail(format!("waiting for `{}`: {error}", script.shell), sink),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_cells_are_told_from_code() {
        let of = |source| leading(source).map(|(script, rest)| (script.shell, script.text, rest));
        assert_eq!(of("!ls -l\nlet a = 1;"), Some(("sh", "ls -l".to_owned(), "let a = 1;")));
        assert_eq!(of("!ls \\\n-l\n1"), Some(("sh", "ls \\\n-l".to_owned(), "1")));
        assert_eq!(
            of("%%bash\nfor k in 1; do\n  echo $k\ndone"),
            Some(("bash", "for k in 1; do\n  echo $k\ndone".to_owned(), ""))
        );
        assert_eq!(of("%%timeit\n1"), None);
        assert_eq!(of("(!true)"), None);
    }
}

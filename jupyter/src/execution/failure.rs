//! How a cell failed, as messages have it.

use gpurepl_session::{Diagnostic, Loss, Outcome};
use jupyter_protocol::{ErrorOutput, ExpressionResult, ReplyError};

use super::styles;

/// What there is to say about a cell that has failed; nothing about one that
/// has not. `has_begun` says whether it ran at all.
pub fn failure(outcome: &Outcome, errors: &[Diagnostic], has_begun: bool) -> Option<ErrorOutput> {
    match outcome {
        Outcome::Done(_) => None,
        Outcome::Interrupted => Some(ErrorOutput {
            ename: "Interrupted".to_owned(),
            evalue: "variables are as they were when the cell was interrupted".to_owned(),
            traceback: vec![styles::title("Interrupted", "variables are as they were then")],
        }),
        Outcome::Failed(diagnostic) => {
            let own = std::slice::from_ref(&**diagnostic);
            Some(of_errors(if errors.is_empty() { own } else { errors }, has_begun))
        }
        Outcome::Lost(loss) => Some(of_loss(loss, errors)),
    }
}

fn of_errors(errors: &[Diagnostic], has_begun: bool) -> ErrorOutput {
    let first = &errors[0];
    let message = first.message.lines().next().unwrap_or_default();
    let (ename, message) = match (message.strip_prefix("panic: "), &first.code) {
        (Some(message), _) => ("Panic", message),
        (None, Some(code)) => (code.as_str(), message),
        (None, None) => {
            (if has_begun || first.labels.is_empty() { "Error" } else { "CompileError" }, message)
        }
    };
    // Of several workers: where it happened.
    let ranks = first.notes.iter().find(|note| note.starts_with("on rank") && !note.contains(':'));
    let message = ranks.map_or_else(|| message.to_owned(), |ranks| format!("{message} ({ranks})"));
    let evalue = match errors.len() {
        1 => message,
        2 => format!("{message} (and another error)"),
        count => format!("{message} (and {} more errors)", count - 1),
    };
    ErrorOutput { ename: ename.to_owned(), evalue, traceback: traceback(errors) }
}

fn of_loss(loss: &Loss, errors: &[Diagnostic]) -> ErrorOutput {
    let mut evalue = match loss.status {
        Some(status) => format!("the cell has ended its process with status {status}"),
        None => format!("the worker process has ended: {}", loss.cause),
    };
    if !loss.variables.is_empty() {
        evalue.push_str(&format!("; lost: {}", loss.variables.join(", ")));
    }
    let mut lines = traceback(errors);
    if lines.is_empty() {
        lines.push(styles::title("WorkerLost", &evalue));
    }
    ErrorOutput { ename: "WorkerLost".to_owned(), evalue, traceback: lines }
}

/// Errors as rustc lays them out, a line each.
fn traceback(errors: &[Diagnostic]) -> Vec<String> {
    let rendered: Vec<String> = errors.iter().map(|error| error.render_with(&styles::RENDERER)).collect();
    let text = rendered.join("\n\n");
    if text.is_empty() { Vec::new() } else { text.split('\n').map(str::to_owned).collect() }
}

/// A failure in a reply.
pub fn reply_error(error: &ErrorOutput) -> Box<ReplyError> {
    let ErrorOutput { ename, evalue, traceback } = error.clone();
    Box::new(ReplyError { ename, evalue, traceback })
}

/// A failure of one of a request's expressions.
pub fn expression_error(error: ErrorOutput) -> ExpressionResult {
    let ErrorOutput { ename, evalue, traceback } = error;
    ExpressionResult::Error { ename, evalue, traceback }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(errors: &[Diagnostic], has_begun: bool) -> ErrorOutput {
        failure(&Outcome::Failed(Box::new(errors[0].clone())), errors, has_begun).unwrap()
    }

    #[test]
    fn errors_have_names_and_lines() {
        let mut error = Diagnostic::error("mismatched types");
        error.code = Some("E0308".to_owned());
        let failure = failed(&[error.clone(), error.clone(), error], false);
        assert_eq!(
            (failure.ename.as_str(), failure.evalue.as_str()),
            ("E0308", "mismatched types (and 2 more errors)")
        );
        assert_eq!(failure.traceback.len(), 5, "{:?}", failure.traceback);
        assert!(failure.traceback[0].contains("\x1b["));
        let failure = failed(&[Diagnostic::error("panic: index out of bounds\nmore")], true);
        assert_eq!((failure.ename.as_str(), failure.evalue.as_str()), ("Panic", "index out of bounds"));
    }

    #[test]
    fn a_failure_of_some_workers_names_them() {
        let mut error = Diagnostic::error("panic: no luck");
        error.notes = vec!["on rank 1".to_owned(), "on rank 0: barrier: rank 1 has ended".to_owned()];
        assert_eq!(failed(&[error], true).evalue, "no luck (on rank 1)");
    }

    #[test]
    fn a_lost_worker_is_named_with_what_is_lost() {
        let loss = Loss {
            cause: "signal 11".to_owned(),
            status: None,
            variables: vec!["a".to_owned()],
            restored: Vec::new(),
        };
        let failure = failure(&Outcome::Lost(loss), &[], true).unwrap();
        assert_eq!(failure.evalue, "the worker process has ended: signal 11; lost: a");
        assert_eq!(failure.traceback.len(), 1);
    }
}

//! `:dep`.

use super::show;
use crate::Diagnostic;
use crate::dependencies::{DependencyError, Request};
use crate::engine::{Outcome, Report};
use crate::output::Sink;
use crate::session::Session;

/// One line of `:dep`, as any command.
pub(super) fn dep(session: &mut Session, text: &str, sink: &mut dyn Sink) -> Result<(), String> {
    change(session, &[text.to_owned()], sink).map_err(|error| error.to_string())
}

/// Adds what stands behind lines of `:dep`, all of it or nothing.
pub(crate) fn add(session: &mut Session, texts: &[String], sink: &mut dyn Sink) -> Outcome {
    match change(session, texts, sink) {
        Ok(()) => Outcome::Done(Report::default()),
        Err(DependencyError::Interrupted) => Outcome::Interrupted,
        Err(DependencyError::Refused(problem)) => {
            let mut lines = problem.split("\n  = help: ");
            let mut diagnostic = Diagnostic::error(lines.next().unwrap_or_default());
            for help in lines {
                diagnostic = diagnostic.help(help);
            }
            sink.diagnostic(&diagnostic);
            Outcome::Failed(Box::new(diagnostic))
        }
    }
}

fn change(session: &mut Session, texts: &[String], sink: &mut dyn Sink) -> Result<(), DependencyError> {
    let folder = std::env::current_dir().unwrap_or_default();
    let wanted = texts.iter().filter(|text| !text.is_empty());
    let requests: Result<Vec<Request>, String> = wanted.map(|text| Request::parse(text, &folder)).collect();
    let requests = requests.map_err(DependencyError::Refused)?;
    if requests.is_empty() {
        return show(listed(session), sink).map_err(DependencyError::Refused);
    }
    session.add_dependencies(&requests, sink)
}

fn listed(session: &Session) -> String {
    let list = session.dependencies();
    if list.is_empty() {
        return "there are no dependencies; `:dep NAME` adds one".to_owned();
    }
    let width = list.iter().map(|dependency| dependency.name.len()).max().unwrap_or(0);
    let line = |dependency: &crate::dependencies::Dependency| {
        let own = if dependency.is_of_prelude { " (the prelude's own)" } else { "" };
        format!("{:<width$}  {}{own}  :dep {}", dependency.name, dependency.version, dependency.request)
    };
    list.iter().map(line).collect::<Vec<_>>().join("\n")
}

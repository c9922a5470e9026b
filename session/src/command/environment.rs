//! The environment of cells: `:env`, `:cd`, `:pwd`.

use std::path::PathBuf;

use gpurepl_wire::{Answer, Question};

use super::show;
use crate::output::Sink;
use crate::session::Session;

pub(super) fn env(session: &mut Session, what: &str, sink: &mut dyn Sink) -> Result<(), String> {
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let checked = |name: &str| {
        if is_name(name) {
            return Ok(name.to_owned());
        }
        Err(format!(
            "`{name}` is not a valid name of an environment variable: `:env NAME=VALUE`, `:env NAME`"
        ))
    };
    if let Some(name) = what.strip_prefix("-u ") {
        return set(session, checked(name.trim())?, None, sink);
    }
    if let Some((name, value)) = what.split_once('=') {
        return set(session, checked(name.trim())?, Some(value.trim()), sink);
    }
    if what.is_empty() {
        return Err(
            "a name and a value are expected: `:env NAME=VALUE`; `:env NAME` shows a value".to_owned()
        );
    }
    let name = checked(what)?;
    match session.question(Question::EnvironmentValue { name: name.clone() }, sink)? {
        Answer::Value(Some(value)) => show(format!("{name}={value}"), sink),
        _ => show(format!("{name} is not set"), sink),
    }
}

fn set(session: &mut Session, name: String, value: Option<&str>, sink: &mut dyn Sink) -> Result<(), String> {
    let question = Question::Environment { name, value: value.map(str::to_owned) };
    session.question(question.clone(), sink)?;
    session.note_setting(&question);
    Ok(())
}

pub(super) fn cd(session: &mut Session, to: &str, sink: &mut dyn Sink) -> Result<(), String> {
    let before = std::env::current_dir().map_err(|error| format!("the current folder: {error}"))?;
    let home =
        || std::env::var_os("HOME").map(PathBuf::from).ok_or("HOME is not set; name a folder: `:cd FOLDER`");
    let target = match to {
        "" | "~" => home()?,
        "-" => session.former_folder.clone().ok_or("there is no folder before this one")?,
        path => match path.strip_prefix("~/") {
            Some(rest) => home()?.join(rest),
            None => PathBuf::from(path),
        },
    };
    let target = target.canonicalize().map_err(|error| format!("{}: {error}", target.display()))?;
    std::env::set_current_dir(&target).map_err(|error| format!("{}: {error}", target.display()))?;
    let question = Question::Folder { path: target.display().to_string() };
    if let Err(problem) = session.question(question.clone(), sink) {
        // Both are where they were.
        let _ = std::env::set_current_dir(&before);
        return Err(problem);
    }
    session.note_setting(&question);
    session.former_folder = Some(before);
    show(target.display().to_string(), sink)
}

pub(super) fn pwd(_: &mut Session, _: &str, sink: &mut dyn Sink) -> Result<(), String> {
    let folder = std::env::current_dir().map_err(|error| format!("the current folder: {error}"))?;
    show(folder.display().to_string(), sink)
}

//! Requests in, replies out.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, channel};

use gpurepl_wire::analysis::{Answer, Ask, Reply, Request, Text};
use gpurepl_wire::{receive, send};

use crate::assist;
use crate::project::Project;

/// Panics within answers, at most: then rust-analyzer's memory may be in any
/// state, and a new process is better.
const MAX_PANICS: u32 = 3;

/// Answers requests until there are no more.
///
/// # Errors
///
/// If replies cannot be written.
pub fn run(mut output: File) -> anyhow::Result<()> {
    let requests = requests();
    let mut project: Option<Project> = None;
    let mut panics = 0;
    while let Ok(request) = requests.recv() {
        let request = newest(request, &requests, &mut output)?;
        let id = request.id;
        let answer = catch_unwind(AssertUnwindSafe(|| answer(request.ask, &mut project)));
        let answer = match answer {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => Answer::Failed(format!("{error:#}")),
            Err(_) => {
                panics += 1;
                Answer::Failed("rust-analyzer has panicked".to_owned())
            }
        };
        let has_failed = id == 0 && matches!(answer, Answer::Failed(_));
        send(&mut output, &Reply { id, answer })?;
        if has_failed || panics > MAX_PANICS {
            break;
        }
    }
    Ok(())
}

/// Requests as they come. The process ends with its input, whatever it does
/// then: nothing would read it.
fn requests() -> Receiver<Request> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        while let Ok(Some(request)) = receive::<Request>(&mut input) {
            if sender.send(request).is_err() {
                break;
            }
        }
        std::process::exit(0);
    });
    receiver
}

/// The last request that waits: the user has typed on since the others.
fn newest(mut request: Request, requests: &Receiver<Request>, output: &mut File) -> anyhow::Result<Request> {
    while matches!(request.ask, Ask::Complete(_)) {
        let Ok(next) = requests.try_recv() else { break };
        send(output, &Reply { id: request.id, answer: Answer::Failed("outdated".to_owned()) })?;
        request = next;
    }
    Ok(request)
}

fn answer(ask: Ask, project: &mut Option<Project>) -> anyhow::Result<Answer> {
    if let Ask::Open(asked) = ask {
        let mut opened = Project::open(&asked)?;
        warm_up(&mut opened);
        let problems = std::mem::take(&mut opened.problems);
        *project = Some(opened);
        return Ok(Answer::Ready { problems });
    }
    let project = project.as_mut().ok_or_else(|| anyhow::anyhow!("no project was opened"))?;
    let (Ask::Complete(text) | Ask::Hover(text)) = &ask else { anyhow::bail!("not understood") };
    let (start, at) = set(project, text);
    match ask {
        Ask::Complete(_) => assist::complete(project, start, at),
        _ => assist::hover(project, start, at),
    }
}

/// Takes a cell for the project's text: where it begins, and the place that
/// is asked about.
fn set(project: &mut Project, text: &Text) -> (usize, usize) {
    let Text { before, source, at } = text;
    let mut at = (*at as usize).min(source.len());
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    project.set_text(format!("{before}{source}\n}}\n"));
    (before.len(), at)
}

/// Completes what cells begin with, so that the first question of a user does
/// not wait for the prelude and the standard library to be read.
fn warm_up(project: &mut Project) {
    let before = "use gpurepl_prelude::*;\nfn __gr_cell() {\nlet a: GpuArray<f32> = todo!();\n\
                  let v: std::vec::Vec<String> = todo!();\n";
    for source in
        ["a.", "v.iter().map(|x| x.len()).", "v[0].", "zeros::<f32>((2, 2)).", "1.0f64.", "z", "GpuArray::"]
    {
        let at = u32::try_from(source.len()).unwrap_or_default();
        let text = Text { before: before.to_owned(), source: source.to_owned(), at };
        let (start, at) = set(project, &text);
        let _ = catch_unwind(AssertUnwindSafe(|| assist::complete(project, start, at)));
    }
    let (start, at) = set(project, &Text { before: before.to_owned(), source: "a.sum()".to_owned(), at: 3 });
    let _ = catch_unwind(AssertUnwindSafe(|| assist::hover(project, start, at)));
}

//! The thread that has the session: one request after the other.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gpurepl_session::{MimeBundle, Options, Outcome, Session, Stream};
use jupyter_protocol::{ErrorOutput, ExecuteReply, ExecuteRequest, ExpressionResult, Payload, ReplyStatus};

use super::box_sink::BoxSink;
use super::failure::{expression_error, failure, reply_error};
use super::sink::{CellSink, Common, execution_count};
use super::{startup, system};
use crate::channel::Replies;
use crate::channel::stdin::Asking;
use crate::comms::Told;
use crate::kernel::Kernel;
use crate::log;
use crate::media::media;
use crate::message::{Origin, reply};
use crate::queue::Job;

/// Evaluates until the kernel ends.
pub fn run(kernel: &Arc<Kernel>, common: Common, options: Options, asking: Asking) {
    let mut evaluator = Evaluator { kernel, common, options, asking, session: None, skipped: 0, last: None };
    if let Err(problem) = evaluator.start(None) {
        // Each cell tries again, and reports.
        log::line(&problem);
    }
    while let Some(job) = evaluator.next() {
        evaluator.obey(job);
    }
    evaluator.finish();
}

struct Evaluator<'k> {
    kernel: &'k Arc<Kernel>,
    common: Common,
    options: Options,
    asking: Asking,
    session: Option<Session>,
    /// Numbers that were used up before there was a session.
    skipped: u64,
    /// Who has sent the last cell.
    last: Option<Arc<Origin>>,
}

/// What came of a cell.
struct Ended {
    failure: Option<ErrorOutput>,
    result: Option<MimeBundle>,
    payload: Vec<Payload>,
}

/// So long a cell that fails at once is looked at, while those behind it
/// arrive: they were sent with it and are not to run.
const GATHERING: Duration = Duration::from_millis(10);

impl Evaluator<'_> {
    fn start(&mut self, waiting: Option<&Arc<Origin>>) -> Result<(), String> {
        let started = startup::start(self.kernel, &self.common, self.options.clone(), waiting);
        let mut session = started.map_err(|error| error.to_string())?;
        (0..self.skipped).for_each(|_| session.skip_cell());
        self.kernel.has_session(&session);
        // The device gets ready before the first cell. What goes wrong with
        // the cell that needs it reports it. Workers elsewhere may take long to start, and
        // have something to say: the first cell starts them, which can be interrupted.
        if self.options.launch.is_none()
            && let Err(problem) = session.warm_up(Duration::ZERO, &mut gpurepl_session::Deaf)
        {
            log::line(&problem);
        }
        self.session = Some(session);
        Ok(())
    }

    /// The next job. Until it comes, what threads print is passed on.
    fn next(&mut self) -> Option<Job> {
        let background = self.session.as_ref().and_then(Session::background);
        let (Some(background), Some(last), true) = (background, &self.last, self.kernel.queue.is_empty())
        else {
            return self.kernel.queue.pop();
        };
        std::thread::scope(|scope| {
            let common = &self.common;
            scope.spawn(|| {
                let mut sink = CellSink::new(common, last);
                while background.listen(None, &mut sink) {}
                sink.finish();
            });
            let job = self.kernel.queue.pop();
            background.stop();
            job
        })
    }

    fn obey(&mut self, job: Job) {
        match job {
            Job::Execute { origin, cell, replies, is_announced } => {
                self.execute(&origin, &cell, &replies, is_announced);
            }
            Job::Interact { origin, number } => self.interact(&origin, number),
            Job::Call { origin, told } => self.call(&origin, told),
            Job::Memory(answer) => {
                // Workers are not started for this.
                let running = self.session.as_mut().filter(|session| session.background().is_some());
                let memory = match running {
                    Some(session) => session.memory(&mut gpurepl_session::Deaf),
                    None => Err("no worker runs".to_owned()),
                };
                let _ = answer.send(memory);
            }
        }
    }

    fn execute(
        &mut self,
        origin: &Arc<Origin>,
        cell: &ExecuteRequest,
        replies: &Replies,
        is_announced: bool,
    ) {
        let count = self.session.as_ref().map_or(self.skipped + 1, Session::next_cell);
        if !is_announced {
            self.kernel.begin(origin, (!cell.silent).then_some((cell.code.as_str(), count)));
        }
        let is_blank = cell.code.trim().is_empty();
        let began = Instant::now();
        let mut ended = match is_blank {
            true => Ended { failure: None, result: None, payload: Vec::new() },
            false => self.evaluate(origin, cell, count),
        };
        let expressions = match (&ended.failure, &cell.user_expressions) {
            (None, Some(expressions)) => self.expressions(origin, expressions),
            _ => HashMap::new(),
        };
        if let Some(failure) = &ended.failure
            && !cell.silent
        {
            self.common.outlet.publish(failure.clone(), origin);
        }
        if cell.store_history && !cell.silent && !is_blank {
            let text = ended.result.as_ref().and_then(|result| result.get("text/plain"));
            self.kernel.history().add(count, &cell.code, text);
        }
        let stops = ended.failure.is_some() && cell.stop_on_error && !cell.silent;
        if stops && began.elapsed() < GATHERING {
            std::thread::sleep(GATHERING);
        }
        let aborted = if stops { self.kernel.queue.take_cells() } else { Vec::new() };
        let content = ExecuteReply {
            status: if ended.failure.is_some() { ReplyStatus::Error } else { ReplyStatus::Ok },
            execution_count: execution_count(count),
            payload: std::mem::take(&mut ended.payload),
            // An object, also if it is empty: clients look into it.
            user_expressions: Some(expressions),
            error: ended.failure.as_ref().map(reply_error),
        };
        self.tell_variables(origin);
        let _ = replies.send(reply(content, origin));
        self.kernel.end(origin);
        for (origin, replies) in aborted {
            self.abort(&origin, &replies, count);
        }
        self.last = Some(Arc::clone(origin));
        if self.session.as_ref().is_some_and(Session::has_ended) {
            self.kernel.stop();
        }
    }

    /// Answers a cell that is not run because one before it has failed.
    fn abort(&self, origin: &Arc<Origin>, replies: &Replies, count: u64) {
        self.kernel.begin(origin, None);
        let content = ExecuteReply {
            status: ReplyStatus::Aborted,
            execution_count: execution_count(count),
            user_expressions: Some(HashMap::new()),
            ..ExecuteReply::default()
        };
        let _ = replies.send(reply(content, origin));
        self.kernel.end(origin);
    }

    fn evaluate(&mut self, origin: &Arc<Origin>, cell: &ExecuteRequest, count: u64) -> Ended {
        if self.session.is_none()
            && let Err(problem) = self.start(Some(origin))
        {
            self.skipped += u64::from(!cell.silent);
            let error = gpurepl_session::Diagnostic::error(problem);
            let outcome = Outcome::Failed(Box::new(error));
            return Ended { failure: failure(&outcome, &[], true), result: None, payload: Vec::new() };
        }
        let Some(session) = &mut self.session else {
            return Ended { failure: None, result: None, payload: Vec::new() };
        };
        self.common.note_origin(count, origin);
        let mut sink = CellSink::new(&self.common, origin);
        sink.count = (!cell.silent).then_some(count);
        sink.asking = cell.allow_stdin.then_some(&self.asking);
        sink.pages = session.is_question(&cell.code).then(Vec::new);
        let is_counted = !cell.silent && cell.store_history;
        sink.queue =
            (is_counted && !gpurepl_session::command::is_command(&cell.code)).then_some(&self.kernel.queue);
        // The rest of what came before the cell.
        session.drain(&mut CellSink::new(&self.common, self.last.as_ref().unwrap_or(origin)));
        let outcome = match system::leading(&cell.code) {
            Some((script, rest)) => {
                let outcome = system::run(&script, self.kernel, &mut sink);
                match outcome.is_done() && !rest.trim().is_empty() {
                    true => session.run(rest, &mut sink),
                    false => outcome,
                }
            }
            None if is_counted
                || gpurepl_session::command::is_command(&cell.code)
                || sink.pages.is_some() =>
            {
                session.run(&cell.code, &mut sink)
            }
            None => session.run_aside(&cell.code, "cell without a number", &mut sink),
        };
        sink.finish();
        // In a notebook commands have numbers too.
        if is_counted && session.next_cell() == count {
            session.skip_cell();
        }
        let failure = failure(&outcome, &sink.errors, sink.has_begun);
        let mut payload: Vec<Payload> = sink.pages.take().into_iter().flatten().map(page).collect();
        if session.has_ended() {
            payload.push(Payload::AskExit { keepkernel: false });
        }
        Ended { failure, result: sink.result.take(), payload }
    }

    /// Calls a function of `interact` again, and shows what it shows in its box.
    fn interact(&mut self, origin: &Arc<Origin>, number: u64) {
        self.kernel.begin(origin, None);
        let settings = self.kernel.widgets_lock().settings(number);
        if let (Some(session), Some((id, settings))) = (&mut self.session, settings) {
            // The rest of what came before is not the function's.
            session.drain(&mut CellSink::new(&self.common, self.last.as_ref().unwrap_or(origin)));
            let mut sink = BoxSink::new(CellSink::new(&self.common, self.last.as_ref().unwrap_or(origin)));
            let outcome = session.interact(id, settings, &mut sink);
            let outputs = sink.outputs(failure(&outcome, &[], true));
            let shown = self.kernel.widgets_lock().show(number, outputs);
            if let Some(shown) = shown {
                self.kernel.broadcast.publish(shown, Some(origin));
            }
        }
        self.kernel.end(origin);
    }

    /// Calls a function that hears a comm. What it shows appears below the last cell.
    fn call(&mut self, origin: &Arc<Origin>, told: Told) {
        self.kernel.begin(origin, None);
        let called = self.kernel.comms().function(told);
        if let (Some(session), Some((function, settings))) = (&mut self.session, called) {
            let seen = self.last.as_ref().unwrap_or(origin);
            session.drain(&mut CellSink::new(&self.common, seen));
            let mut sink = CellSink::new(&self.common, seen);
            sink.told_by = Some(Arc::clone(origin));
            let outcome = session.interact(function, settings, &mut sink);
            sink.finish();
            if let Some(failure) = failure(&outcome, &sink.errors, true) {
                let text = failure.traceback.join("\n") + "\n";
                self.common.outlet.write(seen, Stream::Stderr, text.as_bytes());
            }
        }
        self.kernel.end(origin);
    }

    /// What a request wants to know besides.
    fn expressions(
        &mut self,
        origin: &Arc<Origin>,
        expressions: &HashMap<String, String>,
    ) -> HashMap<String, ExpressionResult> {
        let Some(session) = &mut self.session else { return HashMap::new() };
        let value = |(name, source): (&String, &String)| {
            let mut sink = CellSink::new(&self.common, origin);
            let outcome = session.run_aside(source, &format!("expression `{name}`"), &mut sink);
            sink.finish();
            let result = match failure(&outcome, &sink.errors, sink.has_begun) {
                Some(error) => expression_error(error),
                None => ExpressionResult::Ok {
                    data: media(&sink.result.unwrap_or_default()),
                    metadata: serde_json::Map::new(),
                },
            };
            (name.clone(), result)
        };
        expressions.iter().map(value).collect()
    }

    /// Tells those who follow the variables.
    fn tell_variables(&self, origin: &Origin) {
        if let Some(session) = &self.session {
            for message in self.kernel.comms().variables(session.variables()) {
                self.kernel.broadcast.publish(message, Some(origin));
            }
        }
    }

    /// Drops the variables, so that destructors run and files are written.
    fn finish(&mut self) {
        let Some(session) = &mut self.session else { return };
        match &self.last {
            Some(last) => {
                let mut sink = CellSink::new(&self.common, last);
                session.finish(&mut sink);
                sink.finish();
            }
            None => session.finish(&mut gpurepl_session::Deaf),
        }
    }
}

/// Documentation as something to be paged.
fn page(bundle: MimeBundle) -> Payload {
    Payload::Page { data: media(&bundle), start: 0 }
}

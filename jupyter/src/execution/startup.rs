//! The session's start. The first one of a toolchain builds the prelude,
//! which takes a minute: the first cell shows how far it has come.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gpurepl_session::{Options, Progress, Session, Sink, StartError};

use super::sink::{CellSink, Common};
use crate::kernel::Kernel;
use crate::log;
use crate::message::Origin;

/// How often the first cell is informed.
const INTERVAL: Duration = Duration::from_millis(300);

/// Notes how far the start has come.
struct Noting<'a>(&'a Mutex<Option<Progress>>);

impl Sink for Noting<'_> {
    fn progress(&mut self, progress: &Progress) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
    }

    fn note(&mut self, text: &str) {
        log::line(text);
    }
}

/// Starts a session. While it does not come, whoever waits for a cell is
/// shown why: those in the queue, or `waiting`, whose turn it is already.
///
/// # Errors
///
/// As [`Session::start`].
pub fn start(
    kernel: &Arc<Kernel>,
    common: &Common,
    options: Options,
    waiting: Option<&Arc<Origin>>,
) -> Result<Session, StartError> {
    let progress = Mutex::new(None);
    let (is_over, over) = (Mutex::new(false), Condvar::new());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (mut shown, mut told) = (None, None);
            let mut is_over = is_over.lock().unwrap_or_else(PoisonError::into_inner);
            while !*is_over {
                let waited = over.wait_timeout(is_over, INTERVAL);
                is_over = waited.unwrap_or_else(PoisonError::into_inner).0;
                let latest = progress.lock().unwrap_or_else(PoisonError::into_inner).clone();
                if let Some(latest) = latest
                    && (shown.is_none() || *is_over || told.as_ref() != Some(&latest))
                {
                    show(kernel, common, waiting, &latest, &mut shown, *is_over);
                    told = Some(latest);
                }
            }
        });
        let began = Instant::now();
        let session = Session::start(options, &mut Noting(&progress));
        *is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        over.notify_all();
        if began.elapsed() > Duration::from_secs(5) {
            log::line(&format!("the session was started in {} s", began.elapsed().as_secs()));
        }
        session
    })
}

/// Shows the progress below the cell that waits.
fn show<'c>(
    kernel: &Kernel,
    common: &'c Common,
    waiting: Option<&Arc<Origin>>,
    progress: &Progress,
    shown: &mut Option<CellSink<'c>>,
    is_over: bool,
) {
    if let Some(sink) = shown {
        let done = if is_over { progress.total } else { progress.done };
        return sink.progress(&Progress { done, ..progress.clone() });
    }
    if is_over || progress.done >= progress.total {
        return;
    }
    let first = waiting.cloned().or_else(|| {
        kernel.queue.with_next(|origin, cell, is_announced| {
            if !std::mem::replace(is_announced, true) {
                kernel.begin(origin, (!cell.silent).then_some((cell.code.as_str(), 1)));
            }
            Arc::clone(origin)
        })
    });
    if let Some(origin) = first {
        let mut sink = CellSink::new(common, &origin);
        sink.progress(progress);
        *shown = Some(sink);
    }
}

//! Events: moments in streams, and the time between them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::stream::{Stream, current_of, refuse_in_capture};
use super::{Context, current};
use crate::error::{Problem, Result};

/// A moment in a stream: to wait for, and to measure times between.
///
/// ```
/// use gpurepl_prelude::*;
/// let (start, end) = (Event::new()?, Event::new()?);
/// start.record()?;
/// let total = ones::<f32>(1000).sum();
/// end.record()?;
/// end.synchronize()?;
/// assert!(end.time_since(&start)? >= 0.0); // milliseconds
/// # drop(total);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Event(Arc<EventInner>);

/// How an event behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventFlags {
    /// Whether a thread that waits for it sleeps.
    pub blocking_sync: bool,
    /// Whether it has no time: a little cheaper.
    pub disable_timing: bool,
}

#[doc(hidden)]
pub struct EventInner {
    context: Context,
    raw: u64,
    has_timing: bool,
    is_recorded: AtomicBool,
}

impl EventInner {
    pub(super) fn raw(&self) -> u64 {
        self.raw
    }
}

impl Drop for EventInner {
    fn drop(&mut self) {
        self.context.backend().streams().destroy_event(self);
    }
}

impl Event {
    pub(super) fn inner(&self) -> &EventInner {
        &self.0
    }

    /// A new event of the current context.
    ///
    /// # Errors
    ///
    /// If there is no device, or the driver cannot create one.
    pub fn new() -> Result<Event> {
        Event::with_flags(EventFlags::default())
    }

    /// A new event that behaves otherwise.
    ///
    /// # Errors
    ///
    /// As [`Event::new`].
    pub fn with_flags(flags: EventFlags) -> Result<Event> {
        let context = current()?;
        let raw = context.backend().streams().create_event(flags)?;
        let (has_timing, is_recorded) = (!flags.disable_timing, AtomicBool::new(false));
        Ok(Event(Arc::new(EventInner { context, raw, has_timing, is_recorded })))
    }

    /// Records the event at the end of what the current stream has been asked
    /// to do. Pending array expressions are asked for first.
    ///
    /// # Errors
    ///
    /// If such an expression fails, or the driver refuses.
    pub fn record(&self) -> Result<&Event> {
        let stream = Stream::of_inner(&current_of(self.0.context));
        self.record_on(&stream)
    }

    /// [`Event::record`] on a stream.
    ///
    /// # Errors
    ///
    /// As [`Event::record`].
    pub fn record_on(&self, stream: &Stream) -> Result<&Event> {
        refuse_in_capture("Event::record")?;
        self.0.context.check_same("Event::record", stream.context())?;
        // Work that the user has written before this line belongs before it.
        stream.enter(|| super::pending::settle_since(0))??;
        stream.inner().streams().record(&self.0, stream.inner())?;
        self.0.is_recorded.store(true, Ordering::Release);
        Ok(self)
    }

    /// An event that has been recorded on the current stream of a context as
    /// that is: pending expressions stay pending.
    pub(crate) fn marked(context: Context) -> Result<Event> {
        let event = Event::unmarked(context)?;
        event.mark()?;
        Ok(event)
    }

    /// An event of a context, to be recorded by [`Event::mark`].
    pub(crate) fn unmarked(context: Context) -> Result<Event> {
        let raw = context.backend().streams().create_event(EventFlags::default())?;
        Ok(Event(Arc::new(EventInner {
            context,
            raw,
            has_timing: true,
            is_recorded: AtomicBool::new(false),
        })))
    }

    /// Records the event without asking for pending expressions.
    pub(crate) fn mark(&self) -> Result<()> {
        let stream = current_of(self.0.context);
        self.0.context.backend().streams().record(&self.0, &stream)?;
        self.0.is_recorded.store(true, Ordering::Release);
        Ok(())
    }

    /// Waits until the event has happened. One that was never recorded has.
    ///
    /// # Errors
    ///
    /// If work before it failed.
    pub fn synchronize(&self) -> Result<&Event> {
        refuse_in_capture("Event::synchronize")?;
        self.0.context.backend().streams().synchronize_event(&self.0)?;
        super::outside::report(self.0.context)?;
        Ok(self)
    }

    /// Whether the event has happened. One that was never recorded has.
    ///
    /// # Errors
    ///
    /// If work before it failed.
    pub fn query(&self) -> Result<bool> {
        refuse_in_capture("Event::query")?;
        self.0.context.backend().streams().event_is_done(&self.0)
    }

    /// The time from another event to this one, in milliseconds.
    ///
    /// # Errors
    ///
    /// If one of the two has no time, was not recorded, or has not happened:
    /// call [`Event::synchronize`] first.
    pub fn time_since(&self, start: &Event) -> Result<f32> {
        let operation = "time_since";
        let wrong = |message: &str| Problem::Invalid { operation, message: message.to_owned() }.into();
        if !self.0.has_timing || !start.0.has_timing {
            return Err(wrong(
                "an event made with `disable_timing` has no time; make both events without it",
            ));
        }
        let is_recorded = |event: &Event| event.0.is_recorded.load(Ordering::Acquire);
        if !is_recorded(self) || !is_recorded(start) {
            return Err(wrong("an event that was not recorded has no time; call `record` first"));
        }
        if !self.query()? || !start.query()? {
            return Err(wrong("one of the events has not completed; call `synchronize` first"));
        }
        self.0.context.backend().streams().elapsed(&start.0, &self.0)
    }

    /// The time from this event to another one, in milliseconds.
    ///
    /// # Errors
    ///
    /// As [`Event::time_since`].
    pub fn time_till(&self, end: &Event) -> Result<f32> {
        end.time_since(self)
    }
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = match self.query() {
            _ if !self.0.is_recorded.load(Ordering::Acquire) => "not recorded",
            Ok(true) => "happened",
            Ok(false) => "not yet",
            Err(_) => "failed",
        };
        write!(f, "Event({state}, on {})", self.0.context.device().id())
    }
}

/// The time that a device needs for something, in milliseconds: measured with
/// events around it, after warming up is the caller's business.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = ones::<f32>(1_000_000);
/// let (total, milliseconds) = timed(|| a.sum())?;
/// println!("{milliseconds} ms");
/// assert_eq!(total.item(), 1e6);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If work of it, or before it, failed.
pub fn timed<R>(act: impl FnOnce() -> R) -> Result<(R, f32)> {
    let watch = start_watch()?;
    let result = act();
    Ok((result, watch.1.record().and_then(|end| end.synchronize()?.time_since(&watch.0))?))
}

fn start_watch() -> Result<(Event, Event)> {
    let watch = (Event::new()?, Event::new()?);
    watch.0.record()?;
    Ok(watch)
}

//! Streams and events on the host, where all work is done when it is asked for.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::record;
use crate::error::Result;
use crate::{EventFlags, EventInner, Recording, StreamFlags, StreamInner, Streams};

/// When events happened, by their handles.
#[derive(Default)]
pub(super) struct HostStreams {
    times: Mutex<BTreeMap<u64, Instant>>,
    next: AtomicU64,
}

impl Streams for HostStreams {
    fn bind(&self) -> Result<()> {
        Ok(())
    }

    fn create(&self, _: StreamFlags, _: i32) -> Result<u64> {
        Ok(0)
    }

    fn destroy(&self, _: &StreamInner) {}

    fn retire(&self, _: &StreamInner) {}

    fn priorities(&self) -> Result<(i32, i32)> {
        Ok((0, 0))
    }

    fn synchronize(&self, _: &StreamInner) -> Result<()> {
        Ok(())
    }

    fn is_done(&self, _: &StreamInner) -> Result<bool> {
        Ok(true)
    }

    fn wait_for_stream(&self, _: &StreamInner, _: &StreamInner) -> Result<()> {
        Ok(())
    }

    fn call(&self, _: &StreamInner, function: Box<dyn FnOnce() + Send>) -> Result<()> {
        // As on a thread of the driver's, from which no panic can come back.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(function)) {
            crate::streams::panics::report("launch_host_func", payload.as_ref());
        }
        Ok(())
    }

    fn create_event(&self, _: EventFlags) -> Result<u64> {
        Ok(self.next.fetch_add(1, Ordering::Relaxed))
    }

    fn destroy_event(&self, event: &EventInner) {
        self.times.lock().unwrap_or_else(PoisonError::into_inner).remove(&event.raw());
    }

    fn record(&self, event: &EventInner, _: &StreamInner) -> Result<()> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner).insert(event.raw(), Instant::now());
        Ok(())
    }

    fn event_is_done(&self, _: &EventInner) -> Result<bool> {
        Ok(true)
    }

    fn synchronize_event(&self, _: &EventInner) -> Result<()> {
        Ok(())
    }

    fn wait_for_event(&self, _: &StreamInner, _: &EventInner) -> Result<()> {
        Ok(())
    }

    fn elapsed(&self, start: &EventInner, end: &EventInner) -> Result<f32> {
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some(start), Some(end)) = (times.get(&start.raw()), times.get(&end.raw())) else {
            return Ok(0.0);
        };
        let milliseconds = |from: &Instant, to: &Instant| to.duration_since(*from).as_secs_f32() * 1e3;
        // An event that came later is a negative time away.
        Ok(if end >= start { milliseconds(start, end) } else { -milliseconds(end, start) })
    }

    fn begin_capture(&self, _: &StreamInner) -> Result<()> {
        record::begin();
        Ok(())
    }

    fn end_capture(&self, _: &StreamInner) -> Result<Box<dyn Recording>> {
        Ok(record::end())
    }
}

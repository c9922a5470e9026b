//! Operations of libraries that stand on arrays: the memory that they use is
//! known here, what they compute is not.

use std::sync::Arc;

use crate::error::{Problem, Result};
use crate::host::Locked;
use crate::{Buffer, Gpu, Operation};

/// Bytes of a buffer that an operation reads or writes.
pub struct Span {
    /// The memory.
    pub buffer: Arc<Buffer>,
    /// The first byte.
    pub start: usize,
    /// How many there are.
    pub bytes: usize,
    /// Whether they are written.
    pub writes: bool,
}

/// What an operation's host half gets for a [`Span`].
pub enum HostSpan<'a> {
    /// Bytes to read.
    Read(&'a [u8]),
    /// Bytes to read and write.
    Write(&'a mut [u8]),
}

/// What a library computes.
pub trait LibraryWork: Send + Sync {
    /// What messages call it.
    fn name(&self) -> &'static str;

    /// Does it on the host: a span for each of the operation's, in their order.
    fn on_host(&self, memory: &mut [HostSpan<'_>]) -> Result<()>;

    /// Asks a GPU to do it.
    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()>;
}

/// A library's work with the memory that it uses.
pub struct LibraryOperation {
    work: Arc<dyn LibraryWork>,
    spans: Arc<[Span]>,
}

impl LibraryOperation {
    /// The operation.
    ///
    /// # Errors
    ///
    /// If bytes that it writes are also among its other spans.
    pub fn new(work: Arc<dyn LibraryWork>, spans: Vec<Span>) -> Result<LibraryOperation> {
        for (k, one) in spans.iter().enumerate() {
            for other in &spans[k + 1..] {
                if (one.writes || other.writes) && overlaps(one, other) {
                    let message = "the result would be written over memory that the operation also uses; \
                                   pass an array of its own, as `empty_like` makes it"
                        .to_owned();
                    return Err(Problem::Invalid { operation: work.name(), message }.into());
                }
            }
        }
        Ok(LibraryOperation { work, spans: spans.into() })
    }
}

fn overlaps(one: &Span, other: &Span) -> bool {
    let is_apart = one.start + one.bytes <= other.start || other.start + other.bytes <= one.start;
    Arc::ptr_eq(&one.buffer, &other.buffer) && !is_apart && one.bytes > 0 && other.bytes > 0
}

impl Operation for LibraryOperation {
    fn name(&self) -> &'static str {
        self.work.name()
    }

    fn for_each_buffer(&self, visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>) -> Result<()> {
        self.spans.iter().try_for_each(|span| visit(&span.buffer, span.writes))
    }

    fn check(&self) {
        for span in &*self.spans {
            let end = span.start.checked_add(span.bytes);
            assert!(end.is_some_and(|end| end <= span.buffer.bytes()), "internal error: outside of a buffer");
        }
    }

    fn on_host(&self) -> Result<()> {
        compute(&*self.work, &self.spans)
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        self.work.on_gpu(gpu)
    }

    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync> {
        let (work, spans) = (Arc::clone(&self.work), Arc::clone(&self.spans));
        Box::new(move || compute(&*work, &spans))
    }
}

/// Does the work on the host, with its memory locked.
fn compute(work: &dyn LibraryWork, spans: &[Span]) -> Result<()> {
    let of = |writes: bool| -> Vec<&Buffer> {
        spans.iter().filter(|span| span.writes == writes).map(|span| &*span.buffer).collect()
    };
    let (reads, writes) = (of(false), of(true));
    let _locked = Locked::new(&reads, &writes);
    let mut memory: Vec<HostSpan<'_>> = spans.iter().map(lend).collect();
    work.on_host(&mut memory)
}

fn lend(span: &Span) -> HostSpan<'_> {
    if span.bytes == 0 {
        return if span.writes { HostSpan::Write(&mut []) } else { HostSpan::Read(&[]) };
    }
    let first = (span.buffer.address() + span.start as u64) as *mut u8;
    // SAFETY: `check` has made sure that the bytes lie within the buffer, which
    // the span keeps alive and which holds zeros or what was written there.
    // Its lock is held by `compute` as long as the slice lives: for writing, if
    // any span of the buffer is written, so no other thread has a slice of it.
    // Within this operation `LibraryOperation::new` has made sure that bytes
    // that are written are in no other span.
    unsafe {
        if span.writes {
            HostSpan::Write(std::slice::from_raw_parts_mut(first, span.bytes))
        } else {
            HostSpan::Read(std::slice::from_raw_parts(first, span.bytes))
        }
    }
}

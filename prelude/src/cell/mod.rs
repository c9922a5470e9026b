//! What the code around a cell calls.
//!
//! A session compiles a cell to a function that takes the variables it
//! mentions from the `store`, runs the user's statements in a [`guard`],
//! puts new variables into the store and the others back. All of it that is
//! generic is a few instructions: each cell compiles it again.

mod calls;
mod describe;
mod failure;
pub mod iterators;
mod lasting;
mod places;
pub mod printing;
mod program;
mod rescue;
mod std_errors;
mod store;
mod timeit;

pub use failure::{CellError, guard, guard_function};
pub use gpurepl_arrays::kernel::rust::{
    CaptureOther, CaptureSize, CaptureValue, Captured, DeviceItem, known_closure, known_items,
};
pub use gpurepl_display::results::result;
pub use gpurepl_ground::streams::print::{eprint, eprintln, print, println};
pub use lasting::{Lasting, Mutable};
pub use places::place;
pub use program::program;
pub use rescue::{
    Another, Binding, IsArray, KeepArray, KeepCopy, KeepNothing, Kept, Rescue, SkipArray, Watched, completed,
    moves, same,
};
pub use store::{Needed, Ty, of, put, settle, take, type_of, wanted};
pub use timeit::{measured, timeit};

pub(crate) use describe::describe;
pub(crate) use failure::{fail_with, install_panic_hook, take_failure};
pub(crate) use places::note_lines;
pub(crate) use rescue::{has_kept, take_restored};
pub(crate) use store::{abandon, forget, held, names, set_fingerprints, take_put};

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

/// The result of a cell's statements.
pub type CellResult = Result<(), CellError>;

/// The type `!`, which cells have no other way to write: of a thread that
/// panics, say. (The way through a function's result is that of the crate
/// `never-say-never`.)
pub type Never = <fn() -> ! as ResultOf>::Output;

/// The result of a function's type.
pub trait ResultOf {
    /// What it returns.
    type Output;
}

impl<R> ResultOf for fn() -> R {
    type Output = R;
}

/// A future of any kind as one type, so that it can be kept in a variable.
pub fn box_future<'a, T>(future: impl Future<Output = T> + 'a) -> Pin<Box<dyn Future<Output = T> + 'a>> {
    Box::pin(future)
}

/// Runs a future to its end on this thread: cells with `.await` do.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return value;
        }
        // Woken now and then, so that an interrupt is seen.
        std::thread::park_timeout(std::time::Duration::from_millis(50));
        crate::check_interrupt();
    }
}

//! Memory of the device, of the host, and copies between them.

mod allocation;
mod copies;
mod dlpack;
mod foreign;
mod managed;
mod pagelocked;
mod pools;
mod rectangles;

use gpurepl_prelude::Context;

/// Another context of the device in use, detached at the end.
struct Other(Context);

impl Other {
    fn new() -> Other {
        let context = gpurepl_prelude::device().make_context().unwrap();
        Context::pop().unwrap();
        Other(context)
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        self.0.detach();
    }
}

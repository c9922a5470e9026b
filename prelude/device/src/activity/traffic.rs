//! What is asked of a context, so that it is counted: whoever copies or
//! computes calls these, not the backend.

use super::{Kind, work};
use crate::error::Result;
use crate::{Buffer, Context, Graph, Operation, RectangleCopy, Side};

impl Context {
    #[doc(hidden)]
    pub fn upload(&self, to: &Buffer, offset: usize, from: &[u8]) -> Result<()> {
        let act = || self.backend().upload(to, offset, from);
        work(*self, Kind::ToDevice, "copy to the device", from.len(), act)
    }

    #[doc(hidden)]
    pub fn download(&self, from: &Buffer, offset: usize, to: &mut [u8]) -> Result<()> {
        let bytes = to.len();
        work(*self, Kind::FromDevice, "copy from the device", bytes, || {
            self.backend().download(from, offset, to)?;
            crate::outside::report(*self)
        })
    }

    /// Copies bytes, `(buffer, offset)`, from one buffer to another one.
    #[doc(hidden)]
    pub fn copy(&self, to: (&Buffer, usize), from: (&Buffer, usize), bytes: usize) -> Result<()> {
        work(*self, Kind::WithinDevice, "copy within the device", bytes, || {
            self.backend().copy(to, from, bytes)
        })
    }

    /// Copies from another context's memory to this one's.
    #[doc(hidden)]
    pub fn copy_peer(&self, to: (&Buffer, usize), from: (&Buffer, usize), bytes: usize) -> Result<()> {
        work(*self, Kind::WithinDevice, "copy from another device", bytes, || {
            self.backend().copies().copy_peer(to, from, bytes)
        })
    }

    #[doc(hidden)]
    pub fn copy_rectangle(&self, task: &mut RectangleCopy<'_>) -> Result<()> {
        let is_host = |side: &Side<'_>| matches!(side, Side::Host(_) | Side::HostMut(_));
        let (kind, name) = match (is_host(&task.from), is_host(&task.to)) {
            (true, _) => (Kind::ToDevice, "copy to the device"),
            (_, true) => (Kind::FromDevice, "copy from the device"),
            _ => (Kind::WithinDevice, "copy within the device"),
        };
        let bytes = task.width_in_bytes.saturating_mul(task.height).saturating_mul(task.depth);
        work(*self, kind, name, bytes, || self.backend().copies().copy_rectangle(task))
    }

    #[doc(hidden)]
    pub fn perform(&self, operation: &dyn Operation) -> Result<()> {
        work(*self, Kind::Kernel, operation.name(), 0, || self.backend().perform(operation))
    }
}

impl Graph {
    /// Launches the work on the current stream.
    ///
    /// # Errors
    ///
    /// If the driver refuses, or earlier work failed.
    pub fn launch(&self) -> Result<()> {
        crate::interrupt::check()?;
        self.enter()?;
        work(self.context(), Kind::Kernel, "graph", 0, || self.run())
    }
}

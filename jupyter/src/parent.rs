//! A kernel whose server is gone ends: nothing else would end it.

use std::sync::Arc;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::kill;
use nix::unistd::{Pid, getppid};

use crate::kernel::Kernel;
use crate::log;

/// How often the parent is checked.
const INTERVAL: Duration = Duration::from_secs(1);

/// Watches the process that Jupyter names as the parent, if it names one.
pub fn watch(kernel: &Arc<Kernel>) {
    let named = std::env::var("JPY_PARENT_PID").ok().and_then(|number| number.parse().ok());
    // Windows has handles there; and what is not a process is not watched.
    let Some(server) = named.filter(|number: &i32| *number > 1).map(Pid::from_raw) else { return };
    let (own, kernel) = (getppid(), Arc::clone(kernel));
    // Not the kernel's business if it cannot be watched.
    let _ = std::thread::Builder::new().name("parent".to_owned()).spawn(move || {
        loop {
            std::thread::sleep(INTERVAL);
            // A script may stand between the server and the kernel.
            let is_gone = kill(server, None) == Err(Errno::ESRCH) || getppid() != own;
            if is_gone {
                log::line("the process that has started this kernel is gone; so is the kernel");
                return kernel.stop();
            }
        }
    });
}

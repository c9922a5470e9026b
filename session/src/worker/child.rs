//! The worker's own side: it loads the prelude and hands over to it.

use std::ffi::OsString;
use std::os::fd::IntoRawFd as _;
use std::os::unix::net::UnixStream;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

use gpurepl_wire::worker_mode::{BUILDS_CORE, TUNES, WORKER};

/// Makes this process a worker if it was started as one; else returns at
/// once. To be called first in `main`.
///
/// A worker never returns from here.
pub fn run_if_worker() {
    let [channel, std_library, prelude, asks] = WORKER.map(std::env::var_os);
    let Some(channel) = channel else { return };
    for name in WORKER {
        // What a cell starts is not a worker, also if it is this program.
        // SAFETY: this is the start of `main`, before there are other threads.
        unsafe { std::env::remove_var(name) };
    }
    let (Some(std_library), Some(prelude)) = (std_library, prelude) else {
        fail("a worker is started by gpurepl itself");
    };
    let other = [(BUILDS_CORE, "gpurepl_build_core"), (TUNES, "gpurepl_try_variants")];
    if let Some((_, entry)) = other.iter().find(|(mode, _)| channel == *mode) {
        load(&std_library);
        let prelude = load(&prelude);
        // SAFETY: the prelude defines these functions with this signature.
        match unsafe { prelude.get::<unsafe extern "C" fn() -> i32>(*entry) } {
            // SAFETY: they have no preconditions.
            Ok(act) => std::process::exit(unsafe { act() }),
            Err(error) => fail(&format!("the prelude has no entry: {error}")),
        }
    }
    // Beneath another program, which may close what it does not know, the
    // channel is a socket to connect to.
    let channel = match channel.to_str().and_then(|text| text.parse::<i32>().ok()) {
        Some(channel) => channel,
        None => match UnixStream::connect(&channel) {
            Ok(stream) => stream.into_raw_fd(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                fail("the session that this belongs to has its program already: start `gpurepl debug` again")
            }
            Err(error) => fail(&format!("the channel {}: {error}", channel.display())),
        },
    };
    // The standard library first, by its path: the prelude names it without one.
    load(&std_library);
    let prelude = load(&prelude);
    // SAFETY: the prelude defines this function with this signature.
    let serve = unsafe { prelude.get::<unsafe extern "C" fn(i32, bool) -> i32>("gpurepl_serve") };
    let serve = match serve {
        Ok(serve) => serve,
        Err(error) => fail(&format!("the prelude has no entry: {error}")),
    };
    // SAFETY: the session opened this descriptor for the worker, or it has just
    // been opened here, and nothing else in this process knows of it.
    let status = unsafe { serve(channel, asks.is_some()) };
    std::process::exit(status);
}

/// Loads a library for good, for all that are loaded after it to find.
fn load(path: &OsString) -> &'static Library {
    // SAFETY: the standard library of a toolchain and the prelude built with
    // it; neither has initialisers that ask anything of the program.
    match unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) } {
        Ok(library) => Box::leak(Box::new(library)),
        Err(error) => fail(&format!("{}: {}", path.display(), cause(&error))),
    }
}

/// What the loader said; the error itself says only which function failed.
fn cause(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

fn fail(message: &str) -> ! {
    eprintln!("gpurepl worker: {message}");
    std::process::exit(3);
}

//! C++ on arrays, on the device that `GPUREPL_DEVICE` names.

use gpurepl_prelude::*;

mod calls;
mod errors;
mod foreign;
#[path = "../../../../tests/support/ignored.rs"]
mod ignored;
mod shared;
mod state;

/// A module that is given arrays on either device: on the host it is plain C++.
fn module(text: &str) -> CppModule {
    CppModule::new(text).unwrap()
}

/// The words of an error.
fn words<T>(result: Result<T>) -> String {
    result.map(drop).unwrap_err().to_string()
}

/// Whether arrays lie where C++ on the CPU can read them. Without, a test takes slices.
fn is_on_host() -> bool {
    device().kind() == DeviceKind::Host
}

//! What a user of arrays and kernels relies on, on the device that
//! `GPUREPL_DEVICE` names; where it is not set, on the first GPU that works or
//! else the host, as for a user.
#![allow(clippy::reversed_empty_ranges, reason = "with a step, and from the end, they are ranges of places")]
#![allow(
    clippy::needless_borrows_for_generic_args,
    reason = "arrays are lent, as cells lend them, also where a function would take them"
)]

mod aliasing;
mod answers;
mod architecture;
mod axes;
mod bins;
mod choosing;
mod complex;
mod contexts;
mod corpus;
mod creation;
mod displays;
mod distributions;
mod driver;
mod einsum;
mod extend;
mod fake_driver;
mod faults;
mod functions;
mod fusion;
mod globals;
mod guards;
mod headers;
#[path = "../../../tests/support/ignored.rs"]
mod ignored;
mod indexing;
mod intrinsics;
mod kernels;
mod launches;
mod lost;
mod mathematics;
mod matrices;
mod memory;
mod modules;
mod oddities;
mod operands;
mod options;
mod parts;
mod plots;
mod polynomials;
mod printing;
mod products;
mod programs;
mod quantiles;
mod races;
mod random;
mod reductions;
mod roofline;
mod same_memory;
mod scans;
mod serialize;
mod series;
mod shaping;
mod signatures;
mod simulated;
mod soak;
mod sorting;
mod special;
mod statistics;
mod streams;
mod structures;
mod textures;
mod threads;
mod undefined;
mod updates;
mod walks;
mod windows;

use gpurepl_prelude::{Error, ErrorKind};

/// The error that a terse form panics with.
#[track_caller]
fn raised(operation: impl FnOnce()) -> Error {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(operation));
    *outcome.expect_err("no panic").downcast::<Error>().expect("a panic, but not with an error of ours")
}

/// Checks that an operation panics with an error of this kind and text.
#[track_caller]
fn raises(kind: ErrorKind, text: &str, operation: impl FnOnce()) {
    let error = raised(operation);
    // The next step is not part of what went wrong.
    let words = error.to_string();
    let words = words.split("\n  = help: ").next().unwrap_or_default();
    assert_eq!((error.kind(), words), (kind, text));
}

/// Whether the tests run on the CPU, where some things cannot be done yet.
pub fn is_on_host() -> bool {
    gpurepl_prelude::device().kind() == gpurepl_prelude::DeviceKind::Host
}

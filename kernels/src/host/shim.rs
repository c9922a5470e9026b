//! The C++ that goes before a translated text, in pieces: what a source does
//! not use, the compiler need not read.

use super::parts;

/// What every text needs.
const LANGUAGE: &str = concat!(
    include_str!("../constants.h"),
    include_str!("../math_constants.h"),
    include_str!("shim/language.hpp"),
    include_str!("shim/thread.hpp"),
);

/// Functions of every text.
const FUNCTIONS: &str = concat!(
    include_str!("shim/math.hpp"),
    include_str!("shim/intrinsics.hpp"),
    include_str!("shim/atomics.hpp"),
    include_str!("shim/failure.hpp"),
    include_str!("shim/checked.hpp"),
);

/// Barriers, warps and shared memory.
const THREADS: &str = include_str!("shim/threads.hpp");

/// Every access to a `volatile` lets the other threads run.
const LOCKSTEP: &str = include_str!("shim/lockstep.hpp");

const ENTRY: &str = include_str!("shim/entry.hpp");

/// From here on, lines are the user's.
pub(super) const BEFORE_SOURCE: &str = "#undef GPUREPL_LINE\n#define GPUREPL_LINE __LINE__\n";

/// The shim for a source.
pub(super) fn for_source(source: &str, has_threads: bool, lockstep: bool) -> String {
    let mut text = LANGUAGE.to_owned();
    if has_threads {
        text.push_str(THREADS);
    }
    text.push_str(FUNCTIONS);
    text.push_str(&parts::needed_by(source));
    if lockstep {
        text.push_str(LOCKSTEP);
    }
    text.push_str(ENTRY);
    text
}

/// C++ for a generated loop: the shim, then the text.
pub fn with_shim(text: &str) -> String {
    format!("{LANGUAGE}{FUNCTIONS}{}\n{text}", parts::needed_by(text))
}

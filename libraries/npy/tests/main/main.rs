//! Arrays in files, on the device that `GPUREPL_DEVICE` names.

#![allow(clippy::reversed_empty_ranges, reason = "with a step, and from the end, they are ranges of places")]

mod files;
mod numpy;
mod pieces;

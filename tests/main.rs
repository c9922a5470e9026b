//! Tests of gpurepl from outside, on the device that `GPUREPL_DEVICE` names.
//!
//! | module | what it tests |
//! |---|---|
//! | `analysis` | completion and documentation, also by the analyser |
//! | `engine` | cells: what they keep, what they show, what they say |
//! | `names` | that what completion offers is there |
//! | `nvtx` | what profilers hear of cells and of named ranges |
//! | `sanitize` | scripts under compute-sanitizer |
//! | `scripts` | the program with files, `-e` and pipes |
//! | `shell` | the program at a terminal, keys typed |
//! | `store` | the prelude built offline, carried, and shared |
//! | `trouble` | what is missing, wrong or too much |
//! | `walkthroughs` | the scripts of `notebooks/` |

mod analysis;
mod engine;
mod names;
mod nvtx;
mod sanitize;
mod scripts;
mod shell;
mod store;
mod trouble;
mod walkthroughs;

//! Tests of gpurepl from outside, on the device that `GPUREPL_DEVICE` names.
//!
//! | module | what it tests |
//! |---|---|
//! | `analysis` | completion and documentation, also by the analyser |
//! | `corpus` | the examples of the standard library's documentation as cells |
//! | `debugger` | scripts under a debugger |
//! | `cpp` | C++ and shared libraries, what they print and what is wrong with them |
//! | `dependencies` | `:dep`, and the store by hand |
//! | `documents` | examples, links, paths and names in README and `docs/` |
//! | `elsewhere` | workers that `srun`, `ssh` or the user starts, and strangers at their door |
//! | `engine` | cells: what they keep, what they show, what they say |
//! | `evcxr` | the second engine, without the prelude |
//! | `installed` | the programs as `cargo install` leaves them, in an empty environment |
//! | `names` | that what completion offers is there |
//! | `nvtx` | what profilers hear of cells and of named ranges |
//! | `petsc` | PETSc from cells, on one process and on two |
//! | `pictures` | pictures in a terminal, cards for who shows HTML |
//! | `plugins` | plugins of libraries: built when a cell wants one, carried, interrupted |
//! | `prompt` | the prompt as it is drawn: colours, keys, editors, what threads print |
//! | `recovery` | what a lost worker costs, and that a replay brings back |
//! | `projects` | sessions saved as cargo projects, which are built and run |
//! | `sanitize` | scripts under compute-sanitizer |
//! | `scripts` | the program with files, `-e` and pipes |
//! | `shell` | the program at a terminal, keys typed |
//! | `soak` | hundreds of cells: memory, descriptors, files |
//! | `streams_shell` | displays, progress and questions at a terminal |
//! | `store` | the prelude built offline, carried, and shared |
//! | `templates` | kernels that are made of templates |
//! | `trouble` | what is missing, wrong or too much |
//! | `tuning` | tuners: variants that crash, hang and are interrupted; choices that are kept |
//! | `walkthroughs` | the notebooks of `notebooks/` as scripts |
//! | `workers` | several workers behind one session |

mod analysis;
mod corpus;
mod cpp;
mod debugger;
mod dependencies;
mod documents;
mod elsewhere;
mod engine;
mod evcxr;
#[path = "support/ignored.rs"]
mod ignored;
mod installed;
mod launch;
mod names;
mod nvtx;
mod petsc;
mod pictures;
mod plugins;
mod projects;
mod prompt;
mod recovery;
mod sanitize;
mod scripts;
mod shell;
mod soak;
mod store;
mod streams_shell;
mod templates;
mod trouble;
mod tuning;
mod walkthroughs;
mod workers;

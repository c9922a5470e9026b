//! A session: cells in, outcomes out.
//!
//! ```no_run
//! use gpurepl_session::{Deaf, Options, Session};
//! let mut session = Session::start(Options::default(), &mut Deaf)?;
//! let outcome = session.run("let a = arange(0..10);", &mut Deaf);
//! assert!(outcome.is_done());
//! # Ok::<(), gpurepl_session::StartError>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`Session`] | one user's state over time |
//! | `evaluation` | a text as a command, a question, `:dep`, or a cell |
//! | [`analysis`] | completion and documentation |
//! | [`command`] | the table of `:commands` |
//! | [`magic`] | lines such as `%%timeit` at the start of a cell |
//! | [`dependencies`] | `:dep`: crates of the user's own |
//! | [`engine`] | the trait, and the engine that runs rustc for each cell |
//! | `worker` | the process that owns variables and the device |
//! | `elsewhere` | connections to workers that `srun`, `mpiexec` or `ssh` starts |
//! | [`store`] | the prelude, compiled once for a toolchain |
//! | `recovery` | what a lost worker cost, and bringing it back |
//! | [`diagnostic`] | errors on the user's own lines |
//! | `kernel_text` | the texts of kernels where cells have them |
//! | [`script`] | files of cells |
//! | [`sanitizer`] | scripts under NVIDIA's compute-sanitizer |
#![warn(missing_docs)]

mod analyser_program;
pub mod analysis;
mod cell_name;
pub mod command;
mod commands;
mod completeness;
pub mod debugger;
mod dependencies;
pub mod diagnostic;
mod elsewhere;
pub mod engine;
mod evaluation;
mod export;
mod interrupt;
mod kernel_text;
pub mod launch;
pub mod names;
mod nesting;
mod output;
mod ranks;
mod recovery;
mod reports;
pub mod sanitizer;
pub mod script;
mod session;
mod session_folder;
pub mod store;
mod toolchain;
mod transcript;
mod type_names;
mod worker;

pub use commands::magic;
pub use completeness::completeness;
pub use diagnostic::{Diagnostic, Severity};
pub use elsewhere::Launch;
pub use engine::{Completeness, Definitions, EngineKind, Item, Loss, Outcome, Report, Variable};
pub use gpurepl_wire::{COMM, CommAct, Control, ControlKind, INTERACTION, Interaction, Setting};
pub use gpurepl_wire::{CacheReport, DeviceReport, MemoryReport, MimeBundle};
pub use interrupt::Interrupter;
pub use output::{Deaf, InputRequest, Progress, Sink, Stream, Upcoming};
pub use ranks::{MOST_WORKERS, Selection, number_of_workers};
pub use recovery::{Policy as ReplayPolicy, ReplayPlan};
pub use reports::{cache_text, device_table};
pub use session::{Options, Session, StartError};
pub use session_folder::SessionFolder;
pub use toolchain::{Linker, Toolchain, ToolchainError};
pub use transcript::{Entry, Output};
pub use worker::{Background, WorkerReport, Wrapper, join, run_if_worker, simulate_workers};

//! The course and the documentation, as the programs have them with them: nothing of it has to be there on disk.
//!
//! ```
//! let first = gpurepl_book::chapter("1").unwrap();
//! assert_eq!((first.name(), first.title().as_str()), ("01_first_steps", "First steps"));
//! assert!(first.cells().iter().any(|cell| cell.text.contains("SourceModule::new")));
//! ```
#![warn(missing_docs)]

mod chapter;
mod page;
mod packed {
    include!(concat!(env!("OUT_DIR"), "/packed.rs"));
}

pub use chapter::{Cell, CellKind, Chapter, chapter, chapters};
pub use page::{Section, pages, search};

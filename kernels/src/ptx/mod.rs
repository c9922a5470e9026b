//! PTX, the text that compilers make of kernels and the driver makes code of:
//! which registers it reads before they are set, and what its functions do.
//!
//! A reader of text alone: what it does not know it passes over, because the
//! driver's assembler checks the rest.

mod instruction;
mod module;
mod registers;
mod summary;
mod token;

pub(crate) use instruction::Instruction;
pub use registers::{UnsetRegister, perhaps_unset, unset};
pub use summary::{Summary, summary};
pub(crate) use token::{Token, tokens};

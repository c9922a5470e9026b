//! Cells. Many of these tests follow, as facts, what evcxr's own integration
//! tests expect; where we differ a comment says why.

mod ahead;
mod asked;
mod borrows;
mod commands;
mod conditions;
mod control;
mod display;
mod errors;
mod hints;
mod hostile;
mod identity;
mod inference;
mod items;
mod kernel_errors;
mod kernels;
mod libraries;
mod loss;
mod open;
mod output;
mod redefinition;
mod rust_checks;
mod rust_corpus;
mod rust_kernels;
mod soundness;
mod statics;
mod streams;
mod types;
mod variables;
mod wrong_lines;

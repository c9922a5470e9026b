//! Plots: pictures of every kind, and what they do with odd data.
#![allow(
    clippy::needless_borrows_for_generic_args,
    clippy::useless_vec,
    reason = "data is handed over as users write it"
)]

mod gallery;
mod looks;
mod marks;
mod oddities;
mod together;

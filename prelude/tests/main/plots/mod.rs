//! Plots: pictures of every kind, and what they do with odd data.

mod gallery;
mod oddities;

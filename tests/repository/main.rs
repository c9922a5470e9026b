//! What holds of the repository itself.

mod floors;
mod imports;
mod libraries;

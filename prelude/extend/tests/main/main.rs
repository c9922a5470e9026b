//! What the crate does with plugins that a program has linked.

mod products;

//! The prelude: built without network, carried whole, built once for many.

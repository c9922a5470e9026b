//! Textures and surfaces: references, objects, and what they read.

mod fetching;
mod references;
mod surfaces;

use gpurepl_prelude::*;

/// A kernel of a source.
#[track_caller]
fn kernel(source: &str, name: &str) -> Function {
    SourceModule::new(source).unwrap_or_else(|error| panic!("{error}")).get_function(name).unwrap()
}

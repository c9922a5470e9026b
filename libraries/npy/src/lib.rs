//! Arrays in NumPy's files: `.npy`, with one array, and `.npz`, with several
//! by name.
//!
//! ```
//! use gpurepl_prelude::*;
//! # let folder = tempfile::tempdir().unwrap();
//! # let (npy, npz) = (folder.path().join("a.npy"), folder.path().join("ab.npz"));
//! let a = gpu![[1.0f32, 2.0], [3.0, 4.0]];
//! let b = arange(0..3);
//! io::save(&npy, &a)?;
//! assert!(array_equal(&io::load::<f32>(&npy)?, &a));
//!
//! io::savez(&npz, [("a", &a), ("b", &b)])?;
//! let file = io::load_npz(&npz)?;
//! assert_eq!(file.names().collect::<Vec<_>>(), ["a", "b"]);
//! assert_eq!(file.get::<i32>("b")?.to_vec(), [0, 1, 2]);
//! # Ok::<(), Error>(())
//! ```
//!
//! The format is NumPy's, versions 1 to 3, as `numpy.lib.format` describes it.
#![warn(missing_docs)]

mod describe;
mod header;
mod npy;
mod npz;
mod pieces;
mod texts;

pub use describe::{Contents, Described, describe};
pub use npz::Npz;
pub use pieces::{NpyReader, NpyWriter, append_npy, create_npy, open_npy};

use std::path::Path;

use gpurepl_extend::{AnyArray, Elem, GpuArray, Result};
use npz::Method;
use texts::Texts;

/// What can be saved: a [`GpuArray`] of any element type, or a text, which is an array of one string for NumPy.
pub trait SaveArray {
    #[doc(hidden)]
    fn entry(&self) -> SavedEntry;
}

/// What is written of [`SaveArray`].
#[doc(hidden)]
pub enum SavedEntry {
    Array(AnyArray),
    Texts(Texts),
}

impl<T: Elem> SaveArray for GpuArray<T> {
    fn entry(&self) -> SavedEntry {
        SavedEntry::Array(AnyArray::of(self))
    }
}

impl SaveArray for AnyArray {
    fn entry(&self) -> SavedEntry {
        SavedEntry::Array(self.clone())
    }
}

impl SaveArray for &str {
    fn entry(&self) -> SavedEntry {
        SavedEntry::Texts(Texts::one(self))
    }
}

impl SaveArray for String {
    fn entry(&self) -> SavedEntry {
        SavedEntry::Texts(Texts::one(self))
    }
}

/// Writes an array, or a text, to a `.npy` file: `numpy.save`. The file has the name that
/// is given; no ending is added.
///
/// # Errors
///
/// If the device reports one, or the file cannot be written.
pub fn save(path: impl AsRef<Path>, array: &(impl SaveArray + ?Sized)) -> Result<()> {
    npy::save(path.as_ref(), &array.entry())
}

/// Reads an array from a `.npy` file to the current device: `numpy.load`.
///
/// # Errors
///
/// If the file cannot be read, is damaged, or holds elements of another type.
pub fn load<T: Elem>(path: impl AsRef<Path>) -> Result<GpuArray<T>> {
    npy::load(path.as_ref(), Some(T::DTYPE))?.typed()
}

/// Reads an array whose type the file decides.
///
/// # Errors
///
/// As [`load`].
pub fn load_any(path: impl AsRef<Path>) -> Result<AnyArray> {
    npy::load(path.as_ref(), None)
}

/// Writes arrays and texts, by name, to an `.npz` file: `numpy.savez`. They may
/// have several types.
///
/// # Errors
///
/// If two have the same name, or as [`save`].
pub fn savez<const N: usize>(path: impl AsRef<Path>, arrays: [(&str, &dyn SaveArray); N]) -> Result<()> {
    npz::save(path.as_ref(), &arrays, Method::Stored)
}

/// [`savez`], compressed: `numpy.savez_compressed`.
///
/// # Errors
///
/// As [`savez`].
pub fn savez_compressed<const N: usize>(
    path: impl AsRef<Path>,
    arrays: [(&str, &dyn SaveArray); N],
) -> Result<()> {
    npz::save(path.as_ref(), &arrays, Method::Deflated)
}

/// [`savez`] of a list whose length the program decides.
///
/// ```
/// use gpurepl_prelude::*;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("layers.npz");
/// let layers: Vec<(String, GpuArray<f32>)> = (0..3).map(|k| (format!("layer{k}"), ones(k + 1))).collect();
/// let list: Vec<(&str, &dyn io::SaveArray)> =
///     layers.iter().map(|(name, a)| (name.as_str(), a as &dyn io::SaveArray)).collect();
/// io::savez_list(&path, &list)?;
/// assert_eq!(io::load_npz(&path)?.get::<f32>("layer2")?.size(), 3);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As [`savez`].
pub fn savez_list(path: impl AsRef<Path>, arrays: &[(&str, &dyn SaveArray)]) -> Result<()> {
    npz::save(path.as_ref(), arrays, Method::Stored)
}

/// [`savez_compressed`] of a list whose length the program decides.
///
/// # Errors
///
/// As [`savez`].
pub fn savez_list_compressed(path: impl AsRef<Path>, arrays: &[(&str, &dyn SaveArray)]) -> Result<()> {
    npz::save(path.as_ref(), arrays, Method::Deflated)
}

/// Opens an `.npz` file: `numpy.load`. Its arrays are read when they are asked
/// for.
///
/// # Errors
///
/// If the file cannot be read, or is not a zip archive.
pub fn load_npz(path: impl AsRef<Path>) -> Result<Npz> {
    Npz::open(path.as_ref())
}

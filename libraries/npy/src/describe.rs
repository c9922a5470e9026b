//! What a file holds, without its elements.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;

use gpurepl_extend::{DType, Result, error};

use crate::header::{Descr, Header};
use crate::npy::Source;
use crate::npz::Npz;

/// The arrays of a file, from [`describe`].
#[derive(Clone, PartialEq)]
pub struct Contents {
    path: String,
    /// The arrays, in the order of the file.
    pub arrays: Vec<Described>,
}

/// An array in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// Its name; empty in a `.npy` file.
    pub name: String,
    /// The lengths of the axes.
    pub shape: Vec<usize>,
    /// The type of the elements, if arrays have it.
    pub dtype: Option<DType>,
    /// The type as messages name it; for an array that cannot be read, why.
    type_name: String,
}

/// Which arrays a `.npy` or `.npz` file holds: names, types and shapes. Their
/// elements are not read.
///
/// ```
/// use gpurepl_prelude::*;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.npy");
/// io::save(&path, &zeros::<f32>((3, 4)))?;
/// let contents = io::describe(&path)?;
/// assert_eq!(contents.arrays[0].dtype, Some(DType::Float32));
/// assert!(format!("{contents:?}").ends_with("a.npy: float32 [3, 4]"));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the file cannot be read or is damaged.
pub fn describe(path: impl AsRef<Path>) -> Result<Contents> {
    of_file(path.as_ref())
}

fn of_file(path: &Path) -> Result<Contents> {
    let failed = |error| error::io("describe", path, error);
    let mut start = Vec::new();
    File::open(path).and_then(|file| file.take(2).read_to_end(&mut start)).map_err(failed)?;
    if start == b"PK" {
        return Npz::open(path).map(|archive| of_archive(&archive));
    }
    let name = path.display().to_string();
    let source = Source { name: &name, call: "describe", length: None };
    let header = source.header(&mut BufReader::new(File::open(path).map_err(failed)?))?;
    Ok(Contents { path: name.clone(), arrays: vec![described("", header)] })
}

pub fn of_archive(archive: &Npz) -> Contents {
    let arrays = archive.headers().map(|(name, header)| match header {
        Ok(header) => described(name, header),
        Err(error) => {
            let text = error.to_string();
            let why = text.lines().next().unwrap_or_default().to_owned();
            Described { name: name.to_owned(), shape: Vec::new(), dtype: None, type_name: why }
        }
    });
    Contents { path: archive.path().display().to_string(), arrays: arrays.collect() }
}

fn described(name: &str, header: Header) -> Described {
    let (dtype, type_name) = match header.descr {
        Descr::Known { dtype, .. } => (Some(dtype), dtype.to_string()),
        Descr::Other(name) => (None, name),
    };
    Described { name: name.to_owned(), shape: header.shape, dtype, type_name }
}

impl fmt::Debug for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path)?;
        match &self.arrays[..] {
            [] => f.write_str(" no arrays"),
            [one] if one.name.is_empty() => write!(f, " {} {:?}", one.type_name, one.shape),
            several => {
                let width = several.iter().map(|array| array.name.chars().count()).max().unwrap_or(0).min(40);
                several.iter().try_for_each(|array| {
                    write!(f, "\n  {:width$}  {} {:?}", array.name, array.type_name, array.shape)
                })
            }
        }
    }
}

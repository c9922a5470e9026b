//! One array in a file.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use gpurepl_extend::{AnyArray, DType, Error, Result, check_interrupt, error};

use crate::SavedEntry;
use crate::header::{Descr, Header, HeaderError};
use crate::texts::Texts;

/// Bytes between two looks at the user's interrupt.
pub const AT_ONCE: usize = 8 << 20;

pub fn save(path: &Path, entry: &SavedEntry) -> Result<()> {
    let parts = parts(entry)?;
    let mut file = File::create(path).map_err(|error| error::io("save", path, error))?;
    write(&mut file, &parts, &|error| error::io("save", path, error))
}

/// A header and the elements behind it, copied to the host.
pub type Parts = [Vec<u8>; 2];

pub fn parts(entry: &SavedEntry) -> Result<Parts> {
    Ok(match entry {
        SavedEntry::Array(array) => [Header::write(array.dtype(), array.shape()), array.to_host()?],
        SavedEntry::Texts(texts) => [texts.to_bytes(), Vec::new()],
    })
}

/// Writes an entry whose elements have been copied.
pub fn write(
    to: &mut dyn Write,
    [header, elements]: &Parts,
    failed: &dyn Fn(io::Error) -> Error,
) -> Result<()> {
    to.write_all(header).map_err(failed)?;
    for part in elements.chunks(AT_ONCE) {
        check_interrupt()?;
        // Files are little-endian, as this program's memory is.
        to.write_all(part).map_err(failed)?;
    }
    Ok(())
}

pub fn load(path: &Path, wanted: Option<DType>) -> Result<AnyArray> {
    let file = File::open(path).map_err(|error| error::io("load", path, error))?;
    let length = file.metadata().ok().filter(|data| data.is_file()).map(|data| data.len());
    let source = Source { name: &path.display().to_string(), call: "load", length };
    let mut file = BufReader::with_capacity(1 << 16, file);
    refuse_archive(&mut file, &source)?;
    source.read(&mut file, wanted)
}

/// Names the function for files of several arrays.
fn refuse_archive(file: &mut BufReader<File>, source: &Source<'_>) -> Result<()> {
    let start = io::BufRead::fill_buf(file).map_err(|error| source.failed(error))?;
    if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
        let message =
            format!("{} is an .npz file, with arrays by name\n  = help: use `io::load_npz`", source.name);
        return Err(error::invalid(source.call, message));
    }
    Ok(())
}

/// Puts the bytes of elements into this program's order; of booleans any that is not
/// zero holds.
pub fn in_own_order(bytes: &mut [u8], dtype: DType, is_big_endian: bool) {
    if is_big_endian {
        let scalar = if dtype.is_complex() { dtype.size() / 2 } else { dtype.size() };
        bytes.chunks_exact_mut(scalar).for_each(<[u8]>::reverse);
    }
    if dtype == DType::Bool {
        bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
    }
}

/// What an array is read from.
pub struct Source<'a> {
    /// For messages: `a.npy`, or `w in a.npz`.
    pub name: &'a str,
    /// The function that the user has called.
    pub call: &'static str,
    /// Bytes of the whole, header included, if that is known.
    pub length: Option<u64>,
}

impl Source<'_> {
    pub fn failed(&self, error: io::Error) -> Error {
        // A broken compressed stream is damage, and not a problem of the disk.
        if matches!(
            error.kind(),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof
        ) || error.get_ref().is_some()
        {
            return self.damaged(&error.to_string());
        }
        error::io(
            if matches!(self.call, "get" | "texts") { "load_npz" } else { self.call },
            Path::new(self.name),
            error,
        )
    }

    pub fn damaged(&self, what: &str) -> Error {
        let help = "copy the file again, or save the array again with `numpy.save` or `io::save`";
        error::invalid(self.call, format!("{} is damaged: {what}\n  = help: {help}", self.name))
    }

    pub fn header(&self, from: &mut dyn Read) -> Result<Header> {
        Header::read(from).map_err(|error| match error {
            HeaderError::Io(error) => self.failed(error),
            HeaderError::Damaged(what) => self.damaged(&what),
        })
    }

    /// Reads a header and the elements behind it.
    pub fn read(&self, from: &mut dyn Read, wanted: Option<DType>) -> Result<AnyArray> {
        let header = self.header(from)?;
        let (dtype, is_big_endian) = self.dtype(&header, wanted)?;
        let mut bytes = self.elements(from, &header)?;
        in_own_order(&mut bytes, dtype, is_big_endian);
        if !header.is_fortran {
            return AnyArray::from_host(&header.shape[..], dtype, &bytes);
        }
        let reversed: Vec<usize> = header.shape.iter().rev().copied().collect();
        AnyArray::from_host(&reversed[..], dtype, &bytes)?.t()
    }

    pub fn dtype(&self, header: &Header, wanted: Option<DType>) -> Result<(DType, bool)> {
        let (dtype, is_big_endian) = match &header.descr {
            Descr::Known { dtype, is_big_endian } => (*dtype, *is_big_endian),
            Descr::Other(name) => {
                if self.call == "get" && Texts::are(name) {
                    let message = format!("{} holds texts\n  = help: read them with `.texts(..)`", self.name);
                    return Err(error::dtype(self.call, message));
                }
                let message = format!(
                    "{} holds elements of type {name}, which arrays cannot have\n  = help: convert them in NumPy: \
                     `a.astype(np.float64)`, or a field of a structure: `a[\"x\"]`",
                    self.name
                );
                return Err(error::dtype(self.call, message));
            }
        };
        match wanted.filter(|wanted| *wanted != dtype) {
            None => Ok((dtype, is_big_endian)),
            Some(wanted) => {
                let (name, rust) = (self.name, dtype.rust());
                let message = format!(
                    "{name} holds {dtype}, not {wanted}\n  = help: write `{}::<{rust}>(..)`, and `.astype({})` after it \
                     to convert",
                    self.call,
                    wanted.rust()
                );
                Err(error::dtype(self.call, message))
            }
        }
    }

    /// How many bytes the elements have.
    pub fn bytes(&self, header: &Header) -> Result<usize> {
        header.bytes().ok_or_else(|| {
            self.damaged(&format!("an array of shape {:?} is larger than any memory", header.shape))
        })
    }

    /// That there are not as many.
    pub fn short(&self, header: &Header, count: usize, there: u64) -> Error {
        let shape = &header.shape;
        self.damaged(&format!("an array of shape {shape:?} needs {count} bytes, {there} are there"))
    }

    /// The bytes of the elements. Not more memory is allocated than the file
    /// can fill.
    fn elements(&self, from: &mut dyn Read, header: &Header) -> Result<Vec<u8>> {
        self.bytes_of(from, header, self.bytes(header)?)
    }

    /// So many bytes behind a header.
    pub fn bytes_of(&self, from: &mut dyn Read, header: &Header, count: usize) -> Result<Vec<u8>> {
        let short = |there: u64| self.short(header, count, there);
        if let Some(length) = self.length.filter(|length| (*length as usize) < count) {
            return Err(short(length));
        }
        let mut bytes = Vec::new();
        if self.length.is_some() && bytes.try_reserve_exact(count).is_err() {
            let message = format!("there is no memory for the {count} bytes of {}", self.name);
            return Err(error::invalid(self.call, message));
        }
        while bytes.len() < count {
            check_interrupt()?;
            let part = AT_ONCE.min(count - bytes.len()) as u64;
            let read = from.take(part).read_to_end(&mut bytes).map_err(|error| self.failed(error))?;
            if read == 0 {
                return Err(short(bytes.len() as u64));
            }
        }
        Ok(bytes)
    }
}

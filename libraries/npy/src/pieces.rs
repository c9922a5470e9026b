//! Arrays that are read from a file, and written to it, a few rows at a time: the
//! whole fits neither the device nor the program.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader};
use std::marker::PhantomData;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use gpurepl_extend::{AnyArray, DType, Elem, Error, GpuArray, IntoShape, Result, check_interrupt, error};

use crate::header::{Descr, Header};
use crate::npy::{AT_ONCE, Source, in_own_order};

/// A `.npy` file whose rows, the parts along its first axis, are read when they are
/// asked for: what NumPy's `load(.., mmap_mode="r")` is used for. From [`open_npy`].
pub struct NpyReader<T> {
    rows: Rows,
    element: PhantomData<T>,
}

/// A `.npy` file that grows along its first axis, from [`create_npy`] or [`append_npy`].
pub struct NpyWriter<T> {
    rows: Rows,
    element: PhantomData<T>,
}

/// A file with an array of at least one axis.
struct Rows {
    path: PathBuf,
    file: File,
    header: Header,
    dtype: DType,
    is_big_endian: bool,
    /// Where the elements begin.
    start: u64,
}

/// Opens a `.npy` file to read some rows of its array at a time.
///
/// ```
/// use gpurepl_prelude::*;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.npy");
/// io::save(&path, &arange(0..1000).reshape((100, 10)))?;
/// let file = io::open_npy::<i32>(&path)?;
/// assert_eq!(file.shape(), [100, 10]);
/// assert_eq!(file.read(3..5)?.sum().item(), (30..50).sum());
/// let mut sum = 0;
/// for piece in file.pieces(32) {
///     sum += piece?.sum().item();
/// }
/// assert_eq!(sum, (0..1000).sum());
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the file cannot be read, is damaged, its array has no axes or elements of another
/// type.
pub fn open_npy<T: Elem>(path: impl AsRef<Path>) -> Result<NpyReader<T>> {
    let rows = Rows::open(path.as_ref(), "open_npy", T::DTYPE, OpenOptions::new().read(true))?;
    Ok(NpyReader { rows, element: PhantomData })
}

/// Creates a `.npy` file without rows, or empties one; `row` is the shape of a row, `()`
/// for numbers. Rows are added by [`NpyWriter::append`].
///
/// ```
/// use gpurepl_prelude::*;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.npy");
/// let mut file = io::create_npy::<f32>(&path, 4)?;
/// for k in 0..3 {
///     file.append(&full((10, 4), k as f32))?;
/// }
/// assert_eq!(io::load::<f32>(&path)?.shape(), [30, 4]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the shape is not possible, or the file cannot be written.
pub fn create_npy<T: Elem>(path: impl AsRef<Path>, row: impl IntoShape) -> Result<NpyWriter<T>> {
    let row = row.into_dims().shape("create_npy", T::DTYPE.size())?;
    let rows = Rows::create(path.as_ref(), T::DTYPE, row.lengths())?;
    Ok(NpyWriter { rows, element: PhantomData })
}

/// Opens a `.npy` file to add rows to its array.
///
/// # Errors
///
/// As [`open_npy`], or if the elements lie in Fortran's order or the other order of
/// bytes, in which none can be added.
pub fn append_npy<T: Elem>(path: impl AsRef<Path>) -> Result<NpyWriter<T>> {
    let mut options = OpenOptions::new();
    let rows = Rows::open(path.as_ref(), "append_npy", T::DTYPE, options.read(true).write(true))?;
    rows.check_can_grow()?;
    Ok(NpyWriter { rows, element: PhantomData })
}

impl<T: Elem> NpyReader<T> {
    /// The shape of the whole array.
    pub fn shape(&self) -> &[usize] {
        &self.rows.header.shape
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.count()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.count() == 0
    }

    /// Reads some rows to the current device.
    ///
    /// # Errors
    ///
    /// If there are not so many, the file cannot be read, or the device has no room.
    pub fn read(&self, rows: Range<usize>) -> Result<GpuArray<T>> {
        self.rows.read(rows)?.typed()
    }

    /// All rows in order, so many at a time; the last time those that are left.
    ///
    /// # Errors
    ///
    /// Each item as [`NpyReader::read`]; the only one, if `rows` is zero.
    pub fn pieces(&self, rows: usize) -> impl Iterator<Item = Result<GpuArray<T>>> {
        let (count, step) = (self.len(), rows.max(1));
        // Pieces of no rows are one error, also of a file without rows.
        let starts = (0..if rows == 0 { 1 } else { count }).step_by(step);
        starts.map(move |start| {
            if rows == 0 {
                let message = "pieces of no rows would never end; give at least one row".to_owned();
                return Err(error::invalid("pieces", message));
            }
            self.read(start..count.min(start.saturating_add(step)))
        })
    }
}

impl<T: Elem> NpyWriter<T> {
    /// The shape of the array in the file.
    pub fn shape(&self) -> &[usize] {
        &self.rows.header.shape
    }

    /// Writes rows behind those that are there. The file is whole after each call.
    ///
    /// # Errors
    ///
    /// If the rows have another shape than the file's, the device reports an error, or
    /// the file cannot be written.
    pub fn append(&mut self, rows: &GpuArray<T>) -> Result<()> {
        self.rows.append(&AnyArray::of(rows))
    }
}

impl Rows {
    fn open(path: &Path, call: &'static str, wanted: DType, options: &OpenOptions) -> Result<Rows> {
        let failed = |error| error::io(call, path, error);
        let file = options.open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let name = path.display().to_string();
        let source = Source { name: &name, call, length: Some(length) };
        let mut reader = Counted { reader: BufReader::new(&file), count: 0 };
        let header = source.header(&mut reader)?;
        let (dtype, is_big_endian) = source.dtype(&header, Some(wanted))?;
        let start = reader.count;
        let needed = source.bytes(&header)?;
        if header.shape.is_empty() {
            let message =
                format!("{name} has an array without axes, and so no rows\n  = help: use `io::load`");
            return Err(error::invalid(call, message));
        }
        if length.saturating_sub(start) < needed as u64 {
            return Err(source.short(&header, needed, length.saturating_sub(start)));
        }
        Ok(Rows { path: path.to_owned(), file, header, dtype, is_big_endian, start })
    }

    fn create(path: &Path, dtype: DType, row: &[usize]) -> Result<Rows> {
        let failed = |error| error::io("create_npy", path, error);
        let shape: Vec<usize> = std::iter::once(0).chain(row.iter().copied()).collect();
        let text = Header::write(dtype, &shape);
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(true).open(path).map_err(failed)?;
        file.write_all_at(&text, 0).map_err(failed)?;
        let descr = Descr::Known { dtype, is_big_endian: false };
        let header = Header { descr, is_fortran: false, shape };
        Ok(Rows {
            path: path.to_owned(),
            file,
            header,
            dtype,
            is_big_endian: false,
            start: text.len() as u64,
        })
    }

    fn count(&self) -> usize {
        self.header.shape[0]
    }

    /// The number of elements of a row.
    fn row(&self) -> usize {
        self.header.shape[1..].iter().product()
    }

    fn failed(&self, call: &'static str, error: io::Error) -> Error {
        error::io(call, &self.path, error)
    }

    fn read(&self, rows: Range<usize>) -> Result<AnyArray> {
        if rows.start > rows.end || rows.end > self.count() {
            let message = format!(
                "rows {rows:?} of {}, which has {}; give a range within 0..{}",
                self.path.display(),
                self.count(),
                self.count()
            );
            return Err(error::invalid("read", message));
        }
        let (count, size) = (rows.len(), self.dtype.size());
        let mut bytes = Vec::new();
        let needed = count * self.row() * size;
        if bytes.try_reserve_exact(needed).is_err() {
            let message =
                format!("there is no memory for the {needed} bytes of {count} rows; read fewer at a time");
            return Err(error::invalid("read", message));
        }
        bytes.resize(needed, 0);
        let mut shape = self.header.shape.clone();
        shape[0] = count;
        // In Fortran's order the elements of a column lie side by side.
        let run = if self.header.is_fortran { count } else { count * self.row() };
        if run > 0 {
            for (number, part) in bytes.chunks_exact_mut(run * size).enumerate() {
                let first = if self.header.is_fortran {
                    number * self.count() + rows.start
                } else {
                    rows.start * self.row()
                };
                self.fill(part, self.start + (first * size) as u64)?;
            }
        }
        in_own_order(&mut bytes, self.dtype, self.is_big_endian);
        if !self.header.is_fortran {
            return AnyArray::from_host(&shape[..], self.dtype, &bytes);
        }
        shape.reverse();
        AnyArray::from_host(&shape[..], self.dtype, &bytes)?.t()
    }

    fn fill(&self, bytes: &mut [u8], mut from: u64) -> Result<()> {
        for part in bytes.chunks_mut(AT_ONCE) {
            check_interrupt()?;
            self.file.read_exact_at(part, from).map_err(|error| self.failed("read", error))?;
            from += part.len() as u64;
        }
        Ok(())
    }

    fn check_can_grow(&self) -> Result<()> {
        let why = if self.header.is_fortran {
            "Fortran's order, in which a row's elements lie apart"
        } else if self.is_big_endian {
            "the other order of bytes"
        } else {
            return Ok(());
        };
        let message = format!(
            "the elements of {} lie in {why}\n  = help: load the array, and save it to another file",
            self.path.display()
        );
        Err(error::invalid("append_npy", message))
    }

    fn append(&mut self, rows: &AnyArray) -> Result<()> {
        let shape = rows.shape();
        if shape.is_empty() || shape[1..] != self.header.shape[1..] {
            let own: Vec<String> = self.header.shape[1..].iter().map(usize::to_string).collect();
            let message = format!(
                "{} holds rows of shape [{}], an array of shape {shape:?} does not; give one of shape [n{}{}]",
                self.path.display(),
                own.join(", "),
                if own.is_empty() { "" } else { ", " },
                own.join(", ")
            );
            return Err(error::shape("append", message));
        }
        let mut grown = self.header.clone();
        grown.shape[0] = self.count().saturating_add(shape[0]);
        if grown.bytes().is_none() {
            let message = format!("an array of shape {:?} is larger than any file", grown.shape);
            return Err(error::shape("append", message));
        }
        let Some(text) = Header::write_within(self.dtype, &grown.shape, self.start as usize) else {
            let message = format!(
                "the header of {} has no room for shape {:?}\n  = help: load the array, and save it to another file",
                self.path.display(),
                grown.shape
            );
            return Err(error::invalid("append", message));
        };
        let bytes = rows.to_host()?;
        let mut at = self.start + (self.count() * self.row() * self.dtype.size()) as u64;
        for part in bytes.chunks(AT_ONCE) {
            check_interrupt()?;
            self.file.write_all_at(part, at).map_err(|error| self.failed("append", error))?;
            at += part.len() as u64;
        }
        // Until here the file holds what it held before.
        self.file.write_all_at(&text, 0).map_err(|error| self.failed("append", error))?;
        self.header = grown;
        Ok(())
    }
}

/// Counts the bytes that are read.
struct Counted<R> {
    reader: R,
    count: u64,
}

impl<R: io::Read> io::Read for Counted<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(to)?;
        self.count += read as u64;
        Ok(read)
    }
}

impl<T> std::fmt::Debug for NpyReader<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.rows.fmt(f)
    }
}

impl<T> std::fmt::Debug for NpyWriter<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.rows.fmt(f)
    }
}

impl std::fmt::Debug for Rows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} {:?}", self.path.display(), self.dtype, self.header.shape)
    }
}

//! Several arrays in a zip archive, each a file `NAME.npy`.

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;
use gpurepl_extend::{AnyArray, DType, Elem, Error, GpuArray, Result, error};
use rawzip::path::{EntryPath, ZipFilePath};
use rawzip::{
    CompressionMethod, FileReader, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder,
    ZipArchiveWriter,
};

use crate::SaveArray;
use crate::header::Header;
use crate::npy::{self, Parts, Source};
use crate::texts::Texts;

/// How the bytes of an archive's files are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Stored,
    Deflated,
}

/// Deflate makes of a byte at most so many.
const MOST_FROM_A_BYTE: u64 = 1032;

pub fn save(path: &Path, arrays: &[(&str, &dyn SaveArray)], method: Method) -> Result<()> {
    let call = if method == Method::Stored { "savez" } else { "savez_compressed" };
    let mut names = HashSet::new();
    if let Some((twice, _)) = arrays.iter().find(|(name, _)| !names.insert(*name)) {
        let message = format!("two arrays have the name `{twice}`; give each a name of its own");
        return Err(error::invalid(call, message));
    }
    if let Some((name, _)) = arrays.iter().find(|(name, _)| !can_be_a_file(name)) {
        let message = format!(
            "`{name}` cannot be a file's name in an archive; leave out `..`, `\\` and a `/` at the start"
        );
        return Err(error::invalid(call, message));
    }
    let failed = |error: io::Error| error::io(call, path, error);
    let file = File::create(path).map_err(failed)?;
    let mut archive = ZipArchiveWriter::new(BufWriter::new(file));
    for (name, array) in arrays {
        add(&mut archive, name, &npy::parts(&array.entry())?, method, &failed)?;
    }
    let mut file = archive.finish().map_err(|error| failed(io_error(error)))?;
    file.flush().map_err(failed)
}

/// Whether a name stays as it is in an archive, within the folder that it is
/// unpacked to.
fn can_be_a_file(name: &str) -> bool {
    let name = format!("{name}.npy");
    ZipFilePath::from_str(&name).as_ref() == name
}

fn add(
    archive: &mut ZipArchiveWriter<BufWriter<File>>,
    name: &str,
    parts: &Parts,
    method: Method,
    failed: &dyn Fn(io::Error) -> Error,
) -> Result<()> {
    let zip = |error: rawzip::Error| failed(io_error(error));
    let file = archive.new_file(EntryPath::conformant(format!("{name}.npy")));
    match method {
        Method::Stored => {
            let (mut entry, config) =
                file.compression_method(CompressionMethod::STORE).start().map_err(zip)?;
            let mut writer = config.wrap(&mut entry);
            npy::write(&mut writer, parts, failed)?;
            let (_, descriptor) = writer.finish().map_err(zip)?;
            entry.finish(descriptor).map_err(zip)?;
        }
        Method::Deflated => {
            let (mut entry, config) =
                file.compression_method(CompressionMethod::DEFLATE).start().map_err(zip)?;
            let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
            npy::write(&mut writer, parts, failed)?;
            let (encoder, descriptor) = writer.finish().map_err(zip)?;
            encoder.finish().map_err(failed)?;
            entry.finish(descriptor).map_err(zip)?;
        }
    }
    Ok(())
}

fn io_error(error: rawzip::Error) -> io::Error {
    match error.into_kind() {
        rawzip::ErrorKind::IO(error) => error,
        other => io::Error::other(other.to_string()),
    }
}

/// An open `.npz` file, from [`load_npz`](crate::load_npz).
pub struct Npz {
    path: PathBuf,
    archive: ZipArchive<FileReader>,
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
}

impl Npz {
    pub(crate) fn open(path: &Path) -> Result<Npz> {
        let file = File::open(path).map_err(|error| error::io("load_npz", path, error))?;
        if let Some(help) = other_kind(&file) {
            let message = format!("{} is not an .npz file\n  = help: {help}", path.display());
            return Err(error::invalid("load_npz", message));
        }
        let damaged = |error: rawzip::Error| match error.into_kind() {
            rawzip::ErrorKind::IO(error) => error::io("load_npz", path, error),
            other => error::invalid(
                "load_npz",
                format!(
                    "{} is damaged: {other}\n  = help: copy the file again, or save it again",
                    path.display()
                ),
            ),
        };
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let archive = ZipArchive::from_file(file, &mut buffer).map_err(damaged)?;
        let mut entries: Vec<Entry> = Vec::new();
        let mut files = archive.entries(&mut buffer);
        while let Some(record) = files.next_entry().map_err(damaged)? {
            let name = String::from_utf8_lossy(record.file_path().as_bytes()).into_owned();
            let name = name.strip_suffix(".npy").unwrap_or(&name).to_owned();
            // Of two files with one name the later one counts, as in Python.
            entries.retain(|entry| entry.name != name);
            entries.push(Entry { name, place: record.wayfinder(), method: record.compression_method() });
        }
        Ok(Npz { path: path.to_owned(), archive, entries })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The names of the arrays, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.name)
    }

    /// Reads an array to the current device.
    ///
    /// # Errors
    ///
    /// If there is no such name, the array is damaged, or its elements have
    /// another type.
    pub fn get<T: Elem>(&self, name: &str) -> Result<GpuArray<T>> {
        self.read(name, Some(T::DTYPE))?.typed()
    }

    /// Reads an array whose type the file decides.
    ///
    /// # Errors
    ///
    /// As [`Npz::get`].
    pub fn get_any(&self, name: &str) -> Result<AnyArray> {
        self.read(name, None)
    }

    /// Reads an array of texts, NumPy's `str` or `bytes`: all of them, in C order. A single one, which has no axes, is
    /// a list of one.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("run.npz");
    /// io::savez(&path, [("losses", &ones::<f32>(3)), ("note", &"third run")])?;
    /// assert_eq!(io::load_npz(&path)?.texts("note")?, ["third run"]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no such name, the texts are damaged, or it holds something else.
    pub fn texts(&self, name: &str) -> Result<Vec<String>> {
        self.at(name, "texts", &mut |source, from| Ok(Texts::read(source, from)?.texts))
    }

    pub(crate) fn headers(&self) -> impl Iterator<Item = (&str, Result<Header>)> {
        self.entries.iter().map(|entry| {
            let header = self.with(entry, "get", &mut |source, from| source.header(from));
            (&*entry.name, header)
        })
    }

    fn read(&self, name: &str, wanted: Option<DType>) -> Result<AnyArray> {
        self.at(name, "get", &mut |source, from| source.read(from, wanted))
    }

    /// Reads the whole file of a name.
    fn at<R>(
        &self,
        name: &str,
        call: &'static str,
        read: &mut dyn FnMut(&Source<'_>, &mut dyn Read) -> Result<R>,
    ) -> Result<R> {
        let Some(entry) = self.entries.iter().find(|entry| entry.name == name) else {
            let names: Vec<&str> = self.names().collect();
            let path = self.path.display();
            let message = format!("{path} has no array `{name}`\n  = help: it has {}", list(&names));
            return Err(error::invalid(call, message));
        };
        self.with(entry, call, &mut |source, from| {
            let array = read(source, from)?;
            // At its end the bytes are compared with their checksum.
            io::copy(from, &mut io::sink()).map_err(|error| source.failed(error))?;
            Ok(array)
        })
    }

    /// Does something with the bytes of an array's file.
    fn with<R>(
        &self,
        entry: &Entry,
        call: &'static str,
        act: &mut dyn FnMut(&Source<'_>, &mut dyn Read) -> Result<R>,
    ) -> Result<R> {
        let name = format!("`{}` in {}", entry.name, self.path.display());
        let mut source = Source { name: &name, call, length: None };
        let file = self.archive.get_entry(entry.place).map_err(|error| source.failed(io_error(error)))?;
        let (start, end) = file.compressed_data_range();
        let (compressed, whole) = (end.saturating_sub(start), entry.place.uncompressed_size_hint());
        let reader = BufReader::with_capacity(1 << 16, file.reader());
        if entry.method == CompressionMethod::STORE {
            source.length = Some(compressed.min(whole));
            act(&source, &mut file.verifying_reader(reader))
        } else if entry.method == CompressionMethod::DEFLATE {
            source.length = Some(compressed.saturating_mul(MOST_FROM_A_BYTE).min(whole));
            act(&source, &mut file.verifying_reader(DeflateDecoder::new(reader)))
        } else {
            let message = format!(
                "{name} is compressed in a way that is not known ({})\n  = help: write it with \
                 `numpy.savez_compressed`",
                entry.method
            );
            Err(error::unsupported(message))
        }
    }
}

/// What the user may have meant by a file that is no archive.
fn other_kind(file: &File) -> Option<&'static str> {
    let mut start = [0; 6];
    let read = std::os::unix::fs::FileExt::read_at(file, &mut start, 0).unwrap_or(0);
    (start[..read] == crate::header::MAGIC[..]).then_some("it has one array; use `io::load`")
}

fn list(names: &[&str]) -> String {
    const SHOWN: usize = 20;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "none".to_owned(),
        count if count > SHOWN => format!("{} and {} more", shown.join(", "), count - SHOWN),
        _ => shown.join(", "),
    }
}

impl fmt::Debug for Npz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", crate::describe::of_archive(self))
    }
}

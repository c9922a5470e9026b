//! What has been found before: a file for each kernel, device and size.

use std::fs;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use gpurepl_device::cache;
use gpurepl_wire::TunedKernel;
use serde::{Deserialize, Serialize};

/// The version of the form; files of another one are not read.
const VERSION: u32 = 1;

/// The folder in the cache of kernels.
const FOLDER: &str = "tuned";

/// The best variant of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    version: u32,
    pub kernel: String,
    pub device: String,
    /// The values, as texts by their names.
    pub values: Vec<(String, String)>,
    pub seconds: f64,
    /// The time of the first variant, if it works.
    pub first: Option<f64>,
    /// How many variants were tried.
    pub tried: usize,
    /// The lengths and numbers that it was found for.
    pub exact: String,
    /// What ended the search before all was tried: seconds, and variants.
    pub limits: Option<(f64, usize)>,
    /// When, in seconds since 1970.
    pub time: u64,
}

impl Record {
    pub fn new(kernel: &str, device: &str, values: Vec<(String, String)>, seconds: f64) -> Record {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let (kernel, device) = (kernel.to_owned(), device.to_owned());
        Record {
            version: VERSION,
            kernel,
            device,
            values,
            seconds,
            first: None,
            tried: 0,
            exact: String::new(),
            limits: None,
            time,
        }
    }
}

/// The processor, which decides on the host device.
pub fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    text.lines().find(|line| line.starts_with("model name")).unwrap_or_default().to_owned()
}

/// The name of a kernel's file: all parts that the choice depends on.
pub fn name(parts: &[&[u8]]) -> String {
    let version = VERSION.to_le_bytes();
    let all: Vec<&[u8]> = [&version[..]].into_iter().chain(parts.iter().copied()).collect();
    format!("{}.tuned", cache::key(&all))
}

fn folder() -> Option<PathBuf> {
    cache::folder_beside(FOLDER)
}

/// What was found before. A file that is damaged or of another version is as good as none.
pub fn read(name: &str) -> Option<Record> {
    let bytes = fs::read(folder()?.join(name)).ok()?;
    rmp_serde::from_slice::<Record>(&bytes).ok().filter(|record| record.version == VERSION)
}

/// Keeps what was found. That it cannot is not an error: the next session tries again.
pub fn write(name: &str, record: &Record) {
    let write = || -> Option<()> {
        let folder = folder()?;
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&folder).ok()?;
        std::io::Write::write_all(&mut file, &rmp_serde::to_vec(record).ok()?).ok()?;
        file.persist(folder.join(name)).ok()?;
        Some(())
    };
    let _ = write();
}

/// All that was found, the newest first; removed if asked.
pub fn list(clear: bool) -> Vec<TunedKernel> {
    let entries = folder().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut all: Vec<TunedKernel> = Vec::new();
    for path in entries.map(|entry| entry.path()) {
        if path.extension().is_none_or(|extension| extension != "tuned") {
            continue;
        }
        let record = fs::read(&path).ok().and_then(|bytes| rmp_serde::from_slice::<Record>(&bytes).ok());
        if clear && fs::remove_file(&path).is_err() {
            continue;
        }
        let Some(record) = record else { continue };
        all.push(TunedKernel {
            kernel: record.kernel,
            device: record.device,
            values: record.values,
            seconds: record.seconds,
            first: record.first,
            tried: record.tried,
            time: record.time,
        });
    }
    all.sort_by(|a, b| (b.time, &a.kernel).cmp(&(a.time, &b.kernel)));
    all
}

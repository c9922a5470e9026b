//! What has been found before: a file for each kernel, device and size.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use gpurepl_device::{self as device, cache};
use gpurepl_ground::Result;
use gpurepl_wire::TunedKernel;
use serde::{Deserialize, Serialize};

use crate::plan::Plan;
use crate::report::Tuning;

/// The version of the form; files of another one are not read.
const VERSION: u32 = 2;

/// The folder in the cache of kernels.
const FOLDER: &str = "tuned";

/// The best variant of a kernel, and what it was found for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    version: u32,
    pub best: TunedKernel,
    /// The lengths and numbers that it was found for.
    pub exact: String,
    /// What ended the search before all was tried: seconds, and variants.
    pub limits: Option<(f64, usize)>,
}

impl Record {
    /// What a search has found.
    pub fn of(plan: &Plan, tuning: &Tuning, exact: String) -> Result<Record> {
        let best = TunedKernel {
            kernel: plan.name.clone(),
            device: device::current()?.device().name().to_owned(),
            values: tuning.best().texts(),
            seconds: tuning.time(),
            first: tuning.first_time(),
            tried: tuning.attempts.len(),
            time: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()),
        };
        Ok(Record { version: VERSION, best, exact, limits: plan.limits(tuning) })
    }
}

/// The processor, which decides on the host device.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    text.lines().find(|line| line.starts_with("model name")).unwrap_or_default().to_owned()
}

/// The name of a kernel's file: all that the choice depends on, of which the tuner knows some parts.
///
/// # Errors
///
/// If there is no device.
pub fn name(plan: &Plan, parts: &[&str]) -> Result<String> {
    let device = device::current()?.device();
    let (version, space, processor) = (VERSION.to_le_bytes(), plan.space.text(), processor());
    let mut all: Vec<&[u8]> = vec![&version];
    let common = [&plan.name, &space, device.name(), device.detail(), &processor];
    all.extend(common.iter().chain(parts).map(|part| part.as_bytes()));
    Ok(format!("{}.tuned", cache::key(&all)))
}

fn folder() -> Option<PathBuf> {
    cache::folder_beside(FOLDER)
}

/// What was found before, and which combination that is; nothing if a search is wanted, or would go further. A file that is
/// damaged or of another version is as good as none.
pub fn find(name: &str, plan: &Plan) -> Option<(Record, u64)> {
    if plan.is_again {
        return None;
    }
    let record = read(&folder()?.join(name)).filter(|record| plan.allows_no_more(record))?;
    let number = plan.space.find(&record.best.values).filter(|number| plan.space.allows(*number))?;
    Some((record, number))
}

fn read(path: &Path) -> Option<Record> {
    let record: Record = rmp_serde::from_slice(&fs::read(path).ok()?).ok()?;
    (record.version == VERSION).then_some(record)
}

/// Keeps what was found, unless the search was interrupted. That it cannot is not an error: the next session tries again.
pub fn keep(name: &str, record: Record, tuning: &Tuning) {
    let write = || -> Option<()> {
        let folder = folder()?;
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&folder).ok()?;
        std::io::Write::write_all(&mut file, &rmp_serde::to_vec(&record).ok()?).ok()?;
        file.persist(folder.join(name)).ok()?;
        Some(())
    };
    if !tuning.is_interrupted() {
        let _ = write();
    }
}

/// All that was found, the newest first; removed if asked.
pub fn list(clear: bool) -> Vec<TunedKernel> {
    let entries = folder().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut all: Vec<TunedKernel> = Vec::new();
    for path in entries.map(|entry| entry.path()) {
        if path.extension().is_none_or(|extension| extension != "tuned") {
            continue;
        }
        let record = read(&path);
        if clear && fs::remove_file(&path).is_err() {
            continue;
        }
        all.extend(record.map(|record| record.best));
    }
    all.sort_by(|a, b| (b.time, &a.kernel).cmp(&(a.time, &b.kernel)));
    all
}

//! Functions of several ranks: `cargo bench -p gpurepl-tests --bench collectives [RANKS]`, 2 ranks else.
//!
//! The program starts copies of itself as ranks, each on a GPU of its own if there are so many. One line a figure,
//! `gpurepl CASE BYTES MILLISECONDS GB/S`, the medians of rank 0; `collectives_peers.py` has PyTorch's over NCCL. The
//! bandwidth is nccl-tests' bus bandwidth: of an all-reduce the bytes times 2 (n - 1) / n, of the others (n - 1) / n.

use std::process::{Command, Stdio};
use std::time::Instant;

use gpurepl_prelude::distributed::{self, Reduce};
use gpurepl_prelude::extend::group;
use gpurepl_prelude::*;

const RUNS: usize = 20;

fn main() {
    if std::env::var_os("GPUREPL_GROUP").is_some() {
        group::begin(1);
        measure().unwrap_or_else(|error| panic!("rank {}: {error}", rank()));
        group::end(1);
        return;
    }
    let ranks = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(2);
    start(ranks);
}

/// Starts the ranks and waits for them.
fn start(ranks: usize) {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder");
    let gpus = if device().kind() == DeviceKind::Cuda { Device::count().unwrap_or(0) } else { 0 };
    let copies: Vec<_> = (0..ranks)
        .map(|rank| {
            let mut copy = Command::new(std::env::current_exe().expect("a program"));
            copy.env("GPUREPL_RANK", rank.to_string()).env("GPUREPL_RANKS", ranks.to_string());
            copy.env("GPUREPL_GROUP", folder.path()).stdin(Stdio::null());
            let device = if gpus == 0 { "host".to_owned() } else { format!("cuda:{}", rank % gpus) };
            copy.env("GPUREPL_DEVICE", device).spawn().expect("the program starts")
        })
        .collect();
    for mut copy in copies {
        assert!(copy.wait().expect("a copy of this program").success());
    }
}

/// Tells the median of what takes so long between two meetings of all ranks.
fn case<R>(name: &str, bytes: usize, factor: f64, mut act: impl FnMut() -> Result<R>) -> Result<()> {
    let mut times = Vec::new();
    for run in 0..RUNS + 3 {
        synchronize()?;
        distributed::barrier()?;
        let start = Instant::now();
        drop(act()?);
        synchronize()?;
        if run >= 3 {
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    times.sort_by(f64::total_cmp);
    let time = times[RUNS / 2];
    if rank() == 0 {
        let rate = bytes as f64 * factor / time / 1e6;
        println!("gpurepl  {name:16} {bytes:>12} {time:12.4} ms {rate:10.1} GB/s");
    }
    Ok(())
}

fn measure() -> Result<()> {
    let n = ranks() as f64;
    let is_gpu = device().kind() == DeviceKind::Cuda;
    let sizes: &[usize] = if is_gpu { &[4, 1 << 20, 1 << 28] } else { &[4, 1 << 20, 1 << 24] };
    for &size in sizes {
        // The same on every rank and not all alike, so that a wrong sum is seen.
        let a = arange(0..size as i64).astype(f32) % 1000.0;
        let a = a.copy();
        let bytes = size * 4;
        case("all_reduce", bytes, 2.0 * (n - 1.0) / n, || distributed::all_reduce(&a, Reduce::Sum))?;
        case("broadcast", bytes, 1.0, || distributed::broadcast(&a, 0))?;
        case("reduce_scatter", bytes, (n - 1.0) / n, || distributed::reduce_scatter(&a, Reduce::Sum))?;
        let part = a.copy();
        if size < 1 << 28 {
            case("all_gather", bytes * ranks(), (n - 1.0) / n, || distributed::all_gather(&part))?;
        }
        case("all_to_all", bytes, (n - 1.0) / n, || distributed::all_to_all(&a))?;
        let sum = distributed::all_reduce(&a, Reduce::Sum)?;
        assert!(allclose(sum, a * (ranks() as f32)), "all_reduce of {size}");
    }
    Ok(())
}

//! How long a variant takes.

use std::time::{Duration, Instant};

use gpurepl_arrays::memory::{DeviceAllocation, mem_alloc, memset_d8};
use gpurepl_device::{self as device, DeviceAttribute, DeviceKind};
use gpurepl_ground::Result;

/// Runs of one variant: at least so many, and until they have taken so long together.
const LEAST_RUNS: usize = 5;
const MOST_RUNS: usize = 50;
const ENOUGH: Duration = Duration::from_millis(50);

/// A variant that takes so many times as long as the best one is run twice, and no more.
const HOPELESS: f64 = 3.0;

/// Times variants, and knows the best time so far.
pub struct Clock {
    /// What is written over before each run, so that nothing is left in the cache.
    eviction: Option<DeviceAllocation>,
    best: f64,
}

impl Clock {
    pub fn new() -> Result<Clock> {
        Ok(Clock { eviction: eviction()?, best: f64::MAX })
    }

    /// The median of the times of several runs, in seconds, and how many there were. `run` gives the time of one.
    pub fn time(&mut self, run: &mut dyn FnMut() -> Result<f64>) -> Result<(f64, usize)> {
        let (mut times, start) = (Vec::new(), Instant::now());
        while times.len() < LEAST_RUNS || (times.len() < MOST_RUNS && start.elapsed() < ENOUGH) {
            if let Some(memory) = &mut self.eviction {
                let bytes = memory.len();
                memset_d8(memory, 0, bytes)?;
            }
            times.push(run()?);
            if times.len() == 2 && times[0].min(times[1]) > HOPELESS * self.best {
                break;
            }
        }
        let seconds = median(&mut times);
        self.best = self.best.min(seconds);
        Ok((seconds, times.len()))
    }
}

/// Memory of twice the second-level cache of a GPU. None on the host, where writing as much takes longer than
/// most kernels.
fn eviction() -> Result<Option<DeviceAllocation>> {
    let device = device::current()?.device();
    if device.kind() != DeviceKind::Cuda {
        return Ok(None);
    }
    let cache = device.attribute(DeviceAttribute::L2CacheSize).unwrap_or(0).max(0) as usize;
    // What does not fit is done without.
    Ok(if cache == 0 { None } else { mem_alloc(2 * cache).ok() })
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    let middle = times.len() / 2;
    if times.len() % 2 == 1 { times[middle] } else { (times[middle - 1] + times[middle]) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_counts_and_hopeless_variants_are_run_twice() {
        let mut clock = Clock { eviction: None, best: f64::MAX };
        let mut times = [5.0, 1.0, 3.0, 9.0, 2.0].into_iter().cycle();
        let (seconds, runs) = clock.time(&mut || Ok(times.next().unwrap())).unwrap();
        assert!(runs >= LEAST_RUNS && (1.0..=5.0).contains(&seconds), "{seconds} of {runs}");
        assert_eq!(clock.time(&mut || Ok(100.0)).unwrap(), (100.0, 2));
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), 2.5);
    }
}

//! Staging: memory of each rank's own from which the others take elements.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::segment;

const WORD: usize = size_of::<u64>();

/// Units of each rank: two for functions of all ranks, two for what it sends to one.
pub const UNITS: usize = 4;
/// The first of those for what is sent.
pub const SENDING: usize = 2;

/// The staging of all ranks.
#[derive(Clone, Copy, Debug)]
pub struct Staging {
    words: &'static [AtomicU64],
    /// Bytes of a unit, and of a slot of it.
    unit: usize,
    slot: usize,
}

/// Bytes of a unit. All units together should fit in what containers give `/dev/shm`, 64 MiB.
fn unit(ranks: usize) -> usize {
    ((4 << 20) / ranks / 4096 * 4096).clamp(16 << 10, 256 << 10)
}

impl Staging {
    /// Maps the staging of a group, which is made if there is none.
    ///
    /// # Errors
    ///
    /// If there is no memory for it.
    pub fn open(folder: &Path, ranks: usize) -> io::Result<Staging> {
        let unit = unit(ranks);
        let words = segment::shared(&folder.join("staging"), ranks * UNITS * unit / WORD)?;
        Ok(Staging { words, unit, slot: unit / ranks / 16 * 16 })
    }

    /// Bytes of a slot, of which a unit has one for each rank: whole elements of every type.
    pub fn slot(&self) -> usize {
        self.slot
    }

    /// Bytes of a unit, a multiple of 4096.
    pub fn unit(&self) -> usize {
        self.unit
    }

    /// The words from a byte of a rank's unit on, for so many bytes.
    fn words(&self, rank: usize, unit: usize, start: usize, bytes: usize) -> &'static [AtomicU64] {
        assert!(
            unit < UNITS && start.is_multiple_of(WORD) && start <= self.unit && bytes <= self.unit - start
        );
        let first = ((rank * UNITS + unit) * self.unit + start) / WORD;
        &self.words[first..first + bytes.div_ceil(WORD)]
    }

    /// Writes bytes to a unit of a rank's, from a multiple of eight on. Whoever learns of it by the board sees them: its words order these.
    pub fn write(&self, rank: usize, unit: usize, start: usize, bytes: &[u8]) {
        let words = self.words(rank, unit, start, bytes.len());
        let (whole, rest) = bytes.as_chunks::<WORD>();
        for (word, bytes) in words.iter().zip(whole) {
            word.store(u64::from_ne_bytes(*bytes), Ordering::Relaxed);
        }
        if !rest.is_empty() {
            let mut last = [0; WORD];
            last[..rest.len()].copy_from_slice(rest);
            words[whole.len()].store(u64::from_ne_bytes(last), Ordering::Relaxed);
        }
    }

    /// Reads bytes from a rank's unit, from a multiple of eight on.
    pub fn read(&self, rank: usize, unit: usize, start: usize, bytes: &mut [u8]) {
        let words = self.words(rank, unit, start, bytes.len());
        let (whole, rest) = bytes.as_chunks_mut::<WORD>();
        for (word, bytes) in words.iter().zip(&mut *whole) {
            *bytes = word.load(Ordering::Relaxed).to_ne_bytes();
        }
        if !rest.is_empty() {
            let last = words[whole.len()].load(Ordering::Relaxed).to_ne_bytes();
            rest.copy_from_slice(&last[..rest.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_any_length_come_back_and_leave_the_others_alone() {
        let folder = tempfile::tempdir().unwrap();
        let staging = Staging::open(folder.path(), 3).unwrap();
        let given: Vec<u8> = (0..100_u8).collect();
        for bytes in [0, 1, 7, 8, 9, 64, 100] {
            staging.write(1, 2, 64, &[255; 104]);
            staging.write(1, 2, 64, &given[..bytes]);
            let mut taken = vec![0; 104];
            staging.read(1, 2, 64, &mut taken[..bytes]);
            assert_eq!(taken[..bytes], given[..bytes]);
            staging.read(1, 2, 64, &mut taken);
            let padded = bytes.next_multiple_of(WORD);
            assert!(taken[padded..].iter().all(|byte| *byte == 255), "{bytes}");
        }
        let mut all = vec![1; staging.unit()];
        staging.read(1, 1, 0, &mut all);
        staging.read(1, 3, 0, &mut all);
        assert!(all.iter().all(|byte| *byte == 0), "the units beside it");
    }

    #[test]
    fn all_units_fit_where_containers_have_room() {
        for ranks in [2, 3, 4, 8, 64, 100, 1024] {
            assert!(ranks * UNITS * unit(ranks) <= 64 << 20 && unit(ranks).is_multiple_of(4096));
            assert!(unit(ranks) / ranks >= 16, "a slot for each rank");
        }
    }
}

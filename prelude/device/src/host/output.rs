//! What kernels print, in the order of their blocks.

use std::io::Write as _;

/// What is kept of one launch. A GPU keeps 1 MiB, of which the oldest goes.
const LIMIT: usize = 1 << 20;

/// What threads have printed.
#[derive(Default)]
pub(super) struct Output {
    /// By the number of the block.
    parts: Vec<(u64, Vec<u8>)>,
    bytes: usize,
    /// Bytes that there was no room for.
    lost: usize,
}

impl Output {
    /// Adds what a thread of a block prints.
    pub(super) fn add(&mut self, block: [u32; 3], grid: [u32; 3], text: &[u8]) {
        if self.bytes + text.len() > LIMIT {
            self.lost += text.len();
            return;
        }
        self.bytes += text.len();
        let [x, y, z] = block.map(u64::from);
        let number = x + u64::from(grid[0]) * (y + u64::from(grid[1]) * z);
        match self.parts.last_mut() {
            Some((last, part)) if *last == number => part.extend_from_slice(text),
            _ => self.parts.push((number, text.to_vec())),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.lost == 0
    }

    /// Takes over what another worker has gathered.
    pub(super) fn append(&mut self, other: &mut Output) {
        self.parts.append(&mut other.parts);
        self.bytes += std::mem::take(&mut other.bytes);
        self.lost += std::mem::take(&mut other.lost);
    }

    /// Prints all of it.
    pub(super) fn write(mut self) {
        if self.is_empty() {
            return;
        }
        // Equal numbers stay in the order in which they came.
        self.parts.sort_by_key(|(number, _)| *number);
        let mut stdout = std::io::stdout().lock();
        let mut room = LIMIT;
        for (_, part) in &self.parts {
            let shown = &part[..part.len().min(room)];
            // Nobody reads any more: the kernel has run all the same.
            let _ = stdout.write_all(shown);
            room -= shown.len();
            self.lost += part.len() - shown.len();
        }
        if self.lost > 0 {
            let _ = writeln!(
                stdout,
                "\n[... {} more bytes were printed than the 1 MiB that a launch keeps]",
                self.lost
            );
        }
        let _ = stdout.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_in_order_and_threads_in_theirs() {
        let grid = [2, 2, 1];
        let (mut all, mut other) = (Output::default(), Output::default());
        all.add([1, 1, 0], grid, b"d");
        all.add([0, 0, 0], grid, b"a");
        all.add([0, 0, 0], grid, b"A");
        other.add([1, 0, 0], grid, b"b");
        all.append(&mut other);
        all.parts.sort_by_key(|(number, _)| *number);
        let text: Vec<u8> = all.parts.iter().flat_map(|(_, part)| part.clone()).collect();
        assert_eq!(text, b"aAbd");
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let mut output = Output::default();
        for _ in 0..3 {
            output.add([0; 3], [1; 3], &vec![b'x'; LIMIT / 2]);
        }
        assert_eq!((output.bytes, output.lost), (LIMIT / 2 * 2, LIMIT / 2));
    }
}

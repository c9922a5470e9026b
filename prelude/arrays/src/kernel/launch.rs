//! The shape of a launch: its grid and its blocks.

use crate::device::Limits;
use crate::error::{Error, Problem, Result};
use crate::shape::Length;

/// The size of a grid in blocks, or of a block in threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3 {
    lengths: [i64; 3],
}

/// One to three lengths: `4`, `(4, 4)`, `(n / 32, 1, 1)`, of any integer types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the size of a grid or block",
    note = "use a whole number or a tuple of one to three: `128`, `(4, 4)`, `(8, 8, 2)`"
)]
pub trait IntoDim3 {
    #[doc(hidden)]
    fn into_dim3(self) -> Dim3;
}

impl Dim3 {
    /// The lengths along x, y and z.
    pub fn lengths(self) -> [i64; 3] {
        self.lengths
    }
}

/// Blocks of 256 threads where the library chooses, along one, two or three axes.
const BLOCKS: [[i64; 3]; 3] = [[256, 1, 1], [16, 16, 1], [8, 8, 4]];

/// The grid and the block for so many threads at least; none for no thread.
pub(crate) fn blocks_for(threads: Dim3) -> Option<(Dim3, Dim3)> {
    let [x, y, z] = threads.lengths;
    if [x, y, z].contains(&0) {
        return None;
    }
    let block = BLOCKS[if z != 1 { 2 } else { usize::from(y != 1) }];
    // What is below zero is refused as a grid.
    let grid = [0, 1, 2].map(|axis| match threads.lengths[axis] {
        length if length < 0 => length,
        length => length / block[axis] + i64::from(length % block[axis] > 0),
    });
    Some((Dim3 { lengths: grid }, Dim3 { lengths: block }))
}

impl std::fmt::Display for Dim3 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [x, y, z] = self.lengths;
        match (y, z) {
            (1, 1) => write!(f, "{x}"),
            (_, 1) => write!(f, "{x}x{y}"),
            _ => write!(f, "{x}x{y}x{z}"),
        }
    }
}

impl IntoDim3 for Dim3 {
    fn into_dim3(self) -> Dim3 {
        self
    }
}

macro_rules! lengths {
    ($($t:ty)*) => {$(
        impl IntoDim3 for $t {
            fn into_dim3(self) -> Dim3 {
                Dim3 { lengths: [self.length(), 1, 1] }
            }
        }
    )*};
}
lengths!(i32 i64 isize u32 u64 usize);

impl<X: Length> IntoDim3 for (X,) {
    fn into_dim3(self) -> Dim3 {
        Dim3 { lengths: [self.0.length(), 1, 1] }
    }
}

impl<X: Length, Y: Length> IntoDim3 for (X, Y) {
    fn into_dim3(self) -> Dim3 {
        Dim3 { lengths: [self.0.length(), self.1.length(), 1] }
    }
}

impl<X: Length, Y: Length, Z: Length> IntoDim3 for (X, Y, Z) {
    fn into_dim3(self) -> Dim3 {
        Dim3 { lengths: [self.0.length(), self.1.length(), self.2.length()] }
    }
}

impl<N: Length> IntoDim3 for [N; 3] {
    fn into_dim3(self) -> Dim3 {
        Dim3 { lengths: self.map(Length::length) }
    }
}

/// Checks a launch's shape against the device's limits and a kernel's own.
pub(super) fn check_shape(
    kernel: &str,
    grid: Dim3,
    block: Dim3,
    limits: &Limits,
    kernel_threads: u64,
) -> Result<([u32; 3], [u32; 3])> {
    let wrong = |message: String| -> Error { Problem::Launch { kernel: kernel.to_owned(), message }.into() };
    let check = |what: &str, unit: &str, asked: Dim3, allowed: [u64; 3]| {
        let mut lengths = [0; 3];
        for axis in 0..3 {
            let (asked, allowed) = (asked.lengths[axis], allowed[axis]);
            let name = ["x", "y", "z"][axis];
            if asked < 1 {
                return Err(wrong(format!("{what}.{name} is {asked}; it must be at least 1 {unit}")));
            }
            if asked.unsigned_abs() > allowed {
                return Err(wrong(format!("{what}.{name} is {asked} {unit}s; this device allows {allowed}")));
            }
            lengths[axis] = u32::try_from(asked).map_err(|_| wrong(format!("{what}.{name} is {asked}")))?;
        }
        Ok(lengths)
    };
    let grid_lengths = check("grid", "block", grid, limits.grid)?;
    let block_lengths = check("block", "thread", block, limits.block)?;
    let threads: u64 = block_lengths.iter().map(|length| u64::from(*length)).product();
    if threads > limits.threads_per_block {
        return Err(wrong(format!(
            "a block of {} has {threads} threads; this device allows {}",
            shown(block_lengths),
            limits.threads_per_block
        )));
    }
    if threads > kernel_threads {
        return Err(wrong(format!(
            "a block of {} has {threads} threads; this kernel, with the registers it uses, allows {kernel_threads}",
            shown(block_lengths)
        )));
    }
    Ok((grid_lengths, block_lengths))
}

fn shown([x, y, z]: [u32; 3]) -> String {
    format!("{x}x{y}x{z}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        grid: [2_147_483_647, 65_535, 65_535],
        block: [1024, 1024, 64],
        threads_per_block: 1024,
        shared_memory: 48 << 10,
        shared_memory_optin: 227 << 10,
    };

    #[test]
    fn blocks_cover_the_threads() {
        let shape = |threads: Dim3| blocks_for(threads).map(|(grid, block)| (grid.lengths, block.lengths));
        assert_eq!(shape(1000.into_dim3()), Some(([4, 1, 1], [256, 1, 1])));
        assert_eq!(shape((960, 540).into_dim3()), Some(([60, 34, 1], [16, 16, 1])));
        assert_eq!(shape((1, 17).into_dim3()), Some(([1, 2, 1], [16, 16, 1])));
        assert_eq!(shape((9, 8, 5).into_dim3()), Some(([2, 1, 2], [8, 8, 4])));
        assert_eq!(shape((7, 0).into_dim3()), None);
        assert_eq!(shape((-7).into_dim3()), Some(([-7, 1, 1], [256, 1, 1])));
        assert_eq!(shape(usize::MAX.into_dim3()).map(|(grid, _)| grid[0] > 1 << 54), Some(true));
    }

    fn message(grid: impl IntoDim3, block: impl IntoDim3) -> String {
        check_shape("k", grid.into_dim3(), block.into_dim3(), &LIMITS, 512).unwrap_err().to_string()
    }

    #[test]
    fn limits_are_named_with_what_was_asked() {
        assert_eq!(message(0, 32), "k: grid.x is 0; it must be at least 1 block");
        assert_eq!(message(1, -4), "k: block.x is -4; it must be at least 1 thread");
        assert_eq!(message((1, 70_000), 32), "k: grid.y is 70000 blocks; this device allows 65535");
        assert_eq!(message(1, 2000), "k: block.x is 2000 threads; this device allows 1024");
        assert_eq!(message(1, (64, 64)), "k: a block of 64x64x1 has 4096 threads; this device allows 1024");
        assert_eq!(
            message(1, 1000),
            "k: a block of 1000x1x1 has 1000 threads; this kernel, with the registers it uses, allows 512"
        );
        let shape = check_shape("k", 7_usize.into_dim3(), (4_u32, 4_i64).into_dim3(), &LIMITS, 512).unwrap();
        assert_eq!(shape, ([7, 1, 1], [4, 4, 1]));
    }
}

//! The figures of an array in one pass: the least, the greatest, the sum and
//! the number of NaN, for each cell of a grid that is laid over it. A display
//! shows the cells as a picture, and all of them together as a line.

use std::fmt::Write as _;

use crate::dtype::Kind;
use crate::support::pieces_for;
use crate::{DType, Program, View};

/// Threads of a block of [`Program::to_cuda_summary`].
pub const SUMMARY_BLOCK: usize = 256;

/// Bytes of the figures of one part, five numbers of eight bytes: the least
/// and the greatest in the type of [`Wide`], the sum of what is finite as a
/// `double`, and how many are NaN and infinite, as integers.
pub const FIGURES_BYTES: usize = 40;

/// The most parts that a pass has: a few hundred kilobytes at worst.
const MOST_PARTS: usize = 4096;

/// A part with fewer elements is not worth a block of threads.
const LEAST_ELEMENTS: usize = 4096;

/// In which type elements are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wide {
    /// `double`: of floats, and of the magnitudes of complex numbers.
    Float,
    /// `long long`
    Signed,
    /// `unsigned long long`, of booleans too.
    Unsigned,
}

impl Wide {
    /// The type for elements of a type.
    pub fn of(dtype: DType) -> Wide {
        match dtype.kind() {
            Kind::Signed => Wide::Signed,
            _ if dtype.is_float() || dtype.is_complex() => Wide::Float,
            _ => Wide::Unsigned,
        }
    }
}

/// An array's elements, in order, as a table of `rows` by `columns`, and the
/// cells that it is divided into. No cell is empty. Each is divided further
/// into parts, so that many blocks of threads have something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells {
    /// Rows of the table.
    pub rows: usize,
    /// Columns of the table.
    pub columns: usize,
    /// Into how many ranges the rows are divided.
    pub down: usize,
    /// Into how many ranges the columns are divided.
    pub across: usize,
    /// Parts of each cell along its rows.
    pub row_parts: usize,
    /// Parts of each cell along its columns.
    pub column_parts: usize,
}

impl Cells {
    /// At most so many cells, over a table that is not empty.
    ///
    /// ```
    /// use gpurepl_kernels::Cells;
    /// let cells = Cells::new((1000, 3), (64, 64));
    /// assert_eq!((cells.down, cells.across), (64, 3));
    /// ```
    ///
    /// # Panics
    ///
    /// If there are more cells than [`Cells::new`] is made for: 4096.
    pub fn new((rows, columns): (usize, usize), most: (usize, usize)) -> Cells {
        let (down, across) = (rows.min(most.0).max(1), columns.min(most.1).max(1));
        assert!(down * across <= MOST_PARTS, "{down} by {across} cells");
        let (height, width) = (rows.div_ceil(down), columns.div_ceil(across));
        let wanted = (height.saturating_mul(width) / LEAST_ELEMENTS).clamp(1, MOST_PARTS / (down * across));
        let (row_parts, column_parts) =
            if height > width { (wanted.min(height), 1) } else { (1, wanted.min(width)) };
        Cells { rows, columns, down, across, row_parts, column_parts }
    }

    /// How many cells there are.
    pub fn count(&self) -> usize {
        self.down * self.across
    }

    /// How many parts all cells have together; those of a cell lie next to
    /// each other.
    pub fn parts(&self) -> usize {
        self.count() * self.parts_of_a_cell()
    }

    /// How many parts each cell has.
    pub fn parts_of_a_cell(&self) -> usize {
        self.row_parts * self.column_parts
    }

    /// Where the range `k` of `count` begins in a length; also where the one
    /// before ends.
    pub fn start(length: usize, count: usize, k: usize) -> usize {
        (length as u128 * k as u128 / count.max(1) as u128) as usize
    }

    /// The range that a place lies in: the inverse of [`Cells::start`].
    pub fn range_of(length: usize, count: usize, place: usize) -> usize {
        (((place as u128 + 1) * count as u128 - 1) / length.max(1) as u128) as usize
    }
}

impl Program {
    /// CUDA C that leaves the figures of this program's values, for each part
    /// of [`Cells`]: a kernel `gpurepl_summary` of [`SUMMARY_BLOCK`] threads, a
    /// block for each part.
    ///
    /// Its arguments: the inputs' addresses and the scalars, the address of the
    /// figures, the six numbers of [`Cells`] and the logarithm of how many
    /// threads stand side by side along the columns; then, if anything is
    /// strided, lengths and strides as in [`Program::to_cuda`].
    ///
    /// # Panics
    ///
    /// If the program's result is strided.
    pub fn to_cuda_summary(&self) -> String {
        assert!(self.output == View::Contiguous);
        let dtype = self.dtype();
        let mut steps = String::new();
        self.write_steps(&mut steps, "      ");
        let last = format!("v{}", self.instructions.len() - 1);
        let (wide, lowest, highest) = match Wide::of(dtype) {
            Wide::Float => (
                "double",
                "-__longlong_as_double(0x7ff0000000000000ll)",
                "__longlong_as_double(0x7ff0000000000000ll)",
            ),
            Wide::Signed => ("long long", "-9223372036854775807ll - 1", "9223372036854775807ll"),
            Wide::Unsigned => ("unsigned long long", "0", "18446744073709551615ull"),
        };
        let value = if dtype.is_complex() {
            format!("hypot((double){last}.re, (double){last}.im)")
        } else {
            format!("({wide}){last}")
        };
        let mut add = String::new();
        if Wide::of(dtype) == Wide::Float {
            let _ = writeln!(add, "      if (value != value) {{ own.nan++; continue; }}");
            let _ = writeln!(add, "      if (value - value != 0) own.infinite++; else own.sum += value;");
        } else {
            let _ = writeln!(add, "      own.sum += (double)value;");
        }
        let _ = writeln!(add, "      if (value < own.least) own.least = value;");
        let _ = writeln!(add, "      if (value > own.most) own.most = value;");
        let parameters = self.parameters();
        let walk = self.walk_parameters();
        let text = format!(
            "struct gpurepl_figures {{ {wide} least, most; double sum; unsigned long long nan, infinite; }};\n\
             static __device__ __forceinline__ unsigned long long gpurepl_start(unsigned long long length, unsigned long long count, unsigned long long k) {{\n  \
               // In this order nothing overflows.\n  \
               return length / count * k + length % count * k / count;\n\
             }}\n\
             extern \"C\" __global__ void __launch_bounds__({SUMMARY_BLOCK}) gpurepl_summary({parameters}gpurepl_figures *gpurepl_out, \
             unsigned long long rows, unsigned long long columns, unsigned long long down, unsigned long long across, \
             unsigned long long row_parts, unsigned long long column_parts, unsigned long long shift{walk})\n{{\n  \
               __shared__ gpurepl_figures all[{SUMMARY_BLOCK}];\n  \
               const unsigned long long parts = row_parts * column_parts;\n  \
               const unsigned long long cell = blockIdx.x / parts, part = blockIdx.x % parts;\n  \
               const unsigned long long top = gpurepl_start(rows, down, cell / across), height = gpurepl_start(rows, down, cell / across + 1) - top;\n  \
               const unsigned long long left = gpurepl_start(columns, across, cell % across), width = gpurepl_start(columns, across, cell % across + 1) - left;\n  \
               const unsigned long long row_end = top + gpurepl_start(height, row_parts, part / column_parts + 1);\n  \
               const unsigned long long column_end = left + gpurepl_start(width, column_parts, part % column_parts + 1);\n  \
               const unsigned long long column_start = left + gpurepl_start(width, column_parts, part % column_parts) + (threadIdx.x & ((1u << shift) - 1));\n  \
               gpurepl_figures own = {{ {highest}, {lowest}, 0, 0, 0 }};\n  \
               for (unsigned long long row = top + gpurepl_start(height, row_parts, part / column_parts) + (threadIdx.x >> shift); row < row_end; row += {SUMMARY_BLOCK} >> shift)\n    \
                 for (unsigned long long column = column_start; column < column_end; column += 1ull << shift) {{\n      \
                   const unsigned long long i = row * columns + column;\n      \
                   (void)i; // Not used where all elements are the same one.\n\
             {steps}      const {wide} value = {value};\n{add}    }}\n  \
               all[threadIdx.x] = own;\n  \
               __syncthreads();\n  \
               for (unsigned int half = {half}; half > 0; half /= 2) {{\n    \
                 if (threadIdx.x < half) {{\n      \
                   const gpurepl_figures other = all[threadIdx.x + half];\n      \
                   gpurepl_figures &mine = all[threadIdx.x];\n      \
                   if (other.least < mine.least) mine.least = other.least;\n      \
                   if (other.most > mine.most) mine.most = other.most;\n      \
                   mine.sum += other.sum;\n      \
                   mine.nan += other.nan;\n      \
                   mine.infinite += other.infinite;\n    \
                 }}\n    \
                 __syncthreads();\n  \
               }}\n  \
               if (threadIdx.x == 0) gpurepl_out[blockIdx.x] = all[0];\n}}\n",
            half = SUMMARY_BLOCK / 2,
        );
        format!("{}{text}", pieces_for(&text))
    }
}

/// How many threads of a block stand side by side along the columns of a part,
/// as a power of two: as many as there are columns, or all.
pub fn summary_shift(cells: &Cells) -> u32 {
    let width = (cells.columns / cells.across / cells.column_parts).max(1);
    width.next_power_of_two().min(SUMMARY_BLOCK).trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_lies_in_one_range() {
        for length in 1..60 {
            for count in 1..=length {
                for place in 0..length {
                    let k = Cells::range_of(length, count, place);
                    let range = Cells::start(length, count, k)..Cells::start(length, count, k + 1);
                    assert!(range.contains(&place), "{place} of {length} in {count}");
                }
            }
        }
        assert_eq!(Cells::start(usize::MAX, 64, 64), usize::MAX);
        assert_eq!(Cells::range_of(usize::MAX, 64, usize::MAX - 1), 63);
    }

    #[test]
    fn large_arrays_are_divided_among_many_blocks() {
        let shapes =
            [(1, 1 << 28), (1 << 14, 1 << 14), (1 << 28, 1), (3, 5), (1, 1), (1 << 20, 2), (7, 100_000)];
        let parts: Vec<(usize, usize, usize)> = shapes
            .into_iter()
            .map(|shape| Cells::new(shape, if shape.0 == 1 { (1, 256) } else { (64, 64) }))
            .map(|cells| (cells.count(), cells.parts(), 1 << summary_shift(&cells)))
            .collect();
        assert_eq!(
            parts,
            [
                (256, 4096, 256),
                (4096, 4096, 256),
                (64, 4096, 1),
                (15, 15, 1),
                (1, 1, 1),
                (128, 512, 1),
                (448, 448, 256)
            ]
        );
    }
}

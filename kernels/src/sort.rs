//! Sorts along the last axis: a network within a block for short rows, and for
//! long ones a radix sort, a pass for each byte of an element.
//!
//! Elements are moved as they are. What is compared is a *key* that is computed
//! from an element's bits whenever it is needed: an unsigned number whose order
//! is NumPy's. So zeros of both signs are equal, and each NaN keeps its bits.

use crate::dtype::DType;

/// The threads of a block of a sort.
pub const SORT_BLOCK: usize = 384;

/// The longest row that is sorted within a block.
pub const SORT_SMALL: usize = 2048;

/// Kernels that are compiled together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortKernels {
    /// `gpurepl_sort_small`, for rows of [`SORT_SMALL`] elements at most.
    Short,
    /// `gpurepl_sort_clear`, `gpurepl_sort_count`, `gpurepl_sort_starts` and
    /// `gpurepl_sort_pass`.
    Long,
    /// `gpurepl_search`.
    Search,
}

/// The text that sorts elements of a type, and how it divides them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortText {
    /// The type of the elements.
    pub dtype: DType,
    /// Whether rows have 2³⁰ elements or more, so that places and counts
    /// take 64 bits.
    pub is_wide: bool,
    /// Whether the places of elements go along, which take up room.
    pub has_places: bool,
    /// Which kernels are in it.
    pub kernels: SortKernels,
}

impl SortText {
    /// How many passes there are.
    pub fn passes(&self) -> usize {
        self.dtype.size()
    }

    /// The size of a place and of a count, in bytes.
    pub fn number(&self) -> usize {
        if self.is_wide { 8 } else { 4 }
    }

    /// The elements of a thread, and how many blocks a multiprocessor shall have
    /// at a time, for which the compiler limits a thread's registers. Three blocks
    /// that move some registers to memory are faster than two that do not: of
    /// these numbers the fastest on an H200.
    fn items_and_blocks(&self) -> (usize, usize) {
        let size = if self.has_places { self.dtype.size().max(self.number()) } else { self.dtype.size() };
        match (size, self.has_places) {
            (16, _) => (6, 2),
            (8, false) => (14, 3),
            (8, true) => (12, 3),
            (_, false) => (20, 3),
            (_, true) => (16, 3),
        }
    }

    /// The elements of a tile, the work of a block in a pass.
    pub fn tile(&self) -> usize {
        SORT_BLOCK * self.items_and_blocks().0
    }

    /// CUDA C of the kernels. Their parameters stand in `sort.hpp`. A block of `gpurepl_sort_starts` has
    /// 256 threads, of the others [`SORT_BLOCK`]; of `gpurepl_sort_pass` there
    /// are as many as tiles.
    pub fn to_cuda(&self) -> String {
        let raw = match self.dtype.size() {
            1 => "unsigned char",
            2 => "unsigned short",
            4 => "unsigned int",
            8 => "unsigned long long",
            _ => "gpurepl_pair",
        };
        let number = if self.is_wide { "unsigned long long" } else { "unsigned int" };
        let passes = self.passes();
        let copies = (16 / passes).clamp(1, 4);
        let (items, blocks) = self.items_and_blocks();
        let before = format!(
            "#define SORT_THREADS {SORT_BLOCK}\n#define SORT_SMALL {SORT_SMALL}\n\
             #define SORT_ITEMS {items}\n#define SORT_TILE {tile}\n\
             #define SORT_PASSES {passes}\n#define SORT_COPIES {copies}\n\
             #define SORT_PLACES {places}\n#define SORT_BLOCKS {blocks}\n",
            tile = self.tile(),
            places = usize::from(self.has_places),
        );
        let types = format!(
            "typedef {raw} gpurepl_raw;\ntypedef {raw} gpurepl_key_type;\ntypedef {number} gpurepl_number;\n\
             static __device__ __forceinline__ gpurepl_key_type gpurepl_key(gpurepl_raw x) {{\n{key}}}\n",
            key = key(self.dtype),
        );
        let (functions, kernels) = TEXT.split_once(SMALL).expect("a line of `sort.hpp`");
        let (small, passes) = kernels.split_once(PASSES).expect("a line of `sort.hpp`");
        let (passes, search) = passes.split_once(SEARCHES).expect("a line of `sort.hpp`");
        let kernels = match self.kernels {
            SortKernels::Short => small,
            SortKernels::Long => passes,
            SortKernels::Search => search,
        };
        let pair = if self.dtype == DType::Complex128 { PAIR } else { "" };
        format!("{before}{pair}{functions}{types}{kernels}")
    }
}

const TEXT: &str = include_str!("sort.hpp");

/// Elements and keys of 16 bytes.
const PAIR: &str = "\
struct alignas(16) gpurepl_pair { unsigned long long low, high; };
__device__ __forceinline__ bool gpurepl_before(gpurepl_pair a, gpurepl_pair b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}
__device__ __forceinline__ unsigned int gpurepl_byte(gpurepl_pair key, int place) {
  return (unsigned int)((place < 8 ? key.low >> 8 * place : key.high >> 8 * (place - 8)) & 255);
}
";

/// The lines before the kernel of short rows, those of long ones, and searches.
const SMALL: &str = "// SHORT ROWS\n";
const PASSES: &str = "// LONG ROWS\n";
const SEARCHES: &str = "// SEARCHES\n";

/// The statements that return the key of an element `x`.
fn key(dtype: DType) -> &'static str {
    use DType::*;
    match dtype {
        Bool => "  return x != 0;\n",
        UInt8 | UInt16 | UInt32 | UInt64 => "  return x;\n",
        Int8 => "  return x ^ 0x80;\n",
        Int16 => "  return x ^ 0x8000;\n",
        Int32 => "  return x ^ 0x80000000u;\n",
        Int64 => "  return x ^ 0x8000000000000000ull;\n",
        Float16 => "  return gpurepl_float_key<unsigned short>(x, 0x7c00);\n",
        Float32 => "  return gpurepl_float_key<unsigned int>(x, 0x7f800000u);\n",
        Float64 => "  return gpurepl_float_key<unsigned long long>(x, 0x7ff0000000000000ull);\n",
        Complex64 => {
            "  unsigned int re = (unsigned int)x, im = (unsigned int)(x >> 32);\n  \
               gpurepl_complex_key<unsigned int>(re, im, 0x7f800000u);\n  \
               return (unsigned long long)re << 32 | im;\n"
        }
        Complex128 => {
            "  unsigned long long re = x.low, im = x.high;\n  \
               gpurepl_complex_key<unsigned long long>(re, im, 0x7ff0000000000000ull);\n  \
               gpurepl_pair key;\n  key.low = im;\n  key.high = re;\n  return key;\n"
        }
    }
}

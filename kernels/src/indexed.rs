//! Elements read and written through an array of indices.
//!
//! Elements are moved and not computed with, so a kernel depends on their size
//! and not on their type. An index outside of its axis reads and writes nothing;
//! it is noted in memory that the host reads after the next wait.

use std::fmt::Write as _;

use crate::{DType, Kind};

/// The threads of a block of these kernels.
pub const INDEXED_BLOCK: usize = 256;

/// The words that a kernel notes a wrong index in: whether one is there, which
/// operation it was, the length of the axis, the index, and its place in the
/// array of indices.
pub const OUTSIDE_WORDS: usize = 5;

/// The first of those words: nothing noted, being noted by a thread, complete.
pub const OUTSIDE_NOTED: u64 = 2;

/// What a kernel that moves elements through indices depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Indexed {
    /// The size of an element in bytes.
    pub element: usize,
    /// The type of the indices.
    pub index: DType,
    /// The axes that are walked.
    pub rank: usize,
}

/// The elements of each size. One of 16 bytes is aligned as two numbers are.
pub(crate) fn element(size: usize) -> &'static str {
    match size {
        1 => "unsigned char",
        2 => "unsigned short",
        4 => "unsigned int",
        8 => "unsigned long long",
        _ => "gpurepl_pair",
    }
}

/// What declares them.
pub(crate) fn preamble(size: usize) -> &'static str {
    if size == 16 { "struct alignas(16) gpurepl_pair { unsigned long long a, b; };\n" } else { "" }
}

impl Indexed {
    /// CUDA C for reading: the kernel `gpurepl_gather`. It takes the addresses
    /// of the array, the indices and the results, how many results there are,
    /// the stride of the axis that is indexed, its length, a number for the
    /// operation, and the address of [`OUTSIDE_WORDS`]; then, for each axis, its
    /// length, the strides of the indices, and those of the array. Results are in
    /// C order.
    pub fn to_cuda_gather(&self) -> String {
        let (e, i) = (element(self.element), self.index.c());
        let parameters = self.parameters(&["s", "t"]);
        let walk = self.walk(&[("place", "s"), ("at", "t")]);
        let (preamble, wrapped) = (self.preamble(), self.wrapped());
        format!(
            "{preamble}\
             extern \"C\" __global__ void __launch_bounds__({INDEXED_BLOCK}) gpurepl_gather(const {e} *array, const {i} *indices, {e} *out, unsigned long long count, long long step, unsigned long long length, unsigned long long what, unsigned long long *outside{parameters})\n{{\n  \
               for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count;\n       \
                    i += (unsigned long long)gridDim.x * blockDim.x) {{\n\
             {walk}{wrapped}    \
                 if (wrapped >= length) {{\n      \
                   gpurepl_note(outside, what, length, (unsigned long long)index, place);\n      \
                   const {e} nothing = {{}};\n      out[i] = nothing;\n    }} else {{\n      \
                   out[i] = array[at + (long long)wrapped * step];\n    }}\n  }}\n}}\n"
        )
    }

    /// CUDA C for writing: the kernels `gpurepl_scatter` and `gpurepl_claim`.
    ///
    /// The first takes the addresses of the array, the indices and the values,
    /// then what `gpurepl_gather` takes from the count on, with the strides of
    /// the values and of the claims, the stride of the claims along the axis,
    /// and the address of the claims before the lengths; zero if no two indices
    /// name the same element, or all values are equal.
    ///
    /// The last of several values for an element is the one that stays. To find
    /// it, `gpurepl_claim` runs twice before: with `phase` 0 it clears a number
    /// for each element that is written, with 1 it leaves there the last place in
    /// the indices, plus one. It takes the addresses of the indices and claims,
    /// the count, the claims' stride along the axis, the length, `phase`, and
    /// for each axis its length and the strides of indices and claims.
    pub fn to_cuda_scatter(&self) -> String {
        let (e, i) = (element(self.element), self.index.c());
        let parameters = self.parameters(&["s", "t", "v", "c"]);
        let walk = self.walk(&[("place", "s"), ("at", "t"), ("value", "v"), ("claim", "c")]);
        let claim_parameters = self.parameters(&["s", "c"]);
        let claim_walk = self.walk(&[("place", "s"), ("claim", "c")]);
        let (preamble, wrapped) = (self.preamble(), self.wrapped());
        let each = "  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count;\n       \
                    i += (unsigned long long)gridDim.x * blockDim.x) {\n";
        format!(
            "{preamble}\
             extern \"C\" __global__ void __launch_bounds__({INDEXED_BLOCK}) gpurepl_scatter({e} *array, const {i} *indices, const {e} *values, unsigned long long count, long long step, unsigned long long length, unsigned long long what, unsigned long long *outside, long long claim_step, const unsigned long long *claims{parameters})\n{{\n\
             {each}{walk}{wrapped}    \
                 if (wrapped >= length) {{\n      \
                   gpurepl_note(outside, what, length, (unsigned long long)index, place);\n    }} \
                 else if (!claims || claims[claim + (long long)wrapped * claim_step] == (unsigned long long)place + 1) {{\n      \
                   array[at + (long long)wrapped * step] = values[value];\n    }}\n  }}\n}}\n\
             extern \"C\" __global__ void __launch_bounds__({INDEXED_BLOCK}) gpurepl_claim(const {i} *indices, unsigned long long *claims, unsigned long long count, long long claim_step, unsigned long long length, unsigned long long phase{claim_parameters})\n{{\n\
             {each}{claim_walk}{wrapped}    \
                 if (wrapped >= length) continue;\n    \
                 unsigned long long *own = claims + (claim + (long long)wrapped * claim_step);\n    \
                 if (phase == 0) *own = 0;\n    \
                 else atomicMax(own, (unsigned long long)place + 1);\n  }}\n}}\n"
        )
    }

    /// The element's type, and how a wrong index is noted: by one thread alone.
    fn preamble(&self) -> String {
        let pair = preamble(self.element);
        format!(
            "{pair}\
             static __device__ __noinline__ void gpurepl_note(unsigned long long *outside, unsigned long long what, unsigned long long length, unsigned long long index, long long place)\n{{\n  \
               if (atomicCAS(outside, 0ull, 1ull) != 0) return;\n  \
               volatile unsigned long long *note = outside;\n  \
               note[1] = what; note[2] = length; note[3] = index; note[4] = (unsigned long long)place;\n  \
               __threadfence_system();\n  \
               note[0] = {OUTSIDE_NOTED};\n}}\n"
        )
    }

    /// Lengths and each list of strides.
    fn parameters(&self, strides: &[&str]) -> String {
        let mut text = String::new();
        let all = std::iter::once(("unsigned long long", "l"))
            .chain(strides.iter().map(|name| ("long long", *name)));
        for (ctype, name) in all {
            for axis in 0..self.rank {
                let _ = write!(text, ", {ctype} {name}{axis}");
            }
        }
        text
    }

    /// Where the element numbered `i` lies in each array, from its strides.
    fn walk(&self, places: &[(&str, &str)]) -> String {
        let mut text = String::new();
        for (place, _) in places {
            let _ = writeln!(text, "    long long {place} = 0;");
        }
        if self.rank > 0 {
            text.push_str("    unsigned long long rest = i;\n");
        }
        for axis in (0..self.rank).rev() {
            let along = if axis > 0 { format!("rest % l{axis}") } else { "rest".to_owned() };
            let _ = write!(text, "    {{ const long long along = (long long)({along});");
            for (place, strides) in places {
                let _ = write!(text, " {place} += along * {strides}{axis};");
            }
            if axis > 0 {
                let _ = write!(text, " rest /= l{axis};");
            }
            text.push_str(" }\n");
        }
        text
    }

    /// The index, counted from the end if it is negative. What is still negative
    /// then is larger than any length.
    fn wrapped(&self) -> String {
        let from_end = if self.index.kind() == Kind::Unsigned { "" } else { " + (index < 0 ? length : 0)" };
        format!(
            "    const {} index = indices[place];\n    \
             const unsigned long long wrapped = (unsigned long long)index{from_end};\n",
            self.index.c()
        )
    }
}

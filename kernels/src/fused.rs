//! The kernel of a fused expression: how its threads walk through the elements,
//! so that memory is the limit.
//!
//! A thread loads several elements before it uses the first, and the loads of a
//! warp are neighbours: an H200 needs some 23 KB on the way to each
//! multiprocessor to use all of its memory's speed (J. D. C. Little, "A Proof
//! for the Queuing Formula L = λW", 1961). There is a block for each tile: a grid
//! that is just large enough for the GPU, whose blocks loop, reached 86% of it.

use std::fmt::Write as _;

use crate::DType;
use crate::ops::{BinaryOp, Pairs, UnaryOp, register};
use crate::program::{Operand, Program, View, loaded, storage, stored};
use crate::reduction::ADDED_AT_ONCE;
use crate::support::pieces_for;

/// The threads of a block of a fused expression.
pub const FUSED_BLOCK: usize = 256;

/// How the threads of a kernel walk through the elements of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Walk {
    /// In C order, [`Program::tile`] elements a block. Where an element lies in a
    /// strided array is computed for each.
    Elements,
    /// As [`Walk::Elements`] along the last axis: a block has a part of a row,
    /// and what depends on the other axes is computed once.
    Rows,
    /// A block has a square of the plane of an axis and the last one. Some
    /// inputs, whose neighbours lie along that axis, pass through shared memory
    /// (G. Ruetsch and P. Micikevicius, "Optimizing Matrix Transpose in CUDA",
    /// 2009).
    Squares {
        /// The axis.
        axis: usize,
        /// A bit for each input that passes through shared memory.
        through: u64,
        /// The side of a square: see [`Walk::side`].
        side: usize,
    },
}

/// Bytes of shared memory that every GPU has for a block.
const SHARED: usize = 48 << 10;

impl Walk {
    /// The side of a square whose elements of these sizes in bytes pass through
    /// shared memory together, if they fit.
    pub fn side(sizes: impl Iterator<Item = usize>) -> Option<usize> {
        let size: usize = sizes.sum();
        // Six blocks of the larger squares fit a multiprocessor of 228 KB.
        [(64, 36 << 10), (32, SHARED)]
            .into_iter()
            .find(|(side, room)| size * side * (side + 1) <= *room)
            .map(|(side, _)| side)
    }
}

/// What a step costs beside an addition.
fn weight(operand: &Operand, dtype: DType) -> usize {
    use UnaryOp::*;
    let single = match operand {
        Operand::Unary(
            Negative | Absolute | Invert | Conjugate | Real | Imag | Sign | Floor | Ceil | Trunc | Rint
            | Deg2rad | Rad2deg | Isnan | Isinf | Isfinite | Signbit | Isposinf | Isneginf | NanToNum
            | Fraction | WithSquare,
            _,
        ) => 1,
        Operand::Unary(..) | Operand::Binary(BinaryOp::Power, ..) if dtype.is_complex() => 64,
        Operand::Unary(Gamma | Gammaln | I0 | Erfc | J0 | J1 | Y0 | Y1 | Ndtr | Expit | Logit | Entr, _) => {
            32
        }
        Operand::Unary(
            LogExpit | LogNdtr | Ndtri | Erfinv | Erfcinv | Digamma | I0e | I1 | I1e | Erfcx | Exp1 | Expi
            | Ellipk | Ellipkm1 | Ellipe | K0 | K0e | K1 | K1e | Loggamma,
            _,
        ) => 64,
        Operand::Unary(Rgamma | Exp10 | Cosm1 | Sindg | Cosdg | Tandg | Cotdg, _) => 32,
        Operand::Unary(..) => 8,
        Operand::Ternary(..) => 64,
        Operand::Binary(op, ..) if op.group() == Some(Pairs::special) => 64,
        Operand::Binary(BinaryOp::Power, ..) => 16,
        Operand::Binary(BinaryOp::Logaddexp | BinaryOp::Logaddexp2 | BinaryOp::Arctan2, ..) => 16,
        Operand::Binary(BinaryOp::Gcd | BinaryOp::Lcm | BinaryOp::Fmod | BinaryOp::Hypot, ..) => 16,
        Operand::Binary(BinaryOp::FloorDivide | BinaryOp::Remainder | BinaryOp::Divide, ..) => 8,
        _ => 1,
    };
    if dtype.size() > 4 { 2 * single } else { single }
}

/// The weight of what is repeated in a kernel's text: more costs more time in the
/// compiler than it saves on a GPU.
const MOST_WEIGHT: usize = 160;

impl Program {
    /// How many elements a thread has under way: some bytes of each array, fewer
    /// of a long program.
    pub(crate) fn per_thread(&self) -> usize {
        let sizes =
            self.inputs.iter().filter(|(_, view)| *view != View::Single).map(|(dtype, _)| dtype.size());
        let largest = sizes.chain([self.dtype().size()]).max().unwrap_or(1);
        self.at_most((16 / largest).clamp(4, 16))
    }

    /// How many elements a thread of a reduction has under way.
    pub(crate) fn at_once(&self) -> usize {
        self.at_most(ADDED_AT_ONCE)
    }

    /// So many, fewer if the program is long.
    fn at_most(&self, mut count: usize) -> usize {
        let weight: usize = self.instructions.iter().map(|step| weight(&step.operand, step.dtype)).sum();
        while count > 1 && count * weight > MOST_WEIGHT {
            count /= 2;
        }
        count
    }

    /// The elements of a block: see [`Walk`].
    pub fn tile(&self) -> usize {
        FUSED_BLOCK * self.per_thread()
    }

    /// CUDA C for this program: a kernel `gpurepl_fused`.
    ///
    /// Its arguments, in order: the inputs' addresses, the scalars, the
    /// result's address, `n`; and if anything is strided, the `rank` lengths
    /// of the axes, then `rank` strides in elements for each strided input
    /// and for a strided result. At the end, if overflow is reported, the
    /// address of a number that gets the bits of [`Overflow`](crate::Overflow).
    ///
    /// It wants [`FUSED_BLOCK`] threads, and a block for each tile of the walk.
    pub fn to_cuda(&self, walk: Walk) -> String {
        let mut body = String::new();
        match walk {
            Walk::Elements => self.write_elements(&mut body),
            Walk::Rows => self.write_rows(&mut body),
            Walk::Squares { axis, through, side } => self.write_squares(&mut body, axis, through, side),
        }
        let output = storage(self.dtype());
        format!(
            "{}extern \"C\" __global__ void __launch_bounds__({FUSED_BLOCK}) gpurepl_fused({}{output} *out, unsigned long long n{}{})\n{{\n\
             {}{body}{}}}\n",
            pieces_for(&format!("{body}{output}{}", self.parameters())),
            self.parameters(),
            self.walk_parameters(),
            self.overflow_parameter(),
            self.overflow_start(),
            self.overflow_end(),
        )
    }

    fn write_elements(&self, text: &mut String) {
        let tile = self.tile();
        let _ = writeln!(text, "  const unsigned long long first = (unsigned long long)blockIdx.x * {tile};");
        let _ = writeln!(
            text,
            "  const unsigned int count = n - first < {tile} ? (unsigned int)(n - first) : {tile};"
        );
        self.write_loads(text, &|text| {
            if self.is_strided() {
                self.write_offsets(text, "    ");
            }
        });
    }

    fn write_rows(&self, text: &mut String) {
        let (tile, last) = (self.tile(), self.rank - 1);
        let _ = write!(
            text,
            "  const unsigned int tiles = (unsigned int)((length{last} + {}) / {tile});\n  \
               const unsigned int row = blockIdx.x / tiles;\n  \
               const unsigned long long start = (unsigned long long)(blockIdx.x - row * tiles) * {tile};\n  \
               const unsigned int count = length{last} - start < {tile} ? (unsigned int)(length{last} - start) : {tile};\n  \
               const unsigned long long first = row * length{last} + start;\n  \
               unsigned int rest = row, place;\n",
            tile - 1,
        );
        for name in self.walkers() {
            let _ = writeln!(text, "  long long {name}_row = (long long)start * {name}_stride{last};");
        }
        for axis in (0..last).rev() {
            if axis == 0 {
                text.push_str("  place = rest;\n");
            } else {
                let _ = writeln!(
                    text,
                    "  place = rest % (unsigned int)length{axis}; rest /= (unsigned int)length{axis};"
                );
            }
            for name in self.walkers() {
                let _ = writeln!(text, "  {name}_row += (long long)place * {name}_stride{axis};");
            }
        }
        self.write_loads(text, &|text| {
            for name in self.walkers() {
                let _ = writeln!(
                    text,
                    "    const long long {name}_offset = {name}_row + (long long)(i - first) * {name}_stride{last};"
                );
            }
        });
    }

    /// Loads of all elements of a thread, then the values of each: a store could
    /// change what a later load reads, for all that the compiler knows. Past the
    /// end, a thread loads the last element again and stores nothing.
    fn write_loads(&self, text: &mut String, offsets: &dyn Fn(&mut String)) {
        let per_thread = self.per_thread();
        let is_scattered = self.output == View::Strided;
        for (k, (dtype, view)) in self.inputs.iter().enumerate() {
            let held = register(*dtype);
            if *view == View::Single {
                let _ = writeln!(text, "  const {held} x{k} = {};", loaded(*dtype, &format!("in{k}[0]")));
            } else {
                let _ = writeln!(text, "  {held} x{k}[{per_thread}];");
            }
        }
        if is_scattered {
            let _ = writeln!(text, "  long long out_place[{per_thread}];");
        }
        let each = format!(
            "  #pragma unroll\n  \
               for (int u = 0; u < {per_thread}; u++) {{\n    \
                 const unsigned int k = u * {FUSED_BLOCK} + threadIdx.x;\n"
        );
        let number = "    const unsigned long long i = first + min(k, count - 1);\n";
        if is_scattered || self.inputs.iter().any(|(_, view)| *view != View::Single) {
            text.push_str(&each);
            text.push_str(number);
            offsets(text);
            for (k, (dtype, view)) in self.inputs.iter().enumerate() {
                let place = match view {
                    View::Single => continue,
                    View::Contiguous => "i".to_owned(),
                    View::Strided => format!("in{k}_offset"),
                };
                let _ = writeln!(text, "    x{k}[u] = {};", loaded(*dtype, &format!("in{k}[{place}]")));
            }
            if is_scattered {
                text.push_str("    out_place[u] = out_offset;\n");
            }
            text.push_str("  }\n");
        }
        text.push_str(&each);
        if self.is_numbered(false) {
            text.push_str(number);
        }
        self.write_values(text, "    ", &|k| {
            if self.inputs[k].1 == View::Single { format!("x{k}") } else { format!("x{k}[u]") }
        });
        let place = if is_scattered { "out_place[u]" } else { "i" };
        let _ = writeln!(text, "    if (k < count) out[{place}] = {};\n  }}", self.last_value());
    }

    /// Whether the values of elements, or where they go, depend on the element's
    /// number; or where inputs lie, if they are read beside the values.
    fn is_numbered(&self, reads: bool) -> bool {
        self.output == View::Contiguous
            || self.instructions.iter().any(|step| step.operand == Operand::Index)
            || reads && self.inputs.iter().any(|(_, view)| *view == View::Contiguous)
    }

    /// The steps, and whether what they compute overflows; `input` is a loaded
    /// element.
    pub(crate) fn write_values(&self, text: &mut String, indent: &str, input: &dyn Fn(usize) -> String) {
        for (k, step) in self.instructions.iter().enumerate() {
            let value = match step.operand {
                Operand::Input(input_number) => input(input_number),
                _ => self.value(step),
            };
            let _ = writeln!(text, "{indent}const {} v{k} = {value};", register(step.dtype));
            if let (true, Some((overflow, a, b))) = (self.reports_overflow, step.overflow()) {
                let _ = writeln!(text, "{indent}{}", overflow.to_cuda(a, b, k));
            }
        }
    }

    fn last_value(&self) -> String {
        stored(self.dtype(), &format!("v{}", self.instructions.len() - 1))
    }

    fn write_squares(&self, text: &mut String, axis: usize, through: u64, side: usize) {
        let (last, step) = (self.rank - 1, FUSED_BLOCK / side);
        let passes = |k: usize| through >> k & 1 == 1;
        let _ = write!(
            text,
            "  const unsigned int across = (unsigned int)((length{last} + {most}) / {side});\n  \
               const unsigned int down = (unsigned int)((length{axis} + {most}) / {side});\n  \
               unsigned int rest = blockIdx.x;\n  \
               const unsigned long long right = (unsigned long long)(rest % across) * {side}; rest /= across;\n  \
               const unsigned long long top = (unsigned long long)(rest % down) * {side}; rest /= down;\n  \
               const unsigned int x = threadIdx.x % {side}, y = threadIdx.x / {side};\n",
            most = side - 1,
        );
        let others: Vec<usize> = (0..last).filter(|other| *other != axis).collect();
        for (k, other) in others.iter().enumerate().rev() {
            if k == 0 {
                let _ = writeln!(text, "  const unsigned long long place{other} = rest;");
            } else {
                let _ = writeln!(
                    text,
                    "  const unsigned long long place{other} = rest % (unsigned int)length{other}; rest /= (unsigned int)length{other};"
                );
            }
        }
        for name in self.walkers() {
            let mut sum =
                format!("(long long)top * {name}_stride{axis} + (long long)right * {name}_stride{last}");
            for other in &others {
                let _ = write!(sum, " + (long long)place{other} * {name}_stride{other}");
            }
            let _ = writeln!(text, "  const long long {name}_square = {sum};");
        }
        for (k, (dtype, _)) in self.inputs.iter().enumerate().filter(|(k, _)| passes(*k)) {
            let _ = writeln!(text, "  __shared__ {} square{k}[{side}][{}];", storage(*dtype), side + 1);
        }
        let _ = write!(
            text,
            "  #pragma unroll\n  \
               for (unsigned int d = 0; d < {side}; d += {step}) {{\n    \
                 const unsigned int z = y + d;\n    \
                 if (top + x < length{axis} && right + z < length{last}) {{\n"
        );
        for k in (0..self.inputs.len()).filter(|k| passes(*k)) {
            let _ = writeln!(
                text,
                "      square{k}[z][x] = in{k}[in{k}_square + (long long)x * in{k}_stride{axis} + (long long)z * in{k}_stride{last}];"
            );
        }
        let _ = write!(
            text,
            "    }}\n  }}\n  \
               __syncthreads();\n  \
               #pragma unroll 4\n  \
               for (unsigned int d = 0; d < {side}; d += {step}) {{\n    \
                 const unsigned int z = y + d;\n    \
                 const unsigned long long place{axis} = top + z, place{last} = right + x;\n    \
                 if (place{axis} >= length{axis} || place{last} >= length{last}) continue;\n"
        );
        if self.is_numbered(true) {
            let mut number = "place0".to_owned();
            for other in 1..self.rank {
                number = format!("({number}) * length{other} + place{other}");
            }
            let _ = writeln!(text, "    const unsigned long long i = {number};");
        }
        for name in self.walkers() {
            if name.strip_prefix("in").is_none_or(|k| !passes(k.parse().expect("a number"))) {
                let _ = writeln!(
                    text,
                    "    const long long {name}_offset = {name}_square + (long long)z * {name}_stride{axis} + (long long)x * {name}_stride{last};"
                );
            }
        }
        self.write_values(text, "    ", &|k| {
            let (dtype, view) = self.inputs[k];
            let place = match view {
                _ if passes(k) => return loaded(dtype, &format!("square{k}[x][z]")),
                View::Contiguous => "i".to_owned(),
                View::Single => "0".to_owned(),
                View::Strided => format!("in{k}_offset"),
            };
            loaded(dtype, &format!("in{k}[{place}]"))
        });
        let place = if self.output == View::Strided { "out_offset" } else { "i" };
        let _ = writeln!(text, "    out[{place}] = {};\n  }}", self.last_value());
    }
}

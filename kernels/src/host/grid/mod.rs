//! How a kernel goes over its grid: whether the threads of several blocks are
//! one row of indices, and whether it walks the grid by strides.
//!
//! A kernel that uses `threadIdx.x` and `blockIdx.x` in no other way than
//! `blockIdx.x*blockDim.x + threadIdx.x` cannot tell its blocks apart along
//! that axis. A row of blocks is then one loop, as long as the processor
//! likes it.
//!
//! A loop `for (int i = that; i < n; i += blockDim.x*gridDim.x)` whose body uses
//! the thread's place in no other way, and keeps nothing from one turn to the
//! next, may be done turn by turn for all threads of some blocks: they go
//! through memory side by side, as a GPU's do. Each thread's turns stay in
//! their order, on one core. The loop becomes two:
//!
//! ```text
//! for (int at = first; at < n; at += step) for (int k = at; k < at + width && k < n; k++) if (const int i = k; true)
//! ```
//!
//! What such a loop adds up, each of these threads has a place of an array for
//! (`totals.rs`).
//!
//! A kernel that ends with `if (i < n) ...`, or continues after `if (i >= n) return;`,
//! is one turn of such a loop: the comparison becomes the loop's end, which a
//! processor does not have to look at for every thread.
//!
//! A body that changes `i` after all does not compile, and the source is
//! compiled without.

mod bounds;
mod kernel;
mod strides;
mod sums;
mod totals;
mod turns;

use super::functions::Informed;
use super::reach::{Reach, Unit, UnitKind};
use crate::token::{Token, TokenKind, tokens};

pub(super) use turns::edits;

/// Functions that show in which order threads run, or where they are.
const ORDERED: [&str; 3] = ["printf", "gpurepl_printed", "surf"];

/// How an entry goes over the blocks of a kernel whose threads do not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// Block by block.
    Blocks,
    /// Along rows of blocks.
    Rows,
    /// Turn by turn of a loop by strides.
    Strides,
    /// Along rows of blocks, up to a bound.
    Bounded,
}

impl Walk {
    /// Its number in `shim/entry.hpp`.
    pub(super) fn number(self) -> u8 {
        match self {
            Walk::Blocks => 0,
            Walk::Rows => 1,
            Walk::Strides => 2,
            Walk::Bounded => 3,
        }
    }
}

/// How the kernel of this name may go over its blocks.
pub(super) fn walk(source: &str, reach: &Reach, informed: &Informed<'_>, kernel: &str) -> Walk {
    let mut kernels =
        reach.units().iter().filter(|unit| unit.kind == UnitKind::Kernel && unit.name == kernel);
    let (Some(unit), None) = (kernels.next(), kernels.next()) else { return Walk::Blocks };
    let reached = reach.from(kernel);
    if ORDERED.iter().any(|name| reached.names.contains(name)) {
        return Walk::Blocks;
    }
    if let Some(turns) = turns::turns(source, reach, informed, unit) {
        return turns.walk;
    }
    let asks = |unit: &&&Unit| match unit.kind {
        UnitKind::Kernel => unit.name == kernel,
        UnitKind::Function => informed.contains(&unit.name),
        UnitKind::Macro => true,
        UnitKind::Shared => false,
    };
    let is_along = |unit: &&Unit| match &unit.body {
        Some(body) => is_along_rows(&source[body.clone()]),
        // A macro that mentions a place may put it together in another way.
        None => !unit.names().any(|name| matches!(name, "threadIdx" | "blockIdx")),
    };
    let rows = reached.units.iter().filter(asks).all(is_along);
    if rows { Walk::Rows } else { Walk::Blocks }
}

/// Whether a text uses its place along x as `blockIdx.x*blockDim.x + threadIdx.x` alone.
fn is_along_rows(text: &str) -> bool {
    let all = tokens(text);
    let mut k = 0;
    let mut covered = 0;
    while k < all.len() {
        let name = all[k].text(text);
        let is_index = matches!(name, "threadIdx" | "blockIdx") && all[k].kind == TokenKind::Identifier;
        if let Some(length) =
            global_index(text, &all[k..]).filter(|length| stands_alone(text, &all, k, *length))
        {
            k += length;
            covered = k;
            continue;
        }
        if is_index && k >= covered {
            let axis = all.get(k + 2).map(|axis| axis.text(text));
            let is_other =
                all.get(k + 1).is_some_and(|dot| dot.is_mark(text, '.')) && matches!(axis, Some("y" | "z"));
            if !is_other {
                return false;
            }
        }
        k += 1;
    }
    true
}

/// The number of tokens of the index along x that starts here.
fn global_index(text: &str, all: &[Token]) -> Option<usize> {
    const FORMS: [&str; 10] = [
        "blockIdx . x * blockDim . x + threadIdx . x",
        "blockDim . x * blockIdx . x + threadIdx . x",
        "threadIdx . x + blockIdx . x * blockDim . x",
        "threadIdx . x + blockDim . x * blockIdx . x",
        "( blockIdx . x * blockDim . x ) + threadIdx . x",
        "( blockDim . x * blockIdx . x ) + threadIdx . x",
        "threadIdx . x + ( blockIdx . x * blockDim . x )",
        "threadIdx . x + ( blockDim . x * blockIdx . x )",
        "( int ) blockIdx . x * blockDim . x + threadIdx . x",
        "( size_t ) blockIdx . x * blockDim . x + threadIdx . x",
    ];
    FORMS.iter().find_map(|form| {
        let words = form.split(' ');
        let length = words.clone().count();
        let is_form =
            all.len() >= length && all.iter().zip(words).all(|(token, word)| token.text(text) == word);
        is_form.then_some(length)
    })
}

/// Whether what stands around a sum leaves it a sum.
fn stands_alone(text: &str, all: &[Token], start: usize, length: usize) -> bool {
    let before = start.checked_sub(1).map(|k| all[k].text(text));
    let after = all.get(start + length).map(|token| token.text(text));
    matches!(before, None | Some("=" | "(" | "," | "{" | "[" | "return" | ";" | "+" | "?" | ":"))
        && !matches!(after, Some("*" | "/" | "%" | "."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Request, translate};

    fn walk_of(source: &str) -> Walk {
        let all = tokens(source);
        let reach = Reach::new(source, &all);
        let informed = Informed::new(source, &all, &reach);
        walk(source, &reach, &informed, "k")
    }

    #[test]
    fn rows_are_for_kernels_that_cannot_tell_their_blocks_apart() {
        for (body, expected) in [
            ("int i = blockIdx.x*blockDim.x + threadIdx.x; a[i] = 1;", Walk::Rows),
            (
                "int i = threadIdx.x + (blockDim.x * blockIdx.x), y = blockIdx.y + threadIdx.y; a[i] = y;",
                Walk::Rows,
            ),
            ("a[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = 1;", Walk::Rows),
            ("int i = blockIdx.x*blockDim.x + threadIdx.x; if (threadIdx.x == 0) a[i] = 1;", Walk::Blocks),
            ("int i = 2 * blockIdx.x*blockDim.x + threadIdx.x; a[i] = 1;", Walk::Blocks),
            ("int i = blockIdx.x*blockDim.x + threadIdx.x * 2; a[i] = 1;", Walk::Blocks),
            ("int i = blockIdx.x*16 + threadIdx.x; a[i] = 1;", Walk::Blocks),
            ("f(threadIdx);", Walk::Blocks),
            ("int i = blockIdx.x*blockDim.x + threadIdx.x; printf(\"%d\", i);", Walk::Blocks),
        ] {
            assert_eq!(walk_of(&format!("__global__ void k(int *a) {{ {body} }}")), expected, "{body}");
        }
        let function = "__device__ int index() { return blockIdx.x*blockDim.x + threadIdx.x; }\n";
        assert_eq!(
            walk_of(&format!("{function}__global__ void k(int *a) {{ a[index()] = 1; }}")),
            Walk::Rows
        );
        let lane = "__device__ int lane() { return threadIdx.x % 32; }\n";
        assert_eq!(walk_of(&format!("{lane}__global__ void k(int *a) {{ a[lane()] = 1; }}")), Walk::Blocks);
        let made = "#define LANE threadIdx.x\n__global__ void k(int *a) { a[LANE] = 1; }";
        assert_eq!(walk_of(made), Walk::Blocks);
    }

    #[test]
    fn a_bound_ends_the_row() {
        let head = "__global__ void k(float *y, const float *x, int n, int m) ";
        for body in [
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) y[i] = x[i];",
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i >= n) return; int v = x[i]; while (v > 1) v /= 2; y[i] = v;",
            "int c = blockIdx.x*blockDim.x + threadIdx.x, r = blockIdx.y*blockDim.y + threadIdx.y; if (r < m && c < n) { y[r*n + c] = 1; }",
            "int c = blockIdx.x*blockDim.x + threadIdx.x; int r = threadIdx.y; int at = r*n + c; if (c >= n || r >= m) { return; } y[at] = 1;",
            "const int tx = threadIdx.x; int i = blockIdx.x*blockDim.x + tx; if (n > i) y[i] = x[i];",
        ] {
            assert_eq!(walk_of(&format!("{head}{{ {body} }}")), Walk::Bounded, "{body}");
        }
        for body in [
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i <= n) y[i] = x[i];",
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; else y[i] = 1;",
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; y[0] = 1;",
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) { if (x[i] > 0) return; y[i] = 1; }",
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) { n = 1; y[i] = n; }",
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) { y[threadIdx.x] = 1; }",
            "int t = threadIdx.x; int i = blockIdx.x*blockDim.x + t; if (i < n) { y[t] = 1; }",
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < x[0]) { y[i] = 1; }",
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n && x[i] > 0) { y[i] = 1; }",
            "int i = blockIdx.x*blockDim.x + threadIdx.x + 1; if (i < n) { y[i] = 1; }",
        ] {
            assert_ne!(walk_of(&format!("{head}{{ {body} }}")), Walk::Bounded, "{body}");
        }
        let function = "__device__ int index() { return blockIdx.x*blockDim.x + threadIdx.x; }\n";
        let body = "{ int i = index(); if (i < n) y[i] = 1; }";
        assert_eq!(walk_of(&format!("{function}{head}{body}")), Walk::Bounded);
    }

    const HEAD: &str = "__global__ void k(float *y, const float *x, float a, int n) ";

    #[test]
    fn loops_by_strides_are_known_by_their_sums() {
        for body in [
            "for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) y[i] = a*x[i];",
            "int i = threadIdx.x + blockIdx.x * blockDim.x; while (i < n) { y[i] = x[i]; i += gridDim.x * blockDim.x; }",
            "unsigned tid = threadIdx.x; unsigned total = gridDim.x*blockDim.x; unsigned start = blockDim.x*blockIdx.x; unsigned i; \
             for (i = start + tid; i < n; i += total) { if (x[i] < 0) continue; y[i] = a; }",
            "const int t = threadIdx.x, s = blockDim.x * gridDim.x; for (size_t i = (size_t)blockIdx.x * blockDim.x + t; i < n / 2; i += s) \
             { float v = x[i]; for (int j = 0; j < 3; j++) v *= a; y[i] = v; }",
        ] {
            assert_eq!(walk_of(&format!("{HEAD}{{ {body} }}")), Walk::Strides, "{body}");
        }
        let text = translate(&Request::new(&format!("{HEAD}{{ int i = threadIdx.x + blockIdx.x * blockDim.x;\nwhile (i < n) {{\n y[i] = x[i];\n i += gridDim.x\n * blockDim.x;\n}} }}"))).unwrap().text;
        assert!(text.contains("const int i = threadIdx.x"), "{text}");
        assert!(
            text.contains(
                "for (auto gpurepl_at_ = i; gpurepl_at_ < n; gpurepl_at_ += gridDim.x * blockDim.x)"
            ),
            "{text}"
        );
        assert!(text.contains(" y[i] = x[i];\n \n\n} }"), "{text}");
    }

    #[test]
    fn loops_that_keep_something_stay() {
        for body in [
            "for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) { y[i] = a; a *= 2; }",
            "for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) { y[i] = a; y++; }",
            "for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) { if (x[i] > a) break; y[i] = a; }",
            "for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) y[threadIdx.x] += x[i];",
            "int t = threadIdx.x; for (int i = blockIdx.x*blockDim.x + t; i < n; i += blockDim.x*gridDim.x) y[t] += x[i];",
            "for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = a;",
            "for (int i = blockIdx.x*blockDim.x + threadIdx.x; i <= n; i += blockDim.x*gridDim.x) y[i] = a;",
            "for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < x[0]; i += blockDim.x*gridDim.x) y[i] = a;",
            "for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) { auto f = [&] { n--; }; f(); }",
        ] {
            assert_ne!(walk_of(&format!("{HEAD}{{ {body} }}")), Walk::Strides, "{body}");
        }
        let function = "__device__ void add(float &s, float v) { s += v; }\n";
        let body = "{ for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) add(a, x[i]); }";
        assert_ne!(walk_of(&format!("{function}{HEAD}{body}")), Walk::Strides);
    }
}

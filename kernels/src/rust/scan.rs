//! Scans on a GPU: "reduce, then scan". Each block folds its share, the host scans what they come
//! to, and each block scans its share beginning with what the ones before it come to (D. Merrill and A. Grimshaw,
//! "Parallel Scan for Stream Architectures", 2009).

use std::fmt::Write as _;

use super::{REDUCE_BLOCK, RustKernel};

/// Neighbours that a thread takes.
const RUN: usize = 8;

/// Elements that a block takes in one turn. Shares are multiples of it.
pub const SCAN_TILE: usize = RUN * REDUCE_BLOCK;

impl RustKernel<'_> {
    /// The share's fold, or its scan. The function need not commute: all is done in order.
    pub(super) fn gpu_scan(&self, text: &mut String, is_scan: bool) {
        let last = self.parameters.len() - 1;
        let x = last - 1 - usize::from(is_scan);
        let of = self.parameters[x].type_and_layout().0;
        let function = self.function;
        let _ = writeln!(
            text,
            "let f = {function};\nlet totals = shared!([::core::mem::MaybeUninit<{of}>; {REDUCE_BLOCK}]);\n\
             let t = thread::x();\nlet per = n{x}.div_ceil({SCAN_TILE}).div_ceil(grid::width()) * {SCAN_TILE};\n\
             let mut at = block::x() * per;\nlet end = ::core::cmp::min(at + per, n{x});"
        );
        let start = if is_scan {
            let before = last - 1;
            format!("if block::x() > 0 {{ Some(*p{before}.add(block::x() - 1)) }} else {{ None }}")
        } else {
            String::from("None")
        };
        let _ = writeln!(
            text,
            "let mut carry: Option<{of}> = {start};\nwhile at < end {{\n\
             let count = ::core::cmp::min({SCAN_TILE}, end - at);\nlet threads = count.div_ceil({RUN});\n\
             let first = at + t * {RUN};\nlet mine = if t < threads {{ ::core::cmp::min({RUN}, count - t * {RUN}) }} else {{ 0 }};\n\
             let mut run = [::core::mem::MaybeUninit::<{of}>::uninit(); {RUN}];\n\
             let mut k = 0;\nwhile k < {RUN} {{ if k < mine {{ run[k].write(*p{x}.add(first + k)); }} k += 1; }}\n\
             k = 1;\nwhile k < {RUN} {{ if k < mine {{ let v = f(run[k - 1].assume_init(), run[k].assume_init()); run[k].write(v); }} k += 1; }}\n\
             k = 0;\nwhile k < {RUN} {{ if k + 1 == mine {{ totals[t].write(run[k].assume_init()); }} k += 1; }}\n\
             block::sync();\nlet mut by = 1;\n\
             while by < {REDUCE_BLOCK} {{\n\
             let other = if t >= by && t < threads {{ Some(f(totals[t - by].assume_init(), totals[t].assume_init())) }} else {{ None }};\n\
             block::sync();\nif let Some(v) = other {{ totals[t].write(v); }}\nblock::sync();\nby *= 2;\n}}"
        );
        if is_scan {
            let _ = writeln!(
                text,
                "let before = if t > 0 && t < threads {{ Some(totals[t - 1].assume_init()) }} else {{ None }};\n\
                 let before = match (carry, before) {{ (Some(a), Some(b)) => Some(f(a, b)), (a, None) => a, (None, b) => b }};\n\
                 k = 0;\nwhile k < {RUN} {{ if k < mine {{ let v = run[k].assume_init(); \
                 p{last}.add(first + k).write(match before {{ Some(b) => f(b, v), None => v }}); }} k += 1; }}"
            );
        }
        let _ = writeln!(
            text,
            "let total = totals[threads - 1].assume_init();\n\
             carry = Some(match carry {{ Some(c) => f(c, total), None => total }});\nblock::sync();\nat += {SCAN_TILE};\n}}"
        );
        if !is_scan {
            let _ = writeln!(
                text,
                "if t == 0 {{ if let Some(v) = carry {{ p{last}.add(block::x()).write(v); }} }}"
            );
        }
    }
}

//! Loops by strides that add up: `float s = 0; for (...) s += x[i]; y[t] = s;`.
//!
//! What a thread keeps from one turn to the next becomes an array, with a
//! place for each of the threads that take their turns together:
//!
//! ```text
//! float all[chunk];                           // for (k) all[k] = 0
//! for (at = first; at < n; at += step)
//!   for (i = at; i < at + width && i < n; i++) all[i - at] += x[i];
//! for (k = 0; k < width; k++) { const uint3 threadIdx = ..; float s = all[k]; y[t] = s; }
//! ```
//!
//! What follows the loop runs thread by thread, with its place declared again.

use std::collections::HashSet;

use super::kernel::Kernel;
use super::strides::{Ends, Stride, changes};
use super::sums::{declare, split_at_commas, text_of};
use crate::token::{Token, TokenKind, tokens};

/// Bytes of the arrays of one kernel: they stay in the first-level cache.
const BYTES: usize = 16384;

/// What a thread keeps: type, name, first value.
struct Kept {
    of: String,
    name: String,
    first: String,
}

impl Kernel<'_> {
    /// Declarations, a loop by strides that keeps something, and what follows it.
    pub(super) fn totals(&mut self) -> Option<()> {
        let at = self.loop_after_declarations()?;
        let kept = self.read_kept(at)?;
        let names: HashSet<String> = kept.iter().map(|kept| kept.name.clone()).collect();
        let stride = self.stride(at, Ends::Anywhere)?;
        let all = self.all;
        if !self.is_free(&all[stride.inner.clone()], &stride.name, &names, true) {
            return None;
        }
        let rest = stride.last + 1..all.len() - 1;
        if !self.may_be_repeated(&all[rest.clone()], &stride.name, stride.is_declared) {
            return None;
        }
        let again = self.places_again(&stride.name)?;
        let list = |each: &dyn Fn(&Kept) -> String| kept.iter().map(each).collect::<String>();
        let bytes: Vec<String> = kept.iter().map(|kept| format!("sizeof({})", kept.of)).collect();
        let arrays = list(&|kept| format!("{} gpurepl_all_{}[gpurepl_chunk]; ", kept.of, kept.name));
        let firsts = list(&|kept| format!("gpurepl_all_{}[gpurepl_k] = {}; ", kept.name, kept.first));
        let references = list(&|kept| {
            format!(
                "if ({} &{name} = gpurepl_all_{name}[gpurepl_k - gpurepl_at_]; true) ",
                kept.of,
                name = kept.name
            )
        });
        let copies =
            list(&|kept| format!("{} {name} = gpurepl_all_{name}[gpurepl_k]; ", kept.of, name = kept.name));
        let Stride { at: start, name, bound, by, .. } = &stride;
        let place = "const unsigned int gpurepl_x = threadIdx.x + gpurepl_c + gpurepl_k; \
                     const uint3 gpurepl_t = {gpurepl_x % blockDim.x, threadIdx.y, threadIdx.z}, \
                     gpurepl_b = {blockIdx.x + gpurepl_x / blockDim.x, blockIdx.y, blockIdx.z}; \
                     const uint3 threadIdx = gpurepl_t, blockIdx = gpurepl_b; ";
        let each = "for (unsigned int gpurepl_k = 0; gpurepl_k < gpurepl_w; gpurepl_k++) ";
        let header = format!(
            "constexpr unsigned int gpurepl_chunk = {BYTES} / ({}); \
             for (unsigned int gpurepl_c = 0; gpurepl_c < gpurepl_width; gpurepl_c += gpurepl_chunk) {{ \
             const unsigned int gpurepl_w = gpurepl_width - gpurepl_c < gpurepl_chunk ? gpurepl_width - gpurepl_c : gpurepl_chunk; \
             {arrays}{each}{{ {firsts}}} \
             for ({start} + gpurepl_c; gpurepl_at_ < {bound}; gpurepl_at_ += {by}) _Pragma(\"GCC ivdep\") \
             for (decltype(gpurepl_at_) gpurepl_k = gpurepl_at_, gpurepl_end = gpurepl_until(gpurepl_at_, gpurepl_w, {bound}); \
             gpurepl_k < gpurepl_end; gpurepl_k++) {references}if (const auto {name} = gpurepl_k; true)",
            bytes.join(" + ")
        );
        self.replace(stride.header, &header);
        self.insert_before(rest.start, &format!(" {each}{{ {place}{again}{copies}"));
        self.insert_before(all.len() - 1, " } } ");
        Some(())
    }

    /// The loop that follows simple statements.
    fn loop_after_declarations(&self) -> Option<usize> {
        let mut k = 1;
        loop {
            let first = self.all.get(k)?;
            if first.is_name(self.text, "for") || first.is_name(self.text, "while") {
                return Some(k);
            }
            if first.kind != TokenKind::Identifier || first.is_name(self.text, "if") {
                return None;
            }
            k += self.all[k..].iter().position(|token| token.is_mark(self.text, ';'))? + 1;
        }
    }

    /// The declarations before a loop: integers that stay, and what the loop
    /// changes, which is taken out.
    fn read_kept(&mut self, at: usize) -> Option<Vec<Kept>> {
        const OTHER: [&str; 7] = ["const", "static", "volatile", "auto", "extern", "register", "constexpr"];
        let (text, all) = (self.text, self.all);
        let body = &all[at..];
        let is_changed =
            |name: &str| (0..body.len()).any(|k| body[k].is_name(text, name) && changes(text, body, k));
        let mut kept: Vec<Kept> = Vec::new();
        let mut k = 1;
        while k < at {
            let end = k + all[k..].iter().position(|token| token.is_mark(text, ';'))?;
            let statement = &all[k..end];
            let words = statement.iter().take_while(|token| token.kind == TokenKind::Identifier).count();
            let parts = split_at_commas(text, &statement[words.checked_sub(1)?..]);
            let name = |part: &[Token]| part.first().map(|name| name.text(text).to_owned());
            // The index of a `while` is changed by its last statement.
            let is_index = |name: &str| all.get(at + 2).is_some_and(|first| first.is_name(text, name));
            let is_kept =
                parts.iter().filter_map(|part| name(part)).any(|name| is_changed(&name) && !is_index(&name));
            if is_kept {
                let is_other = statement[..words].iter().any(|word| OTHER.contains(&word.text(text)));
                if words < 2 || is_other {
                    return None;
                }
                let of = text_of(text, &statement[..words - 1]);
                for part in &parts {
                    let [name, equals, first @ ..] = *part else { return None };
                    if name.kind != TokenKind::Identifier
                        || !equals.is_mark(text, '=')
                        || !self.is_simple(first)
                    {
                        return None;
                    }
                    let (name, first) = (name.text(text).to_owned(), text_of(text, first));
                    kept.push(Kept { of: of.clone(), name, first });
                }
                self.replace(k..end + 1, "");
            } else {
                if declare(text, statement, &mut self.locals)? && !all[k].is_name(text, "const") {
                    self.insert_before(k, "const ");
                }
            }
            k = end + 1;
        }
        // What is taken out, nothing before the loop mentions.
        let is_lonely =
            |kept: &Kept| all[1..at].iter().filter(|token| token.is_name(text, &kept.name)).count() == 1;
        (!kept.is_empty() && kept.iter().all(is_lonely)).then_some(kept)
    }

    /// Whether a first value is a number, an argument or a constant.
    fn is_simple(&self, value: &[Token]) -> bool {
        let text = self.text;
        !value.is_empty()
            && value.iter().all(|token| match token.kind {
                TokenKind::Number => true,
                TokenKind::Identifier => {
                    let word = token.text(text);
                    let is_constant = !word.starts_with("__")
                        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
                    is_constant || self.parameters.contains(word) || matches!(word, "true" | "false")
                }
                TokenKind::Punctuation => ['-', '+', '.'].iter().any(|mark| token.is_mark(text, *mark)),
                _ => false,
            })
    }

    /// Whether what follows the loop may run for one thread after the other.
    fn may_be_repeated(&self, rest: &[Token], index: &str, is_declared: bool) -> bool {
        const LEAVING: [&str; 6] = ["return", "goto", "static", "asm", "__trap", "assert"];
        let text = self.text;
        (0..rest.len()).all(|k| {
            let token = &rest[k];
            if token.kind != TokenKind::Identifier {
                return true;
            }
            let word = token.text(text);
            let is_index = word == index && !is_declared;
            let is_changed = self.parameters.contains(word) && changes(text, rest, k);
            let takes_references =
                || self.reach.units().iter().any(|unit| unit.name == word && unit.takes_references);
            !LEAVING.contains(&word) && !is_index && !is_changed && !takes_references()
        })
    }

    /// The declarations before the loop that depend on a thread's place, to be
    /// made for each thread; none, if one depends on the loop's index.
    fn places_again(&self, index: &str) -> Option<String> {
        let mut again = String::new();
        for (of, name, value) in &self.locals.declared {
            if name == index || !self.locals.depends_on_place(name) {
                continue;
            }
            if tokens(value).iter().any(|token| token.is_name(value, index)) {
                return None;
            }
            again.push_str(&format!("const {of} {name} = {}; ", self.with_places(value)));
        }
        Some(again)
    }
}

#[cfg(test)]
mod tests {
    use crate::host::{Request, translate};

    const HEAD: &str = "__device__ int index() { return blockIdx.x*blockDim.x + threadIdx.x; }\n\
        __global__ void k(float *y, const float *x, float a, int n) ";

    fn adds_up(body: &str) -> bool {
        let text = translate(&Request::new(&format!("{HEAD}{{ {body} }}"))).unwrap().text;
        text.contains("gpurepl_all_")
    }

    #[test]
    fn loops_that_add_up_are_done_side_by_side() {
        for body in [
            "int t = blockIdx.x*blockDim.x + threadIdx.x; float s = 0; for (int i = t; i < n; i += blockDim.x*gridDim.x) s += x[i]; y[t] = s;",
            "float top = -INFINITY, sum = a; int count = 0; int i = threadIdx.x + blockIdx.x*blockDim.x; \
             while (i < n) { top = fmaxf(top, x[i]); sum += x[i]; if (x[i] > a) count++; i += gridDim.x*blockDim.x; } atomicAdd(y, sum + top + count);",
            "double s = 1e-3; for (size_t i = index(); i < n; i += blockDim.x*gridDim.x) { float v = x[i]; s += v*v; } y[index()] = s;",
            "const int t = index(), step = blockDim.x*gridDim.x; int c = 0; for (int i = t; i < n; i += step) c += x[i] > a; if (t < 5) { y[t] = c; }",
            "float s = 0; for (int i = index(); i < n; i += blockDim.x*gridDim.x) { if (x[i] >= 0 && n <= 3) s += x[i]; } if (n >= 2) y[0] = s;",
        ] {
            assert!(adds_up(body), "{body}");
        }
    }

    #[test]
    fn what_depends_on_a_thread_alone_stays_with_it() {
        for body in [
            "float s = 0; for (int i = index(); i < n; i += blockDim.x*gridDim.x) { s += x[i]; if (s > a) break; } y[0] = s;",
            "float s = 0; for (int i = index(); i < n; i += blockDim.x*gridDim.x) s += x[i + threadIdx.x]; y[0] = s;",
            "float s = 0; for (int i = index(); i < n; i += blockDim.x*gridDim.x) s += x[i]; if (s > a) return; y[0] = s;",
            "float s = 0; for (int i = index(); i < n; i += blockDim.x*gridDim.x) s += x[i]; n = 3; y[n] = s;",
            "float s = 0; int i = index(); while (i < n) { s += x[i]; i += blockDim.x*gridDim.x; } y[i] = s;",
            "float s = 0; for (int i = index(); i < n; i += blockDim.x) s += x[i]; y[0] = s;",
            "float s = x[index()]; for (int i = index(); i < n; i += blockDim.x*gridDim.x) s += x[i]; y[0] = s;",
            "float s = 0, t = s; for (int i = index(); i < n; i += blockDim.x*gridDim.x) s += x[i]; y[0] = s + t;",
            "float s[2] = {0}; for (int i = index(); i < n; i += blockDim.x*gridDim.x) s[0] += x[i]; y[0] = s[0];",
            "float s = 0; for (int i = index(); i < n; i += blockDim.x*gridDim.x) s += *x++; y[0] = s;",
            "static float s = 0; for (int i = index(); i < n; i += blockDim.x*gridDim.x) s += x[i]; y[0] = s;",
        ] {
            assert!(!adds_up(body), "{body}");
        }
    }
}

//! Kernels that are a loop by strides of the grid: `for i in thread::range(n) { .. }` and nothing else.
//!
//! On the host device a thread that takes all of its turns before the next one begins touches a line of memory
//! for each element. Such kernels are run turn by turn instead: the first turn of all threads, then the second.
//! Each thread still takes its own elements in its own order, and a panic names it.

use super::{Form, RustKernel};

/// What a text may have in the length of the loop: it is the same in all threads.
const LENGTHS: [&str; 4] = [".len()", ".rows()", ".columns()", ".size()"];

/// What a turn may not have: it would end the loop, be seen in another order, or belong to a block. Texts and
/// characters are not looked into.
const OTHERS: [&str; 9] = ["break", "return", "print", "shared!", "asm!", "\"", "'{'", "'}'", "/*"];

impl RustKernel<'_> {
    /// Whether it can be run turn by turn.
    pub(super) fn is_loop_by_strides(&self) -> bool {
        self.form == Form::Kernel && !self.meets() && is_loop_by_strides(self.items, self.function)
    }
}

/// Whether the function is such a loop. Only the plain way of writing it is known.
fn is_loop_by_strides(items: &str, function: &str) -> bool {
    let text: String = items.lines().map(|line| line.split("//").next().unwrap_or_default()).fold(
        String::new(),
        |mut text, line| {
            text.push_str(line);
            text.push('\n');
            text
        },
    );
    if text.matches("range").count() != 1 || OTHERS.iter().any(|other| text.contains(other)) {
        return false;
    }
    let Some((parameters, body)) = parts(&text, function) else { return false };
    // A parameter that changes would be what it was at each turn.
    if parameters.split_whitespace().any(|word| word.trim_start_matches(['(', '[', ',']) == "mut") {
        return false;
    }
    length(body).is_some_and(|length| {
        let plain = LENGTHS.iter().fold(length.to_owned(), |text, of| text.replace(of, ""));
        plain.chars().all(|c| c.is_alphanumeric() || "_+-*/. ".contains(c))
    })
}

/// The parameters of a function, and what stands between its braces.
fn parts<'a>(text: &'a str, function: &str) -> Option<(&'a str, &'a str)> {
    let path = function.split("::<").next()?;
    let start = format!("fn {}", path.rsplit("::").next()?);
    let mut places = text.match_indices(&start).filter(|(at, _)| {
        let after = text[at + start.len()..].chars().next();
        after.is_some_and(|c| c == '(' || c == '<')
    });
    let (at, _) = places.next()?;
    // A method of the same name.
    if places.next().is_some() {
        return None;
    }
    let rest = &text[at..];
    let rest = &rest[rest.find('(')?..];
    let (parameters, rest) = rest.split_at(closed(rest, '(', ')')?);
    let open = rest.find('{')?;
    // `where`, or a result.
    if !rest[..open].trim().is_empty() {
        return None;
    }
    let inner = &rest[open..];
    Some((parameters, inner[1..closed(inner, '{', '}')? - 1].trim()))
}

/// The length of the loop, if a function's body is nothing else.
fn length(body: &str) -> Option<&str> {
    let rest = body.strip_prefix("for ")?;
    let (index, rest) = rest.split_once(" in ")?;
    if !index.trim().chars().all(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let rest = rest.trim_start().strip_prefix("thread::range")?;
    let end = closed(rest, '(', ')')?;
    let turn = rest[end..].trim_start();
    (closed(turn, '{', '}')? == turn.len()).then(|| &rest[1..end - 1])
}

/// The place behind the bracket that closes the one at the beginning.
fn closed(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0usize;
    if !text.starts_with(open) {
        return None;
    }
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + close.len_utf8());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::is_loop_by_strides;

    fn is(items: &str) -> bool {
        is_loop_by_strides(items, "crate::k")
    }

    #[test]
    fn a_loop_and_nothing_else_is_run_by_turns() {
        assert!(is(
            "fn k(x: &[f32], y: &mut [f32]) { for i in thread::range(y.len()) { y[i] = f(x[i]); } }\nfn f(v: f32) -> f32 { v }"
        ));
        assert!(is(
            "fn k(n: usize, y: &mut [f32]) {\n    // All of them.\n    for i in thread::range(n * 2 - 1) {\n        if i > 3 { continue; }\n        y[i] = 1.0;\n    }\n}\n"
        ));
        assert!(is_loop_by_strides(
            "fn k<const N: usize>(m: MatrixMut<f32>) { for i in thread::range(m.rows()) { m[(i, N)] = 1.0; } }",
            "crate::k::<3>"
        ));
    }

    #[test]
    fn what_the_order_of_turns_would_change_is_not() {
        // What is kept between turns.
        assert!(!is(
            "fn k(x: &[f32], y: &mut [f32]) { let mut s = 0.0; for i in thread::range(x.len()) { s += x[i]; } y[thread::index()] = s; }"
        ));
        assert!(!is("fn k(y: &mut [f32]) { for i in thread::range(y.len()) { y[i] = 1.0; } y[0] = 2.0; }"));
        for parameter in ["mut n: u32", "(mut n, m): (u32, u32)", "\n    mut n: u32", "m: u32, mut n: u32"] {
            assert!(!is(&format!(
                "fn k({parameter}, y: &mut [u32]) {{ for i in thread::range(y.len()) {{ n += 1; y[i] = n; }} }}"
            )));
        }
        // An end before the last.
        assert!(!is("fn k(y: &mut [f32]) { for i in thread::range(y.len()) { if y[i] > 1.0 { break; } } }"));
        assert!(!is("fn k(y: &mut [f32]) { for i in thread::range(y.len()) { if y[i] > 1.0 { return; } } }"));
        // Another length in each thread.
        assert!(!is("fn k(y: &mut [f32]) { for i in thread::range(thread::x()) { y[i] = 1.0; } }"));
        assert!(!is(
            "fn k(y: &mut [f32]) { for i in thread::range(f(y)) { y[i] = 1.0; } }\nfn f(y: &[f32]) -> usize { block::x() }"
        ));
        // What is seen.
        assert!(!is("fn k(y: &mut [f32]) { for i in thread::range(y.len()) { println!(\"{i}\"); } }"));
        // Another loop of the kind, and other iterators.
        assert!(!is(
            "fn k(y: &mut [f32]) { for i in thread::range(y.len()) { g(y); } }\nfn g(y: &mut [f32]) { for i in thread::range(y.len()) { y[i] = 1.0; } }"
        ));
        assert!(!is("fn k(y: &mut [f32]) { for i in thread::range(y.len()).rev() { y[i] = 1.0; } }"));
        assert!(!is(
            "fn k(y: &mut [f32]) { for (a, i) in thread::range(y.len()).enumerate() { y[i] = 1.0; } }"
        ));
    }
}

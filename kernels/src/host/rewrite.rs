//! The changes to the user's text, made at tokens so that strings, comments
//! and line numbers stay as they are.

use std::ops::Range;

use super::reach::Reach;
use crate::SpecError;
use crate::signature::function_head;
use crate::token::{Token, TokenKind, closing, tokens};

/// The hidden arguments of a kernel.
const INDICES: &str = "const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim";

/// Headers whose contents the shim has, or that have nothing for a kernel.
const PROVIDED: [&str; 33] = [
    "algorithm",
    "assert.h",
    "cassert",
    "cfloat",
    "climits",
    "cmath",
    "complex.h",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "cuda.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "cuda_surface_types.h",
    "cuda_texture_types.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "float.h",
    "limits.h",
    "math.h",
    "math_constants.h",
    "pycuda-complex.hpp",
    "pycuda-helpers.hpp",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "surface_functions.h",
    "vector_functions.h",
    "vector_types.h",
];

/// Whether a source asks for PyCUDA's complex numbers.
pub(super) fn includes_complex(source: &str) -> bool {
    includes(source, "pycuda-complex.hpp") || includes(source, "pycuda-helpers.hpp")
}

/// Whether a source includes a header.
pub(super) fn includes(source: &str, name: &str) -> bool {
    tokens(source).iter().any(|token| included(source, token) == Some(name))
}

/// Whether a source includes files of the user's, whose text is not known.
pub(super) fn includes_files(source: &str) -> bool {
    let all = tokens(source);
    let mut headers = all.iter().filter_map(|token| included(source, token));
    headers.any(|header| !PROVIDED.contains(&header))
}

/// A change of the user's text: what follows on its line has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The line, from one.
    pub line: usize,
    /// Where the change ends in the user's line, in bytes from zero.
    pub column: usize,
    /// By how many bytes what follows has moved.
    pub moved: isize,
}

/// Translates a source, and says where lines have become longer. What
/// [`Reach`] calls unsupported becomes empty.
pub(super) fn rewrite(source: &str, reach: &Reach) -> Result<(String, Vec<Change>), SpecError> {
    let all = tokens(source);
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for body in reach.unsupported_bodies() {
        let lines = source[body.clone()].matches('\n').count();
        edits.push((body.clone(), format!("{{ __builtin_trap(); {}}}", "\n".repeat(lines))));
    }
    edits.extend(super::globals::edits(&crate::globals::find(source)));
    for (k, token) in all.iter().enumerate() {
        if edits.iter().any(|(range, _)| range.contains(&token.span.start) && !range.is_empty()) {
            continue; // Within a body that goes away.
        }
        if let Some(header) = included(source, token) {
            if PROVIDED.contains(&header) {
                edits.push((token.span.clone(), "\n".repeat(token.text(source).matches('\n').count())));
            }
        } else if token.is_name(source, "__global__") {
            edits.extend(hidden_arguments(source, &all, k));
        } else if token.is_name(source, "asm") || token.is_name(source, "__asm__") {
            return Err(SpecError::new(
                "inline PTX cannot run on the host device",
                source,
                token.span.clone(),
            )
            .help("write it in CUDA C, or run this kernel on a CUDA device"));
        } else if is_launch(source, &all[k..]) {
            let span = token.span.start..token.span.start + 3;
            return Err(SpecError::new("a kernel cannot launch kernels on the host device", source, span)
                .help("launch from the cell instead, or run this kernel on a CUDA device"));
        }
    }
    edits.sort_by_key(|(range, _)| range.start);
    let changes =
        edits.iter().filter_map(|(range, replacement)| change(source, range, replacement)).collect();
    Ok((apply(source, &edits), changes))
}

/// What a change within one line does to the rest of it.
fn change(source: &str, range: &Range<usize>, replacement: &str) -> Option<Change> {
    if source[range.clone()].contains('\n') {
        return None;
    }
    let before = &source[..range.end];
    Some(Change {
        line: before.matches('\n').count() + 1,
        column: before.len() - before.rfind('\n').map_or(0, |newline| newline + 1),
        moved: replacement.len() as isize - range.len() as isize,
    })
}

/// `<<<` with nothing between the marks.
fn is_launch(source: &str, rest: &[Token]) -> bool {
    matches!(rest, [a, b, c, ..] if a.is_mark(source, '<') && b.is_mark(source, '<') && c.is_mark(source, '<')
        && c.span.end - a.span.start == 3)
}

/// The header in `#include <header>` or `#include "header"`.
fn included<'a>(source: &'a str, token: &Token) -> Option<&'a str> {
    if token.kind != TokenKind::Directive {
        return None;
    }
    let rest = token.text(source).trim_start_matches(['#', ' ', '\t']).strip_prefix("include")?.trim();
    let inner = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    inner
        .or_else(|| rest.strip_prefix('"').and_then(|rest| rest.split_once('"')))
        .map(|(header, _)| header.trim())
}

/// The change that gives the kernel after `__global__` its indices.
fn hidden_arguments(source: &str, all: &[Token], global: usize) -> Option<(Range<usize>, String)> {
    let (_, open) = function_head(source, all, global)?;
    let close = closing(source, all, open)?;
    let place = all[open].span.end;
    match &all[open + 1..close] {
        [] => Some((place..place, INDICES.to_owned())),
        [only] if only.is_name(source, "void") => Some((only.span.clone(), INDICES.to_owned())),
        _ => Some((place..place, format!("{INDICES}, "))),
    }
}

fn apply(source: &str, edits: &[(Range<usize>, String)]) -> String {
    let mut text = String::with_capacity(source.len() + 128 * edits.len());
    let mut done = 0;
    for (range, replacement) in edits {
        if range.start < done {
            continue; // Within an earlier change: a method of a structure's method.
        }
        text.push_str(&source[done..range.start]);
        text.push_str(replacement);
        done = range.end;
    }
    text.push_str(&source[done..]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rewritten(source: &str) -> String {
        rewrite(source, &Reach::new(source)).unwrap().0
    }

    #[test]
    fn strings_comments_and_other_functions_stay() {
        let source =
            "// __global__ void a()\nconst char *s = \"__global__ void b(\";\nint f(int x) { return x; }\n";
        assert_eq!(rewritten(source), source);
    }

    #[test]
    fn declarations_match_their_definitions() {
        let source =
            "__global__ void k(int *);\nextern \"C\" __global__ __launch_bounds__(256) void k(int *a) {}";
        let text = rewritten(source);
        assert_eq!(text.matches(INDICES).count(), 2);
        assert!(text.contains(&format!("void k({INDICES}, int *a) {{}}")));
    }

    #[test]
    fn known_headers_go_and_others_stay() {
        let source = "#include <math.h> // maths\n#  include \"stdio.h\"\n#include <mine.h>\n";
        assert_eq!(rewritten(source), "// maths\n\n#include <mine.h>\n");
    }

    proptest! {
        /// The number of every line stays, and so does all text without kernels.
        #[test]
        fn lines_keep_their_numbers(
            parts in prop::collection::vec(prop::sample::select(vec![
                "__global__ void k(int *a) { a[0] = '}'; }", "\n", "/* { \n */", "// ( \n", "#define A \\\n 1\n",
                "\"__global__ (\"", "R\"x(\n__global__ void q( )x\"", "__device__ int f() { return 1; }",
                "__global__ void s() {\n __shared__ int x;\n }", ";", "#include <math.h>\n", "struct S { int a; };",
            ]), 0..14)
        ) {
            let source = parts.concat();
            let text = rewritten(&source);
            prop_assert_eq!(text.matches('\n').count(), source.matches('\n').count());
            if !source.contains("__global__ void k") && !source.contains("__global__ void s") && !source.contains("#include") {
                prop_assert_eq!(text, source);
            }
        }
    }
}

//! `#include` in the user's text: what is put before the text for it, and what
//! cannot be had.

use super::assembly;
use super::reach::{INDICES, needs_threads};
use super::rewrite::included;
use crate::preprocessor::Headers;
use crate::token::{Source, TokenKind};
use crate::{SpecError, headers};

/// Headers of NVIDIA's that have nothing for a CPU, or too much.
const ABSENT: [&str; 3] = ["cuda_fp4.h", "cuda_fp6.h", "curand_mtgp32_kernel.h"];

/// Folders of such headers.
const ABSENT_FOLDERS: [&str; 7] = ["cooperative_groups", "cub", "cuda", "cute", "cutlass", "nv", "thrust"];

/// gpurepl's headers that a source includes, each once and after those that it
/// includes itself.
pub(super) fn provided(source: &Source<'_>) -> String {
    let (mut text, mut done) = (String::new(), Vec::new());
    for name in names(source) {
        add(name, &mut text, &mut done);
    }
    text
}

fn add(name: &str, text: &mut String, done: &mut Vec<String>) {
    let Some(header) = headers::text(name).filter(|_| !done.iter().any(|known| known == name)) else {
        return;
    };
    done.push(name.to_owned());
    for inner in names(&Source::new(header)) {
        add(inner, text, done);
    }
    // A message about the header names it and its own line.
    text.push_str(&format!("#line 1 \"{name}\"\n"));
    for line in header.lines() {
        text.push_str(if line.starts_with("#include") { "" } else { line });
        text.push('\n');
    }
}

fn names<'a>(source: &Source<'a>) -> Vec<&'a str> {
    source.tokens.iter().filter_map(|token| included(source.text, token)).collect()
}

/// Whether a source includes cooperative groups, whose functions name barriers
/// and warps even where no kernel does.
pub(super) fn has_groups(source: &Source<'_>) -> bool {
    let is_of_groups = |name: &str| {
        let folder = name.split('/').next().unwrap_or_default();
        matches!(folder, "cooperative_groups" | "cooperative_groups.h" | "cub" | "cuda" | "mma.h")
            || name.starts_with("cuda_awbarrier")
            || name.starts_with("cuda_pipeline")
    };
    names(source).into_iter().any(|name| is_of_groups(name) && headers::text(name).is_some())
}

/// Whether a source includes headers by whose functions threads meet, whatever
/// the kernels call them by.
pub(super) fn has_barriers(source: &Source<'_>) -> bool {
    let ends = ["barrier", "latch", "semaphore", "pipeline"];
    let meets = |name: &str| {
        let (folder, rest) = name.split_once('/').unwrap_or((name, ""));
        folder == "cub"
            || folder == "cuda" && ends.iter().any(|end| rest.ends_with(end))
            || folder.starts_with("cuda_awbarrier")
            || folder == "mma.h"
    };
    names(source).into_iter().any(|name| meets(name) && headers::text(name).is_some())
}

/// Headers that kernels include and that have nothing which is not there anyway.
pub const EMPTY: [&str; 11] = [
    "cuda.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "cuda_surface_types.h",
    "cuda_texture_types.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "math_constants.h",
    "surface_functions.h",
    "vector_functions.h",
    "vector_types.h",
];

/// Headers of the user's, at most: one may include itself.
const MOST_FILES: usize = 256;

/// What headers of the user's do, which are compiled as they are.
#[derive(Default)]
pub(super) struct UsersHeaders {
    /// Whether threads meet in one of them.
    pub(super) meets: bool,
    /// Whether one of them asks for its thread.
    pub(super) asks: bool,
    /// The first one with inline PTX, which the CPU's assembler may come to.
    pub(super) with_assembly: Option<String>,
}

/// Looks into the headers of the user's that a source includes.
pub(super) fn of_user(whole: &Source<'_>, headers: Headers<'_>) -> UsersHeaders {
    let mut found = UsersHeaders::default();
    let mut open = names_and_forms(whole);
    let mut done: Vec<String> = Vec::new();
    while let Some((name, is_quoted)) = open.pop() {
        if done.len() >= MOST_FILES || headers::text(&name).is_some() || done.contains(&name) {
            continue;
        }
        let Some(text) = headers(&name, is_quoted) else { continue };
        let inner = Source::new(&text);
        open.extend(names_and_forms(&inner));
        for (k, token) in inner.tokens.iter().enumerate() {
            let word = token.text(&text);
            found.meets |= needs_threads(word);
            found.asks |= INDICES.contains(&word);
            if assembly::is_statement(&text, token) && !assembly::is_empty(&text, &inner.tokens, k) {
                found.with_assembly.get_or_insert_with(|| name.clone());
            }
        }
        done.push(name);
    }
    found
}

/// The error for inline PTX in a header, at the `#include` that leads there.
pub(super) fn assembly_in(header: &str, source: &str) -> SpecError {
    let whole = Source::new(source);
    let mut all = whole.tokens.iter().filter(|token| included(source, token).is_some());
    let first = all.clone().next();
    let place = all.find(|token| included(source, token) == Some(header)).or(first);
    let message = format!("inline PTX in the header `{header}` is not translated for the host device");
    SpecError::new(message, source, place.map_or(0..0, |token| token.span.clone()))
        .help("put the text of the header into the source")
}

/// What a source includes, and whether in quotes.
fn names_and_forms(source: &Source<'_>) -> Vec<(String, bool)> {
    let all = source.tokens.iter();
    let named = all.filter_map(|token| Some((included(source.text, token)?, token.text(source.text))));
    named.map(|(name, directive)| (name.to_owned(), directive.contains('"'))).collect()
}

/// Finds the first header that the host device does not have. Within `#if` it
/// is left to the compiler, which knows whether it is included.
pub(super) fn check(source: &Source<'_>) -> Result<(), SpecError> {
    let Source { text: source, tokens: all } = source;
    let mut depth = 0_i32;
    for token in all.iter().filter(|token| token.kind == TokenKind::Directive) {
        let directive = token.text(source).trim_start_matches(['#', ' ', '\t']);
        depth += i32::from(directive.starts_with("if")) - i32::from(directive.starts_with("endif"));
        let Some(name) = included(source, token).filter(|name| depth == 0 && is_absent(name, directive))
        else {
            continue;
        };
        let error = SpecError::new(
            format!("the host device does not have `{name}`"),
            source,
            token.span.start..token.span.start + token.text(source).trim_end().len(),
        );
        return Err(error.help(instead(name)));
    }
    Ok(())
}

/// Whether there is no such header. One in quotes may be the user's own.
fn is_absent(name: &str, directive: &str) -> bool {
    let folder = name.split_once('/').map(|(folder, _)| folder);
    let is_known = ABSENT.contains(&name) || folder.is_some_and(|folder| ABSENT_FOLDERS.contains(&folder));
    is_known && headers::text(name).is_none() && (name.starts_with("cuda_") || directive.contains('<'))
}

fn instead(name: &str) -> &'static str {
    match name.split_once('/').map_or(name, |(folder, _)| folder) {
        "cuda_fp4.h" | "cuda_fp6.h" => {
            "use `__half` of cuda_fp16.h or the types of cuda_fp8.h, or run this kernel on a CUDA device"
        }
        "cub" => {
            "of CUB the primitives of blocks, warps and threads are here, all by `#include <cub/cub.cuh>`"
        }
        "thrust" => "write the loop, or use the arrays' own operations; a CUDA device with a toolkit has it",
        _ => "do without it, or run this kernel on a CUDA device with a toolkit",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_once_after_those_that_it_needs() {
        let source = "#include <cooperative_groups/scan.h>\n#include \"cooperative_groups.h\"\n\
                      # include <cooperative_groups/scan.h>\n#include <math.h>\n";
        let text = provided(&Source::new(source));
        let places: Vec<usize> = [
            "gpurepl_threads.h",
            "cooperative_groups.h",
            "cooperative_groups/reduce.h",
            "cooperative_groups/scan.h",
        ]
        .map(|name| text.find(&format!("#line 1 \"{name}\"\n")).unwrap())
        .to_vec();
        assert!(places.is_sorted() && !places.is_empty(), "{places:?}");
        assert_eq!(text.matches("#line 1 ").count(), 4);
        assert!(!text.contains("#include"));
        assert_eq!(provided(&Source::new("#include <math.h>\n")), "");
    }

    #[test]
    fn what_the_host_does_not_have_is_named_at_its_line() {
        let error = |source: &str| check(&Source::new(source)).err().map(|error| error.to_string());
        assert_eq!(
            error("#include <stdio.h>\n#include <cuda_fp4.h> // tiny\n").unwrap(),
            "the host device does not have `cuda_fp4.h`\n  | #include <cuda_fp4.h> // tiny\n  \
             | ^^^^^^^^^^^^^^^^^^^^^\n  = help: use `__half` of cuda_fp16.h or the types of cuda_fp8.h, or run this kernel on a CUDA device"
        );
        for header in ["<thrust/sort.h>", "<cuda/ptx>", "<cutlass/gemm.h>", "\"cuda_fp4.h\""] {
            assert!(error(&format!("#include {header}\n")).is_some(), "{header}");
        }
        for mine in ["<mma.h>", "\"cuda/mine.h\"", "<cooperative_groups/scan.h>", "<cuda_fp16.h>", "<mine.h>"]
        {
            assert_eq!(error(&format!("#include {mine}\n")), None, "{mine}");
        }
        assert_eq!(error("#ifndef GPUREPL_HOST\n#include <cuda_fp4.h>\n#endif\n"), None);
    }
}

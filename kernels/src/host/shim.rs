//! The C++ that goes before a translated text, in pieces: what a source does
//! not use, the compiler need not read.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::{include, parts, rewrite, textures};
use crate::SpecError;
use crate::token::{Source, TokenKind, tokens};

/// What every text needs.
const LANGUAGE: &str = concat!(
    include_str!("../preprocessor/architecture.h"),
    include_str!("../constants.h"),
    include_str!("../math_constants.h"),
    include_str!("shim/language.hpp"),
    include_str!("shim/arithmetic.hpp"),
    include_str!("shim/thread.hpp"),
);

/// Functions, each group using those before it.
const FUNCTIONS: [&str; 3] =
    [include_str!("shim/math.hpp"), include_str!("shim/intrinsics.hpp"), include_str!("shim/atomics.hpp")];

/// What a kernel says, and what a checked build finds.
const REPORTS: &str = concat!(
    include_str!("shim/failure.hpp"),
    include_str!("shim/checked.hpp"),
    include_str!("shim/instrumented.hpp"),
);

/// Barriers, warps and shared memory.
const THREADS: &str = include_str!("shim/threads.hpp");

/// Every access to a `volatile` lets the other threads run.
const LOCKSTEP: &str = "#define GPUREPL_LOCKSTEP 1\n";

const ENTRY: &str = include_str!("shim/entry.hpp");

/// From here on, lines are the user's.
pub(super) const BEFORE_SOURCE: &str = "#undef GPUREPL_LINE\n#define GPUREPL_LINE __LINE__\n";

/// How far a text needs [`FUNCTIONS`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Functions {
    /// As far as it mentions names of them.
    Mentioned,
    /// All: a part of the text is not known, or our own.
    All,
}

/// The shim for a source, whose own headers stand in the text too.
pub(super) fn for_source(source: &str, functions: Functions, has_threads: bool, lockstep: bool) -> String {
    let mut text = LANGUAGE.to_owned();
    if has_threads {
        text.push_str(THREADS);
    }
    add_functions(&mut text, source, functions);
    if lockstep {
        text.push_str(LOCKSTEP);
    }
    text.push_str(REPORTS);
    text.push_str(ENTRY);
    text
}

/// C++ for a generated loop: the shim, the headers that the text includes and
/// the shim has, then the text.
///
/// # Errors
///
/// If the text includes what the host device does not have.
pub fn with_shim(text: &str) -> Result<String, SpecError> {
    let source = Source::new(text);
    include::check(&source)?;
    let headers = include::provided(&source);
    let helpers = rewrite::includes(&source, "pycuda-helpers.hpp");
    let functions = if headers.is_empty() && !helpers && !rewrite::includes_files(&source) {
        Functions::Mentioned
    } else {
        Functions::All
    };
    let mut whole = LANGUAGE.to_owned();
    if include::has_groups(&source) {
        whole.push_str(THREADS);
    }
    add_functions(&mut whole, &format!("{headers}{text}"), functions);
    whole.push_str(REPORTS);
    whole.push_str(&textures::shim(&source));
    whole.push_str(&headers);
    if helpers {
        whole.push_str(crate::complex::COMPLEX);
        whole.push_str(crate::support::PYCUDA_HELPERS);
    }
    let mut done = 0;
    whole.push('\n');
    for token in source.tokens.iter().filter(|token| rewrite::is_provided(text, token)) {
        whole.push_str(&text[done..token.span.start]);
        whole.push_str(&"\n".repeat(token.text(text).matches('\n').count()));
        done = token.span.end;
    }
    whole.push_str(&text[done..]);
    Ok(whole)
}

fn add_functions(text: &mut String, source: &str, functions: Functions) {
    let parts = parts::needed_by(source);
    let last = match functions {
        _ if !parts.is_empty() => Some(FUNCTIONS.len()),
        Functions::All => Some(FUNCTIONS.len()),
        Functions::Mentioned => {
            let words: HashSet<&str> = words(source).collect();
            (0..FUNCTIONS.len()).rfind(|k| words.iter().any(|word| may_be_of(*k, word))).map(|k| k + 1)
        }
    };
    FUNCTIONS[..last.unwrap_or(0)].iter().for_each(|piece| text.push_str(piece));
    text.push_str(&parts);
}

/// What looks like a name; comments and strings are looked at too, which costs
/// time only.
fn words(source: &str) -> impl Iterator<Item = &str> {
    source.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| word.len() > 1)
}

/// Whether a piece may define a name. Macros put some names together: `sinf`,
/// `__float2int_rn`, `atomicAdd_block`.
fn may_be_of(piece: usize, word: &str) -> bool {
    let names = &names()[piece];
    let is_built = match piece {
        0 => word.strip_suffix('f').is_some_and(|double| names.contains(double)),
        1 => word.starts_with("__") && !LANGUAGE.contains(word) && !THREADS.contains(word),
        _ => word.starts_with("atomic"),
    };
    is_built || names.contains(word)
}

/// The names that each of [`FUNCTIONS`] mentions and the language has not.
fn names() -> &'static [HashSet<&'static str>; FUNCTIONS.len()] {
    static NAMES: OnceLock<[HashSet<&'static str>; FUNCTIONS.len()]> = OnceLock::new();
    NAMES.get_or_init(|| {
        let language: HashSet<&str> = words(LANGUAGE).collect();
        FUNCTIONS.map(|piece| {
            let code = tokens(piece).into_iter().flat_map(|token| match token.kind {
                TokenKind::Identifier | TokenKind::Directive => words(&piece[token.span.clone()]).collect(),
                _ => Vec::new(),
            });
            code.filter(|word| !language.contains(word)).collect()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_come_with_what_they_use() {
        let shim = |source: &str| with_shim(source).unwrap();
        assert!(!shim("y[i] += a*x[i];").contains("double sqrt("));
        let atomics = shim("atomicAdd(&x, 1);");
        assert!(atomics.contains("atomicAdd") && atomics.contains("gpurepl_bits"));
        assert!(shim("x = std::sqrt(y);").contains("sqrt") && !shim("x = sqrt(y);").contains("atomicAdd"));
        assert!(shim("x = normcdf(y);").contains("atomicAdd"));
        assert!(shim("x = sinf(y);").contains("GPUREPL_LIBM_1(sin)"));
        assert!(shim("x = __float2int_rn(y);").contains("gpurepl_bits"));
        assert!(!shim("__device__ int f() { __syncthreads(); }").contains("gpurepl_bits"));
    }
}

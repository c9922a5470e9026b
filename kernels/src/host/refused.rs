//! What no translation can provide, found in the text before a compiler runs.

use super::assembly;
use super::reach::{Reach, UnitKind};
use super::rewrite::{Edit, directive_name};
use crate::token::{Token, TokenKind, closing, tokens};
use crate::{SpecError, mangled};

/// Names of CUDA C++ that the host device does not have: the name, what it
/// is, and what to do instead.
const NAMES: &[(&str, &str, &str)] = &[
    ("asm", "this inline PTX cannot be read", IN_CUDA_C),
    ("__asm__", "this inline PTX cannot be read", IN_CUDA_C),
    ("__asm", "this inline PTX cannot be read", IN_CUDA_C),
    ("__cluster_dims__", "the host device has no clusters of blocks", ON_CUDA),
    ("thrust", "the host device has no Thrust", LIBRARIES),
    ("cooperative_launch", "the host device has no cooperative launch", ON_CUDA),
    ("cudaDeviceSynchronize", "a kernel cannot wait for kernels on the host device", FROM_THE_CELL),
    ("__shfl", "`__shfl` is gone since CUDA 9", "use `__shfl_sync(0xffffffff, ...)`"),
    ("__shfl_up", "`__shfl_up` is gone since CUDA 9", "use `__shfl_up_sync(0xffffffff, ...)`"),
    ("__shfl_down", "`__shfl_down` is gone since CUDA 9", "use `__shfl_down_sync(0xffffffff, ...)`"),
    ("__shfl_xor", "`__shfl_xor` is gone since CUDA 9", "use `__shfl_xor_sync(0xffffffff, ...)`"),
    ("__any", "`__any` is gone since CUDA 9", "use `__any_sync(0xffffffff, ...)`"),
    ("__all", "`__all` is gone since CUDA 9", "use `__all_sync(0xffffffff, ...)`"),
    ("__ballot", "`__ballot` is gone since CUDA 9", "use `__ballot_sync(0xffffffff, ...)`"),
];

const IN_CUDA_C: &str = "write it in CUDA C, or run this kernel on a CUDA device";
const ON_CUDA: &str = "run this kernel on a CUDA device";
const LIBRARIES: &str = "arrays have sums, products and scans of their own; run this kernel on a CUDA device";
const FROM_THE_CELL: &str = "launch from the cell instead, or run this kernel on a CUDA device";

/// Finds a macro with `__global__` or `__shared__` that could not be expanded,
/// because whether it is defined is known to the compiler only.
fn check_macros(source: &str, all: &[Token]) -> Result<(), SpecError> {
    for token in all.iter().filter(|token| token.kind == TokenKind::Directive) {
        let text = &token.text(source)[1..];
        let inner = tokens(text);
        let [define, name, body @ ..] = inner.as_slice() else { continue };
        let word = ["__global__", "__shared__"]
            .into_iter()
            .find(|word| body.iter().any(|token| token.is_name(text, word)));
        let Some(word) = word.filter(|_| define.is_name(text, "define")) else { continue };
        if let Some(used) = all.iter().find(|token| token.is_name(source, name.text(text))) {
            let message = format!("`{word}` within this macro cannot be translated for the host device");
            return Err(SpecError::new(message, source, used.span.clone())
                .help("write the declaration out here, or define the macro outside of `#if`"));
        }
    }
    Ok(())
}

/// Finds the first thing that the host device cannot run. `is_certain`: whether
/// the compiler comes to a place, if that was looked at.
pub(super) fn check(
    source: &str,
    all: &[Token],
    reach: &Reach,
    is_certain: impl Fn(usize) -> Option<bool>,
) -> Result<(), SpecError> {
    check_macros(source, all)?;
    let mut depth = 0i32;
    for (k, token) in all.iter().enumerate() {
        if token.kind == TokenKind::Directive {
            let name = directive_name(token.text(source));
            depth += i32::from(name.starts_with("if")) - i32::from(name == "endif");
        }
        // Whether a branch is compiled, the compiler knows.
        let is_certain = is_certain(token.span.start).unwrap_or(depth == 0);
        if !is_certain && token.kind != TokenKind::Directive {
            continue;
        }
        if is_launch(source, &all[k..]) {
            let span = token.span.start..token.span.start + 3;
            let message = "a kernel cannot launch kernels on the host device";
            return Err(SpecError::new(message, source, span).help(FROM_THE_CELL));
        }
        if token.kind != TokenKind::Identifier {
            continue;
        }
        let word = token.text(source);
        let Some((_, message, help)) = NAMES.iter().find(|(name, _, _)| *name == word) else { continue };
        // A member or a variable of the user's may have such a name.
        let is_scope =
            matches!(&all[k + 1..], [a, b, ..] if a.is_mark(source, ':') && b.is_mark(source, ':'));
        let is_call = all.get(k + 1).is_some_and(|next| next.is_mark(source, '('));
        let is_statement = assembly::is_statement(source, token);
        if is_statement && assembly::is_empty(source, all, k)
            || word.starts_with("__") && is_own(source, all, k)
            || is_statement && is_unused(reach, token.span.start)
        {
            continue;
        }
        let is_member = k > 0 && (all[k - 1].is_mark(source, '.') || all[k - 1].is_mark(source, '>'));
        if is_statement
            || (!is_member
                && (is_scope || (is_call && word.starts_with("__")) || (is_call && word.starts_with("cuda"))))
        {
            let reason = assembly::reason(source, all, k).filter(|_| is_statement);
            let message = reason.unwrap_or_else(|| (*message).to_owned());
            return Err(SpecError::new(message, source, token.span.clone()).help(*help));
        }
    }
    Ok(())
}

/// The error for a symbol that a compiled text needs and has not, at the place
/// of its declaration; none if the text does not mention it.
pub fn undefined(source: &str, symbol: &str) -> Option<SpecError> {
    let name = mangled::name(symbol).unwrap_or_else(|| symbol.to_owned());
    let last = name.rsplit("::").next()?;
    let token = tokens(source).into_iter().find(|token| token.is_name(source, last))?;
    let message = format!("`{name}` is declared and not defined");
    let help = "put its definition into this source: a module is not linked with others";
    Some(SpecError::new(message, source, token.span).help(help))
}

/// Inline PTX in functions that no kernel leads to, which would come to the
/// assembler all the same: it becomes a trap.
pub(super) fn edits(source: &str, all: &[Token], reach: &Reach) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (k, token) in all.iter().enumerate() {
        let is_statement = assembly::is_statement(source, token);
        if !is_statement || assembly::is_empty(source, all, k) || !is_unused(reach, token.span.start) {
            continue;
        }
        let open = (k + 1..all.len()).find(|k| all[*k].kind != TokenKind::Identifier);
        let Some(open) = open.filter(|open| all[*open].is_mark(source, '(')) else { continue };
        let Some(close) = closing(source, all, open) else { continue };
        let range = token.span.start..all[close].span.end;
        let lines = "\n".repeat(source[range.clone()].matches('\n').count());
        edits.push((range, format!("__builtin_trap(){lines}")));
    }
    edits
}

/// Whether a place is in a function that no kernel leads to.
fn is_unused(reach: &Reach, place: usize) -> bool {
    let around =
        reach.units().iter().find(|unit| unit.body.as_ref().is_some_and(|body| body.contains(&place)));
    let is_within = |kernel: &str| {
        let reached = reach.from(kernel);
        reached.units.iter().any(|unit| unit.body.as_ref().is_some_and(|body| body.contains(&place)))
    };
    let mut kernels = reach.units().iter().filter(|unit| unit.kind == UnitKind::Kernel);
    around.is_some_and(|unit| unit.kind == UnitKind::Function)
        && !kernels.any(|kernel| is_within(&kernel.name))
}

/// Whether the source defines a macro or a function of this name itself.
fn is_own(source: &str, all: &[Token], k: usize) -> bool {
    let name = all[k].text(source);
    let defines = |token: &Token| {
        let rest = token.text(source).trim_start_matches(['#', ' ', '\t']).strip_prefix("define");
        let rest = rest.map(str::trim_start).and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    let is_function = |pair: &[Token]| {
        pair[1].is_name(source, name)
            && pair[0].kind == TokenKind::Identifier
            && !matches!(pair[0].text(source), "return" | "else" | "do")
    };
    all.iter().any(|token| token.kind == TokenKind::Directive && defines(token))
        || all.windows(2).any(is_function)
}

/// `<<<` with nothing between the marks.
fn is_launch(source: &str, rest: &[Token]) -> bool {
    matches!(rest, [a, b, c, ..] if a.is_mark(source, '<') && b.is_mark(source, '<') && c.is_mark(source, '<')
        && c.span.end - a.span.start == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str) -> Result<(), SpecError> {
        let all = tokens(source);
        super::check(source, &all, &Reach::new(source, &all), |_| None)
    }

    #[test]
    fn each_says_what_to_do() {
        for (source, message) in [
            (
                "__global__ void k() { child<<<1, 2>>>(); }",
                "a kernel cannot launch kernels on the host device",
            ),
            ("__global__ void k() { asm(\"exit;\"); }", "the host device does not run `exit`"),
            ("__global__ void k(int *x) { *x = __shfl(1, 0); }", "`__shfl` is gone since CUDA 9"),
            (
                "#define K __global__ void\nK k() {}",
                "`__global__` within this macro cannot be translated for the host device",
            ),
        ] {
            let error = check(source).unwrap_err();
            assert_eq!(error.message, message);
            assert!(error.help.is_some());
        }
    }

    #[test]
    fn names_of_the_users_are_left_alone() {
        let source = "#define TEXT \"__shared__\"\n#ifndef GPUREPL_HOST\n__device__ void f() { asm(\"trap;\"); }\n#endif\n\
                      struct S { int cub; }; __device__ int f(S s, int thrust) { return s.cub + thrust; }";
        assert!(check(source).is_ok());
        let source = "#define __shfl(x, lane) __shfl_sync(0xffffffff, x, lane)\n__device__ int __any(int x) { return x; }\n\
                      __global__ void k(int *x) { *x = __shfl(__any(1), 0); asm volatile(\"\" ::: \"memory\"); \
                      __asm__ __volatile__ (\"\" : : : \"memory\"); }";
        assert!(check(source).is_ok());
    }

    #[test]
    fn inline_ptx_within_a_guard_was_given_to_the_assembler() {
        let refused = |source: &str| {
            let translated = crate::host::translate(&crate::host::Request::new(source));
            translated.err().map(|error| error.message)
        };
        let function =
            "__device__ int f() { int x; asm(\"mov.u32 %0, %envreg1;\" : \"=r\"(x)); return x; }\n";
        let kernel = "__global__ void k(int *x) { *x = f(); }\n";
        let message = Some("the host device has no register `%envreg1`".to_owned());
        for (source, is_refused) in [
            (format!("#ifndef LANES_H\n#define LANES_H\n{function}{kernel}#endif\n"), true),
            (format!("#if __CUDA_ARCH__ >= 300\n{function}#else\n{function}#endif\n{kernel}"), true),
            (format!("#ifdef GPUREPL_HOST\n__device__ int f();\n#else\n{function}#endif\n{kernel}"), false),
            // What the compiler alone knows.
            (format!("#if __has_feature(lanes)\n{function}#endif\n{kernel}"), false),
            // A function that is not called has no instructions.
            (format!("{function}__global__ void k(int *x) {{ *x = 1; }}"), false),
            (
                format!(
                    "{function}__device__ int g() {{ return f(); }}\n__global__ void k(int *x) {{ *x = g(); }}"
                ),
                true,
            ),
        ] {
            assert_eq!(refused(&source), message.clone().filter(|_| is_refused), "{source}");
        }
    }
}

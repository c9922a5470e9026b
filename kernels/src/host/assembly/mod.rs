//! Inline PTX: an `asm` statement becomes C++ that does what its instructions
//! do.
//!
//! ```text
//! asm("add.u32 %0, %1, 1;" : "=r"(y) : "r"(x));
//! do { auto &gpurepl_o0 = (y); unsigned int gpurepl_r0; unsigned int gpurepl_r1 = gpurepl_ptx::as<unsigned int>(x);
//!      gpurepl_ptx::put(gpurepl_r0, gpurepl_ptx::add<unsigned int>(..)); gpurepl_ptx::result(gpurepl_o0, gpurepl_r0); } while (0);
//! ```
//!
//! The functions stand in `shim/assembly.hpp`. What an instruction does is that
//! of the PTX ISA, 8.5. A statement with an instruction that is not known here
//! stays as it is, and is refused by its name where a kernel comes to it.

mod comparison;
mod instruction;
mod memory;
mod registers;
mod statement;
mod threads;

use super::rewrite::Edit;
use crate::token::{Source, Token, TokenKind};
use statement::Statement;

/// The `asm` statements of a text that can be translated, as changes of it.
pub(super) fn edits(whole: &Source<'_>) -> Vec<Edit> {
    let Source { text: source, tokens: all } = whole;
    let mut edits: Vec<Edit> = Vec::new();
    for k in 0..all.len() {
        let is_within = edits.last().is_some_and(|(range, _)| all[k].span.start < range.end);
        if is_within || !is_statement(source, &all[k]) {
            continue;
        }
        let Some(statement) = Statement::read(source, all, k) else { continue };
        if statement.is_empty() {
            continue;
        }
        if let Ok(text) = instruction::translated(&statement) {
            // Operands keep their lines.
            let lines = source[statement.range.clone()].matches('\n').count() - text.matches('\n').count();
            edits.push((statement.range, format!("{text}{}", "\n".repeat(lines))));
        }
    }
    edits
}

/// Why the statement that starts at a token cannot be translated; none if it
/// can be, or is none.
pub(super) fn reason(source: &str, all: &[Token], k: usize) -> Option<String> {
    instruction::translated(&Statement::read(source, all, k)?).err()
}

/// Whether the statement that starts at a token has no instructions: it is a
/// barrier for the compiler, which has such statements too.
pub(super) fn is_empty(source: &str, all: &[Token], k: usize) -> bool {
    Statement::read(source, all, k).is_some_and(|statement| statement.is_empty())
}

pub(super) fn is_statement(source: &str, token: &Token) -> bool {
    token.kind == TokenKind::Identifier && matches!(token.text(source), "asm" | "__asm__" | "__asm")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(statement: &str) -> String {
        let whole = Source::new(statement);
        let edits = edits(&whole);
        assert!(edits.len() < 2);
        edits.into_iter().next().map_or_else(
            || reason(statement, &whole.tokens, 0).unwrap_or_default(),
            |(range, text)| {
                assert_eq!(range, 0..statement.len() - 1, "all but the semicolon");
                text
            },
        )
    }

    #[test]
    fn operands_are_read_and_written_once() {
        assert_eq!(
            translated(
                "asm volatile(\"add.u32 %0, %1, -1;\" : \"=r\"(y[f()]) : \"r\"(x), \"r\"(g()) : \"memory\");"
            ),
            "do { auto &gpurepl_o0 = (y[f()]); unsigned int gpurepl_r0 = 0; \
             unsigned int gpurepl_r1 = gpurepl_ptx::given<unsigned int>(x); \
             unsigned int gpurepl_r2 = gpurepl_ptx::given<unsigned int>(g()); \
             __asm__ volatile(\"\" ::: \"memory\"); \
             { gpurepl_ptx::put(gpurepl_r0, (gpurepl_ptx::add)(gpurepl_ptx::as<unsigned int>(gpurepl_r1), (unsigned int)-1)); } \
             __asm__ volatile(\"\" ::: \"memory\"); gpurepl_ptx::result(gpurepl_o0, gpurepl_r0); } while (0)"
        );
    }

    #[test]
    fn lines_stay_lines() {
        let text = translated("asm(\"{\\n\\t\"\n\".reg .pred p;\\n\"\n\"}\"\n::);");
        assert_eq!(text.matches('\n').count(), 3);
        assert!(text.starts_with("do { "), "{text}");
    }

    #[test]
    fn what_is_not_known_is_named() {
        for (statement, reason) in [
            (
                "asm(\"wgmma.fence.sync.aligned;\");",
                "the host device does not run `wgmma.fence.sync.aligned`",
            ),
            ("asm(\"bar.sync 1, 64;\");", "the host device has no named barriers: `bar.sync`"),
            (
                "asm(\"add.f16 %0, %1, %1;\" : \"=h\"(x) : \"h\"(y));",
                "the host device does not run `add.f16`",
            ),
            ("asm(\"mov.u32 %0, %%envreg3;\" : \"=r\"(x));", "the host device has no register `%envreg3`"),
            ("asm(\"mov.u32 %1, 3;\" : \"=r\"(x));", "inline PTX has no operand %1"),
            ("asm(\"mov.u32 q, 3;\" ::);", "inline PTX has no register `q`"),
            ("asm(\"bra LATER;\");", "inline PTX has no label `LATER`"),
            ("asm(\"exit;\");", "the host device does not run `exit`"),
            ("asm(\"mov.u32 %0, 1;\" : \"=z\"(x));", "inline PTX has no constraint \"=z\""),
        ] {
            assert_eq!(translated(statement), reason);
        }
        // A name of a function or a variable, and a definition of a macro, are no statements.
        assert_eq!(translated("asm;"), "");
    }
}

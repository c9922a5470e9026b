//! Registers that are read before they are set.
//!
//! A forward dataflow over the blocks of a function, by one of two rules.
//!
//! [`unset`] reports a register that is set on no path to the read. Correct
//! output of compilers has such a read only of an undefined value. It misses a
//! register that another path sets.
//!
//! [`perhaps_unset`] reports a register that is not set on every path. Paths
//! are those of the branches, whatever their conditions are, so that it also
//! reports correct code: compilers set a register behind one test and read it
//! behind another that only holds if the first did. NVRTC does so in kernels
//! of this crate.
//!
//! An instruction under a predicate sets its register for [`unset`]. For
//! [`perhaps_unset`] it sets it if the predicate holds: the register counts as
//! set for instructions under the same predicate, behind a branch on it, and
//! everywhere once it is set under the opposite predicate too. This ends where
//! the predicate is set again.

mod flow;
mod program;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::module::functions;
use super::token::tokens;
use flow::{Flow, Paths};
use program::Program;

/// A register that may be read before it is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsetRegister {
    /// The function, as the text names it.
    pub function: String,
    /// The register, such as `%rd12`.
    pub register: String,
    /// The line that reads it, from one: the first one of the function.
    pub line: usize,
    /// The text of the line, trimmed.
    pub text: String,
}

/// The registers that functions of a PTX text read and that no path to the read
/// sets, each one once for a function.
///
/// What a read gives then is undefined, and no assembler says so. An element
/// of a vector register sets all of it.
///
/// ```
/// let ptx = ".visible .entry kernel() {
///   .reg .b32 %r<3>;
///   mov.u32 %r1, %tid.x;
///   add.s32 %r1, %r1, %r2;
///   ret;
/// }";
/// let found = gpurepl_kernels::ptx::unset(ptx);
/// assert_eq!(found[0].register, "%r2");
/// assert_eq!(found[0].text, "add.s32 %r1, %r1, %r2;");
/// ```
pub fn unset(ptx: &str) -> Vec<UnsetRegister> {
    read_unset(ptx, Paths::Any)
}

/// The registers that functions of a PTX text read and that some path to the
/// read does not set, each one once for a function: those of [`unset`] and
/// others, for a person to judge.
///
/// ```
/// let ptx = ".visible .entry kernel() {
///   .reg .b32 %r<2>; .reg .pred %p<2>;
///   setp.eq.s32 %p1, 0, 0;
///   @%p1 bra $end;
///   mov.b32 %r1, 1;
/// $end:
///   st.shared.b32 [0], %r1;
/// }";
/// assert_eq!(gpurepl_kernels::ptx::perhaps_unset(ptx)[0].line, 7);
/// assert!(gpurepl_kernels::ptx::unset(ptx).is_empty());
/// ```
pub fn perhaps_unset(ptx: &str) -> Vec<UnsetRegister> {
    read_unset(ptx, Paths::Every)
}

fn read_unset(ptx: &str, paths: Paths) -> Vec<UnsetRegister> {
    let tokens = tokens(ptx);
    let functions = functions(&tokens);
    let noreturn: Vec<&str> = functions.iter().filter(|f| f.is_noreturn).map(|f| f.name).collect();
    let lines: Vec<&str> = ptx.lines().collect();
    let mut found = Vec::new();
    for function in &functions {
        let Some(body) = function.body else { continue };
        let program = Program::read(function.parameters, body, &noreturn);
        let mut first_reads = BTreeMap::new();
        for (register, line) in Flow::new(&program, paths).unset_reads() {
            let first = first_reads.entry(register).or_insert(line);
            *first = line.min(*first);
        }
        found.extend(first_reads.into_iter().map(|(register, line)| UnsetRegister {
            function: function.name.to_owned(),
            register: program.names[register].to_owned(),
            line,
            text: lines.get(line - 1).map_or("", |text| text.trim()).to_owned(),
        }));
    }
    found.sort_by_key(|unset| unset.line);
    found
}

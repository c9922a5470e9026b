//! What a function of a PTX text does, in numbers.

use super::instruction::Instruction;
use super::module::functions;
use super::token::tokens;

/// What a function does, and what the text around it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The names of the text's kernels, in its order.
    pub entries: Vec<String>,
    /// How many instructions of the function wait for a block's threads:
    /// `bar` and `barrier`, but for those of a warp or of a cluster.
    pub barriers: usize,
    /// How many loads of the function name no state space, and find out at run
    /// time where the address leads.
    pub generic_loads: usize,
    /// How many loads are from shared memory.
    pub shared_loads: usize,
    /// How many loads are from global memory that nobody writes: `ld.global.nc`.
    pub global_nc_loads: usize,
    /// The functions that the function names and the text only declares, in
    /// the order of their declarations.
    pub externs: Vec<String>,
}

/// What the function with this name does; functions that it calls are not
/// counted. `None` if the text has no such function, or only declares it.
///
/// ```
/// let ptx = ".entry kernel() { .reg .b32 %r<2>; ld.shared.b32 %r1, [0]; bar.sync 0; ret; }";
/// let summary = gpurepl_kernels::ptx::summary(ptx, "kernel").unwrap();
/// assert_eq!((summary.shared_loads, summary.barriers), (1, 1));
/// ```
pub fn summary(ptx: &str, function: &str) -> Option<Summary> {
    let tokens = tokens(ptx);
    let functions = functions(&tokens);
    let body = functions.iter().filter(|f| f.name == function).find_map(|f| f.body)?;
    let is_defined = |name: &str| functions.iter().any(|f| f.name == name && f.body.is_some());
    let mut externs: Vec<String> = Vec::new();
    for declared in functions.iter().filter(|f| !is_defined(f.name)) {
        let is_named = body.iter().any(|token| token.text == declared.name);
        if is_named && !externs.iter().any(|name| name == declared.name) {
            externs.push(declared.name.to_owned());
        }
    }
    let entries = functions.iter().filter(|f| f.is_entry).map(|f| f.name.to_owned()).collect();
    let mut summary =
        Summary { entries, barriers: 0, generic_loads: 0, shared_loads: 0, global_nc_loads: 0, externs };
    // Braces and labels stand before instructions without a `;`; no operand
    // that is written in braces has a name of these.
    for statement in body.split(|token| matches!(token.text, ";" | "{" | "}" | ":")) {
        if let Some(instruction) = Instruction::read(statement) {
            count(&instruction, &mut summary);
        }
    }
    Some(summary)
}

fn count(instruction: &Instruction, summary: &mut Summary) {
    let is = |word| instruction.is_qualified(word);
    match instruction.base() {
        "bar" | "barrier" if !is("warp") && !is("cluster") => summary.barriers += 1,
        "ld" if is("shared") => summary.shared_loads += 1,
        "ld" if is("global") => summary.global_nc_loads += usize::from(is("nc")),
        "ld" if !is("local") && !is("param") && !is("const") => summary.generic_loads += 1,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.extern .func unused ();
.func helper();
.entry other() { bar.sync 0; ret; }
.entry kernel(.param .b64 p) {
  .reg .b32 %r<9>; .reg .b64 %rd<9>;
  ld.param.b64 %rd1, [p];
$L: bar.sync 0;
  barrier.cta.sync.aligned 1;
  bar.warp.sync -1;
  barrier.cluster.arrive;
  ld.b32 %r1, [%rd1];
  ld.volatile.v2.b32 {%r1, %r2}, [%rd1];
  ld.shared.b32 %r3, [4]; ld.shared::cta.b32 %r3, [4];
  ld.global.nc.b32 %r4, [%rd1];
  ld.global.b32 %r4, [%rd1];
  ld.local.b32 %r4, [%rd1];
  { .param .b32 q; @%p1 bra $L; call.uni (q), vprintf, (p, p); }
  call.uni helper;
  ret;
}
.func helper() { ret; }";

    #[test]
    fn a_kernel_is_counted_by_itself() {
        let summary = summary(TEXT, "kernel").unwrap();
        assert_eq!(summary.entries, ["other", "kernel"]);
        assert_eq!(summary.barriers, 2);
        assert_eq!((summary.generic_loads, summary.shared_loads, summary.global_nc_loads), (2, 2, 1));
        assert_eq!(summary.externs, ["vprintf"]);
    }

    #[test]
    fn a_function_without_a_body_has_no_summary() {
        assert_eq!(summary(TEXT, "unused"), None);
        assert_eq!(summary(TEXT, "missing"), None);
        assert_eq!(summary(TEXT, "helper").unwrap().barriers, 0);
    }
}

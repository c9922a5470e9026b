//! What one instruction reads, writes, and where control goes after it.

use super::token::{Token, closing};

/// An instruction, by its words.
#[derive(Clone, Debug)]
pub(crate) struct Instruction<'t, 'a> {
    /// The predicate of `@%p1`, and whether it must be true.
    pub guard: Option<(Token<'a>, bool)>,
    /// Its name with what qualifies it: `ld.global.nc.f32`.
    pub name: &'a str,
    /// What stands between its commas.
    pub operands: Vec<&'t [Token<'a>]>,
}

impl<'t, 'a> Instruction<'t, 'a> {
    /// Reads what stands before a `;`; `None` if it is no instruction.
    pub fn read(tokens: &'t [Token<'a>]) -> Option<Instruction<'t, 'a>> {
        let (guard, tokens) = guard(tokens);
        let (name, rest) = tokens.split_first()?;
        if !name.text.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        Some(Instruction { guard, name: name.text, operands: operands(rest) })
    }

    /// What its name begins with: `ld` of `ld.global.f32`.
    pub fn base(&self) -> &'a str {
        self.name.split('.').next().unwrap_or_default()
    }

    /// Whether a word qualifies its name: `global` in `ld.global.f32`, and
    /// `shared` in `ld.shared::cta.f32`.
    pub fn is_qualified(&self, word: &str) -> bool {
        self.name.split('.').skip(1).any(|part| part.split("::").next() == Some(word))
    }

    /// How many operands, from the first, it writes: one or none.
    fn written(&self) -> usize {
        let Some(first) = self.operands.first().and_then(|operand| operand.first()) else { return 0 };
        let writes = match self.base() {
            // What it returns stands in parentheses, before the function.
            "call" => first.text == "(" && self.operands.len() > 1,
            "bar" | "barrier" => self.is_qualified("red"),
            "bra" | "brx" | "ret" | "exit" | "trap" | "nanosleep" | "stackrestore" | "pmevent"
            | "setmaxnreg" | "membar" | "fence" | "prefetch" | "prefetchu" | "st" | "red" => false,
            // `st`, `red`, `cp.async` and others write memory, at an address
            // that they read.
            _ => first.text != "[",
        };
        usize::from(writes)
    }

    /// The words it writes to.
    pub fn writes(&self) -> impl Iterator<Item = Token<'a>> {
        self.operands[..self.written()].iter().flat_map(|operand| operand.iter().copied())
    }

    /// The words it reads, but for its guard.
    pub fn reads(&self) -> impl Iterator<Item = Token<'a>> {
        self.operands[self.written()..].iter().flat_map(|operand| operand.iter().copied())
    }

    /// The function that it calls, by name or by register.
    pub fn called(&self) -> Option<Token<'a>> {
        (self.base() == "call").then(|| self.operands.get(self.written())?.first().copied())?
    }

    /// Whether control never comes to the next instruction, if the guard lets
    /// this one happen.
    pub fn leaves(&self) -> bool {
        matches!(self.base(), "bra" | "brx" | "ret" | "exit" | "trap")
    }
}

fn guard<'t, 'a>(tokens: &'t [Token<'a>]) -> (Option<(Token<'a>, bool)>, &'t [Token<'a>]) {
    match tokens {
        [at, not, predicate, rest @ ..] if at.text == "@" && not.text == "!" => {
            (Some((*predicate, false)), rest)
        }
        [at, predicate, rest @ ..] if at.text == "@" => (Some((*predicate, true)), rest),
        _ => (None, tokens),
    }
}

/// What stands between commas that are in no bracket.
fn operands<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let mut operands = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < tokens.len() {
        match tokens[at].text {
            "," => {
                operands.push(&tokens[start..at]);
                start = at + 1;
                at += 1;
            }
            "(" | "[" | "{" => at = closing(tokens, at) + 1,
            _ => at += 1,
        }
    }
    if start < tokens.len() {
        operands.push(&tokens[start..]);
    }
    operands
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    /// The registers that are written, and those that are read.
    fn registers(text: &str) -> (Vec<&str>, Vec<&str>) {
        let tokens = tokens(text);
        let instruction = Instruction::read(&tokens).unwrap();
        let is_register = |text: &&str| text.starts_with('%');
        let writes = instruction.writes().map(|token| token.text).filter(is_register).collect();
        let reads = instruction.reads().map(|token| token.text).filter(is_register).collect();
        (writes, reads)
    }

    #[test]
    fn the_first_operand_is_written() {
        assert_eq!(registers("add.s32 %r1, %r2, %r3"), (vec!["%r1"], vec!["%r2", "%r3"]));
        assert_eq!(
            registers("setp.lt.and.s32 %p1|%p2, %r1, 3, %p3"),
            (vec!["%p1", "%p2"], vec!["%r1", "%p3"])
        );
        assert_eq!(registers("mov.b64 {%r1, %r2}, %rd1"), (vec!["%r1", "%r2"], vec!["%rd1"]));
        assert_eq!(registers("mov.b64 %rd1, {%r1, %r2}"), (vec!["%rd1"], vec!["%r1", "%r2"]));
        assert_eq!(registers("mov.b64 {%r1, _}, %rd1"), (vec!["%r1"], vec!["%rd1"]));
        assert_eq!(
            registers("shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1"),
            (vec!["%r1", "%p1"], vec!["%r2"])
        );
        assert_eq!(registers("ld.global.v2.f32 {%f1, %f2}, [%rd1+8]"), (vec!["%f1", "%f2"], vec!["%rd1"]));
        assert_eq!(registers("atom.global.add.u32 %r1, [%rd1], %r2"), (vec!["%r1"], vec!["%rd1", "%r2"]));
        assert_eq!(registers("atom.global.add.u32 _, [%rd1], %r2"), (vec![], vec!["%rd1", "%r2"]));
        assert_eq!(registers("cvta.to.global.u64 %rd2, %rd1"), (vec!["%rd2"], vec!["%rd1"]));
        assert_eq!(registers("vote.sync.ballot.b32 %r1, %p1, -1"), (vec!["%r1"], vec!["%p1"]));
        assert_eq!(registers("match.all.sync.b32 %r1|%p1, %r2, -1"), (vec!["%r1", "%p1"], vec!["%r2"]));
        assert_eq!(
            registers("tex.2d.v2.f32.s32 {%f1, %f2}, [%rd1, {%r1, %r2}]"),
            (vec!["%f1", "%f2"], vec!["%rd1", "%r1", "%r2"])
        );
        assert_eq!(registers("suld.b.1d.b32.trap {%r1}, [%rd1, {%r2}]"), (vec!["%r1"], vec!["%rd1", "%r2"]));
        assert_eq!(registers("bar.red.popc.u32 %r1, 0, %p1"), (vec!["%r1"], vec!["%p1"]));
        assert_eq!(registers("redux.sync.add.s32 %r1, %r2, %r3"), (vec!["%r1"], vec!["%r2", "%r3"]));
    }

    #[test]
    fn what_writes_no_register_reads_its_first_operand() {
        assert_eq!(registers("st.global.v2.f32 [%rd1+8], {%f1, %f2}"), (vec![], vec!["%rd1", "%f1", "%f2"]));
        assert_eq!(registers("red.global.add.f32 [%rd1], %f1"), (vec![], vec!["%rd1", "%f1"]));
        assert_eq!(registers("cp.async.ca.shared.global [%r1], [%rd1], 4"), (vec![], vec!["%r1", "%rd1"]));
        assert_eq!(registers("bar.sync %r1, %r2"), (vec![], vec!["%r1", "%r2"]));
        assert_eq!(registers("bar.warp.sync %r1"), (vec![], vec!["%r1"]));
        assert_eq!(registers("nanosleep.u32 %r1"), (vec![], vec!["%r1"]));
        assert_eq!(registers("brx.idx %r1, $L_table"), (vec![], vec!["%r1"]));
        assert_eq!(registers("prefetch.global.L2 [%rd1]"), (vec![], vec!["%rd1"]));
        assert_eq!(registers("membar.gl"), (vec![], vec![]));
        assert_eq!(registers("fence.proxy.async"), (vec![], vec![]));
        assert_eq!(registers("ret"), (vec![], vec![]));
    }

    #[test]
    fn calls() {
        assert_eq!(registers("call (%r1), f, (%r2, %r3)"), (vec!["%r1"], vec!["%r2", "%r3"]));
        assert_eq!(registers("call.uni f, (%r2)"), (vec![], vec!["%r2"]));
        assert_eq!(registers("call (retval0), %rd1, (param0), prototype_0"), (vec![], vec!["%rd1"]));
        for (text, name) in [("call.uni f", "f"), ("call (retval0), f, (param0)", "f"), ("call f, (a)", "f")]
        {
            let tokens = tokens(text);
            let called = Instruction::read(&tokens).unwrap().called();
            assert_eq!(called.map(|token| token.text), Some(name), "{text}");
        }
    }

    #[test]
    fn guards() {
        for (text, expected) in [("@%p1 bra L", ("%p1", true)), ("@!%p1 bra L", ("%p1", false))] {
            let tokens = tokens(text);
            let (predicate, holds) = Instruction::read(&tokens).unwrap().guard.unwrap();
            assert_eq!((predicate.text, holds), expected);
        }
    }

    #[test]
    fn a_directive_is_no_instruction() {
        assert!(Instruction::read(&tokens(".pragma \"nounroll\"")).is_none());
        assert!(Instruction::read(&[]).is_none());
    }
}

//! Checks that follow each other, joined to one branch in PTX.
//!
//! Each access that is checked ends in a branch to where the thread notes the panic. LLVM joins branches that
//! lead to one place; these lead to as many as there are lines. What stands between two of them computes and
//! changes nothing but registers, so that it may run before the first is asked: one branch asks all, and where one holds
//! they are asked again, in order. (`stencil` in `tests/benches/rust_kernels.rs` has five, and took a twentieth longer.)

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

/// A branch to a panic.
struct Check<'a> {
    /// What is asked, and whether the panic is where it holds.
    predicate: &'a str,
    holds: bool,
    /// The label of the panic.
    panic: &'a str,
    /// Its lines, and the line behind them.
    lines: std::ops::Range<usize>,
    next: usize,
}

/// A function's lines, with what is known of its labels.
struct Body<'a> {
    lines: &'a [&'a str],
    labels: HashMap<&'a str, usize>,
    /// How many branches lead to a label.
    branches: HashMap<&'a str, usize>,
}

/// The compiler's PTX with joined checks.
pub fn joined(ptx: &str) -> String {
    let mut text = String::with_capacity(ptx.len() + 1024);
    let mut lines = ptx.lines();
    let mut number = 0;
    while let Some(line) = lines.next() {
        text.push_str(line);
        text.push('\n');
        // A function's own braces stand at the start of a line, those within it do not.
        if line == "{" {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
            Body::new(&body).write(&mut text, &mut number);
            text.push_str("}\n");
        }
    }
    text
}

impl<'a> Body<'a> {
    fn new(lines: &'a [&'a str]) -> Body<'a> {
        let (mut labels, mut branches) = (HashMap::new(), HashMap::new());
        for (k, line) in lines.iter().enumerate() {
            if let Some(label) = label(line) {
                labels.insert(label, k);
            }
            if let Some((_, to)) = branch(line) {
                *branches.entry(to).or_default() += 1;
            }
        }
        Body { lines, labels, branches }
    }

    fn write(&self, text: &mut String, number: &mut usize) {
        let mut behind = String::new();
        let mut at = 0;
        while at < self.lines.len() {
            let chain = self.chain(at);
            let Some(last) = chain.last().filter(|_| chain.len() > 1) else {
                let _ = writeln!(text, "{}", self.lines[at]);
                at += 1;
                continue;
            };
            let is_left_out = |k: usize| chain.iter().any(|check| check.lines.contains(&k));
            for k in (at..last.lines.start).filter(|k| !is_left_out(*k)) {
                let _ = writeln!(text, "{}", self.lines[k]);
            }
            let any = format!("%gr_any_{number}");
            let _ = writeln!(text, "\t.reg .pred {any}, %gr_fails_{number};");
            for (k, check) in chain.iter().enumerate() {
                let not = if check.holds { "mov" } else { "not" };
                if k == 0 {
                    let _ = writeln!(text, "\t{not}.pred {any}, {};", check.predicate);
                } else if check.holds {
                    let _ = writeln!(text, "\tor.pred {any}, {any}, {};", check.predicate);
                } else {
                    let _ = writeln!(
                        text,
                        "\tnot.pred %gr_fails_{number}, {};\n\tor.pred {any}, {any}, %gr_fails_{number};",
                        check.predicate
                    );
                }
            }
            let _ = writeln!(text, "\t@{any} bra $gr_which_{number};");
            let _ = writeln!(behind, "$gr_which_{number}:");
            for check in &chain[..chain.len() - 1] {
                let not = if check.holds { "" } else { "!" };
                let _ = writeln!(behind, "\t@{not}{} bra {};", check.predicate, check.panic);
            }
            let _ = writeln!(behind, "\tbra.uni {};", last.panic);
            *number += 1;
            at = last.next;
        }
        text.push_str(&behind);
    }

    /// The checks from a line on that may be asked at the place of the last.
    fn chain(&self, at: usize) -> Vec<Check<'a>> {
        let Some(first) = self.check(at) else { return Vec::new() };
        // What a panic reads, or is asked, has to be what it was.
        let mut kept: HashSet<&str> = self.read_by(&first);
        let mut chain = vec![first];
        loop {
            let start = chain.last().map_or(at, |check| check.next);
            let mut end = start;
            let mut is_kept = true;
            while let Some(line) = self.lines.get(end).filter(|line| is_pure(line)) {
                is_kept &= written(line).all(|register| !kept.contains(register));
                end += 1;
            }
            let Some(check) = self.check(end).filter(|_| is_kept) else { return chain };
            kept.extend(self.read_by(&check));
            chain.push(check);
        }
    }

    /// The check whose branch is at a line.
    fn check(&self, at: usize) -> Option<Check<'a>> {
        let (Some(condition), to) = branch(self.lines.get(at)?)? else { return None };
        let (holds, predicate) = match condition.strip_prefix('!') {
            Some(predicate) => (false, predicate),
            None => (true, condition),
        };
        if self.is_panic(to) {
            return Some(Check { predicate, holds, panic: to, lines: at..at + 1, next: at + 1 });
        }
        // The other way round: on to the next line but one, else to the panic.
        let (None, panic) = branch(self.lines.get(at + 1)?)? else { return None };
        let goes_on = label(self.lines.get(at + 2)?) == Some(to) && self.branches.get(to) == Some(&1);
        (goes_on && self.is_panic(panic)).then_some(Check {
            predicate,
            holds: !holds,
            panic,
            lines: at..at + 2,
            next: at + 3,
        })
    }

    /// Whether nothing but one branch leads to a label, behind which a thread notes a panic and ends.
    fn is_panic(&self, to: &str) -> bool {
        let Some(start) = self.labels.get(to).filter(|_| self.branches.get(to) == Some(&1)) else {
            return false;
        };
        // Nothing falls into it either.
        let mut before = self.lines[..*start].iter().filter(|line| !is_remark(line)).map(|line| line.trim());
        // For some architectures LLVM writes nothing behind a call that does not return.
        let last = before.next_back().filter(|line| !line.starts_with("} // callseq")).or(before.next_back());
        let is_alone =
            last.is_some_and(|line| line.starts_with("bra.uni") || line.starts_with("ret") || ends(line));
        let mut notes = false;
        for line in &self.lines[start + 1..] {
            let line = line.trim();
            notes |= is_note(line);
            if ends(line) {
                return notes && is_alone;
            }
            if label(line).is_some() || branch(line).is_some() {
                return false;
            }
        }
        false
    }

    /// The registers that a check and its panic read.
    fn read_by(&self, check: &Check<'a>) -> HashSet<&'a str> {
        let start = self.labels.get(check.panic).copied().unwrap_or_default();
        let panic = self.lines[start..].iter().take_while(|line| !ends(line.trim()));
        panic.flat_map(|line| registers(line)).chain([check.predicate]).collect()
    }
}

/// Whether a line is the call by which a thread notes a panic.
fn is_note(line: &str) -> bool {
    line.starts_with("call") && (line.contains("__gr_bounds") || line.contains("__gr_panic"))
}

/// Whether a thread goes no further.
fn ends(line: &str) -> bool {
    line.ends_with("exit;") || line.starts_with("trap") || is_note(line)
}

fn is_remark(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with("//") || line.starts_with(".loc")
}

/// Whether a line changes a register and nothing else, whatever its operands are.
fn is_pure(line: &str) -> bool {
    const PURE: [&str; 17] = [
        "mov", "add", "sub", "mul", "mad", "fma", "shl", "shr", "and", "or", "xor", "not", "neg", "cvt",
        "cvta", "setp", "selp",
    ];
    let line = line.trim_start();
    let operation = line.split(['.', ' ', '\t']).next().unwrap_or_default();
    is_remark(line) || PURE.contains(&operation) || line.starts_with("ld.param")
}

/// The registers that a line changes which is pure: before its first comma that is within no braces.
fn written(line: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let end = line.find(|c| {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        c == ',' && depth == 0
    });
    registers(&line[..end.unwrap_or(0)])
}

fn registers(line: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "%_$.".contains(c);
    line.split(move |c| !is_word(c)).filter(|word| word.starts_with('%'))
}

/// The label that a line is.
pub(super) fn label(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once(':')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_$".contains(c);
    (!name.is_empty() && name.chars().all(is_name) && !rest.starts_with(':')).then_some(name)
}

/// The condition of a branch and where it leads.
pub(super) fn branch(line: &str) -> Option<(Option<&str>, &str)> {
    let line = line.trim();
    let (condition, rest) = match line.strip_prefix('@') {
        Some(rest) => {
            rest.split_once(char::is_whitespace).map(|(condition, rest)| (Some(condition), rest))?
        }
        None => (None, line),
    };
    let mut words = rest.split_whitespace();
    matches!(words.next()?, "bra" | "bra.uni").then_some(())?;
    Some((condition, words.next()?.strip_suffix(';')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PANICS: &str = "$P1:\n\t{ // callseq 0, 0\n\t.param .b64 param0;\n\tst.param.b64 \t[param0], %rd6;\n\tcall.uni __gr_bounds, (param0);\n\t} // callseq 0\n\texit;\n\ttrap; exit;\n\
        $P2:\n\tst.param.b64 \t[param0], %rd7;\n\tcall.uni __gr_panic, (param0);\n\texit;\n\ttrap; exit;\n";

    fn kernel(body: &str) -> String {
        format!(".version 7.8\n.visible .entry k()\n{{\n\t.reg .pred \t%p<4>;\n{body}\tret;\n{PANICS}}}\n")
    }

    #[test]
    fn two_checks_are_one_branch_and_are_asked_in_order_where_one_fails() {
        let text = kernel(
            "\tsetp.ge.u64 \t%p1, %rd6, %rd2;\n\t@%p1 bra \t$P1;\n\tadd.s64 \t%rd7, %rd6, 1;\n\tsetp.lt.u64 \t%p2, %rd7, %rd2;\n\t@%p2 bra \t$OK;\n\tbra.uni \t$P2;\n$OK:\n\tst.global.b32 \t[%rd1], %r1;\n",
        );
        let wanted = kernel(
            "\tsetp.ge.u64 \t%p1, %rd6, %rd2;\n\tadd.s64 \t%rd7, %rd6, 1;\n\tsetp.lt.u64 \t%p2, %rd7, %rd2;\n\
             \t.reg .pred %gr_any_0, %gr_fails_0;\n\tmov.pred %gr_any_0, %p1;\n\tnot.pred %gr_fails_0, %p2;\n\tor.pred %gr_any_0, %gr_any_0, %gr_fails_0;\n\
             \t@%gr_any_0 bra $gr_which_0;\n\tst.global.b32 \t[%rd1], %r1;\n",
        );
        let wanted = wanted.replace("exit;\n}", "exit;\n$gr_which_0:\n\t@%p1 bra $P1;\n\tbra.uni $P2;\n}");
        assert_eq!(joined(&text), wanted);
    }

    /// For sm_100 and newer.
    #[test]
    fn a_panic_that_ends_with_its_call_is_one() {
        let text = |tail: &str| {
            kernel("\t@%p1 bra \t$P1;\n\t@%p2 bra \t$P2;\n\tst.global.b32 \t[%rd1], %r1;\n")
                .replace("} // callseq 0\n\texit;\n\ttrap; exit;\n", &format!("}} // callseq 0\n{tail}"))
        };
        assert!(joined(&text("")).contains("$gr_which_0"));
        // One that something falls into is not.
        let falls = "$Q:\n\t{ // callseq 1, 0\n\tcall.uni f, ();\n\t} // callseq 1\n";
        assert!(!joined(&text(falls)).contains("$gr_which_0"));
    }

    #[test]
    fn what_must_not_run_before_a_check_keeps_it_where_it_is() {
        for between in [
            // It has an effect, or may fault.
            "st.global.b32 \t[%rd1], %r1;",
            "ld.global.b32 \t%r1, [%rd1];",
            "bar.sync \t0;",
            "call.uni f, ();",
            // The first panic tells this register; the branch asks this one.
            "add.s64 \t%rd6, %rd6, 1;",
            "setp.eq.b64 \t%p1, %rd1, 0;",
            // Something else leads here.
            "$L:",
        ] {
            let text = kernel(
                &format!("\tbra.uni \t$L;\n\t@%p1 bra \t$P1;\n\t{between}\n\t@!%p2 bra \t$P2;\n")
                    .replace("\t$L:", "$L:"),
            );
            assert_eq!(joined(&text), text, "{between}");
        }
    }

    #[test]
    fn a_place_that_others_reach_is_no_panic() {
        let text = kernel("\t@%p1 bra \t$P1;\n\t@%p2 bra \t$P2;\n\t@%p3 bra \t$P1;\n");
        assert_eq!(joined(&text), text);
    }
}

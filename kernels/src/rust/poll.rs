//! Kernels for GPUs that look whether they are to stop: PTX with a poll before each jump back.
//!
//! Whatever goes round in a program jumps to an earlier place of its text at least once, so that
//! no loop goes on without a poll. Only each 1024th of a thread's polls looks at memory.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::joined::{branch, label};

/// What a kernel needs that polls: it is part of its crate.
pub const POLLED: &str = include_str!("library/polled_gpu.rs");

/// The function of [`POLLED`] that a thread calls before it ends.
const STOPPED: &str = "__gr_stopped";

/// What notes a panic, by a part of its name: half a note would be none.
const NOTE: &str = "4half4note";

/// The compiler's PTX with polls.
pub fn polled(ptx: &str) -> String {
    let mut text = String::with_capacity(ptx.len() * 2);
    let mut lines = ptx.lines();
    let (mut number, mut is_note) = (0, false);
    while let Some(line) = lines.next() {
        if line.contains(".func") || line.contains(".entry") {
            is_note = line.contains(NOTE);
        }
        text.push_str(line);
        text.push('\n');
        if line.starts_with(".address_size") {
            text.push_str(&declaration(ptx));
        }
        // A function's own braces stand at the start of a line, those within it do not.
        if line == "{" && !is_note {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
            function(&body, &mut text, &mut number);
            text.push_str("}\n");
        }
    }
    text
}

/// The head of [`STOPPED`], which may stand behind what calls it.
fn declaration(ptx: &str) -> String {
    let is_head = |line: &&str| line.contains(".func") && line.contains(STOPPED);
    let mut head = String::new();
    for line in ptx.lines().skip_while(|line| !is_head(line)).take_while(|line| *line != "{" && *line != ";")
    {
        let _ = writeln!(head, "{line}");
    }
    if head.is_empty() { head } else { head + ";\n" }
}

fn function(body: &[&str], text: &mut String, number: &mut usize) {
    let mut above = HashSet::new();
    let (mut polls, mut has_poll) = (Vec::with_capacity(body.len()), false);
    for line in body {
        above.extend(label(line));
        let goes_back = jump(line).is_some_and(|to| to.is_none_or(|to| above.contains(to)));
        has_poll |= goes_back;
        polls.push(goes_back);
    }
    let is_head = |line: &str| {
        let line = line.trim_start();
        line.is_empty() || line.starts_with("//") || line.starts_with('.')
    };
    let first = body.iter().position(|line| !is_head(line)).unwrap_or(body.len());
    for (k, (line, poll)) in body.iter().zip(polls).enumerate() {
        if has_poll && k == first {
            text.push_str(
                "\t.reg .pred %gr_poll;\n\t.reg .b32 %gr_polls, %gr_stop;\n\t.reg .b64 %gr_place;\n\tmov.b32 %gr_polls, 0;\n",
            );
        }
        if poll {
            *number += 1;
            let _ = write!(
                text,
                "\tadd.u32 %gr_polls, %gr_polls, 1;\n\tand.b32 %gr_stop, %gr_polls, 1023;\n\
                 \tsetp.ne.u32 %gr_poll, %gr_stop, 0;\n\t@%gr_poll bra $gr_polled_{number};\n\
                 \tld.global.b64 %gr_place, [__gr_stop];\n\tsetp.eq.u64 %gr_poll, %gr_place, 0;\n\
                 \t@%gr_poll bra $gr_polled_{number};\n\
                 \tld.volatile.global.b32 %gr_stop, [%gr_place];\n\tsetp.eq.u32 %gr_poll, %gr_stop, 0;\n\
                 \t@%gr_poll bra $gr_polled_{number};\n\
                 \tcall {STOPPED}, ();\n\texit;\n$gr_polled_{number}:\n"
            );
        }
        text.push_str(line);
        text.push('\n');
    }
}

/// Where a line jumps to, if it does: `None` within for a jump by a table.
fn jump(line: &str) -> Option<Option<&str>> {
    let is_by_table = || line.split_whitespace().any(|word| word.starts_with("brx.idx"));
    branch(line).map(|(_, to)| Some(to)).or_else(|| is_by_table().then_some(None))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOP: &str = "//\n.version 7.8\n.target sm_90\n.address_size 64\n\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n\t.reg .pred \t%p<2>;\n\n// %bb.0:\n\tmov.b32 %r1, 0;\n$L__BB0_1:                              // in a loop\n\tadd.s32 %r1, %r1, 1;\n\t{ // callseq 0, 0\n\t} // callseq 0\n\t@%p1 bra \t$L__BB0_1;\n\tbra.uni \t$L__BB0_2;\n$L__BB0_2:\n\tret;\n}\n.visible .func __gr_stopped()\n{\n\tret;\n}\n";

    #[test]
    fn a_jump_back_polls_and_a_jump_on_does_not() {
        let text = polled(LOOP);
        assert_eq!(text.matches("ld.volatile.global.b32").count(), 1, "{text}");
        let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
        assert!(place(".reg .pred \t%p<2>") < place("mov.b32 %gr_polls, 0"), "{text}");
        assert!(place("mov.b32 %gr_polls, 0") < place("mov.b32 %r1, 0"), "{text}");
        assert!(place("$gr_polled_1:\n\t@%p1 bra \t$L__BB0_1;") < place("bra.uni"), "{text}");
        // What is called is declared before.
        assert!(text.contains(".address_size 64\n.visible .func __gr_stopped()\n;\n"), "{text}");
        // All else is as it was.
        let mut kept = text.lines();
        assert!(LOOP.lines().all(|line| kept.any(|own| own == line)), "{text}");
    }

    #[test]
    fn a_function_without_a_loop_is_left_alone() {
        let straight = LOOP.replace("@%p1 bra \t$L__BB0_1", "@%p1 bra \t$L__BB0_2");
        assert!(!polled(&straight).contains("%gr_poll"));
        // Where a table leads is not looked up.
        let table = LOOP.replace("bra.uni \t$L__BB0_2", "brx.idx \t%r1, $L_brx_0");
        assert_eq!(polled(&table).matches("call __gr_stopped").count(), 2);
    }
}

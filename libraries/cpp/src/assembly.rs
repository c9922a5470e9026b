//! What a trampoline shares with its module, seen in the compiler's assembly.
//!
//! A trampoline is compiled with the whole text, since only the compiler finds what `sum(x, n)` calls. So it
//! has a copy of every function and variable of the text. The loader binds those that other files can see to
//! the module's (`linked.rs`), so that each variable is there once. Two things are left:
//!
//! - What initialises the copies would run on the module's variables once more. It is left out.
//! - A variable that is `static`, or in an unnamed namespace, belongs to one compilation. Code of the
//!   trampoline's own that reaches one, of a template as a rule, would see another variable than the module's
//!   functions. This is found here, and refused.

use std::collections::{HashMap, HashSet};

/// What a trampoline reaches that may not be the module's.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reached {
    /// Variables that belong to this compilation alone, by their names in C++.
    pub(crate) private: Vec<String>,
    /// Whether there are variables that the module lacks: static ones of templates that it does not use.
    pub(crate) has_own: bool,
    /// Whether kernels of this compilation are launched.
    pub(crate) launches_own: bool,
}

/// A label with what follows it.
#[derive(Default)]
struct Part<'a> {
    mentions: Vec<&'a str>,
    is_writable: bool,
    /// The label that follows within the same function.
    next: Option<&'a str>,
}

/// Assembly without what runs when it is loaded, and what that was. What registers kernels of CUDA stays.
pub(crate) fn without_initialisers(text: &str) -> (String, Vec<&str>) {
    let (mut kept, mut roots, mut is_left_out) = (String::with_capacity(text.len() + 64), Vec::new(), false);
    let lines: Vec<&str> = text.lines().collect();
    for (k, line) in lines.iter().enumerate() {
        let words = line.trim_start();
        if let Some((name, _)) = section_of(words) {
            let is_initialiser =
                [".init_array", ".ctors", ".preinit_array"].iter().any(|start| name.starts_with(start));
            let registers = |line: &&str| line.contains("__sti____cudaRegisterAll");
            is_left_out = is_initialiser && !lines[k + 1..].iter().take(2).any(registers);
            if is_left_out {
                // The linker drops what is marked so.
                kept.push_str("\t.section .gpurepl_left_out,\"e\"\n");
                continue;
            }
        } else if is_left_out {
            let (word, of) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
            // Addresses: clang on other CPUs than x86 writes `.xword`.
            if [".quad", ".xword", ".dword", ".8byte", ".long"].contains(&word) {
                roots.extend(symbols(of));
            }
        }
        kept.push_str(line);
        kept.push('\n');
    }
    (kept, roots)
}

/// What code reaches from `entry`. `is_modules` says which names the module has.
pub(crate) fn reached(
    text: &str,
    entry: &str,
    initialisers: &[&str],
    is_modules: &dyn Fn(&str) -> bool,
) -> Reached {
    let assembly = Assembly::read(text);
    let initialised = assembly.walk(initialisers.iter().copied(), &|_| false);
    let walked = assembly.walk([entry], is_modules);
    let mut reached = Reached::default();
    for name in walked {
        let Some(part) = assembly.parts.get(name) else { continue };
        reached.launches_own |= part.mentions.iter().any(|name| name.contains("cudaLaunchKernel"));
        if !part.is_writable || is_librarys(name) {
            continue;
        }
        if !assembly.visible.contains(name) || initialised.contains(name) {
            reached.private.push(plain_name(name));
        } else {
            reached.has_own = true;
        }
    }
    reached.private.sort();
    reached.private.dedup();
    reached
}

/// Variables of the standard library, of CUDA's and of the compiler, which may be there several times.
fn is_librarys(name: &str) -> bool {
    let starts = ["_ZStL", "_ZNSt", "_ZGVNSt", "_ZTI", "_ZTS", "_ZTV", "DW.ref."];
    starts.iter().any(|start| name.starts_with(start))
        || ["6thrust", "3cub", "4cuda"].iter().any(|namespace| name.contains(namespace))
        // Names that C++ leaves to its implementation.
        || plain_name(name).starts_with("__")
}

struct Assembly<'a> {
    parts: HashMap<&'a str, Part<'a>>,
    /// Names that other files can see.
    visible: HashSet<&'a str>,
}

impl<'a> Assembly<'a> {
    fn read(text: &'a str) -> Assembly<'a> {
        let mut assembly = Assembly { parts: HashMap::new(), visible: HashSet::new() };
        let mut hidden: HashSet<&str> = HashSet::new();
        let (mut current, mut is_writable): (Option<&str>, bool) = (None, false);
        for line in text.lines() {
            let line = line.trim();
            if let Some(label) = line.strip_suffix(':').filter(|label| is_symbol(label)) {
                if let Some(before) = current.filter(|_| label.starts_with(".L"))
                    && let Some(part) = assembly.parts.get_mut(before)
                {
                    part.next = Some(label);
                }
                assembly.parts.entry(label).or_default().is_writable = is_writable;
                current = Some(label);
                continue;
            }
            if let Some((_, writable)) = section_of(line) {
                is_writable = writable;
                continue;
            }
            let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let first = || rest.split(',').next().unwrap_or_default().trim();
            match word {
                ".globl" | ".global" | ".weak" => {
                    assembly.visible.insert(first());
                }
                ".hidden" | ".internal" => {
                    hidden.insert(first());
                }
                ".comm" | ".lcomm" => assembly.parts.entry(first()).or_default().is_writable = true,
                ".set" | ".equ" => {
                    let (name, of) = rest.split_once(',').unwrap_or((rest, ""));
                    assembly.parts.entry(name.trim()).or_default().mentions.extend(symbols(of));
                }
                ".local" | ".type" | ".size" | ".file" | ".loc" | ".ident" | ".align" | ".p2align" => {}
                _ if word.starts_with(".cfi") || word.starts_with('#') => {}
                _ => {
                    if let Some(part) = current.and_then(|label| assembly.parts.get_mut(label)) {
                        part.mentions.extend(symbols(rest));
                    }
                }
            }
        }
        assembly.visible.retain(|name| !hidden.contains(name));
        assembly
    }

    /// All labels that can be reached, without those of `is_modules`.
    fn walk(
        &self,
        from: impl IntoIterator<Item = &'a str>,
        is_modules: &dyn Fn(&str) -> bool,
    ) -> HashSet<&'a str> {
        let mut wanted: Vec<&str> = from.into_iter().collect();
        let mut seen = HashSet::new();
        while let Some(name) = wanted.pop() {
            let Some((name, part)) = self.parts.get_key_value(name) else { continue };
            if !seen.insert(*name) {
                continue;
            }
            let others = part.mentions.iter().copied().chain(part.next);
            wanted.extend(others.filter(|name| !(self.visible.contains(name) && is_modules(name))));
        }
        seen
    }
}

/// The section that a directive begins, and whether programs write to it.
fn section_of(line: &str) -> Option<(&str, bool)> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word {
        ".text" => Some((".text", false)),
        ".data" => Some((".data", true)),
        ".bss" => Some((".bss", true)),
        ".section" | ".pushsection" => {
            let mut parts = rest.splitn(3, ',').map(|part| part.trim().trim_matches('"'));
            let name = parts.next().unwrap_or_default();
            let flags = parts.next().unwrap_or_default();
            // What the loader alone writes.
            let is_constant = name.starts_with(".data.rel.ro") || name.starts_with(".init_array");
            Some((name, flags.contains('w') && !is_constant))
        }
        _ => None,
    }
}

/// The names in the operands of an instruction, or of data.
fn symbols(text: &str) -> impl Iterator<Item = &str> {
    // Before `@` stands the name, behind it how it is reached.
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '@')));
    words.map(|word| word.split('@').next().unwrap_or_default()).filter(|word| is_symbol(word))
}

fn is_symbol(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'))
}

/// The last name within a mangled one: `counter` of `_ZL7counter` and of `_ZZ4nextvE7counter`.
fn plain_name(mangled: &str) -> String {
    let mut last = mangled;
    let bytes = mangled.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let length: usize = mangled[at..at + digits].parse().unwrap_or(0);
        let start = at + digits;
        match mangled.get(start..start.saturating_add(length)).filter(|name| !name.is_empty()) {
            Some(name) => {
                last = name;
                at = start + length;
            }
            None => at = start,
        }
    }
    last.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
\t.text
\t.globl\tgpurepl_call
\t.type\tgpurepl_call, @function
gpurepl_call:
.LFB1:
\tcall\t_Z4nextv@PLT
\tjmp\t.L3
.L3:
\tcall\t_Z3badIiET_S0_
\tret
\t.globl\t_Z4nextv
_Z4nextv:
\tmovl\t_ZL6hidden(%rip), %eax
\tret
\t.weak\t_Z3badIiET_S0_
_Z3badIiET_S0_:
\taddl\t$1, _ZL7counter(%rip)
\tmovq\tglobal@GOTPCREL(%rip), %rax
\tmovq\t_ZN1SIiE1xE@GOTPCREL(%rip), %rax
\tret
_GLOBAL__sub_I_x:
\tmovq\ttable@GOTPCREL(%rip), %rax
\t.section\t.init_array,\"aw\"
\t.align 8
\t.quad\t_GLOBAL__sub_I_x
\t.local\t_ZL7counter
\t.comm\t_ZL7counter,4,4
\t.local\t_ZL6hidden
\t.comm\t_ZL6hidden,4,4
\t.globl\tglobal
\t.bss
global:
\t.zero\t4
\t.weak\t_ZN1SIiE1xE
\t.section\t.bss._ZN1SIiE1xE,\"awG\",@nobits,_ZN1SIiE1xE,comdat
_ZN1SIiE1xE:
\t.zero\t4
";

    #[test]
    fn a_private_variable_is_found_where_code_reaches_it() {
        let (text, roots) = without_initialisers(TEXT);
        assert!(!text.contains(".init_array") && text.contains("_GLOBAL__sub_I_x"), "{text}");
        assert_eq!(roots, ["_GLOBAL__sub_I_x"]);
        let is_modules = |name: &str| matches!(name, "_Z4nextv" | "global" | "table");
        let found = reached(&text, "gpurepl_call", &roots, &is_modules);
        // `hidden` is reached by the module's function alone.
        assert_eq!(
            found,
            Reached { private: vec!["counter".to_owned()], has_own: true, launches_own: false }
        );
        let of_next = reached(&text, "_Z4nextv", &roots, &is_modules);
        assert_eq!(of_next.private, ["hidden"]);
    }

    #[test]
    fn names_are_read_from_mangled_ones() {
        assert_eq!(plain_name("_ZL7counter"), "counter");
        assert_eq!(plain_name("_ZZ4nextvE5state"), "state");
        assert_eq!(plain_name("_ZN12_GLOBAL__N_15tableE"), "table");
        assert_eq!(plain_name("table"), "table");
    }
}

//! What instructions of PTX are in C++.

use std::fmt::Write as _;

use super::registers::{Registers, Type, U32};
use super::statement::Statement;
use super::{comparison, memory, threads};
use crate::ptx::{Token, tokens};

/// An instruction: its name's words, and what stands between its commas.
pub(super) struct Instruction<'t, 'a> {
    pub(super) name: &'a str,
    pub(super) words: Vec<&'a str>,
    pub(super) operands: Vec<&'t [Token<'a>]>,
}

impl<'t, 'a> Instruction<'t, 'a> {
    /// Whether a word qualifies its name: `shared` in `ld.shared::cta.u32` too.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words[1..].iter().any(|other| *other == word || other.split("::").next() == Some(word))
    }

    /// Its last type.
    pub(super) fn class(&self) -> Result<Type, String> {
        self.words.last().and_then(|word| Type::named(word)).ok_or_else(|| self.unknown())
    }

    pub(super) fn operand(&self, k: usize) -> Result<&'t [Token<'a>], String> {
        let operand = self.operands.get(k).copied();
        operand.ok_or_else(|| format!("`{}` of inline PTX has too few operands", self.name))
    }

    pub(super) fn unknown(&self) -> String {
        format!("the host device does not run `{}`", self.name)
    }

    /// Whether its words after the first are all of these, or types.
    pub(super) fn knows(&self, words: &[&str]) -> bool {
        self.words[1..].iter().all(|word| words.contains(word) || Type::named(word).is_some())
    }
}

/// A statement as C++.
pub(super) fn translated(statement: &Statement<'_>) -> Result<String, String> {
    let all = tokens(&statement.template);
    let mut registers = Registers::of(statement)?;
    let lines: Vec<&[Token<'_>]> =
        all.split_inclusive(|token| matches!(token.text, ";" | "{" | "}" | ":")).collect();
    // A brace within an instruction is a list of registers, not a block.
    let mut pieces: Vec<Vec<Token<'_>>> = Vec::new();
    let mut open: Vec<Token<'_>> = Vec::new();
    for line in lines {
        open.extend(line);
        let ends = match line.last().map(|token| token.text) {
            Some(";") => true,
            Some("{") => open.len() == 1,
            Some("}") => open.len() == 1,
            Some(":") => open.len() == 2,
            _ => false,
        };
        if ends {
            pieces.push(std::mem::take(&mut open));
        }
    }
    if !open.is_empty() {
        pieces.push(open);
    }
    for piece in &pieces {
        if let [name, colon] = piece.as_slice()
            && colon.text == ":"
            && !registers.labels.insert(name.text.to_owned())
        {
            return Err(format!("inline PTX has two labels `{}`", name.text));
        }
    }
    let mut body = String::new();
    for piece in &pieces {
        let end = piece.len() - usize::from(piece.last().is_some_and(|token| token.text == ";"));
        match &piece[..end] {
            [] => {}
            [brace] if brace.text == "{" => registers.open(),
            [brace] if brace.text == "}" => registers.close(),
            [name, colon] if colon.text == ":" => {
                let _ = write!(body, "{}: ; ", label(name.text));
            }
            [first, rest @ ..] if first.text == ".reg" => registers.declare(rest)?,
            // `.reg.pred p`, without a space.
            [first, rest @ ..] if first.text.starts_with(".reg.") => {
                let class = Token { text: &first.text[4..], line: first.line };
                registers.declare(&[&[class], rest].concat())?;
            }
            [first, ..] if first.text == ".pragma" => {}
            words => body.push_str(&instruction(words, &mut registers)?),
        }
    }
    let mut text = "do { ".to_owned();
    if !registers.labels.is_empty() {
        let mut labels: Vec<String> = registers.labels.iter().map(|name| label(name)).collect();
        labels.sort();
        let _ = write!(text, "__label__ {}; ", labels.join(", "));
    }
    text.push_str(&registers.definitions);
    let fence = if statement.touches_memory { "__asm__ volatile(\"\" ::: \"memory\"); " } else { "" };
    text.push_str(fence);
    let carry = registers.carry;
    if carry.comes || body.contains("gpurepl_cf") {
        let from = if carry.comes { "gpurepl_ptx::carry" } else { "0" };
        let _ = write!(text, "unsigned int gpurepl_cf = {from}; ");
    }
    text.push_str(&body);
    if carry.goes {
        text.push_str("gpurepl_ptx::carry = gpurepl_cf; ");
    }
    text.push_str(fence);
    text.push_str(&registers.results);
    text.push_str("} while (0)");
    Ok(text)
}

fn label(name: &str) -> String {
    format!("gpurepl_to_{}", name.replace(['$', '%', '.'], "_"))
}

fn instruction(words: &[Token<'_>], registers: &mut Registers) -> Result<String, String> {
    let Some(read) = crate::ptx::Instruction::read(words) else {
        let text = words.first().map_or("", |token| token.text);
        return Err(format!("inline PTX has an instruction that cannot be read: `{text}`"));
    };
    let guard = match read.guard {
        Some((predicate, holds)) => {
            let value = registers.value(&[predicate], Type::Predicate)?;
            format!("if ({}{value}) ", if holds { "" } else { "!" })
        }
        None => String::new(),
    };
    let instruction =
        Instruction { name: read.name, words: read.name.split('.').collect(), operands: read.operands };
    Ok(format!("{guard}{{ {} }} ", translate(&instruction, registers)?))
}

fn translate(of: &Instruction<'_, '_>, registers: &mut Registers) -> Result<String, String> {
    if let Some(text) = memory::translate(of, registers)? {
        return Ok(text);
    }
    if let Some(text) = comparison::translate(of, registers)? {
        return Ok(text);
    }
    if let Some(text) = threads::meeting(of, registers)? {
        return Ok(text);
    }
    match of.words[0] {
        "mov" => return moved(of, registers),
        "cvt" => return converted(of, registers),
        "bra" => {
            let target = of.operand(0)?;
            let name = target.first().map_or("", |token| token.text);
            return match registers.labels.contains(name) {
                true => Ok(format!("goto {};", label(name))),
                false => Err(format!("inline PTX has no label `{name}`")),
            };
        }
        "trap" | "brkpt" => return Ok("__trap();".to_owned()),
        "nanosleep" => return Ok(format!("__nanosleep({});", registers.value(of.operand(0)?, U32)?)),
        // Hints, and orders between launches that run one after the other.
        "prefetch" | "prefetchu" | "discard" | "applypriority" | "griddepcontrol" | "pmevent"
        | "setmaxnreg" => {
            return Ok(";".to_owned());
        }
        "shfl" | "vote" | "match" | "redux" | "activemask" => return threads::warp(of, registers),
        _ => {}
    }
    if of.has("cc") || matches!(of.words[0], "addc" | "subc" | "madc") {
        return carried(of, registers);
    }
    let value = computed(of, registers)?;
    let place = registers.place(of.operand(0)?)?;
    Ok(format!("gpurepl_ptx::put({place}, {value});"))
}

/// An instruction that computes a value of others.
fn computed(of: &Instruction<'_, '_>, registers: &Registers) -> Result<String, String> {
    let lanes = of.words[0].strip_prefix('v').is_some() && of.words[0].ends_with(['2', '4']);
    if lanes {
        return simd(of, registers);
    }
    if matches!(of.words[0], "dp4a" | "dp2a") {
        let [a, b] = [1, 2].map(|k| {
            (of.words.len() + k)
                .checked_sub(3)
                .and_then(|k| of.words.get(k))
                .and_then(|word| Type::named(word))
        });
        let (Some(a), Some(b)) = (a, b) else { return Err(of.unknown()) };
        let sum = if a == U32 && b == U32 { U32 } else { Type::Signed(32) };
        let function = match (of.words[0], of.has("hi")) {
            ("dp4a", _) => "dp4a",
            (_, true) => "dp2a_hi",
            _ => "dp2a_lo",
        };
        return Ok(format!(
            "gpurepl_ptx::{function}({}, {}, {})",
            registers.value(of.operand(1)?, a)?,
            registers.value(of.operand(2)?, b)?,
            registers.value(of.operand(3)?, sum)?
        ));
    }
    let class = of.class()?;
    let known: &[&str] = match class.is_float() {
        true => &["rn", "rz", "rm", "rp", "ftz", "sat", "approx", "full", "NaN"],
        false => &["lo", "hi", "wide", "wrap", "clamp", "l", "r", "shiftamt", "sat"],
    };
    if !of.knows(known) {
        return Err(of.unknown());
    }
    let value = |k: usize, class: Type| registers.value(of.operand(k)?, class);
    let call = |name: &str, classes: &[Type]| -> Result<String, String> {
        let values: Vec<String> =
            classes.iter().enumerate().map(|(k, class)| value(k + 1, *class)).collect::<Result<_, _>>()?;
        // In parentheses, so that a macro of this name is not meant.
        Ok(format!("(gpurepl_ptx::{name})({})", values.join(", ")))
    };
    let text = if class.is_float() {
        float(of, class, &call)?
    } else {
        match of.words[0] {
            "add" | "sub" if of.has("sat") => call(&format!("{}_sat", of.words[0]), &[Type::Signed(32); 2])?,
            "add" | "sub" | "div" | "rem" | "min" | "max" | "and" | "or" | "xor" => {
                call(c_safe(of.words[0]), &[class; 2])?
            }
            "abs" | "neg" | "not" | "cnot" | "popc" | "clz" | "brev" | "bfind" if of.has("shiftamt") => {
                call("bfind_shift", &[class])?
            }
            "abs" | "neg" | "not" | "cnot" | "popc" | "clz" | "brev" | "bfind" => {
                call(c_safe(of.words[0]), &[class])?
            }
            "shl" | "shr" => call(of.words[0], &[class, U32])?,
            "mul" if of.has("wide") => call("mul_wide", &[class; 2])?,
            "mul" if of.has("hi") => call("mul_hi", &[class; 2])?,
            "mul" => call("mul_lo", &[class; 2])?,
            "mul24" if of.has("lo") => call("mul24_lo", &[class; 2])?,
            "mad24" if of.has("lo") => call("mad24_lo", &[class; 3])?,
            "mad" if of.has("wide") => call("mad_wide", &[class, class, wide(class)])?,
            "mad" if of.has("hi") && of.has("sat") => return Err(of.unknown()),
            "mad" if of.has("hi") => call("mad_hi", &[class; 3])?,
            "mad" => call("mad_lo", &[class; 3])?,
            "sad" => call("sad", &[class; 3])?,
            "bfe" => call("bfe", &[class, U32, U32])?,
            "bfi" => call("bfi", &[class, class, U32, U32])?,
            "lop3" => call("lop3", &[U32; 4])?,
            "prmt" if of.words.len() == 2 => call("prmt", &[U32; 3])?,
            "shf" => {
                let name = format!(
                    "shf_{}_{}",
                    if of.has("l") { "l" } else { "r" },
                    if of.has("clamp") { "clamp" } else { "wrap" }
                );
                call(&name, &[U32; 3])?
            }
            "fns" => call("fns", &[U32, U32, Type::Signed(32)])?,
            _ => return Err(of.unknown()),
        }
    };
    Ok(text)
}

/// Names that C++ has for something else.
fn c_safe(name: &str) -> &str {
    match name {
        "and" => "and_",
        "or" => "or_",
        "xor" => "xor_",
        "not" => "not_",
        other => other,
    }
}

fn wide(class: Type) -> Type {
    match class {
        Type::Signed(bits) => Type::Signed(2 * bits),
        other => Type::Unsigned(2 * other.bits()),
    }
}

/// What makes a call of a function, with operands as these types.
type Call<'c> = &'c dyn Fn(&str, &[Type]) -> Result<String, String>;

fn float(of: &Instruction<'_, '_>, class: Type, call: Call<'_>) -> Result<String, String> {
    let name = of.words[0];
    // CUDA's function for a rounding: `__fadd_rz`, `__dmul_ru`.
    let direction = match () {
        () if of.has("rz") => "rz",
        () if of.has("rm") => "rd",
        () if of.has("rp") => "ru",
        () => "rn",
    };
    let letter = if class == Type::Float(32) { 'f' } else { 'd' };
    let intrinsic = |name: &str| format!("__{letter}{name}_{direction}");
    let call_plain = |function: &str, count: usize| -> Result<String, String> {
        Ok(call(function, &[class; 3][..count])?.replacen("gpurepl_ptx::", "", 1))
    };
    let is_exact = ["rn", "rz", "rm", "rp"].iter().any(|word| of.has(word));
    let text = match name {
        "add" | "sub" | "mul" if is_exact => call_plain(&intrinsic(name), 2)?,
        "add" | "sub" | "mul" => call(&format!("{name}_float"), &[class; 2])?,
        "div" if is_exact => call_plain(&intrinsic("div"), 2)?,
        "div" => call("div_float", &[class; 2])?,
        "fma" | "mad" => {
            let function =
                if letter == 'f' { format!("__fmaf_{direction}") } else { format!("__fma_{direction}") };
            call_plain(&function, 3)?
        }
        "sqrt" if is_exact => call_plain(&intrinsic("sqrt"), 1)?,
        "rcp" if is_exact => call_plain(&intrinsic("rcp"), 1)?,
        "min" | "max" if of.has("NaN") => call(&format!("{name}_nan"), &[class; 2])?,
        "min" | "max" | "copysign" => call(&format!("{name}_float"), &[class; 2])?,
        "abs" | "neg" => call(&format!("{name}_float"), &[class])?,
        "sqrt" | "rsqrt" | "rcp" | "sin" | "cos" | "ex2" | "lg2" | "tanh" if of.has("approx") => {
            call(&format!("{name}_approx"), &[class])?
        }
        _ => return Err(of.unknown()),
    };
    Ok(if of.has("sat") { format!("gpurepl_ptx::saturated({text})") } else { text })
}

/// `mov`, also from and to a register's parts.
fn moved(of: &Instruction<'_, '_>, registers: &mut Registers) -> Result<String, String> {
    let class = of.class()?;
    let (to, from) = (of.operand(0)?, of.operand(1)?);
    let list = |tokens: &[Token<'_>]| tokens.first().is_some_and(|token| token.text == "{");
    let parts = |registers: usize| Type::Unsigned(class.bits() / registers.max(1) as u32);
    match (list(to), list(from)) {
        (false, false) => {
            let place = registers.place(to)?;
            Ok(format!("gpurepl_ptx::put({place}, {});", registers.value(from, class)?))
        }
        (true, false) => {
            let value = registers.value(from, class.unsigned())?;
            let names = memory::list(to);
            let part = parts(names.len());
            let mut text = format!("const {} gpurepl_all = {value}; ", class.unsigned().c_name());
            for (k, name) in names.into_iter().enumerate() {
                let place = registers.place(name)?;
                let _ = write!(
                    text,
                    "gpurepl_ptx::put({place}, gpurepl_ptx::part<{}>(gpurepl_all, {k})); ",
                    part.c_name()
                );
            }
            Ok(text)
        }
        (false, true) => {
            let place = registers.place(to)?;
            let names = memory::list(from);
            let part = parts(names.len());
            let values: Vec<String> =
                names.into_iter().map(|name| registers.value(name, part)).collect::<Result<_, _>>()?;
            let whole = class.unsigned().c_name();
            let joined = values
                .iter()
                .enumerate()
                .map(|(k, value)| format!("gpurepl_ptx::placed<{whole}>({value}, {k})"));
            Ok(format!("gpurepl_ptx::put({place}, ({whole})({}));", joined.collect::<Vec<_>>().join(" | ")))
        }
        (true, true) => Err(of.unknown()),
    }
}

fn converted(of: &Instruction<'_, '_>, registers: &mut Registers) -> Result<String, String> {
    let modes = ["rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "ftz", "sat"];
    let [.., to, from] = of.words.as_slice() else { return Err(of.unknown()) };
    let (Some(to), Some(from)) = (Type::named(to), Type::named(from)) else { return Err(of.unknown()) };
    if !of.knows(&modes) {
        return Err(of.unknown());
    }
    let value = registers.value(of.operand(1)?, from)?;
    let to_whole = ["rni", "rzi", "rmi", "rpi"].into_iter().find(|mode| of.has(mode));
    let name = to.c_name();
    let text = match (from, to) {
        (Type::Float(_), Type::Float(_)) => {
            let value = match to_whole {
                Some(mode) => format!("gpurepl_ptx::{mode}({value})"),
                None => value,
            };
            let directed =
                [("rz", "rz"), ("rm", "rd"), ("rp", "ru")].into_iter().find(|(word, _)| of.has(word));
            let value = match directed {
                Some((_, direction)) if to.bits() < from.bits() => {
                    format!("__double2float_{direction}({value})")
                }
                _ => format!("({name})({value})"),
            };
            if of.has("sat") { format!("gpurepl_ptx::saturated({value})") } else { value }
        }
        (Type::Float(_), _) => {
            let mode = to_whole.ok_or_else(|| of.unknown())?;
            format!("gpurepl_ptx::whole<{name}>(gpurepl_ptx::{mode}({value}))")
        }
        (_, Type::Float(_)) if ["rz", "rm", "rp"].iter().any(|word| of.has(word)) => return Err(of.unknown()),
        (_, Type::Float(_)) if of.has("sat") => format!("gpurepl_ptx::saturated(({name})({value}))"),
        (_, Type::Float(_)) => format!("({name})({value})"),
        _ if of.has("sat") => format!("gpurepl_ptx::clamped<{name}>({value})"),
        _ => format!("({name})({value})"),
    };
    let place = registers.place(of.operand(0)?)?;
    Ok(format!("gpurepl_ptx::put({place}, {text});"))
}

/// Sums and products of numbers of several words.
fn carried(of: &Instruction<'_, '_>, registers: &mut Registers) -> Result<String, String> {
    let class = of.class()?.unsigned();
    let signed = of.class()?;
    if !of.knows(&["cc", "lo", "hi"]) || class.bits() < 32 {
        return Err(of.unknown());
    }
    let takes = of.words[0].ends_with('c');
    // Who takes a flag that nothing here has set takes an earlier statement's.
    if takes && !registers.carry.is_set {
        registers.carry.comes = true;
    }
    registers.carry.goes = of.has("cc");
    registers.carry.is_set |= of.has("cc");
    // The flag is a carry, and of a difference that there is no borrow, as in the machine.
    let flag = match (takes, of.words[0].starts_with("sub")) {
        (true, _) => "gpurepl_cf",
        (false, true) => "1u",
        (false, false) => "0u",
    };
    let (first, second) = match of.words[0].trim_end_matches('c') {
        "mad" => {
            let half = if of.has("hi") { "mul_hi" } else { "mul_lo" };
            let [a, b] = [registers.value(of.operand(1)?, signed)?, registers.value(of.operand(2)?, signed)?];
            (
                format!("({})gpurepl_ptx::{half}({a}, {b})", class.c_name()),
                registers.value(of.operand(3)?, class)?,
            )
        }
        _ => (registers.value(of.operand(1)?, class)?, registers.value(of.operand(2)?, class)?),
    };
    let function = if of.words[0].starts_with("sub") { "sub_with" } else { "add_with" };
    let place = registers.place(of.operand(0)?)?;
    let out = if of.has("cc") { "gpurepl_cf" } else { "gpurepl_lost" };
    let lost = if of.has("cc") { "" } else { "unsigned int gpurepl_lost; (void)gpurepl_cf; " };
    Ok(format!("{lost}gpurepl_ptx::put({place}, gpurepl_ptx::{function}({first}, {second}, {flag}, {out}));"))
}

/// Several small numbers in a register.
fn simd(of: &Instruction<'_, '_>, registers: &Registers) -> Result<String, String> {
    let lanes = &of.words[0][of.words[0].len() - 1..];
    let name = &of.words[0][1..of.words[0].len() - 1];
    let (Some(first), Some(_)) = (of.words.get(1).and_then(|word| Type::named(word)), of.words.get(2)) else {
        return Err(of.unknown());
    };
    let is_signed = of.words[2..].iter().take(2).any(|word| word.starts_with('s'));
    let sign = if is_signed { 's' } else { 'u' };
    let function = match (name, of.has("sat")) {
        ("add" | "sub", true) => format!("__v{name}{sign}s{lanes}"),
        ("add" | "sub", false) => format!("__v{name}{lanes}"),
        ("min" | "max", _) => format!("__v{name}{sign}{lanes}"),
        ("absdiff", _) if of.has("add") => format!("__vsad{sign}{lanes}"),
        ("absdiff", _) => format!("__vabsdiff{sign}{lanes}"),
        ("avrg", _) if !is_signed => format!("__vavgu{lanes}"),
        _ => return Err(of.unknown()),
    };
    let types: Vec<&&str> = of.words[1..].iter().filter(|word| Type::named(word).is_some()).collect();
    let is_mixed = types.len() != 3 || types.iter().any(|word| *word != types[0]);
    let is_held = of.has("sat") && !matches!(name, "add" | "sub");
    if is_mixed
        || is_held
        || of.has("add") && name != "absdiff"
        || first.bits() != 32
        || of.operand(1)?.len() != 1
    {
        return Err(of.unknown());
    }
    let [a, b] = [registers.value(of.operand(1)?, U32)?, registers.value(of.operand(2)?, U32)?];
    let added = match of.has("add") {
        true => format!(" + {}", registers.value(of.operand(3)?, U32)?),
        false => String::new(),
    };
    Ok(format!("{function}({a}, {b}){added}"))
}

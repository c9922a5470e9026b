//! Loads, stores, atomic operations, addresses and copies.

use std::fmt::Write as _;

use super::instruction::Instruction;
use super::registers::{Registers, Type, U32, U64};
use crate::ptx::Token;

/// Words that say how a cache is used, how far an order reaches, or where
/// memory lies: all memory but a block's own is one here.
const HINTS: [&str; 43] = [
    "global",
    "local",
    "const",
    "param",
    "shared",
    "cta",
    "cluster",
    "gpu",
    "gl",
    "sys",
    "weak",
    "relaxed",
    "acquire",
    "release",
    "acq_rel",
    "sc",
    "volatile",
    "ca",
    "cg",
    "cs",
    "lu",
    "cv",
    "wb",
    "wt",
    "nc",
    "v2",
    "v4",
    "L1::no_allocate",
    "L1::evict_last",
    "L1::evict_first",
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L2::64B",
    "L2::128B",
    "L2::256B",
    "L2::evict_last",
    "L2::evict_first",
    "L2::evict_normal",
    "noftz",
    "to",
    "mmio",
    "shared::cta",
    "unified",
];

/// What stands between the commas of `{a, b}`; of one register itself.
pub(super) fn list<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    match tokens {
        [open, inner @ .., close] if open.text == "{" && close.text == "}" => {
            inner.split(|token| token.text == ",").collect()
        }
        one => vec![one],
    }
}

/// An instruction of memory as C++; none if it is none.
pub(super) fn translate(
    of: &Instruction<'_, '_>,
    registers: &mut Registers,
) -> Result<Option<String>, String> {
    let text = match of.words[0] {
        "ld" | "ldu" => loaded(of, registers)?,
        "st" => stored(of, registers)?,
        "atom" | "red" => atomic(of, registers)?,
        "cvta" => address_converted(of, registers)?,
        "isspacep" if of.has("shared") => {
            let address = registers.value(of.operand(1)?, U64)?;
            let place = registers.place(of.operand(0)?)?;
            format!("gpurepl_ptx::put({place}, gpurepl_ptx::is_shared({address}));")
        }
        "cp" if of.words.get(1) == Some(&"async") => copied(of, registers)?,
        _ => return Ok(None),
    };
    Ok(Some(text))
}

/// The address in `[a + 4]`, as a pointer to a type.
fn address(
    of: &Instruction<'_, '_>,
    registers: &Registers,
    tokens: &[Token<'_>],
    class: Type,
    is_shared: bool,
) -> Result<String, String> {
    let [open, base, rest @ .., close] = tokens else { return Err(of.unknown()) };
    if open.text != "[" || close.text != "]" {
        return Err(of.unknown());
    }
    let base = registers.value(&[*base], U64)?;
    let offset = match rest {
        [] => "0".to_owned(),
        [plus, number] if plus.text == "+" => registers.value(&[*number], Type::Signed(64))?,
        [plus, minus, number] if plus.text == "+" => registers.value(&[*minus, *number], Type::Signed(64))?,
        [minus, number] if minus.text == "-" => registers.value(&[*minus, *number], Type::Signed(64))?,
        _ => return Err(of.unknown()),
    };
    let space = if is_shared { "shared" } else { "generic" };
    Ok(format!("gpurepl_ptx::{space}<{}>({base}, {offset})", class.c_name()))
}

fn is_known(of: &Instruction<'_, '_>, more: &[&str]) -> bool {
    of.knows(&[&HINTS[..], more].concat())
}

fn is_polled(of: &Instruction<'_, '_>) -> bool {
    ["volatile", "relaxed", "acquire"].iter().any(|word| of.has(word))
}

fn loaded(of: &Instruction<'_, '_>, registers: &mut Registers) -> Result<String, String> {
    let class = of.class()?;
    if !is_known(of, &[]) {
        return Err(of.unknown());
    }
    let name = class.c_name();
    let pointer = address(of, registers, of.operand(1)?, class, of.has("shared"))?;
    let mut text = format!("const {name} *gpurepl_p = {pointer}; ");
    let places = list(of.operand(0)?);
    // All are read before one of them is written: one may hold the address.
    let read = if is_polled(of) { "gpurepl_ptx::polled" } else { "*" };
    for k in 0..places.len() {
        let _ = write!(text, "const {name} gpurepl_v{k} = {read}(gpurepl_p + {k}); ");
    }
    for (k, place) in places.into_iter().enumerate() {
        let _ = write!(text, "gpurepl_ptx::put({}, gpurepl_v{k}); ", registers.place(place)?);
    }
    Ok(text)
}

fn stored(of: &Instruction<'_, '_>, registers: &mut Registers) -> Result<String, String> {
    let class = of.class()?;
    if !is_known(of, &[]) {
        return Err(of.unknown());
    }
    let pointer = address(of, registers, of.operand(0)?, class, of.has("shared"))?;
    let mut text = format!("{} *gpurepl_p = {pointer}; ", class.c_name());
    for (k, value) in list(of.operand(1)?).into_iter().enumerate() {
        let value = registers.value(value, class)?;
        let _ = match is_polled(of) || of.has("release") {
            true => write!(text, "__threadfence(); gpurepl_ptx::published(gpurepl_p + {k}, {value}); "),
            false => write!(text, "gpurepl_p[{k}] = {value}; "),
        };
    }
    Ok(text)
}

fn atomic(of: &Instruction<'_, '_>, registers: &mut Registers) -> Result<String, String> {
    const OPERATIONS: [(&str, &str); 11] = [
        ("add", "atomicAdd"),
        ("min", "atomicMin"),
        ("max", "atomicMax"),
        ("and", "atomicAnd"),
        ("or", "atomicOr"),
        ("xor", "atomicXor"),
        ("exch", "atomicExch"),
        ("cas", "atomicCAS"),
        ("inc", "atomicInc"),
        ("dec", "atomicDec"),
        ("sub", "atomicSub"),
    ];
    let found = OPERATIONS.iter().find(|(word, _)| of.has(word)).ok_or_else(|| of.unknown())?;
    let class = of.class()?;
    let is_sum = found.0 == "add" || found.0 == "exch";
    if !is_known(of, &[found.0])
        || of.has("v2")
        || of.has("v4")
        || class.is_float() && !is_sum
        || class.bits() < 16
    {
        return Err(of.unknown());
    }
    let first = usize::from(of.words[0] == "atom");
    let pointer = address(of, registers, of.operand(first)?, class, of.has("shared"))?;
    let mut arguments = vec![pointer];
    for k in first + 1..first + 2 + usize::from(found.0 == "cas") {
        arguments.push(registers.value(of.operand(k)?, class)?);
    }
    let call = format!("{}({})", found.1, arguments.join(", "));
    let text = match first {
        0 => format!("{call};"),
        _ => format!("gpurepl_ptx::put({}, {call});", registers.place(of.operand(0)?)?),
    };
    // The functions themselves order nothing.
    let is_ordered = ["acquire", "release", "acq_rel", "sc"].iter().any(|word| of.has(word));
    Ok(if is_ordered { format!("__threadfence(); {text} __threadfence();") } else { text })
}

fn address_converted(of: &Instruction<'_, '_>, registers: &mut Registers) -> Result<String, String> {
    let value = registers.value(of.operand(1)?, U64)?;
    if !is_known(of, &[]) {
        return Err(of.unknown());
    }
    let text = match (of.has("shared"), of.has("to")) {
        (true, true) => format!("gpurepl_ptx::to_shared({value})"),
        (true, false) => format!("(unsigned long long)gpurepl_ptx::shared<char>({value}, 0)"),
        _ => value,
    };
    let place = registers.place(of.operand(0)?)?;
    Ok(format!("gpurepl_ptx::put({place}, {text});"))
}

/// `cp.async`: the copy is made at once, so that nothing is left to wait for.
fn copied(of: &Instruction<'_, '_>, registers: &mut Registers) -> Result<String, String> {
    if of.has("commit_group") || of.has("wait_group") || of.has("wait_all") {
        return Ok(";".to_owned());
    }
    // A policy of a cache would be one more operand.
    if of.name.contains("cache_hint")
        || of.has("bulk")
        || of.has("mbarrier")
        || !of.has("shared")
        || !of.has("global")
        || of.operands.len() < 3
    {
        return Err(of.unknown());
    }
    let class = Type::Unsigned(8);
    let to = address(of, registers, of.operand(0)?, class, true)?;
    let from = address(of, registers, of.operand(1)?, class, false)?;
    let bytes = registers.value(of.operand(2)?, U32)?;
    let given = match of.operands.get(3) {
        // Whether the source is ignored, or how many bytes of it there are.
        Some([only]) if registers.is_predicate(only.text) => {
            format!("({} ? 0u : {bytes})", registers.value(&[*only], Type::Predicate)?)
        }
        Some(given) => registers.value(given, U32)?,
        None => bytes.clone(),
    };
    Ok(format!("gpurepl_ptx::copied({to}, {from}, {bytes}, {given});"))
}

//! Comparisons, and choices by their results.

use super::instruction::Instruction;
use super::registers::{Registers, Type};

/// An instruction of this kind as C++; none if it is none.
pub(super) fn translate(
    of: &Instruction<'_, '_>,
    registers: &mut Registers,
) -> Result<Option<String>, String> {
    Ok(Some(match of.words[0] {
        "setp" => set_predicate(of, registers)?,
        "set" => {
            let [.., to, class] = of.words.as_slice() else { return Err(of.unknown()) };
            let (Some(to), Some(class)) = (Type::named(to), Type::named(class)) else {
                return Err(of.unknown());
            };
            if ["and", "or", "xor"].iter().any(|word| of.has(word)) {
                return Err(of.unknown());
            }
            let holds = holds(of, registers, class)?;
            let one = if to.is_float() { "1.0f" } else { "0xffffffffu" };
            let zero = if to.is_float() { "0.0f" } else { "0u" };
            let place = registers.place(of.operand(0)?)?;
            format!("gpurepl_ptx::put({place}, {holds} ? {one} : {zero});")
        }
        "selp" => {
            let class = of.class()?;
            let [a, b] = [registers.value(of.operand(1)?, class)?, registers.value(of.operand(2)?, class)?];
            let predicate = registers.value(of.operand(3)?, Type::Predicate)?;
            let place = registers.place(of.operand(0)?)?;
            format!("gpurepl_ptx::put({place}, {predicate} ? {a} : {b});")
        }
        "slct" => {
            let [.., class, by] = of.words.as_slice() else { return Err(of.unknown()) };
            let (Some(class), Some(by)) = (Type::named(class), Type::named(by)) else {
                return Err(of.unknown());
            };
            let [a, b] = [registers.value(of.operand(1)?, class)?, registers.value(of.operand(2)?, class)?];
            let by = registers.value(of.operand(3)?, by)?;
            let place = registers.place(of.operand(0)?)?;
            format!("gpurepl_ptx::put({place}, {by} >= 0 ? {a} : {b});")
        }
        "testp" => {
            let class = of.class()?;
            let test = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"];
            let test = test.into_iter().find(|test| of.has(test)).ok_or_else(|| of.unknown())?;
            let value = registers.value(of.operand(1)?, class)?;
            let place = registers.place(of.operand(0)?)?;
            format!("gpurepl_ptx::put({place}, gpurepl_ptx::is_{test}({value}));")
        }
        _ => return Ok(None),
    }))
}

/// `setp.lt.and.s32 p|q, a, b, !c`.
fn set_predicate(of: &Instruction<'_, '_>, registers: &mut Registers) -> Result<String, String> {
    let class = of.class()?;
    let all = of.operand(0)?;
    let (first, second) = match all.iter().position(|token| token.text == "|") {
        Some(at) => (&all[..at], Some(&all[at + 1..])),
        None => (all, None),
    };
    let holds = holds(of, registers, class)?;
    let joined = match ["and", "or", "xor"].into_iter().find(|word| of.has(word)) {
        Some(word) => {
            let with = registers.value(of.operand(3)?, Type::Predicate)?;
            let operator = match word {
                "and" => "&&",
                "or" => "||",
                _ => "!=",
            };
            Some((operator, with))
        }
        None => None,
    };
    let whole = |value: &str| match &joined {
        Some((operator, with)) => format!("({value}) {operator} ({with})"),
        None => value.to_owned(),
    };
    let mut text =
        format!("const bool gpurepl_is = {holds}; const bool gpurepl_both = {}; ", whole("gpurepl_is"));
    let other = second.map(|second| registers.place(second)).transpose()?;
    if let Some(other) = other {
        text.push_str(&format!(
            "const bool gpurepl_not = {}; gpurepl_ptx::put({other}, gpurepl_not); ",
            whole("!gpurepl_is")
        ));
    }
    text.push_str(&format!("gpurepl_ptx::put({}, gpurepl_both);", registers.place(first)?));
    Ok(text)
}

/// Whether the comparison of an instruction's second and third operand holds.
/// Those with a `u` hold for a NaN, of floats; `lo`, `ls`, `hi` and `hs` are
/// those of numbers without a sign.
fn holds(of: &Instruction<'_, '_>, registers: &Registers, class: Type) -> Result<String, String> {
    let names = [
        "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu",
        "num", "nan",
    ];
    let comparison = of.words.get(1).filter(|word| names.contains(word)).ok_or_else(|| of.unknown())?;
    let class = if matches!(*comparison, "lo" | "ls" | "hi" | "hs") { class.unsigned() } else { class };
    let [a, b] = [registers.value(of.operand(1)?, class)?, registers.value(of.operand(2)?, class)?];
    Ok(format!("gpurepl_ptx::is_{comparison}({a}, {b})"))
}

//! What threads do together: barriers, fences, what the lanes of a warp tell each
//! other.

use super::instruction::Instruction;
use super::registers::{Registers, Type, U32};
use crate::ptx::Token;

/// Barriers and fences.
pub(super) fn meeting(of: &Instruction<'_, '_>, registers: &mut Registers) -> Result<Option<String>, String> {
    Ok(Some(match of.words[0] {
        "membar" | "fence" => "__threadfence();".to_owned(),
        "bar" if of.has("warp") => format!("__syncwarp({});", registers.value(of.operand(0)?, U32)?),
        "bar" | "barrier" => {
            // `bar.red` has its result before the number of the barrier.
            let is_sync = of.has("sync");
            let number = usize::from(!is_sync);
            let is_first = of.operand(number)?.iter().map(|token| token.text).eq(["0"]);
            let has_count = is_sync && of.operands.len() == 2;
            if !is_first || of.operands.len() != 1 + 2 * number && !has_count || !(is_sync || of.has("red")) {
                return Err(format!("the host device has no named barriers: `{}`", of.name));
            }
            if has_count {
                let count = registers.value(of.operand(1)?, U32)?;
                return Ok(Some(format!(
                    "if ({count} != blockDim.x * blockDim.y * blockDim.z) __trap(); __syncthreads();"
                )));
            }
            if is_sync {
                return Ok(Some("__syncthreads();".to_owned()));
            }
            let predicate = registers.value(of.operand(2)?, Type::Predicate)?;
            let (function, is_one) = match () {
                () if of.has("popc") => ("__syncthreads_count", ""),
                () if of.has("and") => ("__syncthreads_and", " != 0"),
                () => ("__syncthreads_or", " != 0"),
            };
            let place = registers.place(of.operand(0)?)?;
            format!("gpurepl_ptx::put({place}, {function}({predicate}){is_one});")
        }
        _ => return Ok(None),
    }))
}

/// What the lanes of a warp tell each other.
pub(super) fn warp(of: &Instruction<'_, '_>, registers: &mut Registers) -> Result<String, String> {
    let second = |tokens: &[Token<'_>]| tokens.iter().position(|token| token.text == "|");
    if of.words[0] == "activemask" {
        let place = registers.place(of.operand(0)?)?;
        return Ok(format!("gpurepl_ptx::put({place}, __activemask());"));
    }
    if !of.has("sync") {
        return Err(of.unknown());
    }
    let all = of.operand(0)?;
    let (to, other) = match second(all) {
        Some(at) => (&all[..at], Some(&all[at + 1..])),
        None => (all, None),
    };
    let place = registers.place(to)?;
    let mask = registers.value(of.operand(of.operands.len() - 1)?, U32)?;
    match of.words[0] {
        "vote" => {
            let predicate = registers.value(of.operand(1)?, Type::Predicate)?;
            Ok(match () {
                () if of.has("ballot") => {
                    format!("gpurepl_ptx::put({place}, __ballot_sync({mask}, {predicate}));")
                }
                () if of.has("all") => {
                    format!("gpurepl_ptx::put({place}, __all_sync({mask}, {predicate}) != 0);")
                }
                () if of.has("any") => {
                    format!("gpurepl_ptx::put({place}, __any_sync({mask}, {predicate}) != 0);")
                }
                () => format!(
                    "gpurepl_ptx::put({place}, __all_sync({mask}, {predicate}) != 0 || __any_sync({mask}, {predicate}) == 0);"
                ),
            })
        }
        "match" => {
            let class = of.class()?.unsigned();
            let value = registers.value(of.operand(1)?, class)?;
            if of.has("any") {
                return Ok(format!("gpurepl_ptx::put({place}, __match_any_sync({mask}, {value}));"));
            }
            let predicate = match other {
                Some(other) => registers.place(other)?,
                None => "gpurepl_ignored".to_owned(),
            };
            Ok(format!(
                "int gpurepl_is; bool gpurepl_ignored; gpurepl_ptx::put({place}, __match_all_sync({mask}, {value}, &gpurepl_is)); \
                 (void)gpurepl_ignored; gpurepl_ptx::put({predicate}, gpurepl_is != 0);"
            ))
        }
        "redux" => {
            let class = of.class()?;
            let operation = ["add", "min", "max", "and", "or", "xor"].into_iter().find(|name| of.has(name));
            let operation =
                operation.filter(|_| class.bits() == 32 && !class.is_float()).ok_or_else(|| of.unknown())?;
            let value = registers.value(of.operand(1)?, class)?;
            Ok(format!("gpurepl_ptx::put({place}, __reduce_{operation}_sync({mask}, {value}));"))
        }
        _ => {
            let mode = ["idx", "up", "down", "bfly"].into_iter().find(|mode| of.has(mode));
            let (mode, value) = (mode.ok_or_else(|| of.unknown())?, registers.value(of.operand(1)?, U32)?);
            let (by, ends) = (registers.value(of.operand(2)?, U32)?, registers.value(of.operand(3)?, U32)?);
            // Both clamp and width are in `c`: PTX ISA, shfl.sync.
            let found = format!(
                "gpurepl_ptx::source_{mode}(gpurepl_ptx::lane(threadIdx, blockDim), {by}, {ends}, gpurepl_is)"
            );
            let predicate = match other {
                Some(other) => format!(" gpurepl_ptx::put({}, gpurepl_is);", registers.place(other)?),
                None => String::new(),
            };
            Ok(format!(
                "bool gpurepl_is; const int gpurepl_from = {found}; gpurepl_ptx::put({place}, __shfl_sync({mask}, {value}, gpurepl_from, 32));{predicate}"
            ))
        }
    }
}

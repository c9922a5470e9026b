//! Types of PTX, and the registers, constants and special registers that
//! instructions of a statement name.

use std::collections::{HashMap, HashSet};

use super::statement::Statement;
use crate::ptx::Token;

/// A type of PTX that C++ has too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Predicate,
    Unsigned(u32),
    Signed(u32),
    Float(u32),
}

impl Type {
    /// `u32` in `add.u32`; `b32` counts as a number without a sign.
    pub(super) fn named(name: &str) -> Option<Type> {
        Some(match name {
            "pred" => Type::Predicate,
            "u8" | "b8" => Type::Unsigned(8),
            "u16" | "b16" => Type::Unsigned(16),
            "u32" | "b32" => Type::Unsigned(32),
            "u64" | "b64" => Type::Unsigned(64),
            "s8" => Type::Signed(8),
            "s16" => Type::Signed(16),
            "s32" => Type::Signed(32),
            "s64" => Type::Signed(64),
            "f32" => Type::Float(32),
            "f64" => Type::Float(64),
            _ => return None,
        })
    }

    pub(super) fn c_name(self) -> &'static str {
        match self {
            Type::Predicate => "bool",
            Type::Unsigned(8) => "unsigned char",
            Type::Unsigned(16) => "unsigned short",
            Type::Unsigned(32) => "unsigned int",
            Type::Unsigned(_) => "unsigned long long",
            Type::Signed(8) => "signed char",
            Type::Signed(16) => "short",
            Type::Signed(32) => "int",
            Type::Signed(_) => "long long",
            Type::Float(32) => "float",
            Type::Float(_) => "double",
        }
    }

    pub(super) fn bits(self) -> u32 {
        match self {
            Type::Predicate => 1,
            Type::Unsigned(bits) | Type::Signed(bits) | Type::Float(bits) => bits,
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Type::Float(_))
    }

    /// The same number of bits without a sign.
    pub(super) fn unsigned(self) -> Type {
        Type::Unsigned(self.bits())
    }
}

pub(super) const U32: Type = Type::Unsigned(32);
pub(super) const U64: Type = Type::Unsigned(64);

/// What the names of a statement mean.
pub(super) struct Registers {
    operands: usize,
    /// The names of each block that is open, from the outermost on.
    locals: Vec<HashMap<String, (String, Type)>>,
    /// How many have been declared.
    declared: usize,
    /// Where jumps may lead.
    pub(super) labels: HashSet<String>,
    /// Definitions, for before the instructions.
    pub(super) definitions: String,
    /// What happens after them.
    pub(super) results: String,
    /// How many places for results that nobody reads.
    pub(super) unread: usize,
    pub(super) carry: Carry,
}

/// What instructions of a statement do with the carry flag, which may come from
/// an earlier statement, and go to a later one.
#[derive(Clone, Copy, Default)]
pub(super) struct Carry {
    pub(super) comes: bool,
    pub(super) goes: bool,
    /// Whether one of them has set it.
    pub(super) is_set: bool,
}

impl Registers {
    /// Those that a statement is given.
    pub(super) fn of(statement: &Statement<'_>) -> Result<Registers, String> {
        let mut registers = Registers {
            operands: statement.operands.len(),
            locals: vec![HashMap::new()],
            declared: 0,
            labels: HashSet::new(),
            definitions: String::new(),
            results: String::new(),
            unread: 0,
            carry: Carry::default(),
        };
        for (k, operand) in statement.operands.iter().enumerate() {
            let constraint = &operand.constraint;
            let letter = constraint.trim_start_matches(['=', '+', '&']);
            let class = match letter {
                "h" => Type::Unsigned(16),
                "r" => U32,
                "l" | "n" => U64,
                "f" => Type::Float(32),
                "d" => Type::Float(64),
                _ => return Err(format!("inline PTX has no constraint {constraint:?}")),
            };
            let (name, expression) = (class.c_name(), operand.expression);
            let given = if letter == "n" { "as" } else { "given" };
            let given = format!("gpurepl_ptx::{given}<{name}>");
            registers.definitions.push_str(&match (operand.is_output, constraint.starts_with('+')) {
                (true, true) => format!(
                    "auto &gpurepl_o{k} = ({expression}); {name} gpurepl_r{k} = {given}(gpurepl_o{k}); "
                ),
                (true, false) => format!("auto &gpurepl_o{k} = ({expression}); {name} gpurepl_r{k} = 0; "),
                _ => format!("{name} gpurepl_r{k} = {given}({expression}); "),
            });
            if operand.is_output {
                registers.results.push_str(&format!("gpurepl_ptx::result(gpurepl_o{k}, gpurepl_r{k}); "));
            }
        }
        Ok(registers)
    }

    /// `.reg .b32 a, b<3>`: the words after `.reg`.
    pub(super) fn declare(&mut self, words: &[Token<'_>]) -> Result<(), String> {
        let Some((class, names)) = words.split_first() else { return Ok(()) };
        let Some(class) = Type::named(class.text.trim_start_matches('.')) else {
            return Err(format!("the host device has no registers of `{}`", class.text));
        };
        for name in names.split(|token| token.text == ",") {
            let all: Vec<String> = match name {
                [name] => vec![name.text.to_owned()],
                [name, open, count, close] if open.text == "<" && close.text == ">" => {
                    let count = count.text.parse::<usize>().ok().filter(|count| *count <= 4096);
                    let count = count.ok_or_else(|| "too many registers".to_owned())?;
                    (0..count).map(|k| format!("{}{k}", name.text)).collect()
                }
                _ => return Err("a declaration of registers cannot be read".to_owned()),
            };
            for name in all {
                let variable = format!("gpurepl_t{}", self.declared);
                self.declared += 1;
                self.definitions.push_str(&format!("{} {variable} = 0; ", class.c_name()));
                if let Some(block) = self.locals.last_mut() {
                    block.insert(name, (variable, class));
                }
            }
        }
        Ok(())
    }

    /// The variable of a register that is written.
    pub(super) fn place(&mut self, tokens: &[Token<'_>]) -> Result<String, String> {
        match tokens {
            [token] if token.text == "_" => {
                let variable = format!("gpurepl_unread{}", self.unread);
                self.definitions.push_str(&format!("gpurepl_ptx::nobody {variable}; "));
                self.unread += 1;
                Ok(variable)
            }
            [token] => self.variable(token.text),
            _ => Err("inline PTX writes to what is no register".to_owned()),
        }
    }

    fn variable(&self, name: &str) -> Result<String, String> {
        if let Some(number) =
            name.strip_prefix('$').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        {
            return match number.parse::<usize>() {
                Ok(number) if number < self.operands => Ok(format!("gpurepl_r{number}")),
                _ => Err(format!("inline PTX has no operand %{number}")),
            };
        }
        let found = self.local(name).map(|(variable, _)| variable.clone());
        found.ok_or_else(|| format!("inline PTX has no register `{}`", name.replace('$', "%")))
    }

    fn local(&self, name: &str) -> Option<&(String, Type)> {
        self.locals.iter().rev().find_map(|block| block.get(name))
    }

    /// Whether a name is that of a predicate.
    pub(super) fn is_predicate(&self, name: &str) -> bool {
        self.local(name).is_some_and(|(_, class)| *class == Type::Predicate)
    }

    /// A block of instructions begins, whose registers are its own.
    pub(super) fn open(&mut self) {
        self.locals.push(HashMap::new());
    }

    pub(super) fn close(&mut self) {
        if self.locals.len() > 1 {
            self.locals.pop();
        }
    }

    /// An operand that is read, as a value of a type.
    pub(super) fn value(&self, tokens: &[Token<'_>], class: Type) -> Result<String, String> {
        let name = class.c_name();
        match tokens {
            [not, token] if not.text == "!" => {
                Ok(format!("!gpurepl_ptx::as<bool>({})", self.variable(token.text)?))
            }
            [minus, token] if minus.text == "-" => constant(token.text, class, true),
            [token] if token.text.starts_with(|c: char| c.is_ascii_digit()) => {
                constant(token.text, class, false)
            }
            [token] if token.text == "WARP_SZ" => Ok(format!("({name})32")),
            [token] if token.text.starts_with('%') && self.local(token.text).is_none() => {
                special(token.text).map(|text| format!("gpurepl_ptx::as<{name}>({text})"))
            }
            [token] => Ok(format!("gpurepl_ptx::as<{name}>({})", self.variable(token.text)?)),
            _ => Err("inline PTX has an operand that cannot be read".to_owned()),
        }
    }
}

fn constant(text: &str, class: Type, is_negative: bool) -> Result<String, String> {
    let sign = if is_negative { "-" } else { "" };
    let name = class.c_name();
    let unread = || format!("inline PTX has a number that cannot be read: `{text}`");
    let bits = |digits: &str| u64::from_str_radix(digits, 16).map_err(|_| unread());
    // A float by its bits: `0f3F800000`, `0d3FF0000000000000`.
    for (prefixes, float, suffix) in [(["0f", "0F"], "float", "u"), (["0d", "0D"], "double", "ull")] {
        let Some(digits) = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix)) else { continue };
        let bits = format!("0x{:x}{suffix}", bits(digits)?);
        return match (class.is_float(), is_negative) {
            (true, _) => Ok(format!("({name}){sign}gpurepl_bits<{float}>({bits})")),
            (false, false) => Ok(format!("({name}){bits}")),
            (false, true) => Err(unread()),
        };
    }
    if class.is_float() {
        let number = text.parse::<f64>().map_err(|_| unread())?;
        return Ok(format!("({name}){sign}{number:?}"));
    }
    let whole = text.trim_end_matches(['U', 'u']);
    let number = match whole.strip_prefix("0x").or_else(|| whole.strip_prefix("0X")) {
        Some(digits) => bits(digits)?,
        None if whole.len() > 1 && whole.starts_with('0') => {
            u64::from_str_radix(&whole[1..], 8).map_err(|_| unread())?
        }
        None => whole.parse::<u64>().map_err(|_| unread())?,
    };
    let suffix = if number > 0x7fff_ffff { "ull" } else { "" };
    Ok(format!("({name}){sign}{number}{suffix}"))
}

/// A special register. Names of a thread's place are translated where they
/// stand, as those of the user's.
fn special(name: &str) -> Result<String, String> {
    let axis = |rest: &str| matches!(rest, "x" | "y" | "z").then(|| rest.to_owned());
    if let Some((register, axis)) =
        name.split_once('.').and_then(|(register, rest)| Some((register, axis(rest)?)))
    {
        let place = match register {
            "%tid" => "threadIdx",
            "%ntid" => "blockDim",
            "%ctaid" => "blockIdx",
            "%nctaid" => "gridDim",
            _ => return Err(format!("the host device has no register `{name}`")),
        };
        return Ok(format!("{place}.{axis}"));
    }
    let rank = "((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)";
    let lane = format!("({rank} & 31u)");
    Ok(match name {
        "%laneid" => lane,
        "%warpid" => format!("({rank} / 32u)"),
        "%nwarpid" => "((blockDim.x * blockDim.y * blockDim.z + 31u) / 32u)".to_owned(),
        "%lanemask_eq" => format!("gpurepl_ptx::lanes({lane}, 1, 0)"),
        "%lanemask_lt" => format!("gpurepl_ptx::lanes({lane}, 0, 1)"),
        "%lanemask_le" => format!("gpurepl_ptx::lanes({lane}, 1, 1)"),
        "%lanemask_gt" => format!("~gpurepl_ptx::lanes({lane}, 1, 1)"),
        "%lanemask_ge" => format!("~gpurepl_ptx::lanes({lane}, 0, 1)"),
        "%clock" | "%clock64" => "(unsigned long long)clock64()".to_owned(),
        "%clock_hi" => "((unsigned long long)clock64() / 4294967296ull)".to_owned(),
        "%globaltimer" | "%globaltimer_lo" => "gpurepl_ptx::nanoseconds()".to_owned(),
        "%globaltimer_hi" => "(gpurepl_ptx::nanoseconds() / 4294967296ull)".to_owned(),
        "%dynamic_smem_size" => "__nv_dynamic_smem_size()".to_owned(),
        // Blocks are bound to no core.
        "%smid" | "%gridid" => "0u".to_owned(),
        "%nsmid" => "1u".to_owned(),
        _ => return Err(format!("the host device has no register `{name}`")),
    })
}

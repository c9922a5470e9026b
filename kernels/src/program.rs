//! A fused elementwise expression: what `5.0*&a + 6.0*&b` is before it is a
//! kernel.
//!
//! A program is a list of instructions in which each names earlier ones, so
//! that shared parts are computed once. The host device runs it as it stands,
//! block by block; for a CUDA device it becomes the text of one kernel.

use std::fmt::Write as _;

use crate::DType;
use crate::ops::{BinaryOp, ReduceOp, TernaryOp, UnaryOp, binary, register, ternary, unary};
use crate::overflow::{self, Overflow};
use crate::reduction::{Stages, two_stages};
use crate::support::pieces_for;

/// Where an instruction's value comes from. Numbers are places in the list of
/// instructions, of inputs or of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The element of an input array.
    Input(usize),
    /// A number that is the same for all elements.
    Scalar(usize),
    /// The place of the element in the result, counted from zero.
    Index,
    /// Another value in this instruction's type.
    Cast(usize),
    /// A function of a value.
    Unary(UnaryOp, usize),
    /// A function of two values of one type.
    Binary(BinaryOp, usize, usize),
    /// A function of three values of one type, which is the answer's.
    Ternary(TernaryOp, usize, usize, usize),
    /// The second value where the first, a boolean, holds, else the third.
    Select(usize, usize, usize),
}

/// One step of a program: a value and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The type of the value.
    pub dtype: DType,
    /// How it is computed.
    pub operand: Operand,
}

/// How an array is walked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// One element after the other.
    Contiguous,
    /// One element, the same for all.
    Single,
    /// By strides, in elements, one for each axis of the result.
    Strided,
}

/// A fused expression over arrays.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// The arrays read: the type of their elements and how they are walked.
    pub inputs: Vec<(DType, View)>,
    /// The types of the numbers passed beside the arrays.
    pub scalars: Vec<DType>,
    /// The steps; the last one is the result.
    pub instructions: Vec<Instruction>,
    /// How the result is walked: contiguous or strided.
    pub output: View,
    /// The number of axes that strided walks have.
    pub rank: usize,
    /// Whether overflow of 32-bit integers is reported: see [`Overflow`].
    pub reports_overflow: bool,
}

/// What a kernel over a program's values is made of, in CUDA C.
pub(crate) struct Parts {
    /// The type of the values.
    pub(crate) ctype: &'static str,
    /// What computes `value`, an expression, for the element `i`.
    pub(crate) steps: String,
    pub(crate) value: String,
    before: String,
    after: String,
    /// What stands at the kernel's start, and at its end.
    pub(crate) start: &'static str,
    pub(crate) end: &'static str,
}

impl Parts {
    /// The parameters: of the program, the address of the result, and numbers.
    pub(crate) fn parameters(&self, result: &str, numbers: &str) -> String {
        self.parameters_with("", result, numbers)
    }

    /// [`Parts::parameters`] with others before the result.
    pub(crate) fn parameters_with(&self, others: &str, result: &str, numbers: &str) -> String {
        let numbers = numbers.replace(", ", ", unsigned long long ");
        let Parts { before, after, ctype, .. } = self;
        format!("{before}{others}{ctype} *{result}, unsigned long long {numbers}{after}")
    }
}

impl Instruction {
    /// The overflow that it can have, and its operands.
    pub(crate) fn overflow(&self) -> Option<(Overflow, usize, usize)> {
        match self.operand {
            Operand::Binary(op, a, b) => Overflow::of(op, self.dtype).map(|overflow| (overflow, a, b)),
            _ => None,
        }
    }
}

impl Program {
    /// The type of the result.
    ///
    /// # Panics
    ///
    /// If the program has no instruction.
    pub fn dtype(&self) -> DType {
        self.instructions.last().expect("a program has a result").dtype
    }

    /// CUDA C that reduces this program's values to one: the kernels
    /// `gpurepl_reduce_stage1` and `gpurepl_reduce_stage2`.
    ///
    /// Stage 1 takes the inputs and scalars, the address for one partial
    /// result a block, `n` and, if anything is strided, lengths and strides
    /// and the address for overflow as in [`Program::to_cuda`]. Stage 2 takes the partial results, the
    /// address of the answer and their number, in one block. The partial
    /// results have the type of the program's value; half precision is not
    /// reduced as such, cast it first.
    ///
    /// # Panics
    ///
    /// If the program's value is of half precision or its result is strided.
    pub fn to_cuda_reduction(&self, op: ReduceOp) -> String {
        assert!(self.dtype() != DType::Float16 && self.output == View::Contiguous);
        let mut steps = String::new();
        self.write_checked_steps(&mut steps, "    ");
        let text = two_stages(&Stages {
            name: "gpurepl_reduce",
            ctype: self.dtype().c(),
            neutral: &op.neutral(self.dtype()),
            combine: &op.combine(self.dtype()),
            parameters: &self.parameters(),
            walk_parameters: &format!("{}{}", self.walk_parameters(), self.overflow_parameter()),
            start: self.overflow_start(),
            end: self.overflow_end(),
            steps: &steps,
            value: &format!("v{}", self.instructions.len() - 1),
            function: "",
            is_float_sum: op == ReduceOp::Sum && (self.dtype().is_float() || self.dtype().is_complex()),
            at_once: self.at_once(),
        });
        format!("{}{text}", pieces_for(&text))
    }

    /// What a kernel over this program's values is made of.
    ///
    /// # Panics
    ///
    /// If the program's value is of half precision or its result is strided.
    pub(crate) fn parts(&self) -> Parts {
        self.parts_of(true)
    }

    /// [`Program::parts`] for values that are computed twice: overflow is
    /// checked the other time.
    pub(crate) fn parts_without_checks(&self) -> Parts {
        self.parts_of(false)
    }

    fn parts_of(&self, is_checked: bool) -> Parts {
        assert!(self.dtype() != DType::Float16 && self.output == View::Contiguous);
        let mut steps = String::new();
        self.write_all_steps(&mut steps, "        ", is_checked && self.reports_overflow);
        Parts {
            ctype: self.dtype().c(),
            steps,
            value: format!("v{}", self.instructions.len() - 1),
            before: self.parameters(),
            after: format!("{}{}", self.walk_parameters(), self.overflow_parameter()),
            start: self.overflow_start(),
            end: self.overflow_end(),
        }
    }

    pub(crate) fn parameters(&self) -> String {
        let mut text = String::new();
        for (k, (dtype, _)) in self.inputs.iter().enumerate() {
            let _ = write!(text, "const {} *in{k}, ", storage(*dtype));
        }
        for (k, dtype) in self.scalars.iter().enumerate() {
            let _ = write!(text, "{} s{k}, ", storage(*dtype));
        }
        text
    }

    /// Whether a value of this program can overflow and be reported.
    pub fn may_overflow(&self) -> bool {
        self.instructions.iter().any(|instruction| instruction.overflow().is_some())
    }

    pub(crate) fn overflow_parameter(&self) -> &'static str {
        if self.reports_overflow { overflow::PARAMETER } else { "" }
    }

    pub(crate) fn overflow_start(&self) -> &'static str {
        if self.reports_overflow { overflow::START } else { "" }
    }

    pub(crate) fn overflow_end(&self) -> &'static str {
        if self.reports_overflow { overflow::END } else { "" }
    }

    pub(crate) fn is_strided(&self) -> bool {
        self.output == View::Strided || self.inputs.iter().any(|(_, view)| *view == View::Strided)
    }

    /// Names of what is walked by strides, in the order of the arguments.
    pub(crate) fn walkers(&self) -> Vec<String> {
        let inputs = self.inputs.iter().enumerate().filter(|(_, (_, view))| *view == View::Strided);
        let mut names: Vec<String> = inputs.map(|(k, _)| format!("in{k}")).collect();
        if self.output == View::Strided {
            names.push("out".to_owned());
        }
        names
    }

    pub(crate) fn walk_parameters(&self) -> String {
        let mut text = String::new();
        if self.is_strided() {
            for axis in 0..self.rank {
                let _ = write!(text, ", unsigned long long length{axis}");
            }
            for name in self.walkers() {
                for axis in 0..self.rank {
                    let _ = write!(text, ", long long {name}_stride{axis}");
                }
            }
        }
        text
    }

    /// The steps from the element's place `i` to the last value `vN`.
    pub(crate) fn write_steps(&self, text: &mut String, indent: &str) {
        self.write_all_steps(text, indent, false);
    }

    /// [`Program::write_steps`], and whether what they compute overflows.
    fn write_checked_steps(&self, text: &mut String, indent: &str) {
        self.write_all_steps(text, indent, self.reports_overflow);
    }

    /// Where the element `i` lies in what is walked by strides: `in0_offset`.
    pub(crate) fn write_offsets(&self, text: &mut String, indent: &str) {
        if self.is_strided() {
            let _ = writeln!(text, "{indent}unsigned long long rest = i, place;");
            for name in self.walkers() {
                let _ = writeln!(text, "{indent}long long {name}_offset = 0;");
            }
            for axis in (0..self.rank).rev() {
                // The first axis needs no division: what is left is its place.
                if axis == 0 {
                    let _ = writeln!(text, "{indent}place = rest;");
                } else {
                    let _ = writeln!(text, "{indent}place = rest % length{axis}; rest /= length{axis};");
                }
                for name in self.walkers() {
                    let _ =
                        writeln!(text, "{indent}{name}_offset += (long long)place * {name}_stride{axis};");
                }
            }
        }
    }

    fn write_all_steps(&self, text: &mut String, indent: &str, is_checked: bool) {
        self.write_offsets(text, indent);
        for (k, instruction) in self.instructions.iter().enumerate() {
            let _ = writeln!(
                text,
                "{indent}const {} v{k} = {};",
                register(instruction.dtype),
                self.value(instruction)
            );
            if let (true, Some((overflow, a, b))) = (is_checked, instruction.overflow()) {
                let _ = writeln!(text, "{indent}{}", overflow.to_cuda(a, b, k));
            }
        }
    }

    pub(crate) fn value(&self, instruction: &Instruction) -> String {
        let dtype = instruction.dtype;
        match instruction.operand {
            Operand::Input(k) => {
                let place = match self.inputs[k].1 {
                    View::Contiguous => "i".to_owned(),
                    View::Single => "0".to_owned(),
                    View::Strided => format!("in{k}_offset"),
                };
                loaded(self.inputs[k].0, &format!("in{k}[{place}]"))
            }
            Operand::Scalar(k) if self.scalars[k] == DType::Float16 => {
                loaded(DType::Float16, &format!("s{k}"))
            }
            Operand::Scalar(k) => format!("s{k}"),
            Operand::Index => cast(DType::UInt64, dtype, "i"),
            Operand::Cast(a) => cast(self.instructions[a].dtype, dtype, &format!("v{a}")),
            Operand::Unary(op, a) => rounded(dtype, unary(op, self.instructions[a].dtype, &format!("v{a}"))),
            // A comparison's type is boolean, which is never rounded.
            Operand::Binary(op, a, b) => {
                let operands = self.instructions[a].dtype;
                rounded(dtype, binary(op, operands, &format!("v{a}"), &format!("v{b}")))
            }
            Operand::Ternary(op, a, b, c) => {
                rounded(dtype, ternary(op, dtype, &format!("v{a}"), &format!("v{b}"), &format!("v{c}")))
            }
            Operand::Select(condition, a, b) => format!("v{condition} ? v{a} : v{b}"),
        }
    }
}

/// How an element lies in memory: half precision as its bits.
pub(crate) fn storage(dtype: DType) -> &'static str {
    if dtype == DType::Float16 { "unsigned short" } else { dtype.c() }
}

pub(crate) fn stored(dtype: DType, value: &str) -> String {
    if dtype == DType::Float16 { format!("gpurepl_float_to_half({value})") } else { value.to_owned() }
}

pub(crate) fn loaded(dtype: DType, text: &str) -> String {
    match dtype {
        DType::Float16 => format!("gpurepl_half_to_float({text})"),
        // A kernel of the user may have left any bits in a bool.
        DType::Bool => format!("*(const unsigned char *)&{text} != 0"),
        _ => text.to_owned(),
    }
}

/// A `float` that must be a half: rounded there and back.
fn rounded(dtype: DType, text: String) -> String {
    if dtype == DType::Float16 {
        format!("gpurepl_half_to_float(gpurepl_float_to_half({text}))")
    } else {
        text
    }
}

fn cast(from: DType, to: DType, a: &str) -> String {
    use DType::*;
    if from == to {
        return a.to_owned();
    }
    match (from, to) {
        (_, Bool) => {
            if from.is_complex() {
                format!("({a}.re != 0 || {a}.im != 0)")
            } else {
                format!("({a} != 0)")
            }
        }
        (Complex64 | Complex128, Complex64 | Complex128) => format!("{}({a})", to.c()),
        (Complex64 | Complex128, _) => cast(from.real(), to, &format!("{a}.re")),
        (_, Complex64 | Complex128) => format!("{}({})", to.c(), cast(from, to.real(), a)),
        (Float64, Float16) => format!("gpurepl_half_to_float(gpurepl_double_to_half({a}))"),
        // 64-bit integers pass through double: float would round twice.
        (Int64 | UInt64 | Int32 | UInt32, Float16) => {
            format!("gpurepl_half_to_float(gpurepl_double_to_half((double){a}))")
        }
        (_, Float16) => rounded(Float16, format!("(float){a}")),
        (Float16 | Float32 | Float64, _) if to.is_integer() => saturate(from, to, a),
        _ => format!("({}){a}", to.c()),
    }
}

/// The ends of an integer range in C, and as floats at or beyond them.
fn saturate(from: DType, to: DType, a: &str) -> String {
    let (low, high, low_limit, high_limit) = match to {
        DType::Int8 => ("-128", "127", "-128.0", "127.0"),
        DType::Int16 => ("-32768", "32767", "-32768.0", "32767.0"),
        DType::Int32 => ("-2147483647 - 1", "2147483647", "-2147483648.0", "2147483647.0"),
        DType::Int64 => (
            "-9223372036854775807ll - 1",
            "9223372036854775807ll",
            "-9223372036854775808.0",
            "9223372036854775808.0",
        ),
        DType::UInt8 => ("0", "255", "0.0", "255.0"),
        DType::UInt16 => ("0", "65535", "0.0", "65535.0"),
        DType::UInt32 => ("0", "4294967295u", "0.0", "4294967295.0"),
        _ => ("0", "18446744073709551615ull", "0.0", "18446744073709551616.0"),
    };
    let (float, to) = (register(from), to.c());
    format!(
        "gpurepl_saturate<{to}, {float}>({a}, {low}, {high}, ({float}){low_limit}, ({float}){high_limit})"
    )
}

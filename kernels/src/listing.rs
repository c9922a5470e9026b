//! Programs as a list of steps to read.

use std::fmt::Write as _;

use crate::{Operand, Program, View};

impl Program {
    /// The steps of the program, one in a line, as the host does them. `scalars` are
    /// the numbers' texts.
    ///
    /// ```
    /// use gpurepl_kernels::{BinaryOp, DType, Instruction, Operand, Program, View};
    /// let f32 = DType::Float32;
    /// let step = |operand| Instruction { dtype: f32, operand };
    /// let program = Program {
    ///     inputs: vec![(f32, View::Contiguous)],
    ///     scalars: vec![f32],
    ///     instructions: vec![
    ///         step(Operand::Input(0)),
    ///         step(Operand::Scalar(0)),
    ///         step(Operand::Binary(BinaryOp::Multiply, 0, 1)),
    ///     ],
    ///     output: View::Contiguous,
    ///     rank: 1,
    ///     reports_overflow: false,
    /// };
    /// assert_eq!(
    ///     program.to_listing(&["2".to_owned()]),
    ///     "v0: float32 = array 0\nv1: float32 = 2\nv2: float32 = multiply(v0, v1)\n"
    /// );
    /// ```
    pub fn to_listing(&self, scalars: &[String]) -> String {
        let mut text = String::new();
        for (number, step) in self.instructions.iter().enumerate() {
            let value = match step.operand {
                Operand::Input(input) => match self.inputs[input].1 {
                    View::Contiguous => format!("array {input}"),
                    View::Single => format!("array {input}, one element"),
                    View::Strided => format!("array {input}, by its strides"),
                },
                Operand::Scalar(scalar) => scalars[scalar].clone(),
                Operand::Index => "the element's place".to_owned(),
                Operand::Cast(a) => format!("convert(v{a})"),
                Operand::Unary(op, a) => format!("{}(v{a})", snake(&format!("{op:?}"))),
                Operand::Binary(op, a, b) => format!("{}(v{a}, v{b})", snake(&format!("{op:?}"))),
                Operand::Ternary(op, a, b, c) => format!("{}(v{a}, v{b}, v{c})", snake(&format!("{op:?}"))),
                Operand::Select(condition, a, b) => format!("where(v{condition}, v{a}, v{b})"),
            };
            let _ = writeln!(text, "v{number}: {} = {value}", step.dtype);
        }
        text
    }
}

/// `ArcSin` as `arc_sin`.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for one in name.chars() {
        if one.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(one.to_lowercase());
    }
    text
}

//! Running a program over a block of elements.

use gpurepl_kernels::{DType, Instruction, Operand, Overflow, Program, View};
use gpurepl_native::{
    Binary, Cast, Reporting, Ternary, Unary, binary, cast, index, reporting, select, ternary, unary,
};
use smallvec::{SmallVec, smallvec};

use super::super::memory::{Locked, Output};
use super::walk;
use crate::overflow;
use crate::scalar::ScalarBytes;
use crate::shape::Shape;
use crate::{Buffer, Strided};

/// Elements of a block: with a handful of values of 8 bytes it fills the
/// first-level cache of a CPU.
pub(crate) const BLOCK: usize = 1024;

/// What a machine works on; shared between those of all cores.
pub(crate) struct Task<'a> {
    pub(crate) program: &'a Program,
    pub(crate) inputs: &'a [Strided<'a>],
    pub(crate) scalars: &'a [ScalarBytes],
    pub(crate) shape: Shape,
    pub(crate) locked: &'a Locked<'a>,
    /// The buffer that the caller writes: inputs that lie in it are copied.
    pub(crate) output: Option<(&'a Buffer, Output<'a>)>,
}

/// Values of one instruction; `u128` is as aligned as any element.
type Register = Vec<u128>;

/// A list for each instruction of a program, of which most have a handful: an
/// operation of a thousand elements takes as long as a few allocations.
type Few<T> = SmallVec<[T; 8]>;

/// What an instruction does with a block, looked up before the loop.
enum Step {
    /// The value is in memory as it is.
    Borrow(usize),
    /// The value is copied from an input.
    Gather(usize),
    /// The value is the same for all blocks and has been filled in.
    Constant,
    Index(fn(&mut [u8], usize)),
    Cast(Cast, usize),
    Unary(Unary, usize),
    Binary(Binary, usize, usize),
    Ternary(Ternary, [usize; 3]),
    /// The same for a function whose overflow is reported.
    Reporting(Overflow, Reporting, Binary, usize, usize),
    Select(usize, usize, usize),
}

/// One core's registers for a program.
pub(crate) struct Machine<'a> {
    task: &'a Task<'a>,
    steps: Few<Step>,
    registers: Few<Register>,
    /// The register of each instruction; those whose values have been used
    /// for the last time are used again.
    places: Few<usize>,
}

impl<'a> Machine<'a> {
    /// A machine for blocks of at most `largest` elements.
    pub(crate) fn new(task: &'a Task<'a>, largest: usize) -> Machine<'a> {
        let instructions = &task.program.instructions;
        let steps: Few<Step> = (0..instructions.len()).map(|k| plan(task, k)).collect();
        let (places, count) = places(task.program, &steps);
        let mut registers: Few<Register> = smallvec![Register::new(); count];
        let last = steps.len() - 1;
        // `run_into` leaves the last value where it belongs.
        let is_direct = task.output.is_some() && task.program.output == View::Contiguous;
        for (k, step) in steps.iter().enumerate() {
            match step {
                Step::Borrow(_) => continue,
                Step::Constant => {}
                Step::Gather(input) if is_written(task, *input) => {}
                _ if k == last && is_direct => continue,
                _ => {}
            }
            let register = &mut registers[places[k]];
            let size = largest.min(BLOCK) * instructions[k].dtype.size();
            register.resize(register.len().max(size.div_ceil(16)), 0);
            if let Step::Constant = step {
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(register);
                let value = constant(task, &instructions[k]);
                fill(bytes, &value);
            }
        }
        Machine { task, steps, registers, places }
    }

    /// Runs a block and returns its values.
    pub(crate) fn run(&mut self, start: usize, count: usize) -> &[u8] {
        let last = self.steps.len() - 1;
        for k in 0..=last {
            self.step(k, start, count, None);
        }
        self.value(last, start, count)
    }

    /// Runs a block; its values go to `out`, which is asked for when nothing
    /// is read any more from the buffer that it lies in.
    pub(crate) fn run_into<'o>(&mut self, start: usize, count: usize, out: impl FnOnce() -> &'o mut [u8]) {
        let last = self.steps.len() - 1;
        for k in 0..last {
            self.step(k, start, count, None);
        }
        match self.steps[last] {
            Step::Borrow(_) | Step::Constant => out().copy_from_slice(self.value(last, start, count)),
            // `a.set(.., &a)`: what is read is what is written.
            Step::Gather(input) if is_written(self.task, input) => {
                self.step(last, start, count, None);
                out().copy_from_slice(self.value(last, start, count));
            }
            _ => self.step(last, start, count, Some(out())),
        }
    }

    /// The values of an instruction that has been run.
    fn value(&self, k: usize, start: usize, count: usize) -> &[u8] {
        let size = self.task.program.instructions[k].dtype.size();
        match self.steps[k] {
            Step::Borrow(input) => {
                let input = &self.task.inputs[input];
                self.task.locked.slice(input.buffer, (input.offset + start) * size, count * size)
            }
            _ => &bytemuck::cast_slice(&self.registers[self.places[k]])[..count * size],
        }
    }

    /// Runs one instruction, into its register or into `out`.
    fn step(&mut self, k: usize, start: usize, count: usize, out: Option<&mut [u8]>) {
        if let Step::Borrow(_) | Step::Constant = self.steps[k] {
            return;
        }
        // Out of the list while it is written: the others are read.
        let mut register = std::mem::take(&mut self.registers[self.places[k]]);
        let dtype = self.task.program.instructions[k].dtype;
        let target = match out {
            Some(out) => out,
            None => &mut bytemuck::cast_slice_mut(&mut register)[..count * dtype.size()],
        };
        match self.steps[k] {
            Step::Borrow(_) | Step::Constant => {}
            Step::Gather(input) => self.gather(input, dtype, start, target),
            Step::Index(fill) => fill(target, start),
            Step::Cast(cast, a) => cast(target, self.value(a, start, count)),
            Step::Unary(apply, a) => apply(target, self.value(a, start, count)),
            Step::Binary(apply, a, b) => {
                apply(target, self.value(a, start, count), self.value(b, start, count));
            }
            Step::Ternary(apply, operands) => {
                let [a, b, c] = operands.map(|operand| self.value(operand, start, count));
                apply(target, a, b, c);
            }
            Step::Reporting(overflow, apply, plain, a, b) => {
                let (a, b) = (self.value(a, start, count), self.value(b, start, count));
                if overflow::is_found(overflow) {
                    plain(target, a, b);
                } else if apply(target, a, b) {
                    overflow::found(overflow);
                }
            }
            Step::Select(condition, a, b) => select(
                target,
                self.value(condition, start, count),
                self.value(a, start, count),
                self.value(b, start, count),
                dtype.size(),
            ),
        }
        self.registers[self.places[k]] = register;
    }

    /// Copies a block of an input, element by element where it is strided.
    fn gather(&self, number: usize, dtype: DType, start: usize, target: &mut [u8]) {
        let input = &self.task.inputs[number];
        let size = dtype.size();
        match self.task.output {
            Some((buffer, output)) if std::ptr::eq(buffer, input.buffer) => {
                // SAFETY: an input in the written buffer is the result itself,
                // element for element, so no other core writes this block.
                let read = |at: usize, to: &mut [u8]| unsafe { output.read(at, to) };
                match self.task.program.inputs[number].1 {
                    View::Contiguous => read((input.offset + start) * size, target),
                    _ => walk::gather(input, self.task.shape, size, start, target, read),
                }
            }
            _ => {
                let bytes = self.task.locked.slice(input.buffer, 0, input.buffer.bytes());
                match self.task.program.inputs[number].1 {
                    View::Contiguous => {
                        let at = (input.offset + start) * size;
                        target.copy_from_slice(&bytes[at..at + target.len()]);
                    }
                    _ => walk::gather_slice(input, self.task.shape, size, start, target, bytes),
                }
            }
        }
        if dtype == DType::Bool {
            // A kernel of the user may have left any bits in a bool.
            for byte in target {
                *byte = u8::from(*byte != 0);
            }
        }
    }
}

/// Fills memory with one value, whose size divides the memory's: what has been
/// filled is copied, so that a block takes ten copies and not a thousand.
fn fill(bytes: &mut [u8], value: &[u8]) {
    let mut filled = value.len().min(bytes.len());
    bytes[..filled].copy_from_slice(&value[..filled]);
    while filled < bytes.len() {
        let more = filled.min(bytes.len() - filled);
        bytes.copy_within(..more, filled);
        filled += more;
    }
}

/// Whether a value is nothing but the condition of choices.
fn only_chooses(instructions: &[Instruction], of: usize) -> bool {
    let uses_otherwise = |instruction: &Instruction| match instruction.operand {
        Operand::Cast(a) | Operand::Unary(_, a) => a == of,
        Operand::Binary(_, a, b) | Operand::Select(_, a, b) => a == of || b == of,
        Operand::Ternary(_, a, b, c) => [a, b, c].contains(&of),
        Operand::Input(_) | Operand::Scalar(_) | Operand::Index => false,
    };
    of + 1 < instructions.len() && !instructions.iter().any(uses_otherwise)
}

/// What the instruction of this number does.
fn plan(task: &Task<'_>, of: usize) -> Step {
    let instructions = &task.program.instructions;
    let instruction = &instructions[of];
    let dtype = instruction.dtype;
    match instruction.operand {
        Operand::Input(k) => {
            let is_written = is_written(task, k);
            match task.program.inputs[k].1 {
                View::Single if !is_written => Step::Constant,
                // A kernel of the user may have left any bits in a bool, which a
                // choice takes as they are.
                View::Contiguous
                    if !is_written && (dtype != DType::Bool || only_chooses(instructions, of)) =>
                {
                    Step::Borrow(k)
                }
                _ => Step::Gather(k),
            }
        }
        Operand::Scalar(_) => Step::Constant,
        Operand::Index => Step::Index(index(dtype)),
        Operand::Cast(a) => Step::Cast(cast(instructions[a].dtype, dtype), a),
        Operand::Unary(op, a) => Step::Unary(unary(op, instructions[a].dtype), a),
        Operand::Binary(op, a, b) => {
            let plain = binary(op, instructions[a].dtype);
            match Overflow::of(op, dtype).filter(|_| task.program.reports_overflow) {
                Some(overflow) => Step::Reporting(overflow, reporting(overflow), plain, a, b),
                None => Step::Binary(plain, a, b),
            }
        }
        Operand::Ternary(op, a, b, c) => Step::Ternary(ternary(op, dtype), [a, b, c]),
        Operand::Select(condition, a, b) => Step::Select(condition, a, b),
    }
}

/// Whether an input lies in the buffer that the result goes to.
fn is_written(task: &Task<'_>, input: usize) -> bool {
    task.output.is_some_and(|(buffer, _)| std::ptr::eq(buffer, task.inputs[input].buffer))
}

/// The bytes of one element that is the same for all.
fn constant(task: &Task<'_>, instruction: &Instruction) -> Vec<u8> {
    let size = instruction.dtype.size();
    match instruction.operand {
        Operand::Scalar(k) => task.scalars[k].bytes().to_vec(),
        Operand::Input(k) if task.shape.size() > 0 => {
            let input = &task.inputs[k];
            let mut value = task.locked.slice(input.buffer, input.offset * size, size).to_vec();
            if instruction.dtype == DType::Bool {
                value[0] = u8::from(value[0] != 0);
            }
            value
        }
        _ => vec![0; size],
    }
}

/// A register for each instruction, and how many there are. Constants keep
/// theirs; others give theirs back after their last use.
fn places(program: &Program, steps: &[Step]) -> (Few<usize>, usize) {
    let operands = |k: usize| -> SmallVec<[usize; 3]> {
        match program.instructions[k].operand {
            Operand::Cast(a) | Operand::Unary(_, a) => smallvec![a],
            Operand::Binary(_, a, b) => smallvec![a, b],
            Operand::Ternary(_, a, b, c) | Operand::Select(a, b, c) => smallvec![a, b, c],
            Operand::Input(_) | Operand::Scalar(_) | Operand::Index => SmallVec::new(),
        }
    };
    let mut last_use: Few<usize> = (0..steps.len()).collect();
    for k in 0..steps.len() {
        for a in operands(k) {
            last_use[a] = k;
        }
    }
    let (mut free, mut count) = (Few::new(), 0);
    let mut places: Few<usize> = SmallVec::with_capacity(steps.len());
    for (k, step) in steps.iter().enumerate() {
        let keeps = matches!(step, Step::Constant | Step::Borrow(_));
        let place = if keeps { None } else { free.pop() };
        places.push(place.unwrap_or_else(|| {
            count += 1;
            count - 1
        }));
        let mut done = operands(k);
        done.sort_unstable();
        done.dedup();
        let ended = |a: &usize| last_use[*a] == k && !matches!(steps[*a], Step::Constant | Step::Borrow(_));
        free.extend(done.iter().filter(|a| ended(a)).map(|a| places[*a]));
    }
    (places, count)
}

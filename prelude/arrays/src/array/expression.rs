//! Expressions: put together into programs, and evaluated.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use gpurepl_kernels::{Cells, DType, FIGURES_BYTES, Instruction, Operand, Program, ReduceOp, View};
use smallvec::SmallVec;

use super::merged_axes::{merge_axes, order_axes};
use super::node::{Expression, Node, Operation, Place, State, Term};
use crate::device::operations::{
    Along, AxisReduction, Elementwise, Histogram, Operands, Reduction, Row, Scan, Summary,
};
use crate::device::{self, Context, Pending, Strided};
use crate::error::Result;
use crate::scalar::ScalarBytes;
use crate::shape::{Shape, Strides};

/// Every expression that may still have to be evaluated, oldest first.
static PENDING: Mutex<Vec<Weak<Node>>> = Mutex::new(Vec::new());

/// Notes a node to be evaluated at the end of the cell.
pub(super) fn remember(node: &Arc<Node>) {
    device::before_waiting(Pending { next: next_expression, settle_since });
    let mut pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
    if pending.len() == pending.capacity() {
        pending.retain(|node| node.upgrade().is_some_and(|node| node.is_pending()));
    }
    pending.push(Arc::downgrade(node));
}

/// Evaluates every expression that a handle still holds: the end of a cell.
///
/// # Errors
///
/// The first error; what could not be evaluated stays an expression.
pub fn settle() -> Result<()> {
    settle_those(|_| true)
}

/// [`settle`], except for expressions that only reductions have read: their
/// elements have not been requested.
pub fn settle_unread() -> Result<()> {
    settle_those(|node| !node.was_computed.load(Ordering::Relaxed))
}

/// The number of the next expression.
pub fn next_expression() -> u64 {
    super::node::BORN.load(Ordering::Relaxed)
}

/// [`settle`] for what this thread has written, from a number on.
pub fn settle_since(first: u64) -> Result<()> {
    let thread = super::node::this_thread();
    settle_those(|node| node.thread == thread && node.number >= first)
}

fn settle_those(is_asked_for: impl Fn(&Node) -> bool) -> Result<()> {
    // What a graph records is its own; others are done outside of it.
    let capture = device::capture_id();
    let mut pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
    let is_wanted =
        |node: &Weak<Node>| node.upgrade().is_none_or(|node| node.capture == capture && is_asked_for(&node));
    let (nodes, others): (Vec<_>, Vec<_>) = std::mem::take(&mut *pending).into_iter().partition(is_wanted);
    *pending = others;
    drop(pending);
    let mut result = Ok(());
    // The newest first: what only an expression holds goes into its kernel,
    // and is gone when its own turn comes.
    for node in nodes.iter().rev().filter_map(Weak::upgrade) {
        if let Err(error) = node.place() {
            remember(&node);
            // Told once, to whoever asks first; and to who reads the value.
            if !node.has_failed.swap(true, Ordering::Relaxed) {
                result = result.and(Err(error));
            }
        }
    }
    result
}

/// Evaluates a node's expression into memory of its own.
pub(super) fn evaluate(node: &Node, expression: &Expression) -> Result<Place> {
    let (shape, dtype) = (node.shape, node.dtype);
    // Should the node get its value from another thread meanwhile, this one is
    // not used.
    run(
        || build(shape, dtype, &expression.operation),
        |built| {
            let place = Place::within(built.context()?, shape, dtype)?;
            built.run(&place)?;
            Ok(place)
        },
    )
}

/// Evaluates an operation into a place that nothing else reads: memory that
/// is new, or whose readers have read.
pub(super) fn evaluate_operation(
    shape: Shape,
    dtype: DType,
    operation: &Operation,
    to: &Place,
) -> Result<()> {
    run(|| build(shape, dtype, operation), |built| built.run(to))
}

/// The elements of a node, in order, in memory of their own.
pub(super) fn evaluate_cast(node: &Arc<Node>) -> Result<Place> {
    let operation = Operation::Cast(Arc::clone(node));
    run(
        || build(node.shape, node.dtype, &operation),
        |built| {
            let place = Place::within(built.context()?, node.shape, node.dtype)?;
            built.run(&place)?;
            Ok(place)
        },
    )
}

fn build(shape: Shape, dtype: DType, operation: &Operation) -> Result<Built> {
    let mut builder = Builder::new(shape, operation);
    builder.operation(dtype, operation)?;
    Ok(builder.finish())
}

/// What the device would run for a node's expression; none of a node that has its
/// value. Parts that are computed on their own are computed.
pub(super) fn source(node: &Arc<Node>) -> Result<Option<String>> {
    let Some(expression) = node.expression() else { return Ok(None) };
    let mut builder = Builder::new(node.shape, &expression.operation);
    builder.is_shown = true;
    builder.operation(node.dtype, &expression.operation)?;
    let built = builder.finish();
    let kind = built.context()?.device().kind();
    let (program, inputs, shape) = built.laid_out(None);
    let operands = Operands { program: &program, inputs: &inputs, scalars: &built.scalars, shape };
    Ok(Some(device::operations::source(&operands, kind)))
}

/// Builds a program and runs it on what its expressions were written over: if
/// another thread is about to write that, it waits, or the expressions have
/// got their values already, which are read instead. See [`device::hold`].
fn run<R>(build: impl Fn() -> Result<Built>, run: impl FnOnce(&Built) -> Result<R>) -> Result<R> {
    loop {
        let built = build()?;
        if built.fused.is_empty() {
            return run(&built);
        }
        let _held = device::hold(built.inputs.iter().map(|(_, place, _)| &*place.buffer));
        // Expressions get their values once, so this ends.
        if built.fused.iter().all(|node| node.is_pending()) {
            return run(&built);
        }
    }
}

/// Reduces an array to one element of type `dtype` in a new buffer.
pub(super) fn reduce(node: &Arc<Node>, op: ReduceOp, dtype: DType) -> Result<Place> {
    node.note_reduction()?;
    // Half precision accumulates in single precision, and is rounded once.
    let accumulated = if dtype == DType::Float16 { DType::Float32 } else { dtype };
    let operation = Operation::Cast(Arc::clone(node));
    let build = || {
        let mut builder = Builder::new(node.shape, &operation);
        builder.fuse_root(node);
        builder.operation(accumulated, &operation)?;
        Ok(builder.finish())
    };
    let (context, place) = run(build, |built| {
        let context = built.context()?;
        let place = Place::within(context, Shape::SCALAR, accumulated)?;
        let (program, inputs, shape) = built.laid_out(None);
        let operands = Operands { program: &program, inputs: &inputs, scalars: &built.scalars, shape };
        context.perform(&Reduction { operands, op, output: &place.buffer })?;
        Ok((context, place))
    })?;
    if accumulated == dtype {
        return Ok(place);
    }
    let sum = Node::ready(Shape::SCALAR, accumulated, place);
    let rounded = Place::within(context, Shape::SCALAR, dtype)?;
    evaluate_operation(Shape::SCALAR, dtype, &Operation::Cast(sum), &rounded)?;
    Ok(rounded)
}

/// A program for an array's values in another type, for an operation that is
/// performed with it and leaves a result of some shape and type.
fn performed(
    node: &Arc<Node>,
    dtype: DType,
    (shape, result): (Shape, DType),
    perform: impl FnOnce(&Operands<'_>, Context, &Place) -> Result<()>,
) -> Result<Place> {
    node.note_reduction()?;
    let operation = Operation::Cast(Arc::clone(node));
    let build = || {
        let mut builder = Builder::new(node.shape, &operation);
        builder.fuse_root(node);
        builder.operation(dtype, &operation)?;
        Ok(builder.finish())
    };
    run(build, |built| {
        let context = built.context()?;
        let place = Place::within(context, shape, result)?;
        let (program, inputs, walked) = built.laid_out(None);
        let operands =
            Operands { program: &program, inputs: &inputs, scalars: &built.scalars, shape: walked };
        perform(&operands, context, &place)?;
        Ok(place)
    })
}

/// Reduces an array of at least one element over neighbouring axes, in a type
/// that is not of half precision; `left` is the shape of the result.
pub(super) fn reduce_axes(
    node: &Arc<Node>,
    op: ReduceOp,
    dtype: DType,
    axes: Range<usize>,
    left: Shape,
) -> Result<Place> {
    let along = Along::over(node.shape, axes);
    performed(node, dtype, (left, dtype), |operands, context, place| {
        context.perform(&AxisReduction { operands: *operands, along, op, output: &place.buffer })
    })
}

/// Running sums, products or extremes of an array of at least one element along
/// an axis, in a type that is not of half precision.
pub(super) fn scan(node: &Arc<Node>, op: ReduceOp, dtype: DType, axis: usize) -> Result<Place> {
    let along = Along::new(node.shape, axis);
    performed(node, dtype, (node.shape, dtype), |operands, context, place| {
        context.perform(&Scan { operands: *operands, along, op, output: &place.buffer })
    })
}

/// How many elements of an array, of one at least, lie between edges in ascending
/// order; `scale` is that of [`Histogram`].
pub(super) fn histogram(node: &Arc<Node>, edges: Row, scale: f64) -> Result<Place> {
    let counts = (Shape::new(&[edges.count - 1]), DType::Int64);
    performed(node, DType::Float64, counts, |operands, context, place| {
        fill(counts.0, super::rules::number(crate::scalar::Scalar::Int(0), DType::Int64)?, place)?;
        context.perform(&Histogram { operands: *operands, edges, scale, output: &place.buffer })
    })
}

/// Leaves the figures of an array's parts in a new buffer.
pub fn summarize(node: &Arc<Node>, cells: Cells) -> Result<Place> {
    // It is shown: its elements are wanted in memory too.
    node.place()?;
    let built = build(node.shape, node.dtype, &Operation::Cast(Arc::clone(node)))?;
    let context = built.context()?;
    let place = Place::within(context, Shape::new(&[cells.parts() * FIGURES_BYTES]), DType::UInt8)?;
    let (program, inputs, shape) = built.laid_out(None);
    let operands = Operands { program: &program, inputs: &inputs, scalars: &built.scalars, shape };
    context.perform(&Summary { operands, cells, output: &place.buffer })?;
    Ok(place)
}

/// Fills a place with one number.
pub(super) fn fill(shape: Shape, value: ScalarBytes, to: &Place) -> Result<()> {
    let instructions = vec![Instruction { dtype: value.dtype, operand: Operand::Scalar(0) }];
    Built { shape, inputs: Vec::new(), scalars: vec![value], instructions, fused: Vec::new() }.run(to)
}

/// Fills a place with `start + step*k` for its elements numbered by `k`,
/// computed in the type of `start` and `step` and converted once.
pub(super) fn arrange(
    shape: Shape,
    dtype: DType,
    start: ScalarBytes,
    step: ScalarBytes,
    to: &Place,
) -> Result<()> {
    let wide = start.dtype;
    let instruction = |dtype, operand| Instruction { dtype, operand };
    let mut instructions = vec![
        instruction(wide, Operand::Scalar(0)),
        instruction(wide, Operand::Scalar(1)),
        instruction(wide, Operand::Index),
        instruction(wide, Operand::Binary(gpurepl_kernels::BinaryOp::Multiply, 2, 1)),
        instruction(wide, Operand::Binary(gpurepl_kernels::BinaryOp::Add, 0, 3)),
    ];
    if wide != dtype {
        instructions.push(instruction(dtype, Operand::Cast(4)));
    }
    let (inputs, fused) = (Vec::new(), Vec::new());
    Built { shape, inputs, scalars: vec![start, step], instructions, fused }.run(to)
}

/// A number for each of some nodes: there are fifty at most, and two as a rule,
/// so a list is searched faster than a table.
#[derive(Default)]
struct FewNodes(SmallVec<[(*const Node, usize); 8]>);

impl FewNodes {
    fn get(&self, node: &Arc<Node>) -> Option<usize> {
        self.0.iter().find(|(known, _)| *known == Arc::as_ptr(node)).map(|(_, number)| *number)
    }

    fn set(&mut self, node: &Arc<Node>, number: usize) {
        match self.0.iter_mut().find(|(known, _)| *known == Arc::as_ptr(node)) {
            Some((_, old)) => *old = number,
            None => self.0.push((Arc::as_ptr(node), number)),
        }
    }
}

/// Puts an expression together: each node once, arrays and scalars numbered.
struct Builder {
    shape: Shape,
    /// How often each pending node is an operand within this expression.
    uses: FewNodes,
    /// The instruction of each node that has one.
    done: FewNodes,
    /// Keeps what `done` points at.
    held: SmallVec<[Arc<Node>; 8]>,
    inputs: Vec<(DType, Place, Strides)>,
    scalars: Vec<ScalarBytes>,
    instructions: Vec<Instruction>,
    /// A node that is computed here although a handle holds it.
    root: *const Node,
    /// The expressions that are part of this one.
    fused: Vec<Arc<Node>>,
    /// Whether the program is only looked at.
    is_shown: bool,
}

/// An expression as instructions over arrays.
struct Built {
    shape: Shape,
    inputs: Vec<(DType, Place, Strides)>,
    scalars: Vec<ScalarBytes>,
    instructions: Vec<Instruction>,
    /// The expressions whose operations are in it. The inputs are theirs as
    /// long as none of them has a value.
    fused: Vec<Arc<Node>>,
}

impl Builder {
    fn new(shape: Shape, operation: &Operation) -> Builder {
        let mut builder = Builder {
            shape,
            uses: FewNodes::default(),
            done: FewNodes::default(),
            held: SmallVec::new(),
            inputs: Vec::new(),
            scalars: Vec::new(),
            instructions: Vec::new(),
            root: std::ptr::null(),
            fused: Vec::new(),
            is_shown: false,
        };
        builder.count_uses(operation);
        builder
    }

    /// Lets a node be part of the program although its own handle remains.
    fn fuse_root(&mut self, node: &Arc<Node>) {
        self.root = Arc::as_ptr(node);
    }

    fn count_uses(&mut self, operation: &Operation) {
        for node in operation.arrays() {
            let uses = self.uses.get(node).unwrap_or(0) + 1;
            self.uses.set(node, uses);
            if uses == 1
                && let Some(expression) = node.expression()
            {
                self.count_uses(&expression.operation);
            }
        }
    }

    fn push(&mut self, dtype: DType, operand: Operand) -> usize {
        self.instructions.push(Instruction { dtype, operand });
        self.instructions.len() - 1
    }

    /// The instruction for an array's elements, in its own type.
    fn node(&mut self, node: &Arc<Node>) -> Result<usize> {
        if let Some(done) = self.done.get(node) {
            return Ok(done);
        }
        let instruction = match node.state() {
            State::Ready(place) => self.input(node, place),
            State::Pending(expression) => {
                // A node that is repeated would be computed for each repetition.
                // One that someone else holds may be asked for again: a variable
                // will, a temporary that was borrowed will not. Which of them it
                // is cannot be seen, so it is computed here the first time and
                // kept the second time. For a variable that moves no more bytes:
                // what the first time reads once more, it does not write.
                let others = Arc::strong_count(node) > self.uses.get(node).unwrap_or(0);
                let is_held = others && Arc::as_ptr(node) != self.root;
                let repeats = node.shape.size() < self.shape.size();
                if repeats || (is_held && !node.may_be_computed_again(!self.is_shown)) {
                    let place = node.place()?;
                    self.input(node, place)
                } else {
                    self.fused.push(Arc::clone(node));
                    self.operation(node.dtype, &expression.operation)?
                }
            }
        };
        self.done.set(node, instruction);
        self.held.push(Arc::clone(node));
        Ok(instruction)
    }

    fn input(&mut self, node: &Node, place: Place) -> usize {
        let strides = place.broadcast(node.shape, self.shape);
        let same = self.inputs.iter().position(|(dtype, other, steps)| {
            *dtype == node.dtype
                && Arc::ptr_eq(&other.buffer, &place.buffer)
                && other.offset == place.offset
                && *steps == strides
        });
        let number = same.unwrap_or_else(|| {
            self.inputs.push((node.dtype, place, strides));
            self.inputs.len() - 1
        });
        self.push(node.dtype, Operand::Input(number))
    }

    /// The instruction for an operand in a type.
    fn term(&mut self, term: &Term, dtype: DType) -> Result<usize> {
        match term {
            Term::Array(node) => {
                let value = self.node(node)?;
                Ok(self.cast(value, dtype))
            }
            Term::Scalar(scalar) => {
                self.scalars.push(*scalar);
                let value = self.push(scalar.dtype, Operand::Scalar(self.scalars.len() - 1));
                Ok(self.cast(value, dtype))
            }
        }
    }

    fn cast(&mut self, value: usize, dtype: DType) -> usize {
        if self.instructions[value].dtype == dtype { value } else { self.push(dtype, Operand::Cast(value)) }
    }

    fn operation(&mut self, dtype: DType, operation: &Operation) -> Result<usize> {
        Ok(match operation {
            Operation::Cast(node) => {
                let value = self.node(node)?;
                let value = self.cast(value, dtype);
                // The result is the last instruction, also where the node's
                // value stands earlier.
                if value + 1 == self.instructions.len() {
                    value
                } else {
                    self.push(dtype, Operand::Cast(value))
                }
            }
            Operation::Unary(op, node) => {
                let value = self.node(node)?;
                self.push(dtype, Operand::Unary(*op, value))
            }
            Operation::Binary(op, operands, a, b) => {
                let (a, b) = (self.term(a, *operands)?, self.term(b, *operands)?);
                self.push(dtype, Operand::Binary(*op, a, b))
            }
            Operation::Ternary(op, [a, b, c]) => {
                let (a, b, c) = (self.term(a, dtype)?, self.term(b, dtype)?, self.term(c, dtype)?);
                self.push(dtype, Operand::Ternary(*op, a, b, c))
            }
            Operation::Select(condition, a, b) => {
                let condition = self.node(condition)?;
                let condition = self.cast(condition, DType::Bool);
                let (a, b) = (self.term(a, dtype)?, self.term(b, dtype)?);
                self.push(dtype, Operand::Select(condition, a, b))
            }
            Operation::Index => self.push(dtype, Operand::Index),
        })
    }

    fn finish(self) -> Built {
        Built {
            shape: self.shape,
            inputs: self.inputs,
            scalars: self.scalars,
            instructions: self.instructions,
            fused: self.fused,
        }
    }
}

impl Built {
    /// The context of the arrays; the current one where there are none.
    ///
    /// # Errors
    ///
    /// If the arrays have several.
    fn context(&self) -> Result<Context> {
        let Some((_, first, _)) = self.inputs.first() else { return device::current() };
        let context = first.buffer.context();
        for (_, place, _) in &self.inputs[1..] {
            context.check_same("an array expression", place.buffer.context())?;
        }
        Ok(context)
    }

    /// Runs the program; its result goes to a place.
    fn run(&self, to: &Place) -> Result<()> {
        if self.shape.size() == 0 {
            return Ok(());
        }
        let context = to.buffer.context();
        if !self.inputs.is_empty() {
            context.check_same("an array expression", self.context()?)?;
        }
        let (mut program, inputs, shape) = self.laid_out(Some(to));
        let (inputs, output) = inputs.split_at(inputs.len() - 1);
        program.output = output[0].view(shape);
        let operands = Operands { program: &program, inputs, scalars: &self.scalars, shape };
        context.perform(&Elementwise { operands, output: output[0] })
    }

    /// The program for these arrays, with axes merged where every array (and
    /// the place of the result, which is then the last of the list) allows it.
    fn laid_out<'a>(&'a self, to: Option<&'a Place>) -> (Program, Vec<Strided<'a>>, Shape) {
        let mut walked: Vec<Strided<'_>> = self
            .inputs
            .iter()
            .map(|(_, place, strides)| Strided {
                buffer: &place.buffer,
                offset: place.offset,
                strides: *strides,
            })
            .collect();
        walked.extend(to.map(Place::strided));
        let is_numbered = self.instructions.iter().any(|step| step.operand == Operand::Index);
        let shape = match to {
            Some(to) if !is_numbered => order_axes(self.shape, &to.strides, &mut walked),
            _ => self.shape,
        };
        let shape = merge_axes(shape, &mut walked);
        let views = self.inputs.iter().zip(&walked);
        let mut program = Program {
            inputs: views.map(|((dtype, ..), walk)| (*dtype, walk.view(shape))).collect(),
            scalars: self.scalars.iter().map(|scalar| scalar.dtype).collect(),
            instructions: self.instructions.clone(),
            output: View::Contiguous,
            rank: shape.rank(),
            reports_overflow: false,
        };
        program.reports_overflow = program.may_overflow() && device::reports_overflow();
        (program, walked, shape)
    }
}

/// Whether one of an operation's arrays lies in the buffer that is written,
/// but not element for element where the result goes: then the result needs
/// memory of its own first.
pub(super) fn overlaps(operation: &Operation, shape: Shape, dtype: DType, to: &Place) -> bool {
    operation.arrays().any(|node| match node.state() {
        State::Ready(place) => {
            // Offsets and strides count elements, whose sizes differ by type.
            let same = node.dtype == dtype
                && node.shape == shape
                && place.offset == to.offset
                && place.strides == to.strides;
            Arc::ptr_eq(&place.buffer, &to.buffer) && !same
        }
        State::Pending(expression) => overlaps(&expression.operation, shape, dtype, to),
    })
}

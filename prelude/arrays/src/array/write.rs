//! Writing over the elements of an array.

use std::sync::Arc;

use gpurepl_kernels::{BinaryOp, DType};
use smallvec::SmallVec;

use super::expression;
use super::node::{Node, Operation, Place, Term};
use super::raw::{Raw, Value};
use super::rules::{check_defined, check_exponents, check_kind, number};
use crate::device::Buffer;
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::{MAX_RANK, Shape};

impl Raw {
    /// `self = self op value`, in the memory that it has.
    pub(super) fn try_assign(&mut self, op: BinaryOp, value: Value) -> Result<()> {
        let dtype = self.dtype();
        let (shape, term) = match value {
            Value::Array(array) => (array.shape(), array.term()),
            Value::Scalar(scalar) => (Shape::SCALAR, Term::Scalar(number(scalar, dtype)?)),
        };
        check_defined(op, dtype)?;
        check_exponents(op, dtype, &term)?;
        let own = self.shape();
        if own.broadcast(shape, op.name())? != own {
            return Err(Problem::Broadcast {
                operation: op.name(),
                left: own.lengths().to_vec(),
                right: shape.lengths().to_vec(),
            }
            .into());
        }
        let node = self.node_mut();
        let operation = Operation::Binary(op, dtype, Term::Array(Arc::clone(node)), term);
        // Nobody else can see this array, so it need not be in memory yet:
        // `z += &x; z *= 2.0` is one kernel too. The operation holds the second.
        if Arc::strong_count(node) == 2 && node.is_pending() {
            *node = Node::pending(own, dtype, operation)?;
            return Ok(());
        }
        let place = node.place()?;
        check_distinct(op.name(), own, &place)?;
        write(own, dtype, operation, &place)
    }

    #[track_caller]
    pub(super) fn assign(&mut self, op: BinaryOp, value: Value) {
        self.try_assign(op, value).or_raise();
    }

    /// Writes a value, converted and stretched, over all elements.
    pub(crate) fn try_store(&mut self, value: Value) -> Result<()> {
        let node = Arc::clone(self.node_mut());
        store(&node, value)
    }

    /// Writes a value where a mask of the same shape holds.
    pub(super) fn try_store_where(&mut self, mask: &Raw, value: Value) -> Result<()> {
        let node = Arc::clone(self.node_mut());
        let (shape, dtype) = (node.shape, node.dtype);
        if mask.shape() != shape {
            return Err(Problem::Broadcast {
                operation: "set",
                left: shape.lengths().to_vec(),
                right: mask.shape().lengths().to_vec(),
            }
            .into());
        }
        let value = match value {
            Value::Array(array) => {
                check_stretches("set", shape, array.shape())?;
                check_kind("set", array.dtype(), dtype)?;
                array.term()
            }
            Value::Scalar(scalar) => Term::Scalar(number(scalar, dtype)?),
        };
        let place = node.place()?;
        check_distinct("set", shape, &place)?;
        let operation = Operation::Select(mask.node().into_owned(), value, Term::Array(node));
        write(shape, dtype, operation, &place)
    }
}

/// Writes a value, converted and stretched, over all elements of a node.
pub(super) fn store(node: &Arc<Node>, value: Value) -> Result<()> {
    let place = node.place()?;
    check_distinct("set", node.shape, &place)?;
    match value {
        Value::Scalar(scalar) => {
            let scalar = number(scalar, node.dtype)?;
            place.buffer.before_write()?;
            expression::fill(node.shape, scalar, &place)
        }
        Value::Array(array) => {
            check_stretches("set", node.shape, array.shape())?;
            check_kind("set", array.dtype(), node.dtype)?;
            let operation = Operation::Cast(array.node().into_owned());
            // Without its handle an expression is part of the kernel that writes.
            drop(array);
            write(node.shape, node.dtype, operation, &place)
        }
    }
}

/// Copies bytes between buffers, or within one.
pub(crate) fn copy_bytes(to: (&Arc<Buffer>, usize), from: (&Arc<Buffer>, usize), bytes: usize) -> Result<()> {
    if !Arc::ptr_eq(to.0, from.0) {
        to.0.before_write()?;
        if bytes == 0 {
            return Ok(());
        }
        return to.0.context().copy((to.0, to.1), (from.0, from.1), bytes);
    }
    let shape = Shape::new(&[bytes]);
    let place = |(buffer, offset): (&Arc<Buffer>, usize)| Place {
        buffer: Arc::clone(buffer),
        offset,
        strides: shape.strides(),
    };
    let from = Node::ready(shape, DType::UInt8, place(from));
    write(shape, DType::UInt8, Operation::Cast(from), &place(to))
}

pub(super) fn check_stretches(operation: &'static str, to: Shape, from: Shape) -> Result<()> {
    match to.broadcast(from, operation) {
        Ok(shape) if shape == to => Ok(()),
        _ => {
            Err(Problem::Broadcast { operation, left: to.lengths().to_vec(), right: from.lengths().to_vec() }
                .into())
        }
    }
}

/// Whether elements lie at one place: the largest axes' steps are not longer than
/// all smaller axes together.
pub(crate) fn repeats(shape: Shape, place: &Place) -> bool {
    let axes = shape.lengths().iter().zip(place.strides);
    let walked = |(length, stride): (&usize, isize)| (stride.unsigned_abs(), *length - 1);
    let mut axes: SmallVec<[(usize, usize); MAX_RANK]> =
        axes.filter(|(length, _)| **length > 1).map(walked).collect();
    axes.sort_unstable();
    let mut farthest = 0;
    axes.into_iter().any(|(stride, steps)| {
        let is_within = stride <= farthest;
        farthest += stride * steps;
        is_within
    })
}

/// Refuses to write a view that repeats elements: what `broadcast_to` and
/// `sliding_window_view` give.
pub(super) fn check_distinct(operation: &'static str, shape: Shape, place: &Place) -> Result<()> {
    if shape.size() == 0 || !repeats(shape, place) {
        return Ok(());
    }
    // NumPy's words.
    let message = format!(
        "assignment destination is read-only: a view of shape {shape:?} that repeats elements\n  = help: write to a \
         copy: `let mut b = a.copy();`"
    );
    Err(Problem::Invalid { operation, message }.into())
}

/// Evaluates an operation over memory that is in use.
fn write(shape: Shape, dtype: DType, operation: Operation, place: &Place) -> Result<()> {
    // Whoever still has to read what is there reads it now.
    place.buffer.before_write()?;
    if !expression::overlaps(&operation, shape, dtype, place) {
        return expression::evaluate_operation(shape, dtype, &operation, place);
    }
    let apart = Place::within(place.buffer.context(), shape, dtype)?;
    expression::evaluate_operation(shape, dtype, &operation, &apart)?;
    let apart = Node::ready(shape, dtype, apart);
    expression::evaluate_operation(shape, dtype, &Operation::Cast(apart), place)
}

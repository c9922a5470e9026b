//! The untyped handle that every array is a typed shell over.
//!
//! Every cell compiles what it uses of [`GpuArray`](super::GpuArray), so the
//! generic part only converts arguments; the work is done by the functions
//! here, compiled once. For the same reason the handle is a trait object:
//! dropping one is a call, where an `Arc` in its place would have each cell
//! compile the code that frees an array.

use std::borrow::Cow;
use std::sync::Arc;

use gpurepl_kernels::{BinaryOp, DType, Kind, ReduceOp, UnaryOp};

use once_cell::race::OnceBox;

use super::expression;
use super::lent::{self, Extent, Views};
use super::node::{Node, Operation, Place, State, Term};
use crate::device::{Buffer, Context};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::{Scalar, ScalarBytes};
use crate::shape::{Dims, Shape};

/// A handle to an array of any type. Clones share the array's memory.
pub struct Raw(Box<dyn Handle>);

/// An array, or a view that another handle has lent.
pub(super) trait Handle: Send + Sync {
    /// The array's own node; for a view the one that it lies in.
    fn base(&self) -> &Arc<Node>;

    /// Which elements of its base a view has.
    fn extent(&self) -> Option<Extent<'_>>;

    /// The views that this handle has lent.
    fn views(&self) -> &OnceBox<Views>;

    /// The node, for a handle to change, and no lent view left; none of a view,
    /// which nobody can use mutably where it is.
    fn own(&mut self) -> Option<&mut Arc<Node>>;
}

struct Own {
    node: Arc<Node>,
    views: OnceBox<Views>,
}

impl Handle for Own {
    fn base(&self) -> &Arc<Node> {
        &self.node
    }

    fn extent(&self) -> Option<Extent<'_>> {
        None
    }

    fn views(&self) -> &OnceBox<Views> {
        &self.views
    }

    fn own(&mut self) -> Option<&mut Arc<Node>> {
        self.views = OnceBox::new();
        Some(&mut self.node)
    }
}

impl Clone for Raw {
    #[inline(never)]
    fn clone(&self) -> Raw {
        Raw::new(self.node().into_owned())
    }
}

/// An operand of an operation: another array or a number.
pub enum Value {
    /// An array of any type.
    Array(Raw),
    /// A number.
    Scalar(Scalar),
}

impl Raw {
    #[doc(hidden)]
    pub fn new(node: Arc<Node>) -> Raw {
        Raw::from_handle(Own { node, views: OnceBox::new() })
    }

    pub(super) fn from_handle(handle: impl Handle + 'static) -> Raw {
        Raw(Box::new(handle))
    }

    /// The node; a lent view, which has none of its own, gets a new one.
    pub(crate) fn node(&self) -> Cow<'_, Arc<Node>> {
        match self.extent() {
            None => Cow::Borrowed(self.0.base()),
            Some(extent) => Cow::Owned(lent::node(self.0.base(), &extent)),
        }
    }

    pub(super) fn extent(&self) -> Option<Extent<'_>> {
        self.0.extent()
    }

    /// Before a handle is used mutably: lent views can have no borrower left.
    fn node_mut(&mut self) -> &mut Arc<Node> {
        if self.0.extent().is_some() {
            *self = self.clone();
        }
        self.0.own().expect("a handle that is not a view")
    }

    /// Lets go of the views that indexing has lent.
    pub(super) fn forget_views(&mut self) {
        self.node_mut();
    }

    /// Keeps a view, of this handle's own memory, and lends it.
    pub(super) fn lend(&self, shape: Shape, place: &Place) -> &Raw {
        let strides = &place.strides[..shape.rank()];
        let extent = Extent { offset: place.offset, lengths: shape.lengths(), strides };
        self.0.views().get_or_init(Box::default).lend(self.0.base(), &extent)
    }

    #[doc(hidden)]
    pub fn shape(&self) -> Shape {
        self.extent().map_or_else(|| self.0.base().shape, |extent| Shape::new(extent.lengths))
    }

    #[doc(hidden)]
    pub fn dtype(&self) -> DType {
        self.0.base().dtype
    }

    /// Where the elements are, if they have been computed.
    #[doc(hidden)]
    pub fn place_if_ready(&self) -> Option<Place> {
        match (self.extent(), self.0.base().state()) {
            (Some(extent), _) => Some(lent::place(self.0.base(), &extent)),
            (None, State::Ready(place)) => Some(place),
            (None, State::Pending(_)) => None,
        }
    }

    #[doc(hidden)]
    pub fn place(&self) -> Result<Place> {
        match self.extent() {
            None => self.0.base().place(),
            Some(extent) => Ok(lent::place(self.0.base(), &extent)),
        }
    }

    /// The context of its memory; none for an expression over no array.
    #[doc(hidden)]
    pub fn context(&self) -> Option<Context> {
        self.0.base().context()
    }

    /// Lengths of the axes; not generic, so that cells call it.
    pub(super) fn lengths(&self) -> &[usize] {
        self.extent().map_or_else(|| self.0.base().shape.lengths(), |extent| extent.lengths)
    }

    pub(super) fn size(&self) -> usize {
        self.shape().size()
    }

    fn pending(shape: Shape, dtype: DType, operation: Operation) -> Result<Raw> {
        Node::pending(shape, dtype, operation).map(Raw::new)
    }

    fn term(&self) -> Term {
        Term::Array(self.node().into_owned())
    }

    /// An operation of two arrays, done in `operands` with an answer in `dtype`.
    pub(super) fn try_binary(op: BinaryOp, a: &Raw, b: &Raw, operands: DType, dtype: DType) -> Result<Raw> {
        check_defined(op, operands)?;
        check_exponents(op, operands, &b.term())?;
        let shape = a.shape().broadcast(b.shape(), op.name())?;
        Raw::pending(shape, dtype, Operation::Binary(op, operands, a.term(), b.term()))
    }

    /// An operation of an array and a number; `reversed` if the number comes
    /// first.
    pub(super) fn try_scalar(
        op: BinaryOp,
        a: &Raw,
        scalar: Scalar,
        reversed: bool,
        operands: DType,
        dtype: DType,
    ) -> Result<Raw> {
        check_defined(op, operands)?;
        let scalar = Term::Scalar(number(scalar, operands)?);
        let (first, second) = if reversed { (scalar, a.term()) } else { (a.term(), scalar) };
        check_exponents(op, operands, &second)?;
        Raw::pending(a.shape(), dtype, Operation::Binary(op, operands, first, second))
    }

    /// A comparison, in the type that holds both sides.
    pub(super) fn try_compare(op: BinaryOp, a: &Raw, value: Value) -> Result<Raw> {
        match value {
            Value::Array(b) => match (a.dtype(), b.dtype()) {
                (left, DType::UInt64) if left.kind() == Kind::Signed => Raw::compare_signs(op, a, &b),
                (DType::UInt64, right) if right.kind() == Kind::Signed => {
                    Raw::compare_signs(op.reversed(), &b, a)
                }
                (left, right) => Raw::try_binary(op, a, &b, left.promote(right), DType::Bool),
            },
            // Beyond every element; as floats the largest would be equal.
            Value::Scalar(Scalar::UInt(_)) if a.dtype() == DType::Int64 => {
                let is_so = matches!(op, BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::NotEqual);
                let always = if is_so { BinaryOp::GreaterEqual } else { BinaryOp::Less };
                Raw::try_scalar(always, a, Scalar::Int(i64::MIN), false, DType::Int64, DType::Bool)
            }
            Value::Scalar(scalar) => {
                let mut operands = weak_dtype(a.dtype(), scalar);
                // `bytes.lt(300)` has an answer, though no byte is 300.
                if scalar.to_bytes(operands).is_none() {
                    operands = operands.promote(if let Scalar::UInt(_) = scalar {
                        DType::UInt64
                    } else {
                        DType::Int64
                    });
                }
                Raw::try_scalar(op, a, scalar, false, operands, DType::Bool)
            }
        }
    }

    /// Signed integers compared with those of 64 bits that have no sign, of
    /// which no type holds both: the negative ones are less than all others.
    fn compare_signs(op: BinaryOp, signed: &Raw, unsigned: &Raw) -> Result<Raw> {
        let is_so = matches!(op, BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::NotEqual);
        let (sign, join) =
            if is_so { (BinaryOp::Less, BinaryOp::Or) } else { (BinaryOp::GreaterEqual, BinaryOp::And) };
        let by_sign = Raw::try_scalar(sign, signed, Scalar::Int(0), false, signed.dtype(), DType::Bool)?;
        let by_value = Raw::try_binary(op, signed, unsigned, DType::UInt64, DType::Bool)?;
        Raw::try_binary(join, &by_sign, &by_value, DType::Bool, DType::Bool)
    }

    /// An operation whose answer has the type of its operands: `dtype`, which
    /// holds both arrays. A number takes the array's type.
    pub(super) fn try_promoted(op: BinaryOp, a: &Raw, value: Value, dtype: DType) -> Result<Raw> {
        match value {
            Value::Array(b) => Raw::try_binary(op, a, &b, dtype, dtype),
            Value::Scalar(scalar) => Raw::try_scalar(op, a, scalar, false, dtype, dtype),
        }
    }

    // The terse forms, which panic with the error. Operators name these.

    #[track_caller]
    pub(super) fn binary(op: BinaryOp, a: &Raw, b: &Raw, operands: DType, dtype: DType) -> Raw {
        Raw::try_binary(op, a, b, operands, dtype).or_raise()
    }

    #[track_caller]
    pub(super) fn scalar(op: BinaryOp, a: &Raw, scalar: Scalar, reversed: bool, dtype: DType) -> Raw {
        Raw::try_scalar(op, a, scalar, reversed, dtype, dtype).or_raise()
    }

    #[track_caller]
    pub(super) fn compare(op: BinaryOp, a: &Raw, value: Value) -> Raw {
        Raw::try_compare(op, a, value).or_raise()
    }

    #[track_caller]
    pub(super) fn promoted(op: BinaryOp, a: &Raw, value: Value, dtype: DType) -> Raw {
        Raw::try_promoted(op, a, value, dtype).or_raise()
    }

    #[track_caller]
    pub(super) fn select(condition: &Raw, a: Value, b: Value, dtype: DType) -> Raw {
        Raw::try_select(condition, a, b, dtype).or_raise()
    }

    #[track_caller]
    pub(super) fn power(a: &Raw, exponent: Value, dtype: DType) -> Raw {
        Raw::try_power(a, exponent, dtype).or_raise()
    }

    /// A function of one array, done in `operand` with an answer in `dtype`.
    #[track_caller]
    #[doc(hidden)]
    pub fn unary(op: UnaryOp, a: &Raw, operand: DType, dtype: DType) -> Raw {
        let converted = a.cast(operand);
        Raw::pending(a.shape(), dtype, Operation::Unary(op, converted.node().into_owned())).or_raise()
    }

    /// The same values in another type; the array itself if it has that type.
    #[track_caller]
    #[doc(hidden)]
    pub fn cast(&self, dtype: DType) -> Raw {
        if self.dtype() == dtype { self.clone() } else { self.converted(dtype) }
    }

    /// A new array of the same values in another type, or the same.
    #[track_caller]
    pub(super) fn converted(&self, dtype: DType) -> Raw {
        Raw::pending(self.shape(), dtype, Operation::Cast(self.node().into_owned())).or_raise()
    }

    /// A whole power by repeated multiplication, which is exact where the
    /// products are; any other power by the function.
    pub(super) fn try_power(a: &Raw, exponent: Value, dtype: DType) -> Result<Raw> {
        let Value::Scalar(Scalar::Int(exponent @ 1..=16)) = exponent else {
            return Raw::try_promoted(BinaryOp::Power, a, exponent, dtype);
        };
        let times = |x: &Raw, y: &Raw| Raw::try_binary(BinaryOp::Multiply, x, y, a.dtype(), a.dtype());
        let (mut square, mut left) = (a.clone(), exponent);
        while left & 1 == 0 {
            square = times(&square, &square)?;
            left >>= 1;
        }
        let mut result = square.clone();
        while left > 1 {
            left >>= 1;
            square = times(&square, &square)?;
            if left & 1 == 1 {
                result = times(&result, &square)?;
            }
        }
        Ok(result)
    }

    pub(super) fn try_select(condition: &Raw, a: Value, b: Value, dtype: DType) -> Result<Raw> {
        let mut shape = condition.shape();
        let mut term = |value: Value| -> Result<Term> {
            Ok(match value {
                Value::Array(array) => {
                    shape = shape.broadcast(array.shape(), "where_")?;
                    array.term()
                }
                Value::Scalar(scalar) => Term::Scalar(number(scalar, dtype)?),
            })
        };
        let (a, b) = (term(a)?, term(b)?);
        Raw::pending(shape, dtype, Operation::Select(condition.node().into_owned(), a, b))
    }

    pub(super) fn try_reduce(&self, op: ReduceOp, dtype: DType) -> Result<Raw> {
        if self.size() == 0 && !op.has_identity() {
            let message = "an array of no elements has none".to_owned();
            return Err(Problem::Shape { operation: op.name(), message }.into());
        }
        check_defined(op.combining(), dtype)?;
        let place = expression::reduce(&self.node(), op, dtype)?;
        Ok(Raw::new(Node::ready(Shape::SCALAR, dtype, place)))
    }

    #[track_caller]
    pub(super) fn reduce(&self, op: ReduceOp, dtype: DType) -> Raw {
        self.try_reduce(op, dtype).or_raise()
    }

    // Writing.

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
        write(own, dtype, operation, &place)
    }

    #[track_caller]
    pub(super) fn assign(&mut self, op: BinaryOp, value: Value) {
        self.try_assign(op, value).or_raise();
    }

    /// Writes a value, converted and stretched, over all elements.
    pub(super) fn try_store(&mut self, value: Value) -> Result<()> {
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
                check_stretches(shape, array.shape())?;
                check_kind("set", array.dtype(), dtype)?;
                array.term()
            }
            Value::Scalar(scalar) => Term::Scalar(number(scalar, dtype)?),
        };
        let place = node.place()?;
        let operation = Operation::Select(mask.node().into_owned(), value, Term::Array(node));
        write(shape, dtype, operation, &place)
    }

    /// The same elements in another shape: a view where the strides allow it.
    pub(crate) fn try_reshape(&self, dims: Dims) -> Result<Raw> {
        let shape = dims.reshaped(self.shape())?;
        let place = self.contiguous()?;
        let place = Place { strides: shape.strides(), ..place };
        Ok(Raw::new(Node::ready(shape, self.dtype(), place)))
    }

    /// A place where the elements lie in order: this array's own, or a copy.
    #[doc(hidden)]
    pub fn contiguous(&self) -> Result<Place> {
        let place = self.place()?;
        if place.strided().view(self.shape()) == gpurepl_kernels::View::Contiguous {
            return Ok(place);
        }
        self.copied()
    }

    /// A copy of the elements, in order.
    pub(super) fn copied(&self) -> Result<Place> {
        if let Some(from) = self.place_if_ready()
            && from.strided().view(self.shape()) == gpurepl_kernels::View::Contiguous
            && self.size() > 0
        {
            let size = self.dtype().size();
            let to = Place::within(from.buffer.context(), self.shape(), self.dtype())?;
            to.buffer.context().copy(
                (&to.buffer, 0),
                (&from.buffer, from.offset * size),
                self.size() * size,
            )?;
            return Ok(to);
        }
        expression::evaluate_cast(&self.node())
    }
}

/// Writes a value, converted and stretched, over all elements of a node.
pub(super) fn store(node: &Arc<Node>, value: Value) -> Result<()> {
    let place = node.place()?;
    match value {
        Value::Scalar(scalar) => {
            let scalar = number(scalar, node.dtype)?;
            place.buffer.before_write()?;
            expression::fill(node.shape, scalar, &place)
        }
        Value::Array(array) => {
            check_stretches(node.shape, array.shape())?;
            check_kind("set", array.dtype(), node.dtype)?;
            write(node.shape, node.dtype, Operation::Cast(array.node().into_owned()), &place)
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

fn check_stretches(to: Shape, from: Shape) -> Result<()> {
    match to.broadcast(from, "set") {
        Ok(shape) if shape == to => Ok(()),
        _ => Err(Problem::Broadcast {
            operation: "set",
            left: to.lengths().to_vec(),
            right: from.lengths().to_vec(),
        }
        .into()),
    }
}

/// Evaluates an operation over memory that is in use.
fn write(shape: Shape, dtype: DType, operation: Operation, place: &Place) -> Result<()> {
    // Whoever still has to read what is there reads it now.
    place.buffer.before_write()?;
    if !expression::overlaps(&operation, shape, place) {
        return expression::evaluate_operation(shape, dtype, &operation, place);
    }
    let apart = Place::within(place.buffer.context(), shape, dtype)?;
    expression::evaluate_operation(shape, dtype, &operation, &apart)?;
    let apart = Node::ready(shape, dtype, apart);
    expression::evaluate_operation(shape, dtype, &Operation::Cast(apart), place)
}

/// A number as an element of a type.
pub(crate) fn number(scalar: Scalar, dtype: DType) -> Result<ScalarBytes> {
    scalar.to_bytes(dtype).ok_or_else(|| Problem::Value { value: scalar.to_string(), dtype }.into())
}

/// The type of arithmetic between an array and a number: the number takes the
/// array's type if its kind allows that, as in NumPy.
pub(super) fn weak_dtype(array: DType, scalar: Scalar) -> DType {
    match scalar {
        Scalar::Bool(_) => array,
        Scalar::Int(_) | Scalar::UInt(_) if array == DType::Bool => DType::Int32,
        Scalar::Int(_) | Scalar::UInt(_) => array,
        Scalar::Float(_) if array.is_float() || array.is_complex() => array,
        Scalar::Float(_) => DType::Float64,
        Scalar::Complex(..) if array.is_complex() => array,
        Scalar::Complex(..) if array == DType::Float32 || array == DType::Float16 => DType::Complex64,
        Scalar::Complex(..) => DType::Complex128,
    }
}

/// Refuses a conversion that loses a fraction, an imaginary part or a sign
/// without being asked to: NumPy's `same_kind`.
fn check_kind(operation: &'static str, from: DType, to: DType) -> Result<()> {
    if from.kind() <= to.kind() {
        return Ok(());
    }
    let what = if from.is_complex() { "imaginary parts" } else { "fractions" };
    let message = format!(
        "{from} values do not fit an array of {to}\n  = help: an array of {from} can hold them: \
         `a.astype({})`; `.astype({})` of the values would drop their {what}",
        from.rust(),
        to.rust()
    );
    Err(Problem::DType { operation, message }.into())
}

/// Refuses what has no meaning for a type.
pub(super) fn check_defined(op: BinaryOp, dtype: DType) -> Result<()> {
    use BinaryOp::*;
    let help = match op {
        Subtract if dtype == DType::Bool => "booleans have no difference; use `^`",
        And | Or | Xor if dtype.is_float() || dtype.is_complex() => "bits are for integers and booleans",
        LeftShift | RightShift if !dtype.is_integer() => "shifts are for integers",
        FloorDivide | Remainder | Power if dtype.is_complex() => "complex numbers have none",
        _ => return Ok(()),
    };
    Err(Problem::DType { operation: op.name(), message: format!("not for {dtype}: {help}") }.into())
}

/// Integers have no negative powers; NumPy refuses them as well.
fn check_exponents(op: BinaryOp, dtype: DType, exponent: &Term) -> Result<()> {
    if op != BinaryOp::Power || !dtype.is_integer() {
        return Ok(());
    }
    let lowest = match exponent {
        Term::Scalar(scalar) => *scalar,
        Term::Array(node) if node.shape.size() == 0 || node.dtype.kind() < DType::Int8.kind() => {
            return Ok(());
        }
        Term::Array(node) => {
            let lowest = Raw::new(Arc::clone(node)).try_reduce(ReduceOp::Minimum, node.dtype)?;
            let bytes = super::transfer::download(&lowest)?;
            match i128_of(node.dtype, &bytes) {
                Some(lowest) if lowest < 0 => return Err(negative_exponent()),
                _ => return Ok(()),
            }
        }
    };
    match i128_of(lowest.dtype, lowest.bytes()) {
        Some(lowest) if lowest < 0 => Err(negative_exponent()),
        _ => Ok(()),
    }
}

fn negative_exponent() -> crate::Error {
    let message = "integers have no negative powers; use floats: `a.astype(f64).pow(..)`".to_owned();
    Problem::DType { operation: "power", message }.into()
}

/// An integer element as a number.
fn i128_of(dtype: DType, bytes: &[u8]) -> Option<i128> {
    Some(match dtype {
        DType::Int8 => i8::from_ne_bytes(bytes.try_into().ok()?).into(),
        DType::Int16 => i16::from_ne_bytes(bytes.try_into().ok()?).into(),
        DType::Int32 => i32::from_ne_bytes(bytes.try_into().ok()?).into(),
        DType::Int64 => i64::from_ne_bytes(bytes.try_into().ok()?).into(),
        _ => return None,
    })
}

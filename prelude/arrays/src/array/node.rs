//! What an array is behind its type: a place in memory, or an expression that
//! has not been evaluated yet.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use gpurepl_kernels::{BinaryOp, DType, TernaryOp, UnaryOp};

use super::expression;
use super::fusion;
use crate::device::{self, Buffer, Context, DeviceKind, Strided, Watcher, Watchers};
use crate::error::Result;
use crate::scalar::ScalarBytes;
use crate::shape::{Shape, Strides};

/// An array of a fixed shape and element type.
///
/// Handles, views and expressions share nodes. What a node stands for changes
/// once, from an expression to the place that holds its value.
#[doc(hidden)]
pub struct Node {
    pub(crate) shape: Shape,
    pub(crate) dtype: DType,
    state: Mutex<State>,
    /// Expressions over this one while it is an expression itself; from then
    /// on they watch its memory. Changed only while `state` is locked.
    readers: Watchers,
    /// The capture of a graph that the expression was written in, or zero.
    pub(super) capture: u64,
    /// Its place in the order of all.
    pub(super) number: u64,
    /// The thread that has written it.
    pub(super) thread: u64,
    /// Whether the failure of the expression has been reported.
    pub(super) has_failed: AtomicBool,
    /// Whether the expression has been computed once without being kept, by a
    /// reduction or as a part of another expression.
    pub(super) was_computed: AtomicBool,
}

#[derive(Clone)]
pub(super) enum State {
    Ready(Place),
    Pending(Arc<Expression>),
}

/// Where an array lies: a buffer, its first element and its steps.
#[derive(Clone)]
#[doc(hidden)]
pub struct Place {
    pub buffer: Arc<Buffer>,
    /// In elements.
    pub offset: usize,
    /// In elements.
    pub strides: Strides,
}

/// An elementwise operation that has not been done.
pub(super) struct Expression {
    pub(super) operation: Operation,
    /// The operations in it, its operands' included.
    pub(super) weight: usize,
}

pub(super) enum Operation {
    Cast(Arc<Node>),
    Unary(UnaryOp, Arc<Node>),
    /// Both operands are converted to the type first.
    Binary(BinaryOp, DType, Term, Term),
    /// All operands are converted to the type of the answer first.
    Ternary(TernaryOp, [Term; 3]),
    Select(Arc<Node>, Term, Term),
    /// The place of each element in C order, counted from zero.
    Index,
}

/// An operand.
pub(super) enum Term {
    Array(Arc<Node>),
    Scalar(ScalarBytes),
}

/// A number for this thread, which no other one has had.
pub(super) fn this_thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    // A thread that is ending has none, and writes no expressions any more.
    NUMBER.try_with(|number| *number).unwrap_or(0)
}

/// How many expressions there have been.
pub(super) static BORN: AtomicU64 = AtomicU64::new(1);

/// More operations than this are not put into one kernel: a loop that updates
/// `x = &x * 0.9` would build an expression as long as the loop.
const MAX_WEIGHT: usize = 48;

impl Node {
    /// A node for a place in memory.
    pub fn ready(shape: Shape, dtype: DType, place: Place) -> Arc<Node> {
        Arc::new(Node {
            shape,
            dtype,
            state: Mutex::new(State::Ready(place)),
            readers: Watchers::default(),
            capture: 0,
            number: 0,
            thread: 0,
            has_failed: AtomicBool::new(false),
            was_computed: AtomicBool::new(false),
        })
    }

    /// A node for an operation that is done when its value is asked for.
    pub(super) fn pending(shape: Shape, dtype: DType, operation: Operation) -> Result<Arc<Node>> {
        let mut weight = 1;
        let mut context: Option<Context> = None;
        for operand in operation.arrays() {
            weight += operand.weight();
            if let Some(own) = operand.context() {
                context.get_or_insert(own).check_same("an array expression", own)?;
            }
        }
        if weight > MAX_WEIGHT {
            for operand in operation.arrays() {
                operand.place()?;
            }
            weight = 1;
        }
        let expression = Arc::new(Expression { operation, weight });
        let node = Arc::new(Node {
            shape,
            dtype,
            state: Mutex::new(State::Pending(Arc::clone(&expression))),
            readers: Watchers::default(),
            capture: device::capture_id(),
            number: BORN.fetch_add(1, Ordering::Relaxed),
            thread: this_thread(),
            has_failed: AtomicBool::new(false),
            was_computed: AtomicBool::new(false),
        });
        // Only now that it can be asked for its value: a reader that is not
        // there yet would be passed over by who writes, and forgotten.
        for operand in expression.operation.arrays() {
            operand.add_reader(Arc::downgrade(&node) as Weak<dyn Watcher>);
        }
        expression::remember(&node);
        if fusion::is_off() {
            node.place()?;
        }
        Ok(node)
    }

    /// Notes an expression that has to read this array before it is written.
    fn add_reader(&self, reader: Weak<dyn Watcher>) {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(place) => place.buffer.watch(reader),
            State::Pending(_) => self.readers.add(reader),
        }
    }

    pub(super) fn state(&self) -> State {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    // The questions below are asked many times for an expression, so they
    // copy nothing that they need not.

    pub(super) fn is_pending(&self) -> bool {
        matches!(*self.state.lock().unwrap_or_else(PoisonError::into_inner), State::Pending(_))
    }

    /// The expression, if it has not been evaluated.
    pub(super) fn expression(&self) -> Option<Arc<Expression>> {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(_) => None,
            State::Pending(expression) => Some(Arc::clone(expression)),
        }
    }

    fn weight(&self) -> usize {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(_) => 0,
            State::Pending(expression) => expression.weight,
        }
    }

    /// The context of its memory, or of the arrays that it is made of.
    pub(super) fn context(&self) -> Option<Context> {
        let expression = match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(place) => return Some(place.buffer.context()),
            State::Pending(expression) => Arc::clone(expression),
        };
        expression.operation.arrays().find_map(|node| node.context())
    }

    /// Where the array lies, evaluated now if it has not been.
    pub(crate) fn place(&self) -> Result<Place> {
        match self.state() {
            State::Ready(place) => Ok(place),
            State::Pending(pending) => {
                let evaluate = || expression::evaluate(self, &pending);
                // What was written before a capture is not part of it.
                let is_inside = self.capture == device::capture_id();
                let place = if is_inside { evaluate() } else { device::outside_capture(evaluate) }?;
                Ok(self.settle(place))
            }
        }
    }

    /// Replaces the expression by its value. Of two threads the first one's
    /// value stays, because views may share its memory already.
    fn settle(&self, place: Place) -> Place {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &*state {
            State::Ready(first) => first.clone(),
            State::Pending(_) => {
                *state = State::Ready(place.clone());
                self.readers.take().into_iter().for_each(|reader| place.buffer.watch(reader));
                place
            }
        }
    }

    /// Whether the expression may be computed as a part of another one although
    /// it will perhaps be asked for itself: once, where that costs next to
    /// nothing. A GPU waits for memory; a processor's functions take longer. `notes`
    /// says that it is now.
    pub(super) fn may_be_computed_again(&self, notes: bool) -> bool {
        if self.was_computed.load(Ordering::Relaxed) || self.capture != device::capture_id() {
            return false;
        }
        let is_on_gpu = self.context().is_some_and(|context| context.device().kind() == DeviceKind::Cuda);
        (is_on_gpu || self.is_cheap()) && !(notes && self.was_computed.swap(true, Ordering::Relaxed))
    }

    fn is_cheap(&self) -> bool {
        self.expression().is_none_or(|own| {
            let is_cheap = match &own.operation {
                Operation::Unary(op, _) => op.is_cheap(),
                Operation::Binary(op, ..) => op.is_cheap(),
                Operation::Ternary(..) => false,
                Operation::Cast(_) | Operation::Select(..) | Operation::Index => true,
            };
            is_cheap && own.operation.arrays().all(|node| node.is_cheap())
        })
    }

    /// Evaluates what a reduction would otherwise compute a second time.
    pub(super) fn note_reduction(&self) -> Result<()> {
        if self.was_computed.swap(true, Ordering::Relaxed) {
            self.place()?;
        }
        Ok(())
    }
}

impl Watcher for Node {
    fn before_write(&self) -> Result<()> {
        self.place().map(drop)
    }

    fn is_waiting(&self) -> bool {
        self.is_pending()
    }
}

impl Place {
    /// A new buffer for a contiguous array.
    pub(crate) fn new(shape: Shape, dtype: DType) -> Result<Place> {
        Place::within(crate::device::current()?, shape, dtype)
    }

    /// [`Place::new`] in a context.
    pub(crate) fn within(context: Context, shape: Shape, dtype: DType) -> Result<Place> {
        let buffer = Buffer::new(context, shape.size() * dtype.size())?;
        Ok(Place { buffer, offset: 0, strides: shape.strides() })
    }

    pub(crate) fn strided(&self) -> Strided<'_> {
        Strided { buffer: &self.buffer, offset: self.offset, strides: self.strides }
    }

    /// The same elements stretched to a larger shape: axes of length 1 and
    /// axes that are missing in front repeat.
    pub(super) fn broadcast(&self, from: Shape, to: Shape) -> Strides {
        let mut strides = [0; crate::shape::MAX_RANK];
        let added = to.rank() - from.rank();
        for axis in 0..from.rank() {
            let repeats = from.lengths()[axis] == 1 && to.lengths()[axis + added] != 1;
            strides[axis + added] = if repeats { 0 } else { self.strides[axis] };
        }
        strides
    }
}

impl Operation {
    /// The operands that are arrays.
    pub(super) fn arrays(&self) -> impl Iterator<Item = &Arc<Node>> {
        let (first, second, third) = match self {
            Operation::Cast(a) | Operation::Unary(_, a) => (Some(a), None, None),
            Operation::Binary(_, _, a, b) => (a.array(), b.array(), None),
            Operation::Ternary(_, [a, b, c]) => (a.array(), b.array(), c.array()),
            Operation::Select(condition, a, b) => (Some(condition), a.array(), b.array()),
            Operation::Index => (None, None, None),
        };
        first.into_iter().chain(second).chain(third)
    }
}

impl Term {
    pub(super) fn array(&self) -> Option<&Arc<Node>> {
        match self {
            Term::Array(node) => Some(node),
            Term::Scalar(_) => None,
        }
    }
}

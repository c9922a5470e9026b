//! The untyped handle that every array is a typed shell over.
//!
//! Every cell compiles what it uses of [`GpuArray`](super::GpuArray), so the
//! generic part only converts arguments; the work is done by methods of the
//! handle, here and in `arithmetic` and `write`, compiled once. For the same reason the handle is a trait object:
//! dropping one is a call, where an `Arc` in its place would have each cell
//! compile the code that frees an array.

use std::borrow::Cow;
use std::sync::{Arc, Weak};

use gpurepl_kernels::DType;
use once_cell::race::OnceBox;

use super::expression;
use super::lent::{self, Extent, Views};
use super::node::{Node, Operation, Place, State, Term};
use crate::device::Context;
use crate::error::{OrRaise as _, Result};
use crate::scalar::Scalar;
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

/// A reference to an array that does not keep it.
#[doc(hidden)]
pub struct WeakRaw(Weak<Node>);

impl WeakRaw {
    /// A handle of the array, if there is one left or something that reads it.
    #[doc(hidden)]
    pub fn upgrade(&self) -> Option<Raw> {
        self.0.upgrade().map(Raw::new)
    }
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
#[derive(Clone)]
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

    /// A reference that does not keep the array; none of a view that is lent.
    #[doc(hidden)]
    pub fn downgrade(&self) -> Option<WeakRaw> {
        self.extent().is_none().then(|| WeakRaw(Arc::downgrade(self.0.base())))
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
    pub(super) fn node_mut(&mut self) -> &mut Arc<Node> {
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

    /// Keeps an array, for as long as lent views are kept, and lends it.
    pub(super) fn keep(&self, array: Raw) -> &Raw {
        self.0.views().get_or_init(Box::default).keep(array)
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

    pub(super) fn pending(shape: Shape, dtype: DType, operation: Operation) -> Result<Raw> {
        Node::pending(shape, dtype, operation).map(Raw::new)
    }

    pub(super) fn term(&self) -> Term {
        Term::Array(self.node().into_owned())
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

    /// The array with its elements in memory, for an operation that reads them
    /// several times.
    pub(crate) fn computed(&self) -> Result<Raw> {
        let node = self.node().into_owned();
        node.place()?;
        Ok(Raw::new(node))
    }

    /// The same elements in another shape: a view where the strides allow it.
    pub(crate) fn try_reshape(&self, dims: Dims) -> Result<Raw> {
        self.reshaped(dims.reshaped(self.shape())?)
    }

    /// The same elements in another shape of as many.
    pub(crate) fn reshaped(&self, shape: Shape) -> Result<Raw> {
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
    pub(crate) fn copied(&self) -> Result<Place> {
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

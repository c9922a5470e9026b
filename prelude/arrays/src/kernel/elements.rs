//! The elements that a generated kernel runs over: how many there are, and how each array has
//! them.
//!
//! Arrays that the texts use by their element `i` broadcast to one shape, as operands of NumPy
//! do, and `i` counts its places in C order. What does not lie in this order is walked by
//! strides ([`Layouts`]), so that views are read and written where they are.

use std::sync::Arc;

use gpurepl_kernels::declaration::{CType, Parameter};
use gpurepl_kernels::{DType, Elements, Layouts, Usage, View};
use smallvec::SmallVec;

use super::argument::Argument;
use super::checked::Prepared;
use crate::array::{Node, Raw, merge_axes, repeats, stretched_to};
use crate::error::{Error, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::Shape;

/// A generated kernel as far as its arrays are concerned.
#[derive(Clone, Copy)]
pub(super) struct Body<'s> {
    pub(super) kernel: &'s str,
    pub(super) parameters: &'s [Parameter],
    /// How the texts use each of them.
    pub(super) usages: &'s [Usage],
}

/// What is known of an argument's elements.
#[derive(Clone, Copy)]
pub(super) enum Extent {
    /// The lengths of an array's axes.
    Axes(Shape),
    /// How many there are.
    Count(usize),
    /// There are elements.
    Unknown,
}

impl Extent {
    pub(super) fn count(self) -> Option<usize> {
        match self {
            Extent::Axes(shape) => Some(shape.size()),
            Extent::Count(count) => Some(count),
            Extent::Unknown => None,
        }
    }
}

/// The elements of an argument, if it has any.
pub(super) fn extent(argument: &Argument<'_>, parameter: &Parameter) -> Option<Extent> {
    let of_bytes = |bytes: usize| match parameter.element_bytes() {
        Some(size) => Extent::Count(bytes / size),
        None => Extent::Unknown,
    };
    let of_data =
        |bytes: usize, size: usize| Extent::Count(bytes / parameter.element_bytes().unwrap_or(size).max(1));
    if !parameter.is_pointer() {
        return None;
    }
    match argument {
        // Of a pointer to vectors an element is several of the array's.
        Argument::Array(raw) if !has_elements_of(parameter, raw) => {
            Some(of_bytes(raw.shape().size() * raw.dtype().size()))
        }
        Argument::Array(raw) | Argument::Strided(raw) => Some(Extent::Axes(raw.shape())),
        Argument::In(Ok(data)) => Some(of_data(data.bytes.len(), data.size)),
        // What has no data is refused when the arguments are prepared.
        Argument::Out(data) | Argument::InOut(data) => {
            let data = data.data().ok()?;
            Some(of_data(data.bytes.len(), data.size))
        }
        Argument::Memory(memory) | Argument::Held(Ok(memory)) | Argument::Shared { memory, .. } => {
            Some(of_bytes(memory.len()))
        }
        Argument::Scalar(..)
        | Argument::Object(_)
        | Argument::Structure(..)
        | Argument::In(Err(_))
        | Argument::Held(Err(_)) => None,
    }
}

/// How many elements each argument has, if that is known.
pub(super) fn lengths(parameters: &[Parameter], arguments: &[Argument<'_>]) -> SmallVec<[Option<usize>; 8]> {
    let all = arguments.iter().zip(parameters);
    all.map(|(argument, parameter)| extent(argument, parameter)?.count()).collect()
}

impl Body<'_> {
    fn wrong(&self, message: String) -> Error {
        Problem::Argument { kernel: self.kernel.to_owned(), message }.into()
    }

    /// Whether an array's elements are written, as far as its declaration and the texts say.
    fn is_written(&self, number: usize) -> bool {
        !matches!(self.parameters[number].ctype, CType::Pointer { is_const: true, .. })
            && self.usages[number].may_be_written
    }

    /// Whether an argument is one of the arrays that broadcast.
    pub(super) fn takes_part(&self, number: usize, argument: &Argument<'_>) -> bool {
        extent(argument, &self.parameters[number]).is_some() && self.usages[number].elements == Elements::Own
    }

    /// The shape that the arguments have together; none where nothing says how many elements
    /// there are.
    pub(super) fn shape(&self, arguments: &[Argument<'_>]) -> Result<Option<Shape>> {
        let mut all: SmallVec<[(&Parameter, Extent); 6]> = SmallVec::new();
        let mut own: SmallVec<[(&Parameter, Extent); 6]> = SmallVec::new();
        for ((argument, parameter), usage) in arguments.iter().zip(self.parameters).zip(self.usages) {
            let Some(extent) = extent(argument, parameter) else { continue };
            self.check_numbered(parameter, extent, usage.numbered)?;
            all.push((parameter, extent));
            if usage.elements == Elements::Own {
                own.push((parameter, extent));
            }
        }
        self.together(if own.is_empty() { &all } else { &own })
    }

    /// Refuses an array that has not all elements which the texts have by a number.
    fn check_numbered(&self, parameter: &Parameter, extent: Extent, numbered: usize) -> Result<()> {
        match extent.count() {
            Some(count) if count < numbered => {
                let (name, last) = (&parameter.name, numbered - 1);
                Err(self.wrong(format!("`{name}` has {}, and `{name}[{last}]` is used", elements(count))))
            }
            _ => Ok(()),
        }
    }

    /// The shape to which all of these broadcast. Host data and raw memory have no shape but
    /// their length.
    fn together(&self, all: &[(&Parameter, Extent)]) -> Result<Option<Shape>> {
        let mut found = match self.broadcast(all) {
            Err(error) => Some(one_by_one(all).ok_or(error)?),
            Ok(found) => found,
        };
        for (parameter, extent) in all {
            let Extent::Count(count) = *extent else { continue };
            let shape = *found.get_or_insert_with(|| Shape::new(&[count]));
            if shape.size() != count {
                let message = format!(
                    "`{}` has {}, and the others have {}; all arrays need the same number of elements",
                    parameter.name,
                    elements(count),
                    elements(shape.size())
                );
                return Err(self.wrong(message));
            }
        }
        Ok(found)
    }

    /// The shape to which the arrays with axes broadcast.
    fn broadcast(&self, all: &[(&Parameter, Extent)]) -> Result<Option<Shape>> {
        let mut found: Option<Shape> = None;
        for (number, (parameter, extent)) in all.iter().enumerate() {
            let Extent::Axes(shape) = *extent else { continue };
            found = Some(match found {
                None => shape,
                Some(other) => other
                    .broadcast(shape, "kernel")
                    .map_err(|_| self.do_not_broadcast(&all[..number], parameter, shape))?,
            });
        }
        Ok(found)
    }

    #[cold]
    fn do_not_broadcast(
        &self,
        before: &[(&Parameter, Extent)],
        parameter: &Parameter,
        shape: Shape,
    ) -> Error {
        let other = before.iter().find_map(|(other, extent)| match extent {
            Extent::Axes(first) if first.broadcast(shape, "kernel").is_err() => Some((&other.name, first)),
            _ => None,
        });
        let name = &parameter.name;
        self.wrong(match other {
            Some((other, first)) => {
                format!("`{other}` has shape {first:?} and `{name}` has shape {shape:?}; they do not broadcast to one shape")
            }
            None => format!("`{name}` has shape {shape:?}, with which the arrays have too many elements together"),
        })
    }

    /// How arrays lie that are not plain pointers to elements in order; none where all are.
    pub(super) fn lay_out(&self, arguments: &[Argument<'_>], shape: Shape) -> Result<Option<LaidOut>> {
        let mut laid = LaidOut::default();
        for (number, (argument, parameter)) in arguments.iter().zip(self.parameters).enumerate() {
            let Argument::Array(raw) = argument else { continue };
            let (usage, is_written) = (self.usages[number], self.is_written(number));
            if !has_elements_of(parameter, raw) || usage.elements != Elements::Own || is_in_order(raw, shape)?
            {
                continue;
            }
            // One element after the other, as the others are.
            let reshaped;
            let raw = if raw.shape().rank() != shape.rank() && raw.shape().size() == shape.size() {
                if is_written {
                    continue;
                }
                reshaped = raw.reshaped(shape)?;
                &reshaped
            } else {
                *raw
            };
            if is_written {
                self.check_written(parameter, raw, shape)?;
                if usage.is_subscripted {
                    laid.walk(number, Raw::clone(raw), shape, arguments.len())?;
                }
                continue;
            }
            let view = stretched_to("kernel", raw, shape)?;
            if usage.is_subscripted && !self.shares_with_written(number, raw, arguments)? {
                laid.walk(number, view, shape, arguments.len())?;
            } else {
                // What is only read may be a copy.
                let place = view.contiguous()?;
                laid.replace(number, Raw::new(Node::ready(shape, raw.dtype(), place)), arguments.len());
            }
        }
        laid.is_narrow = i32::try_from(shape.size()).is_ok();
        Ok((!laid.views.is_empty()).then_some(laid))
    }

    /// The bytes that are read and written of arrays whose element `i` the texts use.
    pub(super) fn bytes_moved(&self, arguments: &[Argument<'_>]) -> u64 {
        let of = |(number, argument): (usize, &Argument<'_>)| {
            let usage = self.usages[number];
            if usage.elements != Elements::Own {
                return 0;
            }
            let bytes = match argument {
                Argument::Array(raw) | Argument::Strided(raw) => raw.shape().size() * raw.dtype().size(),
                Argument::In(Ok(data)) => data.bytes.len(),
                Argument::Out(data) | Argument::InOut(data) => data.data().map_or(0, |data| data.bytes.len()),
                Argument::Memory(memory) | Argument::Held(Ok(memory)) | Argument::Shared { memory, .. } => {
                    memory.len()
                }
                _ => 0,
            };
            bytes as u64 * (u64::from(usage.is_read) + u64::from(self.is_written(number)))
        };
        arguments.iter().enumerate().map(of).sum()
    }

    /// Guards the arrays that the texts use by subscripts alone: what is passed behind the other
    /// arguments has their lengths. `count` elements are computed. `ends` says whether a thread ends
    /// that has reported an error: if it goes on, no address may be taken of what it goes on with.
    pub(super) fn guard(
        &self,
        laid: Option<LaidOut>,
        lengths: &[Option<usize>],
        count: usize,
        ends: bool,
    ) -> LaidOut {
        let mut laid = laid.unwrap_or_default();
        let is_guarded = |number: usize| {
            let parameter = &self.parameters[number];
            let usage = self.usages[number];
            let is_subscripted = if ends { usage.is_indexed } else { usage.is_subscripted };
            parameter.is_pointer() && parameter.element_type() != "void" && is_subscripted
        };
        laid.guarded = (0..self.parameters.len()).map(is_guarded).collect();
        let length = |number: &usize| {
            // One that is walked or copied has an element for each that is computed, whatever its own shape.
            let is_other = laid.views.get(*number).is_some_and(Option::is_some);
            let length = if is_other { Some(count) } else { lengths[*number] };
            length.map_or(i64::MAX, |length| length as i64)
        };
        laid.sizes =
            (0..self.parameters.len()).filter(|number| laid.guarded[*number]).map(|n| length(&n)).collect();
        laid
    }

    /// Refuses to write into an array of which several elements would be one.
    fn check_written(&self, parameter: &Parameter, raw: &Raw, shape: Shape) -> Result<()> {
        let name = &parameter.name;
        if raw.shape() != shape {
            return Err(self.wrong(format!(
                "`{name}` has shape {:?}, and the arrays together have shape {shape:?}, which an array must have that \
                 the kernel writes\n  = help: if the kernel only reads it, declare it `const`",
                raw.shape()
            )));
        }
        if repeats(shape, &raw.place()?) {
            return Err(self.wrong(format!(
                "several elements of `{name}` lie at one place in memory, so it cannot be written\n  = help: write to a \
                 copy: `{name}.copy()`"
            )));
        }
        Ok(())
    }

    /// Whether an array has memory in common with one that is written.
    fn shares_with_written(&self, number: usize, raw: &Raw, arguments: &[Argument<'_>]) -> Result<bool> {
        for (other, argument) in arguments.iter().enumerate() {
            let shared = match argument {
                Argument::Array(written) if other != number => {
                    self.is_written(other) && crate::array::may_share(raw, written)?
                }
                Argument::Memory(memory) | Argument::Shared { memory, .. } | Argument::Held(Ok(memory)) => {
                    Arc::ptr_eq(memory.buffer(), &raw.place()?.buffer)
                }
                _ => false,
            };
            if shared {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Refuses arrays that overlap and are not the same, if one of them is written: elements
    /// are computed in any order. `lengths` are those of the arguments.
    pub(super) fn check_overlaps(
        &self,
        prepared: &Prepared<'_>,
        lengths: &[Option<usize>],
        laid: Option<&LaidOut>,
    ) -> Result<()> {
        // Buffers of their own overlap with nothing.
        if prepared.are_buffers_apart() {
            return Ok(());
        }
        check_overlaps(self.kernel, self.parameters, prepared, |number, parameter| {
            let size = parameter.element_bytes()? as i64;
            let is_read = !self.is_written(number);
            if let Some((low, high, numbers)) = laid.and_then(|laid| laid.reach(number)) {
                return Some(Reach { is_read, low: low * size, high: high * size, numbers });
            }
            // Of an array beside others elements of certain numbers are used.
            let usage = self.usages[number];
            let used = match usage.elements {
                Elements::Numbered => lengths[number]?.min(usage.numbered),
                Elements::Own | Elements::Named => lengths[number]?,
            };
            Some(Reach { is_read, low: 0, high: used as i64 * size, numbers: &[] })
        })
    }
}

/// Whether an element of the pointer is one of the array: a `float2` is a complex number.
pub(super) fn has_elements_of(parameter: &Parameter, raw: &Raw) -> bool {
    parameter.dtype().is_some() || parameter.vector_as_dtype() == Some(raw.dtype())
}

/// The shape of arrays that do not broadcast but have the same number of elements, one of several
/// axes and others of one: PyCUDA looks at the number alone.
fn one_by_one(all: &[(&Parameter, Extent)]) -> Option<Shape> {
    let shapes = all.iter().filter_map(|(_, extent)| match extent {
        Extent::Axes(shape) => Some(*shape),
        _ => None,
    });
    let first = shapes.clone().max_by_key(|shape| shape.rank())?;
    let is_like = |shape: Shape| shape == first || (shape.rank() <= 1 && shape.size() == first.size());
    shapes.clone().all(is_like).then_some(first)
}

/// So many elements, in words.
pub(super) fn elements(count: usize) -> String {
    format!("{count} element{}", if count == 1 { "" } else { "s" })
}

/// Whether an array is all elements of a shape, one after the other.
fn is_in_order(raw: &Raw, shape: Shape) -> Result<bool> {
    let has_all =
        raw.shape() == shape || (raw.shape().rank() != shape.rank() && raw.shape().size() == shape.size());
    Ok(has_all && raw.place()?.strided().view(raw.shape()) == View::Contiguous)
}

/// Arguments that are other arrays than those given, and how they lie.
#[derive(Default)]
pub(super) struct LaidOut {
    /// For each argument what is passed instead.
    views: Vec<Option<Raw>>,
    walks: Vec<Option<Walk>>,
    is_narrow: bool,
    /// For each argument whether it is guarded, and the lengths of those.
    guarded: Vec<bool>,
    sizes: Vec<i64>,
}

/// An array that is walked by strides.
struct Walk {
    /// The lengths of its axes but the first, and the strides of all.
    numbers: Vec<i64>,
    axes: usize,
    /// The first of its elements in memory, and the one after the last, counted from the
    /// element at no place of any axis.
    low: i64,
    high: i64,
}

impl LaidOut {
    fn replace(&mut self, number: usize, view: Raw, count: usize) {
        self.views.resize_with(count, || None);
        self.walks.resize_with(count, || None);
        self.views[number] = Some(view);
    }

    fn walk(&mut self, number: usize, view: Raw, shape: Shape, count: usize) -> Result<()> {
        let place = view.place()?;
        let mut walked = [place.strided()];
        let merged = merge_axes(shape, &mut walked);
        // An array of one element has no axes left.
        let axes = merged.rank().max(1);
        let strides: Vec<i64> = walked[0].strides[..axes].iter().map(|stride| *stride as i64).collect();
        let (mut low, mut high) = (0, 1);
        for (length, stride) in merged.lengths().iter().zip(&strides) {
            let end = (*length as i64 - 1) * stride;
            low += end.min(0);
            high += end.max(0);
        }
        let lengths = merged.lengths().iter().skip(1).map(|length| *length as i64);
        let numbers = lengths.chain(strides).collect();
        self.replace(number, view, count);
        self.walks[number] = Some(Walk { numbers, axes, low, high });
        Ok(())
    }

    fn reach(&self, number: usize) -> Option<(i64, i64, &[i64])> {
        let walk = self.walks.get(number)?.as_ref()?;
        Some((walk.low, walk.high, &walk.numbers))
    }

    /// What a spec has to know.
    pub(super) fn layouts(&self) -> Layouts {
        let axes = self.walks.iter().map(|walk| Some(walk.as_ref()?.axes)).collect();
        Layouts::new(axes, self.is_narrow).guarded(self.guarded.clone())
    }

    /// Puts the arrays into their places and the numbers behind them.
    pub(super) fn apply<'a>(&'a self, arguments: &mut Vec<Argument<'a>>) {
        for (number, view) in self.views.iter().enumerate() {
            let Some(view) = view else { continue };
            arguments[number] = match self.walks[number] {
                Some(_) => Argument::Strided(view),
                None => Argument::Array(view),
            };
        }
        let numbers = self.walks.iter().flatten().flat_map(|walk| &walk.numbers).chain(&self.sizes);
        arguments.extend(numbers.map(|number| Argument::Scalar(Scalar::Int(*number), DType::Int64)));
    }
}

/// The sizes in bytes of structures that the arguments have in Rust, by their names in C.
pub(super) fn structure_sizes(parameters: &[Parameter], arguments: &[Argument<'_>]) -> Vec<(String, usize)> {
    let of = |(argument, parameter): (&Argument<'_>, &Parameter)| {
        let name = parameter.unknown_type().filter(|_| parameter.is_pointer())?;
        let data = match argument {
            Argument::In(data) => data.as_ref().ok().map(|data| (data.dtype, data.size)),
            Argument::Out(data) | Argument::InOut(data) => {
                data.data().ok().map(|data| (data.dtype, data.size))
            }
            _ => None,
        };
        data.filter(|(dtype, _)| dtype.is_none()).map(|(_, size)| (name.to_owned(), size))
    };
    arguments.iter().zip(parameters).filter_map(of).collect()
}

/// The memory of an argument that a kernel uses, in bytes from its address.
pub(super) struct Reach<'n> {
    pub(super) is_read: bool,
    pub(super) low: i64,
    pub(super) high: i64,
    /// What tells apart how two arrays lie in the same memory.
    pub(super) numbers: &'n [i64],
}

/// Refuses arrays that overlap and are not the same, if one of them is written.
pub(super) fn check_overlaps<'n>(
    kernel: &str,
    parameters: &[Parameter],
    prepared: &Prepared<'_>,
    reach: impl Fn(usize, &Parameter) -> Option<Reach<'n>>,
) -> Result<()> {
    let extents =
        parameters.iter().zip(&prepared.values).enumerate().filter_map(|(number, (parameter, value))| {
            if !parameter.is_pointer() {
                return None;
            }
            let reach = reach(number, parameter)?;
            let address = u64::from_ne_bytes(value.bytes().try_into().ok()?) as i64;
            Some((&parameter.name, address + reach.low, address + reach.high, reach))
        });
    let extents: Vec<_> = extents.collect();
    for (k, (a, a_start, a_end, a_reach)) in extents.iter().enumerate() {
        for (b, b_start, b_end, b_reach) in &extents[k + 1..] {
            let is_same = (a_start, a_end, a_reach.numbers) == (b_start, b_end, b_reach.numbers);
            if a_start < b_end && b_start < a_end && !is_same && !(a_reach.is_read && b_reach.is_read) {
                let message =
                    format!("`{a}` and `{b}` are different parts of one array that overlap; pass a copy");
                return Err(Problem::Argument { kernel: kernel.to_owned(), message }.into());
            }
        }
    }
    Ok(())
}

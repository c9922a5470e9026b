//! `einsum`: products of arrays summed over the axes that their subscripts name.
//!
//! Two operands at a time become one: a product of matrices where axes are
//! summed over and others are only in one operand, and else a product of
//! elements, which stays an expression that a sum takes into its kernel. Of three
//! operands or more the pair goes first whose result is smallest beside what it
//! replaces, as in NumPy's `optimize="greedy"`.

use std::collections::BTreeMap;

use gpurepl_kernels::{BinaryOp, DType, ReduceOp};

use super::join::ArrayList;
use super::layout::Layout;
use super::over::{Over, accumulated};
use super::raw::Raw;
use super::subscripts::{Label, Subscripts, shown, wrong};
use super::{Elem, GpuArray, products};
use crate::error::{OrRaise as _, Result};
use crate::shape::{IntoShape as _, MAX_RANK};

/// Products of arrays, summed over axes: NumPy's `np.einsum(subscripts, a, b)`.
/// Each axis has a letter. Axes of the same letter are one; a letter that the
/// result does not have is summed over. `...` stands for all other axes, which
/// broadcast. Without `->` the result has the letters that occur once, in the
/// order of the alphabet.
///
/// The elements of the result have the type that holds those of all operands,
/// also where they are sums. Of one operand, where nothing is summed, the result
/// is a view.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = gpu![[1.0, 2.0], [3.0, 4.0]];
/// let v = gpu![10.0, 1.0];
/// assert_eq!(array::einsum("ij,jk->ik", (&a, &a)).to_vec(), [7.0, 10.0, 15.0, 22.0]);
/// assert_eq!(array::einsum("ij,j", (&a, &v)).to_vec(), [12.0, 34.0]);
/// assert_eq!(array::einsum("i,ij,j->", (&v, &a, &v)).item(), 154.0);
/// assert_eq!(array::einsum("ii", (&a,)).item(), 5.0);
/// assert_eq!(array::einsum("...i->...", (&a,)).to_vec(), [3.0, 7.0]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the subscripts do not fit the operands, an
/// axis has different lengths, or a result on the way has more than 8 axes.
#[track_caller]
pub fn einsum<L: ArrayList>(subscripts: &str, operands: L) -> GpuArray<L::Out> {
    GpuArray::wrap(of_text(subscripts, &operands.raws(), L::Out::DTYPE).or_raise())
}

fn of_text(text: &str, raws: &[Raw], dtype: DType) -> Result<Raw> {
    if raws.is_empty() {
        return wrong("not enough operands provided to einstein sum function".to_owned());
    }
    let shapes: Vec<_> = raws.iter().map(Raw::shape).collect();
    let Subscripts { operands, output } = Subscripts::read(text, &shapes)?;
    let mut terms = Vec::new();
    for (number, (raw, labels)) in raws.iter().zip(operands).enumerate() {
        terms.push(Labelled { raw: raw.clone(), labels }.diagonal(number)?);
    }
    let lengths = lengths(&terms)?;
    let terms = terms.into_iter().map(|term| term.without_stretched(&lengths)).collect::<Result<Vec<_>>>()?;
    Ok(contracted(terms, &output, &lengths, accumulated(dtype))?.cast(dtype))
}

/// Sums of products over pairs of axes of two arrays: those of `left` with those
/// of `right`, in this order. Their lengths are equal.
pub(super) fn tensordot(a: &Raw, b: &Raw, pairs: &[(usize, usize)], dtype: DType) -> Result<Raw> {
    let rank = a.shape().rank();
    let left = Labelled { raw: a.clone(), labels: (0..rank as Label).collect() };
    let label = |axis: usize| match pairs.iter().find(|(_, right)| *right == axis) {
        Some((left, _)) => *left as Label,
        None => (rank + axis) as Label,
    };
    let right = Labelled { raw: b.clone(), labels: (0..b.shape().rank()).map(label).collect() };
    let once = |one: &Labelled, other: &Labelled| -> Vec<Label> {
        one.labels.iter().filter(|label| !other.labels.contains(label)).copied().collect()
    };
    let output = [once(&left, &right), once(&right, &left)].concat();
    let lengths = left.named().chain(right.named()).collect();
    Ok(contracted(vec![left, right], &output, &lengths, accumulated(dtype))?.cast(dtype))
}

/// How long the axes of each label are.
type Lengths = BTreeMap<Label, usize>;

/// An array whose axes have labels, each another one.
#[derive(Clone)]
struct Labelled {
    raw: Raw,
    labels: Vec<Label>,
}

impl Labelled {
    fn named(&self) -> impl Iterator<Item = (Label, usize)> {
        self.labels.iter().copied().zip(self.raw.lengths().iter().copied())
    }

    /// Axes of one label become their diagonal.
    fn diagonal(self, number: usize) -> Result<Labelled> {
        let mut labels: Vec<Label> = Vec::new();
        self.labels.iter().for_each(|label| {
            if !labels.contains(label) {
                labels.push(*label);
            }
        });
        if labels.len() == self.labels.len() {
            return Ok(self);
        }
        let mut layout = Layout::of(&self.raw)?;
        let whole = std::mem::take(&mut layout.axes);
        for label in &labels {
            let mut axes = self.labels.iter().zip(&whole).filter(|(l, _)| *l == label).map(|(_, axis)| *axis);
            let mut found = axes.next().expect("a label of an axis");
            for (length, stride) in axes {
                if length != found.0 {
                    // NumPy's words.
                    return wrong(format!(
                        "dimensions in operand {number} for collapsing index {} don't match ({} != {length}): its \
                         shape is {:?}",
                        shown(*label),
                        found.0,
                        self.raw.shape()
                    ));
                }
                found.1 += stride;
            }
            layout.axes.push(found);
        }
        Ok(Labelled { raw: layout.view("einsum", &self.raw)?, labels })
    }

    /// Without the axes of length 1 that others stretch: they are not summed over.
    fn without_stretched(self, lengths: &Lengths) -> Result<Labelled> {
        let stays = |(label, length): &(Label, usize)| lengths[label] == *length;
        if self.named().all(|axis| stays(&axis)) {
            return Ok(self);
        }
        let labels: Vec<Label> = self.named().filter(stays).map(|(label, _)| label).collect();
        Ok(Labelled { raw: self.ordered(&labels)?, labels })
    }

    /// A view with axes in this order: of length 1 where the array has none, and
    /// without those that are not named, whose length is 1.
    fn ordered(&self, order: &[Label]) -> Result<Raw> {
        if self.labels == order {
            return Ok(self.raw.clone());
        }
        let mut layout = Layout::of(&self.raw)?;
        let axis = |label| self.labels.iter().position(|own| *own == label);
        layout.axes = order.iter().map(|label| axis(*label).map_or((1, 0), |at| layout.axes[at])).collect();
        layout.view("einsum", &self.raw)
    }

    /// Summed over the axes that nobody asks for.
    fn summed(&self, is_kept: impl Fn(Label) -> bool, dtype: DType) -> Result<Labelled> {
        let axes: Vec<usize> = (0..self.labels.len()).filter(|axis| !is_kept(self.labels[*axis])).collect();
        if axes.is_empty() {
            return Ok(self.clone());
        }
        let op = if dtype == DType::Bool { ReduceOp::Any } else { ReduceOp::Sum };
        let over = Over::axes("einsum", &self.raw, axes.into_dims())?;
        let labels = self.labels.iter().copied().filter(|label| is_kept(*label)).collect();
        Ok(Labelled { raw: over.reduce(&self.raw, op, dtype)?, labels })
    }

    /// With one axis for each group of labels: a view where their strides allow it.
    fn grouped(&self, groups: &[&[Label]], lengths: &Lengths) -> Result<Raw> {
        let mut layout = Layout::of(&self.raw)?;
        let whole = std::mem::take(&mut layout.axes);
        let mut is_view = self.raw.size() > 0;
        for group in groups {
            let mut merged: Option<(usize, isize)> = None;
            for label in group.iter().rev() {
                let at = self.labels.iter().position(|own| own == label).expect("an axis of the group");
                let (length, stride) = whole[at];
                merged = match merged {
                    _ if length == 1 => merged,
                    None => Some((length, stride)),
                    Some((below, step)) => {
                        is_view &= stride == step * below as isize;
                        Some((below * length, step))
                    }
                };
            }
            layout.axes.push(merged.unwrap_or((1, 0)));
        }
        if is_view {
            return layout.view("einsum", &self.raw);
        }
        let flat: Vec<usize> = groups.iter().map(|group| size(group, lengths)).collect();
        self.ordered(&groups.concat())?.try_reshape(flat.as_slice().into_dims())
    }
}

fn size(labels: &[Label], lengths: &Lengths) -> usize {
    labels.iter().fold(1, |size: usize, label| size.saturating_mul(lengths[label]))
}

/// The length of each label, to which axes of length 1 are stretched.
fn lengths(terms: &[Labelled]) -> Result<Lengths> {
    let mut found: BTreeMap<Label, (usize, usize)> = BTreeMap::new();
    for (number, term) in terms.iter().enumerate() {
        for (label, length) in term.named() {
            let (known, by) = *found.entry(label).or_insert((length, number));
            if known == 1 {
                found.insert(label, (length, number));
            } else if length != 1 && length != known {
                return wrong(format!(
                    "operands could not be broadcast together: subscript {} is {known} in operand {by} and {length} \
                     in operand {number}, of shapes {:?} and {:?}",
                    shown(label),
                    terms[by].raw.shape(),
                    term.raw.shape()
                ));
            }
        }
    }
    Ok(found.into_iter().map(|(label, (length, _))| (label, length)).collect())
}

/// All terms as one, with the axes of `output`.
fn contracted(mut terms: Vec<Labelled>, output: &[Label], lengths: &Lengths, dtype: DType) -> Result<Raw> {
    while terms.len() > 1 {
        let (first, second) = next_pair(&terms, output, lengths);
        let (second, first) = (terms.remove(second), terms.remove(first));
        let is_kept =
            |label| output.contains(&label) || terms.iter().any(|term| term.labels.contains(&label));
        let pair = pair(&first, &second, is_kept, lengths, dtype)?;
        terms.push(pair);
    }
    let last = terms.pop().expect("a term at least");
    last.summed(|label| output.contains(&label), dtype)?.ordered(output)
}

/// The pair that leaves least: of those that have a label in common, if any has.
fn next_pair(terms: &[Labelled], output: &[Label], lengths: &Lengths) -> (usize, usize) {
    let mut best = (0, 1);
    let mut least = (true, f64::INFINITY, f64::INFINITY);
    for second in 1..terms.len() {
        for first in 0..second {
            let (a, b) = (&terms[first].labels, &terms[second].labels);
            let others = || terms.iter().enumerate().filter(|(at, _)| *at != first && *at != second);
            let is_kept = |label: &Label| {
                output.contains(label) || others().any(|(_, term)| term.labels.contains(label))
            };
            let apart = !a.iter().any(|label| b.contains(label));
            let of =
                |labels: &mut dyn Iterator<Item = &Label>| labels.map(|l| lengths[l] as f64).product::<f64>();
            let all = || a.iter().chain(b.iter().filter(|label| !a.contains(label)));
            let left = of(&mut all().filter(|label| is_kept(label))) - of(&mut a.iter()) - of(&mut b.iter());
            let cost = (apart, left, of(&mut all()));
            if cost < least {
                (least, best) = (cost, (first, second));
            }
        }
    }
    best
}

/// The product of two terms, summed over the labels that are not kept.
fn pair(
    a: &Labelled,
    b: &Labelled,
    is_kept: impl Fn(Label) -> bool,
    lengths: &Lengths,
    dtype: DType,
) -> Result<Labelled> {
    let a = &a.summed(|label| is_kept(label) || b.labels.contains(&label), dtype)?;
    let b = &b.summed(|label| is_kept(label) || a.labels.contains(&label), dtype)?;
    let only = |one: &Labelled, other: &Labelled| -> Vec<Label> {
        one.labels.iter().copied().filter(|label| !other.labels.contains(label)).collect()
    };
    let (rows, columns) = (only(a, b), only(b, a));
    let longer = if a.raw.size() < b.raw.size() { b } else { a };
    let both = longer.labels.iter().copied().filter(|l| a.labels.contains(l) && b.labels.contains(l));
    let (batches, inner): (Vec<Label>, Vec<Label>) = both.partition(|label| is_kept(*label));
    let rank = batches.len() + rows.len() + columns.len();
    if rank > MAX_RANK {
        return wrong(format!(
            "arrays have at most {MAX_RANK} axes, and the product of shapes {:?} and {:?} would have {rank}",
            a.raw.shape(),
            b.raw.shape()
        ));
    }
    let one_by_one = size(&rows, lengths) == 1 && size(&columns, lengths) == 1;
    if rank + inner.len() <= MAX_RANK && (inner.is_empty() || one_by_one) {
        // In the order of an operand, which then stays as it is.
        let (base, other) = if a.labels.len() < b.labels.len() { (b, a) } else { (a, b) };
        let labels = [base.labels.clone(), only(other, base)].concat();
        let (left, right) = (base.ordered(&labels)?, other.ordered(&labels)?);
        let raw = Raw::try_binary(BinaryOp::Multiply, &left, &right, dtype, dtype)?;
        return Labelled { raw, labels }.summed(|label| !inner.contains(&label), dtype);
    }
    let left = a.grouped(&[&batches, &rows, &inner], lengths)?;
    let right = b.grouped(&[&batches, &inner, &columns], lengths)?;
    let product = products::matmul("einsum", &left, &right, dtype)?;
    let labels = [batches, rows, columns].concat();
    let whole: Vec<usize> = labels.iter().map(|label| lengths[label]).collect();
    Ok(Labelled { raw: product.try_reshape(whole.as_slice().into_dims())?, labels })
}

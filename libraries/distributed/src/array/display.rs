//! A distributed array as text: NumPy's, of the whole.

use std::fmt;

use gpurepl_extend::arrays::text::layout::{self, Corners, Style};
use gpurepl_extend::arrays::text::options::{PrintOptions, get_printoptions};
use gpurepl_extend::{AnyArray, Elem, Result};

use super::{DistArray, Split};
use crate::call;

/// What is shown of the whole: as many of the first and the last rows as the options say, if it is not shown whole.
fn corners(local: &AnyArray, split: &Split, options: PrintOptions) -> Result<Corners> {
    let (rows, size) = (split.shape()[0], split.shape().iter().product::<usize>());
    let edge = options.edgeitems.max(1);
    if size <= options.threshold || rows <= 2 * edge {
        let threshold = if size <= options.threshold { options.threshold } else { 0 };
        let mut corners =
            layout::corners(call::all_gather(local)?.raw(), options.clone().threshold(threshold))?;
        corners.options = options;
        return Ok(corners);
    }
    let own = split.own();
    let inside = |from: usize, to: usize| {
        let (from, to) = (from.clamp(own.start, own.end), to.clamp(own.start, own.end));
        local.narrowed(0, from - own.start, to.saturating_sub(from))
    };
    // In the order of ranks the first rows come before the last ones, each in their order.
    let first = call::all_gather(&inside(0, edge)?)?;
    let last = call::all_gather(&inside(rows - edge, rows)?)?;
    let cut = |a: &AnyArray| layout::corners(a.raw(), options.clone().threshold(0).edgeitems(edge));
    let (mut first, last) = (cut(&first)?, cut(&last)?);
    first.elements.extend(last.elements);
    first.shown[0] += last.shown[0];
    first.shape = split.shape().to_vec();
    first.options = options;
    Ok(first)
}

fn write(local: &AnyArray, split: &Split, style: Style, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match corners(local, split, get_printoptions()) {
        Ok(corners) => f.write_str(&layout::write(&corners, style)),
        Err(error) => write!(f, "<array: {error}>"),
    }
}

impl<T: Elem> fmt::Display for DistArray<T> {
    /// The elements of the whole as NumPy prints them. All ranks have to print it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(&AnyArray::of(&self.local), &self.split, Style::Plain, f)
    }
}

impl<T: Elem> fmt::Debug for DistArray<T> {
    /// The whole as NumPy's `repr`. All ranks have to print it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(&AnyArray::of(&self.local), &self.split, Style::Repr, f)
    }
}

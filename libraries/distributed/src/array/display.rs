//! A distributed array as text, NumPy's of the whole, and as a card.

use std::fmt;
use std::ops::Range;

use gpurepl_display::{MimeBundle, Render, figures_of_part, is_rich, of_parts};
use gpurepl_extend::arrays::text::layout::{self, Corners, Style};
use gpurepl_extend::arrays::text::options::PrintOptions;
use gpurepl_extend::arrays::text::options_of;
use gpurepl_extend::arrays::{concatenate_axis, get_printoptions};
use gpurepl_extend::group::Function;
use gpurepl_extend::{AnyArray, DType, Elem, GpuArray, Result};

use super::DistArray;
use crate::call;

/// The places of an axis that are shown: all, or so many at either end.
fn shown(length: usize, edge: Option<usize>) -> Vec<Range<usize>> {
    let front = edge.filter(|edge| length > 2 * edge).unwrap_or(length);
    let back = if front < length { length - front } else { length };
    [0..front, back..length].into_iter().take(if front < length { 2 } else { 1 }).collect()
}

impl<T: Elem> DistArray<T> {
    /// What is shown of the whole, on all ranks. No more of it is sent.
    fn corners(&self, options: PrintOptions) -> Result<Corners> {
        // At an edge of none the last element is shown.
        let edge = (self.size() > options.threshold).then(|| options.edgeitems.max(1));
        let own = self.rows();
        let mut part = AnyArray::of(self.local());
        for (axis, length) in self.shape().iter().enumerate() {
            let pieces = shown(*length, edge);
            let pieces: Vec<GpuArray<T>> = pieces
                .into_iter()
                .map(|places| {
                    let (start, end) = match axis {
                        0 => (places.start.clamp(own.start, own.end), places.end.clamp(own.start, own.end)),
                        _ => (places.start, places.end),
                    };
                    let before = if axis == 0 { own.start } else { 0 };
                    part.narrowed(axis, start - before, end.saturating_sub(start))?.typed()
                })
                .collect::<Result<_>>()?;
            part = match &pieces[..] {
                [one] => AnyArray::of(one),
                all => AnyArray::of(&concatenate_axis(&all.iter().collect::<Vec<_>>()[..], axis as isize)),
            };
        }
        let all = call::all_gather_for(self.split().call(Function::Print), &part)?;
        let mut corners = layout::corners(all.raw(), options.clone().threshold(usize::MAX))?;
        corners.shape = self.shape().to_vec();
        corners.options = options;
        Ok(corners)
    }

    /// The figures of all ranks' parts, on all of them.
    fn figures(&self) -> Result<Vec<u8>> {
        let own = figures_of_part(AnyArray::of(self.local()).raw())?;
        let context = AnyArray::of(self.local()).context()?;
        let own = context.scope(|| AnyArray::from_host([1, own.len()], DType::UInt8, &own))??;
        call::all_gather_for(self.split().call(Function::Print), &own)?.to_host()
    }

    /// How many ranks there are, and how many rows they have.
    fn places(&self) -> [String; 2] {
        let plural =
            |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let counts = self.split().counts();
        let rows = match (counts.iter().min(), counts.iter().max()) {
            (Some(least), Some(most)) if least != most => format!("{least} to {most} rows each"),
            (Some(rows), _) if counts.len() > 1 => format!("{} each", plural(*rows, "row")),
            _ => String::new(),
        };
        [plural(counts.len(), "rank"), rows]
    }

    fn write(&self, style: Style, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.corners(options_of(f)) {
            Ok(corners) => f.write_str(&layout::write(&corners, style)),
            Err(error) => write!(f, "<array: {error}>"),
        }
    }
}

impl<T: Elem> fmt::Display for DistArray<T> {
    /// The elements of the whole as NumPy prints them; `{:.2}` and `{:+}` are as for an array. All ranks have to print it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(Style::Plain, f)
    }
}

impl<T: Elem> fmt::Debug for DistArray<T> {
    /// The whole as NumPy's `repr`. All ranks have to print it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(Style::Repr, f)
    }
}

impl<T: Elem> Render for DistArray<T> {
    /// The whole as an array is shown, with the ranks for its place. All ranks have to show it.
    fn render(&self) -> MimeBundle {
        let corners = match self.corners(get_printoptions()) {
            Ok(corners) => corners,
            Err(error) => return MimeBundle::text(format!("<array: {error}>")),
        };
        // Without figures the rest is shown.
        let figures = if is_rich() { self.figures().ok() } else { None };
        let [ranks, rows] = self.places();
        of_parts(&corners, ranks, rows, figures.as_deref())
    }
}

//! How far the axes reach.

use super::load::{Data, Loaded};
use super::{Block, Drawing, Kind};
use crate::reduce::host;
use crate::scale::{Limits, Scale};

impl Loaded {
    /// The ends of the axes.
    pub(super) fn limits(&self, drawing: &Drawing) -> (Limits, Limits) {
        let (mut x, mut y) = (Span::default(), Span::default());
        for (data, series) in self.series.iter().zip(&drawing.series) {
            match data {
                Data::Exact { x: places, y: values } => {
                    x.add(host::extent(places, drawing.x.scale).ends);
                    y.add(host::extent(values, drawing.y.scale).ends);
                }
                Data::Large { x: places, y: values, extent, .. } => {
                    let last = values.shape().size() as f64 - 1.0;
                    let first = if drawing.x.scale == Scale::Log { 1.0 } else { 0.0 };
                    x.add(places.as_ref().map_or(Some((first, last)), |(_, extent)| extent.ends));
                    y.add(extent.ends);
                }
                Data::Boxes(blocks) => {
                    for block in blocks {
                        x.add(sides(block, drawing.x.scale));
                        let end = block.to;
                        if drawing.y.scale == Scale::Linear {
                            y.add(Some((end.min(0.0), end.max(0.0))));
                            y.rests_on = Some(0.0);
                        } else if end > 0.0 {
                            y.add(Some((end, end)));
                        }
                    }
                }
                Data::Matrix { rows, columns, .. } => {
                    let (rows, columns) = (*rows as f64, *columns as f64);
                    if rows == 0.0 || columns == 0.0 {
                        continue;
                    }
                    let is_image = matches!(series.kind, Kind::Image(_));
                    let half = if is_image { 0.5 } else { 0.0 };
                    x.add(Some((-half, columns - 1.0 + half)));
                    y.add(Some((-half, rows - 1.0 + half)));
                    x.is_tight = true;
                    y.is_tight = true;
                    y.is_downwards |= is_image;
                }
            }
        }
        let x_given = drawing.x.limits.map(|(from, to)| Limits { from, to, scale: drawing.x.scale });
        let y_given = drawing.y.limits.map(|(from, to)| Limits { from, to, scale: drawing.y.scale });
        (
            x_given.unwrap_or_else(|| x.limits(drawing.x.scale)),
            y_given.unwrap_or_else(|| y.limits(drawing.y.scale)),
        )
    }
}

/// What an axis must show of a block's width. A logarithmic one cannot show
/// its left side if that is not above 0, but what lies right of its middle, or
/// half of what is right of 0.
fn sides(block: &Block, scale: Scale) -> Option<(f64, f64)> {
    if scale == Scale::Linear || block.left > 0.0 {
        return Some((block.left, block.right));
    }
    let middle = (block.left + block.right) / 2.0;
    let least = if middle > 0.0 { middle } else { block.right / 2.0 };
    (least > 0.0).then_some((least, block.right))
}

/// The numbers that an axis must show.
#[derive(Default)]
struct Span {
    ends: Option<(f64, f64)>,
    /// Without a margin.
    is_tight: bool,
    is_downwards: bool,
    /// Where bars stand: no margin there.
    rests_on: Option<f64>,
}

impl Span {
    fn add(&mut self, ends: Option<(f64, f64)>) {
        let Some((low, high)) = ends else { return };
        self.ends = Some(self.ends.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
    }

    fn limits(&self, scale: Scale) -> Limits {
        let margin = if self.is_tight { 0.0 } else { 0.05 };
        let mut limits = Limits::around(self.ends, scale, margin);
        if let (Some(ground), Some((low, high))) = (self.rests_on, self.ends)
            && low < high
        {
            if low == ground {
                limits.from = ground;
            }
            if high == ground {
                limits.to = ground;
            }
        }
        if self.is_downwards {
            std::mem::swap(&mut limits.from, &mut limits.to);
        }
        limits
    }
}

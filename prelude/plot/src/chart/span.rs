//! How far the axes reach.

use super::between::Band;
use super::load::{Data, Loaded};
use super::{Axis, Block, Drawing, Series};
use crate::reduce::host;
use crate::scale::{Limits, Scale};

impl Loaded {
    /// What the axes must show.
    pub(super) fn spans(&self, drawing: &Drawing) -> (Span, Span) {
        if let Some(limits) = &self.polar {
            let radius = limits.to - limits.from;
            let ends = Some((-radius, radius));
            let span = Span { ends, is_tight: true, is_round: true, ..Span::default() };
            return (span.clone(), span);
        }
        let (mut x, mut y) = (Span::default(), Span::default());
        for (data, series) in self.series.iter().zip(&drawing.series) {
            match data {
                Data::Exact { x: places, y: values } | Data::Dots { x: places, y: values, .. } => {
                    x.add(host::extent(places, drawing.x.scale).ends);
                    y.add(host::extent(values, drawing.y.scale).ends);
                }
                Data::Large { x: places, y: values, extent, .. } => {
                    let last = values.shape().size() as f64 - 1.0;
                    let first = if drawing.x.scale == Scale::Log { 1.0 } else { 0.0 };
                    x.add(places.as_ref().map_or(Some((first, last)), |(_, extent)| extent.ends));
                    y.add(extent.ends);
                }
                Data::Boxes(blocks) => match series.kind.is_lying() {
                    false => add_blocks(blocks, (&mut x, &mut y), (&drawing.x, &drawing.y)),
                    true => add_blocks(blocks, (&mut y, &mut x), (&drawing.y, &drawing.x)),
                },
                Data::Stems { x: places, y: values } => {
                    x.add(host::extent(places, drawing.x.scale).ends);
                    y.add(host::extent(values, drawing.y.scale).ends);
                    // They stand on a line at zero.
                    if drawing.y.scale != Scale::Log && !values.is_empty() {
                        y.add(Some((0.0, 0.0)));
                    }
                }
                Data::Band(Band::Exact { x: places, low, high }) => {
                    x.add(host::extent(places, drawing.x.scale).ends);
                    y.add(host::extent(low, drawing.y.scale).ends);
                    y.add(host::extent(high, drawing.y.scale).ends);
                }
                Data::Band(Band::Large { x: (_, extent), low, high }) => {
                    x.add(extent.ends);
                    y.add(low.ends(drawing.y.scale));
                    y.add(high.ends(drawing.y.scale));
                }
                Data::Guide(guide) => {
                    let [across, up] = guide.ends();
                    x.add(across.filter(|(low, _)| drawing.x.scale != Scale::Log || *low > 0.0));
                    y.add(up.filter(|(low, _)| drawing.y.scale != Scale::Log || *low > 0.0));
                }
                // Space has limits of its own.
                Data::Solid(_) => {}
                Data::Matrix(matrix) => {
                    let ends = match &matrix.places {
                        Some((across, up)) => [
                            host::extent(across, drawing.x.scale).ends,
                            host::extent(up, drawing.y.scale).ends,
                        ],
                        None => counted(series, matrix.rows, matrix.columns),
                    };
                    add_area(ends, (&mut x, &mut y));
                    reverse(series, ends[1].is_some(), (&mut x, &mut y));
                }
                Data::Photo(raw) => {
                    let lengths = raw.shape().lengths().to_vec();
                    let ends = counted(series, lengths[0], lengths[1]);
                    add_area(ends, (&mut x, &mut y));
                    reverse(series, ends[1].is_some(), (&mut x, &mut y));
                }
                Data::Mesh(mesh) => {
                    let ends = [
                        host::extent(&mesh.across, drawing.x.scale).ends,
                        host::extent(&mesh.up, drawing.y.scale).ends,
                    ];
                    add_area(ends, (&mut x, &mut y));
                }
                Data::Sketch(sketch) => {
                    x.add(sketch.x);
                    y.add(sketch.y);
                    x.is_tight |= sketch.is_tight.0;
                    y.is_tight |= sketch.is_tight.1;
                }
            }
        }
        for (from, to) in self.errors.iter().flatten() {
            for end in [from, to] {
                x.add(host::extent(&[end.0], drawing.x.scale).ends);
                y.add(host::extent(&[end.1], drawing.y.scale).ends);
            }
        }
        (x, y)
    }
}

/// Where a matrix of so many rows and columns ends, if it has any.
fn counted(series: &Series, rows: usize, columns: usize) -> [Option<(f64, f64)>; 2] {
    if rows == 0 || columns == 0 {
        return [None, None];
    }
    let half = if series.is_image() { 0.5 } else { 0.0 };
    let (rows, columns) = (rows as f64, columns as f64);
    let [left, right, below, above] =
        series.extent.unwrap_or([-half, columns - 1.0 + half, -half, rows - 1.0 + half]);
    [Some((left.min(right), left.max(right))), Some((below.min(above), below.max(above)))]
}

/// Whether rows are counted downwards.
fn hangs(series: &Series) -> bool {
    series.is_image() && !series.is_upwards && series.extent.is_none()
}

/// Turns axes that run the other way: down the rows of an image, or where an extent does.
fn reverse(series: &Series, is_there: bool, (x, y): (&mut Span, &mut Span)) {
    let [left, right, below, above] = series.extent.unwrap_or([0.0, 1.0, 0.0, 1.0]);
    x.is_reversed |= is_there && left > right;
    y.is_reversed |= is_there && (hangs(series) || below > above);
}

/// An area up to whose ends the axes reach.
fn add_area(ends: [Option<(f64, f64)>; 2], (x, y): (&mut Span, &mut Span)) {
    x.add(ends[0]);
    y.add(ends[1]);
    x.is_tight |= ends[0].is_some();
    y.is_tight |= ends[1].is_some();
}

/// Bars on an axis, and how far they reach along the other one.
fn add_blocks(blocks: &[Block], (along, up): (&mut Span, &mut Span), axes: (&Axis, &Axis)) {
    for block in blocks {
        along.add(sides(block, axes.0.scale));
        let (from, to) = (block.from.min(block.to), block.from.max(block.to));
        if axes.1.scale != Scale::Log {
            up.add(Some((from, to)));
            up.rests_on = Some(0.0);
        } else if block.to > 0.0 {
            up.add(Some((block.to, block.to)));
        }
    }
}

/// What an axis must show of a block's width. A logarithmic one cannot show
/// its left side if that is not above 0, but what lies right of its middle, or
/// half of what is right of 0.
fn sides(block: &Block, scale: Scale) -> Option<(f64, f64)> {
    if scale != Scale::Log || block.left > 0.0 {
        return Some((block.left, block.right));
    }
    let middle = (block.left + block.right) / 2.0;
    let least = if middle > 0.0 { middle } else { block.right / 2.0 };
    (least > 0.0).then_some((least, block.right))
}

/// The numbers that an axis must show.
#[derive(Clone, Default)]
pub(crate) struct Span {
    ends: Option<(f64, f64)>,
    /// Without a margin.
    is_tight: bool,
    /// Whether numbers run to the left, or downwards.
    is_reversed: bool,
    /// Whether it is the plane around a middle, which goes so far both ways,
    /// whatever was asked for.
    is_round: bool,
    /// Where bars stand: no margin there.
    rests_on: Option<f64>,
}

impl Span {
    fn add(&mut self, ends: Option<(f64, f64)>) {
        let Some((low, high)) = ends else { return };
        self.ends = Some(self.ends.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
    }

    /// What two axes must show that are one.
    pub(crate) fn with(&self, other: &Span) -> Span {
        let mut both = self.clone();
        both.add(other.ends);
        both.is_tight |= other.is_tight;
        both.is_round |= other.is_round;
        both.is_reversed |= other.is_reversed;
        both.rests_on = both.rests_on.or(other.rests_on);
        both
    }

    /// The ends of the axis: those that were asked for, or those of its data.
    pub(crate) fn limits(&self, axis: &Axis) -> Limits {
        let scale = axis.scale;
        if let Some((from, to)) = axis.limits.filter(|_| !self.is_round) {
            return Limits { from, to, scale };
        }
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
        // Matplotlib's: what was asked for is seen.
        let ticks = axis.ticks.iter().flatten().map(|tick| tick.at);
        for at in ticks.filter(|at| !self.is_round && at.is_finite() && (scale != Scale::Log || *at > 0.0)) {
            limits.from = limits.from.min(at);
            limits.to = limits.to.max(at);
        }
        if self.is_reversed {
            std::mem::swap(&mut limits.from, &mut limits.to);
        }
        limits
    }
}

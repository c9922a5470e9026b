//! The same reductions over numbers on the host: for machines that have no
//! compiler for kernels, and to compare the kernels with.

use super::super::scale::{Limits, Scale};
use super::line::Span;
use super::plane::Hexagons;
use super::{Extent, Order};

fn has_place(value: f64, scale: Scale) -> bool {
    value.is_finite() && (scale != Scale::Log || value > 0.0)
}

fn ends(values: &[f64], scale: Scale) -> Option<(f64, f64)> {
    let placed = values.iter().copied().filter(|value| has_place(*value, scale));
    placed.fold(None, |ends, value| {
        Some(ends.map_or((value, value), |(low, high): (f64, f64)| (low.min(value), high.max(value))))
    })
}

pub(crate) fn extent(values: &[f64], scale: Scale) -> Extent {
    let without_place = values.iter().filter(|value| !has_place(**value, scale));
    Extent {
        ends: ends(values, scale),
        without_place: without_place.clone().count() as u64,
        nonpositive: without_place.filter(|value| value.is_finite()).count() as u64,
        order: order(values),
    }
}

/// As `LONGEST_GAP` of the kernels.
pub(super) const LONGEST_GAP: usize = 65536;

fn order(values: &[f64]) -> Order {
    let (mut rises, mut falls) = (true, true);
    let (mut previous, mut gap) = (None, 0);
    for value in values {
        if !value.is_finite() {
            gap += 1;
            if gap > LONGEST_GAP {
                return Order::Mixed;
            }
            continue;
        }
        if let Some(previous) = previous.replace(*value) {
            rises &= previous <= *value;
            falls &= previous >= *value;
        }
        gap = 0;
    }
    match (rises, falls) {
        (true, _) => Order::Ascending,
        (false, true) => Order::Descending,
        (false, false) => Order::Mixed,
    }
}

/// The first element beyond each edge between columns; of places that are not
/// finite none is the first.
pub(super) fn edges(places: &[f64], limits: &Limits, columns: usize) -> Vec<i64> {
    let (from, to) = (limits.map(limits.from), limits.map(limits.to));
    let falls = from > to;
    let mut first = 0;
    let edge = |edge: usize| {
        let at = limits.scale.inverse(from + (to - from) * (edge as f64 / columns as f64));
        let is_before = |place: f64| {
            !place.is_finite()
                || (edge == columns && place == at)
                || if falls { place > at } else { place < at }
        };
        first += places[first..].iter().take_while(|place| is_before(**place)).count();
        first as i64
    };
    (0..=columns).map(edge).collect()
}

/// What lies between edges. A place that is not finite is none; with places of
/// which each is finite, they need not be given.
pub(super) fn spans(places: Option<&[f64]>, values: &[f64], edges: &[i64], scale: Scale) -> Vec<Span> {
    let span = |edges: &[i64]| {
        let mut span = Span::default();
        for index in edges[0]..edges[1] {
            let value = values[index as usize];
            let is_placed = places.is_none_or(|places| places[index as usize].is_finite());
            if is_placed && has_place(value, scale) {
                span.low = span.low.min(value);
                span.high = span.high.max(value);
                span.drawn = Some((span.drawn.map_or(index, |(first, _)| first), index));
            } else {
                span.gaps = Some((span.gaps.map_or(index, |(first, _)| first), index));
            }
        }
        span
    };
    edges.windows(2).map(span).collect()
}

pub(super) fn histogram(values: &[f64], edges: &[f64]) -> Vec<u64> {
    let mut counts = vec![0; edges.len() - 1];
    for bin in values.iter().filter_map(|value| bin(*value, edges)) {
        counts[bin] += 1;
    }
    counts
}

/// The bin between two edges that a number lies in; the last has both its ends.
fn bin(value: f64, edges: &[f64]) -> Option<usize> {
    let bins = edges.len() - 1;
    let (from, to) = (edges[0], edges[bins]);
    if !(from..=to).contains(&value) {
        return None;
    }
    let each = bins as f64 / (to - from);
    let mut bin = (((value - from) * each) as usize).min(bins - 1);
    while bin > 0 && value < edges[bin] {
        bin -= 1;
    }
    while bin + 1 < bins && value >= edges[bin + 1] {
        bin += 1;
    }
    Some(bin)
}

/// How many points lie between edges across and up, the lowest row first.
pub(super) fn plane(x: &[f64], y: &[f64], across: &[f64], up: &[f64]) -> Vec<u32> {
    let columns = across.len() - 1;
    let mut counts = vec![0; columns * (up.len() - 1)];
    for (x, y) in x.iter().zip(y) {
        if let (Some(column), Some(row)) = (bin(*x, across), bin(*y, up)) {
            counts[row * columns + column] += 1;
        }
    }
    counts
}

/// How many points lie in each hexagon.
pub(super) fn hexagons(x: &[f64], y: &[f64], hexagons: &Hexagons) -> Vec<u32> {
    let ((left, bottom), (across, up), (columns, rows)) = (hexagons.from, hexagons.step, hexagons.size);
    let mut counts = vec![0; hexagons.cells()];
    for (x, y) in x.iter().zip(y) {
        let (x, y) = ((x - left) / across, (y - bottom) / up);
        if !((0.0..=columns as f64).contains(&x) && (0.0..=rows as f64).contains(&y)) {
            continue;
        }
        let near = ((x + 0.5) as usize, (y + 0.5) as usize);
        let low = ((x as usize).min(columns - 1), (y as usize).min(rows - 1));
        let far = |dx: f64, dy: f64| dx * dx + 3.0 * (dy * dy);
        let is_first =
            far(x - near.0 as f64, y - near.1 as f64) < far(x - low.0 as f64 - 0.5, y - low.1 as f64 - 0.5);
        let first = (columns + 1) * (rows + 1);
        let cell = if is_first { near.1 * (columns + 1) + near.0 } else { first + low.1 * columns + low.0 };
        counts[cell] += 1;
    }
    counts
}

/// The cell of a grid over the axes that a point lies in.
fn cell(
    (x, y): (f64, f64),
    (across, up): (&Limits, &Limits),
    (width, height): (usize, usize),
) -> Option<usize> {
    if !has_place(x, across.scale) || !has_place(y, up.scale) {
        return None;
    }
    let (x, y) = (across.place(x), up.place(y));
    ((0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y)).then(|| {
        let column = ((x * width as f64) as usize).min(width - 1);
        let row = (((1.0 - y) * height as f64) as usize).min(height - 1);
        row * width + column
    })
}

pub(super) fn density(
    points: impl Iterator<Item = (f64, f64)>,
    limits: (&Limits, &Limits),
    (width, height): (usize, usize),
) -> Vec<u32> {
    let mut counts = vec![0; width * height];
    for cell in points.filter_map(|point| cell(point, limits, (width, height))) {
        counts[cell] += 1;
    }
    counts
}

/// The sum of a value of each point in each cell, and of how many.
pub(super) fn sums(
    points: impl Iterator<Item = ((f64, f64), f64)>,
    limits: (&Limits, &Limits),
    (width, height): (usize, usize),
) -> (Vec<f64>, Vec<u32>) {
    let (mut sums, mut counts) = (vec![0.0; width * height], vec![0; width * height]);
    for (point, value) in points.filter(|(_, value)| value.is_finite()) {
        if let Some(cell) = cell(point, limits, (width, height)) {
            sums[cell] += value;
            counts[cell] += 1;
        }
    }
    (sums, counts)
}

/// The first point in each cell, where it is before the one that stands there.
pub(super) fn members(
    points: impl Iterator<Item = (f64, f64)>,
    limits: (&Limits, &Limits),
    size: (usize, usize),
    members: &mut [u64],
) {
    for (index, point) in points.enumerate() {
        if let Some(cell) = cell(point, limits, size) {
            members[cell] = members[cell].min(index as u64);
        }
    }
}

pub(crate) fn blocks(
    values: &[f64],
    (rows, columns): (usize, usize),
    (height, width): (usize, usize),
) -> Vec<f64> {
    let mut means = Vec::with_capacity(height * width);
    for row in 0..height {
        for column in 0..width {
            let (mut sum, mut count) = (0.0, 0);
            for i in rows * row / height..rows * (row + 1) / height {
                for j in columns * column / width..columns * (column + 1) / width {
                    let value = values[i * columns + j];
                    if value.is_finite() {
                        sum += value;
                        count += 1;
                    }
                }
            }
            means.push(if count > 0 { sum / f64::from(count) } else { f64::NAN });
        }
    }
    means
}

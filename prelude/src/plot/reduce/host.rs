//! The same reductions over numbers on the host: for machines that have no
//! compiler for kernels, and to compare the kernels with.

use super::super::scale::{Limits, Scale};
use super::{Column, Extent};

fn has_place(value: f64, scale: Scale) -> bool {
    value.is_finite() && (scale == Scale::Linear || value > 0.0)
}

fn ends(values: &[f64], scale: Scale) -> Option<(f64, f64)> {
    let placed = values.iter().copied().filter(|value| has_place(*value, scale));
    placed.fold(None, |ends, value| {
        Some(ends.map_or((value, value), |(low, high): (f64, f64)| (low.min(value), high.max(value))))
    })
}

pub(crate) fn extent(values: &[f64], scale: Scale) -> Extent {
    Extent {
        ends: ends(values, scale),
        without_place: values.iter().filter(|value| !has_place(**value, scale)).count() as u64,
        is_ascending: values.is_sorted(),
    }
}

pub(crate) fn edges(places: &[f64], limits: &Limits, columns: usize) -> Vec<i64> {
    let (from, to) = (limits.map(limits.low()), limits.map(limits.high()));
    let edge = |edge: usize| {
        let at = from + (to - from) * (edge as f64 / columns as f64);
        let at = if limits.scale == Scale::Log { 10f64.powf(at) } else { at };
        let is_last = edge == columns;
        places.partition_point(|place| if is_last { *place <= at } else { *place < at }) as i64
    };
    (0..=columns).map(edge).collect()
}

pub(crate) fn columns(values: &[f64], edges: &[i64], scale: Scale) -> Vec<Column> {
    let column = |edges: &[i64]| {
        let values = values.get(edges[0] as usize..edges[1] as usize).unwrap_or_default();
        match ends(values, scale) {
            Some((low, high)) => Column::Ends(low, high),
            None if !values.is_empty() => Column::Gap,
            None => Column::Empty,
        }
    };
    edges.windows(2).map(column).collect()
}

pub(crate) fn histogram(values: &[f64], from: f64, to: f64, bins: usize) -> Vec<u64> {
    let mut counts = vec![0; bins];
    let (width, each) = ((to - from) / bins as f64, bins as f64 / (to - from));
    for value in values.iter().filter(|value| (from..=to).contains(*value)) {
        let mut bin = (((value - from) * each) as usize).min(bins - 1);
        if *value < from + bin as f64 * width {
            bin = bin.saturating_sub(1);
        } else if bin + 1 < bins && *value >= from + (bin + 1) as f64 * width {
            bin += 1;
        }
        counts[bin] += 1;
    }
    counts
}

pub(crate) fn density(
    places: &[f64],
    values: &[f64],
    (across, up): (&Limits, &Limits),
    (width, height): (usize, usize),
) -> Vec<u32> {
    let mut counts = vec![0; width * height];
    for (x, y) in places.iter().zip(values) {
        if !has_place(*x, across.scale) || !has_place(*y, up.scale) {
            continue;
        }
        let (x, y) = (across.place(*x), up.place(*y));
        if (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y) {
            let column = ((x * width as f64) as usize).min(width - 1);
            let row = (((1.0 - y) * height as f64) as usize).min(height - 1);
            counts[row * width + column] += 1;
        }
    }
    counts
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

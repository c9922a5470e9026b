//! Numbers on lines of equal height, where these are straightest; the line has
//! a gap there.

use super::{Layer, POINT};
use crate::draw::font::{self, CAPITAL};
use crate::draw::{Align, Point, Rect, Scene, Text};
use crate::scale::minus;

/// Between a number and its line, as a part of the font's size.
const GAP: f64 = 0.35;

/// Levels in as few digits as tell them apart.
pub(super) fn names(levels: &[f64]) -> Vec<String> {
    let largest = levels.iter().fold(0.0f64, |largest, level| largest.max(level.abs()));
    if largest != 0.0 && !(1e-4..1e7).contains(&largest) {
        return levels.iter().map(|level| minus(&format!("{level:e}"))).collect();
    }
    let is_exact = |digits: &usize| {
        let same = |level: &f64| {
            let shown: f64 = format!("{level:.digits$}").parse().unwrap_or(f64::NAN);
            (shown - level).abs() <= 1e-9 * largest
        };
        levels.iter().all(same)
    };
    let digits = (0..=6).find(is_exact).unwrap_or(6);
    levels.iter().map(|level| minus(&format!("{:.digits$}", level + 0.0))).collect()
}

/// Writes numbers on lines and returns what is left of these. All are in
/// pixels.
pub(super) fn write(
    lines: Vec<Vec<Point>>,
    name: &str,
    layer: &Layer<'_>,
    color: crate::color::Color,
    rect: &Rect,
    taken: &mut Vec<Point>,
    scene: &mut Scene,
) -> Vec<Vec<Point>> {
    let size = layer.series.font * POINT;
    let width = font::width(name, size);
    let needed = width + 2.0 * GAP * size;
    let mut left = Vec::new();
    for line in lines {
        match straightest(&line, needed, rect, taken) {
            None => left.push(line),
            Some((from, to)) => {
                let (start, end) = (at(&line, from), at(&line, to));
                let middle = ((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0);
                taken.push(middle);
                // Read from the left to the right.
                let (dx, dy) = if end.0 < start.0 {
                    (start.0 - end.0, start.1 - end.1)
                } else {
                    (end.0 - start.0, end.1 - start.1)
                };
                let angle = (-dy).atan2(dx);
                let below = CAPITAL * size / 2.0;
                let place = (middle.0 + below * angle.sin(), middle.1 + below * angle.cos());
                // In tenths, as coordinates are.
                let angle = (angle.to_degrees() * 10.0).round() / 10.0;
                let text = Text { text: name.to_owned(), at: place, size, align: Align::Center, angle };
                scene.write(text, color);
                left.push(part(&line, 0.0, from));
                left.push(part(&line, to, f64::INFINITY));
            }
        }
    }
    left.retain(|line| line.len() > 1);
    left
}

/// Where the straightest stretch of a length begins and ends along a line; none
/// if the line is too short for a number, or others stand there.
fn straightest(line: &[Point], needed: f64, rect: &Rect, taken: &[Point]) -> Option<(f64, f64)> {
    let length: f64 = line.windows(2).map(|pair| distance(pair[0], pair[1])).sum();
    if length < 2.0 * needed {
        return None;
    }
    let inside = rect.grown(-needed / 2.0);
    let is_free = |at: Point| taken.iter().all(|other| distance(at, *other) > 1.5 * needed);
    let steps = ((length - needed) / (needed / 2.0)).ceil().clamp(1.0, 200.0);
    let stretches = (0..=steps as usize).filter_map(|k| {
        let from = (length - needed) * k as f64 / steps;
        let (start, end) = (at(line, from), at(line, from + needed));
        let middle = ((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0);
        // How much longer the line is than the way, and a little for how far
        // the stretch is from the middle.
        let bend =
            1.0 - distance(start, end) / needed + 0.02 * (from + needed / 2.0 - length / 2.0).abs() / length;
        (inside.contains(middle) && is_free(middle)).then_some((bend, from))
    });
    let (bend, from) = stretches.min_by(|a, b| a.0.total_cmp(&b.0))?;
    (bend < 0.2).then_some((from, from + needed))
}

fn distance(from: Point, to: Point) -> f64 {
    (to.0 - from.0).hypot(to.1 - from.1)
}

/// The place at a length along a line.
fn at(line: &[Point], length: f64) -> Point {
    let mut before = 0.0;
    for pair in line.windows(2) {
        let step = distance(pair[0], pair[1]);
        if before + step >= length && step > 0.0 {
            let part = (length - before) / step;
            return (pair[0].0 + (pair[1].0 - pair[0].0) * part, pair[0].1 + (pair[1].1 - pair[0].1) * part);
        }
        before += step;
    }
    line.last().copied().unwrap_or_default()
}

/// The part of a line between two lengths along it.
fn part(line: &[Point], from: f64, to: f64) -> Vec<Point> {
    let mut part = vec![at(line, from)];
    let mut along = 0.0;
    for (k, point) in line.iter().enumerate() {
        if k > 0 {
            along += distance(line[k - 1], *point);
        }
        if along > from && along < to {
            part.push(*point);
        }
    }
    if to.is_finite() {
        part.push(at(line, to));
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_as_many_digits_as_they_need() {
        assert_eq!(names(&[-0.5, 0.0, 1.0]), ["\u{2212}0.5", "0.0", "1.0"]);
        assert_eq!(names(&[10.0, 20.0]), ["10", "20"]);
        assert_eq!(names(&[1e9]), ["1e9"]);
        assert_eq!(names(&[-1.0, -0.0]), ["\u{2212}1", "0"]);
    }

    #[test]
    fn a_number_stands_where_a_line_is_straight() {
        let rect = Rect { left: -100.0, top: -100.0, right: 300.0, bottom: 300.0 };
        let bent: Vec<Point> = vec![(0.0, 0.0), (0.0, 20.0), (20.0, 20.0), (20.0, 0.0), (120.0, 0.0)];
        let (from, to) = straightest(&bent, 30.0, &rect, &[]).unwrap();
        assert!(from >= 60.0 && to <= 160.0, "{from} {to}");
        assert_eq!(straightest(&bent[..3], 30.0, &rect, &[]), None);
        assert_eq!(part(&bent, 10.0, 30.0), [(0.0, 10.0), (0.0, 20.0), (10.0, 20.0)]);
    }
}

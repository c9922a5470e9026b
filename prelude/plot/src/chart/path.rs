//! Lines that go to and fro, of many points.

use super::Content;
use super::many::Area;
use crate::draw::{Point, clip};

/// The most vertices of such a line, which bound the size of a picture, and how
/// often it may cover its axes, which bounds the time for drawing it.
const MOST_VERTICES: usize = 50_000;
const MOST_COVERS: f64 = 5.0;

/// The lines without vertices that look the same; as a picture of how
/// often they pass each place, if they are too many still.
pub(super) fn content(runs: Vec<Vec<Point>>, area: &Area<'_>) -> Content {
    let lines: Vec<Vec<Point>> = runs.into_iter().map(|run| thinned(run, area)).collect();
    let placed = |line: &Vec<Point>| line.iter().map(|point| area.place(*point)).collect::<Vec<_>>();
    let parts: Vec<Vec<Point>> = lines.iter().flat_map(|line| clip::line(&placed(line), area.rect)).collect();
    let vertices: usize = parts.iter().map(Vec::len).sum();
    let length: f64 =
        parts.iter().flat_map(|part| part.windows(2)).map(|pair| length(pair[0], pair[1])).sum();
    if vertices <= MOST_VERTICES && length <= MOST_COVERS * area.rect.width() * area.rect.height() {
        return Content::Lines(lines);
    }
    let (width, height) = area.cells();
    Content::Density { counts: passes(&parts, area), width, height, alone: Vec::new() }
}

fn length(from: Point, to: Point) -> f64 {
    (to.0 - from.0).hypot(to.1 - from.1)
}

/// Of successive points on the same half pixel the first; and the end.
fn thinned(run: Vec<Point>, area: &Area<'_>) -> Vec<Point> {
    let end = run.last().copied();
    let mut last = None;
    let is_apart = |point: &Point| {
        let (x, y) = area.place(*point);
        let spot = ((2.0 * x).floor() as i64, (2.0 * y).floor() as i64);
        last.replace(spot) != Some(spot)
    };
    let mut kept: Vec<Point> = run.into_iter().filter(is_apart).collect();
    if kept.last() != end.as_ref() {
        kept.extend(end);
    }
    kept
}

/// How often lines pass each cell of two pixels.
fn passes(parts: &[Vec<Point>], area: &Area<'_>) -> Vec<u32> {
    let (width, height) = area.cells();
    let mut counts = vec![0; width * height];
    let cell = |(x, y): Point| {
        let column = (x - area.rect.left) / area.rect.width() * width as f64;
        let row = (y - area.rect.top) / area.rect.height() * height as f64;
        (row as usize).min(height - 1) * width + (column as usize).min(width - 1)
    };
    for part in parts {
        let mut last = None;
        for pair in part.windows(2) {
            let ((x, y), (to_x, to_y)) = (pair[0], pair[1]);
            let steps = ((to_x - x).abs().max((to_y - y).abs()) / 2.0).ceil().max(1.0) as usize;
            for step in 0..=steps {
                let along = step as f64 / steps as f64;
                let cell = cell((x + (to_x - x) * along, y + (to_y - y) * along));
                if last.replace(cell) != Some(cell) {
                    counts[cell] += 1;
                }
            }
        }
    }
    counts
}

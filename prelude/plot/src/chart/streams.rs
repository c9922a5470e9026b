//! Lines along a field of vectors, about equally far from each other: each is
//! followed both ways until it comes near another one, as Matplotlib's
//! `streamplot` does with a grid of places that are taken.

use super::load::{Data, Loaded};
use super::matrix::color_range;
use super::sketch::{Form, Sketch, Tone};
use super::{Kind, Series};
use crate::draw::Point;
use crate::error::Result;
use crate::reduce::{self, host};
use crate::scale::Scale;
use crate::vectors::means;

/// A field over columns and rows that ascend.
struct Field {
    x: Vec<f64>,
    y: Vec<f64>,
    /// Row by row.
    u: Vec<f64>,
    v: Vec<f64>,
    /// What colours stand for, where lines have some.
    values: Option<Vec<f64>>,
}

/// Cells of the grid, each way, of which one line passes each.
const CELLS: f64 = 30.0;
/// A step, and the least and the most length of a line, in parts of the axes.
const STEP: f64 = 0.004;
const LENGTHS: (f64, f64) = (0.1, 4.0);

impl Field {
    /// The direction at a place in parts of the axes; none where the field is
    /// zero or not known.
    fn direction(&self, (across, up): Point) -> Option<Point> {
        let width = self.x[self.x.len() - 1] - self.x[0];
        let height = self.y[self.y.len() - 1] - self.y[0];
        let at = |values: &[f64]| self.at(values, (across, up));
        let (dx, dy) = (at(&self.u) / width, at(&self.v) / height);
        let length = dx.hypot(dy);
        (length > 0.0 && length.is_finite()).then(|| (dx / length, dy / length))
    }

    /// A value at a place in parts of the axes, by straight lines between
    /// neighbours.
    fn at(&self, values: &[f64], (across, up): Point) -> f64 {
        let place = self.place((across, up));
        let (left, right) = around(&self.x, place.0);
        let (below, above) = around(&self.y, place.1);
        let row = |row: usize| {
            let cell = |column: usize| values[row * self.x.len() + column];
            cell(left) * (1.0 - right) + cell(left + 1) * right
        };
        row(below) * (1.0 - above) + row(below + 1) * above
    }

    /// The numbers of the axes at a place in parts of them.
    fn place(&self, (across, up): Point) -> Point {
        let along = |places: &[f64], part: f64| places[0] + (places[places.len() - 1] - places[0]) * part;
        (along(&self.x, across), along(&self.y, up))
    }
}

/// The number before a place, and how far it is to the next, from 0 to 1.
fn around(places: &[f64], at: f64) -> (usize, f64) {
    let first = places.partition_point(|place| *place <= at).clamp(1, places.len() - 1) - 1;
    (first, ((at - places[first]) / (places[first + 1] - places[first])).clamp(0.0, 1.0))
}

/// Which cells lines have passed.
struct Taken {
    size: usize,
    cells: Vec<bool>,
}

impl Taken {
    fn cell(&self, (across, up): Point) -> Option<usize> {
        let is_inside = (0.0..=1.0).contains(&across) && (0.0..=1.0).contains(&up);
        let number = |at: f64| ((at * self.size as f64) as usize).min(self.size - 1);
        is_inside.then(|| number(up) * self.size + number(across))
    }
}

/// The line through a place, both ways; none if it is too short.
fn line(field: &Field, start: Point, taken: &mut Taken) -> Option<Vec<Point>> {
    let first = taken.cell(start)?;
    let mut passed = vec![first];
    taken.cells[first] = true;
    let mut follow = |sign: f64| {
        let mut points = vec![start];
        let (mut at, mut last, mut length) = (start, first, 0.0);
        while length < LENGTHS.1 / 2.0 {
            // The direction halfway along the step (Runge, 1895).
            let Some((dx, dy)) = field.direction(at) else { break };
            let half = (at.0 + sign * dx * STEP / 2.0, at.1 + sign * dy * STEP / 2.0);
            let Some((dx, dy)) = field.direction(half) else { break };
            at = (at.0 + sign * dx * STEP, at.1 + sign * dy * STEP);
            let Some(cell) = taken.cell(at) else { break };
            if cell != last {
                if std::mem::replace(&mut taken.cells[cell], true) {
                    break;
                }
                passed.push(cell);
                last = cell;
            }
            length += STEP;
            points.push(at);
        }
        points
    };
    let (forth, back) = (follow(1.0), follow(-1.0));
    if (forth.len() + back.len() - 2) as f64 * STEP < LENGTHS.0 {
        passed.into_iter().for_each(|cell| taken.cells[cell] = false);
        return None;
    }
    Some(back.into_iter().rev().chain(forth.into_iter().skip(1)).collect())
}

/// Cells from the outside inwards, where lines begin.
fn spiral(size: usize) -> Vec<(usize, usize)> {
    let mut cells: Vec<(usize, usize)> =
        (0..size).flat_map(|row| (0..size).map(move |column| (column, row))).collect();
    let depth =
        |(column, row): &(usize, usize)| (*column).min(*row).min(size - 1 - column).min(size - 1 - row);
    // Around each ring to the left, by the angle from the middle.
    let middle = (size as f64 - 1.0) / 2.0;
    let angle = |(column, row): &(usize, usize)| (*row as f64 - middle).atan2(*column as f64 - middle);
    cells.sort_by(|a, b| depth(a).cmp(&depth(b)).then(angle(a).total_cmp(&angle(b))));
    cells
}

impl Loaded {
    pub(super) fn streams(&mut self, series: &Series) -> Result<Data> {
        let Kind::Streams { places, across, up, density } = &series.kind else {
            return Ok(Data::Sketch(Sketch::default()));
        };
        let (u, (rows, columns)) = means(across)?;
        let (v, _) = means(up)?;
        let values = match &series.values {
            Some(values) => Some(means(values)?.0),
            None => None,
        };
        let lengths = across.shape().lengths().to_vec();
        let (x, y) = match places {
            Some((x, y)) => (reduce::values(x)?, reduce::values(y)?),
            None => (counted(lengths[1]), counted(lengths[0])),
        };
        let mut field = Field { x: middles(&x, columns), y: middles(&y, rows), u, v, values };
        field.ascend();
        let range = field.values.as_ref().and_then(|values| host::extent(values, series.norm).ends);
        let mut sketch = sketch(&field, *density, series.width);
        if sketch.parts.is_empty() {
            self.notes.push("the vectors are zero or not finite: no line follows them".to_owned());
        }
        let ends = |places: &[f64]| host::extent(places, Scale::Linear).ends;
        (sketch.x, sketch.y) = (ends(&x), ends(&y));
        sketch.is_tight = (true, true);
        sketch.range = color_range(series, range);
        Ok(Data::Sketch(sketch))
    }
}

fn counted(count: usize) -> Vec<f64> {
    (0..count).map(|k| k as f64).collect()
}

/// The middle place of each of some blocks of about as many places.
fn middles(places: &[f64], blocks: usize) -> Vec<f64> {
    let block = |k: usize| {
        let (from, to) = (k * places.len() / blocks, (k + 1) * places.len() / blocks);
        places[from] / 2.0 + places[to - 1] / 2.0
    };
    (0..blocks).map(block).collect()
}

impl Field {
    /// Turns the field around where its places descend.
    fn ascend(&mut self) {
        let columns = self.x.len();
        let mut all: Vec<&mut Vec<f64>> = vec![&mut self.u, &mut self.v];
        all.extend(self.values.as_mut());
        if self.x[0] > self.x[columns - 1] {
            self.x.reverse();
            all.iter_mut().for_each(|values| values.chunks_mut(columns).for_each(<[f64]>::reverse));
        }
        if self.y[0] > self.y[self.y.len() - 1] {
            self.y.reverse();
            for values in all {
                *values = values.chunks(columns).rev().flatten().copied().collect();
            }
        }
    }
}

/// How many colours the pieces of lines have at most.
const SHADES: f64 = 64.0;

fn sketch(field: &Field, density: f64, width: f64) -> Sketch {
    let size = (CELLS * density).round().max(1.0) as usize;
    let mut taken = Taken { size, cells: vec![false; size * size] };
    let ends = field.values.as_ref().and_then(|values| host::extent(values, Scale::Linear).ends);
    let mut sketch = Sketch::default();
    for (column, row) in spiral(size) {
        if taken.cells[row * size + column] {
            continue;
        }
        let start = ((column as f64 + 0.5) / size as f64, (row as f64 + 0.5) / size as f64);
        let Some(points) = line(field, start, &mut taken) else { continue };
        // Every third place is enough for a curve.
        let last = points.len() - 1;
        let kept = points.iter().enumerate().filter(|(k, _)| k % 3 == 0 || *k == last);
        let kept: Vec<Point> = kept.map(|(_, point)| *point).collect();
        let middle = (kept.len() / 2).max(1);
        let head = Form::Head { tip: field.place(kept[middle]), from: field.place(kept[middle - 1]) };
        let Some((values, (low, high))) = field.values.as_ref().zip(ends) else {
            sketch.add(Form::Line(kept.iter().map(|point| field.place(*point)).collect(), width), Tone::Own);
            sketch.add(head, Tone::Own);
            continue;
        };
        // Pieces of about one value.
        let shade = |point: &Point| {
            let value = field.at(values, *point);
            let step = (high - low) / SHADES;
            if step > 0.0 { low + ((value - low) / step).round() * step } else { value }
        };
        let shades: Vec<f64> = kept.iter().map(shade).collect();
        let mut from = 0;
        for k in 1..kept.len() {
            if k + 1 == kept.len() || shades[k] != shades[from] {
                let piece = kept[from..=k].iter().map(|point| field.place(*point)).collect();
                sketch.add(Form::Line(piece, width), Tone::Value(shades[from]));
                from = k;
            }
        }
        sketch.add(head, Tone::Value(shades[middle]));
    }
    sketch
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_around_a_middle() {
        let places: Vec<f64> = (0..21).map(|k| f64::from(k) / 10.0 - 1.0).collect();
        let each = |value: fn(f64, f64) -> f64| {
            places.iter().flat_map(|y| places.iter().map(move |x| value(*x, *y))).collect::<Vec<f64>>()
        };
        let field = Field {
            x: places.clone(),
            y: places.clone(),
            u: each(|_, y| -y),
            v: each(|x, _| x),
            values: None,
        };
        let sketch = sketch(&field, 1.0, 1.5);
        assert!(sketch.parts.len() > 10, "{}", sketch.parts.len());
        for part in &sketch.parts {
            let Form::Line(points, _) = &part.form else { continue };
            let radius = points[0].0.hypot(points[0].1);
            assert!(points.iter().all(|point| (point.0.hypot(point.1) - radius).abs() < 0.01));
        }
    }

    #[test]
    fn a_field_of_nothing_has_no_lines() {
        let field = Field {
            x: vec![0.0, 1.0],
            y: vec![0.0, 1.0],
            u: vec![0.0; 4],
            v: vec![f64::NAN; 4],
            values: None,
        };
        assert!(sketch(&field, 1.0, 1.5).parts.is_empty());
        let mut found = spiral(4);
        assert_eq!(found.len(), 16);
        assert!(found[12..].iter().all(|(column, row)| (1..3).contains(column) && (1..3).contains(row)));
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), 16);
    }

    #[test]
    fn a_field_whose_places_descend_is_turned_around() {
        let (u, v) = (vec![1.0, 2.0, 3.0, 4.0], vec![0.0; 4]);
        let mut field = Field { x: vec![1.0, 0.0], y: vec![5.0, 3.0], values: Some(u.clone()), u, v };
        field.ascend();
        assert_eq!((field.x, field.y), (vec![0.0, 1.0], vec![3.0, 5.0]));
        assert_eq!((field.u, field.values), (vec![4.0, 3.0, 2.0, 1.0], Some(vec![4.0, 3.0, 2.0, 1.0])));
    }

    #[test]
    fn blocks_stand_at_their_middles() {
        assert_eq!(middles(&[0.0, 1.0, 2.0, 3.0], 2), [0.5, 2.5]);
        assert_eq!(middles(&[0.0, 1.0, 2.0], 3), [0.0, 1.0, 2.0]);
    }
}

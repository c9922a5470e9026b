//! Lines of equal height over a grid: marching squares (Lorensen and Cline,
//! 1987, in two dimensions), with the middle of a cell deciding at saddles.

use std::collections::HashMap;

use super::Grid;
use crate::draw::Point;

/// An edge of a cell: its first corner, and whether it runs down.
pub(super) type Edge = (usize, usize, bool);

/// The lines at a height, in rows and columns of the matrix. Cells with a
/// corner that is not finite have none.
pub(super) fn lines(grid: &Grid, level: f64) -> Vec<Vec<Point>> {
    let mut neighbours: HashMap<Edge, [Option<Edge>; 2]> = HashMap::new();
    let mut edges: Vec<Edge> = Vec::new();
    let mut join = |a: Edge, b: Edge| {
        for (from, to) in [(a, b), (b, a)] {
            let slots = neighbours.entry(from).or_insert_with(|| {
                edges.push(from);
                [None, None]
            });
            let free = usize::from(slots[0].is_some());
            slots[free] = Some(to);
        }
    };
    for row in 0..grid.height.saturating_sub(1) {
        for column in 0..grid.width.saturating_sub(1) {
            let corner = |down: usize, right: usize| grid.values[(row + down) * grid.width + column + right];
            let corners = [corner(0, 0), corner(0, 1), corner(1, 1), corner(1, 0)];
            if corners.iter().any(|corner| !corner.is_finite()) {
                continue;
            }
            let above = corners.map(|corner| corner > level);
            let (top, left) = ((row, column, false), (row, column, true));
            let (bottom, right) = ((row + 1, column, false), (row, column + 1, true));
            match above.map(u8::from) {
                [0, 0, 0, 0] | [1, 1, 1, 1] => {}
                [1, 0, 0, 0] | [0, 1, 1, 1] => join(left, top),
                [0, 1, 0, 0] | [1, 0, 1, 1] => join(top, right),
                [0, 0, 1, 0] | [1, 1, 0, 1] => join(right, bottom),
                [0, 0, 0, 1] | [1, 1, 1, 0] => join(bottom, left),
                [1, 1, 0, 0] | [0, 0, 1, 1] => join(left, right),
                [1, 0, 0, 1] | [0, 1, 1, 0] => join(top, bottom),
                // Two corners above, opposite each other.
                _ => {
                    let is_high = corners.iter().sum::<f64>() / 4.0 > level;
                    if above[0] == is_high {
                        join(top, right);
                        join(bottom, left);
                    } else {
                        join(left, top);
                        join(right, bottom);
                    }
                }
            }
        }
    }
    let mut lines = Vec::new();
    let mut is_done: HashMap<Edge, ()> = HashMap::new();
    // Open lines from their ends first; what is left is closed.
    let is_end = |edge: &&Edge| neighbours[*edge][1].is_none();
    for start in edges.iter().filter(is_end).chain(edges.iter().filter(|edge| !is_end(edge))) {
        if is_done.contains_key(start) {
            continue;
        }
        let mut line = Vec::new();
        let mut next = Some(*start);
        while let Some(edge) = next {
            if is_done.insert(edge, ()).is_some() {
                break;
            }
            line.push(point(grid, edge, level));
            next = neighbours[&edge].iter().flatten().find(|edge| !is_done.contains_key(*edge)).copied();
        }
        if neighbours[start][1].is_some() && line.len() > 2 {
            line.push(line[0]);
        }
        lines.push(line);
    }
    lines
}

/// Where the height lies on an edge.
pub(super) fn point(grid: &Grid, (row, column, is_down): Edge, level: f64) -> Point {
    let (other_row, other_column) = if is_down { (row + 1, column) } else { (row, column + 1) };
    let (from, to) =
        (grid.values[row * grid.width + column], grid.values[other_row * grid.width + other_column]);
    let part = ((level - from) / (to - from)).clamp(0.0, 1.0);
    let (x, y) = (grid.place_across(column), grid.place_down(row));
    let (other_x, other_y) = (grid.place_across(other_column), grid.place_down(other_row));
    (x + (other_x - x) * part, y + (other_y - y) * part)
}

impl Grid {
    /// The column of the matrix that the middle of a block's columns is.
    pub(super) fn place_across(&self, column: usize) -> f64 {
        middle(column, self.width, self.columns)
    }

    /// The same for rows.
    pub(super) fn place_down(&self, row: usize) -> f64 {
        middle(row, self.height, self.rows)
    }
}

fn middle(block: usize, blocks: usize, count: usize) -> f64 {
    let (first, end) = (count * block / blocks, count * (block + 1) / blocks);
    (first + end - 1) as f64 / 2.0
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::scale::Scale;

    pub(in super::super) fn grid(rows: usize, columns: usize, height: impl Fn(f64, f64) -> f64) -> Grid {
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let values = cells.map(|(row, column)| height(column as f64, row as f64)).collect();
        let (ends, range) = ((0.0, 1.0), (0.0, 1.0));
        Grid { values, height: rows, width: columns, rows, columns, ends, range, norm: Scale::Linear }
    }

    #[test]
    fn a_cone_has_circles() {
        let cone = grid(41, 41, |x, y| (x - 20.0).hypot(y - 20.0));
        let lines = lines(&cone, 10.0);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        assert!(lines[0].iter().all(|(x, y)| ((x - 20.0).hypot(y - 20.0) - 10.0).abs() < 0.05));
    }

    #[test]
    fn a_slope_has_an_open_line_and_nothing_crosses_what_is_not_finite() {
        let slope = grid(5, 9, |x, _| x);
        let found = lines(&slope, 2.5);
        assert_eq!(found.len(), 1);
        assert!(found[0].len() == 5 && found[0].iter().all(|(x, _)| *x == 2.5));
        let torn = grid(5, 9, |x, y| if y == 2.0 { f64::NAN } else { x });
        assert_eq!(lines(&torn, 2.5).len(), 2);
        assert!(lines(&grid(1, 1, |_, _| 0.0), 0.0).is_empty());
        assert!(lines(&grid(5, 5, |_, _| 1.0), 1.0).is_empty());
    }
}

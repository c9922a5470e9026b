//! What of a grid is higher than a level, as areas: marching squares as for the
//! lines of the same level, so that areas end where these lines are.

use std::collections::HashMap;

use super::Grid;
use super::contour::{Edge, point};
use crate::draw::Point;

/// A corner of an area: of the grid, or where the level crosses an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Corner {
    Grid(usize, usize),
    Crossing(Edge),
}

/// The outlines of all that is above a level, clockwise around areas and
/// the other way around what is not above within them.
pub(super) fn outlines(grid: &Grid, level: f64) -> Vec<Vec<Point>> {
    let is_cell = |row: usize, column: usize| {
        row + 1 < grid.height
            && column + 1 < grid.width
            && [(0, 0), (0, 1), (1, 1), (1, 0)]
                .iter()
                .all(|(down, right)| grid.values[(row + down) * grid.width + column + right].is_finite())
    };
    // Where an outline goes on from a corner: twice where two areas touch.
    let mut next: HashMap<Corner, Vec<Corner>> = HashMap::new();
    let mut starts = Vec::new();
    let mut go = |from: Corner, to: Corner| {
        next.entry(from).or_default().push(to);
        starts.push(from);
    };
    for row in 0..grid.height.saturating_sub(1) {
        for column in 0..grid.width.saturating_sub(1) {
            if !is_cell(row, column) {
                continue;
            }
            let corners = [(row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column)];
            let sides = [
                (row, column, false),
                (row, column + 1, true),
                (row + 1, column, false),
                (row, column, true),
            ];
            // What is beyond each side.
            let beyond = [
                row > 0 && is_cell(row - 1, column),
                is_cell(row, column + 1),
                is_cell(row + 1, column),
                column > 0 && is_cell(row, column - 1),
            ];
            let values = corners.map(|(row, column)| grid.values[row * grid.width + column]);
            let above = values.map(|value| value > level);
            // Along sides without a neighbour; others are within.
            for side in (0..4).filter(|side| !beyond[*side]) {
                let (from, to) = (side, (side + 1) % 4);
                let corner = |k: usize| Corner::Grid(corners[k].0, corners[k].1);
                let crossing = Corner::Crossing(sides[side]);
                match (above[from], above[to]) {
                    (true, true) => go(corner(from), corner(to)),
                    (true, false) => go(corner(from), crossing),
                    (false, true) => go(crossing, corner(to)),
                    (false, false) => {}
                }
            }
            // Through the cell: from where the way around it leaves what is above
            // to where it comes back. At a saddle the middle decides whether that
            // is across the low corner or around the high one.
            let is_saddle = above[0] == above[2] && above[1] == above[3] && above[0] != above[1];
            let is_joined = is_saddle && values.iter().sum::<f64>() / 4.0 > level;
            for side in 0..4 {
                if !above[side] || above[(side + 1) % 4] {
                    continue;
                }
                let enters = if is_saddle && !is_joined {
                    (side + 3) % 4
                } else {
                    (1..4).map(|k| (side + k) % 4).find(|k| !above[*k] && above[(k + 1) % 4]).unwrap_or(side)
                };
                go(Corner::Crossing(sides[side]), Corner::Crossing(sides[enters]));
            }
        }
    }
    let place = |corner: &Corner| match corner {
        Corner::Grid(row, column) => (grid.place_across(*column), grid.place_down(*row)),
        Corner::Crossing(edge) => point(grid, *edge, level),
    };
    let mut outlines = Vec::new();
    for start in starts {
        let mut outline: Vec<Point> = Vec::new();
        let mut at = start;
        while let Some(to) = next.get_mut(&at).and_then(Vec::pop) {
            push(&mut outline, place(&at));
            at = to;
        }
        if outline.len() > 2 {
            outlines.push(outline);
        }
    }
    outlines
}

/// Adds a place, instead of one that lies between it and the one before on a
/// line along a row or a column.
fn push(outline: &mut Vec<Point>, at: Point) {
    if let [.., first, middle] = outline[..]
        && ((first.0 == middle.0 && middle.0 == at.0) || (first.1 == middle.1 && middle.1 == at.1))
    {
        outline.pop();
    }
    outline.push(at);
}

/// All outlines as one polygon: from each to the next and back the same way,
/// which leaves no trace where the winding number says what is inside.
pub(super) fn joined(outlines: &[Vec<Point>]) -> Vec<Point> {
    let there = outlines.iter().flat_map(|outline| outline.iter().chain(outline.first()).copied());
    let back = outlines.iter().rev().skip(1).filter_map(|outline| outline.first().copied());
    there.chain(back).collect()
}

#[cfg(test)]
mod tests {
    use super::super::contour::tests::grid;
    use super::*;

    /// Twice the area within outlines, less that of holes.
    fn area(outlines: &[Vec<Point>]) -> f64 {
        let of = |outline: &Vec<Point>| -> f64 {
            let next = outline.iter().cycle().skip(1);
            outline.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum()
        };
        outlines.iter().map(of).sum::<f64>() / 2.0
    }

    #[test]
    fn areas_are_what_is_above() {
        let cone = grid(41, 41, |x, y| (x - 20.0).hypot(y - 20.0));
        // Beyond a circle: a square with a hole.
        let outside = outlines(&cone, 10.0);
        assert_eq!(outside.len(), 2);
        let wanted = 1600.0 - 100.0 * std::f64::consts::PI;
        assert!((area(&outside) - wanted).abs() < 2.0, "{}", area(&outside));
        assert!((area(&[joined(&outside)]) - wanted).abs() < 2.0);
        assert!((area(&outlines(&cone, -1.0)) - 1600.0).abs() < 1e-9);
        assert_eq!(outlines(&cone, -1.0)[0].len(), 5);
        assert!(outlines(&cone, 100.0).is_empty());
    }

    #[test]
    fn saddles_and_gaps_leave_no_outline_open() {
        for seed in 0..20u64 {
            let rough = grid(9, 11, |x, y| {
                let mixed =
                    (x as u64 * 31 + y as u64 * 17 + seed * 101).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60;
                if mixed == 15 { f64::NAN } else { mixed as f64 }
            });
            let whole = area(&outlines(&rough, -1.0));
            let areas: Vec<f64> =
                (0..15).map(|level| area(&outlines(&rough, f64::from(level) + 0.5))).collect();
            assert!(areas.iter().all(|area| (-1e-9..=whole + 1e-9).contains(area)), "{areas:?} of {whole}");
            assert!(areas.windows(2).all(|pair| pair[0] >= pair[1] - 1e-9), "{areas:?}");
        }
    }
}

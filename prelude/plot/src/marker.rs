//! The marks that points are drawn as, by Matplotlib's letters.

use std::f64::consts::{SQRT_2, TAU};

use super::draw::{Point, Shape};
use crate::error::{Problem, Result};

/// The form of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Disc,
    Dot,
    /// One pixel, whatever the size.
    Pixel,
    Square,
    Up,
    Down,
    Left,
    Right,
    Diamond,
    ThinDiamond,
    Pentagon,
    Hexagon,
    Star,
    Plus,
    FilledPlus,
    Cross,
    FilledCross,
    Upright,
    Level,
}

const LETTERS: [(&str, Marker); 19] = [
    ("o", Marker::Disc),
    (".", Marker::Dot),
    (",", Marker::Pixel),
    ("s", Marker::Square),
    ("^", Marker::Up),
    ("v", Marker::Down),
    ("<", Marker::Left),
    (">", Marker::Right),
    ("D", Marker::Diamond),
    ("d", Marker::ThinDiamond),
    ("p", Marker::Pentagon),
    ("h", Marker::Hexagon),
    ("*", Marker::Star),
    ("+", Marker::Plus),
    ("P", Marker::FilledPlus),
    ("x", Marker::Cross),
    ("X", Marker::FilledCross),
    ("|", Marker::Upright),
    ("_", Marker::Level),
];

impl Marker {
    pub(super) fn parse(text: &str) -> Result<Marker> {
        let found = LETTERS.iter().find(|(letter, _)| *letter == text).map(|(_, marker)| *marker);
        found.ok_or_else(|| {
            let message = format!("`{text}` is not a known marker; use one of {}", Marker::letters());
            Problem::Invalid { operation: "marker", message }.into()
        })
    }

    /// All letters, as messages name them.
    pub(super) fn letters() -> String {
        LETTERS.map(|(letter, _)| format!("`{letter}`")).join(", ")
    }

    /// Marks at these places, as wide as `size`, with an edge of a point in
    /// their own colour; what has no inside is drawn by strokes of a width,
    /// without an edge. Lengths are in pixels. The corners are Matplotlib's
    /// (`lib/matplotlib/markers.py`), with half of the size as the unit.
    pub(super) fn shape(self, centers: &[Point], size: f64, stroke: f64) -> Shape {
        let (half, edge) = (size / 2.0, super::chart::POINT / 2.0);
        let around = |points: &[Point]| -> Vec<Vec<Point>> {
            let at = |center: &Point, (x, y): &Point| (center.0 + x, center.1 + y);
            centers.iter().map(|center| points.iter().map(|point| at(center, point)).collect()).collect()
        };
        let inside = |corners: &[Point]| Shape::Areas(around(&outline(corners, half, edge, Corner::Sharp)));
        // Ends of strokes are square, and reach half of their width further.
        let reach = (half - stroke / 2.0).max(0.0);
        let slanting = (half - stroke / 2.0 / SQRT_2).max(0.0);
        let line = |x: f64, y: f64| around(&[(-x, -y), (x, y)]);
        match self {
            Marker::Disc => Shape::Discs { centers: centers.to_vec(), radius: half + edge },
            Marker::Dot => Shape::Discs { centers: centers.to_vec(), radius: half / 2.0 + edge },
            Marker::Pixel => Shape::Areas(centers.iter().map(pixel).collect()),
            Marker::Square => inside(&four_times(&[(-1.0, -1.0)])),
            Marker::Up => inside(&[(0.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]),
            Marker::Down => inside(&[(0.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]),
            Marker::Left => inside(&[(-1.0, 0.0), (1.0, -1.0), (1.0, 1.0)]),
            Marker::Right => inside(&[(1.0, 0.0), (-1.0, 1.0), (-1.0, -1.0)]),
            Marker::Diamond => inside(&four_times(&[(0.0, -SQRT_2)])),
            Marker::ThinDiamond => {
                let across = 0.6 * SQRT_2;
                inside(&[(0.0, -SQRT_2), (across, 0.0), (0.0, SQRT_2), (-across, 0.0)])
            }
            Marker::Pentagon => inside(&regular(5)),
            Marker::Hexagon => inside(&regular(6)),
            Marker::Star => {
                let mut corners = regular(10);
                for (x, y) in corners.iter_mut().skip(1).step_by(2) {
                    (*x, *y) = (*x * BAY, *y * BAY);
                }
                Shape::Areas(around(&outline(&corners, half, edge, Corner::Blunt)))
            }
            Marker::FilledPlus => {
                let third = 1.0 / 3.0;
                inside(&four_times(&[(-third, -1.0), (third, -1.0), (third, -third)]))
            }
            Marker::FilledCross => inside(&four_times(&[(-0.5, -1.0), (0.0, -0.5), (0.5, -1.0)])),
            Marker::Plus => strokes(&[line(reach, 0.0), line(0.0, reach)], stroke),
            Marker::Cross => strokes(&[line(slanting, slanting), line(slanting, -slanting)], stroke),
            Marker::Upright => strokes(&[line(0.0, reach)], stroke),
            Marker::Level => strokes(&[line(reach, 0.0)], stroke),
        }
    }
}

/// How far the bays of a star are from its middle, where its tips are 1.
const BAY: f64 = 0.381_966;

/// How the edges of a mark meet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Corner {
    Sharp,
    /// Cut off where the edges end, except in bays.
    Blunt,
}

/// The outline of a polygon, enlarged by a factor, with an edge of a width
/// around it. Its corners follow each other clockwise on the screen.
fn outline(corners: &[Point], factor: f64, edge: f64, corner: Corner) -> Vec<Point> {
    let count = corners.len();
    let mut points = Vec::with_capacity(count);
    // The direction out of the side that begins at a corner.
    let outwards = |k: usize| {
        let (from, to) = (corners[k % count], corners[(k + 1) % count]);
        let (x, y) = (to.0 - from.0, to.1 - from.1);
        (y / x.hypot(y), -x / x.hypot(y))
    };
    for (k, (x, y)) in corners.iter().enumerate() {
        let (before, after) = (outwards(k + count - 1), outwards(k));
        let mut push = |along: Point| points.push((x * factor + along.0 * edge, y * factor + along.1 * edge));
        let is_bay = before.0 * after.1 - before.1 * after.0 < 0.0;
        if corner == Corner::Blunt && !is_bay {
            push(before);
            push(after);
        } else {
            let both = 1.0 + before.0 * after.0 + before.1 * after.1;
            push(((before.0 + after.0) / both, (before.1 + after.1) / both));
        }
    }
    points
}

/// Corners of a regular polygon, the first one above.
fn regular(count: usize) -> Vec<Point> {
    let at = |k: usize| (k as f64 * TAU / count as f64).sin_cos();
    (0..count).map(at).map(|(sin, cos)| (sin, -cos)).collect()
}

/// A quarter of a polygon's corners, and the same turned to the other three.
fn four_times(quarter: &[Point]) -> Vec<Point> {
    let turns: [fn(&Point) -> Point; 4] =
        [|(x, y)| (*x, *y), |(x, y)| (-y, *x), |(x, y)| (-x, -y), |(x, y)| (*y, -x)];
    turns.into_iter().flat_map(|turn| quarter.iter().map(turn)).collect()
}

/// The pixel that a place is in.
fn pixel((x, y): &Point) -> Vec<Point> {
    let (left, top) = (x.floor(), y.floor());
    vec![(left, top), (left + 1.0, top), (left + 1.0, top + 1.0), (left, top + 1.0)]
}

fn strokes(paths: &[Vec<Vec<Point>>], width: f64) -> Shape {
    Shape::Strokes { paths: paths.concat(), width, dashes: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::POINT;

    /// The only polygon of a mark of 6 points at the origin, in points.
    fn corners(letter: &str) -> Vec<Point> {
        let marker = Marker::parse(letter).unwrap();
        let Shape::Areas(areas) = marker.shape(&[(0.0, 0.0)], 6.0 * POINT, POINT) else { panic!("{letter}") };
        assert_eq!(areas.len(), 1, "{letter}");
        areas[0].iter().map(|(x, y)| (x / POINT, y / POINT)).collect()
    }

    /// As Matplotlib draws `plot(.., "+")`: `markersize` points from end to
    /// end, and strokes of `markeredgewidth`, one point.
    #[test]
    fn a_plus_was_larger_than_its_size() {
        for (letter, count, slant) in [("+", 2, 1.0), ("x", 2, SQRT_2), ("|", 1, 1.0), ("_", 1, 1.0)] {
            let marker = Marker::parse(letter).unwrap();
            let Shape::Strokes { paths, width, .. } = marker.shape(&[(10.0, 10.0)], 6.0, 1.0) else {
                panic!()
            };
            assert_eq!((paths.len(), width), (count, 1.0));
            for path in paths {
                let ((x, y), (to_x, to_y)) = (path[0], path[1]);
                assert!(((to_x - x).hypot(to_y - y) + width - 6.0 * slant).abs() < 1e-9, "{letter}");
            }
        }
        let Shape::Discs { radius, .. } = Marker::Disc.shape(&[(0.0, 0.0)], 6.0, 1.0) else { panic!() };
        assert_eq!(radius, 3.0 + POINT / 2.0);
    }

    /// From the left to the right and from above to below, edge included, in
    /// points: measured in pictures of Matplotlib 3.11.2, of `plot` and 6 points.
    #[test]
    fn marks_had_other_sizes_than_matplotlibs() {
        for (letter, wanted) in [
            ("s", [-3.5, 3.5, -3.5, 3.5]),
            ("^", [-3.8, 3.8, -4.1, 3.5]),
            ("v", [-3.8, 3.8, -3.5, 4.1]),
            ("<", [-4.1, 3.5, -3.8, 3.8]),
            (">", [-3.5, 4.1, -3.8, 3.8]),
            ("D", [-4.94, 4.94, -4.94, 4.94]),
            ("d", [-3.12, 3.12, -5.2, 5.2]),
            ("p", [-3.44, 3.44, -3.62, 2.92]),
            ("h", [-3.1, 3.1, -3.58, 3.58]),
            ("*", [-3.147, 3.147, -3.155, 2.831]),
            ("P", [-3.5, 3.5, -3.5, 3.5]),
            ("X", [-3.7, 3.7, -3.7, 3.7]),
        ] {
            let corners = corners(letter);
            let ends = |of: fn(&Point) -> f64| {
                let values = corners.iter().map(of);
                [values.clone().fold(f64::MAX, f64::min), values.fold(f64::MIN, f64::max)]
            };
            let found = [ends(|at| at.0), ends(|at| at.1)].concat();
            let is_near = found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 0.03);
            assert!(is_near, "{letter}: {found:?}, not {wanted:?}");
        }
        let Shape::Discs { radius, .. } = Marker::Dot.shape(&[(0.0, 0.0)], 6.0 * POINT, POINT) else {
            panic!()
        };
        assert_eq!(radius, 2.0 * POINT);
    }

    #[test]
    fn corners_follow_each_other_clockwise() {
        for (letter, marker) in LETTERS {
            if let Shape::Areas(_) = marker.shape(&[(0.0, 0.0)], 6.0, 1.0) {
                let corners = corners(letter);
                let next = corners.iter().cycle().skip(1);
                let area: f64 = corners.iter().zip(next).map(|(a, b)| a.0 * b.1 - a.1 * b.0).sum();
                assert!(area > 0.0, "{letter}");
            }
        }
    }

    #[test]
    fn a_pixel_is_one_pixel() {
        let Shape::Areas(areas) = Marker::Pixel.shape(&[(3.7, -0.2)], 6.0, 1.0) else { panic!() };
        assert_eq!(areas, [[(3.0, -1.0), (4.0, -1.0), (4.0, 0.0), (3.0, 0.0)]]);
    }

    #[test]
    fn a_mark_without_a_size_is_its_edge() {
        for (_, marker) in LETTERS {
            if let Shape::Areas(areas) = marker.shape(&[(0.0, 0.0)], 0.0, 1.0) {
                assert!(areas[0].iter().all(|(x, y)| x.is_finite() && y.is_finite()), "{marker:?}");
            }
        }
    }

    #[test]
    fn unknown_letters_are_answered_by_all() {
        let message = Marker::parse("H").unwrap_err().to_string();
        assert!(message.ends_with(&format!("`H` is not a known marker; use one of {}", Marker::letters())));
        assert!(message.contains("`o`, `.`, `,`, `s`") && message.ends_with("`|`, `_`"), "{message}");
    }
}

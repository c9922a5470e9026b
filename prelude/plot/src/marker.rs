//! The marks that points are drawn as, by Matplotlib's letters.

use super::draw::{Point, Shape};
use crate::error::{Problem, Result};

/// The form of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Disc,
    Dot,
    Square,
    Up,
    Down,
    Diamond,
    Star,
    Plus,
    Cross,
}

const LETTERS: [(&str, Marker); 9] = [
    ("o", Marker::Disc),
    (".", Marker::Dot),
    ("s", Marker::Square),
    ("^", Marker::Up),
    ("v", Marker::Down),
    ("D", Marker::Diamond),
    ("*", Marker::Star),
    ("+", Marker::Plus),
    ("x", Marker::Cross),
];

impl Marker {
    pub(super) fn parse(text: &str) -> Result<Marker> {
        let found = LETTERS.iter().find(|(letter, _)| *letter == text).map(|(_, marker)| *marker);
        found.ok_or_else(|| {
            let known = LETTERS.map(|(letter, _)| format!("`{letter}`")).join(", ");
            let message = format!("`{text}` is not a known marker; use one of {known}");
            Problem::Invalid { operation: "marker", message }.into()
        })
    }

    /// Marks at these places, as wide as `size`, with an edge of a point in
    /// their own colour; what has no inside is drawn by strokes of a width,
    /// without an edge. Lengths are in pixels.
    pub(super) fn shape(self, centers: &[Point], size: f64, stroke: f64) -> Shape {
        let half = match self {
            // Ends of strokes are square, and reach half of their width further.
            Marker::Plus => (size - stroke).max(0.0) / 2.0,
            Marker::Cross => (size - stroke / std::f64::consts::SQRT_2).max(0.0) / 2.0,
            _ => (size + super::chart::POINT) / 2.0,
        };
        let around = |points: &[Point]| -> Vec<Vec<Point>> {
            let at = |center: &Point, (x, y): &Point| (center.0 + x * half, center.1 + y * half);
            centers.iter().map(|center| points.iter().map(|point| at(center, point)).collect()).collect()
        };
        match self {
            Marker::Disc => Shape::Discs { centers: centers.to_vec(), radius: half },
            Marker::Dot => Shape::Discs { centers: centers.to_vec(), radius: half / 2.0 },
            Marker::Square => Shape::Areas(around(&[(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])),
            Marker::Up => Shape::Areas(around(&[(0.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])),
            Marker::Down => Shape::Areas(around(&[(0.0, 1.0), (1.0, -1.0), (-1.0, -1.0)])),
            Marker::Diamond => Shape::Areas(around(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)])),
            Marker::Star => {
                let point = |k: u32| {
                    let (angle, radius) =
                        (f64::from(k) * std::f64::consts::PI / 5.0, [1.25, 0.48][k as usize % 2]);
                    (angle.sin() * radius, -angle.cos() * radius)
                };
                Shape::Areas(around(&(0..10).map(point).collect::<Vec<_>>()))
            }
            Marker::Plus => {
                strokes([around(&[(-1.0, 0.0), (1.0, 0.0)]), around(&[(0.0, -1.0), (0.0, 1.0)])], stroke)
            }
            Marker::Cross => {
                strokes([around(&[(-1.0, -1.0), (1.0, 1.0)]), around(&[(-1.0, 1.0), (1.0, -1.0)])], stroke)
            }
        }
    }
}

fn strokes(paths: [Vec<Vec<Point>>; 2], width: f64) -> Shape {
    Shape::Strokes { paths: paths.concat(), width, dashes: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Matplotlib draws `plot(.., "+")`: `markersize` points from end to
    /// end, and strokes of `markeredgewidth`, one point.
    #[test]
    fn a_plus_was_larger_than_its_size() {
        for (marker, slant) in [(Marker::Plus, 1.0), (Marker::Cross, std::f64::consts::SQRT_2)] {
            let Shape::Strokes { paths, width, .. } = marker.shape(&[(10.0, 10.0)], 6.0, 1.0) else {
                panic!()
            };
            let ((x, y), (to_x, to_y)) = (paths[0][0], paths[0][1]);
            assert_eq!(width, 1.0);
            assert!(((to_x - x).hypot(to_y - y) + width - 6.0 * slant).abs() < 1e-9, "{marker:?}");
        }
        let Shape::Discs { radius, .. } = Marker::Disc.shape(&[(0.0, 0.0)], 6.0, 1.0) else { panic!() };
        assert_eq!(radius, 3.0 + crate::chart::POINT / 2.0);
    }
}

//! Lines cut at a rectangle, so that what is far outside costs nothing and no
//! coordinate is too large for a backend.

use super::{Point, Rect};

/// The parts of a line within a rectangle.
pub(crate) fn line(points: &[Point], rect: &Rect) -> Vec<Vec<Point>> {
    if points.iter().all(|point| rect.contains(*point)) {
        return vec![points.to_vec()];
    }
    let mut parts: Vec<Vec<Point>> = Vec::new();
    for pair in points.windows(2) {
        let Some((from, to)) = segment(pair[0], pair[1], rect) else { continue };
        match parts.last_mut() {
            Some(part) if part.last() == Some(&from) => part.push(to),
            _ => parts.push(vec![from, to]),
        }
    }
    parts
}

/// The part of a segment within a rectangle (Liang and Barsky, 1984).
fn segment(from: Point, to: Point, rect: &Rect) -> Option<(Point, Point)> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enters, mut leaves) = (0.0f64, 1.0f64);
    for (direction, room) in [
        (-dx, from.0 - rect.left),
        (dx, rect.right - from.0),
        (-dy, from.1 - rect.top),
        (dy, rect.bottom - from.1),
    ] {
        if direction == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if direction < 0.0 {
            enters = enters.max(room / direction);
        } else {
            leaves = leaves.min(room / direction);
        }
    }
    // A segment that is not a number has no part anywhere.
    if enters > leaves || enters.is_nan() || leaves.is_nan() || dx.is_nan() || dy.is_nan() {
        return None;
    }
    let at = |t: f64| (from.0 + t * dx, from.1 + t * dy);
    let start = if enters == 0.0 { from } else { at(enters) };
    Some((start, if leaves == 1.0 { to } else { at(leaves) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECT: Rect = Rect { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };

    #[test]
    fn lines_are_cut_where_they_leave() {
        assert_eq!(line(&[(-5.0, 5.0), (15.0, 5.0)], &RECT), [[(0.0, 5.0), (10.0, 5.0)]]);
        let twice = line(&[(5.0, 5.0), (5.0, 25.0), (8.0, 25.0), (8.0, 5.0)], &RECT);
        assert_eq!(twice, [[(5.0, 5.0), (5.0, 10.0)], [(8.0, 10.0), (8.0, 5.0)]]);
        assert!(line(&[(-5.0, -5.0), (-5.0, 50.0)], &RECT).is_empty());
        assert!(line(&[(-1e300, 1e300), (f64::NAN, 0.0)], &RECT).is_empty());
        assert_eq!(line(&[(1.0, 1.0)], &RECT), [[(1.0, 1.0)]]);
    }
}

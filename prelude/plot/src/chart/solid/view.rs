//! How places in a box are seen: in perspective, from a direction that the user may choose.
//!
//! The angles are those of Matplotlib's `view_init`, and the proportions of the
//! box and its distance are those of its `mplot3d` (`lib/mpl_toolkits/mplot3d/axes3d.py`).

use crate::chart::FONT;
use crate::draw::{Point, Rect};

pub(super) type Vector = [f64; 3];

/// The box's sides, at a distance of ten.
pub(super) const SIDES: Vector = [1.19, 1.19, 0.893];
const DISTANCE: f64 = 10.0;

/// Where the viewer is: degrees above the plane of `x` and `y`, and degrees around
/// `z`, from the end of `x` towards the end of `y`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Angles {
    pub(crate) elevation: f64,
    pub(crate) azimuth: f64,
}

impl Default for Angles {
    fn default() -> Angles {
        Angles { elevation: 30.0, azimuth: -60.0 }
    }
}

/// How places in the box, each from 0 to 1, are seen.
pub(super) struct View {
    sides: Vector,
    eye: Vector,
    across: Vector,
    up: Vector,
    towards: Vector,
    scale: f64,
    shift: Point,
}

pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn unit(a: Vector) -> Vector {
    let length = dot(a, a).sqrt();
    if length > 0.0 { a.map(|part| part / length) } else { a }
}

impl View {
    /// A view that fits into a part of the picture, with room for labels.
    pub(super) fn new(angles: Angles, sides: Vector, room: &Rect) -> View {
        let mut view = View::from(angles, sides);
        // From whichever side it is seen, the box has one size: one that turns would swell otherwise.
        let turned = (0..24).map(|step| Angles { azimuth: f64::from(step) * 15.0, ..angles });
        let (mut wide, mut low, mut high) = (0.0f64, f64::MAX, f64::MIN);
        for view in turned.chain([angles]).map(|angles| View::from(angles, sides)) {
            for (x, y) in corners().map(|corner| view.at(corner)) {
                (wide, low, high) = (wide.max(x.abs()), low.min(y), high.max(y));
            }
        }
        let (width, height) = (room.width(), room.height());
        // Most of the time there is more below the box, where the labels of two axes stand.
        let beside = (0.145 * width).max(3.5 * FONT);
        let (above, below) = (0.02 * height, (0.11 * height).max(3.6 * FONT));
        let free = ((width - 2.0 * beside).max(10.0), (height - above - below).max(10.0));
        view.scale = (free.0 / (2.0 * wide)).min(free.1 / (high - low));
        view.shift = (
            room.left + beside + free.0 / 2.0,
            room.top + above + free.1 / 2.0 - (low + high) / 2.0 * view.scale,
        );
        view
    }

    fn from(Angles { elevation, azimuth }: Angles, sides: Vector) -> View {
        let ((sin, cos), (up, flat)) = (azimuth.to_radians().sin_cos(), elevation.to_radians().sin_cos());
        let towards = [flat * cos, flat * sin, up];
        let across = [-sin, cos, 0.0];
        let middle = sides.map(|side| side / 2.0);
        View {
            sides,
            eye: [0, 1, 2].map(|axis| middle[axis] + DISTANCE * towards[axis]),
            across,
            up: cross(towards, across),
            towards,
            scale: 1.0,
            shift: (0.0, 0.0),
        }
    }

    fn seen(&self, place: Vector) -> Vector {
        minus([0, 1, 2].map(|axis| place[axis] * self.sides[axis]), self.eye)
    }

    /// Where a place is in the picture.
    pub(super) fn at(&self, place: Vector) -> Point {
        let seen = self.seen(place);
        let depth = -dot(seen, self.towards) / DISTANCE;
        let (x, y) = (dot(seen, self.across) / depth, -dot(seen, self.up) / depth);
        (x * self.scale + self.shift.0, y * self.scale + self.shift.1)
    }

    /// What the box covers in the picture.
    pub(super) fn bounds(&self) -> Rect {
        let start = Rect { left: f64::MAX, top: f64::MAX, right: f64::MIN, bottom: f64::MIN };
        corners().map(|corner| self.at(corner)).fold(start, |bounds, (x, y)| Rect {
            left: bounds.left.min(x),
            top: bounds.top.min(y),
            right: bounds.right.max(x),
            bottom: bounds.bottom.max(y),
        })
    }

    /// How far away a place is.
    pub(super) fn depth(&self, place: Vector) -> f64 {
        -dot(self.seen(place), self.towards)
    }

    /// Of each axis, the end whose wall is behind what is in the box.
    pub(super) fn far(&self) -> Vector {
        [0, 1, 2].map(|axis| {
            let mut ends = [[0.5; 3]; 2];
            (ends[0][axis], ends[1][axis]) = (0.0, 1.0);
            if self.depth(ends[1]) > self.depth(ends[0]) { 1.0 } else { 0.0 }
        })
    }
}

fn corners() -> impl Iterator<Item = Vector> {
    (0..8).map(|k: u8| [k & 1, k >> 1 & 1, k >> 2].map(f64::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Rect = Rect { left: 0.0, top: 50.0, right: 640.0, bottom: 480.0 };

    fn view(elevation: f64, azimuth: f64) -> View {
        View::new(Angles { elevation, azimuth }, SIDES, &ROOM)
    }

    #[test]
    fn from_above_x_runs_to_the_right_and_y_upwards() {
        let view = view(90.0, -90.0);
        let (origin, x, y) = (view.at([0.0, 0.0, 1.0]), view.at([1.0, 0.0, 1.0]), view.at([0.0, 1.0, 1.0]));
        assert!(x.0 > origin.0 + 50.0 && (x.1 - origin.1).abs() < 1e-6, "{origin:?} {x:?}");
        assert!(y.1 < origin.1 - 50.0 && (y.0 - origin.0).abs() < 1e-6, "{origin:?} {y:?}");
    }

    #[test]
    fn the_walls_behind_are_those_that_are_farther() {
        assert_eq!(view(30.0, -60.0).far(), [0.0, 1.0, 0.0]);
        assert_eq!(view(30.0, 60.0).far(), [0.0, 0.0, 0.0]);
        assert_eq!(view(-30.0, 120.0).far(), [1.0, 0.0, 1.0]);
    }

    #[test]
    fn a_box_that_turned_swelled() {
        let height = |azimuth| {
            let view = view(20.0, azimuth);
            view.at([0.5, 0.5, 0.0]).1 - view.at([0.5, 0.5, 1.0]).1
        };
        for azimuth in [0.0, 15.0, 45.0, 200.0, 345.0] {
            assert!((height(azimuth) - height(-60.0)).abs() < 1e-9, "{azimuth}");
        }
    }

    #[test]
    fn every_corner_is_in_the_picture_from_every_side() {
        for elevation in [-90.0, -35.0, 0.0, 30.0, 90.0, 150.0] {
            for azimuth in [-180.0, -61.0, 0.0, 47.0, 333.0] {
                let view = view(elevation, azimuth);
                assert!(corners().all(|corner| ROOM.contains(view.at(corner))), "{elevation} {azimuth}");
            }
        }
    }
}

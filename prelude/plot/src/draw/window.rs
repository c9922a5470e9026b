//! Axes of a picture as a reader may move them: what part of the data they
//! show, and where their ticks stand.

use super::Rect;
use crate::color::Color;
use crate::scale::Limits;

/// Axes of which one is upright and one across.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) rect: Rect,
    pub(crate) x: Ruler,
    pub(crate) y: Ruler,
    /// Whether a step of `x` stays as wide as one of `y` is high.
    pub(crate) keeps_aspect: bool,
    pub(crate) ink: Color,
    pub(crate) grid: Color,
}

/// One axis of them.
#[derive(Clone, Debug)]
pub(crate) struct Ruler {
    pub(crate) limits: Limits,
    /// Whether numbers are times, in seconds since 1970.
    pub(crate) is_date: bool,
    /// The ticks, where they are not chosen by the limits, and what stands at them.
    pub(crate) given: Option<Vec<(f64, String)>>,
    pub(crate) side: Side,
    /// Of what stands at the ticks, in degrees.
    pub(crate) rotation: f64,
    pub(crate) has_grid: bool,
    /// Axes of a picture that have the same number here move with each other.
    pub(crate) group: Option<usize>,
}

/// Where the ticks of an axis stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// On the left, or below.
    First,
    /// On the right, or above.
    Second,
    /// On the left, or below, without numbers.
    Bare,
    /// There are none.
    None,
}

/// The measures of ticks in pixels, which are the same in all pictures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TickLook {
    pub(crate) font: f64,
    pub(crate) length: f64,
    /// Between ticks and their labels.
    pub(crate) pad: f64,
    pub(crate) width: f64,
}

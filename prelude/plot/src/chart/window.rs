//! Axes as a reader may move them.

use super::{Axis, Chart, Drawing, TwinOf};
use crate::draw::{Ruler, Side, Window};
use crate::scale::{Label, Limits, Scale};

impl Drawing {
    /// Whether it has axes that can be moved: there are none around a pie, and
    /// angles and boxes in space have ends of their own.
    pub(crate) fn has_window(&self) -> bool {
        self.has_frame() && !self.is_solid()
    }

    /// Calls a function with each of its axes that can be moved, in the order
    /// in which a picture lists them: its own, those of twins, those within.
    pub(crate) fn each_window(&mut self, change: &mut dyn FnMut(&mut Axis, &mut Axis)) {
        if self.has_window() {
            change(&mut self.x, &mut self.y);
        }
        self.twins.iter_mut().flatten().for_each(|twin| twin.lock().each_window(change));
        self.insets.iter_mut().for_each(|inset| inset.drawing.lock().each_window(change));
    }
}

impl Chart<'_> {
    pub(super) fn window(&self) -> Window {
        let drawing = self.drawing;
        let side = |is_x: bool, axis: &Axis| match drawing.twin_of {
            _ if !drawing.has_axes => Side::None,
            None => {
                if axis.is_inner {
                    Side::Bare
                } else {
                    Side::First
                }
            }
            Some(TwinOf::X) => {
                if is_x {
                    Side::None
                } else {
                    Side::Second
                }
            }
            Some(TwinOf::Y) => {
                if is_x {
                    Side::Second
                } else {
                    Side::None
                }
            }
        };
        let has_grid = drawing.has_grid && drawing.has_axes && drawing.twin_of.is_none();
        let ruler = |is_x: bool, axis: &Axis, limits: &Limits, names: &[String]| Ruler {
            limits: *limits,
            is_date: axis.is_date,
            given: given(axis, names).or_else(|| powers(limits)),
            side: side(is_x, axis),
            rotation: axis.rotation,
            has_grid: has_grid && if is_x { drawing.grid_of.0 } else { drawing.grid_of.1 },
            group: None,
        };
        Window {
            rect: self.rect,
            x: ruler(true, &drawing.x, &self.x, &self.names.x),
            y: ruler(false, &drawing.y, &self.y, &self.names.y),
            keeps_aspect: drawing.aspect(&self.x, &self.y).is_some(),
            ink: self.palette.ink,
            grid: self.palette.grid,
        }
    }
}

/// The ticks that were asked for, or names of places.
fn given(axis: &Axis, names: &[String]) -> Option<Vec<(f64, String)>> {
    let written = |at: f64| crate::scale::minus(&format!("{at}"));
    match &axis.ticks {
        Some(ticks) => {
            let tick = |tick: &super::Tick| (tick.at, tick.name.clone().unwrap_or_else(|| written(tick.at)));
            Some(ticks.iter().map(tick).collect())
        }
        None if names.is_empty() => None,
        None => {
            let named = names.iter().enumerate().filter(|(_, name)| !name.is_empty());
            Some(named.map(|(place, name)| (place as f64, name.clone())).collect())
        }
    }
}

/// The ticks of an axis that is logarithmic both ways from zero.
fn powers(limits: &Limits) -> Option<Vec<(f64, String)>> {
    if !matches!(limits.scale, Scale::Symlog(_)) {
        return None;
    }
    let raised = |exponent: i32| -> String {
        let digit = |c: char| c.to_digit(10).map_or('\u{207b}', |digit| DIGITS[digit as usize]);
        exponent.to_string().chars().map(digit).collect()
    };
    let written = |label: &Label| match label {
        Label::Text(text) => text.clone(),
        Label::Power { times, exponent } => {
            let sign = if *times < 0 { "\u{2212}" } else { "" };
            format!("{sign}10{}", raised(*exponent))
        }
    };
    Some(limits.ticks(9).major.iter().map(|(at, label)| (*at, written(label))).collect())
}

/// As exponents.
const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

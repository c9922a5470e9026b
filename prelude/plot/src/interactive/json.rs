//! What a script must know of a picture's axes, as JSON. (A crate for it would
//! be one more in each cell; see `gpurepl_wire::Interaction::to_text`.)

use std::fmt::Write as _;

use crate::chart::TICK_LOOK;
use crate::color::Color;
use crate::draw::{Ruler, Side, TickLook, UNITS, Window};
use crate::scale::Scale;

/// Lengths are in pixels of the picture, of which each has so many units.
pub(super) fn windows(windows: &[Window]) -> String {
    let all: Vec<String> = windows.iter().map(window).collect();
    let TickLook { font, length, pad, width } = TICK_LOOK;
    format!(
        "{{\"unit\":{UNITS},\"font\":{font:.3},\"tick\":{length:.3},\"pad\":{pad:.3},\"line\":{width:.3},\"windows\":[{}]}}",
        all.join(",")
    )
}

fn window(window: &Window) -> String {
    let Window { rect, x, y, keeps_aspect, ink, grid } = window;
    format!(
        "{{\"rect\":[{:.1},{:.1},{:.1},{:.1}],\"keeps\":{keeps_aspect},\"ink\":{},\"grid\":{},\"x\":{},\"y\":{}}}",
        rect.left,
        rect.top,
        rect.width(),
        rect.height(),
        color(*ink),
        color(*grid),
        ruler(x),
        ruler(y)
    )
}

fn color(color: Color) -> String {
    format!("\"rgba({},{},{},{})\"", color.red, color.green, color.blue, color.opacity)
}

fn ruler(ruler: &Ruler) -> String {
    let Ruler { limits, is_date, given, side, rotation, has_grid, group } = ruler;
    let side = match side {
        Side::First => "first",
        Side::Second => "second",
        Side::Bare => "bare",
        Side::None => "none",
    };
    let mut text = format!(
        "{{\"from\":{:e},\"to\":{:e},\"log\":{},\"near\":{:e},\"date\":{is_date},\"side\":\"{side}\",\"rotation\":{rotation},\
         \"grid\":{has_grid}",
        limits.from,
        limits.to,
        limits.scale == Scale::Log,
        limits.scale.bend().max(0.0)
    );
    if let Some(group) = group {
        let _ = write!(text, ",\"group\":{group}");
    }
    if let Some(given) = given {
        let ticks: Vec<String> =
            given.iter().map(|(at, name)| format!("[{at:e},{}]", string(name))).collect();
        let _ = write!(text, ",\"given\":[{}]", ticks.join(","));
    }
    text + "}"
}

fn string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted() {
        assert_eq!(string("a\"b\\c\nd\u{1}"), "\"a\\\"b\\\\c\\nd\\u0001\"");
    }
}

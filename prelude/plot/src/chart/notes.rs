//! What the reader must know of what is not shown, small below the axes.

use super::{Chart, POINT};
use crate::draw::font::{self, LINE_SPACING};
use crate::draw::{Align, Scene};

/// The size of the font, in pixels.
const FONT: f64 = 8.0 * POINT;
/// What stays free at the edges of the figure.
const EDGE: f64 = 6.0;
/// The most notes of a figure.
pub(crate) const MOST: usize = 2;
/// The part of a figure's height that notes may take.
const PART: f64 = 0.2;

/// The notes in lines that fit into the width of the figure; none where there
/// is no room for a line.
fn lines(notes: &[String], (width, height): (u32, u32)) -> Vec<String> {
    let room = f64::from(width) - 2.0 * EDGE;
    let mut lines: Vec<String> = Vec::new();
    for note in notes.iter().take(MOST) {
        let mut line = String::new();
        for word in note.split(' ') {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if font::width(&longer, FONT) > room && !line.is_empty() {
                lines.push(std::mem::replace(&mut line, word.to_owned()));
            } else {
                line = longer;
            }
        }
        lines.push(line);
    }
    let most = (PART * f64::from(height) / (LINE_SPACING * FONT)) as usize;
    if lines.len() > most {
        lines.truncate(most);
        lines.last_mut().into_iter().for_each(|line| line.push_str(" \u{2026}"));
    }
    lines
}

/// How much room notes take at the lower edge of the figure.
pub(super) fn room(notes: &[String], size: (u32, u32)) -> f64 {
    match lines(notes, size).len() {
        0 => 0.0,
        count => count as f64 * LINE_SPACING * FONT + EDGE / 2.0,
    }
}

pub(super) fn draw(chart: &Chart<'_>, scene: &mut Scene) {
    let lines = lines(&chart.notes, chart.drawing.extent());
    for (number, line) in lines.iter().rev().enumerate() {
        let baseline = f64::from(scene.size.1) - EDGE - number as f64 * LINE_SPACING * FONT;
        scene.text(&**line, (EDGE, baseline), FONT, Align::Left, chart.palette.note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_notes_are_broken_and_never_take_more_than_their_part() {
        let note = "3 values of y are not above 0: a logarithmic axis cannot show them".to_owned();
        assert_eq!(lines(std::slice::from_ref(&note), (640, 480)), [&*note]);
        let broken = lines(std::slice::from_ref(&note), (300, 480));
        assert!(broken.len() == 2 && broken.join(" ") == note, "{broken:?}");
        let short = lines(&[note.clone(), note], (200, 100));
        assert!(short.len() == 1 && short[0].ends_with(" \u{2026}"), "{short:?}");
        assert_eq!(room(&[], (640, 480)), 0.0);
    }
}

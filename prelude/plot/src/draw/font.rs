//! DejaVu Sans, which is carried along: no machine needs a font.

use std::sync::LazyLock;

use ttf_parser::{Face, GlyphId, OutlineBuilder};
use zeno::{Command, PathBuilder as _};

use super::formula;
use super::shaping::shaped;

static FACE: LazyLock<Option<Face<'static>>> = LazyLock::new(|| Face::parse(dejavu::sans::regular(), 0).ok());

/// The width of a text in pixels, that of its longest line, written in a font
/// of so many pixels.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let of_line = |line: &str| match formula::laid_out(line, size) {
        Some(laid) => laid.width,
        None => advance(line, size),
    };
    text.split('\n').map(of_line).fold(0.0, f64::max)
}

/// The width of letters in a row.
pub(super) fn advance(line: &str, size: f64) -> f64 {
    let Some(face) = &*FACE else { return line.chars().count() as f64 * 0.6 * size };
    let units = f64::from(face.units_per_em());
    let of_letter = |c: char| f64::from(face.glyph_hor_advance(glyph(face, c)).unwrap_or(0)) / units;
    shaped(line).chars().map(of_letter).sum::<f64>() * size
}

/// How far letters reach below their baseline, which is less than nothing of
/// those that end above it, and above it.
pub(super) fn ink(line: &str, size: f64) -> (f64, f64) {
    let Some(face) = &*FACE else { return (0.0, CAPITAL * size) };
    let scale = size / f64::from(face.units_per_em());
    let line = shaped(line);
    let bounds = line.chars().filter_map(|c| face.glyph_bounding_box(glyph(face, c)));
    let reach = bounds.map(|bounds| (-f64::from(bounds.y_min) * scale, f64::from(bounds.y_max) * scale));
    reach.reduce(|(a, b), (c, d)| (a.max(c), b.max(d))).unwrap_or((0.0, 0.0))
}

/// From one baseline to the next, as a part of the font's size: Matplotlib's
/// `linespacing` of 1.2, for the part of a line above its baseline
/// (`lib/matplotlib/text.py`, `_get_layout`).
pub(crate) const LINE_SPACING: f64 = 1.15;

/// How far letters reach below the baseline.
pub(crate) const DESCENT: f64 = 0.24;

/// How far the baseline of each line of a text is below that of a text of one
/// line, and the room that is left below the last: formulas reach further up
/// and down than letters.
pub(super) fn baselines(text: &str, size: f64) -> (Vec<f64>, f64) {
    let (mut at, mut under) = (0.0, 0.0);
    let mut places = Vec::new();
    for line in text.split('\n') {
        let (above, below) =
            formula::laid_out(line, size).map_or((0.0, 0.0), |laid| (laid.above, laid.below));
        at += under + (above - 0.8 * size).max(0.0);
        if !places.is_empty() {
            at += LINE_SPACING * size;
        }
        places.push(at);
        under = (below - DESCENT * size).max(0.0);
    }
    (places, under)
}

/// How much further down a text reaches than letters in one line.
pub(crate) fn drop(text: &str, size: f64) -> f64 {
    let (places, under) = baselines(text, size);
    places.last().copied().unwrap_or(0.0) + under
}

/// A text as pictures and terminals can take it. Line ends are `\n`, and tabs
/// are blanks. Control characters, which XML forbids and terminals obey, are
/// replaced.
pub(crate) fn printable(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\t', "    ");
    let is_bad = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.replace(is_bad, "\u{fffd}")
}

/// Whether the font has a letter; what is seen by its place alone, such as a
/// joiner, is no letter.
pub(super) fn has(c: char) -> bool {
    let is_unseen = c.is_whitespace()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}');
    is_unseen || FACE.as_ref().is_none_or(|face| face.glyph_index(c).is_some())
}

/// The height of a capital letter or a digit, as a part of the font's size.
pub(crate) const CAPITAL: f64 = 0.73;

fn glyph(face: &Face<'_>, c: char) -> GlyphId {
    // What the font lacks is the box that says so.
    face.glyph_index(c).unwrap_or(GlyphId(0))
}

/// How far slanted letters lean to the right for each step up: DejaVu Sans
/// Oblique's 11 degrees.
const SLANT: f32 = 0.194;

/// The outlines of a text whose baseline begins at the origin, with `y`
/// downwards.
pub(super) fn outline(text: &str, size: f64, is_slanted: bool) -> Vec<Command> {
    let Some(face) = FACE.as_ref() else { return Vec::new() };
    let scale = size / f64::from(face.units_per_em());
    let slant = if is_slanted { SLANT } else { 0.0 };
    let mut outline = Outline { path: Vec::new(), from: 0.0, scale: scale as f32, slant };
    for c in shaped(text).chars() {
        let glyph = glyph(face, c);
        face.outline_glyph(glyph, &mut outline);
        outline.from += f32::from(face.glyph_hor_advance(glyph).unwrap_or(0));
    }
    outline.path
}

struct Outline {
    path: Vec<Command>,
    /// Where the glyph begins, in the font's units.
    from: f32,
    scale: f32,
    slant: f32,
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        ((self.from + x + self.slant * y) * self.scale, -y * self.scale)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.at(x, y));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.at(x, y));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.path.quad_to(self.at(x1, y1), self.at(x, y));
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.path.curve_to(self.at(x1, y1), self.at(x2, y2), self.at(x, y));
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_is_there_and_measures_what_it_draws() {
        assert!(FACE.is_some());
        let bounds = zeno::bounds(&outline("Hg", 100.0, false), zeno::Fill::NonZero, None);
        assert!((bounds.min.y + 72.9).abs() < 1.0, "{bounds:?}");
        assert!((width("0000", 10.0) - 25.4).abs() < 0.1);
        assert!(outline("", 10.0, false).is_empty() && !outline("\u{4e2d}", 10.0, true).is_empty());
        assert_eq!(width("00\n0000\n0", 10.0), width("0000", 10.0));
    }

    #[test]
    fn texts_are_printable() {
        assert_eq!(
            printable("bell\x07 esc\x1b[31m nul\0 \u{9b}\u{ffff}"),
            "bell\u{fffd} esc\u{fffd}[31m nul\u{fffd} \u{fffd}\u{fffd}"
        );
        assert_eq!(printable("a\r\nb\rc\td"), "a\nb\nc    d");
        let usual = "Größe \u{4e2d} a < b & \"c\"";
        assert_eq!(printable(usual), usual);
    }
}

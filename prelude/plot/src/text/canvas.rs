//! Characters in colours, and dots in characters.

use std::fmt::Write as _;

use crate::color::Color;
use crate::draw::{Point, Rect, clip};

/// Characters of the chart.
pub(super) const WIDTH: usize = 60;
pub(super) const HEIGHT: usize = 14;

/// Dots in a character.
pub(super) const ACROSS: usize = 2;
pub(super) const DOWN: usize = 4;

/// The character without dots.
pub(super) const BLANK: char = '\u{2800}';

/// A character, its colour and that behind it; the terminal's own if none.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    pub(super) character: char,
    ink: Option<Color>,
    ground: Option<Color>,
}

impl Mark {
    pub(super) fn plain(character: char) -> Mark {
        Mark { character, ink: None, ground: None }
    }

    pub(super) fn of(character: char, ink: Color) -> Mark {
        Mark { character, ink: Some(ink), ground: None }
    }

    /// Two colours above each other.
    pub(super) fn halves(upper: Option<Color>, lower: Option<Color>) -> Mark {
        match (upper, lower) {
            (None, None) => Mark::plain(' '),
            (None, lower) => Mark { character: '\u{2584}', ink: lower, ground: None },
            (upper, lower) => Mark { character: '\u{2580}', ink: upper, ground: lower },
        }
    }

    /// Two colours side by side.
    pub(super) fn sides(left: Color, right: Color) -> Mark {
        Mark { character: '\u{258c}', ink: Some(left), ground: Some(right) }
    }
}

/// Marks as a terminal shows them, by 24-bit colours.
pub(super) fn row(marks: &[Mark]) -> String {
    let mut text = String::new();
    let mut last = (None, None);
    for mark in marks {
        let style = (mark.ink, mark.ground);
        if style != last {
            text.push_str("\x1b[0");
            for (color, which) in [(mark.ink, 3), (mark.ground, 4)] {
                if let Some(Color { red, green, blue, .. }) = color {
                    let _ = write!(text, ";{which}8;2;{red};{green};{blue}");
                }
            }
            text.push('m');
            last = style;
        }
        text.push(mark.character);
    }
    if last != (None, None) {
        text.push_str("\x1b[0m");
    }
    text
}

/// Dots that are set or not, in a colour for each character: that of the last
/// dot in it.
pub(super) struct Canvas {
    cells: Vec<(u8, Color)>,
    /// The colour of what is drawn from now on.
    pub(super) pen: Color,
}

impl Canvas {
    pub(super) fn new() -> Canvas {
        Canvas { cells: vec![(0, Color::hex(0)); WIDTH * HEIGHT], pen: Color::hex(0) }
    }

    pub(super) fn set(&mut self, x: usize, y: usize) {
        if x < WIDTH * ACROSS && y < HEIGHT * DOWN {
            // The order of dots is that of six-dot braille, with a row below.
            let bit = [[0, 3], [1, 4], [2, 5], [6, 7]][y % DOWN][x % ACROSS];
            let (dots, color) = &mut self.cells[y / DOWN * WIDTH + x / ACROSS];
            *dots |= 1 << bit;
            *color = self.pen;
        }
    }

    pub(super) fn point(&mut self, (x, y): Point) {
        if x >= 0.0 && y >= 0.0 {
            self.set(x as usize, y as usize);
        }
    }

    pub(super) fn line(&mut self, line: &[Point]) {
        let all = Rect {
            left: 0.0,
            top: 0.0,
            right: (WIDTH * ACROSS) as f64 - 0.01,
            bottom: (HEIGHT * DOWN) as f64 - 0.01,
        };
        if let [alone] = line {
            self.point(*alone);
        }
        for part in clip::line(line, &all) {
            for pair in part.windows(2) {
                let ((x, y), (to_x, to_y)) = (pair[0], pair[1]);
                let steps = (to_x - x).abs().max((to_y - y).abs()).ceil().max(1.0);
                for step in 0..=steps as usize {
                    let part = step as f64 / steps;
                    self.point((x + (to_x - x) * part, y + (to_y - y) * part));
                }
            }
        }
    }

    pub(super) fn rows(&self) -> Vec<Vec<Mark>> {
        let mark = |(dots, color): &(u8, Color)| match char::from_u32(u32::from(BLANK) + u32::from(*dots)) {
            Some(character) if *dots > 0 => Mark::of(character, *color),
            _ => Mark::plain(BLANK),
        };
        self.cells.chunks(WIDTH).map(|row| row.iter().map(mark).collect()).collect()
    }
}

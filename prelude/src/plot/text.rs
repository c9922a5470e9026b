//! A figure as text: what it is, and a chart of dots, eight to a character
//! (the braille patterns of Unicode).

use super::chart::{Chart, Content, Drawing, Grid};
use super::draw::{Point, Rect, clip};
use super::scale::{Label, Limits};

/// Characters of the chart.
const WIDTH: usize = 60;
const HEIGHT: usize = 14;

/// Dots in a character.
const ACROSS: usize = 2;
const DOWN: usize = 4;

/// `Figure: 2 series, 640x480`.
pub(super) fn summary(drawing: &Drawing) -> String {
    let (width, height) = drawing.size;
    let title = if drawing.title.is_empty() { String::new() } else { format!(", \"{}\"", drawing.title) };
    format!("Figure: {} series, {width}x{height}{title}", drawing.series.len())
}

/// The summary, the chart and what is to be said of the data.
pub(super) fn write(chart: &Chart<'_>) -> String {
    let mut lines = vec![summary(chart.drawing)];
    lines.extend(self::lines(chart));
    let names: Vec<String> = chart.layers.iter().filter_map(|layer| layer.series.label.clone()).collect();
    if !names.is_empty() {
        lines.push(names.join(", "));
    }
    lines.extend(chart.notes.iter().take(2).map(|note| format!("note: {note}")));
    lines.join("\n")
}

fn lines(chart: &Chart<'_>) -> Vec<String> {
    let rows = match chart.layers.iter().find_map(|layer| match &layer.content {
        Content::Image(grid) => Some((grid, true)),
        Content::Surface(grid) => Some((grid, false)),
        _ => None,
    }) {
        Some((grid, is_downwards)) => shades(grid, is_downwards),
        None => dots(chart),
    };
    let ends = |limits: &Limits| (end(limits, limits.from), end(limits, limits.to));
    let ((left, right), (bottom, top)) = (ends(&chart.x), ends(&chart.y));
    let margin = bottom.chars().count().max(top.chars().count());
    let last = rows.len().saturating_sub(1);
    let mut lines: Vec<String> = rows
        .iter()
        .enumerate()
        .map(|(number, row)| {
            let label = match number {
                0 => &*top,
                number if number == last => &*bottom,
                _ => "",
            };
            format!("{label:>margin$} \u{2502}{}", row.trim_end_matches([' ', '\u{2800}']))
        })
        .collect();
    let gap = WIDTH.saturating_sub(left.chars().count() + right.chars().count()).max(1);
    lines.push(format!("{:margin$}  {left}{:gap$}{right}", "", ""));
    lines
}

/// The end of an axis, in as many digits as its ticks have.
fn end(limits: &Limits, at: f64) -> String {
    let beyond = Limits { from: at, to: at + (limits.high() - limits.low()) / 100.0, ..*limits };
    match limits.ticks(9).major.iter().find(|(tick, _)| *tick == at) {
        Some((_, Label::Text(text))) if limits.ticks(9).offset.is_empty() => text.clone(),
        _ => {
            let step = (beyond.to - beyond.from).abs();
            let digits = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
            if at != 0.0 && !(1e-3..1e6).contains(&at.abs()) {
                format!("{at:.2e}")
            } else {
                format!("{at:.digits$}")
            }
        }
    }
}

/// Dots that are set or not.
struct Canvas {
    cells: Vec<u8>,
}

impl Canvas {
    fn set(&mut self, x: usize, y: usize) {
        if x < WIDTH * ACROSS && y < HEIGHT * DOWN {
            // The order of dots is that of six-dot braille, with a row below.
            let bit = [[0, 3], [1, 4], [2, 5], [6, 7]][y % DOWN][x % ACROSS];
            self.cells[y / DOWN * WIDTH + x / ACROSS] |= 1 << bit;
        }
    }

    fn point(&mut self, (x, y): Point) {
        if x >= 0.0 && y >= 0.0 {
            self.set(x as usize, y as usize);
        }
    }

    fn line(&mut self, line: &[Point]) {
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

    fn rows(&self) -> Vec<String> {
        let character = |cell: &u8| char::from_u32(0x2800 + u32::from(*cell)).unwrap_or(' ');
        self.cells.chunks(WIDTH).map(|row| row.iter().map(character).collect()).collect()
    }
}

fn dots(chart: &Chart<'_>) -> Vec<String> {
    let mut canvas = Canvas { cells: vec![0; WIDTH * HEIGHT] };
    let (width, height) = ((WIDTH * ACROSS) as f64 - 1.0, (HEIGHT * DOWN) as f64 - 1.0);
    let place = |(x, y): &Point| {
        let across = if chart.drawing.is_solid() { 0.0 } else { chart.x.place(*x) };
        (across * width + 0.5, (1.0 - chart.y.place(*y)) * height + 0.5)
    };
    for layer in &chart.layers {
        match &layer.content {
            Content::Lines(lines) => {
                lines.iter().for_each(|line| canvas.line(&line.iter().map(place).collect::<Vec<_>>()));
            }
            Content::Contours { lines, .. } => {
                let lines = lines.iter().flat_map(|(_, lines)| lines);
                lines.for_each(|line| canvas.line(&line.iter().map(place).collect::<Vec<_>>()));
            }
            Content::Points(points) => points.iter().for_each(|point| canvas.point(place(point))),
            Content::Density { counts, width, height, alone } => {
                alone.iter().for_each(|point| canvas.point(place(point)));
                for (cell, _) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                    canvas.set(
                        cell % width * (WIDTH * ACROSS) / width,
                        cell / width * (HEIGHT * DOWN) / height,
                    );
                }
            }
            Content::Boxes(blocks) => {
                for block in blocks {
                    let (left, top) = place(&(block.left, block.to));
                    let (right, bottom) = place(&(block.right, block.from));
                    let (top, bottom) = (top.min(bottom), top.max(bottom));
                    let mut x = left;
                    while x <= (right - 0.5).max(left) && x <= width + 1.0 {
                        canvas.line(&[(x, top), (x, bottom)]);
                        x += 1.0;
                    }
                }
            }
            Content::Image(_) | Content::Surface(_) => {}
        }
    }
    canvas.rows()
}

/// A matrix in five shades.
fn shades(grid: &Grid, is_downwards: bool) -> Vec<String> {
    if grid.values.is_empty() {
        return vec![String::new(); HEIGHT];
    }
    let (low, high) = grid.range;
    let shade = |value: f64| {
        let level = ((value - low) / (high - low)).clamp(0.0, 1.0);
        if value.is_finite() {
            ['\u{b7}', '\u{2591}', '\u{2592}', '\u{2593}', '\u{2588}'][(level * 4.999) as usize]
        } else {
            ' '
        }
    };
    let row = |row: usize| {
        let row = if is_downwards { row } else { HEIGHT - 1 - row };
        let from = &grid.values[row * grid.height / HEIGHT * grid.width..][..grid.width];
        (0..WIDTH).map(|column| shade(from[column * grid.width / WIDTH])).collect()
    };
    (0..HEIGHT).map(row).collect()
}

#[cfg(test)]
mod tests {
    use crate::Figure;
    use crate::display::Render as _;

    #[test]
    fn a_line_is_drawn_with_dots() {
        let text = &Figure::new().plot([0.0, 1.0, 2.0, 3.0]).title("Rise").render().0["text/plain"];
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "Figure: 1 series, 640x480, \"Rise\"");
        assert!(lines.len() <= 20 && !text.contains('\x1b'));
        // It rises: the last row has dots on the left, the first on the right.
        assert!(lines[1].trim_end().chars().count() > lines[13].trim_end().chars().count(), "{text}");
    }
}

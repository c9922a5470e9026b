//! A figure as text: what it is, and a chart of dots, eight to a character
//! (the braille patterns of Unicode). For terminals in the series' colours,
//! and matrices in two cells to a character.

mod canvas;

use super::chart::{self, Axis, Chart, Content, Drawing, Grid, Kind, Layer, MOST_NOTES, Outline, Photo};
use super::draw::Point;
use super::draw::formula::plain;
use super::scale::{Label, Limits};

use super::color::Color;
use super::dates;
use canvas::{ACROSS, Canvas, DOWN, HEIGHT, Mark, WIDTH};

/// Characters of the colours between the ends of a matrix.
const BAR: usize = 24;

/// `Figure: 2 series, 640x480`.
pub(super) fn summary(drawing: &Drawing) -> String {
    let (width, height) = drawing.size;
    let title = if drawing.title.is_empty() {
        String::new()
    } else {
        format!(", \"{}\"", on_one_line(&drawing.title))
    };
    let count = drawing.series.iter().filter(|series| series.is_data()).count();
    format!("Figure: {count} series, {width}x{height}{title}")
}

fn on_one_line(text: &str) -> String {
    plain(text).replace('\n', " ")
}

/// The summary, the chart and what is to be said of the data.
pub(super) fn write(chart: &Chart<'_>) -> String {
    let names: Vec<String> = labels(chart).map(|(name, _)| name).collect();
    let rows = match matrix(chart) {
        Some((layer, grid)) => shades(grid, is_downwards(layer)),
        None => dots(chart),
    };
    let plain = |row: &[Mark]| row.iter().map(|mark| mark.character).collect::<String>();
    let rows = rows.iter().map(|row| plain(row).trim_end_matches([' ', canvas::BLANK]).to_owned()).collect();
    page(chart, rows, (!names.is_empty()).then(|| names.join(", ")))
}

/// The same in colours, by the escape sequences of terminals.
pub(super) fn write_colored(chart: &Chart<'_>) -> String {
    let mut legend: Vec<String> = labels(chart)
        .map(|(name, color)| format!("{} {name}", canvas::row(&[Mark::of('\u{2501}', color)])))
        .collect();
    let rows = match matrix(chart) {
        Some((layer, grid)) => {
            legend.push(color_bar(layer, grid));
            cells(layer, grid)
        }
        None => dots(chart),
    };
    // Terminals keep columns by themselves, and fonts may lack the dots.
    let rows = rows.iter().map(|row| canvas::row(row).replace(canvas::BLANK, " ")).collect();
    page(chart, rows, (!legend.is_empty()).then(|| legend.join("  ")))
}

fn page(chart: &Chart<'_>, rows: Vec<String>, legend: Option<String>) -> String {
    let mut lines = vec![summary(chart.drawing)];
    match chart.drawing.is_solid() && matrix(chart).is_none() {
        true => lines.extend(rows.into_iter().chain([chart::ends(chart, end)])),
        false => lines.extend(self::lines(chart, rows)),
    }
    lines.extend(legend);
    lines.extend(chart.notes.iter().take(MOST_NOTES).map(|note| format!("note: {note}")));
    lines.join("\n")
}

/// The names of series, and their colours.
fn labels(chart: &Chart<'_>) -> impl Iterator<Item = (String, Color)> {
    let label = |layer: &Layer<'_>| Some((on_one_line(layer.series.label.as_deref()?), layer.color));
    let shares = |layer: &Layer<'_>| match &layer.content {
        Content::Sketch(sketch) => sketch.shares.clone(),
        _ => Vec::new(),
    };
    let palette = &chart.palette;
    let part = move |(k, share): (usize, String)| (on_one_line(&share), palette.turn(k));
    let parts = move |layer| shares(layer).into_iter().enumerate().map(part);
    chart.layers.iter().flat_map(move |layer| label(layer).into_iter().chain(parts(layer)))
}

/// The matrix that fills the axes, if there is one.
fn matrix<'c>(chart: &'c Chart<'_>) -> Option<(&'c Layer<'c>, &'c Grid)> {
    let is_alone = chart.layers.len() == 1;
    chart.layers.iter().find_map(|layer| match &layer.content {
        Content::Image(grid) | Content::Mesh(grid) if !grid.values.is_empty() => Some((layer, grid)),
        Content::Solid(solid) if is_alone && layer.series.is_matrix() => {
            solid.flat().filter(|grid| !grid.values.is_empty()).map(|grid| (layer, grid))
        }
        _ => None,
    })
}

/// Whether the first row is at the top.
fn is_downwards(layer: &Layer<'_>) -> bool {
    match layer.content {
        Content::Image(_) => !layer.series.is_upwards,
        // A row of it is one of the picture.
        Content::Mesh(_) => true,
        _ => false,
    }
}

fn lines(chart: &Chart<'_>, rows: Vec<String>) -> Vec<String> {
    let ends = |limits: &Limits, axis: &Axis| (end(limits, limits.from, axis), end(limits, limits.to, axis));
    let ((left, right), (bottom, top)) = (ends(&chart.x, &chart.drawing.x), ends(&chart.y, &chart.drawing.y));
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
            format!("{label:>margin$} \u{2502}{row}")
        })
        .collect();
    let gap = WIDTH.saturating_sub(left.chars().count() + right.chars().count()).max(1);
    lines.push(format!("{:margin$}  {left}{:gap$}{right}", "", ""));
    lines
}

/// The end of an axis, in as many digits as its ticks have.
fn end(limits: &Limits, at: f64, axis: &Axis) -> String {
    if axis.is_date
        && let Some(time) = dates::written(at, limits)
    {
        return time;
    }
    let beyond = Limits { from: at, to: at + (limits.high() - limits.low()) / 100.0, ..*limits };
    match limits.ticks(9).major.iter().find(|(tick, _)| *tick == at) {
        Some((_, Label::Text(text))) if limits.ticks(9).offset.is_empty() => on_one_line(text),
        _ => {
            let step = (beyond.to - beyond.from).abs();
            let digits = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
            if at != 0.0 && !(1e-3..1e6).contains(&at.abs()) {
                format!("{at:.2e}")
            } else {
                let text = format!("{at:.digits$}");
                if text == "-0" { "0".to_owned() } else { text }
            }
        }
    }
}

fn dots(chart: &Chart<'_>) -> Vec<Vec<Mark>> {
    let mut canvas = Canvas::new();
    let (width, height) = ((WIDTH * ACROSS) as f64 - 1.0, (HEIGHT * DOWN) as f64 - 1.0);
    if chart.drawing.is_solid() {
        for Outline { layer, is_joined, points } in chart::outlines(chart, (width, height)) {
            canvas.pen = layer.map_or(chart.palette.grid, |number| chart.layers[number].color);
            match is_joined {
                true => canvas.line(&points),
                false => points.into_iter().for_each(|point| canvas.point(point)),
            }
        }
        return canvas.rows();
    }
    let place = |(x, y): &Point| {
        let across = chart.x.place(*x);
        (across * width + 0.5, (1.0 - chart.y.place(*y)) * height + 0.5)
    };
    for layer in &chart.layers {
        canvas.pen = layer.color;
        match &layer.content {
            Content::Lines(lines) => {
                lines.iter().for_each(|line| canvas.line(&line.iter().map(place).collect::<Vec<_>>()));
            }
            Content::Contours { lines, range } => {
                for (level, lines) in lines {
                    if layer.series.paint.is_none() {
                        canvas.pen = layer.series.colormap.at((level - range.0) / (range.1 - range.0));
                    }
                    lines.iter().for_each(|line| canvas.line(&line.iter().map(place).collect::<Vec<_>>()));
                }
            }
            Content::Dots(dots) => dots.iter().for_each(|dot| {
                if let Some(share) = dot.share {
                    canvas.pen = layer.series.colormap.at(share);
                }
                canvas.point(place(&dot.at));
            }),
            Content::Points(points) => {
                if matches!(layer.series.kind, Kind::Stem { .. }) {
                    points.iter().for_each(|point| canvas.line(&[place(&(point.0, 0.0)), place(point)]));
                }
                points.iter().for_each(|point| canvas.point(place(point)));
            }
            Content::Between(pieces) => {
                pieces.iter().for_each(|piece| canvas.line(&piece.iter().map(place).collect::<Vec<_>>()));
            }
            Content::Guide => guide(&layer.series.kind, chart, &mut canvas, (width, height)),
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
                let is_lying = layer.series.kind.is_lying();
                for block in blocks {
                    let (first, second) = block.corners(is_lying);
                    let ((left, bottom), (right, top)) = (place(&first), place(&second));
                    let (left, right) = (left.min(right), left.max(right));
                    let (top, bottom) = (top.min(bottom), top.max(bottom));
                    let mut x = left;
                    while x <= (right - 0.5).max(left) && x <= width + 1.0 {
                        canvas.line(&[(x, top), (x, bottom)]);
                        x += 1.0;
                    }
                }
            }
            Content::Sketch(sketch) => {
                sketch.paths().for_each(|path| canvas.line(&path.iter().map(place).collect::<Vec<_>>()));
                sketch.points().for_each(|point| canvas.point(place(point)));
                for (at, by) in sketch.arrows() {
                    let (x, y) = place(&at);
                    canvas.line(&[(x, y), (x + by.0 * width, y - by.1 * width)]);
                }
            }
            Content::Photo(photo) => shadows(photo, &mut canvas),
            Content::Image(_) | Content::Solid(_) | Content::Mesh(_) => {}
        }
    }
    canvas.rows()
}

/// A photograph as dots where it is light, in its colours.
fn shadows(photo: &Photo, canvas: &mut Canvas) {
    if photo.pixels.is_empty() {
        return;
    }
    for row in 0..HEIGHT * DOWN {
        for column in 0..WIDTH * ACROSS {
            let at =
                row * photo.height / (HEIGHT * DOWN) * photo.width + column * photo.width / (WIDTH * ACROSS);
            let [red, green, blue, opacity] = photo.pixels[at];
            let light = u32::from(red) + u32::from(green) + u32::from(blue);
            // By turns: the lighter, the more of four neighbours.
            let least = [[120, 470], [590, 350]][row % 2][column % 2];
            if opacity > 127 && light > least {
                canvas.pen = Color { red, green, blue, opacity: 1.0 };
                canvas.set(column, row);
            }
        }
    }
}

/// Lines across the axes, which bands begin and end with.
fn guide(kind: &Kind, chart: &Chart<'_>, canvas: &mut Canvas, (width, height): (f64, f64)) {
    let Kind::Guide(guide) = kind else { return };
    let [upright, across] = guide.ends().map(|ends| match ends {
        Some((from, to)) if from == to => vec![from],
        Some((from, to)) => vec![from, to],
        None => Vec::new(),
    });
    for at in upright.into_iter().map(|at| chart.x.place(at)).filter(|at| (0.0..=1.0).contains(at)) {
        canvas.line(&[(at * width + 0.5, 0.5), (at * width + 0.5, height + 0.5)]);
    }
    for at in across.into_iter().map(|at| chart.y.place(at)).filter(|at| (0.0..=1.0).contains(at)) {
        canvas.line(&[(0.5, (1.0 - at) * height + 0.5), (width + 0.5, (1.0 - at) * height + 0.5)]);
    }
}

/// The value of a matrix at a row of some number of rows, and at a column.
fn value(grid: &Grid, (row, rows): (usize, usize), column: usize, is_downwards: bool) -> f64 {
    let row = if is_downwards { row } else { rows - 1 - row };
    grid.values[row * grid.height / rows * grid.width + column * grid.width / WIDTH]
}

/// A matrix in five shades.
fn shades(grid: &Grid, is_downwards: bool) -> Vec<Vec<Mark>> {
    let shade = |value: f64| {
        let level = grid.share(value).map(|share| (share * 4.999) as usize);
        Mark::plain(
            level.map_or(' ', |level| ['\u{b7}', '\u{2591}', '\u{2592}', '\u{2593}', '\u{2588}'][level]),
        )
    };
    let row =
        |row| (0..WIDTH).map(|column| shade(value(grid, (row, HEIGHT), column, is_downwards))).collect();
    (0..HEIGHT).map(row).collect()
}

/// A matrix in its colours, two cells to a character.
fn cells(layer: &Layer<'_>, grid: &Grid) -> Vec<Vec<Mark>> {
    let is_downwards = is_downwards(layer);
    let color = |row, column| {
        let share = grid.share(value(grid, (row, 2 * HEIGHT), column, is_downwards))?;
        Some(layer.series.colormap.at(share))
    };
    let row = |row: usize| {
        (0..WIDTH).map(|column| Mark::halves(color(2 * row, column), color(2 * row + 1, column))).collect()
    };
    (0..HEIGHT).map(row).collect()
}

/// The values at the ends of the colours, and these between them.
fn color_bar(layer: &Layer<'_>, grid: &Grid) -> String {
    let at = |step: usize| layer.series.colormap.at(step as f64 / (2 * BAR - 1) as f64);
    let marks: Vec<Mark> = (0..BAR).map(|step| Mark::sides(at(2 * step), at(2 * step + 1))).collect();
    let (low, high) = grid.range;
    format!("{} {} {}", number(low), canvas::row(&marks), number(high))
}

/// A number in at most four digits.
fn number(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    let digits = if value == 0.0 { 0.0 } else { 3.0 - value.abs().log10().floor() };
    let text = format!("{value:.*}", digits.clamp(0.0, 6.0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use crate::Figure;
    use crate::display::Render as _;

    #[test]
    fn a_line_is_drawn_with_dots() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let text = &Figure::new().plot([0.0, 1.0, 2.0, 3.0]).title("Rise").render().0["text/plain"];
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "Figure: 1 series, 640x480, \"Rise\"");
        assert!(lines.len() <= 20 && !text.contains('\x1b'));
        // It rises: the last row has dots on the left, the first on the right.
        assert!(lines[1].trim_end().chars().count() > lines[13].trim_end().chars().count(), "{text}");
    }

    #[test]
    fn series_have_their_colours_in_a_terminal() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let figure = Figure::new().plot([0.0, 1.0, 2.0]).label("up").plot([2.0, 1.0, 0.0]);
        let bundle = figure.render().0;
        let (plain, colored) = (&bundle["text/plain"], &bundle["text/x-ansi"]);
        let mut bare = String::new();
        for (k, piece) in colored.split("\x1b[").enumerate() {
            bare.push_str(if k == 0 { piece } else { piece.split_once('m').unwrap().1 });
        }
        let lines = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
        assert_eq!(lines(&bare.replace("\u{2501} up", "up")), lines(&plain.replace('\u{2800}', " ")));
        for color in ["38;2;31;119;180", "38;2;255;127;14"] {
            assert!(colored.contains(color), "{color}: {colored:?}");
        }
    }

    #[test]
    fn a_matrix_has_its_colours_in_a_terminal() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let matrix = ndarray::Array2::from_shape_fn((28, 60), |(row, _)| row as f64);
        let text = &crate::imshow(&matrix).render().0["text/x-ansi"];
        let lines: Vec<&str> = text.lines().collect();
        // Viridis, from its darkest at the top to its lightest.
        assert!(lines[1].contains("38;2;68;1;84") && lines[14].contains("48;2;253;231;37"), "{text:?}");
        assert!(lines[16].starts_with("0 \x1b[") && lines[16].ends_with(" 27"), "{:?}", lines[16]);
    }

    #[test]
    fn numbers_have_four_digits() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        for (value, text) in
            [(0.0, "0"), (1.5, "1.5"), (-1234.56, "-1235"), (0.012345, "0.01235"), (1e9, "1.000e9")]
        {
            assert_eq!(super::number(value), text);
        }
    }
}

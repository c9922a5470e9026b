//! Bars and bins, their edges, and what is written at their ends.

use super::{Block, Chart, Kind, Layer, POINT, Paint, Series, sketch};
use crate::color::Color;
use crate::draw::font::CAPITAL;
use crate::draw::{Align, Point, Scene, Shape};

/// Between a bar and its number, in points.
const GAP: f64 = 3.0;

impl Chart<'_> {
    /// A colour that was asked for, as opaque as its series is.
    pub(super) fn painted(&self, paint: Paint, series: &Series) -> Color {
        let color = match paint {
            Paint::Fixed(color) => color,
            Paint::Cycle(index) => self.palette.turn(index),
        };
        color.with_opacity(color.opacity * series.opacity)
    }
}

pub(super) fn draw(chart: &Chart<'_>, layer: &Layer<'_>, blocks: &[Block], scene: &mut Scene) {
    let (series, rect) = (layer.series, chart.rect);
    let is_lying = series.kind.is_lying();
    let corners = |block: &Block| {
        let (first, second) = block.corners(is_lying);
        let ((left, bottom), (right, top)) = (chart.place(first), chart.place(second));
        vec![(left, top), (right, top), (right, bottom), (left, bottom)]
    };
    let touches = blocks.windows(2).all(|pair| pair[0].right == pair[1].left);
    if let Kind::Histogram { is_outline, .. } = series.kind
        && touches
    {
        // One outline has no seams between bins.
        let outline = outline(chart, blocks, is_lying);
        if is_outline {
            if !series.has_line {
                return;
            }
            let color = series.edge.map_or(layer.color, |paint| chart.painted(paint, series));
            let (width, dashes) = (series.width * POINT, series.dashes());
            scene.add_within(Shape::Strokes { paths: vec![outline], width, dashes }, color, rect);
            return;
        }
        scene.add_within(Shape::Areas(vec![outline]), layer.color, rect);
    } else if series.each.is_empty() {
        scene.add_within(Shape::Areas(blocks.iter().map(corners).collect()), layer.color, rect);
    } else {
        for block in blocks {
            let color = chart.painted(series.each[block.number % series.each.len()], series);
            scene.add_within(Shape::Areas(vec![corners(block)]), color, rect);
        }
    }
    if let Some((edges, color)) = edges(chart, layer, &Shape::Areas(blocks.iter().map(corners).collect())) {
        scene.add_within(edges, color, rect);
    }
    if series.has_numbers {
        blocks.iter().for_each(|block| number(chart, layer, block, scene));
    }
}

/// The outline of bins side by side, which may stand on others.
fn outline(chart: &Chart<'_>, blocks: &[Block], is_lying: bool) -> Vec<Point> {
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else { return Vec::new() };
    let tops = blocks.iter().flat_map(|block| [(block.left, block.to), (block.right, block.to)]);
    let is_even = blocks.iter().all(|block| block.from == last.from);
    let back: Vec<(f64, f64)> = match is_even {
        true => vec![(last.right, last.from)],
        false => blocks
            .iter()
            .rev()
            .flat_map(|block| [(block.right, block.from), (block.left, block.from)])
            .collect(),
    };
    let path = std::iter::once((first.left, first.from)).chain(tops).chain(back);
    path.map(|(along, up)| chart.place(if is_lying { (up, along) } else { (along, up) })).collect()
}

/// How long a bar is.
pub(super) fn number_of(block: &Block) -> String {
    crate::scale::minus(&general(block.length))
}

/// The same beside its end.
fn number(chart: &Chart<'_>, layer: &Layer<'_>, block: &Block, scene: &mut Scene) {
    let middle = block.left / 2.0 + block.right / 2.0;
    let is_lying = layer.series.kind.is_lying();
    let at = |along: f64| chart.place(if is_lying { (along, middle) } else { (middle, along) });
    let (start, (x, y)) = (at(block.from), at(block.to));
    if !chart.rect.grown(1.0).contains((x, y)) {
        return;
    }
    let size = layer.series.font * POINT;
    let text = number_of(block);
    let ink = chart.palette.ink;
    // Away from where the bar begins, whichever way the axis runs.
    let along = if is_lying { x - start.0 } else { start.1 - y };
    let is_away = if along == 0.0 { block.length >= 0.0 } else { along > 0.0 };
    if is_lying {
        let (align, beside) = if is_away { (Align::Left, GAP) } else { (Align::Right, -GAP) };
        scene.text(text, (x + beside * POINT, y + CAPITAL * size / 2.0), size, align, ink);
        return;
    }
    let below = if is_away { -GAP * POINT } else { GAP * POINT + CAPITAL * size };
    scene.text(text, (x, y + below), size, Align::Center, ink);
}

/// A number in six digits, as by C's `%g`, which Matplotlib uses, but with exponents as Rust writes them.
fn general(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-4..1e6).contains(&size) {
        let digits = if value == 0.0 { 0 } else { (5.0 - size.log10().floor()).max(0.0) as usize };
        let text = format!("{value:.digits$}");
        return if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        };
    }
    let text = format!("{value:.5e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// Draws marks at places, and their edges, if these have a colour.
pub(super) fn add_edged(
    chart: &Chart<'_>,
    layer: &Layer<'_>,
    (shape, centers): (Shape, &[Point]),
    color: Color,
    scene: &mut Scene,
) {
    let edges = edges(chart, layer, &shape);
    scene.add_anchored(shape, centers, color, chart.rect);
    if let Some((edges, color)) = edges {
        scene.add_anchored(edges, centers, color, chart.rect);
    }
}

/// The edges of areas and discs, and their colour, if they have one.
fn edges(chart: &Chart<'_>, layer: &Layer<'_>, shape: &Shape) -> Option<(Shape, Color)> {
    let paint = layer.series.edge?;
    let closed = |path: &Vec<Point>| path.iter().chain(path.first()).copied().collect();
    let paths: Vec<Vec<Point>> = match shape {
        Shape::Areas(areas) => areas.iter().map(closed).collect(),
        Shape::Discs { centers, radius } => {
            centers.iter().map(|center| sketch::ring(*center, *radius)).collect()
        }
        _ => return None,
    };
    let width = layer.series.width * POINT;
    let edges = Shape::Strokes { paths, width, dashes: Vec::new() };
    Some((edges, chart.painted(paint, layer.series)))
}

#[cfg(test)]
mod tests {
    use super::general;

    #[test]
    fn numbers_of_bars_are_written_as_c_writes_them() {
        for (value, text) in [
            (0.0, "0"),
            (3.0, "3"),
            (-2.5, "-2.5"),
            (0.1 + 0.2, "0.3"),
            (123_456.0, "123456"),
            (1_234_567.0, "1.23457e6"),
            (0.000_012, "1.2e-5"),
        ] {
            assert_eq!(general(value), text);
        }
    }
}

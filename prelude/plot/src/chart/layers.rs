//! Series as marks.

use super::{Chart, Content, Dash, Dot, Kind, Layer, POINT, Series, boxes, guides, heights, image, sketch};
use crate::color::Color;
use crate::draw::picture::Picture;
use crate::draw::{Point, Scene, Shape, clip};
use crate::marker::Marker;

pub(super) fn draw(chart: &Chart<'_>, layer: &Layer<'_>, scene: &mut Scene) {
    let (series, rect) = (layer.series, chart.rect);
    match &layer.content {
        Content::Lines(lines) => {
            let width = series.width * POINT;
            // Ends of lines outside of the axes are cut where nobody sees it.
            let around = rect.grown(10.0 + width);
            let placed = |line: &Vec<Point>| line.iter().map(|point| chart.place(*point)).collect::<Vec<_>>();
            let placed: Vec<Vec<Point>> = lines.iter().map(placed).collect();
            if series.has_line {
                let paths =
                    placed.iter().filter(|line| line.len() > 1).flat_map(|line| clip::line(line, &around));
                let dashes = series.dashes();
                scene.add_within(Shape::Strokes { paths: paths.collect(), width, dashes }, layer.color, rect);
            }
            // A point between two gaps has no line to be seen by.
            let alone = placed.iter().filter(|line| line.len() == 1 && around.contains(line[0]));
            let alone: Vec<Point> = alone.map(|line| line[0]).collect();
            if !alone.is_empty() && series.has_line && series.marker.is_none() {
                let radius = width * 0.75;
                scene.add_within(Shape::Discs { centers: alone, radius }, layer.color, rect);
            }
            if let Some(marker) = series.marker {
                let centers: Vec<Point> =
                    placed.into_iter().flatten().filter(|at| around.contains(*at)).collect();
                scene.add_anchored(series.marks(marker, &centers), &centers, layer.color, rect);
            }
        }
        Content::Points(points) => {
            if matches!(series.kind, Kind::Stem { .. }) {
                stems(chart, layer, points, scene);
            }
            marks(chart, layer, points, scene);
        }
        Content::Dots(dots) => colored(chart, layer, dots, scene),
        Content::Density { counts, width, height, alone } => {
            let picture = density(counts, (*width, *height), layer.color);
            scene.add_within(Shape::Picture { picture, over: rect }, layer.color, rect);
            if !alone.is_empty() {
                // Beside cells of two pixels, a usual mark would look like many points.
                let series =
                    Series { marker_size: series.marker_size.min(MARK_BESIDE_DENSITY), ..series.clone() };
                let layer = Layer {
                    series: &series,
                    color: layer.color,
                    content: Content::Guide,
                    errors: Vec::new(),
                };
                marks(chart, &layer, alone, scene);
            }
        }
        Content::Boxes(blocks) => {
            boxes::draw(chart, layer, blocks, scene);
        }
        Content::Image(grid) => {
            if let Some(picture) = image::of_grid(grid, &series.colormap, series.opacity, &rect) {
                image::draw(chart, layer, picture, (grid.rows, grid.columns), scene);
            }
        }
        Content::Photo(photo) => {
            if let Some(picture) = image::of_photo(photo, series.opacity, &rect) {
                image::draw(chart, layer, picture, (photo.rows, photo.columns), scene);
            }
        }
        Content::Mesh(grid) => {
            if let Some(picture) = image::of_grid(grid, &series.colormap, series.opacity, &rect) {
                scene.add_within(Shape::Picture { picture, over: rect }, layer.color, rect);
            }
        }
        Content::Sketch(sketch) => sketch::draw(chart, layer, sketch, scene),
        Content::Contours { lines, range } => {
            let ends = lines.first().zip(lines.last()).map(|(first, last)| (first.0, last.0));
            let (low, high) = ends.filter(|(low, high)| low < high).unwrap_or(*range);
            let names = heights::names(&lines.iter().map(|(level, _)| *level).collect::<Vec<_>>());
            let mut taken = Vec::new();
            for ((level, lines), name) in lines.iter().zip(names) {
                let color = match series.paint {
                    Some(_) => layer.color,
                    None => {
                        let share = image::share(*level, (low, high), series.norm).unwrap_or(0.0);
                        series.colormap.at(share).with_opacity(series.opacity)
                    }
                };
                let placed =
                    |line: &Vec<Point>| line.iter().map(|point| chart.place(*point)).collect::<Vec<_>>();
                let paths = lines.iter().map(placed).flat_map(|line| clip::line(&line, &rect.grown(10.0)));
                let mut paths: Vec<Vec<Point>> = paths.collect();
                if series.has_heights {
                    paths = heights::write(paths, &name, layer, color, &rect, &mut taken, scene);
                }
                // Of one colour, heights below zero are told by dashes: `contour.negative_linestyle`.
                let is_below = *level < 0.0 && series.paint.is_some() && series.dash == Dash::Solid;
                let dashes = if is_below { series.dashes_as(Dash::Dashed) } else { series.dashes() };
                scene.add_within(Shape::Strokes { paths, width: series.width * POINT, dashes }, color, rect);
            }
        }
        Content::Between(pieces) => {
            // Far outside, a coordinate may be too large for a backend.
            let around = rect.grown(1e4);
            let placed = |point: &Point| {
                let (x, y) = chart.place(*point);
                (x.clamp(around.left, around.right), y.clamp(around.top, around.bottom))
            };
            let areas = pieces.iter().map(|piece| piece.iter().map(placed).collect::<Vec<_>>());
            scene.add_within(Shape::Areas(areas.collect()), layer.color, rect);
        }
        Content::Guide => {
            if let Kind::Guide(guide) = &series.kind {
                guides::draw(chart, layer, guide, scene);
            }
        }
        Content::Solid(_) => {}
    }
}

/// A line from zero to each point, and one along zero, in Matplotlib's colour.
fn stems(chart: &Chart<'_>, layer: &Layer<'_>, points: &[Point], scene: &mut Scene) {
    let (series, rect) = (layer.series, chart.rect);
    let around = rect.grown(10.0);
    // A logarithmic axis has no zero: stems begin at its lower end.
    let ground = match chart.y.scale {
        crate::scale::Scale::Log => chart.y.low(),
        _ => 0.0,
    };
    let stem = |point: &Point| clip::line(&[chart.place((point.0, ground)), chart.place(*point)], &around);
    let paths = points.iter().flat_map(stem).collect();
    let width = series.width * POINT;
    scene.add_within(Shape::Strokes { paths, width, dashes: series.dashes() }, layer.color, rect);
    let ends = points.iter().map(|point| point.0).fold(None, |ends: Option<(f64, f64)>, x| {
        Some(ends.map_or((x, x), |(low, high)| (low.min(x), high.max(x))))
    });
    if let Some((low, high)) = ends {
        let paths = clip::line(&[chart.place((low, ground)), chart.place((high, ground))], &around);
        let shape = Shape::Strokes { paths, width: 1.5 * POINT, dashes: Vec::new() };
        scene.add_within(shape, chart.palette.turn(3), rect);
    }
}

/// The size of single marks beside a density, in points.
const MARK_BESIDE_DENSITY: f64 = 1.5;

/// Marks with a colour and a size each, in the order of the data.
fn colored(chart: &Chart<'_>, layer: &Layer<'_>, dots: &[Dot], scene: &mut Scene) {
    let series = layer.series;
    let marker = series.marker.unwrap_or(Marker::Disc);
    for dot in dots {
        let at = chart.place(dot.at);
        if !chart.rect.grown((dot.size + 2.0) * POINT).contains(at) {
            continue;
        }
        let color = match dot.share {
            Some(share) => series.colormap.at(share).with_opacity(series.opacity),
            None => layer.color,
        };
        let stroke = 1.5 * POINT;
        let shape = marker.shape(&[at], dot.size * POINT, stroke);
        boxes::add_edged(chart, layer, (shape, &[at]), color, scene);
    }
}

/// A mark at each point.
fn marks(chart: &Chart<'_>, layer: &Layer<'_>, points: &[Point], scene: &mut Scene) {
    let series = layer.series;
    let around = chart.rect.grown((series.marker_size + 2.0) * POINT);
    let centers: Vec<Point> = points.iter().map(|point| chart.place(*point)).collect();
    let centers: Vec<Point> = centers.into_iter().filter(|at| around.contains(*at)).collect();
    let marker = series.marker.unwrap_or(Marker::Disc);
    let shape = series.marks(marker, &centers);
    boxes::add_edged(chart, layer, (shape, &centers), layer.color, scene);
}

/// Counts as a picture in one colour: the more points, the more opaque, by
/// logarithms, so that single points can be seen beside crowds.
fn density(counts: &[u32], (width, height): (usize, usize), color: Color) -> Picture {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let level = |count: u32| match count {
        0 => 0,
        count => {
            let part = f64::from(count).ln_1p() / f64::from(most).ln_1p();
            (1.0 + (part * 254.0).round()) as u8
        }
    };
    let opacity = |number: u32| if number == 0 { 0.0 } else { 0.25 + 0.75 * f64::from(number) / 255.0 };
    let colors = (0..256).map(|number| color.with_opacity(color.opacity * opacity(number))).collect();
    let picture =
        Picture::numbered(width, height, counts.iter().map(|count| level(*count)).collect(), colors);
    picture.enlarged(width * 2, height * 2)
}

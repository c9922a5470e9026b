//! A small picture of an array: a heat map of two axes, a sparkline of one.
//! It is SVG, which a card holds and which stands for itself as well.

use std::fmt::Write as _;

use base64::Engine as _;

use crate::array::Summary;

/// The least elements that a picture is drawn of: fewer are seen as numbers.
const LEAST: usize = 16;

/// Pixels of a sparkline.
const SPARK: (f64, f64) = (256.0, 48.0);

/// Pixels that a heat map has room for.
const HEAT: (f64, f64) = (220.0, 150.0);

/// The fewest pixels along an axis of a heat map.
const THIN: f64 = 16.0;

/// A colour for NaN, on light and on dark pages.
const GREY: [u8; 3] = [0x9a, 0x9a, 0x9a];

/// matplotlib's viridis (Nathaniel Smith and Stéfan van der Walt), at nine
/// places; between them colours are interpolated.
const VIRIDIS: [[u8; 3]; 9] = [
    [0x44, 0x01, 0x54],
    [0x47, 0x2d, 0x7b],
    [0x3b, 0x52, 0x8b],
    [0x2c, 0x72, 0x8e],
    [0x21, 0x91, 0x8c],
    [0x28, 0xae, 0x80],
    [0x5e, 0xc9, 0x62],
    [0xad, 0xdc, 0x30],
    [0xfd, 0xe7, 0x25],
];

/// A picture and the values at its ends.
pub(in super::super) struct Picture {
    pub(in super::super) svg: String,
    pub(super) is_heat_map: bool,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The picture of an array, if it is worth one: none for a few elements, for
/// more than two axes, and where no element is finite.
pub(in super::super) fn picture(summary: &Summary) -> Option<Picture> {
    if summary.count < LEAST || summary.cells.count() < 2 {
        return None;
    }
    if summary.cells.rows > 1 { heat_map(summary) } else { sparkline(summary) }
}

/// The least and the greatest of some values; none if there is none.
fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let ends = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    (ends.0 <= ends.1).then_some(ends)
}

/// Whether values between these two are distinct as floats: of integers
/// beyond 2^53 that differ by little, a picture would show their rounding.
fn are_apart((low, high): &(f64, f64)) -> bool {
    let range = high / 2.0 - low / 2.0;
    range == 0.0 || range > low.abs().max(high.abs()) * 2f64.powi(-44)
}

/// Where a value lies between two others, from 0 to 1; in the middle if they
/// are the same.
fn share(value: f64, (low, high): (f64, f64)) -> f64 {
    // Halves, so that the widest range is finite.
    let range = high / 2.0 - low / 2.0;
    if range > 0.0 { ((value / 2.0 - low / 2.0) / range).clamp(0.0, 1.0) } else { 0.5 }
}

fn colour(share: f64) -> [u8; 3] {
    let place = share * (VIRIDIS.len() - 1) as f64;
    let at = (place as usize).min(VIRIDIS.len() - 2);
    let part = place - at as f64;
    std::array::from_fn(|k| {
        let (from, to) = (f64::from(VIRIDIS[at][k]), f64::from(VIRIDIS[at + 1][k]));
        (from + (to - from) * part).round() as u8
    })
}

/// The means of cells as colours: a PNG of a pixel for each, enlarged.
fn heat_map(summary: &Summary) -> Option<Picture> {
    let cells = &summary.cells;
    let means: Vec<Option<f64>> = (0..cells.count()).map(|cell| summary.mean_of(cell)).collect();
    let (low, high) = ends(means.iter().flatten().copied()).filter(are_apart)?;
    let pixels: Vec<u8> =
        means.iter().flat_map(|mean| mean.map_or(GREY, |mean| colour(share(mean, (low, high))))).collect();
    let image = base64::engine::general_purpose::STANDARD.encode(png(cells.across, cells.down, &pixels)?);
    // The array's own proportions, as far as they can be seen.
    let (rows, columns) = (cells.rows as f64, cells.columns as f64);
    let scale = (HEAT.0 / columns).min(HEAT.1 / rows);
    let (width, height) = ((columns * scale).max(THIN).round(), (rows * scale).max(THIN).round());
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"heat map\"><image \
         width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" \
         xlink:href=\"data:image/png;base64,{image}\"/></svg>"
    );
    Some(Picture { svg, is_heat_map: true, low, high })
}

fn png(width: usize, height: usize, pixels: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(pixels).ok()?;
    writer.finish().ok()?;
    Some(bytes)
}

/// From the least to the greatest of each column, as an area; columns without
/// a number are grey.
fn sparkline(summary: &Summary) -> Option<Picture> {
    let count = summary.cells.across;
    // An infinity would make a line of everything else.
    let columns: Vec<Option<(f64, f64)>> = (0..count)
        .map(|cell| {
            let mean = summary.mean_of(cell)?;
            let (least, most) = summary.each[cell].ends(summary.wide);
            let finite = |value: f64| if value.is_finite() { value } else { mean };
            Some((finite(least), finite(most)))
        })
        .collect();
    let (low, high) =
        ends(columns.iter().flatten().flat_map(|(least, most)| [*least, *most])).filter(are_apart)?;
    let (width, height) = SPARK;
    let step = width / count as f64;
    let x = |column: usize| (column as f64 + 0.5) * step;
    let y = |value: f64| height - 3.0 - share(value, (low, high)) * (height - 6.0);
    let (mut area, mut gaps) = (String::new(), String::new());
    let mut start = 0;
    while start < count {
        if columns[start].is_none() {
            let _ = write!(gaps, "M{:.1} 0h{:.1}v{height}h-{:.1}z", start as f64 * step, step, step);
            start += 1;
            continue;
        }
        let run: Vec<(f64, f64)> = columns[start..].iter().map_while(|column| *column).collect();
        let mut command = 'M';
        let mut point = |x: f64, y: f64| {
            let _ = write!(area, "{command}{x:.1} {y:.1}");
            command = 'L';
        };
        if let [(least, most)] = run[..] {
            // A point that stands alone is as wide as its column.
            point(x(start) - step / 2.0, y(most));
            point(x(start) + step / 2.0, y(least));
        } else {
            run.iter().enumerate().for_each(|(k, (_, most))| point(x(start + k), y(*most)));
            let is_line = run.iter().all(|(least, most)| least == most);
            if !is_line {
                run.iter().enumerate().rev().for_each(|(k, (least, _))| point(x(start + k), y(*least)));
                area.push('z');
            }
        }
        start += run.len();
    }
    let is_line = columns.iter().flatten().all(|(least, most)| least == most);
    let fill = if is_line { "none" } else { "#4c8bf5" };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
         {height}\" role=\"img\" aria-label=\"sparkline\">"
    );
    if !gaps.is_empty() {
        let _ = write!(svg, "<path d=\"{gaps}\" fill=\"#9a9a9a\" fill-opacity=\"0.35\"/>");
    }
    let _ = write!(
        svg,
        "<path d=\"{area}\" fill=\"{fill}\" fill-opacity=\"0.45\" stroke=\"#4c8bf5\" stroke-width=\"1.2\" \
         stroke-linejoin=\"round\"/></svg>"
    );
    Some(Picture { svg, is_heat_map: false, low, high })
}

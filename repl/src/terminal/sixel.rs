//! Sixels: pictures as text of six rows of pixels at a time, one colour after the other.
//!
//! The format is in DEC's VT330/VT340 programmer reference manual, volume 2,
//! chapter 14. Terminals have 256 colours for it.

use std::collections::HashMap;
use std::fmt::Write as _;

/// Colours of a picture, as terminals take them.
const COLOURS: usize = 256;

/// A pixel with less opacity than this is left as the screen has it.
const SEEN: u8 = 128;

/// Pixels of red, green, blue and opacity, `width` of them in a row, as sixels.
pub fn encoded(pixels: &[[u8; 4]], width: usize) -> String {
    let (palette, indices) = palette(pixels);
    let height = pixels.len() / width.max(1);
    // The second parameter: what is not drawn stays as it is.
    let mut text = format!("\x1bP0;1q\"1;1;{width};{height}");
    for (number, colour) in palette.iter().enumerate() {
        let [red, green, blue] = colour.map(|value| (u32::from(value) * 100 + 127) / 255);
        let _ = write!(text, "#{number};2;{red};{green};{blue}");
    }
    for band in indices.chunks(6 * width.max(1)) {
        write_band(&mut text, band, width);
        text.push('-');
    }
    text.push_str("\x1b\\");
    text
}

/// Six rows: each colour in them draws its pixels, from the left edge.
fn write_band(text: &mut String, band: &[Option<u8>], width: usize) {
    let mut columns: HashMap<u8, Vec<u8>> = HashMap::new();
    for (row, pixels) in band.chunks(width).enumerate() {
        for (column, index) in pixels.iter().enumerate() {
            if let Some(index) = index {
                columns.entry(*index).or_insert_with(|| vec![0; width])[column] |= 1 << row;
            }
        }
    }
    let mut colours: Vec<(u8, Vec<u8>)> = columns.into_iter().collect();
    colours.sort_unstable_by_key(|(index, _)| *index);
    for (place, (index, columns)) in colours.iter().enumerate() {
        if place > 0 {
            text.push('$');
        }
        let _ = write!(text, "#{index}");
        for run in columns.chunk_by(|one, other| one == other) {
            let sixel = char::from(b'?' + run[0]);
            if run.len() > 3 {
                let _ = write!(text, "!{}{sixel}", run.len());
            } else {
                text.extend(std::iter::repeat_n(sixel, run.len()));
            }
        }
    }
}

/// The colours of a picture, and the number of each pixel's colour if it is
/// seen: its own colours if there are few enough, else those that a neural
/// network finds (Dekker's NeuQuant).
fn palette(pixels: &[[u8; 4]]) -> (Vec<[u8; 3]>, Vec<Option<u8>>) {
    let seen = |&[red, green, blue, opacity]: &[u8; 4]| (opacity >= SEEN).then_some([red, green, blue]);
    let mut numbers: HashMap<[u8; 3], u8> = HashMap::new();
    let mut colours = Vec::new();
    let mut are_few = true;
    for colour in pixels.iter().filter_map(seen) {
        if let std::collections::hash_map::Entry::Vacant(entry) = numbers.entry(colour) {
            let Ok(number) = u8::try_from(colours.len()) else {
                are_few = false;
                break;
            };
            entry.insert(number);
            colours.push(colour);
        }
    }
    if !are_few {
        let samples: Vec<u8> = pixels.iter().filter_map(seen).flat_map(|[r, g, b]| [r, g, b, 255]).collect();
        // Every third pixel is looked at; the network needs some thousands.
        let step = if samples.len() > 40_000 { 3 } else { 1 };
        let network = color_quant::NeuQuant::new(step, COLOURS, &samples);
        colours = network.color_map_rgb().chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
        numbers.clear();
        for [red, green, blue] in pixels.iter().filter_map(seen) {
            // Fewer than 256 of them, so that a number is a byte.
            numbers
                .entry([red, green, blue])
                .or_insert_with(|| network.index_of(&[red, green, blue, 255]).min(COLOURS - 1) as u8);
        }
    }
    let indices = pixels.iter().map(|pixel| seen(pixel).map(|colour| numbers[&colour])).collect();
    (colours, indices)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an independent reader makes of sixels: its pixels over a grey that none of them has.
    fn decoded(text: &str, width: usize, height: usize) -> Vec<[u8; 4]> {
        let image = icy_sixel::SixelImage::decode(text.as_bytes()).unwrap();
        assert_eq!(image.width, width);
        assert!((height..height + 6).contains(&image.height), "{} rows for {height}", image.height);
        image.pixels.chunks_exact(4).take(width * height).map(|p| [p[0], p[1], p[2], p[3]]).collect()
    }

    /// The greatest difference of a channel: a colour is percents.
    const NEAR: u8 = 2;

    fn is_near(one: [u8; 4], other: [u8; 4], near: u8) -> bool {
        one.iter().zip(other).all(|(one, other)| one.abs_diff(other) <= near)
    }

    #[test]
    fn few_colours_are_kept() {
        for (width, height) in [(200, 100), (8, 16), (2, 2), (16, 1), (1, 33), (2000, 3), (1, 1)] {
            let pixels: Vec<[u8; 4]> = (0..width * height)
                .map(|k| match (2 * (k / width) < height, 2 * (k % width) < width) {
                    (true, true) => [255, 0, 0, 255],
                    (true, false) => [255, 255, 255, 255],
                    (false, true) => [31, 119, 180, 200],
                    (false, false) => [0; 4],
                })
                .collect();
            let found = decoded(&encoded(&pixels, width), width, height);
            for (found, wanted) in found.iter().zip(&pixels) {
                let [red, green, blue, opacity] = *wanted;
                let is_right =
                    if opacity == 0 { found[3] == 0 } else { is_near(*found, [red, green, blue, 255], NEAR) };
                assert!(is_right, "{width} by {height}: {found:?} for {wanted:?}");
            }
        }
    }

    #[test]
    fn many_colours_become_near_ones() {
        let (width, height) = (160, 120);
        let pixels: Vec<[u8; 4]> = (0..width * height)
            .map(|k| [(k % width) as u8, (2 * (k / width)) as u8, ((k % width + k / width) / 2) as u8, 255])
            .collect();
        let found = decoded(&encoded(&pixels, width), width, height);
        let sum: u64 = found
            .iter()
            .zip(&pixels)
            .flat_map(|(found, wanted)| found.iter().zip(wanted).map(|(a, b)| u64::from(a.abs_diff(*b))))
            .sum();
        let mean = sum as f64 / (3 * pixels.len()) as f64;
        assert!(mean < 6.0, "a mean difference of {mean}");
    }

    #[test]
    fn a_picture_without_pixels_is_text_without_them() {
        assert_eq!(encoded(&[], 0), "\x1bP0;1q\"1;1;0;0\x1b\\");
    }
}

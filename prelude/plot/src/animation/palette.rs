//! The 256 colours of a picture, and which of them each of its pixels has.

use std::collections::HashMap;

use color_quant::NeuQuant;

/// The most colours.
const MOST: usize = 256;

/// Those that most pixels have stay as they are: grounds that are almost white would flicker.
const KEPT: usize = 32;

/// From 1, the finest, to 30.
const SAMPLING: i32 = 3;

/// The colours of a picture, three numbers each, and for each pixel the number of its own. Where
/// there are too many, a network learns which stand for them best (Dekker's NeuQuant, 1994): from
/// each colour by the root of how often it is there, so that a thin line keeps its own.
pub(super) fn numbered(rgb: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut counts: HashMap<[u8; 3], u32> = HashMap::new();
    let (pixels, _) = rgb.as_chunks::<3>();
    for pixel in pixels {
        *counts.entry(*pixel).or_default() += 1;
    }
    let mut colors: Vec<([u8; 3], u32)> = counts.into_iter().collect();
    // The same picture has the same palette, whatever the order of the map.
    colors.sort_unstable_by_key(|(color, count)| (std::cmp::Reverse(*count), *color));
    let kept = if colors.len() <= MOST { MOST } else { KEPT };
    let mut palette: Vec<[u8; 3]> = colors.iter().take(kept).map(|(color, _)| *color).collect();
    let mut numbers: HashMap<[u8; 3], u8> =
        palette.iter().enumerate().map(|(number, color)| (*color, number as u8)).collect();
    if colors.len() > MOST {
        let rest = &colors[kept..];
        let samples = rest.iter().flat_map(|([red, green, blue], count)| {
            let times = f64::from(*count).sqrt().ceil() as usize;
            std::iter::repeat_n([*red, *green, *blue, u8::MAX], times)
        });
        let samples: Vec<[u8; 4]> = samples.collect();
        // The network goes through its samples in steps of hundreds, and needs some to go through.
        let all = samples.iter().cycle().take(samples.len().max(2000)).copied().collect::<Vec<_>>();
        let network = NeuQuant::new(SAMPLING, MOST - kept, all.as_flattened());
        let learnt = network.color_map_rgb();
        palette.extend(learnt.as_chunks::<3>().0);
        for ([red, green, blue], _) in rest {
            let number = kept + network.index_of(&[*red, *green, *blue, u8::MAX]);
            numbers.insert([*red, *green, *blue], number as u8);
        }
    }
    let of_pixel = |pixel: &[u8; 3]| numbers.get(pixel).copied().unwrap_or(0);
    (palette.as_flattened().to_vec(), pixels.iter().map(of_pixel).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_stay_as_they_are() {
        let rgb = [[255, 255, 255], [1, 2, 3], [255, 255, 255]];
        let (palette, numbers) = numbered(rgb.as_flattened());
        assert_eq!((palette, numbers), (vec![255, 255, 255, 1, 2, 3], vec![0, 1, 0]));
    }

    #[test]
    fn of_many_colours_each_is_near_its_own_and_the_ground_is_exact() {
        let ground = std::iter::repeat_n([255, 255, 255], 50_000);
        let slope = (0..4096u32).map(|k| [(k % 64 * 4) as u8, (k / 64 * 4) as u8, 128]);
        let rgb: Vec<[u8; 3]> = ground.chain(slope).collect();
        let (palette, numbers) = numbered(rgb.as_flattened());
        assert!(palette.len() <= 3 * MOST);
        let shown = |k: usize| palette.as_chunks::<3>().0[usize::from(numbers[k])];
        assert_eq!(shown(0), [255, 255, 255]);
        let far = (50_000..rgb.len())
            .map(|k| shown(k).iter().zip(rgb[k]).map(|(a, b)| u32::from(a.abs_diff(b))).max().unwrap());
        let sum: u32 = far.clone().sum();
        assert!(far.max().unwrap() < 48 && sum < 4096 * 12, "{sum}");
    }
}

//! Animations as files.

use png::{BitDepth, ColorType, Compression, Encoder};

use super::{Animation, palette};
use crate::draw::pixels;
use crate::error::{Problem, Result};

fn failed(error: impl std::fmt::Display) -> crate::error::Error {
    Problem::Invalid { operation: "save", message: error.to_string() }.into()
}

/// As GIF: 256 colours for each picture, and hundredths of a second.
pub(super) fn gif(animation: &Animation) -> Result<Vec<u8>> {
    let (width, height) = animation.frames[0].seen;
    let (Ok(across), Ok(down)) = (u16::try_from(width), u16::try_from(height)) else {
        return Err(failed(format!(
            "a GIF has at most 65535 pixels each way, and these have {width}x{height}"
        )));
    };
    let mut bytes = Vec::new();
    let mut encoder = gif::Encoder::new(&mut bytes, across, down, &[]).map_err(failed)?;
    if animation.pace().is_endless {
        encoder.set_repeat(gif::Repeat::Infinite).map_err(failed)?;
    }
    // In hundredths of a second, of which pictures have one more or less, so that all of them have their time.
    let at = |number: usize| (100.0 * number as f64 / animation.pace().rate).round();
    for (number, scene) in animation.frames.iter().enumerate() {
        gpurepl_ground::check_interrupt();
        let (palette, numbers) = palette::numbered(&pixels::rgb(scene)?);
        let mut frame = gif::Frame::from_palette_pixels(across, down, numbers, palette, None);
        // Viewers take a hundredth for "as usual", a tenth.
        frame.delay = (at(number + 1) - at(number)).max(2.0) as u16;
        encoder.write_frame(&frame).map_err(failed)?;
    }
    drop(encoder);
    Ok(bytes)
}

/// As PNG that moves, in all colours: browsers show it, and what does not know better shows the
/// first picture.
pub(super) fn png(animation: &Animation) -> Result<Vec<u8>> {
    let (width, height) = animation.frames[0].seen;
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    encoder
        .set_animated(animation.frames.len() as u32, u32::from(!animation.pace().is_endless))
        .map_err(failed)?;
    encoder.set_frame_delay((1000.0 / animation.pace().rate).round() as u16, 1000).map_err(failed)?;
    let mut writer = encoder.write_header().map_err(failed)?;
    for scene in animation.frames.iter() {
        gpurepl_ground::check_interrupt();
        writer.write_image_data(&pixels::rgb(scene)?).map_err(failed)?;
    }
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

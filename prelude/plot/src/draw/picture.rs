//! Pictures of at most 256 colours: matrices and densities.

use png::{BitDepth, ColorType, Compression, Encoder};

use crate::color::Color;

/// Rows of pixels, each the number of a colour.
#[derive(Clone)]
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<u8>,
    pub(crate) colors: Vec<Color>,
}

impl Picture {
    /// The same picture with more pixels, each repeated: viewers that smooth
    /// pictures do not agree on how to leave it.
    pub(crate) fn enlarged(&self, width: usize, height: usize) -> Picture {
        let mut pixels = Vec::with_capacity(width * height);
        for row in 0..height {
            let from = &self.pixels[row * self.height / height * self.width..][..self.width];
            pixels.extend((0..width).map(|column| from[column * self.width / width]));
        }
        Picture { width, height, pixels, colors: self.colors.clone() }
    }

    /// As PNG, in at most eight bits a pixel.
    pub(super) fn png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(ColorType::Indexed);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Balanced);
        encoder.set_palette(self.colors.iter().flat_map(|c| [c.red, c.green, c.blue]).collect::<Vec<u8>>());
        if self.colors.iter().any(|color| color.opacity < 1.0) {
            let opacities = self.colors.iter().map(|color| (color.opacity * 255.0).round() as u8);
            encoder.set_trns(opacities.collect::<Vec<u8>>());
        }
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&self.pixels));
        // Memory takes all that is written; an empty picture is none.
        if written.is_err() {
            bytes.clear();
        }
        bytes
    }
}

//! Pictures in rows of pixels: matrices, densities and photographs.

use png::{BitDepth, ColorType, Compression, Encoder};

use crate::color::Color;

/// Rows of pixels.
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pixels: Pixels,
}

enum Pixels {
    /// Each the number of a colour, of which there are at most 256.
    Numbered { numbers: Vec<u8>, colors: Vec<Color> },
    /// Each its red, green, blue and opacity.
    Colored(Vec<[u8; 4]>),
}

impl Picture {
    pub(crate) fn numbered(width: usize, height: usize, numbers: Vec<u8>, colors: Vec<Color>) -> Picture {
        Picture { width, height, pixels: Pixels::Numbered { numbers, colors } }
    }

    pub(crate) fn colored(width: usize, height: usize, pixels: Vec<[u8; 4]>) -> Picture {
        Picture { width, height, pixels: Pixels::Colored(pixels) }
    }

    /// A picture of other pixels of this one: that at a row and a column is the
    /// one here at the row and the column that a function says.
    fn rearranged(
        &self,
        width: usize,
        height: usize,
        from: impl Fn(usize, usize) -> (usize, usize),
    ) -> Picture {
        let places = || {
            (0..height).flat_map(|row| (0..width).map(move |column| (row, column))).map(|(row, column)| {
                let (row, column) = from(row, column);
                row * self.width + column
            })
        };
        let pixels = match &self.pixels {
            Pixels::Numbered { numbers, colors } => {
                Pixels::Numbered { numbers: places().map(|at| numbers[at]).collect(), colors: colors.clone() }
            }
            Pixels::Colored(pixels) => Pixels::Colored(places().map(|at| pixels[at]).collect()),
        };
        Picture { width, height, pixels }
    }

    /// The same picture with more pixels, each repeated: viewers that smooth
    /// pictures do not agree on how to leave it.
    pub(crate) fn enlarged(&self, width: usize, height: usize) -> Picture {
        self.rearranged(width, height, |row, column| {
            (row * self.height / height, column * self.width / width)
        })
    }

    pub(crate) fn mirrored(&self) -> Picture {
        self.rearranged(self.width, self.height, |row, column| (row, self.width - 1 - column))
    }

    pub(crate) fn upside_down(&self) -> Picture {
        self.rearranged(self.width, self.height, |row, column| (self.height - 1 - row, column))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// The colour of a pixel, which are counted row by row.
    pub(super) fn color(&self, at: usize) -> Option<Color> {
        match &self.pixels {
            Pixels::Numbered { numbers, colors } => colors.get(usize::from(*numbers.get(at)?)).copied(),
            Pixels::Colored(pixels) => {
                let [red, green, blue, opacity] = *pixels.get(at)?;
                Some(Color { red, green, blue, opacity: f64::from(opacity) / 255.0 })
            }
        }
    }

    /// As PNG: in eight bits a pixel where the colours are numbered.
    pub(super) fn png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Balanced);
        let opaque: Vec<u8>;
        let data: &[u8] = match &self.pixels {
            Pixels::Numbered { numbers, colors } => {
                encoder.set_color(ColorType::Indexed);
                encoder
                    .set_palette(colors.iter().flat_map(|c| [c.red, c.green, c.blue]).collect::<Vec<u8>>());
                if colors.iter().any(|color| color.opacity < 1.0) {
                    let opacities = colors.iter().map(|color| (color.opacity * 255.0).round() as u8);
                    encoder.set_trns(opacities.collect::<Vec<u8>>());
                }
                numbers
            }
            Pixels::Colored(pixels) if pixels.iter().all(|pixel| pixel[3] == u8::MAX) => {
                encoder.set_color(ColorType::Rgb);
                opaque = pixels.iter().flat_map(|[red, green, blue, _]| [*red, *green, *blue]).collect();
                &opaque
            }
            Pixels::Colored(pixels) => {
                encoder.set_color(ColorType::Rgba);
                pixels.as_flattened()
            }
        };
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(data));
        // Memory takes all that is written; an empty picture is none.
        if written.is_err() {
            bytes.clear();
        }
        bytes
    }
}

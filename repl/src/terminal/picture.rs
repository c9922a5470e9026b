//! Pictures in the terminal: kitty's and iTerm2's protocols, sixel, or half
//! blocks in colours.
//!
//! The environment says what a terminal can do. Asking it would be
//! surer, but its answer comes among the keys that the user has typed ahead;
//! for the same reason the `viuer` crate, which asks, is not used here.

use base64::Engine as _;
use clap::ValueEnum;
use gpurepl_session::MimeBundle;
use serde::Deserialize;

use super::coloured;
use super::screen::Size;
use super::sixel;

/// How pictures are drawn.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Pictures {
    /// As the terminal is known to be able to
    #[default]
    Auto,
    /// By kitty's protocol: kitty, Ghostty, Konsole
    Kitty,
    /// By iTerm2's protocol: iTerm2, WezTerm
    Iterm,
    /// As sixels: foot, mlterm, xterm with `-ti vt340`
    Sixel,
    /// In half blocks, where there are colours
    Blocks,
    /// Not at all: their text is shown
    Text,
}

/// The most rows that a picture takes.
const MOST_ROWS: usize = 20;

/// Pixels of a character, if unknown.
const CHARACTER: (usize, usize) = (8, 16);

/// The most bytes that a picture may take in memory: more is a mistake, or
/// meant to do harm.
const MOST_BYTES: usize = 256 << 20;

/// Bytes of kitty's pieces.
const PIECE: usize = 4096;

impl Pictures {
    /// What is meant on the terminal of this environment.
    pub fn on(self, variable: impl Fn(&str) -> Option<String>) -> Pictures {
        if self != Pictures::Auto {
            return self;
        }
        let of = |name: &str| variable(name).unwrap_or_default().to_lowercase();
        let (term, program) = (of("TERM"), of("TERM_PROGRAM"));
        let has = |words: &[&str]| words.iter().any(|word| term.contains(word) || program.contains(word));
        let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        if term.is_empty() || term == "dumb" || term == "linux" {
            return Pictures::Text;
        }
        // A multiplexer draws for itself, whatever terminal it is in.
        let is_within = is_set("TMUX") || is_set("ZELLIJ") || has(&["screen", "tmux"]);
        if is_within {
            Pictures::Blocks
        } else if has(&["kitty", "ghostty"]) || is_set("KITTY_WINDOW_ID") || is_set("KONSOLE_VERSION") {
            Pictures::Kitty
        } else if has(&["iterm", "wezterm"]) || of("LC_TERMINAL").contains("iterm") {
            Pictures::Iterm
        } else if has(&["foot", "mlterm", "sixel", "contour"]) {
            Pictures::Sixel
        } else {
            Pictures::Blocks
        }
    }
}

/// A bundle's picture as a terminal draws it, a newline behind it; none if it
/// has none, or one that cannot be read.
pub fn drawn(bundle: &MimeBundle, pictures: Pictures, size: Size, has_all_colours: bool) -> Option<String> {
    if matches!(pictures, Pictures::Text | Pictures::Auto) {
        return None;
    }
    // What was made for characters is better than small pixels.
    if pictures == Pictures::Blocks
        && let Some(text) = bundle.get("text/x-ansi")
        && let Some(text) = coloured::fitted(text, usize::from(size.1), has_all_colours)
    {
        return Some(text);
    }
    let encoded: String = bundle.get("image/png")?.split_whitespace().collect();
    let bytes = base64::engine::general_purpose::STANDARD.decode(&encoded).ok()?;
    let image = Image::read(&bytes)?;
    let (columns, rows) = image.room(size);
    Some(match pictures {
        Pictures::Kitty => kitty(&encoded, rows),
        Pictures::Iterm => format!(
            "\x1b]1337;File=inline=1;size={};width={columns};height={rows};preserveAspectRatio=1:{encoded}\x07\n",
            bytes.len()
        ),
        Pictures::Sixel => {
            let room = (columns * CHARACTER.0, rows * CHARACTER.1);
            let image = image.scaled((room.0.min(image.width), room.1.min(image.height)));
            format!("{}\n", sixel::encoded(&image.pixels, image.width))
        }
        _ => blocks(&image.scaled((columns, 2 * rows)), has_all_colours),
    })
}

/// Kitty's protocol takes the file as it is, in pieces.
fn kitty(encoded: &str, rows: usize) -> String {
    let mut text = String::with_capacity(encoded.len() + 64);
    let mut rest = encoded;
    let mut keys = format!("a=T,f=100,q=2,r={rows},");
    loop {
        // Base64 is ASCII.
        let (piece, others) = rest.split_at(rest.len().min(PIECE));
        let more = u8::from(!others.is_empty());
        text.push_str(&format!("\x1b_G{keys}m={more};{piece}\x1b\\"));
        (rest, keys) = (others, String::new());
        if more == 0 {
            text.push('\n');
            return text;
        }
    }
}

/// Two pixels in each character: the upper half of a block, and what is
/// behind it.
fn blocks(image: &Image, has_all_colours: bool) -> String {
    let colour = |[red, green, blue, _]: [u8; 4], ground: u8| {
        coloured::code([red, green, blue], ground, has_all_colours)
    };
    let is_seen = |pixel: &[u8; 4]| pixel[3] >= 128;
    let mut text = String::new();
    for rows in image.pixels.chunks(2 * image.width) {
        let (upper, lower) = rows.split_at(image.width.min(rows.len()));
        let mut last = String::new();
        for (column, above) in upper.iter().enumerate() {
            let below = lower.get(column).filter(|pixel| is_seen(pixel));
            let (style, block) = match (is_seen(above).then_some(above), below) {
                (Some(above), Some(below)) => (format!("{};{}", colour(*above, 3), colour(*below, 4)), '▀'),
                (Some(above), None) => (format!("49;{}", colour(*above, 3)), '▀'),
                (None, Some(below)) => (format!("49;{}", colour(*below, 3)), '▄'),
                (None, None) => ("0".to_owned(), ' '),
            };
            if style != last {
                text.push_str(&format!("\x1b[{style}m"));
                last = style;
            }
            text.push(block);
        }
        text.push_str("\x1b[0m\n");
    }
    text
}

/// A picture as red, green, blue and opacity.
struct Image {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 4]>,
}

impl Image {
    /// Reads a PNG.
    fn read(bytes: &[u8]) -> Option<Image> {
        let limits = png::Limits { bytes: MOST_BYTES };
        let mut decoder = png::Decoder::new_with_limits(std::io::Cursor::new(bytes), limits);
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().ok()?;
        let size = reader.output_buffer_size().filter(|size| *size <= MOST_BYTES)?;
        let mut data = vec![0; size];
        let frame = reader.next_frame(&mut data).ok()?;
        let (width, height) = (usize::try_from(frame.width).ok()?, usize::try_from(frame.height).ok()?);
        data.truncate(frame.buffer_size());
        let samples = frame.color_type.samples();
        let pixels: Vec<[u8; 4]> = data
            .chunks_exact(samples)
            .map(|pixel| match *pixel {
                [grey] => [grey, grey, grey, 255],
                [grey, opacity] => [grey, grey, grey, opacity],
                [red, green, blue] => [red, green, blue, 255],
                [red, green, blue, opacity, ..] => [red, green, blue, opacity],
                [] => [0; 4],
            })
            .collect();
        (width > 0 && height > 0 && pixels.len() == width * height).then_some(Image { width, height, pixels })
    }

    /// Columns and rows for the picture on a screen: as large as it is, and
    /// smaller where there is no room.
    fn room(&self, (rows, columns): Size) -> (usize, usize) {
        let most_rows = MOST_ROWS.min(usize::from(rows).saturating_sub(2)).max(1);
        let most_columns = usize::from(columns).saturating_sub(1).max(1);
        let (width, height) =
            (self.width as f64 / CHARACTER.0 as f64, self.height as f64 / CHARACTER.1 as f64);
        let scale = (most_columns as f64 / width).min(most_rows as f64 / height).min(1.0);
        let length = |length: f64, most: usize| ((length * scale).round() as usize).clamp(1, most);
        (length(width, most_columns), length(height, most_rows))
    }

    /// The picture in another size: each pixel is the mean of those that it
    /// covers, or the nearest.
    fn scaled(&self, (width, height): (usize, usize)) -> Image {
        let range = |length: usize, count: usize, k: usize| {
            let start = k * length / count;
            start..((k + 1) * length / count).max(start + 1)
        };
        let mut pixels = Vec::with_capacity(width * height);
        for row in 0..height {
            for column in 0..width {
                let mut sums = [0u64; 4];
                let mut count = 0;
                for y in range(self.height, height, row) {
                    for x in range(self.width, width, column) {
                        let [red, green, blue, opacity] = self.pixels[y * self.width + x].map(u64::from);
                        // What is not seen has no colour.
                        let weighted = [red * opacity, green * opacity, blue * opacity, opacity];
                        sums.iter_mut().zip(weighted).for_each(|(sum, value)| *sum += value);
                        count += 1;
                    }
                }
                let [red, green, blue, opacity] = sums;
                let mean = |sum: u64| sum.checked_div(opacity).unwrap_or(0) as u8;
                pixels.push([mean(red), mean(green), mean(blue), (opacity / count) as u8]);
            }
        }
        Image { width, height, pixels }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture of four quarters, one of them not seen.
    fn bundle(width: usize, height: usize) -> MimeBundle {
        let pixels: Vec<u8> = (0..width * height)
            .flat_map(|k| match (k / width < height / 2, k % width < width / 2) {
                (true, true) => [255, 0, 0, 255],
                (true, false) => [0, 255, 0, 255],
                (false, true) => [0, 0, 255, 255],
                (false, false) => [0; 4],
            })
            .collect();
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
        encoder.set_color(png::ColorType::Rgba);
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        let encoded = base64::engine::general_purpose::STANDARD.encode(bytes);
        MimeBundle::text("quarters").with("image/png", encoded)
    }

    const SCREEN: Size = (40, 100);

    #[test]
    fn blocks_have_two_pixels_each() {
        let text = drawn(&bundle(16, 16), Pictures::Blocks, SCREEN, true).unwrap();
        assert_eq!(text, "\x1b[38;2;255;0;0;48;2;0;0;255m▀\x1b[49;38;2;0;255;0m▀\x1b[0m\n");
        let text = drawn(&bundle(16, 16), Pictures::Blocks, SCREEN, false).unwrap();
        assert_eq!(text, "\x1b[38;5;196;48;5;21m▀\x1b[49;38;5;46m▀\x1b[0m\n");
    }

    #[test]
    fn text_in_colours_takes_the_place_of_blocks_where_it_fits() {
        let bundle = bundle(16, 16).with("text/x-ansi", "\x1b[38;2;255;0;0mtext\x1b[0m");
        let text = drawn(&bundle, Pictures::Blocks, SCREEN, false).unwrap();
        assert_eq!(text, "\x1b[38;5;196mtext\x1b[0m\n");
        assert!(drawn(&bundle, Pictures::Blocks, (40, 3), false).unwrap().contains('▀'));
        assert!(drawn(&bundle, Pictures::Kitty, SCREEN, true).unwrap().starts_with("\x1b_G"));
    }

    #[test]
    fn a_picture_has_room_on_every_screen() {
        for (size, most) in [(SCREEN, (99, 20)), ((24, 80), (79, 20)), ((3, 4), (3, 1)), ((0, 0), (1, 1))] {
            for (width, height) in [(2000, 1000), (10, 3000), (5000, 1), (1, 1)] {
                let text = drawn(&bundle(width, height), Pictures::Blocks, size, true).unwrap();
                assert!(text.lines().count() <= most.1, "{width} by {height} on {size:?}");
                let columns = |line: &str| line.chars().filter(|c| matches!(c, '▀' | '▄' | ' ')).count();
                assert!(text.lines().all(|line| columns(line) <= most.0), "{width} by {height} on {size:?}");
            }
        }
    }

    #[test]
    fn protocols_carry_the_file() {
        let bundle = bundle(200, 100);
        let encoded = bundle.get("image/png").unwrap();
        let text = drawn(&bundle, Pictures::Kitty, SCREEN, true).unwrap();
        assert!(text.starts_with("\x1b_Ga=T,f=100,q=2,r=6,m=") && text.ends_with("\x1b\\\n"), "{text:?}");
        let long = kitty(&"A".repeat(2 * PIECE + 1), 3);
        let pieces: Vec<&str> = long.trim_end().split_terminator("\x1b\\").collect();
        assert_eq!(pieces.len(), 3);
        assert!(pieces[1].starts_with("\x1b_Gm=1;AAA") && pieces[2] == "\x1b_Gm=0;A", "{pieces:?}");
        let text = drawn(&bundle, Pictures::Iterm, SCREEN, true).unwrap();
        assert!(text.starts_with("\x1b]1337;File=inline=1;") && text.ends_with(&format!(":{encoded}\x07\n")));
        let text = drawn(&bundle, Pictures::Sixel, SCREEN, true).unwrap();
        assert!(text.starts_with("\x1bP") && text.ends_with("\x1b\\\n"), "{text:?}");
    }

    #[test]
    fn what_is_no_picture_is_left_to_its_text() {
        assert_eq!(drawn(&MimeBundle::text("text"), Pictures::Blocks, SCREEN, true), None);
        for data in ["", "?", "AAAA"] {
            let bundle = MimeBundle::text("text").with("image/png", data);
            assert_eq!(drawn(&bundle, Pictures::Kitty, SCREEN, true), None, "{data:?}");
        }
        assert_eq!(drawn(&bundle(8, 8), Pictures::Text, SCREEN, true), None);
    }

    #[test]
    fn terminals_are_known_by_their_environment() {
        let on = |variables: &[(&str, &str)]| {
            let find = |name: &str| {
                variables.iter().find(|(own, _)| *own == name).map(|(_, value)| value.to_string())
            };
            Pictures::Auto.on(find)
        };
        assert_eq!(on(&[]), Pictures::Text);
        assert_eq!(on(&[("TERM", "dumb")]), Pictures::Text);
        assert_eq!(on(&[("TERM", "xterm-256color")]), Pictures::Blocks);
        assert_eq!(on(&[("TERM", "xterm-kitty")]), Pictures::Kitty);
        assert_eq!(on(&[("TERM", "xterm-256color"), ("KITTY_WINDOW_ID", "1")]), Pictures::Kitty);
        assert_eq!(on(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")]), Pictures::Iterm);
        assert_eq!(on(&[("TERM", "foot")]), Pictures::Sixel);
        assert_eq!(on(&[("TERM", "tmux-256color"), ("KITTY_WINDOW_ID", "1")]), Pictures::Blocks);
        assert_eq!(Pictures::Sixel.on(|_| None), Pictures::Sixel);
    }
}

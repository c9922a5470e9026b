//! Gradients that values are drawn in, by Matplotlib's names and in its
//! colours.
//!
//! Those of ColorBrewer (Harrower and Brewer, 2003) have as many colours as it
//! has, and between them straight lines, as Matplotlib draws them
//! (`lib/matplotlib/_cm.py`). The tables are colours at equal distances, close
//! enough that none in between is off by more than 2 of 255: of published ones
//! such as `turbo` (Mikhailov, 2019), `coolwarm` (Moreland, 2009), `twilight`
//! (Bechtold, 2018), `cividis` (Nuñez, Anderton and Renslow, 2018) and
//! `cubehelix` (Green, 2011), and of those that older programs had, such as
//! `jet`. Lists tell groups apart, and have nothing between their colours.

mod brewer;
mod lists;
mod tables;
#[cfg(test)]
mod tests;

use super::color::{Color, did_you_mean};
use crate::error::{Problem, Result};

/// A gradient, and which way it runs.
#[derive(Clone, Copy)]
pub(super) struct Colormap {
    name: &'static str,
    gradient: Gradient,
    is_reversed: bool,
}

#[derive(Clone, Copy)]
enum Gradient {
    /// As the crate has it, which are the published colours.
    Published(colorous::Gradient),
    /// Straight lines between colours at equal distances.
    Between(&'static [u32]),
    /// Colours side by side, each over an equal part.
    Steps(&'static [u32]),
}

/// In the order of Matplotlib's documentation: of even lightness, from light
/// to dark, over a middle, around a circle, for many uses, for groups.
const GRADIENTS: [(&str, Gradient); 66] = [
    ("viridis", Gradient::Published(colorous::VIRIDIS)),
    ("plasma", Gradient::Published(colorous::PLASMA)),
    ("inferno", Gradient::Published(colorous::INFERNO)),
    ("magma", Gradient::Published(colorous::MAGMA)),
    ("cividis", Gradient::Between(&tables::CIVIDIS)),
    ("turbo", Gradient::Between(&tables::TURBO)),
    ("gray", Gradient::Between(&[0x000000, 0xffffff])),
    ("Greys", Gradient::Between(&brewer::GREYS)),
    ("Purples", Gradient::Between(&brewer::PURPLES)),
    ("Blues", Gradient::Between(&brewer::BLUES)),
    ("Greens", Gradient::Between(&brewer::GREENS)),
    ("Oranges", Gradient::Between(&brewer::ORANGES)),
    ("Reds", Gradient::Between(&brewer::REDS)),
    ("YlOrBr", Gradient::Between(&brewer::YELLOW_ORANGE_BROWN)),
    ("YlOrRd", Gradient::Between(&brewer::YELLOW_ORANGE_RED)),
    ("OrRd", Gradient::Between(&brewer::ORANGE_RED)),
    ("PuRd", Gradient::Between(&brewer::PURPLE_RED)),
    ("RdPu", Gradient::Between(&brewer::RED_PURPLE)),
    ("BuPu", Gradient::Between(&brewer::BLUE_PURPLE)),
    ("GnBu", Gradient::Between(&brewer::GREEN_BLUE)),
    ("PuBu", Gradient::Between(&brewer::PURPLE_BLUE)),
    ("YlGnBu", Gradient::Between(&brewer::YELLOW_GREEN_BLUE)),
    ("PuBuGn", Gradient::Between(&brewer::PURPLE_BLUE_GREEN)),
    ("BuGn", Gradient::Between(&brewer::BLUE_GREEN)),
    ("YlGn", Gradient::Between(&brewer::YELLOW_GREEN)),
    ("PiYG", Gradient::Between(&brewer::PINK_GREEN)),
    ("PRGn", Gradient::Between(&brewer::PURPLE_GREEN)),
    ("BrBG", Gradient::Between(&brewer::BROWN_GREEN)),
    ("PuOr", Gradient::Between(&brewer::ORANGE_PURPLE)),
    ("RdGy", Gradient::Between(&brewer::RED_GREY)),
    ("RdBu", Gradient::Between(&brewer::RED_BLUE)),
    ("RdYlBu", Gradient::Between(&brewer::RED_YELLOW_BLUE)),
    ("RdYlGn", Gradient::Between(&brewer::RED_YELLOW_GREEN)),
    ("Spectral", Gradient::Between(&brewer::SPECTRAL)),
    ("coolwarm", Gradient::Between(&tables::COOLWARM)),
    ("bwr", Gradient::Between(&tables::BWR)),
    ("seismic", Gradient::Between(&tables::SEISMIC)),
    ("twilight", Gradient::Between(&tables::TWILIGHT)),
    ("twilight_shifted", Gradient::Between(&tables::TWILIGHT_SHIFTED)),
    ("hsv", Gradient::Between(&tables::HSV)),
    ("hot", Gradient::Between(&tables::HOT)),
    ("afmhot", Gradient::Between(&tables::AFMHOT)),
    ("bone", Gradient::Between(&tables::BONE)),
    ("copper", Gradient::Between(&tables::COPPER)),
    ("pink", Gradient::Between(&tables::PINK)),
    ("cool", Gradient::Between(&tables::COOL)),
    ("spring", Gradient::Between(&tables::SPRING)),
    ("summer", Gradient::Between(&tables::SUMMER)),
    ("autumn", Gradient::Between(&tables::AUTUMN)),
    ("winter", Gradient::Between(&tables::WINTER)),
    ("jet", Gradient::Between(&tables::JET)),
    ("rainbow", Gradient::Between(&tables::RAINBOW)),
    ("cubehelix", Gradient::Between(&tables::CUBEHELIX)),
    ("terrain", Gradient::Between(&tables::TERRAIN)),
    ("ocean", Gradient::Between(&tables::OCEAN)),
    ("gist_earth", Gradient::Between(&tables::GIST_EARTH)),
    ("Pastel1", Gradient::Steps(&lists::PASTEL1)),
    ("Pastel2", Gradient::Steps(&lists::PASTEL2)),
    ("Paired", Gradient::Steps(&lists::PAIRED)),
    ("Accent", Gradient::Steps(&lists::ACCENT)),
    ("Dark2", Gradient::Steps(&lists::DARK2)),
    ("Set1", Gradient::Steps(&lists::SET1)),
    ("Set2", Gradient::Steps(&lists::SET2)),
    ("Set3", Gradient::Steps(&lists::SET3)),
    ("tab10", Gradient::Steps(&lists::TAB10)),
    ("tab20", Gradient::Steps(&lists::TAB20)),
];

impl Default for Colormap {
    fn default() -> Colormap {
        let (name, gradient) = GRADIENTS[0];
        Colormap { name, gradient, is_reversed: false }
    }
}

impl std::fmt::Debug for Colormap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.name, if self.is_reversed { "_r" } else { "" })
    }
}

impl Colormap {
    /// A gradient by Matplotlib's name; `_r` reverses it.
    pub(super) fn parse(text: &str) -> Result<Colormap> {
        let (name, is_reversed) = text.strip_suffix("_r").map_or((text, false), |name| (name, true));
        let name = if name.eq_ignore_ascii_case("grey") { "gray" } else { name };
        let known = GRADIENTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let (name, gradient) = *known.ok_or_else(|| unknown(text, is_reversed))?;
        Ok(Colormap { name, gradient, is_reversed })
    }

    /// The colour at a place from 0 to 1.
    pub(super) fn at(&self, place: f64) -> Color {
        let place = if place.is_nan() { 0.0 } else { place.clamp(0.0, 1.0) };
        // One of 256 colours or of the list's, and the same one as Matplotlib's.
        let count = if let Gradient::Steps(colors) = self.gradient { colors.len() } else { 256 };
        let number = ((place * count as f64) as usize).min(count - 1);
        let number = if self.is_reversed { count - 1 - number } else { number };
        match self.gradient {
            Gradient::Published(gradient) => {
                let colorous::Color { r, g, b } = gradient.eval_rational(number, count);
                Color { red: r, green: g, blue: b, opacity: 1.0 }
            }
            Gradient::Between(colors) => between(colors, number as f64 / 255.0),
            Gradient::Steps(colors) => Color::hex(colors[number]),
        }
    }

    /// How many colours there are, if they stand side by side.
    pub(super) fn steps(&self) -> Option<u8> {
        match self.gradient {
            Gradient::Steps(colors) => u8::try_from(colors.len()).ok(),
            _ => None,
        }
    }
}

fn unknown(text: &str, is_reversed: bool) -> Problem {
    let ending = if is_reversed { "_r" } else { "" };
    let question = did_you_mean(text, GRADIENTS.iter().map(|(name, _)| format!("{name}{ending}")));
    let start = question.map_or_else(|| "there".to_owned(), |question| format!("{question} There"));
    let [(first, _), others @ .., (last, _)] = &GRADIENTS;
    let others: String = others.iter().map(|(name, _)| format!(", {name}")).collect();
    let message = format!(
        "`{text}` is not a known colormap; {start} are {first}{others} and {last}, and each is reversed by `_r` after its \
         name"
    );
    Problem::Invalid { operation: "colormap", message }
}

fn between(colors: &[u32], place: f64) -> Color {
    let along = place * (colors.len() - 1) as f64;
    let first = along as usize;
    let (from, to) = (Color::hex(colors[first]), Color::hex(colors[(first + 1).min(colors.len() - 1)]));
    let part = |from: u8, to: u8| {
        (f64::from(from) + (f64::from(to) - f64::from(from)) * (along - first as f64)).round() as u8
    };
    Color {
        red: part(from.red, to.red),
        green: part(from.green, to.green),
        blue: part(from.blue, to.blue),
        opacity: 1.0,
    }
}

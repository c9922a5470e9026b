//! Colours: by name, and those of a theme.

mod names;
mod spelling;

pub(super) use spelling::did_you_mean;

use crate::error::{Problem, Result};

/// A colour with an opacity from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Color {
    pub(super) red: u8,
    pub(super) green: u8,
    pub(super) blue: u8,
    pub(super) opacity: f64,
}

/// The look of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Black on white.
    #[default]
    Light,
    /// Light on dark, for dark notebooks and slides.
    Dark,
    /// As the page is that shows it: a notebook whose theme is changed shows the other picture.
    /// Elsewhere, in files and terminals, as [`Theme::Light`].
    Auto,
}

/// The colours of a theme.
pub(super) struct Palette {
    pub(super) background: Color,
    pub(super) ink: Color,
    pub(super) grid: Color,
    pub(super) legend_edge: Color,
    /// What is written small below the axes.
    pub(super) note: Color,
    /// The walls of three-dimensional axes.
    pub(super) wall: Color,
    pub(super) cycle: Vec<Color>,
}

/// Tableau's ten colours, as Matplotlib's default cycle has them.
const TABLEAU: [(&str, u32); 10] = [
    ("blue", 0x1f77b4),
    ("orange", 0xff7f0e),
    ("green", 0x2ca02c),
    ("red", 0xd62728),
    ("purple", 0x9467bd),
    ("brown", 0x8c564b),
    ("pink", 0xe377c2),
    ("gray", 0x7f7f7f),
    ("olive", 0xbcbd22),
    ("cyan", 0x17becf),
];

/// The same hues, light enough for a dark ground.
const ON_DARK: [u32; 10] =
    [0x5fa8dc, 0xffa04d, 0x62c462, 0xf0686a, 0xb596d9, 0xb98a80, 0xf0a3d8, 0xb0b0b0, 0xd8d95a, 0x5fd9e6];

/// The single letters, which are colours of older plots.
const LETTERS: [(&str, u32); 8] = [
    ("b", 0x0000ff),
    ("g", 0x008000),
    ("r", 0xff0000),
    ("c", 0x00bfbf),
    ("m", 0xbf00bf),
    ("y", 0xbfbf00),
    ("k", 0x000000),
    ("w", 0xffffff),
];

impl Color {
    pub(super) const fn hex(rgb: u32) -> Color {
        let [_, red, green, blue] = rgb.to_be_bytes();
        Color { red, green, blue, opacity: 1.0 }
    }

    pub(super) const fn with_opacity(self, opacity: f64) -> Color {
        Color { opacity, ..self }
    }

    /// A colour as Matplotlib names it: `red`, `r`, `tab:blue`, `#1f77b4`,
    /// `#17becf80`, `0.5` for a grey.
    pub(super) fn parse(text: &str) -> Result<Color> {
        let found = |list: &[(&str, u32)], name: &str| {
            list.iter().find(|(known, _)| *known == name).map(|(_, rgb)| Color::hex(*rgb))
        };
        let name = text.trim().to_ascii_lowercase();
        let color = if name == "none" {
            Some(Color { red: 0, green: 0, blue: 0, opacity: 0.0 })
        } else if let Some(digits) = name.strip_prefix('#') {
            from_digits(digits)
        } else if let Some(name) = name.strip_prefix("tab:") {
            found(&TABLEAU, if name == "grey" { "gray" } else { name })
        } else if let Ok(grey @ 0.0..=1.0) = name.parse::<f64>() {
            let level = (grey * 255.0).round() as u8;
            Some(Color { red: level, green: level, blue: level, opacity: 1.0 })
        } else {
            found(&LETTERS, &name).or_else(|| found(&names::CSS, &name))
        };
        color.ok_or_else(|| unknown(text).into())
    }

    /// This colour, brighter or darker by a factor.
    pub(super) fn shaded(self, factor: f64) -> Color {
        let part = |part: u8| (f64::from(part) * factor).round().clamp(0.0, 255.0) as u8;
        Color { red: part(self.red), green: part(self.green), blue: part(self.blue), ..self }
    }
}

/// What is near may have been meant; all of CSS's names would be too many.
fn unknown(text: &str) -> Problem {
    let tableau = TABLEAU.iter().map(|(name, _)| format!("tab:{name}"));
    let known = names::CSS.iter().map(|(name, _)| (*name).to_owned()).chain(tableau);
    let help = did_you_mean(text.trim(), known).unwrap_or_else(|| {
        "write `#rrggbb`, `C0` to `C9`, `tab:blue`, a grey such as `0.5`, or a name of CSS such as `navy`, \
         `teal` or `crimson`"
            .to_owned()
    });
    Problem::Invalid { operation: "color", message: format!("`{text}` is not a known colour; {help}") }
}

fn from_digits(digits: &str) -> Option<Color> {
    if !digits.is_ascii() {
        return None;
    }
    let value = u32::from_str_radix(digits, 16).ok()?;
    match digits.len() {
        3 => {
            let part = |shift: u32| (value >> shift & 0xf) * 0x11;
            Some(Color::hex(part(8) << 16 | part(4) << 8 | part(0)))
        }
        6 => Some(Color::hex(value)),
        8 => Some(Color::hex(value >> 8).with_opacity(f64::from(value & 0xff) / 255.0)),
        _ => None,
    }
}

/// The place in the cycle that `C3` names.
pub(super) fn cycle_index(text: &str) -> Option<usize> {
    text.trim().strip_prefix('C')?.parse().ok()
}

impl Palette {
    /// The colour of a series by its number.
    pub(super) fn turn(&self, number: usize) -> Color {
        self.cycle[number % self.cycle.len()]
    }

    pub(super) fn of(theme: Theme) -> Palette {
        match theme {
            Theme::Light | Theme::Auto => Palette {
                background: Color::hex(0xffffff),
                ink: Color::hex(0x000000),
                grid: Color::hex(0xb0b0b0),
                legend_edge: Color::hex(0xcccccc),
                note: Color::hex(0x6b6b6b),
                wall: Color::hex(0xf9f9f9),
                cycle: TABLEAU.iter().map(|(_, rgb)| Color::hex(*rgb)).collect(),
            },
            Theme::Dark => Palette {
                background: Color::hex(0x16181d),
                ink: Color::hex(0xd8dadf),
                grid: Color::hex(0x454a54),
                legend_edge: Color::hex(0x565c68),
                note: Color::hex(0x9aa0aa),
                wall: Color::hex(0x20242b),
                cycle: ON_DARK.into_iter().map(Color::hex).collect(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_as_matplotlib_reads_them() {
        for (text, rgb) in [("red", 0xff0000), ("tab:orange", 0xff7f0e), ("#0af", 0x00aaff), ("K", 0)] {
            assert_eq!(Color::parse(text).unwrap(), Color::hex(rgb), "{text}");
        }
        assert_eq!(Color::parse("0.5").unwrap(), Color::hex(0x808080));
        assert_eq!(Color::parse("#ff000080").unwrap().opacity, 128.0 / 255.0);
        for text in ["", "#", "#12345", "#ééé", "reed", "1.5", "tab:", "C0"] {
            assert!(Color::parse(text).is_err(), "{text}");
        }
        assert_eq!((cycle_index("C3"), cycle_index("c3"), cycle_index("Cx")), (Some(3), None, None));
    }

    /// `matplotlib.colors.CSS4_COLORS` of Matplotlib 3.11.2.
    #[test]
    fn names_of_css_were_unknown() {
        assert!(names::CSS.is_sorted_by_key(|(name, _)| *name));
        for (text, rgb) in [
            ("aliceblue", 0xf0f8ff),
            ("DarkSlateGrey", 0x2f4f4f),
            ("lightgrey", 0xd3d3d3),
            ("rebeccapurple", 0x663399),
            ("tan", 0xd2b48c),
            ("tomato", 0xff6347),
            ("yellowgreen", 0x9acd32),
        ] {
            assert_eq!(Color::parse(text).unwrap(), Color::hex(rgb), "{text}");
        }
        // A letter is another colour than the name that it begins.
        assert_ne!(Color::parse("c").unwrap(), Color::parse("cyan").unwrap());
    }

    #[test]
    fn unknown_names_are_answered_by_near_ones_or_by_what_there_is() {
        let others = "write `#rrggbb`, `C0` to `C9`, `tab:blue`, a grey such as `0.5`, or a name of CSS such as \
                      `navy`, `teal` or `crimson`";
        for (text, help) in [
            ("reed", "did you mean `red`?"),
            ("Light Blue", "did you mean `lightblue` or `lightskyblue`?"),
            ("tab:blu", "did you mean `tab:blue`?"),
            ("nothing", others),
            ("", others),
            ("1.5", others),
        ] {
            let message = Color::parse(text).unwrap_err().to_string();
            assert!(message.ends_with(&format!("`{text}` is not a known colour; {help}")), "{message}");
        }
    }
}

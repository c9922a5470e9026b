//! Gradients that values are drawn in, by Matplotlib's names and in its
//! colours.
//!
//! Those of one hue and of two are the colours of ColorBrewer (Harrower and
//! Brewer, 2003), as many as it has, and between them straight lines, as
//! Matplotlib draws them (`lib/matplotlib/_cm.py`). The other tables are
//! colours at equal distances of the published ones, close enough that none in
//! between is off by more than 2 of 255: `turbo` (Mikhailov, 2019), `coolwarm`
//! (Moreland, 2009), `twilight` (Bechtold, 2018), `cividis` (Nuñez, Anderton
//! and Renslow, 2018).

use super::color::Color;
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
}

const GRADIENTS: [(&str, Gradient); 16] = [
    ("viridis", Gradient::Published(colorous::VIRIDIS)),
    ("plasma", Gradient::Published(colorous::PLASMA)),
    ("inferno", Gradient::Published(colorous::INFERNO)),
    ("magma", Gradient::Published(colorous::MAGMA)),
    ("cividis", Gradient::Between(&CIVIDIS)),
    ("turbo", Gradient::Between(&TURBO)),
    ("gray", Gradient::Between(&[0x000000, 0xffffff])),
    ("Greys", Gradient::Between(&GREYS)),
    ("Blues", Gradient::Between(&BLUES)),
    ("Greens", Gradient::Between(&GREENS)),
    ("Reds", Gradient::Between(&REDS)),
    ("coolwarm", Gradient::Between(&COOLWARM)),
    ("RdBu", Gradient::Between(&RED_BLUE)),
    ("RdYlBu", Gradient::Between(&RED_YELLOW_BLUE)),
    ("Spectral", Gradient::Between(&SPECTRAL)),
    ("twilight", Gradient::Between(&TWILIGHT)),
];

const GREYS: [u32; 9] =
    [0xffffff, 0xf0f0f0, 0xd9d9d9, 0xbdbdbd, 0x969696, 0x737373, 0x525252, 0x252525, 0x000000];
const BLUES: [u32; 9] =
    [0xf7fbff, 0xdeebf7, 0xc6dbef, 0x9ecae1, 0x6baed6, 0x4292c6, 0x2171b5, 0x08519c, 0x08306b];
const GREENS: [u32; 9] =
    [0xf7fcf5, 0xe5f5e0, 0xc7e9c0, 0xa1d99b, 0x74c476, 0x41ab5d, 0x238b45, 0x006d2c, 0x00441b];
const REDS: [u32; 9] =
    [0xfff5f0, 0xfee0d2, 0xfcbba1, 0xfc9272, 0xfb6a4a, 0xef3b2c, 0xcb181d, 0xa50f15, 0x67000d];
const RED_BLUE: [u32; 11] = [
    0x67001f, 0xb2182b, 0xd6604d, 0xf4a582, 0xfddbc7, 0xf7f7f7, 0xd1e5f0, 0x92c5de, 0x4393c3, 0x2166ac,
    0x053061,
];
const RED_YELLOW_BLUE: [u32; 11] = [
    0xa50026, 0xd73027, 0xf46d43, 0xfdae61, 0xfee090, 0xffffbf, 0xe0f3f8, 0xabd9e9, 0x74add1, 0x4575b4,
    0x313695,
];
const SPECTRAL: [u32; 11] = [
    0x9e0142, 0xd53e4f, 0xf46d43, 0xfdae61, 0xfee08b, 0xffffbf, 0xe6f598, 0xabdda4, 0x66c2a5, 0x3288bd,
    0x5e4fa2,
];

#[rustfmt::skip]
const CIVIDIS: [u32; 86] = [
    0x00224e, 0x002553, 0x002758, 0x00295d, 0x002b62, 0x002d68, 0x002f6d, 0x003170, 0x053371, 0x0f3570,
    0x163770, 0x1c396f, 0x213b6e, 0x263d6e, 0x2a3f6d, 0x2e416d, 0x32436d, 0x35456c, 0x39486c, 0x3c4a6c,
    0x3f4c6c, 0x424e6c, 0x45506c, 0x48526c, 0x4b546c, 0x4e566c, 0x51586d, 0x545a6d, 0x565c6d, 0x595e6e,
    0x5c616e, 0x5e636f, 0x61656f, 0x646770, 0x666970, 0x696b71, 0x6c6d72, 0x6e6f73, 0x717274, 0x737475,
    0x767676, 0x787877, 0x7b7a78, 0x7e7c78, 0x807f78, 0x838179, 0x868379, 0x898578, 0x8c8878, 0x8f8a78,
    0x928c78, 0x948e77, 0x979177, 0x9a9376, 0x9d9576, 0xa09875, 0xa39a74, 0xa69c74, 0xa99f73, 0xaca172,
    0xafa471, 0xb3a670, 0xb6a96f, 0xb9ab6d, 0xbcae6c, 0xbfb06b, 0xc2b369, 0xc5b568, 0xc8b866, 0xccba64,
    0xcfbd62, 0xd2c060, 0xd5c25e, 0xd9c55c, 0xdcc859, 0xdfca57, 0xe2cd54, 0xe6d051, 0xe9d34e, 0xedd54a,
    0xf0d846, 0xf3db42, 0xf7de3e, 0xfbe138, 0xfee434, 0xfee838,
];

#[rustfmt::skip]
const TURBO: [u32; 52] = [
    0x30123b, 0x36215f, 0x3b2f80, 0x3f3e9c, 0x424bb5, 0x4559cb, 0x4666dd, 0x4773eb, 0x4680f6, 0x458cfd,
    0x4099ff, 0x38a5fb, 0x2fb2f4, 0x27bee9, 0x1fc9dd, 0x1ad4d0, 0x18ddc2, 0x1ae4b6, 0x22ebaa, 0x2ff19b,
    0x3ff68a, 0x52fa7a, 0x65fd69, 0x79fe59, 0x8bff4b, 0x9cfe40, 0xa9fb39, 0xb7f735, 0xc3f134, 0xd0ea34,
    0xdbe236, 0xe5d938, 0xeecf3a, 0xf5c53a, 0xfaba39, 0xfdae35, 0xfea130, 0xfe932a, 0xfc8423, 0xf9751d,
    0xf46617, 0xef5811, 0xe84b0c, 0xe14109, 0xd83706, 0xce2d04, 0xc32503, 0xb71d02, 0xa91601, 0x9b0f01,
    0x8b0902, 0x7a0403,
];

#[rustfmt::skip]
const COOLWARM: [u32; 35] = [
    0x3b4cc0, 0x4358cb, 0x4c66d6, 0x5572df, 0x5f7fe8, 0x688aef, 0x7396f5, 0x7da0f9, 0x88abfd, 0x92b4fe,
    0x9dbdff, 0xa6c4fe, 0xb1cbfc, 0xbad0f8, 0xc4d5f3, 0xccd9ed, 0xd5dbe5, 0xdddcdc, 0xe4d9d2, 0xebd3c6,
    0xf0cdbb, 0xf4c6af, 0xf6bea4, 0xf7b497, 0xf7aa8c, 0xf59f80, 0xf39475, 0xee8669, 0xe97a5f, 0xe36b54,
    0xdc5d4a, 0xd24b40, 0xca3b37, 0xbe242e, 0xb40426,
];

#[rustfmt::skip]
const TWILIGHT: [u32; 33] = [
    0xe2d9e2, 0xd7d7dd, 0xc4ced4, 0xacc2cc, 0x95b5c7, 0x81a6c3, 0x7297c1, 0x6887be, 0x6276ba, 0x5f64b5,
    0x5e51ad, 0x5d3da1, 0x592a8f, 0x511b77, 0x45135c, 0x381145, 0x2f1436, 0x3a113a, 0x4a1342, 0x5f174a,
    0x741e4f, 0x872750, 0x983550, 0xa64550, 0xb25652, 0xbb6958, 0xc27c63, 0xc89073, 0xcca389, 0xd1b6a3,
    0xd8c7be, 0xdfd4d6, 0xe2d9e2,
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
        let name = if name == "grey" { "gray" } else { name };
        let known = GRADIENTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let (name, gradient) = *known.ok_or_else(|| {
            let message = format!(
                "`{text}` is not a known colormap; use one of {}, with `_r` to reverse it",
                GRADIENTS.map(|(name, _)| name).join(", ")
            );
            Problem::Invalid { operation: "colormap", message }
        })?;
        Ok(Colormap { name, gradient, is_reversed })
    }

    /// The colour at a place from 0 to 1.
    pub(super) fn at(&self, place: f64) -> Color {
        let place = if place.is_nan() { 0.0 } else { place.clamp(0.0, 1.0) };
        let place = if self.is_reversed { 1.0 - place } else { place };
        // One of 256 colours, and the same one as Matplotlib's.
        let number = ((place * 256.0) as usize).min(255);
        match self.gradient {
            Gradient::Published(gradient) => {
                let colorous::Color { r, g, b } = gradient.eval_rational(number, 256);
                Color { red: r, green: g, blue: b, opacity: 1.0 }
            }
            Gradient::Between(colors) => between(colors, number as f64 / 255.0),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_run_both_ways() {
        let (forth, back) = (Colormap::parse("viridis").unwrap(), Colormap::parse("viridis_r").unwrap());
        assert_eq!((forth.at(0.0), forth.at(f64::NAN)), (back.at(1.0), forth.at(-3.0)));
        assert!(Colormap::parse("jetset").unwrap_err().to_string().contains("viridis"));
    }

    /// Matplotlib 3.11's colours at 0, 3/16, 1/2, 13/16 and 1.
    const MATPLOTLIBS: [(&str, [u32; 5]); 16] = [
        ("viridis", [0x440154, 0x424086, 0x21918c, 0x84d44b, 0xfde725]),
        ("plasma", [0x0d0887, 0x6600a7, 0xcc4778, 0xfdac33, 0xf0f921]),
        ("inferno", [0x000004, 0x3d0965, 0xbc3754, 0xfcac11, 0xfcffa4]),
        ("magma", [0x000004, 0x36106b, 0xb73779, 0xfea772, 0xfcfdbf]),
        ("cividis", [0x00224e, 0x32436d, 0x7d7c78, 0xcdbb63, 0xfee838]),
        ("turbo", [0x30123b, 0x4294ff, 0xa4fc3c, 0xeb500e, 0x7a0403]),
        ("gray", [0x000000, 0x303030, 0x808080, 0xd0d0d0, 0xffffff]),
        ("Greys", [0xffffff, 0xe4e4e4, 0x959595, 0x3a3a3a, 0x000000]),
        ("Blues", [0xf7fbff, 0xd2e3f3, 0x6aaed6, 0x1460a8, 0x08306b]),
        ("Greens", [0xf7fcf5, 0xd6efd0, 0x73c476, 0x117b38, 0x00441b]),
        ("Reds", [0xfff5f0, 0xfdcdb9, 0xfb694a, 0xb71319, 0x67000d]),
        ("coolwarm", [0x3b4cc0, 0x779af7, 0xdddcdc, 0xeb7d62, 0xb40426]),
        ("RdBu", [0x67001f, 0xd25849, 0xf6f7f7, 0x3e8cbf, 0x053061]),
        ("RdYlBu", [0xa50026, 0xf16640, 0xfeffc0, 0x6da4cc, 0x313695]),
        ("Spectral", [0x9e0142, 0xf06744, 0xffffbe, 0x5eb9a9, 0x5e4fa2]),
        ("twilight", [0xe2d9e2, 0x7297c1, 0x2f1436, 0xc27c63, 0xe2d9e2]),
    ];

    #[test]
    fn names_of_matplotlib_had_other_colours() {
        for (name, colors) in MATPLOTLIBS {
            let map = Colormap::parse(name).unwrap();
            for (place, wanted) in [0.0, 3.0, 8.0, 13.0, 16.0].into_iter().zip(colors) {
                let (found, wanted) = (map.at(place / 16.0), Color::hex(wanted));
                let is_near = |a: u8, b: u8| a.abs_diff(b) <= 2;
                assert!(
                    is_near(found.red, wanted.red)
                        && is_near(found.green, wanted.green)
                        && is_near(found.blue, wanted.blue),
                    "{name} at {place}/16: {found:?}, not {wanted:?}"
                );
            }
        }
    }
}

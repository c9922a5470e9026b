//! Cards: how a notebook shows a value.
//!
//! A card is HTML without scripts: a line that says what the value is, a line
//! of figures, a table and a small picture. Its colours are those of the front
//! end where that names any (JupyterLab, VS Code), else of the system's light
//! or dark theme.

pub(super) mod html;
mod numbers;
mod picture;
mod table;

#[cfg(test)]
mod tests;

pub(super) use html::{Page, escape};
pub(super) use picture::{Picture, picture};

use gpurepl_kernels::{Cells, DType};

use crate::array::Summary;
pub use crate::array::text::layout::Corners;
use crate::error::Bytes;
use numbers::{float, statistics};

/// The most cells of a heat map along each axis.
const HEAT: (usize, usize) = (64, 64);

/// The most columns of a sparkline.
const SPARK: (usize, usize) = (1, 256);

/// What there is to say of an array besides its elements.
pub(super) struct Facts {
    /// Where it lies, in a word: `cuda:0`, `host`, `ndarray`.
    pub(super) place: String,
    /// The name of that device, if it has another one.
    pub(super) place_name: String,
    /// The steps along each axis in bytes, if they are not the usual ones.
    pub(super) strides: Option<Vec<isize>>,
}

/// How an array is divided for its figures: a heat map of two axes, a
/// sparkline of one, nothing of more. None for what needs no figures: nothing,
/// or one number.
pub(super) fn cells(shape: &[usize]) -> Option<Cells> {
    let count: usize = shape.iter().product();
    match *shape {
        _ if count < 2 => None,
        [rows, columns] if rows > 1 && columns > 1 => Some(Cells::new((rows, columns), HEAT)),
        // As a table a column is a row.
        [_] | [_, _] => Some(Cells::new((1, count), SPARK)),
        _ => Some(Cells::new((1, count), (1, 1))),
    }
}

/// `float32 [1000, 1000] 3.8 MiB cuda:0`.
pub(super) fn header(corners: &Corners, facts: &Facts) -> String {
    format!("{} {:?} {} {}", corners.dtype, corners.shape, size_of(corners), facts.place)
}

fn size_of(corners: &Corners) -> Bytes {
    let count: usize = corners.shape.iter().product();
    Bytes((count * corners.dtype.size()) as u64)
}

/// The card of an array.
pub(super) fn array(
    corners: &Corners,
    facts: &Facts,
    summary: Option<&Summary>,
    picture: Option<&Picture>,
) -> String {
    let mut page = Page::new();
    page.open("div", "gr-head");
    page.text("b", "", &corners.dtype.to_string());
    page.text("span", "gr-shape", &format!("{:?}", corners.shape));
    page.text("span", "", &size_of(corners).to_string());
    if let Some(strides) = &facts.strides {
        page.text("span", "", &format!("strides {strides:?}"));
    }
    page.text("span", "gr-place", &facts.place);
    if !facts.place_name.is_empty() {
        page.text("span", "gr-dim", &facts.place_name);
    }
    page.close("div");
    if let Some(summary) = summary {
        page.open("div", "gr-figures");
        for (name, value) in statistics(corners.dtype, summary) {
            page.open("span", "");
            page.text("span", "gr-dim", &name);
            page.raw(" ");
            page.text("span", "gr-number", &value);
            page.close("span");
        }
        page.close("div");
    }
    page.open("div", "gr-body");
    table::write(&mut page, corners);
    if let Some(picture) = picture {
        page.open("figure", "");
        page.raw(&picture.svg);
        page.open("figcaption", "");
        let end = |value: f64| float(value, DType::Float32);
        page.text("span", "", &end(picture.low));
        match picture.is_heat_map {
            true => page.text("span", "gr-scale", ""),
            false => page.text("span", "", "to"),
        }
        page.text("span", "", &end(picture.high));
        page.close("figcaption");
        page.close("figure");
    }
    page.close("div");
    page.finish()
}

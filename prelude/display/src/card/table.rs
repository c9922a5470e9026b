//! The corners of an array as tables with the places of rows and columns.

use gpurepl_kernels::DType;

use super::html::Page;
pub use crate::array::text::format::Format;
pub use crate::array::text::layout::Corners;
use crate::scalar::Scalar;

/// Axes up to this length are shown whole, where their elements are at hand.
const WHOLE: usize = 10;

/// Elements of a longer axis that are shown, where the options ask for more.
const USUAL: usize = 6;

/// A place along an axis: among the elements at hand, and in the array.
type Place = (usize, usize);

/// The places of an axis that are shown; none is what is left out.
fn places(length: usize, shown: usize) -> Vec<Option<Place>> {
    if length == shown && length <= WHOLE {
        return (0..length).map(|place| Some((place, place))).collect();
    }
    // Where all elements are at hand, but too many, as many as usual are shown.
    let kept = if length == shown { shown.min(USUAL) } else { shown };
    let front = (0..kept / 2).map(|place| Some((place, place)));
    let back = (1..=kept - kept / 2).rev().map(|place| Some((shown - place, length - place)));
    front.chain([None]).chain(back).collect()
}

/// Writes an array: one number, a row, a table, or the first and the last
/// table of more axes.
pub(super) fn write(page: &mut Page, corners: &Corners) {
    let rank = corners.shape.len();
    if corners.elements.is_empty() {
        page.text("span", "gr-dim", "no elements");
        return;
    }
    let tables =
        Tables { corners, format: Format::new(corners.dtype, &corners.elements, rank > 0, &corners.options) };
    match rank {
        0 => page.text("span", "gr-number", &tables.format.element(corners.elements[0])),
        1 => tables.table(page, 0, None),
        2 => tables.table(page, 0, None),
        _ => {
            let leading = &corners.shape[..rank - 2];
            let last: Vec<usize> = leading.iter().map(|length| length - 1).collect();
            tables.table(page, 0, Some(&caption(&vec![0; rank - 2])));
            if last.iter().any(|place| *place > 0) {
                let size = corners.shown[rank - 2] * corners.shown[rank - 1];
                tables.table(page, corners.elements.len() - size, Some(&caption(&last)));
            }
        }
    }
}

/// `[0, 3, :, :]`.
fn caption(places: &[usize]) -> String {
    let places: Vec<String> = places.iter().map(usize::to_string).collect();
    format!("[{}, :, :]", places.join(", "))
}

struct Tables<'a> {
    corners: &'a Corners,
    format: Format,
}

impl Tables<'_> {
    /// Writes the table whose elements begin at `start`.
    fn table(&self, page: &mut Page, start: usize, caption: Option<&str>) {
        let (shape, shown) = (&self.corners.shape, &self.corners.shown);
        let last = shape.len() - 1;
        let columns = places(shape[last], shown[last]);
        page.open("table", "");
        if let Some(caption) = caption {
            page.text("caption", "", caption);
        }
        page.raw("<thead>");
        page.open("tr", "");
        let is_table = last > 0;
        if is_table {
            page.text("th", "", "");
        }
        for place in &columns {
            page.text("th", "", &place.map_or(String::new(), |(_, place)| place.to_string()));
        }
        page.close("tr");
        page.raw("</thead><tbody>");
        let rows = if is_table { places(shape[last - 1], shown[last - 1]) } else { vec![Some((0, 0))] };
        for row in &rows {
            page.open("tr", "");
            match row {
                None => page.raw(&format!("<td class=\"gr-gap\" colspan=\"{}\">⋮</td>", columns.len() + 1)),
                Some((row, place)) => {
                    if is_table {
                        page.text("th", "", &place.to_string());
                    }
                    for column in &columns {
                        match column {
                            None => page.text("td", "gr-gap", "⋯"),
                            Some((column, _)) => self.element(page, start + row * shown[last] + column),
                        }
                    }
                }
            }
            page.close("tr");
        }
        page.raw("</tbody>");
        page.close("table");
    }

    fn element(&self, page: &mut Page, place: usize) {
        let element = self.corners.elements[place];
        let is_nan = match element {
            Scalar::Float(value) => value.is_nan(),
            Scalar::Complex(re, im) => re.is_nan() || im.is_nan(),
            _ => false,
        };
        let text = self.format.element(element);
        // What stands behind the number keeps points below each other.
        let text = text.trim_start();
        let text = match self.corners.dtype {
            DType::Bool => text.trim_end(),
            _ => text,
        };
        page.text("td", if is_nan { "gr-nan" } else { "" }, text);
    }
}

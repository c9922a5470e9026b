//! Arrays of the device and of the host, in all forms that are shown.

use gpurepl_kernels::{Cells, Wide};
use gpurepl_wire::MimeBundle;

use super::card::{self, Facts};
pub use crate::array::text::layout::{self, Corners, Style};
use crate::array::{AnyView, Elem, Raw, Summary, get_printoptions, summarize};
use crate::device::operations::{Figures, add_to_cells};
use crate::error::Result;

/// An array of the device. Not generic, as everything that a cell calls
/// should be.
pub(super) fn bundle(raw: &Raw) -> MimeBundle {
    let corners = match layout::corners(raw, get_printoptions()) {
        Ok(corners) => corners,
        Err(error) => {
            crate::device::report_again(&error);
            return MimeBundle::text(format!("<array: {error}>"));
        }
    };
    // The corners have been read, so the array has a place.
    let Ok(place) = raw.place() else { return MimeBundle::text(layout::write(&corners, Style::Repr)) };
    let device = place.buffer.context().device();
    let (id, name) = (device.id(), device.name());
    let own = raw.shape().strides();
    let is_usual = (0..raw.shape().rank())
        .all(|axis| place.strides[axis] == own[axis] || raw.shape().lengths()[axis] <= 1);
    let size = raw.dtype().size() as isize;
    let strides = place.strides[..raw.shape().rank()].iter().map(|stride| stride * size).collect();
    let facts = Facts {
        place: id.to_owned(),
        place_name: if id == name { String::new() } else { name.to_owned() },
        strides: (!is_usual).then_some(strides),
    };
    finish(&corners, &facts, &|cells| summarize(raw, cells).ok())
}

/// An array of `ndarray`.
pub(super) fn host(array: AnyView<'_>) -> MimeBundle {
    match array {
        AnyView::Bool(array) => host_bundle(&array),
        AnyView::Int8(array) => host_bundle(&array),
        AnyView::Int16(array) => host_bundle(&array),
        AnyView::Int32(array) => host_bundle(&array),
        AnyView::Int64(array) => host_bundle(&array),
        AnyView::UInt8(array) => host_bundle(&array),
        AnyView::UInt16(array) => host_bundle(&array),
        AnyView::UInt32(array) => host_bundle(&array),
        AnyView::UInt64(array) => host_bundle(&array),
        AnyView::Float16(array) => host_bundle(&array),
        AnyView::Float32(array) => host_bundle(&array),
        AnyView::Float64(array) => host_bundle(&array),
        AnyView::Complex64(array) => host_bundle(&array),
        AnyView::Complex128(array) => host_bundle(&array),
    }
}

fn host_bundle<T: Elem>(array: &ndarray::ArrayViewD<'_, T>) -> MimeBundle {
    let corners = layout::host_corners(array, get_printoptions());
    let size = size_of::<T>() as isize;
    let strides = array.strides().iter().map(|stride| stride * size).collect();
    let facts = Facts {
        place: "ndarray".to_owned(),
        place_name: String::new(),
        strides: (!array.is_standard_layout()).then_some(strides),
    };
    finish(&corners, &facts, &|cells| Some(host_summary(array, cells)))
}

/// The least, the greatest and the sum of a part of an array, as bytes that [`of_parts`] takes.
///
/// # Errors
///
/// If the device reports one.
#[doc(hidden)]
pub fn figures_of_part(raw: &Raw) -> Result<Vec<u8>> {
    let figures = match raw.shape().size() {
        0 => Figures::none(Wide::of(raw.dtype())),
        count => summarize(raw, Cells::new((1, count), (1, 1)))?.all,
    };
    Ok(bytemuck::bytes_of(&figures).to_vec())
}

/// An array that lies in parts in several places, which these words name: what is shown of the whole, and the figures
/// of each part, where they are wanted.
#[doc(hidden)]
pub fn of_parts(corners: &Corners, place: String, parts: String, figures: Option<&[u8]>) -> MimeBundle {
    let facts = Facts { place, place_name: parts, strides: None };
    let wide = Wide::of(corners.dtype);
    let all = figures.map(|figures| {
        let mut all = Figures::none(wide);
        for part in figures.chunks_exact(size_of::<Figures>()) {
            all.add(&bytemuck::pod_read_unaligned(part), wide);
        }
        all
    });
    let cells = Cells::new((1, corners.shape.iter().product()), (1, 1));
    finish(corners, &facts, &|_| Some(Summary::new(corners.dtype, cells, &[all?])))
}

/// The figures of an array of the host: the same pass as on the device.
fn host_summary<T: Elem>(array: &ndarray::ArrayViewD<'_, T>, cells: Cells) -> Summary {
    /// Elements that are put in order at a time, where they do not lie so.
    const BLOCK: usize = 1 << 16;
    let mut figures = vec![Figures::none(Wide::of(T::DTYPE)); cells.count()];
    match array.as_slice() {
        Some(elements) => add_to_cells(&mut figures, &cells, T::DTYPE, 0, T::as_bytes(elements)),
        None => {
            let mut elements = array.iter().copied();
            for start in (0..array.len()).step_by(BLOCK) {
                let block: Vec<T> = elements.by_ref().take(BLOCK).collect();
                add_to_cells(&mut figures, &cells, T::DTYPE, start, T::as_bytes(&block));
            }
        }
    }
    Summary::new(T::DTYPE, cells, &figures)
}

/// The text, and where the front end shows more, a card and a picture.
fn finish(corners: &Corners, facts: &Facts, summarize: &dyn Fn(Cells) -> Option<Summary>) -> MimeBundle {
    let mut text = layout::write(corners, Style::Repr);
    if corners.is_cut() {
        text = format!("{}\n{text}", card::header(corners, facts));
    }
    let bundle = MimeBundle::text(text);
    if !super::is_rich() {
        return bundle;
    }
    // Without figures, after an error of the device say, the rest is shown.
    let summary = card::cells(&corners.shape).and_then(summarize);
    let picture = summary.as_ref().and_then(card::picture);
    let html = card::array(corners, facts, summary.as_ref(), picture.as_ref());
    let bundle = bundle.with("text/html", html);
    match picture {
        Some(picture) => bundle.with("image/svg+xml", picture.svg),
        None => bundle,
    }
}

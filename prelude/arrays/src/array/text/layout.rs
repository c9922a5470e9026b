//! An array as text: NumPy's layout of axes, lines and what is left out.

use gpurepl_kernels::DType;

use super::format::Format;
use super::options::PrintOptions;
use crate::array::Elem;
use crate::array::{Raw, SliceItem, Slices, download};
use crate::error::Result;
use crate::scalar::Scalar;

/// As `print` shows an array, or as a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `[1. 2. 3.]`
    Plain,
    /// `array([1., 2., 3.], dtype=float32)`
    Repr,
}

/// The elements of an array that are shown, in order, how many of each axis they
/// are, and how they are to be written.
#[doc(hidden)]
pub struct Corners {
    pub shape: Vec<usize>,
    pub shown: Vec<usize>,
    pub elements: Vec<Scalar>,
    pub dtype: DType,
    pub options: PrintOptions,
}

impl Corners {
    /// Whether something is left out.
    pub fn is_cut(&self) -> bool {
        self.shape != self.shown
    }
}

/// Writes an array of the device. Only what is shown is copied from there.
pub(crate) fn array(raw: &Raw, style: Style, options: PrintOptions) -> Result<String> {
    Ok(write(&corners(raw, options)?, style))
}

/// Copies what is shown of an array of the device.
pub fn corners(raw: &Raw, options: PrintOptions) -> Result<Corners> {
    let shape = raw.shape().lengths().to_vec();
    let shown = shown_lengths(&shape, &options);
    let mut bytes = Vec::new();
    gather(raw, &shape, &shown, &mut Vec::new(), &mut bytes)?;
    let elements = scalars(raw.dtype(), &bytes);
    Ok(Corners { shape, shown, elements, dtype: raw.dtype(), options })
}

/// What is shown of an array of the host.
pub fn host_corners<T: Elem>(array: &ndarray::ArrayViewD<'_, T>, options: PrintOptions) -> Corners {
    let shape = array.shape().to_vec();
    let shown = shown_lengths(&shape, &options);
    let mut elements = Vec::new();
    let mut place = vec![0; shape.len()];
    let count: usize = shown.iter().product();
    for number in 0..count {
        let mut rest = number;
        for axis in (0..shape.len()).rev() {
            let at = rest % shown[axis];
            rest /= shown[axis];
            place[axis] = if at < shown[axis] / 2 || shown[axis] == shape[axis] {
                at
            } else {
                shape[axis] - (shown[axis] - at)
            };
        }
        elements.push(array[place.as_slice()].to_scalar());
    }
    Corners { shape, shown, elements, dtype: T::DTYPE, options }
}

/// How many elements of each axis are shown.
fn shown_lengths(shape: &[usize], options: &PrintOptions) -> Vec<usize> {
    let is_cut = shape.iter().product::<usize>() > options.threshold;
    // At an edge of none the last element is shown, as NumPy does.
    let most = options.edgeitems.saturating_mul(2).max(1);
    shape.iter().map(|length| if is_cut { (*length).min(most) } else { *length }).collect()
}

/// Copies the corners of an array, in order: whole axes at once where nothing
/// is left out, else the front and the back of an axis one after the other.
fn gather(
    raw: &Raw,
    shape: &[usize],
    shown: &[usize],
    taken: &mut Vec<SliceItem<'_>>,
    bytes: &mut Vec<u8>,
) -> Result<()> {
    let axis = taken.len();
    if shape[axis..] == shown[axis..] {
        bytes.extend(download(&raw.sliced(Slices::new(taken))?)?);
        return Ok(());
    }
    let front = shown[axis] / 2;
    if axis + 1 == shape.len() {
        for part in [0..front, shape[axis] - (shown[axis] - front)..shape[axis]] {
            taken.push(SliceItem::from(part));
            bytes.extend(download(&raw.sliced(Slices::new(taken))?)?);
            taken.pop();
        }
        return Ok(());
    }
    for at in 0..shown[axis] {
        let at = if shown[axis] == shape[axis] || at < front { at } else { shape[axis] - shown[axis] + at };
        taken.push(SliceItem::from(at));
        gather(raw, shape, shown, taken, bytes)?;
        taken.pop();
    }
    Ok(())
}

/// The elements as numbers.
pub fn scalars(dtype: DType, bytes: &[u8]) -> Vec<Scalar> {
    fn read<T: Elem>(bytes: &[u8]) -> Vec<Scalar> {
        T::from_bytes(bytes).into_iter().map(Elem::to_scalar).collect()
    }
    match dtype {
        DType::Bool => read::<bool>(bytes),
        DType::Int8 => read::<i8>(bytes),
        DType::Int16 => read::<i16>(bytes),
        DType::Int32 => read::<i32>(bytes),
        DType::Int64 => read::<i64>(bytes),
        DType::UInt8 => read::<u8>(bytes),
        DType::UInt16 => read::<u16>(bytes),
        DType::UInt32 => read::<u32>(bytes),
        DType::UInt64 => read::<u64>(bytes),
        DType::Float16 => read::<half::f16>(bytes),
        DType::Float32 => read::<f32>(bytes),
        DType::Float64 => read::<f64>(bytes),
        DType::Complex64 => read::<num_complex::Complex32>(bytes),
        DType::Complex128 => read::<num_complex::Complex64>(bytes),
    }
}

/// Writes what is shown of an array.
pub fn write(corners: &Corners, style: Style) -> String {
    match style {
        Style::Plain => elements(corners, "", ""),
        Style::Repr => repr(corners),
    }
}

/// The elements of an array in brackets, as they stand behind a prefix and before
/// a suffix.
fn elements(corners: &Corners, prefix: &str, suffix: &str) -> String {
    if corners.elements.is_empty() {
        return "[]".to_owned();
    }
    let options = &corners.options;
    let format = Format::new(corners.dtype, &corners.elements, !corners.shape.is_empty(), options);
    let usual = if prefix.is_empty() { " " } else { ", " };
    let separator = options.separator.as_deref().unwrap_or(usual);
    let layout = Layout { corners, format, separator };
    let indent = " ".repeat(1 + prefix.len());
    layout.axis(0, 0, &indent, options.linewidth as isize - suffix.len() as isize)
}

/// `array([1., 2., 3.], dtype=float32)`.
fn repr(corners: &Corners) -> String {
    const PREFIX: &str = "array(";
    let text = format!("{PREFIX}{},", elements(corners, PREFIX, ")"));
    let mut extra = format!("dtype={})", corners.dtype.numpy());
    let size: usize = corners.shape.iter().product();
    if size > corners.options.threshold || (size == 0 && corners.shape != [0]) {
        extra = format!("shape={}, {extra}", tuple(&corners.shape));
    }
    let last_line = text.len() - text.rfind('\n').map_or(0, |at| at + 1);
    let fits = last_line + extra.len() < corners.options.linewidth;
    let space = if fits { " ".to_owned() } else { format!("\n{}", " ".repeat(PREFIX.len())) };
    format!("{text}{space}{extra}")
}

/// The only element of an array without axes, where it is a float.
pub fn only_float(corners: &Corners) -> Option<f64> {
    match (&corners.shape[..], &corners.elements[..]) {
        ([], [number]) if corners.dtype.is_float() => Some(number.real().unwrap_or(f64::NAN)),
        _ => None,
    }
}

/// One number alone is written as Rust writes it: `{}` of `a.sum()` is that of
/// its number.
pub fn alone(dtype: DType, value: f64, f: &std::fmt::Formatter<'_>) -> String {
    let sign = if f.sign_plus() && !value.is_sign_negative() { "+" } else { "" };
    match (f.precision(), dtype) {
        (Some(digits), _) => format!("{sign}{value:.digits$}"),
        (None, DType::Float64) => format!("{sign}{value:?}"),
        (None, _) => format!("{sign}{:?}", value as f32),
    }
}

/// A shape as Python writes it: `(3,)`, `(2, 3)`.
fn tuple(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

struct Layout<'a> {
    corners: &'a Corners,
    format: Format,
    separator: &'a str,
}

impl Layout<'_> {
    /// Writes the part of the array from element `start` on, along `axis`.
    fn axis(&self, axis: usize, start: usize, indent: &str, width: isize) -> String {
        let (shape, shown) = (&self.corners.shape, &self.corners.shown);
        if axis == shape.len() {
            return self.format.element(self.corners.elements[start]);
        }
        let step: usize = shown[axis + 1..].iter().product();
        let (inner_indent, inner_width) = (format!("{indent} "), width - 1);
        let part = |k: usize| self.axis(axis + 1, start + k * step, &inner_indent, inner_width);
        // What is left out stands before this one.
        let gap = (shown[axis] < shape[axis]).then_some(shown[axis] / 2);
        let axes_left = shape.len() - axis;
        let mut text = String::new();
        if axes_left == 1 {
            let room = width - self.separator.trim_end().len().max(1) as isize;
            let mut line = indent.to_owned();
            for k in 0..shown[axis] {
                if gap == Some(k) {
                    extend(&mut text, &mut line, "...", room, indent);
                    line.push_str(self.separator);
                }
                extend(&mut text, &mut line, &part(k), room, indent);
                if k + 1 < shown[axis] {
                    line.push_str(self.separator);
                }
            }
            text.push_str(&line);
        } else {
            let between = format!("{}{}", self.separator.trim_end(), "\n".repeat(axes_left - 1));
            for k in 0..shown[axis] {
                if gap == Some(k) {
                    text.push_str(&format!("{indent}...{between}"));
                }
                text.push_str(indent);
                text.push_str(&part(k));
                if k + 1 < shown[axis] {
                    text.push_str(&between);
                }
            }
        }
        format!("[{}]", &text[indent.len()..])
    }
}

/// Adds a word to a line, or to the next one if it has no room.
fn extend(text: &mut String, line: &mut String, word: &str, room: isize, indent: &str) {
    if (line.chars().count() + word.chars().count()) as isize > room && line.len() > indent.len() {
        text.push_str(line.trim_end());
        text.push('\n');
        line.clear();
        line.push_str(indent);
    }
    line.push_str(word);
}

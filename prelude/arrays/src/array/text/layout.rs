//! An array as text: NumPy's layout of axes, lines and what is left out.

use gpurepl_kernels::DType;

use super::format::Format;
use crate::array::Elem;
use crate::array::{Raw, SliceItem, Slices, download};
use crate::error::Result;
use crate::scalar::Scalar;

/// Arrays with more elements than this are shown by their corners.
const THRESHOLD: usize = 1000;

/// Elements kept at each end of an axis then.
pub const EDGE: usize = 3;

/// Characters of a line.
const LINE: usize = 75;

/// As `print` shows an array, or as a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `[1. 2. 3.]`, perhaps with so many digits after the point.
    Plain(Option<usize>),
    /// `array([1., 2., 3.], dtype=float32)`
    Repr,
}

/// The elements of an array that are shown, in order, and how many of each
/// axis they are.
#[doc(hidden)]
pub struct Corners {
    pub shape: Vec<usize>,
    pub shown: Vec<usize>,
    pub elements: Vec<Scalar>,
    pub dtype: DType,
}

impl Corners {
    /// Whether something is left out.
    pub fn is_cut(&self) -> bool {
        self.shape != self.shown
    }
}

/// Writes an array of the device. Only what is shown is copied from there.
pub(crate) fn array(raw: &Raw, style: Style) -> Result<String> {
    Ok(write(&corners(raw)?, style))
}

/// Copies what is shown of an array of the device.
pub fn corners(raw: &Raw) -> Result<Corners> {
    let shape = raw.shape().lengths().to_vec();
    let shown = shown_lengths(&shape);
    let mut bytes = Vec::new();
    gather(raw, &shape, &shown, &mut Vec::new(), &mut bytes)?;
    let elements = scalars(raw.dtype(), &bytes);
    Ok(Corners { shape, shown, elements, dtype: raw.dtype() })
}

/// What is shown of an array of the host.
pub fn host_corners<T: Elem>(array: &ndarray::ArrayViewD<'_, T>) -> Corners {
    let shape = array.shape().to_vec();
    let shown = shown_lengths(&shape);
    let mut elements = Vec::new();
    let mut place = vec![0; shape.len()];
    let count: usize = shown.iter().product();
    for number in 0..count {
        let mut rest = number;
        for axis in (0..shape.len()).rev() {
            let at = rest % shown[axis];
            rest /= shown[axis];
            place[axis] = if at < shown[axis].div_ceil(2) || shown[axis] == shape[axis] {
                at
            } else {
                shape[axis] - (shown[axis] - at)
            };
        }
        elements.push(array[place.as_slice()].to_scalar());
    }
    Corners { shape, shown, elements, dtype: T::DTYPE }
}

/// How many elements of each axis are shown.
fn shown_lengths(shape: &[usize]) -> Vec<usize> {
    let is_cut = shape.iter().product::<usize>() > THRESHOLD;
    shape.iter().map(|length| if is_cut { (*length).min(2 * EDGE) } else { *length }).collect()
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
    if axis + 1 == shape.len() {
        for part in [0..EDGE, shape[axis] - EDGE..shape[axis]] {
            taken.push(SliceItem::from(part));
            bytes.extend(download(&raw.sliced(Slices::new(taken))?)?);
            taken.pop();
        }
        return Ok(());
    }
    for at in 0..shown[axis] {
        let at = if shown[axis] == shape[axis] || at < EDGE { at } else { shape[axis] - shown[axis] + at };
        taken.push(SliceItem::from(at));
        gather(raw, shape, shown, taken, bytes)?;
        taken.pop();
    }
    Ok(())
}

fn scalars(dtype: DType, bytes: &[u8]) -> Vec<Scalar> {
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
    let (prefix, separator) = match style {
        Style::Plain(_) => ("", " "),
        Style::Repr => ("array(", ", "),
    };
    let suffix = if style == Style::Repr { 1 } else { 0 };
    let is_empty = corners.elements.is_empty();
    let fixed = if let Style::Plain(fixed) = style { fixed } else { None };
    if let (Style::Plain(_), [], [number]) = (style, &corners.shape[..], &corners.elements[..])
        && corners.dtype.is_float()
    {
        return alone(corners.dtype, number.real().unwrap_or(f64::NAN), fixed);
    }
    let text = if is_empty {
        "[]".to_owned()
    } else {
        let format = Format::new(corners.dtype, &corners.elements, !corners.shape.is_empty(), fixed);
        let layout = Layout { corners, format, separator };
        let indent = " ".repeat(1 + prefix.len());
        layout.axis(0, 0, &indent, LINE - suffix)
    };
    match style {
        Style::Plain(_) => text.trim().to_owned(),
        Style::Repr => {
            let text = format!("{prefix}{text}");
            let mut extra = format!("dtype={})", corners.dtype.numpy());
            if corners.is_cut() || (is_empty && corners.shape != [0]) {
                extra = format!("shape={}, {extra}", tuple(&corners.shape));
            }
            let last_line = text.len() - text.rfind('\n').map_or(0, |at| at + 1);
            let fits = last_line + extra.len() + 2 <= LINE;
            let space = if fits { " ".to_owned() } else { format!("\n{}", " ".repeat(prefix.len())) };
            format!("{text},{space}{extra}")
        }
    }
}

/// One number alone is written as Rust writes it: `{}` of `a.sum()` is that of
/// its number.
fn alone(dtype: DType, value: f64, fixed: Option<usize>) -> String {
    match (fixed, dtype) {
        (Some(digits), _) => format!("{value:.digits$}"),
        (None, DType::Float64) => format!("{value:?}"),
        (None, _) => format!("{:?}", value as f32),
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
    fn axis(&self, axis: usize, start: usize, indent: &str, width: usize) -> String {
        let (shape, shown) = (&self.corners.shape, &self.corners.shown);
        if axis == shape.len() {
            return self.format.element(self.corners.elements[start]);
        }
        let is_cut = shown[axis] < shape[axis];
        let step: usize = shown[axis + 1..].iter().product();
        let (inner_indent, inner_width) = (format!("{indent} "), width - 1);
        let part = |k: usize| self.axis(axis + 1, start + k * step, &inner_indent, inner_width);
        let axes_left = shape.len() - axis;
        let mut text = String::new();
        if axes_left == 1 {
            let room = width - self.separator.trim_end().len().max(1);
            let mut line = indent.to_owned();
            for k in 0..shown[axis] {
                if is_cut && k == EDGE {
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
                if is_cut && k == EDGE {
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
fn extend(text: &mut String, line: &mut String, word: &str, room: usize, indent: &str) {
    if line.len() + word.len() > room && line.len() > indent.len() {
        text.push_str(line.trim_end());
        text.push('\n');
        line.clear();
        line.push_str(indent);
    }
    line.push_str(word);
}

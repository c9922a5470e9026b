//! How sparse matrices are written and shown.

use std::fmt;

use gpurepl_display::{MimeBundle, Table, escape};
use gpurepl_extend::{DType, Result};
use num_complex::Complex;

use crate::triplets::Triplets;

/// So many elements are written at either end of a longer list.
const ENDS: usize = 5;

/// The format, the type, the shape and the number of elements, and some of them with their places, as SciPy does.
pub(crate) fn write(format: &str, matrix: &Triplets, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(&text(format, matrix, &ends(matrix).map_err(|_| fmt::Error)?))
}

/// The same, and a table of elements for notebooks.
pub(crate) fn rendered(format: &str, matrix: &Triplets) -> Result<MimeBundle> {
    let shown = ends(matrix)?;
    let bundle = MimeBundle::text(text(format, matrix, &shown));
    if shown.is_empty() || !gpurepl_display::is_rich() {
        return Ok(bundle);
    }
    let column = |name: &str, of: &dyn Fn(&Element) -> String| {
        (name.to_owned(), shown.iter().map(of).collect::<Vec<String>>())
    };
    let columns = vec![
        column("row", &|(row, ..)| row.to_string()),
        column("column", &|(_, column, _)| column.to_string()),
        column("value", &|(.., value)| value.clone()),
    ];
    let table = Table::of_ends(columns, matrix.values.size()).to_html();
    Ok(bundle.with("text/html", format!("<div>{}{table}</div>", escape(&head(format, matrix)))))
}

/// A row, a column, and a value as it is written.
type Element = (u32, u32, String);

fn head(format: &str, matrix: &Triplets) -> String {
    let [rows, columns] = matrix.shape;
    let (dtype, count) = (matrix.values.dtype(), matrix.values.size());
    let plural = if count == 1 { "" } else { "s" };
    format!("{format}({dtype}, shape [{rows}, {columns}], {count} stored element{plural})")
}

fn text(format: &str, matrix: &Triplets, shown: &[Element]) -> String {
    let mut text = head(format, matrix);
    for (number, (row, column, value)) in shown.iter().enumerate() {
        if number == ENDS && shown.len() < matrix.values.size() {
            text += "\n  ...";
        }
        text += &format!("\n  ({row}, {column})  {value}");
    }
    text
}

/// All elements, or the first and the last ones of many.
fn ends(matrix: &Triplets) -> Result<Vec<Element>> {
    let count = matrix.values.size();
    if count <= 2 * ENDS {
        return elements(matrix, 0..count);
    }
    let mut shown = elements(matrix, 0..ENDS)?;
    shown.extend(elements(matrix, count - ENDS..count)?);
    Ok(shown)
}

fn elements(matrix: &Triplets, range: std::ops::Range<usize>) -> Result<Vec<Element>> {
    let (start, length) = (range.start, range.len());
    let places = |array: &gpurepl_extend::AnyArray| -> Result<Vec<u32>> {
        let bytes = array.narrowed(0, start, length)?.contiguous()?.to_host()?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    };
    let values = matrix.values.narrowed(0, start, length)?.contiguous()?.to_host()?;
    let values: Vec<String> = match matrix.values.dtype() {
        DType::Float32 => {
            bytemuck::pod_collect_to_vec::<u8, f32>(&values).iter().map(|x| format!("{x:?}")).collect()
        }
        DType::Complex64 => bytemuck::pod_collect_to_vec::<u8, Complex<f32>>(&values)
            .iter()
            .map(|z| complex(z.re, z.im))
            .collect(),
        DType::Complex128 => bytemuck::pod_collect_to_vec::<u8, Complex<f64>>(&values)
            .iter()
            .map(|z| complex(z.re, z.im))
            .collect(),
        _ => bytemuck::pod_collect_to_vec::<u8, f64>(&values).iter().map(|x| format!("{x:?}")).collect(),
    };
    let (rows, columns) = (places(&matrix.rows)?, places(&matrix.columns)?);
    Ok(rows.into_iter().zip(columns).zip(values).map(|((row, column), value)| (row, column, value)).collect())
}

fn complex(re: impl fmt::Debug, im: impl fmt::Debug + PartialOrd + Default + Copy) -> String {
    let im = format!("{im:?}");
    let sign = if im.starts_with('-') { "" } else { "+" };
    format!("{re:?}{sign}{im}i")
}

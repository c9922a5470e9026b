//! A matrix as text: what `MatView` prints of this process's rows.

use std::fmt::{self, Write as _};

use gpurepl_extend::Result;

use super::Matrix;
use crate::text::{header, number};

/// So many rows are shown, of more the first and the last few.
const FULL: usize = 100;
const EDGE: usize = 3;

impl fmt::Display for Matrix {
    /// The rows of this process, in PETSc's words. [`Matrix::view`] shows those of all.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match text(self) {
            Ok(text) => f.write_str(&text),
            Err(error) => write!(f, "Mat Object: {error}"),
        }
    }
}

impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn text(matrix: &Matrix) -> Result<String> {
    let [rows, columns] = matrix.size()?;
    let mut text = header("Mat", matrix.0.petsc, &matrix.type_name()?);
    let _ = write!(text, "\n  rows={rows}, cols={columns}");
    let range = matrix.ownership_range()?;
    let is_cut = range.len() > FULL;
    for row in range.clone() {
        if is_cut && (range.start + EDGE..range.end - EDGE).contains(&row) {
            if row == range.start + EDGE {
                text.push_str("\n...");
            }
            continue;
        }
        let (columns, values) = matrix.get_row(row)?;
        let _ = write!(text, "\nrow {row}:");
        for (column, value) in columns.iter().zip(values) {
            let _ = write!(text, " ({column}, {})", number(value));
        }
    }
    Ok(text)
}

//! Matrices in files of the Matrix Market: Boisvert, Pozo and Remington, The Matrix Market Exchange Formats (1996).

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::Path;

use gpurepl_extend::{AnyArray, DType, Result, error, interrupt};

use crate::Csr;
use crate::entry::returned;
use crate::factor::SparseMatrix;
use crate::number::{Arithmetic, Field};
use crate::triplets::Triplets;

/// Reads a matrix from a Matrix Market file: `scipy.io.mmread`. Coordinates and arrays, real, integer, complex and
/// pattern, general, symmetric, skew-symmetric and Hermitian.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = sparse::diags([3, 3], &[(0, 2.0), (1, -1.0)])?.to_csr();
/// let file = std::env::temp_dir().join(format!("{}.mtx", std::process::id()));
/// sparse::mmwrite(&file, &a)?;
/// assert_eq!(sparse::mmread::<f64>(&file)?.to_dense().to_vec(), a.to_dense().to_vec());
/// # std::fs::remove_file(file).unwrap();
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the file cannot be read, its text is no such matrix (with the line), or it has complex numbers and `T` is real.
pub fn mmread<T: Field>(path: impl AsRef<Path>) -> Result<Csr<T>> {
    returned(|| {
        let path = path.as_ref();
        let file = std::fs::File::open(path).map_err(|fault| error::io("mmread", path, fault))?;
        let mut reader = Reader { lines: BufReader::new(file), bytes: Vec::new(), number: 0, path };
        let (shape, entries) = reader.matrix::<T>()?;
        // A symmetric matrix has more of them than its file.
        let count = entries.len();
        crate::compressed::check_counts("mmread", shape, count)?;
        let (mut rows, mut columns, mut values) =
            (Vec::with_capacity(count), Vec::with_capacity(count), Vec::with_capacity(count));
        for (row, column, value) in entries {
            rows.push(row);
            columns.push(column);
            values.push(value);
        }
        let of = |places: &[u32]| AnyArray::from_host(count, DType::UInt32, bytemuck::cast_slice(places));
        let values = AnyArray::from_host(count, T::DTYPE, bytemuck::cast_slice(&values))?;
        let triplets = Triplets { shape, rows: of(&rows)?, columns: of(&columns)?, values };
        triplets.compressed(true).map(Csr::of)
    })
}

/// Writes a matrix to a Matrix Market file: `scipy.io.mmwrite`. Numbers are written with as many digits as they need
/// to be read back.
///
/// # Errors
///
/// If the file cannot be written.
pub fn mmwrite<T: Field>(path: impl AsRef<Path>, matrix: &impl SparseMatrix<T>) -> Result<()> {
    returned(|| {
        let path = path.as_ref();
        let matrix = Csr::<T>::of(matrix.by_rows()?);
        let [rows, columns] = matrix.shape();
        let all = matrix.to_coo();
        let (row, column, values) = (all.row().to_vec(), all.col().to_vec(), all.data().to_vec());
        let is_complex = T::DTYPE.is_complex();
        let field = if is_complex { "complex" } else { "real" };
        let mut text =
            format!("%%MatrixMarket matrix coordinate {field} general\n{rows} {columns} {}\n", values.len());
        let is_single = matches!(T::DTYPE, DType::Float32 | DType::Complex64);
        for ((row, column), value) in row.into_iter().zip(column).zip(values) {
            let _ = write!(text, "{} {}", row + 1, column + 1);
            for part in [value.real(), value.imaginary()].into_iter().take(1 + usize::from(is_complex)) {
                let _ =
                    if is_single { write!(text, " {:e}", part as f32) } else { write!(text, " {part:e}") };
            }
            text.push('\n');
        }
        std::fs::write(path, text).map_err(|fault| error::io("mmwrite", path, fault))
    })
}

struct Reader<'a> {
    lines: BufReader<std::fs::File>,
    bytes: Vec<u8>,
    number: usize,
    path: &'a Path,
}

#[derive(Clone, Copy, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
    Hermitian,
}

#[derive(Clone, Copy, PartialEq)]
enum Numbers {
    Real,
    Complex,
    Pattern,
}

type Entries<T> = Vec<(u32, u32, T)>;

impl Reader<'_> {
    fn wrong(&self, message: &str) -> gpurepl_extend::Error {
        let message = format!("{}, line {}: {message}", self.path.display(), self.number);
        error::invalid("mmread", message)
    }

    /// The next line. Old files have comments in other encodings than UTF-8.
    fn read(&mut self, line: &mut String) -> Result<bool> {
        self.bytes.clear();
        let count = self
            .lines
            .read_until(b'\n', &mut self.bytes)
            .map_err(|fault| error::io("mmread", self.path, fault))?;
        line.clear();
        line.push_str(&String::from_utf8_lossy(&self.bytes));
        Ok(count > 0)
    }

    /// The next line that is neither empty nor a comment.
    fn line(&mut self, line: &mut String) -> Result<bool> {
        loop {
            if !self.read(line)? {
                return Ok(false);
            }
            self.number += 1;
            if self.number.is_multiple_of(1 << 16) {
                interrupt::check()?;
            }
            let text = line.trim();
            if !text.is_empty() && !text.starts_with('%') {
                return Ok(true);
            }
        }
    }

    fn head(&mut self) -> Result<(bool, Numbers, Symmetry)> {
        let mut line = String::new();
        self.read(&mut line)?;
        self.number = 1;
        let words: Vec<String> = line.split_whitespace().map(str::to_ascii_lowercase).collect();
        let [banner, object, format, field, symmetry] = &words[..] else {
            return Err(self.wrong(
                "the first line must be `%%MatrixMarket matrix coordinate real general`, or with others of these words",
            ));
        };
        if banner != "%%matrixmarket" || object != "matrix" {
            return Err(self.wrong("no matrix: the line must begin with `%%MatrixMarket matrix`"));
        }
        let is_list = match format.as_str() {
            "coordinate" => true,
            "array" => false,
            other => {
                return Err(self.wrong(&format!("`{other}` is not a format; it must be coordinate or array")));
            }
        };
        let numbers = match field.as_str() {
            "real" | "double" | "integer" | "unsigned-integer" => Numbers::Real,
            "complex" => Numbers::Complex,
            "pattern" if is_list => Numbers::Pattern,
            "pattern" => {
                let message = "an array has all of its elements, and no pattern; its field must be real, integer or complex";
                return Err(self.wrong(message));
            }
            other => {
                let message =
                    format!("`{other}` is not a field; it must be real, integer, complex or pattern");
                return Err(self.wrong(&message));
            }
        };
        let symmetry = match symmetry.as_str() {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            "skew-symmetric" => Symmetry::Skew,
            "hermitian" => Symmetry::Hermitian,
            other => {
                let message = format!(
                    "`{other}` is not a symmetry; it must be general, symmetric, skew-symmetric or hermitian"
                );
                return Err(self.wrong(&message));
            }
        };
        Ok((is_list, numbers, symmetry))
    }

    fn matrix<T: Field>(&mut self) -> Result<([usize; 2], Entries<T>)> {
        let (is_list, numbers, symmetry) = self.head()?;
        if numbers == Numbers::Complex && !T::DTYPE.is_complex() {
            let message = "the matrix has complex numbers: read it by `mmread::<Complex<f64>>`";
            return Err(error::dtype("mmread", message.to_owned()));
        }
        let mut line = String::new();
        if !self.line(&mut line)? {
            return Err(self.wrong("the line of sizes is missing"));
        }
        let sizes: Option<Vec<usize>> = line.split_whitespace().map(|word| word.parse().ok()).collect();
        let (shape, count) = match (sizes.as_deref(), is_list) {
            (Some(&[rows, columns, count]), true) => ([rows, columns], Some(count)),
            (Some(&[rows, columns]), false) => ([rows, columns], None),
            _ => {
                let wanted =
                    if is_list { "rows, columns and the number of entries" } else { "rows and columns" };
                return Err(self.wrong(&format!("the line of sizes must have {wanted}")));
            }
        };
        crate::compressed::check_counts("mmread", shape, count.unwrap_or(0))?;
        if symmetry != Symmetry::General && shape[0] != shape[1] {
            return Err(self.wrong("a symmetric matrix must have as many rows as columns"));
        }
        let mut entries = Vec::with_capacity(count.unwrap_or(0).min(1 << 24));
        match count {
            Some(count) => self.list(&mut entries, shape, count, numbers, symmetry)?,
            None => self.array(&mut entries, shape, numbers, symmetry)?,
        }
        if self.line(&mut line)? {
            return Err(self.wrong("there is more text behind the last entry"));
        }
        Ok((shape, entries))
    }

    fn list<T: Field>(
        &mut self,
        entries: &mut Entries<T>,
        [rows, columns]: [usize; 2],
        count: usize,
        numbers: Numbers,
        symmetry: Symmetry,
    ) -> Result<()> {
        let mut line = String::new();
        for found in 0..count {
            if !self.line(&mut line)? {
                return Err(self.wrong(&format!("the file ends after {found} of {count} entries")));
            }
            let mut words = line.split_whitespace();
            let mut place = |length: usize| {
                let place = words.next()?.parse::<usize>().ok()?;
                (1..=length).contains(&place).then(|| place - 1)
            };
            let (Some(row), Some(column)) = (place(rows), place(columns)) else {
                let message =
                    format!("an entry must begin with its row, 1 to {rows}, and column, 1 to {columns}");
                return Err(self.wrong(&message));
            };
            let value = number::<T>(&mut words, numbers).filter(|_| words.next().is_none());
            let Some(value) = value else { return Err(self.wrong("the entry's value is not a number")) };
            push(entries, row, column, value, symmetry);
        }
        Ok(())
    }

    /// All elements, column by column; of a symmetric matrix those on and below the diagonal.
    fn array<T: Field>(
        &mut self,
        entries: &mut Entries<T>,
        [rows, columns]: [usize; 2],
        numbers: Numbers,
        symmetry: Symmetry,
    ) -> Result<()> {
        let mut line = String::new();
        for column in 0..columns {
            let first = match symmetry {
                Symmetry::General => 0,
                Symmetry::Symmetric | Symmetry::Hermitian => column,
                Symmetry::Skew => column + 1,
            };
            for row in first..rows {
                if !self.line(&mut line)? {
                    return Err(self.wrong("the file ends before the last element"));
                }
                let mut words = line.split_whitespace();
                let value = number::<T>(&mut words, numbers).filter(|_| words.next().is_none());
                let Some(value) = value else { return Err(self.wrong("the element is not a number")) };
                if value != T::ZERO {
                    push(entries, row, column, value, symmetry);
                }
            }
        }
        Ok(())
    }
}

fn number<T: Arithmetic>(words: &mut std::str::SplitWhitespace<'_>, numbers: Numbers) -> Option<T> {
    let mut part = || words.next()?.parse::<f64>().ok();
    Some(match numbers {
        Numbers::Pattern => T::ONE,
        Numbers::Real => T::of_parts(part()?, 0.0),
        Numbers::Complex => T::of_parts(part()?, part()?),
    })
}

fn push<T: Arithmetic>(entries: &mut Entries<T>, row: usize, column: usize, value: T, symmetry: Symmetry) {
    let (row, column) = (row as u32, column as u32);
    entries.push((row, column, value));
    if row == column {
        return;
    }
    match symmetry {
        Symmetry::General => {}
        Symmetry::Symmetric => entries.push((column, row, value)),
        Symmetry::Skew => entries.push((column, row, -value)),
        Symmetry::Hermitian => entries.push((column, row, value.conjugate())),
    }
}

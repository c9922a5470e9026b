//! A matrix that is put together entry by entry.

use gpurepl_extend::{Result, error};

use super::Matrix;

/// The entries of a matrix, until it is assembled: what a program does by `MatSetValues`.
///
/// PETSc's matrix is there once it has been assembled, so that nothing else can be done with one that is not.
///
/// ```
/// use gpurepl_prelude::*;
/// # if std::env::var_os("GPUREPL_TEST_PETSC").is_none() { return Ok(()) }
/// let n = 4;
/// let mut entries = petsc::MatrixBuilder::new([n, n])?;
/// for i in entries.local_rows() {
///     entries.add(i, i, 2.0)?;
///     if i > 0 {
///         entries.add(i, i - 1, -1.0)?;
///     }
/// }
/// let matrix = entries.assemble()?;
/// assert_eq!(matrix.nnz()?, 7);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MatrixBuilder {
    shape: [usize; 2],
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
    local: std::ops::Range<usize>,
}

impl MatrixBuilder {
    /// No entries yet of a matrix of so many rows and columns.
    ///
    /// # Errors
    ///
    /// If PETSc is not there.
    pub fn new(shape: [usize; 2]) -> Result<MatrixBuilder> {
        let local = crate::ownership_range(shape[0])?;
        Ok(MatrixBuilder { shape, rows: Vec::new(), columns: Vec::new(), values: Vec::new(), local })
    }

    /// The rows that this process will have. Entries of others may be added as well, and are sent to them.
    pub fn local_rows(&self) -> std::ops::Range<usize> {
        self.local.clone()
    }

    /// Adds a value to an entry.
    ///
    /// # Errors
    ///
    /// If it is out of bounds.
    pub fn add(&mut self, row: usize, column: usize, value: f64) -> Result<()> {
        let [rows, columns] = self.shape;
        if row >= rows || column >= columns {
            let message =
                format!("entry ({row}, {column}) is out of bounds for a matrix of shape {:?}", self.shape);
            return Err(error::invalid("add", message));
        }
        self.rows.push(row);
        self.columns.push(column);
        self.values.push(value);
        Ok(())
    }

    /// The matrix, which all processes make together: `MatAssemblyBegin` and `MatAssemblyEnd`.
    ///
    /// # Errors
    ///
    /// If PETSc has no room.
    pub fn assemble(self) -> Result<Matrix> {
        super::assembled("assemble", [None, None], self.shape, &self.rows, &self.columns, &self.values)
    }
}

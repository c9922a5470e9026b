//! Sparse matrices whose rows are spread over processes.

mod builder;
mod text;

use std::ffi::c_int;
use std::ops::Range;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use gpurepl_extend::{Result, error};

pub use builder::MatrixBuilder;

use crate::library::{
    DECIDE, Functions, GLOBAL_SUM, INSERT_VALUES, IntOut, NORM_1, NORM_FROBENIUS, NORM_INFINITY, Object,
    Petsc, petsc,
};
use crate::vector::{Handle, Vector, kind};

/// A sparse matrix of `f64`, by rows, of which each process has some: PETSc's `Mat` of type `aij`. A clone is another
/// handle to the same matrix.
///
/// All processes call the same methods in the same order, except those that say that they are for one process alone.
///
/// ```
/// use gpurepl_prelude::*;
/// # if std::env::var_os("GPUREPL_TEST_PETSC").is_none() { return Ok(()) }
/// let a = petsc::Matrix::from_triplets([2, 2], &[0, 1, 1], &[0, 0, 1], &[2.0, 1.0, 3.0])?;
/// let x = petsc::Vector::from_array(&[1.0, 2.0])?;
/// assert_eq!(a.mult(&x)?.to_vec()?, [2.0, 7.0]);
/// assert_eq!(a.mult_transpose(&x)?.to_vec()?, [4.0, 6.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Matrix(Arc<MatrixHandle>);

pub(crate) struct MatrixHandle {
    pub(crate) petsc: &'static Petsc,
    pub(crate) object: Object,
}

// SAFETY: PETSc's object is used through `Petsc::call` alone, by one thread at a time; nothing in it belongs to a thread.
unsafe impl Send for MatrixHandle {}

// SAFETY: as above.
unsafe impl Sync for MatrixHandle {}

impl Drop for MatrixHandle {
    fn drop(&mut self) {
        let mut object = self.object;
        // SAFETY: the object is this handle's, and nobody uses it after this.
        self.petsc.call_at_drop(|f| unsafe { (f.mat_destroy)(&raw mut object) });
    }
}

impl Matrix {
    /// A matrix by the places and values of its entries, wherever they belong: each process gives as many as it likes.
    /// Values for one place are added up.
    ///
    /// # Errors
    ///
    /// If there are not as many of each, an index is out of bounds, PETSc is not there or has no room.
    pub fn from_triplets(
        shape: [usize; 2],
        rows: &[usize],
        columns: &[usize],
        values: &[f64],
    ) -> Result<Matrix> {
        check_counts("from_triplets", "rows, columns and values", rows.len(), columns.len(), values.len())?;
        let outside =
            rows.iter().zip(columns).find(|(row, column)| **row >= shape[0] || **column >= shape[1]);
        if let Some((row, column)) = outside {
            let message = format!("entry ({row}, {column}) is out of bounds for a matrix of shape {shape:?}");
            return Err(error::invalid("from_triplets", message));
        }
        assembled("from_triplets", [None, None], shape, rows, columns, values)
    }

    /// A matrix of which each process gives its own rows, in compressed form, as SciPy's `csr_array` has them: row `i` of
    /// this process has the entries `offsets[i]..offsets[i + 1]` of `indices` and `values`. `columns` is the number of
    /// columns of the whole matrix; its rows are those of all processes, in their order.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// # if std::env::var_os("GPUREPL_TEST_PETSC").is_none() { return Ok(()) }
    /// let a = petsc::Matrix::from_csr(3, &[0, 1, 3], &[0, 1, 2], &[1.0, 2.0, 3.0])?;
    /// assert_eq!((a.size()?, a.get_row(1)?), ([2, 3], (vec![1, 2], vec![2.0, 3.0])));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the offsets do not rise from 0 to the number of entries, an index is out of bounds, PETSc is not there or
    /// has no room.
    pub fn from_csr(columns: usize, offsets: &[usize], indices: &[usize], values: &[f64]) -> Result<Matrix> {
        let invalid = |message: String| Err(error::invalid("from_csr", message));
        check_counts("from_csr", "indices, indices and values", indices.len(), indices.len(), values.len())?;
        let is_rising = offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        if offsets.first() != Some(&0) || offsets.last() != Some(&indices.len()) || !is_rising {
            return invalid(format!(
                "the offsets must rise from 0 to the number of entries, {}, one more than there are rows",
                indices.len()
            ));
        }
        if let Some(index) = indices.iter().find(|index| **index >= columns) {
            return invalid(format!("column {index} is out of bounds for a matrix of {columns} columns"));
        }
        let rows = offsets.len() - 1;
        // Where the rows of this process begin: PETSc adds up those before.
        let layout = Vector::with_local_size(rows)?;
        let (first, all) = (layout.ownership_range()?.start, layout.size()?);
        let of_entry =
            (0..rows).flat_map(|row| std::iter::repeat_n(first + row, offsets[row + 1] - offsets[row]));
        let of_entry: Vec<usize> = of_entry.collect();
        // A square matrix has its columns where its rows are: that is what a diagonal and a solver need.
        let own_columns = (all == columns).then_some(rows);
        assembled("from_csr", [Some(rows), own_columns], [all, columns], &of_entry, indices, values)
    }

    /// The numbers of rows and columns.
    ///
    /// # Errors
    ///
    /// If PETSc is over.
    pub fn size(&self) -> Result<[usize; 2]> {
        self.pair("size", |f| f.mat_size)
    }

    /// The numbers of rows of this process, and of the elements of a vector that it has to have to be multiplied.
    ///
    /// # Errors
    ///
    /// If PETSc is over.
    pub fn local_size(&self) -> Result<[usize; 2]> {
        self.pair("local_size", |f| f.mat_local_size)
    }

    /// The rows of this process.
    ///
    /// # Errors
    ///
    /// If PETSc is over.
    pub fn ownership_range(&self) -> Result<Range<usize>> {
        self.pair("ownership_range", |f| f.mat_range).map(|[first, end]| first..end)
    }

    /// What PETSc calls its type: `seqaij`, `mpiaij`, `seqaijcusparse`, `mpiaijcusparse`.
    ///
    /// # Errors
    ///
    /// If PETSc is over.
    pub fn type_name(&self) -> Result<String> {
        // SAFETY: the object lives; PETSc writes a pointer there.
        self.0.petsc.name_of("type_name", |f, name| unsafe { (f.mat_type)(self.0.object, name) })
    }

    /// The number of stored entries of all processes.
    ///
    /// # Errors
    ///
    /// If PETSc is over.
    pub fn nnz(&self) -> Result<usize> {
        /// `MatInfo` has ten numbers; the third says how many entries are used.
        const FIELDS: usize = 32;
        let mut info = [0.0; FIELDS];
        // SAFETY: the object lives; PETSc writes a `MatInfo` there, which is smaller.
        self.call("nnz", |f, a| unsafe { (f.mat_info)(a, GLOBAL_SUM, info.as_mut_ptr()) })?;
        Ok(info[2] as usize)
    }

    /// The product with a vector: `MatMult`.
    ///
    /// # Errors
    ///
    /// If the vector does not have as many elements as the matrix has columns, on each process, or is lent to an array
    /// that may write it.
    pub fn mult(&self, x: &Vector) -> Result<Vector> {
        let mut y = self.left_vector("mult")?;
        self.mult_into(x, &mut y)?;
        Ok(y)
    }

    /// The product with a vector, into one that is there.
    ///
    /// # Errors
    ///
    /// As [`Matrix::mult`], or if the result does not have as many elements as the matrix has rows, or is lent to an
    /// array.
    pub fn mult_into(&self, x: &Vector, y: &mut Vector) -> Result<()> {
        self.check("mult", x, y, [1, 0])?;
        // SAFETY: the objects live, and the vectors are two.
        self.call("mult", |f, a| unsafe { (f.mat_mult)(a, x.handle().object, y.handle().object) })
    }

    /// The product of the transposed matrix with a vector: `MatMultTranspose`.
    ///
    /// # Errors
    ///
    /// If the vector does not have as many elements as the matrix has rows, on each process, or is lent to an array that
    /// may write it.
    pub fn mult_transpose(&self, x: &Vector) -> Result<Vector> {
        let mut y = self.right_vector("mult_transpose")?;
        self.mult_transpose_into(x, &mut y)?;
        Ok(y)
    }

    /// The product of the transposed matrix with a vector, into one that is there.
    ///
    /// # Errors
    ///
    /// As [`Matrix::mult_transpose`] and [`Matrix::mult_into`].
    pub fn mult_transpose_into(&self, x: &Vector, y: &mut Vector) -> Result<()> {
        self.check("mult_transpose", x, y, [0, 1])?;
        // SAFETY: as above.
        self.call("mult_transpose", |f, a| unsafe {
            (f.mat_mult_transpose)(a, x.handle().object, y.handle().object)
        })
    }

    /// The entries of the diagonal: `MatGetDiagonal`.
    ///
    /// # Errors
    ///
    /// If PETSc has no room.
    pub fn diagonal(&self) -> Result<Vector> {
        let diagonal = self.left_vector("diagonal")?;
        // SAFETY: both objects live, and the vector has as many elements as the matrix has rows.
        self.call("diagonal", |f, a| unsafe { (f.mat_diagonal)(a, diagonal.handle().object) })?;
        Ok(diagonal)
    }

    /// The columns and the values of a row's entries. The row must be this process's. For one process alone.
    ///
    /// # Errors
    ///
    /// If the row lies on another process or is out of bounds.
    pub fn get_row(&self, row: usize) -> Result<(Vec<usize>, Vec<f64>)> {
        let range = self.ownership_range()?;
        if !range.contains(&row) {
            let [rows, _] = self.size()?;
            let message = if row < rows {
                format!("row {row} lies on another process, this one has {range:?}; ask where it lies")
            } else {
                format!("row {row} is out of bounds for a matrix of {rows} rows")
            };
            return Err(error::invalid("get_row", message));
        }
        let petsc = self.0.petsc;
        let number = petsc.int("get_row", row)?;
        let (mut count, mut columns, mut values) = (IntOut::default(), null(), null());
        // SAFETY: the object lives and has the row; PETSc writes a number and two addresses.
        self.call("get_row", |f, a| unsafe {
            (f.mat_row)(a, number, &raw mut count, &raw mut columns, &raw mut values)
        })?;
        let length = petsc.size_of(count);
        // SAFETY: until the row is restored, so many indices and values lie there.
        let row = unsafe {
            let values =
                if length == 0 { Vec::new() } else { std::slice::from_raw_parts(values, length).to_vec() };
            (petsc.list(columns, length), values)
        };
        // SAFETY: these are what PETSc gave.
        self.call("get_row", |f, a| unsafe {
            (f.mat_restore_row)(a, number, &raw mut count, &raw mut columns, &raw mut values)
        })?;
        Ok(row)
    }

    /// Multiplies all entries by a number: `MatScale`.
    ///
    /// # Errors
    ///
    /// If PETSc is over.
    pub fn scale(&mut self, factor: f64) -> Result<()> {
        // SAFETY: the object lives.
        self.call("scale", |f, a| unsafe { (f.mat_scale)(a, factor) })
    }

    /// The Frobenius norm: `MatNorm` with `NORM_FROBENIUS`.
    ///
    /// # Errors
    ///
    /// If PETSc is over.
    pub fn norm(&self) -> Result<f64> {
        self.norm_of("norm", NORM_FROBENIUS)
    }

    /// The greatest sum of absolute values of a column.
    ///
    /// # Errors
    ///
    /// If PETSc is over.
    pub fn norm_1(&self) -> Result<f64> {
        self.norm_of("norm_1", NORM_1)
    }

    /// The greatest sum of absolute values of a row.
    ///
    /// # Errors
    ///
    /// If PETSc is over.
    pub fn norm_inf(&self) -> Result<f64> {
        self.norm_of("norm_inf", NORM_INFINITY)
    }

    /// Vectors of zeros that fit: one to be multiplied, and one for the product. `MatCreateVecs`.
    ///
    /// # Errors
    ///
    /// If PETSc has no room.
    pub fn create_vectors(&self) -> Result<(Vector, Vector)> {
        Ok((self.right_vector("create_vectors")?, self.left_vector("create_vectors")?))
    }

    /// Prints the whole matrix, the rows of all processes one after another, from the first of them: `MatView`.
    ///
    /// # Errors
    ///
    /// If PETSc is over.
    pub fn view(&self) -> Result<()> {
        let viewer = self.0.petsc.stdout();
        // SAFETY: the object and the viewer live.
        self.call("view", |f, a| unsafe { (f.mat_view)(a, viewer) })
    }

    pub(crate) fn handle(&self) -> &MatrixHandle {
        &self.0
    }

    fn call(&self, operation: &'static str, act: impl FnOnce(&Functions, Object) -> c_int) -> Result<()> {
        self.0.petsc.call(operation, |functions| act(functions, self.0.object))
    }

    fn pair(
        &self,
        operation: &'static str,
        function: fn(&Functions) -> unsafe extern "C" fn(Object, *mut IntOut, *mut IntOut) -> c_int,
    ) -> Result<[usize; 2]> {
        let (mut first, mut second) = (IntOut::default(), IntOut::default());
        // SAFETY: the object lives; PETSc writes integers there.
        self.call(operation, |f, a| unsafe { function(f)(a, &raw mut first, &raw mut second) })?;
        Ok([self.0.petsc.size_of(first), self.0.petsc.size_of(second)])
    }

    fn norm_of(&self, operation: &'static str, kind: c_int) -> Result<f64> {
        let mut norm = 0.0;
        // SAFETY: the object lives; PETSc writes a number there.
        self.call(operation, |f, a| unsafe { (f.mat_norm)(a, kind, &raw mut norm) })?;
        Ok(norm)
    }

    pub(crate) fn left_vector(&self, operation: &'static str) -> Result<Vector> {
        // SAFETY: the object lives; PETSc writes a new vector there, and none to null.
        self.new_vector(operation, |f, a, vector| unsafe { (f.mat_vectors)(a, null_mut(), vector) })
    }

    pub(crate) fn right_vector(&self, operation: &'static str) -> Result<Vector> {
        // SAFETY: as above.
        self.new_vector(operation, |f, a, vector| unsafe { (f.mat_vectors)(a, vector, null_mut()) })
    }

    fn new_vector(
        &self,
        operation: &'static str,
        make: impl FnOnce(&Functions, Object, *mut Object) -> c_int,
    ) -> Result<Vector> {
        let mut object = null_mut();
        self.call(operation, |f, a| make(f, a, &raw mut object))?;
        let mut vector = Vector::of(Handle::of(self.0.petsc, object));
        vector.set(0.0)?;
        Ok(vector)
    }

    /// Whether a product is possible: the vectors have as many elements as the sides of the matrix that are named.
    pub(crate) fn check(
        &self,
        operation: &'static str,
        x: &Vector,
        y: &Vector,
        sides: [usize; 2],
    ) -> Result<()> {
        x.handle().check_read(operation)?;
        y.handle().check_write(operation)?;
        let shape = self.size()?;
        for (vector, side, what) in [(x, sides[0], "the vector"), (y, sides[1], "the result")] {
            let size = vector.size()?;
            if size != shape[side] {
                let sides = ["rows", "columns"];
                let message = format!(
                    "a matrix of shape {shape:?}, and {what} of size {size}; it needs as many elements as the matrix has {}",
                    sides[side]
                );
                return Err(error::shape(operation, message));
            }
        }
        Ok(())
    }
}

fn check_counts(operation: &'static str, what: &str, a: usize, b: usize, c: usize) -> Result<()> {
    if a == b && b == c {
        return Ok(());
    }
    Err(error::shape(operation, format!("{a}, {b} and {c} {what}; give as many of each")))
}

/// The matrix of entries, which are known to lie within it.
fn assembled(
    operation: &'static str,
    local: [Option<usize>; 2],
    shape: [usize; 2],
    rows: &[usize],
    columns: &[usize],
    values: &[f64],
) -> Result<Matrix> {
    let petsc = petsc(operation)?;
    let size = |value: Option<usize>| value.map_or(Ok(DECIDE), |value| petsc.int(operation, value));
    let (local_rows, local_columns) = (size(local[0])?, size(local[1])?);
    let (global_rows, global_columns) = (petsc.int(operation, shape[0])?, petsc.int(operation, shape[1])?);
    let (mut rows, mut columns) =
        (petsc.ints(operation, rows.iter().copied())?, petsc.ints(operation, columns.iter().copied())?);
    let kind = kind(petsc, c"aijcusparse", c"aij")?;
    let mut object = null_mut();
    // SAFETY: PETSc writes a new object there.
    petsc.call(operation, |f| unsafe { (f.mat_create)(petsc.comm, &raw mut object) })?;
    let matrix = Matrix(Arc::new(MatrixHandle { petsc, object }));
    // SAFETY: the object has been made and not destroyed.
    matrix.call(operation, |f, a| unsafe {
        (f.mat_set_sizes)(a, local_rows, local_columns, global_rows, global_columns)
    })?;
    // SAFETY: as above; the name is a C string.
    matrix.call(operation, |f, a| unsafe { (f.mat_set_type)(a, kind.as_ptr()) })?;
    // The slice's length fits: no slice has more bytes than an `isize`.
    let count = values.len() as isize;
    // SAFETY: there are `count` of each, which PETSc may change; they lie within the matrix.
    matrix.call(operation, |f, a| unsafe {
        (f.mat_entries)(a, count, rows.as_mut_ptr(), columns.as_mut_ptr())
    })?;
    // SAFETY: there are as many values as places were given.
    matrix.call(operation, |f, a| unsafe { (f.mat_values)(a, values.as_ptr(), INSERT_VALUES) })?;
    Ok(matrix)
}

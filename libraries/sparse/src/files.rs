//! Matrices in `.npz` files, as SciPy writes them.

use std::path::Path;

use gpurepl_extend::{AnyArray, DType, Elem, GpuArray, Result, error};
use gpurepl_npy::{Npz, SaveArray};

use crate::entry::returned;
use crate::number::Field;
use crate::{Coo, Csc, Csr, Dia, SparseMatrix};

/// The arrays of a matrix under SciPy's names.
#[doc(hidden)]
pub struct Parts {
    pub(crate) format: &'static str,
    pub(crate) shape: [usize; 2],
    pub(crate) arrays: Vec<(&'static str, AnyArray)>,
}

/// Writes a matrix in its own format to an `.npz` file, compressed, which SciPy reads: `scipy.sparse.save_npz`. The file
/// has the name that is given; no ending is added.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = sparse::diags([3, 3], &[(0, 2.0), (1, -1.0)])?.to_csr();
/// let file = std::env::temp_dir().join(format!("{}.npz", std::process::id()));
/// sparse::save_npz(&file, &a)?;
/// assert_eq!(sparse::load_npz::<f64>(&file)?.to_dense().to_vec(), a.to_dense().to_vec());
/// # std::fs::remove_file(file).unwrap();
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the file cannot be written, or the device reports an error.
pub fn save_npz<T: Field>(path: impl AsRef<Path>, matrix: &impl SparseMatrix<T>) -> Result<()> {
    returned(|| {
        let parts = matrix.parts()?;
        let shape = parts.shape.map(|length| length as i64);
        let shape = AnyArray::from_host(2, DType::Int64, bytemuck::cast_slice(&shape))?;
        // So that SciPy reads a `csr_array`, and no `csr_matrix` of older programs.
        let is_array = AnyArray::from_host((), DType::Bool, &[1])?;
        let mut arrays: Vec<(&str, &dyn SaveArray)> =
            vec![("format", &parts.format), ("shape", &shape), ("_is_array", &is_array)];
        arrays.extend(parts.arrays.iter().map(|(name, array)| (*name, array as &dyn SaveArray)));
        gpurepl_npy::savez_list_compressed(path, &arrays)
    })
}

/// Reads a matrix from an `.npz` file that [`save_npz`] or `scipy.sparse.save_npz` has written, of the formats `csr`,
/// `csc`, `coo` and `dia`. Whole numbers become `T`, as do floats that lose nothing.
///
/// # Errors
///
/// If the file cannot be read or is damaged, holds something else, or numbers of another type than `T`.
pub fn load_npz<T: Field>(path: impl AsRef<Path>) -> Result<Csr<T>> {
    returned(|| {
        let path = path.as_ref();
        let file = gpurepl_npy::load_npz(path)?;
        let wrong = |message: &str| error::invalid("load_npz", format!("{}: {message}", path.display()));
        if !file.names().any(|name| name == "format") {
            let help = "it has arrays, which `io::load_npz` reads";
            return Err(wrong(&format!("it was not written by `save_npz`\n  = help: {help}")));
        }
        let format = file.texts("format")?.join(" ");
        let [rows, columns] = file.get_any("shape")?.cast(DType::Int64).typed::<i64>()?.to_vec()[..] else {
            return Err(wrong("a matrix has two axes, and its `shape` has another number of them"));
        };
        let (Ok(rows), Ok(columns)) = (usize::try_from(rows), usize::try_from(columns)) else {
            return Err(wrong(&format!("its shape is [{rows}, {columns}]")));
        };
        let shape = [rows, columns];
        let values = numbers::<T>(&file, path)?;
        match &*format {
            "csr" => Csr::new(shape, values, places(&file, "indices")?, places(&file, "indptr")?),
            "csc" => {
                Ok(Csc::new(shape, values, places(&file, "indices")?, places(&file, "indptr")?)?.to_csr())
            }
            "coo" => Ok(Coo::new(shape, places(&file, "row")?, places(&file, "col")?, values)?.to_csr()),
            "dia" => Ok(Dia::new(shape, values, places(&file, "offsets")?)?.to_csr()),
            other => Err(error::unsupported(format!(
                "load_npz: {} has the format `{other}`; `csr`, `csc`, `coo` and `dia` are read\n  = help: convert it \
                 in SciPy: `a.tocsr()`",
                path.display()
            ))),
        }
    })
}

/// The elements: those that are `T`'s or become so without a loss, or whole numbers.
fn numbers<T: Field>(file: &Npz, path: &Path) -> Result<GpuArray<T>> {
    let values = file.get_any("data")?;
    let dtype = values.dtype();
    let is_whole = !(dtype.is_float() || dtype.is_complex());
    if is_whole || dtype.promote(T::DTYPE) == T::DTYPE {
        return values.cast(T::DTYPE).typed();
    }
    let rust = dtype.rust();
    let message = format!(
        "{} holds {dtype}, not {}\n  = help: write `load_npz::<{rust}>(..)`, and `.astype::<{}>()` after it to convert",
        path.display(),
        T::DTYPE,
        T::DTYPE.rust()
    );
    Err(error::dtype("load_npz", message))
}

/// Places as SciPy has them: with a sign, in 32 bits where they fit.
pub(crate) fn signed(places: &AnyArray) -> Result<AnyArray> {
    let fits = places.size() == 0 || places.typed::<u32>()?.max().try_item()? <= i32::MAX as u32;
    Ok(places.cast(if fits { DType::Int32 } else { DType::Int64 }))
}

fn places(file: &Npz, name: &str) -> Result<GpuArray<i64>> {
    file.get_any(name)?.cast(i64::DTYPE).typed()
}

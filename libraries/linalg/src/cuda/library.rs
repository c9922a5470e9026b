//! cuSOLVER and cuBLAS, found at run time.

use std::ffi::c_int;
use std::sync::OnceLock;

use gpurepl_extend::{Error, Result, Vendor, VendorLibrary, error};

use super::blas_declarations::*;
use super::declarations::*;

const CUSOLVER: Vendor = Vendor {
    name: "cuSOLVER",
    files: &["libcusolver.so.12", "libcusolver.so.11"],
    package: "`pip install nvidia-cusolver`",
    switch: "GPUREPL_CUSOLVER",
};

const CUBLAS: Vendor = Vendor {
    name: "cuBLAS",
    files: &["libcublas.so.13", "libcublas.so.12"],
    package: "`pip install nvidia-cublas`",
    switch: "GPUREPL_CUBLAS",
};

/// A function of each type of numbers: single, double, single complex, double complex.
pub(super) type Four<F> = [F; 4];

/// The functions of cuSOLVER that are used.
pub(super) struct Cusolver {
    pub create: Create,
    pub destroy: DestroySettings,
    pub create_params: CreateSettings,
    pub destroy_params: DestroySettings,
    pub create_gesvdj: CreateSettings,
    pub destroy_gesvdj: DestroySettings,
    pub create_syevj: CreateSettings,
    pub destroy_syevj: DestroySettings,
    pub set_stream: SetStream,
    pub getrf_size: XgetrfSize,
    pub getrf: Xgetrf,
    pub getrs: Xgetrs,
    pub potrf_size: XpotrfSize,
    pub potrf: Xpotrf,
    pub potrf_batched: Four<PotrfBatched>,
    pub geqrf_size: XgeqrfSize,
    pub geqrf: Xgeqrf,
    pub orgqr_size: Four<OrgqrSize>,
    pub orgqr: Four<Orgqr>,
    pub gesvdj_size: Four<GesvdjSize>,
    pub gesvdj: Four<Gesvdj>,
    pub gesvdj_batched_size: Four<GesvdjBatchedSize>,
    pub gesvdj_batched: Four<GesvdjBatched>,
    pub gesvd_size: XgesvdSize,
    pub gesvd: Xgesvd,
    pub syevd_size: XsyevdSize,
    pub syevd: Xsyevd,
    pub syevj_batched_size: Four<SyevjBatchedSize>,
    pub syevj_batched: Four<SyevjBatched>,
    /// Of CUDA 12.6 update 2 and later.
    pub syev_batched: Option<(XsyevBatchedSize, XsyevBatched)>,
    /// Of CUDA 12.6 update 2 and later.
    pub geev: Option<(XgeevSize, Xgeev)>,
    /// Not dropped: the functions above are its code.
    _library: VendorLibrary,
}

/// The functions of cuBLAS that are used.
pub(super) struct Cublas {
    pub create: Create,
    pub destroy: DestroySettings,
    pub set_stream: SetStream,
    pub getrf_batched: Four<GetrfBatched>,
    pub getrs_batched: Four<GetrsBatched>,
    pub matinv_batched: Four<MatinvBatched>,
    pub geqrf_batched: Four<GeqrfBatched>,
    pub trsm: Four<Trsm>,
    pub trsm_batched: Four<TrsmBatched>,
    /// Not dropped: the functions above are its code.
    _library: VendorLibrary,
}

/// cuSOLVER. It is looked for again as long as it has not been found: it may be installed meanwhile.
pub(super) fn cusolver() -> Result<&'static Cusolver> {
    static FOUND: OnceLock<Cusolver> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found);
    }
    let loaded = Cusolver::load()?;
    Ok(FOUND.get_or_init(|| loaded))
}

/// cuBLAS, in the same way.
pub(super) fn cublas() -> Result<&'static Cublas> {
    static FOUND: OnceLock<Cublas> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found);
    }
    let loaded = Cublas::load()?;
    Ok(FOUND.get_or_init(|| loaded))
}

/// A function of each type, whose name has a letter for it: `cusolverDn*gesvdj`.
///
/// # Safety
///
/// As for [`VendorLibrary::function`], for each of the four.
unsafe fn four<F: Copy>(library: &VendorLibrary, name: &str) -> Result<Four<F>> {
    // SAFETY: the caller's promise.
    let function = |letter: &str| unsafe { library.function::<F>(&name.replace('*', letter)) };
    Ok([function("S")?, function("D")?, function("C")?, function("Z")?])
}

/// A function of each type that has one name for real and another for complex matrices.
///
/// # Safety
///
/// As for [`four`].
unsafe fn two_and_two<F: Copy>(library: &VendorLibrary, real: &str, complex: &str) -> Result<Four<F>> {
    // SAFETY: the caller's promise.
    let function = |name: &str, letter: &str| unsafe { library.function::<F>(&name.replace('*', letter)) };
    Ok([function(real, "S")?, function(real, "D")?, function(complex, "C")?, function(complex, "Z")?])
}

impl Cusolver {
    fn load() -> Result<Cusolver> {
        let library = CUSOLVER.load()?;
        // SAFETY: the types are those of `cusolverDn.h` of both versions; the library is kept beside the functions,
        // in a static.
        unsafe {
            Ok(Cusolver {
                create: library.function("cusolverDnCreate")?,
                destroy: library.function("cusolverDnDestroy")?,
                create_params: library.function("cusolverDnCreateParams")?,
                destroy_params: library.function("cusolverDnDestroyParams")?,
                create_gesvdj: library.function("cusolverDnCreateGesvdjInfo")?,
                destroy_gesvdj: library.function("cusolverDnDestroyGesvdjInfo")?,
                create_syevj: library.function("cusolverDnCreateSyevjInfo")?,
                destroy_syevj: library.function("cusolverDnDestroySyevjInfo")?,
                set_stream: library.function("cusolverDnSetStream")?,
                getrf_size: library.function("cusolverDnXgetrf_bufferSize")?,
                getrf: library.function("cusolverDnXgetrf")?,
                getrs: library.function("cusolverDnXgetrs")?,
                potrf_size: library.function("cusolverDnXpotrf_bufferSize")?,
                potrf: library.function("cusolverDnXpotrf")?,
                potrf_batched: four(&library, "cusolverDn*potrfBatched")?,
                geqrf_size: library.function("cusolverDnXgeqrf_bufferSize")?,
                geqrf: library.function("cusolverDnXgeqrf")?,
                orgqr_size: two_and_two(
                    &library,
                    "cusolverDn*orgqr_bufferSize",
                    "cusolverDn*ungqr_bufferSize",
                )?,
                orgqr: two_and_two(&library, "cusolverDn*orgqr", "cusolverDn*ungqr")?,
                gesvdj_size: four(&library, "cusolverDn*gesvdj_bufferSize")?,
                gesvdj: four(&library, "cusolverDn*gesvdj")?,
                gesvdj_batched_size: four(&library, "cusolverDn*gesvdjBatched_bufferSize")?,
                gesvdj_batched: four(&library, "cusolverDn*gesvdjBatched")?,
                gesvd_size: library.function("cusolverDnXgesvd_bufferSize")?,
                gesvd: library.function("cusolverDnXgesvd")?,
                syevd_size: library.function("cusolverDnXsyevd_bufferSize")?,
                syevd: library.function("cusolverDnXsyevd")?,
                syevj_batched_size: two_and_two(
                    &library,
                    "cusolverDn*syevjBatched_bufferSize",
                    "cusolverDn*heevjBatched_bufferSize",
                )?,
                syevj_batched: two_and_two(&library, "cusolverDn*syevjBatched", "cusolverDn*heevjBatched")?,
                syev_batched: library
                    .function("cusolverDnXsyevBatched_bufferSize")
                    .and_then(|size| Ok((size, library.function("cusolverDnXsyevBatched")?)))
                    .ok(),
                geev: library
                    .function("cusolverDnXgeev_bufferSize")
                    .and_then(|size| Ok((size, library.function("cusolverDnXgeev")?)))
                    .ok(),
                _library: library,
            })
        }
    }
}

impl Cublas {
    fn load() -> Result<Cublas> {
        let library = CUBLAS.load()?;
        // SAFETY: the types are those of `cublas_api.h` of both versions; the library is kept beside the functions,
        // in a static.
        unsafe {
            Ok(Cublas {
                create: library.function("cublasCreate_v2")?,
                destroy: library.function("cublasDestroy_v2")?,
                set_stream: library.function("cublasSetStream_v2")?,
                getrf_batched: four(&library, "cublas*getrfBatched")?,
                getrs_batched: four(&library, "cublas*getrsBatched")?,
                matinv_batched: four(&library, "cublas*matinvBatched")?,
                geqrf_batched: four(&library, "cublas*geqrfBatched")?,
                trsm: four(&library, "cublas*trsm_v2")?,
                trsm_batched: four(&library, "cublas*trsmBatched")?,
                _library: library,
            })
        }
    }
}

/// That a function came with a later version.
pub(super) fn too_old(name: &'static str, function: &str) -> Error {
    let what = format!("{name}: this version of cuSOLVER has no `{function}`");
    let help = "install the libraries of CUDA 12.6 update 2 or later (`pip install --upgrade nvidia-cusolver`), or \
                compute it on the host: `GPUREPL_DEVICE=host`";
    error::missing(what, help.to_owned())
}

/// `cusolverStatus_t`: what went wrong.
pub(super) fn check_solver(name: &'static str, what: &str, status: c_int) -> Result<()> {
    let words = match status {
        0 => return Ok(()),
        1 => "it could not be set up",
        2 => "it has no memory for this; free some, or give it fewer or smaller matrices",
        3 => "it does not take these sizes",
        4 => "it has no code for this GPU",
        6 => "its kernels failed",
        7 => "an error within cuSOLVER",
        8 | 9 => "it does not do this with these numbers",
        31 => "it wants more memory than it asked for",
        _ => "see the status in cusolver_common.h",
    };
    Err(error::device(name, format!("cuSOLVER could not {what}: {words} (status {status})")))
}

/// `cublasStatus_t`: what went wrong.
pub(super) fn check_blas(name: &'static str, what: &str, status: c_int) -> Result<()> {
    let words = match status {
        0 => return Ok(()),
        1 => "it could not be set up",
        3 => "it has no memory for this; free some, or give it fewer or smaller matrices",
        7 => "it does not take these sizes",
        8 => "it has no code for this GPU",
        13 => "its kernels failed",
        14 => "an error within cuBLAS",
        15 => "it does not do this with these numbers",
        _ => "see the status in cublas_api.h",
    };
    Err(error::device(name, format!("cuBLAS could not {what}: {words} (status {status})")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_words() {
        assert!(check_solver("solve", "factor a matrix", 0).is_ok());
        let error = check_solver("solve", "factor a matrix", 7).unwrap_err().to_string();
        assert!(error.contains("solve") && error.contains("cuSOLVER could not factor a matrix"), "{error}");
        assert!(error.contains("an error within cuSOLVER (status 7)"), "{error}");
        let error = check_blas("solve", "solve with triangles", 3).unwrap_err().to_string();
        assert!(error.contains("it has no memory for this") && error.ends_with("(status 3)"), "{error}");
        assert!(check_blas("solve", "factor", 99).unwrap_err().to_string().contains("cublas_api.h"));
    }

    #[test]
    fn an_old_version_says_what_to_install() {
        let error = too_old("eig", "cusolverDnXgeev").to_string();
        assert!(error.contains("no `cusolverDnXgeev`"), "{error}");
    }
}

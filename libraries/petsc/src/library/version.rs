//! The versions of PETSc whose C interface is known.

use gpurepl_extend::{Error, error};

/// The first and the last version, of PETSc 3, whose headers declare the functions that are called as
/// [`functions.rs`](super::functions) does.
pub(super) const KNOWN: [u32; 2] = [17, 24];

/// The version that PETSc names: "Petsc Release Version 3.18.5, Feb 27, 2023", or
/// "Petsc Development GIT revision: v3.20.1-7-g8f9 GIT Date: ...".
pub(super) fn parsed(text: &str) -> Option<[u32; 3]> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let words = text.split(|c: char| !is_part(c)).filter(|word| word.contains('.'));
    words.filter_map(numbers).next()
}

fn numbers(word: &str) -> Option<[u32; 3]> {
    let mut parts = word.trim_end_matches('.').split('.').map(str::parse::<u32>);
    let (major, minor) = (parts.next()?.ok()?, parts.next()?.ok()?);
    Some([major, minor, parts.next().and_then(Result::ok).unwrap_or(0)])
}

/// Refuses a version whose interface is not known.
///
/// # Errors
///
/// If it is older or newer than those that are.
pub(super) fn check(text: &str) -> Result<[u32; 3], Error> {
    match parsed(text) {
        Some(version @ [3, minor, _]) if (KNOWN[0]..=KNOWN[1]).contains(&minor) => Ok(version),
        _ => {
            let what =
                format!("the C interface of this PETSc is not known: {}", text.trim().trim_end_matches(','));
            Err(error::missing(what, help()))
        }
    }
}

/// What to do about a PETSc that does not fit.
pub(super) fn help() -> String {
    format!(
        "install PETSc 3.{} to 3.{} with real numbers of double precision (Debian, Ubuntu: `apt install \
         libpetsc-real-dev`), or name the library: `GPUREPL_PETSC=/path/to/libpetsc.so`",
        KNOWN[0], KNOWN[1]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found_in_what_petsc_says() {
        assert_eq!(parsed("Petsc Release Version 3.18.5, Feb 27, 2023 "), Some([3, 18, 5]));
        assert_eq!(parsed("Petsc Development GIT revision: v3.20.1-7-g8f9 GIT Date: 2023"), Some([3, 20, 1]));
        assert_eq!(parsed("Petsc Release Version 3.24, "), Some([3, 24, 0]));
        assert_eq!(parsed("no version"), None);
    }

    #[test]
    fn a_version_that_is_not_known_is_refused_by_its_name() {
        assert_eq!(check("Petsc Release Version 3.18.5, Feb 27, 2023 ").unwrap(), [3, 18, 5]);
        for text in ["Petsc Release Version 3.16.0, ", "Petsc Release Version 3.99.0, ", "Release 2.3.1", "?"]
        {
            let error = check(text).unwrap_err().to_string();
            assert!(error.contains(text.trim().trim_end_matches(',')), "{error}");
            assert!(error.contains("install PETSc 3.17 to 3.24"), "{error}");
        }
    }
}

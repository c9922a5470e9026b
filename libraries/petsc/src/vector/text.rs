//! A vector as text: what `VecView` prints of this process's part.

use std::fmt::{self, Write as _};

use gpurepl_extend::Result;

use super::Vector;
use crate::text::number;

/// So many elements are shown in full, of more the first and the last few.
const FULL: usize = 1000;
const EDGE: usize = 3;

impl fmt::Display for Vector {
    /// The part of this process, in PETSc's words. [`Vector::view`] shows those of all.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match text(self) {
            Ok(text) => f.write_str(&text),
            Err(error) => write!(f, "Vec Object: {error}"),
        }
    }
}

impl fmt::Debug for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn text(vector: &Vector) -> Result<String> {
    let (petsc, name) = (vector.petsc(), vector.type_name()?);
    let mut text = crate::text::header("Vec", petsc, &name);
    let elements = vector.to_vec()?;
    if petsc.size > 1 {
        let _ = write!(text, "\nProcess [{}]", petsc.rank);
    }
    let is_cut = elements.len() > FULL;
    for (k, element) in elements.iter().enumerate() {
        if is_cut && (EDGE..elements.len() - EDGE).contains(&k) {
            if k == EDGE {
                text.push_str("\n...");
            }
            continue;
        }
        text.push('\n');
        text.push_str(&number(*element));
    }
    Ok(text)
}

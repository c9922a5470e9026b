//! Lines of kernels as lines of the script that holds their text.
//!
//! A report knows a kernel's line within its own text, which every kernel
//! calls `kernel.cu`, and the function that it is in: the literal that defines
//! the function is found by its name.

use std::ops::Range;

use super::report::Place;
use crate::diagnostic::{Diagnostic, Source};
use crate::kernel_text::{KernelTexts, Literal};

/// What the texts of kernels are called in what is compiled from them.
const SOURCE_NAME: &str = "kernel.cu";

/// The string literals of the user's texts.
pub(super) struct Kernels<'t> {
    texts: KernelTexts<'t>,
}

/// A line that was found.
pub(super) struct Found<'k, 't> {
    literal: &'k Literal<'t>,
    range: Range<usize>,
    /// Whether another text defines a function of that name.
    pub(super) is_ambiguous: bool,
}

impl<'t> Kernels<'t> {
    pub(super) fn of(texts: &'t [Source]) -> Kernels<'t> {
        Kernels { texts: KernelTexts::of(texts) }
    }

    /// The line of the user's text that a place is on.
    pub(super) fn find(&self, place: &Place) -> Option<Found<'_, 't>> {
        let (file, line) = place.line.as_ref()?;
        let name = place.name();
        let is_kernel = file.rsplit('/').next() == Some(SOURCE_NAME);
        if !is_kernel || name.is_empty() {
            return None;
        }
        let defining = self.texts.literals().filter(|literal| defines(literal.value(), name));
        let mut found = defining.filter_map(|literal| Some((literal, literal.line(*line)?)));
        let (literal, range) = found.next()?;
        let is_ambiguous = found.any(|(other, _)| other.value() != literal.value());
        Some(Found { literal, range, is_ambiguous })
    }
}

impl Found<'_, '_> {
    /// Adds the place to a diagnostic.
    pub(super) fn label(&self, diagnostic: &mut Diagnostic, text: String, is_primary: bool) {
        self.literal.label(diagnostic, self.range.clone(), text, is_primary);
    }
}

/// Whether a text has the name of a function with its arguments.
fn defines(text: &str, name: &str) -> bool {
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], text[at + name.len()..].trim_start());
        !before.ends_with(is_word) && after.starts_with('(')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_words_before_arguments() {
        assert!(defines("__global__ void k (int *a)", "k"));
        assert!(!defines("__global__ void kk(int *k)", "k"));
        assert!(!defines("k_(); _k()", "k"));
    }
}

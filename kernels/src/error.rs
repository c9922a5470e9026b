//! What is wrong with a description, shown on the user's own text.

use std::ops::Range;

/// A description that cannot become a kernel.
///
/// Displays as a message, the line it is about with the place marked, and
/// what to do:
///
/// ```
/// use gpurepl_kernels::declaration;
/// let error = declaration::parse_list("float a, flaot *x").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "unknown type `flaot`\n  \
///      | float a, flaot *x\n  \
///      |          ^^^^^\n  \
///      = help: did you mean `float`?"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// What is wrong, in one line.
    pub message: String,
    /// The text that the user wrote.
    pub text: String,
    /// The place in `text`, in bytes.
    pub span: Range<usize>,
    /// What to do about it.
    pub help: Option<String>,
}

impl SpecError {
    pub(crate) fn new(message: impl Into<String>, text: &str, span: Range<usize>) -> SpecError {
        SpecError { message: message.into(), text: text.to_owned(), span, help: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> SpecError {
        self.help = Some(help.into());
        self
    }
}

impl std::error::Error for SpecError {}

impl std::fmt::Display for SpecError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        let start = self.span.start.min(self.text.len());
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
        let line = &self.text[line_start..line_end];
        let before = self.text[line_start..start].chars().count();
        let marked = self.text[start..self.span.end.clamp(start, line_end)].chars().count().max(1);
        if !line.trim().is_empty() {
            write!(f, "\n  | {line}\n  | {}{}", " ".repeat(before), "^".repeat(marked))?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  = help: {help}")?;
        }
        Ok(())
    }
}

/// The known word nearest to a misspelt one, if any is near enough to be meant.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.len() / 3).clamp(1, 3);
    known
        .map(|other| (strsim::osa_distance(word, other), other))
        .filter(|(d, _)| *d <= limit)
        .min()
        .map(|(_, w)| w)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marked_place_is_found_on_its_own_line() {
        let text = "float a,\n  é bad *x";
        let at = text.find("bad").unwrap();
        let error = SpecError::new("no", text, at..at + 3);
        assert_eq!(error.to_string(), "no\n  |   é bad *x\n  |     ^^^");
    }

    #[test]
    fn only_near_words_are_suggested() {
        let known = ["float", "double", "int"];
        assert_eq!(nearest("flaot", known.into_iter()), Some("float"));
        assert_eq!(nearest("doubel", known.into_iter()), Some("double"));
        assert_eq!(nearest("matrix", known.into_iter()), None);
    }
}

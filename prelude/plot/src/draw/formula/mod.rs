//! Formulas in texts. What stands between two dollar signs is LaTeX, as in Matplotlib's
//! mathtext; `\$` is a dollar sign.
//!
//! The crate pulldown-latex reads it, `tree` keeps what belongs together, and `layout` places
//! letters and lines. Where letters cannot be raised, in terminals and in descriptions,
//! [`plain`] writes it in one line.

mod layout;
mod line;
mod tree;

pub(super) use layout::{Laid, Run};

use super::font::printable;
use crate::error::{Problem, Result};

/// A piece of a line of text.
enum Piece<'a> {
    Words(String),
    Formula(&'a str),
}

/// Whether a line has formulas, by Matplotlib's rule: an even number of dollar signs. One
/// alone is a dollar.
pub(crate) fn is_in(line: &str) -> bool {
    let dollars = line.matches('$').count() - line.matches("\\$").count();
    dollars > 0 && dollars.is_multiple_of(2)
}

/// A text as pictures can take it, with formulas that can be read.
///
/// # Errors
///
/// If one cannot.
pub(crate) fn checked(operation: &'static str, text: &str) -> Result<String> {
    for piece in text.split('\n').flat_map(pieces) {
        let Piece::Formula(formula) = piece else { continue };
        tree::read(formula).map_err(|problem| {
            let next = if formula.contains('\\') { "" } else { "; write `\\$` for a dollar sign" };
            let message = format!("`${formula}$` is not a formula that can be drawn: {problem}{next}");
            Problem::Invalid { operation, message }
        })?;
    }
    Ok(printable(text))
}

/// A line of text with its formulas, for a font of so many pixels; none if it has none that can
/// be read.
pub(super) fn laid_out(line: &str, size: f64) -> Option<Laid> {
    if !line.contains('$') {
        return None;
    }
    let mut laid = Laid::default();
    for piece in pieces(line) {
        match piece {
            Piece::Words(words) => laid.append(Laid::words(&words, size)),
            Piece::Formula(formula) => laid.append(layout::of(&tree::read(formula).ok()?, size)),
        }
    }
    Some(laid)
}

/// A text in which formulas are written with letters that stand in a line.
pub(crate) fn plain(text: &str) -> String {
    let of_piece = |piece| match piece {
        Piece::Words(words) => words,
        Piece::Formula(formula) => {
            tree::read(formula).map_or_else(|_| format!("${formula}$"), |node| line::write(&node))
        }
    };
    let lines: Vec<String> =
        text.split('\n').map(|line| pieces(line).into_iter().map(of_piece).collect()).collect();
    lines.join("\n")
}

/// The words and formulas of a line.
fn pieces(line: &str) -> Vec<Piece<'_>> {
    let words = |text: &str| (!text.is_empty()).then(|| Piece::Words(text.replace("\\$", "$")));
    if !is_in(line) {
        return words(line).into_iter().collect();
    }
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some(at) = dollar(rest)
        && let Some(length) = dollar(&rest[at + 1..])
    {
        pieces.extend(words(&rest[..at]));
        pieces.push(Piece::Formula(&rest[at + 1..at + 1 + length]));
        rest = &rest[at + 2 + length..];
    }
    pieces.extend(words(rest));
    pieces
}

/// Where the next dollar sign is that begins or ends a formula.
fn dollar(text: &str) -> Option<usize> {
    text.match_indices('$').map(|(at, _)| at).find(|at| !text[..*at].ends_with('\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_in_one_line() {
        for (text, wanted) in [
            (r"$\alpha^2$", "α²"),
            (r"decay $e^{-x_i/2}$ at 5\$", "decay e^(−x_i/2) at 5$"),
            (r"$\frac{1}{2}$ and $\frac{a+b}{\sqrt{2\pi}}$", "1/2 and (a + b)/√(2π)"),
            (r"$\sqrt[3]{x}$", "³√x"),
            (r"$1{,}234 \times 5\,\AA$", "1,234 × 5 Å"),
            (r"$\sqrt[n+1]{x}$", "ⁿ⁺¹√x"),
            (r"$\hat{\hat{\hat{x}}}$", "x\u{302}\u{302}\u{302}"),
            (r"$\sum_{i=0}^\infty x_i$", "∑_(i = 0)^∞ x_i"),
            (r"$10^{-3}\,\mathrm{m\,s^{-1}}$", "10⁻³ m s⁻¹"),
            (r"$\left(\frac{a}{b}\right) \cdot \sin x$", "(a/b) ⋅ sin x"),
            (r"$\hat{x} \neq \vec{v}, -1$", "x̂ ≠ v⃗, −1"),
            (r"$a\ b\quad c$", "a b c"),
            (r"costs $5", "costs $5"),
            (r"\$5 and \$6", "$5 and $6"),
            ("$5, $6 and $7", "$5, $6 and $7"),
            ("a $b\nc$ d", "a $b\nc$ d"),
            (r"$\mathbb{R}^n \to \mathbb{C}$", "ℝⁿ → ℂ"),
        ] {
            assert_eq!(plain(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        for (text, wanted) in [
            (r"$\foo$", r"title: `$\foo$` is not a formula that can be drawn: `\foo` is not known"),
            (r"$\char é$", r"`\char` has no place"),
            (r"$\def\a{\a}\a$", r"`\def` has no place"),
            (r"$x^$", "expected a token"),
            (r"$\begin{matrix}a&b\end{matrix}$", "rows and columns"),
        ] {
            let problem = checked("title", text).unwrap_err().to_string();
            assert!(problem.contains(wanted), "{problem}");
            assert!(laid_out(text, 10.0).is_none());
            assert_eq!(plain(text), text);
        }
        assert!(checked("title", &format!("${}x$", "\\hat".repeat(200))).is_err());
        assert!(checked("title", "$\\hskip1em\u{a0}x$ $\\hskip1em\u{3000}x$").is_ok());
        let deep = format!("${}x{}$", "{".repeat(5000), "}".repeat(5000));
        assert!(checked("title", &deep).is_err());
        assert_eq!(checked("title", r"$\alpha$ & more").unwrap(), r"$\alpha$ & more");
    }

    #[test]
    fn scripts_are_smaller_and_fractions_have_a_line() {
        let laid = laid_out(r"$x_i^2$", 100.0).unwrap();
        let texts: Vec<(&str, f64)> = laid.runs.iter().map(|run| (&*run.text, run.size)).collect();
        assert_eq!(texts, [("x", 100.0), ("2", 70.0), ("i", 70.0)]);
        assert!(laid.runs[1].at.1 < laid.runs[0].at.1 && laid.runs[2].at.1 > laid.runs[0].at.1);
        let fraction = laid_out(r"$\frac{1}{2}$", 100.0).unwrap();
        assert_eq!(fraction.lines.len(), 1);
        assert!(fraction.above > laid.above && fraction.below > 20.0);
        let wide = laid_out(r"$a + b$", 100.0).unwrap().width;
        let words = laid_out(r"$ab$", 100.0).unwrap().width;
        assert!(wide > words + 40.0, "operators have room around them: {wide} {words}");
        let unary = laid_out(r"$-b$", 100.0).unwrap().width;
        assert!(unary < wide - words + 70.0);
    }
}

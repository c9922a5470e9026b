//! Messages of one cause: rustc says of `m.sum(axis=0)` that there is no
//! `axis`, and that `sum` takes no argument. One of them is enough.

use crate::diagnostic::Diagnostic;

/// A message, and whether it has gpurepl's advice.
pub(super) struct Told {
    pub(super) diagnostic: Diagnostic,
    pub(super) is_advised: bool,
}

/// One message for each cause. Of those about one line the first with advice
/// stands for all that have none, or the same.
pub(super) fn distinct(told: Vec<Told>) -> Vec<Diagnostic> {
    // Of a keyword argument the call may say more.
    let is_weak = |told: &Told| {
        !told.is_advised || told.diagnostic.helps.iter().any(|help| super::hints::is_part(help))
    };
    let advised: Vec<_> = told.iter().filter(|told| !is_weak(told)).filter_map(line).collect();
    let mut kept: Vec<Told> = Vec::new();
    for next in told {
        let is_repeated = kept.iter_mut().any(|known| {
            line(known) == line(&next)
                && (known.diagnostic.message == next.diagnostic.message
                    && (known.is_advised || starts(known) == starts(&next))
                    || known.is_advised && next.is_advised && joins(known, &next)
                    || is_of_one_operand(&known.diagnostic.message, &next.diagnostic.message))
        });
        let is_consequence = is_weak(&next) && line(&next).is_some_and(|line| advised.contains(&line));
        if !is_repeated && !is_consequence {
            kept.push(next);
        }
    }
    kept.into_iter().map(|told| told.diagnostic).collect()
}

/// Whether messages say of one type in two ways that it is no operand of an array.
fn is_of_one_operand(first: &str, second: &str) -> bool {
    let is_of_operand =
        |text: &str| text.contains("is not a number") || text.contains("cannot be combined with an array");
    is_of_operand(first) && is_of_operand(second) && first.split('`').nth(1) == second.split('`').nth(1)
}

/// The cell and the line that a message is about.
fn line(told: &Told) -> Option<(u64, usize)> {
    let primary = told.diagnostic.labels.iter().find(|label| label.is_primary)?;
    Some((primary.cell, told.diagnostic.place()?.0))
}

fn starts(told: &Told) -> Option<usize> {
    told.diagnostic.labels.iter().find(|label| label.is_primary).map(|label| label.range.start)
}

/// Whether the advice of two messages is the same, or the same of two places:
/// the first then has both.
fn joins(known: &mut Told, next: &Told) -> bool {
    let (Some(first), Some(second)) = (known.diagnostic.helps.last_mut(), next.diagnostic.helps.last())
    else {
        return false;
    };
    let (head, code) = second.split_once(": ").unwrap_or(("", second));
    // A part of what the first advises: `x.pow(2)` within `x.pow(2).exp()`.
    let own = second.split('`').nth(1).filter(|own| own.len() > 3);
    if own
        .is_some_and(|own| first.split('`').skip(1).step_by(2).any(|code| code != own && code.contains(own)))
    {
        return true;
    }
    let is_alike = first == second
        || known.diagnostic.code == next.diagnostic.code
            && !head.is_empty()
            && first.starts_with(&format!("{head}: "));
    if is_alike && !first.contains(code) {
        first.push_str(&format!(", {code}"));
    }
    is_alike
}

/// The messages about a text that does not parse: what names mean is not
/// known in one, and where the parser goes on it guesses.
pub(super) fn of_syntax(words: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let is_parsers = |diagnostic: &Diagnostic| diagnostic.code.is_none();
    if !words.iter().any(is_parsers) {
        return words;
    }
    let mut words: Vec<Diagnostic> = words.into_iter().filter(is_parsers).collect();
    let first = words.first().and_then(Diagnostic::place).map(|place| place.0);
    let mut is_first = true;
    words.retain(|diagnostic| {
        std::mem::take(&mut is_first) || diagnostic.place().map(|place| place.0) != first
    });
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Label, Source};

    fn told(start: usize, help: &str) -> Told {
        let text = "np.exp(-x**2)".to_owned();
        let source = Source { cell: 1, name: "cell 1".to_owned(), text, first_line: 1 };
        let label = Label { cell: 1, range: start..start + 1, text: String::new(), is_primary: true };
        let diagnostic = Diagnostic { labels: vec![label], sources: vec![source], ..Diagnostic::error(help) };
        Told { diagnostic: diagnostic.help(help), is_advised: true }
    }

    #[test]
    fn advice_that_is_a_part_of_other_advice_is_not_repeated() {
        let whole = "without `np`: `(-x.pow(2)).exp()`";
        let part = "a power is written `x.pow(2)`; `*` alone multiplies";
        assert_eq!(distinct(vec![told(0, whole), told(9, part)]).len(), 1);
        assert_eq!(distinct(vec![told(0, whole), told(9, "write `y.pow(2)`")]).len(), 2);
    }
}

//! Letters in the order and in the forms in which they are seen: scripts that run
//! to the left are turned round (the Unicode Bidirectional Algorithm), and Arabic
//! letters are joined, by the forms that the font has for that. SVG leaves this
//! to its viewer.

use std::borrow::Cow;

use ar_reshaper::{ArabicReshaper, ReshaperConfig};
use unicode_bidi::BidiInfo;

/// A line as it is drawn from the left to the right.
pub(super) fn shaped(line: &str) -> Cow<'_, str> {
    // The scripts that run to the left begin here: Hebrew.
    if line.chars().all(|c| c < '\u{590}') {
        return Cow::Borrowed(line);
    }
    let config = ReshaperConfig { delete_harakat: false, ..ReshaperConfig::default() };
    let joined = ArabicReshaper::new(config).reshape(line);
    let info = BidiInfo::new(&joined, None);
    let mut seen = String::with_capacity(joined.len());
    for paragraph in &info.paragraphs {
        let (levels, runs) = info.visual_runs(paragraph, paragraph.range.clone());
        for run in runs {
            let text = &joined[run.clone()];
            if levels[run.start].is_rtl() { turned(text, &mut seen) } else { seen.push_str(text) }
        }
    }
    Cow::Owned(seen)
}

/// Adds letters from the last to the first. The font draws vowels and points of
/// Hebrew and Arabic over the letter that comes next, and other marks, such as
/// accents, over the one before: those stay behind their letter.
fn turned(text: &str, seen: &mut String) {
    let letters: Vec<char> = text.chars().collect();
    let mut end = letters.len();
    for start in (0..letters.len()).rev().filter(|at| !is_mark(letters[*at])) {
        seen.push(mirrored(letters[start]));
        seen.extend(&letters[start + 1..end]);
        end = start;
    }
    seen.extend(&letters[..end]);
}

/// Marks that the font draws over the letter before them.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Brackets open the other way in a line that runs to the left.
fn mirrored(c: char) -> char {
    let pairs =
        [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>'), ('\u{ab}', '\u{bb}'), ('\u{2264}', '\u{2265}')];
    let other = pairs.iter().find_map(|(a, b)| match c {
        c if c == *a => Some(*b),
        c if c == *b => Some(*a),
        _ => None,
    });
    other.unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_run_to_the_right_stay_as_they_are() {
        for text in ["Größe (m) < 5", "Ωμέγα", "длина", "", "\u{4e2d}\u{6587}"] {
            assert_eq!(shaped(text), text);
        }
    }

    #[test]
    fn hebrew_runs_to_the_left_and_numbers_in_it_do_not() {
        assert_eq!(shaped("\u{5d0}\u{5d1} 123 \u{5d2}"), "\u{5d2} 123 \u{5d1}\u{5d0}");
        assert_eq!(shaped("x (\u{5d0}\u{5d1})"), "x (\u{5d1}\u{5d0})");
        assert_eq!(shaped("\u{5d0} (\u{5d1})"), "(\u{5d1}) \u{5d0}");
        // A vowel stands over the letter that is drawn next, and an accent over the one before.
        assert_eq!(shaped("\u{5d0}\u{5b8}\u{5d1}"), "\u{5d1}\u{5b8}\u{5d0}");
        assert_eq!(shaped("\u{5d0}\u{301}\u{5d1}"), "\u{5d1}\u{5d0}\u{301}");
        // A separator of paragraphs ends nothing of the line.
        assert_eq!(shaped("\u{5d0}\u{2029}\u{5d1}").chars().count(), 3);
    }

    #[test]
    fn arabic_letters_are_joined_by_where_they_stand() {
        // Seen, lam with alef, meem: first, last and alone.
        assert_eq!(shaped("\u{633}\u{644}\u{627}\u{645}"), "\u{fee1}\u{fefc}\u{feb3}");
        assert_eq!(shaped("\u{632}\u{645}\u{627}\u{646} (s)"), "(s) \u{fee5}\u{fe8e}\u{fee3}\u{feaf}");
    }
}

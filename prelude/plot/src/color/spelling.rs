//! Names that a misspelt one may have been meant for.

/// The known names that differ from a text by few letters, at most three and
/// the nearest first, as a question: "did you mean `a`, `b` or `c`?". Capitals
/// make no difference.
pub(crate) fn did_you_mean(text: &str, known: impl IntoIterator<Item = String>) -> Option<String> {
    let most = (text.chars().count() / 3).clamp(1, 3);
    let with_distance = known.into_iter().map(|name| (distance(text, &name), name));
    let mut near: Vec<(usize, String)> = with_distance.filter(|(distance, _)| *distance <= most).collect();
    near.sort();
    let names: Vec<String> = near.into_iter().take(3).map(|(_, name)| format!("`{name}`")).collect();
    let (last, others) = names.split_last()?;
    let others = if others.is_empty() { String::new() } else { format!("{} or ", others.join(", ")) };
    Some(format!("did you mean {others}{last}?"))
}

/// How many letters are to be changed, added, left out or swapped with the next.
fn distance(from: &str, to: &str) -> usize {
    let letters =
        |text: &str| -> Vec<char> { text.chars().map(|letter| letter.to_ascii_lowercase()).collect() };
    let (from, to) = (letters(from), letters(to));
    // Of the first letters of both, so many of the one and so many of the other.
    let mut between = vec![vec![0; to.len() + 1]; from.len() + 1];
    for (i, j) in (0..=from.len()).flat_map(|i| (0..=to.len()).map(move |j| (i, j))) {
        between[i][j] = if i == 0 || j == 0 {
            i + j
        } else {
            let changed = between[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let is_swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
            let swapped = if is_swapped { between[i - 2][j - 2] + 1 } else { usize::MAX };
            changed.min(swapped).min(between[i - 1][j] + 1).min(between[i][j - 1] + 1)
        };
    }
    between[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_counted_as_people_mistype_them() {
        for (from, to, wanted) in [
            ("", "", 0),
            ("", "abc", 3),
            ("red", "RED", 0),
            ("gary", "gray", 1),
            ("reed", "red", 1),
            ("grün", "green", 2),
        ] {
            assert_eq!((distance(from, to), distance(to, from)), (wanted, wanted), "{from} {to}");
        }
    }

    #[test]
    fn only_near_names_are_asked_for() {
        let asked = |text: &str| did_you_mean(text, ["teal", "red", "tan", "steel"].map(str::to_owned));
        assert_eq!(asked("reed").as_deref(), Some("did you mean `red`?"));
        assert_eq!(asked("Steal").as_deref(), Some("did you mean `steel` or `teal`?"));
        assert_eq!((asked(""), asked("q"), asked("nothing")), (None, None, None));
        let many = did_you_mean("seta", ["set3", "set1", "set2", "set4"].map(str::to_owned));
        assert_eq!(many.as_deref(), Some("did you mean `set1`, `set2` or `set3`?"));
    }
}

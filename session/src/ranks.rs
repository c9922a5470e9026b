//! Ranks: the numbers of workers that run the same cells, and how some of them are written.

use std::fmt::Write as _;

/// The most workers of a session.
pub const MOST_WORKERS: usize = 1024;

/// Reads a number of workers.
///
/// ```
/// use gpurepl_session::number_of_workers;
/// assert_eq!(number_of_workers("4"), Ok(4));
/// assert!(number_of_workers("0").is_err() && number_of_workers("many").is_err());
/// ```
///
/// # Errors
///
/// If it is none that a session may have.
pub fn number_of_workers(text: &str) -> Result<usize, String> {
    let number = text.trim().parse().ok().filter(|number| (1..=MOST_WORKERS).contains(number));
    number.ok_or_else(|| format!("a session has 1 to {MOST_WORKERS} workers, not `{}`", text.trim()))
}

/// Some ranks, as a user writes them: `0`, `1..3`, `1..=3`, `2..`, `0,2`. What they are depends on how many
/// there are.
///
/// ```
/// use gpurepl_session::Selection;
/// let some = Selection::parse("0, 2..")?;
/// assert_eq!(some.among(4)?, [0, 2, 3]);
/// assert!(some.among(2).is_err());
/// assert!(Selection::parse("two").is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    first: usize,
    /// The last one; none for all that follow.
    last: Option<usize>,
}

impl Selection {
    /// Reads ranks.
    ///
    /// # Errors
    ///
    /// If the text is neither a rank, nor a range, nor several with commas between them.
    pub fn parse(text: &str) -> Result<Selection, String> {
        let wrong =
            || format!("`{}` names no ranks; write `0`, `1..3`, `1..=3`, `2..` or `0,2`", text.trim());
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
        let mut parts = Vec::new();
        for part in text.split(',') {
            parts.push(match part.split_once("..") {
                None => {
                    let only = number(part)?;
                    Part { first: only, last: Some(only) }
                }
                Some((first, last)) => {
                    let first = if first.trim().is_empty() { 0 } else { number(first)? };
                    let last = match last.trim().strip_prefix('=') {
                        Some(last) => Some(number(last)?),
                        None if last.trim().is_empty() => None,
                        // `2..2` is no rank at all.
                        None => Some(number(last)?.checked_sub(1).ok_or_else(wrong)?),
                    };
                    if last.is_some_and(|last| last < first) {
                        return Err(wrong());
                    }
                    Part { first, last }
                }
            });
        }
        Ok(Selection { parts })
    }

    /// Those of so many ranks, in order and each once.
    ///
    /// # Errors
    ///
    /// If there is no such rank.
    pub fn among(&self, count: usize) -> Result<Vec<usize>, String> {
        let mut ranks = Vec::new();
        for part in &self.parts {
            let last = part.last.unwrap_or(count.saturating_sub(1).max(part.first));
            if last >= count {
                return Err(match count {
                    1 => format!(
                        "there is no rank {last}: this session has one worker, rank 0; `:workers 4` starts more"
                    ),
                    2 => format!("there is no rank {last}: the two workers are ranks 0 and 1"),
                    _ => format!("there is no rank {last}: the {count} workers are ranks 0 to {}", count - 1),
                });
            }
            ranks.extend(part.first..=last);
        }
        ranks.sort_unstable();
        ranks.dedup();
        Ok(ranks)
    }
}

/// Ranks as [`Selection::parse`] reads them, in few words: `0,2..=5`. They are in order.
pub(crate) fn written(ranks: &[usize]) -> String {
    let mut text = String::new();
    let mut rest = ranks;
    while let Some(&first) = rest.first() {
        let length = rest.iter().zip(first..).take_while(|(rank, expected)| **rank == *expected).count();
        let comma = if text.is_empty() { "" } else { "," };
        let _ = match length {
            1 => write!(text, "{comma}{first}"),
            2 => write!(text, "{comma}{first},{}", first + 1),
            _ => write!(text, "{comma}{first}..={}", first + length - 1),
        };
        rest = &rest[length..];
    }
    text
}

/// Ranks in a sentence: `rank 2`, `ranks 0, 1 and 3`.
pub(crate) fn in_words(ranks: &[usize]) -> String {
    match ranks {
        [only] => format!("rank {only}"),
        _ if ranks.len() > 8 => format!("ranks {}", written(ranks)),
        [before @ .., last] => {
            let before: Vec<String> = before.iter().map(usize::to_string).collect();
            format!("ranks {} and {last}", before.join(", "))
        }
        [] => "no rank".to_owned(),
    }
}

/// The threads of each of so many workers, if nobody has said it: who has, has meant each of them.
pub(crate) fn share_of_cores(count: usize) -> Option<usize> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::env::var_os("RAYON_NUM_THREADS").is_none().then(|| (cores / count).max(1))
}

/// The threads of this rank of so many that `mpiexec` has started. None, for all cores that it may use, if those are
/// not all of the machine: `mpiexec` has given each rank its own.
pub(crate) fn threads_of_rank(count: usize) -> Option<usize> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let online = nix::unistd::sysconf(nix::unistd::SysconfVar::_NPROCESSORS_ONLN).ok().flatten();
    match online {
        Some(online) if (cores as i64) < online => None,
        _ => share_of_cores(count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranks_are_numbers_ranges_and_lists() {
        let among = |text: &str| Selection::parse(text).and_then(|some| some.among(5));
        assert_eq!(among("3").unwrap(), [3]);
        assert_eq!(among("1..3").unwrap(), [1, 2]);
        assert_eq!(among("1..=3").unwrap(), [1, 2, 3]);
        assert_eq!(among(" 2 .. ").unwrap(), [2, 3, 4]);
        assert_eq!(among("..").unwrap(), [0, 1, 2, 3, 4]);
        assert_eq!(among("4,0..2,1").unwrap(), [0, 1, 4]);
        for wrong in ["", "x", "1-3", "3..2", "2..2", "..0", "1,", "-1", "1...3"] {
            assert!(Selection::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(among("5").unwrap_err(), "there is no rank 5: the 5 workers are ranks 0 to 4");
        assert_eq!(among("7..").unwrap_err(), "there is no rank 7: the 5 workers are ranks 0 to 4");
        assert!(Selection::parse("1").unwrap().among(1).unwrap_err().contains("one worker"));
    }

    #[test]
    fn ranks_have_words() {
        assert_eq!(in_words(&[2]), "rank 2");
        assert_eq!(in_words(&[0, 1, 3]), "ranks 0, 1 and 3");
        assert_eq!(in_words(&(0..20).collect::<Vec<_>>()), "ranks 0..=19");
        assert_eq!(written(&[0, 1, 3, 4, 5, 9]), "0,1,3..=5,9");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(ranks in prop::collection::btree_set(0..64_usize, 1..20)) {
            let ranks: Vec<usize> = ranks.into_iter().collect();
            prop_assert_eq!(Selection::parse(&written(&ranks)).unwrap().among(64).unwrap(), ranks);
        }
    }
}

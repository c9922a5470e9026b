//! The answers of several workers to one order, as one answer.

use std::collections::{BTreeMap, BTreeSet};

use gpurepl_wire::{Answer, Done, Failure, FailureKind, Frame, RankTime};

use crate::ranks::in_words;

/// The answers of all ranks, in the order in which they came, as one. There is at least one.
///
/// `ranks` are those that carry out the order.
pub(super) fn merged(mut answers: Vec<(usize, Frame)>, ranks: &[usize]) -> Option<Frame> {
    if let Some((_, Frame::Done(_))) = answers.first() {
        let done = answers.into_iter().filter_map(|(rank, frame)| match frame {
            Frame::Done(done) => Some((rank, done)),
            _ => None,
        });
        return merged_done(done.collect(), ranks).map(Frame::Done);
    }
    if let Some((_, Frame::Held { .. })) = answers.first() {
        return Some(merged_held(answers));
    }
    answers.sort_by_key(|(rank, _)| *rank);
    let place = match answers.first()?.1 {
        Frame::Loaded { .. } => {
            answers.iter().position(|(_, frame)| matches!(frame, Frame::Loaded { problem: Some(_) }))
        }
        Frame::Interacted { .. } => {
            answers.iter().position(|(_, frame)| matches!(frame, Frame::Interacted { failure: Some(_) }))
        }
        Frame::Answer(Answer::Variables(_)) => return Some(merged_variables(answers)),
        Frame::Answer(_) => {
            answers.iter().position(|(_, frame)| matches!(frame, Frame::Answer(Answer::Problem(_))))
        }
        Frame::Forgotten { .. } => return Some(merged_forgotten(answers)),
        _ => None,
    };
    Some(answers.swap_remove(place.unwrap_or(0)).1)
}

/// The end of a cell on all ranks. What it has put counts where all that ran it have put it.
fn merged_done(answers: Vec<(usize, Done)>, ranks: &[usize]) -> Option<Done> {
    let failures: Vec<(usize, Failure)> =
        answers.iter().filter_map(|(rank, done)| Some((*rank, done.failure.clone()?))).collect();
    let ran = |rank: &usize| ranks.contains(rank);
    let times = answers.iter().filter(|(rank, _)| ran(rank));
    let mut times: Vec<RankTime> =
        times.map(|(rank, done)| RankTime { rank: *rank, nanoseconds: done.nanoseconds }).collect();
    times.sort_by_key(|time| time.rank);
    let differing = differing(&answers, ranks);
    let mut variables: BTreeSet<String> = BTreeSet::new();
    for (_, done) in &answers {
        variables.extend(done.variables.iter().filter(|name| !differing.contains(*name)).cloned());
    }
    let restored: BTreeSet<String> = answers.iter().flat_map(|(_, done)| done.restored.clone()).collect();
    let dropped: BTreeSet<u64> = answers.iter().flat_map(|(_, done)| done.dropped_results.clone()).collect();
    let has_result = answers.iter().filter(|(rank, _)| ran(rank)).all(|(_, done)| done.result.is_some());
    let is_rescued = answers.iter().any(|(_, done)| done.is_rescued);
    // The rest is that of the first rank which ran it; what its devices did is the same on all, or nearly so.
    let (_, mut done) = answers.into_iter().filter(|(rank, _)| ran(rank)).min_by_key(|(rank, _)| *rank)?;
    done.put.retain(|name| !differing.contains(name));
    done.variables = variables.into_iter().collect();
    done.restored = restored.into_iter().collect();
    done.dropped_results = dropped.into_iter().collect();
    done.result = done.result.filter(|_| has_result);
    done.is_rescued = is_rescued;
    done.nanoseconds = times.iter().map(|time| time.nanoseconds).max().unwrap_or(done.nanoseconds);
    done.failure = merged_failure(failures, ranks);
    done.ranks = times;
    Some(done)
}

/// The variables that some of the ranks have put and others have not, which happens where some fail.
pub(super) fn differing(answers: &[(usize, Done)], ranks: &[usize]) -> BTreeSet<String> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for (_, done) in answers.iter().filter(|(rank, _)| ranks.contains(rank)) {
        for name in done.put.iter().collect::<BTreeSet<_>>() {
            *counts.entry(name).or_default() += 1;
        }
    }
    counts.into_iter().filter(|(_, count)| *count < ranks.len()).map(|(name, _)| name.clone()).collect()
}

/// The failure of a cell: the one that came first, which others may follow from, with those of other ranks as
/// notes.
fn merged_failure(failures: Vec<(usize, Failure)>, ranks: &[usize]) -> Option<Failure> {
    let lost = failures.iter().position(|(_, failure)| failure.kind == FailureKind::DeviceLost);
    let cause = failures.iter().position(|(_, failure)| !failure.may_follow());
    let (_, mut first) = failures.get(lost.or(cause).unwrap_or(0))?.clone();
    let like = |failure: &Failure| failure.kind == first.kind && failure.message == first.message;
    let of = |some: &dyn Fn(&Failure) -> bool| -> Vec<usize> {
        let mut ranks: Vec<usize> =
            failures.iter().filter(|(_, failure)| some(failure)).map(|(rank, _)| *rank).collect();
        ranks.sort_unstable();
        ranks
    };
    let same = of(&like);
    let mut notes = Vec::new();
    if same != ranks {
        notes.push(format!("on {}", in_words(&same)));
    }
    let mut messages: Vec<&str> = Vec::new();
    for (_, failure) in failures.iter().filter(|(_, failure)| !like(failure)) {
        let message = failure.message.lines().next().unwrap_or_default();
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
    for message in messages {
        let ranks = of(&|failure| !like(failure) && failure.message.lines().next() == Some(message));
        notes.push(format!("on {}: {message}", in_words(&ranks)));
    }
    first.notes.extend(notes);
    Some(first)
}

/// What the workers hold: a variable may be on some ranks alone, but not differ.
fn merged_held(answers: Vec<(usize, Frame)>) -> Frame {
    let (mut all, mut kept): (BTreeMap<String, BTreeSet<u64>>, BTreeMap<u64, String>) = Default::default();
    for (_, frame) in answers {
        let Frame::Held { variables, results } = frame else { continue };
        for (name, fingerprint) in variables {
            all.entry(name).or_default().insert(fingerprint);
        }
        kept.extend(results);
    }
    let only = |set: BTreeSet<u64>| set.first().copied().filter(|_| set.len() == 1);
    Frame::Held {
        variables: all.into_iter().filter_map(|(name, set)| Some((name, only(set)?))).collect(),
        results: kept.into_iter().collect(),
    }
}

/// What ranks know of variables: of each that of the first rank which has it.
fn merged_variables(answers: Vec<(usize, Frame)>) -> Frame {
    let mut all = Vec::new();
    for (_, frame) in answers {
        let Frame::Answer(Answer::Variables(reports)) = frame else { continue };
        for report in reports {
            if !all.iter().any(|known: &gpurepl_wire::SlotReport| known.name == report.name) {
                all.push(report);
            }
        }
    }
    Frame::Answer(Answer::Variables(all))
}

fn merged_forgotten(answers: Vec<(usize, Frame)>) -> Frame {
    let mut problems: Vec<String> = Vec::new();
    for (_, frame) in answers {
        let Frame::Forgotten { problems: some } = frame else { continue };
        for problem in some {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }
    Frame::Forgotten { problems }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpurepl_wire::{Activity, RandomState};

    fn done(put: &[&str], held: &[&str], failure: Option<&str>, nanoseconds: u64) -> Frame {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Frame::Done(Done {
            cell: 3,
            failure: failure.map(|message| Failure::new(FailureKind::Panic, message.to_owned())),
            variables: owned(held),
            put: owned(put),
            is_rescued: false,
            restored: Vec::new(),
            result: Some("i32".to_owned()),
            dropped_results: Vec::new(),
            nanoseconds,
            random: RandomState::default(),
            activity: Activity::default(),
            ranks: Vec::new(),
        })
    }

    fn merge(answers: Vec<(usize, Frame)>, ranks: &[usize]) -> Done {
        match merged(answers, ranks) {
            Some(Frame::Done(done)) => done,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_cell_that_fails_on_one_rank_keeps_what_all_have() {
        let answers = vec![
            (2, done(&["a"], &["a", "old"], Some("index out of bounds"), 5)),
            (0, done(&["a", "b"], &["a", "b", "old"], None, 9)),
            (1, done(&["a", "b"], &["a", "b", "old"], None, 7)),
        ];
        let done = merge(answers, &[0, 1, 2]);
        assert_eq!(done.put, ["a"]);
        assert_eq!(done.variables, ["a", "old"]);
        assert_eq!(done.nanoseconds, 9);
        assert_eq!(done.ranks.iter().map(|time| time.nanoseconds).collect::<Vec<_>>(), [9, 7, 5]);
        let failure = done.failure.unwrap();
        assert_eq!(
            (failure.message.as_str(), failure.notes),
            ("index out of bounds", vec!["on rank 2".to_owned()])
        );
    }

    #[test]
    fn a_failure_of_all_ranks_names_none_and_others_are_notes() {
        let all = [0, 1].map(|rank| (rank, done(&[], &[], Some("no"), 1)));
        assert_eq!(merge(all.to_vec(), &[0, 1]).failure.unwrap().notes, Vec::<String>::new());
        let answers = vec![
            (1, done(&[], &[], Some("first"), 1)),
            (0, done(&[], &[], Some("second\nmore"), 1)),
            (2, done(&[], &[], Some("second\nmore"), 1)),
        ];
        let failure = merge(answers, &[0, 1, 2]).failure.unwrap();
        assert_eq!(failure.message, "first");
        assert_eq!(failure.notes, ["on rank 1", "on ranks 0 and 2: second"]);
    }

    #[test]
    fn what_may_follow_from_another_failure_is_not_the_cause() {
        let of = |kind, message: &str| {
            let Frame::Done(done) = done(&[], &[], None, 1) else { unreachable!("a cell's end") };
            let failure = Some(Failure::new(kind, message.to_owned()));
            Frame::Done(Done { failure, ..done })
        };
        // The ranks that wait may have said so before the one that failed does.
        let answers = vec![
            (0, of(FailureKind::Ranks, "rank 2 has failed in scatter")),
            (1, of(FailureKind::Interrupted, "interrupted")),
            (2, of(FailureKind::Device, "no room")),
        ];
        let failure = merge(answers, &[0, 1, 2]).failure.unwrap();
        assert_eq!(failure.message, "no room");
        let expected = ["on rank 2", "on rank 0: rank 2 has failed in scatter", "on rank 1: interrupted"];
        assert_eq!(failure.notes, expected);
    }

    #[test]
    fn a_variable_of_one_rank_is_the_sessions_too() {
        let answers = vec![(0, done(&["x"], &["x"], None, 4)), (1, done(&[], &["y"], None, 0))];
        let done = merge(answers, &[0]);
        assert_eq!((done.put, done.variables), (vec!["x".to_owned()], vec!["x".to_owned(), "y".to_owned()]));
        assert_eq!(done.ranks.len(), 1);
        assert!(done.result.is_some());
    }

    #[test]
    fn a_variable_that_differs_by_rank_is_not_held() {
        let held = |variables: &[(&str, u64)]| Frame::Held {
            variables: variables.iter().map(|(name, print)| ((*name).to_owned(), *print)).collect(),
            results: Vec::new(),
        };
        let answers = vec![(0, held(&[("a", 1), ("b", 2)])), (1, held(&[("a", 1), ("b", 3), ("c", 4)]))];
        let expected = held(&[("a", 1), ("c", 4)]);
        assert_eq!(merged(answers, &[0, 1]), Some(expected));
    }

    #[test]
    fn one_problem_is_enough() {
        let answers = vec![
            (0, Frame::Loaded { problem: None }),
            (1, Frame::Loaded { problem: Some("no such file".to_owned()) }),
        ];
        assert_eq!(merged(answers.clone(), &[0, 1]), Some(answers[1].1.clone()));
        let answers = vec![(1, Frame::Answer(Answer::Done)), (0, Frame::Answer(Answer::Done))];
        assert_eq!(merged(answers, &[0, 1]), Some(Frame::Answer(Answer::Done)));
    }
}

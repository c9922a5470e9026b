//! Ranks that wait for what cannot happen, found by what all of them say of themselves at one moment.
//!
//! A rank that computes may still do anything. One that waits goes on if those that it waits for come, or can go on
//! themselves. What is left when nothing more can be said to go on stands still for good: no rank in it acts before
//! another one has. (It is the usual search for a knot in a graph of waits: Chandy, Misra and Haas, "Distributed
//! deadlock detection", 1983, for the case that all is seen at once.)

use gpurepl_board::{Activity, GivenUp, Seen, When};

use super::wait::Until;

/// A wait that has no end: the ranks that this one waits for, also by way of others, and itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Standstill {
    pub ranks: Vec<usize>,
    /// Whether an interrupt has begun it.
    pub is_interrupted: bool,
    /// Whether no rank goes on at all, so that nothing more is to be learnt.
    pub is_whole: bool,
}

/// Whether a rank's wait has no end.
pub(super) fn standstill(seen: &[Seen], order: u64, this: usize, until: Until) -> Option<Standstill> {
    let able = able(seen, order);
    let waits_for = |rank: usize, other: usize| match rank == this {
        true => match until {
            Until::All(step) => seen[other].step < step,
            Until::Sent(peer, _) | Until::Received(peer, _) => other == peer,
        },
        false => waits_for(seen, order, rank, other),
    };
    // A rank that moves elements says that it goes on, so that the others do not think of it: it does if they do.
    let is_idle = seen[this].state.activity == Activity::Idle;
    let is_stuck = match is_idle {
        true => (0..seen.len()).any(|other| other != this && waits_for(this, other) && !able[other]),
        false => !able[this],
    };
    if !is_stuck {
        return None;
    }
    let mut ranks = vec![this];
    let mut next = 0;
    while let Some(rank) = ranks.get(next).copied() {
        next += 1;
        let new = (0..seen.len()).filter(|other| !able[*other] && waits_for(rank, *other));
        let new: Vec<usize> = new.filter(|other| !ranks.contains(other)).collect();
        ranks.extend(new);
    }
    ranks.sort_unstable();
    let is_interrupted = |rank: &usize| given_up(&seen[*rank], order) == Some(GivenUp::Interrupted);
    let is_whole = (0..seen.len()).all(|rank| rank == this || !able[rank]);
    Some(Standstill { is_interrupted: ranks.iter().any(is_interrupted), is_whole, ranks })
}

/// Why a rank has given up in an order.
fn given_up(seen: &Seen, order: u64) -> Option<GivenUp> {
    seen.state.given_up.filter(|_| seen.state.within(order) == When::Now)
}

/// Whether a rank that waits, waits for another one.
fn waits_for(seen: &[Seen], order: u64, rank: usize, other: usize) -> bool {
    let state = seen[rank].state;
    if state.within(order) != When::Now || state.given_up.is_some_and(|why| why != GivenUp::Stuck) {
        return false;
    }
    match state.activity {
        Activity::Meeting => seen[other].step < seen[rank].step,
        Activity::Sending | Activity::Receiving => state.peer == other,
        Activity::Idle | Activity::Ended => false,
    }
}

/// Which ranks may go on.
fn able(seen: &[Seen], order: u64) -> Vec<bool> {
    let is_final = |seen: &Seen| match seen.state.within(order) {
        When::Before => false,
        When::After => true,
        When::Now => seen.state.given_up.is_some() || seen.state.activity == Activity::Ended,
    };
    let is_active = |seen: &Seen| match seen.state.within(order) {
        When::Before => true,
        _ => !is_final(seen) && seen.state.activity == Activity::Idle,
    };
    let mut able: Vec<bool> = seen.iter().map(is_active).collect();
    loop {
        let is_freed = |rank: usize| {
            let state = seen[rank].state;
            !able[rank] && !is_final(&seen[rank]) && {
                let is_met = |peer: &Seen, activity: Activity| {
                    let at = peer.state;
                    at.within(order) == When::Now
                        && !is_final(peer)
                        && (at.activity, at.peer) == (activity, rank)
                };
                let peer = seen.get(state.peer);
                let is_peer_met = |activity| {
                    seen[rank].is_met || peer.is_some_and(|peer| is_met(peer, activity) || able[state.peer])
                };
                match state.activity {
                    Activity::Meeting => {
                        (0..seen.len()).all(|other| seen[other].step >= seen[rank].step || able[other])
                    }
                    Activity::Sending => is_peer_met(Activity::Receiving),
                    Activity::Receiving => is_peer_met(Activity::Sending),
                    Activity::Idle | Activity::Ended => false,
                }
            }
        };
        let freed: Vec<usize> = (0..seen.len()).filter(|rank| is_freed(*rank)).collect();
        if freed.is_empty() {
            return able;
        }
        freed.into_iter().for_each(|rank| able[rank] = true);
    }
}

/// What to say of it. `name` is the function that a rank has called last.
pub(super) fn message(
    standstill: &Standstill,
    seen: &[Seen],
    this: usize,
    operation: &str,
    name: &dyn Fn(usize) -> &'static str,
) -> String {
    let of = |wanted: &dyn Fn(&Seen) -> bool| -> Vec<usize> {
        standstill.ranks.iter().copied().filter(|rank| wanted(&seen[*rank])).collect()
    };
    let has_given_up = |why: GivenUp| of(&|seen: &Seen| seen.state.given_up == Some(why));
    let failed = has_given_up(GivenUp::Failed);
    if let Some(first) = failed.first() {
        let what = name(*first);
        return format!(
            "{} failed in {what}, and nothing is done without all; see the error there, and run the cell again",
            have(&failed)
        );
    }
    let timed_out = has_given_up(GivenUp::TimedOut);
    if let Some(first) = timed_out.first() {
        return format!(
            "{} given up waiting in {}; `distributed::set_timeout` allows more time",
            have(&timed_out),
            name(*first)
        );
    }
    let ended = of(&|seen: &Seen| seen.state.activity == Activity::Ended);
    // What each of the others is in, in the order of ranks.
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for rank in standstill.ranks.iter().copied().filter(|rank| !ended.contains(rank)) {
        let peer = seen[rank].state.peer;
        let what = match seen[rank].state.activity {
            Activity::Sending => format!("send to rank {peer}"),
            Activity::Receiving => format!("recv from rank {peer}"),
            _ if rank == this => operation.to_owned(),
            _ => name(rank).to_owned(),
        };
        match groups.iter_mut().find(|(known, _)| *known == what) {
            Some((_, ranks)) => ranks.push(rank),
            None => groups.push((what, vec![rank])),
        }
    }
    if let [(what, _)] = &groups[..]
        && !ended.is_empty()
    {
        let next = match seen[this].state.activity {
            Activity::Sending => format!("call `recv` from rank {this} there"),
            Activity::Receiving => format!("call `send` to rank {this} there"),
            _ => "call it on all ranks".to_owned(),
        };
        let without = if *what == operation { "it" } else { what };
        return format!("{} ended this cell without {without}; {next}", have(&ended));
    }
    let mut parts: Vec<String> =
        groups.iter().map(|(what, ranks)| format!("{what} on {}", list(ranks))).collect();
    if !ended.is_empty() {
        parts.push(format!("{} ended this cell", have(&ended)));
    }
    format!(
        "the ranks wait for each other without end: {}; call the same functions in the same order on all ranks, and a \
         `recv` for each `send`",
        parts.join(", ")
    )
}

/// "rank 2", "ranks 2, 3".
pub(super) fn list(ranks: &[usize]) -> String {
    let numbers: Vec<String> = ranks.iter().map(ToString::to_string).collect();
    format!("rank{} {}", if ranks.len() == 1 { "" } else { "s" }, numbers.join(", "))
}

/// "rank 2 has", "ranks 2, 3 have".
pub(super) fn have(ranks: &[usize]) -> String {
    format!("{} {}", list(ranks), if ranks.len() == 1 { "has" } else { "have" })
}

#[cfg(test)]
mod tests {
    use gpurepl_board::State;

    use super::*;

    const ORDER: u64 = 5;

    fn rank(activity: Activity, peer: usize, step: u64) -> Seen {
        let state = State { order: ORDER, activity, given_up: None, peer, version: 1 };
        Seen { state, step, is_met: false }
    }

    fn meeting(step: u64) -> Seen {
        rank(Activity::Meeting, 0, step)
    }

    fn computes(step: u64) -> Seen {
        rank(Activity::Idle, 0, step)
    }

    fn ended(step: u64) -> Seen {
        rank(Activity::Ended, 0, step)
    }

    fn sends(to: usize) -> Seen {
        rank(Activity::Sending, to, 0)
    }

    fn receives(from: usize) -> Seen {
        rank(Activity::Receiving, from, 0)
    }

    fn gave_up(seen: Seen, why: GivenUp) -> Seen {
        Seen { state: State { given_up: Some(why), ..seen.state }, ..seen }
    }

    fn told(seen: &[Seen], this: usize, until: Until) -> Option<String> {
        let standstill = standstill(seen, ORDER, this, until)?;
        Some(message(&standstill, seen, this, "all_reduce", &|rank| {
            if rank == 2 { "barrier" } else { "all_reduce" }
        }))
    }

    #[test]
    fn who_computes_may_still_come() {
        assert_eq!(told(&[meeting(1), computes(0), meeting(1)], 0, Until::All(1)), None);
        let before = Seen { state: State { order: ORDER - 1, ..ended(0).state }, ..ended(0) };
        assert_eq!(told(&[meeting(1), before], 0, Until::All(1)), None, "it has not begun the order");
        assert_eq!(told(&[meeting(1), receives(2), sends(1)], 0, Until::All(1)), None, "they meet");
        assert_eq!(told(&[meeting(1), receives(2), computes(0)], 0, Until::All(1)), None);
        assert_eq!(told(&[meeting(3), meeting(3), meeting(3)], 0, Until::All(3)), None, "all are here");
        assert_eq!(told(&[meeting(3), meeting(3), ended(3)], 0, Until::All(3)), None, "and one has gone on");
    }

    #[test]
    fn who_has_ended_does_not_come() {
        let seen = [meeting(1), meeting(1), ended(0), ended(0)];
        let expected = "ranks 2, 3 have ended this cell without it; call it on all ranks";
        assert_eq!(told(&seen, 0, Until::All(1)).as_deref(), Some(expected));
        assert_eq!(told(&seen, 1, Until::All(1)).as_deref(), Some(expected));
        let after = Seen { state: State { order: ORDER + 1, ..computes(0).state }, ..computes(0) };
        assert!(told(&[meeting(1), after], 0, Until::All(1)).is_some());
        let alone = told(&[receives(1), ended(0)], 0, Until::Sent(1, 1)).unwrap();
        assert_eq!(alone, "rank 1 has ended this cell without recv from rank 1; call `send` to rank 0 there");
    }

    #[test]
    fn a_circle_is_told_to_all_that_are_in_it() {
        let seen = [sends(1), sends(2), sends(0)];
        for this in 0..3 {
            let text = told(&seen, this, Until::Received((this + 1) % 3, 1)).unwrap();
            assert!(
                text.contains("send to rank 1 on rank 0, send to rank 2 on rank 1, send to rank 0 on rank 2"),
                "{text}"
            );
        }
        let mixed = [meeting(1), sends(0), meeting(1)];
        let text = told(&mixed, 1, Until::Received(0, 1)).unwrap();
        assert!(text.contains("all_reduce on rank 0, send to rank 0 on rank 1"), "{text}");
        let text = told(&mixed, 0, Until::All(1)).unwrap();
        assert!(text.contains("all_reduce on rank 0, send to rank 0 on rank 1"), "{text}");
    }

    /// What is seen of a rank elsewhere may be what it waited for before.
    #[test]
    fn who_has_not_learnt_yet_that_it_is_met_goes_on() {
        let seen = [receives(1), Seen { is_met: true, ..receives(0) }];
        assert_eq!(told(&seen, 0, Until::Sent(1, 2)), None);
        assert!(told(&[receives(1), receives(0)], 0, Until::Sent(1, 2)).is_some());
    }

    #[test]
    fn who_has_found_it_first_is_still_seen_in_it() {
        let seen = [meeting(1), gave_up(sends(0), GivenUp::Stuck)];
        let text = told(&seen, 0, Until::All(1)).unwrap();
        assert!(text.contains("all_reduce on rank 0, send to rank 0 on rank 1"), "{text}");
        let seen = [meeting(1), ended(0), gave_up(meeting(1), GivenUp::Stuck)];
        let expected = "rank 1 has ended this cell without it; call it on all ranks";
        assert_eq!(told(&seen, 0, Until::All(1)).as_deref(), Some(expected));
    }

    #[test]
    fn why_another_one_has_given_up_is_told() {
        let text = |why| told(&[computes(3), gave_up(computes(2), why)], 0, Until::All(3)).unwrap();
        assert!(text(GivenUp::Failed).starts_with("rank 1 has failed in all_reduce"));
        assert!(text(GivenUp::TimedOut).starts_with("rank 1 has given up waiting in all_reduce"));
        let seen = [meeting(1), gave_up(computes(0), GivenUp::Interrupted)];
        assert!(standstill(&seen, ORDER, 0, Until::All(1)).unwrap().is_interrupted);
        assert!(!standstill(&[meeting(1), ended(0)], ORDER, 0, Until::All(1)).unwrap().is_interrupted);
    }

    #[test]
    fn whether_more_is_to_be_learnt_is_known() {
        let is_whole = |seen: &[Seen]| standstill(seen, ORDER, 0, Until::All(1)).unwrap().is_whole;
        assert!(is_whole(&[meeting(1), ended(0), meeting(1)]));
        assert!(!is_whole(&[meeting(1), ended(0), computes(0)]));
    }

    #[test]
    fn a_rank_that_moves_elements_sees_who_has_given_up() {
        assert_eq!(told(&[computes(3), computes(2)], 0, Until::All(3)), None);
        assert!(told(&[computes(3), ended(2)], 0, Until::All(3)).is_some());
        assert_eq!(told(&[computes(3), meeting(2), computes(3)], 0, Until::All(3)), None);
    }
}

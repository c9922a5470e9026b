//! Elements by way of the memory that the ranks share, in pieces that fit in it.

use gpurepl_extend::Result;
use gpurepl_extend::group::{self, Collective, Pair, Unit};

use crate::plan::Plan;
use crate::reduce::{Scratch, combine, conclude};

/// Carries a plan out, from this rank's input to its result.
pub(crate) fn carry_out(collective: &mut Collective, plan: &Plan, from: &[u8], to: &mut [u8]) -> Result<()> {
    match plan {
        Plan::Join { lengths, only } => join(collective, lengths, *only, from, to),
        Plan::Deal { lengths } => deal(collective, lengths, from, to),
        Plan::Combine { only, bytes, .. } => combine_all(collective, plan, *bytes, *only, from, to),
        Plan::CombineParts { lengths, .. } => combine_parts(collective, plan, lengths, from, to),
    }
}

/// Units are used in turn: one is written again after all have taken the step of the other, which they do once they
/// have read the first.
fn unit(turn: usize) -> Unit {
    if turn.is_multiple_of(2) { Unit::First } else { Unit::Second }
}

/// The piece of a number of something so long, in pieces of one size.
fn piece(number: usize, size: usize, length: usize) -> std::ops::Range<usize> {
    let start = (number * size).min(length);
    start..(start + size).min(length)
}

/// The first byte of each part.
fn starts(lengths: &[usize]) -> Vec<usize> {
    let mut end = 0;
    lengths
        .iter()
        .map(|length| {
            end += length;
            end - length
        })
        .collect()
}

fn join(
    collective: &mut Collective,
    lengths: &[usize],
    only: Option<usize>,
    from: &[u8],
    to: &mut [u8],
) -> Result<()> {
    let rank = group::rank();
    let (size, starts) = (collective.unit(), starts(lengths));
    let is_wanted = only.is_none_or(|only| only == rank);
    let longest = lengths.iter().copied().max().unwrap_or(0);
    for turn in 0..longest.div_ceil(size) {
        collective.write(unit(turn), only, &from[piece(turn, size, lengths[rank])]);
        collective.step()?;
        if !is_wanted {
            continue;
        }
        for (other, (length, start)) in lengths.iter().zip(&starts).enumerate() {
            let piece = piece(turn, size, *length);
            let to = &mut to[start + piece.start..start + piece.end];
            if other == rank {
                to.copy_from_slice(&from[piece]);
            } else {
                collective.read(other, unit(turn), 0, to);
            }
        }
    }
    Ok(())
}

fn deal(collective: &mut Collective, lengths: &[Vec<usize>], from: &[u8], to: &mut [u8]) -> Result<()> {
    let (rank, slot) = (group::rank(), collective.slot());
    let mine = starts(&lengths[rank]);
    let column: Vec<usize> = lengths.iter().map(|row| row[rank]).collect();
    let theirs = starts(&column);
    let longest = lengths.iter().flatten().copied().max().unwrap_or(0);
    for turn in 0..longest.div_ceil(slot) {
        for (other, (length, start)) in lengths[rank].iter().zip(&mine).enumerate() {
            let piece = piece(turn, slot, *length);
            collective.write_slot(unit(turn), other, &from[start + piece.start..start + piece.end]);
        }
        collective.step()?;
        for (other, (length, start)) in column.iter().zip(&theirs).enumerate() {
            let piece = piece(turn, slot, *length);
            collective.read(other, unit(turn), rank * slot, &mut to[start + piece.start..start + piece.end]);
        }
    }
    Ok(())
}

/// The elements of all ranks at a place of their units, combined in the order of ranks.
fn combined(
    collective: &Collective,
    plan: &Plan,
    unit: Unit,
    start: usize,
    bytes: usize,
    [to, next]: &mut [Scratch; 2],
) {
    let (Plan::Combine { op, dtype, .. } | Plan::CombineParts { op, dtype, .. }) = plan else { return };
    to.resize(bytes);
    next.resize(bytes);
    // Of what is past the end there is not even a place.
    if bytes == 0 {
        return;
    }
    collective.read(0, unit, start, to.bytes_mut());
    for other in 1..group::ranks() {
        collective.read(other, unit, start, next.bytes_mut());
        combine(*op, *dtype, to, next);
    }
    conclude(*op, *dtype, to, group::ranks());
}

/// Of what is not longer, each rank combines all: one step, and few messages between machines.
const SMALL: usize = 4096;

/// Each rank combines its share of a piece, and all take the shares of the others.
fn combine_all(
    collective: &mut Collective,
    plan: &Plan,
    bytes: usize,
    only: Option<usize>,
    from: &[u8],
    to: &mut [u8],
) -> Result<()> {
    let (rank, ranks, share) = (group::rank(), group::ranks(), collective.slot());
    let is_wanted = only.is_none_or(|only| only == rank);
    let mut scratch = [Scratch::of(0), Scratch::of(0)];
    if bytes <= SMALL {
        collective.write(Unit::First, only, from);
        collective.step()?;
        if is_wanted {
            combined(collective, plan, Unit::First, 0, bytes, &mut scratch);
            to.copy_from_slice(scratch[0].bytes());
        }
        return Ok(());
    }
    let size = share * ranks;
    for turn in 0..bytes.div_ceil(size) {
        let part = piece(turn, size, bytes);
        // It is free: all have taken the last step of the turn before, having read what lay here.
        for other in 0..ranks {
            let theirs = piece(other, share, part.len());
            collective.write_slot(
                Unit::First,
                other,
                &from[part.start + theirs.start..part.start + theirs.end],
            );
        }
        collective.step()?;
        let mine = piece(rank, share, part.len());
        combined(collective, plan, Unit::First, mine.start, mine.len(), &mut scratch);
        // So is this: all have taken the step above, having read what lay here in the turn before.
        collective.write(Unit::Second, only, scratch[0].bytes());
        collective.step()?;
        if is_wanted {
            for other in 0..ranks {
                let theirs = piece(other, share, part.len());
                let to = &mut to[part.start + theirs.start..part.start + theirs.end];
                collective.read(other, Unit::Second, 0, to);
            }
        }
    }
    Ok(())
}

fn combine_parts(
    collective: &mut Collective,
    plan: &Plan,
    lengths: &[usize],
    from: &[u8],
    to: &mut [u8],
) -> Result<()> {
    let (rank, slot, starts) = (group::rank(), collective.slot(), starts(lengths));
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let mut scratch = [Scratch::of(0), Scratch::of(0)];
    for turn in 0..longest.div_ceil(slot) {
        for (other, (length, start)) in lengths.iter().zip(&starts).enumerate() {
            let piece = piece(turn, slot, *length);
            collective.write_slot(unit(turn), other, &from[start + piece.start..start + piece.end]);
        }
        collective.step()?;
        let mine = piece(turn, slot, lengths[rank]);
        combined(collective, plan, unit(turn), rank * slot, mine.len(), &mut scratch);
        to[mine].copy_from_slice(scratch[0].bytes());
    }
    Ok(())
}

/// Passes elements on to the rank that receives them.
pub(crate) fn pass(pair: &mut Pair, from: &[u8]) -> Result<()> {
    let size = pair.piece();
    from.chunks(size).try_for_each(|piece| pair.pass(piece))
}

/// Takes elements from the rank that sends them.
pub(crate) fn take(pair: &mut Pair, to: &mut [u8]) -> Result<()> {
    let size = pair.piece();
    to.chunks_mut(size).try_for_each(|piece| pair.take(piece))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_all_once() {
        for (size, length) in [(4_usize, 10_usize), (4, 8), (4, 0), (16, 3)] {
            let all: Vec<usize> =
                (0..length.div_ceil(size) + 1).flat_map(|k| piece(k, size, length)).collect();
            assert_eq!(all, (0..length).collect::<Vec<_>>());
        }
        assert_eq!(starts(&[3, 0, 2]), [0, 3, 3]);
    }
}

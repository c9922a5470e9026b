//! What a rank has left in a unit of its staging, in one word.

const NUMBER_BITS: u32 = 24;
const LENGTH_BITS: u32 = 24;
const RANK_BITS: u32 = 10;

/// Whom elements are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    /// All ranks.
    All,
    /// One of them.
    One(usize),
    /// Each of them, with a slot of its own.
    Each,
}

/// What lies in a unit since the rank's last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Another one each time that the rank writes to any of its units, as far as its bits go.
    pub number: u64,
    /// Whom it is for.
    pub to: For,
    /// Bytes from the beginning of the unit on, or of its slots: the longest of them.
    pub length: usize,
}

impl Mark {
    /// In one word.
    pub fn pack(self) -> u64 {
        let (kind, rank) = match self.to {
            For::All => (1, 0),
            For::One(rank) => (2, rank as u64 & ((1 << RANK_BITS) - 1)),
            For::Each => (3, 0),
        };
        let (number, length) = (self.number & ((1 << NUMBER_BITS) - 1), self.length as u64);
        debug_assert!(length >> LENGTH_BITS == 0);
        ((number << 2 | kind) << RANK_BITS | rank) << LENGTH_BITS | length
    }

    /// None if nothing has been left yet.
    pub fn unpack(word: u64) -> Option<Mark> {
        let (length, rest) = (word & ((1 << LENGTH_BITS) - 1), word >> LENGTH_BITS);
        let (rank, rest) = (rest & ((1 << RANK_BITS) - 1), rest >> RANK_BITS);
        let to = match rest & 3 {
            1 => For::All,
            2 => For::One(rank as usize),
            3 => For::Each,
            _ => return None,
        };
        Some(Mark { number: rest >> 2, to, length: length as usize })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_a_word() {
        for number in [0, 1, 0xff_ffff] {
            for to in [For::All, For::One(0), For::One(1023), For::Each] {
                for length in [0, 1, 256 << 10] {
                    let mark = Mark { number, to, length };
                    assert_eq!(Mark::unpack(mark.pack()), Some(mark));
                }
            }
        }
        assert_eq!(Mark::unpack(0), None, "what nobody has written yet");
    }
}

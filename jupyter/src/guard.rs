//! What bytes may come in at all.
//!
//! `zeromq` makes room for a frame as soon as its length is known, and a frame
//! may say that it has 2^62 bytes: whoever can open a connection could end the
//! process with nine bytes. So lengths are looked at before the bytes are
//! passed on. The layout is that of ZMTP 3.1 (RFC 37): a greeting of 64 bytes,
//! then frames of flags, length and body.

/// The most bytes that a message may have, all its frames together: 512 MiB.
pub const MAX_BYTES: u64 = 512 << 20;

const GREETING: u64 = 64;
const MORE: u8 = 1;
const LONG: u8 = 2;

/// Reads along with a connection.
#[derive(Debug)]
pub struct Guard {
    state: State,
    /// The bytes of the message so far.
    message: u64,
}

#[derive(Debug)]
enum State {
    /// In the greeting, before its end.
    Greeting { seen: u64 },
    /// Where the flags of a frame come.
    Flags,
    /// In a length.
    Length { flags: u8, missing: u8, value: u64 },
    /// In a frame.
    Body { missing: u64 },
}

/// Why a connection is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// It is not ZeroMQ.
    #[error("it does not speak ZeroMQ")]
    Foreign,
    /// A message is too long.
    #[error("it sends a message of more than {} MiB", MAX_BYTES >> 20)]
    TooLong,
}

impl Default for Guard {
    fn default() -> Guard {
        Guard { state: State::Greeting { seen: 0 }, message: 0 }
    }
}

impl Guard {
    /// Looks at the next bytes.
    ///
    /// # Errors
    ///
    /// If they must not be passed on.
    pub fn look(&mut self, mut bytes: &[u8]) -> Result<(), Breach> {
        while let Some((first, rest)) = bytes.split_first() {
            match &mut self.state {
                State::Greeting { seen } => {
                    if *seen == 0 && *first != 0xff {
                        return Err(Breach::Foreign);
                    }
                    let count = (GREETING - *seen).min(bytes.len() as u64);
                    *seen += count;
                    if *seen == GREETING {
                        self.state = State::Flags;
                    }
                    bytes = &bytes[count as usize..];
                }
                State::Flags => {
                    let missing = if first & LONG != 0 { 8 } else { 1 };
                    self.state = State::Length { flags: *first, missing, value: 0 };
                    bytes = rest;
                }
                State::Length { flags, missing, value } => {
                    *value = *value << 8 | u64::from(*first);
                    *missing -= 1;
                    bytes = rest;
                    if *missing == 0 {
                        let (flags, length) = (*flags, *value);
                        self.message = self.message.saturating_add(length);
                        if self.message > MAX_BYTES {
                            return Err(Breach::TooLong);
                        }
                        if flags & MORE == 0 {
                            self.message = 0;
                        }
                        self.state = if length == 0 { State::Flags } else { State::Body { missing: length } };
                    }
                }
                State::Body { missing } => {
                    let count = (*missing).min(bytes.len() as u64);
                    *missing -= count;
                    if *missing == 0 {
                        self.state = State::Flags;
                    }
                    bytes = &bytes[count as usize..];
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn greeting() -> Vec<u8> {
        let mut greeting = vec![0; 64];
        greeting[0] = 0xff;
        greeting
    }

    fn frame(flags: u8, body: &[u8]) -> Vec<u8> {
        let mut frame = vec![flags | LONG];
        frame.extend((body.len() as u64).to_be_bytes());
        frame.extend(body);
        frame
    }

    #[test]
    fn lengths_are_bounded_also_in_sum() {
        assert_eq!(Guard::default().look(b"GET / HTTP/1.1"), Err(Breach::Foreign));
        let mut long = greeting();
        long.push(LONG);
        long.extend(u64::MAX.to_be_bytes());
        assert_eq!(Guard::default().look(&long), Err(Breach::TooLong));
        let mut guard = Guard::default();
        guard.look(&greeting()).unwrap();
        for flags in [MORE, MORE, 0] {
            guard.message = MAX_BYTES - 10;
            assert_eq!(guard.look(&frame(flags, &[0; 10])), Ok(()));
        }
        assert_eq!(guard.message, 0, "the next message starts anew");
        guard.message = MAX_BYTES - 10;
        assert_eq!(guard.look(&frame(0, &[0; 11])), Err(Breach::TooLong));
    }

    proptest! {
        /// However the bytes come in pieces, it ends where the frame ends.
        #[test]
        fn pieces_make_no_difference(sizes in prop::collection::vec(0usize..600, 0..6), piece in 1usize..70) {
            let mut bytes = greeting();
            for size in &sizes {
                if *size < 256 {
                    bytes.extend([0, *size as u8]);
                    bytes.extend(vec![0xff; *size]);
                } else {
                    bytes.extend(frame(MORE, &vec![0xff; *size]));
                }
            }
            let mut guard = Guard::default();
            for piece in bytes.chunks(piece) {
                prop_assert_eq!(guard.look(piece), Ok(()));
            }
            prop_assert!(matches!(guard.state, State::Flags));
        }
    }
}

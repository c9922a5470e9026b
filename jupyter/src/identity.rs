//! Connections of one identity, told apart.
//!
//! Jupyter's clients give their sockets the identity of their session, so two
//! clients of one session, or one that connects again, have the same. `zeromq`
//! 0.7 keeps one connection for an identity and forgets it when *any* connection of
//! that identity ends, so the end of an old one cut off its successor
//! (`docs/upstream.md`). libzmq hands the identity over to the newest. Here a
//! door writes the connection's number behind the identity, in the first
//! command of ZMTP 3.1 (RFC 37): `READY` with properties.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const GREETING: usize = 64;
const LONG: u8 = 2;
const READY: &[u8] = b"\x05READY";
/// A zero byte and the number as eight digits.
const SUFFIX: usize = 9;
/// The longest identity that ZMTP allows.
const LONGEST: usize = 255;
/// A `READY` of more bytes is passed on as it is.
const MOST: usize = 1 << 16;

/// Connections of all channels. A number is of one of them alone.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// The identities of a channel's clients, each with its open connections, the
/// newest last.
#[derive(Debug, Default)]
pub struct Identities(Mutex<HashMap<Vec<u8>, Vec<Vec<u8>>>>);

impl Identities {
    /// Where an answer goes: to the connection that has asked, or to the
    /// client's newest if that is closed, or one of another channel.
    pub fn open(&self, identity: &[u8]) -> Option<Vec<u8>> {
        let open = self.lock();
        let connections = open.get(without_number(identity))?;
        connections.iter().find(|connection| *connection == identity).or(connections.last()).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Vec<u8>, Vec<Vec<u8>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An identity as its client gave it.
fn without_number(identity: &[u8]) -> &[u8] {
    let Some(end) = identity.len().checked_sub(SUFFIX) else { return identity };
    let (own, suffix) = identity.split_at(end);
    if suffix[0] == 0 && suffix[1..].iter().all(u8::is_ascii_hexdigit) { own } else { identity }
}

/// Writes a connection's number into what its client sends first.
#[derive(Debug)]
pub struct Numbering {
    identities: Arc<Identities>,
    number: u32,
    /// Bytes of the greeting that have passed.
    greeted: usize,
    /// The start of the first command, until it is whole.
    held: Vec<u8>,
    is_over: bool,
    /// The client's identity and this connection's.
    given: Option<(Vec<u8>, Vec<u8>)>,
}

impl Numbering {
    /// For a new connection.
    pub fn new(identities: Arc<Identities>) -> Numbering {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        Numbering { identities, number, greeted: 0, held: Vec::new(), is_over: false, given: None }
    }

    /// What is to be passed on in the place of the next bytes.
    pub fn pass<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if self.is_over {
            return Cow::Borrowed(bytes);
        }
        let (greeting, rest) = bytes.split_at((GREETING - self.greeted).min(bytes.len()));
        self.greeted += greeting.len();
        self.held.extend(rest);
        let mut passed = greeting.to_vec();
        let Some((header, length)) = frame(&self.held) else { return Cow::Owned(passed) };
        if self.held.len() >= length || length > MOST {
            self.is_over = true;
            let mut held = std::mem::take(&mut self.held);
            let rest = held.split_off(length.min(held.len()));
            let numbered = if held.len() == length { self.numbered(&held[header..]) } else { None };
            passed.extend(numbered.unwrap_or(held));
            passed.extend(rest);
        }
        Cow::Owned(passed)
    }

    /// A `READY` command with another identity, as a frame; none if it has no
    /// identity or is something else.
    fn numbered(&mut self, body: &[u8]) -> Option<Vec<u8>> {
        let mut rest = body.strip_prefix(READY)?;
        let mut command = READY.to_vec();
        while !rest.is_empty() {
            let (name, after) = split_counted(rest, 1)?;
            let (value, after) = split_counted(after, 4)?;
            rest = after;
            let mut value = Cow::Borrowed(value);
            if name.eq_ignore_ascii_case(b"Identity") && !value.is_empty() && value.len() + SUFFIX <= LONGEST
            {
                let own = value.to_vec();
                value.to_mut().extend(format!("\0{:08x}", self.number).bytes());
                self.given = Some((own, value.to_vec()));
            }
            command.push(u8::try_from(name.len()).ok()?);
            command.extend(name);
            command.extend(u32::try_from(value.len()).ok()?.to_be_bytes());
            command.extend(value.iter());
        }
        let (own, numbered) = self.given.clone()?;
        self.identities.lock().entry(own).or_default().push(numbered);
        // The flags of a command, with a length of eight bytes.
        let mut frame = vec![4 | LONG];
        frame.extend((command.len() as u64).to_be_bytes());
        frame.extend(command);
        Some(frame)
    }
}

impl Drop for Numbering {
    fn drop(&mut self) {
        if let Some((own, numbered)) = self.given.take() {
            let mut open = self.identities.lock();
            if let Some(connections) = open.get_mut(&own) {
                connections.retain(|connection| *connection != numbered);
                if connections.is_empty() {
                    open.remove(&own);
                }
            }
        }
    }
}

/// The bytes of a frame's header, and of the whole frame; none if the header
/// is not whole.
fn frame(bytes: &[u8]) -> Option<(usize, usize)> {
    if bytes.first()? & LONG == 0 {
        return Some((2, 2 + usize::from(*bytes.get(1)?)));
    }
    let length = u64::from_be_bytes(bytes.get(1..9)?.try_into().ok()?);
    Some((9, usize::try_from(length).unwrap_or(usize::MAX).saturating_add(9)))
}

/// Splits off bytes whose count is written before them, in one byte or four.
fn split_counted(bytes: &[u8], width: usize) -> Option<(&[u8], &[u8])> {
    let (count, rest) = bytes.split_at_checked(width)?;
    let count = count.iter().fold(0, |count, byte| count << 8 | usize::from(*byte));
    rest.split_at_checked(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ready(identity: &[u8]) -> Vec<u8> {
        let mut body = READY.to_vec();
        body.extend(b"\x0bSocket-Type\0\0\0\x06DEALER\x08Identity");
        body.extend((identity.len() as u32).to_be_bytes());
        body.extend(identity);
        let mut frame = vec![4, body.len() as u8];
        frame.extend(body);
        frame
    }

    fn greeting() -> Vec<u8> {
        (0..64).map(|k| if k == 0 { 0xff } else { k }).collect()
    }

    #[test]
    fn an_answer_goes_to_who_has_asked_and_else_to_the_newest() {
        let identities = Arc::new(Identities::default());
        let mut old = Numbering::new(Arc::clone(&identities));
        let mut new = Numbering::new(Arc::clone(&identities));
        let [first, second] = [&old, &new].map(|it| format!("one\0{:08x}", it.number).into_bytes());
        old.pass(&greeting());
        assert_eq!(identities.open(b"one"), None);
        old.pass(&ready(b"one"));
        assert_eq!(identities.open(b"one"), Some(first.clone()));
        new.pass(&[greeting(), ready(b"one")].concat());
        assert_eq!(identities.open(&first), Some(first.clone()));
        assert_eq!(identities.open(b"one\0ffffffff"), Some(second.clone()), "of another channel");
        drop(old);
        assert_eq!(identities.open(&first), Some(second), "it has connected again");
        drop(new);
        assert_eq!(identities.open(b"one"), None);
        assert!(identities.lock().is_empty());
    }

    #[test]
    fn what_has_no_identity_is_passed_on_as_it_is() {
        let broken = [4, 7, 5, b'R', b'E', b'A', b'D', b'Y', 9];
        for command in
            [ready(b""), vec![4, 3, 2, b'N', b'O'], broken.to_vec(), ready(&[b'x'; 220])[..9].to_vec()]
        {
            let mut numbering = Numbering::new(Arc::default());
            let bytes = [greeting(), command].concat();
            let passed = numbering.pass(&bytes);
            assert!(bytes.starts_with(&passed), "{passed:?}");
        }
        let mut long = vec![6];
        long.extend(u64::MAX.to_be_bytes());
        let bytes = [greeting(), long].concat();
        assert_eq!(Numbering::new(Arc::default()).pass(&bytes), bytes);
    }

    proptest! {
        /// However the bytes come in pieces.
        #[test]
        fn pieces_make_no_difference(identity in prop::collection::vec(1u8.., 1..200), piece in 1usize..90) {
            let after = b"\0\x03abc";
            let bytes = [greeting(), ready(&identity), after.to_vec()].concat();
            let mut numbering = Numbering::new(Arc::default());
            let passed: Vec<u8> = bytes.chunks(piece).flat_map(|piece| numbering.pass(piece).into_owned()).collect();
            let numbered = [&identity[..], format!("\0{:08x}", numbering.number).as_bytes()].concat();
            prop_assert!(passed.starts_with(&greeting()) && passed.ends_with(&[&numbered[..], after].concat()));
            let (header, length) = frame(&passed[64..]).unwrap();
            prop_assert_eq!(length + 64 + after.len(), passed.len());
            prop_assert!(passed[64 + header..].starts_with(READY));
            prop_assert_eq!(without_number(&numbered), &identity[..]);
        }
    }
}

//! What threads of a GPU print: records in a buffer, whose texts hold numbers that the host is to
//! write.
//!
//! Writing a float takes more code than most kernels have. So `core` for GPUs hands it on
//! (`core_library.rs`): [`ESCAPE`], then digits of base 16 for what it is, how it is to be
//! written, and its bits.

/// Before a number that the host writes.
pub const ESCAPE: char = '\u{10}';

/// Bytes of the buffer.
pub const CAPACITY: usize = 4 << 20;

/// Bytes of a record before its text.
const HEAD: usize = 32;

/// In the upper half of a record's first word; the lower one has the text's bytes.
const MARK: u64 = 0x4752_5054;

/// What a thread has printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The launch's number.
    pub launch: u64,
    /// The block's number in the grid.
    pub block: u64,
    /// The text.
    pub text: String,
}

/// The record at the start of some bytes, and how many of them it takes; none if
/// nothing is complete there.
pub fn record(bytes: &[u8]) -> Option<(Printed, usize)> {
    let word =
        |number: usize| Some(u64::from_ne_bytes(bytes.get(8 * number..8 * number + 8)?.try_into().ok()?));
    let first = word(0)?;
    let length = usize::try_from(first & 0xffff_ffff).ok()?;
    if first >> 32 != MARK {
        return None;
    }
    let text = String::from_utf8_lossy(bytes.get(HEAD..HEAD + length)?);
    let printed = Printed { launch: word(1)?, block: word(2)?, text: expanded(&text) };
    Some((printed, HEAD + length.div_ceil(8) * 8))
}

/// Digits of a number that the host writes: what it is, its bytes, the fill, alignment, signs, width, precision
/// and bits.
const DIGITS: [usize; 8] = [1, 1, 6, 1, 1, 5, 5, 16];

/// A text with the numbers that the host writes.
pub fn expanded(text: &str) -> String {
    let mut parts = text.split(ESCAPE);
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match number(part) {
            Some((number, rest)) => {
                whole.push_str(&number);
                whole.push_str(rest);
            }
            // Cut off, or the user's own.
            None => whole.push_str(part),
        }
    }
    whole
}

fn number(text: &str) -> Option<(String, &str)> {
    let mut fields = [0u64; DIGITS.len()];
    let mut rest = text;
    for (field, digits) in fields.iter_mut().zip(DIGITS) {
        *field = u64::from_str_radix(rest.get(..digits)?, 16).ok()?;
        rest = &rest[digits..];
    }
    let [kind, bytes, fill, alignment, signs, width, precision, bits] = fields;
    let written = match bytes {
        4 => written(f32::from_bits(u32::try_from(bits).ok()?), kind, precision),
        _ => written(f64::from_bits(bits), kind, precision),
    };
    let has_sign = written.starts_with('-') || written.contains("NaN");
    let written = if signs & 1 != 0 && !has_sign { format!("+{written}") } else { written };
    let width = usize::try_from(width.saturating_sub(1)).ok()?;
    let missing = width.saturating_sub(written.chars().count());
    if signs & 2 != 0 {
        // Zeros between the sign and the digits.
        let (sign, digits) = written.split_at(usize::from(written.starts_with(['-', '+'])));
        let text = format!("{sign}{}{digits}", "0".repeat(missing));
        return Some((text, rest));
    }
    let fill = String::from(char::from_u32(u32::try_from(fill).ok()?)?);
    // Numbers go to the right.
    let before = match alignment {
        1 => 0,
        2 => missing / 2,
        _ => missing,
    };
    Some((fill.repeat(before) + &written + &fill.repeat(missing - before), rest))
}

fn written<T>(value: T, kind: u64, precision: u64) -> String
where
    T: std::fmt::Display + std::fmt::Debug + std::fmt::LowerExp + std::fmt::UpperExp,
{
    match (kind, precision.checked_sub(1).map(|precision| usize::try_from(precision).unwrap_or(0))) {
        (0, None) => format!("{value}"),
        (0, Some(precision)) => format!("{value:.precision$}"),
        (1, None) => format!("{value:?}"),
        (1, Some(precision)) => format!("{value:.precision$?}"),
        (2, None) => format!("{value:e}"),
        (2, Some(precision)) => format!("{value:.precision$e}"),
        (_, None) => format!("{value:E}"),
        (_, Some(precision)) => format!("{value:.precision$E}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(fields: [u64; 8]) -> String {
        let digits = fields.iter().zip(DIGITS).map(|(field, digits)| format!("{field:0digits$x}"));
        format!("a{ESCAPE}{}b", digits.collect::<String>())
    }

    /// A single by display, with a blank as fill, no alignment, signs, a width and a precision.
    fn single(value: f32, signs: u64, width: Option<u64>, precision: Option<u64>) -> String {
        let more = |option: Option<u64>| option.map_or(0, |value| value + 1);
        let bits = u64::from(value.to_bits());
        expanded(&escaped([0, 4, 0x20, 3, signs, more(width), more(precision), bits]))
    }

    #[test]
    fn numbers_are_written_as_std_writes_them() {
        assert_eq!(single(1.5, 0, None, None), "a1.5b");
        assert_eq!(single(-1.5, 0, Some(7), Some(2)), format!("a{:7.2}b", -1.5f32));
        assert_eq!(single(1.5, 2, Some(7), Some(2)), format!("a{:07.2}b", 1.5f32));
        assert_eq!(single(-1.5, 2, Some(7), None), format!("a{:07}b", -1.5f32));
        assert_eq!(single(1.5, 1, None, Some(0)), format!("a{:+.0}b", 1.5f32));
        assert_eq!(single(f32::NAN, 3, Some(6), None), format!("a{:+06}b", f32::NAN));
        assert_eq!(single(f32::INFINITY, 3, Some(6), None), format!("a{:+06}b", f32::INFINITY));
        for kind in 0..4 {
            let text = expanded(&escaped([kind, 8, 0x2a, 2, 0, 12, 0, 1e-7f64.to_bits()]));
            let right = match kind {
                0 => format!("a{:*^11}b", 1e-7),
                1 => format!("a{:*^11?}b", 1e-7),
                2 => format!("a{:*^11e}b", 1e-7),
                _ => format!("a{:*^11E}b", 1e-7),
            };
            assert_eq!(text, right);
        }
    }

    #[test]
    fn what_is_no_number_stays() {
        assert_eq!(expanded("plain"), "plain");
        assert_eq!(expanded("a\u{10}b"), "ab");
        assert_eq!(expanded("a\u{10}0\u{10}"), "a0");
    }

    #[test]
    fn a_record_is_read_when_it_is_complete() {
        let mut bytes = vec![0u8; 64];
        assert_eq!(record(&bytes), None);
        bytes[8] = 7;
        bytes[16] = 9;
        bytes[32..37].copy_from_slice(b"hello");
        assert_eq!(record(&bytes), None);
        bytes[..8].copy_from_slice(&(MARK << 32 | 5).to_ne_bytes());
        let printed = Printed { launch: 7, block: 9, text: "hello".to_owned() };
        assert_eq!(record(&bytes), Some((printed, 40)));
    }
}

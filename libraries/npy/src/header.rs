//! The header of an array in a file: what `numpy.lib.format` writes.
//!
//! It is the text of a Python dictionary with three keys: `{'descr': '<f4',
//! 'fortran_order': False, 'shape': (3, 4), }`.

use std::io::{self, Read};

use gpurepl_extend::DType;

/// The first bytes of every file.
pub const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The longest header that is read. NumPy itself refuses more than 10000
/// bytes unless it is told to trust the file.
const LONGEST: u64 = 1 << 20;

/// The data begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// Digits that NumPy leaves room for in the first length, so that a program
/// which appends can write a larger one.
const GROWTH: usize = 21;

/// What a header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub descr: Descr,
    pub is_fortran: bool,
    pub shape: Vec<usize>,
}

/// The type of the elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Descr {
    /// One that arrays have.
    Known { dtype: DType, is_big_endian: bool },
    /// Another one, as the file names it.
    Other(String),
}

/// Why a header cannot be read.
#[derive(Debug)]
pub enum HeaderError {
    Io(io::Error),
    /// What is wrong with the bytes.
    Damaged(String),
}

impl From<io::Error> for HeaderError {
    fn from(error: io::Error) -> HeaderError {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            HeaderError::Damaged("the file ends within the header".to_owned())
        } else {
            HeaderError::Io(error)
        }
    }
}

fn damaged<T>(message: impl Into<String>) -> Result<T, HeaderError> {
    Err(HeaderError::Damaged(message.into()))
}

impl Header {
    /// Reads up to the first element.
    pub fn read(from: &mut dyn Read) -> Result<Header, HeaderError> {
        let mut start = [0; 8];
        from.read_exact(&mut start)?;
        if &start[..6] != MAGIC {
            return damaged("it does not begin as a .npy file does");
        }
        let length = match start[6] {
            1 => {
                let mut bytes = [0; 2];
                from.read_exact(&mut bytes)?;
                u64::from(u16::from_le_bytes(bytes))
            }
            2 | 3 => {
                let mut bytes = [0; 4];
                from.read_exact(&mut bytes)?;
                u64::from(u32::from_le_bytes(bytes))
            }
            version => return damaged(format!("it has format version {version}; 1 to 3 are known")),
        };
        if length > LONGEST {
            return damaged(format!("its header would have {length} bytes"));
        }
        // As much as is there, whatever the length says.
        let mut text = Vec::new();
        from.take(length).read_to_end(&mut text)?;
        if text.len() as u64 != length {
            return damaged("the file ends within the header");
        }
        // Version 3 is UTF-8; of the others all that matters is ASCII.
        parse(&String::from_utf8_lossy(&text)).map_err(HeaderError::Damaged)
    }

    /// The header of an array in C order, as NumPy writes it, with version 1.
    pub fn write(dtype: DType, shape: &[usize]) -> Vec<u8> {
        of_type(descr_of(dtype), shape)
    }

    /// The header of an array in C order in so many bytes, where another one was; none if it
    /// is longer.
    pub fn write_within(dtype: DType, shape: &[usize], bytes: usize) -> Option<Vec<u8>> {
        let mut header = Header::write(dtype, shape);
        let end = header.iter().rposition(|byte| *byte == b'}')? + 1;
        header.truncate(end);
        let room = bytes.checked_sub(end + 1)?;
        header.resize(end + room, b' ');
        header.push(b'\n');
        let length = u16::try_from(bytes - MAGIC.len() - 4).ok()?.to_le_bytes();
        header[MAGIC.len() + 2..MAGIC.len() + 4].copy_from_slice(&length);
        Some(header)
    }

    /// The size of the elements in bytes, if arrays have their type and they
    /// can be counted.
    pub fn bytes(&self) -> Option<usize> {
        let Descr::Known { dtype, .. } = self.descr else { return None };
        // An axis of no elements does not make the others any smaller.
        let mut lengths = self.shape.iter().map(|length| (*length).max(1));
        let most = lengths.try_fold(dtype.size(), usize::checked_mul)?;
        let bytes = if self.shape.contains(&0) { 0 } else { most };
        isize::try_from(most).is_ok().then_some(bytes)
    }
}

/// The header of an array in C order whose elements have a type that NumPy names so.
pub fn of_type(descr: &str, shape: &[usize]) -> Vec<u8> {
    let lengths: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let tuple = match &lengths[..] {
        [one] => format!("({one},)"),
        _ => format!("({})", lengths.join(", ")),
    };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple}, }}");
    if let Some(first) = lengths.first() {
        text.push_str(&" ".repeat(GROWTH.saturating_sub(first.len())));
    }
    let before = MAGIC.len() + 4;
    let whole = (before + text.len() + 1).next_multiple_of(ALIGNMENT);
    text.push_str(&" ".repeat(whole - before - text.len() - 1));
    text.push('\n');
    // Eight axes have at most 8 * 20 digits: it fits.
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
    [&MAGIC[..], &[1, 0], &length.to_le_bytes(), text.as_bytes()].concat()
}

/// NumPy's name of a type, with its order of bytes.
fn descr_of(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "|b1",
        DType::Int8 => "|i1",
        DType::Int16 => "<i2",
        DType::Int32 => "<i4",
        DType::Int64 => "<i8",
        DType::UInt8 => "|u1",
        DType::UInt16 => "<u2",
        DType::UInt32 => "<u4",
        DType::UInt64 => "<u8",
        DType::Float16 => "<f2",
        DType::Float32 => "<f4",
        DType::Float64 => "<f8",
        DType::Complex64 => "<c8",
        DType::Complex128 => "<c16",
    }
}

fn descr(text: &str) -> Descr {
    let (order, name) = match text.chars().next() {
        Some(order @ ('<' | '>' | '|' | '=')) => (order, &text[1..]),
        _ => ('=', text),
    };
    let known = DType::ALL.into_iter().find(|dtype| descr_of(*dtype)[1..] == *name);
    match known {
        Some(dtype) => {
            let is_big = order == '>' || (order == '=' && cfg!(target_endian = "big"));
            Descr::Known { dtype, is_big_endian: is_big && dtype.size() > 1 }
        }
        None => Descr::Other(text.to_owned()),
    }
}

fn parse(text: &str) -> Result<Header, String> {
    let mut parser = Parser { rest: text };
    parser.expect('{')?;
    let (mut found, mut is_fortran, mut shape) = (None, None, None);
    while !parser.takes('}') {
        let key = parser.string()?;
        parser.expect(':')?;
        match &*key {
            "descr" => found = Some(parser.descr()?),
            "fortran_order" => is_fortran = Some(parser.boolean()?),
            "shape" => shape = Some(parser.shape()?),
            _ => return Err(format!("its header has the key '{key}'")),
        }
        if !parser.takes(',') {
            parser.expect('}')?;
            break;
        }
    }
    if !parser.rest.trim().is_empty() {
        return Err("something follows the dictionary in its header".to_owned());
    }
    match (found, is_fortran, shape) {
        (Some(descr), Some(is_fortran), Some(shape)) => Ok(Header { descr, is_fortran, shape }),
        (None, _, _) => Err("its header has no 'descr'".to_owned()),
        (_, None, _) => Err("its header has no 'fortran_order'".to_owned()),
        _ => Err("its header has no 'shape'".to_owned()),
    }
}

/// Reads the few forms of Python's literals that headers have.
struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn takes(&mut self, wanted: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.takes(wanted) {
            Ok(())
        } else {
            Err(format!("its header has {} where `{wanted}` should be", self.next()))
        }
    }

    /// What comes next, for a message.
    fn next(&self) -> String {
        self.rest.chars().next().map_or_else(|| "its end".to_owned(), |one| format!("{one:?}"))
    }

    fn string(&mut self) -> Result<String, String> {
        let quote = if self.takes('"') { '"' } else { self.expect('\'').map(|()| '\'')? };
        let Some((text, rest)) = self.rest.split_once(quote) else {
            return Err("a string in its header does not end".to_owned());
        };
        self.rest = rest;
        Ok(text.to_owned())
    }

    fn boolean(&mut self) -> Result<bool, String> {
        self.rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err(format!("its 'fortran_order' is neither True nor False: {}", self.next()))
    }

    fn shape(&mut self) -> Result<Vec<usize>, String> {
        self.expect('(')?;
        let mut lengths = Vec::new();
        while !self.takes(')') {
            lengths.push(self.length()?);
            if !self.takes(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(lengths)
    }

    fn length(&mut self) -> Result<usize, String> {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        // Python 2 marked long integers.
        self.rest = rest.strip_prefix('L').unwrap_or(rest);
        digits.parse().map_err(|_| format!("its shape has a length that is not one: {digits}{}", self.next()))
    }

    /// A type, or the list of a structure's fields, as text.
    fn descr(&mut self) -> Result<Descr, String> {
        self.rest = self.rest.trim_start();
        if !self.rest.starts_with(['[', '(']) {
            return self.string().map(|text| descr(&text));
        }
        let (mut depth, mut quote) = (0_usize, None);
        for (at, one) in self.rest.char_indices() {
            match (quote, one) {
                (Some(open), _) if open == one => quote = None,
                (Some(_), _) => {}
                (None, '\'' | '"') => quote = Some(one),
                (None, '[' | '(') => depth += 1,
                (None, ']' | ')') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let (fields, rest) = self.rest.split_at(at + 1);
                let fields = fields.to_owned();
                self.rest = rest;
                return Ok(Descr::Other(fields));
            }
        }
        Err("its list of fields does not end".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(dtype: DType, is_big_endian: bool) -> Descr {
        Descr::Known { dtype, is_big_endian }
    }

    #[test]
    fn headers_of_all_kinds_are_read() {
        for (text, descr, is_fortran, shape) in [
            (
                "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }",
                known(DType::Float32, false),
                false,
                vec![3, 4],
            ),
            (
                "{\"shape\":(5L,),\"descr\":\">i8\",\"fortran_order\":True}\n",
                known(DType::Int64, true),
                true,
                vec![5],
            ),
            (
                " { 'descr' : '|b1' , 'shape' : ( ) , 'fortran_order' : False } ",
                known(DType::Bool, false),
                false,
                vec![],
            ),
            (
                "{'descr': '>u1', 'fortran_order': False, 'shape': (0,)}",
                known(DType::UInt8, false),
                false,
                vec![0],
            ),
            (
                "{'descr': '<U3', 'fortran_order': False, 'shape': ()}",
                Descr::Other("<U3".to_owned()),
                false,
                vec![],
            ),
            (
                "{'descr': [('a', '<f4'), (']', '<i2', (2, 2))], 'fortran_order': False, 'shape': (2,)}",
                Descr::Other("[('a', '<f4'), (']', '<i2', (2, 2))]".to_owned()),
                false,
                vec![2],
            ),
        ] {
            assert_eq!(parse(text).unwrap(), Header { descr, is_fortran, shape }, "{text}");
        }
    }

    #[test]
    fn damaged_headers_are_named() {
        for (text, message) in [
            ("", "its header has its end where `{` should be"),
            ("{'descr': '<f4'}", "its header has no 'fortran_order'"),
            (
                "{'descr': '<f4', 'fortran_order': 1, 'shape': ()}",
                "its 'fortran_order' is neither True nor False: '1'",
            ),
            (
                "{'descr': '<f4', 'fortran_order': True, 'shape': (-1,)}",
                "its shape has a length that is not one: '-'",
            ),
            (
                "{'descr': '<f4', 'fortran_order': True, 'shape': (99999999999999999999,)}",
                "its shape has a length that is not one: 99999999999999999999','",
            ),
            ("{'descr': '<f4", "a string in its header does not end"),
            ("{'descr': [('a', '<f4'", "its list of fields does not end"),
            (
                "{'descr': '<f4', 'fortran_order': True, 'shape': ()} {",
                "something follows the dictionary in its header",
            ),
            ("{'other': 1}", "its header has the key 'other'"),
        ] {
            assert_eq!(parse(text), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for dtype in DType::ALL {
            for shape in [&[][..], &[0], &[7], &[2, 3, 4], &[1; 8]] {
                let bytes = Header::write(dtype, shape);
                assert_eq!(bytes.len() % ALIGNMENT, 0);
                let header = Header::read(&mut &bytes[..]).unwrap();
                assert_eq!((header.descr, &header.shape[..]), (known(dtype, false), shape));
            }
        }
    }

    #[test]
    fn lengths_that_no_memory_has_are_not_counted() {
        let header = |shape: &[usize]| Header {
            descr: known(DType::Float64, false),
            is_fortran: false,
            shape: shape.to_vec(),
        };
        assert_eq!(header(&[2, 3]).bytes(), Some(48));
        assert_eq!(header(&[0, 3]).bytes(), Some(0));
        assert_eq!(header(&[usize::MAX, 2]).bytes(), None);
        assert_eq!(header(&[usize::MAX / 8, 1]).bytes(), None);
        assert_eq!(header(&[0, usize::MAX, 2]).bytes(), None);
    }
}

//! Texts in files: NumPy's arrays of strings.

use std::io::Read;

use gpurepl_extend::{Result, error};

use crate::header::{self, Descr};
use crate::npy::Source;

/// An array of strings, in C order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    pub shape: Vec<usize>,
    pub texts: Vec<String>,
}

/// How the characters of a text lie: `S12` has bytes, `U12` the code points that
/// UTF-32 has, either with zeros behind shorter ones.
struct Layout {
    width: usize,
    is_wide: bool,
    is_big_endian: bool,
}

impl Layout {
    fn of(name: &str) -> Option<Layout> {
        let is_big_endian = name.starts_with('>');
        let rest = name.trim_start_matches(['<', '>', '|', '=']);
        let is_wide = rest.starts_with('U');
        let width = rest.strip_prefix(['S', 'a', 'U'])?.parse().ok()?;
        Some(Layout { width, is_wide, is_big_endian })
    }

    /// Of a text in bytes.
    fn bytes(&self) -> Option<usize> {
        self.width.checked_mul(if self.is_wide { 4 } else { 1 })
    }

    /// A text, or what is wrong with it.
    fn text(&self, bytes: &[u8]) -> std::result::Result<String, String> {
        let end = |count: usize, is_zero: &dyn Fn(usize) -> bool| {
            (0..count).rfind(|k| !is_zero(*k)).map_or(0, |k| k + 1)
        };
        if !self.is_wide {
            let bytes = &bytes[..end(bytes.len(), &|k| bytes[k] == 0)];
            return String::from_utf8(bytes.to_vec()).map_err(|_| "a text that is not UTF-8".to_owned());
        }
        let points: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|four| {
                let four = [four[0], four[1], four[2], four[3]];
                if self.is_big_endian { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
            })
            .collect();
        let one = |point: &u32| {
            char::from_u32(*point).ok_or_else(|| format!("the character {point:#x}, which is none"))
        };
        points[..end(points.len(), &|k| points[k] == 0)].iter().map(one).collect()
    }
}

impl Texts {
    pub fn one(text: &str) -> Texts {
        Texts { shape: Vec::new(), texts: vec![text.to_owned()] }
    }

    /// Whether elements of a type that NumPy names so are texts.
    pub fn are(name: &str) -> bool {
        Layout::of(name).is_some()
    }

    /// The header and the elements, as NumPy writes an array of `str`.
    pub fn to_bytes(&self) -> Vec<u8> {
        // NumPy has no strings of no characters in files.
        let width = self.texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
        let mut bytes = header::of_type(&format!("<U{width}"), &self.shape);
        for text in &self.texts {
            let points = text.chars().map(u32::from).chain(std::iter::repeat(0)).take(width);
            bytes.extend(points.flat_map(u32::to_le_bytes));
        }
        bytes
    }

    /// Reads a header and the texts behind it.
    pub fn read(source: &Source<'_>, from: &mut dyn Read) -> Result<Texts> {
        let header = source.header(from)?;
        let layout = match &header.descr {
            Descr::Other(name) => Layout::of(name),
            Descr::Known { .. } => None,
        };
        let Some(layout) = layout else {
            let found = match &header.descr {
                Descr::Known { dtype, .. } => dtype.to_string(),
                Descr::Other(name) => name.clone(),
            };
            let message = format!(
                "{} holds {found} and no texts\n  = help: read an array with `.get::<f64>(..)`",
                source.name
            );
            return Err(error::dtype(source.call, message));
        };
        if header.is_fortran && header.shape.len() > 1 {
            let message = format!(
                "{} has texts in Fortran's order\n  = help: save them with `numpy.ascontiguousarray`",
                source.name
            );
            return Err(error::unsupported(message));
        }
        let too_large =
            || source.damaged(&format!("texts of shape {:?} are larger than any memory", header.shape));
        let count = header
            .shape
            .iter()
            .try_fold(1usize, |count, length| count.checked_mul(*length))
            .ok_or_else(too_large)?;
        let size = layout.bytes().ok_or_else(too_large)?;
        let bytes = source.bytes_of(from, &header, count.checked_mul(size).ok_or_else(too_large)?)?;
        let texts = match size {
            0 => Ok(vec![String::new(); count]),
            _ => bytes.chunks_exact(size).map(|bytes| layout.text(bytes)).collect(),
        };
        texts
            .map(|texts| Texts { shape: header.shape, texts })
            .map_err(|what| source.damaged(&format!("it has {what}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Texts> {
        let source = Source { name: "a.npy", call: "texts", length: Some(bytes.len() as u64) };
        Texts::read(&source, &mut &bytes[..])
    }

    #[test]
    fn what_is_written_is_read() {
        let texts =
            Texts { shape: vec![2, 2], texts: ["", "ab", "é😀", "x\0y"].map(str::to_owned).to_vec() };
        assert_eq!(read(&texts.to_bytes()).unwrap(), texts);
        assert_eq!(read(&Texts::one("csr").to_bytes()).unwrap(), Texts::one("csr"));
        assert_eq!(read(&Texts::one("").to_bytes()).unwrap(), Texts::one(""));
    }

    #[test]
    fn bytes_and_the_other_order_are_read() {
        let file = |descr: &str, elements: &[u8]| [header::of_type(descr, &[2]), elements.to_vec()].concat();
        assert_eq!(read(&file("|S3", b"csrab\0")).unwrap().texts, ["csr", "ab"]);
        assert_eq!(read(&file(">U1", &[0, 0, 0, b'a', 0, 1, 0xf6, 0])).unwrap().texts, ["a", "😀"]);
        assert_eq!(read(&file("|S0", b"")).unwrap().texts, ["", ""]);
    }

    #[test]
    fn texts_that_are_none_are_refused() {
        let file = |descr: &str, elements: &[u8]| [header::of_type(descr, &[1]), elements.to_vec()].concat();
        let message = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        assert!(message(&file("<U1", &[0, 0, 0, 0xff])).contains("damaged: it has the character 0xff000000"));
        assert!(message(&file("|S1", &[0xff])).contains("not UTF-8"));
        assert!(message(&file("<U2", &[b'a', 0, 0, 0])).contains("needs 8 bytes, 4 are there"));
        assert!(message(&file("<f4", &[0; 4])).contains("a.npy holds float32 and no texts"));
        assert!(message(&file(&format!("<U{}", usize::MAX), &[])).contains("larger than any memory"));
    }
}

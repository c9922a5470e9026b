//! Arrays in the formats of serde: JSON, MessagePack, and others.
//!
//! An array is a map of `dtype`, `shape` and `data`: nested lists would lose the type, and
//! the shape of an array without elements. In formats that people read, `data` is the list
//! of elements in C order, complex ones as `[re, im]`, and NaN and infinities as
//! `"nan"`, `"inf"`, `"-inf"`, because JSON has no numbers for them. In others it is the
//! elements' bytes, little-endian.

use std::fmt;

use gpurepl_kernels::DType;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeSeq as _, SerializeStruct as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::text::layout::scalars;
use super::{Elem, GpuArray, Raw, Scalar, download, upload};
use crate::shape::IntoShape as _;

/// Elements that are turned into numbers at a time.
const AT_ONCE: usize = 4096;

const FIELDS: &[&str] = &["dtype", "shape", "data"];

impl<T: Elem> Serialize for GpuArray<T> {
    /// The array as a map of `dtype`, `shape` and `data`. It is evaluated and copied to
    /// the host.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write(&self.raw, serializer)
    }
}

impl<'de, T: Elem> Deserialize<'de> for GpuArray<T> {
    /// An array in the current device's memory. Its `dtype` must be `T`.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<GpuArray<T>, D::Error> {
        let whole = Whole { wanted: T::DTYPE, is_text: deserializer.is_human_readable() };
        deserializer.deserialize_struct("GpuArray", FIELDS, whole).map(GpuArray::wrap)
    }
}

fn write<S: Serializer>(raw: &Raw, serializer: S) -> Result<S::Ok, S::Error> {
    let bytes = download(raw).map_err(S::Error::custom)?;
    let is_text = serializer.is_human_readable();
    let mut fields = serializer.serialize_struct("GpuArray", FIELDS.len())?;
    fields.serialize_field("dtype", &raw.dtype().to_string())?;
    fields.serialize_field("shape", raw.lengths())?;
    if is_text {
        fields.serialize_field("data", &Elements { bytes: &bytes, dtype: raw.dtype() })?;
    } else {
        fields.serialize_field("data", &Bytes(&bytes))?;
    }
    fields.end()
}

/// A list of elements.
struct Elements<'a> {
    bytes: &'a [u8],
    dtype: DType,
}

impl Serialize for Elements<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let size = self.dtype.size();
        let mut list = serializer.serialize_seq(Some(self.bytes.len() / size))?;
        for part in self.bytes.chunks(size * AT_ONCE) {
            for element in scalars(self.dtype, part) {
                list.serialize_element(&Element(element, self.dtype))?;
            }
        }
        list.end()
    }
}

struct Element(Scalar, DType);

impl Serialize for Element {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Scalar::Bool(value) => serializer.serialize_bool(value),
            Scalar::Int(value) => serializer.serialize_i64(value),
            Scalar::UInt(value) => serializer.serialize_u64(value),
            Scalar::Float(value) => Float(value, self.1).serialize(serializer),
            Scalar::Complex(re, im) => {
                let real = self.1.real();
                [Float(re, real), Float(im, real)].serialize(serializer)
            }
        }
    }
}

struct Float(f64, DType);

impl Serialize for Float {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            value if value.is_nan() => serializer.serialize_str("nan"),
            f64::INFINITY => serializer.serialize_str("inf"),
            f64::NEG_INFINITY => serializer.serialize_str("-inf"),
            // With the digits that single precision needs.
            value if self.1 != DType::Float64 => serializer.serialize_f32(value as f32),
            value => serializer.serialize_f64(value),
        }
    }
}

struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// Reads a whole array.
struct Whole {
    wanted: DType,
    is_text: bool,
}

impl Whole {
    /// The array of its parts.
    fn array<E: serde::de::Error>(&self, shape: &[usize], bytes: &[u8]) -> Result<Raw, E> {
        let dims = shape.into_dims();
        let size = self.wanted.size();
        let needed = dims.shape("deserialize", size).map_err(E::custom)?.size();
        if bytes.len() != needed * size {
            let there = bytes.len() / size;
            return Err(E::custom(format!("an array of shape {shape:?} has {needed} elements, not {there}")));
        }
        upload(dims, self.wanted, bytes).map_err(E::custom)
    }

    fn check<E: serde::de::Error>(&self, found: &str) -> Result<(), E> {
        if found == self.wanted.to_string() {
            return Ok(());
        }
        let known = DType::ALL.into_iter().find(|dtype| dtype.to_string() == found);
        let help = known.map_or_else(String::new, |dtype| format!("; ask for `GpuArray<{}>`", dtype.rust()));
        Err(E::custom(format!("an array of {found}, not {}{help}", self.wanted)))
    }
}

impl<'de> Visitor<'de> for Whole {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a map of `dtype`, `shape` and `data`, an array of {}", self.wanted)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let (mut shape, mut bytes, mut is_checked) = (None::<Vec<usize>>, None::<Vec<u8>>, false);
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                "dtype" => {
                    self.check(&map.next_value::<String>()?)?;
                    is_checked = true;
                }
                "shape" => shape = Some(map.next_value()?),
                "data" => {
                    bytes = Some(map.next_value_seed(Data { dtype: self.wanted, is_text: self.is_text })?)
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        if !is_checked {
            return Err(A::Error::missing_field("dtype"));
        }
        let shape = shape.ok_or_else(|| A::Error::missing_field("shape"))?;
        let bytes = bytes.ok_or_else(|| A::Error::missing_field("data"))?;
        self.array(&shape, &bytes)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Raw, A::Error> {
        let short = |number: usize| A::Error::invalid_length(number, &"`dtype`, `shape` and `data`");
        let found: String = list.next_element()?.ok_or_else(|| short(0))?;
        self.check(&found)?;
        let shape: Vec<usize> = list.next_element()?.ok_or_else(|| short(1))?;
        let data = Data { dtype: self.wanted, is_text: self.is_text };
        let bytes = list.next_element_seed(data)?.ok_or_else(|| short(2))?;
        self.array(&shape, &bytes)
    }
}

/// Reads the elements as bytes.
struct Data {
    dtype: DType,
    is_text: bool,
}

impl<'de> DeserializeSeed<'de> for Data {
    type Value = Vec<u8>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<u8>, D::Error> {
        if self.is_text {
            deserializer.deserialize_seq(self)
        } else {
            deserializer.deserialize_byte_buf(self)
        }
    }
}

impl<'de> Visitor<'de> for Data {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the elements of an array of {}", self.dtype)
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        self.visit_byte_buf(bytes.to_vec())
    }

    fn visit_byte_buf<E: serde::de::Error>(self, mut bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        if self.dtype == DType::Bool {
            bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
        }
        Ok(bytes)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<u8>, A::Error> {
        let mut bytes = Vec::new();
        if !self.is_text {
            // A format without bytes has a list of them.
            while let Some(byte) = list.next_element::<u8>()? {
                bytes.push(byte);
            }
            return self.visit_byte_buf(bytes);
        }
        while let Some(Read(scalar)) = list.next_element::<Read>()? {
            // Rounded, as a literal is; whole numbers must fit.
            let element = match scalar {
                Scalar::Int(_) | Scalar::UInt(_) if self.dtype.is_float() => {
                    Scalar::Float(scalar.real().unwrap_or(f64::NAN))
                }
                other => other,
            };
            let wrong =
                || A::Error::custom(format!("{scalar} is not an element of an array of {}", self.dtype));
            bytes.extend_from_slice(element.to_bytes(self.dtype).ok_or_else(wrong)?.bytes());
        }
        Ok(bytes)
    }
}

/// An element of any type.
struct Read(Scalar);

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Read, D::Error> {
        deserializer.deserialize_any(OneElement).map(Read)
    }
}

struct OneElement;

impl<'de> Visitor<'de> for OneElement {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, true, false, \"nan\", \"inf\", \"-inf\" or [re, im]")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Scalar, E> {
        Ok(Scalar::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Scalar, E> {
        Ok(Scalar::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Scalar, E> {
        Ok(i64::try_from(value).map_or(Scalar::UInt(value), Scalar::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Scalar, E> {
        Ok(Scalar::Float(value))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Scalar, E> {
        match text {
            "nan" => Ok(Scalar::Float(f64::NAN)),
            "inf" => Ok(Scalar::Float(f64::INFINITY)),
            "-inf" => Ok(Scalar::Float(f64::NEG_INFINITY)),
            _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Scalar, A::Error> {
        let mut part = || match list.next_element::<Read>()? {
            Some(Read(scalar)) => {
                scalar.real().ok_or_else(|| A::Error::custom("a part of a complex number is a number"))
            }
            None => Err(A::Error::invalid_length(1, &"[re, im]")),
        };
        Ok(Scalar::Complex(part()?, part()?))
    }
}

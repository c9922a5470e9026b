//! Named values that texts of kernels are made with: those of a template, and
//! one choice of a tuner.

use gpurepl_kernels::DType;

/// A value that a kernel's text is made with: a number, a text, or several of
/// them. Whatever [`context!`](crate::kernel::KernelValues) takes becomes one.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum KernelValue {
    /// Nothing, as `None` is.
    Nothing,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number beyond [`i64::MAX`].
    UInt(u64),
    /// A number with a fraction.
    Float(f64),
    /// A text, also the name of a type.
    Text(String),
    /// Several values.
    List(Vec<KernelValue>),
    /// Values by names.
    Values(KernelValues),
}

/// Values by their names, in the order in which they were given; `context!` makes them.
///
/// ```
/// use gpurepl_prelude::*;
/// let block_size = 256;
/// let values = context! { type_name => f32::DTYPE, block_size, unroll => [1, 2, 4] };
/// assert_eq!(values.to_string(), "type_name = float, block_size = 256, unroll = [1, 2, 4]");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelValues {
    pairs: Vec<(String, KernelValue)>,
}

impl KernelValues {
    /// No values.
    pub fn new() -> KernelValues {
        KernelValues::default()
    }

    /// Gives a name a value, in the place of an older one.
    pub fn set(&mut self, name: &str, value: impl Into<KernelValue>) {
        self.put(name, value.into());
    }

    fn put(&mut self, name: &str, value: KernelValue) {
        match self.pairs.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.pairs.push((name.to_owned(), value)),
        }
    }

    /// Adds all values of another one, in the place of those that have the same names.
    pub fn extend(&mut self, other: &KernelValues) {
        for (name, value) in &other.pairs {
            self.put(name, value.clone());
        }
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&KernelValue> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &KernelValue)> {
        self.pairs.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The values as options of a compiler that define macros: `-DBLOCK=256`.
    pub fn defines(&self) -> Vec<String> {
        let define = |(name, value): (&str, &KernelValue)| match value {
            KernelValue::Bool(value) => format!("-D{name}={}", i32::from(*value)),
            value => format!("-D{name}={value}"),
        };
        self.iter().map(define).collect()
    }
}

impl From<&KernelValues> for KernelValues {
    fn from(values: &KernelValues) -> KernelValues {
        values.clone()
    }
}

impl From<&&KernelValues> for KernelValues {
    fn from(values: &&KernelValues) -> KernelValues {
        (*values).clone()
    }
}

impl<V: Into<KernelValue>, const N: usize> From<[(&str, V); N]> for KernelValues {
    fn from(pairs: [(&str, V); N]) -> KernelValues {
        let mut values = KernelValues::new();
        for (name, value) in pairs {
            values.put(name, value.into());
        }
        values
    }
}

impl serde::Serialize for KernelValues {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl std::fmt::Display for KernelValue {
    /// As a kernel's text has it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            KernelValue::Nothing => f.write_str("none"),
            KernelValue::Bool(value) => write!(f, "{value}"),
            KernelValue::Int(value) => write!(f, "{value}"),
            KernelValue::UInt(value) => write!(f, "{value}"),
            KernelValue::Float(value) => write!(f, "{value:?}"),
            KernelValue::Text(value) => f.write_str(value),
            KernelValue::List(values) => {
                for (k, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if k == 0 { "[" } else { ", " })?;
                }
                f.write_str(if values.is_empty() { "[]" } else { "]" })
            }
            KernelValue::Values(values) => write!(f, "{{ {values} }}"),
        }
    }
}

impl std::fmt::Display for KernelValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (k, (name, value)) in self.iter().enumerate() {
            write!(f, "{}{name} = {value}", if k == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

macro_rules! whole_numbers {
    ($($t:ty)*) => {$(
        impl From<$t> for KernelValue {
            fn from(value: $t) -> KernelValue {
                match i64::try_from(value) {
                    Ok(value) => KernelValue::Int(value),
                    // Only what is beyond `i64::MAX` comes here.
                    Err(_) => KernelValue::UInt(value as u64),
                }
            }
        }
    )*};
}
whole_numbers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

impl From<f64> for KernelValue {
    fn from(value: f64) -> KernelValue {
        KernelValue::Float(value)
    }
}

impl From<f32> for KernelValue {
    /// The number that is written in the same way: 0.1, not 0.10000000149011612.
    fn from(value: f32) -> KernelValue {
        KernelValue::Float(value.to_string().parse().unwrap_or(f64::from(value)))
    }
}

impl From<bool> for KernelValue {
    fn from(value: bool) -> KernelValue {
        KernelValue::Bool(value)
    }
}

impl From<&str> for KernelValue {
    fn from(value: &str) -> KernelValue {
        KernelValue::Text(value.to_owned())
    }
}

impl From<String> for KernelValue {
    fn from(value: String) -> KernelValue {
        KernelValue::Text(value)
    }
}

impl From<char> for KernelValue {
    fn from(value: char) -> KernelValue {
        KernelValue::Text(value.to_string())
    }
}

impl From<DType> for KernelValue {
    /// The type's name in CUDA C.
    fn from(value: DType) -> KernelValue {
        KernelValue::Text(value.c().to_owned())
    }
}

impl From<KernelValues> for KernelValue {
    fn from(values: KernelValues) -> KernelValue {
        KernelValue::Values(values)
    }
}

impl<T: Into<KernelValue> + Clone> From<&T> for KernelValue {
    fn from(value: &T) -> KernelValue {
        value.clone().into()
    }
}

impl<T: Into<KernelValue>> From<Option<T>> for KernelValue {
    fn from(value: Option<T>) -> KernelValue {
        value.map_or(KernelValue::Nothing, Into::into)
    }
}

impl<T: Into<KernelValue>> From<Vec<T>> for KernelValue {
    fn from(values: Vec<T>) -> KernelValue {
        KernelValue::List(values.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<KernelValue>, const N: usize> From<[T; N]> for KernelValue {
    fn from(values: [T; N]) -> KernelValue {
        KernelValue::List(values.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<KernelValue> + Clone> From<&[T]> for KernelValue {
    fn from(values: &[T]) -> KernelValue {
        KernelValue::List(values.iter().cloned().map(Into::into).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_value() {
        for (value, text) in [
            (KernelValue::from(u64::MAX), "18446744073709551615"),
            (i64::MIN.into(), "-9223372036854775808"),
            (0.1f32.into(), "0.1"),
            (2.0f32.into(), "2.0"),
            (1e300.into(), "1e300"),
            (f32::MAX.into(), "3.4028235e38"),
            (true.into(), "true"),
            (None::<i32>.into(), "none"),
            (vec!["a", "b"].into(), "[a, b]"),
            (Vec::<i32>::new().into(), "[]"),
            (DType::UInt64.into(), "unsigned long long"),
        ] {
            assert_eq!(value.to_string(), text);
        }
    }

    #[test]
    fn a_name_has_one_value() {
        let mut values = KernelValues::new();
        values.set("a", 1);
        values.set("b", true);
        values.set("a", 2);
        assert_eq!(values.to_string(), "a = 2, b = true");
        assert_eq!(values.defines(), ["-Da=2", "-Db=1"]);
    }
}

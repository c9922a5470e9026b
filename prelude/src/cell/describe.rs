//! What variables are, as their memory says: for `:vars` and `:mem`.
//!
//! The session names each variable's type, in full and as the compiler wrote
//! it, and the fingerprint that the variable was put with. Types that are
//! known here are read; of others their size is all there is to say. So no
//! cell compiles anything for it.

use gpurepl_wire::{ArrayReport, SlotName, SlotReport};

use super::store;
use gpurepl_arrays::array::Raw;

/// Describes variables; those that hold nothing are left out.
pub(crate) fn describe(names: &[SlotName]) -> Vec<SlotReport> {
    names.iter().filter_map(describe_one).collect()
}

fn describe_one(slot: &SlotName) -> Option<SlotReport> {
    let size = store::size(&slot.name)?;
    let mut report = SlotReport { name: slot.name.clone(), size: size as u64, ..SlotReport::default() };
    let of = slot.type_name.as_str();
    if of.starts_with("gpurepl_prelude::GpuArray<") && of.ends_with('>') && !of.contains("dyn ") {
        // SAFETY: the slot holds a value of the type that the session states,
        // since the fingerprint, which hashes the type, is the slot's own; and
        // every `GpuArray<T>` is a transparent wrapper of `Raw`.
        report.array = unsafe { store::peek::<Raw, _>(slot, describe_array) };
    } else {
        report.length = length(slot);
    }
    Some(report)
}

fn describe_array(raw: &Raw) -> ArrayReport {
    let place = raw.place_if_ready();
    ArrayReport {
        dtype: raw.dtype().to_string(),
        shape: raw.shape().lengths().iter().map(|length| *length as u64).collect(),
        device: place.as_ref().map(|place| place.buffer.context().device().id().to_owned()),
        bytes: (raw.shape().size() * raw.dtype().size()) as u64,
        memory: place.map_or(0, |place| place.buffer.address()),
    }
}

/// The length of a list or a text of a type that is known here.
fn length(slot: &SlotName) -> Option<u64> {
    macro_rules! known {
        ($($name:literal => $type:ty, $method:ident;)*) => {
            match slot.type_name.as_str() {
                // SAFETY: the type that the session states is the slot's own,
                // as above, and it is the very type that is read.
                $($name => unsafe { store::peek::<$type, _>(slot, |value| value.$method() as u64) },)*
                _ => None,
            }
        };
    }
    known! {
        "std::string::String" => String, len;
        "&str" => &'static str, len;
        "&'static str" => &'static str, len;
        "std::vec::Vec<bool>" => Vec<bool>, len;
        "std::vec::Vec<char>" => Vec<char>, len;
        "std::vec::Vec<u8>" => Vec<u8>, len;
        "std::vec::Vec<u16>" => Vec<u16>, len;
        "std::vec::Vec<u32>" => Vec<u32>, len;
        "std::vec::Vec<u64>" => Vec<u64>, len;
        "std::vec::Vec<usize>" => Vec<usize>, len;
        "std::vec::Vec<i8>" => Vec<i8>, len;
        "std::vec::Vec<i16>" => Vec<i16>, len;
        "std::vec::Vec<i32>" => Vec<i32>, len;
        "std::vec::Vec<i64>" => Vec<i64>, len;
        "std::vec::Vec<isize>" => Vec<isize>, len;
        "std::vec::Vec<f32>" => Vec<f32>, len;
        "std::vec::Vec<f64>" => Vec<f64>, len;
        "std::vec::Vec<std::string::String>" => Vec<String>, len;
        "std::vec::Vec<&str>" => Vec<&'static str>, len;
        "std::vec::Vec<std::vec::Vec<f32>>" => Vec<Vec<f32>>, len;
        "std::vec::Vec<std::vec::Vec<f64>>" => Vec<Vec<f64>>, len;
        "std::vec::Vec<std::vec::Vec<i32>>" => Vec<Vec<i32>>, len;
        "std::boxed::Box<[f32]>" => Box<[f32]>, len;
        "std::boxed::Box<[f64]>" => Box<[f64]>, len;
        "std::boxed::Box<[i32]>" => Box<[i32]>, len;
        "std::boxed::Box<[u8]>" => Box<[u8]>, len;
        "std::boxed::Box<str>" => Box<str>, len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The store is one for the process; the names are this test's own.
    #[test]
    fn only_a_stated_fingerprint_lets_memory_be_read() {
        let _alone = gpurepl_ground::interrupt::exclusive::alone();
        super::store::set_fingerprints(vec![("described".to_owned(), 41), ("described_too".to_owned(), 42)]);
        super::store::put("described", vec![1i32, 2, 3]);
        super::store::put("described_too", crate::ones::<f32>((2, 3)));
        let slot = |name: &str, type_name: &str, fingerprint| SlotName {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
            fingerprint,
        };
        let described = describe(&[
            slot("described", "std::vec::Vec<i32>", 41),
            slot("described_too", "gpurepl_prelude::GpuArray<f32>", 42),
            slot("described", "std::vec::Vec<i32>", 40),
            slot("no_such_variable", "i32", 1),
        ]);
        assert_eq!(described.len(), 3);
        assert_eq!((described[0].length, described[0].size), (Some(3), size_of::<Vec<i32>>() as u64));
        let array = described[1].array.as_ref().unwrap();
        assert_eq!((array.dtype.as_str(), array.shape.as_slice(), array.bytes), ("float32", &[2, 3][..], 24));
        assert_eq!(described[2].length, None, "another fingerprint");
        super::store::forget(&["described".to_owned(), "described_too".to_owned()]);
    }
}

//! Statics that keep their values from cell to cell.
//!
//! An item is repeated in each cell that reaches it, and a static in it would
//! be a new one each time. So the first cell that is loaded with a static
//! defines it under a name of its own; in later cells the definition becomes
//! a declaration of that name, and the loader finds the one there is.
//!
//! ```text
//! static N: AtomicU32 = AtomicU32::new(0);
//! #[unsafe(export_name = "__gr_st_4")] static N: AtomicU32 = AtomicU32::new(0);
//! unsafe extern "Rust" { #[link_name = "__gr_st_4"] safe static N: AtomicU32; }
//! ```

use std::collections::HashMap;

use super::items::{KeptItem, StaticPlace};

/// What tells one static from another: the text of the item it stands in, its
/// number there, and what its type means.
type Key = (String, usize, u64);

/// What a type's text means as the items stand.
type Fingerprint<'a> = &'a dyn Fn(&str) -> u64;

/// The statics of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Statics {
    /// The symbol of each static that a loaded cell defines.
    defined: HashMap<Key, String>,
    /// How often one was forgotten: what is defined anew is a new one.
    generation: u64,
}

impl Statics {
    /// An item as it is to be repeated.
    pub(super) fn written(&self, item: &KeptItem, fingerprint: Fingerprint<'_>) -> KeptItem {
        let mut written = item.clone();
        // From the last to the first, so that places before stay.
        let mut places: Vec<&StaticPlace> = item.statics.iter().collect();
        places.sort_by_key(|place| std::cmp::Reverse(place.range.start));
        for place in places {
            let key = key(item, place, fingerprint);
            match self.defined.get(&key) {
                Some(symbol) => {
                    let text = declaration(item, place, symbol);
                    written.text.replace_range(place.range.clone(), &text);
                }
                None => {
                    let symbol = self.symbol(&key);
                    let attribute = format!("#[unsafe(export_name = \"{symbol}\")] ");
                    written.text.insert_str(place.visibility.start, &attribute);
                }
            }
        }
        written
    }

    /// A symbol for a static that is not defined yet. It is a hash, so that
    /// the cell that defines it and the note that it has agree.
    fn symbol(&self, (text, number, fingerprint): &Key) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(text.as_bytes());
        for part in [*number as u64, *fingerprint, self.generation] {
            hasher.update(&part.to_le_bytes());
        }
        format!("__gr_st_{}", &hasher.finalize().to_hex()[..24])
    }

    /// Notes that a cell with this item has been loaded.
    pub(super) fn define(&mut self, item: &KeptItem, fingerprint: Fingerprint<'_>) {
        for place in &item.statics {
            let key = key(item, place, fingerprint);
            let symbol = self.symbol(&key);
            self.defined.entry(key).or_insert(symbol);
        }
    }

    /// None is defined any more.
    pub(super) fn forget_all(&mut self) {
        self.defined.clear();
        self.generation += 1;
    }

    /// How often one was forgotten.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// Whether one is defined.
    pub(super) fn has_any(&self) -> bool {
        !self.defined.is_empty()
    }

    /// The item is replaced. Should its text come back, its statics are new.
    pub(super) fn forget(&mut self, item: &KeptItem) {
        self.defined.retain(|(text, ..), _| *text != item.tokens);
        self.generation += 1;
    }
}

fn key(item: &KeptItem, place: &StaticPlace, fingerprint: Fingerprint<'_>) -> Key {
    (item.tokens.clone(), place.number, fingerprint(&item.text[place.type_range.clone()]))
}

/// The declaration of a static that is defined elsewhere, on as many lines as
/// its definition has.
fn declaration(item: &KeptItem, place: &StaticPlace, symbol: &str) -> String {
    let of = &item.text[place.type_range.clone()];
    let visibility = &item.text[place.visibility.clone()];
    let (safety, mutability) = if place.is_mutable { ("", "mut ") } else { ("safe ", "") };
    let lines = item.text[place.range.clone()].matches('\n').count() - of.matches('\n').count();
    format!(
        "unsafe extern \"Rust\" {{ #[link_name = \"{symbol}\"] {visibility} {safety}static {mutability}{}: {of}; {}}}",
        place.name,
        "\n".repeat(lines)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rustc::items::items;

    fn item(source: &str) -> KeptItem {
        items(source).remove(0)
    }

    #[test]
    fn a_static_is_defined_once_and_declared_afterwards() {
        let item =
            item("fn next() -> u32 {\n    static N: AtomicU32 =\n        AtomicU32::new(0);\n    1\n}");
        let mut statics = Statics::default();
        let first = statics.written(&item, &|_| 0).text;
        assert!(first.contains("#[unsafe(export_name = \"__gr_st_"), "{first}");
        let symbol = first.split('"').nth(1).unwrap().to_owned();
        statics.define(&item, &|_| 0);
        let second = statics.written(&item, &|_| 0).text;
        assert!(statics.written(&item, &|_| 1).text.contains("export_name"), "another type of the same name");
        assert!(
            second.contains(&format!("#[link_name = \"{symbol}\"]  safe static N: AtomicU32;")),
            "{second}"
        );
        assert_eq!(second.matches('\n').count(), item.text.matches('\n').count(), "lines keep their numbers");
        assert!(!second.contains("AtomicU32::new"));
    }

    #[test]
    fn another_text_is_another_static() {
        let (one, two) = (item("static N: u32 = 1;"), item("static N: u32 = 2;"));
        let mut statics = Statics::default();
        statics.define(&one, &|_| 0);
        let symbol = statics.written(&one, &|_| 0).text.split('"').nth(3).unwrap().to_owned();
        assert!(statics.written(&two, &|_| 0).text.contains("export_name"));
        assert!(statics.written(&one, &|_| 0).text.contains("link_name"));
        statics.forget(&one);
        let again = statics.written(&one, &|_| 0).text;
        assert!(again.contains("export_name") && !again.contains(&symbol), "{again}");
    }
}

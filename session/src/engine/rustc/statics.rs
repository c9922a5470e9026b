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

use super::fingerprint::{Basis, Meaning};
use super::items::{KeptItem, StaticPlace};

/// What tells one static from another: the text of the item it stands in, and
/// its number there.
type Key = (String, usize);

/// The statics of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Statics {
    /// The symbol of each static that a loaded cell defines, and what its
    /// type rested on then.
    defined: HashMap<Key, (Basis, String)>,
    /// How often one was forgotten: what is redefined is a new one.
    generation: u64,
}

impl Statics {
    /// An item as it is to be repeated.
    pub(super) fn written(&self, item: &KeptItem, meaning: &Meaning<'_>) -> KeptItem {
        let mut written = item.clone();
        // From the last to the first, so that places before stay.
        let mut places: Vec<&StaticPlace> = item.statics.iter().collect();
        places.sort_by_key(|place| std::cmp::Reverse(place.range.start));
        for place in places {
            match self.symbol_of(item, place, meaning) {
                Some(symbol) => {
                    let text = declaration(item, place, symbol);
                    written.text.replace_range(place.range.clone(), &text);
                    written.move_private(place.range.end, text.len() as isize - place.range.len() as isize);
                }
                None => {
                    let symbol = self.symbol(&key(item, place), &meaning.basis(type_of(item, place)));
                    let attribute = format!("#[unsafe(export_name = \"{symbol}\")] ");
                    written.text.insert_str(place.visibility.start, &attribute);
                    written.move_private(place.visibility.start, attribute.len() as isize);
                }
            }
        }
        written
    }

    /// The symbol of a static that is defined, and whose type is what it was.
    fn symbol_of(&self, item: &KeptItem, place: &StaticPlace, meaning: &Meaning<'_>) -> Option<&str> {
        let (basis, symbol) = self.defined.get(&key(item, place))?;
        meaning.holds(type_of(item, place), basis).then_some(symbol)
    }

    /// The statics of an item that are defined, as their names.
    pub(super) fn defined_in<'a>(&self, item: &'a KeptItem, meaning: &Meaning<'_>) -> Vec<&'a str> {
        let is_defined = |place: &&StaticPlace| self.symbol_of(item, place, meaning).is_some();
        item.statics.iter().filter(is_defined).map(|place| place.name.as_str()).collect()
    }

    /// A symbol for a static that is not defined yet. It is a hash, so that
    /// the cell that defines it and the note that it has agree.
    fn symbol(&self, (text, number): &Key, basis: &Basis) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(text.as_bytes());
        for part in [*number as u64, basis.hash, self.generation] {
            hasher.update(&part.to_le_bytes());
        }
        format!("__gr_st_{}", &hasher.finalize().to_hex()[..24])
    }

    /// Notes that a cell with these items has been loaded.
    pub(super) fn define<'a>(&mut self, items: impl Iterator<Item = &'a KeptItem>, meaning: &Meaning<'_>) {
        let mut is_replaced = false;
        for item in items {
            for place in &item.statics {
                if self.symbol_of(item, place, meaning).is_none() {
                    let (key, basis) = (key(item, place), meaning.basis(type_of(item, place)));
                    let symbol = self.symbol(&key, &basis);
                    is_replaced |= self.defined.insert(key, (basis, symbol)).is_some();
                }
            }
        }
        // Should the type become what it was, the static is a new one still.
        self.generation += u64::from(is_replaced);
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
        self.defined.retain(|(text, _), _| *text != item.tokens);
        self.generation += 1;
    }
}

fn key(item: &KeptItem, place: &StaticPlace) -> Key {
    (item.tokens.clone(), place.number)
}

fn type_of<'a>(item: &'a KeptItem, place: &StaticPlace) -> &'a str {
    &item.text[place.type_range.clone()]
}

/// The declaration of a static that is defined elsewhere, on as many lines as
/// its definition has.
fn declaration(item: &KeptItem, place: &StaticPlace, symbol: &str) -> String {
    let of = &item.text[place.type_range.clone()];
    let visibility = &item.text[place.visibility.clone()];
    let (safety, mutability) = if place.is_mutable { ("", "mut ") } else { ("safe ", "") };
    let lines = item.text[place.range.clone()].matches('\n').count() - of.matches('\n').count();
    // SAFETY of the generated block: the symbol is that of a static of this
    // type, as `symbol_of` has it only while the type means what it meant where
    // the static was defined; the cell that defines it was loaded before and is
    // never unloaded. Only this module writes names that begin so. A `static
    // mut` is not `safe`: who uses it answers for that, as anywhere.
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
        let none = &Meaning::new(&[], &[], 0);
        let first = statics.written(&item, none).text;
        assert!(first.contains("#[unsafe(export_name = \"__gr_st_"), "{first}");
        let symbol = first.split('"').nth(1).unwrap().to_owned();
        statics.define([&item].into_iter(), none);
        let second = statics.written(&item, none).text;
        let others = items("struct AtomicU32(u8);");
        let other = &Meaning::new(&others, &[], 0);
        assert!(statics.written(&item, other).text.contains("export_name"), "another type of the same name");
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
        let none = &Meaning::new(&[], &[], 0);
        statics.define([&one].into_iter(), none);
        let symbol = statics.written(&one, none).text.split('"').nth(3).unwrap().to_owned();
        assert!(statics.written(&two, none).text.contains("export_name"));
        assert!(statics.written(&one, none).text.contains("link_name"));
        statics.forget(&one);
        let again = statics.written(&one, none).text;
        assert!(again.contains("export_name") && !again.contains(&symbol), "{again}");
    }
}

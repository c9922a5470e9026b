//! The items of cells that evcxr has evaluated: it keeps them to itself, and
//! completion needs their text.

use std::collections::BTreeMap;

use syn::spanned::Spanned as _;
use syn::{Block, Item, Stmt};

use crate::engine::{self, Definitions};

/// Items by their names; implementations, which have none, by their text.
#[derive(Debug, Default)]
pub(super) struct Defined {
    items: BTreeMap<String, engine::Item>,
    uses: Vec<String>,
}

impl Defined {
    /// Takes the items of a cell; one of the same name goes.
    pub(super) fn add(&mut self, source: &str, cell: u64) {
        proc_macro2::extra::invalidate_current_thread_spans();
        let text = format!("{{{source}\n}}");
        let Ok(block) = syn::parse_str::<Block>(&text) else { return };
        for statement in block.stmts {
            let Stmt::Item(item) = statement else { continue };
            let Some(own) = text.get(item.span().byte_range()) else { continue };
            let name = match &item {
                Item::Use(_) => {
                    self.uses.retain(|known| known != own);
                    self.uses.push(own.to_owned());
                    continue;
                }
                Item::Fn(item) => item.sig.ident.to_string(),
                Item::Struct(item) => item.ident.to_string(),
                Item::Enum(item) => item.ident.to_string(),
                Item::Union(item) => item.ident.to_string(),
                Item::Trait(item) => item.ident.to_string(),
                Item::Type(item) => item.ident.to_string(),
                Item::Const(item) => item.ident.to_string(),
                Item::Static(item) => item.ident.to_string(),
                Item::Mod(item) => item.ident.to_string(),
                _ => own.to_owned(),
            };
            self.items.insert(name, engine::Item { text: own.to_owned(), cell });
        }
    }

    pub(super) fn definitions(&self) -> Definitions {
        Definitions {
            uses: self.uses.clone(),
            items: self.items.values().cloned().collect(),
            ..Definitions::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_items_of_cells_are_kept_the_newest_of_each_name() {
        let mut defined = Defined::default();
        defined.add("use std::fmt;\nfn f() {}\nlet a = 1;", 1);
        defined.add("fn f() -> u8 { 1 }\nimpl P {}", 2);
        defined.add("not Rust at all (", 3);
        let definitions = defined.definitions();
        assert_eq!(definitions.uses, ["use std::fmt;"]);
        let items: Vec<&str> = definitions.items.iter().map(|item| item.text.as_str()).collect();
        assert_eq!(items, ["fn f() -> u8 { 1 }", "impl P {}"]);
    }
}

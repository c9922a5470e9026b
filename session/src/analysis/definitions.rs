//! What a session's own cells have made.

use std::sync::OnceLock;

use quote::ToTokens as _;
use syn::{Attribute, Expr, ImplItem, Item, Lit, Meta, TraitItem, Type};

use super::CandidateKind as Kind;
use super::signature;
use crate::engine::{Definitions, Variable};

/// What a session knew after its last cell.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) variables: Vec<Variable>,
    pub(super) definitions: Definitions,
    /// Read when someone first asks: most cells are followed by another
    /// before anybody does.
    items: OnceLock<Vec<Definition>>,
}

/// An item of the session's, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    pub(super) kind: Kind,
    pub(super) name: String,
    /// The type or the trait that it belongs to; empty for an item.
    pub(super) owner: String,
    pub(super) signature: String,
    pub(super) doc: String,
    /// The text of the whole item.
    pub(super) source: String,
    pub(super) cell: u64,
}

impl Known {
    pub(super) fn new(variables: Vec<Variable>, definitions: Definitions) -> Known {
        Known { variables, definitions, items: OnceLock::new() }
    }

    /// The session's items and their parts.
    pub(super) fn items(&self) -> &[Definition] {
        self.items.get_or_init(|| {
            let mut all = Vec::new();
            for item in &self.definitions.items {
                read(&item.text, item.cell, &mut all);
            }
            all
        })
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// The names that `use` has brought.
    pub(super) fn imported(&self) -> impl Iterator<Item = (&str, &str)> {
        self.definitions.uses.iter().filter_map(|text| {
            let path = text.trim().strip_prefix("use ")?.trim_end_matches(';').trim();
            let name = match path.split_once(" as ") {
                Some((_, name)) => name.trim(),
                None => path.rsplit("::").next()?.trim(),
            };
            (name != "*" && name != "_").then_some((name, path))
        })
    }
}

/// Reads the items of a text, such as what stands before the cursor.
pub(super) fn read(text: &str, cell: u64, into: &mut Vec<Definition>) {
    proc_macro2::extra::invalidate_current_thread_spans();
    let Ok(file) = syn::parse_file(text) else { return };
    let mut reader = Reader { source: text.trim(), cell, found: into };
    for item in &file.items {
        reader.item(item);
    }
}

/// Reads the items of one text.
struct Reader<'a> {
    source: &'a str,
    cell: u64,
    found: &'a mut Vec<Definition>,
}

impl Reader<'_> {
    fn add(&mut self, kind: Kind, name: String, owner: &str, attributes: &[Attribute], signature: String) {
        let (owner, doc, source) = (owner.to_owned(), documentation(attributes), self.source.to_owned());
        self.found.push(Definition { kind, name, owner, signature, doc, source, cell: self.cell });
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Fn(item) => self.function(Kind::Function, &item.sig, "", &item.attrs),
            Item::Struct(item) => self.structure(item),
            Item::Enum(item) => self.enumeration(item),
            Item::Trait(item) => self.of_trait(item),
            Item::Impl(item) => self.implementation(item),
            Item::Const(item) => self.constant("const", &item.ident, &item.ty, "", &item.attrs),
            Item::Static(item) => self.constant("static", &item.ident, &item.ty, "", &item.attrs),
            Item::Type(item) => {
                let name = item.ident.to_string();
                let signature = format!("type {name} = {}", signature::text(item.ty.to_token_stream()));
                self.add(Kind::Struct, name, "", &item.attrs, signature);
            }
            Item::Mod(item) => self.module(item),
            Item::Macro(item) => {
                let Some(name) = &item.ident else { return };
                self.add(Kind::Macro, name.to_string(), "", &item.attrs, format!("macro {name}!"));
            }
            _ => {}
        }
    }

    fn function(&mut self, kind: Kind, of: &syn::Signature, owner: &str, attributes: &[Attribute]) {
        self.add(kind, of.ident.to_string(), owner, attributes, signature::text(of.to_token_stream()));
    }

    fn constant(&mut self, word: &str, name: &syn::Ident, of: &Type, owner: &str, attributes: &[Attribute]) {
        let signature = format!("{word} {name}: {}", signature::text(of.to_token_stream()));
        self.add(Kind::Constant, name.to_string(), owner, attributes, signature);
    }

    fn structure(&mut self, item: &syn::ItemStruct) {
        let name = item.ident.to_string();
        for (number, field) in item.fields.iter().enumerate() {
            let own = field.ident.as_ref().map_or_else(|| number.to_string(), ToString::to_string);
            let signature = format!("{own}: {}", signature::text(field.ty.to_token_stream()));
            self.add(Kind::Field, own, &name, &field.attrs, signature);
        }
        let generics = signature::text(item.generics.to_token_stream());
        self.add(Kind::Struct, name.clone(), "", &item.attrs, format!("struct {name}{generics}"));
    }

    fn enumeration(&mut self, item: &syn::ItemEnum) {
        let name = item.ident.to_string();
        for variant in &item.variants {
            let fields = signature::text(variant.fields.to_token_stream());
            let signature = format!("{name}::{}{fields}", variant.ident);
            self.add(Kind::Variant, variant.ident.to_string(), &name, &variant.attrs, signature);
        }
        let generics = signature::text(item.generics.to_token_stream());
        self.add(Kind::Enum, name.clone(), "", &item.attrs, format!("enum {name}{generics}"));
    }

    fn of_trait(&mut self, item: &syn::ItemTrait) {
        let name = item.ident.to_string();
        for member in &item.items {
            if let TraitItem::Fn(method) = member {
                self.function(kind_of(&method.sig), &method.sig, &name, &method.attrs);
            }
        }
        self.add(Kind::Trait, name.clone(), "", &item.attrs, format!("trait {name}"));
    }

    fn implementation(&mut self, item: &syn::ItemImpl) {
        let Type::Path(of) = &*item.self_ty else { return };
        let Some(owner) = of.path.segments.last().map(|segment| segment.ident.to_string()) else {
            return;
        };
        for member in &item.items {
            match member {
                ImplItem::Fn(method) => {
                    self.function(kind_of(&method.sig), &method.sig, &owner, &method.attrs);
                }
                ImplItem::Const(own) => self.constant("const", &own.ident, &own.ty, &owner, &own.attrs),
                _ => {}
            }
        }
    }

    fn module(&mut self, item: &syn::ItemMod) {
        let name = item.ident.to_string();
        self.add(Kind::Module, name.clone(), "", &item.attrs, format!("mod {name}"));
        for inner in item.content.iter().flat_map(|(_, items)| items) {
            let mut of_module = Vec::new();
            Reader { source: self.source, cell: self.cell, found: &mut of_module }.item(inner);
            for mut definition in of_module.into_iter().filter(|definition| definition.owner.is_empty()) {
                definition.owner.clone_from(&name);
                self.found.push(definition);
            }
        }
    }
}

fn kind_of(signature: &syn::Signature) -> Kind {
    if signature.receiver().is_some() { Kind::Method } else { Kind::Function }
}

fn documentation(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    let lines: Vec<String> = lines.map(|line| line.strip_prefix(' ').unwrap_or(&line).to_owned()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_taken_apart() {
        let mut all = Vec::new();
        let text = "/// A place.\nstruct P { /// Across.\n x: f32, y: Vec<u8> }\nimpl P { fn norm(&self) -> f32 { 0.0 } \
                    const ZERO: u8 = 0; }\nenum E { A(u8), B { c: i32 } }\nmod m { pub fn f(a: &'static str) {} }";
        read(text, 3, &mut all);
        let find = |owner: &str, name: &str| {
            let found = all.iter().find(|item| item.owner == owner && item.name == name);
            found.unwrap_or_else(|| panic!("{owner}::{name}")).clone()
        };
        assert_eq!(find("", "P").doc, "A place.");
        assert_eq!((find("P", "x").signature.as_str(), find("P", "x").doc.as_str()), ("x: f32", "Across."));
        assert_eq!(find("P", "norm").signature, "fn norm(&self) -> f32");
        assert_eq!(find("E", "A").signature, "E::A(u8)");
        assert_eq!(find("m", "f").signature, "fn f(a: &'static str)");
        assert_eq!(find("P", "y").cell, 3);
    }
}

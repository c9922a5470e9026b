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
    /// Read when somebody first asks: most cells are followed by another
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
    for item in &file.items {
        add(item, text.trim(), cell, into);
    }
}

fn add(item: &Item, source: &str, cell: u64, into: &mut Vec<Definition>) {
    let mut push = |kind, name: String, owner: &str, attributes: &[Attribute], signature: String| {
        let (owner, doc, source) = (owner.to_owned(), documentation(attributes), source.to_owned());
        into.push(Definition { kind, name, owner, signature, doc, source, cell });
    };
    match item {
        Item::Fn(item) => {
            let signature = signature::text(item.sig.to_token_stream());
            push(Kind::Function, item.sig.ident.to_string(), "", &item.attrs, signature);
        }
        Item::Struct(item) => {
            let name = item.ident.to_string();
            for (number, field) in item.fields.iter().enumerate() {
                let own = field.ident.as_ref().map_or_else(|| number.to_string(), ToString::to_string);
                let signature = format!("{own}: {}", signature::text(field.ty.to_token_stream()));
                push(Kind::Field, own, &name, &field.attrs, signature);
            }
            let generics = signature::text(item.generics.to_token_stream());
            push(Kind::Struct, name.clone(), "", &item.attrs, format!("struct {name}{generics}"));
        }
        Item::Enum(item) => {
            let name = item.ident.to_string();
            for variant in &item.variants {
                let fields = signature::text(variant.fields.to_token_stream());
                let signature = format!("{name}::{}{fields}", variant.ident);
                push(Kind::Variant, variant.ident.to_string(), &name, &variant.attrs, signature);
            }
            let generics = signature::text(item.generics.to_token_stream());
            push(Kind::Enum, name.clone(), "", &item.attrs, format!("enum {name}{generics}"));
        }
        Item::Trait(item) => {
            let name = item.ident.to_string();
            for member in &item.items {
                if let TraitItem::Fn(method) = member {
                    let signature = signature::text(method.sig.to_token_stream());
                    push(kind_of(&method.sig), method.sig.ident.to_string(), &name, &method.attrs, signature);
                }
            }
            push(Kind::Trait, name.clone(), "", &item.attrs, format!("trait {name}"));
        }
        Item::Impl(item) => {
            let Type::Path(of) = &*item.self_ty else { return };
            let Some(owner) = of.path.segments.last().map(|segment| segment.ident.to_string()) else {
                return;
            };
            for member in &item.items {
                match member {
                    ImplItem::Fn(method) => {
                        let signature = signature::text(method.sig.to_token_stream());
                        push(
                            kind_of(&method.sig),
                            method.sig.ident.to_string(),
                            &owner,
                            &method.attrs,
                            signature,
                        );
                    }
                    ImplItem::Const(constant) => {
                        let name = constant.ident.to_string();
                        let signature =
                            format!("const {name}: {}", signature::text(constant.ty.to_token_stream()));
                        push(Kind::Constant, name, &owner, &constant.attrs, signature);
                    }
                    _ => {}
                }
            }
        }
        Item::Const(item) => {
            let name = item.ident.to_string();
            let signature = format!("const {name}: {}", signature::text(item.ty.to_token_stream()));
            push(Kind::Constant, name, "", &item.attrs, signature);
        }
        Item::Static(item) => {
            let name = item.ident.to_string();
            let signature = format!("static {name}: {}", signature::text(item.ty.to_token_stream()));
            push(Kind::Constant, name, "", &item.attrs, signature);
        }
        Item::Type(item) => {
            let name = item.ident.to_string();
            let signature = format!("type {name} = {}", signature::text(item.ty.to_token_stream()));
            push(Kind::Struct, name, "", &item.attrs, signature);
        }
        Item::Mod(item) => {
            let name = item.ident.to_string();
            push(Kind::Module, name.clone(), "", &item.attrs, format!("mod {name}"));
            for inner in item.content.iter().flat_map(|(_, items)| items) {
                let mut of_module = Vec::new();
                add(inner, source, cell, &mut of_module);
                for mut definition in of_module.into_iter().filter(|definition| definition.owner.is_empty()) {
                    definition.owner.clone_from(&name);
                    into.push(definition);
                }
            }
        }
        Item::Macro(item) => {
            let Some(name) = &item.ident else { return };
            push(Kind::Macro, name.to_string(), "", &item.attrs, format!("macro {name}!"));
        }
        _ => {}
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

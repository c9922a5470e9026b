//! The items of a session: what cells have defined, and what replaces what.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::visit::Visit;
use syn::{Item, UseTree};

use super::device_items;
use super::references::{self, Reference};
use super::shape::{Identity, identity, normalised, private, shaped, shaping};
use super::split::{SplitItem, collect_names, plain};
use super::thread_local;

/// An item that cells repeat because they mention it.
#[derive(Clone, Debug)]
pub(super) struct KeptItem {
    /// What it replaces: an item of the same key.
    pub(super) key: String,
    /// Its text, and the column that its first line starts in, in characters.
    pub(super) text: String,
    pub(super) column: usize,
    /// The cell that defined it and its first line there, from zero.
    pub(super) cell: u64,
    pub(super) line: usize,
    /// The names that it brings into being; of a trait those of its methods
    /// too, of an enumeration those of its variants.
    pub(super) defines: HashSet<String>,
    /// The names that it mentions.
    pub(super) names: HashSet<String>,
    /// For an implementation: the type and the trait that it is about.
    pub(super) implements: Option<Implements>,
    /// Whether it is a module with an implementation in it, which nothing
    /// mentions.
    pub(super) has_implementations: bool,
    /// The methods of an inherent implementation and their places in `text`.
    pub(super) methods: Vec<(String, Range<usize>)>,
    /// Statics anywhere in it: where they stand in `text`.
    pub(super) statics: Vec<StaticPlace>,
    /// What of its text types may rest on; none if it only runs.
    pub(super) shape: Option<String>,
    /// The names that it looks up for that.
    pub(super) references: BTreeSet<Reference>,
    /// The names that it brings; those of a macro call are known by its macro.
    pub(super) brings: BTreeSet<Reference>,
    /// What the text of a macro or of a module defines, and whether there may
    /// be more: what calls name, what a module imports.
    pub(super) writes: Option<(BTreeSet<String>, bool)>,
    /// The macro that is called, if it is a call.
    pub(super) called: Option<String>,
    /// What distinguishes the types that it defines from those that it defined before.
    pub(super) identity: Identity,
    /// The module that it is repeated in, if its types were others before.
    pub(super) home: Option<String>,
    /// Where `pub(super)` has to stand for it to be seen from around a module
    /// that it is put in: what is there now, or nothing.
    pub(super) private: Vec<Range<usize>>,
    /// Whether it is a struct, an enum or a union: a type that values have.
    pub(super) is_data: bool,
    /// Whether it is another name for a type.
    pub(super) is_alias: bool,
    /// What of it types may rest on and nothing names.
    pub(super) unnamed: Vec<Unnamed>,
    /// Its tokens: two texts that differ in layout only are the same.
    pub(super) tokens: String,
    /// Whether it is a function for devices: `#[kernel]` or `#[device]` stood
    /// before it, and its text has blanks there.
    pub(super) is_for_devices: bool,
}

impl KeptItem {
    /// Whether it is a macro call, which may define items.
    pub(super) fn is_call(&self) -> bool {
        self.called.is_some()
    }

    /// The text has become longer, or shorter, before a place.
    pub(super) fn move_private(&mut self, from: usize, by: isize) {
        for place in self.private.iter_mut().filter(|place| place.start >= from) {
            *place = place.start.saturating_add_signed(by)..place.end.saturating_add_signed(by);
        }
    }
}

/// What an implementation is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Implements {
    pub(super) names_of_type: HashSet<String>,
    /// The trait's own name, without the path before it.
    pub(super) name_of_trait: Option<String>,
    /// The names in its arguments: `T` of `From<T>`.
    pub(super) names_of_arguments: HashSet<String>,
    /// Whether it has associated types or constants.
    pub(super) has_types: bool,
}

/// A part of an item that types may rest on though nothing names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unnamed {
    /// What it implements; none for a macro call, which may define anything.
    pub(super) implements: Option<Implements>,
    /// What of its text can matter to a type.
    pub(super) text: String,
    /// The names that it looks up.
    pub(super) references: BTreeSet<Reference>,
}

/// A static within an item's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StaticPlace {
    /// Which it is in its item, counted when the item was read.
    pub(super) number: usize,
    /// The whole definition.
    pub(super) range: Range<usize>,
    /// Its visibility and attributes, as far as they stand in front.
    pub(super) name: String,
    pub(super) type_range: Range<usize>,
    pub(super) visibility: Range<usize>,
    pub(super) is_mutable: bool,
}

/// One name of a `use` declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UseLeaf {
    /// The name that it brings; none for `*`.
    pub(super) name: Option<String>,
    /// A declaration for it alone.
    pub(super) text: String,
    /// The names of its path.
    pub(super) path: Vec<String>,
    pub(super) cell: u64,
    pub(super) line: usize,
}

/// What an item of a cell is to the session: usually one item, or the leaves
/// of a `use`.
pub(super) enum Parsed {
    Items(Vec<KeptItem>),
    Use(Vec<UseLeaf>),
}

/// Reads an item of a cell.
pub(super) fn read(source: &str, item: &SplitItem, cell: u64) -> Parsed {
    let range = item.range.clone();
    let (line, column) = place(source, range.start);
    if let Item::Use(declaration) = &item.item {
        let mut leaves = Vec::new();
        let lead = if declaration.leading_colon.is_some() { "::" } else { "" };
        use_leaves(&declaration.tree, lead.to_owned(), &mut Vec::new(), &mut leaves);
        let attributes: String =
            declaration.attrs.iter().map(|attribute| format!("{} ", attribute.to_token_stream())).collect();
        for leaf in &mut leaves {
            leaf.cell = cell;
            leaf.line = line;
            leaf.text = format!("{attributes}use {};", leaf.text);
        }
        return Parsed::Use(leaves);
    }
    if let Item::Macro(invocation) = &item.item
        && let Some(statics) = thread_local::statics(source, &invocation.mac)
        && let Some(items) = statics
            .iter()
            .map(|(text, at)| {
                let parsed = syn::parse_str(text).ok()?;
                Some(KeptItem { column: 0, line: place(source, *at).0, ..kept(&parsed, text, 0, cell) })
            })
            .collect()
    {
        return Parsed::Items(items);
    }
    let text = &source[range.clone()];
    Parsed::Items(vec![KeptItem { column, line, ..kept(&item.item, text, range.start, cell) }])
}

/// An item of a text that starts at a place of what was parsed.
fn kept(item: &Item, text: &str, start: usize, cell: u64) -> KeptItem {
    let tokens = item.to_token_stream();
    let mut names = HashSet::new();
    collect_names(tokens.clone(), &mut names);
    let mut statics = Statics { start, found: Vec::new() };
    statics.visit_item(item);
    let shaped = shaped(item);
    let marks = device_items::marks(item);
    let mut own = text.to_owned();
    marks.iter().for_each(|mark| blank(&mut own, mark.start - start..mark.end - start));
    KeptItem {
        key: key(item),
        text: own,
        is_for_devices: !marks.is_empty(),
        column: 0,
        cell,
        line: 0,
        defines: defined_names(item),
        implements: implements(item),
        has_implementations: has_implementations(item),
        methods: methods(item, start),
        statics: statics.found,
        shape: shaped.as_ref().map(|shaped| normalised(&shaped.to_token_stream())),
        references: shaped.as_ref().map(references::of_item).unwrap_or_default(),
        brings: references::brought(item),
        writes: match item {
            Item::Macro(own) if own.ident.is_some() => Some(references::written(own.mac.tokens.clone())),
            Item::Mod(module) => Some(references::written(
                module
                    .content
                    .iter()
                    .flat_map(|(_, own)| own)
                    .map(quote::ToTokens::to_token_stream)
                    .collect(),
            )),
            _ => None,
        },
        called: match item {
            Item::Macro(own) if own.ident.is_none() => {
                own.mac.path.segments.last().map(|segment| plain(&segment.ident))
            }
            _ => None,
        },
        identity: identity(item),
        home: None,
        private: private(item, start),
        is_data: matches!(item, Item::Struct(_) | Item::Enum(_) | Item::Union(_)),
        is_alias: matches!(item, Item::Type(_)),
        unnamed: unnamed(item),
        tokens: normalised(&tokens),
        names,
    }
}

/// Line and column in characters of a place, both from zero.
pub(super) fn place(source: &str, at: usize) -> (usize, usize) {
    let before = &source[..at];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count(), before[line_start..].chars().count())
}

/// What an item replaces: another of the same key. Types, values and macros
/// have names of their own kinds, as in Rust; an implementation is known by
/// what it is for.
fn key(item: &Item) -> String {
    let text = |tokens: TokenStream| tokens.to_string();
    match item {
        Item::Struct(item) => format!("T:{}", plain(&item.ident)),
        Item::Enum(item) => format!("T:{}", plain(&item.ident)),
        Item::Union(item) => format!("T:{}", plain(&item.ident)),
        Item::Type(item) => format!("T:{}", plain(&item.ident)),
        Item::Trait(item) => format!("T:{}", plain(&item.ident)),
        Item::TraitAlias(item) => format!("T:{}", plain(&item.ident)),
        Item::Mod(item) => format!("T:{}", plain(&item.ident)),
        Item::Fn(item) => format!("V:{}", plain(&item.sig.ident)),
        Item::Const(item) if item.ident != "_" => format!("V:{}", plain(&item.ident)),
        Item::Static(item) => format!("V:{}", plain(&item.ident)),
        Item::ExternCrate(item) => {
            format!("T:{}", item.rename.as_ref().map_or_else(|| plain(&item.ident), |(_, name)| plain(name)))
        }
        Item::Macro(item) => match &item.ident {
            Some(name) => format!("M:{}", plain(name)),
            None => format!("I:{}", text(item.mac.to_token_stream())),
        },
        Item::Impl(item) => {
            let generics = text(item.generics.to_token_stream());
            let clause = text(item.generics.where_clause.to_token_stream());
            let for_type = text(item.self_ty.to_token_stream());
            match &item.trait_ {
                Some((path, _)) => {
                    format!("IT:{generics} {} for {for_type} {clause}", text(path.to_token_stream()))
                }
                None => format!("II:{generics} {for_type} {clause}"),
            }
        }
        other => format!("I:{}", text(other.to_token_stream())),
    }
}

fn defined_names(item: &Item) -> HashSet<String> {
    let mut names = HashSet::new();
    match item {
        Item::Struct(item) => names.extend([plain(&item.ident)]),
        Item::Enum(item) => {
            names.insert(plain(&item.ident));
            names.extend(item.variants.iter().map(|variant| plain(&variant.ident)));
        }
        Item::Union(item) => names.extend([plain(&item.ident)]),
        Item::Type(item) => names.extend([plain(&item.ident)]),
        Item::Mod(item) => names.extend([plain(&item.ident)]),
        Item::Fn(item) => names.extend([plain(&item.sig.ident)]),
        Item::Const(item) => names.extend([plain(&item.ident)]),
        Item::Static(item) => names.extend([plain(&item.ident)]),
        Item::Trait(item) => {
            names.insert(plain(&item.ident));
            // Who calls a method needs the trait in scope.
            names.extend(item.items.iter().filter_map(|item| match item {
                syn::TraitItem::Fn(method) => Some(plain(&method.sig.ident)),
                syn::TraitItem::Const(constant) => Some(plain(&constant.ident)),
                syn::TraitItem::Type(associated) => Some(plain(&associated.ident)),
                _ => None,
            }));
        }
        Item::TraitAlias(item) => names.extend([plain(&item.ident)]),
        Item::ExternCrate(item) => {
            names.insert(item.rename.as_ref().map_or_else(|| plain(&item.ident), |(_, name)| plain(name)));
        }
        Item::Macro(item) => match &item.ident {
            Some(name) => names.extend([plain(name)]),
            // `thread_local! { static NAME: T = ..; }` brings the names in it.
            None => collect_names(item.mac.tokens.clone(), &mut names),
        },
        Item::ForeignMod(item) => names.extend(item.items.iter().filter_map(|item| match item {
            syn::ForeignItem::Fn(function) => Some(plain(&function.sig.ident)),
            syn::ForeignItem::Static(item) => Some(plain(&item.ident)),
            syn::ForeignItem::Type(item) => Some(plain(&item.ident)),
            _ => None,
        })),
        _ => {}
    }
    names
}

fn implements(item: &Item) -> Option<Implements> {
    let Item::Impl(item) = item else { return None };
    let first_names = |tokens: TokenStream| {
        let mut names = HashSet::new();
        collect_names(tokens, &mut names);
        names
    };
    let last = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
    let has_types =
        item.items.iter().any(|item| matches!(item, syn::ImplItem::Type(_) | syn::ImplItem::Const(_)));
    Some(Implements {
        names_of_type: first_names(item.self_ty.to_token_stream()),
        name_of_trait: last.map(|segment| plain(&segment.ident)),
        names_of_arguments: last.map(|s| first_names(s.arguments.to_token_stream())).unwrap_or_default(),
        has_types,
    })
}

fn has_implementations(item: &Item) -> bool {
    match item {
        Item::Mod(module) => module
            .content
            .iter()
            .flat_map(|(_, items)| items)
            .any(|item| matches!(item, Item::Impl(_)) || has_implementations(item)),
        _ => false,
    }
}

/// The implementations that give types, constants or constant functions, and
/// the macro calls, in an item and in its modules.
fn unnamed(item: &Item) -> Vec<Unnamed> {
    match item {
        Item::Impl(implementation) if shaped(item).is_some() => {
            let shaping = Item::Impl(shaping(implementation));
            let text = normalised(&shaping.to_token_stream());
            vec![Unnamed { implements: implements(item), text, references: references::of_item(&shaping) }]
        }
        Item::Mod(module) => {
            let mut parts: Vec<Unnamed> =
                module.content.iter().flat_map(|(_, items)| items).flat_map(unnamed).collect();
            parts.iter_mut().for_each(|part| part.text.insert_str(0, &format!("{}::", module.ident)));
            parts
        }
        Item::Macro(call) if call.ident.is_none() => {
            let text = normalised(&call.to_token_stream());
            vec![Unnamed { implements: None, text, references: references::of_item(item) }]
        }
        _ => Vec::new(),
    }
}

/// The functions of an inherent implementation and where they stand.
fn methods(item: &Item, start: usize) -> Vec<(String, Range<usize>)> {
    let Item::Impl(item) = item else { return Vec::new() };
    if item.trait_.is_some() {
        return Vec::new();
    }
    let method = |item: &syn::ImplItem| match item {
        syn::ImplItem::Fn(method) => {
            let range = method.span().byte_range();
            Some((plain(&method.sig.ident), range.start - start..range.end - start))
        }
        syn::ImplItem::Const(constant) => {
            let range = constant.span().byte_range();
            Some((plain(&constant.ident), range.start - start..range.end - start))
        }
        _ => None,
    };
    item.items.iter().filter_map(method).collect()
}

/// The statics in the text of an item.
pub(super) fn statics_in(text: &str) -> Vec<StaticPlace> {
    let mut statics = Statics { start: 0, found: Vec::new() };
    if let Ok(item) = syn::parse_str::<Item>(text) {
        statics.visit_item(&item);
    }
    statics.found
}

/// Finds statics, also within functions and modules.
struct Statics {
    start: usize,
    found: Vec<StaticPlace>,
}

impl<'ast> Visit<'ast> for Statics {
    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        let within = |range: Range<usize>| range.start - self.start..range.end - self.start;
        let whole = within(item.span().byte_range());
        let visibility = match &item.vis {
            syn::Visibility::Inherited => whole.start..whole.start,
            shown => within(shown.span().byte_range()),
        };
        self.found.push(StaticPlace {
            number: self.found.len(),
            name: plain(&item.ident),
            type_range: within(item.ty.span().byte_range()),
            visibility,
            is_mutable: matches!(item.mutability, syn::StaticMutability::Mut(_)),
            range: whole,
        });
    }
}

/// One leaf for each name of a `use` tree.
fn use_leaves(tree: &UseTree, text: String, path: &mut Vec<String>, leaves: &mut Vec<UseLeaf>) {
    let mut leaf = |name: Option<String>, text: String, path: &[String]| {
        leaves.push(UseLeaf { name, text, path: path.to_vec(), cell: 0, line: 0 });
    };
    match tree {
        UseTree::Path(part) => {
            path.push(plain(&part.ident));
            use_leaves(&part.tree, format!("{text}{}::", part.ident), path, leaves);
            path.pop();
        }
        UseTree::Name(part) => {
            // `use a::b::self` is written `use a::b`.
            if part.ident == "self" {
                let text = text.trim_end_matches("::").to_owned();
                leaf(path.last().cloned(), text, path);
            } else {
                path.push(plain(&part.ident));
                leaf(Some(plain(&part.ident)), format!("{text}{}", part.ident), path);
                path.pop();
            }
        }
        UseTree::Rename(part) => {
            let source = if part.ident == "self" {
                text.trim_end_matches("::").to_owned()
            } else {
                format!("{text}{}", part.ident)
            };
            path.push(plain(&part.ident));
            // `as _` brings a trait without a name.
            let name = (part.rename != "_").then(|| plain(&part.rename));
            leaf(name, format!("{source} as {}", part.rename), path);
            path.pop();
        }
        UseTree::Glob(_) => leaf(None, format!("{text}*"), path),
        UseTree::Group(group) => {
            for tree in &group.items {
                use_leaves(tree, text.clone(), path, leaves);
            }
        }
    }
}

/// Blanks parts of a text, keeping its lines.
pub(super) fn blank(text: &mut String, range: Range<usize>) {
    let blanked: String = text[range.clone()].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
    // A character of several bytes becomes one space: ranges further on move.
    let padded = format!("{blanked}{}", " ".repeat(range.len() - blanked.len()));
    text.replace_range(range, &padded);
}

/// The items of a cell, for tests.
#[cfg(test)]
pub(super) fn items(source: &str) -> Vec<KeptItem> {
    let split = super::split::split(source).unwrap().with_macros_as_items();
    let read = split.items.iter().map(|item| read(source, item, 1));
    read.flat_map(|parsed| match parsed {
        Parsed::Items(items) => items,
        Parsed::Use(_) => Vec::new(),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rustc::split::split;

    fn leaves(source: &str) -> Vec<(Option<String>, String)> {
        let split = split(source).unwrap();
        match read(source, &split.items[0], 1) {
            Parsed::Use(leaves) => leaves.into_iter().map(|leaf| (leaf.name, leaf.text)).collect(),
            Parsed::Items(_) => panic!("a use"),
        }
    }

    #[test]
    fn use_trees_have_leaves() {
        let name = |name: &str| Some(name.to_owned());
        assert_eq!(
            leaves("use a::{self, b::{C, d as e, f::*}, Trait as _};"),
            [
                (name("a"), "use a;".to_owned()),
                (name("C"), "use a::b::C;".to_owned()),
                (name("e"), "use a::b::d as e;".to_owned()),
                (None, "use a::b::f::*;".to_owned()),
                (None, "use a::Trait as _;".to_owned()),
            ]
        );
    }

    #[test]
    fn keys_tell_what_replaces_what() {
        let keys = |source: &str| items(source).iter().map(|item| item.key.clone()).collect::<Vec<_>>();
        assert_eq!(keys("struct A; fn A() {} macro_rules! A { () => {} }"), ["T:A", "V:A", "M:A"]);
        assert_eq!(keys("enum A {}"), ["T:A"]);
        assert_ne!(keys("impl A for B {}"), keys("impl C for B {}"));
        assert_eq!(keys("impl   A for B { }"), keys("impl A for B {\n fn f() {} }"));
        assert_ne!(keys("impl<T: X> A<T> {}"), keys("impl<T: Y> A<T> {}"));
    }

    #[test]
    fn statics_are_found_with_their_types() {
        let source = "fn f() -> u32 { pub static mut N: u32 = 5; 0 }";
        let item = &items(source)[0];
        let found = &item.statics[0];
        assert_eq!((&found.name[..], found.is_mutable), ("N", true));
        assert_eq!(&item.text[found.type_range.clone()], "u32");
        assert_eq!(&item.text[found.visibility.clone()], "pub");
        assert_eq!(&item.text[found.range.clone()], "pub static mut N: u32 = 5;");
    }

    #[test]
    fn thread_locals_are_statics_that_hold_keys() {
        let source = "let x = 1;\nthread_local! {\n    static A: Cell<i32> = const { Cell::new(1) };\n    pub static B: Vec<u8> = vec![];\n}";
        let items = items(source);
        let keys: Vec<_> = items.iter().map(|item| (item.key.as_str(), item.line)).collect();
        assert_eq!(keys, [("V:A", 2), ("V:B", 3)]);
        let b = &items[1];
        assert!(b.text.contains("static KEY: Vec<u8> = vec![]"), "{}", b.text);
        assert_eq!(&b.text[b.statics[0].type_range.clone()], "::std::thread::LocalKey<Vec<u8>>");
        assert_eq!(&b.text[b.statics[0].range.clone()], b.text);
    }

    #[test]
    fn blanking_keeps_lines_and_length() {
        let mut text = "a é\nb c".to_owned();
        let length = text.len();
        blank(&mut text, 2..6);
        assert_eq!((text.len(), text.matches('\n').count()), (length, 1));
    }
}

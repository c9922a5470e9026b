//! What of an item types rest on, and what makes the types that it defines
//! the same ones in a later cell.

use std::collections::BTreeSet;
use std::ops::Range;

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Item, Visibility};

use super::references::{self, Reference, is_derived};

/// What distinguishes the types of an item from those of an earlier definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Identity {
    /// What it is that makes them others; none if the item defines no types.
    pub(super) text: Option<String>,
    /// The names that mean something in it.
    pub(super) references: BTreeSet<Reference>,
    /// Whether all that it mentions makes its types others, and not only what
    /// types rest on: what a closure holds follows from its function's body.
    pub(super) is_deep: bool,
    pub(super) home: Home,
    /// Who may see the item, as it is written.
    pub(super) visibility: String,
}

/// How an item's types get another path than those of an earlier definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Home {
    /// Not at all: the identity of all types changes.
    #[default]
    Crate,
    /// The item is put in a module, which its name is imported from.
    Within,
    /// The item is a module, which gets another name.
    Renamed,
    /// The item is an implementation. The compiler numbers them, and each cell
    /// repeats others, so they are always in modules.
    Block,
}

/// An item without what no type rests on; none if types do not rest on it.
pub(super) fn shaped(item: &Item) -> Option<Item> {
    let mut shaped = match item {
        // One that is evaluated while compiling may give a type its size.
        Item::Fn(function) => function.sig.constness.is_some().then(|| item.clone())?,
        Item::Static(_) => return None,
        Item::Impl(item) => {
            let shaping = shaping(item);
            (!shaping.items.is_empty()).then_some(Item::Impl(shaping))?
        }
        Item::Mod(module) => {
            let mut module = module.clone();
            if let Some((_, items)) = &mut module.content {
                *items = items.iter().filter_map(shaped).collect();
            }
            Item::Mod(module)
        }
        item => item.clone(),
    };
    strip(&mut shaped);
    Some(shaped)
}

/// An implementation without the functions that only run: they can be written
/// again at will.
pub(super) fn shaping(item: &syn::ItemImpl) -> syn::ItemImpl {
    let mut shaping = item.clone();
    shaping.items.retain(|item| match item {
        syn::ImplItem::Type(_) | syn::ImplItem::Const(_) => true,
        syn::ImplItem::Fn(method) => method.sig.constness.is_some(),
        _ => false,
    });
    shaping
}

/// Tokens without the comma after a last field, which some put and some do not.
pub(super) fn normalised(tokens: &TokenStream) -> String {
    tokens.to_string().replace(" , }", " }").replace(", }", " }")
}

/// Takes away what changes no type: documentation, who may see what, and what
/// the standard library derives.
fn strip(item: &mut Item) {
    let strip_fields = |fields: &mut syn::Fields| {
        for field in fields {
            strip_attributes(&mut field.attrs);
            field.vis = Visibility::Inherited;
        }
    };
    let (attributes, visibility) = match item {
        Item::Struct(item) => {
            strip_fields(&mut item.fields);
            (&mut item.attrs, &mut item.vis)
        }
        Item::Union(item) => {
            for field in &mut item.fields.named {
                strip_attributes(&mut field.attrs);
                field.vis = Visibility::Inherited;
            }
            (&mut item.attrs, &mut item.vis)
        }
        Item::Enum(item) => {
            for variant in &mut item.variants {
                strip_attributes(&mut variant.attrs);
                strip_fields(&mut variant.fields);
            }
            (&mut item.attrs, &mut item.vis)
        }
        Item::Trait(item) => (&mut item.attrs, &mut item.vis),
        Item::Type(item) => (&mut item.attrs, &mut item.vis),
        Item::Const(item) => (&mut item.attrs, &mut item.vis),
        Item::Fn(item) => (&mut item.attrs, &mut item.vis),
        Item::Mod(item) => (&mut item.attrs, &mut item.vis),
        _ => return,
    };
    strip_attributes(attributes);
    *visibility = Visibility::Inherited;
}

fn strip_attributes(attributes: &mut Vec<Attribute>) {
    attributes.retain_mut(|attribute| {
        if let syn::Meta::List(list) = &mut attribute.meta
            && list.path.is_ident("derive")
        {
            type Paths = syn::punctuated::Punctuated<syn::Path, syn::Token![,]>;
            let Ok(paths) = list.parse_args_with(Paths::parse_terminated) else { return true };
            let is_custom = |path: &&syn::Path| {
                path.segments.last().is_none_or(|last| !is_derived(&last.ident.to_string()))
            };
            list.tokens = paths.iter().filter(is_custom).map(|path| quote::quote!(#path,)).collect();
            return !list.tokens.is_empty();
        }
        !attribute.path().is_ident("doc")
    });
}

/// What makes the types of an item the same ones as before.
pub(super) fn identity(item: &Item) -> Identity {
    let home = match item {
        Item::Struct(_) | Item::Enum(_) | Item::Union(_) | Item::Trait(_) | Item::Fn(_) => Home::Within,
        Item::Const(item) if item.ident != "_" => Home::Within,
        Item::Mod(_) => Home::Renamed,
        Item::Impl(_) => Home::Block,
        _ => Home::Crate,
    };
    let is_deep = has_inner_types(item);
    let tokens = if is_deep { Some(item.to_token_stream()) } else { types(item) };
    let references = match (&tokens, item) {
        (None, _) => BTreeSet::new(),
        (Some(tokens), _) if is_deep => references::of_tokens(tokens.clone()),
        (Some(_), Item::Fn(function)) => references::of_signature(&function.sig),
        (Some(_), Item::Impl(item)) => {
            let signatures = item.items.iter().filter_map(|item| match item {
                syn::ImplItem::Fn(method) => Some(references::of_signature(&method.sig)),
                _ => None,
            });
            let of = references::of_type(&item.self_ty.to_token_stream().to_string());
            signatures.flatten().chain(of).collect()
        }
        (Some(_), item) => shaped(item).as_ref().map(references::of_item).unwrap_or_default(),
    };
    let visibility = match item {
        Item::Struct(syn::ItemStruct { vis, .. })
        | Item::Enum(syn::ItemEnum { vis, .. })
        | Item::Union(syn::ItemUnion { vis, .. })
        | Item::Trait(syn::ItemTrait { vis, .. })
        | Item::Fn(syn::ItemFn { vis, .. })
        | Item::Const(syn::ItemConst { vis, .. })
        | Item::Mod(syn::ItemMod { vis, .. }) => vis.to_token_stream().to_string(),
        _ => String::new(),
    };
    Identity { text: tokens.as_ref().map(normalised), references, is_deep, home, visibility }
}

/// What of an item its types have in them; none if it defines none.
fn types(item: &Item) -> Option<TokenStream> {
    let all = |parts: Vec<TokenStream>| (!parts.is_empty()).then(|| parts.into_iter().collect());
    match item {
        Item::Struct(_) | Item::Enum(_) | Item::Union(_) | Item::Trait(_) => {
            Some(shaped(item)?.to_token_stream())
        }
        // Its text may define some.
        Item::Macro(call) if call.ident.is_none() => Some(item.to_token_stream()),
        // A function has a type of its own, and an iterator over what it
        // returns may be made of that.
        Item::Fn(function) => Some(function.sig.to_token_stream()),
        Item::Impl(item) if item.trait_.is_none() => {
            let signatures = item.items.iter().filter_map(|item| match item {
                syn::ImplItem::Fn(method) => Some(method.sig.to_token_stream()),
                _ => None,
            });
            let (generics, of) = (&item.generics, &item.self_ty);
            let mut parts: Vec<TokenStream> = signatures.collect();
            if !parts.is_empty() {
                parts.insert(0, quote::quote!(#generics #of));
            }
            all(parts)
        }
        Item::Mod(module) => {
            let items = module.content.iter().flat_map(|(_, items)| items);
            let one =
                |item: &Item| if has_inner_types(item) { Some(item.to_token_stream()) } else { types(item) };
            // What types rest on within the module without being one: constants, aliases, imports.
            let shape = shaped(item).map(|shaped| shaped.to_token_stream());
            Some(items.filter_map(one).chain(shape).collect())
        }
        _ => None,
    }
}

/// Whether an item has types that nothing outside of it can name, in a module
/// of its perhaps.
fn has_inner_types(item: &Item) -> bool {
    match item {
        Item::Mod(module) => module.content.iter().flat_map(|(_, items)| items).any(has_inner_types),
        item => references::has_inner_types(item),
    }
}

/// Where an item, or what is within it, is private to the place that it stands
/// in. The places are ranges of its text: of what says so now, or empty.
pub(super) fn private(item: &Item, start: usize) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut add = |visibility: &Visibility, first: proc_macro2::Span| match visibility {
        Visibility::Inherited => {
            let at = first.byte_range().start;
            places.push(at..at);
        }
        Visibility::Restricted(own) if own.path.is_ident("self") => places.push(own.span().byte_range()),
        _ => {}
    };
    let first = |field: &syn::Field| field.ident.as_ref().map_or_else(|| field.ty.span(), syn::Ident::span);
    match item {
        Item::Struct(item) => {
            add(&item.vis, item.struct_token.span());
            item.fields.iter().for_each(|field| add(&field.vis, first(field)));
        }
        Item::Union(item) => {
            add(&item.vis, item.union_token.span());
            item.fields.named.iter().for_each(|field| add(&field.vis, first(field)));
        }
        Item::Enum(item) => add(&item.vis, item.enum_token.span()),
        Item::Trait(item) => {
            let first = item.unsafety.as_ref().map(|word| word.span());
            add(&item.vis, first.unwrap_or_else(|| item.trait_token.span()));
        }
        Item::Fn(item) => add(&item.vis, item.sig.span()),
        Item::Const(item) => add(&item.vis, item.const_token.span()),
        Item::Impl(item) if item.trait_.is_none() => {
            for item in &item.items {
                match item {
                    syn::ImplItem::Fn(method) => add(&method.vis, method.sig.span()),
                    syn::ImplItem::Const(constant) => add(&constant.vis, constant.const_token.span()),
                    _ => {}
                }
            }
        }
        // Its name.
        Item::Mod(item) => places.push(item.ident.span().byte_range()),
        _ => {}
    }
    places.iter_mut().for_each(|range| *range = range.start - start..range.end - start);
    places.sort_by_key(|range| range.start);
    places
}

//! The names that an item looks up where it stands, and those that it brings.
//!
//! Rust keeps types (with modules and traits), values and macros apart: a
//! field `len` has nothing to do with a function `len`, and neither with a
//! trait's method. What is not a path mentions nothing: names of fields and
//! variants, of generic parameters, of methods that are called.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::visit::{self, Visit};
use syn::{Item, Path};

use super::split::plain;

/// Rust's namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Type,
    Value,
    Macro,
}

/// All of them: what tokens of a macro may be.
pub(super) const KINDS: [Kind; 3] = [Kind::Type, Kind::Value, Kind::Macro];

/// A name in a namespace.
pub(super) type Reference = (Kind, String);

/// The names that are looked up where an item stands, as far as types may rest
/// on it.
pub(super) fn of_item(item: &Item) -> BTreeSet<Reference> {
    let mut found = References::default();
    match item {
        // Within a module names are looked up there first. One that reaches
        // out may mean anything of the session's.
        Item::Mod(module) => {
            let tokens = module.to_token_stream();
            if reaches_out(&tokens) {
                found.tokens(tokens);
            } else {
                // Macros are seen from where they are defined on.
                found.visit_item_mod(module);
                found.found.retain(|(kind, _)| *kind == Kind::Macro);
            }
        }
        Item::Macro(call) => found.tokens(call.to_token_stream()),
        item => {
            found.visit_item(item);
            for parameter in generics(item) {
                found.found.remove(&(Kind::Type, parameter.clone()));
                found.found.remove(&(Kind::Value, parameter));
            }
        }
    }
    found.found
}

/// The names in a function's signature, which are part of its type.
pub(super) fn of_signature(signature: &syn::Signature) -> BTreeSet<Reference> {
    let mut found = References::default();
    found.visit_generics(&signature.generics);
    signature.inputs.iter().for_each(|input| match input {
        syn::FnArg::Receiver(own) => found.visit_receiver(own),
        syn::FnArg::Typed(own) => found.visit_type(&own.ty),
    });
    found.visit_return_type(&signature.output);
    found.found
}

/// The names in a type's text. One that cannot be parsed names anything.
pub(super) fn of_type(text: &str) -> BTreeSet<Reference> {
    let mut found = References::default();
    match (syn::parse_str::<syn::Type>(text), text.parse::<TokenStream>()) {
        (Ok(of), _) => found.visit_type(&of),
        (_, Ok(tokens)) => found.tokens(tokens),
        _ => text
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|name| !name.is_empty())
            .for_each(|name| found.any(name.to_owned())),
    }
    found.found
}

/// Every name in some tokens, which may mean anything.
pub(super) fn of_tokens(tokens: TokenStream) -> BTreeSet<Reference> {
    let mut found = References::default();
    found.tokens(tokens);
    found.found
}

/// What an item brings into the scope that it stands in. A macro call's is
/// known by the macro; see [`by_macro`].
pub(super) fn brought(item: &Item) -> BTreeSet<Reference> {
    let mut names = BTreeSet::new();
    let mut add = |kind: Kind, name: &Ident| {
        names.insert((kind, plain(name)));
    };
    match item {
        Item::Struct(item) => {
            add(Kind::Type, &item.ident);
            if !matches!(item.fields, syn::Fields::Named(_)) {
                add(Kind::Value, &item.ident);
            }
        }
        Item::Enum(item) => add(Kind::Type, &item.ident),
        Item::Union(item) => add(Kind::Type, &item.ident),
        Item::Type(item) => add(Kind::Type, &item.ident),
        Item::Trait(item) => add(Kind::Type, &item.ident),
        Item::TraitAlias(item) => add(Kind::Type, &item.ident),
        Item::Mod(item) => add(Kind::Type, &item.ident),
        Item::ExternCrate(item) => {
            add(Kind::Type, item.rename.as_ref().map_or(&item.ident, |(_, name)| name))
        }
        Item::Fn(item) => add(Kind::Value, &item.sig.ident),
        Item::Const(item) => add(Kind::Value, &item.ident),
        Item::Static(item) => add(Kind::Value, &item.ident),
        Item::Macro(item) => item.ident.iter().for_each(|name| add(Kind::Macro, name)),
        Item::ForeignMod(item) => item.items.iter().for_each(|item| match item {
            syn::ForeignItem::Fn(function) => add(Kind::Value, &function.sig.ident),
            syn::ForeignItem::Static(item) => add(Kind::Value, &item.ident),
            syn::ForeignItem::Type(item) => add(Kind::Type, &item.ident),
            _ => {}
        }),
        _ => {}
    }
    names
}

/// What a macro or a module may define: the names that follow `struct` and the
/// like in its text, and whether there may be more, from calls or imports.
pub(super) fn written(text: TokenStream) -> (BTreeSet<String>, bool) {
    let (mut names, mut is_open) = (BTreeSet::new(), false);
    let (mut waits, mut after_name) = (false, false);
    for token in text {
        let is_name = matches!(token, TokenTree::Ident(_));
        match token {
            TokenTree::Ident(word) => {
                let name = plain(&word);
                if waits && !matches!(&*name, "mut" | "unsafe" | "fn" | "extern" | "async") {
                    names.insert(name.clone());
                }
                let defines =
                    ["struct", "enum", "union", "type", "trait", "mod", "fn", "const", "static", "as"];
                waits = name == "macro_rules" || defines.contains(&&*name);
                is_open |= name == "use";
                after_name = name != "macro_rules";
                continue;
            }
            TokenTree::Punct(mark) => {
                is_open |= (waits && mark.as_char() == '$') || (after_name && mark.as_char() == '!');
                waits &= mark.as_char() == '!';
            }
            TokenTree::Group(group) => {
                let (inner, is_inner_open) = written(group.stream());
                names.extend(inner);
                is_open |= is_inner_open;
                waits = false;
            }
            TokenTree::Literal(_) => waits = false,
        }
        after_name = is_name;
    }
    (names, is_open)
}

/// Whether an item has types within it that nothing outside can name: those of
/// closures and of futures, those behind `impl Trait`, and items in bodies. A
/// macro may write any of them.
pub(super) fn has_inner_types(item: &Item) -> bool {
    let mut found = InnerTypes(false);
    match item {
        // What these hold themselves has a path of its own.
        Item::Mod(_) | Item::Macro(_) => {}
        item => found.visit_item(item),
    }
    found.0
}

fn reaches_out(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(name) => name == "super" || name == "crate",
        TokenTree::Group(group) => reaches_out(&group.stream()),
        _ => false,
    })
}

fn generics(item: &Item) -> Vec<String> {
    let generics = match item {
        Item::Struct(item) => &item.generics,
        Item::Enum(item) => &item.generics,
        Item::Union(item) => &item.generics,
        Item::Type(item) => &item.generics,
        Item::Trait(item) => &item.generics,
        Item::Impl(item) => &item.generics,
        _ => return Vec::new(),
    };
    let name = |parameter: &syn::GenericParam| match parameter {
        syn::GenericParam::Type(parameter) => Some(plain(&parameter.ident)),
        syn::GenericParam::Const(parameter) => Some(plain(&parameter.ident)),
        syn::GenericParam::Lifetime(_) => None,
    };
    generics.params.iter().filter_map(name).collect()
}

#[derive(Default)]
struct References {
    found: BTreeSet<Reference>,
}

impl References {
    fn any(&mut self, name: String) {
        self.found.extend(KINDS.map(|kind| (kind, name.clone())));
    }

    fn tokens(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(name) => {
                    // Of `a != b` the mark is joined to the next.
                    let is_call = matches!(tokens.peek(), Some(TokenTree::Punct(mark))
                        if mark.as_char() == '!' && mark.spacing() == proc_macro2::Spacing::Alone);
                    let kinds = if is_call { &[Kind::Macro][..] } else { &[Kind::Type, Kind::Value] };
                    self.found.extend(kinds.iter().map(|kind| (*kind, plain(&name))));
                }
                TokenTree::Group(group) => self.tokens(group.stream()),
                _ => {}
            }
        }
    }

    /// The first name of a path, of this kind if it is the only one.
    fn path(&mut self, path: &Path, kind: Kind) {
        if path.leading_colon.is_some() {
            return;
        }
        let mut segments = path.segments.iter().map(|segment| plain(&segment.ident)).peekable();
        while segments.next_if(|name| matches!(&**name, "self" | "crate" | "super")).is_some() {}
        if let Some(first) = segments.next().filter(|name| name != "Self") {
            self.found.insert((if segments.peek().is_some() { Kind::Type } else { kind }, first));
        }
    }
}

impl<'ast> Visit<'ast> for References {
    fn visit_type_path(&mut self, of: &'ast syn::TypePath) {
        self.path(&of.path, Kind::Type);
        visit::visit_type_path(self, of);
    }

    fn visit_expr_path(&mut self, of: &'ast syn::ExprPath) {
        self.path(&of.path, Kind::Value);
        visit::visit_expr_path(self, of);
    }

    fn visit_expr_struct(&mut self, of: &'ast syn::ExprStruct) {
        self.path(&of.path, Kind::Type);
        visit::visit_expr_struct(self, of);
    }

    fn visit_pat(&mut self, pattern: &'ast syn::Pat) {
        match pattern {
            syn::Pat::Ident(name) => {
                self.found.insert((Kind::Value, plain(&name.ident)));
            }
            syn::Pat::TupleStruct(of) => self.path(&of.path, Kind::Value),
            syn::Pat::Struct(of) => self.path(&of.path, Kind::Type),
            _ => {}
        }
        visit::visit_pat(self, pattern);
    }

    fn visit_trait_bound(&mut self, of: &'ast syn::TraitBound) {
        self.path(&of.path, Kind::Type);
        visit::visit_trait_bound(self, of);
    }

    fn visit_item_impl(&mut self, of: &'ast syn::ItemImpl) {
        if let Some((path, _)) = &of.trait_ {
            self.path(path, Kind::Type);
        }
        visit::visit_item_impl(self, of);
    }

    /// `[T; N]` and `A<N>` look alike: a constant may be written as a type is.
    fn visit_generic_argument(&mut self, argument: &'ast syn::GenericArgument) {
        if let syn::GenericArgument::Type(syn::Type::Path(of)) = argument {
            self.path(&of.path, Kind::Value);
        }
        visit::visit_generic_argument(self, argument);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.path(&call.path, Kind::Macro);
        self.tokens(call.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let syn::Meta::List(list) = &attribute.meta
            && list.path.is_ident("derive")
        {
            let derived = of_tokens(list.tokens.clone());
            let derived = derived.into_iter().filter(|(_, name)| !is_derived(name));
            self.found.extend(derived.map(|(_, name)| (Kind::Macro, name)));
        } else if !attribute.path().is_ident("doc") {
            self.path(attribute.path(), Kind::Macro);
        }
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

/// Whether a name is a trait's that the standard library derives.
pub(super) fn is_derived(name: &str) -> bool {
    matches!(
        name,
        "Debug" | "Clone" | "Copy" | "PartialEq" | "Eq" | "PartialOrd" | "Ord" | "Hash" | "Default"
    )
}

struct InnerTypes(bool);

impl<'ast> Visit<'ast> for InnerTypes {
    fn visit_expr(&mut self, expression: &'ast syn::Expr) {
        self.0 |= matches!(expression, syn::Expr::Closure(_) | syn::Expr::Async(_));
        visit::visit_expr(self, expression);
    }

    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        self.0 |= matches!(statement, syn::Stmt::Item(item) if !matches!(item, Item::Use(_)));
        visit::visit_stmt(self, statement);
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.0 |= signature.asyncness.is_some();
        visit::visit_signature(self, signature);
    }

    fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {
        self.0 = true;
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let name = call.path.segments.last().map_or_else(String::new, |segment| plain(&segment.ident));
        // What these write has no types of its own, but what they are given may.
        let is_plain = matches!(
            &*name,
            "println"
                | "print"
                | "eprintln"
                | "eprint"
                | "format"
                | "write"
                | "writeln"
                | "panic"
                | "vec"
                | "assert"
                | "assert_eq"
                | "assert_ne"
                | "debug_assert"
                | "matches"
                | "todo"
                | "unimplemented"
                | "unreachable"
                | "gpu"
                | "stringify"
                | "concat"
                | "line"
                | "env"
        );
        self.0 |= !is_plain || has_closure(call.tokens.clone());
    }
}

/// Whether tokens may hold a closure, a block or an item.
fn has_closure(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Punct(mark) => mark.as_char() == '|',
        TokenTree::Ident(word) => ["async", "struct", "enum", "fn", "macro"].iter().any(|own| word == own),
        TokenTree::Group(group) => has_closure(group.stream()),
        TokenTree::Literal(_) => false,
    })
}

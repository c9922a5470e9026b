//! What cells see of the prelude, read from its sources: names, signatures,
//! documentation, and where each is written.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, ImplItem, Item, Lit, Meta, TraitItem, Type, UseTree, Visibility};

use crate::{expand, signature};

/// One thing that a cell can name.
#[derive(Clone)]
pub struct Entry {
    /// A variant of `analysis::Kind`.
    pub kind: &'static str,
    pub name: String,
    /// The type, trait or module that it belongs to; empty at the top.
    pub owner: String,
    pub signature: String,
    pub doc: String,
    pub file: String,
    /// Its first and last line, from one; zeros if a macro wrote it.
    pub lines: (usize, usize),
    is_public: bool,
}

type ModulePath = Vec<String>;

#[derive(Default)]
struct Module {
    entries: Vec<Entry>,
    /// What `use` brings: the name and where it comes from.
    uses: Vec<(String, ModulePath)>,
    globs: Vec<ModulePath>,
}

#[derive(Default)]
struct Sources {
    modules: BTreeMap<ModulePath, Module>,
    /// What belongs to types and traits, by their names.
    members: Vec<Entry>,
    /// Types and traits that are for the prelude's own crates, by the folder of
    /// their crate and their name.
    hidden: BTreeSet<(String, String)>,
    macros: Vec<Entry>,
    /// The bodies of macros that crates export, by their names.
    exported: HashMap<String, proc_macro2::TokenStream>,
}

/// Where a piece of source stands.
struct Place<'a> {
    file: &'a str,
    is_from_macro: bool,
}

/// The table of the prelude in a workspace.
pub fn read(root: &Path) -> Vec<Entry> {
    let mut sources = Sources::default();
    // Crates that come first call macros of those that come later.
    for (_, folder) in CRATES {
        sources.read_exported(root, folder);
    }
    for (name, folder) in CRATES {
        sources.read_crate(root, name, folder);
    }
    let mut table: Vec<Entry> = sources.macros.clone();
    let mut types = BTreeSet::new();
    let top = &sources.modules[&vec![CRATES[0].0.to_owned()]];
    let names: BTreeSet<&String> = top.uses.iter().map(|(name, _)| name).collect();
    for name in names {
        let paths = || top.uses.iter().filter(|(own, _)| own == name).map(|(_, path)| path);
        let mut is_found = false;
        for path in paths() {
            // A name may be a function and a module, as `device` is.
            for mut entry in sources.resolve(path, 0) {
                is_found = true;
                entry.name.clone_from(name);
                types.insert(name.clone());
                if entry.kind == "Module" {
                    table.extend(sources.members_of_module(path, name));
                }
                table.push(entry);
            }
        }
        // Of a crate that is not the prelude's own.
        let Some(path) = paths().find(|path| path[0] != CRATES[0].0).filter(|_| !is_found) else { continue };
        let kind = if name.starts_with(char::is_uppercase) || name == "f16" { "Struct" } else { "Module" };
        let word = if kind == "Module" { "mod" } else { "struct" };
        table.push(Entry {
            kind,
            name: name.clone(),
            owner: String::new(),
            signature: format!("pub {word} {}", path.join("::")),
            doc: format!("Of the crate `{}`.", path[0]),
            file: String::new(),
            lines: (0, 0),
            is_public: true,
        });
    }
    for module in top.entries.iter().filter(|entry| entry.kind == "Module" && entry.is_public) {
        table.push(module.clone());
        table.extend(sources.reexports(&module.name));
    }
    // Types that are not exported at the top still are types of values.
    let is_inner =
        |entry: &&Entry| INNER.iter().any(|part| entry.file.contains(part)) || sources.is_hidden(entry);
    table.extend(sources.members.iter().filter(|entry| entry.is_public && !is_inner(entry)).cloned());
    table.sort_by(|a, b| (&a.owner, &a.name, a.kind).cmp(&(&b.owner, &b.name, b.kind)));
    table.dedup_by(|a, b| (&a.owner, &a.name, &a.signature) == (&b.owner, &b.name, &b.signature));
    table
}

/// The crates of which cells see something, by the name that code has for them,
/// and their sources. The first is what cells import.
const CRATES: [(&str, &str); 18] = [
    ("gpurepl_prelude", "prelude/src"),
    ("gpurepl_plot", "prelude/plot/src"),
    ("gpurepl_display", "prelude/display/src"),
    ("gpurepl_cpp", "libraries/cpp/src"),
    ("gpurepl_distributed", "libraries/distributed/src"),
    ("gpurepl_fft", "libraries/fft/src"),
    ("gpurepl_linalg", "libraries/linalg/src"),
    ("gpurepl_npy", "libraries/npy/src"),
    ("gpurepl_petsc", "libraries/petsc/src"),
    ("gpurepl_sparse", "libraries/sparse/src"),
    ("gpurepl_templates", "libraries/templates/src"),
    ("gpurepl_tune", "prelude/tune/src"),
    ("gpurepl_extend", "prelude/extend/src"),
    ("gpurepl_arrays", "prelude/arrays/src"),
    ("gpurepl_device", "prelude/device/src"),
    ("gpurepl_ground", "prelude/ground/src"),
    ("gpurepl_kernels", "kernels/src"),
    ("gpurepl_wire", "prelude/wire/src"),
];

/// Where types are that no value of a cell's has.
const INNER: [&str; 5] = ["device/src/cuda/", "device/src/host/", "/streams/", "/worker/", "/cell/"];

impl Sources {
    fn read_exported(&mut self, root: &Path, folder: &str) {
        let mut files = Vec::new();
        super::collect(&root.join(folder), &mut files);
        for path in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
            let text = std::fs::read_to_string(path).expect("a source can be read");
            let Some(file) = text.contains("#[macro_export]").then(|| syn::parse_file(&text).ok()).flatten()
            else {
                continue;
            };
            for item in file.items {
                if let Item::Macro(item) = item
                    && let Some(name) = &item.ident
                {
                    self.exported.insert(name.to_string(), item.mac.tokens);
                }
            }
        }
    }

    fn read_crate(&mut self, root: &Path, name: &str, folder: &str) {
        let (mut files, mut docs) = (Vec::new(), HashMap::new());
        super::collect(&root.join(folder), &mut files);
        files.sort();
        for path in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
            let file_name =
                path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
            let text = std::fs::read_to_string(path).expect("a source can be read");
            let Ok(file) = syn::parse_file(&text) else { continue };
            let module = file_name[folder.len() + 1..]
                .trim_end_matches(".rs")
                .split('/')
                .filter(|part| !matches!(*part, "mod" | "lib"));
            let module: ModulePath = std::iter::once(name).chain(module).map(str::to_owned).collect();
            self.modules.entry(module.clone()).or_default();
            let place = Place { file: &file_name, is_from_macro: false };
            self.add_items(&file.items, &module, &place, &HashMap::new());
            docs.insert(module, documentation(&file.attrs));
        }
        // What a file says of itself is its module's documentation.
        for (path, module) in &mut self.modules {
            for entry in
                module.entries.iter_mut().filter(|entry| entry.kind == "Module" && entry.doc.is_empty())
            {
                let mut inner = path.clone();
                inner.push(entry.name.clone());
                entry.doc = docs.remove(&inner).unwrap_or_default();
            }
        }
    }

    fn add_items(
        &mut self,
        items: &[Item],
        module: &ModulePath,
        place: &Place<'_>,
        outer: &HashMap<String, proc_macro2::TokenStream>,
    ) {
        let mut macros = outer.clone();
        for item in items {
            if let Item::Macro(definition) = item
                && let Some(name) = &definition.ident
            {
                macros.insert(name.to_string(), definition.mac.tokens.clone());
            }
        }
        for item in items {
            self.add_item(item, module, place, &macros);
        }
    }

    fn add_item(
        &mut self,
        item: &Item,
        module: &ModulePath,
        place: &Place<'_>,
        macros: &HashMap<String, proc_macro2::TokenStream>,
    ) {
        let own = match item {
            Item::Fn(item) => {
                let sig = signature::text(item.sig.to_token_stream());
                let text = format!("{} {sig}", visibility(is_public(&item.vis)));
                Some(("Function", &item.sig.ident, &item.attrs, &item.vis, text))
            }
            Item::Struct(item) => {
                self.add_fields(item, place);
                let generics = signature::text(item.generics.to_token_stream());
                let text = format!("pub struct {}{generics}", item.ident);
                Some(("Struct", &item.ident, &item.attrs, &item.vis, text))
            }
            Item::Enum(item) => {
                self.add_variants(item, place);
                Some(("Enum", &item.ident, &item.attrs, &item.vis, format!("pub enum {}", item.ident)))
            }
            Item::Trait(item) => {
                self.add_trait_methods(item, place);
                Some(("Trait", &item.ident, &item.attrs, &item.vis, format!("pub trait {}", item.ident)))
            }
            Item::Type(item) => {
                let text = signature::text(item.ty.to_token_stream());
                let generics = signature::text(item.generics.to_token_stream());
                let text = format!("pub type {}{generics} = {text}", item.ident);
                Some(("Struct", &item.ident, &item.attrs, &item.vis, text))
            }
            Item::Const(item) => {
                let text = signature::text(item.ty.to_token_stream());
                let text = format!("pub const {}: {text}", item.ident);
                Some(("Constant", &item.ident, &item.attrs, &item.vis, text))
            }
            Item::Mod(item) => {
                Some(("Module", &item.ident, &item.attrs, &item.vis, format!("pub mod {}", item.ident)))
            }
            _ => None,
        };
        if let Some((_, name, attributes, ..)) = &own
            && is_hidden(attributes)
        {
            self.hidden.insert((crate_folder(place.file), name.to_string()));
        } else if let Some((kind, name, attributes, vis, text)) = own {
            let name = name.to_string();
            let entry = entry(kind, name, "", attributes, text, item.span(), is_public(vis), place);
            self.modules.entry(module.clone()).or_default().entries.push(entry);
        }
        match item {
            Item::Impl(item) if item.trait_.is_none() => self.add_methods(item, place, macros),
            Item::Mod(item) => {
                let mut inner = module.clone();
                inner.push(item.ident.to_string());
                if let Some((_, items)) = &item.content {
                    self.modules.entry(inner.clone()).or_default();
                    self.add_items(items, &inner, place, macros);
                }
            }
            Item::Use(item) => add_uses(
                &item.tree,
                Vec::new(),
                module,
                is_hidden(&item.attrs),
                self.modules.entry(module.clone()).or_default(),
            ),
            Item::Macro(item) if item.ident.is_some() => self.add_macro(item, place),
            Item::Macro(item) => self.add_what_it_writes(item, module, place, macros),
            _ => {}
        }
    }

    fn add_fields(&mut self, item: &syn::ItemStruct, place: &Place<'_>) {
        let owner = item.ident.to_string();
        for field in item.fields.iter().filter(|field| is_public(&field.vis) && !is_hidden(&field.attrs)) {
            let Some(name) = &field.ident else { continue };
            let text = format!("{name}: {}", signature::text(field.ty.to_token_stream()));
            let name = name.to_string();
            let field = entry("Field", name, &owner, &field.attrs, text, field.span(), true, place);
            self.members.push(field);
        }
    }

    fn add_variants(&mut self, item: &syn::ItemEnum, place: &Place<'_>) {
        let owner = item.ident.to_string();
        for variant in &item.variants {
            let text = signature::text(variant.to_token_stream());
            let text = text.rsplit("] ").next().unwrap_or_default().to_owned();
            let name = variant.ident.to_string();
            let variant = entry("Variant", name, &owner, &variant.attrs, text, variant.span(), true, place);
            self.members.push(variant);
        }
    }

    fn add_trait_methods(&mut self, item: &syn::ItemTrait, place: &Place<'_>) {
        let owner = item.ident.to_string();
        for member in &item.items {
            let TraitItem::Fn(method) = member else { continue };
            if is_hidden(&method.attrs) {
                continue;
            }
            let (name, kind) = (method.sig.ident.to_string(), kind_of(&method.sig));
            let text = signature::text(method.sig.to_token_stream());
            let method = entry(kind, name, &owner, &method.attrs, text, method.span(), true, place);
            self.members.push(method);
        }
    }

    /// A macro of the crate's own.
    fn add_macro(&mut self, item: &syn::ItemMacro, place: &Place<'_>) {
        let Some(name) = &item.ident else { return };
        let is_exported = item.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export"));
        if is_exported && !is_hidden(&item.attrs) {
            let (name, text) = (name.to_string(), format!("macro {name}!"));
            self.macros.push(entry("Macro", name, "", &item.attrs, text, item.span(), true, place));
        }
    }

    /// The items that a call of a macro stands for.
    fn add_what_it_writes(
        &mut self,
        item: &syn::ItemMacro,
        module: &ModulePath,
        place: &Place<'_>,
        macros: &HashMap<String, proc_macro2::TokenStream>,
    ) {
        let Some(expanded) = self.expanded(&item.mac, macros) else { return };
        let Ok(file) = syn::parse2::<syn::File>(expanded) else { return };
        let place = Place { file: place.file, is_from_macro: true };
        self.add_items(&file.items, module, &place, macros);
    }

    /// What a call of a macro becomes: of one of these, or of one that a crate
    /// exports.
    fn expanded(
        &self,
        call: &syn::Macro,
        macros: &HashMap<String, proc_macro2::TokenStream>,
    ) -> Option<proc_macro2::TokenStream> {
        let name = call.path.segments.last()?.ident.to_string();
        let body = macros.get(&name).or_else(|| self.exported.get(&name))?;
        expand::read(body.clone()).expand(call.tokens.clone())
    }

    fn add_methods(
        &mut self,
        item: &syn::ItemImpl,
        place: &Place<'_>,
        macros: &HashMap<String, proc_macro2::TokenStream>,
    ) {
        let Type::Path(of) = &*item.self_ty else { return };
        let Some(owner) = of.path.segments.last().map(|segment| segment.ident.to_string()) else { return };
        for member in &item.items {
            match member {
                ImplItem::Fn(method)
                    if matches!(method.vis, Visibility::Public(_)) && !is_hidden(&method.attrs) =>
                {
                    let name = method.sig.ident.to_string();
                    let signature = format!("pub {}", signature::text(method.sig.to_token_stream()));
                    let kind = kind_of(&method.sig);
                    let entry =
                        entry(kind, name, &owner, &method.attrs, signature, method.span(), true, place);
                    self.members.push(entry);
                }
                ImplItem::Const(constant)
                    if matches!(constant.vis, Visibility::Public(_)) && !is_hidden(&constant.attrs) =>
                {
                    let name = constant.ident.to_string();
                    let signature =
                        format!("pub const {name}: {}", signature::text(constant.ty.to_token_stream()));
                    let entry = entry(
                        "Constant",
                        name,
                        &owner,
                        &constant.attrs,
                        signature,
                        constant.span(),
                        true,
                        place,
                    );
                    self.members.push(entry);
                }
                ImplItem::Macro(call) => {
                    let Some(written) = self.expanded(&call.mac, macros) else { continue };
                    let of = &item.self_ty;
                    let Ok(inner) = syn::parse2::<syn::ItemImpl>(quote::quote! { impl #of { #written } })
                    else {
                        continue;
                    };
                    self.add_methods(&inner, &Place { file: place.file, is_from_macro: true }, macros);
                }
                _ => {}
            }
        }
    }

    /// Whether something belongs to a hidden type or trait.
    fn is_hidden(&self, entry: &Entry) -> bool {
        self.hidden.contains(&(crate_folder(&entry.file), entry.owner.clone()))
    }

    /// The items that a path leads to, by way of `use`.
    fn resolve(&self, path: &[String], depth: usize) -> Vec<Entry> {
        let Some((name, module)) = path.split_last() else { return Vec::new() };
        let Some(of_module) = self.modules.get(module).filter(|_| depth < 8) else {
            // The folder may itself be brought by a `use`.
            return Vec::new();
        };
        let mut found: Vec<Entry> = of_module
            .entries
            .iter()
            .filter(|entry| entry.name == *name && entry.is_public)
            .cloned()
            .collect();
        for (_, from) in of_module.uses.iter().filter(|(own, _)| own == name) {
            found.extend(self.resolve(from, depth + 1));
        }
        for glob in &of_module.globs {
            let mut path = glob.clone();
            path.push(name.clone());
            found.extend(self.resolve(&path, depth + 1));
        }
        found.dedup_by(|a, b| a.kind == b.kind && a.file == b.file);
        found
    }

    /// The functions of an exported module, also those that its globs bring:
    /// `cumath::sin`.
    fn members_of_module(&self, path: &[String], owner: &str) -> Vec<Entry> {
        let places = [path.to_vec(), self.module_behind(path, 0).unwrap_or_default()];
        let Some(module) =
            places.iter().filter(|path| !path.is_empty()).find_map(|path| self.modules.get(path))
        else {
            return Vec::new();
        };
        let brought = module.globs.iter().filter_map(|path| self.modules.get(path));
        let entries = std::iter::once(module).chain(brought).flat_map(|module| &module.entries);
        let public = entries.filter(|entry| entry.is_public && entry.kind != "Module");
        public.cloned().map(|entry| Entry { owner: owner.to_owned(), ..entry }).collect()
    }

    /// What a module of the prelude has from libraries: `linalg::solve`.
    fn reexports(&self, name: &str) -> Vec<Entry> {
        let Some(module) = self.modules.get(&vec![CRATES[0].0.to_owned(), name.to_owned()]) else {
            return Vec::new();
        };
        let found = module.uses.iter().flat_map(|(own, path)| {
            let named = move |entry| Entry { name: own.clone(), owner: name.to_owned(), ..entry };
            self.resolve(path, 0).into_iter().map(named)
        });
        found.collect()
    }

    /// The module that a path leads to.
    fn module_behind(&self, path: &[String], depth: usize) -> Option<ModulePath> {
        if self.modules.contains_key(path) {
            return Some(path.to_vec());
        }
        let (name, parent) = path.split_last()?;
        let uses = &self.modules.get(parent).filter(|_| depth < 8)?.uses;
        uses.iter().filter(|(own, _)| own == name).find_map(|(_, from)| self.module_behind(from, depth + 1))
    }
}

fn add_uses(tree: &UseTree, mut path: ModulePath, module: &ModulePath, is_hidden: bool, into: &mut Module) {
    match tree {
        UseTree::Path(part) => {
            match part.ident.to_string().as_str() {
                "crate" => {
                    path.clear();
                    path.extend(module.first().cloned());
                }
                "self" => path.clone_from(module),
                "super" => {
                    if path.is_empty() {
                        path.clone_from(module);
                    }
                    path.pop();
                }
                name => {
                    // A path in a module starts there, or with a crate.
                    path.push(name.to_owned());
                }
            }
            add_uses(&part.tree, path, module, is_hidden, into);
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                add_uses(tree, path.clone(), module, is_hidden, into);
            }
        }
        _ if is_hidden => {}
        UseTree::Name(name) if name.ident == "self" => {
            let Some(name) = path.last().cloned() else { return };
            into.uses.push((name, path));
        }
        UseTree::Name(name) => {
            path.push(name.ident.to_string());
            let both = [path.clone(), [module.clone(), path].concat()];
            into.uses.extend(both.into_iter().map(|path| (name.ident.to_string(), path)));
        }
        // A trait that is in scope without a name.
        UseTree::Rename(name) if name.rename == "_" => {}
        UseTree::Rename(name) => {
            // `use a::{self as b}` is a name for `a`.
            if name.ident != "self" {
                path.push(name.ident.to_string());
            }
            let both = [path.clone(), [module.clone(), path].concat()];
            into.uses.extend(both.into_iter().map(|path| (name.rename.to_string(), path)));
        }
        UseTree::Glob(_) => into.globs.extend([path.clone(), [module.clone(), path].concat()]),
    }
}

#[allow(clippy::too_many_arguments)]
fn entry(
    kind: &'static str,
    name: String,
    owner: &str,
    attributes: &[Attribute],
    signature: String,
    span: proc_macro2::Span,
    is_public: bool,
    place: &Place<'_>,
) -> Entry {
    let lines = if place.is_from_macro { (0, 0) } else { (span.start().line, span.end().line) };
    let doc = documentation(attributes);
    let (owner, file) = (owner.to_owned(), place.file.to_owned());
    Entry { kind, name, owner, signature, doc, file, lines, is_public }
}

/// The folder of the crate that a file belongs to.
fn crate_folder(file: &str) -> String {
    file.split_once("/src/").map_or("", |(folder, _)| folder).to_owned()
}

fn kind_of(signature: &syn::Signature) -> &'static str {
    if signature.receiver().is_some() { "Method" } else { "Function" }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn visibility(is_public: bool) -> &'static str {
    if is_public { "pub" } else { "" }
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

fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("doc")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|word| word == "hidden")
    })
}

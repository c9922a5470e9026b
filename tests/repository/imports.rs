//! Which file of a crate names something that another file of it defines.
//!
//! Paths are taken from `use`, from code, and from the tokens of macros, and
//! followed through re-exports to the file of the definition. Names alone are
//! looked at: methods and fields are found through the types that have them.
//! What is for tests is left out.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};

/// A module's path from the root of its crate.
type Module = Vec<String>;

/// A module and a path that stands in it.
type Written = (Module, Vec<String>);

/// One file that names what another one defines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// The file, from the folder of the crate's root, `/` between folders.
    pub from: String,
    pub to: String,
    /// The path as it is written, and its line.
    pub path: String,
    pub line: usize,
}

/// What a module has names for.
#[derive(Default)]
struct Names {
    file: String,
    items: BTreeSet<String>,
    uses: Vec<(String, Vec<String>)>,
    globs: Vec<Vec<String>>,
}

/// A path that stands in a module.
struct Mention {
    module: Module,
    path: Vec<String>,
    line: usize,
}

#[derive(Default)]
struct Crate {
    modules: BTreeMap<Module, Names>,
    mentions: Vec<Mention>,
    /// Where macros are defined that are found at the root.
    macros: HashMap<String, String>,
    /// What paths in modules lead to; nothing as long as one is being followed.
    followed: RefCell<HashMap<Written, Vec<Found>>>,
}

/// All arrows between the files of the crate with this root.
///
/// # Panics
///
/// If a file cannot be read, or is not Rust.
pub fn arrows(root: &Path) -> BTreeSet<Arrow> {
    let folder = root.parent().expect("a root lies in a folder");
    let mut all = Crate::default();
    all.read(folder, root, Vec::new(), folder);
    let mut arrows = BTreeSet::new();
    let mut known = HashMap::new();
    for Mention { module, path, line } in &all.mentions {
        let from = &all.modules[module].file;
        let files = known.entry((module, path)).or_insert_with(|| all.definition(module, path));
        for to in files.iter() {
            if to != from {
                let (from, to, path) = (from.clone(), to.clone(), path.join("::"));
                arrows.insert(Arrow { from, to, path, line: *line });
            }
        }
    }
    arrows
}

/// What a path leads to.
#[derive(Clone)]
enum Found {
    Module(Module),
    Item(String),
}

impl Crate {
    /// Reads the file of a module; its own modules are in `inner`.
    fn read(&mut self, folder: &Path, file: &Path, module: Module, inner: &Path) {
        let text =
            std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let name = file.strip_prefix(folder).unwrap_or(file).to_string_lossy().replace('\\', "/");
        self.add(folder, &parsed.items, module, inner, &name);
    }

    fn add(&mut self, folder: &Path, items: &[Item], module: Module, inner: &Path, file: &str) {
        self.modules.entry(module.clone()).or_default().file = file.to_owned();
        for item in items.iter().filter(|item| !is_for_tests(attributes(item))) {
            match item {
                Item::Mod(own) => {
                    let name = own.ident.to_string();
                    self.name(&module, name.clone());
                    let child = [module.clone(), vec![name.clone()]].concat();
                    let own_folder = inner.join(&name);
                    match &own.content {
                        Some((_, items)) => self.add(folder, items, child, &own_folder, file),
                        None => {
                            let path = file_of(inner, &name, own);
                            self.read(folder, &path, child, &own_folder);
                        }
                    }
                }
                Item::Use(own) => self.add_use(&own.tree, Vec::new(), &module),
                Item::Macro(own) => {
                    if let Some(name) = &own.ident {
                        let is_exported = own.attrs.iter().any(|a| a.path().is_ident("macro_export"));
                        if is_exported {
                            self.macros.insert(name.to_string(), file.to_owned());
                        }
                        self.name(&module, name.to_string());
                    } else {
                        self.mention_path(&module, &own.mac.path);
                        // What a macro is given may be the names of items.
                        for (name, follows) in words(&own.mac.tokens) {
                            if ["struct", "enum", "trait", "fn", "type", "const", "static"].contains(&&*name)
                            {
                                self.name(&module, follows);
                            }
                        }
                    }
                    self.mention_tokens(&module, &own.mac.tokens);
                }
                other => {
                    if let Some(name) = name_of(other) {
                        self.name(&module, name);
                    }
                    let mut paths = Paths { owner: self, module: &module };
                    paths.visit_item(other);
                }
            }
        }
    }

    fn name(&mut self, module: &Module, name: String) {
        self.modules.entry(module.clone()).or_default().items.insert(name);
    }

    fn add_use(&mut self, tree: &UseTree, mut path: Vec<String>, module: &Module) {
        match tree {
            UseTree::Path(part) => {
                path.push(part.ident.to_string());
                self.add_use(&part.tree, path, module);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_use(tree, path.clone(), module);
                }
            }
            UseTree::Name(name) => {
                let known = if name.ident == "self" {
                    path.last().cloned().unwrap_or_default()
                } else {
                    path.push(name.ident.to_string());
                    name.ident.to_string()
                };
                self.modules.entry(module.clone()).or_default().uses.push((known, path));
            }
            UseTree::Rename(name) => {
                if name.ident != "self" {
                    path.push(name.ident.to_string());
                }
                self.modules.entry(module.clone()).or_default().uses.push((name.rename.to_string(), path));
            }
            UseTree::Glob(_) => {
                self.modules.entry(module.clone()).or_default().globs.push(path);
            }
        }
    }

    fn mention_path(&mut self, module: &Module, path: &syn::Path) {
        let line = path.segments.first().map_or(0, |first| first.ident.span().start().line);
        let path = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.mentions.push(Mention { module: module.clone(), path, line });
    }

    /// Paths within the tokens of a macro: `a::b`, and names alone.
    fn mention_tokens(&mut self, module: &Module, tokens: &TokenStream) {
        let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => {
                    self.mention_tokens(module, &group.stream());
                    at += 1;
                }
                TokenTree::Ident(first) => {
                    let line = first.span().start().line;
                    let mut path = vec![first.to_string()];
                    at += 1;
                    while let [TokenTree::Punct(a), TokenTree::Punct(b), TokenTree::Ident(next), ..] =
                        &tokens[at..]
                        && a.as_char() == ':'
                        && b.as_char() == ':'
                    {
                        path.push(next.to_string());
                        at += 3;
                    }
                    self.mentions.push(Mention { module: module.clone(), path, line });
                }
                _ => at += 1,
            }
        }
    }

    /// The files that define what a path in a module leads to.
    fn definition(&self, module: &Module, path: &[String]) -> BTreeSet<String> {
        self.find(module, path, 0)
            .into_iter()
            .map(|found| match found {
                Found::Module(module) => self.modules[&module].file.clone(),
                Found::Item(file) => file,
            })
            .collect()
    }

    /// What a path in a module leads to. Each is followed once: names that macros
    /// make are not found, and are looked for behind every glob, whose own name may
    /// be one of them.
    fn find(&self, module: &Module, path: &[String], depth: usize) -> Vec<Found> {
        let key = (module.clone(), path.to_vec());
        if let Some(known) = self.followed.borrow().get(&key) {
            return known.clone();
        }
        self.followed.borrow_mut().insert(key.clone(), Vec::new());
        let found = self.follow(module, path, depth);
        self.followed.borrow_mut().insert(key, found.clone());
        found
    }

    fn follow(&self, module: &Module, path: &[String], depth: usize) -> Vec<Found> {
        let Some((first, rest)) = path.split_first() else { return vec![Found::Module(module.clone())] };
        if depth > 12 {
            return Vec::new();
        }
        match first.as_str() {
            "crate" => {
                // An exported macro is found at the root.
                if let [name] = rest
                    && let Some(file) = self.macros.get(name)
                {
                    return vec![Found::Item(file.clone())];
                }
                return self.find(&Vec::new(), rest, depth + 1);
            }
            "self" => return self.find(module, rest, depth + 1),
            "super" => {
                let parent = module[..module.len().saturating_sub(1)].to_vec();
                return self.find(&parent, rest, depth + 1);
            }
            _ => {}
        }
        let Some(names) = self.modules.get(module) else { return Vec::new() };
        let child = [module.clone(), vec![first.clone()]].concat();
        let mut found = Vec::new();
        if self.modules.contains_key(&child) {
            found.extend(self.find(&child, rest, depth + 1));
            // A function may have the module's name; nothing follows it.
            if !rest.is_empty() && !found.is_empty() {
                return found;
            }
        }
        if names.items.contains(first) && !self.modules.contains_key(&child) {
            found.push(Found::Item(names.file.clone()));
        }
        // `use` begins at a crate's name, at the root by a keyword, or at a name
        // of this module.
        let imports = || names.uses.iter().filter(|(name, from)| name == first && *from != [name.clone()]);
        for (_, from) in imports() {
            found.extend(self.find(module, &[from.as_slice(), rest].concat(), depth + 1));
        }
        if found.is_empty() && !rest.is_empty() {
            // What follows belongs to a type.
            for (_, from) in imports() {
                found.extend(self.find(module, from, depth + 1));
            }
        }
        if found.is_empty() {
            for glob in &names.globs {
                // A glob of the module itself would go round.
                for within in self.find(module, glob, depth + 1) {
                    if let Found::Module(within) = within
                        && within != *module
                    {
                        found.extend(self.find(&within, path, depth + 3));
                    }
                }
            }
        }
        found
    }
}

/// The paths in an item's code.
struct Paths<'a> {
    owner: &'a mut Crate,
    module: &'a Module,
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.owner.mention_path(self.module, path);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, own: &'ast syn::Macro) {
        self.owner.mention_path(self.module, &own.path);
        self.owner.mention_tokens(self.module, &own.tokens);
    }

    fn visit_item_use(&mut self, own: &'ast syn::ItemUse) {
        // Within a function; its names may be of the module all the same.
        self.owner.add_use(&own.tree, Vec::new(), self.module);
    }

    fn visit_attribute(&mut self, own: &'ast Attribute) {
        // Documentation may name anything.
        if !own.path().is_ident("doc") {
            visit::visit_attribute(self, own);
        }
    }

    fn visit_item(&mut self, item: &'ast Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, own: &'ast syn::ImplItemFn) {
        if !is_for_tests(&own.attrs) {
            visit::visit_impl_item_fn(self, own);
        }
    }
}

/// The file of a module that is declared in another one.
fn file_of(inner: &Path, name: &str, own: &syn::ItemMod) -> PathBuf {
    let given = own.attrs.iter().find(|attribute| attribute.path().is_ident("path"));
    if let Some(syn::Meta::NameValue(pair)) = given.map(|attribute| &attribute.meta)
        && let syn::Expr::Lit(literal) = &pair.value
        && let syn::Lit::Str(text) = &literal.lit
    {
        return inner.join(text.value());
    }
    let beside = inner.join(format!("{name}.rs"));
    if beside.exists() { beside } else { inner.join(name).join("mod.rs") }
}

/// Each word of a macro's tokens and the word that follows it.
fn words(tokens: &TokenStream) -> Vec<(String, String)> {
    let all: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let pairs = all.windows(2).filter_map(|pair| match pair {
        [TokenTree::Ident(a), TokenTree::Ident(b)] => Some((a.to_string(), b.to_string())),
        _ => None,
    });
    pairs.collect()
}

fn name_of(item: &Item) -> Option<String> {
    Some(match item {
        Item::Const(own) => own.ident.to_string(),
        Item::Enum(own) => own.ident.to_string(),
        Item::Fn(own) => own.sig.ident.to_string(),
        Item::Static(own) => own.ident.to_string(),
        Item::Struct(own) => own.ident.to_string(),
        Item::Trait(own) => own.ident.to_string(),
        Item::TraitAlias(own) => own.ident.to_string(),
        Item::Type(own) => own.ident.to_string(),
        Item::Union(own) => own.ident.to_string(),
        _ => return None,
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(own) => &own.attrs,
        Item::Enum(own) => &own.attrs,
        Item::ExternCrate(own) => &own.attrs,
        Item::Fn(own) => &own.attrs,
        Item::ForeignMod(own) => &own.attrs,
        Item::Impl(own) => &own.attrs,
        Item::Macro(own) => &own.attrs,
        Item::Mod(own) => &own.attrs,
        Item::Static(own) => &own.attrs,
        Item::Struct(own) => &own.attrs,
        Item::Trait(own) => &own.attrs,
        Item::Type(own) => &own.attrs,
        Item::Union(own) => &own.attrs,
        Item::Use(own) => &own.attrs,
        _ => &[],
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Ident>().is_ok_and(|word| word == "test"))
    })
}

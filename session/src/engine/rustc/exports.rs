//! What the prelude's modules export: `sparse::Csr`.

use syn::{Item, UseTree};

/// The path of a name that a module of the prelude exports.
pub(super) fn path_of(name: &str) -> Option<String> {
    let text = crate::store::source("prelude/src/lib.rs")?;
    let file = syn::parse_file(text).ok()?;
    file.items.iter().find_map(|item| {
        let Item::Mod(module) = item else { return None };
        let (_, items) = module.content.as_ref()?;
        let exports = items.iter().any(|item| matches!(item, Item::Use(uses) if names(&uses.tree, name)));
        exports.then(|| format!("gpurepl_prelude::{}::{name}", module.ident))
    })
}

fn names(tree: &UseTree, name: &str) -> bool {
    match tree {
        UseTree::Path(path) => names(&path.tree, name),
        UseTree::Name(own) => own.ident == name,
        UseTree::Rename(own) => own.rename == name,
        UseTree::Group(group) => group.items.iter().any(|tree| names(tree, name)),
        UseTree::Glob(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_modules_have_paths() {
        assert_eq!(path_of("Csr").unwrap(), "gpurepl_prelude::sparse::Csr");
        assert_eq!(path_of("Lu").unwrap(), "gpurepl_prelude::linalg::Lu");
        assert_eq!(path_of("NoSuchType"), None);
    }
}

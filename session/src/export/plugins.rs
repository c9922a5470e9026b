//! The plugins that a project links: those that its cells name.

use proc_macro2::{TokenStream, TokenTree};

use crate::store::plugin::{self, Plugin};

/// The plugins that cells name, by the names in the plugins' manifests or in a call of `extend::plugin`. A
/// name that means something else in a cell costs a longer build, and nothing else.
pub(crate) fn named_in<'s>(sources: impl Iterator<Item = &'s str>) -> Vec<Plugin> {
    let mut words = Vec::new();
    for stream in sources.filter_map(|source| source.parse().ok()) {
        collect(stream, &mut words);
    }
    let has = |word: &str| words.iter().any(|known| known == word);
    let is_named = |plugin: &Plugin| {
        plugin.names.iter().any(|name| has(name)) || (has("plugin") && has(&format!("{:?}", plugin.name)))
    };
    plugin::known().into_iter().filter(is_named).collect()
}

/// The names and literals of a text, also of those within calls of macros.
fn collect(stream: TokenStream, words: &mut Vec<String>) {
    for token in stream {
        match token {
            TokenTree::Group(group) => collect(group.stream(), words),
            TokenTree::Ident(name) => words.push(name.to_string()),
            TokenTree::Literal(literal) => words.push(literal.to_string()),
            TokenTree::Punct(_) => {}
        }
    }
}

/// The program that hands the plugins over to the prelude and runs the cells,
/// which are in a library called `saved_cells`.
pub(super) fn main(plugins: &[Plugin]) -> String {
    let mut text = String::from(
        "//! Runs the cells of `cells.rs`, with the plugins that they call.\n\
         //!\n\
         //! The cells are a crate of their own, so that the traits of the plugins' crates do not make their lines ambiguous.\n\
         \n\
         fn main() -> Result<std::process::ExitCode, gpurepl_prelude::Error> {\n",
    );
    for Plugin { name, package, .. } in plugins {
        let package = package.replace('-', "_");
        text.push_str(&format!(
            "    gpurepl_prelude::extend::provide({name:?}, {package}::gpurepl_plugin)?;\n"
        ));
    }
    text.push_str("    Ok(saved_cells::main())\n}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(sources: &[&str]) -> Vec<String> {
        named_in(sources.iter().copied()).into_iter().map(|plugin| plugin.name).collect()
    }

    #[test]
    fn plugins_are_found_by_the_names_that_cells_use() {
        assert_eq!(names(&["let a = gpu![1.0]; a.sum()"]), [""; 0]);
        assert_eq!(names(&["use gpurepl_prelude::fft as f;"]), ["fft"]);
        assert_eq!(names(&["println!(\"{}\", linalg::det(&a)?)", "fft::fft(&a)?"]), ["fft", "linalg"]);
        assert_eq!(names(&["let m = SourceModule::template(text, context! { n => 1 })?;"]), ["templates"]);
        assert_eq!(names(&["extend::plugin(\"example\")?"]), ["example"]);
    }

    #[test]
    fn comments_and_texts_name_no_plugin() {
        assert_eq!(names(&["// fft and linalg\nlet a = \"linalg\"; // Template"]), [""; 0]);
        // The name of the example, with nothing that would load it.
        assert_eq!(names(&["\"example\""]), [""; 0]);
    }

    #[test]
    fn what_a_project_links_can_be_linked() {
        for plugin in plugin::known() {
            let manifest = crate::store::source(&format!("{}/Cargo.toml", plugin.folder)).unwrap();
            assert!(manifest.contains("\"rlib\""), "{} is a shared library only", plugin.package);
            assert!(plugin.is_hidden || !plugin.names.is_empty(), "{} has no names", plugin.package);
        }
    }
}

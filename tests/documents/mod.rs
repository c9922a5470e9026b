//! The documents: README, CONTRIBUTING, ARCHITECTURE and the pages of `docs/`.
//!
//! | module | what it tests |
//! |---|---|
//! | `examples` | code in the pages runs, and shows what the pages say |
//! | `gallery` | each figure of the gallery is the picture below its code |
//! | `links` | links and their anchors lead somewhere, paths and settings exist |
//! | `names` | what the prelude offers and each command is on some page |
//!
//! What they read stands in a [`Page`].

mod examples;
mod gallery;
mod links;
mod names;

use std::path::{Path, PathBuf};

use gpurepl_tests::checkout;

/// A document, by its path from the root of the repository.
pub struct Page {
    pub path: PathBuf,
    pub text: String,
}

/// A part of a page between lines of three backticks.
pub struct Block<'a> {
    /// What the first of these lines says: `rust`, `text`.
    pub kind: &'a str,
    pub text: String,
    /// Whether only blank lines stand between it and the block before.
    pub follows_directly: bool,
}

impl Page {
    fn read(path: PathBuf) -> Page {
        let text = std::fs::read_to_string(checkout().join(&path));
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Page { path, text }
    }

    /// The blocks of code, in order.
    pub fn blocks(&self) -> Vec<Block<'_>> {
        let mut blocks: Vec<Block<'_>> = Vec::new();
        let (mut is_inside, mut only_blank) = (false, false);
        for line in self.text.lines() {
            match line.strip_prefix("```") {
                Some(kind) if !is_inside => {
                    blocks.push(Block { kind, text: String::new(), follows_directly: only_blank });
                    is_inside = true;
                }
                Some(_) => (is_inside, only_blank) = (false, true),
                None if is_inside => {
                    let block = blocks.last_mut().expect("a block has begun");
                    block.text.push_str(line);
                    block.text.push('\n');
                }
                None => only_blank &= line.trim().is_empty(),
            }
        }
        assert!(!is_inside, "{}: the last block of code has no end", self.path.display());
        blocks
    }

    /// The text without its blocks of code.
    pub fn prose(&self) -> String {
        let mut is_inside = false;
        let mut prose = String::new();
        for line in self.text.lines() {
            let is_fence = line.trim_start().starts_with("```");
            is_inside ^= is_fence;
            if !is_inside && !is_fence {
                prose.push_str(line);
            }
            prose.push('\n');
        }
        prose
    }
}

/// The pages of `docs/`, with the README.
pub fn pages() -> Vec<Page> {
    let mut paths = vec![PathBuf::from("README.md")];
    let entries = std::fs::read_dir(checkout().join("docs")).expect("the checkout has docs/");
    for entry in entries {
        let name = PathBuf::from(entry.expect("docs/ can be read").file_name());
        if name.extension().is_some_and(|extension| extension == "md") {
            paths.push(Path::new("docs").join(name));
        }
    }
    paths.sort();
    paths.into_iter().map(Page::read).collect()
}

/// All documents, or none where the tests run without a checkout.
pub fn documents() -> Option<Vec<Page>> {
    if !checkout().join("Cargo.toml").exists() {
        crate::ignored::ignored("needs the checkout");
        return None;
    }
    let others = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"];
    let mut documents = pages();
    documents.extend(others.map(|name| Page::read(PathBuf::from(name))));
    Some(documents)
}

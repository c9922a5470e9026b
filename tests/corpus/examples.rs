//! Examples in the documentation of the standard library, as rustdoc finds them.

use std::path::{Path, PathBuf};

/// An example as a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Example {
    /// The line of its fence, from one.
    pub(super) line: usize,
    pub(super) source: String,
}

/// The source files of the standard library below a folder, with their paths
/// as names, in the order of their names.
pub(super) fn files(library: &Path) -> Vec<(String, PathBuf)> {
    let mut files = Vec::new();
    for part in ["alloc", "core", "std"] {
        collect(&library.join(part).join("src"), &mut files);
    }
    let name = |path: &PathBuf| path.strip_prefix(library).unwrap_or(path).display().to_string();
    let mut files: Vec<(String, PathBuf)> = files.into_iter().map(|path| (name(&path), path)).collect();
    files.sort();
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The examples of a file that are Rust, are to run, and to succeed.
pub(super) fn examples(text: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    // The line of the fence, whether the example counts, and its lines.
    let mut open: Option<(usize, bool, Vec<&str>)> = None;
    let mut is_written = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let Some(words) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            // What a macro writes, on one line or on several: the example is not to be had.
            is_written = open.is_some() && (is_written || line.starts_with("#[doc"));
            match &mut open {
                Some((_, counts, _)) if is_written => *counts = false,
                _ => open = None,
            }
            continue;
        };
        let is_fence = words.trim_start().starts_with("```");
        match &mut open {
            Some((start, counts, lines)) if is_fence => {
                if *counts {
                    examples.extend(example(*start, lines));
                }
                open = None;
            }
            Some((_, _, lines)) => lines.push(words.strip_prefix(' ').unwrap_or(words)),
            None if is_fence => {
                let tags = words.trim_start().trim_start_matches('`');
                (open, is_written) = (Some((number + 1, is_run(tags), Vec::new())), false);
            }
            None => {}
        }
    }
    examples
}

/// Whether rustdoc would run an example with these words after its fence. The
/// library's own edition is that of cells.
fn is_run(tags: &str) -> bool {
    tags.split([',', ' ', '\t']).map(str::trim).filter(|tag| !tag.is_empty()).all(|tag| tag == "rust")
}

/// An example as a cell: with the lines that the documentation hides, and a
/// call of `main` if it has one. None if it needs an unstable feature.
fn example(line: usize, lines: &[&str]) -> Option<Example> {
    let visible = |line: &str| {
        let trimmed = line.trim_start();
        match trimmed.strip_prefix('#') {
            Some("") => String::new(),
            Some(rest) if rest.starts_with(' ') => rest[1..].to_owned(),
            Some(rest) if rest.starts_with('#') => line.replacen("##", "#", 1),
            _ => line.to_owned(),
        }
    };
    let mut source = lines.iter().map(|line| visible(line)).collect::<Vec<_>>().join("\n");
    if source.contains("#![feature") || source.trim().is_empty() {
        return None;
    }
    if let Some((_, rest)) = source.split_once("fn main()") {
        let returned =
            rest.trim_start().strip_prefix("->").map_or("", |of| of.split('{').next().unwrap_or(""));
        source.push_str(if returned.contains("Result") { "\nmain().unwrap();" } else { "\nmain();" });
    }
    Some(Example { line, source })
}

#[test]
fn examples_are_what_rustdoc_runs() {
    let text = "/// Words.\n///\n/// ```\n/// # use std::fmt;\n/// #\n/// #[derive(Debug)]\n/// ##!x\n/// let a = 1;\n/// ```\nfn f() {}\n\
        //! ```no_run\n//! loop {}\n//! ```\n//! ```rust\n//! fn main() -> Result<(), String> { Ok(()) }\n//! ```\n\
        /// ```\n#[doc = concat!(\"assert_eq!(\", stringify!($T),\n\"x\")]\n/// ```\n/// Words.\n\
        /// ```\n/// #![feature(x)]\n/// ```\n/// ```text\n/// no\n/// ```\n/// ```compile_fail,E0382\n/// no\n/// ```\n";
    let sources: Vec<(usize, String)> =
        examples(text).into_iter().map(|example| (example.line, example.source)).collect();
    assert_eq!(
        sources,
        [
            (3, "use std::fmt;\n\n#[derive(Debug)]\n#!x\nlet a = 1;".to_owned()),
            (14, "fn main() -> Result<(), String> { Ok(()) }\nmain().unwrap();".to_owned()),
        ]
    );
}

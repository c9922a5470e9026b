//! Links, and what stands in backticks: paths and settings.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use gpurepl_tests::checkout;

use super::{Page, documents, pages};

/// Pages about the code itself: each file that they name is in the repository.
const ABOUT_THE_CODE: &[&str] =
    &["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/decisions.md", "docs/index-of-the-code.md"];

/// Pages that say what was so once: their files may be gone.
const ABOUT_THE_PAST: &[&str] = &["CHANGELOG.md", "docs/gpu-results.md"];

/// Files that the pages about the code name and that are not ours.
const NOT_OURS: &[&str] = &["kernel.cu", "results.md", "tutorial.toml"];

const EXTENSIONS: &[&str] =
    &["rs", "py", "toml", "md", "cu", "hpp", "css", "ipynb", "txt", "json", "svg", "html"];

#[test]
fn links_lead_somewhere() {
    let Some(documents) = documents() else { return };
    let mut wrong = Vec::new();
    for page in &documents {
        let mut targets = targets(&page.prose());
        targets.retain(|target| !target.contains("://") && !target.starts_with("mailto:"));
        for target in targets {
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let folder = page.path.parent().unwrap_or(Path::new(""));
            let path = if file.is_empty() { page.path.clone() } else { normal(&folder.join(file)) };
            if !checkout().join(&path).exists() {
                wrong.push(format!("{}: there is no {file}", page.path.display()));
            } else if !anchor.is_empty() {
                let there = documents.iter().find(|other| other.path == path);
                if !there.is_some_and(|there| anchors(there).contains(anchor)) {
                    wrong.push(format!("{}: {target} has no such heading", page.path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_page_is_in_the_book_and_links_within_it() {
    let pages = pages();
    let of_book = |page: &&Page| page.path.starts_with("docs");
    let summary = pages.iter().find(|page| page.path == Path::new("docs/SUMMARY.md"));
    let listed = targets(&summary.expect("the book has a table of contents").text);
    let mut wrong = Vec::new();
    for page in pages.iter().filter(of_book) {
        let name = page.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name != "SUMMARY.md" && !listed.iter().any(|target| target == name) {
            wrong.push(format!("docs/SUMMARY.md does not list {name}"));
        }
        for target in targets(&page.prose()).iter().filter(|target| target.starts_with("..")) {
            let path = page.path.display();
            wrong.push(format!("{path}: {target} is not in the book: write its address in the repository"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn paths_in_the_documents_exist() {
    let Some(documents) = documents() else { return };
    let files = files();
    let mut wrong = Vec::new();
    for page in documents.iter().filter(|page| !is_one_of(page, ABOUT_THE_PAST)) {
        let about_the_code = is_one_of(page, ABOUT_THE_CODE);
        for span in spans(&page.prose()).iter().filter(|span| is_path(span)) {
            let first = span.split('/').next().unwrap_or_default();
            let has_extension = EXTENSIONS.iter().any(|extension| span.ends_with(&format!(".{extension}")));
            let is_ours = if span.contains('/') {
                files.iter().any(|file| file.starts_with(first))
                    || about_the_code && (has_extension || span.ends_with('/'))
            } else {
                about_the_code && has_extension && !NOT_OURS.contains(&span.as_str())
            };
            if is_ours && !files.iter().any(|file| ends_with(file, span.trim_end_matches('/'))) {
                wrong.push(format!("{}: there is no `{span}`", page.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn settings_in_the_documents_are_read_somewhere() {
    let Some(documents) = documents() else { return };
    let mut sources = String::new();
    for file in files() {
        let path = checkout().join(&file);
        if !file.ends_with("md") && path.is_file() {
            sources.push_str(&std::fs::read_to_string(path).unwrap_or_default());
        }
    }
    let mut wrong = BTreeSet::new();
    for page in documents.iter().filter(|page| !is_one_of(page, ABOUT_THE_PAST)) {
        for (start, _) in page.text.match_indices("GPUREPL_") {
            let rest = &page.text[start..];
            let end = rest.find(|c: char| !c.is_ascii_uppercase() && c != '_').unwrap_or(rest.len());
            if !sources.contains(&rest[..end]) {
                wrong.insert(format!("{}: nothing reads {}", page.path.display(), &rest[..end]));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn is_one_of(page: &Page, paths: &[&str]) -> bool {
    paths.iter().any(|path| page.path == Path::new(path))
}

/// The targets of links and pictures: `[text](target)`.
fn targets(prose: &str) -> Vec<String> {
    let after = prose.split("](").skip(1);
    let mut targets: Vec<String> =
        after.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned()).collect();
    // And `[text]: target` on a line of its own.
    for line in prose.lines().filter(|line| line.starts_with('[')) {
        targets.extend(line.split_once("]: ").map(|(_, target)| target.to_owned()));
    }
    targets
}

/// What GitHub and mdBook make of a page's headings.
fn anchors(page: &Page) -> BTreeSet<String> {
    let prose = page.prose();
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let kept = |c: char| c.is_alphanumeric() || " -_".contains(c);
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        text.chars().filter(|c| kept(*c)).collect::<String>().replace(' ', "-")
    };
    headings.map(anchor).collect()
}

/// What stands between single backticks.
fn spans(prose: &str) -> Vec<String> {
    prose.lines().flat_map(|line| line.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

fn is_path(span: &str) -> bool {
    span.starts_with(|c: char| c.is_ascii_alphanumeric())
        && span.chars().all(|c| c.is_ascii_alphanumeric() || "_./*-".contains(c))
}

/// Whether a path ends with these parts, `*` standing for anything.
fn ends_with(path: &Path, end: &str) -> bool {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    let end: Vec<&str> = end.split('/').collect();
    let matches = |(part, wanted): (&&str, &&str)| match wanted.split_once('*') {
        Some((start, rest)) => part.starts_with(start) && part.ends_with(rest),
        None => part == wanted,
    };
    parts.len() >= end.len() && parts[parts.len() - end.len()..].iter().zip(&end).all(matches)
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

/// All files and folders of the checkout, but for what is built.
fn files() -> Vec<PathBuf> {
    let root = checkout();
    let (mut files, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(root.join(&folder)).expect("a folder of the checkout");
        for entry in entries {
            let entry = entry.expect("a folder of the checkout");
            let path = folder.join(entry.file_name());
            let name = entry.file_name();
            if entry.path().is_dir() && !["target", ".git"].iter().any(|skipped| name == *skipped) {
                folders.push(path.clone());
            }
            files.push(path);
        }
    }
    files
}

//! Documentation as front ends show it: as plain text in a terminal, as
//! Markdown that knows nothing of Rust in a notebook.

use std::ops::Range;

use pulldown_cmark::{
    BrokenLink, BrokenLinkCallback, CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd,
};

/// The code of the examples in some Markdown, as cells: without the lines that are hidden, and without the import of
/// what cells have.
pub(crate) fn examples(markdown: &str) -> Vec<String> {
    let mut examples = Vec::new();
    let mut open: Option<String> = None;
    for event in parser(markdown) {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let is_rust = match &kind {
                    CodeBlockKind::Fenced(language) => {
                        language.is_empty() || language.split(',').any(|word| word.trim() == "rust")
                    }
                    CodeBlockKind::Indented => false,
                };
                open = is_rust.then(String::new);
            }
            Event::Text(text) => {
                if let Some(code) = &mut open {
                    code.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                let Some(code) = open.take() else { continue };
                let is_import = |line: &str| line.trim() == "use gpurepl_prelude::*;";
                let lines = code.lines().filter(|line| !is_hidden(line) && !is_import(line));
                let code = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
                examples.extend((!code.is_empty()).then_some(code));
            }
            _ => {}
        }
    }
    examples
}

/// The text of some Markdown. Paragraphs keep their lines, examples are
/// indented without the lines that Rust's documentation hides, and links are
/// their words.
pub(crate) fn plain(markdown: &str) -> String {
    let mut out = String::new();
    let mut is_example = false;
    let mut lists: Vec<Option<u64>> = Vec::new();
    let mut cells = 0;
    for event in parser(markdown) {
        match event {
            Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::Table(_)) if lists.is_empty() => {
                part(&mut out)
            }
            Event::Start(Tag::List(first)) => {
                if lists.is_empty() {
                    part(&mut out);
                }
                lists.push(first);
            }
            Event::End(TagEnd::List(_)) => drop(lists.pop()),
            Event::Start(Tag::Item) => {
                line(&mut out);
                out.push_str(&"  ".repeat(lists.len().saturating_sub(1)));
                match lists.last_mut() {
                    Some(Some(number)) => {
                        out.push_str(&format!("{number}. "));
                        *number += 1;
                    }
                    _ => out.push_str("- "),
                }
            }
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                line(&mut out);
                cells = 0;
            }
            Event::Start(Tag::TableCell) => {
                if cells > 0 {
                    out.push_str(" | ");
                }
                cells += 1;
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                part(&mut out);
                is_example = match kind {
                    CodeBlockKind::Fenced(language) => !language.contains("text"),
                    CodeBlockKind::Indented => true,
                };
            }
            Event::Text(text) if matches!(out.chars().last(), None | Some('\n')) && is_example => {
                for code in text.lines().filter(|line| !is_hidden(line)) {
                    out.push_str("    ");
                    out.push_str(code);
                    out.push('\n');
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                is_example = false;
                line(&mut out);
            }
            Event::Text(text) => out.push_str(&text),
            Event::Code(text) => {
                out.push('`');
                out.push_str(&text);
                out.push('`');
            }
            Event::SoftBreak | Event::HardBreak => {
                out.push('\n');
                out.push_str(&"  ".repeat(lists.len()));
            }
            Event::Rule => part(&mut out),
            _ => {}
        }
    }
    out.trim_end().to_owned()
}

/// Reads Markdown. Rust's own links, whose places are not in the text, are
/// links to nowhere.
fn parser<'m>(markdown: &'m str) -> Parser<'m, impl BrokenLinkCallback<'m>> {
    let nowhere = |_: BrokenLink<'m>| -> Option<(CowStr<'m>, CowStr<'m>)> { Some(("".into(), "".into())) };
    Parser::new_with_broken_link_callback(markdown, Options::ENABLE_TABLES, Some(nowhere))
}

/// Whether Rust's documentation hides a line of an example.
fn is_hidden(line: &str) -> bool {
    line.trim() == "#" || line.trim_start().starts_with("# ")
}

/// The same text for any reader of Markdown: links to items of Rust are their
/// words, examples are marked as Rust and have no hidden lines, and headings
/// are those of a part of a page.
pub(crate) fn portable(markdown: &str) -> String {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    // The link that is being read, and where its words are.
    let mut link: Option<(Range<usize>, Option<Range<usize>>)> = None;
    let mut is_rust = false;
    for (event, range) in parser(markdown).into_offset_iter() {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                link = (!dest_url.contains("://") && !dest_url.starts_with('#')).then_some((range, None));
                continue;
            }
            Event::End(TagEnd::Link) => {
                if let Some((whole, Some(words))) = link.take() {
                    edits.push((whole, markdown[words].to_owned()));
                }
            }
            Event::Start(Tag::Heading { level, .. }) if markdown[range.start..].starts_with('#') => {
                let lower = (level as usize + 3).min(6);
                edits.push((range.start..range.start + level as usize, "#".repeat(lower)));
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                let of_rust = ["", "rust", "no_run", "ignore", "should_panic", "compile_fail"];
                is_rust = language.split(',').all(|word| of_rust.contains(&word.trim()));
                if is_rust {
                    let fence = &markdown[range.start..];
                    let at = range.start + fence.len() - fence.trim_start_matches(['`', '~']).len();
                    edits.push((at..at + language.len(), "rust".to_owned()));
                }
            }
            Event::End(TagEnd::CodeBlock) => is_rust = false,
            Event::Text(_) if is_rust => {
                let mut start = range.start;
                for line in markdown[range.clone()].split_inclusive('\n') {
                    if is_hidden(line) {
                        edits.push((start..start + line.len(), String::new()));
                    }
                    start += line.len();
                }
            }
            _ => {}
        }
        if let Some((_, words)) = &mut link {
            let start = words.as_ref().map_or(range.start, |words| words.start);
            *words = Some(start..range.end);
        }
    }
    let mut text = markdown.to_owned();
    for (range, words) in edits.into_iter().rev() {
        text.replace_range(range, &words);
    }
    text
}

/// Begins a part: an empty line before it.
fn part(out: &mut String) {
    if !out.is_empty() {
        let text = out.trim_end().len();
        out.truncate(text);
        out.push_str("\n\n");
    }
}

/// Begins a line.
fn line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

/// The first sentence or line of some documentation.
pub(super) fn summary(markdown: &str) -> String {
    let paragraph = markdown.trim().split("\n\n").next().unwrap_or_default();
    let text = plain(paragraph).replace('\n', " ");
    match text.find(". ") {
        Some(end) => text[..end + 1].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_cells() {
        let markdown = "Text.\n\n```\nuse gpurepl_prelude::*;\nlet a = 1;\n# hidden();\nassert_eq!(a, 1);\n# Ok::<(), Error>(())\n```\n\n\
                        ```text\nno code\n```\n\n```rust\nb()\n```\n";
        assert_eq!(examples(markdown), ["let a = 1;\nassert_eq!(a, 1);", "b()"]);
    }

    #[test]
    fn documentation_reads_as_text() {
        let markdown = "The sum of all [elements](Elem), as\n[`GpuArray`].\n\n```\nuse gpurepl_prelude::*;\n# hidden();\n\
                        assert_eq!(a.sum().item(), 6);\n```\n\n# Errors\n\n- one *thing*\n- another\n";
        assert_eq!(
            plain(markdown),
            "The sum of all elements, as\n`GpuArray`.\n\n    use gpurepl_prelude::*;\n    assert_eq!(a.sum().item(), 6);\n\n\
             Errors\n\n- one thing\n- another"
        );
        assert_eq!(summary(markdown), "The sum of all elements, as `GpuArray`.");
        assert_eq!(summary("One. Two."), "One.");
        assert_eq!(
            portable(markdown),
            "The sum of all elements, as\n`GpuArray`.\n\n```rust\nuse gpurepl_prelude::*;\n\
             assert_eq!(a.sum().item(), 6);\n```\n\n#### Errors\n\n- one *thing*\n- another\n"
        );
    }

    #[test]
    fn a_notebook_gets_no_links_that_lead_nowhere() {
        let markdown = "[**all** of `it`](crate::It), [the web](https://www.rust-lang.org), [below](#below),\n\
                        [`a`][b], [ü] and `[0]`\n\n[b]: super::b\n\n```text\n# of Markdown\n```\n\n\
                        ```no_run\n# let a = 1;\nf(a); // # here\n```";
        assert_eq!(
            portable(markdown),
            "**all** of `it`, [the web](https://www.rust-lang.org), [below](#below),\n`a`, ü and `[0]`\n\n\
             [b]: super::b\n\n```text\n# of Markdown\n```\n\n```rust\nf(a); // # here\n```"
        );
    }
}

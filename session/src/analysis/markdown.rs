//! Documentation as a terminal shows it: Markdown as plain text.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// The text of some Markdown. Paragraphs keep their lines, examples are
/// indented without the lines that Rust's documentation hides, and links are
/// their words.
pub(super) fn plain(markdown: &str) -> String {
    let mut out = String::new();
    let mut is_example = false;
    let mut lists: Vec<Option<u64>> = Vec::new();
    let mut cells = 0;
    for event in Parser::new_with_broken_link_callback(
        markdown,
        Options::ENABLE_TABLES,
        Some(|_| {
            // Rust's own links, whose places are not in the text: their words do.
            Some(("".into(), "".into()))
        }),
    ) {
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
                for code in
                    text.lines().filter(|line| line.trim() != "#" && !line.trim_start().starts_with("# "))
                {
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
    }
}
